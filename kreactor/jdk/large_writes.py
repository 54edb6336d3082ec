# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Writes of large blocks of memory to a file, without a copy on either interpreter.

DEVIATION D401: fact: ``os.pwrite`` of PyPy copies a memoryview into a new string first, 150 to 300 us for
900 KB. Consequence: the copy is a tenth of the CPU of a Produce request with 900 KB. Choice: on PyPy a
block of ``BY_ADDRESS`` bytes or more goes to the C library's ``pwrite`` by address, through cffi, which PyPy
has built in. Cost: two routes for a write on PyPy; CPython compares a length and takes its own.

For use by any thread.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable

__all__ = ["BY_ADDRESS", "pwrite"]


def _by_address() -> Callable[[int, memoryview, int], int]:
    """Return ``os.pwrite`` by the C library's own function. Raises Exception where that is not possible."""
    import cffi  # type: ignore[import-untyped]

    ffi = cffi.FFI()
    # off_t has the width of a long on the 64-bit systems that this is for; 32-bit ones have another pwrite.
    ffi.cdef("ssize_t pwrite(int fd, const void *data, size_t count, long offset);")
    if ffi.sizeof("long") != 8:
        raise ValueError("an offset of a file does not fit into a long")
    function = ffi.dlopen(None).pwrite
    from_buffer = ffi.from_buffer

    def pwrite(fd: int, data: memoryview, position: int) -> int:
        while True:
            written = int(function(fd, from_buffer(data), len(data), position))
            if written >= 0:
                return written
            # The interpreter handles a signal between this round and the next.
            if ffi.errno != errno.EINTR:
                raise OSError(ffi.errno, os.strerror(ffi.errno))

    return pwrite


def _choose() -> tuple[int, Callable[[int, memoryview, int], int]]:
    if sys.implementation.name == "pypy":
        try:
            return 32 << 10, _by_address()
        except Exception:
            pass  # cffi may be missing, or the system may be a 32-bit one; os.pwrite is slower and right
    return sys.maxsize, os.pwrite


# PyPy does not move a mutable block of at least BY_ADDRESS bytes; ``pwrite`` is for such blocks. It writes
# and raises as os.pwrite does.
BY_ADDRESS, pwrite = _choose()
