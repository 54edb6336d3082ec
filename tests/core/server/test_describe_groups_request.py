# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.DescribeGroupsRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Groups are described with their members."""

from __future__ import annotations

from pathlib import Path

from kreactor.common.message.describe_groups_response_data import DescribeGroupsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from tests.core.server.group_requests import (
    CLIENT_ID,
    describe_groups,
    group_broker,
    join_dynamic,
    versions,
)


def check_describe_groups(folder: Path, new_coordinator: bool) -> None:
    described = DescribeGroupsResponseData.DescribedGroup
    member = DescribeGroupsResponseData.DescribedGroupMember
    metadata, assignment = b"\1\2\3", b"\4\5\6"
    with group_broker(folder, new_coordinator) as broker:
        # grp-1 is stable; grp-2 waits for its leader's assignments.
        member_1, _ = join_dynamic(broker, "grp-1", metadata, assignment)
        member_2, _ = join_dynamic(broker, "grp-2", metadata, complete_rebalance=False)
        for version in versions(ApiKeys.DESCRIBE_GROUPS):
            assert describe_groups(broker, ["grp-1", "grp-2", "grp-unknown"], version) == [
                described(group_id="grp-1", group_state="Stable", protocol_type="consumer",
                          protocol_data="consumer-range", members=[
                              member(member_id=member_1, client_id=CLIENT_ID, client_host="/127.0.0.1",
                                     member_metadata=metadata, member_assignment=assignment)]),
                described(group_id="grp-2", group_state="CompletingRebalance", protocol_type="consumer",
                          members=[member(member_id=member_2, client_id=CLIENT_ID,
                                          client_host="/127.0.0.1")]),
                described(group_id="grp-unknown", group_state="Dead")]


def test_describe_groups_with_old_consumer_group_protocol_and_new_group_coordinator(tmp_path: Path) -> None:
    check_describe_groups(tmp_path, new_coordinator=True)


def test_describe_groups_with_old_consumer_group_protocol_and_old_group_coordinator(tmp_path: Path) -> None:
    check_describe_groups(tmp_path, new_coordinator=False)
