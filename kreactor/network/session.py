# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.network.Session of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The principal and the address behind a request."""

from __future__ import annotations

from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.utils.sanitizer import Sanitizer
from kreactor.jdk.net import InetAddress


class Session:
    """A principal and an address. Immutable; made once per connection or request, read by any thread.

    :origin: network.Session
    """

    __slots__ = ("principal", "client_address", "sanitized_user")

    def __init__(self, principal: KafkaPrincipal, client_address: InetAddress | None) -> None:
        """Keep both, and the principal's name in the form that metrics and quotas have it in.

        :origin: network.Session#Session(KafkaPrincipal, InetAddress)
        """
        self.principal = principal
        self.client_address = client_address
        self.sanitized_user = Sanitizer.sanitize(principal.get_name())

    def __str__(self) -> str:
        """Return both. A refused client is told this text, which must not show an address in memory."""
        return f"Session(principal={self.principal}, clientAddress={self.client_address})"
