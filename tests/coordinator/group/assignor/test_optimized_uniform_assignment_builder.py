# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.assignor.OptimizedUniformAssignmentBuilderTest of
# Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Tests of the uniform assignor for members with the same subscriptions."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.api.assignor.group_spec import GroupAssignment, Partitions, SubscriptionType
from kreactor.coordinator.group.api.assignor.partition_assignor import PartitionAssignorException
from kreactor.coordinator.group.assignor.uniform_assignor import UniformAssignor
from kreactor.coordinator.group.consumer.member_subscription_and_assignment_impl import (
    MemberSubscriptionAndAssignmentImpl)
from tests.coordinator.group.assignment_test_util import (
    TOPIC1, TOPIC2, TOPIC3, AssignorCheck, mk_assignment, mk_subscription)

UNIFORM = AssignorCheck(UniformAssignor(), SubscriptionType.HOMOGENEOUS)


def test_one_member_no_topic_subscription() -> None:
    UNIFORM.check({TOPIC1: 3}, {"A": mk_subscription([])}, {})


def test_one_member_subscribed_to_nonexistent_topic() -> None:
    with pytest.raises(PartitionAssignorException):
        UNIFORM.assign({TOPIC1: 3}, {"A": mk_subscription([TOPIC2])})


def test_first_assignment_two_members_two_topics_no_member_racks() -> None:
    check(
        {TOPIC1: 3, TOPIC3: 2},
        {"A": mk_subscription([TOPIC1, TOPIC3]), "B": mk_subscription([TOPIC1, TOPIC3])},
        {"A": mk_assignment((TOPIC1, 0), (TOPIC3, 0, 1)), "B": mk_assignment((TOPIC1, 1, 2))})


def test_first_assignment_num_members_greater_than_total_num_partitions() -> None:
    check(
        {TOPIC3: 2},
        {"A": mk_subscription([TOPIC3]), "B": mk_subscription([TOPIC3]), "C": mk_subscription([TOPIC3])},
        {"A": mk_assignment((TOPIC3, 0)), "B": mk_assignment((TOPIC3, 1)), "C": {}})


def test_validity_and_balance_for_large_sample_set() -> None:
    topic_ids = [Uuid.random_uuid() for _ in range(1, 100)]
    members = {f"member{i}": mk_subscription(topic_ids) for i in range(1, 50)}
    check_validity_and_balance(members, UNIFORM.assign(dict.fromkeys(topic_ids, 3), members))


def test_reassignment_for_two_members_two_topics_given_unbalanced_prev_assignment() -> None:
    check(
        {TOPIC1: 3, TOPIC2: 3},
        {
            "A": mk_subscription([TOPIC1, TOPIC2], (TOPIC1, 0, 1), (TOPIC2, 0, 1)),
            "B": mk_subscription([TOPIC1, TOPIC2], (TOPIC1, 2), (TOPIC2, 2))},
        {"A": mk_assignment((TOPIC1, 0, 1), (TOPIC2, 0)), "B": mk_assignment((TOPIC1, 2), (TOPIC2, 1, 2))})


def test_reassignment_when_partitions_are_added_for_two_members_two_topics() -> None:
    check(
        {TOPIC1: 6, TOPIC2: 5},
        {
            "A": mk_subscription([TOPIC1, TOPIC2], (TOPIC1, 0, 2), (TOPIC2, 0)),
            "B": mk_subscription([TOPIC1, TOPIC2], (TOPIC1, 1), (TOPIC2, 1, 2))},
        {
            "A": mk_assignment((TOPIC1, 0, 2, 3), (TOPIC2, 0, 3, 4)),
            "B": mk_assignment((TOPIC1, 1, 4, 5), (TOPIC2, 1, 2))})


def test_reassignment_when_one_member_added_after_initial_assignment_with_two_members_two_topics() -> None:
    check(
        {TOPIC1: 3, TOPIC2: 3},
        {
            "A": mk_subscription([TOPIC1, TOPIC2], (TOPIC1, 0, 2), (TOPIC2, 0)),
            "B": mk_subscription([TOPIC1, TOPIC2], (TOPIC1, 1), (TOPIC2, 1, 2)),
            "C": mk_subscription([TOPIC1, TOPIC2])},
        {
            "A": mk_assignment((TOPIC1, 0, 2)), "B": mk_assignment((TOPIC1, 1), (TOPIC2, 1)),
            "C": mk_assignment((TOPIC2, 0, 2))})


def test_reassignment_when_one_member_removed_after_initial_assignment_with_three_members_two_topics() -> None:  # noqa: E501
    check(
        {TOPIC1: 3, TOPIC2: 3},
        {
            "A": mk_subscription([TOPIC1, TOPIC2], (TOPIC1, 0), (TOPIC2, 0)),
            "B": mk_subscription([TOPIC1, TOPIC2], (TOPIC1, 1), (TOPIC2, 1))},
        {"A": mk_assignment((TOPIC1, 0), (TOPIC2, 0, 2)), "B": mk_assignment((TOPIC1, 1, 2), (TOPIC2, 1))})


def test_reassignment_when_one_subscription_removed_after_initial_assignment_with_two_members_two_topics() -> None:  # noqa: E501
    check(
        {TOPIC1: 2, TOPIC2: 2},
        {
            "A": mk_subscription([TOPIC2], (TOPIC1, 0), (TOPIC2, 0)),
            "B": mk_subscription([TOPIC2], (TOPIC1, 1), (TOPIC2, 1))},
        {"A": mk_assignment((TOPIC2, 0)), "B": mk_assignment((TOPIC2, 1))})


def check(topics: Mapping[Uuid, int], members: Mapping[str, MemberSubscriptionAndAssignmentImpl],
          expected: Mapping[str, Partitions]) -> None:
    check_validity_and_balance(members, UNIFORM.check(topics, members, expected))


def check_validity_and_balance(member_subscription_spec: Mapping[str, MemberSubscriptionAndAssignmentImpl],
                               computed_group_assignment: GroupAssignment) -> None:
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
