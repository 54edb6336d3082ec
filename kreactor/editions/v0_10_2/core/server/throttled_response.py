# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ThrottledResponse of Apache Kafka 0.10.2.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A response that is delayed because its client is over a quota."""

from __future__ import annotations

from typing import Callable

from kreactor.common.utils.time import Time
from kreactor.jdk.time_unit import TimeUnit


class ThrottledResponse:
    """Waits in a DelayQueue; then its callback sends the response. Times are in milliseconds.

    :origin: 0.10.2.2 kafka.server.ThrottledResponse
    """

    __slots__ = ("time", "throttle_time_ms", "_callback", "end_time")

    def __init__(self, time: Time, throttle_time_ms: int, callback: Callable[[int], None]) -> None:
        self.time = time
        self.throttle_time_ms = throttle_time_ms
        self._callback = callback
        self.end_time = time.milliseconds() + throttle_time_ms

    def execute(self) -> None:
        """:origin: 0.10.2.2 kafka.server.ThrottledResponse#execute"""
        self._callback(self.throttle_time_ms)

    def get_delay(self, unit: TimeUnit) -> int:
        """:origin: 0.10.2.2 kafka.server.ThrottledResponse#getDelay"""
        return unit.convert(self.end_time - self.time.milliseconds(), TimeUnit.MILLISECONDS)

    def __lt__(self, other: object) -> bool:
        """:origin: 0.10.2.2 kafka.server.ThrottledResponse#compareTo"""
        assert isinstance(other, ThrottledResponse)
        return self.end_time < other.end_time
