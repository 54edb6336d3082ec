# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of the first half of kafka.log.UnifiedLogTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Appending to a log and reading from it: what is stored, what is refused, what a reader gets."""

from __future__ import annotations

import errno
import gzip
import os
import shutil
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from crc32c import crc32c

from kreactor.common.compress.compression import Compression
from kreactor.common.errors import (
    CorruptRecordException,
    InvalidProducerEpochException,
    InvalidTimestampException,
    InvalidTxnStateException,
    KafkaStorageException,
    OffsetOutOfRangeException,
    OutOfOrderSequenceException,
    RecordBatchTooLargeException,
    RecordTooLargeException,
)
from kreactor.common.invalid_record_exception import InvalidRecordException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.file_records import FileRecords
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record import Record
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.uuid import Uuid
from kreactor.core.log.cleaner import Cleaner
from kreactor.core.log.log_manager import LogManager, LogManagerConfig
from kreactor.core.log.log_to_clean import LogToClean
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.core.server.broker_append_metrics import BrokerAppendMetrics
from kreactor.core.server.broker_topic_stats import BrokerTopicStats
from kreactor.embedded.data_folder import DataFolder
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.storage.internals.epoch.leader_epoch_file_cache import LeaderEpochFileCache
from kreactor.storage.internals.log import record_walk
from kreactor.storage.internals.log.fetch_data_info import FetchDataInfo
from kreactor.storage.internals.log.fetch_isolation import FetchIsolation
from kreactor.storage.internals.log.log_file_utils import (
    INDEX_SUFFIX,
    LOG_SUFFIX,
    SNAPSHOT_SUFFIX,
    file_name,
    offset_of_file_name,
)
from kreactor.storage.internals.log.log_offset_metadata import LogOffsetMetadata
from kreactor.storage.internals.log.log_segment import LogSegment
from kreactor.storage.internals.log.record_validation_exception import RecordValidationException
from kreactor.storage.internals.utils.throttler import Throttler
from kreactor.testing.mock_time import MockTime
from tests.core.log.support import (
    MAX_INT,
    MAX_LONG,
    FakeOffsetMap,
    append_as_follower,
    append_end_txn_marker_as_leader,
    append_idempotent_as_leader,
    append_non_transactional_as_leader,
    append_transactional_as_leader,
    assert_valid_log_offset_metadata,
    batch_of,
    delete_producer_snapshot_files,
    list_producer_snapshot_offsets,
    read_log,
    truncate_to,
)
from tests.storage.internals.log.support import (
    NOW,
    TP,
    LogHarness,
    MockScheduler,
    log_config,
    read_batches,
    read_records,
    records,
    values,
    wrap,
)

WithConfig = Callable[..., LogHarness]

CODECS = [Compression.NONE, Compression.gzip().build(), Compression.snappy().build(),
          Compression.lz4().build(), Compression.zstd().build()]


@pytest.fixture
def harness(with_config: WithConfig) -> LogHarness:
    return with_config()


@pytest.fixture
def create_log(with_config: WithConfig) -> WithConfig:
    """Logs whose transactions need no verification, as Kafka's test makes them."""
    def make(**settings: object) -> LogHarness:
        harness = with_config(**settings)
        harness.producer_state_config.transaction_verification_enabled = False
        return harness

    return make


def changed(batch: MemoryRecords, position: int, format_: str, value: int,
            fix_crc: bool = True) -> MemoryRecords:
    """Return the batch with one field of its header changed."""
    data = bytearray(batch.buffer().to_bytes())
    struct.pack_into(format_, data, position, value)
    if fix_crc:
        struct.pack_into(">I", data, 17, crc32c(bytes(data[21:])))
    return wrap(data)


def read(log: UnifiedLog, offset: int, max_bytes: int = 1 << 20, min_one: bool = True,
         isolation: FetchIsolation = FetchIsolation.HIGH_WATERMARK) -> FetchDataInfo:
    return log.read(offset, max_bytes, isolation, min_one)


# -- as in Kafka: offsets, isolation, producers --------------------------------------------------------


def test_high_watermark_metadata_updated_after_segment_roll(create_log: WithConfig) -> None:
    harness = create_log(segment_bytes=1024 * 1024)
    log, now = harness.log, harness.time.milliseconds()
    log.hold_high_watermark(0)
    sent = batch_of(*(SimpleRecord(now, key, b"value") for key in (b"a", b"b", b"c")))
    size = sent.size_in_bytes()

    def check(fetch_offset: int, expected_size: int, expected_offsets: list[int]) -> None:
        info = log.read(fetch_offset, 2048, FetchIsolation.HIGH_WATERMARK, False)
        assert info.records.size_in_bytes() == expected_size
        assert [record.offset() for record in info.records.records()] == expected_offsets

    log.append_as_leader(sent, 0)
    check(0, 0, [])
    log.hold_high_watermark(log.log_end_offset())
    check(0, size, [0, 1, 2])
    log.roll()
    check(0, size, [0, 1, 2])
    log.append_as_leader(sent, 0)
    check(3, 0, [])


def test_append_info_first_offset(create_log: WithConfig) -> None:
    harness = create_log(segment_bytes=1024 * 1024)
    now = harness.time.milliseconds()
    simple_records = [SimpleRecord(now, key, b"value") for key in (b"a", b"b", b"c")]
    assert harness.log.append_as_leader(batch_of(*simple_records), 0).first_offset == 0
    assert harness.log.append_as_leader(batch_of(*simple_records), 0).first_offset == 3
    harness.log.roll()
    assert harness.log.append_as_leader(batch_of(*simple_records), 0).first_offset == 6


def test_truncate_below_first_unstable_offset(create_log: WithConfig) -> None:
    """The position of the first open transaction is not known when the log is truncated."""
    harness = create_log(segment_bytes=1024 * 1024)
    harness.log.append_as_leader(batch_of(*(SimpleRecord(value=value) for value in (b"0", b"1", b"2"))), 0)
    harness.log.append_as_leader(batch_of(
        SimpleRecord(value=b"3"), SimpleRecord(value=b"4"), producer_id=17, producer_epoch=10, sequence=0,
        is_transactional=True), 0)
    assert first_unstable_offset(harness.log) == 3
    reopened = harness.close_and_open()
    assert reopened._producer_state.first_unstable_offset() == LogOffsetMetadata(3, -1, -1)
    truncated = truncate_to(harness, 0)
    assert first_unstable_offset(truncated) is None
    assert truncated.active_producers() == []


def test_high_watermark_maintenance(create_log: WithConfig) -> None:
    """The watermark stays where a replica is held. No log begins anew at another offset, see there."""
    harness = create_log(segment_bytes=1024 * 1024)

    def sent(offset: int) -> MemoryRecords:
        now = harness.time.milliseconds()
        return batch_of(*(SimpleRecord(now, key, b"value") for key in (b"a", b"b", b"c")), base_offset=offset)

    def check(offset: int) -> None:
        assert harness.log.high_watermark() == offset
        assert_valid_log_offset_metadata(harness.log, harness.log.fetch_offset_snapshot().high_watermark)

    check(0)
    harness.log.hold_high_watermark(0)
    harness.log.append_as_leader(sent(0), 0)
    check(0)
    harness.log.hold_high_watermark(1)
    check(1)
    harness.log.hold_high_watermark(5)
    check(3)
    append_as_follower(harness.log, sent(3))
    harness.log.hold_high_watermark(6)
    check(6)
    truncate_to(harness, 3)
    check(3)
    harness.log.hold_high_watermark(3)
    harness.log.append_as_leader(sent(0), 0)
    check(3)
    assert (harness.log.log_start_offset(), harness.log.log_end_offset()) == (0, 6)


def assert_non_empty_fetch(log: UnifiedLog, offset: int, isolation: FetchIsolation) -> None:
    info = log.read(offset, MAX_INT, isolation, True)
    assert not info.first_entry_incomplete
    assert info.records.size_in_bytes() > 0
    upper_bound_offset = {
        FetchIsolation.LOG_END: log.log_end_offset,
        FetchIsolation.HIGH_WATERMARK: log.high_watermark,
        FetchIsolation.TXN_COMMITTED: log.last_stable_offset}[isolation]()
    assert all(record.offset() < upper_bound_offset for record in info.records.records())
    assert info.fetch_offset_metadata.message_offset == offset
    assert_valid_log_offset_metadata(log, info.fetch_offset_metadata)


def assert_empty_fetch(log: UnifiedLog, offset: int, isolation: FetchIsolation) -> None:
    info = log.read(offset, MAX_INT, isolation, True)
    assert not info.first_entry_incomplete
    assert info.records.size_in_bytes() == 0
    assert info.fetch_offset_metadata.message_offset == offset
    assert_valid_log_offset_metadata(log, info.fetch_offset_metadata)


def assert_bounded_fetches(log: UnifiedLog, upper_bound_offset: int, isolation: FetchIsolation) -> None:
    for offset in range(log.log_start_offset(), upper_bound_offset):
        assert_non_empty_fetch(log, offset, isolation)
    for offset in range(upper_bound_offset, log.log_end_offset() + 1):
        assert_empty_fetch(log, offset, isolation)


def append_three_and_two(log: UnifiedLog) -> None:
    log.append_as_leader(batch_of(*(SimpleRecord(value=value) for value in (b"0", b"1", b"2"))), 0)
    log.append_as_leader(batch_of(*(SimpleRecord(value=value) for value in (b"3", b"4"))), 0)


def test_fetch_up_to_log_end_offset(create_log: WithConfig) -> None:
    log = create_log(segment_bytes=1024 * 1024).log
    append_three_and_two(log)
    assert log.log_end_offset() == 5
    for offset in range(log.log_start_offset(), log.log_end_offset()):
        assert_non_empty_fetch(log, offset, FetchIsolation.LOG_END)


def test_fetch_up_to_high_watermark(create_log: WithConfig) -> None:
    log = create_log(segment_bytes=1024 * 1024).log
    log.hold_high_watermark(0)
    append_three_and_two(log)
    for high_watermark in (0, 3, 5):
        log.hold_high_watermark(high_watermark)
        assert log.high_watermark() == high_watermark
        assert_bounded_fetches(log, high_watermark, FetchIsolation.HIGH_WATERMARK)


def test_active_producers(create_log: WithConfig) -> None:
    harness = create_log(segment_bytes=1024 * 1024)
    log, time = harness.log, harness.time

    def check(producer_id: int, producer_epoch: int, last_sequence: int, current_txn_start_offset: int,
              coordinator_epoch: int) -> None:
        state, = (state for state in log.describe_producers() if state.producer_id == producer_id)
        assert (state.producer_epoch, state.last_sequence, state.current_txn_start_offset,
                state.coordinator_epoch) == (
            producer_epoch, last_sequence, current_txn_start_offset, coordinator_epoch)

    append_transactional_as_leader(log, 1, 5, time)(5)
    check(1, 5, 4, 0, -1)
    append_end_txn_marker_as_leader(log, 1, 5, ControlRecordType.COMMIT, time.milliseconds(), 15)
    check(1, 5, 4, -1, 15)
    append_idempotent_as_leader(log, 2, 5, time)(3)
    check(2, 5, 2, -1, -1)


def test_fetch_up_to_last_stable_offset(create_log: WithConfig) -> None:
    harness = create_log(segment_bytes=1024 * 1024)
    log, time = harness.log, harness.time
    log.hold_high_watermark(0)
    append_producer1 = append_transactional_as_leader(log, 1, 0, time)
    append_producer2 = append_transactional_as_leader(log, 2, 0, time)
    append_producer1(5)
    append_non_transactional_as_leader(log, 3)
    append_producer2(2)
    append_producer1(4)
    append_non_transactional_as_leader(log, 2)
    append_producer1(10)

    def check(last_stable_offset: int) -> None:
        assert log.last_stable_offset() == last_stable_offset
        assert_bounded_fetches(log, last_stable_offset, FetchIsolation.TXN_COMMITTED)

    check(0)
    log.hold_high_watermark(log.log_end_offset())
    check(0)
    append_end_txn_marker_as_leader(log, 1, 0, ControlRecordType.COMMIT, time.milliseconds())
    assert log.last_stable_offset() == 0
    log.hold_high_watermark(log.log_end_offset())
    check(8)
    append_end_txn_marker_as_leader(log, 2, 0, ControlRecordType.ABORT, time.milliseconds())
    assert log.last_stable_offset() == 8
    log.hold_high_watermark(log.log_end_offset())
    check(log.log_end_offset())


def test_offset_from_producer_snapshot_file() -> None:
    offset = 23423423
    assert offset_of_file_name(file_name(offset, SNAPSHOT_SUFFIX)) == offset


# -- as in Kafka: rolling ------------------------------------------------------------------------------


def test_time_based_log_roll_during_append(create_log: WithConfig) -> None:
    segment_ms = 60 * 60
    harness = create_log(segment_ms=segment_ms)
    log, time = harness.log, harness.time

    def append(timestamp: int = -1) -> int:
        log.append_as_leader(batch_of(SimpleRecord(timestamp, None, b"test")), 0)
        return log.number_of_segments()

    assert log.number_of_segments() == 1
    # Records without a time. An empty segment is not rolled.
    time.sleep(segment_ms + 1)
    assert append() == 1
    assert append() == 2
    for number_of_segments in (3, 4):
        time.sleep(segment_ms + 1)
        assert append() == number_of_segments
    # The first record of the segment has no time, so that the clock decides.
    timestamp = time.milliseconds() + segment_ms + 1
    assert append(timestamp) == 4
    time.sleep(segment_ms + 1)
    assert append(timestamp) == 5
    # The time of the first record decides, and not the clock.
    time.sleep(segment_ms + 1)
    assert append(timestamp) == 5
    assert append(time.milliseconds()) == 6
    time.sleep(segment_ms + 1)
    log.append_as_leader(MemoryRecords.with_records(Compression.NONE), 0)
    assert log.number_of_segments() == 6


def test_roll_segment_that_already_exists(create_log: WithConfig) -> None:
    """No index is too small for one entry, so that no append rolls an empty segment."""
    harness = create_log(segment_ms=60 * 60)
    log = harness.log

    def append(offset: int) -> None:
        append_as_follower(log, batch_of(
            SimpleRecord(NOW + 10 * offset, b"k%d" % offset, b"v%d" % offset), base_offset=offset))
        assert next(iter(read_log(log, offset, 1).records.batches())).last_offset() == offset

    assert log.number_of_segments() == 1
    log.roll()
    assert log.number_of_segments() == 1
    append(0)
    assert log.number_of_segments() == 1
    assert log.active_segment().base_offset() == 0
    append(1)
    assert log.log_end_offset() == 2
    log.roll()
    assert log.active_segment().base_offset() == 2
    assert log.number_of_segments() == 2
    append(2)
    assert log.number_of_segments() == 2


def test_non_sequential_append(create_log: WithConfig) -> None:
    log = create_log().log
    log.append_as_leader(batch_of(
        SimpleRecord(NOW, b"key", b"value"), producer_id=1, producer_epoch=0, sequence=0), 0)
    with pytest.raises(OutOfOrderSequenceException):
        log.append_as_leader(batch_of(
            SimpleRecord(NOW, b"key", b"value"), producer_id=1, producer_epoch=0, sequence=2), 0)


def test_truncate_to_end_offset_clears_epoch_cache(create_log: WithConfig) -> None:
    harness = create_log()
    append_as_follower(harness.log, batch_of(SimpleRecord(value=b"a"), SimpleRecord(value=b"b"),
                                             base_offset=27), 19)

    def check(epoch: int, start_offset: int) -> None:
        assert harness.log._leader_epochs.entries()[-1] == (epoch, start_offset)
        assert harness.log.log_end_offset() == 29

    check(19, 27)
    for epoch, beyond in ((20, 0), (24, 1)):
        harness.log.begin_epoch(epoch)
        check(epoch, 29)
        truncate_to(harness, harness.log.log_end_offset() + beyond)
        check(19, 27)


def test_log_segments_call_correct(create_log: WithConfig) -> None:
    def sent() -> MemoryRecords:
        return batch_of(SimpleRecord(NOW, None, b"test"))

    log = create_log(segment_bytes=10 * sent().size_in_bytes()).log

    def offsets(from_: int, to: int) -> list[int]:
        return [segment.base_offset() for segment in log.log_segments(from_, to)]

    assert log.number_of_segments() == 1
    for _ in range(2 * 10 + 2):
        log.append_as_leader(sent(), 0)
    assert log.number_of_segments() == 3
    assert offsets(10, 10) == []
    assert offsets(15, 15) == []
    assert offsets(0, 21) == [0, 10, 20]
    assert offsets(1, 5) == [0]
    assert offsets(13, 21) == [10, 20]
    assert offsets(13, 17) == [10]
    with pytest.raises(IllegalArgumentException):
        log.log_segments(10, 0)


# -- as in Kafka: the producers' state and its snapshots -----------------------------------------------


def latest_snapshot_offset(log: UnifiedLog) -> int | None:
    return max(log._producer_state.snapshot_offsets(), default=None)


def last_sequences(log: UnifiedLog) -> dict[int, int]:
    """Return the last sequence number of each producer that is known."""
    return {entry.producer_id: entry.last_seq() for entry in log.active_producers()}


def first_unstable_offset(log: UnifiedLog) -> int | None:
    unstable = log._first_unstable
    return None if unstable is None else unstable.message_offset


def test_initialization_of_producer_snapshots_upgrade_path(create_log: WithConfig) -> None:
    harness = create_log(segment_bytes=64 * 10)
    assert latest_snapshot_offset(harness.log) is None
    for number in range(101):
        harness.log.append_as_leader(batch_of(SimpleRecord(NOW, None, b"%d" % number)), 0)
    assert harness.log.number_of_segments() >= 2
    log_end_offset = harness.log.log_end_offset()

    def reopen(clean: bool, recovery_point: int) -> list[int]:
        assert harness.log.close()
        delete_producer_snapshot_files(harness.directory)
        harness.open(clean, recovery_point)
        return [segment.base_offset() for segment in harness.log.segments()]

    for clean in (True, False):
        base_offsets = reopen(clean, log_end_offset)
        assert list_producer_snapshot_offsets(harness.directory) == [*base_offsets[-2:], log_end_offset]
    base_offsets = reopen(False, 0)
    assert list_producer_snapshot_offsets(harness.directory) == [*base_offsets[1:], log_end_offset]


def test_log_reinitialize_after_manual_delete(create_log: WithConfig) -> None:
    """The records are gone, and the start of the log is still known."""
    harness = create_log()
    assert harness.log.close()
    shutil.rmtree(harness.directory)
    os.mkdir(harness.directory)
    log = harness.open(clean=True, log_start_offset=500)
    assert log.log_start_offset() == 500
    assert log.log_end_offset() == 500


def append_of_producer(log: UnifiedLog) -> None:
    log.append_as_leader(batch_of(
        SimpleRecord(NOW, None, b"foo"), producer_id=23, producer_epoch=0, sequence=0), 0)


@pytest.fixture
def manager_and_scheduler(tmp_path: Path) -> Iterator[tuple[LogManager, MockScheduler]]:
    """A manager whose one task looks every 100 ms for producers that wrote nothing for 200 ms."""
    time = MockTime(current_time_ms=NOW)
    scheduler = MockScheduler(time)
    folder = DataFolder.open(str(tmp_path))
    manager = LogManager(folder, LogManagerConfig(
        producer_id_expiration_ms=200, producer_id_expiration_check_ms=100), scheduler, time)
    manager.start_tasks()
    yield manager, scheduler
    manager.shutdown()
    folder.release()


def test_producer_expire_check_after_delete(manager_and_scheduler: tuple[LogManager, MockScheduler]) -> None:
    """The task goes on for the other logs, and looks at the deleted one no more."""
    manager, scheduler = manager_and_scheduler
    deleted, other = (manager.create_log(TopicPartition(topic, 0), Uuid.random_uuid(), log_config())
                      for topic in ("deleted", "other"))
    for log in (deleted, other):
        append_of_producer(log)
    manager.delete_logs([deleted.topic_partition()])
    scheduler.tick(200)
    assert last_sequences(deleted) == {23: 0}
    assert last_sequences(other) == {}


def test_producer_id_map_offset_updated_for_non_idempotent_data(create_log: WithConfig) -> None:
    log = create_log(segment_bytes=2048 * 5).log
    log.append_as_leader(batch_of(SimpleRecord(NOW, b"key", b"value")), 0)
    log._producer_state.take_snapshot(sync=False)
    assert latest_snapshot_offset(log) == 1


class RetainKeyless(MemoryRecords.RecordFilter):
    """Retains records without a key, and no batch without records."""

    def check_batch_retention(self, batch: RecordBatch) -> MemoryRecords.RecordFilter.BatchRetentionResult:
        return self.BatchRetentionResult(self.BatchRetention.DELETE_EMPTY, False)

    def should_retain_record(self, record_batch: RecordBatch, record: Record) -> bool:
        return not record.has_key()


class RetainBatches(MemoryRecords.RecordFilter):
    """Retains batches, and none of their records."""

    def check_batch_retention(self, batch: RecordBatch) -> MemoryRecords.RecordFilter.BatchRetentionResult:
        return self.BatchRetentionResult(self.BatchRetention.RETAIN_EMPTY, True)

    def should_retain_record(self, record_batch: RecordBatch, record: Record) -> bool:
        return False


def compacted(sent: MemoryRecords, record_filter: MemoryRecords.RecordFilter) -> MemoryRecords:
    """Return what a compaction would leave of a batch."""
    filtered = ByteBuffer.allocate(2048)
    sent.filter_to(TopicPartition("foo", 0), record_filter, filtered, MAX_INT, BufferSupplier.NO_CACHING)
    return MemoryRecords.readable_records(filtered.flip())


def with_gaps() -> MemoryRecords:
    """Return a batch of four offsets, of which compaction has left two."""
    return compacted(batch_of(
        SimpleRecord(NOW, None, b"a"), SimpleRecord(NOW, b"key", b"b"), SimpleRecord(NOW, None, b"c"),
        SimpleRecord(NOW, b"key", b"d"), base_offset=23, producer_id=1, producer_epoch=0, sequence=0),
        RetainKeyless(0, 0))


def test_rebuild_producer_id_map_with_compacted_data(create_log: WithConfig) -> None:
    harness = create_log(segment_bytes=2048 * 5)
    append_as_follower(harness.log, with_gaps())
    append_as_follower(harness.log, batch_of(
        SimpleRecord(NOW, None, b"e"), SimpleRecord(NOW, None, b"f"), base_offset=27))
    truncate_to(harness, 27)
    assert harness.log.log_end_offset() == 27
    assert last_sequences(harness.log)[1] == 3


def test_rebuild_producer_state_with_empty_compacted_batch(create_log: WithConfig) -> None:
    harness = create_log(segment_bytes=2048 * 5)
    append_as_follower(harness.log, compacted(batch_of(
        SimpleRecord(NOW, b"key", b"a"), SimpleRecord(NOW, b"key", b"b"), base_offset=23, producer_id=1,
        producer_epoch=0, sequence=0), RetainBatches(0, 0)))
    append_as_follower(harness.log, batch_of(
        SimpleRecord(NOW, None, b"e"), SimpleRecord(NOW, None, b"f"), base_offset=25))
    truncate_to(harness, 25)
    assert harness.log.log_end_offset() == 25
    assert last_sequences(harness.log)[1] == 1


def test_update_producer_id_map_with_compacted_data(create_log: WithConfig) -> None:
    log = create_log(segment_bytes=2048 * 5).log
    append_as_follower(log, with_gaps())
    assert last_sequences(log)[1] == 3


def test_producer_id_map_truncate_to(create_log: WithConfig) -> None:
    harness = create_log(segment_bytes=2048 * 5)
    for values_before_snapshot in ((b"a", b"b"), (b"c",)):
        for value in values_before_snapshot:
            harness.log.append_as_leader(batch_of(SimpleRecord(value=value)), 0)
        harness.log._producer_state.take_snapshot(sync=False)
    for offset, snapshot_offset in ((2, 2), (1, 1), (0, None)):
        truncate_to(harness, offset)
        assert latest_snapshot_offset(harness.log) == snapshot_offset
        assert harness.log._producer_state.map_end_offset() == offset


def test_producer_id_map_truncate_to_with_no_snapshots(create_log: WithConfig) -> None:
    harness = create_log(segment_bytes=2048 * 5)
    for sequence, value in enumerate((b"a", b"b")):
        harness.log.append_as_leader(batch_of(
            SimpleRecord(value=value), producer_id=1, producer_epoch=0, sequence=sequence), 0)
    delete_producer_snapshot_files(harness.directory)
    truncate_to(harness, 1)
    assert last_sequences(harness.log) == {1: 0}


def append_a_segment_each(log: UnifiedLog, *values: bytes, key: bytes | None = None) -> None:
    """Append batches of one idempotent producer, each to a segment of its own."""
    for sequence, value in enumerate(values):
        if sequence:
            log.roll()
        log.append_as_leader(batch_of(
            SimpleRecord(key=key, value=value), producer_id=1, producer_epoch=0, sequence=sequence), 0)


@pytest.mark.parametrize("create_empty_active_segment", [True, False])
def test_retention_deletes_producer_state_snapshots(create_log: WithConfig,
                                                    create_empty_active_segment: bool) -> None:
    harness = create_log(segment_bytes=2048 * 5, retention_bytes=0, retention_ms=1000 * 60,
                         file_delete_delay_ms=0)
    append_a_segment_each(harness.log, b"a", b"b", b"c")
    if create_empty_active_segment:
        harness.log.roll()
    assert len(list_producer_snapshot_offsets(harness.directory)) == (3 if create_empty_active_segment else 2)
    harness.scheduler.tick(1000 * 60 + 1)
    harness.log.delete_old_segments()
    harness.scheduler.tick(1)
    assert len(list_producer_snapshot_offsets(harness.directory)) == 1
    assert harness.log.log_start_offset() == 3


def test_retention_idempotency(create_log: WithConfig) -> None:
    harness = create_log(segment_bytes=2048 * 5, retention_bytes=-1, retention_ms=900, file_delete_delay_ms=0)
    now = harness.time.milliseconds()
    harness.log.append_as_leader(batch_of(SimpleRecord(now + 100, None, b"a")), 0)
    harness.log.roll()
    harness.log.append_as_leader(batch_of(SimpleRecord(now, None, b"b")), 0)
    harness.log.roll()
    harness.log.append_as_leader(batch_of(SimpleRecord(now + 100, None, b"c")), 0)
    harness.scheduler.tick(901)
    harness.log.maybe_increment_log_start_offset(1)
    # The first goes because of the start of the log, which leaves the second, whose time is past.
    assert harness.log.delete_old_segments() == 2
    assert harness.log.delete_old_segments() == 0


def test_log_start_offset_movement_deletes_snapshots(create_log: WithConfig) -> None:
    harness = create_log(segment_bytes=2048 * 5, retention_bytes=-1, file_delete_delay_ms=0)
    append_a_segment_each(harness.log, b"a", b"b", b"c")
    assert len(list_producer_snapshot_offsets(harness.directory)) == 2
    harness.log.maybe_increment_log_start_offset(harness.log.log_end_offset() - 1)
    harness.log.delete_old_segments()
    harness.scheduler.tick(1)
    assert len(list_producer_snapshot_offsets(harness.directory)) == 1


def test_compaction_deletes_producer_state_snapshots(create_log: WithConfig) -> None:
    """Each segment but the first has a snapshot at its beginning, before the compaction and after it."""
    harness = create_log(compact=True, segment_bytes=2048 * 5, file_delete_delay_ms=0)
    log = harness.log
    throttler = Throttler(float("inf"), MAX_LONG, "throttler", "entries", harness.time, MetricsRegistry())
    cleaner = Cleaner(0, FakeOffsetMap(MAX_INT), 64 * 1024, 64 * 1024, 0.75, throttler, harness.time,
                      lambda _: None)
    append_a_segment_each(log, b"a", b"b", b"c", key=b"a")

    def snapshots_of_segments() -> list[int]:
        base_offsets = [segment.base_offset() for segment in log.segments()]
        assert list_producer_snapshot_offsets(harness.directory) == base_offsets[1:]
        return base_offsets[1:]

    assert len(snapshots_of_segments()) == 2
    cleaner.clean(LogToClean(TP, log, 0, log.log_end_offset()))
    log.delete_old_segments()
    harness.scheduler.tick(1)
    assert snapshots_of_segments() == [2]
    assert values(log) == [b"b", b"c"]


def test_loading_log_deletes_producer_state_snapshots_past_log_end_offset(create_log: WithConfig) -> None:
    harness = create_log(segment_bytes=2048 * 5, retention_bytes=-1, file_delete_delay_ms=0)
    assert harness.log.close()
    Path(harness.directory, file_name(42, SNAPSHOT_SUFFIX)).touch()
    harness.open(clean=True)
    assert list_producer_snapshot_offsets(harness.directory) == []


def test_producer_id_expiration_on_segment_deletion(create_log: WithConfig) -> None:
    def sent(value: bytes, producer_id: int, sequence: int) -> MemoryRecords:
        return batch_of(SimpleRecord(value=value), producer_id=producer_id, producer_epoch=0,
                        sequence=sequence)

    size = sent(b"foo", 1, 0).size_in_bytes()
    log = create_log(segment_bytes=size, retention_bytes=size * 2).log
    log.append_as_leader(sent(b"foo", 1, 0), 0)
    log._producer_state.take_snapshot(sync=False)
    log.append_as_leader(sent(b"bar", 2, 0), 0)
    log.append_as_leader(sent(b"baz", 2, 1), 0)
    log._producer_state.take_snapshot(sync=False)
    assert log.number_of_segments() == 3
    assert set(last_sequences(log)) == {1, 2}
    log.delete_old_segments()
    assert log.number_of_segments() == 2
    assert set(last_sequences(log)) == {1, 2}


def test_take_snapshot_on_roll_and_delete_snapshot_on_recovery_point_checkpoint(
        create_log: WithConfig) -> None:
    harness = create_log(segment_bytes=2048 * 5)
    log = harness.log
    for offset, value in enumerate((b"a", b"b", b"c"), 1):
        log.append_as_leader(batch_of(SimpleRecord(value=value)), 0)
        assert log.roll().base_offset() == offset
        # A flush up to the new segment is due by now; it keeps all snapshots.
        harness.scheduler.tick()
        assert log.recovery_point() == offset
        assert log._producer_state.snapshot_offsets()[-1] == offset
        assert log._producer_state.snapshot_offsets()[0] == 1
    log.append_as_leader(batch_of(SimpleRecord(value=b"baz")), 0)
    log.flush_up_to(4)
    assert latest_snapshot_offset(log) == 3


def test_producer_snapshot_after_segment_roll_on_append(create_log: WithConfig) -> None:
    harness = create_log(segment_bytes=1024)
    for sequence in range(2):
        harness.log.append_as_leader(batch_of(
            SimpleRecord(NOW, None, bytes(512)), producer_id=1, producer_epoch=0, sequence=sequence), 0)

    def check() -> None:
        assert harness.log.number_of_segments() == 2
        assert harness.log.active_segment().base_offset() == 1
        assert latest_snapshot_offset(harness.log) == 1

    check()
    truncate_to(harness, 1)
    check()
    assert harness.log.active_segment().size() == 0
    entry = harness.log._producer_state.last_entry(1)
    assert entry is not None
    assert (entry.batches[0].first_offset(), entry.last_data_offset()) == (0, 0)


def test_rebuild_transactional_state(create_log: WithConfig) -> None:
    harness = create_log(segment_bytes=1024 * 1024 * 5)
    harness.log.append_as_leader(batch_of(
        *(SimpleRecord(value=value) for value in (b"foo", b"bar", b"baz")), producer_id=137,
        producer_epoch=5, sequence=0, is_transactional=True), 0)
    append_end_txn_marker_as_leader(harness.log, 137, 5, ControlRecordType.ABORT, NOW)
    assert first_unstable_offset(harness.log) is None
    assert harness.log.close()
    assert first_unstable_offset(harness.open(clean=False)) is None


def test_periodic_producer_id_expiration(manager_and_scheduler: tuple[LogManager, MockScheduler]) -> None:
    manager, scheduler = manager_and_scheduler
    log = manager.create_log(TP, Uuid.random_uuid(), log_config(segment_bytes=2048 * 5))
    append_of_producer(log)
    assert last_sequences(log) == {23: 0}
    scheduler.tick(100)
    assert last_sequences(log) == {23: 0}
    scheduler.tick(100)
    assert last_sequences(log) == {}


def test_duplicate_appends(create_log: WithConfig) -> None:
    log = create_log().log

    def sent(sequence: int, *suffixes: str) -> MemoryRecords:
        return batch_of(*(SimpleRecord(NOW, f"key{suffix}".encode(), f"value{suffix}".encode())
                          for suffix in suffixes),
                        producer_id=1, producer_epoch=0, sequence=sequence)

    for sequence in range(6):
        log.append_as_leader(sent(sequence, ""), 0)
    multi_entry = log.append_as_leader(sent(6, "-6", "-6", "-6"), 0)
    assert multi_entry.last_offset - multi_entry.first_offset + 1 == 3
    # A duplicate of the last batch, which has several records.
    duplicate = log.append_as_leader(sent(6, "-6", "-6", "-6"), 0)
    assert (duplicate.first_offset, duplicate.last_offset) == (
        multi_entry.first_offset, multi_entry.last_offset)
    # A duplicate of a part of it.
    with pytest.raises(OutOfOrderSequenceException):
        log.append_as_leader(sent(7, "-9", "-9"), 0)
    # The last five batches are known, and no earlier one.
    log_end_offset = log.log_end_offset()
    assert log.append_as_leader(sent(2, ""), 0).first_offset == 2
    with pytest.raises(OutOfOrderSequenceException):
        log.append_as_leader(sent(1, "-1"), 0)
    assert log.log_end_offset() == log_end_offset
    # A duplicate of the last batch, which has one record.
    original = log.append_as_leader(sent(9, ""), 0)
    duplicate = log.append_as_leader(sent(9, ""), 0)
    assert (duplicate.first_offset, duplicate.last_offset) == (original.first_offset, original.last_offset)


def test_multiple_producer_ids_per_memory_record(create_log: WithConfig) -> None:
    log = create_log().log
    buffer = ByteBuffer.allocate(512)
    for offset in range(4):
        with MemoryRecords.builder(buffer, Compression.NONE, TimestampType.LOG_APPEND_TIME, offset,
                                   log_append_time=NOW, producer_id=offset + 1, producer_epoch=0,
                                   base_sequence=0, partition_leader_epoch=0) as builder:
            builder.append_simple_record(SimpleRecord(key=b"key", value=b"value"))
    memory_records = MemoryRecords.readable_records(buffer.flip())
    append_as_follower(log, memory_records)
    log.flush()
    fetched = [(batch.producer_id(), batch.base_offset(), batch.base_sequence())
               for batch in read_log(log, 0, MAX_INT).records.batches()]
    assert fetched == [(batch.producer_id(), batch.base_offset(), batch.base_sequence())
                       for batch in memory_records.batches()] == [(n + 1, n, 0) for n in range(4)]


def test_old_producer_epoch(create_log: WithConfig) -> None:
    log = create_log().log
    log.append_as_leader(batch_of(
        SimpleRecord(NOW, b"key", b"value"), producer_id=1, producer_epoch=1, sequence=0), 0)
    with pytest.raises(InvalidProducerEpochException):
        log.append_as_leader(batch_of(
            SimpleRecord(NOW, b"key", b"value"), producer_id=1, producer_epoch=0, sequence=0), 0)


def test_delete_snapshots_on_increment_log_start_offset(create_log: WithConfig) -> None:
    """The producers stay, and the snapshot goes with its segment."""
    harness = create_log(segment_bytes=2048 * 5)
    log = harness.log
    for producer_id, value in ((1, b"a"), (2, b"b")):
        log.append_as_leader(batch_of(
            SimpleRecord(NOW, None, value), producer_id=producer_id, producer_epoch=0, sequence=0), 0)
        log.roll()
    assert len(last_sequences(log)) == 2
    assert len(list_producer_snapshot_offsets(harness.directory)) == 2
    log.maybe_increment_log_start_offset(2)
    log.delete_old_segments()
    harness.scheduler.tick(log.config().file_delete_delay_ms + 1000)
    assert len(last_sequences(log)) == 2
    assert len(list_producer_snapshot_offsets(harness.directory)) == 1
    assert last_sequences(log)[2] == 0


def test_time_based_log_roll_jitter(create_log: WithConfig) -> None:
    segment_ms, max_jitter = 60 * 60, 20 * 60
    harness = create_log(segment_ms=segment_ms, segment_jitter_ms=max_jitter)
    log, time = harness.log, harness.time

    def append() -> int:
        log.append_as_leader(batch_of(SimpleRecord(time.milliseconds(), None, b"test")), 0)
        return log.number_of_segments()

    assert log.number_of_segments() == 1
    append()
    time.sleep(segment_ms - max_jitter)
    assert append() == 1
    jitter_ms = log.active_segment()._roll_jitter_ms
    assert 0 <= jitter_ms < max_jitter
    time.sleep(max_jitter - jitter_ms + 1)
    assert append() == 2


def test_size_based_log_roll(create_log: WithConfig) -> None:
    def sent() -> MemoryRecords:
        return batch_of(SimpleRecord(NOW, None, b"test"))

    log = create_log(segment_bytes=10 * (sent().size_in_bytes() - 1)).log
    assert log.number_of_segments() == 1
    for _ in range(10 + 1):
        log.append_as_leader(sent(), 0)
    assert log.number_of_segments() == 2


# -- as in Kafka: reading ------------------------------------------------------------------------------


def open_empty_log(harness: LogHarness, offset: int) -> UnifiedLog:
    """Open the log anew, whose files are empty and begin at ``offset``."""
    assert harness.log.close()
    shutil.rmtree(harness.directory)
    os.mkdir(harness.directory)
    for suffix in (LOG_SUFFIX, INDEX_SUFFIX):
        Path(harness.directory, file_name(offset, suffix)).touch()
    return harness.open(clean=True)


def test_load_empty_log(create_log: WithConfig) -> None:
    log = open_empty_log(create_log(), 0)
    assert log.append_as_leader(batch_of(SimpleRecord(NOW, None, b"test")), 0).first_offset == 0


def test_append_and_read_with_sequential_offsets(create_log: WithConfig) -> None:
    log = create_log(segment_bytes=71).log
    sent = [b"%d" % number for number in range(0, 100, 2)]
    for value in sent:
        log.append_as_leader(batch_of(SimpleRecord(value=value)), 0)
    for offset, value in enumerate(sent):
        batch = next(iter(read_log(log, offset, 1).records.batches()))
        assert batch.last_offset() == offset
        record = next(iter(batch))
        assert record.key() is None
        assert SimpleRecord.of_record(record) == SimpleRecord(value=value)
    assert list(read_log(log, len(sent), 100).records.batches()) == []


MESSAGE_IDS = [*range(50), *range(50, 200, 7)]


def append_with_gaps(log: UnifiedLog) -> None:
    """Append a record with each id of ``MESSAGE_IDS`` as its offset and its value."""
    for message_id in MESSAGE_IDS:
        append_as_follower(log, batch_of(SimpleRecord(value=b"%d" % message_id), base_offset=message_id))


def check_gaps(log: UnifiedLog, *max_lengths: int) -> None:
    """A read from any offset gets the record of that offset, or the next one."""
    for offset in range(50, max(MESSAGE_IDS)):
        expected = next(message_id for message_id in MESSAGE_IDS if message_id >= offset)
        for max_length in max_lengths:
            record = next(iter(read_log(log, offset, max_length).records.records()))
            assert record.offset() == expected
            assert SimpleRecord.of_record(record) == SimpleRecord(value=b"%d" % expected)


def test_append_and_read_with_non_sequential_offsets(create_log: WithConfig) -> None:
    log = create_log(segment_bytes=72).log
    append_with_gaps(log)
    check_gaps(log, 100)


def test_read_at_log_gap(create_log: WithConfig) -> None:
    """The gap is at the end of the first segment, so that the batch is in the second."""
    harness = create_log(segment_bytes=300)
    while harness.log.number_of_segments() == 1:
        harness.append(b"42", timestamp=-1)
    size = next(iter(read_log(harness.log, 0, 1).records.batches())).size_in_bytes()
    assert harness.log.close()
    os.truncate(harness.segment_path(0), size)
    log = harness.open(clean=True)
    batch = next(iter(read_log(log, 1, 200).records.batches()))
    assert batch.last_offset() == log.log_end_offset() - 1 > 1


def test_log_roll_after_log_handler_closed(create_log: WithConfig) -> None:
    log = create_log().log
    log.close_handlers()
    with pytest.raises(KafkaStorageException):
        log.roll()


def test_read_with_min_message(create_log: WithConfig) -> None:
    log = create_log(segment_bytes=72).log
    append_with_gaps(log)
    check_gaps(log, 1, 100_000, 100)


def test_read_with_too_small_max_length(create_log: WithConfig) -> None:
    log = create_log(segment_bytes=72).log
    append_with_gaps(log)
    for offset in range(50, max(MESSAGE_IDS)):
        assert read_log(log, offset, 0, min_one_message=False).records == MemoryRecords.EMPTY
        # An incomplete batch tells clients of Fetch up to version 2 that it is larger than they asked for.
        info = read_log(log, offset, 1, min_one_message=False)
        assert info.first_entry_incomplete
        assert isinstance(info.records, FileRecords)
        assert info.records.size_in_bytes() == 1


def test_read_out_of_range(create_log: WithConfig) -> None:
    log = open_empty_log(create_log(segment_bytes=1024), 1024)
    log.append_as_leader(batch_of(SimpleRecord(value=b"42")), 0)
    assert read_log(log, 1025, 1000).records.size_in_bytes() == 0
    for offset in (0, 1026):
        with pytest.raises(OffsetOutOfRangeException):
            read_log(log, offset, 1000)


def test_log_rolls(create_log: WithConfig) -> None:
    harness = create_log(segment_bytes=100)
    log = harness.log
    for number in range(100):
        log.append_as_leader(batch_of(SimpleRecord(NOW, None, b"%d" % number)), 0)
    log.flush()
    offset = 0
    for number in range(100):
        head = next(iter(read_log(log, offset, 1024 * 1024).records.batches()))
        assert head.last_offset() == offset
        assert SimpleRecord.of_record(next(iter(head))) == SimpleRecord(NOW, None, b"%d" % number)
        offset = head.last_offset() + 1
    assert list(read_log(log, 100, 1024 * 1024).records.records()) == []
    assert log.recovery_point() >= log.active_segment().base_offset()


def test_compressed_messages(create_log: WithConfig) -> None:
    """A read from any offset of a compressed batch gets the batch from its beginning."""
    log = create_log(segment_bytes=110).log
    for both in ((b"hello", b"there"), (b"alpha", b"beta")):
        log.append_as_leader(batch_of(
            *(SimpleRecord(value=value) for value in both), codec=Compression.gzip().build()), 0)
    assert [next(iter(read_log(log, offset, 4096).records.records())).offset() for offset in range(4)] == [
        0, 0, 2, 2]


# -- as in Kafka: retention and limits -----------------------------------------------------------------


@pytest.mark.parametrize("messages_to_append", [0, 1, 25])
def test_that_garbage_collecting_segments_doesnt_change_offset(create_log: WithConfig,
                                                               messages_to_append: int) -> None:
    log = create_log(segment_bytes=100, retention_ms=0).log
    for number in range(messages_to_append):
        log.append_as_leader(batch_of(SimpleRecord(NOW - 10, None, b"%d" % number)), 0)
    end_offset = log.log_end_offset()
    assert end_offset == messages_to_append
    log.delete_old_segments()
    assert log.log_end_offset() == end_offset
    assert log.number_of_segments() == 1
    assert log.delete_old_segments() == 0
    assert log.log_end_offset() == end_offset
    assert log.append_as_leader(batch_of(SimpleRecord(NOW, None, b"hello")), 0).first_offset == end_offset


def test_message_set_size_check(create_log: WithConfig) -> None:
    message_set = batch_of(SimpleRecord(value=b"You"), SimpleRecord(value=b"bethe"))
    size = message_set.size_in_bytes()
    log = create_log(segment_bytes=size - 1).log
    with pytest.raises(RecordBatchTooLargeException, match=f"maximum configured segment size of {size - 1}"):
        log.append_as_leader(message_set, 0)
    assert log.log_end_offset() == 0


def test_compacted_topic_constraints(create_log: WithConfig) -> None:
    keyed = SimpleRecord(key=b"and here it is", value=b"this message has a key")
    another_keyed = SimpleRecord(key=b"another key", value=b"this message also has a key")
    unkeyed = SimpleRecord(value=b"this message does not have a key")
    gzip_codec = Compression.gzip().build()
    harness = create_log(compact=True)
    registry = MetricsRegistry()
    stats = BrokerTopicStats(registry)
    assert harness.log.close()
    log = harness.open(clean=True, append_metrics=BrokerAppendMetrics(stats))
    for sent, batch_index in ((batch_of(unkeyed, keyed), 0), (batch_of(unkeyed), 0),
                              (batch_of(keyed, unkeyed, codec=gzip_codec), 1)):
        with pytest.raises(RecordValidationException) as raised:
            log.append_as_leader(sent, 0)
        assert isinstance(raised.value.invalid_exception, InvalidRecordException)
        error, = raised.value.record_errors
        assert error.batch_index == batch_index
        assert error.message is not None
        assert error.message.startswith("Compacted topic cannot accept message without key")
    assert sum(name.get_mbean_name().endswith(BrokerTopicStats.NoKeyCompactedTopicRecordsPerSec)
               for name in registry.all_metrics()) == 1
    assert stats.all_topics_stats.no_key_compacted_topic_records_per_sec().count() == 3
    for accepted in (batch_of(keyed), batch_of(keyed, another_keyed), batch_of(keyed, codec=gzip_codec)):
        log.append_as_leader(accepted, 0)
    assert log.log_end_offset() == 4
    stats.close()


# -- append ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("codec", CODECS, ids=lambda codec: str(codec.type()))
def test_stored_as_sent_but_for_offset_and_epoch(harness: LogHarness, codec: Compression) -> None:
    sent = [records(b"a" * 100, b"b" * 100, codec=codec), records(b"c" * 100, codec=codec)]
    before = [batch.buffer().to_bytes() for batch in sent]

    infos = [harness.log.append_as_leader(batch, 7) for batch in sent]

    assert [(info.first_offset, info.last_offset) for info in infos] == [(0, 1), (2, 2)]
    assert [info.log_append_time for info in infos] == [-1, -1]
    assert [info.log_start_offset for info in infos] == [0, 0]
    with open(harness.segment_path(), "rb") as file:
        stored = file.read()
    expected = bytearray()
    for first_offset, data in zip((0, 2), before):
        expected += struct.pack(">q", first_offset) + data[8:12] + struct.pack(">i", 7) + data[16:]
    assert stored == bytes(expected)
    assert values(harness.log) == [b"a" * 100, b"b" * 100, b"c" * 100]
    assert harness.log.latest_epoch() == 7
    assert harness.log.end_offset_for_epoch(7) == (7, 3)


def test_memory_of_the_request_is_stamped_and_not_copied(harness: LogHarness) -> None:
    memory = bytearray(records(b"value").buffer().to_bytes())
    harness.append(b"first")

    harness.log.append_as_leader(MemoryRecords.readable_records(ByteBuffer.wrap(memory)), 3)

    assert struct.unpack_from(">q", memory)[0] == 1
    assert struct.unpack_from(">i", memory, 12)[0] == 3


def test_read_only_memory_is_copied(harness: LogHarness) -> None:
    data = records(b"value").buffer().to_bytes()
    harness.append(b"first")

    harness.log.append_as_leader(MemoryRecords.readable_records(ByteBuffer.wrap(data)), 0)

    assert values(harness.log) == [b"first", b"value"]


def test_nothing_to_append(harness: LogHarness) -> None:
    for data in (b"", records(b"x").buffer().to_bytes()[:-1], records(b"x").buffer().to_bytes()[:20]):
        info = harness.log.append_as_leader(wrap(data), 0)
        assert (info.first_offset, info.last_offset, info.num_messages()) == (-1, -1, 0)
    assert harness.log.log_end_offset() == 0


def test_what_follows_a_batch_and_is_none_is_cut_off(harness: LogHarness) -> None:
    data = records(b"value").buffer().to_bytes()
    harness.log.append_as_leader(wrap(data + data[:30]), 0)
    assert harness.log.size() == len(data)
    assert values(harness.log) == [b"value"]


def test_two_batches_of_magic_2_are_refused(harness: LogHarness) -> None:
    data = records(b"value").buffer().to_bytes()
    with pytest.raises(InvalidRecordException, match="more than one batch"):
        harness.log.append_as_leader(wrap(data + data), 0)
    assert harness.log.log_end_offset() == 0


@pytest.mark.parametrize(("position", "format_", "value", "fix_crc", "error", "message"), [
    (0, ">q", 5, True, InvalidRecordException, "The baseOffset of the record batch in the append to topic-0 "
                                               "should be 0, but it is 5"),
    (40, ">b", 1, False, CorruptRecordException, "Record is corrupt"),
    (23, ">i", 5, True, InvalidRecordException, r"Inconsistent batch offset range \[0, 5\] and count of "
                                                "records 2"),
    (23, ">i", -1, True, InvalidRecordException, r"Batch has an invalid offset range: \[0, -1\]"),
    (57, ">i", 0, True, InvalidRecordException, "Invalid reported count for record batch: 0"),
    (57, ">i", 3, True, InvalidRecordException, r"Inconsistent batch offset range \[0, 1\] and count of "
                                                "records 3"),
    (21, ">h", 0x20, True, InvalidRecordException, "Clients are not allowed to write control records"),
    (43, ">q", 9, True, InvalidRecordException, "Invalid sequence number -1 in record batch with producerId "
                                                "9"),
    (21, ">h", 5, True, IllegalArgumentException, "Unknown compression type id: 5"),
    (16, ">b", 3, False, CorruptRecordException, "Invalid magic found in record: 3"),
])
def test_a_lying_header_is_refused(harness: LogHarness, position: int, format_: str, value: int,
                                   fix_crc: bool, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        harness.log.append_as_leader(changed(records(b"a", b"b"), position, format_, value, fix_crc), 0)
    assert harness.log.log_end_offset() == 0
    assert harness.log.size() == 0


def test_too_large(with_config: WithConfig) -> None:
    harness = with_config(max_message_bytes=200, segment_bytes=300)
    harness.append(b"x" * 100)
    with pytest.raises(RecordTooLargeException, match="exceeds the maximum configured value of 200"):
        harness.append(b"x" * 200)
    harness.log.update_config(log_config(segment_bytes=300))
    with pytest.raises(RecordBatchTooLargeException, match="maximum configured segment size of 300"):
        harness.append(b"x" * 300)
    assert harness.log.log_end_offset() == 1


def test_log_append_time(with_config: WithConfig) -> None:
    harness = with_config(message_timestamp_type="LogAppendTime")
    harness.time.sleep(5)
    info = harness.log.append_as_leader(records(b"a", b"b", timestamp=NOW - 10**9), 0)
    assert info.log_append_time == NOW + 5
    (batch,) = read_batches(harness.log)
    batch.ensure_valid()
    assert batch.timestamp_type() is TimestampType.LOG_APPEND_TIME
    assert batch.max_timestamp() == NOW + 5
    assert [record.timestamp() for record in batch] == [NOW + 5, NOW + 5]
    found = harness.log.fetch_offset_by_timestamp(-3)
    assert found is not None and (found.timestamp, found.offset) == (NOW + 5, 0)


def test_a_producer_must_not_say_log_append_time(with_config: WithConfig) -> None:
    sent = records(b"a", timestamp_type=TimestampType.LOG_APPEND_TIME).buffer().to_bytes()
    harness = with_config(message_timestamp_type="LogAppendTime")
    with pytest.raises(RecordValidationException) as raised:
        harness.log.append_as_leader(wrap(sent), 0)
    assert isinstance(raised.value.invalid_exception, InvalidTimestampException)
    assert [error.batch_index for error in raised.value.record_errors] == [0]


def test_log_append_time_of_a_producer_becomes_create_time(harness: LogHarness) -> None:
    harness.log.append_as_leader(records(b"a", timestamp_type=TimestampType.LOG_APPEND_TIME), 0)
    (batch,) = read_batches(harness.log)
    batch.ensure_valid()
    assert batch.timestamp_type() is TimestampType.CREATE_TIME


@pytest.mark.parametrize("codec", CODECS[:2], ids=lambda codec: str(codec.type()))
@pytest.mark.parametrize(("settings", "timestamp", "bad"), [
    ({"message_timestamp_after_max_ms": 10}, NOW + 9, [2, 3]),
    ({"message_timestamp_before_max_ms": 10}, NOW - 12, [0, 1]),
    ({"message_timestamp_before_max_ms": 10, "message_timestamp_after_max_ms": 10}, NOW - 10, []),
    ({"message_timestamp_after_max_ms": 10}, NOW + 7, []),
])
def test_timestamps_out_of_range(with_config: WithConfig, codec: Compression, settings: dict[str, int],
                                 timestamp: int, bad: list[int]) -> None:
    harness = with_config(**settings)
    sent = records(b"a", b"b", b"c", b"d", timestamp=timestamp, codec=codec)
    if not bad:
        harness.log.append_as_leader(sent, 0)
        stored = [record.timestamp() for record in read_records(harness.log)]
        assert stored == list(range(timestamp, timestamp + 4))
        return
    with pytest.raises(RecordValidationException) as raised:
        harness.log.append_as_leader(sent, 0)
    assert isinstance(raised.value.invalid_exception, InvalidTimestampException)
    assert [error.batch_index for error in raised.value.record_errors] == bad
    assert "is out of range. The timestamp should be within" in str(raised.value.record_errors[0])
    assert harness.log.log_end_offset() == 0


@pytest.mark.parametrize("codec", CODECS[:4], ids=lambda codec: str(codec.type()))
@pytest.mark.parametrize("magic", [0, 1])
def test_old_formats_become_magic_2(harness: LogHarness, magic: int, codec: Compression) -> None:
    harness.append(b"first")
    sent = MemoryRecords.readable_records(records(b"a", b"b", b"c", magic=magic, codec=codec).buffer())
    info = harness.log.append_as_leader(sent, 0)
    assert (info.first_offset, info.last_offset) == (1, 3)
    assert info.record_validation_stats.num_records_converted() == 3
    batches = read_batches(harness.log)
    assert [(batch.magic(), batch.base_offset(), batch.last_offset()) for batch in batches] == [
        (2, 0, 0), (2, 1, 3)]
    assert batches[1].compression_type() is codec.type()
    assert values(harness.log) == [b"first", b"a", b"b", b"c"]
    assert [record.timestamp() for record in batches[1]] == (
        [-1] * 3 if magic == 0 else [NOW, NOW + 1, NOW + 2])


@pytest.mark.parametrize("source", CODECS, ids=lambda codec: f"from-{codec.type()}")
@pytest.mark.parametrize("target", CODECS, ids=lambda codec: f"to-{codec.type()}")
def test_codec_of_the_topic(with_config: WithConfig, source: Compression, target: Compression) -> None:
    harness = with_config(
        compression_type="uncompressed" if target is Compression.NONE else str(target.type()))
    harness.append(b"first")
    sent = records(b"a" * 500, b"b" * 500, codec=source, producer_id=4, producer_epoch=0, base_sequence=0)
    harness.log.append_as_leader(sent, 0)
    batch = read_batches(harness.log)[1]
    batch.ensure_valid()
    assert batch.compression_type() is target.type()
    assert (batch.base_offset(), batch.last_offset()) == (1, 2)
    assert (batch.producer_id(), batch.base_sequence()) == (4, 0)
    assert batch.max_timestamp() == NOW + 1
    assert values(harness.log) == [b"first", b"a" * 500, b"b" * 500]


def test_too_large_once_written_anew(with_config: WithConfig) -> None:
    harness = with_config(compression_type="uncompressed", max_message_bytes=1000)
    with pytest.raises(RecordTooLargeException, match="Message batch size is"):
        harness.log.append_as_leader(records(b"a" * 5000, codec=Compression.gzip().build()), 0)
    assert harness.log.log_end_offset() == 0


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("count", [1, 2, 4, 1000])
def test_a_lying_count_is_refused(harness: LogHarness, codec: Compression, count: int) -> None:
    data = changed(changed(records(b"a", b"b", b"c", codec=codec), 57, ">i", count), 23, ">i", count - 1)
    with pytest.raises(InvalidRecordException):
        harness.log.append_as_leader(data, 0)
    assert harness.append(b"next") == 0


@pytest.mark.parametrize("codec", CODECS)
def test_the_latest_time_is_that_of_the_records(harness: LogHarness, codec: Compression) -> None:
    """As in Kafka, the header gets what the records have."""
    for claimed in (NOW + 5, 0):
        batch = changed(records(b"a", b"b", codec=codec), 35, ">q", claimed)
        assert harness.log.append_as_leader(batch, 0).max_timestamp == NOW + 1
    assert [batch.max_timestamp() for batch in read_batches(harness.log)] == [NOW + 1] * 2
    assert all(batch.is_valid() for batch in read_batches(harness.log))


@pytest.mark.parametrize("codec", CODECS)
def test_a_compacted_topic_takes_no_null_key(with_config: WithConfig, codec: Compression) -> None:
    harness = with_config(compact=True)

    def append(*keys: bytes | None) -> None:
        harness.log.append_as_leader(wrap(MemoryRecords.with_records(
            codec, *(SimpleRecord(NOW, key, b"value") for key in keys)).buffer().to_bytes()), 0)

    append(b"a", b"", b"c")
    with pytest.raises(RecordValidationException) as raised:
        append(b"a", None, b"c", None)
    assert isinstance(raised.value.invalid_exception, InvalidRecordException)
    assert [(error.batch_index, error.message) for error in raised.value.record_errors] == [
        (index, "Compacted topic cannot accept message without key in topic partition topic-0")
        for index in (1, 3)]
    assert harness.log.log_end_offset() == 3


def test_a_compressed_batch_of_too_many_records(harness: LogHarness,
                                                monkeypatch: pytest.MonkeyPatch) -> None:
    """D242. Only where the short way through the records is too short, which is where it takes long."""
    monkeypatch.setattr(record_walk, "MAX_BYTES_INSIDE", 100)
    monkeypatch.setattr(record_walk, "MAX_COMPRESSED_RECORDS", 20)
    with pytest.raises(RecordTooLargeException, match="has 21 records in [0-9]+ bytes, more than 20"):
        harness.log.append_as_leader(records(*[b"a"] * 21, codec=Compression.gzip().build()), 0)
    harness.log.append_as_leader(records(*[b"a"] * 20, codec=Compression.gzip().build()), 0)
    harness.log.append_as_leader(records(*[b"a"] * 21), 0)


# -- idempotence -------------------------------------------------------------------------------------


def idempotent(*sent: bytes, sequence: int, epoch: int = 0, producer_id: int = 1) -> MemoryRecords:
    return records(*sent, producer_id=producer_id, producer_epoch=epoch, base_sequence=sequence)


def test_a_producer_without_a_transaction_is_described(harness: LogHarness) -> None:
    harness.log.append_as_leader(idempotent(b"a", b"b", sequence=0, epoch=3, producer_id=9), 0)
    producer, = harness.log.describe_producers()
    assert (producer.producer_id, producer.producer_epoch, producer.last_sequence) == (9, 3, 1)
    assert (producer.coordinator_epoch, producer.current_txn_start_offset) == (-1, -1)


def test_duplicates_of_the_last_five_batches(harness: LogHarness) -> None:
    log = harness.log
    for number in range(7):
        harness.time.sleep(1)
        log.append_as_leader(idempotent(b"a", b"b", sequence=2 * number), 0)
    size = log.size()
    for number in range(2, 7):
        info = log.append_as_leader(idempotent(b"a", b"b", sequence=2 * number), 0)
        assert info.duplicate
        assert (info.first_offset, info.last_offset) == (2 * number, 2 * number + 1)
        assert info.log_append_time == NOW + 1
    assert log.size() == size
    with pytest.raises(OutOfOrderSequenceException, match=r"0 \(incoming seq. number\), 13 \(current end"):
        log.append_as_leader(idempotent(b"a", b"b", sequence=0), 0)


def test_gap_epoch_and_unknown_producer(harness: LogHarness) -> None:
    log = harness.log
    # Nothing is known of it: any number will do, as after its records were deleted.
    assert log.append_as_leader(idempotent(b"a", sequence=17, producer_id=2), 0).first_offset == 0
    log.append_as_leader(idempotent(b"a", sequence=0), 0)
    with pytest.raises(OutOfOrderSequenceException):
        log.append_as_leader(idempotent(b"a", sequence=2), 0)
    log.append_as_leader(idempotent(b"a", sequence=1), 0)
    with pytest.raises(OutOfOrderSequenceException, match="Invalid sequence number for new epoch"):
        log.append_as_leader(idempotent(b"a", sequence=2, epoch=1), 0)
    log.append_as_leader(idempotent(b"a", sequence=0, epoch=1), 0)
    with pytest.raises(InvalidProducerEpochException, match="0, which is smaller than the last seen epoch 1"):
        log.append_as_leader(idempotent(b"a", sequence=2, epoch=0), 0)
    assert log.log_end_offset() == 4
    assert log.producer_id_count() == 2


def test_sequence_numbers_go_round(harness: LogHarness) -> None:
    largest = 2**31 - 1
    log = harness.log
    log.append_as_leader(idempotent(b"a", b"b", sequence=largest - 3), 0)
    log.append_as_leader(idempotent(b"a", b"b", b"c", b"d", sequence=largest - 1), 0)
    entry = log.active_producers()[0]
    assert (entry.last_seq(), entry.batches[-1].first_seq()) == (1, largest - 1)
    assert log.append_as_leader(idempotent(b"a", b"b", b"c", b"d", sequence=largest - 1), 0).duplicate
    log.append_as_leader(idempotent(b"e", sequence=2), 0)


def test_from_the_largest_sequence_number_to_zero(harness: LogHarness) -> None:
    harness.log.append_as_leader(idempotent(b"a", sequence=2**31 - 1), 0)
    harness.log.append_as_leader(idempotent(b"a", sequence=0), 0)


def test_a_client_cannot_begin_a_transaction(harness: LogHarness) -> None:
    with pytest.raises(InvalidTxnStateException, match="not part of an ongoing transaction"):
        harness.log.append_as_leader(
            records(b"a", producer_id=1, producer_epoch=0, base_sequence=0, is_transactional=True), 0)


# -- read --------------------------------------------------------------------------------------------


def test_read_outside_the_log(harness: LogHarness) -> None:
    harness.append(b"a", b"b")
    with pytest.raises(OffsetOutOfRangeException, match="only have log segments upto 2"):
        read(harness.log, 3)
    with pytest.raises(OffsetOutOfRangeException):
        read(harness.log, -1)
    harness.log.maybe_increment_log_start_offset(1)
    with pytest.raises(OffsetOutOfRangeException, match="starting from offset: 1"):
        read(harness.log, 0)
    assert values(harness.log) == [b"b"]


def test_read_at_the_end(harness: LogHarness) -> None:
    harness.append(b"a", b"b")
    info = read(harness.log, 2)
    assert info.records.size_in_bytes() == 0
    assert info.fetch_offset_metadata == harness.log.log_end_offset_metadata()
    assert (info.log_start_offset, info.high_watermark) == (0, 2)
    assert (info.last_stable_offset, info.log_end_offset) == (2, 2)


@pytest.mark.parametrize("isolation", list(FetchIsolation))
def test_every_offset_of_every_size(harness: LogHarness, isolation: FetchIsolation) -> None:
    """The first batch holds the offset asked for; nothing is read past the limit."""
    starts = []
    for count in (1, 3, 2, 1, 5, 40, 1):
        starts.append((harness.log.log_end_offset(), harness.log.size()))
        harness.append(*[b"x" * 10 * count] * count)
    starts.append((harness.log.log_end_offset(), harness.log.size()))
    for offset in range(harness.log.log_end_offset()):
        slot = max(i for i, (start, _) in enumerate(starts) if start <= offset)
        position, size = starts[slot][1], starts[slot + 1][1] - starts[slot][1]
        for max_bytes in (0, 1, 60, size, size + 1, 10_000):
            info = read(harness.log, offset, max_bytes, True, isolation)
            assert isinstance(info.records, FileRecords)
            assert info.records._start == position
            assert info.records.size_in_bytes() == min(max(size, max_bytes), harness.log.size() - position)
            assert not info.first_entry_incomplete
            info = read(harness.log, offset, max_bytes, False, isolation)
            assert info.records.size_in_bytes() == min(max_bytes, harness.log.size() - position)
            # A read of nothing is not cut off.
            assert info.first_entry_incomplete == (0 < max_bytes < size)
            assert info.fetch_offset_metadata == LogOffsetMetadata(offset, 0, position)


def test_read_across_segments(with_config: WithConfig) -> None:
    harness = with_config(segment_bytes=500)
    for number in range(40):
        harness.append(b"%03d" % number * 30)
    log = harness.log
    assert log.number_of_segments() == 14
    for offset in range(40):
        assert values(log, offset) == [b"%03d" % number * 30 for number in range(offset, 40)]
        # A read never goes over the end of a segment.
        assert read(log, offset).records.size_in_bytes() <= 500


def test_a_read_sees_no_more_than_when_it_began(harness: LogHarness) -> None:
    """A slice is as long as the log was, whatever is appended meanwhile."""
    harness.append(b"a")
    info = read(harness.log, 0)
    harness.append(b"b")
    assert [record.offset() for record in info.records.records()] == [0]


def test_records_outlive_their_segment(with_config: WithConfig) -> None:
    """For ``file.delete.delay.ms``, in which an answer from it is sent."""
    harness = with_config(segment_bytes=300, retention_bytes=0, file_delete_delay_ms=1000)
    for number in range(4):
        harness.append(b"%d" % number * 150)
    info = read(harness.log, 0)
    assert harness.log.delete_old_segments() == 4
    harness.scheduler.tick()
    assert os.listdir(harness.directory).count("00000000000000000000.log") == 0
    assert len(list(info.records.records())) == 1
    harness.scheduler.tick(1000)
    with pytest.raises(KafkaException, match="is closed"):
        list(info.records.records())


# -- offsets -----------------------------------------------------------------------------------------


def test_offsets_by_time(with_config: WithConfig) -> None:
    harness = with_config(segment_bytes=600, index_interval_bytes=100)
    times = [NOW + step for step in (0, 10, 5, 30, 20, 40, 40, 60, 55, 61, 70, 90, 80)]
    for time in times:
        harness.append(b"x" * 80, b"y" * 80, timestamp=time)
    log = harness.log
    assert log.number_of_segments() > 3
    stamps = [(record.timestamp(), record.offset()) for record in read_records(log)]
    for target in range(NOW - 2, NOW + 95):
        found = log.fetch_offset_by_timestamp(target)
        expected = next(((time, offset) for time, offset in stamps if time >= target), None)
        assert (None if found is None else (found.timestamp, found.offset)) == expected
    found = log.fetch_offset_by_timestamp(-3)
    assert found is not None and (found.timestamp, found.offset, found.leader_epoch) == (NOW + 91, 23, 0)
    for special, offset in ((-1, 26), (-2, 0), (-4, 0)):
        found = log.fetch_offset_by_timestamp(special)
        assert found is not None and (found.timestamp, found.offset, found.leader_epoch) == (-1, offset, 0)


def test_offsets_by_time_from_the_start_of_the_log(with_config: WithConfig) -> None:
    harness = with_config()
    harness.append(b"a", b"b", b"c")
    harness.log.maybe_increment_log_start_offset(2)
    found = harness.log.fetch_offset_by_timestamp(NOW)
    assert found is not None and found.offset == 2
    found = harness.log.fetch_offset_by_timestamp(-2)
    assert found is not None and found.offset == 2


def test_offsets_of_an_empty_log(harness: LogHarness) -> None:
    assert harness.log.fetch_offset_by_timestamp(NOW) is None
    assert harness.log.fetch_offset_by_timestamp(-3) is None
    found = harness.log.fetch_offset_by_timestamp(-1)
    assert found is not None and (found.offset, found.leader_epoch) == (0, 0)


def test_compressed_records_by_time(harness: LogHarness) -> None:
    harness.log.append_as_leader(records(b"a", b"b", b"c", codec=Compression.gzip().build()), 0)
    found = harness.log.fetch_offset_by_timestamp(NOW + 1)
    assert found is not None and found.offset == 1
    found = harness.log.fetch_offset_by_timestamp(-3)
    assert found is not None and found.offset == 2


def test_legacy_offsets(with_config: WithConfig) -> None:
    harness = with_config(segment_bytes=300)
    for _ in range(3):
        harness.append(b"x" * 200)
    for slot, path in enumerate([segment.path() for segment in harness.log.segments()]):
        os.utime(path, (slot * 10, slot * 10))
    assert harness.log.legacy_fetch_offsets_before(-1, 10) == [3, 2, 1, 0]
    assert harness.log.legacy_fetch_offsets_before(-1, 2) == [3, 2]
    assert harness.log.legacy_fetch_offsets_before(-2, 10) == [0]
    assert harness.log.legacy_fetch_offsets_before(10_000, 10) == [1, 0]
    assert harness.log.legacy_fetch_offsets_before(-7, 10) == []


# -- rolling and forgetting --------------------------------------------------------------------------


def test_roll_by_size(with_config: WithConfig) -> None:
    harness = with_config(segment_bytes=1000)
    size = records(b"x" * 100).size_in_bytes()
    for _ in range(20):
        harness.append(b"x" * 100)
    assert [segment.size() for segment in harness.log.segments()][:-1] == [
        1000 // size * size] * (harness.log.number_of_segments() - 1)
    assert [segment.base_offset() for segment in harness.log.segments()] == [0, 5, 10, 15]
    assert sorted(name for name in os.listdir(harness.directory) if name.endswith(".index")) == [
        f"{offset:020d}.index" for offset in (0, 5, 10)]


def test_a_flush_leaves_alone_what_was_flushed(with_config: WithConfig,
                                               monkeypatch: pytest.MonkeyPatch) -> None:
    harness = with_config(segment_bytes=1000)
    flushed: list[int] = []
    monkeypatch.setattr(LogSegment, "flush", lambda segment: flushed.append(segment.base_offset()))
    for _ in range(12):
        harness.append(b"x" * 100)
    harness.log.flush()
    assert flushed == [0, 5, 10]
    flushed.clear()
    harness.append(b"x" * 100)
    harness.log.flush()
    assert flushed == [10]


def test_a_snapshot_that_is_gone_needs_no_flush(harness: LogHarness,
                                                caplog: pytest.LogCaptureFixture) -> None:
    harness.log._flush_sealed(os.path.join(harness.directory, "00000000000000000007.snapshot"),
                              harness.log.active_segment(), 0)
    assert not caplog.records


def test_indexes_are_flushed_of_a_segment_whose_records_were(with_config: WithConfig,
                                                             monkeypatch: pytest.MonkeyPatch) -> None:
    """After a crash of the machine, the segment is not read again."""
    harness = with_config(flush_messages=1)
    harness.append(b"x")
    assert harness.log.recovery_point() == 1
    flushed: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda fd: flushed.append(os.path.basename(os.readlink(
        f"/proc/self/fd/{fd}"))))
    harness.log.roll()
    assert harness.log.recovery_point() == 1
    harness.scheduler.tick()
    assert {f"{0:020d}.index", f"{0:020d}.timeindex"} <= set(flushed)


def test_a_sealed_segment_that_cannot_be_flushed(with_config: WithConfig,
                                                 monkeypatch: pytest.MonkeyPatch) -> None:
    harness = with_config(flush_messages=1)
    harness.append(b"x")
    harness.log.roll()

    def fails(segment: LogSegment) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(LogSegment, "flush", fails)
    with pytest.raises(KafkaStorageException):
        harness.scheduler.tick()
    assert harness.log.is_offline()


def test_roll_by_age_of_the_records(with_config: WithConfig) -> None:
    harness = with_config(segment_ms=1000)
    harness.append(b"a", timestamp=NOW)
    harness.append(b"a", timestamp=NOW + 1000)
    assert harness.log.number_of_segments() == 1
    harness.append(b"a", timestamp=NOW + 1001)
    assert harness.log.number_of_segments() == 2
    harness.append(b"a", timestamp=NOW + 10)
    assert harness.log.number_of_segments() == 2
    harness.close_and_open()
    harness.append(b"a", timestamp=NOW + 2002)
    assert harness.log.number_of_segments() == 3


@pytest.mark.parametrize(("index_bytes", "entries"), [(4 * 8, 1), (8 * 8, 4)])
def test_roll_by_full_index(with_config: WithConfig, index_bytes: int, entries: int) -> None:
    """The time index is full one entry earlier: its last is for the latest time."""
    harness = with_config(segment_index_bytes=index_bytes, index_interval_bytes=0)
    for number in range(12):
        harness.append(b"a" * 50, timestamp=NOW + number)
    assert all(segment.time_index().entries() <= entries + 1 for segment in harness.log.segments())
    assert harness.log.number_of_segments() > 2
    assert len(values(harness.log)) == 12


def test_roll_where_offsets_get_too_far_from_the_base(harness: LogHarness) -> None:
    harness.append(b"a")
    harness.log._local_log.update_log_end_offset(2**31 - 1)
    harness.append(b"b")
    harness.append(b"c")
    assert [segment.base_offset() for segment in harness.log.segments()] == [0, 2**31]


@pytest.mark.deviation("D382")
def test_an_empty_segment_is_not_rolled(harness: LogHarness) -> None:
    assert harness.log.roll() is harness.log.segments()[0]
    harness.append(b"a")
    assert harness.log.roll() is harness.log.roll()
    assert harness.log.number_of_segments() == 2
    assert harness.log.log_end_offset_metadata() == LogOffsetMetadata(1, 1, 0)
    assert values(harness.log) == [b"a"]


def test_retention_by_bytes(with_config: WithConfig) -> None:
    harness = with_config(segment_bytes=300, retention_bytes=700)
    for _ in range(6):
        harness.append(b"x" * 200)
    size = harness.log.segments()[0].size()
    assert harness.log.delete_old_segments() == (6 * size - 700) // size
    assert harness.log.log_start_offset() == harness.log.segments()[0].base_offset() == 3
    assert len(values(harness.log)) == 3
    assert harness.log.delete_old_segments() == 0


def test_retention_by_time_takes_the_active_segment_too(with_config: WithConfig) -> None:
    harness = with_config(segment_bytes=300, retention_ms=1000)
    for number in range(3):
        harness.append(b"x" * 200, timestamp=NOW + number * 100)
    harness.time.sleep(1000)
    assert harness.log.delete_old_segments() == 0
    harness.time.sleep(101)
    assert harness.log.delete_old_segments() == 2
    harness.time.sleep(1000)
    assert harness.log.delete_old_segments() == 1
    assert (harness.log.log_start_offset(), harness.log.log_end_offset()) == (3, 3)
    assert harness.log.number_of_segments() == 1
    assert harness.log.delete_old_segments() == 0
    assert harness.append(b"next") == 3


def test_a_record_of_the_future_is_kept_until_its_time_is_past(with_config: WithConfig) -> None:
    harness = with_config(segment_bytes=300, retention_ms=1000)
    harness.append(b"x" * 200, timestamp=NOW + 50_000)
    harness.append(b"x" * 200, timestamp=NOW)
    harness.time.sleep(10_000)
    assert harness.log.delete_old_segments() == 0
    harness.time.sleep(41_001)
    assert harness.log.delete_old_segments() == 2


def test_retention_without_times_goes_by_the_file(with_config: WithConfig) -> None:
    harness = with_config(segment_bytes=300, retention_ms=1000)
    harness.log.append_as_leader(records(b"x" * 200, magic=0), 0)
    harness.append(b"x" * 200)
    os.utime(harness.segment_path(0), (NOW / 1000 - 100, NOW / 1000 - 100))
    assert harness.log.delete_old_segments() == 1


def test_no_retention(with_config: WithConfig) -> None:
    harness = with_config(segment_bytes=300, retention_ms=-1, retention_bytes=-1)
    for _ in range(3):
        harness.append(b"x" * 200, timestamp=1)
    assert harness.log.delete_old_segments() == 0


def test_the_log_begins_later_before_its_segments_go(with_config: WithConfig,
                                                     monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that still finds an offset finds its segment too."""
    harness = with_config(segment_bytes=300, retention_bytes=0)
    for _ in range(3):
        harness.append(b"x" * 200)
    seen = []

    def look(self: LeaderEpochFileCache, start_offset: int, sync: bool = False) -> None:
        seen.append((harness.log.log_start_offset(), harness.log.segments()[0].base_offset()))

    monkeypatch.setattr(LeaderEpochFileCache, "truncate_from_start", look)
    harness.log.delete_old_segments()
    assert seen == [(3, 0)]


def test_nothing_is_found_behind_the_limit(harness: LogHarness) -> None:
    """Not even what was appended last, which is known without looking."""
    harness.append(b"a")
    position = harness.log.size()
    harness.append(b"b")
    segment = harness.log.segments()[0]
    assert segment.locate(1, position) is None
    assert segment.locate(1, harness.log.size()) == (position, position)


def test_a_corrupt_record_within_a_compressed_one(harness: LogHarness) -> None:
    """Below magic 2 a compressed message holds messages with checksums of their own."""
    inner = bytearray(records(b"a", magic=1).buffer().to_bytes())
    for broken in (False, True):
        inner[12] ^= broken
        value = gzip.compress(bytes(inner))
        body = struct.pack(">bbqii", 1, 1, NOW, -1, len(value)) + value
        sent = struct.pack(">qiI", 0, len(body) + 4, zlib.crc32(body)) + body
        if broken:
            with pytest.raises(CorruptRecordException, match="in topic partition topic-0"):
                harness.log.append_as_leader(wrap(sent), 0)
        else:
            harness.log.append_as_leader(wrap(sent), 0)
    assert values(harness.log) == [b"a"]


def test_files_of_deleted_segments_go_after_the_delay(with_config: WithConfig) -> None:
    harness = with_config(segment_bytes=300, retention_bytes=0, file_delete_delay_ms=100)
    for _ in range(3):
        harness.append(b"x" * 200)
    harness.scheduler.tick()
    harness.log.delete_old_segments()

    def deleted() -> list[str]:
        return [name for name in os.listdir(harness.directory) if name.endswith(".deleted")]

    # Three segments of three files, the last two of them with a snapshot of producers at their beginning.
    assert len(deleted()) == 3 * 3 + 2
    harness.scheduler.tick(99)
    assert len(deleted()) == 3 * 3 + 2
    harness.scheduler.tick(1)
    assert not deleted()
    assert harness.files.size() == 0


def test_segments_before_the_start_go(with_config: WithConfig) -> None:
    harness = with_config(segment_bytes=300)
    for _ in range(4):
        harness.append(b"x" * 200)
    assert harness.log.maybe_increment_log_start_offset(2)
    assert not harness.log.maybe_increment_log_start_offset(2)
    assert harness.log.number_of_segments() == 4
    assert harness.log.delete_old_segments() == 2
    assert harness.log.log_start_offset() == 2
    with pytest.raises(OffsetOutOfRangeException, match="larger than the high watermark 4"):
        harness.log.maybe_increment_log_start_offset(5)
    assert harness.log.maybe_increment_log_start_offset(4)
    assert values(harness.log) == []


def test_leader_epochs(with_config: WithConfig) -> None:
    harness = with_config()
    for epoch in (0, 0, 2, 5):
        harness.log.append_as_leader(records(b"a", b"b"), epoch)
    log = harness.log
    assert log.latest_epoch() == 5
    assert [log.end_offset_for_epoch(epoch) for epoch in (-1, 0, 1, 2, 3, 5, 6)] == [
        (-1, -1), (0, 4), (0, 4), (2, 6), (2, 6), (5, 8), (-1, -1)]
    harness.close_and_open()
    assert harness.log.end_offset_for_epoch(2) == (2, 6)
    harness.log.maybe_increment_log_start_offset(5)
    assert harness.log.end_offset_for_epoch(0) == (0, 5)


# -- the hook for those who wait ---------------------------------------------------------------------


def test_listeners(harness: LogHarness) -> None:
    heard: list[int] = []

    def listener(log: UnifiedLog) -> None:
        # Outside the log's lock: somebody else can take it meanwhile.
        assert not log._lock._is_owned()  # type: ignore[attr-defined]
        heard.append(log.high_watermark())

    def broken(log: UnifiedLog) -> None:
        raise ValueError("broken")

    harness.log.add_listener(broken)
    harness.log.add_listener(listener)
    harness.log.append_as_leader(idempotent(b"a", sequence=0), 0)
    harness.log.append_as_leader(idempotent(b"a", sequence=0), 0)
    with pytest.raises(OutOfOrderSequenceException):
        harness.log.append_as_leader(idempotent(b"a", sequence=5), 0)
    harness.log.append_as_leader(records(b"a", magic=1), 0)
    harness.log.remove_listener(listener)
    harness.append(b"a")
    assert heard == [1, 2]


def test_its_name_in_messages(harness: LogHarness) -> None:
    assert str(TP) in str(harness.log)
    assert repr(harness.log) == "UnifiedLog(topic-0, start=0, end=0)"
    assert harness.log.config().compression is None
    assert CompressionType.NONE is Compression.NONE.type()
