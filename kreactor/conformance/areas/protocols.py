# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Cases: the first bytes of other protocols."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import suppress

from kreactor.conformance.cases import CLOSED, Case, Level, Script


def client_hello() -> bytes:
    """Return the first bytes of a TLS client."""
    outgoing = ssl.MemoryBIO()
    tls = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="localhost")
    with suppress(ssl.SSLWantReadError):
        tls.do_handshake()
    return outgoing.read()


def cases() -> Iterator[Case]:
    spoken = {
        "http-get": ("an HTTP GET", b"GET / HTTP/1.1\r\nHost: localhost:9092\r\nAccept: */*\r\n\r\n"),
        "http-post": ("an HTTP POST", b"POST /topics HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"),
        "http-2": ("the preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"),
        "tls": ("a TLS ClientHello", client_hello()),
        "ssl-2": ("an SSL 2 ClientHello", b"\x80\x2e\x01\x00\x02\x00\x15\x00\x00\x00\x10" + b"\1" * 37),
        "ssh": ("an SSH banner", b"SSH-2.0-OpenSSH_9.2\r\n"),
        "redis": ("a Redis PING", b"*1\r\n$4\r\nPING\r\n"),
        "smtp": ("an SMTP greeting", b"EHLO localhost\r\n"),
        "proxy": ("a PROXY line", b"PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n"),
    }
    for name, (words, data) in spoken.items():
        yield Case(
            f"protocols.{name}", f"The first four bytes of {words}, read as a size, close the connection.",
            Level.SHOULD, "NetworkReceive#readFrom", Script((data,), {}, (CLOSED,)))
