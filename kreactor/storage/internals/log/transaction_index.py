# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.TransactionIndex of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The aborted transactions of a segment: ``.txnindex``, entries of 2 + 8 + 8 + 8 + 8 bytes.

An entry is in the segment that has the marker, wherever the transaction began. A segment without aborted
transactions has no file. A reader of committed records gets all aborted transactions that overlap its
records. It searches the segment of its first record and the following ones. Each entry has the last stable
offset of the moment of its marker, which tells when all overlapping transactions are found.
"""

from __future__ import annotations

import struct
from bisect import bisect_left

from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.floor import Floor
from kreactor.storage.internals.log.aborted_txn import AbortedTxn
from kreactor.storage.internals.log.abstract_index import AbstractIndex
from kreactor.storage.internals.log.corrupt_index_exception import CorruptIndexException

CURRENT_VERSION = 0

_ENTRY = struct.Struct(">hqqqq")
_LAST_OFFSET = struct.Struct(">q")
_LAST_OFFSET_OFFSET = 18
_MAX_BYTES = 2**31 - 1


class TransactionIndex(AbstractIndex):
    """The aborted transactions of a segment, in the order of their markers.

    :origin: storage.internals.log.TransactionIndex
    """

    __slots__ = ("_data",)

    ENTRY_SIZE = _ENTRY.size

    def __init__(self, base_offset: int) -> None:
        """:origin: storage.internals.log.TransactionIndex#TransactionIndex(long, File)"""
        super().__init__(base_offset, _MAX_BYTES)
        # In the form of the file, because a log may have had millions of them.
        self._data = bytearray()

    def entries(self) -> int:
        return len(self._data) // self.ENTRY_SIZE

    def append(self, aborted_txn: AbortedTxn) -> None:
        """Append an entry. Raises IllegalArgumentException if its marker is not after the last entry's.

        :origin: storage.internals.log.TransactionIndex#append(AbortedTxn)
        """
        with self._lock:
            count = self.entries()
            if count and self._last_offset(count - 1) >= aborted_txn.last_offset:
                raise IllegalArgumentException(
                    "The last offset of appended transactions must increase sequentially, but "
                    f"{aborted_txn.last_offset} is not greater than current last offset "
                    f"{self._last_offset(count - 1)} of the index of segment {self._base_offset}")
            self._data += _ENTRY.pack(CURRENT_VERSION, *aborted_txn)

    def all_aborted_txns(self) -> list[AbortedTxn]:
        """Return all entries.

        :origin: storage.internals.log.TransactionIndex#allAbortedTxns()
        """
        with self._lock:
            return [AbortedTxn(*fields) for _, *fields in _ENTRY.iter_unpack(self._data)]

    def collect_aborted_txns(self, fetch_offset: int,
                             upper_bound_offset: int) -> tuple[list[AbortedTxn], bool]:
        """Return the transactions that overlap the offsets from ``fetch_offset`` up to, but excluding, the
        bound.

        Also returns whether these are all, so that later segments need not be searched.

        :origin: storage.internals.log.TransactionIndex#collectAbortedTxns(long, long)
        """
        found = []
        with self._lock:
            # An earlier entry's last stable offset is not beyond its marker, so not beyond the bound.
            count = self.entries()
            for number in range(bisect_left(range(count), fetch_offset, key=self._last_offset), count):
                _, *fields = _ENTRY.unpack_from(self._data, number * self.ENTRY_SIZE)
                aborted_txn = AbortedTxn(*fields)
                if aborted_txn.first_offset < upper_bound_offset:
                    found.append(aborted_txn)
                if aborted_txn.last_stable_offset >= upper_bound_offset:
                    return found, True
        return found, False

    def save(self, path: str, sync: bool) -> None:
        """As for the other indexes. Without entries, only an existing file is written, and becomes empty."""
        if self._data or Floor.os.path.exists(path):
            super().save(path, sync)

    def _last_offset(self, number: int) -> int:
        offset: int
        offset, = _LAST_OFFSET.unpack_from(self._data, number * self.ENTRY_SIZE + _LAST_OFFSET_OFFSET)
        return offset

    def _encode(self, first: int) -> bytes:
        return bytes(self._data[first * self.ENTRY_SIZE:])

    def _decode(self, data: bytes) -> None:
        previous = self._base_offset - 1
        for version, _, _, last_offset, _ in _ENTRY.iter_unpack(data):
            if version != CURRENT_VERSION:
                raise CorruptIndexException(f"there is no aborted transaction of version {version}")
            if last_offset <= previous:
                raise CorruptIndexException(f"the marker of an aborted transaction at {last_offset} does not "
                                            f"come after {previous}")
            previous = last_offset
        self._data = bytearray(data)

    def _truncate(self, count: int) -> None:
        del self._data[count * self.ENTRY_SIZE:]
