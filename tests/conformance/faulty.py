# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A proxy in front of a broker that reads requests and responses, so that a fault can change one of them.

Each connection has two threads: one reads the client, one reads the broker. A fault's functions are called by
them. Without a fault the client sees what it would see of the broker.
"""

from __future__ import annotations

import socket
import struct
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from kreactor.conformance.codec import decode, encode, sized
from kreactor.conformance.runner import OFFER_ID
from kreactor.conformance.schemas import API_VERSIONS, Api, apis_by_key

_READ_BYTES = 1 << 16
# A larger size is no request of the suite: its bytes go to the broker as they come.
_LARGEST_REQUEST = 1 << 20
# The longest wait for an event that has to come.
WAIT_S = 120.0


@dataclass(frozen=True)
class Request:
    """A request without its size. ``together`` are all requests that came in one read with it."""

    data: bytes
    together: tuple[bytes, ...]

    @property
    def is_short(self) -> bool:
        """The request has fewer bytes than a key, a version, a correlation id and a client id's length."""
        return len(self.data) < 10

    @property
    def key(self) -> int:
        return int.from_bytes(self.data[:2], "big", signed=True)

    @property
    def version(self) -> int:
        return int.from_bytes(self.data[2:4], "big", signed=True)

    @property
    def correlation_id(self) -> int:
        return int.from_bytes(self.data[4:8], "big", signed=True)

    @property
    def client_id_length(self) -> int:
        return int.from_bytes(self.data[8:10], "big", signed=True)

    @property
    def client_id(self) -> bytes:
        return self.data[10:10 + max(self.client_id_length, 0)]

    @property
    def api(self) -> Api:
        """The API of the key. Raises KeyError."""
        return apis_by_key()[self.key]

    @property
    def name(self) -> str:
        """The name of the API, or nothing for a key that no API has."""
        api = apis_by_key().get(self.key)
        return "" if api is None or self.is_short else api.name

    @property
    def is_life_sign(self) -> bool:
        """The runner asks so whether the target lives, and what it offers."""
        return self.key == API_VERSIONS and (self.version, self.correlation_id) in ((3, 1), (0, OFFER_ID))

    @property
    def behind_client_id(self) -> bytes:
        """The tags of a header that has them, and the body."""
        return self.data[10 + max(self.client_id_length, 0):]

    @property
    def _body_start(self) -> int:
        """Where the body begins, if the header has no tags in it."""
        has_tags = self.api.request_header_version(self.version) >= 2
        return len(self.data) - len(self.behind_client_id) + has_tags

    def body(self) -> dict[str, Any]:
        """Return the body. Raises Malformed."""
        return decode(self.api.request, self.version, self.data, self._body_start)[0]

    def with_body(self, body: dict[str, Any]) -> Request:
        data = self.data[:self._body_start] + encode(self.api.request, self.version, body)
        return Request(data, self.together)

    def with_version(self, version: int) -> Request:
        return Request(self.data[:2] + struct.pack(">h", version) + self.data[4:], self.together)

    def response_body_start(self) -> int:
        return 4 + self.api.response_header_version(self.version)

    def answer(self, body: dict[str, Any]) -> bytes:
        """Return a response with ``body``, without its size."""
        head = self.data[4:8] + b"\0" * (self.response_body_start() - 4)
        return head + encode(self.api.response, self.version, body)


class Link:
    """One connection of a client, and its connection to the broker."""

    def __init__(self, proxy: Proxy, client: socket.socket) -> None:
        self.proxy = proxy
        # Requests that the broker has and has not answered yet; those of acks=0 among them.
        self.pending: deque[Request] = deque()
        self.requests = 0                # that came
        self.is_partial = False          # the last bytes are no whole request
        self.is_swallowing = False       # bytes that come are dropped
        self.half_closed = threading.Event()
        self.held: list[bytes] = []      # responses that a fault keeps for later
        self._client = client
        self._broker = socket.create_connection(proxy.broker)
        for end in (self._client, self._broker):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._is_over = False
        self._lock = threading.Lock()    # guards the two below, and whole responses to the client
        self._running = 2
        self.threads = [threading.Thread(target=self._run, args=(pump,)) for pump in (self._up, self._down)]

    def forward(self, request: Request) -> None:
        """Send a request to the broker."""
        self.pending.append(request)
        self.forward_bytes(sized(request.data))

    def forward_bytes(self, data: bytes) -> None:
        with suppress(OSError):          # the broker has closed, which the other thread sees
            self._broker.sendall(data)

    def answer(self, response: bytes) -> None:
        """Send a response, which has no size yet, to the client."""
        self.answer_bytes(sized(response))

    def answer_bytes(self, data: bytes) -> None:
        with self._lock, suppress(OSError):
            self._client.sendall(data)

    def close(self) -> None:
        """End the connection by a FIN; the client's bytes are read until it closes, too."""
        self._is_over = self.is_swallowing = True
        for end, how in ((self._client, socket.SHUT_WR), (self._broker, socket.SHUT_RDWR)):
            with suppress(OSError):
                end.shutdown(how)

    def reset(self) -> None:
        """End the connection by a reset, once both threads have left their sockets."""
        self._is_over = True
        self._client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        for end, how in ((self._client, socket.SHUT_RD), (self._broker, socket.SHUT_RDWR)):
            with suppress(OSError):
                end.shutdown(how)

    def half_close(self) -> None:
        """Tell the broker that no more requests come."""
        with suppress(OSError):
            self._broker.shutdown(socket.SHUT_WR)

    def abort(self) -> None:
        """Wake both threads, for the end of the proxy."""
        self._is_over = True
        self.half_closed.set()
        for end in (self._client, self._broker):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _run(self, pump: Callable[[], None]) -> None:
        try:
            pump()
        finally:
            with self._lock:
                self._running -= 1
                if not self._running:
                    self._client.close()
                    self._broker.close()

    def _up(self) -> None:
        """Read the client until it ends."""
        buffer = bytearray()
        is_odd = False
        try:
            while data := self._client.recv(_READ_BYTES):
                if self.is_swallowing:
                    continue
                if is_odd:
                    self.forward_bytes(data)
                    continue
                buffer += data
                is_odd = self._take(buffer)
                self.is_partial = bool(buffer)
                if buffer:
                    self.proxy.fault.piece(self)
        except ConnectionResetError:
            self._broker.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.abort()
            self.proxy.reset_came.set()
        if not self._is_over:
            self.forward_bytes(bytes(buffer))
            self.half_closed.set()
            self.proxy.fault.half_close(self)

    def _take(self, buffer: bytearray) -> bool:
        """Take the whole requests out of ``buffer``. Return whether a size follows that no request has."""
        taken: list[bytes] = []
        is_odd = False
        while len(buffer) >= 4:
            size = int.from_bytes(buffer[:4], "big", signed=True)
            is_odd = not 0 <= size <= _LARGEST_REQUEST
            if is_odd or len(buffer) < 4 + size:
                break
            taken.append(bytes(buffer[4:4 + size]))
            del buffer[:4 + size]
        for data in taken:
            request = Request(data, tuple(taken))
            self.requests += 1
            if request.is_life_sign and self.proxy.fault.spares_life_signs:
                self.forward(request)
            elif not self.is_swallowing:
                self.proxy.fault.request(self, request)
        if is_odd and not self.is_swallowing:
            self.proxy.fault.odd(self, bytes(buffer))
            buffer.clear()
        return is_odd

    def _down(self) -> None:
        """Read the broker until it ends."""
        buffer = bytearray()
        try:
            while data := self._broker.recv(_READ_BYTES):
                buffer += data
                while len(buffer) >= 4 and len(buffer) >= (end := 4 + int.from_bytes(buffer[:4], "big")):
                    self._answered(bytes(buffer[4:end]))
                    del buffer[:end]
        except ConnectionResetError:
            if not self._is_over:
                self.reset()
        if not self._is_over:
            self.proxy.fault.closed(self)

    def _answered(self, response: bytes) -> None:
        while (request := self.pending.popleft()).data[4:8] != response[:4]:
            pass
        if request.is_life_sign and self.proxy.fault.spares_life_signs:
            self.answer(response)
        elif not self._is_over:
            self.proxy.fault.response(self, request, response)


def forward(link: Link, request: Request) -> None:
    link.forward(request)


def answer(link: Link, request: Request, response: bytes) -> None:
    link.answer(response)


def nothing(*_: object) -> None:
    """Do nothing with what came."""


@dataclass(frozen=True)
class Fault:
    """One fault: the ids of the cases that tell it, and the functions that differ from a proxy without one.

    ``connected`` is called before any byte of a client is read. ``odd`` gets the bytes from a size on that no
    request has; ``piece`` is called behind bytes that are no whole request; ``closed`` when the broker has
    closed. ``timeout_s`` is the suite's.
    """

    cases: tuple[str, ...] = ()
    request: Callable[[Link, Request], None] = forward
    response: Callable[[Link, Request, bytes], None] = answer
    connected: Callable[[Link], None] = nothing
    odd: Callable[[Link, bytes], None] = Link.forward_bytes
    piece: Callable[[Link], None] = nothing
    half_close: Callable[[Link], None] = Link.half_close
    closed: Callable[[Link], None] = Link.close
    timeout_s: float = WAIT_S
    spares_life_signs: bool = True


class Proxy:
    """Listens on a port of its own for the broker at ``broker``, and closes everything at its end."""

    def __init__(self, broker: tuple[str, int], fault: Fault) -> None:
        self.broker = broker
        self.fault = fault
        self.links: list[Link] = []
        # A client has reset its connection.
        self.reset_came = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._acceptor = threading.Thread(target=self._accept)

    def __enter__(self) -> Proxy:
        self._acceptor.start()
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 tb: TracebackType | None) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._acceptor.join()
        self._listener.close()
        self.reset_came.set()
        for link in self.links:
            link.abort()
            for thread in link.threads:
                thread.join()

    def ask(self, request: Request) -> bytes:
        """Return the broker's response to a request, by a connection of its own."""
        with socket.create_connection(self.broker, timeout=WAIT_S) as connection:
            connection.sendall(sized(request.data))
            size = int.from_bytes(connection.recv(4, socket.MSG_WAITALL), "big")
            return connection.recv(size, socket.MSG_WAITALL)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                link = Link(self, client)
                self.links.append(link)
                self.fault.connected(link)
                for thread in link.threads:
                    thread.start()
