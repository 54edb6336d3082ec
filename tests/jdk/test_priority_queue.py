# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A heap whose elements leave in the order that the JDK's heap gives them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.jdk.priority_queue import PriorityQueue


def drained(names: list[str]) -> str:
    """Return names' second letters in the order in which they leave; the first letter is the number."""
    queue: PriorityQueue[str] = PriorityQueue(lambda name: int(name[0]))
    for name in names:
        queue.add(name)
    return "".join(str(queue.poll())[1] for _ in names)


def test_an_empty_queue_has_no_head() -> None:
    queue: PriorityQueue[int] = PriorityQueue(int)
    assert (queue.peek(), queue.poll(), queue.is_empty(), list(queue)) == (None, None, True, [])


@pytest.mark.parametrize(("added", "leave"), [
    # The answers of java.util.PriorityQueue of JDK 17.
    ("2a 2b 2c", "acb"),
    ("2a 2b 2c 2d", "adcb"),
    ("2a 2b 2c 2d 2e", "aedcb"),
    ("2a 2b 0c 2d 0e", "cedab"),
    ("3a 2b 2c 4d 0e 2f 2g", "egfbcad"),
    ("2a 4b 3c 0d 2e 2f 0g 3h 2i", "dgaiefchb"),
])
def test_equals_leave_as_from_the_jdk(added: str, leave: str) -> None:
    assert drained(added.split()) == leave


def test_it_is_iterated_in_the_order_of_its_array() -> None:
    queue: PriorityQueue[int] = PriorityQueue(int)
    for number in (5, 3, 4, 1):
        queue.add(number)
    assert list(queue) == [1, 3, 4, 5]
    assert (queue.peek(), len(queue)) == (1, 4)


@given(st.lists(st.one_of(st.none(), st.integers(0, 9))))
def test_the_head_is_a_least_element(steps: list[int | None]) -> None:
    queue: PriorityQueue[int] = PriorityQueue(int)
    model: list[int] = []
    for step in steps:
        if step is not None:
            queue.add(step)
            model.append(step)
        elif model:
            model.remove(least := min(model))
            assert queue.poll() == least
        assert sorted(queue) == sorted(model)
