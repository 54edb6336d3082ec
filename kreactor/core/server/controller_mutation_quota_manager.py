# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ControllerMutationQuotaManager of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Measures how many partitions each client creates and deletes.

A token bucket counts the partitions. A client that made none for a while may make many at once. Then the
client is throttled until its bucket is above zero again. A request version that knows
THROTTLING_QUOTA_EXCEEDED is refused meanwhile (strict). An older version is executed, and its client is
throttled afterwards (permissive).
"""

from __future__ import annotations

from collections.abc import Mapping

from kreactor.common.errors import ThrottlingQuotaExceededException
from kreactor.common.metric_name import MetricName
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.quota_violation_exception import QuotaViolationException
from kreactor.common.metrics.sensor import Sensor
from kreactor.common.metrics.stats.rate import Rate
from kreactor.common.metrics.stats.token_bucket import TokenBucket
from kreactor.common.protocol.errors import Errors
from kreactor.common.utils.time import Time
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.server.client_quota_manager import ClientQuotaManager, to_throttle_time
from kreactor.core.server.controller_mutation_quota import (
    ControllerMutationQuota,
    UnboundedControllerMutationQuota,
)
from kreactor.core.server.quota_type import QuotaType
from kreactor.jdk.doubles import divide, round_to_long
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.network.session import Session
from kreactor.server.config.client_quota_manager_config import ClientQuotaManagerConfig
from kreactor.server.quota.client_quota_callback import ClientQuotaCallback

_DEFAULT_CONFIG = ClientQuotaManagerConfig()


class AbstractControllerMutationQuota(ControllerMutationQuota):
    """:origin: kafka.server.AbstractControllerMutationQuota"""

    __slots__ = ("_time", "_config", "_last_throttle_time_ms", "_last_recorded_time_ms")

    def __init__(self, time: Time, config: ClientQuotaManagerConfig = _DEFAULT_CONFIG) -> None:
        """:origin: kafka.server.AbstractControllerMutationQuota#AbstractControllerMutationQuota"""
        self._time = time
        self._config = config
        self._last_throttle_time_ms = 0
        self._last_recorded_time_ms = 0

    def _update_throttle_time(self, e: QuotaViolationException, time_ms: int) -> None:
        """:origin: kafka.server.AbstractControllerMutationQuota#updateThrottleTime"""
        self._last_throttle_time_ms = ControllerMutationQuotaManager.throttle_time_ms(e, time_ms)
        self._last_recorded_time_ms = time_ms

    def throttle_time(self) -> int:
        """Return the rest of the throttle time, in milliseconds: the request itself may have waited.

        :origin: kafka.server.AbstractControllerMutationQuota#throttleTime
        """
        delta_time_ms = self._time.milliseconds() - self._last_recorded_time_ms
        return to_throttle_time(max(0, self._last_throttle_time_ms - delta_time_ms), self._config)


class StrictControllerMutationQuota(AbstractControllerMutationQuota):
    """Refuses a mutation when the bucket is empty; until then, accepts a mutation of any size.

    :origin: kafka.server.StrictControllerMutationQuota
    """

    __slots__ = ("_quota_sensor",)

    def __init__(self, time: Time, quota_sensor: Sensor,
                 config: ClientQuotaManagerConfig = _DEFAULT_CONFIG) -> None:
        """:origin: kafka.server.StrictControllerMutationQuota#StrictControllerMutationQuota"""
        super().__init__(time, config)
        self._quota_sensor = quota_sensor

    def is_exceeded(self) -> bool:
        """:origin: kafka.server.StrictControllerMutationQuota#isExceeded"""
        return self._last_throttle_time_ms > 0

    def record(self, permits: float) -> None:
        """:origin: kafka.server.StrictControllerMutationQuota#record"""
        time_ms = self._time.milliseconds()
        try:
            with self._quota_sensor._lock:
                self._quota_sensor.check_quotas(time_ms)
                self._quota_sensor.record(permits, time_ms, False)
        except QuotaViolationException as e:
            self._update_throttle_time(e, time_ms)
            raise ThrottlingQuotaExceededException(
                Errors.THROTTLING_QUOTA_EXCEEDED.message(),
                to_throttle_time(self._last_throttle_time_ms, self._config)) from None


class PermissiveControllerMutationQuota(AbstractControllerMutationQuota):
    """Refuses no mutation, and throttles the client.

    :origin: kafka.server.PermissiveControllerMutationQuota
    """

    __slots__ = ("_quota_sensor",)

    def __init__(self, time: Time, quota_sensor: Sensor,
                 config: ClientQuotaManagerConfig = _DEFAULT_CONFIG) -> None:
        """:origin: kafka.server.PermissiveControllerMutationQuota#PermissiveControllerMutationQuota"""
        super().__init__(time, config)
        self._quota_sensor = quota_sensor

    def is_exceeded(self) -> bool:
        """:origin: kafka.server.PermissiveControllerMutationQuota#isExceeded"""
        return False

    def record(self, permits: float) -> None:
        """:origin: kafka.server.PermissiveControllerMutationQuota#record"""
        time_ms = self._time.milliseconds()
        try:
            self._quota_sensor.record(permits, time_ms, True)
        except QuotaViolationException as e:
            self._update_throttle_time(e, time_ms)


class ControllerMutationQuotaManager(ClientQuotaManager):
    """For use by any thread.

    :origin: kafka.server.ControllerMutationQuotaManager
    :origin: kafka.server.ControllerMutationQuotaManager
    """

    @staticmethod
    def throttle_time_ms(e: QuotaViolationException, time_ms: int) -> int:
        """Return how long it takes until the bucket has at least 0 tokens, in milliseconds.

        Raises IllegalArgumentException if the metric is not a token bucket.

        :origin: kafka.server.ControllerMutationQuotaManager#throttleTimeMs
        """
        if isinstance(e.metric().measurable(), TokenBucket):
            return round_to_long(divide(-e.value(), e.bound()) * 1000)
        raise IllegalArgumentException(
            f"Metric {e.metric().metric_name()} is not a TokenBucket metric, value {e.metric().measurable()}")

    def __init__(self, config: ClientQuotaManagerConfig, metrics: Metrics, time: Time,
                 thread_name_prefix: str, quota_callback: ClientQuotaCallback | None) -> None:
        """:origin: kafka.server.ControllerMutationQuotaManager#ControllerMutationQuotaManager"""
        super().__init__(
            config, metrics, QuotaType.ControllerMutation, time, thread_name_prefix, quota_callback)

    def _client_quota_metric_name(self, quota_metric_tags: Mapping[str, str]) -> MetricName:
        """:origin: kafka.server.ControllerMutationQuotaManager#clientQuotaMetricName"""
        return self._metrics.metric_name(
            "tokens", str(QuotaType.ControllerMutation), "The tokens left in a quota's bucket",
            quota_metric_tags)

    def _client_rate_metric_name(self, quota_metric_tags: Mapping[str, str]) -> MetricName:
        """:origin: kafka.server.ControllerMutationQuotaManager#clientRateMetricName"""
        return self._metrics.metric_name(
            "mutation-rate", str(QuotaType.ControllerMutation),
            "The partitions changed per second under a quota", quota_metric_tags)

    def _register_quota_metrics(self, metric_tags: Mapping[str, str], sensor: Sensor) -> None:
        """:origin: kafka.server.ControllerMutationQuotaManager#registerQuotaMetrics"""
        sensor.add(self._client_rate_metric_name(metric_tags), Rate())
        sensor.add(self._client_quota_metric_name(metric_tags), TokenBucket(),
                   self._get_quota_metric_config(metric_tags))

    def record_and_get_throttle_time_ms(self, session: Session, client_id: str, value: float,
                                        time_ms: int) -> int:
        """Record ``value`` if the bucket is not empty; return the throttle time in milliseconds.

        :origin: kafka.server.ControllerMutationQuotaManager#recordAndGetThrottleTimeMs
        """
        client_sensors = self.get_or_create_quota_sensors(session, client_id)
        quota_sensor = client_sensors.quota_sensor
        try:
            with quota_sensor._lock:
                quota_sensor.check_quotas(time_ms)
                quota_sensor.record(value, time_ms, False)
            return 0
        except QuotaViolationException as e:
            throttle_time_ms = to_throttle_time(self.throttle_time_ms(e, time_ms), self._config)
            self.debug("quota of sensor %s violated: delay of %d ms", quota_sensor.name(), throttle_time_ms)
            return throttle_time_ms

    def new_strict_quota_for_session(self, session: Session, client_id: str) -> ControllerMutationQuota:
        """Return the strict quota of a user's client, for one request.

        :origin: kafka.server.ControllerMutationQuotaManager#newStrictQuotaFor
        """
        if self.quotas_enabled():
            client_sensors = self.get_or_create_quota_sensors(session, client_id)
            return StrictControllerMutationQuota(self._time, client_sensors.quota_sensor, self._config)
        return UnboundedControllerMutationQuota

    def new_strict_quota_for(self, request: RequestChannel.Request) -> ControllerMutationQuota:
        """:origin: kafka.server.ControllerMutationQuotaManager#newStrictQuotaFor"""
        return self.new_strict_quota_for_session(request.session, request.header().client_id() or "")

    def new_permissive_quota_for_session(self, session: Session, client_id: str) -> ControllerMutationQuota:
        """Return the permissive quota of a user's client, for one request.

        :origin: kafka.server.ControllerMutationQuotaManager#newPermissiveQuotaFor
        """
        if self.quotas_enabled():
            client_sensors = self.get_or_create_quota_sensors(session, client_id)
            return PermissiveControllerMutationQuota(self._time, client_sensors.quota_sensor, self._config)
        return UnboundedControllerMutationQuota

    def new_permissive_quota_for(self, request: RequestChannel.Request) -> ControllerMutationQuota:
        """:origin: kafka.server.ControllerMutationQuotaManager#newPermissiveQuotaFor"""
        return self.new_permissive_quota_for_session(request.session, request.header().client_id() or "")

    def new_quota_for(self, request: RequestChannel.Request,
                      strict_since_version: int) -> ControllerMutationQuota:
        """Return the quota of a request; it is strict from version ``strict_since_version`` on.

        :origin: kafka.server.ControllerMutationQuotaManager#newQuotaFor
        """
        if request.header().api_version() >= strict_since_version:
            return self.new_strict_quota_for(request)
        return self.new_permissive_quota_for(request)
