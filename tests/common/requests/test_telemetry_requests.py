# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Metrics of clients that cannot be decompressed, or are too many."""

from __future__ import annotations

import pytest

from kreactor.common.kafka_exception import KafkaException
from kreactor.common.message.push_telemetry_request_data import PushTelemetryRequestData
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.requests.push_telemetry_request import PushTelemetryRequest
from kreactor.common.telemetry.internals import client_telemetry_utils
from kreactor.common.telemetry.internals.client_telemetry_utils import ClientTelemetryUtils

COMPRESSED = [type_ for type_ in CompressionType if type_ is not CompressionType.NONE]


def push(metrics: bytes, compression_type: CompressionType) -> PushTelemetryRequest:
    return PushTelemetryRequest.Builder(PushTelemetryRequestData(
        metrics=metrics, compression_type=compression_type._id)).build()


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
