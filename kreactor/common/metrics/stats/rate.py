# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.stats.Rate of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A quantity per unit of time over recent samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.metrics.internals.metrics_utils import MetricsUtils
from kreactor.common.metrics.measurable_stat import MeasurableStat
from kreactor.common.metrics.stats.windowed_sum import WindowedSum
from kreactor.jdk.doubles import divide
from kreactor.jdk.time_unit import TimeUnit

if TYPE_CHECKING:
    from kreactor.common.metrics.metric_config import MetricConfig
    from kreactor.common.metrics.stats.sampled_stat import SampledStat


class Rate(MeasurableStat):
    """The value of a sampled statistic divided by the time span of its samples.

    :origin: common.metrics.stats.Rate
    """

    __slots__ = ("_unit", "_stat")

    def __init__(self, unit: TimeUnit = TimeUnit.SECONDS, stat: SampledStat | None = None) -> None:
        """Measure ``stat`` per ``unit``. The default is a WindowedSum.

        :origin: common.metrics.stats.Rate#Rate()
        :origin: common.metrics.stats.Rate#Rate(TimeUnit)
        :origin: common.metrics.stats.Rate#Rate(SampledStat)
        :origin: common.metrics.stats.Rate#Rate(TimeUnit, SampledStat)
        """
        self._stat = WindowedSum() if stat is None else stat
        self._unit = unit

    def unit_name(self) -> str:
        """Return the unit's name in lower case without the last two letters, such as "secon", as in the
        origin.

        :origin: common.metrics.stats.Rate#unitName()
        """
        return self._unit.name[:-2].lower()

    def record(self, config: MetricConfig, value: float, time_ms: int) -> None:
        """:origin: common.metrics.stats.Rate#record(MetricConfig, double, long)"""
        self._stat.record(config, value, time_ms)

    def measure(self, config: MetricConfig, now: int) -> float:
        """:origin: common.metrics.stats.Rate#measure(MetricConfig, long)"""
        value = self._stat.measure(config, now)
        return divide(value, MetricsUtils.convert(self.window_size(config, now), self._unit))

    def window_size(self, config: MetricConfig, now: int) -> int:
        """Return the milliseconds that the measurement at ``now`` covers, at least 1.

        They are the time since the start of the oldest sample. This start may be before the measured window,
        and the time includes pauses without records. Shortly after the start, the time is too short for a
        stable rate. Therefore missing windows, up to one less than configured, count as empty windows.

        :origin: common.metrics.stats.Rate#windowSize(MetricConfig, long)
        """
        self._stat._purge_obsolete_samples(config, now)

        total_elapsed_time_ms = now - self._stat.oldest(now)._start_time_ms
        time_window_ms = config.time_window_ms()
        # Rounded towards zero as in Java, because a clock that was set back makes the time negative.
        num_full_windows = abs(total_elapsed_time_ms) // time_window_ms
        if total_elapsed_time_ms < 0:
            num_full_windows = -num_full_windows
        min_full_windows = config.samples() - 1

        if num_full_windows < min_full_windows:
            total_elapsed_time_ms += (min_full_windows - num_full_windows) * time_window_ms

        return max(total_elapsed_time_ms, 1)

    def __str__(self) -> str:
        """:origin: common.metrics.stats.Rate#toString()"""
        return f"Rate(unit={self._unit.name}, stat={self._stat})"
