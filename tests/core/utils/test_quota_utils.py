# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.utils.QuotaUtilsTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Throttle times."""

from __future__ import annotations

import threading

import pytest

from kreactor.common.metric_name import MetricName
from kreactor.common.metrics.kafka_metric import KafkaMetric
from kreactor.common.metrics.metric_config import MetricConfig
from kreactor.common.metrics.quota import Quota
from kreactor.common.metrics.quota_violation_exception import QuotaViolationException
from kreactor.common.metrics.stats.rate import Rate
from kreactor.common.metrics.stats.value import Value
from kreactor.core.utils.quota_utils import QuotaUtils
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.time_unit import TimeUnit
from kreactor.testing.mock_time import MockTime

TIME = MockTime()
NUM_SAMPLES = 10
SAMPLE_WINDOW_SEC = 1
MAX_THROTTLE_TIME_MS = 500
METRIC_NAME = MetricName("test-metric", "groupA", "testA", {})


def quota_violation_exception(observed_value: float, quota: float,
                              num_samples: int) -> QuotaViolationException:
    """A violation by a rate whose window is that of ``num_samples`` - 1."""
    metric_config = (MetricConfig().time_window_to(SAMPLE_WINDOW_SEC, TimeUnit.SECONDS)
                     .samples_to(num_samples).quota_to(Quota(quota, True)))
    metric = KafkaMetric(threading.RLock(), METRIC_NAME, Rate(), metric_config, TIME)
    return QuotaViolationException(metric, observed_value, quota)


def throttle_time(observed_value: float, quota: float, num_samples: int) -> int:
    e = quota_violation_exception(observed_value, quota, num_samples)
    return QuotaUtils.throttle_time(e, TIME.milliseconds())


def bounded_throttle_time(observed_value: float, quota: float, num_samples: int,
                          max_throttle_time: int) -> int:
    e = quota_violation_exception(observed_value, quota, num_samples)
    return QuotaUtils.bounded_throttle_time(e, max_throttle_time, TIME.milliseconds())


def test_throttle_time_observed_rate_equals_quota() -> None:
    assert throttle_time(16.5, 16.5, NUM_SAMPLES) == 0
    assert throttle_time(16.5, 16.5, NUM_SAMPLES + 1) == 0


def test_throttle_time_observed_rate_below_quota() -> None:
    assert throttle_time(16.5, 20.4, NUM_SAMPLES) < 0
    assert throttle_time(16.5, 20.4, NUM_SAMPLES + 1) < 0


def test_throttle_time_observed_rate_above_quota() -> None:
    assert throttle_time(100.0, 50.0, 3) == 2000


def test_bounded_throttle_time_observed_rate_equals_quota() -> None:
    assert bounded_throttle_time(18.2, 18.2, NUM_SAMPLES, MAX_THROTTLE_TIME_MS) == 0
    assert bounded_throttle_time(18.2, 18.2, NUM_SAMPLES + 1, MAX_THROTTLE_TIME_MS) == 0


def test_bounded_throttle_time_observed_rate_below_quota() -> None:
    assert bounded_throttle_time(16.5, 22.4, NUM_SAMPLES, MAX_THROTTLE_TIME_MS) < 0
    assert bounded_throttle_time(16.5, 22.4, NUM_SAMPLES + 1, MAX_THROTTLE_TIME_MS) < 0


def test_bounded_throttle_time_observed_rate_above_quota_below_limit() -> None:
    assert bounded_throttle_time(55.0, 50.0, 2, MAX_THROTTLE_TIME_MS) == 100


def test_bounded_throttle_time_observed_rate_above_quota_above_limit() -> None:
    assert bounded_throttle_time(100.0, 50.0, NUM_SAMPLES, MAX_THROTTLE_TIME_MS) == MAX_THROTTLE_TIME_MS


def violation_of_a_value() -> QuotaViolationException:
    metric = KafkaMetric(threading.RLock(), METRIC_NAME, Value(), MetricConfig(), TIME)
    return QuotaViolationException(metric, 10.0, 20.0)


def test_throttle_time_throws_exception_if_provided_non_rate_metric() -> None:
    with pytest.raises(IllegalArgumentException, match="^Metric MetricName .* is not a Rate metric, value "):
        QuotaUtils.throttle_time(violation_of_a_value(), TIME.milliseconds())


def test_bounded_throttle_time_throws_exception_if_provided_non_rate_metric() -> None:
    with pytest.raises(IllegalArgumentException):
        QuotaUtils.bounded_throttle_time(violation_of_a_value(), MAX_THROTTLE_TIME_MS, TIME.milliseconds())


# Kafka has no case for a bound of zero, which an address may have.


def test_throttle_time_without_end() -> None:
    assert throttle_time(1.0, 0.0, NUM_SAMPLES) == 2**63 - 1
    assert bounded_throttle_time(1.0, 0.0, NUM_SAMPLES, MAX_THROTTLE_TIME_MS) == MAX_THROTTLE_TIME_MS
    assert throttle_time(0.0, 0.0, NUM_SAMPLES) == 0
