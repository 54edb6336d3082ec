# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.security.authorizer.AclEntry of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Which operations each kind of resource knows."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.resource.resource_type import ResourceType
from kreactor.jdk.exceptions import IllegalArgumentException

_O = AclOperation
_SUPPORTED_OPERATIONS: dict[ResourceType, AbstractSet[AclOperation]] = {
    ResourceType.TOPIC: frozenset((_O.READ, _O.WRITE, _O.CREATE, _O.DESCRIBE, _O.DELETE, _O.ALTER,
                                   _O.DESCRIBE_CONFIGS, _O.ALTER_CONFIGS)),
    ResourceType.GROUP: frozenset((_O.READ, _O.DESCRIBE, _O.DELETE)),
    ResourceType.CLUSTER: frozenset((_O.CREATE, _O.CLUSTER_ACTION, _O.DESCRIBE_CONFIGS, _O.ALTER_CONFIGS,
                                     _O.IDEMPOTENT_WRITE, _O.ALTER, _O.DESCRIBE)),
    ResourceType.TRANSACTIONAL_ID: frozenset((_O.DESCRIBE, _O.WRITE)),
    ResourceType.DELEGATION_TOKEN: frozenset((_O.DESCRIBE,)),
    ResourceType.USER: frozenset((_O.CREATE_TOKENS, _O.DESCRIBE_TOKENS)),
}


class AclEntry:
    """The entries of a resource that has none.

    :origin: security.authorizer.AclEntry
    """

    @staticmethod
    def supported_operations(resource_type: ResourceType) -> AbstractSet[AclOperation]:
        """Return what can be done to such a resource. Raises IllegalArgumentException for no real type.

        :origin: security.authorizer.AclEntry#supportedOperations(ResourceType)
        """
        operations = _SUPPORTED_OPERATIONS.get(resource_type)
        if operations is None:
            raise IllegalArgumentException("Not a concrete resource type")
        return operations
