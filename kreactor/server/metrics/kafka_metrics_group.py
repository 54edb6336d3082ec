# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.metrics.KafkaMetricsGroup of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The metrics of one server class, under the names that Kafka's users know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Callable, TypeVar

from kreactor.common.utils.sanitizer import Sanitizer
from kreactor.jdk.time_unit import TimeUnit
from kreactor.server.metrics.kafka_yammer_metrics import KafkaYammerMetrics
from kreactor.server.metrics.yammer import Gauge, Histogram, Meter, MetricName, MetricsRegistry, Timer

T = TypeVar("T")

_NO_TAGS: Mapping[str, str] = {}


class KafkaMetricsGroup:
    """Makes and removes metrics in the server's registry. An existing metric is returned unchanged.

    For use by any thread. A metric has a name and tags, or a whole ``MetricName``, as in the origin. Tags
    without a value are ignored.

    :origin: server.metrics.KafkaMetricsGroup
    """

    __slots__ = ("_klass", "_registry")

    def __init__(self, klass: type, registry: MetricsRegistry | None = None) -> None:
        """``registry`` is by default the registry of the process.

        :origin: server.metrics.KafkaMetricsGroup#KafkaMetricsGroup(Class<?>)
        """
        self._klass = klass
        # DEVIATION D81: in Kafka all metrics are in the registry of the process.
        self._registry = KafkaYammerMetrics.default_registry() if registry is None else registry

    def metric_name(self, name: str, tags: Mapping[str, str]) -> MetricName:
        """Return a metric name of Kafka's package and the class's name.

        :origin: server.metrics.KafkaMetricsGroup#metricName(String, Map<String,String>)
        """
        # DEVIATION D33: the group is the package of the class in Kafka.
        pkg = _kafka_package(self._klass)
        simple_name = self._klass.__name__
        return self.explicit_metric_name(pkg, simple_name, name, tags)

    @staticmethod
    def explicit_metric_name(group: str, type_name: str, name: str, tags: Mapping[str, str]) -> MetricName:
        """Return a metric name. The tags keep their order in the MBean's name, and are sorted by key in the
        scope.

        :origin: server.metrics.KafkaMetricsGroup#explicitMetricName(String, String, String, Map<String,String>)
        """  # noqa: E501
        name_builder = f"{group}:type={type_name}"

        if name:
            name_builder += f",name={name}"

        scope = KafkaMetricsGroup._to_scope(tags)
        tags_name = KafkaMetricsGroup._to_mbean_name(tags)
        if tags_name is not None:
            name_builder += f",{tags_name}"

        return MetricName(group, type_name, name, scope, name_builder)

    def new_gauge(self, name: str | MetricName, metric: Gauge[T] | Callable[[], T],
                  tags: Mapping[str, str] = _NO_TAGS) -> Gauge[T]:
        """Return a gauge whose value is the result of ``metric``.

        :origin: server.metrics.KafkaMetricsGroup#newGauge(String, Gauge<T>, Map<String,String>)
        :origin: server.metrics.KafkaMetricsGroup#newGauge(String, Gauge<T>)
        :origin: server.metrics.KafkaMetricsGroup#newGauge(MetricName, Gauge<T>)
        """
        return self._registry.new_gauge(self._name(name, tags), metric)

    def new_meter(self, name: str | MetricName, event_type: str, time_unit: TimeUnit,
                  tags: Mapping[str, str] = _NO_TAGS) -> Meter:
        """Return a meter of ``event_type``, whose rates are per ``time_unit``.

        :origin: server.metrics.KafkaMetricsGroup#newMeter(String, String, TimeUnit, Map<String,String>)
        :origin: server.metrics.KafkaMetricsGroup#newMeter(String, String, TimeUnit)
        :origin: server.metrics.KafkaMetricsGroup#newMeter(MetricName, String, TimeUnit)
        """
        return self._registry.new_meter(self._name(name, tags), event_type, time_unit)

    def new_histogram(self, name: str, biased: bool = True, tags: Mapping[str, str] = _NO_TAGS) -> Histogram:
        """Return a histogram, of the last five minutes if ``biased``, else of all times.

        :origin: server.metrics.KafkaMetricsGroup#newHistogram(String, boolean, Map<String,String>)
        :origin: server.metrics.KafkaMetricsGroup#newHistogram(String)
        """
        return self._registry.new_histogram(self.metric_name(name, tags), biased)

    def new_timer(self, name: str | MetricName, duration_unit: TimeUnit, rate_unit: TimeUnit,
                  tags: Mapping[str, str] = _NO_TAGS) -> Timer:
        """Return a timer with durations in ``duration_unit`` and rates per ``rate_unit``.

        :origin: server.metrics.KafkaMetricsGroup#newTimer(String, TimeUnit, TimeUnit, Map<String,String>)
        :origin: server.metrics.KafkaMetricsGroup#newTimer(String, TimeUnit, TimeUnit)
        :origin: server.metrics.KafkaMetricsGroup#newTimer(MetricName, TimeUnit, TimeUnit)
        """
        return self._registry.new_timer(
            self._name(name, tags), duration_unit, rate_unit)

    def remove_metric(self, name: str | MetricName, tags: Mapping[str, str] = _NO_TAGS) -> None:
        """Remove a metric, if it exists.

        :origin: server.metrics.KafkaMetricsGroup#removeMetric(String, Map<String,String>)
        :origin: server.metrics.KafkaMetricsGroup#removeMetric(String)
        :origin: server.metrics.KafkaMetricsGroup#removeMetric(MetricName)
        """
        self._registry.remove_metric(self._name(name, tags))

    def _name(self, name: str | MetricName, tags: Mapping[str, str]) -> MetricName:
        return name if isinstance(name, MetricName) else self.metric_name(name, tags)

    @staticmethod
    def _to_mbean_name(tags: Mapping[str, str]) -> str | None:
        """:origin: server.metrics.KafkaMetricsGroup#toMBeanName(Map<String,String>)"""
        filtered_tags = [(key, value) for key, value in tags.items() if value]
        if filtered_tags:
            return ",".join(f"{key}={Sanitizer.jmx_sanitize(value)}" for key, value in filtered_tags)
        return None

    @staticmethod
    def _to_scope(tags: Mapping[str, str]) -> str | None:
        """Return the tags separated by dots. Dots within a value are replaced, because dots separate levels.

        :origin: server.metrics.KafkaMetricsGroup#toScope(Map<String,String>)
        """
        filtered_tags = [(key, value) for key, value in tags.items() if value]
        if filtered_tags:
            return ".".join(f"{key}.{value.replace('.', '_')}" for key, value in sorted(filtered_tags))
        return None


def _kafka_package(klass: type) -> str:
    """Return the class's package in Kafka, derived from the module that mirrors it."""
    package = klass.__module__.rpartition(".")[0]
    for ours, theirs in (("kreactor.core", "kafka"), ("kreactor", "org.apache.kafka")):
        if package == ours or package.startswith(ours + "."):
            return theirs + package[len(ours):]
    return package
