# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.oauthbearer.internals.OAuthBearerSaslServer
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""OAUTHBEARER on the server: a token, and, if it is not believed, why not and a goodbye."""

from __future__ import annotations

from collections.abc import Mapping

from kreactor.common.errors import SaslAuthenticationException
from kreactor.common.security.authenticator.sasl_internal_configs import SaslInternalConfigs
from kreactor.common.security.oauthbearer.internals.o_auth_bearer_client_initial_response import (
    OAuthBearerClientInitialResponse,
)
from kreactor.common.security.oauthbearer.o_auth_bearer_token import OAuthBearerToken
from kreactor.common.security.oauthbearer.o_auth_bearer_validator_callback import (
    OAuthBearerExtensionsValidatorCallback,
    OAuthBearerValidatorCallback,
)
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.sasl import (
    CallbackHandler,
    Sasl,
    SaslException,
    SaslServer,
    SaslServerFactory,
    UnsupportedCallbackException,
)

_CLASS = "common.security.oauthbearer.internals.OAuthBearerSaslServer"
_LAYER = "no mechanism of Kafka's has a security layer"

OMITTED = {
    f"{_CLASS}#wrap(byte[], int, int)": _LAYER,
    f"{_CLASS}#unwrap(byte[], int, int)": _LAYER,
}


class OAuthBearerSaslServer(SaslServer):
    """One exchange, on a network thread.

    :origin: common.security.oauthbearer.internals.OAuthBearerSaslServer
    """

    __slots__ = ("_callback_handler", "_complete", "_token", "_error_message", "_extensions")

    OAUTHBEARER_MECHANISM = "OAUTHBEARER"
    NEGOTIATED_PROPERTY_KEY_TOKEN = f"{OAUTHBEARER_MECHANISM}.token"
    INTERNAL_ERROR_ON_SERVER = (
        "Authentication could not be performed due to an internal error on the server")

    def __init__(self, callback_handler: CallbackHandler) -> None:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslServer#OAuthBearerSaslServer(CallbackHandler)
        """  # noqa: E501
        self._callback_handler = callback_handler
        self._complete = False
        self._token: OAuthBearerToken | None = None
        self._error_message: str | None = None
        self._extensions: Mapping[str, str] = {}

    def evaluate_response(self, response: bytes) -> bytes:
        """Raises SaslException, and SaslAuthenticationException, whose message the client gets to see.

        :origin: common.security.oauthbearer.internals.OAuthBearerSaslServer#evaluateResponse(byte[])
        """
        if response == b"\x01" and self._error_message is not None:
            raise SaslAuthenticationException(self._error_message)
        self._error_message = None
        client_response = OAuthBearerClientInitialResponse(response)
        return self._process(client_response.token_value(), client_response.authorization_id(),
                             client_response.extensions())

    def get_authorization_id(self) -> str:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslServer#getAuthorizationID()"""
        return self._complete_token().principal_name()

    def get_mechanism_name(self) -> str:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslServer#getMechanismName()"""
        return self.OAUTHBEARER_MECHANISM

    def get_negotiated_property(self, prop_name: str) -> object:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslServer#getNegotiatedProperty(String)
        """
        token = self._complete_token()
        if prop_name == self.NEGOTIATED_PROPERTY_KEY_TOKEN:
            return token
        if prop_name == SaslInternalConfigs.CREDENTIAL_LIFETIME_MS_SASL_NEGOTIATED_PROPERTY_KEY:
            return token.lifetime_ms()
        return self._extensions.get(prop_name)

    def is_complete(self) -> bool:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslServer#isComplete()"""
        return self._complete

    def dispose(self) -> None:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslServer#dispose()"""
        self._complete = False
        self._token = None
        self._extensions = {}

    def _complete_token(self) -> OAuthBearerToken:
        if not self._complete or self._token is None:
            raise IllegalStateException("Authentication exchange has not completed")
        return self._token

    def _process(self, token_value: str, authorization_id: str, extensions: Mapping[str, str]) -> bytes:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslServer#process(
            String, String, SaslExtensions)
        """
        callback = OAuthBearerValidatorCallback(token_value)
        try:
            self._callback_handler.handle([callback])
        except (OSError, UnsupportedCallbackException) as e:
            raise SaslException(self.INTERNAL_ERROR_ON_SERVER, e) from e
        token = callback.token()
        if token is None:
            self._error_message = self._json_error_response(
                callback.error_status(), callback.error_scope(), callback.error_open_id_configuration())
            return self._error_message.encode()
        if authorization_id and authorization_id != token.principal_name():
            raise SaslAuthenticationException(
                f"Authentication failed: Client requested an authorization id ({authorization_id}) that is "
                f"different from the token's principal name ({token.principal_name()})")

        valid_extensions = self._process_extensions(token, extensions)

        self._token = token
        self._extensions = valid_extensions
        self._complete = True
        return b""

    def _process_extensions(self, token: OAuthBearerToken,
                            extensions: Mapping[str, str]) -> Mapping[str, str]:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslServer#processExtensions(
            OAuthBearerToken, SaslExtensions)
        """
        callback = OAuthBearerExtensionsValidatorCallback(token, extensions)
        try:
            self._callback_handler.handle([callback])
        except UnsupportedCallbackException:
            pass  # a handler that knows of none
        except OSError as e:
            raise SaslException(self.INTERNAL_ERROR_ON_SERVER, e) from e
        invalid = callback.invalid_extensions()
        if invalid:
            raise SaslAuthenticationException(
                f"Authentication failed: {len(invalid)} extensions are invalid! They are: "
                + "; ".join(f"{name}: {message}" for name, message in invalid.items()))
        return callback.validated_extensions()

    @staticmethod
    def _json_error_response(status: str | None, scope: str | None, configuration: str | None) -> str:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslServer#jsonErrorResponse(
            String, String, String)
        """
        response = f'{{"status":"{status}"'
        if scope is not None:
            response += f', "scope":"{scope}"'
        if configuration is not None:
            response += f', "openid-configuration":"{configuration}"'
        return response + "}"

    class OAuthBearerSaslServerFactory(SaslServerFactory):
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslServer.OAuthBearerSaslServerFactory
        """

        def create_sasl_server(self, mechanism: str, protocol: str, server_name: str,
                               props: Mapping[str, object], cbh: CallbackHandler) -> SaslServer | None:
            """:origin: common.security.oauthbearer.internals.OAuthBearerSaslServer.OAuthBearerSaslServerFactory#createSaslServer(String, String, String, Map<String,?>, CallbackHandler)
            """  # noqa: E501
            return OAuthBearerSaslServer(cbh) if mechanism in self.get_mechanism_names(props) else None

        def get_mechanism_names(self, props: Mapping[str, object] | None) -> list[str]:
            """:origin: common.security.oauthbearer.internals.OAuthBearerSaslServer.OAuthBearerSaslServerFactory#getMechanismNames(Map<String,?>)
            """  # noqa: E501
            if props is not None and str(props.get(Sasl.POLICY_NOPLAINTEXT)).lower() == "true":
                return []
            return [OAuthBearerSaslServer.OAUTHBEARER_MECHANISM]
