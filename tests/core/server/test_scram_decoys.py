# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The answers about a user of SCRAM that does not exist, beside those about one that does."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.message.alter_user_scram_credentials_request_data import (
    AlterUserScramCredentialsRequestData as AlterData,
)
from kreactor.common.message.sasl_authenticate_request_data import SaslAuthenticateRequestData
from kreactor.common.message.sasl_handshake_request_data import SaslHandshakeRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.embedded.broker_server import BrokerServer
from tests.core.server.brokers import connect, new_broker

SETTINGS = {
    "listeners": "PLAINTEXT://127.0.0.1:0,SASL_PLAINTEXT://127.0.0.1:0",
    "sasl.enabled.mechanisms": "SCRAM-SHA-256",
    "listener.name.sasl_plaintext.scram-sha-256.sasl.jaas.config":
        "org.apache.kafka.common.security.scram.ScramLoginModule required;",
}
# As librdkafka makes them.
SALT, ITERATIONS = bytes(range(64)), 10_000


def challenge(broker: BrokerServer, user: str) -> tuple[bytes, int]:
    """Return the salt and the iterations that the broker shows to whoever names ``user``."""
    with connect(broker, "SASL_PLAINTEXT") as wire:
        wire.ask(ApiKeys.SASL_HANDSHAKE, 1, SaslHandshakeRequestData(mechanism="SCRAM-SHA-256"))
        answer: Any = wire.ask(ApiKeys.SASL_AUTHENTICATE, 2, SaslAuthenticateRequestData(
            auth_bytes=f"n,,n={user},r=x".encode()))
    assert answer.error_code == 0
    fields = dict(field.split("=", 1) for field in bytes(answer.auth_bytes).decode().split(","))
    return base64.b64decode(fields["s"]), int(fields["i"])


def add_alice(broker: BrokerServer) -> None:
    with connect(broker) as wire:
        answer: Any = wire.ask(ApiKeys.ALTER_USER_SCRAM_CREDENTIALS, 0, AlterData(
            upsertions=[AlterData.ScramCredentialUpsertion(
                name="alice", mechanism=1, iterations=ITERATIONS, salt=SALT, salted_password=bytes(32))]))
    assert answer.results[0].error_code == 0


@pytest.mark.deviation("D185")
def test_unknown_users_look_like_known_ones_before_and_after_a_restart(tmp_path: Path) -> None:
    with new_broker(tmp_path, SETTINGS) as broker:
        add_alice(broker)
        known, unknown, other = (challenge(broker, user) for user in ("alice", "nobody", "no one"))
        assert known == (SALT, ITERATIONS)
        assert (len(unknown[0]), unknown[1]) == (len(other[0]), other[1]) == (64, ITERATIONS)
        assert unknown[0] != other[0]
    with new_broker(tmp_path, SETTINGS) as broker:
        assert challenge(broker, "nobody") == unknown
        assert challenge(broker, "alice") == known


def test_nobody_can_compute_the_salt_of_an_unknown_user(tmp_path: Path) -> None:
    """Each data folder has a secret of its own."""
    salts = set()
    for folder in ("one", "other"):
        with new_broker(tmp_path / folder, SETTINGS) as broker:
            add_alice(broker)
            salts.add(challenge(broker, "nobody")[0])
    assert len(salts) == 2
