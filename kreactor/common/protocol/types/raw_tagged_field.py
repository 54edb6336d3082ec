# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.protocol.types.RawTaggedField of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A tagged field that this version of the software does not know (KIP-482)."""

from __future__ import annotations


class RawTaggedField:
    """A tag and its unparsed bytes, which can be forwarded.

    :origin: common.protocol.types.RawTaggedField
    """

    __slots__ = ("_tag", "_data")

    def __init__(self, tag: int, data: bytes) -> None:
        """:origin: common.protocol.types.RawTaggedField#RawTaggedField(int, byte[])"""
        self._tag = tag
        self._data = data

    def tag(self) -> int:
        """Return the tag.

        :origin: common.protocol.types.RawTaggedField#tag()
        """
        return self._tag

    def data(self) -> bytes:
        """Return the bytes of the value, without tag and size.

        :origin: common.protocol.types.RawTaggedField#data()
        """
        return self._data

    def size(self) -> int:
        """Return the size of the value in bytes.

        :origin: common.protocol.types.RawTaggedField#size()
        """
        return len(self._data)

    def __eq__(self, other: object) -> bool:
        """Compare tag and bytes.

        :origin: common.protocol.types.RawTaggedField#equals(Object)
        """
        return isinstance(other, RawTaggedField) and self._tag == other._tag and self._data == other._data

    def __hash__(self) -> int:
        """Hash tag and bytes.

        :origin: common.protocol.types.RawTaggedField#hashCode()
        """
        return hash((self._tag, self._data))

    def __repr__(self) -> str:
        return f"RawTaggedField(tag={self._tag}, data={self._data!r})"
