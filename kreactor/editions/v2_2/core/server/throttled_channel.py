# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ThrottledChannel of Apache Kafka 2.2.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A connection that is muted for a time because its client is over a quota (KIP-219)."""

from __future__ import annotations

from collections.abc import Callable

from kreactor.common.utils.time import Time
from kreactor.core.utils.logging import Logging
from kreactor.editions.v2_2.core.network.request_channel import (
    EndThrottlingResponse,
    Request,
    Response,
    StartThrottlingResponse,
)
from kreactor.jdk.time_unit import TimeUnit


class ThrottledChannel(Logging):
    """Waits in a DelayQueue. A handler makes it before the response is sent; the reaper ends it.

    :origin: 2.2.2 kafka.server.ThrottledChannel
    """

    __slots__ = ("request", "time", "throttle_time_ms", "_channel_throttling_callback", "end_time")

    def __init__(
        self, request: Request, time: Time, throttle_time_ms: int,
        channel_throttling_callback: Callable[[Response], None],
    ) -> None:
        """Notify the network thread of the throttling's begin."""
        self.request = request
        self.time = time
        self.throttle_time_ms = throttle_time_ms
        self._channel_throttling_callback = channel_throttling_callback
        # BUG until 2.6.0, KAFKA-9652: the time is on the wall clock, which may be set.
        self.end_time = time.milliseconds() + throttle_time_ms

        channel_throttling_callback(StartThrottlingResponse(request))

    def notify_throttling_done(self) -> None:
        """Notify the network thread of the throttling's end.

        :origin: 2.2.2 kafka.server.ThrottledChannel#notifyThrottlingDone
        """
        self.trace("channel throttled for %d ms", self.throttle_time_ms)
        self._channel_throttling_callback(EndThrottlingResponse(self.request))

    def get_delay(self, unit: TimeUnit) -> int:
        """:origin: 2.2.2 kafka.server.ThrottledChannel#getDelay"""
        return unit.convert(self.end_time - self.time.milliseconds(), TimeUnit.MILLISECONDS)

    def __lt__(self, other: object) -> bool:
        """:origin: 2.2.2 kafka.server.ThrottledChannel#compareTo"""
        assert isinstance(other, ThrottledChannel)
        return self.end_time < other.end_time
