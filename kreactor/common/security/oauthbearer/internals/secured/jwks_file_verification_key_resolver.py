# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of JwksFileVerificationKeyResolver, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A resolver that reads its keys from a file once. Only a new listener reads changed keys."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kreactor.common.security.oauthbearer.internals.secured.closeable_verification_key_resolver import (
    CloseableVerificationKeyResolver,
)
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.jose import (
    JsonWebKey,
    JwksVerificationKeyResolver,
    UnresolvableKeyException,
    VerificationKeyResolver,
)

log = LogContext().logger(f"{__name__}.JwksFileVerificationKeyResolver")


class JwksFileVerificationKeyResolver(CloseableVerificationKeyResolver):
    """:origin: common.security.oauthbearer.internals.secured.JwksFileVerificationKeyResolver"""

    def __init__(self, jwks_file: Path) -> None:
        """:origin: common.security.oauthbearer.internals.secured.JwksFileVerificationKeyResolver#JwksFileVerificationKeyResolver(
            Path)
        """  # noqa: E501
        self._jwks_file = jwks_file
        self._delegate: VerificationKeyResolver | None = None

    def init(self) -> None:
        """Read the keys. Raises OSError.

        :origin: common.security.oauthbearer.internals.secured.JwksFileVerificationKeyResolver#init()
        """
        log.debug("Reading keys from %s", self._jwks_file)
        try:
            self._delegate = JwksVerificationKeyResolver(self._jwks_file.read_text("utf-8"))
        except UnicodeDecodeError:
            raise OSError(f"{self._jwks_file} is not UTF-8") from None
        except ValueError as e:
            raise OSError(f"{self._jwks_file}: {e}") from None

    def resolve_key(self, header: Mapping[str, Any]) -> JsonWebKey:
        """Return the key for a token. Raises UnresolvableKeyException.

        :origin: common.security.oauthbearer.internals.secured.JwksFileVerificationKeyResolver#resolveKey(
            JsonWebSignature, List<JsonWebStructure>)
        """
        if self._delegate is None:
            raise UnresolvableKeyException(
                "VerificationKeyResolver delegate is null; please call init() first")
        return self._delegate.resolve_key(header)
