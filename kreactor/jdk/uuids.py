# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.util.UUID.fromString``, which takes other texts than Python's ``uuid.UUID``."""

from __future__ import annotations

import re
from uuid import UUID

from kreactor.jdk.exceptions import IllegalArgumentException

_LENGTH = 36
# How many bits each part has; of a longer one the lowest are taken.
_BITS = (32, 16, 16, 16, 48)
_PART = re.compile(r"\+?[0-9a-fA-F]+")


def uuid_from_string(name: str) -> UUID:
    """Return the UUID that has five parts of hexadecimal digits, with hyphens between them.

    Leading zeros of a part may be missing. Raises IllegalArgumentException.
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
