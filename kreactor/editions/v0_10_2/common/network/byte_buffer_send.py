# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.ByteBufferSend of Apache Kafka 0.10.2.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A send of buffers to a channel."""

from __future__ import annotations

from kreactor.common.network.transferable_channel import TransferableChannel
from kreactor.editions.v0_10_2.common.network.send import Send
from kreactor.jdk.exceptions import EOFException
from kreactor.jdk.nio_buffer import ByteBuffer


class ByteBufferSend(Send):
    """Sends the bytes between position and limit of each buffer, in order.

    :origin: 0.10.2.2 common.network.ByteBufferSend
    """

    __slots__ = ("_destination", "_size", "_buffers", "_remaining", "_pending")

    def __init__(self, destination: str, *buffers: ByteBuffer) -> None:
        """Own ``buffers``.

        :origin: 0.10.2.2 common.network.ByteBufferSend#ByteBufferSend(String, ByteBuffer...)
        """
        self._destination = destination
        self._buffers = buffers
        self._remaining = 0
        self._pending = False
        for buffer in buffers:
            self._remaining += buffer.remaining()
        self._size = self._remaining

    def destination(self) -> str:
        """:origin: 0.10.2.2 common.network.ByteBufferSend#destination()"""
        return self._destination

    def completed(self) -> bool:
        """:origin: 0.10.2.2 common.network.ByteBufferSend#completed()"""
        return self._remaining <= 0 and not self._pending

    def size(self) -> int:
        """:origin: 0.10.2.2 common.network.ByteBufferSend#size()"""
        return self._size

    def write_to(self, channel: TransferableChannel) -> int:
        """:origin: 0.10.2.2 common.network.ByteBufferSend#writeTo(GatheringByteChannel)"""
        written = channel.write_buffers(self._buffers)
        if written < 0:
            raise EOFException("Wrote negative bytes to channel. This shouldn't happen.")
        self._remaining -= written
        self._pending = channel.has_pending_writes()
        return written
