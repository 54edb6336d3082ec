# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.controller.AclControlManagerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Permissions are given and taken, durably, and the authorizer hears of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kreactor.common.acl.access_control_entry import AccessControlEntry
from kreactor.common.acl.access_control_entry_filter import AccessControlEntryFilter
from kreactor.common.acl.acl_binding import AclBinding
from kreactor.common.acl.acl_binding_filter import AclBindingFilter
from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType
from kreactor.common.errors import (
    InvalidRequestException,
    KafkaStorageException,
    PolicyViolationException,
    UnknownServerException,
)
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource_pattern import ResourcePattern
from kreactor.common.resource.resource_pattern_filter import ResourcePatternFilter
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.controller import acl_control_manager, user_op
from kreactor.controller.acl_control_manager import AclControlManager
from kreactor.controller.controller_request_context import ControllerRequestContext
from kreactor.embedded.acls import AclStore
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.metadata.authorizer.standard_acl import StandardAcl
from kreactor.metadata.authorizer.standard_authorizer import StandardAuthorizer
from kreactor.server.authorizer.acl_create_result import AclCreateResult
from kreactor.server.authorizer.acl_delete_result import AclDeleteResult
from tests.metadata.authorizer.acls import new_action, request_context
from tests.metadata.authorizer.test_standard_acl import TEST_ACLS

ANY, ALTER, ALLOW = AclOperation.ANY, AclOperation.ALTER, AclPermissionType.ALLOW
TOPIC, LITERAL = ResourceType.TOPIC, PatternType.LITERAL
CONTEXT = ControllerRequestContext(KafkaPrincipal.ANONYMOUS, None, lambda _: None)


class Kept:
    """A manager on a file, and the rules of the authorizer."""

    def __init__(self, path: Path, fidelity_strict: bool = False) -> None:
        self.path = path
        self.authorizer = StandardAuthorizer()
        self.manager = AclControlManager(AclStore(str(path)), fidelity_strict)
        self.manager.add(self.authorizer)

    def create(self, *bindings: AclBinding) -> list[AclCreateResult]:
        results = self.manager.create_acls(CONTEXT, bindings).get(0)
        assert results is not None
        return results

    def delete(self, *filters: AclBindingFilter) -> list[AclDeleteResult]:
        results = self.manager.delete_acls(CONTEXT, filters).get(0)
        assert results is not None
        return results

    def acls(self) -> set[StandardAcl]:
        """Return the permissions, which all agree about."""
        kept = set(self.manager.id_to_acl().values())
        for acls in (self.authorizer.acls(AclBindingFilter.ANY), AclStore(str(self.path)).acls().values()):
            assert kept == {StandardAcl.from_acl_binding(acl) for acl in acls}
        return kept


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path / "acls.json")


def binding(resource_type: ResourceType = TOPIC, name: str = "*", pattern_type: PatternType = LITERAL,
            operation: AclOperation = ALTER, permission: AclPermissionType = ALLOW,
            principal: str = "User:*") -> AclBinding:
    return AclBinding(ResourcePattern(resource_type, name, pattern_type),
                      AccessControlEntry(principal, "*", operation, permission))


UNKNOWN_PATTERN = binding(pattern_type=PatternType.UNKNOWN)


@pytest.mark.parametrize(("wrong", "message"), [
    (UNKNOWN_PATTERN, "Invalid patternType UNKNOWN"),
    (binding(ResourceType.UNKNOWN), "Invalid resourceType UNKNOWN"),
    (binding(operation=AclOperation.UNKNOWN), "Invalid operation UNKNOWN"),
    (binding(permission=AclPermissionType.UNKNOWN), "Invalid permissionType UNKNOWN"),
    (binding(name=""), "Resource name should not be empty"),
], ids=str)
def test_validate_new_acl(wrong: AclBinding, message: str) -> None:
    AclControlManager.validate_new_acl(binding())
    with pytest.raises(InvalidRequestException) as e:
        AclControlManager.validate_new_acl(wrong)
    assert str(e.value) == message


@pytest.mark.deviation("D202")
def test_a_principal_that_is_not_type_and_name_is_refused(kept: Kept) -> None:
    result, = kept.create(binding(principal="alice"))
    assert isinstance(result.exception(), InvalidRequestException)
    assert str(result.exception()) == ("Invalid principal: expected a string in format "
                                       "principalType:principalName but got alice")
    assert kept.acls() == set()


@pytest.mark.deviation("D202")
def test_a_principal_that_is_not_type_and_name_with_strict_fidelity(tmp_path: Path) -> None:
    """As in Kafka the permission is created, and then no principal can be authorized for the resource."""
    kept = Kept(tmp_path / "acls.json", fidelity_strict=True)
    result, = kept.create(binding(name="t", principal="alice"))
    assert result.exception() is None
    assert {acl.principal() for acl in kept.acls()} == {"alice"}
    kept.authorizer.configure({"kreactor.fidelity": "strict"})
    with pytest.raises(IllegalStateException, match="Could not parse principal from `alice`"):
        kept.authorizer.authorize(
            request_context("bob"), [new_action(AclOperation.ALTER, ResourceType.TOPIC, "t")])


def test_validate_filter() -> None:
    def filter_(pattern_type: PatternType, permission: AclPermissionType) -> AclBindingFilter:
        return AclBindingFilter(ResourcePatternFilter(ResourceType.ANY, "*", pattern_type),
                                AccessControlEntryFilter("User:*", "*", ANY, permission))

    AclControlManager.validate_filter(filter_(LITERAL, AclPermissionType.ANY))
    for wrong, message in ((filter_(PatternType.UNKNOWN, AclPermissionType.ANY), "Unknown patternFilter."),
                           (filter_(PatternType.MATCH, AclPermissionType.UNKNOWN), "Unknown entryFilter.")):
        with pytest.raises(InvalidRequestException) as e:
            AclControlManager.validate_filter(wrong)
        assert str(e.value) == message


def test_load_snapshot(kept: Kept) -> None:
    kept.create(*[acl.to_binding() for acl in TEST_ACLS])
    again = Kept(kept.path)
    assert again.acls() == set(TEST_ACLS)
    assert again.manager.id_to_acl().keys() == kept.manager.id_to_acl().keys()
    assert again.authorizer.initial_load_future().is_done()


def test_an_unexpected_error_is_answered_and_its_cause_is_logged(
        kept: Kept, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def fail(*args: object) -> None:
        raise ZeroDivisionError("of a filter")

    kept.create(TEST_ACLS[0].to_binding())
    with monkeypatch.context() as patch:
        patch.setattr(kept.manager, "_delete_acls_for_filter", fail)
        result, = kept.delete(AclBindingFilter.ANY)
    assert isinstance(result.exception(), UnknownServerException)
    record, = (record for record in caplog.records if record.levelname == "ERROR")
    assert record.exc_info is not None and record.exc_info[0] is ZeroDivisionError
    assert kept.acls() == {TEST_ACLS[0]}


def test_an_acl_whose_check_fails_unexpectedly_is_answered_alone(
        kept: Kept, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    validate = AclControlManager.validate_new_acl

    def fail_for_first(acl: AclBinding) -> None:
        if acl == TEST_ACLS[0].to_binding():
            raise ZeroDivisionError("of an ACL")
        validate(acl)

    with monkeypatch.context() as patch:
        patch.setattr(kept.manager, "validate_new_acl", fail_for_first)
        failed, created = kept.create(TEST_ACLS[0].to_binding(), TEST_ACLS[1].to_binding())
    assert isinstance(failed.exception(), UnknownServerException)
    assert str(failed.exception()) == "Unknown error while trying to create ACL"
    assert created is AclCreateResult.SUCCESS
    record, = (record for record in caplog.records if record.levelname == "ERROR")
    assert record.exc_info is not None and record.exc_info[0] is ZeroDivisionError
    assert kept.acls() == {TEST_ACLS[1]}


def test_add_and_delete(kept: Kept) -> None:
    kept.create(TEST_ACLS[0].to_binding())
    assert kept.acls() == {TEST_ACLS[0]}
    kept.delete(TEST_ACLS[0].to_binding().to_filter())
    assert kept.acls() == set()


def test_create_acl_delete_acl(kept: Kept) -> None:
    created = kept.create(*[acl.to_binding() for acl in TEST_ACLS[:3]], UNKNOWN_PATTERN)
    assert [None if result.exception() is None else str(result.exception()) for result in created] == [
        None, None, None, "Invalid patternType UNKNOWN"]
    assert kept.acls() == set(TEST_ACLS[:3])
    first, second = kept.delete(*[
        AclBindingFilter(ResourcePatternFilter(type_, None, LITERAL), AccessControlEntryFilter.ANY)
        for type_ in (ResourceType.ANY, ResourceType.UNKNOWN)])
    deleted = first.acl_binding_delete_results()
    assert {result.acl_binding() for result in deleted} == {
        TEST_ACLS[0].to_binding(), TEST_ACLS[2].to_binding()}
    assert all(result.exception() is None for result in deleted)
    assert isinstance(second.exception(), InvalidRequestException)
    assert kept.acls() == {TEST_ACLS[1]}


def test_delete_dedupe(kept: Kept) -> None:
    acl = AclBinding(ResourcePattern(TOPIC, "topic-1", LITERAL),
                     AccessControlEntry("User:user", "10.0.0.1", AclOperation.ALL, ALLOW))
    for filters in ([AclBindingFilter.ANY], [acl.to_filter()], [AclBindingFilter.ANY, acl.to_filter()]):
        kept.create(acl)
        assert [[deleted.acl_binding() for deleted in result.acl_binding_delete_results()]
                for result in kept.delete(*filters)] == [[acl]] * len(filters)
        assert kept.acls() == set()


# Cases of our own.


def test_one_that_is_there_is_given_once(kept: Kept) -> None:
    for acls in ([binding()], [binding(), binding()]):
        assert {result.exception() for result in kept.create(*acls)} == {None}
        assert len(kept.manager.id_to_acl()) == 1


def test_what_cannot_be_kept_is_not_given_and_not_taken(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> None:
        raise OSError("no space")

    kept.create(binding())
    before = kept.acls()
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refuse)
        with pytest.raises(KafkaStorageException, match="no space"):
            kept.create(binding(name="b"))
        with pytest.raises(KafkaStorageException, match="no space"):
            kept.delete(AclBindingFilter.ANY)
    assert kept.acls() == before
    assert not kept.create(binding(name="b"))[0].exception()
    assert len(kept.acls()) == 2


@pytest.mark.deviation("D201")
def test_a_request_for_too_many_permissions_changes_nothing(
        kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (user_op, acl_control_manager):
        monkeypatch.setattr(module, "MAX_RECORDS_PER_USER_OP", 3)
    bindings = [binding(name=name) for name in "abcd"]
    with pytest.raises(PolicyViolationException):
        kept.create(*bindings)
    assert kept.acls() == set()

    kept.create(*bindings[:3])
    kept.create(bindings[3])
    result, = kept.delete(AclBindingFilter.ANY)
    assert isinstance(result.exception(), PolicyViolationException)
    assert len(kept.acls()) == 4

    # Filters that are together beyond the limit: the last one fails alone.
    results = kept.delete(*[each.to_filter() for each in bindings])
    assert [type(result.exception()) for result in results] == [type(None)] * 3 + [PolicyViolationException]
    assert {acl.resource_name() for acl in kept.acls()} == {"d"}


@pytest.mark.deviation("D201")
def test_a_request_for_too_many_permissions_with_strict_fidelity(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in Kafka the controller takes its first permissions for existing ones, which no authorizer has."""
    monkeypatch.setattr(user_op, "MAX_RECORDS_PER_USER_OP", 3)
    kept = Kept(tmp_path / "acls.json", fidelity_strict=True)
    bindings = [binding(name=name) for name in "abcde"]
    with pytest.raises(PolicyViolationException):
        kept.create(*bindings)
    assert kept.acls() == set()
    assert [result.exception() for result in kept.create(*bindings)] == [None] * 5
    assert {acl.resource_name() for acl in kept.acls()} == {"e"}
