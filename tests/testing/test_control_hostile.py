# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Every field of every route of a control port with values that no client means: no internal error."""

from __future__ import annotations

import http.client
import json
import logging
import re
import socket
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from kreactor.testing import Broker, Cluster, MockTime
from kreactor.testing.control import Control
from kreactor.testing.control_routes import Route

TOPIC, OTHER = "topic", "other"

# JSON texts, because some of them are no value of Python.
NUMBERS = (
    "9223372036854775808", "9223372036854775807", "-9223372036854775809", "-9223372036854775808", "-1",
    "2147483648", "4294967296", "1e308", "1e999", "-1e999", "NaN", "Infinity", "-Infinity", "1.5", "-0.0",
    "9" * 5000, "-" + "9" * 5000, "9" * 50)
OTHERS = (
    "true", "null", '""', '"x"', '"\\ud800"', '"\\u0000"', '"%s"' % ("x" * 5_000), "[]", "{}", "[[]]",
    '{"a": 1, "a": 2}', '[{"a": NaN}]', "[" * 2000 + "]" * 2000)
HOSTILE = (*NUMBERS, *OTHERS)
# A topic of this many partitions is a request that a broker carries out.
FEW = tuple(value for value in HOSTILE if value not in ("2147483648", "4294967296"))
# The fields that another field needs beside it, so that its own check is reached.
_DROP, _NEW = '"fault": "Drop"', '"name": "new"'
BESIDE = {
    "ms": '"fault": "Delay"', "error": '"fault": "Error"', "size": '"fault": "Split"',
    "pause_ms": '"fault": "SlowReader", "size": 1', "unclean": '"to": 1',
    **dict.fromkeys(("handled", "api", "client_id", "first", "after", "every", "probability"), _DROP),
    **dict.fromkeys(("configs", "replication_factor", "assignments", "partitions"), _NEW)}
# Fields inside fields: of a record, of a header, of a topic of seeds.
INNER = {
    "records": ('[{"value": "v", "timestamp_ms": %s}]', '[{"value": "v", "partition": %s}]', '[{"key": %s}]',
                '[{"value": %s}]', '[{"json": %s}]', '[{"value_base64": %s}]', '[{"headers": %s}]',
                '[{"headers": {"h": %s}}]', '[{"headers": [{"name": %s, "value": "v"}]}]', "[%s]",
                '[{"value": "v", "timestamp_ms": -1}, {"value": "v", "timestamp_ms": %s}]',
                '[{"value": "v", "timestamp_ms": 0}, {"value": "v", "timestamp_ms": %s}]'),
    "topics": ('{"new": {"partitions": %s}}', '{"new": {"configs": %s}}', '{"new": {"records": %s}}',
               '{"new": {"configs": {"retention.ms": %s}}}', '{"new": %s}',
               '{"new": {"records": [{"value": "v", "timestamp_ms": %s}]}}'),
    "configs": ('{"retention.ms": %s}', '{"segment.bytes": %s}'),
    "replicas": ("[%s]", "[1, %s]"), "assignments": ("[%s]", "[[%s]]", "[[1, %s]]"), "api": ("[%s]",)}
PATH_NAMES = ("%00", "%ff", "%ed%a0%80", "..", "9" * 5000, "-1", "9" * 19, "x" * 300, "%0d%0a", "None", "%25")
# The calls that end or restart a broker, which one call each covers.
LIFE = ("/start", "/stop", "/kill", "/restart", "/snapshots", "/reset", "/pause", "/resume")


@pytest.fixture(params=["broker", "cluster"])
def port(request: pytest.FixtureRequest) -> Iterator[Control]:
    target: Broker | Cluster = (
        Broker(topics=[TOPIC], time=MockTime()) if request.param == "broker" else Cluster(time=MockTime()))
    with target:
        if isinstance(target, Cluster):
            target.create_topic(TOPIC, assignments=[[1, 2, 3]])
        with Control(target) as control:
            yield control


class Client:
    """One connection to the port, which is made again where the port has closed it."""

    def __init__(self, control: Control) -> None:
        self._connection = http.client.HTTPConnection(control.host, control.port, timeout=120)

    def ask(self, method: str, path: str, body: bytes | None) -> tuple[int, Any]:
        headers = {} if body is None else {"Content-Type": "application/json"}
        try:
            self._connection.request(method, path, body, headers)
            response = self._connection.getresponse()
        except (ConnectionError, http.client.RemoteDisconnected):
            self._connection.close()
            self._connection.request(method, path, body, headers)
            response = self._connection.getresponse()
        text = response.read()
        return response.status, json.loads(text)

    def close(self) -> None:
        self._connection.close()


@pytest.fixture
def client(port: Control) -> Iterator[Client]:
    client = Client(port)
    yield client
    client.close()


def path_of(route: Route) -> str:
    """Return the path with names that exist."""
    names = {"topic": TOPIC, "partition": "0", "broker": "1", "id": "1", "group": "g",
             "transactional_id": "t"}
    return re.sub(r"{(\w+)}", lambda found: names[found[1]], route.path)


def requests(route: Route) -> Iterator[tuple[str, str, str | None]]:
    """Yield the hostile requests for a route: each field with each value, and what it is about."""
    path = path_of(route)
    for name in route.parameters:
        for value in (*NUMBERS, "x", "%00", "%ed%a0%80", "", "true"):
            if name not in ("timeout_ms", "payload"):
                yield name, f"{path}?{name}={value}", None
    for name in re.findall(r"{(\w+)}", route.path):
        for value in PATH_NAMES:
            yield name, re.sub(r"{(\w+)}", value, route.path), None
    for name in route.body or ():
        values: Sequence[str] = FEW if name in ("partitions", "topics") else HOSTILE
        needs = name in BESIDE and route.path.endswith(("faults", "/topics", "leader"))
        beside = f"{BESIDE[name]}, " if needs else ""
        for form in ("%s", *INNER.get(name, ())):
            for value in values:
                yield name, path, f'{{{beside}"{name}": {form % value}}}'
    if route.method == "POST" and route.body is not None:
        for value in (*HOSTILE, "[" * 100_000):
            yield "body", path, value


def test_no_value_is_an_internal_error(port: Control, client: Client,
                                       caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    count, wrong = 0, []
    for route in port.routes:
        if route.path.endswith(LIFE) or route.path.endswith("/metrics"):
            continue
        # A broker of a cluster has the same routes as a broker.
        if route.path.startswith("/brokers/{broker}/") and route.body is not None:
            continue
        for name, path, body in requests(route):
            status, told = client.ask(route.method, path, None if body is None else body.encode())
            count += 1
            if 200 <= status < 300:
                continue
            if not (400 <= status < 500 or status == 504) or set(told) != {"error", "message"} or (
                    len(told["message"]) > 1000):
                wrong.append((route.method, path[:80], (body or "")[:80], status, str(told)[:200]))
    assert wrong == []
    assert count > 1500
    assert [record.getMessage() for record in caplog.records] == []
    assert client.ask("GET", "/healthz", None)[0] == 200


@pytest.mark.parametrize("path, body, message", [
    ("records", '{"records": [{"value": "v", "timestamp_ms": %s}]}',
     "records[0].timestamp_ms: %s is not a number"),
    ("records", '{"records": [{"value": "v", "partition": %s}]}',
     "records[0].partition: %s is not a number"),
    ("consume", '{"count": %s}', "count=%s: not a number from 0 to"),
    ("consume", '{"timeout_ms": %s}', "timeout_ms=%s: not a number from 0 to"),
    ("consume", '{"partition": %s}', "partition=%s: not a number from 0 to"),
])
@pytest.mark.parametrize("value, is_shown_as", [
    ("9223372036854775808", "9223372036854775808"), ("NaN", "NaN"), ("-Infinity", "-Infinity"),
    ("1e999", "1e999"),
    ("9" * 5000, "a number of 5000 characters"), ("1.5", "1.5"), ('"1"', "'1'"), ("true", "True")])
def test_the_error_names_the_field(port: Control, client: Client, path: str, body: str, message: str,
                                   value: str, is_shown_as: str) -> None:
    status, told = client.ask("POST", f"/topics/{TOPIC}/{path}", (body % value).encode())
    assert status == 400 and told["error"] == "ValueError"
    assert message % is_shown_as in told["message"]


def test_the_highest_timestamps(port: Control, client: Client) -> None:
    highest = 2**63 - 2
    body = json.dumps({"records": [{"value": "v", "timestamp_ms": each} for each in (-1, 0, highest)]})
    status, told = client.ask("POST", f"/topics/{TOPIC}/records", body.encode())
    assert status == 200 and [each["timestamp_ms"] for each in told] == [-1, 0, highest]


@pytest.mark.parametrize("data, message", [
    (b'{"name": "a", "name": "b"}', "'name' is there twice in one object"),
    (b'{"name": "\xff"}', "the body is not valid UTF-8 at byte 10"),
    (b'{"name": "\xed\xa0\x80"}', "the body is not valid UTF-8"),
    (b"[" * 50_000, "nested too deeply"),
    ('{"name": "a"}'.encode("utf-16"), "the body is not valid UTF-8"),
])
def test_texts_that_are_not_json(port: Control, client: Client, data: bytes, message: str) -> None:
    status, told = client.ask("POST", "/topics", data)
    assert status == 400 and message in told["message"]


@pytest.mark.parametrize("head, status", [
    ("Content-Length: -1", 400), ("Content-Length: +2", 400), ("Content-Length: 2, 2", 400),
    ("Content-Length: 9223372036854775808", 400), ("Content-Length: 9223372036854775807", 400),
    ("Content-Length: 999999999999999999", 413), ("Content-Length: 0x2", 400), ("Content-Length: two", 400),
    ("Content-Length: 2\r\nContent-Length: 3", 400), ("Content-Length: 2\r\nContent-Length: 2", 400),
    ("Transfer-Encoding: chunked", 411), ("Transfer-Encoding: chunked\r\nContent-Length: 2", 411),
    ("Content-Length: \u0662", 400)])
def test_lengths(port: Control, head: str, status: int) -> None:
    with socket.create_connection((port.host, port.port), 120) as connection:
        connection.sendall((
            "POST /topics HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"{head}\r\n\r\n{{}}"
        ).encode())
        answer = connection.makefile("rb").read()
    assert answer.startswith(f"HTTP/1.1 {status} ".encode())
    assert answer.count(b"HTTP/1.1") == 1 and b'"message"' in answer
