# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A ``queue.Queue`` that wakes one getter at a time.

*Fact.* Under an interpreter lock one thread runs at a time. A woken handler waits for the interpreter, while
another handler, or the network thread, goes on.

*Consequence.* ``queue.Queue`` wakes a getter for each element. Several handlers wake for elements that one of
them takes, and each takes the interpreter from a thread with work to do.

*Choice (D110).* While a notified getter is on its way, ``put`` notifies no other. A getter that leaves
elements behind notifies the next one, so no element waits while a getter sleeps.

*Cost.* With several elements at once the getters wake one after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from kreactor.jdk.concurrent import ArrayBlockingQueue
from kreactor.jdk.locks import Condition, Lock

T = TypeVar("T")


class OneAtATimeQueue(ArrayBlockingQueue[T]):
    """An ArrayBlockingQueue whose condition ``not_empty`` is the one below."""

    def __init__(self, capacity: int) -> None:
        """Raises IllegalArgumentException if ``capacity`` is below 1."""
        super().__init__(capacity)
        self.not_empty = _OneAtATime(self.mutex, self._qsize)

    def _get(self) -> T:
        element: T = super()._get()
        if self._qsize():
            self.not_empty.notify()
        return element


class _OneAtATime(Condition):
    """A condition that notifies no waiter while a notified one is on its way. The lock guards all of it."""

    # DEVIATION D110: in the origin each put signals a waiting thread.

    def __init__(self, lock: Lock, elements: Callable[[], int]) -> None:
        """``elements`` returns how many elements there are to get."""
        super().__init__(lock)
        self._elements = elements
        self._is_on_its_way = False

    def notify(self, n: int = 1) -> None:
        """Notify a waiter, unless one is on its way."""
        # The waiters are a private name of the base class.
        if self._waiters and not self._is_on_its_way:  # type: ignore[attr-defined]
            self._is_on_its_way = True
            super().notify()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for a notification, up to ``timeout`` seconds; return whether it came."""
        is_notified = False
        try:
            is_notified = super().wait(timeout)
        finally:
            self._is_on_its_way = False
            if not is_notified and self._elements():
                # A time-out or an exception ended the wait, maybe after the notification.
                self.notify()
        return is_notified
