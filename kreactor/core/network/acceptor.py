# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.network.Acceptor of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The thread of a listener that accepts connections and deals them out to the processors in turn.

It is where connection limits are enforced: it waits in ``ConnectionQuotas`` for a slot or for a rate to
fall, and in ``Processor.accept`` when every processor's queue is full; in both cases new connections
queue up in the kernel.

Locks: ``_lock`` guards ``_processors`` against those who add and remove processors at run time; Scala
synchronizes on the acceptor itself.
"""

from __future__ import annotations

import errno
import heapq
import logging
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from kreactor.common.kafka_exception import KafkaException
from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.selectable import Selectable
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.utils.kafka_thread import KafkaThread
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.common.utils.utils import Utils
from kreactor.core.cluster.end_point import EndPoint
from kreactor.core.network.companions import CONNECTION_QUEUE_SIZE, LISTENER_METRIC_TAG, close_socket
from kreactor.core.network.connection_quotas import (
    ConnectionQuotas,
    ConnectionThrottledException,
    TooManyConnectionsException,
)
from kreactor.core.network.processor import Processor
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.utils.core_utils import CoreUtils
from kreactor.core.utils.logging import Logging
from kreactor.jdk.concurrent import CompletableFuture
from kreactor.jdk.descriptors import is_in_reserve, is_next_in_reserve
from kreactor.jdk.exceptions import ClosedChannelException, ControlThrowable, IllegalStateException
from kreactor.jdk.locks import Lock, ReentrantLock
from kreactor.jdk.net import InetSocketAddress
from kreactor.jdk.nio_channels import ServerSocketChannel, SocketChannel
from kreactor.jdk.nio_selector import SelectionKey, Selector as NSelector
from kreactor.jdk.time_unit import TimeUnit
from kreactor.server.metrics.kafka_metrics_group import KafkaMetricsGroup

if TYPE_CHECKING:
    from kreactor.core.network.socket_server import SocketServer
    from kreactor.core.server.api_version_manager import ApiVersionManager
    from kreactor.core.server.kafka_config import KafkaConfig

# The errors of accept when the process or the host lacks a resource that may come back.
_OUT_OF_RESOURCES = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_OUT_OF_RESOURCES_PAUSE_MS = 100


class Acceptor(Logging, ABC):
    """Accepts the connections of one endpoint.

    :origin: kafka.network.Acceptor
    """

    # The class for ``new_processor``; tests and a fast broker set another one.
    PROCESSOR_CLASS: type[Processor] = Processor

    def __init__(
        self,
        socket_server: SocketServer,
        end_point: EndPoint,
        config: KafkaConfig,
        node_id: int,
        connection_quotas: ConnectionQuotas,
        time: Time,
        is_privileged_listener: bool,
        request_channel: RequestChannel,
        metrics: Metrics,
        log_context: LogContext,
        memory_pool: MemoryPool,
        api_version_manager: ApiVersionManager,
    ) -> None:
        """Open the port now if it is 0, so that it is known; otherwise in ``start``.

        An open port looks like a server that serves. Raises KafkaException if it cannot be bound, OSError
        if there is no descriptor for the selector.
        """
        self._metrics_group = KafkaMetricsGroup(Acceptor, request_channel.metrics_registry)
        self._log_ident = log_context.log_prefix()

        self._should_run = True
        self._shutdown_begun = False
        self._started = False
        self._flag_lock = Lock()
        self._lock = ReentrantLock()

        self.socket_server = socket_server
        self.end_point = end_point
        self.config = config
        self._node_id = node_id
        self.connection_quotas = connection_quotas
        self._time = time
        self._is_privileged_listener = is_privileged_listener
        self._request_channel = request_channel
        self._metrics = metrics
        self._log_context = log_context
        self._memory_pool = memory_pool
        self._api_version_manager = api_version_manager

        self._send_buffer_size = config.socket_send_buffer_bytes()
        self._recv_buffer_size = config.socket_receive_buffer_bytes()
        self._listen_backlog_size = config.socket_listen_backlog_size()

        self._nio_selector = NSelector.open()

        self._server_channel: ServerSocketChannel | None = None
        self._local_port = end_point.port()
        if end_point.port() == 0:
            try:
                self._server_channel = self._open_server_socket(
                    end_point.host(), end_point.port(), self._listen_backlog_size)
            except Exception:
                self._nio_selector.close()
                raise
            self._local_port = self._server_channel.socket().get_local_port()
            self.info("opened wildcard endpoint %s:%d", end_point.host(), self._local_port)

        # Guarded by the lock.
        self._processors: list[Processor] = []
        # The name is spelt out: it was there before the class.
        self._blocked_percent_meter_metric_name = KafkaMetricsGroup.explicit_metric_name(
            "kafka.network", "Acceptor", f"{self.metric_prefix()}AcceptorBlockedPercent",
            {LISTENER_METRIC_TAG: end_point.listener_name().value()})
        self._blocked_percent_meter = self._metrics_group.new_meter(
            self._blocked_percent_meter_metric_name, "blocked time", TimeUnit.NANOSECONDS)
        # Used by this thread alone.
        self._current_processor_index = 0
        # Whether the last connection has a descriptor of the reserve, so that no other is accepted for now.
        self._has_used_reserve = False
        # DEVIATION D05: a heap with the earliest first. Scala's queue, and kreactor.fidelity=strict, have the
        # latest first: under a steady stream of connections none is closed.
        self._delayed_close_socket = _LatestFirst if config.is_strict() else DelayedCloseSocket
        self._throttled_sockets: list[DelayedCloseSocket] = []
        self.started_future: CompletableFuture[None] = CompletableFuture()

        self.thread = KafkaThread.non_daemon(
            f"{self.thread_prefix()}-kafka-socket-acceptor-{end_point.listener_name()}-"
            f"{end_point.security_protocol().name}-{end_point.port()}",
            self.run)

    @abstractmethod
    def metric_prefix(self) -> str:
        """:origin: kafka.network.Acceptor#metricPrefix"""

    @abstractmethod
    def thread_prefix(self) -> str:
        """:origin: kafka.network.Acceptor#threadPrefix"""

    def local_port(self) -> int:
        """Return the port that is listened on."""
        return self._local_port

    def processors(self) -> list[Processor]:
        """Return the processors there are now, a copy."""
        with self._lock:
            return list(self._processors)

    def start(self) -> None:
        """Open the port if it is not open, start the processors and this thread.

        ``started_future`` tells how it went. Called by any thread.

        :origin: kafka.network.Acceptor#start
        """
        with self._lock:
            try:
                if not self._should_run:
                    raise ClosedChannelException("the acceptor is shut down")
                if self._server_channel is None:
                    self._server_channel = self._open_server_socket(
                        self.end_point.host(), self.end_point.port(), self._listen_backlog_size)
                    self.debug("opened endpoint %s:%d", self.end_point.host(), self.end_point.port())
                self.debug("starting processors for listener %s", self.end_point.listener_name())
                for processor in self._processors:
                    processor.start()
                self.debug("starting acceptor thread for listener %s", self.end_point.listener_name())
                self.thread.start()
                self.started_future.complete(None)
                self._started = True
            except ClosedChannelException as e:
                self.debug("not starting the acceptor of %s, which is shut down",
                           self.end_point.listener_name())
                self.started_future.complete_exceptionally(e)
            except Exception as e:
                self.error("unable to start acceptor for %s", self.end_point.listener_name(), exc=e)
                failure = RuntimeError(f"Unable to start acceptor for {self.end_point.listener_name()}")
                failure.__cause__ = e
                self.started_future.complete_exceptionally(failure)

    # DelayedCloseSocket: above.

    def remove_processors(self, remove_count: int) -> None:
        """Close the last ``remove_count`` processors, their connections with them.

        Out of the list first, so that they get no more connections; out of the request channel last:
        responses to their connections are dropped.

        :origin: kafka.network.Acceptor#removeProcessors
        """
        with self._lock:
            kept = len(self._processors) - remove_count
            to_remove = self._processors[kept:]
            del self._processors[kept:]
            for processor in to_remove:
                processor.close()
            for processor in to_remove:
                self._request_channel.remove_processor(processor.id)

    def stop_accepting(self) -> None:
        """Let this thread close the port and end; the processors go on. Called by any thread."""
        # DEVIATION D82: a first step towards the end, which the origin does in one.
        with self._flag_lock:
            self._should_run = False
        self.wakeup()

    def begin_shutdown(self) -> None:
        """Tell this thread and the processors to end.

        :origin: kafka.network.Acceptor#beginShutdown
        """
        with self._flag_lock:
            # Not the flag that ``stop_accepting`` has set, perhaps: who waits for a slot in the quotas gets
            # it from the processors, as they end.
            begun, self._shutdown_begun = self._shutdown_begun, True
            self._should_run = False
        if not begun:
            self.wakeup()
            with self._lock:
                for processor in self._processors:
                    processor.begin_shutdown()

    def close(self) -> None:
        """End this thread and the processors; close the port. Called by any thread but these.

        :origin: kafka.network.Acceptor#close
        """
        self.begin_shutdown()
        if self._started:
            self.thread.join()
        else:
            self._close_all()
        with self._lock:
            for processor in self._processors:
                processor.close()

    def run(self) -> None:
        """Accept until ``begin_shutdown``.

        :origin: kafka.network.Acceptor#run
        """
        assert self._server_channel is not None, "started without a port"
        self._server_channel.register(self._nio_selector, SelectionKey.OP_ACCEPT)
        try:
            while self._should_run:
                try:
                    self._accept_new_connections()
                    self._close_throttled_connections()
                except ControlThrowable:
                    raise
                except BaseException as e:
                    # Nothing that one connection does may end the listener.
                    self.error("error in the acceptor", exc=e)
        finally:
            self._close_all()

    def _close_all(self) -> None:
        """:origin: kafka.network.Acceptor#closeAll"""
        self.debug("closing the server socket, the selector and throttled sockets")
        if self._server_channel is not None:
            CoreUtils.swallow(self._server_channel.close, self, logging.ERROR)
        CoreUtils.swallow(self._nio_selector.close, self, logging.ERROR)
        for throttled_socket in self._throttled_sockets:
            close_socket(throttled_socket.socket, self)
        self._throttled_sockets.clear()
        # DEVIATION D15: the origin keeps the meter of a listener that is gone.
        self._metrics_group.remove_metric(self._blocked_percent_meter_metric_name)

    def _open_server_socket(
        self, host: str | None, port: int, listen_backlog_size: int,
    ) -> ServerSocketChannel:
        """Raises KafkaException if the address is in use, or none of this host's.

        :origin: kafka.network.Acceptor#openServerSocket
        """
        socket_address = InetSocketAddress(None if Utils.is_blank(host) else host, port)
        server_channel = ServerSocketChannel.open()
        try:
            server_channel.configure_blocking(False)
            if self._recv_buffer_size != Selectable.USE_DEFAULT_BUFFER_SIZE:
                server_channel.socket().set_receive_buffer_size(self._recv_buffer_size)
            server_channel.bind(socket_address, listen_backlog_size)
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

    def _accept_new_connections(self) -> None:
        """Wait up to 500 ms for connections; deal out those there are.

        :origin: kafka.network.Acceptor#acceptNewConnections
        """
        # DEVIATION D270
        if self._has_used_reserve and not self._has_descriptors_again():
            return
        ready = self._nio_selector.select(500)
        if ready > 0:
            keys = self._nio_selector.selected_keys()
            while keys and self._should_run:
                try:
                    key, _ = keys.popitem()

                    if key.is_acceptable():
                        socket_channel = self._accept(key)
                        if socket_channel is not None:
                            # The next processor in turn that has room; the last one asked is waited for.
                            with self._lock:
                                retries_left = len(self._processors)
                            while True:
                                retries_left -= 1
                                with self._lock:
                                    # Their number may have changed since the last time.
                                    self._current_processor_index %= len(self._processors)
                                    processor = self._processors[self._current_processor_index]
                                self._current_processor_index += 1
                                if self._assign_new_connection(socket_channel, processor, retries_left == 0):
                                    break
                    else:
                        raise IllegalStateException("Unrecognized key state for acceptor thread.")
                except BaseException as e:
                    self.error("error while accepting connection", exc=e)
                    # DEVIATION D06
                    if isinstance(e, OSError) and e.errno in _OUT_OF_RESOURCES:
                        self._wait_for_resources(key)

    def _has_descriptors_again(self) -> bool:
        """Return whether connections may be accepted; wait a moment if not."""
        # DEVIATION D270: the last descriptors are for the files of logs; in the origin connections take them.
        server_channel = self._server_channel
        assert server_channel is not None, "it has accepted a connection"
        if is_next_in_reserve(server_channel.fileno()):
            for key in self._nio_selector.keys():
                self._wait_for_resources(key)
            return False
        self._has_used_reserve = False
        self.warn("accepting connections again: descriptors are free")
        return True

    def _wait_for_resources(self, key: SelectionKey) -> None:
        """Wait a moment, or until a wakeup; connections wait in the kernel."""
        # DEVIATION D06: the origin tries again at once, and fills the log as fast as it can.
        key.interest_ops_to(0)
        self._nio_selector.select(_OUT_OF_RESOURCES_PAUSE_MS)
        key.interest_ops_to(SelectionKey.OP_ACCEPT)

    def _accept(self, key: SelectionKey) -> SocketChannel | None:
        """Return a new connection, counted and set up; None if it is refused, or gone already.

        Raises OSError if there is no descriptor for it.

        :origin: kafka.network.Acceptor#accept
        """
        server_socket_channel: ServerSocketChannel = key.channel()
        socket_channel = server_socket_channel.accept()
        if socket_channel is None:
            return None
        # DEVIATION D270
        if is_in_reserve(socket_channel.fileno()):
            self._has_used_reserve = True
            self.warn("not accepting connections: the last descriptors of the process are for the files of "
                      "logs. Raise its limit of open files (ulimit -n), or set max.connections.")
        address = socket_channel.socket().get_inet_address()
        assert address is not None, "an accepted connection has a peer"
        listener_name = self.end_point.listener_name()
        try:
            self.connection_quotas.inc(listener_name, address, self._blocked_percent_meter)
        except TooManyConnectionsException as e:
            self.info("rejected connection from %s, which has the maximum of %d connections", e.ip, e.count)
            self.connection_quotas.close_channel(self, listener_name, socket_channel)
            return None
        except ConnectionThrottledException as e:
            self.debug("closing the connection from %s in %d ms", address, e.throttle_time_ms)
            end_throttle_time_ms = e.start_throttle_time_ms + e.throttle_time_ms
            heapq.heappush(
                self._throttled_sockets, self._delayed_close_socket(socket_channel, end_throttle_time_ms))
            return None
        except BaseException:
            # DEVIATION D07: the listener may be removed while the connection waits for its quota. The origin
            # then leaves the connection, which is not counted, to the garbage collector.
            close_socket(socket_channel, self)
            raise
        # DEVIATION D07: a try of its own, because the connection is counted now. The origin has one for both.
        try:
            self._configure_accepted_socket_channel(socket_channel)
            return socket_channel
        except OSError as e:
            self.error("error while configuring the connection, closing it", exc=e)
            self.connection_quotas.close_channel(self, listener_name, socket_channel)
            return None

    def _configure_accepted_socket_channel(self, socket_channel: SocketChannel) -> None:
        """Tests do more here. Raises OSError.

        :origin: kafka.network.Acceptor#configureAcceptedSocketChannel
        """
        socket_channel.configure_blocking(False)
        socket_channel.socket().set_tcp_no_delay(True)
        socket_channel.socket().set_keep_alive(True)
        if self._send_buffer_size != Selectable.USE_DEFAULT_BUFFER_SIZE:
            socket_channel.socket().set_send_buffer_size(self._send_buffer_size)

    def _close_throttled_connections(self) -> None:
        """:origin: kafka.network.Acceptor#closeThrottledConnections"""
        time_ms = self._time.milliseconds()
        while self._throttled_sockets and self._throttled_sockets[0].end_throttle_time_ms < time_ms:
            closing_socket = heapq.heappop(self._throttled_sockets)
            self.debug("closing throttled connection from %s", closing_socket.socket.get_remote_address())
            close_socket(closing_socket.socket, self)

    def _assign_new_connection(
        self, socket_channel: SocketChannel, processor: Processor, may_block: bool,
    ) -> bool:
        """:origin: kafka.network.Acceptor#assignNewConnection"""
        if processor.accept(socket_channel, may_block, self._blocked_percent_meter):
            if self.is_debug_enabled():
                self.debug("accepted connection from %s and assigned it to processor %d",
                           socket_channel.socket().get_remote_socket_address(), processor.id)
            return True
        return False

    def wakeup(self) -> None:
        """:origin: kafka.network.Acceptor#wakeup"""
        self._nio_selector.wakeup()

    def add_processors(self, to_create: int) -> None:
        """Make processors; start them if this thread has been started. None once shutdown has begun.

        :origin: kafka.network.Acceptor#addProcessors
        """
        with self._lock:
            listener_name = self.end_point.listener_name()
            security_protocol = self.end_point.security_protocol()

            for _ in range(to_create):
                # DEVIATION D16: in the origin a processor made after `close` runs on, and no thread ends it.
                if not self._should_run:
                    break
                processor = self.new_processor(
                    self.socket_server.next_processor_id(), listener_name, security_protocol)
                # DEVIATION D14: each processor is kept as it is made. If the last one cannot be made, for
                # example without descriptors, the origin keeps none, and started processors run for ever.
                self._processors.append(processor)
                self._request_channel.add_processor(processor)

                if self._started:
                    try:
                        processor.start()
                    except RuntimeError:  # no more threads
                        self.remove_processors(1)
                        raise

    def new_processor(
        self, id: int, listener_name: ListenerName, security_protocol: SecurityProtocol,
    ) -> Processor:
        """Return a processor; tests give other ones.

        :origin: kafka.network.Acceptor#newProcessor
        """
        name = (f"{self.thread_prefix()}-kafka-network-thread-{self._node_id}-"
                f"{self.end_point.listener_name()}-{self.end_point.security_protocol().name}-{id}")
        return self.PROCESSOR_CLASS(
            id,
            self._time,
            self.config.socket_request_max_bytes(),
            self._request_channel,
            self.connection_quotas,
            self.config.connections_max_idle_ms(),
            self.config.failed_authentication_delay_ms(),
            listener_name,
            security_protocol,
            self.config,
            self._metrics,
            self._memory_pool,
            self._log_context,
            CONNECTION_QUEUE_SIZE,
            self._is_privileged_listener,
            self._api_version_manager,
            name,
            self.socket_server.credential_provider,
        )


class DelayedCloseSocket:
    """A connection that came too fast, to be closed at a time (ms). Ordered by that time.

    :origin: kafka.network.Acceptor.DelayedCloseSocket
    """

    __slots__ = ("socket", "end_throttle_time_ms")

    def __init__(self, socket: SocketChannel, end_throttle_time_ms: int) -> None:
        self.socket = socket
        self.end_throttle_time_ms = end_throttle_time_ms

    def __lt__(self, that: DelayedCloseSocket) -> bool:
        """:origin: kafka.network.Acceptor.DelayedCloseSocket#compare"""
        return self.end_throttle_time_ms < that.end_throttle_time_ms


class _LatestFirst(DelayedCloseSocket):
    """A connection in the order of Scala's PriorityQueue, whose head is its largest element."""

    __slots__ = ()

    def __lt__(self, that: DelayedCloseSocket) -> bool:
        return self.end_throttle_time_ms > that.end_throttle_time_ms
