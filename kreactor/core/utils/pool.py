# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.utils.Pool of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A map for any number of threads that can make missing values.

``_lock`` is taken to make a value, so that two threads that need it get the same one. Single operations need
no lock. An iteration sees the map as it was at the start.
"""

from __future__ import annotations

from typing import Callable, Generic, Iterable, Iterator, Mapping, TypeVar

from kreactor.common.kafka_exception import KafkaException
from kreactor.jdk.locks import ReentrantLock

K = TypeVar("K")
V = TypeVar("V")


class Pool(Generic[K, V]):
    """Values by key; neither is None.

    :origin: kafka.utils.Pool
    """

    __slots__ = ("_value_factory", "_pool", "_lock")

    def __init__(self, value_factory: Callable[[K], V] | None = None) -> None:
        """``value_factory`` makes the missing values of ``get_and_maybe_put``.

        :origin: kafka.utils.Pool#Pool
        """
        self._value_factory = value_factory
        self._pool: dict[K, V] = {}
        self._lock = ReentrantLock()

    def put(self, k: K, v: V) -> V | None:
        """Set the value of ``k``; return the old value, or None.

        :origin: kafka.utils.Pool#put
        """
        with self._lock:
            previous = self._pool.get(k)
            self._pool[k] = v
        return previous

    def put_all(self, map: Mapping[K, V]) -> None:
        """Set all values of ``map``.

        :origin: kafka.utils.Pool#putAll
        """
        with self._lock:
            self._pool.update(map)

    def put_if_not_exists(self, k: K, v: V) -> V | None:
        """Set the value of ``k`` if there is none; return the existing value, or None.

        :origin: kafka.utils.Pool#putIfNotExists
        """
        with self._lock:
            previous = self._pool.get(k)
            if previous is None:
                self._pool[k] = v
        return previous

    def get_and_maybe_put(self, key: K) -> V:
        """Return the value of ``key``, which the pool's factory makes if there is none.

        Raises KafkaException if the pool has no factory.

        :origin: kafka.utils.Pool#getAndMaybePut(K)
        """
        value_factory = self._value_factory
        if value_factory is None:
            raise KafkaException("Empty value factory in pool.")
        return self.get_and_maybe_put_create_value(key, lambda: value_factory(key))

    def get_and_maybe_put_create_value(self, key: K, create_value: Callable[[], V]) -> V:
        """Return the value of ``key``, which ``create_value`` makes if there is none.

        :origin: kafka.utils.Pool#getAndMaybePut(K, V)
        """
        value = self._pool.get(key)
        if value is None:
            with self._lock:
                value = self._pool.get(key)
                if value is None:
                    value = self._pool[key] = create_value()
        return value

    def contains(self, id: K) -> bool:
        """Return whether ``id`` has a value.

        :origin: kafka.utils.Pool#contains
        """
        return id in self._pool

    def get(self, key: K) -> V | None:
        """Return the value of ``key``, or None.

        :origin: kafka.utils.Pool#get
        """
        return self._pool.get(key)

    def remove(self, key: K) -> V | None:
        """Remove ``key``; return its value, or None.

        :origin: kafka.utils.Pool#remove(K)
        """
        with self._lock:
            return self._pool.pop(key, None)

    def remove_value(self, key: K, value: V) -> bool:
        """Remove ``key`` if its value is ``value``; return whether it was.

        :origin: kafka.utils.Pool#remove(K, V)
        """
        with self._lock:
            if key in self._pool and self._pool[key] == value:
                del self._pool[key]
                return True
        return False

    def remove_all(self, keys: Iterable[K]) -> None:
        """Remove all ``keys``.

        :origin: kafka.utils.Pool#removeAll
        """
        for key in keys:
            self.remove(key)

    def keys(self) -> list[K]:
        """Return the current keys.

        :origin: kafka.utils.Pool#keys
        """
        return list(self._pool)

    def values(self) -> list[V]:
        """Return the current values.

        :origin: kafka.utils.Pool#values
        """
        return list(self._pool.values())

    def clear(self) -> None:
        """Remove all keys.

        :origin: kafka.utils.Pool#clear
        """
        with self._lock:
            self._pool.clear()

    def size(self) -> int:
        """Return the number of keys.

        :origin: kafka.utils.Pool#size
        """
        return len(self._pool)

    def __iter__(self) -> Iterator[tuple[K, V]]:
        """Iterate over the current keys and values.

        :origin: kafka.utils.Pool#iterator
        """
        return iter(list(self._pool.items()))
