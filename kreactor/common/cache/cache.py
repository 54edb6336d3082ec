# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.cache.Cache of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A map that may forget."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Cache(ABC, Generic[K, V]):
    """Keeps values by key, as long as it pleases.

    :origin: common.cache.Cache
    """

    __slots__ = ()

    @abstractmethod
    def get(self, key: K) -> V | None:
        """Return the value of ``key``, or None.

        :origin: common.cache.Cache#get(K)
        """

    # DEVIATION D126: the origin does not say what had to go.
    @abstractmethod
    def put(self, key: K, value: V) -> V | None:
        """Keep ``value``; return that of another key, which had to go for it, or None.

        :origin: common.cache.Cache#put(K, V)
        """

    @abstractmethod
    def remove(self, key: K) -> bool:
        """Forget ``key``; return whether it was there.

        :origin: common.cache.Cache#remove(K)
        """

    @abstractmethod
    def size(self) -> int:
        """Return the number of keys; while others are at it, about that.

        :origin: common.cache.Cache#size()
        """
