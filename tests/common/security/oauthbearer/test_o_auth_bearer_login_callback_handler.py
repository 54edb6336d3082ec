# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandlerTest
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The handler that gets tokens from files and web servers."""

from __future__ import annotations

import base64
import json
import ssl
import time
from pathlib import Path
from typing import Any, Callable

import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.sasl_configs import SaslConfigs
from kreactor.common.security.auth.sasl_extensions_callback import SaslExtensionsCallback
from kreactor.common.security.oauthbearer.internals.secured.access_token_retriever import AccessTokenRetriever
from kreactor.common.security.oauthbearer.internals.secured.access_token_validator_factory import (
    AccessTokenValidatorFactory,
)
from kreactor.common.security.oauthbearer.internals.secured.file_token_retriever import FileTokenRetriever
from kreactor.common.security.oauthbearer.internals.secured.http_access_token_retriever import (
    HttpAccessTokenRetriever,
)
from kreactor.common.security.oauthbearer.o_auth_bearer_login_callback_handler import (
    OAuthBearerLoginCallbackHandler,
)
from kreactor.common.security.oauthbearer.o_auth_bearer_token_callback import OAuthBearerTokenCallback
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.login import AppConfigurationEntry
from kreactor.jdk.login import LoginModuleControlFlag as Flag
from kreactor.jdk.sasl import Callback, UnsupportedCallbackException
from kreactor.testing.certificates import new_certificate
from tests.common.security.oauthbearer.internals.secured.access_token_builder import CLAIMS, rsa_key
from tests.common.security.oauthbearer.internals.secured.token_endpoint import TokenEndpoint
from tests.common.security.oauthbearer.test_o_auth_bearer_validator_callback_handler import sasl_configs

CREDENTIALS = {"clientId": "an ID", "clientSecret": "a secret"}


class Retriever(AccessTokenRetriever):
    def __init__(self, retrieve: Callable[[], str]) -> None:
        self.retrieve = retrieve

    def retrieve(self) -> str:
        raise AssertionError("replaced")


def create_handler(retriever: AccessTokenRetriever) -> OAuthBearerLoginCallbackHandler:
    handler = OAuthBearerLoginCallbackHandler()
    handler.init(retriever, AccessTokenValidatorFactory.create_login(sasl_configs()))
    return handler


def configured(url: str, options: dict[str, Any]) -> OAuthBearerLoginCallbackHandler:
    handler = OAuthBearerLoginCallbackHandler()
    entry = AppConfigurationEntry("OAuthBearerLoginModule", Flag.REQUIRED, options)
    handler.configure(sasl_configs() | {
        SaslConfigs.SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL: url, SaslConfigs.SASL_LOGIN_RETRY_BACKOFF_MS: 1,
        SaslConfigs.SASL_LOGIN_RETRY_BACKOFF_MAX_MS: 1}, "OAUTHBEARER", [entry])
    return handler


def asked(handler: OAuthBearerLoginCallbackHandler) -> OAuthBearerTokenCallback:
    callback = OAuthBearerTokenCallback()
    try:
        handler.handle([callback])
    finally:
        handler.close()
    return callback


def access_key(header: str, payload: str, signature: str) -> str:
    return ".".join(base64.b64encode(part.encode()).decode() for part in (header, payload, signature))


def test_handle_token_callback() -> None:
    access_token = rsa_key().token()
    token = asked(create_handler(Retriever(lambda: access_token))).token()
    assert token is not None
    assert token.value() == access_token
    assert token.principal_name() == CLAIMS["sub"]
    assert token.lifetime_ms() == CLAIMS["exp"] * 1000
    assert token.start_time_ms() == CLAIMS["iat"] * 1000
    assert token.scope() == {CLAIMS["scope"]}


def test_handle_sasl_extensions_callback() -> None:
    handler = configured("http://www.example.com", CREDENTIALS | {
        "extension_foo": "1", "extension_bar": 2, "EXTENSION_baz": "3"})
    callback = SaslExtensionsCallback()
    handler.handle([callback])
    handler.close()
    assert callback.extensions().map() == {"foo": "1", "bar": "2"}


def test_handle_sasl_extensions_callback_with_invalid_extension() -> None:
    handler = configured("http://www.example.com", CREDENTIALS | {"extension_auth": "not allowed"})
    with pytest.raises(ConfigException, match="Extension name auth is invalid"):
        handler.handle([SaslExtensionsCallback()])
    handler.close()


def test_invalid_callback_generates_unsupported_callback_exception() -> None:
    handler = create_handler(Retriever(lambda: "foo"))
    with pytest.raises(UnsupportedCallbackException):
        handler.handle([Callback()])
    handler.close()


@pytest.mark.deviation("D305")
@pytest.mark.parametrize("access_token, message", [
    ("this isn't valid", "Malformed JWT provided"),
    ("this.isn't.valid", "malformed Base64 URL encoded value"),
    (access_key("this", "isn't", "valid"), "malformed JSON"),
    (access_key("{}", "{}", "{}"), "exp value must be non-null"),
    (access_key("{}", '{"exp": "1"}', "{}"), "exp value must be a number"),
    (access_key("{}", '{"exp": 1e999}', "{}"), "exp value must be a number"),
    (access_key("{}", '{"exp": 1, "sub": 5}', "{}"), "sub value must be a text"),
    (access_key("{}", '{"exp": 1, "sub": "s", "iat": true}', "{}"), "iat value must be a number")])
def test_invalid_access_token(access_token: str, message: str) -> None:
    callback = asked(create_handler(Retriever(lambda: access_token)))
    assert callback.token() is None
    assert callback.error_code() == "invalid_token"
    assert message in callback.error_description()


def test_missing_access_token() -> None:
    def retrieve() -> str:
        raise OSError("The token endpoint response access_token value must be non-null")

    with pytest.raises(OSError, match="token endpoint response access_token value must be non-null"):
        asked(create_handler(Retriever(retrieve)))


def test_file_token_retriever_handles_newline(tmp_path: Path) -> None:
    now = int(time.time())
    expected = access_key("{}", json.dumps({"exp": now + 3600, "iat": now, "sub": "subj"}), "sign")
    (tmp_path / "token").write_text(f"{expected}\n")
    token = asked(create_handler(FileTokenRetriever(tmp_path / "token"))).token()
    assert token is not None and token.value() == expected


def test_not_configured() -> None:
    with pytest.raises(IllegalStateException, match="first call the configure or init method"):
        OAuthBearerLoginCallbackHandler().handle([])


def test_configure_with_access_token_file(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("{}")
    handler = configured((tmp_path / "token").as_uri(), {})
    assert isinstance(handler.get_access_token_retriever(), FileTokenRetriever)


def test_configure_with_access_client_credentials() -> None:
    for url in ("http://www.example.com", "https://www.example.com"):
        handler = configured(url, CREDENTIALS)
        assert isinstance(handler.get_access_token_retriever(), HttpAccessTokenRetriever)
    with pytest.raises(ConfigException, match="clientSecret value must be non-null"):
        configured("http://www.example.com", {"clientId": "an ID"})


def test_a_token_from_a_web_server() -> None:
    access_token = rsa_key().token()
    with TokenEndpoint((200, json.dumps({"access_token": access_token}).encode())) as endpoint:
        token = asked(configured(endpoint.url, CREDENTIALS | {"scope": "engineering"})).token()
    assert token is not None and token.value() == access_token
    assert endpoint.requests[0][3] == b"grant_type=client_credentials&scope=engineering"


@pytest.mark.parametrize("package", ["oauthbearer", "oauthbearer.secured"])
def test_kafkas_names(package: str) -> None:
    name = f"org.apache.kafka.common.security.{package}.OAuthBearerLoginCallbackHandler"
    assert Utils.load_class(name, OAuthBearerLoginCallbackHandler).__module__.startswith("kreactor.")


def test_the_web_server_is_checked(tmp_path: Path) -> None:
    access_token = rsa_key().token()
    response = (200, json.dumps({"access_token": access_token}).encode())
    for names, believed in ((("localhost",), True), (("other.example.com",), False)):
        certificate = new_certificate("server", names)
        pem = tmp_path / "server.pem"
        pem.write_text(certificate.private_key_pem() + certificate.chain_pem())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem)
        options = CREDENTIALS | {"ssl.truststore.type": "PEM",
                                 "ssl.truststore.certificates": certificate.certificate_pem()}
        with TokenEndpoint(response, context=context) as endpoint:
            if believed:
                assert asked(configured(endpoint.url, options)).token().value() == access_token
            for refused in ({} if believed else options, CREDENTIALS):
                if refused:
                    with pytest.raises(OSError, match="CERTIFICATE_VERIFY_FAILED"):
                        asked(configured(endpoint.url, refused))
