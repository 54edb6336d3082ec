# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.LogSegment of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A part of a log: one file of batches, two sparse indexes by offset and by time, and an index of aborted
transactions.

The last segment of a log is the active one: it is written, and its file stays open. The others are sealed:
they never change any more, and their files are open only while they are read (see ``open_files``).

Locks: one thread writes, under the log's lock. Any thread reads, up to the end of the log that it read
before. Bytes after that end do not belong to the log yet. ``_index_lock`` lets one thread load the indexes of
a segment that was not used since the start. The indexes have locks of their own.
"""

from __future__ import annotations

import os
from typing import NoReturn

from kreactor.common.errors import CorruptRecordException, InvalidOffsetException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.record.file_records import FileRecords
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.jdk.exceptions import ClosedChannelException, IllegalArgumentException
from kreactor.jdk.floor import Floor
from kreactor.jdk.locks import ReentrantLock
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import FileChannel, SocketChannel
from kreactor.storage.internals.log import batch_scan
from kreactor.storage.internals.log.aborted_txn import AbortedTxn
from kreactor.storage.internals.log.corrupt_index_exception import CorruptIndexException
from kreactor.storage.internals.log.fetch_data_info import FetchDataInfo
from kreactor.storage.internals.log.log_config import MAX_LONG, LogConfig
from kreactor.storage.internals.log.log_file import LogFile
from kreactor.storage.internals.log.log_file_utils import (
    DELETED_SUFFIX,
    INDEX_SUFFIX,
    LOG_SUFFIX,
    TIME_INDEX_SUFFIX,
    TXN_INDEX_SUFFIX,
    file_name,
)
from kreactor.storage.internals.log.log_offset_metadata import LogOffsetMetadata
from kreactor.storage.internals.log.log_segment_offset_overflow_exception import (
    LogSegmentOffsetOverflowException,
)
from kreactor.storage.internals.log.offset_index import OffsetIndex
from kreactor.storage.internals.log.open_files import OpenFiles
from kreactor.storage.internals.log.time_index import TimeIndex
from kreactor.storage.internals.log.transaction_index import TransactionIndex

MAX_SEGMENT_BYTES = 2**31 - 1
_MAX_INT = 2**31 - 1

_NO_TIMESTAMP = RecordBatch.NO_TIMESTAMP
_SUFFIXES = (LOG_SUFFIX, INDEX_SUFFIX, TIME_INDEX_SUFFIX, TXN_INDEX_SUFFIX)

log = LogContext().logger(f"{__name__}.LogSegment")


class SegmentChannel(FileChannel):
    """The channel of one segment. Each read holds the segment's open file while it lasts.

    The object holds no descriptor. So it needs no closing, and a response that a client reads slowly keeps no
    file open. Reads raise FileNotFoundError once the segment's file is deleted, and ClosedChannelException
    once the segment is closed. For use by any thread.
    """

    __slots__ = ("_segment",)

    def __init__(self, segment: LogSegment) -> None:
        super().__init__(-1, segment.path())
        self._segment = segment

    def is_open(self) -> bool:
        """Return whether the segment is open."""
        return not self._segment.is_closed()

    def size(self) -> int:
        """Return the length of the file in bytes. Raises OSError."""
        file = self._segment.hold()
        try:
            return file.size()
        finally:
            file.release()

    def read(self, dst: ByteBuffer, position: int) -> int:
        """Read into ``dst`` from ``position``; return the bytes read, -1 at the file's end. Raises OSError.
        """
        file = self._segment.hold()
        try:
            return file.read(dst, position)
        finally:
            file.release()

    def read_at(self, count: int, position: int) -> bytes:
        """Return ``count`` bytes from ``position``; fewer only at the end of the file. Raises OSError."""
        file = self._segment.hold()
        try:
            return file.read_at(count, position)
        finally:
            file.release()

    def transfer_to(self, position: int, count: int, target: SocketChannel) -> int:
        """Send up to ``count`` bytes from ``position`` to a socket; return how many. Raises OSError."""
        file = self._segment.hold()
        try:
            return file.transfer_to(position, count, target)
        finally:
            file.release()

    def force(self, metadata: bool) -> None:
        """Make the written bytes durable. Raises OSError."""
        file = self._segment.hold()
        try:
            file.force(metadata)
        finally:
            file.release()

    def close(self) -> None:
        """Do nothing: the segment owns the file."""

    def __str__(self) -> str:
        return f"SegmentChannel[{self._segment.path()}]"


class LogSegment:
    """The batches from the base offset up to the start of the next segment.

    :origin: storage.internals.log.LogSegment
    """

    __slots__ = ("_directory", "_suffix", "_log_path", "_base_offset", "_config", "_max_segment_ms", "_files",
                 "_time", "_file", "_channel", "_closed", "_size", "_last_batch",
                 "_bytes_since_last_index_entry", "_max_timestamp_and_offset",
                 "_rolling_based_timestamp", "_created_ms", "_roll_jitter_ms", "_index_lock", "_offset_index",
                 "_time_index", "_txn_index")

    def __init__(self, directory: str, base_offset: int, config: LogConfig, files: OpenFiles, time: Time,
                 size: int, suffix: str = "") -> None:
        """Callers use ``create`` and ``open`` instead. ``size`` is the size of the file.

        :origin: storage.internals.log.LogSegment#LogSegment(FileRecords, LazyIndex<OffsetIndex>, LazyIndex<TimeIndex>, TransactionIndex, long, int, long, Time)
        """  # noqa: E501
        self._directory = directory
        # The suffix of all files' names.
        self._suffix = suffix
        self._log_path = os.path.join(directory, file_name(base_offset, LOG_SUFFIX)) + suffix
        self._base_offset = base_offset
        self._config = config
        self._max_segment_ms = config.max_segment_ms()
        self._files = files
        self._time = time
        # The open file of an active segment; this object is one holder of it. Written under the log's lock,
        # read by any thread.
        self._file: LogFile | None = None
        self._closed = False
        self._channel = SegmentChannel(self)
        self._size = size
        # Base offset, last offset, position and size of the last appended batch, which most readers want.
        self._last_batch: tuple[int, int, int, int] | None = None
        # The latest time and its offset; None for a sealed segment until the first use.
        self._max_timestamp_and_offset: tuple[int, int] | None = None
        # Guarded by the log's lock.
        self._bytes_since_last_index_entry = 0
        self._rolling_based_timestamp: int | None = None
        self._created_ms = time.milliseconds()
        self._roll_jitter_ms = config.random_segment_jitter()
        # None while the segment has no aborted transaction. Read by any thread.
        self._txn_index: TransactionIndex | None = None
        # Set once, under the index lock.
        self._index_lock = ReentrantLock()
        self._offset_index: OffsetIndex | None = None
        self._time_index: TimeIndex | None = None

    @staticmethod
    def create(directory: str, base_offset: int, config: LogConfig, files: OpenFiles, time: Time,
               suffix: str = "") -> LogSegment:
        """Return a new active segment. Files of this name from before a crash are deleted. Raises OSError."""
        segment = LogSegment(directory, base_offset, config, files, time, 0, suffix)
        for suffix in _SUFFIXES[1:]:
            _remove(segment.path(suffix))
        segment._offset_index = OffsetIndex(base_offset, config.max_index_size)
        segment._time_index = TimeIndex(base_offset, config.max_index_size)
        segment._max_timestamp_and_offset = (_NO_TIMESTAMP, base_offset)
        segment._file = files.open(segment.path(), os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        return segment

    def offset_index(self) -> OffsetIndex:
        """Return the offset index; load it first if needed. Raises OSError.

        :origin: storage.internals.log.LogSegment#offsetIndex()
        """
        index = self._offset_index
        return self._load_indexes()[0] if index is None else index

    def time_index(self) -> TimeIndex:
        """Return the time index; load it first if needed. Raises OSError.

        :origin: storage.internals.log.LogSegment#timeIndex()
        """
        index = self._time_index
        return self._load_indexes()[1] if index is None else index

    def base_offset(self) -> int:
        """Return the base offset, which is in the files' names.

        :origin: storage.internals.log.LogSegment#baseOffset()
        """
        return self._base_offset

    def txn_index(self) -> TransactionIndex | None:
        """Return the index of aborted transactions, None if there is none.

        :origin: storage.internals.log.LogSegment#txnIndex()
        """
        return self._txn_index

    def should_roll(self, message_size: int, max_timestamp: int, last_offset: int, now: int) -> bool:
        """Return whether a batch needs a new segment: this one is full, too old, or cannot have the batch's
        offset.

        :origin: storage.internals.log.LogSegment#shouldRoll(RollParams)
        """
        size = self._size
        config = self._config
        time_index, offset_index = self._time_index, self._offset_index
        if time_index is None or offset_index is None:
            offset_index, time_index = self._load_indexes()
        return (size > config.segment_size - message_size
                or size > 0 and (self._time_waited_for_roll(now, max_timestamp)
                                 > self._max_segment_ms - self._roll_jitter_ms)
                or time_index.is_full() or not offset_index.has_room_for(last_offset))

    def max_timestamp_and_offset(self) -> tuple[int, int]:
        """Return the latest time, and the last offset of the first batch with that time; -1 and the base
        offset if there is none.

        :origin: storage.internals.log.LogSegment#readMaxTimestampAndOffsetSoFar()
        """
        latest = self._max_timestamp_and_offset
        if latest is None:
            self._max_timestamp_and_offset = latest = self.time_index().last_entry()
        return latest

    def size(self) -> int:
        """Return the size of all whole batches in bytes.

        :origin: storage.internals.log.LogSegment#size()
        """
        return self._size

    def path(self, suffix: str = LOG_SUFFIX) -> str:
        """Return the current path of one of the segment's files."""
        if suffix is LOG_SUFFIX:
            return self._log_path
        return os.path.join(self._directory, file_name(self._base_offset, suffix)) + self._suffix

    def channel(self) -> SegmentChannel:
        """Return the channel that all reads share."""
        return self._channel

    def hold(self) -> LogFile:
        """Return the open file, opened if needed, with the caller as a further holder, who must release it.

        Raises ClosedChannelException once the segment is closed, or OSError, FileNotFoundError if the file is
        deleted.
        """
        file = self._file
        if file is not None and file.hold():
            return file
        if self._closed:
            raise ClosedChannelException(f"{self._log_path} is closed")
        return self._files.hold(self)

    def is_closed(self) -> bool:
        """Return whether the segment is closed for good."""
        return self._closed

    def append(self, batch: memoryview, base_offset: int, last_offset: int, max_timestamp: int) -> None:
        """Append one batch. After an exception the segment is unchanged; its file is unchanged after
        ``discard_partial_write``.

        Raises LogSegmentOffsetOverflowException, or OSError, ClosedChannelException unless the segment is the
        active one of an open log.

        :origin: storage.internals.log.LogSegment#append(long, long, long, MemoryRecords)
        """
        file = self._file
        if file is None:
            raise ClosedChannelException(f"{self._log_path} is not open for writing")
        if not 0 <= last_offset - self._base_offset <= _MAX_INT:
            self._refuse_offset(last_offset)
        position = self._size
        size = len(batch)
        latest = self._max_timestamp_and_offset or self.max_timestamp_and_offset()
        if max_timestamp > latest[0]:
            latest = (max_timestamp, last_offset)
        file.write(batch, position)
        if self._bytes_since_last_index_entry > self._config.index_interval:
            self._add_index_entries(last_offset, position, latest)
            self._bytes_since_last_index_entry = 0
        # No calls from here on, so nothing can fail.
        self._max_timestamp_and_offset = latest
        if position == 0:
            self._rolling_based_timestamp = max_timestamp
        self._bytes_since_last_index_entry += size
        self._last_batch = (base_offset, last_offset, position, size)
        self._size = position + size

    def _refuse_offset(self, offset: int) -> NoReturn:
        """:origin: storage.internals.log.LogSegment#ensureOffsetInRange(long)"""
        raise LogSegmentOffsetOverflowException(self, offset)

    def append_records(self, records: MemoryRecords) -> None:
        """Append whole batches that have their offsets: those that the cleaner retains.

        DEVIATION D295: Kafka's cleaner adds at most one index entry per write. Here each batch may have one,
        as in an append.

        Raises LogSegmentOffsetOverflowException, or OSError; then some of the batches may be in the segment.
        """
        file = self._file
        assert file is not None, "only the active segment is written"
        view = records.buffer().view()
        file.write(view, self._size)
        offset_index = self.offset_index()
        for batch in records.batches():
            base_offset, last_offset, size = batch.base_offset(), batch.last_offset(), batch.size_in_bytes()
            if not offset_index.can_append_offset(last_offset):
                self._refuse_offset(last_offset)
            position = self._size
            latest = self.max_timestamp_and_offset()
            if batch.max_timestamp() > latest[0]:
                self._max_timestamp_and_offset = latest = (batch.max_timestamp(), last_offset)
            if self._bytes_since_last_index_entry > self._config.index_interval:
                self._add_index_entries(last_offset, position, latest)
                self._bytes_since_last_index_entry = 0
            self._bytes_since_last_index_entry += size
            self._last_batch = (base_offset, last_offset, position, size)
            self._size = position + size

    def _add_index_entries(self, last_offset: int, position: int, latest: tuple[int, int]) -> None:
        """Add an entry to both indexes. After an exception both are unchanged."""
        offset_index, time_index = self.offset_index(), self.time_index()
        of_offsets, of_times = offset_index.entries(), time_index.entries()
        try:
            if not offset_index.is_full():
                offset_index.append(last_offset, position)
            if not time_index.is_full():
                time_index.maybe_append(*latest)
        except BaseException:
            offset_index.truncate_to_entries(of_offsets)
            time_index.truncate_to_entries(of_times)
            raise

    def update_txn_index(self, aborted_txn: AbortedTxn) -> None:
        """Add a transaction whose marker is in this segment.

        :origin: storage.internals.log.LogSegment#updateTxnIndex(CompletedTxn, long)
        """
        if self._txn_index is None:
            self._txn_index = TransactionIndex(self._base_offset)
        self._txn_index.append(aborted_txn)

    def update_config(self, config: LogConfig) -> None:
        """Apply ``config`` from now on; an index keeps its initial maximum size."""
        self._config = config
        self._max_segment_ms = config.max_segment_ms()

    def discard_partial_write(self) -> None:
        """Cut a partial write of a failed append off the file. Raises OSError."""
        file = self._file
        assert file is not None, "only the active segment is written"
        file.truncate(self._size)

    def locate(self, offset: int, end: int) -> tuple[int, int] | None:
        """Return position and size of the first batch that ends at ``offset`` or later, or None.

        ``end`` is the position up to which the caller may read, where a batch ends. Raises OSError, or
        CorruptRecordException.

        :origin: storage.internals.log.LogSegment#translateOffset(long)
        :origin: storage.internals.log.LogSegment#translateOffset(long, int)
        """
        last = self._last_batch
        if last is not None and last[0] <= offset <= last[1] and last[2] < end:
            return last[2], last[3]
        mapping = self.offset_index().lookup(offset)
        return batch_scan.find(self._channel, offset, mapping[1], end)

    def slice(self, position: int, size: int) -> FileRecords:
        """Return a slice of the file."""
        return FileRecords(self._log_path, self._channel, position, position + size, True)

    def read(self, start_offset: int, max_size: int, max_position: int | None,
             min_one_message: bool = False) -> FetchDataInfo | None:
        """Return up to ``max_size`` bytes from the batch of ``start_offset`` on, in place in the file.

        ``max_position`` is the end of the caller's view of the segment, at the end of a batch. None means
        that the end is in an earlier segment, or unknown: then the result has a position, but no records.
        With ``min_one_message``, the first batch is complete, whatever its size. Returns None if all offsets
        are smaller. Raises IllegalArgumentException for a negative size, OSError, or CorruptRecordException.

        :origin: storage.internals.log.LogSegment#read(long, int)
        :origin: storage.internals.log.LogSegment#read(long, int, long)
        :origin: storage.internals.log.LogSegment#read(long, int, Optional<Long>, boolean)
        """
        if max_size < 0:
            raise IllegalArgumentException(
                f"Invalid max size {max_size} for log read from segment {self._log_path}")

        start_offset_and_size = self.locate(
            start_offset, self._size if max_position is None else max_position)

        if start_offset_and_size is None:
            return None

        start_position, size = start_offset_and_size
        offset_metadata = LogOffsetMetadata(start_offset, self._base_offset, start_position)

        adjusted_max_size = size if min_one_message and size > max_size else max_size

        if adjusted_max_size == 0 or max_position is None:
            return FetchDataInfo(offset_metadata, MemoryRecords.EMPTY)

        fetch_size = max_position - start_position
        if fetch_size > adjusted_max_size:
            fetch_size = adjusted_max_size

        return FetchDataInfo(offset_metadata, self.slice(start_position, fetch_size),
                             adjusted_max_size < size)

    def fetch_upper_bound_offset(self, position: int) -> int | None:
        """Return an offset beyond all batches before ``position``; None if the index does not reach so far.

        Raises OSError.

        :origin: storage.internals.log.LogSegment#fetchUpperBoundOffset(OffsetPosition, int)
        """
        return self.offset_index().fetch_upper_bound_offset(position)

    def finish_recovery(self, valid_bytes: int, indexer: _Indexer) -> int:
        """Cut the file after its valid batches, and write the indexes; return the number of bytes cut. Raises
        OSError.

        :origin: storage.internals.log.LogSegment#recover(ProducerStateManager, Optional<LeaderEpochFileCache>)
        """  # noqa: E501
        cut = self._size - valid_bytes
        if cut > 0:
            self._files.forget(self)
            file = self._files.open(self.path(), os.O_RDWR)
            try:
                file.truncate(valid_bytes)
                file.force(True)
            finally:
                file.release()
            self._size = valid_bytes
        self._max_timestamp_and_offset = indexer.latest
        self.save_indexes(sync=False)
        return cut

    def __repr__(self) -> str:
        """:origin: storage.internals.log.LogSegment#toString()"""
        return f"LogSegment(base_offset={self._base_offset}, size={self._size})"

    def next_offset(self) -> int:
        """Return the offset after the last record, searched from the last index entry on. Raises OSError.

        :origin: storage.internals.log.LogSegment#readNextOffset()
        """
        next_offset = self._base_offset
        _, position = self.offset_index().last_entry()
        for batch in batch_scan.scan(self._channel, position, self._size, False):
            next_offset = batch.last_offset + 1
        return next_offset

    def flush(self) -> None:
        """Make the batches durable, and the indexes of a sealed segment. Called by any thread. Raises
        OSError.

        :origin: storage.internals.log.LogSegment#flush()
        """
        sealed = self._file is None
        self._channel.force(True)
        if sealed:
            self.save_indexes(sync=True)

    def release(self) -> None:
        """Close the file, or let a running read close it. A later read opens it again."""
        file, self._file = self._file, None
        if file is not None:
            file.release()
        self._files.forget(self)

    def keep_open(self) -> None:
        """Keep the file open until ``close``, even after its deletion. Raises OSError."""
        if self._file is None:
            self._file = self._files.hold(self)
            self._files.forget(self)

    def update_parent_dir(self, directory: str) -> None:
        """Follow the renamed folder of the log; called in the context of ``OpenFiles.renaming``.

        :origin: storage.internals.log.LogSegment#updateParentDir(File)
        """
        self._directory = directory
        self._log_path = os.path.join(directory, os.path.basename(self._log_path))

    def change_file_suffixes(self, old_suffix: str, new_suffix: str) -> None:
        """Rename all files, the batches' file first.

        Raises OSError. Then the other files that were not renamed cannot be found any more.

        :origin: storage.internals.log.LogSegment#changeFileSuffixes(String, String)
        """
        with self._files.renaming():
            for suffix in _SUFFIXES:
                path = os.path.join(self._directory, file_name(self._base_offset, suffix))
                try:
                    Floor.os.rename(path + old_suffix, path + new_suffix)
                except FileNotFoundError:
                    if suffix is LOG_SUFFIX:
                        raise
                if suffix is LOG_SUFFIX:
                    self._log_path, self._suffix = path + new_suffix, new_suffix

    def has_suffix(self, suffix: str) -> bool:
        """Return whether the files' names end with ``suffix``.

        :origin: storage.internals.log.LogSegment#hasSuffix(String)
        """
        return self._suffix.endswith(suffix)

    def mark_deleted(self) -> None:
        """Rename all files to unique names for deletion. Raises OSError."""
        with self._files.renaming():
            suffix, number = DELETED_SUFFIX, 1
            # An earlier segment of this base offset may still await its deletion, and serve responses from
            # its file.
            while Floor.os.path.exists(self._log_path + suffix):
                suffix, number = f".{number}{DELETED_SUFFIX}", number + 1
            self.change_file_suffixes(self._suffix, self._suffix + suffix)

    def seal(self) -> None:
        """Make the segment inactive.

        :origin: storage.internals.log.LogSegment#onBecomeInactiveSegment()
        """
        file = self._file
        if file is not None:
            # In this order, so that a read between the two steps finds the file open.
            self._files.put(self, file)
            self._file = None

    def _load_first_batch_timestamp(self) -> int:
        """Return the time of the first batch, -1 if there is none. Raises OSError.

        :origin: storage.internals.log.LogSegment#loadFirstBatchTimestamp()
        """
        first = self._rolling_based_timestamp
        if first is None:
            batch = next(batch_scan.scan(self._channel, 0, self._size, False), None)
            if batch is None:
                return _NO_TIMESTAMP
            self._rolling_based_timestamp = first = batch.max_timestamp
        return first

    def _time_waited_for_roll(self, now: int, message_timestamp: int) -> int:
        """Return by how much a batch is later than the first one; by the batches' own timestamps, if they
        have any.

        :origin: storage.internals.log.LogSegment#timeWaitedForRoll(long, long)
        """
        first = self._rolling_based_timestamp
        if first is None:
            first = self._load_first_batch_timestamp()
        return message_timestamp - first if first >= 0 else now - self._created_ms

    def first_batch_timestamp(self) -> int:
        """Return the time of the first batch, the largest long if there is no batch or no time.

        Raises OSError.

        :origin: storage.internals.log.LogSegment#getFirstBatchTimestamp()
        """
        first = self._load_first_batch_timestamp()
        return first if first >= 0 else MAX_LONG

    def activate(self) -> None:
        """Open the file of the last segment for writing. Raises OSError."""
        # From here on, only appends change the time.
        self._max_timestamp_and_offset = self.max_timestamp_and_offset()
        self._file = self._files.open(self.path(), os.O_RDWR | os.O_CREAT)
        self._files.forget(self)

    def save_indexes(self, sync: bool) -> None:
        """Write the indexes of a sealed or closed segment, including the latest time. Raises OSError."""
        timestamp, offset = self.max_timestamp_and_offset()
        time_index = self.time_index()
        if timestamp >= 0:
            time_index.maybe_append(timestamp, offset, skip_full_check=True)
        self.offset_index().save(self.path(INDEX_SUFFIX), sync)
        time_index.save(self.path(TIME_INDEX_SUFFIX), sync)
        if self._txn_index is not None:
            self._txn_index.save(self.path(TXN_INDEX_SUFFIX), sync)

    def find_offset_by_timestamp(self, timestamp: int, starting_offset: int, end: int
                                 ) -> FileRecords.TimestampAndOffset | None:
        """Return the first record of ``starting_offset`` or later and ``timestamp`` or later, or None.

        Raises OSError, CorruptRecordException, or KafkaException.

        :origin: storage.internals.log.LogSegment#findOffsetByTimestamp(long, long)
        """
        _, offset = self.time_index().lookup(timestamp)
        _, position = self.offset_index().lookup(max(offset, starting_offset))
        return self.slice(0, end).search_for_timestamp(timestamp, position, starting_offset)

    def find_offset_of_max_timestamp(self, end: int) -> tuple[int, int, int] | None:
        """Return time, offset and leader epoch of the first record with the latest time, or None.

        Raises OSError, CorruptRecordException, or KafkaException.
        """
        timestamp, offset = self.max_timestamp_and_offset()
        _, position = self.offset_index().lookup(offset)
        for batch in self.slice(0, end).batches_from(position):
            if batch.max_timestamp() == timestamp:
                found = batch.offset_of_max_timestamp()
                return None if found is None else (timestamp, found, batch.partition_leader_epoch())
        return None

    def close(self) -> None:
        """Close the file for good. A second call does nothing.

        :origin: storage.internals.log.LogSegment#close()
        """
        self._closed = True
        self.release()

    def delete_files(self) -> None:
        """Close the segment and delete all its files. Raises OSError.

        :origin: storage.internals.log.LogSegment#deleteIfExists()
        """
        self.close()
        for suffix in _SUFFIXES:
            _remove(self.path(suffix))

    def discard(self, *suffixes: str) -> None:
        """Close a segment that no log has, and delete its files under all these names. Raises OSError."""
        self.close()
        for each in suffixes:
            for suffix in _SUFFIXES:
                _remove(os.path.join(self._directory, file_name(self._base_offset, suffix)) + each)

    def last_modified_ms(self) -> int:
        """Return when the file was last written. Raises OSError.

        :origin: storage.internals.log.LogSegment#lastModified()
        """
        return Floor.os.stat(self.path()).st_mtime_ns // 1_000_000

    def largest_timestamp(self) -> int:
        """Return the latest time, or the file's time if no record has one. Raises OSError.

        :origin: storage.internals.log.LogSegment#largestTimestamp()
        :origin: storage.internals.log.LogSegment#largestRecordTimestamp()
        """
        timestamp = self.max_timestamp_and_offset()[0]
        return timestamp if timestamp >= 0 else self.last_modified_ms()

    def set_last_modified_ms(self, last_modified_ms: int) -> None:
        """Set the file's time of modification. Raises OSError.

        :origin: storage.internals.log.LogSegment#setLastModified(long)
        """
        Floor.os.utime(self.path(), ns=(last_modified_ms * 1_000_000,) * 2)

    @staticmethod
    def open(directory: str, base_offset: int, config: LogConfig, files: OpenFiles, time: Time,
             suffix: str = "") -> LogSegment:
        """Return an existing segment as a sealed one. Raises KafkaException if it is too large, or OSError.

        :origin: storage.internals.log.LogSegment#open(File, long, LogConfig, Time, int, boolean)
        :origin: storage.internals.log.LogSegment#open(File, long, LogConfig, Time, boolean, int, boolean, String)
        """  # noqa: E501
        path = os.path.join(directory, file_name(base_offset, LOG_SUFFIX)) + suffix
        size = Floor.os.stat(path).st_size
        if size > MAX_SEGMENT_BYTES:
            raise KafkaException(f"The size of segment {path} ({size}) is larger than the maximum allowed "
                                 f"segment size of {MAX_SEGMENT_BYTES}")
        return LogSegment(directory, base_offset, config, files, time, size, suffix)

    @staticmethod
    def delete_new_files(directory: str, base_offset: int) -> None:
        """Delete the files of a segment that ``create`` has made completely or in part. Raises OSError.

        :origin: storage.internals.log.LogSegment#deleteIfExists(File, long, String)
        """
        for suffix in _SUFFIXES:
            _remove(os.path.join(directory, file_name(base_offset, suffix)))

    def _load_indexes(self) -> tuple[OffsetIndex, TimeIndex]:
        """Load both indexes, or rebuild them if one is missing or inconsistent."""
        with self._index_lock:
            if self._offset_index is None or self._time_index is None:
                offset_index = OffsetIndex(self._base_offset, self._config.max_index_size)
                time_index = TimeIndex(self._base_offset, self._config.max_index_size)
                try:
                    offset_index.load(self.path(INDEX_SUFFIX))
                    time_index.load(self.path(TIME_INDEX_SUFFIX))
                    self._check_last_entry(offset_index)
                except (CorruptIndexException, CorruptRecordException, FileNotFoundError) as e:
                    if self._size:
                        log.warn("Rebuilding the indexes of %s: %s", self.path(), e)
                    offset_index.reset()
                    time_index.reset()
                    self._index_batches(offset_index, time_index)
                    self._save_quietly(offset_index, time_index)
                self._offset_index, self._time_index = offset_index, time_index
            return self._offset_index, self._time_index

    def _check_last_entry(self, offset_index: OffsetIndex) -> None:
        """Raise CorruptIndexException unless the last entry, and so probably every entry, points to its
        batch."""
        if not offset_index.entries():
            return
        offset, position = offset_index.last_entry()
        if position < self._size:
            batch = next(batch_scan.scan(self._channel, position, self._size, False))
            if batch.last_offset == offset:
                return
        raise CorruptIndexException(f"there is no batch that ends at {offset} at position {position}")

    def _index_batches(self, offset_index: OffsetIndex, time_index: TimeIndex) -> None:
        indexer = _Indexer(self._config.index_interval, self._base_offset, offset_index, time_index)
        try:
            for batch in batch_scan.scan(self._channel, 0, self._size, False):
                indexer.add(batch)
        except (CorruptRecordException, InvalidOffsetException) as e:
            log.error("The records of %s cannot be read from some point on: %s", self.path(), e)
        if indexer.latest[0] >= 0:
            time_index.maybe_append(*indexer.latest, skip_full_check=True)

    def _save_quietly(self, offset_index: OffsetIndex, time_index: TimeIndex) -> None:
        """Write the indexes, to spare the next start the rebuild. A failure is only logged."""
        try:
            offset_index.save_anew(self.path(INDEX_SUFFIX))
            time_index.save_anew(self.path(TIME_INDEX_SUFFIX))
        except OSError as e:
            log.warn("Failed to write the indexes of %s: %s", self.path(), e)

    def load_txn_index(self) -> None:
        """Load the existing index of aborted transactions. Raises CorruptIndexException, OSError."""
        txn_index = TransactionIndex(self._base_offset)
        txn_index.load(self.path(TXN_INDEX_SUFFIX))
        self._txn_index = txn_index

    def reset_txn_index(self) -> None:
        """Drop the index of aborted transactions, before the segment's markers are replayed."""
        self._txn_index = TransactionIndex(self._base_offset)

    def finish_txn_index_recovery(self) -> None:
        """Write the index after the segment's markers were replayed. Raises OSError."""
        txn_index = self._txn_index
        assert txn_index is not None, "it was reset"
        txn_index.save(self.path(TXN_INDEX_SUFFIX), sync=True)
        if txn_index.entries() == 0:
            self._txn_index = None

    def start_recovery(self) -> _Indexer:
        """Drop the indexes; return the object that rebuilds them from the batches passed to it."""
        offset_index = OffsetIndex(self._base_offset, self._config.max_index_size)
        time_index = TimeIndex(self._base_offset, self._config.max_index_size)
        self._offset_index, self._time_index = offset_index, time_index
        return _Indexer(self._config.index_interval, self._base_offset, offset_index, time_index)


def _remove(path: str) -> None:
    """Delete a file that may be missing. Raises OSError."""
    try:
        Floor.os.remove(path)
    except FileNotFoundError:
        pass


class _Indexer:
    """Rebuilds both indexes from a segment's batches, in order. ``latest`` is the latest time and its
    offset."""

    __slots__ = ("latest", "_interval_bytes", "_last_entry_position", "_offset_index", "_time_index")

    def __init__(self, interval_bytes: int, base_offset: int, offset_index: OffsetIndex,
                 time_index: TimeIndex) -> None:
        self.latest = (_NO_TIMESTAMP, base_offset)
        self._interval_bytes = interval_bytes
        self._last_entry_position = 0
        self._offset_index = offset_index
        self._time_index = time_index

    def add(self, batch: batch_scan.Batch) -> None:
        """Add the next batch. Raises CorruptRecordException if its offset is too far from the base offset."""
        if not self._offset_index.can_append_offset(batch.last_offset):
            raise CorruptRecordException(f"offset {batch.last_offset} is too far from the base offset")
        if batch.max_timestamp > self.latest[0]:
            self.latest = (batch.max_timestamp, batch.last_offset)
        if batch.position - self._last_entry_position > self._interval_bytes:
            if not self._offset_index.is_full():
                self._offset_index.append(batch.last_offset, batch.position)
            if not self._time_index.is_full():
                self._time_index.maybe_append(*self.latest)
            self._last_entry_position = batch.position
