# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.authorizer.AuthorizableRequestContext of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The facts of a request that an authorizer gets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from kreactor.common.network.listener_name import ListenerName
    from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
    from kreactor.common.security.auth.security_protocol import SecurityProtocol
    from kreactor.jdk.net import InetAddress


# Four accessors are fields here, because they are fields of RequestContext, which every request reads.
class AuthorizableRequestContext(Protocol):
    """A request's principal, address, listener and header. RequestContext implements it.

    :origin: server.authorizer.AuthorizableRequestContext
    :origin: server.authorizer.AuthorizableRequestContext#listenerName()
    :origin: server.authorizer.AuthorizableRequestContext#securityProtocol()
    :origin: server.authorizer.AuthorizableRequestContext#principal()
    :origin: server.authorizer.AuthorizableRequestContext#clientAddress()
    """

    listener_name: ListenerName
    security_protocol: SecurityProtocol
    principal: KafkaPrincipal
    client_address: InetAddress

    def request_type(self) -> int:
        """Return the id of the API.

        :origin: server.authorizer.AuthorizableRequestContext#requestType()
        """
        ...

    def request_version(self) -> int:
        """Return the version of the request.

        :origin: server.authorizer.AuthorizableRequestContext#requestVersion()
        """
        ...

    def client_id(self) -> str | None:
        """Return the client id.

        :origin: server.authorizer.AuthorizableRequestContext#clientId()
        """
        ...

    def correlation_id(self) -> int:
        """Return the request's correlation id.

        :origin: server.authorizer.AuthorizableRequestContext#correlationId()
        """
        ...
