# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.MetricValueProvider of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The base of the providers of metric values."""

from __future__ import annotations

from abc import ABC
from typing import Generic, TypeVar

T_co = TypeVar("T_co", covariant=True)


class MetricValueProvider(ABC, Generic[T_co]):
    """The common base of ``Measurable`` and ``Gauge``, the only two kinds.

    :origin: common.metrics.MetricValueProvider
    """

    __slots__ = ()
