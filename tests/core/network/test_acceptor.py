# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The acceptor where no other test looks: what it sets on its sockets, and how many threads it may have."""

from __future__ import annotations

import errno
import logging
import select
import socket

import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.network.listener_name import ListenerName
from kreactor.core.network.acceptor import Acceptor
from kreactor.core.network.connection_quotas import ConnectionThrottledException
from kreactor.core.network.data_plane_acceptor import DataPlaneAcceptor
from kreactor.core.network.socket_server import SocketServer
from kreactor.jdk.concurrent import CompletableFuture
from kreactor.jdk.net import InetAddress, Socket
from kreactor.jdk.nio_channels import ServerSocketChannel
from kreactor.jdk.nio_selector import SelectionKey
from kreactor.server.metrics.yammer import Meter
from tests.core.network.opaque import APIS
from tests.core.network.servers import Servers, listeners_props, plaintext_props, yammer_metric_names
from tests.stepping import WOKEN_S, held_up_by, overtaken_by_the_sleeper, wait_until

# Linux keeps twice of what it is asked for.
ASKED, KEPT = "60000", 120_000


def sockets_of(servers: Servers, **overrides: str) -> tuple[Socket, Socket]:
    """Return the listening socket of a server, and an accepted one."""
    server = servers.start(plaintext_props(**overrides), apis=APIS)
    acceptor = acceptor_of(server)
    servers.connect(server)
    [processor] = acceptor.processors()
    wait_until(processor.selector.channels, "no connection")
    [channel] = processor.selector.channels()
    assert acceptor._server_channel is not None
    return acceptor._server_channel.socket(), channel.selection_key().channel().socket()


def acceptor_of(server: SocketServer) -> Acceptor:
    [acceptor] = server._data_plane_acceptors.values()
    return acceptor


def test_buffers_are_as_large_as_the_settings_say(servers: Servers) -> None:
    listening, accepted = sockets_of(
        servers, socket_send_buffer_bytes=ASKED, socket_receive_buffer_bytes=ASKED)
    # The window is agreed on with the connection: it must be set before there is one.
    assert listening.get_receive_buffer_size() == accepted.get_receive_buffer_size() == KEPT
    assert accepted.get_send_buffer_size() == KEPT


def test_buffers_of_minus_one_are_the_systems(servers: Servers) -> None:
    untouched = ServerSocketChannel.open()
    default = untouched.socket().get_receive_buffer_size(), untouched.socket().get_send_buffer_size()
    untouched.close()
    listening, accepted = sockets_of(
        servers, socket_send_buffer_bytes="-1", socket_receive_buffer_bytes="-1")
    assert (listening.get_receive_buffer_size(), listening.get_send_buffer_size()) == default
    assert accepted.get_send_buffer_size() != KEPT


@pytest.mark.deviation("D270")
def test_nobody_is_accepted_while_the_last_descriptors_are_in_use(
    servers: Servers, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
) -> None:
    module = "kreactor.core.network.acceptor"
    server = servers.start(plaintext_props(), apis=APIS)
    [processor] = acceptor_of(server).processors()
    looks: list[int] = []
    is_short = True

    def is_next_in_reserve(descriptor: int) -> bool:
        looks.append(descriptor)
        return is_short

    monkeypatch.setattr(f"{module}.is_in_reserve", lambda _: True)
    monkeypatch.setattr(f"{module}.is_next_in_reserve", is_next_in_reserve)
    servers.connect(server)
    wait_until(lambda: looks, "nobody looks whether there are descriptors again")
    assert len(processor.selector.channels()) <= 1
    monkeypatch.setattr(f"{module}.is_in_reserve", lambda _: False)
    servers.connect(server)
    seen = len(looks)
    wait_until(lambda: len(looks) > seen + 1, "nobody looks again")
    assert len(processor.selector.channels()) <= 1 and "accepting connections again" not in caplog.text
    is_short = False
    wait_until(lambda: len(processor.selector.channels()) == 2, "nobody is accepted again")
    assert caplog.text.count("not accepting connections") == 1
    assert caplog.text.count("accepting connections again") == 1


@pytest.mark.parametrize("option", ["get_tcp_no_delay", "get_keep_alive"])
def test_what_every_connection_gets(servers: Servers, option: str) -> None:
    _, accepted = sockets_of(servers)
    assert getattr(accepted, option)()


THREADS = "num.network.threads"


@pytest.mark.parametrize(("threads", "message"), [
    ("-1", "value should be at least 1"), (0, "value should be at least 1"),
    (1, "value should be at least half the current value 5"), (2, None), (5, None), ("10", None),
    (11, "value should not be greater than double the current value 5")])
def test_the_number_of_network_threads_at_most_halves_or_doubles(
    servers: Servers, threads: object, message: str | None,
) -> None:
    acceptor = acceptor_of(servers.make(plaintext_props(num_network_threads="5"), apis=APIS))
    assert isinstance(acceptor, DataPlaneAcceptor)
    assert acceptor.reconfigurable_configs() == {THREADS}
    assert acceptor.listener_name().value() == "PLAINTEXT"
    acceptor.validate_reconfiguration({"num.io.threads": threads})
    if message is None:
        acceptor.validate_reconfiguration({THREADS: threads})
    else:
        with pytest.raises(ConfigException) as raised:
            acceptor.validate_reconfiguration({THREADS: threads})
        assert str(raised.value) == (
            f"Dynamic thread count update validation failed for {THREADS}={threads}, {message}")


def test_a_port_that_is_taken(servers: Servers) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        acceptor = acceptor_of(servers.make(plaintext_props(listeners=f"PLAINTEXT://localhost:{port}")))
        with pytest.raises(KafkaException, match=f"^Socket server failed to bind to localhost:{port}: Addr"):
            acceptor._open_server_socket("localhost", port, 1)


def test_listeners_are_added_under_the_lock_of_the_server(servers: Servers,
                                                          caplog: pytest.LogCaptureFixture) -> None:
    server = servers.start(listeners_props("PLAINTEXT", "A", inter_broker_listener_name="PLAINTEXT"),
                           apis=APIS)
    [added] = [end_point for end_point in server.config.data_plane_listeners()
               if end_point.listener_name().value() == "A"]
    server.remove_listeners([added])
    caplog.set_level(logging.INFO, "kreactor")
    with held_up_by(server, "_lock", lambda: server.add_listeners([added])) as adding:
        assert "adding data-plane listeners" not in caplog.text
    adding.result()
    assert "adding data-plane listeners" in caplog.text
    assert added in server._data_plane_acceptors


@pytest.mark.deviation("D15")
def test_the_meter_of_a_listener_goes_with_it(servers: Servers) -> None:
    server = servers.start(listeners_props("PLAINTEXT", "A", inter_broker_listener_name="PLAINTEXT"),
                           apis=APIS)
    [removed] = [end_point for end_point in server.config.data_plane_listeners()
                 if end_point.listener_name().value() == "A"]

    def meters() -> list[str]:
        return [name.rpartition("=")[2] for name in yammer_metric_names() if "AcceptorBlockedPercent" in name]

    assert sorted(meters()) == ["A", "PLAINTEXT"]
    server.remove_listeners([removed])
    assert meters() == ["PLAINTEXT"]


def test_network_threads_come_and_go(servers: Servers) -> None:
    acceptor = acceptor_of(servers.start(plaintext_props(num_network_threads="3"), apis=APIS))
    assert isinstance(acceptor, DataPlaneAcceptor)
    first, second, _ = acceptor.processors()
    acceptor.reconfigure({THREADS: "2"})
    assert acceptor.processors() == [first, second]
    acceptor.reconfigure({THREADS: "4"})
    assert len(acceptor.processors()) == 4 and acceptor.processors()[:2] == [first, second]
    acceptor.reconfigure({THREADS: "4"})
    assert len(acceptor.processors()) == 4


def test_listeners_that_are_added_before_authorizers_are_ready_start_with_them(servers: Servers) -> None:
    server = servers.make(listeners_props("PLAINTEXT", "A", "B", inter_broker_listener_name="PLAINTEXT"),
                          apis=APIS)
    first, *added = sorted(server.config.data_plane_listeners(),
                           key=lambda end_point: end_point.listener_name().value() != "PLAINTEXT")
    server.remove_listeners(added)
    authorizer: CompletableFuture[None] = CompletableFuture()
    enabled = server.enable_request_processing({first.to_java(): authorizer})
    server.add_listeners(added)
    acceptors = [server._data_plane_acceptors[end_point] for end_point in added]
    assert len(acceptors) == 2 and not any(acceptor.started_future.is_done() for acceptor in acceptors)
    authorizer.complete(None)
    enabled.get(20_000)
    for acceptor in acceptors:
        acceptor.started_future.get(20_000)


def test_a_stopped_server_makes_no_acceptors(servers: Servers) -> None:
    server = servers.make(listeners_props("PLAINTEXT", "CONTROLLER",
                                          control_plane_listener_name="CONTROLLER"), apis=APIS)
    server.shutdown()
    [data_plane] = server.config.data_plane_listeners()
    for create, endpoint in ((server._create_data_plane_acceptor_and_processors, data_plane),
                             (server._create_control_plane_acceptor_and_processor,
                              server.config.control_plane_listener())):
        assert endpoint is not None
        with pytest.raises(RuntimeError, match="SocketServer is stopped"):
            create(endpoint)
    with pytest.raises(RuntimeError, match="SocketServer is stopped"):
        server.add_listeners([data_plane])
    with pytest.raises(RuntimeError, match="SocketServer is stopped"):
        server.enable_request_processing({})


@pytest.mark.parametrize("where", ["_accept", "_close_throttled_connections"])
@pytest.mark.parametrize("error", [ValueError, SystemExit])
def test_nothing_that_is_raised_ends_an_acceptor(
    servers: Servers, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, where: str,
    error: type[BaseException],
) -> None:
    """It is logged with its cause, and those who come next are accepted."""
    server = servers.start(plaintext_props(), apis=APIS)
    acceptor = acceptor_of(server)
    original = getattr(acceptor, where)
    raised: list[BaseException] = []

    def fail_once(*args: object) -> object:
        if not raised:
            raised.append(error("ends the thread"))
            raise raised[0]
        return original(*args)

    monkeypatch.setattr(acceptor, where, fail_once)
    servers.connect(server)
    [processor] = acceptor.processors()
    wait_until(lambda: bool(raised))
    servers.connect(server)
    wait_until(processor.selector.channels, "no connection")
    wait_until(lambda: any(record.exc_info for record in caplog.records), "nothing is logged")
    assert [record.exc_info[1] for record in caplog.records if record.exc_info] == raised


def broken_accepts(monkeypatch: pytest.MonkeyPatch, acceptor: Acceptor, *outcomes: object) -> list[object]:
    """Let the next accepts have these outcomes, errors or None; return those to come."""
    server_channel = acceptor._server_channel
    assert server_channel is not None
    left = list(outcomes)

    def accept(channel: ServerSocketChannel) -> object:
        if channel is server_channel and left:
            outcome = left.pop(0)
            if isinstance(outcome, BaseException):
                raise outcome
            return outcome
        return original(channel)

    original = ServerSocketChannel.accept
    monkeypatch.setattr(ServerSocketChannel, "accept", accept)
    return left


def test_a_connection_that_is_gone_before_it_is_accepted(
    servers: Servers, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
) -> None:
    """The kernel has nothing to give, which is no error; the next one is accepted."""
    server = servers.start(plaintext_props(), apis=APIS)
    acceptor = acceptor_of(server)
    left = broken_accepts(monkeypatch, acceptor, None)
    servers.connect(server)
    [processor] = acceptor.processors()
    wait_until(processor.selector.channels, "no connection")
    assert not left and not caplog.records


@pytest.mark.parametrize("number, pauses", [(errno.EMFILE, True), (errno.ENFILE, True), (errno.ENOBUFS, True),
                                            (errno.ENOMEM, True), (errno.ECONNABORTED, False)])
def test_an_acceptor_without_resources_pauses(
    servers: Servers, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, number: int,
    pauses: bool,
) -> None:
    """It tells each failure once, and the connection waits in the kernel until there are resources."""
    server = servers.start(plaintext_props(), apis=APIS)
    acceptor = acceptor_of(server)
    waits: list[int] = []
    wait_for_resources = acceptor._wait_for_resources

    def noting(key: SelectionKey) -> None:
        wait_for_resources(key)
        waits.append(key.interest_ops())

    monkeypatch.setattr(acceptor, "_wait_for_resources", noting)
    error = OSError(number, "of the system")
    left = broken_accepts(monkeypatch, acceptor, error)
    servers.connect(server)
    [processor] = acceptor.processors()
    wait_until(processor.selector.channels, "no connection")
    assert not left and waits == ([SelectionKey.OP_ACCEPT] if pauses else [])
    [record] = caplog.records
    assert "error while accepting connection" in record.getMessage()
    assert record.exc_info is not None and record.exc_info[1] is error


def test_a_key_that_is_ready_for_something_else(
    servers: Servers, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
) -> None:
    server = servers.start(plaintext_props(), apis=APIS)
    acceptor = acceptor_of(server)
    original, asked = SelectionKey.is_acceptable, []

    def is_acceptable(key: SelectionKey) -> bool:
        asked.append(key)
        return len(asked) > 1 and original(key)

    monkeypatch.setattr(SelectionKey, "is_acceptable", is_acceptable)
    servers.connect(server)
    [processor] = acceptor.processors()
    wait_until(processor.selector.channels, "no connection")
    [record] = caplog.records
    assert record.exc_info is not None
    assert str(record.exc_info[1]) == "Unrecognized key state for acceptor thread."


@pytest.mark.parametrize("error, raised", [(OSError(errno.EACCES, "Not allowed"), KafkaException),
                                           (ValueError("not a port"), KafkaException),
                                           (MemoryError("none left"), MemoryError)])
def test_a_port_that_cannot_be_bound_leaves_no_socket(
    servers: Servers, monkeypatch: pytest.MonkeyPatch, error: Exception, raised: type[Exception],
) -> None:
    """Errors that say something of the address name it; others stay what they are."""
    acceptor = acceptor_of(servers.make(plaintext_props()))
    opened: list[ServerSocketChannel] = []

    def bind(channel: ServerSocketChannel, *_: object) -> None:
        opened.append(channel)
        raise error

    monkeypatch.setattr(ServerSocketChannel, "bind", bind)
    with pytest.raises(raised) as found:
        acceptor._open_server_socket("localhost", 9, 1)
    [channel] = opened
    assert not channel.is_open()
    if raised is KafkaException:
        assert found.value.__cause__ is error
        reason = getattr(error, "strerror", None) or error
        assert str(found.value) == f"Socket server failed to bind to localhost:9: {reason}."
    else:
        assert found.value is error


def test_a_listener_that_is_none_can_be_removed(servers: Servers) -> None:
    """Twice, too: what the first call has left is nothing."""
    server = servers.start(listeners_props("PLAINTEXT", "A", inter_broker_listener_name="PLAINTEXT"),
                           apis=APIS)
    [removed] = [end_point for end_point in server.config.data_plane_listeners()
                 if end_point.listener_name().value() == "A"]
    for _ in range(2):
        server.remove_listeners([removed])
        assert [acceptor.end_point.listener_name().value()
                for acceptor in server._data_plane_acceptors.values()] == ["PLAINTEXT"]
    servers.connect(server)


@pytest.mark.parametrize("end", ["begin_shutdown", "stop_accepting"])
def test_an_acceptor_ends_when_it_is_told_to(servers: Servers, end: str) -> None:
    """It sleeps until somebody connects, and ends before, even if faster than the thread that ends it."""
    acceptor = acceptor_of(servers.start(plaintext_props(), apis=APIS))
    with overtaken_by_the_sleeper(acceptor, "_nio_selector", "select"):
        getattr(acceptor, end)()
        acceptor.thread.join(WOKEN_S)
        assert not acceptor.thread.is_alive()


def test_a_connection_that_came_too_fast_is_closed_in_time_although_no_other_comes(
    servers: Servers, monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = servers.start(plaintext_props(), apis=APIS)
    acceptor = acceptor_of(server)

    def refuse(listener_name: ListenerName, address: InetAddress, meter: Meter) -> None:
        raise ConnectionThrottledException(
            address, acceptor._time.milliseconds(), throttle_time_ms=1)

    monkeypatch.setattr(acceptor.connection_quotas, "inc", refuse)
    client = servers.connect(server)
    assert select.select([client], [], [], WOKEN_S)[0], "the connection stays"
    assert client.recv(1) == b""
