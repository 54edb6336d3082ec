# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.telemetry.ClientTelemetryReceiver of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A receiver of client metrics."""

from __future__ import annotations

from abc import ABC, abstractmethod

from kreactor.server.authorizer.authorizable_request_context import AuthorizableRequestContext
from kreactor.server.telemetry.client_telemetry_payload import ClientTelemetryPayload


class ClientTelemetryReceiver(ABC):
    """Called by request handler threads, several at a time.

    :origin: server.telemetry.ClientTelemetryReceiver
    """

    __slots__ = ()

    @abstractmethod
    def export_metrics(self, context: AuthorizableRequestContext, payload: ClientTelemetryPayload) -> None:
        """Process the metrics of the request of ``context``; should not block.

        The client gets INVALID_RECORD for an exception.

        :origin: server.telemetry.ClientTelemetryReceiver#exportMetrics(AuthorizableRequestContext, ClientTelemetryPayload)
        """  # noqa: E501
