# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.security.SecureRandom``: random bytes from the system. Called by any thread.

Fact: CPython gets random bytes by a system call, but PyPy opens /dev/urandom for each call. Consequence: on
PyPy a process without free descriptors gets no random bytes, and cannot create a topic. Choice: where Python
lacks the system call, the file stays open, as in the JDK. Cost: one descriptor.
"""

from __future__ import annotations

import os
import uuid

from kreactor.jdk.floor import Floor

_DEVICE = "/dev/urandom"


def _open() -> int | None:
    if hasattr(os, "getrandom"):
        return None
    try:
        return Floor.os.open(_DEVICE, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return None  # this system has no such file


_descriptor = _open()


def random_bytes(count: int) -> bytes:
    """Return ``count`` random bytes that are suitable for secrets. Raises OSError."""
    if _descriptor is None:
        return Floor.os.urandom(count)
    found = b""
    while len(found) < count:
        found += Floor.os.read(_descriptor, count - len(found))
    return found


def random_bits(count: int) -> int:
    """Return a number of ``count`` random bits that are suitable for secrets. Raises OSError."""
    size = (count + 7) // 8
    return int.from_bytes(random_bytes(size), "big") >> size * 8 - count


def random_uuid() -> uuid.UUID:
    """Return a random UUID of version 4. Raises OSError."""
    return uuid.UUID(bytes=random_bytes(16), version=4)
