# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.assignor.UniformHeterogeneousAssignmentBuilderTest
# of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Tests of the uniform assignor for members with different subscriptions."""

from __future__ import annotations

import pytest

from kreactor.coordinator.group.api.assignor.group_spec import SubscriptionType
from kreactor.coordinator.group.api.assignor.partition_assignor import PartitionAssignorException
from kreactor.coordinator.group.assignor.uniform_assignor import UniformAssignor
from tests.coordinator.group.assignment_test_util import (
    TOPIC1, TOPIC2, TOPIC3, TOPIC4, AssignorCheck, mk_assignment, mk_subscription)

UNIFORM = AssignorCheck(UniformAssignor(), SubscriptionType.HETEROGENEOUS)


def test_two_members_no_topic_subscription() -> None:
    UNIFORM.check({TOPIC1: 3}, {"A": mk_subscription([]), "B": mk_subscription([])}, {})


def test_two_members_subscribed_to_nonexistent_topics() -> None:
    with pytest.raises(PartitionAssignorException):
        UNIFORM.assign({TOPIC1: 3}, {"A": mk_subscription([TOPIC3]), "B": mk_subscription([TOPIC2])})


def test_first_assignment_two_members_two_topics() -> None:
    UNIFORM.check(
        {TOPIC1: 3, TOPIC3: 6}, {"A": mk_subscription([TOPIC1, TOPIC3]), "B": mk_subscription([TOPIC3])},
        {"A": mk_assignment((TOPIC1, 0, 1, 2), (TOPIC3, 3, 5)), "B": mk_assignment((TOPIC3, 0, 1, 2, 4))})


def test_first_assignment_num_members_greater_than_total_num_partitions() -> None:
    UNIFORM.check(
        {TOPIC3: 1, TOPIC1: 2},
        {"A": mk_subscription([TOPIC3]), "B": mk_subscription([TOPIC3]), "C": mk_subscription([TOPIC1])},
        {"A": mk_assignment((TOPIC3, 0)), "B": {}, "C": mk_assignment((TOPIC1, 0, 1))})


def test_reassignment_for_two_members_three_topics_given_unbalanced_prev_assignment() -> None:
    UNIFORM.check(
        {TOPIC1: 6, TOPIC2: 4, TOPIC3: 4},
        {
            "A": mk_subscription([TOPIC1], (TOPIC1, 0, 1, 2)),
            "B": mk_subscription([TOPIC1, TOPIC2], (TOPIC1, 3), (TOPIC2, 0)), "C": mk_subscription(
                [TOPIC1, TOPIC2, TOPIC3], (TOPIC1, 4, 5), (TOPIC2, 1, 2, 3), (TOPIC3, 0, 1, 2, 3))},
        {
            "A": mk_assignment((TOPIC1, 0, 1, 2, 3, 4)), "B": mk_assignment((TOPIC2, 0, 1, 2, 3)),
            "C": mk_assignment((TOPIC1, 5), (TOPIC3, 0, 1, 2, 3))})


def test_reassignment_when_partitions_are_added_for_two_members() -> None:
    UNIFORM.check(
        {TOPIC1: 6, TOPIC2: 5, TOPIC3: 3, TOPIC4: 3},
        {
            "A": mk_subscription([TOPIC1, TOPIC3], (TOPIC1, 0, 1, 2, 3), (TOPIC3, 0, 1)),
            "B": mk_subscription([TOPIC1, TOPIC2, TOPIC3, TOPIC4], (TOPIC2, 0, 1, 2), (TOPIC4, 0, 1, 2))},
        {
            "A": mk_assignment((TOPIC1, 0, 1, 2, 3, 4, 5), (TOPIC3, 0, 1, 2)),
            "B": mk_assignment((TOPIC2, 0, 1, 2, 3, 4), (TOPIC4, 0, 1, 2))})


def test_reassignment_when_one_member_added_and_partitions_added_two_members_two_topics() -> None:
    UNIFORM.check(
        {TOPIC1: 6, TOPIC2: 7},
        {
            "A": mk_subscription([TOPIC1], (TOPIC1, 0, 2), (TOPIC2, 0)),
            "B": mk_subscription([TOPIC1, TOPIC2], (TOPIC1, 1), (TOPIC2, 1, 2)),
            "C": mk_subscription([TOPIC1, TOPIC2])},
        {
            "A": mk_assignment((TOPIC1, 0, 2, 3, 4, 5)), "B": mk_assignment((TOPIC1, 1), (TOPIC2, 1, 2, 5)),
            "C": mk_assignment((TOPIC2, 0, 3, 4, 6))})


def test_reassignment_when_one_member_removed_after_initial_assignment_with_three_members_three_topics() -> None:  # noqa: E501
    UNIFORM.check(
        {TOPIC1: 3, TOPIC2: 8, TOPIC3: 3},
        {
            "A": mk_subscription([TOPIC1, TOPIC3], (TOPIC1, 0, 1, 2), (TOPIC3, 0, 1)),
            "B": mk_subscription([TOPIC2], (TOPIC2, 3, 4, 5, 6))},
        {
            "A": mk_assignment((TOPIC1, 0, 1, 2), (TOPIC3, 0, 1, 2)),
            "B": mk_assignment((TOPIC2, 0, 1, 2, 3, 4, 5, 6, 7))})


def test_reassignment_when_one_subscription_removed_after_initial_assignment_with_two_members_two_topics() -> None:  # noqa: E501
    UNIFORM.check(
        {TOPIC1: 3, TOPIC2: 5},
        {
            "A": mk_subscription([TOPIC1], (TOPIC1, 0, 2), (TOPIC2, 1, 3)),
            "B": mk_subscription([TOPIC1, TOPIC2], (TOPIC1, 1), (TOPIC2, 0, 2, 4))},
        {"A": mk_assignment((TOPIC1, 0, 1, 2)), "B": mk_assignment((TOPIC2, 0, 1, 2, 3, 4))})


def test_first_assignment_with_two_members_including_one_without_subscriptions() -> None:
    UNIFORM.check(
        {TOPIC1: 3}, {"A": mk_subscription([TOPIC1]), "B": mk_subscription([])},
        {"A": mk_assignment((TOPIC1, 0, 1, 2)), "B": {}})
