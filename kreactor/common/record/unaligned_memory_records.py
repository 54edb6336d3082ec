# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.UnalignedMemoryRecords of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A buffer of log bytes that may begin or end within a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.record.unaligned_records import UnalignedRecords
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer

if TYPE_CHECKING:
    from kreactor.common.network.transferable_channel import TransferableChannel


class UnalignedMemoryRecords(UnalignedRecords):
    """The bytes between position and limit of a buffer.

    :origin: common.record.UnalignedMemoryRecords
    """

    __slots__ = ("_buffer",)

    def __init__(self, buffer: ByteBuffer) -> None:
        """Keep ``buffer``. No code may change its position afterwards.

        :origin: common.record.UnalignedMemoryRecords#UnalignedMemoryRecords(ByteBuffer)
        """
        self._buffer = buffer

    def buffer(self) -> ByteBuffer:
        """Return a duplicate of the buffer: shared bytes, own position.

        :origin: common.record.UnalignedMemoryRecords#buffer()
        """
        return self._buffer.duplicate()

    def size_in_bytes(self) -> int:
        """:origin: common.record.UnalignedMemoryRecords#sizeInBytes()"""
        return self._buffer.remaining()

    def write_to(self, channel: TransferableChannel, position: int, length: int) -> int:
        """Write a range to ``channel``. Raises IllegalArgumentException for a range past the buffer's end.

        :origin: common.record.UnalignedMemoryRecords#writeTo(TransferableChannel, int, int)
        """
        if position + length > self._buffer.limit():
            raise IllegalArgumentException(
                "position+length should not be greater than buffer.limit(), position: "
                f"{position}, length: {length}, buffer.limit(): {self._buffer.limit()}")
        return Utils.try_write_to(channel, position, length, self._buffer)
