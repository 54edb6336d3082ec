# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.network.SocketServerTest of Apache Kafka 2.2.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A socket server with an echo behind it. Eight of the 34 cases are as in 0.10.2.2, and are imported.

A test of another release can import these, and put its own ``server_class``, ``selector_patch`` and ``api``
in.
"""

from __future__ import annotations

import socket
import struct
import sys
import threading
from unittest.mock import Mock

import pytest

from kreactor.common.network.channel_state import ChannelState
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.editions.v0_10_2.common.network.network_send import NetworkSend
from kreactor.editions.v2_2.common.network.kafka_channel import KafkaChannel
from kreactor.editions.v2_2.common.network.selector import Selector
from kreactor.editions.v2_2.core.network import socket_server
from kreactor.editions.v2_2.core.network.request_channel import NoOpResponse, SendResponse
from kreactor.editions.v2_2.core.network.socket_server import Processor, SocketServer
from kreactor.editions.v2_2.core.server.throttled_channel import ThrottledChannel
from kreactor.jdk.concurrent import ArrayBlockingQueue
from kreactor.jdk.exceptions import ControlThrowable
from kreactor.server.metrics.yammer import Gauge, Meter
from kreactor.testing.mock_time import MockTime
from tests.core.network.servers import listeners_props, plaintext_props
from tests.core.network.test_socket_server import producer_request_bytes
from tests.core.network.testable_server import is_socket_connection_id
from tests.editions.testable_selector import LOCAL, testable, wait_for_channel_close
from tests.editions.v0_10_2.core.network import test_socket_server as of_0_10_2
from tests.editions.v0_10_2.core.network.test_socket_server import (
    receive_request,
    receive_response,
    send_request,
)
from tests.stepping import wait_until

SHARED = (
    "test_too_big_request_is_rejected", "test_graceful_close", "test_max_connections_per_ip",
    "test_max_connections_per_ip_overrides", "test_ssl_socket_server", "test_session_principal",
    "test_client_disconnection_updates_request_metrics",
    "test_broker_send_after_channel_closed_updates_request_metrics")
OVERRIDE_CONNECTION_ID = "127.0.0.1:1-127.0.0.1:2-0"
MuteState = KafkaChannel.ChannelMuteState

globals().update({name: vars(of_0_10_2)[name] for name in (*SHARED, "servers")})


class Api(of_0_10_2.Api):
    """The request channel of 2.2, and what its handlers do."""

    @staticmethod
    def channel(server):
        return server.data_plane_request_channel

    @staticmethod
    def processor(server, request):
        return server.data_plane_processor(request.processor)

    @staticmethod
    def connection_id(request) -> str:
        return request.context.connection_id

    @staticmethod
    def answer(channel, request, send: NetworkSend) -> None:
        channel.send_response(SendResponse(request, send, str(request.header()), None))

    @staticmethod
    def no_operation(channel, request) -> None:
        channel.send_response(NoOpResponse(request))


@pytest.fixture
def api():
    return Api()


@pytest.fixture
def server_class():
    return SocketServer


def props(**overrides: str) -> dict[str, str]:
    return plaintext_props() | {
        "socket.send.buffer.bytes": "300000", "socket.receive.buffer.bytes": "300000",
        "queued.max.requests": "50", "socket.request.max.bytes": "50", "max.connections.per.ip": "5",
        "connections.max.idle.ms": "60000"} | {
            name.replace("_", "."): value for name, value in overrides.items()}


@pytest.fixture
def server(servers):
    return servers.start(props())


@pytest.fixture
def selector_patch(monkeypatch):
    """Has processors take a selector that the test can hold."""
    monkeypatch.setattr(socket_server, "KSelector", testable(Selector))


@pytest.fixture
def testable_server(servers, server_class, selector_patch):
    """Starts servers whose processors have such selectors, and the given id or queue of connections."""
    def start(properties=None, connection_id=None, connection_queue_size=None, **options):
        class TestableServer(server_class):
            def new_processor(self, *args):
                processor = super().new_processor(*args)
                if connection_id is not None:
                    processor._connection_id = lambda _: connection_id
                if connection_queue_size is not None:
                    processor._connection_queue_size = connection_queue_size
                    processor._new_connections = ArrayBlockingQueue(connection_queue_size)
                return processor

        return servers.start(properties or props(), TestableServer, **options)

    return start


@pytest.fixture
def healthy(servers, api):
    """Checks that a processor serves the given clients, then a new one."""
    def check(server, sockets=()):
        selector = server.data_plane_processor(0).selector
        selector.reset()
        channel = api.channel(server)
        for sock in sockets:
            send_request(sock, producer_request_bytes())
            api.process_request(channel)
            sock.close()
        wait_until(lambda: server.connection_count(LOCAL) == 0, "channels are not removed")

        sock = servers.connect(server)
        send_request(sock, producer_request_bytes())
        request = receive_request(channel)
        api.process_request(channel, request)
        assert receive_response(sock) == producer_request_bytes()
        assert selector.channel(api.connection_id(request)) is not None
        assert selector.closing_channel(api.connection_id(request)) is None
        sock.close()
        wait_until(lambda: server.connection_count(LOCAL) == 0, "channels are not removed")

    return check


def send_and_receive_request(sock: socket.socket, server, api):
    send_request(sock, producer_request_bytes())
    return receive_request(api.channel(server))


def send_requests_until_staged_receive(server, sock: socket.socket, request_bytes: bytes, api):
    """Return a request behind which another of the same connection is staged."""
    framed = struct.pack(">i", len(request_bytes)) + request_bytes
    found = []

    def staged() -> bool:
        sock.sendall(2 * framed)
        request = receive_request(api.channel(server))
        if api.processor(server, request).num_staged_receives(api.connection_id(request)) > 0:
            found.append(request)
            return True
        api.process_request(api.channel(server), request)
        api.process_request(api.channel(server))
        return False

    wait_until(staged, "no staged receives")
    return found[0]


def verify_acceptor_blocked_percent(server, expect_blocked: bool) -> None:
    [meter] = [metric for name, metric in server.metrics_registry.all_metrics().items()
               if name.get_mbean_name()
               == "kafka.network:type=Acceptor,name=AcceptorBlockedPercent,listener=PLAINTEXT"]
    assert isinstance(meter, Meter)
    if expect_blocked:
        assert 0.0 < meter.mean_rate() <= 1.0
    else:
        assert meter.mean_rate() == 0.0


def test_simple_request(servers, server, api):
    plain_socket = servers.connect(server)
    serialized_bytes = producer_request_bytes()
    send_request(plain_socket, serialized_bytes)
    api.process_request(api.channel(server))
    assert receive_response(plain_socket) == serialized_bytes
    verify_acceptor_blocked_percent(server, expect_blocked=False)


def test_control_plane_request(servers):
    server = servers.start(props() | listeners_props("PLAINTEXT", "CONTROLLER")
                           | {"control.plane.listener.name": "CONTROLLER"})
    sock = servers.connect(server, "CONTROLLER")
    send_request(sock, producer_request_bytes())
    receive_request(server.control_plane_request_channel_opt)


def test_no_op_action(servers, server, api):
    plain_socket = servers.connect(server)
    for _ in range(3):
        send_request(plain_socket, producer_request_bytes())
    for _ in range(3):
        api.no_operation(api.channel(server), receive_request(api.channel(server)))
    assert api.channel(server).receive_request_timeout(0) is None


def test_connection_id(servers, server, api):
    sockets = [servers.connect(server) for _ in range(5)]
    requests = [send_and_receive_request(sock, server, api) for sock in sockets]
    assert [api.connection_id(request).split("-")[-1] for request in requests] == ["0", "1", "2", "3", "4"]


def test_idle_connection(servers, api):
    idle_time_ms = 60000
    time = MockTime()
    server = servers.start(props(connections_max_idle_ms=str(idle_time_ms)), time=time)

    def open_channel(request):
        return api.processor(server, request).channel(api.connection_id(request))

    def open_or_closing_channel(request):
        return api.processor(server, request).open_or_closing_channel(api.connection_id(request))

    # Without staged receives.
    request1 = send_and_receive_request(servers.connect(server), server, api)
    assert open_channel(request1) is not None
    assert open_channel(request1) is open_or_closing_channel(request1)
    time.sleep(idle_time_ms + 1)
    wait_until(lambda: open_or_closing_channel(request1) is None, "the idle channel stays")
    assert open_channel(request1) is None
    api.process_request(api.channel(server), request1)

    # With staged receives.
    request2 = send_requests_until_staged_receive(
        server, servers.connect(server), producer_request_bytes(), api)
    time.sleep(idle_time_ms + 1)
    wait_until(lambda: open_channel(request2) is None, "the idle channel stays")
    assert open_or_closing_channel(request2) is not None
    api.process_request(api.channel(server), request2)  # fails to be sent
    wait_until(lambda: open_or_closing_channel(request2) is None, "the channel with a failed send stays")
    assert api.channel(server).receive_request_timeout(200) is None


def test_connection_id_reuse(servers, testable_server, api):
    idle_time_ms = 60000
    time = MockTime()
    server = testable_server(
        props(connections_max_idle_ms=str(idle_time_ms)), OVERRIDE_CONNECTION_ID, time=time)
    processor = server.data_plane_processor(0)
    selector = processor.selector

    def open_channel():
        return processor.channel(OVERRIDE_CONNECTION_ID)

    def open_or_closing_channel():
        return processor.open_or_closing_channel(OVERRIDE_CONNECTION_ID)

    def connection_count() -> int:
        return server.connection_count(LOCAL)

    def connect_and_wait_for_connection_register() -> socket.socket:
        connections = selector.operation_counts["register"]
        sock = servers.connect(server)
        wait_until(lambda: selector.operation_counts["register"] == connections + 1, "not registered")
        return sock

    socket1 = connect_and_wait_for_connection_register()
    wait_until(lambda: connection_count() == 1 and open_channel() is not None)
    channel1 = open_channel()

    # While the first channel is open, a second one of its id is closed.
    connect_and_wait_for_connection_register()
    wait_until(lambda: connection_count() == 1, "the channel is not closed")
    assert open_channel() is channel1

    # So it is while the first channel is closing, with a staged receive.
    request = send_requests_until_staged_receive(server, socket1, producer_request_bytes(), api)
    time.sleep(idle_time_ms + 1)
    wait_until(lambda: open_channel() is None, "the idle channel stays")
    assert open_or_closing_channel() is channel1
    connect_and_wait_for_connection_register()
    wait_until(lambda: connection_count() == 1, "the channel is not closed")
    assert open_or_closing_channel() is channel1

    # The failed send ends it, and the id is free.
    api.process_request(api.channel(server), request)
    wait_until(lambda: connection_count() == 0 and open_or_closing_channel() is None,
               "the channel with a failed send stays")
    connect_and_wait_for_connection_register()
    wait_until(lambda: connection_count() == 1 and open_channel() is not None)
    new_channel = open_channel()
    assert new_channel is not channel1
    new_channel.disconnect()


def throttled_channel_test_set_up(servers, server, api, no_op_response: bool, throttling_in_progress: bool):
    """Let a handler answer a request of a throttled client; return its socket and its channel."""
    sock = servers.connect(server)
    request = send_and_receive_request(sock, server, api)
    request_channel = api.channel(server)
    throttled_channel = ThrottledChannel(request, MockTime(), 100, request_channel.send_response)
    if no_op_response:
        api.no_operation(request_channel, request)
    else:
        api.process_request(request_channel, request)
    # The quota manager does so when the time is over.
    if not throttling_in_progress:
        throttled_channel.notify_throttling_done()
    return sock, api.processor(server, request).open_or_closing_channel(api.connection_id(request))


def test_send_action_response_with_throttled_channel_where_throttling_in_progress(servers, server, api):
    sock, channel = throttled_channel_test_set_up(servers, server, api, False, True)
    assert receive_response(sock) == producer_request_bytes()
    wait_until(lambda: channel.mute_state() is MuteState.MUTED_AND_THROTTLED)
    assert channel.is_mute()


def test_send_action_response_with_throttled_channel_where_throttling_already_done(servers, server, api):
    sock, channel = throttled_channel_test_set_up(servers, server, api, False, False)
    assert receive_response(sock) == producer_request_bytes()
    wait_until(lambda: channel.mute_state() is MuteState.NOT_MUTED)
    assert not channel.is_mute()


def test_no_op_action_response_with_throttled_channel_where_throttling_in_progress(servers, server, api):
    _, channel = throttled_channel_test_set_up(servers, server, api, True, True)
    wait_until(lambda: channel.mute_state() is MuteState.MUTED_AND_THROTTLED)
    assert channel.is_mute()


def test_no_op_action_response_with_throttled_channel_where_throttling_already_done(servers, server, api):
    _, channel = throttled_channel_test_set_up(servers, server, api, True, False)
    wait_until(lambda: channel.mute_state() is MuteState.NOT_MUTED)
    assert not channel.is_mute()


def test_sockets_close_on_shutdown(servers, server, api):
    plain_socket = servers.connect(server)
    plain_socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    # A request first, so that the connection has been taken up.
    send_request(plain_socket, bytes(40), 0)
    api.process_request(api.channel(server))

    assert all(acceptor.server_channel.is_open() for acceptor in server.data_plane_acceptors.values())
    server.shutdown()

    with pytest.raises(OSError):
        for _ in range(100):
            send_request(plain_socket, bytes(1_000_000), 0)


def test_zero_max_connections_per_ip(servers, api):
    server = servers.start(plaintext_props() | {
        "listeners": "PLAINTEXT://0.0.0.0:0", "advertised.listeners": "PLAINTEXT://127.0.0.1:1",
        "max.connections.per.ip": "0", "max.connections.per.ip.overrides": "127.0.0.1:5"})
    conns = [servers.connect(server) for _ in range(5)]
    assert servers.connect(server).recv(1) == b""

    conns[0].close()
    wait_until(lambda: server.connection_count(LOCAL) < len(conns), "the count was not decremented")
    conn2 = servers.connect(server)
    send_request(conn2, producer_request_bytes())
    receive_request(api.channel(server))

    # An address without an override.
    assert servers.connect(server, source=("127.0.0.2", 0)).recv(1) == b""


def test_client_disconnection_with_staged_receives_fully_processed(servers, testable_server, api):
    server = testable_server(connection_id=OVERRIDE_CONNECTION_ID)
    processor = server.data_plane_processor(0)
    sock = servers.connect(server)
    wait_until(lambda: processor.channel(OVERRIDE_CONNECTION_ID) is not None, "no channel")

    # The channel has a staged receive. So it is closing once its client has left.
    request = send_requests_until_staged_receive(server, sock, producer_request_bytes(1), api)
    # A close is a reset.
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()

    api.process_request(api.channel(server), request)
    wait_until(lambda: processor.open_or_closing_channel(OVERRIDE_CONNECTION_ID) is None,
               "the channel with a failed send stays")
    assert not processor.selector.completed_sends()


def test_request_metrics_after_stop(server, api):
    server.stop_processing_requests()
    version = ApiKeys.PRODUCE.latest_version()
    version2 = version - 1
    channel = api.channel(server)
    for _ in range(2):
        channel.metrics.apply(ApiKeys.PRODUCE.name).request_rate(version).mark()
    channel.metrics.apply(ApiKeys.PRODUCE.name).request_rate(version2).mark()
    assert channel.metrics.apply(ApiKeys.PRODUCE.name).request_rate(version).count() == 2
    channel.update_error_metrics(ApiKeys.PRODUCE, {Errors.NONE: 1})

    def request_metric_meters() -> dict[str, int]:
        return {name.get_mbean_name(): metric.count()
                for name, metric in server.metrics_registry.all_metrics().items()
                if name.get_type() == "RequestMetrics" and isinstance(metric, Meter)}

    prefix = "kafka.network:type=RequestMetrics,name"
    assert {name: count for name, count in request_metric_meters().items() if count} == {
        f"{prefix}=RequestsPerSec,request=Produce,version={version}": 2,
        f"{prefix}=RequestsPerSec,request=Produce,version={version2}": 1,
        f"{prefix}=ErrorsPerSec,request=Produce,error=NONE": 1,
    }
    server.shutdown()
    assert request_metric_meters() == {}


def test_metric_collection_after_shutdown(server):
    server.shutdown()
    values = {name.get_mbean_name(): metric.value()
              for name, metric in server.metrics_registry.all_metrics().items()
              if name.get_name().endswith("IdlePercent") and isinstance(metric, Gauge)}
    assert values
    # NaN is not equal to itself.
    assert not {name: value for name, value in values.items() if value != 0.0 and value == value}


def test_processor_metrics_tags(server):
    listeners = {name.tags()["listener"] for name in server.metrics.metrics() if "listener" in name.tags()}
    assert listeners == {"PLAINTEXT"}

    # Those from before there were listeners do not name one.
    names = [name.get_mbean_name() for name, metric in server.metrics_registry.all_metrics().items()
             if name.get_type() == "Processor" and isinstance(metric, Gauge)]
    assert names
    assert not [name for name in names if "listener=" in name]


def test_configure_new_connection_exception(servers, testable_server, healthy):
    """A connection that cannot be registered is closed; the next in the same round is registered."""
    server = testable_server()
    selector = server.data_plane_processor(0).selector
    selector.update_min_wakeup(2)
    selector.add_failure("register")
    sockets = [servers.connect(server) for _ in range(2)]
    selector.wait_for_operations("register", 2)
    wait_until(lambda: server.connection_count(LOCAL) == 1, "the failed channel stays")

    healthy(server, selector.not_failed(sockets))


def test_process_new_response_exception(servers, testable_server, healthy, api):
    """A channel that a send fails on is closed; the next answer in the same round is sent."""
    server = testable_server()
    processor = server.data_plane_processor(0)
    processor.selector.update_min_wakeup(2)
    sockets = [servers.connect(server) for _ in range(2)]
    for sock in sockets:
        send_request(sock, producer_request_bytes())

    processor.selector.add_failure("send")
    for _ in sockets:
        api.process_request(api.channel(server))
    processor.selector.wait_for_operations("send", 2)
    [failed] = processor.selector.all_failed_channels
    wait_for_channel_close(server, processor, failed, locally_closed=True)

    healthy(server, processor.selector.not_failed(sockets))


def test_send_cancelled_key_exception(servers, testable_server, healthy, api):
    """A channel whose key is cancelled when it is to send is closed by the selector itself."""
    server = testable_server()
    processor = server.data_plane_processor(0)
    processor.selector.update_min_wakeup(2)
    sockets = [servers.connect(server) for _ in range(2)]
    for sock in sockets:
        send_request(sock, producer_request_bytes())
    requests = [receive_request(api.channel(server)) for _ in sockets]
    failed = api.connection_id(requests[0])
    processor.selector.channel(failed).disconnect()
    for request in requests:
        api.process_request(api.channel(server), request)
    processor.selector.wait_for_operations("send", 2)
    wait_for_channel_close(server, processor, failed, locally_closed=False)

    healthy(server, [sock for sock in sockets if not is_socket_connection_id(failed, sock)])


def test_closing_channel_exception(servers, testable_server, healthy, api):
    """A channel that is closing, and that a send fails on, is closed; the next answer is sent."""
    server = testable_server()
    processor = server.data_plane_processor(0)
    processor.selector.update_min_wakeup(2)
    sockets = [servers.connect(server) for _ in range(2)]
    request = send_requests_until_staged_receive(server, sockets[0], producer_request_bytes(), api)
    send_request(sockets[1], producer_request_bytes())

    processor.selector.add_failure("send")
    sockets[0].close()
    api.process_request(api.channel(server), request)
    api.process_request(api.channel(server))
    processor.selector.wait_for_operations("send", 2)
    wait_for_channel_close(server, processor, api.connection_id(request), locally_closed=True)

    healthy(server, [sockets[1]])


def test_process_completed_receive_exception(servers, testable_server, healthy, api):
    """A channel that cannot be muted is closed; the next receive of the same round is processed."""
    server = testable_server()
    processor = server.data_plane_processor(0)
    sockets = [servers.connect(server) for _ in range(2)]
    processor.selector.cached_completed_receives.min_per_poll = 2
    processor.selector.add_failure("mute")
    for sock in sockets:
        send_request(sock, producer_request_bytes())
    requests = [receive_request(api.channel(server)) for _ in sockets]
    processor.selector.wait_for_operations("mute", 2)
    [failed] = processor.selector.all_failed_channels
    wait_for_channel_close(server, processor, failed, locally_closed=True)
    for request in requests:
        api.process_request(api.channel(server), request)

    healthy(server, processor.selector.not_failed(sockets))


def test_process_completed_send_exception(servers, testable_server, healthy, api):
    """A channel that cannot be unmuted is closed; the next send is processed."""
    server = testable_server()
    processor = server.data_plane_processor(0)
    sockets = [servers.connect(server) for _ in range(2)]
    requests = [send_and_receive_request(sock, server, api) for sock in sockets]

    processor.selector.add_failure("unmute")
    for request in requests:
        api.process_request(api.channel(server), request)
    processor.selector.wait_for_operations("unmute", 2)
    [failed] = processor.selector.all_failed_channels
    wait_for_channel_close(server, processor, failed, locally_closed=True)

    healthy(server, processor.selector.not_failed(sockets))


def test_process_disconnected_exception(servers, testable_server, healthy, api, caplog):
    """An id that is none is passed over; the next channel of the same round is counted out."""
    server = testable_server()
    processor = server.data_plane_processor(0)
    sock = servers.connect(server)
    request = send_and_receive_request(sock, server, api)
    api.process_request(api.channel(server), request)

    def add_invalid() -> None:
        disconnected = processor.selector.cached_disconnected
        disconnected.min_per_poll = 2
        disconnected.deferred_values.append(("notAValidConnectionId", ChannelState.EXPIRED))

    processor.selector.run_before_poll(add_invalid)
    sock.close()
    wait_for_channel_close(server, processor, api.connection_id(request), locally_closed=False)

    healthy(server)
    assert "Exception while processing disconnection of notAValidConnectionId" in caplog.text


def test_poll_exception(servers, testable_server, healthy, api, caplog):
    server = testable_server()
    processor = server.data_plane_processor(0)
    sock = servers.connect(server)
    api.process_request(api.channel(server), send_and_receive_request(sock, server, api))

    processor.selector.add_failure("poll")
    processor.selector.operation_counts.clear()
    processor.selector.wait_for_operations("poll", 2)

    healthy(server, [sock])
    assert "processor 0 poll failed" in caplog.text


def test_control_throwable(servers, testable_server, api):
    """It ends the processor, which closes its selector."""
    server = testable_server()
    processor = server.data_plane_processor(0)
    api.process_request(api.channel(server), send_and_receive_request(servers.connect(server), server, api))

    processor.selector.operation_counts.clear()
    processor.selector.add_failure("poll", ControlThrowable())
    processor.selector.wait_for_operations("poll", 1)
    processor.selector.wait_for_operations("close selector", 1)


@pytest.mark.parametrize("first_fails, processed", [(False, 3), (True, 4)])
def test_a_round_takes_as_many_new_connections_as_the_queue_holds(first_fails, processed):
    """While the acceptor goes on filling the queue, open connections get their turn."""
    taken = []

    def poll():
        assert len(taken) < 10
        taken.append(Mock())
        return taken[-1]

    def register(id, channel):
        if first_fails and channel is taken[0]:
            raise OSError("of the test")

    processor = Mock(spec=Processor, _connection_queue_size=3, _new_connections=Mock(poll=poll), id=0)
    processor.selector = Mock(register=register)
    Processor._configure_new_connections(processor)
    # A connection that could not be registered does not count.
    assert len(taken) == processed
    assert [call.args[0] for call in processor.close_channel.call_args_list] == taken[:first_fails]


def test_connection_rate_limit(servers, testable_server, healthy):
    """A processor takes no more connections in a round than its queue holds; the acceptor waits."""
    num_connections = 5
    server = testable_server(props(max_connections_per_ip=str(num_connections)), connection_queue_size=1)
    selector = server.data_plane_processor(0).selector
    errors: list[str] = []

    def acceptor_blocked() -> bool:
        """Return whether the acceptor waits for room in a processor's queue."""
        acceptors = [thread for thread in threading.enumerate() if "kafka-socket-acceptor" in thread.name]
        if not acceptors:
            errors.append("there is no acceptor")
        for thread in acceptors:
            frame = sys._current_frames().get(thread.ident or 0)
            while frame is not None:
                if frame.f_code.co_name == "put" and frame.f_globals["__name__"] == "queue":
                    return True
                frame = frame.f_back
        return False

    def registered() -> int:
        return selector.operation_counts["register"]

    def wait_until_acceptor_blocked() -> None:
        try:
            wait_until(lambda: errors or registered() >= num_connections - 1 or acceptor_blocked(), "", 120)
        except AssertionError:
            errors.append("the acceptor does not wait")

    selector.poll_callback = wait_until_acceptor_blocked
    selector.operation_counts.clear()
    sockets = [servers.connect(server) for _ in range(num_connections)]
    wait_until(lambda: errors or registered() == num_connections, "connections are not registered")
    assert errors == []
    # One connection a round, and the last round not polled yet.
    assert selector.operation_counts["poll"] >= num_connections - 1
    verify_acceptor_blocked_percent(server, expect_blocked=True)
    selector.poll_callback = lambda: None

    healthy(server, sockets)
