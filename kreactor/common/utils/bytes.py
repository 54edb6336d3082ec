# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.Bytes of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Bytes that can be a key and be sorted. Java's arrays need this wrapper, Python's ``bytes`` does not."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import total_ordering

from kreactor.jdk.nio_buffer import BytesLike


@total_ordering
class Bytes:
    """Bytes, compared by their content. Immutable if the wrapped bytes are.

    :origin: common.utils.Bytes
    """

    __slots__ = ("_bytes", "_hash_code")

    EMPTY = b""

    @staticmethod
    def wrap(bytes_: BytesLike | None) -> Bytes | None:
        """Return ``bytes_`` wrapped, or None for None.

        :origin: common.utils.Bytes#wrap(byte[])
        """
        if bytes_ is None:
            return None
        return Bytes(bytes_)

    def __init__(self, bytes_: BytesLike) -> None:
        """Wrap ``bytes_`` without a copy.

        :origin: common.utils.Bytes#Bytes(byte[])
        """
        self._bytes = bytes_
        self._hash_code: int | None = None

    def get(self) -> BytesLike:
        """Return the wrapped bytes.

        :origin: common.utils.Bytes#get()
        """
        return self._bytes

    def __hash__(self) -> int:
        """Return the hash of the content, computed on the first call.

        :origin: common.utils.Bytes#hashCode()
        """
        if self._hash_code is None:
            self._hash_code = hash(bytes(self._bytes))
        return self._hash_code

    def __eq__(self, other: object) -> bool:
        """Compare the contents.

        :origin: common.utils.Bytes#equals(Object)
        """
        if self is other:
            return True
        if not isinstance(other, Bytes) or hash(self) != hash(other):
            return False
        return self._bytes == other._bytes

    def compare_to(self, that: Bytes) -> int:
        """Return a number below, equal to or above 0 as this is less than, equal to or greater than ``that``.

        :origin: common.utils.Bytes#compareTo(Bytes)
        """
        return self.BYTES_LEXICO_COMPARATOR.compare_whole(self._bytes, that._bytes)

    def __lt__(self, other: Bytes) -> bool:
        return self.compare_to(other) < 0

    def __str__(self) -> str:
        r"""Return the content as text, with unprintable bytes as ``\\x00``.

        :origin: common.utils.Bytes#toString()
        """
        return Bytes._to_string(self._bytes, 0, len(self._bytes))

    __repr__ = __str__

    @staticmethod
    def _to_string(b: BytesLike, off: int, len_: int) -> str:
        """Return a part of the bytes as text.

        :origin: common.utils.Bytes#toString(byte[], int, int)
        """
        return "".join(chr(ch) if 0x20 <= ch <= 0x7E and ch != 0x5C else f"\\x{ch:02X}"
                       for ch in b[off:off + len_])

    @staticmethod
    def increment(input_: Bytes) -> Bytes:
        """Return ``input_`` plus one, as a big-endian number of the same length.

        Raises IndexError on overflow.

        :origin: common.utils.Bytes#increment(Bytes)
        """
        input_arr = input_.get()
        ret = bytearray(len(input_arr))
        carry = 1
        for i in range(len(input_arr) - 1, -1, -1):
            if input_arr[i] == 0xFF and carry == 1:
                ret[i] = 0
            else:
                ret[i] = input_arr[i] + carry
                carry = 0
        if carry == 0:
            return Bytes(bytes(ret))
        raise IndexError(f"{input_} is the largest value of its length")

    BYTES_LEXICO_COMPARATOR: Bytes.ByteArrayComparator

    class ByteArrayComparator(ABC):
        """An order of byte sequences.

        :origin: common.utils.Bytes.ByteArrayComparator
        """

        @abstractmethod
        def compare_whole(self, buffer1: BytesLike, buffer2: BytesLike) -> int:
            """Return a number below, equal to or above 0 for the order of the arguments."""

        @abstractmethod
        def compare(self, buffer1: BytesLike, offset1: int, length1: int, buffer2: BytesLike, offset2: int,
                    length2: int) -> int:
            """Return a number below, equal to or above 0 for the order of parts of the arguments.

            :origin: common.utils.Bytes.ByteArrayComparator#compare(byte[], int, int, byte[], int, int)
            """

    class LexicographicByteArrayComparator(ByteArrayComparator):
        """The lexicographic order of unsigned bytes. A prefix comes before a longer sequence.

        :origin: common.utils.Bytes.LexicographicByteArrayComparator
        """

        def compare_whole(self, buffer1: BytesLike, buffer2: BytesLike) -> int:
            """Return a number below, equal to or above 0 for the order of the arguments.

            :origin: common.utils.Bytes.LexicographicByteArrayComparator#compare(byte[], byte[])
            """
            return self.compare(buffer1, 0, len(buffer1), buffer2, 0, len(buffer2))

        def compare(self, buffer1: BytesLike, offset1: int, length1: int, buffer2: BytesLike, offset2: int,
                    length2: int) -> int:
            """Return a number below, equal to or above 0 for the order of parts of the arguments.

            :origin: common.utils.Bytes.LexicographicByteArrayComparator#compare(
                byte[], int, int, byte[], int, int)
            """
            part1 = bytes(buffer1[offset1:offset1 + length1])
            part2 = bytes(buffer2[offset2:offset2 + length2])
            return (part1 > part2) - (part1 < part2)


Bytes.BYTES_LEXICO_COMPARATOR = Bytes.LexicographicByteArrayComparator()
