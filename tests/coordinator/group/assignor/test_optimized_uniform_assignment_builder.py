# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.assignor.OptimizedUniformAssignmentBuilderTest of
# Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Tests of the uniform assignor for members with the same subscriptions."""

from __future__ import annotations

import pytest

from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.api.assignor.group_spec import GroupAssignment, SubscriptionType
from kreactor.coordinator.group.api.assignor.partition_assignor import PartitionAssignorException
from kreactor.coordinator.group.assignor.uniform_assignor import UniformAssignor
from kreactor.coordinator.group.consumer.assignment import Assignment
from kreactor.coordinator.group.consumer.group_spec_impl import GroupSpecImpl
from kreactor.coordinator.group.consumer.member_subscription_and_assignment_impl import (
    MemberSubscriptionAndAssignmentImpl,
)
from kreactor.coordinator.group.consumer.subscribed_topic_describer_impl import SubscribedTopicDescriberImpl
from kreactor.coordinator.group.consumer.topic_metadata import TopicMetadata
from tests.coordinator.group.assignment_test_util import (
    assert_assignment,
    inverted_target_assignment,
    mk_assignment,
    mk_map_of_partition_racks,
    mk_ordered_assignment,
    mk_set,
    mk_topic_assignment,
)

assignor = UniformAssignor()
topic1_uuid = Uuid.from_string("T1-A4s3VTwiI5CTbEp6POw")
topic2_uuid = Uuid.from_string("T2-B4s3VTwiI5YHbPp6YUe")
topic3_uuid = Uuid.from_string("T3-CU8fVTLCz5YMkLoDQsa")
topic1_name = "topic1"
topic2_name = "topic2"
topic3_name = "topic3"
member_a = "A"
member_b = "B"
member_c = "C"


def test_one_member_no_topic_subscription() -> None:
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(
        {topic1_uuid: TopicMetadata(topic1_uuid, topic1_name, 3, mk_map_of_partition_racks(3))}
    )
    members = {member_a: MemberSubscriptionAndAssignmentImpl(None, set(), Assignment.EMPTY)}
    group_spec = GroupSpecImpl(members, SubscriptionType.HOMOGENEOUS, {})
    group_assignment = assignor.assign(group_spec, subscribed_topic_metadata)
    assert group_assignment.members() == {}


def test_one_member_subscribed_to_nonexistent_topic() -> None:
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(
        {topic1_uuid: TopicMetadata(topic1_uuid, topic1_name, 3, mk_map_of_partition_racks(3))}
    )
    members = {member_a: MemberSubscriptionAndAssignmentImpl(None, mk_set(topic2_uuid), Assignment.EMPTY)}
    group_spec = GroupSpecImpl(members, SubscriptionType.HOMOGENEOUS, {})
    with pytest.raises(PartitionAssignorException):
        assignor.assign(group_spec, subscribed_topic_metadata)


def test_first_assignment_two_members_two_topics_no_member_racks() -> None:
    topic_metadata: dict[Uuid, TopicMetadata] = {}
    topic_metadata[topic1_uuid] = TopicMetadata(topic1_uuid, topic1_name, 3, mk_map_of_partition_racks(3))
    topic_metadata[topic3_uuid] = TopicMetadata(topic3_uuid, topic3_name, 2, mk_map_of_partition_racks(2))
    members: dict[str, MemberSubscriptionAndAssignmentImpl] = {}
    members[member_a] = MemberSubscriptionAndAssignmentImpl(
        None, mk_set(topic1_uuid, topic3_uuid), Assignment.EMPTY
    )
    members[member_b] = MemberSubscriptionAndAssignmentImpl(
        None, mk_set(topic1_uuid, topic3_uuid), Assignment.EMPTY
    )
    expected_assignment: dict[str, dict[Uuid, set[int]]] = {}
    expected_assignment[member_a] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 0), mk_topic_assignment(topic3_uuid, 0, 1)
    )
    expected_assignment[member_b] = mk_assignment(mk_topic_assignment(topic1_uuid, 1, 2))
    group_spec = GroupSpecImpl(members, SubscriptionType.HOMOGENEOUS, {})
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(topic_metadata)
    computed_assignment = assignor.assign(group_spec, subscribed_topic_metadata)
    assert_assignment(expected_assignment, computed_assignment)
    check_validity_and_balance(members, computed_assignment)


def test_first_assignment_num_members_greater_than_total_num_partitions() -> None:
    topic_metadata: dict[Uuid, TopicMetadata] = {}
    topic_metadata[topic3_uuid] = TopicMetadata(topic3_uuid, topic3_name, 2, mk_map_of_partition_racks(2))
    members: dict[str, MemberSubscriptionAndAssignmentImpl] = {}
    members[member_a] = MemberSubscriptionAndAssignmentImpl(None, mk_set(topic3_uuid), Assignment.EMPTY)
    members[member_b] = MemberSubscriptionAndAssignmentImpl(None, mk_set(topic3_uuid), Assignment.EMPTY)
    members[member_c] = MemberSubscriptionAndAssignmentImpl(None, mk_set(topic3_uuid), Assignment.EMPTY)
    expected_assignment: dict[str, dict[Uuid, set[int]]] = {}
    expected_assignment[member_a] = mk_assignment(mk_topic_assignment(topic3_uuid, 0))
    expected_assignment[member_b] = mk_assignment(mk_topic_assignment(topic3_uuid, 1))
    expected_assignment[member_c] = {}
    group_spec = GroupSpecImpl(members, SubscriptionType.HOMOGENEOUS, {})
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(topic_metadata)
    computed_assignment = assignor.assign(group_spec, subscribed_topic_metadata)
    assert_assignment(expected_assignment, computed_assignment)
    check_validity_and_balance(members, computed_assignment)


def test_validity_and_balance_for_large_sample_set() -> None:
    topic_metadata: dict[Uuid, TopicMetadata] = {}
    for i in range(1, 100):
        topic_id = Uuid.random_uuid()
        topic_metadata[topic_id] = TopicMetadata(topic_id, f"topic-{i}", 3, mk_map_of_partition_racks(3))
    members: dict[str, MemberSubscriptionAndAssignmentImpl] = {}
    for i in range(1, 50):
        members[f"member{i}"] = MemberSubscriptionAndAssignmentImpl(
            None, topic_metadata.keys(), Assignment.EMPTY
        )
    group_spec = GroupSpecImpl(members, SubscriptionType.HOMOGENEOUS, {})
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(topic_metadata)
    computed_assignment = assignor.assign(group_spec, subscribed_topic_metadata)
    check_validity_and_balance(members, computed_assignment)


def test_reassignment_for_two_members_two_topics_given_unbalanced_prev_assignment() -> None:
    topic_metadata: dict[Uuid, TopicMetadata] = {}
    topic_metadata[topic1_uuid] = TopicMetadata(topic1_uuid, topic1_name, 3, mk_map_of_partition_racks(3))
    topic_metadata[topic2_uuid] = TopicMetadata(topic2_uuid, topic2_name, 3, mk_map_of_partition_racks(3))
    members: dict[str, MemberSubscriptionAndAssignmentImpl] = {}
    members[member_a] = MemberSubscriptionAndAssignmentImpl(
        None,
        mk_set(topic1_uuid, topic2_uuid),
        Assignment(
            mk_ordered_assignment(
                mk_topic_assignment(topic1_uuid, 0, 1), mk_topic_assignment(topic2_uuid, 0, 1)
            )
        ),
    )
    members[member_b] = MemberSubscriptionAndAssignmentImpl(
        None,
        mk_set(topic1_uuid, topic2_uuid),
        Assignment(
            mk_ordered_assignment(mk_topic_assignment(topic1_uuid, 2), mk_topic_assignment(topic2_uuid, 2))
        ),
    )
    expected_assignment: dict[str, dict[Uuid, set[int]]] = {}
    expected_assignment[member_a] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 0, 1), mk_topic_assignment(topic2_uuid, 0)
    )
    expected_assignment[member_b] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 2), mk_topic_assignment(topic2_uuid, 1, 2)
    )
    group_spec = GroupSpecImpl(members, SubscriptionType.HOMOGENEOUS, inverted_target_assignment(members))
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(topic_metadata)
    computed_assignment = assignor.assign(group_spec, subscribed_topic_metadata)
    assert_assignment(expected_assignment, computed_assignment)
    check_validity_and_balance(members, computed_assignment)


def test_reassignment_when_partitions_are_added_for_two_members_two_topics() -> None:
    topic_metadata: dict[Uuid, TopicMetadata] = {}
    topic_metadata[topic1_uuid] = TopicMetadata(topic1_uuid, topic1_name, 6, mk_map_of_partition_racks(6))
    topic_metadata[topic2_uuid] = TopicMetadata(topic2_uuid, topic2_name, 5, mk_map_of_partition_racks(5))
    members: dict[str, MemberSubscriptionAndAssignmentImpl] = {}
    members[member_a] = MemberSubscriptionAndAssignmentImpl(
        None,
        mk_set(topic1_uuid, topic2_uuid),
        Assignment(
            mk_ordered_assignment(mk_topic_assignment(topic1_uuid, 0, 2), mk_topic_assignment(topic2_uuid, 0))
        ),
    )
    members[member_b] = MemberSubscriptionAndAssignmentImpl(
        None,
        mk_set(topic1_uuid, topic2_uuid),
        Assignment(
            mk_ordered_assignment(mk_topic_assignment(topic1_uuid, 1), mk_topic_assignment(topic2_uuid, 1, 2))
        ),
    )
    expected_assignment: dict[str, dict[Uuid, set[int]]] = {}
    expected_assignment[member_a] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 0, 2, 3), mk_topic_assignment(topic2_uuid, 0, 3, 4)
    )
    expected_assignment[member_b] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 1, 4, 5), mk_topic_assignment(topic2_uuid, 1, 2)
    )
    group_spec = GroupSpecImpl(members, SubscriptionType.HOMOGENEOUS, inverted_target_assignment(members))
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(topic_metadata)
    computed_assignment = assignor.assign(group_spec, subscribed_topic_metadata)
    assert_assignment(expected_assignment, computed_assignment)
    check_validity_and_balance(members, computed_assignment)


def test_reassignment_when_one_member_added_after_initial_assignment_with_two_members_two_topics() -> None:
    topic_metadata: dict[Uuid, TopicMetadata] = {}
    topic_metadata[topic1_uuid] = TopicMetadata(topic1_uuid, topic1_name, 3, mk_map_of_partition_racks(3))
    topic_metadata[topic2_uuid] = TopicMetadata(topic2_uuid, topic2_name, 3, mk_map_of_partition_racks(3))
    members: dict[str, MemberSubscriptionAndAssignmentImpl] = {}
    members[member_a] = MemberSubscriptionAndAssignmentImpl(
        None,
        mk_set(topic1_uuid, topic2_uuid),
        Assignment(
            mk_ordered_assignment(mk_topic_assignment(topic1_uuid, 0, 2), mk_topic_assignment(topic2_uuid, 0))
        ),
    )
    members[member_b] = MemberSubscriptionAndAssignmentImpl(
        None,
        mk_set(topic1_uuid, topic2_uuid),
        Assignment(
            mk_ordered_assignment(mk_topic_assignment(topic1_uuid, 1), mk_topic_assignment(topic2_uuid, 1, 2))
        ),
    )
    members[member_c] = MemberSubscriptionAndAssignmentImpl(
        None, mk_set(topic1_uuid, topic2_uuid), Assignment.EMPTY
    )
    expected_assignment: dict[str, dict[Uuid, set[int]]] = {}
    expected_assignment[member_a] = mk_assignment(mk_topic_assignment(topic1_uuid, 0, 2))
    expected_assignment[member_b] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 1), mk_topic_assignment(topic2_uuid, 1)
    )
    expected_assignment[member_c] = mk_assignment(mk_topic_assignment(topic2_uuid, 0, 2))
    group_spec = GroupSpecImpl(members, SubscriptionType.HOMOGENEOUS, inverted_target_assignment(members))
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(topic_metadata)
    computed_assignment = assignor.assign(group_spec, subscribed_topic_metadata)
    assert_assignment(expected_assignment, computed_assignment)
    check_validity_and_balance(members, computed_assignment)


def test_reassignment_when_one_member_removed_after_initial_assignment_with_three_members_two_topics() -> (
    None
):
    topic_metadata: dict[Uuid, TopicMetadata] = {}
    topic_metadata[topic1_uuid] = TopicMetadata(topic1_uuid, topic1_name, 3, mk_map_of_partition_racks(3))
    topic_metadata[topic2_uuid] = TopicMetadata(topic2_uuid, topic2_name, 3, mk_map_of_partition_racks(3))
    members: dict[str, MemberSubscriptionAndAssignmentImpl] = {}
    members[member_a] = MemberSubscriptionAndAssignmentImpl(
        None,
        mk_set(topic1_uuid, topic2_uuid),
        Assignment(mk_assignment(mk_topic_assignment(topic1_uuid, 0), mk_topic_assignment(topic2_uuid, 0))),
    )
    members[member_b] = MemberSubscriptionAndAssignmentImpl(
        None,
        mk_set(topic1_uuid, topic2_uuid),
        Assignment(mk_assignment(mk_topic_assignment(topic1_uuid, 1), mk_topic_assignment(topic2_uuid, 1))),
    )
    expected_assignment: dict[str, dict[Uuid, set[int]]] = {}
    expected_assignment[member_a] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 0), mk_topic_assignment(topic2_uuid, 0, 2)
    )
    expected_assignment[member_b] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 1, 2), mk_topic_assignment(topic2_uuid, 1)
    )
    group_spec = GroupSpecImpl(members, SubscriptionType.HOMOGENEOUS, inverted_target_assignment(members))
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(topic_metadata)
    computed_assignment = assignor.assign(group_spec, subscribed_topic_metadata)
    assert_assignment(expected_assignment, computed_assignment)
    check_validity_and_balance(members, computed_assignment)


def test_reassignment_when_one_subscription_removed_after_initial_assignment_with_two_members_two_topics() -> (  # noqa: E501
    None
):
    topic_metadata: dict[Uuid, TopicMetadata] = {}
    topic_metadata[topic1_uuid] = TopicMetadata(topic1_uuid, topic1_name, 2, mk_map_of_partition_racks(2))
    topic_metadata[topic2_uuid] = TopicMetadata(topic2_uuid, topic2_name, 2, mk_map_of_partition_racks(2))
    members: dict[str, MemberSubscriptionAndAssignmentImpl] = {}
    members[member_a] = MemberSubscriptionAndAssignmentImpl(
        None,
        mk_set(topic2_uuid),
        Assignment(mk_assignment(mk_topic_assignment(topic1_uuid, 0), mk_topic_assignment(topic2_uuid, 0))),
    )
    members[member_b] = MemberSubscriptionAndAssignmentImpl(
        None,
        mk_set(topic2_uuid),
        Assignment(mk_assignment(mk_topic_assignment(topic1_uuid, 1), mk_topic_assignment(topic2_uuid, 1))),
    )
    expected_assignment: dict[str, dict[Uuid, set[int]]] = {}
    expected_assignment[member_a] = mk_assignment(mk_topic_assignment(topic2_uuid, 0))
    expected_assignment[member_b] = mk_assignment(mk_topic_assignment(topic2_uuid, 1))
    group_spec = GroupSpecImpl(members, SubscriptionType.HOMOGENEOUS, inverted_target_assignment(members))
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(topic_metadata)
    computed_assignment = assignor.assign(group_spec, subscribed_topic_metadata)
    assert_assignment(expected_assignment, computed_assignment)
    check_validity_and_balance(members, computed_assignment)


def check_validity_and_balance(
    member_subscription_spec: dict[str, MemberSubscriptionAndAssignmentImpl],
    computed_group_assignment: GroupAssignment,
) -> None:
    """Each member has only what it subscribes to, no partition has two members, and sizes differ by one."""
    owners: dict[tuple[Uuid, int], str] = {}
    sizes = []
    for member_id, assignment in computed_group_assignment.members().items():
        for topic_id, partitions in assignment.partitions().items():
            assert topic_id in member_subscription_spec[member_id].subscribed_topic_ids()
            for partition in partitions:
                assert owners.setdefault((topic_id, partition), member_id) == member_id
        sizes.append(sum(map(len, assignment.partitions().values())))
    assert max(sizes) - min(sizes) <= 1
