# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.KafkaMetricTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Metrics that are registered."""

from __future__ import annotations

import threading

import pytest

from kreactor.common.metric_name import MetricName
from kreactor.common.metrics.gauge import Gauge
from kreactor.common.metrics.kafka_metric import KafkaMetric
from kreactor.common.metrics.measurable import Measurable
from kreactor.common.metrics.metric_config import MetricConfig
from kreactor.common.metrics.metric_value_provider import MetricValueProvider
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.testing.mock_time import MockTime

METRIC_NAME = MetricName("name", "group", "description", {})


def metric_of(provider: MetricValueProvider[object]) -> KafkaMetric:
    return KafkaMetric(threading.RLock(), METRIC_NAME, provider, MetricConfig(), MockTime())


def test_is_measurable() -> None:
    provider = Measurable.of(lambda _config, _now: 0)
    metric = metric_of(provider)
    assert metric.is_measurable()
    assert metric.measurable() is provider


def test_is_measurable_with_gauge_provider() -> None:
    metric = metric_of(Gauge.of(lambda _config, _now: 0.0))
    assert not metric.is_measurable()
    with pytest.raises(IllegalStateException):
        metric.measurable()


def test_values_of_the_two_kinds() -> None:
    measured = metric_of(Measurable.of(lambda _config, now: now * 0 + 3))
    assert measured.metric_value() == 3.0 and type(measured.metric_value()) is float
    assert measured.measurable_value(7) == 3.0
    gauge = metric_of(Gauge.of(lambda _config, _now: "text"))
    assert gauge.metric_value() == "text"
    assert gauge.measurable_value(7) == 0.0


def test_provider_gets_the_present_configuration_and_time() -> None:
    seen: list[tuple[MetricConfig, int]] = []

    def measure(config: MetricConfig, now: int) -> float:
        seen.append((config, now))
        return 0.0

    time = MockTime(current_time_ms=5)
    first, second = MetricConfig(), MetricConfig()
    metric = KafkaMetric(threading.RLock(), METRIC_NAME, Measurable.of(measure), first, time)
    metric.metric_value()
    metric.config_to(second)
    metric.measurable_value(9)
    assert seen == [(first, 5), (second, 9)]
    assert metric.config() is second


def test_value_is_read_with_the_lock_held() -> None:
    lock = threading.Lock()
    metric = KafkaMetric(lock, METRIC_NAME, Gauge.of(lambda _config, _now: lock.locked()), MetricConfig(),
                         MockTime())
    assert metric.metric_value() is True
    assert not lock.locked()


def test_provider_of_no_known_kind_is_refused() -> None:
    class Neither(MetricValueProvider[int]):
        pass

    with pytest.raises(IllegalArgumentException, match="value provider of class .*Neither"):
        metric_of(Neither())
