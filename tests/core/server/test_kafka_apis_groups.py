# Licensed under the Apache License, Version 2.0; see LICENSE.
"""kafka.server.KafkaApisTest, the cases of groups: what the coordinator is asked, and what becomes of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.errors import UnsupportedVersionException
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
from kreactor.common.requests.leave_group_request import LeaveGroupRequest
from kreactor.common.resource.resource import Resource
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.utils.utils import Utils
from kreactor.core.coordinator.group.group_coordinator import GroupCoordinator
from kreactor.core.server.request_local import RequestLocal
from kreactor.jdk.concurrent import CompletableFuture
from kreactor.security.authorizer.acl_entry import AclEntry
from kreactor.server.config.group_coordinator_config import GroupCoordinatorConfig
from tests.core.server.node import Node, Permissions
from tests.core.server.wire import encode

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
        """The arguments of the last call."""
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


def join_of(version: int) -> JoinGroupRequestData:
    """Return JOIN as ``version`` can say it."""
    return JoinGroupRequestData(
        group_id="group", member_id="member", protocol_type="consumer",
        rebalance_timeout_ms=1000 if version >= 1 else -1, session_timeout_ms=2000)


def joined_as(version: int) -> JoinGroupRequestData:
    """Return what the coordinator sees of it: version 0 has one time-out."""
    join = join_of(version)
    if version < 1:
        join.rebalance_timeout_ms = join.session_timeout_ms
    return join


MEMBERSHIP: dict[str, tuple[ApiKeys, Message]] = {
    "join_group": (ApiKeys.JOIN_GROUP, JOIN), "sync_group": (ApiKeys.SYNC_GROUP, SYNC),
    "heartbeat": (ApiKeys.HEARTBEAT, HEARTBEAT), "leave_group": (ApiKeys.LEAVE_GROUP, LEAVE)}


@pytest.mark.parametrize("version", versions(ApiKeys.JOIN_GROUP))
def test_handle_join_group_request(node: Node, version: int) -> None:
    response = JoinGroupResponseData(
        member_id="member", generation_id=0, leader="leader", protocol_name="range",
        protocol_type="consumer" if version >= 7 else None)
    assert answer_of(node, ApiKeys.JOIN_GROUP, version, join_of(version), response) == response
    assert coordinator(node).asked == [
        ("join_group", (joined_as(version), RequestLocal.NoCaching.buffer_supplier()))]


@pytest.mark.parametrize("version", versions(ApiKeys.JOIN_GROUP))
def test_join_group_protocol_name_backward_compatibility(node: Node, version: int) -> None:
    def response(protocol_name: str | None) -> JoinGroupResponseData:
        return JoinGroupResponseData(error_code=Errors.INCONSISTENT_GROUP_PROTOCOL.code, member_id="member",
                                     protocol_name=protocol_name)

    assert answer_of(node, ApiKeys.JOIN_GROUP, version, join_of(version), response(None)) == response(
        None if version >= 7 else GroupCoordinator.NO_PROTOCOL)
    assert coordinator(node).request == joined_as(version)


def test_handle_join_group_request_future_failed(node: Node) -> None:
    answer = answer_of(node, ApiKeys.JOIN_GROUP, 9, JOIN, Errors.REQUEST_TIMED_OUT)
    assert error_of(answer) is Errors.REQUEST_TIMED_OUT


def test_handle_join_group_request_unexpected_exception(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure while an answer is sent is answered too."""
    send_response = node.channel.send_response

    def fail_once(*args: Any) -> None:
        monkeypatch.setattr(node.channel, "send_response", send_response)
        raise ValueError("Something went wrong")

    monkeypatch.setattr(node.channel, "send_response", fail_once)
    answer = answer_of(node, ApiKeys.JOIN_GROUP, 9, JOIN, Errors.NOT_COORDINATOR)
    assert error_of(answer) is Errors.UNKNOWN_SERVER_ERROR


@pytest.mark.parametrize("version", versions(ApiKeys.SYNC_GROUP))
def test_handle_sync_group_request(node: Node, version: int) -> None:
    sync = SYNC if version >= 5 else SyncGroupRequestData(group_id="group", member_id="member")
    response = SyncGroupResponseData(
        assignment=b"mine", protocol_type="consumer" if version >= 5 else None,
        protocol_name="range" if version >= 5 else None)
    assert answer_of(node, ApiKeys.SYNC_GROUP, version, sync, response) == response
    assert coordinator(node).asked == [("sync_group", (sync, RequestLocal.NoCaching.buffer_supplier()))]


def test_handle_sync_group_request_future_failed(node: Node) -> None:
    answer = answer_of(node, ApiKeys.SYNC_GROUP, 5, SYNC, Errors.UNKNOWN_SERVER_ERROR)
    assert error_of(answer) is Errors.UNKNOWN_SERVER_ERROR


@pytest.mark.parametrize("version", versions(ApiKeys.SYNC_GROUP))
def test_sync_group_protocol_type_and_name_are_mandatory_since_v5(node: Node, version: int) -> None:
    sync = SyncGroupRequestData(group_id="group", member_id="member")
    exchange = node.send(ApiKeys.SYNC_GROUP, version, sync)
    if version < 5:
        assert exchange.waits() and coordinator(node).request == sync
        coordinator(node).futures[0].complete(SyncGroupResponseData())
        assert error_of(exchange.answer()) is Errors.NONE
    else:
        assert error_of(exchange.answer()) is Errors.INCONSISTENT_GROUP_PROTOCOL
        assert not coordinator(node).asked


@pytest.mark.parametrize("version", versions(ApiKeys.HEARTBEAT))
def test_handle_heartbeat_request(node: Node, version: int) -> None:
    answer = answer_of(node, ApiKeys.HEARTBEAT, version, HEARTBEAT, HeartbeatResponseData())
    assert answer == HeartbeatResponseData()
    assert coordinator(node).asked == [("heartbeat", (HEARTBEAT,))]


def test_handle_heartbeat_request_future_failed(node: Node) -> None:
    answer = answer_of(node, ApiKeys.HEARTBEAT, 4, HEARTBEAT, Errors.UNKNOWN_SERVER_ERROR)
    assert error_of(answer) is Errors.UNKNOWN_SERVER_ERROR


@pytest.mark.parametrize("version", versions(ApiKeys.LEAVE_GROUP))
def test_handle_leave_group_with_multiple_members(node: Node, version: int) -> None:
    if version < 3:
        # The versions before 3 have one member.
        with pytest.raises(UnsupportedVersionException):
            LeaveGroupRequest.Builder("group", LEAVE.members).build_version(version)
        return
    request = LeaveGroupRequest.Builder("group", LEAVE.members).build_version(version).data()
    response = LeaveGroupResponseData(error_code=Errors.NONE.code, members=[
        LeaveMember(member_id="member-1", group_instance_id="instance-1"),
        LeaveMember(member_id="member-2", group_instance_id="instance-2",
                    error_code=Errors.UNKNOWN_MEMBER_ID.code)])
    assert answer_of(node, ApiKeys.LEAVE_GROUP, version, request, response) == response
    assert coordinator(node).asked == [("leave_group", (LEAVE,))]


@pytest.mark.parametrize("version", versions(ApiKeys.LEAVE_GROUP))
def test_handle_leave_group_with_single_member(node: Node, version: int) -> None:
    request = LeaveGroupRequest.Builder("group", LEAVE.members[:1]).build_version(version).data()
    response = LeaveGroupResponseData(error_code=Errors.NONE.code, members=[
        LeaveMember(member_id="member-1", group_instance_id="instance-1")])
    assert answer_of(node, ApiKeys.LEAVE_GROUP, version, request, response) == (
        response if version >= 3 else LeaveGroupResponseData(error_code=Errors.NONE.code))
    assert coordinator(node).asked == [("leave_group", (LeaveGroupRequestData(group_id="group", members=[
        LeaveGroupRequestData.MemberIdentity(
            member_id="member-1", group_instance_id="instance-1" if version >= 3 else None)]),))]


@pytest.mark.parametrize("version", versions(ApiKeys.LEAVE_GROUP, 0, 2))
def test_the_error_of_a_single_member_is_that_of_the_answer(node: Node, version: int) -> None:
    answer = answer_of(
        node, ApiKeys.LEAVE_GROUP, version, LeaveGroupRequestData(group_id="group", member_id="member-1"),
        LeaveGroupResponseData(members=[
            LeaveMember(member_id="member-1", error_code=Errors.UNKNOWN_MEMBER_ID.code)]))
    assert answer == LeaveGroupResponseData(error_code=Errors.UNKNOWN_MEMBER_ID.code)


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
    request, response = commit(commit_topic("topic", 0)), committed(("topic", {0: Errors.NONE}))
    assert answer_of(node, ApiKeys.OFFSET_COMMIT, version, request, response) == response
    assert coordinator(node).asked == [
        ("commit_offsets", (request, RequestLocal.NoCaching.buffer_supplier()))]


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
    assert coordinator(node).request == commit(commit_topic("foo", 0, 1), commit_topic("bar", 0, 1))
    unknown = Errors.UNKNOWN_TOPIC_OR_PARTITION
    # A partition or a topic that is not there comes before the others.
    assert answer == committed(
        ("foo", {2: unknown, 0: Errors.NONE, 1: Errors.NONE}), ("zar", {0: unknown, 1: unknown}),
        ("bar", {0: Errors.NONE, 1: Errors.NONE}))


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
    request, response = txn_commit(txn_topic("topic", 0)), txn_committed(("topic", {0: Errors.NONE}))
    if version >= 3:
        request.member_id, request.generation_id, request.group_instance_id = "member", 10, "instance-id"
    assert answer_of(node, ApiKeys.TXN_OFFSET_COMMIT, version, request, response) == response
    assert coordinator(node).asked == [
        ("commit_transactional_offsets", (request, RequestLocal.NoCaching.buffer_supplier()))]


def test_handle_txn_offset_commit_request_future_failed(node: Node) -> None:
    node.create_topic("topic")
    answer = answer_of(node, ApiKeys.TXN_OFFSET_COMMIT, 4, txn_commit(txn_topic("topic", 0)),
                       Errors.NOT_COORDINATOR)
    assert errors_of(answer) == [("topic", 0, Errors.NOT_COORDINATOR)]


def test_handle_txn_offset_commit_request_topics_and_partitions_validation(node: Node) -> None:
    node.create_topic("foo", 2)
    node.create_topic("bar", 2)
    answer = answer_of(
        node, ApiKeys.TXN_OFFSET_COMMIT, 4,
        txn_commit(txn_topic("foo", 0, 1, 2), txn_topic("bar", 0, 1), txn_topic("zar", 0, 1)),
        txn_committed(("foo", {0: Errors.NONE, 1: Errors.NONE}), ("bar", {0: Errors.NONE, 1: Errors.NONE})))
    assert coordinator(node).request == txn_commit(txn_topic("foo", 0, 1), txn_topic("bar", 0, 1))
    unknown = Errors.UNKNOWN_TOPIC_OR_PARTITION
    assert answer == txn_committed(
        ("foo", {2: unknown, 0: Errors.NONE, 1: Errors.NONE}), ("zar", {0: unknown, 1: unknown}),
        ("bar", {0: Errors.NONE, 1: Errors.NONE}))


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


def fetched(group: str, *topics: Sequence[Any], error: Errors = Errors.NONE) -> Any:
    """Return a group's part of an answer: of each topic its name and the offsets of its partitions."""
    return OffsetFetchResponseData.OffsetFetchResponseGroup(group_id=group, error_code=error.code, topics=[
        OffsetFetchResponseData.OffsetFetchResponseTopics(name=name, partitions=[
            OffsetFetchResponseData.OffsetFetchResponsePartitions(
                partition_index=partition, committed_offset=offset, committed_leader_epoch=partition + 1)
            for partition, offset in enumerate(offsets)])
        for name, *offsets in topics])


def fetched_by_one(version: int, *offsets: int) -> OffsetFetchResponseData:
    """Return the answer about the partitions of the topic foo to a request with one group."""
    if version >= 8:
        return OffsetFetchResponseData(groups=[fetched("group-1", ("foo", *offsets))])
    return OffsetFetchResponseData(topics=[OffsetFetchResponseData.OffsetFetchResponseTopic(
        name="foo", partitions=[
            OffsetFetchResponseData.OffsetFetchResponsePartition(
                partition_index=partition, committed_offset=offset,
                committed_leader_epoch=partition + 1 if version >= 5 else -1)
            for partition, offset in enumerate(offsets)])])


@pytest.mark.parametrize("version", versions(ApiKeys.OFFSET_FETCH, 8))
def test_handle_offset_fetch_with_multiple_groups(node: Node, version: int) -> None:
    first = FetchGroup(group_id="group-1", topics=[FetchTopics(name="foo", partition_indexes=[0, 1])])
    others = [FetchGroup(group_id=f"group-{number}", topics=None) for number in (2, 3, 4)]
    answers = [fetched("group-1", ("foo", 100, 200)), fetched("group-2", ("bar", 100, 200, 300)),
               fetched("group-3", error=Errors.INVALID_GROUP_ID),
               fetched("group-4", error=Errors.INVALID_GROUP_ID)]
    answer = answer_of(
        node, ApiKeys.OFFSET_FETCH, version, OffsetFetchRequestData(groups=[first, *others]),
        answers[0], answers[1], Errors.INVALID_GROUP_ID, answers[3])
    assert coordinator(node).asked == [
        ("fetch_offsets", (first, False)), *(("fetch_all_offsets", (group, False)) for group in others)]
    assert answer.groups == answers


@pytest.mark.parametrize("version", versions(ApiKeys.OFFSET_FETCH, 0, 7))
def test_before_version_8_a_request_has_one_group(version: int) -> None:
    """The half of testHandleOffsetFetchWithMultipleGroups about the older versions."""
    request = OffsetFetchRequestData(groups=[FetchGroup(group_id=name) for name in ("group-1", "group-2")])
    with pytest.raises(UnsupportedVersionException):
        encode(ApiKeys.OFFSET_FETCH, version, request, 1, "test")


@pytest.mark.parametrize("version", versions(ApiKeys.OFFSET_FETCH, 1))
def test_handle_offset_fetch_with_single_group(node: Node, version: int) -> None:
    topics = [FetchTopics(name="foo", partition_indexes=[0, 1])]
    request = (
        OffsetFetchRequestData(groups=[FetchGroup(group_id="group-1", topics=topics)]) if version >= 8 else
        OffsetFetchRequestData(
            group_id="group-1", topics=[FetchTopic(name="foo", partition_indexes=[0, 1])]))
    answer = answer_of(node, ApiKeys.OFFSET_FETCH, version, request, fetched("group-1", ("foo", 100, 200)))
    assert coordinator(node).asked == [
        ("fetch_offsets", (FetchGroup(group_id="group-1", topics=topics), False))]
    assert answer == fetched_by_one(version, 100, 200)


@pytest.mark.parametrize("version", versions(ApiKeys.OFFSET_FETCH, 2))
def test_handle_offset_fetch_all_offsets_with_single_group(node: Node, version: int) -> None:
    request = (OffsetFetchRequestData(groups=[FetchGroup(group_id="group-1", topics=None)]) if version >= 8
               else OffsetFetchRequestData(group_id="group-1", topics=None))
    answer = answer_of(node, ApiKeys.OFFSET_FETCH, version, request, fetched("group-1", ("foo", 100, 200)))
    assert coordinator(node).asked == [
        ("fetch_all_offsets", (FetchGroup(group_id="group-1", topics=None), False))]
    assert answer == fetched_by_one(version, 100, 200)


def test_handle_offset_fetch_authorization(tmp_path: Path) -> None:
    with denying(tmp_path, (AclOperation.DESCRIBE, ResourceType.GROUP, "group-2"),
                 (AclOperation.DESCRIBE, ResourceType.GROUP, "group-4"),
                 (AclOperation.DESCRIBE, ResourceType.TOPIC, "foo")) as node:
        topics = [FetchTopics(name=name, partition_indexes=[0]) for name in ("foo", "bar")]
        request = OffsetFetchRequestData(groups=[
            FetchGroup(group_id="group-1", topics=topics), FetchGroup(group_id="group-2", topics=topics),
            FetchGroup(group_id="group-3", topics=None), FetchGroup(group_id="group-4", topics=None)])
        answer = answer_of(node, ApiKeys.OFFSET_FETCH, 9, request, fetched("group-1", ("bar", 100)),
                           fetched("group-3", ("foo", 100), ("bar", 100)))
        assert coordinator(node).asked == [
            ("fetch_offsets", (FetchGroup(group_id="group-1", topics=topics[1:]), False)),
            ("fetch_all_offsets", (FetchGroup(group_id="group-3", topics=None), False))]
        first = fetched("group-1", ("bar", 100))
        first.topics.append(OffsetFetchResponseData.OffsetFetchResponseTopics(name="foo", partitions=[
            OffsetFetchResponseData.OffsetFetchResponsePartitions(
                partition_index=0, error_code=Errors.TOPIC_AUTHORIZATION_FAILED.code, committed_offset=-1)]))
        assert answer == OffsetFetchResponseData(groups=[
            first, fetched("group-2", error=Errors.GROUP_AUTHORIZATION_FAILED),
            fetched("group-3", ("bar", 100)), fetched("group-4", error=Errors.GROUP_AUTHORIZATION_FAILED)])


def test_handle_offset_fetch_with_unauthorized_topic_and_top_level_error(tmp_path: Path) -> None:
    with denying(tmp_path, (AclOperation.DESCRIBE, ResourceType.TOPIC, "foo")) as node:
        topics = [FetchTopics(name=name, partition_indexes=[0]) for name in ("foo", "bar")]
        names, error = ("group-1", "group-2"), Errors.COORDINATOR_NOT_AVAILABLE
        answer = answer_of(
            node, ApiKeys.OFFSET_FETCH, 9,
            OffsetFetchRequestData(groups=[FetchGroup(group_id=name, topics=topics) for name in names]),
            error, fetched("group-2", error=error))
        assert coordinator(node).asked == [
            ("fetch_offsets", (FetchGroup(group_id=name, topics=topics[1:]), False)) for name in names]
        assert answer == OffsetFetchResponseData(groups=[fetched(name, error=error) for name in names])


# -- DescribeGroups, ListGroups, DeleteGroups, OffsetDelete ----------------------------------------

Described = DescribeGroupsResponseData.DescribedGroup


@pytest.mark.parametrize("version", versions(ApiKeys.DESCRIBE_GROUPS))
def test_handle_describe_groups(node: Node, version: int) -> None:
    names = ["group-1", "group-2", "group-3"]
    described = [
        Described(group_id="group-1", protocol_type="consumer", protocol_data="range", group_state="Stable",
                  members=[DescribeGroupsResponseData.DescribedGroupMember(member_id="member-1")]),
        Described(group_id="group-2", error_code=Errors.NOT_COORDINATOR.code),
        Described(group_id="group-3", error_code=Errors.REQUEST_TIMED_OUT.code)]
    answer = answer_of(node, ApiKeys.DESCRIBE_GROUPS, version, DescribeGroupsRequestData(groups=names),
                       [group.duplicate() for group in described])
    assert coordinator(node).asked == [("describe_groups", (names,))]
    assert answer == DescribeGroupsResponseData(groups=described)


@pytest.mark.parametrize("version", versions(ApiKeys.DESCRIBE_GROUPS, 3))
def test_the_operations_of_groups_without_errors_are_described(node: Node, version: int) -> None:
    request = DescribeGroupsRequestData(groups=["group-1", "group-2"], include_authorized_operations=True)
    answer = answer_of(node, ApiKeys.DESCRIBE_GROUPS, version, request, [
        Described(group_id="group-1"), Described(group_id="group-2", error_code=Errors.NOT_COORDINATOR.code)])
    operations = node.auth_helper.authorized_operations(
        None, Resource(ResourceType.GROUP, "group-1"))  # type: ignore[arg-type]
    assert [group.authorized_operations for group in answer.groups] == [operations, -2**31]


def test_handle_describe_groups_future_failed(node: Node) -> None:
    answer = answer_of(node, ApiKeys.DESCRIBE_GROUPS, 5,
                       DescribeGroupsRequestData(groups=["group-1"]), Errors.UNKNOWN_SERVER_ERROR)
    assert [error_of(group) for group in answer.groups] == [Errors.UNKNOWN_SERVER_ERROR]


def test_handle_describe_groups_authentication_failed(tmp_path: Path) -> None:
    with denying(tmp_path, (AclOperation.DESCRIBE, ResourceType.GROUP, "group-1"),
                 (AclOperation.DESCRIBE, ResourceType.GROUP, "group-3")) as node:
        answer = answer_of(
            node, ApiKeys.DESCRIBE_GROUPS, 5,
            DescribeGroupsRequestData(groups=["group-1", "group-2", "group-3"]),
            [Described(group_id="group-2", error_code=Errors.NOT_COORDINATOR.code)])
        assert coordinator(node).request == ["group-2"]
        # Groups that the client may not see come first.
        assert answer == DescribeGroupsResponseData(groups=[
            *(Described(group_id=name, error_code=Errors.GROUP_AUTHORIZATION_FAILED.code)
              for name in ("group-1", "group-3")),
            Described(group_id="group-2", error_code=Errors.NOT_COORDINATOR.code)])


def listed(*names: str) -> ListGroupsResponseData:
    return ListGroupsResponseData(groups=[
        ListGroupsResponseData.ListedGroup(group_id=name, protocol_type="consumer") for name in names])


@pytest.mark.parametrize("version", versions(ApiKeys.LIST_GROUPS))
def test_list_groups_request(node: Node, version: int) -> None:
    request = ListGroupsRequestData(
        states_filter=["Stable", "Empty"] if version >= 4 else [],
        types_filter=["classic", "consumer"] if version >= 5 else [])
    response = ListGroupsResponseData(groups=[
        ListGroupsResponseData.ListedGroup(
            group_id=f"group{number}", protocol_type=f"protocol{number}",
            group_state=state if version >= 4 else "", group_type=type if version >= 5 else "")
        for number, state, type in ((1, "Stable", "consumer"), (2, "Empty", "classic"),
                                    (3, "Stable", "classic"))])
    assert answer_of(node, ApiKeys.LIST_GROUPS, version, request, response) == response
    assert coordinator(node).asked == [("list_groups", (request,))]


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
    names = ["group-1", "group-2", "group-3"]
    results = [Deleted(group_id=name, error_code=error.code) for name, error in zip(names, (
        Errors.NONE, Errors.NOT_CONTROLLER, Errors.UNKNOWN_SERVER_ERROR))]
    answer = answer_of(node, ApiKeys.DELETE_GROUPS, version, DeleteGroupsRequestData(
        groups_names=[*names, "group-1"]), list(results))
    assert coordinator(node).asked == [
        ("delete_groups", (names, RequestLocal.NoCaching.buffer_supplier()))]
    assert answer == DeleteGroupsResponseData(results=results)


def test_handle_delete_groups_future_failed(node: Node) -> None:
    names = ["group-1", "group-2", "group-3"]
    answer = answer_of(node, ApiKeys.DELETE_GROUPS, 2, DeleteGroupsRequestData(groups_names=names),
                       Errors.NOT_CONTROLLER)
    assert answer == DeleteGroupsResponseData(results=[
        Deleted(group_id=name, error_code=Errors.NOT_CONTROLLER.code) for name in names])


def test_handle_delete_groups_authentication_failed(tmp_path: Path) -> None:
    with denying(tmp_path, (AclOperation.DELETE, ResourceType.GROUP, "group-1")) as node:
        results = [Deleted(group_id="group-2"),
                   Deleted(group_id="group-3", error_code=Errors.NOT_CONTROLLER.code)]
        answer = answer_of(node, ApiKeys.DELETE_GROUPS, 2, DeleteGroupsRequestData(
            groups_names=["group-1", "group-2", "group-3"]), list(results))
        assert coordinator(node).request == ["group-2", "group-3"]
        assert answer == DeleteGroupsResponseData(results=[
            *results, Deleted(group_id="group-1", error_code=Errors.GROUP_AUTHORIZATION_FAILED.code)])


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
    request = OffsetDeleteRequestData(group_id="groupId", topics=[
        delete_topic("topic-1", 0, 1), delete_topic("topic-2", 0, 1)])
    response = deleted_offsets(("topic-1", {0: Errors.NONE, 1: Errors.NONE}),
                               ("topic-2", {0: Errors.NONE, 1: Errors.NONE}))
    assert answer_of(node, ApiKeys.OFFSET_DELETE, 0, request, response) == response
    assert coordinator(node).asked == [
        ("delete_offsets", (request, RequestLocal.NoCaching.buffer_supplier()))]


def test_offset_delete_topics_and_partitions_validation(node: Node) -> None:
    node.create_topic("foo", 2)
    node.create_topic("bar", 2)
    answer = answer_of(
        node, ApiKeys.OFFSET_DELETE, 0, OffsetDeleteRequestData(group_id="groupId", topics=[
            delete_topic("foo", 0, 1, 2), delete_topic("bar", 0, 1), delete_topic("zar", 0, 1)]),
        deleted_offsets(("foo", {0: Errors.NONE, 1: Errors.NONE}), ("bar", {0: Errors.NONE, 1: Errors.NONE})))
    assert coordinator(node).request == OffsetDeleteRequestData(group_id="groupId", topics=[
        delete_topic("foo", 0, 1), delete_topic("bar", 0, 1)])
    unknown = Errors.UNKNOWN_TOPIC_OR_PARTITION
    assert answer == deleted_offsets(
        ("foo", {2: unknown, 0: Errors.NONE, 1: Errors.NONE}), ("zar", {0: unknown, 1: unknown}),
        ("bar", {0: Errors.NONE, 1: Errors.NONE}))


@pytest.mark.parametrize("partition", [-1, 1])
def test_offset_delete_with_invalid_partition(node: Node, partition: int) -> None:
    node.create_topic("topic")
    answer = answer_of(node, ApiKeys.OFFSET_DELETE, 0, OffsetDeleteRequestData(
        group_id="groupId", topics=[delete_topic("topic", partition)]), OffsetDeleteResponseData())
    # The coordinator is asked even if nothing is left.
    assert coordinator(node).request == OffsetDeleteRequestData(group_id="groupId")
    assert errors_of(answer) == [("topic", partition, Errors.UNKNOWN_TOPIC_OR_PARTITION)]


def test_offset_delete_with_invalid_group(node: Node) -> None:
    answer = answer_of(node, ApiKeys.OFFSET_DELETE, 0, OffsetDeleteRequestData(group_id="groupId"),
                       Errors.GROUP_ID_NOT_FOUND)
    assert error_of(answer) is Errors.GROUP_ID_NOT_FOUND


def test_offset_delete_with_invalid_group_with_top_level_error(node: Node) -> None:
    node.create_topic("topic")
    for topics, left in (
            ([delete_topic("topic-unknown", 0)], []),
            ([delete_topic("topic", 0), delete_topic("topic-unknown", 0)], [delete_topic("topic", 0)])):
        coordinator(node).futures.clear()
        answer = answer_of(
            node, ApiKeys.OFFSET_DELETE, 0, OffsetDeleteRequestData(group_id="groupId", topics=topics),
            OffsetDeleteResponseData(error_code=Errors.GROUP_ID_NOT_FOUND.code))
        assert coordinator(node).request == OffsetDeleteRequestData(group_id="groupId", topics=left)
        assert (error_of(answer), errors_of(answer)) == (Errors.GROUP_ID_NOT_FOUND, [])


# -- the new protocol ------------------------------------------------------------------------------

NEW = {GroupCoordinatorConfig.NEW_GROUP_COORDINATOR_ENABLE_CONFIG: "true"}


def test_consumer_group_heartbeat_returns_unsupported_version(node: Node) -> None:
    answer = node.ask(
        ApiKeys.CONSUMER_GROUP_HEARTBEAT, 0, ConsumerGroupHeartbeatRequestData(group_id="group"))
    assert answer == ConsumerGroupHeartbeatResponseData(error_code=Errors.UNSUPPORTED_VERSION.code)


def test_consumer_group_heartbeat_request(tmp_path: Path) -> None:
    with with_coordinator(Node(tmp_path, NEW)) as node:
        request = ConsumerGroupHeartbeatRequestData(group_id="group")
        response = ConsumerGroupHeartbeatResponseData(member_id="member")
        assert answer_of(node, ApiKeys.CONSUMER_GROUP_HEARTBEAT, 0, request, response) == response
        assert coordinator(node).asked == [("consumer_group_heartbeat", (request,))]


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
    names = ["group-id-0", "group-id-1", "group-id-2"]
    with with_coordinator(Node(tmp_path, NEW)) as node:
        answer = answer_of(
            node, ApiKeys.CONSUMER_GROUP_DESCRIBE, 0,
            ConsumerGroupDescribeRequestData(group_ids=names, include_authorized_operations=include),
            [ConsumerDescribed(group_id=name) for name in names])
        assert coordinator(node).request == names
        operations = Utils.to32_bit_field({
            operation.code() for operation in AclEntry.supported_operations(ResourceType.GROUP)})
        assert answer == ConsumerGroupDescribeResponseData(groups=[
            ConsumerDescribed(group_id=name, authorized_operations=operations if include else -2**31)
            for name in names])


def test_consumer_group_describe_returns_unsupported_version(node: Node) -> None:
    answer = node.ask(ApiKeys.CONSUMER_GROUP_DESCRIBE, 0, ConsumerGroupDescribeRequestData(group_ids=["a"]))
    assert answer == ConsumerGroupDescribeResponseData(groups=[
        ConsumerDescribed(group_id="a", error_code=Errors.UNSUPPORTED_VERSION.code)])


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
