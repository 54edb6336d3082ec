# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of OAuthBearerSaslClientTest, of the package
# org.apache.kafka.common.security.oauthbearer.internals of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The client's side of the mechanism."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.errors import IllegalSaslStateException
from kreactor.common.security.auth.authenticate_callback_handler import AuthenticateCallbackHandler
from kreactor.common.security.auth.sasl_extensions import SaslExtensions
from kreactor.common.security.auth.sasl_extensions_callback import SaslExtensionsCallback
from kreactor.common.security.oauthbearer.internals.o_auth_bearer_client_initial_response import (
    OAuthBearerClientInitialResponse,
)
from kreactor.common.security.oauthbearer.internals.o_auth_bearer_sasl_client import OAuthBearerSaslClient
from kreactor.common.security.oauthbearer.o_auth_bearer_token_callback import OAuthBearerTokenCallback
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.login import AppConfigurationEntry
from kreactor.jdk.sasl import Callback, Sasl, SaslException, UnsupportedCallbackException
from tests.common.security.oauthbearer.o_auth_bearer_token_mock import OAuthBearerTokenMock

TEST_PROPERTIES = {"One": "1", "Two": "2", "Three": "3"}
ERROR_MESSAGE = "Error as expected!"


class ExtensionsCallbackHandler(AuthenticateCallbackHandler):
    """Has a token, and extensions or an error."""

    def __init__(self, to_throw: bool, test_extensions: SaslExtensions) -> None:
        self._to_throw = to_throw
        self._test_extensions = test_extensions

    def configure(self, configs: Mapping[str, Any], sasl_mechanism: str,
                  jaas_config_entries: Sequence[AppConfigurationEntry]) -> None:
        pass

    def handle(self, callbacks: Sequence[Callback]) -> None:
        for callback in callbacks:
            if isinstance(callback, OAuthBearerTokenCallback):
                callback.set_token(OAuthBearerTokenMock("", "principalName", 100))
            elif isinstance(callback, SaslExtensionsCallback):
                if self._to_throw:
                    raise ConfigException(ERROR_MESSAGE)
                callback.set_extensions(self._test_extensions)
            else:
                raise UnsupportedCallbackException(callback)

    def close(self) -> None:
        pass


def test_attaches_extensions_to_first_client_message() -> None:
    test_extensions = SaslExtensions(TEST_PROPERTIES)
    expected_token = OAuthBearerClientInitialResponse.of("", test_extensions).to_bytes().decode()

    client = OAuthBearerSaslClient(ExtensionsCallbackHandler(False, test_extensions))

    message = client.evaluate_challenge(b"")

    assert message is not None
    assert message.decode() == expected_token


def test_no_extensions_does_not_attach_anything_to_first_client_message() -> None:
    test_extensions = SaslExtensions({})
    expected_token = OAuthBearerClientInitialResponse.of("", SaslExtensions({})).to_bytes().decode()
    client = OAuthBearerSaslClient(ExtensionsCallbackHandler(False, test_extensions))

    message = client.evaluate_challenge(b"")

    assert message is not None
    assert message.decode() == expected_token


def test_wraps_extensions_callback_handling_error_in_sasl_exception_in_first_client_message() -> None:
    client = OAuthBearerSaslClient(ExtensionsCallbackHandler(True, SaslExtensions(TEST_PROPERTIES)))
    with pytest.raises(SaslException) as e:
        client.evaluate_challenge(b"")
    assert type(e.value.__cause__) is ConfigException
    assert str(e.value.__cause__) == ERROR_MESSAGE


def test_an_exchange_to_its_end() -> None:
    client = OAuthBearerSaslClient(ExtensionsCallbackHandler(False, SaslExtensions({})))
    assert client.get_mechanism_name() == "OAUTHBEARER" and client.has_initial_response()
    client.evaluate_challenge(b"")
    with pytest.raises(IllegalStateException):
        client.get_negotiated_property("any")
    assert client.evaluate_challenge(b"") is None
    assert client.is_complete() and client.get_negotiated_property("any") is None
    with pytest.raises(IllegalSaslStateException):
        client.evaluate_challenge(b"")


def test_an_exchange_that_the_server_ends() -> None:
    client = OAuthBearerSaslClient(ExtensionsCallbackHandler(False, SaslExtensions({})))
    client.evaluate_challenge(b"")
    assert client.evaluate_challenge(b"{}") == OAuthBearerSaslClient.BYTE_CONTROL_A == b"\x01"
    with pytest.raises(IllegalSaslStateException, match="RECEIVE_SERVER_MESSAGE_AFTER_FAILURE"):
        client.evaluate_challenge(b"")
    assert not client.is_complete()


def test_the_factory() -> None:
    factory = OAuthBearerSaslClient.OAuthBearerSaslClientFactory()
    handler = ExtensionsCallbackHandler(False, SaslExtensions({}))
    assert factory.get_mechanism_names(None) == ["OAUTHBEARER"]
    for value in ("true", True):
        assert factory.get_mechanism_names({Sasl.POLICY_NOPLAINTEXT: value}) == []
    assert factory.get_mechanism_names({Sasl.POLICY_NOPLAINTEXT: "false"}) == ["OAUTHBEARER"]
    client = factory.create_sasl_client(["PLAIN", "OAUTHBEARER"], None, "kafka", "host", {}, handler)
    assert isinstance(client, OAuthBearerSaslClient) and client.callback_handler() is handler
    assert factory.create_sasl_client(["PLAIN"], None, "kafka", "host", {}, handler) is None
    with pytest.raises(IllegalArgumentException, match="must be castable"):
        no_handler: Any = object()
        factory.create_sasl_client(["OAUTHBEARER"], None, "kafka", "host", {}, no_handler)
