# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The client's end of SCRAM, for challenges that a server of Kafka never sends."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.security.scram.internals.scram_sasl_client import ScramSaslClient
from kreactor.jdk.sasl import Callback, CallbackHandler, NameCallback, PasswordCallback, SaslException


class Handler(CallbackHandler):
    """Answers with one name and password, and counts how often the password is asked for."""

    def __init__(self) -> None:
        self.passwords = 0

    def handle(self, callbacks: Sequence[Callback]) -> None:
        for callback in callbacks:
            if isinstance(callback, NameCallback):
                callback.set_name("alice")
            elif isinstance(callback, PasswordCallback):
                self.passwords += 1
                callback.set_password("secret")


@pytest.mark.deviation("D190")
@pytest.mark.parametrize("mechanism", ScramMechanism)
def test_more_iterations_than_a_user_can_have_are_refused(mechanism: ScramMechanism) -> None:
    for iterations, refused in ((mechanism.max_iterations(), False), (mechanism.max_iterations() + 1, True)):
        handler = Handler()
        client = ScramSaslClient(mechanism, handler)
        first = client.evaluate_challenge(b"")
        assert first is not None
        nonce = first.decode().rpartition("r=")[2]
        challenge = f"r={nonce}x,s=c2FsdA==,i={iterations}".encode()
        if refused:
            with pytest.raises(SaslException, match=rf"^Requested iterations {iterations} is more than"):
                client.evaluate_challenge(challenge)
        else:
            final = client.evaluate_challenge(challenge)
            assert final is not None and final.startswith(b"c=")
        assert handler.passwords == (not refused)


@pytest.mark.deviation("D190")
@pytest.mark.parametrize("fidelity", ["fixed", "strict"])
def test_more_iterations_than_a_user_can_have_with_strict_fidelity(fidelity: str) -> None:
    """As in Kafka the client computes all that the server asks for."""
    mechanism, handler = ScramMechanism.SCRAM_SHA_256, Handler()
    client = ScramSaslClient.ScramSaslClientFactory().create_sasl_client(
        [mechanism.mechanism_name()], None, "kafka", "localhost", {"kreactor.fidelity": fidelity}, handler)
    first = client.evaluate_challenge(b"")
    assert first is not None
    nonce = first.decode().rpartition("r=")[2]
    challenge = f"r={nonce}x,s=c2FsdA==,i={mechanism.max_iterations() + 1}".encode()
    if fidelity == "strict":
        final = client.evaluate_challenge(challenge)
        assert final is not None and final.startswith(b"c=")
    else:
        with pytest.raises(SaslException, match="is more than"):
            client.evaluate_challenge(challenge)
