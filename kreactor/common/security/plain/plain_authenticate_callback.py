# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.plain.PlainAuthenticateCallback of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The question whether a password is the right one."""

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
        """Return what the client says.

        :origin: common.security.plain.PlainAuthenticateCallback#password()
        """
        return self._password

    def authenticated(self) -> bool:
        """Return the answer, no before there is one.

        :origin: common.security.plain.PlainAuthenticateCallback#authenticated()
        """
        return self._authenticated

    def set_authenticated(self, authenticated: bool) -> None:
        """Answer.

        :origin: common.security.plain.PlainAuthenticateCallback#authenticated(boolean)
        """
        self._authenticated = authenticated
