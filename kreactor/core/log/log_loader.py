# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.log.LogLoader of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Opens a partition's folder: finds the segments, checks which of their batches are valid, and restores the
producers' state.

After a clean shutdown the files are trusted. After any other end, the segments from the recovery point on are
read completely, because the disk never confirmed them. The log is cut at the first batch with a wrong
checksum, or that does not continue the batch before it. Unless the machine itself failed, all acknowledged
records are before that point, because they were already in the file.

The same reading rebuilds the indexes, and passes the batches to the producers' state. The state starts from
the latest snapshot before the first of these segments. Later snapshots are deleted and rebuilt, because only
the records tell what the producers have written. An entry in the index of aborted transactions has the
transaction's first offset, which only that state knows.

DEVIATION D455: functions load and return a log. Kafka has a class that returns offsets.

DEVIATION D71: a batch must follow the batch before it without a gap, because the checksum does not cover the
offset. Kafka's logs may have gaps, which compaction leaves. Here only the logs of topics that are or were
compacted may have gaps. A batch is invalid if its offset is too far from its segment's base offset.

A batch with an epoch after the latest known one means that the epochs' file has lost an entry. Recovery
restores the entry. If the file is lost, the batches of all segments have the epochs.

The cleaner writes a segment that replaces others under names that end with ``.cleaned``. After a crash, the
loader acts by the files that it finds:

====================================================  ======================================================
files                                                 action
====================================================  ======================================================
some end with ``.cleaned``                            They are deleted, and so are files ending with ``.swap``
                                                      of the same offset or a later one. The old segments are
                                                      complete.
all of the new segment end with ``.swap``             The old segments in its range of offsets are deleted,
                                                      and its files get their final names.
some of the new segment end with ``.swap``, but the   They get their final names. The old segments were
batches' file does not                                deleted before the first of the files was renamed.
====================================================  ======================================================

One thread, without concurrency: no other thread knows the log yet.
"""

from __future__ import annotations

import os

from kreactor.common.errors import CorruptRecordException
from kreactor.common.invalid_record_exception import InvalidRecordException
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.end_transaction_marker import EndTransactionMarker
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.common.uuid import Uuid
from kreactor.core.log.local_log import LocalLog
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.files import TEMPORARY_SUFFIX, flush_directory
from kreactor.jdk.floor import Floor
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.server.util.scheduler import Scheduler
from kreactor.storage.internals.epoch import leader_epoch_file_cache
from kreactor.storage.internals.epoch.leader_epoch_file_cache import LeaderEpochFileCache
from kreactor.storage.internals.log import batch_scan
from kreactor.storage.internals.log.aborted_txn import AbortedTxn
from kreactor.storage.internals.log.batch_scan import CONTROL_MASK, TRANSACTIONAL_MASK, Batch
from kreactor.storage.internals.log.corrupt_index_exception import CorruptIndexException
from kreactor.storage.internals.log.log_config import MAX_LONG, LogConfig
from kreactor.storage.internals.log.log_file_utils import (
    CLEANED_SUFFIX,
    DELETED_SUFFIX,
    INDEX_SUFFIX,
    LOG_SUFFIX,
    SWAP_SUFFIX,
    TIME_INDEX_SUFFIX,
    TXN_INDEX_SUFFIX,
    file_name,
    offset_of_file_name,
)
from kreactor.storage.internals.log.log_offset_metadata import LogOffsetMetadata
from kreactor.storage.internals.log.log_segment import LogSegment
from kreactor.storage.internals.log.log_segments import LogSegments
from kreactor.storage.internals.log.log_validator import NO_APPEND_METRICS, MetricsRecorder
from kreactor.storage.internals.log.open_files import OpenFiles
from kreactor.storage.internals.log.producer_state_manager import (
    DEFAULT_MAX_TRANSACTION_TIMEOUT_MS,
    ProducerStateManager,
)
from kreactor.storage.internals.log.producer_state_manager_config import ProducerStateManagerConfig

_MAGIC_V2 = RecordBatch.MAGIC_VALUE_V2
_NO_PRODUCER_ID = RecordBatch.NO_PRODUCER_ID
_MAX_INT = 2**31 - 1

_SEGMENT_SUFFIXES = (LOG_SUFFIX, INDEX_SUFFIX, TIME_INDEX_SUFFIX, TXN_INDEX_SUFFIX)

log = LogContext().logger(__name__)


def load(topic_partition: TopicPartition, topic_id: Uuid | None, directory: str, config: LogConfig,
         files: OpenFiles, scheduler: Scheduler, time: Time, *, clean: bool, recovery_point: int = 0,
         log_start_offset: int = 0, was_cleaned: bool = False,
         max_transaction_timeout_ms: int = DEFAULT_MAX_TRANSACTION_TIMEOUT_MS,
         producer_state_config: ProducerStateManagerConfig | None = None,
         append_metrics: MetricsRecorder = NO_APPEND_METRICS, fidelity_strict: bool = False) -> UnifiedLog:
    """Open the log in ``directory``, which must exist; an empty folder is an empty log.

    ``clean`` is True after a clean shutdown, ``was_cleaned`` if the log was ever compacted. Raises
    KafkaException for a segment that is too large, or OSError.

    :origin: kafka.log.LogLoader#load
    """
    _complete_swaps(directory, config, files, time)
    _remove_leftovers(directory)
    epochs = LeaderEpochFileCache(os.path.join(directory, leader_epoch_file_cache.FILE_NAME))
    producer_state = ProducerStateManager(
        topic_partition, directory, max_transaction_timeout_ms,
        ProducerStateManagerConfig() if producer_state_config is None else producer_state_config)
    opened = [LogSegment.open(directory, base_offset, config, files, time)
              for base_offset in _base_offsets(directory)]
    segments = opened
    try:
        segments = _split_overflowed_segments(opened, directory, config, files, scheduler, time)
        # The segments whose index of aborted transactions must be rebuilt.
        parts = set(segments).difference(opened)
        damaged = _load_txn_indexes(directory, segments) | parts
        first, next_offset = _first_to_recover(segments, clean, recovery_point)
        if not epochs.entries():
            _restore_lost_epochs(segments[:first], epochs)
        is_recovered = first < len(segments)
        if is_recovered:
            _rebuild_producer_state(producer_state, segments, damaged, log_start_offset,
                                    segments[first].base_offset(), time)
            segments = _recover(topic_partition, segments, first, epochs, producer_state,
                                config, scheduler, config.compact or was_cleaned)
        log_end_offset = log_start_offset
        if segments:
            log_end_offset = segments[-1].next_offset() if next_offset is None else next_offset
            if log_end_offset < log_start_offset:
                log.warn("The log of %s ends at %d, before its start %d: it restarts there", topic_partition,
                         log_end_offset, log_start_offset)
                _remove_and_delete_segments_async(segments, config, scheduler)
                segments, is_recovered = [], False
                producer_state.truncate_fully_and_start_at(log_start_offset)
                log_end_offset = log_start_offset
        if segments:
            log_start_offset = max(log_start_offset, segments[0].base_offset())
            segments[-1].activate()
        else:
            segments = [LogSegment.create(directory, log_start_offset, config, files, time)]
        entries = epochs.entries()
        if entries and entries[0][1] < log_end_offset:
            epochs.truncate_from_end(log_end_offset)
            epochs.truncate_from_start(log_start_offset, sync=log_start_offset == log_end_offset)
        else:
            # The leader's epoch of an empty log begins at the log's end. Followers and consumers get that
            # offset. One write replaces all entries, so a crash does not lose the epoch.
            epochs.assign(epochs.latest_epoch() or 0, log_end_offset, sync=bool(entries))
        recovery_point = log_end_offset if clean else min(recovery_point, log_end_offset)
        producer_state.remove_stray_snapshots({segment.base_offset() for segment in segments})
        if is_recovered:
            producer_state.update_map_end_offset(log_end_offset)
            _take_snapshot(producer_state, sync=True)
        else:
            _rebuild_producer_state(producer_state, segments, damaged.intersection(segments),
                                    log_start_offset, log_end_offset, time, reload_from_clean_shutdown=clean)
        for segment in parts.intersection(segments):
            segment.save_indexes(sync=True)
        log_segments = LogSegments(topic_partition)
        log_segments.replace((), segments)
        active_segment = log_segments.active_segment()
        local_log = LocalLog(
            directory, config, log_segments, recovery_point,
            LogOffsetMetadata(log_end_offset, active_segment.base_offset(), active_segment.size()), scheduler,
            time, topic_partition, files)
        return UnifiedLog(log_start_offset, local_log, epochs, producer_state, topic_id, append_metrics,
                          fidelity_strict)
    except BaseException:
        # No log owns the files yet, so the loader closes them.
        for segment in {*opened, *segments}:
            segment.close()
        raise


def _complete_swaps(directory: str, config: LogConfig, files: OpenFiles, time: Time) -> None:
    """Complete or undo a cleaning that a crash interrupted. Raises KafkaException, or OSError.

    :origin: kafka.log.LogLoader#removeTempFilesAndCollectSwapFiles
    """
    names = sorted(Floor.os.listdir(directory))
    cleaned = [name for name in names if name.endswith(CLEANED_SUFFIX)]
    # For example a segment that was split, with some of the parts missing.
    from_offset = min(map(offset_of_file_name, cleaned), default=MAX_LONG)
    swaps = []
    for name in names:
        if name.endswith(SWAP_SUFFIX):
            if offset_of_file_name(name) < from_offset:
                swaps.append(name)
            else:
                Floor.os.remove(os.path.join(directory, name))
    for name in cleaned:
        Floor.os.remove(os.path.join(directory, name))
    if not swaps:
        return

    first, end = MAX_LONG, -1
    for name in swaps:
        if name.endswith(LOG_SUFFIX + SWAP_SUFFIX):
            log.info("completing the swap of %s, which a crash interrupted", name)
            segment = LogSegment.open(directory, offset_of_file_name(name), config, files, time, SWAP_SUFFIX)
            first = min(first, segment.base_offset())
            # Without the indexes, which would be made if they are missing: see D403.
            for batch in batch_scan.scan(segment.channel(), 0, segment.size(), verify=False):
                end = max(end, batch.last_offset + 1)
            segment.close()
    for name in names:
        if name.endswith(_SEGMENT_SUFFIXES) and first <= offset_of_file_name(name) < end:
            log.info("deleting %s, which a compacted segment replaces", name)
            Floor.os.remove(os.path.join(directory, name))
    # DEVIATION D403: the files of batches come first. After a kill, the next start would take another file
    # for one of the old segment, and delete it.
    for name in sorted(swaps, key=lambda name: (not name.endswith(LOG_SUFFIX + SWAP_SUFFIX), name)):
        path = os.path.join(directory, name)
        Floor.os.replace(path, path[:-len(SWAP_SUFFIX)])
    flush_directory(directory)


def _remove_leftovers(directory: str) -> None:
    """Delete the files of unfinished deletions and writes, and indexes without a segment."""
    names = set(Floor.os.listdir(directory))
    for name in names:
        stem, suffix = os.path.splitext(name)
        orphaned = (suffix in (INDEX_SUFFIX, TIME_INDEX_SUFFIX, TXN_INDEX_SUFFIX)
                    and stem + LOG_SUFFIX not in names)
        if suffix in (DELETED_SUFFIX, TEMPORARY_SUFFIX) or orphaned:
            Floor.os.remove(os.path.join(directory, name))


def _split_overflowed_segments(segments: list[LogSegment], directory: str, config: LogConfig,
                               files: OpenFiles, scheduler: Scheduler, time: Time) -> list[LogSegment]:
    """Return the segments, after splitting each one that has offsets too far from its base offset.

    Kafka before 1.1 merged such segments when it compacted a log. Raises CorruptRecordException, or OSError.

    :origin: kafka.log.LogLoader#retryOnOffsetOverflow
    """
    found: list[LogSegment] = []
    for slot, segment in enumerate(segments):
        # No batch ends beyond the next segment's base offset. The last segment was never compacted.
        may_overflow = (slot + 1 < len(segments)
                        and segments[slot + 1].base_offset() - segment.base_offset() > _MAX_INT)
        if may_overflow and _has_overflow(segment):
            found += _split_overflowed_segment(segment, directory, config, files, scheduler, time)
        else:
            found.append(segment)
    return found


def _has_overflow(segment: LogSegment) -> bool:
    """Return whether a batch ends too far from the segment's base offset for the indexes."""
    try:
        return any(batch.last_offset - segment.base_offset() > _MAX_INT
                   for batch in batch_scan.scan(segment.channel(), 0, segment.size(), verify=False))
    except CorruptRecordException:
        return False  # recovery truncates it


def _split_overflowed_segment(segment: LogSegment, directory: str, config: LogConfig, files: OpenFiles,
                              scheduler: Scheduler, time: Time) -> list[LogSegment]:
    """Copy the batches of a segment to several new ones, replace it by those, and return them.

    Raises IllegalArgumentException for a segment whose offsets are all close to its base offset,
    CorruptRecordException, or OSError. After a crash the next start finds either the one segment or the new
    ones.

    DEVIATION D403: the new ones have no index files yet. So a start after a crash also rebuilds their index
    of aborted transactions, which the caller rebuilds otherwise. Kafka does not rebuild it before the
    recovery point.

    :origin: kafka.log.LocalLog#splitOverflowedSegment
    """
    if not _has_overflow(segment):
        raise IllegalArgumentException(f"Split operation is only permitted for segments with overflow, and "
                                       f"{segment} has none")
    log.info("Splitting overflowed segment %s", segment)
    channel = segment.channel()
    new_segments: list[LogSegment] = []
    try:
        for batch in batch_scan.scan(channel, 0, segment.size(), verify=False):
            records = MemoryRecords.readable_records(
                ByteBuffer.wrap(channel.read_at(batch.size, batch.position)))
            if not new_segments or batch.last_offset - new_segments[-1].base_offset() > _MAX_INT:
                base_offset = next(iter(records.batches())).base_offset()
                new_segments.append(
                    LogSegment.create(directory, base_offset, config, files, time, CLEANED_SUFFIX))
            new_segments[-1].append_records(records)
    except BaseException:
        for new_segment in new_segments:
            new_segment.close()
        raise
    last_modified_ms = segment.last_modified_ms()
    for new_segment in new_segments:
        new_segment.seal()
        new_segment.channel().force(True)
        new_segment.set_last_modified_ms(last_modified_ms)
    for new_segment in reversed(new_segments):
        new_segment.change_file_suffixes(CLEANED_SUFFIX, SWAP_SUFFIX)
    segment.mark_deleted()
    for new_segment in new_segments:
        new_segment.change_file_suffixes(SWAP_SUFFIX, "")
    flush_directory(directory)
    scheduler.schedule_once("delete-file", segment.delete_files, config.file_delete_delay_ms)
    return new_segments


def _base_offsets(directory: str) -> list[int]:
    """:origin: kafka.log.LogLoader#loadSegmentFiles"""
    return sorted(offset_of_file_name(name) for name in Floor.os.listdir(directory)
                  if name.endswith(LOG_SUFFIX) and name[:-len(LOG_SUFFIX)].isdecimal())


def _load_txn_indexes(directory: str, segments: list[LogSegment]) -> set[LogSegment]:
    """Load the existing indexes of aborted transactions; return the segments whose index must be rebuilt.

    A segment without aborted transactions has no such file. A segment without an offset index has lost files,
    and may have lost this one, too.
    """
    names = set(Floor.os.listdir(directory))
    damaged = set()
    for segment in segments:
        if file_name(segment.base_offset(), INDEX_SUFFIX) not in names:
            if segment.size():
                damaged.add(segment)
        elif file_name(segment.base_offset(), TXN_INDEX_SUFFIX) in names:
            try:
                segment.load_txn_index()
            except CorruptIndexException as e:
                log.warn("rebuilding the aborted transactions of %s: %s", segment.path(TXN_INDEX_SUFFIX), e)
                damaged.add(segment)
    return damaged


def _first_to_recover(segments: list[LogSegment], clean: bool, recovery_point: int) -> tuple[int, int | None]:
    """Return the position of the first segment to read completely, and None.

    If there is no such segment, returns the number of segments and the log's end.
    """
    if not clean:
        return max((slot for slot, segment in enumerate(segments) if segment.base_offset() <= recovery_point),
                   default=0), None
    if not segments:
        return 0, None
    try:
        return len(segments), segments[-1].next_offset()
    except CorruptRecordException as e:
        log.warn("%s must be recovered despite the clean shutdown: %s", segments[-1].path(), e)
        return len(segments) - 1, None


def _recover_segment(segment: LogSegment, epochs: LeaderEpochFileCache, producer_state: ProducerStateManager,
                     may_have_gaps: bool) -> tuple[int, bool]:
    """Rebuild a segment's indexes from its valid batches, and cut off the rest.

    ``producer_state`` covers the log up to the segment before, and up to its end afterwards. Returns the next
    expected offset, and whether the segment was cut.

    :origin: kafka.log.LogLoader#recoverSegment
    """
    indexer = segment.start_recovery()
    segment.reset_txn_index()
    next_offset = segment.base_offset()
    valid_bytes = 0
    try:
        for batch in batch_scan.scan(segment.channel(), 0, segment.size(), verify=True):
            if batch.magic == _MAGIC_V2:
                _check_order(batch, next_offset, may_have_gaps)
            elif batch.last_offset < next_offset:
                raise CorruptRecordException(f"offset {batch.last_offset} comes twice")
            indexer.add(batch)
            valid_bytes = batch.position + batch.size
            next_offset = batch.last_offset + 1
            if batch.magic == _MAGIC_V2:
                _restore_epoch(batch, epochs)
            _update_producer_state(producer_state, segment, batch, fills_txn_index=True)
    except (CorruptRecordException, InvalidRecordException) as e:
        log.warn("%s is valid up to byte %d, offset %d, then invalid: %s", segment.path(), valid_bytes,
                 next_offset, e)
    producer_state.update_map_end_offset(next_offset)
    cut = segment.finish_recovery(valid_bytes, indexer)
    segment.finish_txn_index_recovery()
    return next_offset, cut > 0


def _check_order(batch: Batch, next_offset: int, may_have_gaps: bool) -> None:
    # DEVIATION D71: Kafka accepts a gap in front of any batch.
    follows = batch.base_offset == next_offset or may_have_gaps and batch.base_offset > next_offset
    if not follows or batch.last_offset < batch.base_offset:
        raise CorruptRecordException(f"a batch of offsets {batch.base_offset} to {batch.last_offset} stands "
                                     f"where {next_offset} is due")


def _restore_epoch(batch: Batch, epochs: LeaderEpochFileCache) -> None:
    """Restore an epoch that the file has lost."""
    latest = epochs.latest_epoch()
    if batch.leader_epoch >= 0 and (latest is None or batch.leader_epoch > latest):
        epochs.assign(batch.leader_epoch, batch.base_offset, sync=False)


def _restore_lost_epochs(segments: list[LogSegment], epochs: LeaderEpochFileCache) -> None:
    """Take the epochs of a lost file from the headers of segments that are not recovered. Raises OSError.

    DEVIATION D402: Kafka begins with no epoch, and its controller knows the latest one. Here a broker without
    a cluster would lead with epoch 0 again, and later records would have a lower epoch than former ones.

    One write has all epochs, because after a crash a file with some of them would not count as lost.
    """
    found: list[tuple[int, int]] = []
    try:
        for segment in segments:
            for batch in batch_scan.scan(segment.channel(), 0, segment.size(), verify=False):
                if batch.leader_epoch > (found[-1][0] if found else RecordBatch.NO_PARTITION_LEADER_EPOCH):
                    found.append((batch.leader_epoch, batch.base_offset))
    except CorruptRecordException as e:
        log.warn("the leader epochs of later batches are not known: %s", e)
    if found:
        epochs.assign_all(found)


def _rebuild_producer_state(producer_state: ProducerStateManager, segments: list[LogSegment],
                            damaged: set[LogSegment], log_start_offset: int, last_offset: int, time: Time,
                            reload_from_clean_shutdown: bool = False) -> None:
    """Rebuild the producers' state up to ``last_offset``, from the latest snapshot before it and the batches
    after that.

    Each segment of ``damaged`` before ``last_offset`` is read from its beginning, to rebuild its index of
    aborted transactions. A log that was closed cleanly without a snapshot has no producers.
    """
    for offset in producer_state.snapshot_offsets():
        # The batches after an earlier snapshot are deleted, so the state would be stale.
        if offset < segments[0].base_offset():
            producer_state.delete_snapshot(offset)
    to_snapshot = [segment.base_offset() for segment in segments[-2:]]
    damaged = {segment for segment in damaged if segment.base_offset() < last_offset}
    if reload_from_clean_shutdown and not damaged and not producer_state.snapshot_offsets():
        for offset in (*to_snapshot, last_offset):
            producer_state.update_map_end_offset(offset)
            _take_snapshot(producer_state, sync=offset == last_offset)
        return
    for segment in damaged:
        segment.reset_txn_index()
    reload_offset = min((segment.base_offset() for segment in damaged), default=last_offset)
    producer_state.truncate_and_reload(log_start_offset, reload_offset, time.milliseconds())
    from_offset = producer_state.map_end_offset()
    for slot, segment in enumerate(segments):
        if segment.base_offset() >= last_offset or from_offset >= last_offset:
            break
        if slot + 1 == len(segments) or segments[slot + 1].base_offset() > from_offset:
            start = segment.base_offset()
            if segment not in damaged:
                # A transaction that began before the log's start may have been aborted after it.
                start = max(start, producer_state.map_end_offset(), log_start_offset)
            producer_state.update_map_end_offset(start)
            if segment.base_offset() in to_snapshot:
                _take_snapshot(producer_state, sync=False)
            _load_producers_from_records(producer_state, segment, start, segment in damaged)
    for segment in damaged:
        segment.finish_txn_index_recovery()
    producer_state.update_map_end_offset(last_offset)
    _take_snapshot(producer_state, sync=True)


def _take_snapshot(producer_state: ProducerStateManager, sync: bool) -> None:
    try:
        producer_state.take_snapshot(sync)
    except OSError as e:
        log.warn("failed to write a snapshot of producers, the next start reads the batches again: %s", e)


def _load_producers_from_records(producer_state: ProducerStateManager, segment: LogSegment, start: int,
                                 fills_txn_index: bool) -> None:
    """Pass the batches of a segment to the producers' state, from offset ``start`` on."""
    position = 0
    # A segment that lost its index files gets the other indexes only after that of aborted transactions.
    if start > segment.base_offset():
        found = segment.locate(start, segment.size())
        if found is None:
            return
        position, _ = found
    for batch in batch_scan.scan(segment.channel(), position, segment.size(), verify=False):
        _update_producer_state(producer_state, segment, batch, fills_txn_index)


def _update_producer_state(producer_state: ProducerStateManager, segment: LogSegment, batch: Batch,
                           fills_txn_index: bool) -> None:
    if batch.producer_id <= _NO_PRODUCER_ID:
        return
    if batch.attributes & CONTROL_MASK:
        _replay_marker(producer_state, segment, batch, fills_txn_index)
    else:
        producer_state.append_batch(batch.producer_id, batch.producer_epoch, batch.last_sequence(),
                                    batch.base_offset, batch.last_offset, batch.max_timestamp,
                                    batch.attributes & TRANSACTIONAL_MASK != 0)


def _replay_marker(producer_state: ProducerStateManager, segment: LogSegment, batch: Batch,
                   fills_txn_index: bool) -> None:
    data = segment.channel().read_at(batch.size, batch.position)
    try:
        marker = next(((EndTransactionMarker.deserialize(record), record.timestamp())
                       for record in DefaultRecordBatch(ByteBuffer.wrap(data))), None)
    except (InvalidRecordException, IllegalArgumentException) as e:
        log.warn("%s: skipping the unknown control batch at offset %d: %s", segment.path(),
                 batch.base_offset, e)
        return
    if marker is None:
        return
    completed_txn = producer_state.append_end_txn_marker(
        batch.producer_id, batch.producer_epoch, marker[0].coordinator_epoch(), batch.base_offset, marker[1],
        marker[0].control_type() is ControlRecordType.ABORT)
    if completed_txn is not None:
        if completed_txn.is_aborted and fills_txn_index:
            segment.update_txn_index(AbortedTxn(
                batch.producer_id, completed_txn.first_offset, batch.base_offset,
                producer_state.last_stable_offset(completed_txn)))
        producer_state.complete_txn(completed_txn)


def _recover(topic_partition: TopicPartition, segments: list[LogSegment], first: int,
             epochs: LeaderEpochFileCache, producer_state: ProducerStateManager, config: LogConfig,
             scheduler: Scheduler, may_have_gaps: bool) -> list[LogSegment]:
    """Recover the segments from position ``first`` on, up to the first invalid batch; return the remaining
    segments.

    :origin: kafka.log.LogLoader#recoverLog
    """
    due: int | None = None
    for slot in range(first, len(segments)):
        segment = segments[slot]
        if due is not None and segment.base_offset() != due and not (
                may_have_gaps and segment.base_offset() > due):
            log.warn("The log of %s ends at %d, but %s does not begin there", topic_partition, due, segment)
            return _delete_segments_from(topic_partition, segments, slot, config, scheduler)
        producer_state.update_map_end_offset(segment.base_offset())
        _take_snapshot(producer_state, sync=False)
        due, was_cut = _recover_segment(segment, epochs, producer_state, may_have_gaps)
        if was_cut:
            return _delete_segments_from(topic_partition, segments, slot + 1, config, scheduler)
    return segments


def _delete_segments_from(topic_partition: TopicPartition, segments: list[LogSegment], slot: int,
                          config: LogConfig, scheduler: Scheduler) -> list[LogSegment]:
    """Delete the segments from position ``slot`` on; return the segments before it."""
    if segments[slot:]:
        log.warn("Deleting segments after the end of the log of %s: %s", topic_partition, segments[slot:])
        _remove_and_delete_segments_async(segments[slot:], config, scheduler)
    return segments[:slot]


def _remove_and_delete_segments_async(segments_to_delete: list[LogSegment], config: LogConfig,
                                      scheduler: Scheduler) -> None:
    """Rename the files of segments that the log loses; delete them after ``file.delete.delay.ms``.

    Until then a person can save the files from a wrong recovery. Raises OSError.

    :origin: kafka.log.LogLoader#removeAndDeleteSegmentsAsync
    """
    for segment in segments_to_delete:
        segment.mark_deleted()

    def delete_segments() -> None:
        for segment in segments_to_delete:
            try:
                segment.delete_files()
            except OSError as e:
                log.warn("Failed to delete the files of a segment: %s", e)

    scheduler.schedule_once("delete-file", delete_segments, config.file_delete_delay_ms)
