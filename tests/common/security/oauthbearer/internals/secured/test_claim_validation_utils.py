# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of ClaimValidationUtilsTest, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The legal values of claims."""

from __future__ import annotations

import pytest

from kreactor.common.security.oauthbearer.internals.secured.claim_validation_utils import (
    ClaimValidationUtils,
)
from kreactor.common.security.oauthbearer.internals.secured.validate_exception import ValidateException


def test_validate_scopes() -> None:
    assert ClaimValidationUtils.validate_scopes("scope", ["  a  ", "    b    "]) == {"a", "b"}


@pytest.mark.parametrize("scopes", [["a", "b", "a"], ["a", "b", "  a  "]])
def test_validate_scopes_disallows_duplicates(scopes: list[str]) -> None:
    with pytest.raises(ValidateException, match="^scope value must not contain duplicates$"):
        ClaimValidationUtils.validate_scopes("scope", scopes)


@pytest.mark.parametrize("scopes", [["a", ""], ["a", None], ["a", "  "], None])
def test_validate_scopes_disallows_empty_null_and_whitespace(scopes: list[str | None] | None) -> None:
    with pytest.raises(ValidateException):
        ClaimValidationUtils.validate_scopes("scope", scopes)


def test_validate_scopes_result_is_immutable() -> None:
    caller_set = {"a", "b", "c"}
    scopes = ClaimValidationUtils.validate_scopes("scope", caller_set)
    caller_set.add("d")
    caller_set.remove("c")
    assert scopes == {"a", "b", "c"}
    caller_set.clear()
    assert scopes == {"a", "b", "c"}


def test_validate_scopes_result_throws_exception_on_mutation() -> None:
    assert not hasattr(ClaimValidationUtils.validate_scopes("scope", ["a"]), "clear")


def test_validate_expiration() -> None:
    assert ClaimValidationUtils.validate_expiration("exp", 1) == 1


def test_validate_expiration_allows_zero() -> None:
    assert ClaimValidationUtils.validate_expiration("exp", 0) == 0


def test_validate_expiration_disallows_null() -> None:
    with pytest.raises(ValidateException):
        ClaimValidationUtils.validate_expiration("exp", None)


def test_validate_expiration_disallows_negatives() -> None:
    with pytest.raises(ValidateException):
        ClaimValidationUtils.validate_expiration("exp", -1)


def test_validate_subject() -> None:
    assert ClaimValidationUtils.validate_subject("sub", "jdoe") == "jdoe"


@pytest.mark.parametrize("subject", ["", None, "  ", 7, "\ud800"])
def test_validate_subject_disallows_empty_null_and_whitespace(subject: object) -> None:
    with pytest.raises(ValidateException):
        ClaimValidationUtils.validate_subject("sub", subject)


def test_validate_claim_name_override() -> None:
    assert ClaimValidationUtils.validate_claim_name_override("sub", "  email  ") == "email"


@pytest.mark.parametrize("name", ["", None, "  "])
def test_validate_claim_name_override_disallows_empty_null_and_whitespace(name: str | None) -> None:
    with pytest.raises(ValidateException):
        ClaimValidationUtils.validate_claim_name_override("sub", name)


def test_validate_issued_at() -> None:
    assert ClaimValidationUtils.validate_issued_at("iat", 1) == 1


def test_validate_issued_at_allows_zero() -> None:
    assert ClaimValidationUtils.validate_issued_at("iat", 0) == 0


def test_validate_issued_at_allows_null() -> None:
    assert ClaimValidationUtils.validate_issued_at("iat", None) is None


def test_validate_issued_at_disallows_negatives() -> None:
    with pytest.raises(ValidateException):
        ClaimValidationUtils.validate_issued_at("iat", -1)
