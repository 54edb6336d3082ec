# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.metrics.ClientMetricsReceiverPlugin of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The receivers of client metrics. Safe for use by any thread."""

from __future__ import annotations

from kreactor.common.requests.push_telemetry_request import PushTelemetryRequest
from kreactor.common.requests.request_context import RequestContext
from kreactor.server.metrics.default_client_telemetry_payload import DefaultClientTelemetryPayload
from kreactor.server.telemetry.client_telemetry_receiver import ClientTelemetryReceiver


class ClientMetricsReceiverPlugin:
    """Exports metrics to all receivers.

    :origin: server.metrics.ClientMetricsReceiverPlugin
    """

    __slots__ = ("_receivers",)

    def __init__(self) -> None:
        """:origin: server.metrics.ClientMetricsReceiverPlugin#ClientMetricsReceiverPlugin()"""
        # Replaced, never changed, so that iterating needs no lock. One thread adds at a time.
        self._receivers: tuple[ClientTelemetryReceiver, ...] = ()

    def is_empty(self) -> bool:
        """Return whether there is no receiver.

        :origin: server.metrics.ClientMetricsReceiverPlugin#isEmpty()
        """
        return not self._receivers

    def add(self, receiver: ClientTelemetryReceiver) -> None:
        """Add a receiver.

        :origin: server.metrics.ClientMetricsReceiverPlugin#add(ClientTelemetryReceiver)
        """
        self._receivers = (*self._receivers, receiver)

    def get_pay_load(self, request: PushTelemetryRequest) -> DefaultClientTelemetryPayload:
        """Return the payload of ``request``. Raises as ``PushTelemetryRequest.metrics_data``.

        :origin: server.metrics.ClientMetricsReceiverPlugin#getPayLoad(PushTelemetryRequest)
        """
        return DefaultClientTelemetryPayload(request)

    def export_metrics(self, context: RequestContext, request: PushTelemetryRequest) -> None:
        """Export the metrics of ``request``. Raises a receiver's exception, or as ``get_pay_load``.

        :origin: server.metrics.ClientMetricsReceiverPlugin#exportMetrics(RequestContext, PushTelemetryRequest)
        """  # noqa: E501
        payload = self.get_pay_load(request)
        for receiver in self._receivers:
            receiver.export_metrics(context, payload)
