# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.auth.SslAuthenticationContext of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The facts that a principal builder gets of a connection with TLS alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.security.auth.authentication_context import AuthenticationContext
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.jdk.net import InetAddress

if TYPE_CHECKING:
    from kreactor.jdk.ssl_engine import SSLSession


class SslAuthenticationContext(AuthenticationContext):
    """A TLS session, an address and a listener. Immutable.

    :origin: common.security.auth.SslAuthenticationContext
    """

    __slots__ = ("_ssl_session", "_client_address", "_listener_name")

    def __init__(self, ssl_session: SSLSession, client_address: InetAddress, listener_name: str) -> None:
        """Keep the session, the address and the listener's name.

        :origin: common.security.auth.SslAuthenticationContext#SslAuthenticationContext(
            SSLSession, InetAddress, String)
        """
        # :origin: common.security.auth.SslAuthenticationContext#session
        self._ssl_session = ssl_session
        self._client_address = client_address
        self._listener_name = listener_name

    def session(self) -> SSLSession:
        """Return the TLS session. It has the client's certificate if the client presented one.

        :origin: common.security.auth.SslAuthenticationContext#session()
        """
        return self._ssl_session

    def security_protocol(self) -> SecurityProtocol:
        """Return SSL.

        :origin: common.security.auth.SslAuthenticationContext#securityProtocol()
        """
        return SecurityProtocol.SSL

    def client_address(self) -> InetAddress:
        """Return the client's address.

        :origin: common.security.auth.SslAuthenticationContext#clientAddress()
        """
        return self._client_address

    def listener_name(self) -> str:
        """Return the listener's name.

        :origin: common.security.auth.SslAuthenticationContext#listenerName()
        """
        return self._listener_name
