# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.oauthbearer.internals.OAuthBearerClientInitialResponse
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The client's first message, which has the token."""

from __future__ import annotations

import re

from kreactor.common.security.auth.sasl_extensions import SaslExtensions
from kreactor.common.utils.utils import Utils
from kreactor.jdk.sasl import SaslException


class OAuthBearerClientInitialResponse:
    """The token and the extensions of the message. Immutable.

    :origin: common.security.oauthbearer.internals.OAuthBearerClientInitialResponse
    """

    __slots__ = ("_token_value", "_authorization_id", "_sasl_extensions")

    SEPARATOR = "\x01"

    _SASLNAME = r"(?:[\x01-\x2b\x2d-\x3c\x3e-\x7f]|=2C|=3D)+"
    _KEY = "[A-Za-z]+"
    _VALUE = r"[\x21-\x7e \t\r\n]+"

    _KVPAIRS = f"(?:{_KEY}={_VALUE}{SEPARATOR})*"
    _AUTH_PATTERN = re.compile(r"(?P<scheme>[A-Za-z0-9_]+) +(?P<token>[-_~+/.a-zA-Z0-9]+=*)")
    _CLIENT_INITIAL_RESPONSE_PATTERN = re.compile(
        f"n,(?:a=(?P<authzid>{_SASLNAME}))?,{SEPARATOR}(?P<kvpairs>{_KVPAIRS}){SEPARATOR}")
    AUTH_KEY = "auth"

    EXTENSION_KEY_PATTERN = re.compile(_KEY)
    EXTENSION_VALUE_PATTERN = re.compile(_VALUE)

    def __init__(self, response: bytes) -> None:
        """Parse a client's message. Raises SaslException, whose text has no part of the message.

        :origin: common.security.oauthbearer.internals.OAuthBearerClientInitialResponse#OAuthBearerClientInitialResponse(
            byte[])
        """  # noqa: E501
        response_msg = response.decode("utf-8", "replace")
        matcher = self._CLIENT_INITIAL_RESPONSE_PATTERN.fullmatch(response_msg)
        if matcher is None:
            raise SaslException("Invalid OAUTHBEARER client first message")
        self._authorization_id = matcher["authzid"] or ""
        kv_pairs = matcher["kvpairs"]
        properties = Utils.parse_map(kv_pairs, "=", self.SEPARATOR)
        auth = properties.get(self.AUTH_KEY)
        if auth is None:
            raise SaslException("Invalid OAUTHBEARER client first message: 'auth' not specified")
        del properties[self.AUTH_KEY]
        extensions = SaslExtensions(properties)
        self.validate_extensions(extensions)
        self._sasl_extensions = extensions

        auth_matcher = self._AUTH_PATTERN.fullmatch(auth)
        if auth_matcher is None:
            raise SaslException("Invalid OAUTHBEARER client first message: invalid 'auth' format")
        if auth_matcher["scheme"].lower() != "bearer":
            # DEVIATION D180: the origin reads the scheme from the wrong regex group, and closes the
            # connection.
            raise SaslException("Invalid scheme in OAUTHBEARER client first message")
        self._token_value: str = auth_matcher["token"]

    @staticmethod
    def of(token_value: str, extensions: SaslExtensions | None,
           authorization_id: str | None = None) -> OAuthBearerClientInitialResponse:
        """Return the message of a client. Raises SaslException for invalid extensions.

        :origin: common.security.oauthbearer.internals.OAuthBearerClientInitialResponse#OAuthBearerClientInitialResponse(
            String, SaslExtensions)
        :origin: common.security.oauthbearer.internals.OAuthBearerClientInitialResponse#OAuthBearerClientInitialResponse(
            String, String, SaslExtensions)
        """  # noqa: E501
        response = OAuthBearerClientInitialResponse.__new__(OAuthBearerClientInitialResponse)
        response._token_value = token_value
        response._authorization_id = authorization_id or ""
        response.validate_extensions(extensions)
        response._sasl_extensions = extensions if extensions is not None else SaslExtensions.empty()
        return response

    def extensions(self) -> SaslExtensions:
        """:origin: common.security.oauthbearer.internals.OAuthBearerClientInitialResponse#extensions()"""
        return self._sasl_extensions

    def to_bytes(self) -> bytes:
        """Return the message, which is secret.

        :origin: common.security.oauthbearer.internals.OAuthBearerClientInitialResponse#toBytes()
        """
        authzid = f"a={self._authorization_id}" if self._authorization_id else ""
        extensions = self._extensions_message()
        if extensions:
            extensions = self.SEPARATOR + extensions

        message = (f"n,{authzid},{self.SEPARATOR}auth=Bearer {self._token_value}{extensions}"
                   f"{self.SEPARATOR}{self.SEPARATOR}")

        return message.encode()

    def token_value(self) -> str:
        """:origin: common.security.oauthbearer.internals.OAuthBearerClientInitialResponse#tokenValue()"""
        return self._token_value

    def authorization_id(self) -> str:
        """Return the authorization id that the client requests, empty for the client's own.

        :origin: common.security.oauthbearer.internals.OAuthBearerClientInitialResponse#authorizationId()
        """
        return self._authorization_id

    @staticmethod
    def validate_extensions(extensions: SaslExtensions | None) -> None:
        """Check names and values. Raises SaslException.

        :origin: common.security.oauthbearer.internals.OAuthBearerClientInitialResponse#validateExtensions(
            SaslExtensions)
        """  # noqa: E501
        if extensions is None:
            return
        if OAuthBearerClientInitialResponse.AUTH_KEY in extensions.map():
            raise SaslException(f"Extension name {OAuthBearerClientInitialResponse.AUTH_KEY} is invalid")

        for extension_name, extension_value in extensions.map().items():
            if not OAuthBearerClientInitialResponse.EXTENSION_KEY_PATTERN.fullmatch(extension_name):
                raise SaslException(f"Extension name {extension_name} is invalid")
            if not OAuthBearerClientInitialResponse.EXTENSION_VALUE_PATTERN.fullmatch(extension_value):
                raise SaslException(
                    f"Extension value ({extension_value}) for extension {extension_name} is invalid")

    def _extensions_message(self) -> str:
        """:origin: common.security.oauthbearer.internals.OAuthBearerClientInitialResponse#extensionsMessage()
        """  # noqa: E501
        return Utils.mk_string(self._sasl_extensions.map(), "", "", "=", self.SEPARATOR)
