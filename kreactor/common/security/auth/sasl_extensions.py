# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.auth.SaslExtensions of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The pairs that a client adds to a SASL exchange and that the mechanism does not ask for."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

OMITTED = {
    "common.security.auth.SaslExtensions#equals(Object)":
        "Python compares objects by identity unless told otherwise",
    "common.security.auth.SaslExtensions#hashCode()":
        "Python compares objects by identity unless told otherwise",
}


class SaslExtensions:
    """Immutable. Equal to itself alone, so that a subject can hold two of one content.

    :origin: common.security.auth.SaslExtensions
    """

    __slots__ = ("_extensions_map",)

    def __init__(self, extensions_map: Mapping[str, str]) -> None:
        """:origin: common.security.auth.SaslExtensions#SaslExtensions(Map<String,String>)"""
        self._extensions_map = MappingProxyType(dict(extensions_map))

    def map(self) -> Mapping[str, str]:
        """Return values by names.

        :origin: common.security.auth.SaslExtensions#map()
        """
        return self._extensions_map

    @staticmethod
    def empty() -> SaslExtensions:
        """Return a new one without any.

        :origin: common.security.auth.SaslExtensions#empty()
        """
        return SaslExtensions({})

    def __str__(self) -> str:
        """:origin: common.security.auth.SaslExtensions#toString()"""
        return f"SaslExtensions[extensionsMap={dict(self._extensions_map)}]"
