# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.oauthbearer.internals.OAuthBearerClientInitialResponse
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The message with a token that a client begins with."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kreactor.common.security.auth.sasl_extensions import SaslExtensions
from kreactor.common.utils.utils import Utils
from kreactor.jdk.sasl import SaslException

_SASLNAME = r"(?:[\x01-\x2b\x2d-\x3c\x3e-\x7f]|=2C|=3D)+"
_KEY = "[A-Za-z]+"
_VALUE = r"[\x21-\x7e \t\r\n]+"
_KVPAIRS = f"(?:{_KEY}={_VALUE}\x01)*"
_AUTH_PATTERN = re.compile(r"(?P<scheme>[A-Za-z0-9_]+) +(?P<token>[-_~+/.a-zA-Z0-9]+=*)")
_CLIENT_INITIAL_RESPONSE_PATTERN = re.compile(
    f"n,(?:a=(?P<authzid>{_SASLNAME}))?,\x01(?P<kvpairs>{_KVPAIRS})\x01")


class OAuthBearerClientInitialResponse:
    """Immutable.

    :origin: common.security.oauthbearer.internals.OAuthBearerClientInitialResponse
    """

    __slots__ = ("_token_value", "_authorization_id", "_sasl_extensions")

    SEPARATOR = "\x01"
    AUTH_KEY = "auth"

    def __init__(self, response: bytes) -> None:
        """Raises SaslException, which shows nothing of the message.

        :origin: common.security.oauthbearer.internals.OAuthBearerClientInitialResponse#OAuthBearerClientInitialResponse(byte[])
        """  # noqa: E501
        matcher = _CLIENT_INITIAL_RESPONSE_PATTERN.fullmatch(response.decode("utf-8", "replace"))
        if matcher is None:
            raise SaslException("Invalid OAUTHBEARER client first message")
        self._authorization_id = matcher["authzid"] or ""
        properties = Utils.parse_map(matcher["kvpairs"], "=", self.SEPARATOR)
        auth = properties.pop(self.AUTH_KEY, None)
        if auth is None:
            raise SaslException("Invalid OAUTHBEARER client first message: 'auth' not specified")
        self._sasl_extensions = properties

        auth_matcher = _AUTH_PATTERN.fullmatch(auth)
        if auth_matcher is None:
            raise SaslException("Invalid OAUTHBEARER client first message: invalid 'auth' format")
        if auth_matcher["scheme"].lower() != "bearer":
            # DEVIATION D180: the origin looks the scheme up in the wrong place, and closes the connection.
            raise SaslException("Invalid scheme in OAUTHBEARER client first message")
        self._token_value: str = auth_matcher["token"]

    @staticmethod
    def of(token_value: str, extensions: SaslExtensions) -> OAuthBearerClientInitialResponse:
        """Return the message of a client. Raises SaslException for extensions that cannot be.

        :origin: common.security.oauthbearer.internals.OAuthBearerClientInitialResponse#OAuthBearerClientInitialResponse(String, SaslExtensions)
        :origin: common.security.oauthbearer.internals.OAuthBearerClientInitialResponse#OAuthBearerClientInitialResponse(String, String, SaslExtensions)
        """  # noqa: E501
        response = OAuthBearerClientInitialResponse.__new__(OAuthBearerClientInitialResponse)
        response._token_value = token_value
        response._authorization_id = ""
        response.validate_extensions(extensions)
        response._sasl_extensions = dict(extensions.map())
        return response

    def extensions(self) -> Mapping[str, str]:
        """:origin: common.security.oauthbearer.internals.OAuthBearerClientInitialResponse#extensions()"""
        return self._sasl_extensions

    def to_bytes(self) -> bytes:
        """Return the message: a secret.

        :origin: common.security.oauthbearer.internals.OAuthBearerClientInitialResponse#toBytes()
        """
        authzid = f"a={self._authorization_id}" if self._authorization_id else ""
        extensions = Utils.mk_string(self._sasl_extensions, "", "", "=", self.SEPARATOR)
        pairs = f"auth=Bearer {self._token_value}" + (self.SEPARATOR + extensions if extensions else "")
        return f"n,{authzid},{self.SEPARATOR}{pairs}{self.SEPARATOR}{self.SEPARATOR}".encode()

    def token_value(self) -> str:
        """:origin: common.security.oauthbearer.internals.OAuthBearerClientInitialResponse#tokenValue()"""
        return self._token_value

    def authorization_id(self) -> str:
        """:origin: common.security.oauthbearer.internals.OAuthBearerClientInitialResponse#authorizationId()
        """
        return self._authorization_id

    @staticmethod
    def validate_extensions(extensions: SaslExtensions) -> None:
        """Raises SaslException, which does not show a value.

        :origin: common.security.oauthbearer.internals.OAuthBearerClientInitialResponse#validateExtensions(SaslExtensions)
        """  # noqa: E501
        for name, value in extensions.map().items():
            if name == OAuthBearerClientInitialResponse.AUTH_KEY or re.fullmatch(_KEY, name) is None:
                raise SaslException(f"Extension name {name} is invalid")
            if re.fullmatch(_VALUE, value) is None:
                raise SaslException(f"Extension value for extension {name} is invalid")
