# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.log.Cleaner of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Cleans one log at a time: keeps the latest record of each key.

A log is read twice. The first pass, over the dirty part, stores the latest offset of each key in the offset
map, up to the map's capacity. The second pass goes from the start of the log to the end of the first pass. It
copies the retained records into new segments, and replaces the old segments by them, group by group:

- a record is retained if no later record has its key;
- a tombstone is removed, too, once its batch's delete horizon is in the past. The first cleaning that meets
  the tombstone sets the horizon, ``delete.retention.ms`` ahead;
- records of aborted transactions are removed at once. When no batch of a transaction is left, its marker is
  removed like a tombstone;
- the last batch of an active producer is retained, possibly empty, for its sequence number and epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timezone

from kreactor.common.errors import CorruptRecordException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.record.file_records import FileRecords
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record import Record
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.time import Time
from kreactor.core.log.cleaned_transaction_metadata import CleanedTransactionMetadata
from kreactor.core.log.cleaner_stats import CleanerStats
from kreactor.core.log.log_to_clean import LogToClean
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.core.utils.core_utils import require
from kreactor.core.utils.logging import Logging
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.storage.internals.log.last_record import LastRecord
from kreactor.storage.internals.log.log_segment import LogSegment
from kreactor.storage.internals.log.offset_map import OffsetMap
from kreactor.storage.internals.utils.throttler import Throttler

_MAX_INT = 2**31 - 1
_MAGIC_V2 = RecordBatch.MAGIC_VALUE_V2
_BatchRetention = MemoryRecords.RecordFilter.BatchRetention
_BatchRetentionResult = MemoryRecords.RecordFilter.BatchRetentionResult
_RETAIN_EMPTY, _DELETE, _DELETE_EMPTY = (
    _BatchRetention.RETAIN_EMPTY, _BatchRetention.DELETE, _BatchRetention.DELETE_EMPTY)


class Cleaner(Logging):
    """Used by one thread at a time.

    :origin: kafka.log.Cleaner
    """

    def __init__(self, id: int, offset_map: OffsetMap, io_buffer_size: int, max_io_buffer_size: int,
                 dup_buffer_load_factor: float, throttler: Throttler, time: Time,
                 check_done: Callable[[TopicPartition], None],
                 before_replacement: Callable[[UnifiedLog], None] = lambda log: None) -> None:
        """``check_done`` raises an exception when the cleaning of a partition must end. A log is passed to
        ``before_replacement`` before segments of it are replaced.

        Allocates two buffers of ``io_buffer_size`` bytes. They grow to ``max_io_buffer_size`` for a larger
        batch, or to the size of a still larger batch. The offset map is filled up to
        ``dup_buffer_load_factor``. Raises IllegalArgumentException if that leaves room for fewer than two
        keys.
        """
        self._id = id
        self._offset_map = offset_map
        self._io_buffer_size = io_buffer_size
        self._max_io_buffer_size = max_io_buffer_size
        self._dup_buffer_load_factor = dup_buffer_load_factor
        self._throttler = throttler
        self._time = time
        self._check_done = check_done
        self._before_replacement = before_replacement
        self._log_ident = f"Cleaner {id}: "
        self._read_buffer = ByteBuffer.allocate(io_buffer_size)
        self._write_buffer = ByteBuffer.allocate(io_buffer_size)
        self._decompression_buffer_supplier = BufferSupplier.create()

        require(offset_map.slots() * dup_buffer_load_factor > 1,
                "offset map is too small to fit in even a single message, so log cleaning will never make "
                "progress. You can increase log.cleaner.dedupe.buffer.size or decrease log.cleaner.threads")

    def id(self) -> int:
        """:origin: kafka.log.Cleaner#id"""
        return self._id

    def offset_map(self) -> OffsetMap:
        """:origin: kafka.log.Cleaner#offsetMap"""
        return self._offset_map

    def clean(self, cleanable: LogToClean) -> tuple[int, CleanerStats]:
        """Clean a log; return its new first dirty offset, and the statistics.

        Raises the exceptions of ``check_done``, KafkaException, IllegalStateException for a batch above the
        buffers' limit, or OSError. Then the log is unchanged except for the groups that were already
        replaced.

        :origin: kafka.log.Cleaner#clean
        """
        return self.do_clean(cleanable, self._time.milliseconds())

    def do_clean(self, cleanable: LogToClean, current_time: int) -> tuple[int, CleanerStats]:
        """Clean a log as of ``current_time``, in milliseconds.

        :origin: kafka.log.Cleaner#doClean
        """
        log = cleanable.log
        self.info("Beginning cleaning of log %s", log.name())

        # Only for records of old formats, which have no delete horizon.
        clean_segments = log.log_segments(0, cleanable.first_dirty_offset)
        legacy_delete_horizon_ms = (
            clean_segments[-1].last_modified_ms() - log.config().delete_retention_ms if clean_segments else 0)

        stats = CleanerStats()

        self.info("Building offset map for %s...", log.name())
        upper_bound_offset = cleanable.first_uncleanable_offset
        self.build_offset_map(log, cleanable.first_dirty_offset, upper_bound_offset, self._offset_map, stats)
        end_offset = self._offset_map.latest_offset() + 1
        stats.index_done()
        # DEVIATION D294: a record is removed only when the newer record is durable. Kafka assumes that
        # flushing each new segment took long enough.
        log.flush_up_to(end_offset)

        cleanable_segments = log.log_segments(0, cleanable.first_uncleanable_offset)
        cleanable_horizon_ms = cleanable_segments[-1].last_modified_ms() if cleanable_segments else 0

        self.info("Cleaning log %s (cleaning prior to %s, discarding tombstones prior to upper bound "
                  "deletion horizon %s)...", log.name(), _date(cleanable_horizon_ms),
                  _date(legacy_delete_horizon_ms))
        transaction_metadata = CleanedTransactionMetadata()

        grouped_segments = self.group_segments_by_size(
            log.log_segments(0, end_offset), log.config().segment_size, log.config().max_index_size,
            cleanable.first_uncleanable_offset)
        for group in grouped_segments:
            self.clean_segments(log, group, self._offset_map, current_time, stats, transaction_metadata,
                                legacy_delete_horizon_ms)

        stats.buffer_utilization = self._offset_map.utilization()

        stats.all_done()

        return end_offset, stats

    def clean_segments(self, log: UnifiedLog, segments: Sequence[LogSegment], map: OffsetMap,
                       current_time: int, stats: CleanerStats,
                       transaction_metadata: CleanedTransactionMetadata,
                       legacy_delete_horizon_ms: int) -> None:
        """Copy the retained records of some segments into a new segment, and replace the old ones by it.

        :origin: kafka.log.Cleaner#cleanSegments
        """
        cleaned = log.create_new_cleaned_segment(segments[0].base_offset())
        transaction_metadata.cleaned_index = cleaned.txn_index()

        try:
            last_offset_of_active_producers = log.last_records_of_active_producers()

            for current_segment, next_segment in zip(segments, [*segments[1:], None]):
                # The transactions of the whole segment, because the index of the new segment is empty.
                start_offset = current_segment.base_offset()
                upper_bound_offset = (next_segment.base_offset() if next_segment is not None
                                      else current_segment.next_offset())
                aborted_transactions = log.collect_aborted_transactions(start_offset, upper_bound_offset)
                transaction_metadata.add_aborted_transactions(aborted_transactions)

                last_modified_ms = current_segment.last_modified_ms()
                retain_legacy_deletes_and_txn_markers = last_modified_ms > legacy_delete_horizon_ms
                self.info("Cleaning %s in log %s into %d with an upper bound deletion horizon %d computed "
                          "from the segment last modified time of %d,%s deletes.", current_segment,
                          log.name(), cleaned.base_offset(), legacy_delete_horizon_ms, last_modified_ms,
                          "retaining" if retain_legacy_deletes_and_txn_markers else "discarding")

                self.clean_into(
                    log.topic_partition(), current_segment.slice(0, current_segment.size()), cleaned, map,
                    retain_legacy_deletes_and_txn_markers, log.config().delete_retention_ms,
                    log.config().max_message_size(), transaction_metadata, last_offset_of_active_producers,
                    stats, current_time)

            cleaned.seal()
            # Flushed before the replacement, which deletes the old records.
            cleaned.flush()

            # Cleaning must not make a log look younger to retention.
            modified = segments[-1].last_modified_ms()
            cleaned.set_last_modified_ms(modified)

            self.info("Swapping in cleaned segment %s for segment(s) %s in log %s", cleaned, segments, log)
            self._before_replacement(log)
            log.replace_segments([cleaned], segments)
        except BaseException:
            # DEVIATION D292: in Kafka only after an abort. The files of another failure stay until the next
            # cleaning or start.
            log.discard_cleaned_segment(cleaned)
            raise

    def clean_into(self, topic_partition: TopicPartition, source_records: FileRecords, dest: LogSegment,
                   map: OffsetMap, retain_legacy_deletes_and_txn_markers: bool, delete_retention_ms: int,
                   max_log_message_size: int, transaction_metadata: CleanedTransactionMetadata,
                   last_records_of_active_producers: dict[int, LastRecord], stats: CleanerStats,
                   current_time: int) -> None:
        """Append the retained records of one segment to another.

        :origin: kafka.log.Cleaner#cleanInto
        """
        log_cleaner_filter = _LogCleanerFilter(
            self, map, retain_legacy_deletes_and_txn_markers, delete_retention_ms, transaction_metadata,
            last_records_of_active_producers, stats, current_time)

        position = 0
        while position < source_records.size_in_bytes():
            self._check_done(topic_partition)
            self._read_buffer.clear()
            self._write_buffer.clear()

            source_records.read_into(self._read_buffer, position)
            records = MemoryRecords.readable_records(self._read_buffer)
            self._throttler.maybe_throttle(records.size_in_bytes())
            result = records.filter_to(topic_partition, log_cleaner_filter, self._write_buffer,
                                       max_log_message_size, self._decompression_buffer_supplier)

            stats.read_messages(result.messages_read(), result.bytes_read())
            stats.recopy_messages(result.messages_retained(), result.bytes_retained())

            position += result.bytes_read()

            output_buffer = result.output_buffer()
            if output_buffer.position() > 0:
                output_buffer.flip()
                retained = MemoryRecords.readable_records(output_buffer)
                # Without the log's lock, because no other thread knows the segment yet.
                dest.append_records(retained)
                self._throttler.maybe_throttle(output_buffer.limit())

            # No complete batch was read, so the buffers grow.
            if self._read_buffer.limit() > 0 and result.bytes_read() == 0:
                self._grow_buffers_or_fail(source_records, position, max_log_message_size, records)
        self._restore_buffers()

    def _grow_buffers_or_fail(self, source_records: FileRecords, position: int, max_log_message_size: int,
                              memory_records: MemoryRecords) -> None:
        """Grow the buffers for a batch at ``position`` that does not fit.

        A batch may exceed the log's current limit, because the setting has changed or the batch was
        compressed again. Raises CorruptRecordException or IllegalStateException if there is no valid batch.

        :origin: kafka.log.Cleaner#growBuffersOrFail
        """
        if self._read_buffer.capacity() >= max_log_message_size:
            next_batch_size = memory_records.first_batch_size()
            log_desc = f"log segment {source_records.file()} at position {position}"
            if next_batch_size is None:
                raise IllegalStateException(f"Could not determine next batch size for {log_desc}")
            if next_batch_size <= 0:
                raise IllegalStateException(f"Invalid batch size {next_batch_size} for {log_desc}")
            if next_batch_size <= self._read_buffer.capacity():
                raise IllegalStateException(
                    f"Batch size {next_batch_size} < buffer size {self._read_buffer.capacity()}, but not "
                    f"processed for {log_desc}")
            bytes_left = source_records.channel().size() - position
            if next_batch_size > bytes_left:
                raise CorruptRecordException(f"Log segment may be corrupt, batch size {next_batch_size} > "
                                             f"{bytes_left} bytes left in segment for {log_desc}")
            max_size = next_batch_size
        else:
            max_size = max_log_message_size

        self._grow_buffers(max_size)

    @staticmethod
    def _should_discard_batch(batch: RecordBatch, transaction_metadata: CleanedTransactionMetadata) -> bool:
        """Return whether the transactions allow a batch to be discarded.

        :origin: kafka.log.Cleaner#shouldDiscardBatch
        """
        if batch.is_control_batch():
            return transaction_metadata.on_control_batch_read(batch)
        return transaction_metadata.on_batch_read(batch)

    @staticmethod
    def _should_retain_record(map: OffsetMap, retain_deletes_for_legacy_records: bool, batch: RecordBatch,
                              record: Record, stats: CleanerStats, current_time: int) -> bool:
        """Return whether a record is retained.

        :origin: kafka.log.Cleaner#shouldRetainRecord
        """
        offset = record.offset()
        past_latest_offset = offset > map.latest_offset()
        if past_latest_offset:
            return True

        key = record.key()
        if key is not None:
            found_offset = map.get(key)
            if offset < found_offset:
                return False
            if record.has_value():
                return True
            if batch.magic() < _MAGIC_V2:
                return retain_deletes_for_legacy_records
            delete_horizon_ms = batch.delete_horizon_ms()
            return delete_horizon_ms is None or current_time < delete_horizon_ms
        stats.invalid_message()
        return False

    def _grow_buffers(self, max_log_message_size: int) -> None:
        """Double both buffers, up to the larger of the two limits.

        :origin: kafka.log.Cleaner#growBuffers
        """
        max_buffer_size = max(max_log_message_size, self._max_io_buffer_size)
        capacity = self._read_buffer.capacity()
        if capacity >= max_buffer_size or self._write_buffer.capacity() >= max_buffer_size:
            raise IllegalStateException(
                f"This log contains a message larger than maximum allowable size of {max_buffer_size}.")
        new_size = min(capacity * 2, max_buffer_size)
        self.info("Growing cleaner I/O buffers from %d bytes to %d bytes.", capacity, new_size)
        self._read_buffer = ByteBuffer.allocate(new_size)
        self._write_buffer = ByteBuffer.allocate(new_size)

    def _restore_buffers(self) -> None:
        """Replace grown buffers by ones of the original size.

        :origin: kafka.log.Cleaner#restoreBuffers
        """
        if self._read_buffer.capacity() > self._io_buffer_size:
            self._read_buffer = ByteBuffer.allocate(self._io_buffer_size)
        if self._write_buffer.capacity() > self._io_buffer_size:
            self._write_buffer = ByteBuffer.allocate(self._io_buffer_size)

    def group_segments_by_size(self, segments: Iterable[LogSegment], max_size: int, max_index_size: int,
                               first_uncleanable_offset: int) -> list[list[LogSegment]]:
        """Return the segments in groups; each group becomes one segment.

        A group respects a segment's limits of file size, index sizes and offset range. So repeated cleaning
        leaves few segments instead of many small ones.

        :origin: kafka.log.Cleaner#groupSegmentsBySize
        """
        grouped = []
        segs = list(segments)
        while segs:
            group = [segs[0]]
            log_size = segs[0].size()
            index_size = segs[0].offset_index().size_in_bytes()
            time_index_size = segs[0].time_index().size_in_bytes()
            segs = segs[1:]
            while (segs
                   and log_size + segs[0].size() <= max_size
                   and index_size + segs[0].offset_index().size_in_bytes() <= max_index_size
                   and time_index_size + segs[0].time_index().size_in_bytes() <= max_index_size
                   # An empty segment needs no further segment.
                   and (segs[0].size() == 0
                        or self._last_offset_for_first_segment(segs, first_uncleanable_offset)
                        - group[0].base_offset() <= _MAX_INT)):
                group.append(segs[0])
                log_size += segs[0].size()
                index_size += segs[0].offset_index().size_in_bytes()
                time_index_size += segs[0].time_index().size_in_bytes()
                segs = segs[1:]
            grouped.append(group)
        return grouped

    @staticmethod
    def _last_offset_for_first_segment(segs: Sequence[LogSegment], first_uncleanable_offset: int) -> int:
        """Return an upper bound of the offsets in the first of ``segs``, without reading it.

        :origin: kafka.log.Cleaner#lastOffsetForFirstSegment
        """
        if len(segs) > 1:
            return segs[1].base_offset() - 1
        return first_uncleanable_offset - 1

    def build_offset_map(self, log: UnifiedLog, start: int, end: int, map: OffsetMap,
                         stats: CleanerStats) -> None:
        """Store the latest offset of each key from ``start`` up to, but excluding, ``end``, up to the map's
        capacity.

        :origin: kafka.log.Cleaner#buildOffsetMap
        """
        map.clear()
        dirty = log.log_segments(start, end)
        next_segment_start_offsets = [next_segment.base_offset() for next_segment in dirty[1:]]
        if dirty:
            next_segment_start_offsets.append(end)
        self.info("Building offset map for log %s for %d segments in offset range [%d, %d).", log.name(),
                  len(dirty), start, end)

        transaction_metadata = CleanedTransactionMetadata()
        aborted_transactions = log.collect_aborted_transactions(start, end)
        transaction_metadata.add_aborted_transactions(aborted_transactions)

        for number, (segment, next_segment_start_offset) in enumerate(zip(dirty, next_segment_start_offsets)):
            self._check_done(log.topic_partition())

            full = self._build_offset_map_for_segment(
                log.topic_partition(), segment, map, start, next_segment_start_offset,
                log.config().max_message_size(), transaction_metadata, stats)
            if full:
                self.debug("Offset map is full, %d segments fully mapped, segment with base offset %d is "
                           "partially mapped", number, segment.base_offset())
                break
        self.info("Offset map for log %s complete.", log.name())

    def _build_offset_map_for_segment(self, topic_partition: TopicPartition, segment: LogSegment,
                                      map: OffsetMap, start_offset: int, next_segment_start_offset: int,
                                      max_log_message_size: int,
                                      transaction_metadata: CleanedTransactionMetadata,
                                      stats: CleanerStats) -> bool:
        """Add the keys of one segment; return whether the map became full before all were added.

        :origin: kafka.log.Cleaner#buildOffsetMapForSegment
        """
        _, position = segment.offset_index().lookup(start_offset)
        max_desired_map_size = int(map.slots() * self._dup_buffer_load_factor)
        segment_log = segment.slice(0, segment.size())
        while position < segment_log.size_in_bytes():
            self._check_done(topic_partition)
            self._read_buffer.clear()
            try:
                segment_log.read_into(self._read_buffer, position)
            except Exception as e:
                raise KafkaException(f"Failed to read from segment {segment} of partition {topic_partition} "
                                     "while loading offset map", e) from e
            records = MemoryRecords.readable_records(self._read_buffer)
            self._throttler.maybe_throttle(records.size_in_bytes())

            start_position = position
            for batch in records.batches():
                if batch.is_control_batch():
                    transaction_metadata.on_control_batch_read(batch)
                    stats.index_messages_read(1)
                else:
                    is_aborted = transaction_metadata.on_batch_read(batch)
                    if is_aborted:
                        # These records are skipped unread. Batches are aborted only from magic 2 on, whose
                        # headers have a record count.
                        stats.index_messages_read(batch.count_or_null() or 0)
                    else:
                        with batch.streaming_iterator(self._decompression_buffer_supplier) as iterator:
                            for record in iterator:
                                key = record.key()
                                if key is not None and record.offset() >= start_offset:
                                    if map.size() < max_desired_map_size:
                                        map.put(key, record.offset())
                                    else:
                                        return True
                                stats.index_messages_read(1)

                if batch.last_offset() >= start_offset:
                    map.update_latest_offset(batch.last_offset())
            bytes_read = records.valid_bytes()
            position += bytes_read
            stats.index_bytes_read(bytes_read)

            # No complete batch was read, so the buffers grow.
            if position == start_position:
                self._grow_buffers_or_fail(segment_log, position, max_log_message_size, records)

        # The last offsets of the segment may be missing.
        map.update_latest_offset(next_segment_start_offset - 1)

        self._restore_buffers()
        return False


class _LogCleanerFilter(MemoryRecords.RecordFilter):
    """The filter that selects the retained records for ``clean_into``."""

    def __init__(self, cleaner: Cleaner, map: OffsetMap, retain_legacy_deletes_and_txn_markers: bool,
                 delete_retention_ms: int, transaction_metadata: CleanedTransactionMetadata,
                 last_records_of_active_producers: dict[int, LastRecord], stats: CleanerStats,
                 current_time: int) -> None:
        super().__init__(current_time, delete_retention_ms)
        self._cleaner = cleaner
        self._map = map
        self._retain_legacy_deletes_and_txn_markers = retain_legacy_deletes_and_txn_markers
        self._transaction_metadata = transaction_metadata
        self._last_records_of_active_producers = last_records_of_active_producers
        self._stats = stats
        self._discard_batch_records = False

    def check_batch_retention(self, batch: RecordBatch) -> _BatchRetentionResult:
        # The marker of a removed transaction waits for its delete horizon, as a tombstone does.
        can_discard_batch = self._cleaner._should_discard_batch(batch, self._transaction_metadata)

        if batch.is_control_batch():
            delete_horizon_ms = batch.delete_horizon_ms()
            self._discard_batch_records = (can_discard_batch and delete_horizon_ms is not None
                                           and delete_horizon_ms <= self.current_time)
        else:
            self._discard_batch_records = can_discard_batch

        if batch.has_producer_id() and self._is_batch_last_record_of_producer(batch):
            batch_retention = _RETAIN_EMPTY
        elif self._discard_batch_records:
            batch_retention = _DELETE
        else:
            batch_retention = _DELETE_EMPTY
        return _BatchRetentionResult(batch_retention, can_discard_batch and batch.is_control_batch())

    def _is_batch_last_record_of_producer(self, batch: RecordBatch) -> bool:
        """Return whether a batch is needed for an active producer's sequence number or, as a marker, for its
        epoch.
        """
        last_record = self._last_records_of_active_producers.get(batch.producer_id())
        if last_record is None:
            return False
        if last_record.last_data_offset is not None:
            return batch.last_offset() == last_record.last_data_offset
        return batch.is_control_batch() and batch.producer_epoch() == last_record.producer_epoch

    def should_retain_record(self, record_batch: RecordBatch, record: Record) -> bool:
        if self._discard_batch_records:
            # The batch is retained without these records.
            return False
        if record_batch.is_control_batch():
            return True
        return self._cleaner._should_retain_record(
            self._map, self._retain_legacy_deletes_and_txn_markers, record_batch, record, self._stats,
            self.current_time)


def _date(milliseconds: int) -> str:
    try:
        return datetime.fromtimestamp(milliseconds / 1000, timezone.utc).isoformat()
    except (OverflowError, ValueError, OSError):
        return str(milliseconds)
