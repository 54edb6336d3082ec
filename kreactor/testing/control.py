# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A broker that other processes control, over HTTP with JSON: what ``Broker`` does, for any language.

``ROUTES`` lists the requests; ``/openapi.json`` is made of it. The port keeps other hosts and web pages out:

- The address is one of loopback, unless requests bear a token.
- A browser's page of another site is refused: by its Origin, by a Host that is not this one, and because a
  request with a body has to be of type application/json. Responses have no CORS headers.

One thread accepts, and each connection has a thread of its own. The port closes a connection that sends
nothing for ``_IDLE_S``, or does not complete a request within ``_REQUEST_S``. It takes ``_MAX_CONNECTIONS``
at most, and bodies of ``_MAX_BODY_BYTES`` at most. ``close`` ends all threads.
"""

from __future__ import annotations

import base64
import hmac
import ipaddress
import json
import logging
import re
import socket
import threading
import time
from collections.abc import Callable, Collection, Mapping
from email.message import Message
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from socketserver import ThreadingMixIn
from typing import Any, NamedTuple
from urllib.parse import parse_qs, quote, unquote, urlsplit

from kreactor import __version__
from kreactor.common.errors import ApiException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.protocol.errors import Errors
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.forks import owned_by_process
from kreactor.testing.broker import Broker, Snapshot
from kreactor.testing.control_json import FAULTS, fault_to_json, record_to_json
from kreactor.testing.faults import Rule
from kreactor.testing.mock_time import MockTime
from kreactor.testing.received import ReceivedRequest
from kreactor.testing.record import READ_UNCOMMITTED
from kreactor.testing.seeds import record_of, seeds_of

log = logging.getLogger(__name__)

_IDLE_S = 10.0
_REQUEST_S = 30.0
_MAX_CONNECTIONS = 64
_MAX_BODY_BYTES = 64 * 1024 * 1024
# A long poll ends after this, and the client asks again.
_MAX_WAIT_S = 20.0
_MAX_ADVANCE_MS = 100 * 365 * 86_400_000
_CHOICE_FIELDS = ("api", "client_id", "first", "after", "every", "probability")


class Refusal(Exception):
    """A request that gets an error. ``error`` is a name for programs, the message a sentence for people."""

    def __init__(self, status: HTTPStatus, error: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.error = error


class Query:
    """The input of a request: names in its path, its parameters and its body, with the fields it may have."""

    def __init__(self, names: Mapping[str, str], parameters: Mapping[str, str], body: Any,
                 known: Collection[str]) -> None:
        self.names = names
        self.body = body
        self._parameters = parameters
        self._known = known

    def text(self, name: str) -> str | None:
        """Return a parameter, None if there is none."""
        return self._parameters.get(name)

    def number(self, name: str) -> int | None:
        """Return a parameter that is a number. Raises ValueError."""
        text = self._parameters.get(name)
        if text is None:
            return None
        if not re.fullmatch(r"-?[0-9]{1,18}", text):
            raise ValueError(f"{name}={text!r}: not a number")
        return int(text)

    def fields(self) -> dict[str, Any]:
        """Return the body's fields. Raises ValueError for a body that is no object or has others."""
        if self.body is None:
            return {}
        if not isinstance(self.body, dict):
            raise ValueError(f"the body is no object with {', '.join(self._known)}")
        for name in self.body:
            if name not in self._known:
                raise ValueError(f"{name!r} is none of {', '.join(self._known)}")
        return self.body


class Route(NamedTuple):
    """A method and a path with names in braces, what it does, its parameters, and the fields of its body."""

    method: str
    path: str
    summary: str
    handle: Callable[[Control, Query], object]
    parameters: tuple[str, ...] = ()
    body: Mapping[str, str] | None = None


class Control:
    """The HTTP interface of a broker. ``close`` leaves the broker alone."""

    def __init__(self, broker: Broker, host: str = "127.0.0.1", port: int = 0,
                 token: str | None = None) -> None:
        """Listen from now on. Raises OSError, and ValueError as ``check_address``."""
        check_address(host, token)
        self.broker = broker
        self._token = None if token is None else token.encode()
        self._snapshots: dict[str, Snapshot] = {}
        self._rules: dict[str, Rule] = {}
        # Guards the two above.
        self._lock = threading.Lock()
        self._server = _Server(self, host, port)
        self.host = host
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, name="control", daemon=True)
        self._thread.start()
        owned_by_process(self)

    def forget_in_child(self) -> None:
        """Leave the port and its connections to the parent, in a forked child."""
        self._server.forget_in_child()

    @property
    def url(self) -> str:
        """The address, as in http://127.0.0.1:8080."""
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    def close(self) -> None:
        """End all connections and threads. A second call does nothing."""
        self._server.stop()
        # Wakes the requests that wait for a change.
        self.broker._requests.changed()
        self._server.server_close()
        self._thread.join()

    def is_closing(self) -> bool:
        """Return whether ``close`` was called."""
        return self._server.is_stopping

    def check(self, headers: Message[str, str]) -> None:
        """Raises Refusal for a request of a browser's page, or without the token."""
        if "Origin" in headers or headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            raise Refusal(HTTPStatus.FORBIDDEN, "Origin", "a page in a browser does not control a broker")
        if self._token is None:
            host = urlsplit(f"//{headers.get('Host', '')}").hostname
            if host is None or not _is_loopback(host):
                raise Refusal(HTTPStatus.FORBIDDEN, "Host", "Host: not an address of loopback")
            return
        scheme, _, token = headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not hmac.compare_digest(token.strip().encode(), self._token):
            raise Refusal(HTTPStatus.UNAUTHORIZED, "Authorization", "Authorization: Bearer and the token")

    # -- what it answers ---------------------------------------------------------------------------

    def healthz(self, query: Query) -> object:
        if not self.broker.is_running():
            raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "NotRunning", "the broker does not run")
        return {"status": "running"}

    def metrics(self, query: Query) -> object:
        server = self.broker.server()
        try:
            from kreactor.embedded.prometheus import exposition
        except ImportError:
            raise Refusal(HTTPStatus.NOT_IMPLEMENTED, "NotInstalled",
                          "metrics need a package: pip install 'kreactor[metrics]'") from None
        return exposition(server)

    def openapi(self, query: Query) -> object:
        return openapi()

    def facts(self, query: Query) -> object:
        broker = self.broker
        return {"running": broker.is_running(), "bootstrap_servers": broker.bootstrap_servers,
                "host": broker.host, "port": broker.port, "folder": broker.folder, "version": __version__}

    def start(self, query: Query) -> object:
        self.broker.start()
        return self.facts(query)

    def stop(self, query: Query) -> object:
        drain_ms = query.fields().get("drain_ms", 2_000)
        self.broker.stop(_number("drain_ms", drain_ms, 0, 3_600_000))
        return self.facts(query)

    def kill(self, query: Query) -> object:
        self.broker.kill()
        return self.facts(query)

    def restart(self, query: Query) -> object:
        self.broker.restart()
        return self.facts(query)

    def pause(self, query: Query) -> object:
        self.broker.pause()
        return {}

    def resume(self, query: Query) -> object:
        self.broker.resume()
        return {}

    def reset(self, query: Query) -> object:
        self.broker.reset()
        with self._lock:
            self._rules.clear()
        return {}

    def topics(self, query: Query) -> object:
        return self.broker.topics()

    def create_topic(self, query: Query) -> object:
        fields = query.fields()
        topic, = seeds_of({"topics": {fields.pop("name", None): fields}}, "body")
        self.broker.create_topic(topic.name, topic.partitions, topic.configs)
        return {}

    def delete_topic(self, query: Query) -> object:
        self.broker.delete_topic(query.names["topic"])
        return {}

    def compact(self, query: Query) -> object:
        self.broker.compact(query.names["topic"])
        return {}

    def records(self, query: Query) -> object:
        isolation: Any = query.text("isolation") or READ_UNCOMMITTED
        found = self.broker.records(query.names["topic"], query.number("partition"), isolation=isolation)
        return [record_to_json(record) for record in found]

    def produce(self, query: Query) -> object:
        records = query.fields().get("records")
        if not isinstance(records, list):
            raise ValueError("records: not a list")
        made = [record_of(record, f"records[{number}]") for number, record in enumerate(records)]
        return [record_to_json(each) for each in self.broker.produce_records(query.names["topic"], made)]

    def consume(self, query: Query) -> object:
        fields = query.fields()
        count = fields.get("count")
        timeout_ms = _number("timeout_ms", fields.get("timeout_ms", 0), 0, int(_MAX_WAIT_S * 1000))
        found = self.broker.consume(
            query.names["topic"], None if count is None else _number("count", count, 0, 1 << 31),
            partition=fields.get("partition"), timeout_s=timeout_ms / 1000,
            isolation=fields.get("isolation", "read_committed"))
        return [record_to_json(record) for record in found]

    def seeds(self, query: Query) -> object:
        self.broker.load_topics(seeds_of(query.body, "body"))
        return {}

    def groups(self, query: Query) -> object:
        return {group.id: {"state": group.state, "protocol": group.protocol, "offsets": group.offsets,
                           "members": [member.__dict__ for member in group.members]}
                for group in self.broker.groups().values()}

    def requests(self, query: Query) -> object:
        with_payload = query.text("payload") == "true"
        return [_request_to_json(each, with_payload)
                for each in self.broker.requests(query.text("client_id"), query.text("api"))]

    def forget_requests(self, query: Query) -> object:
        self.broker.forget_requests()
        return {}

    def changes(self, query: Query) -> object:
        """Wait until there are more changes than ``after``; return how many there are."""
        after, timeout_ms = query.number("after") or 0, query.number("timeout_ms") or 0
        requests = self.broker._requests
        try:
            requests.wait_for(lambda: requests.changes() != after or self.is_closing(),
                              min(max(timeout_ms / 1000, 0.0), _MAX_WAIT_S))
        except TimeoutError:
            pass
        return {"changes": requests.changes()}

    def connections(self, query: Query) -> object:
        return self.broker.connections()

    def disconnect(self, query: Query) -> object:
        self.broker.disconnect(query.text("client_id"))
        return {}

    def all_faults(self, query: Query) -> object:
        with self._lock:
            return {id: _rule_to_json(rule) for id, rule in self._rules.items()}

    def add_fault(self, query: Query) -> object:
        fields = dict(query.fields())
        kind = FAULTS.get(fields.pop("fault", None))
        if kind is None:
            raise ValueError(f"fault: one of {', '.join(FAULTS)}")
        choice = {name: fields.pop(name) for name in _CHOICE_FIELDS if name in fields}
        _check_fault(fields, choice)
        try:
            fault = kind(**fields)
        except TypeError:
            names = ", ".join(getattr(kind, "__dataclass_fields__"))
            raise ValueError(f"{kind.__name__} takes {names or 'nothing'}") from None
        rule = self.broker.faults.add(fault, **choice)
        with self._lock:
            id = str(len(self._rules) + 1)
            self._rules[id] = rule
        return {"id": id}

    def fault(self, query: Query) -> object:
        return _rule_to_json(self._rule(query.names["id"]))

    def remove_fault(self, query: Query) -> object:
        rule = self._rule(query.names["id"])
        rule.remove()
        return _rule_to_json(rule)

    def remove_faults(self, query: Query) -> object:
        self.broker.faults.clear()
        with self._lock:
            self._rules.clear()
        return {}

    def _rule(self, id: str) -> Rule:
        with self._lock:
            rule = self._rules.get(id)
        if rule is None:
            raise Refusal(HTTPStatus.NOT_FOUND, "NotFound", f"there is no fault {id}")
        return rule

    def time(self, query: Query) -> object:
        return {"now_ms": self.broker.time.milliseconds(), "mock": isinstance(self.broker.time, MockTime)}

    def advance(self, query: Query) -> object:
        fields = query.fields()
        clock = self.broker.time
        if not isinstance(clock, MockTime):
            raise IllegalStateException("the broker goes by the real time; give it a clock of its own")
        clock.advance(_number("advance_ms", fields.get("advance_ms"), 0, _MAX_ADVANCE_MS))
        return self.time(query)

    def snapshot(self, query: Query) -> object:
        snapshot = self.broker.snapshot()
        with self._lock:
            id = str(len(self._snapshots) + 1)
            self._snapshots[id] = snapshot
        return {"id": id}

    def restore(self, query: Query) -> object:
        with self._lock:
            snapshot = self._snapshots.get(query.names["id"])
        if snapshot is None:
            raise Refusal(HTTPStatus.NOT_FOUND, "NotFound", f"there is no snapshot {query.names['id']}")
        self.broker.restore(snapshot)
        return self.facts(query)


_RECORD = ("a value, or an object with key or key_base64; value, value_base64 or json; headers; partition; "
           "timestamp_ms")

ROUTES = (
    Route("GET", "/healthz", "Whether the broker runs: 200 or 503", Control.healthz),
    Route("GET", "/metrics", "The broker's metrics, in the text format of Prometheus", Control.metrics),
    Route("GET", "/openapi.json", "This document", Control.openapi),
    Route("GET", "/broker", "Where the broker is, and whether it runs", Control.facts),
    Route("POST", "/start", "Start after a stop or a kill, with the same port and data", Control.start),
    Route("POST", "/stop", "Stop in order", Control.stop, body={"drain_ms": "integer"}),
    Route("POST", "/kill", "Stop as by kill -9: connections are reset, nothing is flushed", Control.kill),
    Route("POST", "/restart", "Stop if it runs, and start", Control.restart),
    Route("POST", "/pause", "Accept, read and write nothing until /resume", Control.pause),
    Route("POST", "/resume", "End a pause", Control.resume),
    Route("POST", "/reset", "Be as after the first start: no records, groups, requests or faults",
          Control.reset),
    Route("GET", "/topics", "End offsets by topic and partition", Control.topics),
    Route("POST", "/topics", "Create a topic", Control.create_topic,
          body={"name": "string", "partitions": "integer", "configs": "object"}),
    Route("DELETE", "/topics/{topic}", "Delete a topic", Control.delete_topic),
    Route("POST", "/topics/{topic}/compact", "Compact a topic now", Control.compact),
    Route("GET", "/topics/{topic}/records", "The records of a topic", Control.records,
          ("partition", "isolation")),
    Route("POST", "/topics/{topic}/records", f"Append records, each {_RECORD}", Control.produce,
          body={"records": "array"}),
    Route("POST", "/topics/{topic}/consume", "The records that no earlier call has returned", Control.consume,
          body={"count": "integer", "partition": "integer", "timeout_ms": "integer", "isolation": "string"}),
    Route("POST", "/seeds", "Create topics and append records, as a file of seeds says", Control.seeds,
          body={"topics": "object"}),
    Route("GET", "/groups", "Groups with their members and the offsets that they have committed",
          Control.groups),
    Route("GET", "/requests", "The requests that arrived", Control.requests, ("client_id", "api", "payload")),
    Route("DELETE", "/requests", "Forget the requests that arrived", Control.forget_requests),
    Route("GET", "/changes", "How many changes there were; waits for one after the given number",
          Control.changes, ("after", "timeout_ms")),
    Route("GET", "/connections", "The client ids of open connections", Control.connections),
    Route("DELETE", "/connections", "Close the connections of a client, or all", Control.disconnect,
          ("client_id",)),
    Route("GET", "/faults", "The faults, each with its number of hits", Control.all_faults),
    Route("POST", "/faults", f"Add a fault, one of {', '.join(FAULTS)}", Control.add_fault, body={
        "fault": "string", "ms": "integer", "handled": "boolean", "error": "string", "size": "integer",
        "pause_ms": "integer", "api": "string", "client_id": "string", "first": "integer",
        "after": "integer", "every": "integer", "probability": "number"}),
    Route("DELETE", "/faults", "Remove all faults", Control.remove_faults),
    Route("GET", "/faults/{id}", "A fault with its number of hits", Control.fault),
    Route("DELETE", "/faults/{id}", "Remove a fault; it can still be asked for its hits",
          Control.remove_fault),
    Route("GET", "/time", "The broker's time", Control.time),
    Route("POST", "/time", "Move the clock of a broker that has one of its own", Control.advance,
          body={"advance_ms": "integer"}),
    Route("POST", "/snapshots", "Copy the data folder", Control.snapshot),
    Route("POST", "/snapshots/{id}/restore", "Go back to a snapshot", Control.restore),
)

_PATTERNS = [(re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(route.path))), route)
             for route in ROUTES]


def openapi() -> dict[str, Any]:
    """Return the description of the interface, in OpenAPI 3.1."""
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        parameters = [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
                      for name in re.findall(r"{(\w+)}", route.path)]
        parameters += [{"name": name, "in": "query", "schema": {"type": "string"}}
                       for name in route.parameters]
        operation: dict[str, Any] = {
            "summary": route.summary,
            "operationId": route.handle.__name__,
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


# -- JSON ------------------------------------------------------------------------------------------


def _request_to_json(received: ReceivedRequest, with_payload: bool) -> dict[str, Any]:
    answer = received.answer
    made: dict[str, Any] = {
        "api": received.api, "version": received.version, "client_id": received.client_id,
        "connection_id": received.connection_id, "time_ms": received.time_ms, "size": received.size,
        "answer": None if answer is None else answer._asdict(),
        "faults": [fault_to_json(fault) for fault in received.faults]}
    if with_payload:
        made["payload_base64"] = base64.b64encode(received._payload).decode()
    return made


def _rule_to_json(rule: Rule) -> dict[str, Any]:
    return {**fault_to_json(rule.fault), "hits": rule.hits}


def _number(name: str, value: object, lowest: int, highest: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not lowest <= value <= highest:
        raise ValueError(f"{name}={value!r}: not a number from {lowest} to {highest}")
    return value


def _check_fault(fields: Mapping[str, Any], choice: Mapping[str, Any]) -> None:
    for name in ("ms", "size", "pause_ms", "first", "after", "every"):
        value = {**fields, **choice}.get(name, 0)
        if not (name == "first" and value is None):
            _number(name, value, 0, 1 << 40)
    if not isinstance(fields.get("handled", True), bool):
        raise ValueError("handled: not true or false")
    if not isinstance(fields.get("error", ""), str):
        raise ValueError("error: not the name of an error of Kafka")
    if not isinstance(choice.get("client_id") or "", str):
        raise ValueError("client_id: not text")
    apis = choice.get("api") or ""
    if not isinstance(apis, str) and not (
            isinstance(apis, list) and all(isinstance(each, str) for each in apis)):
        raise ValueError("api: neither a name nor a list of names")
    probability = choice.get("probability", 1)
    if not isinstance(probability, (int, float)) or isinstance(probability, bool):
        raise ValueError("probability: not a number")


def error_to_json(e: Exception) -> dict[str, str]:
    """Return an error as the control port tells it."""
    refusal = _refusal_of(e)
    return {"error": refusal.error, "message": str(refusal)}


def _refusal_of(e: Exception) -> Refusal:
    """Return what a client gets for an exception."""
    if isinstance(e, Refusal):
        return e
    message = " ".join(str(e).split()) or type(e).__name__
    if isinstance(e, ApiException):
        error = Errors.for_exception(e)
        not_found = error in (Errors.UNKNOWN_TOPIC_OR_PARTITION, Errors.GROUP_ID_NOT_FOUND)
        return Refusal(HTTPStatus.NOT_FOUND if not_found else HTTPStatus.BAD_REQUEST, error.name, message)
    if isinstance(e, IllegalStateException):
        return Refusal(HTTPStatus.CONFLICT, "IllegalStateException", message)
    if isinstance(e, (ValueError, TypeError, IllegalArgumentException)):
        return Refusal(HTTPStatus.BAD_REQUEST, "ValueError", message)
    if isinstance(e, TimeoutError):
        return Refusal(HTTPStatus.GATEWAY_TIMEOUT, "TimeoutError", message)
    if not isinstance(e, (KafkaException, OSError)):
        log.error("the control port could not answer", exc_info=e)
    return Refusal(HTTPStatus.INTERNAL_SERVER_ERROR, type(e).__name__, message)


# -- HTTP ------------------------------------------------------------------------------------------


class _Handler(BaseHTTPRequestHandler):
    """One connection, on a thread of its own."""

    protocol_version = "HTTP/1.1"
    server_version = f"kreactor/{__version__}"
    sys_version = ""
    timeout = _IDLE_S
    # An answer goes out in one piece.
    wbufsize = -1
    disable_nagle_algorithm = True
    server: _Server

    def handle_one_request(self) -> None:
        """Answer a request; whatever it is, the thread ends in order."""
        try:
            super().handle_one_request()
        # The client is gone or too slow, or sent what http.client does not take.
        except (OSError, ValueError) as e:
            log.debug("a connection of the control port ends: %s", e)
            self.close_connection = True
        finally:
            self.server.expect_request(self.connection)

    def _answer(self) -> None:
        try:
            status, made = HTTPStatus.OK, self._handle()
        except Exception as e:
            status, made = _refusal_of(e).status, error_to_json(e)
        # An answer may take as long as a request.
        self.server.expect_request(self.connection)
        self._send(status, made)

    do_GET = do_POST = do_DELETE = do_PUT = do_PATCH = do_OPTIONS = do_HEAD = _answer

    def _handle(self) -> object:
        control = self.server.control
        # A body that is not read would be taken for the next request.
        has_body = "Content-Length" in self.headers or "Transfer-Encoding" in self.headers
        is_last, self.close_connection = self.close_connection, self.close_connection or has_body
        control.check(self.headers)
        url = urlsplit(self.path)
        route, names = self._route(url.path)
        parameters = parse_qs(url.query, max_num_fields=20)
        for name in parameters:
            if name not in route.parameters:
                raise ValueError(f"{name}: {route.path} takes {', '.join(route.parameters) or 'nothing'}")
        body = self._body()
        self.close_connection = is_last
        self.server.request_is_complete(self.connection)
        return route.handle(control, Query(
            names, {name: values[-1] for name, values in parameters.items()}, body, route.body or ()))

    def _route(self, path: str) -> tuple[Route, dict[str, str]]:
        """Return the route of the request, and the names in its path. Raises Refusal."""
        found = [(route, match) for pattern, route in _PATTERNS if (match := pattern.fullmatch(path))]
        for route, match in found:
            if route.method == self.command:
                return route, {name: unquote(value) for name, value in match.groupdict().items()}
        if found:
            raise Refusal(HTTPStatus.METHOD_NOT_ALLOWED, "Method",
                          f"{path} takes {', '.join(route.method for route, _ in found)}")
        raise Refusal(HTTPStatus.NOT_FOUND, "NotFound", "there is no such path: /openapi.json has all")

    def _body(self) -> object:
        if "Transfer-Encoding" in self.headers:
            raise Refusal(HTTPStatus.LENGTH_REQUIRED, "Length", "a body needs a Content-Length")
        text = self.headers.get("Content-Length", "0")
        if not re.fullmatch("[0-9]{1,18}", text):
            raise ValueError("Content-Length: not a number")
        length = int(text)
        if length > _MAX_BODY_BYTES:
            raise Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "Length",
                          f"a body has {_MAX_BODY_BYTES} bytes at most")
        # A page in a browser sends this type nowhere without asking first.
        if self.command != "GET" and length and (
                self.headers.get_content_type() != "application/json"):
            raise Refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Content-Type",
                          "Content-Type: application/json")
        if self.headers.get("Expect", "").lower() == "100-continue":
            self.send_response_only(HTTPStatus.CONTINUE)
            self.end_headers()
            self.wfile.flush()
        data = self.rfile.read(length)
        if len(data) < length:
            raise Refusal(HTTPStatus.BAD_REQUEST, "Length", "the body is shorter than its Content-Length")
        try:
            return json.loads(data) if data else None
        except (ValueError, RecursionError) as e:
            raise ValueError(f"the body is not JSON: {e}") from None

    def _send(self, status: HTTPStatus, made: object) -> None:
        data = made.encode() if isinstance(made, str) else json.dumps(made).encode() + b"\n"
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8" if isinstance(made, str)
                         else "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-store")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)
        self.wfile.flush()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer bytes that are not HTTP, or an unknown method."""
        status = HTTPStatus(code)
        self.close_connection = True
        self._send(status, {"error": status.name, "message": message or status.phrase})

    def log_message(self, format: str, *args: object) -> None:
        log.debug("%s %s", self.client_address[0], quote(format % args, safe=" \"'/:?&=%"))


class _Server(ThreadingMixIn, HTTPServer):
    """Accepts connections, and knows those that are open."""

    # server_close waits for the threads.
    daemon_threads = False
    block_on_close = True
    request_queue_size = 128
    allow_reuse_address = True

    def __init__(self, control: Control, host: str, port: int) -> None:
        if ":" in host:
            self.address_family = socket.AF_INET6
        self.control = control
        self.is_stopping = False
        self._connections_lock = threading.Lock()
        # The time by which a connection completes its request, None while the broker handles one. Guarded.
        self._deadlines: dict[socket.socket, float | None] = {}
        super().__init__((host, port), _Handler)

    def server_bind(self) -> None:
        # Without HTTPServer's, which looks up a name of the host.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()

    def stop(self) -> None:
        """Accept no more, and end all connections."""
        if not self.is_stopping:
            self.is_stopping = True
            self.shutdown()
        with self._connections_lock:
            for connection in self._deadlines:
                _shut_down(connection)

    def forget_in_child(self) -> None:
        self._connections_lock = threading.Lock()
        self.is_stopping = True
        self.socket.close()
        for connection in self._deadlines:
            connection.close()
        self._deadlines = {}

    def verify_request(self, request: Any, client_address: Any) -> bool:
        with self._connections_lock:
            if self.is_stopping or len(self._deadlines) >= _MAX_CONNECTIONS:
                return False
            self._deadlines[request] = time.monotonic() + _REQUEST_S
            return True

    def shutdown_request(self, request: Any) -> None:
        with self._connections_lock:
            self._deadlines.pop(request, None)
        super().shutdown_request(request)

    def expect_request(self, connection: socket.socket) -> None:
        """Have a connection complete something within the time for that."""
        with self._connections_lock:
            if connection in self._deadlines:
                self._deadlines[connection] = time.monotonic() + _REQUEST_S

    def request_is_complete(self, connection: socket.socket) -> None:
        """Give the broker its own time for a request."""
        with self._connections_lock:
            if connection in self._deadlines:
                self._deadlines[connection] = None

    def service_actions(self) -> None:
        """End the connections that take too long for a request. Called twice a second."""
        now = time.monotonic()
        with self._connections_lock:
            for connection, deadline in self._deadlines.items():
                if deadline is not None and deadline < now:
                    _shut_down(connection)

    def handle_error(self, request: Any, client_address: Any) -> None:
        log.debug("a connection of the control port failed", exc_info=True)


def _shut_down(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # gone already


def check_address(host: str, token: str | None) -> None:
    """Raises ValueError for a token of the wrong form, and for an address beyond loopback without a token."""
    if token is not None and not re.fullmatch(r"[!-~]{8,}", token):
        raise ValueError("the token has 8 visible characters of ASCII or more, and no blanks")
    if token is None and not _is_loopback(host):
        raise ValueError(f"{host} is not an address of loopback: the control port needs a token there")


def _is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
