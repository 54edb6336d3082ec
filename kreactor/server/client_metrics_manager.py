# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.ClientMetricsManager of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Requests metrics from clients according to subscriptions, and exports them to receivers (KIP-714).

The cache holds a client from its first request on. An entry expires when the client is silent for three of
its push intervals. It is evicted when the cache is full. An entry belongs to one version of the
subscriptions; after a change, the client's next request makes a new entry.

Any thread may call it. Subscriptions change one at a time. ``_lock`` is held while a client's entry is made
or replaced. The timer's thread removes expired clients.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType

from kreactor.common.cache.cache import Cache
from kreactor.common.cache.lru_cache import LRUCache
from kreactor.common.cache.synchronized_cache import SynchronizedCache
from kreactor.common.errors import (
    ApiException,
    InvalidRequestException,
    TelemetryTooLargeException,
    ThrottlingQuotaExceededException,
    UnknownSubscriptionIdException,
    UnsupportedCompressionTypeException,
)
from kreactor.common.message.get_telemetry_subscriptions_response_data import (
    GetTelemetrySubscriptionsResponseData,
)
from kreactor.common.message.push_telemetry_response_data import PushTelemetryResponseData
from kreactor.common.metric_name import MetricName
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.stats.avg import Avg
from kreactor.common.metrics.stats.max import Max
from kreactor.common.metrics.stats.meter import Meter
from kreactor.common.metrics.stats.sampled_stat import SampledStat
from kreactor.common.metrics.stats.windowed_count import WindowedCount
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.requests.get_telemetry_subscriptions_request import GetTelemetrySubscriptionsRequest
from kreactor.common.requests.get_telemetry_subscriptions_response import GetTelemetrySubscriptionsResponse
from kreactor.common.requests.push_telemetry_request import PushTelemetryRequest
from kreactor.common.requests.push_telemetry_response import PushTelemetryResponse
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.utils.crc32c import Crc32C
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.common.uuid import Uuid
from kreactor.jdk.atomic import AtomicInteger
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.locks import ReentrantLock
from kreactor.jdk.regex import Pattern
from kreactor.server.metrics.client_metrics_configs import ClientMetricsConfigs
from kreactor.server.metrics.client_metrics_instance import ClientMetricsInstance
from kreactor.server.metrics.client_metrics_instance_metadata import ClientMetricsInstanceMetadata
from kreactor.server.metrics.client_metrics_receiver_plugin import ClientMetricsReceiverPlugin
from kreactor.server.util.timer.system_timer import SystemTimer
from kreactor.server.util.timer.system_timer_reaper import SystemTimerReaper
from kreactor.server.util.timer.timer import Timer
from kreactor.server.util.timer.timer_task import TimerTask

log = LogContext().logger(f"{__name__}.ClientMetricsManager")


class ClientMetricsManager:
    """Handles the telemetry requests of clients, and stores the subscriptions.

    :origin: server.ClientMetricsManager
    """

    CLIENT_METRICS_REAPER_THREAD_NAME = "client-metrics-reaper"

    _SUPPORTED_COMPRESSION_TYPES = tuple(compression_type._id for compression_type in (
        CompressionType.ZSTD, CompressionType.LZ4, CompressionType.GZIP, CompressionType.SNAPPY))
    _CACHE_MAX_SIZE = 16_384
    _DEFAULT_CACHE_EXPIRY_MS = 60_000

    def __init__(self, receiver_plugin: ClientMetricsReceiverPlugin, client_telemetry_max_bytes: int,
                 time: Time, metrics: Metrics, cache_expiry_ms: int = _DEFAULT_CACHE_EXPIRY_MS,
                 cache_max_size: int = _CACHE_MAX_SIZE, expiration_timer: Timer | None = None) -> None:
        """Own ``expiration_timer``, by default one with a thread. It removes clients that are silent for
        ``cache_expiry_ms``.

        :origin: server.ClientMetricsManager#ClientMetricsManager(ClientMetricsReceiverPlugin, int, Time, Metrics)
        :origin: server.ClientMetricsManager#ClientMetricsManager(ClientMetricsReceiverPlugin, int, Time, int, Metrics)
        """  # noqa: E501
        self._receiver_plugin = receiver_plugin
        self._subscription_map: dict[str, ClientMetricsManager.SubscriptionInfo] = {}
        # A cache entry with an older version is replaced.
        self._subscription_update_version = AtomicInteger(0)
        self._client_instance_cache: Cache[Uuid, ClientMetricsInstance] = SynchronizedCache(
            LRUCache(cache_max_size))
        self._client_telemetry_max_bytes = client_telemetry_max_bytes
        self._time = time
        self._cache_expiry_ms = cache_expiry_ms
        # Only the timer's thread writes this.
        self._last_cache_error_log_ms = 0
        self._metrics = metrics
        self._lock = ReentrantLock()
        self._client_metrics_stats = ClientMetricsManager.ClientMetricsStats(self)
        self._expiration_timer = expiration_timer or SystemTimerReaper(
            self.CLIENT_METRICS_REAPER_THREAD_NAME, SystemTimer("client-metrics"))

    def list_client_metrics_resources(self) -> Sequence[str]:
        """Return the names of all subscriptions.

        :origin: server.ClientMetricsManager#listClientMetricsResources()
        """
        return sorted(self._subscription_map)

    def update_subscription(self, subscription_name: str, properties: Mapping[str, str]) -> None:
        """Store a subscription's settings; without settings, delete the subscription. Raises as
        ClientMetricsConfigs.

        :origin: server.ClientMetricsManager#updateSubscription(String, Properties)
        """
        ClientMetricsConfigs.validate(subscription_name, properties)
        if not properties:
            if subscription_name in self._subscription_map:
                log.info("deleted subscription %s to client metrics", subscription_name)
                del self._subscription_map[subscription_name]
                self._subscription_update_version.increment_and_get()
            return
        self._update_client_subscription(subscription_name, ClientMetricsConfigs(properties))
        self._subscription_update_version.increment_and_get()

    def process_get_telemetry_subscription_request(
        self, request: GetTelemetrySubscriptionsRequest, request_context: RequestContext,
    ) -> GetTelemetrySubscriptionsResponse:
        """Return the metrics that a client should send, and the id of a new client.

        A client that asks too early gets an error, unless the subscriptions have changed.

        :origin: server.ClientMetricsManager#processGetTelemetrySubscriptionRequest(GetTelemetrySubscriptionsRequest, RequestContext)
        """  # noqa: E501
        now = self._time.milliseconds()
        client_instance_id = request.data().client_instance_id
        if client_instance_id is None or client_instance_id == Uuid.ZERO_UUID:
            client_instance_id = self._generate_new_client_id()

        # An outdated entry is replaced first; then the client may ask at any time.
        client_instance = self._client_instance(client_instance_id, request_context)
        try:
            self._validate_get_request(request, client_instance, now)
        except ApiException as exception:
            return request.get_error_response_throttle(0, exception)

        client_instance.set_last_known_error(Errors.NONE)
        return self._create_get_subscription_response(client_instance_id, client_instance)

    def process_push_telemetry_request(self, request: PushTelemetryRequest,
                                       request_context: RequestContext) -> PushTelemetryResponse:
        """Export the metrics of a client.

        :origin: server.ClientMetricsManager#processPushTelemetryRequest(PushTelemetryRequest, RequestContext)
        """
        client_instance_id = request.data().client_instance_id
        if client_instance_id is None or client_instance_id in Uuid.RESERVED:
            return request.get_error_response_throttle(0, InvalidRequestException(
                f"Invalid request from the client [{client_instance_id}], invalid client instance id"))

        now = self._time.milliseconds()
        client_instance = self._client_instance(client_instance_id, request_context)
        try:
            self._validate_push_request(request, client_instance, now)
        except ApiException as exception:
            log.debug("refused the metrics of client %s: %s", client_instance_id, exception)
            client_instance.set_last_known_error(Errors.for_exception(exception))
            return request.get_error_response_throttle(0, exception)
        finally:
            client_instance.set_terminating(request.data().terminating)

        if request.data().metrics:
            try:
                export_time_start_ms = self._time.hi_res_clock_ms()
                self._receiver_plugin.export_metrics(request_context, request)
                self._client_metrics_stats.record_plugin_export(
                    client_instance_id, self._time.hi_res_clock_ms() - export_time_start_ms)
            except Exception as exception:
                self._client_metrics_stats.record_plugin_error_count(client_instance_id)
                client_instance.set_last_known_error(Errors.INVALID_RECORD)
                log.error("failed to export the metrics of client %s", client_instance_id, exc=exception)
                return request.error_response(0, Errors.INVALID_RECORD)

        client_instance.set_last_known_error(Errors.NONE)
        return PushTelemetryResponse(PushTelemetryResponseData())

    def is_telemetry_receiver_configured(self) -> bool:
        """Return whether a receiver of metrics is configured.

        :origin: server.ClientMetricsManager#isTelemetryReceiverConfigured()
        """
        return not self._receiver_plugin.is_empty()

    def close(self) -> None:
        """End the threads, and unregister the metrics.

        :origin: server.ClientMetricsManager#close()
        """
        self._subscription_map.clear()
        self._expiration_timer.close()
        self._client_metrics_stats.unregister_metrics()

    def __enter__(self) -> ClientMetricsManager:
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 tb: TracebackType | None) -> None:
        self.close()

    def _update_client_subscription(self, subscription_name: str, configs: ClientMetricsConfigs) -> None:
        """:origin: server.ClientMetricsManager#updateClientSubscription(String, ClientMetricsConfigs)"""
        metrics = configs.get_list(ClientMetricsConfigs.SUBSCRIPTION_METRICS)
        push_interval = configs.get_int(ClientMetricsConfigs.PUSH_INTERVAL_MS)
        client_match_pattern = configs.get_list(ClientMetricsConfigs.CLIENT_MATCH_PATTERN)

        self._subscription_map[subscription_name] = ClientMetricsManager.SubscriptionInfo(
            subscription_name, metrics, push_interval,
            ClientMetricsConfigs.parse_matching_patterns(client_match_pattern))

    def _generate_new_client_id(self) -> Uuid:
        """Return an unused client id.

        :origin: server.ClientMetricsManager#generateNewClientId()
        """
        id_ = Uuid.random_uuid()
        while self._client_instance_cache.get(id_) is not None:
            id_ = Uuid.random_uuid()
        return id_

    def _client_instance(self, client_instance_id: Uuid,
                         request_context: RequestContext) -> ClientMetricsInstance:
        """Return a client's current cache entry, and postpone its expiry.

        :origin: server.ClientMetricsManager#clientInstance(Uuid, RequestContext)
        """
        client_instance = self._client_instance_cache.get(client_instance_id)
        if client_instance is None or self._is_outdated(client_instance):
            with self._lock:
                # Another request of the client may have made the entry in the meantime.
                client_instance = self._client_instance_cache.get(client_instance_id)
                if client_instance is None:
                    instance_metadata = ClientMetricsInstanceMetadata(client_instance_id, request_context)
                    client_instance = self._create_client_instance_and_update_cache(
                        client_instance_id, instance_metadata)
                elif self._is_outdated(client_instance):
                    client_instance.cancel_expiration_timer_task()
                    client_instance = self._create_client_instance_and_update_cache(
                        client_instance_id, client_instance.instance_metadata())
                else:
                    return client_instance

        expiration_time_ms = max(self._cache_expiry_ms, client_instance.push_interval_ms() * 3)
        timer_task = ClientMetricsManager.ExpirationTimerTask(self, client_instance_id, expiration_time_ms)
        client_instance.update_expiration_timer_task(timer_task)
        self._expiration_timer.add(timer_task)
        return client_instance

    def _is_outdated(self, client_instance: ClientMetricsInstance) -> bool:
        return client_instance.subscription_version() < self._subscription_update_version.get()

    def _create_client_instance_and_update_cache(
        self, client_instance_id: Uuid, instance_metadata: ClientMetricsInstanceMetadata,
    ) -> ClientMetricsInstance:
        """
        :origin: server.ClientMetricsManager#createClientInstanceAndUpdateCache(Uuid, ClientMetricsInstanceMetadata)
        """  # noqa: E501
        client_instance = self._create_client_instance(client_instance_id, instance_metadata)
        self._client_metrics_stats.maybe_add_client_instance_metrics(client_instance_id)
        evicted = self._client_instance_cache.put(client_instance_id, client_instance)
        if evicted is not None:
            # DEVIATION D126: the origin keeps the evicted entry's task and metrics until the task is due.
            evicted.cancel_expiration_timer_task()
            self._client_metrics_stats.unregister_client_instance_metrics(evicted.client_instance_id())
        return client_instance

    def _create_client_instance(self, client_instance_id: Uuid,
                                instance_metadata: ClientMetricsInstanceMetadata) -> ClientMetricsInstance:
        """Combine all subscriptions that match the client.

        :origin: server.ClientMetricsManager#createClientInstance(Uuid, ClientMetricsInstanceMetadata)
        """
        push_interval_ms = ClientMetricsConfigs.DEFAULT_INTERVAL_MS
        subscribed_metrics: set[str] = set()

        # Read before the subscriptions: an entry that is made during a change is outdated, and will be
        # replaced.
        current_subscription_version = self._subscription_update_version.get()
        for info in self.subscriptions():
            if instance_metadata.is_match(info.match_pattern()):
                subscribed_metrics |= info.metrics()
                push_interval_ms = min(push_interval_ms, info.interval_ms())
        if ClientMetricsConfigs.ALL_SUBSCRIBED_METRICS_CONFIG in subscribed_metrics:
            subscribed_metrics = {ClientMetricsConfigs.ALL_SUBSCRIBED_METRICS_CONFIG}

        # Sorted, because the order affects the subscription's id.
        metrics = sorted(subscribed_metrics)
        subscription_id = self._compute_subscription_id(metrics, push_interval_ms, client_instance_id)
        return ClientMetricsInstance(client_instance_id, instance_metadata, subscription_id,
                                     current_subscription_version, metrics, push_interval_ms)

    @staticmethod
    def _compute_subscription_id(metrics: Sequence[str], push_interval_ms: int,
                                 client_instance_id: Uuid) -> int:
        """Return a number that, most likely, differs for different metrics and intervals.

        :origin: server.ClientMetricsManager#computeSubscriptionId(Set<String>, int, Uuid)
        """
        metrics_bytes = f"[{', '.join(metrics)}]{push_interval_ms}".encode()
        bits = (client_instance_id.get_most_significant_bits()
                ^ client_instance_id.get_least_significant_bits())
        number = (Crc32C.compute(metrics_bytes, 0, len(metrics_bytes)) ^ bits >> 32 ^ bits) & 0xFFFFFFFF
        return number - (number >> 31 << 32)

    def _create_get_subscription_response(
        self, client_instance_id: Uuid, client_instance: ClientMetricsInstance,
    ) -> GetTelemetrySubscriptionsResponse:
        """:origin: server.ClientMetricsManager#createGetSubscriptionResponse(Uuid, ClientMetricsInstance)"""
        return GetTelemetrySubscriptionsResponse(GetTelemetrySubscriptionsResponseData(
            client_instance_id=client_instance_id,
            subscription_id=client_instance.subscription_id(),
            requested_metrics=list(client_instance.metrics()),
            accepted_compression_types=list(self._SUPPORTED_COMPRESSION_TYPES),
            push_interval_ms=client_instance.push_interval_ms(),
            telemetry_max_bytes=self._client_telemetry_max_bytes,
            delta_temporality=True,
            error_code=Errors.NONE.code))

    def _validate_get_request(self, request: GetTelemetrySubscriptionsRequest,
                              client_instance: ClientMetricsInstance, timestamp: int) -> None:
        """Raise ThrottlingQuotaExceededException if a client asks too early.

        :origin: server.ClientMetricsManager#validateGetRequest(GetTelemetrySubscriptionsRequest, ClientMetricsInstance, long)
        """  # noqa: E501
        # The origin also checks that the last error differs from one of two errors, which is always true.
        if not client_instance.maybe_update_get_request_timestamp(timestamp):
            self._client_metrics_stats.record_throttle_count(client_instance.client_instance_id())
            raise ThrottlingQuotaExceededException(
                f"Request from the client [{request.data().client_instance_id}] arrived before the next push "
                "interval time")

    def _validate_push_request(self, request: PushTelemetryRequest, client_instance: ClientMetricsInstance,
                               timestamp: int) -> None:
        """Raise an exception if metrics are invalid, or come at the wrong time.

        :origin: server.ClientMetricsManager#validatePushRequest(PushTelemetryRequest, ClientMetricsInstance, long)
        """  # noqa: E501
        data = request.data()
        if client_instance.terminating():
            raise InvalidRequestException(
                f"Client [{data.client_instance_id}] sent the previous request with state terminating to "
                "TRUE, can not acceptany requests after that")

        if not client_instance.maybe_update_push_request_timestamp(timestamp) and not data.terminating:
            self._client_metrics_stats.record_throttle_count(client_instance.client_instance_id())
            raise ThrottlingQuotaExceededException(
                f"Request from the client [{data.client_instance_id}] arrived before the next push interval "
                "time")

        if data.subscription_id != client_instance.subscription_id():
            self._client_metrics_stats.record_unknown_subscription_count()
            raise UnknownSubscriptionIdException(
                f"Unknown client subscription id for the client [{data.client_instance_id}]")

        if not self._is_supported_compression_type(data.compression_type):
            raise UnsupportedCompressionTypeException(
                f"Unknown compression type [{data.compression_type}] is received in telemetry request from "
                f"[{data.client_instance_id}]")

        if data.metrics is not None and len(data.metrics) > self._client_telemetry_max_bytes:
            raise TelemetryTooLargeException(
                f"Telemetry request from [{data.client_instance_id}] is larger than the maximum allowed size "
                f"[{self._client_telemetry_max_bytes}]")

    @staticmethod
    def _is_supported_compression_type(id_: int) -> bool:
        """:origin: server.ClientMetricsManager#isSupportedCompressionType(int)"""
        try:
            CompressionType.for_id(id_)
            return True
        except IllegalArgumentException:
            return False

    def subscription_info(self, subscription_name: str) -> SubscriptionInfo | None:
        """Return a subscription, or None.

        :origin: server.ClientMetricsManager#subscriptionInfo(String)
        """
        return self._subscription_map.get(subscription_name)

    def subscriptions(self) -> Sequence[SubscriptionInfo]:
        """Return all subscriptions.

        :origin: server.ClientMetricsManager#subscriptions()
        """
        return list(self._subscription_map.values())

    def client_instance(self, client_instance_id: Uuid) -> ClientMetricsInstance | None:
        """Return a client's cache entry, or None.

        :origin: server.ClientMetricsManager#clientInstance(Uuid)
        """
        return self._client_instance_cache.get(client_instance_id)

    def subscription_update_version(self) -> int:
        """Return the number of changes of the subscriptions.

        :origin: server.ClientMetricsManager#subscriptionUpdateVersion()
        """
        return self._subscription_update_version.get()

    def expiration_timer(self) -> Timer:
        """Return the timer that expires clients.

        :origin: server.ClientMetricsManager#expirationTimer()
        """
        return self._expiration_timer

    class SubscriptionInfo:
        """A subscription. Immutable.

        :origin: server.ClientMetricsManager.SubscriptionInfo
        """

        __slots__ = ("_name", "_metrics", "_interval_ms", "_match_pattern")

        def __init__(self, name: str, metrics: Sequence[str], interval_ms: int,
                     match_pattern: Mapping[str, Pattern]) -> None:
            """
            :origin: server.ClientMetricsManager.SubscriptionInfo#SubscriptionInfo(String, List<String>, int, Map<String,Pattern>)
            """  # noqa: E501
            self._name = name
            self._metrics = frozenset(metrics)
            self._interval_ms = interval_ms
            self._match_pattern = match_pattern

        def name(self) -> str:
            """Return the name of the subscription.

            :origin: server.ClientMetricsManager.SubscriptionInfo#name()
            """
            return self._name

        def metrics(self) -> frozenset[str]:
            """Return the prefixes of the subscribed metrics' names.

            :origin: server.ClientMetricsManager.SubscriptionInfo#metrics()
            """
            return self._metrics

        def interval_ms(self) -> int:
            """Return the push interval, in ms.

            :origin: server.ClientMetricsManager.SubscriptionInfo#intervalMs()
            """
            return self._interval_ms

        def match_pattern(self) -> Mapping[str, Pattern]:
            """Return the patterns that a client must match.

            :origin: server.ClientMetricsManager.SubscriptionInfo#matchPattern()
            """
            return self._match_pattern

    class ExpirationTimerTask(TimerTask):
        """Removes a client that has been silent for too long.

        :origin: server.ClientMetricsManager.ExpirationTimerTask
        """

        __slots__ = ("_manager", "_client_instance_id")

        _CACHE_ERROR_LOG_INTERVAL_MS = 5 * 60 * 1000

        def __init__(self, manager: ClientMetricsManager, client_instance_id: Uuid, delay_ms: int) -> None:
            """:origin: server.ClientMetricsManager.ExpirationTimerTask#ExpirationTimerTask(Uuid, long)"""
            super().__init__(delay_ms)
            self._manager = manager
            self._client_instance_id = client_instance_id

        def run(self) -> None:
            """Remove the client instance.

            :origin: server.ClientMetricsManager.ExpirationTimerTask#run()
            """
            manager = self._manager
            manager._client_metrics_stats.unregister_client_instance_metrics(self._client_instance_id)
            if not manager._client_instance_cache.remove(self._client_instance_id):
                now = manager._time.milliseconds()
                if now - manager._last_cache_error_log_ms > self._CACHE_ERROR_LOG_INTERVAL_MS:
                    manager._last_cache_error_log_ms = now
                    log.warn("evicted client %s before its expiry: the cache is full with %d clients",
                             self._client_instance_id, manager._client_instance_cache.size())

    class ClientMetricsStats:
        """The broker's own metrics of client telemetry, some of them per client.

        Any thread may call it. The locks of Metrics guard the registration and removal of sensors.

        :origin: server.ClientMetricsManager.ClientMetricsStats
        """

        _GROUP_NAME = "client-metrics"

        INSTANCE_COUNT = "instance-count"
        UNKNOWN_SUBSCRIPTION_REQUEST = "unknown-subscription-request"
        THROTTLE = "throttle"
        PLUGIN_EXPORT = "plugin-export"
        PLUGIN_ERROR = "plugin-error"
        PLUGIN_EXPORT_TIME = "plugin-export-time"

        def __init__(self, manager: ClientMetricsManager) -> None:
            """:origin: server.ClientMetricsManager.ClientMetricsStats#ClientMetricsStats()"""
            self._metrics = metrics = manager._metrics
            # Only single additions and removals change it, which are atomic.
            self._sensors_name: set[str] = set()
            self._registered_metric_names: list[MetricName] = []
            self._instance_sensors = (self.THROTTLE, self.PLUGIN_EXPORT, self.PLUGIN_ERROR)

            cache = manager._client_instance_cache
            instance_count_metric = metrics.metric_name(
                self.INSTANCE_COUNT, self._GROUP_NAME, "Clients from which the broker requests metrics")
            metrics.add_metric(instance_count_metric, lambda config, now: cache.size())
            self._registered_metric_names.append(instance_count_metric)

            unknown_subscription_request_count_sensor = metrics.sensor(self.UNKNOWN_SUBSCRIPTION_REQUEST)
            unknown_subscription_request_count_sensor.add(self._create_meter(
                metrics, WindowedCount(), self.UNKNOWN_SUBSCRIPTION_REQUEST, {}))
            self._sensors_name.add(unknown_subscription_request_count_sensor.name())

        def maybe_add_client_instance_metrics(self, client_instance_id: Uuid) -> None:
            """Register the metrics of a client, unless they exist.

            :origin: server.ClientMetricsManager.ClientMetricsStats#maybeAddClientInstanceMetrics(Uuid)
            """
            metrics = self._metrics
            # Either all of a client's metrics exist or none.
            if metrics.get_sensor(f"{self.PLUGIN_EXPORT}-{client_instance_id}") is not None:
                return

            tags = {ClientMetricsConfigs.CLIENT_INSTANCE_ID: str(client_instance_id)}

            throttle_count = metrics.sensor(f"{self.THROTTLE}-{client_instance_id}")
            throttle_count.add(self._create_meter(metrics, WindowedCount(), self.THROTTLE, tags))
            self._sensors_name.add(throttle_count.name())

            plugin_export = metrics.sensor(f"{self.PLUGIN_EXPORT}-{client_instance_id}")
            plugin_export.add(self._create_meter(metrics, WindowedCount(), self.PLUGIN_EXPORT, tags))
            plugin_export.add(metrics.metric_name(
                f"{self.PLUGIN_EXPORT_TIME}-avg", self._GROUP_NAME,
                "How long receivers of metrics took on average", tags), Avg())
            plugin_export.add(metrics.metric_name(
                f"{self.PLUGIN_EXPORT_TIME}-max", self._GROUP_NAME,
                "How long receivers of metrics took at most", tags), Max())
            self._sensors_name.add(plugin_export.name())

            plugin_error_count = metrics.sensor(f"{self.PLUGIN_ERROR}-{client_instance_id}")
            plugin_error_count.add(self._create_meter(metrics, WindowedCount(), self.PLUGIN_ERROR, tags))
            self._sensors_name.add(plugin_error_count.name())

        def record_unknown_subscription_count(self) -> None:
            """Count a request with an unknown subscription id.

            :origin: server.ClientMetricsManager.ClientMetricsStats#recordUnknownSubscriptionCount()
            """
            self._record(self.UNKNOWN_SUBSCRIPTION_REQUEST)

        def record_throttle_count(self, client_instance_id: Uuid) -> None:
            """Count a request that came too early.

            :origin: server.ClientMetricsManager.ClientMetricsStats#recordThrottleCount(Uuid)
            """
            self._record(self.THROTTLE, client_instance_id)

        def record_plugin_export(self, client_instance_id: Uuid, time_ms: int) -> None:
            """Count an export that took ``time_ms``.

            :origin: server.ClientMetricsManager.ClientMetricsStats#recordPluginExport(Uuid, long)
            """
            self._record(self.PLUGIN_EXPORT, client_instance_id, time_ms)

        def record_plugin_error_count(self, client_instance_id: Uuid) -> None:
            """Count a failed export.

            :origin: server.ClientMetricsManager.ClientMetricsStats#recordPluginErrorCount(Uuid)
            """
            self._record(self.PLUGIN_ERROR, client_instance_id)

        def unregister_client_instance_metrics(self, client_instance_id: Uuid) -> None:
            """Unregister the metrics of a client.

            :origin: server.ClientMetricsManager.ClientMetricsStats#unregisterClientInstanceMetrics(Uuid)
            """
            for name in self._instance_sensors:
                sensor_name = f"{name}-{client_instance_id}"
                self._metrics.remove_sensor(sensor_name)
                self._sensors_name.discard(sensor_name)

        def unregister_metrics(self) -> None:
            """Unregister all metrics.

            :origin: server.ClientMetricsManager.ClientMetricsStats#unregisterMetrics()
            """
            for metric_name in self._registered_metric_names:
                self._metrics.remove_metric(metric_name)
            for name in list(self._sensors_name):
                self._metrics.remove_sensor(name)
            self._sensors_name.clear()

        def _create_meter(self, metrics: Metrics, stat: SampledStat, name: str,
                          metric_tags: Mapping[str, str]) -> Meter:
            """
            :origin: server.ClientMetricsManager.ClientMetricsStats#createMeter(Metrics, SampledStat, String, Map<String,String>)
            """  # noqa: E501
            rate_metric_name = metrics.metric_name(
                f"{name}-rate", self._GROUP_NAME, f"{name} per second", metric_tags)
            total_metric_name = metrics.metric_name(
                f"{name}-count", self._GROUP_NAME, f"{name} in all", metric_tags)
            return Meter(rate_metric_name, total_metric_name, rate_stat=stat)

        def _record(self, metric_name: str, client_instance_id: Uuid | None = None, value: int = 1) -> None:
            """Record a value if the client is still registered.

            :origin: server.ClientMetricsManager.ClientMetricsStats#record(String)
            :origin: server.ClientMetricsManager.ClientMetricsStats#record(String, Uuid)
            :origin: server.ClientMetricsManager.ClientMetricsStats#record(String, Uuid, long)
            """
            sensor_name = metric_name if client_instance_id is None else f"{metric_name}-{client_instance_id}"
            sensor = self._metrics.get_sensor(sensor_name)
            if sensor is not None:
                sensor.record(value)
