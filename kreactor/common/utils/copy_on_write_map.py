# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.CopyOnWriteMap of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A map with many reads and few changes.

A change copies the map under a lock, then replaces the map with one assignment. Readers take no lock. They
see the map before the change or after it, and their views never change.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from types import MappingProxyType
from typing import Callable, Generic, TypeVar

from kreactor.jdk.locks import ReentrantLock

K = TypeVar("K")
V = TypeVar("V")


class CopyOnWriteMap(Generic[K, V]):
    """A map for any thread. Changes hold a reentrant lock, reads take no lock.

    :origin: common.utils.CopyOnWriteMap
    """

    __slots__ = ("_map", "_lock")

    def __init__(self, map_: Mapping[K, V] = MappingProxyType({})) -> None:
        """Start with the entries of ``map_``, which the caller must not change afterwards.

        :origin: common.utils.CopyOnWriteMap#CopyOnWriteMap()
        :origin: common.utils.CopyOnWriteMap#CopyOnWriteMap(Map<K,V>)
        """
        self._map: Mapping[K, V] = MappingProxyType(map_)
        self._lock = ReentrantLock()

    def __contains__(self, k: object) -> bool:
        """Return whether a key exists.

        :origin: common.utils.CopyOnWriteMap#containsKey(Object)
        """
        return k in self._map

    def items(self) -> ItemsView[K, V]:
        """Return the current entries.

        :origin: common.utils.CopyOnWriteMap#entrySet()
        """
        return self._map.items()

    def get(self, k: K) -> V | None:
        """Return the value of a key, or None.

        :origin: common.utils.CopyOnWriteMap#get(Object)
        """
        return self._map.get(k)

    def is_empty(self) -> bool:
        """Return whether the map is empty.

        :origin: common.utils.CopyOnWriteMap#isEmpty()
        """
        return not self._map

    def keys(self) -> KeysView[K]:
        """Return the current keys.

        :origin: common.utils.CopyOnWriteMap#keySet()
        """
        return self._map.keys()

    def __iter__(self) -> Iterator[K]:
        return iter(self._map)

    def __len__(self) -> int:
        """Return the number of entries.

        :origin: common.utils.CopyOnWriteMap#size()
        """
        return len(self._map)

    def values(self) -> ValuesView[V]:
        """Return the current values.

        :origin: common.utils.CopyOnWriteMap#values()
        """
        return self._map.values()

    def clear(self) -> None:
        """Remove all entries.

        :origin: common.utils.CopyOnWriteMap#clear()
        """
        with self._lock:
            self._map = MappingProxyType({})

    def put(self, k: K, v: V) -> V | None:
        """Set the value of a key; return the previous value, or None.

        :origin: common.utils.CopyOnWriteMap#put(K, V)
        """
        with self._lock:
            copy = dict(self._map)
            prev = copy.get(k)
            copy[k] = v
            self._map = MappingProxyType(copy)
            return prev

    def remove(self, key: K) -> V | None:
        """Remove a key; return its value, or None.

        :origin: common.utils.CopyOnWriteMap#remove(Object)
        """
        with self._lock:
            copy = dict(self._map)
            prev = copy.pop(key, None)
            self._map = MappingProxyType(copy)
            return prev

    def put_if_absent(self, k: K, v: V) -> V | None:
        """Set the value of a missing key and return None. Return the value of an existing key.

        :origin: common.utils.CopyOnWriteMap#putIfAbsent(K, V)
        """
        with self._lock:
            if k not in self:
                return self.put(k, v)
            return self.get(k)

    def compute_if_absent(self, k: K, mapping_function: Callable[[K], V]) -> V:
        """Return the value of a key. Compute and set the value of a missing key.

        Two threads may both compute a value, as with the ConcurrentMap method that the origin inherits. Only
        one of the two values is set, and both threads return it.
        """
        v = self._map.get(k)
        if v is None:
            new_value = mapping_function(k)
            v = self.put_if_absent(k, new_value)
            if v is None:
                return new_value
        return v
