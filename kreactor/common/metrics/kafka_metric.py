# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.KafkaMetric of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A registered metric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.metric import Metric
from kreactor.common.metrics.gauge import Gauge
from kreactor.common.metrics.measurable import Measurable
from kreactor.common.metrics.metric_value_provider import MetricValueProvider
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.locks import Lock, ReentrantLock
from kreactor.jdk.text import java_text

if TYPE_CHECKING:
    from kreactor.common.metric_name import MetricName
    from kreactor.common.metrics.metric_config import MetricConfig
    from kreactor.common.utils.time import Time


class KafkaMetric(Metric):
    """A metric name and the provider of its value. Read by any thread.

    ``lock`` is the metric lock of the sensor, so that no thread reads during a record. ``_config`` is read
    without the lock.

    :origin: common.metrics.KafkaMetric
    """

    __slots__ = ("_metric_name", "_lock", "_time", "_metric_value_provider", "_config")

    def __init__(self, lock: ReentrantLock | Lock, metric_name: MetricName,
                 value_provider: MetricValueProvider[object], config: MetricConfig, time: Time) -> None:
        """Raises IllegalArgumentException if ``value_provider`` is neither a Measurable nor a Gauge.

        :origin: common.metrics.KafkaMetric#KafkaMetric(Object, MetricName, MetricValueProvider<?>, MetricConfig, Time)
        """  # noqa: E501
        self._metric_name = metric_name
        self._lock = lock
        if not isinstance(value_provider, (Measurable, Gauge)):
            raise IllegalArgumentException(
                f"Unsupported metric value provider of {java_text(type(value_provider))}")
        self._metric_value_provider: MetricValueProvider[object] = value_provider
        self._config = config
        self._time = time

    def config(self) -> MetricConfig:
        """:origin: common.metrics.KafkaMetric#config()"""
        return self._config

    def metric_name(self) -> MetricName:
        """:origin: common.metrics.KafkaMetric#metricName()"""
        return self._metric_name

    def metric_value(self) -> object:
        """Return the current value: a float for a Measurable, any object for a Gauge.

        :origin: common.metrics.KafkaMetric#metricValue()
        """
        now = self._time.milliseconds()
        with self._lock:
            provider = self._metric_value_provider
            if isinstance(provider, Measurable):
                return provider.measure(self._config, now)
            if isinstance(provider, Gauge):
                return provider.value(self._config, now)
            raise IllegalStateException(f"Not a valid metric: {java_text(type(provider))}")

    def is_measurable(self) -> bool:
        """:origin: common.metrics.KafkaMetric#isMeasurable()"""
        return isinstance(self._metric_value_provider, Measurable)

    def measurable(self) -> Measurable:
        """Return the Measurable. Raises IllegalStateException for a Gauge.

        :origin: common.metrics.KafkaMetric#measurable()
        """
        if isinstance(self._metric_value_provider, Measurable):
            return self._metric_value_provider
        raise IllegalStateException(f"Not a measurable: {java_text(type(self._metric_value_provider))}")

    def measurable_value(self, time_ms: int) -> float:
        """Return the value at ``time_ms``, 0 for a Gauge.

        :origin: common.metrics.KafkaMetric#measurableValue(long)
        """
        with self._lock:
            provider = self._metric_value_provider
            if isinstance(provider, Measurable):
                return provider.measure(self._config, time_ms)
            return 0.0

    def config_to(self, config: MetricConfig) -> None:
        """Replace the configuration. It applies from the next record and the next read.

        :origin: common.metrics.KafkaMetric#config(MetricConfig)
        """
        with self._lock:
            self._config = config
