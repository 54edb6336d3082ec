# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.metadata.authorizer.StandardAclTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The permissions that the authorizer keeps, and their order."""

from __future__ import annotations

import itertools

import pytest

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource import Resource
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.metadata.authorizer.standard_acl import StandardAcl

READ, ALLOW, DENY = AclOperation.READ, AclPermissionType.ALLOW, AclPermissionType.DENY
LITERAL, PREFIXED = PatternType.LITERAL, PatternType.PREFIXED
TEST_ACLS = [
    StandardAcl(
        ResourceType.CLUSTER, Resource.CLUSTER_NAME, LITERAL, "User:*", "*", AclOperation.ALTER, ALLOW),
    StandardAcl(ResourceType.TOPIC, "foo_", PREFIXED, "User:*", "*", READ, ALLOW),
    StandardAcl(ResourceType.GROUP, "mygroup", LITERAL, "User:foo", "*", READ, DENY),
    StandardAcl(ResourceType.GROUP, "mygroup", PREFIXED, "User:foo", "*", READ, DENY),
    StandardAcl(ResourceType.GROUP, "foo", PREFIXED, "User:foo", "*", READ, DENY)]


def test_compare_to() -> None:
    for one, other, order in ((0, 1, 1), (1, 0, -1), (2, 3, -1), (4, 3, 1), (3, 4, -1)):
        assert TEST_ACLS[one].compare_to(TEST_ACLS[other]) == order


def test_to_binding_round_trips() -> None:
    for acl in TEST_ACLS:
        assert StandardAcl.from_acl_binding(acl.to_binding()) == acl


def test_equals() -> None:
    for (i, one), (j, other) in itertools.product(enumerate(TEST_ACLS), repeat=2):
        assert (one == other) == (i == j) == (one.compare_to(other) == 0)


# A case of our own.


def test_a_principal_in_text() -> None:
    def principal(text: str) -> KafkaPrincipal:
        return StandardAcl(
            ResourceType.GROUP, "g", LITERAL, text, "*", READ, ALLOW).kafka_principal()

    assert principal("User:a:b") == KafkaPrincipal("User", "a:b")
    with pytest.raises(IllegalStateException, match="no colon is present"):
        principal("User")
