# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The timer on the clock of the system, and the wheel below it on a clock of the test."""

from __future__ import annotations

import heapq
import threading
from typing import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.common.utils.time import Time
from kreactor.jdk.atomic import AtomicInteger
from kreactor.jdk.concurrent import CountDownLatch
from kreactor.jdk.delay_queue import DelayQueue
from kreactor.server.util.timer.system_timer import SystemTimer
from kreactor.server.util.timer.timer_task import TimerTask
from kreactor.server.util.timer.timer_task_entry import TimerTaskEntry
from kreactor.server.util.timer.timer_task_list import TimerTaskList
from kreactor.server.util.timer.timing_wheel import TimingWheel


class Task(TimerTask):
    def __init__(self, delay_ms: int, id: int, latch: CountDownLatch, output: list[int]) -> None:
        super().__init__(delay_ms)
        self.id = id
        self.latch = latch
        self.output = output
        self.completed = threading.Lock()

    def run(self) -> None:
        if self.completed.acquire(blocking=False):
            self.output.append(self.id)
            self.latch.count_down()


@pytest.fixture
def timer() -> Iterator[SystemTimer]:
    timer = SystemTimer("test", 1, 3, Time.SYSTEM.hi_res_clock_ms())
    yield timer
    timer.close()
    assert timer.is_terminated()


def test_already_expired_task(timer: SystemTimer) -> None:
    output: list[int] = []
    latches = []
    for i in range(-5, 0):
        latch = CountDownLatch(1)
        timer.add(Task(i, i, latch, output))
        latches.append(latch)
    timer.advance_clock(0)
    for latch in latches:
        assert latch.await_timeout(3_000)
    assert set(output) == {-5, -4, -3, -2, -1}


def test_task_expiration(timer: SystemTimer) -> None:
    output: list[int] = []
    tasks: list[Task] = []
    ids: list[int] = []
    latches: list[CountDownLatch] = []
    for i in range(5):
        latches.append(CountDownLatch(1))
        tasks.append(Task(i, i, latches[-1], output))
        ids.append(i)
    for i in range(10, 100):
        latches.append(CountDownLatch(2))
        tasks += [Task(i, i, latches[-1], output), Task(i, i, latches[-1], output)]
        ids += [i, i]
    for i in range(100, 500):
        latches.append(CountDownLatch(1))
        tasks.append(Task(i, i, latches[-1], output))
        ids.append(i)
    for task in tasks:
        timer.add(task)
    while timer.advance_clock(2000):
        pass
    for latch in latches:
        latch.await_()
    assert sorted(output) == ids
    assert timer.size() == 0


def test_a_cancelled_task_does_not_run(timer: SystemTimer) -> None:
    output: list[int] = []
    cancelled, kept = CountDownLatch(1), CountDownLatch(1)
    task = Task(20, 1, cancelled, output)
    timer.add(task)
    timer.add(Task(25, 2, kept, output))
    assert timer.size() == 2
    task.cancel()
    assert timer.size() == 1
    while not kept.await_timeout(0):
        timer.advance_clock(1000)
    assert output == [2]


class Recorded(TimerTask):
    def run(self) -> None:
        raise AssertionError("the wheel runs nothing")


class Wheel:
    """A wheel whose clock moves only as the test says."""

    def __init__(self, tick_ms: int, wheel_size: int, start_ms: int) -> None:
        self.counter = AtomicInteger(0)
        self.queue: DelayQueue[TimerTaskList] = DelayQueue()
        self.wheel = TimingWheel(tick_ms, wheel_size, start_ms, self.counter, self.queue)
        self.expired: list[tuple[int, int]] = []

    def add(self, expiration_ms: int) -> TimerTask:
        task = Recorded(0)
        self.reinsert(TimerTaskEntry(task, expiration_ms), 0)
        return task

    def reinsert(self, entry: TimerTaskEntry, now_ms: int) -> None:
        if not self.wheel.add(entry):
            if not entry.cancelled():
                self.expired.append((now_ms, entry._expiration_ms))

    def run(self) -> None:
        # Past the queue's own clock: what it holds is due when the test says so.
        while self.queue._heap:
            bucket = heapq.heappop(self.queue._heap)
            now_ms = bucket.get_expiration()
            self.wheel.advance_clock(now_ms)
            bucket.flush(lambda entry: self.reinsert(entry, now_ms))


@given(st.integers(1, 20), st.integers(2, 20), st.integers(0, 1000), st.lists(st.integers(0, 100_000)),
       st.data())
def test_every_task_expires_within_its_tick(tick_ms: int, wheel_size: int, start_ms: int, delays: list[int],
                                            data: st.DataObject) -> None:
    wheel = Wheel(tick_ms, wheel_size, start_ms)
    tasks = {i: wheel.add(start_ms + delay) for i, delay in enumerate(delays)}
    at_once = len(wheel.expired)
    cancelled = data.draw(st.sets(st.sampled_from(sorted(tasks)))) if tasks else set()
    for i in cancelled:
        tasks[i].cancel()
    waiting = [start_ms + delay for i, delay in enumerate(delays)
               if i not in cancelled and start_ms + delay >= start_ms - start_ms % tick_ms + tick_ms]
    assert wheel.counter.get() == len(waiting)
    wheel.run()
    expired = wheel.expired[at_once:]
    assert sorted(expiration for _, expiration in expired) == sorted(waiting)
    for now_ms, expiration in expired:
        assert now_ms <= expiration < now_ms + tick_ms
    assert [now_ms for now_ms, _ in expired] == sorted(now_ms for now_ms, _ in expired)
    assert wheel.counter.get() == 0


def test_adding_and_cancelling_from_many_threads(timer: SystemTimer) -> None:
    threads_count, per_thread = 4, 200
    output: list[int] = []
    latch = CountDownLatch(threads_count * per_thread // 2)

    def work(offset: int) -> None:
        for i in range(per_thread):
            task = Task(5 + i % 50, offset + i, latch, output)
            if i % 2:
                task._delay_ms = 60_000
            timer.add(task)
            if i % 2:
                task.cancel()

    threads = [threading.Thread(target=work, args=(n * per_thread,)) for n in range(threads_count)]
    for thread in threads:
        thread.start()
    while not latch.await_timeout(0):
        timer.advance_clock(100)
    for thread in threads:
        thread.join()
    assert sorted(output) == list(range(0, threads_count * per_thread, 2))
    assert timer.size() == 0
