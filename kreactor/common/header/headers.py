# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.header.Headers of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The headers of a record that is not written yet."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence

from kreactor.common.header.header import Header


class Headers(ABC):
    """Headers in the order they were added in; names may repeat.

    :origin: common.header.Headers
    """

    __slots__ = ()

    @abstractmethod
    def add(self, header: Header) -> Headers:
        """Append; return these headers. Raises IllegalStateException once they are read-only.

        :origin: common.header.Headers#add(Header)
        """

    @abstractmethod
    def add_key(self, key: str, value: bytes | None) -> Headers:
        """Append a header of these two; return these headers. Raises IllegalStateException.

        :origin: common.header.Headers#add(String, byte[])
        """

    @abstractmethod
    def remove(self, key: str) -> Headers:
        """Take out all of this name; return these headers. Raises IllegalStateException.

        :origin: common.header.Headers#remove(String)
        """

    @abstractmethod
    def last_header(self, key: str) -> Header | None:
        """Return the last of this name, or None.

        :origin: common.header.Headers#lastHeader(String)
        """

    @abstractmethod
    def headers(self, key: str) -> Iterable[Header]:
        """Return all of this name.

        :origin: common.header.Headers#headers(String)
        """

    @abstractmethod
    def to_array(self) -> Sequence[Header]:
        """Return all, in a sequence of their own.

        :origin: common.header.Headers#toArray()
        """

    @abstractmethod
    def __iter__(self) -> Iterator[Header]:
        """Return an iterator over all."""
