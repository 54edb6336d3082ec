# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.PlaintextTransportLayer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The transport layer of plain text: the socket itself."""

from __future__ import annotations

from typing import Sequence

from kreactor.common.network.transport_layer import TransportLayer
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import FileChannel, SocketChannel
from kreactor.jdk.nio_selector import SelectionKey


class PlaintextTransportLayer(TransportLayer):
    """Passes everything on to the socket's channel.

    :origin: common.network.PlaintextTransportLayer
    """

    __slots__ = ("_key", "_socket_channel", "_principal")

    def __init__(self, key: SelectionKey) -> None:
        """:origin: common.network.PlaintextTransportLayer#PlaintextTransportLayer(SelectionKey)"""
        self._key = key
        self._socket_channel: SocketChannel = key.channel()
        self._principal = KafkaPrincipal.ANONYMOUS

    def ready(self) -> bool:
        """:origin: common.network.PlaintextTransportLayer#ready()"""
        return True

    def finish_connect(self) -> bool:
        """:origin: common.network.PlaintextTransportLayer#finishConnect()"""
        connected = self._socket_channel.finish_connect()
        if connected:
            key = self._key
            key.interest_ops_to(key.interest_ops() & ~SelectionKey.OP_CONNECT | SelectionKey.OP_READ)
        return connected

    def disconnect(self) -> None:
        """:origin: common.network.PlaintextTransportLayer#disconnect()"""
        self._key.cancel()

    def socket_channel(self) -> SocketChannel:
        """:origin: common.network.PlaintextTransportLayer#socketChannel()"""
        return self._socket_channel

    def selection_key(self) -> SelectionKey:
        """:origin: common.network.PlaintextTransportLayer#selectionKey()"""
        return self._key

    def is_open(self) -> bool:
        """:origin: common.network.PlaintextTransportLayer#isOpen()"""
        return self._socket_channel.is_open()

    def is_connected(self) -> bool:
        """:origin: common.network.PlaintextTransportLayer#isConnected()"""
        return self._socket_channel.is_connected()

    def close(self) -> None:
        """:origin: common.network.PlaintextTransportLayer#close()"""
        self._socket_channel.socket().close()
        self._socket_channel.close()

    def handshake(self) -> None:
        """Do nothing: plain text has none.

        :origin: common.network.PlaintextTransportLayer#handshake()
        """

    def read(self, dst: ByteBuffer) -> int:
        """:origin: common.network.PlaintextTransportLayer#read(ByteBuffer)"""
        return self._socket_channel.read(dst)

    def read_buffers(self, dsts: Sequence[ByteBuffer]) -> int:
        """:origin: common.network.PlaintextTransportLayer#read(ByteBuffer[])"""
        return self._socket_channel.read_buffers(dsts)

    def write(self, src: ByteBuffer) -> int:
        """:origin: common.network.PlaintextTransportLayer#write(ByteBuffer)"""
        return self._socket_channel.write(src)

    def write_buffers(self, srcs: Sequence[ByteBuffer]) -> int:
        """:origin: common.network.PlaintextTransportLayer#write(ByteBuffer[])"""
        return self._socket_channel.write_buffers(srcs)

    def has_pending_writes(self) -> bool:
        """Return False: bytes that the socket took are with the kernel.

        :origin: common.network.PlaintextTransportLayer#hasPendingWrites()
        """
        return False

    def peer_principal(self) -> KafkaPrincipal:
        """:origin: common.network.PlaintextTransportLayer#peerPrincipal()"""
        return self._principal

    def add_interest_ops(self, ops: int) -> None:
        """:origin: common.network.PlaintextTransportLayer#addInterestOps(int)"""
        self._key.interest_ops_or(ops)

    def remove_interest_ops(self, ops: int) -> None:
        """:origin: common.network.PlaintextTransportLayer#removeInterestOps(int)"""
        self._key.interest_ops_and(~ops)

    def is_mute(self) -> bool:
        """:origin: common.network.PlaintextTransportLayer#isMute()"""
        return self._key.is_valid() and self._key.interest_ops() & SelectionKey.OP_READ == 0

    def has_bytes_buffered(self) -> bool:
        """Return False: nothing is kept here.

        :origin: common.network.PlaintextTransportLayer#hasBytesBuffered()
        """
        return False

    def transfer_from(self, file_channel: FileChannel, position: int, count: int) -> int:
        """:origin: common.network.PlaintextTransportLayer#transferFrom(FileChannel, long, long)"""
        return file_channel.transfer_to(position, count, self._socket_channel)
