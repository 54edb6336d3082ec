# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.stats.Meter of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A rate and a total from one record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.metrics.compound_stat import CompoundStat, NamedMeasurable
from kreactor.common.metrics.stats.cumulative_sum import CumulativeSum
from kreactor.common.metrics.stats.rate import Rate
from kreactor.common.metrics.stats.windowed_count import WindowedCount
from kreactor.common.metrics.stats.windowed_sum import WindowedSum
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.time_unit import TimeUnit

if TYPE_CHECKING:
    from kreactor.common.metric_name import MetricName
    from kreactor.common.metrics.metric_config import MetricConfig
    from kreactor.common.metrics.stats.sampled_stat import SampledStat


class Meter(CompoundStat):
    """A current rate and a total of values; with a ``WindowedCount``, of events.

    :origin: common.metrics.stats.Meter
    """

    __slots__ = ("_rate_metric_name", "_total_metric_name", "_rate", "_total", "_rate_stat",
                 "_is_count")

    def __init__(self, rate_metric_name: MetricName, total_metric_name: MetricName, *,
                 unit: TimeUnit = TimeUnit.SECONDS, rate_stat: SampledStat | None = None) -> None:
        """Raises IllegalArgumentException for a ``rate_stat`` other than WindowedSum and WindowedCount.

        :origin: common.metrics.stats.Meter#Meter(MetricName, MetricName)
        :origin: common.metrics.stats.Meter#Meter(TimeUnit, MetricName, MetricName)
        :origin: common.metrics.stats.Meter#Meter(SampledStat, MetricName, MetricName)
        :origin: common.metrics.stats.Meter#Meter(TimeUnit, SampledStat, MetricName, MetricName)
        """
        if rate_stat is None:
            rate_stat = WindowedSum()
        if not isinstance(rate_stat, WindowedSum):
            raise IllegalArgumentException("Meter is supported only for WindowedCount or WindowedSum.")
        self._total = CumulativeSum()
        self._rate = Rate(unit, rate_stat)
        self._rate_metric_name = rate_metric_name
        self._total_metric_name = total_metric_name
        # Evaluated once, because the statistic of a rate does not change.
        self._rate_stat: SampledStat = rate_stat
        self._is_count = isinstance(rate_stat, WindowedCount)

    def stats(self) -> list[NamedMeasurable]:
        """Return the total, then the rate.

        :origin: common.metrics.stats.Meter#stats()
        """
        return [NamedMeasurable(self._total_metric_name, self._total),
                NamedMeasurable(self._rate_metric_name, self._rate)]

    def record(self, config: MetricConfig, value: float, time_ms: int) -> None:
        """Record ``value`` in the rate. Record it in the total, or 1 if the rate counts events.

        :origin: common.metrics.stats.Meter#record(MetricConfig, double, long)
        """
        self._rate.record(config, value, time_ms)
        total_value = 1.0 if self._is_count else value
        self._total.record(config, total_value, time_ms)

    def __str__(self) -> str:
        """:origin: common.metrics.stats.Meter#toString()"""
        return (f"Meter(rate={self._rate}, total={self._total}, rateMetricName={self._rate_metric_name}, "
                f"totalMetricName={self._total_metric_name})")
