# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of ClaimValidationUtils, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Checks of one claim at a time."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from kreactor.common.security.oauthbearer.internals.secured.validate_exception import ValidateException
from kreactor.jdk.text import trim


class ClaimValidationUtils:
    """Checks claims. Each method raises ValidateException, whose text has the claim's name and not its value.

    Times are in milliseconds.

    :origin: common.security.oauthbearer.internals.secured.ClaimValidationUtils
    """

    # DEVIATION D192: no error text has the value of a claim.

    @staticmethod
    def validate_scopes(scope_claim_name: str, scopes: Iterable[object] | None) -> AbstractSet[str]:
        """Return the scopes, stripped. Raises ValidateException for duplicates.

        :origin: common.security.oauthbearer.internals.secured.ClaimValidationUtils#validateScopes(
            String, Collection<String>)
        """
        if scopes is None:
            raise ValidateException(f"{scope_claim_name} value must be non-null")
        copy: set[str] = set()
        for each in scopes:
            scope = ClaimValidationUtils._validate_string(scope_claim_name, each)
            if scope in copy:
                raise ValidateException(f"{scope_claim_name} value must not contain duplicates")
            copy.add(scope)
        return frozenset(copy)

    @staticmethod
    def validate_expiration(claim_name: str, claim_value: int | None) -> int:
        """:origin: common.security.oauthbearer.internals.secured.ClaimValidationUtils#validateExpiration(
            String, Long)
        """
        if claim_value is None:
            raise ValidateException(f"{claim_name} value must be non-null")
        if claim_value < 0:
            raise ValidateException(f"{claim_name} value must be non-negative")
        return claim_value

    @staticmethod
    def validate_subject(claim_name: str, claim_value: object) -> str:
        """:origin: common.security.oauthbearer.internals.secured.ClaimValidationUtils#validateSubject(
            String, String)
        """
        return ClaimValidationUtils._validate_string(claim_name, claim_value)

    @staticmethod
    def validate_issued_at(claim_name: str, claim_value: int | None) -> int | None:
        """:origin: common.security.oauthbearer.internals.secured.ClaimValidationUtils#validateIssuedAt(
            String, Long)
        """
        if claim_value is not None and claim_value < 0:
            raise ValidateException(f"{claim_name} value must be null or non-negative")
        return claim_value

    @staticmethod
    def validate_claim_name_override(name: str, value: str | None) -> str:
        """:origin: common.security.oauthbearer.internals.secured.ClaimValidationUtils#validateClaimNameOverride(
            String, String)
        """  # noqa: E501
        return ClaimValidationUtils._validate_string(name, value)

    @staticmethod
    def _validate_string(name: str, value: object) -> str:
        """:origin: common.security.oauthbearer.internals.secured.ClaimValidationUtils#validateString(
            String, String)
        """
        if value is None:
            raise ValidateException(f"{name} value must be non-null")
        # DEVIATION D194: an element of a list can have any JSON type, and a principal must be valid UTF-8.
        if not isinstance(value, str) or any("\ud800" <= char <= "\udfff" for char in value):
            raise ValidateException(f"{name} value must be text")
        if not value:
            raise ValidateException(f"{name} value must be non-empty")
        value = trim(value)
        if not value:
            raise ValidateException(f"{name} value must not contain only whitespace")
        return value
