# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.network.Processor of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A network thread: reads requests from its connections, passes them to the handlers, writes the responses.

``run`` is the whole of it: seven calls, again and again. Everything that comes from elsewhere comes
through two queues, new connections from the acceptor and responses from the handlers, each followed by a
wakeup of the selector.

Why no wakeup is lost. Another thread puts, then wakes; this thread empties the queues, then selects.
If the put comes before this thread looks, it is found. If it comes after, the wakeup comes after too, and
ends the select that follows or is under way (see ``jdk.wakeup``). Woken before it put, or looking after
the select only, the item would wait up to 300 ms for the next poll.

A request is in one place at a time: in the selector until its last byte is read, then in the request
channel and with a handler, its connection muted meanwhile; then, as a response, in ``_response_queue``,
in ``_inflight_responses`` while it is written, and done. The code that finds the connection gone
takes the request out and records it.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

from kreactor.common.errors import InvalidRequestException
from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.stats.cumulative_sum import CumulativeSum
from kreactor.common.network.channel_builder import ChannelBuilder
from kreactor.common.network.channel_builders import ChannelBuilders
from kreactor.common.network.client_information import ClientInformation
from kreactor.common.network.kafka_channel import KafkaChannel
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.network_send import NetworkSend
from kreactor.common.network.selector import Selector as KSelector
from kreactor.common.network.send import Send
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.reconfigurable import Reconfigurable
from kreactor.common.requests.api_versions_request import ApiVersionsRequest
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.utils.kafka_thread import KafkaThread
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.core.cluster.broker_end_point import BrokerEndPoint
from kreactor.core.network.companions import (
    INT_MAX_VALUE,
    LISTENER_METRIC_TAG,
    METRICS_GROUP,
    NETWORK_PROCESSOR_METRIC_TAG,
    NO_CONFIG,
    number,
)
from kreactor.core.network.connection_quotas import ConnectionQuotas
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.utils.core_utils import CoreUtils
from kreactor.core.utils.logging import Logging
from kreactor.jdk.atomic import AtomicBoolean
from kreactor.jdk.concurrent import ArrayBlockingQueue, LinkedBlockingDeque
from kreactor.jdk.exceptions import ControlThrowable, IllegalArgumentException, IllegalStateException
from kreactor.jdk.net import InetAddress, Socket
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import SocketChannel
from kreactor.server.metrics.kafka_metrics_group import KafkaMetricsGroup
from kreactor.server.metrics.yammer import Meter

if TYPE_CHECKING:
    from kreactor.core.server.api_version_manager import ApiVersionManager
    from kreactor.core.server.kafka_config import KafkaConfig
    from kreactor.security.credential_provider import CredentialProvider

IDLE_PERCENT_METRIC_NAME = "IdlePercent"

ChannelMuteEvent = KafkaChannel.ChannelMuteEvent
_RESPONSE_PENDING = (KafkaChannel.ChannelMuteState.MUTED_AND_RESPONSE_PENDING,
                     KafkaChannel.ChannelMuteState.MUTED_AND_THROTTLED_AND_RESPONSE_PENDING)


def _no_release() -> None:
    """Another thread has the memory."""


class Processor(Logging):
    """One network thread and its selector.

    :origin: kafka.network.Processor
    :origin: kafka.network.Processor
    """

    # The class for ``_create_selector``; a fast broker sets another one.
    SELECTOR_CLASS: type[KSelector] = KSelector

    class ConnectionId:
        """``localAddr:localPort-remoteAddr:remotePort-index``: unique, even when the kernel reuses a port.

        :origin: kafka.network.Processor.ConnectionId
        :origin: kafka.network.Processor.ConnectionId
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
            """Parse ``s``; return None if it is not a connection id.

            :origin: kafka.network.Processor.ConnectionId#fromString
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
            """:origin: kafka.network.Processor.ConnectionId#toString"""
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
        memory_pool: MemoryPool,
        log_context: LogContext,
        connection_queue_size: int,
        is_privileged_listener: bool,
        api_version_manager: ApiVersionManager,
        thread_name: str,
        credential_provider: CredentialProvider | None = None,
    ) -> None:
        """``is_privileged_listener`` marks requests that may be forwarded on behalf of others.

        ``max_request_size`` is in bytes. Raises KafkaException if there is no descriptor for the selector,
        ConfigException for a protocol that has no channel builder.
        """
        # Constant.
        self.id = id
        self._time = time
        self._max_request_size = max_request_size
        self._request_channel = request_channel
        self._connection_quotas = connection_quotas
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
        self._is_privileged_listener = is_privileged_listener
        self._api_version_manager = api_version_manager
        self._metrics_group = KafkaMetricsGroup(Processor, request_channel.metrics_registry)
        self._log_ident = log_context.log_prefix()
        self.thread = KafkaThread.non_daemon(thread_name, self.run)

        # Flags that any thread may flip.
        self.should_run = AtomicBoolean(True)
        self._started = AtomicBoolean()
        self._closed = False
        self._draining = False
        self._drained = False

        # Queues that other threads fill: the acceptor, and the handlers.
        self._new_connections: ArrayBlockingQueue[SocketChannel] = ArrayBlockingQueue(connection_queue_size)
        self._response_queue: LinkedBlockingDeque[RequestChannel.Response] = LinkedBlockingDeque()

        # Used by this thread alone.
        self._inflight_responses: dict[str, RequestChannel.Response] = {}
        self._next_connection_index = 0

        self.metric_tags = {
            LISTENER_METRIC_TAG: listener_name.value(),
            NETWORK_PROCESSOR_METRIC_TAG: str(id),
        }
        io_wait_ratio = metrics.metric_name("io-wait-ratio", METRICS_GROUP, "", self.metric_tags)

        def idle_percent() -> float:
            metric = metrics.metric(io_wait_ratio)
            return 0.0 if metric is None else min(number(metric.metric_value()), 1.0)

        # The selector's own metric names the listener too; this one never did.
        self._metrics_group.new_gauge(
            IDLE_PERCENT_METRIC_NAME, idle_percent, {NETWORK_PROCESSOR_METRIC_TAG: str(id)})

        self._expired_connections_killed_count = CumulativeSum()
        self._expired_connections_killed_count_metric_name = metrics.metric_name(
            "expired-connections-killed-count", METRICS_GROUP, "", self.metric_tags)
        metrics.add_metric(
            self._expired_connections_killed_count_metric_name, self._expired_connections_killed_count)

        self.selector = self._create_selector(
            ChannelBuilders.server_channel_builder(
                listener_name,
                listener_name == config.inter_broker_listener_name(),
                security_protocol,
                config,
                time,
                log_context,
                lambda: api_version_manager.api_version_response(throttle_time_ms=0),
                None if credential_provider is None else credential_provider.credential_cache,
            )
        )

    def _create_selector(self, channel_builder: ChannelBuilder) -> KSelector:
        """Return the selector; tests give another one.

        :origin: kafka.network.Processor#createSelector
        """
        if isinstance(channel_builder, Reconfigurable):
            self._config.add_reconfigurable(channel_builder)
        return self.SELECTOR_CLASS(
            self._connections_max_idle_ms,
            self._metrics,
            self._time,
            "socket-server",
            channel_builder,
            self._log_context,
            max_receive_size=self._max_request_size,
            failed_authentication_delay_ms=self._failed_authentication_delay_ms,
            metric_tags=self.metric_tags,
            metrics_per_connection=False,
            record_time_per_connection=True,
            memory_pool=self._memory_pool,
        )

    def run(self) -> None:
        """Serve until ``begin_shutdown``; then close everything.

        :origin: kafka.network.Processor#run
        """
        try:
            while self.should_run.get():
                try:
                    self._configure_new_connections()
                    self._process_new_responses()
                    self._poll()
                    self._process_completed_receives()
                    self._process_completed_sends()
                    self._process_disconnected()
                    self._close_excess_connections()
                except BaseException as e:
                    # An error of one connection is caught where it happens, and closes that connection.
                    # An exception that comes here must not end the thread, which serves all connections.
                    self._process_exception("Processor got uncaught exception.", e)
        finally:
            self.debug("closing the selector of processor %d", self.id)
            CoreUtils.swallow(self._close_all, self, logging.ERROR)

    def _process_exception(self, error_message: str, throwable: BaseException) -> None:
        """Log the exception, or raise it if it is to end the thread.

        :origin: kafka.network.Processor#processException
        """
        if isinstance(throwable, ControlThrowable):
            raise throwable
        self.error("%s", error_message, exc=throwable)

    def _process_channel_exception(self, channel_id: str, error_message: str,
                                   throwable: BaseException) -> None:
        """:origin: kafka.network.Processor#processChannelException"""
        if self.open_or_closing_channel(channel_id) is not None:
            self.error("closing socket for %s because of error", channel_id, exc=throwable)
            self._close_connection(channel_id)
        self._process_exception(error_message, throwable)

    def _process_new_responses(self) -> None:
        """:origin: kafka.network.Processor#processNewResponses"""
        while (current_response := self._dequeue_response()) is not None:
            channel_id = current_response.request.context.connection_id
            try:
                match current_response:
                    case RequestChannel.NoOpResponse():
                        # The client gets no response, and may have sent more requests already.
                        self._update_request_metrics(current_response)
                        self.trace("no response to send, reading on: %s", current_response)
                        # A throttled channel stays muted until the throttle time is over.
                        self._handle_channel_mute_event(channel_id, ChannelMuteEvent.RESPONSE_SENT)
                        self._try_unmute_channel(channel_id)

                    case RequestChannel.SendResponse():
                        self._send_response(current_response, current_response.response_send)
                    case RequestChannel.CloseConnectionResponse():
                        self._update_request_metrics(current_response)
                        self.trace("closing the connection, as the response says")
                        self._close_connection(channel_id)
                    case RequestChannel.StartThrottlingResponse():
                        self._handle_channel_mute_event(channel_id, ChannelMuteEvent.THROTTLE_STARTED)
                    case RequestChannel.EndThrottlingResponse():
                        # With a response still due, the channel stays muted until that is sent.
                        self._handle_channel_mute_event(channel_id, ChannelMuteEvent.THROTTLE_ENDED)
                        self._try_unmute_channel(channel_id)
                    case _:
                        raise IllegalArgumentException(f"Unknown response type: {type(current_response)}")
            except BaseException as e:
                self._process_channel_exception(
                    channel_id, f"Exception while processing response for {channel_id}", e)

    def _send_response(self, response: RequestChannel.Response, response_send: Send) -> None:
        """Begin to send a response; without its connection the request is complete. Tests replace this.

        :origin: kafka.network.Processor#sendResponse
        """
        connection_id = response.request.context.connection_id
        self.trace("response to %s, registering for write: %s", connection_id, response)
        if self.channel(connection_id) is None:
            # Closed by the client, or for being idle for too long.
            self.warn("response for connection %s, which is not open any more", connection_id)
            # DEVIATION D17: that of a closing channel is recorded when its end is reported; the origin, and
            # kreactor.fidelity=strict, record it here too.
            if self._config.is_strict() or self.open_or_closing_channel(connection_id) is None:
                response.request.update_request_metrics(0, response)
        # A closing channel gets it too: the send fails, and that is what ends its closing.
        if self.open_or_closing_channel(connection_id) is not None:
            self.selector.send(NetworkSend(connection_id, response_send))
            self._inflight_responses[connection_id] = response

    def _poll(self) -> None:
        """:origin: kafka.network.Processor#poll"""
        poll_timeout = 300 if self._new_connections.is_empty() else 0
        # DEVIATION D82
        if self._draining:
            self._drain()
        try:
            self.selector.poll(poll_timeout)
        except (IllegalStateException, OSError) as e:
            # Results that the poll did complete are handled all the same.
            self.error("poll of processor %d failed", self.id, exc=e)

    def _parse_request_header(self, buffer: ByteBuffer) -> RequestHeader:
        """Raises InvalidRequestException for an API that this listener does not serve in that version.

        :origin: kafka.network.Processor#parseRequestHeader
        """
        header = RequestHeader.parse(buffer)
        if self._api_version_manager.is_api_enabled(header.api_key(), header.api_version()):
            return header
        raise InvalidRequestException(
            f"Received request api key {header.api_key()} with version {header.api_version()} "
            "which is not enabled")

    def _process_completed_receives(self) -> None:
        """:origin: kafka.network.Processor#processCompletedReceives"""
        for receive in self.selector.completed_receives():
            # DEVIATION D03: this releases the memory. The origin, and kreactor.fidelity=strict, forget it.
            give_back = _no_release if self._config.is_strict() else receive.close
            try:
                channel = self.open_or_closing_channel(receive.source())
                if channel is None:
                    raise IllegalStateException(
                        f"Channel {receive.source()} removed from selector before processing "
                        "completed receive")
                header = self._parse_request_header(receive.payload())
                if (header.api_key() is ApiKeys.SASL_HANDSHAKE
                        and channel.maybe_begin_server_reauthentication(receive, self._time.nanoseconds)):
                    self.trace("begin of re-authentication: %s", channel)
                else:
                    now_nanos = self._time.nanoseconds()
                    if channel.server_authentication_session_expired(now_nanos):
                        # Counts the connection out, and drops a response that is under way.
                        self.debug("disconnecting expired channel: %s : %s", channel, header)
                        give_back()
                        self._close_connection(channel.id())
                        self._expired_connections_killed_count.record(NO_CONFIG, 1, 0)
                    else:
                        connection_id = receive.source()
                        # A channel that has received has a peer, and the selector has named its client.
                        context = RequestContext(
                            header, connection_id, channel.socket_address(),  # type: ignore[arg-type]
                            channel.principal(), self._listener_name, self._security_protocol,
                            channel.channel_metadata_registry()
                            .client_information(),  # type: ignore[arg-type]
                            self._is_privileged_listener, channel.socket_port(), channel.principal_serde(),
                            self._max_elements)

                        req = RequestChannel.Request(
                            self.id, context, now_nanos, self._memory_pool, receive.payload(),
                            self._request_channel.metrics, None)
                        if not self._config.is_strict():
                            give_back = req.release_buffer

                        # KIP-511: the client's software is noted here, where the connection is at hand.
                        if header.api_key() is ApiKeys.API_VERSIONS:
                            api_versions_request = req.body(ApiVersionsRequest)
                            if api_versions_request.is_valid():
                                channel.channel_metadata_registry().register_client_information(
                                    ClientInformation(
                                        api_versions_request.data().client_software_name,
                                        api_versions_request.data().client_software_version))
                        self._request_channel.send_request(req)
                        give_back = _no_release
                        # The response may be queued by now. It is not looked at before the next round.
                        self.selector.mute(connection_id)
                        self._handle_channel_mute_event(connection_id, ChannelMuteEvent.REQUEST_RECEIVED)
            except BaseException as e:
                # A receive that is complete knows where it came from, whatever it holds.
                give_back()
                self._process_channel_exception(
                    receive.source(), f"Exception while processing request from {receive.source()}", e)
        self.selector.clear_completed_receives()

    def _process_completed_sends(self) -> None:
        """:origin: kafka.network.Processor#processCompletedSends"""
        for send in self.selector.completed_sends():
            try:
                response = self._inflight_responses.pop(send.destination_id(), None)
                if response is None:
                    raise IllegalStateException(
                        f"Send for {send.destination_id()} completed, but not in `inflightResponses`")

                # The callback first: it may change what the metrics record.
                if (on_complete := response.on_complete()) is not None:
                    on_complete(send)
                self._update_request_metrics(response)

                # A throttled channel stays muted until the throttle time is over.
                self._handle_channel_mute_event(send.destination_id(), ChannelMuteEvent.RESPONSE_SENT)
                self._try_unmute_channel(send.destination_id())
            except BaseException as e:
                self._process_channel_exception(
                    send.destination_id(),
                    f"Exception while processing completed send to {send.destination_id()}", e)
        self.selector.clear_completed_sends()

    def _update_request_metrics(self, response: RequestChannel.Response) -> None:
        """:origin: kafka.network.Processor#updateRequestMetrics"""
        request = response.request
        channel = self.open_or_closing_channel(request.context.connection_id)
        network_thread_time_nanos = (
            0 if channel is None else channel.get_and_reset_network_thread_time_nanos())
        request.update_request_metrics(network_thread_time_nanos, response)

    def _process_disconnected(self) -> None:
        """:origin: kafka.network.Processor#processDisconnected"""
        for connection_id in self.selector.disconnected():
            try:
                parsed = Processor.ConnectionId.from_string(connection_id)
                if parsed is None:
                    raise IllegalStateException(f"connectionId has unexpected format: {connection_id}")
                if (response := self._inflight_responses.pop(connection_id, None)) is not None:
                    self._update_request_metrics(response)
                # The selector has closed the channel and knows nothing of quotas.
                self._connection_quotas.dec(self._listener_name, InetAddress.get_by_name(parsed.remote_host))
            except BaseException as e:
                self._process_exception(f"Exception while processing disconnection of {connection_id}", e)

    def _close_excess_connections(self) -> None:
        """:origin: kafka.network.Processor#closeExcessConnections"""
        if self._connection_quotas.max_connections_exceeded(self._listener_name):
            channel = self.selector.lowest_priority_channel()
            if channel is not None:
                self._close_connection(channel.id())

    def _close_connection(self, connection_id: str) -> None:
        """Close a connection and count it out; a response under way is dropped, and recorded.

        The selector does not report such a close. Does nothing if the channel is gone.

        :origin: kafka.network.Processor#close(String)
        """
        if (channel := self.open_or_closing_channel(connection_id)) is not None:
            self.debug("closing selector connection %s", connection_id)
            if (address := channel.socket_address()) is not None:
                self._connection_quotas.dec(self._listener_name, address)
            self.selector.close_id(connection_id)

            if (response := self._inflight_responses.pop(connection_id, None)) is not None:
                self._update_request_metrics(response)

    def accept(
        self, socket_channel: SocketChannel, may_block: bool, acceptor_idle_percent_meter: Meter,
    ) -> bool:
        """Queue a new connection; called by the acceptor. Return whether there was room.

        With ``may_block`` it waits for room, and the meter gets the time in nanoseconds.

        :origin: kafka.network.Processor#accept
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
            # DEVIATION D04
            if self._closed:
                # The thread is gone, or will not look any more: what came after its last look goes here.
                # Put, then look at the flag, here; set the flag, then empty the queue, in `close`.
                self._close_new_connections()
        return accepted

    def _configure_new_connections(self) -> None:
        """Register queued connections, no more than a queue's length, so that the others get their turn.

        :origin: kafka.network.Processor#configureNewConnections
        """
        connections_processed = 0
        while (connections_processed < self._connection_queue_size
               and (channel := self._new_connections.poll()) is not None):
            try:
                self.debug("processor %d listens to a connection from %s", self.id,
                           channel.socket().get_remote_socket_address())
                self.selector.register(self._connection_id(channel.socket()), channel)
                connections_processed += 1
            except BaseException as e:
                remote_address = channel.socket().get_remote_socket_address()
                self._connection_quotas.close_channel(self, self._listener_name, channel)
                self._process_exception(
                    f"Processor {self.id} closed connection from {remote_address}", e)

    def _close_all(self) -> None:
        """:origin: kafka.network.Processor#closeAll"""
        self._close_new_connections()
        # DEVIATION D01: the origin leaves the closing channels open, and counts them for ever.
        for channel in [*self.selector.channels(), *self.selector.closing_channels()]:
            # DEVIATION D19: in the origin a close that fails keeps the other connections open.
            CoreUtils.swallow(partial(self._close_connection, channel.id()), self, logging.ERROR)
        self.selector.close()
        self._metrics_group.remove_metric(
            IDLE_PERCENT_METRIC_NAME, {NETWORK_PROCESSOR_METRIC_TAG: str(self.id)})

    def _close_new_connections(self) -> None:
        """Close the connections that are still queued."""
        # DEVIATION D04: the origin does not subtract these connections from the counts, and forgets those
        # that come after its thread ended.
        while (channel := self._new_connections.poll()) is not None:
            self._connection_quotas.close_channel(self, self._listener_name, channel)

    def _connection_id(self, socket: Socket) -> str:
        """Return a new id for a connection; tests give other ones.

        :origin: kafka.network.Processor#connectionId
        """
        remote = socket.get_inet_address()
        assert remote is not None, "an accepted connection has a peer"
        conn_id = Processor.ConnectionId(
            socket.get_local_address().get_host_address(), socket.get_local_port(),
            remote.get_host_address(), socket.get_port(), self._next_connection_index)
        self._next_connection_index = (
            0 if self._next_connection_index == INT_MAX_VALUE else self._next_connection_index + 1)
        return str(conn_id)

    def enqueue_response(self, response: RequestChannel.Response) -> None:
        """Queue a response, then wake the thread: see the head of the module. Called by any thread.

        :origin: kafka.network.Processor#enqueueResponse
        """
        self._response_queue.put(response)
        self.wakeup()

    def _dequeue_response(self) -> RequestChannel.Response | None:
        """:origin: kafka.network.Processor#dequeueResponse"""
        response = self._response_queue.poll()
        if response is not None:
            response.request.response_dequeue_time_nanos = Time.SYSTEM.nanoseconds()
        return response

    def response_queue_size(self) -> int:
        """:origin: kafka.network.Processor#responseQueueSize"""
        return self._response_queue.size()

    def inflight_response_count(self) -> int:
        """Return how many responses are being written, for tests.

        :origin: kafka.network.Processor#inflightResponseCount
        """
        return len(self._inflight_responses)

    def open_or_closing_channel(self, connection_id: str) -> KafkaChannel | None:
        """Return a channel that may be disconnected: the caller may only do what is safe then.

        :origin: kafka.network.Processor#openOrClosingChannel
        """
        return self.selector.channel(connection_id) or self.selector.closing_channel(connection_id)

    def _handle_channel_mute_event(self, connection_id: str, event: KafkaChannel.ChannelMuteEvent) -> None:
        """:origin: kafka.network.Processor#handleChannelMuteEvent"""
        if (channel := self.open_or_closing_channel(connection_id)) is not None:
            channel.handle_channel_mute_event(event)

    def _try_unmute_channel(self, connection_id: str) -> None:
        """:origin: kafka.network.Processor#tryUnmuteChannel"""
        # DEVIATION D82
        if (channel := self.open_or_closing_channel(connection_id)) is not None and not self._draining:
            self.selector.unmute(channel.id())

    def channel(self, connection_id: str) -> KafkaChannel | None:
        """:origin: kafka.network.Processor#channel"""
        return self.selector.channel(connection_id)

    def start(self) -> None:
        """Start the thread. A second call does nothing.

        :origin: kafka.network.Processor#start
        """
        if not self._started.get():
            self.thread.start()
            # DEVIATION D18: set after the start. If no thread can be started, the origin has set the flag,
            # and leaves the selector for a thread that never runs.
            self._started.set(True)

    def wakeup(self) -> None:
        """Get the thread out of its select. Called by any thread.

        :origin: kafka.network.Processor#wakeup
        """
        self.selector.wakeup()

    def begin_shutdown(self) -> None:
        """Tell the thread to end. Called by any thread.

        :origin: kafka.network.Processor#beginShutdown
        """
        if self.should_run.get_and_set(False):
            self.wakeup()

    def begin_drain(self) -> None:
        """Stop reading, but answer requests that were read. Called by any thread; final."""
        # DEVIATION D82: the origin's last responses are lost when it shuts down.
        self._draining = True
        self.wakeup()

    def is_drained(self) -> bool:
        """Return whether everything that was read before ``begin_drain`` is answered."""
        return self._drained or not self._started.get()

    def _drain(self) -> None:
        # Again in each round: connections may have come, and receives may have been complete already.
        self.selector.mute_all()
        self._drained = not any(
            channel.mute_state() in _RESPONSE_PENDING for channel in self.selector.channels())

    def close(self) -> None:
        """End the thread and close every connection. Called by any thread but this one.

        :origin: kafka.network.Processor#close
        """
        try:
            self.begin_shutdown()
            self.thread.join()
            if not self._started.get():
                CoreUtils.swallow(self._close_all, self, logging.ERROR)
            self._closed = True
            self._close_new_connections()
        finally:
            self._metrics_group.remove_metric(
                IDLE_PERCENT_METRIC_NAME, {NETWORK_PROCESSOR_METRIC_TAG: str(self.id)})
            self._metrics.remove_metric(self._expired_connections_killed_count_metric_name)
