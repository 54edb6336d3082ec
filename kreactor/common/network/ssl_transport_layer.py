# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.SslTransportLayer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The transport layer of TLS: a state machine between a socket that never waits and an SSLEngine.

Three buffers: what came from the network and is not decrypted yet, what is decrypted and not read yet, and
what is encrypted and not sent yet. The first two are kept ready for more to be put into them, their position
is how much they hold; the third is kept ready to be sent, from its position to its limit.

Bytes can lie in the first two with nothing on the socket: a select never reports them. `has_bytes_buffered`
tells the Selector, which goes on with such channels of its own accord, but only as long as that brings
anything: half a record has to wait for the other half.

Owner: the network thread of the channel.

Invariants: nothing is read or written for the channel before `ready`; after a failed handshake nothing is
raised before the alert that tells the peer is sent, or cannot be; once CLOSING, no buffer is left.

Copies per byte: one from the socket, one into OpenSSL, one out of it decrypted, to whoever reads if there is
room for all of a record; when written, one into OpenSSL, two out of it encrypted, one to the socket.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from kreactor.common.errors import SslAuthenticationException
from kreactor.common.network.channel_metadata_registry import ChannelMetadataRegistry
from kreactor.common.network.cipher_information import CipherInformation
from kreactor.common.network.transport_layer import TransportLayer
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.utils.byte_utils import ByteUtils
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import (
    CancelledKeyException,
    EOFException,
    IllegalStateException,
)
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import FileChannel, SocketChannel
from kreactor.jdk.nio_selector import SelectionKey
from kreactor.jdk.ssl_engine import HandshakeStatus, SSLEngine, SSLEngineResult, SSLSession, Status
from kreactor.jdk.ssl_exceptions import (
    SSLException,
    SSLHandshakeException,
    SSLKeyException,
    SSLPeerUnverifiedException,
    SSLProtocolException,
)
from kreactor.jdk.x509 import X500Principal

_TLS13 = "TLSv1.3"
_INT_MAX_VALUE = 2**31 - 1
# How much of a file is read at a time: a send buffer takes it at once as a rule, and it is not much to keep.
_TRANSFER_SIZE = 32_768


class SslTransportLayer(TransportLayer):
    """Encrypts and decrypts for one socket.

    :origin: common.network.SslTransportLayer
    """

    __slots__ = ("_channel_id", "_ssl_engine", "_key", "_socket_channel", "_metadata_registry", "_log",
                 "_handshake_status", "_handshake_result", "_state", "_handshake_exception",
                 "_net_read_buffer", "_net_write_buffer", "_app_read_buffer", "_file_channel_buffer",
                 "_has_bytes_buffered", "__dict__")

    _net_read_buffer: ByteBuffer
    _net_write_buffer: ByteBuffer
    _app_read_buffer: ByteBuffer

    @staticmethod
    def create(channel_id: str, key: SelectionKey, ssl_engine: SSLEngine,
               metadata_registry: ChannelMetadataRegistry) -> SslTransportLayer:
        """Return the layer of a socket that is registered with ``key``.

        :origin: common.network.SslTransportLayer#create(
            String, SelectionKey, SSLEngine, ChannelMetadataRegistry)
        """
        return SslTransportLayer(channel_id, key, ssl_engine, metadata_registry)

    def __init__(self, channel_id: str, key: SelectionKey, ssl_engine: SSLEngine,
                 metadata_registry: ChannelMetadataRegistry) -> None:
        """Prefer ``create``.

        :origin: common.network.SslTransportLayer#SslTransportLayer(
            String, SelectionKey, SSLEngine, ChannelMetadataRegistry)
        """
        self._channel_id = channel_id
        self._key = key
        self._socket_channel: SocketChannel = key.channel()
        self._ssl_engine = ssl_engine
        self._state = State.NOT_INITIALIZED
        self._metadata_registry = metadata_registry
        self._handshake_status = HandshakeStatus.NOT_HANDSHAKING
        self._handshake_result: SSLEngineResult | None = None
        self._handshake_exception: SslAuthenticationException | None = None
        # Java has none before the handshake, and meets a null pointer there.
        self._net_read_buffer = self._net_write_buffer = self._app_read_buffer = ByteBuffer.allocate(0)
        self._file_channel_buffer: ByteBuffer | None = None
        self._has_bytes_buffered = False

        log_context = LogContext(f"[SslTransportLayer channelId={channel_id} key={key}] ")
        self._log = log_context.logger(type(self))

    def _start_handshake(self) -> None:
        """Raises SSLException.

        :origin: common.network.SslTransportLayer#startHandshake()
        """
        if self._state is not State.NOT_INITIALIZED:
            raise IllegalStateException(f"startHandshake() can only be called once, state {self._state}")

        self._net_read_buffer = ByteBuffer.allocate(self._net_read_buffer_size())
        self._net_write_buffer = ByteBuffer.allocate(self._net_write_buffer_size())
        self._app_read_buffer = ByteBuffer.allocate(self._application_buffer_size())
        self._net_write_buffer.set_limit(0)
        self._net_read_buffer.set_limit(0)

        self._state = State.HANDSHAKE
        self._ssl_engine.begin_handshake()
        self._handshake_status = self._ssl_engine.get_handshake_status()

    def ready(self) -> bool:
        """:origin: common.network.SslTransportLayer#ready()"""
        state = self._state
        return state is State.POST_HANDSHAKE or state is State.READY

    def finish_connect(self) -> bool:
        """:origin: common.network.SslTransportLayer#finishConnect()"""
        connected = self._socket_channel.finish_connect()
        if connected:
            key = self._key
            key.interest_ops_to(key.interest_ops() & ~SelectionKey.OP_CONNECT | SelectionKey.OP_READ)
        return connected

    def disconnect(self) -> None:
        """:origin: common.network.SslTransportLayer#disconnect()"""
        self._key.cancel()

    def socket_channel(self) -> SocketChannel:
        """:origin: common.network.SslTransportLayer#socketChannel()"""
        return self._socket_channel

    def selection_key(self) -> SelectionKey:
        """:origin: common.network.SslTransportLayer#selectionKey()"""
        return self._key

    def is_open(self) -> bool:
        """:origin: common.network.SslTransportLayer#isOpen()"""
        return self._socket_channel.is_open()

    def is_connected(self) -> bool:
        """:origin: common.network.SslTransportLayer#isConnected()"""
        return self._socket_channel.is_connected()

    def close(self) -> None:
        """Tell the peer that this is the end, if the socket takes it now, and close the socket.

        Raises OSError if the socket does not close.

        :origin: common.network.SslTransportLayer#close()
        """
        prev_state = self._state
        if prev_state is State.CLOSING:
            return
        self._state = State.CLOSING
        self._ssl_engine.close_outbound()
        try:
            if prev_state is not State.NOT_INITIALIZED and self.is_connected():
                if not self._flush(self._net_write_buffer):
                    raise OSError("Remaining data in the network buffer, can't send SSL close message.")
                self._net_write_buffer.clear()
                wrap_result = self._ssl_engine.wrap(ByteUtils.EMPTY_BUF, self._net_write_buffer)
                if wrap_result.get_status() is not Status.CLOSED:
                    raise OSError("Unexpected status returned by SSLEngine.wrap, expected CLOSED, received "
                                  f"{wrap_result.get_status()}. Will not send close message to peer.")
                self._net_write_buffer.flip()
                self._flush(self._net_write_buffer)
        except OSError as ie:
            self._log.debug("Failed to send SSL Close message", exc=ie)
        finally:
            try:
                self._ssl_engine.close_inbound()
            except SSLException as e:
                # Often so: what the peer says at its end is not read once this end is closed.
                self._log.debug("SSLEngine.closeInBound() raised an exception.", exc=e)
            self._socket_channel.socket().close()
            self._socket_channel.close()
            self._net_read_buffer = self._net_write_buffer = self._app_read_buffer = ByteUtils.EMPTY_BUF
            self._file_channel_buffer = None

    def has_pending_writes(self) -> bool:
        """:origin: common.network.SslTransportLayer#hasPendingWrites()"""
        return self._net_write_buffer.has_remaining()

    def _read_from_socket_channel(self) -> int:
        """Return how many bytes came, 0 or -1. Raises OSError.

        :origin: common.network.SslTransportLayer#readFromSocketChannel()
        """
        return self._socket_channel.read(self._net_read_buffer)

    def _flush(self, buf: ByteBuffer) -> bool:
        """Return whether all of ``buf`` is sent. Raises OSError.

        :origin: common.network.SslTransportLayer#flush(ByteBuffer)
        """
        remaining = buf.remaining()
        if remaining > 0:
            written = self._socket_channel.write(buf)
            return written >= remaining
        return True

    def handshake(self) -> None:
        """:origin: common.network.SslTransportLayer#handshake()"""
        if self._state is State.NOT_INITIALIZED:
            try:
                self._start_handshake()
            except SSLException as e:
                self._maybe_process_handshake_failure(e, False, None)
        if self.ready():
            raise self._renegotiation_exception()
        if self._state is State.CLOSING:
            raise self._closing_exception()

        read = 0
        readable = self._key.is_readable()
        try:
            # Before anything is written: a peer that refused and closed has said why, and a write that fails
            # must not hide it.
            if readable:
                read = self._read_from_socket_channel()

            self._do_handshake()
            if self.ready():
                self._update_bytes_buffered(True)
        except SSLException as e:
            self._maybe_process_handshake_failure(e, True, None)
        except OSError as e:
            self._maybe_throw_ssl_authentication_exception()

            # Perhaps a write failed. The peer's last words may be in the buffer, or on the socket.
            try:
                while True:
                    self._log.trace(
                        "Process any available bytes from peer, netReadBuffer %s netWriterBuffer %s "
                        "handshakeStatus %s readable? %s", self._net_read_buffer, self._net_write_buffer,
                        self._handshake_status, readable)
                    self._handshake_wrap_after_failure(False)
                    self._handshake_unwrap(False, True)
                    if not (readable and self._read_from_socket_channel() > 0):
                        break
            except SSLException as e1:
                self._maybe_process_handshake_failure(e1, False, e)

            # The peer has sent no such alert.
            raise

        # The end came: with the reason that is known, or with none.
        if read == -1:
            self._maybe_throw_ssl_authentication_exception()
            raise EOFException(f"EOF during handshake, handshake status is {self._handshake_status}")

    def _do_handshake(self) -> None:
        """:origin: common.network.SslTransportLayer#doHandshake()"""
        key = self._key
        read = key.is_readable()
        write = key.is_writable()
        self._handshake_status = self._ssl_engine.get_handshake_status()
        if not self._flush(self._net_write_buffer):
            key.interest_ops_to(key.interest_ops() | SelectionKey.OP_WRITE)
            return
        # Now that the peer is told.
        self._maybe_throw_ssl_authentication_exception()

        status = self._handshake_status
        # DEVIATION D170: there is no NEED_TASK.
        if status is HandshakeStatus.NEED_WRAP:
            self._trace_handshake("NEED_WRAP")
            result = self._handshake_result = self._handshake_wrap(write)
            if result.get_status() is Status.BUFFER_OVERFLOW:
                current_net_write_buffer_size = self._net_write_buffer_size()
                self._net_write_buffer.compact()
                self._net_write_buffer = Utils.ensure_capacity(
                    self._net_write_buffer, current_net_write_buffer_size)
                self._net_write_buffer.flip()
                if self._net_write_buffer.limit() >= current_net_write_buffer_size:
                    raise IllegalStateException(
                        f"Buffer overflow when available data size ({self._net_write_buffer.limit()}) >= "
                        f"network buffer size ({current_net_write_buffer_size})")
            elif result.get_status() is Status.BUFFER_UNDERFLOW:
                raise IllegalStateException(
                    "Should not have received BUFFER_UNDERFLOW during handshake WRAP.")
            elif result.get_status() is Status.CLOSED:
                raise EOFException()
            self._trace_handshake("NEED_WRAP", result)
            # The answer can be waited for in the same call if all is sent, and an answer is due.
            if (self._handshake_status is not HandshakeStatus.NEED_UNWRAP
                    or not self._flush(self._net_write_buffer)):
                key.interest_ops_to(key.interest_ops() | SelectionKey.OP_WRITE)
                return
            status = HandshakeStatus.NEED_UNWRAP
        if status is HandshakeStatus.NEED_UNWRAP:
            self._trace_handshake("NEED_UNWRAP")
            while True:
                result = self._handshake_result = self._handshake_unwrap(read, False)
                if result.get_status() is not Status.BUFFER_OVERFLOW:
                    break
                current_app_buffer_size = self._application_buffer_size()
                self._app_read_buffer = Utils.ensure_capacity(self._app_read_buffer, current_app_buffer_size)
                if self._app_read_buffer.position() > current_app_buffer_size:
                    raise IllegalStateException(
                        f"Buffer underflow when available data size ({self._app_read_buffer.position()}) > "
                        f"packet buffer size ({current_app_buffer_size})")
            if result.get_status() is Status.BUFFER_UNDERFLOW:
                current_net_read_buffer_size = self._net_read_buffer_size()
                self._net_read_buffer = Utils.ensure_capacity(
                    self._net_read_buffer, current_net_read_buffer_size)
                if self._net_read_buffer.position() >= current_net_read_buffer_size:
                    raise IllegalStateException("Buffer underflow when there is available data")
            elif result.get_status() is Status.CLOSED:
                raise EOFException("SSL handshake status CLOSED during handshake UNWRAP")
            self._trace_handshake("NEED_UNWRAP", result)

            # A select would never report a channel whose handshake is over: nothing is on its way. So it
            # is ended in the same call.
            if self._handshake_status is not HandshakeStatus.FINISHED:
                if self._handshake_status is HandshakeStatus.NEED_WRAP:
                    key.interest_ops_to(key.interest_ops() | SelectionKey.OP_WRITE)
                elif self._handshake_status is HandshakeStatus.NEED_UNWRAP:
                    key.interest_ops_to(key.interest_ops() & ~SelectionKey.OP_WRITE)
                return
        self._handshake_finished()

    def _trace_handshake(self, step: str, result: SSLEngineResult | None = None) -> None:
        if self._log.is_trace_enabled():
            self._log.trace(
                "SSLHandshake %s channelId %s, %sappReadBuffer pos %d, netReadBuffer pos %d, netWriteBuffer "
                "pos %d", step, self._channel_id, f"handshakeResult {result}, " if result else "",
                self._app_read_buffer.position(), self._net_read_buffer.position(),
                self._net_write_buffer.position())

    def _renegotiation_exception(self) -> SSLHandshakeException:
        """:origin: common.network.SslTransportLayer#renegotiationException()"""
        return SSLHandshakeException("Renegotiation is not supported")

    def _closing_exception(self) -> IllegalStateException:
        """:origin: common.network.SslTransportLayer#closingException()"""
        return IllegalStateException("Channel is in closing state")

    def _handshake_finished(self) -> None:
        """Be ready if all is sent, or wait until it is. Raises OSError if the handshake broke off.

        :origin: common.network.SslTransportLayer#handshakeFinished()
        """
        # The engine says FINISHED once, of the call that ended the handshake, which may be some time ago.
        result, key = self._handshake_result, self._key
        if result is not None and result.get_handshake_status() is HandshakeStatus.FINISHED:
            if self._net_write_buffer.has_remaining():
                key.interest_ops_to(key.interest_ops() | SelectionKey.OP_WRITE)
            else:
                session = self._ssl_engine.get_session()
                protocol = session.get_protocol()
                self._state = State.POST_HANDSHAKE if protocol == _TLS13 else State.READY
                key.interest_ops_to(key.interest_ops() & ~SelectionKey.OP_WRITE)
                if self._log.is_debug_enabled():
                    self._log.debug(
                        "SSL handshake completed successfully with peerHost '%s' peerPort %s peerPrincipal "
                        "'%s' protocol '%s' cipherSuite '%s'", session.get_peer_host(),
                        session.get_peer_port(), self.peer_principal(), protocol, session.get_cipher_suite())
                self._metadata_registry.register_cipher_information(
                    CipherInformation(session.get_cipher_suite(), protocol))

            self._trace_handshake("FINISHED")
        else:
            raise OSError("NOT_HANDSHAKING during handshake")

    def _handshake_wrap(self, do_write: bool) -> SSLEngineResult:
        """Encrypt a part of the handshake; send it if ``do_write``. Raises OSError.

        :origin: common.network.SslTransportLayer#handshakeWrap(boolean)
        """
        self._log.trace("SSLHandshake handshakeWrap %s", self._channel_id)
        if self._net_write_buffer.has_remaining():
            raise IllegalStateException("handshakeWrap called with netWriteBuffer not empty")
        self._net_write_buffer.clear()
        try:
            result = self._ssl_engine.wrap(ByteUtils.EMPTY_BUF, self._net_write_buffer)
        finally:
            self._net_write_buffer.flip()
        self._handshake_status = result.get_handshake_status()

        if do_write:
            self._flush(self._net_write_buffer)
        return result

    def _handshake_unwrap(self, do_read: bool, ignore_handshake_status: bool) -> SSLEngineResult:
        """Take in what came, and more from the socket first if ``do_read``. Raises OSError.

        With ``ignore_handshake_status`` as long as anything is taken, or else as long as the engine asks.

        :origin: common.network.SslTransportLayer#handshakeUnwrap(boolean, boolean)
        """
        self._log.trace("SSLHandshake handshakeUnwrap %s", self._channel_id)
        read = 0
        if do_read:
            read = self._read_from_socket_channel()
        while True:
            position = self._net_read_buffer.position()
            self._net_read_buffer.flip()
            result = self._ssl_engine.unwrap(self._net_read_buffer, self._app_read_buffer)
            self._net_read_buffer.compact()
            self._handshake_status = result.get_handshake_status()
            cont = ((result.get_status() is Status.OK
                     and self._handshake_status is HandshakeStatus.NEED_UNWRAP)
                    or (ignore_handshake_status and self._net_read_buffer.position() != position))
            self._log.trace("SSLHandshake handshakeUnwrap: handshakeStatus %s status %s",
                            self._handshake_status, result.get_status())
            if not cont:
                break

        # Only now: why the peer closed may have been in what came before.
        if read == -1:
            raise EOFException(f"EOF during handshake, handshake status is {self._handshake_status}")

        return result

    def read(self, dst: ByteBuffer) -> int:
        """Fill ``dst`` with what is decrypted; return the bytes read, 0 or -1. Raises OSError.

        Raises SslAuthenticationException if the peer of a TLS 1.3 connection refuses after the handshake.

        :origin: common.network.SslTransportLayer#read(ByteBuffer)
        """
        if self._state is State.CLOSING:
            return -1
        elif not self.ready():
            return 0

        read = 0
        if self._app_read_buffer.position() > 0:
            read = self._read_from_app_buffer(dst)

        read_from_network = False
        is_closed = False
        # Each turn reads from the socket once at most.
        while dst.remaining() > 0:
            netread = 0
            self._net_read_buffer = Utils.ensure_capacity(self._net_read_buffer, self._net_read_buffer_size())
            if self._net_read_buffer.remaining() > 0:
                netread = self._read_from_socket_channel()
                if netread > 0:
                    read_from_network = True

            while self._net_read_buffer.position() > 0:
                self._net_read_buffer.flip()
                try:
                    unwrap_result = self._ssl_engine.unwrap(self._net_read_buffer, self._app_read_buffer)
                    if self._state is State.POST_HANDSHAKE and self._app_read_buffer.position() != 0:
                        # A refusal would have come before these bytes.
                        self._state = State.READY
                except SSLException as e:
                    if self._state is State.POST_HANDSHAKE:
                        self._state = State.HANDSHAKE_FAILED
                        raise SslAuthenticationException("Failed to process post-handshake messages", e)
                    raise
                self._net_read_buffer.compact()
                status = unwrap_result.get_status()
                handshake_status = unwrap_result.get_handshake_status()
                # New keys, as in TLS 1.3, are no new handshake.
                if (handshake_status is not HandshakeStatus.NOT_HANDSHAKING
                        and handshake_status is not HandshakeStatus.FINISHED
                        and status is Status.OK
                        and self._ssl_engine.get_session().get_protocol() != _TLS13):
                    self._log.error(
                        "Renegotiation requested, but it is not supported, channelId %s, appReadBuffer pos "
                        "%d, netReadBuffer pos %d, netWriteBuffer pos %d handshakeStatus %s",
                        self._channel_id, self._app_read_buffer.position(), self._net_read_buffer.position(),
                        self._net_write_buffer.position(), handshake_status)
                    raise self._renegotiation_exception()

                if status is Status.OK:
                    read += self._read_from_app_buffer(dst)
                elif status is Status.BUFFER_OVERFLOW:
                    current_application_buffer_size = self._application_buffer_size()
                    self._app_read_buffer = Utils.ensure_capacity(
                        self._app_read_buffer, current_application_buffer_size)
                    if self._app_read_buffer.position() >= current_application_buffer_size:
                        raise IllegalStateException(
                            f"Buffer overflow when available data size ({self._app_read_buffer.position()}) "
                            f">= application buffer size ({current_application_buffer_size})")

                    # Longer now, or emptier if somebody takes what is in it; if not, it has to wait.
                    if dst.has_remaining():
                        read += self._read_from_app_buffer(dst)
                    else:
                        break
                elif status is Status.BUFFER_UNDERFLOW:
                    current_net_read_buffer_size = self._net_read_buffer_size()
                    self._net_read_buffer = Utils.ensure_capacity(
                        self._net_read_buffer, current_net_read_buffer_size)
                    if self._net_read_buffer.position() >= current_net_read_buffer_size:
                        raise IllegalStateException(
                            f"Buffer underflow when available data size ({self._net_read_buffer.position()}) "
                            f"> packet buffer size ({current_net_read_buffer_size})")
                    break
                else:
                    # Bytes from before the end are given first; the next read finds the end.
                    if self._app_read_buffer.position() == 0 and read == 0:
                        raise EOFException()
                    is_closed = True
                    break
            if read == 0 and netread < 0:
                raise EOFException("EOF during read")
            if netread <= 0 or is_closed:
                break
        self._update_bytes_buffered(read_from_network or read > 0)
        return read

    def read_buffers(self, dsts: Sequence[ByteBuffer]) -> int:
        """:origin: common.network.SslTransportLayer#read(ByteBuffer[])"""
        total_read = 0
        i = 0
        while i < len(dsts):
            if dsts[i].has_remaining():
                read = self.read(dsts[i])
                if read > 0:
                    total_read += read
                else:
                    break
            if not dsts[i].has_remaining():
                i += 1
        return total_read

    def write(self, src: ByteBuffer) -> int:
        """Return how much of ``src`` is encrypted; the end of that may be waiting for the socket.

        Raises OSError, IllegalStateException after ``close``.

        :origin: common.network.SslTransportLayer#write(ByteBuffer)
        """
        if self._state is State.CLOSING:
            raise self._closing_exception()
        if not self.ready():
            return 0

        written = 0
        while self._flush(self._net_write_buffer) and src.has_remaining():
            self._net_write_buffer.clear()
            wrap_result = self._ssl_engine.wrap(src, self._net_write_buffer)
            self._net_write_buffer.flip()

            status = wrap_result.get_status()
            if (wrap_result.get_handshake_status() is not HandshakeStatus.NOT_HANDSHAKING
                    and status is Status.OK
                    and self._ssl_engine.get_session().get_protocol() != _TLS13):
                raise self._renegotiation_exception()

            if status is Status.OK:
                written += wrap_result.bytes_consumed
            elif status is Status.BUFFER_OVERFLOW:
                # Nothing was done: once more, with more room.
                self._net_write_buffer = Utils.ensure_capacity(
                    self._net_write_buffer, self._net_write_buffer_size())
                self._net_write_buffer.set_position(self._net_write_buffer.limit())
            elif status is Status.BUFFER_UNDERFLOW:
                raise IllegalStateException("SSL BUFFER_UNDERFLOW during write")
            else:
                raise EOFException()
        return written

    def write_buffers(self, srcs: Sequence[ByteBuffer]) -> int:
        """:origin: common.network.SslTransportLayer#write(ByteBuffer[])"""
        total_written = 0
        i = 0
        while i < len(srcs):
            if srcs[i].has_remaining() or self.has_pending_writes():
                written = self.write(srcs[i])
                if written > 0:
                    total_written += written
            if not srcs[i].has_remaining() and not self.has_pending_writes():
                i += 1
            else:
                # The socket takes no more now.
                break
        return total_written

    def peer_principal(self) -> KafkaPrincipal | X500Principal:
        """Return the principal of the peer's certificate, ANONYMOUS without one.

        :origin: common.network.SslTransportLayer#peerPrincipal()
        """
        try:
            return self._ssl_engine.get_session().get_peer_principal()
        except SSLPeerUnverifiedException:
            self._log.debug("SSL peer is not authenticated, returning ANONYMOUS instead")
            return KafkaPrincipal.ANONYMOUS

    def ssl_session(self) -> SSLSession:
        """Return the session: protocol, cipher suite, peer.

        :origin: common.network.SslTransportLayer#sslSession()
        """
        return self._ssl_engine.get_session()

    def add_interest_ops(self, ops: int) -> None:
        """Raises CancelledKeyException, IllegalStateException before the end of the handshake.

        :origin: common.network.SslTransportLayer#addInterestOps(int)
        """
        key = self._key
        if not key.is_valid():
            raise CancelledKeyException()
        elif not self.ready():
            raise IllegalStateException("handshake is not completed")

        key.interest_ops_to(key.interest_ops() | ops)

    def remove_interest_ops(self, ops: int) -> None:
        """Raises CancelledKeyException, IllegalStateException before the end of the handshake.

        :origin: common.network.SslTransportLayer#removeInterestOps(int)
        """
        key = self._key
        if not key.is_valid():
            raise CancelledKeyException()
        elif not self.ready():
            raise IllegalStateException("handshake is not completed")

        key.interest_ops_to(key.interest_ops() & ~ops)

    def _read_from_app_buffer(self, dst: ByteBuffer) -> int:
        """Return how much of what is decrypted went to ``dst``.

        :origin: common.network.SslTransportLayer#readFromAppBuffer(ByteBuffer)
        """
        self._app_read_buffer.flip()
        remaining = min(self._app_read_buffer.remaining(), dst.remaining())
        if remaining > 0:
            dst.put(self._app_read_buffer.get_bytes(remaining))
        self._app_read_buffer.compact()
        return remaining

    def _net_read_buffer_size(self) -> int:
        """:origin: common.network.SslTransportLayer#netReadBufferSize()"""
        return self._ssl_engine.get_session().get_packet_buffer_size()

    def _net_write_buffer_size(self) -> int:
        """:origin: common.network.SslTransportLayer#netWriteBufferSize()"""
        return self._ssl_engine.get_session().get_packet_buffer_size()

    def _application_buffer_size(self) -> int:
        """:origin: common.network.SslTransportLayer#applicationBufferSize()"""
        return self._ssl_engine.get_session().get_application_buffer_size()

    def net_read_buffer(self) -> ByteBuffer:
        """Return the buffer of bytes that are not decrypted yet.

        :origin: common.network.SslTransportLayer#netReadBuffer()
        """
        return self._net_read_buffer

    def app_read_buffer(self) -> ByteBuffer:
        """Return the buffer of bytes that are decrypted and not read yet.

        :origin: common.network.SslTransportLayer#appReadBuffer()
        """
        return self._app_read_buffer

    def _handshake_failure(self, ssl_exception: SSLException, flush: bool) -> None:
        """Raises SslAuthenticationException: at once, or if ``flush`` once the peer is told, in a later call.

        :origin: common.network.SslTransportLayer#handshakeFailure(SSLException, boolean)
        """
        self._log.debug("SSL Handshake failed", exc=ssl_exception)
        self._ssl_engine.close_outbound()
        try:
            self._ssl_engine.close_inbound()
        except SSLException as e:
            self._log.debug("SSLEngine.closeInBound() raised an exception.", exc=e)
        # DEVIATION D171: the last result does not announce the alert of the step that has just failed.
        self._handshake_status = self._ssl_engine.get_handshake_status()

        self._state = State.HANDSHAKE_FAILED
        self._handshake_exception = SslAuthenticationException("SSL handshake failed", ssl_exception)

        # A write that fails is only logged: that the peer is gone makes it no less of a failure.
        if not flush or self._handshake_wrap_after_failure(flush):
            raise self._handshake_exception
        else:
            # Part of D171: Java fails in a step that has asked to write already.
            self._key.interest_ops_to(self._key.interest_ops() | SelectionKey.OP_WRITE)
            self._log.debug("Delay propagation of handshake exception till %d bytes remaining are flushed",
                            self._net_write_buffer.remaining())

    def _maybe_process_handshake_failure(self, ssl_exception: SSLException, flush: bool,
                                         io_exception: OSError | None) -> None:
        """Raise what a client must not try again as SslAuthenticationException, the rest as it was.

        A disagreement between the two ends is permanent. But a peer that only closed may be restarting: it
        raises an OSError then, ``io_exception`` if there is one. The base class alone does not tell the two
        cases apart; its texts do.

        :origin: common.network.SslTransportLayer#maybeProcessHandshakeFailure(
            SSLException, boolean, IOException)
        """
        message = str(ssl_exception)
        if (isinstance(ssl_exception, (SSLHandshakeException, SSLProtocolException,
                                       SSLPeerUnverifiedException, SSLKeyException))
                or "Unrecognized SSL message" in message
                or "Received fatal alert: " in message):
            self._handshake_failure(ssl_exception, flush)
        elif io_exception is None:
            raise ssl_exception
        else:
            self._log.debug("SSLException while unwrapping data after IOException, original IOException will "
                            "be propagated", exc=ssl_exception)
            raise io_exception

    def _maybe_throw_ssl_authentication_exception(self) -> None:
        """:origin: common.network.SslTransportLayer#maybeThrowSslAuthenticationException()"""
        if self._handshake_exception is not None:
            raise self._handshake_exception

    def _handshake_wrap_after_failure(self, do_write: bool) -> bool:
        """Encrypt what the engine still has to say; return whether nothing of it is left to be sent.

        Sent if ``do_write``, thrown away if not: the peer is gone, and the engine has to be rid of it before
        it takes in what the peer said last.

        :origin: common.network.SslTransportLayer#handshakeWrapAfterFailure(boolean)
        """
        try:
            self._log.trace("handshakeWrapAfterFailure status %s doWrite %s", self._handshake_status,
                            do_write)
            while (self._handshake_status is HandshakeStatus.NEED_WRAP
                   and (not do_write or self._flush(self._net_write_buffer))):
                if not do_write:
                    self._clear_write_buffer()
                self._handshake_wrap(do_write)
        except Exception as e:
            self._log.debug("Failed to wrap and flush all bytes before closing channel", exc=e)
            self._clear_write_buffer()
        if not do_write:
            self._clear_write_buffer()
        return not self._net_write_buffer.has_remaining()

    def _clear_write_buffer(self) -> None:
        """:origin: common.network.SslTransportLayer#clearWriteBuffer()"""
        if self._net_write_buffer.has_remaining():
            self._log.debug("Discarding write buffer %s since peer has disconnected", self._net_write_buffer)
        self._net_write_buffer.set_position(0)
        self._net_write_buffer.set_limit(0)

    def is_mute(self) -> bool:
        """:origin: common.network.SslTransportLayer#isMute()"""
        return self._key.is_valid() and self._key.interest_ops() & SelectionKey.OP_READ == 0

    def has_bytes_buffered(self) -> bool:
        """:origin: common.network.SslTransportLayer#hasBytesBuffered()"""
        return self._has_bytes_buffered

    def _update_bytes_buffered(self, made_progress: bool) -> None:
        """Note whether going on without more from the network could bring anything.

        :origin: common.network.SslTransportLayer#updateBytesBuffered(boolean)
        """
        if made_progress:
            self._has_bytes_buffered = (
                self._net_read_buffer.position() != 0 or self._app_read_buffer.position() != 0)
        else:
            self._has_bytes_buffered = False

    def transfer_from(self, file_channel: FileChannel, position: int, count: int) -> int:
        """Raises IllegalStateException after ``close``.

        :origin: common.network.SslTransportLayer#transferFrom(FileChannel, long, long)
        """
        if self._state is State.CLOSING:
            raise self._closing_exception()
        if self._state is not State.READY:
            return 0

        if not self._flush(self._net_write_buffer):
            return 0

        channel_size = file_channel.size()
        if position > channel_size:
            return 0
        total_bytes_to_write = min(count, channel_size - position, _INT_MAX_VALUE)

        buffer = self._file_channel_buffer
        if buffer is None:
            buffer = self._file_channel_buffer = ByteBuffer.allocate(_TRANSFER_SIZE)
            # Empty, so that the loop begins with the file.
            buffer.set_position(buffer.limit())

        total_bytes_written = 0
        pos = position
        try:
            while total_bytes_written < total_bytes_to_write:
                if not buffer.has_remaining():
                    buffer.clear()
                    bytes_remaining = total_bytes_to_write - total_bytes_written
                    if bytes_remaining < buffer.limit():
                        buffer.set_limit(bytes_remaining)
                    bytes_read = file_channel.read(buffer, pos)
                    if bytes_read <= 0:
                        # Nothing is in it, whatever its limit says.
                        buffer.set_position(buffer.limit())
                        break
                    buffer.flip()
                network_bytes_written = self.write(buffer)
                total_bytes_written += network_bytes_written
                # The rest of the buffer was read from the file, but does not count as written. The next call
                # begins at its place in the file, and writes it before it reads again.
                if buffer.has_remaining():
                    break
                pos += network_bytes_written
            return total_bytes_written
        except OSError:
            if total_bytes_written > 0:
                return total_bytes_written
            raise


class State(Enum):
    """How far a connection is. POST_HANDSHAKE is TLS 1.3's: done here, but the peer may still refuse.

    :origin: common.network.SslTransportLayer.State
    """

    NOT_INITIALIZED = "NOT_INITIALIZED"
    HANDSHAKE = "HANDSHAKE"
    HANDSHAKE_FAILED = "HANDSHAKE_FAILED"
    POST_HANDSHAKE = "POST_HANDSHAKE"
    READY = "READY"
    CLOSING = "CLOSING"

    def __str__(self) -> str:
        return self.value
