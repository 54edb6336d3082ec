# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.network.SocketServer of Apache Kafka 1.0.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Acceptors and processors, in one file as in the origin. The connection counts are those of ``v0_10_2``.

A listener has one acceptor and N processors; all share one request channel, with a queue of responses for
each processor, and one memory pool. The acceptor distributes connections in turn. Processors start later than
acceptors, when the broker is ready. An exception of one connection closes only that connection (KAFKA-5607).
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from functools import partial
from typing import TYPE_CHECKING, Mapping

from kreactor.common.errors import InvalidRequestException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.memory.simple_memory_pool import SimpleMemoryPool
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.stats.meter import Meter
from kreactor.common.network import channel_builder
from kreactor.common.network.channel_builders import ChannelBuilders
from kreactor.common.network.client_information import ClientInformation
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.selectable import Selectable
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.utils.kafka_thread import KafkaThread
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.common.utils.utils import Utils
from kreactor.core.cluster.broker_end_point import BrokerEndPoint
from kreactor.core.cluster.end_point import EndPoint
from kreactor.core.network.companions import INT_MAX_VALUE, METRICS_GROUP, number
from kreactor.core.server.kafka_apis import KafkaApis
from kreactor.core.utils.core_utils import CoreUtils
from kreactor.core.utils.logging import Logging
from kreactor.editions.metric_names import EditionMetricsGroup
from kreactor.editions.v0_10_2.common.network.send import Send
from kreactor.editions.v0_10_2.core.network.socket_server import ConnectionQuotas, TooManyConnectionsException
from kreactor.editions.v1_0.common.network.channel_builder import ChannelBuilder
from kreactor.editions.v1_0.common.network.kafka_channel import KafkaChannel
from kreactor.editions.v1_0.common.network.selector import Selector as KSelector
from kreactor.editions.v1_0.core.network.request_channel import (
    Request,
    RequestChannel,
    Response,
    ResponseAction,
)
from kreactor.jdk.atomic import AtomicBoolean
from kreactor.jdk.concurrent import ConcurrentLinkedQueue, CountDownLatch
from kreactor.jdk.exceptions import ControlThrowable, IllegalStateException
from kreactor.jdk.locks import Lock, ReentrantLock
from kreactor.jdk.net import InetAddress, InetSocketAddress, Socket
from kreactor.jdk.nio_channels import ServerSocketChannel, SocketChannel
from kreactor.jdk.nio_selector import SelectionKey, Selector as NSelector
from kreactor.jdk.time_unit import TimeUnit
from kreactor.security.credential_provider import CredentialProvider
from kreactor.server.metrics.yammer import MetricsRegistry

if TYPE_CHECKING:
    from kreactor.core.server.api_version_manager import ApiVersionManager
    from kreactor.core.server.kafka_config import KafkaConfig


class SocketServer(Logging):
    """The listeners of a broker.

    :origin: 1.0.2 kafka.network.SocketServer
    """

    def __init__(
        self,
        config: KafkaConfig,
        metrics: Metrics,
        time: Time,
        credential_provider: CredentialProvider,
        api_version_manager: ApiVersionManager,
        metrics_registry: MetricsRegistry | None = None,
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

        self._endpoints = {endpoint.listener_name(): endpoint for endpoint in config.listeners()}
        self._num_processor_threads = config.num_network_threads()
        self._max_queued_requests = config.queued_max_requests()
        self._total_processor_threads = self._num_processor_threads * len(self._endpoints)

        self._max_connections_per_ip = config.max_connections_per_ip()
        self._max_connections_per_ip_overrides = config.max_connections_per_ip_overrides()

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
        self.memory_pool: MemoryPool = MemoryPool.NONE
        if config.queued_max_bytes() > 0:
            self.memory_pool = SimpleMemoryPool(
                config.queued_max_bytes(), config.socket_request_max_bytes(), False, self._memory_pool_sensor)
        self.request_channel = RequestChannel(
            self._total_processor_threads, self._max_queued_requests,
            api_version_manager.new_request_metrics(metrics_registry), metrics_registry)
        self._processors: list[Processor | None] = [None] * self._total_processor_threads

        self.acceptors: dict[EndPoint, Acceptor] = {}
        self._connection_quotas: ConnectionQuotas | None = None
        self._stopped_processing_requests = False

        # The processor's thread is woken after each response.
        self.request_channel.add_response_listener(lambda id: self.processor(id).wakeup())

    def startup(self, startup_processors: bool = True) -> None:
        """Open every listener and start the acceptors; with ``startup_processors`` also start the processors.

        A broker starts the processors later, when it has loaded the clients' credentials. Until then
        connections wait. Raises KafkaException if a port cannot be bound, OSError if there are not enough
        descriptors.

        :origin: 1.0.2 kafka.network.SocketServer#startup
        """
        with self._lock:

            self._connection_quotas = ConnectionQuotas(
                self._max_connections_per_ip, self._max_connections_per_ip_overrides)

            send_buffer_size = self.config.socket_send_buffer_bytes()
            recv_buffer_size = self.config.socket_receive_buffer_bytes()
            broker_id = self.config.broker_id()

            processor_begin_index = 0
            for endpoint in self.config.listeners():
                listener_name = endpoint.listener_name()
                security_protocol = endpoint.security_protocol()
                processor_end_index = processor_begin_index + self._num_processor_threads

                for i in range(processor_begin_index, processor_end_index):
                    self._processors[i] = self.new_processor(
                        i, self._connection_quotas, listener_name, security_protocol, self.memory_pool)

                acceptor = Acceptor(
                    endpoint, send_buffer_size, recv_buffer_size, broker_id,
                    [self.processor(i) for i in range(processor_begin_index, processor_end_index)],
                    self._connection_quotas)
                self.acceptors[endpoint] = acceptor
                KafkaThread.non_daemon(
                    f"kafka-socket-acceptor-{listener_name}-{security_protocol.name}-{endpoint.port()}",
                    acceptor.run).start()
                acceptor.await_startup()

                processor_begin_index = processor_end_index
            if startup_processors:
                self.start_processors()

        self._metrics_group.new_gauge("NetworkProcessorAvgIdlePercent", self._avg_idle_percent)
        self._metrics_group.new_gauge("MemoryPoolAvailable", self.memory_pool.available_memory)
        self._metrics_group.new_gauge(
            "MemoryPoolUsed", lambda: self.memory_pool.size() - self.memory_pool.available_memory())
        self.info("started %d acceptor threads", len(self.acceptors))

    def _avg_idle_percent(self) -> float:
        # BUG until 2.0.1, KAFKA-7354: the value may be above 1.
        return sum(self._io_wait_ratio(processor) for processor in self._processors
                   if processor is not None) / self._total_processor_threads

    def _io_wait_ratio(self, processor: Processor) -> float:
        metric = self.metrics.metric(
            self.metrics.metric_name("io-wait-ratio", METRICS_GROUP, "", processor.metric_tags))
        return 0.0 if metric is None else number(metric.metric_value())

    def start_processors(self) -> None:
        """Start the processors that have not been started.

        :origin: 1.0.2 kafka.network.SocketServer#startProcessors
        """
        with self._lock:
            for acceptor in self.acceptors.values():
                acceptor.start_processors()
            self.info("started processors for %d acceptors", len(self.acceptors))

    def stop_processing_requests(self) -> None:
        """Stop all threads and close all connections.

        :origin: 1.0.2 kafka.network.SocketServer#stopProcessingRequests
        """
        self.info("stopping request processors")
        with self._lock:
            for acceptor in self.acceptors.values():
                acceptor.shutdown()
            for processor in self._processors:
                # DEVIATION D355: after a failed startup there are fewer processors, and some have never run;
                # the origin fails here, or leaves their selectors open.
                if processor is not None:
                    processor.shutdown()
                    processor.close_unstarted()
            self.request_channel.clear()
            self._stopped_processing_requests = True
        self.info("stopped request processors")

    def shutdown(self) -> None:
        """Stop everything that still runs, and remove the request metrics.

        :origin: 1.0.2 kafka.network.SocketServer#shutdown
        """
        self.info("shutting down")
        with self._lock:
            if not self._stopped_processing_requests:
                self.stop_processing_requests()
            self.request_channel.shutdown()
        self.info("shutdown completed")

    def bound_port(self, listener_name: ListenerName) -> int:
        """Return the bound port of a listener, also if port 0 was configured. Raises KafkaException.

        :origin: 1.0.2 kafka.network.SocketServer#boundPort
        """
        try:
            return self.acceptors[self._endpoints[listener_name]].server_channel.socket().get_local_port()
        except Exception as e:
            raise KafkaException(
                "Tried to check server's port before server was started or checked for port of "
                "non-existing protocol", e) from e

    def new_processor(
        self, id: int, connection_quotas: ConnectionQuotas, listener_name: ListenerName,
        security_protocol: SecurityProtocol, memory_pool: MemoryPool,
    ) -> Processor:
        """Return a new processor. Tests override this method.

        :origin: 1.0.2 kafka.network.SocketServer#newProcessor
        """
        return Processor(
            id, self.time, self.config.socket_request_max_bytes(), self.request_channel, connection_quotas,
            self.config.connections_max_idle_ms(), listener_name, security_protocol, self.config,
            self.metrics, self.credential_provider, memory_pool, self._log_context, self.api_version_manager)

    def connection_count(self, address: InetAddress) -> int:
        """Return the number of connections of an address, for tests.

        :origin: 1.0.2 kafka.network.SocketServer#connectionCount
        """
        return 0 if self._connection_quotas is None else self._connection_quotas.get(address)

    def processor(self, index: int) -> Processor:
        """Return a processor, for tests.

        :origin: 1.0.2 kafka.network.SocketServer#processor
        """
        processor = self._processors[index]
        assert processor is not None, "the server has not started"
        return processor


class AbstractServerThread(Logging, ABC):
    """The base class of acceptor and processor threads: start, shutdown, wake-up.

    :origin: 1.0.2 kafka.network.AbstractServerThread
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

        :origin: 1.0.2 kafka.network.AbstractServerThread#wakeup
        """

    def shutdown(self) -> None:
        """Stop the thread and wait for its end.

        :origin: 1.0.2 kafka.network.AbstractServerThread#shutdown
        """
        self._alive.set(False)
        self.wakeup()
        self._shutdown_latch.await_()

    def await_startup(self) -> None:
        """Wait until the thread runs.

        :origin: 1.0.2 kafka.network.AbstractServerThread#awaitStartup
        """
        self._startup_latch.await_()

    def _startup_complete(self) -> None:
        """:origin: 1.0.2 kafka.network.AbstractServerThread#startupComplete"""
        self._shutdown_latch = CountDownLatch(1)
        self._startup_latch.count_down()

    def _shutdown_complete(self) -> None:
        """:origin: 1.0.2 kafka.network.AbstractServerThread#shutdownComplete"""
        self._shutdown_latch.count_down()

    def _is_running(self) -> bool:
        """:origin: 1.0.2 kafka.network.AbstractServerThread#isRunning"""
        return self._alive.get()

    def close_channel(self, channel: SocketChannel | None) -> None:
        """Close a connection that no selector has, and subtract it from the counts.

        :origin: 1.0.2 kafka.network.AbstractServerThread#close
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

    :origin: 1.0.2 kafka.network.Acceptor
    """

    def __init__(
        self, end_point: EndPoint, send_buffer_size: int, recv_buffer_size: int, broker_id: int,
        processors: list[Processor], connection_quotas: ConnectionQuotas,
    ) -> None:
        """Open the port. Raises KafkaException, OSError."""
        super().__init__(connection_quotas)
        self.end_point = end_point
        self.send_buffer_size = send_buffer_size
        self.recv_buffer_size = recv_buffer_size
        self._broker_id = broker_id
        self._processors = processors
        self._lock = Lock()

        self._nio_selector = NSelector.open()
        try:
            self.server_channel = self._open_server_socket(end_point.host(), end_point.port())
        except BaseException:
            self._nio_selector.close()
            raise
        self._processors_started = AtomicBoolean()

    def start_processors(self) -> None:
        """Start the threads of the processors. A second call does nothing.

        :origin: 1.0.2 kafka.network.Acceptor#startProcessors
        """
        with self._lock:
            if not self._processors_started.get_and_set(True):
                for processor in self._processors:
                    processor.start(
                        f"kafka-network-thread-{self._broker_id}-{self.end_point.listener_name()}-"
                        f"{self.end_point.security_protocol().name}-{processor.id}")

    def run(self) -> None:
        """Accept until ``shutdown``.

        :origin: 1.0.2 kafka.network.Acceptor#run
        """
        self.server_channel.register(self._nio_selector, SelectionKey.OP_ACCEPT)
        self._startup_complete()
        try:
            current_processor = 0
            while self._is_running():
                try:
                    ready = self._nio_selector.select(500)
                    if ready > 0:
                        keys = self._nio_selector.selected_keys()
                        while keys and self._is_running():
                            try:
                                key, _ = keys.popitem()
                                if key.is_acceptable():
                                    self.accept(key, self._processors[current_processor])
                                else:
                                    raise IllegalStateException(
                                        "Unrecognized key state for acceptor thread.")

                                current_processor = (current_processor + 1) % len(self._processors)
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

        :origin: 1.0.2 kafka.network.Acceptor#openServerSocket
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

    def accept(self, key: SelectionKey, processor: Processor) -> None:
        """Accept a connection, and give it to ``processor``. Raises OSError.

        :origin: 1.0.2 kafka.network.Acceptor#accept
        """
        server_socket_channel: ServerSocketChannel = key.channel()
        socket_channel = server_socket_channel.accept()
        if socket_channel is None:
            return
        try:
            address = socket_channel.socket().get_inet_address()
            assert address is not None, "an accepted connection has a peer"
            self._connection_quotas.inc(address)
            # BUG until 3.2.0, KAFKA-13457: if setting an option fails, the connection stays open and counted.
            socket_channel.configure_blocking(False)
            socket_channel.socket().set_tcp_no_delay(True)
            socket_channel.socket().set_keep_alive(True)
            if self.send_buffer_size != Selectable.USE_DEFAULT_BUFFER_SIZE:
                socket_channel.socket().set_send_buffer_size(self.send_buffer_size)

            if self.is_debug_enabled():
                self.debug("accepted connection from %s and assigned it to processor %d",
                           socket_channel.socket().get_remote_socket_address(), processor.id)

            # BUG until 2.2.0, KAFKA-7719: the queue takes any number of connections, even if the processor is
            # busy.
            processor.accept(socket_channel)
        except TooManyConnectionsException as e:
            self.info("rejected connection from %s, which has the maximum of %d connections", e.ip, e.count)
            self.close_channel(socket_channel)

    def wakeup(self) -> None:
        """:origin: 1.0.2 kafka.network.Acceptor#wakeup"""
        self._nio_selector.wakeup()


class Processor(AbstractServerThread):
    """One network thread and its selector.

    :origin: 1.0.2 kafka.network.Processor
    """

    class ConnectionId:
        """``localAddr:localPort-remoteAddr:remotePort-index``: unique even if a peer's port is reused.

        :origin: 1.0.2 kafka.network.Processor.ConnectionId
        :origin: 1.0.2 kafka.network.Processor.ConnectionId
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

            :origin: 1.0.2 kafka.network.Processor.ConnectionId#fromString
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
            """:origin: 1.0.2 kafka.network.Processor.ConnectionId#toString"""
            return f"{self.local_host}:{self.local_port}-{self.remote_host}:{self.remote_port}-{self.index}"

    def __init__(
        self,
        id: int,
        time: Time,
        max_request_size: int,
        request_channel: RequestChannel,
        connection_quotas: ConnectionQuotas,
        connections_max_idle_ms: int,
        listener_name: ListenerName,
        security_protocol: SecurityProtocol,
        config: KafkaConfig,
        metrics: Metrics,
        credential_provider: CredentialProvider,
        memory_pool: MemoryPool,
        log_context: LogContext,
        api_version_manager: ApiVersionManager,
    ) -> None:
        """``max_request_size`` is in bytes. Raises KafkaException without a free descriptor."""
        super().__init__(connection_quotas)
        # Constant.
        self.id = id
        self._time = time
        self._max_request_size = max_request_size
        self._request_channel = request_channel
        self._connections_max_idle_ms = connections_max_idle_ms
        self._listener_name = listener_name
        self._security_protocol = security_protocol
        self._config = config
        self._max_elements = config.request_max_elements()
        self._metrics = metrics
        self._memory_pool = memory_pool
        self._log_context = log_context
        self._thread: KafkaThread | None = None

        # The acceptor fills this queue.
        self._new_connections: ConcurrentLinkedQueue[SocketChannel] = ConcurrentLinkedQueue()

        # Used by this thread only.
        self._inflight_responses: dict[str, Response] = {}
        # A counter in the connection ids, so that no id is reused while requests of its connection are
        # handled.
        self._next_connection_index = 0

        self.metric_tags: Mapping[str, str] = {
            "listener": listener_name.value(), "networkProcessor": str(id)}
        self._metrics_group = EditionMetricsGroup(Processor, request_channel.metrics_registry)
        io_wait_ratio = metrics.metric_name("io-wait-ratio", METRICS_GROUP, "", self.metric_tags)

        def idle_percent() -> float:
            metric = metrics.metric(io_wait_ratio)
            # BUG until 2.0.1, KAFKA-7354: the value may be above 1.
            return 0.0 if metric is None else number(metric.metric_value())

        # The selector's own metric also has the listener's name; this metric never had it.
        self._metrics_group.new_gauge("IdlePercent", idle_percent, {"networkProcessor": str(id)})

        self.selector = self._create_selector(ChannelBuilders.server_channel_builder(
            listener_name, listener_name == config.inter_broker_listener_name(), security_protocol, config,
            time, log_context, lambda: api_version_manager.api_version_response(throttle_time_ms=0),
            credential_provider.credential_cache))

    def _create_selector(self, parts: channel_builder.ChannelBuilder) -> KSelector:
        """Return the selector. Tests override this method.

        :origin: 1.0.2 kafka.network.Processor#createSelector
        """
        return KSelector(
            self._connections_max_idle_ms, self._metrics, self._time, "socket-server", ChannelBuilder(parts),
            self._log_context, max_receive_size=self._max_request_size, metric_tags=self.metric_tags,
            metrics_per_connection=False, record_time_per_connection=True, memory_pool=self._memory_pool)

    def start(self, thread_name: str) -> None:
        """Start the thread. Called by the acceptor."""
        self._thread = KafkaThread.non_daemon(thread_name, self.run)
        self._thread.start()
        # Otherwise an immediate shutdown would not wait for the thread.
        self.await_startup()

    def close_unstarted(self) -> None:
        """Close the connections if the thread has never run; otherwise wait for the thread."""
        if self._thread is None:
            self._close_all()
        else:
            self._thread.join()

    def run(self) -> None:
        """Run rounds until ``shutdown``; then close everything.

        :origin: 1.0.2 kafka.network.Processor#run
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
                    # Each of these catches exceptions of one connection, and closes that connection. Other
                    # exceptions must not end the thread, either, because all other connections depend on it.
                    self._process_exception("Processor got uncaught exception.", e)
        finally:
            self.debug("closing selector - processor %d", self.id)
            CoreUtils.swallow(self._close_all, self, logging.ERROR)
            self._shutdown_complete()

    def _process_exception(self, error_message: str, throwable: BaseException) -> None:
        """Log an exception, but re-raise one that ends the thread.

        :origin: 1.0.2 kafka.network.Processor#processException
        """
        if isinstance(throwable, ControlThrowable):
            raise throwable
        self.error("%s", error_message, exc=throwable)

    def _process_channel_exception(self, channel_id: str, error_message: str,
                                   throwable: BaseException) -> None:
        """:origin: 1.0.2 kafka.network.Processor#processChannelException"""
        if self.open_or_closing_channel(channel_id) is not None:
            self.error("closing socket for %s because of error", channel_id, exc=throwable)
            self._close_connection(channel_id)
        self._process_exception(error_message, throwable)

    def _process_new_responses(self) -> None:
        """:origin: 1.0.2 kafka.network.Processor#processNewResponses"""
        while (curr := self._request_channel.receive_response(self.id)) is not None:
            channel_id = curr.request.context.connection_id
            try:
                match curr.response_action:
                    case ResponseAction.NoOpAction:
                        # The client gets no response, and may have further requests in flight.
                        self._update_request_metrics(curr)
                        self.trace("no response to send, registering for read: %s", curr)
                        channel = self.open_or_closing_channel(channel_id)
                        if channel is not None:
                            self.selector.unmute(channel.id())
                    case ResponseAction.SendAction:
                        response_send = curr.response_send
                        if response_send is None:
                            raise IllegalStateException(
                                f"responseSend must be defined for SendAction, response: {curr}")
                        self.send_response(curr, response_send)
                    case ResponseAction.CloseConnectionAction:
                        self._update_request_metrics(curr)
                        self.trace("closing the connection, as the response says")
                        self._close_connection(channel_id)
            except BaseException as e:
                self._process_channel_exception(
                    channel_id, f"Exception while processing response for {channel_id}", e)

    def send_response(self, response: Response, response_send: Send) -> None:
        """Begin to send. Tests override this method.

        :origin: 1.0.2 kafka.network.Processor#sendResponse
        """
        connection_id = response.request.context.connection_id
        self.trace("response to %s, registering for write and sending data: %s", connection_id, response)
        # The client may have closed the channel, or the selector because it was idle for too long.
        if self.channel(connection_id) is None:
            self.warn("attempting to send response via channel for which there is no open connection, "
                      "connection id %s", connection_id)
            # BUG, in 3.8.0 too: the end of a closing channel records its response a second time.
            response.request.update_request_metrics(0, response)
        # A closing channel also gets the send: the send fails, and the channel is dropped with its staged
        # receives.
        if self.open_or_closing_channel(connection_id) is not None:
            self.selector.send(response_send)
            self._inflight_responses[connection_id] = response

    def _poll(self) -> None:
        """:origin: 1.0.2 kafka.network.Processor#poll"""
        try:
            self.selector.poll(300)
        except (IllegalStateException, OSError):
            # The completed results of the poll are handled even then. The log does not name the error.
            self.error("processor %d poll failed due to illegal state or IO exception", self.id)

    def _process_completed_receives(self) -> None:
        """:origin: 1.0.2 kafka.network.Processor#processCompletedReceives"""
        for receive in self.selector.completed_receives():
            try:
                channel = self.open_or_closing_channel(receive.source())
                if channel is None:
                    raise IllegalStateException(
                        f"Channel {receive.source()} removed from selector before processing completed "
                        "receive")
                # BUG, in 3.8.0 too: the memory of a request whose header cannot be parsed is never returned
                # to the pool.
                header = RequestHeader.parse(receive.payload())
                # DEVIATION D354: KafkaApis is that of 3.8.0, and needs the context of its requests. It has no
                # handler for some API keys that the parser of 3.8.0 knows; here these keys are unknown.
                if header.api_key() not in KafkaApis.ENABLED_APIS:
                    raise InvalidRequestException(f"Received request for disabled api key {header.api_key()}")
                context = RequestContext(
                    header, receive.source(), channel.socket_address(),  # type: ignore[arg-type]
                    channel.principal(), self._listener_name, self._security_protocol,
                    ClientInformation.EMPTY, False, max_elements=self._max_elements)
                req = Request(
                    self.id, context, self._time.nanoseconds(), self._memory_pool, receive.payload(),
                    self._request_channel.metrics)
                self._request_channel.send_request(req)
                self.selector.mute(receive.source())
            except BaseException as e:
                # The receive is complete, so its source is a connection of this selector.
                self._process_channel_exception(
                    receive.source(), f"Exception while processing request from {receive.source()}", e)

    def _process_completed_sends(self) -> None:
        """:origin: 1.0.2 kafka.network.Processor#processCompletedSends"""
        for send in self.selector.completed_sends():
            try:
                resp = self._inflight_responses.pop(send.destination(), None)
                if resp is None:
                    raise IllegalStateException(
                        f"Send for {send.destination()} completed, but not in `inflightResponses`")
                self._update_request_metrics(resp)
                self.selector.unmute(send.destination())
            except BaseException as e:
                self._process_channel_exception(
                    send.destination(), f"Exception while processing completed send to {send.destination()}",
                    e)

    def _update_request_metrics(self, response: Response) -> None:
        """:origin: 1.0.2 kafka.network.Processor#updateRequestMetrics"""
        request = response.request
        channel = self.open_or_closing_channel(request.context.connection_id)
        network_thread_time_nanos = (
            0 if channel is None else channel.get_and_reset_network_thread_time_nanos())
        request.update_request_metrics(network_thread_time_nanos, response)

    def _process_disconnected(self) -> None:
        """:origin: 1.0.2 kafka.network.Processor#processDisconnected"""
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
        """Close a connection, open or closing, and subtract it from the counts.

        A response that is being sent is dropped.

        :origin: 1.0.2 kafka.network.Processor#close
        """
        channel = self.open_or_closing_channel(connection_id)
        if channel is not None:
            self.debug("closing selector connection %s", connection_id)
            address = channel.socket_address()
            if address is not None:
                self._connection_quotas.dec(address)
            self.selector.close_id(connection_id)

            if (response := self._inflight_responses.pop(connection_id, None)) is not None:
                self._update_request_metrics(response)

    def accept(self, socket_channel: SocketChannel) -> None:
        """Queue a new connection. Called by the acceptor.

        :origin: 1.0.2 kafka.network.Processor#accept
        """
        self._new_connections.add(socket_channel)
        self.wakeup()

    def _configure_new_connections(self) -> None:
        """:origin: 1.0.2 kafka.network.Processor#configureNewConnections"""
        while (channel := self._new_connections.poll()) is not None:
            try:
                self.debug("processor %d listens to a new connection from %s", self.id,
                           channel.socket().get_remote_socket_address())
                self.selector.register(self._connection_id(channel.socket()), channel)
            except BaseException as e:
                remote_address = channel.socket().get_remote_socket_address()
                # Otherwise the socket would stay open.
                self.close_channel(channel)
                self._process_exception(f"Processor {self.id} closed connection from {remote_address}", e)

    def _close_all(self) -> None:
        """:origin: 1.0.2 kafka.network.Processor#closeAll"""
        # DEVIATION D353: new connections and closing ones are closed, too; the origin leaves them open and
        # counted. A failure of one does not keep the others open.
        while (new_connection := self._new_connections.poll()) is not None:
            CoreUtils.swallow(partial(self.close_channel, new_connection), self)
        for channel in self.selector.channels() + self.selector.closing_channels():
            CoreUtils.swallow(partial(self._close_connection, channel.id()), self)
        self.selector.close()

    def _connection_id(self, socket: Socket) -> str:
        """Return a new id for a connection. Tests override this method.

        :origin: 1.0.2 kafka.network.Processor#connectionId
        """
        local_host = socket.get_local_address().get_host_address()
        local_port = socket.get_local_port()
        remote = socket.get_inet_address()
        assert remote is not None, "an accepted connection has a peer"
        remote_host = remote.get_host_address()
        remote_port = socket.get_port()
        conn_id = str(Processor.ConnectionId(
            local_host, local_port, remote_host, remote_port, self._next_connection_index))
        self._next_connection_index = (
            0 if self._next_connection_index == INT_MAX_VALUE else self._next_connection_index + 1)
        return conn_id

    def inflight_response_count(self) -> int:
        """Return the number of responses that are being sent, for tests.

        :origin: 1.0.2 kafka.network.Processor#inflightResponseCount
        """
        return len(self._inflight_responses)

    def open_or_closing_channel(self, connection_id: str) -> KafkaChannel | None:
        """Return a channel, open or closing.

        Only methods that are safe after the disconnect may be called on a closing channel.

        :origin: 1.0.2 kafka.network.Processor#openOrClosingChannel
        """
        return self.selector.channel(connection_id) or self.selector.closing_channel(connection_id)

    def channel(self, connection_id: str) -> KafkaChannel | None:
        """Return an open channel, for tests.

        :origin: 1.0.2 kafka.network.Processor#channel
        """
        return self.selector.channel(connection_id)

    def num_staged_receives(self, connection_id: str) -> int:
        """Return the number of staged receives of a connection, for tests.

        :origin: 1.0.2 kafka.network.Processor#numStagedReceives
        """
        channel = self.open_or_closing_channel(connection_id)
        return 0 if channel is None else self.selector.num_staged_receives(channel)

    def wakeup(self) -> None:
        """Wake the thread from its select. Called by any thread.

        :origin: 1.0.2 kafka.network.Processor#wakeup
        """
        self.selector.wakeup()
