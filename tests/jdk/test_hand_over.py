# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from queue import SimpleQueue
from types import SimpleNamespace

import pytest

from kreactor.jdk import hand_over
from kreactor.jdk.clock import Clock
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.hand_over import PatientBlockingQueue, wake_or_defer
from tests.stepping import PATIENCE_S, wait_until

LONGEST_MS = 2**63 - 1
FAREWELL = -1


class Takers:
    """Threads that take elements and are busy with each until they are let go."""

    def __init__(self, queue: PatientBlockingQueue[int], number: int) -> None:
        self.taken: SimpleQueue[tuple[int, int]] = SimpleQueue()
        self.go_on = threading.Semaphore(0)
        self.queue = queue
        self.work: Callable[[], object] = lambda: None
        self.threads = [threading.Thread(target=self._run, daemon=True) for _ in range(number)]
        for thread in self.threads:
            thread.start()
        wait_until(lambda: len(queue._idle) == number)

    def _run(self) -> None:
        while (element := self.queue.take()) != FAREWELL:
            self.taken.put((element, threading.get_ident()))
            self.go_on.acquire()
            self.work()

    def next(self) -> int:
        return self.taken.get(timeout=120)[0]

    def end(self) -> None:
        hand_over.Clock = Clock  # which goes on
        self.go_on.release(100)
        for _ in self.threads:
            self.queue.put(FAREWELL)
        for thread in self.threads:
            thread.join()


@pytest.fixture
def clock(monkeypatch):
    """Patience is held against ``now``, in ns, time-outs against ``seconds``; both stand still."""
    clock = SimpleNamespace(now=1_000_000_000, seconds=0.0)
    monkeypatch.setattr(hand_over, "Clock", SimpleNamespace(
        nanoseconds=lambda: clock.now, seconds=lambda: clock.seconds))
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
    assert queue._waiting_for_room == 0
    assert queue.take() == 2
    thread = threading.Thread(target=queue.put, args=(3,))
    thread.start()
    assert queue.poll_timeout(LONGEST_MS) == 3
    thread.join()


def test_a_busy_taker_is_expected_back(clock):
    queue: PatientBlockingQueue[int] = PatientBlockingQueue(10, 5, FAREWELL)
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
    queue: PatientBlockingQueue[int] = PatientBlockingQueue(10, 5, FAREWELL)
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
    queue: PatientBlockingQueue[int] = PatientBlockingQueue(10, 5, FAREWELL)
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
    queue: PatientBlockingQueue[int] = PatientBlockingQueue(10, 5, FAREWELL)
    takers = Takers(queue, 2)
    for element in range(20):
        queue.put(element)
        assert takers.next() == element
        takers.go_on.release()
        wait_until(lambda: len(queue._idle) == 2)
    assert queue._guard is None
    takers.end()


@pytest.mark.parametrize("patience_ms", [0, 5])
def test_each_farewell_wakes_a_taker(clock, patience_ms):
    """The guard is one of them; whoever took the farewell is not expected back by the others."""
    queue: PatientBlockingQueue[int] = PatientBlockingQueue(10, patience_ms, FAREWELL)
    takers = Takers(queue, 8)
    queue.put(0)
    assert takers.next() == 0
    queue.put(1)
    for _ in range(8):
        queue.put(FAREWELL)
    takers.go_on.release(2)
    for thread in takers.threads:
        thread.join(120)
    assert takers.next() == 1
    assert not queue._busy and not queue._idle and queue._on_their_way == 0 and queue._guard is None


def test_without_patience_each_element_wakes_a_taker():
    queue: PatientBlockingQueue[int] = PatientBlockingQueue(10, 0, FAREWELL)
    takers = Takers(queue, 3)
    for element in range(3):
        queue.put(element)
    assert sorted(takers.next() for _ in range(3)) == [0, 1, 2]
    takers.end()


def test_a_guard_whose_time_is_over_leaves_the_elements_to_another(clock):
    queue: PatientBlockingQueue[int] = PatientBlockingQueue(10, 5, FAREWELL)
    takers = Takers(queue, 2)
    queue.put(0)
    assert takers.next() == 0
    polls: SimpleQueue[int | None] = SimpleQueue()
    brief = threading.Thread(target=lambda: polls.put(queue.poll_timeout(60_000)))
    brief.start()
    wait_until(lambda: len(queue._idle) == 2)
    first = queue._idle[-1]
    queue.put(1)
    wait_until(lambda: queue._guard is first)
    clock.seconds = 60.0
    assert polls.get(timeout=120) is None
    brief.join()
    wait_until(lambda: queue._guard is not None and queue._guard is not first)
    clock.now += 5_000_000
    assert takers.next() == 1
    takers.end()


class Interrupt(BaseException):
    """The exception of a signal in the main thread."""


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
        return self._lock.acquire(timeout=PATIENCE_S)

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
        patch.setattr(hand_over, "threading", SimpleNamespace(
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
    queue: PatientBlockingQueue[int] = PatientBlockingQueue(16, 0.1, FAREWELL)
    taken: SimpleQueue[int] = SimpleQueue()

    def take() -> None:
        while (element := queue.take()) != FAREWELL:
            taken.put(element)

    takers = [threading.Thread(target=take) for _ in range(4)]
    putters = [threading.Thread(target=lambda n=n: [queue.put(n * 500 + i) for i in range(500)])
               for n in range(4)]
    for thread in takers + putters:
        thread.start()
    for thread in putters:
        thread.join()
    for _ in takers:
        queue.put(FAREWELL)
    for thread in takers:
        thread.join()
    assert sorted(taken.get(timeout=0) for _ in range(2000)) == list(range(2000))


class Sleeper:
    """Somebody who is woken; ``woken_by`` has the thread of each time."""

    def __init__(self) -> None:
        self.is_deferred = False
        self.woken_by: SimpleQueue[int] = SimpleQueue()

    def wake(self) -> None:
        self.woken_by.put(threading.get_ident())

    def is_woken(self) -> bool:
        return not self.woken_by.empty()


@pytest.fixture
def sleeper():
    return Sleeper()


class Shift:
    """A queue with a guard, and a taker that is busy with the first element; each wakes the sleeper.

    The guard sleeps in real time. A test that gives no patience ends before the guard looks again.
    """

    def __init__(self, sleeper: Sleeper, elements: int, patience_ms: float = 3_600_000) -> None:
        self.queue: PatientBlockingQueue[int] = PatientBlockingQueue(10, patience_ms, FAREWELL)
        self.takers = Takers(self.queue, 2)
        self.takers.work = lambda: wake_or_defer(sleeper)
        self.queue.put(0)
        _, self.taker = self.takers.taken.get(timeout=120)
        for element in range(1, elements):
            self.queue.put(element)
        wait_until(lambda: self.queue._guard is not None and self.queue._guard in self.queue._idle)

    def handle(self) -> None:
        """Let the taker be done with its element and take the next."""
        self.takers.go_on.release()
        self.takers.next()


def test_a_wake_up_is_put_off_while_elements_wait(clock, sleeper):
    shift = Shift(sleeper, 3)
    for _ in range(2):
        shift.handle()
    assert sleeper.is_deferred and not sleeper.is_woken()
    # With nothing left it is not put off, and is the one of all.
    shift.takers.go_on.release()
    assert sleeper.woken_by.get(timeout=120) == shift.taker
    wait_until(lambda: not shift.queue._busy)
    assert not sleeper.is_deferred and not sleeper.is_woken()
    shift.takers.end()


def test_who_finds_the_queue_empty_does_what_was_put_off(clock, sleeper):
    shift = Shift(sleeper, 2)
    shift.handle()
    assert not sleeper.is_woken()
    shift.takers.work = lambda: None
    shift.takers.go_on.release()
    assert sleeper.woken_by.get(timeout=120) == shift.taker
    shift.takers.end()


def test_a_wake_up_is_put_off_for_a_millisecond_by_takers_that_come_back(clock, sleeper):
    shift = Shift(sleeper, 6)
    shift.handle()
    clock.now += 999_999
    shift.handle()
    assert not sleeper.is_woken()
    clock.now += 1
    shift.handle()
    assert sleeper.woken_by.get(timeout=120) == shift.taker
    # From here on it is put off anew.
    clock.now += 999_999
    shift.handle()
    assert sleeper.is_deferred and not sleeper.is_woken()
    shift.takers.end()


@pytest.mark.parametrize("takes", [False, True])
def test_the_guard_does_what_was_put_off(clock, sleeper, takes):
    """The taker comes when it looks, or when it takes an element for a delayed one."""
    shift = Shift(sleeper, 3, patience_ms=5)
    shift.handle()
    guard = next(thread.ident for thread in shift.takers.threads if thread.ident != shift.taker)
    if takes:
        clock.now += 5_000_000
    assert sleeper.woken_by.get(timeout=120) == guard
    assert not takes or shift.takers.next() == 2
    shift.takers.end()


def test_a_wake_up_that_is_put_off_as_the_guard_leaves_is_done(clock, sleeper):
    shift = Shift(sleeper, 2)

    class Meeting(set[Sleeper]):
        def add(self, element: Sleeper) -> None:
            shift.queue._guard = None
            super().add(element)

    shift.queue._deferred = Meeting()
    shift.handle()
    assert sleeper.woken_by.get(timeout=120) == shift.taker and not sleeper.is_deferred
    shift.takers.end()


def test_without_a_guard_and_on_other_threads_nothing_is_put_off(clock, sleeper):
    wake_or_defer(sleeper)
    assert sleeper.woken_by.get(timeout=0) == threading.get_ident()
    queue: PatientBlockingQueue[int] = PatientBlockingQueue(10, 5, FAREWELL)
    takers = Takers(queue, 1)
    takers.work = lambda: wake_or_defer(sleeper)
    for element in range(2):
        queue.put(element)
    takers.next()
    takers.go_on.release()
    takers.next()
    assert sleeper.is_woken() and not sleeper.is_deferred
    takers.end()
