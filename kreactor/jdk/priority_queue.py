# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.util.PriorityQueue``: a binary heap. Owner: one thread at a time.

Java's queue is not stable: the order of elements of equal priority follows from the moves of elements in the
JDK's heap. Kafka sends requests in that order. ``heapq`` moves elements in another way, so the same requests
would leave in another order. This class moves elements as the JDK does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Callable, Generic, TypeVar

T = TypeVar("T")


class PriorityQueue(Generic[T]):
    """A queue whose head is an element with the lowest priority number."""

    __slots__ = ("_queue", "_priority")

    def __init__(self, priority: Callable[[T], int]) -> None:
        """``priority`` returns an element's number, which must not change while the element is queued."""
        self._queue: list[T] = []
        self._priority = priority

    def __len__(self) -> int:
        return len(self._queue)

    def __iter__(self) -> Iterator[T]:
        """Yield the elements in the order of the heap's array, as Java's iterator does."""
        return iter(self._queue)

    def is_empty(self) -> bool:
        """Return whether there are no elements."""
        return not self._queue

    def add(self, element: T) -> None:
        """Insert an element."""
        self._queue.append(element)
        self._sift_up(len(self._queue) - 1, element)

    def peek(self) -> T | None:
        """Return the head, or None if there is none."""
        return self._queue[0] if self._queue else None

    def poll(self) -> T | None:
        """Remove and return the head, or None if there is none."""
        if not self._queue:
            return None
        last = self._queue.pop()
        if not self._queue:
            return last
        head = self._queue[0]
        self._sift_down(last)
        return head

    def _sift_up(self, index: int, element: T) -> None:
        """Move ancestors with a higher number down, from ``index`` on, and put ``element`` into the gap."""
        queue, priority = self._queue, self._priority
        number = priority(element)
        while index > 0:
            parent = (index - 1) >> 1
            if number >= priority(queue[parent]):
                break
            queue[index] = queue[parent]
            index = parent
        queue[index] = element

    def _sift_down(self, element: T) -> None:
        """Move the smaller child up, from the root on, and put ``element`` where no child is smaller."""
        queue, priority = self._queue, self._priority
        number = priority(element)
        index, size = 0, len(queue)
        while index < size >> 1:
            child = 2 * index + 1
            if child + 1 < size and priority(queue[child]) > priority(queue[child + 1]):
                child += 1
            if number <= priority(queue[child]):
                break
            queue[index] = queue[child]
            index = child
        queue[index] = element
