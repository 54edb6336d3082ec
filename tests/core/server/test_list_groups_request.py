# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ListGroupsRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Groups are listed, by their states and their types."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kreactor.common.message.list_groups_response_data import ListGroupsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.embedded.broker_server import BrokerServer
from tests.core.server.group_requests import (
    delete_groups, group_broker, join_dynamic, join_group, leave, list_groups, versions)


def group_counts(broker: BrokerServer) -> dict[str, object]:
    """Return the metrics of groups that are not 0, by their protocols and states."""
    counts = {name.tags().get("protocol") or name.tags()["state"]: metric.metric_value()
              for name, metric in broker.metrics().metrics().items()
              if name.name() in ("group-count", "consumer-group-count")}
    return {name: count for name, count in counts.items() if count}


def check_list_groups(folder: Path, use_new_protocol: bool, new_coordinator: bool) -> None:
    """Groups 1 to 3 are classic ones, 4 to 6 consumer groups."""
    with group_broker(folder, new_coordinator) as broker:
        for version in versions(ApiKeys.LIST_GROUPS):
            list_in_version(broker, use_new_protocol, version)


def list_in_version(broker: BrokerServer, use_new_protocol: bool, version: int) -> None:
    members = [(f"grp-{i}", join_dynamic(broker, f"grp-{i}", complete_rebalance=i != 2)[0], False)
               for i in (1, 2, 3)]
    leave(broker, *members.pop())
    states = {"grp-1": "Stable", "grp-2": "CompletingRebalance", "grp-3": "Empty"}
    if use_new_protocol:
        members += [(group_id, join_group(broker, group_id, True)[0], True)
                    for group_id in ("grp-4", "grp-5", "grp-5", "grp-6")]
        leave(broker, *members.pop())
        states |= {"grp-4": "Stable", "grp-5": "Reconciling", "grp-6": "Empty"}
    groups = {
        group_id: ListGroupsResponseData.ListedGroup(
            group_id=group_id, protocol_type="consumer", group_state=state if version >= 4 else "",
            group_type="" if version < 5 else "classic" if group_id < "grp-4" else "consumer")
        for group_id, state in states.items()}

    def check(expected: Sequence[int], of_states: Sequence[str] = (), of_types: Sequence[str] = ()) -> None:
        """The groups of these numbers are listed, those of them that there are."""
        found = sorted(list_groups(broker, of_states, of_types, version), key=lambda group: group.group_id)
        assert found == [groups[f"grp-{i}"] for i in expected if f"grp-{i}" in groups]

    check([1, 2, 3, 4, 5, 6])
    if use_new_protocol:
        assert group_counts(broker) == {
            "classic": 3, "consumer": 3, "Stable": 1, "Reconciling": 1, "Empty": 1}
    if version >= 4:
        check([1, 4], ["Stable"])
        check([2, 5], ["CompletingRebalance", "Reconciling"])
        check([1, 3, 4, 6], ["Stable", "Empty", "Empty"])
        check([], ["Assigning"])
    if version >= 5:
        check([4], ["Stable"], ["consumer"])
        check([4, 5, 6], of_types=["consumer"])
        check([1, 2, 3], of_types=["classic"])

    for member in members:
        leave(broker, *member)
    delete_groups(broker, dict.fromkeys(groups, Errors.NONE), ApiKeys.DELETE_GROUPS.latest_version())
    check([])


def test_list_groups_with_new_consumer_group_protocol_and_new_group_coordinator(tmp_path: Path) -> None:
    check_list_groups(tmp_path, use_new_protocol=True, new_coordinator=True)


def test_list_groups_with_old_consumer_group_protocol_and_new_group_coordinator(tmp_path: Path) -> None:
    check_list_groups(tmp_path, use_new_protocol=False, new_coordinator=True)


def test_list_groups_with_old_consumer_group_protocol_and_old_group_coordinator(tmp_path: Path) -> None:
    check_list_groups(tmp_path, use_new_protocol=False, new_coordinator=False)
