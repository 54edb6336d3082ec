# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.KafkaChannel of Apache Kafka 0.10.1.1,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""One connection: its transport layer, its authenticator, at most one receive and one send under way.

Owner: the network thread of the channel's selector.

A mute is only the missing read interest of the key, so it ends with the key.
"""

from __future__ import annotations

from kreactor.common.network.authenticator import Authenticator
from kreactor.common.network.transport_layer import TransportLayer
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.utils.utils import Utils
from kreactor.editions.v0_10_2.common.network.network_receive import NetworkReceive
from kreactor.editions.v0_10_2.common.network.send import Send
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.net import InetAddress
from kreactor.jdk.nio_selector import SelectionKey


class KafkaChannel:
    """A connection, on a client or on a server. Equal only to itself.

    :origin: 0.10.1.1 common.network.KafkaChannel
    """

    __slots__ = ("_id", "_transport_layer", "_authenticator", "_max_receive_size", "_receive", "_send")

    def __init__(
        self, id: str, transport_layer: TransportLayer, authenticator: Authenticator, max_receive_size: int,
    ) -> None:
        """``max_receive_size`` is in bytes.

        :origin: 0.10.1.1 common.network.KafkaChannel#KafkaChannel(String, TransportLayer, Authenticator, int)
        """
        self._id = id
        self._transport_layer = transport_layer
        self._authenticator = authenticator
        self._max_receive_size = max_receive_size
        self._receive: NetworkReceive | None = None
        self._send: Send | None = None

    def close(self) -> None:
        """Close the socket and release the channel's resources. Raises the first OSError.

        :origin: 0.10.1.1 common.network.KafkaChannel#close()
        """
        # DEVIATION D352: the transport layers of 3.8.0 leave the key to their caller; the transport layers of
        # this release cancel it and clear its attachment.
        key = self._transport_layer.selection_key()
        try:
            Utils.close_all(self._transport_layer, self._authenticator)
        finally:
            key.cancel()
            key.attach(None)

    def principal(self) -> KafkaPrincipal:
        """Return the peer's principal from the authenticator.

        :origin: 0.10.1.1 common.network.KafkaChannel#principal()
        """
        return self._authenticator.principal()

    def prepare(self) -> None:
        """Continue the handshake, then the authentication, as far as possible without waiting.

        Raises OSError, AuthenticationException.

        :origin: 0.10.1.1 common.network.KafkaChannel#prepare()
        """
        if not self._transport_layer.ready():
            self._transport_layer.handshake()
        if self._transport_layer.ready() and not self._authenticator.complete():
            self._authenticator.authenticate()

    def disconnect(self) -> None:
        """Cancel the key. The socket stays open until ``close``.

        :origin: 0.10.1.1 common.network.KafkaChannel#disconnect()
        """
        self._transport_layer.disconnect()

    def finish_connect(self) -> bool:
        """Return whether the connection is established. Raises OSError if it failed.

        :origin: 0.10.1.1 common.network.KafkaChannel#finishConnect()
        """
        return self._transport_layer.finish_connect()

    def is_connected(self) -> bool:
        """Return whether the connection is established.

        :origin: 0.10.1.1 common.network.KafkaChannel#isConnected()
        """
        return self._transport_layer.is_connected()

    def id(self) -> str:
        """Return the id.

        :origin: 0.10.1.1 common.network.KafkaChannel#id()
        """
        return self._id

    def mute(self) -> None:
        """Stop reading. Raises CancelledKeyException once the channel is disconnected.

        :origin: 0.10.1.1 common.network.KafkaChannel#mute()
        """
        self._transport_layer.remove_interest_ops(SelectionKey.OP_READ)

    def unmute(self) -> None:
        """Read again. Raises CancelledKeyException once the channel is disconnected.

        :origin: 0.10.1.1 common.network.KafkaChannel#unmute()
        """
        self._transport_layer.add_interest_ops(SelectionKey.OP_READ)

    def is_mute(self) -> bool:
        """Return whether the key has no interest in reads.

        :origin: 0.10.1.1 common.network.KafkaChannel#isMute()
        """
        return self._transport_layer.is_mute()

    def ready(self) -> bool:
        """Return whether requests and responses may flow.

        :origin: 0.10.1.1 common.network.KafkaChannel#ready()
        """
        return self._transport_layer.ready() and self._authenticator.complete()

    def has_send(self) -> bool:
        """Return whether a send is under way.

        :origin: 0.10.1.1 common.network.KafkaChannel#hasSend()
        """
        return self._send is not None

    def socket_address(self) -> InetAddress | None:
        """Return the peer's address, also after the close; None if there was never a connection.

        :origin: 0.10.1.1 common.network.KafkaChannel#socketAddress()
        """
        return self._transport_layer.socket_channel().socket().get_inet_address()

    def socket_description(self) -> str:
        """Return the peer's address for a log line, or this end's if there is no peer.

        :origin: 0.10.1.1 common.network.KafkaChannel#socketDescription()
        """
        socket = self._transport_layer.socket_channel().socket()
        if socket.get_inet_address() is None:
            return str(socket.get_local_address())
        return str(socket.get_inet_address())

    def set_send(self, send: Send) -> None:
        """Begin a send. Raises IllegalStateException if one is under way, CancelledKeyException.

        :origin: 0.10.1.1 common.network.KafkaChannel#setSend(Send)
        """
        if self._send is not None:
            raise IllegalStateException(
                "Attempt to begin a send operation with prior send operation still in progress.")
        self._send = send
        self._transport_layer.add_interest_ops(SelectionKey.OP_WRITE)

    def read(self) -> NetworkReceive | None:
        """Continue the current receive, or begin one; return it when it is complete.

        Raises InvalidReceiveException, OSError.

        :origin: 0.10.1.1 common.network.KafkaChannel#read()
        """
        result = None

        if self._receive is None:
            self._receive = NetworkReceive(self._max_receive_size, self._id)

        self._receive_from(self._receive)
        if self._receive.complete():
            self._receive.payload().rewind()
            result = self._receive
            self._receive = None
        return result

    def write(self) -> Send | None:
        """Continue the current send; return it when it is written completely. Raises OSError.

        :origin: 0.10.1.1 common.network.KafkaChannel#write()
        """
        result = None
        if self._send is not None and self._send_to(self._send):
            result = self._send
            self._send = None
        return result

    def _receive_from(self, receive: NetworkReceive) -> int:
        """:origin: 0.10.1.1 common.network.KafkaChannel#receive(NetworkReceive)"""
        return receive.read_from(self._transport_layer)

    def _send_to(self, send: Send) -> bool:
        """:origin: 0.10.1.1 common.network.KafkaChannel#send(Send)"""
        send.write_to(self._transport_layer)
        if send.completed():
            self._transport_layer.remove_interest_ops(SelectionKey.OP_WRITE)

        return send.completed()
