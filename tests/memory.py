# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Measures an interpreter's memory: CPython by tracemalloc, PyPy, which has none, by other means."""

from __future__ import annotations

import gc
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

PYPY = sys.implementation.name == "pypy"
# The memory of PyPy's collector and compiler beside the objects of a test, in bytes.
PYPY_SLACK = 64 << 20


def _address_space() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


@contextmanager
def at_most(peak: int) -> Iterator[None]:
    """Fail if the block has more than ``peak`` bytes allocated at once, beside what there was before it.

    On PyPy an allocation raises MemoryError that does not fit into this and ``PYPY_SLACK``.
    """
    if PYPY:
        gc.collect()
        limits = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (_address_space() + peak + PYPY_SLACK, limits[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_AS, limits)
        return
    import tracemalloc
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        yield
        assert tracemalloc.get_traced_memory()[1] - before <= peak
    finally:
        tracemalloc.stop()


@contextmanager
def counted() -> Iterator[None]:
    """Count allocations for ``held`` in the block."""
    if PYPY:
        yield
        return
    import tracemalloc
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()


def held() -> int:
    """Return the bytes of all objects that are in use, of those allocated within ``counted`` on CPython."""
    gc.collect()
    if PYPY:
        stats: Any = gc.get_stats()
        return int(stats._s.total_arena_memory + stats._s.total_rawmalloced_memory)
    import tracemalloc
    return tracemalloc.get_traced_memory()[0]
