# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DeleteAclsResponseTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Permissions that were deleted."""

from __future__ import annotations

import pytest

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType
from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.delete_acls_response_data import DeleteAclsResponseData
from kreactor.common.requests.delete_acls_response import DeleteAclsResponse
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource_type import ResourceType
from kreactor.jdk.exceptions import IllegalArgumentException

V0, V1 = 0, 1
FilterResult = DeleteAclsResponseData.DeleteAclsFilterResult


def acl_of(resource_type: ResourceType, name: str, pattern_type: PatternType, principal: str,
           operation: AclOperation, permission_type: AclPermissionType,
           ) -> DeleteAclsResponseData.DeleteAclsMatchingAcl:
    return DeleteAclsResponseData.DeleteAclsMatchingAcl(
        resource_type=resource_type.code(), resource_name=name, pattern_type=pattern_type.code(),
        principal=principal, host="127.0.0.1", operation=operation.code(),
        permission_type=permission_type.code())


LITERAL_ACL1 = acl_of(ResourceType.TOPIC, "foo", PatternType.LITERAL, "User:ANONYMOUS", AclOperation.READ,
                      AclPermissionType.DENY)
LITERAL_ACL2 = acl_of(ResourceType.GROUP, "group", PatternType.LITERAL, "User:*", AclOperation.WRITE,
                      AclPermissionType.ALLOW)
PREFIXED_ACL1 = acl_of(ResourceType.GROUP, "prefix", PatternType.PREFIXED, "User:*", AclOperation.CREATE,
                       AclPermissionType.ALLOW)
UNKNOWN_ACL = acl_of(ResourceType.UNKNOWN, "group", PatternType.LITERAL, "User:*", AclOperation.WRITE,
                     AclPermissionType.ALLOW)
LITERAL_RESPONSE = FilterResult(matching_acls=[LITERAL_ACL1, LITERAL_ACL2])
PREFIXED_RESPONSE = FilterResult(matching_acls=[LITERAL_ACL1, PREFIXED_ACL1])
UNKNOWN_RESPONSE = FilterResult(matching_acls=[UNKNOWN_ACL])


def response_of(version: int, *filter_results: FilterResult) -> DeleteAclsResponse:
    return DeleteAclsResponse(
        DeleteAclsResponseData(throttle_time_ms=10, filter_results=list(filter_results)), version)


def check_round_trip(version: int, *filter_results: FilterResult) -> None:
    original = response_of(version, *filter_results)
    result = DeleteAclsResponse.parse(original.serialize(version), version)
    assert result.filter_results() == original.filter_results() == list(filter_results)


def test_should_throw_on_v0_if_not_literal() -> None:
    with pytest.raises(UnsupportedVersionException):
        response_of(V0, PREFIXED_RESPONSE)


def test_should_throw_on_if_unknown() -> None:
    with pytest.raises(IllegalArgumentException):
        response_of(V1, UNKNOWN_RESPONSE)


def test_should_round_trip_v0() -> None:
    check_round_trip(V0, LITERAL_RESPONSE)


def test_should_round_trip_v1() -> None:
    check_round_trip(V1, LITERAL_RESPONSE, PREFIXED_RESPONSE)
