# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.SslChannelBuilder of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Channels with TLS; a certificate of the peer gives its principal.

Owner: the network thread of the selector that the builder is given to; reconfigured by any thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from kreactor.common.config.internals.broker_security_configs import BrokerSecurityConfigs
from kreactor.common.config.ssl_configs import SslConfigs
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.network.authenticator import Authenticator
from kreactor.common.network.channel_builder import ChannelBuilder
from kreactor.common.network.channel_metadata_registry import ChannelMetadataRegistry
from kreactor.common.network.kafka_channel import KafkaChannel
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.listener_reconfigurable import ListenerReconfigurable
from kreactor.common.network.mode import Mode
from kreactor.common.network.ssl_transport_layer import SslTransportLayer
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.auth.kafka_principal_serde import KafkaPrincipalSerde
from kreactor.common.security.auth.ssl_authentication_context import SslAuthenticationContext
from kreactor.common.security.ssl.ssl_factory import SslFactory
from kreactor.common.security.ssl.ssl_principal_mapper import SslPrincipalMapper
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.nio_selector import SelectionKey


class SslChannelBuilder(ChannelBuilder, ListenerReconfigurable):
    """Builds channels with TLS.

    :origin: common.network.SslChannelBuilder
    """

    def __init__(self, mode: Mode, listener_name: ListenerName | None, is_inter_broker_listener: bool,
                 log_context: LogContext) -> None:
        """A broker names its listener; a client has none.

        :origin: common.network.SslChannelBuilder#SslChannelBuilder(Mode, ListenerName, boolean, LogContext)
        """
        self._mode = mode
        self._listener_name = listener_name
        self._is_inter_broker_listener = is_inter_broker_listener
        self._ssl_factory: SslFactory | None = None
        self._configs: Mapping[str, Any] = {}
        self._ssl_principal_mapper: SslPrincipalMapper | None = None

    def configure(self, configs: Mapping[str, Any]) -> None:
        """Raises KafkaException.

        :origin: common.network.SslChannelBuilder#configure(Map<String,?>)
        """
        try:
            self._configs = configs
            ssl_principal_mapping_rules = configs.get(
                BrokerSecurityConfigs.SSL_PRINCIPAL_MAPPING_RULES_CONFIG)
            if ssl_principal_mapping_rules is not None:
                self._ssl_principal_mapper = SslPrincipalMapper.from_rules(ssl_principal_mapping_rules)
            self._ssl_factory = SslFactory(self._mode, None, self._is_inter_broker_listener)
            self._ssl_factory.configure(configs)
        except KafkaException:
            raise
        except Exception as e:
            raise KafkaException(cause=e) from e

    def reconfigurable_configs(self) -> AbstractSet[str]:
        """:origin: common.network.SslChannelBuilder#reconfigurableConfigs()"""
        return SslConfigs.RECONFIGURABLE_CONFIGS

    def validate_reconfiguration(self, configs: Mapping[str, object]) -> None:
        """:origin: common.network.SslChannelBuilder#validateReconfiguration(Map<String,?>)"""
        self._factory().validate_reconfiguration(configs)

    def reconfigure(self, configs: Mapping[str, object]) -> None:
        """:origin: common.network.SslChannelBuilder#reconfigure(Map<String,?>)"""
        self._factory().reconfigure(configs)

    def listener_name(self) -> ListenerName:
        """Raises IllegalStateException on a client, which has no listener.

        :origin: common.network.SslChannelBuilder#listenerName()
        """
        if self._listener_name is None:
            raise IllegalStateException("a client has no listener")
        return self._listener_name

    def build_channel(
        self,
        id: str,
        key: SelectionKey,
        max_receive_size: int,
        memory_pool: MemoryPool | None,
        metadata_registry: ChannelMetadataRegistry,
    ) -> KafkaChannel:
        """:origin: common.network.SslChannelBuilder#buildChannel(
            String, SelectionKey, int, MemoryPool, ChannelMetadataRegistry)
        """
        transport_layer: SslTransportLayer | None = None
        try:
            final_transport_layer = transport_layer = self._build_transport_layer(
                self._factory(), id, key, metadata_registry)
            return KafkaChannel(
                id, transport_layer,
                lambda: SslAuthenticator(self._configs, final_transport_layer, self._listener_name,
                                         self._ssl_principal_mapper),
                max_receive_size, memory_pool if memory_pool is not None else MemoryPool.NONE,
                metadata_registry)
        except Exception as e:
            # No channel was made that would close these two.
            Utils.close_quietly(transport_layer, f"transport layer for channel Id: {id}")
            raise KafkaException(cause=e) from e

    def close(self) -> None:
        """:origin: common.network.SslChannelBuilder#close()"""
        if self._ssl_factory is not None:
            self._ssl_factory.close()

    def _build_transport_layer(self, ssl_factory: SslFactory, id: str, key: SelectionKey,
                               metadata_registry: ChannelMetadataRegistry) -> SslTransportLayer:
        """Return the transport layer; tests give another one.

        :origin: common.network.SslChannelBuilder#buildTransportLayer(
            SslFactory, String, SelectionKey, ChannelMetadataRegistry)
        """
        return SslTransportLayer.create(
            id, key, ssl_factory.create_ssl_engine(key.channel().socket()), metadata_registry)

    def _factory(self) -> SslFactory:
        if self._ssl_factory is None:
            raise IllegalStateException("SslChannelBuilder has not been configured.")
        return self._ssl_factory


class SslAuthenticator(Authenticator):
    """Gets the principal of the TLS session from the principal builder; authentication is the handshake.

    :origin: common.network.SslChannelBuilder.SslAuthenticator
    """

    __slots__ = ("_transport_layer", "_principal_builder", "_listener_name")

    def __init__(
        self,
        configs: Mapping[str, Any],
        transport_layer: SslTransportLayer,
        listener_name: ListenerName | None,
        ssl_principal_mapper: SslPrincipalMapper | None,
    ) -> None:
        """:origin: common.network.SslChannelBuilder.SslAuthenticator#SslAuthenticator(
            Map<String,?>, SslTransportLayer, ListenerName, SslPrincipalMapper)
        """
        # The module of all builders imports this one for the channels of its kind.
        from kreactor.common.network.channel_builders import ChannelBuilders

        self._transport_layer = transport_layer
        self._principal_builder = ChannelBuilders.create_principal_builder(
            configs, None, ssl_principal_mapper)
        self._listener_name = listener_name

    def authenticate(self) -> None:
        """:origin: common.network.SslChannelBuilder.SslAuthenticator#authenticate()"""

    def principal(self) -> KafkaPrincipal:
        """Raises IllegalStateException on a client, which has no listener.

        :origin: common.network.SslChannelBuilder.SslAuthenticator#principal()
        """
        client_address = self._transport_layer.socket_channel().socket().get_inet_address()
        if self._listener_name is None:
            raise IllegalStateException("Unexpected call to principal() when listenerName is null")
        assert client_address is not None, "an accepted connection has a peer"
        context = SslAuthenticationContext(
            self._transport_layer.ssl_session(), client_address, self._listener_name.value())
        return self._principal_builder.build(context)

    def principal_serde(self) -> KafkaPrincipalSerde | None:
        """:origin: common.network.SslChannelBuilder.SslAuthenticator#principalSerde()"""
        builder = self._principal_builder
        return builder if isinstance(builder, KafkaPrincipalSerde) else None

    def close(self) -> None:
        """:origin: common.network.SslChannelBuilder.SslAuthenticator#close()"""
        if hasattr(self._principal_builder, "close"):
            Utils.close_quietly(self._principal_builder, "principal builder")

    def complete(self) -> bool:
        """:origin: common.network.SslChannelBuilder.SslAuthenticator#complete()"""
        return True
