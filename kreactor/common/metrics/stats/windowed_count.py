# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.stats.WindowedCount of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The number of recent events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.metrics.stats.sampled_stat import SampledStat
from kreactor.common.metrics.stats.windowed_sum import WindowedSum

if TYPE_CHECKING:
    from kreactor.common.metrics.metric_config import MetricConfig


class WindowedCount(WindowedSum):
    """The number of recent values. ``CumulativeCount`` counts all values.

    :origin: common.metrics.stats.WindowedCount
    """

    __slots__ = ()

    def _update(self, sample: SampledStat.Sample, config: MetricConfig, value: float, now: int) -> None:
        """:origin: common.metrics.stats.WindowedCount#update(Sample, MetricConfig, double, long)"""
        sample._value += 1.0
