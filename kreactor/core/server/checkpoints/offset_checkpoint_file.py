# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.checkpoints.OffsetCheckpointFile of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A file with one offset for each of several partitions."""

from __future__ import annotations

import os
from collections.abc import Mapping

from kreactor.common.errors import KafkaStorageException
from kreactor.common.topic_partition import TopicPartition
from kreactor.server.common.checkpoint_file import read_checkpoint, write_checkpoint


class OffsetCheckpointFile:
    """Used by one thread at a time. Kafka's class and its companion are one class here.

    :origin: kafka.server.checkpoints.OffsetCheckpointFile
    :origin: kafka.server.checkpoints.OffsetCheckpointFile
    """

    __slots__ = ("_file",)

    def __init__(self, file: str) -> None:
        """``file`` is a path; the file itself may be missing."""
        self._file = file

    def file(self) -> str:
        """:origin: kafka.server.checkpoints.OffsetCheckpointFile#file"""
        return self._file

    def write(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Replace the file's entries durably. Raises KafkaStorageException.

        :origin: kafka.server.checkpoints.OffsetCheckpointFile#write
        """
        try:
            write_offset_checkpoint(self._file, offsets)
        except OSError as e:
            raise KafkaStorageException(f"Error while writing to checkpoint file {self._file}: {e}", e) from e

    def read(self) -> dict[TopicPartition, int]:
        """Return the file's entries. Raises KafkaStorageException.

        :origin: kafka.server.checkpoints.OffsetCheckpointFile#read
        """
        try:
            return read_offset_checkpoint(self._file)
        except OSError as e:
            raise KafkaStorageException(
                f"Error while reading checkpoint file {os.path.abspath(self._file)}: {e}", e) from e


def write_offset_checkpoint(path: str, offsets: Mapping[TopicPartition, int]) -> None:
    """Write an offset per partition, in the format of Kafka's recovery points. Raises OSError."""
    write_checkpoint(path, (f"{tp.topic()} {tp.partition()} {offset}" for tp, offset in offsets.items()))


def read_offset_checkpoint(path: str) -> dict[TopicPartition, int]:
    """Return the offset per partition that ``write_offset_checkpoint`` wrote. Raises OSError."""
    offsets = {}
    for fields in read_checkpoint(path):
        try:
            topic, partition, offset = fields
            offsets[TopicPartition(topic, int(partition))] = int(offset)
        except ValueError:
            raise OSError(f"Malformed line in checkpoint file [{path}]: {' '.join(fields)}") from None
    return offsets
