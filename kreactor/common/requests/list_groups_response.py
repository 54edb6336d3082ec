# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.ListGroupsResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The listed groups."""

from __future__ import annotations

from kreactor.common.message.list_groups_response_data import ListGroupsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class ListGroupsResponse(AbstractResponse):
    """:origin: common.requests.ListGroupsResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: ListGroupsResponseData) -> None:
        """:origin: common.requests.ListGroupsResponse#ListGroupsResponse(ListGroupsResponseData)"""
        super().__init__(ApiKeys.LIST_GROUPS)
        self._data = data

    def data(self) -> ListGroupsResponseData:
        """:origin: common.requests.ListGroupsResponse#data()"""
        return self._data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.ListGroupsResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.ListGroupsResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.ListGroupsResponse#errorCounts()"""
        return self._error_counts_error(Errors.for_code(self._data.error_code))

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> ListGroupsResponse:
        """:origin: common.requests.ListGroupsResponse#parse(ByteBuffer, short)"""
        return ListGroupsResponse(ListGroupsResponseData.read(buffer, version))

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.ListGroupsResponse#shouldClientThrottle(short)"""
        return version >= 2
