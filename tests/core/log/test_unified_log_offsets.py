# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of the offsets and leader epochs in kafka.log.UnifiedLogTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Offsets of a log by time, by leader epoch and by reader, and what an append or a truncation makes of them.

The high watermark is the end of the log. Where Kafka's case sets it, the log here is held there.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from kreactor.common.errors import (
    InconsistentTopicIdException,
    KafkaStorageException,
    RecordTooLargeException,
)
from kreactor.common.record.file_records import FileRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.requests.list_offsets_request import ListOffsetsRequest
from kreactor.common.requests.list_offsets_response import ListOffsetsResponse
from kreactor.common.uuid import Uuid
from kreactor.core.log.log_manager import PARTITION_METADATA_FILE
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.storage.internals.log.log_segment import LogSegment
from tests.core.log.managed_log import ManagedLog
from tests.core.log.support import append_as_follower, batch_of, read_log, singleton_records
from tests.core.log.test_unified_log_transactions import ABORT, Producer
from tests.storage.internals.log.support import NOW, LogHarness, records

PART_OF = "UnifiedLogTest"

WithConfig = Callable[..., LogHarness]
ManagedLogs = Callable[..., ManagedLog]

TimestampAndOffset = FileRecords.TimestampAndOffset
UNKNOWN_TIMESTAMP = ListOffsetsResponse.UNKNOWN_TIMESTAMP


@pytest.fixture
def with_config(with_config: WithConfig) -> WithConfig:
    """As elsewhere, but transactions are not verified."""
    def make(**settings: object) -> LogHarness:
        harness = with_config(**settings)
        harness.producer_state_config.transaction_verification_enabled = False
        return harness

    return make


# -- appends ---------------------------------------------------------------------------------------


def test_message_size_check(with_config: WithConfig) -> None:
    first = records(b"You", b"bethe", timestamp=-1)
    second = records(b"change (I need more bytes)... blah blah blah.", b"More padding boo hoo")
    log = with_config(max_message_bytes=second.size_in_bytes() - 1).log
    log.append_as_leader(first, 0)
    with pytest.raises(RecordTooLargeException):
        log.append_as_leader(second, 0)
    assert log.log_end_offset() == 2


def test_append_message_with_null_payload(with_config: WithConfig) -> None:
    log = with_config().log
    log.append_as_leader(singleton_records(None, timestamp=-1), 0)
    head = next(iter(read_log(log, 0, 4096).records.records()))
    assert head.offset() == 0
    assert not head.has_value()


def test_append_with_no_timestamp(with_config: WithConfig) -> None:
    log = with_config().log
    info = log.append_as_leader(
        singleton_records(b"value", b"key", timestamp=RecordBatch.NO_TIMESTAMP), 0)
    assert (info.first_offset, info.max_timestamp) == (0, RecordBatch.NO_TIMESTAMP)


def fail(*_: object) -> None:
    raise OSError(errno.EIO, "Input/output error")


def test_append_to_or_read_from_log_in_failed_log_dir(with_config: WithConfig,
                                                      monkeypatch: pytest.MonkeyPatch) -> None:
    harness = with_config()
    log = harness.log
    log.append_as_leader(singleton_records(None), 0)
    assert next(iter(read_log(log, 0, 4096).records.records())).offset() == 0
    producer = Producer(harness, 1)
    producer.append_count(10)
    # The batch of the marker is written, and its entry in the transaction index cannot be made.
    monkeypatch.setattr(LogSegment, "update_txn_index", fail)
    with pytest.raises(KafkaStorageException):
        producer.end(ABORT, 1)
    with pytest.raises(KafkaStorageException):
        log.append_as_leader(singleton_records(None), 0)
    with pytest.raises(KafkaStorageException):
        read_log(log, 0, 4096)


def test_build_time_index_when_not_assigning_offsets(with_config: WithConfig) -> None:
    log = with_config(segment_bytes=10_000, index_interval_bytes=1).log
    for number in range(100):
        append_as_follower(log, batch_of(
            SimpleRecord(NOW + number, None, b"%d" % number), base_offset=100 + number))
    assert sum(segment.time_index().entries() for segment in log.segments()) == 99
    assert log.active_segment().time_index().last_entry()[0] == NOW + 99


def test_should_apply_epoch_to_message_on_append_if_leader(with_config: WithConfig) -> None:
    log = with_config().log
    log.begin_epoch(72)
    for number in range(50):
        log.append_as_leader(records(b"%d" % number), 72)
    for offset in range(50):
        batch = next(iter(read_log(log, offset, 1).records.batches()))
        assert batch.partition_leader_epoch() == 72


def test_recovery_point_not_incremented_on_producer_state_snapshot_flush_failure(
        with_config: WithConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    harness = with_config()
    harness.append(b"a")
    harness.log.roll()
    monkeypatch.setattr("kreactor.core.log.unified_log._flush_file", fail)
    with pytest.raises(KafkaStorageException, match="producer state snapshot"):
        harness.scheduler.tick()
    assert harness.log.recovery_point() == 0
    assert harness.log.is_offline()


# -- offsets by time -------------------------------------------------------------------------------


def test_fetch_offset_by_timestamp_includes_leader_epoch(with_config: WithConfig) -> None:
    log = with_config(segment_bytes=200, index_interval_bytes=1).log
    assert log.fetch_offset_by_timestamp(0) is None

    log.append_as_leader(singleton_records(os.urandom(10), timestamp=NOW), 0)
    log.append_as_leader(singleton_records(os.urandom(10), timestamp=NOW + 1), 1)

    assert log.fetch_offset_by_timestamp(NOW) == TimestampAndOffset(NOW, 0, 0)
    assert log.fetch_offset_by_timestamp(NOW + 1) == TimestampAndOffset(NOW + 1, 1, 1)
    for timestamp in (ListOffsetsRequest.EARLIEST_TIMESTAMP, ListOffsetsRequest.EARLIEST_LOCAL_TIMESTAMP):
        assert log.fetch_offset_by_timestamp(timestamp) == TimestampAndOffset(UNKNOWN_TIMESTAMP, 0, 0)
    latest = log.fetch_offset_by_timestamp(ListOffsetsRequest.LATEST_TIMESTAMP)
    assert latest == TimestampAndOffset(UNKNOWN_TIMESTAMP, 2, 1)

    # After a change of leaders the end bears the new epoch, before anything is appended.
    log.begin_epoch(2)
    latest = log.fetch_offset_by_timestamp(ListOffsetsRequest.LATEST_TIMESTAMP)
    assert latest == TimestampAndOffset(UNKNOWN_TIMESTAMP, 2, 2)


def test_fetch_offset_by_timestamp_with_max_timestamp_includes_timestamp(with_config: WithConfig) -> None:
    log = with_config(segment_bytes=200, index_interval_bytes=1).log
    assert log.fetch_offset_by_timestamp(0) is None
    for timestamp in (NOW, NOW + 1, NOW):
        log.append_as_leader(singleton_records(os.urandom(10), timestamp=timestamp), 0)
    found = log.fetch_offset_by_timestamp(ListOffsetsRequest.MAX_TIMESTAMP)
    assert found == TimestampAndOffset(NOW + 1, 1, 0)


# -- truncation ------------------------------------------------------------------------------------


def test_truncate_to(managed_log: ManagedLogs) -> None:
    """The case of truncateFullyAndStartAt is left out, because no replica starts again at another offset."""
    size_of_set = singleton_records(b"test", timestamp=NOW).size_in_bytes()
    managed = managed_log(segment_bytes=10 * size_of_set)

    def append_segment() -> None:
        for _ in range(10):
            managed.log().append_as_leader(singleton_records(b"test", timestamp=NOW), 0)

    assert managed.log().number_of_segments() == 1
    append_segment()
    assert managed.log().number_of_segments() == 1
    last_offset, size = managed.log().log_end_offset(), managed.log().size()
    assert last_offset == 10

    for offset in (last_offset, last_offset + 1):
        log = managed.truncate_to(offset)
        assert (log.log_end_offset(), log.size()) == (last_offset, size)
    log = managed.truncate_to(5)
    assert log.log_end_offset() == 5
    assert log.size() < size
    log = managed.truncate_to(0)
    assert (log.log_end_offset(), log.size()) == (0, 0)

    append_segment()
    assert (managed.log().log_end_offset(), managed.log().size()) == (last_offset, size)
    append_segment()
    assert managed.log().number_of_segments() == 2
    managed.log().maybe_increment_log_start_offset(10)
    assert managed.log().delete_old_segments() == 1
    # An offset before the start leaves nothing, and the log begins where it began.
    log = managed.truncate_to(0)
    assert (log.log_end_offset(), log.size()) == (10, 0)


def test_should_truncate_leader_epoch_checkpoint_file_when_truncating_log(managed_log: ManagedLogs) -> None:
    size = singleton_records(b"value").size_in_bytes()
    managed = managed_log(segment_bytes=10 * size)
    for epoch, count in ((0, 10), (1, 6), (2, 4)):
        for _ in range(count):
            managed.log().append_as_leader(singleton_records(b"value"), epoch)
    assert managed.log().number_of_segments() == 2
    assert managed.log().log_end_offset() == 20

    for offset, entries in ((20, ((0, 0), (1, 10), (2, 16))), (11, ((0, 0), (1, 10))), (10, ((0, 0),)),
                            # The leader of an empty log is that of its latest epoch, from its end on.
                            (0, ((0, 0),))):
        log = managed.truncate_to(offset)
        assert log.log_end_offset() == offset
        assert log._leader_epochs.entries() == entries


# -- readers and listeners -------------------------------------------------------------------------


def test_offset_snapshot(with_config: WithConfig) -> None:
    log = with_config(segment_bytes=1024 * 1024 * 5).log
    append_as_follower(log, records(b"a", b"b", b"c", timestamp=-1), 5)
    log.hold_high_watermark(2)
    for _ in range(2):
        high_watermark = log.fetch_offset_snapshot().high_watermark
        assert high_watermark.message_offset == 2
        assert not high_watermark.message_offset_only()


def test_update_log_offsets_listener(with_config: WithConfig) -> None:
    """A listener hears nothing of what was before it was there."""
    harness = with_config(segment_bytes=1024 * 1024)
    log = harness.log
    harness.append(b"a", b"b", b"c")
    log.maybe_increment_log_start_offset(1)
    heard: list[int] = []

    def listener(log: UnifiedLog) -> None:
        heard.append(log.high_watermark())

    log.add_listener(listener)
    assert heard == []

    harness.append(b"a", b"b", b"c")
    assert heard == [6]


# -- the topic's id --------------------------------------------------------------------------------


def test_log_recovers_topic_id(managed_log: ManagedLogs) -> None:
    managed = managed_log()
    content = Path(managed.log().directory(), PARTITION_METADATA_FILE).read_text(encoding="ascii")
    assert content == f"version: 0\ntopic_id: {managed.topic_id}"
    assert managed.restart(managed.topic_id).topic_id() == managed.topic_id


def test_log_fails_when_inconsistent_topic_id_set(managed_log: ManagedLogs) -> None:
    managed = managed_log()
    with pytest.raises(InconsistentTopicIdException):
        managed.restart(Uuid.random_uuid())
