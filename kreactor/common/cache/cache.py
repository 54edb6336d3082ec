# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.cache.Cache of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A map that may evict entries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Cache(ABC, Generic[K, V]):
    """A map from keys to values that may evict entries at any time.

    :origin: common.cache.Cache
    """

    __slots__ = ()

    @abstractmethod
    def get(self, key: K) -> V | None:
        """Return the value of ``key``, or None.

        :origin: common.cache.Cache#get(K)
        """

    # DEVIATION D126: the origin does not return the evicted value.
    @abstractmethod
    def put(self, key: K, value: V) -> V | None:
        """Set the value of ``key``; return the value evicted for it, or None.

        :origin: common.cache.Cache#put(K, V)
        """

    @abstractmethod
    def remove(self, key: K) -> bool:
        """Remove ``key``; return whether it existed.

        :origin: common.cache.Cache#remove(K)
        """

    @abstractmethod
    def size(self) -> int:
        """Return the number of keys, which is approximate while other threads change the cache.

        :origin: common.cache.Cache#size()
        """
