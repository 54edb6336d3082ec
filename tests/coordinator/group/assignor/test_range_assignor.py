# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.assignor.RangeAssignorTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Tests of the range assignor: the first assignment, and changes."""

from __future__ import annotations

import pytest

from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.api.assignor.group_spec import GroupAssignment, SubscriptionType
from kreactor.coordinator.group.api.assignor.partition_assignor import PartitionAssignorException
from kreactor.coordinator.group.assignor.range_assignor import RangeAssignor
from kreactor.coordinator.group.consumer.assignment import Assignment
from kreactor.coordinator.group.consumer.group_spec_impl import GroupSpecImpl
from kreactor.coordinator.group.consumer.member_subscription_and_assignment_impl import (
    MemberSubscriptionAndAssignmentImpl,
)
from kreactor.coordinator.group.consumer.subscribed_topic_describer_impl import SubscribedTopicDescriberImpl
from kreactor.coordinator.group.consumer.topic_metadata import TopicMetadata
from tests.coordinator.group.assignment_test_util import (
    inverted_target_assignment,
    mk_assignment,
    mk_topic_assignment,
)

assignor = RangeAssignor()
topic1_uuid = Uuid.random_uuid()
topic1_name = "topic1"
topic2_uuid = Uuid.random_uuid()
topic2_name = "topic2"
topic3_uuid = Uuid.random_uuid()
topic3_name = "topic3"
member_a = "A"
member_b = "B"
member_c = "C"


def test_one_consumer_no_topic() -> None:
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(
        {topic1_uuid: TopicMetadata(topic1_uuid, topic1_name, 3, {})}
    )
    members = {member_a: MemberSubscriptionAndAssignmentImpl(None, set(), Assignment.EMPTY)}
    group_spec = GroupSpecImpl(members, SubscriptionType.HOMOGENEOUS, {})
    group_assignment = assignor.assign(group_spec, subscribed_topic_metadata)
    assert group_assignment.members() == {}


def test_one_consumer_subscribed_to_non_existent_topic() -> None:
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(
        {topic1_uuid: TopicMetadata(topic1_uuid, topic1_name, 3, {})}
    )
    members = {member_a: MemberSubscriptionAndAssignmentImpl(None, {topic2_uuid}, Assignment.EMPTY)}
    group_spec = GroupSpecImpl(members, SubscriptionType.HOMOGENEOUS, {})
    with pytest.raises(PartitionAssignorException):
        assignor.assign(group_spec, subscribed_topic_metadata)


def test_first_assignment_two_consumers_two_topics_same_subscriptions() -> None:
    topic_metadata: dict[Uuid, TopicMetadata] = {}
    topic_metadata[topic1_uuid] = TopicMetadata(topic1_uuid, topic1_name, 3, {})
    topic_metadata[topic3_uuid] = TopicMetadata(topic3_uuid, topic3_name, 2, {})
    members: dict[str, MemberSubscriptionAndAssignmentImpl] = {}
    members[member_a] = MemberSubscriptionAndAssignmentImpl(
        None, {topic1_uuid, topic3_uuid}, Assignment.EMPTY
    )
    members[member_b] = MemberSubscriptionAndAssignmentImpl(
        None, {topic1_uuid, topic3_uuid}, Assignment.EMPTY
    )
    group_spec = GroupSpecImpl(members, SubscriptionType.HOMOGENEOUS, inverted_target_assignment(members))
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(topic_metadata)
    computed_assignment = assignor.assign(group_spec, subscribed_topic_metadata)
    expected_assignment: dict[str, dict[Uuid, set[int]]] = {}
    expected_assignment[member_a] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 0, 1), mk_topic_assignment(topic3_uuid, 0)
    )
    expected_assignment[member_b] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 2), mk_topic_assignment(topic3_uuid, 1)
    )
    assert_assignment(expected_assignment, computed_assignment)


def test_first_assignment_three_consumers_three_topics_different_subscriptions() -> None:
    topic_metadata: dict[Uuid, TopicMetadata] = {}
    topic_metadata[topic1_uuid] = TopicMetadata(topic1_uuid, topic1_name, 3, {})
    topic_metadata[topic2_uuid] = TopicMetadata(topic2_uuid, topic2_name, 3, {})
    topic_metadata[topic3_uuid] = TopicMetadata(topic3_uuid, topic3_name, 2, {})
    members: dict[str, MemberSubscriptionAndAssignmentImpl] = {}
    members[member_a] = MemberSubscriptionAndAssignmentImpl(
        None, {topic1_uuid, topic2_uuid}, Assignment.EMPTY
    )
    members[member_b] = MemberSubscriptionAndAssignmentImpl(None, {topic3_uuid}, Assignment.EMPTY)
    members[member_c] = MemberSubscriptionAndAssignmentImpl(
        None, {topic2_uuid, topic3_uuid}, Assignment.EMPTY
    )
    group_spec = GroupSpecImpl(members, SubscriptionType.HETEROGENEOUS, inverted_target_assignment(members))
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(topic_metadata)
    computed_assignment = assignor.assign(group_spec, subscribed_topic_metadata)
    expected_assignment: dict[str, dict[Uuid, set[int]]] = {}
    expected_assignment[member_a] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 0, 1, 2), mk_topic_assignment(topic2_uuid, 0, 1)
    )
    expected_assignment[member_b] = mk_assignment(mk_topic_assignment(topic3_uuid, 0))
    expected_assignment[member_c] = mk_assignment(
        mk_topic_assignment(topic2_uuid, 2), mk_topic_assignment(topic3_uuid, 1)
    )
    assert_assignment(expected_assignment, computed_assignment)


def test_first_assignment_num_consumers_greater_than_num_partitions() -> None:
    topic_metadata: dict[Uuid, TopicMetadata] = {}
    topic_metadata[topic1_uuid] = TopicMetadata(topic1_uuid, topic1_name, 3, {})
    topic_metadata[topic3_uuid] = TopicMetadata(topic3_uuid, topic3_name, 2, {})
    members: dict[str, MemberSubscriptionAndAssignmentImpl] = {}
    members[member_a] = MemberSubscriptionAndAssignmentImpl(
        None, {topic1_uuid, topic3_uuid}, Assignment.EMPTY
    )
    members[member_b] = MemberSubscriptionAndAssignmentImpl(
        None, {topic1_uuid, topic3_uuid}, Assignment.EMPTY
    )
    members[member_c] = MemberSubscriptionAndAssignmentImpl(
        None, {topic1_uuid, topic3_uuid}, Assignment.EMPTY
    )
    group_spec = GroupSpecImpl(members, SubscriptionType.HOMOGENEOUS, inverted_target_assignment(members))
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(topic_metadata)
    computed_assignment = assignor.assign(group_spec, subscribed_topic_metadata)
    expected_assignment: dict[str, dict[Uuid, set[int]]] = {}
    expected_assignment[member_a] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 0), mk_topic_assignment(topic3_uuid, 0)
    )
    expected_assignment[member_b] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 1), mk_topic_assignment(topic3_uuid, 1)
    )
    expected_assignment[member_c] = mk_assignment(mk_topic_assignment(topic1_uuid, 2))
    assert_assignment(expected_assignment, computed_assignment)


def test_reassignment_num_consumers_greater_than_num_partitions_when_one_consumer_added() -> None:
    topic_metadata: dict[Uuid, TopicMetadata] = {}
    topic_metadata[topic1_uuid] = TopicMetadata(topic1_uuid, topic1_name, 2, {})
    topic_metadata[topic2_uuid] = TopicMetadata(topic2_uuid, topic2_name, 2, {})
    members: dict[str, MemberSubscriptionAndAssignmentImpl] = {}
    members[member_a] = MemberSubscriptionAndAssignmentImpl(
        None,
        {topic1_uuid, topic2_uuid},
        Assignment(mk_assignment(mk_topic_assignment(topic1_uuid, 0), mk_topic_assignment(topic2_uuid, 0))),
    )
    members[member_b] = MemberSubscriptionAndAssignmentImpl(
        None,
        {topic1_uuid, topic2_uuid},
        Assignment(mk_assignment(mk_topic_assignment(topic1_uuid, 1), mk_topic_assignment(topic2_uuid, 1))),
    )
    members[member_c] = MemberSubscriptionAndAssignmentImpl(
        None, {topic1_uuid, topic2_uuid}, Assignment.EMPTY
    )
    group_spec = GroupSpecImpl(members, SubscriptionType.HOMOGENEOUS, inverted_target_assignment(members))
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(topic_metadata)
    computed_assignment = assignor.assign(group_spec, subscribed_topic_metadata)
    expected_assignment: dict[str, dict[Uuid, set[int]]] = {}
    expected_assignment[member_a] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 0), mk_topic_assignment(topic2_uuid, 0)
    )
    expected_assignment[member_b] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 1), mk_topic_assignment(topic2_uuid, 1)
    )
    assert member_c not in computed_assignment.members()
    assert_assignment(expected_assignment, computed_assignment)


def test_reassignment_when_one_partition_added_for_two_consumers_two_topics() -> None:
    topic_metadata: dict[Uuid, TopicMetadata] = {}
    topic_metadata[topic1_uuid] = TopicMetadata(topic1_uuid, topic1_name, 4, {})
    topic_metadata[topic2_uuid] = TopicMetadata(topic2_uuid, topic2_name, 4, {})
    members: dict[str, MemberSubscriptionAndAssignmentImpl] = {}
    members[member_a] = MemberSubscriptionAndAssignmentImpl(
        None,
        {topic1_uuid, topic2_uuid},
        Assignment(
            mk_assignment(mk_topic_assignment(topic1_uuid, 0, 1), mk_topic_assignment(topic2_uuid, 0, 1))
        ),
    )
    members[member_b] = MemberSubscriptionAndAssignmentImpl(
        None,
        {topic1_uuid, topic2_uuid},
        Assignment(mk_assignment(mk_topic_assignment(topic1_uuid, 2), mk_topic_assignment(topic2_uuid, 2))),
    )
    group_spec = GroupSpecImpl(members, SubscriptionType.HOMOGENEOUS, inverted_target_assignment(members))
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(topic_metadata)
    computed_assignment = assignor.assign(group_spec, subscribed_topic_metadata)
    expected_assignment: dict[str, dict[Uuid, set[int]]] = {}
    expected_assignment[member_a] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 0, 1), mk_topic_assignment(topic2_uuid, 0, 1)
    )
    expected_assignment[member_b] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 2, 3), mk_topic_assignment(topic2_uuid, 2, 3)
    )
    assert_assignment(expected_assignment, computed_assignment)


def test_reassignment_when_one_consumer_added_after_initial_assignment_with_two_consumers_two_topics() -> (
    None
):
    topic_metadata: dict[Uuid, TopicMetadata] = {}
    topic_metadata[topic1_uuid] = TopicMetadata(topic1_uuid, topic1_name, 3, {})
    topic_metadata[topic2_uuid] = TopicMetadata(topic2_uuid, topic2_name, 3, {})
    members: dict[str, MemberSubscriptionAndAssignmentImpl] = {}
    members[member_a] = MemberSubscriptionAndAssignmentImpl(
        None,
        {topic1_uuid, topic2_uuid},
        Assignment(
            mk_assignment(mk_topic_assignment(topic1_uuid, 0, 1), mk_topic_assignment(topic2_uuid, 0, 1))
        ),
    )
    members[member_b] = MemberSubscriptionAndAssignmentImpl(
        None,
        {topic1_uuid, topic2_uuid},
        Assignment(mk_assignment(mk_topic_assignment(topic1_uuid, 2), mk_topic_assignment(topic2_uuid, 2))),
    )
    members[member_c] = MemberSubscriptionAndAssignmentImpl(
        None, {topic1_uuid, topic2_uuid}, Assignment.EMPTY
    )
    group_spec = GroupSpecImpl(members, SubscriptionType.HOMOGENEOUS, inverted_target_assignment(members))
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(topic_metadata)
    computed_assignment = assignor.assign(group_spec, subscribed_topic_metadata)
    expected_assignment: dict[str, dict[Uuid, set[int]]] = {}
    expected_assignment[member_a] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 0), mk_topic_assignment(topic2_uuid, 0)
    )
    expected_assignment[member_b] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 2), mk_topic_assignment(topic2_uuid, 2)
    )
    expected_assignment[member_c] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 1), mk_topic_assignment(topic2_uuid, 1)
    )
    assert_assignment(expected_assignment, computed_assignment)


def test_reassignment_when_one_consumer_added_and_one_partition_after_initial_assignment_with_two_consumers_two_topics() -> (  # noqa: E501
    None
):
    topic_metadata: dict[Uuid, TopicMetadata] = {}
    topic_metadata[topic1_uuid] = TopicMetadata(topic1_uuid, topic1_name, 4, {})
    topic_metadata[topic2_uuid] = TopicMetadata(topic2_uuid, topic2_name, 3, {})
    members: dict[str, MemberSubscriptionAndAssignmentImpl] = {}
    members[member_a] = MemberSubscriptionAndAssignmentImpl(
        None,
        {topic1_uuid, topic2_uuid},
        Assignment(
            mk_assignment(mk_topic_assignment(topic1_uuid, 0, 1), mk_topic_assignment(topic2_uuid, 0, 1))
        ),
    )
    members[member_b] = MemberSubscriptionAndAssignmentImpl(
        None,
        {topic1_uuid, topic2_uuid},
        Assignment(mk_assignment(mk_topic_assignment(topic1_uuid, 2), mk_topic_assignment(topic2_uuid, 2))),
    )
    members[member_c] = MemberSubscriptionAndAssignmentImpl(None, {topic1_uuid}, Assignment.EMPTY)
    group_spec = GroupSpecImpl(members, SubscriptionType.HETEROGENEOUS, inverted_target_assignment(members))
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(topic_metadata)
    computed_assignment = assignor.assign(group_spec, subscribed_topic_metadata)
    expected_assignment: dict[str, dict[Uuid, set[int]]] = {}
    expected_assignment[member_a] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 0, 1), mk_topic_assignment(topic2_uuid, 0, 1)
    )
    expected_assignment[member_b] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 2), mk_topic_assignment(topic2_uuid, 2)
    )
    expected_assignment[member_c] = mk_assignment(mk_topic_assignment(topic1_uuid, 3))
    assert_assignment(expected_assignment, computed_assignment)


def test_reassignment_when_one_consumer_removed_after_initial_assignment_with_two_consumers_two_topics() -> (
    None
):
    topic_metadata: dict[Uuid, TopicMetadata] = {}
    topic_metadata[topic1_uuid] = TopicMetadata(topic1_uuid, topic1_name, 3, {})
    topic_metadata[topic2_uuid] = TopicMetadata(topic2_uuid, topic2_name, 3, {})
    members: dict[str, MemberSubscriptionAndAssignmentImpl] = {}
    members[member_b] = MemberSubscriptionAndAssignmentImpl(
        None,
        {topic1_uuid, topic2_uuid},
        Assignment(mk_assignment(mk_topic_assignment(topic1_uuid, 2), mk_topic_assignment(topic2_uuid, 2))),
    )
    group_spec = GroupSpecImpl(members, SubscriptionType.HOMOGENEOUS, inverted_target_assignment(members))
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(topic_metadata)
    computed_assignment = assignor.assign(group_spec, subscribed_topic_metadata)
    expected_assignment: dict[str, dict[Uuid, set[int]]] = {}
    expected_assignment[member_b] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 0, 1, 2), mk_topic_assignment(topic2_uuid, 0, 1, 2)
    )
    assert_assignment(expected_assignment, computed_assignment)


def test_reassignment_when_multiple_subscriptions_removed_after_initial_assignment_with_three_consumers_two_topics() -> (  # noqa: E501
    None
):
    topic_metadata: dict[Uuid, TopicMetadata] = {}
    topic_metadata[topic1_uuid] = TopicMetadata(topic1_uuid, topic1_name, 3, {})
    topic_metadata[topic2_uuid] = TopicMetadata(topic2_uuid, topic2_name, 3, {})
    topic_metadata[topic3_uuid] = TopicMetadata(topic3_uuid, topic3_name, 2, {})
    members: dict[str, MemberSubscriptionAndAssignmentImpl] = {}
    members[member_a] = MemberSubscriptionAndAssignmentImpl(
        None,
        {topic1_uuid},
        Assignment(
            mk_assignment(mk_topic_assignment(topic1_uuid, 0, 1, 2), mk_topic_assignment(topic2_uuid, 0))
        ),
    )
    members[member_b] = MemberSubscriptionAndAssignmentImpl(
        None,
        {topic1_uuid, topic2_uuid, topic3_uuid},
        Assignment(mk_assignment(mk_topic_assignment(topic2_uuid, 1))),
    )
    members[member_c] = MemberSubscriptionAndAssignmentImpl(
        None,
        {topic2_uuid},
        Assignment(
            mk_assignment(mk_topic_assignment(topic2_uuid, 2), mk_topic_assignment(topic3_uuid, 0, 1))
        ),
    )
    group_spec = GroupSpecImpl(members, SubscriptionType.HETEROGENEOUS, inverted_target_assignment(members))
    subscribed_topic_metadata = SubscribedTopicDescriberImpl(topic_metadata)
    computed_assignment = assignor.assign(group_spec, subscribed_topic_metadata)
    expected_assignment: dict[str, dict[Uuid, set[int]]] = {}
    expected_assignment[member_a] = mk_assignment(mk_topic_assignment(topic1_uuid, 0, 1))
    expected_assignment[member_b] = mk_assignment(
        mk_topic_assignment(topic1_uuid, 2),
        mk_topic_assignment(topic2_uuid, 0, 1),
        mk_topic_assignment(topic3_uuid, 0, 1),
    )
    expected_assignment[member_c] = mk_assignment(mk_topic_assignment(topic2_uuid, 2))
    assert_assignment(expected_assignment, computed_assignment)


def assert_assignment(
    expected_assignment: dict[str, dict[Uuid, set[int]]], computed_group_assignment: GroupAssignment
) -> None:
    assert len(computed_group_assignment.members()) == len(expected_assignment)
    for member_id in computed_group_assignment.members().keys():
        computed_assignment_for_member = computed_group_assignment.members()[member_id].partitions()
        assert computed_assignment_for_member == expected_assignment[member_id]
