# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.cache.SynchronizedCache of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Makes a cache thread-safe."""

from __future__ import annotations

from kreactor.common.cache.cache import Cache, K, V
from kreactor.jdk.locks import Lock


class SynchronizedCache(Cache[K, V]):
    """A cache behind a lock.

    :origin: common.cache.SynchronizedCache
    """

    __slots__ = ("_underlying", "_lock")

    def __init__(self, underlying: Cache[K, V]) -> None:
        """:origin: common.cache.SynchronizedCache#SynchronizedCache(Cache<K,V>)"""
        self._underlying = underlying
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        """:origin: common.cache.SynchronizedCache#get(K)"""
        with self._lock:
            return self._underlying.get(key)

    def put(self, key: K, value: V) -> V | None:
        """:origin: common.cache.SynchronizedCache#put(K, V)"""
        with self._lock:
            return self._underlying.put(key, value)

    def remove(self, key: K) -> bool:
        """:origin: common.cache.SynchronizedCache#remove(K)"""
        with self._lock:
            return self._underlying.remove(key)

    def size(self) -> int:
        """:origin: common.cache.SynchronizedCache#size()"""
        with self._lock:
            return self._underlying.size()
