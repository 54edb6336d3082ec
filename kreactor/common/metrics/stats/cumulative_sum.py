# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.stats.CumulativeSum of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The sum of all values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.metrics.measurable_stat import MeasurableStat
from kreactor.jdk.text import double_text

if TYPE_CHECKING:
    from kreactor.common.metrics.metric_config import MetricConfig


class CumulativeSum(MeasurableStat):
    """The sum of all recorded values. ``WindowedSum`` adds only recent values.

    :origin: common.metrics.stats.CumulativeSum
    """

    __slots__ = ("_total",)

    def __init__(self, value: float = 0.0) -> None:
        """Start at ``value``.

        :origin: common.metrics.stats.CumulativeSum#CumulativeSum()
        :origin: common.metrics.stats.CumulativeSum#CumulativeSum(double)
        """
        self._total = float(value)

    def record(self, config: MetricConfig, value: float, now: int) -> None:
        """:origin: common.metrics.stats.CumulativeSum#record(MetricConfig, double, long)"""
        self._total += value

    def measure(self, config: MetricConfig, now: int) -> float:
        """:origin: common.metrics.stats.CumulativeSum#measure(MetricConfig, long)"""
        return self._total

    def __str__(self) -> str:
        """:origin: common.metrics.stats.CumulativeSum#toString()"""
        return f"CumulativeSum(total={double_text(self._total)})"
