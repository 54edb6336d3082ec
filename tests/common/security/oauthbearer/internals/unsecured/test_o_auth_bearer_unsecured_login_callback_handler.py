# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of OAuthBearerUnsecuredLoginCallbackHandlerTest, of the package
# org.apache.kafka.common.security.oauthbearer.internals.unsecured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Tokens and extensions made from the options of a login module."""

from __future__ import annotations

from typing import Any

import pytest

from kreactor.common.security.auth.sasl_extensions_callback import SaslExtensionsCallback
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_unsecured_jws import (
    OAuthBearerUnsecuredJws,
)
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_unsecured_login_callback_handler import (  # noqa: E501
    OAuthBearerUnsecuredLoginCallbackHandler,
)
from kreactor.common.security.oauthbearer.o_auth_bearer_login_module import OAuthBearerLoginModule
from kreactor.common.security.oauthbearer.o_auth_bearer_token_callback import OAuthBearerTokenCallback
from kreactor.jdk.doubles import round_to_long
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.login import AppConfigurationEntry, LoginModuleControlFlag
from kreactor.jdk.sasl import Callback, UnsupportedCallbackException
from kreactor.testing.mock_time import MockTime


def create_callback_handler(options: dict[str, str],
                            mock_time: MockTime) -> OAuthBearerUnsecuredLoginCallbackHandler:
    callback_handler = OAuthBearerUnsecuredLoginCallbackHandler()
    callback_handler.time(mock_time)
    entry = AppConfigurationEntry(
        "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule",
        LoginModuleControlFlag.REQUIRED, options)
    callback_handler.configure({}, OAuthBearerLoginModule.OAUTHBEARER_MECHANISM, [entry])
    return callback_handler


def confirm_correct_values(jws: OAuthBearerUnsecuredJws, user: str, start_ms: int, lifetime_ms: int) -> None:
    header = jws.header()
    assert len(header) == 1
    assert header["alg"] == "none"
    assert jws.principal_name() == user
    assert jws.start_time_ms() == start_ms
    issued_at, expiration_time = jws.issued_at(), jws.expiration_time()
    assert issued_at is not None and expiration_time is not None
    assert round_to_long(issued_at * 1000) == start_ms
    assert jws.lifetime_ms() == start_ms + lifetime_ms
    assert round_to_long(expiration_time * 1000) == jws.lifetime_ms()


def created(options: dict[str, str], mock_time: MockTime) -> OAuthBearerUnsecuredJws:
    callback = OAuthBearerTokenCallback()
    create_callback_handler(options, mock_time).handle([callback])
    jws = callback.token()
    assert isinstance(jws, OAuthBearerUnsecuredJws), "create token failed"
    return jws


def test_adds_extensions() -> None:
    callback_handler = create_callback_handler({"unsecuredLoginExtension_testId": "1"}, MockTime())
    callback = SaslExtensionsCallback()

    callback_handler.handle([callback])

    extensions = callback.extensions()
    assert extensions is not None
    assert extensions.map()["testId"] == "1"


def test_throws_error_on_invalid_extension_name() -> None:
    callback_handler = create_callback_handler({"unsecuredLoginExtension_test.Id": "1"}, MockTime())
    callback = SaslExtensionsCallback()

    with pytest.raises(OSError):
        callback_handler.handle([callback])


def test_throws_error_on_invalid_extension_value() -> None:
    callback_handler = create_callback_handler({"unsecuredLoginExtension_testId": "Çalifornia"}, MockTime())
    callback = SaslExtensionsCallback()

    with pytest.raises(OSError):
        callback_handler.handle([callback])


def test_minimal_token() -> None:
    user = "user"
    mock_time = MockTime()
    jws = created({"unsecuredLoginStringClaim_sub": user}, mock_time)
    start_ms = mock_time.milliseconds()
    confirm_correct_values(jws, user, start_ms, 1000 * 60 * 60)
    assert jws.claims().keys() == {"sub", "iat", "exp"}


def test_valid_options_with_explicit_option_values() -> None:
    explicit_scope1 = "scope1"
    explicit_scope2 = "scope2"
    explicit_scope_claim_name = "putScopeInHere"
    principal_claim_name = "principal"
    for scope_claim_name_option_value in (None, explicit_scope_claim_name):
        user = "user"
        lifetime_seconds = 10000
        options = {
            "unsecuredLoginStringClaim_" + principal_claim_name: user,
            "unsecuredLoginListClaim_" + "list": ",1,2,",
            "unsecuredLoginListClaim_" + "emptyList1": "",
            "unsecuredLoginListClaim_" + "emptyList2": ",",
            "unsecuredLoginNumberClaim_" + "number": "1",
            "unsecuredLoginLifetimeSeconds": str(lifetime_seconds),
            "unsecuredLoginPrincipalClaimName": principal_claim_name,
        }
        if scope_claim_name_option_value is not None:
            options["unsecuredLoginScopeClaimName"] = scope_claim_name_option_value
        actual_scope_claim_name = (
            "scope" if scope_claim_name_option_value is None else explicit_scope_claim_name)
        options["unsecuredLoginListClaim_" + actual_scope_claim_name] = (
            f"|{explicit_scope1}|{explicit_scope2}")
        mock_time = MockTime()
        jws = created(options, mock_time)
        start_ms = mock_time.milliseconds()
        confirm_correct_values(jws, user, start_ms, lifetime_seconds * 1000)
        claims = jws.claims()
        assert claims.keys() == {
            actual_scope_claim_name, principal_claim_name, "iat", "exp", "number", "list", "emptyList1",
            "emptyList2"}
        assert set(claims[actual_scope_claim_name]) == {explicit_scope1, explicit_scope2}
        assert jws.scope() == {explicit_scope1, explicit_scope2}
        assert jws.claim("number", float) == 1.0
        assert jws.claim("list", list) == ["1", "2", ""]
        assert jws.claim("emptyList1", list) == []
        assert jws.claim("emptyList2", list) == []


# -- cases of our own ----------------------------------------------------------------------------------

SUB = {"unsecuredLoginStringClaim_sub": "alice"}


@pytest.mark.parametrize(("text", "elements"), [
    (".a.b", ["a", "b"]), ("\\a\\b", ["a", "b"]), ("$a$$b", ["a", "", "b", ""]), ("^a^^", ["a", ""]),
    ("[a", ["a"]), ("--a-b", ["", "a", "b", ""]), ("xaxbx", ["a", "b", ""]),
])
def test_lists(text: str, elements: list[str]) -> None:
    assert created({**SUB, "unsecuredLoginListClaim_l": text}, MockTime()).claim("l", list) == elements


@pytest.mark.parametrize(("options", "message"), [
    ({"unsecuredLoginExtension_a": "b"}, "Extensions provided in login context without a token"),
    ({**SUB, "unsecuredLoginLifetimeSeconds": "1.5"}, 'For input string: "1.5"'),
    ({**SUB, "unsecuredLoginLifetimeSeconds": "9223372036854775808"},
     'For input string: "9223372036854775808"'),
    ({**SUB, "unsecuredLoginNumberClaim_n": "1_0"}, 'For input string: "1_0"'),
    ({**SUB, "unsecuredLoginNumberClaim_n": "NaN"}, "malformed JSON"),
    ({**SUB, "unsecuredLoginStringClaim_iat": "1"}, "Cannot explicitly set the 'iat' claim"),
    ({**SUB, "unsecuredLoginNumberClaim_exp": "1"}, "Cannot explicitly set the 'exp' claim"),
    ({**SUB, "unsecuredLoginStringClaim_s": 'a"b'}, "malformed JSON"),
    ({"unsecuredLoginStringClaim_name": "alice"}, "No principal name in JWT claim: sub"),
])
def test_options_that_make_no_token(options: dict[str, str], message: str) -> None:
    with pytest.raises(OSError) as e:
        created(options, MockTime())
    assert str(e.value) == message


@pytest.mark.parametrize("text", ["*a*b", "+a", "?a", ")a", ",,"])
def test_lists_that_cannot_be(text: str) -> None:
    with pytest.raises(IllegalArgumentException):
        created({**SUB, "unsecuredLoginListClaim_l": text}, MockTime())


def test_claim_names_are_trimmed_and_blank_ones_are_none() -> None:
    options = {"unsecuredLoginStringClaim_name": "bob", "unsecuredLoginStringClaim_roles": "r"}
    jws = created({**options, "unsecuredLoginPrincipalClaimName": " name ",
                   "unsecuredLoginScopeClaimName": "\troles"}, MockTime())
    assert (jws.principal_name(), jws.scope()) == ("bob", {"r"})
    jws = created({**SUB, "unsecuredLoginPrincipalClaimName": " ",
                   "unsecuredLoginScopeClaimName": ""}, MockTime())
    assert (jws.principal_claim_name(), jws.scope_claim_name()) == ("sub", "scope")


def test_a_login_without_options_has_no_token() -> None:
    callback = OAuthBearerTokenCallback()
    create_callback_handler({}, MockTime()).handle([callback])
    assert callback.token() is None and callback.error_code() is None


def test_a_handler_that_is_asked_for_something_else() -> None:
    handler = OAuthBearerUnsecuredLoginCallbackHandler()
    assert not handler.configured()
    with pytest.raises(IllegalStateException):
        handler.handle([OAuthBearerTokenCallback()])
    entries: list[Any] = []
    for mechanism in ("PLAIN", "OAUTHBEARER"):
        with pytest.raises(IllegalArgumentException):
            handler.configure({}, mechanism, entries)
    handler = create_callback_handler(SUB, MockTime())
    with pytest.raises(UnsupportedCallbackException):
        handler.handle([Callback()])
    callback = OAuthBearerTokenCallback()
    handler.handle([callback])
    with pytest.raises(IllegalArgumentException, match="Callback had a token already"):
        handler.handle([callback])
