# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.Metric of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A metric, as a reporter sees it."""

from __future__ import annotations

from abc import ABC, abstractmethod

from kreactor.common.metric_name import MetricName


class Metric(ABC):
    """A value under a name.

    :origin: common.Metric
    """

    __slots__ = ()

    @abstractmethod
    def metric_name(self) -> MetricName:
        """Return the name.

        :origin: common.Metric#metricName()
        """

    @abstractmethod
    def metric_value(self) -> object:
        """Return the value of now: a float if it is measured, anything if it is a gauge.

        :origin: common.Metric#metricValue()
        """
