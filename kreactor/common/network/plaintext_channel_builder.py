# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.PlaintextChannelBuilder of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Channels without encryption and without authentication.

Owner: the network thread of the selector that the builder is given to.
"""

from __future__ import annotations

from typing import Any, Callable, Mapping

from kreactor.common.kafka_exception import KafkaException
from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.network.authenticator import Authenticator
from kreactor.common.network.channel_builder import ChannelBuilder
from kreactor.common.network.channel_metadata_registry import ChannelMetadataRegistry
from kreactor.common.network.kafka_channel import KafkaChannel
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.plaintext_transport_layer import PlaintextTransportLayer
from kreactor.common.network.transport_layer import TransportLayer
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.auth.kafka_principal_serde import KafkaPrincipalSerde
from kreactor.common.security.auth.plaintext_authentication_context import PlaintextAuthenticationContext
from kreactor.common.security.authenticator.default_kafka_principal_builder import (
    DefaultKafkaPrincipalBuilder,
)
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.nio_selector import SelectionKey


class PlaintextChannelBuilder(ChannelBuilder):
    """Builds plain text channels.

    :origin: common.network.PlaintextChannelBuilder
    """

    def __init__(self, listener_name: ListenerName | None) -> None:
        """A broker names its listener; a client has none.

        :origin: common.network.PlaintextChannelBuilder#PlaintextChannelBuilder(ListenerName)
        """
        self._listener_name = listener_name
        self._configs: Mapping[str, Any] = {}

    def configure(self, configs: Mapping[str, Any]) -> None:
        """:origin: common.network.PlaintextChannelBuilder#configure(Map<String,?>)"""
        self._configs = configs

    def build_channel(
        self,
        id: str,
        key: SelectionKey,
        max_receive_size: int,
        memory_pool: MemoryPool | None,
        metadata_registry: ChannelMetadataRegistry,
    ) -> KafkaChannel:
        """:origin: common.network.PlaintextChannelBuilder#buildChannel(
            String, SelectionKey, int, MemoryPool, ChannelMetadataRegistry)
        """
        transport_layer: PlaintextTransportLayer | None = None
        try:
            final_transport_layer = transport_layer = self._build_transport_layer(key)
            return self._build_channel_transport_layer(
                id, transport_layer,
                lambda: PlaintextAuthenticator(self._configs, final_transport_layer, self._listener_name),
                max_receive_size, memory_pool if memory_pool is not None else MemoryPool.NONE,
                metadata_registry)
        except Exception as e:
            # No channel was made that would close these two.
            Utils.close_quietly(transport_layer, f"transport layer for channel Id: {id}")
            raise KafkaException(cause=e) from e

    def _build_channel_transport_layer(
        self,
        id: str,
        transport_layer: TransportLayer,
        authenticator_creator: Callable[[], Authenticator],
        max_receive_size: int,
        memory_pool: MemoryPool,
        metadata_registry: ChannelMetadataRegistry,
    ) -> KafkaChannel:
        """Return the channel; tests give another one.

        :origin: common.network.PlaintextChannelBuilder#buildChannel(
            String, TransportLayer, Supplier<Authenticator>, int, MemoryPool, ChannelMetadataRegistry)
        """
        return KafkaChannel(
            id, transport_layer, authenticator_creator, max_receive_size, memory_pool, metadata_registry)

    def _build_transport_layer(self, key: SelectionKey) -> PlaintextTransportLayer:
        """Return the transport layer; tests give another one.

        :origin: common.network.PlaintextChannelBuilder#buildTransportLayer(SelectionKey)
        """
        return PlaintextTransportLayer(key)

    def close(self) -> None:
        """Do nothing: channels share nothing.

        :origin: common.network.PlaintextChannelBuilder#close()
        """


class PlaintextAuthenticator(Authenticator):
    """Accepts every peer, with the principal that the principal builder gives to its address.

    :origin: common.network.PlaintextChannelBuilder.PlaintextAuthenticator
    """

    __slots__ = ("_transport_layer", "_principal_builder", "_listener_name", "_principal", "_principal_serde")

    def __init__(
        self,
        configs: Mapping[str, Any],
        transport_layer: PlaintextTransportLayer,
        listener_name: ListenerName | None,
    ) -> None:
        """:origin: common.network.PlaintextChannelBuilder.PlaintextAuthenticator#PlaintextAuthenticator(
            Map<String,?>, PlaintextTransportLayer, ListenerName)
        """
        # The module of all builders imports this one for the channels of its kind.
        from kreactor.common.network.channel_builders import ChannelBuilders

        self._transport_layer = transport_layer
        self._principal_builder = ChannelBuilders.create_principal_builder(configs, None, None)
        self._listener_name = listener_name
        # The default builder's principal never changes; a user's own builder is asked each time.
        self._principal: KafkaPrincipal | None = None
        builder = self._principal_builder
        self._principal_serde = builder if isinstance(builder, KafkaPrincipalSerde) else None

    def authenticate(self) -> None:
        """:origin: common.network.PlaintextChannelBuilder.PlaintextAuthenticator#authenticate()"""

    def principal(self) -> KafkaPrincipal:
        """Raises IllegalStateException on a client, which has no listener.

        :origin: common.network.PlaintextChannelBuilder.PlaintextAuthenticator#principal()
        """
        if self._principal is not None:
            return self._principal
        client_address = self._transport_layer.socket_channel().socket().get_inet_address()
        if self._listener_name is None:
            raise IllegalStateException("Unexpected call to principal() when listenerName is null")
        assert client_address is not None, "an accepted connection has a peer"
        principal = self._principal_builder.build(
            PlaintextAuthenticationContext(client_address, self._listener_name.value()))
        if type(self._principal_builder) is DefaultKafkaPrincipalBuilder:
            self._principal = principal
        return principal

    def principal_serde(self) -> KafkaPrincipalSerde | None:
        """:origin: common.network.PlaintextChannelBuilder.PlaintextAuthenticator#principalSerde()"""
        return self._principal_serde

    def complete(self) -> bool:
        """:origin: common.network.PlaintextChannelBuilder.PlaintextAuthenticator#complete()"""
        return True

    def close(self) -> None:
        """:origin: common.network.PlaintextChannelBuilder.PlaintextAuthenticator#close()"""
        if hasattr(self._principal_builder, "close"):
            Utils.close_quietly(self._principal_builder, "principal builder")
