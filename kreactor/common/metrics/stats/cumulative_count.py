# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.stats.CumulativeCount of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The number of all events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.metrics.stats.cumulative_sum import CumulativeSum

if TYPE_CHECKING:
    from kreactor.common.metrics.metric_config import MetricConfig


class CumulativeCount(CumulativeSum):
    """The number of all recorded values. ``WindowedCount`` counts only recent values.

    :origin: common.metrics.stats.CumulativeCount
    """

    __slots__ = ()

    def record(self, config: MetricConfig, value: float, time_ms: int) -> None:
        """:origin: common.metrics.stats.CumulativeCount#record(MetricConfig, double, long)"""
        self._total += 1.0
