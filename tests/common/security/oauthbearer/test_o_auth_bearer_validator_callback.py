# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of OAuthBearerValidatorCallbackTest, of the package
# org.apache.kafka.common.security.oauthbearer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The question whether a token is good."""

from __future__ import annotations

import pytest

from kreactor.common.security.oauthbearer.o_auth_bearer_validator_callback import OAuthBearerValidatorCallback
from kreactor.jdk.exceptions import IllegalArgumentException
from tests.common.security.oauthbearer.o_auth_bearer_token_mock import OAuthBearerTokenMock

TOKEN = OAuthBearerTokenMock("value", "principalName")


def test_error() -> None:
    error_status = "errorStatus"
    error_scope = "errorScope"
    error_open_id_configuration = "errorOpenIDConfiguration"
    callback = OAuthBearerValidatorCallback(TOKEN.value())
    callback.error(error_status, error_scope, error_open_id_configuration)
    assert callback.error_status() == error_status
    assert callback.error_scope() == error_scope
    assert callback.error_open_id_configuration() == error_open_id_configuration
    assert callback.token() is None


def test_token() -> None:
    callback = OAuthBearerValidatorCallback(TOKEN.value())
    callback.set_token(TOKEN)
    assert callback.token() is TOKEN
    assert callback.error_status() is None
    assert callback.error_scope() is None
    assert callback.error_open_id_configuration() is None


def test_an_answer_replaces_the_one_before() -> None:
    callback = OAuthBearerValidatorCallback(TOKEN.value())
    callback.set_token(TOKEN)
    callback.error("errorStatus", "errorScope", "errorOpenIDConfiguration")
    assert callback.token() is None
    callback.set_token(TOKEN)
    assert (callback.error_status(), callback.error_scope(), callback.error_open_id_configuration()) == (
        None, None, None)
    with pytest.raises(IllegalArgumentException):
        callback.error("", None, None)
    with pytest.raises(IllegalArgumentException):
        OAuthBearerValidatorCallback("")
