# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.RecordVersion of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The versions of the record format. Settings call a version "message format", batches call it "magic"."""

from __future__ import annotations

from enum import Enum

from kreactor.jdk.exceptions import IllegalArgumentException


class RecordVersion(Enum):
    """A version. Its ``value`` is the magic.

    :origin: common.record.RecordVersion
    """

    V0 = 0
    V1 = 1
    V2 = 2

    def precedes(self, other: RecordVersion) -> bool:
        """Return whether this version is older than ``other``.

        :origin: common.record.RecordVersion#precedes(RecordVersion)
        """
        return bool(self.value < other.value)

    @staticmethod
    def lookup(value: int) -> RecordVersion:
        """Return the version of a magic. Raises IllegalArgumentException.

        :origin: common.record.RecordVersion#lookup(byte)
        """
        if value < 0 or value >= len(RecordVersion):
            raise IllegalArgumentException(f"Unknown record version: {value}")
        return RecordVersion(value)

    @staticmethod
    def current() -> RecordVersion:
        """Return the version of new batches.

        :origin: common.record.RecordVersion#current()
        """
        return RecordVersion.V2
