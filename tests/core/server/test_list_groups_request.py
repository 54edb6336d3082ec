# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ListGroupsRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Groups are listed, by their states and their types."""

from __future__ import annotations

from pathlib import Path

from kreactor.common.message.list_groups_response_data import ListGroupsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from tests.core.server.group_requests import (
    delete_groups,
    group_broker,
    join_dynamic,
    leave_group,
    list_groups,
    versions,
)

NOT_APPLICABLE = dict.fromkeys((
    "testListGroupsWithNewConsumerGroupProtocolAndNewGroupCoordinator",
    "testListGroupsWithOldConsumerGroupProtocolAndNewGroupCoordinator",
), "the coordinator is Kafka's old one; the new one and its protocol are not ported")


def test_list_groups_with_old_consumer_group_protocol_and_old_group_coordinator(tmp_path: Path) -> None:
    with group_broker(tmp_path) as broker:
        for version in versions(ApiKeys.LIST_GROUPS):
            member_1, _ = join_dynamic(broker, "grp-1")
            member_2, _ = join_dynamic(broker, "grp-2", complete_rebalance=False)
            member_3, _ = join_dynamic(broker, "grp-3")
            leave_group(broker, "grp-3", [member_3])
            one, two, three = (
                ListGroupsResponseData.ListedGroup(
                    group_id=group_id, protocol_type="consumer", group_state=state if version >= 4 else "",
                    group_type="classic" if version >= 5 else "")
                for group_id, state in (
                    ("grp-1", "Stable"), ("grp-2", "CompletingRebalance"), ("grp-3", "Empty")))

            def listed(*states: str, types: tuple[str, ...] = ()
                       ) -> list[ListGroupsResponseData.ListedGroup]:
                return sorted(list_groups(broker, states, types, version), key=lambda group: group.group_id)

            assert listed() == [one, two, three]
            if version >= 4:
                assert listed("Stable") == [one]
                assert listed("CompletingRebalance", "Reconciling") == [two]
                assert listed("Stable", "Empty", "Empty") == [one, three]
                assert listed("Assigning") == []
            if version >= 5:
                assert listed("Stable", types=("consumer",)) == []
                assert listed(types=("consumer",)) == []
                assert listed(types=("classic",)) == [one, two, three]

            leave_group(broker, "grp-1", [member_1])
            leave_group(broker, "grp-2", [member_2])
            delete_groups(broker, dict.fromkeys(("grp-1", "grp-2", "grp-3"), Errors.NONE),
                          ApiKeys.DELETE_GROUPS.latest_version())
            assert listed() == []
