# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.auth.SecurityProtocol of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The security protocols of a listener."""

from __future__ import annotations

from enum import Enum

from kreactor.jdk.exceptions import IllegalArgumentException


class SecurityProtocol(Enum):
    """The encryption and authentication of a connection. The value is the permanent id.

    :origin: common.security.auth.SecurityProtocol
    :origin: common.security.auth.SecurityProtocol#SecurityProtocol(int, String)
    """

    PLAINTEXT = 0
    SSL = 1
    SASL_PLAINTEXT = 2
    SASL_SSL = 3

    def id(self) -> int:
        """Return the id, a field in Java."""
        return int(self.value)

    @staticmethod
    def names() -> list[str]:
        """Return the names, in the order of the ids.

        :origin: common.security.auth.SecurityProtocol#names()
        """
        return [protocol.name for protocol in SecurityProtocol]

    @staticmethod
    def for_id(id_: int) -> SecurityProtocol | None:
        """Return the protocol with this id, or None.

        :origin: common.security.auth.SecurityProtocol#forId(short)
        """
        try:
            return SecurityProtocol(id_)
        except ValueError:
            return None

    @staticmethod
    def for_name(name: str) -> SecurityProtocol:
        """Return the protocol named ``name``, ignoring case.

        Raises IllegalArgumentException for an unknown name.

        :origin: common.security.auth.SecurityProtocol#forName(String)
        """
        try:
            return SecurityProtocol[name.upper()]
        except KeyError:
            raise IllegalArgumentException(
                f"No enum constant org.apache.kafka.common.security.auth.SecurityProtocol.{name.upper()}"
            ) from None

    def __str__(self) -> str:
        return self.name
