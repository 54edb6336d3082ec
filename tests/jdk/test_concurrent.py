# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import threading

import pytest

from kreactor.jdk.concurrent import (
    ArrayBlockingQueue,
    CompletableFuture,
    CountDownLatch,
)
from kreactor.jdk.exceptions import IllegalArgumentException, TimeoutException
from tests.stepping import Background, wait_until


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


@pytest.mark.parametrize("error", [None, ValueError("no")])
def test_no_action_is_lost_that_comes_while_a_future_completes(error: Exception | None) -> None:
    """Another thread completes the future between the look at it and the note of the action, if it can."""
    future: CompletableFuture[str] = CompletableFuture()
    seen: list[tuple[str | None, BaseException | None]] = []

    def complete() -> bool:
        return future.complete("a") if error is None else future.complete_exceptionally(error)

    def complete_if_nobody_has_the_lock() -> bool:
        if not future._condition.acquire(blocking=False):
            return False
        future._condition.release()
        return complete()

    class Actions(list[object]):
        def append(self, action: object) -> None:
            self.is_completed = Background(complete_if_nobody_has_the_lock).result()
            super().append(action)

    future._callbacks = actions = Actions()  # type: ignore[assignment]
    future.when_complete(lambda value, exception: seen.append((value, exception)))
    if not actions.is_completed:
        assert complete()
    assert seen == [("a", None) if error is None else (None, error)]


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
