# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.AssignmentTestUtil and its neighbours of Apache Kafka
# 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Assignments, images of metadata and assignors for the tests of consumer groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.api.assignor.group_spec import (
    GroupAssignment, GroupSpec, MemberAssignment, Partitions, SubscribedTopicDescriber, SubscriptionType)
from kreactor.coordinator.group.api.assignor.partition_assignor import ConsumerGroupPartitionAssignor
from kreactor.coordinator.group.consumer.assignment import Assignment
from kreactor.coordinator.group.consumer.consumer_group_member import ConsumerGroupMember
from kreactor.coordinator.group.consumer.group_spec_impl import GroupSpecImpl
from kreactor.coordinator.group.consumer.member_subscription_and_assignment_impl import (
    MemberSubscriptionAndAssignmentImpl)
from kreactor.coordinator.group.consumer.subscribed_topic_describer_impl import SubscribedTopicDescriberImpl
from kreactor.coordinator.group.consumer.topic_metadata import TopicMetadata
from kreactor.coordinator.group.generated.consumer_group_member_metadata_value import (
    ConsumerGroupMemberMetadataValue)
from kreactor.coordinator.group.generated.consumer_group_partition_metadata_value import (
    ConsumerGroupPartitionMetadataValue)
from kreactor.coordinator.group.metadata_image import MetadataImage, TopicImage, TopicsImage

TOPIC1, TOPIC2, TOPIC3, TOPIC4 = map(Uuid.from_string, (
    "T1-A4s3VTwiI5CTbEp6POw", "T2-B4s3VTwiI5YHbPp6YUe", "T3-CU8fVTLCz5YMkLoDQsa", "T4-Tw9fVTLCz5HbPp6YQsa"))


def mk_set(*topic_ids: Uuid) -> AbstractSet[Uuid]:
    """Return a set with the order that Java's HashSet has for the ids of the tests: the last comes first."""
    return dict.fromkeys(reversed(topic_ids)).keys()


def mk_assignment(*entries: tuple[Uuid, *tuple[int, ...]]) -> Partitions:
    """Return the partitions of some topics. An entry is a topic's id, and its partitions behind that."""
    return MappingProxyType({topic_id: frozenset(partitions) for topic_id, *partitions in entries})


def mk_subscription(topic_ids: Sequence[Uuid],
                    *assigned: tuple[Uuid, *tuple[int, ...]]) -> MemberSubscriptionAndAssignmentImpl:
    """Return a member without a rack, and the partitions that are assigned to it."""
    return MemberSubscriptionAndAssignmentImpl(
        None, mk_set(*topic_ids), Assignment(mk_assignment(*assigned)))


def mk_member(member: str | ConsumerGroupMember, **fields: Any) -> ConsumerGroupMember:
    """Return a new member, or a changed one. A field has the name of the builder's setter behind ``set_``."""
    builder = ConsumerGroupMember.Builder(member)
    for name, value in fields.items():
        getattr(builder, f"set_{name}")(value)
    return builder.build()


def mk_classic_member(member: str | ConsumerGroupMember, *protocols: str, metadata: bytes = b"",
                      session_timeout_ms: int = 0, **fields: Any) -> ConsumerGroupMember:
    """Return a member of the classic protocol, with the names of its protocols."""
    return mk_member(member, **fields, classic_member_metadata=(
        ConsumerGroupMemberMetadataValue.ClassicMemberMetadata(
            session_timeout_ms=session_timeout_ms, supported_protocols=[
                ConsumerGroupMemberMetadataValue.ClassicProtocol(name=name, metadata=metadata)
                for name in protocols])))


def assert_assignment(expected_assignment: Mapping[str, Partitions],
                      computed_group_assignment: GroupAssignment) -> None:
    assert {member_id: dict(assignment.partitions())
            for member_id, assignment in computed_group_assignment.members().items()} == {
                member_id: dict(partitions) for member_id, partitions in expected_assignment.items()}


def inverted_target_assignment(
        members: Mapping[str, MemberSubscriptionAndAssignmentImpl]) -> dict[Uuid, dict[int, str]]:
    inverted: dict[Uuid, dict[int, str]] = {}
    for member_id, member in members.items():
        for topic_id, partitions in member.partitions().items():
            for partition in partitions:
                inverted.setdefault(topic_id, {})[partition] = member_id
    return inverted


@dataclass(frozen=True)
class AssignorCheck:
    """An assignor that is asked for assignments, of members with topics by id and number of partitions."""

    assignor: ConsumerGroupPartitionAssignor
    # None: homogeneous where all members subscribe to the same topics.
    subscription_type: SubscriptionType | None = None

    def assign(self, topics: Mapping[Uuid, int],
               members: Mapping[str, MemberSubscriptionAndAssignmentImpl]) -> GroupAssignment:
        kind = self.subscription_type
        if kind is None:
            subscriptions = {frozenset(member.subscribed_topic_ids()) for member in members.values()}
            kind = SubscriptionType.HOMOGENEOUS if len(subscriptions) == 1 else SubscriptionType.HETEROGENEOUS
        return self.assignor.assign(
            GroupSpecImpl(members, kind, inverted_target_assignment(members)),
            SubscribedTopicDescriberImpl({
                topic_id: TopicMetadata(topic_id, str(topic_id), number, mk_map_of_partition_racks(number))
                for topic_id, number in topics.items()}))

    def check(self, topics: Mapping[Uuid, int], members: Mapping[str, MemberSubscriptionAndAssignmentImpl],
              expected: Mapping[str, Partitions]) -> GroupAssignment:
        computed = self.assign(topics, members)
        assert_assignment(expected, computed)
        return computed


def assert_unordered_list_equals(expected: Iterable[object], actual: Iterable[object]) -> None:
    assert sorted(map(repr, actual)) == sorted(map(repr, expected))


class MetadataImageBuilder:
    """Each partition has two replicas, of four brokers."""

    def __init__(self) -> None:
        self._topics: list[TopicImage] = []
        self._racks: dict[int, str] = {}

    def add_topic(self, topic_id: Uuid, topic_name: str, num_partitions: int) -> MetadataImageBuilder:
        self._topics.append(TopicImage(
            topic_name, topic_id, {i: (i % 4, (i + 1) % 4) for i in range(num_partitions)}))
        return self

    def add_racks(self) -> MetadataImageBuilder:
        self._racks = {i: f"rack{i}" for i in range(4)}
        return self

    def build(self) -> MetadataImage:
        return MetadataImage(TopicsImage(self._topics), self._racks)


class MockPartitionAssignor(ConsumerGroupPartitionAssignor):
    """Assigns what the test says."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._prepared = GroupAssignment({})

    def prepare_group_assignment(self, prepared: GroupAssignment) -> None:
        self._prepared = prepared

    def name(self) -> str:
        return self._name

    def assign(self, group_spec: GroupSpec,
               subscribed_topic_describer: SubscribedTopicDescriber) -> GroupAssignment:
        self.last_spec = group_spec
        self.last_describer = subscribed_topic_describer
        return self._prepared

    def target_partitions(self, member_id: str) -> Partitions:
        return self._prepared.members()[member_id].partitions()


class NoOpPartitionAssignor(ConsumerGroupPartitionAssignor):
    """Leaves each member what it has."""

    def name(self) -> str:
        return "no-op"

    def assign(self, group_spec: GroupSpec,
               subscribed_topic_describer: SubscribedTopicDescriber) -> GroupAssignment:
        members: dict[str, MemberAssignment] = {
            member_id: group_spec.member_assignment(member_id) for member_id in group_spec.member_ids()}
        return GroupAssignment(members)


def mk_map_of_partition_racks(num_partitions: int) -> dict[int, frozenset[str]]:
    return {i: frozenset({f"rack{i % 4}", f"rack{(i + 1) % 4}"}) for i in range(num_partitions)}


def mk_list_of_partition_racks(num_partitions: int) -> list[
        ConsumerGroupPartitionMetadataValue.PartitionMetadata]:
    return [ConsumerGroupPartitionMetadataValue.PartitionMetadata(partition=partition, racks=sorted(racks))
            for partition, racks in mk_map_of_partition_racks(num_partitions).items()]
