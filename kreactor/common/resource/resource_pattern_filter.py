# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.resource.ResourcePatternFilter of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A filter of patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource_type import ResourceType
from kreactor.jdk.exceptions import IllegalArgumentException

if TYPE_CHECKING:
    from kreactor.common.resource.resource_pattern import ResourcePattern

# The value of ResourcePattern's WILDCARD_RESOURCE, repeated because that module imports this one.
_WILDCARD_RESOURCE = "*"


class ResourcePatternFilter:
    """A resource type, a name and a pattern type, each of which may match any. Immutable.

    The pattern type MATCH matches all patterns that apply to a resource with the name.

    :origin: common.resource.ResourcePatternFilter
    """

    __slots__ = ("_resource_type", "_name", "_pattern_type")

    ANY: ClassVar[ResourcePatternFilter]

    def __init__(self, resource_type: ResourceType, name: str | None, pattern_type: PatternType) -> None:
        """None as ``name`` matches any name.

        :origin: common.resource.ResourcePatternFilter#ResourcePatternFilter(ResourceType, String, PatternType)
        """  # noqa: E501
        self._resource_type = resource_type
        self._name = name
        self._pattern_type = pattern_type

    def is_unknown(self) -> bool:
        """Return whether a field of the filter is unknown.

        :origin: common.resource.ResourcePatternFilter#isUnknown()
        """
        return self._resource_type.is_unknown() or self._pattern_type.is_unknown()

    def resource_type(self) -> ResourceType:
        """Return the resource type, which may be ANY.

        :origin: common.resource.ResourcePatternFilter#resourceType()
        """
        return self._resource_type

    def name(self) -> str | None:
        """Return the name, or None for any.

        :origin: common.resource.ResourcePatternFilter#name()
        """
        return self._name

    def pattern_type(self) -> PatternType:
        """Return the pattern type, which may be ANY or MATCH.

        :origin: common.resource.ResourcePatternFilter#patternType()
        """
        return self._pattern_type

    def matches(self, pattern: ResourcePattern) -> bool:
        """Return whether the filter matches ``pattern``. Raises IllegalArgumentException for an unknown type.

        :origin: common.resource.ResourcePatternFilter#matches(ResourcePattern)
        """
        resource_type, name, pattern_type = self._resource_type, self._name, self._pattern_type
        if resource_type is not ResourceType.ANY and resource_type is not pattern.resource_type():
            return False

        if (pattern_type is not PatternType.ANY and pattern_type is not PatternType.MATCH
                and pattern_type is not pattern.pattern_type()):
            return False

        if name is None:
            return True

        if pattern_type is PatternType.ANY or pattern_type is pattern.pattern_type():
            return name == pattern.name()

        if pattern.pattern_type() is PatternType.LITERAL:
            return name == pattern.name() or pattern.name() == _WILDCARD_RESOURCE
        if pattern.pattern_type() is PatternType.PREFIXED:
            return name.startswith(pattern.name())
        raise IllegalArgumentException(f"Unsupported PatternType: {pattern.pattern_type().name}")

    def matches_at_most_one(self) -> bool:
        """Return whether the filter matches at most one pattern.

        :origin: common.resource.ResourcePatternFilter#matchesAtMostOne()
        """
        return self.find_indefinite_field() is None

    def find_indefinite_field(self) -> str | None:
        """Return a description of the first field that may match several values, or None.

        :origin: common.resource.ResourcePatternFilter#findIndefiniteField()
        """
        if self._resource_type is ResourceType.ANY:
            return "Resource type is ANY."
        if self._resource_type is ResourceType.UNKNOWN:
            return "Resource type is UNKNOWN."
        if self._name is None:
            return "Resource name is NULL."
        if self._pattern_type is PatternType.MATCH:
            return "Resource pattern type is MATCH."
        if self._pattern_type is PatternType.UNKNOWN:
            return "Resource pattern type is UNKNOWN."
        return None

    def __str__(self) -> str:
        """:origin: common.resource.ResourcePatternFilter#toString()"""
        return (f"ResourcePattern(resourceType={self._resource_type.name}, "
                f"name={'<any>' if self._name is None else self._name}, "
                f"patternType={self._pattern_type.name})")

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        """:origin: common.resource.ResourcePatternFilter#equals(Object)"""
        return (isinstance(other, ResourcePatternFilter) and self._resource_type is other._resource_type
                and self._name == other._name and self._pattern_type is other._pattern_type)

    def __hash__(self) -> int:
        """:origin: common.resource.ResourcePatternFilter#hashCode()"""
        return hash((self._resource_type, self._name, self._pattern_type))


ResourcePatternFilter.ANY = ResourcePatternFilter(ResourceType.ANY, None, PatternType.ANY)
