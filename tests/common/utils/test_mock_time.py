# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.MockTimeTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The clock of tests; what it shares with all clocks is in test_time."""

from __future__ import annotations

from kreactor.testing.mock_time import MockTime


def test_advance_clock() -> None:
    time = MockTime(0, 100, 200)
    assert time.milliseconds() == 100
    assert time.nanoseconds() == 200
    time.sleep(1)
    assert time.milliseconds() == 101
    assert time.nanoseconds() == 1000200


def test_auto_tick_ms() -> None:
    time = MockTime(1, 100, 200)
    assert time.milliseconds() == 101
    assert time.nanoseconds() == 2000200
    assert time.milliseconds() == 103
    assert time.milliseconds() == 104
