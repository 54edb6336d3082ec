# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Values that several threads share."""

from __future__ import annotations

from kreactor.jdk.atomic import AtomicInteger, AtomicReference
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
