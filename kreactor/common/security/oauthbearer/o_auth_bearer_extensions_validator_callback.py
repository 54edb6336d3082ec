# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of OAuthBearerExtensionsValidatorCallback, of the package
# org.apache.kafka.common.security.oauthbearer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The callback that asks a handler to validate a client's SASL extensions."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from kreactor.common.security.auth.sasl_extensions import SaslExtensions
from kreactor.common.security.oauthbearer.o_auth_bearer_token import OAuthBearerToken
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.sasl import Callback


class OAuthBearerExtensionsValidatorCallback(Callback):
    """The handler answers for each extension. The server ignores an extension without an answer.

    :origin: common.security.oauthbearer.OAuthBearerExtensionsValidatorCallback
    """

    __slots__ = ("_token", "_input_extensions", "_validated_extensions", "_invalid_extensions")

    def __init__(self, token: OAuthBearerToken, extensions: SaslExtensions) -> None:
        """:origin: common.security.oauthbearer.OAuthBearerExtensionsValidatorCallback#OAuthBearerExtensionsValidatorCallback(
            OAuthBearerToken, SaslExtensions)
        """  # noqa: E501
        self._token = token
        self._input_extensions = extensions
        self._validated_extensions: dict[str, str] = {}
        self._invalid_extensions: dict[str, str] = {}

    def token(self) -> OAuthBearerToken:
        """:origin: common.security.oauthbearer.OAuthBearerExtensionsValidatorCallback#token()"""
        return self._token

    def input_extensions(self) -> SaslExtensions:
        """:origin: common.security.oauthbearer.OAuthBearerExtensionsValidatorCallback#inputExtensions()"""
        return self._input_extensions

    def validated_extensions(self) -> Mapping[str, str]:
        """:origin: common.security.oauthbearer.OAuthBearerExtensionsValidatorCallback#validatedExtensions()
        """
        return MappingProxyType(self._validated_extensions)

    def invalid_extensions(self) -> Mapping[str, str]:
        """Return the error message of each invalid extension.

        :origin: common.security.oauthbearer.OAuthBearerExtensionsValidatorCallback#invalidExtensions()
        """
        return MappingProxyType(self._invalid_extensions)

    def ignored_extensions(self) -> Mapping[str, str]:
        """:origin: common.security.oauthbearer.OAuthBearerExtensionsValidatorCallback#ignoredExtensions()"""
        return MappingProxyType({
            name: value for name, value in self._input_extensions.map().items()
            if name not in self._invalid_extensions and name not in self._validated_extensions})

    def valid(self, extension_name: str) -> None:
        """Mark an extension as valid. Raises IllegalArgumentException for one that the client did not send.

        :origin: common.security.oauthbearer.OAuthBearerExtensionsValidatorCallback#valid(String)
        """
        if extension_name not in self._input_extensions.map():
            raise IllegalArgumentException(
                f"Extension {extension_name} was not found in the original extensions")
        self._validated_extensions[extension_name] = self._input_extensions.map()[extension_name]

    def error(self, invalid_extension_name: str, error_message: str) -> None:
        """:origin: common.security.oauthbearer.OAuthBearerExtensionsValidatorCallback#error(String, String)
        """
        if not invalid_extension_name:
            raise IllegalArgumentException("extension name must not be empty")
        self._invalid_extensions[invalid_extension_name] = error_message
