# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.assignor.GroupSpecImplTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A group as an assignor sees it."""

from __future__ import annotations

import pytest

from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.api.assignor.group_spec import SubscriptionType
from kreactor.coordinator.group.consumer.assignment import Assignment
from kreactor.coordinator.group.consumer.group_spec_impl import GroupSpecImpl
from kreactor.coordinator.group.consumer.member_subscription_and_assignment_impl import (
    MemberSubscriptionAndAssignmentImpl)
from kreactor.jdk.exceptions import IllegalArgumentException


TEST_MEMBER = "test-member"


members: dict[str, MemberSubscriptionAndAssignmentImpl] = {}
inverted: dict[Uuid, dict[int, str]] = {}
subscription_type = SubscriptionType.HOMOGENEOUS
topic_id = Uuid.random_uuid()
group_spec = GroupSpecImpl({}, subscription_type, {})


@pytest.fixture(autouse=True)
def set_up() -> None:
    global members, inverted, group_spec
    members, inverted = {}, {}
    members[TEST_MEMBER] = MemberSubscriptionAndAssignmentImpl(None, {topic_id}, Assignment.EMPTY)
    group_spec = GroupSpecImpl(members, subscription_type, inverted)


def test_member_ids() -> None:
    assert group_spec.member_ids() == members.keys()


def test_subscription_type() -> None:
    assert group_spec.subscription_type() == subscription_type


def test_is_partition_assigned() -> None:
    partition_map: dict[int, str] = {}
    partition_map[1] = "test-member"
    inverted[topic_id] = partition_map
    assert group_spec.is_partition_assigned(topic_id, 1)
    assert not group_spec.is_partition_assigned(topic_id, 2)
    assert not group_spec.is_partition_assigned(Uuid.random_uuid(), 2)


def test_member_subscription() -> None:
    assert group_spec.member_subscription(TEST_MEMBER) == members[TEST_MEMBER]
    with pytest.raises(IllegalArgumentException):
        group_spec.member_subscription("unknown-member")


def test_member_assignment() -> None:
    topic_partitions: dict[Uuid, set[int]] = {}
    topic_partitions[topic_id] = {0, 1}
    members[TEST_MEMBER] = MemberSubscriptionAndAssignmentImpl(None, {topic_id}, Assignment(topic_partitions))
    assert group_spec.member_assignment(TEST_MEMBER).partitions() == topic_partitions
    assert group_spec.member_assignment("unknown-member").partitions() == {}
