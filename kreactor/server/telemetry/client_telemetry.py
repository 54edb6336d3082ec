# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.telemetry.ClientTelemetry of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A reporter of metrics that takes those of clients, too."""

from __future__ import annotations

from abc import ABC, abstractmethod

from kreactor.server.telemetry.client_telemetry_receiver import ClientTelemetryReceiver


class ClientTelemetry(ABC):
    """Implemented by a MetricsReporter that ``metric.reporters`` names: its broker asks clients for metrics.

    :origin: server.telemetry.ClientTelemetry
    """

    __slots__ = ()

    @abstractmethod
    def client_receiver(self) -> ClientTelemetryReceiver | None:
        """Return what takes the metrics, or None; asked once, after the reporter was told of the broker.

        :origin: server.telemetry.ClientTelemetry#clientReceiver()
        """
