# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.Selector of Apache Kafka 1.0.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Many size-delimited connections on one thread: staged receives, and a bound for their memory.

Owner: one thread, which calls ``poll`` in a loop, and all other methods between two polls. Any thread may
call ``wakeup``.

A ready channel is read until its socket is empty, or until the memory pool refuses. Every complete receive is
staged. Each poll moves one receive of each channel that is not explicitly muted to the completed ones. A
channel with staged receives is not read. Staged receives hold memory of the pool.

============================  =============================================================================
container                     the channel
============================  =============================================================================
_channels                     is open
_closing_channels             is disconnected; its staged receives are still handed out
_explicitly_muted_channels    was muted by ``mute``, not by lack of memory
_staged_receives              has receives that no poll has handed out yet
_immediately_connected_keys   connected within ``connect``; of interest to the next poll
_keys_with_buffered_read      has buffered bytes, which have left its socket
_completed_receives           has a receive that the last poll handed out
_completed_sends              had a send that the last poll finished
_connected                    got its connection in the last poll
_disconnected                 was closed in the last poll, or its send failed
_failed_sends                 got a send while closing, or one that could not begin
============================  =============================================================================
"""

from __future__ import annotations

from collections import deque
from typing import Collection, Mapping

from kreactor.common.errors import AuthenticationException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.idle_expiry_manager import IdleExpiryManager
from kreactor.common.network.selectable import Selectable
from kreactor.common.network.selector_metrics import SelectorMetrics
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.editions.v0_10_2.common.network.send import Send
from kreactor.editions.v1_0.common.network.channel_builder import ChannelBuilder
from kreactor.editions.v1_0.common.network.channel_state import ChannelState
from kreactor.editions.v1_0.common.network.kafka_channel import KafkaChannel
from kreactor.editions.v1_0.common.network.network_receive import NetworkReceive
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


class Selector:
    """Sends and receives messages over channels, which are identified by ids.

    :origin: 1.0.2 common.network.Selector
    """

    NO_IDLE_TIMEOUT_MS = -1

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
        metric_tags: Mapping[str, str] | None = None,
        metrics_per_connection: bool = True,
        record_time_per_connection: bool = False,
        memory_pool: MemoryPool = MemoryPool.NONE,
    ) -> None:
        """Open a selector; ``close`` closes ``channel_builder`` too.

        ``max_receive_size`` is in bytes, ``NetworkReceive.UNLIMITED`` for no bound. Idle connections are kept
        without limit with ``NO_IDLE_TIMEOUT_MS``. Raises KafkaException without a free descriptor.

        :origin: 1.0.2 common.network.Selector#Selector(
            int, long, Metrics, Time, String, Map<String,String>, boolean, boolean, ChannelBuilder,
            MemoryPool, LogContext)
        :origin: 1.0.2 common.network.Selector#Selector(
            int, long, Metrics, Time, String, Map<String,String>, boolean, ChannelBuilder, LogContext)
        :origin: 1.0.2 common.network.Selector#Selector(
            long, Metrics, Time, String, ChannelBuilder, LogContext)
        """
        try:
            self._nio_selector = nio_selector.Selector.open()
        except OSError as e:
            raise KafkaException(cause=e) from e
        self._max_receive_size = max_receive_size
        self._time = time
        self._channels: dict[str, KafkaChannel] = {}
        self._explicitly_muted_channels: set[KafkaChannel] = set()
        self._out_of_memory = False
        self._completed_sends: list[Send] = []
        self._completed_receives: list[NetworkReceive] = []
        self._staged_receives: dict[KafkaChannel, deque[NetworkReceive]] = {}
        # Sets of keys are dicts, which keep the insertion order.
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
        self._record_time_per_connection = record_time_per_connection
        self._idle_expiry_manager = (
            None if connection_max_idle_ms < 0 else IdleExpiryManager(time, connection_max_idle_ms))
        self._memory_pool = memory_pool
        self._low_mem_threshold = int(0.1 * memory_pool.size())
        self._random: Random = RANDOM
        # Whether the last poll made progress with buffered bytes. Without memory for them it makes none, and
        # the next poll must wait instead of spinning.
        self._made_read_progress_last_poll = True

    def connect(
        self, id: str, address: InetSocketAddress, send_buffer_size: int, receive_buffer_size: int,
    ) -> None:
        """Begin to connect a channel with the id ``id``; ``connected`` lists it once it is connected.

        Buffer sizes are in bytes, or ``USE_DEFAULT_BUFFER_SIZE``. Raises IllegalStateException if there is a
        channel with that id, OSError for an unknown host or an immediate refusal.

        :origin: 1.0.2 common.network.Selector#connect(String, InetSocketAddress, int, int)
        """
        self._ensure_not_registered(id)
        socket_channel = SocketChannel.open()
        try:
            self._configure_socket_channel(socket_channel, send_buffer_size, receive_buffer_size)
            connected = self._do_connect(socket_channel, address)
            key = self._register_channel(id, socket_channel, SelectionKey.OP_CONNECT)

            if connected:
                # The kernel reports only the end of a wait, and here was no wait.
                self._log.debug("immediately connected to node %s", id)
                self._immediately_connected_keys[key] = None
                key.interest_ops_to(0)
        except Exception:
            # BUG until 2.2.0, KAFKA-7712: a channel that is registered already stays in the containers.
            socket_channel.close()
            raise

    def _do_connect(self, channel: SocketChannel, address: InetSocketAddress) -> bool:
        """Begin to connect; return whether the connection is complete already. Tests override this method.

        :origin: 1.0.2 common.network.Selector#doConnect(SocketChannel, InetSocketAddress)
        """
        try:
            return channel.connect(address)
        except UnresolvedAddressException as e:
            raise OSError(f"Can't resolve address: {address}") from e

    def _configure_socket_channel(
        self, socket_channel: SocketChannel, send_buffer_size: int, receive_buffer_size: int,
    ) -> None:
        """:origin: 1.0.2 common.network.Selector#configureSocketChannel(SocketChannel, int, int)"""
        socket_channel.configure_blocking(False)
        socket = socket_channel.socket()
        socket.set_keep_alive(True)
        if send_buffer_size != Selectable.USE_DEFAULT_BUFFER_SIZE:
            socket.set_send_buffer_size(send_buffer_size)
        if receive_buffer_size != Selectable.USE_DEFAULT_BUFFER_SIZE:
            socket.set_receive_buffer_size(receive_buffer_size)
        socket.set_tcp_no_delay(True)

    def register(self, id: str, socket_channel: SocketChannel) -> None:
        """Register a connection that a server has accepted.

        An id must not be reused while its former connection may still be closing, so a server's ids contain a
        counter. Raises IllegalStateException if there is a channel with that id, OSError if the channel
        cannot be built; the socket is closed then.

        :origin: 1.0.2 common.network.Selector#register(String, SocketChannel)
        """
        self._ensure_not_registered(id)
        # BUG until 2.0.1, KAFKA-7453: the idle expiry does not know a connection that never becomes ready.
        self._register_channel(id, socket_channel, SelectionKey.OP_READ)

    def _ensure_not_registered(self, id: str) -> None:
        """:origin: 1.0.2 common.network.Selector#ensureNotRegistered(String)"""
        if id in self._channels:
            raise IllegalStateException(f"There is already a connection for id {id}")
        if id in self._closing_channels:
            raise IllegalStateException(
                f"There is already a connection for id {id} that is still being closed")

    def _register_channel(
        self, id: str, socket_channel: SocketChannel, interested_ops: int,
    ) -> SelectionKey:
        """:origin: 1.0.2 common.network.Selector#registerChannel(String, SocketChannel, int)"""
        key = socket_channel.register(self._nio_selector, interested_ops)
        channel = self._build_and_attach_kafka_channel(socket_channel, id, key)
        self._channels[id] = channel
        return key

    def _build_and_attach_kafka_channel(
        self, socket_channel: SocketChannel, id: str, key: SelectionKey,
    ) -> KafkaChannel:
        """:origin: 1.0.2 common.network.Selector#buildAndAttachKafkaChannel(
            SocketChannel, String, SelectionKey)
        """
        try:
            channel = self._channel_builder.build_channel(id, key, self._max_receive_size, self._memory_pool)
            key.attach(channel)
            return channel
        except Exception as e:
            description = str(socket_channel)
            try:
                socket_channel.close()
            finally:
                key.cancel()
            raise OSError(f"Channel could not be created for socket {description}") from e

    def wakeup(self) -> None:
        """End a waiting poll, or keep the next poll from waiting. Called by any thread.

        :origin: 1.0.2 common.network.Selector#wakeup()
        """
        self._nio_selector.wakeup()

    def close(self) -> None:
        """Close every channel, the selector, its sensors and the channel builder.

        :origin: 1.0.2 common.network.Selector#close()
        """
        connections = list(self._channels)
        # DEVIATION D353: the origin leaves closing channels to the garbage collector.
        connections += self._closing_channels
        # BUG until 2.2.2, KAFKA-8066, for the sensors, and until 2.7.0, KAFKA-10014, for channels: an
        # exception ends this loop, and leaves the remaining ones open.
        for id in connections:
            self.close_id(id)
        try:
            self._nio_selector.close()
        except OSError as e:
            self._log.error("error while closing nioSelector", exc=e)
        self._sensors.close()
        self._channel_builder.close()

    def send(self, send: Send) -> None:
        """Queue ``send``; the next polls write it.

        A channel that is closing or closed drops the send, and the next poll reports it in ``disconnected``.
        Raises IllegalStateException if there is no channel with that id, or if it has a send under way; the
        channel is closed then.

        :origin: 1.0.2 common.network.Selector#send(Send)
        """
        connection_id = send.destination()
        channel = self._open_or_closing_channel_or_fail(connection_id)
        if connection_id in self._closing_channels:
            # The channel keeps its state from the start of the close.
            self._failed_sends.append(connection_id)
        else:
            try:
                channel.set_send(send)
            except Exception as e:
                channel.state_to(ChannelState.FAILED_SEND)
                # The next poll reports the close, so the close itself does not.
                self._failed_sends.append(connection_id)
                self._close_channel(channel, False, False)
                if not isinstance(e, CancelledKeyException):
                    self._log.error("closing connection %s, whose send could not begin", connection_id, exc=e)
                    raise

    def poll(self, timeout: int) -> None:
        """Handle all ready channels; wait up to ``timeout`` ms if no channel is ready.

        ``completed_sends``, ``completed_receives``, ``connected`` and ``disconnected`` have the results until
        the next poll. Staged receives that can be handed out end the wait at once. Raises
        IllegalArgumentException if ``timeout`` is negative, OSError from the select itself.

        :origin: 1.0.2 common.network.Selector#poll(long)
        """
        if timeout < 0:
            raise IllegalArgumentException("timeout should be >= 0")

        made_read_progress_last_call = self._made_read_progress_last_poll
        self._clear()

        data_in_buffers = bool(self._keys_with_buffered_read)

        if (self._has_staged_receives() or self._immediately_connected_keys
                or (made_read_progress_last_call and data_in_buffers)):
            timeout = 0

        if not self._memory_pool.is_out_of_memory() and self._out_of_memory:
            self._log.trace("memory again: unmuting the channels that waited for it")
            for channel in self._channels.values():
                if channel.is_in_mutable_state() and channel not in self._explicitly_muted_channels:
                    channel.unmute()
            self._out_of_memory = False

        start_select = self._time.nanoseconds()
        num_ready_keys = self._select(timeout)
        end_select = self._time.nanoseconds()
        self._sensors.select_time.record(end_select - start_select, self._time.milliseconds())

        if num_ready_keys > 0 or self._immediately_connected_keys or data_in_buffers:
            ready_keys = self._nio_selector.selected_keys()

            # Channels with buffered bytes come first; channels with ready sockets follow.
            if data_in_buffers:
                for key in ready_keys:
                    self._keys_with_buffered_read.pop(key, None)
                to_poll = self._keys_with_buffered_read
                self._keys_with_buffered_read = {}  # channels with remaining bytes are added again
                self.poll_selection_keys(to_poll, False, end_select)

            self.poll_selection_keys(ready_keys, False, end_select)
            # A key that stays among the selected keys would not count at the next select.
            ready_keys.clear()

            self.poll_selection_keys(self._immediately_connected_keys, True, end_select)
            self._immediately_connected_keys.clear()
        else:
            self._made_read_progress_last_poll = True  # no ready channel does not mean lack of memory

        end_io = self._time.nanoseconds()
        self._sensors.io_time.record(end_io - end_select, self._time.milliseconds())

        # Uses the time before the channels were handled, so that a channel that was just active is not idle.
        self._maybe_close_oldest_connection(end_select)

        # Done after the expiry, so that a channel which expires still hands out its receives.
        self._add_to_completed_receives()

    def poll_selection_keys(
        self,
        selection_keys: Collection[SelectionKey],
        is_immediately_connected: bool,
        current_time_nanos: int,
    ) -> None:
        """Connect, prepare, read and write the channels of ``selection_keys``, each as far as possible.

        A failing channel is closed, and does not affect other channels. The time is the time of the select,
        on the monotonic clock.

        :origin: 1.0.2 common.network.Selector#pollSelectionKeys(Set<SelectionKey>, boolean, long)
        """
        for key in self._determine_handling_order(selection_keys):
            channel: KafkaChannel = key.attachment()
            channel_start_time_nanos = self._time.nanoseconds() if self._record_time_per_connection else 0

            self._sensors.maybe_register_connection_metrics(channel.id())
            if self._idle_expiry_manager is not None:
                self._idle_expiry_manager.update(channel.id(), current_time_nanos)

            send_failed = False
            try:

                # The connection: established in `connect`, or settled now.
                if is_immediately_connected or key.is_connectable():
                    if channel.finish_connect():
                        self._connected.append(channel.id())
                        # BUG until 2.0.1, KAFKA-6809: accepted connections are not counted.
                        self._sensors.connection_created.record()
                        if self._log.is_debug_enabled():
                            socket = key.channel().socket()
                            self._log.debug(
                                "created socket with SO_RCVBUF = %d, SO_SNDBUF = %d, SO_TIMEOUT = %d "
                                "to node %s",
                                socket.get_receive_buffer_size(), socket.get_send_buffer_size(),
                                socket.get_so_timeout(), channel.id())
                    else:
                        continue

                # The handshake and the authentication.
                if channel.is_connected() and not channel.ready():
                    try:
                        channel.prepare()
                    except AuthenticationException:
                        self._sensors.failed_authentication.record()
                        raise
                    if channel.ready():
                        self._sensors.successful_authentication.record()

                self._attempt_read(key, channel)

                if channel.has_bytes_buffered():
                    # The socket may never be ready again for bytes that have left it, so the next poll
                    # handles this channel, too. If that poll makes no progress for lack of memory, the
                    # following poll waits. BUG until 3.0.0, KAFKA-12427: a muted channel is added, too. Each
                    # poll visits it without a read, and counts it as active.
                    self._keys_with_buffered_read[key] = None

                # The write.
                if channel.ready() and key.is_writable():
                    send = None
                    try:
                        send = channel.write()
                    except Exception:
                        send_failed = True
                        raise
                    if send is not None:
                        self._completed_sends.append(send)
                        self._record_bytes_sent(channel.id(), send.size())

                if not key.is_valid():
                    self._close_channel(channel, True, True)

            except Exception as e:
                desc = channel.socket_description()
                if isinstance(e, OSError):
                    self._log.debug("connection with %s disconnected", desc, exc=e)
                elif isinstance(e, AuthenticationException):
                    self._log.debug("connection with %s failed to authenticate", desc, exc=e)
                else:
                    self._log.warn("unexpected error from %s; closing connection", desc, exc=e)
                self._close_channel(channel, not send_failed, True)
            finally:
                self._maybe_record_time_per_connection(channel, channel_start_time_nanos)

    def _determine_handling_order(self, selection_keys: Collection[SelectionKey]) -> list[SelectionKey]:
        """Return a copy of the keys, because handling a channel can remove keys from the set.

        When memory is low the order is random, so that the same channels do not always come last.

        :origin: 1.0.2 common.network.Selector#determineHandlingOrder(Set<SelectionKey>)
        """
        keys = list(selection_keys)
        if not self._out_of_memory and self._memory_pool.available_memory() < self._low_mem_threshold:
            self._random.shuffle(keys)
        return keys

    def _attempt_read(self, key: SelectionKey, channel: KafkaChannel) -> None:
        """Read a channel until its socket is empty, unless it is muted or has staged receives.

        Raises OSError.

        :origin: 1.0.2 common.network.Selector#attemptRead(SelectionKey, KafkaChannel)
        """
        if (channel.ready() and (key.is_readable() or channel.has_bytes_buffered())
                and not self._has_staged_receive(channel)
                and channel not in self._explicitly_muted_channels):
            # BUG until 2.5.0, KAFKA-7639: memory for all that a peer sends at once.
            while (network_receive := channel.read()) is not None:
                self._made_read_progress_last_poll = True
                self._add_to_staged_receives(channel, network_receive)
            if channel.is_mute():
                self._out_of_memory = True  # only the channel itself mutes it during a read
            else:
                self._made_read_progress_last_poll = True

    def _maybe_record_time_per_connection(self, channel: KafkaChannel, start_time_nanos: int) -> None:
        """:origin: 1.0.2 common.network.Selector#maybeRecordTimePerConnection(KafkaChannel, long)"""
        if self._record_time_per_connection:
            channel.add_network_thread_time_nanos(self._time.nanoseconds() - start_time_nanos)

    def completed_sends(self) -> list[Send]:
        """Return the sends that the last poll finished.

        :origin: 1.0.2 common.network.Selector#completedSends()
        """
        return self._completed_sends

    def completed_receives(self) -> list[NetworkReceive]:
        """Return the receives that the last poll handed out, at most one for each channel.

        :origin: 1.0.2 common.network.Selector#completedReceives()
        """
        return self._completed_receives

    def disconnected(self) -> Mapping[str, ChannelState]:
        """Return the ids of the channels that the last poll closed, each with its last state.

        :origin: 1.0.2 common.network.Selector#disconnected()
        """
        return self._disconnected

    def connected(self) -> list[str]:
        """Return the ids of the channels whose connection the last poll found established.

        :origin: 1.0.2 common.network.Selector#connected()
        """
        return self._connected

    def mute(self, id: str) -> None:
        """Stop reading from a channel, open or closing. Raises IllegalStateException if there is none.

        :origin: 1.0.2 common.network.Selector#mute(String)
        """
        channel = self._open_or_closing_channel_or_fail(id)
        self._mute_channel(channel)

    def _mute_channel(self, channel: KafkaChannel) -> None:
        """:origin: 1.0.2 common.network.Selector#mute(KafkaChannel)"""
        channel.mute()
        self._explicitly_muted_channels.add(channel)

    def unmute(self, id: str) -> None:
        """Read from a channel again, open or closing. Raises IllegalStateException if there is none.

        :origin: 1.0.2 common.network.Selector#unmute(String)
        """
        channel = self._open_or_closing_channel_or_fail(id)
        self._unmute_channel(channel)

    def _unmute_channel(self, channel: KafkaChannel) -> None:
        """:origin: 1.0.2 common.network.Selector#unmute(KafkaChannel)"""
        self._explicitly_muted_channels.discard(channel)
        channel.unmute()

    def mute_all(self) -> None:
        """:origin: 1.0.2 common.network.Selector#muteAll()"""
        for channel in self._channels.values():
            self._mute_channel(channel)

    def unmute_all(self) -> None:
        """:origin: 1.0.2 common.network.Selector#unmuteAll()"""
        for channel in self._channels.values():
            self._unmute_channel(channel)

    def _maybe_close_oldest_connection(self, current_time_nanos: int) -> None:
        """:origin: 1.0.2 common.network.Selector#maybeCloseOldestConnection(long)"""
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
                self._close_channel(channel, True, True)

    def _clear(self) -> None:
        """Clear the results of the last poll, and complete pending closes.

        :origin: 1.0.2 common.network.Selector#clear()
        """
        self._completed_sends.clear()
        self._completed_receives.clear()
        self._connected.clear()
        self._disconnected.clear()
        # A closing channel is removed once its stage is empty, or after a send to it.
        for id, channel in list(self._closing_channels.items()):
            staged_deque = self._staged_receives.get(channel)
            send_failed = channel.id() in self._failed_sends
            if send_failed:
                self._failed_sends.remove(channel.id())
            if not staged_deque or send_failed:
                self._do_close(channel, True)
                del self._closing_channels[id]
        for id in self._failed_sends:
            self._disconnected[id] = ChannelState.FAILED_SEND
        self._failed_sends.clear()
        self._made_read_progress_last_poll = False

    def _select(self, timeout_ms: int) -> int:
        """:origin: 1.0.2 common.network.Selector#select(long)"""
        if timeout_ms < 0:
            raise IllegalArgumentException("timeout should be >= 0")

        if timeout_ms == 0:
            return self._nio_selector.select_now()
        return self._nio_selector.select(timeout_ms)

    def close_id(self, id: str) -> None:
        """Close a channel, open or closing, and drop its staged receives; no poll reports the close.

        :origin: 1.0.2 common.network.Selector#close(String)
        """
        channel = self._channels.get(id)
        if channel is not None:
            channel.state_to(ChannelState.LOCAL_CLOSE)
            self._close_channel(channel, False, False)
        else:
            # The channel keeps its state from the start of the close.
            closing_channel = self._closing_channels.pop(id, None)
            if closing_channel is not None:
                self._do_close(closing_channel, False)

    def _close_channel(
        self, channel: KafkaChannel, process_outstanding: bool, notify_disconnect: bool,
    ) -> None:
        """Begin to close a channel, and complete the close unless its staged receives are handed out first.

        A producer without acknowledgements sends its records and closes, and a single poll can see both. With
        ``notify_disconnect`` the poll that completes the close reports it; otherwise the caller does. Raises
        IllegalStateException for ``process_outstanding`` without it.

        :origin: 1.0.2 common.network.Selector#close(KafkaChannel, boolean, boolean)
        """
        if process_outstanding and not notify_disconnect:
            raise IllegalStateException(
                "Disconnect notification required for remote disconnect after processing outstanding "
                "requests")

        channel.disconnect()

        # One poll can see a connect and its failure.
        if channel.id() in self._connected:
            self._connected.remove(channel.id())

        staged_deque = self._staged_receives.get(channel)
        if process_outstanding and staged_deque:
            # The end of this poll or a later poll hands out its receives.
            self._closing_channels[channel.id()] = channel
            self._log.debug("connection %s closes after its outstanding requests", channel.id())
        else:
            self._do_close(channel, notify_disconnect)
        self._channels.pop(channel.id(), None)

        if self._idle_expiry_manager is not None:
            self._idle_expiry_manager.remove(channel.id())

    def _do_close(self, channel: KafkaChannel, notify_disconnect: bool) -> None:
        """:origin: 1.0.2 common.network.Selector#doClose(KafkaChannel, boolean)"""
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
        # BUG until 2.5.0, KAFKA-7639: the memory of staged receives is never returned to the pool.
        self._staged_receives.pop(channel, None)
        self._explicitly_muted_channels.discard(channel)
        if notify_disconnect:
            self._disconnected[channel.id()] = channel.state()

    def is_channel_ready(self, id: str) -> bool:
        """Return whether a channel is connected and authenticated.

        :origin: 1.0.2 common.network.Selector#isChannelReady(String)
        """
        channel = self._channels.get(id)
        return channel is not None and channel.ready()

    def _open_or_closing_channel_or_fail(self, id: str) -> KafkaChannel:
        """:origin: 1.0.2 common.network.Selector#openOrClosingChannelOrFail(String)"""
        channel = self._channels.get(id)
        if channel is None:
            channel = self._closing_channels.get(id)
        if channel is None:
            raise IllegalStateException(
                "Attempt to retrieve channel for which there is no connection. Connection id "
                f"{id} existing connections {list(self._channels)}")
        return channel

    def channels(self) -> list[KafkaChannel]:
        """Return the open channels.

        :origin: 1.0.2 common.network.Selector#channels()
        """
        return list(self._channels.values())

    def channel(self, id: str) -> KafkaChannel | None:
        """Return the open channel with an id, or None.

        :origin: 1.0.2 common.network.Selector#channel(String)
        """
        return self._channels.get(id)

    def closing_channel(self, id: str) -> KafkaChannel | None:
        """Return the disconnected channel with an id that still has staged receives, or None.

        :origin: 1.0.2 common.network.Selector#closingChannel(String)
        """
        return self._closing_channels.get(id)

    def closing_channels(self) -> list[KafkaChannel]:
        """Return the closing channels, which a processor subtracts from the counts when it ends (D353)."""
        return list(self._closing_channels.values())

    def _has_staged_receive(self, channel: KafkaChannel) -> bool:
        """:origin: 1.0.2 common.network.Selector#hasStagedReceive(KafkaChannel)"""
        return channel in self._staged_receives

    def _has_staged_receives(self) -> bool:
        """Return whether a channel that is not muted has a staged receive.

        :origin: 1.0.2 common.network.Selector#hasStagedReceives()
        """
        # BUG until 2.5.0, KAFKA-7639: a channel that waits for memory does not count. Its staged receives are
        # handed out only after the select has waited for its time-out.
        for channel in self._staged_receives:
            if not channel.is_mute():
                return True
        return False

    def _add_to_staged_receives(self, channel: KafkaChannel, receive: NetworkReceive) -> None:
        """:origin: 1.0.2 common.network.Selector#addToStagedReceives(KafkaChannel, NetworkReceive)"""
        if channel not in self._staged_receives:
            self._staged_receives[channel] = deque()

        staged_deque = self._staged_receives[channel]
        staged_deque.append(receive)

    def _add_to_completed_receives(self) -> None:
        """Hand out one staged receive of each channel that is not explicitly muted.

        A channel that waits for memory also hands out its staged receives, because this frees memory.

        :origin: 1.0.2 common.network.Selector#addToCompletedReceives()
        """
        if self._staged_receives:
            for channel, staged_deque in list(self._staged_receives.items()):
                if channel not in self._explicitly_muted_channels:
                    self._add_to_completed_receives_of(channel, staged_deque)
                    if not staged_deque:
                        del self._staged_receives[channel]

    def _add_to_completed_receives_of(
        self, channel: KafkaChannel, staged_deque: deque[NetworkReceive],
    ) -> None:
        """:origin: 1.0.2 common.network.Selector#addToCompletedReceives(
            KafkaChannel, Deque<NetworkReceive>)
        """
        network_receive = staged_deque.popleft()
        self._completed_receives.append(network_receive)
        self._record_bytes_received(channel.id(), network_receive.payload().limit())

    def keys(self) -> set[SelectionKey]:
        """Return the keys of the selector underneath, for tests.

        :origin: 1.0.2 common.network.Selector#keys()
        """
        return set(self._nio_selector.keys())

    def num_staged_receives(self, channel: KafkaChannel) -> int:
        """Return the number of staged receives of a channel, for tests.

        :origin: 1.0.2 common.network.Selector#numStagedReceives(KafkaChannel)
        """
        staged_deque = self._staged_receives.get(channel)
        return 0 if staged_deque is None else len(staged_deque)

    # IdleExpiryManager and SelectorMetrics: see the modules of these names of 3.8.0.

    def _record_bytes_sent(self, connection_id: str, size: int) -> None:
        """:origin: 1.0.2 common.network.Selector.SelectorMetrics#recordBytesSent(String, long)"""
        now = self._time.milliseconds()
        self._sensors.record_bytes_sent(connection_id, size, now)
        self._sensors.record_completed_send(connection_id, size, now)

    def _record_bytes_received(self, connection: str, size: int) -> None:
        """:origin: 1.0.2 common.network.Selector.SelectorMetrics#recordBytesReceived(String, int)"""
        now = self._time.milliseconds()
        self._sensors.record_bytes_received(connection, size, now)
        self._sensors.record_completed_receive(connection, size, now)

    def is_out_of_memory(self) -> bool:
        """Return whether a channel waits for memory, for tests.

        :origin: 1.0.2 common.network.Selector#isOutOfMemory()
        """
        return self._out_of_memory

    def is_made_read_progress_last_poll(self) -> bool:
        """Return whether the last poll has read anything, for tests.

        :origin: 1.0.2 common.network.Selector#isMadeReadProgressLastPoll()
        """
        return self._made_read_progress_last_poll
