# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A TLS engine and a socket that do what a test has written down, below a real SslTransportLayer.

The engine's records are plain text. Each step is the result of one call. A wrap without a step fails the
test; an unwrap without one finds half a record.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import cast
from unittest.mock import Mock

from kreactor.common.network.channel_metadata_registry import ChannelMetadataRegistry
from kreactor.common.network.ssl_transport_layer import SslTransportLayer
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_selector import SelectionKey
from kreactor.jdk.ssl_engine import HandshakeStatus, SSLEngine, SSLEngineResult, Status
from kreactor.jdk.ssl_exceptions import SSLException, SSLPeerUnverifiedException
from kreactor.jdk.x509 import X500Principal

FINISHED = HandshakeStatus.FINISHED
NEED_UNWRAP = HandshakeStatus.NEED_UNWRAP
NEED_WRAP = HandshakeStatus.NEED_WRAP
NOT_HANDSHAKING = HandshakeStatus.NOT_HANDSHAKING
OP_READ, OP_WRITE = SelectionKey.OP_READ, SelectionKey.OP_WRITE


@dataclass(frozen=True)
class Step:
    """A call that returns: ``takes`` bytes of the source are consumed, ``gives`` is put into the destination.

    ``takes`` of None takes all. ``packet`` and ``application`` are the sizes of the session from then on.
    """

    status: Status = Status.OK
    handshake: HandshakeStatus = NOT_HANDSHAKING
    takes: int | None = 0
    gives: bytes = b""
    packet: int | None = None
    application: int | None = None


@dataclass(frozen=True)
class Failure:
    """A call that raises; ``handshake`` is the engine's status then: NEED_WRAP while an alert waits."""

    error: SSLException
    handshake: HandshakeStatus = NEED_WRAP


class ScriptedSession:
    """The session of a scripted engine."""

    def __init__(self, protocol: str, packet: int, application: int) -> None:
        self.protocol, self.packet, self.application = protocol, packet, application
        self.principal: X500Principal | None = None

    def get_protocol(self) -> str:
        return self.protocol

    def get_cipher_suite(self) -> str:
        return "TLS_SCRIPTED"

    def get_packet_buffer_size(self) -> int:
        return self.packet

    def get_application_buffer_size(self) -> int:
        return self.application

    def get_peer_host(self) -> str | None:
        return None

    def get_peer_port(self) -> int:
        return -1

    def get_peer_principal(self) -> X500Principal:
        if self.principal is None:
            raise SSLPeerUnverifiedException("peer not authenticated")
        return self.principal


class ScriptedEngine:
    """Its ``wraps`` and ``unwraps`` are the steps of these calls; ``status`` is its handshake status."""

    def __init__(self, protocol: str = "TLSv1.2", packet: int = 64, application: int = 64) -> None:
        self.session = ScriptedSession(protocol, packet, application)
        self.status = NEED_WRAP
        self.wraps: deque[Step | Failure] = deque()
        self.unwraps: deque[Step | Failure] = deque()
        self.begin: Exception | None = None
        self.close_inbound_error: SSLException | None = None
        self.is_inbound_closed = self.is_outbound_closed = False

    def get_session(self) -> ScriptedSession:
        return self.session

    def begin_handshake(self) -> None:
        if self.begin is not None:
            raise self.begin

    def get_handshake_status(self) -> HandshakeStatus:
        return self.status

    def wrap(self, src: ByteBuffer, dst: ByteBuffer) -> SSLEngineResult:
        return self._do(self.wraps, src, dst)

    def unwrap(self, src: ByteBuffer, dst: ByteBuffer) -> SSLEngineResult:
        return self._do(self.unwraps or deque([Step(Status.BUFFER_UNDERFLOW, self.status)]), src, dst)

    def _do(self, steps: deque[Step | Failure], src: ByteBuffer, dst: ByteBuffer) -> SSLEngineResult:
        assert steps, "the engine is called once more than the test says"
        step = steps.popleft()
        if isinstance(step, Failure):
            self.status = step.handshake
            raise step.error
        self.status = NOT_HANDSHAKING if step.handshake is FINISHED else step.handshake
        taken = src.remaining() if step.takes is None else step.takes
        src.get_bytes(taken)
        dst.put(step.gives)
        if step.packet is not None:
            self.session.packet = step.packet
        if step.application is not None:
            self.session.application = step.application
        return SSLEngineResult(step.status, step.handshake, taken, len(step.gives))

    def close_outbound(self) -> None:
        self.is_outbound_closed = True

    def close_inbound(self) -> None:
        self.is_inbound_closed = True
        if self.close_inbound_error is not None:
            raise self.close_inbound_error


class ScriptedSocket:
    """``gives`` are the segments that come, -1 for the end, or an error to raise; then 0 bytes come.

    ``room`` is how many bytes each write takes, or an error to raise; then a write takes all.
    """

    def __init__(self) -> None:
        self.gives: deque[bytes | int | Exception] = deque()
        self.room: deque[int | Exception] = deque()
        self.sent = bytearray()
        self.connected = self.opened = True

    def socket(self) -> ScriptedSocket:
        return self

    def read(self, dst: ByteBuffer) -> int:
        if not self.gives or not dst.has_remaining():
            return 0
        given = self.gives.popleft()
        if isinstance(given, Exception):
            raise given
        if isinstance(given, int):
            return given
        taken = given[:dst.remaining()]
        if len(taken) < len(given):
            self.gives.appendleft(given[len(taken):])
        dst.put(taken)
        return len(taken)

    def write(self, src: ByteBuffer) -> int:
        count = src.remaining()
        if self.room:
            room = self.room.popleft()
            if isinstance(room, Exception):
                raise room
            count = min(count, room)
        self.sent += src.get_bytes(count)
        return count

    def is_connected(self) -> bool:
        return self.connected

    def is_open(self) -> bool:
        return self.opened

    def finish_connect(self) -> bool:
        return self.connected

    def close(self) -> None:
        self.opened = False


class ScriptedKey:
    """A selection key: which operations are ready, and which are of interest."""

    def __init__(self, channel: ScriptedSocket) -> None:
        self._channel = channel
        self.ready = OP_READ | OP_WRITE
        self.ops = OP_READ
        self.valid = True

    def channel(self) -> ScriptedSocket:
        return self._channel

    def is_readable(self) -> bool:
        return bool(self.ready & OP_READ)

    def is_writable(self) -> bool:
        return bool(self.ready & OP_WRITE)

    def is_valid(self) -> bool:
        return self.valid

    def cancel(self) -> None:
        self.valid = False

    def interest_ops(self) -> int:
        return self.ops

    def interest_ops_to(self, ops: int) -> None:
        self.ops = ops


class ScriptedTls:
    """A layer on a scripted engine and a scripted socket."""

    def __init__(self, protocol: str = "TLSv1.2", packet: int = 64, application: int = 64) -> None:
        self.engine = ScriptedEngine(protocol, packet, application)
        self.socket = ScriptedSocket()
        self.key = ScriptedKey(self.socket)
        self.registry = Mock(spec=ChannelMetadataRegistry)
        self.layer = SslTransportLayer.create(
            "scripted", cast(SelectionKey, self.key), cast(SSLEngine, self.engine), self.registry)

    def wraps(self, *steps: Step | Failure) -> ScriptedTls:
        self.engine.wraps.extend(steps)
        return self

    def unwraps(self, *steps: Step | Failure) -> ScriptedTls:
        self.engine.unwraps.extend(steps)
        return self

    def gives(self, *segments: bytes | int | Exception) -> ScriptedTls:
        """Have the socket give these segments."""
        self.socket.gives.extend(segments)
        return self

    def takes(self, *room: int | Exception) -> ScriptedTls:
        """Have the socket take so many bytes at a time."""
        self.socket.room.extend(room)
        return self

    def hears(self) -> ScriptedTls:
        """Begin a handshake in which the peer speaks next, and get to where nothing has come yet."""
        self.engine.status = NEED_UNWRAP
        self.layer.handshake()
        assert self.layer.net_read_buffer().has_remaining() and not self.layer.ready()
        return self

    def after_handshake(self) -> ScriptedTls:
        """Get a handshake of one step of each side behind it."""
        engine = self.engine
        kept = engine.wraps, engine.unwraps, self.socket.gives, self.socket.room, self.key.ready
        self.key.ready = OP_WRITE
        engine.wraps, engine.unwraps = deque([Step(handshake=NEED_UNWRAP)]), deque([Step(handshake=FINISHED)])
        self.socket.gives, self.socket.room = deque(), deque()
        self.layer.handshake()
        assert self.layer.ready()
        engine.wraps, engine.unwraps, self.socket.gives, self.socket.room, self.key.ready = kept
        return self

    def read(self, size: int) -> bytes:
        """Return what one read of the layer into a buffer of ``size`` bytes gives."""
        dst = ByteBuffer.allocate(size)
        count = self.layer.read(dst)
        content: bytes = dst.flip().to_bytes()
        assert count == len(content)
        return content


def wait_for_write(tls: ScriptedTls) -> bool:
    """Return whether the layer is to be called when the socket has room."""
    return bool(tls.key.ops & OP_WRITE)
