# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Strangers at a control port: they take no thread, no place and no time of the port's owner."""

from __future__ import annotations

import errno
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from email.message import Message
from typing import Any

import pytest

from kreactor.testing import Broker, control as control_module, control_doorway
from kreactor.testing.control import Control
from kreactor.testing.control_doorway import MAX_HEAD_BYTES, MAX_WAITING, Doorway
from tests.testing.test_control import TOPIC, ask, raw, wait_until

TOKEN = "a-token-of-mine"
HEAD = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
PASS = f"Authorization: Bearer {TOKEN}\r\n".encode()


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker(topics=[TOPIC]) as broker:
        yield broker


@pytest.fixture
def control(broker: Broker) -> Iterator[Control]:
    with Control(broker, token=TOKEN) as control:
        yield control


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def connect(control: Control, opened: ExitStack, sent: bytes = b"",
            source: str | None = None) -> socket.socket:
    connection = socket.create_connection(
        (control.host, control.port), 120, source_address=None if source is None else (source, 0))
    opened.enter_context(connection)
    connection.sendall(sent)
    return connection


def is_served(control: Control) -> bool:
    return ask(control, "GET", "/healthz", None, Authorization=f"Bearer {TOKEN}")[0] == 200


def status_of(connection: socket.socket) -> int:
    """Return the status of the next answer, which is read whole; 0 if the connection ends."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        more = connection.recv(1)
        if not more:
            return 0
        head += more
    length = next((int(line.split(b":")[1]) for line in head.split(b"\r\n")
                   if line.lower().startswith(b"content-length")), 0)
    while length:
        length -= len(connection.recv(length))
    return int(head.split()[1])


@pytest.mark.parametrize("sent", [b"", b"G", HEAD, b"GET / HTTP/1.1\r\nx: " + b"y" * 8000])
def test_silent_strangers_do_not_shut_the_owner_out(control: Control, opened: ExitStack, sent: bytes) -> None:
    threads = threading.active_count()
    kept = connect(control, opened, HEAD + PASS + b"\r\n")
    assert status_of(kept) == 200
    for number in range(2 * MAX_WAITING):
        connect(control, opened, sent)
        if number % MAX_WAITING == 0:
            assert is_served(control)
    assert is_served(control) and control._server.doorway.waiting() <= MAX_WAITING
    wait_until(lambda: threading.active_count() <= threads + 1)
    # The connection that was authenticated before them is still there.
    kept.sendall(HEAD + PASS + b"\r\n")
    assert status_of(kept) == 200


@pytest.mark.parametrize("head", [HEAD, HEAD + b"Authorization: Bearer wrong\r\n", b"GET / HTTP/1.1\r\n"])
def test_a_wrong_token_takes_no_place(control: Control, opened: ExitStack, head: bytes) -> None:
    strangers = [connect(control, opened, head + b"\r\n") for _ in range(80)]
    assert {status_of(each) for each in strangers} == {401}
    assert not control._server._deadlines
    assert is_served(control)


def test_a_connection_that_loses_its_token_loses_its_place(control: Control, opened: ExitStack) -> None:
    connection = connect(control, opened, HEAD + PASS + b"\r\n")
    assert status_of(connection) == 200
    connection.sendall(HEAD + b"\r\n")
    assert status_of(connection) == 401 and connection.recv(1) == b""
    wait_until(lambda: not control._server._deadlines)


def test_an_address_with_many_connections_closes_its_own(
        broker: Broker, opened: ExitStack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_doorway, "MAX_WAITING", 4)
    with Control(broker) as control:
        first = connect(control, opened, HEAD)
        wait_until(lambda: control._server.doorway.waiting() == 1)
        try:
            for _ in range(20):
                connect(control, opened, b"G", source="127.0.0.2")
        except OSError:
            pytest.skip("this system has no second loopback address")
        first.sendall(b"\r\n")
        assert status_of(first) == 200


def test_the_oldest_goes_first(broker: Broker, opened: ExitStack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_doorway, "MAX_WAITING", 2)
    with Control(broker) as control:
        oldest, second = connect(control, opened, b"G"), connect(control, opened, b"G")
        wait_until(lambda: control._server.doorway.waiting() == 2)
        connect(control, opened, b"G")
        assert oldest.recv(1) == b""
        second.sendall(HEAD[1:] + b"\r\n")
        assert status_of(second) == 200


def test_a_head_has_its_time(broker: Broker, opened: ExitStack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_doorway, "HEAD_S", 0.1)
    with Control(broker) as control:
        for sent in (b"", HEAD):
            assert connect(control, opened, sent).recv(1) == b""


@pytest.mark.parametrize("sent, status", [
    (b"GET / HTTP/1.1\r\n" + b"x" * (MAX_HEAD_BYTES + 5000), 431),
    (b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 101 + b"\r\n", 400),
    (HEAD + b"Host: [\r\n\r\n", 403), (HEAD + b"Host: localhost\r\n\r\n", 403),
    (b"GET / HTTP/1.1\r\nHost: [\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\nHost: attacker.example\r\n\r\n", 403),
    (b"GET / HTTP/1.1\r\nHost: localhost.attacker.example\r\n\r\n", 403), (b"\r\n\r\n", 403),
    (b"GET /\r\n\r\n", 403),
    (b"\0" * 100 + b"\r\n\r\n", 403)])
def test_a_head_that_is_refused(broker: Broker, opened: ExitStack, sent: bytes, status: int) -> None:
    with Control(broker) as control:
        answer = raw(control, sent)
        assert answer.startswith(f"HTTP/1.1 {status} ".encode())
        told = json.loads(answer.partition(b"\r\n\r\n")[2])
        assert set(told) == {"error", "message"}


def test_a_refusal_is_read_before_the_connection_ends(
        broker: Broker, opened: ExitStack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_doorway, "LINGER_S", 0.1)
    with Control(broker, token=TOKEN) as control:
        head = b"POST / HTTP/1.1\r\nContent-Length: 99999\r\n\r\n"
        stranger = connect(control, opened, head + b"x" * 50_000)
        assert status_of(stranger) == 401
        # It has not closed its side, and sends no more: it is closed all the same.
        wait_until(lambda: control._server.doorway.waiting() == 0)


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_requests_arrive_in_pieces_or_together(control: Control, opened: ExitStack, size: int) -> None:
    body = b'{"records": ["v"]}'
    post = (f"POST /topics/{TOPIC}/records HTTP/1.1\r\nHost: localhost\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n").encode()
    get = HEAD + PASS + b"\r\n"
    sent = get + post + PASS + b"\r\n" + body + get
    connection = connect(control, opened)
    for start in range(0, len(sent), size):
        connection.sendall(sent[start:start + size])
    connection.shutdown(socket.SHUT_WR)
    assert [status_of(connection) for _ in range(4)] == [200, 200, 200, 0]


def test_half_a_head_and_the_end(control: Control) -> None:
    assert raw(control, HEAD) == b"" and is_served(control)


def test_a_body_is_asked_for_once_and_only_with_the_token(control: Control, opened: ExitStack) -> None:
    head = (f"POST /topics/{TOPIC}/records HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
            "Content-Type: application/json\r\nContent-Length: 18\r\n").encode()
    owner = connect(control, opened, head + PASS + b"\r\n")
    assert status_of(owner) == 100
    owner.sendall(b'{"records": ["v"]}')
    assert status_of(owner) == 200
    assert status_of(connect(control, opened, head + b"\r\n")) == 401


def test_a_full_port_says_so(broker: Broker, opened: ExitStack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_module, "_MAX_CONNECTIONS", 2)
    with Control(broker) as control:
        both = [connect(control, opened, HEAD + b"\r\n") for _ in range(2)]
        assert [status_of(each) for each in both] == [200, 200]
        assert ask(control, "GET", "/healthz") == (503, {
            "error": "Busy", "message": "the port has 2 connections: close one, or try again"})
        both[0].close()
        wait_until(lambda: ask(control, "GET", "/healthz")[0] == 200)


def test_an_error_in_the_checks_ends_one_connection(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(headers: Message[str, str]) -> None:
        raise RuntimeError("a fault of the port")

    with Control(broker) as control:
        with monkeypatch.context() as patch:
            patch.setattr(control._server.doorway, "_check", fail)
            assert ask(control, "GET", "/healthz")[0] == 500
        assert ask(control, "GET", "/healthz")[0] == 200


def test_no_more_threads(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: Any) -> None:
        raise RuntimeError("can't start new thread")

    with Control(broker) as control:
        with monkeypatch.context() as patch:
            patch.setattr(control._server, "process_request", fail)
            assert ask(control, "GET", "/healthz")[0] == 503
        assert ask(control, "GET", "/healthz")[0] == 200
        wait_until(lambda: not control._server._received)


def test_no_more_descriptors(opened: ExitStack) -> None:
    class Full(socket.socket):
        is_full = False

        def accept(self) -> Any:
            if self.is_full:
                raise OSError(errno.EMFILE, "Too many open files")
            return super().accept()

    def check(headers: Message[str, str]) -> None:
        raise AssertionError

    def admit(connection: socket.socket, received: bytes) -> None:
        raise AssertionError

    listener = opened.enter_context(Full())
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    doorway = Doorway(listener, check, admit)
    thread = threading.Thread(target=doorway.serve, args=(lambda: None,))
    thread.start()
    try:
        address = listener.getsockname()
        first = opened.enter_context(socket.create_connection(address, 120))
        wait_until(lambda: doorway.waiting() == 1)
        listener.is_full = True
        second = opened.enter_context(socket.create_connection(address, 120))
        # The oldest gives up its descriptor for the next.
        assert first.recv(1) == b""
        listener.is_full = False
        wait_until(lambda: doorway.waiting() == 1)
        assert second.fileno() >= 0
    finally:
        doorway.stop()
        thread.join()


def test_a_host_without_connections_takes_no_memory(opened: ExitStack) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        doorway = Doorway(listener, lambda headers: None, lambda connection, received: None)
        try:
            for _ in range(2):
                opened.enter_context(socket.create_connection(listener.getsockname(), 120))

            def are_there() -> bool:
                doorway._accept()
                return doorway.waiting() == 2

            wait_until(are_there)
            assert doorway._close_oldest() and doorway._count_by_host == {"127.0.0.1": 1}
            assert doorway._close_oldest() and not list(doorway._count_by_host)
            assert not doorway._close_oldest()
        finally:
            doorway.close()


def test_close_ends_connections_that_wait(broker: Broker, opened: ExitStack) -> None:
    control = Control(broker)
    connection = connect(control, opened, b"G")
    wait_until(lambda: control._server.doorway.waiting() == 1)
    control.close()
    assert connection.recv(1) == b""
    with pytest.raises(OSError):
        socket.create_connection((control.host, control.port), 120)
