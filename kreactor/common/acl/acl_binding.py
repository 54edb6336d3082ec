# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.acl.AclBinding of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A permission with its resources."""

from __future__ import annotations

from kreactor.common.acl.access_control_entry import AccessControlEntry
from kreactor.common.acl.acl_binding_filter import AclBindingFilter
from kreactor.common.resource.resource_pattern import ResourcePattern


class AclBinding:
    """A pattern of resources and an entry. Immutable.

    :origin: common.acl.AclBinding
    """

    __slots__ = ("_pattern", "_entry")

    def __init__(self, pattern: ResourcePattern, entry: AccessControlEntry) -> None:
        """:origin: common.acl.AclBinding#AclBinding(ResourcePattern, AccessControlEntry)"""
        self._pattern = pattern
        self._entry = entry

    def is_unknown(self) -> bool:
        """Return whether a part of the binding is unknown.

        :origin: common.acl.AclBinding#isUnknown()
        """
        return self._pattern.is_unknown() or self._entry.is_unknown()

    def pattern(self) -> ResourcePattern:
        """Return the pattern of the entry's resources.

        :origin: common.acl.AclBinding#pattern()
        """
        return self._pattern

    def entry(self) -> AccessControlEntry:
        """Return the entry.

        :origin: common.acl.AclBinding#entry()
        """
        return self._entry

    def to_filter(self) -> AclBindingFilter:
        """Return a filter that matches only this binding.

        :origin: common.acl.AclBinding#toFilter()
        """
        return AclBindingFilter(self._pattern.to_filter(), self._entry.to_filter())

    def __str__(self) -> str:
        """:origin: common.acl.AclBinding#toString()"""
        return f"(pattern={self._pattern}, entry={self._entry})"

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        """:origin: common.acl.AclBinding#equals(Object)"""
        return (isinstance(other, AclBinding) and self._pattern == other._pattern
                and self._entry == other._entry)

    def __hash__(self) -> int:
        """:origin: common.acl.AclBinding#hashCode()"""
        return hash((self._pattern, self._entry))
