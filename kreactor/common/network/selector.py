# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.Selector of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Many size-delimited connections on one thread.

Owner: one thread, which calls ``poll`` in a loop and everything else between two polls. ``wakeup``
alone is for any thread.

A poll takes these steps, in this order: forget the results of the last one and finish what is closing;
unmute what waited for memory, if there is memory; select; for each ready channel connect, prepare,
read, write; close what is due: failed authentications whose delay is over, one idle connection.

At most one receive a channel and poll is completed. A server answers the requests of a connection one
at a time, and mutes the channel meanwhile; a second receive would have nowhere to wait.

Where a channel is
------------------
Every open channel is in exactly one of the first two containers; after a close it is in neither. The
others are properties that go with that:

===========================  ===========================================================  =================
container                    the channel                                                  excludes
===========================  ===========================================================  =================
_channels                    is open                                                      _closing_channels
_closing_channels            is disconnected, but receives wait to be read or handled     _channels
_explicitly_muted_channels   was muted by ``mute``, not by lack of memory                 -
_immediately_connected_keys  connected within ``connect``; of interest to the next poll   _closing_channels
_keys_with_buffered_read     has bytes that have left its socket                          explicitly muted
_completed_receives          has a receive that the caller has not cleared                -
_completed_sends             had a send that the last poll finished                       -
_connected                   got its connection in the last poll                          closed
_disconnected                was closed in the last poll, or its send failed              _channels
_failed_sends                got a send while closing, or one that could not begin        -
_delayed_closing_channels    failed to authenticate; answer and close are held back       _closing_channels
===========================  ===========================================================  =================

A channel that is closing is read from as long as its socket has complete receives, one a poll, unless
it is muted: requests that arrived before the peer left are served, and answered if the peer can hear.
A send to it ends that, and so does a lack of memory: nobody would unmute it.
"""

from __future__ import annotations

from enum import Enum
from functools import partial
from typing import Collection, Mapping, Sequence

from kreactor.common.errors import AuthenticationException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.channel_builder import ChannelBuilder
from kreactor.common.network.channel_metadata_registry import ChannelMetadataRegistry
from kreactor.common.network.channel_state import ChannelState
from kreactor.common.network.cipher_information import CipherInformation
from kreactor.common.network.client_information import ClientInformation
from kreactor.common.network.delayed_response_authentication_exception import (
    DelayedResponseAuthenticationException,
)
from kreactor.common.network.idle_expiry_manager import IdleExpiryManager
from kreactor.common.network.kafka_channel import KafkaChannel
from kreactor.common.network.network_receive import NetworkReceive
from kreactor.common.network.network_send import NetworkSend
from kreactor.common.network.selectable import Selectable
from kreactor.common.network.selector_metrics import SelectorMetrics
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.common.utils.utils import Utils
from kreactor.jdk import nio_selector
from kreactor.jdk.exceptions import (
    CancelledKeyException,
    IllegalArgumentException,
    IllegalStateException,
    UnresolvedAddressException,
)
from kreactor.jdk.net import InetSocketAddress
from kreactor.jdk.nio_channels import SocketChannel
from kreactor.jdk.nio_selector import SelectionKey
from kreactor.jdk.random_numbers import RANDOM, Random


class Selector(Selectable):
    """Sends and receives over channels, each of which has an id.

    :origin: common.network.Selector
    """

    NO_IDLE_TIMEOUT_MS = -1
    NO_FAILED_AUTHENTICATION_DELAY = 0

    class CloseMode(Enum):
        """The fate of receives that wait, and whether ``disconnected`` reports the close.

        :origin: common.network.Selector.CloseMode
        """

        GRACEFUL = "GRACEFUL"                    # they are read and handled first; reported
        NOTIFY_ONLY = "NOTIFY_ONLY"              # they are dropped; reported
        DISCARD_NO_NOTIFY = "DISCARD_NO_NOTIFY"  # they are dropped; not reported

        def __init__(self, _name: str) -> None:
            """:origin: common.network.Selector.CloseMode#CloseMode(boolean)"""
            self.notify_disconnect = _name != "DISCARD_NO_NOTIFY"

    def __init__(
        self,
        connection_max_idle_ms: int,
        metrics: Metrics,
        time: Time,
        metric_grp_prefix: str,
        channel_builder: ChannelBuilder,
        log_context: LogContext,
        *,
        max_receive_size: int = NetworkReceive.UNLIMITED,
        failed_authentication_delay_ms: int = NO_FAILED_AUTHENTICATION_DELAY,
        metric_tags: Mapping[str, str] | None = None,
        metrics_per_connection: bool = True,
        record_time_per_connection: bool = False,
        memory_pool: MemoryPool = MemoryPool.NONE,
    ) -> None:
        """Open a selector; ``close`` closes ``channel_builder`` too.

        ``max_receive_size`` is in bytes, ``NetworkReceive.UNLIMITED`` for no bound. Idle connections are
        kept for ever with ``NO_IDLE_TIMEOUT_MS``. ``metric_grp_prefix`` begins the names of the metric
        groups. Raises KafkaException if there is no descriptor left.

        :origin: common.network.Selector#Selector(
            int, long, int, Metrics, Time, String, Map<String,String>, boolean, boolean, ChannelBuilder,
            MemoryPool, LogContext)
        :origin: common.network.Selector#Selector(
            int, long, Metrics, Time, String, Map<String,String>, boolean, boolean, ChannelBuilder,
            MemoryPool, LogContext)
        :origin: common.network.Selector#Selector(
            int, long, int, Metrics, Time, String, Map<String,String>, boolean, ChannelBuilder, LogContext)
        :origin: common.network.Selector#Selector(
            int, long, Metrics, Time, String, Map<String,String>, boolean, ChannelBuilder, LogContext)
        :origin: common.network.Selector#Selector(long, Metrics, Time, String, ChannelBuilder, LogContext)
        :origin: common.network.Selector#Selector(
            long, int, Metrics, Time, String, ChannelBuilder, LogContext)
        """
        try:
            self._nio_selector = nio_selector.Selector.open()
        except OSError as e:
            raise KafkaException(cause=e) from e
        self._max_receive_size = max_receive_size
        self._time = time
        self._channels: dict[str, KafkaChannel] = {}
        self._explicitly_muted_channels: dict[str, KafkaChannel] = {}
        self._out_of_memory = False
        self._completed_sends: list[NetworkSend] = []
        self._completed_receives: dict[str, NetworkReceive] = {}
        # Sets of keys are dicts: they keep the order in which keys came.
        self._immediately_connected_keys: dict[SelectionKey, None] = {}
        self._closing_channels: dict[str, KafkaChannel] = {}
        self._keys_with_buffered_read: dict[SelectionKey, None] = {}
        self._connected: list[str] = []
        self._disconnected: dict[str, ChannelState] = {}
        self._failed_sends: list[str] = []
        self._log = log_context.logger(Selector)
        self._sensors = SelectorMetrics(
            self._log, self._channels, metrics, metric_grp_prefix, metric_tags or {}, metrics_per_connection)
        self._channel_builder = channel_builder
        self._metrics_per_connection = metrics_per_connection
        self._record_time_per_connection = record_time_per_connection
        self._idle_expiry_manager = (
            None if connection_max_idle_ms < 0 else IdleExpiryManager(time, connection_max_idle_ms))
        self._memory_pool = memory_pool
        self._low_mem_threshold = int(0.1 * memory_pool.size())
        # Replaced by tests that want another one.
        self._random: Random = RANDOM
        self._failed_authentication_delay_ms = failed_authentication_delay_ms
        self._delayed_closing_channels: dict[str, DelayedAuthenticationFailureClose] | None = (
            {} if failed_authentication_delay_ms > Selector.NO_FAILED_AUTHENTICATION_DELAY else None)
        # Whether the last poll got anywhere with bytes that were buffered already. While there is no memory
        # to read them into it does not, and the next poll must wait instead of spinning.
        self._made_read_progress_last_poll = True

    def __repr__(self) -> str:
        sizes = {
            "channels": self._channels, "closing": self._closing_channels,
            "delayed closing": self._delayed_closing_channels or (),
            "explicitly muted": self._explicitly_muted_channels,
            "buffered": self._keys_with_buffered_read, "completed receives": self._completed_receives,
            "completed sends": self._completed_sends, "connected": self._connected,
            "disconnected": self._disconnected, "failed sends": self._failed_sends}
        parts = [f"{len(value)} {name}" for name, value in sizes.items() if value or name == "channels"]
        if self._out_of_memory:
            parts.append("out of memory")
        return f"{type(self).__name__}({', '.join(parts)})"

    def connect(
        self, id: str, address: InetSocketAddress, send_buffer_size: int, receive_buffer_size: int,
    ) -> None:
        """Begin to connect a channel called ``id``; ``connected`` lists it once it is there.

        Buffer sizes are in bytes, or ``USE_DEFAULT_BUFFER_SIZE``. Raises IllegalStateException if there is
        a channel of that id, OSError if the host is unknown or refuses at once.

        :origin: common.network.Selector#connect(String, InetSocketAddress, int, int)
        """
        self._ensure_not_registered(id)
        socket_channel = SocketChannel.open()
        key: SelectionKey | None = None
        try:
            self._configure_socket_channel(socket_channel, send_buffer_size, receive_buffer_size)
            connected = self._do_connect(socket_channel, address)
            key = self._register_channel(id, socket_channel, SelectionKey.OP_CONNECT)

            if connected:
                # The kernel reports the end of a wait, and there was none.
                self._log.debug("immediately connected to node %s", id)
                self._immediately_connected_keys[key] = None
                key.interest_ops_to(0)
        # KeyboardInterrupt, too: nothing else knows the socket.
        except BaseException:
            if key is not None:
                self._immediately_connected_keys.pop(key, None)
            self._channels.pop(id, None)
            socket_channel.close()
            raise

    def _do_connect(self, channel: SocketChannel, address: InetSocketAddress) -> bool:
        """Begin to connect; return whether that was all. Tests make it wait here.

        :origin: common.network.Selector#doConnect(SocketChannel, InetSocketAddress)
        """
        try:
            return channel.connect(address)
        except UnresolvedAddressException as e:
            raise OSError(f"Can't resolve address: {address}") from e

    def _configure_socket_channel(
        self, socket_channel: SocketChannel, send_buffer_size: int, receive_buffer_size: int,
    ) -> None:
        """:origin: common.network.Selector#configureSocketChannel(SocketChannel, int, int)"""
        socket_channel.configure_blocking(False)
        socket = socket_channel.socket()
        socket.set_keep_alive(True)
        if send_buffer_size != Selectable.USE_DEFAULT_BUFFER_SIZE:
            socket.set_send_buffer_size(send_buffer_size)
        if receive_buffer_size != Selectable.USE_DEFAULT_BUFFER_SIZE:
            socket.set_receive_buffer_size(receive_buffer_size)
        socket.set_tcp_no_delay(True)

    def register(self, id: str, socket_channel: SocketChannel) -> None:
        """Take over a connection that somebody else accepted.

        An id must not be used again while its former connection may still be closing: a server counts its
        connections into them. Raises IllegalStateException if there is a channel of that id, OSError if
        the channel cannot be built: the socket is closed then.

        :origin: common.network.Selector#register(String, SocketChannel)
        """
        self._ensure_not_registered(id)
        self._register_channel(id, socket_channel, SelectionKey.OP_READ)
        self._sensors.connection_created.record()
        # A client need not say what it is, and its connection is counted all the same.
        metadata_registry = self._channels[id].channel_metadata_registry()
        if metadata_registry.client_information() is None:
            metadata_registry.register_client_information(ClientInformation.EMPTY)

    def _ensure_not_registered(self, id: str) -> None:
        """:origin: common.network.Selector#ensureNotRegistered(String)"""
        if id in self._channels:
            raise IllegalStateException(f"There is already a connection for id {id}")
        if id in self._closing_channels:
            raise IllegalStateException(
                f"There is already a connection for id {id} that is still being closed")

    def _register_channel(
        self, id: str, socket_channel: SocketChannel, interested_ops: int,
    ) -> SelectionKey:
        """:origin: common.network.Selector#registerChannel(String, SocketChannel, int)"""
        key = socket_channel.register(self._nio_selector, interested_ops)
        channel = self._build_and_attach_kafka_channel(socket_channel, id, key)
        self._channels[id] = channel
        if self._idle_expiry_manager is not None:
            self._idle_expiry_manager.update(channel.id(), self._time.nanoseconds())
        return key

    def _build_and_attach_kafka_channel(
        self, socket_channel: SocketChannel, id: str, key: SelectionKey,
    ) -> KafkaChannel:
        """:origin: common.network.Selector#buildAndAttachKafkaChannel(SocketChannel, String, SelectionKey)"""
        metadata_registry: ChannelMetadataRegistry | None = None
        try:
            metadata_registry = SelectorChannelMetadataRegistry(self._sensors)
            channel = self._channel_builder.build_channel(
                id, key, self._max_receive_size, self._memory_pool, metadata_registry)
            key.attach(channel)
            return channel
        except Exception as e:
            description = str(socket_channel)
            try:
                socket_channel.close()
            finally:
                key.cancel()
            # No channel was made that would close the socket.
            Utils.close_quietly(metadata_registry, "metadataRegistry")
            raise OSError(f"Channel could not be created for socket {description}") from e

    def wakeup(self) -> None:
        """End a poll that waits, or keep the next one from waiting. Callable from any thread.

        :origin: common.network.Selector#wakeup()
        """
        self._nio_selector.wakeup()

    def close(self) -> None:
        """Close every channel, the selector, its sensors and the channel builder, in spite of errors.

        Raises the first error, if it is not an OSError.

        :origin: common.network.Selector#close()
        """
        first_exception: list[BaseException] = []
        # DEVIATION D01: the origin leaves the channels that are closing to the garbage collector.
        connections = [*self._channels, *self._closing_channels]
        Utils.close_all_quietly(
            first_exception, "release connections", *(partial(self.close_id, id) for id in connections))
        # The sensors are removed in any case: a later selector may use their names.
        Utils.close_quietly_first(self._nio_selector.close, "nioSelector", first_exception)
        Utils.close_quietly_first(self._sensors.close, "sensors", first_exception)
        Utils.close_quietly_first(self._channel_builder.close, "channelBuilder", first_exception)
        if first_exception and not isinstance(first_exception[0], OSError):
            raise first_exception[0]

    def send(self, send: NetworkSend) -> None:
        """Queue ``send``; the next polls write it.

        A channel that is closing, or turns out to be closed, loses it: ``disconnected`` tells so after the
        next poll. Raises IllegalStateException if there is no channel of that id, or if the channel has a
        send under way: it is closed then.

        :origin: common.network.Selector#send(NetworkSend)
        """
        connection_id = send.destination_id()
        channel = self._open_or_closing_channel_or_fail(connection_id)
        if connection_id in self._closing_channels:
            # The channel keeps the state in which closing began.
            self._failed_sends.append(connection_id)
        else:
            try:
                channel.set_send(send)
            except Exception as e:
                channel.state_to(ChannelState.FAILED_SEND)
                # The next poll reports it; hence the close does not.
                self._failed_sends.append(connection_id)
                self._close_channel(channel, Selector.CloseMode.DISCARD_NO_NOTIFY)
                if not isinstance(e, CancelledKeyException):
                    self._log.error("closing connection %s, whose send could not begin", connection_id, exc=e)
                    raise

    def poll(self, timeout: int) -> None:
        """Do what can be done, waiting up to ``timeout`` ms if there is nothing.

        ``completed_sends``, ``completed_receives``, ``connected`` and ``disconnected`` have the results; the
        next poll forgets them. A channel whose transport layer holds bytes that have left the socket is read
        without waiting. Raises IllegalArgumentException if ``timeout`` is negative,
        OSError from the select itself.

        :origin: common.network.Selector#poll(long)
        """
        if timeout < 0:
            raise IllegalArgumentException("timeout should be >= 0")

        made_read_progress_last_call = self._made_read_progress_last_poll
        self._clear()

        data_in_buffers = bool(self._keys_with_buffered_read)

        if self._immediately_connected_keys or (made_read_progress_last_call and data_in_buffers):
            timeout = 0

        if not self._memory_pool.is_out_of_memory() and self._out_of_memory:
            self._log.trace("memory again: unmuting the channels that waited for it")
            for channel in self._channels.values():
                if channel.is_in_mutable_state() and channel.id() not in self._explicitly_muted_channels:
                    channel.maybe_unmute()
            self._out_of_memory = False

        start_select = self._time.nanoseconds()
        num_ready_keys = self._select(timeout)
        end_select = self._time.nanoseconds()
        self._sensors.select_time.record(end_select - start_select, self._time.milliseconds(), False)

        if num_ready_keys > 0 or self._immediately_connected_keys or data_in_buffers:
            ready_keys = self._nio_selector.selected_keys()

            # First the channels whose bytes have left their sockets; those with ready sockets follow.
            if data_in_buffers:
                self._keys_with_buffered_read = {
                    key: None for key in self._keys_with_buffered_read if key not in ready_keys}
                to_poll = self._keys_with_buffered_read
                self._keys_with_buffered_read = {}  # filled anew by those that have bytes left
                self.poll_selection_keys(to_poll, False, end_select)

            self.poll_selection_keys(ready_keys, False, end_select)
            # A key left among the selected would not count at the next select.
            ready_keys.clear()

            self.poll_selection_keys(self._immediately_connected_keys, True, end_select)
            self._immediately_connected_keys.clear()
        else:
            self._made_read_progress_last_poll = True  # nothing to do is no lack of memory

        end_io = self._time.nanoseconds()
        self._sensors.io_time.record(end_io - end_select, self._time.milliseconds(), False)

        self.complete_delayed_channel_close(end_io)

        # By the time before the channels were handled: what has just been active is not idle.
        self._maybe_close_oldest_connection(end_select)

    def poll_selection_keys(
        self,
        selection_keys: Collection[SelectionKey],
        is_immediately_connected: bool,
        current_time_nanos: int,
    ) -> None:
        """Connect, prepare, read and write the channels of ``selection_keys``, as far as each gets.

        A channel that fails is closed, and never fails another. The time is that of the select, monotonic.

        :origin: common.network.Selector#pollSelectionKeys(Set<SelectionKey>, boolean, long)
        """
        for key in self._determine_handling_order(selection_keys):
            channel: KafkaChannel = key.attachment()
            channel_start_time_nanos = self._time.nanoseconds() if self._record_time_per_connection else 0
            send_failed = False
            node_id = channel.id()

            self._sensors.maybe_register_connection_metrics(node_id)
            if self._idle_expiry_manager is not None:
                self._idle_expiry_manager.update(node_id, current_time_nanos)

            try:
                # The connection: there since `connect`, or established now.
                if is_immediately_connected or key.is_connectable():
                    if channel.finish_connect():
                        self._connected.append(node_id)
                        self._sensors.connection_created.record()

                        socket_channel: SocketChannel = key.channel()
                        self._log.debug(
                            "created socket with SO_RCVBUF = %d, SO_SNDBUF = %d, SO_TIMEOUT = %d to node %s",
                            socket_channel.socket().get_receive_buffer_size(),
                            socket_channel.socket().get_send_buffer_size(),
                            socket_channel.socket().get_so_timeout(), node_id)
                    else:
                        continue

                # The handshake and the authentication.
                if channel.is_connected() and not channel.ready():
                    channel.prepare()
                    if channel.ready():
                        ready_time_ms = self._time.milliseconds()
                        is_reauthentication = channel.successful_authentications() > 1
                        if is_reauthentication:
                            self._sensors.successful_reauthentication.record(1.0, ready_time_ms)
                            latency_ms = channel.reauthentication_latency_ms()
                            if latency_ms is None:
                                self._log.warn("a re-authenticated channel does not know how long it took")
                            else:
                                self._sensors.reauthentication_latency.record(
                                    float(latency_ms), ready_time_ms)
                        else:
                            self._sensors.successful_authentication.record(1.0, ready_time_ms)
                            if not channel.connected_client_supports_reauthentication():
                                self._sensors.successful_authentication_no_reauth.record(1.0, ready_time_ms)
                        self._log.debug("%sauthenticated with %s", "re-" if is_reauthentication else "",
                                        channel.socket_description())
                if channel.ready() and channel.state() is ChannelState.NOT_CONNECTED:
                    channel.state_to(ChannelState.READY)
                receive = channel.poll_response_received_during_reauthentication()
                if receive is not None:
                    current_time_ms = self._time.milliseconds()
                    self._add_to_completed_receives(channel, receive, current_time_ms)

                # The read, unless a receive is waiting for the caller already.
                if (channel.ready() and (key.is_readable() or channel.has_bytes_buffered())
                        and not self._has_completed_receive(channel)
                        and node_id not in self._explicitly_muted_channels):
                    self._attempt_read(channel)

                if channel.has_bytes_buffered() and node_id not in self._explicitly_muted_channels:
                    # The socket may never be ready again for bytes that have left it, so the next poll
                    # looks here. If that poll makes no progress for lack of memory, the one after it waits.
                    self._keys_with_buffered_read[key] = None

                # The write.
                now_nanos = channel_start_time_nanos or current_time_nanos
                try:
                    self._attempt_write(key, channel, now_nanos)
                except Exception:
                    send_failed = True
                    raise

                if not key.is_valid():
                    self._close_channel(channel, Selector.CloseMode.GRACEFUL)

            except Exception as e:
                desc = f"{channel.socket_description()} (channelId={channel.id()})"
                if isinstance(e, OSError):
                    self._log.debug("connection with %s disconnected", desc, exc=e)
                elif isinstance(e, AuthenticationException):
                    is_reauthentication = channel.successful_authentications() > 0
                    if is_reauthentication:
                        self._sensors.failed_reauthentication.record()
                    else:
                        self._sensors.failed_authentication.record()
                    reason: BaseException | None = e
                    if isinstance(e, DelayedResponseAuthenticationException):
                        reason = e.__cause__
                    self._log.info("failed %sauthentication with %s (%s)",
                                   "re-" if is_reauthentication else "", desc, reason)
                else:
                    self._log.warn("unexpected error from %s; closing connection", desc, exc=e)

                if isinstance(e, DelayedResponseAuthenticationException):
                    self._maybe_delay_close_on_authentication_failure(channel)
                else:
                    self._close_channel(channel, Selector.CloseMode.NOTIFY_ONLY if send_failed
                                        else Selector.CloseMode.GRACEFUL)
            finally:
                self._maybe_record_time_per_connection(channel, channel_start_time_nanos)

    def _attempt_write(self, key: SelectionKey, channel: KafkaChannel, now_nanos: int) -> None:
        """:origin: common.network.Selector#attemptWrite(SelectionKey, KafkaChannel, long)"""
        if (channel.has_send()
                and channel.ready()
                and key.is_writable()
                and not channel.maybe_begin_client_reauthentication(lambda: now_nanos)):
            self.write(channel)

    def write(self, channel: KafkaChannel) -> None:
        """Write on with the send of ``channel``, and note it if that was all of it. Raises OSError.

        :origin: common.network.Selector#write(KafkaChannel)
        """
        node_id = channel.id()
        bytes_sent = channel.write()
        send = channel.maybe_complete_send()
        # A send can be completed by a write of 0 bytes, if what was left of it was with the transport layer.
        if bytes_sent > 0 or send is not None:
            current_time_ms = self._time.milliseconds()
            if bytes_sent > 0:
                self._sensors.record_bytes_sent(node_id, bytes_sent, current_time_ms)
            if send is not None:
                self._completed_sends.append(send)
                self._sensors.record_completed_send(node_id, send.size(), current_time_ms)

    def _determine_handling_order(self, selection_keys: Collection[SelectionKey]) -> list[SelectionKey]:
        """Return a copy: handling a channel can take keys out of the set that is handled.

        When memory is low the order is by lot, so that the same channels do not always come last.

        :origin: common.network.Selector#determineHandlingOrder(Set<SelectionKey>)
        """
        if not self._out_of_memory and self._memory_pool.available_memory() < self._low_mem_threshold:
            shuffled_keys = list(selection_keys)
            self._random.shuffle(shuffled_keys)
            return shuffled_keys
        else:
            return list(selection_keys)

    def _attempt_read(self, channel: KafkaChannel) -> None:
        """:origin: common.network.Selector#attemptRead(KafkaChannel)"""
        node_id = channel.id()

        bytes_received = channel.read()
        if bytes_received != 0:
            current_time_ms = self._time.milliseconds()
            self._sensors.record_bytes_received(node_id, bytes_received, current_time_ms)
            self._made_read_progress_last_poll = True

            receive = channel.maybe_complete_receive()
            if receive is not None:
                self._add_to_completed_receives(channel, receive, current_time_ms)
        if channel.is_muted():
            self._out_of_memory = True  # only the channel itself mutes itself during its read
        else:
            self._made_read_progress_last_poll = True

    def _maybe_read_from_closing_channel(self, channel: KafkaChannel) -> bool:
        """Read a receive that came before the peer left; return whether the channel has to stay for one.

        :origin: common.network.Selector#maybeReadFromClosingChannel(KafkaChannel)
        """
        if channel.state().state() is not ChannelState.State.READY:
            has_pending = False
        elif channel.id() in self._explicitly_muted_channels or self._has_completed_receive(channel):
            has_pending = True
        else:
            try:
                self._attempt_read(channel)
                has_pending = self._has_completed_receive(channel)
            except Exception as e:
                self._log.trace("a closing channel has nothing more to read", exc=e)
                has_pending = False
        return has_pending

    def _maybe_record_time_per_connection(self, channel: KafkaChannel, start_time_nanos: int) -> None:
        """:origin: common.network.Selector#maybeRecordTimePerConnection(KafkaChannel, long)"""
        if self._record_time_per_connection:
            channel.add_network_thread_time_nanos(self._time.nanoseconds() - start_time_nanos)

    def completed_sends(self) -> Sequence[NetworkSend]:
        """:origin: common.network.Selector#completedSends()"""
        return self._completed_sends

    def completed_receives(self) -> Collection[NetworkReceive]:
        """:origin: common.network.Selector#completedReceives()"""
        return self._completed_receives.values()

    def disconnected(self) -> Mapping[str, ChannelState]:
        """:origin: common.network.Selector#disconnected()"""
        return self._disconnected

    def connected(self) -> Sequence[str]:
        """:origin: common.network.Selector#connected()"""
        return self._connected

    def mute(self, id: str) -> None:
        """Stop reading from a channel, open or closing. Raises IllegalStateException if there is none.

        :origin: common.network.Selector#mute(String)
        """
        channel = self._open_or_closing_channel_or_fail(id)
        self._mute_channel(channel)

    def _mute_channel(self, channel: KafkaChannel) -> None:
        """:origin: common.network.Selector#mute(KafkaChannel)"""
        channel.mute()
        self._explicitly_muted_channels[channel.id()] = channel
        self._keys_with_buffered_read.pop(channel.selection_key(), None)

    def unmute(self, id: str) -> None:
        """Read from a channel again, unless an answer or the end of a throttling is due first.

        Raises IllegalStateException if there is no channel of that id.

        :origin: common.network.Selector#unmute(String)
        """
        channel = self._open_or_closing_channel_or_fail(id)
        self._unmute_channel(channel)

    def _unmute_channel(self, channel: KafkaChannel) -> None:
        """:origin: common.network.Selector#unmute(KafkaChannel)"""
        if channel.maybe_unmute():
            self._explicitly_muted_channels.pop(channel.id(), None)
            if channel.has_bytes_buffered():
                self._keys_with_buffered_read[channel.selection_key()] = None
                self._made_read_progress_last_poll = True

    def mute_all(self) -> None:
        """:origin: common.network.Selector#muteAll()"""
        for channel in self._channels.values():
            self._mute_channel(channel)

    def unmute_all(self) -> None:
        """:origin: common.network.Selector#unmuteAll()"""
        for channel in self._channels.values():
            self._unmute_channel(channel)

    def complete_delayed_channel_close(self, current_time_nanos: int) -> None:
        """Close the channels that failed to authenticate long enough ago; oldest first.

        :origin: common.network.Selector#completeDelayedChannelClose(long)
        """
        if self._delayed_closing_channels is None:
            return

        while self._delayed_closing_channels:
            delayed_close = next(iter(self._delayed_closing_channels.values()))
            if not delayed_close.try_close(current_time_nanos):
                break

    def _maybe_close_oldest_connection(self, current_time_nanos: int) -> None:
        """:origin: common.network.Selector#maybeCloseOldestConnection(long)"""
        if self._idle_expiry_manager is None:
            return

        expired_connection = self._idle_expiry_manager.poll_expired_connection(current_time_nanos)
        if expired_connection is not None:
            connection_id, last_active = expired_connection
            channel = self._channels.get(connection_id)
            if channel is not None:
                if self._log.is_trace_enabled():
                    self._log.trace("closing %s, idle for %d ms", connection_id,
                                    (current_time_nanos - last_active) // 1000 // 1000)
                channel.state_to(ChannelState.EXPIRED)
                self._close_channel(channel, Selector.CloseMode.GRACEFUL)

    def clear_completed_receives(self) -> None:
        """Forget the completed receives now, so that nothing holds their memory until the next poll.

        :origin: common.network.Selector#clearCompletedReceives()
        """
        self._completed_receives.clear()

    def clear_completed_sends(self) -> None:
        """Forget the completed sends now, so that nothing holds their memory until the next poll.

        :origin: common.network.Selector#clearCompletedSends()
        """
        self._completed_sends.clear()

    def _clear(self) -> None:
        """Forget the results of the last poll, and go on with the channels that are closing.

        :origin: common.network.Selector#clear()
        """
        self._completed_sends.clear()
        self._completed_receives.clear()
        self._connected.clear()
        self._disconnected.clear()

        for channel in list(self._closing_channels.values()):
            send_failed = channel.id() in self._failed_sends
            if send_failed:
                self._failed_sends.remove(channel.id())
            has_pending = False
            if not send_failed:
                has_pending = self._maybe_read_from_closing_channel(channel)
            if not has_pending:
                self._do_close(channel, True)
                del self._closing_channels[channel.id()]

        for id in self._failed_sends:
            self._disconnected[id] = ChannelState.FAILED_SEND
        self._failed_sends.clear()
        self._made_read_progress_last_poll = False

    def _select(self, timeout_ms: int) -> int:
        """:origin: common.network.Selector#select(long)"""
        if timeout_ms < 0:
            raise IllegalArgumentException("timeout should be >= 0")

        if timeout_ms == 0:
            return self._nio_selector.select_now()
        return self._nio_selector.select(timeout_ms)

    def close_id(self, id: str) -> None:
        """Close a channel, open or closing; what it has received is dropped, and no poll reports it.

        Unless it was closing and a send to it has failed since the last poll: the next one tells of that.

        :origin: common.network.Selector#close(String)
        """
        channel = self._channels.get(id)
        if channel is not None:
            channel.state_to(ChannelState.LOCAL_CLOSE)
            self._close_channel(channel, Selector.CloseMode.DISCARD_NO_NOTIFY)
        else:
            # It keeps the state in which closing began.
            closing_channel = self._closing_channels.pop(id, None)
            if closing_channel is not None:
                self._do_close(closing_channel, False)

    def _maybe_delay_close_on_authentication_failure(self, channel: KafkaChannel) -> None:
        """:origin: common.network.Selector#maybeDelayCloseOnAuthenticationFailure(KafkaChannel)"""
        delayed_close = DelayedAuthenticationFailureClose(
            self, channel, self._failed_authentication_delay_ms)
        if self._delayed_closing_channels is not None:
            self._delayed_closing_channels[channel.id()] = delayed_close
        else:
            delayed_close.close_now()

    def _handle_close_on_authentication_failure(self, channel: KafkaChannel) -> None:
        """:origin: common.network.Selector#handleCloseOnAuthenticationFailure(KafkaChannel)"""
        try:
            channel.complete_close_on_authentication_failure()
        except Exception as e:
            self._log.error("node %s could not be told that it is refused", channel.id(), exc=e)
        finally:
            self._close_channel(channel, Selector.CloseMode.GRACEFUL)

    def _close_channel(self, channel: KafkaChannel, close_mode: CloseMode) -> None:
        """Begin to close a channel, and finish unless it is to be read from first.

        GRACEFUL keeps a channel that has, or has had, a receive to be handled: a producer that wants no
        acknowledgement sends its records and closes, and all of that can meet a single poll.

        :origin: common.network.Selector#close(KafkaChannel, CloseMode)
        """
        channel.disconnect()

        # It may have connected and failed within the same poll.
        if channel.id() in self._connected:
            self._connected.remove(channel.id())

        if close_mode is Selector.CloseMode.GRACEFUL and self._maybe_read_from_closing_channel(channel):
            self._closing_channels[channel.id()] = channel
            self._log.debug("keeping %s, which is closing, for its outstanding requests", channel.id())
        else:
            self._do_close(channel, close_mode.notify_disconnect)
        self._channels.pop(channel.id(), None)

        if self._delayed_closing_channels is not None:
            self._delayed_closing_channels.pop(channel.id(), None)

        if self._idle_expiry_manager is not None:
            self._idle_expiry_manager.remove(channel.id())

    def _do_close(self, channel: KafkaChannel, notify_disconnect: bool) -> None:
        """Close the channel itself.

        :origin: common.network.Selector#doClose(KafkaChannel, boolean)
        """
        key = channel.selection_key()
        try:
            self._immediately_connected_keys.pop(key, None)
            self._keys_with_buffered_read.pop(key, None)
            channel.close()
        except OSError as e:
            self._log.error("error while closing the connection to node %s", channel.id(), exc=e)
        finally:
            key.cancel()
            key.attach(None)

        self._sensors.connection_closed.record()
        self._explicitly_muted_channels.pop(channel.id(), None)
        if notify_disconnect:
            self._disconnected[channel.id()] = channel.state()

    def is_channel_ready(self, id: str) -> bool:
        """:origin: common.network.Selector#isChannelReady(String)"""
        channel = self._channels.get(id)
        return channel is not None and channel.ready()

    def _open_or_closing_channel_or_fail(self, id: str) -> KafkaChannel:
        """:origin: common.network.Selector#openOrClosingChannelOrFail(String)"""
        channel = self._channels.get(id)
        if channel is None:
            channel = self._closing_channels.get(id)
        if channel is None:
            raise IllegalStateException(
                "Attempt to retrieve channel for which there is no connection. Connection id "
                f"{id} existing connections {list(self._channels)}")
        return channel

    def channels(self) -> list[KafkaChannel]:
        """Return the open channels, those that are closing not among them.

        :origin: common.network.Selector#channels()
        """
        return list(self._channels.values())

    def closing_channels(self) -> list[KafkaChannel]:
        """Return the channels that are closing: a processor counts them out when it ends (D01)."""
        return list(self._closing_channels.values())

    def channel(self, id: str) -> KafkaChannel | None:
        """Return the open channel of that id, or None.

        :origin: common.network.Selector#channel(String)
        """
        return self._channels.get(id)

    def closing_channel(self, id: str) -> KafkaChannel | None:
        """Return the channel of that id that is disconnected but has receives to be handled, or None.

        :origin: common.network.Selector#closingChannel(String)
        """
        return self._closing_channels.get(id)

    def lowest_priority_channel(self) -> KafkaChannel | None:
        """Return the channel to close if one must be closed: a closing one, else the one idle longest.

        Without idle expiry it is any; None if there is none.

        :origin: common.network.Selector#lowestPriorityChannel()
        """
        channel: KafkaChannel | None = None
        if self._closing_channels:
            channel = next(iter(self._closing_channels.values()))
        elif self._idle_expiry_manager is not None and self._idle_expiry_manager._lru_connections:
            channel_id = next(iter(self._idle_expiry_manager._lru_connections))
            channel = self.channel(channel_id)
        elif self._channels:
            channel = next(iter(self._channels.values()))
        return channel

    def _has_completed_receive(self, channel: KafkaChannel) -> bool:
        """:origin: common.network.Selector#hasCompletedReceive(KafkaChannel)"""
        return channel.id() in self._completed_receives

    def _add_to_completed_receives(
        self, channel: KafkaChannel, network_receive: NetworkReceive, current_time_ms: int,
    ) -> None:
        """:origin: common.network.Selector#addToCompletedReceives(KafkaChannel, NetworkReceive, long)"""
        if self._has_completed_receive(channel):
            raise IllegalStateException(
                f"Attempting to add second completed receive to channel {channel.id()}")

        self._completed_receives[channel.id()] = network_receive
        self._sensors.record_completed_receive(channel.id(), network_receive.size(), current_time_ms)

    def keys(self) -> set[SelectionKey]:
        """Return the keys of the selector underneath, for tests.

        :origin: common.network.Selector#keys()
        """
        return set(self._nio_selector.keys())

    # IdleExpiryManager and SelectorMetrics: modules of those names.

    def is_out_of_memory(self) -> bool:
        """Return whether a channel has muted itself for lack of memory, for tests.

        :origin: common.network.Selector#isOutOfMemory()
        """
        return self._out_of_memory

    def is_made_read_progress_last_poll(self) -> bool:
        """Return whether the last poll got anywhere with buffered bytes, for tests.

        :origin: common.network.Selector#isMadeReadProgressLastPoll()
        """
        return self._made_read_progress_last_poll

    def delayed_closing_channels(self) -> Mapping[str, DelayedAuthenticationFailureClose] | None:
        """Return the channels whose close is held back, None if none ever is, for tests.

        :origin: common.network.Selector#delayedClosingChannels()
        """
        return self._delayed_closing_channels


class SelectorChannelMetadataRegistry(ChannelMetadataRegistry):
    """Counts a channel in the gauges of its cipher and of its client software.

    :origin: common.network.Selector.SelectorChannelMetadataRegistry
    """

    __slots__ = ("_sensors", "_cipher_information", "_client_information")

    def __init__(self, sensors: SelectorMetrics) -> None:
        self._sensors = sensors
        self._cipher_information: CipherInformation | None = None
        self._client_information: ClientInformation | None = None

    def register_cipher_information(self, cipher_information: CipherInformation) -> None:
        """:origin: common.network.Selector.SelectorChannelMetadataRegistry#registerCipherInformation(
            CipherInformation)
        """
        if self._cipher_information is not None:
            if self._cipher_information == cipher_information:
                return
            self._sensors.connections_by_cipher.decrement(self._cipher_information)

        self._cipher_information = cipher_information
        self._sensors.connections_by_cipher.increment(cipher_information)

    def cipher_information(self) -> CipherInformation | None:
        """:origin: common.network.Selector.SelectorChannelMetadataRegistry#cipherInformation()"""
        return self._cipher_information

    def register_client_information(self, client_information: ClientInformation) -> None:
        """:origin: common.network.Selector.SelectorChannelMetadataRegistry#registerClientInformation(
            ClientInformation)
        """
        if self._client_information is not None:
            if self._client_information == client_information:
                return
            self._sensors.connections_by_client.decrement(self._client_information)

        self._client_information = client_information
        self._sensors.connections_by_client.increment(client_information)

    def client_information(self) -> ClientInformation | None:
        """:origin: common.network.Selector.SelectorChannelMetadataRegistry#clientInformation()"""
        return self._client_information

    def close(self) -> None:
        """:origin: common.network.Selector.SelectorChannelMetadataRegistry#close()"""
        if self._cipher_information is not None:
            self._sensors.connections_by_cipher.decrement(self._cipher_information)
            self._cipher_information = None

        if self._client_information is not None:
            self._sensors.connections_by_client.decrement(self._client_information)
            self._client_information = None


class DelayedAuthenticationFailureClose:
    """Holds the close of a channel back until a time.

    :origin: common.network.Selector.DelayedAuthenticationFailureClose
    """

    __slots__ = ("_selector", "_channel", "_end_time_nanos", "_closed")

    def __init__(self, selector: Selector, channel: KafkaChannel, delay_ms: int) -> None:
        """:origin: common.network.Selector.DelayedAuthenticationFailureClose#
            DelayedAuthenticationFailureClose(KafkaChannel, int)
        """
        self._selector = selector
        self._channel = channel
        self._end_time_nanos = selector._time.nanoseconds() + delay_ms * 1000 * 1000
        self._closed = False

    def try_close(self, current_time_nanos: int) -> bool:
        """Close the channel if it is time to (monotonic clock); return whether it was.

        :origin: common.network.Selector.DelayedAuthenticationFailureClose#tryClose(long)
        """
        if self._end_time_nanos <= current_time_nanos:
            self.close_now()
        return self._closed

    def close_now(self) -> None:
        """Close the channel, whatever the time. Raises IllegalStateException at a second call.

        :origin: common.network.Selector.DelayedAuthenticationFailureClose#closeNow()
        """
        if self._closed:
            raise IllegalStateException("Attempt to close a channel that has already been closed")
        self._selector._handle_close_on_authentication_failure(self._channel)
        self._closed = True
