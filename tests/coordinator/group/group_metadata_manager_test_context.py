# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.GroupMetadataManagerTestContext and its neighbours of
# Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A manager of consumer groups whose records are replayed at once, with a timer that the test moves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from kreactor.common.message.consumer_group_heartbeat_request_data import ConsumerGroupHeartbeatRequestData
from kreactor.common.message.consumer_group_heartbeat_response_data import ConsumerGroupHeartbeatResponseData
from kreactor.common.message.consumer_protocol_assignment import ConsumerProtocolAssignment
from kreactor.common.message.consumer_protocol_subscription import ConsumerProtocolSubscription
from kreactor.common.message.heartbeat_request_data import HeartbeatRequestData
from kreactor.common.message.join_group_request_data import JoinGroupRequestData
from kreactor.common.message.join_group_response_data import JoinGroupResponseData
from kreactor.common.message.leave_group_request_data import LeaveGroupRequestData
from kreactor.common.message.leave_group_response_data import LeaveGroupResponseData
from kreactor.common.message.sync_group_request_data import SyncGroupRequestData
from kreactor.common.message.sync_group_response_data import SyncGroupResponseData
from kreactor.common.network.client_information import ClientInformation
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.api.assignor.group_spec import GroupAssignment, Partitions
from kreactor.coordinator.group.api.assignor.partition_assignor import ConsumerGroupPartitionAssignor
from kreactor.coordinator.group.classic_group import ClassicGroup, ClassicMember
from kreactor.coordinator.group.consumer.consumer_group import ConsumerGroup
from kreactor.coordinator.group.consumer.consumer_group_member import ConsumerGroupMember
from kreactor.coordinator.group.consumer.member_assignment_impl import MemberAssignmentImpl
from kreactor.coordinator.group.consumer.member_state import MemberState
from kreactor.coordinator.group.consumer.topic_metadata import TopicMetadata
from kreactor.coordinator.group.coordinator_record import CoordinatorRecord
from kreactor.coordinator.group.coordinator_record_helpers import CoordinatorRecordHelpers
from kreactor.coordinator.group.generated.group_metadata_key import GroupMetadataKey
from kreactor.coordinator.group.group_metadata_manager import GroupMetadataManager, OperationResult
from kreactor.coordinator.group.metadata_image import MetadataImage, TopicsImage
from kreactor.core.coordinator.group.group_conversion import classic_group_record, classic_members
from kreactor.jdk.net import InetAddress
from kreactor.server.common.api_message_and_version import ApiMessageAndVersion
from kreactor.testing.mock_time import MockTime
from tests.coordinator.group.assignment_test_util import (
    TOPIC1, TOPIC2, TOPIC3, MetadataImageBuilder, MockPartitionAssignor, mk_assignment,
    mk_map_of_partition_racks, mk_member)

T = TypeVar("T")
GROUP = "fooup"
# The topics that the groups of the tests read.
FOO, BAR, ZAR = TOPIC1, TOPIC2, TOPIC3
TOPIC_IDS = {"foo": FOO, "bar": BAR, "zar": ZAR}
HEARTBEAT_MS, SESSION_MS = 5000, 45000
CLIENT_HOST = str(InetAddress.get_by_name("127.0.0.1"))
Operation = Callable[[], OperationResult[None]]


def mk_image(**partitions: int) -> MetadataImage:
    """Return an image of topics with that many partitions each, and with racks."""
    builder = MetadataImageBuilder()
    for name, number in partitions.items():
        builder.add_topic(TOPIC_IDS[name], name, number)
    return builder.add_racks().build()


def mk_metadata(**partitions: int) -> dict[str, TopicMetadata]:
    """Return what a group keeps of topics with that many partitions each."""
    return {name: TopicMetadata(TOPIC_IDS[name], name, number, mk_map_of_partition_racks(number))
            for name, number in partitions.items()}


def of(foo: Iterable[int] = (), bar: Iterable[int] = ()) -> Partitions:
    """Return partitions of foo and of bar."""
    return {topic_id: frozenset(partitions)
            for topic_id, partitions in ((FOO, foo), (BAR, bar)) if partitions}


def mk_group_member(member_id: str, epoch: int = 10, assigned: Partitions = mk_assignment(), /,
                    **fields: Any) -> ConsumerGroupMember:
    """Return a member in a stable state that reads foo and bar, and came from the epoch before."""
    return mk_member(member_id, **{
        "state": MemberState.STABLE, "member_epoch": epoch, "previous_member_epoch": epoch - 1,
        "client_id": "client", "client_host": CLIENT_HOST, "rebalance_timeout_ms": 5000,
        "subscribed_topic_names": ["foo", "bar"], "server_assignor_name": "range",
        "assigned_partitions": assigned, **fields})


def mk_subscription_bytes(
    topics: Iterable[str], owned: Partitions = mk_assignment(),
    version: int = ConsumerProtocolSubscription.HIGHEST_SUPPORTED_VERSION,
) -> bytes:
    """Return a subscription of the classic protocol."""
    names = {topic_id: name for name, topic_id in TOPIC_IDS.items()}
    return MessageUtil.to_version_prefixed_bytes(version, ConsumerProtocolSubscription(
        topics=list(topics), owned_partitions=[
            ConsumerProtocolSubscription.TopicPartition(topic=names[topic_id], partitions=sorted(partitions))
            for topic_id, partitions in owned.items()]))


def mk_assignment_bytes(**partitions: Iterable[int]) -> bytes:
    """Return an assignment of the classic protocol, by the names of the topics."""
    return MessageUtil.to_version_prefixed_bytes(
        ConsumerProtocolAssignment.HIGHEST_SUPPORTED_VERSION, ConsumerProtocolAssignment(
            user_data=None, assigned_partitions=[
                ConsumerProtocolAssignment.TopicPartition(topic=name, partitions=list(each))
                for name, each in partitions.items()]))


def mk_protocols(metadata: bytes,
                 *names: str) -> list[JoinGroupRequestData.JoinGroupRequestProtocol]:
    """Return protocols that share their metadata: range, or others."""
    return [JoinGroupRequestData.JoinGroupRequestProtocol(name=name, metadata=metadata)
            for name in names or ("range",)]


@dataclass
class ConsumerGroupBuilder:
    """A group; its target assignment is that of its members unless told otherwise."""

    group_id: str
    group_epoch: int
    members: Sequence[ConsumerGroupMember] = ()
    assignment_epoch: int = 0
    assignments: Mapping[str, Partitions] | None = None
    # None: the partitions of the image's topics, without racks.
    subscription_metadata: Mapping[str, TopicMetadata] | None = None

    def build(self, image: MetadataImage) -> list[CoordinatorRecord]:
        records = [
            CoordinatorRecordHelpers.new_member_subscription_record(self.group_id, member)
            for member in self.members]
        metadata = self.subscription_metadata
        if metadata is None:
            topics = {
                name: image.topics.get_topic(name)
                for member in self.members for name in member.subscribed_topic_names()}
            metadata = {
                name: TopicMetadata(topic.id, name, len(topic.partitions), {})
                for name, topic in topics.items() if topic is not None}
        if metadata:
            records.append(CoordinatorRecordHelpers.new_group_subscription_metadata_record(
                self.group_id, metadata))
        records.append(CoordinatorRecordHelpers.new_group_epoch_record(self.group_id, self.group_epoch))
        assignments = self.assignments
        if assignments is None:
            assignments = {member.member_id(): member.assigned_partitions() for member in self.members}
        records += [
            CoordinatorRecordHelpers.new_target_assignment_record(self.group_id, member_id, partitions)
            for member_id, partitions in assignments.items()]
        records.append(CoordinatorRecordHelpers.new_target_assignment_epoch_record(
            self.group_id, self.assignment_epoch))
        records += [
            CoordinatorRecordHelpers.new_current_assignment_record(self.group_id, member)
            for member in self.members]
        return records


@dataclass
class MockTimer:
    """Keeps operations until the test's clock has come to their time."""

    time: MockTime
    timeouts: dict[str, tuple[int, Operation]] = field(default_factory=dict)

    def schedule(self, key: str, delay_ms: int, operation: Operation) -> None:
        self.timeouts[key] = (self.time.milliseconds() + delay_ms, operation)

    def schedule_if_absent(self, key: str, delay_ms: int, operation: Operation) -> None:
        if key not in self.timeouts:
            self.schedule(key, delay_ms, operation)

    def cancel(self, key: str) -> None:
        self.timeouts.pop(key, None)

    def poll(self) -> dict[str, OperationResult[None]]:
        """Return the results of the operations whose time is up, by their keys."""
        due = [key for key, (at_ms, _) in self.timeouts.items() if at_ms <= self.time.milliseconds()]
        return {key: self.timeouts.pop(key)[1]() for key in due}


@dataclass
class MockClassicGroups:
    """Groups of the classic protocol. It notes which have become consumer groups, and the other way round."""

    time: MockTime
    groups: dict[str, ClassicGroup] = field(default_factory=dict)
    upgraded: list[str] = field(default_factory=list)
    downgraded: list[str] = field(default_factory=list)

    def add(self, *members: ClassicMember, protocol_name: str | None = "range") -> None:
        self.groups[GROUP] = ClassicGroup(GROUP, 0, "consumer", protocol_name, members)

    def is_empty(self, group_id: str) -> bool | None:
        group = self.groups.get(group_id)
        return None if group is None else not group.members

    def tombstones(self, group_id: str) -> list[CoordinatorRecord]:
        assert not self.groups.pop(group_id).members
        return [classic_tombstone(group_id)]

    def group(self, group_id: str) -> ClassicGroup:
        return self.groups[group_id]

    def on_upgraded(self, group_id: str) -> None:
        del self.groups[group_id]
        self.upgraded.append(group_id)

    def downgrade(
        self, group: ConsumerGroup, leaving_member_id: str, topics: TopicsImage,
    ) -> tuple[CoordinatorRecord, Callable[[], None]]:
        record = classic_group_record(group, classic_members(group, leaving_member_id), topics, self.time)
        return record, lambda: self.downgraded.append(group.group_id())


def classic_tombstone(group_id: str) -> CoordinatorRecord:
    return CoordinatorRecord(ApiMessageAndVersion(GroupMetadataKey(group=group_id), 2), None)


class GroupMetadataManagerTestContext:
    """A manager with its timer, clock, assignor and classic groups."""

    def __init__(self, *groups: ConsumerGroupBuilder, image: MetadataImage | None = None,
                 assignor: ConsumerGroupPartitionAssignor | None = None, **settings: Any) -> None:
        self.time = MockTime()
        self.timer = MockTimer(self.time)
        self.assignor = MockPartitionAssignor("range")
        self.classic_groups = MockClassicGroups(self.time)
        self.manager = GroupMetadataManager(
            time=self.time, timer=self.timer, classic_groups=self.classic_groups,
            consumer_group_assignors=[assignor or self.assignor], metadata_image=image,
            consumer_group_session_timeout_ms=SESSION_MS,
            consumer_group_heartbeat_interval_ms=HEARTBEAT_MS, **settings)
        self.replay(*(record for group in groups for record in group.build(self.manager.image())))

    def replay(self, *records: CoordinatorRecord) -> None:
        for record in records:
            self.manager.replay(record)

    def prepare(self, assignment: Mapping[str, Partitions]) -> None:
        """Have the assignor return an assignment the next time."""
        self.assignor.prepare_group_assignment(GroupAssignment({
            member_id: MemberAssignmentImpl(partitions) for member_id, partitions in assignment.items()}))

    def heartbeat(
        self, member_id: str, member_epoch: int, owned: Partitions | None = None, *, group_id: str = GROUP,
        **fields: Any,
    ) -> OperationResult[ConsumerGroupHeartbeatResponseData]:
        if owned is not None:
            fields["topic_partitions"] = [
                ConsumerGroupHeartbeatRequestData.TopicPartitions(
                    topic_id=topic_id, partitions=sorted(partitions))
                for topic_id, partitions in owned.items()]
        result = self.manager.consumer_group_heartbeat(
            request_context(ApiKeys.CONSUMER_GROUP_HEARTBEAT, 0),
            ConsumerGroupHeartbeatRequestData(
                group_id=group_id, member_id=member_id, member_epoch=member_epoch, **fields))
        return self.write(result)

    def write(self, result: OperationResult[T]) -> OperationResult[T]:
        """Replay the records of a result, as if they were in the log."""
        self.replay(*result.records)
        if result.on_appended is not None:
            result.on_appended()
        return result

    def join_classic(
        self, member_id: str, protocols: Sequence[JoinGroupRequestData.JoinGroupRequestProtocol],
        api_version: int = 3, *, written: bool = True, **fields: Any,
    ) -> OperationResult[JoinGroupResponseData]:
        """Send the JoinGroup of a member. A dynamic one needs a member id from version 4 on."""
        result = self.manager.classic_group_join_to_consumer_group(
            self.manager.consumer_group(GROUP), request_context(ApiKeys.JOIN_GROUP, api_version),
            JoinGroupRequestData(**{
                "group_id": GROUP, "member_id": member_id, "protocol_type": "consumer",
                "protocols": protocols, "session_timeout_ms": 500, "rebalance_timeout_ms": 500, **fields}))
        return self.write(result) if written else result

    def sync_classic(self, member_id: str, generation_id: int, protocol_name: str | None = "range",
                     protocol_type: str | None = "consumer", **fields: Any) -> SyncGroupResponseData:
        result = self.write(self.manager.classic_group_sync_to_consumer_group(
            self.manager.consumer_group(GROUP), SyncGroupRequestData(
                group_id=GROUP, member_id=member_id, generation_id=generation_id,
                protocol_name=protocol_name, protocol_type=protocol_type, **fields)))
        assert not result.records
        return result.response

    def heartbeat_classic(self, member_id: str, generation_id: int, instance_id: str | None = None) -> Errors:
        result = self.write(self.manager.classic_group_heartbeat_to_consumer_group(
            self.manager.consumer_group(GROUP), HeartbeatRequestData(
                group_id=GROUP, member_id=member_id, generation_id=generation_id,
                group_instance_id=instance_id)))
        assert not result.records
        return Errors.for_code(result.response.error_code)

    def leave_classic(self, *members: tuple[str, str | None]) -> OperationResult[LeaveGroupResponseData]:
        """Remove members, by their ids and instance ids."""
        return self.write(self.manager.classic_group_leave_to_consumer_group(
            self.manager.consumer_group(GROUP), LeaveGroupRequestData(group_id=GROUP, members=[
                LeaveGroupRequestData.MemberIdentity(member_id=member_id, group_instance_id=instance_id)
                for member_id, instance_id in members])))

    def join(self, member_id: str, **fields: Any) -> OperationResult[ConsumerGroupHeartbeatResponseData]:
        """Send the first heartbeat of a member that reads foo and bar."""
        return self.heartbeat(member_id, 0, {}, **{
            "rebalance_timeout_ms": 5000, "server_assignor": "range",
            "subscribed_topic_names": ["foo", "bar"], **fields})

    def sleep(self, ms: int) -> dict[str, list[CoordinatorRecord]]:
        """Move the clock; replay and return the records of what was due."""
        self.time.sleep(ms)
        return {key: self.write(result).records for key, result in self.timer.poll().items()}

    def state(self, group_id: str = GROUP) -> ConsumerGroup.ConsumerGroupState:
        return self.manager.consumer_group(group_id).state()

    def member_state(self, member_id: str, group_id: str = GROUP) -> MemberState:
        return self.manager.consumer_group(group_id).get_or_maybe_create_member(member_id, False).state()

    def timeout_ms(self, key: str) -> int | None:
        """Return in how many milliseconds an operation is due; None where none is."""
        timeout = self.timer.timeouts.get(key)
        return None if timeout is None else timeout[0] - self.time.milliseconds()

    def session_timeout_ms(self, member_id: str, group_id: str = GROUP) -> int | None:
        return self.timeout_ms(self.manager.consumer_group_session_timeout_key(group_id, member_id))

    def rebalance_timeout_ms(self, member_id: str, group_id: str = GROUP) -> int | None:
        return self.timeout_ms(self.manager.consumer_group_rebalance_timeout_key(group_id, member_id))

    def classic_timeouts_ms(self, member_id: str) -> tuple[int | None, int | None]:
        """Return in how many milliseconds a member has to join again, and to ask for its assignment."""
        return (self.timeout_ms(self.manager.consumer_group_join_key(GROUP, member_id)),
                self.timeout_ms(self.manager.consumer_group_sync_key(GROUP, member_id)))

    def assert_no_timeouts(self, member_id: str, group_id: str = GROUP) -> None:
        assert self.session_timeout_ms(member_id, group_id) is None
        assert self.rebalance_timeout_ms(member_id, group_id) is None
        assert self.classic_timeouts_ms(member_id) == (None, None)


def request_context(api_key: ApiKeys, version: int) -> RequestContext:
    return RequestContext(
        RequestHeader.of(api_key, version, "client", 0), "1", InetAddress.get_by_name("127.0.0.1"),
        KafkaPrincipal.ANONYMOUS, ListenerName.for_security_protocol(SecurityProtocol.PLAINTEXT),
        SecurityProtocol.PLAINTEXT, ClientInformation.EMPTY, False)


def assert_response(result: OperationResult[ConsumerGroupHeartbeatResponseData], member_id: str,
                    member_epoch: int, assigned: Partitions | None = None,
                    heartbeat_interval_ms: int = HEARTBEAT_MS) -> None:
    """A response without an error has these fields; topics and partitions are in any order."""
    response = result.response
    got: dict[Uuid, frozenset[int]] | None = None
    if response.assignment is not None:
        got = {each.topic_id: frozenset(each.partitions) for each in response.assignment.topic_partitions}
    assert (response.error_code, response.error_message) == (0, None)
    assert (response.member_id, response.member_epoch, response.heartbeat_interval_ms, got) == (
        member_id, member_epoch, heartbeat_interval_ms, assigned)


def assert_records(actual: Sequence[CoordinatorRecord],
                   *expected: CoordinatorRecord | Sequence[CoordinatorRecord]) -> None:
    """Records are equal, topics in any order within one. Those in a sequence come in any order, too."""
    at = 0
    for each in expected:
        some = [each] if isinstance(each, CoordinatorRecord) else each
        assert sorted(map(_comparable, actual[at:at + len(some)])) == sorted(map(_comparable, some))
        at += len(some)
    assert at == len(actual)


def _comparable(record: CoordinatorRecord) -> str:
    value = record.value()
    message: Any = None if value is None else value.message().duplicate()
    for name in ("assigned_partitions", "partitions_pending_revocation", "topic_partitions", "topics"):
        topics = getattr(message, name, None)
        if topics is not None:
            topics.sort(key=lambda topic: str(getattr(topic, "topic_id", topic)))
    return repr((record.key(), value and value.version(), message))
