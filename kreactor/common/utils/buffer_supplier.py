# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.BufferSupplier of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Suppliers of buffers for decompression, which reuse the buffers for the next batch.

A buffer for LZ4 has 64 KB. Zeroing a new one for every small batch would cost more than reading the batch.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from types import TracebackType
from typing import ClassVar

from kreactor.jdk.nio_buffer import ByteBuffer


class BufferSupplier(ABC):
    """Supplies and reuses buffers. Used by one thread at a time.

    :origin: common.utils.BufferSupplier
    """

    __slots__ = ()

    NO_CACHING: ClassVar[BufferSupplier]

    @staticmethod
    def create() -> BufferSupplier:
        """Return a supplier that keeps every released buffer.

        :origin: common.utils.BufferSupplier#create()
        """
        return BufferSupplier.DefaultSupplier()

    @abstractmethod
    def get(self, capacity: int) -> ByteBuffer:
        """Return a buffer of ``capacity`` bytes with undefined content.

        :origin: common.utils.BufferSupplier#get(int)
        """

    @abstractmethod
    def release(self, buffer: ByteBuffer) -> None:
        """Take back a buffer of ``get``. The caller must not use the buffer afterwards.

        :origin: common.utils.BufferSupplier#release(ByteBuffer)
        """

    @abstractmethod
    def close(self) -> None:
        """Release all kept buffers.

        :origin: common.utils.BufferSupplier#close()
        """

    def __enter__(self) -> BufferSupplier:
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 traceback: TracebackType | None) -> None:
        self.close()

    DefaultSupplier: ClassVar[type[_DefaultSupplier]]
    GrowableBufferSupplier: ClassVar[type[_GrowableBufferSupplier]]


class _NoCaching(BufferSupplier):
    """Allocates a new buffer for every call, so any thread may use it."""

    __slots__ = ()

    def get(self, capacity: int) -> ByteBuffer:
        return ByteBuffer.allocate(capacity)

    def release(self, buffer: ByteBuffer) -> None:
        pass

    def close(self) -> None:
        pass


# In Python a nested class cannot derive from its enclosing class. The two nested classes are therefore
# defined here and assigned to names in BufferSupplier.
class _DefaultSupplier(BufferSupplier):
    """Keeps released buffers by their capacity.

    :origin: common.utils.BufferSupplier.DefaultSupplier
    """

    __slots__ = ("_buffer_map",)

    def __init__(self) -> None:
        self._buffer_map: dict[int, deque[ByteBuffer]] = {}

    def get(self, capacity: int) -> ByteBuffer:
        """:origin: common.utils.BufferSupplier.DefaultSupplier#get(int)"""
        buffer_queue = self._buffer_map.get(capacity)
        if not buffer_queue:
            return ByteBuffer.allocate(capacity)
        return buffer_queue.popleft()

    def release(self, buffer: ByteBuffer) -> None:
        """:origin: common.utils.BufferSupplier.DefaultSupplier#release(ByteBuffer)"""
        buffer.clear()
        self._buffer_map.setdefault(buffer.capacity(), deque()).append(buffer)

    def close(self) -> None:
        """:origin: common.utils.BufferSupplier.DefaultSupplier#close()"""
        self._buffer_map.clear()


class _GrowableBufferSupplier(BufferSupplier):
    """Keeps the latest buffer, and returns it for every request that fits in it.

    :origin: common.utils.BufferSupplier.GrowableBufferSupplier
    """

    __slots__ = ("_cached_buffer",)

    def __init__(self) -> None:
        self._cached_buffer: ByteBuffer | None = None

    def get(self, capacity: int) -> ByteBuffer:
        """Return a buffer of ``capacity`` bytes or more.

        :origin: common.utils.BufferSupplier.GrowableBufferSupplier#get(int)
        """
        cached, self._cached_buffer = self._cached_buffer, None
        if cached is not None and cached.capacity() >= capacity:
            return cached
        return ByteBuffer.allocate(capacity)

    def release(self, buffer: ByteBuffer) -> None:
        """:origin: common.utils.BufferSupplier.GrowableBufferSupplier#release(ByteBuffer)"""
        buffer.clear()
        self._cached_buffer = buffer

    def close(self) -> None:
        """:origin: common.utils.BufferSupplier.GrowableBufferSupplier#close()"""
        self._cached_buffer = None


BufferSupplier.NO_CACHING = _NoCaching()
BufferSupplier.DefaultSupplier = _DefaultSupplier
BufferSupplier.GrowableBufferSupplier = _GrowableBufferSupplier
