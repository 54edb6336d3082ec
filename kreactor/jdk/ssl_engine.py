# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``javax.net.ssl.SSLEngine`` on the stdlib's ``ssl``: TLS from buffer to buffer, without a socket.

Role: bytes from the network go into ``unwrap``, and the output of ``wrap`` goes to the network. The handshake
status says which of the two is needed next. Below are an ``SSLObject`` of OpenSSL and two memory BIOs. One
call of ``unwrap`` takes one record, as in Java, so the caller sees the end of each record.

This module hides the differences between OpenSSL and Java. OpenSSL computes at once what Java puts into
tasks, so there is no NEED_TASK. A failure is known at once, and its alert waits to be wrapped. OpenSSL's
exceptions, which are OSErrors with other texts, become Java's kinds of SSLException.

Owner: the network thread of the channel.

Copies per byte: one from the network into the BIO, and one for decryption into the destination; one for
encryption into the BIO, one out of the BIO, and one into the destination.
"""

from __future__ import annotations

import ssl
from enum import Enum
from typing import NamedTuple, NoReturn, cast

from kreactor.jdk.cipher_suites import iana_name
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.ssl_exceptions import (
    SSLException,
    SSLHandshakeException,
    SSLPeerUnverifiedException,
    SSLProtocolException,
)
from kreactor.jdk.x509 import X500Principal, X509Certificate

_HEADER_SIZE = 5
_MAX_PLAIN = 1 << 14
# 2048 is the maximum overhead of a record over its content, in any version.
_MAX_RECORD = _HEADER_SIZE + _MAX_PLAIN + 2048
_ALERT, _HANDSHAKE, _APPLICATION_DATA = 21, 22, 23
# Change cipher spec is the first content type.
_CONTENT_TYPES = range(20, _APPLICATION_DATA + 1)
# Alerts as plaintext records. The last two bytes are the level, 1 for a warning or 2 for fatal, and the code.
_CLOSE_NOTIFY = b"\x15\x03\x03\x00\x02\x01\x00"
_UNEXPECTED_MESSAGE = b"\x15\x03\x03\x00\x02\x02\x0a"
_INTERNAL_ERROR = b"\x15\x03\x03\x00\x02\x02\x50"
# The sizes of Java's buffers: for a record, and for its content.
PACKET_BUFFER_SIZE = 16_709
APPLICATION_BUFFER_SIZE = PACKET_BUFFER_SIZE - _HEADER_SIZE


class HandshakeStatus(Enum):
    """The next step of the handshake."""

    NOT_HANDSHAKING = "NOT_HANDSHAKING"
    # Only the call that completes the handshake returns this.
    FINISHED = "FINISHED"
    NEED_WRAP = "NEED_WRAP"
    NEED_UNWRAP = "NEED_UNWRAP"

    def __str__(self) -> str:
        return self.value


class Status(Enum):
    """The status of a call."""

    OK = "OK"
    # The destination may be too small.
    BUFFER_OVERFLOW = "BUFFER_OVERFLOW"
    # The source has no whole record.
    BUFFER_UNDERFLOW = "BUFFER_UNDERFLOW"
    CLOSED = "CLOSED"

    def __str__(self) -> str:
        return self.value


class SSLEngineResult(NamedTuple):
    """The result of a call. Sizes are in bytes."""

    status: Status
    handshake_status: HandshakeStatus
    bytes_consumed: int
    bytes_produced: int

    def get_status(self) -> Status:
        """Return the status of the call."""
        return self.status

    def get_handshake_status(self) -> HandshakeStatus:
        """Return the next step of the handshake."""
        return self.handshake_status


class SSLSession:
    """The parameters that both peers have agreed upon so far."""

    __slots__ = ("_object", "_peer_host", "_peer_port")

    def __init__(self, ssl_object: ssl.SSLObject, peer_host: str | None, peer_port: int) -> None:
        """Made by the engine."""
        self._object = ssl_object
        self._peer_host = peer_host
        self._peer_port = peer_port

    def get_protocol(self) -> str:
        """Return the protocol version, "NONE" before it is negotiated."""
        return self._object.version() or "NONE"

    def get_cipher_suite(self) -> str:
        """Return the IANA name of the cipher suite, as Java does; the name of no cipher before one is
        negotiated."""
        cipher = self._object.cipher()
        return "SSL_NULL_WITH_NULL_NULL" if cipher is None else iana_name(cipher[0])

    def get_peer_host(self) -> str | None:
        """Return the peer's host that the engine was created with."""
        return self._peer_host

    def get_peer_port(self) -> int:
        """Return the peer's port that the engine was created with."""
        return self._peer_port

    def get_peer_certificate(self) -> X509Certificate:
        """Return the peer's own certificate. Raises SSLPeerUnverifiedException if it has sent none."""
        encoded = None
        try:
            encoded = self._object.getpeercert(binary_form=True)
        except ValueError:
            pass  # the handshake is not over
        if encoded is None:
            raise SSLPeerUnverifiedException("peer not authenticated")
        return X509Certificate(encoded)

    def get_peer_principal(self) -> X500Principal:
        """Return the subject of the peer's certificate. Raises SSLPeerUnverifiedException."""
        return self.get_peer_certificate().get_subject_x500_principal()

    def get_packet_buffer_size(self) -> int:
        """Return the maximum size of a record, in bytes."""
        return PACKET_BUFFER_SIZE

    def get_application_buffer_size(self) -> int:
        """Return the maximum size of a record's content, in bytes."""
        return APPLICATION_BUFFER_SIZE


class SSLEngine:
    """One end of one TLS connection."""

    __slots__ = ("_incoming", "_outgoing", "_object", "_session", "_begun", "_heard", "_done",
                 "_finished_told", "_inbound_closed", "_outbound_closed", "_close_notify_seen", "_failed")

    def __init__(self, context: ssl.SSLContext, server_side: bool, peer_host: str | None = None,
                 peer_port: int = -1, server_hostname: str | None = None) -> None:
        """``server_hostname`` is the name that a client sends, and that its context may verify."""
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._object = context.wrap_bio(self._incoming, self._outgoing, server_side, server_hostname)
        self._session = SSLSession(self._object, peer_host, peer_port)
        self._begun = False
        # Whether a record of the peer has arrived.
        self._heard = False
        self._done = False
        self._finished_told = False
        self._inbound_closed = False
        self._outbound_closed = False
        self._close_notify_seen = False
        self._failed = False

    def get_session(self) -> SSLSession:
        """Return the session, whose values change during the handshake."""
        return self._session

    def begin_handshake(self) -> None:
        """Start the handshake; a client prepares its first record. Raises SSLException."""
        self._begun = True
        self._step()

    def get_handshake_status(self) -> HandshakeStatus:
        """Return the next step of the handshake; never FINISHED, which only a call's result has."""
        if self._outgoing.pending:
            return HandshakeStatus.NEED_WRAP
        if self._begun and not self._done and not self._failed:
            return HandshakeStatus.NEED_UNWRAP
        return HandshakeStatus.NOT_HANDSHAKING

    def wrap(self, src: ByteBuffer, dst: ByteBuffer) -> SSLEngineResult:
        """Write a record to ``dst``: a waiting handshake record, or else one with the bytes of ``src``.

        Raises SSLException.
        """
        if dst.remaining() < PACKET_BUFFER_SIZE:
            return self._result(Status.BUFFER_OVERFLOW)
        consumed = 0
        outgoing = self._outgoing
        if not outgoing.pending and not self._outbound_closed:
            if not self._done:
                self._step()
            elif src.has_remaining():
                consumed = min(src.remaining(), _MAX_PLAIN)
                try:
                    self._object.write(src.view()[:consumed])
                except ssl.SSLError as e:
                    self._fail(e)
                src.advance(consumed)
        if outgoing.pending <= dst.remaining():
            record = outgoing.read()
        else:
            # This happens in a handshake with many certificates. The peer waits for whole records.
            header = outgoing.read(_HEADER_SIZE)
            record = header + outgoing.read(header[3] << 8 | header[4])
        dst.put(record)
        return self._result(Status.CLOSED if self._outbound_closed else Status.OK, consumed, len(record))

    def unwrap(self, src: ByteBuffer, dst: ByteBuffer) -> SSLEngineResult:
        """Take a record from ``src``; write its application data to ``dst``.

        Raises the subclass of SSLException that Java raises for the same failure.
        """
        if self._inbound_closed or self._close_notify_seen:
            return self._result(Status.CLOSED)
        size = self._record_size(src)
        if src.remaining() < size:
            return self._result(Status.BUFFER_UNDERFLOW)
        if self._done and dst.remaining() < size - _HEADER_SIZE:
            return self._result(Status.BUFFER_OVERFLOW)
        record = src.get_bytes(size)
        if not self._heard:
            self._check_first_record(record)
        self._incoming.write(record)
        produced = 0
        if not self._done:
            self._step()
        if self._done:
            produced = self._read(dst)
        return self._result(Status.CLOSED if self._close_notify_seen else Status.OK, size, produced)

    def close_outbound(self) -> None:
        """Close the sending side; the close_notify waits for ``wrap``."""
        if self._outbound_closed:
            return
        self._outbound_closed = True
        if self._done and not self._failed:
            try:
                self._object.unwrap()
            except (ssl.SSLError, OSError):
                pass  # the peer has not sent its close_notify, or the connection is broken

    def close_inbound(self) -> None:
        """Close the receiving side. Raises SSLException without the peer's close_notify: data may be lost."""
        if self._inbound_closed:
            return
        self._inbound_closed = True
        if self._done and not self._close_notify_seen:
            raise SSLException("closing inbound before receiving peer's close_notify")

    def is_outbound_done(self) -> bool:
        """Return whether all output is wrapped."""
        return self._outbound_closed and not self._outgoing.pending

    def _record_size(self, src: ByteBuffer) -> int:
        """Return the size of the record in ``src``; more than ``src`` has if the header is incomplete."""
        memory, position = src._memory, src._position
        if src._limit - position < _HEADER_SIZE:
            return _HEADER_SIZE
        if memory[position] not in _CONTENT_TYPES or memory[position + 1] != 3:
            raise self._refusal(
                _INTERNAL_ERROR, SSLException("Unrecognized SSL message, plaintext connection?"))
        size = _HEADER_SIZE + (memory[position + 3] << 8 | memory[position + 4])
        if size > _MAX_RECORD:
            raise self._refusal(_UNEXPECTED_MESSAGE, SSLProtocolException(
                f"Input record too big: max = {_MAX_RECORD} len = {size}"))
        return size

    def _check_first_record(self, record: memoryview) -> None:
        """Handle a first record that is not a handshake as Java does, because OpenSSL answers differently."""
        self._heard = True
        if record[0] == _ALERT and len(record) == len(_CLOSE_NOTIFY):
            if record[-1] == 0:
                raise self._refusal(_CLOSE_NOTIFY, SSLException("Received close_notify during handshake"))
            raise self._refusal(b"", SSLHandshakeException(f"Received fatal alert: {record[-1]}"))
        if record[0] == _APPLICATION_DATA:
            raise self._refusal(
                _INTERNAL_ERROR, SSLHandshakeException("Received application data first"))

    def _refusal(self, alert: bytes, error: SSLException) -> SSLException:
        """Fail for a record that OpenSSL does not get; send an alert if nothing is encrypted yet."""
        self._failed = True
        if not self._done:
            self._outgoing.write(alert)
        return error

    def _step(self) -> None:
        """Continue the handshake as far as the received records allow."""
        if self._failed:
            return
        try:
            self._object.do_handshake()
        except ssl.SSLWantReadError:
            return
        except ssl.SSLError as e:
            self._fail(e)
        self._done = True

    def _read(self, dst: ByteBuffer) -> int:
        ssl_object = self._object
        before = dst._position
        while dst._position < dst._limit:
            try:
                count = cast(int, ssl_object.read(dst._limit - dst._position, dst.view()))
            except ssl.SSLWantReadError:
                break
            except ssl.SSLZeroReturnError:
                self._close_notify_seen = True
                break
            except ssl.SSLError as e:
                self._fail(e)
            if not count:
                self._close_notify_seen = True
                break
            dst._position += count
            # One record was taken. If none of it is left, another read would raise SSLWantReadError.
            if not ssl_object.pending():
                break
        return dst._position - before

    def _fail(self, error: ssl.SSLError) -> NoReturn:
        # DEVIATION D220: OpenSSL chooses the alert for a refused certificate.
        self._failed = True
        reason = error.reason or str(error)
        if isinstance(error, (ssl.SSLZeroReturnError, ssl.SSLEOFError)):
            raise SSLException("Received close_notify during handshake") from error
        if "ALERT" in reason:
            alert = reason.partition("ALERT_")[2].lower() or reason
            raise SSLHandshakeException(f"Received fatal alert: {alert}") from error
        if isinstance(error, ssl.SSLCertVerificationError):
            raise SSLHandshakeException(error.verify_message or reason) from error
        kind = SSLException if self._done else SSLHandshakeException
        raise kind(reason.replace("_", " ").capitalize()) from error

    def _result(self, status: Status, consumed: int = 0, produced: int = 0) -> SSLEngineResult:
        handshake_status = self.get_handshake_status()
        if self._done and not self._finished_told and handshake_status is HandshakeStatus.NOT_HANDSHAKING:
            self._finished_told = True
            handshake_status = HandshakeStatus.FINISHED
        return SSLEngineResult(status, handshake_status, consumed, produced)
