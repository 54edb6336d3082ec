# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.acl.AclOperation of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The operations that may be allowed or denied."""

from __future__ import annotations

from enum import Enum


class AclOperation(Enum):
    """An operation. The value is the code on the wire, and the bit in fields of authorized operations.

    :origin: common.acl.AclOperation
    """

    UNKNOWN = 0
    ANY = 1
    ALL = 2
    READ = 3
    WRITE = 4
    CREATE = 5
    DELETE = 6
    ALTER = 7
    DESCRIBE = 8
    CLUSTER_ACTION = 9
    DESCRIBE_CONFIGS = 10
    ALTER_CONFIGS = 11
    IDEMPOTENT_WRITE = 12
    CREATE_TOKENS = 13
    DESCRIBE_TOKENS = 14

    @staticmethod
    def from_string(string: str) -> AclOperation:
        """Return the operation named ``str_``, ignoring case, or UNKNOWN.

        :origin: common.acl.AclOperation#fromString(String)
        """
        return AclOperation.__members__.get(string.upper(), AclOperation.UNKNOWN)

    @staticmethod
    def from_code(code: int) -> AclOperation:
        """Return the operation of a code, or UNKNOWN.

        :origin: common.acl.AclOperation#fromCode(byte)
        """
        return _BY_CODE.get(code, AclOperation.UNKNOWN)

    def code(self) -> int:
        """Return the code.

        :origin: common.acl.AclOperation#code()
        """
        return int(self.value)

    def is_unknown(self) -> bool:
        """Return whether the operation is UNKNOWN.

        :origin: common.acl.AclOperation#isUnknown()
        """
        return self is AclOperation.UNKNOWN


_BY_CODE = {operation.value: operation for operation in AclOperation}
