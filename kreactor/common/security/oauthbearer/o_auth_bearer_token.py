# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.oauthbearer.OAuthBearerToken of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A token and its claims."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Set as AbstractSet


class OAuthBearerToken(ABC):
    """A token whose claims are known. Times are in milliseconds since 1970.

    :origin: common.security.oauthbearer.OAuthBearerToken
    """

    __slots__ = ()

    @abstractmethod
    def value(self) -> str:
        """:origin: common.security.oauthbearer.OAuthBearerToken#value()"""

    @abstractmethod
    def scope(self) -> AbstractSet[str]:
        """:origin: common.security.oauthbearer.OAuthBearerToken#scope()"""

    @abstractmethod
    def lifetime_ms(self) -> int:
        """Return the expiration time.

        :origin: common.security.oauthbearer.OAuthBearerToken#lifetimeMs()
        """

    @abstractmethod
    def principal_name(self) -> str:
        """:origin: common.security.oauthbearer.OAuthBearerToken#principalName()"""

    @abstractmethod
    def start_time_ms(self) -> int | None:
        """:origin: common.security.oauthbearer.OAuthBearerToken#startTimeMs()"""
