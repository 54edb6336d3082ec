# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.resource.Resource of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A resource with access control."""

from __future__ import annotations

from typing import ClassVar

from kreactor.common.resource.resource_type import ResourceType


class Resource:
    """A resource type and a name. Immutable.

    :origin: common.resource.Resource
    """

    __slots__ = ("_resource_type", "_name")

    CLUSTER_NAME = "kafka-cluster"
    CLUSTER: ClassVar[Resource]

    def __init__(self, resource_type: ResourceType, name: str) -> None:
        """:origin: common.resource.Resource#Resource(ResourceType, String)"""
        self._resource_type = resource_type
        self._name = name

    def resource_type(self) -> ResourceType:
        """Return the resource type.

        :origin: common.resource.Resource#resourceType()
        """
        return self._resource_type

    def name(self) -> str:
        """Return the name.

        :origin: common.resource.Resource#name()
        """
        return self._name

    def __str__(self) -> str:
        """:origin: common.resource.Resource#toString()"""
        return f"(resourceType={self._resource_type.name}, name={self._name})"

    __repr__ = __str__

    def is_unknown(self) -> bool:
        """Return whether the resource type is unknown.

        :origin: common.resource.Resource#isUnknown()
        """
        return self._resource_type.is_unknown()

    def __eq__(self, other: object) -> bool:
        """:origin: common.resource.Resource#equals(Object)"""
        return (isinstance(other, Resource) and self._resource_type is other._resource_type
                and self._name == other._name)

    def __hash__(self) -> int:
        """:origin: common.resource.Resource#hashCode()"""
        return hash((self._resource_type, self._name))


Resource.CLUSTER = Resource(ResourceType.CLUSTER, Resource.CLUSTER_NAME)
