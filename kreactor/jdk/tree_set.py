# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.util.TreeSet`` with a comparator. Owner: one thread at a time.

The elements are in a sorted list: the sets here have few elements.

*Two elements whose keys are equal are the same one to this set*, as in Java: the second is not added, and
removing either removes the one that is there. *A key may change while its element is in the set.* Java's tree
does not move the element then. Neither does this list, and a look-up may miss the element. After a change of
keys, the owner makes a new set of the elements.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Any, Callable, Generic, TypeVar

from kreactor.jdk.exceptions import NoSuchElementException

T = TypeVar("T")


class TreeSet(Generic[T]):
    """A set in the order of its elements' keys."""

    __slots__ = ("_elements", "_key")

    def __init__(self, key: Callable[[T], tuple[Any, ...]]) -> None:
        """``key`` returns the value by which elements are compared; each comparison calls it."""
        self._elements: list[T] = []
        self._key = key

    def __len__(self) -> int:
        return len(self._elements)

    def __iter__(self) -> Iterator[T]:
        """Yield the elements from the lowest key to the highest."""
        return iter(self._elements)

    def is_empty(self) -> bool:
        """Return whether there are no elements."""
        return not self._elements

    def first(self) -> T:
        """Return the element with the lowest key. Raises NoSuchElementException if there is none."""
        if not self._elements:
            raise NoSuchElementException("the set is empty")
        return self._elements[0]

    def add(self, element: T) -> bool:
        """Add an element; return False, and add nothing, if the set has an element with this key."""
        index, found = self._find(element)
        if not found:
            self._elements.insert(index, element)
        return not found

    def remove(self, element: T) -> bool:
        """Remove the element with the key of ``element``; return whether the set had one."""
        index, found = self._find(element)
        if found:
            del self._elements[index]
        return found

    def _find(self, element: T) -> tuple[int, bool]:
        """Return the index for the element's key, and whether the set has an element with this key."""
        key = self._key(element)
        index = bisect_left(self._elements, key, key=self._key)
        return index, index < len(self._elements) and self._key(self._elements[index]) == key
