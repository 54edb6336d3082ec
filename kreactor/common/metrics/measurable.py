# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.Measurable of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A metric whose value is a float."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Callable

from kreactor.common.metrics.metric_value_provider import MetricValueProvider

if TYPE_CHECKING:
    from kreactor.common.metrics.metric_config import MetricConfig

# The type of the origin's lambdas. The arguments are the configuration and the time in ms since 1970.
MeasurableFunction = Callable[["MetricConfig", int], float]


class Measurable(MetricValueProvider[float]):
    """A quantity that can be registered as a metric.

    :origin: common.metrics.Measurable
    """

    __slots__ = ()

    @abstractmethod
    def measure(self, config: MetricConfig, now: int) -> float:
        """Return the quantity at ``now``, in milliseconds since 1970.

        :origin: common.metrics.Measurable#measure(MetricConfig, long)
        """

    @staticmethod
    def of(function: MeasurableFunction) -> Measurable:
        """Return ``function`` as a Measurable. Java converts a lambda."""
        return _MeasurableFunction(function)


class _MeasurableFunction(Measurable):
    """A Measurable that calls a function."""

    __slots__ = ("_function",)

    def __init__(self, function: MeasurableFunction) -> None:
        self._function = function

    def measure(self, config: MetricConfig, now: int) -> float:
        """Call the function. Converts an int result to float."""
        return float(self._function(config, now))
