# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The principal of a TLS peer, and what is left of a channel that cannot be built."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

import pytest

from kreactor.common.config.internals.broker_security_configs import BrokerSecurityConfigs
from kreactor.common.errors import InvalidConfigurationException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.network.channel_metadata_registry import ChannelMetadataRegistry
from kreactor.common.network.kafka_channel import KafkaChannel
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.mode import Mode
from kreactor.common.network.ssl_channel_builder import SslChannelBuilder
from kreactor.common.network.ssl_transport_layer import SslTransportLayer
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.auth.kafka_principal_builder import KafkaPrincipalBuilder
from kreactor.common.security.auth.kafka_principal_serde import KafkaPrincipalSerde
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.net import InetAddress
from kreactor.jdk.ssl_engine import Status
from kreactor.jdk.x509 import X500Principal
from tests.common.network.scripted_tls import ScriptedTls, Step

LISTENER = ListenerName("SECURE")
PRINCIPAL_BUILDER = BrokerSecurityConfigs.PRINCIPAL_BUILDER_CLASS_CONFIG
RULES = BrokerSecurityConfigs.SSL_PRINCIPAL_MAPPING_RULES_CONFIG


class ByAddress(KafkaPrincipalBuilder):
    """Names a peer by its address and listener; cannot be closed."""

    def build(self, context):
        address = context.client_address().get_host_address()
        return KafkaPrincipal("User", f"{address}@{context.listener_name()}")


class Closable(ByAddress, KafkaPrincipalSerde):
    """Counts how often it is closed."""

    closed = 0

    def serialize(self, principal):
        return principal.get_name().encode()

    def deserialize(self, bytes):
        return KafkaPrincipal("User", bytes.decode())

    def close(self):
        Closable.closed += 1


class ScriptedSslChannelBuilder(SslChannelBuilder):
    """A channel builder whose channels have the transport layer of a test."""

    def __init__(self, mode: Mode, listener_name: ListenerName | None, tls: ScriptedTls) -> None:
        super().__init__(mode, listener_name, False, LogContext())
        self.tls = tls

    def _build_transport_layer(self, ssl_factory, id, key, metadata_registry) -> SslTransportLayer:
        return self.tls.layer


def build(tls: ScriptedTls, listener_name: ListenerName | None = LISTENER, **configs: Any) -> KafkaChannel:
    builder = ScriptedSslChannelBuilder(Mode.CLIENT, listener_name, tls)
    # The default versions warn in Python of TLS 1.0.
    builder.configure({"ssl.enabled.protocols": ["TLSv1.2", "TLSv1.3"]} | configs)
    return builder.build_channel("0", Mock(), 1024, MemoryPool.NONE, Mock(spec=ChannelMetadataRegistry))


@pytest.fixture
def tls() -> ScriptedTls:
    tls = ScriptedTls().after_handshake().wraps(Step(Status.CLOSED))
    tls.socket.get_inet_address = lambda: InetAddress.get_by_name("127.0.0.1")
    certificate = Mock(spec=X500Principal)
    certificate.get_name.return_value = "CN=client,OU=people"
    tls.engine.session.principal = certificate
    return tls


def test_the_principal_is_the_subject_of_the_certificate(tls):
    assert build(tls).principal() == KafkaPrincipal("User", "CN=client,OU=people")


def test_rules_shorten_the_subject_of_the_certificate(tls):
    channel = build(tls, **{RULES: "RULE:^CN=(.*?),.*$/$1/U"})
    assert channel.principal() == KafkaPrincipal("User", "CLIENT")


def test_a_principal_builder_of_the_user_is_asked(tls):
    channel = build(tls, **{PRINCIPAL_BUILDER: ByAddress})
    assert channel.principal() == KafkaPrincipal("User", "127.0.0.1@SECURE")
    assert channel.principal_serde() is None
    # It has nothing to close.
    channel.close()
    assert not tls.socket.opened


def test_a_channel_closes_its_principal_builder(tls):
    before = Closable.closed
    channel = build(tls, **{PRINCIPAL_BUILDER: Closable})
    assert isinstance(channel.principal_serde(), Closable)
    channel.close()
    assert Closable.closed == before + 1


def test_a_client_does_not_ask_who_the_server_is(tls):
    with pytest.raises(IllegalStateException, match="listenerName is null"):
        build(tls, None).principal()


def test_nothing_is_left_of_a_channel_that_cannot_be_built(tls):
    with pytest.raises(KafkaException) as found:
        build(tls, **{PRINCIPAL_BUILDER: str})
    assert isinstance(found.value.__cause__, InvalidConfigurationException)
    assert not tls.socket.opened


def test_a_builder_that_is_not_configured_builds_nothing(tls):
    builder = ScriptedSslChannelBuilder(Mode.CLIENT, None, tls)
    with pytest.raises(KafkaException) as found:
        builder.build_channel("0", Mock(), 1024, None, Mock(spec=ChannelMetadataRegistry))
    assert "has not been configured" in str(found.value.__cause__)
    with pytest.raises(IllegalStateException, match="a client has no listener"):
        builder.listener_name()
    assert ScriptedSslChannelBuilder(Mode.SERVER, LISTENER, tls).listener_name() is LISTENER
    # There is nothing to close.
    builder.close()
