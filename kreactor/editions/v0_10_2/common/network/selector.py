# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.Selector of Apache Kafka 0.10.2.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Many size-delimited connections on one thread, as releases before 2.5 had it: with staged receives.

Owner: one thread, which calls ``poll`` in a loop, and all other methods between two polls. Any thread may
call ``wakeup``.

A ready channel is read until its socket is empty. Every complete receive is staged, and each poll moves one
staged receive of each channel that is not muted to the completed ones. A channel with staged receives is not
read: only one event at a time fills the stage. But one event can bring all receives in the socket.

===========================  ==============================================================================
container                    the channel
===========================  ==============================================================================
_channels                    is open
_closing_channels            is disconnected; its staged receives are still handed out
_staged_receives             has receives that no poll has handed out yet
_immediately_connected_keys  connected within ``connect``; of interest to the next poll
_completed_receives          has a receive that the last poll handed out
_completed_sends             had a send that the last poll finished
_connected                   got its connection in the last poll
_disconnected                was closed in the last poll, or its send failed
_failed_sends                got a send while closing, or one that could not begin
===========================  ==============================================================================
"""

from __future__ import annotations

from collections import deque
from typing import Mapping

from kreactor.common.kafka_exception import KafkaException
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.idle_expiry_manager import IdleExpiryManager
from kreactor.common.network.selectable import Selectable
from kreactor.common.network.selector_metrics import SelectorMetrics
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.editions.v0_10_2.common.network.channel_builder import ChannelBuilder
from kreactor.editions.v0_10_2.common.network.kafka_channel import KafkaChannel
from kreactor.editions.v0_10_2.common.network.network_receive import NetworkReceive
from kreactor.editions.v0_10_2.common.network.send import Send
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


class Selector:
    """Sends and receives messages over channels, which are identified by ids.

    :origin: 0.10.2.2 common.network.Selector
    """

    NO_IDLE_TIMEOUT_MS = -1

    def __init__(
        self,
        connection_max_idle_ms: int,
        metrics: Metrics,
        time: Time,
        metric_grp_prefix: str,
        channel_builder: ChannelBuilder,
        *,
        max_receive_size: int = NetworkReceive.UNLIMITED,
        metric_tags: Mapping[str, str] | None = None,
        metrics_per_connection: bool = True,
    ) -> None:
        """Open a selector; ``close`` closes ``channel_builder`` too.

        ``max_receive_size`` is in bytes, ``NetworkReceive.UNLIMITED`` for no bound. Idle connections are kept
        without limit with ``NO_IDLE_TIMEOUT_MS``. Raises KafkaException without a free descriptor.

        :origin: 0.10.2.2 common.network.Selector#Selector(
            int, long, Metrics, Time, String, Map<String,String>, boolean, ChannelBuilder)
        :origin: 0.10.2.2 common.network.Selector#Selector(long, Metrics, Time, String, ChannelBuilder)
        """
        try:
            self._nio_selector = nio_selector.Selector.open()
        except OSError as e:
            raise KafkaException(cause=e) from e
        self._max_receive_size = max_receive_size
        self._time = time
        self._channels: dict[str, KafkaChannel] = {}
        self._completed_sends: list[Send] = []
        self._completed_receives: list[NetworkReceive] = []
        self._staged_receives: dict[KafkaChannel, deque[NetworkReceive]] = {}
        self._immediately_connected_keys: dict[SelectionKey, None] = {}
        self._closing_channels: dict[str, KafkaChannel] = {}
        self._connected: list[str] = []
        self._disconnected: list[str] = []
        self._failed_sends: list[str] = []
        self._log = LogContext().logger(Selector)
        self._sensors = SelectorMetrics(
            self._log, self._channels, metrics, metric_grp_prefix, metric_tags or {}, metrics_per_connection)
        self._channel_builder = channel_builder
        self._metrics_per_connection = metrics_per_connection
        self._idle_expiry_manager = (
            None if connection_max_idle_ms < 0 else IdleExpiryManager(time, connection_max_idle_ms))

    def connect(
        self, id: str, address: InetSocketAddress, send_buffer_size: int, receive_buffer_size: int,
    ) -> None:
        """Begin to connect a channel with the id ``id``; ``connected`` lists it once it is connected.

        Buffer sizes are in bytes, or ``USE_DEFAULT_BUFFER_SIZE``. Raises IllegalStateException if there is a
        channel with that id, OSError for an unknown host or an immediate refusal.

        :origin: 0.10.2.2 common.network.Selector#connect(String, InetSocketAddress, int, int)
        """
        if id in self._channels:
            raise IllegalStateException(f"There is already a connection for id {id}")

        socket_channel = SocketChannel.open()
        socket_channel.configure_blocking(False)
        socket = socket_channel.socket()
        socket.set_keep_alive(True)
        if send_buffer_size != Selectable.USE_DEFAULT_BUFFER_SIZE:
            socket.set_send_buffer_size(send_buffer_size)
        if receive_buffer_size != Selectable.USE_DEFAULT_BUFFER_SIZE:
            socket.set_receive_buffer_size(receive_buffer_size)
        socket.set_tcp_no_delay(True)
        try:
            connected = socket_channel.connect(address)
        except UnresolvedAddressException as e:
            socket_channel.close()
            raise OSError(f"Can't resolve address: {address}") from e
        except OSError:
            socket_channel.close()
            raise
        key = socket_channel.register(self._nio_selector, SelectionKey.OP_CONNECT)
        try:
            channel = self._channel_builder.build_channel(id, key, self._max_receive_size)
        except Exception as e:
            description = str(socket_channel)
            try:
                socket_channel.close()
            finally:
                key.cancel()
            raise OSError(f"Channel could not be created for socket {description}") from e
        key.attach(channel)
        self._channels[id] = channel

        if connected:
            # The kernel reports only the end of a wait, and here was no wait.
            self._log.debug("immediately connected to node %s", channel.id())
            self._immediately_connected_keys[key] = None
            key.interest_ops_to(0)

    def register(self, id: str, socket_channel: SocketChannel) -> None:
        """Register a connection that a server has accepted. Raises KafkaException, OSError.

        :origin: 0.10.2.2 common.network.Selector#register(String, SocketChannel)
        """
        # BUG until 1.0.0, KAFKA-5595: a connection with an id in use replaces the channel of that id, which
        # is then never closed. BUG until 2.0.1, KAFKA-7453: the idle expiry does not know a connection that
        # never becomes ready.
        key = socket_channel.register(self._nio_selector, SelectionKey.OP_READ)
        channel = self._channel_builder.build_channel(id, key, self._max_receive_size)
        key.attach(channel)
        self._channels[id] = channel

    def wakeup(self) -> None:
        """End a waiting poll, or keep the next poll from waiting. Called by any thread.

        :origin: 0.10.2.2 common.network.Selector#wakeup()
        """
        self._nio_selector.wakeup()

    def close(self) -> None:
        """Close every channel, the selector, its sensors and the channel builder.

        :origin: 0.10.2.2 common.network.Selector#close()
        """
        connections = list(self._channels)
        for id in connections:
            self.close_id(id)
        # DEVIATION D353: the origin leaves closing channels to the garbage collector.
        for closing in list(self._closing_channels.values()):
            self._do_close(closing, False)
        self._closing_channels.clear()
        # DEVIATION D371: so are channels whose id another channel has taken.
        for key in self._nio_selector.keys() if self._nio_selector.is_open() else ():
            replaced: KafkaChannel | None = key.attachment()
            if replaced is not None:
                self._do_close(replaced, False)
        try:
            self._nio_selector.close()
        except OSError as e:
            self._log.error("error while closing nioSelector", exc=e)
        self._sensors.close()
        self._channel_builder.close()

    def send(self, send: Send) -> None:
        """Queue ``send``; the next polls write it.

        A channel that is closing or closed drops the send, and the next poll reports it in ``disconnected``.
        Raises IllegalStateException if there is no channel with that id, or if it has a send under way.

        :origin: 0.10.2.2 common.network.Selector#send(Send)
        """
        connection_id = send.destination()
        if connection_id in self._closing_channels:
            self._failed_sends.append(connection_id)
        else:
            channel = self._channel_or_fail(connection_id, False)
            try:
                channel.set_send(send)
            except CancelledKeyException:
                self._failed_sends.append(connection_id)
                self._close_channel(channel, False)

    def poll(self, timeout: int) -> None:
        """Handle all ready channels; wait up to ``timeout`` ms if no channel is ready.

        ``completed_sends``, ``completed_receives``, ``connected`` and ``disconnected`` have the results until
        the next poll. Staged receives that can be handed out end the wait at once. Raises
        IllegalArgumentException if ``timeout`` is negative, OSError from the select itself.

        :origin: 0.10.2.2 common.network.Selector#poll(long)
        """
        if timeout < 0:
            raise IllegalArgumentException("timeout should be >= 0")

        self._clear()

        if self._has_staged_receives() or self._immediately_connected_keys:
            timeout = 0

        start_select = self._time.nanoseconds()
        ready_keys = self._select(timeout)
        end_select = self._time.nanoseconds()
        self._sensors.select_time.record(end_select - start_select, self._time.milliseconds())

        if ready_keys > 0 or self._immediately_connected_keys:
            self._poll_selection_keys(self._nio_selector.selected_keys(), False, end_select)
            self._poll_selection_keys(self._immediately_connected_keys, True, end_select)

        self._add_to_completed_receives()

        end_io = self._time.nanoseconds()
        self._sensors.io_time.record(end_io - end_select, self._time.milliseconds())

        # Uses the time before the channels were handled, so that a channel that was just active is not idle.
        self._maybe_close_oldest_connection(end_select)

    def _poll_selection_keys(
        self, selection_keys: dict[SelectionKey, None], is_immediately_connected: bool,
        current_time_nanos: int,
    ) -> None:
        """Connect, prepare, read and write the channels of ``selection_keys``, and empty it.

        A failing channel is closed, and does not affect other channels. The time is the time of the select,
        on the monotonic clock.

        :origin: 0.10.2.2 common.network.Selector#pollSelectionKeys(Iterable<SelectionKey>, boolean, long)
        """
        for key in list(selection_keys):
            del selection_keys[key]
            channel: KafkaChannel = key.attachment()

            self._sensors.maybe_register_connection_metrics(channel.id())
            if self._idle_expiry_manager is not None:
                self._idle_expiry_manager.update(channel.id(), current_time_nanos)

            try:
                # The connection: established in `connect`, or settled now.
                if is_immediately_connected or key.is_connectable():
                    if channel.finish_connect():
                        self._connected.append(channel.id())
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
                    channel.prepare()

                # The read, until the socket is empty; a non-empty stage prevents it. BUG until 2.5.0,
                # KAFKA-7639: memory for all that a peer sends at once, muted or not.
                if channel.ready() and key.is_readable() and not self._has_staged_receive(channel):
                    while (network_receive := channel.read()) is not None:
                        self._add_to_staged_receives(channel, network_receive)

                # The write.
                if channel.ready() and key.is_writable():
                    # BUG until 1.0.1, KAFKA-6529: if the write fails, staged receives keep the channel and
                    # its descriptor, and because it is muted, no poll hands them out.
                    send = channel.write()
                    if send is not None:
                        self._completed_sends.append(send)
                        self._record_bytes_sent(channel.id(), send.size())

                if not key.is_valid():
                    self._close_channel(channel, True)

            except Exception as e:
                desc = channel.socket_description()
                if isinstance(e, OSError):
                    self._log.debug("connection with %s disconnected", desc, exc=e)
                else:
                    self._log.warn("unexpected error from %s; closing connection", desc, exc=e)
                self._close_channel(channel, True)

    def completed_sends(self) -> list[Send]:
        """Return the sends that the last poll finished.

        :origin: 0.10.2.2 common.network.Selector#completedSends()
        """
        return self._completed_sends

    def completed_receives(self) -> list[NetworkReceive]:
        """Return the receives that the last poll handed out, at most one for each channel.

        :origin: 0.10.2.2 common.network.Selector#completedReceives()
        """
        return self._completed_receives

    def disconnected(self) -> list[str]:
        """Return the ids of the channels that the last poll closed.

        :origin: 0.10.2.2 common.network.Selector#disconnected()
        """
        return self._disconnected

    def connected(self) -> list[str]:
        """Return the ids of the channels whose connection the last poll found established.

        :origin: 0.10.2.2 common.network.Selector#connected()
        """
        return self._connected

    def mute(self, id: str) -> None:
        """Stop reading from a channel. Raises IllegalStateException if there is none.

        :origin: 0.10.2.2 common.network.Selector#mute(String)
        """
        channel = self._channel_or_fail(id, True)
        self._mute_channel(channel)

    def _mute_channel(self, channel: KafkaChannel) -> None:
        """:origin: 0.10.2.2 common.network.Selector#mute(KafkaChannel)"""
        channel.mute()

    def unmute(self, id: str) -> None:
        """Read from a channel again. Raises IllegalStateException if there is none.

        :origin: 0.10.2.2 common.network.Selector#unmute(String)
        """
        channel = self._channel_or_fail(id, True)
        self._unmute_channel(channel)

    def _unmute_channel(self, channel: KafkaChannel) -> None:
        """:origin: 0.10.2.2 common.network.Selector#unmute(KafkaChannel)"""
        channel.unmute()

    def mute_all(self) -> None:
        """:origin: 0.10.2.2 common.network.Selector#muteAll()"""
        for channel in self._channels.values():
            self._mute_channel(channel)

    def unmute_all(self) -> None:
        """:origin: 0.10.2.2 common.network.Selector#unmuteAll()"""
        for channel in self._channels.values():
            self._unmute_channel(channel)

    def _maybe_close_oldest_connection(self, current_time_nanos: int) -> None:
        """:origin: 0.10.2.2 common.network.Selector#maybeCloseOldestConnection(long)"""
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
                # BUG until 0.11.0.1, KAFKA-5587: the poll may hand out a receive of a closed channel.
                self._close_channel(channel, True)

    def _clear(self) -> None:
        """Clear the results of the last poll.

        :origin: 0.10.2.2 common.network.Selector#clear()
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
        self._disconnected.extend(self._failed_sends)
        self._failed_sends.clear()

    def _select(self, ms: int) -> int:
        """:origin: 0.10.2.2 common.network.Selector#select(long)"""
        if ms < 0:
            raise IllegalArgumentException("timeout should be >= 0")

        if ms == 0:
            return self._nio_selector.select_now()
        return self._nio_selector.select(ms)

    def close_id(self, id: str) -> None:
        """Close a channel and drop its staged receives; no poll reports the close.

        :origin: 0.10.2.2 common.network.Selector#close(String)
        """
        channel = self._channels.get(id)
        if channel is not None:
            self._close_channel(channel, False)

    def _close_channel(self, channel: KafkaChannel, process_outstanding: bool) -> None:
        """Begin to close a channel, and complete the close unless its staged receives are handed out first.

        A producer without acknowledgements sends its records and closes, and a single poll can see both.
        ``disconnected`` reports the close only with ``process_outstanding``, once it is complete.

        :origin: 0.10.2.2 common.network.Selector#close(KafkaChannel, boolean)
        """
        channel.disconnect()

        staged_deque = self._staged_receives.get(channel)
        if process_outstanding and staged_deque:
            if not channel.is_mute():
                # BUG until 0.11.0.1, KAFKA-5587: this may be the second receive of the channel in one poll.
                self._add_to_completed_receives_of(channel, staged_deque)
                if not staged_deque:
                    del self._staged_receives[channel]
            self._closing_channels[channel.id()] = channel
        else:
            self._do_close(channel, process_outstanding)
        self._channels.pop(channel.id(), None)

        if self._idle_expiry_manager is not None:
            self._idle_expiry_manager.remove(channel.id())

    def _do_close(self, channel: KafkaChannel, notify_disconnect: bool) -> None:
        """:origin: 0.10.2.2 common.network.Selector#doClose(KafkaChannel, boolean)"""
        try:
            channel.close()
        except OSError as e:
            self._log.error("error while closing the connection to node %s", channel.id(), exc=e)
        self._sensors.connection_closed.record()
        self._staged_receives.pop(channel, None)
        if notify_disconnect:
            self._disconnected.append(channel.id())

    def is_channel_ready(self, id: str) -> bool:
        """Return whether a channel is connected and authenticated.

        :origin: 0.10.2.2 common.network.Selector#isChannelReady(String)
        """
        channel = self._channels.get(id)
        return channel is not None and channel.ready()

    def _channel_or_fail(self, id: str, maybe_closing: bool) -> KafkaChannel:
        """:origin: 0.10.2.2 common.network.Selector#channelOrFail(String, boolean)"""
        channel = self._channels.get(id)
        if channel is None and maybe_closing:
            channel = self._closing_channels.get(id)
        if channel is None:
            raise IllegalStateException(
                "Attempt to retrieve channel for which there is no connection. Connection id "
                f"{id} existing connections {list(self._channels)}")
        return channel

    def channels(self) -> list[KafkaChannel]:
        """Return the open channels.

        :origin: 0.10.2.2 common.network.Selector#channels()
        """
        return list(self._channels.values())

    def channel(self, id: str) -> KafkaChannel | None:
        """Return the open channel with an id, or None.

        :origin: 0.10.2.2 common.network.Selector#channel(String)
        """
        return self._channels.get(id)

    def closing_channel(self, id: str) -> KafkaChannel | None:
        """Return the disconnected channel with an id that still has staged receives, or None.

        :origin: 0.10.2.2 common.network.Selector#closingChannel(String)
        """
        return self._closing_channels.get(id)

    def closing_channels(self) -> list[KafkaChannel]:
        """Return the closing channels, which a processor subtracts from the counts when it ends (D353)."""
        return list(self._closing_channels.values())

    def _has_staged_receive(self, channel: KafkaChannel) -> bool:
        """:origin: 0.10.2.2 common.network.Selector#hasStagedReceive(KafkaChannel)"""
        return channel in self._staged_receives

    def _has_staged_receives(self) -> bool:
        """Return whether a channel that is not muted has a staged receive.

        :origin: 0.10.2.2 common.network.Selector#hasStagedReceives()
        """
        for channel in self._staged_receives:
            if not channel.is_mute():
                return True
        return False

    def _add_to_staged_receives(self, channel: KafkaChannel, receive: NetworkReceive) -> None:
        """:origin: 0.10.2.2 common.network.Selector#addToStagedReceives(KafkaChannel, NetworkReceive)"""
        if channel not in self._staged_receives:
            self._staged_receives[channel] = deque()

        staged_deque = self._staged_receives[channel]
        staged_deque.append(receive)

    def _add_to_completed_receives(self) -> None:
        """Hand out one staged receive of each channel that is not muted.

        :origin: 0.10.2.2 common.network.Selector#addToCompletedReceives()
        """
        if self._staged_receives:
            for channel, staged_deque in list(self._staged_receives.items()):
                if not channel.is_mute():
                    self._add_to_completed_receives_of(channel, staged_deque)
                    if not staged_deque:
                        del self._staged_receives[channel]

    def _add_to_completed_receives_of(
        self, channel: KafkaChannel, staged_deque: deque[NetworkReceive],
    ) -> None:
        """:origin: 0.10.2.2 common.network.Selector#addToCompletedReceives(
            KafkaChannel, Deque<NetworkReceive>)
        """
        network_receive = staged_deque.popleft()
        self._completed_receives.append(network_receive)
        self._record_bytes_received(channel.id(), network_receive.payload().limit())

    def keys(self) -> set[SelectionKey]:
        """Return the keys of the selector underneath, for tests.

        :origin: 0.10.2.2 common.network.Selector#keys()
        """
        return set(self._nio_selector.keys())

    # IdleExpiryManager and SelectorMetrics: see the modules of these names of 3.8.0.

    def _record_bytes_sent(self, connection_id: str, size: int) -> None:
        """:origin: 0.10.2.2 common.network.Selector.SelectorMetrics#recordBytesSent(String, long)"""
        now = self._time.milliseconds()
        self._sensors.record_bytes_sent(connection_id, size, now)
        self._sensors.record_completed_send(connection_id, size, now)

    def _record_bytes_received(self, connection: str, size: int) -> None:
        """:origin: 0.10.2.2 common.network.Selector.SelectorMetrics#recordBytesReceived(String, int)"""
        now = self._time.milliseconds()
        self._sensors.record_bytes_received(connection, size, now)
        self._sensors.record_completed_receive(connection, size, now)
