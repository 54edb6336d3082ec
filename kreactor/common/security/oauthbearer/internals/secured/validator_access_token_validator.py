# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of ValidatorAccessTokenValidator, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The validator of signed tokens in a broker."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from kreactor.common.security.oauthbearer.internals.secured.access_token_validator import AccessTokenValidator
from kreactor.common.security.oauthbearer.internals.secured.basic_o_auth_bearer_token import (
    BasicOAuthBearerToken,
)
from kreactor.common.security.oauthbearer.internals.secured.claim_validation_utils import (
    ClaimValidationUtils,
)
from kreactor.common.security.oauthbearer.internals.secured.serialized_jwt import SerializedJwt
from kreactor.common.security.oauthbearer.internals.secured.validate_exception import ValidateException
from kreactor.common.security.oauthbearer.o_auth_bearer_token import OAuthBearerToken
from kreactor.jdk.jose import InvalidJwtException, JwtConsumer, VerificationKeyResolver


class ValidatorAccessTokenValidator(AccessTokenValidator):
    """Accepts a token with this audience and the signature of a known key.

    :origin: common.security.oauthbearer.internals.secured.ValidatorAccessTokenValidator
    """

    def __init__(self, clock_skew: int | None, expected_audiences: AbstractSet[str] | None,
                 expected_issuer: str | None, verification_key_resolver: VerificationKeyResolver,
                 scope_claim_name: str, sub_claim_name: str) -> None:
        """``clock_skew`` is in seconds.

        :origin: common.security.oauthbearer.internals.secured.ValidatorAccessTokenValidator#ValidatorAccessTokenValidator(
            Integer, Set<String>, String, VerificationKeyResolver, String, String)
        """  # noqa: E501
        self._jwt_consumer = JwtConsumer(
            verification_key_resolver, clock_skew or 0, expected_audiences, expected_issuer)
        self._scope_claim_name = scope_claim_name
        self._sub_claim_name = sub_claim_name

    def validate(self, access_token: str | None) -> OAuthBearerToken:
        """:origin: common.security.oauthbearer.internals.secured.ValidatorAccessTokenValidator#validate(
            String)
        """
        serialized_jwt = SerializedJwt(access_token)
        try:
            claims = self._jwt_consumer.process(serialized_jwt.get_token())
        except InvalidJwtException as e:
            raise ValidateException(f"Could not validate the access token: {e}") from None

        scope_raw = claims.get(self._scope_claim_name)
        scope_raw_collection = (
            [scope_raw] if isinstance(scope_raw, str) else scope_raw if isinstance(scope_raw, list) else [])
        expiration_raw = self._get_claim_ms(claims, "exp")
        sub_raw = claims.get(self._sub_claim_name)
        issued_at_raw = self._get_claim_ms(claims, "iat")

        scopes = ClaimValidationUtils.validate_scopes(self._scope_claim_name, scope_raw_collection)
        expiration = ClaimValidationUtils.validate_expiration("exp", expiration_raw)
        sub = ClaimValidationUtils.validate_subject(self._sub_claim_name, sub_raw)
        issued_at = ClaimValidationUtils.validate_issued_at("iat", issued_at_raw)
        return BasicOAuthBearerToken(serialized_jwt.get_token(), scopes, expiration, sub, issued_at)

    @staticmethod
    def _get_claim_ms(claims: Mapping[str, Any], claim_name: str) -> int | None:
        """Return a time claim in milliseconds; its precision is seconds.

        :origin: common.security.oauthbearer.internals.secured.ValidatorAccessTokenValidator#getClaim(
            ClaimSupplier<T>, String)
        """
        value = claims.get(claim_name)
        return None if value is None else int(value) * 1000
