# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.GetTelemetrySubscriptionsRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A client's request for its telemetry subscriptions."""

from __future__ import annotations

from kreactor.common.message.get_telemetry_subscriptions_request_data import (
    GetTelemetrySubscriptionsRequestData,
)
from kreactor.common.message.get_telemetry_subscriptions_response_data import (
    GetTelemetrySubscriptionsResponseData,
)
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.get_telemetry_subscriptions_response import GetTelemetrySubscriptionsResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class GetTelemetrySubscriptionsRequest(AbstractRequest):
    """:origin: common.requests.GetTelemetrySubscriptionsRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["GetTelemetrySubscriptionsRequest"]):
        """:origin: common.requests.GetTelemetrySubscriptionsRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: GetTelemetrySubscriptionsRequestData,
                     enable_unstable_last_version: bool = False) -> None:
            """:origin: common.requests.GetTelemetrySubscriptionsRequest.Builder#Builder(
                GetTelemetrySubscriptionsRequestData, boolean)
            :origin: common.requests.GetTelemetrySubscriptionsRequest.Builder#Builder(
                GetTelemetrySubscriptionsRequestData)
            """
            super().__init__(ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS,
                             enable_unstable_last_version=enable_unstable_last_version)
            self._data = data

        def build_version(self, version: int) -> GetTelemetrySubscriptionsRequest:
            """:origin: common.requests.GetTelemetrySubscriptionsRequest.Builder#build(short)"""
            return GetTelemetrySubscriptionsRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.GetTelemetrySubscriptionsRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: GetTelemetrySubscriptionsRequestData, version: int) -> None:
        """:origin: common.requests.GetTelemetrySubscriptionsRequest#GetTelemetrySubscriptionsRequest(
            GetTelemetrySubscriptionsRequestData, short)
        """
        super().__init__(ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS, version)
        self._data = data

    def get_error_response_throttle(self, throttle_time_ms: int,
                                    e: BaseException) -> GetTelemetrySubscriptionsResponse:
        """:origin: common.requests.GetTelemetrySubscriptionsRequest#getErrorResponse(int, Throwable)"""
        return GetTelemetrySubscriptionsResponse(GetTelemetrySubscriptionsResponseData(
            error_code=Errors.for_exception(e).code, throttle_time_ms=throttle_time_ms))

    def data(self) -> GetTelemetrySubscriptionsRequestData:
        """:origin: common.requests.GetTelemetrySubscriptionsRequest#data()"""
        return self._data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> GetTelemetrySubscriptionsRequest:
        """:origin: common.requests.GetTelemetrySubscriptionsRequest#parse(ByteBuffer, short)"""
        return GetTelemetrySubscriptionsRequest(
            GetTelemetrySubscriptionsRequestData.read(buffer, version), version)
