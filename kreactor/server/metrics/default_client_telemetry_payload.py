# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.metrics.DefaultClientTelemetryPayload of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The contents of a PushTelemetry request, for the receivers of metrics."""

from __future__ import annotations

from kreactor.common.requests.push_telemetry_request import PushTelemetryRequest
from kreactor.common.uuid import Uuid
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.server.telemetry.client_telemetry_payload import ClientTelemetryPayload


class DefaultClientTelemetryPayload(ClientTelemetryPayload):
    """:origin: server.metrics.DefaultClientTelemetryPayload"""

    __slots__ = ("_client_instance_id", "_is_client_terminating", "_metrics_content_type", "_metrics_data")

    def __init__(self, request: PushTelemetryRequest) -> None:
        """Raises as ``PushTelemetryRequest.metrics_data``.

        :origin: server.metrics.DefaultClientTelemetryPayload#DefaultClientTelemetryPayload(PushTelemetryRequest)
        """  # noqa: E501
        self._client_instance_id = request.data().client_instance_id
        self._is_client_terminating = request.data().terminating
        self._metrics_content_type = request.metrics_content_type()
        self._metrics_data = request.metrics_data()

    def client_instance_id(self) -> Uuid:
        """:origin: server.metrics.DefaultClientTelemetryPayload#clientInstanceId()"""
        return self._client_instance_id

    def is_terminating(self) -> bool:
        """:origin: server.metrics.DefaultClientTelemetryPayload#isTerminating()"""
        return self._is_client_terminating

    def content_type(self) -> str:
        """:origin: server.metrics.DefaultClientTelemetryPayload#contentType()"""
        return self._metrics_content_type

    def data(self) -> ByteBuffer:
        """:origin: server.metrics.DefaultClientTelemetryPayload#data()"""
        return self._metrics_data
