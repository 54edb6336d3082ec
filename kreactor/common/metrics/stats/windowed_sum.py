# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.stats.WindowedSum of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The sum of recent values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kreactor.common.metrics.stats.sampled_stat import SampledStat

if TYPE_CHECKING:
    from kreactor.common.metrics.metric_config import MetricConfig


class WindowedSum(SampledStat):
    """The sum of recent values. ``CumulativeSum`` adds all values.

    :origin: common.metrics.stats.WindowedSum
    """

    __slots__ = ()

    def __init__(self) -> None:
        """:origin: common.metrics.stats.WindowedSum#WindowedSum()"""
        super().__init__(0.0)

    def _update(self, sample: SampledStat.Sample, config: MetricConfig, value: float, now: int) -> None:
        """:origin: common.metrics.stats.WindowedSum#update(Sample, MetricConfig, double, long)"""
        sample._value += value

    def combine(self, samples: Sequence[SampledStat.Sample], config: MetricConfig, now: int) -> float:
        """:origin: common.metrics.stats.WindowedSum#combine(List<Sample>, MetricConfig, long)"""
        total = 0.0
        for sample in samples:
            total += sample._value
        return total
