# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of CloseableVerificationKeyResolver, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of a resolver of verification keys, usable between ``init`` and ``close``."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from kreactor.common.security.oauthbearer.internals.secured.initable import Initable
from kreactor.jdk.jose import JsonWebKey, VerificationKeyResolver


class CloseableVerificationKeyResolver(Initable, VerificationKeyResolver):
    """:origin: common.security.oauthbearer.internals.secured.CloseableVerificationKeyResolver"""

    @abstractmethod
    def resolve_key(self, header: Mapping[str, Any]) -> JsonWebKey:
        """Return the key for a token with this header. Raises UnresolvableKeyException."""

    def close(self) -> None:
        """Release the resources that ``init`` acquired.

        :origin: common.security.oauthbearer.internals.secured.CloseableVerificationKeyResolver#close()
        """
