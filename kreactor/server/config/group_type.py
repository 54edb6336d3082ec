# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.Group of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The rebalance protocol of a group."""

from __future__ import annotations

from enum import Enum


class GroupType(Enum):
    """A protocol; the value is its name in settings and responses.

    :origin: coordinator.group.Group.GroupType
    """

    CONSUMER = "consumer"
    CLASSIC = "classic"
    UNKNOWN = "unknown"

    def __str__(self) -> str:
        """:origin: coordinator.group.Group.GroupType#toString()"""
        return self.value

    @staticmethod
    def parse(name: str | None) -> GroupType:
        """Return the type of this name, in any case; UNKNOWN for an unknown name.

        :origin: coordinator.group.Group.GroupType#parse(String)
        """
        for group_type in GroupType:
            if name is not None and group_type.value == name.lower():
                return group_type
        return GroupType.UNKNOWN
