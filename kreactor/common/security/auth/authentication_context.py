# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.auth.AuthenticationContext of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The facts of a connection from which its principal is built."""

from __future__ import annotations

from abc import ABC, abstractmethod

from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.jdk.net import InetAddress


class AuthenticationContext(ABC):
    """The facts of a connection from which the broker builds its principal.

    :origin: common.security.auth.AuthenticationContext
    """

    __slots__ = ()

    @abstractmethod
    def security_protocol(self) -> SecurityProtocol:
        """Return the protocol of the listener.

        :origin: common.security.auth.AuthenticationContext#securityProtocol()
        """

    @abstractmethod
    def client_address(self) -> InetAddress:
        """Return the client's address.

        :origin: common.security.auth.AuthenticationContext#clientAddress()
        """

    @abstractmethod
    def listener_name(self) -> str:
        """Return the listener's name.

        :origin: common.security.auth.AuthenticationContext#listenerName()
        """
