# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DescribeAclsRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Which permissions to describe."""

from __future__ import annotations

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
from kreactor.common.resource.resource_type import ResourceType
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer

OMITTED = {
    "common.requests.DescribeAclsRequest.Builder": "bindings are an authorizer's, and there is none",
    "common.requests.DescribeAclsRequest#filter()": "bindings are an authorizer's, and there is none",
}


class DescribeAclsRequest(AbstractRequest):
    """:origin: common.requests.DescribeAclsRequest"""

    __slots__ = ("_data",)

    def __init__(self, data: DescribeAclsRequestData, version: int) -> None:
        """:origin: common.requests.DescribeAclsRequest#DescribeAclsRequest(DescribeAclsRequestData, short)"""
        super().__init__(ApiKeys.DESCRIBE_ACLS, version)
        self._data = data
        self._normalize_and_validate(version)

    def _normalize_and_validate(self, version: int) -> None:
        """Raise UnsupportedVersionException or IllegalArgumentException for what nobody can mean.

        :origin: common.requests.DescribeAclsRequest#normalizeAndValidate(short)
        """
        data = self._data
        if version == 0:
            pattern_type = PatternType.from_code(data.pattern_type_filter)
            # Names were all that there was then: any pattern is a name.
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
