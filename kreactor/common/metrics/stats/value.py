# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.stats.Value of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The last value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.metrics.measurable_stat import MeasurableStat

if TYPE_CHECKING:
    from kreactor.common.metrics.metric_config import MetricConfig


class Value(MeasurableStat):
    """The last recorded value, initially 0.

    :origin: common.metrics.stats.Value
    """

    __slots__ = ("_value",)

    def __init__(self) -> None:
        self._value = 0.0

    def measure(self, config: MetricConfig, now: int) -> float:
        """:origin: common.metrics.stats.Value#measure(MetricConfig, long)"""
        return float(self._value)

    def record(self, config: MetricConfig, value: float, time_ms: int) -> None:
        """:origin: common.metrics.stats.Value#record(MetricConfig, double, long)"""
        self._value = value
