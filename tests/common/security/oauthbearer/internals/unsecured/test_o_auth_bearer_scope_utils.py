# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of OAuthBearerScopeUtilsTest, of the package
# org.apache.kafka.common.security.oauthbearer.internals.unsecured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Scopes in one text."""

from __future__ import annotations

import pytest

from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_config_exception import (
    OAuthBearerConfigException,
)
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_scope_utils import (
    OAuthBearerScopeUtils,
)
from kreactor.common.utils.utils import Utils


def test_valid_scope() -> None:
    for valid_scope in ("", "   ", "scope1", " scope1 ", "scope1 Scope2", "scope1   Scope2"):
        parsed_scope = OAuthBearerScopeUtils.parse_scope(valid_scope)
        if Utils.is_blank(valid_scope):
            assert not parsed_scope
        elif "Scope2" in valid_scope:
            assert len(parsed_scope) == 2 and parsed_scope[0] == "scope1" and parsed_scope[1] == "Scope2"
        else:
            assert len(parsed_scope) == 1 and parsed_scope[0] == "scope1"


def test_invalid_scope() -> None:
    for invalid_scope in ('"foo', "\\foo"):
        with pytest.raises(OAuthBearerConfigException):
            OAuthBearerScopeUtils.parse_scope(invalid_scope)


@pytest.mark.parametrize("invalid_scope", ["a\tb", "a\x7f", "é", "a b\n"])
def test_what_else_a_scope_cannot_have(invalid_scope: str) -> None:
    with pytest.raises(OAuthBearerConfigException, match="^Invalid scope value: "):
        OAuthBearerScopeUtils.parse_scope(invalid_scope)
