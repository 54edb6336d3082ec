# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.log.LocalLog of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The files of one partition's log: its folder, its segments, its end, and how much of it is durable.

UnifiedLog owns this object, and holds its lock for every change. Reads and ``flush`` need no lock: a reader
takes the end of the log first and looks for a segment after it. ``roll`` adds a segment before the end moves
into it, so that an end always finds its segment.

A disk failure takes the log out of service, and so does closing its files. Then ``check_in_service`` raises
the reason.

DEVIATION D382: an empty active segment is not rolled. Kafka renames its files for deletion and makes new
ones. A crash between the two leaves a log of one segment without its end.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable

from kreactor.common.errors import (
    KafkaStorageException,
    NotLeaderOrFollowerException,
    OffsetOutOfRangeException,
    UnknownTopicOrPartitionException,
)
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.jdk.exceptions import ClosedChannelException
from kreactor.jdk.files import TEMPORARY_SUFFIX, flush_directory
from kreactor.jdk.floor import Floor
from kreactor.jdk.locks import Lock
from kreactor.server.util.scheduler import Scheduler
from kreactor.storage.internals.log.aborted_txn import AbortedTxn
from kreactor.storage.internals.log.fetch_data_info import FetchDataInfo
from kreactor.storage.internals.log.log_config import LogConfig
from kreactor.storage.internals.log.log_file_utils import CLEANED_SUFFIX, DELETED_SUFFIX, SWAP_SUFFIX
from kreactor.storage.internals.log.log_offset_metadata import LogOffsetMetadata
from kreactor.storage.internals.log.log_segment import LogSegment
from kreactor.storage.internals.log.log_segments import LogSegments
from kreactor.storage.internals.log.open_files import OpenFiles

# Why a log is out of service for good.
CLOSED_REASON = "it is closed"
DELETED_REASON = "it was deleted"
TRUNCATED_REASON = "it was truncated"

# The number of bytes that a truncation copies at once.
_COPY_STEP = 1 << 20

log = LogContext().logger(f"{__name__}.LocalLog")


class LocalLog:
    """The segments of one partition. Changed under the lock of the UnifiedLog that owns it.

    :origin: kafka.log.LocalLog
    :origin: kafka.log.LocalLog
    """

    __slots__ = ("_dir", "_parent_dir", "config", "segments", "recovery_point", "_next_offset_metadata",
                 "scheduler", "time", "topic_partition", "_files", "_last_flushed_time", "has_aborted_txns",
                 "out_of_service", "_offline_reason", "_gone_reason", "_leaving", "_leaving_lock")

    def __init__(self, dir: str, config: LogConfig, segments: LogSegments, recovery_point: int,
                 next_offset_metadata: LogOffsetMetadata, scheduler: Scheduler, time: Time,
                 topic_partition: TopicPartition, files: OpenFiles) -> None:
        """Take over the loaded segments; there is at least one, and the last is open for writing.

        :origin: kafka.log.LocalLog#LocalLog
        """
        # Written under the log's lock, read by any thread.
        self._dir = dir
        self._parent_dir = os.path.dirname(dir)
        self.config = config
        self.segments = segments
        # The records before this offset are durable.
        self.recovery_point = recovery_point
        self._next_offset_metadata = next_offset_metadata
        self.scheduler = scheduler
        self.time = time
        self.topic_partition = topic_partition
        self._files = files
        self._last_flushed_time = time.milliseconds()
        # Whether a reader of committed records may need aborted transactions.
        self.has_aborted_txns = any(segment.txn_index() is not None for segment in segments.values())
        # Whether one of the next two attributes is set.
        # :origin: kafka.log.LocalLog#isMemoryMappedBufferClosed
        self.out_of_service = False
        # The failure that ended reads and appends.
        self._offline_reason: str | None = None
        # Why the files are closed, or why the partition has another log.
        self._gone_reason: str | None = None
        # Removed segments, from which responses may still be sent. The task that deletes their files does not
        # hold the log's lock.
        self._leaving: set[LogSegment] = set()
        self._leaving_lock = Lock()

    def dir(self) -> str:
        """Return the log's folder.

        :origin: kafka.log.LocalLog#dir
        """
        return self._dir

    def name(self) -> str:
        """Return the name of the log's folder.

        :origin: kafka.log.LocalLog#name
        """
        return os.path.basename(self._dir)

    def parent_dir(self) -> str:
        """Return the parent folder of the log's folder.

        :origin: kafka.log.LocalLog#parentDir
        """
        return self._parent_dir

    def storage_error(self, doing: str, cause: OSError) -> KafkaStorageException:
        """Return the exception for a disk failure; the log stays in service.

        :origin: kafka.log.LocalLog#maybeHandleIOException
        :origin: kafka.log.LocalLog#maybeHandleIOException
        """
        return KafkaStorageException(
            f"Error while {doing} {self.topic_partition} in dir {self._parent_dir}: {cause}", cause)

    def rename_dir(self, name: str) -> bool:
        """Rename the log's folder; return whether the name changed.

        Files are closed. A running read continues, and a later read opens its file again. Raises
        KafkaStorageException.

        :origin: kafka.log.LocalLog#renameDir
        """
        with self._files.renaming():
            renamed_dir = os.path.join(self._parent_dir, name)
            try:
                Floor.os.rename(self._dir, renamed_dir)
            except OSError as e:
                raise self.storage_error("renaming dir for", e) from e
            if renamed_dir == self._dir:
                return False
            self._dir = renamed_dir
            self.segments.update_parent_dir(renamed_dir)
            for segment in self._left():
                segment.update_parent_dir(renamed_dir)
            for segment in (*self.segments.values(), *self._left()):
                segment.release()
            return True

    def update_config(self, new_config: LogConfig) -> None:
        """Apply a configuration from now on.

        :origin: kafka.log.LocalLog#updateConfig
        """
        self.config = new_config
        for segment in self.segments.values():
            segment.update_config(new_config)

    def is_offline(self) -> bool:
        """Return whether a disk failure has taken the log out of service."""
        return self._offline_reason is not None

    def is_gone(self) -> bool:
        """Return whether the files are closed, or the partition has another log."""
        return self._gone_reason is not None

    def go_offline(self, reason: str) -> None:
        """Take the log out of service after a failure, until the next start."""
        if self._offline_reason is None:
            self._offline_reason = reason
            self.out_of_service = True
            log.error("%s: offline until the next start: %s", self, reason)

    def leave_service(self, reason: str) -> None:
        """Take the log out of service for good: its files are deleted, or another log has them."""
        self._gone_reason = reason
        self.out_of_service = True

    def check_in_service(self) -> None:
        """Raise the exception for a log that is out of service.

        :origin: kafka.log.LocalLog#checkIfMemoryMappedBufferClosed
        """
        if self._offline_reason is not None:
            raise KafkaStorageException(
                f"The log of {self.topic_partition} is offline: {self._offline_reason}")
        if self._gone_reason is not None:
            if self._gone_reason is TRUNCATED_REASON:
                raise NotLeaderOrFollowerException(
                    f"The log of {self.topic_partition} is being truncated: its leader changes")
            if self._gone_reason is DELETED_REASON:
                raise UnknownTopicOrPartitionException(
                    f"The log of {self.topic_partition} is gone: {self._gone_reason}")
            raise KafkaStorageException(f"The log of {self.topic_partition} is gone: {self._gone_reason}")

    def update_recovery_point(self, new_recovery_point: int) -> None:
        """Record that all records before ``offset`` are durable.

        :origin: kafka.log.LocalLog#updateRecoveryPoint
        """
        self.recovery_point = new_recovery_point

    def mark_flushed(self, offset: int) -> None:
        """Record that all records before ``offset`` are durable. Raises KafkaStorageException.

        :origin: kafka.log.LocalLog#markFlushed
        """
        self.check_in_service()
        if offset > self.recovery_point:
            self.update_recovery_point(offset)
            self._last_flushed_time = self.time.milliseconds()

    def unflushed_messages(self) -> int:
        """Return the number of offsets that may not be durable.

        :origin: kafka.log.LocalLog#unflushedMessages
        """
        return self._next_offset_metadata.message_offset - self.recovery_point

    def flush(self, offset: int) -> None:
        """Make the segments that begin before ``offset`` durable. Called by any thread. Raises OSError.

        The recovery point does not change.

        :origin: kafka.log.LocalLog#flush
        """
        current_recovery_point = self.recovery_point
        if current_recovery_point <= offset:
            segments_to_flush = self.segments.values_from(current_recovery_point, offset)
            for segment in segments_to_flush:
                self.flush_segment(segment)
            # For the file names of new segments.
            if any(segment.base_offset() >= current_recovery_point for segment in segments_to_flush):
                try:
                    flush_directory(self._dir)
                except FileNotFoundError:
                    pass  # the folder was renamed for deletion in the meantime

    @staticmethod
    def flush_segment(segment: LogSegment) -> None:
        """Make a segment durable. A deleted segment is skipped. Called by any thread. Raises OSError."""
        try:
            segment.flush()
        except (FileNotFoundError, ClosedChannelException):
            pass

    def last_flush_time(self) -> int:
        """Return when the recovery point last changed, in ms.

        :origin: kafka.log.LocalLog#lastFlushTime
        """
        return self._last_flushed_time

    def log_end_offset_metadata(self) -> LogOffsetMetadata:
        """Return the next record's offset and position.

        :origin: kafka.log.LocalLog#logEndOffsetMetadata
        """
        return self._next_offset_metadata

    def log_end_offset(self) -> int:
        """Return the next record's offset.

        :origin: kafka.log.LocalLog#logEndOffset
        """
        return self._next_offset_metadata.message_offset

    def update_log_end_offset(self, end_offset: int) -> None:
        """Set the end of the log to ``end_offset``, where the active segment ends.

        :origin: kafka.log.LocalLog#updateLogEndOffset
        """
        active_segment = self.segments.active_segment()
        self._next_offset_metadata = LogOffsetMetadata(
            end_offset, active_segment.base_offset(), active_segment.size())
        if self.recovery_point > end_offset:
            self.update_recovery_point(end_offset)

    def close_handlers(self, reason: str = "its files are closed") -> None:
        """Close all files unchanged. The log is out of service afterwards, for an earlier reason or this one.

        :origin: kafka.log.LocalLog#closeHandlers
        """
        if self._gone_reason is None:
            self.leave_service(reason)
        self.segments.close()
        for segment in self._left():
            segment.close()
        with self._leaving_lock:
            self._leaving.clear()

    def close(self) -> None:
        """Write the indexes of the active segment, and close all files. A second call does nothing.

        Raises KafkaStorageException; then files stay open.

        :origin: kafka.log.LocalLog#close
        """
        if self._gone_reason is CLOSED_REASON:
            return
        self.check_in_service()
        try:
            self.segments.active_segment().save_indexes(sync=True)
        except OSError as e:
            raise self.storage_error("closing", e) from e
        self.close_handlers(CLOSED_REASON)

    def remove_and_delete_segments(self, segments_to_delete: Collection[LogSegment], reason: str) -> None:
        """Remove segments from the log; their files are deleted after ``file.delete.delay.ms``.

        :origin: kafka.log.LocalLog#removeAndDeleteSegments
        """
        if segments_to_delete:
            log.info("%s: deleting segments %s, because %s", self, segments_to_delete, reason)
            self.segments.replace(segments_to_delete, ())
            self.delete_segment_files(segments_to_delete)

    def convert_to_offset_metadata(self, offset: int, end: LogOffsetMetadata) -> LogOffsetMetadata:
        """Return the position of ``offset``'s batch. ``end`` is the log's end as the caller saw it. Any
        thread.

        Returns ``end`` if no batch before it has the offset or a later one. Raises KafkaStorageException.

        :origin: kafka.log.LocalLog#convertToOffsetMetadataOrThrow
        """
        segment = self.segments.floor_segment(offset) or self.segments.first_segment()
        while segment is not None:
            limit = (end.relative_position_in_segment if segment.base_offset() == end.segment_base_offset
                     else segment.size())
            try:
                found = segment.locate(offset, limit)
            except OSError as e:
                raise self.storage_error("reading from", e) from e
            if found is not None:
                return LogOffsetMetadata(offset, segment.base_offset(), found[0])
            segment = self.segments.higher_segment(segment.base_offset())
        return end

    def read(self, start_offset: int, max_length: int, min_one_message: bool,
             max_offset_metadata: LogOffsetMetadata, include_aborted_txns: bool) -> FetchDataInfo:
        """Return records from the batch of ``start_offset`` on, up to ``max_length`` bytes, in place in the
        file.

        ``max_offset_metadata`` is an end that the caller took before; the result ends there. The last batch
        may be cut off, as in Kafka. With ``min_one_message``, the first batch is complete, whatever its size.
        The caller sets the log's offsets in the result. Called by any thread.

        Raises OffsetOutOfRangeException outside the log, IllegalArgumentException for a negative length, or
        KafkaStorageException.

        :origin: kafka.log.LocalLog#read
        """
        segments = self.segments
        while True:
            end = self._next_offset_metadata
            segment = segments.floor_segment(start_offset)
            if segment is None or start_offset > end.message_offset:
                raise OffsetOutOfRangeException(
                    f"Received request for offset {start_offset} for partition {self.topic_partition}, but "
                    f"we only have log segments upto {end.message_offset}.")
            max_offset, max_base_offset, max_position = max_offset_metadata
            if start_offset >= max_offset:
                return _empty_fetch_data_info(
                    max_offset_metadata if start_offset == max_offset
                    else self.convert_to_offset_metadata(start_offset, end), include_aborted_txns)
            try:
                while segment is not None:
                    base_offset = segment.base_offset()
                    if base_offset == max_base_offset:
                        read_to: int | None = max_position
                    else:
                        # None if the caller's end is in an earlier segment, or its position is unknown.
                        read_to = segment.size() if base_offset < max_base_offset else None
                    info = segment.read(start_offset, max_length, read_to, min_one_message)
                    if info is not None:
                        if include_aborted_txns:
                            info.aborted_transactions = []
                            if self.has_aborted_txns:
                                self._add_aborted_transactions(start_offset, segment, info)
                        return info
                    # The end of a compacted segment: continue in the next one.
                    segment = segments.higher_segment(base_offset)
                return FetchDataInfo(end, MemoryRecords.EMPTY)
            except OSError as e:
                self.check_in_service()
                if not isinstance(e, (FileNotFoundError, ClosedChannelException)) or (
                        segments.get(base_offset) is segment):
                    raise self.storage_error("reading from", e) from e
                # In the meantime retention has moved the log start offset past the segment, or compaction has
                # removed it. The read begins again.

    def append(self, batch: memoryview, base_offset: int, last_offset: int, largest_timestamp: int) -> None:
        """Append a batch to the active segment, and advance the end of the log.

        After an exception, the end is unchanged. The segment is unchanged too, unless its size differs. Its
        file is unchanged after ``LogSegment.discard_partial_write``.

        :origin: kafka.log.LocalLog#append
        """
        segment = self.segments.active_segment()
        # Made before the write: after the write no call may fail and keep the end from moving. A call of the
        # class takes 100 ns longer, because a NamedTuple has its __new__ in Python.
        end = tuple.__new__(
            LogOffsetMetadata, (last_offset + 1, segment._base_offset, segment._size + len(batch)))
        segment.append(batch, base_offset, last_offset, largest_timestamp)
        self._next_offset_metadata = end

    def _add_aborted_transactions(self, start_offset: int, segment: LogSegment,
                                  fetch_info: FetchDataInfo) -> None:
        """Add the aborted transactions that overlap the records read from a segment.

        :origin: kafka.log.LocalLog#addAbortedTransactions
        """
        upper_bound_offset = segment.fetch_upper_bound_offset(
            fetch_info.fetch_offset_metadata.relative_position_in_segment
            + fetch_info.records.size_in_bytes())
        if upper_bound_offset is None:
            higher_segment = self.segments.higher_segment(segment.base_offset())
            upper_bound_offset = (self.log_end_offset() if higher_segment is None
                                  else higher_segment.base_offset())
        aborted_txns: list[AbortedTxn] = []
        self._collect_aborted_transactions(start_offset, upper_bound_offset, segment, aborted_txns)
        fetch_info.aborted_transactions = [
            aborted_txn.as_aborted_transaction() for aborted_txn in aborted_txns]

    def _collect_aborted_transactions(self, start_offset: int, upper_bound_offset: int,
                                      starting_segment: LogSegment, accumulator: list[AbortedTxn]) -> None:
        """:origin: kafka.log.LocalLog#collectAbortedTransactions(startOffset: Long, upperBoundOffset: Long, startingSegment: LogSegment, accumulator: Seq[AbortedTxn] => Unit)"""  # noqa: E501
        for segment in (starting_segment, *self.segments.higher_segments(starting_segment.base_offset())):
            txn_index = segment.txn_index()
            if txn_index is not None:
                aborted_txns, is_complete = txn_index.collect_aborted_txns(start_offset, upper_bound_offset)
                accumulator += aborted_txns
                if is_complete:
                    return

    def collect_aborted_transactions(self, start_offset: int, base_offset: int,
                                     upper_bound_offset: int) -> list[AbortedTxn]:
        """Return the aborted transactions that end at ``start_offset`` or later.

        Their markers are in the segment of ``base_offset`` or later ones; their first records are before
        ``upper_bound_offset``.

        :origin: kafka.log.LocalLog#collectAbortedTransactions(logStartOffset: Long, baseOffset: Long, upperBoundOffset: Long)
        """  # noqa: E501
        segment = self.segments.floor_segment(base_offset)
        all_aborted_txns: list[AbortedTxn] = []
        if segment is not None:
            self._collect_aborted_transactions(start_offset, upper_bound_offset, segment, all_aborted_txns)
        return all_aborted_txns

    def roll(self, expected_next_offset: int = 0,
             on_created: Callable[[int], None] = lambda base_offset: None) -> LogSegment:
        """Seal the active segment and begin the next one; return the new segment.

        The new segment begins at the end of the log, or at ``expected_next_offset`` if that is greater.
        ``on_created`` is called with that offset before any other thread sees the segment.

        Raises KafkaException if the new segment would not be the last one, KafkaStorageException, OSError, or
        the exception of ``on_created``. After an exception, either nothing has changed, or the log is
        offline.

        :origin: kafka.log.LocalLog#roll
        """
        self.check_in_service()
        end = self._next_offset_metadata
        new_offset = max(expected_next_offset, end.message_offset)
        active_segment = self.segments.active_segment()
        if self.segments.contains(new_offset):
            if active_segment.base_offset() == new_offset and active_segment.size() == 0:
                # DEVIATION D382
                return active_segment
            raise KafkaException(
                f"Trying to roll a new log segment for topic partition {self.topic_partition} with start "
                f"offset {new_offset} =max(provided offset = {expected_next_offset}, LEO = "
                f"{end.message_offset}) while it already exists. Existing segment is "
                f"{self.segments.get(new_offset)}.")
        if new_offset < active_segment.base_offset():
            raise KafkaException(
                f"Trying to roll a new log segment for topic partition {self.topic_partition} with start "
                f"offset {new_offset} =max(provided offset = {expected_next_offset}, LEO = "
                f"{end.message_offset}) lower than start offset of the active segment {active_segment}")
        # The recovery point may be at the end, after a flush of the active segment. The next start recovers
        # the new segment only then, so the indexes of this one must be durable before the new one exists.
        active_segment.save_indexes(sync=self.recovery_point >= new_offset)
        new_segment: LogSegment | None = None
        try:
            new_segment = LogSegment.create(self._dir, new_offset, self.config, self._files, self.time)
            on_created(new_offset)
            self.segments.add(new_segment)
            # The offset is unchanged; its position is in the new segment now.
            self.update_log_end_offset(end.message_offset)
        except BaseException as e:
            self._next_offset_metadata = end
            self._remove_new_segment(new_offset, new_segment, e)
            raise
        active_segment.seal()
        log.debug("%s: a new segment begins at %d", self, new_offset)
        return new_segment

    def _remove_new_segment(self, base_offset: int, new_segment: LogSegment | None,
                            error: BaseException) -> None:
        """Remove the files of a segment whose creation failed; ``new_segment`` is None if it was not made.

        Otherwise the next start would load the empty segment as the last one, and the log would end there.
        """
        try:
            self.segments.remove(base_offset)
            if new_segment is not None:
                new_segment.close()
            LogSegment.delete_new_files(self._dir, base_offset)
        except BaseException as e:
            self.go_offline(f"a segment could not be made ({error!r}), and its files cannot be removed "
                            f"({e!r})")

    def truncate_files(self, target_offset: int) -> int:
        """Delete the records from ``target_offset`` on. A batch begins at that offset.

        Returns the base offset of the last remaining segment. The log is out of service afterwards. Until
        ``close_handlers``, a response from the old files can be sent. Raises OSError.

        :origin: kafka.log.LocalLog#truncateTo
        """
        where = self.convert_to_offset_metadata(target_offset, self._next_offset_metadata)
        segment = self.segments.floor_segment(target_offset) or self.segments.values()[0]
        position = (where.relative_position_in_segment
                    if where.segment_base_offset == segment.base_offset() else segment.size())
        self.leave_service(TRUNCATED_REASON)
        deletable_segments = self.segments.higher_segments(segment.base_offset())
        for each in (segment, *deletable_segments):
            each.keep_open()
        # Because a response may still be sent from the old file, a shorter copy replaces the file.
        path, channel = segment.path(), segment.channel()
        with Floor.io.open(path + TEMPORARY_SUFFIX, "wb") as file:
            for start in range(0, position, _COPY_STEP):
                file.write(channel.read_at(min(_COPY_STEP, position - start), start))
            file.flush()
            Floor.os.fsync(file.fileno())
        # The last segment is deleted first, and the copy replaces its file last. So a crash leaves no gap
        # between segments, and loses no kept record.
        for each in reversed(deletable_segments):
            each.mark_deleted()
        Floor.os.replace(path + TEMPORARY_SUFFIX, path)
        flush_directory(self._dir)
        for each in self.segments.values_from(0, segment.base_offset()):
            each.save_indexes(sync=False)
        return segment.base_offset()

    def replace_segments(self, new_segments: Iterable[LogSegment],
                         old_segments: Iterable[LogSegment]) -> list[LogSegment]:
        """Replace segments by cleaned ones, which are durable; return the removed segments that none
        replaces.

        After a crash, the next start uses the old segments until all files of the new ones are named
        ``.swap``, and the new ones from then on: see ``log_loader``. A response from an old segment can be
        sent for another ``file.delete.delay.ms``.

        Raises KafkaStorageException. Then either the old segments stay, or the log is offline and the next
        start completes the replacement.

        :origin: kafka.log.LocalLog#replaceSegments
        """
        sorted_new_segments = sorted(new_segments, key=LogSegment.base_offset)
        # Retention may have deleted some of them.
        sorted_old_segments = sorted(set(old_segments).intersection(self.segments.values()),
                                     key=LogSegment.base_offset)
        try:
            for segment in reversed(sorted_new_segments):
                segment.change_file_suffixes(CLEANED_SUFFIX, SWAP_SUFFIX)
        except OSError as e:
            raise self.storage_error("compacting", e) from e
        self.segments.replace(sorted_old_segments, sorted_new_segments)
        with self._leaving_lock:
            self._leaving.update(sorted_old_segments)
        try:
            # A file under its old name would block the new file of that name.
            for segment in sorted_old_segments:
                segment.mark_deleted()
            for segment in sorted_new_segments:
                segment.change_file_suffixes(SWAP_SUFFIX, "")
            flush_directory(self._dir)
        except OSError as e:
            self.go_offline(f"cleaned segments could not be swapped in ({e})")
            raise self.storage_error("compacting", e) from e
        self.delete_segment_files(sorted_old_segments)
        new_base_offsets = {segment.base_offset() for segment in sorted_new_segments}
        return [segment for segment in sorted_old_segments if segment.base_offset() not in new_base_offsets]

    def delete_segment_files(self, segments_to_delete: Collection[LogSegment]) -> None:
        """Rename the files of removed segments; they are deleted after ``file.delete.delay.ms``.

        A failed rename is logged.

        :origin: kafka.log.LocalLog#deleteSegmentFiles
        """
        with self._leaving_lock:
            self._leaving.update(segments_to_delete)
        for segment in segments_to_delete:
            if not segment.has_suffix(DELETED_SUFFIX):
                try:
                    segment.mark_deleted()
                except OSError as e:
                    log.warn("%s: failed to rename a file of %s: %s", self, segment, e)

        def delete_segments() -> None:
            with self._leaving_lock:
                self._leaving.difference_update(segments_to_delete)
            for segment in segments_to_delete:
                try:
                    segment.delete_files()
                except OSError as e:
                    log.warn("Failed to delete the files of a segment: %s", e)

        self.scheduler.schedule_once("delete-file", delete_segments, self.config.file_delete_delay_ms)

    def discard_cleaned_segment(self, segment: LogSegment) -> None:
        """Delete the files of a segment that did not replace others."""
        if self.segments.get(segment.base_offset()) is segment or segment in self._left():
            return
        try:
            segment.discard(CLEANED_SUFFIX, SWAP_SUFFIX)
        except OSError as e:
            log.warn("Failed to delete the files of %s: %s", segment, e)

    def create_new_cleaned_segment(self, base_offset: int) -> LogSegment:
        """Return an empty segment for the retained records of others; no other thread knows it. Raises
        OSError.

        :origin: kafka.log.LocalLog#createNewCleanedSegment
        """
        segment = LogSegment.create(self._dir, base_offset, self.config, self._files, self.time,
                                    CLEANED_SUFFIX)
        segment.reset_txn_index()
        return segment

    def _left(self) -> list[LogSegment]:
        """Return the removed segments whose files still exist."""
        with self._leaving_lock:
            return list(self._leaving)

    def __str__(self) -> str:
        return f"Log of {self.topic_partition} in {self._dir}"


def _empty_fetch_data_info(fetch_offset_metadata: LogOffsetMetadata,
                           include_aborted_txns: bool) -> FetchDataInfo:
    """:origin: kafka.log.LocalLog#emptyFetchDataInfo"""
    return FetchDataInfo(fetch_offset_metadata, MemoryRecords.EMPTY,
                         aborted_transactions=[] if include_aborted_txns else None)
