# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.NetworkReceive of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A message being read: its size in 4 bytes, then as many bytes as that says.

The progress has three stages, each of which can stop and be taken up again at the next ``read_from``:

1. *size*: 4 bytes, in as many pieces as they come;
2. *allocation*: the pool may refuse. The size is kept in ``_requested_buffer_size`` and not in the
   buffer it was read into, so a refusal loses nothing: the next call skips stage 1 and asks again;
3. *payload*: received straight into the memory of the pool, no copy.

Invariant: ``_buffer`` is None until stage 2 is passed; ``complete`` means both buffers are full. A
receive owns its memory until ``close``, or until the request made from it takes that over.
"""

from __future__ import annotations

from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.network.invalid_receive_exception import InvalidReceiveException
from kreactor.common.network.receive import Receive
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.exceptions import EOFException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import ScatteringByteChannel
from kreactor.jdk.text import shown_text

log = LogContext().logger(f"{__name__}.NetworkReceive")

EMPTY_BUFFER = ByteBuffer.allocate(0)


class NetworkReceive(Receive):
    """Reads one size-delimited message. Owned by the channel's network thread.

    :origin: common.network.NetworkReceive
    """

    __slots__ = ("_source", "_size", "_max_size", "_memory_pool", "_requested_buffer_size", "_buffer")

    UNKNOWN_SOURCE = ""
    UNLIMITED = -1

    def __init__(
        self,
        max_size: int = UNLIMITED,
        source: str = UNKNOWN_SOURCE,
        memory_pool: MemoryPool = MemoryPool.NONE,
        buffer: ByteBuffer | None = None,
    ) -> None:
        """``max_size`` bounds the payload in bytes; ``buffer`` is a payload that is there already.

        :origin: common.network.NetworkReceive#NetworkReceive(String, ByteBuffer)
        :origin: common.network.NetworkReceive#NetworkReceive(String)
        :origin: common.network.NetworkReceive#NetworkReceive(int, String)
        :origin: common.network.NetworkReceive#NetworkReceive(int, String, MemoryPool)
        :origin: common.network.NetworkReceive#NetworkReceive()
        """
        self._source = source
        self._size = ByteBuffer.allocate(4)
        self._buffer = buffer
        self._max_size = max_size
        self._memory_pool = memory_pool
        self._requested_buffer_size = -1

    def progress(self) -> str:
        """Return the bytes read and the bytes of the message, such as ``12/120``. Called by any thread.

        The size is ``?`` until its four bytes are read. Not in Kafka; for ``repr``.
        """
        buffer, wanted = self._buffer, self._requested_buffer_size
        if buffer is not None:
            return f"{self._size.limit() + buffer.position()}/{self._size.limit() + buffer.limit()}"
        if wanted == -1:
            return f"{self._size.position()}/?"
        return f"{self._size.limit()}/{self._size.limit() + wanted}, without memory"

    def __repr__(self) -> str:
        source = shown_text(self._source) or "?"
        return f"NetworkReceive({source}, {self.progress()})"

    def source(self) -> str:
        """:origin: common.network.NetworkReceive#source()"""
        return self._source

    def complete(self) -> bool:
        """:origin: common.network.NetworkReceive#complete()"""
        return (not self._size.has_remaining()
                and self._buffer is not None and not self._buffer.has_remaining())

    def read_from(self, channel: ScatteringByteChannel) -> int:
        """Read on, from whichever stage is due.

        Raises InvalidReceiveException for a size that is negative or over the maximum, EOFException if
        the stream has ended, OSError.

        :origin: common.network.NetworkReceive#readFrom(ScatteringByteChannel)
        """
        read = 0
        if self._size.has_remaining():
            bytes_read = channel.read(self._size)
            if bytes_read < 0:
                raise EOFException()
            read += bytes_read
            if not self._size.has_remaining():
                self._size.rewind()
                receive_size = self._size.get_int()
                if receive_size < 0:
                    raise InvalidReceiveException(f"Invalid receive (size = {receive_size})")
                if self._max_size != NetworkReceive.UNLIMITED and receive_size > self._max_size:
                    raise InvalidReceiveException(
                        f"Invalid receive (size = {receive_size} larger than {self._max_size})")
                self._requested_buffer_size = receive_size  # 0 is legal here: a SASL token may be empty
                if receive_size == 0:
                    self._buffer = EMPTY_BUFFER
        if self._buffer is None and self._requested_buffer_size != -1:
            self._buffer = self._memory_pool.try_allocate(self._requested_buffer_size)
            if self._buffer is None:
                log.trace("no memory for %d bytes from %s", self._requested_buffer_size, self._source)
        if self._buffer is not None:
            bytes_read = channel.read(self._buffer)
            if bytes_read < 0:
                raise EOFException()
            read += bytes_read
        return read

    def required_memory_amount_known(self) -> bool:
        """:origin: common.network.NetworkReceive#requiredMemoryAmountKnown()"""
        return self._requested_buffer_size != -1

    def memory_allocated(self) -> bool:
        """:origin: common.network.NetworkReceive#memoryAllocated()"""
        return self._buffer is not None

    def close(self) -> None:
        """Give the memory back to the pool. A second call does nothing.

        :origin: common.network.NetworkReceive#close()
        """
        if self._buffer is not None and self._buffer is not EMPTY_BUFFER:
            self._memory_pool.release(self._buffer)
            self._buffer = None

    def payload(self) -> ByteBuffer:
        """Return the message without its size. It must have been allocated.

        :origin: common.network.NetworkReceive#payload()
        """
        assert self._buffer is not None
        return self._buffer

    def bytes_read(self) -> int:
        """Return the bytes read so far, those of the size among them.

        :origin: common.network.NetworkReceive#bytesRead()
        """
        if self._buffer is None:
            return self._size.position()
        return self._buffer.position() + self._size.position()

    def size(self) -> int:
        """Return the bytes of the whole message, size included, as NetworkSend counts them.

        :origin: common.network.NetworkReceive#size()
        """
        return self.payload().limit() + self._size.limit()
