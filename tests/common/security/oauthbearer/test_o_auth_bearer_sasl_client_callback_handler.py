# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of OAuthBearerSaslClientCallbackHandlerTest, of the package
# org.apache.kafka.common.security.oauthbearer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The tokens of a subject, asked for by its mechanism."""

from __future__ import annotations

import pytest

from kreactor.common.security.auth.sasl_extensions import SaslExtensions
from kreactor.common.security.auth.sasl_extensions_callback import SaslExtensionsCallback
from kreactor.common.security.oauthbearer.internals.o_auth_bearer_sasl_client_callback_handler import (
    OAuthBearerSaslClientCallbackHandler,
)
from kreactor.common.security.oauthbearer.o_auth_bearer_login_module import OAuthBearerLoginModule
from kreactor.common.security.oauthbearer.o_auth_bearer_token_callback import OAuthBearerTokenCallback
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.login import Subject
from kreactor.jdk.sasl import Callback, UnsupportedCallbackException
from tests.common.security.oauthbearer.o_auth_bearer_token_mock import OAuthBearerTokenMock


def create_token_with_lifetime_millis(lifetime_millis: int) -> OAuthBearerTokenMock:
    return OAuthBearerTokenMock(lifetime_ms=lifetime_millis)


def create_callback_handler() -> OAuthBearerSaslClientCallbackHandler:
    handler = OAuthBearerSaslClientCallbackHandler()
    handler.configure({}, OAuthBearerLoginModule.OAUTHBEARER_MECHANISM, [])
    return handler


def test_with_zero_tokens() -> None:
    handler = create_callback_handler()
    with pytest.raises(OSError) as e:
        Subject.do_as(Subject(), lambda: handler.handle([OAuthBearerTokenCallback()]))
    assert type(e.value) is OSError


def test_with_potentially_multiple_tokens() -> None:
    handler = create_callback_handler()

    def action() -> None:
        max_tokens = 4
        subject = Subject.get_subject()
        assert subject is not None
        private_credentials = subject.get_private_credentials()
        private_credentials.clear()
        for num in range(1, max_tokens + 1):
            private_credentials.append(create_token_with_lifetime_millis(num))
            callback = OAuthBearerTokenCallback()
            handler.handle([callback])
            token = callback.token()
            assert token is not None
            assert token.lifetime_ms() == num

    Subject.do_as(Subject(), action)


def test_of_tokens_that_expire_together_the_first_is_taken(caplog: pytest.LogCaptureFixture) -> None:
    handler = create_callback_handler()
    subject = Subject()
    first, second = create_token_with_lifetime_millis(5), create_token_with_lifetime_millis(5)
    subject.get_private_credentials().extend((create_token_with_lifetime_millis(4), first, second))
    callback = OAuthBearerTokenCallback()
    Subject.do_as(subject, lambda: handler.handle([callback]))
    assert callback.token() is first
    assert "Found 2 OAuth Bearer tokens" in caplog.text
    with pytest.raises(IllegalArgumentException, match="Callback had a token already"):
        Subject.do_as(subject, lambda: handler.handle([callback]))


def test_extensions() -> None:
    handler = create_callback_handler()
    callback = SaslExtensionsCallback()
    handler.handle([callback])  # for nobody
    subject = Subject()
    Subject.do_as(subject, lambda: handler.handle([callback]))
    unanswered = callback.extensions()
    assert unanswered is not None and not unanswered.map()
    extensions = SaslExtensions({"a": "b"})
    subject.get_public_credentials().append(extensions)
    Subject.do_as(subject, lambda: handler.handle([callback]))
    assert callback.extensions() is extensions


def test_a_handler_that_is_asked_for_something_else() -> None:
    with pytest.raises(IllegalStateException):
        OAuthBearerSaslClientCallbackHandler().handle([])
    with pytest.raises(IllegalArgumentException):
        OAuthBearerSaslClientCallbackHandler().configure({}, "PLAIN", [])
    with pytest.raises(UnsupportedCallbackException):
        create_callback_handler().handle([Callback()])
