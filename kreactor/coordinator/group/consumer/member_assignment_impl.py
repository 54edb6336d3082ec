# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.consumer.MemberAssignmentImpl of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A member's assignment, as an assignor returns it."""

from __future__ import annotations

from kreactor.coordinator.group.api.assignor.group_spec import MemberAssignment, Partitions


class MemberAssignmentImpl(MemberAssignment):
    """:origin: coordinator.group.consumer.MemberAssignmentImpl"""

    __slots__ = ("_partitions",)

    def __init__(self, partitions: Partitions) -> None:
        """
        :origin: coordinator.group.consumer.MemberAssignmentImpl#MemberAssignmentImpl(Map<Uuid,Set<Integer>>)
        """
        self._partitions = partitions

    def partitions(self) -> Partitions:
        """:origin: coordinator.group.consumer.MemberAssignmentImpl#partitions()"""
        return self._partitions

    def __eq__(self, other: object) -> bool:
        """:origin: coordinator.group.consumer.MemberAssignmentImpl#equals(Object)"""
        if not isinstance(other, MemberAssignmentImpl):
            return NotImplemented
        return self._partitions == other._partitions

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """:origin: coordinator.group.consumer.MemberAssignmentImpl#toString()"""
        return f"MemberAssignment(partitions={dict(self._partitions)})"
