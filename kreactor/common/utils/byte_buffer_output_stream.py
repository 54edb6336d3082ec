# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.ByteBufferOutputStream of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A stream that writes to a growing buffer."""

from __future__ import annotations

from kreactor.jdk.io_streams import OutputStream
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike


class ByteBufferOutputStream(OutputStream):
    """Writes from the position of a buffer on, and switches to a larger buffer when the limit is too low.

    Therefore callers read ``buffer()`` only after the last write, and never keep an earlier result. The first
    buffer, which may come from a pool, is set back to its initial position at the switch.

    :origin: common.utils.ByteBufferOutputStream
    """

    __slots__ = ("_initial_capacity", "_initial_position", "_buffer")

    _REALLOCATION_FACTOR = 1.1

    def __init__(self, buffer: ByteBuffer | int) -> None:
        """Write to ``buffer``. An int creates a new buffer of that many bytes.

        :origin: common.utils.ByteBufferOutputStream#ByteBufferOutputStream(ByteBuffer)
        :origin: common.utils.ByteBufferOutputStream#ByteBufferOutputStream(int)
        :origin: common.utils.ByteBufferOutputStream#ByteBufferOutputStream(int, boolean)
        """
        if isinstance(buffer, int):
            buffer = ByteBuffer.allocate(buffer)
        self._buffer = buffer
        self._initial_position = buffer.position()
        self._initial_capacity = buffer.capacity()

    def write_byte(self, value: int) -> None:
        """:origin: common.utils.ByteBufferOutputStream#write(int)"""
        self.ensure_remaining(1)
        self._buffer.put_byte(value)

    def write(self, data: BytesLike) -> None:
        """:origin: common.utils.ByteBufferOutputStream#write(byte[], int, int)"""
        length = len(data)
        buffer = self._buffer
        position = buffer._position
        end = position + length
        if end > buffer._limit:
            self._expand_buffer(length)
            buffer = self._buffer
        buffer._memory[position:end] = data
        buffer._position = end

    def write_buffer(self, source_buffer: ByteBuffer) -> None:
        """Write the remaining bytes of ``source_buffer``, and advance its position.

        :origin: common.utils.ByteBufferOutputStream#write(ByteBuffer)
        """
        self.ensure_remaining(source_buffer.remaining())
        self._buffer.put(source_buffer)

    def buffer(self) -> ByteBuffer:
        """Return the current buffer.

        :origin: common.utils.ByteBufferOutputStream#buffer()
        """
        return self._buffer

    def position(self) -> int:
        """Return the position of the next byte.

        :origin: common.utils.ByteBufferOutputStream#position()
        """
        return self._buffer.position()

    def remaining(self) -> int:
        """Return the number of bytes that fit in the current buffer.

        :origin: common.utils.ByteBufferOutputStream#remaining()
        """
        return self._buffer.remaining()

    def limit(self) -> int:
        """Return the limit of the current buffer.

        :origin: common.utils.ByteBufferOutputStream#limit()
        """
        return self._buffer.limit()

    def set_position(self, position: int) -> None:
        """Set the position. Skipped bytes keep their previous content.

        :origin: common.utils.ByteBufferOutputStream#position(int)
        """
        self.ensure_remaining(position - self._buffer.position())
        self._buffer.set_position(position)

    def initial_capacity(self) -> int:
        """Return the capacity of the first buffer, which a pool needs to take it back.

        :origin: common.utils.ByteBufferOutputStream#initialCapacity()
        """
        return self._initial_capacity

    def ensure_remaining(self, remaining_bytes_required: int) -> None:
        """Grow the buffer to fit ``remaining_bytes_required`` bytes.

        :origin: common.utils.ByteBufferOutputStream#ensureRemaining(int)
        """
        if remaining_bytes_required > self._buffer.remaining():
            self._expand_buffer(remaining_bytes_required)

    def _expand_buffer(self, remaining_required: int) -> None:
        """Switch to a buffer a tenth larger, or larger if needed.

        Set the old one back to its initial position.

        :origin: common.utils.ByteBufferOutputStream#expandBuffer(int)
        """
        buffer = self._buffer
        expand_size = max(int(buffer.limit() * self._REALLOCATION_FACTOR),
                          buffer.position() + remaining_required)
        temp = ByteBuffer.allocate(expand_size)
        limit = buffer.limit()
        buffer.flip()
        temp.put(buffer)
        buffer.set_limit(limit)
        buffer.set_position(self._initial_position)
        self._buffer = temp
