# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.ChannelBuilders of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Which channel builder a listener or a client gets, and the settings it is given.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Callable, Mapping

from kreactor.common.config.abstract_config import AbstractConfig
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.internals.broker_security_configs import BrokerSecurityConfigs
from kreactor.common.config.sasl_configs import SaslConfigs
from kreactor.common.config.ssl_client_auth import SslClientAuth
from kreactor.common.configurable import Configurable
from kreactor.common.errors import InvalidConfigurationException
from kreactor.common.network.channel_builder import ChannelBuilder
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.mode import Mode
from kreactor.common.network.plaintext_channel_builder import PlaintextChannelBuilder
from kreactor.common.security.auth.kafka_principal_builder import KafkaPrincipalBuilder
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.security.authenticator.default_kafka_principal_builder import (
    DefaultKafkaPrincipalBuilder,
)
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalArgumentException

if TYPE_CHECKING:
    from kreactor.common.requests.api_versions_response import ApiVersionsResponse
    from kreactor.common.security.authenticator.credential_cache import CredentialCache
    from kreactor.common.security.ssl.ssl_principal_mapper import SslPrincipalMapper

log = LogContext().logger(f"{__name__}.ChannelBuilders")


class ChannelBuilders:
    """Makes channel builders. Called by any thread; a builder belongs to one thread.

    :origin: common.network.ChannelBuilders
    :origin: common.network.ChannelBuilders#ChannelBuilders()
    """

    @staticmethod
    def client_channel_builder(
        security_protocol: SecurityProtocol,
        config: AbstractConfig,
        listener_name: ListenerName | None,
        time: Time,
        log_context: LogContext,
    ) -> ChannelBuilder:
        """Return a configured builder for connections to a server.

        ``listener_name`` is given by a broker that connects to another, and by nobody else. Raises
        ConfigException for a protocol that has no builder.

        :origin: common.network.ChannelBuilders#clientChannelBuilder(
            SecurityProtocol, JaasContext.Type, AbstractConfig, ListenerName, String, Time, boolean,
            LogContext)
        """
        return ChannelBuilders._create(
            security_protocol, Mode.CLIENT, config, listener_name, False, time, log_context, None)

    @staticmethod
    def server_channel_builder(
        listener_name: ListenerName,
        is_inter_broker_listener: bool,
        security_protocol: SecurityProtocol,
        config: AbstractConfig,
        time: Time,
        log_context: LogContext,
        api_version_supplier: Callable[[], ApiVersionsResponse],
        credential_cache: CredentialCache | None = None,
    ) -> ChannelBuilder:
        """Return a configured builder for connections that ``listener_name`` accepts.

        ``api_version_supplier`` gives the ApiVersions response of a channel that is not authenticated yet,
        ``credential_cache`` the users of SCRAM, of which there are none without it.
        Raises KafkaException, or its subclass ConfigException, for invalid settings.

        :origin: common.network.ChannelBuilders#serverChannelBuilder(
            ListenerName, boolean, SecurityProtocol, AbstractConfig, CredentialCache,
            DelegationTokenCache, Time, LogContext, Supplier<ApiVersionsResponse>)
        """
        return ChannelBuilders._create(
            security_protocol, Mode.SERVER, config, listener_name, is_inter_broker_listener, time,
            log_context, api_version_supplier, credential_cache)

    @staticmethod
    def _create(
        security_protocol: SecurityProtocol,
        mode: Mode,
        config: AbstractConfig,
        listener_name: ListenerName | None,
        is_inter_broker_listener: bool,
        time: Time,
        log_context: LogContext,
        api_version_supplier: Callable[[], ApiVersionsResponse] | None,
        credential_cache: CredentialCache | None = None,
    ) -> ChannelBuilder:
        """:origin: common.network.ChannelBuilders#create(
            SecurityProtocol, Mode, JaasContext.Type, AbstractConfig, ListenerName, boolean, String, boolean,
            CredentialCache, DelegationTokenCache, Time, LogContext, Supplier<ApiVersionsResponse>)
        """
        configs = ChannelBuilders.channel_builder_configs(config, listener_name)

        channel_builder: ChannelBuilder
        if security_protocol is SecurityProtocol.SSL:
            # A plaintext node never loads OpenSSL, which is slow to import.
            from kreactor.common.network.ssl_channel_builder import SslChannelBuilder

            channel_builder = SslChannelBuilder(mode, listener_name, is_inter_broker_listener, log_context)
        elif security_protocol is SecurityProtocol.PLAINTEXT:
            channel_builder = PlaintextChannelBuilder(listener_name)
        else:
            # Most nodes need none of the modules that these import.
            from kreactor.common.network.sasl_channel_builder import SaslChannelBuilder
            from kreactor.common.security.jaas_context import JaasContext

            client_sasl_mechanism = ""
            try:
                if mode is Mode.SERVER:
                    assert listener_name is not None, "a server has one"
                    jaas_contexts = {
                        mechanism: JaasContext.load_server_context(listener_name, mechanism, configs)
                        for mechanism in configs[BrokerSecurityConfigs.SASL_ENABLED_MECHANISMS_CONFIG]}
                else:
                    client_sasl_mechanism = configs[SaslConfigs.SASL_MECHANISM]
                    jaas_contexts = {client_sasl_mechanism: JaasContext.load_client_context(configs)}
            except IllegalArgumentException as e:
                # DEVIATION D179: a setting is wrong, so the user gets one line that names it.
                raise ConfigException(str(e)) from e

            # A listener of SASL_SSL asks for certificates only if a setting of its own says so.
            ssl_client_auth_override = None
            if mode is Mode.SERVER and security_protocol is SecurityProtocol.SASL_SSL:
                assert listener_name is not None, "a server has one"
                configured_client_auth = configs.get(BrokerSecurityConfigs.SSL_CLIENT_AUTH_CONFIG)
                listener_client_auth = config.originals_with_prefix(listener_name.config_prefix(), True).get(
                    BrokerSecurityConfigs.SSL_CLIENT_AUTH_CONFIG)

                if listener_client_auth is None:
                    ssl_client_auth_override = SslClientAuth.NONE.name.lower()
                    if (configured_client_auth is not None
                            and configured_client_auth.upper() != SslClientAuth.NONE.name):
                        log.warn(
                            "%s is for listeners of SSL; one of SASL_SSL asks for certificates if it is set "
                            "with the prefix of the listener", BrokerSecurityConfigs.SSL_CLIENT_AUTH_CONFIG)
            channel_builder = SaslChannelBuilder(
                mode, jaas_contexts, security_protocol, listener_name, is_inter_broker_listener,
                client_sasl_mechanism, True, credential_cache, ssl_client_auth_override, time, log_context,
                api_version_supplier)

        channel_builder.configure(configs)
        return channel_builder

    @staticmethod
    def channel_builder_configs(config: AbstractConfig, listener_name: ListenerName | None) -> dict[str, Any]:
        """Return the parsed settings, those of the listener first, and every other setting as it was given.

        Left out is what is there in parsed form already: a setting with the listener's prefix, and one with
        a mechanism's before a name that is known.

        :origin: common.network.ChannelBuilders#channelBuilderConfigs(AbstractConfig, ListenerName)
        """
        if listener_name is None:
            parsed_configs = config.values()
            prefix = None
        else:
            prefix = listener_name.config_prefix()
            parsed_configs = config.values_with_prefix_override(prefix)

        for key, value in config.originals().items():
            if key in parsed_configs:
                continue
            if prefix is not None and key.startswith(prefix) and key[len(prefix):] in parsed_configs:
                continue
            if prefix is not None and key[key.find(".") + 1:] in parsed_configs:
                continue
            parsed_configs[key] = value
        return parsed_configs

    @staticmethod
    def create_principal_builder(
        configs: Mapping[str, Any],
        kerberos_short_namer: None,
        ssl_principal_mapper: SslPrincipalMapper | None,
    ) -> KafkaPrincipalBuilder:
        """Return the principal builder that the settings name, configured.

        Raises InvalidConfigurationException if what they name is none.

        :origin: common.network.ChannelBuilders#createPrincipalBuilder(
            Map<String,?>, KerberosShortNamer, SslPrincipalMapper)
        """
        principal_builder_class = configs.get(BrokerSecurityConfigs.PRINCIPAL_BUILDER_CLASS_CONFIG)

        if principal_builder_class is None or principal_builder_class is DefaultKafkaPrincipalBuilder:
            builder: KafkaPrincipalBuilder = DefaultKafkaPrincipalBuilder(
                kerberos_short_namer, ssl_principal_mapper)
        elif inspect.isclass(principal_builder_class) and issubclass(
                principal_builder_class, KafkaPrincipalBuilder):
            builder = Utils.new_instance(principal_builder_class)
        else:
            raise InvalidConfigurationException(
                f"Type {getattr(principal_builder_class, '__qualname__', principal_builder_class)} is not "
                f"an instance of {KafkaPrincipalBuilder.__qualname__}")

        if isinstance(builder, Configurable):
            builder.configure(configs)

        return builder
