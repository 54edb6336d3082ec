# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.GetTelemetrySubscriptionsResponseTest
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Errors of telemetry."""

from __future__ import annotations

from kreactor.common.message.get_telemetry_subscriptions_response_data import (
    GetTelemetrySubscriptionsResponseData,
)
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.get_telemetry_subscriptions_response import GetTelemetrySubscriptionsResponse


def test_error_counts_returns_none_when_no_errors() -> None:
    response = GetTelemetrySubscriptionsResponse(
        GetTelemetrySubscriptionsResponseData(error_code=Errors.NONE.code))
    assert response.error_counts() == {Errors.NONE: 1}
    assert not response.has_error()


def test_error_counts_returns_one_error() -> None:
    data = GetTelemetrySubscriptionsResponseData(error_code=Errors.CLUSTER_AUTHORIZATION_FAILED.code)
    data.error_code = Errors.INVALID_CONFIG.code
    response = GetTelemetrySubscriptionsResponse(data)
    assert response.error_counts() == {Errors.INVALID_CONFIG: 1}
    assert (response.has_error(), response.error()) == (True, Errors.INVALID_CONFIG)
