# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.telemetry.ClientTelemetryPayload of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The metrics of a client, as one request has them."""

from __future__ import annotations

from abc import ABC, abstractmethod

from kreactor.common.uuid import Uuid
from kreactor.jdk.nio_buffer import ByteBuffer


class ClientTelemetryPayload(ABC):
    """A client's metrics, and the client that sends them.

    :origin: server.telemetry.ClientTelemetryPayload
    """

    __slots__ = ()

    @abstractmethod
    def client_instance_id(self) -> Uuid:
        """Return which client it is.

        :origin: server.telemetry.ClientTelemetryPayload#clientInstanceId()
        """

    @abstractmethod
    def is_terminating(self) -> bool:
        """Return whether the client sends for the last time.

        :origin: server.telemetry.ClientTelemetryPayload#isTerminating()
        """

    @abstractmethod
    def content_type(self) -> str:
        """Return the format of the metrics: OTLP.

        :origin: server.telemetry.ClientTelemetryPayload#contentType()
        """

    @abstractmethod
    def data(self) -> ByteBuffer:
        """Return the metrics, not compressed; all receivers get the same buffer.

        :origin: server.telemetry.ClientTelemetryPayload#data()
        """
