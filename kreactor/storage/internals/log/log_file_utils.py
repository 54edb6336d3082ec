# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.LogFileUtils of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The names of files and folders, as in Kafka."""

from __future__ import annotations

from kreactor.common.topic_partition import TopicPartition
from kreactor.jdk.secure_random import random_uuid

LOG_SUFFIX = ".log"
INDEX_SUFFIX = ".index"
TIME_INDEX_SUFFIX = ".timeindex"
TXN_INDEX_SUFFIX = ".txnindex"
SNAPSHOT_SUFFIX = ".snapshot"
CLEANED_SUFFIX = ".cleaned"
SWAP_SUFFIX = ".swap"
DELETED_SUFFIX = ".deleted"

DELETE_DIR_SUFFIX = "-delete"

_OFFSET_DIGITS = 20
MAX_FOLDER_NAME = 255


def offset_of_file_name(name: str) -> int:
    """Return the offset in a file's name. Raises ValueError if the name has none.

    :origin: storage.internals.log.LogFileUtils#offsetFromFileName(String)
    """
    return int(name[:name.index(".")])


def partition_folder(topic_partition: TopicPartition) -> str:
    """Return the name of a partition's folder."""
    return f"{topic_partition.topic()}-{topic_partition.partition()}"


def future_folder_length(topic_partition: TopicPartition) -> int:
    """Return the length of a moving partition's folder name: the partition's name, 32 digits and a word."""
    return len(f"{partition_folder(topic_partition)}.{'0' * 32}-future")


def deleted_folder(topic_partition: TopicPartition) -> str:
    """Return a new name for the folder of a partition that is being deleted.

    A topic's name is cut if the folder's name would be too long.
    """
    suffix = f"-{topic_partition.partition()}.{random_uuid().hex}{DELETE_DIR_SUFFIX}"
    return topic_partition.topic()[:MAX_FOLDER_NAME - len(suffix)] + suffix


def file_name(offset: int, suffix: str) -> str:
    """Return the name of a file that begins at ``offset``: 20 digits and a suffix.

    :origin: storage.internals.log.LogFileUtils#filenamePrefixFromOffset(long)
    """
    return f"{offset:0{_OFFSET_DIGITS}d}{suffix}"
