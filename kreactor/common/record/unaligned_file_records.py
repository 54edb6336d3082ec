# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.UnalignedFileRecords of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A range of a file that may begin or end within a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.record.unaligned_records import UnalignedRecords
from kreactor.jdk.nio_channels import FileChannel

if TYPE_CHECKING:
    from kreactor.common.network.transferable_channel import TransferableChannel


class UnalignedFileRecords(UnalignedRecords):
    """Bytes of a file. The kernel copies them to the socket if the channel supports this.

    :origin: common.record.UnalignedFileRecords
    """

    __slots__ = ("_channel", "_position", "_size")

    def __init__(self, channel: FileChannel, position: int, size: int) -> None:
        """Keep a range of ``size`` bytes from ``position``. The caller still owns the file.

        :origin: common.record.UnalignedFileRecords#UnalignedFileRecords(FileChannel, long, int)
        """
        self._channel = channel
        self._position = position
        self._size = size

    def size_in_bytes(self) -> int:
        """:origin: common.record.UnalignedFileRecords#sizeInBytes()"""
        return self._size

    def write_to(self, channel: TransferableChannel, position: int, length: int) -> int:
        """:origin: common.record.UnalignedFileRecords#writeTo(TransferableChannel, int, int)"""
        count = min(length, self.size_in_bytes() - position)
        return channel.transfer_from(self._channel, self._position + position, count)
