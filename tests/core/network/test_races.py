# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Races of the socket server, each forced into the order that could go wrong.

Polls wait for 20 s here, so that a wakeup that is lost does not go unnoticed.
"""

from __future__ import annotations

import socket
from typing import Any, Callable, Iterator

import pytest

from kreactor.common.network.listener_name import ListenerName
from kreactor.common.protocol.errors import Errors
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.core.network.acceptor import Acceptor
from kreactor.core.network.processor import Processor
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.network.socket_server import SocketServer
from kreactor.core.server.kafka_request_handler import ApiRequestHandler
from kreactor.core.server.request_local import RequestLocal
from kreactor.jdk.concurrent import CompletableFuture
from kreactor.jdk.exceptions import ClosedChannelException
from kreactor.server.metrics.kafka_yammer_metrics import KafkaYammerMetrics
from kreactor.testing.mock_time import MockTime
from tests.core.network.opaque import APIS, Client, Echo, answer
from tests.core.network.servers import (
    Servers,
    assert_closed_by_server,
    assert_no_connection_counted,
    listeners_props,
    plaintext_props,
    receive_request,
    reset,
    wait_for_no_connections,
)
from tests.stepping import Background, Stop, stopped_at, wait_until

IDLE_MS = 60_000


@pytest.fixture(autouse=True)
def _long_polls(monkeypatch: pytest.MonkeyPatch) -> None:
    poll = Processor._poll

    def long_poll(self: Processor) -> None:
        selector = self.selector
        original = selector.poll

        def poll_for_long(timeout: int) -> None:
            original(20_000 if timeout else 0)

        selector.poll = poll_for_long  # type: ignore[method-assign]
        try:
            poll(self)
        finally:
            del selector.poll  # type: ignore[method-assign]

    monkeypatch.setattr(Processor, "_poll", long_poll)


def props(**overrides: str) -> dict[str, str]:
    return plaintext_props(
        queued_max_request_bytes="1000000", socket_request_max_bytes="100000",
        connections_max_idle_ms=str(IDLE_MS), **overrides)


def acceptor_of(server: SocketServer, index: int = 0) -> Acceptor:
    return list(server._data_plane_acceptors.values())[index]


def processor_of(server: SocketServer) -> Processor:
    return acceptor_of(server).processors()[0]


def take(server: SocketServer) -> RequestChannel.Request:
    request = receive_request(server.data_plane_request_channel)
    request.release_buffer()
    return request


def recorded(server: SocketServer) -> int:
    """Return how many requests are done, by the metrics."""
    return server.data_plane_request_channel.metrics.apply("SaslAuthenticate").total_time_hist.count()


def reach(stop: Stop, processor: Processor) -> None:
    """Let the network thread go through its loop until it stands at ``stop``."""
    def arrived() -> bool:
        processor.wakeup()
        return stop.arrived()

    wait_until(arrived)


def let_round_end(server: SocketServer) -> None:
    """Wait until the network thread has been through its loop once more."""
    processor = processor_of(server)
    for _ in range(2):
        with stopped_at(processor, "_close_excess_connections") as stop:
            reach(stop, processor)


# A response enqueued at every point of the network thread's loop.

LOOP = ["_configure_new_connections", "_process_new_responses", "_poll", "_process_completed_receives",
        "_process_completed_sends", "_process_disconnected", "_close_excess_connections"]


@pytest.mark.parametrize("point", LOOP)
@pytest.mark.parametrize("after", [False, True])
def test_no_response_waits_for_a_poll_to_end(servers: Servers, point: str, after: bool) -> None:
    server = servers.start(props(), apis=APIS)
    client = Client(servers.connect(server))
    client.send(b"")
    request = take(server)
    processor = processor_of(server)
    with stopped_at(processor, point, after=after) as stop:
        reach(stop, processor)
        answer(server.data_plane_request_channel, request, b"in time")
    assert client.receive() == (0, b"in time")


@pytest.mark.parametrize("point", LOOP)
@pytest.mark.parametrize("after", [False, True])
def test_no_connection_waits_for_a_poll_to_end(servers: Servers, point: str, after: bool) -> None:
    server = servers.start(props(), apis=APIS)
    servers.serve(server, Echo(server.data_plane_request_channel))
    processor = processor_of(server)
    with stopped_at(processor, point, after=after) as stop:
        reach(stop, processor)
        client = Client(servers.connect(server))
        wait_until(lambda: processor._new_connections.size() == 1)
    assert client.call(b"hello") == b"hello"


@pytest.mark.parametrize("another", [False, True])
def test_a_response_during_the_select(servers: Servers, another: bool) -> None:
    """The kernel watches for what comes from another client; alone, nothing is waited for but answers."""
    server = servers.start(props(), apis=APIS)
    client = Client(servers.connect(server))
    client.send(b"")
    request = take(server)
    selector = processor_of(server).selector
    wakeup = selector._nio_selector._wakeup
    if another:
        servers.connect(server)
        wait_until(lambda: len(selector.channels()) == 2 and wakeup._asleep)
    else:
        wait_until(lambda: wakeup._at_bell)
    answer(server.data_plane_request_channel, request, b"in time")
    assert client.receive() == (0, b"in time")


# A response enqueued while its channel closes.


def send_response(server: SocketServer, request: RequestChannel.Request) -> None:
    answer(server.data_plane_request_channel, request, b"answer")


def send_large_response(server: SocketServer, request: RequestChannel.Request) -> None:
    answer(server.data_plane_request_channel, request, bytes(20_000_000))


def send_no_op(server: SocketServer, request: RequestChannel.Request) -> None:
    server.data_plane_request_channel.send_no_op_response(request)


def send_close(server: SocketServer, request: RequestChannel.Request) -> None:
    server.data_plane_request_channel.close_connection(request, {Errors.INVALID_REQUEST: 1})


def throttle_and_send(server: SocketServer, request: RequestChannel.Request) -> None:
    server.data_plane_request_channel.start_throttling(request)
    send_response(server, request)
    server.data_plane_request_channel.end_throttling(request)


RESPONSES = [send_response, send_large_response, send_no_op, send_close, throttle_and_send]


def peer_leaves(server: SocketServer, sock: socket.socket) -> None:
    sock.close()


def peer_resets(server: SocketServer, sock: socket.socket) -> None:
    reset(sock)


def idle_for_too_long(server: SocketServer, sock: socket.socket) -> None:
    server.time.sleep(IDLE_MS + 1)


def one_too_many(server: SocketServer, sock: socket.socket) -> None:
    server.connection_quotas.update_broker_max_connections(0)


CLOSES = [peer_leaves, peer_resets, idle_for_too_long, one_too_many]


@pytest.mark.parametrize("respond", RESPONSES)
@pytest.mark.parametrize("close", CLOSES)
@pytest.mark.parametrize("point", ["_process_new_responses", "_poll", "_process_disconnected"])
@pytest.mark.parametrize("close_first", [True, False])
def test_a_response_while_its_channel_closes(
    servers: Servers, respond: Callable[..., None], close: Callable[..., None], point: str, close_first: bool,
) -> None:
    """In any order the request is recorded once, and nothing of it or of its connection is left."""
    server = servers.start(props(), apis=APIS, time=MockTime())
    sock = servers.connect(server)
    Client(sock).send(b"")
    request = take(server)
    let_round_end(server)
    processor = processor_of(server)
    with stopped_at(processor, point) as stop:
        reach(stop, processor)
        if close_first:
            close(server, sock)
            respond(server, request)
        else:
            respond(server, request)
            close(server, sock)

    def is_closed() -> bool:
        if close is idle_for_too_long and respond is not send_close:
            # Each write of the answer is activity, and the kernel may take more of a large one later.
            close(server, sock)
            processor.wakeup()
        return server.connection_quotas._total_count == 0

    wait_until(is_closed, "connections are left")
    wait_until(lambda: recorded(server) == 1)
    let_round_end(server)
    assert recorded(server) == 1
    assert processor.inflight_response_count() == 0
    assert processor.response_queue_size() == 0


def test_a_response_to_a_closing_channel_is_recorded_once(servers: Servers) -> None:
    """The send of it fails, which ends the closing. The origin records it twice."""
    server = servers.start(props(), apis=APIS)
    Client(servers.connect(server)).send(b"")
    request = take(server)
    let_round_end(server)
    processor, id = processor_of(server), request.context.connection_id
    with stopped_at(processor, "_process_new_responses") as stop:
        reach(stop, processor)
        processor.selector._closing_channels[id] = processor.selector._channels.pop(id)
        send_response(server, request)
    wait_for_no_connections(server)
    let_round_end(server)
    assert recorded(server) == 1


@pytest.mark.parametrize("respond", RESPONSES)
@pytest.mark.parametrize("point", ["_begin", "_close_all", "thread ended", "out of the channel"])
def test_a_response_while_its_processor_goes(
    servers: Servers, respond: Callable[..., None], point: str,
) -> None:
    """It is dropped, wherever it has got to."""
    server = servers.start(props(num_network_threads="2"), apis=APIS)
    acceptor = acceptor_of(server)
    # One client on each.
    clients = [Client(servers.connect(server)) for _ in range(2)]
    for client in clients:
        client.send(b"")
    requests = [take(server) for _ in clients]
    processor = acceptor.processors()[-1]
    [request] = [request for request in requests if request.processor == processor.id]
    if point == "_begin":
        with stopped_at(processor, "_close_all") as stop:
            removing = Background(lambda: acceptor.remove_processors(1))
            stop.wait()
            respond(server, request)
    elif point == "_close_all":
        with stopped_at(processor, "_close_all", after=True) as stop:
            removing = Background(lambda: acceptor.remove_processors(1))
            stop.wait()
            respond(server, request)
    elif point == "thread ended":
        with stopped_at(server.data_plane_request_channel, "remove_processor") as stop:
            removing = Background(lambda: acceptor.remove_processors(1))
            stop.wait()
            assert not processor.thread.is_alive()
            respond(server, request)
    else:
        removing = Background(lambda: acceptor.remove_processors(1))
        removing.result()
        respond(server, request)
    removing.result()
    # The other one goes on being served.
    [other] = [request for request in requests if request.processor != processor.id]
    answer(server.data_plane_request_channel, other, b"served")
    assert server.connection_quotas._total_count == 1


# Connections that come while something goes.


def test_a_network_thread_that_is_told_to_end_does_not_wait_for_its_poll(servers: Servers) -> None:
    server = servers.start(props(), apis=APIS)
    processor = processor_of(server)
    with stopped_at(processor.selector, "_select", when=lambda timeout: timeout > 0) as stop:
        processor.wakeup()
        stop.wait()
    processor.begin_shutdown()
    processor.thread.join(120)
    assert not processor.thread.is_alive()


@pytest.fixture
def stopping(servers: Servers) -> Iterator[Callable[[SocketServer], Background]]:
    """Shut servers down in the background."""
    yield lambda server: Background(lambda: servers.stop(server), "shutdown")


@pytest.mark.deviation("D04")
@pytest.mark.parametrize("point, after", [
    ("inc", False), ("inc", True), ("_configure_accepted_socket_channel", True),
    ("_assign_new_connection", False), ("_assign_new_connection", True)])
@pytest.mark.parametrize("processor_is_gone", [True, False])
def test_accept_during_shutdown(
    servers: Servers, stopping: Callable[[SocketServer], Background], point: str, after: bool,
    processor_is_gone: bool,
) -> None:
    server = servers.start(props(), apis=APIS)
    acceptor, processor = acceptor_of(server), processor_of(server)
    target: Any = server.connection_quotas if point == "inc" else acceptor
    with stopped_at(target, point, after=after) as stop:
        sock = servers.connect(server)
        stop.wait()
        down = stopping(server)
        wait_until(lambda: not acceptor._should_run)
        if processor_is_gone:
            wait_until(lambda: not processor.thread.is_alive())
    down.result()
    assert_closed_by_server(sock)
    assert_no_connection_counted(server)


@pytest.mark.parametrize("point, after", [("_assign_new_connection", False), ("accept", False),
                                          ("wakeup", False), ("wakeup", True)])
def test_a_processor_removed_between_being_chosen_and_being_given_a_connection(
    servers: Servers, point: str, after: bool,
) -> None:
    """In the origin the connection stays open and counted, with nobody who would ever read from it."""
    server = servers.start(props(num_network_threads="2"), apis=APIS)
    servers.serve(server, Echo(server.data_plane_request_channel))
    acceptor = acceptor_of(server)
    first = Client(servers.connect(server))
    assert first.call(b"on the first") == b"on the first"
    doomed = acceptor.processors()[1]
    target: Any = acceptor if point == "_assign_new_connection" else doomed
    with stopped_at(target, point, after=after) as stop:
        sock = servers.connect(server)
        stop.wait()
        # The removal wakes the processor too, and passes the stop.
        removing = Background(lambda: acceptor.remove_processors(1))
        removing.result()
    assert_closed_by_server(sock)
    wait_until(lambda: server.connection_quotas._total_count == 1)
    # A new connection goes to the processor that is left.
    assert Client(servers.connect(server)).call(b"hello") == b"hello"
    assert first.call(b"still here") == b"still here"


@pytest.mark.deviation("D04")
def test_a_processor_that_gets_a_connection_when_it_has_emptied_its_queue(servers: Servers) -> None:
    """It has said before that it is closed, and who gives it the connection closes that."""
    server = servers.start(props(num_network_threads="2"), apis=APIS)
    servers.serve(server, Echo(server.data_plane_request_channel))
    acceptor = acceptor_of(server)
    first = Client(servers.connect(server))
    assert first.call(b"on the first") == b"on the first"
    doomed = acceptor.processors()[1]
    with stopped_at(doomed, "accept") as given, \
            stopped_at(doomed, "_close_new_connections", after=True,
                       when=lambda: not doomed.thread.is_alive()) as emptied:
        sock = servers.connect(server)
        given.wait()
        removing = Background(lambda: acceptor.remove_processors(1))
        emptied.wait()
        given.go()
        assert_closed_by_server(sock)
    removing.result()
    wait_until(lambda: server.connection_quotas._total_count == 1)


def test_a_processor_removed_while_the_acceptor_waits_for_room_in_its_queue(servers: Servers) -> None:
    server = servers.start(props(num_network_threads="2"), apis=APIS)
    servers.serve(server, Echo(server.data_plane_request_channel))
    acceptor = acceptor_of(server)
    processors = acceptor.processors()
    stops: list[Stop] = []
    with stopped_at(processors[0], "_configure_new_connections") as first, \
            stopped_at(processors[1], "_configure_new_connections") as second:
        for processor, stop in zip(processors, (first, second)):
            reach(stop, processor)
            stops.append(stop)
        # 20 in each queue, and one that waits for room in the last that was asked.
        socks = [servers.connect(server) for _ in range(41)]
        wait_until(lambda: server.connection_quotas._total_count == 41)
        assert [processor._new_connections.size() for processor in processors] == [20, 20]
        removing = Background(lambda: acceptor.remove_processors(1))
        second.go()
        removing.result()
    # The acceptor was waiting for one of the two.
    wait_until(lambda: server.connection_quotas._total_count in (20, 21)
               and processors[0]._new_connections.is_empty())
    served = 0
    for sock in socks:
        try:
            served += Client(sock).call(b"hello") == b"hello"
        except (EOFError, ConnectionError):
            pass
    assert served == server.connection_quotas._total_count


def test_queues_full_on_all_processors(servers: Servers) -> None:
    """The acceptor waits, and the time is in its meter; nobody is lost."""
    server = servers.start(props(num_network_threads="2"), apis=APIS)
    servers.serve(server, Echo(server.data_plane_request_channel))
    acceptor = acceptor_of(server)
    processors = acceptor.processors()
    [meter] = [metric for name, metric in KafkaYammerMetrics.default_registry().all_metrics().items()
               if name.get_name() == "AcceptorBlockedPercent"]
    with stopped_at(processors[0], "_configure_new_connections") as first, \
            stopped_at(processors[1], "_configure_new_connections") as second:
        for processor, stop in zip(processors, (first, second)):
            reach(stop, processor)
        clients = [Client(servers.connect(server)) for _ in range(40)]
        wait_until(lambda: acceptor._current_processor_index % 2 == 0
                   and [processor._new_connections.size() for processor in processors] == [20, 20])
        assert meter.count() == 0  # type: ignore[attr-defined]
        clients += [Client(servers.connect(server)) for _ in range(3)]
        wait_until(lambda: server.connection_quotas._total_count == 41)
        # The 41st is counted and waits; the others wait in the kernel.
    assert [client.call(b"hello") for client in clients] == [b"hello"] * 43
    assert meter.count() > 0  # type: ignore[attr-defined]
    assert sum(len(processor.selector.channels()) for processor in processors) == 43


def test_the_next_processor_in_turn_is_passed_over_if_its_queue_is_full(servers: Servers) -> None:
    server = servers.start(props(num_network_threads="3"), apis=APIS)
    servers.serve(server, Echo(server.data_plane_request_channel))
    stuck = acceptor_of(server).processors()[0]
    with stopped_at(stuck, "_configure_new_connections") as stop:
        stuck.wakeup()
        stop.wait()
        clients = [Client(servers.connect(server)) for _ in range(70)]
        wait_until(lambda: server.connection_quotas._total_count == 70)
        counts = [len(processor.selector.channels()) for processor in acceptor_of(server).processors()]
        wait_until(lambda: sum(len(processor.selector.channels())
                               for processor in acceptor_of(server).processors()) == 50, str(counts))
        assert stuck._new_connections.size() == 20
    assert [client.call(b"x") for client in clients] == [b"x"] * 70


@pytest.mark.parametrize("leave", [peer_leaves, peer_resets])
def test_a_peer_that_leaves_between_accept_and_register(
    servers: Servers, leave: Callable[..., None],
) -> None:
    server = servers.start(props(), apis=APIS)
    servers.serve(server, Echo(server.data_plane_request_channel))
    processor = processor_of(server)
    with stopped_at(processor, "_configure_new_connections") as stop:
        reach(stop, processor)
        sock = servers.connect(server)
        wait_until(lambda: processor._new_connections.size() == 1)
        leave(server, sock)
    wait_for_no_connections(server)
    assert Client(servers.connect(server)).call(b"hello") == b"hello"


@pytest.mark.parametrize("leave", [peer_leaves, peer_resets])
def test_a_peer_that_leaves_before_accept(servers: Servers, leave: Callable[..., None]) -> None:
    server = servers.start(props(), apis=APIS)
    servers.serve(server, Echo(server.data_plane_request_channel))
    acceptor = acceptor_of(server)
    with stopped_at(acceptor, "_accept") as stop:
        sock = servers.connect(server)
        stop.wait()
        leave(server, sock)
    assert Client(servers.connect(server)).call(b"hello") == b"hello"
    wait_until(lambda: server.connection_quotas._total_count == 1)


# Listeners.


@pytest.mark.deviation("D07")
def test_a_listener_removed_while_its_acceptor_waits_for_a_slot(servers: Servers) -> None:
    """The connection that waits was never counted; it is closed. In the origin the collector has to do it."""
    server = servers.start(listeners_props("INTERNAL", "EXTERNAL", inter_broker_listener_name="INTERNAL",
                                           max_connections="1"), apis=APIS)
    servers.serve(server, Echo(server.data_plane_request_channel))
    internal = Client(servers.connect(server, "INTERNAL"))
    assert internal.call(b"hello") == b"hello"
    waiting = servers.connect(server, "EXTERNAL")
    external = server.data_plane_acceptor("EXTERNAL")
    assert external is not None
    condition = server.connection_quotas._counts_lock
    wait_until(lambda: len(condition._waiters) == 1)  # type: ignore[attr-defined]
    removing = Background(lambda: server.remove_listeners([external.end_point]))
    removing.result()
    assert_closed_by_server(waiting)
    assert internal.call(b"still here") == b"still here"
    assert server.connection_quotas._total_count == 1


def test_a_server_that_stops_while_its_acceptor_waits_for_a_slot(
    servers: Servers, stopping: Callable[[SocketServer], Background],
) -> None:
    """The processors close what they have, which gives the acceptor its slot, and then its end."""
    server = servers.start(props(max_connections="1"), apis=APIS)
    servers.connect(server)
    wait_until(lambda: len(processor_of(server).selector.channels()) == 1)
    servers.connect(server)
    condition = server.connection_quotas._counts_lock
    wait_until(lambda: len(condition._waiters) == 1)  # type: ignore[attr-defined]
    stopping(server).result()


def test_a_server_that_stops_while_another_listener_has_the_slot(
    servers: Servers, stopping: Callable[[SocketServer], Background],
) -> None:
    """All processors are told to end before any acceptor is waited for."""
    server = servers.start(listeners_props("EXTERNAL", "INTERNAL", inter_broker_listener_name="INTERNAL",
                                           max_connections="1"), apis=APIS)
    servers.connect(server, "INTERNAL")
    wait_until(lambda: server.connection_quotas._total_count == 1)
    servers.connect(server, "EXTERNAL")
    condition = server.connection_quotas._counts_lock
    wait_until(lambda: len(condition._waiters) == 1)  # type: ignore[attr-defined]
    stopping(server).result()


@pytest.mark.parametrize("point", ["_open_server_socket", "thread.start"])
def test_an_acceptor_closed_while_it_starts(servers: Servers, point: str) -> None:
    """Its authorizer becomes ready just when the server shuts down: that waits, and ends what has begun."""
    port = free_port()
    server = servers.make(props(listeners=f"PLAINTEXT://localhost:{port}"), apis=APIS)
    acceptor = acceptor_of(server)
    authorizer: CompletableFuture[None] = CompletableFuture()
    endpoint = acceptor.end_point.to_java()
    server.enable_request_processing({endpoint: authorizer})
    target: Any = acceptor if point == "_open_server_socket" else acceptor.thread
    with stopped_at(target, point.rpartition(".")[2], after=True) as stop:
        starting = Background(lambda: authorizer.complete(None))
        stop.wait()
        closing = Background(server.shutdown)
        wait_until(lambda: not acceptor._should_run)
        # It has to wait: what is half begun cannot be ended.
        assert not closing.is_done()
    starting.result()
    closing.result()
    assert not acceptor.thread.is_alive()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("localhost", port), 120)


def test_an_acceptor_that_is_shut_down_does_not_start(servers: Servers) -> None:
    server = servers.make(props(), apis=APIS)
    acceptor = acceptor_of(server)
    acceptor.begin_shutdown()
    acceptor.start()
    with pytest.raises(ClosedChannelException):
        acceptor.started_future.get(1000)


def free_port() -> int:
    """Return a port that nobody listens on now."""
    with socket.socket() as sock:
        sock.bind(("localhost", 0))
        port: int = sock.getsockname()[1]
        return port


# Network threads added and removed.


@pytest.mark.deviation("D16")
def test_no_network_thread_is_made_after_the_end_has_begun(servers: Servers) -> None:
    """In the origin it is started, and nobody ends it."""
    server = servers.start(props(), apis=APIS)
    acceptor = acceptor_of(server)
    server.stop_processing_requests()
    made = len(servers.processors)
    acceptor.add_processors(2)
    assert len(servers.processors) == made


@pytest.mark.deviation("D14")
@pytest.mark.parametrize("started", [False, True])
def test_network_threads_that_were_made_before_one_could_not_be_are_kept(
    servers: Servers, monkeypatch: pytest.MonkeyPatch, started: bool,
) -> None:
    """Descriptors run out in between. In the origin those that were made are forgotten, running."""
    server = servers.start(props(), apis=APIS) if started else servers.make(props(), apis=APIS)
    acceptor = acceptor_of(server)
    new_processor = acceptor.new_processor

    def third_fails(id: int, listener_name: ListenerName, security_protocol: SecurityProtocol) -> Processor:
        if id == 3:
            raise OSError(24, "Too many open files")
        return new_processor(id, listener_name, security_protocol)

    monkeypatch.setattr(acceptor, "new_processor", third_fails)
    with pytest.raises(OSError, match="Too many open files"):
        acceptor.add_processors(5)
    assert [processor.id for processor in acceptor.processors()] == [0, 1, 2]
    assert all(processor.thread.is_alive() == started for processor in acceptor.processors())
    assert set(server.data_plane_request_channel._processors) == {0, 1, 2}
    # They are what a later change of the number starts from.
    monkeypatch.undo()
    acceptor.remove_processors(2)
    assert [processor.id for processor in acceptor.processors()] == [0]


def test_removing_no_network_threads_removes_none(servers: Servers) -> None:
    server = servers.start(props(num_network_threads="2"), apis=APIS)
    acceptor_of(server).remove_processors(0)
    assert len(acceptor_of(server).processors()) == 2


@pytest.mark.deviation("D18")
def test_a_network_thread_that_cannot_be_started_is_closed_all_the_same(
    servers: Servers, monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In the origin its selector stays open."""
    server = servers.make(props(), apis=APIS)
    processor = processor_of(server)

    def cannot_start() -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(processor.thread, "start", cannot_start)
    with pytest.raises(RuntimeError, match="Unable to start acceptor"):
        server.enable_request_processing({}).get(10_000)
    server.shutdown()
    assert not processor.selector._nio_selector.is_open()


def test_a_network_thread_that_cannot_be_added_gets_no_connections(
    servers: Servers, monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = servers.start(props(), apis=APIS)
    servers.serve(server, Echo(server.data_plane_request_channel))
    acceptor = acceptor_of(server)

    def cannot_start(self: Processor) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(Processor, "start", cannot_start)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            acceptor.add_processors(1)
    assert [processor.id for processor in acceptor.processors()] == [0]
    assert set(server.data_plane_request_channel._processors) == {0}
    for _ in range(3):
        assert Client(servers.connect(server)).call(b"hello") == b"hello"


# Requests handed over.


def test_a_request_that_has_been_handed_over_keeps_its_memory(servers: Servers) -> None:
    """A later failure on the network thread closes the connection; the handler reads on."""
    server = servers.start(props(), apis=APIS)
    pool = server._memory_pool

    class Reader(ApiRequestHandler):
        def handle(self, request: RequestChannel.Request, request_local: RequestLocal) -> None:
            nonlocal in_use
            with stopped_at(self, "wait") as stop:
                reading.append(stop)
                self.wait()
            in_use = pool.size() - pool.available_memory()

        def wait(self) -> None:
            pass

    in_use = -1
    reading: list[Stop] = []
    processor = processor_of(server)
    mute = processor.selector.mute

    def failing_mute(id: str) -> None:
        mute(id)
        raise ValueError("test")

    processor.selector.mute = failing_mute  # type: ignore[method-assign]
    servers.serve(server, Reader())
    client = Client(servers.connect(server))
    client.send(b"x" * 1000)
    assert_closed_by_server(client.sock)
    wait_for_no_connections(server)
    wait_until(lambda: reading)
    reading[0].wait()
    reading[0].go()
    wait_until(lambda: in_use >= 0)
    assert in_use > 1000
    wait_until(lambda: pool.available_memory() == pool.size())
