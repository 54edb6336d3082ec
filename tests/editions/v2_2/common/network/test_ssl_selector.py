# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.SslSelectorTest of Apache Kafka 2.2.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The cases of the selector once more over TLS, of both versions, and the four that TLS adds to them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

from kreactor.common.memory.simple_memory_pool import SimpleMemoryPool
from kreactor.common.network.mode import Mode
from kreactor.common.network.ssl_channel_builder import SslChannelBuilder
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.net import InetSocketAddress
from kreactor.jdk.nio_selector import SelectionKey
from tests.common.network.network_test_utils import (
    BUFFER_SIZE,
    framed,
    random_string,
    wait_for_condition,
)
from tests.common.network.openssl_peer import OpensslServer, needs_openssl
from tests.common.network.ssl_clients import client_configs_for, configured, server_stores
from tests.common.network.test_ssl_selector import SslSender, TestSslChannelBuilder, TestSslTransportLayer
from tests.editions.v0_10_2.common.network import test_ssl_selector as of_0_10_2
from tests.editions.v0_10_2.common.network.test_selector import blocking_connect, create_send, poll
from tests.editions.v2_2.common.network import test_selector
from tests.editions.v2_2.common.network.test_selector import accept, verify_selector_empty

globals().update({name: value for name, value in vars(of_0_10_2).items()
                  if name in ("tls_protocol", "server_configs", "server", "parts", "connect_until_ready")})
globals().update({name: value for name, value in vars(test_selector).items()
                  if name.startswith("test_") and name not in (
                      "test_mute_on_oom", "test_nothing_is_read_while_receives_are_staged")
                  or name in ("time", "metrics", "edition", "new_selector", "selector", "states",
                              "listener")})


@pytest.fixture
def buffering_parts(server_configs: dict[str, Any], tls_protocol: str) -> SslChannelBuilder:
    """Makes transport layers that often have bytes which their socket knows nothing of."""
    return configured(TestSslChannelBuilder(Mode.CLIENT), client_configs_for(server_configs, tls_protocol))


def test_disconnect_with_intermediate_buffered_bytes(server, edition, new_selector, buffering_parts):
    selector = new_selector(builder=edition.builder(buffering_parts))
    blocking_connect(selector, server, "0")
    selector.send(create_send("0", random_string(100 * 1024)))
    wait_for_bytes_buffered(selector, "0")
    selector.close_id("0")
    verify_selector_empty(selector)


def wait_for_bytes_buffered(selector, node: str) -> None:
    """Wait for bytes of a message whose size is known, so that the channel does not wait for memory."""
    def buffered() -> bool:
        selector.poll(0)
        receive = selector.channel(node)._receive
        return (selector.channel(node).has_bytes_buffered()
                and receive is not None and receive.memory_allocated())

    wait_for_condition(buffered, "nothing is buffered")


def test_bytes_buffered_channel_with_no_incoming_bytes(server, edition, new_selector, buffering_parts):
    verify_no_unnecessary_poll_with_bytes_buffered(
        server, edition, new_selector, buffering_parts,
        lambda key: key.interest_ops_to(key.interest_ops() & ~SelectionKey.OP_READ))


def test_bytes_buffered_channel_after_mute(server, edition, new_selector, buffering_parts):
    verify_no_unnecessary_poll_with_bytes_buffered(
        server, edition, new_selector, buffering_parts, lambda key: key.attachment().mute())


def verify_no_unnecessary_poll_with_bytes_buffered(
        server, edition, new_selector, buffering_parts,
        disable_read: Callable[[SelectionKey], object]) -> None:
    """Bytes that wait for more are tried once, not with each poll of others."""
    node1_polls = 0

    class CountingSelector(edition.selector):
        def poll_selection_keys(self, selection_keys, is_immediately_connected, current_time_nanos):
            nonlocal node1_polls
            keys = list(selection_keys)
            for key in keys:
                channel = key.attachment()
                if channel is not None and channel.id() == "1":
                    node1_polls += 1
            super().poll_selection_keys(keys, is_immediately_connected, current_time_nanos)

    selector = new_selector(builder=edition.builder(buffering_parts), selector_class=CountingSelector)
    blocking_connect(selector, server, "1")
    selector.send(create_send("1", random_string(100 * 1024)))
    wait_for_bytes_buffered(selector, "1")
    layer = selector.channel("1")._transport_layer
    assert isinstance(layer, TestSslTransportLayer)
    layer.truncate_read_buffer()
    disable_read(selector.channel("1").selection_key())

    node1_polls = 0
    blocking_connect(selector, server, "2")
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
    verify_selector_empty(selector)


@needs_openssl
def test_renegotiation_fails(edition, new_selector, tmp_path):
    stores = server_stores(tmp_path)
    configs = client_configs_for(stores.get_untrusting_config(), "TLSv1.2")
    builder = configured(SslChannelBuilder(Mode.CLIENT, None, False, LogContext()), configs)
    selector = new_selector(builder=edition.builder(builder))
    server = OpensslServer(tmp_path, stores.certificate, "-tls1_2")
    try:
        selector.connect("0", InetSocketAddress("127.0.0.1", server.port), BUFFER_SIZE, BUFFER_SIZE)
        wait_for_condition(lambda: poll(selector) and selector.is_channel_ready("0"), "not ready")
        selector.send(create_send("0", "0-0"))
        wait_for_condition(lambda: poll(selector) and selector.completed_sends(), "not sent")
        server.read_until(framed(b"0-0"))

        server.write(b"R\n")
        selector.send(create_send("0", "0-1"))
        wait_for_condition(lambda: poll(selector) and selector.disconnected(), "not disconnected")
        assert list(selector.disconnected()) == ["0"]
    finally:
        server.close()


def test_mute_on_oom(edition, new_selector, server_configs, tls_protocol, listener):
    pool = SimpleMemoryPool(900, 900, False, None)
    builder = configured(SslChannelBuilder(Mode.SERVER, None, False, LogContext()), server_configs)
    selector = new_selector(builder=edition.builder(builder), memory_pool=pool)
    senders = [SslSender(tls_protocol, listener.socket().get_local_port(), os.urandom(900)) for _ in range(2)]
    try:
        for sender, id in zip(senders, ("clientX", "clientY"), strict=True):
            sender.start()
            selector.register(id, accept(listener))
        first_receive = None

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
        wait_for_condition(lambda: poll(selector, 1000) and selector.completed_receives(), "no request")
        assert len(selector.completed_receives()) == 1
        assert pool.available_memory() == 0
        assert not selector.is_out_of_memory()
    finally:
        selector.close()
        for sender in senders:
            sender.join()
