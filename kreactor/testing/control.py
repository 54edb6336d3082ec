# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A broker or a cluster that other processes control, over HTTP with JSON, from any language.

``control_broker.ROUTES`` and ``control_cluster.ROUTES`` list the requests, ``/openapi.json`` those of a port.
The port refuses other hosts and web pages:

- The address is a loopback address, unless requests bear a token.
- Three checks refuse a browser's page of another site: its Origin, a Host that is not this port, and the
  required content type application/json of each body. Responses have no CORS headers.

One thread accepts connections and reads the head of their first request, see ``control_doorway``. A
connection whose first request has passed the checks has its own thread, and there are at most
``_MAX_CONNECTIONS`` of these. Connections that have not passed them take none of these places. Each later
request of a connection is checked, too. The port closes a connection that sends nothing for ``_IDLE_S``, or
does not complete a request within ``_REQUEST_S``. The bodies of all requests under way have at most
``_MAX_BODY_BYTES`` together. Only bytes that have arrived count, so a client that announces a body without
sending it takes no memory from others. ``close`` ends all threads.
"""

from __future__ import annotations

import hmac
import io
import ipaddress
import re
from collections.abc import Sequence
from email.message import Message
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from socketserver import ThreadingMixIn
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

from kreactor import __version__
from kreactor.jdk.clock import Clock
from kreactor.jdk.floor import Floor
from kreactor.jdk.forks import owned_by_process
from kreactor.jdk.locks import Lock
from kreactor.jdk.loggers import get_logger
from kreactor.jdk.threads import Thread
from kreactor.testing import control_broker
from kreactor.testing.broker import Broker
from kreactor.testing.control_doorway import LINGER_S, Doorway
from kreactor.testing.control_routes import (
    Query,
    Refusal,
    Route,
    answer_head,
    error_to_json,
    json_bytes,
    refusal_of,
)
from kreactor.testing.json_text import parse_json

if TYPE_CHECKING:
    from kreactor.testing.cluster import Cluster
    from kreactor.testing.control_cluster import ClusterCommands

log = get_logger(__name__)

_IDLE_S = 10.0
_REQUEST_S = 30.0
_MAX_CONNECTIONS = 64
_MAX_BODY_BYTES = 64 * 1024 * 1024
_READ_BYTES = 64 * 1024


class Control:
    """The HTTP interface of a broker or of a cluster, until ``close`` or the end of a ``with`` statement.

    ``close`` leaves the broker or cluster running.
    """

    def __init__(self, target: Broker | Cluster, host: str = "127.0.0.1", port: int = 0,
                 token: str | None = None) -> None:
        """Start to listen. Raises OSError, and ValueError as ``check_address``."""
        check_address(host, token)
        self._token = None if token is None else token.encode()
        self.commands: control_broker.Commands | ClusterCommands
        if isinstance(target, Broker):
            self.commands = control_broker.Commands(target, self.is_closing)
            routes: Sequence[Route] = control_broker.ROUTES
        else:
            from kreactor.testing import control_cluster

            self.commands = control_cluster.ClusterCommands(target, self.is_closing)
            routes = control_cluster.ROUTES
        self.routes = (*routes, Route("GET", "/openapi.json", "This document", self.openapi))
        self._patterns = [(re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(route.path))), route)
                          for route in self.routes]
        self._server = _Server(self, host, port)
        self.host = host
        self.port: int = self._server.server_address[1]
        self._thread = Thread(target=self._server.serve, name="control", daemon=True)
        self._thread.start()
        owned_by_process(self)

    def forget_in_child(self) -> None:
        """Close the copies of the port and its connections in a forked child; the parent uses its own."""
        self._server.forget_in_child()

    @property
    def url(self) -> str:
        """The address of the port, such as http://127.0.0.1:8080."""
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    def __enter__(self) -> Control:
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End all connections and threads. A second call does nothing."""
        self._server.stop()
        self.commands.close()
        self._thread.join()
        self._server.server_close()

    def is_closing(self) -> bool:
        """Return whether ``close`` was called."""
        return self._server.is_stopping

    def check(self, headers: Message[str, str]) -> None:
        """Raises Refusal for a request of a browser's page, or for one without the token."""
        if "Origin" in headers or headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            raise Refusal(HTTPStatus.FORBIDDEN, "Origin", "a page in a browser may not control a broker")
        if self._token is None:
            # Two hosts would leave it open which one a proxy has checked.
            hosts = headers.get_all("Host", [])
            host = urlsplit(f"//{hosts[0]}").hostname if len(hosts) == 1 else None
            if host is None or not _is_loopback(host):
                raise Refusal(HTTPStatus.FORBIDDEN, "Host", "Host: not a loopback address")
            return
        scheme, _, token = headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not hmac.compare_digest(token.strip().encode(), self._token):
            raise Refusal(HTTPStatus.UNAUTHORIZED, "Authorization",
                          "Authorization: must be Bearer and the token")

    def openapi(self, commands: object, query: Query) -> object:
        """Return the description of this port."""
        return openapi(self.routes)

    def route(self, method: str, path: str) -> tuple[Route, dict[str, str]]:
        """Return the route of a request and the names in its path. Raises Refusal."""
        found = [(route, match) for pattern, route in self._patterns if (match := pattern.fullmatch(path))]
        for route, match in found:
            if route.method == method:
                return route, {name: unquote(value) for name, value in match.groupdict().items()}
        if found:
            raise Refusal(HTTPStatus.METHOD_NOT_ALLOWED, "Method",
                          f"{path} takes {', '.join(sorted(route.method for route, _ in found))}")
        raise Refusal(HTTPStatus.NOT_FOUND, "NotFound", "there is no such path: /openapi.json lists all")


def openapi(routes: Sequence[Route]) -> dict[str, Any]:
    """Return the description of routes, in OpenAPI 3.1."""
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        parameters = [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
                      for name in re.findall(r"{(\w+)}", route.path)]
        parameters += [{"name": name, "in": "query", "schema": {"type": "string"}}
                       for name in route.parameters]
        operation: dict[str, Any] = {
            "summary": route.summary,
            "operationId": route.handle.__name__ if route.name is None else route.name,
            "responses": {"200": {"description": "done", "content": {"application/json": {}}},
                          "default": {"description": "an error and a message", "content": {
                              "application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}}}
        if parameters:
            operation["parameters"] = parameters
        if route.body is not None:
            operation["requestBody"] = {"content": {"application/json": {"schema": {
                "type": "object", "additionalProperties": False,
                "properties": {name: {"type": type} for name, type in route.body.items()}}}}}
        paths.setdefault(route.path, {})[route.method.lower()] = operation
    error = {"type": "object", "required": ["error", "message"],
             "properties": {"error": {"type": "string"}, "message": {"type": "string"}}}
    return {"openapi": "3.1.0",
            "info": {"title": "kreactor's control port", "version": __version__},
            "security": [{}, {"token": []}],
            "paths": paths,
            "components": {"schemas": {"Error": error},
                           "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}}}


# -- HTTP ------------------------------------------------------------------------------------------


class _Received(io.RawIOBase):
    """The bytes of a connection, first those that were read before it had its thread."""

    def __init__(self, connection: Floor.socket.socket, first: bytes) -> None:
        self._connection = connection
        self._first = memoryview(first)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fill ``buffer`` as far as bytes are there. Raises OSError."""
        if not self._first:
            return self._connection.recv_into(buffer)
        count = min(len(buffer), len(self._first))
        buffer[:count], self._first = self._first[:count], self._first[count:]
        return count


class _Handler(BaseHTTPRequestHandler):
    """One connection, served by its own thread."""

    protocol_version = "HTTP/1.1"
    server_version = f"kreactor/{__version__}"
    sys_version = ""
    timeout = _IDLE_S
    # The headers and the body of an answer are written at once.
    wbufsize = -1
    disable_nagle_algorithm = True
    server: _Server
    # For the request under way: the unread bytes of its body, and the bytes in memory.
    _is_body_unread = False
    _body_bytes = 0

    def setup(self) -> None:
        super().setup()
        self.rfile.close()
        self.rfile = io.BufferedReader(
            _Received(self.connection, self.server.received_of(self.connection)))

    def handle_expect_100(self) -> bool:
        """Send nothing yet: the body is asked for once the request has passed the checks."""
        return True

    def handle_one_request(self) -> None:
        """Answer one request. No error leaves this method, so the thread always ends in order."""
        try:
            super().handle_one_request()
        # The client is gone or too slow, or sent headers that http.client rejects.
        except (OSError, ValueError) as e:
            log.debug("a connection of the control port ends: %s", e)
            self.close_connection = True
        finally:
            self.server.expect_request(self.connection)

    def _answer(self) -> None:
        try:
            status, made = HTTPStatus.OK, self._handle()
        except Exception as e:
            status, made = refusal_of(e).status, error_to_json(e)
        finally:
            self.server.release(self._body_bytes)
            self._body_bytes = 0
        self._send(status, made)
        if self._is_body_unread:
            self._discard_body()

    do_GET = do_POST = do_DELETE = do_PUT = do_PATCH = do_OPTIONS = do_HEAD = _answer

    def _handle(self) -> object:
        control = self.server.control
        # An unread body would be parsed as the next request.
        has_body = "Content-Length" in self.headers or "Transfer-Encoding" in self.headers
        self._is_body_unread = has_body
        # A request that does not pass the checks loses its connection, so that it holds no place.
        is_last, self.close_connection = self.close_connection, True
        control.check(self.headers)
        self.close_connection = is_last or has_body
        url = urlsplit(self.path)
        route, names = control.route(self.command, url.path)
        parameters = parse_qs(url.query, max_num_fields=20)
        for name in parameters:
            if name not in route.parameters:
                raise ValueError(f"{name}: {route.path} takes {', '.join(route.parameters) or 'nothing'}")
        body = self._body()
        self._is_body_unread = False
        self.close_connection = is_last
        self.server.request_is_complete(self.connection)
        return route.handle(control.commands, Query(
            names, {name: values[-1] for name, values in parameters.items()}, body, route.body or ()))

    def _body(self) -> object:
        if "Transfer-Encoding" in self.headers:
            raise Refusal(HTTPStatus.LENGTH_REQUIRED, "Length", "a body needs a Content-Length")
        texts = self.headers.get_all("Content-Length", ["0"])
        if len(texts) > 1 or not re.fullmatch("[0-9]{1,18}", texts[0]):
            raise ValueError("Content-Length: must be one number of at most 18 digits")
        length = int(texts[0])
        if length > _MAX_BODY_BYTES:
            raise Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "Length",
                          f"the body is larger than {_MAX_BODY_BYTES} bytes")
        # A browser sends this type to another site only after a preflight request.
        if self.command != "GET" and length and (
                self.headers.get_content_type() != "application/json"):
            raise Refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Content-Type",
                          "Content-Type: must be application/json")
        if self.headers.get("Expect", "").lower() == "100-continue":
            self.send_response_only(HTTPStatus.CONTINUE)
            self.end_headers()
            self.wfile.flush()
        data = bytearray()
        while len(data) < length:
            more = self.rfile.read1(min(length - len(data), _READ_BYTES))
            if not more:
                raise Refusal(HTTPStatus.BAD_REQUEST, "Length", "the body is shorter than its Content-Length")
            self.server.reserve(len(more))
            self._body_bytes += len(more)
            data += more
        return parse_json(data, "the body") if data else None

    def _discard_body(self) -> None:
        """Read the rest of the body. A close before that sends a reset, which can overtake the answer."""
        self.connection.shutdown(Floor.socket.SHUT_WR)
        self.connection.settimeout(LINGER_S)
        end = Clock.seconds() + LINGER_S
        while Clock.seconds() < end and self.connection.recv(_READ_BYTES):
            pass

    def _send(self, status: HTTPStatus, made: object) -> None:
        data = made.encode() if isinstance(made, str) else json_bytes(made)
        self.send_response(status)
        content_type = "text/plain; version=0.0.4; charset=utf-8" if isinstance(made, str) else None
        for name, value in answer_head(content_type, len(data), self.close_connection):
            self.send_header(name, value)
        # The client has as long to read the answer as to send a request.
        self.server.expect_request(self.connection)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)
        self.wfile.flush()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer bytes that are not HTTP, or an unknown method, with an error in JSON."""
        status = HTTPStatus(code)
        self.close_connection = True
        self._send(status, {"error": status.name, "message": message or status.phrase})

    def date_time_string(self, timestamp: float | None = None) -> str:
        return super().date_time_string(Clock.epoch_ms() / 1000 if timestamp is None else timestamp)

    def log_message(self, format: str, *args: object) -> None:
        log.debug("%s %s", self.client_address[0], quote(format % args, safe=" \"'/:?&=%"))


def _bind_failure(e: OSError, host: str, port: int) -> OSError:
    """Return the error with the address, in the words of the socket server's."""
    failure = OSError(f"Control port failed to bind to {host}:{port}: {e.strerror}.")
    failure.errno = e.errno
    return failure


class _Server(ThreadingMixIn, HTTPServer):
    """Has a thread for each connection that its doorway admits, and a list of these connections."""

    # Non-daemon threads, so that server_close waits for them.
    daemon_threads = False
    block_on_close = True
    request_queue_size = 128
    allow_reuse_address = True

    def __init__(self, control: Control, host: str, port: int) -> None:
        if ":" in host:
            self.address_family = Floor.socket.AF_INET6
        self.control = control
        self.is_stopping = False
        self._connections_lock = Lock()
        # The deadline of each connection's request, None while the broker handles one. Guarded by the lock.
        self._deadlines: dict[Floor.socket.socket, float | None] = {}
        # The bytes that the doorway has read of each connection, until its thread takes them. Guarded by
        # the lock.
        self._received: dict[Floor.socket.socket, bytes] = {}
        # The total size of all bodies in memory. Guarded by the lock.
        self._body_bytes = 0
        super().__init__((host, port), _Handler)
        self.doorway = Doorway(self.socket, control.check, self._admit)

    def server_bind(self) -> None:
        # Skips HTTPServer's method, which looks up the host's name.
        self.socket.setsockopt(Floor.socket.SOL_SOCKET, Floor.socket.SO_REUSEADDR, 1)
        try:
            self.socket.bind(self.server_address)
        except OSError as e:
            host, port = self.server_address[:2]
            raise _bind_failure(e, str(host), port) from e
        self.server_address = self.socket.getsockname()

    def stop(self) -> None:
        """Stop accepting, and end all connections."""
        with self._connections_lock:
            is_first, self.is_stopping = not self.is_stopping, True
        if is_first:
            self.doorway.stop()
        with self._connections_lock:
            for connection in self._deadlines:
                _shut_down(connection)

    def forget_in_child(self) -> None:
        self._connections_lock = Lock()
        self.is_stopping = True
        self.socket.close()
        self.doorway.close()
        for connection in self._deadlines:
            connection.close()
        self._deadlines = {}

    def serve(self) -> None:
        """Admit connections until ``stop``."""
        self.doorway.serve(self._end_late_requests)

    def _admit(self, connection: Floor.socket.socket, received: bytes) -> None:
        """Start a connection's thread. Raises Refusal if there are too many."""
        busy = Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "Busy",
                       f"the port has {_MAX_CONNECTIONS} connections: close one, or try again")
        with self._connections_lock:
            if self.is_stopping or len(self._deadlines) >= _MAX_CONNECTIONS:
                raise busy
            self._deadlines[connection] = Clock.seconds() + _REQUEST_S
            self._received[connection] = received
        connection.setblocking(True)
        try:
            self.process_request(connection, connection.getpeername())
        # The system has no more threads, or the client is gone.
        except (OSError, RuntimeError):
            with self._connections_lock:
                del self._deadlines[connection], self._received[connection]
            connection.setblocking(False)
            raise busy from None

    def received_of(self, connection: Floor.socket.socket) -> bytes:
        """Return what was read of a connection before it had a thread. Called once."""
        with self._connections_lock:
            return self._received.pop(connection)

    def shutdown_request(self, request: Any) -> None:
        with self._connections_lock:
            self._deadlines.pop(request, None)
            self._received.pop(request, None)
        super().shutdown_request(request)

    def expect_request(self, connection: Floor.socket.socket) -> None:
        """Set a connection's deadline for the part of a request that it must send next."""
        with self._connections_lock:
            if connection in self._deadlines:
                self._deadlines[connection] = Clock.seconds() + _REQUEST_S

    def request_is_complete(self, connection: Floor.socket.socket) -> None:
        """Remove the deadline while the broker handles the request."""
        with self._connections_lock:
            if connection in self._deadlines:
                self._deadlines[connection] = None

    def reserve(self, count: int) -> None:
        """Add bytes of a body to the total. Raises Refusal if the total exceeds the limit."""
        with self._connections_lock:
            if self._body_bytes + count > _MAX_BODY_BYTES:
                raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "Busy", "the bodies of requests under way have "
                              f"{_MAX_BODY_BYTES} bytes together at most: try again")
            self._body_bytes += count

    def release(self, count: int) -> None:
        """Subtract bytes of a body from the total."""
        with self._connections_lock:
            self._body_bytes -= count

    def _end_late_requests(self) -> None:
        """End the connections whose request is past its deadline. Called twice a second or more."""
        now = Clock.seconds()
        with self._connections_lock:
            for connection, deadline in self._deadlines.items():
                if deadline is not None and deadline < now:
                    _shut_down(connection)

    def handle_error(self, request: Any, client_address: Any) -> None:
        log.debug("a connection of the control port failed", exc_info=True)


def _shut_down(connection: Floor.socket.socket) -> None:
    try:
        connection.shutdown(Floor.socket.SHUT_RDWR)
    except OSError:
        pass  # the client is gone already


def check_address(host: str, token: str | None) -> None:
    """Raises ValueError for a malformed token, and for an address beyond loopback without a token."""
    if token is not None and not re.fullmatch(r"[!-~]{8,}", token):
        raise ValueError("the token must have at least 8 visible ASCII characters and no blanks")
    if token is None and not _is_loopback(host):
        raise ValueError(f"{host} is not a loopback address: the control port needs a token there")


def _is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
