# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.MetadataRecoveryStrategy of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A client's reaction when none of its known nodes is reachable."""

from __future__ import annotations

from enum import Enum

from kreactor.jdk.exceptions import IllegalArgumentException


class MetadataRecoveryStrategy(Enum):
    """The values of ``metadata.recovery.strategy``: fail, or start again with ``bootstrap.servers``.

    :origin: clients.MetadataRecoveryStrategy
    """

    NONE = "none"
    REBOOTSTRAP = "rebootstrap"

    @staticmethod
    def for_name(name: str | None) -> MetadataRecoveryStrategy:
        """Return the member of a setting's value, ignoring case.

        Raises IllegalArgumentException for other values.

        :origin: clients.MetadataRecoveryStrategy#forName(String)
        """
        if name is None:
            raise IllegalArgumentException("Illegal MetadataRecoveryStrategy: null")
        try:
            return MetadataRecoveryStrategy[name.upper()]
        except KeyError:
            raise IllegalArgumentException(f"Illegal MetadataRecoveryStrategy: {name}") from None
