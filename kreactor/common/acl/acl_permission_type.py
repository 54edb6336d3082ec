# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.acl.AclPermissionType of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The types of permissions: allow and deny."""

from __future__ import annotations

from enum import Enum


class AclPermissionType(Enum):
    """A type of permission. The value is the code on the wire.

    :origin: common.acl.AclPermissionType
    """

    UNKNOWN = 0
    ANY = 1
    DENY = 2
    ALLOW = 3

    @staticmethod
    def from_string(string: str) -> AclPermissionType:
        """Return the type named ``arg``, ignoring case, or UNKNOWN.

        :origin: common.acl.AclPermissionType#fromString(String)
        """
        return AclPermissionType.__members__.get(string.upper(), AclPermissionType.UNKNOWN)

    @staticmethod
    def from_code(code: int) -> AclPermissionType:
        """Return the type of a code, or UNKNOWN.

        :origin: common.acl.AclPermissionType#fromCode(byte)
        """
        return _BY_CODE.get(code, AclPermissionType.UNKNOWN)

    def code(self) -> int:
        """Return the code.

        :origin: common.acl.AclPermissionType#code()
        """
        return int(self.value)

    def is_unknown(self) -> bool:
        """Return whether the permission is UNKNOWN.

        :origin: common.acl.AclPermissionType#isUnknown()
        """
        return self is AclPermissionType.UNKNOWN


_BY_CODE = {permission_type.value: permission_type for permission_type in AclPermissionType}
