# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The wheel alone, with nobody's clock."""

from __future__ import annotations

from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from kreactor.jdk.atomic import AtomicInteger
from kreactor.jdk.delay_queue import DelayQueue
from kreactor.server.util.timer.timer_task import TimerTask
from kreactor.server.util.timer.timer_task_entry import TimerTaskEntry
from kreactor.server.util.timer.timer_task_list import TimerTaskList
from kreactor.server.util.timer.timing_wheel import TimingWheel


class Task(TimerTask):
    def run(self) -> None:
        pass


class Buckets:
    """The buckets that wait, in place of a queue that would look at the time."""

    def __init__(self) -> None:
        self.waiting: list[TimerTaskList] = []

    def offer(self, bucket: TimerTaskList) -> None:
        assert bucket not in self.waiting, "a bucket is in the queue once"
        self.waiting.append(bucket)

    def take(self) -> TimerTaskList:
        bucket = min(self.waiting, key=TimerTaskList.get_expiration)
        self.waiting.remove(bucket)
        return bucket


def wheel(tick_ms: int, wheel_size: int, start_ms: int,
          buckets: Buckets) -> tuple[TimingWheel, AtomicInteger]:
    counter = AtomicInteger(0)
    queue = cast(DelayQueue[TimerTaskList], buckets)
    return TimingWheel(tick_ms, wheel_size, start_ms, counter, queue), counter


def entry(expiration_ms: int) -> TimerTaskEntry:
    return TimerTaskEntry(Task(0), expiration_ms)


def test_where_a_wheel_ends() -> None:
    buckets = Buckets()
    timing_wheel, _ = wheel(1, 20, 40, buckets)
    assert not timing_wheel.add(entry(40))
    assert timing_wheel.add(entry(41))
    assert timing_wheel.add(entry(59))
    assert timing_wheel._overflow_wheel is None
    assert timing_wheel.add(entry(60))
    assert timing_wheel._overflow_wheel is not None
    assert [bucket.get_expiration() for bucket in buckets.waiting] == [41, 59, 60]
    # As far as the second wheel reaches, and one on.
    assert timing_wheel.add(entry(439))
    assert timing_wheel._overflow_wheel._overflow_wheel is None
    assert timing_wheel.add(entry(440))
    assert timing_wheel._overflow_wheel._overflow_wheel is not None
    assert [bucket.get_expiration() for bucket in buckets.waiting[3:]] == [420, 400]


def test_a_cancelled_entry_is_not_taken() -> None:
    buckets = Buckets()
    timing_wheel, counter = wheel(1, 20, 0, buckets)
    task = Task(0)
    cancelled = TimerTaskEntry(task, 5)
    task.cancel()
    assert not timing_wheel.add(cancelled)
    assert (counter.get(), buckets.waiting) == (0, [])


@given(st.integers(1, 7), st.integers(2, 9), st.integers(0, 1000),
       st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 3)), max_size=30))
def test_every_task_comes_in_its_tick(tick_ms: int, wheel_size: int, start_ms: int,
                                      tasks: list[tuple[int, int]]) -> None:
    buckets = Buckets()
    timing_wheel, counter = wheel(tick_ms, wheel_size, start_ms, buckets)
    clock = start_ms - start_ms % tick_ms
    due: list[tuple[int, int]] = []

    def put(timer_task_entry: TimerTaskEntry) -> None:
        if not timing_wheel.add(timer_task_entry):
            due.append((timer_task_entry._expiration_ms, clock))

    def turn() -> None:
        nonlocal clock
        bucket = buckets.take()
        clock = bucket.get_expiration()
        timing_wheel.advance_clock(clock)
        bucket.flush(put)

    for delay_ms, turns in tasks:
        put(entry(clock + delay_ms))
        for _ in range(turns):
            if buckets.waiting:
                turn()
    while buckets.waiting:
        turn()
    assert counter.get() == 0
    assert len(due) == len(tasks)
    for expiration_ms, at_ms in due:
        assert at_ms == expiration_ms - expiration_ms % tick_ms
