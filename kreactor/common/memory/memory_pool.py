# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.memory.MemoryPool of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Where the memory for requests comes from, so that it can be bounded. Nobody ever waits for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from typing import ClassVar

from kreactor.jdk.nio_buffer import MAPPED, ByteBuffer, MappedMemory

_LONG_MAX_VALUE = 2**63 - 1

# The sizes that are used again. Smaller blocks are quick to allocate; larger ones are rare and much to keep.
_SMALLEST_SPARE = 8 << 10
_LARGEST_SPARE = 1 << 20
_SPARES = 16


class MemoryPool(ABC):
    """A source of buffers, for use by any thread. The caller that gets a buffer must release it.

    :origin: common.memory.MemoryPool
    """

    __slots__ = ()

    NONE: ClassVar[MemoryPool]

    @abstractmethod
    def try_allocate(self, size_bytes: int) -> ByteBuffer | None:
        """Return a buffer of exactly ``size_bytes``, or None if there is no memory now.

        :origin: common.memory.MemoryPool#tryAllocate(int)
        """

    @abstractmethod
    def release(self, previously_allocated: ByteBuffer) -> None:
        """Take back a buffer that ``try_allocate`` gave.

        :origin: common.memory.MemoryPool#release(ByteBuffer)
        """

    @abstractmethod
    def size(self) -> int:
        """Return the size of the pool in bytes.

        :origin: common.memory.MemoryPool#size()
        """

    @abstractmethod
    def available_memory(self) -> int:
        """Return the bytes that are left; below 0 if more was given out than there is.

        :origin: common.memory.MemoryPool#availableMemory()
        """

    @abstractmethod
    def is_out_of_memory(self) -> bool:
        """Return whether not even a byte is left.

        :origin: common.memory.MemoryPool#isOutOfMemory()
        """


class _Memory(bytearray):
    """Memory that the pool has made itself: beside mappings, no other is used again."""

    __slots__ = ()

    def is_viewed(self) -> bool:
        """Return whether somebody may have a view of it."""
        if not _VIEWS_ARE_KNOWN:
            return True
        try:
            # CPython refuses to make it shorter while there is a view of it.
            self.append(self.pop())
            return False
        except BufferError:
            return True


def _views_are_known() -> bool:
    """Return whether this interpreter tells of views of a bytearray: CPython does, PyPy does not."""
    memory = bytearray(1)
    with memoryview(memory):
        try:
            memory.append(0)
            return False
        except BufferError:
            return True


_VIEWS_ARE_KNOWN = _views_are_known()


class _NoMemoryPool(MemoryPool):
    """The pool that always has memory.

    DEVIATION D146: some of what is given back is given out again. New memory comes from the kernel page by
    page, and goes back to it, while the JVM keeps what it once had. A block with a view elsewhere is left to
    the view's owner.

    :origin: common.memory.MemoryPool#NONE
    """

    __slots__ = ("_spares",)

    def __init__(self) -> None:
        # Any thread appends and pops, each a single operation; what is popped is that thread's own.
        self._spares: deque[_Memory | MappedMemory] = deque()

    def try_allocate(self, size_bytes: int) -> ByteBuffer:
        """Return a buffer, which may have old bytes in it.

        :origin: common.memory.MemoryPool.NONE#tryAllocate(int)
        """
        if not _SMALLEST_SPARE <= size_bytes <= _LARGEST_SPARE:
            return ByteBuffer.allocate(size_bytes)
        memory = self._spare_memory(size_bytes)
        if memory is None:
            memory = _Memory(size_bytes) if size_bytes < MAPPED else MappedMemory.of(size_bytes)
        return ByteBuffer(memoryview(memory)[:size_bytes], 0, size_bytes)

    def _spare_memory(self, size_bytes: int) -> _Memory | MappedMemory | None:
        """Return memory of at least that size, which nobody looks at any more; drop what is not like that."""
        spares = self._spares
        try:
            while True:
                memory = spares.pop()
                if len(memory) >= size_bytes and not memory.is_viewed():
                    return memory
        except IndexError:
            return None

    def release(self, previously_allocated: ByteBuffer) -> None:
        """Keep the memory, if there is not enough of it yet.

        :origin: common.memory.MemoryPool.NONE#release(ByteBuffer)
        """
        memory = previously_allocated._memory.obj
        if type(memory) is _Memory or type(memory) is MappedMemory and len(memory) <= _LARGEST_SPARE:
            if len(self._spares) < _SPARES:
                self._spares.append(memory)

    def size(self) -> int:
        """Return the largest Java long.

        :origin: common.memory.MemoryPool.NONE#size()
        """
        return _LONG_MAX_VALUE

    def available_memory(self) -> int:
        """Return the largest Java long.

        :origin: common.memory.MemoryPool.NONE#availableMemory()
        """
        return _LONG_MAX_VALUE

    def is_out_of_memory(self) -> bool:
        """Return False.

        :origin: common.memory.MemoryPool.NONE#isOutOfMemory()
        """
        return False

    def __str__(self) -> str:
        """Return ``NONE``.

        :origin: common.memory.MemoryPool.NONE#toString()
        """
        return "NONE"


MemoryPool.NONE = _NoMemoryPool()
