# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.consumer.AssignmentTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""An assignment, made and from a record."""

from __future__ import annotations

from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.consumer.assignment import Assignment
from kreactor.coordinator.group.generated.consumer_group_target_assignment_member_value import (
    ConsumerGroupTargetAssignmentMemberValue)
from tests.coordinator.group.assignment_test_util import mk_assignment


def test_attributes() -> None:
    partitions = mk_assignment((Uuid.random_uuid(), 1, 2, 3))
    assignment = Assignment(partitions)
    assert assignment.partitions() == partitions


def test_from_target_assignment_record() -> None:
    topic_id1 = Uuid.random_uuid()
    topic_id2 = Uuid.random_uuid()
    partitions: list[ConsumerGroupTargetAssignmentMemberValue.TopicPartition] = []
    partitions.append(
        ConsumerGroupTargetAssignmentMemberValue.TopicPartition(topic_id=topic_id1, partitions=[1, 2, 3]))
    partitions.append(
        ConsumerGroupTargetAssignmentMemberValue.TopicPartition(topic_id=topic_id2, partitions=[4, 5, 6]))
    record = ConsumerGroupTargetAssignmentMemberValue(topic_partitions=partitions)
    assignment = Assignment.from_record(record)
    assert assignment.partitions() == mk_assignment((topic_id1, 1, 2, 3), (topic_id2, 4, 5, 6))


def test_equals() -> None:
    partitions = mk_assignment((Uuid.random_uuid(), 1, 2, 3))
    assert Assignment(partitions) == Assignment(partitions)
