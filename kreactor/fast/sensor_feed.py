# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Records the values of a selector's sensors in batches.

*Fact.* A record in a sensor costs microseconds: a lock, and a window for each statistic.

*Consequence.* A selector records several values for every request.

*Choice (D102).* A feed appends a value to a list. It records all values of a span of some milliseconds
together, with the start of the span as their time. It does so at the end of the span or before a metric is
read.

*Cost.* A value may be recorded with a time up to one span too early.

Threads: one thread, the owner, notes values. Any thread reads metrics, and so calls ``record_pending``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

from kreactor.common.metrics.metric_config import MetricConfig
from kreactor.common.metrics.sensor import Sensor
from kreactor.common.metrics.stat import Stat
from kreactor.common.metrics.stats.avg import Avg
from kreactor.common.metrics.stats.max import Max
from kreactor.common.metrics.stats.meter import Meter
from kreactor.common.metrics.stats.sampled_stat import SampledStat
from kreactor.common.metrics.stats.windowed_count import WindowedCount
from kreactor.common.metrics.stats.windowed_sum import WindowedSum
from kreactor.jdk.locks import Lock, ReentrantLock

# Values after which they are recorded, even if the clock stands still.
_MAX_VALUES = 256


class SensorFeed:
    """Collects values for several sensors."""

    def __init__(self, span_ms: int) -> None:
        """Record the values every ``span_ms`` milliseconds."""
        self._span_ms = span_ms
        # The owner appends to the lists. Only the holder of the lock removes, from the front.
        self._pending: list[tuple[Sensor, list[float]]] = []
        self._time_ms = 0
        self._values = 0
        self._lock = Lock()

    def feed(self, sensor: Sensor) -> Sensor:
        """Return a stand-in for ``sensor``, whose ``record`` notes a value. It checks no quotas.

        Each read of a metric of ``sensor`` or its ancestors records what is pending first.
        """
        pending: list[float] = []
        self._pending.append((sensor, pending))
        self._watch(sensor)
        return cast("Sensor", _FedSensor(self, pending))

    def _watch(self, sensor: Sensor) -> None:
        for metric in sensor._metrics.values():
            lock: object = metric._lock
            if not isinstance(lock, _ReadersLock):
                metric._lock = cast("ReentrantLock", _ReadersLock(self, metric._lock))
        for parent in sensor.parents():
            self._watch(parent)

    def set_time(self, time_ms: int) -> None:
        """Set the time of the following value, in milliseconds. Called only by the owner."""
        self._values += 1
        if not 0 <= time_ms - self._time_ms < self._span_ms or self._values >= _MAX_VALUES:
            self.record_pending()
            self._values = 0
            self._time_ms = time_ms

    def record_pending(self) -> None:
        """Record all pending values in their sensors. Called by any thread."""
        with self._lock:
            for sensor, pending in self._pending:
                count = len(pending)
                if count:
                    values = pending[:count]
                    del pending[:count]
                    _record_all(sensor, values, self._time_ms)


class _FedSensor:
    """The stand-in for a sensor."""

    # DEVIATION D102: in the origin a selector's sensor records each value at once.

    __slots__ = ("_feed", "_note")

    def __init__(self, feed: SensorFeed, pending: list[float]) -> None:
        self._feed = feed
        self._note = pending.append

    def record(self, value: float, time_ms: int, check_quotas: bool) -> None:
        """Note ``value``; quotas are not checked."""
        self._feed.set_time(time_ms)
        self._note(value)


class _ReadersLock:
    """A metric's lock, whose taker first records what is pending. A sensor has the lock itself."""

    __slots__ = ("_feed", "_lock")

    def __init__(self, feed: SensorFeed, lock: ReentrantLock | Lock) -> None:
        self._feed = feed
        self._lock = lock

    def __enter__(self) -> bool:
        self._feed.record_pending()
        return self._lock.__enter__()

    def __exit__(self, *exception: object) -> None:
        self._lock.release()


def _record_all(sensor: Sensor, values: Sequence[float], time_ms: int) -> None:
    """Record ``values`` of about the same time, as ``Sensor.record`` does for each."""
    if not sensor.should_record():
        return
    sensor._last_record_time = time_ms
    with sensor._metric_lock:
        for stat_and_config in sensor._stats:
            _record_all_in(stat_and_config.stat(), stat_and_config.config(), values, time_ms)
    for parent in sensor.parents():
        _record_all(parent, values, time_ms)


def _record_all_in(stat: Stat, config: MetricConfig, values: Sequence[float], time_ms: int) -> None:
    if isinstance(stat, Meter):
        _record_all_in(stat._rate_stat, config, values, time_ms)
        stat._total.record(config, float(len(values)) if stat._is_count else sum(values), time_ms)
        return
    if isinstance(stat, SampledStat):
        sample = stat.current(time_ms)
        if sample.is_complete(time_ms, config):
            sample = stat._advance(config, time_ms)
        if sample._event_count + len(values) <= config.event_window():
            _update_all(stat, sample, config, values, time_ms)
            sample._event_count += len(values)
            sample._last_event_ms = time_ms
            return
    for value in values:
        stat.record(config, value, time_ms)


def _update_all(stat: SampledStat, sample: SampledStat.Sample, config: MetricConfig, values: Sequence[float],
                now: int) -> None:
    """Change ``sample`` as ``stat._update`` does for each value, where possible in one step."""
    if isinstance(stat, WindowedCount):
        sample._value += float(len(values))
    elif isinstance(stat, (Avg, WindowedSum)):
        sample._value += sum(values)
    # The sum is NaN if all values are -inf, or if one is NaN.
    elif isinstance(stat, Max) and not math.isnan(sum(values)):
        stat._update(sample, config, max(values), now)
    else:
        for value in values:
            stat._update(sample, config, value, now)
