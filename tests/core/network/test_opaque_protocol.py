# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The fate of opaque requests and responses: order, silence, close, throttling."""

from __future__ import annotations

import socket
import struct

import pytest

from kreactor.common.network.kafka_channel import KafkaChannel
from kreactor.common.protocol.errors import Errors
from kreactor.core.network.processor import Processor
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.network.socket_server import SocketServer
from tests.core.network.opaque import (
    APIS,
    Client,
    Echo,
    answer,
    framed,
    payload_of,
)
from tests.core.network.servers import (
    Servers,
    assert_closed_by_server,
    listeners_props,
    plaintext_props,
    receive_request,
    wait_for_no_connections,
)
from tests.stepping import wait_until

MuteState = KafkaChannel.ChannelMuteState


@pytest.fixture
def server(servers: Servers) -> SocketServer:
    return servers.start(plaintext_props(queued_max_request_bytes="1000000",
                                         socket_request_max_bytes="100000"), apis=APIS)


@pytest.fixture
def client(servers: Servers, server: SocketServer) -> Client:
    return Client(servers.connect(server))


def take(server: SocketServer) -> RequestChannel.Request:
    """Take a request, and give its memory back, as a handler does when it is done; the body stays."""
    request = receive_request(server.data_plane_request_channel)
    request.release_buffer()
    return request


def processor_of(server: SocketServer) -> Processor:
    [acceptor] = server._data_plane_acceptors.values()
    [processor] = acceptor.processors()
    return processor


def mute_state(server: SocketServer, request: RequestChannel.Request) -> MuteState | None:
    channel = processor_of(server).open_or_closing_channel(request.context.connection_id)
    return None if channel is None else channel.mute_state()


def wait_for_mute_state(server: SocketServer, request: RequestChannel.Request, state: MuteState) -> None:
    wait_until(lambda: mute_state(server, request) is state,
               f"{mute_state(server, request)} where {state} should be")


def test_pipelined_requests_are_answered_in_their_order(servers: Servers, server: SocketServer) -> None:
    """With more handlers than requests, and the first of them slow, no answer overtakes another."""
    servers.serve(server, Echo(server.data_plane_request_channel), num_threads=4)
    clients = [Client(servers.connect(server)) for _ in range(3)]
    payloads = [b"%d" % i * (i * 37 % 50) for i in range(100)]
    for client in clients:
        client.sock.sendall(b"".join(framed(payload, i) for i, payload in enumerate(payloads)))
    for client in clients:
        assert [client.receive() for _ in payloads] == list(enumerate(payloads))


def test_one_request_of_a_connection_is_with_the_handlers_at_a_time(
    server: SocketServer, client: Client,
) -> None:
    channel = server.data_plane_request_channel
    client.sock.sendall(framed(b"first", 0) + framed(b"second", 1))
    first = take(server)
    assert channel.receive_request_timeout(100) is None
    answer(channel, first, b"")
    assert payload_of(take(server)) == b"second"


def test_connections_do_not_wait_for_each_other(servers: Servers, server: SocketServer) -> None:
    channel = server.data_plane_request_channel
    slow, quick = Client(servers.connect(server)), Client(servers.connect(server))
    slow.send(b"slow")
    waiting = take(server)
    quick.send(b"quick")
    answer(channel, take(server), b"done")
    assert quick.receive() == (0, b"done")
    answer(channel, waiting, b"at last")
    assert slow.receive() == (0, b"at last")


def test_a_request_in_single_bytes(servers: Servers, server: SocketServer) -> None:
    servers.serve(server, Echo(server.data_plane_request_channel))
    client = Client(servers.connect(server))
    client.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for byte in framed(b"slowly"):
        client.sock.sendall(bytes([byte]))
    assert client.receive() == (0, b"slowly")


def test_large_requests_and_answers(servers: Servers, server: SocketServer) -> None:
    """Neither fits into what the kernel takes at once."""
    channel = server.data_plane_request_channel
    client = Client(servers.connect(server))
    client.send(b"x" * 90_000)
    request = take(server)
    assert payload_of(request) == b"x" * 90_000
    big = bytes(range(256)) * 40_000
    answer(channel, request, big)
    assert client.receive() == (0, big)


def test_a_half_closed_connection_gets_its_answers(servers: Servers, server: SocketServer) -> None:
    servers.serve(server, Echo(server.data_plane_request_channel))
    client = Client(servers.connect(server))
    client.sock.sendall(b"".join(framed(b"%d" % i, i) for i in range(5)))
    client.sock.shutdown(socket.SHUT_WR)
    assert [client.receive() for _ in range(5)] == [(i, b"%d" % i) for i in range(5)]
    assert client.sock.recv(1) == b""


def test_no_answer_and_the_next_request(server: SocketServer, client: Client) -> None:
    channel = server.data_plane_request_channel
    for payload in (b"1", b"2", b"3"):
        client.send(payload)
    channel.send_no_op_response(take(server))
    channel.send_no_op_response(take(server))
    answer(channel, take(server), b"only this")
    assert client.receive() == (2, b"only this")


def test_a_connection_is_closed_instead_of_an_answer(server: SocketServer, client: Client) -> None:
    channel = server.data_plane_request_channel
    client.send(b"1")
    client.send(b"2")
    request = take(server)
    channel.close_connection(request, {Errors.INVALID_REQUEST: 1})
    assert_closed_by_server(client.sock)
    wait_for_no_connections(server)
    # The second request is gone with it.
    assert channel.receive_request_timeout(50) is None
    metrics = channel.metrics.apply(request.header().api_key().name)
    assert metrics.total_time_hist.count() == 1


def test_the_callback_of_an_answer_runs_on_the_network_thread_before_the_next_request(
    server: SocketServer, client: Client,
) -> None:
    """It may change the request's metrics, which are recorded after it."""
    channel = server.data_plane_request_channel
    client.sock.sendall(framed(b"1", 0) + framed(b"2", 1))
    request = take(server)
    seen: list[object] = []
    histogram = channel.metrics.apply(request.header().api_key().name).total_time_hist

    def on_complete(send: object) -> None:
        seen.append((histogram.count(), mute_state(server, request)))

    answer(channel, request, b"1", on_complete)
    assert payload_of(take(server)) == b"2"
    assert seen == [(0, MuteState.MUTED_AND_RESPONSE_PENDING)]
    assert histogram.count() == 1


def test_a_failing_callback_closes_its_connection_only(servers: Servers, server: SocketServer) -> None:
    channel = server.data_plane_request_channel
    failing, other = Client(servers.connect(server)), Client(servers.connect(server))
    failing.send(b"")

    def fail(send: object) -> None:
        raise ZeroDivisionError("test")

    answer(channel, take(server), b"sent before", fail)
    assert failing.receive() == (0, b"sent before")
    assert_closed_by_server(failing.sock)
    other.send(b"")
    answer(channel, take(server), b"served")
    assert other.receive() == (0, b"served")


def test_an_answer_that_nobody_waits_for_closes_its_connection(
    servers: Servers, server: SocketServer, client: Client,
) -> None:
    """A handler that answers twice is wrong: the automaton has no step for it, and others are not harmed."""
    channel = server.data_plane_request_channel
    other = Client(servers.connect(server))
    client.send(b"")
    request = take(server)
    channel.send_no_op_response(request)
    channel.send_no_op_response(request)
    assert_closed_by_server(client.sock)
    other.send(b"")
    answer(channel, take(server), b"served")
    assert other.receive() == (0, b"served")


def test_a_second_answer_while_the_first_is_written_closes_the_connection(
    server: SocketServer, client: Client,
) -> None:
    channel = server.data_plane_request_channel
    client.send(b"")
    request = take(server)
    big = bytes(20_000_000)
    answer(channel, request, big)
    answer(channel, request, big)
    with pytest.raises((EOFError, ConnectionError)):
        client.receive()
        client.receive()
    wait_for_no_connections(server)


def test_a_response_of_no_known_kind_closes_the_connection(server: SocketServer, client: Client) -> None:
    client.send(b"")
    server.data_plane_request_channel.send_response_response(RequestChannel.Response(take(server)))
    assert_closed_by_server(client.sock)


# The events of one request on the network thread, and the states that follow. A throttling begins before the
# answer is given; its end may come at any time.
START, END, SEND, NO_OP = "start", "end", "send", "no-op"
_PENDING = MuteState.MUTED_AND_RESPONSE_PENDING
_BOTH = MuteState.MUTED_AND_THROTTLED_AND_RESPONSE_PENDING
_THROTTLED = MuteState.MUTED_AND_THROTTLED
_OPEN = MuteState.NOT_MUTED

LEGAL_ORDERS = [
    ((answer_kind,), (_OPEN,)) for answer_kind in (SEND, NO_OP)
] + [
    ((START, END, answer_kind), (_BOTH, _PENDING, _OPEN)) for answer_kind in (SEND, NO_OP)
] + [
    ((START, answer_kind, END), (_BOTH, _THROTTLED, _OPEN)) for answer_kind in (SEND, NO_OP)
] + [
    ((START, END, START, END, answer_kind), (_BOTH, _PENDING, _BOTH, _PENDING, _OPEN))
    for answer_kind in (SEND, NO_OP)
] + [
    ((START, END, START, answer_kind, END), (_BOTH, _PENDING, _BOTH, _THROTTLED, _OPEN))
    for answer_kind in (SEND, NO_OP)
]

# Events that have no step where they come close the connection; the number is of those that are legal.
ILLEGAL_ORDERS = [
    ((END,), 0), ((END, START, SEND), 0), ((START, START), 1), ((SEND, END), 1), ((SEND, START), 1),
    ((NO_OP, END), 1), ((NO_OP, START), 1), ((START, END, END), 2), ((START, SEND, START), 2),
    ((START, SEND, END, END), 3), ((START, SEND, NO_OP), 2),
]


def tell(server: SocketServer, request: RequestChannel.Request, what: str) -> None:
    channel = server.data_plane_request_channel
    if what == START:
        channel.start_throttling(request)
    elif what == END:
        channel.end_throttling(request)
    elif what == NO_OP:
        channel.send_no_op_response(request)
    else:
        answer(channel, request, b"answer")


@pytest.mark.parametrize("order, states", LEGAL_ORDERS, ids=lambda v: "-".join(v) if START in v else None)
@pytest.mark.parametrize("one_by_one", [True, False])
def test_throttling_in_every_order(
    server: SocketServer, client: Client, order: tuple[str, ...], states: tuple[MuteState, ...],
    one_by_one: bool,
) -> None:
    """The next request is read once the answer is given and the throttling is over, not before."""
    channel = server.data_plane_request_channel
    client.sock.sendall(framed(b"1", 0) + framed(b"2", 1))
    request = take(server)
    wait_for_mute_state(server, request, _PENDING)
    for what, state in zip(order, states):
        tell(server, request, what)
        if one_by_one and state is not _OPEN:
            wait_for_mute_state(server, request, state)
            assert channel._request_queue.is_empty()
    assert payload_of(take(server)) == b"2"
    if SEND in order:
        assert client.receive() == (0, b"answer")


@pytest.mark.parametrize("order, legal", ILLEGAL_ORDERS)
def test_throttling_in_a_wrong_order_closes_the_connection(
    server: SocketServer, client: Client, order: tuple[str, ...], legal: int,
) -> None:
    client.send(b"1")
    request = take(server)
    wait_for_mute_state(server, request, _PENDING)
    for i, what in enumerate(order):
        if i == legal:
            # Earlier events are handled.
            wait_until(lambda: processor_of(server).response_queue_size() == 0
                       and processor_of(server).inflight_response_count() == 0)
        tell(server, request, what)
    if SEND in order[:legal]:
        assert client.receive() == (0, b"answer")
    assert_closed_by_server(client.sock)
    wait_for_no_connections(server)


def test_throttling_of_one_connection_does_not_hold_another_up(
    servers: Servers, server: SocketServer, client: Client,
) -> None:
    channel = server.data_plane_request_channel
    client.send(b"")
    throttled = take(server)
    channel.start_throttling(throttled)
    answer(channel, throttled, b"answered, but not read on")
    assert client.receive() == (0, b"answered, but not read on")
    client.send(b"later")
    other = Client(servers.connect(server))
    for _ in range(3):
        other.send(b"")
        answer(channel, take(server), b"served")
        other.receive()
    channel.end_throttling(throttled)
    assert payload_of(take(server)) == b"later"


def test_each_listener_serves_with_its_own_threads(servers: Servers) -> None:
    server = servers.start(listeners_props("INTERNAL", "EXTERNAL", inter_broker_listener_name="INTERNAL"),
                           apis=APIS)
    names: set[str] = set()
    servers.serve(server, Echo(
        server.data_plane_request_channel,
        lambda request: names.add(f"{request.context.listener_name.value()} {request.processor}")))
    for listener in ("INTERNAL", "EXTERNAL"):
        assert Client(servers.connect(server, listener)).call(b"hello") == b"hello"
    assert names == {"INTERNAL 0", "EXTERNAL 1"}


BYTES_AFTER_THE_BODY = "bytes after the body"


@pytest.mark.parametrize("kind", [
    "size 0", "negative size", "too large", "HTTP", "TLS", "unknown key", "negative key", "disabled key",
    "version", "header cut short", "body cut short", "length that lies", BYTES_AFTER_THE_BODY])
def test_bad_input(servers: Servers, server: SocketServer, kind: str) -> None:
    """The connection is closed without an answer, and others are not harmed.

    Bytes after the body are nobody's business.
    """
    servers.serve(server, Echo(server.data_plane_request_channel))
    good = Client(servers.connect(server))
    assert good.call(b"before") == b"before"

    def message(content: bytes) -> bytes:
        return struct.pack(">i", len(content)) + content

    header = struct.pack(">hhih", 36, 0, 1, -1)
    data = {
        "size 0": struct.pack(">i", 0),
        "negative size": struct.pack(">i", -1),
        "too large": struct.pack(">i", 100_001),
        "HTTP": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "TLS": bytes.fromhex("16030100c8010000c40303") + bytes(200),
        "unknown key": message(struct.pack(">hhih", 9999, 0, 1, -1)),
        "negative key": message(struct.pack(">hhih", -1, 0, 1, -1)),
        "disabled key": message(struct.pack(">hhih", 3, 0, 1, -1)),
        "version": message(struct.pack(">hhih", 36, 99, 1, -1)),
        "header cut short": message(header[:5]),
        "body cut short": message(header + struct.pack(">i", 10) + b"short"),
        "length that lies": message(header + struct.pack(">i", -5)),
        BYTES_AFTER_THE_BODY: message(header + struct.pack(">i", 2) + b"ok" + b"garbage"),
    }[kind]
    bad = Client(servers.connect(server))
    bad.sock.sendall(data)
    if kind == BYTES_AFTER_THE_BODY:
        assert bad.receive() == (1, b"ok")
        bad.sock.close()
    else:
        assert_closed_by_server(bad.sock)
    assert good.call(b"after") == b"after"
    wait_until(lambda: server.connection_quotas._total_count == 1)
    pool = server._memory_pool
    wait_until(lambda: pool.available_memory() == pool.size(), "memory has not come back")
