# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.header.Headers of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of the headers of a record."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence

from kreactor.common.header.header import Header


class Headers(ABC):
    """Headers in the order of their addition. Names may repeat.

    :origin: common.header.Headers
    """

    __slots__ = ()

    @abstractmethod
    def add(self, header: Header) -> Headers:
        """Append a header; return these headers. Raises IllegalStateException for read-only headers.

        :origin: common.header.Headers#add(Header)
        """

    @abstractmethod
    def add_key(self, key: str, value: bytes | None) -> Headers:
        """Append a header with this name and value; return these headers. Raises IllegalStateException.

        :origin: common.header.Headers#add(String, byte[])
        """

    @abstractmethod
    def remove(self, key: str) -> Headers:
        """Remove all headers with this name; return these headers. Raises IllegalStateException.

        :origin: common.header.Headers#remove(String)
        """

    @abstractmethod
    def last_header(self, key: str) -> Header | None:
        """Return the last header with this name, or None.

        :origin: common.header.Headers#lastHeader(String)
        """

    @abstractmethod
    def headers(self, key: str) -> Iterable[Header]:
        """Return all headers with this name.

        :origin: common.header.Headers#headers(String)
        """

    @abstractmethod
    def to_array(self) -> Sequence[Header]:
        """Return all headers in a new sequence.

        :origin: common.header.Headers#toArray()
        """

    @abstractmethod
    def __iter__(self) -> Iterator[Header]:
        """Return an iterator over all headers."""
