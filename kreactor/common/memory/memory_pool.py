# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.memory.MemoryPool of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Memory pools for requests, which can limit the memory. No thread ever waits for memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from typing import ClassVar

from kreactor.jdk.nio_buffer import MAPPED, ByteBuffer, MappedMemory

_LONG_MAX_VALUE = 2**63 - 1

# The sizes of reused memory. Smaller blocks are fast to allocate. Larger ones are rare and expensive to keep.
_SMALLEST_SPARE = 8 << 10
_LARGEST_SPARE = 1 << 20
_SPARES = 16


class MemoryPool(ABC):
    """A source of buffers. Used by any thread. The caller that gets a buffer must release it.

    :origin: common.memory.MemoryPool
    """

    __slots__ = ()

    NONE: ClassVar[MemoryPool]

    @abstractmethod
    def try_allocate(self, size_bytes: int) -> ByteBuffer | None:
        """Return a buffer of exactly ``size_bytes``, or None if the pool has no memory now.

        :origin: common.memory.MemoryPool#tryAllocate(int)
        """

    @abstractmethod
    def release(self, previously_allocated: ByteBuffer) -> None:
        """Take back a buffer of ``try_allocate``.

        :origin: common.memory.MemoryPool#release(ByteBuffer)
        """

    @abstractmethod
    def size(self) -> int:
        """Return the size of the pool in bytes.

        :origin: common.memory.MemoryPool#size()
        """

    @abstractmethod
    def available_memory(self) -> int:
        """Return the available bytes, below 0 if the pool allocated more than its size.

        :origin: common.memory.MemoryPool#availableMemory()
        """

    @abstractmethod
    def is_out_of_memory(self) -> bool:
        """Return whether no byte is available.

        :origin: common.memory.MemoryPool#isOutOfMemory()
        """


class _Memory(bytearray):
    """Memory created by the pool. The pool reuses only this class and MappedMemory."""

    __slots__ = ()

    def is_viewed(self) -> bool:
        """Return whether a view of the memory may exist."""
        if not _VIEWS_ARE_KNOWN:  # pragma: no cover: on PyPy alone
            return True
        try:
            # CPython cannot resize a bytearray while a view of it exists.
            self.append(self.pop())
            return False
        except BufferError:
            return True


def _views_are_known() -> bool:
    """Return whether the interpreter tracks views of a bytearray: CPython does, PyPy does not."""
    memory = bytearray(1)
    with memoryview(memory):
        try:
            memory.append(0)
            return False
        except BufferError:
            return True


_VIEWS_ARE_KNOWN = _views_are_known()


class _NoMemoryPool(MemoryPool):
    """A pool without a limit.

    DEVIATION D146: the pool reuses some released memory. In Python, new memory comes from the kernel page by
    page and returns to it, while the JVM keeps its memory. The pool does not reuse a block with a view,
    because the view's owner may still read it.

    :origin: common.memory.MemoryPool#NONE
    """

    __slots__ = ("_spares",)

    def __init__(self) -> None:
        # Any thread appends and pops with one atomic operation. The thread that pops a block owns it.
        self._spares: deque[_Memory | MappedMemory] = deque()

    def try_allocate(self, size_bytes: int) -> ByteBuffer:
        """Return a buffer with undefined content.

        :origin: common.memory.MemoryPool.NONE#tryAllocate(int)
        """
        if not _SMALLEST_SPARE <= size_bytes <= _LARGEST_SPARE:
            return ByteBuffer.allocate(size_bytes)
        memory = self._spare_memory(size_bytes)
        if memory is None:
            memory = _Memory(size_bytes) if size_bytes < MAPPED else MappedMemory.of(size_bytes)
        return ByteBuffer(memoryview(memory)[:size_bytes], 0, size_bytes)

    def _spare_memory(self, size_bytes: int) -> _Memory | MappedMemory | None:
        """Return memory of at least that size without views. Drops all other blocks it finds."""
        spares = self._spares
        try:
            while True:
                memory = spares.pop()
                if len(memory) >= size_bytes and not memory.is_viewed():
                    return memory
        except IndexError:
            return None

    def release(self, previously_allocated: ByteBuffer) -> None:
        """Keep the memory unless enough blocks are kept.

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
