# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.authorizer.Action of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""An operation on a resource that needs authorization."""

from __future__ import annotations

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.resource.resource_pattern import ResourcePattern
from kreactor.jdk.text import java_text


class Action:
    """An operation on a resource. Immutable.

    :origin: server.authorizer.Action
    """

    __slots__ = ("_resource_pattern", "_operation", "_resource_reference_count", "_log_if_allowed",
                 "_log_if_denied")

    def __init__(self, operation: AclOperation, resource_pattern: ResourcePattern,
                 resource_reference_count: int, log_if_allowed: bool, log_if_denied: bool) -> None:
        """``resource_reference_count`` says how often the request names the resource.

        Without ``log_if_allowed``, the operation is not performed even if it is allowed. Without
        ``log_if_denied``, the client has not requested the operation, and a denied resource is only left out
        of the response.

        :origin: server.authorizer.Action#Action(AclOperation, ResourcePattern, int, boolean, boolean)
        """
        self._operation = operation
        self._resource_pattern = resource_pattern
        self._log_if_allowed = log_if_allowed
        self._log_if_denied = log_if_denied
        self._resource_reference_count = resource_reference_count

    def resource_pattern(self) -> ResourcePattern:
        """Return the resource.

        :origin: server.authorizer.Action#resourcePattern()
        """
        return self._resource_pattern

    def operation(self) -> AclOperation:
        """Return the operation.

        :origin: server.authorizer.Action#operation()
        """
        return self._operation

    def log_if_allowed(self) -> bool:
        """Return whether the operation is performed if it is allowed.

        :origin: server.authorizer.Action#logIfAllowed()
        """
        return self._log_if_allowed

    def log_if_denied(self) -> bool:
        """Return whether the client requested the operation.

        :origin: server.authorizer.Action#logIfDenied()
        """
        return self._log_if_denied

    def resource_reference_count(self) -> int:
        """Return how often the request names the resource.

        :origin: server.authorizer.Action#resourceReferenceCount()
        """
        return self._resource_reference_count

    def __eq__(self, other: object) -> bool:
        """:origin: server.authorizer.Action#equals(Object)"""
        return (isinstance(other, Action) and self._resource_pattern == other._resource_pattern
                and self._operation is other._operation
                and self._resource_reference_count == other._resource_reference_count
                and self._log_if_allowed == other._log_if_allowed
                and self._log_if_denied == other._log_if_denied)

    def __hash__(self) -> int:
        """:origin: server.authorizer.Action#hashCode()"""
        return hash((self._resource_pattern, self._operation, self._resource_reference_count,
                     self._log_if_allowed, self._log_if_denied))

    def __str__(self) -> str:
        """:origin: server.authorizer.Action#toString()"""
        return (f"Action(resourcePattern='{self._resource_pattern}', operation='{self._operation.name}', "
                f"resourceReferenceCount='{self._resource_reference_count}', "
                f"logIfAllowed='{java_text(self._log_if_allowed)}', "
                f"logIfDenied='{java_text(self._log_if_denied)}')")

    __repr__ = __str__
