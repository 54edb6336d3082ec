# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.stats.MeterTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A rate and a total."""

from __future__ import annotations

import pytest

from kreactor.common.metric_name import MetricName
from kreactor.common.metrics.metric_config import MetricConfig
from kreactor.common.metrics.stats.avg import Avg
from kreactor.common.metrics.stats.cumulative_sum import CumulativeSum
from kreactor.common.metrics.stats.meter import Meter
from kreactor.common.metrics.stats.rate import Rate
from kreactor.common.metrics.stats.windowed_count import WindowedCount
from kreactor.jdk.exceptions import IllegalArgumentException

EPS = 0.0000001

RATE = MetricName("rate", "test", "", {})
TOTAL = MetricName("total", "test", "", {})


def test_meter() -> None:
    meter = Meter(RATE, TOTAL)
    total, rate = meter.stats()
    assert rate.name() == RATE
    assert total.name() == TOTAL
    rate_stat, total_stat = rate.stat(), total.stat()
    assert isinstance(rate_stat, Rate)
    assert isinstance(total_stat, CumulativeSum)

    config = MetricConfig()
    next_value = 0.0
    expected_total = 0.0
    now = 0
    interval_ms = 100
    delta = 5.0

    # Over several windows: the rate is of the windows it says, the total of everything.
    for i in range(1, 101):
        while now < i * 1000:
            expected_total += next_value
            meter.record(config, next_value, now)
            now += interval_ms
            next_value += delta
        assert total_stat.measure(config, now) == pytest.approx(expected_total, abs=EPS)
        window_size_ms = rate_stat.window_size(config, now)
        window_start_ms = max(now - window_size_ms, 0)
        sampled_total = 0.0
        prev_value = next_value - delta
        time_ms = now - 100
        while time_ms >= window_start_ms:
            sampled_total += prev_value
            time_ms -= interval_ms
            prev_value -= delta
        assert rate_stat.measure(config, now) == pytest.approx(sampled_total * 1000 / window_size_ms, abs=EPS)


# Kafka has no cases for what follows.


def test_total_counts_what_the_rate_counts() -> None:
    meter = Meter(RATE, TOTAL, rate_stat=WindowedCount())
    config = MetricConfig()
    for value in (5.0, 7.0):
        meter.record(config, value, 0)
    total, rate = meter.stats()
    assert total.stat().measure(config, 0) == 2.0
    assert rate.stat().measure(config, 0) == 2.0 / 30


def test_only_sums_and_counts() -> None:
    with pytest.raises(IllegalArgumentException, match="^Meter is supported only for Windowed"):
        Meter(RATE, TOTAL, rate_stat=Avg())


def test_texts() -> None:
    meter = Meter(RATE, TOTAL)
    meter.record(MetricConfig(), 2.0, 3)
    assert str(meter) == (
        "Meter(rate=Rate(unit=SECONDS, stat=SampledStat(initialValue=0.0, current=0, "
        "samples=[Sample(value=2.0, eventCount=1, "
        "startTimeMs=3, lastEventMs=3, initialValue=0.0)])), total=CumulativeSum(total=2.0), "
        f"rateMetricName={RATE}, totalMetricName={TOTAL})")
