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

OMITTED = {
    "common.utils.AbstractIterator#remove()": "an iterator of Python removes nothing",
}

T_co = TypeVar("T_co", covariant=True)


class AbstractIterator(ABC, Generic[T_co]):
    """Leaves it to ``make_next`` to find an element, and holds it until it is asked for.

    An exception of ``make_next`` leaves the iterator failed for good. Used by one thread.

    :origin: common.utils.AbstractIterator
    """

    __slots__ = ("_state", "_next")

    class State(Enum):
        """Whether the next element is there, is not yet made, or cannot come.

        :origin: common.utils.AbstractIterator.State
        """

        READY = "READY"
        NOT_READY = "NOT_READY"
        DONE = "DONE"
        FAILED = "FAILED"

    def __init__(self) -> None:
        """Know nothing yet."""
        self._state = AbstractIterator.State.NOT_READY
        self._next: T_co | None = None

    def has_next(self) -> bool:
        """Return whether there is another element, finding it if need be.

        Raises IllegalStateException if an earlier search failed, or what ``make_next`` raises.

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
        # As has_next and next, in one: a loop over batches comes here for each.
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
        """Say, from within ``make_next``, that there is no further element.

        :origin: common.utils.AbstractIterator#allDone()
        """
        self._state = _DONE

    @abstractmethod
    def make_next(self) -> T_co | None:
        """Return the next element, or the result of ``all_done``.

        :origin: common.utils.AbstractIterator#makeNext()
        """

    def _maybe_compute_next(self) -> bool:
        """Search; the state is FAILED meanwhile, and stays so if the search raises.

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
