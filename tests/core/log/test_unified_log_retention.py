# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of the deletion of segments in kafka.log.UnifiedLogTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Segments that go, by size, by time, before the log's start, with the whole log: and those that stay.

The high watermark is the end of the log. Where Kafka's case sets it, the log here is held there.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from kreactor.common.errors import OffsetOutOfRangeException, UnknownTopicOrPartitionException
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.log import log_loader
from kreactor.core.log.log_manager import PARTITION_METADATA_FILE
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.storage.internals.epoch import leader_epoch_file_cache
from kreactor.storage.internals.log.log_file_utils import (
    DELETE_DIR_SUFFIX,
    DELETED_SUFFIX,
    INDEX_SUFFIX,
    deleted_folder,
)
from kreactor.storage.internals.log.log_segment import LogSegment
from tests.core.log.managed_log import ManagedLog
from tests.core.log.support import MAX_LONG, singleton_records
from tests.storage.internals.log.support import NOW, LogHarness, records, values

PART_OF = "UnifiedLogTest"

WithConfig = Callable[..., LogHarness]
ManagedLogs = Callable[..., ManagedLog]

SIZE = singleton_records(b"test").size_in_bytes()
SIZE_WITH_KEY = singleton_records(b"test", b"test").size_in_bytes()


def append(log: UnifiedLog, count: int, make: Callable[[], MemoryRecords], leader_epoch: int = 0) -> None:
    for _ in range(count):
        log.append_as_leader(make(), leader_epoch)


def plain_records() -> MemoryRecords:
    return singleton_records(b"test", timestamp=-1)


def expired_records() -> MemoryRecords:
    return singleton_records(b"test", timestamp=NOW - 1000)


def old_records_with_key() -> MemoryRecords:
    return singleton_records(b"test", b"test", timestamp=10)


def last_offset(segment: LogSegment) -> int | None:
    found = [record.offset() for record in segment.slice(0, segment.size()).records()]
    return found[-1] if found else None


# -- the files of deleted segments -----------------------------------------------------------------


def test_async_delete(with_config: WithConfig) -> None:
    harness = with_config(segment_bytes=SIZE * 5, segment_index_bytes=1000, index_interval_bytes=10_000,
                          retention_ms=999, file_delete_delay_ms=1000)
    log = harness.log
    append(log, 100, expired_records)
    segments = list(log.segments())
    old_files = [path for segment in segments for path in (segment.path(), segment.path(INDEX_SUFFIX))]

    log.delete_old_segments()

    assert log.number_of_segments() == 1
    deleted_files = [path for segment in segments for path in (segment.path(), segment.path(INDEX_SUFFIX))]
    assert all(path.endswith(DELETED_SUFFIX) for path in deleted_files)
    assert all(map(os.path.exists, deleted_files))
    assert not any(map(os.path.exists, old_files))

    harness.scheduler.tick(1001)
    assert not any(map(os.path.exists, deleted_files))


# -- retention -------------------------------------------------------------------------------------


def test_delete_old_segments(managed_log: ManagedLogs) -> None:
    """A new leader epoch is never lower than the latest one, although Kafka's case appends with epoch 0."""
    managed = managed_log(segment_bytes=SIZE * 5, segment_index_bytes=1000, retention_ms=999)
    log = managed.log()
    log.hold_high_watermark(0)
    append(log, 100, expired_records)
    log._leader_epochs.assign(0, 40)
    log._leader_epochs.assign(1, 90)

    number_of_segments = log.number_of_segments()
    assert log.delete_old_segments() == 0
    assert log.number_of_segments() == number_of_segments
    assert log.log_start_offset() == 0

    for high_watermark in range(25, 31):
        log.hold_high_watermark(high_watermark)
        log.delete_old_segments()
        assert log.log_start_offset() <= high_watermark
        for segment in log.segments():
            last = last_offset(segment)
            assert last is None or last >= high_watermark

    log.hold_high_watermark(None)
    log.delete_old_segments()
    assert log.number_of_segments() == 1
    assert log._leader_epochs.entries() == ((1, 100),)

    append(log, 100, expired_records, 1)
    managed.manager.delete_logs([managed.topic_partition])
    assert log.delete_old_segments() == 0
    managed.scheduler.tick(managed.config.file_delete_delay_ms)
    assert not os.path.exists(log.directory())


def test_log_deletion_after_close(managed_log: ManagedLogs) -> None:
    managed = managed_log(segment_bytes=SIZE * 5, segment_index_bytes=1000, retention_ms=999)
    log = managed.log()
    append(log, 1, expired_records)
    assert log.number_of_segments() == 1
    assert len(log._leader_epochs.entries()) == 1

    assert log.close()
    managed.manager.delete_logs([managed.topic_partition])
    managed.scheduler.tick(managed.config.file_delete_delay_ms)
    assert managed.manager.get_log(managed.topic_partition) is None
    assert not os.path.exists(log.directory())


def test_log_deletion_after_delete_records(with_config: WithConfig) -> None:
    log = with_config(segment_bytes=SIZE * 5).log
    append(log, 15, plain_records)
    assert log.number_of_segments() == 3
    assert log.log_start_offset() == 0

    for start_offset, number_of_segments in ((1, 3), (6, 2), (15, 1)):
        log.maybe_increment_log_start_offset(start_offset)
        log.delete_old_segments()
        assert log.number_of_segments() == number_of_segments
        assert log.log_start_offset() == start_offset


def test_should_delete_size_based_segments(with_config: WithConfig) -> None:
    log = with_config(segment_bytes=SIZE * 5, retention_bytes=SIZE * 10).log
    append(log, 15, plain_records)
    log.delete_old_segments()
    assert log.number_of_segments() == 2


def test_should_not_delete_size_based_segments_when_under_retention_size(with_config: WithConfig) -> None:
    log = with_config(segment_bytes=SIZE * 5, retention_bytes=SIZE * 15).log
    append(log, 15, plain_records)
    log.delete_old_segments()
    assert log.number_of_segments() == 3


def test_should_delete_time_based_segments_ready_to_be_deleted(with_config: WithConfig) -> None:
    log = with_config(segment_bytes=SIZE * 5, retention_ms=10_000).log
    append(log, 15, lambda: singleton_records(b"test", timestamp=10))
    log.delete_old_segments()
    assert log.number_of_segments() == 1


def test_should_not_delete_time_based_segments_when_none_ready_to_be_deleted(with_config: WithConfig) -> None:
    log = with_config(segment_bytes=SIZE * 5, retention_ms=10_000_000).log
    append(log, 15, lambda: singleton_records(b"test", timestamp=NOW))
    log.delete_old_segments()
    assert log.number_of_segments() == 3


def test_should_not_delete_segments_when_policy_does_not_include_delete(with_config: WithConfig) -> None:
    log = with_config(segment_bytes=SIZE_WITH_KEY * 5, retention_ms=10_000, compact=True).log
    append(log, 15, old_records_with_key)
    log.segments()[0].set_last_modified_ms(NOW - 20_000)

    log.delete_old_segments()
    assert log.number_of_segments() == 3


def test_should_delete_segments_ready_to_be_deleted_when_cleanup_policy_is_compact_and_delete(
        with_config: WithConfig) -> None:
    log = with_config(segment_bytes=SIZE_WITH_KEY * 5, retention_ms=10_000, compact=True, delete=True).log
    append(log, 15, old_records_with_key)
    log.delete_old_segments()
    assert log.number_of_segments() == 1


def test_should_delete_start_offset_breached_segments_when_policy_does_not_include_delete(
        with_config: WithConfig) -> None:
    log = with_config(segment_bytes=SIZE_WITH_KEY * 5, retention_ms=10_000, compact=True).log
    append(log, 15, old_records_with_key)
    assert log.number_of_segments() == 3

    log.maybe_increment_log_start_offset(5)
    log.delete_old_segments()
    assert log.number_of_segments() == 2
    first, *others = log.segments()
    assert first.base_offset() <= log.log_start_offset()
    assert all(segment.base_offset() > log.log_start_offset() for segment in others)


# -- no further than the high watermark --------------------------------------------------------------


def append_numbered(log: UnifiedLog, timestamp: int = -1) -> None:
    for number in range(100):
        log.append_as_leader(singleton_records(b"test%d" % number, timestamp=timestamp), 0)


def test_segment_deletion_with_high_watermark_initialization(with_config: WithConfig) -> None:
    log = with_config(segment_bytes=512, segment_index_bytes=1000, retention_ms=999).log
    append_numbered(log, NOW - 1000)
    log.hold_high_watermark(25)
    assert log.high_watermark() == 25

    number_of_segments = log.number_of_segments()
    log.delete_old_segments()
    assert log.number_of_segments() < number_of_segments
    assert log.log_start_offset() <= 25


def test_cannot_delete_segments_at_or_above_high_watermark(with_config: WithConfig) -> None:
    log = with_config(segment_bytes=512, segment_index_bytes=1000, retention_ms=999).log
    log.hold_high_watermark(0)
    append_numbered(log, NOW - 1000)
    assert log.number_of_segments() > 5
    assert (log.high_watermark(), log.log_start_offset(), log.log_end_offset()) == (0, 0, 100)

    for high_watermark in range(101):
        log.hold_high_watermark(high_watermark)
        assert log.high_watermark() == high_watermark
        log.delete_old_segments()
        assert log.log_start_offset() <= high_watermark
        first, *others = log.segments()
        assert log.log_start_offset() <= first.base_offset() <= high_watermark
        for segment in others:
            assert segment.base_offset() > high_watermark
            assert segment.base_offset() >= log.log_start_offset()

    assert log.log_start_offset() == 100
    assert log.number_of_segments() == 1
    assert log.active_segment().size() == 0


def test_cannot_increment_log_start_offset_past_high_watermark(with_config: WithConfig) -> None:
    log = with_config(segment_bytes=512, segment_index_bytes=1000, retention_ms=999).log
    append_numbered(log)
    log.hold_high_watermark(25)
    with pytest.raises(OffsetOutOfRangeException):
        log.maybe_increment_log_start_offset(26)
    assert log.log_start_offset() == 0


def test_no_op_when_remote_log_storage_is_disabled(with_config: WithConfig) -> None:
    log = with_config().log
    append_numbered(log)
    log.hold_high_watermark(90)
    log.maybe_increment_log_start_offset(20)
    assert log.log_start_offset() == 20


def roll_nine_segments(log: UnifiedLog) -> None:
    for _ in range(9):
        log.append_as_leader(records(b"a"), 0)
        log.roll()
    assert log.number_of_segments() == 10


def test_deletable_segments_filter(with_config: WithConfig) -> None:
    log = with_config(segment_bytes=1024 * 1024).log
    roll_nine_segments(log)

    deletable = log.deletable_segments(lambda segment, _: segment.base_offset() <= 5)
    expected = [segment for segment in log.non_active_log_segments_from(0) if segment.base_offset() <= 5]
    assert len(expected) == 6
    assert deletable == expected

    expected = log.non_active_log_segments_from(0)
    assert len(expected) == 9
    assert log.deletable_segments(lambda *_: True) == expected

    log.append_as_leader(records(b"a"), 0)
    expected = log.segments()
    assert len(expected) == 10
    assert log.deletable_segments(lambda *_: True) == expected


def test_deletable_segments_iteration(with_config: WithConfig) -> None:
    log = with_config(segment_bytes=1024 * 1024).log
    roll_nine_segments(log)
    seen: list[LogSegment] = []

    def predicate(segment: LogSegment, next_segment: LogSegment | None) -> bool:
        offset = len(seen)
        assert segment.base_offset() == offset
        assert log.log_segments(offset, offset + 1) == [segment]
        if offset == log.log_end_offset():
            assert next_segment is None
        else:
            assert next_segment is not None and next_segment.base_offset() == offset + 1
            assert log.log_segments(offset + 1, offset + 2) == [next_segment]
        seen.append(segment)
        return True

    deletable = log.deletable_segments(predicate)
    assert seen == log.segments()
    assert log.number_of_segments() == 10
    assert deletable == log.non_active_log_segments_from(0)


def test_get_first_batch_timestamp_for_segments(with_config: WithConfig) -> None:
    harness = with_config(index_interval_bytes=10)
    segments = [LogSegment.create(harness.directory, base_offset, harness.config, harness.files, harness.time)
                for base_offset in (1, 2)]
    assert harness.log.get_first_batch_timestamp_for_segments(segments) == [MAX_LONG, MAX_LONG]

    for offset, segment, value in ((1, segments[0], b"one"), (2, segments[1], b"two")):
        segment.append(singleton_records(value).buffer().view(), offset, offset, 1000 * offset)
    assert harness.log.get_first_batch_timestamp_for_segments(segments) == [1000, 2000]
    for segment in segments:
        segment.close()


# -- the leader epochs of what is left ---------------------------------------------------------------


def test_should_truncate_leader_epochs_when_deleting_segments(with_config: WithConfig) -> None:
    log = with_config(segment_bytes=SIZE * 5, retention_bytes=SIZE * 10).log
    append(log, 15, plain_records)
    for epoch, start_offset in ((0, 0), (1, 5), (2, 10)):
        log._leader_epochs.assign(epoch, start_offset)

    log.delete_old_segments()
    assert log._leader_epochs.entries() == ((1, 5), (2, 10))


def test_should_update_offset_for_leader_epochs_when_deleting_segments(with_config: WithConfig) -> None:
    log = with_config(segment_bytes=SIZE * 5, retention_bytes=SIZE * 10).log
    append(log, 15, plain_records)
    for epoch, start_offset in ((0, 0), (1, 7), (2, 10)):
        log._leader_epochs.assign(epoch, start_offset)

    log.delete_old_segments()
    assert log._leader_epochs.entries() == ((0, 5), (1, 7), (2, 10))


# -- the folder of a log that is deleted ---------------------------------------------------------------


def test_topic_id_transfers_after_directory_rename(managed_log: ManagedLogs) -> None:
    """The log keeps its id, as its folder does; a renamed log takes no append."""
    managed = managed_log(segment_bytes=1000, index_interval_bytes=1, max_message_bytes=64 * 1024)
    log, directory = managed.log(), managed.log().directory()
    log.append_as_leader(records(b"foo"), 5)
    assert log.latest_epoch() == 5

    managed.manager.delete_logs([managed.topic_partition])

    assert log.directory() != directory and log.directory().endswith(DELETE_DIR_SUFFIX)
    with pytest.raises(UnknownTopicOrPartitionException):
        log.append_as_leader(records(b"foo"), 10)
    for name in (PARTITION_METADATA_FILE, leader_epoch_file_cache.FILE_NAME):
        assert os.path.exists(os.path.join(log.directory(), name))
        assert not os.path.exists(os.path.join(directory, name))
    assert log.topic_id() == managed.topic_id


def test_topic_id_flushes_before_directory_rename(managed_log: ManagedLogs) -> None:
    managed = managed_log(segment_bytes=1000, index_interval_bytes=1, max_message_bytes=64 * 1024)
    log, directory = managed.log(), managed.log().directory()

    managed.manager.delete_logs([managed.topic_partition])

    assert not os.path.exists(os.path.join(directory, PARTITION_METADATA_FILE))
    content = Path(log.directory(), PARTITION_METADATA_FILE).read_text(encoding="ascii")
    assert content == f"version: 0\ntopic_id: {managed.topic_id}"


def test_load_partition_dir_with_no_segments_should_not_throw(with_config: WithConfig) -> None:
    harness = with_config()
    topic_partition = TopicPartition("foo", 3)
    directory = os.path.join(os.path.dirname(harness.directory), deleted_folder(topic_partition))
    os.mkdir(directory)
    log = log_loader.load(topic_partition, None, directory, harness.config, harness.files, harness.scheduler,
                          harness.time, clean=True)
    assert log.number_of_segments() == 1
    assert values(log) == []
    log.abandon()
