# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.stats.Avg of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The average of recent values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kreactor.common.metrics.stats.sampled_stat import SampledStat

if TYPE_CHECKING:
    from kreactor.common.metrics.metric_config import MetricConfig


class Avg(SampledStat):
    """The sum of the values divided by their number; NaN without values.

    :origin: common.metrics.stats.Avg
    """

    __slots__ = ()

    def __init__(self) -> None:
        """:origin: common.metrics.stats.Avg#Avg()"""
        super().__init__(0.0)

    def _update(self, sample: SampledStat.Sample, config: MetricConfig, value: float, now: int) -> None:
        """:origin: common.metrics.stats.Avg#update(Sample, MetricConfig, double, long)"""
        sample._value += value

    def combine(self, samples: Sequence[SampledStat.Sample], config: MetricConfig, now: int) -> float:
        """:origin: common.metrics.stats.Avg#combine(List<Sample>, MetricConfig, long)"""
        total = 0.0
        count = 0
        for s in samples:
            total += s._value
            count += s._event_count
        return math.nan if count == 0 else total / count
