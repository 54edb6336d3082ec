# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.header.internals.RecordHeader of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A header of a record, decoded on first use."""

from __future__ import annotations

from kreactor.common.header.header import Header
from kreactor.jdk.nio_buffer import BytesLike


class RecordHeader(Header):
    """A header. Two threads may decode it at once, with the same result.

    :origin: common.header.internals.RecordHeader
    """

    __slots__ = ("_key_buffer", "_key", "_value_buffer", "_value")

    def __init__(self, key: str | BytesLike, value: BytesLike | None) -> None:
        """Keep a name or its UTF-8 bytes, and the value. A memoryview is kept, and copied on first use.

        Raises TypeError if ``key`` is None.

        :origin: common.header.internals.RecordHeader#RecordHeader(String, byte[])
        :origin: common.header.internals.RecordHeader#RecordHeader(ByteBuffer, ByteBuffer)
        """
        self._key_buffer: BytesLike | None = None
        self._key: str | None = None
        if isinstance(key, str):
            self._key = key
        elif key is None:
            raise TypeError("Null header keys are not permitted")
        else:
            self._key_buffer = key
        self._value_buffer: BytesLike | None = None
        self._value: bytes | None = None
        if isinstance(value, bytes):
            self._value = value
        else:
            self._value_buffer = value

    def key(self) -> str:
        """:origin: common.header.internals.RecordHeader#key()"""
        key = self._key
        if key is None:
            key_buffer = self._key_buffer
            assert key_buffer is not None
            # Java replaces invalid UTF-8 by U+FFFD, and so must a broker that forwards the header.
            self._key = key = str(key_buffer, "utf-8", "replace")
        return key

    def value(self) -> bytes | None:
        """:origin: common.header.internals.RecordHeader#value()"""
        value = self._value
        if value is None and self._value_buffer is not None:
            self._value = value = bytes(self._value_buffer)
        return value

    def __eq__(self, other: object) -> bool:
        """:origin: common.header.internals.RecordHeader#equals(Object)"""
        if self is other:
            return True
        if not isinstance(other, RecordHeader):
            return False
        return self.key() == other.key() and self.value() == other.value()

    def __hash__(self) -> int:
        """:origin: common.header.internals.RecordHeader#hashCode()"""
        return hash((self.key(), self.value()))

    def __str__(self) -> str:
        """:origin: common.header.internals.RecordHeader#toString()"""
        value = self.value()
        numbers = "null" if value is None else str([b - 256 if b > 127 else b for b in value])
        return f"RecordHeader(key = {self.key()}, value = {numbers})"

    __repr__ = __str__
