# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.config.SslConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The names and defaults of the TLS settings."""

from __future__ import annotations

from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.internals.broker_security_configs import BrokerSecurityConfigs

OMITTED = {
    "common.config.SslConfigs#*_DOC": "texts of Kafka's documentation are not ported",
}


class SslConfigs:
    """Names and defaults. Defaults that Kafka gets from Java are the values of Java 17.

    :origin: common.config.SslConfigs
    """

    SSL_PROTOCOL_CONFIG = "ssl.protocol"
    DEFAULT_SSL_PROTOCOL = "TLSv1.3"
    SSL_PROVIDER_CONFIG = "ssl.provider"
    SSL_CIPHER_SUITES_CONFIG = "ssl.cipher.suites"
    SSL_ENABLED_PROTOCOLS_CONFIG = "ssl.enabled.protocols"
    DEFAULT_SSL_ENABLED_PROTOCOLS = "TLSv1.2,TLSv1.3"
    SSL_KEYSTORE_TYPE_CONFIG = "ssl.keystore.type"
    DEFAULT_SSL_KEYSTORE_TYPE = "JKS"
    SSL_KEYSTORE_KEY_CONFIG = "ssl.keystore.key"
    SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG = "ssl.keystore.certificate.chain"
    SSL_TRUSTSTORE_CERTIFICATES_CONFIG = "ssl.truststore.certificates"
    SSL_KEYSTORE_LOCATION_CONFIG = "ssl.keystore.location"
    SSL_KEYSTORE_PASSWORD_CONFIG = "ssl.keystore.password"
    SSL_KEY_PASSWORD_CONFIG = "ssl.key.password"
    SSL_TRUSTSTORE_TYPE_CONFIG = "ssl.truststore.type"
    DEFAULT_SSL_TRUSTSTORE_TYPE = "JKS"
    SSL_TRUSTSTORE_LOCATION_CONFIG = "ssl.truststore.location"
    SSL_TRUSTSTORE_PASSWORD_CONFIG = "ssl.truststore.password"
    SSL_KEYMANAGER_ALGORITHM_CONFIG = "ssl.keymanager.algorithm"
    DEFAULT_SSL_KEYMANGER_ALGORITHM = "SunX509"
    SSL_TRUSTMANAGER_ALGORITHM_CONFIG = "ssl.trustmanager.algorithm"
    DEFAULT_SSL_TRUSTMANAGER_ALGORITHM = "PKIX"
    SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG = "ssl.endpoint.identification.algorithm"
    DEFAULT_SSL_ENDPOINT_IDENTIFICATION_ALGORITHM = "https"
    SSL_SECURE_RANDOM_IMPLEMENTATION_CONFIG = "ssl.secure.random.implementation"
    SSL_ENGINE_FACTORY_CLASS_CONFIG = "ssl.engine.factory.class"

    @staticmethod
    def add_client_ssl_support(config: ConfigDef) -> None:
        """Define the TLS settings of a client in ``config``.

        :origin: common.config.SslConfigs#addClientSslSupport(ConfigDef)
        """
        Type, Importance = ConfigDef.Type, ConfigDef.Importance
        config.define(SslConfigs.SSL_PROTOCOL_CONFIG, Type.STRING,
                      SslConfigs.DEFAULT_SSL_PROTOCOL, Importance.MEDIUM, None)
        config.define(SslConfigs.SSL_PROVIDER_CONFIG, Type.STRING, None, Importance.MEDIUM, None)
        config.define(SslConfigs.SSL_CIPHER_SUITES_CONFIG, Type.LIST, None, Importance.LOW, None)
        config.define(SslConfigs.SSL_ENABLED_PROTOCOLS_CONFIG, Type.LIST,
                      SslConfigs.DEFAULT_SSL_ENABLED_PROTOCOLS, Importance.MEDIUM, None)
        config.define(SslConfigs.SSL_KEYSTORE_TYPE_CONFIG, Type.STRING,
                      SslConfigs.DEFAULT_SSL_KEYSTORE_TYPE, Importance.MEDIUM, None)
        config.define(SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG, Type.STRING, None, Importance.HIGH, None)
        config.define(SslConfigs.SSL_KEYSTORE_PASSWORD_CONFIG, Type.PASSWORD, None, Importance.HIGH, None)
        config.define(SslConfigs.SSL_KEY_PASSWORD_CONFIG, Type.PASSWORD, None, Importance.HIGH, None)
        config.define(SslConfigs.SSL_KEYSTORE_KEY_CONFIG, Type.PASSWORD, None, Importance.HIGH, None)
        config.define(SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG, Type.PASSWORD,
                      None, Importance.HIGH, None)
        config.define(SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG, Type.PASSWORD,
                      None, Importance.HIGH, None)
        config.define(SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG, Type.STRING,
                      SslConfigs.DEFAULT_SSL_TRUSTSTORE_TYPE, Importance.MEDIUM, None)
        config.define(SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG, Type.STRING, None, Importance.HIGH, None)
        config.define(SslConfigs.SSL_TRUSTSTORE_PASSWORD_CONFIG, Type.PASSWORD, None, Importance.HIGH, None)
        config.define(SslConfigs.SSL_KEYMANAGER_ALGORITHM_CONFIG, Type.STRING,
                      SslConfigs.DEFAULT_SSL_KEYMANGER_ALGORITHM, Importance.LOW, None)
        config.define(SslConfigs.SSL_TRUSTMANAGER_ALGORITHM_CONFIG, Type.STRING,
                      SslConfigs.DEFAULT_SSL_TRUSTMANAGER_ALGORITHM, Importance.LOW, None)
        config.define(SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG, Type.STRING,
                      SslConfigs.DEFAULT_SSL_ENDPOINT_IDENTIFICATION_ALGORITHM, Importance.LOW, None)
        config.define(SslConfigs.SSL_SECURE_RANDOM_IMPLEMENTATION_CONFIG, Type.STRING,
                      None, Importance.LOW, None)
        config.define(SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG, Type.CLASS, None, Importance.LOW, None)

    RECONFIGURABLE_CONFIGS = frozenset((
        SSL_KEYSTORE_TYPE_CONFIG,
        SSL_KEYSTORE_LOCATION_CONFIG,
        SSL_KEYSTORE_PASSWORD_CONFIG,
        SSL_KEY_PASSWORD_CONFIG,
        SSL_TRUSTSTORE_TYPE_CONFIG,
        SSL_TRUSTSTORE_LOCATION_CONFIG,
        SSL_TRUSTSTORE_PASSWORD_CONFIG,
        SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG,
        SSL_KEYSTORE_KEY_CONFIG,
        SSL_TRUSTSTORE_CERTIFICATES_CONFIG,
    ))

    NON_RECONFIGURABLE_CONFIGS = frozenset((
        BrokerSecurityConfigs.SSL_CLIENT_AUTH_CONFIG,
        SSL_PROTOCOL_CONFIG,
        SSL_PROVIDER_CONFIG,
        SSL_CIPHER_SUITES_CONFIG,
        SSL_ENABLED_PROTOCOLS_CONFIG,
        SSL_KEYMANAGER_ALGORITHM_CONFIG,
        SSL_TRUSTMANAGER_ALGORITHM_CONFIG,
        SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG,
        SSL_SECURE_RANDOM_IMPLEMENTATION_CONFIG,
        SSL_ENGINE_FACTORY_CLASS_CONFIG,
    ))
