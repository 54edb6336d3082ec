# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.log.LogSegmentTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The tests of Kafka's LogSegmentTest.

A segment takes one batch at a time. So ``append`` gives it each of several messages of magic 1 alone.

A log that is cut off is opened anew from its files, of which no segment is written to meanwhile. So the tests
of truncation have a log, and look at its one segment afterwards.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.end_transaction_marker import EndTransactionMarker
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record import Record
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.core.log import log_loader
from kreactor.jdk.exceptions import ClosedChannelException, IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.storage.internals.epoch.leader_epoch_file_cache import FILE_NAME, LeaderEpochFileCache
from kreactor.storage.internals.log.aborted_txn import AbortedTxn
from kreactor.storage.internals.log.log_config import MAX_LONG, LogConfig
from kreactor.storage.internals.log.log_file_utils import INDEX_SUFFIX, LOG_SUFFIX, TIME_INDEX_SUFFIX
from kreactor.storage.internals.log.log_offset_metadata import LogOffsetMetadata
from kreactor.storage.internals.log.log_segment import LogSegment
from kreactor.storage.internals.log.log_segment_offset_overflow_exception import (
    LogSegmentOffsetOverflowException,
)
from kreactor.storage.internals.log.producer_state_manager import ProducerStateManager
from kreactor.storage.internals.log.producer_state_manager_config import ProducerStateManagerConfig
from kreactor.testing.mock_time import MockTime
from tests.core.log.support import append_at
from tests.storage.internals.log.support import NOW, TP, LogHarness, TrackedFiles, log_config

MAX_INT = 2**31 - 1
NO_TIMESTAMP = RecordBatch.NO_TIMESTAMP
V1, V2 = RecordBatch.MAGIC_VALUE_V1, RecordBatch.MAGIC_VALUE_V2


class Segments:
    """A folder, and the segments that a test makes in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = TrackedFiles()
        self.time = MockTime(current_time_ms=NOW)
        self.made: list[LogSegment] = []

    def create(self, offset: int, index_interval_bytes: int = 10) -> LogSegment:
        segment = LogSegment.create(str(self.folder), offset, self.config(index_interval_bytes), self.files,
                                    self.time)
        self.made.append(segment)
        return segment

    def reopen(self, segment: LogSegment) -> LogSegment:
        """Return another segment of the same files."""
        segment.close()
        return LogSegment.open(str(self.folder), segment.base_offset(), self.config(10), self.files,
                               self.time)

    def config(self, index_interval_bytes: int) -> LogConfig:
        return LogConfig({"index.interval.bytes": index_interval_bytes, "segment.index.bytes": 1000,
                          "segment.jitter.ms": 0})

    def producer_state(self) -> ProducerStateManager:
        return ProducerStateManager(TP, str(self.folder), 5 * 60 * 1000,
                                    ProducerStateManagerConfig(24 * 60 * 60 * 1000, False))

    def epochs(self) -> LeaderEpochFileCache:
        return LeaderEpochFileCache(str(self.folder / FILE_NAME))

    def recover(self, segment: LogSegment, producer_state: ProducerStateManager | None = None,
                epochs: LeaderEpochFileCache | None = None) -> None:
        """Make the indexes anew from the records, and cut the file where they are wrong."""
        log_loader._recover_segment(
            segment, self.epochs() if epochs is None else epochs,
            self.producer_state() if producer_state is None else producer_state, True)


@pytest.fixture
def segments(tmp_path: Path) -> Iterator[Segments]:
    made = Segments(tmp_path)
    yield made
    for segment in made.made:
        segment.close()
    made.files.close_all()


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[LogHarness]:
    """A log that begins at 40, with index entries for nearly every batch."""
    made = LogHarness(str(tmp_path), log_config(index_interval_bytes=10, segment_index_bytes=1000,
                                                compact=True), is_open=False)
    made.open(clean=True, log_start_offset=40)
    yield made
    made.dispose()


def records(offset: int, *values: str) -> MemoryRecords:
    """Return messages of magic 1 that begin at an offset."""
    return MemoryRecords.with_records(
        Compression.NONE, *(SimpleRecord(offset * 10, None, value.encode()) for value in values), magic=V1,
        initial_offset=offset)


def records_v2(offset: int, *values: bytes, timestamp: int = NO_TIMESTAMP, leader_epoch: int = -1,
               producer_id: int = -1, sequence: int = -1) -> MemoryRecords:
    return MemoryRecords.with_records(
        Compression.NONE, *(SimpleRecord(timestamp, None, value) for value in values), initial_offset=offset,
        partition_leader_epoch=leader_epoch, producer_id=producer_id,
        producer_epoch=-1 if producer_id < 0 else 0, base_sequence=sequence,
        is_transactional=producer_id >= 0)


def end_txn_records(type_: ControlRecordType, producer_id: int, offset: int) -> MemoryRecords:
    return MemoryRecords.with_end_transaction_marker(
        producer_id, 0, EndTransactionMarker(type_, 0), initial_offset=offset, timestamp=NO_TIMESTAMP,
        partition_leader_epoch=0)


def append(segment: LogSegment, largest_timestamp: int, appended: MemoryRecords) -> None:
    data, position = appended.buffer().to_bytes(), 0
    for batch in appended.batches():
        end = position + batch.size_in_bytes()
        segment.append(memoryview(data)[position:end], batch.base_offset(), batch.last_offset(),
                       largest_timestamp)
        position = end


def contents(found: Iterable[Record]) -> list[tuple[int, int, bytes]]:
    return [(record.offset(), record.timestamp(), b"" if (value := record.value()) is None
             else value.to_bytes()) for record in found]


def sent(*appended: MemoryRecords) -> list[tuple[int, int, bytes]]:
    return [content for each in appended for content in contents(each.records())]


def read_contents(segment: LogSegment, offset: int, max_size: int) -> list[tuple[int, int, bytes]]:
    found = segment.read(offset, max_size, segment.size())
    assert found is not None
    return contents(found.records.records())


# A segment holds offsets that are not before its base, and at most the greatest int beyond it.
@pytest.mark.parametrize(("base_offset", "largest_offset"), [
    (0, -2147483648), (0, 2147483648), (1, 0), (100, 10), (2147483648, 0), (-2147483648, 0),
    (2147483648, 4294967296)])
def test_append_for_log_segment_offset_overflow_exception(segments: Segments, base_offset: int,
                                                          largest_offset: int) -> None:
    segment = segments.create(base_offset)
    data = records(0, "hello").buffer().to_bytes()
    with pytest.raises(LogSegmentOffsetOverflowException) as raised:
        segment.append(memoryview(data), largest_offset, largest_offset, NOW)
    assert (raised.value.segment, raised.value.offset) == (segment, largest_offset)
    assert segment.size() == segment.channel().size() == 0


def test_read_on_empty_segment(segments: Segments) -> None:
    segment = segments.create(40)
    assert segment.read(40, 300, segment.size()) is None


def test_read_before_first_offset(segments: Segments) -> None:
    segment = segments.create(40)
    ms = records(50, "hello", "there", "little", "bee")
    append(segment, NO_TIMESTAMP, ms)
    assert read_contents(segment, 41, 300) == sent(ms)


def test_read_after_last(segments: Segments) -> None:
    segment = segments.create(40)
    append(segment, NO_TIMESTAMP, records(50, "hello", "there"))
    assert segment.read(52, 200, segment.size()) is None


def test_read_from_gap(segments: Segments) -> None:
    """The first offset after a gap is what is read in it."""
    segment = segments.create(40)
    append(segment, NO_TIMESTAMP, records(50, "hello", "there"))
    ms2 = records(60, "alpha", "beta")
    append(segment, NO_TIMESTAMP, ms2)
    assert read_contents(segment, 55, 200) == sent(ms2)


@pytest.mark.parametrize("min_one_message", [True, False])
def test_read_when_no_max_position(segments: Segments, min_one_message: bool) -> None:
    """Without a position up to which it may read, a read finds the place and nothing more."""
    segment = segments.create(40)
    append(segment, NO_TIMESTAMP, records(50, "hello", "there"))
    # Before the first offset, at it, and at the last one.
    for offset, position in ((48, 0), (50, 0), (51, 39)):
        read = segment.read(offset, 1, None, min_one_message)
        assert read is not None
        assert read.fetch_offset_metadata == LogOffsetMetadata(offset, 40, position)
        assert not list(read.records.records())
    # At the end of the log, and beyond it.
    for offset in (52, 53):
        assert segment.read(offset, 1, None, min_one_message) is None


def test_a_read_of_no_bytes_finds_the_place(segments: Segments) -> None:
    segment = segments.create(40)
    append(segment, NO_TIMESTAMP, records(50, "hello", "there"))

    def is_refused(max_size: int) -> bool:
        try:
            segment.read(50, max_size, segment.size())
        except IllegalArgumentException:
            return True
        return False

    assert [is_refused(max_size) for max_size in (-1, 0, 1)] == [True, False, False]
    read = segment.read(50, 0, segment.size())
    assert read is not None
    assert read.fetch_offset_metadata == LogOffsetMetadata(50, 40, 0)
    assert not list(read.records.records())


def truncate_to(harness: LogHarness, offset: int) -> LogSegment:
    """Cut the log off at an offset, open it anew, and return its last segment."""
    harness.log.truncate_files(offset)
    harness.open(clean=False, log_start_offset=40)
    return harness.log.active_segment()


def test_truncate(harness: LogHarness) -> None:
    """Of two messages the second is cut off, again and again."""
    for offset in range(40, 70):
        ms1, ms2 = records_v2(offset, b"hello"), records_v2(offset + 1, b"hello")
        append_at(harness.log, offset, ms1.buffer().to_bytes())
        append_at(harness.log, offset + 1, ms2.buffer().to_bytes())
        assert read_contents(harness.log.active_segment(), offset, 10000) == sent(ms1, ms2)

        segment = truncate_to(harness, offset + 1)
        assert read_contents(segment, offset, 10000) == sent(ms1)
        assert harness.log.log_end_offset() == offset + 1


def should_roll(harness: LogHarness, max_offset: int) -> bool:
    return harness.log.active_segment().should_roll(1024, NO_TIMESTAMP, max_offset,
                                                    harness.time.milliseconds())


def test_truncate_empty_segment(harness: LogHarness) -> None:
    """A segment that is empty after it has room in its indexes, and is as old as the truncation."""
    max_segment_ms = harness.config.segment_ms
    harness.time.sleep(500)
    segment = truncate_to(harness, 40)
    assert segment.size() == 0
    assert segment.time_index().size_in_bytes() == segment.offset_index().size_in_bytes() == 0
    assert segment._time_waited_for_roll(harness.time.milliseconds(), NO_TIMESTAMP) == 0
    assert not segment.time_index().is_full()
    assert not segment.offset_index().is_full()
    assert not should_roll(harness, 100)

    # An empty segment is never too old.
    harness.time.sleep(max_segment_ms + 1)
    assert segment._time_waited_for_roll(harness.time.milliseconds(), NO_TIMESTAMP) == max_segment_ms + 1
    assert not should_roll(harness, 100)

    # The next offset may be too far for it.
    assert should_roll(harness, MAX_INT + 200)


def test_reload_largest_timestamp_and_next_offset_after_truncation(tmp_path: Path) -> None:
    message_size = records_v2(40, b"hello").size_in_bytes()
    harness = LogHarness(str(tmp_path), log_config(index_interval_bytes=2 * message_size - 1), is_open=False)
    harness.open(clean=True, log_start_offset=40)
    try:
        for offset in range(40, 70):
            ms = records_v2(offset, b"hello", timestamp=offset * 10)
            append_at(harness.log, offset, ms.buffer().to_bytes())
        segment = harness.log.active_segment()
        assert segment.next_offset() == 70
        assert segment.time_index().entries() == 30 // 2 - 1

        segment = truncate_to(harness, 41)
        # The one entry is that of the latest time, which a segment gets when it is sealed or recovered.
        assert segment.offset_index().entries() == 0
        assert [segment.time_index().entry(n) for n in range(segment.time_index().entries())] == [(400, 40)]
        assert segment.largest_timestamp() == 400
        assert segment.next_offset() == 41
    finally:
        harness.dispose()


def test_truncate_full(harness: LogHarness) -> None:
    """After all is cut off, the segment is as old as the truncation, and takes the same offsets again."""
    ms = records_v2(40, b"hello", b"there")
    append_at(harness.log, 40, ms.buffer().to_bytes())
    harness.time.sleep(500)
    segment = harness.log.active_segment()
    assert segment._time_waited_for_roll(harness.time.milliseconds(), NO_TIMESTAMP) == 500

    segment = truncate_to(harness, 40)
    assert segment._time_waited_for_roll(harness.time.milliseconds(), NO_TIMESTAMP) == 0
    assert not segment.time_index().is_full()
    assert not segment.offset_index().is_full()
    assert segment.read(0, 1024, segment.size()) is None

    append_at(harness.log, 40, ms.buffer().to_bytes())
    assert read_contents(segment, 40, 1024) == sent(ms)


def test_find_offset_by_timestamp(segments: Segments) -> None:
    segment = segments.create(40, records(0, "msg00").size_in_bytes() * 2 - 1)
    for offset in range(40, 50):
        append(segment, offset * 10, records(offset, f"msg{offset}"))

    assert segment.largest_timestamp() == 490
    # With an index entry, and without one. The last two are before the first entry, and before all.
    for timestamp, offset in ((420, 42), (421, 43), (430, 43), (431, 44), (401, 41), (399, 40)):
        found = segment.find_offset_by_timestamp(timestamp, 0, segment.size())
        assert found is not None and found.offset == offset
    assert segment.find_offset_by_timestamp(491, 0, segment.size()) is None


def test_next_offset_calculation(segments: Segments) -> None:
    segment = segments.create(40)
    assert segment.next_offset() == 40
    append(segment, NO_TIMESTAMP, records(50, "hello", "there", "you"))
    assert segment.next_offset() == 53


def test_change_file_suffixes(segments: Segments) -> None:
    segment = segments.create(40)
    paths = [segment.path(suffix) for suffix in (LOG_SUFFIX, INDEX_SUFFIX, TIME_INDEX_SUFFIX)]
    # An index has no file yet, and gets none by the renaming.
    assert [os.path.exists(path) for path in paths] == [True, False, False]
    segment.change_file_suffixes("", ".deleted")
    renamed = [segment.path(suffix) for suffix in (LOG_SUFFIX, INDEX_SUFFIX, TIME_INDEX_SUFFIX)]
    assert renamed == [f"{path}.deleted" for path in paths]
    assert [os.path.exists(path) for path in renamed] == [True, False, False]
    assert not any(map(os.path.exists, paths))
    # It has one once it is written.
    segment.save_indexes(sync=False)
    assert all(map(os.path.exists, renamed))


def write_nonsense_to_file(path: str, position: int, size: int) -> None:
    with open(path, "r+b") as file:
        file.seek(position)
        file.write(random.Random(size).randbytes(size))


@pytest.mark.parametrize("made_by", ["append", "append_records", "recovery"])
def test_an_index_entry_comes_behind_more_bytes_than_the_interval(segments: Segments, made_by: str) -> None:
    """Two batches are as many bytes as the interval, and not more: each third batch has an entry."""
    batches = [records_v2(offset, b"value", timestamp=1000 + offset) for offset in range(9)]
    size = batches[0].size_in_bytes()
    segment = segments.create(0, 2 * size)
    for batch in batches:
        if made_by == "append_records":
            segment.append_records(batch)
        else:
            [each] = batch.batches()
            append(segment, each.max_timestamp(), batch)
    if made_by == "recovery":
        segments.recover(segment)
    offset_index, time_index = segment.offset_index(), segment.time_index()
    assert [offset_index.entry(n) for n in range(offset_index.entries())] == [(3, 3 * size), (6, 6 * size)]
    assert [time_index.entry(n) for n in range(time_index.entries())][:2] == [(1003, 3), (1006, 6)]


def test_recovery_fixes_corrupt_index(segments: Segments) -> None:
    segment = segments.create(0)
    for i in range(100):
        append(segment, NO_TIMESTAMP, records(i, str(i)))
    segment.save_indexes(sync=False)
    path = segment.path(INDEX_SUFFIX)
    write_nonsense_to_file(path, 5, os.path.getsize(path))
    segment = segments.reopen(segment)
    segments.recover(segment)
    for i in range(100):
        read = segment.read(i, 1, segment.size(), True)
        assert read is not None
        assert next(iter(read.records.records())).offset() == i


def test_recover_transaction_index(segments: Segments) -> None:
    segment = segments.create(100)
    pid1, pid2 = 5, 10
    for offset, producer_id in ((100, pid1), (102, pid2), (104, -1)):
        append(segment, NO_TIMESTAMP, records_v2(
            offset, b"a", b"b", leader_epoch=15, producer_id=producer_id,
            sequence=-1 if producer_id < 0 else 100))
    # The first transaction is still open where the second is aborted: 100 is stable then.
    append(segment, NO_TIMESTAMP, end_txn_records(ControlRecordType.ABORT, pid2, 106))
    append(segment, NO_TIMESTAMP, end_txn_records(ControlRecordType.COMMIT, pid1, 107))

    producer_state = segments.producer_state()
    segments.recover(segment, producer_state)
    assert producer_state.map_end_offset() == 108
    txn_index = segment.txn_index()
    assert txn_index is not None
    assert txn_index.all_aborted_txns() == [AbortedTxn(pid2, 102, 106, 100)]

    # The transaction of the second began in a segment before this one.
    producer_state = segments.producer_state()
    producer_state.append_batch(pid2, 0, 10, 75, 80, NO_TIMESTAMP, True)
    segments.recover(segment, producer_state)
    assert producer_state.map_end_offset() == 108
    txn_index = segment.txn_index()
    assert txn_index is not None
    assert txn_index.all_aborted_txns() == [AbortedTxn(pid2, 75, 106, 100)]


def test_recovery_rebuilds_epoch_cache(segments: Segments) -> None:
    segment = segments.create(0)
    for offset, leader_epoch in ((104, 0), (106, 1), (108, 1), (110, 2)):
        append(segment, NO_TIMESTAMP, records_v2(offset, b"a", b"b", leader_epoch=leader_epoch))
    epochs = segments.epochs()
    segments.recover(segment, epochs=epochs)
    assert list(epochs.entries()) == [(0, 104), (1, 106), (2, 110)]


@pytest.mark.deviation("D295")
def test_batches_that_are_written_at_once_have_an_index_entry_each(segments: Segments) -> None:
    segment = segments.create(0)
    batches = [bytes(records_v2(offset, b"a").buffer().view()) for offset in range(5)]
    size, = set(map(len, batches))
    segment.append_records(MemoryRecords.readable_records(ByteBuffer.wrap(bytearray(b"".join(batches)))))
    index = segment.offset_index()
    assert [index.entry(n) for n in range(index.entries())] == [(n, n * size) for n in range(1, 5)]


def test_recovery_fixes_corrupt_time_index(segments: Segments) -> None:
    segment = segments.create(0)
    for i in range(100):
        append(segment, i * 10, records(i, str(i)))
    segment.save_indexes(sync=False)
    path = segment.path(TIME_INDEX_SUFFIX)
    write_nonsense_to_file(path, 5, os.path.getsize(path))
    segment = segments.reopen(segment)
    segments.recover(segment)
    for i in range(100):
        found = segment.find_offset_by_timestamp(i * 10, 0, segment.size())
        assert found is not None and found.offset == i
        if i < 99:
            found = segment.find_offset_by_timestamp(i * 10 + 1, 0, segment.size())
            assert found is not None and found.offset == i + 1


def test_recovery_with_corrupt_message(segments: Segments) -> None:
    """The file is nonsense from somewhere in a message on: what is before that message stays."""
    messages_appended = 20
    rand = random.Random(20)
    for _ in range(10):
        segment = segments.create(0)
        for i in range(messages_appended):
            append(segment, NO_TIMESTAMP, records(i, str(i)))
        offset_to_begin_corruption = rand.randrange(messages_appended)
        found = segment.locate(offset_to_begin_corruption, segment.size())
        assert found is not None
        position = found[0] + rand.randrange(15)
        write_nonsense_to_file(segment.path(), position, segment.size() - position)
        segments.recover(segment)
        assert [batch.last_offset() for batch in segment.slice(0, segment.size()).batches()] == list(
            range(offset_to_begin_corruption))
        segment.delete_files()


@pytest.mark.parametrize("trailing", [0, 1, 2, 60, 61, 100])
def test_recovery_cuts_what_follows_the_last_batch(segments: Segments, trailing: int) -> None:
    segment = segments.create(0)
    append(segment, NOW, records_v2(0, b"one"))
    whole = segment.size()
    with open(segment.path(), "ab") as file:
        file.write(b"x" * trailing)
    reopened = segments.reopen(segment)
    segments.recover(reopened)
    assert reopened.size() == os.path.getsize(reopened.path()) == whole
    assert [batch.last_offset() for batch in reopened.slice(0, whole).batches()] == [0]


def test_should_truncate_even_if_offset_points_to_a_gap_in_the_log(harness: LogHarness) -> None:
    ms1, ms2 = records_v2(40, b"first message"), records_v2(43, b"message after gap")
    append_at(harness.log, 40, ms1.buffer().to_bytes())
    append_at(harness.log, 43, ms2.buffer().to_bytes())

    segment = truncate_to(harness, 41)

    read = segment.read(40, 10000, segment.size())
    assert read is not None
    batch, = read.records.batches()
    assert batch.base_offset() == 40


def test_get_first_batch_timestamp(segments: Segments) -> None:
    segment = segments.create(1)
    assert segment.first_batch_timestamp() == MAX_LONG

    append(segment, 1000, records_v2(1, b"one"))
    assert segment.first_batch_timestamp() == 1000


def test_a_closed_segment_is_not_read(segments: Segments) -> None:
    segment = segments.create(0)
    append(segment, NOW, records_v2(0, b"one"))
    assert segment.channel().is_open() and not segment.is_closed()
    for _ in range(2):
        segment.close()
        assert segment.is_closed() and not segment.channel().is_open()
        with pytest.raises(ClosedChannelException):
            segment.hold()


@pytest.mark.parametrize(("compact", "after_ms"), [(True, 1000), (False, 5000)])
def test_a_compacted_segment_is_rolled_when_its_first_record_must_be_compacted(
        segments: Segments, compact: bool, after_ms: int) -> None:
    config = log_config(compact=compact, segment_ms=5000, max_compaction_lag_ms=1000)
    segment = segments.create(0)
    segment.update_config(config)
    append(segment, NOW, records_v2(0, b"one", timestamp=NOW))
    for waited_ms in (after_ms, after_ms + 1):
        assert segment.should_roll(100, NOW + waited_ms, 1, NOW) == (waited_ms > after_ms)
