# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.internals.IntGaugeSuite of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Counts by key, one metric per key: for example, the number of connections of each client software.

Used by any thread. Counting takes only the lock of the suite. Changes of metrics, which take the locks of
``Metrics`` and call reporters, go to a queue. They are applied in order after the lock is released.
"""

from __future__ import annotations

from collections import deque
from typing import Callable, Generic, Hashable, TypeVar

from kreactor.common.metric_name import MetricName
from kreactor.common.metrics.gauge import Gauge
from kreactor.common.metrics.metric_config import MetricConfig
from kreactor.common.metrics.metric_value_provider import MetricValueProvider
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.utils.log_context import Logger
from kreactor.jdk.locks import Lock, ReentrantLock

K = TypeVar("K", bound=Hashable)


class IntGaugeSuite(Generic[K]):
    """At most ``max_entries`` gauges. A gauge of 0 stays until a new key needs its place.

    :origin: common.metrics.internals.IntGaugeSuite
    """

    __slots__ = ("_log", "_suite_name", "_metrics", "_metric_name_calculator", "_max_entries", "_gauges",
                 "_removable", "_pending", "_modify_metrics_lock", "_lock", "_closed")

    class PendingMetricsChange:
        """A metric to add, or to remove if ``provider`` is None.

        :origin: common.metrics.internals.IntGaugeSuite.PendingMetricsChange
        """

        __slots__ = ("_metric_name", "_provider")

        def __init__(self, metric_name: MetricName, provider: MetricValueProvider[object] | None) -> None:
            """:origin: common.metrics.internals.IntGaugeSuite.PendingMetricsChange#PendingMetricsChange(MetricName, MetricValueProvider<?>)"""  # noqa: E501
            self._metric_name = metric_name
            self._provider = provider

    class StoredIntGauge(Gauge[int]):
        """A count with a lock. The suite changes the count, and any thread reads it.

        :origin: common.metrics.internals.IntGaugeSuite.StoredIntGauge
        """

        __slots__ = ("_metric_name", "_lock", "_value")

        def __init__(self, metric_name: MetricName) -> None:
            """Start at 1, because the first increment creates the gauge.

            :origin: common.metrics.internals.IntGaugeSuite.StoredIntGauge#StoredIntGauge(MetricName)
            """
            self._metric_name = metric_name
            self._lock = Lock()
            self._value = 1

        def value(self, config: MetricConfig | None = None, now: int = 0) -> int:
            """Return the count. The arguments are ignored.

            :origin: common.metrics.internals.IntGaugeSuite.StoredIntGauge#value(MetricConfig, long)
            :origin: common.metrics.internals.IntGaugeSuite.StoredIntGauge#value()
            """
            with self._lock:
                return self._value

        def increment(self) -> int:
            """:origin: common.metrics.internals.IntGaugeSuite.StoredIntGauge#increment()"""
            with self._lock:
                self._value += 1
                return self._value

        def decrement(self) -> int:
            """:origin: common.metrics.internals.IntGaugeSuite.StoredIntGauge#decrement()"""
            with self._lock:
                self._value -= 1
                return self._value

    def __init__(self, log: Logger, suite_name: str, metrics: Metrics,
                 metric_name_calculator: Callable[[K], MetricName], max_entries: int) -> None:
        """``metric_name_calculator`` returns a unique metric name for each key.

        The suite calls it with the lock held.

        :origin: common.metrics.internals.IntGaugeSuite#IntGaugeSuite(Logger, String, Metrics, Function<K,MetricName>, int)
        """  # noqa: E501
        self._log = log
        self._suite_name = suite_name
        self._metrics = metrics
        self._metric_name_calculator = metric_name_calculator
        self._max_entries = max_entries
        self._lock = ReentrantLock()
        # Guarded by ``_lock``.
        self._gauges: dict[K, IntGaugeSuite.StoredIntGauge] = {}
        # The keys with count 0, as an ordered set.
        self._removable: dict[K, None] = {}
        self._closed = False
        # Filled with ``_lock`` held, so changes are in the order of counting. Emptied with
        # ``_modify_metrics_lock`` held. Only ``close`` takes both locks together.
        self._pending: deque[IntGaugeSuite.PendingMetricsChange] = deque()
        self._modify_metrics_lock = ReentrantLock()
        log.trace("%s: new gauge suite of at most %d entries", suite_name, max_entries)

    def increment(self, key: K) -> None:
        """Increment the count of ``key``, unless the suite is closed or full of counts above 0.

        :origin: common.metrics.internals.IntGaugeSuite#increment(K)
        """
        with self._lock:
            if self._closed:
                self._log.warn("%s: closed, cannot increment %s", self._suite_name, key)
                return
            gauge = self._gauges.get(key)
            if gauge is not None:
                if gauge.increment() > 0:
                    self._removable.pop(key, None)
                return
            if len(self._gauges) == self._max_entries:
                if not self._removable:
                    self._log.debug("%s: no metric for %s: all %d entries are in use",
                                    self._suite_name, key, self._max_entries)
                    return
                key_to_remove = next(iter(self._removable))
                del self._removable[key_to_remove]
                metric_name_to_remove = self._gauges.pop(key_to_remove)._metric_name
                self._pending.append(self.PendingMetricsChange(metric_name_to_remove, None))
                self._log.trace("%s: removing the metric of %s, which is 0", self._suite_name, key_to_remove)
            metric_name_to_add = self._metric_name_calculator(key)
            gauge = self.StoredIntGauge(metric_name_to_add)
            self._gauges[key] = gauge
            self._pending.append(self.PendingMetricsChange(metric_name_to_add, gauge))
            self._log.trace("%s: adding a metric of %s", self._suite_name, key)
        self._perform_pending_metrics_operations()

    def _perform_pending_metrics_operations(self) -> None:
        """Apply the pending changes in order, so that no metric is removed before it is registered.

        The lock ensures that a thread returns only after its own change is applied, possibly by another
        thread.

        :origin: common.metrics.internals.IntGaugeSuite#performPendingMetricsOperations()
        """
        with self._modify_metrics_lock:
            self._log.trace("%s: changing metrics", self._suite_name)
            while True:
                try:
                    change = self._pending.popleft()
                except IndexError:
                    break
                if change._provider is None:
                    self._log.trace("%s: removing metric %s", self._suite_name, change._metric_name)
                    self._metrics.remove_metric(change._metric_name)
                else:
                    self._log.trace("%s: adding metric %s", self._suite_name, change._metric_name)
                    self._metrics.add_metric(change._metric_name, change._provider)
            self._log.trace("%s: changed metrics", self._suite_name)

    def decrement(self, key: K) -> None:
        """Decrement the count of ``key``, if it has a gauge.

        :origin: common.metrics.internals.IntGaugeSuite#decrement(K)
        """
        with self._lock:
            if self._closed:
                self._log.warn("%s: closed, cannot decrement %s", self._suite_name, key)
                return
            gauge = self._gauges.get(key)
            if gauge is None:
                self._log.debug("%s: cannot decrement %s, which has no metric", self._suite_name, key)
            else:
                cur = gauge.decrement()
                self._log.trace("%s: %s counts %d now", self._suite_name, key, cur)
                if cur <= 0:
                    self._removable[key] = None

    def close(self) -> None:
        """Remove all metrics. A second call does nothing.

        :origin: common.metrics.internals.IntGaugeSuite#close()
        """
        with self._lock:
            if self._closed:
                self._log.trace("%s: already closed", self._suite_name)
                return
            self._closed = True
            prev_size = len(self._gauges)
            for gauge in self._gauges.values():
                self._pending.append(self.PendingMetricsChange(gauge._metric_name, None))
            self._gauges.clear()
            self._perform_pending_metrics_operations()
            self._log.trace("%s: closed %d metrics", self._suite_name, prev_size)

    def max_entries(self) -> int:
        """:origin: common.metrics.internals.IntGaugeSuite#maxEntries()"""
        return self._max_entries

    def metrics(self) -> Metrics:
        """Return the registry. Only tests call this.

        :origin: common.metrics.internals.IntGaugeSuite#metrics()
        """
        return self._metrics

    def values(self) -> dict[K, int]:
        """Return the counts by key. Only tests call this.

        :origin: common.metrics.internals.IntGaugeSuite#values()
        """
        with self._lock:
            return {key: gauge.value() for key, gauge in self._gauges.items()}
