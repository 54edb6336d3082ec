# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.log.UnifiedLog of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The log of one partition: appends at the end, reads anywhere, deletes from the beginning.

A LocalLog has the files. All replicas of a partition are views of one log (see ``replication``). So the high
watermark is the end of the log as soon as a batch is in the file, unless a replica is held back.

An append makes three passes: one over all bytes for the checksum, one over a client's records to check that
they match the header (see ``record_walk``), and one write. The offset and leader epoch are written into the
batch in the request's memory, in front of the checksummed part. A batch that is irregular, or that the
topic's settings do not allow unchanged, goes through Kafka's LogValidator.

Neither max.message.bytes nor segment.bytes limits a marker, which has 78 bytes (D230). Kafka checks both. So
a topic that accepts a batch of 68 bytes can refuse the marker that ends its transaction. Kafka's
coordinator then logs the error and does not retry, and the transactional id answers CONCURRENT_TRANSACTIONS
for ever.

An append that fails before its batch is written leaves the log unchanged: a partial write is cut off, and a
segment that could not be rolled stays active. The end moves as soon as the batch is in the file, before the
producers' state changes. So no offset is assigned twice. If the cut or the state's change fails, or if the
disk does not confirm a flush, the log goes offline and logs that. The next start rebuilds the state from the
file. No acknowledged record is lost in either case, because the acknowledgement follows the write.

Readers of committed records get records only up to the last stable offset. There begins the first transaction
that is open, or whose marker is not below the high watermark. They also get the aborted transactions before
that offset. A marker enters the transaction index before that offset moves past it.

Locks: ``_lock`` guards every change, and is held while a batch is written. It is taken before the locks of
segments, indexes and open files. Readers take no lock: they take the end of the log first and look for
segments after it. Both are immutable and replaced at the end of a change, so that an end always finds its
segment. The listeners are called without any lock.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterable
from itertools import zip_longest
from typing import NoReturn

from kreactor.common.errors import (
    CorruptRecordException,
    KafkaStorageException,
    NotLeaderOrFollowerException,
    OffsetOutOfRangeException,
    RecordBatchTooLargeException,
    RecordTooLargeException,
)
from kreactor.common.invalid_record_exception import InvalidRecordException
from kreactor.common.message.describe_producers_response_data import DescribeProducersResponseData
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.end_transaction_marker import EndTransactionMarker
from kreactor.common.record.file_records import FileRecords
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.record_validation_stats import RecordValidationStats
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.primitive_ref import PrimitiveRef
from kreactor.common.uuid import Uuid
from kreactor.core.log.local_log import CLOSED_REASON, DELETED_REASON, LocalLog
from kreactor.jdk.checksums import crc32c
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.floor import Floor
from kreactor.jdk.locks import ReentrantLock
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.server.common.metadata_version import LATEST_PRODUCTION
from kreactor.server.record.broker_compression_type import BrokerCompressionType
from kreactor.storage.internals.epoch.leader_epoch_file_cache import LeaderEpochFileCache
from kreactor.storage.internals.log import log_validator, record_walk
from kreactor.storage.internals.log.aborted_txn import AbortedTxn
from kreactor.storage.internals.log.append_origin import AppendOrigin
from kreactor.storage.internals.log.batch_scan import (
    ATTRIBUTES_OFFSET,
    COMPRESSION_MASK,
    CONTROL_MASK,
    HEADER,
    HEADER_SIZE,
    LOG_OVERHEAD,
    TIMESTAMP_TYPE_MASK,
    TRANSACTIONAL_MASK,
)
from kreactor.storage.internals.log.fetch_data_info import FetchDataInfo
from kreactor.storage.internals.log.fetch_isolation import FetchIsolation
from kreactor.storage.internals.log.last_record import LastRecord
from kreactor.storage.internals.log.log_append_info import LogAppendInfo
from kreactor.storage.internals.log.log_config import MAX_LONG, LogConfig
from kreactor.storage.internals.log.log_offset_metadata import UNKNOWN_OFFSET, LogOffsetMetadata
from kreactor.storage.internals.log.log_offset_snapshot import LogOffsetSnapshot
from kreactor.storage.internals.log.log_segment import LogSegment
from kreactor.storage.internals.log.log_validator import LogValidator, MetricsRecorder
from kreactor.storage.internals.log.producer_state_entry import ProducerStateEntry
from kreactor.storage.internals.log.producer_state_manager import ProducerStateManager
from kreactor.storage.internals.log.verification_guard import VerificationGuard

# Special values in place of a time, as in ListOffsets.
LATEST_TIMESTAMP = -1
EARLIEST_TIMESTAMP = -2
MAX_TIMESTAMP = -3
EARLIEST_LOCAL_TIMESTAMP = -4

_NO_TIMESTAMP = RecordBatch.NO_TIMESTAMP
_NO_PRODUCER_ID = RecordBatch.NO_PRODUCER_ID
_NO_SEQUENCE = RecordBatch.NO_SEQUENCE
_MAX_INT = 2**31 - 1
_MAGIC_V2 = RecordBatch.MAGIC_VALUE_V2
_HIGHEST_CODEC = CompressionType.ZSTD._id
# CPython 3.11 takes 90 ns to look up an attribute of an enum.
_CLIENT, _CREATE_TIME, _LOG_END, _TXN_COMMITTED = (
    AppendOrigin.CLIENT, TimestampType.CREATE_TIME, FetchIsolation.LOG_END, FetchIsolation.TXN_COMMITTED)

_BASE_OFFSET = struct.Struct(">q")
_LEADER_EPOCH = struct.Struct(">i")
_LEADER_EPOCH_OFFSET = 12
_CRC = struct.Struct(">I")
_CRC_OFFSET = 17
_ATTRIBUTES = struct.Struct(">h")
_MAX_TIMESTAMP = struct.Struct(">q")
_MAX_TIMESTAMP_OFFSET = 35

log = LogContext().logger(f"{__name__}.UnifiedLog")

Listener = Callable[["UnifiedLog"], None]
# A segment and the next one, which is None after the active one.
DeletionPredicate = Callable[[LogSegment, LogSegment | None], bool]


class UnifiedLog:
    """One partition's records. For use by any thread. Made by ``log_loader.load``.

    :origin: kafka.log.UnifiedLog
    :origin: kafka.log.UnifiedLog
    """

    __slots__ = ("_log_start_offset", "_local_log", "_leader_epochs", "_producer_state", "_topic_id",
                 "_append_metrics", "_fidelity_strict",
                 "_topic_partition", "_time", "_lock", "_first_unstable", "_held",
                 "_listeners", "_failing")

    def __init__(self, log_start_offset: int, local_log: LocalLog, leader_epochs: LeaderEpochFileCache,
                 producer_state: ProducerStateManager, topic_id: Uuid | None,
                 append_metrics: MetricsRecorder, fidelity_strict: bool = False) -> None:
        """Take over the loaded files and state.

        ``fidelity_strict`` is ours: whether ``kreactor.fidelity`` is strict.

        :origin: kafka.log.UnifiedLog#UnifiedLog
        """
        self._topic_id = topic_id
        self._append_metrics = append_metrics
        self._fidelity_strict = fidelity_strict
        self._topic_partition = local_log.topic_partition
        self._time = local_log.time
        self._lock = ReentrantLock()

        # Written under the lock, read by any thread.
        self._log_start_offset = log_start_offset
        self._local_log = local_log
        self._first_unstable: LogOffsetMetadata | None = None
        self._listeners: tuple[Listener, ...] = ()
        # The high watermark while an in-sync replica does not follow; None if all follow.
        self._held: LogOffsetMetadata | None = None

        # Guarded by the lock.
        self._leader_epochs = leader_epochs
        self._producer_state = producer_state
        # Whether the last append failed. A full disk is logged once, not a thousand times per second.
        self._failing = False
        with self._lock:
            self._update_first_unstable_offset(local_log.log_end_offset_metadata())

    def is_strict(self) -> bool:
        """Return whether the faults of ``STRICT_DEVIATIONS`` are there."""
        return self._fidelity_strict

    def _has_no_limit(self, origin: AppendOrigin, attributes: int) -> bool:
        """Return whether a batch is a coordinator's marker, whose size has no limit."""
        # DEVIATION D230: the origin, and kreactor.fidelity=strict, check a marker's size.
        return (not self.is_strict() and origin is AppendOrigin.COORDINATOR
                and attributes & CONTROL_MASK != 0)

    def topic_id(self) -> Uuid | None:
        """Return the topic's id, None if the log has none.

        :origin: kafka.log.UnifiedLog#topicId
        """
        return self._topic_id

    def directory(self) -> str:
        """Return the log's folder.

        :origin: kafka.log.UnifiedLog#dir
        """
        return self._local_log.dir()

    def parent_dir(self) -> str:
        """Return the parent folder of the log's folder.

        :origin: kafka.log.UnifiedLog#parentDir
        """
        return self._local_log.parent_dir()

    def name(self) -> str:
        """Return the name of the log's folder.

        :origin: kafka.log.UnifiedLog#name
        """
        return self._local_log.name()

    def recovery_point(self) -> int:
        """Return the offset before which all records are durable.

        :origin: kafka.log.UnifiedLog#recoveryPoint
        """
        return self._local_log.recovery_point

    def topic_partition(self) -> TopicPartition:
        """Return the log's partition.

        :origin: kafka.log.UnifiedLog#topicPartition
        """
        return self._topic_partition

    def config(self) -> LogConfig:
        """Return the settings.

        :origin: kafka.log.UnifiedLog#config
        """
        return self._local_log.config

    def update_config(self, config: LogConfig) -> None:
        """Apply ``config`` from now on.

        :origin: kafka.log.UnifiedLog#updateConfig
        """
        with self._lock:
            self._local_log.update_config(config)

    def high_watermark(self) -> int:
        """Return the offset up to which no clean leader election loses a record: the log end, unless a
        replica is held.

        :origin: kafka.log.UnifiedLog#highWatermark
        """
        return self._high_watermark(self._local_log.log_end_offset_metadata()).message_offset

    def _high_watermark(self, end: LogOffsetMetadata) -> LogOffsetMetadata:
        """:origin: kafka.log.UnifiedLog#fetchHighWatermarkMetadata"""
        held = self._held
        return end if held is None or held.message_offset > end.message_offset else held

    def hold_high_watermark(self, offset: int | None) -> None:
        """Keep the high watermark at ``offset``, which is in the log, until a call with None.

        Raises KafkaStorageException.
        """
        with self._lock:
            end = self._local_log.log_end_offset_metadata()
            self._held = None if offset is None else self._offset_metadata(offset, end)
            self._update_first_unstable_offset(end)

    def _stable(self, end: LogOffsetMetadata) -> LogOffsetMetadata:
        """Return the offset up to which all transactions before ``end`` are completed; the caller read
        ``end`` before.

        Raises KafkaStorageException.

        :origin: kafka.log.UnifiedLog#fetchLastStableOffsetMetadata
        """
        unstable = self._first_unstable
        if unstable is None or unstable.message_offset > end.message_offset:
            return end
        if unstable.segment_base_offset < 0:
            return self._offset_metadata(unstable.message_offset, end)
        return unstable

    def last_stable_offset(self) -> int:
        """Return the offset up to which all transactions are completed.

        :origin: kafka.log.UnifiedLog#lastStableOffset
        """
        end = self._high_watermark(self._local_log.log_end_offset_metadata()).message_offset
        unstable = self._first_unstable
        return end if unstable is None else min(unstable.message_offset, end)

    def fetch_offset_snapshot(self) -> LogOffsetSnapshot:
        """Return the current offsets. Raises KafkaStorageException.

        :origin: kafka.log.UnifiedLog#fetchOffsetSnapshot
        """
        end = self._local_log.log_end_offset_metadata()
        high_watermark = self._high_watermark(end)
        return LogOffsetSnapshot(self._log_start_offset, end, high_watermark, self._stable(high_watermark))

    def remove_expired_producers(self, current_time_ms: int) -> None:
        """Remove producers that have not appended for a long time.

        :origin: kafka.log.UnifiedLog#removeExpiredProducers
        """
        with self._lock:
            self._producer_state.remove_expired_producers(current_time_ms)

    def _increment_log_start_offset(self, offset: int) -> None:
        """:origin: kafka.log.UnifiedLog#updateLogStartOffset"""
        if offset > self._log_start_offset:
            self._log_start_offset = offset
            local_log = self._local_log
            local_log.update_recovery_point(max(local_log.recovery_point, offset))
            self._leader_epochs.truncate_from_start(offset, sync=offset == local_log.log_end_offset())
            self._update_first_unstable_offset(local_log.log_end_offset_metadata())

    def has_late_transaction(self, current_time_ms: int) -> bool:
        """Return whether the oldest open transaction should have ended by now.

        :origin: kafka.log.UnifiedLog#hasLateTransaction
        """
        return self._producer_state.has_late_transaction(current_time_ms)

    def producer_id_count(self) -> int:
        """Return the number of known producers.

        :origin: kafka.log.UnifiedLog#producerIdCount
        """
        return self._producer_state.producer_id_count()

    def is_offline(self) -> bool:
        """Return whether a disk failure has taken the log out of service."""
        return self._local_log.is_offline()

    def add_listener(self, listener: Listener) -> None:
        """Call ``listener`` with this log after its end has moved, on the appending thread, without locks."""
        with self._lock:
            self._listeners = (*self._listeners, listener)

    def remove_listener(self, listener: Listener) -> None:
        """Stop calling ``listener``; a running append may still call it."""
        with self._lock:
            self._listeners = tuple(other for other in self._listeners if other is not listener)

    def active_producers(self) -> list[ProducerStateEntry]:
        """Return the state of the known producers.

        :origin: kafka.log.UnifiedLog#activeProducers
        """
        with self._lock:
            return list(self._producer_state.active_producers().values())

    def last_records_of_active_producers(self) -> dict[int, LastRecord]:
        """Return the last record of each known producer, by id.

        :origin: kafka.log.UnifiedLog#lastRecordsOfActiveProducers
        """
        with self._lock:
            return {
                producer_id: LastRecord(entry.last_data_offset() if entry.last_data_offset() >= 0 else None,
                                        entry.producer_epoch)
                for producer_id, entry in self._producer_state.active_producers().items()}

    def describe_producers(self) -> list[DescribeProducersResponseData.ProducerState]:
        """Return the producers in the form of the DescribeProducers response."""
        with self._lock:
            return [
                DescribeProducersResponseData.ProducerState(
                    producer_id=entry.producer_id,
                    producer_epoch=entry.producer_epoch,
                    last_sequence=entry.last_seq(),
                    last_timestamp=entry.last_timestamp,
                    coordinator_epoch=entry.coordinator_epoch,
                    current_txn_start_offset=(-1 if entry.current_txn_first_offset is None
                                              else entry.current_txn_first_offset))
                for entry in self._producer_state.active_producers().values()]

    def maybe_start_transaction_verification(self, producer_id: int, sequence: int,
                                             epoch: int) -> VerificationGuard:
        """Return the guard for the batch that opens a transaction.

        Returns the sentinel if the transaction is already open.

        :origin: kafka.log.UnifiedLog#maybeStartTransactionVerification
        """
        with self._lock:
            if self._producer_state.has_ongoing_transaction(producer_id):
                return VerificationGuard.SENTINEL
            return self._producer_state.maybe_create_verification_state_entry(
                producer_id, sequence, epoch, self._time.milliseconds()).verification_guard

    def verification_guard(self, producer_id: int) -> VerificationGuard:
        """Return the guard of a transaction that is being verified, else the sentinel.

        :origin: kafka.log.UnifiedLog#verificationGuard
        """
        with self._lock:
            entry = self._producer_state.verification_state_entry(producer_id)
            return VerificationGuard.SENTINEL if entry is None else entry.verification_guard

    def has_ongoing_transaction(self, producer_id: int) -> bool:
        """Return whether the producer has an open transaction.

        :origin: kafka.log.UnifiedLog#hasOngoingTransaction
        """
        with self._lock:
            return self._producer_state.has_ongoing_transaction(producer_id)

    def number_of_segments(self) -> int:
        """Return the number of segments, at least one.

        :origin: kafka.log.UnifiedLog#numberOfSegments
        """
        return self._local_log.segments.number_of_segments()

    def segments(self) -> list[LogSegment]:
        """Return the segments in order; the caller must not change the list."""
        return self._local_log.segments.values()

    def close(self) -> bool:
        """Write all state that spares the next start a recovery; return whether all of it is durable.

        A second call only returns the same result. The log is out of service afterwards.

        :origin: kafka.log.UnifiedLog#close
        """
        with self._lock:
            local_log = self._local_log
            if local_log.is_gone():
                return not local_log.is_offline()
            clean = False
            if not local_log.is_offline():
                try:
                    self._producer_state.take_snapshot(sync=True)
                    self.flush()
                    local_log.close()
                    clean = True
                except (OSError, KafkaStorageException) as e:
                    self.go_offline(f"it could not be closed, and the next start reads it all ({e})")
            local_log.close_handlers(CLOSED_REASON)
            return clean

    def abandon(self) -> None:
        """Close the files unchanged. The log is out of service afterwards."""
        with self._lock:
            self._local_log.close_handlers("it is abandoned")

    def rename_for_deletion(self, directory: str) -> None:
        """Rename the log's folder. The log is out of service afterwards, but responses that are being sent
        continue.

        The caller calls ``close_handlers`` later. Raises KafkaStorageException.

        :origin: kafka.log.UnifiedLog#renameDir
        """
        with self._lock:
            self._local_log.rename_dir(os.path.basename(directory))
            self._local_log.leave_service(DELETED_REASON)

    def go_offline(self, reason: str) -> None:
        """Take the log out of service after a failure, until the next start."""
        with self._lock:
            self._local_log.go_offline(reason)

    def close_handlers(self) -> None:
        """Close the files without writing. The log is out of service afterwards.

        :origin: kafka.log.UnifiedLog#closeHandlers
        """
        with self._lock:
            self._local_log.close_handlers()

    def append_as_leader(self, records: MemoryRecords, leader_epoch: int,
                         origin: AppendOrigin = AppendOrigin.CLIENT,
                         verification_guard: VerificationGuard = VerificationGuard.SENTINEL) -> LogAppendInfo:
        """Append the records of a client or a coordinator, and assign their offsets; this writes to the
        memory of ``records``.

        Raises the sender's error: RecordTooLargeException, RecordBatchTooLargeException,
        CorruptRecordException, InvalidRecordException, RecordValidationException,
        OutOfOrderSequenceException, InvalidProducerEpochException, InvalidTxnStateException,
        TransactionCoordinatorFencedException, or KafkaStorageException for a disk error. Then nothing was
        appended.

        :origin: kafka.log.UnifiedLog#appendAsLeader
        """
        view = records.writable_memory()
        if view.readonly:
            view = memoryview(bytearray(view))
        size = len(view)
        if size < HEADER_SIZE:
            return self._append_slowly(records, leader_epoch, origin, verification_guard)
        (base_offset, length, _, magic, crc, attributes, last_offset_delta, base_timestamp, max_timestamp,
         producer_id, producer_epoch, base_sequence, count) = HEADER.unpack_from(view)
        config = self._local_log.config
        if (magic != _MAGIC_V2 or length + LOG_OVERHEAD != size or attributes & TIMESTAMP_TYPE_MASK
                or config.compression is not None
                or config.message_timestamp_before_max_ms != MAX_LONG):
            return self._append_slowly(records, leader_epoch, origin, verification_guard)
        if base_offset != 0 and origin is _CLIENT:
            self._refuse_base_offset(base_offset)
        if size > config.max_message_size() and not self._has_no_limit(origin, attributes):
            self._refuse_size(size, size)
        if crc32c(view[ATTRIBUTES_OFFSET:]) != crc:
            self._append_metrics.record_invalid_checksums()
            raise CorruptRecordException(
                f"Record is corrupt (stored crc = {crc}) in topic partition {self._topic_partition}.")
        now = self._time.milliseconds()
        log_append_time = _NO_TIMESTAMP
        if config.message_timestamp_type is _CREATE_TIME:
            if max_timestamp - now > config.message_timestamp_after_max_ms:
                return self._append_slowly(records, leader_epoch, origin, verification_guard)
        else:
            log_append_time = now
        if attributes & COMPRESSION_MASK > _HIGHEST_CODEC:
            raise IllegalArgumentException(f"Unknown compression type id: {attributes & COMPRESSION_MASK}")
        if (last_offset_delta + 1 != count or count <= 0 or attributes & CONTROL_MASK or (
                producer_id > _NO_PRODUCER_ID and base_sequence < 0)) and origin is _CLIENT:
            log_validator.check_batch_of_client(
                self._topic_partition, 0, last_offset_delta, count, attributes & CONTROL_MASK != 0,
                producer_id, base_sequence, self._append_metrics)
        if origin is _CLIENT:
            latest_delta = max_timestamp - base_timestamp if log_append_time < 0 else None
            if not (record_walk.is_regular(view, HEADER_SIZE, count, latest_delta, config.compact)
                    if attributes & COMPRESSION_MASK == 0
                    else record_walk.is_regular_inside(view, count, latest_delta, config.compact)):
                return self._append_slowly(records, leader_epoch, origin, verification_guard)
        if log_append_time >= 0:
            max_timestamp = now
            _ATTRIBUTES.pack_into(view, ATTRIBUTES_OFFSET, attributes | TIMESTAMP_TYPE_MASK)
            _MAX_TIMESTAMP.pack_into(view, _MAX_TIMESTAMP_OFFSET, now)
            _CRC.pack_into(view, _CRC_OFFSET, crc32c(view[ATTRIBUTES_OFFSET:]))
        with self._lock:
            first_offset = self._local_log.log_end_offset()
            _BASE_OFFSET.pack_into(view, 0, first_offset)
            _LEADER_EPOCH.pack_into(view, _LEADER_EPOCH_OFFSET, leader_epoch)
            info = self._append_batch(view, first_offset, first_offset + last_offset_delta, max_timestamp,
                                      leader_epoch, attributes, producer_id, producer_epoch, base_sequence,
                                      log_append_time, now, origin, verification_guard)
        if self._listeners and not info.duplicate:
            self._tell_listeners()
        return info

    def _refuse_base_offset(self, base_offset: int) -> NoReturn:
        raise InvalidRecordException(
            f"The baseOffset of the record batch in the append to {self._topic_partition} should be 0, but "
            f"it is {base_offset}")

    def _append_batch(self, batch: memoryview, first_offset: int, last_offset: int, max_timestamp: int,
                      leader_epoch: int, attributes: int, producer_id: int, producer_epoch: int,
                      base_sequence: int, log_append_time: int, now: int, origin: AppendOrigin,
                      verification_guard: VerificationGuard,
                      stats: RecordValidationStats = RecordValidationStats.EMPTY) -> LogAppendInfo:
        """Write one batch that is validated and has its offset. Called under the lock.

        :origin: kafka.log.UnifiedLog#append
        """
        local_log = self._local_log
        if local_log.out_of_service:
            local_log.check_in_service()
        size = len(batch)
        try:
            latest_epoch = self._leader_epochs.latest_epoch()
            if leader_epoch != latest_epoch:
                if latest_epoch is not None and leader_epoch < latest_epoch:
                    raise NotLeaderOrFollowerException(
                        f"Leader epoch {leader_epoch} of {self._topic_partition} is over: the leader of "
                        f"epoch {latest_epoch} appends")
                self._leader_epochs.assign(leader_epoch, first_offset)
            config = local_log.config
            if size > config.segment_size and not self._has_no_limit(origin, attributes):
                raise RecordBatchTooLargeException(
                    f"Message batch size is {size} bytes in append to partition {self._topic_partition}, "
                    f"which exceeds the maximum configured segment size of {config.segment_size}.")
            segment = local_log.segments.active_segment()
            if segment.should_roll(size, max_timestamp, last_offset, now):
                segment = self._roll(first_offset)
        except OSError as e:
            self._append_failed(e)
        if producer_id > _NO_PRODUCER_ID:
            last_sequence = _last_sequence(base_sequence, last_offset - first_offset)
            if attributes & CONTROL_MASK:
                marker = _marker(batch)
                duplicate = None
                if marker is not None:
                    self._producer_state.check_marker(
                        producer_id, producer_epoch, marker[0].coordinator_epoch(), first_offset)
            else:
                duplicate = self._producer_state.check_batch(
                    producer_id, producer_epoch, base_sequence, last_sequence, first_offset,
                    attributes & TRANSACTIONAL_MASK != 0, origin, verification_guard)
            if duplicate is not None:
                return LogAppendInfo(duplicate.first_offset(), duplicate.last_offset, max_timestamp,
                                     duplicate.timestamp, self._log_start_offset, size, duplicate=True)
        position = segment._size
        # Only a transaction's first batch needs a position.
        begin = (LogOffsetMetadata(first_offset, segment._base_offset, position)
                 if attributes & TRANSACTIONAL_MASK else None)
        if attributes & TRANSACTIONAL_MASK and self._first_unstable is None and not attributes & CONTROL_MASK:
            # Before the end moves, because no reader may see the first records of a transaction as committed.
            self._first_unstable = begin
        try:
            # Before the producers' state changes, so that no later batch can get these offsets.
            local_log.append(batch, first_offset, last_offset, max_timestamp)
        except BaseException as e:
            self._undo_append(segment, position, begin, e)
        self._failing = False
        try:
            producer_state = self._producer_state
            if producer_id > _NO_PRODUCER_ID:
                if not attributes & CONTROL_MASK:
                    producer_state.append_batch(
                        producer_id, producer_epoch, last_sequence, first_offset, last_offset, max_timestamp,
                        attributes & TRANSACTIONAL_MASK != 0, begin)
                elif marker is not None:
                    self._end_transaction(segment, producer_id, producer_epoch, *marker, first_offset)
                    self._update_first_unstable_offset(local_log.log_end_offset_metadata())
            producer_state.update_map_end_offset(last_offset + 1)
        except BaseException as e:
            self._producers_are_behind(e)
        if local_log.unflushed_messages() >= config.flush_interval:
            self.flush()
        return LogAppendInfo(first_offset, last_offset, max_timestamp, log_append_time,
                             self._log_start_offset, size, record_validation_stats=stats)

    def begin_epoch(self, leader_epoch: int) -> None:
        """Record that a new leader epoch begins at the end of the log. Appends of earlier epochs are refused
        afterwards.

        Raises KafkaStorageException.

        :origin: kafka.log.UnifiedLog#maybeAssignEpochStartOffset
        """
        with self._lock:
            self._local_log.check_in_service()
            try:
                self._leader_epochs.assign(leader_epoch, self._local_log.log_end_offset(), sync=False)
            except OSError as e:
                raise self._local_log.storage_error("recording a leader epoch for", e) from e

    def latest_epoch(self) -> int | None:
        """Return the latest leader epoch in the log, or None.

        :origin: kafka.log.UnifiedLog#latestEpoch
        """
        return self._leader_epochs.latest_epoch()

    def start_offset_of_latest_epoch(self) -> int:
        """Return the start offset of the latest leader epoch."""
        entries = self._leader_epochs.entries()
        return entries[-1][1] if entries else self._log_start_offset

    def end_offset_for_epoch(self, leader_epoch: int) -> tuple[int, int]:
        """Return the largest epoch up to ``leader_epoch`` and its end offset; -1 and -1 if unknown.

        :origin: kafka.log.UnifiedLog#endOffsetForEpoch
        """
        return self._leader_epochs.end_offset_for(leader_epoch, self._local_log.log_end_offset())

    def _update_first_unstable_offset(self, end: LogOffsetMetadata) -> None:
        """:origin: kafka.log.UnifiedLog#maybeIncrementFirstUnstableOffset"""
        producer_state = self._producer_state
        producer_state.on_high_watermark_updated(self._high_watermark(end).message_offset)
        first = producer_state.first_unstable_offset()
        if first is None:
            self._first_unstable = None
        else:
            current = self._first_unstable
            offset = max(first.message_offset, self._log_start_offset)
            if current is None or current.message_offset != offset or current.segment_base_offset < 0:
                known = first.segment_base_offset >= 0 and first.message_offset == offset
                self._first_unstable = first if known else self._where_if_known(offset, end)

    def _where_if_known(self, offset: int, end: LogOffsetMetadata) -> LogOffsetMetadata:
        """Return the position of ``offset``'s batch; only the offset if the position cannot be read now.

        Readers look the position up again. An append must not fail here, because its batch is already in the
        log.
        """
        try:
            return self._offset_metadata(offset, end)
        except (KafkaStorageException, CorruptRecordException) as e:
            log.warn("%s: where the first open transaction begins is looked up again later: %s", self, e)
            return LogOffsetMetadata(offset)

    def maybe_increment_log_start_offset(self, new_log_start_offset: int) -> bool:
        """Delete all records before an offset, for DeleteRecords; return whether the start offset changed.

        Raises OffsetOutOfRangeException for an offset beyond the high watermark.

        :origin: kafka.log.UnifiedLog#maybeIncrementLogStartOffset
        """
        with self._lock:
            self._local_log.check_in_service()
            high_watermark = self.high_watermark()
            if new_log_start_offset > high_watermark:
                raise OffsetOutOfRangeException(
                    f"Cannot increment the log start offset to {new_log_start_offset} of partition "
                    f"{self._topic_partition} since it is larger than the high watermark {high_watermark}")
            if new_log_start_offset <= self._log_start_offset:
                return False
            self._increment_log_start_offset(new_log_start_offset)
            return True

    def _refuse_size(self, size: int, size_of_all: int) -> NoReturn:
        self._append_metrics.record_bytes_rejected(self._topic_partition.topic(), size_of_all)
        raise RecordTooLargeException(
            f"The record batch size in the append to {self._topic_partition} is {size} bytes which exceeds "
            f"the maximum configured value of {self.config().max_message_size()}.")

    def _append_slowly(self, records: MemoryRecords, leader_epoch: int, origin: AppendOrigin,
                       verification_guard: VerificationGuard) -> LogAppendInfo:
        """Append records that must be checked one by one, or that form several batches."""
        valid_bytes, source_compression = self._analyze_and_validate_records(records, origin)
        if valid_bytes == 0:
            return LogAppendInfo(UNKNOWN_OFFSET, UNKNOWN_OFFSET, _NO_TIMESTAMP, _NO_TIMESTAMP,
                                 self._log_start_offset, 0)
        sent_bytes = records.size_in_bytes()
        # Copied, because a partial batch at the end is dropped, and the request's memory may be read-only.
        whole = bytearray(records.buffer().view()[:valid_bytes])
        records = MemoryRecords.readable_records(ByteBuffer.wrap(whole))
        with self._lock:
            first_offset = self._local_log.log_end_offset()
            offset = PrimitiveRef.of_long(first_offset)
            config = self._local_log.config
            # As in a Kafka of metadata version 3.0 or later, the topic's message.format.version is ignored.
            result = LogValidator(
                records, self._topic_partition, self._time, source_compression,
                BrokerCompressionType.target_compression(config.compression, source_compression),
                config.compact, RecordBatch.CURRENT_MAGIC_VALUE, config.message_timestamp_type,
                config.message_timestamp_before_max_ms, config.message_timestamp_after_max_ms, leader_epoch,
                origin, LATEST_PRODUCTION, config.max_message_size(), self.is_strict(),
            ).validate_messages_and_assign_offsets(offset, self._append_metrics, BufferSupplier.NO_CACHING)
            view = result.validated_records.buffer().view()
            if result.message_size_maybe_changed and len(view) > config.max_message_size():
                # As in Kafka, the size of the sent records, not that of the rewritten ones.
                self._append_metrics.record_bytes_rejected(self._topic_partition.topic(), sent_bytes)
                raise RecordTooLargeException(
                    f"Message batch size is {len(view)} bytes in append topartition {self._topic_partition} "
                    f"which exceeds the maximum configured size of {config.max_message_size()}.")
            (_, _, _, _, _, attributes, _, _, _, producer_id, producer_epoch, base_sequence,
             _) = HEADER.unpack_from(view)
            append_time = (result.log_append_time_ms
                           if config.message_timestamp_type is TimestampType.LOG_APPEND_TIME
                           else _NO_TIMESTAMP)
            info = self._append_batch(view, first_offset, offset.value - 1, result.max_timestamp_ms,
                                      leader_epoch, attributes, producer_id, producer_epoch, base_sequence,
                                      append_time, result.log_append_time_ms, origin, verification_guard,
                                      result.record_validation_stats)
        if self._listeners and not info.duplicate:
            self._tell_listeners()
        return info

    def _analyze_and_validate_records(self, records: MemoryRecords,
                                      origin: AppendOrigin) -> tuple[int, CompressionType]:
        """Return the bytes of all whole batches, and the last compression type among them.

        Raises the sender's error for a refused batch.

        :origin: kafka.log.UnifiedLog#analyzeAndValidateRecords
        """
        valid_bytes, source_compression = 0, CompressionType.NONE
        max_message_size = self.config().max_message_size()
        for batch in records.batches():
            size = batch.size_in_bytes()
            if batch.magic() >= _MAGIC_V2 and batch.base_offset() != 0 and origin is AppendOrigin.CLIENT:
                self._refuse_base_offset(batch.base_offset())
            if size > max_message_size and not self._has_no_limit(
                    origin, CONTROL_MASK if batch.is_control_batch() else 0):
                self._refuse_size(size, records.size_in_bytes())
            if not batch.is_valid():
                self._append_metrics.record_invalid_checksums()
                raise CorruptRecordException(f"Record is corrupt (stored crc = {batch.checksum()}) in topic "
                                             f"partition {self._topic_partition}.")
            valid_bytes += size
            if batch.compression_type() is not CompressionType.NONE:
                source_compression = batch.compression_type()
        return valid_bytes, source_compression

    def _check_log_start_offset(self, offset: int) -> None:
        """:origin: kafka.log.UnifiedLog#checkLogStartOffset"""
        if offset < self._log_start_offset:
            raise OffsetOutOfRangeException(
                f"Received request for offset {offset} for partition {self._topic_partition}, but we only "
                f"have log segments starting from offset: {self._log_start_offset}.")

    def read(self, start_offset: int, max_length: int, isolation: FetchIsolation,
             min_one_message: bool) -> FetchDataInfo:
        """Return records from the batch of ``start_offset`` on, up to ``max_length`` bytes, in place in the
        file.

        The last batch may be cut off, as in Kafka. With ``min_one_message``, the first batch is complete,
        whatever its size. Raises OffsetOutOfRangeException outside the log, IllegalArgumentException for a
        negative length, or KafkaStorageException.

        :origin: kafka.log.UnifiedLog#read
        """
        local_log = self._local_log
        if local_log.out_of_service:
            local_log.check_in_service()
        log_start_offset = self._log_start_offset
        if start_offset < log_start_offset:
            self._check_log_start_offset(start_offset)
        # Taken before the segments are searched: see the head of the module.
        end = local_log.log_end_offset_metadata()
        high_watermark = end if self._held is None else self._high_watermark(end)
        stable = high_watermark if self._first_unstable is None else self._stable(high_watermark)
        include_aborted_txns = isolation is _TXN_COMMITTED
        info = local_log.read(
            start_offset, max_length, min_one_message,
            stable if include_aborted_txns else end if isolation is _LOG_END else high_watermark,
            include_aborted_txns)
        info.log_start_offset = log_start_offset
        info.high_watermark = high_watermark.message_offset
        info.last_stable_offset = stable.message_offset
        info.log_end_offset = end.message_offset
        return info

    def collect_aborted_transactions(self, start_offset: int, upper_bound_offset: int) -> list[AbortedTxn]:
        """Return the aborted transactions that overlap a range of offsets.

        :origin: kafka.log.UnifiedLog#collectAbortedTransactions
        """
        # Kafka searches from the log's start on, and also gets transactions that ended in this segment before
        # the range.
        return self._local_log.collect_aborted_transactions(start_offset, start_offset, upper_bound_offset)

    def fetch_offset_by_timestamp(self, target_timestamp: int) -> FileRecords.TimestampAndOffset | None:
        """Return the first record of ``target_timestamp`` or later, or the result of a special value.

        Returns None if there is no such record.

        Raises KafkaStorageException.

        :origin: kafka.log.UnifiedLog#fetchOffsetByTimestamp
        """
        self._local_log.check_in_service()
        try:
            with self._lock:
                end, segments = self._local_log.log_end_offset_metadata(), self._local_log.segments.values()
                latest = (max(segments, key=lambda segment: segment.max_timestamp_and_offset()[0])
                          if target_timestamp == MAX_TIMESTAMP else segments[-1])
        except OSError as e:
            raise self._local_log.storage_error("fetching offset by timestamp for", e) from e
        epochs = self._leader_epochs
        log_start_offset = self._log_start_offset
        if target_timestamp in (EARLIEST_TIMESTAMP, EARLIEST_LOCAL_TIMESTAMP):
            earliest = epochs.earliest_entry()
            epoch = earliest[0] if earliest is not None and earliest[1] <= log_start_offset else None
            return FileRecords.TimestampAndOffset(_NO_TIMESTAMP, log_start_offset, epoch)
        if target_timestamp == LATEST_TIMESTAMP:
            return FileRecords.TimestampAndOffset(_NO_TIMESTAMP, end.message_offset, epochs.latest_epoch())

        def limit(segment: LogSegment) -> int:
            return (end.relative_position_in_segment if segment.base_offset() == end.segment_base_offset
                    else segment.size())

        try:
            if target_timestamp == MAX_TIMESTAMP:
                of_max = latest.find_offset_of_max_timestamp(limit(latest))
                if of_max is None:
                    return None
                return FileRecords.TimestampAndOffset(
                    of_max[0], of_max[1], of_max[2] if of_max[2] >= 0 else None)
            for segment in segments:
                if segment.base_offset() <= end.segment_base_offset and (
                        segment.largest_timestamp() >= target_timestamp):
                    found = segment.find_offset_by_timestamp(target_timestamp, log_start_offset,
                                                             limit(segment))
                    return found
        except OSError as e:
            raise self._local_log.storage_error("fetching offset by timestamp for", e) from e
        return None

    def legacy_fetch_offsets_before(self, timestamp: int, max_num_offsets: int) -> list[int]:
        """Return the base offsets of segments that are not younger than a time, latest first: ListOffsets
        version 0.

        Raises KafkaStorageException.

        :origin: kafka.log.UnifiedLog#legacyFetchOffsetsBefore
        """
        self._local_log.check_in_service()
        end = self._local_log.log_end_offset_metadata()
        segments = self._local_log.segments.values()
        try:
            starts = [(max(segment.base_offset(), self._log_start_offset), segment.last_modified_ms())
                      for segment in segments]
        except OSError as e:
            raise self._local_log.storage_error("fetching offset by timestamp for", e) from e
        if segments[-1].size() > 0:
            starts.append((end.message_offset, self._time.milliseconds()))
        if timestamp == LATEST_TIMESTAMP:
            index = len(starts) - 1
        elif timestamp in (EARLIEST_TIMESTAMP, EARLIEST_LOCAL_TIMESTAMP):
            index = 0
        else:
            index = len(starts) - 1
            while index >= 0 and starts[index][1] > timestamp:
                index -= 1
        count = min(max_num_offsets, index + 1)
        return sorted((starts[index - i][0] for i in range(count)), reverse=True)

    def _offset_metadata(self, offset: int, end: LogOffsetMetadata) -> LogOffsetMetadata:
        """Return the position of ``offset``'s batch. ``offset`` is in the log, which ends at ``end``.

        :origin: kafka.log.UnifiedLog#maybeConvertToOffsetMetadata
        """
        return self._local_log.convert_to_offset_metadata(offset, end)

    def _delete_old_segments(self, predicate: DeletionPredicate, reason: str) -> int:
        """Delete the deletable segments that ``predicate`` accepts; return their number. Raises OSError.

        :origin: kafka.log.UnifiedLog#deleteOldSegments
        """
        deletable = self.deletable_segments(predicate)
        if deletable:
            self._delete_segments(deletable, reason)
        return len(deletable)

    def deletable_segments(self, predicate: DeletionPredicate) -> list[LogSegment]:
        """Return the first segments that ``predicate`` accepts, as far as the high watermark allows.

        The predicate gets a segment and the next one, which is None after the active one. Segments with
        offsets at or beyond the high watermark stay, so that the start offset never exceeds it. An empty
        active segment stays too. Raises the exceptions of the predicate.

        :origin: kafka.log.UnifiedLog#deletableSegments
        """
        segments = self._local_log.segments.values()
        end_offset, high_watermark = self.log_end_offset(), self.high_watermark()
        deletable: list[LogSegment] = []
        for segment, next_segment in zip_longest(segments, segments[1:]):
            upper_bound_offset = end_offset if next_segment is None else next_segment.base_offset()
            if (high_watermark < upper_bound_offset or not predicate(segment, next_segment)
                    or next_segment is None and segment.size() == 0):
                break
            deletable.append(segment)
        return deletable

    def _delete_segments(self, deletable: list[LogSegment], reason: str) -> None:
        """Delete the first segments, which are given; if they are all, begin a new one first. Raises OSError.

        :origin: kafka.log.UnifiedLog#deleteSegments
        """
        segments = self._local_log.segments
        if len(deletable) == segments.number_of_segments():
            self._roll()
        # Set before the segments are removed, so that a reader gets the new start offset.
        self._increment_log_start_offset(segments.base_offsets()[len(deletable)])
        self._local_log.remove_and_delete_segments(deletable, reason)
        self._delete_producer_snapshots(deletable)

    def delete_old_segments(self) -> int:
        """Delete the segments beyond the retention time, beyond the retention size, or before the start
        offset.

        Returns the number of deleted segments. Raises KafkaStorageException.

        :origin: kafka.log.UnifiedLog#deleteOldSegments
        """
        with self._lock:
            if self._local_log.out_of_service:
                return 0
            try:
                count = self._delete_before_start()
                if self.config().delete:
                    count += self._delete_beyond_retention_bytes() + self._delete_beyond_retention_ms()
                return count
            except OSError as e:
                raise self._local_log.storage_error("deleting segments for", e) from e

    def _delete_beyond_retention_ms(self) -> int:
        """:origin: kafka.log.UnifiedLog#deleteRetentionMsBreachedSegments"""
        retention_ms = self.config().retention_ms
        if retention_ms < 0:
            return 0
        now = self._time.milliseconds()

        def should_delete(segment: LogSegment, next_segment: LogSegment | None) -> bool:
            # A record with a future timestamp keeps its segment until that time has passed.
            return now - segment.largest_timestamp() > retention_ms

        return self._delete_old_segments(should_delete, f"all their records are older than {retention_ms} ms")

    def _delete_beyond_retention_bytes(self) -> int:
        """:origin: kafka.log.UnifiedLog#deleteRetentionSizeBreachedSegments"""
        retention_bytes = self.config().retention_size
        if retention_bytes < 0:
            return 0
        excess = self.size() - retention_bytes

        def should_delete(segment: LogSegment, next_segment: LogSegment | None) -> bool:
            nonlocal excess
            if excess - segment.size() < 0:
                return False
            excess -= segment.size()
            return True

        return self._delete_old_segments(should_delete, f"the log has more than {retention_bytes} bytes")

    def _delete_before_start(self) -> int:
        """:origin: kafka.log.UnifiedLog#deleteLogStartOffsetBreachedSegments"""
        def should_delete(segment: LogSegment, next_segment: LogSegment | None) -> bool:
            return next_segment is not None and next_segment.base_offset() <= self._log_start_offset

        return self._delete_old_segments(should_delete,
                                         f"they end before the log's start {self._log_start_offset}")

    def size(self) -> int:
        """Return the size of all segments in bytes.

        :origin: kafka.log.UnifiedLog#size
        """
        return self._local_log.segments.size_in_bytes()

    def log_end_offset(self) -> int:
        """Return the next record's offset.

        :origin: kafka.log.UnifiedLog#logEndOffset
        """
        return self._local_log.log_end_offset()

    def log_end_offset_metadata(self) -> LogOffsetMetadata:
        """Return the next record's offset and position.

        :origin: kafka.log.UnifiedLog#logEndOffsetMetadata
        """
        return self._local_log.log_end_offset_metadata()

    def roll(self) -> LogSegment:
        """Begin a new segment, unless the active one is empty; return the active one.

        Raises KafkaStorageException.

        :origin: kafka.log.UnifiedLog#roll
        """
        with self._lock:
            self._local_log.check_in_service()
            try:
                return self._roll()
            except OSError as e:
                raise self._local_log.storage_error("rolling log segment for", e) from e

    def _roll(self, expected_next_offset: int = 0) -> LogSegment:
        """Begin a new segment. Called under the lock. Raises OSError; then the log is unchanged."""
        active_segment = self.active_segment()
        snapshot: str | None = None

        def take_snapshot(base_offset: int) -> None:
            nonlocal snapshot
            self._producer_state.update_map_end_offset(base_offset)
            snapshot = self._producer_state.take_snapshot(sync=False)

        # Kafka takes the snapshot after it has made the segment. Here neither exists if one of them fails.
        new_segment = self._local_log.roll(expected_next_offset, take_snapshot)
        if new_segment is not active_segment:
            self._local_log.scheduler.schedule_once(
                "flush-log", lambda: self._flush_sealed(snapshot, active_segment, new_segment.base_offset()))
        return new_segment

    def _flush_sealed(self, snapshot: str | None, segment: LogSegment, end_offset: int) -> None:
        """Make the snapshot of a roll, the sealed segment and its indexes durable.

        Raises KafkaStorageException; then the log is offline.
        """
        if snapshot is not None:
            self.flush_producer_state_snapshot(snapshot)
        local_log = self._local_log
        if end_offset > local_log.recovery_point:
            self.flush_up_to(end_offset)
        elif not local_log.out_of_service:
            # An earlier flush wrote all records while the segment was active, but not the indexes.
            self._flush_segments(lambda: local_log.flush_segment(segment))

    def flush(self) -> None:
        """Make all records durable. Raises KafkaStorageException.

        :origin: kafka.log.UnifiedLog#flush
        """
        self.flush_up_to(self.log_end_offset())

    def flush_up_to(self, offset: int) -> None:
        """Make all records before ``offset`` durable. Raises KafkaStorageException.

        After a failed flush, it is unknown which records are durable. So the log goes offline.

        :origin: kafka.log.UnifiedLog#flushUptoOffsetExclusive
        :origin: kafka.log.UnifiedLog#flush
        """
        local_log = self._local_log
        if offset <= local_log.recovery_point or local_log.is_gone():
            return
        local_log.check_in_service()
        self._flush_segments(lambda: local_log.flush(offset))
        with self._lock:
            if not local_log.out_of_service:
                local_log.mark_flushed(offset)

    def _flush_segments(self, flush: Callable[[], None]) -> None:
        """Call ``flush``. If it raises OSError, take the log offline and raise KafkaStorageException."""
        try:
            flush()
        except OSError as e:
            self.go_offline(f"the disk did not confirm a flush ({e})")
            raise self._local_log.storage_error("flushing", e) from e

    def flush_producer_state_snapshot(self, snapshot: str) -> None:
        """Make a snapshot of producers durable, if the file still exists.

        The recovery point must not pass a snapshot that the disk has not confirmed. So the log goes offline
        on a failure, as for records. Raises KafkaStorageException.

        :origin: kafka.log.UnifiedLog#flushProducerStateSnapshot
        """
        try:
            _flush_file(snapshot)
        except OSError as e:
            self.go_offline(f"the disk did not confirm a snapshot of producers ({e})")
            raise self._local_log.storage_error(f"flushing producer state snapshot {snapshot} for", e) from e

    def truncate_files(self, offset: int) -> int:
        """Delete the records from ``offset`` on. A batch begins at that offset.

        Returns the base offset of the last remaining segment. The log is out of service afterwards. For
        ``file.delete.delay.ms`` more, responses from the old files can be sent. Raises KafkaStorageException;
        then the log is offline.

        :origin: kafka.log.UnifiedLog#truncateTo
        """
        with self._lock:
            local_log = self._local_log
            local_log.check_in_service()
            try:
                self.flush()
                base_offset = local_log.truncate_files(offset)
                local_log.scheduler.schedule_once("close-file", self.close_handlers,
                                                  self.config().file_delete_delay_ms)
                return base_offset
            except OSError as e:
                self.go_offline(f"it could not be truncated ({e})")
                raise local_log.storage_error("truncating", e) from e

    def last_flush_ms(self) -> int:
        """Return when the log was last flushed.

        :origin: kafka.log.UnifiedLog#lastFlushTime
        """
        return self._local_log.last_flush_time()

    def active_segment(self) -> LogSegment:
        """Return the last segment.

        :origin: kafka.log.UnifiedLog#activeSegment
        """
        return self._local_log.segments.active_segment()

    def log_segments(self, from_: int, to: int) -> list[LogSegment]:
        """Return the segments from the one that contains ``from_`` up to the last that begins before ``to``.

        Raises IllegalArgumentException if ``from_`` is greater.

        :origin: kafka.log.UnifiedLog#logSegments
        :origin: kafka.log.UnifiedLog#logSegments
        """
        return self._local_log.segments.values_from(from_, to)

    def non_active_log_segments_from(self, from_: int) -> list[LogSegment]:
        """Return the segments from the one that contains ``from_`` on, without the active one.

        :origin: kafka.log.UnifiedLog#nonActiveLogSegmentsFrom
        """
        return self._local_log.segments.non_active_log_segments_from(from_)

    def __str__(self) -> str:
        """:origin: kafka.log.UnifiedLog#toString"""
        return str(self._local_log)

    def __repr__(self) -> str:
        return (f"UnifiedLog({self._topic_partition}, start={self._log_start_offset}, "
                f"end={self.log_end_offset()})")

    def replace_segments(self, new_segments: Iterable[LogSegment],
                         old_segments: Iterable[LogSegment]) -> None:
        """Replace segments by cleaned ones, which are durable.

        After a crash, the next start uses the old segments until all files of the new ones are named
        ``.swap``, and the new ones from then on: see ``log_loader``. A response from an old segment can be
        sent for another ``file.delete.delay.ms``.

        Raises KafkaStorageException. Then either the old segments stay, or the log is offline and the next
        start completes the replacement.

        :origin: kafka.log.UnifiedLog#replaceSegments
        :origin: kafka.log.UnifiedLog#replaceSegments
        """
        with self._lock:
            self._local_log.check_in_service()
            self._delete_producer_snapshots(self._local_log.replace_segments(new_segments, old_segments))

    def get_first_batch_timestamp_for_segments(self, segments: Iterable[LogSegment]) -> list[int]:
        """Return the time of each segment's first batch, the largest long without a time. Raises OSError.

        :origin: kafka.log.UnifiedLog#getFirstBatchTimestampForSegments
        """
        return [segment.first_batch_timestamp() for segment in segments]

    def log_start_offset(self) -> int:
        """Return the first readable offset."""
        return self._log_start_offset

    def _end_transaction(self, segment: LogSegment, producer_id: int, producer_epoch: int,
                         marker: EndTransactionMarker, timestamp: int, offset: int) -> None:
        """Record a marker that is in a segment. Readers get the aborted transaction before they see its
        records.

        :origin: kafka.log.UnifiedLog#updateProducers
        """
        producer_state = self._producer_state
        completed_txn = producer_state.append_end_txn_marker(
            producer_id, producer_epoch, marker.coordinator_epoch(), offset, timestamp,
            marker.control_type() is ControlRecordType.ABORT)
        if completed_txn is not None:
            if completed_txn.is_aborted:
                segment.update_txn_index(AbortedTxn(
                    producer_id, completed_txn.first_offset, offset,
                    producer_state.last_stable_offset(completed_txn)))
                self._local_log.has_aborted_txns = True
            producer_state.complete_txn(completed_txn)

    def _undo_append(self, segment: LogSegment, position: int, begin: LogOffsetMetadata | None,
                     error: BaseException) -> NoReturn:
        """Undo a failed append, and raise its error. If the undo fails, take the log offline."""
        if self._first_unstable is begin:
            self._first_unstable = None
        try:
            if segment.size() != position:
                raise IllegalStateException(f"{segment} has noted what was not appended")
            segment.discard_partial_write()
        except BaseException as e:
            self.go_offline(f"an append failed ({error!r}), and what it left cannot be cut off ({e!r})")
        if isinstance(error, OSError):
            self._append_failed(error)
        raise error

    def _append_failed(self, error: OSError) -> NoReturn:
        """Raise the error of a failed append that was undone. Only the first of a series is logged."""
        if not self._failing:
            self._failing = True
            log.error("%s: an append failed: %s. The log is as it was before, the producer is told, and the "
                      "next append tries again; further failures are not written here until one succeeds",
                      self, error)
        raise self._local_log.storage_error("appending records to", error)

    def _producers_are_behind(self, error: BaseException) -> NoReturn:
        """Take the log offline, because the producers' state lacks a batch of the log.

        DEVIATION D240: in Kafka only an IOException does this, and takes the whole log dir offline. After
        another exception the log continues, and its state would accept the batch a second time.
        """
        self.go_offline(f"a batch was appended, and its producer's state could not be ({error!r})")
        if isinstance(error, OSError):
            raise self._local_log.storage_error("appending records to", error) from error
        raise error

    def _tell_listeners(self) -> None:
        for listener in self._listeners:
            try:
                listener(self)
            except Exception as e:
                log.error("%s: a listener failed", self, exc=e)

    def discard_cleaned_segment(self, segment: LogSegment) -> None:
        """Delete the files of a segment that did not replace others."""
        with self._lock:
            self._local_log.discard_cleaned_segment(segment)

    def _delete_producer_snapshots(self, segments: Iterable[LogSegment]) -> None:
        """Rename the snapshots at the starts of removed segments; they are deleted after
        ``file.delete.delay.ms``.

        A failed rename is logged.

        :origin: kafka.log.UnifiedLog#deleteProducerSnapshots
        :origin: kafka.log.UnifiedLog#deleteProducerSnapshots
        """
        snapshots = []
        for segment in segments:
            try:
                snapshot = self._producer_state.mark_snapshot_for_deletion(segment.base_offset())
                if snapshot is not None:
                    snapshots.append(snapshot)
            except OSError as e:
                log.warn("%s: failed to rename a file of %s: %s", self, segment, e)

        def delete_producer_snapshots() -> None:
            for snapshot in snapshots:
                try:
                    Floor.os.remove(snapshot)
                except FileNotFoundError:
                    pass
                except OSError as e:
                    log.warn("Failed to delete a snapshot of producers: %s", e)

        if snapshots:
            self._local_log.scheduler.schedule_once("delete-producer-snapshot", delete_producer_snapshots,
                                                    self.config().file_delete_delay_ms)

    def create_new_cleaned_segment(self, base_offset: int) -> LogSegment:
        """Return an empty segment for the retained records of others; no other thread knows it. Raises
        OSError.

        :origin: kafka.log.UnifiedLog#createNewCleanedSegment
        """
        return self._local_log.create_new_cleaned_segment(base_offset)


def _marker(batch: memoryview) -> tuple[EndTransactionMarker, int] | None:
    """Return the marker of a control batch and its time; None if compaction has emptied the batch.

    Raises InvalidRecordException or IllegalArgumentException if the batch is not a marker.
    """
    for record in DefaultRecordBatch(ByteBuffer.wrap(batch)):
        return EndTransactionMarker.deserialize(record), record.timestamp()
    return None


def _last_sequence(base_sequence: int, last_offset_delta: int) -> int:
    if base_sequence == _NO_SEQUENCE:
        return _NO_SEQUENCE
    last = base_sequence + last_offset_delta
    return last if last <= _MAX_INT else last - _MAX_INT - 1


def _flush_file(path: str) -> None:
    try:
        fd = Floor.os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    except FileNotFoundError:
        return  # an obsolete one
    try:
        Floor.os.fsync(fd)
    finally:
        Floor.os.close(fd)
