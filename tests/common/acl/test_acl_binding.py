# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.acl.AclBindingTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Permissions, and filters of them."""

from __future__ import annotations

import pytest

from kreactor.common.acl.access_control_entry import AccessControlEntry
from kreactor.common.acl.access_control_entry_filter import AccessControlEntryFilter
from kreactor.common.acl.acl_binding import AclBinding
from kreactor.common.acl.acl_binding_filter import AclBindingFilter
from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource_pattern import ResourcePattern
from kreactor.common.resource.resource_pattern_filter import ResourcePatternFilter
from kreactor.common.resource.resource_type import ResourceType
from kreactor.jdk.exceptions import IllegalArgumentException

TOPIC, LITERAL = ResourceType.TOPIC, PatternType.LITERAL
ALLOW, DENY = AclPermissionType.ALLOW, AclPermissionType.DENY


def acl1() -> AclBinding:
    return AclBinding(ResourcePattern(TOPIC, "mytopic", LITERAL),
                      AccessControlEntry("User:ANONYMOUS", "", AclOperation.ALL, ALLOW))


ACL1 = acl1()
ACL2 = AclBinding(ResourcePattern(TOPIC, "mytopic", LITERAL),
                  AccessControlEntry("User:*", "", AclOperation.READ, ALLOW))
ACL3 = AclBinding(ResourcePattern(TOPIC, "mytopic2", LITERAL),
                  AccessControlEntry("User:ANONYMOUS", "127.0.0.1", AclOperation.READ, DENY))
UNKNOWN_ACL = AclBinding(ResourcePattern(TOPIC, "mytopic2", LITERAL),
                         AccessControlEntry("User:ANONYMOUS", "127.0.0.1", AclOperation.UNKNOWN, DENY))
ANY_ANONYMOUS = AclBindingFilter(ResourcePatternFilter.ANY, AccessControlEntryFilter(
    "User:ANONYMOUS", None, AclOperation.ANY, AclPermissionType.ANY))
ANY_DENY = AclBindingFilter(ResourcePatternFilter.ANY, AccessControlEntryFilter(
    None, None, AclOperation.ANY, DENY))
ANY_MYTOPIC = AclBindingFilter(ResourcePatternFilter(TOPIC, "mytopic", LITERAL), AccessControlEntryFilter.ANY)


def test_matching() -> None:
    assert ACL1 == acl1() and hash(ACL1) == hash(acl1()) and ACL1 != ACL2
    assert AclBindingFilter.ANY != ACL1 and ANY_ANONYMOUS != ACL1
    for filter_, passing in ((AclBindingFilter.ANY, {ACL1, ACL2, ACL3, UNKNOWN_ACL}),
                             (ANY_ANONYMOUS, {ACL1, ACL3, UNKNOWN_ACL}), (ANY_DENY, {ACL3, UNKNOWN_ACL}),
                             (ANY_MYTOPIC, {ACL1, ACL2})):
        assert {acl for acl in (ACL1, ACL2, ACL3, UNKNOWN_ACL) if filter_.matches(acl)} == passing


def test_unknowns() -> None:
    assert not any(acl.is_unknown() for acl in (ACL1, ACL2, ACL3))
    assert not any(filter_.is_unknown() for filter_ in (ANY_ANONYMOUS, ANY_DENY, ANY_MYTOPIC))
    assert UNKNOWN_ACL.is_unknown()


def test_matches_at_most_one() -> None:
    for acl in (ACL1, ACL2, ACL3):
        assert acl.to_filter().find_indefinite_field() is None
        assert acl.to_filter().matches_at_most_one() and acl.to_filter().matches(acl)
    for filter_, field in ((ANY_ANONYMOUS, "Resource type is ANY."), (ANY_DENY, "Resource type is ANY."),
                           (ANY_MYTOPIC, "Principal is NULL")):
        assert not filter_.matches_at_most_one()
        assert filter_.find_indefinite_field() == field


def test_should_not_throw_on_unknown_pattern_type() -> None:
    assert AclBinding(ResourcePattern(TOPIC, "foo", PatternType.UNKNOWN), ACL1.entry()).is_unknown()


def test_should_not_throw_on_unknown_resource_type() -> None:
    assert AclBinding(ResourcePattern(ResourceType.UNKNOWN, "foo", LITERAL), ACL1.entry()).is_unknown()


def test_should_throw_on_match_pattern_type() -> None:
    with pytest.raises(IllegalArgumentException, match="patternType must not be MATCH"):
        ResourcePattern(TOPIC, "foo", PatternType.MATCH)


def test_should_throw_on_any_pattern_type() -> None:
    with pytest.raises(IllegalArgumentException, match="patternType must not be ANY"):
        ResourcePattern(TOPIC, "foo", PatternType.ANY)


def test_should_throw_on_any_resource_type() -> None:
    with pytest.raises(IllegalArgumentException, match="resourceType must not be ANY"):
        ResourcePattern(ResourceType.ANY, "foo", LITERAL)


# Cases of our own.


def test_an_entry_is_no_filter() -> None:
    for operation, permission, field in ((AclOperation.ANY, ALLOW, "operation"),
                                         (AclOperation.ALL, AclPermissionType.ANY, "permissionType")):
        with pytest.raises(IllegalArgumentException, match=f"{field} must not be ANY"):
            AccessControlEntry("User:a", "*", operation, permission)


def test_texts() -> None:
    assert str(ACL3) == (
        "(pattern=ResourcePattern(resourceType=TOPIC, name=mytopic2, patternType=LITERAL), "
        "entry=(principal=User:ANONYMOUS, host=127.0.0.1, operation=READ, permissionType=DENY))")
    assert str(AclBindingFilter.ANY) == (
        "(patternFilter=ResourcePattern(resourceType=ANY, name=<any>, patternType=ANY), "
        "entryFilter=(principal=<any>, host=<any>, operation=ANY, permissionType=ANY))")
