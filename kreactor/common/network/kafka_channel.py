# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.KafkaChannel of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""One connection: its transport layer, its authenticator, at most one receive and one send under way.

Owner: the network thread of the selector that the channel belongs to. Other threads see its id only.

The mute automaton
------------------
A channel is muted while its request is with the handlers, so that requests of one connection are
answered in their order, and while its client is throttled. Whether bytes are read depends on this
state alone; what is unusual is that only the state ``MUTED`` can be left towards reading.

================  ========================================  ========================================
event             in state                                  becomes
================  ========================================  ========================================
mute()            NOT_MUTED                                 MUTED
maybe_unmute()    MUTED                                     NOT_MUTED
REQUEST_RECEIVED  MUTED                                     MUTED_AND_RESPONSE_PENDING
RESPONSE_SENT     MUTED_AND_RESPONSE_PENDING                MUTED
RESPONSE_SENT     MUTED_AND_THROTTLED_AND_RESPONSE_PENDING  MUTED_AND_THROTTLED
THROTTLE_STARTED  MUTED_AND_RESPONSE_PENDING                MUTED_AND_THROTTLED_AND_RESPONSE_PENDING
THROTTLE_ENDED    MUTED_AND_THROTTLED                       MUTED
THROTTLE_ENDED    MUTED_AND_THROTTLED_AND_RESPONSE_PENDING  MUTED_AND_RESPONSE_PENDING
================  ========================================  ========================================

``mute`` and ``maybe_unmute`` do nothing in every state that is not listed; an event raises
IllegalStateException there. With acks=0 there is no response: RESPONSE_SENT then means that the
handlers are done with the request.

Four layers of muting
---------------------
1. the selection key's interest in reads: what the kernel watches;
2. this state: what the server wants;
3. the selector's set of explicitly muted channels: told apart from 4 by it;
4. a channel that mutes itself in ``read``, because the pool has no memory for its payload: state MUTED,
   but not in the set of 3, so that the selector unmutes it when there is memory again.

Invariants: ``_send`` is None or not completed between polls; ``_receive`` is None or incomplete between
``maybe_complete_receive`` and the next ``read``; a disconnected channel never touches its key.
"""

from __future__ import annotations

from enum import Enum
from typing import Callable

from kreactor.common.errors import AuthenticationException, SslAuthenticationException
from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.network.authenticator import Authenticator
from kreactor.common.network.channel_metadata_registry import ChannelMetadataRegistry
from kreactor.common.network.channel_state import ChannelState
from kreactor.common.network.delayed_response_authentication_exception import (
    DelayedResponseAuthenticationException,
)
from kreactor.common.network.network_receive import NetworkReceive
from kreactor.common.network.network_send import NetworkSend
from kreactor.common.network.reauthentication_context import ReauthenticationContext
from kreactor.common.network.transport_layer import TransportLayer
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.auth.kafka_principal_serde import KafkaPrincipalSerde
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.net import InetAddress, InetSocketAddress
from kreactor.jdk.nio_selector import SelectionKey
from kreactor.jdk.text import shown_text

MIN_REAUTH_INTERVAL_ONE_SECOND_NANOS = 1000 * 1000 * 1000


class KafkaChannel:
    """A connection, on a client or on a server. Equal to another by its id.

    :origin: common.network.KafkaChannel
    """

    __slots__ = (
        "_id", "_transport_layer", "_authenticator_creator", "_authenticator", "_network_thread_time_nanos",
        "_max_receive_size", "_memory_pool", "_metadata_registry", "_receive", "_send", "_disconnected",
        "_mute_state", "_state", "_remote_address", "_successful_authentications", "_mid_write",
        "_last_reauthentication_start_nanos",
    )

    class ChannelMuteState(Enum):
        """The mute states. See the head of the module.

        :origin: common.network.KafkaChannel.ChannelMuteState
        """

        NOT_MUTED = "NOT_MUTED"
        MUTED = "MUTED"
        MUTED_AND_RESPONSE_PENDING = "MUTED_AND_RESPONSE_PENDING"
        MUTED_AND_THROTTLED = "MUTED_AND_THROTTLED"
        MUTED_AND_THROTTLED_AND_RESPONSE_PENDING = "MUTED_AND_THROTTLED_AND_RESPONSE_PENDING"

    class ChannelMuteEvent(Enum):
        """The mute events that a socket server sends to its channels. See the head of the module.

        :origin: common.network.KafkaChannel.ChannelMuteEvent
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
        metadata_registry: ChannelMetadataRegistry,
    ) -> None:
        """``max_receive_size`` is in bytes; a re-authentication calls ``authenticator_creator`` again.

        :origin: common.network.KafkaChannel#KafkaChannel(
            String, TransportLayer, Supplier<Authenticator>, int, MemoryPool, ChannelMetadataRegistry)
        """
        self._id = id
        self._transport_layer = transport_layer
        self._authenticator_creator = authenticator_creator
        self._authenticator = authenticator_creator()
        # Time that the network thread spent on this channel since the last response was sent.
        self._network_thread_time_nanos = 0
        self._max_receive_size = max_receive_size
        self._memory_pool = memory_pool
        self._metadata_registry = metadata_registry
        self._receive: NetworkReceive | None = None
        self._send: NetworkSend | None = None
        # The mute state goes on after a disconnect: requests that came before are still answered in order.
        self._disconnected = False
        self._mute_state = KafkaChannel.ChannelMuteState.NOT_MUTED
        self._state = ChannelState.NOT_CONNECTED
        self._remote_address: InetSocketAddress | None = None
        self._successful_authentications = 0
        self._mid_write = False
        self._last_reauthentication_start_nanos = 0

    def close(self) -> None:
        """Close the socket and give back what the channel holds, all of it even if a part fails.

        Raises the first OSError.

        :origin: common.network.KafkaChannel#close()
        """
        self._disconnected = True
        Utils.close_all(self._transport_layer, self._authenticator, self._receive, self._metadata_registry)

    def principal(self) -> KafkaPrincipal:
        """Return the peer's principal.

        :origin: common.network.KafkaChannel#principal()
        """
        return self._authenticator.principal()

    def principal_serde(self) -> KafkaPrincipalSerde | None:
        """Return the serde of the principal, None if there is none.

        :origin: common.network.KafkaChannel#principalSerde()
        """
        return self._authenticator.principal_serde()

    def prepare(self) -> None:
        """Go on with the handshake, then with the authentication, as far as they get.

        Raises AuthenticationException, as DelayedResponseAuthenticationException if the authenticator and
        not the handshake failed; OSError.

        :origin: common.network.KafkaChannel#prepare()
        """
        authenticating = False
        try:
            if not self._transport_layer.ready():
                self._transport_layer.handshake()
            if self._transport_layer.ready() and not self._authenticator.complete():
                authenticating = True
                self._authenticator.authenticate()
        except AuthenticationException as e:
            # Told apart from a broken connection so that a client can give up instead of trying again.
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
        """Cancel the key; nothing is read or watched any more. The socket stays open until ``close``.

        :origin: common.network.KafkaChannel#disconnect()
        """
        self._disconnected = True
        if self._state is ChannelState.NOT_CONNECTED and self._remote_address is not None:
            self._state = ChannelState(
                ChannelState.State.NOT_CONNECTED, remote_address=str(self._remote_address))
        self._transport_layer.disconnect()

    def state_to(self, state: ChannelState) -> None:
        """Set the state.

        :origin: common.network.KafkaChannel#state(ChannelState)
        """
        self._state = state

    def state(self) -> ChannelState:
        """Return the state; after a disconnect, the one the channel was in then.

        :origin: common.network.KafkaChannel#state()
        """
        return self._state

    def finish_connect(self) -> bool:
        """Return whether the connection is there. Raises OSError if it failed.

        :origin: common.network.KafkaChannel#finishConnect()
        """
        # Asked for first: a refused connection closes its channel, which then tells no address.
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
        """Return whether the connection is there.

        :origin: common.network.KafkaChannel#isConnected()
        """
        return self._transport_layer.is_connected()

    def id(self) -> str:
        """Return the id, unique in its selector.

        :origin: common.network.KafkaChannel#id()
        """
        return self._id

    def selection_key(self) -> SelectionKey:
        """Return the key, cancelled or not.

        :origin: common.network.KafkaChannel#selectionKey()
        """
        return self._transport_layer.selection_key()

    def mute(self) -> None:
        """Stop reading. To be called by the selector and by this channel alone: see the layers above.

        :origin: common.network.KafkaChannel#mute()
        """
        if self._mute_state is KafkaChannel.ChannelMuteState.NOT_MUTED:
            if not self._disconnected:
                self._transport_layer.remove_interest_ops(SelectionKey.OP_READ)
            self._mute_state = KafkaChannel.ChannelMuteState.MUTED

    def maybe_unmute(self) -> bool:
        """Read again, if MUTED is all there is; return whether the channel is not muted afterwards.

        :origin: common.network.KafkaChannel#maybeUnmute()
        """
        if self._mute_state is KafkaChannel.ChannelMuteState.MUTED:
            if not self._disconnected:
                self._transport_layer.add_interest_ops(SelectionKey.OP_READ)
            self._mute_state = KafkaChannel.ChannelMuteState.NOT_MUTED
        return self._mute_state is KafkaChannel.ChannelMuteState.NOT_MUTED

    def handle_channel_mute_event(self, event: ChannelMuteEvent) -> None:
        """Take a step of the automaton. Raises IllegalStateException where it has none.

        :origin: common.network.KafkaChannel#handleChannelMuteEvent(ChannelMuteEvent)
        """
        state_changed = False
        match event:
            case KafkaChannel.ChannelMuteEvent.REQUEST_RECEIVED:
                if self._mute_state is KafkaChannel.ChannelMuteState.MUTED:
                    self._mute_state = KafkaChannel.ChannelMuteState.MUTED_AND_RESPONSE_PENDING
                    state_changed = True
            case KafkaChannel.ChannelMuteEvent.RESPONSE_SENT:
                if self._mute_state is KafkaChannel.ChannelMuteState.MUTED_AND_RESPONSE_PENDING:
                    self._mute_state = KafkaChannel.ChannelMuteState.MUTED
                    state_changed = True
                if self._mute_state is KafkaChannel.ChannelMuteState.MUTED_AND_THROTTLED_AND_RESPONSE_PENDING:
                    self._mute_state = KafkaChannel.ChannelMuteState.MUTED_AND_THROTTLED
                    state_changed = True
            case KafkaChannel.ChannelMuteEvent.THROTTLE_STARTED:
                if self._mute_state is KafkaChannel.ChannelMuteState.MUTED_AND_RESPONSE_PENDING:
                    self._mute_state = KafkaChannel.ChannelMuteState.MUTED_AND_THROTTLED_AND_RESPONSE_PENDING
                    state_changed = True
            case KafkaChannel.ChannelMuteEvent.THROTTLE_ENDED:
                if self._mute_state is KafkaChannel.ChannelMuteState.MUTED_AND_THROTTLED:
                    self._mute_state = KafkaChannel.ChannelMuteState.MUTED
                    state_changed = True
                if self._mute_state is KafkaChannel.ChannelMuteState.MUTED_AND_THROTTLED_AND_RESPONSE_PENDING:
                    self._mute_state = KafkaChannel.ChannelMuteState.MUTED_AND_RESPONSE_PENDING
                    state_changed = True
        if not state_changed:
            raise IllegalStateException(
                f"Cannot transition from {self._mute_state.name} for {event.name}")

    def mute_state(self) -> ChannelMuteState:
        """Return where the automaton is.

        :origin: common.network.KafkaChannel#muteState()
        """
        return self._mute_state

    def _delay_close_on_authentication_failure(self) -> None:
        """Hold writes back until ``complete_close_on_authentication_failure``.

        :origin: common.network.KafkaChannel#delayCloseOnAuthenticationFailure()
        """
        self._transport_layer.remove_interest_ops(SelectionKey.OP_WRITE)

    def complete_close_on_authentication_failure(self) -> None:
        """Let the authenticator tell the peer that it is refused. Raises OSError.

        :origin: common.network.KafkaChannel#completeCloseOnAuthenticationFailure()
        """
        self._transport_layer.add_interest_ops(SelectionKey.OP_WRITE)
        self._authenticator.handle_authentication_failure()

    def is_muted(self) -> bool:
        """Return whether the channel is muted, for whatever reason.

        :origin: common.network.KafkaChannel#isMuted()
        """
        return self._mute_state is not KafkaChannel.ChannelMuteState.NOT_MUTED

    def is_in_mutable_state(self) -> bool:
        """Return whether the channel waits for memory, and may be muted and unmuted for that.

        False while the size is unknown, after the memory is allocated, and in a handshake.

        :origin: common.network.KafkaChannel#isInMutableState()
        """
        if self._receive is None or self._receive.memory_allocated():
            return False
        return self._transport_layer.ready()

    def ready(self) -> bool:
        """Return whether requests and responses may flow.

        :origin: common.network.KafkaChannel#ready()
        """
        return self._transport_layer.ready() and self._authenticator.complete()

    def has_send(self) -> bool:
        """Return whether a send is under way.

        :origin: common.network.KafkaChannel#hasSend()
        """
        return self._send is not None

    def socket_address(self) -> InetAddress | None:
        """Return the peer's address, None if there never was a connection. It outlives the close.

        :origin: common.network.KafkaChannel#socketAddress()
        """
        return self._transport_layer.socket_channel().socket().get_inet_address()

    def socket_port(self) -> int:
        """Return the peer's port, 0 if there never was a connection. It outlives the close.

        :origin: common.network.KafkaChannel#socketPort()
        """
        return self._transport_layer.socket_channel().socket().get_port()

    def socket_description(self) -> str:
        """Return the peer's address for a log line, or this end's if there is no peer.

        :origin: common.network.KafkaChannel#socketDescription()
        """
        socket = self._transport_layer.socket_channel().socket()
        if socket.get_inet_address() is None:
            return str(socket.get_local_address())
        return str(socket.get_inet_address())

    def set_send(self, send: NetworkSend) -> None:
        """Begin a send. Raises IllegalStateException if one is under way, CancelledKeyException.

        :origin: common.network.KafkaChannel#setSend(NetworkSend)
        """
        if self._send is not None:
            raise IllegalStateException(
                "Attempt to begin a send operation with prior send operation still in progress, "
                f"connection id is {self._id}")
        self._send = send
        self._transport_layer.add_interest_ops(SelectionKey.OP_WRITE)

    def maybe_complete_send(self) -> NetworkSend | None:
        """Return the send, once, when all of it has left; None before.

        :origin: common.network.KafkaChannel#maybeCompleteSend()
        """
        send = self._send
        if send is not None and send.completed():
            self._mid_write = False
            self._transport_layer.remove_interest_ops(SelectionKey.OP_WRITE)
            self._send = None
            return send
        return None

    def read(self) -> int:
        """Read on with the receive under way, or begin one; return the bytes read.

        If there is no memory for the payload the channel mutes itself. Raises InvalidReceiveException,
        AuthenticationException (late TLS 1.3 alerts), OSError.

        :origin: common.network.KafkaChannel#read()
        """
        receive = self._receive
        if receive is None:
            receive = self._receive = NetworkReceive(self._max_receive_size, self._id, self._memory_pool)

        bytes_received = self._read_receive(receive)

        if (receive.required_memory_amount_known() and not receive.memory_allocated()
                and self.is_in_mutable_state()):
            self.mute()
        return bytes_received

    def current_receive(self) -> NetworkReceive | None:
        """Return the receive under way, if any.

        :origin: common.network.KafkaChannel#currentReceive()
        """
        return self._receive

    def maybe_complete_receive(self) -> NetworkReceive | None:
        """Return the receive, once, when all of it is there, rewound; None before.

        :origin: common.network.KafkaChannel#maybeCompleteReceive()
        """
        receive = self._receive
        if receive is not None and receive.complete():
            receive.payload().rewind()
            self._receive = None
            return receive
        return None

    def write(self) -> int:
        """Write on with the send under way; return the bytes written. Raises OSError.

        :origin: common.network.KafkaChannel#write()
        """
        send = self._send
        if send is None:
            return 0
        self._mid_write = True
        return send.write_to(self._transport_layer)

    def add_network_thread_time_nanos(self, nanos: int) -> None:
        """Add time that the network thread spent on this channel.

        :origin: common.network.KafkaChannel#addNetworkThreadTimeNanos(long)
        """
        self._network_thread_time_nanos += nanos

    def get_and_reset_network_thread_time_nanos(self) -> int:
        """Return that time, and count from zero again.

        :origin: common.network.KafkaChannel#getAndResetNetworkThreadTimeNanos()
        """
        current = self._network_thread_time_nanos
        self._network_thread_time_nanos = 0
        return current

    def _read_receive(self, receive: NetworkReceive) -> int:
        """Read, and take an alert that comes after the handshake for a failed authentication.

        :origin: common.network.KafkaChannel#receive(NetworkReceive)
        """
        try:
            return receive.read_from(self._transport_layer)
        except SslAuthenticationException as e:
            remote_desc = str(self._remote_address) if self._remote_address is not None else None
            self._state = ChannelState(ChannelState.State.AUTHENTICATION_FAILED, e, remote_desc)
            raise

    def has_bytes_buffered(self) -> bool:
        """Return whether the transport layer holds bytes that have left the socket.

        :origin: common.network.KafkaChannel#hasBytesBuffered()
        """
        return self._transport_layer.has_bytes_buffered()

    def __eq__(self, other: object) -> bool:
        """:origin: common.network.KafkaChannel#equals(Object)"""
        if self is other:
            return True
        return type(other) is type(self) and self._id == other._id

    def __hash__(self) -> int:
        """:origin: common.network.KafkaChannel#hashCode()"""
        return hash(self._id)

    def __str__(self) -> str:
        """:origin: common.network.KafkaChannel#toString()"""
        return f"{type(self).__name__}@{id(self):x} id={self._id}"

    def __repr__(self) -> str:
        parts = [shown_text(self._id), self._mute_state.name]
        if (state := self._state) is not ChannelState.READY:
            parts.append(state.state().name)
        if self._disconnected:
            parts.append("disconnected")
        if (receive := self._receive) is not None:
            parts.append(f"receive {receive.progress()}")
        if (send := self._send) is not None:
            parts.append(f"send {send.progress()}")
        return f"{type(self).__name__}({', '.join(parts)})"

    def successful_authentications(self) -> int:
        """Return how often the peer has authenticated: more than once only by re-authentication.

        :origin: common.network.KafkaChannel#successfulAuthentications()
        """
        return self._successful_authentications

    def maybe_begin_server_reauthentication(
        self,
        sasl_handshake_network_receive: NetworkReceive,
        now_nanos_supplier: Callable[[], int],
    ) -> bool:
        """Begin to re-authenticate a session that expires, on a SaslHandshake; return whether it began.

        Not if sessions do not expire, nor within a second of the last attempt: the handshake is then an
        ordinary request, and its answer an error. The clock (monotonic, ns) is read only if it matters.
        Raises AuthenticationException, OSError, IllegalStateException if the channel is not ready.

        :origin: common.network.KafkaChannel#maybeBeginServerReauthentication(
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
            ReauthenticationContext(self._authenticator, sasl_handshake_network_receive, now_nanos))
        return True

    def maybe_begin_client_reauthentication(self, now_nanos_supplier: Callable[[], int]) -> bool:
        """Begin to re-authenticate when the session's time has come; return whether it began.

        Not while muted, nor in the middle of a write. The clock (monotonic, ns) is read only if it matters.
        Raises AuthenticationException, OSError, IllegalStateException if the channel is not ready.

        :origin: common.network.KafkaChannel#maybeBeginClientReauthentication(Supplier<Long>)
        """
        if not self.ready():
            raise IllegalStateException(
                'KafkaChannel should always be "ready" when it is checked for possible re-authentication')
        if self._mute_state is not KafkaChannel.ChannelMuteState.NOT_MUTED or self._mid_write:
            return False
        reauthentication_time_nanos = self._authenticator.client_session_reauthentication_time_nanos()
        if reauthentication_time_nanos is None:
            return False
        now_nanos = now_nanos_supplier()
        if now_nanos < reauthentication_time_nanos:
            return False
        self._swap_authenticators_and_begin_reauthentication(
            ReauthenticationContext(self._authenticator, self._receive, now_nanos))
        self._receive = None
        return True

    def reauthentication_latency_ms(self) -> int | None:
        """Return how long the re-authentication took as seen from here, None if there was none.

        :origin: common.network.KafkaChannel#reauthenticationLatencyMs()
        """
        return self._authenticator.reauthentication_latency_ms()

    def server_authentication_session_expired(self, now_nanos: int) -> bool:
        """Return whether this is a server's channel whose session is over at ``now_nanos`` (monotonic).

        :origin: common.network.KafkaChannel#serverAuthenticationSessionExpired(long)
        """
        expiration_time_nanos = self._authenticator.server_session_expiration_time_nanos()
        return expiration_time_nanos is not None and now_nanos - expiration_time_nanos > 0

    def poll_response_received_during_reauthentication(self) -> NetworkReceive | None:
        """Remove and return a response, to a request from before, that came in between, or None.

        :origin: common.network.KafkaChannel#pollResponseReceivedDuringReauthentication()
        """
        return self._authenticator.poll_response_received_during_reauthentication()

    def connected_client_supports_reauthentication(self) -> bool:
        """Return whether this is a server's channel whose client has said that it can re-authenticate.

        :origin: common.network.KafkaChannel#connectedClientSupportsReauthentication()
        """
        return self._authenticator.connected_client_supports_reauthentication()

    def _swap_authenticators_and_begin_reauthentication(
        self, reauthentication_context: ReauthenticationContext,
    ) -> None:
        """Replace the authenticator; the new one closes the old one.

        :origin: common.network.KafkaChannel#swapAuthenticatorsAndBeginReauthentication(
            ReauthenticationContext)
        """
        self._authenticator = self._authenticator_creator()
        self._authenticator.reauthenticate(reauthentication_context)

    def channel_metadata_registry(self) -> ChannelMetadataRegistry:
        """Return where the client's software and cipher are kept.

        :origin: common.network.KafkaChannel#channelMetadataRegistry()
        """
        return self._metadata_registry
