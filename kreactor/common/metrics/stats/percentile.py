# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.stats.Percentile of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The metric of one percentile."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kreactor.common.metric_name import MetricName


class Percentile:
    """A percentile, 50 for the median, and its metric name. Immutable.

    :origin: common.metrics.stats.Percentile
    """

    __slots__ = ("_name", "_percentile")

    def __init__(self, name: MetricName, percentile: float) -> None:
        """:origin: common.metrics.stats.Percentile#Percentile(MetricName, double)"""
        self._name = name
        self._percentile = percentile

    def name(self) -> MetricName:
        """:origin: common.metrics.stats.Percentile#name()"""
        return self._name

    def percentile(self) -> float:
        """:origin: common.metrics.stats.Percentile#percentile()"""
        return self._percentile
