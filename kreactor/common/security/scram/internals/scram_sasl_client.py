# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.scram.internals.ScramSaslClient of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The client side of SCRAM: proves the password to the server, and checks the server's proof."""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from enum import Enum

from kreactor.common.errors import IllegalSaslStateException
from kreactor.common.security.scram.internals.scram_formatter import ScramFormatter
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.security.scram.internals.scram_messages import (
    ClientFinalMessage,
    ClientFirstMessage,
    ServerFinalMessage,
    ServerFirstMessage,
)
from kreactor.common.security.scram.scram_extensions_callback import ScramExtensionsCallback
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.sasl import (
    CallbackHandler,
    NameCallback,
    PasswordCallback,
    SaslClient,
    SaslClientFactory,
    SaslException,
    UnsupportedCallbackException,
)

log = LogContext().logger(f"{__name__}.ScramSaslClient")

_GS2_HEADER = b"n,,"


class ScramSaslClient(SaslClient):
    """One exchange. Owned by a network thread.

    :origin: common.security.scram.internals.ScramSaslClient
    """

    __slots__ = (
        "_mechanism", "_callback_handler", "_formatter", "_client_nonce", "_state", "_salted_password",
        "_client_first_message", "_server_first_message", "_client_final_message",
    )

    class State(Enum):
        """:origin: common.security.scram.internals.ScramSaslClient.State"""

        SEND_CLIENT_FIRST_MESSAGE = "SEND_CLIENT_FIRST_MESSAGE"
        RECEIVE_SERVER_FIRST_MESSAGE = "RECEIVE_SERVER_FIRST_MESSAGE"
        RECEIVE_SERVER_FINAL_MESSAGE = "RECEIVE_SERVER_FINAL_MESSAGE"
        COMPLETE = "COMPLETE"
        FAILED = "FAILED"

    def __init__(self, mechanism: ScramMechanism, cbh: CallbackHandler, strict: bool = False) -> None:
        """``strict`` is ours: whether ``kreactor.fidelity`` is strict.

        :origin: common.security.scram.internals.ScramSaslClient#ScramSaslClient(
            ScramMechanism, CallbackHandler)
        """
        self._strict = strict
        self._mechanism = mechanism
        self._callback_handler = cbh
        self._formatter = ScramFormatter(mechanism)
        self._client_nonce = ""
        self._salted_password = b""
        self._client_first_message: ClientFirstMessage | None = None
        self._server_first_message: ServerFirstMessage | None = None
        self._client_final_message: ClientFinalMessage | None = None
        self._set_state(State.SEND_CLIENT_FIRST_MESSAGE)

    def _is_strict(self) -> bool:
        """Return whether ``kreactor.fidelity`` is strict: a setting of ours."""
        return self._strict

    def get_mechanism_name(self) -> str:
        """:origin: common.security.scram.internals.ScramSaslClient#getMechanismName()"""
        return self._mechanism.mechanism_name()

    def has_initial_response(self) -> bool:
        """:origin: common.security.scram.internals.ScramSaslClient#hasInitialResponse()"""
        return True

    def evaluate_challenge(self, challenge: bytes) -> bytes | None:
        """:origin: common.security.scram.internals.ScramSaslClient#evaluateChallenge(byte[])"""
        try:
            if self._state is State.SEND_CLIENT_FIRST_MESSAGE:
                if challenge:
                    raise SaslException("Expected empty challenge")
                self._client_nonce = self._formatter.secure_random_string()
                name_callback = NameCallback("Name:")
                extensions_callback = ScramExtensionsCallback()

                try:
                    self._callback_handler.handle([name_callback])
                    try:
                        self._callback_handler.handle([extensions_callback])
                    except UnsupportedCallbackException:
                        log.debug("The callback handler does not support extensions: none are sent")
                except Exception as e:
                    raise SaslException("User name or extensions could not be obtained", e) from e

                sasl_name = ScramFormatter.sasl_name(name_callback.get_name() or "")
                self._client_first_message = ClientFirstMessage(
                    sasl_name, self._client_nonce, extensions_callback.extensions())
                self._set_state(State.RECEIVE_SERVER_FIRST_MESSAGE)
                return self._client_first_message.to_bytes()

            if self._state is State.RECEIVE_SERVER_FIRST_MESSAGE:
                self._server_first_message = ServerFirstMessage.parse(challenge)
                iterations = self._server_first_message.iterations()
                if not self._server_first_message.nonce().startswith(self._client_nonce):
                    raise SaslException("Invalid server nonce: does not start with client nonce")
                if iterations < self._mechanism.min_iterations():
                    raise SaslException(f"Requested iterations {iterations} is less than the minimum "
                                        f"{self._mechanism.min_iterations()} for {self._mechanism}")
                # DEVIATION D190: the origin, and kreactor.fidelity=strict, have no upper limit. So a server
                # can block the client's thread for any time.
                if iterations > self._mechanism.max_iterations() and not self._is_strict():
                    raise SaslException(f"Requested iterations {iterations} is more than the maximum "
                                        f"{self._mechanism.max_iterations()} for {self._mechanism}")
                password_callback = PasswordCallback("Password:")
                try:
                    self._callback_handler.handle([password_callback])
                except Exception as e:
                    raise SaslException("User name could not be obtained", e) from e
                self._client_final_message = self._handle_server_first_message(
                    password_callback.get_password() or "")
                self._set_state(State.RECEIVE_SERVER_FINAL_MESSAGE)
                return self._client_final_message.to_bytes()

            if self._state is State.RECEIVE_SERVER_FINAL_MESSAGE:
                server_final_message = ServerFinalMessage.parse(challenge)
                if server_final_message.error() is not None:
                    raise SaslException(f"Sasl authentication using {self._mechanism} failed with error: "
                                        f"{server_final_message.error()}")
                self._handle_server_final_message(server_final_message.server_signature() or b"")
                self._set_state(State.COMPLETE)
                return None

            raise IllegalSaslStateException(f"Unexpected challenge in Sasl client state {self._state.name}")
        except SaslException:
            self._set_state(State.FAILED)
            raise

    def is_complete(self) -> bool:
        """:origin: common.security.scram.internals.ScramSaslClient#isComplete()"""
        return self._state is State.COMPLETE

    def get_negotiated_property(self, prop_name: str) -> object:
        """:origin: common.security.scram.internals.ScramSaslClient#getNegotiatedProperty(String)"""
        if not self.is_complete():
            raise IllegalStateException("Authentication exchange has not completed")
        return None

    def dispose(self) -> None:
        """:origin: common.security.scram.internals.ScramSaslClient#dispose()"""

    def _set_state(self, state: State) -> None:
        """:origin: common.security.scram.internals.ScramSaslClient#setState(State)"""
        log.debug("Setting SASL/%s client state to %s", self._mechanism, state.name)
        self._state = state

    def _handle_server_first_message(self, password: str) -> ClientFinalMessage:
        """:origin: common.security.scram.internals.ScramSaslClient#handleServerFirstMessage(char[])"""
        assert self._client_first_message is not None and self._server_first_message is not None
        password_bytes = ScramFormatter.normalize(password)
        self._salted_password = self._formatter.hi(
            password_bytes, self._server_first_message.salt(), self._server_first_message.iterations())

        client_final_message = ClientFinalMessage(_GS2_HEADER, self._server_first_message.nonce())
        client_final_message.set_proof(self._formatter.client_proof(
            self._salted_password, self._client_first_message, self._server_first_message,
            client_final_message))
        return client_final_message

    def _handle_server_final_message(self, signature: bytes) -> None:
        """Check the server's signature. Raises SaslException for an error or a wrong signature.

        :origin: common.security.scram.internals.ScramSaslClient#handleServerFinalMessage(byte[])
        """
        assert self._client_first_message is not None and self._server_first_message is not None
        assert self._client_final_message is not None
        server_key = self._formatter.server_key(self._salted_password)
        server_signature = self._formatter.server_signature(
            server_key, self._client_first_message, self._server_first_message, self._client_final_message)
        if not hmac.compare_digest(signature, server_signature):
            raise SaslException("Invalid server signature in server final message")

    class ScramSaslClientFactory(SaslClientFactory):
        """:origin: common.security.scram.internals.ScramSaslClient.ScramSaslClientFactory"""

        def create_sasl_client(self, mechanisms: Sequence[str], authorization_id: str | None, protocol: str,
                               server_name: str, props: Mapping[str, object],
                               cbh: CallbackHandler) -> SaslClient:
            """:origin: common.security.scram.internals.ScramSaslClient.ScramSaslClientFactory#createSaslClient(String[], String, String, String, Map<String,?>, CallbackHandler)
            """  # noqa: E501
            for name in mechanisms:
                mechanism = ScramMechanism.for_mechanism_name(name)
                if mechanism is not None:
                    return ScramSaslClient(mechanism, cbh, props.get("kreactor.fidelity") == "strict")
            raise SaslException(
                f"Requested mechanisms '[{', '.join(mechanisms)}]' not supported. Supported mechanisms are "
                f"'[{', '.join(ScramMechanism.mechanism_names())}]'.")

        def get_mechanism_names(self, props: Mapping[str, object] | None) -> list[str]:
            """:origin: common.security.scram.internals.ScramSaslClient.ScramSaslClientFactory#getMechanismNames(Map<String,?>)
            """  # noqa: E501
            return ScramMechanism.mechanism_names()


State = ScramSaslClient.State
