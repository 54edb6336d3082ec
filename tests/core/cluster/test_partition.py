# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.cluster.PartitionTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A partition that its one replica leads: who means another epoch is told, the rest is the log's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kreactor.common.errors import (
    FencedLeaderEpochException,
    InvalidTxnStateException,
    NotLeaderOrFollowerException,
    OffsetOutOfRangeException,
    UnknownLeaderEpochException,
)
from kreactor.common.isolation_level import IsolationLevel
from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.requests.fetch_request import FetchRequest
from kreactor.common.requests.list_offsets_request import ListOffsetsRequest
from kreactor.common.uuid import Uuid
from kreactor.core.cluster.partition import Partition
from kreactor.core.server.request_local import RequestLocal
from kreactor.storage.internals.log.append_origin import AppendOrigin
from kreactor.storage.internals.log.fetch_isolation import FetchIsolation
from kreactor.storage.internals.log.fetch_params import FetchParams
from kreactor.storage.internals.log.log_append_info import LogAppendInfo
from kreactor.storage.internals.log.log_read_info import LogReadInfo
from kreactor.storage.internals.log.verification_guard import VerificationGuard
from tests.storage.internals.log.support import NOW, TP, LogHarness, records

BROKER_ID = 1


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[LogHarness]:
    made = LogHarness(str(tmp_path))
    yield made
    made.dispose()


def leader_in_epoch(harness: LogHarness, epoch: int) -> Partition:
    """Return a partition whose leader, this node, is in its ``epoch``."""
    with harness.log._lock:
        harness.log._leader_epochs.assign(epoch, harness.log.log_end_offset())
    return Partition(TP, BROKER_ID, harness.log)


def append(partition: Partition, records: MemoryRecords,
           guard: VerificationGuard = VerificationGuard.SENTINEL) -> LogAppendInfo:
    return partition.append_records_to_leader(records, AppendOrigin.CLIENT, 1, RequestLocal.NoCaching, guard)


def fetch(partition: Partition, offset: int, epoch: int | None = None, last_epoch: int | None = None,
          replica_id: int = -1, isolation: FetchIsolation = FetchIsolation.LOG_END) -> LogReadInfo:
    return partition.fetch_records(
        FetchParams(16, replica_id, 1, 0, 1, 1 << 20, isolation),
        FetchRequest.PartitionData(Uuid.ZERO_UUID, offset, 0, 1 << 20, epoch, last_epoch), 1 << 20, True)


def error_of(epoch: int | None, call: object) -> Errors:
    """Call with an epoch; return the error that comes of it."""
    assert callable(call)
    try:
        call(epoch)
    except Exception as e:
        return Errors.for_exception(e)
    return Errors.NONE


def test_last_fetched_offset_validation(harness: LogHarness) -> None:
    log = harness.log
    for epoch, count in ((0, 2), (3, 3), (3, 3), (4, 5), (7, 1), (9, 3)):
        log.append_as_leader(records(*[b"%d" % number for number in range(count)]), epoch)
    assert log.log_end_offset() == 17
    partition = leader_in_epoch(harness, 10)

    def diverging(last_epoch: int, offset: int) -> tuple[int, int] | None:
        read = fetch(partition, offset, 10, last_epoch)
        assert (read.high_watermark, read.log_end_offset, read.last_stable_offset) == (17, 17, 17)
        if read.diverging_epoch is None:
            return None
        assert read.fetched_data.records.size_in_bytes() == 0
        assert read.log_start_offset == log.log_start_offset()
        assert isinstance(read.diverging_epoch, FetchResponseData.EpochEndOffset)
        return (read.diverging_epoch.epoch, read.diverging_epoch.end_offset)

    assert diverging(2, 5) == (0, 2)
    assert diverging(0, 4) == (0, 2)
    assert diverging(6, 6) == (4, 13)
    assert diverging(5, 9) == (4, 13)
    assert diverging(10, 18) == (10, 17)
    for last_epoch, offset in ((0, 2), (7, 14), (9, 17), (10, 17)):
        assert diverging(last_epoch, offset) is None
    with pytest.raises(OffsetOutOfRangeException, match="Could not determine the end offset of the last"):
        diverging(11, 5)

    # The log begins in the middle of epoch 3.
    log.maybe_increment_log_start_offset(5)
    assert diverging(2, 8) == (2, 5)
    assert diverging(0, 5) is None and diverging(3, 5) is None
    for last_epoch, offset in ((0, 0), (3, 4), (2, 4)):
        with pytest.raises(OffsetOutOfRangeException, match="in the range 5 to 17"):
            diverging(last_epoch, offset)


def test_fetch_from_unrecognized_follower(harness: LogHarness) -> None:
    partition = leader_in_epoch(harness, 8)
    with pytest.raises(UnknownLeaderEpochException):
        fetch(partition, 0, 8, replica_id=2)
    with pytest.raises(NotLeaderOrFollowerException):
        fetch(partition, 0, None, replica_id=3)
    with pytest.raises(FencedLeaderEpochException):
        fetch(partition, 0, 7, replica_id=3)


def test_fetch_offset_snapshot_epoch_validation_for_leader(harness: LogHarness) -> None:
    partition = leader_in_epoch(harness, 5)
    assert [error_of(epoch, partition.fetch_offset_snapshot) for epoch in (4, 6, 5, None)] == [
        Errors.FENCED_LEADER_EPOCH, Errors.UNKNOWN_LEADER_EPOCH, Errors.NONE, Errors.NONE]


def test_offset_for_leader_epoch_validation_for_leader(harness: LogHarness) -> None:
    partition = leader_in_epoch(harness, 5)
    for epoch, error in ((None, Errors.NONE), (5, Errors.NONE), (4, Errors.FENCED_LEADER_EPOCH),
                         (6, Errors.UNKNOWN_LEADER_EPOCH)):
        found = partition.last_offset_for_leader_epoch(epoch, 5)
        expected = (5, 0) if error is Errors.NONE else (-1, -1)
        assert (found.partition, Errors.for_code(found.error_code), found.leader_epoch, found.end_offset) == (
            0, error, *expected)


def test_leader_epoch_validation_on_leader(harness: LogHarness) -> None:
    partition = leader_in_epoch(harness, 5)
    assert fetch(partition, 0).log_end_offset == fetch(partition, 0, 5).log_end_offset == 0
    with pytest.raises(FencedLeaderEpochException, match="with leader epoch Optional.4.. The current leader "
                                                         "is Some.1. and the current epoch 5"):
        fetch(partition, 0, 4)
    with pytest.raises(UnknownLeaderEpochException):
        fetch(partition, 0, 6)


def test_fetch_offset_for_timestamp_epoch_validation_for_leader(harness: LogHarness) -> None:
    partition = leader_in_epoch(harness, 5)
    assert [error_of(epoch, lambda epoch: partition.fetch_offset_for_timestamp(0, None, epoch))
            for epoch in (None, 5, 4, 6)] == [
        Errors.NONE, Errors.NONE, Errors.FENCED_LEADER_EPOCH, Errors.UNKNOWN_LEADER_EPOCH]


def test_fetch_latest_offset_includes_leader_epoch(harness: LogHarness) -> None:
    partition = leader_in_epoch(harness, 5)
    assert partition.fetch_offset_for_timestamp(ListOffsetsRequest.LATEST_TIMESTAMP, None, None) == (-1, 0, 5)


def test_list_offset_isolation_levels(harness: LogHarness) -> None:
    """With a transaction that nobody has decided."""
    harness.producer_state_config.transaction_verification_enabled = False
    partition = leader_in_epoch(harness, 5)
    append(partition, records(b"0"))
    append(partition, records(b"1", b"2", timestamp=NOW + 5, producer_id=2, producer_epoch=0,
                              base_sequence=0, is_transactional=True))

    def offset(level: IsolationLevel | None, timestamp: int) -> int | None:
        found = partition.fetch_offset_for_timestamp(timestamp, level, None)
        return None if found is None else found.offset

    committed, uncommitted = IsolationLevel.READ_COMMITTED, IsolationLevel.READ_UNCOMMITTED
    for level, latest, first, last in ((None, 3, 1, 2), (uncommitted, 3, 1, 2), (committed, 1, None, None)):
        assert offset(level, ListOffsetsRequest.LATEST_TIMESTAMP) == latest
        assert offset(level, ListOffsetsRequest.EARLIEST_TIMESTAMP) == 0
        assert offset(level, ListOffsetsRequest.EARLIEST_LOCAL_TIMESTAMP) == 0
        assert offset(level, NOW) == 0
        assert offset(level, NOW + 1) == first
        assert offset(level, NOW + 6) == offset(level, ListOffsetsRequest.MAX_TIMESTAMP) == last
    # The oldest question knows no levels.
    assert partition.legacy_fetch_offsets_for_timestamp(-1, 10, True) == [3, 0]
    assert partition.legacy_fetch_offsets_for_timestamp(-1, 10, False) == [3, 0]


def test_monotonic_offsets_after_leader_change(harness: LogHarness) -> None:
    """Each leader has all records: no response goes back behind an earlier one."""
    partition = leader_in_epoch(harness, 8)
    append(partition, records(b"1", b"2"))
    append(partition, records(b"3", b"4", b"5"))
    seen = []
    for partition in (partition, leader_in_epoch(harness, 9)):
        for level in (None, IsolationLevel.READ_UNCOMMITTED, IsolationLevel.READ_COMMITTED):
            found = partition.fetch_offset_for_timestamp(-1, level, partition.get_leader_epoch())
            assert found is not None
            seen.append((found.offset, found.leader_epoch))
    assert seen == [(5, 8)] * 3 + [(5, 9)] * 3


def test_what_it_is(harness: LogHarness) -> None:
    partition = Partition(TP, BROKER_ID, harness.log)
    assert (partition.topic_partition(), partition.log(), partition.topic_id()) == (TP, harness.log, None)
    assert (partition.leader_replica_id_opt(), partition.get_leader_epoch()) == (BROKER_ID, 0)
    assert str(partition) == "Partition(topic=topic, partition=0, leader=Some(1), leaderEpoch=0)"
    info = append(partition, records(b"a", b"b"))
    assert (info.first_offset, info.last_offset) == (0, 1)
    harness.log.maybe_increment_log_start_offset(1)
    assert partition.log_start_offset() == 1


def test_what_is_appended_has_the_epoch_of_the_leader(harness: LogHarness) -> None:
    partition = leader_in_epoch(harness, 7)
    append(partition, records(b"a"))
    batch, = fetch(partition, 0).fetched_data.records.batches()
    assert batch.partition_leader_epoch() == 7


def test_how_far_a_fetch_sees(harness: LogHarness) -> None:
    harness.producer_state_config.transaction_verification_enabled = False
    partition = Partition(TP, BROKER_ID, harness.log)
    append(partition, records(b"0"))
    append(partition, records(
        b"1", producer_id=2, producer_epoch=0, base_sequence=0, is_transactional=True))
    for isolation, count in ((FetchIsolation.LOG_END, 2), (FetchIsolation.HIGH_WATERMARK, 2),
                             (FetchIsolation.TXN_COMMITTED, 1)):
        read = fetch(partition, 0, isolation=isolation)
        assert len(list(read.fetched_data.records.batches())) == count
        assert (read.high_watermark, read.last_stable_offset) == (2, 1)


def test_maybe_start_transaction_verification(harness: LogHarness) -> None:
    partition = leader_in_epoch(harness, 5)

    def transactional() -> MemoryRecords:
        return records(b"k1", b"k2", producer_id=22, producer_epoch=0, base_sequence=0, is_transactional=True)

    # An unverified batch is not written.
    with pytest.raises(InvalidTxnStateException):
        append(partition, transactional())
    assert harness.log.log_end_offset() == 0
    guard = partition.maybe_start_transaction_verification(22, 0, 0)
    assert guard is not VerificationGuard.SENTINEL
    # Asked again, it is the same.
    assert partition.maybe_start_transaction_verification(22, 0, 0) == guard
    append(partition, transactional(), guard)
    # The transaction is open: nothing is left to verify.
    assert partition.maybe_start_transaction_verification(22, 2, 0) is VerificationGuard.SENTINEL
