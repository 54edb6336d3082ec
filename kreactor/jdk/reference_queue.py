# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A queue that weak references put themselves into, like ``java.lang.ref.ReferenceQueue``.

The collector calls ``enqueue`` on any thread, in the middle of anything: of another ``enqueue`` or of
``remove``, too. So no method holds a lock. ``queue.SimpleQueue`` does on PyPy, where it is written in Python:
a thread that the collector interrupts inside its ``put`` would wait for itself.
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class ReferenceQueue(Generic[T]):
    """First in, first out. Any thread enqueues, one thread removes."""

    __slots__ = ("_references", "_nothing_new")

    def __init__(self) -> None:
        """Make an empty queue."""
        # Each call of the deque is a single operation.
        self._references: deque[T] = deque()
        # Held while nothing is new. Nobody waits for it but the thread that removes.
        self._nothing_new = Lock()
        self._nothing_new.acquire()

    def enqueue(self, reference: T) -> None:
        """Add ``reference``. Never waits."""
        self._references.append(reference)
        # RuntimeError: another call has released it since the last removal.
        with suppress(RuntimeError):
            self._nothing_new.release()

    def remove(self) -> T:
        """Return the oldest reference; wait until there is one. Called by one thread only."""
        while True:
            with suppress(IndexError):
                return self._references.popleft()
            self._nothing_new.acquire()
