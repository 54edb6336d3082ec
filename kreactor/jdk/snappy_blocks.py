# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.xerial.snappy.Snappy``: blocks of plain snappy. Needs ``python-snappy``. For use by any thread.

DEVIATION D246: fact: PyPy never frees an object whose buffer an extension module was asked for. Consequence:
python-snappy, which copies the buffer of each result, kept all results: 5 KB for each batch of 4 KB. Choice:
on PyPy the results of cramjam, which python-snappy is made of, are read by their own method. Cost: a name of
a package that kreactor does not depend on by itself.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import snappy

__all__ = ["compress", "decompress"]


def _cramjam_functions() -> tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]:
    """Return the two functions. Raises ImportError, AttributeError where cramjam has no such functions."""
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


# Each takes bytes, and raises an exception of the package if they are corrupt.
compress, decompress = _choose()
