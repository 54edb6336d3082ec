# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.AbstractIterator of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""An iterator that can look one element ahead."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from enum import Enum
from typing import Generic, TypeVar

from kreactor.jdk.exceptions import IllegalStateException, NoSuchElementException

T_co = TypeVar("T_co", covariant=True)


class AbstractIterator(ABC, Generic[T_co]):
    """Computes one element ahead with ``make_next`` and keeps it for the next call.

    An exception of ``make_next`` makes the iterator permanently unusable. Used by one thread.

    :origin: common.utils.AbstractIterator
    """

    __slots__ = ("_state", "_next")

    class State(Enum):
        """The state of the next element: computed, not computed yet, at the end, or failed.

        :origin: common.utils.AbstractIterator.State
        """

        READY = "READY"
        NOT_READY = "NOT_READY"
        DONE = "DONE"
        FAILED = "FAILED"

    def __init__(self) -> None:
        """Start without a computed element."""
        self._state = AbstractIterator.State.NOT_READY
        self._next: T_co | None = None

    def has_next(self) -> bool:
        """Return whether another element exists. Computes it if necessary.

        Raises IllegalStateException after an earlier failure, or the exception of ``make_next``.

        :origin: common.utils.AbstractIterator#hasNext()
        """
        state = self._state
        if state is _NOT_READY:
            return self._maybe_compute_next()
        if state is _READY:
            return True
        if state is _DONE:
            return False
        raise IllegalStateException("Iterator is in failed state")

    def next(self) -> T_co:
        """Return the next element and move past it. Raises NoSuchElementException at the end.

        :origin: common.utils.AbstractIterator#next()
        """
        if not self.has_next():
            raise NoSuchElementException()
        self._state = _NOT_READY
        if self._next is None:
            raise IllegalStateException("Expected item but none found.")
        return self._next

    def __iter__(self) -> Iterator[T_co]:
        return self

    def __next__(self) -> T_co:
        # Equals has_next and next in one method, because a loop over batches calls it for each batch.
        if self._state is _NOT_READY:
            self._state = _FAILED
            self._next = self.make_next()
            if self._state is _DONE:
                raise StopIteration
        elif not self.has_next():
            raise StopIteration
        self._state = _NOT_READY
        if self._next is None:
            raise IllegalStateException("Expected item but none found.")
        return self._next

    def peek(self) -> T_co:
        """Return the next element without moving past it. Raises NoSuchElementException at the end.

        :origin: common.utils.AbstractIterator#peek()
        """
        if not self.has_next():
            raise NoSuchElementException()
        if self._next is None:
            raise IllegalStateException("Expected item but none found.")
        return self._next

    def all_done(self) -> None:
        """Mark the end. Called by ``make_next`` if no further element exists.

        :origin: common.utils.AbstractIterator#allDone()
        """
        self._state = _DONE

    @abstractmethod
    def make_next(self) -> T_co | None:
        """Return the next element, or the result of ``all_done``.

        :origin: common.utils.AbstractIterator#makeNext()
        """

    def _maybe_compute_next(self) -> bool:
        """Compute the next element. The state is FAILED meanwhile, and stays FAILED if ``make_next`` raises.

        :origin: common.utils.AbstractIterator#maybeComputeNext()
        """
        self._state = _FAILED
        self._next = self.make_next()
        if self._state is _DONE:
            return False
        self._state = _READY
        return True


_READY = AbstractIterator.State.READY
_NOT_READY = AbstractIterator.State.NOT_READY
_DONE = AbstractIterator.State.DONE
_FAILED = AbstractIterator.State.FAILED
