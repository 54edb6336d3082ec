# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.controller.AclControlManager of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Creates and deletes ACLs durably, then updates the authorizers.

In Kafka the controller writes ACLs to its log, and brokers read the log. Here they are in a file of the data
folder.

Lock: ``_lock`` admits one change at a time, so authorizers are updated in the order of the changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import TypeVar

from kreactor.common.acl.acl_binding import AclBinding
from kreactor.common.acl.acl_binding_filter import AclBindingFilter
from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType
from kreactor.common.errors import (
    ApiException,
    InvalidRequestException,
    PolicyViolationException,
    UnknownServerException,
)
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.api_error import ApiError
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.utils.security_utils import SecurityUtils
from kreactor.common.uuid import Uuid
from kreactor.controller.controller_request_context import ControllerRequestContext
from kreactor.controller.user_op import MAX_RECORDS_PER_USER_OP, UserOpRecords
from kreactor.core.utils.logging import Logging
from kreactor.jdk.concurrent import CompletableFuture
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.locks import Lock
from kreactor.metadata.authorizer.cluster_metadata_authorizer import ClusterMetadataAuthorizer
from kreactor.metadata.authorizer.standard_acl import StandardAcl
from kreactor.metadata.node_storage import StoredAcls
from kreactor.server.authorizer.acl_create_result import AclCreateResult
from kreactor.server.authorizer.acl_delete_result import AclDeleteResult

T = TypeVar("T")

AclBindingDeleteResult = AclDeleteResult.AclBindingDeleteResult


class AclControlManager(Logging):
    """For use by any thread; an AclMutator.

    :origin: controller.AclControlManager
    """

    def __init__(self, store: StoredAcls, fidelity_strict: bool = False) -> None:
        """Update no authorizer before ``add``.

        ``fidelity_strict`` is ours: whether ``kreactor.fidelity`` is strict.

        :origin: controller.AclControlManager#AclControlManager(LogContext, SnapshotRegistry)
        """
        self._lock = Lock()
        self._store = store
        self._fidelity_strict = fidelity_strict
        # Replaced under the lock.
        self._authorizers: tuple[ClusterMetadataAuthorizer, ...] = ()
        # Guarded by the lock.
        self._id_to_acl = {id_: StandardAcl.from_acl_binding(acl) for id_, acl in store.acls().items()}
        self._existing_acls = set(self._id_to_acl.values())
        # Guarded by the lock: with kreactor.fidelity=strict, the ACLs of requests above the limit.
        self._unapplied_acls: set[StandardAcl] = set()

    def is_strict(self) -> bool:
        """Return whether the faults of ``STRICT_DEVIATIONS`` are there."""
        return self._fidelity_strict

    def add(self, authorizer: ClusterMetadataAuthorizer) -> None:
        """Give a broker's authorizer the stored ACLs, and all changes from now on."""
        with self._lock:
            authorizer.set_acl_mutator(self)
            authorizer.load_snapshot(self.id_to_acl())
            authorizer.complete_initial_load()
            self._authorizers = (*self._authorizers, authorizer)

    def remove(self, authorizer: ClusterMetadataAuthorizer) -> None:
        """Stop updating an authorizer."""
        with self._lock:
            self._authorizers = tuple(each for each in self._authorizers if each is not authorizer)

    def create_acls(self, context: ControllerRequestContext,
                    acl_bindings: Sequence[AclBinding]) -> CompletableFuture[list[AclCreateResult]]:
        """
        :origin: controller.AclControlManager#createAcls(List<AclBinding>)
        :origin: controller.QuorumController#createAcls(ControllerRequestContext, List<AclBinding>)
        """
        results: list[AclCreateResult] = []
        created: dict[Uuid, StandardAcl] = {}
        with self._lock:
            new_acls: set[StandardAcl] = set()
            for acl in acl_bindings:
                try:
                    self.validate_new_acl(acl)
                    # DEVIATION D202: the origin, and kreactor.fidelity=strict, create an ACL whose principal
                    # is not type:name, and then fail on it whenever the resource is authorized.
                    if not self.is_strict():
                        self._validate_principal(acl)
                except ApiException as e:
                    results.append(AclCreateResult(e))
                    continue
                except Exception as e:
                    # The response does not tell the cause.
                    self.error("unexpected error while creating %s", acl, exc=e)
                    results.append(AclCreateResult(
                        UnknownServerException("Unknown error while trying to create ACL", e)))
                    continue
                standard_acl = StandardAcl.from_acl_binding(acl)
                if (standard_acl not in self._existing_acls and standard_acl not in new_acls
                        and standard_acl not in self._unapplied_acls):
                    new_acls.add(standard_acl)
                    created[self._new_acl_id()] = standard_acl
                results.append(AclCreateResult.SUCCESS)
            try:
                UserOpRecords().add(len(created))
                if created:
                    self._store_acls({**self._id_to_acl, **created})
            except PolicyViolationException as e:
                # DEVIATION D201: a request above the limit changes nothing. The controller of the origin, and
                # kreactor.fidelity=strict, take its ACLs for existing ones, which no broker has.
                if self.is_strict():
                    self._unapplied_acls.update(islice(created.values(), UserOpRecords().room() + 1))
                return _failed(e)
            except ApiException as e:
                return _failed(e)
            for authorizer in self._authorizers:
                authorizer.add_acls(created)
            for id_, standard_acl in created.items():
                self.info("created %s: %s", id_, standard_acl)
        return CompletableFuture.completed_future(results)

    def _new_acl_id(self) -> Uuid:
        """:origin: controller.AclControlManager#newAclId()"""
        uuid = Uuid.random_uuid()
        while uuid in self._id_to_acl:
            uuid = Uuid.random_uuid()
        return uuid

    @staticmethod
    def validate_new_acl(binding: AclBinding) -> None:
        """Raise InvalidRequestException for an invalid ACL.

        :origin: controller.AclControlManager#validateNewAcl(AclBinding)
        """
        pattern, entry = binding.pattern(), binding.entry()
        if pattern.resource_type() in (ResourceType.UNKNOWN, ResourceType.ANY):
            raise InvalidRequestException(f"Invalid resourceType {pattern.resource_type().name}")
        if not pattern.pattern_type().is_specific():
            raise InvalidRequestException(f"Invalid patternType {pattern.pattern_type().name}")
        if entry.operation() in (AclOperation.UNKNOWN, AclOperation.ANY):
            raise InvalidRequestException(f"Invalid operation {entry.operation().name}")
        if entry.permission_type() not in (AclPermissionType.DENY, AclPermissionType.ALLOW):
            raise InvalidRequestException(f"Invalid permissionType {entry.permission_type().name}")
        if not pattern.name():
            raise InvalidRequestException("Resource name should not be empty")

    @staticmethod
    def _validate_principal(binding: AclBinding) -> None:
        """Raise InvalidRequestException for a principal that is not type:name."""
        try:
            SecurityUtils.parse_kafka_principal(binding.entry().principal())
        except IllegalArgumentException as e:
            raise InvalidRequestException(f"Invalid principal: {e}") from None

    def delete_acls(
        self, context: ControllerRequestContext, acl_binding_filters: Sequence[AclBindingFilter],
    ) -> CompletableFuture[list[AclDeleteResult]]:
        """
        :origin: controller.AclControlManager#deleteAcls(List<AclBindingFilter>)
        :origin: controller.QuorumController#deleteAcls(ControllerRequestContext, List<AclBindingFilter>)
        """
        results: list[AclDeleteResult] = []
        deleted: dict[Uuid, StandardAcl] = {}
        with self._lock:
            for filter_ in acl_binding_filters:
                try:
                    self.validate_filter(filter_)
                    results.append(self._delete_acls_for_filter(filter_, deleted))
                except Exception as e:
                    error = ApiError.from_throwable(e)
                    if error.is_(Errors.UNKNOWN_SERVER_ERROR):
                        # The response does not tell the cause.
                        self.error("unexpected error while deleting the ACLs of %s", filter_, exc=e)
                    results.append(AclDeleteResult(exception=error.exception()))
            try:
                if deleted:
                    self._store_acls({id_: acl for id_, acl in self._id_to_acl.items() if id_ not in deleted})
            except ApiException as e:
                return _failed(e)
            for authorizer in self._authorizers:
                authorizer.remove_acls(deleted)
            for id_, acl in deleted.items():
                self.info("deleted %s: %s", id_, acl)
        return CompletableFuture.completed_future(results)

    def _delete_acls_for_filter(self, filter_: AclBindingFilter,
                                deleted: dict[Uuid, StandardAcl]) -> AclDeleteResult:
        """Add the ACLs that match a filter to ``deleted``. Raises PolicyViolationException above the limit.

        :origin: controller.AclControlManager#deleteAclsForFilter(AclBindingFilter, Set<ApiMessageAndVersion>)
        """
        results: list[AclBindingDeleteResult] = []
        passed: dict[Uuid, StandardAcl] = {}
        for id_, acl in self._id_to_acl.items():
            binding = acl.to_binding()
            if filter_.matches(binding):
                results.append(AclBindingDeleteResult(binding))
                passed[id_] = acl
        # DEVIATION D201: a request above the limit changes nothing.
        if len(deleted) + sum(id_ not in deleted for id_ in passed) > MAX_RECORDS_PER_USER_OP:
            raise PolicyViolationException(
                f"Cannot remove more than {MAX_RECORDS_PER_USER_OP} acls in a single delete operation.")
        deleted.update(passed)
        return AclDeleteResult(results)

    @staticmethod
    def validate_filter(filter_: AclBindingFilter) -> None:
        """Raise InvalidRequestException for a filter with unknown values.

        :origin: controller.AclControlManager#validateFilter(AclBindingFilter)
        """
        if filter_.pattern_filter().is_unknown():
            raise InvalidRequestException("Unknown patternFilter.")
        if filter_.entry_filter().is_unknown():
            raise InvalidRequestException("Unknown entryFilter.")

    def _store_acls(self, acls: dict[Uuid, StandardAcl]) -> None:
        """Replace all ACLs durably. Raises KafkaStorageException."""
        self._store.replace({id_: acl.to_binding() for id_, acl in acls.items()})
        self._id_to_acl = acls
        self._existing_acls = set(acls.values())

    def id_to_acl(self) -> Mapping[Uuid, StandardAcl]:
        """Return all ACLs by id.

        :origin: controller.AclControlManager#idToAcl()
        """
        return MappingProxyType(self._id_to_acl)


def _failed(e: ApiException) -> CompletableFuture[T]:
    future: CompletableFuture[T] = CompletableFuture()
    future.complete_exceptionally(e)
    return future
