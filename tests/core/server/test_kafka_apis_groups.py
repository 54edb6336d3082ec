# Licensed under the Apache License, Version 2.0; see LICENSE.
"""kafka.server.KafkaApisTest, the cases of groups: what the coordinator is asked, and what becomes of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.message.consumer_group_describe_request_data import ConsumerGroupDescribeRequestData
from kreactor.common.message.consumer_group_describe_response_data import ConsumerGroupDescribeResponseData
from kreactor.common.message.consumer_group_heartbeat_request_data import ConsumerGroupHeartbeatRequestData
from kreactor.common.message.consumer_group_heartbeat_response_data import ConsumerGroupHeartbeatResponseData
from kreactor.common.message.delete_groups_request_data import DeleteGroupsRequestData
from kreactor.common.message.delete_groups_response_data import DeleteGroupsResponseData
from kreactor.common.message.describe_groups_request_data import DescribeGroupsRequestData
from kreactor.common.message.describe_groups_response_data import DescribeGroupsResponseData
from kreactor.common.message.heartbeat_request_data import HeartbeatRequestData
from kreactor.common.message.heartbeat_response_data import HeartbeatResponseData
from kreactor.common.message.join_group_request_data import JoinGroupRequestData
from kreactor.common.message.join_group_response_data import JoinGroupResponseData
from kreactor.common.message.leave_group_request_data import LeaveGroupRequestData
from kreactor.common.message.leave_group_response_data import LeaveGroupResponseData
from kreactor.common.message.list_groups_request_data import ListGroupsRequestData
from kreactor.common.message.list_groups_response_data import ListGroupsResponseData
from kreactor.common.message.offset_commit_request_data import OffsetCommitRequestData
from kreactor.common.message.offset_commit_response_data import OffsetCommitResponseData
from kreactor.common.message.offset_delete_request_data import OffsetDeleteRequestData
from kreactor.common.message.offset_delete_response_data import OffsetDeleteResponseData
from kreactor.common.message.offset_fetch_request_data import OffsetFetchRequestData
from kreactor.common.message.offset_fetch_response_data import OffsetFetchResponseData
from kreactor.common.message.sync_group_request_data import SyncGroupRequestData
from kreactor.common.message.sync_group_response_data import SyncGroupResponseData
from kreactor.common.message.txn_offset_commit_request_data import TxnOffsetCommitRequestData
from kreactor.common.message.txn_offset_commit_response_data import TxnOffsetCommitResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message import Message
from kreactor.common.resource.resource import Resource
from kreactor.common.resource.resource_type import ResourceType
from kreactor.jdk.concurrent import CompletableFuture
from kreactor.server.config.group_coordinator_config import GroupCoordinatorConfig
from tests.core.server.node import Node, Permissions

PART_OF = "KafkaApisTest"

LeaveMember = LeaveGroupResponseData.MemberResponse
CommitTopic = OffsetCommitRequestData.OffsetCommitRequestTopic
CommitPartition = OffsetCommitRequestData.OffsetCommitRequestPartition
TxnTopic = TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic
TxnPartition = TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition
DeleteTopic = OffsetDeleteRequestData.OffsetDeleteRequestTopic
DeletePartition = OffsetDeleteRequestData.OffsetDeleteRequestPartition


def versions(api: ApiKeys, first: int = 0, last: int = 99) -> list[int]:
    return [version for version in api.all_versions() if first <= version <= last]


class Coordinator:
    """Notes what it is asked; a test completes the future that each answer is."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, tuple[Any, ...]]] = []
        self.futures: list[CompletableFuture[Any]] = []

    def __getattr__(self, name: str) -> Any:
        def ask(*args: Any) -> CompletableFuture[Any]:
            future: CompletableFuture[Any] = CompletableFuture()
            self.asked.append((name, args[1:]))
            self.futures.append(future)
            return future

        return ask

    @property
    def request(self) -> Any:
        """What the last question was about."""
        return self.asked[-1][1][0]


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with with_coordinator(Node(tmp_path)) as node:
        yield node


class with_coordinator:
    def __init__(self, node: Node) -> None:
        self._node = node

    def __enter__(self) -> Node:
        node = self._node.__enter__()
        node.apis.group_coordinator = Coordinator()  # type: ignore[assignment]
        return node

    def __exit__(self, *args: Any) -> None:
        self._node.__exit__(*args)


def coordinator(node: Node) -> Coordinator:
    return node.apis.group_coordinator  # type: ignore[return-value]


def denying(folder: Path, *denied: tuple[AclOperation, ResourceType, str]) -> with_coordinator:
    return with_coordinator(Node(folder, None, Permissions(*denied)))


def answer_of(node: Node, api: ApiKeys, version: int, body: Message, *results: Any) -> Any:
    """Ask; complete what the coordinator was asked with ``results``, each an answer or what failed."""
    exchange = node.send(api, version, body)
    assert exchange.waits()
    futures = coordinator(node).futures
    assert len(futures) == len(results)
    for future, result in zip(futures, results):
        if isinstance(result, Errors):
            exception = result.exception()
            assert exception is not None
            future.complete_exceptionally(exception)
        else:
            future.complete(result)
    return exchange.answer()


def error_of(answer: Any) -> Errors:
    return Errors.for_code(answer.error_code)


# -- JoinGroup, SyncGroup, Heartbeat, LeaveGroup --------------------------------------------------

JOIN = JoinGroupRequestData(group_id="group", member_id="member", protocol_type="consumer",
                            rebalance_timeout_ms=1000, session_timeout_ms=2000)
SYNC = SyncGroupRequestData(group_id="group", member_id="member", protocol_type="consumer",
                            protocol_name="range")
HEARTBEAT = HeartbeatRequestData(group_id="group", member_id="member", generation_id=0)
LEAVE = LeaveGroupRequestData(group_id="group", members=[
    LeaveGroupRequestData.MemberIdentity(member_id="member-1", group_instance_id="instance-1"),
    LeaveGroupRequestData.MemberIdentity(member_id="member-2", group_instance_id="instance-2")])

MEMBERSHIP: dict[str, tuple[ApiKeys, Message]] = {
    "join_group": (ApiKeys.JOIN_GROUP, JOIN), "sync_group": (ApiKeys.SYNC_GROUP, SYNC),
    "heartbeat": (ApiKeys.HEARTBEAT, HEARTBEAT), "leave_group": (ApiKeys.LEAVE_GROUP, LEAVE)}


@pytest.mark.parametrize("version", versions(ApiKeys.JOIN_GROUP))
def test_handle_join_group_request(node: Node, version: int) -> None:
    join = JoinGroupRequestData(group_id="group", member_id="member", protocol_type="consumer",
                                rebalance_timeout_ms=1000 if version >= 1 else -1, session_timeout_ms=2000)
    response = JoinGroupResponseData(
        member_id="member", generation_id=0, leader="leader", protocol_name="range",
        protocol_type="consumer" if version >= 7 else None)
    answer = answer_of(node, ApiKeys.JOIN_GROUP, version, join, response)
    # Version 0 has one time-out.
    assert coordinator(node).request.rebalance_timeout_ms == (1000 if version >= 1 else 2000)
    assert (answer.member_id, answer.generation_id, answer.leader, answer.protocol_name) == (
        "member", 0, "leader", "range")


@pytest.mark.parametrize("version", versions(ApiKeys.JOIN_GROUP))
def test_join_group_protocol_name_backward_compatibility(node: Node, version: int) -> None:
    join = JoinGroupRequestData(group_id="group", member_id="member")
    answer = answer_of(node, ApiKeys.JOIN_GROUP, version, join, JoinGroupResponseData(
        error_code=Errors.INCONSISTENT_GROUP_PROTOCOL.code, member_id="member", protocol_name=None))
    assert answer.protocol_name == (None if version >= 7 else "")


def test_handle_join_group_request_future_failed(node: Node) -> None:
    answer = answer_of(node, ApiKeys.JOIN_GROUP, 9, JOIN, Errors.REQUEST_TIMED_OUT)
    assert error_of(answer) is Errors.REQUEST_TIMED_OUT


def test_handle_join_group_request_unexpected_exception(node: Node) -> None:
    """What fails while the answer is made is an answer too."""
    exchange = node.send(ApiKeys.JOIN_GROUP, 9, JOIN)
    coordinator(node).futures[0].complete(object())
    assert error_of(exchange.answer()) is Errors.UNKNOWN_SERVER_ERROR


@pytest.mark.parametrize("version", versions(ApiKeys.SYNC_GROUP))
def test_handle_sync_group_request(node: Node, version: int) -> None:
    sync = SYNC if version >= 5 else SyncGroupRequestData(group_id="group", member_id="member")
    answer = answer_of(node, ApiKeys.SYNC_GROUP, version, sync, SyncGroupResponseData(
        assignment=b"mine", protocol_type="consumer" if version >= 5 else None,
        protocol_name="range" if version >= 5 else None))
    assert answer.assignment == b"mine"


def test_handle_sync_group_request_future_failed(node: Node) -> None:
    answer = answer_of(node, ApiKeys.SYNC_GROUP, 5, SYNC, Errors.UNKNOWN_SERVER_ERROR)
    assert error_of(answer) is Errors.UNKNOWN_SERVER_ERROR


@pytest.mark.parametrize("version", versions(ApiKeys.SYNC_GROUP))
def test_sync_group_protocol_type_and_name_are_mandatory_since_v5(node: Node, version: int) -> None:
    exchange = node.send(
        ApiKeys.SYNC_GROUP, version, SyncGroupRequestData(group_id="group", member_id="member"))
    if version < 5:
        assert exchange.waits()
        coordinator(node).futures[0].complete(SyncGroupResponseData())
        assert error_of(exchange.answer()) is Errors.NONE
    else:
        assert error_of(exchange.answer()) is Errors.INCONSISTENT_GROUP_PROTOCOL


@pytest.mark.parametrize("version", versions(ApiKeys.HEARTBEAT))
def test_handle_heartbeat_request(node: Node, version: int) -> None:
    answer = answer_of(node, ApiKeys.HEARTBEAT, version, HEARTBEAT, HeartbeatResponseData())
    assert error_of(answer) is Errors.NONE


def test_handle_heartbeat_request_future_failed(node: Node) -> None:
    answer = answer_of(node, ApiKeys.HEARTBEAT, 4, HEARTBEAT, Errors.UNKNOWN_SERVER_ERROR)
    assert error_of(answer) is Errors.UNKNOWN_SERVER_ERROR


@pytest.mark.parametrize("version", versions(ApiKeys.LEAVE_GROUP, 3))
def test_handle_leave_group_with_multiple_members(node: Node, version: int) -> None:
    members = [LeaveMember(member_id="member-1", group_instance_id="instance-1"),
               LeaveMember(member_id="member-2", group_instance_id="instance-2",
                           error_code=Errors.UNKNOWN_MEMBER_ID.code)]
    answer = answer_of(
        node, ApiKeys.LEAVE_GROUP, version, LEAVE, LeaveGroupResponseData(members=members))
    assert answer.members == members


@pytest.mark.parametrize("version", versions(ApiKeys.LEAVE_GROUP, 0, 2))
def test_handle_leave_group_with_single_member(node: Node, version: int) -> None:
    answer = answer_of(
        node, ApiKeys.LEAVE_GROUP, version, LeaveGroupRequestData(group_id="group", member_id="member-1"),
        LeaveGroupResponseData(members=[
            LeaveMember(member_id="member-1", error_code=Errors.UNKNOWN_MEMBER_ID.code)]))
    member, = coordinator(node).request.members
    assert member.member_id == "member-1"
    assert (error_of(answer), answer.members) == (Errors.UNKNOWN_MEMBER_ID, [])


def test_handle_leave_group_future_failed(node: Node) -> None:
    answer = answer_of(node, ApiKeys.LEAVE_GROUP, 5, LEAVE, Errors.UNKNOWN_SERVER_ERROR)
    assert error_of(answer) is Errors.UNKNOWN_SERVER_ERROR


def authorization_failed(folder: Path, name: str) -> None:
    api, body = MEMBERSHIP[name]
    with denying(folder, (AclOperation.READ, ResourceType.GROUP, "group")) as node:
        answer = node.ask(api, api.latest_version(), body)
        assert error_of(answer) is Errors.GROUP_AUTHORIZATION_FAILED
        assert not coordinator(node).asked


def test_handle_join_group_request_authorization_failed(tmp_path: Path) -> None:
    authorization_failed(tmp_path, "join_group")


def test_handle_sync_group_request_authentication_failed(tmp_path: Path) -> None:
    authorization_failed(tmp_path, "sync_group")


def test_handle_heartbeat_request_authentication_failed(tmp_path: Path) -> None:
    authorization_failed(tmp_path, "heartbeat")


def test_handle_leave_group_authentication_failed(tmp_path: Path) -> None:
    authorization_failed(tmp_path, "leave_group")


def static_membership_not_supported(folder: Path, api: ApiKeys, body: Message) -> Any:
    overrides = {"inter.broker.protocol.version": "2.2", "zookeeper.connect": "here:1"}
    with with_coordinator(Node(folder, overrides)) as node:
        return node.ask(api, api.latest_version(), body)


def test_reject_join_group_request_when_static_membership_not_supported(tmp_path: Path) -> None:
    answer = static_membership_not_supported(tmp_path, ApiKeys.JOIN_GROUP, JoinGroupRequestData(
        group_id="test", member_id="test", group_instance_id="instanceId", protocol_type="consumer"))
    assert error_of(answer) is Errors.UNSUPPORTED_VERSION


def test_reject_sync_group_request_when_static_membership_not_supported(tmp_path: Path) -> None:
    answer = static_membership_not_supported(tmp_path, ApiKeys.SYNC_GROUP, SyncGroupRequestData(
        group_id="test", member_id="test", group_instance_id="instanceId", generation_id=1))
    assert error_of(answer) is Errors.UNSUPPORTED_VERSION


def test_reject_heartbeat_request_when_static_membership_not_supported(tmp_path: Path) -> None:
    answer = static_membership_not_supported(tmp_path, ApiKeys.HEARTBEAT, HeartbeatRequestData(
        group_id="test", member_id="test", group_instance_id="instanceId", generation_id=1))
    assert error_of(answer) is Errors.UNSUPPORTED_VERSION


def test_reject_offset_commit_request_when_static_membership_not_supported(tmp_path: Path) -> None:
    answer = static_membership_not_supported(tmp_path, ApiKeys.OFFSET_COMMIT, OffsetCommitRequestData(
        group_id="test", member_id="test", group_instance_id="instanceId",
        generation_id_or_member_epoch=100,
        topics=[CommitTopic(name="topic", partitions=[CommitPartition(partition_index=0)])]))
    assert errors_of(answer) == [("topic", 0, Errors.UNSUPPORTED_VERSION)]


# -- OffsetCommit ----------------------------------------------------------------------------------


def errors_of(answer: Any) -> list[tuple[str, int, Errors]]:
    return sorted(((topic.name, partition.partition_index, error_of(partition))
                   for topic in answer.topics for partition in topic.partitions), key=str)


def commit(*topics: CommitTopic) -> OffsetCommitRequestData:
    return OffsetCommitRequestData(group_id="group", member_id="member", topics=list(topics))


def commit_topic(name: str, *partitions: int) -> CommitTopic:
    return CommitTopic(name=name, partitions=[
        CommitPartition(partition_index=partition, committed_offset=10) for partition in partitions])


def committed(*topics: tuple[str, dict[int, Errors]]) -> OffsetCommitResponseData:
    return OffsetCommitResponseData(topics=[
        OffsetCommitResponseData.OffsetCommitResponseTopic(name=name, partitions=[
            OffsetCommitResponseData.OffsetCommitResponsePartition(partition_index=index, error_code=e.code)
            for index, e in partitions.items()])
        for name, partitions in topics])


@pytest.mark.parametrize("version", versions(ApiKeys.OFFSET_COMMIT, 1))
def test_handle_offset_commit_request(node: Node, version: int) -> None:
    node.create_topic("topic")
    answer = answer_of(node, ApiKeys.OFFSET_COMMIT, version, commit(commit_topic("topic", 0)),
                       committed(("topic", {0: Errors.NONE})))
    assert errors_of(answer) == [("topic", 0, Errors.NONE)]
    assert coordinator(node).request.topics == [commit_topic("topic", 0)]


def test_handle_offset_commit_request_without_zookeeper(node: Node) -> None:
    """Version 0 keeps offsets there."""
    node.create_topic("topic")
    answer = node.ask(ApiKeys.OFFSET_COMMIT, 0, OffsetCommitRequestData(
        group_id="group", topics=[commit_topic("topic", 0)]))
    assert errors_of(answer) == [("topic", 0, Errors.UNSUPPORTED_VERSION)]
    answer = node.ask(ApiKeys.OFFSET_FETCH, 0, OffsetFetchRequestData(group_id="group", topics=[
        OffsetFetchRequestData.OffsetFetchRequestTopic(name="topic", partition_indexes=[0])]))
    assert errors_of(answer) == [("topic", 0, Errors.UNSUPPORTED_VERSION)]


def test_handle_offset_commit_request_future_failed(node: Node) -> None:
    node.create_topic("topic")
    answer = answer_of(
        node, ApiKeys.OFFSET_COMMIT, 9, commit(commit_topic("topic", 0)), Errors.NOT_COORDINATOR)
    assert errors_of(answer) == [("topic", 0, Errors.NOT_COORDINATOR)]


def test_handle_offset_commit_request_topics_and_partitions_validation(node: Node) -> None:
    node.create_topic("foo", 2)
    node.create_topic("bar", 2)
    answer = answer_of(
        node, ApiKeys.OFFSET_COMMIT, 9,
        commit(commit_topic("foo", 0, 1, 2), commit_topic("bar", 0, 1), commit_topic("zar", 0, 1)),
        committed(("foo", {0: Errors.NONE, 1: Errors.NONE}), ("bar", {0: Errors.NONE, 1: Errors.NONE})))
    assert coordinator(node).request.topics == [commit_topic("foo", 0, 1), commit_topic("bar", 0, 1)]
    unknown = Errors.UNKNOWN_TOPIC_OR_PARTITION
    assert errors_of(answer) == [
        ("bar", 0, Errors.NONE), ("bar", 1, Errors.NONE), ("foo", 0, Errors.NONE), ("foo", 1, Errors.NONE),
        ("foo", 2, unknown), ("zar", 0, unknown), ("zar", 1, unknown)]


@pytest.mark.parametrize("partition", [-1, 1])
def test_offset_commit_with_invalid_partition(node: Node, partition: int) -> None:
    node.create_topic("topic")
    answer = node.ask(ApiKeys.OFFSET_COMMIT, 9, commit(commit_topic("topic", partition)))
    assert errors_of(answer) == [("topic", partition, Errors.UNKNOWN_TOPIC_OR_PARTITION)]


# -- TxnOffsetCommit -------------------------------------------------------------------------------


def txn_commit(*topics: TxnTopic) -> TxnOffsetCommitRequestData:
    return TxnOffsetCommitRequestData(
        transactional_id="txnId", group_id="group", producer_id=15, producer_epoch=0, topics=list(topics))


def txn_topic(name: str, *partitions: int) -> TxnTopic:
    return TxnTopic(name=name, partitions=[
        TxnPartition(partition_index=partition, committed_offset=10) for partition in partitions])


def txn_committed(*topics: tuple[str, dict[int, Errors]]) -> TxnOffsetCommitResponseData:
    return TxnOffsetCommitResponseData(topics=[
        TxnOffsetCommitResponseData.TxnOffsetCommitResponseTopic(name=name, partitions=[
            TxnOffsetCommitResponseData.TxnOffsetCommitResponsePartition(
                partition_index=index, error_code=e.code)
            for index, e in partitions.items()])
        for name, partitions in topics])


@pytest.mark.parametrize("version", versions(ApiKeys.TXN_OFFSET_COMMIT))
def test_handle_txn_offset_commit_request(node: Node, version: int) -> None:
    node.create_topic("topic")
    answer = answer_of(node, ApiKeys.TXN_OFFSET_COMMIT, version, txn_commit(txn_topic("topic", 0)),
                       txn_committed(("topic", {0: Errors.NONE})))
    assert errors_of(answer) == [("topic", 0, Errors.NONE)]


def test_handle_txn_offset_commit_request_future_failed(node: Node) -> None:
    node.create_topic("topic")
    answer = answer_of(node, ApiKeys.TXN_OFFSET_COMMIT, 4, txn_commit(txn_topic("topic", 0)),
                       Errors.NOT_COORDINATOR)
    assert errors_of(answer) == [("topic", 0, Errors.NOT_COORDINATOR)]


def test_handle_txn_offset_commit_request_topics_and_partitions_validation(node: Node) -> None:
    node.create_topic("foo", 2)
    answer = answer_of(
        node, ApiKeys.TXN_OFFSET_COMMIT, 4, txn_commit(txn_topic("foo", 0, 1, 2), txn_topic("zar", 0)),
        txn_committed(("foo", {0: Errors.NONE, 1: Errors.NONE})))
    assert coordinator(node).request.topics == [txn_topic("foo", 0, 1)]
    unknown = Errors.UNKNOWN_TOPIC_OR_PARTITION
    assert errors_of(answer) == [
        ("foo", 0, Errors.NONE), ("foo", 1, Errors.NONE), ("foo", 2, unknown), ("zar", 0, unknown)]


@pytest.mark.parametrize("version", versions(ApiKeys.TXN_OFFSET_COMMIT))
def test_should_replace_coordinator_not_available_with_load_in_process_in_txn_offset_commit_with_older_client(
        node: Node, version: int) -> None:
    node.create_topic("topic", 2)
    answer = answer_of(node, ApiKeys.TXN_OFFSET_COMMIT, version, txn_commit(txn_topic("topic", 1)),
                       txn_committed(("topic", {1: Errors.COORDINATOR_LOAD_IN_PROGRESS})))
    assert errors_of(answer) == [
        ("topic", 1, Errors.COORDINATOR_NOT_AVAILABLE if version < 2
         else Errors.COORDINATOR_LOAD_IN_PROGRESS)]


@pytest.mark.parametrize("partition", [-1, 1])
def test_txn_offset_commit_with_invalid_partition(node: Node, partition: int) -> None:
    node.create_topic("topic")
    answer = node.ask(ApiKeys.TXN_OFFSET_COMMIT, 4, txn_commit(txn_topic("topic", partition)))
    assert errors_of(answer) == [("topic", partition, Errors.UNKNOWN_TOPIC_OR_PARTITION)]


# -- OffsetFetch -----------------------------------------------------------------------------------

FetchGroup = OffsetFetchRequestData.OffsetFetchRequestGroup
FetchTopics = OffsetFetchRequestData.OffsetFetchRequestTopics
FetchTopic = OffsetFetchRequestData.OffsetFetchRequestTopic


def fetched(group: str, *topics: tuple[str, int], error: Errors = Errors.NONE) -> Any:
    return OffsetFetchResponseData.OffsetFetchResponseGroup(group_id=group, error_code=error.code, topics=[
        OffsetFetchResponseData.OffsetFetchResponseTopics(name=name, partitions=[
            OffsetFetchResponseData.OffsetFetchResponsePartitions(
                partition_index=0, committed_offset=offset, committed_leader_epoch=1)])
        for name, offset in topics])


@pytest.mark.parametrize("version", versions(ApiKeys.OFFSET_FETCH, 8))
def test_handle_offset_fetch_with_multiple_groups(node: Node, version: int) -> None:
    request = OffsetFetchRequestData(groups=[
        FetchGroup(group_id="group-1", topics=[FetchTopics(name="foo", partition_indexes=[0])]),
        FetchGroup(group_id="group-2", topics=None),
        FetchGroup(group_id="group-3", topics=None),
        FetchGroup(group_id="group-4", topics=None)])
    answer = answer_of(
        node, ApiKeys.OFFSET_FETCH, version, request, fetched("group-1", ("foo", 100)),
        fetched("group-2", ("bar", 200)), Errors.INVALID_GROUP_ID,
        fetched("group-4", error=Errors.INVALID_GROUP_ID))
    assert [name for name, _ in coordinator(node).asked] == [
        "fetch_offsets", "fetch_all_offsets", "fetch_all_offsets", "fetch_all_offsets"]
    assert answer.groups == [
        fetched("group-1", ("foo", 100)), fetched("group-2", ("bar", 200)),
        fetched("group-3", error=Errors.INVALID_GROUP_ID), fetched("group-4", error=Errors.INVALID_GROUP_ID)]


@pytest.mark.parametrize("version", versions(ApiKeys.OFFSET_FETCH, 1))
def test_handle_offset_fetch_with_single_group(node: Node, version: int) -> None:
    if version >= 8:
        request = OffsetFetchRequestData(groups=[
            FetchGroup(group_id="group-1", topics=[FetchTopics(name="foo", partition_indexes=[0])])])
    else:
        request = OffsetFetchRequestData(
            group_id="group-1", topics=[FetchTopic(name="foo", partition_indexes=[0])])
    answer = answer_of(node, ApiKeys.OFFSET_FETCH, version, request, fetched("group-1", ("foo", 100)))
    assert coordinator(node).request.topics == [FetchTopics(name="foo", partition_indexes=[0])]
    topic, = (answer.groups[0] if version >= 8 else answer).topics
    partition, = topic.partitions
    assert (topic.name, partition.partition_index, partition.committed_offset) == ("foo", 0, 100)
    assert partition.committed_leader_epoch == (1 if version >= 5 else -1)


@pytest.mark.parametrize("version", versions(ApiKeys.OFFSET_FETCH, 2))
def test_handle_offset_fetch_all_offsets_with_single_group(node: Node, version: int) -> None:
    request = (OffsetFetchRequestData(groups=[FetchGroup(group_id="group-1", topics=None)]) if version >= 8
               else OffsetFetchRequestData(group_id="group-1", topics=None))
    answer = answer_of(node, ApiKeys.OFFSET_FETCH, version, request, fetched("group-1", ("foo", 100)))
    assert coordinator(node).asked[0][0] == "fetch_all_offsets"
    topic, = (answer.groups[0] if version >= 8 else answer).topics
    assert topic.name == "foo"


def test_handle_offset_fetch_authorization(tmp_path: Path) -> None:
    with denying(tmp_path, (AclOperation.DESCRIBE, ResourceType.GROUP, "group-2"),
                 (AclOperation.DESCRIBE, ResourceType.TOPIC, "bar")) as node:
        request = OffsetFetchRequestData(groups=[
            FetchGroup(group_id="group-1", topics=[FetchTopics(name="bar", partition_indexes=[0]),
                                                   FetchTopics(name="foo", partition_indexes=[0])]),
            FetchGroup(group_id="group-2", topics=None),
            FetchGroup(group_id="group-3", topics=None)])
        answer = answer_of(node, ApiKeys.OFFSET_FETCH, 9, request, fetched("group-1", ("foo", 100)),
                           fetched("group-3", ("bar", 100), ("foo", 200)))
        first, second, third = answer.groups
        assert [(topic.name, error_of(topic.partitions[0])) for topic in first.topics] == [
            ("foo", Errors.NONE), ("bar", Errors.TOPIC_AUTHORIZATION_FAILED)]
        assert second == fetched("group-2", error=Errors.GROUP_AUTHORIZATION_FAILED)
        assert third == fetched("group-3", ("foo", 200))


def test_handle_offset_fetch_with_unauthorized_topic_and_top_level_error(tmp_path: Path) -> None:
    with denying(tmp_path, (AclOperation.DESCRIBE, ResourceType.TOPIC, "bar")) as node:
        topics = [FetchTopics(name="bar", partition_indexes=[0]),
                  FetchTopics(name="foo", partition_indexes=[0])]
        request = OffsetFetchRequestData(groups=[
            FetchGroup(group_id="group-1", topics=topics), FetchGroup(group_id="group-2", topics=topics)])
        answer = answer_of(
            node, ApiKeys.OFFSET_FETCH, 9, request, Errors.INVALID_GROUP_ID,
            fetched("group-2", error=Errors.INVALID_GROUP_ID))
        assert answer.groups == [fetched("group-1", error=Errors.INVALID_GROUP_ID),
                                 fetched("group-2", error=Errors.INVALID_GROUP_ID)]


# -- DescribeGroups, ListGroups, DeleteGroups, OffsetDelete ----------------------------------------

Described = DescribeGroupsResponseData.DescribedGroup


@pytest.mark.parametrize("version", versions(ApiKeys.DESCRIBE_GROUPS))
def test_handle_describe_groups(node: Node, version: int) -> None:
    request = DescribeGroupsRequestData(
        groups=["group-1", "group-2"], include_authorized_operations=version >= 3)
    described = [Described(group_id="group-1", protocol_type="consumer", protocol_data="range",
                           group_state="Stable"),
                 Described(group_id="group-2", error_code=Errors.NOT_COORDINATOR.code)]
    answer = answer_of(node, ApiKeys.DESCRIBE_GROUPS, version, request, described)
    assert [(group.group_id, group.group_state, error_of(group)) for group in answer.groups] == [
        ("group-1", "Stable", Errors.NONE), ("group-2", "", Errors.NOT_COORDINATOR)]
    operations = node.auth_helper.authorized_operations(
        None, Resource(ResourceType.GROUP, "group-1"))  # type: ignore[arg-type]
    assert [group.authorized_operations for group in answer.groups] == [
        operations if version >= 3 else -2**31, -2**31]


def test_handle_describe_groups_future_failed(node: Node) -> None:
    answer = answer_of(node, ApiKeys.DESCRIBE_GROUPS, 5,
                       DescribeGroupsRequestData(groups=["group-1"]), Errors.UNKNOWN_SERVER_ERROR)
    assert [error_of(group) for group in answer.groups] == [Errors.UNKNOWN_SERVER_ERROR]


def test_handle_describe_groups_authentication_failed(tmp_path: Path) -> None:
    with denying(tmp_path, (AclOperation.DESCRIBE, ResourceType.GROUP, "group-1")) as node:
        answer = answer_of(
            node, ApiKeys.DESCRIBE_GROUPS, 5, DescribeGroupsRequestData(groups=["group-1", "group-2"]),
            [Described(group_id="group-2")])
        assert coordinator(node).request == ["group-2"]
        assert [(group.group_id, error_of(group)) for group in answer.groups] == [
            ("group-1", Errors.GROUP_AUTHORIZATION_FAILED), ("group-2", Errors.NONE)]


def listed(*names: str) -> ListGroupsResponseData:
    return ListGroupsResponseData(groups=[
        ListGroupsResponseData.ListedGroup(group_id=name, protocol_type="consumer") for name in names])


@pytest.mark.parametrize("version", versions(ApiKeys.LIST_GROUPS))
def test_list_groups_request(node: Node, version: int) -> None:
    request = ListGroupsRequestData(states_filter=["Stable", "Empty"] if version >= 4 else [])
    answer = answer_of(node, ApiKeys.LIST_GROUPS, version, request, listed("group1", "group2"))
    assert coordinator(node).request.states_filter == request.states_filter
    assert [group.group_id for group in answer.groups] == ["group1", "group2"]


def test_list_groups_request_future_failed(node: Node) -> None:
    answer = answer_of(node, ApiKeys.LIST_GROUPS, 5, ListGroupsRequestData(), Errors.UNKNOWN_SERVER_ERROR)
    assert (error_of(answer), answer.groups) == (Errors.UNKNOWN_SERVER_ERROR, [])


def test_list_groups_request_filters_unauthorized_groups_with_describe_cluster(tmp_path: Path) -> None:
    with denying(tmp_path, (AclOperation.DESCRIBE, ResourceType.GROUP, "group2")) as node:
        answer = answer_of(node, ApiKeys.LIST_GROUPS, 5, ListGroupsRequestData(), listed("group1", "group2"))
        assert [group.group_id for group in answer.groups] == ["group1", "group2"]


def test_list_groups_request_filters_unauthorized_groups_with_describe_groups(tmp_path: Path) -> None:
    with denying(tmp_path, (AclOperation.DESCRIBE, ResourceType.CLUSTER, Resource.CLUSTER_NAME),
                 (AclOperation.DESCRIBE, ResourceType.GROUP, "group2")) as node:
        answer = answer_of(node, ApiKeys.LIST_GROUPS, 5, ListGroupsRequestData(), listed("group1", "group2"))
        assert [group.group_id for group in answer.groups] == ["group1"]


Deleted = DeleteGroupsResponseData.DeletableGroupResult


@pytest.mark.parametrize("version", versions(ApiKeys.DELETE_GROUPS))
def test_handle_delete_groups(node: Node, version: int) -> None:
    results = [Deleted(group_id="group-1"),
               Deleted(group_id="group-2", error_code=Errors.NON_EMPTY_GROUP.code)]
    answer = answer_of(node, ApiKeys.DELETE_GROUPS, version, DeleteGroupsRequestData(
        groups_names=["group-1", "group-2", "group-1"]), list(results))
    assert coordinator(node).request == ["group-1", "group-2"]
    assert answer.results == results


def test_handle_delete_groups_future_failed(node: Node) -> None:
    answer = answer_of(node, ApiKeys.DELETE_GROUPS, 2, DeleteGroupsRequestData(groups_names=["a", "b"]),
                       Errors.NOT_CONTROLLER)
    assert [(r.group_id, error_of(r)) for r in answer.results] == [
        ("a", Errors.NOT_CONTROLLER), ("b", Errors.NOT_CONTROLLER)]


def test_handle_delete_groups_authentication_failed(tmp_path: Path) -> None:
    with denying(tmp_path, (AclOperation.DELETE, ResourceType.GROUP, "a")) as node:
        answer = answer_of(node, ApiKeys.DELETE_GROUPS, 2, DeleteGroupsRequestData(groups_names=["a", "b"]),
                           [Deleted(group_id="b")])
        assert [(r.group_id, error_of(r)) for r in answer.results] == [
            ("b", Errors.NONE), ("a", Errors.GROUP_AUTHORIZATION_FAILED)]


def delete_topic(name: str, *partitions: int) -> DeleteTopic:
    return DeleteTopic(name=name, partitions=[DeletePartition(partition_index=p) for p in partitions])


def deleted_offsets(*topics: tuple[str, dict[int, Errors]]) -> OffsetDeleteResponseData:
    return OffsetDeleteResponseData(topics=[
        OffsetDeleteResponseData.OffsetDeleteResponseTopic(name=name, partitions=[
            OffsetDeleteResponseData.OffsetDeleteResponsePartition(partition_index=index, error_code=e.code)
            for index, e in partitions.items()])
        for name, partitions in topics])


def test_offset_delete(node: Node) -> None:
    node.create_topic("topic-1", 2)
    node.create_topic("topic-2", 2)
    answer = answer_of(
        node, ApiKeys.OFFSET_DELETE, 0, OffsetDeleteRequestData(group_id="groupId", topics=[
            delete_topic("topic-1", 0, 1), delete_topic("topic-2", 0, 1)]),
        deleted_offsets(("topic-1", {0: Errors.NONE, 1: Errors.NONE}),
                        ("topic-2", {0: Errors.NONE, 1: Errors.NONE})))
    assert error_of(answer) is Errors.NONE
    assert {error for _, _, error in errors_of(answer)} == {Errors.NONE}
    assert len(errors_of(answer)) == 4


def test_offset_delete_topics_and_partitions_validation(node: Node) -> None:
    node.create_topic("foo", 2)
    answer = answer_of(
        node, ApiKeys.OFFSET_DELETE, 0, OffsetDeleteRequestData(group_id="groupId", topics=[
            delete_topic("foo", 0, 2), delete_topic("zar", 0)]),
        deleted_offsets(("foo", {0: Errors.NONE})))
    assert coordinator(node).request.topics == [delete_topic("foo", 0)]
    unknown = Errors.UNKNOWN_TOPIC_OR_PARTITION
    assert errors_of(answer) == [("foo", 0, Errors.NONE), ("foo", 2, unknown), ("zar", 0, unknown)]


@pytest.mark.parametrize("partition", [-1, 1])
def test_offset_delete_with_invalid_partition(node: Node, partition: int) -> None:
    node.create_topic("topic")
    answer = answer_of(node, ApiKeys.OFFSET_DELETE, 0, OffsetDeleteRequestData(
        group_id="groupId", topics=[delete_topic("topic", partition)]), OffsetDeleteResponseData())
    assert errors_of(answer) == [("topic", partition, Errors.UNKNOWN_TOPIC_OR_PARTITION)]


def test_offset_delete_with_invalid_group(node: Node) -> None:
    answer = answer_of(node, ApiKeys.OFFSET_DELETE, 0, OffsetDeleteRequestData(group_id="groupId"),
                       Errors.GROUP_ID_NOT_FOUND)
    assert error_of(answer) is Errors.GROUP_ID_NOT_FOUND


def test_offset_delete_with_invalid_group_with_top_level_error(node: Node) -> None:
    node.create_topic("topic")
    answer = answer_of(
        node, ApiKeys.OFFSET_DELETE, 0, OffsetDeleteRequestData(
            group_id="groupId", topics=[delete_topic("topic", 0), delete_topic("topic-2", 0)]),
        OffsetDeleteResponseData(error_code=Errors.INVALID_GROUP_ID.code))
    assert (error_of(answer), errors_of(answer)) == (Errors.INVALID_GROUP_ID, [])


# -- the new protocol ------------------------------------------------------------------------------

NEW = {GroupCoordinatorConfig.NEW_GROUP_COORDINATOR_ENABLE_CONFIG: "true"}


def test_consumer_group_heartbeat_returns_unsupported_version(node: Node) -> None:
    answer = node.ask(
        ApiKeys.CONSUMER_GROUP_HEARTBEAT, 0, ConsumerGroupHeartbeatRequestData(group_id="group"))
    assert error_of(answer) is Errors.UNSUPPORTED_VERSION


def test_consumer_group_heartbeat_request(tmp_path: Path) -> None:
    with with_coordinator(Node(tmp_path, NEW)) as node:
        response = ConsumerGroupHeartbeatResponseData(member_id="member")
        answer = answer_of(node, ApiKeys.CONSUMER_GROUP_HEARTBEAT, 0,
                           ConsumerGroupHeartbeatRequestData(group_id="group"), response)
        assert answer.member_id == "member"


def test_consumer_group_heartbeat_request_future_failed(tmp_path: Path) -> None:
    with with_coordinator(Node(tmp_path, NEW)) as node:
        answer = answer_of(node, ApiKeys.CONSUMER_GROUP_HEARTBEAT, 0,
                           ConsumerGroupHeartbeatRequestData(group_id="group"), Errors.FENCED_MEMBER_EPOCH)
        assert error_of(answer) is Errors.FENCED_MEMBER_EPOCH


def test_consumer_group_heartbeat_request_authorization_failed(tmp_path: Path) -> None:
    with with_coordinator(Node(
            tmp_path, NEW, Permissions((AclOperation.READ, ResourceType.GROUP, "group")))) as node:
        answer = node.ask(
            ApiKeys.CONSUMER_GROUP_HEARTBEAT, 0, ConsumerGroupHeartbeatRequestData(group_id="group"))
        assert error_of(answer) is Errors.GROUP_AUTHORIZATION_FAILED


ConsumerDescribed = ConsumerGroupDescribeResponseData.DescribedGroup


@pytest.mark.parametrize("include", [False, True])
def test_consumer_group_describe(tmp_path: Path, include: bool) -> None:
    with with_coordinator(Node(tmp_path, NEW)) as node:
        answer = answer_of(
            node, ApiKeys.CONSUMER_GROUP_DESCRIBE, 0,
            ConsumerGroupDescribeRequestData(group_ids=["a", "b"], include_authorized_operations=include),
            [ConsumerDescribed(group_id="a"), ConsumerDescribed(group_id="b")])
        assert [group.group_id for group in answer.groups] == ["a", "b"]
        assert {group.authorized_operations != -2**31 for group in answer.groups} == {include}


def test_consumer_group_describe_returns_unsupported_version(node: Node) -> None:
    answer = node.ask(ApiKeys.CONSUMER_GROUP_DESCRIBE, 0, ConsumerGroupDescribeRequestData(group_ids=["a"]))
    assert [(group.group_id, error_of(group)) for group in answer.groups] == [
        ("a", Errors.UNSUPPORTED_VERSION)]


def test_consumer_group_describe_authorization_failed(tmp_path: Path) -> None:
    with with_coordinator(Node(
            tmp_path, NEW, Permissions((AclOperation.DESCRIBE, ResourceType.GROUP, "a")))) as node:
        answer = answer_of(
            node, ApiKeys.CONSUMER_GROUP_DESCRIBE, 0, ConsumerGroupDescribeRequestData(group_ids=["a"]), [])
        assert [error_of(group) for group in answer.groups] == [Errors.GROUP_AUTHORIZATION_FAILED]


def test_consumer_group_describe_future_failed(tmp_path: Path) -> None:
    with with_coordinator(Node(tmp_path, NEW)) as node:
        answer = answer_of(node, ApiKeys.CONSUMER_GROUP_DESCRIBE, 0,
                           ConsumerGroupDescribeRequestData(group_ids=["a"]), Errors.FENCED_MEMBER_EPOCH)
        assert [error_of(group) for group in answer.groups] == [Errors.FENCED_MEMBER_EPOCH]
