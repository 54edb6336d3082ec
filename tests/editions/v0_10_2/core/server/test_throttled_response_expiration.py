# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ThrottledResponseExpirationTest of Apache Kafka 0.10.2.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Answers that are held back come when their time has come, in the order of their times."""

from __future__ import annotations

from kreactor.common.metrics.metrics import Metrics
from kreactor.editions.v0_10_2.core.server.client_quota_manager import (
    ClientQuotaManager,
    ThrottledRequestReaper,
)
from kreactor.editions.v0_10_2.core.server.throttled_response import ThrottledResponse
from kreactor.jdk.delay_queue import DelayQueue
from kreactor.jdk.time_unit import TimeUnit
from kreactor.testing.mock_time import MockTime


class NoWaitQueue(DelayQueue):
    """Looks, and does not wait: the clock is the test's."""

    def poll_timeout(self, timeout_ms: int):
        return self.poll()


def test_expire():
    time = MockTime()
    called: list[int] = []
    with Metrics(time=time) as metrics:
        client_metrics = ClientQuotaManager(metrics, "Produce", time)
        delay_queue: DelayQueue[ThrottledResponse] = NoWaitQueue()
        reaper = ThrottledRequestReaper(delay_queue, "Produce-test", metrics.sensor("test"))
        try:
            for delay in (10, 30, 30, 20):
                delay_queue.offer(ThrottledResponse(time, delay, called.append))

            for round in range(1, 4):
                time.sleep(10)
                reaper.do_work()
                assert len(called) == round
            reaper.do_work()
            assert called == [10, 20, 30, 30]
            assert delay_queue.size() == 0
            reaper.do_work()
            assert len(called) == 4
        finally:
            client_metrics.shutdown()


def test_throttled_request():
    time = MockTime()
    t1, t2, t3 = (ThrottledResponse(time, delay, lambda _: None) for delay in (10, 20, 20))
    assert [t.throttle_time_ms for t in (t1, t2, t3)] == [10, 20, 20]

    for round in range(3):
        assert t1.get_delay(TimeUnit.MILLISECONDS) == 10 - 10 * round
        assert t2.get_delay(TimeUnit.MILLISECONDS) == 20 - 10 * round
        assert t3.get_delay(TimeUnit.MILLISECONDS) == 20 - 10 * round
        time.sleep(10)
