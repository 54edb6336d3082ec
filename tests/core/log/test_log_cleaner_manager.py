# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's LogCleanerManagerTest."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.core.log.log_cleaner_manager import (
    LOG_CLEANING_ABORTED,
    LOG_CLEANING_IN_PROGRESS,
    LogCleanerManager,
    LogCleaningException,
    LogCleaningPaused,
)
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.server.metrics.yammer import Gauge, MetricsRegistry
from kreactor.storage.internals.log.log_config import LogConfig
from kreactor.storage.internals.log.log_segment import LogSegment
from tests.core.log.support import TP, Logs, Producer, append, end_txn
from tests.storage.internals.log.support import log_config, wrap

OTHER = TopicPartition("log2", 0)
WISHES = [TopicPartition("wishing-well", partition) for partition in range(3)]
FOO = TopicPartition("foo", 0)
OFFSET = 999
HOUR = 60 * 60 * 1000


class ManagerMock(LogCleanerManager):
    """Keeps the checkpoints in memory."""

    def __init__(self, logs: Logs, pool: dict[TopicPartition, UnifiedLog],
                 checkpoints: dict[TopicPartition, int]) -> None:
        self.checkpoints = checkpoints
        super().__init__([logs.directory], pool, MetricsRegistry())

    def all_cleaner_checkpoints(self) -> dict[TopicPartition, int]:
        return dict(self.checkpoints)

    def update_checkpoints(self, data_dir: str,
                           partition_to_update_or_add: tuple[TopicPartition, int] | None = None,
                           partition_to_remove: TopicPartition | None = None) -> None:
        assert partition_to_remove is None and partition_to_update_or_add is not None
        self.checkpoints.update((partition_to_update_or_add,))


def create_log(logs: Logs, segment_bytes: int = 2048, policy: str = "compact",
               tp: TopicPartition = TP) -> UnifiedLog:
    return logs.make(tp, config=config_of(segment_bytes, policy))


def config_of(segment_bytes: int, policy: str, ratio: float = 0.05) -> LogConfig:
    return log_config(compact="compact" in policy, delete="delete" in policy, segment_bytes=segment_bytes,
                      retention_ms=1, min_cleanable_dirty_ratio=ratio)


def append_records(log: UnifiedLog, logs: Logs, count: int) -> None:
    start = log.log_end_offset()
    made = MemoryRecords.with_records(Compression.NONE, *(
        SimpleRecord(logs.time.milliseconds(), f"key-{offset}".encode(), f"value-{offset}".encode())
        for offset in range(start, start + count)))
    log.append_as_leader(wrap(made.buffer().to_bytes()), 1)


def write_records(log: UnifiedLog, logs: Logs, num_batches: int, records_per_batch: int,
                  batches_per_segment: int) -> None:
    for i in range(num_batches):
        append_records(log, logs, records_per_batch)
        if i % batches_per_segment == 0:
            log.roll()
    log.roll()


def increasingly_filthy(logs: Logs, partitions: Iterable[TopicPartition]
                        ) -> dict[TopicPartition, UnifiedLog]:
    """Return logs of 20, 25, 30 and so on batches of one record."""
    pool = {}
    for number, tp in enumerate(partitions):
        pool[tp] = create_log(logs, tp=tp)
        write_records(pool[tp], logs, 20 + 5 * number, 1, 5)
    return pool


def wishing_well(logs: Logs) -> ManagerMock:
    """Return a manager of three logs that are clean up to 20."""
    return ManagerMock(logs, increasingly_filthy(logs, WISHES), dict.fromkeys(WISHES, 20))


def test_grab_filthiest_compacted_log_throws_exception(logs: Logs) -> None:
    class LogMock(UnifiedLog):
        __slots__ = ()

        def get_first_batch_timestamp_for_segments(self, segments: Iterable[LogSegment]) -> list[int]:
            raise IllegalStateException("Error!")

    tp = TopicPartition("A", 1)
    log = logs.make(tp, config=config_of(800, "compact"), klass=LogMock)
    write_records(log, logs, 4, 10, 2)
    manager = ManagerMock(logs, {tp: log}, {tp: 1})
    with pytest.raises(LogCleaningException) as raised:
        manager.grab_filthiest_compacted_log(logs.time)
    assert raised.value.log is log
    assert isinstance(raised.value.__cause__, IllegalStateException)


def test_grab_filthiest_compacted_log_returns_log_with_dirtiest_ratio(logs: Logs) -> None:
    filthiest = wishing_well(logs).grab_filthiest_compacted_log(logs.time)
    assert filthiest is not None
    assert filthiest.topic_partition == filthiest.log.topic_partition() == WISHES[2]


def test_grab_filthiest_compacted_log_ignores_uncleanable_partitions(logs: Logs) -> None:
    manager = wishing_well(logs)
    manager.mark_partition_uncleanable(logs.directory, WISHES[2])
    filthiest = manager.grab_filthiest_compacted_log(logs.time)
    assert filthiest is not None
    assert filthiest.topic_partition == filthiest.log.topic_partition() == WISHES[1]


def test_grab_filthiest_compacted_log_ignores_in_progress_partitions(logs: Logs) -> None:
    manager = wishing_well(logs)
    manager.set_cleaning_state(WISHES[2], LOG_CLEANING_IN_PROGRESS)
    filthiest = manager.grab_filthiest_compacted_log(logs.time)
    assert filthiest is not None
    assert filthiest.topic_partition == filthiest.log.topic_partition() == WISHES[1]


def test_grab_filthiest_compacted_log_ignores_both_in_progress_partitions_and_uncleanable_partitions(
        logs: Logs) -> None:
    manager = wishing_well(logs)
    manager.set_cleaning_state(WISHES[2], LOG_CLEANING_IN_PROGRESS)
    manager.mark_partition_uncleanable(logs.directory, WISHES[1])
    assert manager.grab_filthiest_compacted_log(logs.time) is None


def test_dirty_offset_reset_if_larger_than_end_offset(logs: Logs) -> None:
    manager = ManagerMock(logs, increasingly_filthy(logs, [FOO]), {FOO: 200})
    filthiest = manager.grab_filthiest_compacted_log(logs.time)
    assert filthiest is not None and filthiest.first_dirty_offset == 0


def test_dirty_offset_reset_if_smaller_than_start_offset(logs: Logs) -> None:
    pool = increasingly_filthy(logs, [FOO])
    pool[FOO].maybe_increment_log_start_offset(10)
    filthiest = ManagerMock(logs, pool, {FOO: 0}).grab_filthiest_compacted_log(logs.time)
    assert filthiest is not None and filthiest.first_dirty_offset == 10


def test_log_start_offset_larger_than_active_segment_base_offset(logs: Logs) -> None:
    log = create_log(logs, tp=FOO)
    for _ in range(3):
        append_records(log, logs, 3)
    assert log.number_of_segments() == 1
    log.maybe_increment_log_start_offset(2)
    assert ManagerMock(logs, {FOO: log}, {FOO: 0}).grab_filthiest_compacted_log(logs.time) is None


def test_dirty_offset_larger_than_active_segment_base_offset(logs: Logs) -> None:
    log = create_log(logs, tp=FOO)
    for _ in range(2):
        append_records(log, logs, 3)
    assert log.number_of_segments() == 1
    assert log.active_segment().base_offset() == 0
    assert ManagerMock(logs, {FOO: log}, {FOO: 3}).grab_filthiest_compacted_log(logs.time) is None


def manager_of(logs: Logs, log: UnifiedLog) -> LogCleanerManager:
    """Return a manager of two log dirs."""
    os.makedirs(other_dir(logs))
    return LogCleanerManager([logs.directory, other_dir(logs)], {TP: log, OTHER: log}, MetricsRegistry())


def other_dir(logs: Logs) -> str:
    return os.path.join(logs.directory, "other")


def deletable(logs: Logs, policy: str) -> list[TopicPartition]:
    manager = LogCleanerManager([logs.directory], {TP: create_log(logs, policy=policy)}, MetricsRegistry())
    return [tp for tp, _ in manager.deletable_logs()]


def test_logs_with_segments_to_delete_should_not_consider_cleanup_policy_delete_logs(logs: Logs) -> None:
    assert deletable(logs, "delete") == []


def test_logs_with_segments_to_delete_should_consider_cleanup_policy_compact_delete_logs(logs: Logs) -> None:
    assert deletable(logs, "compact,delete") == [TP]


def test_logs_with_segments_to_delete_should_consider_cleanup_policy_compact_logs(logs: Logs) -> None:
    assert deletable(logs, "compact") == [TP]


def test_logs_under_cleanup_ineligible_for_compaction(logs: Logs) -> None:
    log = create_log(logs, policy="delete")
    manager = LogCleanerManager([logs.directory], {TP: log}, MetricsRegistry())
    append(log, 1, 1)
    log.roll()
    append(log, 1, 1)

    deletable_logs = manager.pause_cleaning_for_non_compacted_partitions()
    assert deletable_logs == [(TP, log)]

    # The policy changes while segments are deleted.
    log.update_config(config_of(2048, "compact", 0))
    assert manager.grab_filthiest_compacted_log(logs.time) is None
    manager.resume_cleaning(tp for tp, _ in deletable_logs)
    cleanable = manager.grab_filthiest_compacted_log(logs.time)
    assert cleanable is not None

    # And back, while the log is cleaned.
    log.update_config(config_of(2048, "delete", 0))
    assert manager.pause_cleaning_for_non_compacted_partitions() == []
    manager.done_deleting([cleanable.topic_partition])
    assert manager.pause_cleaning_for_non_compacted_partitions() == [(TP, log)]


@pytest.fixture
def manager(logs: Logs) -> LogCleanerManager:
    """Of one compacted log, and with something in the checkpoint."""
    made = manager_of(logs, create_log(logs))
    assert made.all_cleaner_checkpoints().get(TP, 0) != OFFSET
    made.update_checkpoints(logs.directory, partition_to_update_or_add=(TP, OFFSET))
    assert made.all_cleaner_checkpoints()[TP] == OFFSET
    return made


def test_update_checkpoints_should_add_offset_to_partition(logs: Logs, manager: LogCleanerManager) -> None:
    manager.update_checkpoints(logs.directory, partition_to_update_or_add=(OTHER, 5))
    assert manager.all_cleaner_checkpoints() == {TP: OFFSET, OTHER: 5}
    content = Path(logs.directory, "cleaner-offset-checkpoint").read_text(encoding="ascii")
    assert content == "0\n2\nlog 0 999\nlog2 0 5\n"


def test_update_checkpoints_should_remove_partition_data(logs: Logs, manager: LogCleanerManager) -> None:
    manager.update_checkpoints(logs.directory, partition_to_remove=TP)
    assert TP not in manager.all_cleaner_checkpoints()


def test_handle_log_dir_failure_should_remove_dir_and_data(logs: Logs, manager: LogCleanerManager) -> None:
    manager.update_checkpoints(other_dir(logs), partition_to_update_or_add=(OTHER, OFFSET))
    assert manager.all_cleaner_checkpoints() == {TP: OFFSET, OTHER: OFFSET}
    manager.handle_log_dir_failure(logs.directory)
    assert manager.all_cleaner_checkpoints() == {OTHER: OFFSET}


def test_maybe_truncate_checkpoint_should_truncate_data(logs: Logs, manager: LogCleanerManager) -> None:
    manager.maybe_truncate_checkpoint(logs.directory, TP, 1000)
    assert manager.all_cleaner_checkpoints()[TP] == OFFSET
    manager.maybe_truncate_checkpoint(logs.directory, TP, 1)
    assert manager.all_cleaner_checkpoints()[TP] == 1


def test_alter_checkpoint_dir_should_remove_data_in_src_dir_and_add_in_new_dir(
        logs: Logs, manager: LogCleanerManager) -> None:
    manager.mark_partition_uncleanable(logs.directory, TP)
    manager.alter_checkpoint_dir(TP, logs.directory, other_dir(logs))
    assert manager.all_cleaner_checkpoints()[TP] == OFFSET
    assert manager.uncleanable_partitions(other_dir(logs)) == {TP}
    manager.handle_log_dir_failure(other_dir(logs))
    assert TP not in manager.all_cleaner_checkpoints()


def test_a_checkpoint_that_cannot_be_read(logs: Logs, manager: LogCleanerManager) -> None:
    """The log is cleaned from its beginning."""
    Path(logs.directory, "cleaner-offset-checkpoint").write_text("nonsense\nmore\n", encoding="ascii")
    assert manager.all_cleaner_checkpoints() == {}
    manager.update_checkpoints(logs.directory, partition_to_update_or_add=(TP, 5))
    assert manager.all_cleaner_checkpoints() == {}


def test_concurrent_log_cleanup_and_log_truncation(logs: Logs) -> None:
    manager = LogCleanerManager([logs.directory], {TP: create_log(logs, policy="delete")}, MetricsRegistry())
    paused = manager.pause_cleaning_for_non_compacted_partitions()
    manager.abort_and_pause_cleaning(TP)
    assert manager.cleaning_state(TP) == LogCleaningPaused(2)
    manager.resume_cleaning([TP])
    manager.resume_cleaning(tp for tp, _ in paused)
    assert manager.cleaning_state(TP) is None


def test_concurrent_log_cleanup_and_topic_deletion(logs: Logs) -> None:
    manager = LogCleanerManager([logs.directory], {TP: create_log(logs, policy="delete")}, MetricsRegistry())
    paused = manager.pause_cleaning_for_non_compacted_partitions()
    manager.abort_cleaning(TP)
    manager.resume_cleaning(tp for tp, _ in paused)
    assert manager.cleaning_state(TP) is None


def test_logs_with_segments_to_delete_should_not_consider_uncleanable_partitions(logs: Logs) -> None:
    manager = LogCleanerManager([logs.directory], {TP: create_log(logs)}, MetricsRegistry())
    manager.mark_partition_uncleanable(logs.directory, TP)
    assert manager.deletable_logs() == []


def eight_segments(logs: Logs, **settings: object) -> UnifiedLog:
    log = logs.make(**settings)  # type: ignore[arg-type]
    fill(log, 8, logs.time.milliseconds())
    return log


def fill(log: UnifiedLog, segments: int, timestamp: int) -> None:
    while log.number_of_segments() < segments:
        append(log, log.log_end_offset(), log.log_end_offset(), timestamp=timestamp)


def cleanable(logs: Logs, log: UnifiedLog, last_clean_offset: int | None = 0) -> tuple[int, int]:
    found = LogCleanerManager.cleanable_offsets(log, last_clean_offset, logs.time.milliseconds())
    return found.first_dirty_offset, found.first_uncleanable_dirty_offset


def test_cleanable_offsets_for_none(logs: Logs) -> None:
    """Kafka's bound is the high watermark, which is the end of the log here; so a transaction is open."""
    log = logs.make()
    fill(log, 3, logs.time.milliseconds())
    unstable = log.log_end_offset()
    Producer(logs, log, 1)(1)
    fill(log, 8, logs.time.milliseconds())
    assert log.last_stable_offset() == unstable
    assert cleanable(logs, log) == (0, unstable)


def test_cleanable_offsets_active_segment(logs: Logs) -> None:
    log = eight_segments(logs)
    assert cleanable(logs, log) == (0, log.active_segment().base_offset())


def test_cleanable_offsets_for_time(logs: Logs) -> None:
    log = logs.make(min_compaction_lag_ms=HOUR)
    fill(log, 4, logs.time.milliseconds())
    active_seg_at_t0 = log.active_segment()
    logs.time.sleep(HOUR + 1)
    fill(log, 8, logs.time.milliseconds())
    assert cleanable(logs, log) == (0, active_seg_at_t0.base_offset())


def test_cleanable_offsets_for_short_time(logs: Logs) -> None:
    log = eight_segments(logs, min_compaction_lag_ms=HOUR)
    logs.time.sleep(HOUR + 1)
    assert cleanable(logs, log) == (0, log.active_segment().base_offset())


def test_cleanable_offsets_needs_checkpoint_reset(logs: Logs) -> None:
    log = increasingly_filthy(logs, [FOO])[FOO]

    def needs_reset(last_clean_offset: int) -> bool:
        return LogCleanerManager.cleanable_offsets(
            log, last_clean_offset, logs.time.milliseconds()).force_update_checkpoint

    log.maybe_increment_log_start_offset(10)
    assert not needs_reset(15)
    log.maybe_increment_log_start_offset(20)
    assert needs_reset(15)
    assert needs_reset(25)


def test_undecided_transactional_data_not_cleanable(logs: Logs) -> None:
    log = logs.make(min_compaction_lag_ms=HOUR)
    producer = Producer(logs, log, 15)
    producer(1, 2)
    producer(3)
    log.roll()

    logs.time.sleep(HOUR + 1)
    assert cleanable(logs, log) == (0, 0)

    end_txn(logs, log, 15, ControlRecordType.ABORT)
    log.roll()
    # The first segment can be cleaned at once, and the marker's after the lag.
    assert cleanable(logs, log) == (0, 3)
    logs.time.sleep(HOUR + 1)
    assert cleanable(logs, log) == (0, 4)


def test_the_delay_counts_from_the_end_of_the_longest_lag(logs: Logs) -> None:
    log = logs.make(max_compaction_lag_ms=HOUR)
    written = logs.time.milliseconds()
    fill(log, 4, written)
    for waited, delay in ((0, 0), (HOUR - 1, 0), (HOUR, 0), (HOUR + 1, 1), (3 * HOUR, 2 * HOUR)):
        assert LogCleanerManager._max_compaction_delay(log, 0, written + waited) == delay
    # Nothing is dirty.
    assert LogCleanerManager._max_compaction_delay(log, log.log_end_offset(), written + 3 * HOUR) == 0


def test_done_cleaning(logs: Logs) -> None:
    manager = LogCleanerManager([logs.directory], {TP: eight_segments(logs)}, MetricsRegistry())
    with pytest.raises(IllegalStateException, match="should exist"):
        manager.done_cleaning(TP, logs.directory, 1)

    manager.set_cleaning_state(TP, LogCleaningPaused(1))
    with pytest.raises(IllegalStateException, match="cannot be in"):
        manager.done_cleaning(TP, logs.directory, 1)

    manager.set_cleaning_state(TP, LOG_CLEANING_IN_PROGRESS)
    manager.done_cleaning(TP, logs.directory, 1)
    assert manager.cleaning_state(TP) is None
    assert manager.all_cleaner_checkpoints() == {TP: 1}

    manager.set_cleaning_state(TP, LOG_CLEANING_ABORTED)
    manager.done_cleaning(TP, logs.directory, 2)
    assert manager.cleaning_state(TP) == LogCleaningPaused(1)
    assert manager.all_cleaner_checkpoints() == {TP: 1}


def test_done_deleting(logs: Logs) -> None:
    log = create_log(logs, policy="compact,delete")
    manager = LogCleanerManager([logs.directory], {TP: log}, MetricsRegistry())
    with pytest.raises(IllegalStateException, match="should exist"):
        manager.done_deleting([TP])

    manager.set_cleaning_state(TP, LogCleaningPaused(1))
    with pytest.raises(IllegalStateException, match="cannot be in"):
        manager.done_deleting([TP])

    manager.set_cleaning_state(TP, LOG_CLEANING_IN_PROGRESS)
    manager.done_deleting([TP])
    assert manager.cleaning_state(TP) is None

    manager.set_cleaning_state(TP, LOG_CLEANING_ABORTED)
    manager.done_deleting([TP])
    assert manager.cleaning_state(TP) == LogCleaningPaused(1)


def test_checkpoint_updated_for_invalid_offset_no_cleaning(logs: Logs) -> None:
    pool = increasingly_filthy(logs, [FOO])
    pool[FOO].maybe_increment_log_start_offset(20)
    manager = ManagerMock(logs, pool, {FOO: 15})
    assert manager.grab_filthiest_compacted_log(logs.time) is None
    assert manager.checkpoints == {FOO: 20}


def test_checkpoint_updated_for_invalid_offset_not_selected(logs: Logs) -> None:
    other = TopicPartition("foo", 1)
    pool = increasingly_filthy(logs, [FOO, other])
    pool[FOO].maybe_increment_log_start_offset(15)
    manager = ManagerMock(logs, pool, {FOO: 10, other: 5})
    filthiest = manager.grab_filthiest_compacted_log(logs.time)
    assert filthiest is not None and filthiest.topic_partition == other
    assert manager.checkpoints == {FOO: 15, other: 5}


def test_resume_of_what_is_not_paused(manager: LogCleanerManager) -> None:
    with pytest.raises(IllegalStateException, match="since it is not paused"):
        manager.resume_cleaning([TP])
    manager.set_cleaning_state(TP, LOG_CLEANING_IN_PROGRESS)
    with pytest.raises(IllegalStateException, match="cannot be resumed"):
        manager.resume_cleaning([TP])
    manager.set_cleaning_state(TP, LOG_CLEANING_ABORTED)
    with pytest.raises(IllegalStateException, match="cannot be aborted"):
        manager.abort_and_pause_cleaning(TP)


def test_one_resume_ends_one_pause(manager: LogCleanerManager) -> None:
    for pauses in (1, 2):
        for _ in range(pauses):
            manager.abort_and_pause_cleaning(TP)
        for _ in range(pauses):
            assert manager.cleaning_state(TP) is not None
            manager.resume_cleaning([TP])
        assert manager.cleaning_state(TP) is None


def test_the_time_since_the_last_run_counts_from_the_last_search_for_a_log(
        logs: Logs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Time, "SYSTEM", logs.time)
    registry = MetricsRegistry()
    manager = LogCleanerManager([logs.directory], {}, registry)
    gauge, = (metric for name, metric in registry.all_metrics().items()
              if name.get_name() == "time-since-last-run-ms")
    assert isinstance(gauge, Gauge)
    assert gauge.value() == 0
    logs.time.sleep(HOUR)
    assert gauge.value() == HOUR
    assert manager.grab_filthiest_compacted_log(logs.time) is None
    assert gauge.value() == 0
    logs.time.sleep(5)
    assert gauge.value() == 5
