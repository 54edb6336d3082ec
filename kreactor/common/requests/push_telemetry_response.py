# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.PushTelemetryResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of a client's pushed metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.push_telemetry_response_data import PushTelemetryResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class PushTelemetryResponse(AbstractResponse):
    """:origin: common.requests.PushTelemetryResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: PushTelemetryResponseData) -> None:
        """:origin: common.requests.PushTelemetryResponse#PushTelemetryResponse(PushTelemetryResponseData)"""
        super().__init__(ApiKeys.PUSH_TELEMETRY)
        self._data = data

    def data(self) -> PushTelemetryResponseData:
        """:origin: common.requests.PushTelemetryResponse#data()"""
        return self._data

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.PushTelemetryResponse#errorCounts()"""
        return self._error_counts_error(Errors.for_code(self._data.error_code))

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.PushTelemetryResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.PushTelemetryResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def has_error(self) -> bool:
        """Return whether the response has an error.

        :origin: common.requests.PushTelemetryResponse#hasError()
        """
        return self.error() is not Errors.NONE

    def error(self) -> Errors:
        """Return the error.

        :origin: common.requests.PushTelemetryResponse#error()
        """
        return Errors.for_code(self._data.error_code)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> PushTelemetryResponse:
        """:origin: common.requests.PushTelemetryResponse#parse(ByteBuffer, short)"""
        return PushTelemetryResponse(PushTelemetryResponseData.read(buffer, version))
