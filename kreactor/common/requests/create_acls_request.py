# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.CreateAclsRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to create permissions."""

from __future__ import annotations

from kreactor.common.acl.access_control_entry import AccessControlEntry
from kreactor.common.acl.acl_binding import AclBinding
from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType
from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.create_acls_request_data import CreateAclsRequestData
from kreactor.common.message.create_acls_response_data import CreateAclsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.create_acls_response import CreateAclsResponse
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource_pattern import ResourcePattern
from kreactor.common.resource.resource_type import ResourceType
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer


class CreateAclsRequest(AbstractRequest):
    """:origin: common.requests.CreateAclsRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["CreateAclsRequest"]):
        """:origin: common.requests.CreateAclsRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: CreateAclsRequestData) -> None:
            """:origin: common.requests.CreateAclsRequest.Builder#Builder(CreateAclsRequestData)"""
            super().__init__(ApiKeys.CREATE_ACLS)
            self._data = data

        def build_version(self, version: int) -> CreateAclsRequest:
            """:origin: common.requests.CreateAclsRequest.Builder#build(short)"""
            return CreateAclsRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.CreateAclsRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: CreateAclsRequestData, version: int) -> None:
        """:origin: common.requests.CreateAclsRequest#CreateAclsRequest(CreateAclsRequestData, short)"""
        super().__init__(ApiKeys.CREATE_ACLS, version)
        self._data = data
        self._validate(data)

    def acl_creations(self) -> list[CreateAclsRequestData.AclCreation]:
        """Return the permissions.

        :origin: common.requests.CreateAclsRequest#aclCreations()
        """
        return self._data.creations

    def data(self) -> CreateAclsRequestData:
        """:origin: common.requests.CreateAclsRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> CreateAclsResponse:
        """:origin: common.requests.CreateAclsRequest#getErrorResponse(int, Throwable)"""
        error = ApiError.from_throwable(e)
        return CreateAclsResponse(CreateAclsResponseData(
            throttle_time_ms=throttle_time_ms,
            results=[CreateAclsResponseData.AclCreationResult(
                error_code=error.error().code, error_message=error.message())] * len(self._data.creations)))

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> CreateAclsRequest:
        """:origin: common.requests.CreateAclsRequest#parse(ByteBuffer, short)"""
        return CreateAclsRequest(CreateAclsRequestData.read(buffer, version), version)

    def _validate(self, data: CreateAclsRequestData) -> None:
        """Raises UnsupportedVersionException or IllegalArgumentException for invalid permissions.

        :origin: common.requests.CreateAclsRequest#validate(CreateAclsRequestData)
        """
        if self.version() == 0 and any(creation.resource_pattern_type != PatternType.LITERAL.code()
                                       for creation in data.creations):
            raise UnsupportedVersionException("Version 0 only supports literal resource pattern types")
        if any(creation.resource_pattern_type == PatternType.UNKNOWN.code()
               or creation.resource_type == ResourceType.UNKNOWN.code()
               or creation.permission_type == AclPermissionType.UNKNOWN.code()
               or creation.operation == AclOperation.UNKNOWN.code() for creation in data.creations):
            raise IllegalArgumentException(f"CreatableAcls contain unknown elements: {data.creations}")

    @staticmethod
    def acl_binding(acl: CreateAclsRequestData.AclCreation) -> AclBinding:
        """Return a requested permission.

        Raises IllegalArgumentException for values that only a filter may have.

        :origin: common.requests.CreateAclsRequest#aclBinding(AclCreation)
        """
        pattern = ResourcePattern(
            ResourceType.from_code(acl.resource_type),
            acl.resource_name,
            PatternType.from_code(acl.resource_pattern_type))
        entry = AccessControlEntry(
            acl.principal,
            acl.host,
            AclOperation.from_code(acl.operation),
            AclPermissionType.from_code(acl.permission_type))
        return AclBinding(pattern, entry)

    @staticmethod
    def acl_creation(binding: AclBinding) -> CreateAclsRequestData.AclCreation:
        """Return the request's entry for a permission.

        :origin: common.requests.CreateAclsRequest#aclCreation(AclBinding)
        """
        return CreateAclsRequestData.AclCreation(
            host=binding.entry().host(),
            operation=binding.entry().operation().code(),
            permission_type=binding.entry().permission_type().code(),
            principal=binding.entry().principal(),
            resource_name=binding.pattern().name(),
            resource_type=binding.pattern().resource_type().code(),
            resource_pattern_type=binding.pattern().pattern_type().code())
