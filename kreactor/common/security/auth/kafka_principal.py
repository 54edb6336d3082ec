# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.auth.KafkaPrincipal of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The principal of a connection, which authorization checks."""

from __future__ import annotations


class KafkaPrincipal:
    """A type and a name. An authorizer with its own principal builder may subclass it.

    Two principals of one class are equal if their types and names are.

    :origin: common.security.auth.KafkaPrincipal
    """

    __slots__ = ("_principal_type", "_name", "_token_authenticated")

    USER_TYPE = "User"
    ANONYMOUS: KafkaPrincipal

    def __init__(self, principal_type: str, name: str, token_authenticated: bool = False) -> None:
        """``token_authenticated`` says that the principal authenticated by a delegation token.

        :origin: common.security.auth.KafkaPrincipal#KafkaPrincipal(String, String)
        :origin: common.security.auth.KafkaPrincipal#KafkaPrincipal(String, String, boolean)
        """
        if principal_type is None:
            raise TypeError("Principal type cannot be null")
        if name is None:
            raise TypeError("Principal name cannot be null")
        self._principal_type = principal_type
        self._name = name
        self._token_authenticated = token_authenticated

    def __str__(self) -> str:
        """Return ``type:name``.

        :origin: common.security.auth.KafkaPrincipal#toString()
        """
        return f"{self._principal_type}:{self._name}"

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        """Compare class, type and name.

        :origin: common.security.auth.KafkaPrincipal#equals(Object)
        """
        if self is other:
            return True
        if not isinstance(other, KafkaPrincipal) or type(self) is not type(other):
            return False
        return self._principal_type == other._principal_type and self._name == other._name

    def __hash__(self) -> int:
        """Hash type and name.

        :origin: common.security.auth.KafkaPrincipal#hashCode()
        """
        return hash((self._principal_type, self._name))

    def get_name(self) -> str:
        """Return the name.

        :origin: common.security.auth.KafkaPrincipal#getName()
        """
        return self._name

    def get_principal_type(self) -> str:
        """Return the type.

        :origin: common.security.auth.KafkaPrincipal#getPrincipalType()
        """
        return self._principal_type

    def token_authenticated_to(self, token_authenticated: bool) -> None:
        """Set whether the principal authenticated by a delegation token.

        :origin: common.security.auth.KafkaPrincipal#tokenAuthenticated(boolean)
        """
        self._token_authenticated = token_authenticated

    def token_authenticated(self) -> bool:
        """Return whether the principal authenticated by a delegation token.

        :origin: common.security.auth.KafkaPrincipal#tokenAuthenticated()
        """
        return self._token_authenticated


KafkaPrincipal.ANONYMOUS = KafkaPrincipal(KafkaPrincipal.USER_TYPE, "ANONYMOUS")
