# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.AbstractIndex of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The common part of a segment's two indexes: entries of a fixed size, in memory and in a file.

DEVIATION D72: Kafka maps an index file into memory, and writes each entry at once. Here ``save`` writes the
entries since the last save. It runs when the segment is sealed, flushed after that, or closed. No entry is
lost: after an unclean stop, the indexes of every unflushed segment are rebuilt from its records, as in Kafka.
So an append writes one file instead of three, and an open log needs one descriptor.

Locks: ``_lock`` guards the entries, during one lookup or one append. ``_save_lock`` admits one save at a
time, and is taken first. No other lock is taken under either.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod

from kreactor.jdk.files import write_atomically, write_fully
from kreactor.jdk.floor import Floor
from kreactor.jdk.locks import Lock
from kreactor.storage.internals.log.corrupt_index_exception import CorruptIndexException


class AbstractIndex(ABC):
    """Entries in ascending order. Any thread looks up; the log's writer appends.

    :origin: storage.internals.log.AbstractIndex
    """

    __slots__ = ("_base_offset", "_max_entries", "_lock", "_save_lock", "_saved")

    ENTRY_SIZE: int

    def __init__(self, base_offset: int, max_index_bytes: int) -> None:
        """Start empty. ``max_index_bytes`` is the maximum size of the file.

        :origin: storage.internals.log.AbstractIndex#AbstractIndex(File, long, int, boolean)
        """
        self._base_offset = base_offset
        self._max_entries = max_index_bytes // self.ENTRY_SIZE
        self._lock = Lock()
        self._save_lock = Lock()
        # The number of leading entries that the file has in their current form.
        self._saved = 0

    @abstractmethod
    def _truncate(self, count: int) -> None:
        """Drop all entries except the first ``count``, and any partial entry. Called under the lock.

        :origin: storage.internals.log.AbstractIndex#truncate()
        """

    def is_full(self) -> bool:
        """Return whether a segment with this index accepts no further batch.

        :origin: storage.internals.log.AbstractIndex#isFull()
        """
        return self.entries() >= self._max_entries

    def load(self, path: str) -> None:
        """Load the entries of the file. Raises CorruptIndexException, FileNotFoundError or another
        OSError."""
        with Floor.io.open(path, "rb") as file:
            data = file.read()
        if len(data) % self.ENTRY_SIZE:
            raise CorruptIndexException(f"Index file {path} is corrupt, found {len(data)} bytes which is not "
                                        f"a multiple of {self.ENTRY_SIZE}")
        with self._lock:
            try:
                self._decode(data)
            except CorruptIndexException:
                self._truncate(0)
                raise
            self._saved = len(data) // self.ENTRY_SIZE

    @abstractmethod
    def entries(self) -> int:
        """Return the number of entries.

        :origin: storage.internals.log.AbstractIndex#entries()
        """
        # DEVIATION D72: the entries are in memory columns, which each subclass has.

    @abstractmethod
    def _encode(self, first: int) -> bytes:
        """Return the bytes of the entries from number ``first`` on. Called under the lock."""

    @abstractmethod
    def _decode(self, data: bytes) -> None:
        """Set the entries from ``data``, which has whole entries. Raises CorruptIndexException."""

    def size_in_bytes(self) -> int:
        """Return the size of the file with all entries.

        :origin: storage.internals.log.AbstractIndex#sizeInBytes()
        """
        return self.entries() * self.ENTRY_SIZE

    def reset(self) -> None:
        """Drop all entries; the next save writes a new file.

        :origin: storage.internals.log.AbstractIndex#reset()
        """
        self.truncate_to_entries(0)

    def truncate_to_entries(self, count: int) -> None:
        """Drop all entries except the first ``count``.

        :origin: storage.internals.log.AbstractIndex#truncateToEntries0(int)
        """
        with self._lock:
            self._truncate(count)
            self._saved = min(self._saved, count)

    def save(self, path: str, sync: bool) -> None:
        """Write the unsaved entries, and cut the file to size; make it durable with ``sync``. Raises
        OSError."""
        with self._save_lock:
            with self._lock:
                first, count = self._saved, self.entries()
                data = self._encode(first)
            fd = Floor.os.open(path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)
            try:
                write_fully(fd, data, first * self.ENTRY_SIZE)
                Floor.os.ftruncate(fd, count * self.ENTRY_SIZE)
                if sync:
                    Floor.os.fsync(fd)
            finally:
                Floor.os.close(fd)
            with self._lock:
                self._saved = count

    def save_anew(self, path: str) -> None:
        """Replace the file by one with all entries, durably. Raises OSError; then the file is unchanged.

        After a crash, the file is either the old one or complete.
        """
        with self._save_lock:
            with self._lock:
                count, data = self.entries(), self._encode(0)
            write_atomically(path, data)
            with self._lock:
                self._saved = count
