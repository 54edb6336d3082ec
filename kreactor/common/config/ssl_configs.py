# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.config.SslConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The names and defaults of the TLS settings."""

from __future__ import annotations

from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.internals.broker_security_configs import BrokerSecurityConfigs


class SslConfigs:
    """Names and defaults. Defaults that Kafka gets from Java are the values of Java 17.

    :origin: common.config.SslConfigs
    """

    SSL_PROTOCOL_CONFIG = "ssl.protocol"
    SSL_PROTOCOL_DOC = (
        "The TLS context is made for this protocol, and TLSv1.3 also allows TLS 1.2 if both are enabled.")
    DEFAULT_SSL_PROTOCOL = "TLSv1.3"
    SSL_PROVIDER_CONFIG = "ssl.provider"
    SSL_PROVIDER_DOC = (
        "A Java security provider is named here; Python has one TLS library and refuses any name.")
    SSL_CIPHER_SUITES_CONFIG = "ssl.cipher.suites"
    SSL_CIPHER_SUITES_DOC = (
        "Connections up to TLS 1.2 may use these cipher suites; an empty value means the library's choice.")
    SSL_ENABLED_PROTOCOLS_CONFIG = "ssl.enabled.protocols"
    SSL_ENABLED_PROTOCOLS_DOC = "Connections may use these versions of TLS."
    DEFAULT_SSL_ENABLED_PROTOCOLS = "TLSv1.2,TLSv1.3"
    SSL_KEYSTORE_TYPE_CONFIG = "ssl.keystore.type"
    SSL_KEYSTORE_TYPE_DOC = "The key store has this format: PEM, PKCS12 or JKS."
    DEFAULT_SSL_KEYSTORE_TYPE = "JKS"
    SSL_KEYSTORE_KEY_CONFIG = "ssl.keystore.key"
    SSL_KEYSTORE_KEY_DOC = "This text is the private key itself, in PEM, in place of a key store file."
    SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG = "ssl.keystore.certificate.chain"
    SSL_KEYSTORE_CERTIFICATE_CHAIN_DOC = (
        "This text is the certificate chain of ssl.keystore.key, in PEM and from the own certificate "
        "upwards.")
    SSL_TRUSTSTORE_CERTIFICATES_CONFIG = "ssl.truststore.certificates"
    SSL_TRUSTSTORE_CERTIFICATES_DOC = (
        "This text lists the trusted certificates, in PEM, in place of a trust store file.")
    SSL_KEYSTORE_LOCATION_CONFIG = "ssl.keystore.location"
    SSL_KEYSTORE_LOCATION_DOC = (
        "The file at this path has the private key and the certificate that this side shows.")
    SSL_KEYSTORE_PASSWORD_CONFIG = "ssl.keystore.password"
    SSL_KEYSTORE_PASSWORD_DOC = "This password opens the key store file; PEM files have none."
    SSL_KEY_PASSWORD_CONFIG = "ssl.key.password"
    SSL_KEY_PASSWORD_DOC = "This password decrypts the private key."
    SSL_TRUSTSTORE_TYPE_CONFIG = "ssl.truststore.type"
    SSL_TRUSTSTORE_TYPE_DOC = "The trust store has this format: PEM, PKCS12 or JKS."
    DEFAULT_SSL_TRUSTSTORE_TYPE = "JKS"
    SSL_TRUSTSTORE_LOCATION_CONFIG = "ssl.truststore.location"
    SSL_TRUSTSTORE_LOCATION_DOC = (
        "The file at this path has the certificate authorities that this side trusts.")
    SSL_TRUSTSTORE_PASSWORD_CONFIG = "ssl.truststore.password"
    SSL_TRUSTSTORE_PASSWORD_DOC = (
        "This password verifies the trust store file; without it the file is not verified.")
    SSL_KEYMANAGER_ALGORITHM_CONFIG = "ssl.keymanager.algorithm"
    SSL_KEYMANAGER_ALGORITHM_DOC = (
        "Java chooses its key manager by this name; kreactor accepts the names of Java itself and has one "
        "manager.")
    DEFAULT_SSL_KEYMANGER_ALGORITHM = "SunX509"
    SSL_TRUSTMANAGER_ALGORITHM_CONFIG = "ssl.trustmanager.algorithm"
    SSL_TRUSTMANAGER_ALGORITHM_DOC = (
        "Java chooses its trust manager by this name; kreactor accepts the names of Java itself and has one "
        "manager.")
    DEFAULT_SSL_TRUSTMANAGER_ALGORITHM = "PKIX"
    SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG = "ssl.endpoint.identification.algorithm"
    SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_DOC = (
        "A client compares the broker's certificate with its host name if this is https, and does not if it "
        "is empty.")
    DEFAULT_SSL_ENDPOINT_IDENTIFICATION_ALGORITHM = "https"
    SSL_SECURE_RANDOM_IMPLEMENTATION_CONFIG = "ssl.secure.random.implementation"
    SSL_SECURE_RANDOM_IMPLEMENTATION_DOC = (
        "Java takes random numbers for TLS from this generator; Python has one and refuses any name.")
    SSL_ENGINE_FACTORY_CLASS_CONFIG = "ssl.engine.factory.class"
    SSL_ENGINE_FACTORY_CLASS_DOC = (
        "This class makes the TLS engines, in place of the stores and protocols that are configured.")

    @staticmethod
    def add_client_ssl_support(config: ConfigDef) -> None:
        """Define the TLS settings of a client in ``config``.

        :origin: common.config.SslConfigs#addClientSslSupport(ConfigDef)
        """
        Type, Importance = ConfigDef.Type, ConfigDef.Importance
        config.define(SslConfigs.SSL_PROTOCOL_CONFIG, Type.STRING,
                      SslConfigs.DEFAULT_SSL_PROTOCOL, Importance.MEDIUM, SslConfigs.SSL_PROTOCOL_DOC)
        config.define(SslConfigs.SSL_PROVIDER_CONFIG, Type.STRING, None, Importance.MEDIUM,
                      SslConfigs.SSL_PROVIDER_DOC)
        config.define(SslConfigs.SSL_CIPHER_SUITES_CONFIG, Type.LIST, None, Importance.LOW,
                      SslConfigs.SSL_CIPHER_SUITES_DOC)
        config.define(SslConfigs.SSL_ENABLED_PROTOCOLS_CONFIG, Type.LIST,
                      SslConfigs.DEFAULT_SSL_ENABLED_PROTOCOLS, Importance.MEDIUM,
                      SslConfigs.SSL_ENABLED_PROTOCOLS_DOC)
        config.define(SslConfigs.SSL_KEYSTORE_TYPE_CONFIG, Type.STRING,
                      SslConfigs.DEFAULT_SSL_KEYSTORE_TYPE, Importance.MEDIUM,
                      SslConfigs.SSL_KEYSTORE_TYPE_DOC)
        config.define(SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG, Type.STRING, None, Importance.HIGH,
                      SslConfigs.SSL_KEYSTORE_LOCATION_DOC)
        config.define(SslConfigs.SSL_KEYSTORE_PASSWORD_CONFIG, Type.PASSWORD, None, Importance.HIGH,
                      SslConfigs.SSL_KEYSTORE_PASSWORD_DOC)
        config.define(SslConfigs.SSL_KEY_PASSWORD_CONFIG, Type.PASSWORD, None, Importance.HIGH,
                      SslConfigs.SSL_KEY_PASSWORD_DOC)
        config.define(SslConfigs.SSL_KEYSTORE_KEY_CONFIG, Type.PASSWORD, None, Importance.HIGH,
                      SslConfigs.SSL_KEYSTORE_KEY_DOC)
        config.define(SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG, Type.PASSWORD,
                      None, Importance.HIGH, SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_DOC)
        config.define(SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG, Type.PASSWORD,
                      None, Importance.HIGH, SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_DOC)
        config.define(SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG, Type.STRING,
                      SslConfigs.DEFAULT_SSL_TRUSTSTORE_TYPE, Importance.MEDIUM,
                      SslConfigs.SSL_TRUSTSTORE_TYPE_DOC)
        config.define(SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG, Type.STRING, None, Importance.HIGH,
                      SslConfigs.SSL_TRUSTSTORE_LOCATION_DOC)
        config.define(SslConfigs.SSL_TRUSTSTORE_PASSWORD_CONFIG, Type.PASSWORD, None, Importance.HIGH,
                      SslConfigs.SSL_TRUSTSTORE_PASSWORD_DOC)
        config.define(SslConfigs.SSL_KEYMANAGER_ALGORITHM_CONFIG, Type.STRING,
                      SslConfigs.DEFAULT_SSL_KEYMANGER_ALGORITHM, Importance.LOW,
                      SslConfigs.SSL_KEYMANAGER_ALGORITHM_DOC)
        config.define(SslConfigs.SSL_TRUSTMANAGER_ALGORITHM_CONFIG, Type.STRING,
                      SslConfigs.DEFAULT_SSL_TRUSTMANAGER_ALGORITHM, Importance.LOW,
                      SslConfigs.SSL_TRUSTMANAGER_ALGORITHM_DOC)
        config.define(SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG, Type.STRING,
                      SslConfigs.DEFAULT_SSL_ENDPOINT_IDENTIFICATION_ALGORITHM, Importance.LOW,
                      SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_DOC)
        config.define(SslConfigs.SSL_SECURE_RANDOM_IMPLEMENTATION_CONFIG, Type.STRING,
                      None, Importance.LOW, SslConfigs.SSL_SECURE_RANDOM_IMPLEMENTATION_DOC)
        config.define(SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG, Type.CLASS, None, Importance.LOW,
                      SslConfigs.SSL_ENGINE_FACTORY_CLASS_DOC)

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
