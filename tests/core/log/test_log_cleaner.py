# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's LogCleanerTest."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterable
from pathlib import Path

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.errors import CorruptRecordException
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.legacy_record import LegacyRecord
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.common.log_cleaning_aborted_exception import LogCleaningAbortedException
from kreactor.core.log import cleaner as cleaner_module
from kreactor.core.log.cleaned_transaction_metadata import CleanedTransactionMetadata
from kreactor.core.log.cleaner import Cleaner
from kreactor.core.log.cleaner_stats import CleanerStats
from kreactor.core.log.log_cleaner import LogCleaner
from kreactor.core.log.log_cleaner_manager import LogCleanerManager
from kreactor.core.log.log_to_clean import LogToClean
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.storage.internals.log.aborted_txn import AbortedTxn
from kreactor.storage.internals.log.cleaner_config import CleanerConfig
from kreactor.storage.internals.log.log_file_utils import CLEANED_SUFFIX, SWAP_SUFFIX
from kreactor.storage.internals.log.log_segment import LogSegment
from tests.core.log.support import (
    LARGE_TIMESTAMP, MAX_INT, MAX_LONG, TOMBSTONE_RETENTION_MS, FakeOffsetMap, Logs, Producer, append,
    append_at, batches, check_segment_order, end_txn, key, keys_in_log, last_offsets_per_batch,
    last_sequences, message_with_offset, offsets_in_log, records, segment_batches, singleton_records,
    text)
from tests.stepping import PATIENCE_S
from tests.storage.internals.log.support import NOW, log_config, wrap

TEST_TP = TopicPartition("test", 0)


def fill(log: UnifiedLog, segments: int) -> None:
    """Append records whose keys are their offsets, until there are so many segments."""
    while log.number_of_segments() < segments:
        append(log, log.log_end_offset(), log.log_end_offset())


def map_of(keys: Iterable[int]) -> FakeOffsetMap:
    """Return a map that says that these keys come again, after all that is there."""
    made = FakeOffsetMap(MAX_INT)
    for each in keys:
        made.put(key(each), MAX_LONG)
    return made


def clean_segments(cleaner: Cleaner, log: UnifiedLog, segments: list[LogSegment], map_: FakeOffsetMap,
                   stats: CleanerStats | None = None) -> None:
    cleaner.clean_segments(log, segments, map_, 0, stats or CleanerStats(), CleanedTransactionMetadata(), -1)


def to_clean(log: UnifiedLog, first_dirty_offset: int = 0, need_compaction_now: bool = False) -> LogToClean:
    return LogToClean(TEST_TP, log, first_dirty_offset, log.active_segment().base_offset(),
                      need_compaction_now)


def clean(cleaner: Cleaner, log: UnifiedLog, first_dirty_offset: int = 0) -> int:
    return cleaner.clean(to_clean(log, first_dirty_offset))[0]


def clean_at(cleaner: Cleaner, log: UnifiedLog, current_time: int, first_dirty_offset: int = 0) -> int:
    return cleaner.do_clean(to_clean(log, first_dirty_offset), current_time)[0]


def run_two_pass_clean(cleaner: Cleaner, log: UnifiedLog, current_time: int,
                       first_dirty_offset: int = 0) -> int:
    """The first pass sets the delete horizon, the second lies behind it."""
    both = to_clean(log, first_dirty_offset)
    cleaner.do_clean(both, current_time)
    return cleaner.do_clean(both, current_time + TOMBSTONE_RETENTION_MS + 1)[0]


def names(registry: MetricsRegistry) -> set[str]:
    return {name.get_name() for name in registry.all_metrics()}


def test_remove_metrics_on_close(tmp_path: Path) -> None:
    registry = MetricsRegistry()
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    log_cleaner = LogCleaner(
        CleanerConfig(), [str(tmp_path / "a"), str(tmp_path / "b")], {}, registry=registry)
    expected = {*LogCleaner.MetricNames, *LogCleanerManager.GaugeMetricNameNoTag,
                "uncleanable-partitions-count", "uncleanable-bytes", "cleaner-io"}
    assert names(registry) == expected
    scopes = {name.get_scope() for name in registry.all_metrics() if "uncleanable" in name.get_name()}
    assert len(scopes) == 2
    assert all(name.get_mbean_name().startswith(
        ("kafka.log:type=LogCleaner,", "kafka.log:type=LogCleanerManager,")) or "cleaner-io" in str(name)
        for name in registry.all_metrics())
    log_cleaner.shutdown()
    # As Kafka's, the throttler leaves its own.
    assert names(registry) == {"cleaner-io"}


@pytest.mark.deviation("D294")
def test_newer_records_are_durable_before_older_ones_are_removed(
        logs: Logs, monkeypatch: pytest.MonkeyPatch) -> None:
    log = logs.make()
    fill(log, 4)
    append(log, 0, 1)
    log.roll()
    replaced_at: list[int] = []
    replace_segments = UnifiedLog.replace_segments

    def noting(log: UnifiedLog, new: list[LogSegment], old: list[LogSegment]) -> None:
        replaced_at.append(log.recovery_point())
        replace_segments(log, new, old)

    monkeypatch.setattr(UnifiedLog, "replace_segments", noting)
    assert log.recovery_point() == 0
    end = clean(logs.cleaner(), log)
    assert end == log.log_end_offset()
    assert replaced_at and min(replaced_at) >= end


def test_clean_segments(logs: Logs) -> None:
    cleaner = logs.cleaner()
    log = logs.make()
    fill(log, 4)
    keys_found = keys_in_log(log)
    assert keys_found == list(range(log.log_end_offset()))

    keys = [1, 3, 5, 7, 9]
    segments = log.segments()[:3]
    stats = CleanerStats()
    expected_bytes_read = sum(segment.size() for segment in segments)
    should_remain = [each for each in keys_found if each not in keys]
    clean_segments(cleaner, log, segments, map_of(keys), stats)
    assert keys_in_log(log) == should_remain
    assert stats.bytes_read == expected_bytes_read


def test_clean_segments_with_concurrent_segment_deletion(logs: Logs) -> None:
    delete_start_latch = threading.Event()
    delete_complete_latch = threading.Event()

    class SlowLog(UnifiedLog):
        __slots__ = ()

        def replace_segments(self, new_segments: Iterable[LogSegment],
                             old_segments: Iterable[LogSegment]) -> None:
            delete_start_latch.set()
            assert delete_complete_latch.wait(PATIENCE_S)
            super().replace_segments(new_segments, old_segments)

    log = logs.make(delete=True, klass=SlowLog)

    def delete() -> None:
        delete_start_latch.wait(PATIENCE_S)
        log.maybe_increment_log_start_offset(log.active_segment().base_offset())
        log.delete_old_segments()
        delete_complete_latch.set()

    thread = threading.Thread(target=delete)
    thread.start()
    while log.number_of_segments() < 3:
        append(log, 0, log.log_end_offset())
        log.roll()
    assert log.number_of_segments() == 3

    first = log.segments()[0]
    expected_path = first.path() + ".deleted"
    cleaner = logs.cleaner()
    offset_map = FakeOffsetMap(MAX_INT)
    end = log.active_segment().base_offset()
    segments = log.log_segments(0, end)
    cleaner.build_offset_map(log, 0, end, offset_map, CleanerStats())
    clean_segments(cleaner, log, segments, offset_map)
    thread.join()
    # It was renamed once.
    assert first.path() == expected_path
    assert log.number_of_segments() == 2


def test_duplicate_check_after_cleaning(logs: Logs) -> None:
    cleaner = logs.cleaner()
    log = logs.make(segment_bytes=2048)
    producers = {pid: Producer(logs, log, pid, False) for pid in (1, 2, 3, 4)}
    producers[1](1, 2, 3)
    producers[2](3, 1, 4)
    producers[3](1, 4)

    log.roll()
    clean(cleaner, log)
    assert last_offsets_per_batch(log) == [2, 5, 7]
    assert last_sequences(log) == {1: 2, 2: 2, 3: 1}
    assert keys_in_log(log) == [2, 3, 1, 4]
    assert offsets_in_log(log) == [1, 3, 6, 7]

    def reload() -> UnifiedLog:
        assert log.close()
        return logs.make(segment_bytes=2048, clean=False)

    def duplicate(pid: int, *keys: int) -> tuple[int, int]:
        info = Producer(logs, log, pid, False)(*keys)
        assert info.duplicate
        return info.first_offset, info.last_offset

    log = reload()
    assert duplicate(1, 1, 2, 3) == (0, 2)
    assert duplicate(3, 1, 4) == (6, 7)
    assert duplicate(2, 3, 1, 4) == (3, 5)

    # Of the first producer's batch another record goes.
    Producer(logs, log, 4, False)(2)
    log.roll()
    clean(cleaner, log)
    assert last_sequences(log) == {1: 2, 2: 2, 3: 1, 4: 0}
    assert last_offsets_per_batch(log) == [2, 5, 7, 8]
    assert keys_in_log(log) == [3, 1, 4, 2]
    assert offsets_in_log(log) == [3, 6, 7, 8]

    log = reload()
    assert duplicate(1, 1, 2, 3) == (0, 2)


def aborted(log: UnifiedLog) -> list[AbortedTxn]:
    return log.collect_aborted_transactions(0, log.log_end_offset())


def test_multi_pass_segment_cleaning_with_aborted_transactions(logs: Logs) -> None:
    delete_retention_ms = 50_000
    cleaner = logs.cleaner()
    log = logs.make(delete_retention_ms=delete_retention_ms, segment_bytes=1 << 20)
    first, second = Producer(logs, log, 1), Producer(logs, log, 2)
    first(1, 2)  # 0, 1
    second(2, 3)  # 2, 3
    first(3, 4)  # 4, 5
    first.commit()  # 6
    second.commit()  # 7
    first(2, 3)  # 8, 9
    first.abort()  # 10
    second(4, 5)  # 11, 12
    first(5, 6)  # 13, 14
    first.commit()  # 15
    second.abort()  # 16
    second(6, 7)  # 17, 18
    second.commit()  # 19
    log.roll()
    assert log.log_end_offset() == 20

    def assert_all_transactions_complete() -> None:
        assert all(entry.current_txn_first_offset is None for entry in log.active_producers())

    expected_aborted_txns = [AbortedTxn(1, 8, 10, 11), AbortedTxn(2, 11, 16, 17)]
    assert_all_transactions_complete()
    assert aborted(log) == expected_aborted_txns

    dirty_offset = 0

    def clean_up() -> int:
        offset_map = FakeOffsetMap(4)
        end = log.active_segment().base_offset()
        segments = log.log_segments(0, end)
        stats = CleanerStats(logs.time)
        cleaner.build_offset_map(log, dirty_offset, end, offset_map, stats)
        cleaner.clean_segments(log, segments, offset_map, logs.time.milliseconds(), stats,
                               CleanedTransactionMetadata(), MAX_LONG)
        return offset_map.latest_offset() + 1

    # The aborted records go, and the markers wait for the retention time.
    dirty_offset = clean_up()
    assert dirty_offset == 4
    base_offsets = [batch.base_offset() for batch in batches(log)]
    assert base_offsets == [0, 2, 4, 6, 7, 10, 13, 15, 16, 17, 19]
    assert offsets_in_log(log) == [0, 2, 3, 4, 5, 6, 7, 10, 13, 14, 15, 16, 17, 18, 19]
    assert_all_transactions_complete()
    assert aborted(log) == expected_aborted_txns

    # There is nothing left of the transactions that readers must be told of.
    dirty_offset = clean_up()
    assert dirty_offset == 14
    assert [batch.base_offset() for batch in batches(log)] == base_offsets
    assert offsets_in_log(log) == [0, 2, 4, 5, 6, 7, 10, 13, 14, 15, 16, 17, 18, 19]
    assert_all_transactions_complete()
    assert aborted(log) == []

    logs.time.sleep(delete_retention_ms)
    dirty_offset = clean_up()
    assert dirty_offset == 20
    assert [batch.base_offset() for batch in batches(log)] == [0, 2, 4, 6, 7, 13, 15, 17, 19]
    assert offsets_in_log(log) == [0, 2, 4, 5, 6, 7, 13, 15, 17, 18, 19]
    assert_all_transactions_complete()
    assert aborted(log) == []


def test_basic_transaction_aware_cleaning(logs: Logs) -> None:
    cleaner = logs.cleaner()
    log = logs.make(segment_bytes=2048)
    first, second = Producer(logs, log, 1), Producer(logs, log, 2)
    first(1, 2)
    second(2, 3)
    first(3, 4)
    first.abort()
    second.commit()
    first(2)
    first.commit()

    aborted_transactions = aborted(log)
    assert aborted_transactions

    log.roll()
    clean(cleaner, log)
    assert keys_in_log(log) == [3, 2]
    assert offsets_in_log(log) == [3, 6, 7, 8, 9]
    assert aborted(log) == aborted_transactions


def test_clean_with_transactions_spanning_segments(logs: Logs) -> None:
    cleaner = logs.cleaner()
    log = logs.make()
    first, second, third = (Producer(logs, log, pid) for pid in (1, 2, 3))
    first(1, 2)
    third(2, 3)
    second(3, 4)

    log.roll()

    second(5, 6)
    third(6, 7)
    first(7, 8)
    second.abort()
    third(8, 9)
    third.commit()
    first(9, 10)
    first.abort()

    # Only the first segment is cleaned.
    dirty_offset = clean(cleaner, log)
    assert keys_in_log(log) == [2, 3, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10]

    log.roll()
    # So that the sequence numbers stay elsewhere.
    second(11)
    first(12)

    clean(cleaner, log, dirty_offset)
    assert keys_in_log(log) == [2, 3, 6, 7, 8, 9, 11, 12]


def test_commit_marker_removal(logs: Logs) -> None:
    cleaner = logs.cleaner()
    log = logs.make(segment_bytes=256)
    producer = Producer(logs, log, 1)
    producer(1)
    producer(2, 3)
    producer.commit()
    producer(2)
    producer.commit()
    log.roll()

    # There are records left.
    dirty_offset = clean_at(cleaner, log, LARGE_TIMESTAMP)
    assert keys_in_log(log) == [1, 3, 2]
    assert offsets_in_log(log) == [0, 2, 3, 4, 5]

    producer(1, 3)
    producer.commit()
    log.roll()

    # Before this cleaning there were.
    dirty_offset = clean_at(cleaner, log, LARGE_TIMESTAMP, dirty_offset)
    assert keys_in_log(log) == [2, 1, 3]
    assert offsets_in_log(log) == [3, 4, 5, 6, 7, 8]

    # It is too early for the marker.
    dirty_offset = clean_at(cleaner, log, LARGE_TIMESTAMP, dirty_offset)
    assert keys_in_log(log) == [2, 1, 3]
    assert offsets_in_log(log) == [3, 4, 5, 6, 7, 8]

    clean_at(cleaner, log, MAX_LONG, dirty_offset)
    assert keys_in_log(log) == [2, 1, 3]
    assert offsets_in_log(log) == [4, 5, 6, 7, 8]


def test_deleted_batches_with_no_messages_read(logs: Logs) -> None:
    cleaner = logs.cleaner(max_message_size=100)
    log = logs.make(max_message_bytes=100, segment_bytes=1000)
    producer = Producer(logs, log, 1)
    producer(1)
    producer.abort()
    producer(2)
    producer(2)
    producer.commit()
    log.roll()

    clean_at(cleaner, log, LARGE_TIMESTAMP)
    assert keys_in_log(log) == [2]
    assert offsets_in_log(log) == [1, 3, 4]

    run_two_pass_clean(cleaner, log, LARGE_TIMESTAMP)
    assert keys_in_log(log) == [2]
    assert offsets_in_log(log) == [3, 4]


def test_commit_marker_retention_with_empty_batch(logs: Logs) -> None:
    cleaner = logs.cleaner()
    log = logs.make(segment_bytes=256)
    first, second = Producer(logs, log, 1), Producer(logs, log, 2)
    first(2, 3)  # 0, 1
    log.roll()
    second(2, 3)  # 2, 3
    second.commit()  # 4
    log.roll()
    append(log, 2, 2)  # 5
    append(log, 3, 3)  # 6
    first.commit()  # 7
    log.roll()

    # The batches stay without their records.
    dirty_offset = clean_at(cleaner, log, LARGE_TIMESTAMP)
    assert keys_in_log(log) == [2, 3]
    assert offsets_in_log(log) == [4, 5, 6, 7]
    assert last_offsets_per_batch(log) == [1, 3, 4, 5, 6, 7]

    dirty_offset = clean_at(cleaner, log, LARGE_TIMESTAMP, dirty_offset)
    assert keys_in_log(log) == [2, 3]
    assert offsets_in_log(log) == [4, 5, 6, 7]
    assert last_offsets_per_batch(log) == [1, 3, 4, 5, 6, 7]

    second(1)  # 8
    second.commit()  # 9
    log.roll()

    # The first marker of the second producer has no delete horizon yet.
    dirty_offset = clean_at(cleaner, log, LARGE_TIMESTAMP, dirty_offset)
    assert keys_in_log(log) == [2, 3, 1]
    assert offsets_in_log(log) == [4, 5, 6, 7, 8, 9]
    assert last_offsets_per_batch(log) == [1, 4, 5, 6, 7, 8, 9]

    run_two_pass_clean(cleaner, log, LARGE_TIMESTAMP, dirty_offset)
    assert keys_in_log(log) == [2, 3, 1]
    assert offsets_in_log(log) == [5, 6, 7, 8, 9]
    assert last_offsets_per_batch(log) == [1, 5, 6, 7, 8, 9]


def test_clean_empty_control_batch(logs: Logs) -> None:
    cleaner = logs.cleaner()
    log = logs.make(segment_bytes=256)
    end_txn(logs, log, 1, ControlRecordType.COMMIT)
    append(log, 2, 2)
    append(log, 3, 3)
    log.roll()

    # Of the marker its header stays, for the epoch of the producer.
    dirty_offset = run_two_pass_clean(cleaner, log, LARGE_TIMESTAMP)
    for _ in range(2):
        assert keys_in_log(log) == [2, 3]
        assert offsets_in_log(log) == [1, 2]
        assert last_offsets_per_batch(log) == [0, 1, 2]
        dirty_offset = clean_at(cleaner, log, MAX_LONG, dirty_offset)


def test_committed_transaction_spanning_segments(logs: Logs) -> None:
    cleaner = logs.cleaner()
    log = logs.make(segment_bytes=128)
    producer = Producer(logs, log, 1)
    producer(1)
    log.roll()
    producer.commit()
    log.roll()

    run_two_pass_clean(cleaner, log, LARGE_TIMESTAMP)
    assert offsets_in_log(log) == [0, 1]
    assert last_offsets_per_batch(log) == [0, 1]


def test_aborted_transaction_spanning_segments(logs: Logs) -> None:
    cleaner = logs.cleaner()
    log = logs.make(segment_bytes=128)
    producer = Producer(logs, log, 1)
    producer(1)
    log.roll()
    producer.abort()
    log.roll()

    # The batch is the last of its producer, and the marker stays with it.
    for current_time in (LARGE_TIMESTAMP, MAX_LONG):
        clean_at(cleaner, log, current_time)
        assert offsets_in_log(log) == [1]
        assert last_offsets_per_batch(log) == [0, 1]


def test_abort_marker_removal(logs: Logs) -> None:
    cleaner = logs.cleaner()
    log = logs.make(segment_bytes=256)
    producer = Producer(logs, log, 1)
    producer(1)
    producer(2, 3)
    producer.abort()
    producer(3)
    producer.commit()
    log.roll()

    dirty_offset = clean_at(cleaner, log, LARGE_TIMESTAMP)
    assert keys_in_log(log) == [3]
    assert offsets_in_log(log) == [3, 4, 5]

    run_two_pass_clean(cleaner, log, LARGE_TIMESTAMP, dirty_offset)
    assert keys_in_log(log) == [3]
    assert offsets_in_log(log) == [4, 5]


def test_empty_batch_removal_with_sequence_reuse(logs: Logs) -> None:
    """The group coordinator begins each batch with sequence number 0."""
    from kreactor.storage.internals.log.append_origin import AppendOrigin

    cleaner = logs.cleaner()
    log = logs.make(segment_bytes=2048)
    for number in (1, 2):
        producer = Producer(logs, log, 1, origin=AppendOrigin.COORDINATOR)
        producer(number)
        producer.commit()
    append(log, 1, 1)
    append(log, 2, 1)
    log.roll()

    # The last batch stays for its sequence number and epoch.
    clean_at(cleaner, log, LARGE_TIMESTAMP)
    assert offsets_in_log(log) == [1, 3, 4, 5]
    assert last_offsets_per_batch(log) == [1, 2, 3, 4, 5]

    run_two_pass_clean(cleaner, log, LARGE_TIMESTAMP)
    assert offsets_in_log(log) == [3, 4, 5]
    assert last_offsets_per_batch(log) == [2, 3, 4, 5]


def test_abort_marker_retention_with_empty_batch(logs: Logs) -> None:
    cleaner = logs.cleaner()
    log = logs.make(segment_bytes=256)
    producer = Producer(logs, log, 1)
    producer(2, 3)
    producer.abort()
    log.roll()

    def assert_aborted_transaction_indexed() -> None:
        (producer_id, first_offset, last_offset, _), = log.collect_aborted_transactions(0, 100)
        assert (producer_id, first_offset, last_offset) == (1, 0, 2)

    assert_aborted_transaction_indexed()

    dirty_offset = clean_at(cleaner, log, LARGE_TIMESTAMP)
    for _ in range(2):
        assert_aborted_transaction_indexed()
        assert keys_in_log(log) == []
        assert offsets_in_log(log) == [2]
        assert last_offsets_per_batch(log) == [1, 2]
        dirty_offset = run_two_pass_clean(cleaner, log, LARGE_TIMESTAMP, dirty_offset)

    producer(1)
    log.roll()

    # The empty batch goes, and the marker, which came with it this time, goes with the next ones.
    dirty_offset = clean_at(cleaner, log, LARGE_TIMESTAMP, dirty_offset)
    assert_aborted_transaction_indexed()
    assert keys_in_log(log) == [1]
    assert offsets_in_log(log) == [2, 3]
    assert last_offsets_per_batch(log) == [2, 3]

    run_two_pass_clean(cleaner, log, LARGE_TIMESTAMP, dirty_offset)
    assert keys_in_log(log) == [1]
    assert offsets_in_log(log) == [3]
    assert last_offsets_per_batch(log) == [3]
    assert log.collect_aborted_transactions(0, 100) == []


LARGE = 1024 * 1024


def test_large_message(logs: Logs) -> None:
    cleaner = logs.cleaner(max_message_size=1024)
    log = logs.make(segment_bytes=LARGE * 16, max_message_bytes=LARGE * 2)
    while log.number_of_segments() < 2:
        append(log, log.log_end_offset(), bytes(LARGE))
    before = keys_in_log(log)
    assert before == list(range(log.log_end_offset()))

    keys = [1, 3, 5, 7, 9]
    clean_segments(cleaner, log, log.segments()[:1], map_of(keys))
    assert keys_in_log(log) == [each for each in before if each not in keys]


def log_with_messages_larger_than_max_size(logs: Logs) -> tuple[UnifiedLog, FakeOffsetMap]:
    log = logs.make(segment_bytes=LARGE * 16, max_message_bytes=LARGE * 2)
    while log.number_of_segments() < 2:
        append(log, log.log_end_offset(), bytes(LARGE))
    assert keys_in_log(log) == list(range(log.log_end_offset()))
    log.update_config(log_config(compact=True, segment_bytes=LARGE * 16, max_message_bytes=LARGE // 2))
    return log, map_of([1, 3, 5, 7, 9])


def test_message_larger_than_max_message_size(logs: Logs) -> None:
    log, offset_map = log_with_messages_larger_than_max_size(logs)
    before = keys_in_log(log)
    clean_segments(logs.cleaner(max_message_size=1024), log, log.segments()[:1], offset_map)
    assert keys_in_log(log) == [each for each in before if each not in (1, 3, 5, 7, 9)]


def assert_nothing_is_left(logs: Logs) -> None:
    """Of a cleaning that failed."""
    assert not [name for _, _, files in os.walk(logs.directory) for name in files
                if name.endswith((CLEANED_SUFFIX, SWAP_SUFFIX))]


def test_message_larger_than_max_message_size_with_corrupt_header(logs: Logs) -> None:
    log, offset_map = log_with_messages_larger_than_max_size(logs)
    with open(log.segments()[0].path(), "r+b") as file:
        file.seek(16)
        file.write(b"\xff")
    with pytest.raises(CorruptRecordException):
        clean_segments(logs.cleaner(max_message_size=1024), log, log.segments()[:1], offset_map)
    assert_nothing_is_left(logs)


def test_corrupt_message_size_larger_than_bytes_available(logs: Logs) -> None:
    log, offset_map = log_with_messages_larger_than_max_size(logs)
    os.truncate(log.segments()[0].path(), 1024)
    with pytest.raises(CorruptRecordException):
        clean_segments(logs.cleaner(max_message_size=1024), log, log.segments()[:1], offset_map)
    assert_nothing_is_left(logs)


def test_cleaning_with_deletes(logs: Logs) -> None:
    cleaner = logs.cleaner()
    log = logs.make()
    fill(log, 2)
    leo = log.log_end_offset()
    for each in range(0, leo, 2):
        append(log, each, None)
    while log.number_of_segments() < 4:
        append(log, log.log_end_offset(), log.log_end_offset())

    clean(cleaner, log)
    assert not set(keys_in_log(log)) & set(range(0, leo, 2))


def append_five(log: UnifiedLog) -> None:
    for each in (0, 1, 0, 1, 0):
        append(log, each, each)
    log.roll()


def test_log_cleaner_stats(logs: Logs) -> None:
    # There is room for three keys.
    cleaner = logs.cleaner(4)
    log = logs.make()
    append_five(log)
    initial_log_size = log.size()

    end_offset, stats = cleaner.clean(to_clean(log, 2))
    assert end_offset == 5
    assert stats.messages_read == 5
    assert stats.bytes_read == initial_log_size
    assert stats.messages_written == 2
    assert stats.bytes_written == log.size()
    assert stats.invalid_messages_read == 0
    assert stats.end_time >= stats.start_time


def test_log_cleaner_retains_producer_last_sequence(logs: Logs) -> None:
    cleaner = logs.cleaner(10)
    log = logs.make()
    append(log, 0, 0)
    append(log, 0, 1, producer_id=1, producer_epoch=0, sequence=0)
    append(log, 0, 2, producer_id=2, producer_epoch=0, sequence=0)
    append(log, 0, 3, producer_id=3, producer_epoch=0, sequence=0)
    append(log, 1, 1, producer_id=2, producer_epoch=0, sequence=1)
    log.roll()

    clean(cleaner, log)
    assert last_offsets_per_batch(log) == [1, 3, 4]
    assert last_sequences(log) == {1: 0, 2: 1, 3: 0}
    assert keys_in_log(log) == [0, 1]
    assert offsets_in_log(log) == [3, 4]


def test_log_cleaner_retains_last_sequence_even_if_transaction_aborted(logs: Logs) -> None:
    cleaner = logs.cleaner(10)
    log = logs.make()
    producer = Producer(logs, log, 1)
    producer(1)
    producer(2, 3)
    producer.abort()
    log.roll()

    clean(cleaner, log)
    assert last_offsets_per_batch(log) == [2, 3]
    assert last_sequences(log) == {1: 2}
    assert keys_in_log(log) == []
    assert offsets_in_log(log) == [3]

    producer(1, 5)
    log.roll()
    clean(cleaner, log)
    assert last_offsets_per_batch(log) == [3, 5]
    assert last_sequences(log) == {1: 4}
    assert keys_in_log(log) == [1, 5]
    assert offsets_in_log(log) == [3, 4, 5]


def test_cleaning_with_keys_conflicting_with_txn_marker_keys(logs: Logs) -> None:
    cleaner = logs.cleaner(10)
    log = logs.make()
    producer = Producer(logs, log, 1, leader_epoch=5)
    producer(1)
    producer.commit()

    marker = next(iter(batches(log)[1])).key()
    assert marker is not None and ControlRecordType.parse(marker) is ControlRecordType.COMMIT
    log.append_as_leader(wrap(MemoryRecords.with_transactional_records(
        Compression.NONE, 2, 0, 0, SimpleRecord(NOW, marker.to_bytes(), b"foo")).buffer().to_bytes()), 5)
    end_txn(logs, log, 2, ControlRecordType.COMMIT, 5)
    log.roll()
    assert offsets_in_log(log) == [0, 1, 2, 3]

    clean(cleaner, log)
    assert last_offsets_per_batch(log) == [0, 1, 2, 3]
    assert offsets_in_log(log) == [0, 1, 2, 3]


def test_partial_segment_clean(logs: Logs) -> None:
    # There is room for one key.
    cleaner = logs.cleaner(2)
    log = logs.make()
    append_five(log)

    clean(cleaner, log, 2)
    assert keys_in_log(log) == [1, 0, 1, 0]
    assert offsets_in_log(log) == [1, 2, 3, 4]

    clean(cleaner, log, 3)
    assert keys_in_log(log) == [0, 1, 0]
    assert offsets_in_log(log) == [2, 3, 4]

    clean(cleaner, log, 4)
    assert keys_in_log(log) == [1, 0]
    assert offsets_in_log(log) == [3, 4]


def test_cleaning_with_uncleanable_section(logs: Logs) -> None:
    cleaner = logs.cleaner()
    log = logs.make()
    # Few enough for each segment to have them twice.
    n = 10
    num_cleanable_segments = 2
    num_total_segments = 7

    def write_until(segments: int) -> None:
        while log.number_of_segments() < segments:
            append(log, log.log_end_offset() % n, log.log_end_offset())

    write_until(num_cleanable_segments + 1)
    # Within the segment, which is not cleaned then.
    first_uncleanable_offset = log.log_end_offset() + 1
    write_until(num_total_segments - 1)

    def distinct_values_by_segment() -> list[int]:
        return [len({text(record.value()) for batch in segment_batches(segment) for record in batch})
                for segment in log.segments()]

    before = distinct_values_by_segment()
    assert all(each > n for each in before[:-1])

    cleaner.clean(LogToClean(TEST_TP, log, 0, first_uncleanable_offset))

    # The records of two segments fit into one now.
    after = distinct_values_by_segment()
    assert sum(after[:len(after) - len(before) + num_cleanable_segments]) < sum(
        before[:num_cleanable_segments])
    assert after[len(after) - len(before) + num_cleanable_segments:] == before[num_cleanable_segments:]


def six_segments(logs: Logs) -> UnifiedLog:
    log = logs.make(segment_bytes=100)
    for _ in range(6):
        log.append_as_leader(singleton_records(bytes(25), b"1"), 0)
    assert log.number_of_segments() == 6
    return log


def test_log_to_clean(logs: Logs) -> None:
    log = six_segments(logs)
    end = log.active_segment().base_offset()
    log_to_clean = LogToClean(TEST_TP, log, end, end)
    assert log_to_clean.total_bytes == log.size() - log.active_segment().size()


def test_log_to_clean_with_uncleanable_section(logs: Logs) -> None:
    log = six_segments(logs)
    segs = log.segments()
    log_to_clean = LogToClean(TEST_TP, log, segs[2].base_offset(), segs[4].base_offset())
    expected_clean_size = sum(segment.size() for segment in segs[:2])
    expected_cleanable_size = sum(segment.size() for segment in segs[2:4])
    assert log_to_clean.clean_bytes == expected_clean_size
    assert log_to_clean.cleanable_bytes == expected_cleanable_size
    assert log_to_clean.total_bytes == expected_clean_size + expected_cleanable_size
    assert log_to_clean.cleanable_ratio == pytest.approx(
        expected_cleanable_size / (expected_clean_size + expected_cleanable_size))


def test_cleaning_with_unkeyed_messages(logs: Logs) -> None:
    cleaner = logs.cleaner()
    log = logs.make(compact=False)

    def unkeyed_message_count() -> int:
        return sum(record.has_value() and not record.has_key() for record in records(log))

    while log.number_of_segments() < 2:
        log.append_as_leader(singleton_records(str(log.log_end_offset()).encode()), 0)
    num_invalid_messages = unkeyed_message_count()
    size_with_unkeyed_messages = log.size()
    fill(log, 3)

    expected_size_after_cleaning = log.size() - size_with_unkeyed_messages
    _, stats = cleaner.clean(to_clean(log))
    assert unkeyed_message_count() == 0
    assert log.size() == expected_size_after_cleaning
    assert stats.invalid_messages_read == num_invalid_messages


def test_clean_segments_with_abort(logs: Logs) -> None:
    def abort(topic_partition: TopicPartition) -> None:
        raise LogCleaningAbortedException()

    cleaner = logs.cleaner(check_done=abort)
    log = logs.make()
    fill(log, 4)
    before = keys_in_log(log)
    with pytest.raises(LogCleaningAbortedException):
        clean_segments(cleaner, log, log.segments()[:3], map_of(before))
    assert_nothing_is_left(logs)
    assert keys_in_log(log) == before


def test_segment_grouping(logs: Logs) -> None:
    cleaner = logs.cleaner()
    log = logs.make(segment_bytes=300, index_interval_bytes=1)
    while log.number_of_segments() < 10:
        log.append_as_leader(singleton_records(b"hello", b"hello"), 0)
    segments = log.segments()

    def group(max_size: int = MAX_INT, max_index_size: int = MAX_INT) -> list[list[LogSegment]]:
        groups = cleaner.group_segments_by_size(segments, max_size, max_index_size, log.log_end_offset())
        check_segment_order(groups)
        return groups

    assert [len(each) for each in group()] == [10]
    assert [len(each) for each in group(max_size=1)] == [1] * 10
    assert [len(each) for each in group(max_index_size=1)] == [1] * 10

    group_size = 3
    log_size = sum(segment.size() for segment in segments[:group_size]) + 1
    assert all(len(each) == group_size for each in group(max_size=log_size)[:-1])
    index_size = sum(segment.offset_index().size_in_bytes() for segment in segments[:group_size]) + 1
    assert all(len(each) == group_size for each in group(max_index_size=index_size)[:-1])


def test_segment_grouping_with_sparse_offsets_and_empty_segments(logs: Logs) -> None:
    cleaner = logs.cleaner()
    log = logs.make(segment_bytes=1 << 30)
    for i in range(3):
        log.append_as_leader(singleton_records(b"val", b"key"), 0)
        offset = (i + 1) * (MAX_INT + 1) - 1
        append_at(log, offset, message_with_offset(b"key", b"val", offset))
        assert log.number_of_segments() == i + 1
    log.append_as_leader(singleton_records(b"val", b"key"), 0)

    total_segments = 4
    first_uncleanable_offset = log.log_end_offset() - 1
    assert log.number_of_segments() == total_segments

    def group() -> int:
        return len(cleaner.group_segments_by_size(log.segments(), MAX_INT, MAX_INT, first_uncleanable_offset))

    # Each has a range of offsets of its own.
    assert group() == total_segments - 1
    cleaner.clean(LogToClean(log.topic_partition(), log, 0, first_uncleanable_offset))
    assert log.number_of_segments() == total_segments
    assert log.segments()[0].size() == 0

    # The two that are empty go together.
    assert group() == 2
    cleaner.clean(LogToClean(log.topic_partition(), log, 0, first_uncleanable_offset))
    assert log.number_of_segments() == total_segments - 1


def test_segment_grouping_with_sparse_offsets(logs: Logs) -> None:
    cleaner = logs.cleaner()
    log = logs.make(segment_bytes=400, index_interval_bytes=1, segment_index_bytes=1 << 20)

    def say_hello() -> None:
        log.append_as_leader(singleton_records(b"hello", b"hello"), 0)

    def group() -> list[list[LogSegment]]:
        groups = cleaner.group_segments_by_size(log.segments(), MAX_INT, MAX_INT, log.log_end_offset())
        check_segment_order(groups)
        return groups

    while log.number_of_segments() == 1:
        say_hello()
    append_at(log, MAX_INT - 1, message_with_offset(b"hello", b"hello", MAX_INT - 1))
    say_hello()
    assert log.log_end_offset() - 1 == MAX_INT

    assert len(group()) == 1
    say_hello()
    # The last offset is too far from the first.
    assert len(group()) == 2

    while log.number_of_segments() < 4:
        say_hello()
    groups = group()
    assert len(groups) == log.number_of_segments() - 1
    assert all(each[-1].next_offset() - 1 - each[0].base_offset() <= MAX_INT for each in groups)


def test_segment_grouping_following_load_of_zero_index(logs: Logs) -> None:
    """As with an index that was lost."""
    cleaner = logs.cleaner()
    log = logs.make(segment_bytes=400, index_interval_bytes=400)
    append_at(log, 0, message_with_offset(b"hello", b"hello", 0))
    append_at(log, 1, message_with_offset(b"hello", b"hello", 1))
    roll_at(log, MAX_INT // 2)
    append_at(log, MAX_INT // 2, message_with_offset(b"hello", b"hello", MAX_INT // 2))
    append_at(log, MAX_INT + 1, message_with_offset(b"hello", b"hello", MAX_INT + 1))

    assert log.log_end_offset() - 1 - log.log_start_offset() > MAX_INT
    assert log.number_of_segments() == 2
    assert log.segments()[-1].offset_index().last_entry()[0] <= MAX_INT

    groups = cleaner.group_segments_by_size(log.segments(), MAX_INT, MAX_INT, log.log_end_offset())
    assert len(groups) == 2
    assert all(each[-1].next_offset() - 1 - each[0].base_offset() <= MAX_INT for each in groups)
    check_segment_order(groups)


def roll_at(log: UnifiedLog, offset: int) -> None:
    """Begin a new segment at an offset beyond the end."""
    with log._lock:
        log._local_log.update_log_end_offset(offset)
        log.roll()


def test_build_offset_map(logs: Logs) -> None:
    map_ = FakeOffsetMap(1000)
    log = logs.make()
    cleaner = logs.cleaner()
    for each in range(500):
        append(log, each, each)

    def check_range(start: int, end: int) -> None:
        stats = CleanerStats()
        cleaner.build_offset_map(log, start, end, map_, stats)
        assert map_.latest_offset() + 1 == end
        assert map_.size() == end - start
        for i in range(start, end):
            assert map_.get(key(i)) == i
        assert map_.get(key(start - 1)) == -1
        assert map_.get(key(end)) == -1
        assert stats.map_messages_read == end - start

    segments = log.segments()
    check_range(0, segments[1].base_offset())
    check_range(segments[1].base_offset(), segments[3].base_offset())
    check_range(segments[3].base_offset(), log.log_end_offset())


def test_recovery_after_crash(logs: Logs) -> None:
    cleaner = logs.cleaner()
    config = log_config(compact=True, segment_bytes=300, index_interval_bytes=1, file_delete_delay_ms=10,
                        retention_ms=-1)
    log = logs.make(config=config)
    message_count = 0
    offset_map = FakeOffsetMap(MAX_INT)

    def fill_up() -> None:
        nonlocal message_count
        while log.number_of_segments() < 10:
            append(log, log.log_end_offset(), log.log_end_offset())
            message_count += 1
        for k in range(1, message_count, 2):
            offset_map.put(key(k), MAX_LONG)

    def clean_nine() -> list[int]:
        # Later tasks never run: the process ends before.
        clean_segments(cleaner, log, log.segments()[:9], offset_map)
        return keys_in_log(log)

    def undelete() -> None:
        for name in os.listdir(log.directory()):
            if name.endswith(".deleted"):
                path = os.path.join(log.directory(), name)
                os.rename(path, re.sub(r"(\.\d+)?\.deleted$", "", path))

    def recover_and_check(expected: list[int]) -> UnifiedLog:
        log.abandon()
        recovered = logs.make(config=config, clean=False)
        assert keys_in_log(recovered) == expected
        assert not [name for name in os.listdir(recovered.directory())
                    if name.endswith((".deleted", CLEANED_SUFFIX, SWAP_SUFFIX))]
        return recovered

    fill_up()
    all_keys = keys_in_log(log)

    # Before the swap.
    clean_nine()
    assert log.close()
    log.segments()[0].change_file_suffixes("", CLEANED_SUFFIX)
    undelete()
    log = recover_and_check(all_keys)

    # Some files are named for the swap.
    clean_nine()
    assert log.close()
    head = log.segments()[0]
    head.change_file_suffixes("", CLEANED_SUFFIX)
    os.rename(head.path(), head.path().removesuffix(CLEANED_SUFFIX) + SWAP_SUFFIX)
    undelete()
    log = recover_and_check(all_keys)

    # All are, and the old segments are there.
    cleaned_keys = clean_nine()
    assert log.close()
    log.segments()[0].change_file_suffixes("", SWAP_SUFFIX)
    undelete()
    log = recover_and_check(cleaned_keys)

    # All are, and the old segments are named for their end.
    fill_up()
    cleaned_keys = clean_nine()
    log.segments()[0].change_file_suffixes("", SWAP_SUFFIX)
    log = recover_and_check(cleaned_keys)

    # Some files have got their names.
    fill_up()
    cleaned_keys = clean_nine()
    time_index = log.segments()[0].path(".timeindex")
    os.rename(time_index, time_index + SWAP_SUFFIX)
    log = recover_and_check(cleaned_keys)

    # All have.
    fill_up()
    cleaned_keys = clean_nine()
    assert log.close()
    recover_and_check(cleaned_keys)


def test_build_offset_map_fake_large(logs: Logs) -> None:
    map_ = FakeOffsetMap(1000)
    log = logs.make(segment_bytes=120, segment_index_bytes=120)
    cleaner = logs.cleaner()
    offset_end = 7206178
    for each, offset in ((0, 0), (1, offset_end)):
        append_at(log, offset, message_with_offset(str(each).encode(), str(each).encode(), offset))
    cleaner.build_offset_map(log, 0, offset_end + 1, map_, CleanerStats())
    assert map_.latest_offset() == offset_end
    assert map_.size() == 2
    assert map_.get(key(0)) == 0
    assert map_.get(key(1)) == offset_end


def test_build_partial_offset_map(logs: Logs) -> None:
    # There is room for two keys.
    log = logs.make()
    cleaner = logs.cleaner(3)
    map_ = cleaner.offset_map()
    for each in range(5):
        append(log, each, each)
    log.roll()

    stats = CleanerStats()
    cleaner.build_offset_map(log, 2, MAX_INT, map_, stats)
    assert map_.size() == 2
    assert [map_.get(key(each)) for each in (0, 2, 3, 4)] == [-1, 2, 3, -1]
    assert stats.map_messages_read == 4


def invalid_cleaned_message(initial_offset: int, keys: Iterable[int],
                            type_: CompressionType = CompressionType.GZIP) -> MemoryRecords:
    """Return what old cleaners wrote: a batch of magic 1, and in it records of magic 0."""
    builder = MemoryRecords.builder(ByteBuffer.allocate(1024), Compression.of(type_).build(),
                                    TimestampType.CREATE_TIME, initial_offset, magic=1)
    for offset, each in enumerate(keys, initial_offset):
        builder.append_unchecked_with_offset(offset, LegacyRecord.create(
            RecordBatch.MAGIC_VALUE_V0, RecordBatch.NO_TIMESTAMP, str(each).encode(), str(offset).encode()))
    return builder.build()


def test_clean_corrupt_message_set(logs: Logs) -> None:
    log = logs.make()
    cleaner = logs.cleaner(10)
    # With a key twice, and without: the batch is written anew in either case.
    append_at(log, 25, invalid_cleaned_message(25, (0, 1, 0, 1)).buffer().to_bytes())
    append_at(log, 50, invalid_cleaned_message(50, (3, 4)).buffer().to_bytes())
    log.roll()

    clean(cleaner, log)
    assert offsets_in_log(log) == [27, 28, 50, 51]
    for batch in batches(log):
        for each in batch:
            assert each.has_magic(batch.magic())
            assert each.offset() == int(text(each.value()))


def test_client_handling_of_corrupt_message_set() -> None:
    corrupted = MemoryRecords.readable_records(invalid_cleaned_message(50, range(1, 10)).buffer())
    offsets = [(each.offset(), int(text(each.value()))) for batch in corrupted.batches() for each in batch]
    assert offsets == [(offset, offset) for offset in range(50, 59)]


def test_clean_tombstone(logs: Logs) -> None:
    log = logs.make(compact=False)
    cleaner = logs.cleaner(10)
    retention = log.config().delete_retention_ms
    log.append_as_leader(singleton_records(b"0", b"0", NOW + retention + 10_000), 0)
    log.roll()
    clean(cleaner, log)
    log.append_as_leader(singleton_records(None, b"0", NOW - retention - 10_000), 0)
    log.roll()

    # The tombstone stays, whatever its own time is.
    clean(cleaner, log, 1)
    assert batches(log)[0].last_offset() == 1
    log.append_as_leader(singleton_records(b"1", b"1", NOW), 0)
    log.roll()
    clean(cleaner, log, 2)
    assert batches(log)[0].last_offset() == 1


def test_cleaning_beyond_missing_offsets(logs: Logs) -> None:
    cleaner = logs.cleaner()

    def write(log: UnifiedLog, offsets: Iterable[int]) -> None:
        for offset in offsets:
            append_at(log, offset, message_with_offset(str(offset).encode(), str(offset).encode(), offset))

    log = logs.make(TopicPartition("one", 0), segment_bytes=1 << 20)
    write(log, range(10))
    roll_at(log, 11)
    write(log, [11])
    next_dirty_offset, _ = cleaner.clean(to_clean(log, need_compaction_now=True))
    assert next_dirty_offset == log.active_segment().base_offset() == 11

    log = logs.make(TopicPartition("several", 0), segment_bytes=1 << 20)
    write(log, range(10))
    roll_at(log, 15)
    write(log, range(15, 25))
    roll_at(log, 30)
    write(log, [30])
    next_dirty_offset, _ = cleaner.clean(to_clean(log, need_compaction_now=True))
    assert next_dirty_offset == log.active_segment().base_offset() == 30


def test_max_clean_time_secs(logs: Logs) -> None:
    registry = MetricsRegistry()
    log_cleaner = LogCleaner(CleanerConfig(), [logs.directory], {}, logs.time, registry)
    try:
        gauges = {name.get_name(): metric for name, metric in registry.all_metrics().items()}
        for name in ("max-buffer-utilization-percent", "max-clean-time-secs", "max-compaction-delay-secs",
                     "cleaner-recopy-percent", "DeadThreadCount"):
            assert gauges[name].value() == 0  # type: ignore[attr-defined]
    finally:
        log_cleaner.shutdown()


def kafka_config(**overrides: object) -> KafkaConfig:
    return KafkaConfig.from_props({
        "broker.id": "1", "listeners": "PLAINTEXT://127.0.0.1:0",
        **{name.replace("_", "."): str(value) for name, value in overrides.items()}})


def test_reconfigure_log_cleaner_io_max_bytes_per_second(logs: Logs) -> None:
    class Idle(LogCleaner):
        def startup(self) -> None:
            pass

    old = kafka_config(log_cleaner_io_max_bytes_per_second=10_000_000)
    log_cleaner = Idle(LogCleaner.cleaner_config(old), [logs.directory], {}, logs.time, MetricsRegistry())
    try:
        assert log_cleaner._throttler.desired_rate_per_sec() == 10_000_000
        log_cleaner.reconfigure(old, kafka_config(log_cleaner_io_max_bytes_per_second=20_000_000))
        assert log_cleaner._throttler.desired_rate_per_sec() == 20_000_000
    finally:
        log_cleaner.shutdown()


@pytest.mark.deviation("D293")
def test_a_reconfiguration_keeps_the_metrics(logs: Logs) -> None:
    class Idle(LogCleaner):
        def startup(self) -> None:
            pass

    registry, old = MetricsRegistry(), kafka_config()
    log_cleaner = Idle(LogCleaner.cleaner_config(old), [logs.directory], {}, logs.time, registry)
    try:
        before = names(registry)
        log_cleaner.reconfigure(old, kafka_config(log_cleaner_io_max_bytes_per_second=20_000_000))
        assert names(registry) == before
    finally:
        log_cleaner.shutdown()


@pytest.mark.parametrize(("milliseconds", "text"), [
    (0, "1970-01-01T00:00:00+00:00"), (-1, "1969-12-31T23:59:59.999000+00:00"),
    (2**63 - 1, "9223372036854775807"), (-2**63, "-9223372036854775808"), (2**58, "288230376151711744"),
    (253_402_300_800_000, "253402300800000")])
def test_any_time_has_a_text_in_the_log(milliseconds: int, text: str) -> None:
    assert cleaner_module._date(milliseconds) == text


@pytest.mark.parametrize(("threads", "error"), [
    (1, "reduced to less than half the current value 4"), (2, None), (4, None), (8, None),
    (9, "increased to more than double the current value 4")])
def test_threads_are_at_most_halved_or_doubled(logs: Logs, threads: int, error: str | None) -> None:
    log_cleaner = LogCleaner(CleanerConfig(4), [logs.directory], {}, logs.time, MetricsRegistry())
    new_config = kafka_config(log_cleaner_threads=threads)
    try:
        if error is None:
            log_cleaner.validate_reconfiguration(new_config)
        else:
            with pytest.raises(ConfigException, match=error):
                log_cleaner.validate_reconfiguration(new_config)
    finally:
        log_cleaner.shutdown()


def test_a_log_is_clean_now_after_one_round(logs: Logs, monkeypatch: pytest.MonkeyPatch) -> None:
    log = logs.make(TEST_TP)
    for value in range(3):
        for each in range(20):
            append(log, each, value)
    log.roll()
    rounds: list[int] = []
    clean_of_cleaner = Cleaner.clean

    def counted(self: Cleaner, cleanable: LogToClean) -> tuple[int, CleanerStats]:
        rounds.append(cleanable.first_dirty_offset)
        assert len(rounds) == 1, "nothing is dirty any more"
        return clean_of_cleaner(self, cleanable)

    monkeypatch.setattr(Cleaner, "clean", counted)
    log_cleaner = LogCleaner(CleanerConfig(), [logs.directory], {TEST_TP: log}, logs.time, MetricsRegistry())
    try:
        log_cleaner.clean_now(TEST_TP)
    finally:
        log_cleaner.shutdown()
    assert rounds == [0]
    assert keys_in_log(log) == list(range(20))
