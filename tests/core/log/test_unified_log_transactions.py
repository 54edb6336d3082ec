# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of the transactions in kafka.log.UnifiedLogTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Transactions in a log: what readers of committed records see, whatever is in between, after a crash too."""

from __future__ import annotations

import errno
import os
import shutil
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from crc32c import crc32c
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kreactor.common.errors import (
    InvalidProducerEpochException,
    InvalidTxnStateException,
    KafkaStorageException,
    OutOfOrderSequenceException,
    TransactionCoordinatorFencedException,
)
from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.end_transaction_marker import EndTransactionMarker
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.core.log.local_log import LocalLog
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.storage.internals.log.aborted_txn import AbortedTxn
from kreactor.storage.internals.log.append_origin import AppendOrigin
from kreactor.storage.internals.log.fetch_isolation import FetchIsolation
from kreactor.storage.internals.log.log_append_info import LogAppendInfo
from kreactor.storage.internals.log.log_segment import LogSegment
from kreactor.storage.internals.log.verification_guard import VerificationGuard
from tests.core.log.support import (
    MAX_INT,
    append_as_follower,
    append_non_transactional_as_leader,
    assert_valid_log_offset_metadata,
    batch_of,
)
from tests.storage.internals.log.support import NOW, LogHarness, log_config, records, run_threads, wrap

PART_OF = "UnifiedLogTest"

COMMIT, ABORT = ControlRecordType.COMMIT, ControlRecordType.ABORT


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[LogHarness]:
    made = LogHarness(str(tmp_path), log_config(segment_bytes=1 << 20, retention_ms=-1))
    made.producer_state_config.transaction_verification_enabled = False
    yield made
    made.dispose()


class Producer:
    """Appends to a log, counting on."""

    def __init__(self, harness: LogHarness, producer_id: int, epoch: int = 0) -> None:
        self.harness = harness
        self.producer_id, self.epoch = producer_id, epoch
        self.sequence = 0

    def append(self, *values: bytes, is_transactional: bool = True) -> LogAppendInfo:
        info = self.harness.log.append_as_leader(records(
            *values, producer_id=self.producer_id, producer_epoch=self.epoch, base_sequence=self.sequence,
            is_transactional=is_transactional), 0)
        self.sequence += len(values)
        return info

    def append_count(self, count: int) -> LogAppendInfo:
        return self.append(*(b"%d" % number for number in range(count)))

    def end(self, type_: ControlRecordType, coordinator_epoch: int = 0) -> LogAppendInfo:
        return end(self.harness.log, self.producer_id, self.epoch, type_, coordinator_epoch)


def marker(producer_id: int, epoch: int, type_: ControlRecordType,
           coordinator_epoch: int = 0) -> MemoryRecords:
    made = MemoryRecords.with_end_transaction_marker(
        producer_id, epoch, EndTransactionMarker(type_, coordinator_epoch), timestamp=NOW)
    return wrap(made.buffer().to_bytes())


def end(log: UnifiedLog, producer_id: int, epoch: int, type_: ControlRecordType,
        coordinator_epoch: int = 0) -> LogAppendInfo:
    return log.append_as_leader(
        marker(producer_id, epoch, type_, coordinator_epoch), 0, AppendOrigin.COORDINATOR)


def aborted(log: UnifiedLog) -> list[AbortedTxn]:
    """Return the entries of all segments."""
    return [txn for segment in log.segments() if (index := segment.txn_index()) is not None
            for txn in index.all_aborted_txns()]


def committed_values(log: UnifiedLog, offset: int | None = None, max_bytes: int = 1 << 20) -> list[bytes]:
    """Return what a consumer of committed records makes of its fetches, by Kafka's rules for it."""
    offset = log.log_start_offset() if offset is None else offset
    found: list[bytes] = []
    while offset < log.last_stable_offset():
        info = log.read(offset, max_bytes, FetchIsolation.TXN_COMMITTED, True)
        assert info.aborted_transactions is not None
        waiting = sorted(info.aborted_transactions, key=lambda txn: txn.first_offset, reverse=True)
        ignored: set[int] = set()
        next_offset = offset
        data = wrap(b"".join(whole(batch) for batch in info.records.batches()))
        for batch in data.batches():
            next_offset = batch.next_offset()
            while waiting and waiting[-1].first_offset <= batch.last_offset():
                ignored.add(waiting.pop().producer_id)
            if batch.is_control_batch():
                if EndTransactionMarker.deserialize(next(iter(batch))).control_type() is ABORT:
                    ignored.discard(batch.producer_id())
            elif not (batch.is_transactional() and batch.producer_id() in ignored):
                for record in batch:
                    value = record.value()
                    if value is not None and record.offset() >= offset:
                        found.append(value.to_bytes())
        assert next_offset > offset, "a read gave no batch"
        offset = next_offset
    return found


def whole(batch: RecordBatch) -> bytes:
    data = wrap(bytes(batch.size_in_bytes())).buffer()
    batch.write_to(data)
    return data.flip().to_bytes()


# -- how far they read -----------------------------------------------------------------------------


def first_unstable_offset(log: UnifiedLog) -> int | None:
    unstable = log._first_unstable
    return None if unstable is None else unstable.message_offset


def test_first_unstable_offset_no_transactional_data(harness: LogHarness) -> None:
    harness.append(b"foo", b"bar", b"baz")
    assert first_unstable_offset(harness.log) is None
    assert harness.log.last_stable_offset() == 3


def test_first_unstable_offset_with_transactional_data(harness: LogHarness) -> None:
    log, producer = harness.log, Producer(harness, 137, 5)
    assert producer.append(b"foo", b"bar", b"baz").first_offset == first_unstable_offset(log) == 0
    producer.append(b"blah")
    assert first_unstable_offset(log) == 0
    snapshot = log.fetch_offset_snapshot()
    assert (snapshot.last_stable_offset, snapshot.high_watermark.message_offset) == ((0, 0, 0), 4)
    log.hold_high_watermark(0)
    info = producer.end(COMMIT)
    # The transaction is decided, and readers must not know before the high watermark is beyond its marker.
    assert first_unstable_offset(log) == log.last_stable_offset() == 0
    log.hold_high_watermark(info.last_offset + 1)
    assert first_unstable_offset(log) is None
    assert log.last_stable_offset() == 5


def test_last_stable_offset_with_mixed_producer_data(harness: LogHarness) -> None:
    log, first, second = harness.log, Producer(harness, 137, 5), Producer(harness, 983, 5)
    log.hold_high_watermark(0)
    first_info = first.append(b"a", b"b", b"c")
    assert first_unstable_offset(log) == first_info.first_offset
    harness.append(b"g", b"h", b"i")
    second_info = second.append(b"d", b"e", b"f")
    assert first_unstable_offset(log) == first_info.first_offset == 0
    log.hold_high_watermark(first.end(ABORT).last_offset + 1)
    assert first_unstable_offset(log) == second_info.first_offset == log.last_stable_offset() == 6
    log.hold_high_watermark(second.end(COMMIT).last_offset + 1)
    assert first_unstable_offset(log) is None
    assert log.last_stable_offset() == 11
    assert committed_values(log) == [b"g", b"h", b"i", b"d", b"e", b"f"]


def test_last_stable_offset_does_not_exceed_log_start_offset_mid_segment(harness: LogHarness) -> None:
    _check_unstable_at_log_start(harness, 5, number_of_segments=2, committed=[b"a", b"b", b"c"])


def test_last_stable_offset_does_not_exceed_log_start_offset_after_segment_deletion(
        harness: LogHarness) -> None:
    _check_unstable_at_log_start(harness, 8, number_of_segments=1, committed=[])


def _check_unstable_at_log_start(harness: LogHarness, start: int, number_of_segments: int,
                                 committed: list[bytes]) -> None:
    """A transaction that is open from before the start counts from the start on."""
    log, producer = harness.log, Producer(harness, 1)
    producer.append_count(5)
    harness.append(b"a", b"b", b"c")
    assert log.log_end_offset() == 8
    log.roll()
    assert log.number_of_segments() == 2
    producer.append_count(5)
    assert log.last_stable_offset() == 0
    log.maybe_increment_log_start_offset(start)
    log.delete_old_segments()
    assert log.number_of_segments() == number_of_segments
    assert log.last_stable_offset() == start
    producer.end(ABORT)
    assert log.last_stable_offset() == 14
    assert committed_values(log) == committed


@pytest.mark.parametrize("values", [(b"open",), (b"open", b"too")])
def test_no_reader_of_committed_records_sees_those_that_begin_a_transaction(
        harness: LogHarness, monkeypatch: pytest.MonkeyPatch, values: tuple[bytes, ...]) -> None:
    """A fetch may come as soon as the end of the log has moved, while the append still goes on."""
    log = harness.log
    harness.append(b"before")
    seen: list[tuple[int, list[bytes], int]] = []
    append = LocalLog.append

    def append_then_read(local_log: LocalLog, *args: Any) -> None:
        append(local_log, *args)
        seen.append((log.log_end_offset(), committed_values(log), log.last_stable_offset()))

    producer = Producer(harness, 1)
    with monkeypatch.context() as patch:
        patch.setattr(LocalLog, "append", append_then_read)
        producer.append(*values)
    assert seen == [(1 + len(values), [b"before"], 1)]
    producer.end(COMMIT)
    assert committed_values(log) == [b"before", *values]


def test_read_committed_with_concurrent_high_watermark_updates(harness: LogHarness) -> None:
    """A transaction that is open, and will be aborted, is not read, wherever the high watermark is held."""
    log, producer = harness.log, Producer(harness, 15)
    log.hold_high_watermark(0)
    last_offset = 50
    non_empty_reads = 0

    def write_and_read() -> None:
        nonlocal non_empty_reads
        while log.log_end_offset() < last_offset:
            start_offset = log.log_end_offset()
            producer.append_count(1)
            info = log.read(start_offset, MAX_INT, FetchIsolation.TXN_COMMITTED, False)
            if info.records.size_in_bytes() > 0:
                non_empty_reads += 1
            producer.end(ABORT)

    def update_high_watermark() -> None:
        while log.log_end_offset() < last_offset:
            log.hold_high_watermark(log.log_end_offset())

    run_threads(update_high_watermark, write_and_read)
    assert log.log_end_offset() == last_offset
    assert non_empty_reads == 0


def test_a_marker_of_a_later_epoch_ends_the_transaction(harness: LogHarness) -> None:
    """The coordinator raises the epoch to keep a producer out that has taken too long."""
    producer = Producer(harness, 1)
    producer.append(b"a", b"b")
    end(harness.log, 1, 1, ABORT)
    assert aborted(harness.log) == [AbortedTxn(1, 0, 2, 3)]
    with pytest.raises(InvalidProducerEpochException):
        producer.append(b"c")
    # The same marker once more ends nothing.
    end(harness.log, 1, 1, ABORT)
    assert (len(aborted(harness.log)), harness.log.last_stable_offset()) == (1, 4)


# -- markers ---------------------------------------------------------------------------------------


def test_zombie_coordinator_fenced(harness: LogHarness) -> None:
    producer = Producer(harness, 1)
    producer.append_count(10)
    producer.end(ABORT, 1)
    producer.append_count(5)
    producer.end(COMMIT, 2)
    for _ in range(2):
        with pytest.raises(TransactionCoordinatorFencedException):
            producer.end(ABORT, 1)
    assert harness.log.log_end_offset() == 17


def test_zombie_coordinator_fenced_empty_transaction(harness: LogHarness) -> None:
    producer = Producer(harness, 1)
    producer.append_count(10)
    producer.end(COMMIT)
    producer.end(ABORT, 2)
    producer.end(ABORT, 2)
    with pytest.raises(TransactionCoordinatorFencedException):
        producer.end(ABORT, 1)
    assert aborted(harness.log) == []


def test_end_txn_with_fenced_producer_epoch(harness: LogHarness) -> None:
    end(harness.log, 1, 5, ABORT, 1)
    with pytest.raises(InvalidProducerEpochException):
        end(harness.log, 1, 4, ABORT, 1)


def test_a_marker_that_is_none(harness: LogHarness) -> None:
    data = bytearray(marker(1, 0, COMMIT).buffer().to_bytes())
    Producer(harness, 1).append(b"a")
    # The type, behind the batch's header of 61 bytes, five fields of the record of a byte each, a version.
    data[69] = 9
    struct.pack_into(">I", data, 17, crc32c(bytes(data[21:])))
    with pytest.raises(IllegalArgumentException):
        harness.log.append_as_leader(wrap(data), 0, AppendOrigin.COORDINATOR)
    assert (harness.log.log_end_offset(), harness.log.last_stable_offset()) == (1, 0)


def test_an_empty_control_batch(harness: LogHarness) -> None:
    """The batch that compaction leaves of a marker says nothing. In ProducerStateManagerTest in Kafka."""
    producer = Producer(harness, 1)
    producer.append(b"a")
    data = bytearray(marker(1, 0, COMMIT).buffer().to_bytes()[:61])
    struct.pack_into(">i", data, 8, 61 - 12)
    struct.pack_into(">i", data, 57, 0)
    struct.pack_into(">I", data, 17, crc32c(bytes(data[21:])))
    harness.log.append_as_leader(wrap(data), 0, AppendOrigin.COORDINATOR)
    assert (harness.log.log_end_offset(), harness.log.last_stable_offset()) == (2, 0)
    harness.crash_and_open()
    assert (harness.log.log_end_offset(), harness.log.last_stable_offset()) == (2, 0)


@pytest.mark.parametrize("compression", [None, "gzip"])
def test_markers_stay_as_they_are(tmp_path: Path, compression: str | None) -> None:
    """Where batches must be compressed, too."""
    harness = LogHarness(str(tmp_path), log_config(
        compression_type="producer" if compression is None else compression))
    harness.producer_state_config.transaction_verification_enabled = False
    producer = Producer(harness, 1)
    producer.append(b"a" * 100)
    producer.end(COMMIT)
    batches = list(harness.log.read(0, 1 << 20, FetchIsolation.LOG_END, True).records.batches())
    assert [batch.compression_type().name for batch in batches] == [
        "NONE" if compression is None else "GZIP", "NONE"]
    assert committed_values(harness.log) == [b"a" * 100]
    harness.dispose()


def test_coordinators_need_no_sequence_numbers(harness: LogHarness) -> None:
    """The offsets that a producer commits come from the coordinator of groups, always with number 0."""
    for _ in range(2):
        info = harness.log.append_as_leader(
            records(b"a", producer_id=1, producer_epoch=0, base_sequence=0, is_transactional=True), 0,
            AppendOrigin.COORDINATOR)
        assert not info.duplicate
    end(harness.log, 1, 0, COMMIT)
    assert committed_values(harness.log) == [b"a", b"a"]


# -- verification ----------------------------------------------------------------------------------


@pytest.mark.parametrize("origin", list(AppendOrigin))
def test_transaction_is_ongoing_and_verification_guard(harness: LogHarness, origin: AppendOrigin) -> None:
    harness.producer_state_config.transaction_verification_enabled = True
    log = harness.log
    sequence = 3 if origin is AppendOrigin.CLIENT else 0

    def sent(sequence: int, is_transactional: bool) -> MemoryRecords:
        return records(b"1", b"2", producer_id=23, producer_epoch=1, base_sequence=sequence,
                       is_transactional=is_transactional)

    assert not log.has_ongoing_transaction(23)
    assert log.verification_guard(23) is VerificationGuard.SENTINEL
    assert not log.verification_guard(23).verify(VerificationGuard.SENTINEL)
    behind = sequence + 2 if origin is AppendOrigin.CLIENT else sequence
    guard = log.maybe_start_transaction_verification(23, behind, 1)
    assert guard is not VerificationGuard.SENTINEL
    log.append_as_leader(sent(sequence, False), 0, origin)
    assert not log.has_ongoing_transaction(23)
    assert log.verification_guard(23) == guard and log.verification_guard(23).verify(guard)
    log.append_as_leader(sent(behind, True), 0, origin, guard)
    assert log.has_ongoing_transaction(23)
    assert log.verification_guard(23) is VerificationGuard.SENTINEL
    assert log.maybe_start_transaction_verification(23, behind, 1) is VerificationGuard.SENTINEL
    end(log, 23, 1, COMMIT)
    assert not log.has_ongoing_transaction(23)
    assert log.verification_guard(23) is VerificationGuard.SENTINEL
    another = log.maybe_start_transaction_verification(23, behind + 1, 1)
    assert another not in (VerificationGuard.SENTINEL, guard) and not guard.verify(another)


def test_empty_transaction_still_clears_verification_guard(harness: LogHarness) -> None:
    harness.producer_state_config.transaction_verification_enabled = True
    assert harness.log.maybe_start_transaction_verification(23, 0, 1) is not VerificationGuard.SENTINEL
    end(harness.log, 23, 1, COMMIT)
    assert not harness.log.has_ongoing_transaction(23)
    assert harness.log.verification_guard(23) is VerificationGuard.SENTINEL


def test_disabled_verification_clears_verification_guard(harness: LogHarness) -> None:
    harness.producer_state_config.transaction_verification_enabled = True
    assert harness.log.maybe_start_transaction_verification(23, 0, 1) is not VerificationGuard.SENTINEL
    harness.producer_state_config.transaction_verification_enabled = False
    Producer(harness, 23, 1).append(b"1", b"2")
    assert harness.log.has_ongoing_transaction(23)
    assert harness.log.verification_guard(23) is VerificationGuard.SENTINEL


def test_enabling_verification_when_request_is_at_log_layer(harness: LogHarness) -> None:
    harness.producer_state_config.transaction_verification_enabled = True
    sent = records(b"1", b"2", producer_id=23, producer_epoch=1, base_sequence=4, is_transactional=True)
    with pytest.raises(InvalidTxnStateException):
        harness.log.append_as_leader(sent, 0)
    assert not harness.log.has_ongoing_transaction(23)
    assert harness.log.verification_guard(23) is VerificationGuard.SENTINEL
    guard = harness.log.maybe_start_transaction_verification(23, 4, 1)
    assert guard is not VerificationGuard.SENTINEL
    data = records(b"1", b"2", producer_id=23, producer_epoch=1, base_sequence=4, is_transactional=True)
    harness.log.append_as_leader(data, 0, verification_guard=guard)
    assert harness.log.has_ongoing_transaction(23)
    assert harness.log.verification_guard(23) is VerificationGuard.SENTINEL


def test_allow_non_zero_sequence_on_first_append_non_zero_epoch(harness: LogHarness) -> None:
    harness.producer_state_config.transaction_verification_enabled = True
    assert not harness.log.has_ongoing_transaction(23)
    assert harness.log.verification_guard(23) is VerificationGuard.SENTINEL
    guard = harness.log.maybe_start_transaction_verification(23, 3, 1)
    data = records(b"1", b"2", producer_id=23, producer_epoch=1, base_sequence=3, is_transactional=True)
    assert harness.log.append_as_leader(data, 0, verification_guard=guard).last_offset == 1


def test_a_batch_that_comes_twice_in_a_transaction(harness: LogHarness) -> None:
    producer = Producer(harness, 1)
    first = producer.append(b"a", b"b")
    producer.append(b"c")
    producer.end(COMMIT)
    producer.sequence = 0
    again = producer.append(b"a", b"b")
    assert again.duplicate and again.first_offset == first.first_offset
    assert not harness.log.has_ongoing_transaction(1)
    producer.sequence = 5
    with pytest.raises(OutOfOrderSequenceException):
        producer.append(b"a")


# -- the index of aborted transactions ---------------------------------------------------------------


def append_four_transactions(append: Callable[[int, int], object],
                             end: Callable[[int, ControlRecordType], object]) -> None:
    """Append what four producers and one without transactions write; the first and the second abort."""
    for producer_id, count in ((1, 5), (0, 3), (2, 2), (1, 4), (3, 3), (0, 2), (1, 10)):
        append(producer_id, count)
    end(1, ABORT)
    for producer_id, count in ((2, 6), (4, 3), (0, 10), (3, 9)):
        append(producer_id, count)
    end(3, COMMIT)
    append(4, 8)
    append(2, 7)
    end(2, ABORT)
    append(0, 10)
    append(4, 4)
    end(4, COMMIT)


def check_four_transactions(log: UnifiedLog) -> None:
    """The index has those that were aborted, and the high watermark moves the first unstable offset."""
    first, second = AbortedTxn(1, 0, 29, 8), AbortedTxn(2, 8, 74, 36)
    assert aborted(log) == [first, second]
    assert log.log_end_offset() == 90
    for high_watermark, offset in ((30, 8), (75, 36)):
        log.hold_high_watermark(high_watermark)
        unstable = log._first_unstable
        assert unstable is not None and unstable.message_offset == offset
        assert not unstable.message_offset_only()
        assert_valid_log_offset_metadata(log, unstable)
    log.hold_high_watermark(None)
    assert first_unstable_offset(log) is None
    assert log.collect_aborted_transactions(0, 100) == [first, second]
    assert log.collect_aborted_transactions(30, 40) == [second]
    assert log.collect_aborted_transactions(0, 8) == [first]


def test_transaction_index_updated(harness: LogHarness) -> None:
    log = harness.log
    producers = {number: Producer(harness, number) for number in range(1, 5)}

    def append(producer_id: int, count: int) -> None:
        if producer_id == 0:
            append_non_transactional_as_leader(log, count)
        else:
            producers[producer_id].append_count(count)

    log.hold_high_watermark(0)
    append_four_transactions(append, lambda producer_id, type_: producers[producer_id].end(type_))
    check_four_transactions(log)


def test_transaction_index_updated_through_replication(harness: LogHarness) -> None:
    log = harness.log
    offset = 0
    sequences = dict.fromkeys(range(1, 5), 0)

    def append(producer_id: int, count: int) -> None:
        nonlocal offset
        data = [SimpleRecord(NOW, None, b"%d" % number) for number in range(count)]
        if producer_id == 0:
            made = batch_of(*data, base_offset=offset)
        else:
            made = batch_of(*data, base_offset=offset, producer_id=producer_id, producer_epoch=0,
                            sequence=sequences[producer_id], is_transactional=True)
            sequences[producer_id] += count
        append_as_follower(log, made)
        offset += count

    def end_at(producer_id: int, type_: ControlRecordType) -> None:
        nonlocal offset
        append_as_follower(log, MemoryRecords.with_end_transaction_marker(
            producer_id, 0, EndTransactionMarker(type_, 0), initial_offset=offset, timestamp=NOW))
        offset += 1

    log.hold_high_watermark(0)
    append_four_transactions(append, end_at)
    check_four_transactions(log)


def test_append_to_transaction_index_failure(harness: LogHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    log, producer = harness.log, Producer(harness, 1)
    log.hold_high_watermark(0)
    producer.append_count(10)

    def fail(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr(LogSegment, "update_txn_index", fail)
        # The batch is in the log, and its transaction not in the index.
        with pytest.raises(KafkaStorageException):
            producer.end(ABORT, 1)
    assert (log.log_end_offset(), log.last_stable_offset()) == (11, 0)

    # The log is offline: the batch is not appended once more, and nothing gets into the index.
    with pytest.raises(KafkaStorageException):
        producer.end(ABORT, 1)
    assert (log.log_end_offset(), log.last_stable_offset()) == (11, 0)
    assert aborted(log) == []

    # The first unstable offset does not move with the high watermark.
    log.hold_high_watermark(11)
    assert log.last_stable_offset() == 0

    assert not log.close()
    reopened = harness.open(clean=False)
    assert reopened.log_end_offset() == 11
    txn_index = reopened.active_segment().txn_index()
    assert txn_index is not None and txn_index.all_aborted_txns() == [AbortedTxn(1, 0, 10, 11)]
    assert first_unstable_offset(reopened) is None
    assert reopened.last_stable_offset() == 11


def test_aborted_transactions_are_not_noted_twice(harness: LogHarness) -> None:
    """Without a snapshot the producers are read again, and the index has what was aborted already."""
    producer = Producer(harness, 1)
    for type_ in (ABORT, COMMIT, ABORT):
        producer.append_count(2)
        producer.end(type_)
    expected = [AbortedTxn(1, 0, 2, 3), AbortedTxn(1, 6, 8, 9)]
    assert aborted(harness.log) == expected
    assert harness.log.close()
    for snapshot in Path(harness.directory).glob("*.snapshot"):
        snapshot.unlink()
    harness.open(clean=True)
    assert aborted(harness.log) == expected
    assert harness.log.last_stable_offset() == harness.log.log_end_offset() == 9
    assert committed_values(harness.log) == [b"0", b"1"]


def test_aborted_transaction_spanning_multiple_segments(tmp_path: Path) -> None:
    sent = records(b"a", b"b", b"c", producer_id=137, producer_epoch=5, base_sequence=0,
                   is_transactional=True)
    harness = LogHarness(str(tmp_path), log_config(segment_bytes=sent.size_in_bytes()))
    harness.producer_state_config.transaction_verification_enabled = False
    producer = Producer(harness, 137, 5)
    producer.append(b"a", b"b", b"c")
    producer.append(b"d", b"e", b"f")
    assert harness.log.last_stable_offset() == 0
    assert harness.log.log_end_offset_metadata().segment_base_offset == 3
    producer.end(ABORT)
    assert first_unstable_offset(harness.log) is None
    info = harness.log.read(0, 2048, FetchIsolation.TXN_COMMITTED, True)
    assert info.aborted_transactions == [
        FetchResponseData.AbortedTransaction(producer_id=137, first_offset=0)]
    assert committed_values(harness.log) == []
    assert harness.log.read(0, 2048, FetchIsolation.LOG_END, True).aborted_transactions is None
    # A segment goes with its index, and the file of one that is being deleted has another name.
    harness.log.maybe_increment_log_start_offset(6)
    assert harness.log.delete_old_segments() == 2
    assert harness.close_and_open().log_end_offset() == 7
    assert aborted(harness.log) == [AbortedTxn(137, 0, 6, 7)]
    harness.log.roll()
    harness.log.maybe_increment_log_start_offset(7)
    assert harness.log.delete_old_segments() == 1

    def txn_indexes() -> list[str]:
        # Not by Path.glob: that of PyPy 7.3.19 misses the names that end with ".deleted".
        return [name for name in os.listdir(harness.directory) if "txnindex" in name]

    assert txn_indexes() == ["00000000000000000006.txnindex.deleted"]
    harness.scheduler.tick(harness.config.file_delete_delay_ms)
    assert not txn_indexes()
    harness.dispose()


def known(log: UnifiedLog) -> dict[int, tuple[int | None, ...]]:
    """Return of each producer what a snapshot keeps."""
    return {entry.producer_id: (entry.producer_epoch, entry.coordinator_epoch, entry.last_timestamp,
                                entry.current_txn_first_offset, entry.last_seq(), entry.last_data_offset(),
                                entry.last_offset_delta()) for entry in log.active_producers()}


def test_rebuild_transactional_state(harness: LogHarness) -> None:
    """After a clean stop, after a crash, and without a file of any kind but the records."""
    first, second = Producer(harness, 137, 5), Producer(harness, 138, 5)
    first.append(b"a", b"b")
    harness.log.roll()
    second.append(b"c")
    first.end(ABORT, 3)
    harness.log.roll()
    first.append(b"d")
    expected = [AbortedTxn(137, 0, 3, 2)]
    producers = known(harness.log)

    def check() -> None:
        assert aborted(harness.log) == expected
        assert (harness.log.last_stable_offset(), harness.log.log_end_offset()) == (2, 5)
        assert known(harness.log) == producers
        assert committed_values(harness.log) == []

    check()
    harness.crash_and_open(recovery_point=5)
    check()
    harness.close_and_open()
    check()
    for pattern in ("*.txnindex", "*.snapshot", "*index"):
        harness.crash()
        for path in Path(harness.directory).glob(pattern):
            path.unlink()
        harness.open(clean=False)
        check()
    # One that is damaged is noticed even after a clean stop.
    assert harness.log.close()
    path, = Path(harness.directory).glob("*.txnindex")
    path.write_bytes(path.read_bytes()[:-1])
    harness.open(clean=True, log_start_offset=0)
    check()
    second.end(COMMIT)
    first.end(COMMIT, 3)
    assert committed_values(harness.log) == [b"c", b"d"]


def test_a_marker_that_the_crash_took(harness: LogHarness) -> None:
    producer = Producer(harness, 1)
    producer.append(b"a")
    producer.end(ABORT)
    harness.log.roll()
    producer.append(b"b")
    size = harness.log.segments()[-1].size()
    producer.end(ABORT)
    harness.close_and_open()
    harness.crash()
    with open(harness.segment_path(), "r+b") as file:
        file.truncate(size + 20)
    harness.open(clean=False)
    assert aborted(harness.log) == [AbortedTxn(1, 0, 1, 2)]
    assert (harness.log.last_stable_offset(), harness.log.log_end_offset()) == (2, 3)
    assert harness.log.has_ongoing_transaction(1)


# -- anything, against a model ---------------------------------------------------------------------


class Model:
    """The appends, in order, and the end of the file after each."""

    def __init__(self) -> None:
        self.batches: list[tuple[int, int, str, list[bytes]]] = []

    def add(self, next_offset: int, producer_id: int, kind: str, values: list[bytes]) -> None:
        self.batches.append((next_offset, producer_id, kind, values))

    def cut(self, next_offset: int) -> None:
        self.batches = [batch for batch in self.batches if batch[0] <= next_offset]

    def is_open(self, producer_id: int) -> bool:
        of_producer = [kind for _, other, kind, _ in self.batches if other == producer_id]
        return bool(of_producer) and of_producer[-1] == "data"

    def last_stable_offset(self) -> int:
        """Return where the first transaction begins that has no marker."""
        first: dict[int, int] = {}
        offset = 0
        for next_offset, producer_id, kind, _ in self.batches:
            if kind == "data":
                first.setdefault(producer_id, offset)
            elif kind != "plain":
                first.pop(producer_id, None)
            offset = next_offset
        return min(first.values(), default=offset)

    def committed(self, from_offset: int = 0) -> list[bytes]:
        """Return the values before the last stable offset that were not aborted."""
        fate: dict[int, str] = {}
        found: list[list[bytes]] = []
        end_offset = self.last_stable_offset()
        for next_offset, producer_id, kind, values in reversed(self.batches):
            if kind in ("commit", "abort"):
                fate[producer_id] = kind
            elif next_offset <= end_offset and (kind == "plain" or fate[producer_id] == "commit"):
                first = next_offset - len(values)
                found.append(values[max(from_offset - first, 0):])
        return [value for values in reversed(found) for value in values]


_STEPS = st.lists(st.one_of(
    st.tuples(st.just("data"), st.integers(1, 3), st.integers(1, 4)),
    st.tuples(st.sampled_from(["commit", "abort"]), st.integers(1, 3), st.just(0)),
    st.tuples(st.just("plain"), st.just(-1), st.integers(1, 3)),
    st.tuples(st.sampled_from(["roll", "flush", "close"]), st.just(0), st.just(0)),
    # How many of the last segments were not flushed, and how much is lost of the first of them.
    st.tuples(st.just("cut"), st.integers(1, 3), st.integers(0, 700))), max_size=40)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=_STEPS, segment_bytes=st.sampled_from([150, 400, 10_000]), max_bytes=st.integers(1, 2000),
       from_offset=st.integers(0, 20))
def test_what_readers_of_committed_records_see(
        tmp_path: Path, steps: list[tuple[str, int, int]], segment_bytes: int, max_bytes: int,
        from_offset: int) -> None:
    """For any appends, and any place where a crash cuts the file off."""
    shutil.rmtree(tmp_path / "topic-0", ignore_errors=True)
    harness = LogHarness(str(tmp_path), log_config(
        segment_bytes=segment_bytes, index_interval_bytes=100, retention_ms=-1))
    harness.producer_state_config.transaction_verification_enabled = False
    model, number = Model(), 0
    try:
        for kind, producer_id, count in steps:
            log = harness.log
            values = [b"%d-%d" % (number, i) for i in range(count)]
            number += 1
            if kind == "data":
                known = {entry.producer_id: entry.last_seq() for entry in log.active_producers()}
                log.append_as_leader(records(
                    *values, producer_id=producer_id, producer_epoch=0, is_transactional=True,
                    base_sequence=known.get(producer_id, -1) + 1), 0)
                model.add(log.log_end_offset(), producer_id, kind, values)
            elif kind == "plain":
                log.append_as_leader(records(*values), 0)
                model.add(log.log_end_offset(), producer_id, kind, values)
            elif kind in ("commit", "abort"):
                end(log, producer_id, 0, COMMIT if kind == "commit" else ABORT)
                model.add(log.log_end_offset(), producer_id, kind, [])
            elif kind == "roll":
                log.roll()
            elif kind == "flush":
                log.flush()
                harness.scheduler.tick()
            elif kind == "close":
                harness.close_and_open()
            else:
                segment = log.segments()[-min(producer_id, log.number_of_segments())]
                recovery_point, path, size = segment.base_offset(), segment.path(), segment.size()
                harness.crash()
                with open(path, "r+b") as file:
                    file.truncate(max(size - count, 0))
                harness.open(clean=False, recovery_point=recovery_point)
                model.cut(harness.log.log_end_offset())
            log = harness.log
            assert log.last_stable_offset() == model.last_stable_offset()
        for is_reopened in (False, True):
            if is_reopened:
                harness.crash_and_open()
            assert harness.log.last_stable_offset() == model.last_stable_offset()
            assert [harness.log.has_ongoing_transaction(producer_id) for producer_id in (1, 2, 3)] == [
                model.is_open(producer_id) for producer_id in (1, 2, 3)]
            assert committed_values(harness.log, 0, max_bytes) == model.committed()
            assert committed_values(harness.log, from_offset, max_bytes) == model.committed(from_offset)
    finally:
        harness.dispose()
