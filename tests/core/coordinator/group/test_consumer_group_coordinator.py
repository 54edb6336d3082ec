# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Consumer groups over the wire: members that join, leave and fail, offsets, restarts, classic neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.message.api_versions_response_data import ApiVersionsResponseData
from kreactor.common.message.consumer_group_describe_request_data import ConsumerGroupDescribeRequestData
from kreactor.common.message.consumer_group_describe_response_data import ConsumerGroupDescribeResponseData
from kreactor.common.message.consumer_group_heartbeat_request_data import ConsumerGroupHeartbeatRequestData
from kreactor.common.message.consumer_group_heartbeat_response_data import ConsumerGroupHeartbeatResponseData
from kreactor.common.message.consumer_protocol_subscription import ConsumerProtocolSubscription
from kreactor.common.message.delete_groups_request_data import DeleteGroupsRequestData
from kreactor.common.message.delete_groups_response_data import DeleteGroupsResponseData
from kreactor.common.message.describe_groups_request_data import DescribeGroupsRequestData
from kreactor.common.message.describe_groups_response_data import DescribeGroupsResponseData
from kreactor.common.message.find_coordinator_request_data import FindCoordinatorRequestData
from kreactor.common.message.find_coordinator_response_data import FindCoordinatorResponseData
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
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.topic_partition import TopicPartition
from kreactor.coordinator.group.consumer_protocol import ConsumerProtocol
from kreactor.coordinator.group.coordinator_record_helpers import CoordinatorRecordHelpers
from kreactor.coordinator.group.group_metadata_manager import OperationResult
from kreactor.coordinator.group.metadata_image import MetadataImage
from kreactor.core.coordinator.group.consumer_group_coordinator import ConsumerGroupCoordinator, _Shard, _Task
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.testing.broker import Broker
from kreactor.testing.mock_time import MockTime
from tests.coordinator.group.group_metadata_manager_test_context import (
    mk_assignment_bytes, mk_protocols, mk_subscription_bytes)
from tests.core.server.brokers import broker_config
from tests.core.server.wire import Wire
from tests.stepping import Background

PROPERTIES = {
    "group.coordinator.rebalance.protocols": "classic,consumer",
    "group.initial.rebalance.delay.ms": 0,
    "group.consumer.min.heartbeat.interval.ms": 50,
    "group.consumer.heartbeat.interval.ms": 100,
    "offsets.topic.num.partitions": 3,
}
Partitions = dict[str, list[int]]


class Client:
    """A connection to a broker that has a coordinator for any group."""

    def __init__(self, broker: Broker) -> None:
        self.broker = broker
        self.wire = Wire(broker.host, broker.port)
        broker.wait_for(lambda: self._has_coordinator())

    def _has_coordinator(self) -> bool:
        data = self.wire.ask(ApiKeys.FIND_COORDINATOR, 4, FindCoordinatorRequestData(
            key_type=0, coordinator_keys=["g"]))
        assert isinstance(data, FindCoordinatorResponseData)
        return data.coordinators[0].error_code == 0 and self.heartbeat(
            "probe", "nobody", 5).error_code == Errors.GROUP_ID_NOT_FOUND.code

    def heartbeat(self, group: str, member: str | None, epoch: int,
                  **fields: Any) -> ConsumerGroupHeartbeatResponseData:
        data = self.wire.ask(ApiKeys.CONSUMER_GROUP_HEARTBEAT, 0, ConsumerGroupHeartbeatRequestData(
            group_id=group, member_id=member or "", member_epoch=epoch, **fields))
        assert isinstance(data, ConsumerGroupHeartbeatResponseData)
        return data

    def describe(self, group: str) -> ConsumerGroupDescribeResponseData.DescribedGroup:
        data = self.wire.ask(ApiKeys.CONSUMER_GROUP_DESCRIBE, 0, ConsumerGroupDescribeRequestData(
            group_ids=[group]))
        assert isinstance(data, ConsumerGroupDescribeResponseData)
        return data.groups[0]

    def commit(self, group: str, member: str | None, epoch: int, version: int = 9, offset: int = 7) -> Errors:
        data = self.wire.ask(ApiKeys.OFFSET_COMMIT, version, OffsetCommitRequestData(
            group_id=group, member_id=member or "", generation_id_or_member_epoch=epoch, topics=[
                OffsetCommitRequestData.OffsetCommitRequestTopic(name="foo", partitions=[
                    OffsetCommitRequestData.OffsetCommitRequestPartition(
                        partition_index=0, committed_offset=offset)])]))
        assert isinstance(data, OffsetCommitResponseData)
        return Errors.for_code(data.topics[0].partitions[0].error_code)

    def committed(self, group: str, member: str | None = None, epoch: int = -1) -> int | Errors:
        data = self.wire.ask(ApiKeys.OFFSET_FETCH, 9, OffsetFetchRequestData(groups=[
            OffsetFetchRequestData.OffsetFetchRequestGroup(
                group_id=group, member_id=member, member_epoch=epoch, topics=[
                    OffsetFetchRequestData.OffsetFetchRequestTopics(name="foo", partition_indexes=[0])])]))
        assert isinstance(data, OffsetFetchResponseData)
        if data.groups[0].error_code:
            return Errors.for_code(data.groups[0].error_code)
        return data.groups[0].topics[0].partitions[0].committed_offset

    def listed(self, *types: str) -> dict[str, tuple[str, str]]:
        data = self.wire.ask(ApiKeys.LIST_GROUPS, 5, ListGroupsRequestData(types_filter=list(types)))
        assert isinstance(data, ListGroupsResponseData)
        return {group.group_id: (group.group_type, group.group_state) for group in data.groups}

    def delete(self, group: str) -> Errors:
        data = self.wire.ask(ApiKeys.DELETE_GROUPS, 2, DeleteGroupsRequestData(groups_names=[group]))
        assert isinstance(data, DeleteGroupsResponseData)
        return Errors.for_code(data.results[0].error_code)


class Member:
    """A member of a group that does what heartbeats tell it, one heartbeat at a time."""

    def __init__(self, client: Client, group: str = "g", topics: tuple[str, ...] = ("foo",),
                 instance: str | None = None, member_id: str = "") -> None:
        self.client, self.group, self.topics, self.instance = client, group, topics, instance
        self.id: str | None = member_id
        self.epoch = 0
        self.owned: dict[Any, list[int]] = {}

    def beat(self) -> ConsumerGroupHeartbeatResponseData:
        owned = [ConsumerGroupHeartbeatRequestData.TopicPartitions(topic_id=topic_id, partitions=partitions)
                 for topic_id, partitions in self.owned.items()]
        response = self.client.heartbeat(
            self.group, self.id, self.epoch, instance_id=self.instance, rebalance_timeout_ms=60_000,
            subscribed_topic_names=list(self.topics), topic_partitions=owned)
        if response.error_code == 0:
            self.id, self.epoch = response.member_id, response.member_epoch
            if response.assignment is not None:
                self.owned = {each.topic_id: each.partitions for each in response.assignment.topic_partitions}
        return response

    def leave(self, epoch: int = -1) -> ConsumerGroupHeartbeatResponseData:
        return self.client.heartbeat(self.group, self.id, epoch, instance_id=self.instance)

    def count(self) -> int:
        return sum(map(len, self.owned.values()))


def settle(*members: Member) -> list[int]:
    """Let members send heartbeats until nothing changes; return how many partitions each has."""
    for _ in range(20):
        before = [(member.epoch, member.owned) for member in members]
        for member in members:
            assert member.beat().error_code == 0
        if before == [(member.epoch, member.owned) for member in members] \
                and len({member.epoch for member in members}) == 1:
            break
    taken = [(topic_id, partition) for member in members
             for topic_id, partitions in member.owned.items() for partition in partitions]
    assert len(taken) == len(set(taken)), "a partition has two owners"
    return [member.count() for member in members]


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(properties=PROPERTIES, topics={"foo": 6, "bar": 2}) as broker:
        yield broker


@pytest.fixture
def client(broker: Broker) -> Iterator[Client]:
    client = Client(broker)
    yield client
    client.wire.close()


def test_partitions_move_as_members_come_and_go(client: Client) -> None:
    first = Member(client, "moves")
    assert first.beat().error_code == 0
    assert (first.epoch, first.count()) == (1, 6)
    second = Member(client, "moves")
    assert settle(first, second) == [3, 3]
    third = Member(client, "moves", ("foo", "bar"))
    assert sum(settle(first, second, third)) == 8
    assert second.leave().error_code == 0
    assert sum(settle(first, third)) == 8
    assert client.describe("moves").group_state == "Stable"
    assert first.leave().member_epoch == third.leave().member_epoch == -1
    assert client.describe("moves").group_state == "Empty"


def test_a_member_that_is_silent_loses_its_partitions() -> None:
    time = MockTime()
    with Broker(properties=PROPERTIES, topics={"foo": 6}, time=time) as broker:
        client = Client(broker)
        first, second = Member(client, "silent"), Member(client, "silent")
        assert settle(first, second) == [3, 3]

        def alone() -> bool:
            assert first.beat().error_code == 0
            return first.count() == 6

        # A session lasts 45 s.
        time.sleep(30_000)
        assert not alone()
        time.sleep(30_000)
        broker.wait_for(alone)
        assert second.beat().error_code == Errors.UNKNOWN_MEMBER_ID.code
        client.wire.close()


def test_epochs_fence_members(client: Client) -> None:
    member = Member(client, "fenced")
    member.beat()
    assert client.heartbeat("fenced", member.id, 9).error_code == Errors.FENCED_MEMBER_EPOCH.code
    assert client.heartbeat("fenced", "nobody", 1).error_code == Errors.UNKNOWN_MEMBER_ID.code
    assert client.heartbeat("nothing", "nobody", 1).error_code == Errors.GROUP_ID_NOT_FOUND.code


@pytest.mark.parametrize(("fields", "error"), [
    ({"group": ""}, Errors.INVALID_REQUEST),
    ({"rebalance_timeout_ms": -1}, Errors.INVALID_REQUEST),
    ({"subscribed_topic_names": None}, Errors.INVALID_REQUEST),
    ({"instance_id": " "}, Errors.INVALID_REQUEST),
    ({"epoch": -3}, Errors.INVALID_REQUEST),
    ({"server_assignor": "best"}, Errors.UNSUPPORTED_ASSIGNOR),
])
def test_bad_heartbeats_have_errors(client: Client, fields: dict[str, Any], error: Errors) -> None:
    good: dict[str, Any] = {"group": "bad", "member": "", "epoch": 0, "rebalance_timeout_ms": 1000,
                            "subscribed_topic_names": ["foo"], "topic_partitions": []}
    response = client.heartbeat(**good | fields)
    assert (response.error_code, bool(response.error_message)) == (error.code, True)


def test_a_static_member_keeps_its_partitions_while_it_is_away(client: Client) -> None:
    first = Member(client, "static", instance="one")
    second = Member(client, "static", instance="two")
    assert settle(first, second) == [3, 3]
    other = Member(client, "static", instance="one")
    assert other.beat().error_code == Errors.UNRELEASED_INSTANCE_ID.code
    assert first.leave(-2).error_code == 0
    epoch, owned = second.epoch, second.owned
    again = Member(client, "static", instance="one", member_id="again")
    assert again.beat().error_code == 0
    assert again.owned == first.owned
    assert second.beat().error_code == 0
    assert (second.epoch, second.owned) == (epoch, owned)
    assert first.beat().error_code == Errors.FENCED_INSTANCE_ID.code


def test_a_group_lives_on_after_a_restart() -> None:
    with Broker(properties=PROPERTIES, topics={"foo": 6}) as broker:
        client = Client(broker)
        first, second = Member(client), Member(client)
        assert settle(first, second) == [3, 3]
        assert client.commit("g", first.id, first.epoch) is Errors.NONE
        client.wire.close()
        broker.restart()
        client = first.client = second.client = Client(broker)
        epochs = (first.epoch, second.epoch)
        assert settle(first, second) == [3, 3]
        assert (first.epoch, second.epoch) == epochs
        assert client.committed("g", first.id, first.epoch) == 7
        third = Member(client)
        assert settle(first, second, third) == [2, 2, 2]
        client.wire.close()


def test_new_partitions_and_topics_are_assigned(client: Client) -> None:
    member = Member(client, "later", ("foo", "later"))
    member.beat()
    assert member.count() == 6
    client.broker.create_topic("later", 2)

    def has_both() -> bool:
        assert member.beat().error_code == 0
        return member.count() == 8

    client.broker.wait_for(has_both)


def test_offsets_are_checked_against_members(client: Client) -> None:
    member = Member(client, "offsets")
    member.beat()
    assert client.commit("offsets", member.id, member.epoch + 1) is Errors.STALE_MEMBER_EPOCH
    assert client.commit("offsets", "nobody", member.epoch) is Errors.UNKNOWN_MEMBER_ID
    assert client.commit("offsets", member.id, member.epoch, version=8) is Errors.UNSUPPORTED_VERSION
    assert client.commit("nothing", "nobody", 3) is Errors.GROUP_ID_NOT_FOUND
    assert client.committed("offsets") == -1
    assert client.commit("offsets", member.id, member.epoch) is Errors.NONE
    assert client.committed("offsets", member.id, member.epoch) == client.committed("offsets") == 7
    assert client.committed("offsets", member.id, 99) is Errors.STALE_MEMBER_EPOCH
    assert client.committed("offsets", "nobody", 1) is Errors.UNKNOWN_MEMBER_ID

    data = client.wire.ask(ApiKeys.OFFSET_DELETE, 0, OffsetDeleteRequestData(group_id="offsets", topics=[
        OffsetDeleteRequestData.OffsetDeleteRequestTopic(name="foo", partitions=[
            OffsetDeleteRequestData.OffsetDeleteRequestPartition(partition_index=0)])]))
    assert isinstance(data, OffsetDeleteResponseData)
    assert data.topics[0].partitions[0].error_code == Errors.GROUP_SUBSCRIBED_TO_TOPIC.code

    assert client.delete("offsets") is Errors.NON_EMPTY_GROUP
    member.leave()
    assert client.commit("offsets", "", -1, offset=9) is Errors.NONE
    assert client.committed("offsets") == 9
    assert client.delete("offsets") is Errors.NONE
    assert client.committed("offsets") == -1
    assert client.describe("offsets").error_code == Errors.GROUP_ID_NOT_FOUND.code


def join(client: Client, group: str, member_id: str = "", protocol_type: str = "consumer",
         **fields: Any) -> JoinGroupResponseData:
    data = client.wire.ask(ApiKeys.JOIN_GROUP, 4, JoinGroupRequestData(**{
        "group_id": group, "member_id": member_id, "session_timeout_ms": 10_000,
        "rebalance_timeout_ms": 10_000, "protocol_type": protocol_type,
        "protocols": mk_protocols(mk_subscription_bytes(["foo"])), **fields}))
    assert isinstance(data, JoinGroupResponseData)
    return data


def test_classic_and_consumer_groups_live_side_by_side(client: Client) -> None:
    classic = join(client, "classic")
    classic = join(client, "classic", classic.member_id)
    assert classic.error_code == 0
    member = Member(client, "modern")
    member.beat()
    assert client.listed("consumer")["modern"] == ("consumer", "Stable")
    assert client.listed("classic")["classic"][0] == "classic"
    assert {"modern", "classic"} <= client.listed().keys()
    assert "modern" not in client.listed("classic")

    data = client.wire.ask(ApiKeys.DESCRIBE_GROUPS, 5, DescribeGroupsRequestData(groups=["modern"]))
    assert isinstance(data, DescribeGroupsResponseData)
    assert data.groups[0].group_state == "Dead"
    assert client.describe("classic").error_code == Errors.GROUP_ID_NOT_FOUND.code

    assert join(client, "modern", protocol_type="connect").error_code == (
        Errors.INCONSISTENT_GROUP_PROTOCOL.code)
    assert join(client, "modern", session_timeout_ms=1).error_code == Errors.INVALID_SESSION_TIMEOUT.code
    unreadable = join(client, "modern", "m", protocols=mk_protocols(b"\0\0"))
    assert unreadable.error_code == Errors.UNKNOWN_SERVER_ERROR.code
    assert Member(client, "classic").beat().error_code == Errors.GROUP_ID_NOT_FOUND.code
    member.leave()
    assert client.commit("modern", "", -1) is Errors.NONE
    taken = join(client, "modern")
    assert join(client, "modern", taken.member_id).error_code == 0
    assert client.listed()["modern"][0] == "classic"
    assert client.committed("modern") == 7


def test_a_regular_expression_finds_topics_that_come_later(client: Client) -> None:
    def beat(member: str, epoch: int, **fields: Any) -> ConsumerGroupHeartbeatResponseData:
        data = client.wire.ask(ApiKeys.CONSUMER_GROUP_HEARTBEAT, 1, ConsumerGroupHeartbeatRequestData(
            group_id="regex", member_id=member, member_epoch=epoch, **fields))
        assert isinstance(data, ConsumerGroupHeartbeatResponseData)
        return data

    join: dict[str, Any] = {"rebalance_timeout_ms": 1000, "topic_partitions": []}
    assert beat("m", 0, subscribed_topic_regex="ba(", **join).error_code == 128
    assert beat("", 0, subscribed_topic_regex="ba.", **join).error_code == Errors.INVALID_REQUEST.code
    assert beat("m", 0, **join).error_code == Errors.INVALID_REQUEST.code
    response = beat("m", 0, subscribed_topic_regex="ba.", subscribed_topic_names=["foo"], **join)
    assert (response.member_id, response.member_epoch) == ("m", 1)
    assert response.assignment is not None
    assert sum(len(each.partitions) for each in response.assignment.topic_partitions) == 8
    client.broker.create_topic("baz", 3)
    client.broker.create_topic("bazz", 3)

    def assigned() -> bool:
        nonlocal response
        response = beat("m", response.member_epoch)
        assert response.error_code == 0
        return response.assignment is not None and sum(
            len(each.partitions) for each in response.assignment.topic_partitions) == 11

    client.broker.wait_for(assigned)
    member = client.describe("regex").members[0]
    assert (member.subscribed_topic_names, member.subscribed_topic_regex) == (["foo"], "ba.")


class ClassicMember:
    """A member of the classic protocol that reads foo, one request at a time."""

    def __init__(self, client: Client, group: str = "g") -> None:
        self.client, self.group, self.id, self.generation = client, group, "", -1
        self.owned: Partitions = {}

    def join(self) -> Errors:
        data = join(self.client, self.group, self.id, protocols=mk_protocols(self._subscription()))
        self.id, self.generation = data.member_id, data.generation_id
        self.leads = data.leader == data.member_id
        return Errors.for_code(data.error_code)

    def _subscription(self) -> bytes:
        return MessageUtil.to_version_prefixed_bytes(1, ConsumerProtocolSubscription(
            topics=["foo"], owned_partitions=[
                ConsumerProtocolSubscription.TopicPartition(topic=name, partitions=partitions)
                for name, partitions in self.owned.items()]))

    def sync(self, foo: dict[str, Iterable[int]] | None = None) -> Errors:
        """Ask for the assignment; a leader brings the partitions of foo of all members."""
        data = self.client.wire.ask(ApiKeys.SYNC_GROUP, 3, SyncGroupRequestData(
            group_id=self.group, member_id=self.id, generation_id=self.generation, assignments=[
                SyncGroupRequestData.SyncGroupRequestAssignment(
                    member_id=member_id, assignment=mk_assignment_bytes(foo=partitions))
                for member_id, partitions in (foo or {}).items()]))
        assert isinstance(data, SyncGroupResponseData)
        if data.error_code == 0:
            assignment = ConsumerProtocol.deserialize_assignment(ByteBuffer.wrap(data.assignment))
            self.owned = {each.topic: each.partitions for each in assignment.assigned_partitions}
        return Errors.for_code(data.error_code)

    def heartbeat(self) -> Errors:
        data = self.client.wire.ask(ApiKeys.HEARTBEAT, 3, HeartbeatRequestData(
            group_id=self.group, member_id=self.id, generation_id=self.generation))
        assert isinstance(data, HeartbeatResponseData)
        return Errors.for_code(data.error_code)

    def leave(self) -> Errors:
        data = self.client.wire.ask(ApiKeys.LEAVE_GROUP, 3, LeaveGroupRequestData(
            group_id=self.group, members=[LeaveGroupRequestData.MemberIdentity(member_id=self.id)]))
        assert isinstance(data, LeaveGroupResponseData)
        return Errors.for_code(data.members[0].error_code)

    def begin(self) -> None:
        """Join an empty group, and take all of foo."""
        assert self.join() is Errors.MEMBER_ID_REQUIRED
        assert self.join() is Errors.NONE
        assert self.sync({self.id: range(6)}) is Errors.NONE


def follow(classic: ClassicMember, *others: Member) -> None:
    """Let members of a consumer group do what they are told until each has its part of foo."""
    for _ in range(20):
        for member in others:
            assert member.beat().error_code == 0
        if classic.heartbeat() is Errors.REBALANCE_IN_PROGRESS:
            assert classic.join() is Errors.NONE
            assert classic.sync() is Errors.NONE
        elif len(classic.owned.get("foo", ())) + sum(member.count() for member in others) == 6:
            return
    pytest.fail("the group does not settle")


@pytest.fixture
def migrating() -> Iterator[Client]:
    with Broker(properties={**PROPERTIES, "group.consumer.migration.policy": "bidirectional"},
                topics={"foo": 6}) as broker:
        client = Client(broker)
        yield client
        client.wire.close()


def test_a_classic_member_joins_a_consumer_group(migrating: Client) -> None:
    modern = Member(migrating)
    assert settle(modern) == [6]
    classic = ClassicMember(migrating)
    assert classic.join() is Errors.MEMBER_ID_REQUIRED
    assert classic.join() is Errors.NONE
    assert classic.sync() is Errors.NONE
    follow(classic, modern)
    assert (len(classic.owned["foo"]), modern.count()) == (3, 3)
    assert migrating.commit("g", classic.id, classic.generation, version=8) is Errors.NONE
    assert migrating.commit("g", classic.id, classic.generation + 1, version=8) is Errors.ILLEGAL_GENERATION
    assert classic.leave() is Errors.NONE
    assert settle(modern) == [6]
    assert classic.heartbeat() is Errors.UNKNOWN_MEMBER_ID


def test_a_group_changes_its_protocol_and_back(migrating: Client) -> None:
    classic = ClassicMember(migrating)
    classic.begin()
    assert migrating.commit("g", classic.id, classic.generation, version=8) is Errors.NONE
    assert migrating.listed()["g"] == ("classic", "Stable")

    modern = Member(migrating)
    assert modern.beat().error_code == 0
    assert migrating.listed()["g"][0] == "consumer"
    follow(classic, modern)
    assert (len(classic.owned["foo"]), modern.count()) == (3, 3)
    assert migrating.committed("g", modern.id, modern.epoch) == 7

    # It is a consumer group after a restart, too.
    migrating.wire.close()
    migrating.broker.restart()
    client = modern.client = classic.client = Client(migrating.broker)
    follow(classic, modern)
    assert client.listed()["g"] == ("consumer", "Stable")

    assert modern.leave().error_code == 0
    assert client.listed()["g"] == ("classic", "PreparingRebalance")
    assert classic.heartbeat() is Errors.REBALANCE_IN_PROGRESS
    assert classic.join() is Errors.NONE and classic.leads
    assert classic.sync({classic.id: range(6)}) is Errors.NONE
    assert len(classic.owned["foo"]) == 6
    assert client.listed()["g"] == ("classic", "Stable")
    assert client.committed("g") == 7
    client.wire.close()
    migrating.broker.restart()
    migrating.wire = classic.client.wire = Client(migrating.broker).wire
    assert classic.heartbeat() is Errors.NONE
    assert migrating.listed()["g"] == ("classic", "Stable")


def test_classic_members_that_wait_hear_of_the_change(migrating: Client) -> None:
    leader = ClassicMember(migrating)
    leader.begin()
    other = ClassicMember(Client(migrating.broker))
    assert other.join() is Errors.MEMBER_ID_REQUIRED
    joined = Background(other.join)
    migrating.broker.wait_for(lambda: migrating.listed()["g"][1] == "PreparingRebalance")
    modern = Member(migrating)
    # The member that waits has no assignment, and so the group stays what it is.
    assert modern.beat().error_code == Errors.GROUP_ID_NOT_FOUND.code
    assert leader.join() is Errors.NONE
    assert joined.result() is Errors.NONE
    assert leader.sync({leader.id: [0, 1, 2], other.id: [3, 4, 5]}) is Errors.NONE
    assert other.sync() is Errors.NONE

    joined = Background(other.join)
    migrating.broker.wait_for(lambda: migrating.listed()["g"][1] == "PreparingRebalance")
    assert modern.beat().error_code == 0
    assert joined.result() is Errors.REBALANCE_IN_PROGRESS
    assert migrating.listed()["g"][0] == "consumer"
    other.client.wire.close()


def versions(broker: Broker) -> tuple[int, int]:
    with Wire(broker.host, broker.port) as wire:
        data = wire.ask(ApiKeys.API_VERSIONS, 3, ApiVersionsRequestData(
            client_software_name="test", client_software_version="1"))
        assert isinstance(data, ApiVersionsResponseData)
        return next((api.min_version, api.max_version) for api in data.api_keys
                    if api.api_key == ApiKeys.CONSUMER_GROUP_HEARTBEAT.id)


def test_version_1_is_there_where_the_protocol_is() -> None:
    with Broker() as broker:
        assert versions(broker) == (0, 1)
    with Broker(properties={"group.coordinator.rebalance.protocols": "classic"}) as broker:
        assert versions(broker) == (0, 0)


def test_without_the_protocol_a_client_is_told_so_once(caplog: pytest.LogCaptureFixture) -> None:
    with Broker(topics=["foo"], properties={"group.coordinator.rebalance.protocols": "classic"}) as broker, \
            Wire(broker.host, broker.port) as wire:
        for _ in range(2):
            data = wire.ask(
                ApiKeys.CONSUMER_GROUP_HEARTBEAT, 0, ConsumerGroupHeartbeatRequestData(group_id="g"))
            assert isinstance(data, ConsumerGroupHeartbeatResponseData)
            assert data.error_code == Errors.UNSUPPORTED_VERSION.code
    told = [record.getMessage() for record in caplog.records if "KIP-848" in record.getMessage()]
    assert len(told) == 1 and "client wire asks" in told[0]


def test_an_operation_of_a_timer_is_repeated_until_the_log_takes_its_records(
        tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    answers = [Errors.NOT_ENOUGH_REPLICAS, Errors.KAFKA_STORAGE_ERROR, Errors.NONE]
    due: list[_Task] = []

    def append(partition: TopicPartition, lock: object, records: object,
               callback: Callable[[Errors], None]) -> None:
        assert partition == TopicPartition("__consumer_offsets", 3)
        callback(answers.pop(0))

    classic = Mock()
    classic.heartbeat_purgatory.add_to_timer = due.append
    classic.group_manager.append_consumer_group_records = append
    with Metrics() as metrics:
        shard = _Shard(ConsumerGroupCoordinator(
            classic, MockTime(), broker_config(tmp_path), MetadataImage,
            lambda context, names: set(names), metrics), 3)
        appended: list[str] = []
        shard.schedule("key", 100, lambda: OperationResult(
            [CoordinatorRecordHelpers.new_group_epoch_record("g", 10)], None,
            lambda: appended.append("key")))
        for index, (delay_ms, text) in enumerate([
                (100, Errors.COORDINATOR_NOT_AVAILABLE.message()), (500, Errors.NOT_COORDINATOR.message()),
                (500, None)]):
            assert [task._delay_ms for task in due] == [delay_ms]
            assert not appended and not shard.manager.group_ids()
            due.pop().run()
            assert [record.getMessage().partition("] ")[2] for record in caplog.records[index:]] == [
                f"key of __consumer_offsets-3 failed, next attempt in 500 ms: {text}"] * (text is not None)
        assert appended == ["key"] and not due and not answers
        assert shard.manager.consumer_group("g").group_epoch() == 10

        def fail() -> OperationResult[None]:
            raise ZeroDivisionError

        shard.schedule("fails", 100, fail)
        due.pop().run()
        assert not due and "fails of __consumer_offsets-3 failed" in caplog.text
