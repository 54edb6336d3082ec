# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.telemetry.ClientTelemetryPayload of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The metrics of a client in one request."""

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
        """Return the client's id.

        :origin: server.telemetry.ClientTelemetryPayload#clientInstanceId()
        """

    @abstractmethod
    def is_terminating(self) -> bool:
        """Return whether this is the client's last push.

        :origin: server.telemetry.ClientTelemetryPayload#isTerminating()
        """

    @abstractmethod
    def content_type(self) -> str:
        """Return the format of the metrics: OTLP.

        :origin: server.telemetry.ClientTelemetryPayload#contentType()
        """

    @abstractmethod
    def data(self) -> ByteBuffer:
        """Return the uncompressed metrics; all receivers get the same buffer.

        :origin: server.telemetry.ClientTelemetryPayload#data()
        """
