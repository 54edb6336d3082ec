# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.SelectorTest of Apache Kafka 0.10.2.2 and 0.10.1.1,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The selector against an echo server. The cases are the same at both tags.

A test of another release or transport imports these, and puts its own fixtures in.
"""

from __future__ import annotations

import fcntl
import socket
import sys
import termios
from typing import Any, Iterator

import pytest

from kreactor.common.metrics.metrics import Metrics
from kreactor.editions.v0_10_2.common.network.channel_builder import ChannelBuilder
from kreactor.editions.v0_10_2.common.network.network_send import NetworkSend
from kreactor.editions.v0_10_2.common.network.selector import Selector
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.net import InetSocketAddress
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.testing.mock_time import MockTime
from tests.common.network.echo_server import EchoServer
from tests.common.network.network_test_utils import (
    BUFFER_SIZE,
    CONNECTION_MAX_IDLE_MS,
    as_string,
    create_channel_builder,
    framed,
    random_string,
    wait_for_condition,
)


@pytest.fixture
def server() -> Iterator[EchoServer]:
    server = EchoServer()
    server.start()
    yield server
    server.close()


@pytest.fixture
def time() -> MockTime:
    return MockTime()


@pytest.fixture
def edition() -> Any:
    """The selector and the channel builder of the release under test."""
    return Selector, ChannelBuilder


@pytest.fixture
def parts():
    """The builder of 3.8.0 that makes the channels' parts."""
    return create_channel_builder()


@pytest.fixture
def metrics() -> Iterator[Metrics]:
    with Metrics() as metrics:
        yield metrics


@pytest.fixture
def selector(edition, server, time, parts, metrics):
    selector_class, builder_class = edition
    selector = selector_class(CONNECTION_MAX_IDLE_MS, metrics, time, "MetricGroup", builder_class(parts))
    yield selector
    selector.close()


def test_server_disconnect(selector, server):
    node = "0"
    blocking_connect(selector, server, node)
    assert blocking_request(selector, node, "hello") == "hello"

    server.close_connections()
    wait_for_condition(lambda: poll(selector, 1000) and node in selector.disconnected(), "not disconnected")

    blocking_connect(selector, server, node)
    assert blocking_request(selector, node, "hello") == "hello"


def test_cant_send_with_in_progress(selector, server):
    node = "0"
    blocking_connect(selector, server, node)
    selector.send(create_send(node, "test1"))
    with pytest.raises(IllegalStateException, match="prior send operation still in progress"):
        selector.send(create_send(node, "test2"))


def test_cant_send_without_connecting(selector):
    with pytest.raises(IllegalStateException, match="Connection id 0 existing connections"):
        selector.send(create_send("0", "test"))


def test_no_route_to_host(selector, server):
    address = InetSocketAddress.create_unresolved("asdf.asdf.dsc", server.port)
    with pytest.raises(OSError, match="Can't resolve address"):
        selector.connect("0", address, BUFFER_SIZE, BUFFER_SIZE)


def test_connection_refused(selector):
    node = "0"
    with socket.socket() as not_listening:
        not_listening.bind(("127.0.0.1", 0))
        selector.connect(node, InetSocketAddress(*not_listening.getsockname()), BUFFER_SIZE, BUFFER_SIZE)
        wait_for_condition(lambda: poll(selector, 1000) and node in selector.disconnected(), "not refused")
    assert not selector.connected()


def test_normal_operation(selector, server):
    conns, reqs = 5, 500
    for i in range(conns):
        connect(selector, server, str(i))
    for i in range(conns):
        selector.send(create_send(str(i), f"{i}-0"))
    requests = dict.fromkeys(map(str, range(conns)), 0)
    responses = dict.fromkeys(map(str, range(conns)), 0)

    while sum(responses.values()) < conns * reqs:
        selector.poll(1000)
        assert not selector.disconnected()

        for receive in selector.completed_receives():
            assert receive.payload().position() == 0
            source, counter = as_string(receive).split("-")
            assert source == receive.source()
            assert int(counter) == responses[source]
            responses[source] += 1

        for send in selector.completed_sends():
            dest = send.destination()
            requests[dest] += 1
            if requests[dest] < reqs:
                selector.send(create_send(dest, f"{dest}-{requests[dest]}"))


def test_send_large_request(selector, server):
    node = "0"
    blocking_connect(selector, server, node)
    big = random_string(10 * BUFFER_SIZE)
    assert blocking_request(selector, node, big) == big


def test_large_message_sequence(selector, server):
    node = "0"
    connect(selector, server, node)
    send_and_receive(selector, node, random_string(512 * 1024), 0, 50)


def test_empty_request(selector, server):
    blocking_connect(selector, server, "0")
    assert blocking_request(selector, "0", "") == ""


def test_existing_connection_id(selector, server):
    blocking_connect(selector, server, "0")
    with pytest.raises(IllegalStateException, match="already a connection for id 0$"):
        blocking_connect(selector, server, "0")


def test_mute(selector, server):
    blocking_connect(selector, server, "0")
    blocking_connect(selector, server, "1")
    selector.send(create_send("0", "hello"))
    selector.send(create_send("1", "hi"))
    selector.mute("1")

    wait_for_condition(lambda: poll(selector) and selector.completed_receives(), "no response")
    assert [receive.source() for receive in selector.completed_receives()] == ["0"]

    selector.unmute("1")
    wait_for_condition(lambda: poll(selector) and selector.completed_receives(), "no response")
    assert [receive.source() for receive in selector.completed_receives()] == ["1"]


def test_nothing_is_read_while_receives_are_staged(selector):
    """One poll may stage much, but none reads more of a channel before all of it is handed out."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        selector.connect("0", InetSocketAddress(*listener.getsockname()), BUFFER_SIZE, BUFFER_SIZE)
        wait_for_condition(lambda: poll(selector) and selector.is_channel_ready("0"), "not ready")
        peer, _ = listener.accept()
    [key] = selector._nio_selector.keys()
    fd = key.channel().fileno()

    def waiting() -> int:
        """Return how many bytes nobody has read yet."""
        return int.from_bytes(fcntl.ioctl(fd, termios.FIONREAD, bytes(4)), sys.byteorder)

    def send(*payloads: bytes) -> None:
        data = b"".join(map(framed, payloads))
        before = waiting()
        peer.sendall(data)
        wait_for_condition(lambda: waiting() == before + len(data), "it does not come")

    def received() -> list[str]:
        selector.poll(0)
        return [as_string(receive) for receive in selector.completed_receives()]

    with peer:
        send(b"a", b"b", b"c")
        assert (received(), waiting()) == (["a"], 0)
        send(b"d")
        assert (received(), waiting()) == (["b"], 5)
        selector.mute("0")
        send(b"e", b"f")
        for _ in range(3):
            assert (received(), waiting()) == ([], 15)
        selector.unmute("0")
        assert (received(), waiting()) == (["c"], 15)
        assert (received(), waiting()) == (["d"], 0)
        assert [received() for _ in range(3)] == [["e"], ["f"], []]


def test_close_oldest_connection(selector, server, time):
    blocking_connect(selector, server, "0")
    # The tickets that a TLS 1.3 server sends after its handshake come before its answer.
    assert blocking_request(selector, "0", "hello") == "hello"
    time.sleep(CONNECTION_MAX_IDLE_MS + 1_000)
    selector.poll(0)
    assert selector.disconnected() == ["0"]


def poll(selector, timeout_ms: int = 100) -> bool:
    selector.poll(timeout_ms)
    return True


def connect(selector, server, node: str) -> None:
    selector.connect(node, server.address, BUFFER_SIZE, BUFFER_SIZE)


def blocking_connect(selector, server, node: str) -> None:
    selector.connect(node, server.address, BUFFER_SIZE, BUFFER_SIZE)
    wait_for_condition(lambda: poll(selector) and selector.is_channel_ready(node), "not ready")


def blocking_request(selector, node: str, content: str) -> str:
    selector.send(create_send(node, content))
    answers: list[str] = []

    def answered() -> bool:
        selector.poll(1000)
        answers.extend(as_string(receive) for receive in selector.completed_receives()
                       if receive.source() == node)
        return bool(answers)

    wait_for_condition(answered, "no response")
    return answers[0]


def create_send(node: str, content: str) -> NetworkSend:
    return NetworkSend(node, ByteBuffer.wrap(content.encode()))


def send_and_receive(selector, node: str, prefix: str, start: int, end: int) -> None:
    requests = responses = start
    selector.send(create_send(node, f"{prefix}-{start}"))
    requests += 1
    while responses < end:
        selector.poll(1000)
        assert not selector.disconnected()
        for receive in selector.completed_receives():
            assert as_string(receive) == f"{prefix}-{responses}"
            responses += 1
        for _ in list(selector.completed_sends()):
            if requests < end:
                selector.send(create_send(node, f"{prefix}-{requests}"))
                requests += 1
