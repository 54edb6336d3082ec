# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.PushTelemetryRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The metrics of a client, compressed or not."""

from __future__ import annotations

import pytest

from kreactor.common.message.push_telemetry_request_data import PushTelemetryRequestData
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.requests.push_telemetry_request import PushTelemetryRequest
from kreactor.common.telemetry.internals.client_telemetry_utils import ClientTelemetryUtils


def test_get_error_response() -> None:
    req = PushTelemetryRequest(PushTelemetryRequestData(), 0)
    exception = Errors.CLUSTER_AUTHORIZATION_FAILED.exception()
    assert exception is not None
    response = req.get_error_response_throttle(7, exception)
    assert response.error_counts() == {Errors.CLUSTER_AUTHORIZATION_FAILED: 1}
    assert response.throttle_time_ms() == 7


@pytest.mark.parametrize("compression_type", CompressionType, ids=str)
def test_metrics_data_compression(compression_type: CompressionType) -> None:
    """The metrics are bytes here: nothing reads the client's OpenTelemetry message but a plugin."""
    data = b"".join(b"metric %d is %d;" % (number, number * number) for number in range(20_000))
    compressed_data = ClientTelemetryUtils.compress(data, compression_type)
    if compression_type is not CompressionType.NONE:
        assert len(compressed_data) < len(data)
    else:
        assert compressed_data == data
    req = PushTelemetryRequest.Builder(PushTelemetryRequestData(
        metrics=compressed_data, compression_type=compression_type._id)).build()
    received_metrics_buffer = req.metrics_data()
    assert received_metrics_buffer.capacity() > 0
    assert received_metrics_buffer.to_bytes() == data
