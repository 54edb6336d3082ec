# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.auth.PlaintextAuthenticationContext
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The facts of a connection without authentication."""

from __future__ import annotations

from kreactor.common.security.auth.authentication_context import AuthenticationContext
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.jdk.net import InetAddress


class PlaintextAuthenticationContext(AuthenticationContext):
    """An address and a listener. Immutable.

    :origin: common.security.auth.PlaintextAuthenticationContext
    """

    __slots__ = ("_client_address", "_listener_name")

    def __init__(self, client_address: InetAddress, listener_name: str) -> None:
        """Keep the address and the listener's name.

        :origin: common.security.auth.PlaintextAuthenticationContext#PlaintextAuthenticationContext(InetAddress, String)
        """  # noqa: E501
        self._client_address = client_address
        self._listener_name = listener_name

    def security_protocol(self) -> SecurityProtocol:
        """Return PLAINTEXT.

        :origin: common.security.auth.PlaintextAuthenticationContext#securityProtocol()
        """
        return SecurityProtocol.PLAINTEXT

    def client_address(self) -> InetAddress:
        """Return the client's address.

        :origin: common.security.auth.PlaintextAuthenticationContext#clientAddress()
        """
        return self._client_address

    def listener_name(self) -> str:
        """Return the listener's name.

        :origin: common.security.auth.PlaintextAuthenticationContext#listenerName()
        """
        return self._listener_name
