# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.scram.internals.ScramSaslServerTest
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
from __future__ import annotations

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kreactor.common.errors import IllegalSaslStateException, SaslAuthenticationException
from kreactor.common.security.authenticator.credential_cache import CredentialCache
from kreactor.common.security.scram.internals import scram_sasl_server
from kreactor.common.security.scram.internals.scram_formatter import ScramFormatter
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.security.scram.internals.scram_messages import (
    ClientFinalMessage,
    ClientFirstMessage,
    ServerFinalMessage,
    ServerFirstMessage,
)
from kreactor.common.security.scram.internals.scram_sasl_server import ScramSaslServer
from kreactor.common.security.scram.internals.scram_server_callback_handler import ScramServerCallbackHandler
from kreactor.common.security.scram.scram_credential import ScramCredential
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.sasl import PasswordCallback, SaslException, UnsupportedCallbackException

USER_A, USER_B = "userA", "userB"
MECHANISM = ScramMechanism.SCRAM_SHA_256
FORMATTER = ScramFormatter(MECHANISM)
CREDENTIALS = {USER_A: FORMATTER.generate_credential("passwordA", 4096),
               USER_B: FORMATTER.generate_credential("passwordB", 4096),
               "weak": FORMATTER.generate_credential("passwordA", 4095)}


@pytest.fixture
def sasl_server():
    return new_server()


def new_server(mechanism=MECHANISM, credentials=CREDENTIALS, **props):
    cache = CredentialCache().create_cache(mechanism.mechanism_name(), ScramCredential)
    for user, credential in credentials.items():
        cache.put(user, credential)
    props = {name.replace("_", "."): value for name, value in props.items()}
    return ScramSaslServer(mechanism, props, ScramServerCallbackHandler(cache))


def client_first_message(user_name, authorization_id=None):
    nonce = ScramFormatter.secure_random_string()
    authorization = "" if authorization_id is None else f"a={authorization_id}"
    return f"n,{authorization},n={user_name},r={nonce}".encode()


def test_no_authorization_id_specified(sasl_server):
    assert sasl_server.evaluate_response(client_first_message(USER_A))


def test_authorization_id_equals_authentication_id(sasl_server):
    assert sasl_server.evaluate_response(client_first_message(USER_A, USER_A))


def test_authorization_id_not_equals_authentication_id(sasl_server):
    with pytest.raises(SaslAuthenticationException):
        sasl_server.evaluate_response(client_first_message(USER_A, USER_B))


class Client:
    """The arithmetic of a client, with a step that can be spoiled."""

    def __init__(self, server, password="passwordA", user=USER_A, mechanism=MECHANISM, extensions=None):
        self.formatter = ScramFormatter(mechanism)
        self.server, self.password = server, password
        self.first = ClientFirstMessage(
            ScramFormatter.sasl_name(user), ScramFormatter.secure_random_string(), extensions or {})
        self.challenge = ServerFirstMessage.parse(server.evaluate_response(self.first.to_bytes()))

    def finish(self, nonce=None, proof=None):
        salted = self.formatter.salted_password(
            self.password, self.challenge.salt(), self.challenge.iterations())
        final = ClientFinalMessage(b"n,,", self.challenge.nonce() if nonce is None else nonce)
        final.set_proof(self.formatter.client_proof(salted, self.first, self.challenge, final)
                        if proof is None else proof)
        answer = ServerFinalMessage.parse(self.server.evaluate_response(final.to_bytes()))
        assert answer.server_signature() == self.formatter.server_signature(
            self.formatter.server_key(salted), self.first, self.challenge, final)


@pytest.mark.parametrize("mechanism", list(ScramMechanism))
def test_the_right_password(mechanism):
    server = new_server(mechanism, {"a,b=c": ScramFormatter(mechanism).generate_credential("p=1,2", 5000)})
    client = Client(server, "p=1,2", "a,b=c", mechanism, {"tokenauth": "false", "other": "x"})
    assert client.challenge.iterations() == 5000
    assert not server.is_complete()
    for ask in (server.get_authorization_id, lambda: server.get_negotiated_property("any")):
        with pytest.raises(IllegalStateException):
            ask()
    client.finish()
    assert server.is_complete() and server.get_authorization_id() == "a,b=c"
    assert server.get_mechanism_name() == mechanism.mechanism_name()
    assert server.get_negotiated_property("tokenauth") == "false"
    assert server.get_negotiated_property("other") is None
    assert server.get_negotiated_property("CREDENTIAL.LIFETIME.MS") is None
    with pytest.raises(IllegalSaslStateException):
        server.evaluate_response(b"more")
    server.dispose()


def test_a_wrong_password(sasl_server):
    with pytest.raises(SaslException, match="^Invalid client credentials$"):
        Client(sasl_server, "passwordB").finish()
    assert not sasl_server.is_complete()
    with pytest.raises(IllegalSaslStateException):
        sasl_server.evaluate_response(client_first_message(USER_A))


@pytest.mark.deviation("D184")
@pytest.mark.parametrize("nonce", [
    lambda challenge, first: first, lambda challenge, first: challenge + "x",
    lambda challenge, first: "another", lambda challenge, first: challenge[:-1]])
def test_a_proof_with_another_nonce_is_refused(sasl_server, nonce):
    """CVE-2024-56128: such a proof is right in itself, as the proof covers the nonce that is sent."""
    client = Client(sasl_server)
    with pytest.raises(SaslException, match="^Invalid client nonce in the final client message.$"):
        client.finish(nonce=nonce(client.challenge.nonce(), client.first.nonce()))
    assert not sasl_server.is_complete()


def test_a_nonce_with_the_client_s_part_twice_is_taken(sasl_server):
    """librdkafka sends that before 2.6.1; what the server has added is in it."""
    client = Client(sasl_server)
    client.finish(nonce=client.first.nonce() + client.challenge.nonce())
    assert sasl_server.is_complete()


@pytest.mark.parametrize("proof", [b"", b"x", b"x" * 31, b"x" * 33, b"x" * 32])
def test_a_proof_of_any_length_is_refused_alike(sasl_server, proof):
    with pytest.raises(SaslException, match="^Invalid client credentials$"):
        Client(sasl_server).finish(proof=proof)


@pytest.mark.parametrize("proof", [b"", b"x", b"x" * 31, b"x" * 33])
def test_a_proof_of_another_length_closes_the_connection_in_kafka(proof):
    """D186: the authenticator closes the connection without a response for any other exception."""
    sasl_server = new_server(kreactor_fidelity="strict")
    with pytest.raises(IllegalArgumentException, match="must be of the same length"):
        Client(sasl_server).finish(proof=proof)
    assert not sasl_server.is_complete()
    with pytest.raises(SaslException, match="^Invalid client credentials$"):
        Client(new_server(kreactor_fidelity="strict")).finish(proof=b"x" * 32)


@pytest.mark.deviation("D185")
def test_who_is_unknown_is_challenged_as_users_are(monkeypatch):
    first, second, other = (Client(new_server(), user=user) for user in ("nobody", "nobody", "no one"))
    assert first.challenge.salt() == second.challenge.salt() != other.challenge.salt()
    assert first.challenge.iterations() == 4096
    assert int(first.challenge.salt(), 36) < 1 << 130
    assert Client(new_server(ScramMechanism.SCRAM_SHA_512), user="nobody",
                  mechanism=ScramMechanism.SCRAM_SHA_512).challenge.salt() != first.challenge.salt()
    for client in (first, second, other):
        with pytest.raises(SaslException, match="^Invalid client credentials$"):
            client.finish()
    # Each of the two is compared once, and by what takes as long for any.
    compared = []
    monkeypatch.setattr(scram_sasl_server.hmac, "compare_digest",
                        lambda a, b: compared.append(len(a)) or a == b)
    for user in ("nobody", USER_B):
        with pytest.raises(SaslException):
            Client(new_server(), user=user).finish()
    assert compared == [32, 32]


@pytest.mark.parametrize(("message", "error"), [
    (b"\0userA\0passwordA", "Invalid SCRAM client first message format"),
    (b"y,,n=userA,r=x", "Invalid SCRAM client first message format"),
    (b"p=tls-unique,,n=userA,r=x", "Invalid SCRAM client first message format"),
    (b"n,,n=\xc3\xbc,r=x", "Invalid SCRAM client first message format"),
    (b"", "Invalid SCRAM client first message format"),
    (b"n,,n=weak,r=x", "Iterations 4095 is less than the minimum 4096 for SCRAM_SHA_256"),
    (b"n,,n=userA,r=x,tokenauth=true", "Token Authentication failed: Invalid tokenId : userA"),
])
def test_what_is_no_first_message(sasl_server, message, error):
    with pytest.raises(SaslException) as e:
        sasl_server.evaluate_response(message)
    assert str(e.value) == error


def test_a_handler_that_fails():
    class Handler:
        def handle(self, callbacks):
            raise ValueError("no")

    with pytest.raises(SaslException, match="^Authentication failed: Credentials could not be obtained$"):
        ScramSaslServer(MECHANISM, {}, Handler()).evaluate_response(client_first_message(USER_A))
    with pytest.raises(UnsupportedCallbackException):
        ScramServerCallbackHandler(CredentialCache.Cache(ScramCredential)).handle([PasswordCallback("")])


def test_the_factory():
    factory = ScramSaslServer.ScramSaslServerFactory()
    assert factory.get_mechanism_names({}) == ["SCRAM-SHA-256", "SCRAM-SHA-512"]
    with pytest.raises(SaslException, match="'PLAIN' is not supported. Supported mechanisms are "):
        factory.create_sasl_server("PLAIN", "kafka", "localhost", {}, None)


@settings(max_examples=100, database=None)
@given(st.lists(st.one_of(
    st.binary(max_size=200),
    st.sampled_from([b"n,,n=userA,r=x", b"n,a=userA,n=userA,r=y,a=b", b"n,,n=nobody,r=x"]),
    st.builds(lambda nonce, proof: b"c=biws,r=" + nonce + b",p=" + base64.b64encode(proof),
              st.sampled_from([b"x", b"y"]), st.binary(max_size=70))), max_size=4))
def test_any_messages_are_refused(messages):
    server = new_server()
    try:
        for message in messages:
            server.evaluate_response(message)
    except (SaslException, SaslAuthenticationException, IllegalSaslStateException):
        pass
    assert not server.is_complete()


def test_nothing_shows_a_credential():
    credential = CREDENTIALS[USER_A]
    shown = f"{credential} {credential!r} {new_server()!r} {Client(new_server()).first!r}"
    for secret in (credential.salt(), credential.stored_key(), credential.server_key()):
        assert secret.hex() not in shown and repr(secret)[2:-1] not in shown
