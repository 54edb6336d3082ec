# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.stats.SimpleRate of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A quantity per unit of time since the oldest sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.metrics.stats.rate import Rate

if TYPE_CHECKING:
    from kreactor.common.metrics.metric_config import MetricConfig


class SimpleRate(Rate):
    """A rate over the time since the oldest sample, at least one window.

    :origin: common.metrics.stats.SimpleRate
    """

    __slots__ = ()

    def window_size(self, config: MetricConfig, now: int) -> int:
        """Return the milliseconds that the measurement at ``now`` covers.

        :origin: common.metrics.stats.SimpleRate#windowSize(MetricConfig, long)
        """
        self._stat._purge_obsolete_samples(config, now)
        elapsed = now - self._stat.oldest(now)._start_time_ms
        return max(elapsed, config.time_window_ms())
