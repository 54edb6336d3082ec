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
    delete_groups,
    describe_groups,
    group_broker,
    join_dynamic,
    leave_group,
    versions,
)

NOT_APPLICABLE = dict.fromkeys((
    "testDeleteGroupsWithNewConsumerGroupProtocolAndNewGroupCoordinator",
    "testDeleteGroupsWithOldConsumerGroupProtocolAndNewGroupCoordinator",
), "the coordinator is Kafka's old one; the new one and its protocol are not ported")


def test_delete_groups_with_old_consumer_group_protocol_and_old_group_coordinator(tmp_path: Path) -> None:
    with group_broker(tmp_path) as broker:
        join_dynamic(broker, "grp-non-empty")
        for version in versions(ApiKeys.DELETE_GROUPS):
            member_id, _ = join_dynamic(broker, "grp")
            leave_group(broker, "grp", [member_id])
            delete_groups(broker, {"grp-non-empty": Errors.NON_EMPTY_GROUP, "grp": Errors.NONE}, version)
            assert describe_groups(broker, ["grp"]) == [
                DescribeGroupsResponseData.DescribedGroup(group_id="grp", group_state="Dead")]
