# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.QuotaViolationException of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The exception of a metric that exceeds its quota after a record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.kafka_exception import KafkaException
from kreactor.jdk.text import class_name, double_text

if TYPE_CHECKING:
    from kreactor.common.metrics.kafka_metric import KafkaMetric


class QuotaViolationException(KafkaException):
    """Raised by ``Sensor.record`` and ``check_quotas`` after the value was recorded.

    The value stays recorded.

    :origin: common.metrics.QuotaViolationException
    """

    def __init__(self, metric: KafkaMetric, value: float, bound: float) -> None:
        """``value`` is the measured value, ``bound`` the quota's bound.

        :origin: common.metrics.QuotaViolationException#QuotaViolationException(KafkaMetric, double, double)
        """
        super().__init__()
        self._metric = metric
        self._value = value
        self._bound = bound

    def metric(self) -> KafkaMetric:
        """:origin: common.metrics.QuotaViolationException#metric()"""
        return self._metric

    def value(self) -> float:
        """:origin: common.metrics.QuotaViolationException#value()"""
        return self._value

    def bound(self) -> float:
        """:origin: common.metrics.QuotaViolationException#bound()"""
        return self._bound

    def __str__(self) -> str:
        """:origin: common.metrics.QuotaViolationException#toString()"""
        return (f"{class_name(type(self))}: '{self._metric.metric_name()}' violated quota. "
                f"Actual: {double_text(self._value)}, Threshold: {double_text(self._bound)}")
