# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.utils.Throttler of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Limits a rate by sleeping.

Any thread may call it. ``_lock`` is held during the sleep, so that all threads together keep the rate.
"""

from __future__ import annotations

from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.jdk.locks import Lock
from kreactor.jdk.time_unit import TimeUnit
from kreactor.server.metrics.kafka_metrics_group import KafkaMetricsGroup
from kreactor.server.metrics.yammer import MetricsRegistry

log = LogContext().logger(f"{__name__}.Throttler")

_MS_PER_SEC = TimeUnit.SECONDS.to_millis(1)
_NS_PER_SEC = TimeUnit.SECONDS.to_nanos(1)


class Throttler:
    """Counts units of any kind, for example bytes.

    :origin: storage.internals.utils.Throttler
    """

    def __init__(self, desired_rate_per_sec: float, check_interval_ms: int, metric_name: str, units: str,
                 time: Time, registry: MetricsRegistry | None = None) -> None:
        """The rate is checked at most every ``check_interval_ms``.

        :origin: storage.internals.utils.Throttler#Throttler(double, long, String, String, Time)
        """
        self._lock = Lock()
        self._check_interval_ns = TimeUnit.MILLISECONDS.to_nanos(check_interval_ms)
        self._meter = KafkaMetricsGroup(Throttler, registry).new_meter(metric_name, units, TimeUnit.SECONDS)
        self._time = time
        self._desired_rate_per_sec = desired_rate_per_sec
        # Guarded by the lock.
        self._period_start_ns = time.nanoseconds()
        self._observed_so_far = 0.0

    def update_desired_rate_per_sec(self, updated_desired_rate_per_sec: float) -> None:
        """Change the rate.

        :origin: storage.internals.utils.Throttler#updateDesiredRatePerSec(double)
        """
        self._desired_rate_per_sec = updated_desired_rate_per_sec

    def desired_rate_per_sec(self) -> float:
        """Return the desired rate, in units per second.

        :origin: storage.internals.utils.Throttler#desiredRatePerSec()
        """
        return self._desired_rate_per_sec

    def maybe_throttle(self, observed: float) -> None:
        """Count ``observed`` units, and sleep if the rate since the last check is too high.

        :origin: storage.internals.utils.Throttler#maybeThrottle(double)
        """
        current_desired_rate_per_sec = self._desired_rate_per_sec
        self._meter.mark(int(observed))
        with self._lock:
            self._observed_so_far += observed
            now = self._time.nanoseconds()
            elapsed_ns = now - self._period_start_ns
            if elapsed_ns > self._check_interval_ns and self._observed_so_far > 0:
                rate_in_secs = self._observed_so_far * _NS_PER_SEC / elapsed_ns
                if rate_in_secs > current_desired_rate_per_sec:
                    desired_rate_ms = current_desired_rate_per_sec / _MS_PER_SEC
                    elapsed_ms = TimeUnit.NANOSECONDS.to_millis(elapsed_ns)
                    sleep_time = int(self._observed_so_far / desired_rate_ms - elapsed_ms + 0.5)
                    if sleep_time > 0:
                        log.trace("Natural rate is %f per second but desired rate is %f, sleeping for %d ms "
                                  "to compensate.", rate_in_secs, current_desired_rate_per_sec, sleep_time)
                        self._time.sleep(sleep_time)
                self._period_start_ns = self._time.nanoseconds()
                self._observed_so_far = 0.0
