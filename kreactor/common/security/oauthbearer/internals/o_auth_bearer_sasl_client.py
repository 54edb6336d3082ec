# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.oauthbearer.internals.OAuthBearerSaslClient
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The client side of OAUTHBEARER: sends a token, and acknowledges the server's error for a refused token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

from kreactor.common.errors import IllegalSaslStateException
from kreactor.common.security.auth.authenticate_callback_handler import AuthenticateCallbackHandler
from kreactor.common.security.auth.sasl_extensions import SaslExtensions
from kreactor.common.security.auth.sasl_extensions_callback import SaslExtensionsCallback
from kreactor.common.security.oauthbearer.internals.o_auth_bearer_client_initial_response import (
    OAuthBearerClientInitialResponse,
)
from kreactor.common.security.oauthbearer.internals.o_auth_bearer_sasl_server import OAuthBearerSaslServer
from kreactor.common.security.oauthbearer.o_auth_bearer_token_callback import OAuthBearerTokenCallback
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.sasl import (
    CallbackHandler,
    SaslClient,
    SaslClientFactory,
    SaslException,
    UnsupportedCallbackException,
)
from kreactor.jdk.text import class_name

log = LogContext().logger(f"{__name__}.OAuthBearerSaslClient")


class OAuthBearerSaslClient(SaslClient):
    """One exchange. Owned by a network thread.

    :origin: common.security.oauthbearer.internals.OAuthBearerSaslClient
    """

    __slots__ = ("_callback_handler", "_state")

    BYTE_CONTROL_A = b"\x01"

    class State(Enum):
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslClient.State"""

        SEND_CLIENT_FIRST_MESSAGE = "SEND_CLIENT_FIRST_MESSAGE"
        RECEIVE_SERVER_FIRST_MESSAGE = "RECEIVE_SERVER_FIRST_MESSAGE"
        RECEIVE_SERVER_MESSAGE_AFTER_FAILURE = "RECEIVE_SERVER_MESSAGE_AFTER_FAILURE"
        COMPLETE = "COMPLETE"
        FAILED = "FAILED"

    def __init__(self, callback_handler: AuthenticateCallbackHandler) -> None:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslClient#OAuthBearerSaslClient(
            AuthenticateCallbackHandler)
        """  # noqa: E501
        self._callback_handler: CallbackHandler = callback_handler
        self._set_state(State.SEND_CLIENT_FIRST_MESSAGE)

    def callback_handler(self) -> CallbackHandler:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslClient#callbackHandler()"""
        return self._callback_handler

    def get_mechanism_name(self) -> str:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslClient#getMechanismName()"""
        return OAuthBearerSaslServer.OAUTHBEARER_MECHANISM

    def has_initial_response(self) -> bool:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslClient#hasInitialResponse()"""
        return True

    def evaluate_challenge(self, challenge: bytes) -> bytes | None:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslClient#evaluateChallenge(byte[])"""
        try:
            callback = OAuthBearerTokenCallback()
            if self._state is State.SEND_CLIENT_FIRST_MESSAGE:
                if challenge:
                    raise SaslException("Expected empty challenge")
                self.callback_handler().handle([callback])
                extensions = self._retrieve_custom_extensions()

                self._set_state(State.RECEIVE_SERVER_FIRST_MESSAGE)

                token = callback.token()
                if token is None:
                    raise SaslException("There is no token")
                return OAuthBearerClientInitialResponse.of(token.value(), extensions).to_bytes()
            if self._state is State.RECEIVE_SERVER_FIRST_MESSAGE:
                if challenge:
                    log.debug("Sending %%x01 response to server after receiving an error: %s",
                              challenge.decode("utf-8", "replace"))
                    self._set_state(State.RECEIVE_SERVER_MESSAGE_AFTER_FAILURE)
                    return self.BYTE_CONTROL_A
                self.callback_handler().handle([callback])
                token = callback.token()
                log.debug("Successfully authenticated as %s",
                          None if token is None else token.principal_name())
                self._set_state(State.COMPLETE)
                return None
            raise IllegalSaslStateException(f"Unexpected challenge in Sasl client state {self._state.name}")
        except SaslException:
            self._set_state(State.FAILED)
            raise
        except (OSError, UnsupportedCallbackException) as e:
            self._set_state(State.FAILED)
            raise SaslException(str(e), e) from e

    def is_complete(self) -> bool:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslClient#isComplete()"""
        return self._state is State.COMPLETE

    def get_negotiated_property(self, prop_name: str) -> object:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslClient#getNegotiatedProperty(String)
        """
        if not self.is_complete():
            raise IllegalStateException("Authentication exchange has not completed")
        return None

    def dispose(self) -> None:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslClient#dispose()"""

    def _set_state(self, state: State) -> None:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslClient#setState(State)"""
        log.debug("Setting SASL/%s client state to %s", self.get_mechanism_name(), state.name)
        self._state = state

    def _retrieve_custom_extensions(self) -> SaslExtensions | None:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslClient#retrieveCustomExtensions()"""
        extensions_callback = SaslExtensionsCallback()
        try:
            self.callback_handler().handle([extensions_callback])
        except UnsupportedCallbackException:
            log.debug("Extensions callback is not supported by client callback handler %s, no extensions "
                      "will be added", class_name(type(self.callback_handler())))
        except Exception as e:
            raise SaslException("SASL extensions could not be obtained", e) from e
        return extensions_callback.extensions()

    class OAuthBearerSaslClientFactory(SaslClientFactory):
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslClient.OAuthBearerSaslClientFactory
        """

        def create_sasl_client(self, mechanisms: Sequence[str], authorization_id: str | None, protocol: str,
                               server_name: str, props: Mapping[str, object],
                               cbh: CallbackHandler) -> SaslClient | None:
            """:origin: common.security.oauthbearer.internals.OAuthBearerSaslClient.OAuthBearerSaslClientFactory#createSaslClient(
                String[], String, String, String, Map<String,?>, CallbackHandler)
            """  # noqa: E501
            mechanism_names_compatible_with_policy = self.get_mechanism_names(props)
            for mechanism in mechanisms:
                for name in mechanism_names_compatible_with_policy:
                    if name == mechanism:
                        if not isinstance(cbh, AuthenticateCallbackHandler):
                            raise IllegalArgumentException(
                                "Callback handler must be castable to "
                                f"{class_name(AuthenticateCallbackHandler)}: {class_name(type(cbh))}")
                        return OAuthBearerSaslClient(cbh)
            return None

        def get_mechanism_names(self, props: Mapping[str, object] | None) -> list[str]:
            """:origin: common.security.oauthbearer.internals.OAuthBearerSaslClient.OAuthBearerSaslClientFactory#getMechanismNames(
                Map<String,?>)
            """  # noqa: E501
            return OAuthBearerSaslServer.mechanism_names_compatible_with_policy(props)


State = OAuthBearerSaslClient.State
