# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.metadata.placement.TopicAssignment of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The replicas of all partitions of a topic."""

from __future__ import annotations

from collections.abc import Sequence

from kreactor.metadata.placement.partition_assignment import PartitionAssignment


class TopicAssignment:
    """Immutable.

    :origin: metadata.placement.TopicAssignment
    """

    __slots__ = ("_assignments",)

    def __init__(self, assignments: Sequence[PartitionAssignment]) -> None:
        """:origin: metadata.placement.TopicAssignment#TopicAssignment(List<PartitionAssignment>)"""
        self._assignments = tuple(assignments)

    def assignments(self) -> Sequence[PartitionAssignment]:
        """Return the replicas of each partition, in the order of the partitions.

        :origin: metadata.placement.TopicAssignment#assignments()
        """
        return self._assignments

    def __eq__(self, other: object) -> bool:
        """:origin: metadata.placement.TopicAssignment#equals(Object)"""
        if not isinstance(other, TopicAssignment):
            return NotImplemented
        return self._assignments == other._assignments

    def __hash__(self) -> int:
        """:origin: metadata.placement.TopicAssignment#hashCode()"""
        return hash(self._assignments)

    def __str__(self) -> str:
        """:origin: metadata.placement.TopicAssignment#toString()"""
        return f"TopicAssignment(assignments=[{', '.join(map(str, self._assignments))}])"
