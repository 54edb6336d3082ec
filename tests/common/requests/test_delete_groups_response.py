# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DeleteGroupsResponseTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Errors of groups that were to be deleted."""

from __future__ import annotations

import pytest

from kreactor.common.message.delete_groups_response_data import DeleteGroupsResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.delete_groups_response import DeleteGroupsResponse
from kreactor.jdk.exceptions import IllegalArgumentException

GROUP_ID_1, GROUP_ID_2 = "groupId1", "groupId2"
THROTTLE_TIME_MS = 10
DELETE_GROUPS_RESPONSE = DeleteGroupsResponse(DeleteGroupsResponseData(
    results=[
        DeleteGroupsResponseData.DeletableGroupResult(group_id=GROUP_ID_1, error_code=Errors.NONE.code),
        DeleteGroupsResponseData.DeletableGroupResult(
            group_id=GROUP_ID_2, error_code=Errors.GROUP_AUTHORIZATION_FAILED.code)],
    throttle_time_ms=THROTTLE_TIME_MS))


def test_get_error_with_existing_group_ids() -> None:
    assert DELETE_GROUPS_RESPONSE.get(GROUP_ID_1) is Errors.NONE
    assert DELETE_GROUPS_RESPONSE.get(GROUP_ID_2) is Errors.GROUP_AUTHORIZATION_FAILED
    assert DELETE_GROUPS_RESPONSE.errors() == {
        GROUP_ID_1: Errors.NONE, GROUP_ID_2: Errors.GROUP_AUTHORIZATION_FAILED}
    assert DELETE_GROUPS_RESPONSE.error_counts() == {Errors.NONE: 1, Errors.GROUP_AUTHORIZATION_FAILED: 1}


def test_get_error_with_invalid_group_id() -> None:
    with pytest.raises(IllegalArgumentException):
        DELETE_GROUPS_RESPONSE.get("invalid-group-id")


def test_get_throttle_time_ms() -> None:
    assert DELETE_GROUPS_RESPONSE.throttle_time_ms() == THROTTLE_TIME_MS
