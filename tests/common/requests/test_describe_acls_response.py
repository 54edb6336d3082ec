# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DescribeAclsResponseTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Permissions that were asked for."""

from __future__ import annotations

import pytest

from kreactor.common.acl.access_control_entry import AccessControlEntry
from kreactor.common.acl.acl_binding import AclBinding
from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType
from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.describe_acls_response_data import DescribeAclsResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.describe_acls_response import DescribeAclsResponse
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource_pattern import ResourcePattern
from kreactor.common.resource.resource_type import ResourceType
from kreactor.jdk.exceptions import IllegalArgumentException

V0, V1 = 0, 1
AclDescription = DescribeAclsResponseData.AclDescription
Resource = DescribeAclsResponseData.DescribeAclsResource


def build_acl_description(operation: AclOperation, permission: AclPermissionType) -> AclDescription:
    return AclDescription(host="127.0.0.1", principal="User:ANONYMOUS", operation=operation.code(),
                          permission_type=permission.code())


def build_resource(name: str, resource_type: ResourceType, pattern_type: PatternType,
                   acl: AclDescription) -> Resource:
    return Resource(resource_name=name, resource_type=resource_type.code(), pattern_type=pattern_type.code(),
                    acls=[acl])


ALLOW_CREATE_ACL = build_acl_description(AclOperation.CREATE, AclPermissionType.ALLOW)
DENY_READ_ACL = build_acl_description(AclOperation.READ, AclPermissionType.DENY)
UNKNOWN_ACL = build_resource("foo", ResourceType.UNKNOWN, PatternType.LITERAL, DENY_READ_ACL)
PREFIXED_ACL1 = build_resource("prefix", ResourceType.GROUP, PatternType.PREFIXED, ALLOW_CREATE_ACL)
LITERAL_ACL1 = build_resource("foo", ResourceType.TOPIC, PatternType.LITERAL, ALLOW_CREATE_ACL)
LITERAL_ACL2 = build_resource("group", ResourceType.GROUP, PatternType.LITERAL, DENY_READ_ACL)


def build_response(throttle_time_ms: int, error: Errors, resources: list[Resource]) -> DescribeAclsResponse:
    return DescribeAclsResponse(DescribeAclsResponseData(
        throttle_time_ms=throttle_time_ms, error_code=error.code, error_message=error.message(),
        resources=resources))


def check_round_trip(version: int, throttle_time_ms: int, *resources: Resource) -> None:
    def by_name(response: DescribeAclsResponse) -> list[Resource]:
        return sorted(response.acls(), key=lambda resource: resource.resource_name)

    original = build_response(throttle_time_ms, Errors.NONE, list(resources))
    result = DescribeAclsResponse.parse(original.serialize(version), version)
    assert by_name(result) == by_name(original)
    result2 = build_response(throttle_time_ms, Errors.NONE, DescribeAclsResponse.acls_resources(
        DescribeAclsResponse.acl_bindings(resources)))
    assert by_name(result2) == by_name(original)


def test_should_throw_on_v0_if_not_literal() -> None:
    with pytest.raises(UnsupportedVersionException):
        build_response(10, Errors.NONE, [PREFIXED_ACL1]).serialize(V0)


def test_should_throw_if_unknown() -> None:
    with pytest.raises(IllegalArgumentException):
        build_response(10, Errors.NONE, [UNKNOWN_ACL]).serialize(V0)


def test_should_round_trip_v0() -> None:
    check_round_trip(V0, 10, LITERAL_ACL1, LITERAL_ACL2)


def test_should_round_trip_v1() -> None:
    check_round_trip(V1, 100, LITERAL_ACL1, PREFIXED_ACL1)


def test_acl_bindings() -> None:
    original = AclBinding(
        ResourcePattern(ResourceType.TOPIC, "foo", PatternType.LITERAL),
        AccessControlEntry("User:ANONYMOUS", "127.0.0.1", AclOperation.CREATE, AclPermissionType.ALLOW))
    result = DescribeAclsResponse.acl_bindings([LITERAL_ACL1])
    assert len(result) == 1
    assert result[0] == original
