# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of OAuthBearerSaslServerTest, of the package
# org.apache.kafka.common.security.oauthbearer.internals of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The broker's side of the mechanism."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from kreactor.common.config.sasl_configs import SaslConfigs
from kreactor.common.config.types.password import Password
from kreactor.common.errors import SaslAuthenticationException
from kreactor.common.security.auth.sasl_extensions import SaslExtensions
from kreactor.common.security.authenticator.sasl_internal_configs import SaslInternalConfigs
from kreactor.common.security.jaas_context import JaasContext
from kreactor.common.security.oauthbearer.internals.o_auth_bearer_client_initial_response import (
    OAuthBearerClientInitialResponse,
)
from kreactor.common.security.oauthbearer.internals.o_auth_bearer_sasl_server import OAuthBearerSaslServer
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_unsecured_login_callback_handler import (  # noqa: E501
    OAuthBearerUnsecuredLoginCallbackHandler,
)
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_unsecured_validator_callback_handler import (  # noqa: E501
    OAuthBearerUnsecuredValidatorCallbackHandler,
)
from kreactor.common.security.oauthbearer.o_auth_bearer_extensions_validator_callback import (
    OAuthBearerExtensionsValidatorCallback,
)
from kreactor.common.security.oauthbearer.o_auth_bearer_login_module import OAuthBearerLoginModule
from kreactor.common.security.oauthbearer.o_auth_bearer_token import OAuthBearerToken
from kreactor.common.security.oauthbearer.o_auth_bearer_token_callback import OAuthBearerTokenCallback
from kreactor.common.security.oauthbearer.o_auth_bearer_validator_callback import OAuthBearerValidatorCallback
from kreactor.common.utils.log_context import TRACE
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.sasl import Callback, SaslException, UnsupportedCallbackException
from tests.common.security.oauthbearer.o_auth_bearer_token_mock import OAuthBearerTokenMock

USER = "user"
CONFIGS = {
    SaslConfigs.SASL_JAAS_CONFIG: Password(
        "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule Required"
        f' unsecuredLoginStringClaim_sub="{USER}";')}
ENTRIES = JaasContext.load_client_context(CONFIGS).configuration_entries()
MECHANISM = OAuthBearerLoginModule.OAUTHBEARER_MECHANISM
LOGIN_CALLBACK_HANDLER = OAuthBearerUnsecuredLoginCallbackHandler()
LOGIN_CALLBACK_HANDLER.configure(CONFIGS, MECHANISM, ENTRIES)
VALIDATOR_CALLBACK_HANDLER = OAuthBearerUnsecuredValidatorCallbackHandler()
VALIDATOR_CALLBACK_HANDLER.configure(CONFIGS, MECHANISM, ENTRIES)


class ExtensionsHandler(OAuthBearerUnsecuredValidatorCallbackHandler):
    """Takes any token, and answers for extensions as it is told."""

    def __init__(self, valid: Sequence[str] = (), invalid: Mapping[str, str] | None = None,
                 error: Exception | None = None) -> None:
        super().__init__()
        self._valid = valid
        self._invalid = invalid or {}
        self._error = error

    def handle(self, callbacks: Sequence[Callback]) -> None:
        for callback in callbacks:
            if isinstance(callback, OAuthBearerValidatorCallback):
                callback.set_token(OAuthBearerTokenMock())
            elif isinstance(callback, OAuthBearerExtensionsValidatorCallback):
                if self._error is not None:
                    raise self._error
                for name in self._valid:
                    callback.valid(name)
                for name, message in self._invalid.items():
                    callback.error(name, message)
            else:
                raise UnsupportedCallbackException(callback)


EXTENSIONS_VALIDATOR_CALLBACK_HANDLER = ExtensionsHandler(("firstKey", "secondKey"))


@pytest.fixture
def sasl_server() -> OAuthBearerSaslServer:
    return OAuthBearerSaslServer(VALIDATOR_CALLBACK_HANDLER)


def client_initial_response(authorization_id: str | None, illegal_token: bool = False,
                            custom_extensions: Mapping[str, str] | None = None) -> bytes:
    callback = OAuthBearerTokenCallback()
    LOGIN_CALLBACK_HANDLER.handle([callback])
    token = callback.token()
    assert token is not None
    compact_serialization = token.value()

    token_value = compact_serialization + ("AB" if illegal_token else "")
    return OAuthBearerClientInitialResponse.of(
        token_value, SaslExtensions(custom_extensions or {}), authorization_id).to_bytes()


def test_no_authorization_id_specified(sasl_server: OAuthBearerSaslServer) -> None:
    next_challenge = sasl_server.evaluate_response(client_initial_response(None))
    assert len(next_challenge) == 0


def test_negotiated_property(sasl_server: OAuthBearerSaslServer) -> None:
    sasl_server.evaluate_response(client_initial_response(USER))
    token = sasl_server.get_negotiated_property("OAUTHBEARER.token")
    assert isinstance(token, OAuthBearerToken)
    assert token.lifetime_ms() == sasl_server.get_negotiated_property(
        SaslInternalConfigs.CREDENTIAL_LIFETIME_MS_SASL_NEGOTIATED_PROPERTY_KEY)


def test_saves_custom_extension_as_negotiated_property(sasl_server: OAuthBearerSaslServer) -> None:
    custom_extensions = {"firstKey": "value1", "secondKey": "value2"}

    next_challenge = sasl_server.evaluate_response(client_initial_response(None, False, custom_extensions))

    assert len(next_challenge) == 0
    assert sasl_server.get_negotiated_property("firstKey") == "value1"
    assert sasl_server.get_negotiated_property("secondKey") == "value2"


def test_unrecognized_extensions_are_not_saved() -> None:
    sasl_server = OAuthBearerSaslServer(EXTENSIONS_VALIDATOR_CALLBACK_HANDLER)
    custom_extensions = {"firstKey": "value1", "secondKey": "value1", "thirdKey": "value1"}

    next_challenge = sasl_server.evaluate_response(client_initial_response(None, False, custom_extensions))

    assert len(next_challenge) == 0
    assert sasl_server.get_negotiated_property("thirdKey") is None
    assert sasl_server.get_negotiated_property("secondKey") == "value1"


def test_throws_authentication_exception_on_invalid_extensions() -> None:
    sasl_server = OAuthBearerSaslServer(ExtensionsHandler(
        invalid={"firstKey": "is not valid", "secondKey": "is not valid either"}))
    custom_extensions = {"firstKey": "value", "secondKey": "value"}

    with pytest.raises(SaslAuthenticationException) as e:
        sasl_server.evaluate_response(client_initial_response(None, False, custom_extensions))
    assert str(e.value) == ("Authentication failed: 2 extensions are invalid! They are: firstKey: is not "
                            "valid; secondKey: is not valid either")


def test_authorization_id_equals_authentication_id(sasl_server: OAuthBearerSaslServer) -> None:
    next_challenge = sasl_server.evaluate_response(client_initial_response(USER))
    assert len(next_challenge) == 0


def test_authorization_id_not_equals_authentication_id(sasl_server: OAuthBearerSaslServer) -> None:
    with pytest.raises(SaslAuthenticationException):
        sasl_server.evaluate_response(client_initial_response(USER + "x"))


def test_illegal_token(sasl_server: OAuthBearerSaslServer) -> None:
    bytes_ = sasl_server.evaluate_response(client_initial_response(None, True))
    challenge = bytes_.decode()
    assert challenge == '{"status":"invalid_token"}'


def test_handlers_that_fail(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(TRACE)

    class Handler(ExtensionsHandler):
        def handle(self, callbacks: Sequence[Callback]) -> None:
            raise OSError("no disk")

    response = client_initial_response(None)
    for handler in (Handler(), ExtensionsHandler(error=OSError("no disk"))):
        caplog.clear()
        with pytest.raises(SaslException) as e:
            OAuthBearerSaslServer(handler).evaluate_response(response)
        assert str(e.value) == ("Authentication could not be performed due to an internal error on the "
                                "server: no disk")
        [record] = caplog.records
        assert record.getMessage() == str(e.value) and record.exc_info is not None
    older = OAuthBearerSaslServer(ExtensionsHandler(error=UnsupportedCallbackException(Callback())))
    assert older.evaluate_response(response) == b"" and older.is_complete()
    with pytest.raises(IllegalArgumentException, match="must be castable"):
        OAuthBearerSaslServer(object())  # type: ignore[arg-type]
