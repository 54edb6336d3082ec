# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of OAuthBearerUnsecuredValidatorCallbackHandlerTest, of the package
# org.apache.kafka.common.security.oauthbearer.internals.unsecured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A broker looks at tokens without a signature."""

from __future__ import annotations

import base64
from collections.abc import Mapping

import pytest

from kreactor.common.security.auth.sasl_extensions import SaslExtensions
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_config_exception import (
    OAuthBearerConfigException,
)
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_unsecured_jws import (
    OAuthBearerUnsecuredJws,
)
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_unsecured_validator_callback_handler import (  # noqa: E501
    OAuthBearerUnsecuredValidatorCallbackHandler,
)
from kreactor.common.security.oauthbearer.o_auth_bearer_extensions_validator_callback import (
    OAuthBearerExtensionsValidatorCallback,
)
from kreactor.common.security.oauthbearer.o_auth_bearer_login_module import OAuthBearerLoginModule
from kreactor.common.security.oauthbearer.o_auth_bearer_validator_callback import OAuthBearerValidatorCallback
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.login import AppConfigurationEntry, LoginModuleControlFlag
from kreactor.jdk.sasl import Callback, UnsupportedCallbackException
from kreactor.testing.mock_time import MockTime
from tests.common.security.oauthbearer.o_auth_bearer_token_mock import OAuthBearerTokenMock


def claim_or_header_text(claim_name: str, claim_value: float | str) -> str:
    value = f'"{claim_value}"' if isinstance(claim_value, str) else claim_value
    return f'"{claim_name}":{value}'


def exp_claim_text(lifetime_seconds: int) -> str:
    return claim_or_header_text("exp", MOCK_TIME.milliseconds() / 1000.0 + lifetime_seconds)


UNSECURED_JWT_HEADER_JSON = "{" + claim_or_header_text("alg", "none") + "}"
MOCK_TIME = MockTime()
PRINCIPAL_CLAIM_VALUE = "username"
PRINCIPAL_CLAIM_TEXT = claim_or_header_text("principal", PRINCIPAL_CLAIM_VALUE)
SUB_CLAIM_TEXT = claim_or_header_text("sub", PRINCIPAL_CLAIM_VALUE)
BAD_PRINCIPAL_CLAIM_TEXT = claim_or_header_text("principal", 1)
LIFETIME_SECONDS_TO_USE = 1000 * 60 * 60
EXPIRATION_TIME_CLAIM_TEXT = exp_claim_text(LIFETIME_SECONDS_TO_USE)
TOO_EARLY_EXPIRATION_TIME_CLAIM_TEXT = exp_claim_text(0)
ISSUED_AT_CLAIM_TEXT = claim_or_header_text("iat", MOCK_TIME.milliseconds() / 1000.0)
SCOPE_CLAIM_TEXT = claim_or_header_text("scope", "scope1")
MODULE_OPTIONS_MAP_NO_SCOPE_REQUIRED = {
    "unsecuredValidatorPrincipalClaimName": "principal",
    "unsecuredValidatorAllowableClockSkewMs": "1",
}
MODULE_OPTIONS_MAP_REQUIRE_EXISTING_SCOPE = {"unsecuredValidatorRequiredScope": "scope1"}
MODULE_OPTIONS_MAP_REQUIRE_ADDITIONAL_SCOPE = {"unsecuredValidatorRequiredScope": "scope1 scope2"}


def confirm_fails_validation(header_json: str, claims_json: str, module_options_map: Mapping[str, str],
                             optional_failure_scope: str | None = None) -> None:
    callback = validation_result(header_json, claims_json, module_options_map)
    assert callback.token() is None
    assert callback.error_open_id_configuration() is None
    if optional_failure_scope is None:
        assert callback.error_status() == "invalid_token"
        assert callback.error_scope() is None
    else:
        assert callback.error_status() == "insufficient_scope"
        assert callback.error_scope() == optional_failure_scope


def validation_result(header_json: str, claims_json: str,
                      module_options_map: Mapping[str, str]) -> OAuthBearerValidatorCallback:
    token_value = "{}.{}.".format(*(
        base64.urlsafe_b64encode(text.encode()).decode().rstrip("=") for text in (header_json, claims_json)))
    callback = OAuthBearerValidatorCallback(token_value)
    create_callback_handler(module_options_map).handle([callback])
    return callback


def create_callback_handler(options: Mapping[str, str]) -> OAuthBearerUnsecuredValidatorCallbackHandler:
    callback_handler = OAuthBearerUnsecuredValidatorCallbackHandler()
    entry = AppConfigurationEntry(
        "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule",
        LoginModuleControlFlag.REQUIRED, options)
    callback_handler.configure({}, OAuthBearerLoginModule.OAUTHBEARER_MECHANISM, [entry])
    return callback_handler


def test_valid_token() -> None:
    for include_optional_issued_at_claim in (True, False):
        claims_json = ("{" + PRINCIPAL_CLAIM_TEXT + "," + EXPIRATION_TIME_CLAIM_TEXT
                       + ("," + ISSUED_AT_CLAIM_TEXT if include_optional_issued_at_claim else "") + "}")
        result = validation_result(
            UNSECURED_JWT_HEADER_JSON, claims_json, MODULE_OPTIONS_MAP_NO_SCOPE_REQUIRED)
        assert isinstance(result.token(), OAuthBearerUnsecuredJws)


def test_bad_or_missing_principal() -> None:
    for exists in (True, False):
        claims_json = ("{" + EXPIRATION_TIME_CLAIM_TEXT
                       + ("," + BAD_PRINCIPAL_CLAIM_TEXT if exists else "") + "}")
        confirm_fails_validation(
            UNSECURED_JWT_HEADER_JSON, claims_json, MODULE_OPTIONS_MAP_NO_SCOPE_REQUIRED)


def test_too_early_expiration_time() -> None:
    claims_json = ("{" + PRINCIPAL_CLAIM_TEXT + "," + ISSUED_AT_CLAIM_TEXT
                   + "," + TOO_EARLY_EXPIRATION_TIME_CLAIM_TEXT + "}")
    confirm_fails_validation(UNSECURED_JWT_HEADER_JSON, claims_json, MODULE_OPTIONS_MAP_NO_SCOPE_REQUIRED)


def test_includes_required_scope() -> None:
    claims_json = "{" + SUB_CLAIM_TEXT + "," + EXPIRATION_TIME_CLAIM_TEXT + "," + SCOPE_CLAIM_TEXT + "}"
    result = validation_result(
        UNSECURED_JWT_HEADER_JSON, claims_json, MODULE_OPTIONS_MAP_REQUIRE_EXISTING_SCOPE)
    assert isinstance(result.token(), OAuthBearerUnsecuredJws)


def test_missing_required_scope() -> None:
    claims_json = "{" + SUB_CLAIM_TEXT + "," + EXPIRATION_TIME_CLAIM_TEXT + "," + SCOPE_CLAIM_TEXT + "}"
    confirm_fails_validation(
        UNSECURED_JWT_HEADER_JSON, claims_json, MODULE_OPTIONS_MAP_REQUIRE_ADDITIONAL_SCOPE,
        "[scope1, scope2]")


# -- cases of our own ----------------------------------------------------------------------------------


@pytest.mark.deviation("D181")
@pytest.mark.parametrize(("options", "message"), [
    ({"unsecuredValidatorRequiredScope": '"'}, 'Invalid scope value: "'),
    ({"unsecuredValidatorRequiredScope": "a\tb"}, "Invalid scope value: a\tb"),
    ({"unsecuredValidatorAllowableClockSkewMs": "-1"},
     "Allowable clock skew millis must not be negative: -1"),
    ({"unsecuredValidatorAllowableClockSkewMs": "x"}, 'For input string: "x"'),
    ({"unsecuredValidatorAllowableClockSkewMs": "2147483648"}, 'For input string: "2147483648"'),
])
def test_options_that_cannot_be(options: Mapping[str, str], message: str) -> None:
    with pytest.raises(OAuthBearerConfigException) as e:
        create_callback_handler(options)
    assert str(e.value) == message


def test_blank_options_are_none() -> None:
    claims_json = "{" + SUB_CLAIM_TEXT + "," + EXPIRATION_TIME_CLAIM_TEXT + "}"
    options = {f"unsecuredValidator{name}": " " for name in (
        "PrincipalClaimName", "ScopeClaimName", "RequiredScope", "AllowableClockSkewMs")}
    assert validation_result(UNSECURED_JWT_HEADER_JSON, claims_json, options).token() is not None
    options["unsecuredValidatorPrincipalClaimName"] = " principal "
    claims_json = "{" + PRINCIPAL_CLAIM_TEXT + "," + EXPIRATION_TIME_CLAIM_TEXT + "}"
    token = validation_result(UNSECURED_JWT_HEADER_JSON, claims_json, options).token()
    assert token is not None and token.principal_name() == PRINCIPAL_CLAIM_VALUE


def test_extensions_are_all_taken() -> None:
    callback = OAuthBearerExtensionsValidatorCallback(OAuthBearerTokenMock(), SaslExtensions({"a": "b"}))
    create_callback_handler({}).handle([callback])
    assert callback.validated_extensions() == {"a": "b"}


def test_a_handler_that_is_asked_for_something_else() -> None:
    handler = OAuthBearerUnsecuredValidatorCallbackHandler()
    assert not handler.configured()
    with pytest.raises(IllegalStateException, match="Callback handler not configured"):
        handler.handle([])
    for mechanism in ("PLAIN", "OAUTHBEARER"):
        with pytest.raises(IllegalArgumentException):
            handler.configure({}, mechanism, [])
    with pytest.raises(UnsupportedCallbackException):
        create_callback_handler({}).handle([Callback()])


@pytest.mark.deviation("D192")
def test_the_log_has_the_principal_and_no_other_claim(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    claims = ",".join([PRINCIPAL_CLAIM_TEXT, EXPIRATION_TIME_CLAIM_TEXT, '"secret":"sEcret"'])
    callback = validation_result(
        UNSECURED_JWT_HEADER_JSON, f"{{{claims}}}", MODULE_OPTIONS_MAP_NO_SCOPE_REQUIRED)
    assert callback.token() is not None
    assert PRINCIPAL_CLAIM_VALUE in caplog.text and "sEcret" not in caplog.text
