# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.SslSelectorTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""All that is tested of the selector once more over TLS, of both versions, and what TLS adds to it."""

from __future__ import annotations

import contextlib
import os
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.config.ssl_configs import SslConfigs
from kreactor.common.memory.simple_memory_pool import SimpleMemoryPool
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.channel_metadata_registry import ChannelMetadataRegistry
from kreactor.common.network.mode import Mode
from kreactor.common.network.network_receive import NetworkReceive
from kreactor.common.network.selector import Selector
from kreactor.common.network.ssl_channel_builder import SslChannelBuilder
from kreactor.common.network.ssl_transport_layer import SslTransportLayer
from kreactor.common.security.ssl.default_ssl_engine_factory import DefaultSslEngineFactory
from kreactor.common.security.ssl.ssl_factory import SslFactory
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.nio_selector import SelectionKey
from tests.common.network import test_selector
from tests.common.network.echo_server import EchoServer
from tests.common.network.network_test_utils import (
    BUFFER_SIZE,
    create_selector,
    create_send,
    framed,
    polled,
    random_string,
    wait_for_channel_ready,
    wait_for_condition,
)
from tests.common.network.ssl_clients import client_configs_for, configured, server_stores, versions


@pytest.fixture(params=["TLSv1.2", "TLSv1.3"])
def tls_protocol(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def selector_class() -> None:
    """Leave the choice to the host: that of the others makes no difference to TLS."""


@pytest.fixture
def server_configs(tls_protocol: str, tmp_path: Path) -> dict[str, Any]:
    return server_stores(tmp_path).get_untrusting_config() | versions(tls_protocol)


@pytest.fixture
def client_configs(server_configs: dict[str, Any], tls_protocol: str) -> dict[str, Any]:
    return client_configs_for(server_configs, tls_protocol)


@pytest.fixture
def server(server_configs: dict[str, Any]) -> Iterator[EchoServer]:
    with echo_server(server_configs) as server:
        yield server


@pytest.fixture
def channel_builder(client_configs: dict[str, Any]) -> SslChannelBuilder:
    return configured(SslChannelBuilder(Mode.CLIENT, None, False, LogContext()), client_configs)


@pytest.fixture(autouse=True)
def connect_until_ready(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have cases wait for the handshake: nothing is sent before. Not those that are about connecting."""
    if request.function.__name__ not in (
            "test_immediately_connected_cleaned", "test_connect_exception",
            "test_outbound_connections_count_in_connection_creation_metric"):
        monkeypatch.setattr(test_selector, "connect", connect)


@contextlib.contextmanager
def echo_server(configs: dict[str, Any]) -> Iterator[EchoServer]:
    factory = DefaultSslEngineFactory()
    factory.configure(configs)
    server = EchoServer(factory.ssl_context(Mode.SERVER))
    server.start()
    try:
        yield server
    finally:
        server.close()


def connect(selector: Selector, server: EchoServer, node: str) -> None:
    selector.connect(node, server.address, BUFFER_SIZE, BUFFER_SIZE)
    wait_for_channel_ready(selector, node)


# The cases of SelectorTest with their fixtures, those apart that are other ones here.
globals().update(
    {name: value for name, value in vars(test_selector).items()
     if name.startswith("test_") and name != "test_mute_on_oom"
     or name in ("time", "metrics", "selector", "listener")})


class CountingEngineFactory(DefaultSslEngineFactory):
    """One of a user's own."""

    engines = 0

    def create_server_ssl_engine(self, peer_host: str, peer_port: int) -> Any:
        CountingEngineFactory.engines += 1
        return super().create_server_ssl_engine(peer_host, peer_port)


def cipher_metrics(metrics: Metrics) -> list[Any]:
    return [metric.metric_value() for name, metric in metrics.metrics().items() if "cipher" in name.tags()]


def test_connection_with_custom_key_manager(server, client_configs, time, metrics):
    # A key manager of one's own comes with an engine factory here: there are no providers.
    client_configs[SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG] = CountingEngineFactory
    selector = create_selector(
        configured(TestSslChannelBuilder(Mode.CLIENT), client_configs), time, metrics)
    try:
        connect(selector, server, "0")
        assert isinstance(
            selector._channel_builder._ssl_factory.ssl_engine_factory(), CountingEngineFactory)
        selector.send(create_send("0", random_string(100 * 1024)))
        wait_for_bytes_buffered(selector, "0")
        assert cipher_metrics(metrics) == [1]
        assert selector.channel("0").channel_metadata_registry().cipher_information() is not None

        selector.close_id("0")
        test_selector.verify_selector_empty(selector)
        assert cipher_metrics(metrics) == [0]
    finally:
        selector.close()


def test_disconnect_with_intermediate_buffered_bytes(server, client_configs, time):
    selector = create_selector(configured(TestSslChannelBuilder(Mode.CLIENT), client_configs), time)
    try:
        connect(selector, server, "0")
        selector.send(create_send("0", random_string(100 * 1024)))
        wait_for_bytes_buffered(selector, "0")
        selector.close_id("0")
        test_selector.verify_selector_empty(selector)
    finally:
        selector.close()


def wait_for_bytes_buffered(selector: Selector, node: str) -> None:
    """Wait for bytes of a message whose size is known, so that the channel does not wait for memory."""
    def buffered() -> bool:
        selector.poll(0)
        receive = selector.channel(node).current_receive()
        return (selector.channel(node).has_bytes_buffered()
                and receive is not None and receive.memory_allocated())

    wait_for_condition(buffered, "nothing is buffered")


def test_bytes_buffered_channel_with_no_incoming_bytes(server, client_configs, time):
    verify_no_unnecessary_poll_with_bytes_buffered(
        server, client_configs, time,
        lambda key: key.interest_ops_to(key.interest_ops() & ~SelectionKey.OP_READ))


def test_bytes_buffered_channel_after_mute(server, client_configs, time):
    verify_no_unnecessary_poll_with_bytes_buffered(
        server, client_configs, time, lambda key: key.attachment().mute())


def verify_no_unnecessary_poll_with_bytes_buffered(
        server: EchoServer, client_configs: dict[str, Any], time: Any,
        disable_read: Callable[[SelectionKey], object]) -> None:
    """Bytes that wait for more are tried once, not with each poll of others."""
    node1_polls = 0

    class CountingSelector(Selector):
        def poll_selection_keys(self, selection_keys, is_immediately_connected, current_time_nanos):
            nonlocal node1_polls
            keys = list(selection_keys)
            for key in keys:
                channel = key.attachment()
                if channel is not None and channel.id() == "1":
                    node1_polls += 1
            super().poll_selection_keys(keys, is_immediately_connected, current_time_nanos)

    builder = configured(TestSslChannelBuilder(Mode.CLIENT), client_configs)
    selector = create_selector(builder, time, selector_type=CountingSelector)
    try:
        connect(selector, server, "1")
        selector.send(create_send("1", random_string(100 * 1024)))
        wait_for_bytes_buffered(selector, "1")
        layer = selector.channel("1")._transport_layer
        assert isinstance(layer, TestSslTransportLayer)
        layer.truncate_read_buffer()
        disable_read(selector.channel("1").selection_key())

        node1_polls = 0
        connect(selector, server, "2")
        received = 0
        request = random_string(10)
        selector.send(create_send("2", request))
        while received < 100:
            received += len(selector.completed_receives())
            if selector.completed_sends():
                selector.send(create_send("2", request))
            selector.poll(5)

        assert node1_polls == 1
        selector.close_id("1")
        selector.close_id("2")
        test_selector.verify_selector_empty(selector)
    finally:
        selector.close()


def test_mute_on_oom(server_configs, tls_protocol, time, listener):
    pool = SimpleMemoryPool(900, 900, False, None)
    builder = configured(SslChannelBuilder(Mode.SERVER, None, False, LogContext()), server_configs)
    selector = create_selector(builder, time, memory_pool=pool)
    senders = [SslSender(tls_protocol, listener.socket().get_local_port(), os.urandom(900)) for _ in range(2)]
    try:
        for sender, id in zip(senders, ("clientX", "clientY")):
            sender.start()
            selector.register(id, test_selector.accept(listener))
        first_receive: NetworkReceive | None = None

        def one_is_read_and_the_other_waits() -> bool:
            nonlocal first_receive
            selector.poll(10)
            completed = selector.completed_receives()
            if first_receive is None:
                if completed:
                    [first_receive] = completed
                    assert selector.is_made_read_progress_last_poll()
                    assert pool.available_memory() == 0
            else:
                assert not completed
            return (all(sender.handshaked.is_set() for sender in senders)
                    and first_receive is not None and selector.is_out_of_memory())

        wait_for_condition(one_is_read_and_the_other_waits, "no request, or memory for two")
        selector.poll(10)
        assert not selector.completed_receives()
        assert pool.available_memory() == 0
        assert selector.is_out_of_memory()

        first_receive.close()
        assert pool.available_memory() == 900
        wait_for_condition(lambda: polled(selector, 1000) and selector.completed_receives(), "no request")
        assert len(selector.completed_receives()) == 1
        assert pool.available_memory() == 0
        assert not selector.is_out_of_memory()
    finally:
        selector.close()
        for sender in senders:
            sender.join()


class SslSender(threading.Thread):
    """Connects, says one message, and stays until the other end has gone. Believes anybody."""

    def __init__(self, tls_protocol: str, port: int, payload: bytes) -> None:
        super().__init__(name="SslSender")
        self._ssl_context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._ssl_context.check_hostname = False
        self._ssl_context.verify_mode = ssl.CERT_NONE
        self._ssl_context.minimum_version = self._ssl_context.maximum_version = {
            "TLSv1.2": ssl.TLSVersion.TLSv1_2, "TLSv1.3": ssl.TLSVersion.TLSv1_3}[tls_protocol]
        self._port = port
        self._payload = payload
        self.handshaked = threading.Event()

    def run(self) -> None:
        with (socket.create_connection(("127.0.0.1", self._port)) as connection,
              self._ssl_context.wrap_socket(connection) as secured):
            self.handshaked.set()
            secured.sendall(framed(self._payload))
            with contextlib.suppress(OSError):
                secured.recv(1)


class TestSslChannelBuilder(SslChannelBuilder):
    """Builds channels that often have bytes which their socket knows nothing of."""

    __test__ = False

    def __init__(self, mode: Mode) -> None:
        super().__init__(mode, None, False, LogContext())

    def _build_transport_layer(self, ssl_factory: SslFactory, id: str, key: SelectionKey,
                               metadata_registry: ChannelMetadataRegistry) -> SslTransportLayer:
        engine = ssl_factory.create_ssl_engine(key.channel().socket())
        return TestSslTransportLayer(id, key, engine, metadata_registry)


class TestSslTransportLayer(SslTransportLayer):
    """Reads from the socket every other time it is told to."""

    __test__ = False

    _mute_socket = False

    def _read_from_socket_channel(self) -> int:
        if self._mute_socket:
            if self.selection_key().interest_ops() & SelectionKey.OP_READ:
                self._mute_socket = False
            return 0
        self._mute_socket = True
        return super()._read_from_socket_channel()

    def truncate_read_buffer(self) -> None:
        """Leave one byte, with which nothing can be done."""
        self.net_read_buffer().set_position(1)
        self.app_read_buffer().set_position(0)
        self._mute_socket = True
