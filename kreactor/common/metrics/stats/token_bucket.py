# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.stats.TokenBucket of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A token bucket for a quota with bursts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.metrics.internals.metrics_utils import MetricsUtils
from kreactor.common.metrics.measurable_stat import MeasurableStat
from kreactor.jdk.text import double_text
from kreactor.jdk.time_unit import TimeUnit

if TYPE_CHECKING:
    from kreactor.common.metrics.metric_config import MetricConfig

_LONG_MAX_VALUE = 2**63 - 1


class TokenBucket(MeasurableStat):
    """Tokens that refill at the quota's rate, up to the total of all windows.

    A record takes tokens, also below 0. The quota is exhausted until the number is above 0 again. With a
    rate, one large value exceeds the bound until its sample is dropped; a token bucket recovers with time.

    :origin: common.metrics.stats.TokenBucket
    """

    __slots__ = ("_unit", "_tokens", "_last_update_ms")

    def __init__(self, unit: TimeUnit = TimeUnit.SECONDS) -> None:
        """The quota is per ``unit``. The bucket starts full, because its last update was in 1970.

        :origin: common.metrics.stats.TokenBucket#TokenBucket()
        :origin: common.metrics.stats.TokenBucket#TokenBucket(TimeUnit)
        """
        self._unit = unit
        self._tokens = 0.0
        self._last_update_ms = 0

    def measure(self, config: MetricConfig, time_ms: int) -> float:
        """Return the number of tokens at ``time_ms``; the largest long without a quota.

        :origin: common.metrics.stats.TokenBucket#measure(MetricConfig, long)
        """
        config_quota = config.quota()
        if config_quota is None:
            return float(_LONG_MAX_VALUE)
        quota = config_quota.bound()
        burst = self._burst(config, quota)
        self._refill(quota, burst, time_ms)
        return self._tokens

    def record(self, config: MetricConfig, value: float, time_ms: int) -> None:
        """Take ``value`` tokens. A negative value returns tokens.

        :origin: common.metrics.stats.TokenBucket#record(MetricConfig, double, long)
        """
        config_quota = config.quota()
        if config_quota is None:
            return
        quota = config_quota.bound()
        burst = self._burst(config, quota)
        self._refill(quota, burst, time_ms)
        tokens = self._tokens - value
        # Not min(), so that NaN propagates as in Java.
        self._tokens = burst if burst <= tokens else tokens

    def _refill(self, quota: float, burst: float, time_ms: int) -> None:
        """Add the tokens since the last update.

        :origin: common.metrics.stats.TokenBucket#refill(double, double, long)
        """
        tokens = self._tokens + quota * MetricsUtils.convert(time_ms - self._last_update_ms, self._unit)
        self._tokens = burst if burst <= tokens else tokens
        self._last_update_ms = time_ms

    def _burst(self, config: MetricConfig, quota: float) -> float:
        """Return the capacity of the bucket.

        :origin: common.metrics.stats.TokenBucket#burst(MetricConfig)
        """
        return config.samples() * MetricsUtils.convert(config.time_window_ms(), self._unit) * quota

    def __str__(self) -> str:
        """:origin: common.metrics.stats.TokenBucket#toString()"""
        return (f"TokenBucket(unit={self._unit.name}, tokens={double_text(self._tokens)}, "
                f"lastUpdateMs={self._last_update_ms})")
