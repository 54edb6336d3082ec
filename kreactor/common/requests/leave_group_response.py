# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.LeaveGroupResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The results of leaving members. Up to version 2 only the first error."""

from __future__ import annotations

from collections.abc import Sequence

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.leave_group_response_data import LeaveGroupResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.jdk.nio_buffer import ByteBuffer

MemberResponse = LeaveGroupResponseData.MemberResponse


class LeaveGroupResponse(AbstractResponse):
    """:origin: common.requests.LeaveGroupResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: LeaveGroupResponseData, version: int | None = None) -> None:
        """Convert the data to ``version``. Without ``version`` the data is kept unchanged.

        Raises UnsupportedVersionException for several members in version 2 or below.

        :origin: common.requests.LeaveGroupResponse#LeaveGroupResponse(LeaveGroupResponseData)
        :origin: common.requests.LeaveGroupResponse#LeaveGroupResponse(LeaveGroupResponseData, short)
        """
        super().__init__(ApiKeys.LEAVE_GROUP)
        if version is None or version >= 3:
            self._data = data
        elif data.error_code != Errors.NONE.code:
            self._data = LeaveGroupResponseData(error_code=data.error_code)
        else:
            if len(data.members) != 1:
                raise UnsupportedVersionException(
                    f"LeaveGroup response version {version} can only contain one member, got "
                    f"{len(data.members)} members.")
            self._data = LeaveGroupResponseData(error_code=data.members[0].error_code)

    @staticmethod
    def of(member_responses: list[MemberResponse], top_level_error: Errors, throttle_time_ms: int,
           version: int) -> LeaveGroupResponse:
        """Return a response of ``version``.

        :origin: common.requests.LeaveGroupResponse#LeaveGroupResponse(List<MemberResponse>, Errors, int, short)
        """  # noqa: E501
        if version <= 2:
            data = LeaveGroupResponseData(
                error_code=LeaveGroupResponse._get_error(top_level_error, member_responses).code)
        else:
            data = LeaveGroupResponseData(error_code=top_level_error.code, members=member_responses)
        if version >= 1:
            data.throttle_time_ms = throttle_time_ms
        return LeaveGroupResponse(data)

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.LeaveGroupResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.LeaveGroupResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def member_responses(self) -> list[MemberResponse]:
        """Return the result of each member.

        :origin: common.requests.LeaveGroupResponse#memberResponses()
        """
        return self._data.members

    def error(self) -> Errors:
        """Return the top-level error, or the first error of a member.

        :origin: common.requests.LeaveGroupResponse#error()
        """
        return self._get_error(Errors.for_code(self._data.error_code), self._data.members)

    def top_level_error(self) -> Errors:
        """Return the top-level error.

        :origin: common.requests.LeaveGroupResponse#topLevelError()
        """
        return Errors.for_code(self._data.error_code)

    @staticmethod
    def _get_error(top_level_error: Errors, member_responses: Sequence[MemberResponse]) -> Errors:
        """:origin: common.requests.LeaveGroupResponse#getError(Errors, List<MemberResponse>)"""
        if top_level_error is not Errors.NONE:
            return top_level_error
        for member_response in member_responses:
            member_error = Errors.for_code(member_response.error_code)
            if member_error is not Errors.NONE:
                return member_error
        return Errors.NONE

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.LeaveGroupResponse#errorCounts()"""
        combined_error_counts: dict[Errors, int] = {}
        self._update_error_counts(combined_error_counts, Errors.for_code(self._data.error_code))
        for member_response in self._data.members:
            self._update_error_counts(combined_error_counts, Errors.for_code(member_response.error_code))
        return combined_error_counts

    def data(self) -> LeaveGroupResponseData:
        """:origin: common.requests.LeaveGroupResponse#data()"""
        return self._data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> LeaveGroupResponse:
        """:origin: common.requests.LeaveGroupResponse#parse(ByteBuffer, short)"""
        return LeaveGroupResponse(LeaveGroupResponseData.read(buffer, version))

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.LeaveGroupResponse#shouldClientThrottle(short)"""
        return version >= 2

    def __eq__(self, other: object) -> bool:
        """:origin: common.requests.LeaveGroupResponse#equals(Object)"""
        return isinstance(other, LeaveGroupResponse) and other._data == self._data

    def __hash__(self) -> int:
        """:origin: common.requests.LeaveGroupResponse#hashCode()"""
        # Hashed by text: messages are not hashable because they are mutable, and equal ones have equal text.
        return hash(str(self._data))

    def __str__(self) -> str:
        """:origin: common.requests.LeaveGroupResponse#toString()"""
        return str(self._data)
