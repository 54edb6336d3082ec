# Licensed under the Apache License, Version 2.0; see LICENSE.
"""SASL by hand, on a connection of ``Wire``, so that each byte can be another than a client's."""

from __future__ import annotations

from collections.abc import Callable

from kreactor.common.message.sasl_authenticate_request_data import SaslAuthenticateRequestData
from kreactor.common.message.sasl_authenticate_response_data import SaslAuthenticateResponseData
from kreactor.common.message.sasl_handshake_request_data import SaslHandshakeRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.security.scram.internals.scram_formatter import ScramFormatter
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.security.scram.internals.scram_messages import (
    ClientFinalMessage,
    ClientFirstMessage,
    ServerFirstMessage,
)
from tests.core.server.wire import Wire


def ask_plain(wire: Wire, user: str, password: str) -> SaslAuthenticateResponseData:
    """Authenticate with PLAIN; return the answer. Raises Closed."""
    wire.ask(ApiKeys.SASL_HANDSHAKE, 1, SaslHandshakeRequestData(mechanism="PLAIN"))
    answer = wire.ask(ApiKeys.SASL_AUTHENTICATE, 2, SaslAuthenticateRequestData(
        auth_bytes=f"\0{user}\0{password}".encode()))
    assert isinstance(answer, SaslAuthenticateResponseData)
    return answer


class ScramWire:
    """A client of SCRAM in the middle of its exchange: it has had the challenge, or was refused."""

    def __init__(self, wire: Wire, mechanism: ScramMechanism, user: str, password: str) -> None:
        self.wire = wire
        self.refusal: tuple[int, str | None] | None = None
        shaken = wire.ask(ApiKeys.SASL_HANDSHAKE, 1, SaslHandshakeRequestData(
            mechanism=mechanism.mechanism_name()))
        assert getattr(shaken, "error_code") == 0
        self._begin(self._send_first, mechanism, user, password)

    @staticmethod
    def bare(send: Callable[[bytes], bytes], mechanism: ScramMechanism, user: str,
             password: str) -> ScramWire:
        """Begin with tokens that have no header around them."""
        scram = ScramWire.__new__(ScramWire)
        scram._begin(send, mechanism, user, password)
        return scram

    def _begin(self, send: Callable[[bytes], bytes], mechanism: ScramMechanism, user: str,
               password: str) -> None:
        self.formatter = ScramFormatter(mechanism)
        self.password = password
        self.first = ClientFirstMessage(
            ScramFormatter.sasl_name(user), ScramFormatter.secure_random_string(), {})
        token = send(self.first.to_bytes())
        self.challenge = ServerFirstMessage.parse(token) if token else None

    def _send_first(self, token: bytes) -> bytes:
        answer = self.authenticate(token)
        if answer.error_code:
            self.refusal = (answer.error_code, answer.error_message)
        return bytes(answer.auth_bytes)

    def authenticate(self, token: bytes) -> SaslAuthenticateResponseData:
        """Send a message of SCRAM. Raises Closed."""
        answer = self.wire.ask(ApiKeys.SASL_AUTHENTICATE, 2, SaslAuthenticateRequestData(auth_bytes=token))
        assert isinstance(answer, SaslAuthenticateResponseData)
        return answer

    def final(self, nonce: str | None = None, proof: bytes | None = None) -> bytes:
        """Return the final message, with a proof for ``nonce`` if there is none given."""
        assert self.challenge is not None
        final = ClientFinalMessage(b"n,,", self.challenge.nonce() if nonce is None else nonce)
        salted = self.formatter.salted_password(
            self.password, self.challenge.salt(), self.challenge.iterations())
        final.set_proof(self.formatter.client_proof(salted, self.first, self.challenge, final)
                        if proof is None else proof)
        return final.to_bytes()
