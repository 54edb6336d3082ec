# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ThrottledChannelExpirationTest of Apache Kafka 2.2.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Throttled channels go on in the order in which their time is over."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from kreactor.common.metrics.metrics import Metrics
from kreactor.editions.v2_2.core.network.request_channel import (
    EndThrottlingResponse,
    Response,
    StartThrottlingResponse,
)
from kreactor.editions.v2_2.core.server import client_quota_manager
from kreactor.editions.v2_2.core.server.client_quota_manager import ClientQuotaManager, ThrottledChannelReaper
from kreactor.editions.v2_2.core.server.throttled_channel import ThrottledChannel
from kreactor.jdk.delay_queue import DelayQueue
from kreactor.jdk.time_unit import TimeUnit
from kreactor.testing.mock_time import MockTime


class Callbacks:
    """Counts what the network thread is told."""

    def __init__(self) -> None:
        self.told: list[type[Response]] = []

    def __call__(self, response: Response) -> None:
        self.told.append(type(response))

    def count(self, response_class: type[Response]) -> int:
        return self.told.count(response_class)


@pytest.fixture
def request_():
    return SimpleNamespace(response_complete_time_nanos=-1, api_local_complete_time_nanos=-1)


def test_callback_invocation_after_expiration(request_, monkeypatch):
    monkeypatch.setattr(client_quota_manager, "_POLL_TIMEOUT_MS", 0)
    time, callback = MockTime(), Callbacks()
    with Metrics(time=time) as metrics:
        client_metrics = ClientQuotaManager(metrics, "Produce", time, "")
        delay_queue: DelayQueue[ThrottledChannel] = DelayQueue()
        reaper = ThrottledChannelReaper(delay_queue, metrics.sensor("test"), "Produce", "")
        try:
            for throttle_time_ms in (10, 30, 30, 20):
                delay_queue.offer(ThrottledChannel(request_, time, throttle_time_ms, callback))
            assert callback.count(StartThrottlingResponse) == 4

            for ended in (1, 2, 3):
                time.sleep(10)
                reaper.do_work()
                assert callback.count(EndThrottlingResponse) == ended
            reaper.do_work()
            assert callback.count(EndThrottlingResponse) == 4
            assert delay_queue.size() == 0
            reaper.do_work()
            assert callback.count(EndThrottlingResponse) == 4
        finally:
            client_metrics.shutdown()


def test_throttled_channel_delay(request_):
    time = MockTime()
    channels = [ThrottledChannel(request_, time, throttle_time_ms, Callbacks())
                for throttle_time_ms in (10, 20, 20)]
    assert [channel.throttle_time_ms for channel in channels] == [10, 20, 20]
    for past in (0, 10, 20):
        assert [channel.get_delay(TimeUnit.MILLISECONDS) for channel in channels] == [
            10 - past, 20 - past, 20 - past]
        time.sleep(10)
