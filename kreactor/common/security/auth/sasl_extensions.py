# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.auth.SaslExtensions of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The optional key-value pairs that a client adds to a SASL exchange."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType


class SaslExtensions:
    """Extensions by name. Immutable. An instance equals only itself, so a subject can hold two equal sets.

    :origin: common.security.auth.SaslExtensions
    """

    __slots__ = ("_extensions_map",)

    def __init__(self, extensions_map: Mapping[str, str]) -> None:
        """:origin: common.security.auth.SaslExtensions#SaslExtensions(Map<String,String>)"""
        self._extensions_map = MappingProxyType(dict(extensions_map))

    def map(self) -> Mapping[str, str]:
        """Return the values by their names.

        :origin: common.security.auth.SaslExtensions#map()
        """
        return self._extensions_map

    @staticmethod
    def empty() -> SaslExtensions:
        """Return a new instance without extensions.

        :origin: common.security.auth.SaslExtensions#empty()
        """
        return SaslExtensions({})

    def __str__(self) -> str:
        """:origin: common.security.auth.SaslExtensions#toString()"""
        return f"SaslExtensions[extensionsMap={dict(self._extensions_map)}]"
