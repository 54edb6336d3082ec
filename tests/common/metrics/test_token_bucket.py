# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.TokenBucketTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Quotas that can be spent in bursts."""

from __future__ import annotations

import pytest

from kreactor.common.metrics.metric_config import MetricConfig
from kreactor.common.metrics.quota import Quota
from kreactor.common.metrics.stats.token_bucket import TokenBucket
from kreactor.jdk.time_unit import TimeUnit
from kreactor.testing.mock_time import MockTime


@pytest.fixture
def time() -> MockTime:
    return MockTime()


@pytest.fixture
def config() -> MetricConfig:
    # 5 a second, 5 * 2 * 10 = 100 at once.
    return MetricConfig().quota_to(Quota.upper_bound(5)).time_window_to(2, TimeUnit.SECONDS).samples_to(10)


def test_record(time: MockTime, config: MetricConfig) -> None:
    bucket = TokenBucket()
    assert bucket.measure(config, time.milliseconds()) == pytest.approx(100, abs=0.1)

    bucket.record(config, 60, time.milliseconds())
    assert bucket.measure(config, time.milliseconds()) == pytest.approx(40, abs=0.1)

    time.sleep(2000)
    bucket.record(config, 5, time.milliseconds())
    assert bucket.measure(config, time.milliseconds()) == pytest.approx(45, abs=0.1)

    time.sleep(2000)
    bucket.record(config, 60, time.milliseconds())
    assert bucket.measure(config, time.milliseconds()) == pytest.approx(-5, abs=0.1)


def test_unrecord(time: MockTime, config: MetricConfig) -> None:
    bucket = TokenBucket()
    assert bucket.measure(config, time.milliseconds()) == pytest.approx(100, abs=0.1)

    bucket.record(config, -60, time.milliseconds())
    assert bucket.measure(config, time.milliseconds()) == pytest.approx(100, abs=0.1)

    time.sleep(2000)
    bucket.record(config, 60, time.milliseconds())
    assert bucket.measure(config, time.milliseconds()) == pytest.approx(40, abs=0.1)

    time.sleep(2000)
    bucket.record(config, -60, time.milliseconds())
    assert bucket.measure(config, time.milliseconds()) == pytest.approx(100, abs=0.1)


def test_without_quota_there_is_no_end_of_tokens(time: MockTime) -> None:
    bucket = TokenBucket()
    bucket.record(MetricConfig(), 1e30, time.milliseconds())
    assert bucket.measure(MetricConfig(), time.milliseconds()) == 9.223372036854775807e18


def test_texts() -> None:
    assert str(TokenBucket(TimeUnit.MINUTES)) == "TokenBucket(unit=MINUTES, tokens=0.0, lastUpdateMs=0)"
