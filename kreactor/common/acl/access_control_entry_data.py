# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.acl.AccessControlEntryData of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The fields of an entry and of a filter of entries."""

from __future__ import annotations

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType


class AccessControlEntryData:
    """A principal, a host, an operation and a permission type. Immutable.

    :origin: common.acl.AccessControlEntryData
    """

    __slots__ = ("_principal", "_host", "_operation", "_permission_type")

    def __init__(self, principal: str | None, host: str | None, operation: AclOperation,
                 permission_type: AclPermissionType) -> None:
        """
        :origin: common.acl.AccessControlEntryData#AccessControlEntryData(String, String, AclOperation, AclPermissionType)
        """  # noqa: E501
        self._principal = principal
        self._host = host
        self._operation = operation
        self._permission_type = permission_type

    def principal(self) -> str | None:
        """:origin: common.acl.AccessControlEntryData#principal()"""
        return self._principal

    def host(self) -> str | None:
        """:origin: common.acl.AccessControlEntryData#host()"""
        return self._host

    def operation(self) -> AclOperation:
        """:origin: common.acl.AccessControlEntryData#operation()"""
        return self._operation

    def permission_type(self) -> AclPermissionType:
        """:origin: common.acl.AccessControlEntryData#permissionType()"""
        return self._permission_type

    def find_indefinite_field(self) -> str | None:
        """Return a description of the first field that is not definite, or None.

        :origin: common.acl.AccessControlEntryData#findIndefiniteField()
        """
        if self._principal is None:
            return "Principal is NULL"
        if self._host is None:
            return "Host is NULL"
        if self._operation is AclOperation.ANY:
            return "Operation is ANY"
        if self._operation is AclOperation.UNKNOWN:
            return "Operation is UNKNOWN"
        if self._permission_type is AclPermissionType.ANY:
            return "Permission type is ANY"
        if self._permission_type is AclPermissionType.UNKNOWN:
            return "Permission type is UNKNOWN"
        return None

    def __str__(self) -> str:
        """:origin: common.acl.AccessControlEntryData#toString()"""
        return (f"(principal={'<any>' if self._principal is None else self._principal}, "
                f"host={'<any>' if self._host is None else self._host}, "
                f"operation={self._operation.name}, permissionType={self._permission_type.name})")

    def is_unknown(self) -> bool:
        """Return whether a field is unknown.

        :origin: common.acl.AccessControlEntryData#isUnknown()
        """
        return self._operation.is_unknown() or self._permission_type.is_unknown()

    def __eq__(self, other: object) -> bool:
        """:origin: common.acl.AccessControlEntryData#equals(Object)"""
        return (isinstance(other, AccessControlEntryData) and self._principal == other._principal
                and self._host == other._host and self._operation is other._operation
                and self._permission_type is other._permission_type)

    def __hash__(self) -> int:
        """:origin: common.acl.AccessControlEntryData#hashCode()"""
        return hash((self._principal, self._host, self._operation, self._permission_type))
