# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ClientQuotaManager of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Measures each client against its quota, and computes how long a client over its quota is throttled.

Quotas are set for users, for client ids and for pairs of both. A default quota applies to those that have
none of their own. The most specific quota of a client counts:

1. this user with this client id, 2. this user with the default client id, 3. this user,
4. the default user with this client id, 5. the default user with the default client id, 6. the default user,
7. this client id, 8. the default client id.

All clients under the same quota of a user or of a client id share that quota. Each combination of tags has a
sensor. The first request makes the sensor, and it is removed after an hour without requests. So a client id
costs memory for an hour, and only where a quota is set.

A client over its quota gets its response at once, with the throttle time in it. Its connection is muted for
that time: a ``ThrottledChannel`` waits in ``_delay_queue``. Then the reaper, a thread of this manager,
unmutes the connection.

Locks: the write lock guards the making of sensors and the changes of quotas, so that a new sensor gets the
current quota. Recording a value takes the sensor's own lock.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Callable

from kreactor.common.metric_name import MetricName
from kreactor.common.metrics.metric_config import MetricConfig
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.quota import Quota
from kreactor.common.metrics.quota_violation_exception import QuotaViolationException
from kreactor.common.metrics.sensor import Sensor
from kreactor.common.metrics.stats.avg import Avg
from kreactor.common.metrics.stats.cumulative_sum import CumulativeSum
from kreactor.common.metrics.stats.rate import Rate
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.utils.sanitizer import Sanitizer
from kreactor.common.utils.time import Time
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.server.quota_type import QuotaType
from kreactor.core.server.sensor_access import SensorAccess
from kreactor.core.server.throttled_channel import ThrottleCallback, ThrottledChannel
from kreactor.core.utils.logging import Logging
from kreactor.core.utils.quota_utils import QuotaUtils
from kreactor.jdk.delay_queue import DelayQueue
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.locks import ReentrantReadWriteLock
from kreactor.jdk.time_unit import TimeUnit
from kreactor.network.session import Session
from kreactor.server.config.client_quota_manager_config import ClientQuotaManagerConfig
from kreactor.server.config.zoo_keeper_internals import ZooKeeperInternals
from kreactor.server.quota.client_quota_callback import ClientQuotaCallback
from kreactor.server.quota.client_quota_entity import ClientQuotaEntity
from kreactor.server.quota.client_quota_type import ClientQuotaType
from kreactor.server.util.shutdownable_thread import ShutdownableThread

_INT_MAX_VALUE = 2**31 - 1
_LONG_MAX_VALUE = 2**63 - 1
_POLL_TIMEOUT_MS = 1_000

ConfigEntity = ClientQuotaEntity.ConfigEntity
ConfigEntityType = ClientQuotaEntity.ConfigEntityType


def to_throttle_time(time_ms: int, config: ClientQuotaManagerConfig) -> int:
    """Return a throttle time in 32 bits, in milliseconds."""
    # DEVIATION D212: a longer time is the longest that 32 bits have. The origin keeps the low 32 bits.
    if config.is_strict():
        return (time_ms + 2**31) % 2**32 - 2**31
    return min(time_ms, _INT_MAX_VALUE)


@dataclass(slots=True)
class ClientSensors:
    """The sensors of the clients that share a quota. Immutable.

    :origin: kafka.server.ClientSensors
    """

    metric_tags: Mapping[str, str]
    quota_sensor: Sensor
    throttle_time_sensor: Sensor


class QuotaTypes:
    """The levels at which quotas were ever set, as a sum of flags.

    :origin: kafka.server.QuotaTypes
    """

    NoQuotas = 0
    ClientIdQuotaEnabled = 1
    UserQuotaEnabled = 2
    UserClientIdQuotaEnabled = 4
    CustomQuotas = 8


class ClientQuotaManager(Logging):
    """The quotas of one type. For use by any thread. Owns its reaper, which ``shutdown`` ends.

    :origin: kafka.server.ClientQuotaManager
    :origin: kafka.server.ClientQuotaManager
    """

    InactiveSensorExpirationTimeSeconds = 3600

    def __init__(self, config: ClientQuotaManagerConfig, metrics: Metrics, quota_type: QuotaType, time: Time,
                 thread_name_prefix: str, client_quota_callback: ClientQuotaCallback | None = None) -> None:
        """Start the reaper. Raises RuntimeError if the thread cannot start.

        :origin: kafka.server.ClientQuotaManager#ClientQuotaManager
        """
        self._config = config
        self._metrics = metrics
        self._quota_type = quota_type
        self._time = time
        self._lock = ReentrantReadWriteLock()
        self._sensor_accessor = SensorAccess(self._lock, metrics)
        self._client_quota_type = QuotaType.to_client_quota_type(quota_type)
        # Written under the lock, read by any thread.
        self._quota_types_enabled = (
            QuotaTypes.NoQuotas if client_quota_callback is None else QuotaTypes.CustomQuotas)
        self._quota_callback = (
            DefaultQuotaCallback(self) if client_quota_callback is None else client_quota_callback)

        self._delay_queue_sensor = metrics.sensor(f"{quota_type}-delayQueue")
        self._delay_queue_sensor.add(
            metrics.metric_name("queue-size", str(quota_type), "The number of throttled connections"),
            CumulativeSum())

        self._delay_queue: DelayQueue[ThrottledChannel] = DelayQueue()
        self.throttled_channel_reaper = ThrottledChannelReaper(
            self._delay_queue, thread_name_prefix, quota_type, self._delay_queue_sensor)
        self._start()

    def _start(self) -> None:
        """:origin: kafka.server.ClientQuotaManager#start"""
        self.throttled_channel_reaper.start()

    def quotas_enabled(self) -> bool:
        """Return whether a quota was set since the start. Without one, nothing is recorded.

        :origin: kafka.server.ClientQuotaManager#quotasEnabled
        """
        return self._quota_types_enabled != QuotaTypes.NoQuotas

    def maybe_record_and_get_throttle_time_ms(self, request: RequestChannel.Request, value: float,
                                              time_ms: int) -> int:
        """Record ``value`` for a request's client; return the throttle time in milliseconds.

        :origin: kafka.server.ClientQuotaManager#maybeRecordAndGetThrottleTimeMs
        """
        # Repeats the body of the method for a session, because every produce and fetch calls this one.
        if self._quota_types_enabled != QuotaTypes.NoQuotas:
            return self.record_and_get_throttle_time_ms(
                request.session, request.header().client_id() or "", value, time_ms)
        return 0

    def maybe_record_and_get_throttle_time_ms_session(self, session: Session, client_id: str, value: float,
                                                      time_ms: int) -> int:
        """Record ``value`` for a user's client; return the throttle time in milliseconds.

        :origin: kafka.server.ClientQuotaManager#maybeRecordAndGetThrottleTimeMs
        """
        if self.quotas_enabled():
            return self.record_and_get_throttle_time_ms(session, client_id, value, time_ms)
        return 0

    def record_and_get_throttle_time_ms(self, session: Session, client_id: str, value: float,
                                        time_ms: int) -> int:
        """As ``maybe_record_and_get_throttle_time_ms``, but records even without quotas.

        :origin: kafka.server.ClientQuotaManager#recordAndGetThrottleTimeMs
        """
        client_sensors = self.get_or_create_quota_sensors(session, client_id)
        try:
            client_sensors.quota_sensor.record(value, time_ms, True)
            return 0
        except QuotaViolationException as e:
            throttle_time_ms = to_throttle_time(self._throttle_time(e, time_ms), self._config)
            self.debug("quota of sensor %s violated: delay of %d ms",
                       client_sensors.quota_sensor.name(), throttle_time_ms)
            return throttle_time_ms

    def record_no_throttle(self, session: Session, client_id: str, value: float) -> None:
        """Record ``value`` without a throttle time; it counts for the client's next request.

        :origin: kafka.server.ClientQuotaManager#recordNoThrottle
        """
        client_sensors = self.get_or_create_quota_sensors(session, client_id)
        client_sensors.quota_sensor.record(value, self._time.milliseconds(), False)

    def unrecord_quota_sensor(self, request: RequestChannel.Request, value: float, time_ms: int) -> None:
        """Take back the value that was recorded for a response that is not sent.

        :origin: kafka.server.ClientQuotaManager#unrecordQuotaSensor
        """
        client_sensors = self.get_or_create_quota_sensors(
            request.session, request.header().client_id() or "")
        client_sensors.quota_sensor.record(value * -1, time_ms, False)

    def get_max_value_in_quota_window(self, session: Session, client_id: str) -> float:
        """Return the largest value that a client can record at once without a throttle time, if its window is
        empty.

        :origin: kafka.server.ClientQuotaManager#getMaxValueInQuotaWindow
        """
        if self.quotas_enabled():
            client_sensors = self.get_or_create_quota_sensors(session, client_id)
            limit = self._quota_callback.quota_limit(self._client_quota_type, client_sensors.metric_tags)
            if limit is not None:
                return (float(limit) * (self._config.num_quota_samples - 1)
                        * self._config.quota_window_size_seconds)
        return sys.float_info.max

    def throttle(self, request: RequestChannel.Request, throttle_callback: ThrottleCallback,
                 throttle_time_ms: int) -> None:
        """Have a request's connection muted for ``throttle_time_ms``. Called before the response is sent.

        :origin: kafka.server.ClientQuotaManager#throttle
        """
        if throttle_time_ms > 0:
            client_sensors = self.get_or_create_quota_sensors(
                request.session, request.header_for_logging_or_throttling().client_id() or "")
            client_sensors.throttle_time_sensor.record(throttle_time_ms)
            throttled_channel = ThrottledChannel(self._time, throttle_time_ms, throttle_callback)
            self._delay_queue.offer(throttled_channel)
            self._delay_queue_sensor.record()
            self.debug("channel throttled for sensor %s: delay of %d ms",
                       client_sensors.quota_sensor.name(), throttle_time_ms)

    def quota(self, user: str, client_id: str) -> Quota:
        """Return the quota of a user's client. For tests.

        :origin: kafka.server.ClientQuotaManager#quota
        """
        user_principal = KafkaPrincipal(KafkaPrincipal.USER_TYPE, user)
        return self.quota_user_principal(user_principal, client_id)

    def quota_user_principal(self, user_principal: KafkaPrincipal, client_id: str) -> Quota:
        """Return the quota of a user's client. For tests.

        :origin: kafka.server.ClientQuotaManager#quota
        """
        metric_tags = self._quota_callback.quota_metric_tags(
            self._client_quota_type, user_principal, client_id)
        return Quota.upper_bound(self._quota_limit(metric_tags))

    def _quota_limit(self, metric_tags: Mapping[str, str]) -> float:
        """:origin: kafka.server.ClientQuotaManager#quotaLimit"""
        limit = self._quota_callback.quota_limit(self._client_quota_type, metric_tags)
        return float(_LONG_MAX_VALUE if limit is None else limit)

    def _throttle_time(self, e: QuotaViolationException, time_ms: int) -> int:
        """Return how long the client must record nothing until its rate is within the quota, in milliseconds.

        :origin: kafka.server.ClientQuotaManager#throttleTime
        """
        return QuotaUtils.throttle_time(e, time_ms)

    def get_or_create_quota_sensors(self, session: Session, client_id: str) -> ClientSensors:
        """Return the sensors of a user's client; make them at the first call.

        :origin: kafka.server.ClientQuotaManager#getOrCreateQuotaSensors
        """
        quota_callback = self._quota_callback
        # The session holds the user's name in sanitized form for tags.
        metric_tags = (
            quota_callback.quota_metric_tags_sanitized_user(session.sanitized_user, client_id)
            if isinstance(quota_callback, DefaultQuotaCallback)
            else quota_callback.quota_metric_tags(self._client_quota_type, session.principal, client_id))
        sensors = ClientSensors(
            metric_tags,
            self._sensor_accessor.get_or_create(
                self._get_quota_sensor_name(metric_tags),
                self.InactiveSensorExpirationTimeSeconds,
                lambda sensor: self._register_quota_metrics(metric_tags, sensor)),
            self._sensor_accessor.get_or_create(
                self._get_throttle_time_sensor_name(metric_tags),
                self.InactiveSensorExpirationTimeSeconds,
                lambda sensor: sensor.add(self._throttle_metric_name(metric_tags), Avg())))
        if quota_callback.quota_reset_required(self._client_quota_type):
            self.update_quota_metric_configs()
        return sensors

    def _register_quota_metrics(self, metric_tags: Mapping[str, str], sensor: Sensor) -> None:
        """:origin: kafka.server.ClientQuotaManager#registerQuotaMetrics"""
        sensor.add(self._client_quota_metric_name(metric_tags), Rate(),
                   self._get_quota_metric_config(metric_tags))

    @staticmethod
    def _metric_tags_to_sensor_suffix(metric_tags: Mapping[str, str]) -> str:
        """:origin: kafka.server.ClientQuotaManager#metricTagsToSensorSuffix"""
        return ":".join(metric_tags.values())

    def _get_throttle_time_sensor_name(self, metric_tags: Mapping[str, str]) -> str:
        """:origin: kafka.server.ClientQuotaManager#getThrottleTimeSensorName"""
        return f"{self._quota_type.value}ThrottleTime-{self._metric_tags_to_sensor_suffix(metric_tags)}"

    def _get_quota_sensor_name(self, metric_tags: Mapping[str, str]) -> str:
        """:origin: kafka.server.ClientQuotaManager#getQuotaSensorName"""
        return f"{self._quota_type.value}-{self._metric_tags_to_sensor_suffix(metric_tags)}"

    def _get_quota_metric_config(self, metric_tags: Mapping[str, str]) -> MetricConfig:
        """:origin: kafka.server.ClientQuotaManager#getQuotaMetricConfig"""
        return self._get_quota_metric_config_quota_limit(self._quota_limit(metric_tags))

    def _get_quota_metric_config_quota_limit(self, quota_limit: float) -> MetricConfig:
        """:origin: kafka.server.ClientQuotaManager#getQuotaMetricConfig"""
        return (MetricConfig()
                .time_window_to(self._config.quota_window_size_seconds, TimeUnit.SECONDS)
                .samples_to(self._config.num_quota_samples)
                .quota_to(Quota(quota_limit, True)))

    def _get_or_create_sensor(self, sensor_name: str, expiration_time_seconds: int,
                              register_metrics: Callable[[Sensor], object]) -> Sensor:
        """:origin: kafka.server.ClientQuotaManager#getOrCreateSensor"""
        return self._sensor_accessor.get_or_create(sensor_name, expiration_time_seconds, register_metrics)

    def update_quota(self, sanitized_user: str | None, client_id: str | None,
                     sanitized_client_id: str | None, quota: Quota | None) -> None:
        """Set a quota, or remove it; existing sensors get the new quota at once.

        ``<default>`` in place of a sanitized name means all entities without a quota of their own. Raises
        IllegalStateException for a sanitized client id without the client id.

        :origin: kafka.server.ClientQuotaManager#updateQuota
        """
        with self._lock.write_lock():
            user_entity: BaseUserEntity | None = None
            if sanitized_user is not None:
                user_entity = (DefaultUserEntity if sanitized_user == ZooKeeperInternals.DEFAULT_STRING
                               else UserEntity(sanitized_user))
            client_id_entity: ConfigEntity | None = None
            if sanitized_client_id is not None:
                if sanitized_client_id == ZooKeeperInternals.DEFAULT_STRING:
                    client_id_entity = DefaultClientIdEntity
                elif client_id is None:
                    raise IllegalStateException("Client-id not provided")
                else:
                    client_id_entity = ClientIdEntity(client_id)
            quota_entity = KafkaQuotaEntity(user_entity, client_id_entity)

            if user_entity is not None:
                self._quota_types_enabled |= (
                    QuotaTypes.UserQuotaEnabled if client_id_entity is None
                    else QuotaTypes.UserClientIdQuotaEnabled)
            elif client_id_entity is not None:
                self._quota_types_enabled |= QuotaTypes.ClientIdQuotaEnabled

            if quota is not None:
                self._quota_callback.update_quota(self._client_quota_type, quota_entity, quota.bound())
            else:
                self._quota_callback.remove_quota(self._client_quota_type, quota_entity)
            # A default quota may apply to many clients.
            is_default = user_entity is DefaultUserEntity or client_id_entity is DefaultClientIdEntity
            self.update_quota_metric_configs(None if is_default else quota_entity)

    def update_quota_metric_configs(self, updated_quota_entity: KafkaQuotaEntity | None = None) -> None:
        """Set the current quotas on all sensors, or on the sensor of one entity.

        One sensor is enough only where quotas exist at a single level, because then no other entity is
        affected.

        :origin: kafka.server.ClientQuotaManager#updateQuotaMetricConfigs
        """
        all_metrics = self._metrics.metrics()

        if updated_quota_entity is not None and self._quota_types_enabled in (
                QuotaTypes.NoQuotas, QuotaTypes.ClientIdQuotaEnabled, QuotaTypes.UserQuotaEnabled,
                QuotaTypes.UserClientIdQuotaEnabled):
            metric_tags = {DefaultTags.User: updated_quota_entity.sanitized_user(),
                           DefaultTags.ClientId: updated_quota_entity.client_id()}

            metric = all_metrics.get(self._client_quota_metric_name(metric_tags))
            if metric is not None:
                new_quota = self._quota_limit(metric_tags)
                self.info("the quota of the sensor for %s is %s now", updated_quota_entity, new_quota)
                metric.config_to(self._get_quota_metric_config_quota_limit(new_quota))
        else:
            quota_metric_name = self._client_quota_metric_name({})
            for metric_name, metric in all_metrics.items():
                if (metric_name.name() == quota_metric_name.name()
                        and metric_name.group() == quota_metric_name.group()):
                    metric_tags_ = metric_name.tags()
                    new_quota = self._quota_limit(metric_tags_)
                    current = metric.config().quota()
                    if current is None or new_quota != current.bound():
                        self.info("the quota of the sensor for %s is %s now", metric_tags_, new_quota)
                        metric.config_to(self._get_quota_metric_config_quota_limit(new_quota))

    def _client_quota_metric_name(self, quota_metric_tags: Mapping[str, str]) -> MetricName:
        """:origin: kafka.server.ClientQuotaManager#clientQuotaMetricName"""
        return self._metrics.metric_name(
            "byte-rate", str(self._quota_type), "The bytes per second of the clients of a quota",
            quota_metric_tags)

    def _throttle_metric_name(self, quota_metric_tags: Mapping[str, str]) -> MetricName:
        """:origin: kafka.server.ClientQuotaManager#throttleMetricName"""
        return self._metrics.metric_name(
            "throttle-time", str(self._quota_type), "The average throttle time of a quota's clients",
            quota_metric_tags)

    def initiate_shutdown(self) -> None:
        """Have the reaper end. The throttled connections are not unmuted any more.

        :origin: kafka.server.ClientQuotaManager#initiateShutdown
        """
        self.throttled_channel_reaper.initiate_shutdown()
        # An element that is due ends the reaper's wait.
        self._delay_queue.offer(ThrottledChannel(self._time, 0, _NoThrottling()))
        # DEVIATION D214: the element counts in the queue's size, because its removal is subtracted.
        self._delay_queue_sensor.record()

    def shutdown(self) -> None:
        """:origin: kafka.server.ClientQuotaManager#shutdown"""
        self.initiate_shutdown()
        self.throttled_channel_reaper.await_shutdown()


class BaseUserEntity(ConfigEntity):
    """:origin: kafka.server.ClientQuotaManager.BaseUserEntity"""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class UserEntity(BaseUserEntity):
    """:origin: kafka.server.ClientQuotaManager.UserEntity"""

    sanitized_user: str

    def entity_type(self) -> ConfigEntityType:
        """:origin: kafka.server.ClientQuotaManager.UserEntity#entityType"""
        return ConfigEntityType.USER

    def name(self) -> str:
        """:origin: kafka.server.ClientQuotaManager.UserEntity#name"""
        return Sanitizer.desanitize(self.sanitized_user)

    def __str__(self) -> str:
        """:origin: kafka.server.ClientQuotaManager.UserEntity#toString"""
        return f"user {self.sanitized_user}"


@dataclass(frozen=True, slots=True)
class ClientIdEntity(ConfigEntity):
    """:origin: kafka.server.ClientQuotaManager.ClientIdEntity"""

    client_id: str

    def entity_type(self) -> ConfigEntityType:
        """:origin: kafka.server.ClientQuotaManager.ClientIdEntity#entityType"""
        return ConfigEntityType.CLIENT_ID

    def name(self) -> str:
        """:origin: kafka.server.ClientQuotaManager.ClientIdEntity#name"""
        return self.client_id

    def __str__(self) -> str:
        """:origin: kafka.server.ClientQuotaManager.ClientIdEntity#toString"""
        return f"client-id {self.client_id}"


class _DefaultUserEntity(BaseUserEntity):
    """:origin: kafka.server.ClientQuotaManager.DefaultUserEntity"""

    __slots__ = ()

    def entity_type(self) -> ConfigEntityType:
        """:origin: kafka.server.ClientQuotaManager.DefaultUserEntity#entityType"""
        return ConfigEntityType.DEFAULT_USER

    def name(self) -> str:
        """:origin: kafka.server.ClientQuotaManager.DefaultUserEntity#name"""
        return ZooKeeperInternals.DEFAULT_STRING

    def __str__(self) -> str:
        """:origin: kafka.server.ClientQuotaManager.DefaultUserEntity#toString"""
        return "default user"


class _DefaultClientIdEntity(ConfigEntity):
    """:origin: kafka.server.ClientQuotaManager.DefaultClientIdEntity"""

    __slots__ = ()

    def entity_type(self) -> ConfigEntityType:
        """:origin: kafka.server.ClientQuotaManager.DefaultClientIdEntity#entityType"""
        return ConfigEntityType.DEFAULT_CLIENT_ID

    def name(self) -> str:
        """:origin: kafka.server.ClientQuotaManager.DefaultClientIdEntity#name"""
        return ZooKeeperInternals.DEFAULT_STRING

    def __str__(self) -> str:
        """:origin: kafka.server.ClientQuotaManager.DefaultClientIdEntity#toString"""
        return "default client-id"


# Scala's objects: one instance each.
DefaultUserEntity = _DefaultUserEntity()
DefaultClientIdEntity = _DefaultClientIdEntity()


@dataclass(frozen=True, slots=True)
class KafkaQuotaEntity(ClientQuotaEntity):
    """:origin: kafka.server.ClientQuotaManager.KafkaQuotaEntity"""

    user_entity: BaseUserEntity | None
    client_id_entity: ConfigEntity | None

    def config_entities(self) -> Sequence[ConfigEntity]:
        """:origin: kafka.server.ClientQuotaManager.KafkaQuotaEntity#configEntities"""
        return [entity for entity in (self.user_entity, self.client_id_entity) if entity is not None]

    def sanitized_user(self) -> str:
        """Return the user's sanitized name, the default's name, or an empty string.

        :origin: kafka.server.ClientQuotaManager.KafkaQuotaEntity#sanitizedUser
        """
        user_entity = self.user_entity
        if isinstance(user_entity, UserEntity):
            return user_entity.sanitized_user
        return "" if user_entity is None else ZooKeeperInternals.DEFAULT_STRING

    def client_id(self) -> str:
        """Return the client id, the default's name, or an empty string.

        :origin: kafka.server.ClientQuotaManager.KafkaQuotaEntity#clientId
        """
        return "" if self.client_id_entity is None else self.client_id_entity.name()

    def __str__(self) -> str:
        """:origin: kafka.server.ClientQuotaManager.KafkaQuotaEntity#toString"""
        return " ".join(map(str, self.config_entities()))


DefaultClientIdQuotaEntity = KafkaQuotaEntity(None, DefaultClientIdEntity)
DefaultUserQuotaEntity = KafkaQuotaEntity(DefaultUserEntity, None)
DefaultUserClientIdQuotaEntity = KafkaQuotaEntity(DefaultUserEntity, DefaultClientIdEntity)


class DefaultTags:
    """:origin: kafka.server.ClientQuotaManager.DefaultTags"""

    User = "user"
    ClientId = "client-id"


class ThrottledChannelReaper(ShutdownableThread):
    """Unmutes connections when their throttle time is over.

    :origin: kafka.server.ClientQuotaManager.ThrottledChannelReaper
    """

    _CONTINUES_AFTER_ERROR = True

    def __init__(self, delay_queue: DelayQueue[ThrottledChannel], prefix: str, quota_type: QuotaType,
                 delay_queue_sensor: Sensor) -> None:
        super().__init__(f"{prefix}ThrottledChannelReaper-{quota_type}", False)
        self._delay_queue = delay_queue
        self._delay_queue_sensor = delay_queue_sensor

    def do_work(self) -> None:
        """Wait up to a second for a connection whose throttle time is over, and unmute it.

        :origin: kafka.server.ClientQuotaManager.ThrottledChannelReaper#doWork
        """
        throttled_channel = self._delay_queue.poll_timeout(_POLL_TIMEOUT_MS)
        if throttled_channel is not None:
            self._end_throttling(throttled_channel)

    def end_due(self) -> bool:
        """Unmute all connections whose throttle time is over, on this thread; return whether there were any.

        A test that moves a mock clock calls this in place of the thread.
        """
        found = False
        while (throttled_channel := self._delay_queue.poll()) is not None:
            self._end_throttling(throttled_channel)
            found = True
        return found

    def _end_throttling(self, throttled_channel: ThrottledChannel) -> None:
        self._delay_queue_sensor.record(-1)
        throttled_channel.notify_throttling_done()


class _NoThrottling(ThrottleCallback):
    __slots__ = ()

    def start_throttling(self) -> None:
        pass

    def end_throttling(self) -> None:
        pass


class DefaultQuotaCallback(ClientQuotaCallback, Logging):
    """The callback without a plug-in. It applies the order at the head of the module.

    Locks: the manager's lock guards changes. Any thread reads the dictionary without a lock.

    :origin: kafka.server.ClientQuotaManager.DefaultQuotaCallback
    """

    __slots__ = ("_manager", "_overridden_quotas")

    def __init__(self, manager: ClientQuotaManager) -> None:
        self._manager = manager
        self._overridden_quotas: dict[ClientQuotaEntity, Quota] = {}

    def configure(self, configs: Mapping[str, object]) -> None:
        """:origin: kafka.server.ClientQuotaManager.DefaultQuotaCallback#configure"""

    def quota_metric_tags(self, quota_type: ClientQuotaType, principal: KafkaPrincipal,
                          client_id: str) -> Mapping[str, str]:
        """:origin: kafka.server.ClientQuotaManager.DefaultQuotaCallback#quotaMetricTags"""
        return self.quota_metric_tags_sanitized_user(Sanitizer.sanitize(principal.get_name()), client_id)

    def quota_limit(self, quota_type: ClientQuotaType, metric_tags: Mapping[str, str]) -> float | None:
        """:origin: kafka.server.ClientQuotaManager.DefaultQuotaCallback#quotaLimit"""
        sanitized_user = metric_tags.get(DefaultTags.User)
        client_id = metric_tags.get(DefaultTags.ClientId)
        entities: tuple[KafkaQuotaEntity, ...] = ()

        if sanitized_user is not None and client_id is not None:
            user_entity = UserEntity(sanitized_user)
            client_id_entity = ClientIdEntity(client_id)
            if sanitized_user and client_id:
                entities = (KafkaQuotaEntity(user_entity, client_id_entity),
                            KafkaQuotaEntity(user_entity, DefaultClientIdEntity),
                            KafkaQuotaEntity(DefaultUserEntity, client_id_entity),
                            DefaultUserClientIdQuotaEntity)
            elif sanitized_user:
                entities = (KafkaQuotaEntity(user_entity, None), DefaultUserQuotaEntity)
            elif client_id:
                entities = (KafkaQuotaEntity(None, client_id_entity), DefaultClientIdQuotaEntity)
        for entity in entities:
            quota = self._overridden_quotas.get(entity)
            if quota is not None:
                return quota.bound()
        return None

    def update_quota(self, quota_type: ClientQuotaType, quota_entity: ClientQuotaEntity,
                     new_value: float) -> None:
        """:origin: kafka.server.ClientQuotaManager.DefaultQuotaCallback#updateQuota"""
        self.info("the %s quota of %s is %s now", quota_type.name, quota_entity, new_value)
        self._overridden_quotas[quota_entity] = Quota(new_value, True)

    def remove_quota(self, quota_type: ClientQuotaType, quota_entity: ClientQuotaEntity) -> None:
        """:origin: kafka.server.ClientQuotaManager.DefaultQuotaCallback#removeQuota"""
        self.info("%s has no %s quota of its own any more", quota_entity, quota_type.name)
        self._overridden_quotas.pop(quota_entity, None)

    def quota_reset_required(self, quota_type: ClientQuotaType) -> bool:
        """:origin: kafka.server.ClientQuotaManager.DefaultQuotaCallback#quotaResetRequired"""
        return False

    def quota_metric_tags_sanitized_user(self, sanitized_user: str, client_id: str) -> Mapping[str, str]:
        """Return the tags of the most specific quota. A level at which no quota was ever set is skipped.

        :origin: kafka.server.ClientQuotaManager.DefaultQuotaCallback#quotaMetricTags
        """
        quota_types_enabled = self._manager._quota_types_enabled
        if quota_types_enabled in (QuotaTypes.NoQuotas, QuotaTypes.ClientIdQuotaEnabled):
            return {DefaultTags.User: "", DefaultTags.ClientId: client_id}
        if quota_types_enabled == QuotaTypes.UserQuotaEnabled:
            return {DefaultTags.User: sanitized_user, DefaultTags.ClientId: ""}
        if quota_types_enabled == QuotaTypes.UserClientIdQuotaEnabled:
            return {DefaultTags.User: sanitized_user, DefaultTags.ClientId: client_id}
        user_entity = UserEntity(sanitized_user)
        client_id_entity = ClientIdEntity(client_id)
        for entity, user_tag, client_id_tag in (
                (KafkaQuotaEntity(user_entity, client_id_entity), sanitized_user, client_id),
                (KafkaQuotaEntity(user_entity, DefaultClientIdEntity), sanitized_user, client_id),
                (KafkaQuotaEntity(user_entity, None), sanitized_user, ""),
                (KafkaQuotaEntity(DefaultUserEntity, client_id_entity), sanitized_user, client_id),
                (DefaultUserClientIdQuotaEntity, sanitized_user, client_id),
                (DefaultUserQuotaEntity, sanitized_user, "")):
            if entity in self._overridden_quotas:
                return {DefaultTags.User: user_tag, DefaultTags.ClientId: client_id_tag}
        # A client id's own quota and the default client id's quota have the same tags.
        return {DefaultTags.User: "", DefaultTags.ClientId: client_id}

    def close(self) -> None:
        """:origin: kafka.server.ClientQuotaManager.DefaultQuotaCallback#close"""
