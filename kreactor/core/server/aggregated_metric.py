# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.AggregatedMetric of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A metric whose value is the sum of many."""

from __future__ import annotations

import threading


class AggregatedMetric:
    """Values by key. The key is a partition's number within a topic, or a topic's name within a broker.

    For use by any thread.

    :origin: kafka.server.AggregatedMetric
    """

    __slots__ = ("_lock", "_metric_values")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._metric_values: dict[str, int] = {}

    def set_value(self, key: str, value: int) -> None:
        """:origin: kafka.server.AggregatedMetric#setValue"""
        with self._lock:
            self._metric_values[key] = value

    def remove_key(self, key: str) -> int | None:
        """Remove the value of ``key``; return that value, or None if there was none.

        :origin: kafka.server.AggregatedMetric#removeKey
        """
        with self._lock:
            return self._metric_values.pop(key, None)

    def value(self) -> int:
        """Return the sum.

        :origin: kafka.server.AggregatedMetric#value
        """
        with self._lock:
            return sum(self._metric_values.values())

    def close(self) -> None:
        """Remove all values.

        :origin: kafka.server.AggregatedMetric#close
        """
        with self._lock:
            self._metric_values.clear()
