# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.LeaveGroupRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Members that leave."""

from __future__ import annotations

import pytest

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.leave_group_request_data import LeaveGroupRequestData
from kreactor.common.message.leave_group_response_data import LeaveGroupResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.leave_group_request import LeaveGroupRequest
from kreactor.common.requests.leave_group_response import LeaveGroupResponse
from kreactor.jdk.exceptions import IllegalArgumentException

MemberIdentity = LeaveGroupRequestData.MemberIdentity
GROUP_ID = "group_id"
MEMBER_ID_ONE = "member_1"
THROTTLE_TIME_MS = 10
MEMBERS = [MemberIdentity(member_id=MEMBER_ID_ONE, group_instance_id="instance_1"),
           MemberIdentity(member_id="member_2", group_instance_id="instance_2")]


def exception_of(error: Errors) -> BaseException:
    exception = error.exception()
    assert exception is not None
    return exception


def test_multi_leave_constructor() -> None:
    builder = LeaveGroupRequest.Builder(GROUP_ID, MEMBERS)
    expected_data = LeaveGroupRequestData(group_id=GROUP_ID, members=MEMBERS)
    for version in ApiKeys.LEAVE_GROUP.all_versions():
        if version <= 2:
            with pytest.raises(UnsupportedVersionException,
                               match="leave group request only supports single member instance"):
                builder.build_version(version)
            continue
        request = builder.build_version(version)
        assert request.data() == expected_data
        assert request.members() == MEMBERS
        expected_response = LeaveGroupResponse.of(
            [], Errors.COORDINATOR_LOAD_IN_PROGRESS, THROTTLE_TIME_MS, version)
        assert request.get_error_response_throttle(
            THROTTLE_TIME_MS, exception_of(Errors.COORDINATOR_LOAD_IN_PROGRESS)) == expected_response


def test_single_leave_constructor() -> None:
    expected_data = LeaveGroupRequestData(group_id=GROUP_ID, member_id=MEMBER_ID_ONE)
    single_member = [MemberIdentity(member_id=MEMBER_ID_ONE)]
    builder = LeaveGroupRequest.Builder(GROUP_ID, single_member)
    for version in range(3):
        request = builder.build_version(version)
        assert request.data() == expected_data
        assert request.members() == single_member
        expected_throttle_time = THROTTLE_TIME_MS if version >= 1 else AbstractResponse.DEFAULT_THROTTLE_TIME
        expected_response = LeaveGroupResponse(LeaveGroupResponseData(
            error_code=Errors.NOT_CONTROLLER.code, throttle_time_ms=expected_throttle_time))
        assert request.get_error_response_throttle(
            THROTTLE_TIME_MS, exception_of(Errors.NOT_CONTROLLER)) == expected_response


def test_build_empty_members() -> None:
    with pytest.raises(IllegalArgumentException):
        LeaveGroupRequest.Builder(GROUP_ID, [])
