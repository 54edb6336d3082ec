# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.util.concurrent.DelayQueue``: elements leave the queue when they are due, the earliest first.

Safe for use by any thread. One condition guards the heap. A waiting thread sleeps until the head is due.
``offer`` wakes the waiting threads when the new element becomes the head.

Invariant, which the caller keeps: an element's due time does not change while the element is queued.
"""

from __future__ import annotations

import heapq
from typing import Generic, Protocol, TypeVar

from kreactor.jdk.clock import Clock
from kreactor.jdk.locks import Condition, Lock
from kreactor.jdk.threads import TIMEOUT_MAX
from kreactor.jdk.time_unit import TimeUnit


class Delayed(Protocol):
    """An element of the queue: it knows its remaining delay, and is ordered by its due time."""

    def get_delay(self, unit: TimeUnit) -> int:
        """Return the remaining delay; an element with 0 or less is due."""

    def __lt__(self, other: Delayed, /) -> bool:
        """Return whether this is due before ``other``."""


E = TypeVar("E", bound=Delayed)


class DelayQueue(Generic[E]):
    """A queue without bound whose head can be taken only once it is due."""

    __slots__ = ("_available", "_heap")

    def __init__(self) -> None:
        self._available = Condition(Lock())
        self._heap: list[E] = []

    def offer(self, element: E) -> bool:
        """Add ``element``; return True."""
        with self._available:
            heapq.heappush(self._heap, element)
            if self._heap[0] is element:
                self._available.notify_all()
        return True

    def poll(self) -> E | None:
        """Remove and return the head, or None if it is not due or there is none."""
        with self._available:
            heap = self._heap
            if not heap or heap[0].get_delay(TimeUnit.NANOSECONDS) > 0:
                return None
            return heapq.heappop(heap)

    def poll_timeout(self, timeout_ms: int) -> E | None:
        """Remove and return the head, or None if no element came due within ``timeout_ms``."""
        deadline_ns = Clock.nanoseconds() + timeout_ms * 1_000_000
        heap = self._heap
        with self._available:
            while True:
                left_ns = deadline_ns - Clock.nanoseconds()
                wait_ns = left_ns
                if heap:
                    delay_ns = heap[0].get_delay(TimeUnit.NANOSECONDS)
                    if delay_ns <= 0:
                        return heapq.heappop(heap)
                    wait_ns = min(delay_ns, left_ns)
                if left_ns <= 0:
                    return None
                self._available.wait(min(wait_ns / 1e9, TIMEOUT_MAX))

    def size(self) -> int:
        """Return the number of elements, due or not."""
        return len(self._heap)
