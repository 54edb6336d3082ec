# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.consumer.MemberState of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A member's progress towards its target assignment."""

from __future__ import annotations

from enum import Enum


class MemberState(Enum):
    """A state by its number in records.

    :origin: coordinator.group.consumer.MemberState
    """

    # The member has its target assignment.
    STABLE = 0
    # The member must revoke partitions before it enters the next epoch.
    UNREVOKED_PARTITIONS = 1
    # The member is in the target epoch, and waits for partitions that other members still own.
    UNRELEASED_PARTITIONS = 2
    # A later version wrote the state.
    UNKNOWN = 127

    @staticmethod
    def from_value(value: int) -> MemberState:
        """Return the state of a number, UNKNOWN for an unknown number.

        :origin: coordinator.group.consumer.MemberState#fromValue(byte)
        """
        return _VALUES_TO_ENUMS.get(value, MemberState.UNKNOWN)


# :origin: coordinator.group.consumer.MemberState#VALUES_TO_ENUMS
_VALUES_TO_ENUMS = {state.value: state for state in MemberState}
