# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.BufferPoolTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The memory of a producer, and the threads that wait for it."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from functools import partial
from unittest.mock import Mock

import pytest

from kreactor.clients.producer.buffer_exhausted_exception import BufferExhaustedException
from kreactor.clients.producer.internals.buffer_pool import BufferPool
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.utils.time import Time
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.testing.mock_time import MockTime
from tests.stepping import Background, interrupt_main_thread, wait_until

MAX_BLOCK_TIME_MS = 10
LONG_MAX_VALUE = 2**63 - 1
METRIC_GROUP = "TestMetrics"
# Longer than a test may take.
LONG_MS = 120_000


@pytest.fixture
def time() -> MockTime:
    return MockTime()


@pytest.fixture
def metrics(time: MockTime) -> Iterator[Metrics]:
    with Metrics(time=time) as metrics:
        yield metrics


def value(metrics: Metrics, name: str) -> float:
    metric = metrics.metric(metrics.metric_name(name, METRIC_GROUP))
    assert metric is not None
    found = metric.metric_value()
    assert isinstance(found, float)
    return found


def test_simple(metrics: Metrics, time: MockTime) -> None:
    total_memory = 64 * 1024
    size = 1024
    pool = BufferPool(total_memory, size, metrics, time, METRIC_GROUP)
    buffer = pool.allocate(size, MAX_BLOCK_TIME_MS)
    assert buffer.limit() == size
    assert pool.unallocated_memory() == total_memory - size
    assert pool.available_memory() == total_memory - size
    buffer.put_int(1)
    buffer.flip()
    pool.deallocate(buffer)
    assert pool.available_memory() == total_memory
    assert pool.unallocated_memory() == total_memory - size
    again = pool.allocate(size, MAX_BLOCK_TIME_MS)
    assert again is buffer
    assert buffer.position() == 0
    assert buffer.limit() == buffer.capacity()
    pool.deallocate(buffer)
    assert pool.available_memory() == total_memory
    assert pool.unallocated_memory() == total_memory - size
    buffer = pool.allocate(2 * size, MAX_BLOCK_TIME_MS)
    pool.deallocate(buffer)
    assert pool.available_memory() == total_memory
    assert pool.unallocated_memory() == total_memory - size


def test_cant_allocate_more_memory_than_we_have(metrics: Metrics, time: MockTime) -> None:
    pool = BufferPool(1024, 512, metrics, time, METRIC_GROUP)
    buffer = pool.allocate(1024, MAX_BLOCK_TIME_MS)
    assert buffer.limit() == 1024
    pool.deallocate(buffer)
    with pytest.raises(IllegalArgumentException, match="Attempt to allocate 1025 bytes"):
        pool.allocate(1025, MAX_BLOCK_TIME_MS)


def test_delayed_allocation(metrics: Metrics, time: MockTime) -> None:
    pool = BufferPool(5 * 1024, 1024, metrics, time, METRIC_GROUP)
    buffer = pool.allocate(1024, MAX_BLOCK_TIME_MS)
    allocation = Background(lambda: pool.allocate(5 * 1024, LONG_MS))
    wait_until(lambda: pool.queued() == 1)
    assert not allocation.is_done()
    pool.deallocate(buffer)
    assert allocation.result().capacity() == 5 * 1024
    assert pool.available_memory() == 0


def test_buffer_exhausted_exception_is_thrown(metrics: Metrics, time: MockTime) -> None:
    pool = BufferPool(2, 1, metrics, time, METRIC_GROUP)
    pool.allocate(1, MAX_BLOCK_TIME_MS)
    with pytest.raises(BufferExhaustedException, match=(
            "Failed to allocate 2 bytes within the configured max blocking time 10 ms. Total memory: 2 "
            "bytes. Available memory: 1 bytes. Poolable size: 1 bytes")):
        pool.allocate(2, MAX_BLOCK_TIME_MS)
    assert value(metrics, "buffer-exhausted-total") == 1


def test_block_timeout(metrics: Metrics) -> None:
    pool = BufferPool(10, 1, metrics, Time.SYSTEM, METRIC_GROUP)
    buffers = [pool.allocate(1, MAX_BLOCK_TIME_MS) for _ in range(3)]

    def deallocate_two() -> None:
        # Whether the other thread has these in time or not, they are not enough.
        wait_until(lambda: pool.queued() == 1 or allocation.is_done())
        for buffer in buffers[:2]:
            pool.deallocate(buffer)

    begin_time_ms = Time.SYSTEM.hi_res_clock_ms()
    allocation = Background(lambda: pool.allocate(10, MAX_BLOCK_TIME_MS))
    deallocate_two()
    with pytest.raises(BufferExhaustedException):
        allocation.result()
    assert pool.available_memory() == 9
    assert Time.SYSTEM.hi_res_clock_ms() - begin_time_ms >= MAX_BLOCK_TIME_MS
    pool.deallocate(buffers[2])
    assert pool.available_memory() == 10
    assert value(metrics, "bufferpool-wait-time-ns-total") >= MAX_BLOCK_TIME_MS * 1_000_000


def test_cleanup_memory_availability_waiter_on_block_timeout(metrics: Metrics, time: MockTime) -> None:
    pool = BufferPool(2, 1, metrics, time, METRIC_GROUP)
    pool.allocate(1, MAX_BLOCK_TIME_MS)
    with pytest.raises(BufferExhaustedException):
        pool.allocate(2, MAX_BLOCK_TIME_MS)
    assert pool.queued() == 0
    assert pool.available_memory() == 1


def test_cleanup_memory_availability_waiter_on_interruption(metrics: Metrics, time: MockTime) -> None:
    pool = BufferPool(4, 1, metrics, time, METRIC_GROUP)
    held = [pool.allocate(1, MAX_BLOCK_TIME_MS) for _ in range(3)]
    conditions: list[threading.Condition] = []

    def interrupt() -> Background:
        # The main thread waits first, and has a part of what it needs; then a second thread waits.
        wait_until(lambda: pool.queued() == 1)
        pool.deallocate(held.pop())
        wait_until(lambda: pool.available_memory() == 0)
        second = Background(lambda: pool.allocate(2, LONG_MS))
        wait_until(lambda: pool.queued() == 2)
        conditions.extend(pool._the_waiters())
        interrupt_main_thread(lambda: conditions[0] in pool._the_waiters())
        return second

    interrupting = Background(interrupt)
    with pytest.raises(KeyboardInterrupt):
        pool.allocate(4, LONG_MS)
    second: Background = interrupting.result()
    # The memory that the first had reserved went to the second.
    assert second.result().capacity() == 2
    assert conditions[0] is not conditions[1]
    assert pool.queued() == 0
    assert pool.available_memory() == 0
    for buffer in held:
        pool.deallocate(buffer)
    assert pool.available_memory() == 2


def test_cleanup_memory_availability_on_metrics_exception(metrics: Metrics, time: MockTime) -> None:
    pool = BufferPool(2, 1, metrics, time, METRIC_GROUP)
    record_wait_time = Mock(side_effect=MemoryError)
    setattr(pool, "_record_wait_time", record_wait_time)

    pool.allocate(1, 0)
    with pytest.raises(MemoryError):
        pool.allocate(2, 1000)
    assert pool.available_memory() == 1
    assert pool.queued() == 0
    assert pool.unallocated_memory() == 1
    assert pool.allocate(1, 0).capacity() == 1

    record_wait_time.assert_called_once()


def test_stressful_situation(metrics: Metrics, time: MockTime) -> None:
    num_threads = 10
    poolable_size = 1024
    total_memory = num_threads // 2 * poolable_size
    pool = BufferPool(total_memory, poolable_size, metrics, time, METRIC_GROUP)

    def hammer(seed: int) -> None:
        numbers = random.Random(seed)
        for _ in range(500):
            size = (pool.poolable_size() if numbers.random() < 0.5
                    else numbers.randrange(pool.total_memory()))
            pool.deallocate(pool.allocate(size, LONG_MS))

    threads = [Background(partial(hammer, seed)) for seed in range(num_threads)]
    for thread in threads:
        thread.result()
    assert pool.available_memory() == total_memory
    assert pool.queued() == 0


def test_large_available_memory(metrics: Metrics, time: MockTime) -> None:
    poolable_size = 2_000_000_000

    class Pool(BufferPool):
        free_size = 0

        def _allocate_byte_buffer(self, size: int) -> ByteBuffer:
            return ByteBuffer.allocate(0)

        def _free_size(self) -> int:
            return self.free_size

    pool = Pool(20_000_000_000, poolable_size, metrics, time, METRIC_GROUP)
    pool.allocate(poolable_size, 0)
    assert pool.available_memory() == 18_000_000_000
    pool.allocate(poolable_size, 0)
    assert pool.available_memory() == 16_000_000_000

    # As if buffers came back.
    pool.free_size += 1
    assert pool.available_memory() == 18_000_000_000
    pool.free_size += 1
    assert pool.available_memory() == 20_000_000_000


def test_out_of_memory_on_allocation(metrics: Metrics, time: MockTime) -> None:
    class Pool(BufferPool):
        def _allocate_byte_buffer(self, size: int) -> ByteBuffer:
            raise MemoryError

    pool = Pool(1024, 1024, metrics, time, METRIC_GROUP)
    with pytest.raises(MemoryError):
        pool.allocate(1024, MAX_BLOCK_TIME_MS)
    assert pool.available_memory() == 1024


def test_close_allocations(metrics: Metrics) -> None:
    pool = BufferPool(10, 1, metrics, Time.SYSTEM, METRIC_GROUP)
    buffer = pool.allocate(1, MAX_BLOCK_TIME_MS)

    pool.close()

    with pytest.raises(KafkaException, match="Producer closed while allocating memory"):
        pool.allocate(1, MAX_BLOCK_TIME_MS)

    pool.deallocate(buffer)
    assert pool.available_memory() == 10


def test_close_notify_waiters(metrics: Metrics) -> None:
    num_workers = 2
    pool = BufferPool(1, 1, metrics, Time.SYSTEM, METRIC_GROUP)
    buffer = pool.allocate(1, LONG_MAX_VALUE)
    workers = [Background(lambda: pool.allocate(1, LONG_MAX_VALUE)) for _ in range(num_workers)]
    wait_until(lambda: pool.queued() == num_workers)

    pool.close()

    for worker in workers:
        with pytest.raises(KafkaException, match="Producer closed while allocating memory"):
            worker.result()
    assert pool.queued() == 0
    pool.deallocate(buffer)
    assert pool.available_memory() == 1


def test_kept_buffers_make_room_for_an_allocation(metrics: Metrics, time: MockTime) -> None:
    """The pool never has more memory in all than its limit."""
    pool = BufferPool(4096, 1024, metrics, time, METRIC_GROUP)
    for buffer in [pool.allocate(1024, MAX_BLOCK_TIME_MS) for _ in range(3)]:
        pool.deallocate(buffer)
    assert (pool.unallocated_memory(), pool.available_memory()) == (1024, 4096)
    for size, unallocated, available in ((1000, 24, 3096), (1000, 48, 2096), (2000, 96, 96)):
        pool.allocate(size, MAX_BLOCK_TIME_MS)
        assert (pool.unallocated_memory(), pool.available_memory()) == (unallocated, available)
