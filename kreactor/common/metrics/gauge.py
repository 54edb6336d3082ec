# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.Gauge of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A metric whose value has any type."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Callable, TypeVar

from kreactor.common.metrics.metric_value_provider import MetricValueProvider, T_co

if TYPE_CHECKING:
    from kreactor.common.metrics.metric_config import MetricConfig

T = TypeVar("T")


class Gauge(MetricValueProvider[T_co]):
    """A value that can be read at any time, such as a count or a text.

    :origin: common.metrics.Gauge
    """

    __slots__ = ()

    @abstractmethod
    def value(self, config: MetricConfig, now: int) -> T_co:
        """Return the value at ``now``, in milliseconds since 1970.

        :origin: common.metrics.Gauge#value(MetricConfig, long)
        """

    @staticmethod
    def of(function: Callable[[MetricConfig, int], T]) -> Gauge[T]:
        """Return ``function`` as a Gauge. Java converts a lambda."""
        return _GaugeFunction(function)


class _GaugeFunction(Gauge[T_co]):
    """A Gauge that calls a function."""

    __slots__ = ("_function",)

    def __init__(self, function: Callable[[MetricConfig, int], T_co]) -> None:
        self._function = function

    def value(self, config: MetricConfig, now: int) -> T_co:
        """Call the function."""
        return self._function(config, now)
