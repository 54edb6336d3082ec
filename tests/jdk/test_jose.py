# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Sets of keys: what is not understood is ignored, and logged without its content."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kreactor.jdk.jose import JwksVerificationKeyResolver, UnresolvableKeyException
from tests.common.security.oauthbearer.internals.secured.access_token_builder import ec_key, rsa_key


@pytest.mark.parametrize(("key", "why"), [
    ({"kty": "RSA", "kid": "k1", "n": "!sEcret", "e": "AQAB"}, "the key 'k1' of a key set: "),
    ({"kty": "RSA", "kid": "k1", "n": "sEcret"}, "the key 'k1' of a key set: "),
    ({"kty": "oct", "kid": "k1", "key": "sEcret"}, "the key 'k1' of a key set: "),
    ({"kty": "XYZ", "kid": "k1", "k": "sEcret"}, "its type 'XYZ' or its curve None is unknown"),
    ({"kty": "EC", "kid": "k1", "crv": "P-1", "x": "sEcret"}, ""),
    ("sEcret", "an element of a key set: it is not a JSON object"),
])
def test_a_key_that_is_not_understood(caplog: pytest.LogCaptureFixture, key: Any, why: str) -> None:
    good = rsa_key("good")
    resolver = JwksVerificationKeyResolver(json.dumps({"keys": [key, good.jwk]}))
    [record] = caplog.records
    assert record.levelname == "WARNING" and record.name == "kreactor.jdk.jose"
    assert record.getMessage().startswith("Ignoring ") and why in record.getMessage()
    assert "sEcret" not in caplog.text
    assert resolver.resolve_key({"alg": "RS256", "kid": "good"}).parameters["kid"] == "good"
    with pytest.raises(UnresolvableKeyException):
        resolver.resolve_key({"alg": "RS256", "kid": "k1"})


def test_a_set_that_is_understood_logs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    JwksVerificationKeyResolver(json.dumps({"keys": [rsa_key("good").jwk]}))
    assert not caplog.records


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "[]", "{}", '{"keys": 1}'], ids=range(6))
def test_what_is_no_set_of_keys(text: str) -> None:
    with pytest.raises(ValueError, match="^a set of keys must "):
        JwksVerificationKeyResolver(text)


def test_which_key_takes_which_algorithm() -> None:
    """The only key of a type is found, as jose4j finds it, and need not be one for the algorithm."""
    short, curve = rsa_key("short", 1024), ec_key()
    keys = JwksVerificationKeyResolver(json.dumps({"keys": [short.jwk, curve.jwk]}))
    found = keys.resolve_key({"alg": "RS256"})
    assert found.parameters["kid"] == "short" and found.takes("RS256") is False
    assert rsa_key("good").resolve_key().takes("RS256") is True
    found = keys.resolve_key({"alg": "ES384"})
    assert found.parameters["crv"] == "P-256"
    assert found.takes("ES256") and not found.takes("ES384") and not found.takes("none")
