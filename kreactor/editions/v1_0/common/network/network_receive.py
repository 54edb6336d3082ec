# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.NetworkReceive of Apache Kafka 1.0.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A message that is being read: 4 bytes with its size, then the payload of this size.

Since this release the payload is allocated from a memory pool (KIP-72). An exhausted pool refuses. The size
is known then and is kept, so the next ``read_from`` asks the pool again.
"""

from __future__ import annotations

from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.network.invalid_receive_exception import InvalidReceiveException
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.exceptions import EOFException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import ScatteringByteChannel

log = LogContext().logger(f"{__name__}.NetworkReceive")

_EMPTY_BUFFER = ByteBuffer.allocate(0)


class NetworkReceive:
    """Reads one size-delimited message. Owned by the channel's network thread.

    :origin: 1.0.2 common.network.NetworkReceive
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
        """``max_size`` is the maximum payload in bytes; ``buffer`` is an existing payload.

        :origin: 1.0.2 common.network.NetworkReceive#NetworkReceive(String, ByteBuffer)
        :origin: 1.0.2 common.network.NetworkReceive#NetworkReceive(String)
        :origin: 1.0.2 common.network.NetworkReceive#NetworkReceive(int, String)
        :origin: 1.0.2 common.network.NetworkReceive#NetworkReceive(int, String, MemoryPool)
        :origin: 1.0.2 common.network.NetworkReceive#NetworkReceive()
        """
        self._source = source
        self._size = ByteBuffer.allocate(4)
        self._buffer = buffer
        self._max_size = max_size
        self._memory_pool = memory_pool
        self._requested_buffer_size = -1

    def source(self) -> str:
        """Return the id of the channel that sends the bytes.

        :origin: 1.0.2 common.network.NetworkReceive#source()
        """
        return self._source

    def complete(self) -> bool:
        """Return whether every byte has been read.

        :origin: 1.0.2 common.network.NetworkReceive#complete()
        """
        return (not self._size.has_remaining()
                and self._buffer is not None and not self._buffer.has_remaining())

    def read_from(self, channel: ScatteringByteChannel) -> int:
        """Continue to read; return the number of bytes read.

        Raises InvalidReceiveException for a negative size or one above the maximum, EOFException if the
        stream has ended, OSError.

        :origin: 1.0.2 common.network.NetworkReceive#readFrom(ScatteringByteChannel)
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
                self._requested_buffer_size = receive_size
                if receive_size == 0:  # a SASL token may be empty
                    self._buffer = _EMPTY_BUFFER
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
        """Return whether the size has been read.

        :origin: 1.0.2 common.network.NetworkReceive#requiredMemoryAmountKnown()
        """
        return self._requested_buffer_size != -1

    def memory_allocated(self) -> bool:
        """Return whether the payload has its memory.

        :origin: 1.0.2 common.network.NetworkReceive#memoryAllocated()
        """
        return self._buffer is not None

    def close(self) -> None:
        """Return the memory to the pool. A second call does nothing.

        :origin: 1.0.2 common.network.NetworkReceive#close()
        """
        if self._buffer is not None and self._buffer is not _EMPTY_BUFFER:
            self._memory_pool.release(self._buffer)
            self._buffer = None

    def payload(self) -> ByteBuffer:
        """Return the payload, which must be allocated.

        :origin: 1.0.2 common.network.NetworkReceive#payload()
        """
        assert self._buffer is not None
        return self._buffer
