# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.SimpleRecord of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A record to write in any format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kreactor.common.record.record import Record
from kreactor.common.record.record_batch import RecordBatch
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike

if TYPE_CHECKING:
    from kreactor.common.header.header import Header


class SimpleRecord:
    """A timestamp, a key, a value and headers. Immutable.

    :origin: common.record.SimpleRecord
    """

    __slots__ = ("_key", "_value", "_timestamp", "_headers")

    def __init__(self, timestamp: int = RecordBatch.NO_TIMESTAMP, key: ByteBuffer | BytesLike | None = None,
                 value: ByteBuffer | BytesLike | None = None, headers: Sequence[Header] = Record.EMPTY_HEADERS
                 ) -> None:
        """Keep the fields. Raises TypeError if ``headers`` is None.

        :origin: common.record.SimpleRecord#SimpleRecord(long, ByteBuffer, ByteBuffer, Header[])
        :origin: common.record.SimpleRecord#SimpleRecord(long, byte[], byte[], Header[])
        :origin: common.record.SimpleRecord#SimpleRecord(long, ByteBuffer, ByteBuffer)
        :origin: common.record.SimpleRecord#SimpleRecord(long, byte[], byte[])
        :origin: common.record.SimpleRecord#SimpleRecord(long, byte[])
        :origin: common.record.SimpleRecord#SimpleRecord(byte[])
        :origin: common.record.SimpleRecord#SimpleRecord(ByteBuffer)
        :origin: common.record.SimpleRecord#SimpleRecord(byte[], byte[])
        """
        if headers is None:
            raise TypeError("Headers must be non-null")
        self._key = _wrap_nullable(key)
        self._value = _wrap_nullable(value)
        self._timestamp = timestamp
        self._headers = headers

    @staticmethod
    def of_record(record: Record) -> SimpleRecord:
        """Return timestamp, key, value and headers of ``record``.

        :origin: common.record.SimpleRecord#SimpleRecord(Record)
        """
        return SimpleRecord(record.timestamp(), record.key(), record.value(), record.headers())

    def key(self) -> ByteBuffer | None:
        """Return the key or None.

        :origin: common.record.SimpleRecord#key()
        """
        return self._key

    def value(self) -> ByteBuffer | None:
        """Return the value or None.

        :origin: common.record.SimpleRecord#value()
        """
        return self._value

    def timestamp(self) -> int:
        """Return the timestamp in milliseconds, -1 for none.

        :origin: common.record.SimpleRecord#timestamp()
        """
        return self._timestamp

    def headers(self) -> Sequence[Header]:
        """Return the headers.

        :origin: common.record.SimpleRecord#headers()
        """
        return self._headers

    def __eq__(self, other: object) -> bool:
        """:origin: common.record.SimpleRecord#equals(Object)"""
        if self is other:
            return True
        if not isinstance(other, SimpleRecord):
            return False
        return (self._timestamp == other._timestamp and _bytes(self._key) == _bytes(other._key)
                and _bytes(self._value) == _bytes(other._value)
                and tuple(self._headers) == tuple(other._headers))

    def __hash__(self) -> int:
        """:origin: common.record.SimpleRecord#hashCode()"""
        return hash((_bytes(self._key), _bytes(self._value), self._timestamp, tuple(self._headers)))

    def __str__(self) -> str:
        """:origin: common.record.SimpleRecord#toString()"""
        return (f"SimpleRecord(timestamp={self._timestamp}, "
                f"key={0 if self._key is None else self._key.limit()} bytes, "
                f"value={0 if self._value is None else self._value.limit()} bytes)")

    __repr__ = __str__


def _wrap_nullable(field: ByteBuffer | BytesLike | None) -> ByteBuffer | None:
    if field is None or isinstance(field, ByteBuffer):
        return field
    return ByteBuffer.wrap(field)


def _bytes(buffer: ByteBuffer | None) -> bytes | None:
    return None if buffer is None else buffer.to_bytes()
