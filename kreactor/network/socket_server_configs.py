# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.network.SocketServerConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of the listeners and of the sockets that come through them."""

from __future__ import annotations

OMITTED = {
    "network.SocketServerConfigs#*_DOC": "texts of Kafka's documentation are not ported",
}


class SocketServerConfigs:
    """Names and defaults.

    :origin: network.SocketServerConfigs
    """

    LISTENER_SECURITY_PROTOCOL_MAP_CONFIG = "listener.security.protocol.map"
    LISTENER_SECURITY_PROTOCOL_MAP_DEFAULT = (
        "SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT"
    )
    LISTENERS_CONFIG = "listeners"
    LISTENERS_DEFAULT = "PLAINTEXT://:9092"
    ADVERTISED_LISTENERS_CONFIG = "advertised.listeners"
    CONTROL_PLANE_LISTENER_NAME_CONFIG = "control.plane.listener.name"
    SOCKET_SEND_BUFFER_BYTES_CONFIG = "socket.send.buffer.bytes"
    SOCKET_SEND_BUFFER_BYTES_DEFAULT = 100 * 1024
    SOCKET_RECEIVE_BUFFER_BYTES_CONFIG = "socket.receive.buffer.bytes"
    SOCKET_RECEIVE_BUFFER_BYTES_DEFAULT = 100 * 1024
    SOCKET_REQUEST_MAX_BYTES_CONFIG = "socket.request.max.bytes"
    SOCKET_REQUEST_MAX_BYTES_DEFAULT = 100 * 1024 * 1024
    SOCKET_LISTEN_BACKLOG_SIZE_CONFIG = "socket.listen.backlog.size"
    SOCKET_LISTEN_BACKLOG_SIZE_DEFAULT = 50
    MAX_CONNECTIONS_PER_IP_OVERRIDES_CONFIG = "max.connections.per.ip.overrides"
    MAX_CONNECTIONS_PER_IP_OVERRIDES_DEFAULT = ""
    MAX_CONNECTIONS_PER_IP_CONFIG = "max.connections.per.ip"
    MAX_CONNECTIONS_PER_IP_DEFAULT = 2**31 - 1
    MAX_CONNECTIONS_CONFIG = "max.connections"
    MAX_CONNECTIONS_DEFAULT = 2**31 - 1
    MAX_CONNECTION_CREATION_RATE_CONFIG = "max.connection.creation.rate"
    MAX_CONNECTION_CREATION_RATE_DEFAULT = 2**31 - 1
    CONNECTIONS_MAX_IDLE_MS_CONFIG = "connections.max.idle.ms"
    CONNECTIONS_MAX_IDLE_MS_DEFAULT = 10 * 60 * 1000
    FAILED_AUTHENTICATION_DELAY_MS_CONFIG = "connection.failed.authentication.delay.ms"
    FAILED_AUTHENTICATION_DELAY_MS_DEFAULT = 100
