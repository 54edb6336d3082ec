# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.resource.PatternType of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The types of patterns in permissions."""

from __future__ import annotations

from enum import Enum


class PatternType(Enum):
    """A type of pattern. The value is the code on the wire.

    :origin: common.resource.PatternType
    """

    UNKNOWN = 0
    ANY = 1
    MATCH = 2
    LITERAL = 3
    PREFIXED = 4

    def code(self) -> int:
        """Return the code.

        :origin: common.resource.PatternType#code()
        """
        return int(self.value)

    def is_unknown(self) -> bool:
        """Return whether the type is UNKNOWN.

        :origin: common.resource.PatternType#isUnknown()
        """
        return self is PatternType.UNKNOWN

    def is_specific(self) -> bool:
        """Return whether a permission may have the type. Other types occur only in filters.

        :origin: common.resource.PatternType#isSpecific()
        """
        return self in (PatternType.LITERAL, PatternType.PREFIXED)

    @staticmethod
    def from_code(code: int) -> PatternType:
        """Return the type of a code, or UNKNOWN.

        :origin: common.resource.PatternType#fromCode(byte)
        """
        return _BY_CODE.get(code, PatternType.UNKNOWN)

    @staticmethod
    def from_string(name: str) -> PatternType:
        """Return the type of a name, or UNKNOWN.

        :origin: common.resource.PatternType#fromString(String)
        """
        return PatternType.__members__.get(name, PatternType.UNKNOWN)


_BY_CODE = {pattern_type.value: pattern_type for pattern_type in PatternType}
