# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.SyncGroupRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The leader of a group brings its assignments, before or after a follower asks."""

from __future__ import annotations

from pathlib import Path

from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from tests.core.server.group_requests import (
    METADATA,
    delete_groups,
    group_broker,
    join_request,
    leave_group,
    state_of,
    sync_group,
    versions,
)
from tests.stepping import Background, wait_until


def check_sync_group(folder: Path, new_coordinator: bool) -> None:
    with group_broker(folder, new_coordinator) as broker:
        for version in versions(ApiKeys.SYNC_GROUP):
            def refused(group_id: str, member_id: str, generation_id: int, error: Errors,
                        assignments: dict[str, bytes] | None = None, protocol_type: str = "consumer",
                        protocol_name: str = "consumer-range") -> None:
                sync_group(broker, group_id, member_id, generation_id, protocol_type, protocol_name,
                           assignments, None, None, expected_error=error, version=version)

            refused("grp-unknown", "member-id", -1, Errors.UNKNOWN_MEMBER_ID)
            leader = join_request(broker, "grp", metadata=METADATA).member_id
            join_request(broker, "grp", leader, metadata=METADATA)
            one = {leader: b"\1"}
            if version >= 5:
                refused("grp", leader, 1, Errors.INCONSISTENT_GROUP_PROTOCOL, one, protocol_name="unmatched")
                refused("grp", leader, 1, Errors.INCONSISTENT_GROUP_PROTOCOL, one, protocol_type="unmatched")
            refused("grp", "member-id-unknown", -1, Errors.UNKNOWN_MEMBER_ID)
            refused("grp", leader, 2, Errors.ILLEGAL_GENERATION)

            protocol_type = None if version < 5 else "consumer"
            protocol_name = None if version < 5 else "consumer-range"
            sync_group(broker, "grp", leader, 1, protocol_type, protocol_name, one, protocol_type,
                       protocol_name, b"\1", version=version)

            joined = Background(lambda: join_request(
                broker, "grp", group_instance_id="group-instance-id", metadata=METADATA))
            wait_until(lambda: state_of(broker, "grp") == "PreparingRebalance")
            rejoined = join_request(broker, "grp", leader, metadata=METADATA)
            follower = joined.result().member_id
            both = {leader: b"\1", follower: b"\2"}

            # The leader is the first to ask.
            sync_group(broker, "grp", leader, rejoined.generation_id, assignments=both,
                       expected_assignment=b"\1", version=version)
            sync_group(broker, "grp", follower, joined.result().generation_id, expected_assignment=b"\2",
                       version=version)
            # The follower is.
            synced = Background(lambda: sync_group(
                broker, "grp", follower, 2, expected_assignment=b"\2", version=version))
            sync_group(broker, "grp", leader, 2, assignments=both, expected_assignment=b"\1", version=version)
            synced.result()

            leave_group(broker, "grp", [leader])
            leave_group(broker, "grp", [follower])
            delete_groups(broker, {"grp": Errors.NONE}, ApiKeys.DELETE_GROUPS.latest_version())


def test_sync_group_with_old_consumer_group_protocol_and_new_group_coordinator(tmp_path: Path) -> None:
    check_sync_group(tmp_path, new_coordinator=True)


def test_sync_group_with_old_consumer_group_protocol_and_old_group_coordinator(tmp_path: Path) -> None:
    check_sync_group(tmp_path, new_coordinator=False)
