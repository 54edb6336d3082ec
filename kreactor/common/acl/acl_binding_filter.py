# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.acl.AclBindingFilter of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A filter of permissions."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from kreactor.common.acl.access_control_entry_filter import AccessControlEntryFilter
from kreactor.common.resource.resource_pattern_filter import ResourcePatternFilter

if TYPE_CHECKING:
    from kreactor.common.acl.acl_binding import AclBinding


class AclBindingFilter:
    """A filter of patterns and a filter of entries. Immutable.

    :origin: common.acl.AclBindingFilter
    """

    __slots__ = ("_pattern_filter", "_entry_filter")

    ANY: ClassVar[AclBindingFilter]

    def __init__(self, pattern_filter: ResourcePatternFilter, entry_filter: AccessControlEntryFilter) -> None:
        """
        :origin: common.acl.AclBindingFilter#AclBindingFilter(ResourcePatternFilter, AccessControlEntryFilter)
        """
        self._pattern_filter = pattern_filter
        self._entry_filter = entry_filter

    def is_unknown(self) -> bool:
        """Return whether a part of the filter is unknown.

        :origin: common.acl.AclBindingFilter#isUnknown()
        """
        return self._pattern_filter.is_unknown() or self._entry_filter.is_unknown()

    def pattern_filter(self) -> ResourcePatternFilter:
        """Return the filter of patterns.

        :origin: common.acl.AclBindingFilter#patternFilter()
        """
        return self._pattern_filter

    def entry_filter(self) -> AccessControlEntryFilter:
        """Return the filter of entries.

        :origin: common.acl.AclBindingFilter#entryFilter()
        """
        return self._entry_filter

    def __str__(self) -> str:
        """:origin: common.acl.AclBindingFilter#toString()"""
        return f"(patternFilter={self._pattern_filter}, entryFilter={self._entry_filter})"

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        """:origin: common.acl.AclBindingFilter#equals(Object)"""
        return (isinstance(other, AclBindingFilter) and self._pattern_filter == other._pattern_filter
                and self._entry_filter == other._entry_filter)

    def matches_at_most_one(self) -> bool:
        """Return whether the filter matches at most one permission.

        :origin: common.acl.AclBindingFilter#matchesAtMostOne()
        """
        return self._pattern_filter.matches_at_most_one() and self._entry_filter.matches_at_most_one()

    def find_indefinite_field(self) -> str | None:
        """Return a description of the first field that may match several values, or None.

        :origin: common.acl.AclBindingFilter#findIndefiniteField()
        """
        indefinite = self._pattern_filter.find_indefinite_field()
        if indefinite is not None:
            return indefinite
        return self._entry_filter.find_indefinite_field()

    def matches(self, binding: AclBinding) -> bool:
        """Return whether the filter matches ``binding``. Raises as ``ResourcePatternFilter.matches``.

        :origin: common.acl.AclBindingFilter#matches(AclBinding)
        """
        return self._pattern_filter.matches(binding.pattern()) and self._entry_filter.matches(binding.entry())

    def __hash__(self) -> int:
        """:origin: common.acl.AclBindingFilter#hashCode()"""
        return hash((self._pattern_filter, self._entry_filter))


AclBindingFilter.ANY = AclBindingFilter(ResourcePatternFilter.ANY, AccessControlEntryFilter.ANY)
