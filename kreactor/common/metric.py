# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.Metric of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of a metric for reporters."""

from __future__ import annotations

from abc import ABC, abstractmethod

from kreactor.common.metric_name import MetricName


class Metric(ABC):
    """A metric name with a value.

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
        """Return the current value: a float for a Measurable, any object for a Gauge.

        :origin: common.Metric#metricValue()
        """
