# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.security.SecureRandom``: random bytes of the system's, for any thread.

Fact: CPython asks the kernel by a system call, PyPy opens /dev/urandom for each call. Consequence: a process
that has used up its descriptors gets no random bytes on PyPy, and creates no topic. Choice: where
Python does not know that system call, the file stays open, as the JDK has it. Cost: one descriptor there.
"""

from __future__ import annotations

import os
import uuid

_DEVICE = "/dev/urandom"


def _open() -> int | None:
    if hasattr(os, "getrandom"):
        return None
    try:
        return os.open(_DEVICE, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return None  # not on this system


_descriptor = _open()


def random_bytes(count: int) -> bytes:
    """Return so many random bytes, fit for secrets. Raises OSError."""
    if _descriptor is None:
        return os.urandom(count)
    found = b""
    while len(found) < count:
        found += os.read(_descriptor, count - len(found))
    return found


def random_uuid() -> uuid.UUID:
    """Return a random identifier of version 4. Raises OSError."""
    return uuid.UUID(bytes=random_bytes(16), version=4)
