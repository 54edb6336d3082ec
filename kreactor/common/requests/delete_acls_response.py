# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DeleteAclsResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The deleted permissions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.acl.acl_binding import AclBinding
from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType
from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.delete_acls_response_data import DeleteAclsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.api_error import ApiError
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource_type import ResourceType
from kreactor.jdk.exceptions import IllegalArgumentException

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer

# AclApis has filterResult and matchingAcl, because they use authorizer classes, which this package must not
# import.


class DeleteAclsResponse(AbstractResponse):
    """:origin: common.requests.DeleteAclsResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: DeleteAclsResponseData, version: int) -> None:
        """:origin: common.requests.DeleteAclsResponse#DeleteAclsResponse(DeleteAclsResponseData, short)"""
        super().__init__(ApiKeys.DELETE_ACLS)
        self._data = data
        self._validate(version)

    def data(self) -> DeleteAclsResponseData:
        """:origin: common.requests.DeleteAclsResponse#data()"""
        return self._data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.DeleteAclsResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.DeleteAclsResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def filter_results(self) -> list[DeleteAclsResponseData.DeleteAclsFilterResult]:
        """Return the deleted permissions of each filter.

        :origin: common.requests.DeleteAclsResponse#filterResults()
        """
        return self._data.filter_results

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.DeleteAclsResponse#errorCounts()"""
        return self._error_counts_errors(
            Errors.for_code(result.error_code) for result in self.filter_results())

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DeleteAclsResponse:
        """:origin: common.requests.DeleteAclsResponse#parse(ByteBuffer, short)"""
        return DeleteAclsResponse(DeleteAclsResponseData.read(buffer, version), version)

    def __str__(self) -> str:
        """:origin: common.requests.DeleteAclsResponse#toString()"""
        return str(self._data)

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.DeleteAclsResponse#shouldClientThrottle(short)"""
        return version >= 1

    def _validate(self, version: int) -> None:
        """Raises UnsupportedVersionException or IllegalArgumentException for an unsupported permission.

        :origin: common.requests.DeleteAclsResponse#validate(short)
        """
        matching_acls = [acl for result in self.filter_results() for acl in result.matching_acls]
        if version == 0 and any(acl.pattern_type != PatternType.LITERAL.code() for acl in matching_acls):
            raise UnsupportedVersionException("Version 0 only supports literal resource pattern types")
        if any(acl.pattern_type == PatternType.UNKNOWN.code()
               or acl.resource_type == ResourceType.UNKNOWN.code()
               or acl.permission_type == AclPermissionType.UNKNOWN.code()
               or acl.operation == AclOperation.UNKNOWN.code() for acl in matching_acls):
            raise IllegalArgumentException("DeleteAclsMatchingAcls contain UNKNOWN elements")

    @staticmethod
    def matching_acl(acl: AclBinding, error: ApiError) -> DeleteAclsResponseData.DeleteAclsMatchingAcl:
        """Return the response's entry for a permission.

        :origin: common.requests.DeleteAclsResponse#matchingAcl(AclBinding, ApiError)
        """
        return DeleteAclsResponseData.DeleteAclsMatchingAcl(
            error_code=error.error().code,
            error_message=error.message(),
            resource_name=acl.pattern().name(),
            resource_type=acl.pattern().resource_type().code(),
            pattern_type=acl.pattern().pattern_type().code(),
            host=acl.entry().host(),
            operation=acl.entry().operation().code(),
            permission_type=acl.entry().permission_type().code(),
            principal=acl.entry().principal())
