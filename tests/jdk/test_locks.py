# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Locks, the read-write lock, and interrupts of waits."""

from __future__ import annotations

import threading

import pytest

from kreactor.jdk.concurrent import ArrayBlockingQueue, CountDownLatch
from kreactor.jdk.exceptions import IllegalMonitorStateException, InterruptedException
from kreactor.jdk.locks import Condition, Lock, ReentrantLock, ReentrantReadWriteLock
from kreactor.jdk.nio_selector import Selector
from kreactor.jdk.threads import Thread


class Waiter(Thread):
    """Runs a wait, and keeps how it ended."""

    def __init__(self, wait: object) -> None:
        super().__init__(daemon=True)
        self._wait = wait
        self.result: object = None
        self.is_interrupted_after = False

    def run(self) -> None:
        assert callable(self._wait)
        try:
            self.result = self._wait()
        except InterruptedException as e:
            self.result = e
        self.is_interrupted_after = self.is_interrupted()


def until_it_waits(thread: Thread) -> None:
    gate = CountDownLatch(1)
    while thread.is_alive() and thread._waiter is None:
        gate.await_timeout(1)


def test_locks_are_those_of_python() -> None:
    assert type(Lock()) is type(threading.Lock())
    assert type(ReentrantLock()) is type(threading.RLock())


@pytest.mark.parametrize("wait", [
    CountDownLatch(1).await_, ArrayBlockingQueue[int](1).take, lambda: Thread.sleep(60_000),
    lambda: CountDownLatch(1).await_timeout(60_000), lambda: ArrayBlockingQueue[int](1).poll_timeout(60_000),
], ids=["latch", "queue", "sleep", "latch with time-out", "queue with time-out"])
def test_an_interrupt_ends_a_wait_and_the_flag_is_clear(wait: object) -> None:
    thread = Waiter(wait)
    thread.start()
    until_it_waits(thread)
    thread.interrupt()
    thread.join(30)
    assert isinstance(thread.result, InterruptedException) and not thread.is_interrupted_after


def test_an_interrupt_before_the_wait_ends_it_at_once() -> None:
    def wait() -> object:
        current = Thread.current_thread()
        assert isinstance(current, Thread)
        current.interrupt()
        return CountDownLatch(1).await_timeout(60_000)

    thread = Waiter(wait)
    thread.start()
    thread.join(30)
    assert isinstance(thread.result, InterruptedException)


def test_an_interrupt_ends_a_join() -> None:
    end = CountDownLatch(1)
    joined = Waiter(end.await_)
    joined.start()
    thread = Waiter(joined.join)
    thread.start()
    until_it_waits(thread)
    thread.interrupt()
    thread.join(30)
    assert isinstance(thread.result, InterruptedException) and joined.is_alive()
    end.count_down()
    last = Waiter(lambda: joined.join(30))
    last.start()
    last.join(30)
    assert last.result is None and not joined.is_alive()


def test_a_join_with_a_time_out_returns() -> None:
    end = CountDownLatch(1)
    joined = Waiter(end.await_)
    joined.start()
    thread = Waiter(lambda: joined.join(0.01))
    thread.start()
    thread.join(30)
    assert thread.result is None and joined.is_alive()
    end.count_down()
    joined.join(30)


def test_a_thread_that_is_not_alive_is_not_interrupted() -> None:
    thread = Waiter(lambda: 1)
    thread.interrupt()
    assert not thread.is_interrupted()
    thread.start()
    thread.join(30)
    thread.interrupt()
    assert not thread.is_interrupted() and thread.result == 1


def test_an_interrupt_ends_a_select_and_the_flag_stays() -> None:
    selector = Selector.open()
    begun = CountDownLatch(1)

    def select() -> object:
        begun.count_down()
        counts = selector.select(60_000), selector.select(60_000)
        return counts, Thread.current_is_interrupted()

    thread = Waiter(select)
    thread.start()
    assert begun.await_timeout(30_000)
    thread.interrupt()
    thread.join(30)
    selector.close()
    assert thread.result == ((0, 0), True)


def test_interrupted_clears_the_flag() -> None:
    def ask() -> object:
        current = Thread.current_thread()
        assert isinstance(current, Thread)
        current.interrupt()
        return current.is_interrupted(), Thread.interrupted(), Thread.interrupted()

    thread = Waiter(ask)
    thread.start()
    thread.join(30)
    assert thread.result == (True, True, False)


def test_an_interrupt_takes_no_notification_from_another_waiter() -> None:
    condition = Condition(Lock())
    taken: list[str] = []

    def wait(name: str) -> None:
        with condition:
            condition.wait()
            taken.append(name)

    first, second = Waiter(lambda: wait("first")), Waiter(lambda: wait("second"))
    first.start()
    until_it_waits(first)
    second.start()
    until_it_waits(second)
    first.interrupt()
    first.join(30)
    with condition:
        condition.notify()
    second.join(30)
    assert taken == ["second"]


def test_readers_share_and_a_writer_excludes() -> None:
    lock = ReentrantReadWriteLock()
    with lock.read_lock():
        results: list[bool] = []
        thread = Waiter(lambda: results.extend([lock.read_lock().try_lock(), lock.write_lock().try_lock()]))
        thread.start()
        thread.join(30)
        assert results == [True, False]


def test_a_writer_may_take_both_locks_again() -> None:
    lock = ReentrantReadWriteLock()
    with lock.write_lock(), lock.write_lock(), lock.read_lock():
        assert lock.write_lock().is_held_by_current_thread() and lock.get_read_hold_count() == 1
    assert not lock.write_lock().is_held_by_current_thread()
    lock.write_lock().lock()
    lock.read_lock().lock()
    lock.write_lock().unlock()  # a writer becomes a reader
    results: list[bool] = []
    thread = Waiter(lambda: results.extend([lock.read_lock().try_lock(), lock.write_lock().try_lock()]))
    thread.start()
    thread.join(30)
    assert results == [True, False]


def test_a_waiting_writer_keeps_new_readers_out_but_not_old_ones() -> None:
    lock = ReentrantReadWriteLock()
    order: list[str] = []

    def hold(name: str) -> None:
        with lock.write_lock() if name == "writer" else lock.read_lock():
            order.append(name)

    lock.read_lock().lock()
    writer = Waiter(lambda: hold("writer"))
    writer.start()
    until_it_waits(writer)
    reader = Waiter(lambda: hold("reader"))
    reader.start()
    until_it_waits(reader)
    with lock.read_lock():  # a reader may enter again
        assert order == []
    lock.read_lock().unlock()
    writer.join(30)
    reader.join(30)
    assert order == ["writer", "reader"]


def test_an_unlock_without_a_hold_is_refused() -> None:
    lock = ReentrantReadWriteLock()
    with pytest.raises(IllegalMonitorStateException):
        lock.read_lock().unlock()
    with pytest.raises(IllegalMonitorStateException):
        lock.write_lock().unlock()


def test_an_interrupt_does_not_end_the_wait_for_a_lock() -> None:
    lock = ReentrantReadWriteLock()
    lock.write_lock().lock()

    def read() -> bool:
        with lock.read_lock():
            return Thread.interrupted()

    thread = Waiter(read)
    thread.start()
    until_it_waits(thread)
    thread.interrupt()
    lock.write_lock().unlock()
    thread.join(30)
    assert thread.result is True
