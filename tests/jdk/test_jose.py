# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Sets of keys: what is not understood is ignored, and logged without its content."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kreactor.jdk.jose import JwksVerificationKeyResolver, UnresolvableKeyException
from tests.common.security.oauthbearer.internals.secured.access_token_builder import rsa_key


@pytest.mark.parametrize(("key", "why"), [
    ({"kty": "RSA", "kid": "k1", "n": "!sEcret", "e": "AQAB"}, "the key 'k1' of a key set: "),
    ({"kty": "RSA", "kid": "k1", "n": "sEcret"}, "the key 'k1' of a key set: "),
    ({"kty": "oct", "kid": "k1", "key": "sEcret"}, "the key 'k1' of a key set: "),
    ({"kty": "XYZ", "kid": "k1", "k": "sEcret"}, "its type 'XYZ' or its curve None is unknown"),
    ({"kty": "EC", "kid": "k1", "crv": "P-1", "x": "sEcret"}, ""),
    ("sEcret", "an element of a key set: it is not an object of JSON"),
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
