# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.Quota of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A bound on a metric."""

from __future__ import annotations

from kreactor.jdk.text import double_text


class Quota:
    """An upper or a lower bound. Immutable. Two quotas are equal if kind and bound are.

    :origin: common.metrics.Quota
    """

    __slots__ = ("_bound", "_upper")

    def __init__(self, bound: float, upper: bool) -> None:
        """:origin: common.metrics.Quota#Quota(double, boolean)"""
        self._bound = float(bound)
        self._upper = upper

    @staticmethod
    def upper_bound(upper_bound: float) -> Quota:
        """Return a bound that values must not exceed.

        :origin: common.metrics.Quota#upperBound(double)
        """
        return Quota(upper_bound, True)

    @staticmethod
    def lower_bound(lower_bound: float) -> Quota:
        """Return a bound that values must not fall below.

        :origin: common.metrics.Quota#lowerBound(double)
        """
        return Quota(lower_bound, False)

    def is_upper_bound(self) -> bool:
        """:origin: common.metrics.Quota#isUpperBound()"""
        return self._upper

    def bound(self) -> float:
        """:origin: common.metrics.Quota#bound()"""
        return self._bound

    def acceptable(self, value: float) -> bool:
        """Return whether ``value`` is within the bound. NaN is never within it.

        :origin: common.metrics.Quota#acceptable(double)
        """
        return value <= self._bound if self._upper else value >= self._bound

    def __hash__(self) -> int:
        """:origin: common.metrics.Quota#hashCode()"""
        return hash((self._bound, self._upper))

    def __eq__(self, obj: object) -> bool:
        """:origin: common.metrics.Quota#equals(Object)"""
        if self is obj:
            return True
        if not isinstance(obj, Quota):
            return False
        return obj._bound == self._bound and obj._upper == self._upper

    def __str__(self) -> str:
        """:origin: common.metrics.Quota#toString()"""
        return ("upper=" if self._upper else "lower=") + double_text(self._bound)

    __repr__ = __str__
