# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.util.UUID.fromString``, which accepts other texts than Python's ``uuid.UUID``."""

from __future__ import annotations

import re
from uuid import UUID

from kreactor.jdk.exceptions import IllegalArgumentException

_LENGTH = 36
# The number of bits of each part; of a longer part the lowest bits count.
_BITS = (32, 16, 16, 16, 48)
_PART = re.compile(r"\+?[0-9a-fA-F]+")


def uuid_from_string(name: str) -> UUID:
    """Return the UUID of five groups of hexadecimal digits, separated by hyphens.

    Leading zeros of a group may be missing. Raises IllegalArgumentException.
    """
    if len(name) > _LENGTH:
        raise IllegalArgumentException("UUID string too large")
    parts = name.split("-")
    if len(parts) != len(_BITS) or not all(map(_PART.fullmatch, parts)):
        raise IllegalArgumentException(f"Invalid UUID string: {name}")
    value = 0
    for part, bits in zip(parts, _BITS):
        number = int(part, 16)
        if number >> 63:
            raise IllegalArgumentException(f"Invalid UUID string: {name}")
        value = value << bits | number & (1 << bits) - 1
    return UUID(int=value)
