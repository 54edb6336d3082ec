# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.metadata.authorizer.ClusterMetadataAuthorizerTest of Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The results of an authorizer by the controller's answers."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from kreactor.common.acl.access_control_entry import AccessControlEntry
from kreactor.common.acl.acl_binding import AclBinding
from kreactor.common.acl.acl_binding_filter import AclBindingFilter
from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType
from kreactor.common.errors import (
    AuthorizationException,
    InvalidRequestException,
    NotControllerException,
    UnknownServerException,
)
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource_pattern import ResourcePattern
from kreactor.common.resource.resource_type import ResourceType
from kreactor.controller.controller_request_context import ControllerRequestContext
from kreactor.jdk.concurrent import CompletableFuture
from kreactor.metadata.authorizer.standard_authorizer import StandardAuthorizer
from kreactor.server.authorizer.acl_create_result import AclCreateResult
from kreactor.server.authorizer.acl_delete_result import AclDeleteResult
from tests.metadata.authorizer.acls import request_context

BINDINGS = [AclBinding(ResourcePattern(ResourceType.TOPIC, name, PatternType.LITERAL),
                       AccessControlEntry("User:bob", "*", AclOperation.READ, AclPermissionType.ALLOW))
            for name in ("foo", "bar")]
FILTERS = [binding.to_filter() for binding in BINDINGS]


class Mutator:
    def __init__(self) -> None:
        self.created: CompletableFuture[list[AclCreateResult]] = CompletableFuture()
        self.deleted: CompletableFuture[list[AclDeleteResult]] = CompletableFuture()

    def create_acls(self, context: ControllerRequestContext,
                    acl_bindings: Sequence[AclBinding]) -> CompletableFuture[list[AclCreateResult]]:
        assert acl_bindings is BINDINGS and str(context.principal()) == "User:bob"
        return self.created

    def delete_acls(
        self, context: ControllerRequestContext, acl_binding_filters: Sequence[AclBindingFilter],
    ) -> CompletableFuture[list[AclDeleteResult]]:
        assert acl_binding_filters is FILTERS and str(context.principal()) == "User:bob"
        return self.deleted


@pytest.fixture
def mutator() -> Mutator:
    return Mutator()


@pytest.fixture
def authorizer(mutator: Mutator) -> StandardAuthorizer:
    authorizer = StandardAuthorizer()
    authorizer.set_acl_mutator(mutator)
    return authorizer


def exceptions_of(futures: Sequence[CompletableFuture[AclCreateResult]]) -> list[type | None]:
    results = [future.get(0) for future in futures]
    return [None if result is None or result.exception() is None else type(result.exception())
            for result in results]


def test_create_acls(mutator: Mutator, authorizer: StandardAuthorizer) -> None:
    results = authorizer.create_acls(request_context("bob"), BINDINGS)
    assert not any(result.is_done() for result in results)
    mutator.created.complete([AclCreateResult.SUCCESS, AclCreateResult(InvalidRequestException("invalid"))])
    assert exceptions_of(results) == [None, InvalidRequestException]


def test_create_acls_error(mutator: Mutator, authorizer: StandardAuthorizer) -> None:
    mutator.created.complete_exceptionally(AuthorizationException("not authorized"))
    assert exceptions_of(authorizer.create_acls(request_context("bob"), BINDINGS)) == [
        AuthorizationException] * 2


def test_delete_acls(mutator: Mutator, authorizer: StandardAuthorizer) -> None:
    mutator.deleted.complete([
        AclDeleteResult([AclDeleteResult.AclBindingDeleteResult(BINDINGS[0])]),
        AclDeleteResult(exception=InvalidRequestException("invalid"))])
    first, second = [
        future.get(0) for future in authorizer.delete_acls(request_context("bob"), FILTERS)]
    assert first is not None and second is not None
    deleted, = first.acl_binding_delete_results()
    assert (deleted.acl_binding(), deleted.exception()) == (BINDINGS[0], None)
    assert not second.acl_binding_delete_results()
    assert isinstance(second.exception(), InvalidRequestException)


def test_delete_acls_error(mutator: Mutator, authorizer: StandardAuthorizer) -> None:
    mutator.deleted.complete_exceptionally(AuthorizationException("not authorized"))
    results = [future.get(0) for future in authorizer.delete_acls(request_context("bob"), FILTERS)]
    assert len(results) == len(FILTERS) > 0
    for result in results:
        assert result is not None and not result.acl_binding_delete_results()
        assert isinstance(result.exception(), AuthorizationException)


# Cases of our own.


def test_a_controller_that_answers_something_else(mutator: Mutator, authorizer: StandardAuthorizer) -> None:
    mutator.created.complete([AclCreateResult.SUCCESS])
    assert exceptions_of(authorizer.create_acls(request_context("bob"), BINDINGS)) == [
        UnknownServerException] * 2


def test_without_a_controller() -> None:
    with pytest.raises(NotControllerException):
        StandardAuthorizer().create_acls(request_context("bob"), BINDINGS)
