# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.util.TreeMap``, with the methods that a cache of some thousand entries needs.

Owner: one thread at a time.

The keys are in a sorted list, because at this size a tree in Python would cost more than it saves.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound="tuple[Any, ...]")
V = TypeVar("V")


class TreeMap(Generic[K, V]):
    """A mapping with a known lowest key."""

    __slots__ = ("_keys", "_values")

    def __init__(self) -> None:
        self._keys: list[K] = []
        self._values: dict[K, V] = {}

    def __len__(self) -> int:
        return len(self._keys)

    def put(self, key: K, value: V) -> None:
        """Set the value of a key."""
        if key not in self._values:
            insort(self._keys, key)
        self._values[key] = value

    def remove(self, key: K) -> None:
        """Remove a key if it is there."""
        if key in self._values:
            del self._values[key]
            del self._keys[bisect_left(self._keys, key)]

    def first_entry(self) -> tuple[K, V] | None:
        """Return the lowest key and its value, or None for an empty map."""
        if not self._keys:
            return None
        key = self._keys[0]
        return key, self._values[key]
