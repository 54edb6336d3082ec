# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The schema of a message in each of its versions, as data: the facts that Kafka's definitions state.

The generated classes of ``kreactor.common.message`` carry a ``StructSpec`` each; the codec, the JSON
converter and the texts of messages are all made from it. Nothing here is read while requests run: the
codec looks once for each version, and compiles.

Versions are written as Kafka's definitions do: ``3``, ``2-5``, ``4+``, ``none``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

# The default of an array is a new empty list, that of a struct a new struct with its own defaults.
FRESH: Final = ()

_FIXED_SIZES = {"bool": 1, "int8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8,
                "float64": 8, "uuid": 16}
_PRIMITIVES = frozenset(_FIXED_SIZES) | {"string", "bytes", "records"}
_MAX_VERSION = 0x7FFF


class Versions(NamedTuple):
    """The versions from ``lowest`` to ``highest``, both included; none if they cross."""

    lowest: int
    highest: int

    def contains(self, version: int) -> bool:
        """Return whether ``version`` is one of them."""
        return self.lowest <= version <= self.highest


@lru_cache(maxsize=None)
def versions_of(text: str) -> Versions:
    """Return the versions that ``text`` names."""
    if text == "none":
        return Versions(0, -1)
    if text.endswith("+"):
        return Versions(int(text[:-1]), _MAX_VERSION)
    lowest, _, highest = text.partition("-")
    return Versions(int(lowest), int(highest or lowest))


class FieldSpec(NamedTuple):
    """One field: its name in Kafka, the attribute that holds it here, its type, and when it is what."""

    name: str
    attribute: str
    # A primitive type, the name of a nested class, or either of them after "[]".
    type: str
    versions: str
    # When None may be written; elsewhere None is an error of the caller.
    nullable: str = "none"
    default: object = FRESH
    # Whether a value may be dropped silently in a version that lacks the field.
    ignorable: bool = False
    tag: int | None = None
    tagged: str = "none"
    # The flexible versions of this field where they are not the message's own.
    flexible: str | None = None
    # Whether bytes are handed on as a view of the buffer they came in.
    zero_copy: bool = False
    # Whether the field is part of the key by which an element is found among its siblings.
    map_key: bool = False

    def is_array(self) -> bool:
        """Return whether the field holds a list."""
        return self.type.startswith("[]")

    def element_type(self) -> str:
        """Return the type of a list's elements, or of the field itself if it is not a list."""
        return self.type[2:] if self.is_array() else self.type

    def is_in(self, version: int) -> bool:
        """Return whether the field exists in ``version``."""
        return versions_of(self.versions).contains(version)

    def is_tagged_in(self, version: int) -> bool:
        """Return whether the field stands among the tagged ones in ``version``."""
        return versions_of(self.tagged).contains(version)

    def is_nullable_in(self, version: int) -> bool:
        """Return whether None may stand on the wire in ``version``."""
        return versions_of(self.nullable).contains(version)


class StructSpec(NamedTuple):
    """A message, or a struct in one: its name in Kafka, when it exists, its fields in their order."""

    name: str
    versions: str
    fields: tuple[FieldSpec, ...]
    # From when on lengths are compact and fields can be tagged. Only a message knows it, not its structs.
    flexible: str = "none"


def is_struct(type_name: str) -> bool:
    """Return whether ``type_name``, which is no array, names a nested class."""
    return type_name not in _PRIMITIVES


def fixed_size(type_name: str) -> int | None:
    """Return how many bytes a value of ``type_name`` takes, or None where that depends on the value."""
    return _FIXED_SIZES.get(type_name)
