# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.auth.SaslExtensionsCallback of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The callback that asks a client's handler for SASL extensions."""

from __future__ import annotations

from kreactor.common.security.auth.sasl_extensions import SaslExtensions
from kreactor.jdk.sasl import Callback


class SaslExtensionsCallback(Callback):
    """:origin: common.security.auth.SaslExtensionsCallback"""

    __slots__ = ("_extensions",)

    def __init__(self) -> None:
        self._extensions: SaslExtensions | None = SaslExtensions.empty()

    def extensions(self) -> SaslExtensions | None:
        """Return the extensions: empty until a handler sets them, None if a handler sets None.

        :origin: common.security.auth.SaslExtensionsCallback#extensions()
        """
        return self._extensions

    def set_extensions(self, extensions: SaslExtensions | None) -> None:
        """Set the extensions.

        :origin: common.security.auth.SaslExtensionsCallback#extensions(SaslExtensions)
        """
        self._extensions = extensions
