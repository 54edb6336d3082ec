# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.cache.LRUCache of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A cache that evicts the least recently used entry. Used by one thread."""

from __future__ import annotations

from collections import OrderedDict

from kreactor.common.cache.cache import Cache, K, V


class LRUCache(Cache[K, V]):
    """A cache with at most ``max_size`` keys.

    :origin: common.cache.LRUCache
    """

    __slots__ = ("_max_size", "_cache")

    def __init__(self, max_size: int) -> None:
        """:origin: common.cache.LRUCache#LRUCache(int)"""
        self._max_size = max_size
        # In the order of use; the most recently used key is last.
        self._cache: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        """:origin: common.cache.LRUCache#get(K)"""
        value = self._cache.get(key)
        if value is not None:
            self._cache.move_to_end(key)
        return value

    def put(self, key: K, value: V) -> V | None:
        """:origin: common.cache.LRUCache#put(K, V)"""
        self._cache[key] = value
        self._cache.move_to_end(key)
        return self._cache.popitem(last=False)[1] if len(self._cache) > self._max_size else None

    def remove(self, key: K) -> bool:
        """:origin: common.cache.LRUCache#remove(K)"""
        return self._cache.pop(key, None) is not None

    def size(self) -> int:
        """:origin: common.cache.LRUCache#size()"""
        return len(self._cache)
