# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.stats.RateTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A quantity by time."""

from __future__ import annotations

import math

import pytest

from kreactor.common.metrics.internals.metrics_utils import MetricsUtils
from kreactor.common.metrics.metric_config import MetricConfig
from kreactor.common.metrics.stats.rate import Rate
from kreactor.common.metrics.stats.simple_rate import SimpleRate
from kreactor.common.metrics.stats.windowed_count import WindowedCount
from kreactor.jdk.time_unit import TimeUnit
from kreactor.testing.mock_time import MockTime

EPS = 0.000001


@pytest.fixture
def time() -> MockTime:
    return MockTime()


@pytest.mark.parametrize("num_sample, sample_window_size_sec", [(1, 1), (1, 11), (11, 1), (11, 11)])
def test_rate_with_no_prior_available_samples(time: MockTime, num_sample: int,
                                              sample_window_size_sec: int) -> None:
    rate = Rate()
    config = MetricConfig().samples_to(num_sample).time_window_to(sample_window_size_sec, TimeUnit.SECONDS)
    sample_value = 50.0
    rate.record(config, sample_value, time.milliseconds())
    measurement_time = TimeUnit.SECONDS.to_millis(sample_window_size_sec) - 1
    time.sleep(measurement_time)
    observed_rate = rate.measure(config, time.milliseconds())
    assert not math.isnan(observed_rate)

    # All samples but this one are taken for empty ones.
    window_size = (MetricsUtils.convert(measurement_time, TimeUnit.SECONDS)
                   + (num_sample - 1) * sample_window_size_sec)
    assert observed_rate == pytest.approx(sample_value / window_size, abs=EPS)


def test_rate_is_consistent_after_the_first_window(time: MockTime) -> None:
    rate = Rate()
    config = MetricConfig().time_window_to(1, TimeUnit.SECONDS).samples_to(2)
    # An event every 100 ms, one of them a millisecond early, so that it is within the window.
    steps = [0, 99] + [100] * 9

    for step_ms in steps:
        time.sleep(step_ms)
        rate.record(config, 1, time.milliseconds())

    time.sleep(101)

    for step_ms in steps:
        time.sleep(step_ms)
        rate.record(config, 1, time.milliseconds())
        observed_rate = rate.measure(config, time.milliseconds())
        assert 10 <= observed_rate <= 11
        assert rate.measure(config, time.milliseconds()) == observed_rate


# Kafka has no cases for what follows.


def test_unit_names_lose_a_letter_too_many() -> None:
    assert [Rate(unit).unit_name() for unit in (TimeUnit.SECONDS, TimeUnit.DAYS)] == ["secon", "da"]


def test_units() -> None:
    config = MetricConfig().samples_to(1).time_window_to(60, TimeUnit.SECONDS)
    rates = {unit: Rate(unit) for unit in TimeUnit}
    for rate in rates.values():
        rate.record(config, 6.0, 0)
    assert rates[TimeUnit.MINUTES].measure(config, 30_000) == 12.0
    assert rates[TimeUnit.SECONDS].measure(config, 30_000) == 0.2
    assert rates[TimeUnit.NANOSECONDS].measure(config, 30_000) == 6.0 / 30e9


def test_windows_missing_at_the_start_count_as_empty() -> None:
    config = MetricConfig().samples_to(3).time_window_to(1, TimeUnit.SECONDS)
    rate = Rate(stat=WindowedCount())
    assert rate.window_size(config, 5_000) == 2_000
    rate.record(config, 1, 5_000)
    assert rate.window_size(config, 5_000) == 2_000
    assert rate.window_size(config, 5_400) == 2_400
    # As soon as a window is over it counts itself, and one less is assumed.
    assert rate.window_size(config, 6_000) == 2_000


def test_clock_set_back() -> None:
    config = MetricConfig().samples_to(2).time_window_to(1, TimeUnit.SECONDS)
    rate = Rate()
    rate.record(config, 1, 10_000)
    # Not yet a whole window back: Java's division gives 0, not -1, and one window is missing.
    assert rate.window_size(config, 9_900) == 900
    assert rate.window_size(config, 8_900) == 900
    assert rate.window_size(config, 9_000) == 1_000


def test_simple_rate_over_no_time() -> None:
    config = MetricConfig().time_window_to(0, TimeUnit.SECONDS)
    rate = SimpleRate()
    assert math.isnan(rate.measure(config, 0))
