# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.TimeIndex of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The offsets up to which a segment has only records up to a time: ``.timeindex``, entries of 8 + 4 bytes.

An entry is the latest time so far, in milliseconds, and the last offset of the first batch with that time,
relative to the segment's base offset. The last entry of a sealed or closed segment is its latest time.
"""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_right

from kreactor.common.errors import InvalidOffsetException
from kreactor.common.record.record_batch import RecordBatch
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.storage.internals.log.abstract_index import AbstractIndex
from kreactor.storage.internals.log.corrupt_index_exception import CorruptIndexException

_ENTRY = struct.Struct(">qi")
_NO_TIMESTAMP = RecordBatch.NO_TIMESTAMP


class TimeIndex(AbstractIndex):
    """Times strictly ascending, offsets ascending.

    :origin: storage.internals.log.TimeIndex
    """

    __slots__ = ("_timestamps", "_offsets")

    ENTRY_SIZE = _ENTRY.size

    def __init__(self, base_offset: int, max_index_bytes: int) -> None:
        """:origin: storage.internals.log.TimeIndex#TimeIndex(File, long, int)
        :origin: storage.internals.log.TimeIndex#TimeIndex(File, long, int, boolean)
        """
        super().__init__(base_offset, max_index_bytes)
        self._timestamps = array("q")
        self._offsets = array("i")

    def entries(self) -> int:
        return len(self._timestamps)

    def is_full(self) -> bool:
        """Return whether only the last entry is free, which is reserved for the segment's latest time.

        :origin: storage.internals.log.TimeIndex#isFull()
        """
        return len(self._timestamps) >= self._max_entries - 1

    def last_entry(self) -> tuple[int, int]:
        """Return time and offset of the last entry; -1 and the base offset if there is none.

        :origin: storage.internals.log.TimeIndex#lastEntry()
        """
        with self._lock:
            if not self._timestamps:
                return _NO_TIMESTAMP, self._base_offset
            return self._timestamps[-1], self._base_offset + self._offsets[-1]

    def entry(self, n: int) -> tuple[int, int]:
        """Return time and offset of entry ``n``. Raises IllegalArgumentException if it does not exist.

        :origin: storage.internals.log.TimeIndex#entry(int)
        """
        with self._lock:
            if n >= len(self._timestamps):
                raise IllegalArgumentException(
                    f"Attempt to fetch the {n}th entry from the time index of {self._base_offset}, which has "
                    f"size {len(self._timestamps)}")
            return self._timestamps[n], self._base_offset + self._offsets[n]

    def lookup(self, target_timestamp: int) -> tuple[int, int]:
        """Return time and offset of the last entry that is not later; -1 and the base offset if there is
        none.

        :origin: storage.internals.log.TimeIndex#lookup(long)
        """
        with self._lock:
            slot = bisect_right(self._timestamps, target_timestamp) - 1
            if slot < 0:
                return _NO_TIMESTAMP, self._base_offset
            return self._timestamps[slot], self._base_offset + self._offsets[slot]

    def maybe_append(self, timestamp: int, offset: int, skip_full_check: bool = False) -> None:
        """Add an entry if its time is later than the last one; an equal entry is ignored.

        The last entry is reserved for the segment's latest time, which is added with ``skip_full_check``.
        Raises IllegalArgumentException if all others are used. Raises InvalidOffsetException for an offset,
        or IllegalStateException for a time, before the last one.

        :origin: storage.internals.log.TimeIndex#maybeAppend(long, long)
        :origin: storage.internals.log.TimeIndex#maybeAppend(long, long, boolean)
        """
        relative = offset - self._base_offset
        with self._lock:
            timestamps, offsets = self._timestamps, self._offsets
            if not skip_full_check and self.is_full():
                raise IllegalArgumentException(
                    f"Attempt to append to a full time index (size = {len(timestamps)}).")

            if timestamps and relative < offsets[-1]:
                raise InvalidOffsetException(
                    f"Attempt to append an offset ({offset}) to slot {len(offsets)} no larger than the last "
                    f"offset appended ({self._base_offset + offsets[-1]}) to the time index of "
                    f"{self._base_offset}")
            if timestamps and timestamp < timestamps[-1]:
                raise IllegalStateException(
                    f"Attempt to append a timestamp ({timestamp}) to slot {len(timestamps)} no larger than "
                    f"the last timestamp appended ({timestamps[-1]}) to the time index of "
                    f"{self._base_offset}")

            if timestamp > (timestamps[-1] if timestamps else _NO_TIMESTAMP):
                timestamps.append(timestamp)
                offsets.append(relative)

    def _encode(self, first: int) -> bytes:
        pack = _ENTRY.pack
        return b"".join([pack(*entry) for entry in zip(self._timestamps[first:], self._offsets[first:])])

    def _decode(self, data: bytes) -> None:
        entries = list(_ENTRY.iter_unpack(data))
        self._timestamps = array("q", [timestamp for timestamp, _ in entries])
        self._offsets = array("i", [offset for _, offset in entries])
        timestamps, offsets = self._timestamps, self._offsets
        if (any(left >= right for left, right in zip(timestamps, timestamps[1:]))
                or any(left > right for left, right in zip(offsets, offsets[1:]))
                or offsets and offsets[0] < 0):
            raise CorruptIndexException("a time index is not in ascending order")

    def _truncate(self, count: int) -> None:
        """:origin: storage.internals.log.TimeIndex#truncate()"""
        del self._timestamps[count:]
        del self._offsets[count:]
