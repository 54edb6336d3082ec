# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.metadata.authorizer.StandardAuthorizer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Kafka's own authorizer: ACLs in the data folder; super users and the default result in the settings.

Threads: request handlers authorize; the controller changes ACLs, one change at a time under its lock. Each
decision uses the ACLs of one moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kreactor.common.acl.acl_binding import AclBinding
from kreactor.common.acl.acl_binding_filter import AclBindingFilter
from kreactor.common.endpoint import Endpoint
from kreactor.common.errors import NotControllerException, TimeoutException
from kreactor.common.utils.security_utils import SecurityUtils
from kreactor.common.uuid import Uuid
from kreactor.jdk.concurrent import CompletableFuture
from kreactor.metadata.authorizer.acl_cache import AclCache
from kreactor.metadata.authorizer.acl_mutator import AclMutator
from kreactor.metadata.authorizer.cluster_metadata_authorizer import ClusterMetadataAuthorizer
from kreactor.metadata.authorizer.standard_acl import StandardAcl
from kreactor.metadata.authorizer.standard_authorizer_data import StandardAuthorizerData
from kreactor.server.authorizer.action import Action
from kreactor.server.authorizer.authorizable_request_context import AuthorizableRequestContext
from kreactor.server.authorizer.authorization_result import AuthorizationResult
from kreactor.server.authorizer.authorizer_server_info import AuthorizerServerInfo


class StandardAuthorizer(ClusterMetadataAuthorizer):
    """For use by any thread.

    :origin: metadata.authorizer.StandardAuthorizer
    """

    SUPER_USERS_CONFIG = "super.users"

    ALLOW_EVERYONE_IF_NO_ACL_IS_FOUND_CONFIG = "allow.everyone.if.no.acl.found"

    def __init__(self) -> None:
        """Deny everything until the ACLs are loaded."""
        # Complete once all ACLs are loaded.
        self._initial_load_future: CompletableFuture[None] = CompletableFuture()
        # Replaced as a whole, or its cache is replaced; read by any thread.
        self._data = StandardAuthorizerData.create_empty()

    def set_acl_mutator(self, acl_mutator: AclMutator) -> None:
        """:origin: metadata.authorizer.StandardAuthorizer#setAclMutator(AclMutator)"""
        self._data = self._data.copy_with_new_acl_mutator(acl_mutator)

    def acl_mutator_or_exception(self) -> AclMutator:
        """:origin: metadata.authorizer.StandardAuthorizer#aclMutatorOrException()"""
        acl_mutator = self._data.acl_mutator
        if acl_mutator is None:
            raise NotControllerException("The current node is not the active controller.")
        return acl_mutator

    def complete_initial_load(self, e: Exception | None = None) -> None:
        """
        :origin: metadata.authorizer.StandardAuthorizer#completeInitialLoad()
        :origin: metadata.authorizer.StandardAuthorizer#completeInitialLoad(Exception)
        """
        if e is not None:
            if not self._initial_load_future.is_done():
                self._data.log.error("failed to load the ACLs", exc=e)
                self._initial_load_future.complete_exceptionally(e)
            return
        self._data = self._data.copy_with_new_loading_complete(True)
        self._data.log.info("loaded all ACLs")
        self._initial_load_future.complete(None)

    def initial_load_future(self) -> CompletableFuture[None]:
        """Return the future that completes once all ACLs are loaded.

        :origin: metadata.authorizer.StandardAuthorizer#initialLoadFuture()
        """
        return self._initial_load_future

    def add_acl(self, id_: Uuid, acl: StandardAcl) -> None:
        """Raises as ``AclCache.add_acl``.

        :origin: metadata.authorizer.StandardAuthorizer#addAcl(Uuid, StandardAcl)
        """
        self._data.add_acl(id_, acl)

    def remove_acl(self, id_: Uuid) -> None:
        """Raises as ``AclCache.remove_acl``.

        :origin: metadata.authorizer.StandardAuthorizer#removeAcl(Uuid)
        """
        self._data.remove_acl(id_)

    def add_acls(self, acls: Mapping[Uuid, StandardAcl]) -> None:
        """Raises as ``AclCache.add_acls``."""
        self._data.add_acls(acls)

    def remove_acls(self, ids: Iterable[Uuid]) -> None:
        """Raises as ``AclCache.remove_acls``."""
        self._data.remove_acls(ids)

    def load_snapshot(self, acls: Mapping[Uuid, StandardAcl]) -> None:
        """Raises as ``AclCache``.

        :origin: metadata.authorizer.StandardAuthorizer#loadSnapshot(Map<Uuid,StandardAcl>)
        """
        self._data = self._data.copy_with_new_acls(AclCache(acls))

    def start(self, server_info: AuthorizerServerInfo) -> Mapping[Endpoint, CompletableFuture[None]]:
        """:origin: metadata.authorizer.StandardAuthorizer#start(AuthorizerServerInfo)"""
        return {
            endpoint: (CompletableFuture.completed_future(None)
                       if endpoint.listener_name() in server_info.early_start_listeners
                       else self._initial_load_future)
            for endpoint in server_info.endpoints}

    def authorize(self, request_context: AuthorizableRequestContext,
                  actions: Sequence[Action]) -> list[AuthorizationResult]:
        """Raises as ``StandardAuthorizerData.authorize``.

        :origin: metadata.authorizer.StandardAuthorizer#authorize(AuthorizableRequestContext, List<Action>)
        """
        cur_data = self._data
        return [cur_data.authorize(request_context, action) for action in actions]

    def acls(self, filter_: AclBindingFilter) -> Iterable[AclBinding]:
        """:origin: metadata.authorizer.StandardAuthorizer#acls(AclBindingFilter)"""
        return self._data.acls(filter_)

    def acl_count(self) -> int:
        """:origin: metadata.authorizer.StandardAuthorizer#aclCount()"""
        return self._data.acl_count()

    def close(self) -> None:
        """:origin: metadata.authorizer.StandardAuthorizer#close()"""
        self._initial_load_future.complete_exceptionally(TimeoutException(
            "The authorizer was closed before the initial load could complete."))

    def configure(self, configs: Mapping[str, object]) -> None:
        """Read the super users and the default result. Raises IllegalArgumentException for an invalid super
        user.

        :origin: metadata.authorizer.StandardAuthorizer#configure(Map<String,?>)
        """
        super_users = self.get_configured_super_users(configs)
        default_result = self.get_default_result(configs)
        try:
            node_id = int(str(configs["node.id"]).strip())
        except (KeyError, ValueError):
            node_id = -1
        self._data = self._data.copy_with_new_config(
            node_id, super_users, default_result, configs.get("kreactor.fidelity") == "strict")
        self._data.log.info("super.users: %s; result without any ACL: %s",
                            ";".join(sorted(super_users)), default_result.name)

    def super_users(self) -> set[str]:
        """Return the principals that may perform every operation.

        :origin: metadata.authorizer.StandardAuthorizer#superUsers()
        """
        return set(self._data.super_users())

    def default_result(self) -> AuthorizationResult:
        """Return the result for resources without any ACL.

        :origin: metadata.authorizer.StandardAuthorizer#defaultResult()
        """
        return self._data.default_result()

    @staticmethod
    def get_configured_super_users(configs: Mapping[str, object]) -> frozenset[str]:
        """Return the principals in ``super.users``. Raises IllegalArgumentException for an invalid one.

        :origin: metadata.authorizer.StandardAuthorizer#getConfiguredSuperUsers(Map<String,?>)
        """
        config_value = configs.get(StandardAuthorizer.SUPER_USERS_CONFIG)
        if config_value is None:
            return frozenset()
        super_users = {value.strip() for value in str(config_value).split(";")} - {""}
        for super_user in super_users:
            SecurityUtils.parse_kafka_principal(super_user)
        return frozenset(super_users)

    @staticmethod
    def get_default_result(configs: Mapping[str, object]) -> AuthorizationResult:
        """Return the result that ``allow.everyone.if.no.acl.found`` sets; the default is DENIED.

        :origin: metadata.authorizer.StandardAuthorizer#getDefaultResult(Map<String,?>)
        """
        config_value = configs.get(StandardAuthorizer.ALLOW_EVERYONE_IF_NO_ACL_IS_FOUND_CONFIG)
        is_allowed = config_value is not None and str(config_value).strip().lower() == "true"
        return AuthorizationResult.ALLOWED if is_allowed else AuthorizationResult.DENIED
