# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.common.MetadataVersionValidator of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The validator of a setting that contains a version."""

from __future__ import annotations

from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.config_exception import ConfigException
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.server.common.metadata_version import VERSIONS, MetadataVersion


class MetadataVersionValidator(ConfigDef.Validator):
    """Accepts the texts that ``MetadataVersion.from_version_string`` accepts.

    :origin: server.common.MetadataVersionValidator
    """

    def ensure_valid(self, name: str, value: object) -> None:
        """Raise ConfigException if ``value`` is not a version.

        :origin: server.common.MetadataVersionValidator#ensureValid(String, Object)
        """
        try:
            MetadataVersion.from_version_string(str(value))
        except IllegalArgumentException as e:
            raise ConfigException(name, str(value), str(e)) from e

    def __str__(self) -> str:
        """:origin: server.common.MetadataVersionValidator#toString()"""
        return "[" + ", ".join(version.version() for version in VERSIONS) + "]"
