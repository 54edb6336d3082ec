# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.assignor.RangeAssignorTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Tests of the range assignor: the first assignment, and changes."""

from __future__ import annotations

import pytest

from kreactor.coordinator.group.api.assignor.partition_assignor import PartitionAssignorException
from kreactor.coordinator.group.assignor.range_assignor import RangeAssignor
from tests.coordinator.group.assignment_test_util import (
    TOPIC1, TOPIC2, TOPIC3, AssignorCheck, mk_assignment, mk_subscription)

RANGE = AssignorCheck(RangeAssignor())


def test_one_consumer_no_topic() -> None:
    RANGE.check({TOPIC1: 3}, {"A": mk_subscription([])}, {})


def test_one_consumer_subscribed_to_non_existent_topic() -> None:
    with pytest.raises(PartitionAssignorException):
        RANGE.assign({TOPIC1: 3}, {"A": mk_subscription([TOPIC2])})


def test_first_assignment_two_consumers_two_topics_same_subscriptions() -> None:
    RANGE.check(
        {TOPIC1: 3, TOPIC3: 2},
        {"A": mk_subscription([TOPIC1, TOPIC3]), "B": mk_subscription([TOPIC1, TOPIC3])},
        {"A": mk_assignment((TOPIC1, 0, 1), (TOPIC3, 0)), "B": mk_assignment((TOPIC1, 2), (TOPIC3, 1))})


def test_first_assignment_three_consumers_three_topics_different_subscriptions() -> None:
    RANGE.check(
        {TOPIC1: 3, TOPIC2: 3, TOPIC3: 2},
        {
            "A": mk_subscription([TOPIC1, TOPIC2]), "B": mk_subscription([TOPIC3]),
            "C": mk_subscription([TOPIC2, TOPIC3])},
        {
            "A": mk_assignment((TOPIC1, 0, 1, 2), (TOPIC2, 0, 1)), "B": mk_assignment((TOPIC3, 0)),
            "C": mk_assignment((TOPIC2, 2), (TOPIC3, 1))})


def test_first_assignment_num_consumers_greater_than_num_partitions() -> None:
    RANGE.check(
        {TOPIC1: 3, TOPIC3: 2},
        {
            "A": mk_subscription([TOPIC1, TOPIC3]), "B": mk_subscription([TOPIC1, TOPIC3]),
            "C": mk_subscription([TOPIC1, TOPIC3])},
        {
            "A": mk_assignment((TOPIC1, 0), (TOPIC3, 0)), "B": mk_assignment((TOPIC1, 1), (TOPIC3, 1)),
            "C": mk_assignment((TOPIC1, 2))})


def test_reassignment_num_consumers_greater_than_num_partitions_when_one_consumer_added() -> None:
    RANGE.check(
        {TOPIC1: 2, TOPIC2: 2},
        {
            "A": mk_subscription([TOPIC1, TOPIC2], (TOPIC1, 0), (TOPIC2, 0)),
            "B": mk_subscription([TOPIC1, TOPIC2], (TOPIC1, 1), (TOPIC2, 1)),
            "C": mk_subscription([TOPIC1, TOPIC2])},
        {"A": mk_assignment((TOPIC1, 0), (TOPIC2, 0)), "B": mk_assignment((TOPIC1, 1), (TOPIC2, 1))})


def test_reassignment_when_one_partition_added_for_two_consumers_two_topics() -> None:
    RANGE.check(
        {TOPIC1: 4, TOPIC2: 4},
        {
            "A": mk_subscription([TOPIC1, TOPIC2], (TOPIC1, 0, 1), (TOPIC2, 0, 1)),
            "B": mk_subscription([TOPIC1, TOPIC2], (TOPIC1, 2), (TOPIC2, 2))},
        {
            "A": mk_assignment((TOPIC1, 0, 1), (TOPIC2, 0, 1)),
            "B": mk_assignment((TOPIC1, 2, 3), (TOPIC2, 2, 3))})


def test_reassignment_when_one_consumer_added_after_initial_assignment_with_two_consumers_two_topics() -> None:  # noqa: E501
    RANGE.check(
        {TOPIC1: 3, TOPIC2: 3},
        {
            "A": mk_subscription([TOPIC1, TOPIC2], (TOPIC1, 0, 1), (TOPIC2, 0, 1)),
            "B": mk_subscription([TOPIC1, TOPIC2], (TOPIC1, 2), (TOPIC2, 2)),
            "C": mk_subscription([TOPIC1, TOPIC2])},
        {
            "A": mk_assignment((TOPIC1, 0), (TOPIC2, 0)), "B": mk_assignment((TOPIC1, 2), (TOPIC2, 2)),
            "C": mk_assignment((TOPIC1, 1), (TOPIC2, 1))})


def test_reassignment_when_one_consumer_added_and_one_partition_after_initial_assignment_with_two_consumers_two_topics() -> None:  # noqa: E501
    RANGE.check(
        {TOPIC1: 4, TOPIC2: 3},
        {
            "A": mk_subscription([TOPIC1, TOPIC2], (TOPIC1, 0, 1), (TOPIC2, 0, 1)),
            "B": mk_subscription([TOPIC1, TOPIC2], (TOPIC1, 2), (TOPIC2, 2)), "C": mk_subscription([TOPIC1])},
        {
            "A": mk_assignment((TOPIC1, 0, 1), (TOPIC2, 0, 1)), "B": mk_assignment((TOPIC1, 2), (TOPIC2, 2)),
            "C": mk_assignment((TOPIC1, 3))})


def test_reassignment_when_one_consumer_removed_after_initial_assignment_with_two_consumers_two_topics() -> None:  # noqa: E501
    RANGE.check(
        {TOPIC1: 3, TOPIC2: 3}, {"B": mk_subscription([TOPIC1, TOPIC2], (TOPIC1, 2), (TOPIC2, 2))},
        {"B": mk_assignment((TOPIC1, 0, 1, 2), (TOPIC2, 0, 1, 2))})


def test_reassignment_when_multiple_subscriptions_removed_after_initial_assignment_with_three_consumers_two_topics() -> None:  # noqa: E501
    RANGE.check(
        {TOPIC1: 3, TOPIC2: 3, TOPIC3: 2},
        {
            "A": mk_subscription([TOPIC1], (TOPIC1, 0, 1, 2), (TOPIC2, 0)),
            "B": mk_subscription([TOPIC1, TOPIC2, TOPIC3], (TOPIC2, 1)),
            "C": mk_subscription([TOPIC2], (TOPIC2, 2), (TOPIC3, 0, 1))},
        {
            "A": mk_assignment((TOPIC1, 0, 1)),
            "B": mk_assignment((TOPIC1, 2), (TOPIC2, 0, 1), (TOPIC3, 0, 1)), "C": mk_assignment((TOPIC2, 2))})
