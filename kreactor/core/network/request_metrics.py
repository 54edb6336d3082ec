# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.network.RequestMetrics of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The metrics of one API: rates, sizes, errors, and the parts of a request's time.

Any thread may record; the network thread that wrote the response does.

============================  ==========================================================================
histogram                     from - to, in ms
============================  ==========================================================================
request_queue_time_hist       request complete - taken by a handler
local_time_hist               taken by a handler - handled, callbacks included
remote_time_hist              handled - answer complete: the wait in a purgatory
response_queue_time_hist      answer complete - taken by the network thread
response_send_time_hist       taken by the network thread - written
throttle_time_hist            how long the client is to be throttled: no part of the total
total_time_hist               request complete - written
============================  ==========================================================================
"""

from __future__ import annotations

from collections.abc import Mapping

from kreactor.common.network.client_information import ClientInformation
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.core.utils.pool import Pool
from kreactor.jdk.locks import Lock
from kreactor.jdk.time_unit import TimeUnit
from kreactor.server.metrics.kafka_metrics_group import KafkaMetricsGroup
from kreactor.server.metrics.yammer import Histogram, Meter, MetricsRegistry


class RequestMetrics:
    """The metrics of one API, or of a part of one that is told apart.

    :origin: kafka.network.RequestMetrics
    :origin: kafka.network.RequestMetrics
    """

    CONSUMER_FETCH_METRIC_NAME = ApiKeys.FETCH.name + "Consumer"
    FOLLOW_FETCH_METRIC_NAME = ApiKeys.FETCH.name + "Follower"

    VERIFY_PARTITIONS_IN_TXN_METRIC_NAME = ApiKeys.ADD_PARTITIONS_TO_TXN.name + "Verification"

    REQUESTS_PER_SEC = "RequestsPerSec"
    DEPRECATED_REQUESTS_PER_SEC = "DeprecatedRequestsPerSec"
    REQUEST_QUEUE_TIME_MS = "RequestQueueTimeMs"
    LOCAL_TIME_MS = "LocalTimeMs"
    REMOTE_TIME_MS = "RemoteTimeMs"
    THROTTLE_TIME_MS = "ThrottleTimeMs"
    RESPONSE_QUEUE_TIME_MS = "ResponseQueueTimeMs"
    RESPONSE_SEND_TIME_MS = "ResponseSendTimeMs"
    TOTAL_TIME_MS = "TotalTimeMs"
    REQUEST_BYTES = "RequestBytes"
    MESSAGE_CONVERSIONS_TIME_MS = "MessageConversionsTimeMs"
    TEMPORARY_MEMORY_BYTES = "TemporaryMemoryBytes"
    ERRORS_PER_SEC = "ErrorsPerSec"

    # The number of clients with meters of their own, among those that use deprecated versions of one API.
    MAX_CLIENTS = 100

    def __init__(self, name: str, registry: MetricsRegistry | None = None) -> None:
        self._name = name
        self._metrics_group = metrics_group = KafkaMetricsGroup(type(self), registry)
        self.tags: Mapping[str, str] = {"request": name}
        tags = self.tags
        self._request_rate_internal: Pool[int, Meter] = Pool()
        self._deprecated_request_rate_internal: Pool[tuple[int, ClientInformation], Meter] = Pool()
        self.request_queue_time_hist = metrics_group.new_histogram(self.REQUEST_QUEUE_TIME_MS, True, tags)
        self.local_time_hist = metrics_group.new_histogram(self.LOCAL_TIME_MS, True, tags)
        self.remote_time_hist = metrics_group.new_histogram(self.REMOTE_TIME_MS, True, tags)
        self.throttle_time_hist = metrics_group.new_histogram(self.THROTTLE_TIME_MS, True, tags)
        self.response_queue_time_hist = metrics_group.new_histogram(self.RESPONSE_QUEUE_TIME_MS, True, tags)
        self.response_send_time_hist = metrics_group.new_histogram(self.RESPONSE_SEND_TIME_MS, True, tags)
        self.total_time_hist = metrics_group.new_histogram(self.TOTAL_TIME_MS, True, tags)
        # In bytes, the size in front not counted.
        self.request_bytes_hist = metrics_group.new_histogram(self.REQUEST_BYTES, True, tags)
        # Only produces and fetches convert batches, and take memory to do it.
        self.message_conversions_time_hist: Histogram | None = None
        self.temp_memory_bytes_hist: Histogram | None = None
        if name in (ApiKeys.FETCH.name, ApiKeys.PRODUCE.name):
            self.message_conversions_time_hist = metrics_group.new_histogram(
                self.MESSAGE_CONVERSIONS_TIME_MS, True, tags)
            self.temp_memory_bytes_hist = metrics_group.new_histogram(
                self.TEMPORARY_MEMORY_BYTES, True, tags)

        self._error_meters = {error: ErrorMeter(metrics_group, name, error) for error in Errors}

    def request_rate(self, version: int) -> Meter:
        """Return the meter of the requests of a version.

        :origin: kafka.network.RequestMetrics#requestRate
        """
        return self._request_rate_internal.get(version) or (
            self._request_rate_internal.get_and_maybe_put_create_value(
                version, lambda: self._metrics_group.new_meter(
                    self.REQUESTS_PER_SEC, "requests", TimeUnit.SECONDS, self._tags_with_version(version))))

    def deprecated_request_rate(
        self, api_key: ApiKeys, version: int, client_information: ClientInformation,
    ) -> Meter | None:
        """Return the meter of a deprecated version's requests by client, None if it is not deprecated.

        :origin: kafka.network.RequestMetrics#deprecatedRequestRate
        """
        if api_key.is_version_deprecated(version):
            # DEVIATION D131: a client may send any software name, and a new one each time. The origin makes a
            # meter for each name, and keeps it. Here later names count as unknown.
            clients = self._deprecated_request_rate_internal
            if clients.size() >= self.MAX_CLIENTS and not clients.contains((version, client_information)):
                client_information = ClientInformation.EMPTY
            return self._deprecated_request_rate_internal.get_and_maybe_put_create_value(
                (version, client_information), lambda: self._metrics_group.new_meter(
                    self.DEPRECATED_REQUESTS_PER_SEC, "requests", TimeUnit.SECONDS,
                    self._tags_with_version_and_client_info(version, client_information)))
        return None

    def _tags_with_version(self, version: int) -> dict[str, str]:
        """:origin: kafka.network.RequestMetrics#tagsWithVersion"""
        return {**self.tags, "version": str(version)}

    def _tags_with_version_and_client_info(
        self, version: int, client_information: ClientInformation,
    ) -> dict[str, str]:
        """:origin: kafka.network.RequestMetrics#tagsWithVersionAndClientInfo"""
        return {
            **self.tags,
            "version": str(version),
            "clientSoftwareName": client_information.software_name(),
            "clientSoftwareVersion": client_information.software_version(),
        }

    # ErrorMeter: below.

    def mark_error_meter(self, error: Errors, count: int) -> None:
        """Count ``count`` errors.

        :origin: kafka.network.RequestMetrics#markErrorMeter
        """
        self._error_meters[error].get_or_create_meter().mark(count)

    def remove_metrics(self) -> None:
        """Remove all metrics from the registry.

        :origin: kafka.network.RequestMetrics#removeMetrics
        """
        group, tags = self._metrics_group, self.tags
        for version in self._request_rate_internal.keys():
            group.remove_metric(self.REQUESTS_PER_SEC, self._tags_with_version(version))
        for version, client_information in self._deprecated_request_rate_internal.keys():
            group.remove_metric(self.DEPRECATED_REQUESTS_PER_SEC,
                                self._tags_with_version_and_client_info(version, client_information))
        group.remove_metric(self.REQUEST_QUEUE_TIME_MS, tags)
        group.remove_metric(self.LOCAL_TIME_MS, tags)
        group.remove_metric(self.REMOTE_TIME_MS, tags)
        group.remove_metric(self.REQUESTS_PER_SEC, tags)
        group.remove_metric(self.THROTTLE_TIME_MS, tags)
        group.remove_metric(self.RESPONSE_QUEUE_TIME_MS, tags)
        group.remove_metric(self.TOTAL_TIME_MS, tags)
        group.remove_metric(self.RESPONSE_SEND_TIME_MS, tags)
        group.remove_metric(self.REQUEST_BYTES, tags)
        if self._name in (ApiKeys.FETCH.name, ApiKeys.PRODUCE.name):
            group.remove_metric(self.MESSAGE_CONVERSIONS_TIME_MS, tags)
            group.remove_metric(self.TEMPORARY_MEMORY_BYTES, tags)
        for error_meter in self._error_meters.values():
            error_meter.remove_meter()
        self._error_meters.clear()


class ErrorMeter:
    """The meter of one error, made when the error first happens: most never do.

    :origin: kafka.network.RequestMetrics.ErrorMeter
    """

    __slots__ = ("_metrics_group", "_name", "_error", "_meter", "_lock")

    def __init__(self, metrics_group: KafkaMetricsGroup, name: str, error: Errors) -> None:
        self._metrics_group = metrics_group
        self._name = name
        self._error = error
        self._meter: Meter | None = None
        self._lock = Lock()

    def _tags(self) -> Mapping[str, str]:
        """:origin: kafka.network.RequestMetrics.ErrorMeter#tags"""
        return {"request": self._name, "error": self._error.name}

    def get_or_create_meter(self) -> Meter:
        """:origin: kafka.network.RequestMetrics.ErrorMeter#getOrCreateMeter"""
        meter = self._meter
        if meter is not None:
            return meter
        with self._lock:
            if self._meter is None:
                self._meter = self._metrics_group.new_meter(
                    RequestMetrics.ERRORS_PER_SEC, "requests", TimeUnit.SECONDS, self._tags())
            return self._meter

    def remove_meter(self) -> None:
        """:origin: kafka.network.RequestMetrics.ErrorMeter#removeMeter"""
        with self._lock:
            if self._meter is not None:
                self._metrics_group.remove_metric(RequestMetrics.ERRORS_PER_SEC, self._tags())
                self._meter = None
