# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.acl.AccessControlEntry of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""An entry that allows or denies a principal an operation."""

from __future__ import annotations

from kreactor.common.acl.access_control_entry_data import AccessControlEntryData
from kreactor.common.acl.access_control_entry_filter import AccessControlEntryFilter
from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType
from kreactor.jdk.exceptions import IllegalArgumentException


class AccessControlEntry:
    """A principal, a host, an operation and a permission type. Immutable.

    :origin: common.acl.AccessControlEntry
    """

    __slots__ = ("_principal", "_host", "_data")

    def __init__(self, principal: str, host: str, operation: AclOperation,
                 permission_type: AclPermissionType) -> None:
        """Keep the fields. Raises IllegalArgumentException for values that only a filter may have.

        :origin: common.acl.AccessControlEntry#AccessControlEntry(String, String, AclOperation, AclPermissionType)
        """  # noqa: E501
        if operation is AclOperation.ANY:
            raise IllegalArgumentException("operation must not be ANY")
        if permission_type is AclPermissionType.ANY:
            raise IllegalArgumentException("permissionType must not be ANY")
        self._principal = principal
        self._host = host
        self._data = AccessControlEntryData(principal, host, operation, permission_type)

    def principal(self) -> str:
        """Return the principal as ``type:name``. ``User:*`` means every user.

        :origin: common.acl.AccessControlEntry#principal()
        """
        return self._principal

    def host(self) -> str:
        """Return the client's address, ``*`` for any.

        :origin: common.acl.AccessControlEntry#host()
        """
        return self._host

    def operation(self) -> AclOperation:
        """Return the operation, never ANY.

        :origin: common.acl.AccessControlEntry#operation()
        """
        return self._data.operation()

    def permission_type(self) -> AclPermissionType:
        """Return whether the entry allows or denies the operation, never ANY.

        :origin: common.acl.AccessControlEntry#permissionType()
        """
        return self._data.permission_type()

    def to_filter(self) -> AccessControlEntryFilter:
        """Return a filter that matches only this entry.

        :origin: common.acl.AccessControlEntry#toFilter()
        """
        return AccessControlEntryFilter.of(self._data)

    def __str__(self) -> str:
        """:origin: common.acl.AccessControlEntry#toString()"""
        return str(self._data)

    __repr__ = __str__

    def is_unknown(self) -> bool:
        """Return whether a field of the entry is unknown.

        :origin: common.acl.AccessControlEntry#isUnknown()
        """
        return self._data.is_unknown()

    def __eq__(self, other: object) -> bool:
        """:origin: common.acl.AccessControlEntry#equals(Object)"""
        return isinstance(other, AccessControlEntry) and self._data == other._data

    def __hash__(self) -> int:
        """:origin: common.acl.AccessControlEntry#hashCode()"""
        return hash(self._data)
