# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The clients of a script: real sockets, with or without TLS, on the thread that runs the network thread
under test.

Each call returns when the kernel has transferred its bytes, so no poll depends on timing.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from kreactor.editions.compare.script import MIN_REQUEST_BYTES, ScriptException
from kreactor.jdk.clock import Clock
from kreactor.jdk.floor import Floor

_CARRY_WITHIN_S = 10.0
_SIZE = struct.Struct(">i")
_HEADER = struct.Struct(">hhih")
_PRODUCE, _API_VERSIONS = 0, 18
# Acks, timeout and the number of topics of a Produce request in version 0, which all editions support.
_PRODUCE_BODY = struct.pack(">hii", 0, 1000, 0)


def request_bytes(number: int, size: int | None, acks: bool) -> bytes:
    """Return a request with its size field; ``size`` does not count this field."""
    body = b"" if acks else _PRODUCE_BODY
    least = MIN_REQUEST_BYTES + len(body)
    pad = 0 if size is None else size - least
    if pad < 0:
        raise ScriptException(f"a request with acks=0 has {least} bytes at least, and not {size}")
    header = _HEADER.pack(*((_API_VERSIONS, 0) if acks else (_PRODUCE, 0)), number, pad)
    return _SIZE.pack(least + pad) + header + bytes(pad) + body


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Return once ``condition`` holds. Raises ScriptException if it does not within some seconds."""
    deadline = Clock.seconds() + _CARRY_WITHIN_S
    while not condition():
        if Clock.seconds() > deadline:
            raise ScriptException(f"the kernel has not carried {what} within {_CARRY_WITHIN_S:g} s")
        Clock.sleep(0.0005)


class ServerEnd(Protocol):
    """The server's end of a connection, which the network thread owns."""

    def unread(self) -> int | None:
        """Return the number of unread bytes, or None if this end is closed."""

    def knows_end(self) -> bool:
        """Return whether the client's FIN or reset has arrived, or this end is closed."""

    def close(self) -> None:
        """Close this end, unless the network thread has closed it."""


class Client:
    """One connection; ``server`` is its other end, which the network thread owns."""

    def __init__(self, name: str, port: int, tls: Floor.ssl.SSLContext | None, local_port: int = 0) -> None:
        """Connect to ``port``, from ``local_port`` if it is not 0. Raises OSError."""
        self.name = name
        self.server: ServerEnd | None = None
        self.requests = 0
        # The received bytes, over TLS not yet decrypted; then the decrypted bytes that are not taken yet.
        self._read, self._plain = b"", b""
        self._ended = ""
        self._news: list[str] = []
        self._socket = Floor.socket.socket()
        try:
            self._socket.setsockopt(Floor.socket.SOL_SOCKET, Floor.socket.SO_REUSEADDR, 1)
            self._socket.setsockopt(Floor.socket.IPPROTO_TCP, Floor.socket.TCP_NODELAY, 1)
            self._socket.bind(("127.0.0.1", local_port))
            self._socket.connect(("127.0.0.1", port))
            self._socket.setblocking(False)
        except BaseException:
            self._socket.close()
            raise
        self.local_port: int = self._socket.getsockname()[1]
        self._incoming, self._outgoing = Floor.ssl.MemoryBIO(), Floor.ssl.MemoryBIO()
        self._tls = None if tls is None else tls.wrap_bio(
            self._incoming, self._outgoing, server_hostname="localhost")

    def close(self) -> None:
        """Close the descriptor."""
        self._socket.close()

    def shake_hands(self) -> bool:
        """Continue the TLS handshake; return whether this end has finished it."""
        assert self._tls is not None, "a client over TLS"
        self._receive_bytes()
        self._incoming.write(self._read)
        self._read = b""
        try:
            self._tls.do_handshake()
            done = True
        except Floor.ssl.SSLWantReadError:
            done = False
        self._carry(self._outgoing.read())
        return done

    def send(self, data: bytes) -> None:
        """Send bytes; over TLS in one record."""
        if self._tls is not None:
            self._tls.write(data)
            data = self._outgoing.read()
        self._carry(data)

    def _carry(self, data: bytes) -> None:
        before = self.unread()
        try:
            self._socket.sendall(data)
        except OSError:
            self._news.append(f"{self.name} cannot send")
            return
        if before is not None:
            wait_until(lambda: (self.unread() or 0) >= before + len(data), f"the bytes of {self.name}")

    def unread(self) -> int | None:
        """Return the number of bytes that the network thread has not read, or None if it has closed the
        connection."""
        return None if self.server is None else self.server.unread()

    def end(self, how: str) -> None:
        """Close, reset or half-close the connection."""
        if how == "half-closes":
            # Nothing is left to close if the network thread has reset the connection.
            with suppress(OSError):
                self._socket.shutdown(Floor.socket.SHUT_WR)
        else:
            if how == "resets":
                self._socket.setsockopt(Floor.socket.SOL_SOCKET, Floor.socket.SO_LINGER,
                                        struct.pack("ii", 1, 0))
            self._socket.close()
        server = self.server
        if server is not None:
            wait_until(server.knows_end, f"the end of {self.name}")

    def receive(self, responses: int) -> list[str]:
        """Return the names of new responses, and the end of the connection.

        Waits for the given number of responses.

        If the network thread has closed the connection, it waits for the end, too.
        """
        news, self._news = self._news, []
        if self._socket.fileno() < 0 or self._ended:
            return news

        def come() -> bool:
            self._receive_bytes()
            news.extend(self._take_received())
            closed = self.server is not None and self.server.unread() is None
            return bool(self._ended) or len(news) >= responses and not closed

        wait_until(come, f"what {self.name} receives")
        return [*news, f"{self.name} {self._ended}"] if self._ended else news

    def _receive_bytes(self) -> None:
        try:
            while not self._ended:
                data = self._socket.recv(65_536)
                if data:
                    self._read += data
                else:
                    self._ended = "FIN"
        except BlockingIOError:
            pass
        except OSError:
            self._ended = "RST"

    def _take_received(self) -> list[str]:
        if self._tls is not None:
            self._incoming.write(self._read)
            self._read = b""
            try:
                while True:
                    self._plain += self._tls.read(65_536)
            except Floor.ssl.SSLError:
                pass
        else:
            self._plain += self._read
            self._read = b""
        found = []
        while len(self._plain) >= 8:
            size, number = struct.unpack(">ii", self._plain[:8])
            if len(self._plain) < 4 + size:
                break
            self._plain = self._plain[4 + size:]
            found.append(f"{self.name}{number}")
        return found
