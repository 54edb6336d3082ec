# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.GroupCoordinatorBaseRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Requests of groups to a whole broker, over a connection each, and what they should be answered."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kreactor.common.message.consumer_group_heartbeat_request_data import ConsumerGroupHeartbeatRequestData
from kreactor.common.message.consumer_group_heartbeat_response_data import ConsumerGroupHeartbeatResponseData
from kreactor.common.message.delete_groups_request_data import DeleteGroupsRequestData
from kreactor.common.message.describe_groups_request_data import DescribeGroupsRequestData
from kreactor.common.message.describe_groups_response_data import DescribeGroupsResponseData
from kreactor.common.message.find_coordinator_request_data import FindCoordinatorRequestData
from kreactor.common.message.heartbeat_request_data import HeartbeatRequestData
from kreactor.common.message.join_group_request_data import JoinGroupRequestData
from kreactor.common.message.join_group_response_data import JoinGroupResponseData
from kreactor.common.message.leave_group_request_data import LeaveGroupRequestData
from kreactor.common.message.leave_group_response_data import LeaveGroupResponseData
from kreactor.common.message.list_groups_request_data import ListGroupsRequestData
from kreactor.common.message.list_groups_response_data import ListGroupsResponseData
from kreactor.common.message.offset_commit_request_data import OffsetCommitRequestData
from kreactor.common.message.offset_delete_request_data import OffsetDeleteRequestData
from kreactor.common.message.offset_fetch_request_data import OffsetFetchRequestData
from kreactor.common.message.offset_fetch_response_data import OffsetFetchResponseData
from kreactor.common.message.sync_group_request_data import SyncGroupRequestData
from kreactor.common.message.sync_group_response_data import SyncGroupResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message import Message
from kreactor.embedded.broker_server import BrokerServer
from tests.core.server.broker_requests import create_topic
from tests.core.server.brokers import connect, new_broker
from tests.stepping import wait_until

CLIENT_ID = "client-id"
CONSUMER_GROUPS = {
    "group.coordinator.rebalance.protocols": "classic,consumer",
    "group.consumer.max.session.timeout.ms": "600000",
    "group.consumer.session.timeout.ms": "600000"}
# A subscription of version 0 to the topic foo, without user data.
METADATA = struct.pack(">hih3si", 0, 1, 3, b"foo", -1)


def versions(api: ApiKeys, oldest: int | None = None) -> range:
    return range(api.oldest_version() if oldest is None else oldest, api.latest_version() + 1)


def ask(broker: BrokerServer, api: ApiKeys, version: int, data: Message) -> Message:
    with connect(broker) as wire:
        return wire.ask(api, version, data, CLIENT_ID)


@contextmanager
def group_broker(folder: Path, new_coordinator: bool = False,
                 overrides: Mapping[str, str] | None = None) -> Iterator[BrokerServer]:
    """Start a broker with the topic of offsets, and with three partitions of foo.

    With the new coordinator it has consumer groups, whose members need no second heartbeat.
    """
    with new_broker(folder, {
            "offsets.topic.num.partitions": "1", "group.initial.rebalance.delay.ms": "0",
            **(CONSUMER_GROUPS if new_coordinator else {}), **(overrides or {})}) as broker:
        def is_answered(api: ApiKeys, version: int, data: Message) -> bool:
            return getattr(ask(broker, api, version, data), "error_code") == 0

        # The coordinator is found before it has loaded its partition.
        wait_until(lambda: is_answered(ApiKeys.FIND_COORDINATOR, 1, FindCoordinatorRequestData(key="any")))
        wait_until(lambda: is_answered(
            ApiKeys.OFFSET_FETCH, 5, OffsetFetchRequestData(group_id="any", topics=[])))
        create_topic(broker, "foo", 3)
        yield broker


def commit_offset(broker: BrokerServer, group_id: str, member_id: str, member_epoch: int, topic: str,
                  partition: int, offset: int, expected_error: Errors, version: int) -> None:
    answer = ask(broker, ApiKeys.OFFSET_COMMIT, version, OffsetCommitRequestData(
        group_id=group_id, member_id=member_id, generation_id_or_member_epoch=member_epoch, topics=[
            OffsetCommitRequestData.OffsetCommitRequestTopic(name=topic, partitions=[
                OffsetCommitRequestData.OffsetCommitRequestPartition(
                    partition_index=partition, committed_offset=offset)])]))
    topics = getattr(answer, "topics")
    assert [(each.name, [(one.partition_index, one.error_code) for one in each.partitions])
            for each in topics] == [(topic, [(partition, expected_error.code)])]


def sorted_group(group: OffsetFetchResponseData.OffsetFetchResponseGroup
                 ) -> OffsetFetchResponseData.OffsetFetchResponseGroup:
    """Return a group whose topics and partitions are in order, which that of a response is not."""
    group.topics.sort(key=lambda topic: topic.name)
    for topic in group.topics:
        topic.partitions.sort(key=lambda partition: partition.partition_index)
    return group


def fetch_offsets(broker: BrokerServer, group_id: str, member_id: str, member_epoch: int,
                  partitions: Mapping[str, Sequence[int]] | None, require_stable: bool,
                  version: int) -> OffsetFetchResponseData.OffsetFetchResponseGroup:
    """Return what a group has committed, in the form of version 8 and later."""
    if version >= 8:
        data = OffsetFetchRequestData(require_stable=require_stable and version >= 7, groups=[
            _group_of_fetch(group_id, partitions, member_id, member_epoch, version)])
    else:
        data = OffsetFetchRequestData(
            group_id=group_id, require_stable=require_stable and version >= 7,
            topics=None if partitions is None else [
                OffsetFetchRequestData.OffsetFetchRequestTopic(name=name, partition_indexes=list(indexes))
                for name, indexes in partitions.items()])
    answer = ask(broker, ApiKeys.OFFSET_FETCH, version, data)
    assert isinstance(answer, OffsetFetchResponseData)
    if version >= 8:
        group, = answer.groups
        assert group.group_id == group_id
        return sorted_group(group)
    return sorted_group(OffsetFetchResponseData.OffsetFetchResponseGroup(
        group_id=group_id, error_code=answer.error_code, topics=[
            OffsetFetchResponseData.OffsetFetchResponseTopics(name=topic.name, partitions=[
                OffsetFetchResponseData.OffsetFetchResponsePartitions(
                    partition_index=each.partition_index, error_code=each.error_code,
                    committed_offset=each.committed_offset, metadata=each.metadata,
                    committed_leader_epoch=each.committed_leader_epoch) for each in topic.partitions])
            for topic in answer.topics]))


def _group_of_fetch(group_id: str, partitions: Mapping[str, Sequence[int]] | None,
                    member_id: str | None = None, member_epoch: int = -1,
                    version: int = 8) -> OffsetFetchRequestData.OffsetFetchRequestGroup:
    group = OffsetFetchRequestData.OffsetFetchRequestGroup(
        group_id=group_id, topics=None if partitions is None else [
            OffsetFetchRequestData.OffsetFetchRequestTopics(name=name, partition_indexes=list(indexes))
            for name, indexes in partitions.items()])
    if version >= 9:
        group.member_id, group.member_epoch = member_id, member_epoch
    return group


def fetch_offsets_of(broker: BrokerServer, groups: Mapping[str, Mapping[str, Sequence[int]] | None],
                     require_stable: bool, version: int
                     ) -> list[OffsetFetchResponseData.OffsetFetchResponseGroup]:
    """Return what several groups have committed."""
    answer = ask(broker, ApiKeys.OFFSET_FETCH, version, OffsetFetchRequestData(
        require_stable=require_stable,
        groups=[_group_of_fetch(group_id, partitions) for group_id, partitions in groups.items()]))
    assert isinstance(answer, OffsetFetchResponseData)
    return [sorted_group(group) for group in answer.groups]


def delete_offset(broker: BrokerServer, group_id: str, topic: str, partition: int, version: int,
                  expected_response_error: Errors = Errors.NONE,
                  expected_partition_error: Errors = Errors.NONE) -> None:
    answer = ask(broker, ApiKeys.OFFSET_DELETE, version, OffsetDeleteRequestData(group_id=group_id, topics=[
        OffsetDeleteRequestData.OffsetDeleteRequestTopic(name=topic, partitions=[
            OffsetDeleteRequestData.OffsetDeleteRequestPartition(partition_index=partition)])]))
    assert getattr(answer, "error_code") == expected_response_error.code
    expected = [] if expected_response_error is not Errors.NONE else [
        (topic, [(partition, expected_partition_error.code)])]
    assert [(each.name, [(one.partition_index, one.error_code) for one in each.partitions])
            for each in getattr(answer, "topics")] == expected


def sync_group(broker: BrokerServer, group_id: str, member_id: str, generation_id: int,
               protocol_type: str | None = "consumer", protocol_name: str | None = "consumer-range",
               assignments: Mapping[str, bytes] | None = None,
               expected_protocol_type: str | None = "consumer",
               expected_protocol_name: str | None = "consumer-range", expected_assignment: bytes = b"",
               expected_error: Errors = Errors.NONE,
               version: int = ApiKeys.SYNC_GROUP.latest_version()) -> None:
    answer = ask(broker, ApiKeys.SYNC_GROUP, version, SyncGroupRequestData(
        group_id=group_id, member_id=member_id, generation_id=generation_id, protocol_type=protocol_type,
        protocol_name=protocol_name, assignments=[
            SyncGroupRequestData.SyncGroupRequestAssignment(member_id=each, assignment=assignment)
            for each, assignment in (assignments or {}).items()]))
    assert isinstance(answer, SyncGroupResponseData)
    assert (answer.error_code, answer.protocol_type, answer.protocol_name, bytes(answer.assignment)) == (
        expected_error.code, expected_protocol_type if version >= 5 else None,
        expected_protocol_name if version >= 5 else None, expected_assignment)


def join_request(broker: BrokerServer, group_id: str, member_id: str = "",
                 group_instance_id: str | None = None, protocol_type: str = "consumer",
                 protocol_name: str = "consumer-range", metadata: bytes = b"",
                 version: int = ApiKeys.JOIN_GROUP.latest_version()) -> JoinGroupResponseData:
    answer = ask(broker, ApiKeys.JOIN_GROUP, version, JoinGroupRequestData(
        group_id=group_id, member_id=member_id, group_instance_id=group_instance_id,
        rebalance_timeout_ms=5 * 50 * 1000, session_timeout_ms=600_000, protocol_type=protocol_type,
        protocols=[JoinGroupRequestData.JoinGroupRequestProtocol(name=protocol_name, metadata=metadata)]))
    assert isinstance(answer, JoinGroupResponseData)
    return answer


def join_dynamic(broker: BrokerServer, group_id: str, metadata: bytes = b"", assignment: bytes = b"",
                 complete_rebalance: bool = True) -> tuple[str, int]:
    """Join a group as a dynamic member; return its id and the generation."""
    answer = join_request(broker, group_id, metadata=metadata)
    assert answer.error_code == Errors.MEMBER_ID_REQUIRED.code
    answer = join_request(broker, group_id, answer.member_id, metadata=metadata)
    assert answer.error_code == Errors.NONE.code
    if complete_rebalance:
        sync_group(broker, group_id, answer.member_id, answer.generation_id,
                   assignments={answer.member_id: assignment}, expected_assignment=assignment)
    return answer.member_id, answer.generation_id


def consumer_group_heartbeat(broker: BrokerServer, group_id: str, member_id: str = "", member_epoch: int = 0,
                             version: int = 0, **fields: Any) -> ConsumerGroupHeartbeatResponseData:
    answer = ask(broker, ApiKeys.CONSUMER_GROUP_HEARTBEAT, version, ConsumerGroupHeartbeatRequestData(
        group_id=group_id, member_id=member_id, member_epoch=member_epoch, **fields))
    assert isinstance(answer, ConsumerGroupHeartbeatResponseData)
    return answer


def join_consumer(broker: BrokerServer, group_id: str, member_id: str = "", topic: str = "foo",
                  **fields: Any) -> ConsumerGroupHeartbeatResponseData:
    """Send the first heartbeat of a member that reads a topic."""
    return consumer_group_heartbeat(broker, group_id, member_id, rebalance_timeout_ms=5 * 60 * 1000,
                                    subscribed_topic_names=[topic], topic_partitions=[], **fields)


def join_group(broker: BrokerServer, group_id: str, use_new_protocol: bool) -> tuple[str, int]:
    """Join a group by one of the protocols; return the member's id and its epoch or generation."""
    if not use_new_protocol:
        return join_dynamic(broker, group_id)
    answer = join_consumer(broker, group_id)
    assert answer.error_code == Errors.NONE.code and answer.member_id is not None
    return answer.member_id, answer.member_epoch


def leave(broker: BrokerServer, group_id: str, member_id: str, use_new_protocol: bool) -> None:
    if use_new_protocol:
        assert consumer_group_heartbeat(broker, group_id, member_id, -1).error_code == Errors.NONE.code
    else:
        leave_group(broker, group_id, [member_id])


def join_static(broker: BrokerServer, group_id: str, group_instance_id: str) -> tuple[str, int]:
    """Join a group as a static member; return its id and the generation."""
    answer = join_request(broker, group_id, group_instance_id=group_instance_id)
    sync_group(broker, group_id, answer.member_id, answer.generation_id)
    return answer.member_id, answer.generation_id


def list_groups(broker: BrokerServer, states: Sequence[str], types: Sequence[str],
                version: int) -> list[ListGroupsResponseData.ListedGroup]:
    answer = ask(broker, ApiKeys.LIST_GROUPS, version, ListGroupsRequestData(
        states_filter=list(states), types_filter=list(types)))
    assert isinstance(answer, ListGroupsResponseData)
    return answer.groups


def describe_groups(broker: BrokerServer, group_ids: Sequence[str],
                    version: int = ApiKeys.DESCRIBE_GROUPS.latest_version()
                    ) -> list[DescribeGroupsResponseData.DescribedGroup]:
    answer = ask(broker, ApiKeys.DESCRIBE_GROUPS, version, DescribeGroupsRequestData(groups=list(group_ids)))
    assert isinstance(answer, DescribeGroupsResponseData)
    return answer.groups


def state_of(broker: BrokerServer, group_id: str) -> str:
    group, = describe_groups(broker, [group_id])
    return group.group_state


def heartbeat(broker: BrokerServer, group_id: str, generation_id: int, member_id: str, version: int,
              expected_error: Errors = Errors.NONE) -> None:
    answer = ask(broker, ApiKeys.HEARTBEAT, version, HeartbeatRequestData(
        group_id=group_id, generation_id=generation_id, member_id=member_id))
    assert getattr(answer, "error_code") == expected_error.code


def leave_group(broker: BrokerServer, group_id: str, member_ids: Sequence[str],
                group_instance_ids: Sequence[str] | None = None,
                expected_leave_group_error: Errors = Errors.NONE,
                expected_member_errors: Sequence[Errors] = (Errors.NONE,),
                version: int = ApiKeys.LEAVE_GROUP.latest_version()) -> None:
    instance_ids: list[str | None] = [*(group_instance_ids or [None] * len(member_ids))]
    if version < 3:
        member_id, = member_ids
        data = LeaveGroupRequestData(group_id=group_id, member_id=member_id)
    else:
        data = LeaveGroupRequestData(group_id=group_id, members=[
            LeaveGroupRequestData.MemberIdentity(member_id=member_id, group_instance_id=instance_id)
            for member_id, instance_id in zip(member_ids, instance_ids)])
    answer = ask(broker, ApiKeys.LEAVE_GROUP, version, data)
    assert isinstance(answer, LeaveGroupResponseData)
    assert answer.error_code == expected_leave_group_error.code
    expected = [] if expected_leave_group_error is not Errors.NONE else [
        (member_id, instance_id, error.code)
        for member_id, instance_id, error in zip(member_ids, instance_ids, expected_member_errors)]
    assert [(member.member_id, member.group_instance_id, member.error_code)
            for member in answer.members] == expected


def delete_groups(broker: BrokerServer, expected_errors: Mapping[str, Errors], version: int) -> None:
    answer = ask(broker, ApiKeys.DELETE_GROUPS, version, DeleteGroupsRequestData(
        groups_names=list(expected_errors)))
    results = getattr(answer, "results")
    assert {each.group_id: Errors.for_code(each.error_code) for each in results} == expected_errors
    assert len(results) == len(expected_errors)
