# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.stats.Frequency of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The metric of one value's frequency."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.jdk.text import double_text

if TYPE_CHECKING:
    from kreactor.common.metric_name import MetricName


class Frequency:
    """The center of a bucket and the metric name of its frequency. Immutable.

    :origin: common.metrics.stats.Frequency
    """

    __slots__ = ("_name", "_center_value")

    def __init__(self, name: MetricName, center_value: float) -> None:
        """:origin: common.metrics.stats.Frequency#Frequency(MetricName, double)"""
        self._name = name
        self._center_value = float(center_value)

    def name(self) -> MetricName:
        """:origin: common.metrics.stats.Frequency#name()"""
        return self._name

    def center_value(self) -> float:
        """:origin: common.metrics.stats.Frequency#centerValue()"""
        return self._center_value

    def __str__(self) -> str:
        """:origin: common.metrics.stats.Frequency#toString()"""
        return f"Frequency(name={self._name}, centerValue={double_text(self._center_value)})"
