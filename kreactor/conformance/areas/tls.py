# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Cases: TLS with plain bytes on its port, requests across records, and its end."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable, Iterator

from kreactor.conformance.areas.framing import int32
from kreactor.conformance.cases import (
    OPEN,
    Case,
    Level,
    Script,
    Trial,
    answered,
    expect,
    good,
    good_ones,
)
from kreactor.conformance.codec import request
from kreactor.conformance.connection import Ending, NotTestable
from kreactor.conformance.schemas import apis

_ALERT = 0x15
_ENABLED = "SslConfigs#DEFAULT_SSL_ENABLED_PROTOCOLS"
# A client id with which a request is longer than the largest TLS record.
_LONG = 30_000
_OLD_VERSIONS = {"TLSv1": b"\3\1", "TLSv1.1": b"\3\2"}
_VERSIONS = {"TLSv1.2": ssl.TLSVersion.TLSv1_2, "TLSv1.3": ssl.TLSVersion.TLSv1_3}
# AES with SHA-1, with and without ECDHE, which every version up to 1.2 has.
_CIPHERS = b"\xc0\x13\xc0\x14\x00\x2f\x00\x35"
# The groups x25519 and secp256r1, and uncompressed points.
_EXTENSIONS = b"\x00\x0a\x00\x06\x00\x04\x00\x1d\x00\x17" b"\x00\x0b\x00\x02\x01\x00"


def _over_tls(run: Callable[[Trial], None]) -> Callable[[Trial], None]:
    def case(trial: Trial) -> None:
        if trial.target.tls is None:
            raise NotTestable("needs a listener with TLS; use --tls or --tls-ca")
        run(trial)
    return case


def _refused(data: bytes) -> Callable[[Trial], None]:
    """Plain bytes get an alert or nothing, then a close, and never a response."""
    def run(trial: Trial) -> None:
        with trial.connect(plain=True) as connection:
            connection.send(data)
            connection.socket.settimeout(trial.target.timeout_s)
            received = b""
            try:
                while more := connection.socket.recv(1 << 12):
                    received += more
                ending = Ending.FIN
            except TimeoutError:
                ending = Ending.NOTHING
            except OSError:
                ending = Ending.RESET
            connection.received_at = time.monotonic()
        alert = not received or received[0] == _ALERT
        expect("at most an alert, then the end", "at most an alert, then the end"
               if alert and ending is not Ending.NOTHING else f"{received[:32].hex(' ')}, {ending.value}")
        trial.check_time(connection, ending.value)
    return run


def _client_hello(version: bytes) -> bytes:
    """Return the first record of a client with one old version, which Python's ssl deprecates."""
    hello = version + bytes(range(32)) + b"\0" + _long(_CIPHERS) + b"\1\0" + _long(_EXTENSIONS)
    handshake = b"\1" + len(hello).to_bytes(3, "big") + hello
    return b"\x16\3\1" + _long(handshake)


def _long(data: bytes) -> bytes:
    return len(data).to_bytes(2, "big") + data


def _served(version: ssl.TLSVersion) -> Callable[[Trial], None]:
    def run(trial: Trial) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.minimum_version = context.maximum_version = version
        with trial.connect(plain=True) as connection:
            try:
                with context.wrap_socket(connection.socket, server_hostname=trial.target.host):
                    came = "served"
            except (ssl.SSLError, ConnectionError) as e:
                came = f"refused: {e}"
        expect("served", came)
    return run


def _long_request(trial: Trial) -> None:
    data = request(apis()["ApiVersions"], 0, 1, {}, b"x" * _LONG)
    Script((data + good(2),), good_ones(1, 2), (answered(1), answered(2), OPEN))(trial)


def _stalled(trial: Trial) -> None:
    """A client that stops during its handshake does not delay another client."""
    with trial.connect(plain=True) as stalled:
        stalled.send(b"\x16\x03\x01\x02\x00\x01")
        Script((good(2),), good_ones(2), (answered(2), OPEN))(trial)


def _close_notify(trial: Trial) -> None:
    with trial.connect() as connection:
        assert isinstance(connection.socket, ssl.SSLSocket)
        connection.socket.settimeout(trial.target.timeout_s)
        try:
            raw = connection.socket.unwrap()
            raw.settimeout(trial.target.timeout_s)
            ended = raw.recv(1) == b""
        except (ssl.SSLError, ConnectionError):
            ended = True
        except (TimeoutError, socket.timeout):
            ended = False
    expect("closed", "closed" if ended else "open")


def _notified(trial: Trial) -> None:
    """Without close_notify a client cannot tell an end from a cut by somebody else."""
    assert trial.target.tls is not None
    with trial.connect(plain=True) as connection:
        with trial.target.tls.wrap_socket(connection.socket, server_hostname=trial.target.host,
                                          suppress_ragged_eofs=False) as secured:
            secured.sendall(int32(-1))
            try:
                came = "a close_notify" if secured.recv(1) == b"" else "bytes"
            except ssl.SSLEOFError:
                came = "an end without close_notify"
            except OSError as e:
                came = e.strerror or str(e)
    expect("a close_notify", came)


def cases() -> Iterator[Case]:
    for name, data in (("request", good(1)), ("garbage", bytes(range(256)) * 4),
                       ("http", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")):
        yield Case(f"tls.plain.{name}", f"Plain bytes ({name}) on a TLS port close the connection.",
                   Level.MUST, "SslTransportLayer#handshake", _over_tls(_refused(data)))
    for name, old in _OLD_VERSIONS.items():
        yield Case(f"tls.version.{name}", f"A client that offers only {name} is refused.", Level.SHOULD,
                   _ENABLED, _over_tls(_refused(_client_hello(old))))
    for name, version in _VERSIONS.items():
        yield Case(f"tls.version.{name}", f"A client that offers only {name} is served.", Level.SHOULD,
                   _ENABLED, _over_tls(_served(version)))
    yield Case("tls.records.two-requests", "Two requests in one TLS record are answered.", Level.MUST,
               "SslTransportLayer#read",
               _over_tls(Script((good(1) + good(2),), good_ones(1, 2), (answered(1), answered(2), OPEN))))
    yield Case("tls.records.long", "A request across several TLS records, and one behind it, are answered.",
               Level.MUST, "SslTransportLayer#read", _over_tls(_long_request))
    yield Case("tls.records.split", "A request with a TLS record for each byte is answered.", Level.MUST,
               "SslTransportLayer#read", _over_tls(Script(
                   tuple(bytes((byte,)) for byte in good(1)), good_ones(1), (answered(1), OPEN))))
    yield Case("tls.neighbours.stalled",
               "A client that stops within its handshake does not delay another one.", Level.MUST,
               "Selector#poll", _over_tls(_stalled))
    yield Case("tls.end.notified", "A connection that the target closes ends with a close_notify.", Level.MAY,
               "SslTransportLayer#close", _over_tls(_notified))
    yield Case("tls.end.close-notify", "A close_notify is answered by a close.", Level.SHOULD,
               "SslTransportLayer#read", _over_tls(_close_notify))
