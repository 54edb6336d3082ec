# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.TransportLayer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The layer between a channel and its socket: nothing, or TLS."""

from __future__ import annotations

from abc import abstractmethod
from typing import Sequence

from kreactor.common.network.transferable_channel import TransferableChannel
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import SocketChannel
from kreactor.jdk.nio_selector import SelectionKey
from kreactor.jdk.x509 import X500Principal


class TransportLayer(TransferableChannel):
    """Reads and writes one socket. Owned by its network thread.

    :origin: common.network.TransportLayer
    """

    __slots__ = ()

    @abstractmethod
    def ready(self) -> bool:
        """Return whether the handshake, if any, is done.

        :origin: common.network.TransportLayer#ready()
        """

    @abstractmethod
    def finish_connect(self) -> bool:
        """Return whether the connection is there; watch for reads from then on. Raises OSError if it failed.

        :origin: common.network.TransportLayer#finishConnect()
        """

    @abstractmethod
    def disconnect(self) -> None:
        """Cancel the selection key. The socket stays open until ``close``.

        :origin: common.network.TransportLayer#disconnect()
        """

    @abstractmethod
    def is_connected(self) -> bool:
        """Return whether the connection is there.

        :origin: common.network.TransportLayer#isConnected()
        """

    @abstractmethod
    def socket_channel(self) -> SocketChannel:
        """Return the socket's channel.

        :origin: common.network.TransportLayer#socketChannel()
        """

    @abstractmethod
    def selection_key(self) -> SelectionKey:
        """Return the key of the channel.

        :origin: common.network.TransportLayer#selectionKey()
        """

    @abstractmethod
    def handshake(self) -> None:
        """Go on with the handshake as far as it gets without waiting; a no-op in plain text.

        Raises AuthenticationException if the peer is refused or refuses, OSError if it is gone.

        :origin: common.network.TransportLayer#handshake()
        """

    @abstractmethod
    def peer_principal(self) -> KafkaPrincipal | X500Principal:
        """Return the principal of the peer's certificate, ANONYMOUS without one. Raises OSError.

        :origin: common.network.TransportLayer#peerPrincipal()
        """

    @abstractmethod
    def add_interest_ops(self, ops: int) -> None:
        """Watch for ``ops`` too. Raises CancelledKeyException.

        :origin: common.network.TransportLayer#addInterestOps(int)
        """

    @abstractmethod
    def remove_interest_ops(self, ops: int) -> None:
        """Watch for ``ops`` no longer. Raises CancelledKeyException.

        :origin: common.network.TransportLayer#removeInterestOps(int)
        """

    @abstractmethod
    def is_mute(self) -> bool:
        """Return whether reads are not watched for.

        :origin: common.network.TransportLayer#isMute()
        """

    @abstractmethod
    def has_bytes_buffered(self) -> bool:
        """Return whether the layer holds bytes that have left the socket.

        :origin: common.network.TransportLayer#hasBytesBuffered()
        """

    @abstractmethod
    def is_open(self) -> bool:
        """Return whether the socket is open."""

    @abstractmethod
    def close(self) -> None:
        """Close the socket. Raises OSError."""

    @abstractmethod
    def read(self, dst: ByteBuffer) -> int:
        """Fill ``dst``; return the bytes read, 0 if none are there now, -1 at the end. Raises OSError."""

    @abstractmethod
    def read_buffers(self, dsts: Sequence[ByteBuffer]) -> int:
        """Fill ``dsts`` in order; results and errors as for ``read``."""
