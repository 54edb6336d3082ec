# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.plain.internals.PlainSaslServer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The server side of PLAIN: the client's name and password in one message."""

from __future__ import annotations

from collections.abc import Mapping

from kreactor.common.errors import SaslAuthenticationException
from kreactor.common.security.plain.plain_authenticate_callback import PlainAuthenticateCallback
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.sasl import (
    CallbackHandler,
    NameCallback,
    Sasl,
    SaslException,
    SaslServer,
    SaslServerFactory,
)


class PlainSaslServer(SaslServer):
    """One exchange. Owned by a network thread.

    :origin: common.security.plain.internals.PlainSaslServer
    """

    __slots__ = ("_callback_handler", "_complete", "_authorization_id")

    PLAIN_MECHANISM = "PLAIN"

    def __init__(self, callback_handler: CallbackHandler) -> None:
        """:origin: common.security.plain.internals.PlainSaslServer#PlainSaslServer(CallbackHandler)"""
        self._callback_handler = callback_handler
        self._complete = False
        self._authorization_id = ""

    def evaluate_response(self, response: bytes) -> bytes:
        """Raises SaslAuthenticationException, whose message goes to the client.

        :origin: common.security.plain.internals.PlainSaslServer#evaluateResponse(byte[])
        """
        tokens = self._extract_tokens(response.decode("utf-8", "replace"))
        authorization_id_from_client, username, password = tokens

        if not username:
            raise SaslAuthenticationException("Authentication failed: username not specified")
        if not password:
            raise SaslAuthenticationException("Authentication failed: password not specified")

        name_callback = NameCallback("username", username)
        authenticate_callback = PlainAuthenticateCallback(password)
        try:
            self._callback_handler.handle([name_callback, authenticate_callback])
        except Exception as e:
            raise SaslAuthenticationException(
                "Authentication failed: credentials for user could not be verified", e) from e
        if not authenticate_callback.authenticated():
            raise SaslAuthenticationException("Authentication failed: Invalid username or password")
        if authorization_id_from_client and authorization_id_from_client != username:
            raise SaslAuthenticationException("Authentication failed: Client requested an authorization id "
                                              "that is different from username")

        self._authorization_id = username

        self._complete = True
        return b""

    def _extract_tokens(self, string: str) -> list[str]:
        """:origin: common.security.plain.internals.PlainSaslServer#extractTokens(String)"""
        # A fourth token is enough to refuse the message, so the split stops there.
        tokens = string.split("\0", 4)[:4]

        if len(tokens) != 3:
            raise SaslAuthenticationException(
                f"Invalid SASL/PLAIN response: expected 3 tokens, got {len(tokens)}")

        return tokens

    def get_authorization_id(self) -> str:
        """:origin: common.security.plain.internals.PlainSaslServer#getAuthorizationID()"""
        if not self._complete:
            raise IllegalStateException("Authentication exchange has not completed")
        return self._authorization_id

    def get_mechanism_name(self) -> str:
        """:origin: common.security.plain.internals.PlainSaslServer#getMechanismName()"""
        return self.PLAIN_MECHANISM

    def get_negotiated_property(self, prop_name: str) -> object:
        """:origin: common.security.plain.internals.PlainSaslServer#getNegotiatedProperty(String)"""
        if not self._complete:
            raise IllegalStateException("Authentication exchange has not completed")
        return None

    def is_complete(self) -> bool:
        """:origin: common.security.plain.internals.PlainSaslServer#isComplete()"""
        return self._complete

    def dispose(self) -> None:
        """:origin: common.security.plain.internals.PlainSaslServer#dispose()"""

    class PlainSaslServerFactory(SaslServerFactory):
        """:origin: common.security.plain.internals.PlainSaslServer.PlainSaslServerFactory"""

        def create_sasl_server(self, mechanism: str, protocol: str, server_name: str,
                               props: Mapping[str, object], cbh: CallbackHandler) -> SaslServer:
            """:origin: common.security.plain.internals.PlainSaslServer.PlainSaslServerFactory#createSaslServer(String, String, String, Map<String,?>, CallbackHandler)
            """  # noqa: E501
            if mechanism != PlainSaslServer.PLAIN_MECHANISM:
                raise SaslException(f"Mechanism '{mechanism}' is not supported. Only PLAIN is supported.")

            return PlainSaslServer(cbh)

        def get_mechanism_names(self, props: Mapping[str, object] | None) -> list[str]:
            """:origin: common.security.plain.internals.PlainSaslServer.PlainSaslServerFactory#getMechanismNames(Map<String,?>)
            """  # noqa: E501
            if props is not None and props.get(Sasl.POLICY_NOPLAINTEXT) == "true":
                return []
            return [PlainSaslServer.PLAIN_MECHANISM]
