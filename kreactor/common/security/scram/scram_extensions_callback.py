# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.scram.ScramExtensionsCallback of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The callback that asks a client's handler for SCRAM extensions."""

from __future__ import annotations

from collections.abc import Mapping

from kreactor.jdk.sasl import Callback


class ScramExtensionsCallback(Callback):
    """:origin: common.security.scram.ScramExtensionsCallback"""

    __slots__ = ("_extensions",)

    def __init__(self) -> None:
        self._extensions: Mapping[str, str] = {}

    def extensions(self) -> Mapping[str, str]:
        """Return the extensions by name, empty until the handler answers.

        :origin: common.security.scram.ScramExtensionsCallback#extensions()
        """
        return self._extensions

    def set_extensions(self, extensions: Mapping[str, str]) -> None:
        """Set the extensions.

        :origin: common.security.scram.ScramExtensionsCallback#extensions(Map<String,String>)
        """
        self._extensions = extensions
