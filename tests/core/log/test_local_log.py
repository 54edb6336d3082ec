# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.log.LocalLogTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The files of one partition's log: appends and reads, the next segment, the end of segments and of the log.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.errors import KafkaStorageException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record import Record
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.log.local_log import LocalLog
from kreactor.jdk.exceptions import ClosedChannelException
from kreactor.storage.internals.log.fetch_data_info import FetchDataInfo
from kreactor.storage.internals.log.log_file_utils import (
    DELETE_DIR_SUFFIX,
    DELETED_SUFFIX,
    INDEX_SUFFIX,
    LOG_SUFFIX,
    TIME_INDEX_SUFFIX,
    TXN_INDEX_SUFFIX,
    deleted_folder,
    file_name,
    offset_of_file_name,
)
from kreactor.storage.internals.log.log_offset_metadata import LogOffsetMetadata
from kreactor.storage.internals.log.log_segment import LogSegment
from kreactor.storage.internals.log.log_segments import LogSegments
from kreactor.testing.mock_time import MockTime
from tests.storage.internals.log.support import NOW, MockScheduler, TrackedFiles, log_config

KeyValue = tuple[str, str]


class Local:
    """A log without producers, in a folder of its own, with an empty active segment."""

    def __init__(self, directory: Path) -> None:
        self.parent = str(directory)
        self.dir = os.path.join(self.parent, "kafka-1")
        os.mkdir(self.dir)
        self.time = MockTime(current_time_ms=NOW)
        self.scheduler = MockScheduler(self.time)
        self.files = TrackedFiles()
        topic_partition = TopicPartition("test_topic", 1)
        config = log_config()
        segments = LogSegments(topic_partition)
        segments.add(LogSegment.create(self.dir, 0, config, self.files, self.time))
        self.log = LocalLog(self.dir, config, segments, 0, LogOffsetMetadata(0, 0, 0), self.scheduler,
                            self.time, topic_partition, self.files)

    def dispose(self) -> None:
        self.log.close_handlers()
        self.files.close_all()

    def append(self, *key_values: KeyValue, offset: int = 0, later_ms: int = 0) -> None:
        """Append a batch of these; a key that is empty is none."""
        timestamp = self.time.milliseconds() + later_ms
        batch = MemoryRecords.with_records(
            Compression.NONE,
            *(SimpleRecord(timestamp, key.encode() or None, value.encode()) for key, value in key_values),
            initial_offset=offset, partition_leader_epoch=0)
        self.log.append(batch.buffer().view(), offset, offset + len(key_values) - 1, timestamp)

    def append_one(self, offset: int = 0) -> None:
        self.append(("", "a"), offset=offset)

    def read(self, start_offset: int = 0, max_length: int | None = None,
             max_offset_metadata: LogOffsetMetadata | None = None) -> FetchDataInfo:
        log = self.log
        return log.read(
            start_offset, log.segments.active_segment().size() if max_length is None else max_length, False,
            log.log_end_offset_metadata() if max_offset_metadata is None else max_offset_metadata, False)

    def roll_nine_times(self) -> None:
        for offset in range(9):
            self.append_one(offset)
            self.log.roll()
        assert self.log.segments.number_of_segments() == 10


@pytest.fixture
def local(tmp_path: Path) -> Iterator[Local]:
    made = Local(tmp_path)
    yield made
    made.dispose()


def records_of(info: FetchDataInfo) -> list[Record]:
    return [record for batch in info.records.batches() for record in batch]


def key_values_of(info: FetchDataInfo) -> list[KeyValue]:
    found = []
    for record in records_of(info):
        key, value = record.key(), record.value()
        found.append(("" if key is None else key.to_bytes().decode(),
                      "" if value is None else value.to_bytes().decode()))
    return found


def is_deleted(segment: LogSegment) -> bool:
    return not any(os.path.exists(segment.path(suffix))
                   for suffix in (LOG_SUFFIX, INDEX_SUFFIX, TIME_INDEX_SUFFIX, TXN_INDEX_SUFFIX))


def test_update_config(local: Local) -> None:
    old_config = local.log.config
    new_config = log_config(segment_bytes=old_config.segment_size - 1)
    local.log.update_config(new_config)
    assert local.log.config is new_config


def test_log_dir_rename_to_new_dir(local: Local) -> None:
    log = local.log
    local.append_one()
    log.roll()
    assert log.segments.number_of_segments() == 2
    new_dir = os.path.join(local.parent, "kafka-2")
    assert log.rename_dir("kafka-2")
    assert not os.path.exists(local.dir)
    assert os.path.exists(new_dir)
    assert log.dir() == new_dir
    assert log.parent_dir() == os.path.dirname(new_dir)
    assert os.path.dirname(log.dir()) == os.path.dirname(new_dir)
    assert log.name() == "kafka-2"
    assert {os.path.dirname(segment.path()) for segment in log.segments.values()} == {new_dir}
    assert log.segments.number_of_segments() == 2


def test_log_dir_rename_to_existing_dir(local: Local) -> None:
    assert not local.log.rename_dir(local.log.name())


def test_log_flush(local: Local) -> None:
    log = local.log
    assert log.recovery_point == 0
    assert log.last_flush_time() == local.time.milliseconds()

    local.append_one()
    local.time.sleep(1)
    new_segment = log.roll()
    log.flush(new_segment.base_offset())
    log.mark_flushed(new_segment.base_offset())
    assert log.recovery_point == 1
    assert log.last_flush_time() == local.time.milliseconds()


def test_log_append(local: Local) -> None:
    assert records_of(local.read(max_length=1)) == []

    local.time.sleep(1)
    key_values = [("abc", "ABC"), ("de", "DE")]
    local.append(*key_values)
    assert local.log.log_end_offset() == 2
    assert local.log.recovery_point == 0
    assert local.log.unflushed_messages() == 2
    info = local.read()
    assert len(records_of(info)) == 2
    assert key_values_of(info) == key_values


def test_log_close_success(local: Local) -> None:
    local.append(("abc", "ABC"), ("de", "DE"))
    local.log.close()
    with pytest.raises(ClosedChannelException):
        local.append(("abc", "ABC"), ("de", "DE"), offset=2)


def test_log_close_idempotent(local: Local) -> None:
    local.log.close()
    local.log.close()
    assert all(segment.is_closed() for segment in local.log.segments.values())


def test_log_close_failure_when_in_memory_buffer_closed(local: Local) -> None:
    local.append(("abc", "ABC"), ("de", "DE"))
    local.log.close_handlers()
    with pytest.raises(KafkaStorageException):
        local.log.close()


def test_log_close_handlers(local: Local) -> None:
    local.append(("abc", "ABC"), ("de", "DE"))
    local.log.close_handlers()
    with pytest.raises(ClosedChannelException):
        local.append(("abc", "ABC"), ("de", "DE"), offset=2)


def test_log_close_handlers_idempotent(local: Local) -> None:
    local.log.close_handlers()
    local.log.close_handlers()
    assert all(segment.is_closed() for segment in local.log.segments.values())


def test_remove_and_delete_segments_async(local: Local, caplog: pytest.LogCaptureFixture) -> None:
    log = local.log
    local.roll_nine_times()
    to_delete = log.segments.values()
    caplog.set_level("INFO")
    log.remove_and_delete_segments(to_delete, "a test says so")
    local.scheduler.tick(log.config.file_delete_delay_ms + 1)
    assert log.segments.is_empty()
    assert f"deleting segments {to_delete}, because a test says so" in caplog.text
    assert all(is_deleted(segment) for segment in to_delete)


def test_delete_segment_files_async(local: Local) -> None:
    log = local.log
    local.roll_nine_times()
    to_delete = log.segments.values()
    log.delete_segment_files(to_delete)
    for segment in to_delete:
        assert not is_deleted(segment)
        assert segment.has_suffix(DELETED_SUFFIX)
    local.scheduler.tick(log.config.file_delete_delay_ms + 1)
    assert all(is_deleted(segment) for segment in to_delete)


def test_when_fetch_offset_higher_than_max_offset(local: Local) -> None:
    for offset in range(5):
        local.append_one(offset)
        if offset % 2 != 0:
            local.log.roll()
    assert local.log.segments.number_of_segments() == 3

    # Before the end that the reader knows.
    info = local.read(3, max_offset_metadata=LogOffsetMetadata(4, 4, 0))
    assert len(records_of(info)) == 1
    assert info.fetch_offset_metadata == LogOffsetMetadata(3, 2, 69)

    # At that end.
    info = local.read(4, max_offset_metadata=LogOffsetMetadata(4, 4, 0))
    assert records_of(info) == []
    assert info.fetch_offset_metadata == LogOffsetMetadata(4, 4, 0)

    # Beyond it.
    info = local.read(5, max_offset_metadata=LogOffsetMetadata(4, 4, 0))
    assert records_of(info) == []
    assert info.fetch_offset_metadata == LogOffsetMetadata(5, 4, 69)

    # Before it, and the reader does not know where it is.
    info = local.read(3, max_offset_metadata=LogOffsetMetadata(4, -1, -1))
    assert records_of(info) == []
    assert info.fetch_offset_metadata == LogOffsetMetadata(3, 2, 69)

    # Before it, and it is said to be in an earlier segment.
    info = local.read(3, max_offset_metadata=LogOffsetMetadata(4, 0, 40))
    assert records_of(info) == []
    assert info.fetch_offset_metadata == LogOffsetMetadata(3, 2, 69)


def test_a_read_begins_again_for_each_segment_that_is_deleted_meanwhile(
        local: Local, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stack does not grow with their number."""
    class Deleted:
        def base_offset(self) -> int:
            return 0

        def size(self) -> int:
            return 1

        def read(self, *_: object) -> FetchDataInfo:
            depths.append(len(inspect.stack(0)))
            raise ClosedChannelException

    depths: list[int] = []
    floor_segment = LogSegments.floor_segment

    def floor_segment_later(segments: LogSegments, offset: int) -> LogSegment | None:
        if len(depths) < 50:
            return Deleted()  # type: ignore[return-value]
        return floor_segment(segments, offset)

    local.append(("k", "v"))
    monkeypatch.setattr(LogSegments, "floor_segment", floor_segment_later)
    assert key_values_of(local.read(0)) == [("k", "v")]
    assert len(depths) == 50
    assert len(set(depths)) == 1


def test_non_active_segments_from(local: Local) -> None:
    for number in range(5):
        local.append((str(number), str(number)), offset=number)
        local.log.roll()

    def non_active_base_offsets_from(start_offset: int) -> Sequence[int]:
        return [segment.base_offset()
                for segment in local.log.segments.non_active_log_segments_from(start_offset)]

    assert local.log.segments.active_segment().base_offset() == 5
    assert non_active_base_offsets_from(0) == [0, 1, 2, 3, 4]
    assert non_active_base_offsets_from(5) == []
    assert non_active_base_offsets_from(2) == [2, 3, 4]
    assert non_active_base_offsets_from(6) == []


def test_log_delete_dir_name() -> None:
    name1 = deleted_folder(TopicPartition("foo", 3))
    assert len(name1) <= 255
    assert re.fullmatch(r"foo-3\.[0-9a-z]{32}-delete", name1)
    assert name1.endswith(DELETE_DIR_SUFFIX)
    name2 = deleted_folder(TopicPartition("n" + "o" * 248, 5))
    assert len(name2) == 255
    assert re.fullmatch(r"no{212}-5\.[0-9a-z]{32}-delete", name2)
    assert name2.endswith(DELETE_DIR_SUFFIX)


def test_offset_from_file() -> None:
    offset = 23423423
    for suffix in (LOG_SUFFIX, INDEX_SUFFIX, TIME_INDEX_SUFFIX):
        assert offset_of_file_name(file_name(offset, suffix)) == offset


def test_roll_segment_that_already_exists(local: Local) -> None:
    log = local.log
    assert log.segments.number_of_segments() == 1, "a log begins with one empty segment"

    log.roll(0)
    assert log.segments.number_of_segments() == 1

    local.append(("k1", "v1"))
    assert log.segments.active_segment().base_offset() == 0
    local.append(("k2", "v2"), offset=1, later_ms=10)
    assert log.log_end_offset() == 2
    info = local.read()
    assert len(records_of(info)) == 2
    assert key_values_of(info) == [("k1", "v1"), ("k2", "v2")]

    log.roll()
    assert log.segments.active_segment().base_offset() == 2
    assert log.segments.number_of_segments() == 2
    assert log.log_end_offset() == 2


def test_new_segments_after_roll(local: Local) -> None:
    log = local.log
    assert log.segments.number_of_segments() == 1, "a log begins with one empty segment"

    new_segment = log.roll()
    assert new_segment.base_offset() == 0
    assert log.segments.number_of_segments() == 1
    assert log.log_end_offset() == 0

    local.append(("k1", "v1"))
    new_segment = log.roll()
    assert new_segment.base_offset() == 1
    assert log.segments.number_of_segments() == 2
    assert log.log_end_offset() == 1

    local.append(("k2", "v2"), offset=1)
    new_segment = log.roll(1)
    assert new_segment.base_offset() == 2
    assert log.segments.number_of_segments() == 3
    assert log.log_end_offset() == 2


def test_roll_segment_error_when_next_offset_is_illegal(local: Local) -> None:
    log = local.log
    assert log.segments.number_of_segments() == 1, "a log begins with one empty segment"

    local.append(("k1", "v1"), ("k2", "v2"), ("k3", "v3"))
    assert log.segments.active_segment().base_offset() == 0
    assert log.log_end_offset() == 3

    log.roll()
    assert log.segments.active_segment().base_offset() == 3

    # The end is wrong, so that the next segment would begin before the active one.
    log.update_log_end_offset(1)
    with pytest.raises(KafkaException, match="lower than start offset of the active segment"):
        log.roll()


def test_the_folder_is_flushed_with_the_first_flush_of_a_segment(
        local: Local, monkeypatch: pytest.MonkeyPatch) -> None:
    """A segment's file has a durable name once its records are durable, and the folder is flushed once."""
    flushed: list[str] = []
    monkeypatch.setattr("kreactor.core.log.local_log.flush_directory", flushed.append)
    log = local.log

    def flush() -> list[str]:
        flushed.clear()
        log.flush(log.log_end_offset())
        log.mark_flushed(log.log_end_offset())
        return list(flushed)

    local.append_one()
    assert flush() == [log.dir()]
    local.append_one(1)
    assert flush() == []
    local.append_one(2)
    log.roll()
    # No record of the new segment is durable yet.
    assert flush() == []
    local.append_one(3)
    assert flush() == [log.dir()]


def test_a_flush_takes_the_segments_with_records_between_the_recovery_point_and_its_offset(
        local: Local, monkeypatch: pytest.MonkeyPatch) -> None:
    log = local.log
    for offset in range(0, 8, 2):
        local.append_one(offset)
        local.append_one(offset + 1)
        log.roll()
    local.append_one(8)
    flushed: list[int] = []
    monkeypatch.setattr(LogSegment, "flush", lambda segment: flushed.append(segment.base_offset()))

    def flush(offset: int) -> list[int]:
        flushed.clear()
        log.flush(offset)
        log.mark_flushed(offset)
        return list(flushed)

    # The second segment has the record of offset 2, and the record of offset 3 is not asked for.
    assert flush(3) == [0, 2]
    assert flush(4) == [2]
    assert flush(4) == []
    assert flush(7) == [4, 6]
    assert flush(8) == [6]
    assert flush(9) == [8]
    assert flush(7) == [] and log.recovery_point == 9


@pytest.mark.parametrize(("recovery_point", "durable"), [(1, False), (2, True)])
def test_the_indexes_are_durable_before_a_roll_behind_which_no_start_recovers_them(
        local: Local, monkeypatch: pytest.MonkeyPatch, recovery_point: int, durable: bool) -> None:
    """A start recovers the segments from the recovery point on: this one too, unless all of it is durable."""
    log = local.log
    local.append_one()
    local.append_one(1)
    log.flush(recovery_point)
    log.mark_flushed(recovery_point)
    synced: set[int] = set()
    fsync = os.fsync

    def noting_fsync(fd: int) -> None:
        synced.add(os.fstat(fd).st_ino)
        fsync(fd)

    segment = log.segments.active_segment()
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", noting_fsync)
        log.roll()
    indexes = {os.stat(segment.path(suffix)).st_ino for suffix in (INDEX_SUFFIX, TIME_INDEX_SUFFIX)}
    assert indexes & synced == (indexes if durable else set())


def test_flushing_non_existent_dir(local: Local) -> None:
    log = local.log
    local.append_one()
    local.time.sleep(1)
    new_segment = log.roll()

    # As if the folder were renamed meanwhile.
    log._dir = "__NON_EXISTENT__"
    log.flush(new_segment.base_offset())
    assert not log.is_offline()
    log._dir = local.dir


def test_roll_where_a_segment_is(local: Local) -> None:
    local.append_one()
    local.log.roll()
    local.append_one(1)
    local.log.update_log_end_offset(1)
    with pytest.raises(KafkaException, match="while it already exists"):
        local.log.roll()
