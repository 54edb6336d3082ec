# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.metadata.placement.DefaultDirProvider of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The directory in which a broker creates a replica."""

from __future__ import annotations

from typing import Protocol

from kreactor.common.uuid import Uuid


class DefaultDirProvider(Protocol):
    """:origin: metadata.placement.DefaultDirProvider"""

    def default_dir(self, broker_id: int) -> Uuid:
        """Return the id of the directory, or a reserved id if it is unknown.

        :origin: metadata.placement.DefaultDirProvider#defaultDir(int)
        """
        ...
