# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The order of the threads that wait for a producer's memory, and what becomes of what one has reserved."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial

import pytest

from kreactor.clients.producer.buffer_exhausted_exception import BufferExhaustedException
from kreactor.clients.producer.internals.buffer_pool import BufferPool
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.utils.time import Time
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.stepping import Background, wait_until

LONG_MS = 120_000


@pytest.fixture
def metrics() -> Iterator[Metrics]:
    with Metrics() as metrics:
        yield metrics


def test_fifty_threads_get_memory_in_the_order_they_came(metrics: Metrics) -> None:
    pool = BufferPool(64, 16, metrics, Time.SYSTEM, "g")
    held = pool.allocate(64, 0)
    served: list[int] = []

    def take(number: int) -> None:
        buffer = pool.allocate(64 if number % 3 else 16, LONG_MS)
        served.append(number)
        pool.deallocate(buffer)

    threads = []
    for number in range(50):
        threads.append(Background(partial(take, number)))
        wait_until(lambda: pool.queued() == number + 1)
    pool.deallocate(held)
    for thread in threads:
        thread.result()
    # Each that wants all memory has it after those before it gave theirs back.
    assert served == list(range(50))
    assert pool.available_memory() == 64


def test_one_that_needs_much_is_not_overtaken(metrics: Metrics) -> None:
    pool = BufferPool(4, 1, metrics, Time.SYSTEM, "g")
    held = [pool.allocate(1, 0) for _ in range(4)]
    large = Background(lambda: pool.allocate(3, LONG_MS))
    wait_until(lambda: pool.queued() == 1)
    small = Background(lambda: pool.allocate(1, LONG_MS))
    wait_until(lambda: pool.queued() == 2)
    for _ in range(2):
        pool.deallocate(held.pop())
        # The first thread has reserved it.
        wait_until(lambda: pool.available_memory() == 0)
        assert not small.is_done()
    pool.deallocate(held.pop())
    assert large.result().capacity() == 3
    assert not small.is_done()
    pool.deallocate(held.pop())
    assert small.result().capacity() == 1


def test_what_a_thread_reserved_in_part_goes_to_the_next_when_its_time_is_up(metrics: Metrics) -> None:
    pool = BufferPool(4, 1, metrics, Time.SYSTEM, "g")
    held = [pool.allocate(1, 0) for _ in range(4)]
    first = Background(lambda: pool.allocate(4, 500))
    wait_until(lambda: pool.queued() == 1)
    pool.deallocate(held.pop())
    second = Background(lambda: pool.allocate(1, LONG_MS))
    with pytest.raises(BufferExhaustedException):
        first.result()
    assert second.result().capacity() == 1
    assert pool.queued() == 0
    assert pool.available_memory() == 0


def test_memory_that_cannot_be_had_goes_to_the_next_thread(metrics: Metrics) -> None:
    class Pool(BufferPool):
        failing = threading.Event()

        def _allocate_byte_buffer(self, size: int) -> ByteBuffer:
            if size == 4:
                assert self.failing.wait(120)
                raise MemoryError
            return super()._allocate_byte_buffer(size)

    pool = Pool(4, 1, metrics, Time.SYSTEM, "g")
    failing = Background(lambda: pool.allocate(4, 0))
    wait_until(lambda: pool.unallocated_memory() == 0)
    waiting = Background(lambda: pool.allocate(2, LONG_MS))
    wait_until(lambda: pool.queued() == 1)
    pool.failing.set()
    with pytest.raises(MemoryError):
        failing.result()
    assert waiting.result().capacity() == 2
    assert pool.available_memory() == 2
