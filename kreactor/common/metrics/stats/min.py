# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.stats.Min of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The minimum of recent values."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kreactor.common.metrics.stats.sampled_stat import SampledStat

if TYPE_CHECKING:
    from kreactor.common.metrics.metric_config import MetricConfig


class Min(SampledStat):
    """The minimum; NaN without values, or if one value is NaN.

    :origin: common.metrics.stats.Min
    """

    __slots__ = ()

    def __init__(self) -> None:
        """:origin: common.metrics.stats.Min#Min()"""
        super().__init__(sys.float_info.max)

    def _update(self, sample: SampledStat.Sample, config: MetricConfig, value: float, now: int) -> None:
        """:origin: common.metrics.stats.Min#update(Sample, MetricConfig, double, long)"""
        current = sample._value
        # In this form NaN propagates, as in Java.
        if not value >= current and current == current:
            sample._value = value

    def combine(self, samples: Sequence[SampledStat.Sample], config: MetricConfig, now: int) -> float:
        """:origin: common.metrics.stats.Min#combine(List<Sample>, MetricConfig, long)"""
        min_ = sys.float_info.max
        count = 0
        for sample in samples:
            if not sample._value >= min_ and min_ == min_:
                min_ = sample._value
            count += sample._event_count
        return math.nan if count == 0 else float(min_)
