# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's FileLogInputStreamTest."""

from __future__ import annotations

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.errors import CorruptRecordException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.file_log_input_stream import FileLogInputStream
from kreactor.common.record.file_records import FileRecords
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.common.record.batches import CODECS, content

MAX_INT = 2**31 - 1
ARGS = pytest.mark.parametrize("type_, magic", CODECS)
FIRST = [SimpleRecord(3241324, b"a", b"1"), SimpleRecord(234280, b"b", b"2")]
SECOND = [SimpleRecord(238423489, b"c", b"3"), SimpleRecord(897839, None, b"4"),
          SimpleRecord(8234020, b"e", None)]


@pytest.fixture
def file_records(tmp_path):
    records = FileRecords.open(str(tmp_path / "kafka.log"))
    yield records
    records.close()


def stream(file_records: FileRecords) -> FileLogInputStream:
    return FileLogInputStream(file_records, 0, file_records.size_in_bytes())


@ARGS
def test_write_to(file_records, type_, magic) -> None:
    file_records.append(MemoryRecords.with_records(Compression.of(type_).build(), SimpleRecord(value=b"foo"),
                                                   magic=magic))
    batch = stream(file_records).next_batch()
    assert batch.magic() == magic
    buffer = ByteBuffer.allocate(128)
    batch.write_to(buffer)
    assert buffer.limit() == 128
    record, = MemoryRecords.readable_records(buffer.flip()).records()
    assert record.has_magic(magic)
    assert content(record.value()) == b"foo"


@ARGS
def test_simple_batch_iteration(file_records, type_, magic) -> None:
    compression = Compression.of(type_).build()
    first_batch_record = SimpleRecord(3241324, b"a", b"foo")
    second_batch_record = SimpleRecord(234280, b"b", b"bar")
    file_records.append(MemoryRecords.with_records(compression, first_batch_record, magic=magic))
    file_records.append(MemoryRecords.with_records(compression, second_batch_record, magic=magic,
                                                   initial_offset=1))

    log_input_stream = stream(file_records)
    first_batch = log_input_stream.next_batch()
    assert_generic_record_batch_data(type_, magic, first_batch, 0, 3241324, first_batch_record)
    assert_no_producer_data(first_batch)
    second_batch = log_input_stream.next_batch()
    assert_generic_record_batch_data(type_, magic, second_batch, 1, 234280, second_batch_record)
    assert_no_producer_data(second_batch)
    assert log_input_stream.next_batch() is None


@pytest.mark.parametrize("type_, magic", [(type_, magic) for type_, magic in CODECS
                                          if magic == 2 or type_ is not CompressionType.NONE])
def test_batch_iteration_with_multiple_records_per_batch(file_records, type_, magic) -> None:
    compression = Compression.of(type_).build()
    file_records.append(MemoryRecords.with_records(compression, *FIRST, magic=magic))
    file_records.append(MemoryRecords.with_records(compression, *SECOND, magic=magic, initial_offset=1))

    log_input_stream = stream(file_records)
    first_batch = log_input_stream.next_batch()
    assert_no_producer_data(first_batch)
    assert_generic_record_batch_data(type_, magic, first_batch, 0, 3241324, *FIRST)
    second_batch = log_input_stream.next_batch()
    assert_no_producer_data(second_batch)
    assert_generic_record_batch_data(type_, magic, second_batch, 1, 238423489, *SECOND)
    assert log_input_stream.next_batch() is None


@pytest.mark.parametrize("type_", CompressionType)
def test_batch_iteration_v2(file_records, type_) -> None:
    compression = Compression.of(type_).build()
    file_records.append(MemoryRecords.with_idempotent_records(
        compression, 83843, 15, 234, *FIRST, initial_offset=15, partition_leader_epoch=9832))
    file_records.append(MemoryRecords.with_transactional_records(
        compression, 83843, 15, 236, *SECOND, initial_offset=27, partition_leader_epoch=9832))

    log_input_stream = stream(file_records)
    first_batch = log_input_stream.next_batch()
    assert_producer_data(first_batch, 83843, 15, 234, False, *FIRST)
    assert_generic_record_batch_data(type_, 2, first_batch, 15, 3241324, *FIRST)
    assert first_batch.partition_leader_epoch() == 9832
    second_batch = log_input_stream.next_batch()
    assert_producer_data(second_batch, 83843, 15, 236, True, *SECOND)
    assert_generic_record_batch_data(type_, 2, second_batch, 27, 238423489, *SECOND)
    assert second_batch.partition_leader_epoch() == 9832
    assert log_input_stream.next_batch() is None


@ARGS
def test_batch_iteration_incomplete_batch(file_records, type_, magic) -> None:
    compression = Compression.of(type_).build()
    first_batch_record = SimpleRecord(100, value=b"foo")
    file_records.append(MemoryRecords.with_records(compression, first_batch_record, magic=magic))
    file_records.append(MemoryRecords.with_records(compression, SimpleRecord(200, value=b"bar"), magic=magic,
                                                   initial_offset=1))
    file_records.truncate_to(file_records.size_in_bytes() - 13)

    log_input_stream = stream(file_records)
    first_batch = log_input_stream.next_batch()
    assert_no_producer_data(first_batch)
    assert_generic_record_batch_data(type_, magic, first_batch, 0, 100, first_batch_record)
    assert log_input_stream.next_batch() is None


def test_next_batch_selection_with_maxed_params(file_records) -> None:
    assert FileLogInputStream(file_records, MAX_INT, MAX_INT).next_batch() is None


def test_next_batch_selection_with_zeroed_params(file_records) -> None:
    assert FileLogInputStream(file_records, 0, 0).next_batch() is None


def assert_producer_data(batch, producer_id, producer_epoch, base_sequence, is_transactional,
                         *records) -> None:
    assert batch.producer_id() == producer_id
    assert batch.producer_epoch() == producer_epoch
    assert batch.base_sequence() == base_sequence
    assert batch.last_sequence() == base_sequence + len(records) - 1
    assert batch.is_transactional() == is_transactional


def assert_no_producer_data(batch) -> None:
    assert batch.producer_id() == RecordBatch.NO_PRODUCER_ID
    assert batch.producer_epoch() == RecordBatch.NO_PRODUCER_EPOCH
    assert batch.base_sequence() == RecordBatch.NO_SEQUENCE
    assert batch.last_sequence() == RecordBatch.NO_SEQUENCE
    assert not batch.is_transactional()


def assert_generic_record_batch_data(type_, magic, batch, base_offset, max_timestamp, *records) -> None:
    assert batch.magic() == magic
    assert batch.compression_type() is type_
    if magic == 0:
        assert batch.timestamp_type() is TimestampType.NO_TIMESTAMP_TYPE
    else:
        assert batch.timestamp_type() is TimestampType.CREATE_TIME
        assert batch.max_timestamp() == max_timestamp
    assert batch.last_offset() == base_offset + len(records) - 1
    assert batch.count_or_null() == (len(records) if magic >= 2 else None)
    assert batch.base_offset() == base_offset
    assert not batch.is_control_batch() and batch.delete_horizon_ms() is None
    assert batch.is_valid()
    batch.ensure_valid()
    with batch.streaming_iterator(BufferSupplier.NO_CACHING) as streamed:
        assert [record.offset() for record in streamed] == [base_offset + i for i in range(len(records))]
    for i, record in enumerate(batch):
        assert record.offset() == base_offset + i
        assert content(record.key()) == content(records[i].key())
        assert content(record.value()) == content(records[i].value())
        assert record.timestamp() == (RecordBatch.NO_TIMESTAMP if magic == 0 else records[i].timestamp())


# -- ours ----------------------------------------------------------------------------------------------------


@ARGS
def test_a_header_read_by_the_way_says_what_the_batch_says(file_records, type_, magic) -> None:
    """D54: the accessors of a batch whose header was read at once agree with those of one in memory."""
    memory_records = MemoryRecords.with_records(Compression.of(type_).build(), *FIRST, magic=magic,
                                                initial_offset=4)
    file_records.append(memory_records)
    for in_file, in_memory in zip(file_records.batches(), memory_records.batches(), strict=True):
        for name in ("last_offset", "max_timestamp", "checksum", "compression_type", "timestamp_type",
                     "partition_leader_epoch", "producer_id", "size_in_bytes", "base_offset", "next_offset"):
            assert getattr(in_file, name)() == getattr(in_memory, name)(), name
        assert hash(in_file) == hash(next(iter(file_records.batches()))) or magic < 2


def test_a_batch_that_is_shorter_than_its_header(file_records) -> None:
    """At the end of a file, where no more can be read, and before another batch, whose bytes follow."""
    whole = MemoryRecords.with_records(Compression.NONE, *FIRST).buffer().to_bytes()
    short = bytearray(whole[:40])
    short[8:12] = (40 - 12).to_bytes(4, "big")
    file_records.append(MemoryRecords.readable_records(ByteBuffer.wrap(bytes(short))))
    batch, = file_records.batches()
    assert batch.size_in_bytes() == 40 and batch.base_offset() == 0
    with pytest.raises(KafkaException, match="Failed to load record batch at position 0"):
        batch.last_offset()
    with pytest.raises(CorruptRecordException):
        batch.ensure_valid()

    file_records.append(MemoryRecords.readable_records(ByteBuffer.wrap(whole)))
    first, second = file_records.batches()
    assert first.last_offset() == 1
    with pytest.raises(CorruptRecordException):
        first.ensure_valid()
    second.ensure_valid()
