# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of GetTelemetrySubscriptionsRequestTest, GetTelemetrySubscriptionsResponseTest,
# PushTelemetryRequestTest and PushTelemetryResponseTest, org.apache.kafka.common.requests, of Apache
# Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The requests by which clients are asked for their metrics, and send them."""

from __future__ import annotations

import pytest

from kreactor.common.kafka_exception import KafkaException
from kreactor.common.message.get_telemetry_subscriptions_request_data import (
    GetTelemetrySubscriptionsRequestData,
)
from kreactor.common.message.get_telemetry_subscriptions_response_data import (
    GetTelemetrySubscriptionsResponseData,
)
from kreactor.common.message.push_telemetry_request_data import PushTelemetryRequestData
from kreactor.common.message.push_telemetry_response_data import PushTelemetryResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.requests.get_telemetry_subscriptions_request import GetTelemetrySubscriptionsRequest
from kreactor.common.requests.get_telemetry_subscriptions_response import GetTelemetrySubscriptionsResponse
from kreactor.common.requests.push_telemetry_request import PushTelemetryRequest
from kreactor.common.requests.push_telemetry_response import PushTelemetryResponse
from kreactor.common.telemetry.internals import client_telemetry_utils
from kreactor.common.telemetry.internals.client_telemetry_utils import ClientTelemetryUtils

COMPRESSED = [type_ for type_ in CompressionType if type_ is not CompressionType.NONE]


def push(metrics: bytes, compression_type: CompressionType) -> PushTelemetryRequest:
    return PushTelemetryRequest.Builder(PushTelemetryRequestData(
        metrics=metrics, compression_type=compression_type._id)).build()


@pytest.mark.parametrize("request_", [
    GetTelemetrySubscriptionsRequest(GetTelemetrySubscriptionsRequestData(), 0),
    PushTelemetryRequest(PushTelemetryRequestData(), 0)], ids=lambda request: type(request).__name__)
def test_get_error_response(
        request_: GetTelemetrySubscriptionsRequest | PushTelemetryRequest) -> None:
    exception = Errors.CLUSTER_AUTHORIZATION_FAILED.exception()
    assert exception is not None
    response = request_.get_error_response_throttle(7, exception)
    assert response.error_counts() == {Errors.CLUSTER_AUTHORIZATION_FAILED: 1}
    assert response.throttle_time_ms() == 7


def responses(error: Errors) -> list[GetTelemetrySubscriptionsResponse | PushTelemetryResponse]:
    return [
        GetTelemetrySubscriptionsResponse(GetTelemetrySubscriptionsResponseData(error_code=error.code)),
        PushTelemetryResponse(PushTelemetryResponseData(error_code=error.code))]


def test_error_counts_returns_none_when_no_errors() -> None:
    for response in responses(Errors.NONE):
        assert response.error_counts() == {Errors.NONE: 1}
        assert not response.has_error()


def test_error_counts_returns_one_error() -> None:
    for response in responses(Errors.INVALID_CONFIG):
        assert response.error_counts() == {Errors.INVALID_CONFIG: 1}
        assert (response.has_error(), response.error()) == (True, Errors.INVALID_CONFIG)


@pytest.mark.parametrize("compression_type", CompressionType, ids=str)
def test_metrics_data_compression(compression_type: CompressionType) -> None:
    data = b"".join(b"metric %d is %d;" % (number, number * number) for number in range(20_000))
    compressed = ClientTelemetryUtils.compress(data, compression_type)
    if compression_type is CompressionType.NONE:
        assert compressed == data
    else:
        assert len(compressed) < len(data)
    assert push(compressed, compression_type).metrics_data().to_bytes() == data


@pytest.mark.parametrize("compression_type", COMPRESSED, ids=str)
def test_metrics_that_are_no_such_thing(compression_type: CompressionType) -> None:
    with pytest.raises(KafkaException):
        push(b"no metrics, and not compressed", compression_type).metrics_data()


@pytest.mark.parametrize("compression_type", COMPRESSED, ids=str)
def test_metrics_that_are_too_many(compression_type: CompressionType,
                                   monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_telemetry_utils, "MAX_DECOMPRESSED_BYTES", 100_000)
    compressed = ClientTelemetryUtils.compress(bytes(100_000), compression_type)
    assert push(compressed, compression_type).metrics_data().remaining() == 100_000
    compressed = ClientTelemetryUtils.compress(bytes(100_001), compression_type)
    with pytest.raises(KafkaException, match="more than 100000 bytes"):
        push(compressed, compression_type).metrics_data()
