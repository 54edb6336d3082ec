# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The pool that bounds the bytes of requests, and the one that does not."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable

import pytest

from kreactor.common.memory.memory_pool import MemoryPool, _NoMemoryPool
from kreactor.common.memory.simple_memory_pool import SimpleMemoryPool
from kreactor.jdk.clock import NanoClock
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer, MappedMemory
from tests.stepping import Background, held_up_by


class FakeSensor:
    def __init__(self) -> None:
        self.recorded: list[float] = []

    def record(self, value: float) -> None:
        self.recorded.append(value)


def test_strict_gives_only_what_there_is() -> None:
    pool = SimpleMemoryPool(20, 10, True, None)
    first, second = pool.try_allocate(10), pool.try_allocate(7)
    assert first is not None and second is not None
    assert pool.available_memory() == 3
    assert pool.try_allocate(4) is None
    assert not pool.is_out_of_memory()
    third = pool.try_allocate(3)
    assert third is not None
    assert pool.is_out_of_memory()
    for buffer in (first, second, third):
        pool.release(buffer)
    assert pool.available_memory() == pool.size() == 20


def test_otherwise_one_byte_is_enough_for_all() -> None:
    pool = SimpleMemoryPool(11, 10, False, None)
    first, second = pool.try_allocate(10), pool.try_allocate(10)
    assert first is not None and second is not None
    assert pool.available_memory() == -9
    assert pool.is_out_of_memory()
    assert pool.try_allocate(1) is None
    pool.release(first)
    assert pool.available_memory() == 1
    assert str(pool) == "SimpleMemoryPool{10 B/11 B used}"


@pytest.mark.parametrize(("size", "single"), [(0, 1), (1, 0), (1, 2), (-1, -1)])
def test_impossible_sizes(size: int, single: int) -> None:
    with pytest.raises(IllegalArgumentException) as caught:
        SimpleMemoryPool(size, single, False, None)
    assert str(caught.value) == ("must provide a positive size and max single allocation size smaller than "
                                 f"size.provided {size} and {single} respectively")


def test_impossible_requests() -> None:
    pool = SimpleMemoryPool(20, 10, True, None)
    with pytest.raises(IllegalArgumentException, match="^requested size 0<=0$"):
        pool.try_allocate(0)
    with pytest.raises(IllegalArgumentException,
                       match="^requested size 11 is larger than maxSingleAllocationSize 10$"):
        pool.try_allocate(11)


def test_the_sensor_is_told_how_long_there_was_none(monkeypatch: pytest.MonkeyPatch) -> None:
    now_ns = 5_000_000
    monkeypatch.setattr(NanoClock, "nanoseconds", lambda: now_ns)
    sensor = FakeSensor()
    pool = SimpleMemoryPool(10, 10, True, sensor)  # type: ignore[arg-type]  # all that it is asked for
    buffer = pool.try_allocate(10)
    assert buffer is not None
    assert pool.try_allocate(1) is None
    now_ns += 2_500_000
    assert pool.try_allocate(1) is None
    now_ns += 1_000_000
    assert sensor.recorded == []
    pool.release(buffer)
    assert sensor.recorded == [3.5]
    assert pool.try_allocate(1) is not None
    assert sensor.recorded == [3.5]


def test_threads_together_never_get_more_than_there_is() -> None:
    pool = SimpleMemoryPool(10, 1, True, None)
    barrier = threading.Barrier(4)
    failures: list[str] = []

    def work() -> None:
        barrier.wait()
        for _ in range(2000):
            buffer = pool.try_allocate(1)
            if buffer is not None:
                if pool.available_memory() < 0:
                    failures.append("overdrawn")
                pool.release(buffer)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert pool.available_memory() == 10


def test_memory_is_counted_back_under_the_lock() -> None:
    def is_locked() -> bool:
        if pool._lock.acquire(blocking=False):
            pool._lock.release()
            return False
        return True

    class Watched:
        def capacity(self) -> int:
            locked.append(Background(is_locked).result())
            return 3

    pool = SimpleMemoryPool(10, 10, True, None)
    locked: list[bool] = []
    pool.release(Watched())  # type: ignore[arg-type]  # all that it is asked for
    # Asked for a log line too, before.
    assert locked[-1]
    assert pool.available_memory() == 13


def test_memory_is_counted_out_under_the_lock() -> None:
    pool = SimpleMemoryPool(10, 10, True, None)
    with held_up_by(pool, "_lock", lambda: pool.try_allocate(4)) as allocating:
        assert pool.available_memory() == 10
        pool._available_memory = 3
    assert allocating.result() is None


def test_a_finalizer_that_releases_while_the_pool_is_locked() -> None:
    class Holder:
        def __init__(self) -> None:
            self.buffer = pool.try_allocate(5)
            self.cycle = self

        def __del__(self) -> None:
            assert self.buffer is not None
            pool.release(self.buffer)

    pool = SimpleMemoryPool(10, 10, True, None)
    Holder()
    assert pool.available_memory() == 5
    with pool._lock:
        gc.collect()
    assert pool.available_memory() == 10


def test_none_always_has_memory() -> None:
    pool = MemoryPool.NONE
    buffer = pool.try_allocate(1 << 16)
    assert buffer is not None and buffer.capacity() == 1 << 16
    assert buffer.remaining() == 1 << 16
    pool.release(buffer)
    assert pool.size() == pool.available_memory() == 2**63 - 1
    assert not pool.is_out_of_memory()
    assert str(pool) == "NONE"


@pytest.mark.skipif(sys.implementation.name == "pypy", reason=(
    "PyPy does not tell whether memory is in view, and the pool gives none of it out again there"))
def test_none_gives_memory_out_again_that_nobody_can_see() -> None:
    pool = _NoMemoryPool()
    buffer = pool.try_allocate(60_000)
    buffer.put(b"old")
    memory = buffer._memory.obj
    pool.release(buffer)
    del buffer
    again = pool.try_allocate(50_000)
    assert again._memory.obj is memory
    assert (again.capacity(), again.position(), again.limit()) == (50_000, 0, 50_000)
    pool.release(again)
    del again
    whole = pool.try_allocate(60_000)
    assert whole._memory.obj is memory and whole.capacity() == 60_000


@pytest.mark.parametrize("view", [
    lambda buffer: buffer, lambda buffer: buffer.duplicate(), lambda buffer: buffer.slice(),
    lambda buffer: buffer.view()[7:8]])
def test_none_keeps_off_memory_that_somebody_can_see(view: Callable[[ByteBuffer], object]) -> None:
    pool = _NoMemoryPool()
    buffer = pool.try_allocate(60_000)
    memory, kept = buffer._memory.obj, view(buffer)
    pool.release(buffer)
    pool.release(buffer)  # which nobody should do
    del buffer
    others = [pool.try_allocate(60_000) for _ in range(3)]
    assert all(other._memory.obj is not memory for other in others)
    assert len({id(other._memory.obj) for other in others}) == 3
    del kept


def test_none_gives_out_no_memory_but_its_own_nor_too_little_of_it() -> None:
    pool = _NoMemoryPool()
    foreign = bytearray(60_000)
    for released in (ByteBuffer.wrap(foreign), ByteBuffer.wrap(bytes(60_000)), ByteBuffer.allocate(60_000)):
        pool.release(released)
    del released
    small = pool.try_allocate(10_000)
    pool.release(small)
    memory = small._memory.obj
    del small
    buffer = pool.try_allocate(60_000)
    assert buffer._memory.obj is not memory and buffer._memory.obj is not foreign
    assert buffer.capacity() == 60_000


def test_none_uses_a_mapping_again_once_nobody_views_it() -> None:
    pool = _NoMemoryPool()
    buffer = pool.try_allocate(900_000)
    memory = buffer._memory.obj
    assert isinstance(memory, MappedMemory)
    assert memory.is_viewed()
    view = buffer._memory[:10]
    pool.release(buffer)
    del buffer
    other = pool.try_allocate(900_000)
    assert other._memory.obj is not memory, "there is a view of it"
    pool.release(other)
    memory = other._memory.obj
    del other, view
    # Where the interpreter does not tell of views, nothing is used again.
    is_free = not memory.is_viewed()
    assert is_free or sys.implementation.name != "cpython"
    assert (pool.try_allocate(900_000)._memory.obj is memory) is is_free


def test_none_keeps_nothing_above_a_mebibyte() -> None:
    pool = _NoMemoryPool()
    pool.release(pool.try_allocate((1 << 20) + 1))
    assert not pool._spares
    pool.release(pool.try_allocate(1 << 20))
    assert len(pool._spares) == 1


def test_none_keeps_no_more_than_a_little() -> None:
    pool = _NoMemoryPool()
    buffers = [pool.try_allocate(60_000) for _ in range(100)]
    for buffer in [*buffers, pool.try_allocate(1), pool.try_allocate(4 << 20)]:
        pool.release(buffer)
    assert len(pool._spares) == 16
