# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.BufferSupplier of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Where decompression gets its buffers, and leaves them for the next batch.

A buffer for LZ4 is 64 KB; to zero one for every small batch would cost more than to read the batch.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from types import TracebackType
from typing import ClassVar

from kreactor.jdk.nio_buffer import ByteBuffer


class BufferSupplier(ABC):
    """Used by one thread at a time.

    :origin: common.utils.BufferSupplier
    """

    __slots__ = ()

    NO_CACHING: ClassVar[BufferSupplier]

    @staticmethod
    def create() -> BufferSupplier:
        """Return a supplier that keeps every buffer it gets back.

        :origin: common.utils.BufferSupplier#create()
        """
        return BufferSupplier.DefaultSupplier()

    @abstractmethod
    def get(self, capacity: int) -> ByteBuffer:
        """Return a buffer of ``capacity`` bytes, with anything in it.

        :origin: common.utils.BufferSupplier#get(int)
        """

    @abstractmethod
    def release(self, buffer: ByteBuffer) -> None:
        """Take a buffer of ``get`` back. Nobody may use it any more.

        :origin: common.utils.BufferSupplier#release(ByteBuffer)
        """

    @abstractmethod
    def close(self) -> None:
        """Let go of what is kept.

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
    """Makes every buffer anew, and is therefore safe for use by any thread."""

    __slots__ = ()

    def get(self, capacity: int) -> ByteBuffer:
        return ByteBuffer.allocate(capacity)

    def release(self, buffer: ByteBuffer) -> None:
        pass

    def close(self) -> None:
        pass


# A class body of Python cannot derive from the class that it stands in: the two nested classes stand
# here, and are known by their names in BufferSupplier.
class _DefaultSupplier(BufferSupplier):
    """Keeps buffers by their capacity.

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
    """Keeps one buffer, the latest, and gives it for everything that fits in it.

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
