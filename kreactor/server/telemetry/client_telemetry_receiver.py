# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.telemetry.ClientTelemetryReceiver of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Takes the metrics of clients."""

from __future__ import annotations

from abc import ABC, abstractmethod

from kreactor.server.authorizer.authorizable_request_context import AuthorizableRequestContext
from kreactor.server.telemetry.client_telemetry_payload import ClientTelemetryPayload


class ClientTelemetryReceiver(ABC):
    """Called by the threads that handle requests, several at a time.

    :origin: server.telemetry.ClientTelemetryReceiver
    """

    __slots__ = ()

    @abstractmethod
    def export_metrics(self, context: AuthorizableRequestContext, payload: ClientTelemetryPayload) -> None:
        """Take what a client sent with the request of ``context``; should not block.

        The client is told of an exception as INVALID_RECORD.

        :origin: server.telemetry.ClientTelemetryReceiver#exportMetrics(AuthorizableRequestContext, ClientTelemetryPayload)
        """  # noqa: E501
