# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.config.ZkConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of a broker of a ZooKeeper cluster. Only ``zookeeper.connect`` is read."""

from __future__ import annotations

OMITTED = {
    "server.config.ZkConfigs#*_DOC": "texts of Kafka's documentation are not ported",
    "server.config.ZkConfigs#ZK_SSL_CONFIG_TO_SYSTEM_PROPERTY_MAP":
        "kreactor has no ZooKeeper client",
}


class ZkConfigs:
    """Names and defaults.

    :origin: server.config.ZkConfigs
    """

    ZK_CONNECT_CONFIG = "zookeeper.connect"
    ZK_SESSION_TIMEOUT_MS_CONFIG = "zookeeper.session.timeout.ms"
    ZK_CONNECTION_TIMEOUT_MS_CONFIG = "zookeeper.connection.timeout.ms"
    ZK_ENABLE_SECURE_ACLS_CONFIG = "zookeeper.set.acl"
    ZK_MAX_IN_FLIGHT_REQUESTS_CONFIG = "zookeeper.max.in.flight.requests"
    ZK_SSL_CLIENT_ENABLE_CONFIG = "zookeeper.ssl.client.enable"
    ZK_CLIENT_CNXN_SOCKET_CONFIG = "zookeeper.clientCnxnSocket"
    ZK_SSL_KEY_STORE_LOCATION_CONFIG = "zookeeper.ssl.keystore.location"
    ZK_SSL_KEY_STORE_PASSWORD_CONFIG = "zookeeper.ssl.keystore.password"
    ZK_SSL_KEY_STORE_TYPE_CONFIG = "zookeeper.ssl.keystore.type"
    ZK_SSL_TRUST_STORE_LOCATION_CONFIG = "zookeeper.ssl.truststore.location"
    ZK_SSL_TRUST_STORE_PASSWORD_CONFIG = "zookeeper.ssl.truststore.password"
    ZK_SSL_TRUST_STORE_TYPE_CONFIG = "zookeeper.ssl.truststore.type"
    ZK_SSL_PROTOCOL_CONFIG = "zookeeper.ssl.protocol"
    ZK_SSL_ENABLED_PROTOCOLS_CONFIG = "zookeeper.ssl.enabled.protocols"
    ZK_SSL_CIPHER_SUITES_CONFIG = "zookeeper.ssl.cipher.suites"
    ZK_SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG = "zookeeper.ssl.endpoint.identification.algorithm"
    ZK_SSL_CRL_ENABLE_CONFIG = "zookeeper.ssl.crl.enable"
    ZK_SSL_OCSP_ENABLE_CONFIG = "zookeeper.ssl.ocsp.enable"
    ZK_SESSION_TIMEOUT_MS = 18_000
    ZK_ENABLE_SECURE_ACLS = False
    ZK_MAX_IN_FLIGHT_REQUESTS = 10
    ZK_SSL_CLIENT_ENABLE = False
    ZK_SSL_PROTOCOL = "TLSv1.2"
    ZK_SSL_ENDPOINT_IDENTIFICATION_ALGORITHM = "HTTPS"
    ZK_SSL_CRL_ENABLE = False
    ZK_SSL_OCSP_ENABLE = False
    SECURE_CLIENT = "zookeeper.client.secure"
    ZOOKEEPER_CLIENT_CNXN_SOCKET = "zookeeper.clientCnxnSocket"
