# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DescribeGroupsResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The state of groups, and their members."""

from __future__ import annotations

from kreactor.common.message.describe_groups_response_data import DescribeGroupsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.jdk.nio_buffer import ByteBuffer

DescribedGroup = DescribeGroupsResponseData.DescribedGroup
DescribedGroupMember = DescribeGroupsResponseData.DescribedGroupMember


class DescribeGroupsResponse(AbstractResponse):
    """:origin: common.requests.DescribeGroupsResponse"""

    AUTHORIZED_OPERATIONS_OMITTED = -2**31

    UNKNOWN_STATE = ""
    UNKNOWN_PROTOCOL_TYPE = ""
    UNKNOWN_PROTOCOL = ""

    __slots__ = ("_data",)

    def __init__(self, data: DescribeGroupsResponseData) -> None:
        """:origin: common.requests.DescribeGroupsResponse#DescribeGroupsResponse(DescribeGroupsResponseData,
            )
        """
        super().__init__(ApiKeys.DESCRIBE_GROUPS)
        self._data = data

    @staticmethod
    def group_metadata(group_id: str, error: Errors, state: str, protocol_type: str, protocol: str,
                       members: list[DescribedGroupMember], authorized_operations: int) -> DescribedGroup:
        """Return the entry of a group.

        :origin: common.requests.DescribeGroupsResponse#groupMetadata(String, Errors, String, String, String, List<DescribedGroupMember>, int)
        """  # noqa: E501
        return DescribedGroup(
            group_id=group_id, error_code=error.code, group_state=state, protocol_type=protocol_type,
            protocol_data=protocol, members=members, authorized_operations=authorized_operations)

    @staticmethod
    def group_error(group_id: str, error: Errors) -> DescribedGroup:
        """Return the entry of a group with only ``error``.

        :origin: common.requests.DescribeGroupsResponse#groupError(String, Errors)
        """
        return DescribeGroupsResponse.group_metadata(
            group_id, error, DescribeGroupsResponse.UNKNOWN_STATE,
            DescribeGroupsResponse.UNKNOWN_PROTOCOL_TYPE, DescribeGroupsResponse.UNKNOWN_PROTOCOL, [],
            DescribeGroupsResponse.AUTHORIZED_OPERATIONS_OMITTED)

    def data(self) -> DescribeGroupsResponseData:
        """:origin: common.requests.DescribeGroupsResponse#data()"""
        return self._data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.DescribeGroupsResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.DescribeGroupsResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.DescribeGroupsResponse#errorCounts()"""
        error_counts: dict[Errors, int] = {}
        for described_group in self._data.groups:
            self._update_error_counts(error_counts, Errors.for_code(described_group.error_code))
        return error_counts

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DescribeGroupsResponse:
        """:origin: common.requests.DescribeGroupsResponse#parse(ByteBuffer, short)"""
        return DescribeGroupsResponse(DescribeGroupsResponseData.read(buffer, version))

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.DescribeGroupsResponse#shouldClientThrottle(short)"""
        return version >= 2
