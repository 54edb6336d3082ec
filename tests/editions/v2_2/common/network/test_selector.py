# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.SelectorTest of Apache Kafka 2.2.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The selector against an echo server. Nine of the 24 cases are as in 0.10.2.2, and are imported.

A test of another transport imports these, and puts its own ``parts`` and ``server`` in.
"""

from __future__ import annotations

import os
import socket
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from kreactor.common.memory.simple_memory_pool import SimpleMemoryPool
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.channel_state import ChannelState
from kreactor.common.utils.log_context import LogContext
from kreactor.editions.v2_2.common.network.channel_builder import ChannelBuilder
from kreactor.editions.v2_2.common.network.kafka_channel import KafkaChannel
from kreactor.editions.v2_2.common.network.selector import Selector
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.net import InetSocketAddress
from kreactor.jdk.nio_channels import ServerSocketChannel, SocketChannel
from kreactor.jdk.nio_selector import SelectionKey
from tests.common.network.network_test_utils import (
    CONNECTION_MAX_IDLE_MS,
    framed,
    metric_value,
    wait_for_condition,
)
from tests.editions.v0_10_2.common.network import test_selector as of_0_10_2
from tests.editions.v0_10_2.common.network.test_selector import (
    blocking_connect,
    blocking_request,
    create_send,
    poll,
)

# These assert more in 2.2.2.
OTHERWISE = ("test_server_disconnect", "test_cant_send_with_in_progress", "test_close_oldest_connection")

globals().update({name: value for name, value in vars(of_0_10_2).items()
                  if name.startswith("test_") and name not in OTHERWISE
                  or name in ("server", "time", "parts", "metrics")})


@pytest.fixture
def edition() -> Any:
    """The selector and the channel builder of the release under test."""
    return SimpleNamespace(selector=Selector, builder=ChannelBuilder, channel=KafkaChannel)


@pytest.fixture
def states() -> Any:
    """The states of the channels of the release under test."""
    return ChannelState


@pytest.fixture
def new_selector(edition, time, parts):
    """Makes selectors, and closes them."""
    made, own_metrics = [], []

    def new(metrics=None, selector_class=None, builder=None, **options):
        if metrics is None:
            metrics = Metrics()
            own_metrics.append(metrics)
        selector = (selector_class or edition.selector)(
            CONNECTION_MAX_IDLE_MS, metrics, time, "MetricGroup", builder or edition.builder(parts),
            LogContext(), **options)
        made.append(selector)
        return selector

    yield new
    for selector in made:
        selector.close()
    for metrics in own_metrics:
        metrics.close()


@pytest.fixture
def selector(new_selector, server, metrics):
    selector = new_selector(metrics)
    yield selector
    verify_selector_empty(selector)


@pytest.fixture
def listener():
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
    wait_for_condition(lambda: poll(selector, 1000) and node in selector.disconnected(), "not disconnected")
    assert channel.selection_key().attachment() is None

    blocking_connect(selector, server, node)
    assert blocking_request(selector, node, "hello") == "hello"


def test_cant_send_with_in_progress(selector, server, states):
    node = "0"
    blocking_connect(selector, server, node)
    selector.send(create_send(node, "test1"))
    with pytest.raises(IllegalStateException, match="prior send operation still in progress"):
        selector.send(create_send(node, "test2"))
    selector.poll(0)
    assert selector.disconnected() == {node: states.FAILED_SEND}


def test_register_failure(edition, new_selector):
    builder = Mock(spec=edition.builder)
    builder.build_channel.side_effect = RuntimeError("Test exception")
    selector = new_selector(builder=builder)
    socket_channel = SocketChannel.open()
    socket_channel.configure_blocking(False)
    with pytest.raises(OSError) as raised:
        selector.register("1", socket_channel)
    assert "Test exception" in str(raised.value.__cause__)
    assert not socket_channel.is_open()


def test_close_connection_in_closing_state(selector, server, time, states):
    channel = create_connection_with_staged_receives(selector, server, 5)
    id = channel.id()
    selector.mute(id)  # so that it is expired though there may be more to read
    time.sleep(CONNECTION_MAX_IDLE_MS + 1_000)
    selector.poll(0)
    assert selector.channel(id) is None
    assert selector.closing_channel(id) == channel
    assert channel.state() is states.EXPIRED
    selector.close_id(id)
    assert selector.channel(id) is None
    assert selector.closing_channel(id) is None
    assert not selector.disconnected()
    assert channel.state() is states.EXPIRED
    assert channel.selection_key().attachment() is None
    selector.poll(0)
    assert not selector.disconnected()


@pytest.mark.deviation("D353")
def test_a_selector_that_ends_closes_what_is_closing(new_selector, server, time):
    selector = new_selector()
    channel = create_connection_with_staged_receives(selector, server, 5)
    selector.mute(channel.id())
    time.sleep(CONNECTION_MAX_IDLE_MS + 1_000)
    selector.poll(0)
    assert selector.closing_channel(channel.id()) is channel
    selector.close()
    assert not channel.selection_key().channel().is_open()


def test_close_oldest_connection(selector, server, time, states):
    blocking_connect(selector, server, "0")
    # The tickets that a TLS 1.3 server sends after its handshake come before its answer.
    assert blocking_request(selector, "0", "hello") == "hello"
    time.sleep(CONNECTION_MAX_IDLE_MS + 1_000)
    selector.poll(0)
    assert selector.disconnected() == {"0": states.EXPIRED}


def test_refused_connections_close_in_order_when_their_time_has_come(edition):
    class Delayed:
        def __init__(self, id: str, end_time_nanos: int) -> None:
            self.id, self.end_time_nanos = id, end_time_nanos

        def try_close(self, current_time_nanos: int) -> bool:
            if current_time_nanos < self.end_time_nanos:
                return False
            del waiting[self.id]
            return True

    waiting = {id: Delayed(id, end) for id, end in (("a", 10), ("b", 20), ("c", 20), ("d", 30))}
    selector = SimpleNamespace(_delayed_closing_channels=waiting)
    for now, left in ((9, "abcd"), (10, "bcd"), (19, "bcd"), (29, "d"), (30, "")):
        edition.selector.complete_delayed_channel_close(selector, now)
        assert "".join(waiting) == left


@pytest.mark.parametrize("expires, now, is_expired", [
    (None, 10, False), (10, 9, False), (10, 10, False), (10, 11, True), (0, 1, True)])
def test_a_session_expires_after_its_last_nanosecond(edition, expires, now, is_expired):
    channel = SimpleNamespace(_authenticator=SimpleNamespace(
        server_session_expiration_time_nanos=lambda: expires))
    assert edition.channel.server_authentication_session_expired(channel, now) is is_expired


def test_idle_expiry_without_ready_keys(selector, server, time):
    selector.connect("0", server.address, of_0_10_2.BUFFER_SIZE, of_0_10_2.BUFFER_SIZE)
    selector.channel("0").selection_key().interest_ops_to(0)
    time.sleep(CONNECTION_MAX_IDLE_MS + 1_000)
    selector.poll(0)
    assert selector.disconnected() == {"0": ChannelState.EXPIRED}


def immediately_connecting(selector_class):
    """Return a subclass that waits for the connection within ``connect``."""

    class ImmediatelyConnectingSelector(selector_class):
        def _do_connect(self, channel, address):
            channel.configure_blocking(True)
            connected = super()._do_connect(channel, address)
            channel.configure_blocking(False)
            return connected

    return ImmediatelyConnectingSelector


def connect_now(selector, server, node: str) -> None:
    selector.connect(node, server.address, of_0_10_2.BUFFER_SIZE, of_0_10_2.BUFFER_SIZE)


def test_immediately_connected_cleaned(server, edition, new_selector):
    selector = new_selector(selector_class=immediately_connecting(edition.selector))
    for poll_first in (True, False):
        connect_now(selector, server, "0")
        assert selector._immediately_connected_keys
        if poll_first:
            selector.poll(0)
            assert not selector._immediately_connected_keys
        selector.close_id("0")
        verify_selector_empty(selector)


def test_connect_exception(server, edition, new_selector):
    throw_os_error = False

    class FailingSelector(immediately_connecting(edition.selector)):
        def _register_channel(self, id, socket_channel, interested_ops):
            key = super()._register_channel(id, socket_channel, interested_ops)
            key.cancel()
            if throw_os_error:
                raise OSError("Test exception")
            return key

    selector = new_selector(selector_class=FailingSelector)
    for id in ("0", "1"):
        with pytest.raises(OSError if throw_os_error else IllegalStateException):
            connect_now(selector, server, id)
        assert not selector._immediately_connected_keys
        assert selector.channel(id) is None
        ensure_empty_selector_fields(selector)
        throw_os_error = True


def test_close_oldest_connection_with_one_staged_receive(selector, server, time):
    verify_close_oldest_connection_with_staged_receives(selector, server, time, 1)


def test_close_oldest_connection_with_multiple_staged_receives(selector, server, time):
    verify_close_oldest_connection_with_staged_receives(selector, server, time, 5)


def verify_close_oldest_connection_with_staged_receives(selector, server, time, max_staged_receives):
    channel = create_connection_with_staged_receives(selector, server, max_staged_receives)
    id = channel.id()
    staged_receives, completed_receives = selector.num_staged_receives(channel), 0
    while not selector.disconnected():
        time.sleep(CONNECTION_MAX_IDLE_MS + 1_000)
        selector.poll(0)
        completed_receives += len(selector.completed_receives())
        # Over TLS bytes that are buffered may bring more.
        new_staged = selector.num_staged_receives(channel) - (staged_receives - completed_receives)
        if new_staged > 0:
            staged_receives += new_staged
            assert selector.channel(id) is not None
            assert id not in selector.disconnected()
        elif selector.completed_receives():
            assert len(selector.completed_receives()) == 1
            assert selector.closing_channel(id) is not None or selector.channel(id) is not None
            assert id not in selector.disconnected()
    assert completed_receives == staged_receives
    assert selector.channel(id) is None
    assert selector.closing_channel(id) is None
    assert list(selector.disconnected()) == [id]
    assert not selector.completed_receives()


def test_mute_on_oom(new_selector, listener):
    pool = SimpleMemoryPool(900, 900, False, None)
    selector = new_selector(memory_pool=pool)
    # All of both messages is with the kernel before the selector reads.
    for _ in range(2):
        send_plaintext(listener, os.urandom(900))
    for id in ("clientX", "clientY"):
        selector.register(id, accept(listener))
    wait_for_condition(lambda: poll(selector, 1000) and selector.completed_receives(), "no request")
    [first_receive] = selector.completed_receives()
    assert pool.available_memory() == 0
    assert selector.is_out_of_memory()

    selector.poll(10)
    assert not selector.completed_receives()
    assert pool.available_memory() == 0
    assert selector.is_out_of_memory()

    first_receive.close()
    assert pool.available_memory() == 900
    wait_for_condition(lambda: poll(selector, 1000) and selector.completed_receives(), "no request")
    assert len(selector.completed_receives()) == 1
    assert pool.available_memory() == 0
    assert not selector.is_out_of_memory()


def test_connect_disconnect_during_in_single_poll(edition, selector):
    kafka_channel = Mock(spec=edition.channel)
    kafka_channel.id.return_value = "1"
    kafka_channel.socket_description.return_value = ""
    kafka_channel.state.return_value = ChannelState.NOT_CONNECTED
    kafka_channel.finish_connect.return_value = kafka_channel.is_connected.return_value = True
    kafka_channel.ready.return_value = False
    kafka_channel.prepare.side_effect = OSError()
    key = kafka_channel.selection_key.return_value = Mock(spec=SelectionKey)
    key.attachment.return_value = kafka_channel
    key.attach.side_effect = lambda attached: setattr(key.attachment, "return_value", attached)
    key.is_connectable.return_value = True
    socket_channel = key.channel.return_value = SocketChannel.open()

    selector.poll_selection_keys([key], False, 0)

    assert "1" not in selector.connected()
    assert "1" in selector.disconnected()
    assert key.attachment() is None
    kafka_channel.ready.assert_called()
    kafka_channel.disconnect.assert_called_once_with()
    kafka_channel.close.assert_called_once_with()
    key.cancel.assert_called_once_with()
    socket_channel.close()


def test_outbound_connections_count_in_connection_creation_metric(selector, server, metrics):
    expected_connections = 5
    for i in range(expected_connections):
        connect_now(selector, server, str(i))
    seen: list[str] = []
    wait_for_condition(
        lambda: poll(selector) and (seen.extend(selector.connected()) or len(seen) == expected_connections),
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


def test_metrics_cleanup_on_selector_close(server, edition, parts, time, metrics):
    class FailingSelector(immediately_connecting(edition.selector)):
        def close_id(self, id):
            super().close_id(id)
            raise RuntimeError

    selector = FailingSelector(
        CONNECTION_MAX_IDLE_MS, metrics, time, "MetricGroup", edition.builder(parts), LogContext())
    assert len(metrics.metrics()) > 1
    connect_now(selector, server, "0")
    with pytest.raises(RuntimeError):
        selector.close()
    assert [name.group() for name in metrics.metrics()] == ["kafka-metrics-count"]


def create_connection_with_staged_receives(selector, server, max_staged_receives: int):
    """Return a channel with staged receives, and with no bytes buffered."""
    blocking_connect(selector, server, "0")
    channel = selector.channel("0")

    def staged() -> bool:
        selector.mute("0")
        for i in range(max_staged_receives + 1):
            selector.send(create_send("0", str(i)))
            wait_for_condition(lambda: poll(selector, 1000) and selector.completed_sends(), "not sent")
        selector.unmute("0")
        wait_for_condition(lambda: poll(selector, 1000) and selector.completed_receives(), "no response")
        return selector.num_staged_receives(channel) > 0 and not channel.has_bytes_buffered()

    wait_for_condition(staged, "no staged receives")
    return channel


def accept(listener: ServerSocketChannel) -> SocketChannel:
    """Return the next connection as a server hands it to a selector."""
    channel = listener.accept()
    channel.configure_blocking(False)
    return channel


def send_plaintext(listener: ServerSocketChannel, payload: bytes) -> None:
    """Connect, send one message that the buffers of the kernel hold, and leave."""
    with socket.create_connection(("127.0.0.1", listener.socket().get_local_port())) as peer:
        peer.sendall(framed(payload))


def verify_selector_empty(selector) -> None:
    """Close what is open, and expect that no container has anything left of it."""
    for channel in selector.channels():
        selector.close_id(channel.id())
        assert channel.selection_key().attachment() is None
    selector.poll(0)
    selector.poll(0)  # the first reports what failed
    ensure_empty_selector_fields(selector)


def ensure_empty_selector_fields(selector) -> None:
    for name, value in vars(selector).items():
        if isinstance(value, (dict, list, set)):
            assert not value, f"{name} holds {value}"
