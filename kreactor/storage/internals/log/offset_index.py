# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.OffsetIndex of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The positions of offsets in a segment's file: ``.index``, entries of 4 + 4 bytes.

An entry is the last offset of a batch, relative to the segment's base offset, and the position of that batch.
There is an entry about every ``index.interval.bytes``. Between entries, a reader walks from header to header.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, bisect_right

from kreactor.common.errors import InvalidOffsetException
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.storage.internals.log.abstract_index import AbstractIndex
from kreactor.storage.internals.log.corrupt_index_exception import CorruptIndexException

_MAX_INT = 2**31 - 1


class OffsetIndex(AbstractIndex):
    """Offsets and positions, both strictly ascending.

    :origin: storage.internals.log.OffsetIndex
    """

    __slots__ = ("_offsets", "_positions")

    ENTRY_SIZE = 8

    def __init__(self, base_offset: int, max_index_bytes: int) -> None:
        """:origin: storage.internals.log.OffsetIndex#OffsetIndex(File, long)
        :origin: storage.internals.log.OffsetIndex#OffsetIndex(File, long, int)
        :origin: storage.internals.log.OffsetIndex#OffsetIndex(File, long, int, boolean)
        """
        super().__init__(base_offset, max_index_bytes)
        self._offsets = array("I")
        self._positions = array("I")

    def entries(self) -> int:
        return len(self._offsets)

    def can_append_offset(self, offset: int) -> bool:
        """Return whether ``offset`` is close enough to the base offset for an entry.

        :origin: storage.internals.log.AbstractIndex#canAppendOffset(long)
        """
        return 0 <= offset - self._base_offset <= _MAX_INT

    def has_room_for(self, offset: int) -> bool:
        """Return whether an entry for ``offset`` can be added. Called by each append."""
        return len(self._offsets) < self._max_entries and 0 <= offset - self._base_offset <= _MAX_INT

    def lookup(self, target_offset: int) -> tuple[int, int]:
        """Return offset and position of the last entry up to ``target_offset``.

        Returns the base offset and 0 if there is none. The batch of ``target_offset`` begins at the position
        or later.

        :origin: storage.internals.log.OffsetIndex#lookup(long)
        """
        base_offset = self._base_offset
        with self._lock:
            slot = bisect_right(self._offsets, target_offset - base_offset) - 1
            if slot < 0:
                return base_offset, 0
            return base_offset + self._offsets[slot], self._positions[slot]

    def entry(self, n: int) -> tuple[int, int]:
        """Return offset and position of entry ``n``. Raises IllegalArgumentException if it does not exist.

        :origin: storage.internals.log.OffsetIndex#entry(int)
        """
        with self._lock:
            if n >= len(self._offsets):
                raise IllegalArgumentException(
                    f"Attempt to fetch the {n}th entry from the offset index of {self._base_offset}, which "
                    f"has size {len(self._offsets)}")
            return self._base_offset + self._offsets[n], self._positions[n]

    def fetch_upper_bound_offset(self, target_position: int) -> int | None:
        """Return the offset of the first entry at ``target_position`` or later, None if there is none.

        :origin: storage.internals.log.OffsetIndex#fetchUpperBoundOffset(OffsetPosition, int)
        """
        with self._lock:
            slot = bisect_left(self._positions, target_position)
            return self._base_offset + self._offsets[slot] if slot < len(self._positions) else None

    def append(self, offset: int, position: int) -> None:
        """Add an entry; the caller has checked ``can_append_offset``.

        Raises IllegalArgumentException if the index is full, or InvalidOffsetException unless ``offset`` is
        greater than the last one.

        :origin: storage.internals.log.OffsetIndex#append(long, int)
        """
        relative = offset - self._base_offset
        with self._lock:
            offsets = self._offsets
            if len(offsets) >= self._max_entries:
                raise IllegalArgumentException(
                    f"Attempt to append to a full index (size = {len(offsets)}).")
            if offsets and relative <= offsets[-1]:
                raise InvalidOffsetException(
                    f"Attempt to append an offset {offset} to position {len(offsets)} no larger than the "
                    f"last offset appended ({self._base_offset + offsets[-1]}) to the offset index of "
                    f"{self._base_offset}")
            offsets.append(relative)
            self._positions.append(position)

    def _encode(self, first: int) -> bytes:
        words = array("I", bytes(self.ENTRY_SIZE * (len(self._offsets) - first)))
        words[0::2] = self._offsets[first:]
        words[1::2] = self._positions[first:]
        if sys.byteorder == "little":
            words.byteswap()
        return words.tobytes()

    def _decode(self, data: bytes) -> None:
        words = array("I", data)
        if sys.byteorder == "little":
            words.byteswap()
        self._offsets, self._positions = words[0::2], words[1::2]
        for column in (self._offsets, self._positions):
            ascending = all(left < right for left, right in zip(column, column[1:]))
            if not ascending or column and column[-1] > _MAX_INT:
                raise CorruptIndexException("an offset index is not in ascending order")

    def _truncate(self, count: int) -> None:
        """:origin: storage.internals.log.OffsetIndex#truncate()"""
        del self._offsets[count:]
        del self._positions[count:]

    def last_entry(self) -> tuple[int, int]:
        """Return offset and position of the last entry; the base offset and 0 if there is none.

        :origin: storage.internals.log.OffsetIndex#lastEntry()
        """
        with self._lock:
            if not self._offsets:
                return self._base_offset, 0
            return self._base_offset + self._offsets[-1], self._positions[-1]
