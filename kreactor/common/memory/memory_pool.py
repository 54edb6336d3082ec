# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.memory.MemoryPool of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Where the memory for requests comes from, so that it can be bounded. Nobody ever waits for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from kreactor.jdk.nio_buffer import ByteBuffer

_LONG_MAX_VALUE = 2**63 - 1


class MemoryPool(ABC):
    """A source of buffers, for use by any thread. Whoever is given one must give it back.

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


class _NoMemoryPool(MemoryPool):
    """The pool that always has memory.

    :origin: common.memory.MemoryPool#NONE
    """

    __slots__ = ()

    def try_allocate(self, size_bytes: int) -> ByteBuffer:
        """Return a buffer.

        :origin: common.memory.MemoryPool.NONE#tryAllocate(int)
        """
        return ByteBuffer.allocate(size_bytes)

    def release(self, previously_allocated: ByteBuffer) -> None:
        """Do nothing.

        :origin: common.memory.MemoryPool.NONE#release(ByteBuffer)
        """

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
