# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.log.LogLoader of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Opening a partition's folder: what is there, how much of it is whole, who wrote it.

After a clean stop the files are taken as they are. After any other end, the segments from the recovery point
on, those that the disk was never made to confirm, are read from beginning to end: at the first batch whose
checksum is wrong, or that does not go on where the one before ended, the log is cut off. Acknowledged
records lie before that point as long as the machine itself did not fail, for it was in the file by
then.

The index of aborted transactions cannot be made from its own segment alone: it takes who had a transaction
open where the segment begins. So it is made where the producers are brought to the end of the log, which
begins no later than the first segment that needs it.

DEVIATION D455: functions load a log and return it. Kafka has a class, and returns offsets.

DEVIATION D71: a batch must follow the one before without a gap, and bear the leader epoch that was noted
before its offset was given. Neither offset nor epoch is under the checksum. Kafka's logs may have gaps, which
compaction leaves; here only those of the topics that are compacted, or were once.

The cleaner writes a segment that takes the place of others under names that end with ``.cleaned``. A crash
then finds

====================================================  ======================================================
files                                                 what becomes of them
====================================================  ======================================================
some end with ``.cleaned``                            they go, and those of the same offset or a later one
                                                      that end with ``.swap``: the old segments are whole
all of the new segment end with ``.swap``             the old segments in its range of offsets go, and its
                                                      files get their names
some of the new segment end with ``.swap``, and that  they get their names: the old segments were gone before
of the batches does not                               the first of them was renamed
====================================================  ======================================================

One thread, which nobody disturbs: the log is not known to anybody yet.
"""

from __future__ import annotations

import os

from kreactor.common.errors import CorruptRecordException
from kreactor.common.invalid_record_exception import InvalidRecordException
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.end_transaction_marker import EndTransactionMarker
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.common.uuid import Uuid
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.files import TEMPORARY_SUFFIX, flush_directory
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
    offset_of_file_name,
)
from kreactor.storage.internals.log.log_segment import LogSegment
from kreactor.storage.internals.log.log_validator import NO_APPEND_METRICS, MetricsRecorder
from kreactor.storage.internals.log.open_files import OpenFiles
from kreactor.storage.internals.log.producer_state_manager import (
    DEFAULT_MAX_TRANSACTION_TIMEOUT_MS,
    ProducerStateManager,
)
from kreactor.storage.internals.log.producer_state_manager_config import ProducerStateManagerConfig

OMITTED = {
    "kafka.log.LogLoader": "D455: functions load a log; nothing is asked of the loader after it",
}

_MAGIC_V2 = RecordBatch.MAGIC_VALUE_V2
_NO_PRODUCER_ID = RecordBatch.NO_PRODUCER_ID
_NO_LEADER_EPOCH = RecordBatch.NO_PARTITION_LEADER_EPOCH

_SEGMENT_SUFFIXES = (LOG_SUFFIX, INDEX_SUFFIX, TIME_INDEX_SUFFIX, TXN_INDEX_SUFFIX)

log = LogContext().logger(__name__)


def load(topic_partition: TopicPartition, topic_id: Uuid | None, directory: str, config: LogConfig,
         files: OpenFiles, scheduler: Scheduler, time: Time, *, clean: bool, recovery_point: int = 0,
         log_start_offset: int = 0, was_cleaned: bool = False,
         max_transaction_timeout_ms: int = DEFAULT_MAX_TRANSACTION_TIMEOUT_MS,
         producer_state_config: ProducerStateManagerConfig | None = None,
         append_metrics: MetricsRecorder = NO_APPEND_METRICS) -> UnifiedLog:
    """Open the log in ``directory``, which exists; an empty folder is an empty log.

    ``clean`` says that it was closed by a clean stop, ``was_cleaned`` that the log was compacted once. Raises
    KafkaException for a segment that is too large, or OSError.

    :origin: kafka.log.LogLoader#load
    """
    _complete_swaps(directory, config, files, time)
    _remove_leftovers(directory)
    epochs = LeaderEpochFileCache(os.path.join(directory, leader_epoch_file_cache.FILE_NAME))
    producer_state = ProducerStateManager(
        topic_partition, directory, max_transaction_timeout_ms,
        ProducerStateManagerConfig() if producer_state_config is None else producer_state_config)
    segments = [LogSegment.open(directory, base_offset, config, files, time)
                for base_offset in _base_offsets(directory)]
    # Those whose index of aborted transactions is not to be believed.
    recovered = _load_txn_indexes(directory, segments)
    if not clean:
        segments = _recover(topic_partition, segments, recovery_point, epochs, recovered,
                            config.compact or was_cleaned)
    log_end_offset = log_start_offset
    if segments:
        log_end_offset = _next_offset(segments[-1], epochs, recovered, config.compact or was_cleaned)
        if log_end_offset < log_start_offset:
            log.warn("The log of %s ends at %d, before its start %d: it begins anew there", topic_partition,
                     log_end_offset, log_start_offset)
            for segment in segments:
                segment.delete_files()
            segments = []
            epochs.truncate_from_end(0)
            producer_state.truncate_fully_and_start_at(log_start_offset)
            log_end_offset = log_start_offset
    if segments:
        log_start_offset = max(log_start_offset, segments[0].base_offset())
        segments[-1].activate()
    else:
        segments = [LogSegment.create(directory, log_start_offset, config, files, time)]
    latest_epoch = epochs.latest_epoch()
    epochs.truncate_from_end(log_end_offset)
    epochs.truncate_from_start(log_start_offset)
    if not epochs.entries():
        # The leader of an empty log begins at its end, and tells followers and consumers so.
        epochs.assign(latest_epoch or 0, log_end_offset, sync=False)
    recovery_point = log_end_offset if clean else min(recovery_point, log_end_offset)
    _load_producers(producer_state, segments, recovered, log_start_offset, log_end_offset, time)
    return UnifiedLog(topic_partition, topic_id, directory, config, files, scheduler, time, segments,
                      log_start_offset, log_end_offset, recovery_point, epochs, producer_state,
                      append_metrics)


def _complete_swaps(directory: str, config: LogConfig, files: OpenFiles, time: Time) -> None:
    """Bring a cleaning that a crash has ended to its end, or undo it. Raises KafkaException, or OSError.

    :origin: kafka.log.LogLoader#removeTempFilesAndCollectSwapFiles
    """
    names = sorted(os.listdir(directory))
    cleaned = [name for name in names if name.endswith(CLEANED_SUFFIX)]
    # As of a segment that was split, of whose parts not all were written.
    from_offset = min(map(offset_of_file_name, cleaned), default=MAX_LONG)
    swaps = []
    for name in names:
        if name.endswith(SWAP_SUFFIX):
            if offset_of_file_name(name) < from_offset:
                swaps.append(name)
            else:
                os.remove(os.path.join(directory, name))
    for name in cleaned:
        os.remove(os.path.join(directory, name))
    if not swaps:
        return

    first, end = MAX_LONG, -1
    for name in swaps:
        if name.endswith(LOG_SUFFIX + SWAP_SUFFIX):
            log.info("%s is from a swap that a crash has interrupted, and which is completed now", name)
            segment = LogSegment.open(directory, offset_of_file_name(name), config, files, time, SWAP_SUFFIX)
            first, end = min(first, segment.base_offset()), max(end, segment.next_offset())
            segment.close()
    for name in names:
        if name.endswith(_SEGMENT_SUFFIXES) and first <= offset_of_file_name(name) < end:
            log.info("%s was compacted, and goes", name)
            os.remove(os.path.join(directory, name))
    # Those of indexes that had to be made anew, too.
    for name in os.listdir(directory):
        if name.endswith(SWAP_SUFFIX):
            path = os.path.join(directory, name)
            os.replace(path, path[:-len(SWAP_SUFFIX)])
    flush_directory(directory)


def _remove_leftovers(directory: str) -> None:
    """Remove what was being deleted or written, and indexes without their records."""
    names = set(os.listdir(directory))
    for name in names:
        stem, suffix = os.path.splitext(name)
        orphaned = (suffix in (INDEX_SUFFIX, TIME_INDEX_SUFFIX, TXN_INDEX_SUFFIX)
                    and stem + LOG_SUFFIX not in names)
        if suffix in (DELETED_SUFFIX, TEMPORARY_SUFFIX) or orphaned:
            os.remove(os.path.join(directory, name))


def _base_offsets(directory: str) -> list[int]:
    """:origin: kafka.log.LogLoader#loadSegmentFiles"""
    return sorted(offset_of_file_name(name) for name in os.listdir(directory)
                  if name.endswith(LOG_SUFFIX) and name[:-len(LOG_SUFFIX)].isdecimal())


def _load_txn_indexes(directory: str, segments: list[LogSegment]) -> set[LogSegment]:
    """Read the indexes of aborted transactions that there are; return the segments whose are damaged."""
    names = set(os.listdir(directory))
    damaged = set()
    for segment in segments:
        path = segment.path(TXN_INDEX_SUFFIX)
        if os.path.basename(path) in names:
            try:
                segment.load_txn_index()
            except CorruptIndexException as e:
                log.warn("The aborted transactions in %s are looked for anew: %s", path, e)
                damaged.add(segment)
    return damaged


def _recover_segment(segment: LogSegment, epochs: LeaderEpochFileCache, recovered: set[LogSegment],
                     may_have_gaps: bool) -> tuple[int, bool]:
    """Make a segment's indexes anew from what is right in it, and cut off the rest.

    That of aborted transactions becomes empty; if there are markers, the segment is in ``recovered`` then.
    Returns the offset that is due next, and whether anything was cut off.

    :origin: kafka.log.LogLoader#recoverSegment
    """
    indexer = segment.start_recovery()
    # Taken before epochs that the file does not have are found in the records.
    epochs_are_known = bool(epochs.entries())
    next_offset = segment.base_offset()
    valid_bytes = 0
    has_markers = False
    try:
        for batch in batch_scan.scan(segment.channel(), 0, segment.size(), verify=True):
            if batch.magic == _MAGIC_V2:
                _check_order(batch, next_offset, may_have_gaps)
                _check_epoch(batch, epochs, epochs_are_known)
            elif batch.last_offset < next_offset:
                raise CorruptRecordException(f"offset {batch.last_offset} comes twice")
            indexer.add(batch)
            has_markers = has_markers or batch.attributes & CONTROL_MASK != 0
            valid_bytes = batch.position + batch.size
            next_offset = batch.last_offset + 1
    except (CorruptRecordException, InvalidRecordException) as e:
        log.warn("%s is right up to byte %d, offset %d, and wrong after it: %s", segment.path(), valid_bytes,
                 next_offset, e)
    cut = segment.finish_recovery(valid_bytes, indexer)
    segment.reset_txn_index()
    if has_markers:
        recovered.add(segment)
    else:
        segment.finish_txn_index_recovery()
        recovered.discard(segment)
    return next_offset, cut > 0


def _check_order(batch: Batch, next_offset: int, may_have_gaps: bool) -> None:
    follows = batch.base_offset == next_offset or may_have_gaps and batch.base_offset > next_offset
    if not follows or batch.last_offset < batch.base_offset:
        raise CorruptRecordException(f"a batch of offsets {batch.base_offset} to {batch.last_offset} stands "
                                     f"where {next_offset} is due")


def _check_epoch(batch: Batch, epochs: LeaderEpochFileCache, epochs_are_known: bool) -> None:
    epoch = batch.leader_epoch
    if epoch == _NO_LEADER_EPOCH:
        return
    if epochs_are_known:
        expected = epochs.epoch_for_offset(batch.base_offset)
        if expected is not None and epoch != expected:
            raise CorruptRecordException(f"a batch at offset {batch.base_offset} has leader epoch {epoch}, "
                                         f"and {expected} was the leader's")
        return
    latest = epochs.latest_epoch()
    if epoch < 0 or latest is not None and epoch < latest:
        raise CorruptRecordException(f"leader epoch {epoch} comes after {latest}")
    if latest is None or epoch > latest:
        epochs.assign(epoch, batch.base_offset, sync=False)


def _next_offset(segment: LogSegment, epochs: LeaderEpochFileCache, recovered: set[LogSegment],
                 may_have_gaps: bool) -> int:
    """Return the end of a log that was closed cleanly or recovered; the latter may turn out only now."""
    try:
        return segment.next_offset()
    except CorruptRecordException as e:
        log.warn("%s was to be taken as it is, and cannot be: %s", segment.path(), e)
        _recover_segment(segment, epochs, recovered, may_have_gaps)
        return segment.next_offset()


def _load_producers(producer_state: ProducerStateManager, segments: list[LogSegment],
                    recovered: set[LogSegment], log_start_offset: int, log_end_offset: int,
                    time: Time) -> None:
    """Bring the producers to the end of the log: from the latest snapshot, and the batches after it.

    Each segment of ``recovered`` is read from its beginning, for its index of aborted transactions.
    """
    recovered = recovered.intersection(segments)
    for segment in recovered:
        segment.reset_txn_index()
    reload_offset = min((segment.base_offset() for segment in recovered), default=log_end_offset)
    producer_state.remove_stray_snapshots({segment.base_offset() for segment in segments})
    producer_state.truncate_and_reload(log_start_offset, reload_offset, time.milliseconds())
    start = producer_state.map_end_offset()
    for slot, segment in enumerate(segments):
        if start >= log_end_offset:
            break
        if slot + 1 == len(segments) or segments[slot + 1].base_offset() > start:
            if segment.base_offset() > start:
                start = segment.base_offset()
                producer_state.update_map_end_offset(start)
                _take_snapshot(producer_state, sync=False)
            _replay(producer_state, segment, start, segment in recovered)
    for segment in recovered:
        segment.finish_txn_index_recovery()
    producer_state.update_map_end_offset(log_end_offset)
    _take_snapshot(producer_state, sync=True)


def _take_snapshot(producer_state: ProducerStateManager, sync: bool) -> None:
    try:
        producer_state.take_snapshot(sync)
    except OSError as e:
        log.warn("A snapshot of producers cannot be written; the next start reads the batches again: %s", e)


def _replay(producer_state: ProducerStateManager, segment: LogSegment, start: int,
            is_recovered: bool) -> None:
    """Show a segment's batches from offset ``start`` on to the producers' state."""
    found = segment.locate(start, segment.size())
    if found is None:
        return
    for batch in batch_scan.scan(segment.channel(), found[0], segment.size(), verify=False):
        if batch.producer_id <= _NO_PRODUCER_ID:
            continue
        if batch.attributes & CONTROL_MASK:
            _replay_marker(producer_state, segment, batch, is_recovered)
        else:
            producer_state.append_batch(batch.producer_id, batch.producer_epoch, batch.last_sequence(),
                                        batch.base_offset, batch.last_offset, batch.max_timestamp,
                                        batch.attributes & TRANSACTIONAL_MASK != 0)


def _replay_marker(producer_state: ProducerStateManager, segment: LogSegment, batch: Batch,
                   is_recovered: bool) -> None:
    data = segment.channel().read_at(batch.size, batch.position)
    try:
        marker = next(((EndTransactionMarker.deserialize(record), record.timestamp())
                       for record in DefaultRecordBatch(ByteBuffer.wrap(data))), None)
    except (InvalidRecordException, IllegalArgumentException) as e:
        log.warn("%s: the control batch at offset %d is not understood, and passed over: %s", segment.path(),
                 batch.base_offset, e)
        return
    if marker is None:
        return
    completed_txn = producer_state.append_end_txn_marker(
        batch.producer_id, batch.producer_epoch, marker[0].coordinator_epoch(), batch.base_offset, marker[1],
        marker[0].control_type() is ControlRecordType.ABORT)
    if completed_txn is not None:
        if completed_txn.is_aborted and is_recovered:
            segment.update_txn_index(AbortedTxn(
                batch.producer_id, completed_txn.first_offset, batch.base_offset,
                producer_state.last_stable_offset(completed_txn)))
        producer_state.complete_txn(completed_txn)


def _recover(topic_partition: TopicPartition, segments: list[LogSegment], recovery_point: int,
             epochs: LeaderEpochFileCache, recovered: set[LogSegment],
             may_have_gaps: bool) -> list[LogSegment]:
    """Read the segments that were not flushed, cut at the first flaw; return the segments that are left.

    Those that have markers are in ``recovered`` then.

    :origin: kafka.log.LogLoader#recoverLog
    """
    first = max((slot for slot, segment in enumerate(segments) if segment.base_offset() <= recovery_point),
                default=0)
    due: int | None = None
    for slot in range(first, len(segments)):
        segment = segments[slot]
        if due is not None and segment.base_offset() != due and not (
                may_have_gaps and segment.base_offset() > due):
            log.warn("The log of %s ends at %d, and %s does not begin there", topic_partition, due, segment)
            return _without(topic_partition, segments, slot)
        due, was_cut = _recover_segment(segment, epochs, recovered, may_have_gaps)
        if was_cut:
            return _without(topic_partition, segments, slot + 1)
    return segments


def _without(topic_partition: TopicPartition, segments: list[LogSegment], slot: int) -> list[LogSegment]:
    """Delete the segments from ``slot`` on; return those before it.

    :origin: kafka.log.LogLoader#removeAndDeleteSegmentsAsync
    """
    if segments[slot:]:
        log.warn("Segments behind the end of the log of %s are deleted: %s", topic_partition, segments[slot:])
        for segment in segments[slot:]:
            segment.delete_files()
    return segments[:slot]
