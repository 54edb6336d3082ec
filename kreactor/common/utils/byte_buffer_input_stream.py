# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.ByteBufferInputStream of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A stream that reads a buffer."""

from __future__ import annotations

from kreactor.jdk.io_streams import InputStream
from kreactor.jdk.nio_buffer import ByteBuffer


class ByteBufferInputStream(InputStream):
    """Reads the bytes between position and limit of a buffer, and advances its position.

    :origin: common.utils.ByteBufferInputStream
    """

    __slots__ = ("_buffer",)

    def __init__(self, buffer: ByteBuffer) -> None:
        """Read ``buffer`` itself, not a copy.

        :origin: common.utils.ByteBufferInputStream#ByteBufferInputStream(ByteBuffer)
        """
        self._buffer = buffer

    def read(self) -> int:
        """:origin: common.utils.ByteBufferInputStream#read()"""
        buffer = self._buffer
        if not buffer.has_remaining():
            return -1
        return buffer.get() & 0xFF

    def read_into(self, target: memoryview) -> int:
        """:origin: common.utils.ByteBufferInputStream#read(byte[], int, int)"""
        length = len(target)
        if length == 0:
            return 0
        buffer = self._buffer
        if not buffer.has_remaining():
            return -1
        length = min(length, buffer.remaining())
        target[:length] = buffer.get_bytes(length)
        return length

    def read_n_bytes(self, count: int) -> bytes:
        """Return ``count`` bytes, or fewer at the end, with one copy."""
        return bytes(self._buffer.get_bytes(max(0, min(count, self._buffer.remaining()))))

    def available(self) -> int:
        """:origin: common.utils.ByteBufferInputStream#available()"""
        return self._buffer.remaining()
