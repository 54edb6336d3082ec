# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.SelectorTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The selector against an echo server, over every selector class that the host has.

A test of another transport can import these and put its own ``server`` and ``channel_builder`` in.
"""

from __future__ import annotations

import os
import socket
from itertools import chain, repeat
from typing import Iterator
from unittest.mock import Mock

import pytest

from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.memory.simple_memory_pool import SimpleMemoryPool
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network import selector as selector_module
from kreactor.common.network.byte_buffer_send import ByteBufferSend
from kreactor.common.network.channel_builder import ChannelBuilder
from kreactor.common.network.channel_state import ChannelState
from kreactor.common.network.client_information import ClientInformation
from kreactor.common.network.kafka_channel import KafkaChannel
from kreactor.common.network.network_receive import NetworkReceive
from kreactor.common.network.network_send import NetworkSend
from kreactor.common.network.plaintext_channel_builder import PlaintextChannelBuilder
from kreactor.common.network.selector import Selector
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.net import InetSocketAddress
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import ServerSocketChannel, SocketChannel
from kreactor.jdk.nio_selector import SelectionKey
from kreactor.testing.mock_time import MockTime
from tests.common.network.echo_server import EchoServer
from tests.common.network.network_test_utils import (
    BUFFER_SIZE,
    CONNECTION_MAX_IDLE_MS,
    as_string,
    create_channel_builder,
    create_selector,
    create_send,
    framed,
    metric_value,
    polled,
    random_string,
    wait_for_channel_connected,
    wait_for_channel_ready,
    wait_for_condition,
)

pytestmark = pytest.mark.usefixtures("selector_class")


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
def channel_builder() -> ChannelBuilder:
    return create_channel_builder()


@pytest.fixture
def metrics() -> Iterator[Metrics]:
    with Metrics() as metrics:
        yield metrics


@pytest.fixture
def selector(selector_class, server, time, channel_builder, metrics) -> Iterator[Selector]:
    selector = create_selector(channel_builder, time, metrics)
    try:
        yield selector
        verify_selector_empty(selector)
    finally:
        selector.close()


@pytest.fixture
def listener() -> Iterator[ServerSocketChannel]:
    channel = ServerSocketChannel.open()
    channel.bind(InetSocketAddress("127.0.0.1", 0))
    yield channel
    channel.close()


def test_server_disconnect(selector, server):
    node = "0"
    blocking_connect(selector, server, node)
    assert blocking_request(selector, node, "hello") == "hello"
    channel = selector.channel(node)

    server.close_connections()
    wait_for_condition(lambda: polled(selector, 1000) and node in selector.disconnected(), "not disconnected")
    assert channel.selection_key().attachment() is None

    blocking_connect(selector, server, node)
    assert blocking_request(selector, node, "hello") == "hello"


def test_cant_send_with_in_progress(selector, server):
    node = "0"
    blocking_connect(selector, server, node)
    selector.send(create_send(node, "test1"))
    with pytest.raises(IllegalStateException, match="prior send operation still in progress"):
        selector.send(create_send(node, "test2"))
    selector.poll(0)
    assert selector.disconnected()[node] is ChannelState.FAILED_SEND


def test_send_without_connecting(selector):
    with pytest.raises(IllegalStateException, match="no connection. Connection id 0 existing connections"):
        selector.send(create_send("0", "test"))


def test_no_route_to_host(selector, server):
    address = InetSocketAddress.create_unresolved("some.invalid.hostname.foo.bar.local", server.port)
    with pytest.raises(OSError, match="Can't resolve address: some.invalid.hostname.foo.bar.local"):
        selector.connect("0", address, BUFFER_SIZE, BUFFER_SIZE)


def test_connection_refused(selector):
    node = "0"
    with socket.socket() as not_listening:
        not_listening.bind(("127.0.0.1", 0))
        selector.connect(node, InetSocketAddress(*not_listening.getsockname()), BUFFER_SIZE, BUFFER_SIZE)
        wait_for_condition(lambda: polled(selector, 1000) and selector.disconnected(), "not refused")
        assert selector.disconnected()[node].state() is ChannelState.State.NOT_CONNECTED
        assert selector.connected() == []


def test_normal_operation(selector, server, channel_builder, metrics):
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

        for send in list(selector.completed_sends()):
            dest = send.destination_id()
            requests[dest] += 1
            if requests[dest] < reqs:
                selector.send(create_send(dest, f"{dest}-{requests[dest]}"))

    ciphers = [metric for name, metric in metrics.metrics().items() if "cipher" in name.tags()]
    if isinstance(channel_builder, PlaintextChannelBuilder):
        assert ciphers == []
    else:
        assert [metric.metric_value() for metric in ciphers] == [5]


def test_send_large_request(selector, server):
    node = "0"
    blocking_connect(selector, server, node)
    big = random_string(10 * BUFFER_SIZE)
    assert blocking_request(selector, node, big) == big


def test_partial_send_and_receive_reflected_in_metrics(selector, server, metrics):
    node = "0"
    blocking_connect(selector, server, node)
    send = ByteBufferSend.size_prefixed(ByteBuffer.wrap(random_string(20 * BUFFER_SIZE).encode()))
    selector.send(NetworkSend(node, send))
    channel = selector.channel(node)

    def received() -> bool:
        assert total(metrics, "outgoing-byte-total") == send.size() - send.remaining()
        current_receive = channel.current_receive()
        if current_receive is not None:
            assert total(metrics, "incoming-byte-total") == current_receive.bytes_read()
        selector.poll(50)
        return bool(selector.completed_receives())

    wait_for_condition(received, "no response")
    assert total(metrics, "request-total") == 1
    assert total(metrics, "response-total") == 1


def test_large_message_sequence(selector, server):
    node = "0"
    connect(selector, server, node)
    send_and_receive(selector, node, random_string(512 * 1024), 0, 50)


def test_empty_request(selector, server):
    blocking_connect(selector, server, "0")
    assert blocking_request(selector, "0", "") == ""


def test_clear_completed_sends_and_receives(selector, server):
    node = "0"
    connect(selector, server, node)
    request = random_string(1024)
    selector.send(create_send(node, request))
    sent = received = False
    while not sent or not received:
        selector.poll(1000)
        assert not selector.disconnected()
        if selector.completed_sends():
            assert len(selector.completed_sends()) == 1
            selector.clear_completed_sends()
            assert not selector.completed_sends()
            sent = True
        if selector.completed_receives():
            assert [as_string(receive) for receive in selector.completed_receives()] == [request]
            selector.clear_completed_receives()
            assert not selector.completed_receives()
            received = True


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

    wait_for_condition(lambda: polled(selector) and selector.completed_receives(), "no response")
    assert [receive.source() for receive in selector.completed_receives()] == ["0"]

    selector.unmute("1")
    wait_for_condition(lambda: polled(selector) and selector.completed_receives(), "no response")
    assert [receive.source() for receive in selector.completed_receives()] == ["1"]


def test_close_all_channels(server):
    closed: list[str] = []

    class FailingChannel(KafkaChannel):
        __slots__ = ()

        def close(self):
            closed.append(self.id())
            super().close()
            if len(closed) == 1:
                raise RuntimeError("you should fail")

    class Builder(PlaintextChannelBuilder):
        def _build_channel_transport_layer(self, *args):
            return FailingChannel(*args)

    builder = Builder(None)
    builder.configure({})
    selector = create_selector(builder, MockTime())
    for id in ("0", "1"):
        connect(selector, server, id)
    with pytest.raises(RuntimeError, match="you should fail"):
        selector.close()
    assert closed == ["0", "1"]


def test_register_failure(monkeypatch):
    channel_builder = Mock(spec=ChannelBuilder)
    channel_builder.build_channel.side_effect = RuntimeError("Test exception")
    registry = Mock(spec=selector_module.SelectorChannelMetadataRegistry)
    monkeypatch.setattr(selector_module, "SelectorChannelMetadataRegistry", lambda sensors: registry)
    selector = create_selector(channel_builder, MockTime())
    socket_channel = SocketChannel.open()
    socket_channel.configure_blocking(False)
    with pytest.raises(OSError) as raised:
        selector.register("1", socket_channel)
    assert "Test exception" in str(raised.value.__cause__)
    assert not socket_channel.is_open()
    # There is no channel whose close would do it.
    registry.close.assert_called_once_with()
    selector.close()


def test_close_oldest_connection(selector, server, time):
    connect(selector, server, "0")
    wait_for_channel_connected(selector, "0")
    time.sleep(CONNECTION_MAX_IDLE_MS + 1_000)
    selector.poll(0)
    assert selector.disconnected() == {"0": ChannelState.EXPIRED}


def test_idle_expiry_without_ready_keys(selector, server, time):
    connect(selector, server, "0")
    selector.channel("0").selection_key().interest_ops_to(0)
    time.sleep(CONNECTION_MAX_IDLE_MS + 1_000)
    selector.poll(0)
    assert selector.disconnected() == {"0": ChannelState.EXPIRED}


class ImmediatelyConnectingSelector(Selector):
    """Waits for the connection within ``connect``."""

    def _do_connect(self, channel, address):
        channel.configure_blocking(True)
        connected = super()._do_connect(channel, address)
        channel.configure_blocking(False)
        return connected


def test_immediately_connected_cleaned(server, time, channel_builder):
    selector = create_selector(channel_builder, time, selector_type=ImmediatelyConnectingSelector)
    try:
        for poll_first in (True, False):
            connect(selector, server, "0")
            assert selector._immediately_connected_keys
            if poll_first:
                selector.poll(0)
                assert not selector._immediately_connected_keys
            selector.close_id("0")
            verify_selector_empty(selector)
    finally:
        selector.close()


def test_connect_exception(server, time, channel_builder):
    throw_os_error = False

    class FailingSelector(ImmediatelyConnectingSelector):
        def _register_channel(self, id, socket_channel, interested_ops):
            key = super()._register_channel(id, socket_channel, interested_ops)
            key.cancel()
            if throw_os_error:
                raise OSError("Test exception")
            return key

    selector = create_selector(channel_builder, time, selector_type=FailingSelector)
    try:
        for id in ("0", "1"):
            with pytest.raises(OSError if throw_os_error else IllegalStateException):
                connect(selector, server, id)
            assert not selector._immediately_connected_keys
            assert selector.channel(id) is None
            ensure_empty_selector_fields(selector)
            throw_os_error = True
    finally:
        selector.close()


def test_expire_connection_with_pending_receives(selector, server, time):
    verify_channel_expiry(selector, time, create_connection_with_pending_receives(selector, server, 5))


def test_expire_closed_connection_with_pending_receives(selector, server, time):
    channel = create_connection_with_pending_receives(selector, server, 5)
    server.close_connections()
    verify_channel_expiry(selector, time, channel)


def verify_channel_expiry(selector, time, channel):
    id = channel.id()
    selector.mute(id)  # what could be read would keep it
    time.sleep(CONNECTION_MAX_IDLE_MS + 1_000)
    selector.poll(0)
    assert selector.channel(id) is None
    assert selector.closing_channel(id) is None
    assert channel.state() is ChannelState.EXPIRED
    assert channel.selection_key().attachment() is None
    assert selector.disconnected() == {id: ChannelState.EXPIRED}
    verify_selector_empty(selector)


def test_close_oldest_connection_with_multiple_pending_receives(selector, server, time):
    expected_receives = 5
    channel = create_connection_with_pending_receives(selector, server, expected_receives)
    completed_receives = len(selector.completed_receives())
    while not selector.disconnected():
        time.sleep(CONNECTION_MAX_IDLE_MS + 1_000)
        selector.poll(0 if completed_receives == expected_receives else 1_000)
        completed_receives += len(selector.completed_receives())
    assert completed_receives == expected_receives
    assert selector.channel(channel.id()) is None
    assert selector.closing_channel(channel.id()) is None
    assert selector.disconnected() == {channel.id(): ChannelState.EXPIRED}
    assert not selector.completed_receives()


def test_graceful_close(selector, server):
    """How much has arrived when the server goes is not ours to say; it is asked for until it is enough."""
    most = 0
    for pending in range(6, 101):
        received = 0
        channel = create_connection_with_pending_receives(selector, server, pending)
        wait_for_condition(lambda: polled(selector, 1000) and selector.completed_receives(), "no response")
        server.close_connections()
        while not selector.disconnected():
            selector.poll(100)
            received += len(selector.completed_receives())
            assert len(selector.completed_receives()) <= 1
        assert list(selector.disconnected()) == [channel.id()]
        most = max(most, received)
        if most >= 5:
            break
    assert most >= 5


def test_partial_receive_graceful_close(selector, server):
    blocking_connect(selector, server, "0")
    channel = selector.channel("0")
    inject_network_receive(channel, 100_000)
    send_no_receive(selector, channel, 2)  # the answers become part of the receive that was put in
    selector.poll(1000)
    assert not selector.completed_receives()
    server.close_connections()
    wait_for_condition(lambda: polled(selector) and selector.disconnected(), "not disconnected")
    assert list(selector.disconnected()) == ["0"]
    assert not selector.completed_receives()


def test_mute_on_oom(channel_builder, time, listener):
    pool = SimpleMemoryPool(900, 900, False, None)
    selector = create_selector(channel_builder, time, memory_pool=pool)
    # All of both messages is with the kernel before anybody reads.
    for _ in range(2):
        send_plaintext(listener, os.urandom(900))
    for id in ("clientX", "clientY"):
        selector.register(id, accept(listener))
    try:
        wait_for_condition(lambda: polled(selector, 1000) and selector.completed_receives(), "no request")
        [first_receive] = selector.completed_receives()
        assert pool.available_memory() == 0
        assert selector.is_out_of_memory()

        selector.poll(10)
        assert not selector.completed_receives()
        assert pool.available_memory() == 0
        assert selector.is_out_of_memory()

        first_receive.close()
        assert pool.available_memory() == 900
        wait_for_condition(lambda: polled(selector, 1000) and selector.completed_receives(), "no request")
        [second_receive] = selector.completed_receives()
        assert second_receive.source() != first_receive.source()
        assert pool.available_memory() == 0
        assert not selector.is_out_of_memory()
        verify_selector_empty(selector)
    finally:
        selector.close()


def test_connect_disconnect_during_in_single_poll(selector):
    kafka_channel = mock_channel("1")
    kafka_channel.state.return_value = kafka_channel._state = ChannelState.NOT_CONNECTED
    kafka_channel.finish_connect.return_value = True
    kafka_channel.ready.return_value = False
    kafka_channel.prepare.side_effect = OSError()
    key = kafka_channel.selection_key()
    key.ready_ops.return_value = SelectionKey.OP_CONNECT
    socket_channel = key.channel.return_value = SocketChannel.open()

    selector.poll_selection_keys([key], False, 0)

    assert "1" not in selector.connected()
    assert "1" in selector.disconnected()
    kafka_channel.ready.assert_called()
    kafka_channel.disconnect.assert_called_once_with()
    kafka_channel.close.assert_called_once_with()
    key.cancel.assert_called_once_with()
    socket_channel.close()


def test_outbound_connections_count_in_connection_creation_metric(selector, server, metrics):
    expected_connections = 5
    for i in range(expected_connections):
        connect(selector, server, str(i))
    seen: list[str] = []
    wait_for_condition(
        lambda: polled(selector) and (seen.extend(selector.connected()) or len(seen) == expected_connections),
        "not connected")
    assert metric_value(metrics, "connection-creation-total") == expected_connections
    assert metric_value(metrics, "connection-count") == expected_connections


def test_inbound_connections_count_in_connection_creation_metric(selector, listener, metrics):
    conns = 5
    for i in range(conns):
        send_plaintext(listener, os.urandom(1))
        selector.register(str(i), accept(listener))
    assert metric_value(metrics, "connection-creation-total") == conns
    assert metric_value(metrics, "connection-count") == conns


def test_connections_by_client_metric(selector, listener, metrics):
    def connections(name: str, version: str) -> object:
        return metric_value(metrics, "connections", clientSoftwareName=name, clientSoftwareVersion=version)

    send_plaintext(listener, os.urandom(1))
    selector.register("0", accept(listener))
    registry = selector.channel("0").channel_metadata_registry()
    assert connections("unknown", "unknown") == 1
    assert registry.client_information() == ClientInformation.EMPTY

    client_information = ClientInformation("A", "B")
    registry.register_client_information(client_information)
    assert registry.client_information() == client_information
    assert connections("unknown", "unknown") == 0
    assert connections("A", "B") == 1

    selector.close_id("0")
    assert connections("A", "B") == 0


def test_lowest_priority_channel(selector, server, time):
    conns = 5
    for i in range(conns):
        connect(selector, server, str(i))
    assert selector.lowest_priority_channel() is not None
    for i in reversed(range(conns)):
        if i != 2:
            assert blocking_request(selector, str(i), "") == ""
        time.sleep(10)
    assert selector.lowest_priority_channel().id() == "2"

    selector._closing_channels["3"] = selector.channel("3")
    assert selector.lowest_priority_channel().id() == "3"
    del selector._closing_channels["3"]

    for i in range(conns):
        selector.close_id(str(i))
    assert selector.lowest_priority_channel() is None


def test_metrics_cleanup_on_selector_close(server, time, channel_builder, metrics):
    class FailingSelector(ImmediatelyConnectingSelector):
        def close_id(self, id):
            super().close_id(id)
            raise RuntimeError

    selector = create_selector(channel_builder, time, metrics, FailingSelector)
    assert len(metrics.metrics()) > 1
    connect(selector, server, "0")
    with pytest.raises(RuntimeError):
        selector.close()
    assert [name.group() for name in metrics.metrics()] == ["kafka-metrics-count"]


def test_write_completes_send_with_no_bytes_written(selector):
    channel = mock_channel("1")
    channel.write.return_value = 0
    send = NetworkSend("destination", ByteBufferSend(ByteBuffer.allocate(0)))
    channel.maybe_complete_send.return_value = send
    selector.write(channel)
    assert selector.completed_sends() == [send]


def test_channel_close_while_processing_receives(selector):
    num_channels = 4
    keys = []
    for i in range(num_channels):
        channel = mock_channel(str(i))
        channel.read.return_value = 1
        selector._channels[channel.id()] = channel
        key = channel.selection_key()
        key.ready_ops.return_value = SelectionKey.OP_READ
        key.attachment.side_effect = chain([channel], repeat(None))  # None after the close
        keys.append(key)
        receive = Mock(spec=NetworkReceive)
        receive.source.return_value = channel.id()
        receive.size.return_value = 10
        channel.maybe_complete_receive.return_value = receive

    selector.poll_selection_keys(keys, False, 0)
    assert len(selector.completed_receives()) == num_channels
    closed, not_closed = [], []
    for receive in selector.completed_receives():
        channel = selector.channel(receive.source())
        assert channel is not None
        if len(closed) < 2:
            selector.close_id(channel.id())
            closed.append(channel)
        else:
            not_closed.append(channel)
    assert selector.channels() == not_closed
    assert all(selector.channel(channel.id()) is None for channel in closed)

    selector.poll(0)
    assert not selector.completed_receives()


def test_io_metrics_have_correct_doc(selector, metrics):
    deprecated = {name.name(): "deprecated" in name.description().lower() for name in metrics.metrics()}
    assert not deprecated["io-ratio"] and not deprecated["io-wait-ratio"]
    assert deprecated["iotime-total"] and deprecated["io-waittime-total"]


# Helpers of the tests above.


def blocking_request(selector: Selector, node: str, text: str) -> str:
    """Send ``text``; return what comes back."""
    selector.send(create_send(node, text))
    while True:
        selector.poll(1000)
        for receive in selector.completed_receives():
            if receive.source() == node:
                return as_string(receive)


def connect(selector: Selector, server: EchoServer, node: str) -> None:
    selector.connect(node, server.address, BUFFER_SIZE, BUFFER_SIZE)


def blocking_connect(selector: Selector, server: EchoServer, node: str) -> None:
    """Connect, and wait until requests may flow."""
    connect(selector, server, node)
    wait_for_channel_ready(selector, node)


def accept(listener: ServerSocketChannel) -> SocketChannel:
    """Return the next connection as a server hands it to a selector."""
    channel = listener.accept()
    channel.configure_blocking(False)
    return channel


def send_plaintext(listener: ServerSocketChannel, payload: bytes) -> None:
    """Connect, send one message that the buffers of the kernel hold, and leave."""
    with socket.create_connection(("127.0.0.1", listener.socket().get_local_port())) as peer:
        peer.sendall(framed(payload))


def send_and_receive(selector: Selector, node: str, prefix: str, start_index: int, end_index: int) -> None:
    """Send numbered messages, each when the one before has left, and expect them back in order."""
    requests = responses = start_index
    selector.send(create_send(node, f"{prefix}-{start_index}"))
    requests += 1
    while responses < end_index:
        selector.poll(1000)
        assert not selector.disconnected()
        for receive in selector.completed_receives():
            assert as_string(receive) == f"{prefix}-{responses}"
            responses += 1
        for _ in list(selector.completed_sends()):
            if requests < end_index:
                selector.send(create_send(node, f"{prefix}-{requests}"))
                requests += 1


def verify_selector_empty(selector: Selector) -> None:
    """Close what is open, and expect that no container has anything left of it."""
    for channel in selector.channels():
        selector.close_id(channel.id())
        assert channel.selection_key().attachment() is None
    selector.poll(0)
    selector.poll(0)  # the first reports what failed
    ensure_empty_selector_fields(selector)


def ensure_empty_selector_fields(selector: Selector) -> None:
    for name, value in vars(selector).items():
        if isinstance(value, (dict, list, set)):
            assert not value, f"{name} holds {value}"


def total(metrics: Metrics, name: str) -> object:
    """Return the value of a metric of the whole selector."""
    return metrics.metric(metrics.metric_name(name, "MetricGroup-metrics", "", {})).metric_value()


def create_connection_with_pending_receives(
        selector: Selector, server: EchoServer, pending_receives: int) -> KafkaChannel:
    """Return a channel whose answers are on their way, none of them read; how many arrived is open."""
    blocking_connect(selector, server, "0")
    channel = selector.channel("0")
    send_no_receive(selector, channel, pending_receives)
    return channel


def send_no_receive(selector: Selector, channel: KafkaChannel, num_requests: int) -> None:
    """Send requests, with the channel muted meanwhile."""
    selector.mute(channel.id())
    for i in range(num_requests):
        selector.send(create_send(channel.id(), str(i)))
        wait_for_condition(lambda: polled(selector) and selector.completed_sends(), "not sent")
    selector.unmute(channel.id())


def inject_network_receive(channel: KafkaChannel, size: int) -> None:
    """Make the channel believe that it has read the size of a message, and nothing of its payload."""
    receive = NetworkReceive(memory_pool=MemoryPool.NONE)
    receive._size = ByteBuffer.allocate(4).put_int(size)
    receive._buffer = ByteBuffer.allocate(size)
    channel._receive = receive


def mock_channel(id: str) -> Mock:
    """Return a channel that is connected and ready, and does nothing; its key is ready for nothing."""
    channel = Mock(spec=KafkaChannel)
    channel.id.return_value = id
    channel.state.return_value = ChannelState.READY
    channel.is_connected.return_value = channel.ready.return_value = True
    channel.is_muted.return_value = channel.has_send.return_value = False
    channel.has_bytes_buffered.return_value = False
    channel.poll_response_received_during_reauthentication.return_value = None
    channel.maybe_complete_receive.return_value = channel.maybe_complete_send.return_value = None
    channel.socket_description.return_value = ""
    key = channel.selection_key.return_value = Mock(spec=SelectionKey)
    key.attachment.return_value = channel
    key.is_valid.return_value = True
    key.ready_ops.return_value = 0
    key.is_readable.side_effect = lambda: key.ready_ops() & SelectionKey.OP_READ != 0
    key.is_writable.side_effect = lambda: key.ready_ops() & SelectionKey.OP_WRITE != 0
    key.is_connectable.side_effect = lambda: key.ready_ops() & SelectionKey.OP_CONNECT != 0
    return channel
