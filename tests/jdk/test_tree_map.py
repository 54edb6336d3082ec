# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A mapping that knows its least key."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kreactor.jdk.tree_map import TreeMap


def test_the_least_key_comes_first() -> None:
    tree: TreeMap[tuple[int, str], str] = TreeMap()
    assert tree.first_entry() is None
    tree.put((2, "b"), "two")
    tree.put((1, "z"), "one")
    tree.put((2, "a"), "also two")
    assert (tree.first_entry(), len(tree)) == (((1, "z"), "one"), 3)
    tree.put((1, "z"), "replaced")
    assert (tree.first_entry(), len(tree)) == (((1, "z"), "replaced"), 3)
    tree.remove((1, "z"))
    tree.remove((1, "not there"))
    assert (tree.first_entry(), len(tree)) == (((2, "a"), "also two"), 2)


@given(st.lists(st.tuples(st.booleans(), st.tuples(st.integers(0, 9)))))
def test_as_a_dictionary_whose_least_key_is_looked_for(steps: list[tuple[bool, tuple[int]]]) -> None:
    tree: TreeMap[tuple[int], int] = TreeMap()
    model: dict[tuple[int], int] = {}
    for number, (is_put, key) in enumerate(steps):
        if is_put:
            tree.put(key, number)
            model[key] = number
        else:
            tree.remove(key)
            model.pop(key, None)
        assert len(tree) == len(model)
        assert tree.first_entry() == (min(model.items()) if model else None)
