# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.log.ProducerStateManagerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The state of producers and transactions: which appends are legal, and what a snapshot restores.

Where Kafka prepares an update and then makes it, ``check_batch`` and ``check_marker`` judge, and
``append_batch`` and ``append_end_txn_marker`` note; what comes by replication is not judged.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from kreactor.common.errors import (
    InvalidProducerEpochException,
    InvalidTxnStateException,
    OutOfOrderSequenceException,
    TransactionCoordinatorFencedException,
)
from kreactor.common.record.record_batch import RecordBatch
from kreactor.storage.internals.log.append_origin import AppendOrigin
from kreactor.storage.internals.log.completed_txn import CompletedTxn
from kreactor.storage.internals.log.log_offset_metadata import LogOffsetMetadata
from kreactor.storage.internals.log.producer_state_entry import ProducerStateEntry
from kreactor.storage.internals.log.producer_state_manager import (
    LATE_TRANSACTION_BUFFER_MS,
    ProducerStateManager,
)
from kreactor.storage.internals.log.producer_state_manager_config import ProducerStateManagerConfig
from kreactor.storage.internals.log.txn_metadata import TxnMetadata
from kreactor.storage.internals.log.verification_guard import VerificationGuard
from kreactor.storage.internals.log.verification_state_entry import VerificationStateEntry
from kreactor.testing.mock_time import MockTime
from tests.storage.internals.log.support import TP

PID = 1
MAX_TRANSACTION_TIMEOUT_MS = 5 * 60 * 1000
LATE_TRANSACTION_TIMEOUT_MS = MAX_TRANSACTION_TIMEOUT_MS + LATE_TRANSACTION_BUFFER_MS
LARGEST = 2**31 - 1


class Producers:
    """A state in a folder of its own, and the clock of its producers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.time = MockTime()
        self.config = ProducerStateManagerConfig()
        self.state = self.again()

    def again(self) -> ProducerStateManager:
        return ProducerStateManager(TP, str(self.folder), MAX_TRANSACTION_TIMEOUT_MS, self.config)

    def reload(self, log_start_offset: int, log_end_offset: int, now: int | None = None) -> None:
        self.state = self.again()
        self.state.truncate_and_reload(
            log_start_offset, log_end_offset, self.time.milliseconds() if now is None else now)

    def append(self, producer_id: int, epoch: int, seq: int, offset: int, timestamp: int | None = None,
               is_transactional: bool = False, origin: AppendOrigin | None = AppendOrigin.CLIENT) -> None:
        """Append a batch of one record; None is the origin of what is in the log already."""
        if origin is not None:
            # Kafka's test goes past both the look for duplicates and the verification.
            verification = self.config.transaction_verification_enabled
            self.config.transaction_verification_enabled = False
            try:
                duplicate = self.state.check_batch(
                    producer_id, epoch, seq, seq, offset, is_transactional, origin)
            finally:
                self.config.transaction_verification_enabled = verification
            if duplicate is not None:
                raise OutOfOrderSequenceException("a duplicate")
        timestamp = self.time.milliseconds() if timestamp is None else timestamp
        self.state.append_batch(producer_id, epoch, seq, offset, offset, timestamp, is_transactional)
        self.state.update_map_end_offset(offset + 1)

    def end(self, producer_id: int, epoch: int, offset: int, is_abort: bool = False,
            coordinator_epoch: int = 0, timestamp: int | None = None) -> CompletedTxn | None:
        """Append a marker."""
        self.state.check_marker(producer_id, epoch, coordinator_epoch, offset)
        completed = self.state.append_end_txn_marker(
            producer_id, epoch, coordinator_epoch, offset,
            self.time.milliseconds() if timestamp is None else timestamp, is_abort)
        if completed is not None:
            self.state.complete_txn(completed)
        self.state.update_map_end_offset(offset + 1)
        return completed

    def entry(self, producer_id: int = PID) -> ProducerStateEntry:
        entry = self.state.last_entry(producer_id)
        assert entry is not None
        return entry

    def snapshot(self) -> None:
        self.state.take_snapshot(sync=False)

    def first_undecided(self) -> int | None:
        txn = self.state.first_undecided_txn()
        return None if txn is None else txn.first_offset.message_offset

    def first_unstable(self) -> int | None:
        first = self.state.first_unstable_offset()
        return None if first is None else first.message_offset

    def is_late(self) -> bool:
        return self.state.has_late_transaction(self.time.milliseconds())

    def verify(self, sequence: int, epoch: int) -> VerificationStateEntry:
        return self.state.maybe_create_verification_state_entry(
            PID, sequence, epoch, self.time.milliseconds())


@pytest.fixture
def producers(tmp_path: Path) -> Producers:
    return Producers(tmp_path)


def test_basic_id_mapping(producers: Producers) -> None:
    producers.append(PID, 0, 0, 0, 0)
    producers.append(PID, 0, 1, 0, 1)
    with pytest.raises(OutOfOrderSequenceException):
        producers.append(PID, 0, 1, 0, 1)
    with pytest.raises(OutOfOrderSequenceException):
        producers.append(PID, 0, 5, 0, 2)
    producers.append(PID, 1, 0, 0, 3)
    with pytest.raises(InvalidProducerEpochException):
        producers.append(PID, 0, 0, 0, 4)


def test_append_txn_marker_with_no_producer_state(producers: Producers) -> None:
    producers.end(PID, 2, 27)
    assert (producers.entry().producer_epoch, producers.entry().last_seq()) == (2, RecordBatch.NO_SEQUENCE)
    with pytest.raises(InvalidProducerEpochException):
        producers.append(PID, 0, 0, 0, 4)
    with pytest.raises(OutOfOrderSequenceException):
        producers.append(PID, 2, 17, 0, 4)
    producers.append(PID, 2, 0, 39, 4)
    assert (producers.entry().producer_epoch, producers.entry().last_seq()) == (2, 0)


def test_producer_sequence_wrap_around(producers: Producers) -> None:
    producers.append(PID, 15, LARGEST, 735, origin=None)
    producers.append(PID, 15, 0, 735 + 500)
    entry = producers.entry()
    assert (entry.producer_epoch, entry.first_seq(), entry.last_seq()) == (15, LARGEST, 0)


def test_producer_sequence_with_wrap_around_batch_record(producers: Producers) -> None:
    producers.state.append_batch(PID, 15, 9, 2000, 2020, producers.time.milliseconds(), False)
    entry = producers.entry()
    assert (entry.first_seq(), entry.last_seq()) == (LARGEST - 10, 9)
    assert (entry.batches[0].first_offset(), entry.last_data_offset()) == (2000, 2020)


def test_producer_sequence_invalid_wrap_around(producers: Producers) -> None:
    producers.append(PID, 15, LARGEST, 735, origin=None)
    with pytest.raises(OutOfOrderSequenceException):
        producers.append(PID, 15, 1, 735 + 500)


def test_no_validation_on_first_entry_when_loading_log(producers: Producers) -> None:
    producers.append(PID, 5, 16, 735, origin=None)
    entry = producers.entry()
    assert (entry.producer_epoch, entry.first_seq(), entry.last_seq()) == (5, 16, 16)
    assert (entry.batches[0].first_offset(), entry.last_data_offset()) == (735, 735)


def test_control_record_bumps_producer_epoch(producers: Producers) -> None:
    producers.append(PID, 0, 0, 0)
    producers.end(PID, 1, 1, is_abort=True)
    entry = producers.entry()
    assert (entry.producer_epoch, entry.current_txn_first_offset) == (1, None)
    assert (entry.first_seq(), entry.last_seq()) == (RecordBatch.NO_SEQUENCE, RecordBatch.NO_SEQUENCE)
    producers.append(PID, 1, 0, 2)
    assert producers.entry().first_seq() == 0


def test_txn_first_offset_metadata_cached(producers: Producers) -> None:
    where = LogOffsetMetadata(992342, 990000, 234224)
    producers.state.append_batch(PID, 0, 0, 992342, 992342, producers.time.milliseconds(), True, where)
    assert producers.state.first_unstable_offset() == where


def test_skip_empty_transactions(producers: Producers) -> None:
    producers.state.append_batch(PID, 0, 4, 16, 20, producers.time.milliseconds(), True)
    assert producers.state.first_undecided_txn() == TxnMetadata(PID, LogOffsetMetadata(16, -1, -1))
    producers.state.on_high_watermark_updated(21)
    assert producers.first_unstable() == 16
    assert producers.end(PID, 0, 21) == CompletedTxn(PID, 16, 21, False)
    assert producers.end(PID, 0, 22) is None
    assert producers.end(PID, 0, 23, is_abort=True) is None
    producers.state.append_batch(PID, 0, 8, 24, 27, producers.time.milliseconds(), True)
    assert producers.end(PID, 0, 28, is_abort=True) == CompletedTxn(PID, 24, 28, True)
    assert producers.end(PID, 0, 29, is_abort=True) is None
    producers.state.append_batch(PID, 0, 10, 30, 31, producers.time.milliseconds(), True)
    assert producers.first_unstable() == 16
    producers.state.on_high_watermark_updated(32)
    assert producers.first_unstable() == 30


def test_has_late_transaction(producers: Producers) -> None:
    producers.append(39, 2, 0, 100, is_transactional=True)
    assert not producers.is_late()
    producers.time.sleep(500)
    producers.append(57, 9, 0, 150, is_transactional=True)
    assert not producers.is_late()
    producers.time.sleep(LATE_TRANSACTION_TIMEOUT_MS - 500 + 1)
    assert producers.is_late()
    producers.time.sleep(500)
    producers.end(39, 2, 200)
    assert producers.is_late()
    producers.end(57, 9, 250)
    assert not producers.is_late()


def test_has_late_transaction_initialized_after_reload(producers: Producers) -> None:
    producers.append(39, 2, 0, 100, is_transactional=True)
    producers.time.sleep(500)
    producers.append(57, 9, 0, 150, is_transactional=True)
    producers.snapshot()
    producers.time.sleep(LATE_TRANSACTION_TIMEOUT_MS - 500 + 1)
    assert producers.is_late()
    producers.reload(0, producers.state.map_end_offset())
    assert producers.is_late()


def test_has_late_transaction_updated_after_partial_truncation(producers: Producers) -> None:
    producers.append(39, 2, 0, 100, is_transactional=True)
    producers.time.sleep(LATE_TRANSACTION_TIMEOUT_MS + 1)
    assert producers.is_late()
    producers.state.truncate_and_reload(0, 80, producers.time.milliseconds())
    assert not producers.is_late()


def test_has_late_transaction_updated_after_full_truncation(producers: Producers) -> None:
    producers.append(39, 2, 0, 100, is_transactional=True)
    producers.time.sleep(LATE_TRANSACTION_TIMEOUT_MS + 1)
    assert producers.is_late()
    producers.state.truncate_fully_and_start_at(150)
    assert not producers.is_late()


def test_last_stable_offset_completed_txn(producers: Producers) -> None:
    first, second, third = 992342, 992342 + 25, 992342 + 57
    for producer_id, offset in enumerate((first, second, third), PID):
        producers.append(producer_id, 0, 0, offset, is_transactional=True)

    def complete(producer_id: int, offset: int, last_offset: int) -> int:
        completed = CompletedTxn(producer_id, offset, last_offset, False)
        stable = producers.state.last_stable_offset(completed)
        producers.state.complete_txn(completed)
        producers.state.on_high_watermark_updated(last_offset + 1)
        return stable

    assert complete(PID, first, third + 15) == second == producers.first_unstable()
    assert complete(PID + 2, third, third + 35) == second == producers.first_unstable()
    assert complete(PID + 1, second, third + 113) == third + 114
    assert producers.first_unstable() is None


def test_prepare_update_does_not_mutate(producers: Producers) -> None:
    check = producers.state.check_batch
    assert check(PID, 0, 0, 5, 15, False) is None
    assert producers.state.last_entry(PID) is None
    producers.state.append_batch(PID, 0, 5, 15, 20, producers.time.milliseconds(), False)
    before = repr(producers.entry())
    assert check(PID, 0, 6, 10, 26, False) is None
    producers.state.check_marker(PID, 0, 7, 26)
    assert repr(producers.entry()) == before
    producers.state.append_batch(PID, 0, 10, 26, 30, producers.time.milliseconds(), False)
    entry = producers.entry()
    assert (entry.first_seq(), entry.last_seq(), entry.last_data_offset()) == (0, 10, 30)


def test_update_producer_transaction_state(producers: Producers) -> None:
    producers.append(PID, 0, 0, 9)
    producers.state.append_batch(PID, 0, 5, 16, 20, producers.time.milliseconds(), True)
    entry = producers.entry()
    assert (entry.last_seq(), entry.last_data_offset(), entry.current_txn_first_offset) == (5, 20, 16)
    producers.state.append_batch(PID, 0, 10, 26, 30, producers.time.milliseconds(), True)
    assert (entry.last_seq(), entry.last_data_offset(), entry.current_txn_first_offset) == (10, 30, 16)
    assert producers.end(PID, 0, 40, coordinator_epoch=15) == CompletedTxn(PID, 16, 40, False)
    # The batches that are remembered stay.
    assert (entry.first_seq(), entry.last_seq(), entry.last_data_offset()) == (0, 10, 30)
    assert (entry.coordinator_epoch, entry.current_txn_first_offset) == (15, None)


def test_out_of_sequence_after_control_record_epoch_bump(producers: Producers) -> None:
    producers.append(PID, 0, 0, 0, is_transactional=True)
    producers.append(PID, 0, 1, 1, is_transactional=True)
    producers.end(PID, 1, 1, is_abort=True)
    for epoch in (1, 2):
        with pytest.raises(OutOfOrderSequenceException):
            producers.append(PID, epoch, 2, 2, is_transactional=True)
    producers.append(PID, 1, 0, 0, is_transactional=True)
    assert (producers.entry().producer_epoch, producers.entry().last_seq()) == (1, 0)


def test_non_transactional_append_with_ongoing_transaction(producers: Producers) -> None:
    producers.append(PID, 0, 0, 0, is_transactional=True)
    with pytest.raises(InvalidTxnStateException):
        producers.append(PID, 0, 1, 1)


def test_truncate_and_reload_removes_out_of_range_snapshots(producers: Producers) -> None:
    for number in range(5):
        producers.append(PID, 0, number, number)
        producers.snapshot()
    producers.state.truncate_and_reload(1, 3, producers.time.milliseconds())
    assert producers.state.snapshot_offsets() == [2, 3]


def test_take_snapshot(producers: Producers) -> None:
    producers.append(PID, 0, 0, 0, 0)
    producers.append(PID, 0, 1, 1, 1)
    producers.snapshot()
    path, = producers.folder.iterdir()
    assert path.stat().st_size > 0


def test_fetch_snapshot_empty_snap_shot(producers: Producers) -> None:
    assert producers.state.snapshot_offsets() == []


def recover_from_snapshot(producers: Producers, is_finished: bool, txn_first_offset: int | None) -> None:
    """A snapshot has the last batch of two, and where the transaction begins that is open."""
    producers.append(PID, 0, 0, 0, is_transactional=True)
    producers.append(PID, 0, 1, 1, is_transactional=True)
    if is_finished:
        producers.end(PID, 0, 2, is_abort=True)
    producers.snapshot()
    producers.reload(0, 3)
    entry = producers.entry()
    batch, = entry.batches
    assert (batch.first_offset(), batch.first_seq(), batch.last_offset, batch.last_seq) == (1, 1, 1, 1)
    assert (entry.first_seq(), entry.last_data_offset(), entry.last_seq()) == (1, 1, 1)
    assert entry.current_txn_first_offset == txn_first_offset


def test_recover_from_snapshot_unfinished_transaction(producers: Producers) -> None:
    recover_from_snapshot(producers, False, 0)
    producers.append(PID, 0, 2, 2, is_transactional=True)
    assert producers.entry().last_seq() == 2


def test_recover_from_snapshot_finished_transaction(producers: Producers) -> None:
    recover_from_snapshot(producers, True, None)


def test_recover_from_snapshot_empty_transaction(producers: Producers) -> None:
    timestamp = producers.time.milliseconds()
    producers.end(PID, 0, 0, is_abort=True, timestamp=timestamp)
    producers.snapshot()
    producers.reload(0, 1)
    assert (producers.entry().last_timestamp, producers.entry().current_txn_first_offset) == (timestamp, None)


def test_producer_state_after_fencing_abort_marker(producers: Producers) -> None:
    producers.append(PID, 0, 0, 0, is_transactional=True)
    producers.end(PID, 1, 1, is_abort=True)
    entry = producers.entry()
    assert (entry.current_txn_first_offset, entry.last_data_offset()) == (None, -1)
    producers.state.remove_expired_producers(producers.time.milliseconds())
    assert producers.state.last_entry(PID) is not None


def test_remove_expired_pids_on_reload(producers: Producers) -> None:
    producers.config.producer_id_expiration_ms = 60_000
    producers.append(PID, 0, 0, 0, 0)
    producers.append(PID, 0, 1, 1, 1)
    producers.snapshot()
    producers.reload(0, 2, 70_000)
    assert producers.state.producer_id_count() == 0
    producers.append(PID, 0, 2, 2, 70_001)
    assert (producers.state.producer_id_count(), producers.entry().last_seq()) == (1, 2)
    assert producers.state.map_end_offset() == 3


def test_accept_append_without_producer_state_on_replica(producers: Producers) -> None:
    producers.append(PID, 0, 0, 0, 0)
    producers.append(PID, 0, 1, 1, 1)
    producers.snapshot()
    producers.reload(0, 1, 70_000)
    assert producers.state.last_entry(PID) is None
    producers.append(PID, 0, 2, 2, 70_001, origin=None)
    entry = producers.entry()
    assert (entry.producer_epoch, entry.first_seq(), entry.last_seq()) == (0, 2, 2)


def test_accept_append_with_sequence_gaps_on_replica(producers: Producers) -> None:
    producers.append(PID, 0, 0, 0, 0)
    with pytest.raises(OutOfOrderSequenceException):
        producers.append(PID, 0, 3, 1, 1)
    assert producers.entry().last_seq() == 0
    producers.append(PID, 0, 3, 1, 1, origin=None)
    assert producers.entry().last_seq() == 3


def test_truncate_fully_and_start_at(producers: Producers) -> None:
    producers.append(PID, 0, 0, 0)
    producers.append(PID, 0, 1, 1)
    producers.snapshot()
    producers.append(PID, 0, 2, 2)
    producers.snapshot()
    assert producers.state.snapshot_offsets() == [2, 3]
    producers.state.truncate_fully_and_start_at(0)
    assert producers.state.snapshot_offsets() == [] and not any(producers.folder.iterdir())
    producers.append(PID, 0, 0, 0)
    producers.snapshot()
    assert producers.state.snapshot_offsets() == [1]


def test_a_new_log_has_no_state_and_neither_has_a_truncated_one(producers: Producers) -> None:
    assert producers.state.map_end_offset() == 0
    producers.append(PID, 0, 0, 99, is_transactional=True)
    # The marker is above the high watermark: the transaction stays undecided until that has passed it.
    producers.end(PID, 0, 105)
    assert producers.first_unstable() == 99 and producers.state.map_end_offset() == 106
    producers.state.truncate_fully_and_start_at(7)
    assert producers.first_unstable() is None and producers.state.map_end_offset() == 7


def test_the_mode_of_a_snapshot_is_that_of_data(producers: Producers) -> None:
    producers.append(PID, 0, 0, 0)
    producers.snapshot()
    [snapshot] = producers.folder.iterdir()
    assert stat.S_IMODE(snapshot.stat().st_mode) | 0o044 == 0o644


def test_first_unstable_offset_after_truncation(producers: Producers) -> None:
    producers.append(PID, 0, 0, 99, is_transactional=True)
    assert producers.first_unstable() == 99
    producers.snapshot()
    producers.end(PID, 0, 105)
    producers.state.on_high_watermark_updated(106)
    assert producers.first_unstable() is None
    producers.snapshot()
    producers.append(PID, 0, 1, 106)
    producers.state.truncate_and_reload(0, 106, producers.time.milliseconds())
    assert producers.first_unstable() is None
    producers.state.truncate_and_reload(0, 100, producers.time.milliseconds())
    assert producers.first_unstable() == 99


def test_load_from_snapshot_retains_non_expired_producers(producers: Producers) -> None:
    producers.append(1, 0, 0, 0)
    producers.append(2, 0, 0, 1)
    producers.snapshot()
    producers.state.truncate_and_reload(1, 2, producers.time.milliseconds())
    assert [(entry.producer_id, entry.last_seq(), entry.last_data_offset())
            for entry in producers.state.active_producers().values()] == [(1, 0, 0), (2, 0, 1)]


def test_skip_snapshot_if_offset_unchanged(producers: Producers) -> None:
    producers.append(PID, 0, 0, 0, 0)
    for _ in range(2):
        producers.snapshot()
        assert producers.state.snapshot_offsets() == [1]


def test_pid_expiration_timeout(producers: Producers) -> None:
    producers.append(PID, 5, 37, 1)
    producers.time.sleep(producers.config.producer_id_expiration_ms + 1)
    producers.state.remove_expired_producers(producers.time.milliseconds())
    producers.append(PID, 5, 38, 2)
    assert (producers.state.producer_id_count(), producers.entry().last_seq()) == (1, 38)
    assert producers.state.map_end_offset() == 3


def test_first_unstable_offset(producers: Producers) -> None:
    assert producers.first_undecided() is None
    producers.append(PID, 5, 0, 99, is_transactional=True)
    assert producers.first_undecided() == producers.first_unstable() == 99
    producers.append(2, 5, 0, 105, is_transactional=True)
    assert producers.first_undecided() == producers.first_unstable() == 99
    producers.end(PID, 5, 109)
    assert (producers.first_undecided(), producers.first_unstable()) == (105, 99)
    producers.state.on_high_watermark_updated(100)
    assert producers.first_unstable() == 99
    producers.state.on_high_watermark_updated(110)
    assert producers.first_unstable() == 105
    producers.end(2, 5, 112, is_abort=True)
    assert (producers.first_undecided(), producers.first_unstable()) == (None, 105)
    producers.state.on_high_watermark_updated(113)
    assert producers.first_unstable() is None


def test_producers_with_ongoing_transactions_dont_expire(producers: Producers) -> None:
    producers.append(PID, 5, 0, 99, is_transactional=True)
    producers.time.sleep(producers.config.producer_id_expiration_ms + 1)
    for _ in range(2):
        producers.state.remove_expired_producers(producers.time.milliseconds())
        assert producers.state.last_entry(PID) is not None and producers.first_undecided() == 99


def test_sequence_not_validated_for_group_metadata_topic(producers: Producers) -> None:
    for offset in (99, 100):
        producers.append(PID, 0, RecordBatch.NO_SEQUENCE, offset, is_transactional=True,
                         origin=AppendOrigin.COORDINATOR)
        assert producers.entry().last_data_offset() == offset


def test_old_epoch_for_control_record(producers: Producers) -> None:
    assert producers.first_undecided() is None
    producers.append(PID, 5, 0, 99, is_transactional=True)
    with pytest.raises(InvalidProducerEpochException):
        producers.end(PID, 3, 100)


def test_coordinator_fencing(producers: Producers) -> None:
    producers.append(PID, 5, 0, 99, is_transactional=True)
    for offset, coordinator_epoch in ((100, 1), (101, 1), (102, 2)):
        producers.end(PID, 5, offset, coordinator_epoch=coordinator_epoch)
        assert producers.entry().coordinator_epoch == coordinator_epoch
    with pytest.raises(TransactionCoordinatorFencedException):
        producers.end(PID, 5, 103, coordinator_epoch=1)


def test_coordinator_fenced_after_reload(producers: Producers) -> None:
    producers.append(PID, 0, 0, 99, is_transactional=True)
    producers.end(PID, 0, 100, coordinator_epoch=1)
    producers.snapshot()
    producers.reload(0, 101)
    with pytest.raises(TransactionCoordinatorFencedException):
        producers.end(PID, 0, 101)


def load_from_corrupt_snapshot(producers: Producers, damage: Callable[[bytes], bytes]) -> None:
    """A snapshot that cannot be read is deleted, and the one before it counts."""
    producers.append(PID, 0, 0, 0)
    producers.snapshot()
    producers.append(PID, 0, 1, 1)
    producers.snapshot()
    assert producers.state.snapshot_offsets()[-1] == 2
    path = producers.folder / "00000000000000000002.snapshot"
    data = path.read_bytes()
    assert len(data) > 2
    path.write_bytes(damage(data))
    producers.reload(0, 20)
    assert not path.exists()
    assert producers.entry().last_data_offset() == 0


def test_load_from_empty_snapshot_file(producers: Producers) -> None:
    load_from_corrupt_snapshot(producers, lambda data: b"")


def test_load_from_truncated_snapshot_file(producers: Producers) -> None:
    load_from_corrupt_snapshot(producers, lambda data: data[:len(data) // 2])


def test_load_from_corrupt_snapshot_file(producers: Producers) -> None:
    load_from_corrupt_snapshot(
        producers, lambda data: data[:len(data) // 2] + b"%" + data[len(data) // 2 + 1:])


def with_snapshot_files(producers: Producers, *offsets: int) -> ProducerStateManager:
    """Return a state that finds empty snapshots in its folder."""
    for offset in offsets:
        (producers.folder / f"{offset:020d}.snapshot").touch()
    return producers.again()


def snapshot_files(producers: Producers) -> list[int]:
    return sorted(int(path.stem) for path in producers.folder.glob("*.snapshot"))


def test_remove_stray_snapshots_keep_clean_shutdown_snapshot(producers: Producers) -> None:
    """That of a clean stop is the latest, and stands at the beginning of no segment."""
    state = with_snapshot_files(producers, 5, 2, 42)
    state.remove_stray_snapshots({5})
    assert state.snapshot_offsets() == [5, 42]
    assert snapshot_files(producers) == [5, 42]


def test_remove_all_stray_snapshots(producers: Producers) -> None:
    state = with_snapshot_files(producers, 5, 2, 42)
    state.remove_stray_snapshots({42})
    assert state.snapshot_offsets() == [42]
    assert snapshot_files(producers) == [42]


def test_a_stray_snapshot_before_the_last_segment_is_removed(producers: Producers) -> None:
    state = with_snapshot_files(producers, 2, 4)
    state.remove_stray_snapshots({5})
    assert state.snapshot_offsets() == snapshot_files(producers) == []


def test_remove_and_mark_snapshot_for_deletion(producers: Producers) -> None:
    state = with_snapshot_files(producers, 5)
    assert state.snapshot_offsets() == [5]
    snapshot = state.mark_snapshot_for_deletion(5)
    assert snapshot is not None and snapshot.endswith(".snapshot.deleted") and os.path.exists(snapshot)
    assert state.snapshot_offsets() == []


def test_remove_and_mark_snapshot_for_deletion_already_deleted(producers: Producers) -> None:
    state = with_snapshot_files(producers, 5)
    assert state.snapshot_offsets() == [5]
    os.remove(producers.folder / "00000000000000000005.snapshot")
    assert state.mark_snapshot_for_deletion(5) is None
    assert state.snapshot_offsets() == []


def test_entry_for_verification(producers: Producers) -> None:
    entry = producers.verify(0, 0)
    guard = entry.verification_guard
    assert producers.verify(0, 0) is entry is producers.state.verification_state_entry(PID)
    assert entry.verification_guard == guard
    producers.append(PID, 0, 0, 0, is_transactional=True)
    assert producers.state.verification_state_entry(PID) is None
    producers.verify(0, 0)
    producers.state.clear_verification_state_entry(PID)
    assert producers.state.verification_state_entry(PID) is None


def test_sequence_and_epoch_in_verification_entry(producers: Producers) -> None:
    guard = producers.verify(1, 0).verification_guard
    for sequence, epoch, expected in ((1, 0, (1, 0)), (0, 0, (0, 0)), (2, 1, (2, 1)), (0, 0, (2, 1))):
        entry = producers.verify(sequence, epoch)
        assert (entry.lowest_sequence, entry.epoch) == expected
        assert entry.verification_guard == guard
        assert producers.state._verification_states[PID] is entry


@pytest.mark.parametrize("dynamically_disable", [True, False])
def test_throw_out_of_order_sequence_with_verification_sequence_check(
        producers: Producers, dynamically_disable: bool) -> None:
    entry = producers.verify(0, 0)
    if dynamically_disable:
        producers.config.transaction_verification_enabled = False
    with pytest.raises(OutOfOrderSequenceException):
        producers.append(PID, 0, 4, 0, is_transactional=True)
    assert producers.state.verification_state_entry(PID) is entry


def test_verification_state_entry_expiration(producers: Producers) -> None:
    entry = producers.verify(0, 0)
    producers.time.sleep(producers.config.producer_id_expiration_ms // 2)
    producers.state.remove_expired_producers(producers.time.milliseconds())
    assert producers.state.verification_state_entry(PID) is entry
    producers.time.sleep(producers.config.producer_id_expiration_ms // 2 + 1)
    producers.state.remove_expired_producers(producers.time.milliseconds())
    assert producers.state.verification_state_entry(PID) is None


@pytest.mark.parametrize("origin", list(AppendOrigin))
def test_which_guard_opens_a_transaction(producers: Producers, origin: AppendOrigin) -> None:
    guard = producers.verify(0, 0).verification_guard

    def check(verification_guard: VerificationGuard) -> None:
        producers.state.check_batch(PID, 0, 0, 0, 0, True, origin, verification_guard)

    for wrong in (VerificationGuard.SENTINEL, VerificationGuard()):
        with pytest.raises(InvalidTxnStateException):
            check(wrong)
    check(guard)
    producers.config.transaction_verification_enabled = False
    check(VerificationGuard.SENTINEL)
