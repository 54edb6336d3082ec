# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.internals.MetricsUtils of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Small helpers of the metrics."""

from __future__ import annotations

from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.time_unit import TimeUnit


class MetricsUtils:
    """Static methods only. Called by any thread.

    :origin: common.metrics.internals.MetricsUtils
    """

    __slots__ = ()

    @staticmethod
    def convert(time_ms: int, unit: TimeUnit) -> float:
        """Return ``time_ms`` as a float number of ``unit``.

        :origin: common.metrics.internals.MetricsUtils#convert(long, TimeUnit)
        """
        if unit is TimeUnit.SECONDS:
            return time_ms / 1000.0
        if unit is TimeUnit.NANOSECONDS:
            return time_ms * 1000.0 * 1000.0
        if unit is TimeUnit.MICROSECONDS:
            return time_ms * 1000.0
        if unit is TimeUnit.MILLISECONDS:
            return float(time_ms)
        if unit is TimeUnit.MINUTES:
            return time_ms / (60.0 * 1000.0)
        if unit is TimeUnit.HOURS:
            return time_ms / (60.0 * 60.0 * 1000.0)
        return time_ms / (24.0 * 60.0 * 60.0 * 1000.0)

    @staticmethod
    def get_tags(*key_value: str) -> dict[str, str]:
        """Return alternating keys and values as an ordered dict.

        Raises IllegalArgumentException for a missing last value.

        :origin: common.metrics.internals.MetricsUtils#getTags(String...)
        """
        if len(key_value) % 2 != 0:
            raise IllegalArgumentException("keyValue needs to be specified in pairs")
        return dict(zip(key_value[::2], key_value[1::2]))
