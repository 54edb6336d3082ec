# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.resource.ResourcePattern of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The pattern of the resources of a permission."""

from __future__ import annotations

from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource_pattern_filter import ResourcePatternFilter
from kreactor.common.resource.resource_type import ResourceType
from kreactor.jdk.exceptions import IllegalArgumentException


class ResourcePattern:
    """A resource type and a name or a prefix of names. Immutable.

    :origin: common.resource.ResourcePattern
    """

    __slots__ = ("_resource_type", "_name", "_pattern_type")

    # A literal pattern with this name means all resources.
    WILDCARD_RESOURCE = "*"

    def __init__(self, resource_type: ResourceType, name: str, pattern_type: PatternType) -> None:
        """Raises TypeError for None, IllegalArgumentException for values that only a filter may have.

        :origin: common.resource.ResourcePattern#ResourcePattern(ResourceType, String, PatternType)
        """
        if resource_type is None:
            raise TypeError("resourceType")
        if name is None:
            raise TypeError("name")
        if pattern_type is None:
            raise TypeError("patternType")
        self._resource_type = resource_type
        self._name = name
        self._pattern_type = pattern_type

        if resource_type is ResourceType.ANY:
            raise IllegalArgumentException("resourceType must not be ANY")

        if pattern_type is PatternType.MATCH or pattern_type is PatternType.ANY:
            raise IllegalArgumentException(f"patternType must not be {pattern_type.name}")

    def resource_type(self) -> ResourceType:
        """Return the resource type.

        :origin: common.resource.ResourcePattern#resourceType()
        """
        return self._resource_type

    def name(self) -> str:
        """Return the name.

        :origin: common.resource.ResourcePattern#name()
        """
        return self._name

    def pattern_type(self) -> PatternType:
        """Return the pattern type: literal or prefix.

        :origin: common.resource.ResourcePattern#patternType()
        """
        return self._pattern_type

    def to_filter(self) -> ResourcePatternFilter:
        """Return a filter that matches only this pattern.

        :origin: common.resource.ResourcePattern#toFilter()
        """
        return ResourcePatternFilter(self._resource_type, self._name, self._pattern_type)

    def __str__(self) -> str:
        """:origin: common.resource.ResourcePattern#toString()"""
        return (f"ResourcePattern(resourceType={self._resource_type.name}, name={self._name}, "
                f"patternType={self._pattern_type.name})")

    __repr__ = __str__

    def is_unknown(self) -> bool:
        """Return whether a field of the pattern is unknown.

        :origin: common.resource.ResourcePattern#isUnknown()
        """
        return self._resource_type.is_unknown() or self._pattern_type.is_unknown()

    def __eq__(self, other: object) -> bool:
        """:origin: common.resource.ResourcePattern#equals(Object)"""
        return (isinstance(other, ResourcePattern) and self._resource_type is other._resource_type
                and self._name == other._name and self._pattern_type is other._pattern_type)

    def __hash__(self) -> int:
        """:origin: common.resource.ResourcePattern#hashCode()"""
        return hash((self._resource_type, self._name, self._pattern_type))
