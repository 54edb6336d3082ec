# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Appending to a log and reading from it: what is stored, what is refused, what a reader gets."""

from __future__ import annotations

import gzip
import os
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
    OffsetOutOfRangeException,
    OutOfOrderSequenceException,
    RecordBatchTooLargeException,
    RecordTooLargeException,
)
from kreactor.common.invalid_record_exception import InvalidRecordException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.file_records import FileRecords
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.storage.internals.epoch.leader_epoch_file_cache import LeaderEpochFileCache
from kreactor.storage.internals.log import batch_scan, log_validator, record_walk
from kreactor.storage.internals.log.fetch_data_info import FetchDataInfo
from kreactor.storage.internals.log.fetch_isolation import FetchIsolation
from kreactor.storage.internals.log.log_file import LogFile
from kreactor.storage.internals.log.log_offset_metadata import LogOffsetMetadata
from kreactor.storage.internals.log.log_segment import LogSegment
from kreactor.storage.internals.log.record_validation_exception import RecordValidationException
from tests.storage.internals.log.support import (
    NOW,
    TP,
    LogHarness,
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
def with_config(tmp_path: Path) -> Iterator[WithConfig]:
    made = []

    def make(**settings: object) -> LogHarness:
        made.append(LogHarness(str(tmp_path), log_config(**settings)))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for harness in made:
        harness.dispose()


@pytest.fixture
def harness(with_config: WithConfig) -> LogHarness:
    return with_config()


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
    harness.log._config = log_config(segment_bytes=300)
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
    monkeypatch.setattr(log_validator, "MAX_COMPRESSED_RECORDS", 20)
    with pytest.raises(RecordBatchTooLargeException, match="has 21 records, more than 20"):
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


def test_producers_expire(harness: LogHarness) -> None:
    harness.log.append_as_leader(idempotent(b"a", sequence=0), 0)
    harness.log.remove_expired_producers(NOW + 24 * 60 * 60 * 1000 - 1)
    assert harness.log.producer_id_count() == 1
    harness.log.remove_expired_producers(NOW + 24 * 60 * 60 * 1000)
    assert harness.log.producer_id_count() == 0


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
    harness.log._flush_sealed(os.path.join(harness.directory, "00000000000000000007.snapshot"), 0)
    assert not caplog.records


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


def test_roll_by_age_without_times(with_config: WithConfig) -> None:
    harness = with_config(segment_ms=1000)
    for _ in range(2):
        harness.log.append_as_leader(records(b"a", magic=0), 0)
    assert harness.log.number_of_segments() == 1
    harness.time.sleep(1001)
    harness.log.append_as_leader(records(b"a", magic=0), 0)
    assert harness.log.number_of_segments() == 2


def test_jitter_rolls_earlier(with_config: WithConfig) -> None:
    harness = with_config(segment_ms=1000, segment_jitter_ms=900)
    assert 0 <= harness.log.segments()[0]._roll_jitter_ms < 900
    harness.log.segments()[0]._roll_jitter_ms = 600
    harness.append(b"a", timestamp=NOW)
    harness.append(b"a", timestamp=NOW + 401)
    assert harness.log.number_of_segments() == 2


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
    end = harness.log.log_end_offset_metadata()
    harness.log._end = end._replace(message_offset=2**31 - 1)
    harness.append(b"b")
    harness.append(b"c")
    assert [segment.base_offset() for segment in harness.log.segments()] == [0, 2**31]


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

    def look(self: LeaderEpochFileCache, start_offset: int) -> None:
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


def test_what_was_found_is_not_looked_for_again(harness: LogHarness,
                                                monkeypatch: pytest.MonkeyPatch) -> None:
    harness.append(b"a")
    position = harness.log.size()
    harness.append(b"b", b"c")
    middle = harness.log.size()
    harness.append(b"d")
    segment, end = harness.log.segments()[0], harness.log.size()
    looked_for: list[int] = []

    def noting_find(file: LogFile, target_offset: int, at: int, end: int) -> tuple[int, int] | None:
        looked_for.append(target_offset)
        return find(file, target_offset, at, end)

    find = batch_scan.find
    monkeypatch.setattr(batch_scan, "find", noting_find)
    for offset in (2, 2, 1, 1, 2):
        assert segment.locate(offset, end) == (position, middle - position)
    assert looked_for == [2, 1, 2]
    # It may not be seen by everybody yet.
    assert segment.locate(2, position) is None
    assert segment.locate(2, middle) == (position, middle - position)
    assert looked_for == [2, 1, 2, 2]


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
