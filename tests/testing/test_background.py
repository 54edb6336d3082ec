# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The threads that the brokers of a process share."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from kreactor.jdk.executors import RejectedExecutionException
from kreactor.server.util.timer.timer_task import TimerTask
from kreactor.testing import Broker, background
from kreactor.testing.background import SharedCleanerThread, SharedScheduler, SharedTimer, Strand

ROOT = Path(__file__).parents[2]
WAIT_S = 60.0


@pytest.fixture
def threads() -> Iterator[None]:
    background.acquire()
    yield
    background.release()


class Task(TimerTask):
    def __init__(self, delay_ms: int) -> None:
        super().__init__(delay_ms)
        self.done = threading.Event()

    def run(self) -> None:
        self.done.set()


def test_a_strand_runs_one_task_at_a_time_in_order(threads: None) -> None:
    strand, running, ran, over = Strand(), threading.Semaphore(1), [], threading.Event()

    def run(number: int) -> None:
        assert running.acquire(blocking=False)
        ran.append(number)
        running.release()
        if number == 199:
            over.set()

    for number in range(200):
        strand.submit(lambda number=number: run(number))  # type: ignore[misc]
    assert over.wait(WAIT_S) and ran == list(range(200))


def test_tasks_that_block_leave_threads_for_others(threads: None) -> None:
    release, blocked = threading.Event(), threading.Barrier(21)
    strands = [Strand() for _ in range(20)]

    def block() -> None:
        blocked.wait(WAIT_S)
        release.wait(WAIT_S)

    for strand in strands:
        strand.submit(block)
    blocked.wait(WAIT_S)
    done = threading.Event()
    Strand().submit(done.set)
    assert done.wait(WAIT_S)
    release.set()
    for strand in strands:
        strand.shutdown()
        assert strand.await_termination(int(WAIT_S * 1000)) and strand.is_terminated()
    pool = background._pool
    assert pool is not None
    done.clear()
    # Threads in excess end when they look for their next task.
    while len(pool._executor._threads) > 3:
        strand = Strand()
        strand.submit(done.set)
        assert done.wait(WAIT_S)


def test_a_task_that_raises_ends_alone(threads: None, caplog: pytest.LogCaptureFixture) -> None:
    strand, done = Strand(), threading.Event()
    strand.submit(lambda: 1 / 0)
    strand.submit(done.set)
    assert done.wait(WAIT_S) and "ZeroDivisionError" in caplog.text


def test_a_strand_that_is_shut_down(threads: None) -> None:
    strand = Strand()
    ran = threading.Event()
    later = strand.schedule(ran.set, 10_000_000)
    again = strand.schedule_at_fixed_rate(ran.set, 10_000_000, 1)
    assert strand.contains(later)
    strand.shutdown()
    assert later.is_cancelled() and again.is_cancelled() and not ran.is_set()
    with pytest.raises(RejectedExecutionException):
        strand.submit(ran.set)


def test_a_task_that_repeats_ends_with_its_strand(threads: None) -> None:
    strand, ran = Strand(), threading.Semaphore(0)
    again = strand.schedule_at_fixed_rate(ran.release, 0, 1)
    for _ in range(2):
        assert ran.acquire(timeout=WAIT_S)
    strand.shutdown()
    assert again.is_cancelled()


def test_a_timer_runs_what_is_due(threads: None) -> None:
    timer = SharedTimer("test")
    at_once, soon, cancelled, later = Task(0), Task(30), Task(20), Task(10_000_000)
    for task in (later, cancelled, soon, at_once):
        timer.add(task)
    cancelled.cancel()
    assert soon.done.wait(WAIT_S) and at_once.done.wait(WAIT_S)
    assert not cancelled.done.is_set() and timer.size() == 1
    timer.close()
    assert timer.is_terminated() and not later.done.is_set()


def test_a_scheduler_repeats_what_raises(threads: None) -> None:
    scheduler, ran = SharedScheduler(1), threading.Semaphore(0)
    scheduler.startup()

    def run() -> None:
        ran.release()
        raise ValueError

    future = scheduler.schedule("test", run, 0, 1)
    for _ in range(3):
        assert ran.acquire(timeout=WAIT_S)
    future.cancel()
    scheduler.shutdown()


def test_twenty_brokers_have_a_hundred_threads_at_most() -> None:
    before = threading.active_count()
    brokers = [Broker(topics=["t"]).start() for _ in range(20)]
    try:
        for broker in brokers:
            broker.produce("t", "v")
        assert threading.active_count() - before <= 100
    finally:
        for broker in brokers:
            broker.close()
    assert background._pool is None and background._users == 0


def test_a_forked_child_starts_brokers_with_threads_of_its_own() -> None:
    code = """
import os
from kreactor.testing import Broker
with Broker() as broker:
    broker.produce("t", "v")
    child = os.fork()
    if not child:
        with Broker() as own:
            own.produce("t", "v")
            own.restart()
        os._exit(len(own._positions))
    assert os.waitpid(child, 0)[1] == 0
    broker.produce("t", "v")
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=ROOT, timeout=120,
                          env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("error", [StopIteration, KeyboardInterrupt, pytest.fail.Exception])
def test_a_strand_goes_on_after_a_task_that_raises(threads: None, error: type[BaseException]) -> None:
    strand, done = Strand(), threading.Event()

    def fail() -> None:
        raise error("of the test")

    strand.submit(fail)
    strand.schedule(fail, 1)
    strand.submit(done.set)
    assert done.wait(WAIT_S)


@pytest.mark.parametrize("error", [StopIteration, KeyboardInterrupt, pytest.fail.Exception])
def test_the_log_cleaner_goes_on_after_a_round_that_raises(error: type[BaseException],
                                                           monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = threading.Semaphore(0)

    def clean(thread: SharedCleanerThread) -> bool:
        rounds.release()
        raise error("of the test")

    monkeypatch.setattr(SharedCleanerThread, "_try_clean_filthiest_log", clean)
    with Broker(properties={"log.cleaner.backoff.ms": 1}, topics=["t"]):
        for _ in range(3):
            assert rounds.acquire(timeout=WAIT_S)
