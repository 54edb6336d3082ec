# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.authorizer.Authorizer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of an authorizer. ``authorizer.class.name`` names the class, and the broker makes the
instance.

Request handlers call it from any thread, and wait for its results. So it should hold its rules in memory.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence

from kreactor.common.acl.access_control_entry_filter import AccessControlEntryFilter
from kreactor.common.acl.acl_binding import AclBinding
from kreactor.common.acl.acl_binding_filter import AclBindingFilter
from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType
from kreactor.common.configurable import Configurable
from kreactor.common.endpoint import Endpoint
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource_pattern import ResourcePattern
from kreactor.common.resource.resource_pattern_filter import ResourcePatternFilter
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.utils.security_utils import SecurityUtils
from kreactor.jdk.concurrent import CompletableFuture
from kreactor.server.authorizer.acl_create_result import AclCreateResult
from kreactor.server.authorizer.acl_delete_result import AclDeleteResult
from kreactor.server.authorizer.action import Action
from kreactor.server.authorizer.authorizable_request_context import AuthorizableRequestContext
from kreactor.server.authorizer.authorization_result import AuthorizationResult
from kreactor.server.authorizer.authorizer_server_info import AuthorizerServerInfo


class Authorizer(Configurable):
    """Decides which principal may perform which operation, and manages the ACLs. ``configure`` is called
    first, then ``start``.

    :origin: server.authorizer.Authorizer
    """

    @abstractmethod
    def start(self, server_info: AuthorizerServerInfo) -> Mapping[Endpoint, CompletableFuture[None]]:
        """Begin to load the rules. A listener accepts connections once its future is complete.

        :origin: server.authorizer.Authorizer#start(AuthorizerServerInfo)
        """

    @abstractmethod
    def authorize(self, request_context: AuthorizableRequestContext,
                  actions: Sequence[Action]) -> list[AuthorizationResult]:
        """Return the decision for each action, in their order.

        :origin: server.authorizer.Authorizer#authorize(AuthorizableRequestContext, List<Action>)
        """

    @abstractmethod
    def create_acls(self, request_context: AuthorizableRequestContext,
                    acl_bindings: Sequence[AclBinding]) -> Sequence[CompletableFuture[AclCreateResult]]:
        """Create ACLs. The futures are in the order of the ACLs.

        :origin: server.authorizer.Authorizer#createAcls(AuthorizableRequestContext, List<AclBinding>)
        """

    @abstractmethod
    def delete_acls(
        self, request_context: AuthorizableRequestContext, acl_binding_filters: Sequence[AclBindingFilter],
    ) -> Sequence[CompletableFuture[AclDeleteResult]]:
        """Delete the ACLs that match filters. The futures are in the order of the filters.

        :origin: server.authorizer.Authorizer#deleteAcls(AuthorizableRequestContext, List<AclBindingFilter>)
        """

    @abstractmethod
    def acls(self, filter_: AclBindingFilter) -> Iterable[AclBinding]:
        """Return the ACLs that match a filter.

        :origin: server.authorizer.Authorizer#acls(AclBindingFilter)
        """

    @abstractmethod
    def close(self) -> None:
        """Release all resources. No other call follows."""

    def acl_count(self) -> int:
        """Return the number of ACLs, -1 if it is unknown.

        :origin: server.authorizer.Authorizer#aclCount()
        """
        return -1

    def authorize_by_resource_type(self, request_context: AuthorizableRequestContext, op: AclOperation,
                                   resource_type: ResourceType) -> AuthorizationResult:
        """Return whether the operation is allowed on at least one possible resource of the type.

        The resource need not exist. Raises IllegalArgumentException for values that only a filter may have.

        :origin: server.authorizer.Authorizer#authorizeByResourceType(AuthorizableRequestContext, AclOperation, ResourceType)
        """  # noqa: E501
        SecurityUtils.authorize_by_resource_type_check_args(op, resource_type)

        # A super user is allowed despite denials. The name matches no real resource.
        if self.authorize(request_context, [Action(
                op, ResourcePattern(resource_type, "hardcode", PatternType.LITERAL),
                0, True, False)])[0] is AuthorizationResult.ALLOWED:
            return AuthorizationResult.ALLOWED

        resource_type_filter = ResourcePatternFilter(resource_type, None, PatternType.ANY)
        acl_filter = AclBindingFilter(resource_type_filter, AccessControlEntryFilter.ANY)

        deny_patterns: dict[PatternType, set[str]] = {
            PatternType.LITERAL: set(), PatternType.PREFIXED: set()}
        allow_patterns: dict[PatternType, set[str]] = {
            PatternType.LITERAL: set(), PatternType.PREFIXED: set()}

        has_wild_card_allow = False

        principal = KafkaPrincipal(request_context.principal.get_principal_type(),
                                   request_context.principal.get_name())
        host_addr = request_context.client_address.get_host_address()

        for binding in self.acls(acl_filter):
            entry, pattern = binding.entry(), binding.pattern()
            if entry.host() != host_addr and entry.host() != "*":
                continue

            if (SecurityUtils.parse_kafka_principal(entry.principal()) != principal
                    and entry.principal() != "User:*"):
                continue

            if entry.operation() is not op and entry.operation() is not AclOperation.ALL:
                continue

            if entry.permission_type() is AclPermissionType.DENY:
                # A denial for all names leaves no allowed name.
                if (pattern.pattern_type() is PatternType.LITERAL
                        and pattern.name() == ResourcePattern.WILDCARD_RESOURCE):
                    return AuthorizationResult.DENIED
                if pattern.pattern_type() in deny_patterns:
                    deny_patterns[pattern.pattern_type()].add(pattern.name())
                continue

            if entry.permission_type() is not AclPermissionType.ALLOW:
                continue

            if (pattern.pattern_type() is PatternType.LITERAL
                    and pattern.name() == ResourcePattern.WILDCARD_RESOURCE):
                has_wild_card_allow = True
            elif pattern.pattern_type() in allow_patterns:
                allow_patterns[pattern.pattern_type()].add(pattern.name())

        if has_wild_card_allow:
            return AuthorizationResult.ALLOWED

        # An allowed literal name is denied by the same literal name, or by a denied prefix of it. An allowed
        # prefix is denied only by a denied prefix of it.
        for pattern_type, names in allow_patterns.items():
            for allow_str in names:
                if (pattern_type is PatternType.LITERAL
                        and allow_str in deny_patterns[PatternType.LITERAL]):
                    continue
                if not any(allow_str[:length] in deny_patterns[PatternType.PREFIXED]
                           for length in range(1, len(allow_str) + 1)):
                    return AuthorizationResult.ALLOWED

        return AuthorizationResult.DENIED
