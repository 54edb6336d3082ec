# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ThrottledChannel of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A connection that is muted because its client is over a quota."""

from __future__ import annotations

from abc import ABC, abstractmethod

from kreactor.common.utils.time import Time
from kreactor.core.utils.logging import Logging
from kreactor.jdk.time_unit import TimeUnit


class ThrottleCallback(ABC):
    """Mutes a connection and unmutes it.

    :origin: kafka.server.ThrottleCallback
    """

    __slots__ = ()

    @abstractmethod
    def start_throttling(self) -> None:
        """:origin: kafka.server.ThrottleCallback#startThrottling"""

    @abstractmethod
    def end_throttling(self) -> None:
        """:origin: kafka.server.ThrottleCallback#endThrottling"""


class ThrottledChannel(Logging):
    """Waits in a DelayQueue. A handler makes it and mutes the connection; the reaper unmutes the connection.

    It does not refer to the connection, which may close meanwhile. The end of the throttling is notified all
    the same.

    :origin: kafka.server.ThrottledChannel
    """

    __slots__ = ("time", "throttle_time_ms", "callback", "_end_time_nanos")

    def __init__(self, time: Time, throttle_time_ms: int, callback: ThrottleCallback) -> None:
        """:origin: kafka.server.ThrottledChannel#ThrottledChannel"""
        self.time = time
        self.throttle_time_ms = throttle_time_ms
        self.callback = callback
        self._end_time_nanos = time.nanoseconds() + TimeUnit.MILLISECONDS.to_nanos(throttle_time_ms)

        callback.start_throttling()

    def notify_throttling_done(self) -> None:
        """:origin: kafka.server.ThrottledChannel#notifyThrottlingDone"""
        self.trace("channel throttled for %d ms", self.throttle_time_ms)
        self.callback.end_throttling()

    def get_delay(self, unit: TimeUnit) -> int:
        """:origin: kafka.server.ThrottledChannel#getDelay"""
        return unit.convert(self._end_time_nanos - self.time.nanoseconds(), TimeUnit.NANOSECONDS)

    def __lt__(self, other: object) -> bool:
        """:origin: kafka.server.ThrottledChannel#compareTo"""
        assert isinstance(other, ThrottledChannel)
        return self._end_time_nanos < other._end_time_nanos
