# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of LoginAccessTokenValidator, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The validator with which a client checks its own token."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kreactor.common.config.sasl_configs import SaslConfigs
from kreactor.common.security.oauthbearer.internals.secured.access_token_validator import AccessTokenValidator
from kreactor.common.security.oauthbearer.internals.secured.basic_o_auth_bearer_token import (
    BasicOAuthBearerToken,
)
from kreactor.common.security.oauthbearer.internals.secured.claim_validation_utils import ClaimValidationUtils
from kreactor.common.security.oauthbearer.internals.secured.serialized_jwt import SerializedJwt
from kreactor.common.security.oauthbearer.internals.secured.validate_exception import ValidateException
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_illegal_token_exception import (
    OAuthBearerIllegalTokenException,
)
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_unsecured_jws import (
    OAuthBearerUnsecuredJws,
)
from kreactor.common.security.oauthbearer.o_auth_bearer_token import OAuthBearerToken
from kreactor.common.utils.log_context import LogContext

log = LogContext().logger(f"{__name__}.LoginAccessTokenValidator")


class LoginAccessTokenValidator(AccessTokenValidator):
    """Checks the claims. Only the broker checks the signature.

    :origin: common.security.oauthbearer.internals.secured.LoginAccessTokenValidator
    """

    EXPIRATION_CLAIM_NAME = "exp"
    ISSUED_AT_CLAIM_NAME = "iat"

    def __init__(self, scope_claim_name: str | None, sub_claim_name: str | None) -> None:
        """Keep the names of the scope claim and of the subject claim. Raises ValidateException.

        :origin: common.security.oauthbearer.internals.secured.LoginAccessTokenValidator#LoginAccessTokenValidator(String, String)
        """  # noqa: E501
        self._scope_claim_name = ClaimValidationUtils.validate_claim_name_override(
            SaslConfigs.DEFAULT_SASL_OAUTHBEARER_SCOPE_CLAIM_NAME, scope_claim_name)
        self._sub_claim_name = ClaimValidationUtils.validate_claim_name_override(
            SaslConfigs.DEFAULT_SASL_OAUTHBEARER_SUB_CLAIM_NAME, sub_claim_name)

    def validate(self, access_token: str | None) -> OAuthBearerToken:
        """Return the token with its claims. Raises ValidateException.

        :origin: common.security.oauthbearer.internals.secured.LoginAccessTokenValidator#validate(String)
        """
        serialized_jwt = SerializedJwt(access_token)
        try:
            payload = OAuthBearerUnsecuredJws.to_map(serialized_jwt.get_payload())
        except OAuthBearerIllegalTokenException as e:
            raise ValidateException(f"Could not validate the access token: {e}", e) from e

        scope_raw = self._get_claim(payload, self._scope_claim_name)
        scope_raw_collection: Iterable[object] = ()

        if isinstance(scope_raw, str):
            scope_raw_collection = (scope_raw,)
        elif isinstance(scope_raw, (list, tuple)):
            scope_raw_collection = scope_raw

        expiration_raw = self._get_number(payload, self.EXPIRATION_CLAIM_NAME)
        sub_raw = self._get_claim(payload, self._sub_claim_name)
        # DEVIATION D305: the origin's cast ends the login.
        if sub_raw is not None and not isinstance(sub_raw, str):
            raise ValidateException(f"{self._sub_claim_name} value must be a text")
        issued_at_raw = self._get_number(payload, self.ISSUED_AT_CLAIM_NAME)

        scopes = ClaimValidationUtils.validate_scopes(self._scope_claim_name, scope_raw_collection)
        expiration = ClaimValidationUtils.validate_expiration(
            self.EXPIRATION_CLAIM_NAME, None if expiration_raw is None else expiration_raw * 1000)
        subject = ClaimValidationUtils.validate_subject(self._sub_claim_name, sub_raw)
        issued_at = ClaimValidationUtils.validate_issued_at(
            self.ISSUED_AT_CLAIM_NAME, None if issued_at_raw is None else issued_at_raw * 1000)

        return BasicOAuthBearerToken(serialized_jwt.get_token(), scopes, expiration, subject, issued_at)

    def _get_number(self, payload: Mapping[str, Any], claim_name: str) -> int | None:
        """Return a claim as an integer. Raises ValidateException."""
        value = self._get_claim(payload, claim_name)
        if value is None:
            return None
        # DEVIATION D305: the origin's cast ends the login.
        try:
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                return int(value)
        except (OverflowError, ValueError):
            pass
        raise ValidateException(f"{claim_name} value must be a number")

    def _get_claim(self, payload: Mapping[str, Any], claim_name: str) -> object:
        """:origin: common.security.oauthbearer.internals.secured.LoginAccessTokenValidator#getClaim(
            Map<String,Object>, String)
        """
        # DEVIATION D192: the origin logs the value.
        log.debug("claim %s is %s", claim_name, "there" if claim_name in payload else "missing")
        return payload.get(claim_name)
