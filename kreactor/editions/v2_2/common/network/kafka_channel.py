# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.KafkaChannel of Apache Kafka 2.2.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""One connection: its transport layer, its authenticator, at most one receive and one send under way.

Owner: the network thread of the channel's selector. Other threads only read its id.

The mute automaton, which KIP-219 brought with 2.0, is that of 3.8.0: see the table at the head of
``kreactor.common.network.kafka_channel``. Only a channel in the state ``MUTED`` can be unmuted. A channel
without memory for a payload mutes itself in ``read``.

``read`` returns the receive when it is complete, and None before. From 2.5 on it returns the number of bytes,
and the selector gets the receive by another call.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Callable

from kreactor.common.errors import AuthenticationException
from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.network.authenticator import Authenticator
from kreactor.common.network.channel_state import ChannelState
from kreactor.common.network.delayed_response_authentication_exception import (
    DelayedResponseAuthenticationException,
)
from kreactor.common.network.reauthentication_context import ReauthenticationContext
from kreactor.common.network.transport_layer import TransportLayer
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.utils.utils import Utils
from kreactor.editions.v0_10_2.common.network.send import Send
from kreactor.editions.v2_2.common.network.network_receive import NetworkReceive
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.net import InetAddress, InetSocketAddress
from kreactor.jdk.nio_selector import SelectionKey

MIN_REAUTH_INTERVAL_ONE_SECOND_NANOS = 1000 * 1000 * 1000


class KafkaChannel:
    """A connection, on a client or on a server. Equal to every channel with the same id.

    :origin: 2.2.2 common.network.KafkaChannel
    """

    __slots__ = (
        "_id", "_transport_layer", "_authenticator_creator", "_authenticator", "_network_thread_time_nanos",
        "_max_receive_size", "_memory_pool", "_receive", "_send", "_disconnected",
        "_mute_state", "_state", "_remote_address", "_successful_authentications", "_mid_write",
        "_last_reauthentication_start_nanos",
    )

    class ChannelMuteState(Enum):
        """The mute states and their causes. See the module's docstring.

        :origin: 2.2.2 common.network.KafkaChannel.ChannelMuteState
        """

        NOT_MUTED = "NOT_MUTED"
        MUTED = "MUTED"
        MUTED_AND_RESPONSE_PENDING = "MUTED_AND_RESPONSE_PENDING"
        MUTED_AND_THROTTLED = "MUTED_AND_THROTTLED"
        MUTED_AND_THROTTLED_AND_RESPONSE_PENDING = "MUTED_AND_THROTTLED_AND_RESPONSE_PENDING"

    class ChannelMuteEvent(Enum):
        """The mute events that a socket server sends to its channels. See the module's docstring.

        :origin: 2.2.2 common.network.KafkaChannel.ChannelMuteEvent
        """

        REQUEST_RECEIVED = "REQUEST_RECEIVED"
        RESPONSE_SENT = "RESPONSE_SENT"
        THROTTLE_STARTED = "THROTTLE_STARTED"
        THROTTLE_ENDED = "THROTTLE_ENDED"

    def __init__(
        self,
        id: str,
        transport_layer: TransportLayer,
        authenticator_creator: Callable[[], Authenticator],
        max_receive_size: int,
        memory_pool: MemoryPool,
    ) -> None:
        """``max_receive_size`` is in bytes; a re-authentication calls ``authenticator_creator`` again.

        :origin: 2.2.2 common.network.KafkaChannel#KafkaChannel(
            String, TransportLayer, Supplier<Authenticator>, int, MemoryPool)
        """
        self._id = id
        self._transport_layer = transport_layer
        self._authenticator_creator = authenticator_creator
        self._authenticator = authenticator_creator()
        # The time of the network thread for this channel since the last response was sent.
        self._network_thread_time_nanos = 0
        self._max_receive_size = max_receive_size
        self._memory_pool = memory_pool
        self._receive: NetworkReceive | None = None
        self._send: Send | None = None
        # The mute state is kept after a disconnect, because earlier requests are still answered in order.
        self._disconnected = False
        self._mute_state = _NOT_MUTED
        self._state = ChannelState.NOT_CONNECTED
        self._remote_address: InetSocketAddress | None = None
        self._successful_authentications = 0
        self._mid_write = False
        self._last_reauthentication_start_nanos = 0

    def close(self) -> None:
        """Close the socket and release the channel's resources, all of them even if one fails.

        Raises the first OSError.

        :origin: 2.2.2 common.network.KafkaChannel#close()
        """
        self._disconnected = True
        Utils.close_all(self._transport_layer, self._authenticator, self._receive)

    def principal(self) -> KafkaPrincipal:
        """Return the peer's principal.

        :origin: 2.2.2 common.network.KafkaChannel#principal()
        """
        return self._authenticator.principal()

    def prepare(self) -> None:
        """Continue the handshake, then the authentication, as far as possible without waiting.

        Raises OSError or AuthenticationException, as DelayedResponseAuthenticationException if the
        authenticator failed and not the handshake.

        :origin: 2.2.2 common.network.KafkaChannel#prepare()
        """
        authenticating = False
        try:
            if not self._transport_layer.ready():
                self._transport_layer.handshake()
            if self._transport_layer.ready() and not self._authenticator.complete():
                authenticating = True
                self._authenticator.authenticate()
        except AuthenticationException as e:
            # Distinguished from a broken connection, so that a client gives up instead of retrying.
            remote_desc = str(self._remote_address) if self._remote_address is not None else None
            self._state = ChannelState(ChannelState.State.AUTHENTICATION_FAILED, e, remote_desc)
            if authenticating:
                self._delay_close_on_authentication_failure()
                raise DelayedResponseAuthenticationException(e) from e
            raise
        if self.ready():
            self._successful_authentications += 1
            self._state = ChannelState.READY

    def disconnect(self) -> None:
        """Cancel the key; the channel is no longer watched or read. The socket stays open until ``close``.

        :origin: 2.2.2 common.network.KafkaChannel#disconnect()
        """
        self._disconnected = True
        if self._state is ChannelState.NOT_CONNECTED and self._remote_address is not None:
            self._state = ChannelState(
                ChannelState.State.NOT_CONNECTED, remote_address=str(self._remote_address))
        self._transport_layer.disconnect()

    def state_to(self, state: ChannelState) -> None:
        """Set the state.

        :origin: 2.2.2 common.network.KafkaChannel#state(ChannelState)
        """
        self._state = state

    def state(self) -> ChannelState:
        """Return the state; after a disconnect, the state at that time.

        :origin: 2.2.2 common.network.KafkaChannel#state()
        """
        return self._state

    def finish_connect(self) -> bool:
        """Return whether the connection is established. Raises OSError if it failed.

        :origin: 2.2.2 common.network.KafkaChannel#finishConnect()
        """
        # Read first, because a refused connection closes its channel, which then has no address.
        socket_channel = self._transport_layer.socket_channel()
        if socket_channel is not None:
            self._remote_address = socket_channel.get_remote_address()
        connected = self._transport_layer.finish_connect()
        if connected:
            if self.ready():
                self._state = ChannelState.READY
            elif self._remote_address is not None:
                self._state = ChannelState(
                    ChannelState.State.AUTHENTICATE, remote_address=str(self._remote_address))
            else:
                self._state = ChannelState.AUTHENTICATE
        return connected

    def is_connected(self) -> bool:
        """Return whether the connection is established.

        :origin: 2.2.2 common.network.KafkaChannel#isConnected()
        """
        return self._transport_layer.is_connected()

    def id(self) -> str:
        """Return the id, unique in its selector.

        :origin: 2.2.2 common.network.KafkaChannel#id()
        """
        return self._id

    def selection_key(self) -> SelectionKey:
        """Return the key, cancelled or not.

        :origin: 2.2.2 common.network.KafkaChannel#selectionKey()
        """
        return self._transport_layer.selection_key()

    def mute(self) -> None:
        """Stop reading. Called only by the selector and by this channel.

        :origin: 2.2.2 common.network.KafkaChannel#mute()
        """
        if self._mute_state is _NOT_MUTED:
            if not self._disconnected:
                self._transport_layer.remove_interest_ops(SelectionKey.OP_READ)
            self._mute_state = _MUTED

    def maybe_unmute(self) -> bool:
        """Resume reading if the state is MUTED; return whether the channel is unmuted afterwards.

        :origin: 2.2.2 common.network.KafkaChannel#maybeUnmute()
        """
        if self._mute_state is _MUTED:
            if not self._disconnected:
                self._transport_layer.add_interest_ops(SelectionKey.OP_READ)
            self._mute_state = _NOT_MUTED
        return self._mute_state is _NOT_MUTED

    def handle_channel_mute_event(self, event: ChannelMuteEvent) -> None:
        """Apply an event to the mute state. Raises IllegalStateException if the state has no such transition.

        :origin: 2.2.2 common.network.KafkaChannel#handleChannelMuteEvent(ChannelMuteEvent)
        """
        state_changed = False
        if event is _REQUEST_RECEIVED:
            if self._mute_state is _MUTED:
                self._mute_state = _MUTED_AND_RESPONSE_PENDING
                state_changed = True
        elif event is _RESPONSE_SENT:
            if self._mute_state is _MUTED_AND_RESPONSE_PENDING:
                self._mute_state = _MUTED
                state_changed = True
            if self._mute_state is _MUTED_AND_THROTTLED_AND_RESPONSE_PENDING:
                self._mute_state = _MUTED_AND_THROTTLED
                state_changed = True
        elif event is _THROTTLE_STARTED:
            if self._mute_state is _MUTED_AND_RESPONSE_PENDING:
                self._mute_state = _MUTED_AND_THROTTLED_AND_RESPONSE_PENDING
                state_changed = True
        elif event is _THROTTLE_ENDED:
            if self._mute_state is _MUTED_AND_THROTTLED:
                self._mute_state = _MUTED
                state_changed = True
            if self._mute_state is _MUTED_AND_THROTTLED_AND_RESPONSE_PENDING:
                self._mute_state = _MUTED_AND_RESPONSE_PENDING
                state_changed = True
        if not state_changed:
            raise IllegalStateException(
                f"Cannot transition from {self._mute_state.name} for {event.name}")

    def mute_state(self) -> ChannelMuteState:
        """Return the mute state.

        :origin: 2.2.2 common.network.KafkaChannel#muteState()
        """
        return self._mute_state

    def _delay_close_on_authentication_failure(self) -> None:
        """Stop writes until ``complete_close_on_authentication_failure``.

        :origin: 2.2.2 common.network.KafkaChannel#delayCloseOnAuthenticationFailure()
        """
        self._transport_layer.remove_interest_ops(SelectionKey.OP_WRITE)

    def complete_close_on_authentication_failure(self) -> None:
        """Let the authenticator send the refusal to the peer. Raises OSError.

        :origin: 2.2.2 common.network.KafkaChannel#completeCloseOnAuthenticationFailure()
        """
        self._transport_layer.add_interest_ops(SelectionKey.OP_WRITE)
        self._authenticator.handle_authentication_failure()

    def is_mute(self) -> bool:
        """Return whether the channel is muted, whatever the cause.

        :origin: 2.2.2 common.network.KafkaChannel#isMute()
        """
        return self._mute_state is not _NOT_MUTED

    def is_in_mutable_state(self) -> bool:
        """Return whether the channel may be muted and unmuted because it waits for memory.

        False if the needed size is unknown, if the memory is allocated, and during a handshake.

        :origin: 2.2.2 common.network.KafkaChannel#isInMutableState()
        """
        if self._receive is None or self._receive.memory_allocated():
            return False
        return self._transport_layer.ready()

    def ready(self) -> bool:
        """Return whether requests and responses may flow.

        :origin: 2.2.2 common.network.KafkaChannel#ready()
        """
        return self._transport_layer.ready() and self._authenticator.complete()

    def has_send(self) -> bool:
        """Return whether a send is under way.

        :origin: 2.2.2 common.network.KafkaChannel#hasSend()
        """
        return self._send is not None

    def socket_address(self) -> InetAddress | None:
        """Return the peer's address, also after the close; None if there was never a connection.

        :origin: 2.2.2 common.network.KafkaChannel#socketAddress()
        """
        return self._transport_layer.socket_channel().socket().get_inet_address()

    def socket_description(self) -> str:
        """Return the peer's address for a log line, or this end's if there is no peer.

        :origin: 2.2.2 common.network.KafkaChannel#socketDescription()
        """
        socket = self._transport_layer.socket_channel().socket()
        if socket.get_inet_address() is None:
            return str(socket.get_local_address())
        return str(socket.get_inet_address())

    def set_send(self, send: Send) -> None:
        """Begin a send. Raises IllegalStateException if one is under way, CancelledKeyException.

        :origin: 2.2.2 common.network.KafkaChannel#setSend(Send)
        """
        if self._send is not None:
            raise IllegalStateException(
                "Attempt to begin a send operation with prior send operation still in progress, "
                f"connection id is {self._id}")
        self._send = send
        self._transport_layer.add_interest_ops(SelectionKey.OP_WRITE)

    def read(self) -> NetworkReceive | None:
        """Continue the current receive, or begin one; return it when it is complete.

        The channel mutes itself if there is no memory for the payload. Raises InvalidReceiveException,
        OSError.

        :origin: 2.2.2 common.network.KafkaChannel#read()
        """
        result = None

        if self._receive is None:
            self._receive = NetworkReceive(self._max_receive_size, self._id, self._memory_pool)

        self._receive_from(self._receive)
        if self._receive.complete():
            self._receive.payload().rewind()
            result = self._receive
            self._receive = None
        elif (self._receive.required_memory_amount_known() and not self._receive.memory_allocated()
                and self.is_in_mutable_state()):
            self.mute()
        return result

    def write(self) -> Send | None:
        """Continue the current send; return it when it is written completely. Raises OSError.

        :origin: 2.2.2 common.network.KafkaChannel#write()
        """
        result = None
        if self._send is not None and self._send_to(self._send):
            result = self._send
            self._send = None
        return result

    def add_network_thread_time_nanos(self, nanos: int) -> None:
        """Add time of the network thread for this channel.

        :origin: 2.2.2 common.network.KafkaChannel#addNetworkThreadTimeNanos(long)
        """
        self._network_thread_time_nanos += nanos

    def get_and_reset_network_thread_time_nanos(self) -> int:
        """Return the accumulated time, and reset it to zero.

        :origin: 2.2.2 common.network.KafkaChannel#getAndResetNetworkThreadTimeNanos()
        """
        current = self._network_thread_time_nanos
        self._network_thread_time_nanos = 0
        return current

    def _receive_from(self, receive: NetworkReceive) -> int:
        """:origin: 2.2.2 common.network.KafkaChannel#receive(NetworkReceive)"""
        return receive.read_from(self._transport_layer)

    def _send_to(self, send: Send) -> bool:
        """:origin: 2.2.2 common.network.KafkaChannel#send(Send)"""
        self._mid_write = True
        send.write_to(self._transport_layer)
        if send.completed():
            self._mid_write = False
            self._transport_layer.remove_interest_ops(SelectionKey.OP_WRITE)

        return send.completed()

    def has_bytes_buffered(self) -> bool:
        """Return whether the transport layer has buffered bytes, which have left the socket.

        :origin: 2.2.2 common.network.KafkaChannel#hasBytesBuffered()
        """
        return self._transport_layer.has_bytes_buffered()

    def __eq__(self, other: object) -> bool:
        """:origin: 2.2.2 common.network.KafkaChannel#equals(Object)"""
        if self is other:
            return True
        return type(other) is type(self) and self._id == other._id

    def __hash__(self) -> int:
        """:origin: 2.2.2 common.network.KafkaChannel#hashCode()"""
        return hash(self._id)

    def __str__(self) -> str:
        """:origin: 2.2.2 common.network.KafkaChannel#toString()"""
        return f"{type(self).__name__}@{id(self):x} id={self._id}"

    def successful_authentications(self) -> int:
        """Return the number of successful authentications: above 1 only after re-authentications.

        :origin: 2.2.2 common.network.KafkaChannel#successfulAuthentications()
        """
        return self._successful_authentications

    def maybe_begin_server_reauthentication(
        self,
        sasl_handshake_network_receive: NetworkReceive,
        now_nanos_supplier: Callable[[], int],
    ) -> bool:
        """Begin to re-authenticate an expiring session with a SaslHandshake; return whether it began.

        False if sessions do not expire, and within a second of the last attempt: the handshake is then an
        ordinary request, whose response is an error. The clock (monotonic, ns) is read only if needed. Raises
        AuthenticationException, OSError, IllegalStateException if the channel is not ready.

        :origin: 2.2.2 common.network.KafkaChannel#maybeBeginServerReauthentication(
            NetworkReceive, Supplier<Long>)
        """
        if not self.ready():
            raise IllegalStateException(
                'KafkaChannel should be "ready" when processing SASL Handshake '
                "for potential re-authentication")
        if self._authenticator.server_session_expiration_time_nanos() is None:
            return False
        now_nanos = now_nanos_supplier()
        last_start_nanos = self._last_reauthentication_start_nanos
        if last_start_nanos != 0 and now_nanos - last_start_nanos < MIN_REAUTH_INTERVAL_ONE_SECOND_NANOS:
            return False
        self._last_reauthentication_start_nanos = now_nanos
        self._swap_authenticators_and_begin_reauthentication(
            _reauthentication_context(self._authenticator, sasl_handshake_network_receive, now_nanos))
        return True

    def maybe_begin_client_reauthentication(self, now_nanos_supplier: Callable[[], int]) -> bool:
        """Begin to re-authenticate if the session's time for it has come; return whether it began.

        False while the channel is muted or in the middle of a write. The clock (monotonic, ns) is read only
        if needed. Raises AuthenticationException, OSError, IllegalStateException if the channel is not ready.

        :origin: 2.2.2 common.network.KafkaChannel#maybeBeginClientReauthentication(Supplier<Long>)
        """
        if not self.ready():
            raise IllegalStateException(
                'KafkaChannel should always be "ready" when it is checked for possible re-authentication')
        if self._mute_state is not _NOT_MUTED or self._mid_write:
            return False
        reauthentication_time_nanos = self._authenticator.client_session_reauthentication_time_nanos()
        if reauthentication_time_nanos is None:
            return False
        now_nanos = now_nanos_supplier()
        if now_nanos < reauthentication_time_nanos:
            return False
        self._swap_authenticators_and_begin_reauthentication(
            _reauthentication_context(self._authenticator, self._receive, now_nanos))
        self._receive = None
        return True

    def reauthentication_latency_ms(self) -> int | None:
        """Return the duration of the re-authentication as measured here, or None if there was none.

        :origin: 2.2.2 common.network.KafkaChannel#reauthenticationLatencyMs()
        """
        return self._authenticator.reauthentication_latency_ms()

    def server_authentication_session_expired(self, now_nanos: int) -> bool:
        """Return whether this is a server's channel whose session has expired at ``now_nanos`` (monotonic).

        :origin: 2.2.2 common.network.KafkaChannel#serverAuthenticationSessionExpired(long)
        """
        expiration_time_nanos = self._authenticator.server_session_expiration_time_nanos()
        return expiration_time_nanos is not None and now_nanos - expiration_time_nanos > 0

    def get_and_clear_responses_received_during_reauthentication(self) -> list[NetworkReceive]:
        """Return the responses to earlier requests that arrived during a re-authentication.

        :origin: 2.2.2 common.network.KafkaChannel#getAndClearResponsesReceivedDuringReauthentication()
        """
        # DEVIATION D391: the authenticator of 3.8.0 has at most one such response, in the class of 3.8.0.
        receive: Any = self._authenticator.poll_response_received_during_reauthentication()
        return [] if receive is None else [receive]

    def connected_client_supports_reauthentication(self) -> bool:
        """Return whether this is a server's channel whose client supports re-authentication.

        :origin: 2.2.2 common.network.KafkaChannel#connectedClientSupportsReauthentication()
        """
        return self._authenticator.connected_client_supports_reauthentication()

    def _swap_authenticators_and_begin_reauthentication(
        self, reauthentication_context: ReauthenticationContext,
    ) -> None:
        """Replace the authenticator by a new one, which closes the old one.

        :origin: 2.2.2 common.network.KafkaChannel#swapAuthenticatorsAndBeginReauthentication(
            ReauthenticationContext)
        """
        self._authenticator = self._authenticator_creator()
        self._authenticator.reauthenticate(reauthentication_context)


def _reauthentication_context(
    authenticator: Authenticator, receive: NetworkReceive | None, now_nanos: int,
) -> ReauthenticationContext:
    # DEVIATION D391: the authenticators are those of 3.8.0. They call the methods of 3.8.0 on a receive of
    # this release.
    receive_of_3_8: Any = receive
    return ReauthenticationContext(authenticator, receive_of_3_8, now_nanos)


# Module constants, because an enum member costs two look-ups and the automaton runs at every request.
_NOT_MUTED = KafkaChannel.ChannelMuteState.NOT_MUTED
_MUTED = KafkaChannel.ChannelMuteState.MUTED
_MUTED_AND_RESPONSE_PENDING = KafkaChannel.ChannelMuteState.MUTED_AND_RESPONSE_PENDING
_MUTED_AND_THROTTLED = KafkaChannel.ChannelMuteState.MUTED_AND_THROTTLED
_MUTED_AND_THROTTLED_AND_RESPONSE_PENDING = (
    KafkaChannel.ChannelMuteState.MUTED_AND_THROTTLED_AND_RESPONSE_PENDING)
_REQUEST_RECEIVED = KafkaChannel.ChannelMuteEvent.REQUEST_RECEIVED
_RESPONSE_SENT = KafkaChannel.ChannelMuteEvent.RESPONSE_SENT
_THROTTLE_STARTED = KafkaChannel.ChannelMuteEvent.THROTTLE_STARTED
_THROTTLE_ENDED = KafkaChannel.ChannelMuteEvent.THROTTLE_ENDED
