# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.network.SocketServer of Apache Kafka 0.10.2.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Acceptors, processors and the counts of connections, in one file as in the origin.

A listener has one acceptor and N processors; all share one request channel, with a queue of responses for
each processor. The acceptor distributes connections in turn. An exception in a processor's round, from any
connection, ends the round for all connections.
"""

from __future__ import annotations

import logging
from functools import partial
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Mapping

from kreactor.common.errors import InvalidRequestException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network import channel_builder
from kreactor.common.network.channel_builders import ChannelBuilders
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.selectable import Selectable
from kreactor.common.protocol.types.schema_exception import SchemaException
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.utils.kafka_thread import KafkaThread
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.common.utils.utils import Utils
from kreactor.core.cluster.broker_end_point import BrokerEndPoint
from kreactor.core.cluster.end_point import EndPoint
from kreactor.core.network.companions import METRICS_GROUP, number
from kreactor.core.utils.core_utils import CoreUtils
from kreactor.core.utils.logging import Logging
from kreactor.editions.metric_names import EditionMetricsGroup
from kreactor.editions.v0_10_2.common.network.channel_builder import ChannelBuilder
from kreactor.editions.v0_10_2.common.network.kafka_channel import KafkaChannel
from kreactor.editions.v0_10_2.common.network.network_receive import NetworkReceive
from kreactor.editions.v0_10_2.common.network.selector import Selector as KSelector
from kreactor.editions.v0_10_2.core.network.request_channel import (
    Request,
    RequestChannel,
    Response,
    ResponseAction,
    Session,
)
from kreactor.jdk.atomic import AtomicBoolean
from kreactor.jdk.concurrent import ConcurrentLinkedQueue, CountDownLatch, Event
from kreactor.jdk.exceptions import ControlThrowable, IllegalArgumentException, IllegalStateException
from kreactor.jdk.locks import Lock, ReentrantLock
from kreactor.jdk.net import InetAddress, InetSocketAddress
from kreactor.jdk.nio_channels import ServerSocketChannel, SocketChannel
from kreactor.jdk.nio_selector import SelectionKey, Selector as NSelector
from kreactor.security.credential_provider import CredentialProvider
from kreactor.server.metrics.yammer import MetricsRegistry

if TYPE_CHECKING:
    from kreactor.core.server.api_version_manager import ApiVersionManager
    from kreactor.core.server.kafka_config import KafkaConfig

_DEAD_PAUSE_S = 0.3


class SocketServer(Logging):
    """The listeners of a broker.

    :origin: 0.10.2.2 kafka.network.SocketServer
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

        self._log_ident = f"[Socket Server on Broker {config.broker_id()}], "

        self.request_channel = RequestChannel(
            self._total_processor_threads, self._max_queued_requests,
            api_version_manager.new_request_metrics(metrics_registry), metrics_registry)
        self._processors: list[Processor | None] = [None] * self._total_processor_threads

        self.acceptors: dict[EndPoint, Acceptor] = {}
        self._connection_quotas: ConnectionQuotas | None = None

        self._all_metric_names = [
            metrics.metric_name("io-wait-ratio", METRICS_GROUP, "", {"networkProcessor": str(i)})
            for i in range(self._total_processor_threads)]

        # The processor's thread is woken after each response.
        self.request_channel.add_response_listener(lambda id: self.processor(id).wakeup())

    def startup(self) -> None:
        """Open every listener and start all threads.

        Raises KafkaException if a port cannot be bound, OSError if there are not enough descriptors.

        :origin: 0.10.2.2 kafka.network.SocketServer#startup
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
                        i, self._connection_quotas, listener_name, security_protocol)

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

        self._metrics_group.new_gauge("NetworkProcessorAvgIdlePercent", self._avg_idle_percent)

        self.info("started %d acceptor threads", len(self.acceptors))

    def _avg_idle_percent(self) -> float:
        return sum(self._value(name) for name in self._all_metric_names) / self._total_processor_threads

    def _value(self, name: object) -> float:
        metric = self.metrics.metric(name)  # type: ignore[arg-type]
        return 0.0 if metric is None else number(metric.metric_value())

    def shutdown(self) -> None:
        """Stop all threads and close all connections.

        :origin: 0.10.2.2 kafka.network.SocketServer#shutdown
        """
        self.info("shutting down")
        with self._lock:
            for acceptor in self.acceptors.values():
                acceptor.shutdown()
            for processor in self._processors:
                # DEVIATION D355: after a failed startup there are fewer processors, and some have never run;
                # the origin fails here, or leaves their selectors open.
                if processor is not None:
                    processor.shutdown()
                    processor.close_unstarted()
            # DEVIATION D370: an aborted round may have lost a disconnection; its count ends here.
            if self._connection_quotas is not None:
                self._connection_quotas.forget()
        self.info("shutdown completed")

    def bound_port(self, listener_name: ListenerName) -> int:
        """Return the bound port of a listener, also if port 0 was configured. Raises KafkaException.

        :origin: 0.10.2.2 kafka.network.SocketServer#boundPort
        """
        try:
            return self.acceptors[self._endpoints[listener_name]].server_channel.socket().get_local_port()
        except Exception as e:
            raise KafkaException(
                "Tried to check server's port before server was started or checked for port of "
                "non-existing protocol", e) from e

    def new_processor(
        self, id: int, connection_quotas: ConnectionQuotas, listener_name: ListenerName,
        security_protocol: SecurityProtocol,
    ) -> Processor:
        """Return a new processor. Tests override this method.

        :origin: 0.10.2.2 kafka.network.SocketServer#newProcessor
        """
        return Processor(
            id, self.time, self.config.socket_request_max_bytes(), self.request_channel, connection_quotas,
            self.config.connections_max_idle_ms(), listener_name, security_protocol, self.config,
            self.metrics, self.credential_provider, self.api_version_manager)

    def connection_count(self, address: InetAddress) -> int:
        """Return the number of connections of an address, for tests.

        :origin: 0.10.2.2 kafka.network.SocketServer#connectionCount
        """
        return 0 if self._connection_quotas is None else self._connection_quotas.get(address)

    def processor(self, index: int) -> Processor:
        """Return a processor, for tests.

        :origin: 0.10.2.2 kafka.network.SocketServer#processor
        """
        processor = self._processors[index]
        assert processor is not None, "the server has not started"
        return processor


class AbstractServerThread(Logging, ABC):
    """The base class of acceptor and processor threads: start, shutdown, wake-up.

    :origin: 0.10.2.2 kafka.network.AbstractServerThread
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

        :origin: 0.10.2.2 kafka.network.AbstractServerThread#wakeup
        """

    def shutdown(self) -> None:
        """Stop the thread and wait for its end.

        :origin: 0.10.2.2 kafka.network.AbstractServerThread#shutdown
        """
        self._alive.set(False)
        self.wakeup()
        self._shutdown_latch.await_()

    def await_startup(self) -> None:
        """Wait until the thread runs.

        :origin: 0.10.2.2 kafka.network.AbstractServerThread#awaitStartup
        """
        self._startup_latch.await_()

    def _startup_complete(self) -> None:
        """:origin: 0.10.2.2 kafka.network.AbstractServerThread#startupComplete"""
        self._shutdown_latch = CountDownLatch(1)
        self._startup_latch.count_down()

    def _shutdown_complete(self) -> None:
        """:origin: 0.10.2.2 kafka.network.AbstractServerThread#shutdownComplete"""
        self._shutdown_latch.count_down()

    def _is_running(self) -> bool:
        """:origin: 0.10.2.2 kafka.network.AbstractServerThread#isRunning"""
        return self._alive.get()

    def close_connection(self, selector: KSelector, connection_id: str) -> None:
        """Close an open connection and count it out.

        :origin: 0.10.2.2 kafka.network.AbstractServerThread#close(KSelector, String)
        """
        channel = selector.channel(connection_id)
        if channel is not None:
            self.debug("closing selector connection %s", connection_id)
            address = channel.socket_address()
            if address is not None:
                self._connection_quotas.dec(address)
            selector.close_id(connection_id)

    def close_channel(self, channel: SocketChannel | None) -> None:
        """Close a connection that no selector has, and subtract it from the counts.

        :origin: 0.10.2.2 kafka.network.AbstractServerThread#close(SocketChannel)
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

    :origin: 0.10.2.2 kafka.network.Acceptor
    """

    def __init__(
        self, end_point: EndPoint, send_buffer_size: int, recv_buffer_size: int, broker_id: int,
        processors: list[Processor], connection_quotas: ConnectionQuotas,
    ) -> None:
        """Open the port and start the processors. Raises KafkaException, OSError."""
        super().__init__(connection_quotas)
        self.end_point = end_point
        self.send_buffer_size = send_buffer_size
        self.recv_buffer_size = recv_buffer_size
        self._processors = processors

        self._nio_selector = NSelector.open()
        try:
            self.server_channel = self._open_server_socket(end_point.host(), end_point.port())
        except BaseException:
            self._nio_selector.close()
            raise

        for processor in processors:
            processor.start(f"kafka-network-thread-{broker_id}-{end_point.listener_name()}-"
                            f"{end_point.security_protocol().name}-{processor.id}")

    def run(self) -> None:
        """Accept until ``shutdown``.

        :origin: 0.10.2.2 kafka.network.Acceptor#run
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

        :origin: 0.10.2.2 kafka.network.Acceptor#openServerSocket
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

        :origin: 0.10.2.2 kafka.network.Acceptor#accept
        """
        server_socket_channel: ServerSocketChannel = key.channel()
        socket_channel = server_socket_channel.accept()
        if socket_channel is None:
            return
        try:
            address = socket_channel.socket().get_inet_address()
            assert address is not None, "an accepted connection has a peer"
            self._connection_quotas.inc(address)
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
        """:origin: 0.10.2.2 kafka.network.Acceptor#wakeup"""
        self._nio_selector.wakeup()


class Processor(AbstractServerThread):
    """One network thread and its selector.

    :origin: 0.10.2.2 kafka.network.Processor
    """

    class ConnectionId:
        """``localAddr:localPort-remoteAddr:remotePort``. An id is reused when the peer's port is reused.

        :origin: 0.10.2.2 kafka.network.Processor.ConnectionId
        :origin: 0.10.2.2 kafka.network.Processor.ConnectionId
        """

        __slots__ = ("local_host", "local_port", "remote_host", "remote_port")

        def __init__(self, local_host: str, local_port: int, remote_host: str, remote_port: int) -> None:
            self.local_host = local_host
            self.local_port = local_port
            self.remote_host = remote_host
            self.remote_port = remote_port

        @staticmethod
        def from_string(s: str) -> Processor.ConnectionId | None:
            """Parse a connection id; return None for other text.

            :origin: 0.10.2.2 kafka.network.Processor.ConnectionId#fromString
            """
            parts = s.split("-")
            if len(parts) != 2:
                return None
            local = BrokerEndPoint.parse_host_port(parts[0])
            remote = BrokerEndPoint.parse_host_port(parts[1])
            if local is None or remote is None:
                return None
            return Processor.ConnectionId(*local, *remote)

        def __str__(self) -> str:
            """:origin: 0.10.2.2 kafka.network.Processor.ConnectionId#toString"""
            return f"{self.local_host}:{self.local_port}-{self.remote_host}:{self.remote_port}"

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
        api_version_manager: ApiVersionManager,
    ) -> None:
        """``max_request_size`` is in bytes. Raises KafkaException without a free descriptor."""
        super().__init__(connection_quotas)
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
        self._thread: KafkaThread | None = None
        self._is_dead = False
        self._pause = Event()

        # The acceptor fills this queue.
        self._new_connections: ConcurrentLinkedQueue[SocketChannel] = ConcurrentLinkedQueue()
        self._inflight_responses: dict[str, Response] = {}
        self.metric_tags: Mapping[str, str] = {"networkProcessor": str(id)}

        self._metrics_group = EditionMetricsGroup(Processor, request_channel.metrics_registry)
        io_wait_ratio = metrics.metric_name("io-wait-ratio", METRICS_GROUP, "", self.metric_tags)

        def idle_percent() -> float:
            metric = metrics.metric(io_wait_ratio)
            return 0.0 if metric is None else number(metric.metric_value())

        self._metrics_group.new_gauge("IdlePercent", idle_percent, self.metric_tags)

        self.selector = self._new_selector(ChannelBuilders.server_channel_builder(
            listener_name, listener_name == config.inter_broker_listener_name(), security_protocol, config,
            time, LogContext(), lambda: api_version_manager.api_version_response(throttle_time_ms=0),
            credential_provider.credential_cache))

    def _new_selector(self, parts: channel_builder.ChannelBuilder) -> KSelector:
        return KSelector(
            self._connections_max_idle_ms, self._metrics, self._time, "socket-server", ChannelBuilder(parts),
            max_receive_size=self._max_request_size, metric_tags=self.metric_tags,
            metrics_per_connection=False)

    def start(self, thread_name: str) -> None:
        """Start the thread. Called by the acceptor."""
        self._thread = KafkaThread.non_daemon(thread_name, self.run)
        self._thread.start()
        # Otherwise an immediate shutdown would not wait for the thread.
        self.await_startup()

    def close_unstarted(self) -> None:
        """Close the selector if the thread has never run; otherwise wait for the thread."""
        if self._thread is None:
            self.selector.close()
        else:
            self._thread.join()

    def run(self) -> None:
        """Run rounds until ``shutdown``; then close everything.

        :origin: 0.10.2.2 kafka.network.Processor#run
        """
        self._startup_complete()
        while self._is_running():
            try:
                self._configure_new_connections()
                self._process_new_responses()
                self._poll()
                self._process_completed_receives()
                self._process_completed_sends()
                self._process_disconnected()
            except ControlThrowable:
                raise
            except BaseException as e:
                # BUG until 1.0.0, KAFKA-5607: an error of one connection ends the round for all; the next
                # poll drops the other receives, sends and disconnections of this poll.
                self.error("processor got uncaught exception", exc=e)
                if self._is_dead:
                    # DEVIATION D356: the selector is closed, so each round ends here; the origin spins and
                    # fills its log.
                    self._pause.wait(_DEAD_PAUSE_S)

        self.debug("closing selector - processor %d", self.id)
        CoreUtils.swallow(self._close_all, self, logging.ERROR)
        self._shutdown_complete()

    def _process_new_responses(self) -> None:
        """:origin: 0.10.2.2 kafka.network.Processor#processNewResponses"""
        curr = self._request_channel.receive_response(self.id)
        while curr is not None:
            try:
                match curr.response_action:
                    case ResponseAction.NoOpAction:
                        # The client gets no response, and may have further requests in flight.
                        curr.request.update_request_metrics()
                        self.trace("no response to send, registering for read: %s", curr)
                        channel_id = curr.request.connection_id
                        if (self.selector.channel(channel_id) is not None
                                or self.selector.closing_channel(channel_id) is not None):
                            self.selector.unmute(channel_id)
                    case ResponseAction.SendAction:
                        self.send_response(curr)
                    case ResponseAction.CloseConnectionAction:
                        curr.request.update_request_metrics()
                        self.trace("closing the connection, as the response says")
                        self.close_connection(self.selector, curr.request.connection_id)
            finally:
                # BUG until 1.0.0, KAFKA-5790: an exception also drops the next response.
                curr = self._request_channel.receive_response(self.id)

    def send_response(self, response: Response) -> None:
        """Begin to send. Tests override this method.

        :origin: 0.10.2.2 kafka.network.Processor#sendResponse
        """
        self.trace("registering for write and sending data: %s", response)
        assert response.response_send is not None, "its action is to send"
        channel = self.selector.channel(response.response_send.destination())
        # The selector may have closed the channel meanwhile. BUG until 1.0.0, KAFKA-5595: a closing channel
        # with staged receives stays muted. Its descriptor and its count remain until the server ends.
        if channel is None:
            self.warn("attempting to send response via channel for which there is no open connection, "
                      "connection id %s", response.request.connection_id)
            response.request.update_request_metrics()
        else:
            self.selector.send(response.response_send)
            self._inflight_responses[response.request.connection_id] = response

    def _poll(self) -> None:
        """:origin: 0.10.2.2 kafka.network.Processor#poll"""
        try:
            self.selector.poll(300)
        except (IllegalStateException, OSError):
            # BUG until 1.0.0, KAFKA-5607: the processor closes itself, and the acceptor still assigns it
            # connections.
            self.error("closing processor %d due to illegal state or IO exception", self.id)
            CoreUtils.swallow(self._close_all, self)
            self._is_dead = True
            raise

    def _process_completed_receives(self) -> None:
        """:origin: 0.10.2.2 kafka.network.Processor#processCompletedReceives"""
        for receive in self.selector.completed_receives():
            try:
                open_channel = self.selector.channel(receive.source())
                # Only the methods that are safe after the disconnect may be called on a closing channel.
                channel = open_channel or self.selector.closing_channel(receive.source())
                req = self._new_request(receive, channel)
                self._request_channel.send_request(req)
                self.selector.mute(receive.source())
            except (InvalidRequestException, SchemaException) as e:
                self.error("closing socket for %s because of error", receive.source(), exc=e)
                # BUG until 1.0.0, KAFKA-5607: a closing channel is not found, and stays open.
                self.close_connection(self.selector, receive.source())

    def _new_request(self, receive: NetworkReceive, channel: KafkaChannel | None) -> Request:
        assert channel is not None, "the selector has handed out a receive of it"
        session = Session(
            KafkaPrincipal(KafkaPrincipal.USER_TYPE, channel.principal().get_name()),
            channel.socket_address())
        return Request(
            processor=self.id, connection_id=receive.source(), session=session, buffer=receive.payload(),
            start_time_ms=self._time.milliseconds(), listener_name=self._listener_name,
            security_protocol=self._security_protocol, metrics=self._request_channel.metrics,
            max_elements=self._max_elements)

    def _process_completed_sends(self) -> None:
        """:origin: 0.10.2.2 kafka.network.Processor#processCompletedSends"""
        for send in self.selector.completed_sends():
            resp = self._inflight_responses.pop(send.destination(), None)
            if resp is None:
                raise IllegalStateException(
                    f"Send for {send.destination()} completed, but not in `inflightResponses`")
            resp.request.update_request_metrics()
            self.selector.unmute(send.destination())

    def _process_disconnected(self) -> None:
        """:origin: 0.10.2.2 kafka.network.Processor#processDisconnected"""
        for connection_id in self.selector.disconnected():
            parsed = Processor.ConnectionId.from_string(connection_id)
            if parsed is None:
                raise IllegalStateException(f"connectionId has unexpected format: {connection_id}")
            if (response := self._inflight_responses.pop(connection_id, None)) is not None:
                response.request.update_request_metrics()
            # The selector has closed the channel, but does not know the connection quotas.
            self._connection_quotas.dec(InetAddress.get_by_name(parsed.remote_host))

    def accept(self, socket_channel: SocketChannel) -> None:
        """Queue a new connection. Called by the acceptor.

        :origin: 0.10.2.2 kafka.network.Processor#accept
        """
        self._new_connections.add(socket_channel)
        self.wakeup()

    def _configure_new_connections(self) -> None:
        """:origin: 0.10.2.2 kafka.network.Processor#configureNewConnections"""
        while (channel := self._new_connections.poll()) is not None:
            try:
                socket = channel.socket()
                self.debug("processor %d listens to a new connection from %s", self.id,
                           socket.get_remote_socket_address())
                remote = socket.get_inet_address()
                assert remote is not None, "an accepted connection has a peer"
                connection_id = str(Processor.ConnectionId(
                    socket.get_local_address().get_host_address(), socket.get_local_port(),
                    remote.get_host_address(), socket.get_port()))
                self.selector.register(connection_id, channel)
            except Exception as e:
                remote_address = channel.socket().get_remote_socket_address()
                # Otherwise the socket would stay open.
                self.close_channel(channel)
                self.error("processor %d closed connection from %s", self.id, remote_address, exc=e)

    def _close_all(self) -> None:
        """:origin: 0.10.2.2 kafka.network.Processor#closeAll"""
        # DEVIATION D353: new connections and closing ones are closed, too; the origin leaves them open and
        # counted. A failure of one does not keep the others open.
        while (new_connection := self._new_connections.poll()) is not None:
            CoreUtils.swallow(partial(self.close_channel, new_connection), self)
        for closing in self.selector.closing_channels():
            address = closing.socket_address()
            if address is not None:
                CoreUtils.swallow(partial(self._connection_quotas.dec, address), self)
        for channel in self.selector.channels():
            CoreUtils.swallow(partial(self.close_connection, self.selector, channel.id()), self)
        self.selector.close()

    def channel(self, connection_id: str) -> KafkaChannel | None:
        """Return an open channel, for tests.

        :origin: 0.10.2.2 kafka.network.Processor#channel
        """
        return self.selector.channel(connection_id)

    def wakeup(self) -> None:
        """Wake the thread from its select. Called by any thread.

        :origin: 0.10.2.2 kafka.network.Processor#wakeup
        """
        self.selector.wakeup()


class ConnectionQuotas:
    """Counts the connections of each address. Called by any thread.

    :origin: 0.10.2.2 kafka.network.ConnectionQuotas
    """

    def __init__(self, default_max: int, override_quotas: Mapping[str, int]) -> None:
        """Raises OSError for an unknown host in ``override_quotas``."""
        self.default_max = default_max
        self._overrides = {
            InetAddress.get_by_name(host): int(count) for host, count in override_quotas.items()}
        self._counts: dict[InetAddress, int] = {}
        self._lock = Lock()

    def inc(self, address: InetAddress) -> None:
        """Add a connection to the counts. Raises TooManyConnectionsException, after counting it.

        :origin: 0.10.2.2 kafka.network.ConnectionQuotas#inc
        """
        with self._lock:
            count = self._counts.setdefault(address, 0)
            self._counts[address] = count + 1
            max = self._overrides.get(address, self.default_max)
            if count >= max:
                raise TooManyConnectionsException(address, max)

    def dec(self, address: InetAddress) -> None:
        """Subtract a connection from the counts. Raises IllegalArgumentException if the address has none.

        :origin: 0.10.2.2 kafka.network.ConnectionQuotas#dec
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

    def forget(self) -> None:
        """Reset all counts, when no connection is left."""
        with self._lock:
            self._counts.clear()

    def get(self, address: InetAddress) -> int:
        """Return the number of connections of an address.

        :origin: 0.10.2.2 kafka.network.ConnectionQuotas#get
        """
        with self._lock:
            return self._counts.get(address, 0)


class TooManyConnectionsException(KafkaException):
    """An address has reached its maximum of connections.

    :origin: 0.10.2.2 kafka.network.TooManyConnectionsException
    """

    def __init__(self, ip: InetAddress, count: int) -> None:
        super().__init__(f"Too many connections from {ip} (maximum = {count})")
        self.ip = ip
        self.count = count
