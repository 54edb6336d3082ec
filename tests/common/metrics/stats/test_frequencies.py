# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.stats.FrequenciesTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Shares of values."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kreactor.common.metric_name import MetricName
from kreactor.common.metrics.metric_config import MetricConfig
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.stats.frequencies import Frequencies
from kreactor.common.metrics.stats.frequency import Frequency
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.testing.mock_time import MockTime
from tests.common.metrics.fake_metrics_reporter import FakeMetricsReporter

DELTA = 0.0001


@pytest.fixture
def config() -> MetricConfig:
    return MetricConfig().event_window_to(50).samples_to(2)


@pytest.fixture
def time() -> MockTime:
    return MockTime()


@pytest.fixture
def metrics(config: MetricConfig, time: MockTime) -> Iterator[Metrics]:
    with Metrics(config, [FakeMetricsReporter()], time, True) as metrics:
        yield metrics


def metric_name(name: str) -> MetricName:
    return MetricName(name, "group-id", "desc", {})


def freq(name: str, value: float) -> Frequency:
    return Frequency(metric_name(name), value)


def test_frequency_center_value_above_max() -> None:
    with pytest.raises(IllegalArgumentException, match=(
            r"^The frequency centered at '20.0' is not within the range \[1.0,4.0\]$")):
        Frequencies(4, 1.0, 4.0, freq("1", 1.0), freq("2", 20.0))


def test_frequency_center_value_below_min() -> None:
    with pytest.raises(IllegalArgumentException):
        Frequencies(4, 1.0, 4.0, freq("1", 1.0), freq("2", -20.0))


def test_more_frequency_parameters_than_buckets() -> None:
    with pytest.raises(IllegalArgumentException, match="^More frequencies than buckets$"):
        Frequencies(1, 1.0, 4.0, freq("1", 1.0), freq("2", -20.0))


def boolean_shares(config: MetricConfig, time: MockTime, falses: int, trues: int) -> list[float]:
    frequencies = Frequencies.for_boolean_values(metric_name("false"), metric_name("true"))
    for value in (0.0,) * falses + (1.0,) * trues:
        frequencies.record(config, value, time.milliseconds())
    return [named.stat().measure(config, time.milliseconds()) for named in frequencies.stats()]


def test_boolean_frequencies_strategy1(config: MetricConfig, time: MockTime) -> None:
    assert boolean_shares(config, time, 25, 75) == pytest.approx([0.25, 0.75], abs=DELTA)


def test_boolean_frequencies_strategy2(config: MetricConfig, time: MockTime) -> None:
    assert boolean_shares(config, time, 40, 60) == pytest.approx([0.40, 0.60], abs=DELTA)


def shares(metrics: Metrics, config: MetricConfig, time: MockTime, values: list[float]) -> list[object]:
    frequencies = Frequencies(4, 1.0, 4.0, *(freq(str(i), i) for i in (1, 2, 3, 4)))
    sensor = metrics.sensor("test", config=config)
    sensor.add(frequencies)
    for value in values:
        frequencies.record(config, value, time.milliseconds())
    found = [metrics.metric(metric_name(str(i))) for i in (1, 2, 3, 4)]
    return [metric.metric_value() for metric in found if metric is not None]


def test_with_metrics_strategy1(metrics: Metrics, config: MetricConfig, time: MockTime) -> None:
    values = [i % 4 + 1.0 for i in range(100)]
    assert shares(metrics, config, time, values) == pytest.approx([0.25, 0.25, 0.25, 0.25], abs=DELTA)


def test_with_metrics_strategy2(metrics: Metrics, config: MetricConfig, time: MockTime) -> None:
    values = [i % 2 + 1.0 for i in range(100)]
    assert shares(metrics, config, time, values) == pytest.approx([0.5, 0.5, 0.0, 0.0], abs=DELTA)


def test_with_metrics_strategy3(metrics: Metrics, config: MetricConfig, time: MockTime) -> None:
    values = [i % 2 + 1.0 for i in range(50)] + [4.0] * 50
    assert shares(metrics, config, time, values) == pytest.approx([0.25, 0.25, 0.0, 0.5], abs=DELTA)


# Kafka has no cases for what follows.


def test_only_one_of_the_booleans() -> None:
    assert [named.name() for named in Frequencies.for_boolean_values(None, metric_name("t")).stats()] == [
        metric_name("t")]
    assert [named.name() for named in Frequencies.for_boolean_values(metric_name("f"), None).stats()] == [
        metric_name("f")]
    with pytest.raises(IllegalArgumentException, match="^Must specify at least one metric name$"):
        Frequencies.for_boolean_values(None, None)


@pytest.mark.parametrize("buckets, min, max, message", [
    (2, 4, 1, "The maximum value 1.0 must be greater than the minimum value 4.0"),
    (0, 1, 4, "Must be at least 1 bucket"),
    (1, 1, 4, "Must have at least 2 bins."),
    (1, 4, 4, "Must have at least 2 bins."),
])
def test_bounds(buckets: int, min: float, max: float, message: str) -> None:
    with pytest.raises(IllegalArgumentException, match=f"^{message}$"):
        Frequencies(buckets, min, max)


def test_nothing_recorded(config: MetricConfig, time: MockTime) -> None:
    frequencies = Frequencies.for_boolean_values(metric_name("false"), metric_name("true"))
    assert frequencies.frequency(config, time.milliseconds(), 1.0) == 0.0
    assert frequencies.total_count() == frequencies.measure(config, time.milliseconds()) == 0.0
    frequencies.record(config, 1.0, time.milliseconds())
    assert frequencies.measure(config, time.milliseconds()) == 1.0
    assert str(freq("a", 2)).endswith("centerValue=2.0)")
