# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.CreateAclsRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Permissions that are to be made."""

from __future__ import annotations

import pytest

from kreactor.common.acl.access_control_entry import AccessControlEntry
from kreactor.common.acl.acl_binding import AclBinding
from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType
from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.create_acls_request_data import CreateAclsRequestData
from kreactor.common.requests.create_acls_request import CreateAclsRequest
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource_pattern import ResourcePattern
from kreactor.common.resource.resource_type import ResourceType
from kreactor.jdk.exceptions import IllegalArgumentException

V0, V1 = 0, 1
LITERAL_ACL1 = AclBinding(
    ResourcePattern(ResourceType.TOPIC, "foo", PatternType.LITERAL),
    AccessControlEntry("User:ANONYMOUS", "127.0.0.1", AclOperation.READ, AclPermissionType.DENY))
LITERAL_ACL2 = AclBinding(
    ResourcePattern(ResourceType.GROUP, "group", PatternType.LITERAL),
    AccessControlEntry("User:*", "127.0.0.1", AclOperation.WRITE, AclPermissionType.ALLOW))
PREFIXED_ACL1 = AclBinding(
    ResourcePattern(ResourceType.GROUP, "prefix", PatternType.PREFIXED),
    AccessControlEntry("User:*", "127.0.0.1", AclOperation.CREATE, AclPermissionType.ALLOW))
UNKNOWN_ACL1 = AclBinding(
    ResourcePattern(ResourceType.UNKNOWN, "unknown", PatternType.LITERAL),
    AccessControlEntry("User:*", "127.0.0.1", AclOperation.CREATE, AclPermissionType.ALLOW))


def data(*acls: AclBinding) -> CreateAclsRequestData:
    return CreateAclsRequestData(creations=[CreateAclsRequest.acl_creation(acl) for acl in acls])


def check_round_trip(version: int, *acls: AclBinding) -> None:
    original = CreateAclsRequest(data(*acls), version)
    result = CreateAclsRequest.parse(original.serialize(), version)
    assert len(result.acl_creations()) == len(original.acl_creations())
    assert [CreateAclsRequest.acl_binding(creation) for creation in result.acl_creations()] == [
        CreateAclsRequest.acl_binding(creation) for creation in original.acl_creations()] == list(acls)


def test_should_throw_on_v0_if_not_literal() -> None:
    with pytest.raises(UnsupportedVersionException):
        CreateAclsRequest(data(PREFIXED_ACL1), V0)


def test_should_throw_on_if_unknown() -> None:
    with pytest.raises(IllegalArgumentException):
        CreateAclsRequest(data(UNKNOWN_ACL1), V0)


def test_should_round_trip_v0() -> None:
    check_round_trip(V0, LITERAL_ACL1, LITERAL_ACL2)


def test_should_round_trip_v1() -> None:
    check_round_trip(V1, LITERAL_ACL1, PREFIXED_ACL1)
