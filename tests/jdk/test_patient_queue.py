# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import signal
import threading
import time
from queue import SimpleQueue
from types import SimpleNamespace

import pytest

from kreactor.jdk import patient_queue
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.patient_queue import PatientBlockingQueue
from tests.stepping import wait_until

LONGEST_MS = 2**63 - 1


class Takers:
    """Threads that take elements and are busy with each until they are let go."""

    def __init__(self, queue: PatientBlockingQueue[int], number: int) -> None:
        self.taken: SimpleQueue[tuple[int, int]] = SimpleQueue()
        self.go_on = threading.Semaphore(0)
        self.queue = queue
        self.threads = [threading.Thread(target=self._run) for _ in range(number)]
        for thread in self.threads:
            thread.start()
        wait_until(lambda: len(queue._idle) == number)

    def _run(self) -> None:
        while (element := self.queue.take()) >= 0:
            self.taken.put((element, threading.get_ident()))
            self.go_on.acquire()

    def next(self) -> int:
        return self.taken.get(timeout=120)[0]

    def end(self) -> None:
        patient_queue.time = time  # which goes on
        self.go_on.release(100)
        for _ in self.threads:
            self.queue.put_for_another(-1)
        for thread in self.threads:
            thread.join()


@pytest.fixture
def clock(monkeypatch):
    """Patience is held against this clock, in ns, which stands still."""
    clock = SimpleNamespace(now=1_000_000_000)
    # A test's last element comes in real time.
    monkeypatch.setattr(patient_queue, "time", SimpleNamespace(
        monotonic_ns=lambda: clock.now, monotonic=time.monotonic))
    return clock


def test_a_bounded_queue_refuses_and_returns_in_order():
    queue: PatientBlockingQueue[int] = PatientBlockingQueue(2, 5)
    assert queue.poll() is None and queue.is_empty()
    assert queue.offer(1) and queue.offer(2) and not queue.offer(3)
    assert queue.size() == 2
    assert queue.take() == 1 and queue.poll() == 2
    assert queue.poll_timeout(1) is None and queue.poll_timeout(-1) is None
    assert not queue._idle and queue._on_their_way == 0
    with pytest.raises(IllegalArgumentException):
        PatientBlockingQueue(0, 5)


def test_put_waits_for_room_and_a_take_for_an_element():
    queue: PatientBlockingQueue[int] = PatientBlockingQueue(1, 5)
    queue.put(1)
    thread = threading.Thread(target=queue.put, args=(2,))
    thread.start()
    wait_until(lambda: queue._waiting_for_room)
    assert queue.take() == 1
    thread.join()
    assert queue.take() == 2
    thread = threading.Thread(target=queue.put, args=(3,))
    thread.start()
    assert queue.poll_timeout(LONGEST_MS) == 3
    thread.join()


def test_a_busy_taker_is_expected_back(clock):
    queue: PatientBlockingQueue[int] = PatientBlockingQueue(10, 5)
    takers = Takers(queue, 3)
    queue.put(1)
    first, thread = takers.taken.get(timeout=120)
    for element in (2, 3):
        queue.put(element)
    wait_until(lambda: queue._guard is not None and queue._guard in queue._idle)
    clock.now += 4_999_999
    for expected in (2, 3):
        assert queue.size() == 4 - expected
        takers.go_on.release()
        assert takers.taken.get(timeout=120) == (expected, thread)
    takers.end()


def test_a_taker_that_is_held_up_is_not_waited_for(clock):
    queue: PatientBlockingQueue[int] = PatientBlockingQueue(10, 5)
    takers = Takers(queue, 3)
    for element in range(3):
        queue.put(element)
    assert takers.next() == 0
    for element in (1, 2):
        wait_until(lambda: queue._guard is not None)
        clock.now += 5_000_000
        assert takers.next() == element
    assert queue._guard is None and not queue._idle
    takers.end()


def test_the_guard_sleeps_like_the_others_when_nothing_happens(clock):
    queue: PatientBlockingQueue[int] = PatientBlockingQueue(10, 5)
    takers = Takers(queue, 2)
    queue.put(0)
    queue.put(1)
    assert takers.next() == 0
    wait_until(lambda: queue._guard is not None)
    takers.go_on.release()
    assert takers.next() == 1
    wait_until(lambda: queue._guard is None and len(queue._idle) == 1)
    takers.end()


def test_idle_takers_are_woken_at_once(clock):
    queue: PatientBlockingQueue[int] = PatientBlockingQueue(10, 5)
    takers = Takers(queue, 2)
    for element in range(20):
        queue.put(element)
        assert takers.next() == element
        takers.go_on.release()
        wait_until(lambda: len(queue._idle) == 2)
    assert queue._guard is None
    takers.end()


@pytest.mark.parametrize("patience_ms", [0, 5])
def test_each_of_the_elements_for_another_wakes_one(clock, patience_ms):
    queue: PatientBlockingQueue[int] = PatientBlockingQueue(10, patience_ms)
    takers = Takers(queue, 8)
    for element in range(8):
        queue.put_for_another(element)
    assert sorted(takers.next() for _ in range(8)) == list(range(8))
    takers.end()


def test_without_patience_each_element_wakes_a_taker():
    queue: PatientBlockingQueue[int] = PatientBlockingQueue(10, 0)
    takers = Takers(queue, 3)
    for element in range(3):
        queue.put(element)
    assert sorted(takers.next() for _ in range(3)) == [0, 1, 2]
    takers.end()


def test_a_guard_whose_time_is_over_leaves_the_elements_to_another(clock):
    queue: PatientBlockingQueue[int] = PatientBlockingQueue(10, 5)
    takers = Takers(queue, 2)
    queue.put(0)
    assert takers.next() == 0
    polls: SimpleQueue[int | None] = SimpleQueue()
    brief = threading.Thread(target=lambda: polls.put(queue.poll_timeout(200)))
    brief.start()
    wait_until(lambda: len(queue._idle) == 2)
    first = queue._idle[-1]
    queue.put(1)
    assert polls.get(timeout=120) is None
    brief.join()
    wait_until(lambda: queue._guard is not None and queue._guard is not first)
    clock.now += 5_000_000
    assert takers.next() == 1
    takers.end()


class Interrupt(BaseException):
    """What a signal raises in the main thread."""


def test_a_taker_that_is_interrupted_is_not_waited_for():
    queue: PatientBlockingQueue[int] = PatientBlockingQueue(3, 5)

    def interrupt(*_: object) -> None:
        raise Interrupt

    previous = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        with pytest.raises(Interrupt):
            queue.take()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert not queue._idle and queue._on_their_way == 0 and queue._guard is None


class Bell:
    """A taker's lock that ``while_waiting`` looks at; it says that nobody has released it in time."""

    while_waiting = staticmethod(lambda: None)

    def __init__(self) -> None:
        self._lock = real_lock()

    def acquire(self, timeout: float = -1) -> bool:
        if timeout >= 0:
            Bell.while_waiting()
            return False
        return self._lock.acquire(timeout=10)

    def release(self) -> None:
        self._lock.release()


real_lock = threading.Lock


@pytest.mark.parametrize("is_interrupted", [False, True])
def test_a_taker_that_is_woken_as_it_gives_up_leaves_the_element_to_another(is_interrupted, monkeypatch):
    """Another thread takes the element it was woken for, or a signal comes: its lock is taken again."""
    queue: PatientBlockingQueue[int] = PatientBlockingQueue(3, 5)
    waits: list[int] = []

    def wake() -> None:
        waits.append(1)
        queue.put(7)
        if is_interrupted:
            raise Interrupt
        if len(waits) == 1:
            assert queue._elements.popleft() == 7

    monkeypatch.setattr(Bell, "while_waiting", staticmethod(wake))
    with monkeypatch.context() as patch:
        patch.setattr(patient_queue, "threading", SimpleNamespace(
            Lock=Bell, TIMEOUT_MAX=threading.TIMEOUT_MAX))
        if is_interrupted:
            with pytest.raises(Interrupt):
                queue.poll_timeout(60_000)
            assert queue.poll() == 7
        else:
            assert queue.poll_timeout(60_000) == 7
            assert len(waits) == 2
    assert not queue._idle and queue._on_their_way == 0


def test_every_element_is_taken_once():
    """Four threads put, four take, with the real clock."""
    queue: PatientBlockingQueue[int] = PatientBlockingQueue(16, 0.1)
    taken: SimpleQueue[int] = SimpleQueue()

    def take() -> None:
        while (element := queue.take()) >= 0:
            taken.put(element)

    takers = [threading.Thread(target=take) for _ in range(4)]
    putters = [threading.Thread(target=lambda n=n: [queue.put(n * 500 + i) for i in range(500)])
               for n in range(4)]
    for thread in takers + putters:
        thread.start()
    for thread in putters:
        thread.join()
    for _ in takers:
        queue.put_for_another(-1)
    for thread in takers:
        thread.join()
    assert sorted(taken.get(timeout=0) for _ in range(2000)) == list(range(2000))
