# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of OAuthBearerTokenMock, of the package
# org.apache.kafka.common.security.oauthbearer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A token that has nothing."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from kreactor.common.security.oauthbearer.o_auth_bearer_token import OAuthBearerToken


class OAuthBearerTokenMock(OAuthBearerToken):
    """Has the given fields, and counts the calls."""

    def __init__(self, value: str = "", principal_name: str = "", lifetime_ms: int = 0,
                 start_time_ms: int | None = None) -> None:
        self._value = value
        self._principal_name = principal_name
        self._lifetime_ms = lifetime_ms
        self._start_time_ms = start_time_ms
        self.interactions = 0

    def value(self) -> str:
        self.interactions += 1
        return self._value

    def scope(self) -> AbstractSet[str]:
        self.interactions += 1
        return frozenset()

    def lifetime_ms(self) -> int:
        self.interactions += 1
        return self._lifetime_ms

    def principal_name(self) -> str:
        self.interactions += 1
        return self._principal_name

    def start_time_ms(self) -> int | None:
        self.interactions += 1
        return self._start_time_ms
