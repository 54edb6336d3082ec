# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DescribeGroupsRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to describe the state and the members of groups."""

from __future__ import annotations

from collections.abc import Iterable

from kreactor.common.message.describe_groups_request_data import DescribeGroupsRequestData
from kreactor.common.message.describe_groups_response_data import DescribeGroupsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.describe_groups_response import DescribeGroupsResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class DescribeGroupsRequest(AbstractRequest):
    """:origin: common.requests.DescribeGroupsRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["DescribeGroupsRequest"]):
        """:origin: common.requests.DescribeGroupsRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: DescribeGroupsRequestData) -> None:
            """:origin: common.requests.DescribeGroupsRequest.Builder#Builder(DescribeGroupsRequestData)"""
            super().__init__(ApiKeys.DESCRIBE_GROUPS)
            self._data = data

        def build_version(self, version: int) -> DescribeGroupsRequest:
            """:origin: common.requests.DescribeGroupsRequest.Builder#build(short)"""
            return DescribeGroupsRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.DescribeGroupsRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: DescribeGroupsRequestData, version: int) -> None:
        """:origin: common.requests.DescribeGroupsRequest#DescribeGroupsRequest(DescribeGroupsRequestData,
            short)
        """
        super().__init__(ApiKeys.DESCRIBE_GROUPS, version)
        self._data = data

    def data(self) -> DescribeGroupsRequestData:
        """:origin: common.requests.DescribeGroupsRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> DescribeGroupsResponse:
        """:origin: common.requests.DescribeGroupsRequest#getErrorResponse(int, Throwable)"""
        error = Errors.for_exception(e)
        response_data = DescribeGroupsResponseData(
            groups=[DescribeGroupsResponse.group_error(group_id, error) for group_id in self._data.groups])
        if self._version >= 1:
            response_data.throttle_time_ms = throttle_time_ms
        return DescribeGroupsResponse(response_data)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DescribeGroupsRequest:
        """:origin: common.requests.DescribeGroupsRequest#parse(ByteBuffer, short)"""
        return DescribeGroupsRequest(DescribeGroupsRequestData.read(buffer, version), version)

    @staticmethod
    def get_error_described_group_list(
        group_ids: Iterable[str], error: Errors,
    ) -> list[DescribeGroupsResponseData.DescribedGroup]:
        """Return the groups, each with ``error``.

        :origin: common.requests.DescribeGroupsRequest#getErrorDescribedGroupList(List<String>, Errors)
        """
        return [DescribeGroupsResponseData.DescribedGroup(group_id=group_id, error_code=error.code)
                for group_id in group_ids]
