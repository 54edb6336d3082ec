# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The guarantees that readers have of a ``java.util.concurrent.ConcurrentHashMap``."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def put_if_absent(map: dict[K, V], key: K, value: V) -> V | None:
    """Set the value of ``key`` in one step if it has none; return the one it has, or None."""
    # Of two equal values, identity tells which one setdefault kept. The same value is found by asking before.
    if key in map:
        return map[key]
    present = map.setdefault(key, value)
    return None if present is value else present


class ConcurrentMapView(Mapping[K, V]):
    """A live view, for reading only, of a dict that other threads change.

    Going through it goes through a copy taken at the start, and is not disturbed by changes; those who
    change the dict agree among themselves on a lock, which readers need not know.
    """

    __slots__ = ("_map",)

    def __init__(self, map: dict[K, V]) -> None:
        self._map = map

    def __getitem__(self, key: K) -> V:
        return self._map[key]

    def __contains__(self, key: object) -> bool:
        return key in self._map

    def __len__(self) -> int:
        return len(self._map)

    def __iter__(self) -> Iterator[K]:
        return iter(self._map.copy())

    def keys(self) -> KeysView[K]:
        """Return the keys of now."""
        return self._map.copy().keys()

    def values(self) -> ValuesView[V]:
        """Return the values of now."""
        return self._map.copy().values()

    def items(self) -> ItemsView[K, V]:
        """Return the pairs of now."""
        return self._map.copy().items()

    def __repr__(self) -> str:
        return repr(self._map.copy())
