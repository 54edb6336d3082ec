# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.LeaveGroupRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request of members to leave their group: one up to version 2, several from version 3 on."""

from __future__ import annotations

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.leave_group_request_data import LeaveGroupRequestData
from kreactor.common.message.leave_group_response_data import LeaveGroupResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.leave_group_response import LeaveGroupResponse
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer

MemberIdentity = LeaveGroupRequestData.MemberIdentity


class LeaveGroupRequest(AbstractRequest):
    """:origin: common.requests.LeaveGroupRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["LeaveGroupRequest"]):
        """:origin: common.requests.LeaveGroupRequest.Builder"""

        __slots__ = ("_group_id", "_members")

        def __init__(self, group_id: str, members: list[MemberIdentity], oldest_version: int | None = None,
                     latest_version: int | None = None) -> None:
            """Raises IllegalArgumentException without members.

            :origin: common.requests.LeaveGroupRequest.Builder#Builder(String, List<MemberIdentity>)
            :origin: common.requests.LeaveGroupRequest.Builder#Builder(String, List<MemberIdentity>, short, short)
            """  # noqa: E501
            super().__init__(ApiKeys.LEAVE_GROUP, oldest_version, latest_version)
            self._group_id = group_id
            self._members = members
            if not members:
                raise IllegalArgumentException("leaving members should not be empty")

        def build_version(self, version: int) -> LeaveGroupRequest:
            """Build the request.

            Raises UnsupportedVersionException for several members in version 2 or below.

            :origin: common.requests.LeaveGroupRequest.Builder#build(short)
            """
            members = self._members
            if version >= 3:
                data = LeaveGroupRequestData(group_id=self._group_id, members=members)
            else:
                if len(members) != 1:
                    raise UnsupportedVersionException(
                        f"Version {version} leave group request only supports single member instance than "
                        f"{len(members)} members")
                data = LeaveGroupRequestData(group_id=self._group_id, member_id=members[0].member_id)
            return LeaveGroupRequest(data, version)

        def __str__(self) -> str:
            """:origin: common.requests.LeaveGroupRequest.Builder#toString()"""
            members = ", ".join(str(member) for member in self._members)
            return f"(type=LeaveGroupRequest, groupId={self._group_id}, members=[{members}])"

    def __init__(self, data: LeaveGroupRequestData, version: int) -> None:
        """:origin: common.requests.LeaveGroupRequest#LeaveGroupRequest(LeaveGroupRequestData, short)"""
        super().__init__(ApiKeys.LEAVE_GROUP, version)
        self._data = data

    def data(self) -> LeaveGroupRequestData:
        """:origin: common.requests.LeaveGroupRequest#data()"""
        return self._data

    def normalized_data(self) -> LeaveGroupRequestData:
        """Return the request of any version in the form of version 3.

        :origin: common.requests.LeaveGroupRequest#normalizedData()
        """
        if self._version >= 3:
            return self._data
        return LeaveGroupRequestData(group_id=self._data.group_id,
                                     members=[MemberIdentity(member_id=self._data.member_id)])

    def members(self) -> list[MemberIdentity]:
        """Return the leaving members of a request of any version.

        :origin: common.requests.LeaveGroupRequest#members()
        """
        if self._version <= 2:
            return [MemberIdentity(member_id=self._data.member_id)]
        return self._data.members

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> LeaveGroupResponse:
        """:origin: common.requests.LeaveGroupRequest#getErrorResponse(int, Throwable)"""
        response_data = LeaveGroupResponseData(error_code=Errors.for_exception(e).code)
        if self._version >= 1:
            response_data.throttle_time_ms = throttle_time_ms
        return LeaveGroupResponse(response_data)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> LeaveGroupRequest:
        """:origin: common.requests.LeaveGroupRequest#parse(ByteBuffer, short)"""
        return LeaveGroupRequest(LeaveGroupRequestData.read(buffer, version), version)
