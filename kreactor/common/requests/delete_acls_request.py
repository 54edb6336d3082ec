# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DeleteAclsRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to delete permissions."""

from __future__ import annotations

from kreactor.common.acl.access_control_entry_filter import AccessControlEntryFilter
from kreactor.common.acl.acl_binding_filter import AclBindingFilter
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
from kreactor.common.resource.resource_pattern_filter import ResourcePatternFilter
from kreactor.common.resource.resource_type import ResourceType
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer


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
        """Raises UnsupportedVersionException or IllegalArgumentException for invalid filters.

        :origin: common.requests.DeleteAclsRequest#normalizeAndValidate()
        """
        filters = self._data.filters
        if self.version() == 0:
            for filter_ in filters:
                pattern_type = PatternType.from_code(filter_.pattern_type_filter)
                # Version 0 has only literal names, so ANY becomes LITERAL.
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

    def filters(self) -> list[AclBindingFilter]:
        """Return the filters.

        :origin: common.requests.DeleteAclsRequest#filters()
        """
        return [self._acl_binding_filter(filter_) for filter_ in self._data.filters]

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

    @staticmethod
    def delete_acls_filter(filter_: AclBindingFilter) -> DeleteAclsRequestData.DeleteAclsFilter:
        """Return the request's entry for a filter.

        :origin: common.requests.DeleteAclsRequest#deleteAclsFilter(AclBindingFilter)
        """
        return DeleteAclsRequestData.DeleteAclsFilter(
            resource_name_filter=filter_.pattern_filter().name(),
            resource_type_filter=filter_.pattern_filter().resource_type().code(),
            pattern_type_filter=filter_.pattern_filter().pattern_type().code(),
            host_filter=filter_.entry_filter().host(),
            operation=filter_.entry_filter().operation().code(),
            permission_type=filter_.entry_filter().permission_type().code(),
            principal_filter=filter_.entry_filter().principal())

    @staticmethod
    def _acl_binding_filter(filter_: DeleteAclsRequestData.DeleteAclsFilter) -> AclBindingFilter:
        """:origin: common.requests.DeleteAclsRequest#aclBindingFilter(DeleteAclsFilter)"""
        pattern_filter = ResourcePatternFilter(
            ResourceType.from_code(filter_.resource_type_filter),
            filter_.resource_name_filter,
            PatternType.from_code(filter_.pattern_type_filter))
        entry_filter = AccessControlEntryFilter(
            filter_.principal_filter,
            filter_.host_filter,
            AclOperation.from_code(filter_.operation),
            AclPermissionType.from_code(filter_.permission_type))
        return AclBindingFilter(pattern_filter, entry_filter)
