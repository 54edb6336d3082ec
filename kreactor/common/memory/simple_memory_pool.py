# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.memory.SimpleMemoryPool of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A pool that counts allocated bytes and refuses more than its size. Python's allocator provides the memory.

A buffer that is dropped without a release stays counted forever. GarbageCollectedMemoryPool finds such leaks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.utils import Utils
from kreactor.jdk.clock import Clock
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.locks import ReentrantLock
from kreactor.jdk.nio_buffer import ByteBuffer

if TYPE_CHECKING:
    from kreactor.common.metrics.sensor import Sensor


class SimpleMemoryPool(MemoryPool):
    """A limit on the allocated bytes. Used by any thread.

    A strict pool never allocates more than its size. A pool that is not strict allocates while one byte is
    available, so that the largest request can use a nearly empty pool. It then exceeds its size by at most
    ``max_single_allocation_bytes``.

    The lock guards ``_available_memory`` and ``_start_of_no_mem_period``. The lock is reentrant, because the
    garbage collector may run a finalizer that releases a buffer on the thread that holds the lock.

    :origin: common.memory.SimpleMemoryPool
    """

    __slots__ = ("_log", "_size_bytes", "_strict", "_lock", "_available_memory",
                 "_max_single_allocation_size", "_start_of_no_mem_period", "_oom_time_sensor")

    def __init__(self, size_in_bytes: int, max_single_allocation_bytes: int, strict: bool,
                 oom_period_sensor: Sensor | None) -> None:
        """``oom_period_sensor`` records the length of each period without memory, in milliseconds.

        Raises IllegalArgumentException for sizes below 1, or for a maximum allocation above the pool's size.

        :origin: common.memory.SimpleMemoryPool#SimpleMemoryPool(long, int, boolean, Sensor)
        """
        if (size_in_bytes <= 0 or max_single_allocation_bytes <= 0
                or max_single_allocation_bytes > size_in_bytes):
            raise IllegalArgumentException(
                "must provide a positive size and max single allocation size smaller than size."
                f"provided {size_in_bytes} and {max_single_allocation_bytes} respectively")
        self._log = LogContext().logger(type(self))
        self._size_bytes = size_in_bytes
        self._strict = strict
        self._lock = ReentrantLock()
        self._available_memory = size_in_bytes
        self._max_single_allocation_size = max_single_allocation_bytes
        self._start_of_no_mem_period = 0  # in nanoseconds; 0 while memory is available
        self._oom_time_sensor = oom_period_sensor

    def try_allocate(self, size_bytes: int) -> ByteBuffer | None:
        """Return a buffer or None. Raises IllegalArgumentException for a size that the pool never allocates.

        :origin: common.memory.SimpleMemoryPool#tryAllocate(int)
        """
        if size_bytes < 1:
            raise IllegalArgumentException(f"requested size {size_bytes}<=0")
        if size_bytes > self._max_single_allocation_size:
            raise IllegalArgumentException(
                f"requested size {size_bytes} is larger than maxSingleAllocationSize "
                f"{self._max_single_allocation_size}")

        threshold = size_bytes if self._strict else 1
        with self._lock:
            success = self._available_memory >= threshold
            if success:
                self._available_memory -= size_bytes

        if success:
            self._maybe_record_end_of_dry_spell()
        else:
            if self._oom_time_sensor is not None:
                with self._lock:
                    if self._start_of_no_mem_period == 0:
                        self._start_of_no_mem_period = Clock.nanoseconds()
            self._log.trace("no memory for a buffer of %s bytes", size_bytes)
            return None

        allocated = ByteBuffer.allocate(size_bytes)
        self._buffer_to_be_returned(allocated)
        return allocated

    def release(self, previously_allocated: ByteBuffer) -> None:
        """Add the buffer's size to the available bytes.

        :origin: common.memory.SimpleMemoryPool#release(ByteBuffer)
        """
        if previously_allocated is None:
            raise IllegalArgumentException("provided null buffer")

        self._buffer_to_be_released(previously_allocated)
        with self._lock:
            self._available_memory += previously_allocated.capacity()
        self._maybe_record_end_of_dry_spell()

    def size(self) -> int:
        """Return the size of the pool in bytes.

        :origin: common.memory.SimpleMemoryPool#size()
        """
        return self._size_bytes

    def available_memory(self) -> int:
        """Return the available bytes, below 0 if a pool that is not strict exceeded its size.

        :origin: common.memory.SimpleMemoryPool#availableMemory()
        """
        return self._available_memory

    def is_out_of_memory(self) -> bool:
        """Return whether no byte is available.

        :origin: common.memory.SimpleMemoryPool#isOutOfMemory()
        """
        return self._available_memory <= 0

    def _buffer_to_be_returned(self, just_allocated: ByteBuffer) -> None:
        """Called before the caller gets the buffer. Subclasses override this.

        :origin: common.memory.SimpleMemoryPool#bufferToBeReturned(ByteBuffer)
        """
        self._log.trace("allocated a buffer of %s bytes", just_allocated.capacity())

    def _buffer_to_be_released(self, just_released: ByteBuffer) -> None:
        """Called before the memory counts as available. Subclasses override this and may raise.

        :origin: common.memory.SimpleMemoryPool#bufferToBeReleased(ByteBuffer)
        """
        self._log.trace("released a buffer of %s bytes", just_released.capacity())

    def __str__(self) -> str:
        """Return the used bytes and the size.

        :origin: common.memory.SimpleMemoryPool#toString()
        """
        allocated = self._size_bytes - self._available_memory
        return (f"SimpleMemoryPool{{{Utils.format_bytes(allocated)}/{Utils.format_bytes(self._size_bytes)} "
                "used}")

    def _maybe_record_end_of_dry_spell(self) -> None:
        """Record the length of the period without memory, if one ends.

        :origin: common.memory.SimpleMemoryPool#maybeRecordEndOfDrySpell()
        """
        if self._oom_time_sensor is not None:
            with self._lock:
                start_of_dry_spell, self._start_of_no_mem_period = self._start_of_no_mem_period, 0
            if start_of_dry_spell != 0:
                self._oom_time_sensor.record((Clock.nanoseconds() - start_of_dry_spell) / 1000000.0)
