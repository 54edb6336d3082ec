# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.metadata.authorizer.AclCache of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""All ACLs, indexed by their resources.

A cache never changes. So a reader sees all ACLs of one moment without a lock, even while ACLs are created and
deleted.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from kreactor.common.acl.acl_binding import AclBinding
from kreactor.common.acl.acl_binding_filter import AclBindingFilter
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource_pattern import ResourcePattern
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.uuid import Uuid
from kreactor.metadata.authorizer.standard_acl import StandardAcl

Acls = tuple[StandardAcl, ...]

_WILDCARD = ResourcePattern.WILDCARD_RESOURCE


@dataclass(frozen=True, slots=True)
class _OfType:
    """The ACLs for resources of one type, by name and by prefix. The ACLs of one name are in their order."""

    literal: dict[str, Acls] = field(default_factory=dict)
    prefixed: dict[str, Acls] = field(default_factory=dict)
    # The lengths of all prefixes, the longest first, each once.
    lengths: tuple[int, ...] = ()


_NONE = _OfType()


# DEVIATION D200: names and prefixes are looked up in tables. The origin walks a sorted tree.
class AclCache:
    """ACLs by resource and by id. Immutable.

    :origin: metadata.authorizer.AclCache
    """

    __slots__ = ("_acls_by_resource", "_acls_by_id")

    def __init__(self, acls: Mapping[Uuid, StandardAcl] | None = None) -> None:
        """Hold ``acls``. Raises RuntimeError for duplicates.

        :origin: metadata.authorizer.AclCache#AclCache()
        :origin: metadata.authorizer.AclCache#AclCache(ImmutableNavigableSet<StandardAcl>, ImmutableMap<Uuid,StandardAcl>)
        """  # noqa: E501
        self._acls_by_id: dict[Uuid, StandardAcl] = {}
        self._acls_by_resource: dict[ResourceType, _OfType] = {}
        if acls:
            self._add(acls)

    def acls_by_resource(self, resource_type: ResourceType = ResourceType.ANY) -> Iterator[StandardAcl]:
        """Return the ACLs for resources of a type, or of any type, in their order.

        :origin: metadata.authorizer.AclCache#aclsByResource()
        """
        types = ResourceType if resource_type is ResourceType.ANY else (resource_type,)
        for type_ in types:
            of_type = self._acls_by_resource.get(type_, _NONE)
            for name in sorted({*of_type.literal, *of_type.prefixed}, reverse=True):
                yield from of_type.literal.get(name, ())
                yield from of_type.prefixed.get(name, ())

    def matching(self, resource_type: ResourceType, name: str) -> Iterable[StandardAcl]:
        """Return the ACLs that apply to a resource: those of its name, of its prefixes from the longest on,
        and of the wildcard.
        """
        of_type = self._acls_by_resource.get(resource_type, _NONE)
        matching = of_type.literal.get(name, ())
        length_of_name = len(name)
        for length in of_type.lengths:
            if length <= length_of_name:
                matching += of_type.prefixed.get(name[:length], ())
        # DEVIATION D204: the wildcard applies to any first character of the name.
        if name != _WILDCARD:
            matching += of_type.literal.get(_WILDCARD, ())
        return matching

    def acls(self, filter_: AclBindingFilter) -> Iterable[AclBinding]:
        """Return the ACLs that match a filter.

        :origin: metadata.authorizer.AclCache#acls(AclBindingFilter)
        """
        of_type = self.acls_by_resource(filter_.pattern_filter().resource_type())
        bindings = (acl.to_binding() for acl in of_type)
        return [binding for binding in bindings if filter_.matches(binding)]

    def count(self) -> int:
        """Return the number of ACLs.

        :origin: metadata.authorizer.AclCache#count()
        """
        return len(self._acls_by_id)

    def get_acl(self, id_: Uuid) -> StandardAcl | None:
        """Return the ACL with an id, or None.

        :origin: metadata.authorizer.AclCache#getAcl(Uuid)
        """
        return self._acls_by_id.get(id_)

    def add_acl(self, id_: Uuid, acl: StandardAcl) -> AclCache:
        """Return a cache with ``acl`` added. Raises RuntimeError if the id or the ACL exists.

        :origin: metadata.authorizer.AclCache#addAcl(Uuid, StandardAcl)
        """
        return self.add_acls({id_: acl})

    def add_acls(self, acls: Mapping[Uuid, StandardAcl]) -> AclCache:
        """Return a cache with ``acls`` added. Raises RuntimeError if an id or an ACL exists."""
        cache = self._copy()
        cache._add(acls)
        return cache

    def remove_acl(self, id_: Uuid) -> AclCache:
        """Return a cache without the ACL with this id. Raises RuntimeError for an unknown id.

        :origin: metadata.authorizer.AclCache#removeAcl(Uuid)
        """
        return self.remove_acls((id_,))

    def remove_acls(self, ids: Iterable[Uuid]) -> AclCache:
        """Return a cache without the ACLs with these ids. Raises RuntimeError for an unknown id."""
        cache = self._copy()
        removed: dict[tuple[ResourceType, PatternType], dict[str, set[StandardAcl]]] = {}
        for id_ in ids:
            acl = cache._acls_by_id.pop(id_, None)
            if acl is None:
                raise RuntimeError(f"ID {id_} not found in aclsById.")
            table = removed.setdefault((acl.resource_type(), acl.pattern_type()), {})
            table.setdefault(acl.resource_name(), set()).add(acl)
        for (resource_type, _), table in removed.items():
            names: dict[str, Acls] | None = None
            for name, of_name in table.items():
                if names is None:
                    names = cache._own_names(next(iter(of_name)))
                rest = tuple(other for other in names[name] if other not in of_name)
                if rest:
                    names[name] = rest
                else:
                    del names[name]
            cache._update_lengths(resource_type)
        return cache

    def _copy(self) -> AclCache:
        cache = AclCache()
        cache._acls_by_id = self._acls_by_id.copy()
        cache._acls_by_resource = self._acls_by_resource.copy()
        return cache

    def _own_names(self, acl: StandardAcl) -> dict[str, Acls]:
        """Return the table for ``acl``, copied so that no other cache shares it."""
        resource_type = acl.resource_type()
        of_type = self._acls_by_resource.get(resource_type, _NONE)
        literal, prefixed = of_type.literal, of_type.prefixed
        if acl.pattern_type() is PatternType.LITERAL:
            literal = names = literal.copy()
        else:
            prefixed = names = prefixed.copy()
        self._acls_by_resource[resource_type] = _OfType(literal, prefixed, of_type.lengths)
        return names

    def _update_lengths(self, resource_type: ResourceType) -> None:
        """Collect the lengths of all prefixes again."""
        of_type = self._acls_by_resource[resource_type]
        self._acls_by_resource[resource_type] = _OfType(
            of_type.literal, of_type.prefixed,
            tuple(sorted({len(prefix) for prefix in of_type.prefixed}, reverse=True)))

    def _add(self, acls: Mapping[Uuid, StandardAcl]) -> None:
        """Add ``acls``, before any other thread has a reference to this cache."""
        new: dict[tuple[ResourceType, PatternType], dict[str, list[StandardAcl]]] = {}
        for id_, acl in acls.items():
            if id_ in self._acls_by_id:
                raise RuntimeError(f"An ACL with ID {id_} already exists.")
            self._acls_by_id[id_] = acl
            table = new.setdefault((acl.resource_type(), acl.pattern_type()), {})
            table.setdefault(acl.resource_name(), []).append(acl)
        for (resource_type, pattern_type), table in new.items():
            names: dict[str, Acls] | None = None
            for name, of_name in table.items():
                if names is None:
                    names = self._own_names(of_name[0])
                names[name] = _merged(names.get(name, ()), of_name)
            if pattern_type is not PatternType.LITERAL:
                self._update_lengths(resource_type)


def _merged(acls: Acls, new: list[StandardAcl]) -> Acls:
    """Return the ACLs of one name in their order. Raises RuntimeError for duplicates."""
    if len(new) == 1:
        acl, = new
        place = bisect_left(acls, acl)
        if place < len(acls) and acls[place] == acl:
            raise RuntimeError(f"Unable to add the ACL {acl} to aclsByResource")
        return (*acls[:place], acl, *acls[place:])
    if len({*acls, *new}) < len(acls) + len(new):
        raise RuntimeError("Unable to add an ACL twice to aclsByResource")
    return tuple(sorted((*acls, *new)))
