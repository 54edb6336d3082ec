# Licensed under the Apache License, Version 2.0; see LICENSE.
"""SCRAM over real connections, good and bad, beside what a real 3.8.0 makes of it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.message.sasl_handshake_request_data import SaslHandshakeRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.security.scram.internals.scram_formatter import ScramFormatter
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.core.network.socket_server import SocketServer
from kreactor.testing.mock_time import MockTime
from tests.core.network.servers import Servers, receive_request, wait_for_no_connections
from tests.core.network.test_sasl import (
    KINDS,
    PASSWORD,
    TOKEN,
    assert_closed,
    authenticate,
    connect,
    converse,
    handshake,
    no_secrets,
    reaches_the_handlers,
    sasl_props,
    served,
    servers,
)
from tests.core.server.scram_wire import ScramWire
from tests.core.server.wire import Closed, Wire, encode

__all__ = ["no_secrets", "servers"]

JAAS = "org.apache.kafka.common.security.scram.ScramLoginModule required;"
SHA_256, SHA_512 = ScramMechanism


def start(servers: Servers, time: MockTime | None = None, **overrides: str) -> SocketServer:
    props = sasl_props(sasl_enabled_mechanisms="PLAIN,SCRAM-SHA-256,SCRAM-SHA-512", **overrides) | {
        f"listener.name.sasl.{mechanism.mechanism_name().lower()}.sasl.jaas.config": JAAS
        for mechanism in ScramMechanism}
    server = servers.start(props) if time is None else servers.start(props, time=time)
    for mechanism in ScramMechanism:
        server.credential_provider.update_credential(
            mechanism, "alice", ScramFormatter(mechanism).generate_credential(PASSWORD, 4096))
    return server


INVALID = ("Authentication failed during authentication due to invalid credentials with SASL mechanism "
           "SCRAM-SHA-256")


@pytest.mark.parametrize("mechanism", list(ScramMechanism))
def test_the_right_password(servers: Servers, mechanism: ScramMechanism) -> None:
    server = start(servers)
    with connect(server) as wire:
        scram = ScramWire(wire, mechanism, "alice", PASSWORD)
        answer = scram.authenticate(scram.final())
        assert answer.error_code == 0 and bytes(answer.auth_bytes).startswith(b"v=")
        assert served(server, wire) == "User:alice"


def test_bare_tokens_after_a_handshake_of_version_0(servers: Servers) -> None:
    server = start(servers)
    with connect(server) as wire:
        wire.ask(ApiKeys.SASL_HANDSHAKE, 0, SaslHandshakeRequestData(mechanism="SCRAM-SHA-256"))

        def send(token: bytes) -> bytes:
            wire.socket.sendall(len(token).to_bytes(4, "big") + token)
            return wire.receive_bytes()

        scram = ScramWire.bare(send, SHA_256, "alice", PASSWORD)
        assert send(scram.final()).startswith(b"v=")
        assert served(server, wire) == "User:alice"


@pytest.mark.parametrize(("user", "password", "final"), [
    ("alice", "wrong", {}), ("nobody", PASSWORD, {}), ("alice", PASSWORD, {"proof": b"short"}),
    ("alice", PASSWORD, {"nonce": "another"})])
def test_wrong_users_passwords_and_proofs_are_refused_alike(
        servers: Servers, user: str, password: str, final: dict[str, str]) -> None:
    server = start(servers)
    with connect(server) as wire:
        scram = ScramWire(wire, SHA_256, user, password)
        answer = scram.authenticate(scram.final(**final))  # type: ignore[arg-type]
        assert (answer.error_code, answer.error_message, answer.auth_bytes) == (58, INVALID, b"")
        assert_closed(wire)
    wait_for_no_connections(server)


def test_what_changes_counts_from_the_next_exchange_on(servers: Servers) -> None:
    server = start(servers)
    with connect(server) as wire, connect(server) as other:
        begun = ScramWire(wire, SHA_256, "alice", PASSWORD)
        server.credential_provider.remove_credentials(SHA_256, "alice")
        assert begun.authenticate(begun.final()).error_code == 0
        gone = ScramWire(other, SHA_256, "alice", PASSWORD)
        assert gone.authenticate(gone.final()).error_code == 58


def test_a_token_of_another_mechanism(servers: Servers) -> None:
    server = start(servers)
    with connect(server) as wire:
        wire.ask(*handshake(mechanism="SCRAM-SHA-256"))
        answer = wire.ask(*authenticate(TOKEN))
        assert (answer.error_code, answer.error_message) == (58, INVALID)
        assert_closed(wire)


def test_reauthentication(servers: Servers) -> None:
    time = MockTime()
    server = start(servers, time, connections_max_reauth_ms="60000")
    with connect(server) as wire:
        for _ in range(2):
            scram = ScramWire(wire, SHA_512, "alice", PASSWORD)
            assert scram.authenticate(scram.final()).session_lifetime_ms == 60_000
            time.sleep(50_000)
        wire.ask(*handshake(mechanism="SCRAM-SHA-256"))
        wire.send(*authenticate(b"n,,n=alice,r=x"))
        assert_closed(wire)


SCRAM_KINDS = {name: kind for name, kind in KINDS.items() if "token" not in name} | {
    "handshake 0": handshake(0, "SCRAM-SHA-256"), "handshake 1": handshake(1, "SCRAM-SHA-512"),
    "first": authenticate(b"n,,n=alice,r=x"), "unknown": authenticate(b"n,,n=nobody,r=x"),
    "final": authenticate(b"c=biws,r=x,p=" + b"A" * 86 + b"=="), "plain token": authenticate(TOKEN)}


def test_any_requests_in_any_order_and_pieces_let_nobody_in(servers: Servers) -> None:
    """None of the proofs can be right: that takes an answer to the challenge."""
    server = start(servers)
    channel = server.data_plane_request_channel

    @settings(max_examples=60, database=None,
              suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.lists(st.sampled_from(sorted(SCRAM_KINDS)), min_size=1, max_size=7),
           st.lists(st.integers(1, 40), max_size=8))
    def check(kinds: list[str], pieces: list[int]) -> None:
        assert not reaches_the_handlers(kinds)
        stream = b"".join(encode(*SCRAM_KINDS[kind], i, "wire") for i, kind in enumerate(kinds))
        converse(server, stream, pieces)
        wait_for_no_connections(server)
        assert channel._request_queue.is_empty()

    check()
    with connect(server) as wire:
        scram = ScramWire(wire, SHA_256, "alice", PASSWORD)
        assert scram.authenticate(scram.final()).error_code == 0
        wire.send(ApiKeys.METADATA, 12, MetadataRequestData())
        receive_request(channel).release_buffer()


@pytest.fixture
def kafka() -> Iterator[Wire]:
    address = os.environ.get("KREACTOR_ORACLE_SASL")
    if address is None:
        pytest.skip("needs the SASL listener of a Kafka 3.8.0, where alice has the password alice-secret, "
                    "named by KREACTOR_ORACLE_SASL=host:port")
    host, _, port = address.rpartition(":")
    with Wire(host, int(port)) as wire:
        yield wire


@pytest.mark.parametrize("mechanism", list(ScramMechanism))
def test_what_a_real_3_8_0_takes(kafka: Wire, mechanism: ScramMechanism) -> None:
    """CVE-2024-56128, as Kafka 3.8.0 has it."""
    scram = ScramWire(kafka, mechanism, "alice", "alice-secret")
    answer = scram.authenticate(scram.final(nonce="another"))
    assert answer.error_code == 0 and bytes(answer.auth_bytes).startswith(b"v=")


def test_what_a_real_3_8_0_says_to_who_is_unknown(kafka: Wire) -> None:
    assert ScramWire(kafka, SHA_256, "nobody", "x").refusal == (58, INVALID)


def test_what_a_real_3_8_0_says_to_a_short_proof(kafka: Wire) -> None:
    scram = ScramWire(kafka, SHA_256, "alice", "alice-secret")
    with pytest.raises(Closed):
        scram.authenticate(scram.final(proof=b"short"))
