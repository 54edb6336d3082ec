# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DeleteAclsRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Permissions that are to be deleted."""

from __future__ import annotations

import pytest

from kreactor.common.acl.access_control_entry_filter import AccessControlEntryFilter
from kreactor.common.acl.acl_binding_filter import AclBindingFilter
from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType
from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.delete_acls_request_data import DeleteAclsRequestData
from kreactor.common.requests.delete_acls_request import DeleteAclsRequest
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource_pattern_filter import ResourcePatternFilter
from kreactor.common.resource.resource_type import ResourceType
from kreactor.jdk.exceptions import IllegalArgumentException
from tests.common.requests.acl_filters import (
    ANY_AS_LITERAL_FILTER,
    ANY_FILTER,
    LITERAL_FILTER,
    PREFIXED_FILTER,
    V0,
    V1,
)

UNKNOWN_FILTER = AclBindingFilter(
    ResourcePatternFilter(ResourceType.UNKNOWN, "prefix", PatternType.PREFIXED),
    AccessControlEntryFilter("User:*", "127.0.0.1", AclOperation.CREATE, AclPermissionType.ALLOW))


def request_of(version: int, *acls: AclBindingFilter) -> DeleteAclsRequest:
    return DeleteAclsRequest.Builder(DeleteAclsRequestData(
        filters=[DeleteAclsRequest.delete_acls_filter(acl) for acl in acls])).build_version(version)


def check_round_trip(version: int, expected: DeleteAclsRequest, original: DeleteAclsRequest) -> None:
    result = DeleteAclsRequest.parse(original.serialize(), version)
    assert len(result.filters()) == len(expected.filters())
    assert result.filters() == expected.filters()


def test_should_throw_on_v0_if_prefixed() -> None:
    with pytest.raises(UnsupportedVersionException):
        request_of(V0, PREFIXED_FILTER)


def test_should_throw_on_unknown_elements() -> None:
    with pytest.raises(IllegalArgumentException):
        request_of(V1, UNKNOWN_FILTER)


def test_should_round_trip_literal_v0() -> None:
    original = request_of(V0, LITERAL_FILTER)
    assert original.filters() == [LITERAL_FILTER]
    check_round_trip(V0, original, original)


def test_should_round_trip_any_v0_as_literal() -> None:
    check_round_trip(V0, request_of(V0, ANY_AS_LITERAL_FILTER), request_of(V0, ANY_FILTER))


def test_should_round_trip_v1() -> None:
    original = request_of(V1, LITERAL_FILTER, PREFIXED_FILTER, ANY_FILTER)
    assert original.filters() == [LITERAL_FILTER, PREFIXED_FILTER, ANY_FILTER]
    check_round_trip(V1, original, original)
