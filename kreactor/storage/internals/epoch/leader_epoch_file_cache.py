# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.epoch.LeaderEpochFileCache of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The start offset of each leader epoch of a partition: ``leader-epoch-checkpoint``.

Each election of a leader in a cluster begins a new epoch (D325). A broker without a cluster elects no leader:
a new log keeps epoch 0, and a log from a Kafka cluster keeps its latest epoch.

DEVIATION D453: the entries are an immutable tuple, and the caller's thread writes the file. Kafka has a map,
a lock, and a scheduler that writes.

Locks: changes are made under the log's lock. The entries are a tuple that is replaced, so any thread reads
without a lock. A new epoch is in the file before its first batch is in the log. If the file has lost an
epoch, recovery restores it from the batches.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.server.common.checkpoint_file import read_checkpoint, write_checkpoint

FILE_NAME = "leader-epoch-checkpoint"

UNDEFINED_EPOCH = -1
UNDEFINED_EPOCH_OFFSET = -1

log = LogContext().logger(f"{__name__}.LeaderEpochFileCache")


class LeaderEpochFileCache:
    """Epochs and their start offsets, both ascending.

    :origin: storage.internals.epoch.LeaderEpochFileCache
    """

    __slots__ = ("_path", "_entries")

    def __init__(self, path: str) -> None:
        """Read the file at ``path``, if it exists; an unreadable file counts as missing.

        :origin: storage.internals.epoch.LeaderEpochFileCache#LeaderEpochFileCache(TopicPartition, LeaderEpochCheckpointFile, Scheduler)
        :origin: storage.internals.epoch.LeaderEpochFileCache#LeaderEpochFileCache(List<EpochEntry>, TopicPartition, LeaderEpochCheckpointFile, Scheduler)
        """  # noqa: E501
        self._path = path
        entries: list[tuple[int, int]] = []
        try:
            for epoch, offset in read_checkpoint(path):
                _assign(entries, int(epoch), int(offset))
        except (OSError, ValueError, IllegalArgumentException) as e:
            log.warn("%s cannot be read (%s); the epochs are taken from the records", path, e)
            entries = []
        self._entries = tuple(entries)

    def assign(self, epoch: int, start_offset: int, sync: bool = True) -> None:
        """Record that ``epoch`` begins at ``start_offset``, unless it is already the latest epoch.

        Contradicting entries are removed. Raises OSError if the file cannot be written, or
        IllegalArgumentException for a negative number; then nothing changes.

        :origin: storage.internals.epoch.LeaderEpochFileCache#assign(int, long)
        :origin: storage.internals.epoch.LeaderEpochFileCache#assign(EpochEntry)
        """
        entries = list(self._entries)
        if _assign(entries, epoch, start_offset):
            self._write(tuple(entries), sync)

    def assign_all(self, entries: Iterable[tuple[int, int]], sync: bool = True) -> None:
        """Record epochs and their start offsets, in one write of the file. Raises as ``assign`` does.

        :origin: storage.internals.epoch.LeaderEpochFileCache#assign(List<EpochEntry>)
        """
        assigned = list(self._entries)
        if any([_assign(assigned, epoch, start_offset) for epoch, start_offset in entries]):
            self._write(tuple(assigned), sync)

    def latest_epoch(self) -> int | None:
        """Return the latest epoch, or None.

        :origin: storage.internals.epoch.LeaderEpochFileCache#latestEpoch()
        """
        entries = self._entries
        return entries[-1][0] if entries else None

    def earliest_entry(self) -> tuple[int, int] | None:
        """Return the first epoch and its start offset, or None.

        :origin: storage.internals.epoch.LeaderEpochFileCache#earliestEntry()
        """
        entries = self._entries
        return entries[0] if entries else None

    def end_offset_for(self, requested_epoch: int, log_end_offset: int) -> tuple[int, int]:
        """Return the largest epoch up to the requested one, and its end offset; -1 and -1 if unknown.

        An epoch before all known ones ends where the first known epoch begins.

        :origin: storage.internals.epoch.LeaderEpochFileCache#endOffsetFor(int, long)
        """
        entries = self._entries
        if requested_epoch == UNDEFINED_EPOCH or not entries or requested_epoch > entries[-1][0]:
            return UNDEFINED_EPOCH, UNDEFINED_EPOCH_OFFSET
        if requested_epoch == entries[-1][0]:
            return requested_epoch, log_end_offset
        higher = bisect_right(entries, requested_epoch, key=_epoch)
        floor_epoch = entries[higher - 1][0] if higher > 0 else requested_epoch
        return floor_epoch, entries[higher][1]

    def truncate_from_end(self, end_offset: int) -> None:
        """Remove epochs that begin at ``end_offset`` or later; none for a negative, hence unknown, offset.

        :origin: storage.internals.epoch.LeaderEpochFileCache#truncateFromEndAsyncFlush(long)
        """
        kept = tuple(entry for entry in self._entries if entry[1] < end_offset)
        if end_offset >= 0 and kept != self._entries:
            self._write_quietly(kept)

    def truncate_from_start(self, start_offset: int, sync: bool = False) -> None:
        """Remove epochs that end before ``start_offset``; the epoch of that offset begins there now.

        ``sync`` is True if no batch has a remaining epoch, so that recovery could not restore the file.

        :origin: storage.internals.epoch.LeaderEpochFileCache#truncateFromStartAsyncFlush(long)
        """
        entries = self._entries
        slot = bisect_right(entries, start_offset, key=_start_offset) - 1
        if slot >= 0 and entries[slot][1] < start_offset:
            self._write_quietly(((entries[slot][0], start_offset), *entries[slot + 1:]), sync)
        elif slot > 0:
            self._write_quietly(entries[slot:], sync)

    def update_parent_dir(self, directory: str) -> None:
        """Follow the renamed folder of the log."""
        self._path = f"{directory}/{FILE_NAME}"

    def epoch_for_offset(self, offset: int) -> int | None:
        """Return the epoch of ``offset``, or None if the offset is before all known epochs.

        :origin: storage.internals.epoch.LeaderEpochFileCache#epochForOffset(long)
        """
        entries = self._entries
        slot = bisect_right(entries, offset, key=_start_offset) - 1
        return entries[slot][0] if slot >= 0 else None

    def entries(self) -> tuple[tuple[int, int], ...]:
        """Return all epochs with their start offsets.

        :origin: storage.internals.epoch.LeaderEpochFileCache#epochEntries()
        """
        return self._entries

    def _write(self, entries: tuple[tuple[int, int], ...], sync: bool) -> None:
        """:origin: storage.internals.epoch.LeaderEpochFileCache#writeToFile()"""
        write_checkpoint(self._path, (f"{epoch} {offset}" for epoch, offset in entries), sync)
        self._entries = entries

    def _write_quietly(self, entries: tuple[tuple[int, int], ...], sync: bool = False) -> None:
        """Remove entries. If the file cannot be written, its surplus entries are removed again when it is
        read.

        :origin: storage.internals.epoch.LeaderEpochFileCache#writeToFileForTruncation()
        """
        try:
            self._write(entries, sync)
        except OSError as e:
            log.warn("failed to write %s: %s", self._path, e)
            self._entries = entries


def _assign(entries: list[tuple[int, int]], epoch: int, start_offset: int) -> bool:
    """Add an entry, and remove the contradicting ones; return whether anything changed.

    The entries ascend in both numbers, so the contradicting ones are the last. Raises
    IllegalArgumentException for a negative number.
    """
    if epoch < 0 or start_offset < 0:
        raise IllegalArgumentException(f"Received invalid partition leader epoch entry: epoch {epoch} at "
                                       f"offset {start_offset}")
    if entries and entries[-1][0] == epoch and entries[-1][1] <= start_offset:
        return False
    while entries and (entries[-1][0] >= epoch or entries[-1][1] >= start_offset):
        entries.pop()
    entries.append((epoch, start_offset))
    return True


def _epoch(entry: tuple[int, int]) -> int:
    return entry[0]


def _start_offset(entry: tuple[int, int]) -> int:
    return entry[1]
