# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of OAuthBearerClientInitialResponseTest, of the package
# org.apache.kafka.common.security.oauthbearer.internals of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The first message of a client: made, and taken apart."""

from __future__ import annotations

import pytest

from kreactor.common.security.auth.sasl_extensions import SaslExtensions
from kreactor.common.security.oauthbearer.internals.o_auth_bearer_client_initial_response import (
    OAuthBearerClientInitialResponse,
)
from kreactor.jdk.sasl import SaslException


def test_build_client_response_to_bytes() -> None:
    expected_message = "n,,\x01auth=Bearer 123.345.567\x01nineteen=42\x01\x01"

    response = OAuthBearerClientInitialResponse.of("123.345.567", SaslExtensions({"nineteen": "42"}))

    message = response.to_bytes().decode()

    assert message == expected_message


def test_build_server_response_to_bytes() -> None:
    server_message = "n,,\x01auth=Bearer 123.345.567\x01nineteen=42\x01\x01"
    response = OAuthBearerClientInitialResponse(server_message.encode())

    message = response.to_bytes().decode()

    assert message == server_message


def test_throws_sasl_exception_on_invalid_extension_key() -> None:
    extensions = {"19": "42"}
    with pytest.raises(SaslException):
        OAuthBearerClientInitialResponse.of("123.345.567", SaslExtensions(extensions))


def test_token() -> None:
    message = "n,,\x01auth=Bearer 123.345.567\x01\x01"
    response = OAuthBearerClientInitialResponse(message.encode())
    assert response.token_value() == "123.345.567"
    assert response.authorization_id() == ""


def test_authorization_id() -> None:
    message = "n,a=myuser,\x01auth=Bearer 345\x01\x01"
    response = OAuthBearerClientInitialResponse(message.encode())
    assert response.token_value() == "345"
    assert response.authorization_id() == "myuser"


def test_extensions() -> None:
    message = "n,,\x01propA=valueA1, valueA2\x01auth=Bearer 567\x01propB=valueB\x01\x01"
    response = OAuthBearerClientInitialResponse(message.encode())
    assert response.token_value() == "567"
    assert response.authorization_id() == ""
    assert response.extensions().map()["propA"] == "valueA1, valueA2"
    assert response.extensions().map()["propB"] == "valueB"


def test_rfc7688_example() -> None:
    # The token of the RFC's example without its padding, which Base64 for URLs leaves out.
    message = ("n,a=user@example.com,\x01host=server.example.com\x01port=143\x01"
               "auth=Bearer vF9dft4qmTc2Nvb3RlckBhbHRhdmlzdGEuY29tCg\x01\x01")
    response = OAuthBearerClientInitialResponse(message.encode())
    assert response.token_value() == "vF9dft4qmTc2Nvb3RlckBhbHRhdmlzdGEuY29tCg"
    assert response.authorization_id() == "user@example.com"
    assert response.extensions().map()["host"] == "server.example.com"
    assert response.extensions().map()["port"] == "143"


def test_char_support_for_rfc6750_token() -> None:
    message = ("n,a=user@example.com,\x01host=server.example.com\x01port=143\x01"
               "auth=Bearer vF-9.df_t4qm~Tc2Nvb3RlckBhbHR+hdmlzdGEuY29/tCg==\x01\x01")
    response = OAuthBearerClientInitialResponse(message.encode())
    assert response.token_value() == "vF-9.df_t4qm~Tc2Nvb3RlckBhbHR+hdmlzdGEuY29/tCg=="
    assert response.authorization_id() == "user@example.com"
    assert response.extensions().map()["host"] == "server.example.com"
    assert response.extensions().map()["port"] == "143"


def test_no_extensions_from_byte_array() -> None:
    message = ("n,a=user@example.com,\x01"
               "auth=Bearer vF9dft4qmTc2Nvb3RlckBhbHRhdmlzdGEuY29tCg\x01\x01")
    response = OAuthBearerClientInitialResponse(message.encode())
    assert response.token_value() == "vF9dft4qmTc2Nvb3RlckBhbHRhdmlzdGEuY29tCg"
    assert response.authorization_id() == "user@example.com"
    assert not response.extensions().map()


def test_no_extensions_from_token_and_null_extensions() -> None:
    response = OAuthBearerClientInitialResponse.of("token", None)
    assert not response.extensions().map()


def test_validate_null_extensions() -> None:
    OAuthBearerClientInitialResponse.validate_extensions(None)
    with pytest.raises(SaslException):  # so the call above has looked
        OAuthBearerClientInitialResponse.validate_extensions(SaslExtensions({"auth": "a"}))


@pytest.mark.parametrize(("extensions", "message"), [
    ({"auth": "a"}, "Extension name auth is invalid"),
    ({"a.b": "a"}, "Extension name a.b is invalid"),
    ({"key": "a\x01"}, "Extension value (a\x01) for extension key is invalid"),
    ({"key": ""}, "Extension value () for extension key is invalid"),
])
def test_extensions_that_cannot_be(extensions: dict[str, str], message: str) -> None:
    with pytest.raises(SaslException) as e:
        OAuthBearerClientInitialResponse.of("token", SaslExtensions(extensions))
    assert str(e.value) == message


def test_a_client_that_acts_for_another() -> None:
    response = OAuthBearerClientInitialResponse.of("token", None, "bob")
    assert response.to_bytes() == b"n,a=bob,\x01auth=Bearer token\x01\x01"
    assert OAuthBearerClientInitialResponse(response.to_bytes()).authorization_id() == "bob"
