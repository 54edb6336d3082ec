# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.network.SocketServer of Apache Kafka 2.2.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Acceptors, processors and the counts of connections, in one file as in the origin.

A listener has one acceptor and N processors. The listeners of the data plane share one request channel. The
listener of the control plane, if there is one, has one processor and a request channel of its own. The
acceptor distributes connections in turn, to the next processor with room in its queue of new connections; if
no queue has room, it waits for the last one's (KAFKA-7719).

An exception in a round of a processor closes the connection that it is about, and the round goes on.
"""

from __future__ import annotations

import logging
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from kreactor.common.errors import InvalidRequestException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.memory.simple_memory_pool import SimpleMemoryPool
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.stats.cumulative_sum import CumulativeSum
from kreactor.common.metrics.stats.meter import Meter
from kreactor.common.network.channel_builders import ChannelBuilders
from kreactor.common.network.client_information import ClientInformation
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.selectable import Selectable
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.reconfigurable import Reconfigurable
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.utils.kafka_thread import KafkaThread
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.common.utils.utils import Utils
from kreactor.core.cluster.broker_end_point import BrokerEndPoint
from kreactor.core.cluster.end_point import EndPoint
from kreactor.core.network.companions import INT_MAX_VALUE, METRICS_GROUP, NO_CONFIG, number
from kreactor.core.server.kafka_apis import KafkaApis
from kreactor.core.utils.core_utils import CoreUtils
from kreactor.core.utils.logging import Logging
from kreactor.editions.metric_names import EditionMetricsGroup
from kreactor.editions.v0_10_2.common.network.send import Send
from kreactor.editions.v2_2.common.network.channel_builder import ChannelBuilder
from kreactor.editions.v2_2.common.network.kafka_channel import KafkaChannel
from kreactor.editions.v2_2.common.network.selector import Selector as KSelector
from kreactor.editions.v2_2.core.network.request_channel import (
    CloseConnectionResponse,
    EndThrottlingResponse,
    NoOpResponse,
    Request,
    RequestChannel,
    Response,
    SendResponse,
    StartThrottlingResponse,
)
from kreactor.jdk.atomic import AtomicBoolean
from kreactor.jdk.concurrent import ArrayBlockingQueue, CountDownLatch, LinkedBlockingDeque
from kreactor.jdk.exceptions import ControlThrowable, IllegalArgumentException, IllegalStateException
from kreactor.jdk.locks import Lock, ReentrantLock
from kreactor.jdk.net import InetAddress, InetSocketAddress, Socket
from kreactor.jdk.nio_channels import ServerSocketChannel, SocketChannel
from kreactor.jdk.nio_selector import SelectionKey, Selector as NSelector
from kreactor.jdk.time_unit import TimeUnit
from kreactor.security.credential_provider import CredentialProvider
from kreactor.server.metrics import yammer

if TYPE_CHECKING:
    from kreactor.core.server.api_version_manager import ApiVersionManager
    from kreactor.core.server.kafka_config import KafkaConfig

# The Scala companion objects of SocketServer and Processor.
DATA_PLANE_THREAD_PREFIX = "data-plane"
CONTROL_PLANE_THREAD_PREFIX = "control-plane"
DATA_PLANE_METRIC_PREFIX = ""
CONTROL_PLANE_METRIC_PREFIX = "ControlPlane"
IDLE_PERCENT_METRIC_NAME = "IdlePercent"
NETWORK_PROCESSOR_METRIC_TAG = "networkProcessor"
LISTENER_METRIC_TAG = "listener"
# The maximum number of connections that wait for registration by one processor.
CONNECTION_QUEUE_SIZE = 20

ChannelMuteEvent = KafkaChannel.ChannelMuteEvent


class SocketServer(Logging):
    """The listeners of a broker.

    :origin: 2.2.2 kafka.network.SocketServer
    :origin: 2.2.2 kafka.network.SocketServer
    """

    def __init__(
        self,
        config: KafkaConfig,
        metrics: Metrics,
        time: Time,
        credential_provider: CredentialProvider,
        api_version_manager: ApiVersionManager,
        metrics_registry: yammer.MetricsRegistry | None = None,
    ) -> None:
        """Create the objects; no listener is opened yet."""
        self.config = config
        self.metrics = metrics
        self.time = time
        self.credential_provider = credential_provider
        self.api_version_manager = api_version_manager
        self.metrics_registry = metrics_registry
        self._metrics_group = EditionMetricsGroup(SocketServer, metrics_registry)
        self._lock = ReentrantLock()

        self._max_queued_requests = config.queued_max_requests()

        self._log_context = LogContext(f"[SocketServer brokerId={config.broker_id()}] ")
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
        # The data plane.
        self._data_plane_processors: dict[int, Processor] = {}
        self.data_plane_acceptors: dict[EndPoint, Acceptor] = {}
        self.data_plane_request_channel = self._new_request_channel(
            self._max_queued_requests, DATA_PLANE_METRIC_PREFIX)
        # The control plane.
        self._control_plane_processor_opt: Processor | None = None
        self.control_plane_acceptor_opt: Acceptor | None = None
        self.control_plane_request_channel_opt: RequestChannel | None = None
        if config.control_plane_listener_name() is not None:
            self.control_plane_request_channel_opt = self._new_request_channel(
                20, CONTROL_PLANE_METRIC_PREFIX)

        self._next_processor_id = 0
        self._connection_quotas: ConnectionQuotas | None = None
        self._stopped_processing_requests = False

    def _new_request_channel(self, queue_size: int, metric_name_prefix: str) -> RequestChannel:
        return RequestChannel(
            queue_size, metric_name_prefix,
            self.api_version_manager.new_request_metrics(self.metrics_registry), self.metrics_registry)

    def startup(self, startup_processors: bool = True) -> None:
        """Open every listener and start the acceptors; with ``startup_processors`` also start the processors.

        Raises KafkaException if a port cannot be bound, OSError if there are not enough descriptors.

        :origin: 2.2.2 kafka.network.SocketServer#startup
        """
        with self._lock:
            self._connection_quotas = ConnectionQuotas(
                self.config.max_connections_per_ip(), self.config.max_connections_per_ip_overrides())
            self._create_control_plane_acceptor_and_processor(self.config.control_plane_listener())
            self._create_data_plane_acceptors_and_processors(
                self.config.num_network_threads(), self.config.data_plane_listeners())
            if startup_processors:
                self.start_control_plane_processor()
                self.start_data_plane_processors()

        group = self._metrics_group
        group.new_gauge(f"{DATA_PLANE_METRIC_PREFIX}NetworkProcessorAvgIdlePercent",
                        self._data_plane_network_processor_avg_idle_percent)
        group.new_gauge(f"{CONTROL_PLANE_METRIC_PREFIX}NetworkProcessorAvgIdlePercent",
                        self._control_plane_network_processor_avg_idle_percent)
        group.new_gauge("MemoryPoolAvailable", self._memory_pool.available_memory)
        group.new_gauge(
            "MemoryPoolUsed", lambda: self._memory_pool.size() - self._memory_pool.available_memory())
        group.new_gauge(f"{DATA_PLANE_METRIC_PREFIX}ExpiredConnectionsKilledCount",
                        self._data_plane_expired_connections_killed_count)
        group.new_gauge(f"{CONTROL_PLANE_METRIC_PREFIX}ExpiredConnectionsKilledCount",
                        self._control_plane_expired_connections_killed_count)
        self.info("started %d acceptor threads for data-plane", len(self.data_plane_acceptors))
        if self.control_plane_acceptor_opt is not None:
            self.info("started control-plane acceptor thread")

    def _data_plane_network_processor_avg_idle_percent(self) -> float:
        with self._lock:
            processors = self._data_plane_processors.values()
            return sum(min(self._value_of("io-wait-ratio", processor), 1.0)
                       for processor in processors) / len(processors)

    def _control_plane_network_processor_avg_idle_percent(self) -> float:
        with self._lock:
            processor = self._control_plane_processor_opt
            return math.nan if processor is None else min(self._value_of("io-wait-ratio", processor), 1.0)

    def _data_plane_expired_connections_killed_count(self) -> float:
        with self._lock:
            return sum(self._value_of("expired-connections-killed-count", processor)
                       for processor in self._data_plane_processors.values())

    def _control_plane_expired_connections_killed_count(self) -> float:
        with self._lock:
            processor = self._control_plane_processor_opt
            return 0.0 if processor is None else self._value_of("expired-connections-killed-count", processor)

    def _value_of(self, name: str, processor: Processor) -> float:
        metric = self.metrics.metric(self.metrics.metric_name(name, METRICS_GROUP, "", processor.metric_tags))
        return 0.0 if metric is None else number(metric.metric_value())

    def start_data_plane_processors(self) -> None:
        """Start the processors of the data plane's listeners that have not started yet.

        :origin: 2.2.2 kafka.network.SocketServer#startDataPlaneProcessors
        """
        with self._lock:
            for acceptor in self.data_plane_acceptors.values():
                acceptor.start_processors(DATA_PLANE_THREAD_PREFIX)
            self.info("started data-plane processors for %d acceptors", len(self.data_plane_acceptors))

    def start_control_plane_processor(self) -> None:
        """Start the control plane's processor, if it has not started yet.

        :origin: 2.2.2 kafka.network.SocketServer#startControlPlaneProcessor
        """
        with self._lock:
            if self.control_plane_acceptor_opt is not None:
                self.control_plane_acceptor_opt.start_processors(CONTROL_PLANE_THREAD_PREFIX)
                self.info("started control-plane processor for the control-plane acceptor")

    def _endpoints(self) -> dict[ListenerName, EndPoint]:
        """:origin: 2.2.2 kafka.network.SocketServer#endpoints"""
        return {listener.listener_name(): listener for listener in self.config.listeners()}

    def _create_data_plane_acceptors_and_processors(
        self, data_processors_per_listener: int, endpoints: Sequence[EndPoint],
    ) -> None:
        """:origin: 2.2.2 kafka.network.SocketServer#createDataPlaneAcceptorsAndProcessors"""
        with self._lock:
            for endpoint in endpoints:
                data_plane_acceptor = self._create_acceptor(endpoint, DATA_PLANE_METRIC_PREFIX)
                self._add_data_plane_processors(data_plane_acceptor, endpoint, data_processors_per_listener)
                KafkaThread.non_daemon(
                    f"data-plane-kafka-socket-acceptor-{endpoint.listener_name()}-"
                    f"{endpoint.security_protocol().name}-{endpoint.port()}", data_plane_acceptor.run).start()
                data_plane_acceptor.await_startup()
                self.data_plane_acceptors[endpoint] = data_plane_acceptor
                self.info("created data-plane acceptor and processors for endpoint : %s", endpoint)

    def _create_control_plane_acceptor_and_processor(self, endpoint: EndPoint | None) -> None:
        """:origin: 2.2.2 kafka.network.SocketServer#createControlPlaneAcceptorAndProcessor"""
        with self._lock:
            if endpoint is not None:
                request_channel = self.control_plane_request_channel_opt
                assert request_channel is not None, "there is a listener of the control plane"
                control_plane_acceptor = self._create_acceptor(endpoint, CONTROL_PLANE_METRIC_PREFIX)
                control_plane_processor = self.new_processor(
                    self._next_processor_id, request_channel, self._quotas(), endpoint.listener_name(),
                    endpoint.security_protocol(), self._memory_pool)
                self.control_plane_acceptor_opt = control_plane_acceptor
                self._control_plane_processor_opt = control_plane_processor
                request_channel.add_processor(control_plane_processor)
                self._next_processor_id += 1
                control_plane_acceptor.add_processors([control_plane_processor], CONTROL_PLANE_THREAD_PREFIX)
                KafkaThread.non_daemon(
                    f"{CONTROL_PLANE_THREAD_PREFIX}-kafka-socket-acceptor-{endpoint.listener_name()}-"
                    f"{endpoint.security_protocol().name}-{endpoint.port()}",
                    control_plane_acceptor.run).start()
                control_plane_acceptor.await_startup()
                self.info("created control-plane acceptor and processor for endpoint : %s", endpoint)

    def _create_acceptor(self, end_point: EndPoint, metric_prefix: str) -> Acceptor:
        """:origin: 2.2.2 kafka.network.SocketServer#createAcceptor"""
        with self._lock:
            return Acceptor(
                end_point, self.config.socket_send_buffer_bytes(), self.config.socket_receive_buffer_bytes(),
                self.config.broker_id(), self._quotas(), metric_prefix, self.metrics_registry)

    def _quotas(self) -> ConnectionQuotas:
        assert self._connection_quotas is not None, "made at the startup"
        return self._connection_quotas

    def _add_data_plane_processors(
        self, acceptor: Acceptor, endpoint: EndPoint, new_processors_per_listener: int,
    ) -> None:
        """:origin: 2.2.2 kafka.network.SocketServer#addDataPlaneProcessors"""
        with self._lock:
            listener_processors = []
            for _ in range(new_processors_per_listener):
                processor = self.new_processor(
                    self._next_processor_id, self.data_plane_request_channel, self._quotas(),
                    endpoint.listener_name(), endpoint.security_protocol(), self._memory_pool)
                listener_processors.append(processor)
                self.data_plane_request_channel.add_processor(processor)
                self._next_processor_id += 1
            for processor in listener_processors:
                self._data_plane_processors[processor.id] = processor
            acceptor.add_processors(listener_processors, DATA_PLANE_THREAD_PREFIX)

    def stop_processing_requests(self) -> None:
        """Stop acceptors and processors, close all connections, drop the queued requests.

        :origin: 2.2.2 kafka.network.SocketServer#stopProcessingRequests
        """
        self.info("stopping socket server request processors")
        with self._lock:
            # DEVIATION D392: processors that have never run close their selectors and connections; the origin
            # leaves these open, and an acceptor that waits for such a processor never ends (KAFKA-9796).
            for processor in self._all_processors():
                processor.close_unstarted()
            for acceptor in self.data_plane_acceptors.values():
                acceptor.shutdown()
            if self.control_plane_acceptor_opt is not None:
                self.control_plane_acceptor_opt.shutdown()
            for processor in self._all_processors():
                processor.shutdown()
            self.data_plane_request_channel.clear()
            if self.control_plane_request_channel_opt is not None:
                self.control_plane_request_channel_opt.clear()
            self._stopped_processing_requests = True
        self.info("stopped socket server request processors")

    def _all_processors(self) -> list[Processor]:
        control_plane = self._control_plane_processor_opt
        return [*self._data_plane_processors.values(), *([] if control_plane is None else [control_plane])]

    def resize_thread_pool(self, old_num_network_threads: int, new_num_network_threads: int) -> None:
        """Change the number of processors of each listener of the data plane.

        :origin: 2.2.2 kafka.network.SocketServer#resizeThreadPool
        """
        with self._lock:
            self.info("resizing network thread pool size for each data-plane listener from %d to %d",
                      old_num_network_threads, new_num_network_threads)
            if new_num_network_threads > old_num_network_threads:
                for endpoint, acceptor in self.data_plane_acceptors.items():
                    self._add_data_plane_processors(
                        acceptor, endpoint, new_num_network_threads - old_num_network_threads)
            elif new_num_network_threads < old_num_network_threads:
                # BUG until 3.2.0, KAFKA-7589: removed processors stay in the list, and count in the idle
                # percentage.
                for acceptor in self.data_plane_acceptors.values():
                    acceptor.remove_processors(
                        old_num_network_threads - new_num_network_threads, self.data_plane_request_channel)

    def shutdown(self) -> None:
        """Stop, if that has not been done, and remove the metrics from the registry.

        :origin: 2.2.2 kafka.network.SocketServer#shutdown
        """
        self.info("shutting down socket server")
        with self._lock:
            if not self._stopped_processing_requests:
                self.stop_processing_requests()
            self.data_plane_request_channel.shutdown()
            if self.control_plane_request_channel_opt is not None:
                self.control_plane_request_channel_opt.shutdown()
        self.info("shutdown completed")

    def bound_port(self, listener_name: ListenerName) -> int:
        """Return the bound port of a listener, also if port 0 was configured. Raises KafkaException.

        :origin: 2.2.2 kafka.network.SocketServer#boundPort
        """
        try:
            acceptor = self.data_plane_acceptors.get(self._endpoints()[listener_name])
            if acceptor is None:
                acceptor = self.control_plane_acceptor_opt
            if acceptor is None:
                raise KafkaException(
                    f"Could not find listenerName : {listener_name} in data-plane or control-plane")
            return acceptor.server_channel.socket().get_local_port()
        except Exception as e:
            raise KafkaException(
                "Tried to check server's port before server was started or checked for port of "
                "non-existing protocol", e) from e

    def add_listeners(self, listeners_added: Sequence[EndPoint]) -> None:
        """Open listeners of the data plane on the running server. Raises KafkaException, OSError.

        :origin: 2.2.2 kafka.network.SocketServer#addListeners
        """
        with self._lock:
            self.info("adding data-plane listeners for endpoints %s", listeners_added)
            self._create_data_plane_acceptors_and_processors(
                self.config.num_network_threads(), listeners_added)
            self.start_data_plane_processors()

    def remove_listeners(self, listeners_removed: Sequence[EndPoint]) -> None:
        """Close listeners of the running server and their connections.

        :origin: 2.2.2 kafka.network.SocketServer#removeListeners
        """
        with self._lock:
            self.info("removing data-plane listeners for endpoints %s", listeners_removed)
            # BUG until 3.2.0, KAFKA-7589: their processors stay in the list, and count there.
            for endpoint in listeners_removed:
                acceptor = self.data_plane_acceptors.pop(endpoint, None)
                if acceptor is not None:
                    acceptor.shutdown()

    def update_max_connections_per_ip(self, max_connections_per_ip: int) -> None:
        """:origin: 2.2.2 kafka.network.SocketServer#updateMaxConnectionsPerIp"""
        self.info("updating maxConnectionsPerIp: %d", max_connections_per_ip)
        self._quotas().update_max_connections_per_ip(max_connections_per_ip)

    def update_max_connections_per_ip_override(
        self, max_connections_per_ip_overrides: Mapping[str, int],
    ) -> None:
        """Raises OSError for an unknown host.

        :origin: 2.2.2 kafka.network.SocketServer#updateMaxConnectionsPerIpOverride
        """
        self.info("updating maxConnectionsPerIpOverrides: %s", max_connections_per_ip_overrides)
        self._quotas().update_max_connections_per_ip_override(max_connections_per_ip_overrides)

    def new_processor(
        self, id: int, request_channel: RequestChannel, connection_quotas: ConnectionQuotas,
        listener_name: ListenerName, security_protocol: SecurityProtocol, memory_pool: MemoryPool,
    ) -> Processor:
        """Return a new processor. Tests override this method.

        :origin: 2.2.2 kafka.network.SocketServer#newProcessor
        """
        return Processor(
            id, self.time, self.config.socket_request_max_bytes(), request_channel, connection_quotas,
            self.config.connections_max_idle_ms(), self.config.failed_authentication_delay_ms(),
            listener_name, security_protocol, self.config, self.metrics, self.credential_provider,
            memory_pool, self._log_context, self.api_version_manager)

    def connection_count(self, address: InetAddress) -> int:
        """Return the number of connections of an address, for tests.

        :origin: 2.2.2 kafka.network.SocketServer#connectionCount
        """
        return 0 if self._connection_quotas is None else self._connection_quotas.get(address)

    def data_plane_processor(self, index: int) -> Processor:
        """Return a processor, for tests. Raises KeyError.

        :origin: 2.2.2 kafka.network.SocketServer#dataPlaneProcessor
        """
        return self._data_plane_processors[index]


class AbstractServerThread(Logging, ABC):
    """The base class of acceptor and processor threads: start, shutdown, wake-up.

    :origin: 2.2.2 kafka.network.AbstractServerThread
    """

    def __init__(self, connection_quotas: ConnectionQuotas) -> None:
        self._connection_quotas = connection_quotas
        self._startup_latch = CountDownLatch(1)
        # Open until the thread runs, so that an earlier shutdown does not wait.
        self._shutdown_latch = CountDownLatch(0)
        self._alive = AtomicBoolean(True)

    @abstractmethod
    def wakeup(self) -> None:
        """Wake the thread from its select.

        :origin: 2.2.2 kafka.network.AbstractServerThread#wakeup
        """

    def shutdown(self) -> None:
        """Stop the thread and wait for its end.

        :origin: 2.2.2 kafka.network.AbstractServerThread#shutdown
        """
        if self._alive.get_and_set(False):
            self.wakeup()
        self._shutdown_latch.await_()

    def await_startup(self) -> None:
        """Wait until the thread runs.

        :origin: 2.2.2 kafka.network.AbstractServerThread#awaitStartup
        """
        self._startup_latch.await_()

    def _startup_complete(self) -> None:
        """:origin: 2.2.2 kafka.network.AbstractServerThread#startupComplete"""
        self._shutdown_latch = CountDownLatch(1)
        self._startup_latch.count_down()

    def _shutdown_complete(self) -> None:
        """:origin: 2.2.2 kafka.network.AbstractServerThread#shutdownComplete"""
        self._shutdown_latch.count_down()

    def _is_running(self) -> bool:
        """:origin: 2.2.2 kafka.network.AbstractServerThread#isRunning"""
        return self._alive.get()

    def close_channel(self, channel: SocketChannel | None) -> None:
        """Close a connection that no selector has, and subtract it from the counts.

        :origin: 2.2.2 kafka.network.AbstractServerThread#close(SocketChannel)
        """
        if channel is not None:
            self.debug("closing connection from %s", channel.socket().get_remote_socket_address())
            address = channel.socket().get_inet_address()
            assert address is not None, "an accepted connection has a peer"
            self._connection_quotas.dec(address)
            CoreUtils.swallow(channel.socket().close, self, logging.ERROR)
            CoreUtils.swallow(channel.close, self, logging.ERROR)


class Acceptor(AbstractServerThread):
    """Accepts the connections of one endpoint, and distributes them to processors in turn.

    :origin: 2.2.2 kafka.network.Acceptor
    """

    def __init__(
        self, end_point: EndPoint, send_buffer_size: int, recv_buffer_size: int, broker_id: int,
        connection_quotas: ConnectionQuotas, metric_prefix: str,
        metrics_registry: yammer.MetricsRegistry | None = None,
    ) -> None:
        """Open the port. Raises KafkaException, OSError."""
        super().__init__(connection_quotas)
        self.end_point = end_point
        self.send_buffer_size = send_buffer_size
        self.recv_buffer_size = recv_buffer_size
        self._broker_id = broker_id
        # Replaces the monitor of the acceptor in Scala.
        self._lock = ReentrantLock()

        self._nio_selector = NSelector.open()
        try:
            self.server_channel = self._open_server_socket(end_point.host(), end_point.port())
        except BaseException:
            self._nio_selector.close()
            raise
        # Guarded by the lock.
        self._processors: list[Processor] = []
        self._processors_started = AtomicBoolean()
        self._blocked_percent_meter = EditionMetricsGroup(Acceptor, metrics_registry).new_meter(
            f"{metric_prefix}AcceptorBlockedPercent", "blocked time", TimeUnit.NANOSECONDS,
            {LISTENER_METRIC_TAG: end_point.listener_name().value()})

    def add_processors(self, new_processors: Sequence[Processor], processor_thread_prefix: str) -> None:
        """Add processors; start them if the others have started.

        :origin: 2.2.2 kafka.network.Acceptor#addProcessors
        """
        with self._lock:
            self._processors.extend(new_processors)
            if self._processors_started.get():
                self._start_processors(new_processors, processor_thread_prefix)

    def start_processors(self, processor_thread_prefix: str) -> None:
        """Start the processors, at the first call.

        :origin: 2.2.2 kafka.network.Acceptor#startProcessors(String)
        """
        with self._lock:
            if not self._processors_started.get_and_set(True):
                self._start_processors(self._processors, processor_thread_prefix)

    def _start_processors(self, processors: Sequence[Processor], processor_thread_prefix: str) -> None:
        """:origin: 2.2.2 kafka.network.Acceptor#startProcessors(Seq, String)"""
        with self._lock:
            for processor in processors:
                processor.start(
                    f"{processor_thread_prefix}-kafka-network-thread-{self._broker_id}-"
                    f"{self.end_point.listener_name()}-{self.end_point.security_protocol().name}-"
                    f"{processor.id}")

    def remove_processors(self, remove_count: int, request_channel: RequestChannel) -> None:
        """Stop the last ``remove_count`` processors, and close their connections.

        They leave the list first, so that they get no more connections. They leave the request channel last;
        later responses to their connections are dropped.

        :origin: 2.2.2 kafka.network.Acceptor#removeProcessors
        """
        with self._lock:
            kept = len(self._processors) - remove_count
            to_remove = self._processors[kept:]
            del self._processors[kept:]
            for processor in to_remove:
                processor.shutdown()
            for processor in to_remove:
                request_channel.remove_processor(processor.id)

    def shutdown(self) -> None:
        """Stop the thread, then the processors.

        :origin: 2.2.2 kafka.network.Acceptor#shutdown
        """
        super().shutdown()
        with self._lock:
            for processor in self._processors:
                processor.shutdown()

    def run(self) -> None:
        """Accept until ``shutdown``.

        :origin: 2.2.2 kafka.network.Acceptor#run
        """
        self.server_channel.register(self._nio_selector, SelectionKey.OP_ACCEPT)
        self._startup_complete()
        try:
            current_processor_index = 0
            while self._is_running():
                try:
                    ready = self._nio_selector.select(500)
                    if ready > 0:
                        keys = self._nio_selector.selected_keys()
                        while keys and self._is_running():
                            try:
                                key, _ = keys.popitem()
                                if key.is_acceptable():
                                    socket_channel = self._accept(key)
                                    if socket_channel is not None:
                                        # The next processor with room in its queue; if no queue has room,
                                        # wait for the last processor's.
                                        with self._lock:
                                            retries_left = len(self._processors)
                                        while True:
                                            retries_left -= 1
                                            with self._lock:
                                                # There may be fewer processors than the last time.
                                                current_processor_index %= len(self._processors)
                                                processor = self._processors[current_processor_index]
                                            current_processor_index += 1
                                            if self._assign_new_connection(
                                                    socket_channel, processor, retries_left == 0):
                                                break
                                else:
                                    raise IllegalStateException(
                                        "Unrecognized key state for acceptor thread.")
                            except BaseException as e:
                                self.error("error while accepting connection", exc=e)
                except ControlThrowable:
                    raise
                except BaseException as e:
                    # An error of one connection must not stop the listener.
                    self.error("error occurred", exc=e)
        finally:
            self.debug("closing server socket and selector")
            CoreUtils.swallow(self.server_channel.close, self, logging.ERROR)
            CoreUtils.swallow(self._nio_selector.close, self, logging.ERROR)
            self._shutdown_complete()

    def _open_server_socket(self, host: str | None, port: int) -> ServerSocketChannel:
        """Raises KafkaException if the address is in use, or does not belong to this host.

        :origin: 2.2.2 kafka.network.Acceptor#openServerSocket
        """
        socket_address = InetSocketAddress(None if Utils.is_blank(host) else host, port)
        server_channel = ServerSocketChannel.open()
        try:
            server_channel.configure_blocking(False)
            if self.recv_buffer_size != Selectable.USE_DEFAULT_BUFFER_SIZE:
                server_channel.socket().set_receive_buffer_size(self.recv_buffer_size)
            server_channel.bind(socket_address)
            self.info("awaiting socket connections on %s:%d", socket_address.get_host_string(),
                      server_channel.socket().get_local_port())
        except Exception as e:
            Utils.close_quietly(server_channel, "server socket")
            if not isinstance(e, (OSError, ValueError)):
                raise
            raise KafkaException(
                f"Socket server failed to bind to {socket_address.get_host_string()}:{port}: "
                f"{getattr(e, 'strerror', None) or e}.", e) from e
        return server_channel

    def _accept(self, key: SelectionKey) -> SocketChannel | None:
        """Accept a connection; return None if its address has too many. Raises OSError.

        :origin: 2.2.2 kafka.network.Acceptor#accept
        """
        server_socket_channel: ServerSocketChannel = key.channel()
        socket_channel = server_socket_channel.accept()
        if socket_channel is None:
            return None
        try:
            address = socket_channel.socket().get_inet_address()
            assert address is not None, "an accepted connection has a peer"
            self._connection_quotas.inc(address)
            # BUG until 3.2.0, KAFKA-13457: an error of these four calls leaves the connection open and
            # counted.
            socket_channel.configure_blocking(False)
            socket_channel.socket().set_tcp_no_delay(True)
            socket_channel.socket().set_keep_alive(True)
            if self.send_buffer_size != Selectable.USE_DEFAULT_BUFFER_SIZE:
                socket_channel.socket().set_send_buffer_size(self.send_buffer_size)
            return socket_channel
        except TooManyConnectionsException as e:
            self.info("rejected connection from %s, which has the maximum of %d connections", e.ip, e.count)
            self.close_channel(socket_channel)
            return None

    def _assign_new_connection(
        self, socket_channel: SocketChannel, processor: Processor, may_block: bool,
    ) -> bool:
        """:origin: 2.2.2 kafka.network.Acceptor#assignNewConnection"""
        if processor.accept(socket_channel, may_block, self._blocked_percent_meter):
            if self.is_debug_enabled():
                self.debug("accepted connection from %s and assigned it to processor %d",
                           socket_channel.socket().get_remote_socket_address(), processor.id)
            return True
        return False

    def wakeup(self) -> None:
        """:origin: 2.2.2 kafka.network.Acceptor#wakeup"""
        self._nio_selector.wakeup()


class Processor(AbstractServerThread):
    """One network thread and its selector.

    :origin: 2.2.2 kafka.network.Processor
    :origin: 2.2.2 kafka.network.Processor
    """

    class ConnectionId:
        """``localAddr:localPort-remoteAddr:remotePort-index``: unique even if the kernel reuses a port.

        :origin: 2.2.2 kafka.network.Processor.ConnectionId
        :origin: 2.2.2 kafka.network.Processor.ConnectionId
        """

        __slots__ = ("local_host", "local_port", "remote_host", "remote_port", "index")

        def __init__(
            self, local_host: str, local_port: int, remote_host: str, remote_port: int, index: int,
        ) -> None:
            self.local_host = local_host
            self.local_port = local_port
            self.remote_host = remote_host
            self.remote_port = remote_port
            self.index = index

        @staticmethod
        def from_string(s: str) -> Processor.ConnectionId | None:
            """Parse a connection id; return None for other text.

            :origin: 2.2.2 kafka.network.Processor.ConnectionId#fromString
            """
            parts = s.split("-")
            if len(parts) != 3:
                return None
            local = BrokerEndPoint.parse_host_port(parts[0])
            remote = BrokerEndPoint.parse_host_port(parts[1])
            if local is None or remote is None:
                return None
            return Processor.ConnectionId(*local, *remote, int(parts[2]))

        def __str__(self) -> str:
            """:origin: 2.2.2 kafka.network.Processor.ConnectionId#toString"""
            return f"{self.local_host}:{self.local_port}-{self.remote_host}:{self.remote_port}-{self.index}"

    def __init__(
        self,
        id: int,
        time: Time,
        max_request_size: int,
        request_channel: RequestChannel,
        connection_quotas: ConnectionQuotas,
        connections_max_idle_ms: int,
        failed_authentication_delay_ms: int,
        listener_name: ListenerName,
        security_protocol: SecurityProtocol,
        config: KafkaConfig,
        metrics: Metrics,
        credential_provider: CredentialProvider,
        memory_pool: MemoryPool,
        log_context: LogContext,
        api_version_manager: ApiVersionManager,
        connection_queue_size: int = CONNECTION_QUEUE_SIZE,
    ) -> None:
        """``max_request_size`` is in bytes. Raises KafkaException without a free descriptor."""
        super().__init__(connection_quotas)
        # Constant.
        self.id = id
        self._time = time
        self._max_request_size = max_request_size
        self._request_channel = request_channel
        self._connections_max_idle_ms = connections_max_idle_ms
        self._failed_authentication_delay_ms = failed_authentication_delay_ms
        self._listener_name = listener_name
        self._security_protocol = security_protocol
        self._config = config
        self._max_elements = config.request_max_elements()
        self._metrics = metrics
        self._memory_pool = memory_pool
        self._log_context = log_context
        self._connection_queue_size = connection_queue_size
        self._metrics_group = EditionMetricsGroup(Processor, request_channel.metrics_registry)

        # Flags for any thread.
        self._thread: KafkaThread | None = None
        self._closed = False

        # Queues that the acceptor and the handlers fill.
        self._new_connections: ArrayBlockingQueue[SocketChannel] = ArrayBlockingQueue(connection_queue_size)
        self._response_queue: LinkedBlockingDeque[Response] = LinkedBlockingDeque()

        # Used by this thread only.
        self._inflight_responses: dict[str, Response] = {}

        self.metric_tags: Mapping[str, str] = {
            LISTENER_METRIC_TAG: listener_name.value(), NETWORK_PROCESSOR_METRIC_TAG: str(id)}
        io_wait_ratio = metrics.metric_name("io-wait-ratio", METRICS_GROUP, "", self.metric_tags)

        def idle_percent() -> float:
            metric = metrics.metric(io_wait_ratio)
            return 0.0 if metric is None else min(number(metric.metric_value()), 1.0)

        # The selector's own metric also has the listener's name; this metric never had it.
        self._metrics_group.new_gauge(
            IDLE_PERCENT_METRIC_NAME, idle_percent, {NETWORK_PROCESSOR_METRIC_TAG: str(id)})

        self.expired_connections_killed_count = CumulativeSum()
        self._expired_connections_killed_count_metric_name = metrics.metric_name(
            "expired-connections-killed-count", METRICS_GROUP, "", self.metric_tags)
        metrics.add_metric(
            self._expired_connections_killed_count_metric_name, self.expired_connections_killed_count)

        self.selector = self._create_selector(ChannelBuilder(ChannelBuilders.server_channel_builder(
            listener_name, listener_name == config.inter_broker_listener_name(), security_protocol, config,
            time, log_context, lambda: api_version_manager.api_version_response(throttle_time_ms=0),
            credential_provider.credential_cache)))
        # The counter in the connection ids, so that no id is reused while a request has it.
        self._next_connection_index = 0

    def _create_selector(self, channel_builder: ChannelBuilder) -> KSelector:
        """Return the selector. Tests override this method.

        :origin: 2.2.2 kafka.network.Processor#createSelector
        """
        if isinstance(channel_builder.builder, Reconfigurable):
            self._config.add_reconfigurable(channel_builder.builder)
        return KSelector(
            self._connections_max_idle_ms, self._metrics, self._time, "socket-server", channel_builder,
            self._log_context, max_receive_size=self._max_request_size,
            failed_authentication_delay_ms=self._failed_authentication_delay_ms,
            metric_tags=self.metric_tags, metrics_per_connection=False, record_time_per_connection=True,
            memory_pool=self._memory_pool)

    def start(self, thread_name: str) -> None:
        """Start the thread. Called by the acceptor."""
        thread = KafkaThread.non_daemon(thread_name, self.run)
        thread.start()
        self._thread = thread
        # Otherwise an immediate shutdown would not wait for the thread.
        self.await_startup()

    def close_unstarted(self) -> None:
        """Close the selector and the connections of a processor whose thread has never run."""
        if self._thread is None:
            self._close_all()

    def run(self) -> None:
        """Run rounds until ``shutdown``; then close everything.

        :origin: 2.2.2 kafka.network.Processor#run
        """
        self._startup_complete()
        try:
            while self._is_running():
                try:
                    self._configure_new_connections()
                    self._process_new_responses()
                    self._poll()
                    self._process_completed_receives()
                    self._process_completed_sends()
                    self._process_disconnected()
                except BaseException as e:
                    # Each call catches the errors of single connections, and closes these connections.
                    self._process_exception("Processor got uncaught exception.", e)
        finally:
            self.debug("closing selector - processor %d", self.id)
            CoreUtils.swallow(self._close_all, self, logging.ERROR)
            self._shutdown_complete()

    def _process_exception(self, error_message: str, throwable: BaseException) -> None:
        """Log ``throwable``, but re-raise an exception that ends the thread.

        :origin: 2.2.2 kafka.network.Processor#processException
        """
        if isinstance(throwable, ControlThrowable):
            raise throwable
        self.error("%s", error_message, exc=throwable)

    def _process_channel_exception(
        self, channel_id: str, error_message: str, throwable: BaseException,
    ) -> None:
        """:origin: 2.2.2 kafka.network.Processor#processChannelException"""
        if self.open_or_closing_channel(channel_id) is not None:
            self.error("closing socket for %s because of error", channel_id, exc=throwable)
            self._close_connection(channel_id)
        self._process_exception(error_message, throwable)

    def _process_new_responses(self) -> None:
        """:origin: 2.2.2 kafka.network.Processor#processNewResponses"""
        while (current_response := self._dequeue_response()) is not None:
            channel_id = current_response.request.context.connection_id
            try:
                match current_response:
                    case NoOpResponse():
                        # The client gets no response, and may have further requests in flight.
                        self._update_request_metrics(current_response)
                        self.trace("no response to send, registering for read: %s", current_response)
                        # A throttled channel stays muted until the throttling is over.
                        self._handle_channel_mute_event(channel_id, ChannelMuteEvent.RESPONSE_SENT)
                        self._try_unmute_channel(channel_id)

                    case SendResponse():
                        self.send_response(current_response, current_response.response_send)
                    case CloseConnectionResponse():
                        self._update_request_metrics(current_response)
                        self.trace("closing the connection, as the response says")
                        self._close_connection(channel_id)
                    case StartThrottlingResponse():
                        self._handle_channel_mute_event(channel_id, ChannelMuteEvent.THROTTLE_STARTED)
                    case EndThrottlingResponse():
                        # If a response is still due, the channel stays muted until it is sent.
                        self._handle_channel_mute_event(channel_id, ChannelMuteEvent.THROTTLE_ENDED)
                        self._try_unmute_channel(channel_id)
                    case _:
                        raise IllegalArgumentException(f"Unknown response type: {type(current_response)}")
            except BaseException as e:
                self._process_channel_exception(
                    channel_id, f"Exception while processing response for {channel_id}", e)

    def send_response(self, response: Response, response_send: Send) -> None:
        """Begin to send. Tests override this method.

        :origin: 2.2.2 kafka.network.Processor#sendResponse
        """
        connection_id = response.request.context.connection_id
        self.trace("response to %s, registering for write: %s", connection_id, response)
        if self.channel(connection_id) is None:
            # The channel was closed by the client, or because it was idle for too long.
            self.warn("attempting to send response via channel for which there is no open connection, "
                      "connection id %s", connection_id)
            # BUG, in 3.8.0 too (D17): the response of a closing channel is recorded a second time when its
            # end is reported.
            response.request.update_request_metrics(0, response)
        # A closing channel also gets the send: the send fails, and this completes the close.
        if self.open_or_closing_channel(connection_id) is not None:
            self.selector.send(response_send)
            self._inflight_responses[connection_id] = response

    def _poll(self) -> None:
        """:origin: 2.2.2 kafka.network.Processor#poll"""
        poll_timeout = 300 if self._new_connections.is_empty() else 0
        try:
            self.selector.poll(poll_timeout)
        except (IllegalStateException, OSError) as e:
            # The results of the incomplete poll are handled even then.
            self.error("processor %d poll failed", self.id, exc=e)

    def _process_completed_receives(self) -> None:
        """:origin: 2.2.2 kafka.network.Processor#processCompletedReceives"""
        for receive in self.selector.completed_receives():
            try:
                channel = self.open_or_closing_channel(receive.source())
                if channel is None:
                    raise IllegalStateException(
                        f"Channel {receive.source()} removed from selector before processing "
                        "completed receive")
                # BUG, in Kafka 3.8.0 too (D03): if this call or the parsing below raises, the memory is never
                # returned to the pool.
                header = RequestHeader.parse(receive.payload())
                # DEVIATION D354: KafkaApis is that of 3.8.0, and has no handler for some API keys that its
                # parser knows; here these keys are unknown.
                if header.api_key() not in KafkaApis.ENABLED_APIS:
                    raise InvalidRequestException(
                        f"Received request for disabled api key {header.api_key()}")
                if (header.api_key() is ApiKeys.SASL_HANDSHAKE
                        and channel.maybe_begin_server_reauthentication(receive, self._time.nanoseconds)):
                    self.trace("begin re-authentication: %s", channel)
                else:
                    now_nanos = self._time.nanoseconds()
                    if channel.server_authentication_session_expired(now_nanos):
                        # BUG until 2.4.0, KAFKA-9190: the channel is not closed, and the socket stays open
                        # until the idle expiry; the receive's memory is lost.
                        channel.disconnect()
                        self.debug("disconnected expired channel: %s : %s", channel, header)
                        self.expired_connections_killed_count.record(NO_CONFIG, 1, 0)
                    else:
                        connection_id = receive.source()
                        # A channel with a receive has a peer.
                        context = RequestContext(
                            header, connection_id, channel.socket_address(),  # type: ignore[arg-type]
                            channel.principal(), self._listener_name, self._security_protocol,
                            ClientInformation.EMPTY, False, max_elements=self._max_elements)
                        req = Request(
                            self.id, context, now_nanos, self._memory_pool, receive.payload(),
                            self._request_channel.metrics)
                        self._request_channel.send_request(req)
                        # The response may be queued already. It is handled in the next round.
                        self.selector.mute(connection_id)
                        self._handle_channel_mute_event(connection_id, ChannelMuteEvent.REQUEST_RECEIVED)
            except BaseException as e:
                # A complete receive has its source, whatever its content.
                self._process_channel_exception(
                    receive.source(), f"Exception while processing request from {receive.source()}", e)

    def _process_completed_sends(self) -> None:
        """:origin: 2.2.2 kafka.network.Processor#processCompletedSends"""
        for send in self.selector.completed_sends():
            try:
                response = self._inflight_responses.pop(send.destination(), None)
                if response is None:
                    raise IllegalStateException(
                        f"Send for {send.destination()} completed, but not in `inflightResponses`")
                self._update_request_metrics(response)

                if (on_complete := response.on_complete()) is not None:
                    on_complete(send)

                # A throttled channel stays muted until the throttling is over.
                self._handle_channel_mute_event(send.destination(), ChannelMuteEvent.RESPONSE_SENT)
                self._try_unmute_channel(send.destination())
            except BaseException as e:
                self._process_channel_exception(
                    send.destination(),
                    f"Exception while processing completed send to {send.destination()}", e)

    def _update_request_metrics(self, response: Response) -> None:
        """:origin: 2.2.2 kafka.network.Processor#updateRequestMetrics"""
        request = response.request
        channel = self.open_or_closing_channel(request.context.connection_id)
        network_thread_time_nanos = (
            0 if channel is None else channel.get_and_reset_network_thread_time_nanos())
        request.update_request_metrics(network_thread_time_nanos, response)

    def _process_disconnected(self) -> None:
        """:origin: 2.2.2 kafka.network.Processor#processDisconnected"""
        for connection_id in self.selector.disconnected():
            try:
                parsed = Processor.ConnectionId.from_string(connection_id)
                if parsed is None:
                    raise IllegalStateException(f"connectionId has unexpected format: {connection_id}")
                if (response := self._inflight_responses.pop(connection_id, None)) is not None:
                    self._update_request_metrics(response)
                # The selector has closed the channel, but does not know the connection quotas.
                self._connection_quotas.dec(InetAddress.get_by_name(parsed.remote_host))
            except BaseException as e:
                self._process_exception(f"Exception while processing disconnection of {connection_id}", e)

    def _close_connection(self, connection_id: str) -> None:
        """Close a connection and subtract it from the counts.

        A response under way is dropped, and its metrics are recorded. The selector does not report such a
        close. Does nothing if the selector has no such channel.

        :origin: 2.2.2 kafka.network.Processor#close(String)
        """
        if (channel := self.open_or_closing_channel(connection_id)) is not None:
            self.debug("closing selector connection %s", connection_id)
            if (address := channel.socket_address()) is not None:
                self._connection_quotas.dec(address)
            self.selector.close_id(connection_id)

            if (response := self._inflight_responses.pop(connection_id, None)) is not None:
                self._update_request_metrics(response)

    def accept(
        self, socket_channel: SocketChannel, may_block: bool, acceptor_idle_percent_meter: yammer.Meter,
    ) -> bool:
        """Queue a new connection.

        Called by the acceptor. Return whether there was room. With ``may_block`` the call waits for room, and
        records the time in nanoseconds in the meter.

        :origin: 2.2.2 kafka.network.Processor#accept
        """
        if self._new_connections.offer(socket_channel):
            accepted = True
        elif may_block:
            start_ns = self._time.nanoseconds()
            self._new_connections.put(socket_channel)
            acceptor_idle_percent_meter.mark(self._time.nanoseconds() - start_ns)
            accepted = True
        else:
            accepted = False
        if accepted:
            self.wakeup()
            if self._closed:
                # This method puts the connection, then reads the flag. `_close_all` sets the flag, then
                # empties the queue.
                self._close_new_connections()
        return accepted

    def _configure_new_connections(self) -> None:
        """Register queued connections, at most a queue's length, so that open connections get their turn.

        :origin: 2.2.2 kafka.network.Processor#configureNewConnections
        """
        connections_processed = 0
        while (connections_processed < self._connection_queue_size
               and (channel := self._new_connections.poll()) is not None):
            try:
                self.debug("processor %d listens to a new connection from %s", self.id,
                           channel.socket().get_remote_socket_address())
                self.selector.register(self._connection_id(channel.socket()), channel)
                connections_processed += 1
            except BaseException as e:
                remote_address = channel.socket().get_remote_socket_address()
                # Otherwise the socket would stay open.
                self.close_channel(channel)
                self._process_exception(
                    f"Processor {self.id} closed connection from {remote_address}", e)

    def _close_all(self) -> None:
        """:origin: 2.2.2 kafka.network.Processor#closeAll"""
        # DEVIATION D353: new connections and closing ones are closed, too; the origin leaves them open and
        # counted. A failure of one does not keep the others open.
        self._closed = True
        self._close_new_connections()
        for channel in [*self.selector.channels(), *self.selector.closing_channels()]:
            CoreUtils.swallow(partial(self._close_connection, channel.id()), self, logging.ERROR)
        self.selector.close()
        self._metrics_group.remove_metric(
            IDLE_PERCENT_METRIC_NAME, {NETWORK_PROCESSOR_METRIC_TAG: str(self.id)})

    def _close_new_connections(self) -> None:
        while (channel := self._new_connections.poll()) is not None:
            CoreUtils.swallow(partial(self.close_channel, channel), self, logging.ERROR)

    def _connection_id(self, socket: Socket) -> str:
        """Return a new id for a connection. Tests override this method.

        :origin: 2.2.2 kafka.network.Processor#connectionId
        """
        remote = socket.get_inet_address()
        assert remote is not None, "an accepted connection has a peer"
        conn_id = Processor.ConnectionId(
            socket.get_local_address().get_host_address(), socket.get_local_port(),
            remote.get_host_address(), socket.get_port(), self._next_connection_index)
        self._next_connection_index = (
            0 if self._next_connection_index == INT_MAX_VALUE else self._next_connection_index + 1)
        return str(conn_id)

    def enqueue_response(self, response: Response) -> None:
        """Queue a response, then wake the thread. Called by any thread.

        :origin: 2.2.2 kafka.network.Processor#enqueueResponse
        """
        self._response_queue.put(response)
        self.wakeup()

    def _dequeue_response(self) -> Response | None:
        """:origin: 2.2.2 kafka.network.Processor#dequeueResponse"""
        response = self._response_queue.poll()
        if response is not None:
            response.request.response_dequeue_time_nanos = Time.SYSTEM.nanoseconds()
        return response

    def response_queue_size(self) -> int:
        """Return the number of queued responses.

        :origin: 2.2.2 kafka.network.Processor#responseQueueSize
        """
        return self._response_queue.size()

    def inflight_response_count(self) -> int:
        """Return the number of responses that are being sent, for tests.

        :origin: 2.2.2 kafka.network.Processor#inflightResponseCount
        """
        return len(self._inflight_responses)

    def open_or_closing_channel(self, connection_id: str) -> KafkaChannel | None:
        """Return a channel, which may be disconnected: only methods that are safe then may be called.

        :origin: 2.2.2 kafka.network.Processor#openOrClosingChannel
        """
        return self.selector.channel(connection_id) or self.selector.closing_channel(connection_id)

    def _handle_channel_mute_event(self, connection_id: str, event: KafkaChannel.ChannelMuteEvent) -> None:
        """:origin: 2.2.2 kafka.network.Processor#handleChannelMuteEvent"""
        if (channel := self.open_or_closing_channel(connection_id)) is not None:
            channel.handle_channel_mute_event(event)

    def _try_unmute_channel(self, connection_id: str) -> None:
        """:origin: 2.2.2 kafka.network.Processor#tryUnmuteChannel"""
        if (channel := self.open_or_closing_channel(connection_id)) is not None:
            self.selector.unmute(channel.id())

    def channel(self, connection_id: str) -> KafkaChannel | None:
        """Return an open channel, for tests.

        :origin: 2.2.2 kafka.network.Processor#channel
        """
        return self.selector.channel(connection_id)

    def num_staged_receives(self, connection_id: str) -> int:
        """Return the number of staged receives of a connection, for tests.

        :origin: 2.2.2 kafka.network.Processor#numStagedReceives
        """
        channel = self.open_or_closing_channel(connection_id)
        return 0 if channel is None else self.selector.num_staged_receives(channel)

    def wakeup(self) -> None:
        """Wake the thread from its select. Called by any thread.

        :origin: 2.2.2 kafka.network.Processor#wakeup
        """
        self.selector.wakeup()

    def shutdown(self) -> None:
        """Stop the thread, and remove its metrics.

        :origin: 2.2.2 kafka.network.Processor#shutdown
        """
        super().shutdown()
        self._metrics_group.remove_metric(
            IDLE_PERCENT_METRIC_NAME, {NETWORK_PROCESSOR_METRIC_TAG: str(self.id)})
        self._metrics.remove_metric(self._expired_connections_killed_count_metric_name)


class ConnectionQuotas:
    """Counts the connections of each address. Called by any thread.

    :origin: 2.2.2 kafka.network.ConnectionQuotas
    """

    def __init__(self, default_max: int, override_quotas: Mapping[str, int]) -> None:
        """Raises OSError for an unknown host in ``override_quotas``."""
        self.default_max = default_max
        self._default_max_connections_per_ip = default_max
        self._max_connections_per_ip_overrides = _by_address(override_quotas)
        self._counts: dict[InetAddress, int] = {}
        self._lock = Lock()

    def inc(self, address: InetAddress) -> None:
        """Add a connection to the counts. Raises TooManyConnectionsException, after counting it.

        :origin: 2.2.2 kafka.network.ConnectionQuotas#inc
        """
        with self._lock:
            count = self._counts.setdefault(address, 0)
            self._counts[address] = count + 1
            max = self._max_connections_per_ip_overrides.get(address, self._default_max_connections_per_ip)
            if count >= max:
                raise TooManyConnectionsException(address, max)

    def update_max_connections_per_ip(self, max_connections_per_ip: int) -> None:
        """:origin: 2.2.2 kafka.network.ConnectionQuotas#updateMaxConnectionsPerIp"""
        self._default_max_connections_per_ip = max_connections_per_ip

    def update_max_connections_per_ip_override(self, override_quotas: Mapping[str, int]) -> None:
        """Raises OSError for an unknown host.

        :origin: 2.2.2 kafka.network.ConnectionQuotas#updateMaxConnectionsPerIpOverride
        """
        self._max_connections_per_ip_overrides = _by_address(override_quotas)

    def dec(self, address: InetAddress) -> None:
        """Subtract a connection from the counts. Raises IllegalArgumentException if the address has none.

        :origin: 2.2.2 kafka.network.ConnectionQuotas#dec
        """
        with self._lock:
            count = self._counts.get(address)
            if count is None:
                raise IllegalArgumentException(
                    "Attempted to decrease connection count for address with no connections, "
                    f"address: {address}")
            if count == 1:
                del self._counts[address]
            else:
                self._counts[address] = count - 1

    def get(self, address: InetAddress) -> int:
        """Return the number of connections of an address.

        :origin: 2.2.2 kafka.network.ConnectionQuotas#get
        """
        with self._lock:
            return self._counts.get(address, 0)


class TooManyConnectionsException(KafkaException):
    """An address has reached its maximum of connections.

    :origin: 2.2.2 kafka.network.TooManyConnectionsException
    """

    def __init__(self, ip: InetAddress, count: int) -> None:
        super().__init__(f"Too many connections from {ip} (maximum = {count})")
        self.ip = ip
        self.count = count


def _by_address(quotas: Mapping[str, int]) -> dict[InetAddress, int]:
    return {InetAddress.get_by_name(host): int(count) for host, count in quotas.items()}
