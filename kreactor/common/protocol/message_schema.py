# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The schema of a message in all of its versions, as data taken from Kafka's message definitions.

Each generated class of ``kreactor.common.message`` has a ``StructSpec``. The codec, the JSON converter and
the texts of messages derive from it. Requests do not read it, because the codec compiles each version once.

Versions have the format of Kafka's definitions: ``3``, ``2-5``, ``4+``, ``none``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

# The default of an array is a new empty list. The default of a struct is a new struct with defaults.
FRESH: Final = ()

_FIXED_SIZES = {"bool": 1, "int8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8,
                "float64": 8, "uuid": 16}
_PRIMITIVES = frozenset(_FIXED_SIZES) | {"string", "bytes", "records"}
_MAX_VERSION = 0x7FFF


class Versions(NamedTuple):
    """The versions from ``lowest`` to ``highest`` inclusive; none if ``lowest`` is greater."""

    lowest: int
    highest: int

    def contains(self, version: int) -> bool:
        """Return whether ``version`` is in the range."""
        return self.lowest <= version <= self.highest


@lru_cache(maxsize=None)
def versions_of(text: str) -> Versions:
    """Return the versions in ``text``."""
    if text == "none":
        return Versions(0, -1)
    if text.endswith("+"):
        return Versions(int(text[:-1]), _MAX_VERSION)
    lowest, _, highest = text.partition("-")
    return Versions(int(lowest), int(highest or lowest))


class FieldSpec(NamedTuple):
    """A field: its name in Kafka, its Python attribute, its type, and its properties by version."""

    name: str
    attribute: str
    # A primitive type or the name of a nested class, with the prefix "[]" for an array.
    type: str
    versions: str
    # The versions in which None is allowed. In other versions, None is an error of the caller.
    nullable: str = "none"
    default: object = FRESH
    # Whether a version without the field may silently drop the value.
    ignorable: bool = False
    tag: int | None = None
    tagged: str = "none"
    # The flexible versions of this field, if they differ from the message's.
    flexible: str | None = None
    # Whether a reader returns bytes as a view of the buffer.
    zero_copy: bool = False
    # Whether the field is part of the key of an element in its collection.
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
        """Return whether the field is tagged in ``version``."""
        return versions_of(self.tagged).contains(version)

    def is_nullable_in(self, version: int) -> bool:
        """Return whether the field may be null on the wire in ``version``."""
        return versions_of(self.nullable).contains(version)


class StructSpec(NamedTuple):
    """A message or a nested struct: its name in Kafka, its versions, and its fields in order."""

    name: str
    versions: str
    fields: tuple[FieldSpec, ...]
    # The versions with compact lengths and tagged fields. Only a message has them, not its structs.
    flexible: str = "none"


def is_struct(type_name: str) -> bool:
    """Return whether ``type_name``, which is not an array, names a nested class."""
    return type_name not in _PRIMITIVES


def fixed_size(type_name: str) -> int | None:
    """Return the size of a value of ``type_name`` in bytes, or None for a variable size."""
    return _FIXED_SIZES.get(type_name)
