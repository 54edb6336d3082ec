# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A handler whose queue fails, and the end of a pool of handlers that has been made smaller."""

from __future__ import annotations

import threading
from unittest.mock import Mock

import pytest

from kreactor.common.utils.time import Time
from kreactor.editions.v2_2.core.network.request_channel import Request, RequestChannel
from kreactor.editions.v2_2.core.server.kafka_request_handler import KafkaRequestHandlerPool
from kreactor.server.metrics.yammer import MetricsRegistry
from tests.editions.editions import handles_after_an_error
from tests.stepping import wait_until


@pytest.mark.deviation("D393")
def test_a_stopped_handler_passes_the_end_of_another_on():
    channel = RequestChannel(10, "", Mock(), MetricsRegistry())
    receive = channel.receive_request_timeout
    # The stopped handler does not leave by itself.
    channel.receive_request_timeout = lambda _: receive(60_000)
    busy, go_on = threading.Event(), threading.Event()

    def handle(_: Request) -> None:
        busy.set()
        assert go_on.wait(120)

    pool = KafkaRequestHandlerPool(0, channel, Mock(handle=handle), Time.SYSTEM, 1, "Idle", "data-plane")
    request = Request.__new__(Request)
    request._buffer = None
    channel.send_request(request)
    assert busy.wait(120)
    pool.resize_thread_pool(2)
    stopped = pool.runnables[1]
    pool.resize_thread_pool(1)

    ending = threading.Thread(target=pool.shutdown, daemon=True)
    ending.start()
    wait_until(lambda: stopped._shutdown_complete.get_count() == 0, "the stopped handler does not end")
    go_on.set()
    ending.join(60)
    assert not ending.is_alive()


@pytest.mark.deviation("D490")
def test_an_error_between_two_requests_does_not_end_a_handler():
    channel = RequestChannel(10, "", Mock(), MetricsRegistry())
    assert handles_after_an_error(
        channel, lambda apis: KafkaRequestHandlerPool(0, channel, apis, Time.SYSTEM, 1, "Idle", "data-plane"),
        Request.__new__(Request))
