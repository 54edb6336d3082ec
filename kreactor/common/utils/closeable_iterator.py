# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.CloseableIterator of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""An iterator that owns resources, such as the buffers of a decompressor."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from types import TracebackType
from typing import Generic, TypeVar

from kreactor.jdk.exceptions import NoSuchElementException

T_co = TypeVar("T_co", covariant=True)


class CloseableIterator(ABC, Generic[T_co]):
    """The caller that got the iterator closes it, for example with a ``with`` statement. Used by one thread.

    :origin: common.utils.CloseableIterator
    """

    __slots__ = ()

    @abstractmethod
    def close(self) -> None:
        """Release the resources. A second call does nothing.

        :origin: common.utils.CloseableIterator#close()
        """

    @abstractmethod
    def has_next(self) -> bool:
        """Return whether another element exists."""

    @abstractmethod
    def next(self) -> T_co:
        """Return the next element and move past it. Raises NoSuchElementException at the end."""

    def __iter__(self) -> Iterator[T_co]:
        return self

    def __next__(self) -> T_co:
        if not self.has_next():
            raise StopIteration
        return self.next()

    def __enter__(self) -> CloseableIterator[T_co]:
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 traceback: TracebackType | None) -> None:
        self.close()

    @staticmethod
    def wrap(inner: Iterator[T_co]) -> CloseableIterator[T_co]:
        """Return ``inner`` as a CloseableIterator without resources.

        :origin: common.utils.CloseableIterator#wrap(Iterator<R>)
        """
        return _Wrapped(inner)


class _Wrapped(CloseableIterator[T_co]):
    """A Python iterator with ``has_next``. It reads one element ahead."""

    __slots__ = ("_inner", "_ahead")

    def __init__(self, inner: Iterator[T_co]) -> None:
        self._inner = inner
        self._ahead: list[T_co] = []

    def close(self) -> None:
        pass

    def has_next(self) -> bool:
        if self._ahead:
            return True
        for element in self._inner:
            self._ahead.append(element)
            return True
        return False

    def next(self) -> T_co:
        if not self.has_next():
            raise NoSuchElementException()
        return self._ahead.pop()
