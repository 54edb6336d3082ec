# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of ValidatorAccessTokenValidatorTest, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Tokens that are believed, and those that are not."""

from __future__ import annotations

import base64
import hashlib
import hmac
import itertools
import json
import sys
import time
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from hypothesis import given
from hypothesis import strategies as st

from kreactor.common.security.oauthbearer.internals.secured.jwks_file_verification_key_resolver import (
    JwksFileVerificationKeyResolver,
)
from kreactor.common.security.oauthbearer.internals.secured.validate_exception import ValidateException
from kreactor.common.security.oauthbearer.internals.secured.validator_access_token_validator import (
    ValidatorAccessTokenValidator,
)
from kreactor.jdk.jose import JwksVerificationKeyResolver, UnresolvableKeyException, VerificationKeyResolver
from tests.common.security.oauthbearer.internals.secured.access_token_builder import (
    CLAIMS,
    ISSUED_AT_S,
    SigningKey,
    ec_key,
    key_set,
    rsa_key,
)

SKEW_S = 30


def validator(resolver: VerificationKeyResolver | None = None, *, audiences: Any = frozenset(),
              issuer: str | None = None, scope: str = "scope",
              sub: str = "sub", skew_s: int = SKEW_S) -> ValidatorAccessTokenValidator:
    return ValidatorAccessTokenValidator(skew_s, audiences, issuer, resolver or rsa_key(), scope, sub)


def section(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def refused(token: str | None, by: ValidatorAccessTokenValidator | None = None) -> str:
    """Return why ``token`` is not believed."""
    with pytest.raises(ValidateException) as e:
        (by or validator()).validate(token)
    assert e.value.__cause__ is None
    for part in (token or "").split("."):
        assert not part.strip() or part not in str(e.value)
    return str(e.value)


def check_encryption_algorithm(key: SigningKey, algorithm: str | None = None) -> None:
    access_token = key.token(algorithm=algorithm)
    token = validator(key).validate(access_token)
    assert token.value() == access_token
    assert token.principal_name() == "jdoe"
    assert token.start_time_ms() == ISSUED_AT_S * 1000
    assert token.lifetime_ms() == (ISSUED_AT_S + 86_400) * 1000
    assert token.scope() == {"engineering"}


@pytest.mark.parametrize("algorithm", ["RS256", "RS384", "RS512", "PS256"])
def test_rsa_encryption_algorithm(algorithm: str) -> None:
    check_encryption_algorithm(rsa_key(), algorithm)


def test_ecdsa_encryption_algorithm() -> None:
    check_encryption_algorithm(ec_key())


def test_invalid_encryption_algorithm() -> None:
    _, payload, signature = rsa_key().token().split(".")
    assert refused(f"{section({'alg': 'fake'})}.{payload}.{signature}").endswith(
        "its algorithm is unknown, or none")


def test_missing_sub_should_be_valid() -> None:
    token = rsa_key().token(CLAIMS | {"sub": None, "client_id": "otherSub"})
    assert validator(sub="client_id").validate(token).principal_name() == "otherSub"


# -- ours: who has signed it ---------------------------------------------------------------------------


def test_a_key_of_somebody_else() -> None:
    assert refused(rsa_key("other").token()).endswith("InvalidSignatureError")
    assert refused(ec_key("other").token(), validator(ec_key())).endswith("InvalidSignatureError")


@pytest.mark.parametrize("name", ["none", "None", "NONE", "nOnE", "", None, 7, []])
def test_no_signature_is_none(name: object) -> None:
    header = {} if name is None else {"alg": name}
    for signature in ("", "c2ln"):
        refused(f"{section(header)}.{section(CLAIMS)}.{signature}")


def test_a_public_key_is_no_secret() -> None:
    """The public part of a key of RSA or of a curve signs nothing, in any encoding."""
    for key in (rsa_key(), ec_key()):
        public = key.private.public_key()
        der, pem = (public.public_bytes(encoding, serialization.PublicFormat.SubjectPublicKeyInfo)
                    for encoding in (serialization.Encoding.DER, serialization.Encoding.PEM))
        for secret in (der, pem, pem.strip(), json.dumps(key.jwk).encode()):
            signed = f"{section({'alg': 'HS256', 'kid': 'key'})}.{section(CLAIMS)}"
            signature = base64.urlsafe_b64encode(
                hmac.new(secret, signed.encode(), hashlib.sha256).digest()).decode().rstrip("=")
            token = f"{signed}.{signature}"
            assert refused(token, validator(key)).endswith("its algorithm does not fit the key")
            assert refused(token, validator(JwksVerificationKeyResolver(key_set(key)))).endswith(
                "Unable to find a suitable verification key")


def test_a_secret_that_both_know() -> None:
    secret = base64.urlsafe_b64encode(b"s" * 32).decode().rstrip("=")
    keys = JwksVerificationKeyResolver(json.dumps({"keys": [{"kty": "oct", "k": secret, "kid": "key"}]}))
    token = jwt.encode(CLAIMS, b"s" * 32, "HS256")
    assert validator(keys).validate(token).principal_name() == "jdoe"
    short = JwksVerificationKeyResolver(json.dumps({"keys": [{"kty": "oct", "k": secret[:20]}]}))
    assert refused(token, validator(short)).endswith("its algorithm does not fit the key")


def test_a_short_key() -> None:
    header = {"alg": "RS256"}
    token = f"{section(header)}.{section(CLAIMS)}.c2ln"
    assert refused(token, validator(rsa_key("short", 1024))).endswith("its algorithm does not fit the key")


def test_what_must_be_understood() -> None:
    refused(rsa_key().token(crit=["exp"]))


def test_bytes_that_were_changed() -> None:
    token = rsa_key().token()
    header, payload, signature = token.split(".")
    refused(f"{header}.{section(CLAIMS | {'sub': 'admin'})}.{signature}")
    refused(f"{section({'alg': 'RS384', 'kid': 'key'})}.{payload}.{signature}")
    for other in (token + "=", token + "!", token.replace(".", ".\x00"), f"{token}.{signature}"):
        refused(other)
    assert validator().validate(f" {token}\n").value() == token


# -- ours: for whom, and until when ---------------------------------------------------------------------


@pytest.mark.deviation("D194")
@pytest.mark.parametrize(("claims", "why"), [
    ({"exp": ISSUED_AT_S - SKEW_S - 1, "iat": ISSUED_AT_S - 100}, "it has expired"),
    ({"nbf": ISSUED_AT_S + 3000}, "it is not valid yet"),
    ({"exp": None}, "MissingRequiredClaimError"), ({"iat": None}, "MissingRequiredClaimError"),
    ({"exp": "9999999999"}, "the 'exp' claim is not a time"),
    ({"exp": True, "iat": 0}, "the 'exp' claim is not a time"),
    ({"iat": "0"}, "the 'iat' claim is not a time"), ({"iat": [0]}, "the 'iat' claim is not a time"),
    ({"exp": 10 ** 40}, "the 'exp' claim is too large"), ({"exp": float("inf")}, "it is not JSON"),
    ({"iat": ISSUED_AT_S + 90_000}, "it expires before it begins"),
    ({"aud": "them"}, "InvalidAudienceError"), ({"aud": ["them", "others"]}, "InvalidAudienceError"),
    ({"sub": None}, "sub value must be non-null"),
    ({"sub": " "}, "sub value must not contain only whitespace"),
    ({"sub": "\ud800"}, "sub value must be text"),
    ({"scope": ["a", "a "]}, "scope value must not contain duplicates"),
    ({"scope": ["a", 7]}, "scope value must be text"), ({"scope": " "}, "must not contain only whitespace"),
    ({"iat": -1}, "iat value must be null or non-negative"),
    ({"nbf": "x"}, "the 'nbf' claim is not a time"),
    ({"nbf": ISSUED_AT_S + 86_401}, "it expires before it begins"),
    ({"aud": ""}, "its audience is another one"), ({"aud": []}, "its audience is another one"),
    ({"sub": 7}, "the 'sub' claim is not text"), ({"jti": 7}, "the 'jti' claim is not text"),
])
def test_claims_that_are_not_believed(claims: dict[str, Any], why: str) -> None:
    assert why in refused(rsa_key().token(CLAIMS | claims))


def signed(header: str, claims: str) -> str:
    """Return a token of texts that need not be JSON."""
    head = ".".join(base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in (header, claims))
    algorithm = jwt.algorithms.RSAAlgorithm(jwt.algorithms.RSAAlgorithm.SHA256)
    signature = algorithm.sign(head.encode(), rsa_key().private)
    return f"{head}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}"


HEADER, PAYLOAD = '{"alg":"RS256"}', json.dumps(CLAIMS)


@pytest.mark.parametrize(("header", "claims", "why"), [
    # A reader that takes the first of two and one that takes the last see two tokens.
    (HEADER, PAYLOAD[:-1] + ',"sub":"bob"}', "it has a duplicate name"),
    (HEADER, PAYLOAD[:-1] + ',"x":{"a":1,"a":1}}', "it has a duplicate name"),
    ('{"alg":"none","alg":"RS256"}', PAYLOAD, "it has a duplicate name"),
    (HEADER, PAYLOAD[:-1] + ',"x":NaN}', "it is not JSON"),
    (HEADER, PAYLOAD[:-1] + ',"iss":["us"]}', "the 'iss' claim is not text"),
    (HEADER, PAYLOAD[:-1] + ',"x":-Infinity}', "it is not JSON"),
    (HEADER, PAYLOAD + "x", "it is not JSON"), (HEADER + "x", PAYLOAD, "it is not JSON"),
    (HEADER, "[1]", "it is not an object"), ("[]", PAYLOAD, "it is not an object"),
    ('{"alg":"RS256","cty":"JWT"}', PAYLOAD, "it is nested in another token"),
    ('{"alg":"RS256","cty":"application/jwt"}', PAYLOAD, "it is nested in another token"),
], ids=itertools.count())  # the texts have the time in them, which differs between workers
def test_json_that_is_not_believed(header: str, claims: str, why: str) -> None:
    assert refused(signed(header, claims)).endswith(why)


def test_json_that_is_believed() -> None:
    assert validator().validate(signed(HEADER, PAYLOAD)).principal_name() == "jdoe"
    assert validator().validate(signed('{"alg":"RS256","cty":"x"}', PAYLOAD)).principal_name() == "jdoe"
    with_nulls = PAYLOAD[:-1] + ',"nbf":null,"jti":null,"iss":null,"aud":null}'
    assert validator().validate(signed(HEADER, with_nulls)).principal_name() == "jdoe"
    other_name = json.dumps(CLAIMS | {"sub": None, "client_id": "c"})
    assert validator(sub="client_id").validate(signed(HEADER, other_name)).principal_name() == "c"


def test_only_what_java_calls_blank_is_cut_off() -> None:
    for name in ("\u00a0", "\u2003a", "a\u0085"):
        assert validator().validate(rsa_key().token(CLAIMS | {"sub": f" {name}\t"})).principal_name() == name


def test_clocks_may_differ() -> None:
    late = CLAIMS | {"iat": ISSUED_AT_S - 100, "exp": ISSUED_AT_S - 1}
    assert validator(skew_s=3600).validate(rsa_key().token(late)).principal_name() == "jdoe"
    for claims in ({"nbf": ISSUED_AT_S + SKEW_S}, {"iat": ISSUED_AT_S + 1000}):
        assert validator().validate(rsa_key().token(CLAIMS | claims)).principal_name() == "jdoe"
    soon = rsa_key().token(CLAIMS | {"nbf": int(time.time()) + 1800})
    assert validator(skew_s=3600).validate(soon).principal_name() == "jdoe"
    with pytest.raises(ValidateException, match="it is not valid yet"):
        validator(skew_s=600).validate(soon)


def test_a_token_without_a_scope() -> None:
    """It is believed: who may do what is for an authorizer to say."""
    for scope in (None, 7, {"a": "b"}):
        assert validator().validate(rsa_key().token(CLAIMS | {"scope": scope})).scope() == frozenset()
    assert validator(scope="scp").validate(rsa_key().token(CLAIMS | {"scp": ["a", " b "]})).scope() == {
        "a", "b"}


def test_audiences() -> None:
    for_us = validator(audiences={"us", "you"})
    for audience in ("us", ["them", "you"]):
        assert for_us.validate(rsa_key().token(CLAIMS | {"aud": audience})).principal_name() == "jdoe"
    for audience in ("them", ["them"], [], None, 7, ["us", 7]):
        refused(rsa_key().token(CLAIMS | {"aud": audience}), for_us)


def test_issuers() -> None:
    from_us = validator(issuer="https://us")
    assert from_us.validate(rsa_key().token(CLAIMS | {"iss": "https://us"})).principal_name() == "jdoe"
    for issuer in ("https://us/", "HTTPS://us", "", None):
        refused(rsa_key().token(CLAIMS | {"iss": issuer}), from_us)


# -- ours: sets of keys ----------------------------------------------------------------------------------


def test_the_key_that_is_named() -> None:
    one, other, third = rsa_key("one"), rsa_key("other"), ec_key("third")
    keys = validator(JwksVerificationKeyResolver(key_set(one, other, third)))
    for key in (one, other, third):
        assert keys.validate(key.token()).principal_name() == "jdoe"
    assert refused(one.token(kid="unknown"), keys).endswith("Unable to find a suitable verification key")
    assert refused(one.token(kid="third"), keys).endswith("Unable to find a suitable verification key")
    assert refused(one.token(kid="other"), keys).endswith("InvalidSignatureError")
    # Without a name, the first of its type is taken.
    assert keys.validate(one.token(kid=None)).principal_name() == "jdoe"
    assert keys.validate(third.token(kid=None)).principal_name() == "jdoe"
    assert refused(other.token(kid=None), keys).endswith("InvalidSignatureError")


@pytest.mark.parametrize("parameters", [{"use": "enc"}, {"key_ops": ["sign"]}, {"key_ops": "verify"},
                                        {"x5t": "other"}])
def test_keys_for_something_else(parameters: dict[str, Any]) -> None:
    keys = JwksVerificationKeyResolver(json.dumps({"keys": [rsa_key().jwk | parameters]}))
    with pytest.raises(UnresolvableKeyException):
        keys.resolve_key({"alg": "RS256", "x5t": "this"})


def test_a_set_may_have_what_nobody_understands() -> None:
    private = jwt.algorithms.RSAAlgorithm.to_jwk(rsa_key().private, as_dict=True)
    private.pop("key_ops")
    text = json.dumps({"keys": [
        {"kty": "new"}, {"kty": "RSA"}, {"kty": "EC", "crv": "P-0"}, {"kty": ["RSA"]}, "key", None,
        rsa_key("b").jwk | {"alg": "PS256"}, private | {"alg": "RS256"}]})
    # The private half verifies as the public one does.
    assert validator(JwksVerificationKeyResolver(text)).validate(rsa_key().token(kid=None)).value()


@pytest.mark.parametrize("text", ["", "[", "[]", "{}", '{"keys": {}}', "[" * 100_000, "7"], ids=range(7))
def test_what_is_no_set(tmp_path: Path, text: str) -> None:
    file = tmp_path / "keys"
    file.write_text(text)
    with pytest.raises(OSError, match="a set of keys must"):
        JwksFileVerificationKeyResolver(file).init()


def test_a_file_is_read_once(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text(key_set(rsa_key("old")))
    resolver = JwksFileVerificationKeyResolver(file)
    refused(rsa_key("old").token(), validator(resolver))
    resolver.init()
    file.write_text(key_set(rsa_key("new")))
    assert validator(resolver).validate(rsa_key("old").token()).value()
    refused(rsa_key("new").token(), validator(resolver))
    resolver.init()
    assert validator(resolver).validate(rsa_key("new").token()).value()
    refused(rsa_key("old").token(), validator(resolver))
    file.write_bytes(b"\xff")
    with pytest.raises(OSError, match="is not UTF-8"):
        resolver.init()


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jwt", None)
    with pytest.raises(ImportError, match="needs the extra oauth: "):
        JwksVerificationKeyResolver('{"keys": []}')


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
                    lambda inner: st.lists(inner, max_size=3)
                    | st.dictionaries(st.sampled_from(["alg", "kid", "crit", "exp", "iat", "sub", "aud"]),
                                      inner, max_size=4), max_leaves=8)


@given(JSON, JSON)
def test_any_token(header: object, claims: object) -> None:
    for head in (header, {"alg": "RS256", "kid": header}, {"alg": "RS256"}):
        refused(f"{section(head)}.{section(claims)}.c2ln")


@given(st.dictionaries(st.sampled_from(["exp", "iat", "nbf", "sub", "aud", "iss", "jti", "scope"]), JSON))
def test_any_claims_with_a_good_signature(claims: dict[str, Any]) -> None:
    try:
        signed = rsa_key().token(claims)
    except (TypeError, ValueError):
        return  # PyJWT makes no such token
    try:
        assert validator().validate(signed).principal_name().strip()
    except ValidateException:
        pass
