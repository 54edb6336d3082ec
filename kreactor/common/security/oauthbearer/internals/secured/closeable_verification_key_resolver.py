# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of CloseableVerificationKeyResolver, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""What finds keys, and has a beginning and an end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from kreactor.jdk.jose import JsonWebKey


class CloseableVerificationKeyResolver(ABC):
    """:origin: common.security.oauthbearer.internals.secured.CloseableVerificationKeyResolver"""

    def init(self) -> None:
        """Get what is needed. Raises OSError.

        :origin: common.security.oauthbearer.internals.secured.Initable#init()
        """

    @abstractmethod
    def resolve_key(self, header: Mapping[str, Any]) -> JsonWebKey:
        """Return the key for a token with this header. Raises UnresolvableKeyException."""

    def close(self) -> None:
        """Let go of it.

        :origin: common.security.oauthbearer.internals.secured.CloseableVerificationKeyResolver#close()
        """
