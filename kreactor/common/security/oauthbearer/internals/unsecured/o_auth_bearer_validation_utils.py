# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of OAuthBearerValidationUtils, of the package
# org.apache.kafka.common.security.oauthbearer.internals.unsecured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The checks of an unsigned token."""

from __future__ import annotations

from collections.abc import Sequence

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
from kreactor.common.security.oauthbearer.o_auth_bearer_token import OAuthBearerToken
from kreactor.jdk.text import java_text


class OAuthBearerValidationUtils:
    """Checks of single claims. Each check returns its result.

    Check times and clock skews are in milliseconds, claims in seconds.

    :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerValidationUtils
    """

    @staticmethod
    def validate_claim_for_existence_and_type(
        jwt: OAuthBearerUnsecuredJws, required: bool, claim_name: str, *allowed_types: type,
    ) -> OAuthBearerValidationResult:
        """``allowed_types`` are those of ``OAuthBearerUnsecuredJws.claim``.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerValidationUtils#validateClaimForExistenceAndType(
            OAuthBearerUnsecuredJws, boolean, String, Class<?>...)
        """  # noqa: E501
        raw_claim = jwt.raw_claim(claim_name)
        if raw_claim is None:
            return (OAuthBearerValidationResult.new_failure(f"Required claim missing: {claim_name}")
                    if required else OAuthBearerValidationResult.new_success())
        for allowed_type in allowed_types:
            if jwt.is_claim_type(claim_name, allowed_type):
                return OAuthBearerValidationResult.new_success()
        return OAuthBearerValidationResult.new_failure(
            f"The {claim_name} claim had the incorrect type: {jwt.type_name(raw_claim)}")

    @staticmethod
    def validate_issued_at(jwt: OAuthBearerUnsecuredJws, required: bool, when_check_time_ms: int,
                           allowable_clock_skew_ms: int) -> OAuthBearerValidationResult:
        """Check the time of issue. Raises OAuthBearerConfigException for a negative skew.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerValidationUtils#validateIssuedAt(
            OAuthBearerUnsecuredJws, boolean, long, int)
        """  # noqa: E501
        try:
            value = jwt.issued_at()
        except OAuthBearerIllegalTokenException as e:
            return e.reason()
        if value is None:
            return OAuthBearerValidationUtils._does_not_exist_result(required, "iat")
        double_value = float(value)
        return OAuthBearerValidationResult.new_failure(
            f"The Issued At value ({double_value:f} seconds) was after the indicated time "
            f"({when_check_time_ms} ms) plus allowable clock skew ({allowable_clock_skew_ms} ms)"
        ) if 1000 * double_value > when_check_time_ms + OAuthBearerValidationUtils._confirm_non_negative(
            allowable_clock_skew_ms) else OAuthBearerValidationResult.new_success()

    @staticmethod
    def validate_expiration_time(jwt: OAuthBearerUnsecuredJws, when_check_time_ms: int,
                                 allowable_clock_skew_ms: int) -> OAuthBearerValidationResult:
        """Check the expiration time. Raises OAuthBearerConfigException for a negative skew.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerValidationUtils#validateExpirationTime(
            OAuthBearerUnsecuredJws, long, int)
        """  # noqa: E501
        try:
            value = jwt.expiration_time()
        except OAuthBearerIllegalTokenException as e:
            return e.reason()
        if value is None:
            return OAuthBearerValidationUtils._does_not_exist_result(True, "exp")
        double_value = float(value)
        return OAuthBearerValidationResult.new_failure(
            f"The indicated time ({when_check_time_ms} ms) minus allowable clock skew "
            f"({allowable_clock_skew_ms} ms) was on or after the Expiration Time value "
            f"({double_value:f} seconds)"
        ) if when_check_time_ms - OAuthBearerValidationUtils._confirm_non_negative(
            allowable_clock_skew_ms) >= 1000 * double_value else OAuthBearerValidationResult.new_success()

    @staticmethod
    def validate_time_consistency(jwt: OAuthBearerUnsecuredJws) -> OAuthBearerValidationResult:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerValidationUtils#validateTimeConsistency(
            OAuthBearerUnsecuredJws)
        """  # noqa: E501
        try:
            issued_at = jwt.issued_at()
            expiration_time = jwt.expiration_time()
        except OAuthBearerIllegalTokenException as e:
            return e.reason()
        if expiration_time is not None and issued_at is not None and expiration_time <= issued_at:
            return OAuthBearerValidationResult.new_failure(
                f"The Expiration Time time ({expiration_time:f} seconds) was not after the Issued At time "
                f"({issued_at:f} seconds)")
        return OAuthBearerValidationResult.new_success()

    @staticmethod
    def validate_scope(token: OAuthBearerToken,
                       required_scope: Sequence[str] | None) -> OAuthBearerValidationResult:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerValidationUtils#validateScope(
            OAuthBearerToken, List<String>)
        """  # noqa: E501
        token_scope = token.scope()
        if not required_scope:
            return OAuthBearerValidationResult.new_success()
        for required_scope_element in required_scope:
            if required_scope_element not in token_scope:
                all_required = java_text(list(required_scope))
                return OAuthBearerValidationResult.new_failure(
                    f"The provided scope ({java_text(sorted(token_scope))}) was missing a required scope "
                    f"({required_scope_element}).  All required scope elements: {all_required}",
                    all_required, None)
        return OAuthBearerValidationResult.new_success()

    @staticmethod
    def _confirm_non_negative(allowable_clock_skew_ms: int) -> int:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerValidationUtils#confirmNonNegative(
            int)
        """  # noqa: E501
        if allowable_clock_skew_ms < 0:
            raise OAuthBearerConfigException(
                f"Allowable clock skew must not be negative: {allowable_clock_skew_ms}")
        return allowable_clock_skew_ms

    @staticmethod
    def _does_not_exist_result(required: bool, claim_name: str) -> OAuthBearerValidationResult:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerValidationUtils#doesNotExistResult(
            boolean, String)
        """  # noqa: E501
        return (OAuthBearerValidationResult.new_failure(f"Required claim missing: {claim_name}")
                if required else OAuthBearerValidationResult.new_success())
