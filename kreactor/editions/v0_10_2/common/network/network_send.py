# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.NetworkSend of Apache Kafka 0.10.2.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A message with its size before it."""

from __future__ import annotations

from kreactor.editions.v0_10_2.common.network.byte_buffer_send import ByteBufferSend
from kreactor.jdk.nio_buffer import ByteBuffer


class NetworkSend(ByteBufferSend):
    """Sends 4 bytes with the size of a buffer, then the buffer.

    :origin: 0.10.2.2 common.network.NetworkSend
    """

    __slots__ = ()

    def __init__(self, destination: str, buffer: ByteBuffer) -> None:
        """:origin: 0.10.2.2 common.network.NetworkSend#NetworkSend(String, ByteBuffer)"""
        super().__init__(destination, *self._size_delimit(buffer))

    @staticmethod
    def _size_delimit(buffer: ByteBuffer) -> tuple[ByteBuffer, ...]:
        """:origin: 0.10.2.2 common.network.NetworkSend#sizeDelimit(ByteBuffer)"""
        return NetworkSend._size_buffer(buffer.remaining()), buffer

    @staticmethod
    def _size_buffer(size: int) -> ByteBuffer:
        """:origin: 0.10.2.2 common.network.NetworkSend#sizeBuffer(int)"""
        size_buffer = ByteBuffer.allocate(4)
        size_buffer.put_int(size)
        size_buffer.rewind()
        return size_buffer
