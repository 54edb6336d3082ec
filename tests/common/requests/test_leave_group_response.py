# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.LeaveGroupResponseTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Errors of members that leave."""

from __future__ import annotations

import pytest

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.leave_group_response_data import LeaveGroupResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.leave_group_response import LeaveGroupResponse

MemberResponse = LeaveGroupResponseData.MemberResponse
THROTTLE_TIME_MS = 10
DEFAULT_THROTTLE_TIME = AbstractResponse.DEFAULT_THROTTLE_TIME
VERSIONS = ApiKeys.LEAVE_GROUP.all_versions()


def member_responses() -> list[MemberResponse]:
    return [MemberResponse(member_id="member_1", group_instance_id="instance_1",
                           error_code=Errors.UNKNOWN_MEMBER_ID.code),
            MemberResponse(member_id="member_2", group_instance_id="instance_2",
                           error_code=Errors.FENCED_INSTANCE_ID.code)]


def test_constructor_with_member_responses() -> None:
    # That of the whole is one of them.
    expected_error_counts = {Errors.NONE: 1, Errors.UNKNOWN_MEMBER_ID: 1, Errors.FENCED_INSTANCE_ID: 1}
    for version in VERSIONS:
        response = LeaveGroupResponse.of(member_responses(), Errors.NONE, THROTTLE_TIME_MS, version)
        if version >= 3:
            assert response.error_counts() == expected_error_counts
            assert response.member_responses() == member_responses()
        else:
            assert response.error_counts() == {Errors.UNKNOWN_MEMBER_ID: 1}
            assert response.member_responses() == []
        assert response.throttle_time_ms() == (THROTTLE_TIME_MS if version >= 1 else DEFAULT_THROTTLE_TIME)
        assert response.error() is Errors.UNKNOWN_MEMBER_ID


def test_should_throttle() -> None:
    response = LeaveGroupResponse(LeaveGroupResponseData())
    for version in VERSIONS:
        assert response.should_client_throttle(version) == (version >= 2)


def test_equality_with_serialization() -> None:
    response_data = LeaveGroupResponseData(error_code=Errors.NONE.code, throttle_time_ms=THROTTLE_TIME_MS)
    for version in VERSIONS:
        primary_response, secondary_response = (
            LeaveGroupResponse.parse(MessageUtil.to_byte_buffer(response_data, version), version)
            for _ in range(2))
        assert primary_response == primary_response
        assert primary_response == secondary_response
        assert hash(primary_response) == hash(secondary_response)


def test_parse() -> None:
    data = LeaveGroupResponseData(error_code=Errors.NOT_COORDINATOR.code, throttle_time_ms=THROTTLE_TIME_MS)
    for version in VERSIONS:
        response = LeaveGroupResponse.parse(MessageUtil.to_byte_buffer(data, version), version)
        assert response.error_counts() == {Errors.NOT_COORDINATOR: 1}
        assert response.throttle_time_ms() == (THROTTLE_TIME_MS if version >= 1 else DEFAULT_THROTTLE_TIME)
        assert response.error() is Errors.NOT_COORDINATOR


def test_equality_with_member_responses() -> None:
    for version in VERSIONS:
        local_responses = member_responses() if version > 2 else member_responses()[:1]
        primary_response = LeaveGroupResponse.of(local_responses, Errors.NONE, THROTTLE_TIME_MS, version)
        # The list is the response's own in both, as in the origin.
        local_responses.reverse()
        reversed_response = LeaveGroupResponse.of(local_responses, Errors.NONE, THROTTLE_TIME_MS, version)
        assert primary_response == primary_response
        assert primary_response == reversed_response
        assert hash(primary_response) == hash(reversed_response)


@pytest.mark.parametrize("version", VERSIONS)
def test_no_error_no_members_responses(version: int) -> None:
    data = LeaveGroupResponseData(error_code=Errors.NONE.code, members=[])
    if version < 3:
        with pytest.raises(UnsupportedVersionException):
            LeaveGroupResponse(data, version)
    else:
        response = LeaveGroupResponse(data, version)
        assert response.top_level_error() is Errors.NONE
        assert response.member_responses() == []


@pytest.mark.parametrize("version", VERSIONS)
def test_no_error_multiple_members_responses(version: int) -> None:
    data = LeaveGroupResponseData(error_code=Errors.NONE.code, members=member_responses())
    if version < 3:
        with pytest.raises(UnsupportedVersionException):
            LeaveGroupResponse(data, version)
    else:
        response = LeaveGroupResponse(data, version)
        assert response.top_level_error() is Errors.NONE
        assert response.member_responses() == member_responses()


@pytest.mark.parametrize("version", VERSIONS)
def test_error_responses(version: int) -> None:
    for members in ([], member_responses()):
        data = LeaveGroupResponseData(error_code=Errors.GROUP_ID_NOT_FOUND.code, members=members)
        assert LeaveGroupResponse(data, version).top_level_error() is Errors.GROUP_ID_NOT_FOUND
