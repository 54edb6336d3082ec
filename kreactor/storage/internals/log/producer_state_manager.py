# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.ProducerStateManager of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A log's state of its idempotent producers, which keeps a batch that is sent twice from being appended
twice.

Per producer, the state has its epoch, and the sequence numbers, offsets and times of its last five batches. A
batch with the sequence numbers of one of these is a duplicate, and its response has the stored offset. A
batch that does not follow the last one is out of order. A batch of an older epoch comes from a fenced
producer. The rules and the messages are Kafka's.

The state is derived from the log: from a snapshot (``.snapshot``, Kafka's format, one batch per producer),
and all batches from its offset on. Snapshots are taken when a segment is rolled, and at a clean shutdown.

A transaction is open in the log from its first batch to the marker that ends it. Readers of committed records
must not get records from the first open transaction on. The same holds for a transaction whose marker is at
or beyond the high watermark. ``check_batch`` and ``check_marker`` validate and change nothing.
``append_batch`` and ``append_end_txn_marker`` record appended batches.

DEVIATION D451: this class itself validates and records a batch. Kafka's ProducerAppendInfo collects a
producer's batches of one append; here an append has one batch.

Locks: the log's lock guards everything, or the single thread that loads the log. Any thread calls
``producer_id_count`` and ``has_late_transaction``.
"""

from __future__ import annotations

import os
import struct
from typing import NoReturn

from kreactor.common.errors import (
    InvalidProducerEpochException,
    InvalidTxnStateException,
    OutOfOrderSequenceException,
    TransactionCoordinatorFencedException,
)
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.checksums import crc32c
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.files import write_fully
from kreactor.jdk.floor import Floor
from kreactor.storage.internals.log.append_origin import AppendOrigin
from kreactor.storage.internals.log.batch_metadata import BatchMetadata
from kreactor.storage.internals.log.completed_txn import CompletedTxn
from kreactor.storage.internals.log.corrupt_snapshot_exception import CorruptSnapshotException
from kreactor.storage.internals.log.log_file_utils import (
    DELETED_SUFFIX,
    SNAPSHOT_SUFFIX,
    file_name,
    offset_of_file_name,
)
from kreactor.storage.internals.log.log_offset_metadata import LogOffsetMetadata
from kreactor.storage.internals.log.producer_state_entry import ProducerStateEntry
from kreactor.storage.internals.log.producer_state_manager_config import ProducerStateManagerConfig
from kreactor.storage.internals.log.txn_metadata import TxnMetadata
from kreactor.storage.internals.log.verification_guard import VerificationGuard
from kreactor.storage.internals.log.verification_state_entry import VerificationStateEntry

NUM_BATCHES_TO_RETAIN = 5
# A transaction is late when it exceeds its maximum duration by this time.
LATE_TRANSACTION_BUFFER_MS = 5 * 60 * 1000
DEFAULT_MAX_TRANSACTION_TIMEOUT_MS = 15 * 60 * 1000

_NO_PRODUCER_EPOCH = RecordBatch.NO_PRODUCER_EPOCH
_NO_SEQUENCE = RecordBatch.NO_SEQUENCE
_NO_TIMESTAMP = RecordBatch.NO_TIMESTAMP
_MAX_INT = 2**31 - 1

_SNAPSHOT_VERSION = 1
_VERSION_AND_CRC = struct.Struct(">hI")
_COUNT = struct.Struct(">i")
# Producer id and epoch, last sequence, last offset, offset delta, time, coordinator epoch, first offset of
# the open transaction.
_SNAPSHOT_ENTRY = struct.Struct(">qhiqiqiq")

log = LogContext().logger(f"{__name__}.ProducerStateManager")


class ProducerStateManager:
    """All producers of one log, and its snapshot files.

    :origin: storage.internals.log.ProducerStateManager
    """

    __slots__ = ("_topic_partition", "_directory", "_max_transaction_timeout_ms", "_config", "_producers",
                 "_verification_states", "_ongoing_txns", "_unreplicated_txns", "_snapshots",
                 "_last_map_offset", "_last_snap_offset", "_producer_id_count", "_oldest_txn_last_timestamp")

    def __init__(self, topic_partition: TopicPartition, directory: str, max_transaction_timeout_ms: int,
                 config: ProducerStateManagerConfig) -> None:
        """Find the snapshots in ``directory`` without reading them. Raises OSError.

        :origin: storage.internals.log.ProducerStateManager#ProducerStateManager(TopicPartition, File, int, ProducerStateManagerConfig, Time)
        """  # noqa: E501
        self._topic_partition = topic_partition
        self._directory = directory
        self._max_transaction_timeout_ms = max_transaction_timeout_ms
        self._config = config
        self._producers: dict[int, ProducerStateEntry] = {}
        self._verification_states: dict[int, VerificationStateEntry] = {}
        # Open transactions by first offset, ascending, because each begins at the end of the log.
        self._ongoing_txns: dict[int, TxnMetadata] = {}
        # Completed transactions whose markers are at or beyond the high watermark, by first offset.
        self._unreplicated_txns: dict[int, TxnMetadata] = {}
        self._snapshots = set(_snapshot_offsets(directory))
        # The offset up to which the state covers the log, and that of the last snapshot; both exclusive.
        self._last_map_offset = 0
        self._last_snap_offset = 0
        # Read by any thread.
        self._producer_id_count = 0
        self._oldest_txn_last_timestamp = _NO_TIMESTAMP

    def max_transaction_timeout_ms(self) -> int:
        """Return the maximum duration of a transaction.

        :origin: storage.internals.log.ProducerStateManager#maxTransactionTimeoutMs()
        """
        return self._max_transaction_timeout_ms

    def config(self) -> ProducerStateManagerConfig:
        """Return the settings that all logs share.

        :origin: storage.internals.log.ProducerStateManager#producerStateManagerConfig()
        """
        return self._config

    def has_late_transaction(self, current_time_ms: int) -> bool:
        """Return whether the oldest open transaction exceeds its maximum duration, by its producer's clock.

        :origin: storage.internals.log.ProducerStateManager#hasLateTransaction(long)
        """
        last_timestamp = self._oldest_txn_last_timestamp
        return last_timestamp > 0 and (
            current_time_ms - last_timestamp > self._max_transaction_timeout_ms + LATE_TRANSACTION_BUFFER_MS)

    def producer_id_count(self) -> int:
        """Return the number of producers. For any thread.

        :origin: storage.internals.log.ProducerStateManager#producerIdCount()
        """
        return self._producer_id_count

    def maybe_create_verification_state_entry(self, producer_id: int, sequence: int, epoch: int,
                                              current_time_ms: int) -> VerificationStateEntry:
        """Return the entry of a producer whose batch must be verified; a new one or an updated one.

        :origin: storage.internals.log.ProducerStateManager#maybeCreateVerificationStateEntry(long, int, short)
        """  # noqa: E501
        entry = self._verification_states.get(producer_id)
        if entry is None:
            entry = VerificationStateEntry(current_time_ms, sequence, epoch)
            self._verification_states[producer_id] = entry
        entry.maybe_update_lowest_sequence_and_epoch(sequence, epoch)
        return entry

    def verification_state_entry(self, producer_id: int) -> VerificationStateEntry | None:
        """Return the entry of a producer, or None.

        :origin: storage.internals.log.ProducerStateManager#verificationStateEntry(long)
        """
        return self._verification_states.get(producer_id)

    def clear_verification_state_entry(self, producer_id: int) -> None:
        """Remove a producer's verification entry, because its transaction is open or has ended.

        :origin: storage.internals.log.ProducerStateManager#clearVerificationStateEntry(long)
        """
        self._verification_states.pop(producer_id, None)

    def has_ongoing_transaction(self, producer_id: int) -> bool:
        """Return whether the producer has an open transaction."""
        entry = self._producers.get(producer_id)
        return entry is not None and entry.current_txn_first_offset is not None

    def _is_verified(self, producer_id: int, verification_guard: VerificationGuard) -> bool:
        if not self._config.transaction_verification_enabled:
            return True
        entry = self._verification_states.get(producer_id)
        return entry is not None and entry.verification_guard.verify(verification_guard)

    def check_batch(self, producer_id: int, producer_epoch: int, first_seq: int, last_seq: int, offset: int,
                    is_transactional: bool, origin: AppendOrigin = AppendOrigin.CLIENT,
                    verification_guard: VerificationGuard = VerificationGuard.SENTINEL,
                    ) -> BatchMetadata | None:
        """Return the duplicate of a data batch that is to be appended at ``offset``, or None.

        Only a client's batch can be a duplicate or out of order. Raises InvalidProducerEpochException,
        OutOfOrderSequenceException or InvalidTxnStateException if the batch must be refused. Changes nothing.

        :origin: storage.internals.log.ProducerAppendInfo#maybeValidateDataBatch(short, int, long)
        """
        entry = self._producers.get(producer_id)
        if entry is None:
            current_epoch, txn_first_offset = _NO_PRODUCER_EPOCH, None
        else:
            if origin is AppendOrigin.CLIENT:
                duplicate = entry.find_duplicate(producer_epoch, first_seq, last_seq)
                if duplicate is not None:
                    return duplicate
            current_epoch, txn_first_offset = entry.producer_epoch, entry.current_txn_first_offset
        if is_transactional and txn_first_offset is None and (
                not self._is_verified(producer_id, verification_guard)):
            raise InvalidTxnStateException("Record was not part of an ongoing transaction")
        if producer_epoch < current_epoch:
            self._refuse_producer_epoch(producer_id, producer_epoch, current_epoch, offset)
        if origin is AppendOrigin.CLIENT:
            self._check_sequence(producer_id, producer_epoch, first_seq, offset, entry)
        if txn_first_offset is not None and not is_transactional:
            raise InvalidTxnStateException(
                f"Expected transactional write from producer {producer_id} at offset {offset} in partition "
                f"{self._topic_partition}")
        return None

    def _refuse_producer_epoch(self, producer_id: int, producer_epoch: int, current_epoch: int,
                               offset: int) -> NoReturn:
        """:origin: storage.internals.log.ProducerAppendInfo#checkProducerEpoch(short, long)"""
        raise InvalidProducerEpochException(
            f"Epoch of producer {producer_id} at offset {offset} in {self._topic_partition} is "
            f"{producer_epoch}, which is smaller than the last seen epoch {current_epoch}")

    def _check_sequence(self, producer_id: int, producer_epoch: int, first_seq: int, offset: int,
                        entry: ProducerStateEntry | None) -> None:
        """:origin: storage.internals.log.ProducerAppendInfo#checkSequence(short, int, long)
        :origin: storage.internals.log.ProducerAppendInfo#inSequence(int, int)
        """
        if self._verification_states:
            state = self._verification_states.get(producer_id)
            if state is not None and first_seq > state.lowest_sequence:
                raise OutOfOrderSequenceException(
                    f"Out of order sequence number for producer {producer_id} at offset {offset} in "
                    f"partition {self._topic_partition}: {first_seq} (incoming seq. number), "
                    f"{state.lowest_sequence} (earliest seen sequence)")
        if entry is None or entry.producer_epoch == _NO_PRODUCER_EPOCH:
            return
        current_epoch = entry.producer_epoch
        if producer_epoch != current_epoch:
            if first_seq != 0:
                raise OutOfOrderSequenceException(
                    f"Invalid sequence number for new epoch of producer {producer_id}at offset {offset} in "
                    f"partition {self._topic_partition}: {producer_epoch} (request epoch), {first_seq} "
                    f"(seq. number), {current_epoch} (current producer epoch)")
        else:
            current_last_seq = entry.last_seq()
            if first_seq != current_last_seq + 1 and not (first_seq == 0 and current_last_seq == _MAX_INT):
                raise OutOfOrderSequenceException(
                    f"Out of order sequence number for producer {producer_id} at offset {offset} in "
                    f"partition {self._topic_partition}: {first_seq} (incoming seq. number), "
                    f"{current_last_seq} (current end sequence number)")

    def append_batch(self, producer_id: int, producer_epoch: int, last_seq: int, first_offset: int,
                     last_offset: int, timestamp: int, is_transactional: bool,
                     where: LogOffsetMetadata | None = None) -> None:
        """Record an appended data batch; its validity is not checked any more.

        ``where`` is the position of a transactional batch, if it is known.

        :origin: storage.internals.log.ProducerAppendInfo#appendDataBatch(short, int, int, long, LogOffsetMetadata, long, boolean)
        """  # noqa: E501
        entry = self._producers.get(producer_id)
        if entry is None:
            entry = self._new_entry(producer_id)
        entry.add_batch(producer_epoch, last_seq, last_offset, last_offset - first_offset, timestamp)
        if is_transactional:
            if entry.current_txn_first_offset is None:
                entry.current_txn_first_offset = first_offset
                self._ongoing_txns[first_offset] = TxnMetadata(
                    producer_id, LogOffsetMetadata(first_offset) if where is None else where)
            self._verification_states.pop(producer_id, None)
            self._update_oldest_txn_timestamp()

    def check_marker(self, producer_id: int, producer_epoch: int, coordinator_epoch: int,
                     offset: int) -> None:
        """Validate a marker that a coordinator appends at ``offset``. Changes nothing.

        Raises InvalidProducerEpochException, or TransactionCoordinatorFencedException if another coordinator
        has taken over.

        :origin: storage.internals.log.ProducerAppendInfo#checkCoordinatorEpoch(EndTransactionMarker, long)
        """
        entry = self._producers.get(producer_id)
        if entry is None:
            return
        if producer_epoch < entry.producer_epoch:
            self._refuse_producer_epoch(producer_id, producer_epoch, entry.producer_epoch, offset)
        if entry.coordinator_epoch > coordinator_epoch:
            raise TransactionCoordinatorFencedException(
                f"Invalid coordinator epoch for producerId {producer_id} at offset {offset} in partition "
                f"{self._topic_partition}: {coordinator_epoch} (zombie), {entry.coordinator_epoch} (current)")

    def append_end_txn_marker(self, producer_id: int, producer_epoch: int, coordinator_epoch: int,
                              offset: int, timestamp: int, is_abort: bool) -> CompletedTxn | None:
        """Record an appended marker; return the transaction that it ends, None for an empty one.

        The transaction counts as open until ``complete_txn``.

        :origin: storage.internals.log.ProducerAppendInfo#appendEndTxnMarker(EndTransactionMarker, short, long, long)
        """  # noqa: E501
        entry = self._producers.get(producer_id) or self._new_entry(producer_id)
        completed = None
        if entry.current_txn_first_offset is not None:
            completed = CompletedTxn(producer_id, entry.current_txn_first_offset, offset, is_abort)
            entry.current_txn_first_offset = None
        entry.update_epoch(producer_epoch)
        entry.coordinator_epoch = coordinator_epoch
        entry.last_timestamp = timestamp
        self._verification_states.pop(producer_id, None)
        self._update_oldest_txn_timestamp()
        return completed

    def remove_stray_snapshots(self, segment_base_offsets: set[int]) -> None:
        """Delete the snapshots that are not at the start of a segment.

        A snapshot after the start of all segments is kept: that of a clean shutdown.

        :origin: storage.internals.log.ProducerStateManager#removeStraySnapshots(Collection<Long>)
        """
        snapshot_offsets = self.snapshot_offsets()
        max_segment_base_offset = max(segment_base_offsets, default=-1)
        for offset in snapshot_offsets:
            if offset not in segment_base_offsets and not (
                    offset == snapshot_offsets[-1] and offset > max_segment_base_offset):
                self.delete_snapshot(offset)

    def first_unstable_offset(self) -> LogOffsetMetadata | None:
        """Return the start of the oldest transaction that is open, or whose marker awaits the high watermark.

        Returns None if there is none.

        :origin: storage.internals.log.ProducerStateManager#firstUnstableOffset()
        """
        undecided = self.first_undecided_txn()
        if not self._unreplicated_txns:
            return None if undecided is None else undecided.first_offset
        first = min(self._unreplicated_txns)
        if undecided is not None and undecided.first_offset.message_offset < first:
            return undecided.first_offset
        return self._unreplicated_txns[first].first_offset

    def on_high_watermark_updated(self, high_watermark: int) -> None:
        """Mark transactions as stable whose markers are before ``high_watermark``.

        :origin: storage.internals.log.ProducerStateManager#onHighWatermarkUpdated(long)
        """
        if self._unreplicated_txns:
            self._remove_unreplicated_transactions(high_watermark)

    def first_undecided_txn(self) -> TxnMetadata | None:
        """Return the oldest open transaction, or None.

        :origin: storage.internals.log.ProducerStateManager#firstUndecidedOffset()
        """
        return next(iter(self._ongoing_txns.values()), None)

    def map_end_offset(self) -> int:
        """Return the offset up to which the state covers the log, exclusive.

        :origin: storage.internals.log.ProducerStateManager#mapEndOffset()
        """
        return self._last_map_offset

    def active_producers(self) -> dict[int, ProducerStateEntry]:
        """Return all producers; the caller must not change them.

        :origin: storage.internals.log.ProducerStateManager#activeProducers()
        """
        return self._producers

    def _is_expired(self, current_time_ms: int, entry: ProducerStateEntry) -> bool:
        """:origin: storage.internals.log.ProducerStateManager#isProducerExpired(long, ProducerStateEntry)"""
        return (entry.current_txn_first_offset is None
                and current_time_ms - entry.last_timestamp >= self._config.producer_id_expiration_ms)

    def remove_expired_producers(self, current_time_ms: int) -> None:
        """Remove producers that have not appended for ``producer.id.expiration.ms``, by their own clocks.

        Verification entries of that age are removed too. A producer with an open transaction stays.

        :origin: storage.internals.log.ProducerStateManager#removeExpiredProducers(long)
        """
        expired = [producer_id for producer_id, entry in self._producers.items()
                   if self._is_expired(current_time_ms, entry)]
        for producer_id in expired:
            del self._producers[producer_id]
        self._producer_id_count = len(self._producers)
        expiration_ms = self._config.producer_id_expiration_ms
        for producer_id, state in list(self._verification_states.items()):
            if current_time_ms - state.timestamp >= expiration_ms:
                del self._verification_states[producer_id]

    def truncate_and_reload(self, log_start_offset: int, log_end_offset: int, current_time_ms: int) -> None:
        """Load the latest snapshot within the log, which sets ``map_end_offset``; delete the snapshots
        outside it.

        Without a snapshot, the state is empty and begins at ``log_start_offset``.

        :origin: storage.internals.log.ProducerStateManager#truncateAndReload(long, long, long)
        """
        for offset in self.snapshot_offsets():
            if offset > log_end_offset or offset <= log_start_offset:
                self.delete_snapshot(offset)
        self._producers.clear()
        self._ongoing_txns.clear()
        # The remaining log ends at or before the high watermark.
        self._unreplicated_txns.clear()
        self._last_snap_offset = self._last_map_offset = log_start_offset
        for offset in reversed(self.snapshot_offsets()):
            path = self._snapshot_path(offset)
            try:
                entries = read_snapshot(path)
            except (OSError, CorruptSnapshotException) as e:
                log.warn("The producers in %s cannot be read: %s", path, e)
                self.delete_snapshot(offset)
                continue
            self._producers.update(
                (entry.producer_id, entry) for entry in entries
                if not self._is_expired(current_time_ms, entry))
            self._ongoing_txns.update(
                (offset, TxnMetadata(producer_id, LogOffsetMetadata(offset)))
                for offset, producer_id in sorted(
                    (entry.current_txn_first_offset, entry.producer_id) for entry in entries
                    if entry.current_txn_first_offset is not None))
            self._last_snap_offset = self._last_map_offset = offset
            break
        self._producer_id_count = len(self._producers)
        self._update_oldest_txn_timestamp()

    def _update_oldest_txn_timestamp(self) -> None:
        """:origin: storage.internals.log.ProducerStateManager#updateOldestTxnTimestamp()"""
        oldest = self.first_undecided_txn()
        entry = None if oldest is None else self._producers.get(oldest.producer_id)
        self._oldest_txn_last_timestamp = _NO_TIMESTAMP if entry is None else entry.last_timestamp

    def update_map_end_offset(self, offset: int) -> None:
        """Record that the state covers the log up to ``offset``, exclusive.

        :origin: storage.internals.log.ProducerStateManager#updateMapEndOffset(long)
        """
        self._last_map_offset = offset

    def last_entry(self, producer_id: int) -> ProducerStateEntry | None:
        """Return the state of a producer, or None.

        :origin: storage.internals.log.ProducerStateManager#lastEntry(long)
        """
        return self._producers.get(producer_id)

    def take_snapshot(self, sync: bool) -> str | None:
        """Write the state, unless the last snapshot is up to date; return the file, or None. Raises OSError.

        :origin: storage.internals.log.ProducerStateManager#takeSnapshot()
        :origin: storage.internals.log.ProducerStateManager#takeSnapshot(boolean)
        """
        offset = self._last_map_offset
        if offset <= self._last_snap_offset:
            return None
        path = self._snapshot_path(offset)
        write_snapshot(path, self._producers, sync)
        self._snapshots.add(offset)
        self._last_snap_offset = offset
        return path

    def snapshot_offsets(self) -> list[int]:
        """Return the offsets of all snapshots, ascending."""
        return sorted(self._snapshots)

    def update_parent_dir(self, directory: str) -> None:
        """Follow the renamed folder of the log.

        :origin: storage.internals.log.ProducerStateManager#updateParentDir(File)
        """
        self._directory = directory

    def _snapshot_path(self, offset: int) -> str:
        return os.path.join(self._directory, file_name(offset, SNAPSHOT_SUFFIX))

    def _remove_unreplicated_transactions(self, offset: int) -> None:
        """:origin: storage.internals.log.ProducerStateManager#removeUnreplicatedTransactions(long)"""
        self._unreplicated_txns = {
            first_offset: txn for first_offset, txn in self._unreplicated_txns.items()
            if txn.last_offset is None or txn.last_offset >= offset}

    def truncate_fully_and_start_at(self, offset: int) -> None:
        """Remove all state, and delete all snapshots.

        :origin: storage.internals.log.ProducerStateManager#truncateFullyAndStartAt(long)
        """
        for snapshot in self.snapshot_offsets():
            self.delete_snapshot(snapshot)
        self._producers.clear()
        self._ongoing_txns.clear()
        self._unreplicated_txns.clear()
        self._producer_id_count = 0
        self._oldest_txn_last_timestamp = _NO_TIMESTAMP
        self._last_snap_offset = 0
        self._last_map_offset = offset

    def last_stable_offset(self, completed_txn: CompletedTxn) -> int:
        """Return the last stable offset after the completion of ``completed_txn``.

        :origin: storage.internals.log.ProducerStateManager#lastStableOffset(CompletedTxn)
        """
        for txn in self._ongoing_txns.values():
            if txn.producer_id != completed_txn.producer_id:
                return txn.first_offset.message_offset
        return completed_txn.last_offset + 1

    def complete_txn(self, completed_txn: CompletedTxn) -> None:
        """Mark a transaction as completed; it is stable once the high watermark is beyond its marker.

        Raises IllegalArgumentException if the transaction is not open.

        :origin: storage.internals.log.ProducerStateManager#completeTxn(CompletedTxn)
        """
        txn = self._ongoing_txns.pop(completed_txn.first_offset, None)
        if txn is None:
            raise IllegalArgumentException(f"Attempted to complete transaction {completed_txn} on partition "
                                           f"{self._topic_partition} which was not started")
        self._unreplicated_txns[completed_txn.first_offset] = TxnMetadata(
            txn.producer_id, txn.first_offset, completed_txn.last_offset)
        self._update_oldest_txn_timestamp()

    def _new_entry(self, producer_id: int) -> ProducerStateEntry:
        entry = self._producers[producer_id] = ProducerStateEntry(producer_id)
        self._producer_id_count = len(self._producers)
        return entry

    def delete_snapshot(self, offset: int) -> None:
        """Delete a snapshot's file; a failure is logged.

        :origin: storage.internals.log.ProducerStateManager#removeAndDeleteSnapshot(long)
        """
        self._snapshots.discard(offset)
        try:
            Floor.os.remove(self._snapshot_path(offset))
        except FileNotFoundError:
            pass
        except OSError as e:
            log.warn("A snapshot of producers cannot be deleted: %s", e)

    def mark_snapshot_for_deletion(self, offset: int) -> str | None:
        """Remove a snapshot and rename its file; return the new name, None if there is no snapshot. Raises
        OSError.

        :origin: storage.internals.log.ProducerStateManager#removeAndMarkSnapshotForDeletion(long)
        """
        if offset not in self._snapshots:
            return None
        self._snapshots.discard(offset)
        path = self._snapshot_path(offset)
        try:
            Floor.os.rename(path, path + DELETED_SUFFIX)
        except FileNotFoundError:
            return None
        return path + DELETED_SUFFIX


def read_snapshot(path: str) -> list[ProducerStateEntry]:
    """Return the producers in a snapshot file. Raises CorruptSnapshotException or OSError.

    :origin: storage.internals.log.ProducerStateManager#readSnapshot(File)
    """
    with Floor.io.open(path, "rb") as file:
        data = file.read()
    if len(data) < _VERSION_AND_CRC.size + _COUNT.size:
        raise CorruptSnapshotException(f"Snapshot is corrupt: it has {len(data)} bytes")
    version, crc = _VERSION_AND_CRC.unpack_from(data)
    if version != _SNAPSHOT_VERSION:
        raise CorruptSnapshotException(f"Snapshot contained an unknown file version {version}")
    body = memoryview(data)[_VERSION_AND_CRC.size:]
    if crc32c(body) != crc:
        raise CorruptSnapshotException(f"Snapshot is corrupt (CRC is no longer valid). Stored crc: {crc}. "
                                       f"Computed crc: {crc32c(body)}")
    (count,) = _COUNT.unpack_from(body)
    if len(body) != _COUNT.size + count * _SNAPSHOT_ENTRY.size:
        raise CorruptSnapshotException(f"Snapshot is corrupt: {count} producers in {len(body)} bytes")
    entries = []
    for (producer_id, epoch, last_seq, last_offset, offset_delta, timestamp, coordinator_epoch,
         txn_first_offset) in _SNAPSHOT_ENTRY.iter_unpack(body[_COUNT.size:]):
        entry = ProducerStateEntry(producer_id, epoch, coordinator_epoch, timestamp,
                                   txn_first_offset if txn_first_offset >= 0 else None)
        if last_offset >= 0:
            entry.batches.append(BatchMetadata(last_seq, last_offset, offset_delta, timestamp))
        entries.append(entry)
    return entries


def write_snapshot(path: str, producers: dict[int, ProducerStateEntry], sync: bool) -> None:
    """Write a snapshot file. Raises OSError; then the incomplete file is removed.

    :origin: storage.internals.log.ProducerStateManager#writeSnapshot(File, Map<Long,ProducerStateEntry>, boolean)
    """  # noqa: E501
    body = b"".join((_COUNT.pack(len(producers)), *(
        _SNAPSHOT_ENTRY.pack(
            entry.producer_id, entry.producer_epoch, entry.last_seq(), entry.last_data_offset(),
            entry.last_offset_delta(), entry.last_timestamp, entry.coordinator_epoch,
            -1 if entry.current_txn_first_offset is None else entry.current_txn_first_offset)
        for entry in producers.values())))
    fd = Floor.os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_CLOEXEC", 0), 0o644)
    try:
        write_fully(fd, _VERSION_AND_CRC.pack(_SNAPSHOT_VERSION, crc32c(body)) + body)
        if sync:
            Floor.os.fsync(fd)
    except OSError:
        Floor.os.remove(path)
        raise
    finally:
        Floor.os.close(fd)


def _snapshot_offsets(directory: str) -> list[int]:
    """:origin: storage.internals.log.ProducerStateManager#listSnapshotFiles(File)"""
    return [offset_of_file_name(name) for name in Floor.os.listdir(directory)
            if name.endswith(SNAPSHOT_SUFFIX) and name[:-len(SNAPSHOT_SUFFIX)].isdecimal()]
