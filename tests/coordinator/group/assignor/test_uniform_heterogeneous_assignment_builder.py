# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.assignor.UniformHeterogeneousAssignmentBuilderTest
# of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Tests of the uniform assignor for members with different subscriptions."""

from __future__ import annotations

import pytest

from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.api.assignor.group_spec import SubscriptionType
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
    mk_set,
    mk_topic_assignment,
)

assignor = UniformAssignor()
topic1_uuid = Uuid.from_string("T1-A4s3VTwiI5CTbEp6POw")
topic2_uuid = Uuid.from_string("T2-B4s3VTwiI5YHbPp6YUe")
topic3_uuid = Uuid.from_string("T3-CU8fVTLCz5YMkLoDQsa")
topic4_uuid = Uuid.from_string("T4-Tw9fVTLCz5HbPp6YQsa")
topic1_name = "topic1"
topic2_name = "topic2"
topic3_name = "topic3"
topic4_name = "topic4"
member_a = "A"
member_b = "B"
member_c = "C"


def test_two_members_no_topic_subscription() -> None:
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(
        {topic1_uuid: TopicMetadata(topic1_uuid, topic1_name, 3, mk_map_of_partition_racks(3))}
    )
    members: dict[str, MemberSubscriptionAndAssignmentImpl] = {}
    members[member_a] = MemberSubscriptionAndAssignmentImpl(None, set(), Assignment.EMPTY)
    members[member_b] = MemberSubscriptionAndAssignmentImpl(None, set(), Assignment.EMPTY)
    group_spec = GroupSpecImpl(members, SubscriptionType.HETEROGENEOUS, {})
    group_assignment = assignor.assign(group_spec, subscribed_topic_metadata)
    assert group_assignment.members() == {}


def test_two_members_subscribed_to_nonexistent_topics() -> None:
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(
        {topic1_uuid: TopicMetadata(topic1_uuid, topic1_name, 3, mk_map_of_partition_racks(3))}
    )
    members: dict[str, MemberSubscriptionAndAssignmentImpl] = {}
    members[member_a] = MemberSubscriptionAndAssignmentImpl(None, mk_set(topic3_uuid), Assignment.EMPTY)
    members[member_b] = MemberSubscriptionAndAssignmentImpl(None, mk_set(topic2_uuid), Assignment.EMPTY)
    group_spec = GroupSpecImpl(members, SubscriptionType.HETEROGENEOUS, {})
    with pytest.raises(PartitionAssignorException):
        assignor.assign(group_spec, subscribed_topic_metadata)


def test_first_assignment_two_members_two_topics() -> None:
    topic_metadata: dict[Uuid, TopicMetadata] = {}
    topic_metadata[topic1_uuid] = TopicMetadata(topic1_uuid, topic1_name, 3, mk_map_of_partition_racks(3))
    topic_metadata[topic3_uuid] = TopicMetadata(topic3_uuid, topic3_name, 6, mk_map_of_partition_racks(6))
    members: dict[str, MemberSubscriptionAndAssignmentImpl] = {}
    members[member_a] = MemberSubscriptionAndAssignmentImpl(
        None, mk_set(topic1_uuid, topic3_uuid), Assignment.EMPTY
    )
    members[member_b] = MemberSubscriptionAndAssignmentImpl(None, mk_set(topic3_uuid), Assignment.EMPTY)
    group_spec = GroupSpecImpl(members, SubscriptionType.HETEROGENEOUS, {})
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(topic_metadata)
    computed_assignment = assignor.assign(group_spec, subscribed_topic_metadata)
    expected_assignment: dict[str, dict[Uuid, set[int]]] = {}
    expected_assignment[member_a] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 0, 1, 2), mk_topic_assignment(topic3_uuid, 3, 5)
    )
    expected_assignment[member_b] = mk_assignment(mk_topic_assignment(topic3_uuid, 0, 1, 2, 4))
    assert_assignment(expected_assignment, computed_assignment)


def test_first_assignment_num_members_greater_than_total_num_partitions() -> None:
    topic_metadata: dict[Uuid, TopicMetadata] = {}
    topic_metadata[topic3_uuid] = TopicMetadata(topic3_uuid, topic3_name, 1, mk_map_of_partition_racks(1))
    topic_metadata[topic1_uuid] = TopicMetadata(topic1_uuid, topic1_name, 2, mk_map_of_partition_racks(2))
    members: dict[str, MemberSubscriptionAndAssignmentImpl] = {}
    members[member_a] = MemberSubscriptionAndAssignmentImpl(None, mk_set(topic3_uuid), Assignment.EMPTY)
    members[member_b] = MemberSubscriptionAndAssignmentImpl(None, mk_set(topic3_uuid), Assignment.EMPTY)
    members[member_c] = MemberSubscriptionAndAssignmentImpl(None, mk_set(topic1_uuid), Assignment.EMPTY)
    group_spec = GroupSpecImpl(members, SubscriptionType.HETEROGENEOUS, {})
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(topic_metadata)
    computed_assignment = assignor.assign(group_spec, subscribed_topic_metadata)
    expected_assignment: dict[str, dict[Uuid, set[int]]] = {}
    expected_assignment[member_a] = mk_assignment(mk_topic_assignment(topic3_uuid, 0))
    expected_assignment[member_b] = {}
    expected_assignment[member_c] = mk_assignment(mk_topic_assignment(topic1_uuid, 0, 1))
    assert_assignment(expected_assignment, computed_assignment)


def test_reassignment_for_two_members_three_topics_given_unbalanced_prev_assignment() -> None:
    topic_metadata: dict[Uuid, TopicMetadata] = {}
    topic_metadata[topic1_uuid] = TopicMetadata(topic1_uuid, topic1_name, 6, mk_map_of_partition_racks(6))
    topic_metadata[topic2_uuid] = TopicMetadata(topic2_uuid, topic2_name, 4, mk_map_of_partition_racks(4))
    topic_metadata[topic3_uuid] = TopicMetadata(topic3_uuid, topic3_name, 4, mk_map_of_partition_racks(4))
    members: dict[str, MemberSubscriptionAndAssignmentImpl] = {}
    members[member_a] = MemberSubscriptionAndAssignmentImpl(
        None, mk_set(topic1_uuid), Assignment(mk_assignment(mk_topic_assignment(topic1_uuid, 0, 1, 2)))
    )
    members[member_b] = MemberSubscriptionAndAssignmentImpl(
        None,
        mk_set(topic1_uuid, topic2_uuid),
        Assignment(mk_assignment(mk_topic_assignment(topic1_uuid, 3), mk_topic_assignment(topic2_uuid, 0))),
    )
    members[member_c] = MemberSubscriptionAndAssignmentImpl(
        None,
        mk_set(topic1_uuid, topic2_uuid, topic3_uuid),
        Assignment(
            mk_assignment(
                mk_topic_assignment(topic1_uuid, 4, 5),
                mk_topic_assignment(topic2_uuid, 1, 2, 3),
                mk_topic_assignment(topic3_uuid, 0, 1, 2, 3),
            )
        ),
    )
    group_spec = GroupSpecImpl(members, SubscriptionType.HETEROGENEOUS, inverted_target_assignment(members))
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(topic_metadata)
    computed_assignment = assignor.assign(group_spec, subscribed_topic_metadata)
    expected_assignment: dict[str, dict[Uuid, set[int]]] = {}
    expected_assignment[member_a] = mk_assignment(mk_topic_assignment(topic1_uuid, 0, 1, 2, 3, 4))
    expected_assignment[member_b] = mk_assignment(mk_topic_assignment(topic2_uuid, 0, 1, 2, 3))
    expected_assignment[member_c] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 5), mk_topic_assignment(topic3_uuid, 0, 1, 2, 3)
    )
    assert_assignment(expected_assignment, computed_assignment)


def test_reassignment_when_partitions_are_added_for_two_members() -> None:
    topic_metadata: dict[Uuid, TopicMetadata] = {}
    topic_metadata[topic1_uuid] = TopicMetadata(topic1_uuid, topic1_name, 6, mk_map_of_partition_racks(6))
    topic_metadata[topic2_uuid] = TopicMetadata(topic2_uuid, topic2_name, 5, mk_map_of_partition_racks(5))
    topic_metadata[topic3_uuid] = TopicMetadata(topic3_uuid, topic3_name, 3, mk_map_of_partition_racks(3))
    topic_metadata[topic4_uuid] = TopicMetadata(topic4_uuid, topic4_name, 3, mk_map_of_partition_racks(3))
    members: dict[str, MemberSubscriptionAndAssignmentImpl] = {}
    members[member_a] = MemberSubscriptionAndAssignmentImpl(
        None,
        mk_set(topic1_uuid, topic3_uuid),
        Assignment(
            mk_assignment(
                mk_topic_assignment(topic1_uuid, 0, 1, 2, 3), mk_topic_assignment(topic3_uuid, 0, 1)
            )
        ),
    )
    members[member_b] = MemberSubscriptionAndAssignmentImpl(
        None,
        mk_set(topic1_uuid, topic2_uuid, topic3_uuid, topic4_uuid),
        Assignment(
            mk_assignment(
                mk_topic_assignment(topic2_uuid, 0, 1, 2), mk_topic_assignment(topic4_uuid, 0, 1, 2)
            )
        ),
    )
    group_spec = GroupSpecImpl(members, SubscriptionType.HETEROGENEOUS, inverted_target_assignment(members))
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(topic_metadata)
    computed_assignment = assignor.assign(group_spec, subscribed_topic_metadata)
    expected_assignment: dict[str, dict[Uuid, set[int]]] = {}
    expected_assignment[member_a] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 0, 1, 2, 3, 4, 5), mk_topic_assignment(topic3_uuid, 0, 1, 2)
    )
    expected_assignment[member_b] = mk_assignment(
        mk_topic_assignment(topic2_uuid, 0, 1, 2, 3, 4), mk_topic_assignment(topic4_uuid, 0, 1, 2)
    )
    assert_assignment(expected_assignment, computed_assignment)


def test_reassignment_when_one_member_added_and_partitions_added_two_members_two_topics() -> None:
    topic_metadata: dict[Uuid, TopicMetadata] = {}
    topic_metadata[topic1_uuid] = TopicMetadata(topic1_uuid, topic1_name, 6, mk_map_of_partition_racks(6))
    topic_metadata[topic2_uuid] = TopicMetadata(topic2_uuid, topic2_name, 7, mk_map_of_partition_racks(7))
    members: dict[str, MemberSubscriptionAndAssignmentImpl] = {}
    members[member_a] = MemberSubscriptionAndAssignmentImpl(
        None,
        mk_set(topic1_uuid),
        Assignment(
            mk_assignment(mk_topic_assignment(topic1_uuid, 0, 2), mk_topic_assignment(topic2_uuid, 0))
        ),
    )
    members[member_b] = MemberSubscriptionAndAssignmentImpl(
        None,
        mk_set(topic1_uuid, topic2_uuid),
        Assignment(
            mk_assignment(mk_topic_assignment(topic1_uuid, 1), mk_topic_assignment(topic2_uuid, 1, 2))
        ),
    )
    members[member_c] = MemberSubscriptionAndAssignmentImpl(
        None, mk_set(topic1_uuid, topic2_uuid), Assignment.EMPTY
    )
    group_spec = GroupSpecImpl(members, SubscriptionType.HETEROGENEOUS, inverted_target_assignment(members))
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(topic_metadata)
    computed_assignment = assignor.assign(group_spec, subscribed_topic_metadata)
    expected_assignment: dict[str, dict[Uuid, set[int]]] = {}
    expected_assignment[member_a] = mk_assignment(mk_topic_assignment(topic1_uuid, 0, 2, 3, 4, 5))
    expected_assignment[member_b] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 1), mk_topic_assignment(topic2_uuid, 1, 2, 5)
    )
    expected_assignment[member_c] = mk_assignment(mk_topic_assignment(topic2_uuid, 0, 3, 4, 6))
    assert_assignment(expected_assignment, computed_assignment)


def test_reassignment_when_one_member_removed_after_initial_assignment_with_three_members_three_topics() -> (
    None
):
    topic_metadata: dict[Uuid, TopicMetadata] = {}
    topic_metadata[topic1_uuid] = TopicMetadata(topic1_uuid, topic1_name, 3, mk_map_of_partition_racks(3))
    topic_metadata[topic2_uuid] = TopicMetadata(topic2_uuid, topic2_name, 8, mk_map_of_partition_racks(4))
    topic_metadata[topic3_uuid] = TopicMetadata(topic3_uuid, topic3_name, 3, mk_map_of_partition_racks(3))
    members: dict[str, MemberSubscriptionAndAssignmentImpl] = {}
    members[member_a] = MemberSubscriptionAndAssignmentImpl(
        None,
        mk_set(topic1_uuid, topic3_uuid),
        Assignment(
            mk_assignment(mk_topic_assignment(topic1_uuid, 0, 1, 2), mk_topic_assignment(topic3_uuid, 0, 1))
        ),
    )
    members[member_b] = MemberSubscriptionAndAssignmentImpl(
        None, mk_set(topic2_uuid), Assignment(mk_assignment(mk_topic_assignment(topic2_uuid, 3, 4, 5, 6)))
    )
    group_spec = GroupSpecImpl(members, SubscriptionType.HETEROGENEOUS, inverted_target_assignment(members))
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(topic_metadata)
    computed_assignment = assignor.assign(group_spec, subscribed_topic_metadata)
    expected_assignment: dict[str, dict[Uuid, set[int]]] = {}
    expected_assignment[member_a] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 0, 1, 2), mk_topic_assignment(topic3_uuid, 0, 1, 2)
    )
    expected_assignment[member_b] = mk_assignment(mk_topic_assignment(topic2_uuid, 0, 1, 2, 3, 4, 5, 6, 7))
    assert_assignment(expected_assignment, computed_assignment)


def test_reassignment_when_one_subscription_removed_after_initial_assignment_with_two_members_two_topics() -> (  # noqa: E501
    None
):
    topic_metadata: dict[Uuid, TopicMetadata] = {}
    topic_metadata[topic1_uuid] = TopicMetadata(topic1_uuid, topic1_name, 3, mk_map_of_partition_racks(3))
    topic_metadata[topic2_uuid] = TopicMetadata(topic2_uuid, topic2_name, 5, mk_map_of_partition_racks(5))
    members: dict[str, MemberSubscriptionAndAssignmentImpl] = {}
    members[member_a] = MemberSubscriptionAndAssignmentImpl(
        None,
        mk_set(topic1_uuid),
        Assignment(
            mk_assignment(mk_topic_assignment(topic1_uuid, 0, 2), mk_topic_assignment(topic2_uuid, 1, 3))
        ),
    )
    members[member_b] = MemberSubscriptionAndAssignmentImpl(
        None,
        mk_set(topic1_uuid, topic2_uuid),
        Assignment(
            mk_assignment(mk_topic_assignment(topic1_uuid, 1), mk_topic_assignment(topic2_uuid, 0, 2, 4))
        ),
    )
    group_spec = GroupSpecImpl(members, SubscriptionType.HETEROGENEOUS, inverted_target_assignment(members))
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(topic_metadata)
    computed_assignment = assignor.assign(group_spec, subscribed_topic_metadata)
    expected_assignment: dict[str, dict[Uuid, set[int]]] = {}
    expected_assignment[member_a] = mk_assignment(mk_topic_assignment(topic1_uuid, 0, 1, 2))
    expected_assignment[member_b] = mk_assignment(mk_topic_assignment(topic2_uuid, 0, 1, 2, 3, 4))
    assert_assignment(expected_assignment, computed_assignment)


def test_first_assignment_with_two_members_including_one_without_subscriptions() -> None:
    topic_metadata: dict[Uuid, TopicMetadata] = {}
    topic_metadata[topic1_uuid] = TopicMetadata(topic1_uuid, topic1_name, 3, mk_map_of_partition_racks(3))
    members: dict[str, MemberSubscriptionAndAssignmentImpl] = {}
    members[member_a] = MemberSubscriptionAndAssignmentImpl(None, mk_set(topic1_uuid), Assignment.EMPTY)
    members[member_b] = MemberSubscriptionAndAssignmentImpl(None, set(), Assignment.EMPTY)
    group_spec = GroupSpecImpl(members, SubscriptionType.HETEROGENEOUS, {})
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(topic_metadata)
    computed_assignment = assignor.assign(group_spec, subscribed_topic_metadata)
    expected_assignment: dict[str, dict[Uuid, set[int]]] = {}
    expected_assignment[member_a] = mk_assignment(mk_topic_assignment(topic1_uuid, 0, 1, 2))
    expected_assignment[member_b] = {}
    assert_assignment(expected_assignment, computed_assignment)
