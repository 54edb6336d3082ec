# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.network.ConnectionQuotas of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""How many connections there may be, and how fast new ones may come: per address, listener and broker.

Owner: any thread. Acceptors count connections in and may have to wait here; processors count them out,
which lets an acceptor go on; whoever reconfigures the server changes the limits.

Two kinds of limit, two ways to enforce them. *Over a limit of a listener or of the broker* the acceptor
itself waits, until there is a slot or the rate is low enough again: new connections queue up in the
kernel, and everybody behind this listener waits. *Over a limit of an address* one client is to blame, so
nobody waits: a connection too many is closed at once, one that came too fast is closed after a delay.

The inter-broker listener is protected where there are others: the broker-wide limits do not hold it up.

Invariant, under ``_counts_lock``: ``_total_count`` is the sum of ``_counts``; every connection that was
counted in is counted out exactly once, by whoever closes it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Mapping, cast

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.metric_name import MetricName
from kreactor.common.metrics.kafka_metric import KafkaMetric
from kreactor.common.metrics.metric_config import MetricConfig
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.quota import Quota
from kreactor.common.metrics.quota_violation_exception import QuotaViolationException
from kreactor.common.metrics.sensor import Sensor
from kreactor.common.metrics.stats.avg import Avg
from kreactor.common.metrics.stats.rate import Rate
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.listener_reconfigurable import ListenerReconfigurable
from kreactor.common.utils.time import Time
from kreactor.core.network.companions import (
    INT_MAX_VALUE,
    LISTENER_METRIC_TAG,
    METRICS_GROUP,
    close_socket,
)
from kreactor.core.reconfigurable_configs import SOCKET_SERVER_LISTENER_RECONFIGURABLE_CONFIGS
from kreactor.core.utils.logging import Logging
from kreactor.core.utils.quota_utils import QuotaUtils
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.locks import Condition, Lock, ReentrantLock
from kreactor.jdk.net import InetAddress
from kreactor.jdk.nio_channels import SocketChannel
from kreactor.jdk.time_unit import TimeUnit
from kreactor.network.socket_server_configs import SocketServerConfigs
from kreactor.server.config.quota_configs import QuotaConfigs
from kreactor.server.metrics.yammer import Meter

if TYPE_CHECKING:
    from kreactor.core.server.kafka_config import KafkaConfig

INACTIVE_SENSOR_EXPIRATION_TIME_SECONDS = 3600
NEVER_EXPIRES = 2**63 - 1
CONNECTION_RATE_SENSOR_NAME = "Connection-Accept-Rate"
CONNECTION_RATE_METRIC_NAME = "connection-accept-rate"
IP_METRIC_TAG = "ip"
LISTENER_THROTTLE_PREFIX = ""
IP_THROTTLE_PREFIX = "ip-"


class ConnectionQuotaEntity(ABC):
    """The subject of a connection rate limit: the broker, a listener, an address.

    :origin: kafka.network.ConnectionQuotaEntity
    """

    __slots__ = ()

    @abstractmethod
    def sensor_name(self) -> str:
        """:origin: kafka.network.ConnectionQuotaEntity#sensorName"""

    @abstractmethod
    def metric_name(self) -> str:
        """:origin: kafka.network.ConnectionQuotaEntity#metricName"""

    @abstractmethod
    def sensor_expiration(self) -> int:
        """Return for how many seconds an unused sensor is kept.

        :origin: kafka.network.ConnectionQuotaEntity#sensorExpiration
        """

    @abstractmethod
    def metric_tags(self) -> dict[str, str]:
        """:origin: kafka.network.ConnectionQuotaEntity#metricTags"""


class ListenerQuotaEntity(ConnectionQuotaEntity):
    """:origin: kafka.network.ConnectionQuotas.ListenerQuotaEntity"""

    __slots__ = ("_listener_name",)

    def __init__(self, listener_name: str) -> None:
        self._listener_name = listener_name

    def sensor_name(self) -> str:
        """:origin: kafka.network.ConnectionQuotas.ListenerQuotaEntity#sensorName"""
        return f"{CONNECTION_RATE_SENSOR_NAME}-{self._listener_name}"

    def sensor_expiration(self) -> int:
        """:origin: kafka.network.ConnectionQuotas.ListenerQuotaEntity#sensorExpiration"""
        return NEVER_EXPIRES

    def metric_name(self) -> str:
        """:origin: kafka.network.ConnectionQuotas.ListenerQuotaEntity#metricName"""
        return CONNECTION_RATE_METRIC_NAME

    def metric_tags(self) -> dict[str, str]:
        """:origin: kafka.network.ConnectionQuotas.ListenerQuotaEntity#metricTags"""
        return {LISTENER_METRIC_TAG: self._listener_name}


class BrokerQuotaEntity(ConnectionQuotaEntity):
    """:origin: kafka.network.ConnectionQuotas.BrokerQuotaEntity"""

    __slots__ = ()

    def sensor_name(self) -> str:
        """:origin: kafka.network.ConnectionQuotas.BrokerQuotaEntity#sensorName"""
        return CONNECTION_RATE_SENSOR_NAME

    def sensor_expiration(self) -> int:
        """:origin: kafka.network.ConnectionQuotas.BrokerQuotaEntity#sensorExpiration"""
        return NEVER_EXPIRES

    def metric_name(self) -> str:
        """:origin: kafka.network.ConnectionQuotas.BrokerQuotaEntity#metricName"""
        return f"broker-{CONNECTION_RATE_METRIC_NAME}"

    def metric_tags(self) -> dict[str, str]:
        """:origin: kafka.network.ConnectionQuotas.BrokerQuotaEntity#metricTags"""
        return {}


class IpQuotaEntity(ConnectionQuotaEntity):
    """:origin: kafka.network.ConnectionQuotas.IpQuotaEntity"""

    __slots__ = ("_ip",)

    def __init__(self, ip: InetAddress) -> None:
        self._ip = ip

    def sensor_name(self) -> str:
        """:origin: kafka.network.ConnectionQuotas.IpQuotaEntity#sensorName"""
        return f"{CONNECTION_RATE_SENSOR_NAME}-{self._ip.get_host_address()}"

    def sensor_expiration(self) -> int:
        """:origin: kafka.network.ConnectionQuotas.IpQuotaEntity#sensorExpiration"""
        return INACTIVE_SENSOR_EXPIRATION_TIME_SECONDS

    def metric_name(self) -> str:
        """:origin: kafka.network.ConnectionQuotas.IpQuotaEntity#metricName"""
        return CONNECTION_RATE_METRIC_NAME

    def metric_tags(self) -> dict[str, str]:
        """:origin: kafka.network.ConnectionQuotas.IpQuotaEntity#metricTags"""
        return {IP_METRIC_TAG: self._ip.get_host_address()}


class ConnectionQuotas(Logging):
    """Counts connections and limits them.

    :origin: kafka.network.ConnectionQuotas
    :origin: kafka.network.ConnectionQuotas
    """

    def __init__(self, config: KafkaConfig, time: Time, metrics: Metrics) -> None:
        """Take the broker-wide limits from ``config``; listeners come with ``add_listener``.

        Raises OSError if a host of max.connections.per.ip.overrides is unknown.
        """
        self._config = config
        self._time = time
        self._metrics = metrics
        # Read by any thread, replaced as a whole by whoever reconfigures.
        self._default_max_connections_per_ip = config.max_connections_per_ip()
        self._max_connections_per_ip_overrides = _by_address(config.max_connections_per_ip_overrides())
        self._broker_max_connections = config.max_connections()
        self._inter_broker_listener_name = config.inter_broker_listener_name()
        # Scala synchronizes on the map of counts and waits on it too. Entered again by those who hold it.
        self._counts_lock = Condition(ReentrantLock())
        # Guarded by the lock; _total_count is read without it too.
        self._counts: dict[InetAddress, int] = {}
        self._listener_counts: dict[ListenerName, int] = {}
        self._max_connections_per_listener: dict[ListenerName, ConnectionQuotas.ListenerConnectionQuota] = {}
        self._total_count = 0
        self._default_connection_rate_per_ip = QuotaConfigs.IP_CONNECTION_RATE_DEFAULT
        self._connection_rate_per_ip: dict[InetAddress, int] = {}
        # Serialises updates of the rates of addresses.
        self._update_lock = Lock()
        self._broker_connection_rate_sensor = self._get_or_create_connection_rate_quota_sensor(
            config.max_connection_creation_rate(), BrokerQuotaEntity())
        self._max_throttle_time_ms = config.quota_window_size_seconds() * 1000

    def inc(
        self, listener_name: ListenerName, address: InetAddress, acceptor_blocked_percent_meter: Meter,
    ) -> None:
        """Count a connection in, after waiting for the listener's turn if it has to.

        Called by the acceptor, whose time in wait goes to the meter, in nanoseconds. Raises
        ConnectionThrottledException, the connection not counted, or TooManyConnectionsException, the
        connection counted: the caller closes it with ``close_channel``.

        :origin: kafka.network.ConnectionQuotas#inc
        """
        with self._counts_lock:
            self._wait_for_connection_slot(listener_name, acceptor_blocked_percent_meter)

            self._record_ip_connection_maybe_throttle(listener_name, address)
            count = self._counts.get(address, 0)
            self._counts[address] = count + 1
            self._total_count += 1
            if listener_name in self._listener_counts:
                self._listener_counts[listener_name] += 1
            max = self._max_connections_per_ip_overrides.get(address, self._default_max_connections_per_ip)
            if count >= max:
                raise TooManyConnectionsException(address, max)

    def update_max_connections_per_ip(self, max_connections_per_ip: int) -> None:
        """:origin: kafka.network.ConnectionQuotas#updateMaxConnectionsPerIp"""
        self._default_max_connections_per_ip = max_connections_per_ip

    def update_max_connections_per_ip_override(self, override_quotas: Mapping[str, int]) -> None:
        """Replace all overrides, given by host. Raises OSError if a host is unknown.

        :origin: kafka.network.ConnectionQuotas#updateMaxConnectionsPerIpOverride
        """
        self._max_connections_per_ip_overrides = _by_address(override_quotas)

    def update_broker_max_connections(self, max_connections: int) -> None:
        """:origin: kafka.network.ConnectionQuotas#updateBrokerMaxConnections"""
        with self._counts_lock:
            self._broker_max_connections = max_connections
            self._counts_lock.notify_all()

    def update_broker_max_connection_rate(self, max_connection_rate: int) -> None:
        """Change the broker's rate, per second. An acceptor that waits by the old one waits to its end.

        :origin: kafka.network.ConnectionQuotas#updateBrokerMaxConnectionRate
        """
        self._update_connection_rate_quota(max_connection_rate, BrokerQuotaEntity())

    def update_ip_connection_rate_quota(
        self, ip: InetAddress | None, max_connection_rate: int | None,
    ) -> None:
        """Change the rate, per second, of an address, or the default of all if ``ip`` is None.

        A rate of None takes the limit away again.

        :origin: kafka.network.ConnectionQuotas#updateIpConnectionRateQuota
        """
        def is_ip_connection_rate_metric(metric_name: MetricName) -> bool:
            return (metric_name.name() == CONNECTION_RATE_METRIC_NAME and metric_name.group() == METRICS_GROUP
                    and IP_METRIC_TAG in metric_name.tags())

        def should_update_quota(metric: KafkaMetric, quota_limit: int) -> bool:
            return (quota := metric.config().quota()) is not None and quota_limit != quota.bound()

        with self._update_lock:
            if ip is not None:
                # Under the lock, so that a new sensor of the address cannot miss the new rate.
                with self._counts_lock:
                    if max_connection_rate is not None:
                        self.info("max connection rate of %s is now %d", ip, max_connection_rate)
                        self._connection_rate_per_ip[ip] = max_connection_rate
                    else:
                        self.info("max connection rate of %s is the default again", ip)
                        self._connection_rate_per_ip.pop(ip, None)
                self._update_connection_rate_quota(self.connection_rate_for_ip(ip), IpQuotaEntity(ip))
            else:
                with self._counts_lock:
                    self._default_connection_rate_per_ip = (
                        max_connection_rate if max_connection_rate is not None
                        else QuotaConfigs.IP_CONNECTION_RATE_DEFAULT)
                self.info("default max connection rate of addresses is now %d",
                          self._default_connection_rate_per_ip)
                for metric_name, metric in list(self._metrics.metrics().items()):
                    if is_ip_connection_rate_metric(metric_name):
                        quota = self.connection_rate_for_ip(
                            InetAddress.get_by_name(metric_name.tags()[IP_METRIC_TAG]))
                        if should_update_quota(metric, quota):
                            self.debug("connection rate quota of %s is now %d", metric_name.tags(), quota)
                            metric.config_to(self._rate_quota_metric_config(quota))

    def connection_rate_for_ip(self, ip: InetAddress) -> int:
        """Return the rate that an address may open connections at, per second.

        :origin: kafka.network.ConnectionQuotas#connectionRateForIp
        """
        return self._connection_rate_per_ip.get(ip, self._default_connection_rate_per_ip)

    def add_listener(self, config: KafkaConfig, listener_name: ListenerName) -> None:
        """Begin to count a listener, under the limits that ``config`` has for it.

        :origin: kafka.network.ConnectionQuotas#addListener
        """
        with self._counts_lock:
            if listener_name not in self._max_connections_per_listener:
                new_listener_quota = ConnectionQuotas.ListenerConnectionQuota(
                    self, self._counts_lock, listener_name)
                self._max_connections_per_listener[listener_name] = new_listener_quota
                self._listener_counts[listener_name] = 0
                config.add_reconfigurable(new_listener_quota)
                new_listener_quota.configure(
                    config.values_with_prefix_override(listener_name.config_prefix()))
            self._counts_lock.notify_all()

    def remove_listener(self, config: KafkaConfig, listener_name: ListenerName) -> None:
        """Count a listener no more. An acceptor of it that waits here gets an error, so that it can end.

        :origin: kafka.network.ConnectionQuotas#removeListener
        """
        with self._counts_lock:
            if (listener_quota := self._max_connections_per_listener.pop(listener_name, None)) is not None:
                del self._listener_counts[listener_name]
                # Nothing records into its sensors once it is out of the map.
                listener_quota.close()
                self._counts_lock.notify_all()
                config.remove_reconfigurable(listener_quota)

    def dec(self, listener_name: ListenerName, address: InetAddress) -> None:
        """Count a connection out, and let an acceptor that waits for a slot go on.

        Raises IllegalArgumentException if none of that address was counted in.

        :origin: kafka.network.ConnectionQuotas#dec
        """
        with self._counts_lock:
            if (count := self._counts.get(address)) is None:
                raise IllegalArgumentException(
                    "Attempted to decrease connection count for address with no connections, "
                    f"address: {address}")
            if count == 1:
                del self._counts[address]
            else:
                self._counts[address] = count - 1

            if self._total_count <= 0:
                self.error("counting out a connection of the broker, which has none")
            self._total_count -= 1

            if listener_name in self._max_connections_per_listener:
                listener_count = self._listener_counts[listener_name]
                if listener_count == 0:
                    self.error("counting out a connection of listener %s, which has none", listener_name)
                else:
                    self._listener_counts[listener_name] = listener_count - 1
            self._counts_lock.notify_all()

    def get(self, address: InetAddress) -> int:
        """Return how many connections an address has.

        :origin: kafka.network.ConnectionQuotas#get
        """
        with self._counts_lock:
            return self._counts.get(address, 0)

    def _wait_for_connection_slot(
        self, listener_name: ListenerName, acceptor_blocked_percent_meter: Meter,
    ) -> None:
        """:origin: kafka.network.ConnectionQuotas#waitForConnectionSlot"""
        with self._counts_lock:
            start_throttle_time_ms = self._time.milliseconds()
            throttle_time_ms = max(
                self._record_connection_and_get_throttle_time_ms(listener_name, start_throttle_time_ms), 0)

            if throttle_time_ms > 0 or not self._connection_slot_available(listener_name):
                start_ns = self._time.nanoseconds()
                end_throttle_time_ms = start_throttle_time_ms + throttle_time_ms
                remaining_throttle_time_ms = throttle_time_ms
                while True:
                    # Without a time to wait for, it is a slot that is waited for: whoever frees one notifies.
                    self._counts_lock.wait(
                        remaining_throttle_time_ms / 1000 if remaining_throttle_time_ms > 0 else None)
                    remaining_throttle_time_ms = max(end_throttle_time_ms - self._time.milliseconds(), 0)
                    if remaining_throttle_time_ms <= 0 and self._connection_slot_available(listener_name):
                        break
                acceptor_blocked_percent_meter.mark(self._time.nanoseconds() - start_ns)

    def max_connections_exceeded(self, listener_name: ListenerName) -> bool:
        """Return whether a processor of this listener has to close a connection.

        Asked at every poll: that of a protected listener may have gone over the broker's limit.

        :origin: kafka.network.ConnectionQuotas#maxConnectionsExceeded
        """
        return (self._total_count > self._broker_max_connections
                and not self._protected_listener(listener_name))

    def _connection_slot_available(self, listener_name: ListenerName) -> bool:
        """Raises KeyError for a listener that has been removed.

        :origin: kafka.network.ConnectionQuotas#connectionSlotAvailable
        """
        if self._listener_counts[listener_name] >= self._max_listener_connections(listener_name):
            return False
        if self._protected_listener(listener_name):
            return True
        return self._total_count < self._broker_max_connections

    def _protected_listener(self, listener_name: ListenerName) -> bool:
        """:origin: kafka.network.ConnectionQuotas#protectedListener"""
        return self._inter_broker_listener_name == listener_name and len(self._listener_counts) > 1

    def _max_listener_connections(self, listener_name: ListenerName) -> int:
        """:origin: kafka.network.ConnectionQuotas#maxListenerConnections"""
        return (INT_MAX_VALUE if (quota := self._max_connections_per_listener.get(listener_name)) is None
                else quota.max_connections())

    def _record_connection_and_get_throttle_time_ms(self, listener_name: ListenerName, time_ms: int) -> int:
        """Record a connection; return how long to wait until neither listener nor broker is over its rate.

        The wait is no longer than the quota's window, in ms.

        :origin: kafka.network.ConnectionQuotas#recordConnectionAndGetThrottleTimeMs
        """
        def record_and_get_listener_throttle_time(min_throttle_time_ms: int) -> int:
            if (listener_quota := self._max_connections_per_listener.get(listener_name)) is None:
                return 0
            listener_throttle_time_ms = self._record_and_get_throttle_time_ms(
                listener_quota.connection_rate_sensor, time_ms)
            throttle_time_ms = max(min_throttle_time_ms, listener_throttle_time_ms)
            if throttle_time_ms > 0:
                listener_quota.listener_connection_rate_throttle_sensor.record(
                    float(throttle_time_ms), time_ms)
            return throttle_time_ms

        if self._protected_listener(listener_name):
            return record_and_get_listener_throttle_time(0)
        broker_throttle_time_ms = self._record_and_get_throttle_time_ms(
            self._broker_connection_rate_sensor, time_ms)
        return record_and_get_listener_throttle_time(broker_throttle_time_ms)

    def _update_listener_metrics(self, listener_name: ListenerName, throttle_ms: int, time_ms: int) -> None:
        """Take back what was recorded for listener and broker: the connection will not be accepted.

        :origin: kafka.network.ConnectionQuotas#updateListenerMetrics
        """
        if not self._protected_listener(listener_name):
            self._broker_connection_rate_sensor.record(-1.0, time_ms, False)
        if (listener_quota := self._max_connections_per_listener.get(listener_name)) is not None:
            listener_quota.ip_connection_rate_throttle_sensor.record(float(throttle_ms), time_ms)
            listener_quota.connection_rate_sensor.record(-1.0, time_ms, False)

    def _record_ip_connection_maybe_throttle(self, listener_name: ListenerName, address: InetAddress) -> None:
        """Record a connection of an address; raise ConnectionThrottledException if it came too fast.

        Called with the lock, so that reading the rate and making a sensor with it is one step.

        :origin: kafka.network.ConnectionQuotas#recordIpConnectionMaybeThrottle
        """
        connection_rate_quota = self.connection_rate_for_ip(address)
        quota_enabled = connection_rate_quota != QuotaConfigs.IP_CONNECTION_RATE_DEFAULT
        if quota_enabled:
            sensor = self._get_or_create_connection_rate_quota_sensor(
                connection_rate_quota, IpQuotaEntity(address))
            time_ms = self._time.milliseconds()
            throttle_ms = self._record_and_get_throttle_time_ms(sensor, time_ms)
            if throttle_ms > 0:
                self.trace("throttling %s for %d ms", address, throttle_ms)
                sensor.record(-1.0, time_ms, False)
                self._update_listener_metrics(listener_name, throttle_ms, time_ms)
                raise ConnectionThrottledException(address, time_ms, throttle_ms)

    def _record_and_get_throttle_time_ms(self, sensor: Sensor, time_ms: int) -> int:
        """:origin: kafka.network.ConnectionQuotas#recordAndGetThrottleTimeMs"""
        try:
            sensor.record(1.0, time_ms)
            return 0
        except QuotaViolationException as e:
            throttle_time_ms = int(QuotaUtils.bounded_throttle_time(e, self._max_throttle_time_ms, time_ms))
            self.debug("quota of sensor %s violated: delay of %d ms", sensor.name(), throttle_time_ms)
            return throttle_time_ms

    def _get_or_create_connection_rate_quota_sensor(
        self, quota_limit: int, connection_quota_entity: ConnectionQuotaEntity,
    ) -> Sensor:
        """:origin: kafka.network.ConnectionQuotas#getOrCreateConnectionRateQuotaSensor"""
        if (sensor := self._metrics.get_sensor(connection_quota_entity.sensor_name())) is None:
            sensor = self._metrics.sensor(
                connection_quota_entity.sensor_name(),
                config=self._rate_quota_metric_config(quota_limit),
                inactive_sensor_expiration_time_seconds=connection_quota_entity.sensor_expiration())
            sensor.add(self._connection_rate_metric_name(connection_quota_entity), Rate(), None)
        return sensor

    def _update_connection_rate_quota(
        self, quota_limit: int, connection_quota_entity: ConnectionQuotaEntity,
    ) -> None:
        """:origin: kafka.network.ConnectionQuotas#updateConnectionRateQuota"""
        if (metric := self._metrics.metric(
                self._connection_rate_metric_name(connection_quota_entity))) is not None:
            metric.config_to(self._rate_quota_metric_config(quota_limit))
            self.info("%s is limited to %d now", connection_quota_entity.metric_name(), quota_limit)

    def _connection_rate_metric_name(self, connection_quota_entity: ConnectionQuotaEntity) -> MetricName:
        """:origin: kafka.network.ConnectionQuotas#connectionRateMetricName"""
        return self._metrics.metric_name(
            connection_quota_entity.metric_name(), METRICS_GROUP,
            "The rate of new connections, per second", connection_quota_entity.metric_tags())

    def _rate_quota_metric_config(self, quota_limit: int) -> MetricConfig:
        """:origin: kafka.network.ConnectionQuotas#rateQuotaMetricConfig"""
        return (MetricConfig()
                .time_window_to(self._config.quota_window_size_seconds(), TimeUnit.SECONDS)
                .samples_to(self._config.num_quota_samples())
                .quota_to(Quota(quota_limit, True)))

    def close(self) -> None:
        """Take the sensors out of the registry.

        :origin: kafka.network.ConnectionQuotas#close
        """
        self._metrics.remove_sensor(self._broker_connection_rate_sensor.name())
        for listener_quota in self._max_connections_per_listener.values():
            listener_quota.close()

    class ListenerConnectionQuota(ListenerReconfigurable):
        """The limits of one listener.

        :origin: kafka.network.ConnectionQuotas.ListenerConnectionQuota
        """

        def __init__(
            self, quotas: ConnectionQuotas, lock: Condition, listener: ListenerName,
        ) -> None:
            """``lock`` is that of the counts; ``quotas`` is the object that Scala's inner class is in."""
            self._quotas = quotas
            self._lock = lock
            self._listener = listener
            self._max_connections = INT_MAX_VALUE
            self.connection_rate_sensor = quotas._get_or_create_connection_rate_quota_sensor(
                INT_MAX_VALUE, ListenerQuotaEntity(listener.value()))
            self.listener_connection_rate_throttle_sensor = self._create_connection_rate_throttle_sensor(
                LISTENER_THROTTLE_PREFIX)
            self.ip_connection_rate_throttle_sensor = self._create_connection_rate_throttle_sensor(
                IP_THROTTLE_PREFIX)

        def max_connections(self) -> int:
            """:origin: kafka.network.ConnectionQuotas.ListenerConnectionQuota#maxConnections"""
            return self._max_connections

        def listener_name(self) -> ListenerName:
            """:origin: kafka.network.ConnectionQuotas.ListenerConnectionQuota#listenerName"""
            return self._listener

        def configure(self, configs: Mapping[str, Any]) -> None:
            """:origin: kafka.network.ConnectionQuotas.ListenerConnectionQuota#configure"""
            self._max_connections = self._max_connections_of(configs)
            self._quotas._update_connection_rate_quota(
                self._max_connection_creation_rate(configs), ListenerQuotaEntity(self._listener.value()))

        def reconfigurable_configs(self) -> frozenset[str]:
            """:origin: kafka.network.ConnectionQuotas.ListenerConnectionQuota#reconfigurableConfigs"""
            return SOCKET_SERVER_LISTENER_RECONFIGURABLE_CONFIGS

        def validate_reconfiguration(self, configs: Mapping[str, Any]) -> None:
            """Raises ConfigException for a limit that is not positive.

            :origin: kafka.network.ConnectionQuotas.ListenerConnectionQuota#validateReconfiguration
            """
            value = self._max_connections_of(configs)
            if value <= 0:
                raise ConfigException(f"Invalid {SocketServerConfigs.MAX_CONNECTIONS_CONFIG} {value}")

            rate = self._max_connection_creation_rate(configs)
            if rate <= 0:
                raise ConfigException(
                    f"Invalid {SocketServerConfigs.MAX_CONNECTION_CREATION_RATE_CONFIG} {rate}")

        def reconfigure(self, configs: Mapping[str, Any]) -> None:
            """:origin: kafka.network.ConnectionQuotas.ListenerConnectionQuota#reconfigure"""
            with self._lock:
                self._max_connections = self._max_connections_of(configs)
                self._quotas._update_connection_rate_quota(
                    self._max_connection_creation_rate(configs), ListenerQuotaEntity(self._listener.value()))
                self._lock.notify_all()

        def close(self) -> None:
            """:origin: kafka.network.ConnectionQuotas.ListenerConnectionQuota#close"""
            metrics = self._quotas._metrics
            metrics.remove_sensor(self.connection_rate_sensor.name())
            metrics.remove_sensor(self.listener_connection_rate_throttle_sensor.name())
            metrics.remove_sensor(self.ip_connection_rate_throttle_sensor.name())

        def _max_connections_of(self, configs: Mapping[str, Any]) -> int:
            """:origin: kafka.network.ConnectionQuotas.ListenerConnectionQuota#maxConnections"""
            return _int_or_largest(configs.get(SocketServerConfigs.MAX_CONNECTIONS_CONFIG))

        def _max_connection_creation_rate(self, configs: Mapping[str, Any]) -> int:
            """:origin: kafka.network.ConnectionQuotas.ListenerConnectionQuota#maxConnectionCreationRate"""
            return _int_or_largest(configs.get(SocketServerConfigs.MAX_CONNECTION_CREATION_RATE_CONFIG))

        def _create_connection_rate_throttle_sensor(self, throttle_prefix: str) -> Sensor:
            """Return a sensor for the average of the delays that are not zero, in ms.

            :origin: kafka.network.ConnectionQuotas.ListenerConnectionQuota#createConnectionRateThrottleSensor
            """
            metrics = self._quotas._metrics
            sensor = metrics.sensor(f"{throttle_prefix}ConnectionRateThrottleTime-{self._listener.value()}")
            metric_name = metrics.metric_name(
                f"{throttle_prefix}connection-accept-throttle-time", METRICS_GROUP,
                "The average delay of new connections, where there was one, in ms",
                {LISTENER_METRIC_TAG: self._listener.value()})
            sensor.add(metric_name, Avg())
            return sensor

    def close_channel(self, log: Logging, listener_name: ListenerName, channel: SocketChannel | None) -> None:
        """Close a connection that no selector has, and count it out.

        :origin: kafka.network.ConnectionQuotas#closeChannel
        """
        if channel is not None:
            log.debug("closing connection from %s", channel.socket().get_remote_socket_address())
            self.dec(listener_name, cast(InetAddress, channel.socket().get_inet_address()))
            close_socket(channel, log)


def _int_or_largest(value: Any) -> int:
    return INT_MAX_VALUE if value is None else int(value)


def _by_address(overrides: Mapping[str, int]) -> dict[InetAddress, int]:
    return {InetAddress.get_by_name(host): count for host, count in overrides.items()}


class TooManyConnectionsException(KafkaException):
    """An address has its maximum of connections already.

    :origin: kafka.network.TooManyConnectionsException
    """

    def __init__(self, ip: InetAddress, count: int) -> None:
        """``count`` is the maximum."""
        super().__init__(f"Too many connections from {ip} (maximum = {count})")
        self.ip = ip
        self.count = count


class ConnectionThrottledException(KafkaException):
    """An address opens connections too fast; this one is to be closed ``throttle_time_ms`` from its start.

    :origin: kafka.network.ConnectionThrottledException
    """

    def __init__(self, ip: InetAddress, start_throttle_time_ms: int, throttle_time_ms: int) -> None:
        super().__init__(f"{ip} throttled for {throttle_time_ms}")
        self.ip = ip
        self.start_throttle_time_ms = start_throttle_time_ms
        self.throttle_time_ms = throttle_time_ms
