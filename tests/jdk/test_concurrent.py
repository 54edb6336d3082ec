# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import signal
import threading
import time
from queue import SimpleQueue
from types import SimpleNamespace

import pytest

from kreactor.jdk import concurrent
from kreactor.jdk.concurrent import (
    ArrayBlockingQueue,
    CompletableFuture,
    CountDownLatch,
    PatientBlockingQueue,
)
from kreactor.jdk.exceptions import IllegalArgumentException, TimeoutException
from tests.stepping import PATIENCE_S, wait_until


def test_a_bounded_queue_refuses_and_returns_in_order():
    queue: ArrayBlockingQueue[int] = ArrayBlockingQueue(2)
    assert queue.poll() is None and queue.is_empty()
    assert queue.offer(1) and queue.offer(2) and not queue.offer(3)
    assert queue.size() == 2
    assert queue.take() == 1 and queue.poll() == 2
    assert queue.poll_timeout(1) is None
    with pytest.raises(IllegalArgumentException):
        ArrayBlockingQueue(0)


def test_put_waits_for_room():
    queue: ArrayBlockingQueue[int] = ArrayBlockingQueue(1)
    queue.put(1)
    thread = threading.Thread(target=queue.put, args=(2,))
    thread.start()
    assert queue.take() == 1
    assert queue.take() == 2
    thread.join()


def test_clear_lets_those_go_on_who_wait_for_room():
    queue: ArrayBlockingQueue[int] = ArrayBlockingQueue(1)
    queue.put(1)
    thread = threading.Thread(target=queue.put, args=(2,))
    thread.start()
    # Whether the thread waits by now or not, 2 gets in and 1 does not stay.
    queue.clear()
    thread.join()
    assert queue.poll_timeout(5000) == 2


def test_poll_waits_for_an_element():
    queue: ArrayBlockingQueue[int] = ArrayBlockingQueue(1)
    thread = threading.Thread(target=queue.put, args=(1,))
    thread.start()
    assert queue.poll_timeout(60_000) == 1
    thread.join()


LONGEST_MS = 2**63 - 1


def test_a_wait_may_be_of_any_length():
    """As Java's longs go: below zero is no wait, and the longest is longer than Python's."""
    queue: ArrayBlockingQueue[int] = ArrayBlockingQueue(1)
    assert queue.poll_timeout(-1) is None
    queue.put(1)
    assert queue.poll_timeout(LONGEST_MS) == 1
    filler = threading.Thread(target=queue.put, args=(2,))
    filler.start()
    assert queue.poll_timeout(LONGEST_MS) == 2
    filler.join()

    latch = CountDownLatch(1)
    assert not latch.await_timeout(-1)
    opener = threading.Thread(target=latch.count_down)
    opener.start()
    assert latch.await_timeout(LONGEST_MS)
    opener.join()

    future: CompletableFuture[int] = CompletableFuture()
    with pytest.raises(TimeoutException):
        future.get(-1)
    completer = threading.Thread(target=future.complete, args=(3,))
    completer.start()
    assert future.get(LONGEST_MS) == 3
    completer.join()


class Interrupt(BaseException):
    """What a signal raises in the main thread."""


def test_a_getter_that_is_interrupted_is_not_waited_for():
    queue: ArrayBlockingQueue[int] = ArrayBlockingQueue(3)

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

    taken: SimpleQueue[int] = SimpleQueue()
    getters = [threading.Thread(target=lambda: taken.put(queue.take())) for _ in range(3)]
    for getter in getters:
        getter.start()
    wait_until(lambda: len(queue._queue._idle) == 3)
    for element in range(3):
        queue.put(element)
    for getter in getters:
        getter.join(120)
    assert sorted(taken.get(timeout=0) for _ in getters) == [0, 1, 2]


@pytest.mark.parametrize("others", [0, 1])
def test_a_getter_that_is_interrupted_on_its_way_leaves_the_element_to_another(others, monkeypatch):
    queue: ArrayBlockingQueue[int] = ArrayBlockingQueue(3)
    taken: SimpleQueue[int] = SimpleQueue()
    getters = [threading.Thread(target=lambda: taken.put(queue.take())) for _ in range(others)]
    for getter in getters:
        getter.start()
    wait_until(lambda: len(queue._queue._idle) == others)

    class Bell:
        """Rung by an element just when a signal comes."""

        def __init__(self) -> None:
            self.waited = False

        def acquire(self, timeout: float = -1) -> bool:
            if self.waited:
                queue.put(7)
                raise Interrupt
            self.waited = True
            return True

        def release(self) -> None:
            pass

    with monkeypatch.context() as patch:
        patch.setattr(concurrent, "threading", SimpleNamespace(Lock=Bell, TIMEOUT_MAX=threading.TIMEOUT_MAX))
        with pytest.raises(Interrupt):
            queue.take()
    if others:
        getters[0].join(120)
        assert taken.get(timeout=0) == 7
    else:
        assert queue.poll() == 7
    assert queue._queue._on_their_way == 0 and not queue._queue._idle


class Getters:
    """Threads that take elements and are busy with each until they are let go."""

    def __init__(self, queue: PatientBlockingQueue[int], number: int) -> None:
        self.taken: SimpleQueue[int] = SimpleQueue()
        self.go_on = threading.Semaphore(0)
        self.queue = queue
        self.threads = [threading.Thread(target=self._run) for _ in range(number)]
        for thread in self.threads:
            thread.start()
        wait_until(lambda: len(queue._queue._idle) == number)

    def _run(self) -> None:
        while (element := self.queue.take()) >= 0:
            self.taken.put(element)
            self.go_on.acquire()

    def end(self) -> None:
        for _ in self.threads:
            self.queue.put_for_another(-1)
            self.go_on.release()
        for thread in self.threads:
            thread.join()


@pytest.fixture
def patient(monkeypatch):
    """A queue with a patience of 5 ms, and its clock, in ns."""
    clock = SimpleNamespace(now=1_000_000_000)
    monkeypatch.setattr(concurrent, "time", SimpleNamespace(
        monotonic_ns=lambda: clock.now, monotonic=time.monotonic))
    return PatientBlockingQueue(10, 5), clock


def test_a_busy_getter_is_expected_back(patient):
    queue, clock = patient
    getters = Getters(queue, 3)
    queue.put(1)
    assert getters.taken.get(timeout=120) == 1
    queue.put(2)
    queue.put(3)
    clock.now += 4_999_999
    assert queue.look_after()
    assert len(queue._queue._idle) == 2 and queue.size() == 2
    getters.go_on.release()
    assert getters.taken.get(timeout=120) == 2
    assert len(queue._queue._idle) == 2
    getters.go_on.release()
    assert getters.taken.get(timeout=120) == 3
    assert not queue.look_after()
    getters.go_on.release()
    getters.end()


@pytest.mark.parametrize("who", ["look_after", "put"])
def test_a_getter_that_is_held_up_is_not_waited_for(patient, who):
    queue, clock = patient
    getters = Getters(queue, 3)
    for element in range(3):
        queue.put(element)
    assert getters.taken.get(timeout=120) == 0
    for element in (1, 2):
        clock.now += 5_000_000
        if who == "look_after":
            queue.look_after()
        else:
            queue.put(element + 2)
        assert getters.taken.get(timeout=120) == element
    assert len(queue._queue._idle) == 0 and not queue.look_after()
    getters.go_on.release(10)
    getters.end()


def test_who_finds_no_room_wakes_another(patient):
    queue, _ = patient
    getters = Getters(queue, 2)
    queue.put(0)
    assert getters.taken.get(timeout=120) == 0
    for element in range(1, 11):
        queue.put(element)
    assert len(queue._queue._idle) == 1
    queue.put(11)
    assert getters.taken.get(timeout=120) == 1
    getters.go_on.release(20)
    getters.end()


def test_nobody_is_woken_by_who_is_about_to_look(patient):
    queue, _ = patient
    getters = Getters(queue, 2)
    queue.hold_back()
    queue.put(0)
    assert len(queue._queue._idle) == 2 and queue.size() == 1
    queue.look_after()
    assert getters.taken.get(timeout=120) == 0
    getters.go_on.release()
    wait_until(lambda: len(queue._queue._idle) == 2)
    # Others wake for what they put, and so does who finds no room.
    queue.hold_back()
    other = threading.Thread(target=queue.put, args=(1,))
    other.start()
    other.join()
    assert getters.taken.get(timeout=120) == 1
    getters.go_on.release()
    wait_until(lambda: len(queue._queue._idle) == 2)
    for element in range(2, 13):
        queue.put(element)
    assert getters.taken.get(timeout=120) == 2
    getters.go_on.release(20)
    getters.end()


def test_who_has_looked_wakes_for_what_it_puts_next(patient):
    queue, _ = patient
    getters = Getters(queue, 2)
    queue.hold_back()
    assert not queue.look_after()
    try:
        for element in range(3):
            queue.put(element)
            assert len(queue._queue._idle) == 1
            assert getters.taken.get(timeout=PATIENCE_S) == element
            getters.go_on.release()
            wait_until(lambda: len(queue._queue._idle) == 2)
    finally:
        getters.go_on.release(2)
        getters.end()


def test_idle_getters_are_woken_at_once(patient):
    queue, _ = patient
    getters = Getters(queue, 2)
    for element in range(20):
        queue.put(element)
        assert getters.taken.get(timeout=120) == element
        getters.go_on.release()
        wait_until(lambda: len(queue._queue._idle) == 2)
    getters.end()


def test_each_of_the_elements_for_another_wakes_one(patient):
    """The clock stands still, and nobody looks after the queue."""
    queue, _ = patient
    getters = Getters(queue, 8)
    for element in range(8):
        queue.put_for_another(element)
    assert sorted(getters.taken.get(timeout=120) for _ in range(8)) == list(range(8))
    getters.go_on.release(8)
    getters.end()


def test_a_latch_opens_at_zero_and_stays_open():
    latch = CountDownLatch(2)
    assert not latch.await_timeout(1)
    thread = threading.Thread(target=latch.await_)
    thread.start()
    wait_until(lambda: latch._condition._waiters)  # type: ignore[attr-defined]
    latch.count_down()
    assert latch.get_count() == 1 and thread.is_alive()
    latch.count_down()
    latch.count_down()
    assert latch.get_count() == 0
    thread.join()
    assert latch.await_timeout(0)
    with pytest.raises(IllegalArgumentException):
        CountDownLatch(-1)


def test_a_future_is_completed_once():
    future: CompletableFuture[str] = CompletableFuture()
    seen: list[tuple[str | None, BaseException | None]] = []
    future.when_complete(lambda value, exception: seen.append((value, exception)))
    assert not future.is_done()
    with pytest.raises(TimeoutException):
        future.get(1)
    assert future.complete("a") and not future.complete("b")
    assert not future.complete_exceptionally(ValueError())
    future.when_complete(lambda value, exception: seen.append((value, exception)))
    assert seen == [("a", None), ("a", None)]
    assert future.is_done() and not future.is_completed_exceptionally()
    assert future.get() == "a"
    assert CompletableFuture.completed_future(1).get() == 1


@pytest.mark.parametrize("error", [ValueError, SystemExit])
def test_an_action_that_fails_disturbs_neither_the_others_nor_who_completes(
        caplog: pytest.LogCaptureFixture, error: type[BaseException]) -> None:
    future: CompletableFuture[str] = CompletableFuture()
    seen = []

    def fail(_value: str | None, _exception: BaseException | None) -> None:
        raise error

    future.when_complete(fail)
    future.when_complete(lambda value, _: seen.append(value))
    assert future.complete("a")
    future.when_complete(fail)
    assert seen == ["a"] and future.get() == "a"
    assert [record.exc_info[0] for record in caplog.records if record.exc_info] == [error, error]


def test_what_a_function_of_a_result_raises_is_the_result() -> None:
    future: CompletableFuture[str] = CompletableFuture()

    def leave(value: str | None, exception: BaseException | None) -> int:
        raise SystemExit("of a function")

    after = future.handle(leave)
    future.complete("a")
    with pytest.raises(SystemExit, match="of a function"):
        after.get()


def test_a_failed_future_raises():
    future: CompletableFuture[str] = CompletableFuture()
    error = ValueError("no")
    assert future.complete_exceptionally(error)
    assert future.is_completed_exceptionally()
    with pytest.raises(ValueError, match="no"):
        future.get()


def test_all_of_waits_for_all_and_fails_with_one():
    assert CompletableFuture.all_of([]).is_done()
    first: CompletableFuture[int] = CompletableFuture()
    second: CompletableFuture[int] = CompletableFuture()
    both = CompletableFuture.all_of([first, second])
    first.complete_exceptionally(ValueError("first"))
    assert not both.is_done()
    second.complete(1)
    with pytest.raises(ValueError, match="first"):
        both.get()


def test_one_getter_is_woken_at_a_time_and_nothing_is_left():
    """Three sleep; of three elements at once the first getter wakes the second, and that the third."""
    array: ArrayBlockingQueue[int] = ArrayBlockingQueue(10)
    taken: SimpleQueue[int] = SimpleQueue()
    gate = threading.Event()

    def take() -> None:
        taken.put(array.take())
        gate.wait(60)

    threads = [threading.Thread(target=take) for _ in range(3)]
    for thread in threads:
        thread.start()
    handover = array._queue
    wait_until(lambda: len(handover._idle) == 3)
    with handover.mutex:
        for element in (1, 2, 3):
            handover.queue.append(element)
        handover._wake()
        assert len(handover._idle) == 2
    # None of those that took comes back, and yet all elements are taken.
    assert sorted(taken.get(timeout=60) for _ in range(3)) == [1, 2, 3]
    gate.set()
    for thread in threads:
        thread.join()
    assert handover._on_their_way == 0 and not handover._idle


def test_a_getter_whose_element_another_took_waits_for_the_rest_of_its_time(monkeypatch):
    """It waits once more, for what is left of its time. The clock moves when it waits."""
    array: ArrayBlockingQueue[int] = ArrayBlockingQueue(1)
    clock = SimpleNamespace(now=1000.0)
    waits: list[float] = []

    class Bell:
        """Rung after 35 s, when another has been there first, and after that never."""

        def acquire(self, timeout: float = -1) -> bool:
            if timeout < 0:
                return True  # by who made it
            waits.append(timeout)
            assert len(waits) <= 2, waits
            if len(waits) == 1:
                clock.now += 35
                with array._queue.mutex:
                    array._queue._wake()
            else:
                clock.now += timeout
            return len(waits) == 1

        def release(self) -> None:
            pass

    with monkeypatch.context() as patch:
        patch.setattr(concurrent, "threading", SimpleNamespace(Lock=Bell, TIMEOUT_MAX=threading.TIMEOUT_MAX))
        patch.setattr(concurrent, "time", SimpleNamespace(monotonic=lambda: clock.now))
        assert array.poll_timeout(60_000) is None
    assert waits == [60.0, 25.0]
    assert not array._queue._idle and array._queue._on_their_way == 0


def test_a_getter_that_gives_up_leaves_no_trace():
    array: ArrayBlockingQueue[int] = ArrayBlockingQueue(1)
    assert array.poll_timeout(1) is None
    assert not array._queue._idle and array._queue._on_their_way == 0
    array.put(1)
    assert array.poll_timeout(0) == 1
