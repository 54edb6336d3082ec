# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.ElectionType of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The types of leader elections."""

from __future__ import annotations

from enum import Enum

from kreactor.jdk.exceptions import IllegalArgumentException


class ElectionType(Enum):
    """A type of leader election. The value is the code on the wire.

    :origin: common.ElectionType
    :origin: common.ElectionType#ElectionType(byte)
    """

    PREFERRED = 0
    UNCLEAN = 1

    @staticmethod
    def value_of(value: int) -> ElectionType:
        """Return the type of a code. Raises IllegalArgumentException for an unknown code.

        :origin: common.ElectionType#valueOf(byte)
        """
        if value == ElectionType.PREFERRED.value:
            return ElectionType.PREFERRED
        if value == ElectionType.UNCLEAN.value:
            return ElectionType.UNCLEAN
        types = ", ".join(map(str, ElectionType))
        raise IllegalArgumentException(f"Value {value} must be one of [{types}]")

    def __str__(self) -> str:
        """:origin: common.ElectionType#toString()"""
        return self.name
