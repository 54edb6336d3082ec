# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Tokens without a signature, and the server that takes them."""

from __future__ import annotations

import base64
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.common.errors import SaslAuthenticationException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.security.authenticator.sasl_internal_configs import SaslInternalConfigs
from kreactor.common.security.jaas_config import JaasConfig
from kreactor.common.security.oauthbearer.internals.o_auth_bearer_sasl_server import OAuthBearerSaslServer
from kreactor.common.security.oauthbearer.internals.unsecured import (
    o_auth_bearer_unsecured_validator_callback_handler as handlers,
)
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.sasl import SaslException
from kreactor.testing.mock_time import MockTime

NOW_S = 1_000_000
GOOD = {"sub": "alice", "iat": NOW_S - 10, "exp": NOW_S + 10}
LIFETIME = SaslInternalConfigs.CREDENTIAL_LIFETIME_MS_SASL_NEGOTIATED_PROPERTY_KEY


def server(options=""):
    handler = handlers.OAuthBearerUnsecuredValidatorCallbackHandler()
    handler.time(MockTime(0, NOW_S * 1000, 0))
    jaas = JaasConfig("c", f"OAuthBearerLoginModule required {options};")
    handler.configure({}, "OAUTHBEARER", jaas.get_app_configuration_entry("c"))
    return OAuthBearerSaslServer(handler)


def encoded(value):
    return base64.b64encode(json.dumps(value).encode()).decode().rstrip("=")


def message(claims=GOOD, header={"alg": "none"}, signature="", authzid="", scheme="Bearer", extra=""):
    token = f"{encoded(header)}.{encoded(claims)}.{signature}"
    return f"n,{authzid and 'a=' + authzid},\x01auth={scheme} {token}\x01{extra}\x01".encode()


def test_a_token_that_is_believed():
    sasl_server = server()
    with pytest.raises(IllegalStateException):
        sasl_server.get_authorization_id()
    assert sasl_server.evaluate_response(message(authzid="alice", extra="key=a value\x01")) == b""
    assert sasl_server.is_complete() and sasl_server.get_authorization_id() == "alice"
    assert sasl_server.get_negotiated_property(LIFETIME) == (NOW_S + 10) * 1000
    assert sasl_server.get_negotiated_property("key") == "a value"
    sasl_server.dispose()
    assert not sasl_server.is_complete()


@pytest.mark.deviation("D180", "D257")
@pytest.mark.parametrize(("bad", "options"), [
    ({"header": {"alg": "HS256"}}, ""), ({"header": {}}, ""), ({"header": []}, ""), ({"header": None}, ""),
    ({"signature": "c2ln"}, ""),
    ({"claims": {"sub": "alice"}}, ""), ({"claims": GOOD | {"exp": "soon"}}, ""),
    ({"claims": GOOD | {"exp": True}}, ""), ({"claims": GOOD | {"sub": 7}}, ""),
    ({"claims": GOOD | {"sub": " "}}, ""), ({"claims": GOOD | {"sub": "\ud800"}}, ""),
    ({"claims": GOOD | {"exp": NOW_S}}, ""), ({"claims": GOOD | {"iat": NOW_S + 1}}, ""),
    ({"claims": GOOD | {"exp": float("inf")}}, ""), ({"claims": [GOOD]}, ""),
    ({"claims": GOOD | {"iat": NOW_S + 5, "exp": NOW_S + 4}},
     'unsecuredValidatorAllowableClockSkewMs="9000"'),
    ({}, 'unsecuredValidatorPrincipalClaimName="name"'),
])
def test_tokens_that_are_not_believed(bad, options):
    sasl_server = server(options)
    assert sasl_server.evaluate_response(message(**bad)) == b'{"status":"invalid_token"}'
    assert not sasl_server.is_complete()
    with pytest.raises(SaslAuthenticationException, match="invalid_token"):
        sasl_server.evaluate_response(b"\x01")


def test_options():
    late = GOOD | {"exp": NOW_S - 1, "name": "bob", "roles": ["a", "b "]}
    options = ('unsecuredValidatorAllowableClockSkewMs="2000" unsecuredValidatorPrincipalClaimName=name '
               'unsecuredValidatorScopeClaimName=roles unsecuredValidatorRequiredScope="a b"')
    sasl_server = server(options)
    assert sasl_server.evaluate_response(message(late)) == b""
    assert sasl_server.get_authorization_id() == "bob"
    assert server(options).evaluate_response(message(late | {"roles": "a"})) == (
        b'{"status":"insufficient_scope", "scope":"[a, b]"}')


@pytest.mark.deviation("D181")
@pytest.mark.parametrize("options", ['unsecuredValidatorRequiredScope="\\""',
                                     'unsecuredValidatorAllowableClockSkewMs="-1"',
                                     'unsecuredValidatorAllowableClockSkewMs="x"'])
def test_options_that_cannot_be(options):
    with pytest.raises(KafkaException):
        server(options)


@pytest.mark.deviation("D180")
@pytest.mark.parametrize("response", [
    b"", b"\x01", b"n,,\x01\x01", b"y,,\x01auth=Bearer a\x01\x01", b"n,,\x01auth=Bearer\x01\x01",
    b"n,,\x01other=Bearer a\x01\x01", message(scheme="Basic"), message()[:-1], b"\xff" * 30,
])
def test_messages_that_are_none(response):
    with pytest.raises(SaslException) as e:
        server().evaluate_response(response)
    assert "Bearer" not in str(e.value)


def test_an_authorization_id_of_somebody_else():
    with pytest.raises(SaslAuthenticationException, match="different from the token's principal name"):
        server().evaluate_response(message(authzid="bob"))


@pytest.mark.parametrize("claims", ["[" * 100_000, '{"exp":' + "9" * 10_000 + ',"sub":"a"', "{", "", "\0"])
def test_json_that_is_too_much_or_too_little(claims):
    token = f"{encoded({'alg': 'none'})}.{base64.b64encode(claims.encode()).decode().rstrip('=')}."
    assert server().evaluate_response(f"n,,\x01auth=Bearer {token}\x01\x01".encode()) == (
        b'{"status":"invalid_token"}')


def test_a_time_without_end_is_as_long_as_a_number_goes():
    sasl_server = server()
    sasl_server.evaluate_response(message(GOOD | {"exp": 10 ** 300}))
    assert sasl_server.get_negotiated_property(LIFETIME) == (1 << 63) - 1


END = "99999999999"
# Levels of JSON that are read, and that are not. PyPy measures its stack in bytes, of which compiled
# functions take fewer.
FLAT, DEEP = (900, 1000) if sys.implementation.name == "cpython" else (300, 20_000)
# Claims that Kafka 3.8.0 takes, and those that it refuses, asked over the wire.
TAKEN = [
    '{"sub":"a","exp":%s} ]', '\ufeff{"sub":"a","exp":%s}', '{"sub":"\\u0061\\/","exp":%s}',
    '{"sub":"a","exp":1,"exp":%s}', '{"sub":"\u00a0","exp":%s}', '{"sub":null,"exp":%s}',
    '{"sub":true,"exp":%s}',
    '{"sub":"\u00e9","exp":%s}', '{"sub":"a","exp":%s,"scope":{}}',
    '{"sub":"a","exp":%s,"scope":[1,null,{},"a"]}',
    '{"sub":"a","exp":%s,"scope":true}', '{"sub":"a","exp":%s,"scope":"a b"}',
    '{"sub":"a","exp":%s,"scope":[[1]]}',
    '{"sub":"a","exp":1e400,"x":%s}', '{"sub":"a","exp":1e20,"x":%s}', '{"sub":"a","exp":%s.5}',
    '{"a":' + "[" * FLAT + "]" * FLAT + ',"sub":"a","exp":%s}',
]
REFUSED = [
    '{"sub":"a","exp":%s,"exp":1}', '{"sub":"a","exp":"%s"}', '{"sub":"a","exp":null,"x":%s}',
    '{"sub":"a","exp":[%s]}', '{"sub":"a","exp":true,"x":%s}', '{"sub":"a","exp":NaN,"x":%s}',
    '{"sub":"a","exp":0%s}', '{"sub":"a","exp":+%s}', '{"sub":"a","exp":%s.}', '{"sub":"a","exp":-%s}',
    '{"sub":"a","exp":%s,"iat":"x"}', '{"sub":"a","exp":%s,"iat":%s}', '{"sub":7,"exp":%s}',
    '{"sub":"  ","exp":%s}', '{"sub":"\\u0001","exp":%s}', '{"sub":{},"exp":%s}', '{"sub":["a"],"exp":%s}',
    '{"sub":"a","exp":%s,"scope":3}', '[%s]', "%s", " ", "", '"x"',
    '{"sub":"a\nb","exp":%s}', "{'sub':'a','exp':%s}",
    '/*x*/{"sub":"a","exp":%s}', '{"sub":"a","exp":%s,}', '{"sub":"\\x","exp":%s}',
    '{"a":' + "[" * DEEP + "]" * DEEP + ',"sub":"a","exp":%s}',
]


@pytest.mark.parametrize("claims", TAKEN)
def test_claims_that_kafka_takes(claims):
    assert answer(claims) == b""


@pytest.mark.parametrize("claims", REFUSED)
def test_claims_that_kafka_refuses(claims):
    assert answer(claims) == b'{"status":"invalid_token"}'


def answer(claims):
    payload = base64.b64encode(claims.replace("%s", END).encode()).decode().rstrip("=")
    token = f"{encoded({'alg': 'none'})}.{payload}."
    return server().evaluate_response(f"n,,\x01auth=Bearer {token}\x01\x01".encode())


@given(st.text(alphabet="abcIQ.=/+-_ ", max_size=60))
def test_any_token(token):
    sasl_server = server()
    try:
        assert sasl_server.evaluate_response(f"n,,\x01auth=Bearer {token}\x01\x01".encode()).startswith(b"{")
    except SaslException:
        pass
    assert not sasl_server.is_complete()
