# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.JoinGroupRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Members join a group: dynamic and static ones, and one that is fenced."""

from __future__ import annotations

from pathlib import Path

from kreactor.common.message.join_group_response_data import JoinGroupResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.embedded.broker_server import BrokerServer
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


Member = JoinGroupResponseData.JoinGroupResponseMember
INSTANCE = "group-instance-id"


def verify(expected: JoinGroupResponseData, actual: JoinGroupResponseData) -> None:
    for data in (expected, actual):
        data.members.sort(key=lambda member: member.member_id)
    assert actual == expected


def check_join_group(folder: Path, new_coordinator: bool) -> None:
    with group_broker(folder, new_coordinator) as broker:
        for version in versions(ApiKeys.JOIN_GROUP):
            join_in_version(broker, version)


def join_in_version(broker: BrokerServer, version: int) -> None:
    protocol_type = "consumer" if version >= 7 else None
    no_protocol_name = None if version >= 7 else ""
    instance = INSTANCE if version >= 5 else None

    def join(member_id: str = "", group_instance_id: str | None = None, metadata: bytes = METADATA,
             of_type: str = "consumer") -> JoinGroupResponseData:
        return join_request(broker, "grp", member_id, group_instance_id, of_type, metadata=metadata,
                            version=version)

    # Up to version 3 a member joins without an id at once.
    answer = join()
    leader = answer.member_id
    alone = [Member(member_id=leader, metadata=METADATA)]
    if version >= 4:
        verify(JoinGroupResponseData(error_code=Errors.MEMBER_ID_REQUIRED.code, member_id=leader,
                                     protocol_name=no_protocol_name), answer)
        answer = join(leader)
    verify(JoinGroupResponseData(
        generation_id=1, leader=leader, member_id=leader, protocol_name="consumer-range",
        protocol_type=protocol_type, members=alone), answer)
    sync_group(broker, "grp", leader, 1, assignments={leader: b"\1"}, expected_assignment=b"\1")

    verify(JoinGroupResponseData(member_id="member-id-unknown", error_code=Errors.UNKNOWN_MEMBER_ID.code,
                                 protocol_name=no_protocol_name), join("member-id-unknown", metadata=b""))
    verify(JoinGroupResponseData(error_code=Errors.INCONSISTENT_GROUP_PROTOCOL.code,
                                 protocol_name=no_protocol_name), join(metadata=b"", of_type="connect"))

    # Version 4 asks for an id first, and has no static members.
    first_id = join().member_id if version == 4 else ""
    joined = Background(lambda: join(first_id, instance))
    wait_until(lambda: state_of(broker, "grp") == "PreparingRebalance")
    rejoined = join(leader)
    follower = joined.result().member_id
    of_follower = JoinGroupResponseData(generation_id=2, protocol_type=protocol_type, leader=leader,
                                        protocol_name="consumer-range", member_id=follower)
    verify(of_follower, joined.result())
    verify(JoinGroupResponseData(
        generation_id=2, protocol_type=protocol_type, protocol_name="consumer-range", leader=leader,
        member_id=leader, members=[
            *alone, Member(member_id=follower, group_instance_id=instance, metadata=METADATA)]), rejoined)
    sync_group(broker, "grp", leader, rejoined.generation_id,
               assignments={leader: b"\1", follower: b"\2"}, expected_assignment=b"\1")
    sync_group(broker, "grp", follower, joined.result().generation_id, expected_assignment=b"\2")

    # A follower that has not changed starts no rebalance.
    verify(of_follower, join(follower, instance))
    if version >= 5:
        follower = fence(broker, leader, follower, version)
    leave_group(broker, "grp", [leader])
    leave_group(broker, "grp", [follower])
    delete_groups(broker, {"grp": Errors.NONE}, ApiKeys.DELETE_GROUPS.latest_version())


def fence(broker: BrokerServer, leader: str, follower: str, version: int) -> str:
    """Let a second member have the follower's instance id; return the id of that member."""
    def join(member_id: str = "", group_instance_id: str | None = None) -> JoinGroupResponseData:
        return join_request(broker, "grp", member_id, group_instance_id, metadata=METADATA, version=version)

    protocol_type = "consumer" if version >= 7 else None
    rejoined = Background(lambda: join(leader))
    wait_until(lambda: state_of(broker, "grp") == "PreparingRebalance")
    of_new_follower = join("", INSTANCE)
    wait_until(lambda: state_of(broker, "grp") == "CompletingRebalance")
    of_old_follower = join(follower, INSTANCE)
    new_follower = of_new_follower.member_id
    members = [Member(member_id=leader, metadata=METADATA),
               Member(member_id=new_follower, group_instance_id=INSTANCE, metadata=METADATA)]
    verify(JoinGroupResponseData(
        generation_id=3, protocol_type=protocol_type, protocol_name="consumer-range", leader=leader,
        member_id=leader, members=members), rejoined.result())
    verify(JoinGroupResponseData(generation_id=3, protocol_type=protocol_type, leader=leader,
                                 protocol_name="consumer-range", member_id=new_follower), of_new_follower)
    verify(JoinGroupResponseData(
        protocol_name=None if version >= 7 else "", member_id=follower,
        error_code=Errors.FENCED_INSTANCE_ID.code), of_old_follower)
    return new_follower


def test_join_group_with_old_consumer_group_protocol_and_new_group_coordinator(tmp_path: Path) -> None:
    check_join_group(tmp_path, new_coordinator=True)


def test_join_group_with_old_consumer_group_protocol_and_old_group_coordinator(tmp_path: Path) -> None:
    check_join_group(tmp_path, new_coordinator=False)
