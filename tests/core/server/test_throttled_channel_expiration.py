# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ThrottledChannelExpirationTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Connections go on in the order in which their time is over."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kreactor.core.server import client_quota_manager
from kreactor.core.server.client_quota_manager import ThrottledChannelReaper
from kreactor.core.server.quota_type import QuotaType
from kreactor.core.server.throttled_channel import ThrottledChannel
from kreactor.jdk.delay_queue import DelayQueue
from kreactor.jdk.time_unit import TimeUnit
from tests.core.server.quota_managers import QuotaTest


@pytest.fixture
def test() -> Iterator[QuotaTest]:
    test = QuotaTest()
    yield test
    test.close()


def test_callback_invocation_after_expiration(test: QuotaTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_quota_manager, "_POLL_TIMEOUT_MS", 0)
    delay_queue: DelayQueue[ThrottledChannel] = DelayQueue()
    reaper = ThrottledChannelReaper(delay_queue, "", QuotaType.Produce, test.metrics.sensor("queue"))
    for throttle_time_ms in (10, 30, 30, 20):
        delay_queue.offer(ThrottledChannel(test.time, throttle_time_ms, test.callback))
    assert test.callback.started == 4

    for ended in (1, 2, 3):
        test.time.sleep(10)
        reaper.do_work()
        assert test.callback.ended == ended
    reaper.do_work()
    assert test.callback.ended == 4
    assert delay_queue.size() == 0
    reaper.do_work()
    assert test.callback.ended == 4


def test_throttled_channel_delay(test: QuotaTest) -> None:
    channels = [ThrottledChannel(test.time, throttle_time_ms, test.callback)
                for throttle_time_ms in (10, 20, 20)]
    assert [channel.throttle_time_ms for channel in channels] == [10, 20, 20]
    for past in (0, 10, 20):
        assert [channel.get_delay(TimeUnit.MILLISECONDS) for channel in channels] == [
            10 - past, 20 - past, 20 - past]
        test.time.sleep(10)
    assert channels[0] < channels[1] and not channels[1] < channels[2]
