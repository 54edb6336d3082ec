# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.telemetry.internals.ClientTelemetryUtilsTest
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Metrics of clients, compressed and decompressed."""

from __future__ import annotations

import pytest

from kreactor.common.kafka_exception import KafkaException
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.telemetry.internals import client_telemetry_utils
from kreactor.common.telemetry.internals.client_telemetry_utils import ClientTelemetryUtils


@pytest.mark.parametrize("compression_type", CompressionType, ids=str)
def test_compress_decompress(compression_type: CompressionType) -> None:
    test_string = b"a" * 40
    compressed = ClientTelemetryUtils.compress(test_string, compression_type)
    if compression_type is not CompressionType.NONE:
        assert len(compressed) < len(test_string)
    else:
        assert compressed == test_string

    decompressed = ClientTelemetryUtils.decompress(compressed, compression_type)
    assert decompressed.to_bytes() == test_string


@pytest.mark.deviation("D125")
@pytest.mark.parametrize("compression_type", CompressionType, ids=str)
def test_metrics_decompress_up_to_a_limit(
        compression_type: CompressionType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_telemetry_utils, "MAX_DECOMPRESSED_BYTES", 100_000)
    largest = ClientTelemetryUtils.compress(bytes(100_000), compression_type)
    assert ClientTelemetryUtils.decompress(largest, compression_type).to_bytes() == bytes(100_000)
    larger = ClientTelemetryUtils.compress(bytes(100_001), compression_type)
    with pytest.raises(KafkaException, match="more than 100000 bytes when decompressed"):
        ClientTelemetryUtils.decompress(larger, compression_type)
