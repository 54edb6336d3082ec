# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of OAuthBearerExtensionsValidatorCallbackTest, of the package
# org.apache.kafka.common.security.oauthbearer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Which extensions of a client a handler has taken."""

from __future__ import annotations

import pytest

from kreactor.common.security.auth.sasl_extensions import SaslExtensions
from kreactor.common.security.oauthbearer.o_auth_bearer_extensions_validator_callback import (
    OAuthBearerExtensionsValidatorCallback,
)
from kreactor.jdk.exceptions import IllegalArgumentException
from tests.common.security.oauthbearer.o_auth_bearer_token_mock import OAuthBearerTokenMock

TOKEN = OAuthBearerTokenMock()


def test_validated_extensions_are_returned() -> None:
    callback = OAuthBearerExtensionsValidatorCallback(TOKEN, SaslExtensions({"hello": "bye"}))

    assert not callback.validated_extensions()
    assert not callback.invalid_extensions()
    callback.valid("hello")
    assert callback.validated_extensions()
    assert callback.validated_extensions()["hello"] == "bye"
    assert not callback.invalid_extensions()


def test_invalid_extensions_and_error_messages_are_returned() -> None:
    callback = OAuthBearerExtensionsValidatorCallback(TOKEN, SaslExtensions({"hello": "bye"}))

    assert not callback.validated_extensions()
    assert not callback.invalid_extensions()
    callback.error("hello", "error")
    assert callback.invalid_extensions()
    assert callback.invalid_extensions()["hello"] == "error"
    assert not callback.validated_extensions()


def test_unvalidated_extensions_are_ignored() -> None:
    callback = OAuthBearerExtensionsValidatorCallback(
        TOKEN, SaslExtensions({"valid": "valid", "error": "error", "nothing": "nothing"}))
    callback.error("error", "error")
    callback.valid("valid")

    assert "nothing" not in callback.validated_extensions()
    assert "nothing" not in callback.invalid_extensions()
    assert callback.ignored_extensions()["nothing"] == "nothing"
    assert len(callback.ignored_extensions()) == 1


def test_cannot_validate_extension_which_was_not_given() -> None:
    callback = OAuthBearerExtensionsValidatorCallback(TOKEN, SaslExtensions({"hello": "bye"}))

    with pytest.raises(IllegalArgumentException):
        callback.valid("???")


def test_an_error_has_a_name() -> None:
    callback = OAuthBearerExtensionsValidatorCallback(TOKEN, SaslExtensions({"hello": "bye"}))
    with pytest.raises(IllegalArgumentException):
        callback.error("", "error")
    assert callback.token() is TOKEN
