# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Contexts of zstd, used again by later streams. Needs ``zstandard``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import zstandard

C = TypeVar("C", bound=zstandard.ZstdCompressor | zstandard.ZstdDecompressor)

_KEPT = 4
# Above the size of the default level's, in bytes; those of the highest levels take up to 850 MB.
_LARGEST_KEPT = 8 << 20


class ZstdContexts(Generic[C]):
    """Contexts that no stream uses. Any thread's: a list's ``append`` and ``pop`` are atomic."""

    # DEVIATION D247: fact: a context takes 0.3 to 3.7 MB in C, and PyPy's collector does not see them.
    # Consequence: 2.5 GB of contexts piled up while batches were compressed. Choice: a stream that is closed
    # leaves its context to another stream, which resets it; few and small ones are kept. Cost: the memory of
    # those, up to 32 MB for each level.
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
        """Keep a context whose stream is closed, or leave it to the collector."""
        if len(self._idle) < _KEPT and context.memory_size() <= _LARGEST_KEPT:
            self._idle.append(context)
