# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.util.zip.CRC32C``: the CRC-32C of bytes in memory, on either interpreter.

DEVIATION D282: fact: PyPy never frees memory whose memoryview an extension module received through the C
interface. Consequence: each checksum kept its batch in memory, 1 GB after 17,000 Produce requests of 60 KB.
Choice: on PyPy the crc32c package's C functions are called by address, through PyPy's built-in cffi; where
the package has no such functions, it gets copies. Cost: the code uses undocumented names of the package, and
tests them at import.

For use by any thread.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from crc32c import crc32c as _of_package

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import BytesLike

__all__ = ["crc32c"]

_DECLARATIONS = """
    int _crc32c_intel_probe(void);
    uint32_t _crc32c_hw_adler(uint32_t crc, const unsigned char *data, unsigned long length);
    uint32_t _crc32c_sw_slicing_by_8(uint32_t crc, const unsigned char *data, unsigned long length);
"""
_COPIED_AT_ONCE = 64 << 10
# The test vector of RFC 3720.
_KNOWN = b"123456789", 0xE3069283


def _checksum_of_copies(data: BytesLike, value: int = 0) -> int:
    """Return the checksum from the package's function, which gets a copy as bytes."""
    view = memoryview(data)
    for start in range(0, len(view), _COPIED_AT_ONCE):
        value = _of_package(view[start:start + _COPIED_AT_ONCE].tobytes(), value)
    return value


def _by_address() -> Callable[[BytesLike, int], int]:
    """Return the checksum function by its address in the package.

    Raises Exception where that is not possible.
    """
    import cffi  # type: ignore[import-untyped]
    from crc32c import _crc32c

    ffi = cffi.FFI()
    ffi.cdef(_DECLARATIONS)
    library = ffi.dlopen(_crc32c.__file__)
    function = library._crc32c_hw_adler if library._crc32c_intel_probe() else library._crc32c_sw_slicing_by_8
    from_buffer = ffi.from_buffer

    def crc32c(data: BytesLike, value: int = 0) -> int:
        if type(data) is bytes:
            # PyPy keeps the result of from_buffer on bytes; it frees the buffers of the C interface.
            return _of_package(data, value)
        return ~int(function(~value & 0xFFFFFFFF, from_buffer(data), len(data))) & 0xFFFFFFFF

    for kind in (bytearray, memoryview):
        if crc32c(kind(_KNOWN[0])) != _KNOWN[1] or crc32c(kind(b"56789"), crc32c(kind(b"1234"))) != _KNOWN[1]:
            raise ValueError("these functions are not CRC-32C")
    return crc32c


def _choose() -> Callable[..., int]:
    if sys.implementation.name != "pypy":
        return _of_package
    try:
        return _by_address()
    except Exception:
        # Another release of the package may have no such functions, or cffi may be missing. Copies are slower
        # and right.
        return _checksum_of_copies


# Returns the CRC-32C of ``data``, 0..2**32-1. ``value`` is the CRC-32C of the bytes before ``data``.
crc32c = _choose()
