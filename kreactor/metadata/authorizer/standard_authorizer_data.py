# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.metadata.authorizer.StandardAuthorizerData of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The rules by which the authorizer decides.

An ACL applies if it matches the resource, the principal, the address and the operation. It matches a resource
by its name, by a prefix of it, or by the wildcard. It matches a principal, an address or an operation exactly
or by its wildcard. An ACL that allows READ, WRITE, DELETE or ALTER also allows DESCRIBE, and one that allows
ALTER_CONFIGS also allows DESCRIBE_CONFIGS. An ACL that denies an operation denies only that one. A denial
wins over permissions. An action without an applicable ACL is denied. ``allow.everyone.if.no.acl.found`` sets
the result for resources without any ACL.

Any thread authorizes, on a cache that never changes. The owner ensures that one thread at a time replaces the
cache.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from kreactor.common.acl.acl_binding import AclBinding
from kreactor.common.acl.acl_binding_filter import AclBindingFilter
from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType
from kreactor.common.errors import AuthorizerNotReadyException
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource_pattern import ResourcePattern
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.utils.log_context import LogContext, Logger
from kreactor.common.utils.security_utils import SecurityUtils
from kreactor.common.uuid import Uuid
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.metadata.authorizer.acl_cache import AclCache
from kreactor.metadata.authorizer.standard_acl import StandardAcl
from kreactor.server.authorizer.action import Action
from kreactor.server.authorizer.authorizable_request_context import AuthorizableRequestContext
from kreactor.server.authorizer.authorization_result import AuthorizationResult

if TYPE_CHECKING:
    from kreactor.metadata.authorizer.acl_mutator import AclMutator

_ALLOW = AclPermissionType.ALLOW
_ALL = AclOperation.ALL
_ALLOWED = AuthorizationResult.ALLOWED
_DENIED = AuthorizationResult.DENIED
_LITERAL = PatternType.LITERAL


class StandardAuthorizerData:
    """The settings and the ACLs of a StandardAuthorizer.

    :origin: metadata.authorizer.StandardAuthorizerData
    """

    __slots__ = ("log", "audit_log", "acl_mutator", "loading_complete", "_super_users", "_no_acl_rule",
                 "_acl_cache", "_fidelity_strict")

    # In ACLs: any host, any name.
    WILDCARD = "*"
    # In ACLs: any user.
    WILDCARD_PRINCIPAL = "User:*"

    @staticmethod
    def _create_logger(node_id: int) -> Logger:
        """:origin: metadata.authorizer.StandardAuthorizerData#createLogger(int)"""
        return LogContext(f"[StandardAuthorizer {node_id}] ").logger(StandardAuthorizerData)

    @staticmethod
    def _audit_logger() -> Logger:
        """:origin: metadata.authorizer.StandardAuthorizerData#auditLogger()"""
        return LogContext().logger("kafka.authorizer.logger")

    @staticmethod
    def create_empty() -> StandardAuthorizerData:
        """Return an object that allows nothing and is not ready.

        :origin: metadata.authorizer.StandardAuthorizerData#createEmpty()
        """
        return StandardAuthorizerData(
            StandardAuthorizerData._create_logger(-1), None, False, frozenset(), _DENIED, AclCache())

    def __init__(self, log: Logger, acl_mutator: AclMutator | None, loading_complete: bool,
                 super_users: AbstractSet[str], default_result: AuthorizationResult,
                 acl_cache: AclCache, fidelity_strict: bool = False) -> None:
        """``fidelity_strict`` is ours: whether ``kreactor.fidelity`` is strict.

        :origin: metadata.authorizer.StandardAuthorizerData#StandardAuthorizerData(Logger, AclMutator, boolean, Set<String>, AuthorizationResult, AclCache)
        """  # noqa: E501
        self.log = log
        self.audit_log = self._audit_logger()
        self.acl_mutator = acl_mutator
        self.loading_complete = loading_complete
        self._super_users = super_users
        self._no_acl_rule = DefaultRule(default_result)
        self._acl_cache = acl_cache
        self._fidelity_strict = fidelity_strict

    def copy_with_new_acl_mutator(self, new_acl_mutator: AclMutator | None) -> StandardAuthorizerData:
        """:origin: metadata.authorizer.StandardAuthorizerData#copyWithNewAclMutator(AclMutator)"""
        return StandardAuthorizerData(
            self.log, new_acl_mutator, self.loading_complete, self._super_users, self._no_acl_rule.result(),
            self._acl_cache, self._fidelity_strict)

    def is_strict(self) -> bool:
        """Return whether the faults of ``STRICT_DEVIATIONS`` are there."""
        return self._fidelity_strict

    def copy_with_new_loading_complete(self, new_loading_complete: bool) -> StandardAuthorizerData:
        """:origin: metadata.authorizer.StandardAuthorizerData#copyWithNewLoadingComplete(boolean)"""
        return StandardAuthorizerData(
            self.log, self.acl_mutator, new_loading_complete, self._super_users, self._no_acl_rule.result(),
            self._acl_cache, self._fidelity_strict)

    def copy_with_new_config(self, node_id: int, new_super_users: AbstractSet[str],
                             new_default_result: AuthorizationResult,
                             fidelity_strict: bool = False) -> StandardAuthorizerData:
        """
        :origin: metadata.authorizer.StandardAuthorizerData#copyWithNewConfig(int, Set<String>, AuthorizationResult)
        """  # noqa: E501
        return StandardAuthorizerData(
            self._create_logger(node_id), self.acl_mutator, self.loading_complete, new_super_users,
            new_default_result, self._acl_cache, fidelity_strict)

    def copy_with_new_acls(self, acl_cache: AclCache) -> StandardAuthorizerData:
        """:origin: metadata.authorizer.StandardAuthorizerData#copyWithNewAcls(AclCache)"""
        new_data = StandardAuthorizerData(
            self.log, self.acl_mutator, self.loading_complete, self._super_users, self._no_acl_rule.result(),
            acl_cache, self._fidelity_strict)
        self.log.info("using %d ACL(s)", acl_cache.count())
        return new_data

    def add_acl(self, id_: Uuid, acl: StandardAcl) -> None:
        """Raises as ``AclCache.add_acl``.

        :origin: metadata.authorizer.StandardAuthorizerData#addAcl(Uuid, StandardAcl)
        """
        self.add_acls({id_: acl})

    def add_acls(self, acls: Mapping[Uuid, StandardAcl]) -> None:
        """Raises as ``AclCache.add_acls``."""
        try:
            self._acl_cache = self._acl_cache.add_acls(acls)
            for id_, acl in acls.items():
                self.log.trace("added %s: %s", id_, acl)
        except Exception as e:
            self.log.error("failed to add an ACL", exc=e)
            raise

    def remove_acl(self, id_: Uuid) -> None:
        """Raises as ``AclCache.remove_acl``.

        :origin: metadata.authorizer.StandardAuthorizerData#removeAcl(Uuid)
        """
        self.remove_acls((id_,))

    def remove_acls(self, ids: Iterable[Uuid]) -> None:
        """Raises as ``AclCache.remove_acls``."""
        try:
            old = self._acl_cache
            self._acl_cache = old.remove_acls(ids)
            for id_ in ids:
                self.log.trace("removed %s: %s", id_, old.get_acl(id_))
        except Exception as e:
            self.log.error("failed to remove an ACL", exc=e)
            raise

    def super_users(self) -> AbstractSet[str]:
        """:origin: metadata.authorizer.StandardAuthorizerData#superUsers()"""
        return self._super_users

    def default_result(self) -> AuthorizationResult:
        """:origin: metadata.authorizer.StandardAuthorizerData#defaultResult()"""
        return self._no_acl_rule.result()

    def acl_count(self) -> int:
        """:origin: metadata.authorizer.StandardAuthorizerData#aclCount()"""
        return self._acl_cache.count()

    def authorize(self, request_context: AuthorizableRequestContext, action: Action) -> AuthorizationResult:
        """Return whether an action is allowed, and write the decision to the audit log.

        Raises IllegalArgumentException for a resource that is not literal, or AuthorizerNotReadyException
        before all ACLs are loaded.

        :origin: metadata.authorizer.StandardAuthorizerData#authorize(AuthorizableRequestContext, Action)
        """
        resource_pattern = action.resource_pattern()
        if resource_pattern.pattern_type() is not _LITERAL:
            raise IllegalArgumentException(
                f"Only literal resources are supported. Got: {resource_pattern.pattern_type().name}")
        principal = str(self.base_kafka_principal(request_context))
        rule: MatchingRule

        # A super user is allowed despite denials.
        if principal in self._super_users:
            rule = _SUPER_USER_RULE
        elif not self.loading_complete:
            raise AuthorizerNotReadyException()
        else:
            rule = self._find_acl_rule(
                principal, request_context.client_address.get_host_address(), action)
        self._log_audit_message(principal, request_context, action, rule)
        return rule.result()

    def _build_audit_message(self, principal: str, context: AuthorizableRequestContext, action: Action,
                             rule: MatchingRule) -> str:
        """
        :origin: metadata.authorizer.StandardAuthorizerData#buildAuditMessage(KafkaPrincipal, AuthorizableRequestContext, Action, MatchingRule)
        """  # noqa: E501
        return (f"{principal} at {context.client_address.get_host_address()} "
                f"{'may' if rule.result() is _ALLOWED else 'may not'} {action.operation().name} "
                f"{self._resource_pattern_text(action.resource_pattern())}: "
                f"request {ApiKeys.for_id(context.request_type()).name}, "
                f"named {action.resource_reference_count()} time(s), rule {rule}")

    def _resource_pattern_text(self, resource_pattern: ResourcePattern) -> str:
        """
        :origin: metadata.authorizer.StandardAuthorizerData#appendResourcePattern(ResourcePattern, StringBuilder)
        """  # noqa: E501
        # Escaped, because a name from a client must not look like a log line of its own.
        name = resource_pattern.name()
        return (f"{SecurityUtils.resource_type_name(resource_pattern.resource_type())}:"
                f"{resource_pattern.pattern_type().name}:{name if name.isprintable() else ascii(name)}")

    def _log_audit_message(self, principal: str, request_context: AuthorizableRequestContext, action: Action,
                           rule: MatchingRule) -> None:
        """Log allowed operations at debug, denied requests at info, and decisions that no client requested at
        trace.

        :origin: metadata.authorizer.StandardAuthorizerData#logAuditMessage(KafkaPrincipal, AuthorizableRequestContext, Action, MatchingRule)
        """  # noqa: E501
        audit_log = self.audit_log
        if rule.result() is _ALLOWED:
            if action.log_if_allowed() and audit_log.is_debug_enabled():
                audit_log.debug(self._build_audit_message(principal, request_context, action, rule))
            elif audit_log.is_trace_enabled():
                audit_log.trace(self._build_audit_message(principal, request_context, action, rule))
        elif action.log_if_denied():
            if audit_log.is_info_enabled():
                audit_log.info(self._build_audit_message(principal, request_context, action, rule))
        elif audit_log.is_trace_enabled():
            audit_log.trace(self._build_audit_message(principal, request_context, action, rule))

    def _find_acl_rule(self, principal: str, host: str, action: Action) -> MatchingRule:
        """Return the deciding rule: the first denial, or else the last permission.

        :origin: metadata.authorizer.StandardAuthorizerData#findAclRule(Set<KafkaPrincipal>, String, Action)
        :origin: metadata.authorizer.StandardAuthorizerData#checkSection(AclCache, Action, StandardAcl, Set<KafkaPrincipal>, String, MatchingRuleBuilder)
        :origin: metadata.authorizer.StandardAuthorizerData.MatchingRuleBuilder
        """  # noqa: E501
        resource_pattern = action.resource_pattern()
        operation = action.operation()
        acls = self._acl_cache.matching(resource_pattern.resource_type(), resource_pattern.name())
        if not acls:
            return self._no_acl_rule
        allow_acl = None
        is_strict = self.is_strict()
        for acl in acls:
            # DEVIATION D202: the origin, and kreactor.fidelity=strict, parse the principal of each ACL, and
            # fail if it is not type:name.
            if is_strict:
                acl.kafka_principal()
            result = self.find_result(operation, principal, host, acl)
            if result is _ALLOWED:
                allow_acl = acl
            elif result is _DENIED:
                return MatchingAclRule(acl, _DENIED)
        if allow_acl is not None:
            return MatchingAclRule(allow_acl, _ALLOWED)
        return _DENY_RULE

    # A permission for one of these operations also allows DESCRIBE, or DESCRIBE_CONFIGS.
    _IMPLIES_DESCRIBE = frozenset((AclOperation.DESCRIBE, AclOperation.READ, AclOperation.WRITE,
                                   AclOperation.DELETE, AclOperation.ALTER))
    _IMPLIES_DESCRIBE_CONFIGS = frozenset((AclOperation.DESCRIBE_CONFIGS, AclOperation.ALTER_CONFIGS))

    @staticmethod
    def base_kafka_principal(context: AuthorizableRequestContext) -> KafkaPrincipal:
        """Return the principal of a request, without a subclass's additions.

        :origin: metadata.authorizer.StandardAuthorizerData#baseKafkaPrincipal(AuthorizableRequestContext)
        """
        session_principal = context.principal
        if type(session_principal) is KafkaPrincipal:
            return session_principal
        return KafkaPrincipal(session_principal.get_principal_type(), session_principal.get_name())

    @staticmethod
    def find_result(operation: AclOperation, principal: str, host: str,
                    acl: StandardAcl) -> AuthorizationResult | None:
        """Return the result of an ACL of the resource, None if the ACL does not apply.

        :origin: metadata.authorizer.StandardAuthorizerData#findResult(Action, Set<KafkaPrincipal>, String, StandardAcl)
        """  # noqa: E501
        acl_principal = acl._principal
        if acl_principal != principal and acl_principal != "User:*":
            return None
        acl_host = acl._host
        if acl_host != "*" and acl_host != host:
            return None
        acl_operation = acl._operation
        is_allow = acl._permission_type is _ALLOW
        if acl_operation is not operation and acl_operation is not _ALL:
            if not is_allow:
                return None
            if operation is AclOperation.DESCRIBE:
                if acl_operation not in StandardAuthorizerData._IMPLIES_DESCRIBE:
                    return None
            elif operation is AclOperation.DESCRIBE_CONFIGS:
                if acl_operation not in StandardAuthorizerData._IMPLIES_DESCRIBE_CONFIGS:
                    return None
            else:
                return None
        return _ALLOWED if is_allow else _DENIED

    def acls(self, filter_: AclBindingFilter) -> Iterable[AclBinding]:
        """Return the ACLs that match a filter.

        :origin: metadata.authorizer.StandardAuthorizerData#acls(AclBindingFilter)
        """
        return self._acl_cache.acls(filter_)

    def get_acl_cache(self) -> AclCache:
        """:origin: metadata.authorizer.StandardAuthorizerData#getAclCache()"""
        return self._acl_cache


class MatchingRule:
    """The reason of a decision. Immutable.

    :origin: metadata.authorizer.StandardAuthorizerData.MatchingRule
    """

    __slots__ = ("_result", "_text")

    def __init__(self, result: AuthorizationResult, text: str = "") -> None:
        self._result = result
        self._text = text

    def result(self) -> AuthorizationResult:
        """:origin: metadata.authorizer.StandardAuthorizerData.MatchingRule#result()"""
        return self._result

    def __str__(self) -> str:
        return self._text


class SuperUserRule(MatchingRule):
    """A super user may perform every operation.

    :origin: metadata.authorizer.StandardAuthorizerData.SuperUserRule
    """

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(_ALLOWED, "SuperUser")


class DefaultRule(MatchingRule):
    """No ACL applies.

    :origin: metadata.authorizer.StandardAuthorizerData.DefaultRule
    """

    __slots__ = ()

    def __init__(self, result: AuthorizationResult) -> None:
        """:origin: metadata.authorizer.StandardAuthorizerData.DefaultRule#DefaultRule(AuthorizationResult)"""
        super().__init__(result, "DefaultAllow" if result is _ALLOWED else "DefaultDeny")


class MatchingAclRule(MatchingRule):
    """An ACL applies.

    :origin: metadata.authorizer.StandardAuthorizerData.MatchingAclRule
    """

    __slots__ = ("_acl",)

    def __init__(self, acl: StandardAcl, result: AuthorizationResult) -> None:
        """
        :origin: metadata.authorizer.StandardAuthorizerData.MatchingAclRule#MatchingAclRule(StandardAcl, AuthorizationResult)
        """  # noqa: E501
        super().__init__(result)
        self._acl = acl

    def __str__(self) -> str:
        """:origin: metadata.authorizer.StandardAuthorizerData.MatchingAclRule#toString()"""
        return f"MatchingAcl(acl={self._acl})"


_SUPER_USER_RULE = SuperUserRule()
_DENY_RULE = DefaultRule(_DENIED)
