# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The principal of a plaintext peer, and the leftovers of a channel that cannot be built."""

from __future__ import annotations

import socket
from contextlib import closing
from typing import Iterator

import pytest

from kreactor.common.config.internals.broker_security_configs import BrokerSecurityConfigs
from kreactor.common.errors import InvalidConfigurationException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.network.default_channel_metadata_registry import DefaultChannelMetadataRegistry
from kreactor.common.network.kafka_channel import KafkaChannel
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.plaintext_channel_builder import PlaintextChannelBuilder
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.auth.kafka_principal_builder import KafkaPrincipalBuilder
from kreactor.common.security.auth.kafka_principal_serde import KafkaPrincipalSerde
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.net import InetAddress, InetSocketAddress
from kreactor.jdk.nio_channels import ServerSocketChannel, SocketChannel
from kreactor.jdk.nio_selector import SelectionKey, Selector

PRINCIPAL_BUILDER = BrokerSecurityConfigs.PRINCIPAL_BUILDER_CLASS_CONFIG


@pytest.fixture
def key() -> Iterator[SelectionKey]:
    with closing(ServerSocketChannel.open()) as listener, closing(Selector.open()) as selector:
        listener.bind(InetSocketAddress("127.0.0.1", 0))
        with socket.create_connection(("127.0.0.1", listener.socket().get_local_port())):
            channel = listener.accept()
            channel.configure_blocking(False)
            yield channel.register(selector, SelectionKey.OP_READ)
            channel.close()


def build(key: SelectionKey, listener_name: ListenerName | None, **configs) -> KafkaChannel:
    builder = PlaintextChannelBuilder(listener_name)
    builder.configure(configs)
    return builder.build_channel("0", key, 1024, MemoryPool.NONE, DefaultChannelMetadataRegistry())


class Recording(KafkaPrincipalBuilder, KafkaPrincipalSerde):
    """Names a peer by its address and listener."""

    closed = 0

    def build(self, context):
        assert context.security_protocol() is SecurityProtocol.PLAINTEXT
        address = context.client_address().get_host_address()
        return KafkaPrincipal("User", f"{address}@{context.listener_name()}")

    def serialize(self, principal):
        return principal.get_name().encode()

    def deserialize(self, bytes):
        return KafkaPrincipal("User", bytes.decode())

    def close(self):
        Recording.closed += 1


def test_everybody_is_anonymous(key):
    channel = build(key, ListenerName("EXTERNAL"))
    assert channel.principal() is KafkaPrincipal.ANONYMOUS
    assert channel.ready() and channel.is_connected()
    assert channel.socket_address() == InetAddress.get_by_name("127.0.0.1")
    assert channel.socket_port() == key.channel().socket().get_port()
    assert channel.socket_description() == "/127.0.0.1"
    channel.close()
    assert not key.is_valid() and channel.socket_port() > 0


def test_a_principal_builder_names_a_peer_by_its_address(key):
    before = Recording.closed
    channel = build(key, ListenerName("EXTERNAL"), **{PRINCIPAL_BUILDER: Recording})
    assert channel.principal() == KafkaPrincipal("User", "127.0.0.1@EXTERNAL")
    assert isinstance(channel.principal_serde(), Recording)
    channel.close()
    assert Recording.closed == before + 1


def test_a_principal_builder_need_not_turn_principals_into_bytes(key):
    class Plain(KafkaPrincipalBuilder):
        def build(self, context):
            return KafkaPrincipal.ANONYMOUS

    channel = build(key, ListenerName("EXTERNAL"), **{PRINCIPAL_BUILDER: Plain})
    assert channel.principal_serde() is None
    channel.close()


def test_a_client_does_not_ask_who_the_server_is(key):
    with pytest.raises(IllegalStateException, match="listenerName is null"):
        build(key, None).principal()
    with closing(SocketChannel.open()) as unconnected:
        unconnected.configure_blocking(False)
        with pytest.raises(IllegalStateException, match="listenerName is null"):
            build(unconnected.register(key.selector(), SelectionKey.OP_CONNECT), None).principal()


def test_nothing_is_left_of_a_channel_that_cannot_be_built(key):
    with pytest.raises(KafkaException) as raised:
        build(key, None, **{PRINCIPAL_BUILDER: str})
    assert isinstance(raised.value.__cause__, InvalidConfigurationException)
    assert not key.channel().is_open()


def test_a_builder_has_nothing_to_close(key):
    PlaintextChannelBuilder(None).close()
