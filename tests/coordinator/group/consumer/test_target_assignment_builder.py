# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.consumer.TargetAssignmentBuilderTest of Apache
# Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Target assignments of changed groups, and their records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kreactor.coordinator.group.api.assignor.group_spec import (
    GroupAssignment,
    MemberAssignment,
    Partitions,
    SubscriptionType,
)
from kreactor.coordinator.group.consumer.group_spec_impl import GroupSpecImpl
from kreactor.coordinator.group.consumer.subscribed_topic_describer_impl import SubscribedTopicDescriberImpl
from kreactor.coordinator.group.consumer.target_assignment_builder import TargetAssignmentBuilder
from kreactor.coordinator.group.consumer.topic_metadata import TopicMetadata
from tests.coordinator.group.assignment_test_util import MockPartitionAssignor, inverted_target_assignment

from kreactor.coordinator.group.coordinator_record_helpers import CoordinatorRecordHelpers
from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.consumer.assignment import Assignment
from kreactor.coordinator.group.consumer.consumer_group_member import ConsumerGroupMember
from kreactor.coordinator.group.consumer.member_assignment_impl import MemberAssignmentImpl
from kreactor.coordinator.group.consumer.member_subscription_and_assignment_impl import (
    MemberSubscriptionAndAssignmentImpl,
)
from kreactor.coordinator.group.consumer.topic_ids import TopicIds
from tests.coordinator.group.assignment_test_util import (
    MetadataImageBuilder,
    assert_unordered_list_equals,
    mk_assignment,
    mk_map_of_partition_racks,
    mk_topic_assignment,
)


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

    def add_group_member(self, member_id: str, *arguments: Any) -> None:
        """Take an instance id or none, the subscribed topics and the target assignment."""
        *instance_ids, subscriptions, target_partitions = arguments
        member_builder = ConsumerGroupMember.Builder(member_id).set_subscribed_topic_names(subscriptions)
        for instance_id in instance_ids:
            member_builder.set_instance_id(instance_id)
            self._static_members[instance_id] = member_id
        self._members[member_id] = member_builder.build()
        self._target_assignment[member_id] = Assignment(target_partitions)

    def add_topic_metadata(
        self, topic_name: str, num_partitions: int, partition_racks: Mapping[int, frozenset[str]]
    ) -> Uuid:
        topic_id = Uuid.random_uuid()
        self._subscription_metadata[topic_name] = TopicMetadata(
            topic_id, topic_name, num_partitions, partition_racks
        )
        self._topics_image_builder.add_topic(topic_id, topic_name, num_partitions)
        return topic_id

    def update_member_subscription(
        self,
        member_id: str,
        subscriptions: list[str],
        instance_id: str | None = None,
        rack_id: str | None = None,
    ) -> None:
        builder = ConsumerGroupMember.Builder(self._members.get(member_id, member_id))
        self._updated_members[member_id] = (
            builder.set_subscribed_topic_names(subscriptions)
            .maybe_update_instance_id(instance_id)
            .maybe_update_rack_id(rack_id)
            .build()
        )

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
                    member, self._target_assignment.get(previous_member_id, Assignment.EMPTY), topics_image
                )
        inverted = inverted_target_assignment(specs)
        self._assignor.prepare_group_assignment(GroupAssignment(self._member_assignments))

        builder = (
            TargetAssignmentBuilder(self._group_id, self._group_epoch, self._assignor)
            .with_members(self._members)
            .with_static_members(self._static_members)
            .with_subscription_metadata(self._subscription_metadata)
            .with_subscription_type(SubscriptionType.HOMOGENEOUS)
            .with_target_assignment(self._target_assignment)
            .with_inverted_target_assignment(inverted)
            .with_topics_image(topics_image)
        )
        for member_id, updated_member in self._updated_members.items():
            if updated_member is not None:
                builder.add_or_update_member(member_id, updated_member)
            else:
                builder.remove_member(member_id)
        result = builder.build()

        assert self._assignor.last_spec == GroupSpecImpl(specs, SubscriptionType.HOMOGENEOUS, inverted)
        assert self._assignor.last_describer == SubscribedTopicDescriberImpl(
            {topic.id(): topic for topic in self._subscription_metadata.values()}
        )
        return result


def test_create_member_subscription_spec_impl() -> None:
    foo_topic_id = Uuid.random_uuid()
    bar_topic_id = Uuid.random_uuid()
    topics_image = (
        MetadataImageBuilder()
        .add_topic(foo_topic_id, "foo", 5)
        .add_topic(bar_topic_id, "bar", 5)
        .build()
        .topics
    )
    member = (
        ConsumerGroupMember.Builder("member-id")
        .set_subscribed_topic_names(["foo", "bar", "zar"])
        .set_rack_id("rackId")
        .set_instance_id("instanceId")
        .build()
    )
    assignment = Assignment(
        mk_assignment(mk_topic_assignment(foo_topic_id, 1, 2, 3), mk_topic_assignment(bar_topic_id, 1, 2, 3))
    )
    subscription_spec = TargetAssignmentBuilder._create_member_subscription_and_assignment(
        member, assignment, topics_image
    )
    assert subscription_spec == MemberSubscriptionAndAssignmentImpl(
        "rackId", TopicIds({"bar", "foo", "zar"}, topics_image), assignment
    )


def test_empty() -> None:
    context = TargetAssignmentBuilderTestContext("my-group", 20)
    result = context.build()
    assert result.records() == [CoordinatorRecordHelpers.new_target_assignment_epoch_record("my-group", 20)]
    assert result.target_assignment() == {}


def test_assignment_has_not_changed() -> None:
    context = TargetAssignmentBuilderTestContext("my-group", 20)
    foo_topic_id = context.add_topic_metadata("foo", 6, {})
    bar_topic_id = context.add_topic_metadata("bar", 6, {})
    context.add_group_member(
        "member-1",
        ["foo", "bar", "zar"],
        mk_assignment(mk_topic_assignment(foo_topic_id, 1, 2, 3), mk_topic_assignment(bar_topic_id, 1, 2, 3)),
    )
    context.add_group_member(
        "member-2",
        ["foo", "bar", "zar"],
        mk_assignment(mk_topic_assignment(foo_topic_id, 4, 5, 6), mk_topic_assignment(bar_topic_id, 4, 5, 6)),
    )
    context.prepare_member_assignment(
        "member-1",
        mk_assignment(mk_topic_assignment(foo_topic_id, 1, 2, 3), mk_topic_assignment(bar_topic_id, 1, 2, 3)),
    )
    context.prepare_member_assignment(
        "member-2",
        mk_assignment(mk_topic_assignment(foo_topic_id, 4, 5, 6), mk_topic_assignment(bar_topic_id, 4, 5, 6)),
    )
    result = context.build()
    assert result.records() == [CoordinatorRecordHelpers.new_target_assignment_epoch_record("my-group", 20)]
    expected_assignment: dict[str, MemberAssignment] = {}
    expected_assignment["member-1"] = MemberAssignmentImpl(
        mk_assignment(mk_topic_assignment(foo_topic_id, 1, 2, 3), mk_topic_assignment(bar_topic_id, 1, 2, 3))
    )
    expected_assignment["member-2"] = MemberAssignmentImpl(
        mk_assignment(mk_topic_assignment(foo_topic_id, 4, 5, 6), mk_topic_assignment(bar_topic_id, 4, 5, 6))
    )
    assert result.target_assignment() == expected_assignment


def test_assignment_swapped() -> None:
    context = TargetAssignmentBuilderTestContext("my-group", 20)
    foo_topic_id = context.add_topic_metadata("foo", 6, {})
    bar_topic_id = context.add_topic_metadata("bar", 6, {})
    context.add_group_member(
        "member-1",
        ["foo", "bar", "zar"],
        mk_assignment(mk_topic_assignment(foo_topic_id, 1, 2, 3), mk_topic_assignment(bar_topic_id, 1, 2, 3)),
    )
    context.add_group_member(
        "member-2",
        ["foo", "bar", "zar"],
        mk_assignment(mk_topic_assignment(foo_topic_id, 4, 5, 6), mk_topic_assignment(bar_topic_id, 4, 5, 6)),
    )
    context.prepare_member_assignment(
        "member-2",
        mk_assignment(mk_topic_assignment(foo_topic_id, 1, 2, 3), mk_topic_assignment(bar_topic_id, 1, 2, 3)),
    )
    context.prepare_member_assignment(
        "member-1",
        mk_assignment(mk_topic_assignment(foo_topic_id, 4, 5, 6), mk_topic_assignment(bar_topic_id, 4, 5, 6)),
    )
    result = context.build()
    assert len(result.records()) == 3
    assert_unordered_list_equals(
        [
            CoordinatorRecordHelpers.new_target_assignment_record(
                "my-group",
                "member-1",
                mk_assignment(
                    mk_topic_assignment(foo_topic_id, 4, 5, 6), mk_topic_assignment(bar_topic_id, 4, 5, 6)
                ),
            ),
            CoordinatorRecordHelpers.new_target_assignment_record(
                "my-group",
                "member-2",
                mk_assignment(
                    mk_topic_assignment(foo_topic_id, 1, 2, 3), mk_topic_assignment(bar_topic_id, 1, 2, 3)
                ),
            ),
        ],
        result.records()[:2],
    )
    assert result.records()[2] == CoordinatorRecordHelpers.new_target_assignment_epoch_record("my-group", 20)
    expected_assignment: dict[str, MemberAssignment] = {}
    expected_assignment["member-2"] = MemberAssignmentImpl(
        mk_assignment(mk_topic_assignment(foo_topic_id, 1, 2, 3), mk_topic_assignment(bar_topic_id, 1, 2, 3))
    )
    expected_assignment["member-1"] = MemberAssignmentImpl(
        mk_assignment(mk_topic_assignment(foo_topic_id, 4, 5, 6), mk_topic_assignment(bar_topic_id, 4, 5, 6))
    )
    assert result.target_assignment() == expected_assignment


def test_new_member() -> None:
    context = TargetAssignmentBuilderTestContext("my-group", 20)
    foo_topic_id = context.add_topic_metadata("foo", 6, {})
    bar_topic_id = context.add_topic_metadata("bar", 6, {})
    context.add_group_member(
        "member-1",
        ["foo", "bar", "zar"],
        mk_assignment(mk_topic_assignment(foo_topic_id, 1, 2, 3), mk_topic_assignment(bar_topic_id, 1, 2, 3)),
    )
    context.add_group_member(
        "member-2",
        ["foo", "bar", "zar"],
        mk_assignment(mk_topic_assignment(foo_topic_id, 4, 5, 6), mk_topic_assignment(bar_topic_id, 4, 5, 6)),
    )
    context.update_member_subscription("member-3", ["foo", "bar", "zar"])
    context.prepare_member_assignment(
        "member-1",
        mk_assignment(mk_topic_assignment(foo_topic_id, 1, 2), mk_topic_assignment(bar_topic_id, 1, 2)),
    )
    context.prepare_member_assignment(
        "member-2",
        mk_assignment(mk_topic_assignment(foo_topic_id, 3, 4), mk_topic_assignment(bar_topic_id, 3, 4)),
    )
    context.prepare_member_assignment(
        "member-3",
        mk_assignment(mk_topic_assignment(foo_topic_id, 5, 6), mk_topic_assignment(bar_topic_id, 5, 6)),
    )
    result = context.build()
    assert len(result.records()) == 4
    assert_unordered_list_equals(
        [
            CoordinatorRecordHelpers.new_target_assignment_record(
                "my-group",
                "member-1",
                mk_assignment(
                    mk_topic_assignment(foo_topic_id, 1, 2), mk_topic_assignment(bar_topic_id, 1, 2)
                ),
            ),
            CoordinatorRecordHelpers.new_target_assignment_record(
                "my-group",
                "member-2",
                mk_assignment(
                    mk_topic_assignment(foo_topic_id, 3, 4), mk_topic_assignment(bar_topic_id, 3, 4)
                ),
            ),
            CoordinatorRecordHelpers.new_target_assignment_record(
                "my-group",
                "member-3",
                mk_assignment(
                    mk_topic_assignment(foo_topic_id, 5, 6), mk_topic_assignment(bar_topic_id, 5, 6)
                ),
            ),
        ],
        result.records()[:3],
    )
    assert result.records()[3] == CoordinatorRecordHelpers.new_target_assignment_epoch_record("my-group", 20)
    expected_assignment: dict[str, MemberAssignment] = {}
    expected_assignment["member-1"] = MemberAssignmentImpl(
        mk_assignment(mk_topic_assignment(foo_topic_id, 1, 2), mk_topic_assignment(bar_topic_id, 1, 2))
    )
    expected_assignment["member-2"] = MemberAssignmentImpl(
        mk_assignment(mk_topic_assignment(foo_topic_id, 3, 4), mk_topic_assignment(bar_topic_id, 3, 4))
    )
    expected_assignment["member-3"] = MemberAssignmentImpl(
        mk_assignment(mk_topic_assignment(foo_topic_id, 5, 6), mk_topic_assignment(bar_topic_id, 5, 6))
    )
    assert result.target_assignment() == expected_assignment


def test_update_member() -> None:
    context = TargetAssignmentBuilderTestContext("my-group", 20)
    foo_topic_id = context.add_topic_metadata("foo", 6, {})
    bar_topic_id = context.add_topic_metadata("bar", 6, {})
    context.add_group_member(
        "member-1",
        ["foo", "bar", "zar"],
        mk_assignment(mk_topic_assignment(foo_topic_id, 1, 2, 3), mk_topic_assignment(bar_topic_id, 1, 2)),
    )
    context.add_group_member(
        "member-2",
        ["foo", "bar", "zar"],
        mk_assignment(mk_topic_assignment(foo_topic_id, 4, 5, 6), mk_topic_assignment(bar_topic_id, 3, 4)),
    )
    context.add_group_member(
        "member-3", ["bar", "zar"], mk_assignment(mk_topic_assignment(bar_topic_id, 5, 6))
    )
    context.update_member_subscription("member-3", ["foo", "bar", "zar"], "instance-id-3", "rack-0")
    context.prepare_member_assignment(
        "member-1",
        mk_assignment(mk_topic_assignment(foo_topic_id, 1, 2), mk_topic_assignment(bar_topic_id, 1, 2)),
    )
    context.prepare_member_assignment(
        "member-2",
        mk_assignment(mk_topic_assignment(foo_topic_id, 3, 4), mk_topic_assignment(bar_topic_id, 3, 4)),
    )
    context.prepare_member_assignment(
        "member-3",
        mk_assignment(mk_topic_assignment(foo_topic_id, 5, 6), mk_topic_assignment(bar_topic_id, 5, 6)),
    )
    result = context.build()
    assert len(result.records()) == 4
    assert_unordered_list_equals(
        [
            CoordinatorRecordHelpers.new_target_assignment_record(
                "my-group",
                "member-1",
                mk_assignment(
                    mk_topic_assignment(foo_topic_id, 1, 2), mk_topic_assignment(bar_topic_id, 1, 2)
                ),
            ),
            CoordinatorRecordHelpers.new_target_assignment_record(
                "my-group",
                "member-2",
                mk_assignment(
                    mk_topic_assignment(foo_topic_id, 3, 4), mk_topic_assignment(bar_topic_id, 3, 4)
                ),
            ),
            CoordinatorRecordHelpers.new_target_assignment_record(
                "my-group",
                "member-3",
                mk_assignment(
                    mk_topic_assignment(foo_topic_id, 5, 6), mk_topic_assignment(bar_topic_id, 5, 6)
                ),
            ),
        ],
        result.records()[:3],
    )
    assert result.records()[3] == CoordinatorRecordHelpers.new_target_assignment_epoch_record("my-group", 20)
    expected_assignment: dict[str, MemberAssignment] = {}
    expected_assignment["member-1"] = MemberAssignmentImpl(
        mk_assignment(mk_topic_assignment(foo_topic_id, 1, 2), mk_topic_assignment(bar_topic_id, 1, 2))
    )
    expected_assignment["member-2"] = MemberAssignmentImpl(
        mk_assignment(mk_topic_assignment(foo_topic_id, 3, 4), mk_topic_assignment(bar_topic_id, 3, 4))
    )
    expected_assignment["member-3"] = MemberAssignmentImpl(
        mk_assignment(mk_topic_assignment(foo_topic_id, 5, 6), mk_topic_assignment(bar_topic_id, 5, 6))
    )
    assert result.target_assignment() == expected_assignment


def test_partial_assignment_update() -> None:
    context = TargetAssignmentBuilderTestContext("my-group", 20)
    foo_topic_id = context.add_topic_metadata("foo", 6, mk_map_of_partition_racks(6))
    bar_topic_id = context.add_topic_metadata("bar", 6, mk_map_of_partition_racks(6))
    context.add_group_member(
        "member-1",
        ["foo", "bar", "zar"],
        mk_assignment(mk_topic_assignment(foo_topic_id, 1, 2), mk_topic_assignment(bar_topic_id, 1, 2)),
    )
    context.add_group_member(
        "member-2",
        ["foo", "bar", "zar"],
        mk_assignment(mk_topic_assignment(foo_topic_id, 3, 4), mk_topic_assignment(bar_topic_id, 3, 4)),
    )
    context.add_group_member(
        "member-3",
        ["bar", "zar"],
        mk_assignment(mk_topic_assignment(foo_topic_id, 5, 6), mk_topic_assignment(bar_topic_id, 5, 6)),
    )
    context.prepare_member_assignment(
        "member-1",
        mk_assignment(mk_topic_assignment(foo_topic_id, 1, 2), mk_topic_assignment(bar_topic_id, 1, 2)),
    )
    context.prepare_member_assignment(
        "member-2",
        mk_assignment(mk_topic_assignment(foo_topic_id, 3, 4, 5), mk_topic_assignment(bar_topic_id, 3, 4, 5)),
    )
    context.prepare_member_assignment(
        "member-3", mk_assignment(mk_topic_assignment(foo_topic_id, 6), mk_topic_assignment(bar_topic_id, 6))
    )
    result = context.build()
    assert len(result.records()) == 3
    assert_unordered_list_equals(
        [
            CoordinatorRecordHelpers.new_target_assignment_record(
                "my-group",
                "member-2",
                mk_assignment(
                    mk_topic_assignment(foo_topic_id, 3, 4, 5), mk_topic_assignment(bar_topic_id, 3, 4, 5)
                ),
            ),
            CoordinatorRecordHelpers.new_target_assignment_record(
                "my-group",
                "member-3",
                mk_assignment(mk_topic_assignment(foo_topic_id, 6), mk_topic_assignment(bar_topic_id, 6)),
            ),
        ],
        result.records()[:2],
    )
    assert result.records()[2] == CoordinatorRecordHelpers.new_target_assignment_epoch_record("my-group", 20)
    expected_assignment: dict[str, MemberAssignment] = {}
    expected_assignment["member-1"] = MemberAssignmentImpl(
        mk_assignment(mk_topic_assignment(foo_topic_id, 1, 2), mk_topic_assignment(bar_topic_id, 1, 2))
    )
    expected_assignment["member-2"] = MemberAssignmentImpl(
        mk_assignment(mk_topic_assignment(foo_topic_id, 3, 4, 5), mk_topic_assignment(bar_topic_id, 3, 4, 5))
    )
    expected_assignment["member-3"] = MemberAssignmentImpl(
        mk_assignment(mk_topic_assignment(foo_topic_id, 6), mk_topic_assignment(bar_topic_id, 6))
    )
    assert result.target_assignment() == expected_assignment


def test_delete_member() -> None:
    context = TargetAssignmentBuilderTestContext("my-group", 20)
    foo_topic_id = context.add_topic_metadata("foo", 6, {})
    bar_topic_id = context.add_topic_metadata("bar", 6, {})
    context.add_group_member(
        "member-1",
        ["foo", "bar", "zar"],
        mk_assignment(mk_topic_assignment(foo_topic_id, 1, 2), mk_topic_assignment(bar_topic_id, 1, 2)),
    )
    context.add_group_member(
        "member-2",
        ["foo", "bar", "zar"],
        mk_assignment(mk_topic_assignment(foo_topic_id, 3, 4), mk_topic_assignment(bar_topic_id, 3, 4)),
    )
    context.add_group_member(
        "member-3",
        ["foo", "bar", "zar"],
        mk_assignment(mk_topic_assignment(foo_topic_id, 5, 6), mk_topic_assignment(bar_topic_id, 5, 6)),
    )
    context.remove_member_subscription("member-3")
    context.prepare_member_assignment(
        "member-1",
        mk_assignment(mk_topic_assignment(foo_topic_id, 1, 2, 3), mk_topic_assignment(bar_topic_id, 1, 2, 3)),
    )
    context.prepare_member_assignment(
        "member-2",
        mk_assignment(mk_topic_assignment(foo_topic_id, 4, 5, 6), mk_topic_assignment(bar_topic_id, 4, 5, 6)),
    )
    result = context.build()
    assert len(result.records()) == 3
    assert_unordered_list_equals(
        [
            CoordinatorRecordHelpers.new_target_assignment_record(
                "my-group",
                "member-1",
                mk_assignment(
                    mk_topic_assignment(foo_topic_id, 1, 2, 3), mk_topic_assignment(bar_topic_id, 1, 2, 3)
                ),
            ),
            CoordinatorRecordHelpers.new_target_assignment_record(
                "my-group",
                "member-2",
                mk_assignment(
                    mk_topic_assignment(foo_topic_id, 4, 5, 6), mk_topic_assignment(bar_topic_id, 4, 5, 6)
                ),
            ),
        ],
        result.records()[:2],
    )
    assert result.records()[2] == CoordinatorRecordHelpers.new_target_assignment_epoch_record("my-group", 20)
    expected_assignment: dict[str, MemberAssignment] = {}
    expected_assignment["member-1"] = MemberAssignmentImpl(
        mk_assignment(mk_topic_assignment(foo_topic_id, 1, 2, 3), mk_topic_assignment(bar_topic_id, 1, 2, 3))
    )
    expected_assignment["member-2"] = MemberAssignmentImpl(
        mk_assignment(mk_topic_assignment(foo_topic_id, 4, 5, 6), mk_topic_assignment(bar_topic_id, 4, 5, 6))
    )
    assert result.target_assignment() == expected_assignment


def test_replace_static_member() -> None:
    context = TargetAssignmentBuilderTestContext("my-group", 20)
    foo_topic_id = context.add_topic_metadata("foo", 6, {})
    bar_topic_id = context.add_topic_metadata("bar", 6, {})
    context.add_group_member(
        "member-1",
        "instance-member-1",
        ["foo", "bar", "zar"],
        mk_assignment(mk_topic_assignment(foo_topic_id, 1, 2), mk_topic_assignment(bar_topic_id, 1, 2)),
    )
    context.add_group_member(
        "member-2",
        "instance-member-2",
        ["foo", "bar", "zar"],
        mk_assignment(mk_topic_assignment(foo_topic_id, 3, 4), mk_topic_assignment(bar_topic_id, 3, 4)),
    )
    context.add_group_member(
        "member-3",
        "instance-member-3",
        ["foo", "bar", "zar"],
        mk_assignment(mk_topic_assignment(foo_topic_id, 5, 6), mk_topic_assignment(bar_topic_id, 5, 6)),
    )
    context.remove_member_subscription("member-3")
    context.update_member_subscription("member-3-a", ["foo", "bar", "zar"], "instance-member-3", None)
    context.prepare_member_assignment(
        "member-1",
        mk_assignment(mk_topic_assignment(foo_topic_id, 1, 2), mk_topic_assignment(bar_topic_id, 1, 2)),
    )
    context.prepare_member_assignment(
        "member-2",
        mk_assignment(mk_topic_assignment(foo_topic_id, 3, 4), mk_topic_assignment(bar_topic_id, 3, 4)),
    )
    context.prepare_member_assignment(
        "member-3-a",
        mk_assignment(mk_topic_assignment(foo_topic_id, 5, 6), mk_topic_assignment(bar_topic_id, 5, 6)),
    )
    result = context.build()
    assert len(result.records()) == 2
    assert_unordered_list_equals(
        [
            CoordinatorRecordHelpers.new_target_assignment_record(
                "my-group",
                "member-3-a",
                mk_assignment(
                    mk_topic_assignment(foo_topic_id, 5, 6), mk_topic_assignment(bar_topic_id, 5, 6)
                ),
            )
        ],
        result.records()[:1],
    )
    assert result.records()[1] == CoordinatorRecordHelpers.new_target_assignment_epoch_record("my-group", 20)
    expected_assignment: dict[str, MemberAssignment] = {}
    expected_assignment["member-1"] = MemberAssignmentImpl(
        mk_assignment(mk_topic_assignment(foo_topic_id, 1, 2), mk_topic_assignment(bar_topic_id, 1, 2))
    )
    expected_assignment["member-2"] = MemberAssignmentImpl(
        mk_assignment(mk_topic_assignment(foo_topic_id, 3, 4), mk_topic_assignment(bar_topic_id, 3, 4))
    )
    expected_assignment["member-3-a"] = MemberAssignmentImpl(
        mk_assignment(mk_topic_assignment(foo_topic_id, 5, 6), mk_topic_assignment(bar_topic_id, 5, 6))
    )
    assert result.target_assignment() == expected_assignment
