# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.telemetry.internals.ClientTelemetrySender of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The source of the telemetry requests that a NetworkClient sends.

The thread that polls the client calls the methods. Any thread may call ``client_instance_id`` and
``initiate_close``. kreactor has no implementation, because the telemetry reporter is out of scope.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from kreactor.common.kafka_exception import KafkaException
from kreactor.common.uuid import Uuid

if TYPE_CHECKING:
    from kreactor.common.requests.abstract_request import AbstractRequest
    from kreactor.common.requests.get_telemetry_subscriptions_response import (
        GetTelemetrySubscriptionsResponse,
    )
    from kreactor.common.requests.push_telemetry_response import PushTelemetryResponse


class ClientTelemetrySender(ABC):
    """:origin: common.telemetry.internals.ClientTelemetrySender"""

    @abstractmethod
    def time_to_next_update(self, timeout_ms: int) -> int:
        """Return the milliseconds until the next request, or ``timeout_ms`` while a request is in flight.

        :origin: common.telemetry.internals.ClientTelemetrySender#timeToNextUpdate(long)
        """

    @abstractmethod
    def create_request(self) -> AbstractRequest.Builder[AbstractRequest] | None:
        """Return the next request, which gets subscriptions or pushes metrics, or None.

        :origin: common.telemetry.internals.ClientTelemetrySender#createRequest()
        """

    @abstractmethod
    def handle_response(self, response: GetTelemetrySubscriptionsResponse) -> None:
        """Handle the response with subscriptions.

        :origin: common.telemetry.internals.ClientTelemetrySender#handleResponse(
            GetTelemetrySubscriptionsResponse)
        """

    @abstractmethod
    def handle_response_push(self, response: PushTelemetryResponse) -> None:
        """Handle the response to pushed metrics.

        :origin: common.telemetry.internals.ClientTelemetrySender#handleResponse(PushTelemetryResponse)
        """

    @abstractmethod
    def handle_failed_get_telemetry_subscriptions_request(
            self, kafka_exception: KafkaException | None) -> None:
        """Handle a failed request for subscriptions.

        ``kafka_exception`` is None after a disconnection.

        :origin: common.telemetry.internals.ClientTelemetrySender#handleFailedGetTelemetrySubscriptionsRequest(
            KafkaException)
        """  # noqa: E501

    @abstractmethod
    def handle_failed_push_telemetry_request(self, kafka_exception: KafkaException | None) -> None:
        """Handle a failed push of metrics, which may not have arrived.

        ``kafka_exception`` is None after a disconnection.

        :origin: common.telemetry.internals.ClientTelemetrySender#handleFailedPushTelemetryRequest(
            KafkaException)
        """

    @abstractmethod
    def client_instance_id(self, timeout_ms: int) -> Uuid | None:
        """Return the client's id from the broker, or None. Waits up to ``timeout_ms`` milliseconds.

        :origin: common.telemetry.internals.ClientTelemetrySender#clientInstanceId(Duration)
        """

    @abstractmethod
    def initiate_close(self, timeout_ms: int) -> None:
        """Start to close, within ``timeout_ms`` milliseconds.

        :origin: common.telemetry.internals.ClientTelemetrySender#initiateClose(long)
        """

    @abstractmethod
    def close(self) -> None:
        """Close the sender."""
