# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.plain.PlainAuthenticateCallback of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The callback that asks a handler to check a password."""

from __future__ import annotations

from kreactor.jdk.sasl import Callback


class PlainAuthenticateCallback(Callback):
    """:origin: common.security.plain.PlainAuthenticateCallback"""

    __slots__ = ("_password", "_authenticated")

    def __init__(self, password: str) -> None:
        """:origin: common.security.plain.PlainAuthenticateCallback#PlainAuthenticateCallback(char[])"""
        self._password = password
        self._authenticated = False

    def password(self) -> str:
        """Return the password that the client sent.

        :origin: common.security.plain.PlainAuthenticateCallback#password()
        """
        return self._password

    def authenticated(self) -> bool:
        """Return whether the password is correct, False until the handler answers.

        :origin: common.security.plain.PlainAuthenticateCallback#authenticated()
        """
        return self._authenticated

    def set_authenticated(self, authenticated: bool) -> None:
        """Set whether the password is correct.

        :origin: common.security.plain.PlainAuthenticateCallback#authenticated(boolean)
        """
        self._authenticated = authenticated
