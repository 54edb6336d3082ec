# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.KafkaChannel of Apache Kafka 1.0.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""One connection: its transport layer, its authenticator, at most one receive and one send under way.

Owner: the network thread of the channel's selector.

A mute is still a boolean, but it has two causes. The selector mutes a channel while its request is handled,
and adds it to the explicitly muted channels. The channel mutes itself when the pool has no memory for its
receive. When there is memory again, the selector unmutes only the second kind.

=====================  ======  ====================
the channel            _muted  explicitly muted
=====================  ======  ====================
is read                False   no
waits for its answer   True    yes
waits for memory       True    no
=====================  ======  ====================
"""

from __future__ import annotations

from kreactor.common.errors import AuthenticationException
from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.network.authenticator import Authenticator
from kreactor.common.network.transport_layer import TransportLayer
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.utils.utils import Utils
from kreactor.editions.v0_10_2.common.network.send import Send
from kreactor.editions.v1_0.common.network.channel_state import ChannelState
from kreactor.editions.v1_0.common.network.network_receive import NetworkReceive
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.net import InetAddress
from kreactor.jdk.nio_selector import SelectionKey


class KafkaChannel:
    """A connection, on a client or on a server. Equal to every channel with the same id.

    :origin: 1.0.2 common.network.KafkaChannel
    """

    __slots__ = ("_id", "_transport_layer", "_authenticator", "_network_thread_time_nanos",
                 "_max_receive_size", "_memory_pool", "_receive", "_send", "_disconnected", "_muted",
                 "_state")

    def __init__(
        self, id: str, transport_layer: TransportLayer, authenticator: Authenticator, max_receive_size: int,
        memory_pool: MemoryPool,
    ) -> None:
        """``max_receive_size`` is in bytes.

        :origin: 1.0.2 common.network.KafkaChannel#KafkaChannel(
            String, TransportLayer, Authenticator, int, MemoryPool)
        """
        self._id = id
        self._transport_layer = transport_layer
        self._authenticator = authenticator
        # The time of the network thread for this channel since the last response was sent.
        self._network_thread_time_nanos = 0
        self._max_receive_size = max_receive_size
        self._memory_pool = memory_pool
        self._receive: NetworkReceive | None = None
        self._send: Send | None = None
        # These outlive the key: requests are handed out in their order after the disconnect.
        self._disconnected = False
        self._muted = False
        self._state = ChannelState.NOT_CONNECTED

    def close(self) -> None:
        """Close the socket and release the memory of the receive under way. Raises the first OSError.

        :origin: 1.0.2 common.network.KafkaChannel#close()
        """
        self._disconnected = True
        Utils.close_all(self._transport_layer, self._authenticator, self._receive)

    def principal(self) -> KafkaPrincipal:
        """Return the peer's principal from the authenticator.

        :origin: 1.0.2 common.network.KafkaChannel#principal()
        """
        return self._authenticator.principal()

    def prepare(self) -> None:
        """Continue the handshake, then the authentication, as far as possible without waiting.

        Raises OSError, AuthenticationException.

        :origin: 1.0.2 common.network.KafkaChannel#prepare()
        """
        try:
            if not self._transport_layer.ready():
                self._transport_layer.handshake()
            if self._transport_layer.ready() and not self._authenticator.complete():
                self._authenticator.authenticate()
        except AuthenticationException as e:
            # This tells a client to give up, while it would retry after a lost connection.
            self._state = ChannelState(ChannelState.State.AUTHENTICATION_FAILED, e)
            # DEVIATION D380: the authenticators of 3.8.0 delay the response to a failure; those of this
            # release send it before they raise. BUG until 2.1.0, KAFKA-6950: a peer can retry immediately.
            self._authenticator.handle_authentication_failure()
            raise
        if self.ready():
            self._state = ChannelState.READY

    def disconnect(self) -> None:
        """Cancel the key. The socket stays open until ``close``.

        :origin: 1.0.2 common.network.KafkaChannel#disconnect()
        """
        self._disconnected = True
        self._transport_layer.disconnect()

    def state_to(self, state: ChannelState) -> None:
        """Set the state.

        :origin: 1.0.2 common.network.KafkaChannel#state(ChannelState)
        """
        self._state = state

    def state(self) -> ChannelState:
        """Return the state; after a disconnect, the state at that time.

        :origin: 1.0.2 common.network.KafkaChannel#state()
        """
        return self._state

    def finish_connect(self) -> bool:
        """Return whether the connection is established. Raises OSError if it failed.

        :origin: 1.0.2 common.network.KafkaChannel#finishConnect()
        """
        connected = self._transport_layer.finish_connect()
        if connected:
            self._state = ChannelState.READY if self.ready() else ChannelState.AUTHENTICATE
        return connected

    def is_connected(self) -> bool:
        """Return whether the connection is established.

        :origin: 1.0.2 common.network.KafkaChannel#isConnected()
        """
        return self._transport_layer.is_connected()

    def id(self) -> str:
        """Return the id.

        :origin: 1.0.2 common.network.KafkaChannel#id()
        """
        return self._id

    def selection_key(self) -> SelectionKey:
        """Return the key.

        :origin: 1.0.2 common.network.KafkaChannel#selectionKey()
        """
        return self._transport_layer.selection_key()

    def mute(self) -> None:
        """Stop reading. External callers use the selector, which knows why a channel is muted.

        :origin: 1.0.2 common.network.KafkaChannel#mute()
        """
        if not self._disconnected:
            self._transport_layer.remove_interest_ops(SelectionKey.OP_READ)
        self._muted = True

    def unmute(self) -> None:
        """Read again.

        :origin: 1.0.2 common.network.KafkaChannel#unmute()
        """
        if not self._disconnected:
            self._transport_layer.add_interest_ops(SelectionKey.OP_READ)
        self._muted = False

    def is_mute(self) -> bool:
        """Return whether the channel is muted, whatever the cause.

        :origin: 1.0.2 common.network.KafkaChannel#isMute()
        """
        return self._muted

    def is_in_mutable_state(self) -> bool:
        """Return whether the channel may be muted for lack of memory: its receive has a size and no memory.

        :origin: 1.0.2 common.network.KafkaChannel#isInMutableState()
        """
        if self._receive is None or self._receive.memory_allocated():
            return False
        return self._transport_layer.ready()

    def ready(self) -> bool:
        """Return whether requests and responses may flow.

        :origin: 1.0.2 common.network.KafkaChannel#ready()
        """
        return self._transport_layer.ready() and self._authenticator.complete()

    def has_send(self) -> bool:
        """Return whether a send is under way.

        :origin: 1.0.2 common.network.KafkaChannel#hasSend()
        """
        return self._send is not None

    def socket_address(self) -> InetAddress | None:
        """Return the peer's address, also after the close; None if there was never a connection.

        :origin: 1.0.2 common.network.KafkaChannel#socketAddress()
        """
        return self._transport_layer.socket_channel().socket().get_inet_address()

    def socket_description(self) -> str:
        """Return the peer's address for a log line, or this end's if there is no peer.

        :origin: 1.0.2 common.network.KafkaChannel#socketDescription()
        """
        socket = self._transport_layer.socket_channel().socket()
        if socket.get_inet_address() is None:
            return str(socket.get_local_address())
        return str(socket.get_inet_address())

    def set_send(self, send: Send) -> None:
        """Begin a send. Raises IllegalStateException if one is under way, CancelledKeyException.

        :origin: 1.0.2 common.network.KafkaChannel#setSend(Send)
        """
        if self._send is not None:
            raise IllegalStateException(
                "Attempt to begin a send operation with prior send operation still in progress, "
                f"connection id is {self._id}")
        self._send = send
        self._transport_layer.add_interest_ops(SelectionKey.OP_WRITE)

    def read(self) -> NetworkReceive | None:
        """Continue the current receive, or begin one; return it when it is complete.

        Mutes the channel if the pool has no memory for the receive. Raises InvalidReceiveException, OSError.

        :origin: 1.0.2 common.network.KafkaChannel#read()
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

        :origin: 1.0.2 common.network.KafkaChannel#write()
        """
        result = None
        if self._send is not None and self._send_to(self._send):
            result = self._send
            self._send = None
        return result

    def add_network_thread_time_nanos(self, nanos: int) -> None:
        """Add time of the network thread for this channel.

        :origin: 1.0.2 common.network.KafkaChannel#addNetworkThreadTimeNanos(long)
        """
        self._network_thread_time_nanos += nanos

    def get_and_reset_network_thread_time_nanos(self) -> int:
        """Return the time counted since the last call.

        :origin: 1.0.2 common.network.KafkaChannel#getAndResetNetworkThreadTimeNanos()
        """
        current = self._network_thread_time_nanos
        self._network_thread_time_nanos = 0
        return current

    def _receive_from(self, receive: NetworkReceive) -> int:
        """:origin: 1.0.2 common.network.KafkaChannel#receive(NetworkReceive)"""
        return receive.read_from(self._transport_layer)

    def _send_to(self, send: Send) -> bool:
        """:origin: 1.0.2 common.network.KafkaChannel#send(Send)"""
        send.write_to(self._transport_layer)
        if send.completed():
            self._transport_layer.remove_interest_ops(SelectionKey.OP_WRITE)

        return send.completed()

    def has_bytes_buffered(self) -> bool:
        """Return whether the transport layer has buffered bytes, which have left the socket.

        :origin: 1.0.2 common.network.KafkaChannel#hasBytesBuffered()
        """
        return self._transport_layer.has_bytes_buffered()

    def __eq__(self, o: object) -> bool:
        """:origin: 1.0.2 common.network.KafkaChannel#equals(Object)"""
        return self is o or isinstance(o, KafkaChannel) and self._id == o._id

    def __hash__(self) -> int:
        """:origin: 1.0.2 common.network.KafkaChannel#hashCode()"""
        return hash(self._id)
