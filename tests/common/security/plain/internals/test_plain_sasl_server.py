# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.plain.internals.PlainSaslServerTest
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
from __future__ import annotations

import pytest

from kreactor.common.errors import SaslAuthenticationException
from kreactor.common.security.jaas_config import JaasConfig
from kreactor.common.security.plain.internals.plain_sasl_server import PlainSaslServer
from kreactor.common.security.plain.internals.plain_server_callback_handler import PlainServerCallbackHandler
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.sasl import Sasl, SaslException

USER_A, PASSWORD_A, USER_B = "userA", "passwordA", "userB"
JAAS = ('org.apache.kafka.common.security.plain.PlainLoginModule required '
        'user_userA="passwordA" user_userB="passwordB" user_ü="pä ß";')


@pytest.fixture
def sasl_server():
    return new_server(JAAS)


def new_server(jaas):
    handler = PlainServerCallbackHandler()
    handler.configure({}, "PLAIN", JaasConfig("context", jaas).get_app_configuration_entry("context"))
    return PlainSaslServer(handler)


def sasl_message(authorization_id, user_name, password):
    return f"{authorization_id}\0{user_name}\0{password}".encode()


def test_no_authorization_id_specified(sasl_server):
    assert sasl_server.evaluate_response(sasl_message("", USER_A, PASSWORD_A)) == b""


def test_authorization_id_equals_authentication_id(sasl_server):
    assert sasl_server.evaluate_response(sasl_message(USER_A, USER_A, PASSWORD_A)) == b""


def test_authorization_id_not_equals_authentication_id(sasl_server):
    with pytest.raises(SaslAuthenticationException):
        sasl_server.evaluate_response(sasl_message(USER_B, USER_A, PASSWORD_A))


@pytest.mark.parametrize(("message", "error"), [
    (b"\0\0", "Authentication failed: username not specified"),
    (b"\0\0p", "Authentication failed: username not specified"),
    (b"\0u\0", "Authentication failed: password not specified"),
    (b"a\0\0", "Authentication failed: username not specified"),
    (b"a\0\0p", "Authentication failed: username not specified"),
    (b"a\0u\0", "Authentication failed: password not specified"),
    (b"a\0u\0p\0", "Invalid SASL/PLAIN response: expected 3 tokens, got 4"),
    (b"a\0u\0p\0\0\0", "Invalid SASL/PLAIN response: expected 3 tokens, got 4"),
    (b"\0u", "Invalid SASL/PLAIN response: expected 3 tokens, got 2"),
    (b"", "Invalid SASL/PLAIN response: expected 3 tokens, got 1"),
    (b"\0userA\0passworda", "Authentication failed: Invalid username or password"),
    (b"\0userA\0passwordA ", "Authentication failed: Invalid username or password"),
    (b"\0userA\0\xff\xfe", "Authentication failed: Invalid username or password"),
    (b"\0nobody\0passwordA", "Authentication failed: Invalid username or password"),
])
def test_empty_tokens(sasl_server, message, error):
    with pytest.raises(SaslAuthenticationException) as e:
        sasl_server.evaluate_response(message)
    assert str(e.value) == error
    assert not sasl_server.is_complete()
    with pytest.raises(IllegalStateException):
        sasl_server.get_authorization_id()


def test_names_and_passwords_beyond_ascii(sasl_server):
    sasl_server.evaluate_response(sasl_message("", "ü", "pä ß"))
    assert sasl_server.is_complete() and sasl_server.get_authorization_id() == "ü"
    assert sasl_server.get_negotiated_property("any") is None


def test_the_options_of_another_login_module_are_nobody_s_passwords():
    with pytest.raises(SaslAuthenticationException, match="Invalid username or password"):
        new_server('other.Module required user_userA="passwordA";').evaluate_response(b"\0userA\0passwordA")


def test_a_policy_without_plain_text():
    factory = PlainSaslServer.PlainSaslServerFactory()
    assert factory.get_mechanism_names(None) == factory.get_mechanism_names({}) == ["PLAIN"]
    assert factory.get_mechanism_names({Sasl.POLICY_NOPLAINTEXT: "true"}) == []
    with pytest.raises(SaslException, match="Only PLAIN is supported"):
        factory.create_sasl_server("OTHER", "kafka", "localhost", {}, PlainServerCallbackHandler())
