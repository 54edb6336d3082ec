# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.consumer.TargetAssignmentBuilderTest of Apache Kafka
# 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Target assignments of changed groups, and their records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pytest

from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.api.assignor.group_spec import (
    GroupAssignment, MemberAssignment, Partitions, SubscriptionType)
from kreactor.coordinator.group.consumer.assignment import Assignment
from kreactor.coordinator.group.consumer.consumer_group_member import ConsumerGroupMember
from kreactor.coordinator.group.consumer.group_spec_impl import GroupSpecImpl
from kreactor.coordinator.group.consumer.member_assignment_impl import MemberAssignmentImpl
from kreactor.coordinator.group.consumer.member_subscription_and_assignment_impl import (
    MemberSubscriptionAndAssignmentImpl)
from kreactor.coordinator.group.consumer.subscribed_topic_describer_impl import SubscribedTopicDescriberImpl
from kreactor.coordinator.group.consumer.target_assignment_builder import TargetAssignmentBuilder
from kreactor.coordinator.group.consumer.topic_ids import TopicIds
from kreactor.coordinator.group.consumer.topic_metadata import TopicMetadata
from kreactor.coordinator.group.coordinator_record_helpers import CoordinatorRecordHelpers
from tests.coordinator.group.assignment_test_util import (
    MetadataImageBuilder, MockPartitionAssignor, assert_unordered_list_equals, inverted_target_assignment,
    mk_assignment, mk_map_of_partition_racks, mk_member)

new_target_assignment_record = CoordinatorRecordHelpers.new_target_assignment_record
new_target_assignment_epoch_record = CoordinatorRecordHelpers.new_target_assignment_epoch_record
SUBSCRIPTIONS = ("foo", "bar", "zar")


class TargetAssignmentBuilderTestContext:
    """A group, what changes in it, and what the assignor returns."""

    def __init__(self, group_id: str, group_epoch: int) -> None:
        self._group_id = group_id
        self._group_epoch = group_epoch
        self._assignor = MockPartitionAssignor("mock")
        self._members: dict[str, ConsumerGroupMember] = {}
        self._subscription_metadata: dict[str, TopicMetadata] = {}
        self._updated_members: dict[str, ConsumerGroupMember | None] = {}
        self._target_assignment: dict[str, Assignment] = {}
        self._member_assignments: dict[str, MemberAssignment] = {}
        self._static_members: dict[str, str] = {}
        self._topics_image_builder = MetadataImageBuilder()

    def add_group_member(
        self, member_id: str, target_partitions: Partitions, subscriptions: Sequence[str] = SUBSCRIPTIONS,
        instance_id: str | None = None,
    ) -> None:
        if instance_id is not None:
            self._static_members[instance_id] = member_id
        self._members[member_id] = mk_member(
            member_id, subscribed_topic_names=subscriptions, instance_id=instance_id)
        self._target_assignment[member_id] = Assignment(target_partitions)

    def add_topic_metadata(
        self, topic_name: str, num_partitions: int, partition_racks: Mapping[int, frozenset[str]]
    ) -> Uuid:
        topic_id = Uuid.random_uuid()
        self._subscription_metadata[topic_name] = TopicMetadata(
            topic_id, topic_name, num_partitions, partition_racks)
        self._topics_image_builder.add_topic(topic_id, topic_name, num_partitions)
        return topic_id

    def update_member_subscription(
        self, member_id: str, instance_id: str | None = None, rack_id: str | None = None,
    ) -> None:
        builder = ConsumerGroupMember.Builder(self._members.get(member_id, member_id))
        self._updated_members[member_id] = (
            builder.set_subscribed_topic_names(SUBSCRIPTIONS).maybe_update_instance_id(instance_id)
            .maybe_update_rack_id(rack_id).build())

    def remove_member_subscription(self, member_id: str) -> None:
        self._updated_members[member_id] = None

    def prepare_member_assignment(self, member_id: str, assignment: Partitions) -> None:
        self._member_assignments[member_id] = MemberAssignmentImpl(assignment)

    def build(self) -> TargetAssignmentBuilder.TargetAssignmentResult:
        topics_image = self._topics_image_builder.build().topics
        specs = {}
        for member_id, member in {**self._members, **self._updated_members}.items():
            if member is not None:
                previous_member_id = self._static_members.get(member.instance_id() or "", member_id)
                specs[member_id] = TargetAssignmentBuilder._create_member_subscription_and_assignment(
                    member, self._target_assignment.get(previous_member_id, Assignment.EMPTY), topics_image)
        inverted = inverted_target_assignment(specs)
        self._assignor.prepare_group_assignment(GroupAssignment(self._member_assignments))

        builder = (
            TargetAssignmentBuilder(self._group_id, self._group_epoch, self._assignor)
            .with_members(self._members).with_static_members(self._static_members)
            .with_subscription_metadata(self._subscription_metadata)
            .with_subscription_type(SubscriptionType.HOMOGENEOUS)
            .with_target_assignment(self._target_assignment).with_inverted_target_assignment(inverted)
            .with_topics_image(topics_image))
        for member_id, updated_member in self._updated_members.items():
            if updated_member is not None:
                builder.add_or_update_member(member_id, updated_member)
            else:
                builder.remove_member(member_id)
        result = builder.build()

        assert self._assignor.last_spec == GroupSpecImpl(specs, SubscriptionType.HOMOGENEOUS, inverted)
        assert self._assignor.last_describer == SubscribedTopicDescriberImpl(
            {topic.id(): topic for topic in self._subscription_metadata.values()})
        return result


class FooAndBar(TargetAssignmentBuilderTestContext):
    """A group that reads two topics of six partitions each."""

    def __init__(self, partition_racks: Mapping[int, frozenset[str]] | None = None) -> None:
        super().__init__("my-group", 20)
        self._topic_ids = [
            self.add_topic_metadata(name, 6, partition_racks or {}) for name in ("foo", "bar")]

    def of(self, *partitions: int, bar: Iterable[int] | None = None) -> Partitions:
        """Return partitions of foo, and the same ones of bar unless it has others."""
        foo_topic_id, bar_topic_id = self._topic_ids
        return mk_assignment(
            (foo_topic_id, *partitions), (bar_topic_id, *(partitions if bar is None else bar)))

    def only_bar(self, *partitions: int) -> Partitions:
        return mk_assignment((self._topic_ids[1], *partitions))

    def check(self, assignment: Mapping[str, Partitions], *changed: str) -> None:
        """Prepare a target assignment. It has a record for each changed member, and one for the epoch."""
        for member_id, partitions in assignment.items():
            self.prepare_member_assignment(member_id, partitions)
        result = self.build()
        *records, epoch_record = result.records()
        assert_unordered_list_equals([
            new_target_assignment_record("my-group", member_id, assignment[member_id])
            for member_id in changed], records)
        assert epoch_record == new_target_assignment_epoch_record("my-group", 20)
        assert result.target_assignment() == {
            member_id: MemberAssignmentImpl(partitions) for member_id, partitions in assignment.items()}


@pytest.fixture
def two_members() -> FooAndBar:
    context = FooAndBar()
    context.add_group_member("member-1", context.of(1, 2, 3))
    context.add_group_member("member-2", context.of(4, 5, 6))
    return context


def test_create_member_subscription_spec_impl() -> None:
    foo_topic_id, bar_topic_id = Uuid.random_uuid(), Uuid.random_uuid()
    topics_image = MetadataImageBuilder().add_topic(foo_topic_id, "foo", 5).add_topic(
        bar_topic_id, "bar", 5).build().topics
    member = mk_member(
        "member-id", subscribed_topic_names=["foo", "bar", "zar"], rack_id="rackId", instance_id="instanceId")
    assignment = Assignment(mk_assignment((foo_topic_id, 1, 2, 3), (bar_topic_id, 1, 2, 3)))
    subscription_spec = TargetAssignmentBuilder._create_member_subscription_and_assignment(
        member, assignment, topics_image)
    assert subscription_spec == MemberSubscriptionAndAssignmentImpl(
        "rackId", TopicIds({"bar", "foo", "zar"}, topics_image), assignment)


def test_empty() -> None:
    context = TargetAssignmentBuilderTestContext("my-group", 20)
    result = context.build()
    assert result.records() == [new_target_assignment_epoch_record("my-group", 20)]
    assert result.target_assignment() == {}


def test_assignment_has_not_changed(two_members: FooAndBar) -> None:
    two_members.check({"member-1": two_members.of(1, 2, 3), "member-2": two_members.of(4, 5, 6)})


def test_assignment_swapped(two_members: FooAndBar) -> None:
    two_members.check(
        {"member-1": two_members.of(4, 5, 6), "member-2": two_members.of(1, 2, 3)}, "member-1", "member-2")


def test_new_member(two_members: FooAndBar) -> None:
    of = two_members.of
    two_members.update_member_subscription("member-3")
    two_members.check({"member-1": of(1, 2), "member-2": of(3, 4), "member-3": of(5, 6)},
                      "member-1", "member-2", "member-3")


def test_update_member() -> None:
    context = FooAndBar()
    of = context.of
    context.add_group_member("member-1", of(1, 2, 3, bar=[1, 2]))
    context.add_group_member("member-2", of(4, 5, 6, bar=[3, 4]))
    context.add_group_member("member-3", context.only_bar(5, 6), ["bar", "zar"])
    context.update_member_subscription("member-3", "instance-id-3", "rack-0")
    context.check({"member-1": of(1, 2), "member-2": of(3, 4), "member-3": of(5, 6)},
                  "member-1", "member-2", "member-3")


def test_partial_assignment_update() -> None:
    context = FooAndBar(mk_map_of_partition_racks(6))
    of = context.of
    context.add_group_member("member-1", of(1, 2))
    context.add_group_member("member-2", of(3, 4))
    context.add_group_member("member-3", of(5, 6), ["bar", "zar"])
    context.check({"member-1": of(1, 2), "member-2": of(3, 4, 5), "member-3": of(6)}, "member-2", "member-3")


def test_delete_member() -> None:
    context = FooAndBar()
    of = context.of
    context.add_group_member("member-1", of(1, 2))
    context.add_group_member("member-2", of(3, 4))
    context.add_group_member("member-3", of(5, 6))
    context.remove_member_subscription("member-3")
    context.check({"member-1": of(1, 2, 3), "member-2": of(4, 5, 6)}, "member-1", "member-2")


def test_replace_static_member() -> None:
    context = FooAndBar()
    of = context.of
    context.add_group_member("member-1", of(1, 2), instance_id="instance-member-1")
    context.add_group_member("member-2", of(3, 4), instance_id="instance-member-2")
    context.add_group_member("member-3", of(5, 6), instance_id="instance-member-3")
    context.remove_member_subscription("member-3")
    context.update_member_subscription("member-3-a", "instance-member-3")
    context.check({"member-1": of(1, 2), "member-2": of(3, 4), "member-3-a": of(5, 6)}, "member-3-a")
