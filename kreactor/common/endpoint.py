# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.Endpoint of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The endpoint of a listener, for plug-ins of the broker."""

from __future__ import annotations

from kreactor.common.security.auth.security_protocol import SecurityProtocol


class Endpoint:
    """A listener's name and protocol with its host and port. Immutable.

    :origin: common.Endpoint
    """

    __slots__ = ("_listener_name", "_security_protocol", "_host", "_port")

    def __init__(self, listener_name: str | None, security_protocol: SecurityProtocol,
                 host: str | None, port: int) -> None:
        """Keep the fields. ``listener_name`` is None for clients.

        :origin: common.Endpoint#Endpoint(String, SecurityProtocol, String, int)
        """
        self._listener_name = listener_name
        self._security_protocol = security_protocol
        self._host = host
        self._port = port

    def listener_name(self) -> str | None:
        """Return the listener's name, or None.

        :origin: common.Endpoint#listenerName()
        """
        return self._listener_name

    def security_protocol(self) -> SecurityProtocol:
        """Return the protocol.

        :origin: common.Endpoint#securityProtocol()
        """
        return self._security_protocol

    def host(self) -> str | None:
        """Return the advertised host.

        :origin: common.Endpoint#host()
        """
        return self._host

    def port(self) -> int:
        """Return the port.

        :origin: common.Endpoint#port()
        """
        return self._port

    def __eq__(self, other: object) -> bool:
        """Compare all fields.

        :origin: common.Endpoint#equals(Object)
        """
        if self is other:
            return True
        if not isinstance(other, Endpoint):
            return False
        return (self._listener_name == other._listener_name
                and self._security_protocol == other._security_protocol
                and self._host == other._host and self._port == other._port)

    def __hash__(self) -> int:
        """Hash all fields.

        :origin: common.Endpoint#hashCode()
        """
        return hash((self._listener_name, self._security_protocol, self._host, self._port))

    def __str__(self) -> str:
        """Return all fields.

        :origin: common.Endpoint#toString()
        """
        listener_name = "null" if self._listener_name is None else self._listener_name
        host = "null" if self._host is None else self._host
        return (f"Endpoint(listenerName='{listener_name}', securityProtocol={self._security_protocol.name}, "
                f"host='{host}', port={self._port})")

    __repr__ = __str__
