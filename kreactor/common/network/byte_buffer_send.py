# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.ByteBufferSend of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A send of buffers, gathered into one system call as far as the kernel takes them.

Copies per byte: none in Python; the kernel's own on the way to its send buffer.
"""

from __future__ import annotations

from kreactor.common.network.send import Send
from kreactor.common.network.transferable_channel import TransferableChannel
from kreactor.jdk.exceptions import EOFException
from kreactor.jdk.nio_buffer import ByteBuffer


class ByteBufferSend(Send):
    """Sends what lies between position and limit of each buffer, in order.

    :origin: common.network.ByteBufferSend
    """

    __slots__ = ("_size", "_buffers", "_remaining", "_pending")

    def __init__(self, *buffers: ByteBuffer, size: int | None = None) -> None:
        """Own ``buffers``; ``size`` is what they hold in all, counted if it is not given.

        :origin: common.network.ByteBufferSend#ByteBufferSend(ByteBuffer...)
        :origin: common.network.ByteBufferSend#ByteBufferSend(ByteBuffer[], long)
        """
        self._buffers = buffers
        if size is None:
            size = 0
            for buffer in buffers:
                size += buffer.remaining()
        self._size = size
        self._remaining = size
        self._pending = False

    def completed(self) -> bool:
        """:origin: common.network.ByteBufferSend#completed()"""
        return self._remaining <= 0 and not self._pending

    def size(self) -> int:
        """:origin: common.network.ByteBufferSend#size()"""
        return self._size

    def write_to(self, channel: TransferableChannel) -> int:
        """:origin: common.network.ByteBufferSend#writeTo(TransferableChannel)"""
        buffers = self._buffers
        written = channel.write(buffers[0]) if len(buffers) == 1 else channel.write_buffers(buffers)
        if written < 0:
            raise EOFException("Wrote negative bytes to channel. This shouldn't happen.")
        self._remaining -= written
        self._pending = channel.has_pending_writes()
        return written

    def remaining(self) -> int:
        """Return the bytes that the channel has not taken yet.

        :origin: common.network.ByteBufferSend#remaining()
        """
        return self._remaining

    def __str__(self) -> str:
        """:origin: common.network.ByteBufferSend#toString()"""
        return f"ByteBufferSend(, size={self._size}, remaining={self._remaining}, pending={self._pending})"

    @staticmethod
    def size_prefixed(buffer: ByteBuffer) -> ByteBufferSend:
        """Return a send of ``buffer`` with its size in 4 bytes before it, as every message goes.

        :origin: common.network.ByteBufferSend#sizePrefixed(ByteBuffer)
        """
        size_buffer = ByteBuffer.allocate(4)
        size_buffer.put_int_at(0, buffer.remaining())
        return ByteBufferSend(size_buffer, buffer)
