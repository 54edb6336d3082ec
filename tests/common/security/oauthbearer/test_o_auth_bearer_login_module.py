# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of OAuthBearerLoginModuleTest, of the package
# org.apache.kafka.common.security.oauthbearer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Logins on one subject, one after another and beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from kreactor.common.kafka_exception import KafkaException
from kreactor.common.security.auth.authenticate_callback_handler import AuthenticateCallbackHandler
from kreactor.common.security.auth.sasl_extensions import SaslExtensions
from kreactor.common.security.auth.sasl_extensions_callback import SaslExtensionsCallback
from kreactor.common.security.oauthbearer.o_auth_bearer_login_module import OAuthBearerLoginModule
from kreactor.common.security.oauthbearer.o_auth_bearer_token import OAuthBearerToken
from kreactor.common.security.oauthbearer.o_auth_bearer_token_callback import OAuthBearerTokenCallback
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.login import AppConfigurationEntry, LoginException, Subject
from kreactor.jdk.sasl import Callback, CallbackHandler, UnsupportedCallbackException
from tests.common.security.oauthbearer.o_auth_bearer_token_mock import OAuthBearerTokenMock

RAISE_UNSUPPORTED_CB_EXCEPTION_FLAG = None


class TestCallbackHandler(AuthenticateCallbackHandler):
    """Gives one token and one set of extensions after another."""

    __test__ = False

    def __init__(self, tokens: Sequence[OAuthBearerToken | None],
                 extensions: Sequence[SaslExtensions | None]) -> None:
        self._tokens = tokens
        self._index = 0
        self._extensions_index = 0
        self._extensions = extensions

    def handle(self, callbacks: Sequence[Callback]) -> None:
        for callback in callbacks:
            if isinstance(callback, OAuthBearerTokenCallback):
                try:
                    self._handle_callback(callback)
                except KafkaException as e:
                    raise OSError(str(e)) from e
            elif isinstance(callback, SaslExtensionsCallback):
                try:
                    self._handle_extensions_callback(callback)
                except KafkaException as e:
                    raise OSError(str(e)) from e
            else:
                raise UnsupportedCallbackException(callback)

    def configure(self, configs: Mapping[str, Any], sasl_mechanism: str,
                  jaas_config_entries: Sequence[AppConfigurationEntry]) -> None:
        pass

    def close(self) -> None:
        pass

    def _handle_callback(self, callback: OAuthBearerTokenCallback) -> None:
        if callback.token() is not None:
            raise IllegalArgumentException("Callback had a token already")
        if len(self._tokens) <= self._index:
            raise OSError("no more tokens")
        callback.set_token(self._tokens[self._index])
        self._index += 1

    def _handle_extensions_callback(self, callback: SaslExtensionsCallback) -> None:
        if len(self._extensions) <= self._extensions_index:
            raise OSError("no more extensions")
        extension = self._extensions[self._extensions_index]
        self._extensions_index += 1

        if extension is RAISE_UNSUPPORTED_CB_EXCEPTION_FLAG:
            raise UnsupportedCallbackException(callback)

        callback.set_extensions(extension)


class Place:
    """A subject, its credentials, and what its modules are given."""

    def __init__(self, number: int) -> None:
        self.subject = Subject()
        self.private_credentials = self.subject.get_private_credentials()
        self.public_credentials = self.subject.get_public_credentials()
        self.tokens = [OAuthBearerTokenMock() for _ in range(number)]
        self.extensions = [SaslExtensions.empty() for _ in range(number)]
        self.handler = TestCallbackHandler(self.tokens, self.extensions)

    def login_module(self) -> OAuthBearerLoginModule:
        return login_module(self.subject, self.handler)

    def assert_has(self, *indexes: int) -> None:
        """Assert which tokens and extensions the subject has, and no others."""
        assert len(self.private_credentials) == len(indexes)
        assert len(self.public_credentials) == len(indexes)
        for index, private, public in zip(indexes, self.private_credentials, self.public_credentials):
            assert private is self.tokens[index]
            assert public is self.extensions[index]

    def verify_no_interactions(self) -> None:
        assert [token.interactions for token in self.tokens] == [0] * len(self.tokens)


def login_module(subject: Subject, handler: CallbackHandler) -> OAuthBearerLoginModule:
    module = OAuthBearerLoginModule()
    module.initialize(subject, handler, {}, {})
    return module


def test_login1_commit1_login2_commit2_logout1_login3_commit3_logout2() -> None:
    place = Place(3)
    login_module1, login_module2, login_module3 = (place.login_module() for _ in range(3))

    place.assert_has()
    login_module1.login()
    place.assert_has()
    login_module1.commit()
    place.assert_has(0)

    login_module2.login()
    place.assert_has(0)
    login_module2.commit()
    place.assert_has(0, 1)
    login_module1.logout()
    place.assert_has(1)

    login_module3.login()
    place.assert_has(1)
    login_module3.commit()
    place.assert_has(1, 2)
    login_module2.logout()
    place.assert_has(2)

    place.verify_no_interactions()


def test_login1_commit1_logout1_login2_commit2_logout2() -> None:
    place = Place(2)
    login_module1, login_module2 = place.login_module(), place.login_module()

    place.assert_has()
    login_module1.login()
    place.assert_has()
    login_module1.commit()
    place.assert_has(0)
    login_module1.logout()
    place.assert_has()

    login_module2.login()
    place.assert_has()
    login_module2.commit()
    place.assert_has(1)
    login_module2.logout()
    place.assert_has()

    place.verify_no_interactions()


def test_login_abort_login_commit_logout() -> None:
    place = Place(2)
    login_module = place.login_module()

    place.assert_has()
    login_module.login()
    place.assert_has()
    login_module.abort()
    place.assert_has()

    login_module.login()
    place.assert_has()
    login_module.commit()
    place.assert_has(1)
    login_module.logout()
    place.assert_has()

    place.verify_no_interactions()


def test_login1_commit1_login2_abort2_login3_commit3_logout3() -> None:
    place = Place(3)
    login_module1, login_module2 = place.login_module(), place.login_module()

    place.assert_has()
    login_module1.login()
    place.assert_has()
    login_module1.commit()
    place.assert_has(0)

    login_module2.login()
    place.assert_has(0)
    login_module2.abort()
    place.assert_has(0)

    # The original has a third module, and asks the second one again.
    login_module2.login()
    place.assert_has(0)
    login_module2.commit()
    place.assert_has(0, 2)
    login_module1.logout()
    place.assert_has(2)

    place.verify_no_interactions()


def test_commit_does_not_throw_on_unsupported_extensions_callback() -> None:
    subject = Subject()
    tokens = [OAuthBearerTokenMock() for _ in range(3)]
    login_module1 = login_module(subject, TestCallbackHandler(tokens, [RAISE_UNSUPPORTED_CB_EXCEPTION_FLAG]))

    login_module1.login()
    login_module1.commit()
    extensions = subject.get_public_credentials_of(SaslExtensions)[0]
    assert extensions is not None
    assert not extensions.map()

    assert [token.interactions for token in tokens] == [0, 0, 0]


# -- cases of our own ----------------------------------------------------------------------------------


def test_a_module_is_logged_in_once() -> None:
    place = Place(2)
    module = place.login_module()
    assert not module.commit() and not module.abort() and not module.logout()
    module.login()
    with pytest.raises(IllegalStateException, match="Already have an uncommitted token .* count=0$"):
        module.login()
    with pytest.raises(IllegalStateException, match="need to first invoke commit"):
        module.logout()
    module.commit()
    with pytest.raises(IllegalStateException, match="Already have a committed token .* count=1; must"):
        module.login()
    assert module.logout()


def test_a_login_without_a_token() -> None:
    subject = Subject()
    module = login_module(subject, TestCallbackHandler([None], []))
    module.login()
    with pytest.raises(IllegalStateException, match="^Already logged in without a token$"):
        module.login()
    module.commit()
    with pytest.raises(IllegalStateException, match="^Login has already been committed without a token$"):
        module.login()
    assert not subject.get_private_credentials() and not subject.get_public_credentials()
    assert module.logout()


def test_handlers_that_fail(caplog: pytest.LogCaptureFixture) -> None:
    class Refusing(TestCallbackHandler):
        def _handle_callback(self, callback: OAuthBearerTokenCallback) -> None:
            callback.error("code", "no token today", None)

    class Extensionless(TestCallbackHandler):
        def _handle_extensions_callback(self, callback: SaslExtensionsCallback) -> None:
            callback.set_extensions(None)

    with pytest.raises(LoginException, match="^no token today$"):
        login_module(Subject(), Refusing([], [])).login()
    with pytest.raises(LoginException, match="^Extensions cannot be null.$"):
        login_module(Subject(), Extensionless([OAuthBearerTokenMock()], [])).login()
    for handler, what in ((TestCallbackHandler([], []), "token"),
                          (TestCallbackHandler([OAuthBearerTokenMock()], []), "SASL extensions")):
        caplog.clear()
        with pytest.raises(LoginException, match=f"error occurred while retrieving {what} from"):
            login_module(Subject(), handler).login()
        [record] = caplog.records
        assert record.levelname == "ERROR" and record.exc_info is not None
    with pytest.raises(IllegalArgumentException, match="must be castable"):
        login_module(Subject(), object())  # type: ignore[arg-type]
