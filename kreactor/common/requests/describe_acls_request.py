# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DescribeAclsRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to describe permissions."""

from __future__ import annotations

from kreactor.common.acl.access_control_entry_filter import AccessControlEntryFilter
from kreactor.common.acl.acl_binding_filter import AclBindingFilter
from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType
from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.describe_acls_request_data import DescribeAclsRequestData
from kreactor.common.message.describe_acls_response_data import DescribeAclsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.describe_acls_response import DescribeAclsResponse
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource_pattern_filter import ResourcePatternFilter
from kreactor.common.resource.resource_type import ResourceType
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer


class DescribeAclsRequest(AbstractRequest):
    """:origin: common.requests.DescribeAclsRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["DescribeAclsRequest"]):
        """:origin: common.requests.DescribeAclsRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, filter_: AclBindingFilter) -> None:
            """:origin: common.requests.DescribeAclsRequest.Builder#Builder(AclBindingFilter)"""
            super().__init__(ApiKeys.DESCRIBE_ACLS)
            pattern_filter, entry_filter = filter_.pattern_filter(), filter_.entry_filter()
            self._data = DescribeAclsRequestData(
                host_filter=entry_filter.host(),
                operation=entry_filter.operation().code(),
                permission_type=entry_filter.permission_type().code(),
                principal_filter=entry_filter.principal(),
                resource_name_filter=pattern_filter.name(),
                pattern_type_filter=pattern_filter.pattern_type().code(),
                resource_type_filter=pattern_filter.resource_type().code())

        def build_version(self, version: int) -> DescribeAclsRequest:
            """:origin: common.requests.DescribeAclsRequest.Builder#build(short)"""
            return DescribeAclsRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.DescribeAclsRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: DescribeAclsRequestData, version: int) -> None:
        """:origin: common.requests.DescribeAclsRequest#DescribeAclsRequest(DescribeAclsRequestData, short)"""
        super().__init__(ApiKeys.DESCRIBE_ACLS, version)
        self._data = data
        self._normalize_and_validate(version)

    def _normalize_and_validate(self, version: int) -> None:
        """Raises UnsupportedVersionException or IllegalArgumentException for an invalid filter.

        :origin: common.requests.DescribeAclsRequest#normalizeAndValidate(short)
        """
        data = self._data
        if version == 0:
            pattern_type = PatternType.from_code(data.pattern_type_filter)
            # Version 0 has only literal names, so ANY becomes LITERAL.
            if pattern_type is PatternType.ANY:
                data.pattern_type_filter = PatternType.LITERAL.code()
            elif pattern_type is not PatternType.LITERAL:
                raise UnsupportedVersionException("Version 0 only supports literal resource pattern types")
        if (data.pattern_type_filter == PatternType.UNKNOWN.code()
                or data.resource_type_filter == ResourceType.UNKNOWN.code()
                or data.permission_type == AclPermissionType.UNKNOWN.code()
                or data.operation == AclOperation.UNKNOWN.code()):
            raise IllegalArgumentException(f"DescribeAclsRequest contains UNKNOWN elements: {data}")

    def data(self) -> DescribeAclsRequestData:
        """:origin: common.requests.DescribeAclsRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> DescribeAclsResponse:
        """:origin: common.requests.DescribeAclsRequest#getErrorResponse(int, Throwable)"""
        error = ApiError.from_throwable(e)
        return DescribeAclsResponse(DescribeAclsResponseData(
            throttle_time_ms=throttle_time_ms, error_code=error.error().code,
            error_message=error.message()), self.version())

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DescribeAclsRequest:
        """:origin: common.requests.DescribeAclsRequest#parse(ByteBuffer, short)"""
        return DescribeAclsRequest(DescribeAclsRequestData.read(buffer, version), version)

    def filter(self) -> AclBindingFilter:
        """Return the filter.

        :origin: common.requests.DescribeAclsRequest#filter()
        """
        data = self._data
        rpf = ResourcePatternFilter(
            ResourceType.from_code(data.resource_type_filter),
            data.resource_name_filter,
            PatternType.from_code(data.pattern_type_filter))
        acef = AccessControlEntryFilter(
            data.principal_filter,
            data.host_filter,
            AclOperation.from_code(data.operation),
            AclPermissionType.from_code(data.permission_type))
        return AclBindingFilter(rpf, acef)
