# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.util.concurrent.atomic``: a counter that several objects share. Any thread may use it."""

from __future__ import annotations

import threading


class AtomicInteger:
    """An int that is read and changed in one step."""

    __slots__ = ("_lock", "_value")

    def __init__(self, value: int = 0) -> None:
        self._lock = threading.Lock()
        self._value = value

    def get(self) -> int:
        """Return the value."""
        return self._value

    def set(self, value: int) -> None:
        """Replace the value."""
        with self._lock:
            self._value = value

    def get_and_set(self, value: int) -> int:
        """Replace the value; return what it was."""
        with self._lock:
            previous, self._value = self._value, value
        return previous

    def increment_and_get(self) -> int:
        """Add one; return the new value."""
        with self._lock:
            self._value += 1
            return self._value

    def get_and_increment(self) -> int:
        """Add one; return what the value was."""
        return self.increment_and_get() - 1

    def decrement_and_get(self) -> int:
        """Take one off; return the new value."""
        with self._lock:
            self._value -= 1
            return self._value
