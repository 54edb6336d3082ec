# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.metadata.authorizer.ClusterMetadataAuthorizer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""An authorizer whose ACLs the node stores in its data folder."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Callable, TypeVar

from kreactor.common.acl.acl_binding import AclBinding
from kreactor.common.acl.acl_binding_filter import AclBindingFilter
from kreactor.common.errors import ApiException, UnknownServerException
from kreactor.common.requests.api_error import ApiError
from kreactor.common.uuid import Uuid
from kreactor.controller.controller_request_context import ControllerRequestContext
from kreactor.jdk.concurrent import CompletableFuture
from kreactor.metadata.authorizer.acl_mutator import AclMutator
from kreactor.metadata.authorizer.standard_acl import StandardAcl
from kreactor.server.authorizer.acl_create_result import AclCreateResult
from kreactor.server.authorizer.acl_delete_result import AclDeleteResult
from kreactor.server.authorizer.authorizable_request_context import AuthorizableRequestContext
from kreactor.server.authorizer.authorizer import Authorizer

R = TypeVar("R")


class ClusterMetadataAuthorizer(Authorizer):
    """For use by any thread.

    :origin: metadata.authorizer.ClusterMetadataAuthorizer
    """

    @abstractmethod
    def set_acl_mutator(self, acl_mutator: AclMutator) -> None:
        """Set the mutator that changes ACLs.

        :origin: metadata.authorizer.ClusterMetadataAuthorizer#setAclMutator(AclMutator)
        """

    @abstractmethod
    def acl_mutator_or_exception(self) -> AclMutator:
        """Return the mutator. Raises NotControllerException if it is not set.

        :origin: metadata.authorizer.ClusterMetadataAuthorizer#aclMutatorOrException()
        """

    @abstractmethod
    def complete_initial_load(self, e: Exception | None = None) -> None:
        """Report that all ACLs are loaded, or why loading failed.

        :origin: metadata.authorizer.ClusterMetadataAuthorizer#completeInitialLoad()
        :origin: metadata.authorizer.ClusterMetadataAuthorizer#completeInitialLoad(Exception)
        """

    @abstractmethod
    def load_snapshot(self, acls: Mapping[Uuid, StandardAcl]) -> None:
        """Replace all ACLs.

        :origin: metadata.authorizer.ClusterMetadataAuthorizer#loadSnapshot(Map<Uuid,StandardAcl>)
        """

    @abstractmethod
    def add_acl(self, id_: Uuid, acl: StandardAcl) -> None:
        """Add an ACL.

        :origin: metadata.authorizer.ClusterMetadataAuthorizer#addAcl(Uuid, StandardAcl)
        """

    @abstractmethod
    def remove_acl(self, id_: Uuid) -> None:
        """Remove an ACL.

        :origin: metadata.authorizer.ClusterMetadataAuthorizer#removeAcl(Uuid)
        """

    # DEVIATION D261: the ACLs of one request are added or removed together; the origin handles each alone.
    # The origin's trees share their unchanged parts, whereas these tables are copied.
    def add_acls(self, acls: Mapping[Uuid, StandardAcl]) -> None:
        """Add ACLs."""
        for id_, acl in acls.items():
            self.add_acl(id_, acl)

    def remove_acls(self, ids: Iterable[Uuid]) -> None:
        """Remove ACLs."""
        for id_ in ids:
            self.remove_acl(id_)

    def create_acls(self, request_context: AuthorizableRequestContext,
                    acl_bindings: Sequence[AclBinding]) -> Sequence[CompletableFuture[AclCreateResult]]:
        """Raises as ``acl_mutator_or_exception``.

        :origin: metadata.authorizer.ClusterMetadataAuthorizer#createAcls(AuthorizableRequestContext, List<AclBinding>)
        """  # noqa: E501
        futures: list[CompletableFuture[AclCreateResult]] = [CompletableFuture() for _ in acl_bindings]
        acl_mutator = self.acl_mutator_or_exception()
        context = _context(request_context)
        acl_mutator.create_acls(context, acl_bindings).when_complete(
            lambda results, throwable: _complete(
                futures, results, throwable, lambda e: AclCreateResult(e)))
        return futures

    def delete_acls(
        self, request_context: AuthorizableRequestContext, acl_binding_filters: Sequence[AclBindingFilter],
    ) -> Sequence[CompletableFuture[AclDeleteResult]]:
        """Raises as ``acl_mutator_or_exception``.

        :origin: metadata.authorizer.ClusterMetadataAuthorizer#deleteAcls(AuthorizableRequestContext, List<AclBindingFilter>)
        """  # noqa: E501
        futures: list[CompletableFuture[AclDeleteResult]] = [CompletableFuture() for _ in acl_binding_filters]
        acl_mutator = self.acl_mutator_or_exception()
        context = _context(request_context)
        acl_mutator.delete_acls(context, acl_binding_filters).when_complete(
            lambda results, throwable: _complete(
                futures, results, throwable, lambda e: AclDeleteResult(exception=e)))
        return futures


def _context(request_context: AuthorizableRequestContext) -> ControllerRequestContext:
    return ControllerRequestContext(request_context.principal, None, lambda _: None)


def _complete(futures: Sequence[CompletableFuture[R]], results: Sequence[R] | None,
              throwable: BaseException | None, failed: Callable[[ApiException], R]) -> None:
    """Complete each future with its result, or all of them with the exception."""
    if throwable is None and (results is None or len(results) != len(futures)):
        throwable = UnknownServerException(
            f"Invalid size of result set from controller. Expected {len(futures)}; "
            f"got {len(results or ())}")
    if throwable is None:
        assert results is not None
        for future, result in zip(futures, results):
            future.complete(result)
    else:
        e = (throwable if isinstance(throwable, ApiException)
             else ApiError.from_throwable(throwable).exception())
        assert e is not None, "an error"
        for future in futures:
            future.complete(failed(e))
