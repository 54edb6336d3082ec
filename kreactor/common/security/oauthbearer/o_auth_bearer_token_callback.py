# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.oauthbearer.OAuthBearerTokenCallback
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The callback that asks a handler for a token."""

from __future__ import annotations

from kreactor.common.security.oauthbearer.o_auth_bearer_token import OAuthBearerToken
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.sasl import Callback


class OAuthBearerTokenCallback(Callback):
    """:origin: common.security.oauthbearer.OAuthBearerTokenCallback"""

    __slots__ = ("_token", "_error_code", "_error_description", "_error_uri")

    def __init__(self) -> None:
        self._token: OAuthBearerToken | None = None
        self._error_code: str | None = None
        self._error_description: str | None = None
        self._error_uri: str | None = None

    def token(self) -> OAuthBearerToken | None:
        """Return the token, or None if the handler set none.

        :origin: common.security.oauthbearer.OAuthBearerTokenCallback#token()
        """
        return self._token

    def error_code(self) -> str | None:
        """:origin: common.security.oauthbearer.OAuthBearerTokenCallback#errorCode()"""
        return self._error_code

    def error_description(self) -> str | None:
        """:origin: common.security.oauthbearer.OAuthBearerTokenCallback#errorDescription()"""
        return self._error_description

    def error_uri(self) -> str | None:
        """:origin: common.security.oauthbearer.OAuthBearerTokenCallback#errorUri()"""
        return self._error_uri

    def set_token(self, token: OAuthBearerToken | None) -> None:
        """Set the token.

        :origin: common.security.oauthbearer.OAuthBearerTokenCallback#token(OAuthBearerToken)
        """
        self._token = token
        self._error_code = self._error_description = self._error_uri = None

    def error(self, error_code: str, error_description: str | None, error_uri: str | None) -> None:
        """Set the error that explains why no token is available.

        :origin: common.security.oauthbearer.OAuthBearerTokenCallback#error(String, String, String)
        """
        if not error_code:
            raise IllegalArgumentException("error code must not be empty")
        self._error_code, self._error_description, self._error_uri = error_code, error_description, error_uri
        self._token = None
