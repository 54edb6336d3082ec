# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.stats.TokenBucket of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A quota that can be spent in bursts."""

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
    """Tokens that come at the rate of the quota, up to what all windows together allow.

    Recording takes tokens, also below zero: then the quota is exhausted, until enough have come. Unlike a
    rate, which one large value keeps above the bound until its sample is dropped, this forgives in time.

    :origin: common.metrics.stats.TokenBucket
    """

    __slots__ = ("_unit", "_tokens", "_last_update_ms")

    def __init__(self, unit: TimeUnit = TimeUnit.SECONDS) -> None:
        """The quota is per ``unit``. It starts full: the last update was in 1970.

        :origin: common.metrics.stats.TokenBucket#TokenBucket()
        :origin: common.metrics.stats.TokenBucket#TokenBucket(TimeUnit)
        """
        self._unit = unit
        self._tokens = 0.0
        self._last_update_ms = 0

    def measure(self, config: MetricConfig, time_ms: int) -> float:
        """Return the tokens there are at ``time_ms``; no end of them without a quota.

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
        """Take ``value`` tokens; give them back if negative.

        :origin: common.metrics.stats.TokenBucket#record(MetricConfig, double, long)
        """
        config_quota = config.quota()
        if config_quota is None:
            return
        quota = config_quota.bound()
        burst = self._burst(config, quota)
        self._refill(quota, burst, time_ms)
        tokens = self._tokens - value
        # Not min(): what is not a number comes through, as in Java.
        self._tokens = burst if burst <= tokens else tokens

    def _refill(self, quota: float, burst: float, time_ms: int) -> None:
        """Add what came since the last time.

        :origin: common.metrics.stats.TokenBucket#refill(double, double, long)
        """
        tokens = self._tokens + quota * MetricsUtils.convert(time_ms - self._last_update_ms, self._unit)
        self._tokens = burst if burst <= tokens else tokens
        self._last_update_ms = time_ms

    def _burst(self, config: MetricConfig, quota: float) -> float:
        """Return what the bucket holds.

        :origin: common.metrics.stats.TokenBucket#burst(MetricConfig)
        """
        return config.samples() * MetricsUtils.convert(config.time_window_ms(), self._unit) * quota

    def __str__(self) -> str:
        """:origin: common.metrics.stats.TokenBucket#toString()"""
        return (f"TokenBucket(unit={self._unit.name}, tokens={double_text(self._tokens)}, "
                f"lastUpdateMs={self._last_update_ms})")
