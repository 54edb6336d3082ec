# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A pool of zstd contexts for reuse by later streams. Needs ``zstandard``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import zstandard

C = TypeVar("C", bound=zstandard.ZstdCompressor | zstandard.ZstdDecompressor)

_KEPT = 4
# The maximum size of a kept context in bytes. The default level's is smaller, the highest levels' have up to
# 850 MB.
_LARGEST_KEPT = 8 << 20


class ZstdContexts(Generic[C]):
    """Unused contexts. Used by any thread: ``append`` and ``pop`` of a list are atomic."""

    # DEVIATION D247: Fact: a context takes 0.3 to 3.7 MB of C memory, which PyPy's garbage collector does not
    # count. Consequence: contexts of 2.5 GB accumulated during compression. Choice: a closed stream returns
    # its context, and another stream resets and reuses it. Only few and small contexts are kept. Cost: the
    # memory of kept contexts, up to 32 MB for each level.
    __slots__ = ("_make", "_idle")

    def __init__(self, make: Callable[[], C]) -> None:
        self._make = make
        self._idle: list[C] = []

    def take(self) -> C:
        """Return a context for one stream. Raises zstandard.ZstdError."""
        try:
            return self._idle.pop()
        except IndexError:
            return self._make()

    def give_back(self, context: C) -> None:
        """Keep the context of a closed stream, or leave it to the garbage collector."""
        if len(self._idle) < _KEPT and context.memory_size() <= _LARGEST_KEPT:
            self._idle.append(context)
