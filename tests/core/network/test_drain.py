# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The first step of a shutdown: what has been read is answered, and nothing more is read (deviation D82)."""

from __future__ import annotations

import socket

import pytest

from kreactor.common.network.kafka_channel import KafkaChannel
from kreactor.common.network.listener_name import ListenerName
from kreactor.core.network.processor import Processor
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.network.socket_server import SocketServer
from tests.core.network.opaque import APIS, Client, answer, payload_of
from tests.core.network.servers import (
    PLAINTEXT,
    Servers,
    assert_closed_by_server,
    listeners_props,
    plaintext_props,
    receive_request,
)
from tests.core.network.test_socket_server import make_channel_with_buffered_requests_and_close_remote
from tests.core.network.testable_server import TestableSocketServer
from tests.stepping import Background, stopped_at, wait_until

MuteState = KafkaChannel.ChannelMuteState


@pytest.fixture
def server(servers: Servers) -> SocketServer:
    return servers.start(plaintext_props(num_network_threads="2"), apis=APIS)


def take(server: SocketServer) -> RequestChannel.Request:
    request = receive_request(server.data_plane_request_channel)
    request.release_buffer()
    return request


def processor_of(server: SocketServer, request: RequestChannel.Request) -> Processor:
    [acceptor] = server._data_plane_acceptors.values()
    [processor] = [each for each in acceptor.processors() if each.id == request.processor]
    return processor


def let_rounds_end(server: SocketServer) -> None:
    """Let each network thread go through its loop once, after the round that it is in."""
    for _ in range(2):
        for processor in [each for acceptor in server._all_acceptors() for each in acceptor.processors()]:
            with stopped_at(processor, "_close_excess_connections", after=True) as stop:
                processor.wakeup()
                stop.wait()


@pytest.mark.deviation("D82")
def test_what_has_been_read_is_answered_and_nothing_more_is_read(
    servers: Servers, server: SocketServer,
) -> None:
    client, idle = Client(servers.connect(server)), Client(servers.connect(server))
    client.send(b"first")
    client.send(b"second")
    request = take(server)
    wait_until(lambda: sum(len(processor.selector.channels()) for processor in servers.processors) == 2)

    server.begin_drain()
    let_rounds_end(server)
    assert not server.is_drained()
    idle.send(b"too late")
    answer(server.data_plane_request_channel, request, b"answer")
    assert client.receive() == (0, b"answer")
    wait_until(server.is_drained, "what has been answered is waited for")

    let_rounds_end(server)
    assert server.data_plane_request_channel.receive_request_timeout(0) is None
    assert server.is_drained()
    servers.stop(server)
    for left in (client, idle):
        assert_closed_by_server(left.sock)


def test_nothing_is_drained_before_the_network_threads_have_looked(
    servers: Servers, server: SocketServer,
) -> None:
    client = Client(servers.connect(server))
    client.send(b"first")
    request = take(server)
    processor = processor_of(server, request)
    with stopped_at(processor, "_process_new_responses") as stop:
        processor.wakeup()
        stop.wait()
        server.begin_drain()
        assert not processor.is_drained() and not server.is_drained()
    server.data_plane_request_channel.send_no_op_response(request)
    wait_until(server.is_drained)


@pytest.mark.deviation("D82")
def test_with_strict_fidelity_the_answer_is_cut_off(servers: Servers) -> None:
    server = servers.start(plaintext_props(kreactor_fidelity="strict"), apis=APIS)
    client = Client(servers.connect(server))
    client.send(b"first")
    request = take(server)
    server.begin_drain()
    assert server.is_drained()
    assert all(acceptor._should_run for acceptor in server._all_acceptors())
    servers.stop(server)
    answer(server.data_plane_request_channel, request, b"answer")
    assert_closed_by_server(client.sock)


@pytest.mark.parametrize("end", ["no answer", "close", "throttled", "throttled, answered later"])
def test_a_request_is_done_with_in_every_way(servers: Servers, server: SocketServer, end: str) -> None:
    client = Client(servers.connect(server))
    client.send(b"first")
    client.send(b"second")
    request, channel = take(server), server.data_plane_request_channel
    processor = processor_of(server, request)
    server.begin_drain()
    if end == "no answer":
        channel.send_no_op_response(request)
    elif end == "close":
        channel.close_connection(request, {})
    elif end == "throttled":
        # The end of this throttling never comes.
        channel.start_throttling(request)
        channel.send_no_op_response(request)
    else:
        channel.start_throttling(request)
        channel.end_throttling(request)
        let_rounds_end(server)
        assert not server.is_drained()
        channel.send_no_op_response(request)
    wait_until(server.is_drained)
    let_rounds_end(server)
    kafka_channel = processor.channel(request.context.connection_id)
    state = None if kafka_channel is None else kafka_channel.mute_state()
    assert state is {"close": None, "throttled": MuteState.MUTED_AND_THROTTLED}.get(end, MuteState.MUTED)
    assert channel.receive_request_timeout(0) is None


def test_a_connection_that_is_registered_during_a_drain_is_not_read(
    servers: Servers, server: SocketServer,
) -> None:
    [acceptor] = server._data_plane_acceptors.values()
    processor = acceptor.processors()[0]
    with stopped_at(processor, "_configure_new_connections") as stop:
        processor.wakeup()
        stop.wait()
        client = Client(servers.connect(server))
        client.send(b"too late")
        wait_until(lambda: not processor._new_connections.is_empty())
        server.begin_drain()
    wait_until(lambda: processor.selector.channels() and server.is_drained())
    let_rounds_end(server)
    assert server.data_plane_request_channel.receive_request_timeout(0) is None


def test_a_closing_connection_is_not_read_either(servers: Servers) -> None:
    """Its client has left after three requests; the second is with the handlers, the third is buffered."""
    server = servers.start(plaintext_props(), make=TestableSocketServer)
    assert isinstance(server, TestableSocketServer)
    request = make_channel_with_buffered_requests_and_close_remote(servers, server, make_closing=True)
    processor = server.testable_processor()
    wait_until(lambda: processor.selector.closing_channel(request.context.connection_id))
    server.begin_drain()
    let_rounds_end(server)
    server.data_plane_request_channel.send_no_op_response(request)
    for _ in range(3):
        let_rounds_end(server)
    assert server.data_plane_request_channel.receive_request_timeout(0) is None


def test_no_more_connections_are_accepted(servers: Servers, server: SocketServer) -> None:
    [acceptor] = server._data_plane_acceptors.values()
    port = server.bound_port(ListenerName(PLAINTEXT))
    client = Client(servers.connect(server))
    client.send(b"first")
    request = take(server)
    with stopped_at(acceptor, "wakeup", after=True) as stop:
        draining = Background(server.begin_drain)
        stop.wait()  # not before its select has timed out
    draining.result()
    acceptor.thread.join(120)
    assert not acceptor.thread.is_alive()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("localhost", port), 120)
    answer(server.data_plane_request_channel, request, payload_of(request))
    assert client.receive() == (0, b"first")


def test_every_listener_drains(servers: Servers) -> None:
    server = servers.start(listeners_props("PLAINTEXT", "CONTROLLER",
                                           control_plane_listener_name="CONTROLLER"), apis=APIS)
    assert server.control_plane_request_channel_opt is not None
    Client(servers.connect(server, "CONTROLLER")).send(b"of the controller")
    request = receive_request(server.control_plane_request_channel_opt)
    request.release_buffer()
    server.begin_drain()
    let_rounds_end(server)
    assert not server.is_drained()
    server.control_plane_request_channel_opt.send_no_op_response(request)
    wait_until(server.is_drained)


def test_a_server_that_has_not_started_is_drained(servers: Servers) -> None:
    server = servers.make(plaintext_props(), apis=APIS)
    server.begin_drain()
    assert server.is_drained()
    servers.stop(server)


@pytest.mark.parametrize("listener_limit", [False, True])
def test_a_drained_server_stops_while_its_acceptor_waits_for_a_slot(
    servers: Servers, listener_limit: bool,
) -> None:
    """The slot comes from the processors: they have to be told to end before the acceptor is waited for."""
    limit = "listener.name.plaintext.max.connections" if listener_limit else "max.connections"
    server = servers.start(plaintext_props() | {limit: "1"}, apis=APIS)
    kept = servers.connect(server)
    wait_until(lambda: server.connection_quotas._total_count == 1)
    waiting = servers.connect(server)
    condition = server.connection_quotas._counts_lock
    wait_until(lambda: len(condition._waiters) == 1)  # type: ignore[attr-defined]
    server.begin_drain()
    wait_until(server.is_drained)
    stopping = Background(lambda: servers.stop(server))
    try:
        stopping.result(120)
    except AssertionError:
        kept.close()  # so that the test fails, and does not hang
        raise
    assert_closed_by_server(kept)
    assert_closed_by_server(waiting)
