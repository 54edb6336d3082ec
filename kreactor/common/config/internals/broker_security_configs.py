# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.config.internals.BrokerSecurityConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The names and defaults of the security settings that only a broker has."""

from __future__ import annotations

from kreactor.common.config.ssl_client_auth import SslClientAuth
from kreactor.common.security.authenticator.default_kafka_principal_builder import (
    DefaultKafkaPrincipalBuilder,
)


class BrokerSecurityConfigs:
    """Names and defaults.

    :origin: common.config.internals.BrokerSecurityConfigs
    """

    PRINCIPAL_BUILDER_CLASS_CONFIG = "principal.builder.class"
    SSL_PRINCIPAL_MAPPING_RULES_CONFIG = "ssl.principal.mapping.rules"
    DEFAULT_SSL_PRINCIPAL_MAPPING_RULES = "DEFAULT"
    SSL_PRINCIPAL_MAPPING_RULES_DOC = (
        "The first matching rule turns the distinguished name of a client's certificate into a short "
        "principal.")
    SASL_KERBEROS_PRINCIPAL_TO_LOCAL_RULES_CONFIG = "sasl.kerberos.principal.to.local.rules"
    DEFAULT_SASL_KERBEROS_PRINCIPAL_TO_LOCAL_RULES = [DEFAULT_SSL_PRINCIPAL_MAPPING_RULES]
    SASL_KERBEROS_PRINCIPAL_TO_LOCAL_RULES_DOC = (
        "In Kafka, the first matching rule makes a short name of a Kerberos principal.")
    PRINCIPAL_BUILDER_CLASS_DEFAULT = DefaultKafkaPrincipalBuilder
    PRINCIPAL_BUILDER_CLASS_DOC = (
        "This class makes a principal of an authenticated connection, which ACLs and quotas refer to.")
    SSL_CLIENT_AUTH_CONFIG = "ssl.client.auth"
    SSL_CLIENT_AUTH_DEFAULT = str(SslClientAuth.NONE)
    SSL_CLIENT_AUTH_DOC = (
        "The broker demands a client's certificate (required), asks for one (requested), or does neither "
        "(none).")
    SASL_ENABLED_MECHANISMS_CONFIG = "sasl.enabled.mechanisms"
    DEFAULT_SASL_ENABLED_MECHANISMS = ["GSSAPI"]
    SASL_ENABLED_MECHANISMS_DOC = "The broker offers its clients these SASL mechanisms."
    SASL_SERVER_CALLBACK_HANDLER_CLASS_CONFIG = "sasl.server.callback.handler.class"
    SASL_SERVER_CALLBACK_HANDLER_CLASS_DOC = (
        "This class checks credentials; the name of the setting needs the prefix of a listener and a "
        "mechanism.")
    CONNECTIONS_MAX_REAUTH_MS_CONFIG = "connections.max.reauth.ms"
    DEFAULT_CONNECTIONS_MAX_REAUTH_MS = 0
    CONNECTIONS_MAX_REAUTH_MS_DOC = (
        "A SASL session lasts at most this many milliseconds until its client must authenticate again; 0 "
        "sets no limit.")
    SASL_SERVER_MAX_RECEIVE_SIZE_CONFIG = "sasl.server.max.receive.size"
    DEFAULT_SASL_SERVER_MAX_RECEIVE_SIZE = 524288
    SASL_SERVER_MAX_RECEIVE_SIZE_DOC = (
        "A message of a SASL exchange may have this many bytes before the client is authenticated.")
    SSL_ALLOW_DN_CHANGES_CONFIG = "ssl.allow.dn.changes"
    DEFAULT_SSL_ALLOW_DN_CHANGES_VALUE = False
    SSL_ALLOW_DN_CHANGES_DOC = (
        "True accepts a new key store whose certificate has another distinguished name.")
    SSL_ALLOW_SAN_CHANGES_CONFIG = "ssl.allow.san.changes"
    DEFAULT_SSL_ALLOW_SAN_CHANGES_VALUE = False
    SSL_ALLOW_SAN_CHANGES_DOC = (
        "True accepts a new key store whose certificate lacks some of the former alternative names.")
    SASL_MECHANISM_INTER_BROKER_PROTOCOL_CONFIG = "sasl.mechanism.inter.broker.protocol"
    SASL_MECHANISM_INTER_BROKER_PROTOCOL_DOC = "Brokers authenticate to each other with this SASL mechanism."
