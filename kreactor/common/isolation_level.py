# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.IsolationLevel of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The isolation levels of consumers."""

from __future__ import annotations

from enum import Enum

from kreactor.jdk.exceptions import IllegalArgumentException


class IsolationLevel(Enum):
    """The records that a fetch returns: all, or only committed ones. The value is the id on the wire.

    :origin: common.IsolationLevel
    """

    READ_UNCOMMITTED = 0
    READ_COMMITTED = 1

    def id(self) -> int:
        """Return the id on the wire.

        :origin: common.IsolationLevel#id()
        """
        return int(self.value)

    @staticmethod
    def for_id(id_: int) -> IsolationLevel:
        """Return the level with this id. Raises IllegalArgumentException for an unknown id.

        :origin: common.IsolationLevel#forId(byte)
        """
        if id_ == 0:
            return IsolationLevel.READ_UNCOMMITTED
        if id_ == 1:
            return IsolationLevel.READ_COMMITTED
        raise IllegalArgumentException(f"Unknown isolation level {id_}")

    def __str__(self) -> str:
        """Return the name in lower case, as in settings.

        :origin: common.IsolationLevel#toString()
        """
        return self.name.lower()
