# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.stats.Max of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The maximum of recent values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kreactor.common.metrics.stats.sampled_stat import SampledStat

if TYPE_CHECKING:
    from kreactor.common.metrics.metric_config import MetricConfig


class Max(SampledStat):
    """The maximum; NaN without values, or if one value is NaN.

    :origin: common.metrics.stats.Max
    """

    __slots__ = ()

    def __init__(self) -> None:
        """:origin: common.metrics.stats.Max#Max()"""
        super().__init__(-math.inf)

    def _update(self, sample: SampledStat.Sample, config: MetricConfig, value: float, now: int) -> None:
        """:origin: common.metrics.stats.Max#update(Sample, MetricConfig, double, long)"""
        current = sample._value
        # In this form NaN propagates, as in Java.
        if not value <= current and current == current:
            sample._value = value

    def combine(self, samples: Sequence[SampledStat.Sample], config: MetricConfig, now: int) -> float:
        """:origin: common.metrics.stats.Max#combine(List<Sample>, MetricConfig, long)"""
        max_ = -math.inf
        count = 0
        for sample in samples:
            if not sample._value <= max_ and max_ == max_:
                max_ = sample._value
            count += sample._event_count
        return math.nan if count == 0 else float(max_)
