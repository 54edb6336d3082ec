# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A handler whose queue fails."""

from __future__ import annotations

from unittest.mock import Mock

import pytest

from kreactor.common.utils.time import Time
from kreactor.editions.v1_0.core.network.request_channel import Request, RequestChannel
from kreactor.editions.v1_0.core.server.kafka_request_handler import KafkaRequestHandlerPool
from kreactor.server.metrics.yammer import MetricsRegistry
from tests.editions.editions import handles_after_an_error


@pytest.mark.deviation("D490")
def test_an_error_between_two_requests_does_not_end_a_handler():
    channel = RequestChannel(1, 10, Mock(), MetricsRegistry())
    assert handles_after_an_error(
        channel, lambda apis: KafkaRequestHandlerPool(0, channel, apis, Time.SYSTEM, 1),
        Request.__new__(Request))
