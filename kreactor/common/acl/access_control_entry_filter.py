# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.acl.AccessControlEntryFilter of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A filter of entries."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from kreactor.common.acl.access_control_entry_data import AccessControlEntryData
from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType

if TYPE_CHECKING:
    from kreactor.common.acl.access_control_entry import AccessControlEntry


class AccessControlEntryFilter:
    """The fields of an entry, each of which may match any value. Immutable.

    :origin: common.acl.AccessControlEntryFilter
    """

    __slots__ = ("_data",)

    ANY: ClassVar[AccessControlEntryFilter]

    def __init__(self, principal: str | None, host: str | None, operation: AclOperation,
                 permission_type: AclPermissionType) -> None:
        """None as ``principal`` or ``host`` matches any.

        :origin: common.acl.AccessControlEntryFilter#AccessControlEntryFilter(String, String, AclOperation, AclPermissionType)
        """  # noqa: E501
        self._data = AccessControlEntryData(principal, host, operation, permission_type)

    @staticmethod
    def of(data: AccessControlEntryData) -> AccessControlEntryFilter:
        """Return a filter with the fields of ``data``.

        :origin: common.acl.AccessControlEntryFilter#AccessControlEntryFilter(AccessControlEntryData)
        """
        return AccessControlEntryFilter(
            data.principal(), data.host(), data.operation(), data.permission_type())

    def principal(self) -> str | None:
        """Return the principal, or None for any.

        :origin: common.acl.AccessControlEntryFilter#principal()
        """
        return self._data.principal()

    def host(self) -> str | None:
        """Return the client's address, or None for any.

        :origin: common.acl.AccessControlEntryFilter#host()
        """
        return self._data.host()

    def operation(self) -> AclOperation:
        """Return the operation, which may be ANY.

        :origin: common.acl.AccessControlEntryFilter#operation()
        """
        return self._data.operation()

    def permission_type(self) -> AclPermissionType:
        """Return the permission type, which may be ANY.

        :origin: common.acl.AccessControlEntryFilter#permissionType()
        """
        return self._data.permission_type()

    def __str__(self) -> str:
        """:origin: common.acl.AccessControlEntryFilter#toString()"""
        return str(self._data)

    __repr__ = __str__

    def is_unknown(self) -> bool:
        """Return whether a field of the filter is unknown.

        :origin: common.acl.AccessControlEntryFilter#isUnknown()
        """
        return self._data.is_unknown()

    def matches(self, other: AccessControlEntry) -> bool:
        """Return whether the filter matches ``other``.

        :origin: common.acl.AccessControlEntryFilter#matches(AccessControlEntry)
        """
        if self.principal() is not None and self.principal() != other.principal():
            return False
        if self.host() is not None and self.host() != other.host():
            return False
        if self.operation() is not AclOperation.ANY and self.operation() is not other.operation():
            return False
        return (self.permission_type() is AclPermissionType.ANY
                or self.permission_type() is other.permission_type())

    def matches_at_most_one(self) -> bool:
        """Return whether the filter matches at most one entry.

        :origin: common.acl.AccessControlEntryFilter#matchesAtMostOne()
        """
        return self.find_indefinite_field() is None

    def find_indefinite_field(self) -> str | None:
        """Return a description of the first field that may match several values, or None.

        :origin: common.acl.AccessControlEntryFilter#findIndefiniteField()
        """
        return self._data.find_indefinite_field()

    def __eq__(self, other: object) -> bool:
        """:origin: common.acl.AccessControlEntryFilter#equals(Object)"""
        return isinstance(other, AccessControlEntryFilter) and self._data == other._data

    def __hash__(self) -> int:
        """:origin: common.acl.AccessControlEntryFilter#hashCode()"""
        return hash(self._data)


AccessControlEntryFilter.ANY = AccessControlEntryFilter(None, None, AclOperation.ANY, AclPermissionType.ANY)
