# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.metadata.BrokerStateTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Numbers of a broker's state."""

from __future__ import annotations

from kreactor.metadata.broker_state import BrokerState


def test_from_value() -> None:
    for state in BrokerState:
        assert BrokerState.from_value(state.value) is state


def test_unknown_values() -> None:
    assert BrokerState.from_value(126) is BrokerState.UNKNOWN
