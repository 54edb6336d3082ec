# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DescribeAclsResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The described permissions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kreactor.common.acl.access_control_entry import AccessControlEntry
from kreactor.common.acl.acl_binding import AclBinding
from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType
from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.describe_acls_response_data import DescribeAclsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.api_error import ApiError
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource_pattern import ResourcePattern
from kreactor.common.resource.resource_type import ResourceType
from kreactor.jdk.exceptions import IllegalArgumentException

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class DescribeAclsResponse(AbstractResponse):
    """:origin: common.requests.DescribeAclsResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: DescribeAclsResponseData, version: int | None = None) -> None:
        """Raises UnsupportedVersionException or IllegalArgumentException for an unsupported permission.

        Without ``version``, which only tests omit, the version is not checked.

        :origin: common.requests.DescribeAclsResponse#DescribeAclsResponse(DescribeAclsResponseData,
            short)
        :origin: common.requests.DescribeAclsResponse#DescribeAclsResponse(DescribeAclsResponseData)
        """
        super().__init__(ApiKeys.DESCRIBE_ACLS)
        self._data = data
        self._validate(version)

    def data(self) -> DescribeAclsResponseData:
        """:origin: common.requests.DescribeAclsResponse#data()"""
        return self._data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.DescribeAclsResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.DescribeAclsResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def error(self) -> ApiError:
        """Return the error.

        :origin: common.requests.DescribeAclsResponse#error()
        """
        return ApiError(Errors.for_code(self._data.error_code), self._data.error_message)

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.DescribeAclsResponse#errorCounts()"""
        return self._error_counts_error(Errors.for_code(self._data.error_code))

    def acls(self) -> list[DescribeAclsResponseData.DescribeAclsResource]:
        """Return the permissions by resource pattern.

        :origin: common.requests.DescribeAclsResponse#acls()
        """
        return self._data.resources

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DescribeAclsResponse:
        """:origin: common.requests.DescribeAclsResponse#parse(ByteBuffer, short)"""
        return DescribeAclsResponse(DescribeAclsResponseData.read(buffer, version), version)

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.DescribeAclsResponse#shouldClientThrottle(short)"""
        return version >= 1

    def _validate(self, version: int | None) -> None:
        """Raises UnsupportedVersionException or IllegalArgumentException for an unsupported permission.

        :origin: common.requests.DescribeAclsResponse#validate(Optional<Short>)
        """
        if version == 0 and any(acl.pattern_type != PatternType.LITERAL.code() for acl in self.acls()):
            raise UnsupportedVersionException("Version 0 only supports literal resource pattern types")
        for resource in self.acls():
            if (resource.pattern_type == PatternType.UNKNOWN.code()
                    or resource.resource_type == ResourceType.UNKNOWN.code()):
                raise IllegalArgumentException("Contain UNKNOWN elements")
            for acl in resource.acls:
                if (acl.operation == AclOperation.UNKNOWN.code()
                        or acl.permission_type == AclPermissionType.UNKNOWN.code()):
                    raise IllegalArgumentException("Contain UNKNOWN elements")

    @staticmethod
    def acl_bindings(resources: Sequence[DescribeAclsResponseData.DescribeAclsResource]) -> list[AclBinding]:
        """Return the permissions in a response.

        :origin: common.requests.DescribeAclsResponse#aclBindings(List<DescribeAclsResource>)
        """
        return [
            AclBinding(
                ResourcePattern(
                    ResourceType.from_code(resource.resource_type),
                    resource.resource_name,
                    PatternType.from_code(resource.pattern_type)),
                AccessControlEntry(
                    acl.principal,
                    acl.host,
                    AclOperation.from_code(acl.operation),
                    AclPermissionType.from_code(acl.permission_type)))
            for resource in resources for acl in resource.acls]

    @staticmethod
    def acls_resources(acls: Iterable[AclBinding]) -> list[DescribeAclsResponseData.DescribeAclsResource]:
        """Return the response's entries for permissions, by resource pattern.

        :origin: common.requests.DescribeAclsResponse#aclsResources(Collection<AclBinding>)
        """
        pattern_to_entries: dict[ResourcePattern, list[AccessControlEntry]] = {}
        for acl in acls:
            pattern_to_entries.setdefault(acl.pattern(), []).append(acl.entry())
        return [
            DescribeAclsResponseData.DescribeAclsResource(
                resource_name=pattern.name(),
                pattern_type=pattern.pattern_type().code(),
                resource_type=pattern.resource_type().code(),
                acls=[DescribeAclsResponseData.AclDescription(
                    host=entry.host(),
                    operation=entry.operation().code(),
                    permission_type=entry.permission_type().code(),
                    principal=entry.principal()) for entry in entries])
            for pattern, entries in pattern_to_entries.items()]
