# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.telemetry.ClientTelemetry of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A metrics reporter that also receives the metrics of clients."""

from __future__ import annotations

from abc import ABC, abstractmethod

from kreactor.server.telemetry.client_telemetry_receiver import ClientTelemetryReceiver


class ClientTelemetry(ABC):
    """Implemented by a MetricsReporter that ``metric.reporters`` names. The broker then requests metrics from
    clients.

    :origin: server.telemetry.ClientTelemetry
    """

    __slots__ = ()

    @abstractmethod
    def client_receiver(self) -> ClientTelemetryReceiver | None:
        """Return the receiver, or None. Called once, after the reporter's ``context_change``.

        :origin: server.telemetry.ClientTelemetry#clientReceiver()
        """
