# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.scram.internals.ScramSaslServer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The server side of SCRAM: sends a challenge, and checks the client's proof of its password.

The server never gets the password, and cannot compute it from the stored credential. No error or log has a
part of the credential. The client gets no reason for a refusal, except for a wrong authorization id; the
server logs the reason.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from enum import Enum

from kreactor.common.errors import (
    AuthenticationException,
    IllegalSaslStateException,
    SaslAuthenticationException,
)
from kreactor.common.security.authenticator.sasl_internal_configs import SaslInternalConfigs
from kreactor.common.security.scram.internals.scram_decoys import ScramDecoys
from kreactor.common.security.scram.internals.scram_extensions import TOKEN_AUTH_CONFIG, ScramExtensions
from kreactor.common.security.scram.internals.scram_formatter import ScramFormatter
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.security.scram.internals.scram_messages import (
    ClientFinalMessage,
    ClientFirstMessage,
    ServerFinalMessage,
    ServerFirstMessage,
)
from kreactor.common.security.scram.scram_credential import ScramCredential
from kreactor.common.security.scram.scram_credential_callback import ScramCredentialCallback
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.sasl import CallbackHandler, NameCallback, SaslException, SaslServer, SaslServerFactory
from kreactor.jdk.secure_random import random_bytes

log = LogContext().logger(f"{__name__}.ScramSaslServer")

# The key of the decoys for a callback handler that supplies no decoy, so for one outside kreactor.
_DECOY_KEY = random_bytes(32)


class ScramSaslServer(SaslServer):
    """One exchange. Owned by a network thread.

    :origin: common.security.scram.internals.ScramSaslServer
    """

    __slots__ = (
        "_mechanism", "_formatter", "_callback_handler", "_state", "_username", "_client_first_message",
        "_server_first_message", "_scram_extensions", "_scram_credential", "_authorization_id",
        "_strict",
    )

    SUPPORTED_EXTENSIONS = frozenset({TOKEN_AUTH_CONFIG})

    class State(Enum):
        """:origin: common.security.scram.internals.ScramSaslServer.State"""

        RECEIVE_CLIENT_FIRST_MESSAGE = "RECEIVE_CLIENT_FIRST_MESSAGE"
        RECEIVE_CLIENT_FINAL_MESSAGE = "RECEIVE_CLIENT_FINAL_MESSAGE"
        COMPLETE = "COMPLETE"
        FAILED = "FAILED"

    def __init__(self, mechanism: ScramMechanism, props: Mapping[str, object],
                 callback_handler: CallbackHandler) -> None:
        """:origin: common.security.scram.internals.ScramSaslServer#ScramSaslServer(
            ScramMechanism, Map<String,?>, CallbackHandler)
        """
        self._strict = props.get("kreactor.fidelity") == "strict"
        self._mechanism = mechanism
        self._formatter = ScramFormatter(mechanism)
        self._callback_handler = callback_handler
        self._username = ""
        self._client_first_message: ClientFirstMessage | None = None
        self._server_first_message: ServerFirstMessage | None = None
        self._scram_extensions = ScramExtensions()
        self._scram_credential: ScramCredential | None = None
        self._authorization_id = ""
        self._set_state(State.RECEIVE_CLIENT_FIRST_MESSAGE)

    def evaluate_response(self, response: bytes) -> bytes:
        """Raises SaslAuthenticationException, or SaslException, whose message must not go to the client.

        :origin: common.security.scram.internals.ScramSaslServer#evaluateResponse(byte[])
        """
        try:
            if self._state is State.RECEIVE_CLIENT_FIRST_MESSAGE:
                return self._challenge(response)
            if self._state is State.RECEIVE_CLIENT_FINAL_MESSAGE:
                client_first_message, server_first_message, scram_credential = (
                    self._client_first_message, self._server_first_message, self._scram_credential)
                assert client_first_message is not None and server_first_message is not None
                assert scram_credential is not None
                client_final_message = ClientFinalMessage.parse(response)
                # DEVIATION D184: the origin accepts a proof with any nonce (CVE-2024-56128). librdkafka
                # before 2.6.1 sends the client's nonce twice, which Kafka 3.8.1 accepts, too.
                if not client_final_message.nonce().endswith(server_first_message.nonce()):
                    raise SaslException("Invalid client nonce in the final client message.")
                self._verify_client_proof(client_final_message)
                server_key = scram_credential.server_key()
                server_signature = self._formatter.server_signature(
                    server_key, client_first_message, server_first_message, client_final_message)
                server_final_message = ServerFinalMessage(None, server_signature)
                self._clear_credentials()
                self._set_state(State.COMPLETE)
                return server_final_message.to_bytes()
            raise IllegalSaslStateException(f"Unexpected challenge in Sasl server state {self._state.name}")
        except (SaslException, AuthenticationException):
            self._clear_credentials()
            self._set_state(State.FAILED)
            raise

    def _challenge(self, response: bytes) -> bytes:
        """Answer the client's first message: a part of ``evaluateResponse`` in Kafka."""
        self._client_first_message = client_first_message = ClientFirstMessage.parse(response)
        self._scram_extensions = client_first_message.extensions()
        if not self.SUPPORTED_EXTENSIONS >= self._scram_extensions.map().keys():
            log.debug("Unsupported extensions will be ignored, supported %s, provided %s",
                      sorted(self.SUPPORTED_EXTENSIONS), sorted(self._scram_extensions.map()))
        server_nonce = self._formatter.secure_random_string()
        try:
            sasl_name = client_first_message.sasl_name()
            self._username = username = ScramFormatter.username(sasl_name)
            if self._scram_extensions.token_authenticated():
                # DEVIATION D177: kreactor has no delegation tokens.
                raise SaslException(f"Token Authentication failed: Invalid tokenId : {username}")
            name_callback = NameCallback("username", username)
            credential_callback = ScramCredentialCallback()
            self._callback_handler.handle([name_callback, credential_callback])
            self._authorization_id = username
            scram_credential = credential_callback.scram_credential()
            if scram_credential is None:
                # DEVIATION D185: the origin refuses an unknown user at once, which reveals the names of
                # users.
                scram_credential = credential_callback.decoy or ScramDecoys(
                    self._mechanism, _DECOY_KEY).credential(username)
            self._scram_credential = scram_credential
            authorization_id_from_client = client_first_message.authorization_id()
            if authorization_id_from_client and authorization_id_from_client != username:
                raise SaslAuthenticationException("Authentication failed: Client requested an authorization "
                                                  "id that is different from username")

            if scram_credential.iterations() < self._mechanism.min_iterations():
                raise SaslException(
                    f"Iterations {scram_credential.iterations()} is less than the minimum "
                    f"{self._mechanism.min_iterations()} for {self._mechanism}")
            self._server_first_message = ServerFirstMessage(
                client_first_message.nonce(), server_nonce, scram_credential.salt(),
                scram_credential.iterations())
            self._set_state(State.RECEIVE_CLIENT_FINAL_MESSAGE)
            return self._server_first_message.to_bytes()
        except (SaslException, AuthenticationException):
            raise
        except Exception as e:
            raise SaslException("Authentication failed: Credentials could not be obtained", e) from e

    def get_authorization_id(self) -> str:
        """:origin: common.security.scram.internals.ScramSaslServer#getAuthorizationID()"""
        if not self.is_complete():
            raise IllegalStateException("Authentication exchange has not completed")
        return self._authorization_id

    def get_mechanism_name(self) -> str:
        """:origin: common.security.scram.internals.ScramSaslServer#getMechanismName()"""
        return self._mechanism.mechanism_name()

    def get_negotiated_property(self, prop_name: str) -> object:
        """:origin: common.security.scram.internals.ScramSaslServer#getNegotiatedProperty(String)"""
        if not self.is_complete():
            raise IllegalStateException("Authentication exchange has not completed")
        if prop_name == SaslInternalConfigs.CREDENTIAL_LIFETIME_MS_SASL_NEGOTIATED_PROPERTY_KEY:
            return None
        if prop_name in self.SUPPORTED_EXTENSIONS:
            return self._scram_extensions.map().get(prop_name)
        return None

    def is_complete(self) -> bool:
        """:origin: common.security.scram.internals.ScramSaslServer#isComplete()"""
        return self._state is State.COMPLETE

    def dispose(self) -> None:
        """:origin: common.security.scram.internals.ScramSaslServer#dispose()"""

    def _set_state(self, state: State) -> None:
        """:origin: common.security.scram.internals.ScramSaslServer#setState(State)"""
        log.debug("Setting SASL/%s server state to %s", self._mechanism, state.name)
        self._state = state

    def _verify_client_proof(self, client_final_message: ClientFinalMessage) -> None:
        """Check the client's proof. Raises SaslException for a wrong password.

        :origin: common.security.scram.internals.ScramSaslServer#verifyClientProof(ClientFinalMessage)
        """
        assert self._client_first_message is not None and self._server_first_message is not None
        assert self._scram_credential is not None
        expected_stored_key = self._scram_credential.stored_key()
        client_signature = self._formatter.client_signature(
            expected_stored_key, self._client_first_message, self._server_first_message,
            client_final_message)
        if len(client_final_message.proof()) != len(client_signature) and not self._is_strict():
            # DEVIATION D186: the origin fails to combine them, and closes the connection without a response.
            raise SaslException("Invalid client credentials")
        computed_stored_key = self._formatter.stored_key_of_proof(
            client_signature, client_final_message.proof())
        if not hmac.compare_digest(computed_stored_key, expected_stored_key):
            raise SaslException("Invalid client credentials")

    def _is_strict(self) -> bool:
        """Return whether ``kreactor.fidelity`` is strict: a setting of ours."""
        return self._strict

    def _clear_credentials(self) -> None:
        """:origin: common.security.scram.internals.ScramSaslServer#clearCredentials()"""
        self._scram_credential = None
        self._client_first_message = None
        self._server_first_message = None

    class ScramSaslServerFactory(SaslServerFactory):
        """:origin: common.security.scram.internals.ScramSaslServer.ScramSaslServerFactory"""

        def create_sasl_server(self, mechanism: str, protocol: str, server_name: str,
                               props: Mapping[str, object], cbh: CallbackHandler) -> SaslServer:
            """:origin: common.security.scram.internals.ScramSaslServer.ScramSaslServerFactory#createSaslServer(String, String, String, Map<String,?>, CallbackHandler)
            """  # noqa: E501
            scram_mechanism = ScramMechanism.for_mechanism_name(mechanism)
            if scram_mechanism is None:
                raise SaslException(
                    f"Requested mechanism '{mechanism}' is not supported. Supported mechanisms are "
                    f"'[{', '.join(ScramMechanism.mechanism_names())}]'.")
            return ScramSaslServer(scram_mechanism, props, cbh)

        def get_mechanism_names(self, props: Mapping[str, object] | None) -> list[str]:
            """:origin: common.security.scram.internals.ScramSaslServer.ScramSaslServerFactory#getMechanismNames(Map<String,?>)
            """  # noqa: E501
            return ScramMechanism.mechanism_names()


State = ScramSaslServer.State
