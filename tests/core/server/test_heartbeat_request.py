# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.HeartbeatRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Heartbeats of members in each state of a group."""

from __future__ import annotations

from pathlib import Path

from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from tests.core.server.group_requests import (
    METADATA,
    group_broker,
    heartbeat,
    join_dynamic,
    join_request,
    leave_group,
    state_of,
    sync_group,
    versions,
)
from tests.stepping import Background, wait_until


def test_heartbeat_with_old_consumer_group_protocol_and_old_group_coordinator(tmp_path: Path) -> None:
    with group_broker(tmp_path) as broker:
        for version in versions(ApiKeys.HEARTBEAT):
            leader, epoch = join_dynamic(broker, "grp", METADATA, complete_rebalance=False)
            for group_id, member_id, error in (
                    ("grp-unknown", "member-id-unknown", Errors.UNKNOWN_MEMBER_ID),
                    ("grp-unknown", leader, Errors.UNKNOWN_MEMBER_ID),
                    ("grp", "member-id-unknown", Errors.UNKNOWN_MEMBER_ID),
                    ("grp", leader, Errors.ILLEGAL_GENERATION)):
                heartbeat(broker, group_id, -1, member_id, version, error)
            # In CompletingRebalance, then in Stable.
            heartbeat(broker, "grp", epoch, leader, version)
            sync_group(broker, "grp", leader, epoch, assignments={leader: b"\1"}, expected_assignment=b"\1")
            heartbeat(broker, "grp", epoch, leader, version)

            follower = join_request(broker, "grp", metadata=METADATA).member_id
            joined = Background(lambda: join_request(broker, "grp", follower, metadata=METADATA))
            wait_until(lambda: state_of(broker, "grp") == "PreparingRebalance")
            heartbeat(broker, "grp", epoch, leader, version, Errors.REBALANCE_IN_PROGRESS)
            join_request(broker, "grp", leader, metadata=METADATA)
            joined.result()

            leave_group(broker, "grp", [leader])
            leave_group(broker, "grp", [follower])
            heartbeat(broker, "grp", -1, leader, version, Errors.UNKNOWN_MEMBER_ID)
