# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.config.ZkConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of a broker of a ZooKeeper cluster. Only ``zookeeper.connect`` is read."""

from __future__ import annotations


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
    ZK_CONNECT_DOC = (
        "A value makes the node a broker of a ZooKeeper cluster, which kreactor accepts in the settings and "
        "never connects to.")
    ZK_SESSION_TIMEOUT_MS_DOC = (
        "In Kafka, ZooKeeper forgets a broker that is silent for this many milliseconds.")
    ZK_CONNECTION_TIMEOUT_MS_DOC = (
        "In Kafka, a broker gives ZooKeeper this many milliseconds to accept its connection.")
    ZK_ENABLE_SECURE_ACLS_DOC = (
        "In Kafka, true puts access lists on the nodes that a broker creates in ZooKeeper.")
    ZK_MAX_IN_FLIGHT_REQUESTS_DOC = (
        "In Kafka, a broker sends ZooKeeper this many requests before it waits for an answer.")
    ZK_SSL_CLIENT_ENABLE_DOC = "In Kafka, true makes a broker use TLS on its connection to ZooKeeper."
    ZK_CLIENT_CNXN_SOCKET_DOC = (
        "In Kafka, this Java class connects to ZooKeeper; TLS needs the one based on Netty.")
    ZK_SSL_KEY_STORE_LOCATION_DOC = (
        "In Kafka, this key store holds the certificate that a broker shows to ZooKeeper.")
    ZK_SSL_KEY_STORE_PASSWORD_DOC = "In Kafka, this password opens the key store for ZooKeeper."
    ZK_SSL_KEY_STORE_TYPE_DOC = (
        "In Kafka, this is the format of the key store for ZooKeeper; without it, the file name tells.")
    ZK_SSL_TRUST_STORE_LOCATION_DOC = (
        "In Kafka, this trust store holds the authorities whose ZooKeeper certificates a broker accepts.")
    ZK_SSL_TRUST_STORE_PASSWORD_DOC = "In Kafka, this password opens the trust store for ZooKeeper."
    ZK_SSL_TRUST_STORE_TYPE_DOC = (
        "In Kafka, this is the format of the trust store for ZooKeeper; without it, the file name tells.")
    ZK_SSL_PROTOCOL_DOC = "In Kafka, the TLS handshake with ZooKeeper starts from this protocol."
    ZK_SSL_ENABLED_PROTOCOLS_DOC = "In Kafka, connections to ZooKeeper may use these versions of TLS."
    ZK_SSL_CIPHER_SUITES_DOC = "In Kafka, connections to ZooKeeper may use these cipher suites."
    ZK_SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_DOC = (
        "In Kafka, HTTPS compares ZooKeeper's certificate with its host name, and an empty value does not.")
    ZK_SSL_CRL_ENABLE_DOC = "In Kafka, true looks ZooKeeper's certificate up in revocation lists."
    ZK_SSL_OCSP_ENABLE_DOC = (
        "In Kafka, true asks the issuer by OCSP whether ZooKeeper's certificate is revoked.")
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
