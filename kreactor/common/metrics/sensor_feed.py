# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Sensors that are told later what they are told often.

Nothing of Kafka's stands behind this module. To give a value to a sensor costs microseconds: a lock, and a
window for each of its statistics. To note it costs one append. All that was noted within some milliseconds
is recorded together, as having come at their begin, when they are over, or somebody looks.

Owner: one thread notes, and calls ``begin``. ``fold`` is for any thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kreactor.common.metrics.sensor import Sensor

# How many values are kept at most while the clock stands still, or moves in long steps.
_FOLD_AT = 256


class SensorFeed:
    """Notes values for several sensors."""

    # DEVIATION D102: a sensor of a selector is told at once in the origin.

    __slots__ = ("_noted", "_span_ms", "_time_ms", "_begun", "_lock")

    def __init__(self, span_ms: int = 1) -> None:
        """Record after ``span_ms``."""
        self._span_ms = span_ms
        # The owner appends at the end; only the holder of the lock removes, at the front.
        self._noted: list[tuple[Sensor, list[float]]] = []
        self._time_ms = 0
        self._begun = 0
        self._lock = threading.Lock()

    def add(self, sensor: Sensor) -> Callable[[float], None]:
        """Return what notes a value for ``sensor``, whose quotas are never checked."""
        noted: list[float] = []
        self._noted.append((sensor, noted))
        sensor.feed_from(self)
        return noted.append

    def begin(self, time_ms: int) -> None:
        """Let what is noted from now on have come at ``time_ms``."""
        self._begun += 1
        if not 0 <= time_ms - self._time_ms < self._span_ms or self._begun >= _FOLD_AT:
            self.fold()
            self._begun = 0
            self._time_ms = time_ms

    def fold(self) -> None:
        """Have the sensors record what was noted by now."""
        with self._lock:
            for sensor, noted in self._noted:
                count = len(noted)
                if count:
                    values = noted[:count]
                    del noted[:count]
                    sensor.record_all(values, self._time_ms)
