# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of AccessTokenValidatorTest, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Tokens that no validator accepts: they are no JWT."""

from __future__ import annotations

import pytest

from tests.common.security.oauthbearer.internals.secured.test_validator_access_token_validator import (
    refused,
    section,
)


def test_null() -> None:
    assert refused(None).startswith("Empty JWT provided")


def test_empty_string() -> None:
    assert refused("").startswith("Empty JWT provided")


def test_whitespace() -> None:
    assert refused("    ").startswith("Empty JWT provided")


def test_empty_sections() -> None:
    assert refused("..").startswith("Malformed JWT provided")


def test_missing_header() -> None:
    assert refused(f".{section({})}.").startswith("Malformed JWT provided")
    assert refused(f".{section({})}.c2ln").endswith("but header section missing")


def test_missing_payload() -> None:
    refused(f"{section({'alg': 'none'})}..")
    assert refused(f"{section({'alg': 'none'})}..c2ln").endswith("but payload section missing")


@pytest.mark.deviation("D192")
def test_missing_signature() -> None:
    refused(f"{section({'alg': 'none'})}.{section({})}.")
