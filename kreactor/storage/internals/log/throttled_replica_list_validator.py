# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.ThrottledReplicaListValidator
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Checks a list of throttled replicas."""

from __future__ import annotations

import re
from typing import ClassVar

from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.config_exception import ConfigException
from kreactor.jdk.text import class_name

_REPLICA = re.compile(r"([0-9]+:[0-9]+)?")


class ThrottledReplicaListValidator(ConfigDef.Validator):
    """Accepts ``*`` and lists of ``partition:broker``.

    :origin: storage.internals.log.ThrottledReplicaListValidator
    """

    INSTANCE: ClassVar[ConfigDef.Validator]

    @staticmethod
    def ensure_valid_string(name: str, value: str) -> None:
        """Raise ConfigException if ``value``, split at commas, is not such a list.

        :origin: storage.internals.log.ThrottledReplicaListValidator#ensureValidString(String, String)
        """
        ThrottledReplicaListValidator.INSTANCE.ensure_valid(name, value.split(","))

    def ensure_valid(self, name: str, value: object) -> None:
        """Raise ConfigException if ``value`` is not such a list.

        :origin: storage.internals.log.ThrottledReplicaListValidator#ensureValid(String, Object)
        """
        if not isinstance(value, list):
            raise ConfigException(name, value, f"{name} must be a List but was {class_name(type(value))}")
        proposed = [str(element).strip() for element in value]
        if not all(_REPLICA.fullmatch(s) for s in proposed) and "".join(proposed) != "*":
            raise ConfigException(
                name, value, f"{name} must be the literal '*' or a list of replicas in the following format: "
                "[partitionId]:[brokerId],[partitionId]:[brokerId],...")

    def __str__(self) -> str:
        """:origin: storage.internals.log.ThrottledReplicaListValidator#toString()"""
        return "[partitionId]:[brokerId],[partitionId]:[brokerId],..."


ThrottledReplicaListValidator.INSTANCE = ThrottledReplicaListValidator()
