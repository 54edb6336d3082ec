# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.security.authorizer.AuthorizerTest and BaseAuthorizerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""An authorizer through its face: permissions that it gives and takes, and what it says then."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from kreactor.common.acl.access_control_entry import AccessControlEntry
from kreactor.common.acl.access_control_entry_filter import AccessControlEntryFilter
from kreactor.common.acl.acl_binding import AclBinding
from kreactor.common.acl.acl_binding_filter import AclBindingFilter
from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType
from kreactor.common.errors import ApiException
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource import Resource
from kreactor.common.resource.resource_pattern import ResourcePattern
from kreactor.common.resource.resource_pattern_filter import ResourcePatternFilter
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.controller.acl_control_manager import AclControlManager
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.embedded.acls import AclStore
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.metadata.authorizer.cluster_metadata_authorizer import ClusterMetadataAuthorizer
from kreactor.server.authorizer.action import Action
from kreactor.server.authorizer.authorization_result import AuthorizationResult
from tests.metadata.authorizer.acls import request_context

O = AclOperation  # noqa: E741
Type = ResourceType
LITERAL, PREFIXED = PatternType.LITERAL, PatternType.PREFIXED
ALLOW, DENY = AclPermissionType.ALLOW, AclPermissionType.DENY
EVERYBODY, ANYWHERE = "User:*", "*"
ALICE = "User:alice"
H1, H2 = "192.168.1.1", "192.168.1.2"
ALLOW_READ = AccessControlEntry(EVERYBODY, ANYWHERE, O.READ, ALLOW)
ALLOW_WRITE = AccessControlEntry(EVERYBODY, ANYWHERE, O.WRITE, ALLOW)
DENY_READ = AccessControlEntry(EVERYBODY, ANYWHERE, O.READ, DENY)
RESOURCE = ResourcePattern(Type.TOPIC, "foo-1", LITERAL)
WILDCARD_RESOURCE = ResourcePattern(Type.TOPIC, "*", LITERAL)
PREFIXED_RESOURCE = ResourcePattern(Type.TOPIC, "foo", PREFIXED)
CLUSTER_RESOURCE = ResourcePattern(Type.CLUSTER, Resource.CLUSTER_NAME, LITERAL)


class CustomPrincipal(KafkaPrincipal):
    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = KafkaPrincipal.__hash__


class Rig:
    """An authorizer, as a broker makes it of its settings, and its permissions."""

    def __init__(self, folder: Path, **props: str) -> None:
        config = KafkaConfig.from_props({
            "broker.id": "1", "log.dirs": str(folder), "super.users": "User:superuser1; User:superuser2",
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            **{name.replace("_", "."): value for name, value in props.items()}})
        authorizer = config.create_new_authorizer()
        assert isinstance(authorizer, ClusterMetadataAuthorizer)
        self.authorizer = authorizer
        AclControlManager(AclStore(str(folder / f"{uuid.uuid4()}.json"))).add(authorizer)

    def may(self, principal: str | KafkaPrincipal, operation: AclOperation,
            resource: ResourcePattern = RESOURCE, host: str = H1) -> bool:
        name = principal.removeprefix("User:") if isinstance(principal, str) else principal
        result, = self.authorizer.authorize(
            request_context(name, host), [Action(operation, resource, 1, True, True)])
        return result is AuthorizationResult.ALLOWED

    def may_any(self, principal: str, operation: AclOperation, resource_type: ResourceType,
                host: str = H1) -> bool:
        return self.authorizer.authorize_by_resource_type(
            request_context(principal.removeprefix("User:"), host), operation,
            resource_type) is AuthorizationResult.ALLOWED

    def add(self, resource: ResourcePattern, *entries: AccessControlEntry) -> None:
        for future in self.authorizer.create_acls(
                request_context("alice"), [AclBinding(resource, entry) for entry in entries]):
            result = future.get(0)
            assert result is not None
            exception = result.exception()
            if exception is not None:
                raise exception

    def remove(self, resource: ResourcePattern, *entries: AccessControlEntry) -> None:
        """Without ``entries``, all that there are."""
        filters = ([AclBinding(resource, entry).to_filter() for entry in entries]
                   or [AclBindingFilter(resource.to_filter(), AccessControlEntryFilter.ANY)])
        for future in self.authorizer.delete_acls(request_context("alice"), filters):
            result = future.get(0)
            assert result is not None and result.exception() is None and result.acl_binding_delete_results()

    def of(self, resource: ResourcePattern) -> set[AccessControlEntry]:
        return {acl.entry() for acl in self.acls(
            AclBindingFilter(resource.to_filter(), AccessControlEntryFilter.ANY))}

    def of_principal(self, principal: str) -> set[AclBinding]:
        return self.acls(AclBindingFilter(ResourcePatternFilter.ANY, AccessControlEntryFilter(
            principal, None, O.ANY, AclPermissionType.ANY)))

    def acls(self, filter_: AclBindingFilter = AclBindingFilter.ANY) -> set[AclBinding]:
        return set(self.authorizer.acls(filter_))


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    rig = Rig(tmp_path)
    yield rig
    rig.authorizer.close()


def entry(principal: str, host: str, operation: AclOperation,
          permission: AclPermissionType = ALLOW) -> AccessControlEntry:
    return AccessControlEntry(principal, host, operation, permission)


def test_authorize_throws_on_non_literal_resource(rig: Rig) -> None:
    with pytest.raises(IllegalArgumentException, match="Only literal resources"):
        rig.may(ALICE, O.READ, ResourcePattern(Type.TOPIC, "something", PREFIXED))


def test_authorize_with_empty_resource_name(rig: Rig) -> None:
    group = ResourcePattern(Type.GROUP, "", LITERAL)
    assert not rig.may(ALICE, O.READ, group)
    rig.add(ResourcePattern(Type.GROUP, "*", LITERAL), ALLOW_READ)
    assert rig.may(ALICE, O.READ, group)


def test_empty_acl_throws_exception(rig: Rig) -> None:
    with pytest.raises(ApiException, match="Resource name should not be empty"):
        rig.add(ResourcePattern(Type.GROUP, "", LITERAL), ALLOW_READ)


def test_topic_acl(rig: Rig) -> None:
    rob, batman = "User:rob", "User:batman"
    rig.add(RESOURCE, entry(ALICE, H1, O.READ), entry(ALICE, H2, O.READ), entry(ALICE, H1, O.READ, DENY),
            entry(ALICE, H1, O.WRITE), entry(ALICE, ANYWHERE, O.DESCRIBE), entry(rob, ANYWHERE, O.READ),
            entry(batman, ANYWHERE, O.WRITE))
    for operation, at_1, at_2 in ((O.READ, False, True), (O.WRITE, True, False), (O.DESCRIBE, True, True),
                                  (O.ALTER, False, False)):
        assert (rig.may(ALICE, operation, host=H1), rig.may(ALICE, operation, host=H2)) == (at_1, at_2)
    assert rig.may(rob, O.DESCRIBE) and rig.may(batman, O.DESCRIBE)
    assert rig.may(rob, O.READ) and rig.may(batman, O.WRITE)


def test_allow_access_with_custom_principal(rig: Rig) -> None:
    rig.add(RESOURCE, entry(ALICE, H1, O.READ, DENY), entry(ALICE, H2, O.READ))
    custom = CustomPrincipal("User", "alice")
    assert rig.may(custom, O.READ, host=H2) and not rig.may(custom, O.READ, host=H1)


def test_deny_takes_precedence(rig: Rig) -> None:
    rig.add(RESOURCE, entry(EVERYBODY, ANYWHERE, O.ALL), entry(ALICE, H1, O.ALL, DENY))
    assert not rig.may(ALICE, O.READ)


def test_allow_all_access(rig: Rig) -> None:
    rig.add(RESOURCE, entry(EVERYBODY, ANYWHERE, O.ALL))
    assert rig.may("random", O.READ, host="192.0.4.4")


def test_super_user_has_access(rig: Rig) -> None:
    rig.add(RESOURCE, entry(EVERYBODY, ANYWHERE, O.ALL, DENY))
    assert rig.may("superuser1", O.READ) and rig.may("superuser2", O.READ)


def test_super_user_with_custom_principal_has_access(rig: Rig) -> None:
    rig.add(RESOURCE, entry(EVERYBODY, ANYWHERE, O.ALL, DENY))
    assert rig.may(CustomPrincipal("User", "superuser1"), O.READ)


def test_wild_card_acls(rig: Rig) -> None:
    assert not rig.may(ALICE, O.READ)
    rig.add(WILDCARD_RESOURCE, entry(ALICE, H1, O.READ))
    assert rig.may(ALICE, O.READ)
    rig.add(RESOURCE, entry(ALICE, H1, O.WRITE))
    rig.add(WILDCARD_RESOURCE, entry(ALICE, H1, O.WRITE, DENY))
    assert not rig.may(ALICE, O.WRITE)


def test_no_acl_found(rig: Rig) -> None:
    assert not rig.may(ALICE, O.READ)


def test_no_acl_found_override(tmp_path: Path) -> None:
    assert Rig(tmp_path, allow_everyone_if_no_acl_found="true").may(ALICE, O.READ)


def test_acl_config_with_whitespace(tmp_path: Path) -> None:
    assert Rig(tmp_path, allow_everyone_if_no_acl_found=" true ",
               super_users=" User:superuser1 ").may(ALICE, O.READ)


def test_acl_management_apis(rig: Rig) -> None:
    bob = "User:bob"
    acls = [entry(principal, host, operation) for principal, host in ((ALICE, "host1"), (bob, "host2"))
            for operation in (O.READ, O.WRITE)]
    rig.add(RESOURCE, *acls)
    assert rig.of(RESOURCE) == set(acls)
    more = entry(bob, ANYWHERE, O.READ)
    rig.add(RESOURCE, more)
    assert rig.of(RESOURCE) == {*acls, more}
    assert {acl.entry() for acl in rig.of_principal(ALICE)} == set(acls[:2])
    assert {acl.entry() for acl in rig.of_principal(bob)} == {*acls[2:], more}
    others = {WILDCARD_RESOURCE: [more], ResourcePattern(Type.CLUSTER, "*", LITERAL): [acls[2]],
              ResourcePattern(Type.GROUP, "*", LITERAL): acls,
              ResourcePattern(Type.GROUP, "test-ConsumerGroup", LITERAL): acls}
    for resource, entries in others.items():
        rig.add(resource, *entries)
    assert rig.acls() == {AclBinding(resource, entry_) for resource, entries in
                          {**others, RESOURCE: [*acls, more]}.items() for entry_ in entries}
    rig.remove(RESOURCE, acls[0], more)
    assert rig.of(RESOURCE) == set(acls[1:])
    rig.remove(RESOURCE)
    assert rig.of(RESOURCE) == set()


OPERATIONS = [operation for operation in AclOperation if operation.value > 1]


def implied_by_allow(rig: Rig, parent: AclOperation) -> set[AclOperation]:
    acl = entry(ALICE, ANYWHERE, parent)
    rig.add(CLUSTER_RESOURCE, acl)
    found = {operation for operation in OPERATIONS if rig.may(ALICE, operation, CLUSTER_RESOURCE)}
    rig.remove(CLUSTER_RESOURCE, acl)
    return found - {parent}


def implied_by_deny(rig: Rig, parent: AclOperation) -> set[AclOperation]:
    acls = [entry(ALICE, ANYWHERE, parent, DENY), entry(ALICE, ANYWHERE, O.ALL)]
    rig.add(CLUSTER_RESOURCE, *acls)
    found = {operation for operation in OPERATIONS if not rig.may(ALICE, operation, CLUSTER_RESOURCE)}
    rig.remove(CLUSTER_RESOURCE, *acls)
    return found - {parent}


def test_acl_inheritance(rig: Rig) -> None:
    assert implied_by_allow(rig, O.ALL) == implied_by_deny(rig, O.ALL) == set(OPERATIONS) - {O.ALL}
    for operation in (O.READ, O.WRITE, O.DELETE, O.ALTER):
        assert implied_by_allow(rig, operation) == {O.DESCRIBE}
    assert implied_by_allow(rig, O.ALTER_CONFIGS) == {O.DESCRIBE_CONFIGS}
    assert implied_by_deny(rig, O.DESCRIBE) == implied_by_deny(rig, O.DESCRIBE_CONFIGS) == set()


def test_access_allowed_if_allow_acl_exists_on_wildcard_resource(rig: Rig) -> None:
    rig.add(WILDCARD_RESOURCE, ALLOW_READ)
    assert rig.may(ALICE, O.READ)


def test_delete_acl_on_wildcard_resource(rig: Rig) -> None:
    rig.add(WILDCARD_RESOURCE, ALLOW_READ, ALLOW_WRITE)
    rig.remove(WILDCARD_RESOURCE, ALLOW_READ)
    assert rig.of(WILDCARD_RESOURCE) == {ALLOW_WRITE}


def test_delete_all_acl_on_wildcard_resource(rig: Rig) -> None:
    rig.add(WILDCARD_RESOURCE, ALLOW_READ)
    rig.remove(WILDCARD_RESOURCE)
    assert rig.acls() == set()


def test_access_allowed_if_allow_acl_exists_on_prefixed_resource(rig: Rig) -> None:
    rig.add(PREFIXED_RESOURCE, ALLOW_READ)
    assert rig.may(ALICE, O.READ)


def test_delete_acl_on_prefixed_resource(rig: Rig) -> None:
    rig.add(PREFIXED_RESOURCE, ALLOW_READ, ALLOW_WRITE)
    rig.remove(PREFIXED_RESOURCE, ALLOW_READ)
    assert rig.of(PREFIXED_RESOURCE) == {ALLOW_WRITE}


def test_delete_all_acl_on_prefixed_resource(rig: Rig) -> None:
    rig.add(PREFIXED_RESOURCE, ALLOW_READ)
    rig.remove(PREFIXED_RESOURCE)
    assert rig.acls() == set()


def added_on(rig: Rig, resource: ResourcePattern) -> None:
    rig.add(resource, ALLOW_READ, ALLOW_WRITE)
    rig.add(resource, ALLOW_WRITE, DENY_READ)
    for other in (RESOURCE, WILDCARD_RESOURCE, PREFIXED_RESOURCE):
        assert rig.of(other) == ({ALLOW_READ, ALLOW_WRITE, DENY_READ} if other is resource else set())


def test_add_acls_on_literal_resource(rig: Rig) -> None:
    added_on(rig, RESOURCE)


def test_add_acls_on_wildcard_resource(rig: Rig) -> None:
    added_on(rig, WILDCARD_RESOURCE)


def test_add_acls_on_prefixed_resource(rig: Rig) -> None:
    added_on(rig, PREFIXED_RESOURCE)


def test_authorize_with_prefixed_resource(rig: Rig) -> None:
    for name in ("a_other", "z_other"):
        rig.add(ResourcePattern(Type.TOPIC, name, LITERAL), DENY_READ)
        rig.add(ResourcePattern(Type.TOPIC, name, PREFIXED), DENY_READ)
    for name in ("foo-x", "foo-y", "foo-y-zzz", "fooo-x", "fo-x", "fop-x", "fon-x", "fon-"):
        rig.add(ResourcePattern(Type.TOPIC, name, PREFIXED), DENY_READ)
    rig.add(PREFIXED_RESOURCE, ALLOW_READ)
    assert rig.may(ALICE, O.READ)


def test_single_character_resource_acls(rig: Rig) -> None:
    def may(name: str) -> bool:
        return rig.may(ALICE, O.READ, ResourcePattern(Type.TOPIC, name, LITERAL))

    rig.add(ResourcePattern(Type.TOPIC, "f", LITERAL), ALLOW_READ)
    assert may("f") and not may("foo")
    rig.add(ResourcePattern(Type.TOPIC, "_", PREFIXED), ALLOW_READ)
    assert may("_foo") and may("_") and not may("foo_")


def test_get_acls_principal(rig: Rig) -> None:
    for own, other in ((ALICE, EVERYBODY), (EVERYBODY, ALICE)):
        rig.add(RESOURCE, entry(own, ANYWHERE, O.WRITE))
        assert (len(rig.of_principal(own)), len(rig.of_principal(other))) == (1, 0)
        rig.remove(RESOURCE)


def test_acls_filter(rig: Rig) -> None:
    resource1, resource2 = (ResourcePattern(Type.TOPIC, name, LITERAL) for name in ("foo-1", "bar-2"))
    prefixed = ResourcePattern(Type.TOPIC, "bar-", PREFIXED)
    acl1, acl2, acl3, acl4 = acls = [
        AclBinding(resource1, entry(ALICE, ANYWHERE, O.READ)),
        AclBinding(resource1, entry(ALICE, "192.168.0.1", O.WRITE)),
        AclBinding(resource2, entry(ALICE, ANYWHERE, O.DESCRIBE)),
        AclBinding(prefixed, entry(EVERYBODY, ANYWHERE, O.READ))]
    for acl in acls:
        rig.add(acl.pattern(), acl.entry())
    any_entry = AccessControlEntryFilter.ANY
    matching = AclBindingFilter(
        ResourcePatternFilter(Type.ANY, resource2.name(), PatternType.MATCH), any_entry)
    assert rig.acls() == set(acls)
    assert rig.acls(AclBindingFilter(resource1.to_filter(), any_entry)) == {acl1, acl2}
    assert rig.acls(AclBindingFilter(prefixed.to_filter(), any_entry)) == {acl4}
    assert rig.acls(matching) == {acl3, acl4}
    results = [future.get(0) for future in rig.authorizer.delete_acls(request_context("alice"), [
        matching, acl1.to_filter(), AclBindingFilter(resource2.to_filter(), any_entry),
        AclBindingFilter(ResourcePatternFilter(Type.TOPIC, "baz", PatternType.ANY), any_entry)])]
    assert [{deleted.acl_binding() for deleted in result.acl_binding_delete_results()}
            for result in results if result is not None] == [{acl3, acl4}, {acl1}, {acl3}, set()]
    assert rig.acls() == {acl2}


def test_authorize_by_resource_type_no_acl_found_override(tmp_path: Path) -> None:
    rig = Rig(tmp_path, allow_everyone_if_no_acl_found="true")
    assert rig.may_any(ALICE, O.READ, Type.TOPIC) and rig.may_any(ALICE, O.WRITE, Type.TOPIC)


# BaseAuthorizerTest.

U1, U2 = "User:user1", "User:user2"
SB1, SB2 = (ResourcePattern(Type.TOPIC, name, LITERAL) for name in ("sb1", "sb2"))


def test_authorize_by_resource_type_multiple_add_and_remove(rig: Rig) -> None:
    deny, allow = entry(U1, H1, O.READ, DENY), entry(U1, H1, O.READ)
    for _ in range(3):
        assert not rig.may_any(U1, O.READ, Type.TOPIC)
        rig.add(SB1, allow)
        assert rig.may_any(U1, O.READ, Type.TOPIC)
        for _ in range(3):
            rig.add(SB1, deny)
            assert not rig.may_any(U1, O.READ, Type.TOPIC)
            rig.remove(SB1, deny)
            rig.add(SB1, allow)
            assert rig.may_any(U1, O.READ, Type.TOPIC)
        rig.remove(SB1, allow)


def test_authorize_by_resource_type_isolation_unrelated_deny_wont_dominate_allow(rig: Rig) -> None:
    rig.add(SB1, entry(U1, H1, O.READ, DENY), entry(U2, H1, O.READ, DENY), entry(U1, H2, O.WRITE, DENY),
            entry(U2, H2, O.READ, DENY), entry(U1, H2, O.READ))
    rig.add(SB2, entry(U1, H2, O.READ, DENY))
    rig.add(ResourcePattern(Type.GROUP, "s", PREFIXED), entry(U1, H2, O.READ, DENY))
    for type_ in (Type.TOPIC, Type.GROUP, Type.TRANSACTIONAL_ID, Type.CLUSTER):
        assert not rig.may_any(U1, O.READ, type_)
    assert rig.may_any(U1, O.READ, Type.TOPIC, H2)


def test_authorize_by_resource_type_deny_takes_precedence(rig: Rig) -> None:
    rig.add(SB1, entry(U1, H1, O.WRITE))
    assert rig.may_any(U1, O.WRITE, Type.TOPIC)
    rig.add(SB1, entry(U1, H1, O.WRITE, DENY))
    assert not rig.may_any(U1, O.WRITE, Type.TOPIC)


def test_authorize_by_resource_type_prefixed_resource_deny_dominate(rig: Rig) -> None:
    for name, permission, expected in (("abcde", ALLOW, True), ("abcd", DENY, False), ("abc", ALLOW, True),
                                       ("a", DENY, False), ("ab", ALLOW, False)):
        rig.add(ResourcePattern(Type.GROUP, name, PREFIXED), entry(U1, H1, O.READ, permission))
        assert rig.may_any(U1, O.READ, Type.GROUP) is expected


def test_authorize_by_resource_type_wildcard_resource_deny_dominate(rig: Rig) -> None:
    wildcard = ResourcePattern(Type.GROUP, "*", LITERAL)
    for resource, permission, expected in (
            (ResourcePattern(Type.GROUP, "hello", PREFIXED), ALLOW, True), (wildcard, DENY, False),
            (wildcard, ALLOW, False), (ResourcePattern(Type.GROUP, "aloha", LITERAL), ALLOW, False)):
        rig.add(resource, entry(U1, H1, O.WRITE, permission))
        assert rig.may_any(U1, O.WRITE, Type.GROUP) is expected


def test_authorize_by_resource_type_with_all_operation_ace(rig: Rig) -> None:
    assert not rig.may_any(U1, O.READ, Type.TOPIC)
    rig.add(SB1, entry(U1, H1, O.WRITE, DENY), entry(U1, H1, O.ALL))
    assert rig.may_any(U1, O.READ, Type.TOPIC)
    rig.add(SB1, entry(U1, H1, O.ALL, DENY))
    assert not rig.may_any(U1, O.READ, Type.TOPIC)


def test_authorize_by_resource_type_with_all_host_ace(rig: Rig) -> None:
    assert not rig.may_any(U1, O.READ, Type.TOPIC)
    rig.add(SB1, entry(U1, H1, O.READ))
    assert rig.may_any(U1, O.READ, Type.TOPIC)
    rig.add(SB1, entry(U1, ANYWHERE, O.READ, DENY))
    assert not rig.may_any(U1, O.READ, Type.TOPIC)
    rig.add(SB2, entry(U1, H1, O.READ, DENY))
    assert not rig.may_any(U1, O.READ, Type.TOPIC) and not rig.may_any(U1, O.READ, Type.TOPIC, H2)
    rig.add(SB2, entry(U1, ANYWHERE, O.READ))
    assert rig.may_any(U1, O.READ, Type.TOPIC, H2)
    rig.add(SB2, entry(U1, ANYWHERE, O.READ, DENY))
    assert not rig.may_any(U1, O.READ, Type.TOPIC, H2)


def test_authorize_by_resource_type_with_all_principal_ace(rig: Rig) -> None:
    assert not rig.may_any(U1, O.READ, Type.TOPIC)
    rig.add(SB1, entry(U1, H1, O.READ))
    assert rig.may_any(U1, O.READ, Type.TOPIC)
    rig.add(SB1, entry(EVERYBODY, H1, O.READ, DENY))
    assert not rig.may_any(U1, O.READ, Type.TOPIC)
    rig.add(SB2, entry(U1, H1, O.READ, DENY))
    assert not rig.may_any(U1, O.READ, Type.TOPIC) and not rig.may_any(U2, O.READ, Type.TOPIC)
    rig.add(SB2, entry(EVERYBODY, H1, O.READ))
    assert rig.may_any(U2, O.READ, Type.TOPIC)
    rig.add(SB2, entry(EVERYBODY, H1, O.READ, DENY))
    assert not rig.may_any(U2, O.READ, Type.TOPIC)


def test_authorize_by_resource_type_super_user_has_access(rig: Rig) -> None:
    types = (Type.TOPIC, Type.CLUSTER, Type.GROUP, Type.TRANSACTIONAL_ID)
    for type_ in types:
        rig.add(ResourcePattern(type_, "*", LITERAL), entry(EVERYBODY, ANYWHERE, O.ALL, DENY))
        assert rig.may_any("User:superuser1", O.READ, type_) and not rig.may_any(U1, O.READ, type_)


# A case of our own.


@pytest.mark.parametrize(("operation", "type_"), [
    (O.ANY, Type.TOPIC), (O.UNKNOWN, Type.TOPIC), (O.READ, Type.ANY), (O.READ, Type.UNKNOWN)])
def test_what_only_a_filter_can_have(rig: Rig, operation: AclOperation, type_: ResourceType) -> None:
    with pytest.raises(IllegalArgumentException):
        rig.may_any(ALICE, operation, type_)
