# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Operations that wait: who completes them, who forgets them."""

from __future__ import annotations

import concurrent.futures
import random
import threading
import time
from collections.abc import Hashable
from typing import Iterator

import pytest

from kreactor.common.utils.time import Time
from kreactor.core.server.delayed_operation import DelayedOperation, DelayedOperationPurgatory, Lock
from kreactor.core.server.delayed_operation_key import (
    GroupJoinKey,
    GroupSyncKey,
    MemberKey,
    TopicPartitionOperationKey,
)
from kreactor.jdk.atomic import AtomicInteger
from kreactor.server.util.timer.system_timer import SystemTimer
from kreactor.testing.mock_timer import MockTimer

Purgatory = DelayedOperationPurgatory[DelayedOperation]


class MockDelayedOperation(DelayedOperation):
    def __init__(self, delay_ms: int, lock: Lock | None = None) -> None:
        super().__init__(delay_ms, lock)
        self.completable = False
        self.completions = AtomicInteger()
        self.expirations = AtomicInteger()
        self.expired = threading.Event()

    def await_expiration(self) -> None:
        assert self.expired.wait(120)

    def try_complete(self) -> bool:
        return self.force_complete() if self.completable else False

    def on_expiration(self) -> None:
        self.expirations.increment_and_get()
        self.expired.set()

    def on_complete(self) -> None:
        self.completions.increment_and_get()


@pytest.fixture
def purgatory() -> Iterator[Purgatory]:
    purgatory: Purgatory = DelayedOperationPurgatory.apply("mock")
    yield purgatory
    purgatory.shutdown()


def test_lock_in_try_complete_else_watch(purgatory: Purgatory) -> None:
    class Op(MockDelayedOperation):
        tries = 0

        def try_complete(self) -> bool:
            self.tries += 1
            assert self._lock._is_owned()
            return False

        def safe_try_complete(self) -> bool:
            raise AssertionError("try_complete_else_watch has the lock already")

    op = Op(100_000)
    assert not purgatory.try_complete_else_watch(op, ["key"])
    assert op.tries == 2


def test_an_event_that_comes_just_before_an_operation_is_watched_completes_it(
        purgatory: Purgatory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is watched for the event yet, and it comes only once."""
    op = MockDelayedOperation(100_000)
    watch = purgatory._watch_for_operation

    def watch_after_the_event(key: Hashable, operation: DelayedOperation) -> None:
        op.completable = True
        assert purgatory.check_and_complete(key) == 0
        watch(key, operation)

    monkeypatch.setattr(purgatory, "_watch_for_operation", watch_after_the_event)
    assert purgatory.try_complete_else_watch(op, ["key"])
    assert op.is_completed() and op.completions.get() == 1


def test_operations_are_tried_with_their_lock_held(purgatory: Purgatory) -> None:
    held: list[bool] = []

    class Op(MockDelayedOperation):
        def try_complete(self) -> bool:
            held.append(self._lock._is_owned())
            return super().try_complete()

    op = Op(100_000)
    assert not purgatory.try_complete_else_watch(op, ["key"])
    op.completable = True
    assert purgatory.check_and_complete("key") == 1
    assert held == [True, True, True]


def test_a_list_that_was_replaced_does_not_take_the_new_one_with_it(purgatory: Purgatory) -> None:
    op = MockDelayedOperation(100_000)
    old: DelayedOperationPurgatory.Watchers[DelayedOperation] = DelayedOperationPurgatory.Watchers(
        "key", purgatory)
    purgatory.try_complete_else_watch(op, ["key"])
    # Somebody found the list that was there before empty, and comes late.
    purgatory._remove_key_if_empty("key", old)
    assert purgatory.watched() == 1
    op.completable = True
    assert purgatory.check_and_complete("key") == 1


@pytest.mark.parametrize("should_complete", [True, False])
def test_safe_try_complete_or_else(should_complete: bool) -> None:
    class Op(MockDelayedOperation):
        def try_complete(self) -> bool:
            assert self._lock._is_owned()
            return should_complete

    called: list[int] = []
    assert Op(100_000).safe_try_complete_or_else(lambda: called.append(1)) == should_complete
    assert called == ([] if should_complete else [1])


def test_request_satisfaction(purgatory: Purgatory) -> None:
    r1, r2 = MockDelayedOperation(100_000), MockDelayedOperation(100_000)
    assert purgatory.check_and_complete("test1") == 0
    assert not purgatory.try_complete_else_watch(r1, ["test1"])
    assert purgatory.check_and_complete("test1") == 0
    assert not purgatory.try_complete_else_watch(r2, ["test2"])
    assert purgatory.check_and_complete("test2") == 0
    r1.completable = True
    assert purgatory.check_and_complete("test1") == 1
    assert purgatory.check_and_complete("test1") == 0
    r2.completable = True
    assert purgatory.check_and_complete("test2") == 1
    assert purgatory.check_and_complete("test2") == 0


def test_request_expiry(purgatory: Purgatory) -> None:
    expiration = 20
    start = Time.SYSTEM.hi_res_clock_ms()
    r1, r2 = MockDelayedOperation(expiration), MockDelayedOperation(200_000)
    assert not purgatory.try_complete_else_watch(r1, ["test1"])
    assert not purgatory.try_complete_else_watch(r2, ["test2"])
    r1.await_expiration()
    elapsed = Time.SYSTEM.hi_res_clock_ms() - start
    assert r1.is_completed()
    assert not r2.is_completed()
    assert elapsed >= expiration
    assert (r1.completions.get(), r1.expirations.get()) == (1, 1)


def test_request_purge(purgatory: Purgatory) -> None:
    r1, r2, r3 = (MockDelayedOperation(100_000) for _ in range(3))
    purgatory.try_complete_else_watch(r1, ["test1"])
    purgatory.try_complete_else_watch(r2, ["test1", "test2"])
    purgatory.try_complete_else_watch(r3, ["test1", "test2", "test3"])
    assert purgatory.num_delayed() == 3
    assert purgatory.watched() == 6
    # A completed one leaves the timer at once, the lists when somebody looks there.
    r2.completable = True
    r2.try_complete()
    assert purgatory.num_delayed() == 2
    r3.completable = True
    r3.try_complete()
    assert purgatory.num_delayed() == 1
    purgatory.check_and_complete("test1")
    assert purgatory.watched() == 4
    purgatory.check_and_complete("test2")
    assert purgatory.watched() == 2
    purgatory.check_and_complete("test3")
    assert purgatory.watched() == 1


def test_should_cancel_for_key_returning_cancelled_operations(purgatory: Purgatory) -> None:
    for key in ("key", "key", "key2"):
        purgatory.try_complete_else_watch(MockDelayedOperation(10_000), [key])
    cancelled_operations = purgatory.cancel_for_key("key")
    assert len(cancelled_operations) == 2
    assert purgatory.num_delayed() == 1
    assert purgatory.watched() == 1
    assert not any(operation.is_completed() for operation in cancelled_operations)


def test_should_return_nil_operations_on_cancel_for_key_when_key_doesnt_exist(purgatory: Purgatory) -> None:
    assert purgatory.cancel_for_key("key") == []


def test_try_complete_with_multiple_threads(purgatory: Purgatory) -> None:
    """The thread that makes an operation completable may miss its lock; it must be completed still."""
    max_delay_ms = 2
    completion_attempts = 20

    class Op(MockDelayedOperation):
        def __init__(self, index: int) -> None:
            super().__init__(10_000)
            self.key = f"key{index}"
            self.completion_attempts_remaining = AtomicInteger(completion_attempts)

        def try_complete(self) -> bool:
            should_complete = self.completable
            time.sleep(random.randrange(max_delay_ms) / 1000)
            return self.force_complete() if should_complete else False

    ops = [Op(index) for index in range(50)]
    for op in ops:
        purgatory.try_complete_else_watch(op, [op.key])

    def attempt(op: Op) -> None:
        if op.completion_attempts_remaining.decrement_and_get() == 0:
            op.completable = True
        purgatory.check_and_complete(op.key)

    with concurrent.futures.ThreadPoolExecutor(20) as executor:
        list(executor.map(attempt, ops * completion_attempts))
    assert all(op.is_completed() and op.completions.get() == 1 for op in ops)


def test_completion_and_expiry_meet() -> None:
    """Many threads complete the same operation: one wins."""
    for _ in range(50):
        op = MockDelayedOperation(10_000)
        barrier = threading.Barrier(4)
        won: list[bool] = []

        def complete() -> None:
            barrier.wait()
            won.append(op.force_complete())

        threads = [threading.Thread(target=complete) for _ in range(3)]
        threads.append(threading.Thread(target=lambda: (barrier.wait(), op.run())))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert op.completions.get() == 1
        assert sum(won) + op.expirations.get() == 1


def test_an_operation_completed_while_it_is_filed_leaves_the_timer(purgatory: Purgatory) -> None:
    """Its own cancel came before it was in the timer."""
    class Op(MockDelayedOperation):
        asked = 0

        def is_completed(self) -> bool:
            self.asked += 1
            if self.asked == 1:
                # Between the second try and the timer, another thread completes it.
                self.force_complete()
                return False
            return super().is_completed()

    op = Op(100_000)
    assert not purgatory.try_complete_else_watch(op, ["key"])
    assert op.asked == 2
    assert purgatory.num_delayed() == 0


def test_an_operation_can_be_completed_at_once_and_is_not_watched(purgatory: Purgatory) -> None:
    op = MockDelayedOperation(100_000)
    op.completable = True
    assert purgatory.try_complete_else_watch(op, ["a", "b"])
    assert purgatory.watched() == 0 and purgatory.num_delayed() == 0
    with pytest.raises(AssertionError):
        purgatory.try_complete_else_watch(op, [])


def test_purge_when_too_many_completed_ones_are_watched() -> None:
    timer = MockTimer()
    purgatory: Purgatory = DelayedOperationPurgatory("purge", timer, 0, 3, reaper_enabled=False)
    ops = [MockDelayedOperation(100_000) for _ in range(5)]
    for op in ops:
        purgatory.try_complete_else_watch(op, ["looked at", "never looked at"])
        op.completable = True
    assert purgatory.check_and_complete("looked at") == 5
    assert purgatory.watched() == 5
    # The mock timer keeps cancelled tasks until their time, and would hide them from the estimate.
    timer._task_queue.clear()
    purgatory.advance_clock(0)
    assert purgatory.watched() == 0
    assert purgatory._estimated_total_operations.get() == 0
    assert not any(watchers for watchers in (wl.all_watchers() for wl in purgatory._watcher_lists))
    purgatory.shutdown()


def test_a_purge_takes_more_completed_ones_than_the_interval() -> None:
    """An operation that still waits does not count, neither for the first purge nor for the next."""
    purgatory: Purgatory = DelayedOperationPurgatory(
        "purge", SystemTimer("purge"), 0, 3, reaper_enabled=False)
    ops = [MockDelayedOperation(100_000) for _ in range(20)]
    for number, op in enumerate(ops):
        purgatory.try_complete_else_watch(op, [number])
    watched = []
    for op in ops[:12]:
        op.force_complete()
        purgatory.advance_clock(0)
        watched.append(purgatory.watched())
    assert watched == [20, 20, 20, 16, 16, 16, 16, 12, 12, 12, 12, 8]
    assert purgatory.num_delayed() == 8
    purgatory.shutdown()


def test_waiting_costs_no_thread(purgatory: Purgatory) -> None:
    before = threading.active_count()
    for number in range(1000):
        key = TopicPartitionOperationKey("t", number)
        purgatory.try_complete_else_watch(MockDelayedOperation(100_000), [key])
    assert threading.active_count() == before
    assert purgatory.watched() == purgatory.num_delayed() == 1000


def test_a_lock_can_be_shared() -> None:
    lock = threading.RLock()
    assert MockDelayedOperation(1, lock)._lock is lock


def test_keys() -> None:
    keys = [TopicPartitionOperationKey("t", 1), MemberKey("g", "c"), GroupJoinKey("g"), GroupSyncKey("g")]
    assert [key.key_label() for key in keys] == ["t-1", "g-c", "join-g", "sync-g"]
    assert len(set(keys)) == len(keys)
    assert TopicPartitionOperationKey("t", 1) == keys[0]
    assert hash(TopicPartitionOperationKey("t", 1)) == hash(keys[0])
