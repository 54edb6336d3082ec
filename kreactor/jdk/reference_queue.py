# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A queue for dead weak references, like ``java.lang.ref.ReferenceQueue``.

Fact: the collector calls ``enqueue`` on any thread at any time, even inside another ``enqueue`` or
``remove``. Consequence: a lock would deadlock with itself. Choice: no method holds a lock.
``queue.SimpleQueue`` does not qualify: on PyPy it is written in Python, and its ``put`` holds a lock.
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class ReferenceQueue(Generic[T]):
    """A first-in first-out queue. Any thread enqueues, one thread removes."""

    __slots__ = ("_references", "_nothing_new")

    def __init__(self) -> None:
        """Make an empty queue."""
        # Each method of a deque is atomic.
        self._references: deque[T] = deque()
        # Locked while there is no new element. Only the removing thread waits for it.
        self._nothing_new = Lock()
        self._nothing_new.acquire()

    def enqueue(self, reference: T) -> None:
        """Add ``reference``. Never waits."""
        self._references.append(reference)
        # RuntimeError: another call has released the lock since the last removal.
        with suppress(RuntimeError):
            self._nothing_new.release()

    def remove(self) -> T:
        """Remove and return the oldest reference; wait until there is one. Called by one thread only."""
        while True:
            with suppress(IndexError):
                return self._references.popleft()
            self._nothing_new.acquire()
