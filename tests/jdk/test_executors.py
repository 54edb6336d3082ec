# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Threads, order, cancellation and the end of the executors."""

from __future__ import annotations

import threading
import time
from typing import Callable, cast

import pytest

from kreactor.jdk.clock import Clock
from kreactor.jdk.concurrent import CountDownLatch
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.executors import (
    FixedThreadPool,
    RejectedExecutionException,
    ScheduledThreadPoolExecutor,
)

NEVER_MS = 24 * 60 * 60 * 1000


class Factory:
    """Makes threads and remembers them."""

    def __init__(self) -> None:
        self.threads: list[threading.Thread] = []

    def __call__(self, runnable: Callable[[], None]) -> threading.Thread:
        thread = threading.Thread(target=runnable, name=f"t{len(self.threads)}", daemon=True)
        self.threads.append(thread)
        return thread


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_a_pool_of_one_runs_tasks_in_order() -> None:
    factory = Factory()
    pool = FixedThreadPool(1, factory)
    assert factory.threads == []
    done: list[int] = []
    for number in range(100):
        pool.submit(lambda n=number: done.append(n))
    pool.shutdown()
    assert pool.await_termination(10_000)
    assert done == list(range(100))
    assert len(factory.threads) == 1
    with pytest.raises(RejectedExecutionException):
        pool.submit(lambda: None)


class Stopped(BaseException):
    pass


def fail(error: type[BaseException]) -> None:
    raise error("of a task")


ERRORS = pytest.mark.parametrize("error", [ZeroDivisionError, SystemExit, Stopped])


@ERRORS
def test_an_exception_ends_its_task_only(caplog: pytest.LogCaptureFixture,
                                         error: type[BaseException]) -> None:
    pool = FixedThreadPool(1, Factory())
    latch = CountDownLatch(1)
    pool.submit(lambda: fail(error))
    pool.submit(latch.count_down)
    assert latch.await_timeout(60_000)
    pool.shutdown()
    assert pool.await_termination(60_000)
    record, = caplog.records
    assert record.exc_info is not None and record.exc_info[0] is error


def test_shutdown_now_drops_what_waits() -> None:
    pool = FixedThreadPool(1, Factory())
    started, release = CountDownLatch(1), CountDownLatch(1)
    done: list[int] = []

    def first() -> None:
        started.count_down()
        release.await_()

    pool.submit(first)
    pool.submit(lambda: done.append(1))
    started.await_()
    pool.shutdown()
    assert not pool.await_termination(1)
    pool.shutdown_now()
    release.count_down()
    assert pool.await_termination(10_000)
    assert pool.is_terminated()
    assert done == []


def test_a_pool_has_at_least_one_thread() -> None:
    with pytest.raises(IllegalArgumentException):
        FixedThreadPool(0, Factory())
    with pytest.raises(IllegalArgumentException):
        ScheduledThreadPoolExecutor(0, Factory())


def test_tasks_run_by_their_time_and_not_by_their_order() -> None:
    executor = ScheduledThreadPoolExecutor(1, Factory())
    done: list[str] = []
    latch = CountDownLatch(3)

    def note(name: str) -> None:
        done.append(name)
        latch.count_down()

    executor.schedule(lambda: note("late"), 1_000)
    executor.schedule(lambda: note("middle"), 500)
    executor.schedule(lambda: note("early"), 0)
    assert latch.await_timeout(10_000)
    assert done == ["early", "middle", "late"]
    executor.shutdown()
    assert executor.await_termination(10_000)


def test_a_new_head_is_not_overslept() -> None:
    executor = ScheduledThreadPoolExecutor(3, Factory())
    for _ in range(3):
        executor.schedule(lambda: None, NEVER_MS)
    latch = CountDownLatch(1)
    executor.schedule(latch.count_down, 0)
    assert latch.await_timeout(10_000)
    executor.shutdown()
    assert executor.await_termination(10_000)


def test_a_task_that_is_due_does_not_wait_for_the_one_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread that takes a task wakes another one, which waits for the next."""
    now_ns = [Clock.nanoseconds()]
    monkeypatch.setattr(Clock, "nanoseconds", lambda: now_ns[0])
    executor = ScheduledThreadPoolExecutor(2, Factory())
    first, second, release = CountDownLatch(1), CountDownLatch(1), CountDownLatch(1)

    def run_first() -> None:
        first.count_down()
        release.await_()

    try:
        executor.schedule(run_first, 10)
        executor.schedule(second.count_down, 11)
        # One of the two sleeps until a task is due, the other one for as long as nobody wakes it.
        wait_until(lambda: len(executor._condition._waiters) == 2)  # type: ignore[attr-defined]
        now_ns[0] += 11_000_000
        assert first.await_timeout(60_000)
        assert second.await_timeout(10_000), "nobody runs the second task"
    finally:
        release.count_down()
        executor.shutdown()
    assert executor.await_termination(60_000)


def test_repetition_until_cancelled() -> None:
    executor = ScheduledThreadPoolExecutor(2, Factory())
    runs = CountDownLatch(5)
    future = executor.schedule_at_fixed_rate(runs.count_down, 0, 1)
    assert runs.await_timeout(10_000)
    assert not future.is_done()
    assert future.cancel()
    assert not future.cancel()
    assert future.is_done() and future.is_cancelled()
    wait_until(lambda: not executor.contains(future))
    executor.shutdown()
    assert executor.await_termination(10_000)


def test_a_late_run_does_not_shift_the_next() -> None:
    executor = ScheduledThreadPoolExecutor(1, Factory())
    future = executor.schedule_at_fixed_rate(lambda: None, 0, NEVER_MS)
    first = future._time_ns
    wait_until(lambda: future._time_ns != first)
    assert future._time_ns == first + NEVER_MS * 1_000_000
    executor.shutdown()
    assert executor.await_termination(10_000)


@ERRORS
@pytest.mark.parametrize("repeated", [False, True])
def test_a_task_that_raises_is_done(caplog: pytest.LogCaptureFixture, error: type[BaseException],
                                    repeated: bool) -> None:
    executor = ScheduledThreadPoolExecutor(1, Factory())
    future = (executor.schedule_at_fixed_rate(lambda: fail(error), 0, 1) if repeated
              else executor.schedule(lambda: fail(error), 0))
    wait_until(future.is_done)
    assert not future.is_cancelled()
    assert isinstance(future.exception(), error)
    # The thread goes on.
    latch = CountDownLatch(1)
    assert executor.schedule(latch.count_down, 0).exception() is None
    assert latch.await_timeout(60_000)
    executor.shutdown()
    assert executor.await_termination(60_000)
    record, = caplog.records
    assert record.exc_info is not None and record.exc_info[1] is future.exception()
    assert ("is not repeated" in record.message) is repeated


def test_a_cancelled_task_leaves_the_queue_at_once() -> None:
    executor = ScheduledThreadPoolExecutor(1, Factory())
    future = executor.schedule(lambda: None, NEVER_MS)
    assert executor.contains(future)
    assert 0 < future.get_delay_ms() <= NEVER_MS
    future.cancel()
    assert not executor.contains(future)
    executor.shutdown()
    assert executor.await_termination(10_000)


def test_what_waits_stays_in_order_without_a_cancelled_task() -> None:
    executor = ScheduledThreadPoolExecutor(1, Factory())
    futures = [executor.schedule(lambda: None, NEVER_MS + later) for later in (1, 10, 2, 11, 12, 3, 4)]
    futures[1].cancel()
    waiting = [future._time_ns for future in executor._heap]
    assert len(waiting) == 6
    assert all(waiting[(index - 1) // 2] <= waiting[index] for index in range(1, 6))
    executor.shutdown()
    assert executor.await_termination(10_000)


def test_shutdown_cancels_what_waits_and_lets_end_what_runs() -> None:
    executor = ScheduledThreadPoolExecutor(1, Factory())
    started, release = CountDownLatch(1), CountDownLatch(1)
    done: list[int] = []

    def running() -> None:
        started.count_down()
        release.await_()
        done.append(1)

    executor.schedule(running, 0)
    waiting = executor.schedule(lambda: done.append(2), NEVER_MS)
    started.await_()
    executor.shutdown()
    assert waiting.is_cancelled()
    assert not executor.is_terminated()
    release.count_down()
    assert executor.await_termination(10_000)
    assert done == [1]
    with pytest.raises(RejectedExecutionException):
        executor.schedule(lambda: None, 0)


def test_resizing_starts_and_ends_threads() -> None:
    factory = Factory()
    executor = ScheduledThreadPoolExecutor(1, factory)
    release = CountDownLatch(1)
    running = CountDownLatch(3)

    def run() -> None:
        running.count_down()
        release.await_()

    for _ in range(3):
        executor.schedule(run, 0)
    assert len(factory.threads) == 1
    executor.set_core_pool_size(3)
    assert running.await_timeout(10_000)
    assert len(factory.threads) == 3
    executor.set_core_pool_size(1)
    release.count_down()
    wait_until(lambda: sum(thread.is_alive() for thread in factory.threads) == 1)
    latch = CountDownLatch(1)
    executor.schedule(latch.count_down, 0)
    assert latch.await_timeout(10_000)
    executor.shutdown()
    assert executor.await_termination(10_000)


def test_a_thread_sleeps_until_the_next_task_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    executor = ScheduledThreadPoolExecutor(1, Factory())
    waits: list[float | None] = []
    original = executor._condition.wait

    def wait(seconds: float | None = None) -> bool:
        waits.append(seconds)
        return original(seconds)

    monkeypatch.setattr(executor._condition, "wait", wait)
    executor.schedule(lambda: None, NEVER_MS)
    wait_until(lambda: bool(waits))
    executor.shutdown()
    assert executor.await_termination(10_000)
    assert waits[0] is not None and NEVER_MS / 2 < waits[0] * 1000 <= NEVER_MS


@pytest.mark.parametrize("timeout_ms", [0, 120_000, 2**63 - 1])
def test_await_termination_waits_no_longer_than_its_timeout(timeout_ms: int) -> None:
    joins: list[float] = []

    class RunningThread:
        def start(self) -> None:
            pass

        def join(self, timeout: float) -> None:
            joins.append(timeout)

        def is_alive(self) -> bool:
            return True

    executor = ScheduledThreadPoolExecutor(2, lambda runnable: cast(threading.Thread, RunningThread()))
    executor.schedule(lambda: None, 0)
    executor.schedule(lambda: None, 0)
    executor.shutdown()
    assert not executor.await_termination(timeout_ms)
    assert len(joins) == 2
    limit = min(timeout_ms / 1000, threading.TIMEOUT_MAX)
    assert all(limit / 2 <= seconds <= limit for seconds in joins)
