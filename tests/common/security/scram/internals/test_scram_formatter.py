# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.scram.internals.ScramFormatterTest
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
from __future__ import annotations

import base64

import pytest

from kreactor.common.security.scram.internals.scram_formatter import ScramFormatter
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.security.scram.internals.scram_messages import (
    ClientFinalMessage,
    ClientFirstMessage,
    ServerFinalMessage,
    ServerFirstMessage,
)
from kreactor.jdk.exceptions import IllegalArgumentException


def test_rfc7677_example():
    formatter = ScramFormatter(ScramMechanism.SCRAM_SHA_256)
    client_first = ClientFirstMessage.parse(b"n,,n=user,r=rOprNGfwEbeRWgbNEkqO")
    server_first = ServerFirstMessage.parse(
        b"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096")
    client_final = ClientFinalMessage.parse(
        b"c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
        b"p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=")
    server_final = ServerFinalMessage.parse(b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")

    assert client_first.sasl_name() == "user"
    assert client_first.nonce() == "rOprNGfwEbeRWgbNEkqO"
    assert server_first.nonce() == client_first.nonce() + "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
    assert server_first.salt() == base64.b64decode("W22ZaJ0SNY7soEsUEjb6gQ==")
    assert server_first.iterations() == 4096
    assert client_final.channel_binding() == b"n,,"
    assert server_final.server_signature() == base64.b64decode("6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")

    salted_password = formatter.salted_password("pencil", server_first.salt(), server_first.iterations())
    server_key = formatter.server_key(salted_password)
    assert client_final.proof() == formatter.client_proof(
        salted_password, client_first, server_first, client_final)
    assert server_final.server_signature() == formatter.server_signature(
        server_key, client_first, server_first, client_final)
    assert ScramMechanism.SCRAM_SHA_256.min_iterations() == 4096


@pytest.mark.parametrize("username", [
    "user1", "123", "1,2", "user=A", "user==B", "user,1", "user 1", ",", "=", ",=", "=="])
def test_sasl_name(username):
    sasl_name = ScramFormatter.sasl_name(username)
    assert "," not in sasl_name
    assert "=" not in sasl_name.replace("=2C", "").replace("=3D", "")
    assert ScramFormatter.username(sasl_name) == username


def test_what_is_no_name():
    with pytest.raises(IllegalArgumentException, match="Invalid username: a=b"):
        ScramFormatter.username("a=b")


def test_java_s_limits():
    formatter = ScramFormatter(ScramMechanism.SCRAM_SHA_512)
    with pytest.raises(IllegalArgumentException, match="Empty key"):
        formatter.salted_password("", b"salt", 4096)
    with pytest.raises(IllegalArgumentException, match="Empty key"):
        formatter.server_key(b"")
    with pytest.raises(IllegalArgumentException, match="same length"):
        formatter.xor(b"a", b"ab")
    assert len(formatter.salted_password("p", b"salt", 1)) == len(formatter.hash(b"")) == 64


def test_random_texts_are_of_130_bits_to_the_base_36():
    assert ScramFormatter.to_string(0) == "0" and ScramFormatter.to_string(36**2 + 35) == "10z"
    texts = {ScramFormatter.secure_random_string() for _ in range(50)}
    assert len(texts) == 50 and all(int(text, 36) < 1 << 130 for text in texts)
