# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandlerTest
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The handler that believes signed tokens, and how a listener gets it."""

from __future__ import annotations

import base64
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.sasl_configs import SaslConfigs
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.security.auth.authenticate_callback_handler import AuthenticateCallbackHandler
from kreactor.common.security.auth.sasl_extensions import SaslExtensions
from kreactor.common.security.jaas_config import JaasConfig
from kreactor.common.security.oauthbearer.internals.secured.access_token_validator_factory import (
    AccessTokenValidatorFactory,
)
from kreactor.common.security.oauthbearer.internals.secured.closeable_verification_key_resolver import (
    CloseableVerificationKeyResolver,
)
from kreactor.common.security.oauthbearer.o_auth_bearer_extensions_validator_callback import (
    OAuthBearerExtensionsValidatorCallback,
)
from kreactor.common.security.oauthbearer.o_auth_bearer_validator_callback import OAuthBearerValidatorCallback
from kreactor.common.security.oauthbearer.o_auth_bearer_validator_callback_handler import (
    OAuthBearerValidatorCallbackHandler,
)
from kreactor.common.utils.log_context import TRACE
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.jose import JsonWebKey
from kreactor.jdk.sasl import Callback, UnsupportedCallbackException
from tests.common.security.oauthbearer.internals.secured.access_token_builder import (
    CLAIMS,
    ISSUED_AT_S,
    key_set,
    rsa_key,
)

JAAS = JaasConfig("c", "OAuthBearerLoginModule required;").get_app_configuration_entry("c")


class Resolver(CloseableVerificationKeyResolver):
    """Has one key."""

    def resolve_key(self, header: Mapping[str, Any]) -> JsonWebKey:
        return rsa_key().resolve_key()


def sasl_configs(**others: object) -> dict[str, Any]:
    config = ConfigDef()
    SaslConfigs.add_client_sasl_support(config)
    return config.parse({}) | others


def create_handler(configs: Mapping[str, Any]) -> OAuthBearerValidatorCallbackHandler:
    handler = OAuthBearerValidatorCallbackHandler()
    resolver = Resolver()
    handler.init(resolver, AccessTokenValidatorFactory.create(configs, None, resolver))
    return handler


def asked(handler: OAuthBearerValidatorCallbackHandler, token: str) -> OAuthBearerValidatorCallback:
    callback = OAuthBearerValidatorCallback(token)
    handler.handle([callback])
    return callback


def test_basic() -> None:
    handler = create_handler(sasl_configs(**{"sasl.oauthbearer.expected.audience": ["a", "b", "c"]}))
    access_token = rsa_key().token(CLAIMS | {"aud": "a"})
    callback = asked(handler, access_token)
    token = callback.token()
    assert token is not None and callback.error_status() is None
    assert token.value() == access_token
    assert token.principal_name() == "jdoe"
    assert token.lifetime_ms() == (ISSUED_AT_S + 86_400) * 1000
    assert token.start_time_ms() == ISSUED_AT_S * 1000
    handler.close()


def access_key(*sections: str) -> str:
    return ".".join(base64.b64encode(section.encode()).decode() for section in sections)


@pytest.mark.parametrize("access_token", [
    "this isn't valid", "this.isn't.valid", access_key("this", "isn't", "valid"),
    access_key("{}", "{}", "{}"),
])
def test_invalid_access_token(caplog: pytest.LogCaptureFixture, access_token: str) -> None:
    caplog.set_level(TRACE)
    handler = create_handler(sasl_configs())
    callback = asked(handler, access_token)
    assert callback.token() is None
    assert callback.error_status() == "invalid_token"
    handler.close()
    [record] = caplog.records
    assert record.levelno == logging.WARNING and access_token not in record.getMessage()


@pytest.mark.deviation("D192")
def test_no_log_has_a_token_or_its_claims(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(TRACE)
    handler = create_handler(sasl_configs())
    for claims in ({}, {"sub": None}, {"aud": "them"}, {"exp": ISSUED_AT_S - 100}, {"scope": ["x", "x"]}):
        token = rsa_key().token(CLAIMS | claims | {"secret": "sEcret"})
        asked(handler, token)
        assert token not in caplog.text and "them" not in caplog.text and "sEcret" not in caplog.text
    handler.close()


def test_extensions() -> None:
    handler = create_handler(sasl_configs())
    token = asked(handler, rsa_key().token()).token()
    assert token is not None
    callback = OAuthBearerExtensionsValidatorCallback(token, SaslExtensions({"a": "b"}))
    handler.handle([callback])
    assert callback.validated_extensions() == {"a": "b"}
    with pytest.raises(UnsupportedCallbackException):
        handler.handle([Callback()])


def test_a_handler_that_has_not_begun() -> None:
    handler = OAuthBearerValidatorCallbackHandler()
    handler.close()
    with pytest.raises(IllegalStateException):
        asked(handler, rsa_key().token())
    with pytest.raises(IllegalArgumentException):
        handler.configure({}, "PLAIN", JAAS)
    with pytest.raises(IllegalArgumentException):
        handler.configure({}, "OAUTHBEARER", [])


@pytest.mark.parametrize("url", [None, "", "file:/not/there", "http://localhost/keys", "keys"])
def test_keys_that_cannot_be(url: str | None) -> None:
    with pytest.raises(ConfigException, match=r"sasl\.oauthbearer\.jwks\.endpoint\.url"):
        OAuthBearerValidatorCallbackHandler().configure(
            sasl_configs(**{"sasl.oauthbearer.jwks.endpoint.url": url}), "OAUTHBEARER", JAAS)


@pytest.mark.deviation("D258")
def test_handlers_of_a_listener_share_their_keys(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text(key_set(rsa_key("old")))

    def configured() -> OAuthBearerValidatorCallbackHandler:
        handler = OAuthBearerValidatorCallbackHandler()
        handler.configure(sasl_configs(**{"sasl.oauthbearer.jwks.endpoint.url": file.as_uri()}),
                          "OAUTHBEARER", JAAS)
        return handler

    def believed(handler: OAuthBearerValidatorCallbackHandler) -> list[bool]:
        return [asked(handler, rsa_key(name).token()).token() is not None for name in ("old", "new")]

    one = configured()
    file.write_text(key_set(rsa_key("new")))
    other = configured()
    assert believed(one) == believed(other) == [True, False]
    # The file is read again when all of them have ended.
    one.close()
    third = configured()
    assert believed(other) == believed(third) == [True, False]
    other.close()
    third.close()
    fourth = configured()
    assert believed(fourth) == [False, True]
    fourth.close()
    file.write_text("no keys")
    for _ in range(2):
        with pytest.raises(KafkaException, match="a set of keys must be JSON"):
            configured()
    file.write_text(key_set(rsa_key("old")))
    last = configured()
    assert believed(last) == [True, False]
    assert len(OAuthBearerValidatorCallbackHandler._VERIFICATION_KEY_RESOLVER_CACHE) == 1
    last.close()


def test_kafkas_names_for_it() -> None:
    name = "org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler"
    assert Utils.load_class(name, AuthenticateCallbackHandler) is OAuthBearerValidatorCallbackHandler
    old = name.replace("oauthbearer.", "oauthbearer.secured.")
    assert issubclass(Utils.load_class(old, AuthenticateCallbackHandler), OAuthBearerValidatorCallbackHandler)
