# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.Utils of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Helpers of the group coordinator."""

from __future__ import annotations

from kreactor.coordinator.group.api.assignor.group_spec import Partitions


class Utils:
    """:origin: coordinator.group.Utils"""

    @staticmethod
    def of_sentinel(value: int) -> int | None:
        """Return ``value``, None for -1.

        :origin: coordinator.group.Utils#ofSentinel(int)
        """
        return value if value != -1 else None

    @staticmethod
    def assignment_to_string(assignment: Partitions) -> str:
        """:origin: coordinator.group.Utils#assignmentToString(Map<Uuid,Set<Integer>>)"""
        partitions = [f"{topic_id}-{partition}"
                      for topic_id, numbers in assignment.items() for partition in numbers]
        return f"[{', '.join(partitions)}]"
