# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.oauthbearer.internals.OAuthBearerSaslServer
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The server side of OAUTHBEARER: accepts a token, or sends an error that the client acknowledges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from kreactor.common.errors import SaslAuthenticationException
from kreactor.common.security.auth.authenticate_callback_handler import AuthenticateCallbackHandler
from kreactor.common.security.auth.sasl_extensions import SaslExtensions
from kreactor.common.security.authenticator.sasl_internal_configs import SaslInternalConfigs
from kreactor.common.security.oauthbearer.internals.o_auth_bearer_client_initial_response import (
    OAuthBearerClientInitialResponse,
)
from kreactor.common.security.oauthbearer.o_auth_bearer_extensions_validator_callback import (
    OAuthBearerExtensionsValidatorCallback,
)
from kreactor.common.security.oauthbearer.o_auth_bearer_token import OAuthBearerToken
from kreactor.common.security.oauthbearer.o_auth_bearer_validator_callback import OAuthBearerValidatorCallback
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.sasl import (
    CallbackHandler,
    Sasl,
    SaslException,
    SaslServer,
    SaslServerFactory,
    UnsupportedCallbackException,
)
from kreactor.jdk.text import class_name, java_text

log = LogContext().logger(f"{__name__}.OAuthBearerSaslServer")


class OAuthBearerSaslServer(SaslServer):
    """One exchange. Owned by a network thread.

    :origin: common.security.oauthbearer.internals.OAuthBearerSaslServer
    """

    __slots__ = ("_callback_handler", "_complete", "_token_for_negotiated_property", "_error_message",
                 "_extensions")

    OAUTHBEARER_MECHANISM = "OAUTHBEARER"
    NEGOTIATED_PROPERTY_KEY_TOKEN = f"{OAUTHBEARER_MECHANISM}.token"
    INTERNAL_ERROR_ON_SERVER = (
        "Authentication could not be performed due to an internal error on the server")

    def __init__(self, callback_handler: CallbackHandler) -> None:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslServer#OAuthBearerSaslServer(
            CallbackHandler)
        """  # noqa: E501
        if not isinstance(callback_handler, AuthenticateCallbackHandler):
            raise IllegalArgumentException(
                f"Callback handler must be castable to {class_name(AuthenticateCallbackHandler)}: "
                f"{class_name(type(callback_handler))}")
        self._callback_handler: AuthenticateCallbackHandler = callback_handler
        self._complete = False
        self._token_for_negotiated_property: OAuthBearerToken | None = None
        self._error_message: str | None = None
        self._extensions: SaslExtensions | None = None

    def evaluate_response(self, response: bytes) -> bytes:
        """Raises SaslException, or SaslAuthenticationException, whose message goes to the client.

        :origin: common.security.oauthbearer.internals.OAuthBearerSaslServer#evaluateResponse(byte[])
        """
        # The value of OAuthBearerSaslClient.BYTE_CONTROL_A, repeated because that module imports this one.
        if response == b"\x01" and self._error_message is not None:
            log.debug("Received %%x01 response from client after it received our error")
            raise SaslAuthenticationException(self._error_message)
        self._error_message = None

        try:
            client_response = OAuthBearerClientInitialResponse(response)
        except SaslException as e:
            log.debug("%s", e)
            raise

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
        return None if self._extensions is None else self._extensions.map().get(prop_name)

    def is_complete(self) -> bool:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslServer#isComplete()"""
        return self._complete

    def dispose(self) -> None:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslServer#dispose()"""
        self._complete = False
        self._token_for_negotiated_property = None
        self._extensions = None

    def _complete_token(self) -> OAuthBearerToken:
        if not self._complete or self._token_for_negotiated_property is None:
            raise IllegalStateException("Authentication exchange has not completed")
        return self._token_for_negotiated_property

    def _process(self, token_value: str, authorization_id: str, extensions: SaslExtensions) -> bytes:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslServer#process(
            String, String, SaslExtensions)
        """
        callback = OAuthBearerValidatorCallback(token_value)
        try:
            self._callback_handler.handle([callback])
        except (OSError, UnsupportedCallbackException) as e:
            self._handle_callback_error(e)
        token = callback.token()
        if token is None:
            self._error_message = self._json_error_response(
                callback.error_status(), callback.error_scope(), callback.error_open_id_configuration())
            log.debug("%s", self._error_message)
            return self._error_message.encode()
        if authorization_id and authorization_id != token.principal_name():
            raise SaslAuthenticationException(
                f"Authentication failed: Client requested an authorization id ({authorization_id}) that is "
                f"different from the token's principal name ({token.principal_name()})")

        valid_extensions = self._process_extensions(token, extensions)

        self._token_for_negotiated_property = token
        self._extensions = SaslExtensions(valid_extensions)
        self._complete = True
        log.debug("Successfully authenticate User=%s", token.principal_name())
        return b""

    def _process_extensions(self, token: OAuthBearerToken, extensions: SaslExtensions) -> Mapping[str, str]:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslServer#processExtensions(
            OAuthBearerToken, SaslExtensions)
        """
        extensions_callback = OAuthBearerExtensionsValidatorCallback(token, extensions)
        try:
            self._callback_handler.handle([extensions_callback])
        except UnsupportedCallbackException:
            pass  # an older handler does not support extensions, so the connection has none
        except OSError as e:
            self._handle_callback_error(e)
        invalid_extensions = extensions_callback.invalid_extensions()
        if invalid_extensions:
            error_message = (
                f"Authentication failed: {len(invalid_extensions)} extensions are invalid! They are: "
                + Utils.mk_string(invalid_extensions, "", "", ": ", "; "))
            log.debug("%s", error_message)
            raise SaslAuthenticationException(error_message)

        return extensions_callback.validated_extensions()

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

    def _handle_callback_error(self, e: Exception) -> NoReturn:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslServer#handleCallbackError(Exception)
        """
        msg = f"{self.INTERNAL_ERROR_ON_SERVER}: {e}"
        log.debug("%s", msg, exc=e)
        raise SaslException(msg) from e

    @staticmethod
    def mechanism_names_compatible_with_policy(props: Mapping[str, object] | None) -> list[str]:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslServer#mechanismNamesCompatibleWithPolicy(
            Map<String,?>)
        """  # noqa: E501
        return ([] if props is not None and java_text(props.get(Sasl.POLICY_NOPLAINTEXT)) == "true"
                else [OAuthBearerSaslServer.OAUTHBEARER_MECHANISM])

    class OAuthBearerSaslServerFactory(SaslServerFactory):
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslServer.OAuthBearerSaslServerFactory
        """

        def create_sasl_server(self, mechanism: str, protocol: str, server_name: str,
                               props: Mapping[str, object], cbh: CallbackHandler) -> SaslServer | None:
            """:origin: common.security.oauthbearer.internals.OAuthBearerSaslServer.OAuthBearerSaslServerFactory#createSaslServer(
                String, String, String, Map<String,?>, CallbackHandler)
            """  # noqa: E501
            mechanism_names_compatible_with_policy = self.get_mechanism_names(props)
            for name in mechanism_names_compatible_with_policy:
                if name == mechanism:
                    return OAuthBearerSaslServer(cbh)
            return None

        def get_mechanism_names(self, props: Mapping[str, object] | None) -> list[str]:
            """:origin: common.security.oauthbearer.internals.OAuthBearerSaslServer.OAuthBearerSaslServerFactory#getMechanismNames(
                Map<String,?>)
            """  # noqa: E501
            return OAuthBearerSaslServer.mechanism_names_compatible_with_policy(props)
