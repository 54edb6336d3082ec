# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Connections to the tested broker, with transcripts.

A connection belongs to the thread that opened it.
"""

from __future__ import annotations

import base64
import errno
import hashlib
import hmac
import secrets
import socket
import ssl
import struct
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from itertools import count
from types import TracebackType

from kreactor.conformance.codec import Malformed, Message, request, response_body
from kreactor.conformance.schemas import API_VERSIONS, Api, apis, apis_by_key

# The correlation id of the request that checks whether a connection still responds.
PROBE = 0x7A57
# The maximum size of a response. Larger ones end the read from a flooding target.
MAX_RESPONSE_BYTES = 16 * 2**20
_READ_BYTES = 1 << 16


class Ending(Enum):
    """The end of a connection by the broker, or NOTHING."""

    FIN = "closed"
    RESET = "reset"
    NOTHING = "nothing came"


class Unreachable(Exception):
    """There is no connection to the target, or it does not speak Kafka's protocol. The text is one line."""


class NotTestable(Exception):
    """A precondition of the case is not met; the text names it."""


@dataclass(frozen=True)
class Credentials:
    """A user of SASL: mechanism PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512, name and password."""

    mechanism: str
    user: str
    password: str


@dataclass(frozen=True)
class Target:
    """The broker's address, its security settings, and the time limits.

    ``timeout_s`` is the longest wait for expected bytes. ``patience_s`` is the wait after which silence
    counts as no response.
    """

    host: str
    port: int
    timeout_s: float = 5.0
    patience_s: float = 0.2
    tls: ssl.SSLContext | None = None
    sasl: Credentials | None = None

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


# The maximum number of bytes that a transcript keeps of a connection.
_TRANSCRIPT_BYTES = 1 << 16


@dataclass
class Transcript:
    """The first bytes of one connection in order, as (sent by us, data), and its ending."""

    parts: list[tuple[bool, bytes]] = field(default_factory=list)
    ending: Ending = Ending.NOTHING
    size: int = 0

    def add(self, sent: bool, data: bytes) -> None:
        """Append data as far as it fits; adjacent data of one direction are joined."""
        kept = data[:max(_TRANSCRIPT_BYTES - self.size, 0)]
        self.size += len(data)
        if self.parts and self.parts[-1][0] is sent:
            self.parts[-1] = sent, self.parts[-1][1] + kept
        elif kept:
            self.parts.append((sent, kept))


class Connection:
    """One connection, with its transcript.

    ``sent_at`` and ``received_at`` are monotonic times in seconds: when the last bytes or the half-close were
    sent, and when the last bytes or the ending came. ``received_at`` is 0 before the first.
    """

    def __init__(self, target: Target, transcript: Transcript | None = None, *, plain: bool = False) -> None:
        """Connect, with TLS and SASL as configured; ``plain`` leaves both out.

        Raises OSError or Unreachable.
        """
        self.target = target
        self.transcript = Transcript() if transcript is None else transcript
        self.sent_at = time.monotonic()
        self.received_at = 0.0
        self._received = bytearray()
        # Each request was sent by ``ask`` and got its response.
        self._is_answered = False
        self.socket: socket.socket = socket.create_connection(
            (target.host, target.port), timeout=target.timeout_s)
        try:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if target.tls is not None and not plain:
                self.socket = target.tls.wrap_socket(self.socket, server_hostname=target.host)
            if target.sasl is not None and not plain:
                authenticate(self, target.sasl)
        except BaseException:
            self.socket.close()
            # The sent bytes have the user's password.
            self.transcript.parts = [part for part in self.transcript.parts if not part[0]]
            raise
        self.transcript.parts.clear()
        self.transcript.size = 0
        self._is_answered = False

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 tb: TracebackType | None) -> None:
        """Close. Behind the response to the last ``ask`` nothing may follow: see ``nothing_follows``."""
        try:
            if self._is_answered and (exc_type is None or issubclass(exc_type, NotTestable)):
                self.nothing_follows()
        finally:
            self.close()

    def close(self) -> None:
        self.socket.close()

    def abort(self) -> None:
        """End the connection, so that its thread reads an ending. Called by another thread."""
        with suppress(OSError):
            socket.socket.shutdown(self.socket, socket.SHUT_RDWR)

    def send(self, data: bytes) -> None:
        """Send all of ``data``. Errors of a closed connection are ignored."""
        self._is_answered = False
        self.transcript.add(True, data)
        try:
            self.socket.sendall(data)
        except (ConnectionError, ssl.SSLError):
            pass  # the next read returns the ending
        self.sent_at = time.monotonic()

    def half_close(self) -> None:
        """Tell the broker that nothing more is sent, and go on reading."""
        try:
            # SSLSocket.shutdown would end TLS for reading, too.
            socket.socket.shutdown(self.socket, socket.SHUT_WR)
        except OSError:
            pass  # the next read returns the ending
        self.sent_at = time.monotonic()

    def reset(self) -> None:
        """Close with a reset instead of a FIN."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def receive(self, timeout_s: float | None = None) -> bytes | Ending:
        """Return the next response without its size, or the connection's ending.

        Ending.NOTHING means that no whole response arrived within ``timeout_s``, by default the target's.
        Raises Malformed for an impossible size.
        """
        deadline = time.monotonic() + (self.target.timeout_s if timeout_s is None else timeout_s)
        while True:
            if len(self._received) >= 4:
                (size,) = struct.unpack_from(">i", self._received)
                if not 4 <= size <= MAX_RESPONSE_BYTES:
                    raise Malformed(f"a response of {size} bytes: {bytes(self._received[:32]).hex(' ')}")
                if len(self._received) >= 4 + size:
                    response = bytes(self._received[4:4 + size])
                    del self._received[:4 + size]
                    return response
            ending = self._read(deadline)
            if ending is not None:
                self.transcript.ending = ending
                self._is_answered = False
                if ending is Ending.FIN and self._received:
                    raise Malformed(f"the connection ends within a response: "
                                    f"{bytes(self._received[:32]).hex(' ')}")
                return ending

    def ask(self, api: Api, version: int, body: Message | bytes, correlation_id: int) -> dict[str, object]:
        """Send a request and return the body of its response. Raises Malformed and Unreachable."""
        self.send(request(api, version, correlation_id, body))
        response = self.receive()
        if isinstance(response, Ending):
            raise Unreachable(f"no answer to {api} version {version}: {response.value}")
        (came,) = struct.unpack_from(">i", response)
        if came != correlation_id:
            raise Malformed(f"a response to request {came}, where {correlation_id} was asked")
        try:
            body = response_body(api, version, response)
        except Malformed as e:
            raise Malformed(f"a response that is not of {api} version {version}: {e}") from None
        self._is_answered = True
        return body

    def nothing_follows(self) -> None:
        """Check that no byte follows the last response: the next one is of another request.

        Raises Malformed for other bytes, and Unreachable if the request is not answered.
        """
        try:
            self.ask(apis_by_key()[API_VERSIONS], 0, {}, PROBE)
            self.check_nothing_came()
        except Malformed as e:
            raise Malformed(f"after the last answer: {e}") from None
        except Unreachable as e:
            raise Unreachable(f"after the last answer: {e}") from None

    def check_nothing_came(self) -> None:
        """Check that no byte has arrived that no response has; does not wait. Raises Malformed."""
        with suppress(OSError):
            self._read(0.0)
        if self._received:
            raise Malformed(f"{len(self._received)} bytes that no request has asked for: "
                            f"{bytes(self._received[:32]).hex(' ')}")

    def _read(self, deadline: float) -> Ending | None:
        """Append what comes before the deadline, a monotonic time; 0 is the time before any wait."""
        self.socket.settimeout(max(deadline - time.monotonic(), 0.001) if deadline else 0.0)
        try:
            data = self.socket.recv(_READ_BYTES)
        except (TimeoutError, BlockingIOError, ssl.SSLWantReadError):
            return Ending.NOTHING
        except ssl.SSLEOFError:
            return self._ended(Ending.FIN)
        except ssl.SSLError:
            return self._ended(Ending.RESET)
        except OSError as e:
            if e.errno in (errno.ECONNRESET, errno.EPIPE, errno.ECONNABORTED):
                return self._ended(Ending.RESET)
            raise
        if not data:
            return self._ended(Ending.FIN)
        self.received_at = time.monotonic()
        self.transcript.add(False, data)
        self._received += data
        return None

    def _ended(self, ending: Ending) -> Ending:
        self.received_at = time.monotonic()
        return ending


def authenticate(connection: Connection, credentials: Credentials, version: int = 0) -> int:
    """Authenticate by SaslHandshake version 1 and SaslAuthenticate ``version``.

    Returns the lifetime of the session in ms: 0 if the session does not expire, and always 0 in version 0,
    whose response has no lifetime. Raises Unreachable.
    """
    handshake, authenticate_api = apis()["SaslHandshake"], apis()["SaslAuthenticate"]
    lifetime_ms = 0
    correlation_ids = count(2)
    try:
        answer = connection.ask(handshake, 1, {"mechanism": credentials.mechanism}, 1)
        if answer["errorCode"]:
            raise Unreachable(f"the target does not offer SASL mechanism {credentials.mechanism}")

        def exchange(token: bytes) -> bytes:
            nonlocal lifetime_ms
            answer = connection.ask(authenticate_api, version, {"authBytes": token},
                                    next(correlation_ids))
            if answer["errorCode"]:
                raise Unreachable(f"user {credentials.user}: {answer['errorMessage'] or 'not authenticated'}")
            lifetime_ms = answer.get("sessionLifetimeMs", 0)  # type: ignore[assignment]
            token = answer["authBytes"]  # type: ignore[assignment]
            return token

        if credentials.mechanism == "PLAIN":
            exchange(f"\0{credentials.user}\0{credentials.password}".encode())
        else:
            _scram(exchange, credentials)
    except (KeyError, ValueError) as e:
        raise Unreachable(f"SASL: a message of the server is not of {credentials.mechanism}: {e}") from None
    except Malformed as e:
        raise Unreachable(f"SASL: {e}") from None
    return lifetime_ms


def _scram(exchange: Callable[[bytes], bytes], credentials: Credentials) -> None:
    """Authenticate by RFC 5802, without a check of the server's proof."""
    digest = {"SCRAM-SHA-256": "sha256", "SCRAM-SHA-512": "sha512"}[credentials.mechanism]
    name = credentials.user.replace("=", "=3D").replace(",", "=2C")
    first = f"n={name},r={secrets.token_urlsafe(18)}"
    server_first = exchange(f"n,,{first}".encode()).decode()
    parts = dict(part.split("=", 1) for part in server_first.split(","))
    salted = hashlib.pbkdf2_hmac(digest, credentials.password.encode(), base64.b64decode(parts["s"]),
                                 int(parts["i"]))
    client_key = hmac.digest(salted, b"Client Key", digest)
    final = f"c=biws,r={parts['r']}"
    stored_key = hashlib.new(digest, client_key).digest()
    signature = hmac.digest(stored_key, f"{first},{server_first},{final}".encode(), digest)
    proof = bytes(a ^ b for a, b in zip(client_key, signature))
    exchange(f"{final},p={base64.b64encode(proof).decode()}".encode())
