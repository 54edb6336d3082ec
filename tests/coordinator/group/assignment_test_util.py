# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.AssignmentTestUtil and its neighbours of Apache Kafka
# 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Assignments, images of metadata and assignors for the tests of consumer groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from types import MappingProxyType

from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.api.assignor.group_spec import (
    GroupAssignment, GroupSpec, MemberAssignment, Partitions, SubscribedTopicDescriber)
from kreactor.coordinator.group.api.assignor.partition_assignor import ConsumerGroupPartitionAssignor
from kreactor.coordinator.group.consumer.member_subscription_and_assignment_impl import (
    MemberSubscriptionAndAssignmentImpl)
from kreactor.coordinator.group.generated.consumer_group_partition_metadata_value import (
    ConsumerGroupPartitionMetadataValue)
from kreactor.coordinator.group.metadata_image import MetadataImage, TopicImage, TopicsImage


def mk_set(*topic_ids: Uuid) -> AbstractSet[Uuid]:
    """Return a set with the order that Java's HashSet has for the ids of the tests: the last comes first."""
    return dict.fromkeys(reversed(topic_ids)).keys()


def mk_topic_assignment(topic_id: Uuid, *partitions: int) -> tuple[Uuid, frozenset[int]]:
    return topic_id, frozenset(partitions)


mk_ordered_topic_assignment = mk_topic_assignment


def mk_assignment(*entries: tuple[Uuid, frozenset[int]]) -> Partitions:
    return MappingProxyType(dict(entries))


mk_ordered_assignment = mk_assignment


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
