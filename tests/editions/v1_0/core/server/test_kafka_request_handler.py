# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A handler whose queue fails."""

from __future__ import annotations

import threading
from unittest.mock import Mock

import pytest

from kreactor.common.utils.time import Time
from kreactor.editions.v1_0.core.network.request_channel import Request, RequestChannel
from kreactor.editions.v1_0.core.server.kafka_request_handler import KafkaRequestHandlerPool
from kreactor.server.metrics.yammer import MetricsRegistry


@pytest.mark.deviation("D490")
def test_an_error_between_two_requests_does_not_end_a_handler():
    channel = RequestChannel(1, 10, Mock(), MetricsRegistry())
    receive, failed, handled = channel.receive_request_timeout, threading.Event(), threading.Event()

    def fail_once(timeout_ms: int) -> object:
        if not failed.is_set():
            failed.set()
            raise MemoryError("of the test")
        return receive(timeout_ms)

    channel.receive_request_timeout = fail_once
    pool = KafkaRequestHandlerPool(0, channel, Mock(handle=lambda _: handled.set()), Time.SYSTEM, 1)
    assert failed.wait(120)
    request = Request.__new__(Request)
    request._buffer = None
    channel.send_request(request)
    assert handled.wait(120)
    pool.shutdown()
