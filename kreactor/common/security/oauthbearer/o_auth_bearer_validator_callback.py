# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallback
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The callback that asks a handler to validate a token."""

from __future__ import annotations

from kreactor.common.security.oauthbearer.o_auth_bearer_token import OAuthBearerToken
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.sasl import Callback


class OAuthBearerValidatorCallback(Callback):
    """The handler answers with a parsed token, or with an error that goes to the client.

    :origin: common.security.oauthbearer.OAuthBearerValidatorCallback
    """

    __slots__ = ("_token_value", "_token", "_error_status", "_error_scope", "_error_open_id_configuration")

    def __init__(self, token_value: str) -> None:
        """:origin: common.security.oauthbearer.OAuthBearerValidatorCallback#OAuthBearerValidatorCallback(
            String)
        """  # noqa: E501
        if not token_value:
            raise IllegalArgumentException("token value must not be empty")
        self._token_value = token_value
        self._token: OAuthBearerToken | None = None
        self._error_status: str | None = None
        self._error_scope: str | None = None
        self._error_open_id_configuration: str | None = None

    def token_value(self) -> str:
        """:origin: common.security.oauthbearer.OAuthBearerValidatorCallback#tokenValue()"""
        return self._token_value

    def token(self) -> OAuthBearerToken | None:
        """:origin: common.security.oauthbearer.OAuthBearerValidatorCallback#token()"""
        return self._token

    def error_status(self) -> str | None:
        """:origin: common.security.oauthbearer.OAuthBearerValidatorCallback#errorStatus()"""
        return self._error_status

    def error_scope(self) -> str | None:
        """:origin: common.security.oauthbearer.OAuthBearerValidatorCallback#errorScope()"""
        return self._error_scope

    def error_open_id_configuration(self) -> str | None:
        """:origin: common.security.oauthbearer.OAuthBearerValidatorCallback#errorOpenIDConfiguration()"""
        return self._error_open_id_configuration

    def set_token(self, token: OAuthBearerToken) -> None:
        """:origin: common.security.oauthbearer.OAuthBearerValidatorCallback#token(OAuthBearerToken)"""
        self._token = token
        self._error_status = self._error_scope = self._error_open_id_configuration = None

    def error(self, error_status: str, error_scope: str | None,
              error_open_id_configuration: str | None) -> None:
        """:origin: common.security.oauthbearer.OAuthBearerValidatorCallback#error(String, String, String)"""
        if not error_status:
            raise IllegalArgumentException("error status must not be empty")
        self._error_status = error_status
        self._error_scope = error_scope
        self._error_open_id_configuration = error_open_id_configuration
        self._token = None
