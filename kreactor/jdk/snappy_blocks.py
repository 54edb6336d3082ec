# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.xerial.snappy.Snappy``: blocks of plain snappy. Needs ``python-snappy``. For use by any thread.

DEVIATION D246: fact: PyPy never frees an object of an extension module whose buffer was requested.
Consequence: python-snappy, which copies each result's buffer, kept all results in memory: 5 KB for each batch
of 4 KB. Choice: on PyPy the results of cramjam, on which python-snappy is built, are read by their own
method. Cost: the code uses a package that kreactor does not itself depend on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import snappy

__all__ = ["compress", "decompress"]


def _cramjam_functions() -> tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]:
    """Return the two functions. Raises ImportError or AttributeError if cramjam lacks them."""
    import cramjam
    compress_raw, decompress_raw = cramjam.snappy.compress_raw, cramjam.snappy.decompress_raw
    getattr(cramjam.Buffer, "read")
    return lambda data: compress_raw(data).read(), lambda data: decompress_raw(data).read()


def _choose() -> tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]:
    if sys.implementation.name == "pypy":
        try:
            return _cramjam_functions()
        except (ImportError, AttributeError):
            pass
    return snappy.compress, snappy.decompress


# Each function takes bytes, and raises the package's exception for corrupt bytes.
compress, decompress = _choose()
