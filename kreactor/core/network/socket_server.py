# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.network.SocketServer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""All listeners of a broker, and the queues between their threads and the handlers.

Threads. Each listener has one acceptor and N processors (network threads). All ordinary listeners, the
data plane, share one request channel, and the M handler threads behind it; a listener kept for the
controller, the control plane, has one processor, and a channel and a handler of its own::

    acceptor --connections--> processor 0..N-1 --requests--> request channel --> handler 0..M-1
                                  ^                                                  |
                                  +------------------- responses --------------------+

Order of life: the constructor opens nothing but ports that are 0, and makes all parts;
``enable_request_processing`` starts the threads; ``stop_processing_requests`` ends acceptors and
processors, so that no request comes any more while handlers still work; ``shutdown`` lets go of the rest,
when the handlers have ended too.

Locks: ``_lock`` guards the life of the server and its listeners; Scala synchronizes on the server.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Mapping, Sequence

from kreactor.common.endpoint import Endpoint
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.memory.simple_memory_pool import SimpleMemoryPool
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.stats.meter import Meter
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.message.api_message_type import ListenerType
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.core.cluster.end_point import EndPoint
from kreactor.core.network.acceptor import Acceptor
from kreactor.core.network.companions import METRICS_GROUP, close_socket, number
from kreactor.core.network.connection_quotas import ConnectionQuotas
from kreactor.core.network.control_plane_acceptor import ControlPlaneAcceptor
from kreactor.core.network.data_plane_acceptor import DataPlaneAcceptor
from kreactor.core.network.processor import Processor
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.reconfigurable_configs import (
    SOCKET_SERVER_LISTENER_RECONFIGURABLE_CONFIGS,
    SOCKET_SERVER_RECONFIGURABLE_CONFIGS,
)
from kreactor.core.server.broker_reconfigurable import BrokerReconfigurable
from kreactor.core.utils.logging import Logging
from kreactor.jdk.concurrent import CompletableFuture
from kreactor.jdk.exceptions import TimeoutException
from kreactor.jdk.locks import ReentrantLock
from kreactor.jdk.net import InetAddress
from kreactor.jdk.time_unit import TimeUnit
from kreactor.security.credential_provider import CredentialProvider
from kreactor.server.metrics.kafka_metrics_group import KafkaMetricsGroup
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.server.util.future_utils import FutureUtils

if TYPE_CHECKING:
    from kreactor.core.server.api_version_manager import ApiVersionManager
    from kreactor.core.server.kafka_config import KafkaConfig


class SocketServer(Logging, BrokerReconfigurable):
    """Accepts connections, reads requests, writes responses.

    :origin: kafka.network.SocketServer
    :origin: kafka.network.SocketServer
    """

    METRICS_GROUP = METRICS_GROUP
    RECONFIGURABLE_CONFIGS = SOCKET_SERVER_RECONFIGURABLE_CONFIGS
    LISTENER_RECONFIGURABLE_CONFIGS = SOCKET_SERVER_LISTENER_RECONFIGURABLE_CONFIGS

    close_socket = staticmethod(close_socket)

    def __init__(
        self,
        config: KafkaConfig,
        metrics: Metrics,
        time: Time,
        api_version_manager: ApiVersionManager,
        metrics_registry: MetricsRegistry | None = None,
        credential_provider: CredentialProvider | None = None,
    ) -> None:
        """Make every listener of ``config``; their metrics go into ``metrics_registry``.

        Without a ``credential_provider`` SCRAM has no users.

        Raises KafkaException if a port 0 cannot be bound or descriptors are short, ConfigException for a
        protocol that has no channel builder; nothing is left open then.
        """
        self.config = config
        self.metrics = metrics
        self.time = time
        self.credential_provider = (
            CredentialProvider(ScramMechanism.mechanism_names()) if credential_provider is None
            else credential_provider)
        self.api_version_manager = api_version_manager
        self._metrics_group = KafkaMetricsGroup(SocketServer, metrics_registry)
        self._lock = ReentrantLock()

        self._max_queued_requests = config.queued_max_requests()

        self._node_id = config.broker_id()

        self._log_context = LogContext(
            f"[SocketServer listenerType={api_version_manager.listener_type().name}, "
            f"nodeId={self._node_id}] ")
        self._log_ident = self._log_context.log_prefix()

        self._memory_pool_sensor = metrics.sensor("MemoryPoolUtilization")
        self._memory_pool_depleted_percent_metric_name = metrics.metric_name(
            "MemoryPoolAvgDepletedPercent", METRICS_GROUP)
        self._memory_pool_depleted_time_metric_name = metrics.metric_name(
            "MemoryPoolDepletedTimeTotal", METRICS_GROUP)
        self._memory_pool_sensor.add(Meter(
            self._memory_pool_depleted_percent_metric_name, self._memory_pool_depleted_time_metric_name,
            unit=TimeUnit.MILLISECONDS))
        self._memory_pool: MemoryPool = MemoryPool.NONE
        if config.queued_max_bytes() > 0:
            self._memory_pool = SimpleMemoryPool(
                config.queued_max_bytes(), config.socket_request_max_bytes(), False, self._memory_pool_sensor)
        # Guarded by the lock.
        self._data_plane_acceptors: dict[EndPoint, DataPlaneAcceptor] = {}
        self.data_plane_request_channel = self._create_request_channel(
            self._max_queued_requests, DataPlaneAcceptor.METRIC_PREFIX, metrics_registry)
        self._control_plane_acceptor_opt: ControlPlaneAcceptor | None = None
        self.control_plane_request_channel_opt: RequestChannel | None = None
        if config.control_plane_listener_name() is not None:
            self.control_plane_request_channel_opt = self._create_request_channel(
                20, ControlPlaneAcceptor.METRIC_PREFIX, metrics_registry)

        self._next_processor_id = 0
        self.connection_quotas = ConnectionQuotas(config, time, metrics)

        # Complete once every authorizer is ready, whichever listener it is for.
        self._all_authorizer_futures_complete: CompletableFuture[None] = CompletableFuture()

        self._stopped = False

        self._metrics_group.new_gauge(
            f"{DataPlaneAcceptor.METRIC_PREFIX}NetworkProcessorAvgIdlePercent",
            self._data_plane_network_processor_avg_idle_percent)
        if config.requires_zookeeper():
            self._metrics_group.new_gauge(
                f"{ControlPlaneAcceptor.METRIC_PREFIX}NetworkProcessorAvgIdlePercent",
                self._control_plane_network_processor_avg_idle_percent)
        self._metrics_group.new_gauge("MemoryPoolAvailable", self._memory_pool.available_memory)
        self._metrics_group.new_gauge(
            "MemoryPoolUsed", lambda: self._memory_pool.size() - self._memory_pool.available_memory())
        self._metrics_group.new_gauge(
            f"{DataPlaneAcceptor.METRIC_PREFIX}ExpiredConnectionsKilledCount",
            self._data_plane_expired_connections_killed_count)
        if config.requires_zookeeper():
            self._metrics_group.new_gauge(
                f"{ControlPlaneAcceptor.METRIC_PREFIX}ExpiredConnectionsKilledCount",
                self._control_plane_expired_connections_killed_count)

        try:
            if api_version_manager.listener_type() is ListenerType.CONTROLLER:
                for end_point in config.controller_listeners():
                    self._create_data_plane_acceptor_and_processors(end_point)
            else:
                control_plane_listener = config.control_plane_listener()
                if control_plane_listener is not None:
                    self._create_control_plane_acceptor_and_processor(control_plane_listener)
                for end_point in config.data_plane_listeners():
                    self._create_data_plane_acceptor_and_processors(end_point)
        except Exception:
            # DEVIATION D08: the origin leaves open sockets to the end of the process.
            self.shutdown()
            raise

    def _data_plane_network_processor_avg_idle_percent(self) -> float:
        with self._lock:
            ratios = [min(self._value_of("io-wait-ratio", processor), 1.0)
                      for processor in self._data_plane_processors()]
            return sum(ratios) / len(ratios) if ratios else 1.0

    def _control_plane_network_processor_avg_idle_percent(self) -> float:
        with self._lock:
            if self._control_plane_acceptor_opt is None:
                return math.nan
            return min(self._value_of(
                "io-wait-ratio", self._control_plane_acceptor_opt.processors()[0]), 1.0)

    def _data_plane_expired_connections_killed_count(self) -> float:
        with self._lock:
            return sum(self._value_of("expired-connections-killed-count", processor)
                       for processor in self._data_plane_processors())

    def _control_plane_expired_connections_killed_count(self) -> float:
        with self._lock:
            if self._control_plane_acceptor_opt is None:
                return 0.0
            return self._value_of(
                "expired-connections-killed-count", self._control_plane_acceptor_opt.processors()[0])

    def _data_plane_processors(self) -> list[Processor]:
        return [processor for acceptor in self._data_plane_acceptors.values()
                for processor in acceptor.processors()]

    def _value_of(self, name: str, processor: Processor) -> float:
        metric = self.metrics.metric(self.metrics.metric_name(name, METRICS_GROUP, "", processor.metric_tags))
        return 0.0 if metric is None else number(metric.metric_value())

    def next_processor_id(self) -> int:
        """Return a number for a processor, unique in the server.

        :origin: kafka.network.SocketServer#nextProcessorId
        """
        with self._lock:
            id = self._next_processor_id
            self._next_processor_id += 1
            return id

    def enable_request_processing(
        self, authorizer_futures: Mapping[Endpoint, CompletableFuture[None]],
    ) -> CompletableFuture[None]:
        """Start every listener once its authorizer is ready.

        A listener that is not named in ``authorizer_futures`` starts when all of those are complete.
        Returns a future that is complete when all acceptors have started, exceptionally if one has not.
        Raises RuntimeError if the server is stopped.

        :origin: kafka.network.SocketServer#enableRequestProcessing
        """
        with self._lock:
            if self._stopped:
                raise RuntimeError("Can't enable request processing: SocketServer is stopped.")

            def chain_acceptor_future(acceptor: Acceptor) -> None:
                # By name: the endpoint of a listener on port 0 has its real port elsewhere.
                authorizer_future = self._all_authorizer_futures_complete
                for endpoint, future in authorizer_futures.items():
                    if acceptor.end_point.listener_name().value() == endpoint.listener_name():
                        authorizer_future = future
                        break
                authorizer_future.when_complete(lambda _, e: _start(acceptor, e))

            self.info("enabling request processing")
            if self._control_plane_acceptor_opt is not None:
                chain_acceptor_future(self._control_plane_acceptor_opt)
            for acceptor in self._data_plane_acceptors.values():
                chain_acceptor_future(acceptor)
            FutureUtils.chain_future(CompletableFuture.all_of(list(authorizer_futures.values())),
                                     self._all_authorizer_futures_complete)

            enable_future: CompletableFuture[None] = CompletableFuture()
            FutureUtils.chain_future(
                CompletableFuture.all_of([acceptor.started_future for acceptor in self._all_acceptors()]),
                enable_future)
            return enable_future

    def _all_acceptors(self) -> list[Acceptor]:
        acceptors: list[Acceptor] = list(self._data_plane_acceptors.values())
        if self._control_plane_acceptor_opt is not None:
            acceptors.append(self._control_plane_acceptor_opt)
        return acceptors

    def _create_data_plane_acceptor_and_processors(self, endpoint: EndPoint) -> None:
        """:origin: kafka.network.SocketServer#createDataPlaneAcceptorAndProcessors"""
        with self._lock:
            if self._stopped:
                raise RuntimeError(
                    "Can't create new data plane acceptor and processors: SocketServer is stopped.")
            parsed_configs = self.config.values_from_this_config_with_prefix_override(
                endpoint.listener_name().config_prefix())
            self.connection_quotas.add_listener(self.config, endpoint.listener_name())
            is_privileged_listener = (
                self.control_plane_request_channel_opt is None
                and self.config.inter_broker_listener_name() == endpoint.listener_name())
            data_plane_acceptor = self._create_data_plane_acceptor(
                endpoint, is_privileged_listener, self.data_plane_request_channel)
            self._data_plane_acceptors[endpoint] = data_plane_acceptor
            self.config.add_reconfigurable(data_plane_acceptor)
            data_plane_acceptor.configure(parsed_configs)
            self.info("created data-plane acceptor and processors for endpoint %s", endpoint.listener_name())

    def _create_control_plane_acceptor_and_processor(self, endpoint: EndPoint) -> None:
        """:origin: kafka.network.SocketServer#createControlPlaneAcceptorAndProcessor"""
        with self._lock:
            if self._stopped:
                raise RuntimeError(
                    "Can't create new control plane acceptor and processor: SocketServer is stopped.")
            assert self.control_plane_request_channel_opt is not None
            self.connection_quotas.add_listener(self.config, endpoint.listener_name())
            control_plane_acceptor = self._create_control_plane_acceptor(
                endpoint, self.control_plane_request_channel_opt)
            self._control_plane_acceptor_opt = control_plane_acceptor
            control_plane_acceptor.add_processors(1)
            self.info("created control-plane acceptor and processor for endpoint %s",
                      endpoint.listener_name())

    def _endpoints(self) -> dict[ListenerName, EndPoint]:
        """:origin: kafka.network.SocketServer#endpoints"""
        return {listener.listener_name(): listener for listener in self.config.listeners()}

    def _create_data_plane_acceptor(
        self, end_point: EndPoint, is_privileged_listener: bool, request_channel: RequestChannel,
    ) -> DataPlaneAcceptor:
        """Return an acceptor; tests give another one.

        :origin: kafka.network.SocketServer#createDataPlaneAcceptor
        """
        return DataPlaneAcceptor(
            self, end_point, self.config, self._node_id, self.connection_quotas, self.time,
            is_privileged_listener, request_channel, self.metrics, self._log_context, self._memory_pool,
            self.api_version_manager)

    def _create_control_plane_acceptor(
        self, end_point: EndPoint, request_channel: RequestChannel,
    ) -> ControlPlaneAcceptor:
        """:origin: kafka.network.SocketServer#createControlPlaneAcceptor"""
        return ControlPlaneAcceptor(
            self, end_point, self.config, self._node_id, self.connection_quotas, self.time, request_channel,
            self.metrics, self._log_context, self._memory_pool, self.api_version_manager)

    def _create_request_channel(self, queue_size: int, metric_name_prefix: str,
                                metrics_registry: MetricsRegistry | None) -> RequestChannel:
        """Return a request channel; tests give another one."""
        # DEVIATION D160: by a method, as acceptors and processors; the origin makes it in its constructor.
        return RequestChannel(
            queue_size, metric_name_prefix, self.time,
            self.api_version_manager.new_request_metrics(metrics_registry), metrics_registry)

    def begin_drain(self) -> None:
        """Accept no more connections and read no more requests; requests that were read get answers.

        To be followed by ``stop_processing_requests``, once ``is_drained``, or when that takes too long.
        """
        # DEVIATION D82: the origin, and kreactor.fidelity=strict, cut off the responses in progress. The
        # clients of a cluster ask the next broker.
        if self.config.is_strict():
            return
        with self._lock:
            for acceptor in self._all_acceptors():
                acceptor.stop_accepting()
                for processor in acceptor.processors():
                    processor.begin_drain()

    def is_drained(self) -> bool:
        """Return whether all requests from before ``begin_drain`` are answered."""
        with self._lock:
            return self.config.is_strict() or all(
                processor.is_drained()
                for acceptor in self._all_acceptors() for processor in acceptor.processors())

    def stop_processing_requests(self) -> None:
        """End acceptors and processors, close all connections, drop the requests that wait.

        Requests that handlers have are not waited for; their responses will be dropped.

        :origin: kafka.network.SocketServer#stopProcessingRequests
        """
        with self._lock:
            if not self._stopped:
                self._stopped = True
                self.info("stopping socket server request processors")
                for data_plane_acceptor in self._data_plane_acceptors.values():
                    data_plane_acceptor.begin_shutdown()
                if self._control_plane_acceptor_opt is not None:
                    self._control_plane_acceptor_opt.begin_shutdown()
                for data_plane_acceptor in self._data_plane_acceptors.values():
                    data_plane_acceptor.close()
                if self._control_plane_acceptor_opt is not None:
                    self._control_plane_acceptor_opt.close()
                self.data_plane_request_channel.clear()
                if self.control_plane_request_channel_opt is not None:
                    self.control_plane_request_channel_opt.clear()
                self.info("stopped socket server request processors")

    def shutdown(self) -> None:
        """Stop, unless stopped, and release metrics and quotas.

        :origin: kafka.network.SocketServer#shutdown
        """
        self.info("shutting down socket server")
        self._all_authorizer_futures_complete.complete_exceptionally(TimeoutException(
            "The socket server was shut down before the Authorizer could be completely initialized."))
        with self._lock:
            self.stop_processing_requests()
            self.data_plane_request_channel.shutdown()
            if self.control_plane_request_channel_opt is not None:
                self.control_plane_request_channel_opt.shutdown()
            self.connection_quotas.close()
        self.info("shutdown completed")

    def bound_port(self, listener_name: ListenerName) -> int:
        """Return the port of a listener, the real one if 0 was asked for. Raises KafkaException.

        :origin: kafka.network.SocketServer#boundPort
        """
        try:
            acceptor: Acceptor | None = self._data_plane_acceptors.get(self._endpoints()[listener_name])
            if acceptor is None:
                acceptor = self._control_plane_acceptor_opt
            if acceptor is None:
                raise KafkaException(
                    f"Could not find listenerName : {listener_name} in data-plane or control-plane")
            return acceptor.local_port()
        except Exception as e:
            raise KafkaException("Tried to check for port of non-existing protocol", e) from e

    def add_listeners(self, listeners_added: Sequence[EndPoint]) -> None:
        """Open listeners on the running server. Raises RuntimeError if it is stopped.

        Each starts when all authorizers are ready.

        :origin: kafka.network.SocketServer#addListeners
        """
        with self._lock:
            if self._stopped:
                raise RuntimeError("can't add new listeners: SocketServer is stopped.")
            self.info("adding data-plane listeners for endpoints %s", listeners_added)
            for endpoint in listeners_added:
                self._create_data_plane_acceptor_and_processors(endpoint)
                acceptor = self._data_plane_acceptors[endpoint]
                self._all_authorizer_futures_complete.when_complete(
                    lambda _, e, acceptor=acceptor: _start(acceptor, e))  # type: ignore[misc]

    def remove_listeners(self, listeners_removed: Sequence[EndPoint]) -> None:
        """Close listeners of the running server, their connections with them.

        :origin: kafka.network.SocketServer#removeListeners
        """
        with self._lock:
            self.info("removing data-plane listeners for endpoints %s", listeners_removed)
            for endpoint in listeners_removed:
                self.connection_quotas.remove_listener(self.config, endpoint.listener_name())
                acceptor = self._data_plane_acceptors.pop(endpoint, None)
                if acceptor is not None:
                    acceptor.begin_shutdown()
                    acceptor.close()
                    self.config.remove_reconfigurable(acceptor)

    def reconfigurable_configs(self) -> frozenset[str]:
        """:origin: kafka.network.SocketServer#reconfigurableConfigs"""
        return self.RECONFIGURABLE_CONFIGS

    def validate_reconfiguration(self, new_config: KafkaConfig) -> None:
        """Accept: the settings have been validated one by one.

        :origin: kafka.network.SocketServer#validateReconfiguration
        """

    def reconfigure(self, old_config: KafkaConfig, new_config: KafkaConfig) -> None:
        """Take over the limits of connections that have changed.

        :origin: kafka.network.SocketServer#reconfigure
        """
        max_connections_per_ip = new_config.max_connections_per_ip()
        if max_connections_per_ip != old_config.max_connections_per_ip():
            self.info("max connections per address are now %d", max_connections_per_ip)
            self.connection_quotas.update_max_connections_per_ip(max_connections_per_ip)
        max_connections_per_ip_overrides = new_config.max_connections_per_ip_overrides()
        if max_connections_per_ip_overrides != old_config.max_connections_per_ip_overrides():
            self.info("max connections by address are now %s", max_connections_per_ip_overrides)
            self.connection_quotas.update_max_connections_per_ip_override(max_connections_per_ip_overrides)
        max_connections = new_config.max_connections()
        if max_connections != old_config.max_connections():
            self.info("max connections of the broker are now %d", max_connections)
            self.connection_quotas.update_broker_max_connections(max_connections)
        max_connection_rate = new_config.max_connection_creation_rate()
        if max_connection_rate != old_config.max_connection_creation_rate():
            self.info("max connection creation rate of the broker is now %d", max_connection_rate)
            self.connection_quotas.update_broker_max_connection_rate(max_connection_rate)

    def connection_count(self, address: InetAddress) -> int:
        """Return how many connections an address has, for tests.

        :origin: kafka.network.SocketServer#connectionCount
        """
        return self.connection_quotas.get(address)

    def data_plane_acceptor(self, listener_name: str) -> DataPlaneAcceptor | None:
        """Return the acceptor of a listener, for tests.

        :origin: kafka.network.SocketServer#dataPlaneAcceptor
        """
        for end_point, acceptor in self._data_plane_acceptors.items():
            if end_point.listener_name().value() == listener_name:
                return acceptor
        return None


def _start(acceptor: Acceptor, authorizer_error: BaseException | None) -> None:
    """Start ``acceptor``, or let it fail with the authorizer it was waiting for."""
    if authorizer_error is not None:
        acceptor.started_future.complete_exceptionally(authorizer_error)
    else:
        acceptor.start()
