# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of BasicOAuthBearerTokenTest, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A token as it was found to be."""

from __future__ import annotations

from kreactor.common.security.oauthbearer.internals.secured.basic_o_auth_bearer_token import (
    BasicOAuthBearerToken,
)


def check(lifetime_ms: int) -> None:
    token = BasicOAuthBearerToken("not.valid.token", frozenset(), lifetime_ms, "jdoe", 0)
    assert token.value() == "not.valid.token"
    assert not token.scope()
    assert token.lifetime_ms() == lifetime_ms
    assert token.principal_name() == "jdoe"
    assert token.start_time_ms() == 0


def test_basic() -> None:
    check(0)


def test_negative_lifetime() -> None:
    check(-1)


def test_no_error_if_modify_scope() -> None:
    caller_set = {"a", "b", "c"}
    token = BasicOAuthBearerToken("not.valid.token", caller_set, 0, "jdoe", 0)
    assert len(token.scope()) == 3
    caller_set.add("d")
    assert "d" in token.scope()
    caller_set.remove("c")
    assert "c" not in token.scope()


def test_the_token_is_in_no_text() -> None:
    token = BasicOAuthBearerToken("not.valid.token", frozenset(), 0, "jdoe", 0)
    assert "valid" not in repr(token) + str(token)
