# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.SaslChannelBuilder of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Channels whose clients authenticate with SASL, in plain text or with TLS below; either end of them.

Owner: the network thread of the selector that the builder is given to; reconfigured by any thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import partial
from typing import TYPE_CHECKING, Any, Callable

from kreactor.common.config.internals.broker_security_configs import BrokerSecurityConfigs
from kreactor.common.config.sasl_configs import SaslConfigs
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
from kreactor.common.network.plaintext_transport_layer import PlaintextTransportLayer
from kreactor.common.network.transport_layer import TransportLayer
from kreactor.common.security.auth.authenticate_callback_handler import AuthenticateCallbackHandler
from kreactor.common.security.auth.login import Login
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.security.authenticator.credential_cache import CredentialCache
from kreactor.common.security.authenticator.default_login import DefaultLogin
from kreactor.common.security.authenticator.login_manager import LoginManager
from kreactor.common.security.authenticator.sasl_client_authenticator import SaslClientAuthenticator
from kreactor.common.security.authenticator.sasl_client_callback_handler import SaslClientCallbackHandler
from kreactor.common.security.authenticator.sasl_server_authenticator import SaslServerAuthenticator
from kreactor.common.security.authenticator.sasl_server_callback_handler import SaslServerCallbackHandler
from kreactor.common.security.jaas_context import JaasContext
from kreactor.common.security.oauthbearer.internals.o_auth_bearer_sasl_client_callback_handler import (
    OAuthBearerSaslClientCallbackHandler,
)
from kreactor.common.security.oauthbearer.internals.o_auth_bearer_sasl_server import OAuthBearerSaslServer
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_unsecured_validator_callback_handler import (  # noqa: E501
    OAuthBearerUnsecuredValidatorCallbackHandler,
)
from kreactor.common.security.plain.internals.plain_sasl_server import PlainSaslServer
from kreactor.common.security.plain.internals.plain_server_callback_handler import PlainServerCallbackHandler
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.security.scram.internals.scram_server_callback_handler import (
    ScramServerCallbackHandler,
)
from kreactor.common.security.scram.scram_credential import ScramCredential
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.login import LoginModule, Subject
from kreactor.jdk.nio_selector import SelectionKey

if TYPE_CHECKING:
    from kreactor.common.requests.api_versions_response import ApiVersionsResponse
    from kreactor.common.security.ssl.ssl_factory import SslFactory


class SaslChannelBuilder(ChannelBuilder, ListenerReconfigurable):
    """Builds channels with SASL.

    :origin: common.network.SaslChannelBuilder
    """

    def __init__(
        self,
        mode: Mode,
        jaas_contexts: Mapping[str, JaasContext],
        security_protocol: SecurityProtocol,
        listener_name: ListenerName | None,
        is_inter_broker_listener: bool,
        client_sasl_mechanism: str,
        handshake_request_enable: bool,
        credential_cache: CredentialCache | None,
        ssl_client_auth_override: str | None,
        time: Time,
        log_context: LogContext,
        api_version_supplier: Callable[[], ApiVersionsResponse] | None,
    ) -> None:
        """``jaas_contexts`` are by mechanism, one for each that is enabled; a client has one.

        Raises IllegalArgumentException for a server without ``api_version_supplier``.

        :origin: common.network.SaslChannelBuilder#SaslChannelBuilder(Mode, Map<String,JaasContext>,
            SecurityProtocol, ListenerName, boolean, String, boolean, CredentialCache, DelegationTokenCache,
            String, Time, LogContext, Supplier<ApiVersionsResponse>)
        """
        self._mode = mode
        self._jaas_contexts = jaas_contexts
        self._login_managers: dict[str, LoginManager] = {}
        self._subjects: dict[str, Subject] = {}
        self._security_protocol = security_protocol
        self._listener_name = listener_name
        self._is_inter_broker_listener = is_inter_broker_listener
        self._handshake_request_enable = handshake_request_enable
        self._client_sasl_mechanism = client_sasl_mechanism
        self._ssl_client_auth_override = ssl_client_auth_override
        self._sasl_callback_handlers: dict[str, AuthenticateCallbackHandler] = {}
        self._connections_max_reauth_ms_by_mechanism: dict[str, int] = {}
        self._credential_cache = CredentialCache() if credential_cache is None else credential_cache
        self._time = time
        self._log_context = log_context
        self._api_version_supplier = api_version_supplier
        self._ssl_factory: SslFactory | None = None
        self._configs: Mapping[str, Any] = {}

        if mode is Mode.SERVER and api_version_supplier is None:
            raise IllegalArgumentException(
                "Server channel builder must provide an ApiVersionResponse supplier")

    def configure(self, configs: Mapping[str, Any]) -> None:
        """Raises KafkaException.

        :origin: common.network.SaslChannelBuilder#configure(Map<String,?>)
        """
        try:
            self._configs = configs
            if self._mode is Mode.SERVER:
                # DEVIATION D178: a login module is loaded, which brings its servers along, and not logged in.
                for jaas_context in self._jaas_contexts.values():
                    for entry in jaas_context.configuration_entries():
                        self._load_login_module(entry.get_login_module_name())
                self._create_server_callback_handlers(configs)
                self._create_connections_max_reauth_ms_map(configs)
            else:
                self._create_client_callback_handler(configs)
            for mechanism, handler in self._sasl_callback_handlers.items():
                handler.configure(configs, mechanism, self._jaas_contexts[mechanism].configuration_entries())

            if self._mode is Mode.CLIENT:
                for mechanism, jaas_context in self._jaas_contexts.items():
                    login_manager = LoginManager.acquire_login_manager(
                        jaas_context, mechanism, self._default_login_class(), configs)
                    self._login_managers[mechanism] = login_manager
                    self._subjects[mechanism] = login_manager.subject()
            if self._security_protocol is SecurityProtocol.SASL_SSL:
                # SASL_PLAINTEXT never loads OpenSSL, which is slow to import.
                from kreactor.common.security.ssl.ssl_factory import SslFactory

                self._ssl_factory = SslFactory(
                    self._mode, self._ssl_client_auth_override, self._is_inter_broker_listener)
                self._ssl_factory.configure(configs)
        except KafkaException:
            self.close()
            raise
        except Exception as e:
            self.close()
            raise KafkaException(cause=e) from e

    @staticmethod
    def _load_login_module(name: str) -> None:
        try:
            Utils.load_class(name, LoginModule)
        except (ImportError, TypeError) as e:
            raise KafkaException(f"No LoginModule found for {name}", e) from e

    def reconfigurable_configs(self) -> AbstractSet[str]:
        """:origin: common.network.SaslChannelBuilder#reconfigurableConfigs()"""
        if self._security_protocol is SecurityProtocol.SASL_SSL:
            return SslConfigs.RECONFIGURABLE_CONFIGS
        return frozenset()

    def validate_reconfiguration(self, configs: Mapping[str, object]) -> None:
        """:origin: common.network.SaslChannelBuilder#validateReconfiguration(Map<String,?>)"""
        if self._ssl_factory is not None:
            self._ssl_factory.validate_reconfiguration(configs)

    def reconfigure(self, configs: Mapping[str, object]) -> None:
        """:origin: common.network.SaslChannelBuilder#reconfigure(Map<String,?>)"""
        if self._ssl_factory is not None:
            self._ssl_factory.reconfigure(configs)

    def listener_name(self) -> ListenerName:
        """Raises IllegalStateException on a client, which has no listener.

        :origin: common.network.SaslChannelBuilder#listenerName()
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
        """:origin: common.network.SaslChannelBuilder#buildChannel(
            String, SelectionKey, int, MemoryPool, ChannelMetadataRegistry)
        """
        transport_layer: TransportLayer | None = None
        try:
            final_transport_layer = transport_layer = self._build_transport_layer(id, key, metadata_registry)
            authenticator_creator: Callable[[], Authenticator]
            if self._mode is Mode.SERVER:
                authenticator_creator = partial(
                    self._build_server_authenticator, id, final_transport_layer, metadata_registry)
            else:
                login_manager = self._login_managers[self._client_sasl_mechanism]
                authenticator_creator = partial(
                    self._build_client_authenticator,
                    self._sasl_callback_handlers[self._client_sasl_mechanism], id, self._server_host(key),
                    login_manager.service_name(), final_transport_layer,
                    self._subjects[self._client_sasl_mechanism])
            return KafkaChannel(
                id, transport_layer, authenticator_creator,
                max_receive_size, memory_pool if memory_pool is not None else MemoryPool.NONE,
                metadata_registry)
        except Exception as e:
            # No channel was made that would close these two.
            Utils.close_quietly(transport_layer, f"transport layer for channel Id: {id}")
            raise KafkaException(cause=e) from e

    @staticmethod
    def _server_host(key: SelectionKey) -> str:
        """Return the name that the client has connected to."""
        address = key.channel().socket().get_inet_address()
        return "" if address is None else address.get_host_name()

    def close(self) -> None:
        """:origin: common.network.SaslChannelBuilder#close()"""
        for login_manager in self._login_managers.values():
            login_manager.release()
        self._login_managers.clear()
        for handler in self._sasl_callback_handlers.values():
            handler.close()
        if self._ssl_factory is not None:
            self._ssl_factory.close()

    def _build_transport_layer(self, id: str, key: SelectionKey,
                               metadata_registry: ChannelMetadataRegistry) -> TransportLayer:
        """Return the transport layer; tests give another one.

        :origin: common.network.SaslChannelBuilder#buildTransportLayer(
            String, SelectionKey, SocketChannel, ChannelMetadataRegistry)
        """
        if self._security_protocol is SecurityProtocol.SASL_SSL:
            from kreactor.common.network.ssl_transport_layer import SslTransportLayer

            if self._ssl_factory is None:
                raise IllegalStateException("SaslChannelBuilder has not been configured.")
            return SslTransportLayer.create(
                id, key, self._ssl_factory.create_ssl_engine(key.channel().socket()), metadata_registry)
        return PlaintextTransportLayer(key)

    def _build_server_authenticator(self, id: str, transport_layer: TransportLayer,
                                    metadata_registry: ChannelMetadataRegistry) -> SaslServerAuthenticator:
        """Return the authenticator; tests give another one.

        :origin: common.network.SaslChannelBuilder#buildServerAuthenticator(Map<String,?>,
            Map<String,AuthenticateCallbackHandler>, String, TransportLayer, Map<String,Subject>,
            Map<String,Long>, ChannelMetadataRegistry)
        """
        assert self._listener_name is not None and self._api_version_supplier is not None
        return SaslServerAuthenticator(
            self._configs, self._sasl_callback_handlers, id, self._listener_name, self._security_protocol,
            transport_layer, self._connections_max_reauth_ms_by_mechanism, metadata_registry, self._time,
            self._api_version_supplier)

    def _build_client_authenticator(
        self, callback_handler: AuthenticateCallbackHandler, id: str, server_host: str,
        service_principal: str, transport_layer: TransportLayer, subject: Subject,
    ) -> SaslClientAuthenticator:
        """Return the authenticator; tests give another one.

        :origin: common.network.SaslChannelBuilder#buildClientAuthenticator(Map<String,?>,
            AuthenticateCallbackHandler, String, String, String, TransportLayer, Subject)
        """
        return SaslClientAuthenticator(
            self._configs, callback_handler, id, subject, service_principal, server_host,
            self._client_sasl_mechanism, self._handshake_request_enable, transport_layer, self._time,
            self._log_context)

    def login_managers(self) -> Mapping[str, LoginManager]:
        """Return the logins by mechanism, for tests.

        :origin: common.network.SaslChannelBuilder#loginManagers()
        """
        return self._login_managers

    def _create_client_callback_handler(self, configs: Mapping[str, Any]) -> None:
        """:origin: common.network.SaslChannelBuilder#createClientCallbackHandler(Map<String,?>)"""
        clazz = configs.get(SaslConfigs.SASL_CLIENT_CALLBACK_HANDLER_CLASS)
        if clazz is None:
            clazz = self._client_callback_handler_class()
        self._sasl_callback_handlers[self._client_sasl_mechanism] = Utils.new_instance(clazz)

    def _create_server_callback_handlers(self, configs: Mapping[str, Any]) -> None:
        """:origin: common.network.SaslChannelBuilder#createServerCallbackHandlers(Map<String,?>)"""
        for mechanism in self._jaas_contexts:
            callback_handler: AuthenticateCallbackHandler
            prefix = ListenerName.sasl_mechanism_prefix(mechanism)
            clazz = configs.get(prefix + BrokerSecurityConfigs.SASL_SERVER_CALLBACK_HANDLER_CLASS_CONFIG)
            if clazz is not None:
                callback_handler = Utils.new_instance(clazz)
            elif mechanism == PlainSaslServer.PLAIN_MECHANISM:
                callback_handler = PlainServerCallbackHandler()
            elif ScramMechanism.is_scram(mechanism):
                callback_handler = ScramServerCallbackHandler(
                    self._credential_cache.create_cache(mechanism, ScramCredential),
                    self._credential_cache.secret)
            elif mechanism == OAuthBearerSaslServer.OAUTHBEARER_MECHANISM:
                callback_handler = OAuthBearerUnsecuredValidatorCallbackHandler()
            else:
                callback_handler = SaslServerCallbackHandler()
            self._sasl_callback_handlers[mechanism] = callback_handler

    def _create_connections_max_reauth_ms_map(self, configs: Mapping[str, Any]) -> None:
        """:origin: common.network.SaslChannelBuilder#createConnectionsMaxReauthMsMap(Map<String,?>)"""
        for mechanism in self._jaas_contexts:
            prefix = ListenerName.sasl_mechanism_prefix(mechanism)
            connections_max_reauth_ms = configs.get(
                prefix + BrokerSecurityConfigs.CONNECTIONS_MAX_REAUTH_MS_CONFIG)
            if connections_max_reauth_ms is None:
                connections_max_reauth_ms = configs.get(
                    BrokerSecurityConfigs.CONNECTIONS_MAX_REAUTH_MS_CONFIG)
            if connections_max_reauth_ms is not None:
                self._connections_max_reauth_ms_by_mechanism[mechanism] = connections_max_reauth_ms

    def _default_login_class(self) -> type[Login]:
        """Return the login of the client's mechanism.

        :origin: common.network.SaslChannelBuilder#defaultLoginClass()
        """
        if self._client_sasl_mechanism == OAuthBearerSaslServer.OAUTHBEARER_MECHANISM:
            # Few brokers need OAUTHBEARER.
            from kreactor.common.security.oauthbearer.internals.o_auth_bearer_refreshing_login import (
                OAuthBearerRefreshingLogin,
            )

            return OAuthBearerRefreshingLogin
        return DefaultLogin

    def _client_callback_handler_class(self) -> type[AuthenticateCallbackHandler]:
        """:origin: common.network.SaslChannelBuilder#clientCallbackHandlerClass()"""
        if self._client_sasl_mechanism == OAuthBearerSaslServer.OAUTHBEARER_MECHANISM:
            return OAuthBearerSaslClientCallbackHandler
        return SaslClientCallbackHandler

    def subject(self, sasl_mechanism: str) -> Subject | None:
        """Return the subject that logged in, for tests.

        :origin: common.network.SaslChannelBuilder#subject(String)
        """
        return self._subjects.get(sasl_mechanism)
