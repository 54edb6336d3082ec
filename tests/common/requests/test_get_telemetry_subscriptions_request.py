# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.GetTelemetrySubscriptionsRequestTest
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request for the metrics that a client is to send."""

from __future__ import annotations

from kreactor.common.message.get_telemetry_subscriptions_request_data import (
    GetTelemetrySubscriptionsRequestData,
)
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.get_telemetry_subscriptions_request import GetTelemetrySubscriptionsRequest


def test_get_error_response() -> None:
    req = GetTelemetrySubscriptionsRequest(GetTelemetrySubscriptionsRequestData(), 0)
    exception = Errors.CLUSTER_AUTHORIZATION_FAILED.exception()
    assert exception is not None
    response = req.get_error_response_throttle(7, exception)
    assert response.error_counts() == {Errors.CLUSTER_AUTHORIZATION_FAILED: 1}
    assert response.throttle_time_ms() == 7
