# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.Stat of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of a sensor's statistic."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kreactor.common.metrics.metric_config import MetricConfig


class Stat(ABC):
    """A quantity computed from the values that a sensor records.

    :origin: common.metrics.Stat
    """

    __slots__ = ()

    @abstractmethod
    def record(self, config: MetricConfig, value: float, time_ms: int) -> None:
        """Record a value. Not thread-safe: the caller holds the lock that readers take, too.

        :origin: common.metrics.Stat#record(MetricConfig, double, long)
        """
