# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.utils.SchedulerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Tasks that run once or again and again: KafkaScheduler's, and those of the mock scheduler of the tests."""

from __future__ import annotations

import threading
import time
from typing import Callable, Iterator

import pytest

from kreactor.jdk.atomic import AtomicInteger
from kreactor.jdk.concurrent import CountDownLatch
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.server.util.kafka_scheduler import KafkaScheduler
from kreactor.testing.mock_time import MockTime
from tests.storage.internals.log.support import MockScheduler


@pytest.fixture
def scheduler() -> Iterator[KafkaScheduler]:
    scheduler = KafkaScheduler(1)
    scheduler.startup()
    yield scheduler
    scheduler.shutdown()


def scheduler_is_idle(scheduler: KafkaScheduler) -> None:
    """Wait until the one thread has come to a task of a millisecond later."""
    passed = CountDownLatch(1)
    scheduler.schedule_once("later", passed.count_down, 1)
    assert passed.await_timeout(120_000)


def retry(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


@pytest.fixture
def mock_scheduler() -> MockScheduler:
    return MockScheduler(MockTime())


def test_mock_scheduler_non_periodic_task(mock_scheduler: MockScheduler) -> None:
    counter1, counter2 = AtomicInteger(0), AtomicInteger(0)
    mock_scheduler.schedule_once("test1", counter1.get_and_increment, 1)
    mock_scheduler.schedule_once("test2", counter2.get_and_increment, 100)
    assert (counter1.get(), counter2.get()) == (0, 0)
    mock_scheduler.tick(1)
    assert (counter1.get(), counter2.get()) == (1, 0)
    mock_scheduler.tick(100_000)
    assert (counter1.get(), counter2.get()) == (1, 1)


def test_mock_scheduler_periodic_task(mock_scheduler: MockScheduler) -> None:
    counter1, counter2 = AtomicInteger(0), AtomicInteger(0)
    mock_scheduler.schedule("test1", counter1.get_and_increment, 1, 1)
    mock_scheduler.schedule("test2", counter2.get_and_increment, 100, 100)
    assert (counter1.get(), counter2.get()) == (0, 0)
    mock_scheduler.tick(1)
    assert (counter1.get(), counter2.get()) == (1, 0)
    mock_scheduler.tick(100)
    assert (counter1.get(), counter2.get()) == (101, 1)


def test_reentrant_task_in_mock_scheduler(mock_scheduler: MockScheduler) -> None:
    counter2 = AtomicInteger(0)
    mock_scheduler.schedule_once(
        "test1", lambda: mock_scheduler.schedule_once("test2", counter2.get_and_increment, 0), 1)
    mock_scheduler.tick(1)
    assert counter2.get() == 1


def test_mock_scheduler_locking(mock_scheduler: MockScheduler) -> None:
    """The mock scheduler runs a task without its lock: another thread may schedule meanwhile."""
    init, completion = CountDownLatch(1), CountDownLatch(2)
    latches = [CountDownLatch(1), CountDownLatch(1)]

    def scheduled_task(latch: CountDownLatch) -> None:
        init.count_down()
        assert latch.await_timeout(120_000)
        completion.count_down()

    mock_scheduler.schedule_once("test1", lambda: scheduled_task(latches[0]), 1)
    stop = threading.Event()

    def tick() -> None:
        while not stop.is_set():
            mock_scheduler.tick(1)

    ticker = threading.Thread(target=tick)
    ticker.start()
    try:
        assert init.await_timeout(120_000)
        mock_scheduler.schedule_once("test2", lambda: scheduled_task(latches[1]), 1)
        for latch in latches:
            latch.count_down()
        assert completion.await_timeout(120_000)
    finally:
        stop.set()
        ticker.join(120)
    assert not ticker.is_alive()


def test_restart(mock_scheduler: MockScheduler) -> None:
    counter1 = AtomicInteger(0)
    mock_scheduler.schedule_once("test1", counter1.get_and_increment, 1)
    mock_scheduler.tick(1)
    assert counter1.get() == 1
    mock_scheduler.shutdown()
    mock_scheduler.startup()
    mock_scheduler.schedule_once("test1", counter1.get_and_increment, 1)
    mock_scheduler.tick(1)
    assert counter1.get() == 2


def test_non_periodic_task(scheduler: KafkaScheduler) -> None:
    counter1 = AtomicInteger(0)
    future = scheduler.schedule_once("test", counter1.get_and_increment)
    retry(lambda: future.is_done())
    # The one thread runs it again, if at all, before a task that comes later.
    scheduler_is_idle(scheduler)
    assert counter1.get() == 1
    assert not scheduler.task_running(future)


def test_non_periodic_task_when_period_is_zero(scheduler: KafkaScheduler) -> None:
    counter1 = AtomicInteger(0)
    future = scheduler.schedule("test", counter1.get_and_increment, 0, 0)
    retry(lambda: future.is_done())
    scheduler_is_idle(scheduler)
    assert counter1.get() == 1


def test_periodic_task(scheduler: KafkaScheduler) -> None:
    counter1 = AtomicInteger(0)
    scheduler.schedule("test", counter1.get_and_increment, 0, 5)
    retry(lambda: counter1.get() >= 20)


def test_restart_of_the_real_one(scheduler: KafkaScheduler) -> None:
    counter1 = AtomicInteger(0)
    scheduler.schedule_once("test1", counter1.get_and_increment, 1)
    retry(lambda: counter1.get() == 1)
    scheduler.shutdown()
    assert not scheduler.is_started()
    scheduler.startup()
    scheduler.schedule_once("test1", counter1.get_and_increment, 1)
    retry(lambda: counter1.get() == 2)


def test_task_running(scheduler: KafkaScheduler) -> None:
    future = scheduler.schedule("test", lambda: None, 60_000, 60_000)
    assert scheduler.task_running(future)
    future.cancel(True)
    assert not scheduler.task_running(future)


def test_starting_twice(scheduler: KafkaScheduler) -> None:
    with pytest.raises(IllegalStateException):
        scheduler.startup()


def test_a_task_before_startup_is_ignored() -> None:
    scheduler = KafkaScheduler(1)
    future = scheduler.schedule_once("test", lambda: None)
    assert future.is_cancelled() and future.is_done() and future.cancel() and future.get_delay_ms() == 0
    assert not scheduler.task_running(future)
    scheduler.resize_thread_pool(2)
    scheduler.shutdown()


def test_an_exception_does_not_end_the_repetition(scheduler: KafkaScheduler,
                                                  caplog: pytest.LogCaptureFixture) -> None:
    runs = CountDownLatch(3)

    def task() -> None:
        runs.count_down()
        raise OSError("broken")

    scheduler.schedule("failing", task, 0, 1)
    assert runs.await_timeout(30_000)
    assert any("failing" in record.getMessage() for record in caplog.records)


def test_threads_are_named_and_resized() -> None:
    scheduler = KafkaScheduler(2, True, "prefix-")
    assert scheduler.thread_name_prefix() == "prefix-"
    scheduler.startup()
    names: set[str] = set()
    running, release = CountDownLatch(3), CountDownLatch(1)

    def task() -> None:
        names.add(threading.current_thread().name)
        running.count_down()
        release.await_()

    for _ in range(3):
        scheduler.schedule_once("task", task)
    scheduler.resize_thread_pool(3)
    assert running.await_timeout(30_000)
    assert names == {"prefix-0", "prefix-1", "prefix-2"}
    release.count_down()
    scheduler.shutdown()


def test_a_task_may_schedule_another_while_it_runs(scheduler: KafkaScheduler) -> None:
    done = CountDownLatch(1)
    scheduler.schedule_once("outer", lambda: scheduler.schedule_once("inner", done.count_down))
    assert done.await_timeout(30_000)
