# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.auth.SaslAuthenticationContext of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The facts that a principal builder gets of a connection with SASL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.security.auth.authentication_context import AuthenticationContext
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.jdk.net import InetAddress
from kreactor.jdk.sasl import SaslServer

if TYPE_CHECKING:
    from kreactor.jdk.ssl_engine import SSLSession


class SaslAuthenticationContext(AuthenticationContext):
    """A SASL exchange, a protocol, an address, a listener and a TLS session. Immutable.

    :origin: common.security.auth.SaslAuthenticationContext
    """

    __slots__ = ("_server", "_security_protocol", "_client_address", "_listener_name", "_ssl_session")

    def __init__(self, server: SaslServer, security_protocol: SecurityProtocol, client_address: InetAddress,
                 listener_name: str, ssl_session: SSLSession | None = None) -> None:
        """Keep the arguments. ``ssl_session`` is None without TLS.

        :origin: common.security.auth.SaslAuthenticationContext#SaslAuthenticationContext(
            SaslServer, SecurityProtocol, InetAddress, String)
        :origin: common.security.auth.SaslAuthenticationContext#SaslAuthenticationContext(
            SaslServer, SecurityProtocol, InetAddress, String, Optional<SSLSession>)
        """
        self._server = server
        self._security_protocol = security_protocol
        self._client_address = client_address
        self._listener_name = listener_name
        self._ssl_session = ssl_session

    def server(self) -> SaslServer:
        """Return the exchange, which is complete.

        :origin: common.security.auth.SaslAuthenticationContext#server()
        """
        return self._server

    def ssl_session(self) -> SSLSession | None:
        """Return the TLS session of SASL_SSL. It has the client's certificate if the client presented one.

        :origin: common.security.auth.SaslAuthenticationContext#sslSession()
        """
        return self._ssl_session

    def security_protocol(self) -> SecurityProtocol:
        """Return the protocol.

        :origin: common.security.auth.SaslAuthenticationContext#securityProtocol()
        """
        return self._security_protocol

    def client_address(self) -> InetAddress:
        """Return the client's address.

        :origin: common.security.auth.SaslAuthenticationContext#clientAddress()
        """
        return self._client_address

    def listener_name(self) -> str:
        """Return the listener's name.

        :origin: common.security.auth.SaslAuthenticationContext#listenerName()
        """
        return self._listener_name
