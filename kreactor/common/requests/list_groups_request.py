# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.ListGroupsRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to list groups, optionally by state and type."""

from __future__ import annotations

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.list_groups_request_data import ListGroupsRequestData
from kreactor.common.message.list_groups_response_data import ListGroupsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.list_groups_response import ListGroupsResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class ListGroupsRequest(AbstractRequest):
    """:origin: common.requests.ListGroupsRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["ListGroupsRequest"]):
        """:origin: common.requests.ListGroupsRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: ListGroupsRequestData) -> None:
            """:origin: common.requests.ListGroupsRequest.Builder#Builder(ListGroupsRequestData)"""
            super().__init__(ApiKeys.LIST_GROUPS)
            self._data = data

        def build_version(self, version: int) -> ListGroupsRequest:
            """Build the request. Raises UnsupportedVersionException if ``version`` lacks a set field.

            :origin: common.requests.ListGroupsRequest.Builder#build(short)
            """
            if self._data.states_filter and version < 4:
                raise UnsupportedVersionException(
                    f"The broker only supports ListGroups v{version}, but we need v4 or newer to request "
                    "groups by states.")
            if self._data.types_filter and version < 5:
                raise UnsupportedVersionException(
                    f"The broker only supports ListGroups v{version}, but we need v5 or newer to request "
                    "groups by type.")
            return ListGroupsRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.ListGroupsRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: ListGroupsRequestData, version: int) -> None:
        """:origin: common.requests.ListGroupsRequest#ListGroupsRequest(ListGroupsRequestData, short)"""
        super().__init__(ApiKeys.LIST_GROUPS, version)
        self._data = data

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> ListGroupsResponse:
        """:origin: common.requests.ListGroupsRequest#getErrorResponse(int, Throwable)"""
        list_groups_response_data = ListGroupsResponseData(groups=[], error_code=Errors.for_exception(e).code)
        if self._version >= 1:
            list_groups_response_data.throttle_time_ms = throttle_time_ms
        return ListGroupsResponse(list_groups_response_data)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> ListGroupsRequest:
        """:origin: common.requests.ListGroupsRequest#parse(ByteBuffer, short)"""
        return ListGroupsRequest(ListGroupsRequestData.read(buffer, version), version)

    def data(self) -> ListGroupsRequestData:
        """:origin: common.requests.ListGroupsRequest#data()"""
        return self._data
