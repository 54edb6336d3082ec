# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.ChannelBuildersTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Which settings reach a channel builder, and which builder that is."""

from __future__ import annotations

from typing import Any, Mapping

import pytest

from kreactor.common.config.abstract_config import AbstractConfig
from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.internals.broker_security_configs import BrokerSecurityConfigs
from kreactor.common.configurable import Configurable
from kreactor.common.errors import InvalidConfigurationException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.network.channel_builders import ChannelBuilders
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.plaintext_channel_builder import PlaintextChannelBuilder
from kreactor.common.network.sasl_channel_builder import SaslChannelBuilder
from kreactor.common.network.ssl_channel_builder import SslChannelBuilder
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.auth.kafka_principal_builder import KafkaPrincipalBuilder
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.security.authenticator.default_kafka_principal_builder import (
    DefaultKafkaPrincipalBuilder,
)
from kreactor.common.utils.log_context import LogContext
from kreactor.testing.mock_time import MockTime

PRINCIPAL_BUILDER = BrokerSecurityConfigs.PRINCIPAL_BUILDER_CLASS_CONFIG


class ConfigurableKafkaPrincipalBuilder(KafkaPrincipalBuilder, Configurable):
    def __init__(self) -> None:
        self.configured = False

    def configure(self, configs: Mapping[str, Any]) -> None:
        self.configured = True

    def build(self, context):
        return KafkaPrincipal.ANONYMOUS


class SecurityConfig(AbstractConfig):
    """A port of org.apache.kafka.common.security.TestSecurityConfig."""

    CONFIG = (
        ConfigDef()
        .define(BrokerSecurityConfigs.SSL_CLIENT_AUTH_CONFIG, ConfigDef.Type.STRING, None,
                ConfigDef.Importance.MEDIUM, "")
        .define(BrokerSecurityConfigs.SASL_ENABLED_MECHANISMS_CONFIG, ConfigDef.Type.LIST,
                BrokerSecurityConfigs.DEFAULT_SASL_ENABLED_MECHANISMS, ConfigDef.Importance.MEDIUM, "")
        .define(BrokerSecurityConfigs.SASL_SERVER_CALLBACK_HANDLER_CLASS_CONFIG, ConfigDef.Type.CLASS, None,
                ConfigDef.Importance.MEDIUM, "")
        .define(PRINCIPAL_BUILDER, ConfigDef.Type.CLASS, None, ConfigDef.Importance.MEDIUM, "")
        .define(BrokerSecurityConfigs.CONNECTIONS_MAX_REAUTH_MS_CONFIG, ConfigDef.Type.LONG, 0,
                ConfigDef.Importance.MEDIUM, "")
        .define(BrokerSecurityConfigs.SASL_SERVER_MAX_RECEIVE_SIZE_CONFIG, ConfigDef.Type.INT,
                BrokerSecurityConfigs.DEFAULT_SASL_SERVER_MAX_RECEIVE_SIZE, ConfigDef.Importance.LOW, "")
        .with_client_ssl_support()
        .with_client_sasl_support()
    )

    def __init__(self, originals: Mapping[str, Any]) -> None:
        super().__init__(self.CONFIG, originals, False)


def test_create_configurable_kafka_principal_builder():
    configs = {PRINCIPAL_BUILDER: ConfigurableKafkaPrincipalBuilder}
    builder = ChannelBuilders.create_principal_builder(configs, None, None)
    assert isinstance(builder, ConfigurableKafkaPrincipalBuilder)
    assert builder.configured


PROPS = {
    "listener.name.listener1.gssapi.sasl.kerberos.service.name": "testkafka",
    "listener.name.listener1.sasl.kerberos.service.name": "testkafkaglobal",
    "plain.sasl.server.callback.handler.class": "callback",
    "listener.name.listener1.gssapi.config1.key": "custom.config1",
    "custom.config2.key": "custom.config2",
}


@pytest.mark.parametrize(("listener_name", "expected"), [
    (ListenerName("listener1"), {
        "listener.name.listener1.gssapi.sasl.kerberos.service.name": None,
        "gssapi.sasl.kerberos.service.name": "testkafka",
        "sasl.kerberos.service.name": "testkafkaglobal",
        "listener.name.listener1.sasl.kerberos.service.name": None,
        "plain.sasl.server.callback.handler.class": None,
        "listener.name.listener1.gssapi.config1.key": "custom.config1",
        "custom.config2.key": "custom.config2",
    }),
    (None, {
        "listener.name.listener1.gssapi.sasl.kerberos.service.name": "testkafka",
        "gssapi.sasl.kerberos.service.name": None,
        "listener.name.listener1.sasl.kerberos.service.name": "testkafkaglobal",
        "sasl.kerberos.service.name": None,
        "plain.sasl.server.callback.handler.class": "callback",
        "listener.name.listener1.gssapi.config1.key": "custom.config1",
        "custom.config2.key": "custom.config2",
    }),
], ids=["a listener's", "no listener's"])
def test_channel_builder_configs(listener_name, expected):
    security_config = SecurityConfig(PROPS)
    configs = ChannelBuilders.channel_builder_configs(security_config, listener_name)
    for key, value in expected.items():
        assert configs.get(key) == value
        # A look-up of a setting in the builder's settings counts as its use.
        assert key not in security_config.unused()


@pytest.mark.parametrize("listener_name", [ListenerName("listener1"), None])
def test_what_is_parsed_is_not_given_as_it_was_written(listener_name):
    size = BrokerSecurityConfigs.SASL_SERVER_MAX_RECEIVE_SIZE_CONFIG
    prefixed = f"listener.name.listener1.{size}"
    configs = ChannelBuilders.channel_builder_configs(
        SecurityConfig({size: "7", prefixed: "8"}), listener_name)
    assert configs[size] == (7 if listener_name is None else 8)
    assert configs.get(prefixed) == ("8" if listener_name is None else None)


@pytest.mark.parametrize("configs", [{}, {PRINCIPAL_BUILDER: None},
                                     {PRINCIPAL_BUILDER: DefaultKafkaPrincipalBuilder}])
def test_the_default_principal_builder_stands_in_for_none(configs):
    assert type(ChannelBuilders.create_principal_builder(configs, None, None)) is DefaultKafkaPrincipalBuilder


@pytest.mark.parametrize("principal_builder", [str, "not a class"])
def test_what_is_no_principal_builder_is_refused(principal_builder):
    with pytest.raises(InvalidConfigurationException, match="is not an instance of"):
        ChannelBuilders.create_principal_builder({PRINCIPAL_BUILDER: principal_builder}, None, None)


def build(security_protocol: SecurityProtocol, client: bool) -> object:
    if client:
        return ChannelBuilders.client_channel_builder(
            security_protocol, SecurityConfig({}), None, MockTime(), LogContext())
    return ChannelBuilders.server_channel_builder(
        ListenerName("L"), False, security_protocol, SecurityConfig({}), MockTime(), LogContext(), object)


@pytest.mark.parametrize("client", [True, False])
def test_the_builders_of_the_protocols(client):
    assert isinstance(build(SecurityProtocol.PLAINTEXT, client), PlaintextChannelBuilder)
    ssl_builder = build(SecurityProtocol.SSL, client)
    assert isinstance(ssl_builder, SslChannelBuilder)
    ssl_builder.close()
    for protocol in (SecurityProtocol.SASL_PLAINTEXT, SecurityProtocol.SASL_SSL):
        with pytest.raises(ConfigException, match=(
                "sasl.jaas.config is not set, and the JAAS file" if client else
                "listener.name.l.gssapi.sasl.jaas.config is not set, and the JAAS file")):
            build(protocol, client)


PLAIN_JAAS = 'org.apache.kafka.common.security.plain.PlainLoginModule required user_a="b";'


def sasl_builder(**configs: str) -> SaslChannelBuilder:
    props = {"sasl.enabled.mechanisms": ["PLAIN"], "listener.name.l.plain.sasl.jaas.config": PLAIN_JAAS}
    builder = ChannelBuilders.server_channel_builder(
        ListenerName("L"), False, SecurityProtocol.SASL_PLAINTEXT,
        SecurityConfig(props | {name.replace("__", "."): value for name, value in configs.items()}),
        MockTime(), LogContext(), object)
    assert isinstance(builder, SaslChannelBuilder)
    return builder


def test_a_builder_for_sasl_and_the_settings_of_a_mechanism():
    builder = sasl_builder(connections__max__reauth__ms=7)
    assert builder._connections_max_reauth_ms_by_mechanism == {"PLAIN": 7}
    assert builder.reconfigurable_configs() == set()
    builder.close()
    builder = sasl_builder(connections__max__reauth__ms=7,
                           listener__name__l__plain__connections__max__reauth__ms=8)
    assert builder._connections_max_reauth_ms_by_mechanism == {"PLAIN": 8}
    builder.close()


@pytest.mark.parametrize(("jaas", "message"), [
    ("", "Login module not specified in JAAS config"),
    ("com.sun.security.auth.module.Krb5LoginModule required;",
     "No LoginModule found for com.sun.security.auth.module.Krb5LoginModule"),
    # CVE-2025-27819, and CVE-2025-27818.
    ('com.sun.security.auth.module.JndiLoginModule required user.provider.url="ldap://evil";',
     "No LoginModule found for com.sun.security.auth.module.JndiLoginModule"),
    ('com.sun.security.auth.module.LdapLoginModule required userProvider="ldap://evil";',
     "No LoginModule found for com.sun.security.auth.module.LdapLoginModule"),
    ("kreactor.common.utils.utils.Utils required;", "No LoginModule found for kreactor.common.utils"),
])
def test_what_is_no_login_module_is_refused(jaas, message):
    with pytest.raises(KafkaException, match=message):
        sasl_builder(listener__name__l__plain__sasl__jaas__config=jaas)
