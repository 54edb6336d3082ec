# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Values that several threads share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kreactor.jdk.atomic import AtomicBoolean, AtomicInteger, AtomicReference
from tests.stepping import Background


def test_a_reference_is_replaced_if_it_is_the_object_itself() -> None:
    first, equal = [1], [1]
    reference: AtomicReference[list[int]] = AtomicReference()
    assert reference.get() is None
    assert not reference.compare_and_set(first, equal)
    assert reference.compare_and_set(None, first)
    assert not reference.compare_and_set(equal, equal)
    assert reference.get() is first
    reference.set(equal)
    assert reference.compare_and_set(equal, None)
    assert reference.get() is None


def test_one_thread_of_many_replaces_a_reference() -> None:
    reference: AtomicReference[object] = AtomicReference()
    won = AtomicInteger()

    def race() -> None:
        if reference.compare_and_set(None, object()):
            won.increment_and_get()

    for thread in [Background(race) for _ in range(8)]:
        thread.result()
    assert won.get() == 1


class ContendedLock:
    """A lock that another thread has had immediately before: that thread has set a value."""

    def __init__(self, atomic: Any, value: object) -> None:
        self._atomic = atomic
        self._value = value
        self.left: list[object] = []

    def __enter__(self) -> None:
        self._atomic._value = self._value

    def __exit__(self, *_: object) -> None:
        self.left.append(self._atomic._value)


FIRST, SECOND, THIRD = object(), object(), object()


@pytest.mark.parametrize(("atomic", "other", "change", "result", "left"), [
    (AtomicBoolean(), True, lambda atomic: atomic.set(False), None, False),
    (AtomicBoolean(), True, lambda atomic: atomic.get_and_set(False), True, False),
    (AtomicInteger(1), 7, lambda atomic: atomic.set(3), None, 3),
    (AtomicInteger(1), 7, lambda atomic: atomic.get_and_set(3), 7, 3),
    (AtomicInteger(1), 7, lambda atomic: atomic.increment_and_get(), 8, 8),
    (AtomicInteger(1), 7, lambda atomic: atomic.get_and_increment(), 7, 8),
    (AtomicInteger(1), 7, lambda atomic: atomic.decrement_and_get(), 6, 6),
    (AtomicInteger(1), 7, lambda atomic: atomic.get_and_add(3), 7, 10),
    (AtomicReference(FIRST), SECOND, lambda atomic: atomic.set(THIRD), None, THIRD),
    (AtomicReference(FIRST), SECOND, lambda atomic: atomic.compare_and_set(FIRST, THIRD), False, SECOND),
    (AtomicReference(FIRST), SECOND, lambda atomic: atomic.compare_and_set(SECOND, THIRD), True, THIRD),
])
def test_a_change_reads_and_writes_under_the_lock(
        atomic: Any, other: object, change: Callable[[Any], object], result: object, left: object) -> None:
    lock = atomic._lock = ContendedLock(atomic, other)
    assert change(atomic) is result if isinstance(result, bool) else change(atomic) == result
    assert lock.left == [left] and atomic.get() == left
