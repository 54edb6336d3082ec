# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Memory, descriptors and counts: all of it comes back, whatever a client or the host does."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import sys
import threading
import time as real_time
from pathlib import Path
from typing import Any, Callable, Iterator

import psutil
import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.network.kafka_channel import KafkaChannel
from kreactor.core.network.acceptor import Acceptor
from kreactor.core.network.connection_quotas import ConnectionQuotas
from kreactor.core.network.processor import Processor
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.network.socket_server import SocketServer
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.jdk import nio_selector
from kreactor.jdk.net import InetAddress
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import SocketChannel
from kreactor.testing.mock_time import MockTime
from tests.core.network.opaque import APIS, Client, Echo, answer, framed, request_bytes
from tests.core.network.servers import (
    Servers,
    assert_closed_by_server,
    assert_nothing_left_of_acceptor,
    assert_nothing_left_of_processor,
    listeners_props,
    plaintext_props,
    receive_request,
    receive_response,
    reset,
    send_request,
    wait_for_no_connections,
)
from tests.core.network.short_of_descriptors import LEFT
from tests.core.network.test_socket_server import make_channel_with_buffered_requests_and_close_remote
from tests.core.network.testable_server import TestableSocketServer
from tests.stepping import stopped_at, wait_until

REQUEST_MAX = 10_000
POOL_SIZE = 30_000


def props(**overrides: str) -> dict[str, str]:
    return plaintext_props(
        queued_max_request_bytes=str(POOL_SIZE), socket_request_max_bytes=str(REQUEST_MAX), **overrides)


@pytest.fixture
def server(servers: Servers) -> SocketServer:
    return servers.start(props(), apis=APIS)


def acceptor_of(server: SocketServer) -> Acceptor:
    [acceptor] = server._data_plane_acceptors.values()
    return acceptor


def wait_for_full_pool(server: SocketServer) -> None:
    wait_until(lambda: server._memory_pool.available_memory() == POOL_SIZE, "memory has not come back")


# Memory.


@pytest.mark.deviation("D03")
@pytest.mark.parametrize("request_", [
    bytes(9_000),                                          # a produce, which is not served
    struct.pack(">hhih", -1, 0, 0, -1) + bytes(9_000),     # no such API
    struct.pack(">hhihi", 36, 0, 0, -1, 9_500) + bytes(9_000),  # a body that is cut short
    struct.pack(">hhih", 36, 0, 0, 9_999) + bytes(9_000),  # a client id that is cut short
    request_bytes(bytes(9_000), version=77),
], ids=["disabled", "unknown", "short body", "short header", "version"])
def test_memory_of_requests_that_are_refused(servers: Servers, server: SocketServer, request_: bytes) -> None:
    """Many more requests than the pool has room for."""
    servers.serve(server, Echo(server.data_plane_request_channel))
    for _ in range(8):
        sock = servers.connect(server)
        send_request(sock, request_)
        assert_closed_by_server(sock)
    wait_for_full_pool(server)
    assert Client(servers.connect(server)).call(b"x" * 9_000) == b"x" * 9_000


@pytest.mark.deviation("D03")
def test_memory_of_refused_requests_with_strict_fidelity(servers: Servers) -> None:
    """As in Kafka it is lost: after three such requests no other request is read."""
    server = servers.start(props(kreactor_fidelity="strict"), apis=APIS)
    servers.serve(server, Echo(server.data_plane_request_channel))
    request = struct.pack(">hhih", -1, 0, 0, -1) + bytes(9_990)
    for count in range(1, 4):
        sock = servers.connect(server)
        send_request(sock, request)
        assert_closed_by_server(sock)
        assert server._memory_pool.available_memory() == POOL_SIZE - count * len(request)
    sock = servers.connect(server)
    send_request(sock, request_bytes(b"x"))
    wait_until(acceptor_of(server).processors()[0].selector.is_out_of_memory)
    sock.setblocking(False)
    with pytest.raises(BlockingIOError):
        sock.recv(1)
    # Nothing but memory is missing.
    sock.setblocking(True)
    for _ in range(3):
        server._memory_pool.release(ByteBuffer.allocate(len(request)))
    assert receive_response(sock).endswith(b"x")


def test_memory_of_requests_that_are_never_complete(servers: Servers, server: SocketServer) -> None:
    for leave in (socket.socket.close, reset):
        sock = servers.connect(server)
        sock.sendall(framed(bytes(9_000))[:5_000])
        wait_until(lambda: server._memory_pool.available_memory() < POOL_SIZE)
        leave(sock)
        wait_for_full_pool(server)


def test_memory_of_a_connection_that_expires_in_the_middle_of_a_request(servers: Servers) -> None:
    server = servers.start(props(connections_max_idle_ms="60000"), apis=APIS, time=MockTime())
    sock = servers.connect(server)
    sock.sendall(framed(bytes(9_000))[:5_000])
    wait_until(lambda: server._memory_pool.available_memory() < POOL_SIZE)

    def expired() -> bool:
        server.time.sleep(60_001)
        acceptor_of(server).processors()[0].wakeup()
        return server.connection_quotas._total_count == 0

    wait_until(expired)
    assert_closed_by_server(sock)
    wait_for_full_pool(server)


def test_memory_of_requests_whose_session_has_expired(
    servers: Servers, server: SocketServer, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(KafkaChannel, "server_authentication_session_expired", lambda *_: True)
    for i in range(5):
        client = Client(servers.connect(server))
        client.send(bytes(9_000))
        assert_closed_by_server(client.sock)
    wait_for_no_connections(server)
    wait_for_full_pool(server)
    assert server.data_plane_request_channel._request_queue.is_empty()
    name = server.metrics.metric_name(
        "expired-connections-killed-count", "socket-server-metrics", "",
        acceptor_of(server).processors()[0].metric_tags)
    metric = server.metrics.metric(name)
    assert metric is not None
    wait_until(lambda: metric.metric_value() == 5)
    assert server._data_plane_expired_connections_killed_count() == 5


@pytest.mark.deviation("D03")
def test_memory_of_requests_that_wait_when_the_server_stops(servers: Servers, server: SocketServer) -> None:
    clients = [Client(servers.connect(server)) for _ in range(3)]
    for client in clients:
        client.send(bytes(8_000))
    wait_until(lambda: server.data_plane_request_channel._request_queue.size() == 3)
    assert server._memory_pool.available_memory() < 6_000
    servers.stop(server)
    assert server._memory_pool.available_memory() == POOL_SIZE


def test_memory_of_a_request_with_a_handler_when_the_server_stops(
    servers: Servers, server: SocketServer,
) -> None:
    class Slow(Echo):
        def wait(self, request: RequestChannel.Request) -> None:
            pass

    handler = Slow(server.data_plane_request_channel)
    handler._before = lambda request: handler.wait(request)
    pool = servers.serve(server, handler)
    with stopped_at(handler, "wait") as stop:
        Client(servers.connect(server)).send(bytes(8_000))
        stop.wait()
        server.stop_processing_requests()
        assert server._memory_pool.available_memory() < POOL_SIZE
    pool.shutdown()
    assert server._memory_pool.available_memory() == POOL_SIZE


def test_who_finds_no_memory_waits_for_it(servers: Servers, server: SocketServer) -> None:
    """A pool gives while a byte is left; who comes then is muted until something is given back."""
    channel = server.data_plane_request_channel
    clients = [Client(servers.connect(server)) for _ in range(12)]
    for client in clients:
        client.send(bytes(9_000))
    wait_until(lambda: channel._request_queue.size() == 4)
    selector = acceptor_of(server).processors()[0].selector
    wait_until(lambda: sum(channel.is_muted() for channel in selector.channels()) == 12)
    assert server._memory_pool.is_out_of_memory()
    assert channel._request_queue.size() == 4
    for _ in clients:
        request = receive_request(channel)
        answer(channel, request, b"")
        request.release_buffer()
    for client in clients:
        assert client.receive() == (0, b"")
    wait_for_full_pool(server)


# Descriptors.


@pytest.fixture
def short_of_descriptors() -> Iterator[subprocess.Popen[str]]:
    """Run the server that may open only a few more."""
    env = dict(os.environ, PYTHONPATH=os.pathsep.join([str(Path.cwd()), *sys.path]))
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.core.network.short_of_descriptors"], env=env, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            assert stream is not None
            stream.close()


@pytest.mark.deviation("D06")
def test_descriptors_run_out(short_of_descriptors: subprocess.Popen[str]) -> None:
    """The server says so, does not spin, serves whom it has, and goes on when descriptors are free again."""
    process = short_of_descriptors
    assert process.stdin and process.stdout and process.stderr
    log: list[str] = []
    reader = threading.Thread(target=lambda: log.extend(process.stderr or ()))
    reader.start()
    port = int(process.stdout.readline())
    clients = [Client(socket.create_connection(("localhost", port), 120)) for _ in range(LEFT)]
    try:
        for client in clients:
            assert client.call(b"hello") == b"hello"
        waiting = [Client(socket.create_connection(("localhost", port), 120)) for _ in range(3)]
        clients += waiting
        wait_until(lambda: any("Too many open files" in line for line in log), "it does not say so")

        usage = psutil.Process(process.pid)
        before, lines_before, begin = usage.cpu_times(), len(log), real_time.monotonic()

        def said() -> int:
            return sum("error while accepting" in line for line in log[lines_before:])

        while said() < 10:
            assert clients[0].call(b"still served") == b"still served"
            assert real_time.monotonic() < begin + 120, "it says so no more"
            real_time.sleep(0.05)
        seconds, after = real_time.monotonic() - begin, usage.cpu_times()
        assert after.user + after.system - before.user - before.system < 0.3 * seconds
        assert said() <= 15 * seconds, f"it says so {said()} times in {seconds} s"

        for client in clients[1:LEFT]:
            client.sock.close()
        for client in waiting:
            assert client.call(b"hello") == b"hello"
    finally:
        for client in clients:
            client.sock.close()
        process.stdin.close()
        reader.join()
        assert process.stdout.read() == "stopped\n"
        assert process.wait(120) == 0


# Connections that are turned away.


@pytest.mark.deviation("D05")
def test_throttled_connections_are_closed_at_their_own_time(servers: Servers) -> None:
    """Each when its address may come again, whoever else is throttled for longer.

    The origin looks at the one to be closed last, and closes none before.
    """
    time = MockTime()
    server = servers.make(props(quota_window_num="2"), apis=APIS, time=time)
    quotas = server.connection_quotas
    quotas.update_ip_connection_rate_quota(InetAddress.get_by_name("127.0.0.1"), 8)
    quotas.update_ip_connection_rate_quota(InetAddress.get_by_name("127.0.0.2"), 1)
    server.enable_request_processing({}).get(10_000)
    acceptor = acceptor_of(server)
    for count, source in ((8, "127.0.0.1"), (1, "127.0.0.2")):
        for _ in range(count):
            servers.connect(server, source=source)
    wait_until(lambda: quotas._total_count == 9)
    late = throttled_connection(servers, server, acceptor, "127.0.0.2")
    early = throttled_connection(servers, server, acceptor, "127.0.0.1")
    ends = sorted(entry.end_throttle_time_ms for entry in acceptor._throttled_sockets)
    assert time.milliseconds() < ends[0] < ends[1]

    # Closed when the time is over, not when it is up.
    time.sleep(ends[0] - time.milliseconds())
    go_round(acceptor)
    assert len(acceptor._throttled_sockets) == 2
    time.sleep(1)
    go_round(acceptor)
    assert [entry.end_throttle_time_ms for entry in acceptor._throttled_sockets] == [ends[1]]
    assert_closed_by_server(early)
    time.sleep(ends[1] - time.milliseconds() + 1)
    go_round(acceptor)
    assert_closed_by_server(late)
    assert quotas._total_count == 9


@pytest.mark.deviation("D05")
def test_throttled_connections_with_strict_fidelity(servers: Servers) -> None:
    """As in Kafka the connection that is throttled for longest is closed first."""
    time = MockTime()
    server = servers.make(props(quota_window_num="2", kreactor_fidelity="strict"), apis=APIS, time=time)
    quotas = server.connection_quotas
    quotas.update_ip_connection_rate_quota(InetAddress.get_by_name("127.0.0.1"), 8)
    quotas.update_ip_connection_rate_quota(InetAddress.get_by_name("127.0.0.2"), 1)
    server.enable_request_processing({}).get(10_000)
    acceptor = acceptor_of(server)
    for count, source in ((8, "127.0.0.1"), (1, "127.0.0.2")):
        for _ in range(count):
            servers.connect(server, source=source)
    wait_until(lambda: quotas._total_count == 9)
    late = throttled_connection(servers, server, acceptor, "127.0.0.2")
    early = throttled_connection(servers, server, acceptor, "127.0.0.1")
    ends = sorted(entry.end_throttle_time_ms for entry in acceptor._throttled_sockets)
    time.sleep(ends[0] - time.milliseconds() + 1)
    go_round(acceptor)
    assert len(acceptor._throttled_sockets) == 2
    early.setblocking(False)
    with pytest.raises(BlockingIOError):
        early.recv(1)
    time.sleep(ends[1] - time.milliseconds() + 1)
    go_round(acceptor)
    assert_closed_by_server(late)
    early.setblocking(True)
    assert_closed_by_server(early)


def throttled_connection(
    servers: Servers, server: SocketServer, acceptor: Acceptor, source: str,
) -> socket.socket:
    known = len(acceptor._throttled_sockets)
    sock = servers.connect(server, source=source)
    wait_until(lambda: len(acceptor._throttled_sockets) == known + 1, "not throttled")
    return sock


def go_round(acceptor: Acceptor) -> None:
    """Let the acceptor's thread go through its loop once."""
    with stopped_at(acceptor, "_close_throttled_connections", after=True) as stop:
        acceptor.wakeup()
        stop.wait()


def test_counts_after_refused_connections(servers: Servers) -> None:
    server = servers.start(props(max_connections_per_ip="2"), apis=APIS)
    kept = [servers.connect(server) for _ in range(2)]
    for _ in range(20):
        assert_closed_by_server(servers.connect(server))
    assert server.connection_quotas._total_count == 2
    for sock in kept:
        sock.close()
    wait_for_no_connections(server)


def test_a_connection_that_cannot_be_registered_is_counted_out(
    servers: Servers, server: SocketServer, monkeypatch: pytest.MonkeyPatch,
) -> None:
    servers.serve(server, Echo(server.data_plane_request_channel))
    selector = acceptor_of(server).processors()[0].selector
    with monkeypatch.context() as patch:
        def fail(id: str, channel: SocketChannel) -> None:
            raise ValueError("test")

        patch.setattr(selector, "register", fail)
        for _ in range(3):
            assert_closed_by_server(servers.connect(server))
    wait_for_no_connections(server)
    assert Client(servers.connect(server)).call(b"hello") == b"hello"


LIMITS = {
    "max.connections.per.ip": ("8", "update_max_connections_per_ip", 8),
    "max.connections.per.ip.overrides": ("127.0.0.1:7", "update_max_connections_per_ip_override",
                                         {"127.0.0.1": 7}),
    "max.connections": ("6", "update_broker_max_connections", 6),
    "max.connection.creation.rate": ("5", "update_broker_max_connection_rate", 5),
}


@pytest.mark.parametrize("changed", [set(), *({name} for name in LIMITS), set(LIMITS)],
                         ids=lambda names: ",".join(sorted(names)))
def test_limits_that_are_changed_and_no_others_are_taken_over(
    servers: Servers, server: SocketServer, monkeypatch: pytest.MonkeyPatch, changed: set[str],
) -> None:
    calls: list[tuple[str, object]] = []
    for name in dir(ConnectionQuotas):
        if name.startswith("update_"):
            monkeypatch.setattr(server.connection_quotas, name,
                                lambda value, name=name: calls.append((name, value)))
    new_config = KafkaConfig.from_props(props() | {name: LIMITS[name][0] for name in changed})
    server.reconfigure(server.config, new_config)
    assert calls == [(update, value) for name, (_, update, value) in LIMITS.items() if name in changed]
    assert server.reconfigurable_configs() == set(LIMITS)


def test_excess_connections_are_closed_one_a_round(servers: Servers) -> None:
    """The protected listener went over the limit of the broker: others make room, the least active first."""
    server = servers.start(listeners_props("INTERNAL", "EXTERNAL") | {
        "inter.broker.listener.name": "INTERNAL", "max.connections": "3",
        # Else it would have the limit of the broker for its own.
        "listener.name.internal.max.connections": "10"}, apis=APIS)
    servers.serve(server, Echo(server.data_plane_request_channel))
    external = [Client(servers.connect(server, "EXTERNAL")) for _ in range(3)]
    for client in (*external, external[0]):
        client.call(b"hello")
    internal = []
    for expected in (external[1], external[2], external[0]):
        internal.append(Client(servers.connect(server, "INTERNAL")))
        assert internal[-1].call(b"hello") == b"hello"
        assert_closed_by_server(expected.sock)
    wait_until(lambda: server.connection_quotas._total_count == 3)
    # One more has no one to make room, and gets in all the same.
    assert Client(servers.connect(server, "INTERNAL")).call(b"hello") == b"hello"
    assert [client.call(b"still here") for client in internal] == [b"still here"] * 3


# Servers that cannot be made.


class Made:
    """The parts of a server that were made so far."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.acceptors: list[Acceptor] = []
        self.processors: list[Processor] = []
        Servers._watch(monkeypatch, Acceptor, self.acceptors)
        Servers._watch(monkeypatch, Processor, self.processors)

    def assert_nothing_left(self) -> None:
        for acceptor in self.acceptors:
            assert_nothing_left_of_acceptor(acceptor)
        for processor in self.processors:
            assert_nothing_left_of_processor(processor)


@pytest.mark.deviation("D08")
@pytest.mark.parametrize("listeners, error", [
    # An address that no host has (RFC 5737).
    ("PLAINTEXT://localhost:0,OTHER://192.0.2.1:0", KafkaException),
    ("PLAINTEXT://localhost:0,OTHER://no.such.host.invalid:0", KafkaException),
    ("PLAINTEXT://localhost:0,SASL://localhost:0", ConfigException),
])
def test_a_server_with_a_listener_that_cannot_be_made(
    servers: Servers, monkeypatch: pytest.MonkeyPatch, listeners: str, error: type[Exception],
) -> None:
    made = Made(monkeypatch)
    with pytest.raises(error):
        servers.make(plaintext_props(
            listeners=listeners,
            listener_security_protocol_map="PLAINTEXT:PLAINTEXT,OTHER:PLAINTEXT,SASL:SASL_PLAINTEXT"))
    assert made.acceptors
    made.assert_nothing_left()


def test_a_server_that_finds_no_descriptors(servers: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server fails at each step of its start."""
    open_selector = nio_selector.Selector.open
    made_before: list[int] = []
    for allowed in range(100):
        left = allowed

        def open_if_allowed() -> nio_selector.Selector:
            nonlocal left
            if left == 0:
                raise OSError(24, "Too many open files")
            left -= 1
            return open_selector()

        with monkeypatch.context() as patch:
            patch.setattr(nio_selector.Selector, "open", staticmethod(open_if_allowed))
            made = Made(patch)
            descriptors = psutil.Process().num_fds()
            try:
                server = servers.make(listeners_props("INTERNAL", "EXTERNAL", "CONTROLLER") | {
                    "inter.broker.listener.name": "INTERNAL", "control.plane.listener.name": "CONTROLLER",
                    "num.network.threads": "3"})
            except (OSError, KafkaException):
                made.assert_nothing_left()
                assert psutil.Process().num_fds() == descriptors
                made_before.append(len(made.acceptors) + len(made.processors))
                continue
        # An acceptor and a processor, and twice an acceptor and three processors.
        assert made_before == list(range(10))
        servers.stop(server)
        return


def test_quotas_that_cannot_be_made(servers: Servers) -> None:
    with pytest.raises(OSError):
        servers.make(props(max_connections_per_ip_overrides="no.such.host.invalid:5"))


def test_a_server_stops_before_it_has_started(servers: Servers) -> None:
    server = servers.make(props(), apis=APIS)
    sock = servers.connect(server)
    server.shutdown()
    server.shutdown()
    assert_closed_by_server(sock)
    for call in (lambda: server.enable_request_processing({}), lambda: server.add_listeners([])):
        with pytest.raises(RuntimeError, match="SocketServer is stopped"):
            call()


@pytest.mark.deviation("D19")
def test_shutdown_does_not_end_at_the_first_error(
    servers: Servers, server: SocketServer, monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """An error in one connection's close does not keep the others open."""
    clients = [servers.connect(server) for _ in range(3)]
    processor = acceptor_of(server).processors()[0]
    wait_until(lambda: len(processor.selector.channels()) == 3)
    close_id = processor.selector.close_id
    failed: list[Any] = []

    def fail_once(id: str) -> None:
        close_id(id)
        if not failed:
            failed.append(id)
            raise ValueError("test")

    monkeypatch.setattr(processor.selector, "close_id", fail_once)
    server.shutdown()
    for sock in clients:
        assert_closed_by_server(sock)
    assert "test" in caplog.text


def test_a_channel_is_counted_once_by_whichever_of_its_ends_comes_first(
    servers: Servers, server: SocketServer, monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every connection counted in is counted out exactly once: more would raise, fewer would be seen."""
    counted: list[str] = []
    for name in ("inc", "dec"):
        original: Callable[..., Any] = getattr(ConnectionQuotas, name)

        def counting(*args: Any, name: str = name, original: Callable[..., Any] = original) -> None:
            counted.append(name)
            original(*args)

        monkeypatch.setattr(server.connection_quotas, name, counting.__get__(server.connection_quotas))
    servers.serve(server, Echo(server.data_plane_request_channel))
    for leave in (socket.socket.close, reset, lambda sock: sock.sendall(struct.pack(">i", -1))):
        client = Client(servers.connect(server))
        client.call(b"hello")
        leave(client.sock)
    wait_for_no_connections(server)
    assert sorted(counted) == ["dec"] * 3 + ["inc"] * 3


@pytest.mark.deviation("D01")
def test_a_closing_channel_is_counted_out_when_its_server_stops(servers: Servers) -> None:
    server = servers.start(plaintext_props(), make=TestableSocketServer)
    assert isinstance(server, TestableSocketServer)
    request = make_channel_with_buffered_requests_and_close_remote(servers, server, make_closing=True)
    connection_id = request.context.connection_id
    wait_until(lambda: server.testable_processor().selector.closing_channel(connection_id))
    assert server.connection_quotas._total_count == 1
    servers.stop(server)
    assert server.connection_quotas._total_count == 0
