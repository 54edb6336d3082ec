# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.ListClientMetricsResourcesRequest of Apache
# Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to list the subscriptions to client metrics."""

from __future__ import annotations

from kreactor.common.message.list_client_metrics_resources_request_data import (
    ListClientMetricsResourcesRequestData,
)
from kreactor.common.message.list_client_metrics_resources_response_data import (
    ListClientMetricsResourcesResponseData,
)
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.list_client_metrics_resources_response import ListClientMetricsResourcesResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class ListClientMetricsResourcesRequest(AbstractRequest):
    """:origin: common.requests.ListClientMetricsResourcesRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["ListClientMetricsResourcesRequest"]):
        """:origin: common.requests.ListClientMetricsResourcesRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: ListClientMetricsResourcesRequestData) -> None:
            """:origin: common.requests.ListClientMetricsResourcesRequest.Builder#Builder(
                ListClientMetricsResourcesRequestData)
            """
            super().__init__(ApiKeys.LIST_CLIENT_METRICS_RESOURCES)
            self._data = data

        def build_version(self, version: int) -> ListClientMetricsResourcesRequest:
            """:origin: common.requests.ListClientMetricsResourcesRequest.Builder#build(short)"""
            return ListClientMetricsResourcesRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.ListClientMetricsResourcesRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: ListClientMetricsResourcesRequestData, version: int) -> None:
        """:origin: common.requests.ListClientMetricsResourcesRequest#ListClientMetricsResourcesRequest(
            ListClientMetricsResourcesRequestData, short)
        """
        super().__init__(ApiKeys.LIST_CLIENT_METRICS_RESOURCES, version)
        self._data = data

    def data(self) -> ListClientMetricsResourcesRequestData:
        """:origin: common.requests.ListClientMetricsResourcesRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int,
                                    e: BaseException) -> ListClientMetricsResourcesResponse:
        """:origin: common.requests.ListClientMetricsResourcesRequest#getErrorResponse(int, Throwable)"""
        return ListClientMetricsResourcesResponse(ListClientMetricsResourcesResponseData(
            error_code=Errors.for_exception(e).code, throttle_time_ms=throttle_time_ms))

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> ListClientMetricsResourcesRequest:
        """:origin: common.requests.ListClientMetricsResourcesRequest#parse(ByteBuffer, short)"""
        return ListClientMetricsResourcesRequest(
            ListClientMetricsResourcesRequestData.read(buffer, version), version)

    def to_string(self, verbose: bool) -> str:
        """:origin: common.requests.ListClientMetricsResourcesRequest#toString(boolean)"""
        return str(self._data)
