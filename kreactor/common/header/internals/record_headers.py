# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.header.internals.RecordHeaders of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The headers of a record to send: mutable until the send, then read-only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kreactor.common.header.header import Header
from kreactor.common.header.headers import Headers
from kreactor.common.header.internals.record_header import RecordHeader
from kreactor.common.record.record import Record
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.nio_buffer import BytesLike


class RecordHeaders(Headers):
    """The headers of a record. One thread changes them. Any thread may set them read-only.

    :origin: common.header.internals.RecordHeaders
    """

    __slots__ = ("_headers", "_is_read_only")

    def __init__(self, headers: Iterable[Header] | None = None) -> None:
        """Copy ``headers``. The copy is mutable. Raises TypeError for a header that is None.

        :origin: common.header.internals.RecordHeaders#RecordHeaders()
        :origin: common.header.internals.RecordHeaders#RecordHeaders(Header[])
        :origin: common.header.internals.RecordHeaders#RecordHeaders(Iterable<Header>)
        """
        self._headers: list[Header] = []
        self._is_read_only = False
        if headers is not None:
            for header in headers:
                _require_header(header)
                self._headers.append(header)

    def add(self, header: Header) -> Headers:
        """:origin: common.header.internals.RecordHeaders#add(Header)"""
        _require_header(header)
        self._can_write()
        self._headers.append(header)
        return self

    def add_key(self, key: str, value: BytesLike | None) -> Headers:
        """:origin: common.header.internals.RecordHeaders#add(String, byte[])"""
        return self.add(RecordHeader(key, value))

    def remove(self, key: str) -> Headers:
        """:origin: common.header.internals.RecordHeaders#remove(String)"""
        self._can_write()
        self._check_key(key)
        self._headers[:] = [header for header in self._headers if header.key() != key]
        return self

    def last_header(self, key: str) -> Header | None:
        """:origin: common.header.internals.RecordHeaders#lastHeader(String)"""
        self._check_key(key)
        for header in reversed(self._headers):
            if header.key() == key:
                return header
        return None

    def headers(self, key: str) -> Iterable[Header]:
        """:origin: common.header.internals.RecordHeaders#headers(String)"""
        self._check_key(key)
        return [header for header in self._headers if header.key() == key]

    def __iter__(self) -> Iterator[Header]:
        """:origin: common.header.internals.RecordHeaders#iterator()"""
        return iter(self._headers)

    def set_read_only(self) -> None:
        """Make the headers read-only.

        :origin: common.header.internals.RecordHeaders#setReadOnly()
        """
        self._is_read_only = True

    def to_array(self) -> Sequence[Header]:
        """:origin: common.header.internals.RecordHeaders#toArray()"""
        return tuple(self._headers) if self._headers else Record.EMPTY_HEADERS

    def _check_key(self, key: str | None) -> None:
        """Raises IllegalArgumentException for a missing key.

        :origin: common.header.internals.RecordHeaders#checkKey(String)
        """
        if key is None:
            raise IllegalArgumentException("key cannot be null.")

    def _can_write(self) -> None:
        """Raises IllegalStateException for read-only headers.

        :origin: common.header.internals.RecordHeaders#canWrite()
        """
        if self._is_read_only:
            raise IllegalStateException("RecordHeaders has been closed.")

    def __eq__(self, other: object) -> bool:
        """:origin: common.header.internals.RecordHeaders#equals(Object)"""
        if self is other:
            return True
        if not isinstance(other, RecordHeaders):
            return False
        return self._headers == other._headers

    def __hash__(self) -> int:
        """:origin: common.header.internals.RecordHeaders#hashCode()"""
        return hash(tuple(self._headers))

    def __str__(self) -> str:
        """:origin: common.header.internals.RecordHeaders#toString()"""
        headers = ", ".join(map(str, self._headers))
        read_only = "true" if self._is_read_only else "false"
        return f"RecordHeaders(headers = [{headers}], isReadOnly = {read_only})"


def _require_header(header: Header | None) -> None:
    if header is None:
        raise TypeError("Header cannot be null.")
