# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ClientRequestQuotaManagerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""How long a client has to wait that takes too much of the time of threads."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kreactor.common.metrics.quota import Quota
from kreactor.core.server.client_request_quota_manager import ClientRequestQuotaManager
from kreactor.server.config.client_quota_manager_config import ClientQuotaManagerConfig
from tests.core.server.quota_managers import QuotaTest

CONFIG = ClientQuotaManagerConfig()


@pytest.fixture
def test() -> Iterator[QuotaTest]:
    test = QuotaTest()
    yield test
    test.close()


def millis_to_percent(millis: float) -> float:
    return millis * 1000 * 1000 * ClientRequestQuotaManager.NanosToPercentagePerSecond


def test_request_percentage_quota_violation(test: QuotaTest) -> None:
    with test.running(ClientRequestQuotaManager(CONFIG, test.metrics, test.time, "", None)) as manager:
        manager.update_quota("ANONYMOUS", "test-client", "test-client", Quota.upper_bound(1))

        def record(millis: float) -> int:
            return test.maybe_record(manager, "ANONYMOUS", "test-client", millis_to_percent(millis))

        for _ in range(10):
            assert record(4) == 0
            test.time.sleep(1000)
        assert test.queue_size(manager) == 0

        # 1 % is 10 ms a second. 4 * 10 + 67.1 = 107.1 in 10.5 s are 10.2: (10.2 - 10) / 10 * 10.5 s = 210 ms.
        test.time.sleep(500)
        throttle_time = record(67.1)
        assert throttle_time == 210

        test.throttle(manager, throttle_time)
        assert test.queue_size(manager) == 1
        assert not manager.throttled_channel_reaper.end_due()
        assert test.callback.ended == 0
        test.time.sleep(throttle_time)
        manager.throttled_channel_reaper.do_work()
        assert test.queue_size(manager) == 0
        assert test.callback.ended == 1

        for _ in range(11):
            record(4)
            test.time.sleep(1000)
        assert record(0) == 0

        # A window at most, again and again.
        assert record(500) == 1000
        for _ in range(10):
            test.time.sleep(1000)
            assert record(0) == 1000
        test.time.sleep(1000)
        assert record(0) == 0


# Ours.


def test_what_is_counted_of_a_request(test: QuotaTest) -> None:
    """The handler's time at once, the network thread's when the answer has gone out."""
    with test.running(ClientRequestQuotaManager(CONFIG, test.metrics, test.time, "", None)) as manager:
        request = test.build_request("c")
        request.request_dequeue_time_nanos = 1_000_000
        request.api_local_complete_time_nanos = 31_000_000
        assert manager.maybe_record_and_get_throttle_time_ms(request, test.time.milliseconds()) == 0
        manager.maybe_record_exempt(request)
        assert request.record_network_thread_time_callback is None, "there are no quotas"

        manager.update_quota(None, "c", "c", Quota.upper_bound(1))
        # 30 ms of 10 s are 0.3 %.
        assert manager.maybe_record_and_get_throttle_time_ms(request, test.time.milliseconds()) == 0
        assert request.record_network_thread_time_callback is not None
        request.record_network_thread_time_callback(100_000_000)
        # 160 ms are 1.6 %, which is 0.6 / 1 * 10 s too much, and more than a window.
        assert manager.maybe_record_and_get_throttle_time_ms(request, test.time.milliseconds()) == 1000

        manager.maybe_record_exempt(request)
        request.record_network_thread_time_callback(50_000_000)
        metric = test.metrics.metric(test.metrics.metric_name("exempt-request-time", "Request"))
        assert metric is not None
        # A rate of the registry's own windows, of which 30 s are the least.
        assert metric.metric_value() == pytest.approx(8.0 / 30)
