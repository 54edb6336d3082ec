# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.GetTelemetrySubscriptionsResponse of Apache
# Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The metrics that a client must push, with interval and format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.get_telemetry_subscriptions_response_data import (
    GetTelemetrySubscriptionsResponseData,
)
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class GetTelemetrySubscriptionsResponse(AbstractResponse):
    """:origin: common.requests.GetTelemetrySubscriptionsResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: GetTelemetrySubscriptionsResponseData) -> None:
        """:origin: common.requests.GetTelemetrySubscriptionsResponse#GetTelemetrySubscriptionsResponse(
            GetTelemetrySubscriptionsResponseData)
        """
        super().__init__(ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS)
        self._data = data

    def data(self) -> GetTelemetrySubscriptionsResponseData:
        """:origin: common.requests.GetTelemetrySubscriptionsResponse#data()"""
        return self._data

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.GetTelemetrySubscriptionsResponse#errorCounts()"""
        return self._error_counts_error(Errors.for_code(self._data.error_code))

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.GetTelemetrySubscriptionsResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.GetTelemetrySubscriptionsResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def has_error(self) -> bool:
        """Return whether the response has an error.

        :origin: common.requests.GetTelemetrySubscriptionsResponse#hasError()
        """
        return self.error() is not Errors.NONE

    def error(self) -> Errors:
        """Return the error.

        :origin: common.requests.GetTelemetrySubscriptionsResponse#error()
        """
        return Errors.for_code(self._data.error_code)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> GetTelemetrySubscriptionsResponse:
        """:origin: common.requests.GetTelemetrySubscriptionsResponse#parse(ByteBuffer, short)"""
        return GetTelemetrySubscriptionsResponse(GetTelemetrySubscriptionsResponseData.read(buffer, version))
