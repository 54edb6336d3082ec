# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.PushTelemetryResponseTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Errors of telemetry."""

from __future__ import annotations

from kreactor.common.message.push_telemetry_response_data import PushTelemetryResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.push_telemetry_response import PushTelemetryResponse


def test_error_counts_returns_none_when_no_errors() -> None:
    response = PushTelemetryResponse(PushTelemetryResponseData(error_code=Errors.NONE.code))
    assert response.error_counts() == {Errors.NONE: 1}
    assert not response.has_error()


def test_error_counts_returns_one_error() -> None:
    data = PushTelemetryResponseData(error_code=Errors.CLUSTER_AUTHORIZATION_FAILED.code)
    data.error_code = Errors.INVALID_CONFIG.code
    response = PushTelemetryResponse(data)
    assert response.error_counts() == {Errors.INVALID_CONFIG: 1}
    assert (response.has_error(), response.error()) == (True, Errors.INVALID_CONFIG)
