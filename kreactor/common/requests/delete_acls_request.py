# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DeleteAclsRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Which permissions to take away."""

from __future__ import annotations

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType
from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.delete_acls_request_data import DeleteAclsRequestData
from kreactor.common.message.delete_acls_response_data import DeleteAclsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.delete_acls_response import DeleteAclsResponse
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource_type import ResourceType
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer

OMITTED = {
    "common.requests.DeleteAclsRequest#filters()": "bindings are an authorizer's, and there is none",
    "common.requests.DeleteAclsRequest#deleteAclsFilter(AclBindingFilter)":
        "bindings are an authorizer's, and there is none",
    "common.requests.DeleteAclsRequest#aclBindingFilter(DeleteAclsFilter)":
        "bindings are an authorizer's, and there is none",
}


class DeleteAclsRequest(AbstractRequest):
    """:origin: common.requests.DeleteAclsRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["DeleteAclsRequest"]):
        """:origin: common.requests.DeleteAclsRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: DeleteAclsRequestData) -> None:
            """:origin: common.requests.DeleteAclsRequest.Builder#Builder(DeleteAclsRequestData)"""
            super().__init__(ApiKeys.DELETE_ACLS)
            self._data = data

        def build_version(self, version: int) -> DeleteAclsRequest:
            """:origin: common.requests.DeleteAclsRequest.Builder#build(short)"""
            return DeleteAclsRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.DeleteAclsRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: DeleteAclsRequestData, version: int) -> None:
        """:origin: common.requests.DeleteAclsRequest#DeleteAclsRequest(DeleteAclsRequestData, short)"""
        super().__init__(ApiKeys.DELETE_ACLS, version)
        self._data = data
        self._normalize_and_validate()

    def _normalize_and_validate(self) -> None:
        """Raise UnsupportedVersionException or IllegalArgumentException for what nobody can mean.

        :origin: common.requests.DeleteAclsRequest#normalizeAndValidate()
        """
        filters = self._data.filters
        if self.version() == 0:
            for filter_ in filters:
                pattern_type = PatternType.from_code(filter_.pattern_type_filter)
                # Names were all that there was then: any pattern is a name.
                if pattern_type is PatternType.ANY:
                    filter_.pattern_type_filter = PatternType.LITERAL.code()
                elif pattern_type is not PatternType.LITERAL:
                    raise UnsupportedVersionException(
                        f"Version 0 does not support pattern type {pattern_type.name} (only LITERAL and ANY "
                        "are supported)")
        if any(filter_.pattern_type_filter == PatternType.UNKNOWN.code()
               or filter_.resource_type_filter == ResourceType.UNKNOWN.code()
               or filter_.operation == AclOperation.UNKNOWN.code()
               or filter_.permission_type == AclPermissionType.UNKNOWN.code() for filter_ in filters):
            raise IllegalArgumentException(f"Filters contain UNKNOWN elements, filters: {filters}")

    def data(self) -> DeleteAclsRequestData:
        """:origin: common.requests.DeleteAclsRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> DeleteAclsResponse:
        """:origin: common.requests.DeleteAclsRequest#getErrorResponse(int, Throwable)"""
        error = ApiError.from_throwable(e)
        return DeleteAclsResponse(DeleteAclsResponseData(
            throttle_time_ms=throttle_time_ms,
            filter_results=[DeleteAclsResponseData.DeleteAclsFilterResult(
                error_code=error.error().code, error_message=error.message())] * len(self._data.filters)),
            self.version())

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DeleteAclsRequest:
        """:origin: common.requests.DeleteAclsRequest#parse(ByteBuffer, short)"""
        return DeleteAclsRequest(DeleteAclsRequestData.read(buffer, version), version)
