# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A set in the order of keys that may change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.jdk.exceptions import NoSuchElementException
from kreactor.jdk.tree_set import TreeSet


class Box:
    """Something whose key is a number that may change."""

    def __init__(self, number: int) -> None:
        self.number = number


def boxes(*numbers: int) -> tuple[TreeSet[Box], list[Box]]:
    """Return a set of new boxes, and the boxes."""
    tree: TreeSet[Box] = TreeSet(lambda box: (box.number,))
    elements = [Box(number) for number in numbers]
    for element in elements:
        tree.add(element)
    return tree, elements


def test_an_empty_set_has_no_first_element() -> None:
    tree, _ = boxes()
    assert tree.is_empty()
    with pytest.raises(NoSuchElementException):
        tree.first()


def test_elements_with_one_key_are_one_element() -> None:
    tree, [two, one] = boxes(2, 1)
    twin = Box(2)
    assert not tree.add(twin)
    assert list(tree) == [one, two]
    assert tree.remove(twin)
    assert list(tree) == [one]
    assert not tree.remove(twin)


def test_an_element_stays_where_it_is_when_its_key_changes() -> None:
    tree, [one, two, three] = boxes(1, 2, 3)
    one.number = 9
    assert list(tree) == [one, two, three]
    assert tree.first() is one
    assert not tree.remove(one), "it is looked for where its new key belongs"
    assert len(tree) == 3


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 9))))
def test_as_a_set_that_is_sorted(steps: list[tuple[bool, int]]) -> None:
    tree: TreeSet[int] = TreeSet(lambda number: (number,))
    model: set[int] = set()
    for is_added, number in steps:
        if is_added:
            assert tree.add(number) is (number not in model)
            model.add(number)
        else:
            assert tree.remove(number) is (number in model)
            model.discard(number)
        assert list(tree) == sorted(model)
