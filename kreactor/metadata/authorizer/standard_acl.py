# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.metadata.authorizer.StandardAcl of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""An ACL as the authorizer stores it: flat, and with its own order."""

from __future__ import annotations

from kreactor.common.acl.access_control_entry import AccessControlEntry
from kreactor.common.acl.acl_binding import AclBinding
from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource_pattern import ResourcePattern
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.jdk.exceptions import IllegalStateException


class StandardAcl:
    """An ACL: its resource, principal, host, operation and permission type. Immutable.

    :origin: metadata.authorizer.StandardAcl
    """

    __slots__ = ("_resource_type", "_resource_name", "_pattern_type", "_principal", "_host", "_operation",
                 "_permission_type")

    @staticmethod
    def from_acl_binding(acl: AclBinding) -> StandardAcl:
        """:origin: metadata.authorizer.StandardAcl#fromAclBinding(AclBinding)"""
        return StandardAcl(
            acl.pattern().resource_type(),
            acl.pattern().name(),
            acl.pattern().pattern_type(),
            acl.entry().principal(),
            acl.entry().host(),
            acl.entry().operation(),
            acl.entry().permission_type())

    def __init__(self, resource_type: ResourceType, resource_name: str, pattern_type: PatternType,
                 principal: str, host: str, operation: AclOperation,
                 permission_type: AclPermissionType) -> None:
        """
        :origin: metadata.authorizer.StandardAcl#StandardAcl(ResourceType, String, PatternType, String, String, AclOperation, AclPermissionType)
        """  # noqa: E501
        self._resource_type = resource_type
        self._resource_name = resource_name
        self._pattern_type = pattern_type
        self._principal = principal
        self._host = host
        self._operation = operation
        self._permission_type = permission_type

    def resource_type(self) -> ResourceType:
        """:origin: metadata.authorizer.StandardAcl#resourceType()"""
        return self._resource_type

    def resource_name(self) -> str:
        """:origin: metadata.authorizer.StandardAcl#resourceName()"""
        return self._resource_name

    def pattern_type(self) -> PatternType:
        """:origin: metadata.authorizer.StandardAcl#patternType()"""
        return self._pattern_type

    def principal(self) -> str:
        """:origin: metadata.authorizer.StandardAcl#principal()"""
        return self._principal

    def kafka_principal(self) -> KafkaPrincipal:
        """Return the principal. Raises IllegalStateException if its text is not a principal.

        :origin: metadata.authorizer.StandardAcl#kafkaPrincipal()
        """
        principal_type, colon, principal_name = self._principal.partition(":")
        if not colon:
            raise IllegalStateException(
                f"Could not parse principal from `{self._principal}` (no colon is present separating the "
                "principal type from the principal name)")
        return KafkaPrincipal(principal_type, principal_name)

    def host(self) -> str:
        """:origin: metadata.authorizer.StandardAcl#host()"""
        return self._host

    def operation(self) -> AclOperation:
        """:origin: metadata.authorizer.StandardAcl#operation()"""
        return self._operation

    def permission_type(self) -> AclPermissionType:
        """:origin: metadata.authorizer.StandardAcl#permissionType()"""
        return self._permission_type

    def to_binding(self) -> AclBinding:
        """Return the binding that clients use.

        :origin: metadata.authorizer.StandardAcl#toBinding()
        """
        resource_pattern = ResourcePattern(self._resource_type, self._resource_name, self._pattern_type)
        access_control_entry = AccessControlEntry(
            self._principal, self._host, self._operation, self._permission_type)
        return AclBinding(resource_pattern, access_control_entry)

    def _fields(self) -> tuple[object, ...]:
        return (self._resource_type, self._resource_name, self._pattern_type, self._principal, self._host,
                self._operation, self._permission_type)

    def __eq__(self, other: object) -> bool:
        """:origin: metadata.authorizer.StandardAcl#equals(Object)"""
        return isinstance(other, StandardAcl) and self._fields() == other._fields()

    def __hash__(self) -> int:
        """:origin: metadata.authorizer.StandardAcl#hashCode()"""
        return hash(self._fields())

    def compare_to(self, other: StandardAcl) -> int:
        """Return -1, 0 or 1. Types are in ascending order; names in descending order, so that a long name
        comes before its prefixes; the other fields in ascending order.

        :origin: metadata.authorizer.StandardAcl#compareTo(StandardAcl)
        """
        if self._resource_type is not other._resource_type:
            return -1 if self._resource_type.value < other._resource_type.value else 1
        if self._resource_name != other._resource_name:
            return -1 if self._resource_name > other._resource_name else 1
        mine, others = self._order(), other._order()
        return (mine > others) - (mine < others)

    def _order(self) -> tuple[int, int, str, str, int]:
        return (self._pattern_type.value, self._operation.value, self._principal, self._host,
                self._permission_type.value)

    def __lt__(self, other: StandardAcl) -> bool:
        return self.compare_to(other) < 0

    def __str__(self) -> str:
        """:origin: metadata.authorizer.StandardAcl#toString()"""
        return (f"StandardAcl(resourceType={self._resource_type.name}, resourceName={self._resource_name}, "
                f"patternType={self._pattern_type.name}, principal={self._principal}, host={self._host}, "
                f"operation={self._operation.name}, permissionType={self._permission_type.name})")

    __repr__ = __str__
