# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ClientRequestQuotaManager of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Measures how much of the broker's thread time each client uses.

A quota is in per cent of one thread. The handler's time is known when the response is made, and may throttle
the client. The network thread's time is recorded after the response is sent, and counts for the client's next
request.
"""

from __future__ import annotations

from collections.abc import Mapping

from kreactor.common.metric_name import MetricName
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.quota_violation_exception import QuotaViolationException
from kreactor.common.metrics.stats.rate import Rate
from kreactor.common.utils.time import Time
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.server.client_quota_manager import ClientQuotaManager, QuotaTypes
from kreactor.core.server.quota_type import QuotaType
from kreactor.core.utils.quota_utils import QuotaUtils
from kreactor.jdk.time_unit import TimeUnit
from kreactor.server.config.client_quota_manager_config import ClientQuotaManagerConfig
from kreactor.server.quota.client_quota_callback import ClientQuotaCallback

_LONG_MAX_VALUE = 2**63 - 1


class ClientRequestQuotaManager(ClientQuotaManager):
    """For use by any thread.

    :origin: kafka.server.ClientRequestQuotaManager
    :origin: kafka.server.ClientRequestQuotaManager
    """

    NanosToPercentagePerSecond = 100.0 / TimeUnit.SECONDS.to_nanos(1)
    # The sensor of exempt requests is shared by all clients, and never expires.
    _DefaultInactiveExemptSensorExpirationTimeSeconds = _LONG_MAX_VALUE

    _ExemptSensorName = f"exempt-{QuotaType.Request}"

    def __init__(self, config: ClientQuotaManagerConfig, metrics: Metrics, time: Time,
                 thread_name_prefix: str, quota_callback: ClientQuotaCallback | None) -> None:
        """:origin: kafka.server.ClientRequestQuotaManager#ClientRequestQuotaManager"""
        super().__init__(config, metrics, QuotaType.Request, time, thread_name_prefix, quota_callback)
        self._max_throttle_time_ms = TimeUnit.SECONDS.to_millis(config.quota_window_size_seconds)
        exempt_metric_name = metrics.metric_name(
            "exempt-request-time", str(QuotaType.Request),
            "The time of requests that throttle no client, in per cent of a thread")

        self.exempt_sensor = self._get_or_create_sensor(
            self._ExemptSensorName, self._DefaultInactiveExemptSensorExpirationTimeSeconds,
            lambda sensor: sensor.add(exempt_metric_name, Rate()))

    def _record_exempt(self, value: float) -> None:
        """:origin: kafka.server.ClientRequestQuotaManager#recordExempt"""
        self.exempt_sensor.record(value)

    def maybe_record_and_get_throttle_time_ms(  # type: ignore[override]  # an overload in Kafka
            self, request: RequestChannel.Request, time_ms: int) -> int:
        """Record the time of a request; return the throttle time of its client in milliseconds.

        :origin: kafka.server.ClientRequestQuotaManager#maybeRecordAndGetThrottleTimeMs
        """
        if self._quota_types_enabled != QuotaTypes.NoQuotas:
            session, client_id = request.session, request.header().client_id() or ""
            request.record_network_thread_time_callback = lambda time_nanos: self.record_no_throttle(
                session, client_id, self._nanos_to_percentage(time_nanos))
            return self.record_and_get_throttle_time_ms(
                session, client_id, self._nanos_to_percentage(request.request_thread_time_nanos()), time_ms)
        return 0

    def maybe_record_exempt(self, request: RequestChannel.Request) -> None:
        """Record the time of a request that throttles no client.

        :origin: kafka.server.ClientRequestQuotaManager#maybeRecordExempt
        """
        if self._quota_types_enabled != QuotaTypes.NoQuotas:
            request.record_network_thread_time_callback = lambda time_nanos: self._record_exempt(
                self._nanos_to_percentage(time_nanos))
            self._record_exempt(self._nanos_to_percentage(request.request_thread_time_nanos()))

    def _throttle_time(self, e: QuotaViolationException, time_ms: int) -> int:
        """Return a throttle time of at most one quota window, in milliseconds.

        :origin: kafka.server.ClientRequestQuotaManager#throttleTime
        """
        return QuotaUtils.bounded_throttle_time(e, self._max_throttle_time_ms, time_ms)

    def _client_quota_metric_name(self, quota_metric_tags: Mapping[str, str]) -> MetricName:
        """:origin: kafka.server.ClientRequestQuotaManager#clientQuotaMetricName"""
        return self._metrics.metric_name(
            "request-time", str(QuotaType.Request),
            "The time of a quota's clients, in per cent of a thread", quota_metric_tags)

    def _nanos_to_percentage(self, nanos: int) -> float:
        """:origin: kafka.server.ClientRequestQuotaManager#nanosToPercentage"""
        return nanos * self.NanosToPercentagePerSecond
