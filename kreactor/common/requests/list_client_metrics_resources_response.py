# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.ListClientMetricsResourcesResponse of Apache
# Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The subscriptions to client metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.list_client_metrics_resources_response_data import (
    ListClientMetricsResourcesResponseData,
)
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.api_error import ApiError

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class ListClientMetricsResourcesResponse(AbstractResponse):
    """:origin: common.requests.ListClientMetricsResourcesResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: ListClientMetricsResourcesResponseData) -> None:
        """:origin: common.requests.ListClientMetricsResourcesResponse#ListClientMetricsResourcesResponse(
            ListClientMetricsResourcesResponseData)
        """
        super().__init__(ApiKeys.LIST_CLIENT_METRICS_RESOURCES)
        self._data = data

    def data(self) -> ListClientMetricsResourcesResponseData:
        """:origin: common.requests.ListClientMetricsResourcesResponse#data()"""
        return self._data

    def error(self) -> ApiError:
        """Return the error.

        :origin: common.requests.ListClientMetricsResourcesResponse#error()
        """
        return ApiError.of(Errors.for_code(self._data.error_code))

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.ListClientMetricsResourcesResponse#errorCounts()"""
        return self._error_counts_error(Errors.for_code(self._data.error_code))

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> ListClientMetricsResourcesResponse:
        """:origin: common.requests.ListClientMetricsResourcesResponse#parse(ByteBuffer, short)"""
        return ListClientMetricsResourcesResponse(
            ListClientMetricsResourcesResponseData.read(buffer, version))

    def __str__(self) -> str:
        """:origin: common.requests.ListClientMetricsResourcesResponse#toString()"""
        return str(self._data)

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.ListClientMetricsResourcesResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.ListClientMetricsResourcesResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms
