# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The control port: what it takes, what it refuses, and what nonsense does to it."""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kreactor.common.errors import PolicyViolationException
from kreactor.testing import Broker, MockTime, control as control_module, control_doorway
from kreactor.testing.control import Control

TOPIC = "topic"


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(topics=[TOPIC], time=MockTime()) as broker:
        yield broker


@pytest.fixture
def control(broker: Broker) -> Iterator[Control]:
    with Control(broker) as control:
        yield control


def ask(control: Control, method: str, path: str, body: object = None, **headers: str) -> tuple[int, Any]:
    connection = http.client.HTTPConnection(control.host, control.port, timeout=60)
    data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    if data is not None:
        names.setdefault("Content-Type", "application/json")
    connection.request(method, path, data, names)
    response = connection.getresponse()
    text = response.read()
    assert not any(name.lower().startswith("access-control") for name in response.headers)
    connection.close()
    return response.status, json.loads(text) if text else None


def raw(control: Control, data: bytes) -> bytes:
    """Send bytes, and return all that comes until the end."""
    with socket.create_connection((control.host, control.port), 60) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        received = b""
        try:
            while more := connection.recv(1 << 16):
                received += more
        except ConnectionResetError:
            pass
        return received


@pytest.mark.parametrize("number", [10_000, 2**31 - 1, 2**63, 10**30])
def test_numbers_beyond_a_limit_are_refused_at_once(broker: Broker, control: Control, number: int) -> None:
    # A number that no request can carry is not the broker's to refuse.
    refusal = "POLICY_VIOLATION" if number < 1 << 31 else "ValueError"
    for path, body, error in (
            ("/topics", {"name": "t", "partitions": number}, refusal),
            ("/seeds", {"topics": {"t": {"partitions": number}}}, refusal),
            (f"/topics/{TOPIC}/records", {"records": [{"value": "v", "partition": number}]}, "ValueError"),
            (f"/topics/{TOPIC}/records", {"records": [{"value": "v", "timestamp_ms": number << 63}]},
             "ValueError")):
        status, answer = ask(control, "POST", path, body)
        assert (status, answer["error"]) == (400, error), answer
    with pytest.raises(PolicyViolationException):
        broker.create_topic("t", number)
    assert broker.topics() == {TOPIC: {0: 0}}


def test_what_it_does(control: Control) -> None:
    assert ask(control, "GET", "/healthz") == (200, {"status": "running"})
    assert ask(control, "POST", "/topics", {"name": "new", "partitions": 2}) == (200, {})
    status, made = ask(control, "POST", "/topics/new/records", {"records": [
        {"key": "k", "value": "v", "partition": 1, "headers": {"h": "x"}}, {"value_base64": "/w=="},
        {"json": {"a": 1}, "partition": 1}]})
    assert status == 200 and [each["offset"] for each in made] == [0, 1, 2]
    assert ask(control, "GET", "/topics")[1] == {TOPIC: {"0": 0}, "new": {"0": 0, "1": 3}}
    read = ask(control, "GET", "/topics/new/records?partition=1&isolation=read_committed")[1]
    assert read[0] == {"partition": 1, "offset": 0, "timestamp_ms": read[0]["timestamp_ms"], "key": "k",
                       "value": "v", "headers": [{"name": "h", "value": "x"}]}
    assert len(ask(control, "POST", "/topics/new/consume", {"count": 2})[1]) == 2
    assert ask(control, "POST", "/seeds", {"topics": {"seeds": {"records": ["a"]}}})[0] == 200
    status, fault = ask(control, "POST", "/faults", {"fault": "Delay", "ms": 5, "api": "Produce"})
    assert (status, fault) == (200, {"id": "1"})
    assert ask(control, "GET", "/faults")[1] == {"1": {"fault": "Delay", "ms": 5, "hits": 0}}
    assert ask(control, "DELETE", "/faults/1")[1]["hits"] == 0
    now = ask(control, "GET", "/time")[1]["now_ms"]
    assert ask(control, "POST", "/time", {"advance_ms": 10})[1] == {"now_ms": now + 10, "mock": True}
    assert ask(control, "GET", "/groups") == (200, {}) and ask(control, "GET", "/requests") == (200, [])
    assert ask(control, "POST", "/kill")[1]["running"] is False
    assert ask(control, "GET", "/healthz")[0] == 503
    assert ask(control, "POST", "/start")[1]["running"] is True
    assert ask(control, "POST", "/reset") == (200, {})
    assert ask(control, "GET", "/topics")[1] == {TOPIC: {"0": 0}}


def test_it_is_described(control: Control) -> None:
    status, told = ask(control, "GET", "/openapi.json")
    assert status == 200 and told["openapi"].startswith("3.1")
    named = {(method.upper(), path) for path, item in told["paths"].items() for method in item}
    assert named == {(route.method, route.path) for route in control.routes}
    ids = [operation["operationId"] for item in told["paths"].values() for operation in item.values()]
    assert len(ids) == len(set(ids)) and told["info"]["title"]


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_curl_is_enough(control: Control) -> None:
    done = subprocess.run(
        ["curl", "-sSf", "--json", '{"records": ["v"]}', f"{control.url}/topics/{TOPIC}/records"],
        capture_output=True, text=True, timeout=60)
    if "unknown" in done.stderr:
        pytest.skip("curl has no --json")
    assert json.loads(done.stdout)[0]["value"] == "v", done.stderr


@pytest.mark.parametrize("method, path, body, status, message", [
    ("GET", "/nowhere", None, 404, "/openapi.json lists all"),
    ("PUT", "/topics", {}, 405, "/topics takes GET, POST"),
    ("OPTIONS", "/topics", None, 405, "takes"),
    ("GET", "/topics?x=1", None, 400, "x: /topics takes nothing"),
    ("GET", "/topics/none/records", None, 404, "no topic none"),
    ("GET", "/topics/topic/records?partition=x", None, 400, "partition='x': not a number"),
    ("GET", "/topics/topic/records?isolation=x", None, 400, "isolation='x'"),
    ("POST", "/topics", b"{", 400, "the body is not JSON"),
    ("POST", "/topics", b"[" * 100_000, 400, "the body is not JSON"),
    ("POST", "/topics", [], 400, "the body is not an object"),
    ("POST", "/topics", {}, 400, "the name is not text"),
    ("POST", "/topics", {"name": "a/b"}, 400, "invalid"),
    ("POST", "/topics", {"name": "n", "partitions": 0}, 400, "partitions: 0 is not a number above 0"),
    ("POST", "/topics", {"name": "n", "size": 0}, 400, "'size' is not one of name"),
    ("DELETE", "/topics/none", None, 404, "no topic none"),
    ("POST", "/topics/topic/records", {"records": 1}, 400, "records: not a list"),
    ("POST", "/topics/topic/records", {"records": [{"value": []}]}, 400, r"records\[0\].value"),
    ("POST", "/topics/topic/records", {"records": [{"key_base64": "?"}]}, 400, "not base64"),
    ("POST", "/topics/topic/consume", {"count": -1}, 400, "count=-1"),
    ("POST", "/topics/topic/consume", {"count": 1}, 504, "0 new records"),
    ("POST", "/seeds", None, 400, "not a mapping"),
    ("GET", "/requests?api=Nonsense", None, 400, "no API Nonsense"),
    ("POST", "/faults", {}, 400, "fault: must be one of Delay"),
    ("POST", "/faults", {"fault": "Delay"}, 400, "Delay takes ms"),
    ("POST", "/faults", {"fault": "Delay", "ms": "x"}, 400, "ms='x'"),
    ("POST", "/faults", {"fault": "Drop", "api": 7}, 400, "api: neither"),
    ("POST", "/faults", {"fault": "Drop", "probability": "x"}, 400, "probability"),
    ("POST", "/faults", {"fault": "Error", "error": "NONSENSE"}, 400, "no error NONSENSE"),
    ("GET", "/faults/7", None, 404, "no fault 7"),
    ("POST", "/time", {"advance_ms": -1}, 400, "advance_ms=-1"),
    ("POST", "/snapshots/7/restore", None, 404, "no snapshot 7"),
    ("POST", "/start", None, 409, "the broker runs already: stop it first"),
])
def test_nonsense_gets_a_sentence(control: Control, method: str, path: str, body: object, status: int,
                                  message: str) -> None:
    got, told = ask(control, method, path, body)
    assert got == status and re.search(message, told["message"]), told
    assert set(told) == {"error", "message"} and "\n" not in told["message"]
    assert ask(control, "GET", "/healthz")[0] == 200


def test_pages_of_a_browser_are_refused(control: Control) -> None:
    for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Host": "evil.example"},
                    {"Sec-Fetch-Site": "cross-site"}, {"Host": ""}):
        status, told = ask(control, "GET", "/topics", None, **headers)
        assert status == 403, told
    # A form of a web page sends these types without asking first.
    for content_type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        assert ask(control, "POST", "/topics", b'{"name": "x"}', Content_Type=content_type)[0] == 415
    for host in ("localhost", f"127.0.0.1:{control.port}", "[::1]:80"):
        assert ask(control, "GET", "/topics", None, Host=host)[0] == 200


def test_a_token(broker: Broker) -> None:
    control = Control(broker, "0.0.0.0", token="long-enough")
    control.host = "127.0.0.1"
    try:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic long-enough"},
                        {"Authorization": "Bearer ü"}):
            assert ask(control, "GET", "/topics", None, **headers)[0] == 401
        assert ask(control, "GET", "/topics", None, Authorization="Bearer long-enough")[0] == 200
    finally:
        control.close()


def test_addresses_and_tokens_that_cannot_be(broker: Broker) -> None:
    with pytest.raises(ValueError, match="0.0.0.0 is not a loopback address"):
        Control(broker, "0.0.0.0")
    for token in ("", "short", "with a blank in it"):
        with pytest.raises(ValueError, match="the token must have at least 8"):
            Control(broker, token=token)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(OSError):
            Control(broker, port=taken.getsockname()[1])


@pytest.mark.parametrize("data", [
    b"", b"\r\n", b"GET", b"GET /\r\n\r\n", b"\0" * 1000, b"GET / HTTP/9.9\r\n\r\n", b"A" * 70_000,
    b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 200 + b"\r\n", b"GET / HTTP/1.1\r\n" + b"a" * 70_000,
    b"GET http://[/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"POST /topics HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
    b"POST /topics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n",
    b"POST /topics HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: 10\r\n\r\n{",
    b"POST /topics HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"GET /topics/%00%ff/records HTTP/1.1\r\nHost: localhost\r\n\r\n",
])
def test_garbage_ends_no_thread(control: Control, data: bytes) -> None:
    answer = raw(control, data)
    assert not answer or answer.startswith(b"HTTP/1.") or b'"error"' in answer
    assert b" 500 " not in answer.partition(b"\r\n")[0]
    assert ask(control, "GET", "/healthz")[0] == 200


def test_random_garbage(control: Control) -> None:
    random_numbers = random.Random(7)
    for _ in range(100):
        raw(control, random_numbers.choice([b"", b"GET ", b"POST /topics HTTP/1.1\r\n"])
            + random_numbers.randbytes(random_numbers.randrange(300)))
    assert ask(control, "GET", "/healthz")[0] == 200


def test_several_requests_on_a_connection(control: Control) -> None:
    connection = http.client.HTTPConnection(control.host, control.port, timeout=60)
    for _ in range(3):
        connection.request("POST", f"/topics/{TOPIC}/records", b'{"records": ["v"]}',
                           {"Content-Type": "application/json"})
        assert connection.getresponse().read()
        port = connection.sock.getsockname()[1]
        connection.request("GET", "/nowhere")
        assert connection.getresponse().read() and connection.sock.getsockname()[1] == port
    connection.close()


@pytest.mark.parametrize("sent", [
    b"", b"GET /topics HTT", b"GET /topics HTTP/1.1\r\nHost: localhost\r\n",
    b"POST /topics HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: 9\r\n\r\n{"])
def test_slow_clients_are_closed(broker: Broker, monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    monkeypatch.setattr(control_module, "_REQUEST_S", 0.1)
    monkeypatch.setattr(control_doorway, "HEAD_S", 0.1)
    control = Control(broker)
    try:
        with socket.create_connection((control.host, control.port), 60) as connection:
            connection.sendall(sent)
            assert not connection.recv(1000) or sent.endswith(b"{")
    finally:
        control.close()


def wait_until(is_true: Callable[[], object]) -> None:
    deadline = time.monotonic() + 120
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_client_that_does_not_read_its_answer_is_closed(control: Control, broker: Broker,
                                                          monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_module, "_REQUEST_S", 0.5)
    for _ in range(20):
        broker.produce(TOPIC, bytes(900_000))
    with socket.create_connection((control.host, control.port), 60) as connection:
        connection.sendall(f"GET /topics/{TOPIC}/records HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert connection.recv(8) == b"HTTP/1.1"
        wait_until(lambda: not control._server._deadlines)


def test_bodies_under_way_share_the_memory(control: Control, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_module, "_MAX_BODY_BYTES", 1000)
    server = control._server
    head = f"POST /topics/{TOPIC}/records HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    body = b'{"records": ["' + b"v" * 800 + b'"]}'
    with socket.create_connection((control.host, control.port), 60) as slow:
        # Bytes that are announced take no memory.
        slow.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode())
        assert ask(control, "POST", f"/topics/{TOPIC}/records", body)[0] == 200
        slow.sendall(body[:700])
        wait_until(lambda: server._body_bytes == 700)
        status, told = ask(control, "POST", f"/topics/{TOPIC}/records", body)
        assert (status, told["error"]) == (503, "Busy") and "1000 bytes together" in told["message"]
        assert server._body_bytes == 700
        slow.sendall(body[700:])
        assert slow.recv(100).startswith(b"HTTP/1.1 200")
        # A client that goes in the middle takes its bytes with it.
        with socket.create_connection((control.host, control.port), 60) as gone:
            gone.sendall(f"{head}Content-Length: 900\r\n\r\n".encode() + body[:100])
            wait_until(lambda: server._body_bytes == 100)
        wait_until(lambda: not server._body_bytes)
    assert ask(control, "POST", f"/topics/{TOPIC}/records", body)[0] == 200
    assert ask(control, "GET", "/topics")[1] == {TOPIC: {"0": 3}}


def test_a_client_of_a_huge_body_is_told_why(control: Control, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_module, "_MAX_BODY_BYTES", 1000)
    # More than sockets keep: the answer comes while the client still sends.
    status, told = ask(control, "POST", "/topics", bytes(16 << 20))
    assert status == 413 and "larger than 1000 bytes" in told["message"]


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_closes_its_copy_whatever_the_threads_of_its_parent_hold(broker: Broker) -> None:
    with Control(broker) as control:
        with control._server._connections_lock, control._server.doorway._stopping._cond:
            pid = os.fork()
            if pid == 0:
                # A lock that nobody releases ends the child by this signal.
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                signal.alarm(20)
                try:
                    control.close()
                    os._exit(0 if control.is_closing() else 2)
                finally:
                    os._exit(1)
            assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        assert not control.is_closing() and ask(control, "GET", "/healthz")[0] == 200


def test_close_ends_those_who_wait(control: Control) -> None:
    answers: list[object] = []

    def wait() -> None:
        try:
            answers.append(ask(control, "GET", "/changes?timeout_ms=20000&after=0"))
        except (http.client.HTTPException, OSError) as e:
            answers.append(e)

    seen = ask(control, "GET", "/changes")[1]["changes"]
    thread = threading.Thread(target=wait)
    if seen == 0:
        thread.start()
    with socket.create_connection((control.host, control.port)):
        control.close()
        control.close()
    if seen == 0:
        thread.join()
        assert answers
    assert not any(thread.name == "control" for thread in threading.enumerate())
