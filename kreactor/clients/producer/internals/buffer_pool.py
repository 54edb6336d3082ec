# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.BufferPool of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The bounded memory of a producer; waiting threads get memory in the order of their arrival.

One lock guards all state. Each waiting thread has its own condition on that lock, in the order of arrival.
Freed memory is offered to the first thread, which keeps each part until it has enough. So threads that need
little do not overtake a thread that needs much.

Invariant: ``_non_pooled_available_memory``, the buffers in ``_free``, the allocated buffers and the
reservations of waiting threads add up to ``_total_memory``. A ``finally`` returns a reservation, even if a
signal raises KeyboardInterrupt: Python runs signal handlers at calls and at the ends of loops, and no such
place is between the two halves of a transfer. The lock is reentrant for the same reason: a Condition
reacquires an RLock in one step that no signal interrupts, but could leave ``wait`` without a plain Lock.
"""

from __future__ import annotations

from collections import deque

from kreactor.clients.producer.buffer_exhausted_exception import BufferExhaustedException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.stats.meter import Meter
from kreactor.common.utils.time import Time
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.locks import Condition, ReentrantLock
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.threads import TIMEOUT_MAX
from kreactor.jdk.time_unit import TimeUnit


class BufferPool:
    """A pool of buffers for batches. Called by any thread. Buffers of the poolable size are kept and reused.

    :origin: clients.producer.internals.BufferPool
    """

    WAIT_TIME_SENSOR_NAME = "bufferpool-wait-time"

    def __init__(self, memory: int, poolable_size: int, metrics: Metrics, time: Time,
                 metric_grp_name: str) -> None:
        """Allocate at most ``memory`` bytes in total, and keep free buffers of ``poolable_size`` bytes.

        :origin: clients.producer.internals.BufferPool#BufferPool(long, int, Metrics, Time, String)
        """
        self._poolable_size = poolable_size
        self._lock = ReentrantLock()
        self._free: deque[ByteBuffer] = deque()
        self._waiters: deque[Condition] = deque()
        self._total_memory = memory
        self._non_pooled_available_memory = memory
        self._metrics = metrics
        self._time = time
        self._wait_time = self._metrics.sensor(self.WAIT_TIME_SENSOR_NAME)
        rate_metric_name = metrics.metric_name(
            "bufferpool-wait-ratio", metric_grp_name,
            "The fraction of time an appender waits for space allocation.")
        total_metric_name = metrics.metric_name(
            "bufferpool-wait-time-total", metric_grp_name,
            "*Deprecated* The total time an appender waits for space allocation.")
        total_ns_metric_name = metrics.metric_name(
            "bufferpool-wait-time-ns-total", metric_grp_name,
            "The total time in nanoseconds an appender waits for space allocation.")

        buffer_exhausted_record_sensor = metrics.sensor("buffer-exhausted-records")
        buffer_exhausted_rate_metric_name = metrics.metric_name(
            "buffer-exhausted-rate", metric_grp_name,
            "The average per-second number of record sends that are dropped due to buffer exhaustion")
        buffer_exhausted_total_metric_name = metrics.metric_name(
            "buffer-exhausted-total", metric_grp_name,
            "The total number of record sends that are dropped due to buffer exhaustion")
        buffer_exhausted_record_sensor.add(
            Meter(buffer_exhausted_rate_metric_name, buffer_exhausted_total_metric_name))

        self._wait_time.add(Meter(rate_metric_name, total_metric_name, unit=TimeUnit.NANOSECONDS))
        self._wait_time.add(Meter(rate_metric_name, total_ns_metric_name, unit=TimeUnit.NANOSECONDS))
        self._closed = False

    def allocate(self, size: int, max_time_to_block_ms: int) -> ByteBuffer:
        """Return a buffer of ``size`` bytes; wait for memory for at most ``max_time_to_block_ms``.

        Raises IllegalArgumentException if ``size`` exceeds the pool, BufferExhaustedException after the
        time-out, KafkaException if the pool is closed, and MemoryError.

        :origin: clients.producer.internals.BufferPool#allocate(int, long)
        """
        if size > self._total_memory:
            raise IllegalArgumentException(
                f"Attempt to allocate {size} bytes, but there is a hard limit of {self._total_memory} on "
                "memory allocations.")

        buffer: ByteBuffer | None = None
        # The bytes that are returned to the pool if anything is raised from here on; see D323 below.
        reserved = 0
        try:
            with self._lock:
                if self._closed:
                    raise KafkaException("Producer closed while allocating memory")

                try:
                    if size == self._poolable_size and self._free:
                        # DEVIATION D323: in two steps, because a signal can come at the end of a popleft.
                        buffer = self._free[0]
                        del self._free[0]
                        return buffer

                    # The allocation succeeds at once, from unallocated memory and, if necessary, from kept
                    # buffers.
                    free_list_size = self._free_size() * self._poolable_size
                    if self._non_pooled_available_memory + free_list_size >= size:
                        self._free_up(size)
                        self._non_pooled_available_memory -= size
                        reserved = size
                    else:
                        accumulated = 0
                        more_memory = Condition(self._lock)
                        try:
                            remaining_time_to_block_ns = TimeUnit.MILLISECONDS.to_nanos(max_time_to_block_ms)
                            self._waiters.append(more_memory)
                            while buffer is None and accumulated < size:
                                start_wait_ns = self._time.nanoseconds()
                                try:
                                    waiting_time_elapsed = not more_memory.wait(max(
                                        0.0, min(remaining_time_to_block_ns / 1e9, TIMEOUT_MAX)))
                                finally:
                                    end_wait_ns = self._time.nanoseconds()
                                    time_ns = max(0, end_wait_ns - start_wait_ns)
                                    self._record_wait_time(time_ns)

                                if self._closed:
                                    raise KafkaException("Producer closed while allocating memory")

                                if waiting_time_elapsed:
                                    self._metrics.sensor("buffer-exhausted-records").record()
                                    raise BufferExhaustedException(
                                        f"Failed to allocate {size} bytes within the configured max "
                                        f"blocking time {max_time_to_block_ms} ms. Total memory: "
                                        f"{self.total_memory()} bytes. Available memory: "
                                        f"{self.available_memory()} bytes. Poolable size: "
                                        f"{self.poolable_size()} bytes")

                                remaining_time_to_block_ns -= time_ns

                                if accumulated == 0 and size == self._poolable_size and self._free:
                                    buffer = self._free[0]
                                    del self._free[0]
                                else:
                                    # Often this is only a part of the needed memory; the rest comes later.
                                    self._free_up(size - accumulated)
                                    got = min(size - accumulated, self._non_pooled_available_memory)
                                    self._non_pooled_available_memory -= got
                                    accumulated += got
                            # Nothing is returned to the pool below.
                            reserved = accumulated
                            accumulated = 0
                        finally:
                            self._non_pooled_available_memory += accumulated
                            if more_memory in self._waiters:
                                self._waiters.remove(more_memory)
                finally:
                    # The next thread gets the memory that this thread has left, or for which it was signalled
                    # without taking it.
                    if not (self._non_pooled_available_memory == 0 and not self._free) and self._waiters:
                        self._waiters[0].notify()

            if buffer is None:
                buffer = self._safe_allocate_byte_buffer(size)
            return buffer
        except BaseException:
            # DEVIATION D323: Ctrl-C can arrive at the release of the lock, or before the buffer is made.
            if buffer is not None:
                self.deallocate_size(buffer, size)
            elif reserved:
                self._give_back(reserved)
            raise

    def _record_wait_time(self, time_ns: int) -> None:
        """Record the wait in the sensor. Tests override this method.

        :origin: clients.producer.internals.BufferPool#recordWaitTime(long)
        """
        self._wait_time.record(time_ns, self._time.milliseconds())

    def _safe_allocate_byte_buffer(self, size: int) -> ByteBuffer:
        """Return a new buffer. On a failure ``allocate`` returns the reserved memory.

        :origin: clients.producer.internals.BufferPool#safeAllocateByteBuffer(int)
        """
        # DEVIATION D323: the caller returns the memory that the origin returns here.
        return self._allocate_byte_buffer(size)

    def _give_back(self, size: int) -> None:
        """Return ``size`` bytes for which no buffer was made, and signal the next thread."""
        with self._lock:
            self._non_pooled_available_memory += size
            if self._waiters:
                self._waiters[0].notify()

    def _allocate_byte_buffer(self, size: int) -> ByteBuffer:
        """Return a new buffer. Tests override this method.

        :origin: clients.producer.internals.BufferPool#allocateByteBuffer(int)
        """
        return ByteBuffer.allocate(size)

    def _free_up(self, size: int) -> None:
        """Drop kept buffers until ``size`` bytes are unallocated, or none is kept. The caller has the lock.

        :origin: clients.producer.internals.BufferPool#freeUp(int)
        """
        while self._free and self._non_pooled_available_memory < size:
            self._non_pooled_available_memory += self._free.pop().capacity()

    def deallocate_size(self, buffer: ByteBuffer, size: int) -> None:
        """Take back a buffer that counts as ``size`` bytes, which is less than its capacity if it grew in
        use.

        :origin: clients.producer.internals.BufferPool#deallocate(ByteBuffer, int)
        """
        with self._lock:
            if size == self._poolable_size and size == buffer.capacity():
                buffer.clear()
                self._free.append(buffer)
            else:
                self._non_pooled_available_memory += size
            if self._waiters:
                self._waiters[0].notify()

    def deallocate(self, buffer: ByteBuffer | None) -> None:
        """Take back a buffer; does nothing for None.

        :origin: clients.producer.internals.BufferPool#deallocate(ByteBuffer)
        """
        if buffer is not None:
            self.deallocate_size(buffer, buffer.capacity())

    def available_memory(self) -> int:
        """Return the bytes that are unallocated or in kept buffers.

        :origin: clients.producer.internals.BufferPool#availableMemory()
        """
        with self._lock:
            return self._non_pooled_available_memory + self._free_size() * self._poolable_size

    def _free_size(self) -> int:
        """Return the number of kept buffers. Tests override this method.

        :origin: clients.producer.internals.BufferPool#freeSize()
        """
        return len(self._free)

    def unallocated_memory(self) -> int:
        """Return the bytes that are neither in allocated nor in kept buffers.

        :origin: clients.producer.internals.BufferPool#unallocatedMemory()
        """
        with self._lock:
            return self._non_pooled_available_memory

    def queued(self) -> int:
        """Return the number of threads that wait.

        :origin: clients.producer.internals.BufferPool#queued()
        """
        with self._lock:
            return len(self._waiters)

    def poolable_size(self) -> int:
        """Return the size of kept buffers, in bytes.

        :origin: clients.producer.internals.BufferPool#poolableSize()
        """
        return self._poolable_size

    def total_memory(self) -> int:
        """Return the size of the pool in bytes.

        :origin: clients.producer.internals.BufferPool#totalMemory()
        """
        return self._total_memory

    def _the_waiters(self) -> deque[Condition]:
        """Return the conditions of the threads that wait, for tests.

        :origin: clients.producer.internals.BufferPool#waiters()
        """
        return self._waiters

    def close(self) -> None:
        """Refuse further allocations, and let waiting threads fail. Buffers can still be returned.

        :origin: clients.producer.internals.BufferPool#close()
        """
        with self._lock:
            self._closed = True
            for waiter in self._waiters:
                waiter.notify()
