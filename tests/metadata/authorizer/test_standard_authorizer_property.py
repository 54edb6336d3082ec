# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.metadata.authorizer.StandardAuthorizerPropertyTest
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Rules that match and rules that may, for any topic."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType
from kreactor.common.internals.topic import Topic
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource_type import ResourceType
from kreactor.metadata.authorizer.standard_acl import StandardAcl
from kreactor.metadata.authorizer.standard_authorizer import StandardAuthorizer
from kreactor.server.authorizer.authorization_result import AuthorizationResult
from tests.metadata.authorizer.acls import add, new_action, new_authorizer, request_context

names = st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.", min_size=1, max_size=249)
few_names = st.sets(st.text("abzABZ019_-.", max_size=30), max_size=10)
many = settings(max_examples=200, deadline=None)


def topic_write_acl(name: str, pattern_type: PatternType, permission_type: AclPermissionType) -> StandardAcl:
    return StandardAcl(
        ResourceType.TOPIC, name, pattern_type, "User:*", "*", AclOperation.WRITE, permission_type)


def check_result(authorizer: StandardAuthorizer, expected: AuthorizationResult, topic: str) -> None:
    assert authorizer.authorize(
        request_context("user", "127.0.0.1"),
        [new_action(AclOperation.WRITE, ResourceType.TOPIC, topic)]) == [expected]


def add_prefix_rules(authorizer: StandardAuthorizer, topic: str, suffixes: set[str],
                     permission_type: AclPermissionType, wanted: Callable[[str], bool]) -> None:
    """Add a rule for each start of the topic with each suffix behind it."""
    patterns = {topic[:i] + suffix for i in range(len(topic)) for suffix in suffixes}
    add(authorizer, [topic_write_acl(pattern, PatternType.PREFIXED, permission_type)
                     for pattern in sorted(filter(wanted, patterns))])


def add_prefix_allow_acls(authorizer: StandardAuthorizer, topic: str, suffixes: set[str]) -> None:
    add_prefix_rules(authorizer, topic, suffixes, AclPermissionType.ALLOW, bool)


def add_non_matching_prefix_deny_acls(authorizer: StandardAuthorizer, topic: str, suffixes: set[str]) -> None:
    add_prefix_rules(authorizer, topic, suffixes, AclPermissionType.DENY,
                     lambda pattern: bool(pattern) and not topic.startswith(pattern))


@many
@given(st.data(), names, few_names)
def test_matching_prefix_deny_overrides_all_allow_rules(data: st.DataObject, topic: str,
                                                        suffixes: set[str]) -> None:
    assume(Topic.is_valid(topic))
    prefix = topic[:data.draw(st.integers(0, len(topic) - 1))]
    authorizer = new_authorizer(topic_write_acl(prefix, PatternType.PREFIXED, AclPermissionType.DENY))
    add_prefix_allow_acls(authorizer, topic, suffixes)
    check_result(authorizer, AuthorizationResult.DENIED, topic)


@many
@given(names, few_names)
def test_matching_literal_deny_overrides_all_allow_rules(topic: str, suffixes: set[str]) -> None:
    assume(Topic.is_valid(topic))
    authorizer = new_authorizer(topic_write_acl(topic, PatternType.LITERAL, AclPermissionType.DENY))
    add_prefix_allow_acls(authorizer, topic, suffixes)
    check_result(authorizer, AuthorizationResult.DENIED, topic)


@many
@given(st.data(), names, few_names)
def test_matching_prefix_allow_with_no_matching_deny_rules(data: st.DataObject, topic: str,
                                                           suffixes: set[str]) -> None:
    assume(Topic.is_valid(topic))
    prefix = topic[:data.draw(st.integers(0, len(topic) - 1))]
    authorizer = new_authorizer(topic_write_acl(prefix, PatternType.PREFIXED, AclPermissionType.ALLOW))
    add_non_matching_prefix_deny_acls(authorizer, topic, suffixes)
    check_result(authorizer, AuthorizationResult.ALLOWED, topic)


@many
@given(names, few_names)
def test_matching_literal_allow_with_no_matching_deny_rules(topic: str, suffixes: set[str]) -> None:
    assume(Topic.is_valid(topic))
    authorizer = new_authorizer(topic_write_acl(topic, PatternType.LITERAL, AclPermissionType.ALLOW))
    add_non_matching_prefix_deny_acls(authorizer, topic, suffixes)
    check_result(authorizer, AuthorizationResult.ALLOWED, topic)
