# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.auth.SslEngineFactory of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of a factory of TLS engines, for users who manage keys and certificates themselves."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from kreactor.common.configurable import Configurable
from kreactor.jdk.key_store import KeyStore
from kreactor.jdk.ssl_engine import SSLEngine


class SslEngineFactory(Configurable):
    """Makes engines of one configuration. A changed configuration gets a new factory.

    Threads: any thread may make engines. Only the thread that made the factory configures and closes it.

    :origin: common.security.auth.SslEngineFactory
    """

    @abstractmethod
    def create_client_ssl_engine(self, peer_host: str, peer_port: int,
                                 endpoint_identification: str | None) -> SSLEngine:
        """Return an engine for a client.

        ``endpoint_identification`` is "https" or empty. With "https", the server's certificate must be for
        ``peer_host``.

        :origin: common.security.auth.SslEngineFactory#createClientSslEngine(String, int, String)
        """

    @abstractmethod
    def create_server_ssl_engine(self, peer_host: str, peer_port: int) -> SSLEngine:
        """Return an engine for a server. ``peer_host`` and ``peer_port`` serve only for logs.

        :origin: common.security.auth.SslEngineFactory#createServerSslEngine(String, int)
        """

    @abstractmethod
    def should_be_rebuilt(self, next_configs: Mapping[str, object]) -> bool:
        """Return whether ``next_configs``, or the files named in them, need a new factory.

        :origin: common.security.auth.SslEngineFactory#shouldBeRebuilt(Map<String,Object>)
        """

    @abstractmethod
    def reconfigurable_configs(self) -> AbstractSet[str]:
        """Return the names of the settings that may change.

        :origin: common.security.auth.SslEngineFactory#reconfigurableConfigs()
        """

    @abstractmethod
    def keystore(self) -> KeyStore | None:
        """Return the store of this side's keys and certificates, or None.

        :origin: common.security.auth.SslEngineFactory#keystore()
        """

    @abstractmethod
    def truststore(self) -> KeyStore | None:
        """Return the store of the trusted certificates, or None.

        :origin: common.security.auth.SslEngineFactory#truststore()
        """

    @abstractmethod
    def close(self) -> None:
        """Release keys and certificates. Existing engines keep working."""
