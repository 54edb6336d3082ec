# Licensed under the Apache License, Version 2.0; see LICENSE.
"""kafka.coordinator.group.GroupCoordinatorAdapterTest: messages here, arguments and callbacks there."""

from __future__ import annotations

from typing import Any

import pytest

from kreactor.common.errors import InvalidGroupIdException, UnsupportedVersionException
from kreactor.common.message.consumer_group_heartbeat_request_data import ConsumerGroupHeartbeatRequestData
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
from kreactor.common.message.sync_group_request_data import SyncGroupRequestData
from kreactor.common.message.txn_offset_commit_request_data import TxnOffsetCommitRequestData
from kreactor.common.network.client_information import ClientInformation
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.offset_fetch_response import OffsetFetchResponse
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.topic_id_partition import TopicIdPartition
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.uuid import Uuid
from kreactor.core.common.offset_and_metadata import OffsetAndMetadata
from kreactor.core.coordinator.group.group_coordinator_adapter import GroupCoordinatorAdapter
from kreactor.core.coordinator.group.group_metadata import GroupOverview, GroupSummary
from kreactor.core.coordinator.group.group_results import (
    JoinGroupResult,
    LeaveGroupResult,
    LeaveMemberResponse,
    SyncGroupResult,
)
from kreactor.core.coordinator.group.member_metadata import MemberSummary
from kreactor.jdk.net import InetAddress
from kreactor.testing.mock_time import MockTime

BUFFERS = BufferSupplier.NO_CACHING
FOO_0, FOO_1, BAR_1 = TopicPartition("foo", 0), TopicPartition("foo", 1), TopicPartition("bar", 1)


class Coordinator:
    """Notes what it is asked, and returns what a test has it return."""

    def __init__(self, result: Any = None) -> None:
        self.result = result
        self.args: tuple[Any, ...] = ()
        self.keywords: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        def ask(*args: Any, **keywords: Any) -> Any:
            self.args, self.keywords = args, keywords
            return self.result

        return ask


def context(api: ApiKeys, version: int | None = None) -> RequestContext:
    return RequestContext(
        RequestHeader.of(api, api.latest_version() if version is None else version, "client", 0), "1",
        InetAddress.get_by_name("127.0.0.1"), KafkaPrincipal.ANONYMOUS, ListenerName("PLAINTEXT"),
        SecurityProtocol.PLAINTEXT, ClientInformation.EMPTY, False)


def adapter(coordinator: Coordinator, time: MockTime | None = None) -> GroupCoordinatorAdapter:
    return GroupCoordinatorAdapter(coordinator, time or MockTime())  # type: ignore[arg-type]


def test_join_consumer_group() -> None:
    future = adapter(Coordinator()).consumer_group_heartbeat(
        context(ApiKeys.CONSUMER_GROUP_HEARTBEAT), ConsumerGroupHeartbeatRequestData(group_id="group"))
    with pytest.raises(UnsupportedVersionException):
        future.get(0)


def test_consumer_group_describe() -> None:
    future = adapter(Coordinator()).consumer_group_describe(
        context(ApiKeys.CONSUMER_GROUP_DESCRIBE), ["group"])
    with pytest.raises(UnsupportedVersionException):
        future.get(0)


@pytest.mark.parametrize("version", ApiKeys.JOIN_GROUP.all_versions())
def test_join_group(version: int) -> None:
    coordinator = Coordinator()
    protocol = JoinGroupRequestData.JoinGroupRequestProtocol
    request = JoinGroupRequestData(
        group_id="group", member_id="member", protocol_type="consumer", rebalance_timeout_ms=1000,
        session_timeout_ms=2000, reason="reason" if version >= 8 else None,
        group_instance_id="instance" if version >= 5 else None,
        protocols=[protocol(name="range", metadata=b"first"), protocol(name="range", metadata=b"second")])
    future = adapter(coordinator).join_group(context(ApiKeys.JOIN_GROUP, version), request, BUFFERS)
    assert not future.is_done()
    *args, callback, reason, _local = coordinator.args
    assert args == ["group", "member", request.group_instance_id, version == 4, version >= 9, "client",
                    "/127.0.0.1", 1000, 2000, "consumer", [("range", b"first"), ("range", b"second")]]
    assert reason == request.reason

    members = [JoinGroupResponseData.JoinGroupResponseMember(
        member_id="member", metadata=b"member", group_instance_id="instance")]
    callback(JoinGroupResult(members, "member", 10, "consumer", "range", "leader", True, Errors.NONE))
    assert future.get(0) == JoinGroupResponseData(
        error_code=0, generation_id=10, protocol_type="consumer", protocol_name="range", leader="leader",
        skip_assignment=True, member_id="member", members=members)


@pytest.mark.parametrize("version", ApiKeys.SYNC_GROUP.all_versions())
def test_sync_group(version: int) -> None:
    coordinator = Coordinator()
    assignment = SyncGroupRequestData.SyncGroupRequestAssignment
    request = SyncGroupRequestData(
        group_id="group", member_id="member1", generation_id=10, protocol_type="consumer",
        protocol_name="range", group_instance_id="instance",
        assignments=[assignment(member_id="member1", assignment=b"member1"),
                     assignment(member_id="member2", assignment=b"member2")])
    future = adapter(coordinator).sync_group(context(ApiKeys.SYNC_GROUP, version), request, BUFFERS)
    assert not future.is_done()
    *args, callback, _local = coordinator.args
    assert args == ["group", 10, "member1", "consumer", "range", "instance",
                    {"member1": b"member1", "member2": b"member2"}]
    callback(SyncGroupResult("consumer", "range", b"member1", Errors.NONE))
    answer = future.get(0)
    assert answer is not None
    assert (answer.error_code, answer.protocol_type, answer.protocol_name, answer.assignment) == (
        0, "consumer", "range", b"member1")


def test_heartbeat() -> None:
    coordinator = Coordinator()
    future = adapter(coordinator).heartbeat(context(ApiKeys.HEARTBEAT), HeartbeatRequestData(
        group_id="group", member_id="member1", generation_id=0))
    assert not future.is_done()
    *args, callback = coordinator.args
    assert args == ["group", "member1", None, 0]
    callback(Errors.REBALANCE_IN_PROGRESS)
    answer = future.get(0)
    assert answer is not None and answer.error_code == Errors.REBALANCE_IN_PROGRESS.code


def test_leave_group() -> None:
    coordinator = Coordinator()
    identity = LeaveGroupRequestData.MemberIdentity
    members = [identity(member_id="member-1", group_instance_id="instance-1"),
               identity(member_id="member-2", group_instance_id="instance-2")]
    future = adapter(coordinator).leave_group(
        context(ApiKeys.LEAVE_GROUP), LeaveGroupRequestData(group_id="group", members=members))
    group_id, asked, callback = coordinator.args
    assert (group_id, asked) == ("group", members)
    callback(LeaveGroupResult(Errors.NONE, [
        LeaveMemberResponse("member-1", "instance-1", Errors.NONE),
        LeaveMemberResponse("member-2", "instance-2", Errors.UNKNOWN_MEMBER_ID)]))
    response = LeaveGroupResponseData.MemberResponse
    assert future.get(0) == LeaveGroupResponseData(members=[
        response(member_id="member-1", group_instance_id="instance-1"),
        response(member_id="member-2", group_instance_id="instance-2",
                 error_code=Errors.UNKNOWN_MEMBER_ID.code)])


@pytest.mark.parametrize(("states", "types"), [
    (["Stable"], []), ([], ["classic"]), (["Stable", "Empty", "Stable"], ["classic", "consumer"]), ([], [])])
def test_list_groups(states: list[str], types: list[str]) -> None:
    coordinator = Coordinator((Errors.NOT_COORDINATOR, [
        GroupOverview("group1", "protocol1", "Stable", "classic"),
        GroupOverview("group2", "qwerty", "Empty", "classic")]))
    future = adapter(coordinator).list_groups(
        context(ApiKeys.LIST_GROUPS), ListGroupsRequestData(states_filter=states, types_filter=types))
    assert coordinator.args == (set(states), set(types))
    group = ListGroupsResponseData.ListedGroup
    assert future.get(0) == ListGroupsResponseData(error_code=Errors.NOT_COORDINATOR.code, groups=[
        group(group_id="group1", protocol_type="protocol1", group_state="Stable", group_type="classic"),
        group(group_id="group2", protocol_type="qwerty", group_state="Empty", group_type="classic")])


def test_describe_group() -> None:
    summary = GroupSummary("Stable", "consumer", "range", [
        MemberSummary("memberid", "instanceid", "clientid", "clienthost", b"metadata", b"assignment")])
    coordinator = Coordinator((Errors.NONE, summary))
    described, = adapter(coordinator).describe_groups(
        context(ApiKeys.DESCRIBE_GROUPS), ["group-1"]).get(0) or ()
    assert (described.group_id, described.error_code, described.group_state, described.protocol_type,
            described.protocol_data) == ("group-1", 0, "Stable", "consumer", "range")
    member, = described.members
    assert (member.member_id, member.group_instance_id, member.client_id, member.client_host,
            member.member_metadata, member.member_assignment) == (
        "memberid", "instanceid", "clientid", "clienthost", b"metadata", b"assignment")


def test_delete_groups() -> None:
    coordinator = Coordinator({"group-1": Errors.NONE, "group-2": Errors.NOT_COORDINATOR})
    results = adapter(coordinator).delete_groups(
        context(ApiKeys.DELETE_GROUPS), ["group-1", "group-2"], BUFFERS).get(0) or ()
    assert coordinator.args[0] == ["group-1", "group-2"]
    assert [(each.group_id, each.error_code) for each in results] == [
        ("group-1", 0), ("group-2", Errors.NOT_COORDINATOR.code)]


FETCHED = (Errors.NONE, {
    FOO_0: OffsetFetchResponse.PartitionData(100, 1, "foo", Errors.NONE),
    BAR_1: OffsetFetchResponse.PartitionData(-1, None, "", Errors.UNKNOWN_TOPIC_OR_PARTITION),
    FOO_1: OffsetFetchResponse.PartitionData(200, None, "", Errors.NONE)})


def fetched(future: Any) -> Any:
    group = future.get(0)
    return group.group_id, {topic.name: [
        (each.partition_index, each.committed_offset, each.committed_leader_epoch, each.metadata,
         each.error_code) for each in topic.partitions] for topic in group.topics}


EXPECTED = ("group", {"foo": [(0, 100, 1, "foo", 0), (1, 200, -1, "", 0)],
                      "bar": [(1, -1, -1, "", Errors.UNKNOWN_TOPIC_OR_PARTITION.code)]})


def test_fetch_all_offsets() -> None:
    coordinator = Coordinator(FETCHED)
    group = OffsetFetchRequestData.OffsetFetchRequestGroup(group_id="group", topics=None)
    future = adapter(coordinator).fetch_all_offsets(context(ApiKeys.OFFSET_FETCH), group, True)
    assert coordinator.args == ("group", True, None)
    assert fetched(future) == EXPECTED


def test_fetch_offsets() -> None:
    coordinator = Coordinator(FETCHED)
    topics = OffsetFetchRequestData.OffsetFetchRequestTopics
    group = OffsetFetchRequestData.OffsetFetchRequestGroup(group_id="group", topics=[
        topics(name="foo", partition_indexes=[0, 1]), topics(name="bar", partition_indexes=[1])])
    future = adapter(coordinator).fetch_offsets(context(ApiKeys.OFFSET_FETCH), group, True)
    assert coordinator.args == ("group", True, [FOO_0, FOO_1, BAR_1])
    assert fetched(future) == EXPECTED


def new_tip(topic_partition: TopicPartition) -> TopicIdPartition:
    return TopicIdPartition(Uuid.ZERO_UUID, topic_partition)


@pytest.mark.parametrize("version", [v for v in ApiKeys.OFFSET_COMMIT.all_versions() if v >= 1])
def test_commit_offsets(version: int) -> None:
    coordinator, time = Coordinator(), MockTime()
    now = time.milliseconds()
    request = OffsetCommitRequestData(
        group_id="group", member_id="member", generation_id_or_member_epoch=10, retention_time_ms=1000,
        topics=[OffsetCommitRequestData.OffsetCommitRequestTopic(name="foo", partitions=[
            OffsetCommitRequestData.OffsetCommitRequestPartition(
                partition_index=0, committed_offset=100, committed_leader_epoch=1,
                committed_metadata=None, commit_timestamp=now if version == 1 else -1)])])
    future = adapter(coordinator, time).commit_offsets(
        context(ApiKeys.OFFSET_COMMIT, version), request, BUFFERS)
    *args, callback, _local = coordinator.args
    assert args == ["group", "member", None, 10,
                    {new_tip(FOO_0): OffsetAndMetadata(100, 1, "", now, now + 1000)}]
    callback({new_tip(FOO_0): Errors.NONE})
    topic, = (future.get(0) or pytest.fail("no answer")).topics
    assert (topic.name, [(each.partition_index, each.error_code) for each in topic.partitions]) == (
        "foo", [(0, 0)])


def test_commit_transactional_offsets() -> None:
    coordinator, time = Coordinator(), MockTime()
    request = TxnOffsetCommitRequestData(
        group_id="group", member_id="member", generation_id=10, producer_epoch=1, producer_id=2,
        transactional_id="transaction-id", topics=[
            TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic(name="foo", partitions=[
                TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition(
                    partition_index=0, committed_offset=100, committed_leader_epoch=1)])])
    future = adapter(coordinator, time).commit_transactional_offsets(
        context(ApiKeys.TXN_OFFSET_COMMIT), request, BUFFERS)
    *args, callback, _local = coordinator.args
    assert args == ["group", "transaction-id", 2, 1, "member", None, 10, {
        new_tip(FOO_0): OffsetAndMetadata(100, 1, "", time.milliseconds(), None)}]
    assert coordinator.keywords == {"api_version": ApiKeys.TXN_OFFSET_COMMIT.latest_version()}
    callback({new_tip(FOO_0): Errors.NONE})
    topic, = (future.get(0) or pytest.fail("no answer")).topics
    assert (topic.name, [(each.partition_index, each.error_code) for each in topic.partitions]) == (
        "foo", [(0, 0)])


def deletion() -> OffsetDeleteRequestData:
    partition = OffsetDeleteRequestData.OffsetDeleteRequestPartition
    return OffsetDeleteRequestData(group_id="group", topics=[
        OffsetDeleteRequestData.OffsetDeleteRequestTopic(
            name="foo", partitions=[partition(partition_index=0), partition(partition_index=1)]),
        OffsetDeleteRequestData.OffsetDeleteRequestTopic(
            name="bar", partitions=[partition(partition_index=1)])])


def test_delete_offsets() -> None:
    coordinator = Coordinator((Errors.NONE, {
        FOO_0: Errors.NONE, BAR_1: Errors.GROUP_SUBSCRIBED_TO_TOPIC, FOO_1: Errors.NONE}))
    answer = adapter(coordinator).delete_offsets(
        context(ApiKeys.OFFSET_DELETE), deletion(), BUFFERS).get(0)
    assert answer is not None
    assert coordinator.args[:2] == ("group", [FOO_0, FOO_1, BAR_1])
    assert {topic.name: [(each.partition_index, each.error_code) for each in topic.partitions]
            for topic in answer.topics} == {
        "foo": [(0, 0), (1, 0)], "bar": [(1, Errors.GROUP_SUBSCRIBED_TO_TOPIC.code)]}


def test_delete_offsets_with_group_level_error() -> None:
    coordinator = Coordinator((Errors.INVALID_GROUP_ID, {}))
    future = adapter(coordinator).delete_offsets(context(ApiKeys.OFFSET_DELETE), deletion(), BUFFERS)
    with pytest.raises(InvalidGroupIdException):
        future.get(0)
