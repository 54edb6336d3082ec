# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of OAuthBearerValidationUtilsTest, of the package
# org.apache.kafka.common.security.oauthbearer.internals.unsecured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The checks of a token without a signature, one by one."""

from __future__ import annotations

import base64
import json

import pytest

from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_config_exception import (
    OAuthBearerConfigException,
)
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_illegal_token_exception import (
    OAuthBearerIllegalTokenException,
)
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_unsecured_jws import (
    OAuthBearerUnsecuredJws,
)
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_validation_result import (
    OAuthBearerValidationResult,
)
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_validation_utils import (
    OAuthBearerValidationUtils,
)
from kreactor.common.utils.time import Time
from kreactor.jdk.exceptions import IllegalArgumentException

TIME = Time.SYSTEM


def jws(**claims: object) -> OAuthBearerUnsecuredJws:
    header, payload = (base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")
                       for part in ({"alg": "none"}, claims))
    return OAuthBearerUnsecuredJws(f"{header}.{payload}.", "sub", "scope")


def is_success(result: OAuthBearerValidationResult) -> bool:
    return result.success()


def is_failure_with_message_and_no_failure_scope(result: OAuthBearerValidationResult) -> bool:
    return (not result.success() and bool(result.failure_description()) and result.failure_scope() is None
            and result.failure_open_id_config() is None)


def is_failure_with_message_and_failure_scope(result: OAuthBearerValidationResult) -> bool:
    return (not result.success() and bool(result.failure_description()) and bool(result.failure_scope())
            and result.failure_open_id_config() is None)


def assertion_failure_message(claim_value: float, allowable_clock_skew_ms: int, when_check_ms: int) -> str:
    return (f"time={claim_value:f} seconds, whenCheck = {when_check_ms} ms, "
            f"allowableClockSkew={allowable_clock_skew_ms} ms")


def test_validate_claim_for_existence_and_type() -> None:
    claim_name = "foo"
    for exists in (None, True, False):
        use_error_value = exists is None
        for required in (True, False):
            claims: dict[str, object] = {"exp": 100, "sub": "principalName"}
            if use_error_value:
                claims[claim_name] = 1
            elif exists:
                claims[claim_name] = claim_name
            test_jwt = jws(**claims)
            result = OAuthBearerValidationUtils.validate_claim_for_existence_and_type(
                test_jwt, required, claim_name, str)
            if use_error_value or required and not exists:
                assert is_failure_with_message_and_no_failure_scope(result)
            else:
                assert is_success(result)


def test_validate_issued_at() -> None:
    now_ms = TIME.milliseconds()
    now_claim_value = now_ms / 1000
    for exists in (True, False):
        test_jwt = jws(exp=now_claim_value, sub="principalName",
                       **{"iat": now_claim_value} if exists else {})
        for required in (True, False):
            for allowable_clock_skew_ms in (0, 5, 10, 20):
                for when_check_offset_ms in (-10, 0, 10):
                    when_check_ms = now_ms + when_check_offset_ms
                    result = OAuthBearerValidationUtils.validate_issued_at(
                        test_jwt, required, when_check_ms, allowable_clock_skew_ms)
                    message = assertion_failure_message(
                        now_claim_value, allowable_clock_skew_ms, when_check_ms)
                    if required and not exists:
                        assert is_failure_with_message_and_no_failure_scope(result)
                    elif not required and not exists:
                        assert is_success(result)
                    elif now_claim_value * 1000 > when_check_ms + allowable_clock_skew_ms:
                        assert is_failure_with_message_and_no_failure_scope(result), message
                    else:
                        assert is_success(result), message


def test_validate_expiration_time() -> None:
    now_ms = TIME.milliseconds()
    now_claim_value = now_ms / 1000
    test_jwt = jws(exp=now_claim_value, sub="principalName")
    for allowable_clock_skew_ms in (0, 5, 10, 20):
        for when_check_offset_ms in (-10, 0, 10):
            when_check_ms = now_ms + when_check_offset_ms
            result = OAuthBearerValidationUtils.validate_expiration_time(
                test_jwt, when_check_ms, allowable_clock_skew_ms)
            message = assertion_failure_message(now_claim_value, allowable_clock_skew_ms, when_check_ms)
            if when_check_ms - allowable_clock_skew_ms >= now_claim_value * 1000:
                assert is_failure_with_message_and_no_failure_scope(result), message
            else:
                assert is_success(result), message


def test_validate_expiration_time_and_issued_at_consistency() -> None:
    now_ms = TIME.milliseconds()
    now_claim_value = now_ms / 1000
    for issued_at_exists in (True, False):
        if not issued_at_exists:
            test_jwt = jws(exp=now_claim_value, sub="principalName")
            assert is_success(OAuthBearerValidationUtils.validate_time_consistency(test_jwt))
        else:
            for expiration_time_offset in (-1, 0, 1):
                test_jwt = jws(iat=now_claim_value, exp=now_claim_value + expiration_time_offset,
                               sub="principalName")
                result = OAuthBearerValidationUtils.validate_time_consistency(test_jwt)
                if expiration_time_offset <= 0:
                    assert is_failure_with_message_and_no_failure_scope(result)
                else:
                    assert is_success(result)


def test_validate_scope() -> None:
    now_ms = TIME.milliseconds()
    now_claim_value = now_ms / 1000
    no_scope: list[str] = []
    scope1 = ["scope1"]
    scope1_and_2 = ["scope1", "scope2"]
    for actual_scope_exists in (True, False):
        scopes = [no_scope, scope1, scope1_and_2] if actual_scope_exists else [None]
        for actual_scope in scopes:
            for required_scope_exists in (True, False):
                required_scopes = [no_scope, scope1, scope1_and_2] if required_scope_exists else [None]
                for required_scope in required_scopes:
                    test_jwt = jws(exp=now_claim_value, sub="principalName",
                                   **{} if actual_scope is None else {"scope": actual_scope})
                    result = OAuthBearerValidationUtils.validate_scope(test_jwt, required_scope)
                    if not required_scope:
                        assert is_success(result)
                    elif actual_scope is None or len(actual_scope) < len(required_scope):
                        assert is_failure_with_message_and_failure_scope(result)
                    else:
                        assert is_success(result)


# -- cases of our own ----------------------------------------------------------------------------------


def test_what_failures_say() -> None:
    utils = OAuthBearerValidationUtils
    test_jwt = jws(exp=1.5, iat=2, sub="a", scope=["b"], n=1)
    for result, text in (
        (utils.validate_claim_for_existence_and_type(test_jwt, True, "x", str), "Required claim missing: x"),
        (utils.validate_claim_for_existence_and_type(test_jwt, True, "n", str, list),
         "The n claim had the incorrect type: Integer"),
        (utils.validate_issued_at(test_jwt, True, 1994, 5),
         "The Issued At value (2.000000 seconds) was after the indicated time (1994 ms) plus allowable clock "
         "skew (5 ms)"),
        (utils.validate_expiration_time(test_jwt, 1505, 5),
         "The indicated time (1505 ms) minus allowable clock skew (5 ms) was on or after the Expiration Time "
         "value (1.500000 seconds)"),
        (utils.validate_time_consistency(test_jwt),
         "The Expiration Time time (1.500000 seconds) was not after the Issued At time (2.000000 seconds)"),
        (utils.validate_scope(test_jwt, ["b", "c"]),
         "The provided scope ([b]) was missing a required scope (c).  All required scope elements: [b, c]"),
    ):
        assert result.failure_description() == text
        with pytest.raises(OAuthBearerIllegalTokenException) as e:
            result.throw_exception_if_failed()
        assert str(e.value) == text and e.value.reason() is result
    assert utils.validate_claim_for_existence_and_type(test_jwt, True, "n", str, float).success()


def test_a_skew_is_not_negative() -> None:
    test_jwt = jws(exp=1, iat=1, sub="a")
    with pytest.raises(OAuthBearerConfigException, match="^Allowable clock skew must not be negative: -1$"):
        OAuthBearerValidationUtils.validate_issued_at(test_jwt, True, 1, -1)
    with pytest.raises(OAuthBearerConfigException, match="^Allowable clock skew must not be negative: -1$"):
        OAuthBearerValidationUtils.validate_expiration_time(test_jwt, 1, -1)


def test_results() -> None:
    success = OAuthBearerValidationResult.new_success()
    success.throw_exception_if_failed()
    with pytest.raises(IllegalArgumentException):
        OAuthBearerIllegalTokenException(success)
    for scope, config in (("a", None), (None, "b")):
        with pytest.raises(IllegalArgumentException):
            OAuthBearerValidationResult(True, None, scope, config)
    failure = OAuthBearerValidationResult.new_failure("a", "b", "c")
    assert (failure.failure_scope(), failure.failure_open_id_config()) == ("b", "c")
