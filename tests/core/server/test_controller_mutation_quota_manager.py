# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ControllerMutationQuotaManagerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""How many partitions a client may create and delete, and what becomes of those that are too many."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kreactor.common.errors import ThrottlingQuotaExceededException
from kreactor.common.metrics.metric_config import MetricConfig
from kreactor.common.metrics.quota import Quota
from kreactor.common.metrics.quota_violation_exception import QuotaViolationException
from kreactor.common.metrics.sensor import Sensor
from kreactor.common.metrics.stats.rate import Rate
from kreactor.common.metrics.stats.token_bucket import TokenBucket
from kreactor.core.server.controller_mutation_quota import UnboundedControllerMutationQuota
from kreactor.core.server.controller_mutation_quota_manager import (
    ControllerMutationQuotaManager,
    PermissiveControllerMutationQuota,
    StrictControllerMutationQuota,
)
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.time_unit import TimeUnit
from kreactor.server.config.client_quota_manager_config import ClientQuotaManagerConfig
from tests.core.server.quota_managers import QuotaTest, build_session

USER = "ANONYMOUS"
CLIENT_ID = "test-client"


@pytest.fixture
def test() -> Iterator[QuotaTest]:
    test = QuotaTest()
    yield test
    test.close()


@pytest.fixture
def manager(test: QuotaTest) -> Iterator[ControllerMutationQuotaManager]:
    with test.running(ControllerMutationQuotaManager(
            ClientQuotaManagerConfig(10, 1), test.metrics, test.time, "", None)) as manager:
        yield manager


def bucket(test: QuotaTest) -> Sensor:
    """Return a sensor with a bucket of 100 tokens, 10 a second."""
    sensor = test.metrics.sensor("sensor", config=MetricConfig().quota_to(Quota.upper_bound(10))
                                 .time_window_to(1, TimeUnit.SECONDS).samples_to(10))
    assert sensor.add(test.metrics.metric_name("rate", "test-group"), TokenBucket())
    return sensor


class TestStrictControllerMutationQuota:
    def test_controller_mutation_quota_violation(self, test: QuotaTest) -> None:
        quota = StrictControllerMutationQuota(test.time, bucket(test))
        assert not quota.is_exceeded()

        quota.record(90)
        assert (quota.is_exceeded(), quota.throttle_time()) == (False, 0)

        # To -80: some were left.
        quota.record(90)
        assert (quota.is_exceeded(), quota.throttle_time()) == (False, 0)

        with pytest.raises(ThrottlingQuotaExceededException) as exceeded:
            quota.record(90)
        assert exceeded.value.throttle_time_ms() == 8000
        assert str(exceeded.value) == "The throttling quota has been exceeded."
        assert (quota.is_exceeded(), quota.throttle_time()) == (True, 8000)

        test.time.sleep(5000)
        assert quota.throttle_time() == 3000


class TestPermissiveControllerMutationQuota:
    def test_controller_mutation_quota_violation(self, test: QuotaTest) -> None:
        quota = PermissiveControllerMutationQuota(test.time, bucket(test))
        assert not quota.is_exceeded()

        for throttle_time in (0, 8000, 17000):
            quota.record(90)
            assert (quota.is_exceeded(), quota.throttle_time()) == (False, throttle_time)

        test.time.sleep(5000)
        assert quota.throttle_time() == 12000


def test_throttle_time(test: QuotaTest) -> None:
    sensor = test.metrics.sensor("sensor")
    metric_name = test.metrics.metric_name("tokens", "test-group")
    sensor.add(metric_name, TokenBucket())
    metric = test.metrics.metric(metric_name)
    assert metric is not None
    for value, throttle_time in ((0, 0), (-5, 500), (-10, 1000), (-1e9, 10**11)):
        assert ControllerMutationQuotaManager.throttle_time_ms(
            QuotaViolationException(metric, value, 10), test.time.milliseconds()) == throttle_time
    rate_name = test.metrics.metric_name("rate", "test-group")
    sensor.add(rate_name, Rate())
    rate = test.metrics.metric(rate_name)
    assert rate is not None
    with pytest.raises(IllegalArgumentException, match="is not a TokenBucket metric"):
        ControllerMutationQuotaManager.throttle_time_ms(
            QuotaViolationException(rate, -5, 10), test.time.milliseconds())


@pytest.mark.parametrize("strict", [False, True])
def test_a_throttle_time_beyond_32_bits(test: QuotaTest, strict: bool) -> None:
    """Each throttle time that a client is told has 32 bits; in Kafka it is the low ones (D212)."""
    manager = ControllerMutationQuotaManager(
        ClientQuotaManagerConfig(10, 1, strict), test.metrics, test.time, "", None)
    expected = 3 * 10**9 - 2**32 if strict else 2**31 - 1
    with test.running(manager):
        manager.update_quota(USER, CLIENT_ID, CLIENT_ID, Quota.upper_bound(10))
        session = build_session(USER)
        assert test.maybe_record(manager, USER, CLIENT_ID, 3 * 10**7 + 100) == 0
        assert test.maybe_record(manager, USER, CLIENT_ID, 1) == expected
        strict_quota = manager.new_strict_quota_for_session(session, CLIENT_ID)
        with pytest.raises(ThrottlingQuotaExceededException) as caught:
            strict_quota.record(1)
        assert caught.value.throttle_time_ms() == strict_quota.throttle_time() == expected
        permissive_quota = manager.new_permissive_quota_for_session(session, CLIENT_ID)
        # One more token, of which there are ten a second.
        permissive_quota.record(1)
        assert permissive_quota.throttle_time() == (expected + 100 if strict else expected)


def test_controller_mutation_quota_violation(test: QuotaTest,
                                             manager: ControllerMutationQuotaManager) -> None:
    manager.update_quota(USER, CLIENT_ID, CLIENT_ID, Quota.upper_bound(10))

    def record(value: float) -> int:
        return test.maybe_record(manager, USER, CLIENT_ID, value)

    for _ in range(10):
        assert record(10) == 0
        test.time.sleep(1000)
    assert test.queue_size(manager) == 0

    # To -10: some were left. Then none are, for 10 / 10 = 1 s.
    assert record(110) == 0
    throttle_time = record(110)
    assert throttle_time == 1000

    test.throttle(manager, throttle_time)
    assert test.queue_size(manager) == 1
    assert not manager.throttled_channel_reaper.end_due()
    assert test.callback.ended == 0
    test.time.sleep(throttle_time)
    manager.throttled_channel_reaper.do_work()
    assert test.queue_size(manager) == 0
    assert test.callback.ended == 1

    assert record(110) == 0


def test_new_strict_quota_for_returns_unbounded_quota_when_quota_is_disabled(
        manager: ControllerMutationQuotaManager) -> None:
    quota = manager.new_strict_quota_for_session(build_session(USER), CLIENT_ID)
    assert quota is UnboundedControllerMutationQuota


def test_new_strict_quota_for_returns_strict_quota_when_quota_is_enabled(
        manager: ControllerMutationQuotaManager) -> None:
    manager.update_quota(USER, CLIENT_ID, CLIENT_ID, Quota.upper_bound(10))
    quota = manager.new_strict_quota_for_session(build_session(USER), CLIENT_ID)
    assert isinstance(quota, StrictControllerMutationQuota)


def test_new_permissive_quota_for_returns_unbounded_quota_when_quota_is_disabled(
        manager: ControllerMutationQuotaManager) -> None:
    quota = manager.new_permissive_quota_for_session(build_session(USER), CLIENT_ID)
    assert quota is UnboundedControllerMutationQuota


def test_new_permissive_quota_for_returns_strict_quota_when_quota_is_enabled(
        manager: ControllerMutationQuotaManager) -> None:
    manager.update_quota(USER, CLIENT_ID, CLIENT_ID, Quota.upper_bound(10))
    quota = manager.new_permissive_quota_for_session(build_session(USER), CLIENT_ID)
    assert isinstance(quota, PermissiveControllerMutationQuota)


# Ours.


def test_quotas_are_strict_from_a_version_on(test: QuotaTest,
                                             manager: ControllerMutationQuotaManager) -> None:
    manager.update_quota(None, "c", "c", Quota.upper_bound(10))
    request = test.build_request("c")
    version = request.header().api_version()
    assert isinstance(manager.new_quota_for(request, version), StrictControllerMutationQuota)
    assert isinstance(manager.new_quota_for(request, version + 1), PermissiveControllerMutationQuota)
