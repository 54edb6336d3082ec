# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.network.SocketServerConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of the listeners and of the sockets that come through them."""

from __future__ import annotations


class SocketServerConfigs:
    """Names and defaults.

    :origin: network.SocketServerConfigs
    """

    LISTENER_SECURITY_PROTOCOL_MAP_CONFIG = "listener.security.protocol.map"
    LISTENER_SECURITY_PROTOCOL_MAP_DEFAULT = (
        "SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT"
    )
    LISTENER_SECURITY_PROTOCOL_MAP_DOC = (
        "Each listener's name has its security protocol here, as NAME:PROTOCOL with commas between them.")
    LISTENERS_CONFIG = "listeners"
    LISTENERS_DEFAULT = "PLAINTEXT://:9092"
    LISTENERS_DOC = "The broker binds these addresses, each as NAME://host:port with commas between them."
    ADVERTISED_LISTENERS_CONFIG = "advertised.listeners"
    ADVERTISED_LISTENERS_DOC = (
        "Clients learn these addresses from Metadata; a null value means those of listeners.")
    CONTROL_PLANE_LISTENER_NAME_CONFIG = "control.plane.listener.name"
    CONTROL_PLANE_LISTENER_NAME_DOC = (
        "This listener has a processor, a queue and a handler of its own, for requests of the controller.")
    SOCKET_SEND_BUFFER_BYTES_CONFIG = "socket.send.buffer.bytes"
    SOCKET_SEND_BUFFER_BYTES_DEFAULT = 100 * 1024
    SOCKET_SEND_BUFFER_BYTES_DOC = (
        "Each accepted socket gets this many bytes as SO_SNDBUF; -1 leaves it to the system.")
    SOCKET_RECEIVE_BUFFER_BYTES_CONFIG = "socket.receive.buffer.bytes"
    SOCKET_RECEIVE_BUFFER_BYTES_DEFAULT = 100 * 1024
    SOCKET_RECEIVE_BUFFER_BYTES_DOC = (
        "Each listening socket gets this many bytes as SO_RCVBUF; -1 leaves it to the system.")
    SOCKET_REQUEST_MAX_BYTES_CONFIG = "socket.request.max.bytes"
    SOCKET_REQUEST_MAX_BYTES_DEFAULT = 100 * 1024 * 1024
    SOCKET_REQUEST_MAX_BYTES_DOC = "A request that announces more bytes than this loses its connection."
    SOCKET_LISTEN_BACKLOG_SIZE_CONFIG = "socket.listen.backlog.size"
    SOCKET_LISTEN_BACKLOG_SIZE_DEFAULT = 50
    SOCKET_LISTEN_BACKLOG_SIZE_DOC = "This many connections may wait in the system's queue for the acceptor."
    MAX_CONNECTIONS_PER_IP_OVERRIDES_CONFIG = "max.connections.per.ip.overrides"
    MAX_CONNECTIONS_PER_IP_OVERRIDES_DEFAULT = ""
    MAX_CONNECTIONS_PER_IP_OVERRIDES_DOC = (
        "Single addresses have their own connection limit here, as host:count with commas between them.")
    MAX_CONNECTIONS_PER_IP_CONFIG = "max.connections.per.ip"
    MAX_CONNECTIONS_PER_IP_DEFAULT = 2**31 - 1
    MAX_CONNECTIONS_PER_IP_DOC = (
        "One address may have this many connections; the broker closes any further one.")
    MAX_CONNECTIONS_CONFIG = "max.connections"
    MAX_CONNECTIONS_DEFAULT = 2**31 - 1
    MAX_CONNECTIONS_DOC = (
        "All listeners together may have this many connections; a full broker stops accepting on all but "
        "its own listener.")
    MAX_CONNECTION_CREATION_RATE_CONFIG = "max.connection.creation.rate"
    MAX_CONNECTION_CREATION_RATE_DEFAULT = 2**31 - 1
    MAX_CONNECTION_CREATION_RATE_DOC = "All listeners together accept this many connections a second."
    CONNECTIONS_MAX_IDLE_MS_CONFIG = "connections.max.idle.ms"
    CONNECTIONS_MAX_IDLE_MS_DEFAULT = 10 * 60 * 1000
    CONNECTIONS_MAX_IDLE_MS_DOC = (
        "A network thread closes a connection that is idle for this many milliseconds.")
    FAILED_AUTHENTICATION_DELAY_MS_CONFIG = "connection.failed.authentication.delay.ms"
    FAILED_AUTHENTICATION_DELAY_MS_DEFAULT = 100
    FAILED_AUTHENTICATION_DELAY_MS_DOC = (
        "The broker answers a failed authentication, and closes the connection this many milliseconds "
        "later.")
