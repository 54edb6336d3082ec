# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.checkpoints.OffsetCheckpointFile of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A file with an offset for each of some partitions."""

from __future__ import annotations

import os
from collections.abc import Mapping

from kreactor.common.errors import KafkaStorageException
from kreactor.common.topic_partition import TopicPartition
from kreactor.embedded.files import read_offset_checkpoint, write_offset_checkpoint

OMITTED = {
    "kafka.server.checkpoints.OffsetCheckpointFile#WhiteSpacesPattern": "kreactor/embedded/files.py reads",
    "kafka.server.checkpoints.OffsetCheckpointFile#CurrentVersion": "kreactor/embedded/files.py knows it",
    "kafka.server.checkpoints.OffsetCheckpointFile.Formatter": "kreactor/embedded/files.py reads and writes",
    "kafka.server.checkpoints.OffsetCheckpointFile#checkpoint": "kreactor/embedded/files.py has functions",
    "kafka.server.checkpoints.OffsetCheckpoint": "for leader epochs, which leader_epochs.py keeps",
    **{f"kafka.server.checkpoints.{name}": "for high watermarks, the ends of logs here" for name in (
        "OffsetCheckpoints", "LazyOffsetCheckpoints", "LazyOffsetCheckpointMap")},
}


class OffsetCheckpointFile:
    """Used by one thread at a time. The class and its companion are one.

    :origin: kafka.server.checkpoints.OffsetCheckpointFile
    :origin: kafka.server.checkpoints.OffsetCheckpointFile
    """

    __slots__ = ("_file",)

    def __init__(self, file: str) -> None:
        """``file`` is a path, and need not be there."""
        self._file = file

    def file(self) -> str:
        """:origin: kafka.server.checkpoints.OffsetCheckpointFile#file"""
        return self._file

    def write(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Replace what is there, durably. Raises KafkaStorageException.

        :origin: kafka.server.checkpoints.OffsetCheckpointFile#write
        """
        try:
            write_offset_checkpoint(self._file, offsets)
        except OSError as e:
            raise KafkaStorageException(f"Error while writing to checkpoint file {self._file}: {e}", e) from e

    def read(self) -> dict[TopicPartition, int]:
        """Return what is there. Raises KafkaStorageException.

        :origin: kafka.server.checkpoints.OffsetCheckpointFile#read
        """
        try:
            return read_offset_checkpoint(self._file)
        except OSError as e:
            raise KafkaStorageException(
                f"Error while reading checkpoint file {os.path.abspath(self._file)}: {e}", e) from e
