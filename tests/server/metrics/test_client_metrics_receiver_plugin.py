# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.metrics.ClientMetricsReceiverPluginTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Metrics go to all that take them."""

from __future__ import annotations

from kreactor.common.message.push_telemetry_request_data import PushTelemetryRequestData
from kreactor.common.requests.push_telemetry_request import PushTelemetryRequest
from kreactor.common.uuid import Uuid
from kreactor.server.metrics.client_metrics_receiver_plugin import ClientMetricsReceiverPlugin
from tests.server.metrics.client_metrics_test_utils import ClientMetricsReceiver, request_context


def test_export_metrics() -> None:
    plugin = ClientMetricsReceiverPlugin()
    assert plugin.is_empty()
    receivers = [ClientMetricsReceiver(), ClientMetricsReceiver()]
    for receiver in receivers:
        plugin.add(receiver)
        assert not plugin.is_empty()
        assert (receiver.export_metrics_invoked_count, receiver.payloads) == (0, [])

    id_ = Uuid.random_uuid()
    plugin.export_metrics(request_context(), PushTelemetryRequest.Builder(
        PushTelemetryRequestData(client_instance_id=id_, terminating=True, metrics=b"test-metrics"),
        True).build())
    for receiver in receivers:
        assert receiver.export_metrics_invoked_count == 1
        payload, = receiver.payloads
        assert payload.data().to_bytes() == b"test-metrics"
        assert (payload.client_instance_id(), payload.is_terminating(), payload.content_type()) == (
            id_, True, "OTLP")
