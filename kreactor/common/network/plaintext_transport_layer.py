# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.PlaintextTransportLayer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The transport layer of plain text: the socket itself, but for what was read ahead.

Who asks for what has come gets all of it, up to some size, and gives back what is not his yet: that waits
here, and is read before what the socket has.
"""

from __future__ import annotations

from typing import Sequence

from kreactor.common.network.transport_layer import TransportLayer
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import FileChannel, SocketChannel
from kreactor.jdk.nio_selector import SelectionKey

OMITTED = {
    "common.network.PlaintextTransportLayer#read(ByteBuffer[], int, int)":
        "A sequence of buffers is sliced by the caller; nothing calls this overload.",
    "common.network.PlaintextTransportLayer#write(ByteBuffer[], int, int)":
        "A sequence of buffers is sliced by the caller; nothing calls this overload.",
}


# As much is read ahead at a time: most requests, and not much to be copied of those that are longer.
_AHEAD = 2048
# No message that is longer is expected: it comes in pieces anyhow.
_EXPECTED = 1 << 18


class PlaintextTransportLayer(TransportLayer):
    """Passes everything on to the socket's channel.

    :origin: common.network.PlaintextTransportLayer
    """

    __slots__ = ("_key", "_socket_channel", "_principal", "_ahead", "expected", "_last_size")

    # None but what the channel has it read ahead, which the channel sees to itself.
    BUFFERS_BYTES = False
    # Whether all that is read comes from the socket.
    READS_AHEAD = True

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "read" in cls.__dict__:
            cls.READS_AHEAD = False

    def __init__(self, key: SelectionKey) -> None:
        """:origin: common.network.PlaintextTransportLayer#PlaintextTransportLayer(SelectionKey)"""
        self._key = key
        self._socket_channel: SocketChannel = key.channel()
        self._principal = KafkaPrincipal.ANONYMOUS
        # What was read ahead and given back.
        self._ahead: bytes | memoryview = b""
        # How long the next message is, its size included, if it is as long as the last two; 0 if those were
        # not alike, or short enough to be read ahead, or too long. And how long the last one was.
        self.expected = 0
        self._last_size = 0

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
        ahead = self._ahead
        if not ahead:
            return self._socket_channel.read(dst)
        count = min(len(ahead), dst.remaining())
        dst.put(ahead[:count])
        # No empty view, which would keep its memory.
        self._ahead = ahead[count:] if count < len(ahead) else b""
        # -1 is met again by who reads on.
        return count + max(0, self._socket_channel.read(dst))

    def read_buffers(self, dsts: Sequence[ByteBuffer]) -> int:
        """:origin: common.network.PlaintextTransportLayer#read(ByteBuffer[])"""
        if self._ahead:
            return sum(self.read(dst) for dst in dsts if self._ahead)
        return self._socket_channel.read_buffers(dsts)

    def read_expected(self, memory: memoryview) -> int | None:
        """Read a message as it is expected into ``memory``; return how many bytes of it have come.

        None if none have, 0 at the end. To be called where nothing was given back. Raises OSError.
        """
        return self._socket_channel.read_into(memory)

    def note_long_message(self, size: int) -> None:
        """Note a message of ``size`` bytes, its own size included; 0 if another came than was expected."""
        self.expected = size if _AHEAD < size == self._last_size <= _EXPECTED else 0
        self._last_size = size

    def read_ahead(self) -> bytes | memoryview | None:
        """Return what has come, as far as it is not much; None if nothing has, nothing at the end.

        The caller gives back by ``give_back`` what is not his. Raises OSError.
        """
        ahead = self._ahead
        if not ahead:
            return self._socket_channel.read_some(_AHEAD)
        self._ahead = b""
        return ahead

    def give_back(self, ahead: bytes | memoryview) -> None:
        """Have this read next, by whoever reads."""
        self._ahead = ahead

    def write(self, src: ByteBuffer) -> int:
        """:origin: common.network.PlaintextTransportLayer#write(ByteBuffer)"""
        return self._socket_channel.write(src)

    def write_buffers(self, srcs: Sequence[ByteBuffer]) -> int:
        """:origin: common.network.PlaintextTransportLayer#write(ByteBuffer[])"""
        return self._socket_channel.write_buffers(srcs)

    def hold_packets(self, hold: bool) -> None:
        """Leave it to the kernel."""
        self._socket_channel.hold_packets(hold)

    def has_pending_writes(self) -> bool:
        """Return False: what the socket took is the kernel's.

        :origin: common.network.PlaintextTransportLayer#hasPendingWrites()
        """
        return False

    def peer_principal(self) -> KafkaPrincipal:
        """:origin: common.network.PlaintextTransportLayer#peerPrincipal()"""
        return self._principal

    def add_interest_ops(self, ops: int) -> None:
        """:origin: common.network.PlaintextTransportLayer#addInterestOps(int)"""
        key = self._key
        key.interest_ops_to(key._interest_ops | ops)

    def remove_interest_ops(self, ops: int) -> None:
        """:origin: common.network.PlaintextTransportLayer#removeInterestOps(int)"""
        key = self._key
        key.interest_ops_to(key._interest_ops & ~ops)

    def is_mute(self) -> bool:
        """:origin: common.network.PlaintextTransportLayer#isMute()"""
        return self._key.is_valid() and self._key.interest_ops() & SelectionKey.OP_READ == 0

    def has_bytes_buffered(self) -> bool:
        """Return whether something was read ahead.

        :origin: common.network.PlaintextTransportLayer#hasBytesBuffered()
        """
        return self._ahead != b""

    def transfer_from(self, file_channel: FileChannel, position: int, count: int) -> int:
        """:origin: common.network.PlaintextTransportLayer#transferFrom(FileChannel, long, long)"""
        return file_channel.transfer_to(position, count, self._socket_channel)
