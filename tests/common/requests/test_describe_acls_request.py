# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DescribeAclsRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Permissions that are to be described."""

from __future__ import annotations

import pytest

from kreactor.common.acl.access_control_entry_filter import AccessControlEntryFilter
from kreactor.common.acl.acl_binding_filter import AclBindingFilter
from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType
from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.requests.describe_acls_request import DescribeAclsRequest
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
    ResourcePatternFilter(ResourceType.UNKNOWN, "foo", PatternType.LITERAL),
    AccessControlEntryFilter("User:ANONYMOUS", "127.0.0.1", AclOperation.READ, AclPermissionType.DENY))


def check_round_trip(version: int, filter_: AclBindingFilter, expected: AclBindingFilter) -> None:
    original = DescribeAclsRequest.Builder(filter_).build_version(version)
    result = DescribeAclsRequest.parse(original.serialize(), version)
    assert result.filter() == expected
    assert DescribeAclsRequest.Builder(expected).build_version(version).filter() == expected


def test_should_throw_on_v0_if_prefixed() -> None:
    with pytest.raises(UnsupportedVersionException):
        DescribeAclsRequest.Builder(PREFIXED_FILTER).build_version(V0)


def test_should_throw_if_unknown() -> None:
    with pytest.raises(IllegalArgumentException):
        DescribeAclsRequest.Builder(UNKNOWN_FILTER).build_version(V0)


def test_should_round_trip_literal_v0() -> None:
    check_round_trip(V0, LITERAL_FILTER, LITERAL_FILTER)


def test_should_round_trip_any_v0_as_literal() -> None:
    check_round_trip(V0, ANY_FILTER, ANY_AS_LITERAL_FILTER)


def test_should_round_trip_literal_v1() -> None:
    check_round_trip(V1, LITERAL_FILTER, LITERAL_FILTER)


def test_should_round_trip_prefixed_v1() -> None:
    check_round_trip(V1, PREFIXED_FILTER, PREFIXED_FILTER)


def test_should_round_trip_any_v1() -> None:
    check_round_trip(V1, ANY_FILTER, ANY_FILTER)
