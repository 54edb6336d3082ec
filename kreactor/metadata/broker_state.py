# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.metadata.BrokerState of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The states of a broker, from its start to its end."""

from __future__ import annotations

from enum import Enum


class BrokerState(Enum):
    """The values are the numbers of the gauge BrokerState.

    RECOVERY and PENDING_CONTROLLED_SHUTDOWN are steps between a broker and its quorum. No broker here takes
    them.

    :origin: metadata.BrokerState
    """

    NOT_RUNNING = 0
    STARTING = 1
    RECOVERY = 2
    RUNNING = 3
    PENDING_CONTROLLED_SHUTDOWN = 6
    SHUTTING_DOWN = 7
    UNKNOWN = 127

    @staticmethod
    def from_value(value: int) -> BrokerState:
        """Return the state with a value, UNKNOWN if none has it.

        :origin: metadata.BrokerState#fromValue(byte)
        """
        return _VALUES_TO_ENUMS.get(value, BrokerState.UNKNOWN)


# :origin: metadata.BrokerState#VALUES_TO_ENUMS
_VALUES_TO_ENUMS = {state.value: state for state in BrokerState}
