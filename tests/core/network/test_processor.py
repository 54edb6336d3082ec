# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The network thread where no other test looks: re-authentication, and what is measured of whom."""

from __future__ import annotations

import logging
import math
import select
import struct

import pytest

from kreactor.common.kafka_exception import KafkaException
from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.metrics.metric_config import MetricConfig
from kreactor.common.network.channel_state import ChannelState
from kreactor.common.network.client_information import ClientInformation
from kreactor.common.network.kafka_channel import KafkaChannel
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.network_receive import NetworkReceive
from kreactor.common.network.send import Send
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.api_versions_request import ApiVersionsRequest
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.requests.sasl_handshake_request import SaslHandshakeRequest
from kreactor.core.network.companions import CONNECTION_QUEUE_SIZE, INT_MAX_VALUE
from kreactor.core.network.processor import Processor
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.network.socket_server import SocketServer
from kreactor.jdk.net import InetAddress
from kreactor.jdk.nio_channels import SocketChannel
from kreactor.server.metrics.kafka_yammer_metrics import KafkaYammerMetrics
from kreactor.server.metrics.yammer import Gauge
from tests.core.network.opaque import APIS, Client, answer, payload_of
from tests.core.network.servers import (
    Servers,
    assert_closed_by_server,
    assert_no_connection_counted,
    assert_nothing_left_of_processor,
    listeners_props,
    plaintext_props,
    receive_request,
    reset,
    send_request,
)
from tests.stepping import WOKEN_S, overtaken_by_the_sleeper, stopped_at, wait_until

PLAIN_HANDSHAKE = struct.pack(">hhihh5s", ApiKeys.SASL_HANDSHAKE.id, 1, 7, -1, 5, b"PLAIN")


@pytest.fixture
def server(servers: Servers) -> SocketServer:
    return servers.start(plaintext_props(queued_max_request_bytes="100000", socket_request_max_bytes="10000"),
                         apis=[*APIS, ApiKeys.SASL_HANDSHAKE])


def processor_of(server: SocketServer) -> Processor:
    [acceptor] = server._data_plane_acceptors.values()
    [processor] = acceptor.processors()
    return processor


def test_the_share_of_time_that_a_network_thread_is_idle(server: SocketServer) -> None:
    processor = processor_of(server)
    [idle_percent] = [
        metric for name, metric in KafkaYammerMetrics.default_registry().all_metrics().items()
        if name.get_mbean_name() == "kafka.network:type=Processor,name=IdlePercent,networkProcessor=0"]
    assert isinstance(idle_percent, Gauge)
    wait_until(lambda: 0 < idle_percent.value() <= 1)
    io_wait_ratio = server.metrics.metric_name(
        "io-wait-ratio", "socket-server-metrics", "", processor.metric_tags)
    metric = server.metrics.remove_metric(io_wait_ratio)
    assert idle_percent.value() == 0.0
    # A thread cannot have waited for longer than there was time.
    server.metrics.add_metric(io_wait_ratio, lambda config, now: 1.25)
    assert idle_percent.value() == 1.0
    server.metrics.remove_metric(io_wait_ratio)
    assert metric is not None


def test_gauges_of_both_planes(servers: Servers) -> None:
    server = servers.start(
        listeners_props("PLAINTEXT", "CONTROLLER", control_plane_listener_name="CONTROLLER",
                        zookeeper_connect="localhost:2181"), apis=APIS)
    assert server.config.requires_zookeeper()
    acceptor = server._control_plane_acceptor_opt
    assert acceptor is not None
    [processor] = acceptor.processors()
    processor._expired_connections_killed_count.record(MetricConfig(), 3, 0)

    def value(name: str) -> float:
        mbean_name = f"kafka.network:type=SocketServer,name={name}"
        [gauge] = [metric for key, metric in KafkaYammerMetrics.default_registry().all_metrics().items()
                   if key.get_mbean_name() == mbean_name]
        assert isinstance(gauge, Gauge)
        return gauge.value()

    assert {key.get_mbean_name() for key in KafkaYammerMetrics.default_registry().all_metrics()} >= {
        "kafka.network:type=Acceptor,name=AcceptorBlockedPercent,listener=PLAINTEXT",
        "kafka.network:type=Acceptor,name=ControlPlaneAcceptorBlockedPercent,listener=CONTROLLER"}
    for plane in ("", "ControlPlane"):
        wait_until(lambda: 0 < value(f"{plane}NetworkProcessorAvgIdlePercent") <= 1)
    assert value("ControlPlaneExpiredConnectionsKilledCount") == 3
    assert value("ExpiredConnectionsKilledCount") == 0
    for number, processor in enumerate(server._data_plane_processors(), 1):
        processor._expired_connections_killed_count.record(MetricConfig(), number, 0)
    assert value("ExpiredConnectionsKilledCount") == sum(range(1, number + 1))
    for name in ("MemoryPoolAvgDepletedPercent", "MemoryPoolDepletedTimeTotal"):
        assert server.metrics.metric(server.metrics.metric_name(name, "socket-server-metrics")) is not None
    server._control_plane_acceptor_opt = None
    assert math.isnan(value("ControlPlaneNetworkProcessorAvgIdlePercent"))
    assert value("ControlPlaneExpiredConnectionsKilledCount") == 0
    server._control_plane_acceptor_opt = acceptor


def test_the_port_of_a_listener_that_is_none(server: SocketServer) -> None:
    assert server.bound_port(ListenerName("PLAINTEXT")) > 0
    with pytest.raises(KafkaException, match="^Tried to check for port of non-existing protocol$"):
        server.bound_port(ListenerName("NOWHERE"))


def test_a_selector_that_fails_to_close_leaves_no_metrics(
    servers: Servers, server: SocketServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
) -> None:
    selector = processor_of(server).selector
    close = selector.close

    def fail() -> None:
        close()
        raise OSError("Test exception")

    monkeypatch.setattr(selector, "close", fail)
    servers.stop(server)
    assert [record.exc_info[1].args for record in caplog.records if record.exc_info] == [("Test exception",)]
    assert_nothing_left_of_processor(processor_of(server))


def test_a_round_registers_no_more_connections_than_a_queue_holds(
    servers: Servers, server: SocketServer, monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The others get their turn in between, and those that are left do not wait for the poll."""
    processor = processor_of(server)
    selector = processor.selector
    register, poll = selector.register, selector.poll
    timeouts: list[int] = []

    def register_and_wait_for_more(id: str, channel: SocketChannel) -> None:
        register(id, channel)
        left = 25 - len(selector.channels())
        wait_until(lambda: processor._new_connections.size() == min(left, CONNECTION_QUEUE_SIZE))

    def noting_poll(timeout: int) -> None:
        timeouts.append(timeout)
        poll(timeout)

    with stopped_at(processor, "_configure_new_connections") as begin, \
            stopped_at(processor, "_process_new_responses", when=lambda: bool(selector.channels())) as end:
        processor.wakeup()
        begin.wait()
        for _ in range(25):
            servers.connect(server)
        wait_until(lambda: processor._new_connections.size() == CONNECTION_QUEUE_SIZE)
        monkeypatch.setattr(selector, "register", register_and_wait_for_more)
        monkeypatch.setattr(selector, "poll", noting_poll)
        begin.go()
        end.wait()
        assert len(selector.channels()) == CONNECTION_QUEUE_SIZE == 20
    wait_until(lambda: len(selector.channels()) == 25)
    assert timeouts[0] == 0


def test_the_number_of_a_connection_begins_again_behind_the_largest_int(
    servers: Servers, server: SocketServer,
) -> None:
    processor = processor_of(server)
    processor._next_connection_index = INT_MAX_VALUE
    for count in (1, 2):
        servers.connect(server)
        wait_until(lambda: len(processor.selector.channels()) == count)
    numbers = [channel.id().rpartition("-")[2] for channel in processor.selector.channels()]
    assert numbers == [str(INT_MAX_VALUE), "0"]


def test_an_answer_that_left_before_its_connection_went_is_complete(
    servers: Servers, server: SocketServer, caplog: pytest.LogCaptureFixture,
) -> None:
    """Both at once: what was sent comes first, and finds its answer under way."""
    processor = processor_of(server)
    selector, channel = processor.selector, server.data_plane_request_channel
    client = Client(servers.connect(server))
    client.send(b"request")
    request = receive_request(channel)
    complete: list[Send] = []
    with stopped_at(processor, "_process_completed_sends",
                    when=lambda: bool(selector.completed_sends())) as stop, \
            stopped_at(processor, "_close_excess_connections", when=lambda: not selector.channels()) as end:
        answer(channel, request, b"answer", complete.append)
        request.release_buffer()
        stop.wait()
        selector.close_id(request.context.connection_id)
        selector._disconnected[request.context.connection_id] = ChannelState.READY
        stop.go()
        end.wait()
        assert len(complete) == 1 and processor.inflight_response_count() == 0
        assert channel.metrics.apply("SaslAuthenticate").total_time_hist.count() == 1
        assert_no_connection_counted(server)
    assert client.receive() == (0, b"answer")
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def test_a_sasl_handshake_is_a_request_where_sessions_do_not_expire(
    servers: Servers, server: SocketServer,
) -> None:
    client = Client(servers.connect(server))
    send_request(client.sock, PLAIN_HANDSHAKE)
    request = receive_request(server.data_plane_request_channel)
    assert request.body(SaslHandshakeRequest).data().mechanism == "PLAIN"
    answer(server.data_plane_request_channel, request, b"no")
    assert client.receive() == (7, b"no")


def test_a_sasl_handshake_that_begins_a_reauthentication_is_no_request(
    servers: Servers, server: SocketServer, monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[bytes] = []

    def begin(channel: KafkaChannel, receive: NetworkReceive, now_nanos: object) -> bool:
        begun.append(receive.payload().rewind().to_bytes())
        receive.close()
        return True

    monkeypatch.setattr(KafkaChannel, "maybe_begin_server_reauthentication", begin)
    client = Client(servers.connect(server))
    send_request(client.sock, PLAIN_HANDSHAKE)
    # Nor does it keep requests from being read, or is asked for any other.
    client.send(b"next")
    request = receive_request(server.data_plane_request_channel)
    assert begun == [PLAIN_HANDSHAKE] and payload_of(request) == b"next"
    answer(server.data_plane_request_channel, request, b"done")
    request.release_buffer()
    assert client.receive() == (0, b"done")


def test_the_time_of_the_network_thread_is_told_with_the_answer(
    servers: Servers, server: SocketServer, caplog: pytest.LogCaptureFixture,
) -> None:
    told: list[int] = []
    channel = server.data_plane_request_channel

    answered = Client(servers.connect(server))
    answered.send(b"answered")
    request = receive_request(channel)
    request.record_network_thread_time_callback = told.append
    answer(channel, request, b"answer")
    request.release_buffer()
    answered.receive()
    wait_until(lambda: told, "nothing was told")
    assert told.pop() > 0

    # Of a connection that is gone nothing is known.
    gone = Client(servers.connect(server))
    gone.send(b"gone")
    request = receive_request(channel)
    request.record_network_thread_time_callback = told.append
    processor = processor_of(server)
    channel_id = request.context.connection_id
    reset(gone.sock)
    kafka_channel = processor.channel(channel_id)
    assert kafka_channel is not None
    channel.send_no_op_response(request)
    request.release_buffer()
    wait_until(lambda: processor.open_or_closing_channel(channel_id) is None, "the connection stays")
    told.clear()
    for tell in (lambda: answer(channel, request, b"answer"), lambda: channel.send_no_op_response(request)):
        tell()
        wait_until(lambda: told, "nothing was told")
        assert told.pop() == 0
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize("where", ["register", "poll", "disconnected"])
@pytest.mark.parametrize("error", [ValueError, SystemExit])
def test_nothing_that_is_raised_ends_a_network_thread(
    servers: Servers, server: SocketServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
    where: str, error: type[BaseException],
) -> None:
    """It is logged with its cause, and those who come next are served."""
    processor = processor_of(server)
    target = processor.selector
    original = getattr(target, where)
    raised: list[BaseException] = []

    def fail_once(*args: object) -> object:
        if not raised:
            raised.append(error("ends the thread"))
            raise raised[0]
        return original(*args)

    monkeypatch.setattr(target, where, fail_once)
    first = servers.connect(server)
    wait_until(lambda: bool(raised))
    first.close()
    client = Client(servers.connect(server))
    client.send(b"request")
    request = receive_request(server.data_plane_request_channel)
    answer(server.data_plane_request_channel, request, b"answer")
    request.release_buffer()
    assert client.receive() == (0, b"answer")
    assert [record.exc_info[1] for record in caplog.records if record.exc_info] == raised


def test_a_request_that_ends_its_thread_closes_its_connection_only(
    servers: Servers, server: SocketServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
) -> None:
    channel = server.data_plane_request_channel
    send = channel.send_request

    def fail_once(request: RequestChannel.Request) -> None:
        monkeypatch.setattr(channel, "send_request", send)
        raise SystemExit("of a request")

    monkeypatch.setattr(channel, "send_request", fail_once)
    Client(first := servers.connect(server)).send(b"request")
    assert_closed_by_server(first)
    client = Client(servers.connect(server))
    client.send(b"request")
    request = receive_request(channel)

    def fail_to_answer(*_: object) -> None:
        raise SystemExit("of an answer")

    monkeypatch.setattr(processor_of(server), "_send_response", fail_to_answer)
    answer(channel, request, b"answer")
    request.release_buffer()
    assert_closed_by_server(client.sock)

    def causes() -> set[str]:
        return {str(record.exc_info[1]) for record in caplog.records if record.exc_info}

    wait_until(lambda: causes() == {"of a request", "of an answer"}, "not both are logged")


def test_the_end_of_a_connection_that_cannot_be_counted_is_told(
    servers: Servers, server: SocketServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
) -> None:
    quotas = processor_of(server)._connection_quotas
    dec = quotas.dec
    error = ValueError("of the quotas")

    def fail(listener_name: ListenerName, address: InetAddress) -> None:
        dec(listener_name, address)
        raise error

    monkeypatch.setattr(quotas, "dec", fail)
    client = Client(servers.connect(server))
    client.send(b"request")
    request = receive_request(server.data_plane_request_channel)
    answer(server.data_plane_request_channel, request, b"answer")
    request.release_buffer()
    assert client.receive() == (0, b"answer")
    client.sock.close()
    wait_until(lambda: [record for record in caplog.records if record.exc_info])
    [record] = caplog.records
    assert "Exception while processing disconnection of 127.0.0.1:" in record.getMessage()
    assert record.exc_info is not None and record.exc_info[1] is error


def test_each_event_wakes_the_network_thread(servers: Servers) -> None:
    """The selects of this one end by an event alone, and not after 300 ms."""
    server = servers.start(plaintext_props(num_network_threads="1"), apis=APIS)
    [processor] = server._data_plane_processors()
    poll = processor.selector.poll
    with stopped_at(processor, "_poll") as stop:
        processor.wakeup()
        stop.wait()
        processor.selector.poll = lambda timeout: poll(  # type: ignore[method-assign]
            2**31 - 1 if timeout else 0)
    client = Client(servers.connect(server))
    client.send(b"request")
    request = receive_request(server.data_plane_request_channel)
    request.release_buffer()
    answer(server.data_plane_request_channel, request, b"answer")
    assert client.receive() == (0, b"answer")
    server.begin_drain()
    wait_until(server.is_drained)
    servers.stop(server)


@pytest.mark.parametrize("text, parsed", [
    ("127.0.0.1:9092-127.0.0.1:5000-0", ("127.0.0.1", 9092, "127.0.0.1", 5000, 0)),
    ("[::1]:9092-[fe80::1]:5000-12", ("::1", 9092, "fe80::1", 5000, 12)),
    ("127.0.0.1:9092-127.0.0.1:5000", None),
    ("127.0.0.1:9092-127.0.0.1:5000-0-1", None),
    ("127.0.0.1-127.0.0.1:5000-0", None),
    ("127.0.0.1:9092-127.0.0.1:-0", None),
])
def test_the_id_of_a_connection_names_both_ends(text: str, parsed: tuple[object, ...] | None) -> None:
    connection_id = Processor.ConnectionId.from_string(text)
    if parsed is None:
        assert connection_id is None
    else:
        assert connection_id is not None
        assert (connection_id.local_host, connection_id.local_port, connection_id.remote_host,
                connection_id.remote_port, connection_id.index) == parsed


def errors_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [str(record.exc_info[1]) for record in caplog.records if record.exc_info]


def test_a_connection_that_goes_before_its_receive_is_looked_at(
    servers: Servers, server: SocketServer, caplog: pytest.LogCaptureFixture,
) -> None:
    """The memory of the receive is given back, and other connections are served."""
    processor = processor_of(server)
    client = Client(servers.connect(server))
    with stopped_at(processor, "_process_completed_receives",
                    when=lambda: bool(processor.selector.completed_receives())) as stop:
        client.send(b"request")
        stop.wait()
        [receive] = processor.selector.completed_receives()
        [channel] = processor.selector.channels()
        used = server._memory_pool.size() - server._memory_pool.available_memory()
        assert used == receive.payload().capacity()
        address = channel.socket_address()
        processor.selector.close_id(channel.id())
        assert address is not None
        server.connection_quotas.dec(ListenerName("PLAINTEXT"), address)
        stop.go()
    wait_until(lambda: errors_of(caplog), "nothing is told")
    assert errors_of(caplog) == [f"Channel {receive.source()} removed from selector before processing "
                                 "completed receive"]
    assert server._memory_pool.available_memory() == server._memory_pool.size()
    assert Client(servers.connect(server)).send(b"next") == 0
    request = receive_request(server.data_plane_request_channel)
    assert payload_of(request) == b"next"
    request.release_buffer()


def test_a_send_that_nobody_knows_of_closes_its_connection(
    servers: Servers, server: SocketServer, caplog: pytest.LogCaptureFixture,
) -> None:
    processor = processor_of(server)
    client = Client(servers.connect(server))
    client.send(b"request")
    request = receive_request(server.data_plane_request_channel)
    with stopped_at(processor, "_process_completed_sends",
                    when=lambda: bool(processor.selector.completed_sends())) as stop:
        answer(server.data_plane_request_channel, request, b"answer")
        stop.wait()
        processor._inflight_responses.clear()
        stop.go()
    request.release_buffer()
    assert client.receive() == (0, b"answer")
    assert_closed_by_server(client.sock)
    connection_id = request.context.connection_id
    wait_until(lambda: errors_of(caplog), "nothing is told")
    assert set(errors_of(caplog)) == {f"Send for {connection_id} completed, but not in `inflightResponses`"}
    assert_no_connection_counted(server)


@pytest.mark.parametrize("name, version, is_known", [
    ("kreactor", "0.1.0", True), ("with a space", "1", False), ("kreactor", "", False)])
def test_a_client_is_known_by_a_name_that_is_one(
    servers: Servers, name: str, version: str, is_known: bool,
) -> None:
    """Another request is answered like any other, and says nothing of the client."""
    server = servers.start(plaintext_props(), apis=[*APIS, ApiKeys.API_VERSIONS])
    sock = servers.connect(server)
    body = ApiVersionsRequest(ApiVersionsRequestData(
        client_software_name=name, client_software_version=version), 3)
    send_request(sock, body.serialize_with_header(
        RequestHeader.of(ApiKeys.API_VERSIONS, 3, "client", 9)).to_bytes())
    request = receive_request(server.data_plane_request_channel)
    [channel] = processor_of(server).selector.channels()
    assert channel.channel_metadata_registry().client_information() == (
        ClientInformation(name, version) if is_known else ClientInformation.EMPTY)
    answer(server.data_plane_request_channel, request, b"versions")
    assert Client(sock).receive() == (9, b"versions")


def test_a_thread_without_connections_has_none_to_close_for_others(
    servers: Servers, monkeypatch: pytest.MonkeyPatch, server: SocketServer, caplog: pytest.LogCaptureFixture,
) -> None:
    """The listener that has too many connections may have them on its other threads."""
    asked: list[ListenerName] = []

    def max_connections_exceeded(listener_name: ListenerName) -> bool:
        asked.append(listener_name)
        return True

    with monkeypatch.context() as patched:
        patched.setattr(server.connection_quotas, "max_connections_exceeded", max_connections_exceeded)
        processor = processor_of(server)
        for _ in range(2):
            seen = len(asked)
            processor.wakeup()
            wait_until(lambda: len(asked) > seen)
    client = Client(servers.connect(server))
    client.send(b"request")
    receive_request(server.data_plane_request_channel).release_buffer()
    assert not errors_of(caplog)


def test_a_thread_is_started_once(server: SocketServer) -> None:
    processor = processor_of(server)
    thread = processor.thread
    processor.start()
    assert processor.thread is thread and thread.is_alive()


def test_a_queue_has_nothing_to_close_where_no_connection_came(server: SocketServer) -> None:
    processor = processor_of(server)
    server.connection_quotas.close_channel(processor, ListenerName("PLAINTEXT"), None)
    assert_no_connection_counted(server)


def test_a_response_leaves_although_its_network_thread_is_faster_than_the_handler(
    servers: Servers, server: SocketServer,
) -> None:
    """The network thread makes a whole round, and sleeps again, as soon as the handler wakes it."""
    processor, channel = processor_of(server), server.data_plane_request_channel
    client = Client(servers.connect(server))
    client.send(b"request")
    request = receive_request(channel)
    request.release_buffer()
    with overtaken_by_the_sleeper(processor, "selector", "poll"):
        answer(channel, request, b"answer")
        assert select.select([client.sock], [], [], WOKEN_S)[0], "the response does not leave"
        assert client.receive() == (0, b"answer")


def test_a_connection_is_served_although_its_network_thread_is_faster_than_the_acceptor(
    servers: Servers, server: SocketServer,
) -> None:
    processor = processor_of(server)
    with overtaken_by_the_sleeper(processor, "selector", "poll"):
        servers.connect(server)
        wait_until(lambda: processor.selector.channels(), "nobody takes the connection", WOKEN_S)


def test_a_network_thread_ends_although_it_is_faster_than_the_thread_that_ends_it(
    server: SocketServer,
) -> None:
    processor = processor_of(server)
    with overtaken_by_the_sleeper(processor, "selector", "poll"):
        processor.begin_shutdown()
        processor.thread.join(WOKEN_S)
        assert not processor.thread.is_alive()


def test_a_network_thread_reads_no_more_although_it_is_faster_than_the_thread_that_drains_it(
    servers: Servers, server: SocketServer,
) -> None:
    processor = processor_of(server)
    servers.connect(server)
    wait_until(processor.selector.channels)
    with overtaken_by_the_sleeper(processor, "selector", "poll"):
        processor.begin_drain()
        wait_until(processor.is_drained, "nobody drains the connections", WOKEN_S)
        assert all(channel.is_muted() for channel in processor.selector.channels())
