# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.util.concurrent.atomic``: values that several objects share. Safe for use by any thread."""

from __future__ import annotations

from typing import Generic, TypeVar

from kreactor.jdk.locks import Lock

T = TypeVar("T")


class AtomicBoolean:
    """A bool that is read and changed in one step."""

    __slots__ = ("_lock", "_value")

    def __init__(self, value: bool = False) -> None:
        self._lock = Lock()
        self._value = value

    def get(self) -> bool:
        """Return the value."""
        return self._value

    def set(self, value: bool) -> None:
        """Replace the value."""
        with self._lock:
            self._value = value

    def get_and_set(self, value: bool) -> bool:
        """Replace the value; return the old one."""
        with self._lock:
            previous, self._value = self._value, value
        return previous


class AtomicInteger:
    """An int that is read and changed in one step."""

    __slots__ = ("_lock", "_value")

    def __init__(self, value: int = 0) -> None:
        self._lock = Lock()
        self._value = value

    def get(self) -> int:
        """Return the value."""
        return self._value

    def set(self, value: int) -> None:
        """Replace the value."""
        with self._lock:
            self._value = value

    def get_and_set(self, value: int) -> int:
        """Replace the value; return the old one."""
        with self._lock:
            previous, self._value = self._value, value
        return previous

    def increment_and_get(self) -> int:
        """Add one; return the new value."""
        with self._lock:
            self._value += 1
            return self._value

    def get_and_increment(self) -> int:
        """Add one; return the old value."""
        return self.increment_and_get() - 1

    def decrement_and_get(self) -> int:
        """Subtract one; return the new value."""
        with self._lock:
            self._value -= 1
            return self._value

    def get_and_add(self, delta: int) -> int:
        """Add ``delta``; return the old value."""
        with self._lock:
            previous = self._value
            self._value = previous + delta
        return previous


class AtomicReference(Generic[T]):
    """An object, or None, that is compared and replaced in one step."""

    __slots__ = ("_lock", "_value")

    def __init__(self, value: T | None = None) -> None:
        self._lock = Lock()
        self._value = value

    def get(self) -> T | None:
        """Return the object."""
        return self._value

    def set(self, value: T | None) -> None:
        """Replace the object."""
        with self._lock:
            self._value = value

    def compare_and_set(self, expected: T | None, value: T | None) -> bool:
        """Replace the object if it is ``expected`` itself; return whether it was."""
        with self._lock:
            if self._value is not expected:
                return False
            self._value = value
            return True
