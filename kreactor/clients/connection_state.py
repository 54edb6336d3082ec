# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.ConnectionState of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The progress of the connection to a node.

======================  ==========================================================================
state                   meaning
======================  ==========================================================================
DISCONNECTED            there is no connection, or no longer one
CONNECTING              the connection is being made, its handshakes and authentication included
CHECKING_API_VERSIONS   the client asks the node for its versions; a failure closes the connection
READY                   requests can be sent
AUTHENTICATION_FAILED   there is no connection, because authentication failed
======================  ==========================================================================
"""

from __future__ import annotations

from enum import Enum


class ConnectionState(Enum):
    """:origin: clients.ConnectionState"""

    DISCONNECTED = "DISCONNECTED"
    CONNECTING = "CONNECTING"
    CHECKING_API_VERSIONS = "CHECKING_API_VERSIONS"
    READY = "READY"
    AUTHENTICATION_FAILED = "AUTHENTICATION_FAILED"

    def is_disconnected(self) -> bool:
        """Return whether there is neither a connection nor a setup.

        :origin: clients.ConnectionState#isDisconnected()
        """
        return self is ConnectionState.AUTHENTICATION_FAILED or self is ConnectionState.DISCONNECTED

    def is_connected(self) -> bool:
        """Return whether the connection is established, ready for requests or not.

        :origin: clients.ConnectionState#isConnected()
        """
        return self is ConnectionState.CHECKING_API_VERSIONS or self is ConnectionState.READY

    def __str__(self) -> str:
        """Return the name, as Java prints a member."""
        return self.name
