# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of OAuthBearerUnsecuredJwsTest, of the package
# org.apache.kafka.common.security.oauthbearer.internals.unsecured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Tokens without a signature: what their claims become."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_illegal_token_exception import (
    OAuthBearerIllegalTokenException,
)
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_unsecured_jws import (
    OAuthBearerUnsecuredJws,
)
from kreactor.jdk.exceptions import IllegalArgumentException


def encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


HEADER_COMPACT_SERIALIZATION = encoded('{"alg":"none"}') + "."


def compact(claims_json: str) -> str:
    return f"{HEADER_COMPACT_SERIALIZATION}{encoded(claims_json)}."


def compact_serialization(subject: str | None, issued_at: int | None, expiration_time: int | None,
                          scope: list[str] | None) -> str:
    claims = {"sub": subject, "iat": issued_at, "exp": expiration_time, "scope": scope}
    return compact(json.dumps({name: value for name, value in claims.items() if value is not None}))


def test_valid_claims() -> None:
    issued_at_seconds = 100.1
    expiration_time_seconds = 300.3
    compact_serialization = compact(
        f'{{"sub":"SUBJECT","iat":{issued_at_seconds},"exp":{expiration_time_seconds}}}')
    test_jwt = OAuthBearerUnsecuredJws(compact_serialization, "sub", "scope")
    assert test_jwt.value() == compact_serialization
    assert test_jwt.principal_claim_name() == "sub"
    assert len(test_jwt.header()) == 1
    assert test_jwt.header()["alg"] == "none"
    assert test_jwt.scope_claim_name() == "scope"
    assert test_jwt.expiration_time() == expiration_time_seconds
    assert test_jwt.is_claim_type("exp", float)
    assert test_jwt.issued_at() == issued_at_seconds
    assert test_jwt.subject() == "SUBJECT"


def test_valid_compact_serialization() -> None:
    subject = "foo"
    issued_at = 100
    expiration_time = issued_at + 60 * 60
    scope = ["scopeValue1", "scopeValue2"]
    valid_compact_serialization = compact_serialization(subject, issued_at, expiration_time, scope)
    jws = OAuthBearerUnsecuredJws(valid_compact_serialization, "sub", "scope")
    assert len(jws.header()) == 1
    assert jws.header()["alg"] == "none"
    assert len(jws.claims()) == 4
    assert jws.claims()["sub"] == subject
    assert jws.principal_name() == subject
    assert jws.claims()["iat"] == issued_at
    assert jws.claims()["exp"] == expiration_time
    assert jws.lifetime_ms() == expiration_time * 1000
    assert jws.claims()["scope"] == scope
    assert jws.scope() == set(scope)
    assert len(jws.splits()) == 3
    assert jws.splits()[0] == valid_compact_serialization.split(".")[0]
    assert jws.splits()[1] == valid_compact_serialization.split(".")[1]
    assert jws.splits()[2] == ""


def test_missing_principal() -> None:
    valid_compact_serialization = compact_serialization(None, 100, None, ["scopeValue1", "scopeValue2"])
    with pytest.raises(OAuthBearerIllegalTokenException):
        OAuthBearerUnsecuredJws(valid_compact_serialization, "sub", "scope")


def test_blank_principal_name() -> None:
    valid_compact_serialization = compact_serialization(
        "   ", 100, 100 + 60 * 60, ["scopeValue1", "scopeValue2"])
    with pytest.raises(OAuthBearerIllegalTokenException):
        OAuthBearerUnsecuredJws(valid_compact_serialization, "sub", "scope")


# -- cases of our own ----------------------------------------------------------------------------------


def jws(principal_claim_name: str = "sub", scope_claim_name: str = "scope",
        **claims: Any) -> OAuthBearerUnsecuredJws:
    return OAuthBearerUnsecuredJws(
        compact(json.dumps({"sub": "alice", "exp": 3} | claims)), principal_claim_name, scope_claim_name)


@pytest.mark.parametrize(("seconds", "ms"), [
    # 1.001 * 1000 is 1000.9999999999999 in doubles.
    (1.001, 1001), (0.0005, 1), (0.00049, 0), (-1.0015, -1001), (-1.001, -1001),
    (1e300, 2**63 - 1), (-1e300, -2**63),
])
def test_times_are_rounded_to_milliseconds(seconds: float, ms: int) -> None:
    assert jws(exp=seconds).lifetime_ms() == ms
    assert jws(iat=seconds).start_time_ms() == ms


def test_claim_names_are_trimmed() -> None:
    test_jwt = jws(" name\t", "\n roles ", name="bob", roles="a")
    assert test_jwt.principal_name() == "bob"
    assert test_jwt.scope() == {"a"}
    assert (test_jwt.principal_claim_name(), test_jwt.scope_claim_name()) == ("name", "roles")


@pytest.mark.parametrize(("principal_claim_name", "scope_claim_name", "kind"), [
    (" ", "scope", "principal"), ("sub", "\t", "scope"),
])
def test_claim_names_that_are_blank(principal_claim_name: str, scope_claim_name: str, kind: str) -> None:
    with pytest.raises(IllegalArgumentException, match=f"^Must specify a non-blank {kind} claim name$"):
        jws(principal_claim_name, scope_claim_name)


def test_elements_of_a_list_are_the_texts_of_json() -> None:
    test_jwt = jws(scope=[1, 2.5, 1e10, True, None, "x ", {"a": 1}, [2]])
    assert test_jwt.claims()["scope"] == ["1", "2.5", "1.0E10", "true", "null", "x ", "", ""]
    assert test_jwt.scope() == {"1", "2.5", "1.0E10", "true", "null", "x"}


@pytest.mark.parametrize("encoding", [
    "utf-8", "utf-8-sig", "utf-16-be", "utf-16-le", "utf-32-be", "utf-32-le"])
def test_the_encoding_of_claims_is_found(encoding: str) -> None:
    payload = base64.b64encode('{"sub":"\u00e9","exp":1}'.encode(encoding)).decode()
    test_jwt = OAuthBearerUnsecuredJws(f"{HEADER_COMPACT_SERIALIZATION}{payload}.", "sub", "scope")
    assert test_jwt.principal_name() == "\u00e9"


@pytest.mark.parametrize("claims", [
    # The most that the original's parser takes: digits of a number, sign, point and e apart; and of a name.
    '"exp": ' + "9" * 1000, '"exp": -9' + "0" * 998 + ".5", '"exp": 9' + "0" * 996 + ".5e+20",
    '"exp": 1, "' + "n" * 50_000 + '": 1',
])
def test_how_long_numbers_and_names_may_be(claims: str) -> None:
    OAuthBearerUnsecuredJws(compact(f'{{"sub": "a", {claims}}}'), "sub", "scope")
    longer = claims.replace("9", "99").replace("nn", "nnn", 1)
    with pytest.raises(OAuthBearerIllegalTokenException, match="^malformed JSON$"):
        OAuthBearerUnsecuredJws(compact(f'{{"sub": "a", {longer}}}'), "sub", "scope")


@pytest.mark.parametrize(("compact_serialization", "message"), [
    ("a..b", "Malformed compact serialization contains '..'"),
    ("", "Unsecured JWS compact serializations must have 3 dot-separated Base64URL-encoded values"),
    (f"{HEADER_COMPACT_SERIALIZATION}e30", "Unsecured JWS compact serializations must have 3 dot-separated "
                                           "Base64URL-encoded values"),
    (f"{HEADER_COMPACT_SERIALIZATION}e30.c2ln.", "Unsecured JWS compact serializations must have 3 "
                                                 "dot-separated Base64URL-encoded values"),
    (f"{HEADER_COMPACT_SERIALIZATION}e3-.", "malformed Base64 URL encoded value"),
    (f"{HEADER_COMPACT_SERIALIZATION}{encoded('{')}.", "malformed JSON"),
    (f"{encoded('{}')}.e30.", "Unsecured JWS must have 'none' for an algorithm"),
    (f"{HEADER_COMPACT_SERIALIZATION}e30.c2ln", "Unsecured JWS must not contain a digital signature"),
    (compact('{"exp": "soon"}'), "The 'exp' claim was not of type Number: String"),
    (compact('{"sub": "a"}'), "No expiration time in JWT"),
    (compact('{"exp": 1}'), "No principal name in JWT claim: sub"),
    (compact('{"exp": 1, "sub": ["a"]}'), "The 'sub' claim was not of type String: ArrayList"),
    (compact('{"exp": 1, "scope": 3}'), "The 'scope' claim was not of type List: Integer"),
    (compact('{"exp": 1, "scope": 3.5}'), "The 'scope' claim was not of type List: Double"),
    (compact('{"exp": ' + "9" * 1001 + "}"), "malformed JSON"),
])
def test_why_a_token_is_none(compact_serialization: str, message: str) -> None:
    with pytest.raises(OAuthBearerIllegalTokenException) as e:
        OAuthBearerUnsecuredJws(compact_serialization, "sub", "scope")
    assert str(e.value) == message
    reason = e.value.reason()
    assert not reason.success() and reason.failure_description() == message
    assert reason.failure_scope() is None and reason.failure_open_id_config() is None
