# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.scram.internals.ScramExtensions of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The extensions of a client's first message, beside its name."""

from __future__ import annotations

from collections.abc import Mapping

from kreactor.common.security.auth.sasl_extensions import SaslExtensions
from kreactor.common.utils.utils import Utils

TOKEN_AUTH_CONFIG = "tokenauth"


class ScramExtensions(SaslExtensions):
    """Extensions by name. Immutable.

    :origin: common.security.scram.internals.ScramExtensions
    """

    __slots__ = ()

    def __init__(self, extensions: Mapping[str, str] | str = "") -> None:
        """Keep the extensions, given as a map or as a part of a message.

        :origin: common.security.scram.internals.ScramExtensions#ScramExtensions()
        :origin: common.security.scram.internals.ScramExtensions#ScramExtensions(String)
        :origin: common.security.scram.internals.ScramExtensions#ScramExtensions(Map<String,String>)
        """
        super().__init__(
            Utils.parse_map(extensions, "=", ",") if isinstance(extensions, str) else extensions)

    def token_authenticated(self) -> bool:
        """Return whether the client's name is the id of a delegation token.

        :origin: common.security.scram.internals.ScramExtensions#tokenAuthenticated()
        """
        return self.map().get(TOKEN_AUTH_CONFIG, "").lower() == "true"
