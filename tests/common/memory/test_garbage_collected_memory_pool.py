# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import gc
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import pytest

from kreactor.common.memory.garbage_collected_memory_pool import GarbageCollectedMemoryPool
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.reference_queue import ReferenceQueue
from tests.stepping import held_up_by


@contextmanager
def new_pool(size_bytes: int, max_single: int, strict: bool) -> Iterator[GarbageCollectedMemoryPool]:
    with closing(GarbageCollectedMemoryPool(size_bytes, max_single, strict, None)) as pool:
        yield pool


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for what another thread or the collector does."""
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        gc.collect()
        time.sleep(0.001)


def test_zero_size() -> None:
    with pytest.raises(IllegalArgumentException):
        GarbageCollectedMemoryPool(0, 7, True, None)


def test_negative_size() -> None:
    with pytest.raises(IllegalArgumentException):
        GarbageCollectedMemoryPool(-1, 7, False, None)


def test_zero_max_allocation() -> None:
    with pytest.raises(IllegalArgumentException):
        GarbageCollectedMemoryPool(100, 0, True, None)


def test_negative_max_allocation() -> None:
    with pytest.raises(IllegalArgumentException):
        GarbageCollectedMemoryPool(100, -1, False, None)


def test_max_allocation_larger_than_size() -> None:
    with pytest.raises(IllegalArgumentException):
        GarbageCollectedMemoryPool(100, 101, True, None)


def test_allocation_over_max_allocation() -> None:
    with new_pool(1000, 10, False) as pool, pytest.raises(IllegalArgumentException):
        pool.try_allocate(11)


def test_allocation_zero() -> None:
    with new_pool(1000, 10, True) as pool, pytest.raises(IllegalArgumentException):
        pool.try_allocate(0)


def test_allocation_negative() -> None:
    with new_pool(1000, 10, False) as pool, pytest.raises(IllegalArgumentException):
        pool.try_allocate(-1)


def test_release_null() -> None:
    with new_pool(1000, 10, True) as pool, pytest.raises(IllegalArgumentException):
        pool.release(None)  # type: ignore[arg-type]  # what the test is about


def test_release_foreign_buffer() -> None:
    with new_pool(1000, 10, True) as pool:
        fell_off_a_truck = ByteBuffer.allocate(1)
        with pytest.raises(IllegalArgumentException, match="was never allocated by this pool"):
            pool.release(fell_off_a_truck)
        assert pool.available_memory() == 1000


def test_double_free() -> None:
    with new_pool(1000, 10, False) as pool:
        buffer = pool.try_allocate(5)
        assert buffer is not None
        pool.release(buffer)
        with pytest.raises(IllegalArgumentException):
            pool.release(buffer)
        assert pool.available_memory() == 1000


def test_a_buffer_is_given_back_under_the_lock() -> None:
    with new_pool(1000, 10, False) as pool:
        buffer = pool.try_allocate(5)
        assert buffer is not None
        with held_up_by(pool, "_lock", lambda: pool.release(buffer)) as releasing:
            assert len(pool._buffers_in_flight) == 1
        releasing.result()
        assert not pool._buffers_in_flight


def test_allocation_bound() -> None:
    with new_pool(21, 10, False) as pool:
        buffers = [pool.try_allocate(10) for _ in range(3)]
        assert [buffer and buffer.capacity() for buffer in buffers] == [10, 10, 10]
        assert pool.try_allocate(1) is None
        last = buffers.pop()
        assert last is not None
        pool.release(last)
        again = pool.try_allocate(10)
        assert again is not None and again.capacity() == 10
        assert pool.try_allocate(1) is None


def test_buffers_garbage_collected() -> None:
    size = 1 << 20
    with new_pool(10 * size, size, False) as pool:
        # Eleven fit in at once; each is dropped at once, so that thirty do one after another.
        allocated = 0
        deadline = time.monotonic() + 120
        while allocated < 30 and time.monotonic() < deadline:
            buffer = pool.try_allocate(size)
            if buffer is None:
                gc.collect()
                time.sleep(0.001)
            else:
                allocated += 1
        assert allocated == 30


def test_a_dropped_buffer_is_counted_back_in_and_complained_of(caplog: pytest.LogCaptureFixture) -> None:
    with new_pool(1000, 10, False) as pool, caplog.at_level(logging.ERROR):
        kept = pool.try_allocate(7)
        dropped = pool.try_allocate(5)
        assert kept is not None and dropped is not None
        assert pool.available_memory() == 988
        assert str(pool) == "GarbageCollectedMemoryPool{12 B/1000 B used in 2 buffers}"
        del dropped
        wait_until(lambda: pool.available_memory() == 993)
        wait_until(lambda: "a buffer of 5 bytes" in caplog.text)
        pool.release(kept)
        assert pool.available_memory() == 1000
        assert "a buffer of 7 bytes" not in caplog.text
        assert str(pool) == "GarbageCollectedMemoryPool{0.0/1000 B used in 0 buffers}"


def test_a_released_buffer_is_not_taken_for_dropped() -> None:
    with new_pool(1000, 10, False) as pool:
        for _ in range(1000):
            buffer = pool.try_allocate(5)
            assert buffer is not None
            pool.release(buffer)
            del buffer
        dropped = pool.try_allocate(5)
        del dropped
        wait_until(lambda: pool.available_memory() == 1000)


def test_a_dropped_buffer_does_not_get_in_the_way_of_one_with_its_identity() -> None:
    # A new object often gets the memory, and with it the identity, of one that is just gone.
    with new_pool(1 << 20, 10, False) as pool:
        for _ in range(1000):
            buffer = pool.try_allocate(5)
            assert buffer is not None
            del buffer
        wait_until(lambda: pool.available_memory() == 1 << 20)


def test_buffers_dropped_while_every_lock_is_held() -> None:
    # Their callbacks run at the ``del``, on this thread, which holds the pool's lock.
    with new_pool(1000, 10, False) as pool:
        buffers = [pool.try_allocate(5) for _ in range(20)]
        with pool._lock, logging._lock:  # type: ignore[attr-defined]  # the lock of all of logging
            del buffers
            gc.collect()
            assert pool.available_memory() == 900
        wait_until(lambda: pool.available_memory() == 1000)


def test_a_finalizer_that_releases_while_the_pool_is_locked() -> None:
    class Holder:
        def __init__(self, pool: GarbageCollectedMemoryPool) -> None:
            self.pool = pool
            self.buffer = pool.try_allocate(5)

        def __del__(self) -> None:
            assert self.buffer is not None
            self.pool.release(self.buffer)

    with new_pool(1000, 10, False) as pool:
        holder = Holder(pool)
        # The buffer outlives its holder: PyPy and Java clear weak references before they finalize.
        buffer = holder.buffer
        assert buffer is not None and pool.available_memory() == 995
        with pool._lock:
            del holder
            gc.collect()
        wait_until(lambda: pool.available_memory() == 1000)


def test_threads_that_allocate_release_and_drop() -> None:
    with new_pool(1 << 20, 64, False) as pool:
        def work() -> None:
            for i in range(500):
                buffer = pool.try_allocate(1 + i % 64)
                assert buffer is not None
                if i % 2:
                    pool.release(buffer)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        wait_until(lambda: pool.available_memory() == 1 << 20)


def test_buffers_that_the_collector_finds_in_the_middle_of_anything() -> None:
    # With the collector at work at every allocation, callbacks run inside callbacks, the queue's and the
    # pool's methods.
    # PyPy has no thresholds: there, some rounds collect.
    has_thresholds = hasattr(gc, "set_threshold")
    thresholds = gc.get_threshold() if has_thresholds else ()
    with new_pool(1 << 20, 64, False) as pool:
        def work() -> None:
            for number in range(300):
                cycle: list[object] = [pool.try_allocate(8)]
                cycle.append(cycle)
                if not has_thresholds and number % 30 == 0:
                    gc.collect()

        threads = [threading.Thread(target=work, daemon=True) for _ in range(3)]
        if has_thresholds:
            gc.set_threshold(1, 1, 1)
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(120)
        finally:
            if has_thresholds:
                gc.set_threshold(*thresholds)
        assert not any(thread.is_alive() for thread in threads)
        gc.collect()
        wait_until(lambda: pool.available_memory() == 1 << 20)


def test_what_the_collector_calls_is_made_to_be_re_entered() -> None:
    # A lock of Python's would be held by the very thread that the collector interrupts, now and then.
    with new_pool(1000, 10, False) as pool:
        buffer = pool.try_allocate(5)
        (ref,) = pool._buffers_in_flight
        assert buffer is not None and ref() is buffer
        assert ref.__callback__ == pool._garbage_collected_buffers.enqueue
        assert type(pool._garbage_collected_buffers) is ReferenceQueue


def test_close_ends_the_thread() -> None:
    with new_pool(1000, 10, False) as pool:
        thread = pool._gc_listener_thread
        assert thread.is_alive() and thread.daemon
    thread.join(120)
    assert not thread.is_alive()


def test_a_buffer_that_is_released_and_then_collected_counts_once(caplog: pytest.LogCaptureFixture) -> None:
    """A weak reference may outlive the release, and its buffer is then found by the listener, too."""
    with new_pool(1000, 10, False) as pool:
        buffer = pool.try_allocate(5)
        assert buffer is not None
        outlives, = pool._buffers_in_flight
        pool.release(buffer)
        del buffer
        # The listener takes the references in their order: by this buffer's end it has seen the other.
        dropped = pool.try_allocate(7)
        assert dropped is not None and pool.available_memory() == 993
        del dropped
        wait_until(lambda: pool.available_memory() != 993)
        assert pool.available_memory() == 1000 and outlives() is None
    assert [record.getMessage() for record in caplog.records if "was dropped" in record.getMessage()
            and "buffer of 5 bytes" in record.getMessage()] == []


def test_a_buffer_is_handed_out_once() -> None:
    with new_pool(1000, 10, False) as pool:
        buffer = pool.try_allocate(5)
        assert buffer is not None
        with pytest.raises(IllegalStateException, match="already registered as in use"):
            pool._buffer_to_be_returned(buffer)


def test_a_buffer_comes_back_as_large_as_it_was() -> None:
    with new_pool(1000, 10, False) as pool:
        buffer = pool.try_allocate(5)
        assert buffer is not None
        metadata, = pool._buffers_in_flight.values()
        metadata._size_bytes = 6
        with pytest.raises(IllegalStateException, match="has capacity 5 but recorded as 6"):
            pool.release(buffer)


def test_references_are_equal_as_long_as_their_buffer_is_one() -> None:
    reference = GarbageCollectedMemoryPool.BufferReference
    buffer, like_it = ByteBuffer.allocate(5), ByteBuffer.allocate(5)
    one, same, other = reference(buffer, None), reference(buffer, None), reference(like_it, None)
    # By ==, as a dict asks: a weak reference has a != of its own.
    assert one == same and hash(one) == hash(same)
    assert not one == other and not one == buffer and not one == hash(one)
    of_one = hash(one)
    del buffer
    wait_until(lambda: one() is None)
    assert one == one and not one == same and hash(one) == of_one
