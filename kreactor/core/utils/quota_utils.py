# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.utils.QuotaUtils of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Computes the throttle time until a rate is within its quota again."""

from __future__ import annotations

from kreactor.common.metric_name import MetricName
from kreactor.common.metrics.kafka_metric import KafkaMetric
from kreactor.common.metrics.measurable import Measurable
from kreactor.common.metrics.quota_violation_exception import QuotaViolationException
from kreactor.common.metrics.stats.rate import Rate
from kreactor.jdk.doubles import divide, round_to_long
from kreactor.jdk.exceptions import IllegalArgumentException


class QuotaUtils:
    """Static methods only, for use by any thread.

    :origin: kafka.utils.QuotaUtils
    """

    __slots__ = ()

    @staticmethod
    def throttle_time(e: QuotaViolationException, time_ms: int) -> int:
        """Return the milliseconds after which the rate is down to its bound if nothing more is recorded.

        Let the rate be O, its window W, and the bound T. The window must grow to W + X, so that the same
        events give the rate T: O * W = T * (W + X), so X = (O - T) / T * W. With a bound of 0, X is infinite,
        and the result is the largest long. Raises IllegalArgumentException if the metric is not a rate.

        :origin: kafka.utils.QuotaUtils#throttleTime
        """
        difference = e.value() - e.bound()
        throttle_time_ms = divide(difference, e.bound()) * QuotaUtils._window_size(e.metric(), time_ms)
        return round_to_long(throttle_time_ms)

    @staticmethod
    def bounded_throttle_time(e: QuotaViolationException, max_throttle_time: int, time_ms: int) -> int:
        """Return ``throttle_time``, but at most ``max_throttle_time``.

        :origin: kafka.utils.QuotaUtils#boundedThrottleTime
        """
        return min(QuotaUtils.throttle_time(e, time_ms), max_throttle_time)

    @staticmethod
    def _window_size(metric: KafkaMetric, time_ms: int) -> int:
        """Return the milliseconds over which the rate was computed.

        :origin: kafka.utils.QuotaUtils#windowSize
        """
        return QuotaUtils._measurable_as_rate(metric.metric_name(), metric.measurable()).window_size(
            metric.config(), time_ms)

    @staticmethod
    def _measurable_as_rate(name: MetricName, measurable: Measurable) -> Rate:
        """:origin: kafka.utils.QuotaUtils#measurableAsRate"""
        if isinstance(measurable, Rate):
            return measurable
        raise IllegalArgumentException(f"Metric {name} is not a Rate metric, value {measurable}")
