# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.config.internals.BrokerSecurityConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The names and defaults of the security settings that only a broker has."""

from __future__ import annotations

from kreactor.common.config.ssl_client_auth import SslClientAuth
from kreactor.common.security.authenticator.default_kafka_principal_builder import (
    DefaultKafkaPrincipalBuilder,
)

OMITTED = {
    "common.config.internals.BrokerSecurityConfigs#*_DOC": "texts of Kafka's documentation are not ported",
}


class BrokerSecurityConfigs:
    """Names and defaults.

    :origin: common.config.internals.BrokerSecurityConfigs
    """

    PRINCIPAL_BUILDER_CLASS_CONFIG = "principal.builder.class"
    SSL_PRINCIPAL_MAPPING_RULES_CONFIG = "ssl.principal.mapping.rules"
    DEFAULT_SSL_PRINCIPAL_MAPPING_RULES = "DEFAULT"
    SASL_KERBEROS_PRINCIPAL_TO_LOCAL_RULES_CONFIG = "sasl.kerberos.principal.to.local.rules"
    DEFAULT_SASL_KERBEROS_PRINCIPAL_TO_LOCAL_RULES = [DEFAULT_SSL_PRINCIPAL_MAPPING_RULES]
    PRINCIPAL_BUILDER_CLASS_DEFAULT = DefaultKafkaPrincipalBuilder
    SSL_CLIENT_AUTH_CONFIG = "ssl.client.auth"
    SSL_CLIENT_AUTH_DEFAULT = str(SslClientAuth.NONE)
    SASL_ENABLED_MECHANISMS_CONFIG = "sasl.enabled.mechanisms"
    DEFAULT_SASL_ENABLED_MECHANISMS = ["GSSAPI"]
    SASL_SERVER_CALLBACK_HANDLER_CLASS_CONFIG = "sasl.server.callback.handler.class"
    CONNECTIONS_MAX_REAUTH_MS_CONFIG = "connections.max.reauth.ms"
    DEFAULT_CONNECTIONS_MAX_REAUTH_MS = 0
    SASL_SERVER_MAX_RECEIVE_SIZE_CONFIG = "sasl.server.max.receive.size"
    DEFAULT_SASL_SERVER_MAX_RECEIVE_SIZE = 524288
    SSL_ALLOW_DN_CHANGES_CONFIG = "ssl.allow.dn.changes"
    DEFAULT_SSL_ALLOW_DN_CHANGES_VALUE = False
    SSL_ALLOW_SAN_CHANGES_CONFIG = "ssl.allow.san.changes"
    DEFAULT_SSL_ALLOW_SAN_CHANGES_VALUE = False
    SASL_MECHANISM_INTER_BROKER_PROTOCOL_CONFIG = "sasl.mechanism.inter.broker.protocol"
