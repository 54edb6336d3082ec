# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Records values for sensors in batches.

This module is ours; it has no origin in Kafka.

*Fact.* A record in a sensor costs microseconds: a lock, and a window for each statistic.

*Consequence.* A selector records several values for every request.

*Choice (D102).* A feed appends a value to a list. It records all values of a span of some milliseconds
together, with the start of the span as their time. It does so at the end of the span or before a metric is
read.

*Cost.* A value may be recorded with a time up to one span too early.

Threads: one thread, the owner, appends values and calls ``set_time``. Any thread calls ``record_pending``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kreactor.common.metrics.sensor import Sensor

# Calls of ``set_time`` after which the values are recorded, even if the clock stands still.
_MAX_SET_TIMES = 256


class SensorFeed:
    """Collects values for several sensors."""

    # DEVIATION D102: in the origin a selector's sensor records each value at once.

    __slots__ = ("_pending", "_span_ms", "_time_ms", "_set_times", "_lock")

    def __init__(self, span_ms: int = 1) -> None:
        """Record the values every ``span_ms`` milliseconds."""
        self._span_ms = span_ms
        # The owner appends to the lists. Only the holder of the lock removes, from the front.
        self._pending: list[tuple[Sensor, list[float]]] = []
        self._time_ms = 0
        self._set_times = 0
        self._lock = threading.Lock()

    def add(self, sensor: Sensor) -> Callable[[float], None]:
        """Return a function that adds a value for ``sensor``. The feed does not check quotas."""
        pending: list[float] = []
        self._pending.append((sensor, pending))
        sensor.set_feed(self)
        return pending.append

    def set_time(self, time_ms: int) -> None:
        """Set the time of the following values, in milliseconds. Called only by the owner."""
        self._set_times += 1
        if not 0 <= time_ms - self._time_ms < self._span_ms or self._set_times >= _MAX_SET_TIMES:
            self.record_pending()
            self._set_times = 0
            self._time_ms = time_ms

    def record_pending(self) -> None:
        """Record all pending values in their sensors. Called by any thread."""
        with self._lock:
            for sensor, pending in self._pending:
                count = len(pending)
                if count:
                    values = pending[:count]
                    del pending[:count]
                    sensor.record_all(values, self._time_ms)
