# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of AccessTokenValidator, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of a validator of tokens."""

from __future__ import annotations

from abc import ABC, abstractmethod

from kreactor.common.security.oauthbearer.o_auth_bearer_token import OAuthBearerToken


class AccessTokenValidator(ABC):
    """:origin: common.security.oauthbearer.internals.secured.AccessTokenValidator"""

    @abstractmethod
    def validate(self, access_token: str | None) -> OAuthBearerToken:
        """Return the token with its claims. Raises ValidateException.

        :origin: common.security.oauthbearer.internals.secured.AccessTokenValidator#validate(String)
        """
