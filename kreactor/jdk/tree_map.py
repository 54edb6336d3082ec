# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.util.TreeMap``, as far as a cache of some thousands needs it. For one thread at a time.

The keys are in a sorted list: what a tree saves there is less than what one in Python would cost.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound="tuple[Any, ...]")
V = TypeVar("V")


class TreeMap(Generic[K, V]):
    """A mapping whose least key is known."""

    __slots__ = ("_keys", "_values")

    def __init__(self) -> None:
        self._keys: list[K] = []
        self._values: dict[K, V] = {}

    def __len__(self) -> int:
        return len(self._keys)

    def put(self, key: K, value: V) -> None:
        """Add a value, or replace that of the key."""
        if key not in self._values:
            insort(self._keys, key)
        self._values[key] = value

    def remove(self, key: K) -> None:
        """Remove a key if it is there."""
        if key in self._values:
            del self._values[key]
            del self._keys[bisect_left(self._keys, key)]

    def first_entry(self) -> tuple[K, V] | None:
        """Return the least key and its value, or None if there is none."""
        if not self._keys:
            return None
        key = self._keys[0]
        return key, self._values[key]
