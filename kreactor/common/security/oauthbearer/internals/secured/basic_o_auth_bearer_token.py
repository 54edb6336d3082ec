# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of BasicOAuthBearerToken, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A token with the claims that a validator has read."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from kreactor.common.security.oauthbearer.o_auth_bearer_token import OAuthBearerToken


class BasicOAuthBearerToken(OAuthBearerToken):
    """:origin: common.security.oauthbearer.internals.secured.BasicOAuthBearerToken"""

    __slots__ = ("_token", "_scopes", "_lifetime_ms", "_principal_name", "_start_time_ms")

    def __init__(self, token: str, scopes: AbstractSet[str], lifetime_ms: int, principal_name: str,
                 start_time_ms: int | None) -> None:
        """:origin: common.security.oauthbearer.internals.secured.BasicOAuthBearerToken#BasicOAuthBearerToken(
            String, Set<String>, long, String, Long)
        """
        self._token = token
        self._scopes = scopes
        self._lifetime_ms = lifetime_ms
        self._principal_name = principal_name
        self._start_time_ms = start_time_ms

    def value(self) -> str:
        """:origin: common.security.oauthbearer.internals.secured.BasicOAuthBearerToken#value()"""
        return self._token

    def scope(self) -> AbstractSet[str]:
        """:origin: common.security.oauthbearer.internals.secured.BasicOAuthBearerToken#scope()"""
        return self._scopes

    def lifetime_ms(self) -> int:
        """:origin: common.security.oauthbearer.internals.secured.BasicOAuthBearerToken#lifetimeMs()"""
        return self._lifetime_ms

    def principal_name(self) -> str:
        """:origin: common.security.oauthbearer.internals.secured.BasicOAuthBearerToken#principalName()"""
        return self._principal_name

    def start_time_ms(self) -> int | None:
        """:origin: common.security.oauthbearer.internals.secured.BasicOAuthBearerToken#startTimeMs()"""
        return self._start_time_ms
