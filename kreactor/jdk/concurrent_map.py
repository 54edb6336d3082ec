# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The guarantees for readers of a ``java.util.concurrent.ConcurrentHashMap``."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def put_if_absent(map: dict[K, V], key: K, value: V) -> V | None:
    """Set the value of ``key`` in one step if it has none; return its previous value, or None."""
    # Identity tells whether setdefault kept ``value`` or an equal value of another thread. The first look-up
    # covers a key that has ``value`` itself.
    if key in map:
        return map[key]
    present = map.setdefault(key, value)
    return None if present is value else present


class ConcurrentMapView(Mapping[K, V]):
    """A live, read-only view of a dict that other threads change.

    An iteration goes over a copy that is taken at its start, so changes do not disturb it. The threads that
    change the dict share a lock. Readers do not need the lock.
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
        """Return a copy of the current keys."""
        return self._map.copy().keys()

    def values(self) -> ValuesView[V]:
        """Return a copy of the current values."""
        return self._map.copy().values()

    def items(self) -> ItemsView[K, V]:
        """Return a copy of the current pairs."""
        return self._map.copy().items()

    def __repr__(self) -> str:
        return repr(self._map.copy())
