# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of OAuthBearerTokenCallbackTest, of the package
# org.apache.kafka.common.security.oauthbearer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The question for a token."""

from __future__ import annotations

import pytest

from kreactor.common.security.oauthbearer.o_auth_bearer_token_callback import OAuthBearerTokenCallback
from kreactor.jdk.exceptions import IllegalArgumentException
from tests.common.security.oauthbearer.o_auth_bearer_token_mock import OAuthBearerTokenMock

TOKEN = OAuthBearerTokenMock("value", "principalName")


def test_error() -> None:
    error_code = "errorCode"
    error_description = "errorDescription"
    error_uri = "errorUri"
    callback = OAuthBearerTokenCallback()
    callback.error(error_code, error_description, error_uri)
    assert callback.error_code() == error_code
    assert callback.error_description() == error_description
    assert callback.error_uri() == error_uri
    assert callback.token() is None


def test_token() -> None:
    callback = OAuthBearerTokenCallback()
    callback.set_token(TOKEN)
    assert callback.token() is TOKEN
    assert callback.error_code() is None
    assert callback.error_description() is None
    assert callback.error_uri() is None


def test_an_answer_replaces_the_one_before() -> None:
    callback = OAuthBearerTokenCallback()
    callback.set_token(TOKEN)
    callback.error("errorCode", "errorDescription", "errorUri")
    assert callback.token() is None
    callback.set_token(TOKEN)
    assert (callback.error_code(), callback.error_description(), callback.error_uri()) == (None, None, None)
    with pytest.raises(IllegalArgumentException):
        callback.error("", None, None)
