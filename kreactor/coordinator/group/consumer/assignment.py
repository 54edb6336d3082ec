# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.consumer.Assignment of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A member's part of the target assignment. Immutable."""

from __future__ import annotations

from types import MappingProxyType

from kreactor.coordinator.group.api.assignor.group_spec import MemberAssignment, Partitions
from kreactor.coordinator.group.generated.consumer_group_target_assignment_member_value import (
    ConsumerGroupTargetAssignmentMemberValue)


class Assignment(MemberAssignment):
    """:origin: coordinator.group.consumer.Assignment"""

    __slots__ = ("_partitions",)

    EMPTY: Assignment

    def __init__(self, partitions: Partitions) -> None:
        """:origin: coordinator.group.consumer.Assignment#Assignment(Map<Uuid,Set<Integer>>)"""
        self._partitions = partitions if isinstance(partitions, MappingProxyType) else MappingProxyType(
            dict(partitions))

    def partitions(self) -> Partitions:
        """:origin: coordinator.group.consumer.Assignment#partitions()"""
        return self._partitions

    def __eq__(self, other: object) -> bool:
        """:origin: coordinator.group.consumer.Assignment#equals(Object)"""
        if not isinstance(other, Assignment):
            return NotImplemented
        return self._partitions == other._partitions

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """:origin: coordinator.group.consumer.Assignment#toString()"""
        return f"Assignment(partitions={dict(self._partitions)})"

    @staticmethod
    def from_record(record: ConsumerGroupTargetAssignmentMemberValue) -> Assignment:
        """
        :origin: coordinator.group.consumer.Assignment#fromRecord(ConsumerGroupTargetAssignmentMemberValue)
        """
        return Assignment({topic_partitions.topic_id: frozenset(topic_partitions.partitions)
                           for topic_partitions in record.topic_partitions})


Assignment.EMPTY = Assignment({})
