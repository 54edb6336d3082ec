# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.DeleteGroupsRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Groups are deleted where they have no members."""

from __future__ import annotations

from pathlib import Path

from kreactor.common.message.describe_groups_response_data import DescribeGroupsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from tests.core.server.group_requests import (
    commit_offset, delete_groups, describe_groups, group_broker, join_group, leave, versions)


def check_delete_groups(folder: Path, use_new_protocol: bool, new_coordinator: bool) -> None:
    with group_broker(folder, new_coordinator) as broker:
        join_group(broker, "grp-non-empty", use_new_protocol)
        for version in versions(ApiKeys.DELETE_GROUPS):
            member_id, epoch = join_group(broker, "grp", use_new_protocol)
            leave(broker, "grp", member_id, use_new_protocol)
            delete_groups(broker, {"grp-non-empty": Errors.NON_EMPTY_GROUP, "grp": Errors.NONE}, version)
            if use_new_protocol:
                commit_offset(broker, "grp", member_id, epoch, "foo", 0, 100, Errors.GROUP_ID_NOT_FOUND,
                              ApiKeys.OFFSET_COMMIT.latest_version())
            else:
                assert describe_groups(broker, ["grp"]) == [
                    DescribeGroupsResponseData.DescribedGroup(group_id="grp", group_state="Dead")]


def test_delete_groups_with_new_consumer_group_protocol_and_new_group_coordinator(tmp_path: Path) -> None:
    check_delete_groups(tmp_path, use_new_protocol=True, new_coordinator=True)


def test_delete_groups_with_old_consumer_group_protocol_and_new_group_coordinator(tmp_path: Path) -> None:
    check_delete_groups(tmp_path, use_new_protocol=False, new_coordinator=True)


def test_delete_groups_with_old_consumer_group_protocol_and_old_group_coordinator(tmp_path: Path) -> None:
    check_delete_groups(tmp_path, use_new_protocol=False, new_coordinator=False)
