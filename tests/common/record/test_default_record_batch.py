# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's DefaultRecordBatchTest, and what a cached header must not change."""

from __future__ import annotations

import random
import time

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.compress.zstd_compression import ZstdCompression
from kreactor.common.errors import CorruptRecordException
from kreactor.common.header.internals.record_header import RecordHeader
from kreactor.common.invalid_record_exception import InvalidRecordException
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.default_record import PartialDefaultRecord
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.end_transaction_marker import EndTransactionMarker
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.memory_records_builder import MemoryRecordsBuilder
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.chunked_bytes_stream import ChunkedBytesStream
from kreactor.jdk.exceptions import IllegalArgumentException, NoSuchElementException
from kreactor.jdk.nio_buffer import ByteBuffer

MAX_INT = 2**31 - 1
RANDOM = random.Random(20231025)
SMALL_VALUE = b"1"
VALUE_40_KB = RANDOM.randbytes(40 * 1024)
VALUE_200_KB = RANDOM.randbytes(200 * 1024)
VALUE_512_KB = RANDOM.randbytes(512 * 1024)


def now() -> int:
    return time.time_ns() // 1_000_000


def abc(compression=Compression.NONE) -> MemoryRecords:
    return MemoryRecords.with_records(compression, SimpleRecord(1, b"a", b"1"), SimpleRecord(2, b"b", b"2"),
                                      SimpleRecord(3, b"c", b"3"))


@pytest.mark.parametrize("timestamp_type", [TimestampType.CREATE_TIME, TimestampType.LOG_APPEND_TIME])
@pytest.mark.parametrize("is_transactional", [True, False])
@pytest.mark.parametrize("is_control_batch", [True, False])
def test_write_empty_header(timestamp_type, is_transactional, is_control_batch) -> None:
    timestamp = now()
    buffer = ByteBuffer.allocate(2048)
    DefaultRecordBatch.write_empty_header(buffer, RecordBatch.CURRENT_MAGIC_VALUE, 23423, 145, 983, 15, 37,
                                          15, timestamp_type, timestamp, is_transactional, is_control_batch)
    buffer.flip()
    batch = DefaultRecordBatch(buffer)
    assert batch.producer_id() == 23423
    assert batch.producer_epoch() == 145
    assert batch.base_sequence() == 983
    assert batch.last_sequence() == 983 + 37 - 15
    assert batch.base_offset() == 15
    assert batch.last_offset() == 37
    assert batch.partition_leader_epoch() == 15
    assert batch.is_transactional() == is_transactional
    assert batch.timestamp_type() is timestamp_type
    assert batch.max_timestamp() == timestamp
    assert batch.base_timestamp() == RecordBatch.NO_TIMESTAMP
    assert batch.is_control_batch() == is_control_batch
    assert batch.is_valid()
    assert batch.count_or_null() == 0
    assert list(batch) == []
    with batch.skip_key_value_iterator(BufferSupplier.NO_CACHING) as records:
        assert not records.has_next()


def built(producer_id=-1, epoch=-1, sequence=-1, count=2) -> MemoryRecords:
    builder = MemoryRecords.builder(ByteBuffer.allocate(2048), Compression.NONE, TimestampType.CREATE_TIME,
                                    1234567, log_append_time=RecordBatch.NO_TIMESTAMP,
                                    producer_id=producer_id, producer_epoch=epoch, base_sequence=sequence)
    for i in range(count):
        builder.append_with_offset(1234567 + i, 1 + i, b"abc"[i:i + 1], b"v")
    return builder.build()


def test_build_default_record_batch() -> None:
    batch, = built().batches()
    assert batch.is_valid()
    assert batch.base_offset() == 1234567
    assert batch.last_offset() == 1234568
    assert batch.next_offset() == 1234569
    assert batch.max_timestamp() == 2
    assert batch.producer_id() == RecordBatch.NO_PRODUCER_ID
    assert not batch.has_producer_id()
    assert batch.producer_epoch() == RecordBatch.NO_PRODUCER_EPOCH
    assert batch.base_sequence() == RecordBatch.NO_SEQUENCE
    assert batch.last_sequence() == RecordBatch.NO_SEQUENCE
    for record in batch:
        record.ensure_valid()


def test_build_default_record_batch_with_producer_id() -> None:
    batch, = built(23423, 145, 983).batches()
    assert batch.is_valid()
    assert batch.base_offset() == 1234567
    assert batch.last_offset() == 1234568
    assert batch.max_timestamp() == 2
    assert batch.producer_id() == 23423
    assert batch.has_producer_id()
    assert batch.producer_epoch() == 145
    assert batch.base_sequence() == 983
    assert batch.last_sequence() == 984


def test_build_default_record_batch_with_sequence_wrap_around() -> None:
    batch, = built(23423, 145, MAX_INT - 1, count=3).batches()
    assert batch.producer_id() == 23423
    assert batch.producer_epoch() == 145
    assert batch.base_sequence() == MAX_INT - 1
    assert batch.last_sequence() == 0
    assert [record.sequence() for record in batch] == [MAX_INT - 1, MAX_INT, 0]


def test_size_in_bytes() -> None:
    headers = (RecordHeader("foo", b"value"), RecordHeader("bar", None))
    timestamp = now()
    records = [SimpleRecord(timestamp, b"key", b"value"), SimpleRecord(timestamp + 30000, None, b"value"),
               SimpleRecord(timestamp + 60000, b"key", None),
               SimpleRecord(timestamp + 60000, b"key", b"value", headers)]
    actual_size = MemoryRecords.with_records(Compression.NONE, *records).size_in_bytes()
    assert DefaultRecordBatch.size_in_bytes_of(records) == actual_size
    assert DefaultRecordBatch.size_in_bytes_from(
        0, list(MemoryRecords.with_records(Compression.NONE, *records).records())) == actual_size
    assert DefaultRecordBatch.size_in_bytes_of([]) == 0


def test_invalid_record_size() -> None:
    buffer = abc().buffer()
    buffer.put_int_at(DefaultRecordBatch.LENGTH_OFFSET, 10)
    batch = DefaultRecordBatch(buffer)
    assert not batch.is_valid()
    with pytest.raises(CorruptRecordException):
        batch.ensure_valid()


def records_with_invalid_record_count(codec: CompressionType, invalid_count: int) -> DefaultRecordBatch:
    builder = MemoryRecords.builder(ByteBuffer.allocate(512), Compression.of(codec).build(),
                                    TimestampType.CREATE_TIME, 0)
    for offset, value in enumerate((b"hello", b"there", b"beautiful")):
        builder.append_with_offset(offset, now(), None, value)
    buffer = builder.build().buffer()
    buffer.put_int_at(DefaultRecordBatch.RECORDS_COUNT_OFFSET, invalid_count)
    return DefaultRecordBatch(buffer)


def test_invalid_record_count_too_many_non_compressed_v2() -> None:
    with pytest.raises(InvalidRecordException):
        list(records_with_invalid_record_count(CompressionType.NONE, 5))


def test_invalid_record_count_too_little_non_compressed_v2() -> None:
    with pytest.raises(InvalidRecordException):
        list(records_with_invalid_record_count(CompressionType.NONE, 2))


def test_invalid_record_count_too_many_compressed_v2() -> None:
    with pytest.raises(InvalidRecordException):
        list(records_with_invalid_record_count(CompressionType.GZIP, 5))


def test_invalid_record_count_too_little_compressed_v2() -> None:
    with pytest.raises(InvalidRecordException):
        list(records_with_invalid_record_count(CompressionType.GZIP, 2))


@pytest.mark.parametrize("codec", CompressionType)
def test_negative_record_count(codec) -> None:
    batch = records_with_invalid_record_count(codec, -1)
    with pytest.raises(InvalidRecordException, match="Found invalid record count -1 in magic v2 batch"):
        list(batch)


def test_invalid_crc() -> None:
    buffer = abc().buffer()
    buffer.put_int_at(DefaultRecordBatch.LAST_OFFSET_DELTA_OFFSET, 23)
    batch = DefaultRecordBatch(buffer)
    assert not batch.is_valid()
    with pytest.raises(CorruptRecordException,
                       match=r"Record is corrupt \(stored crc = \d+, computed crc = \d+\)"):
        batch.ensure_valid()


def test_set_last_offset() -> None:
    records = abc()
    batch = DefaultRecordBatch(records.buffer())
    batch.set_last_offset(500)
    assert batch.last_offset() == 500
    assert batch.base_offset() == 498
    assert batch.is_valid()
    assert [b.last_offset() for b in records.batches()] == [500]
    assert [record.offset() for record in records.records()] == [498, 499, 500]


def test_set_partition_leader_epoch() -> None:
    records = abc()
    batch = DefaultRecordBatch(records.buffer())
    batch.set_partition_leader_epoch(500)
    assert batch.partition_leader_epoch() == 500
    assert batch.is_valid()
    assert [b.partition_leader_epoch() for b in records.batches()] == [500]


def test_set_log_append_time() -> None:
    records = abc()
    batch = DefaultRecordBatch(records.buffer())
    batch.set_max_timestamp(TimestampType.LOG_APPEND_TIME, 15)
    assert batch.timestamp_type() is TimestampType.LOG_APPEND_TIME
    assert batch.max_timestamp() == 15
    assert batch.is_valid()
    again, = records.batches()
    assert again.max_timestamp() == 15
    assert again.timestamp_type() is TimestampType.LOG_APPEND_TIME
    assert again.checksum() == batch.checksum()
    assert [record.timestamp() for record in records.records()] == [15, 15, 15]


def test_set_no_timestamp_type_not_allowed() -> None:
    batch = DefaultRecordBatch(abc().buffer())
    with pytest.raises(IllegalArgumentException):
        batch.set_max_timestamp(TimestampType.NO_TIMESTAMP_TYPE, RecordBatch.NO_TIMESTAMP)


def test_read_and_write_control_batch() -> None:
    buffer = ByteBuffer.allocate(128)
    builder = MemoryRecordsBuilder(buffer, RecordBatch.CURRENT_MAGIC_VALUE, Compression.NONE,
                                   TimestampType.CREATE_TIME, 0, RecordBatch.NO_TIMESTAMP, 1, 0,
                                   RecordBatch.NO_SEQUENCE, True, True, RecordBatch.NO_PARTITION_LEADER_EPOCH,
                                   buffer.remaining())
    marker = EndTransactionMarker(ControlRecordType.COMMIT, 15)
    builder.append_end_txn_marker(now(), marker)
    records = builder.build()
    batch, = records.batches()
    assert batch.is_control_batch()
    commit_record, = records.records()
    assert EndTransactionMarker.deserialize(commit_record) == marker


@pytest.mark.parametrize("compression_type", CompressionType)
def test_streaming_iterator_consistency(compression_type) -> None:
    batch = DefaultRecordBatch(abc(Compression.of(compression_type).build()).buffer())
    with batch.streaming_iterator(BufferSupplier.create()) as streaming_iterator:
        assert list(streaming_iterator) == list(batch)


@pytest.mark.parametrize("compression_type", CompressionType)
def test_skip_key_value_iterator_correctness(compression_type) -> None:
    headers = (RecordHeader("k1", b"v1"), RecordHeader("k2", None))
    records = MemoryRecords.with_records(
        Compression.of(compression_type).build(), SimpleRecord(1, b"a", b"1"), SimpleRecord(2, b"b", None),
        SimpleRecord(3, None, b"3"), SimpleRecord(4, None, None), SimpleRecord(1000, b"abc", VALUE_200_KB),
        SimpleRecord(9999, b"abc", b"0", headers))
    batch = DefaultRecordBatch(records.buffer())
    with BufferSupplier.create() as supplier, batch.skip_key_value_iterator(supplier) as skipping:
        if compression_type is CompressionType.NONE:
            assert isinstance(skipping, DefaultRecordBatch.RecordIterator)
            assert len(list(skipping)) == len(list(records.records()))
        else:
            assert isinstance(skipping, DefaultRecordBatch.StreamRecordIterator)
            assert list(skipping) == [
                PartialDefaultRecord(9, 0, 0, 1, -1, 1, 1),
                PartialDefaultRecord(8, 0, 1, 2, -1, 1, -1),
                PartialDefaultRecord(8, 0, 2, 3, -1, -1, 1),
                PartialDefaultRecord(7, 0, 3, 4, -1, -1, -1),
                PartialDefaultRecord(15 + len(VALUE_200_KB), 0, 4, 1000, -1, 3, len(VALUE_200_KB)),
                PartialDefaultRecord(23, 0, 5, 9999, -1, 3, 1),
            ]


class CountingSupplier(BufferSupplier):
    def __init__(self) -> None:
        self.inner = BufferSupplier.create()
        self.got = self.released = 0

    def get(self, capacity: int) -> ByteBuffer:
        self.got += 1
        return self.inner.get(capacity)

    def release(self, buffer: ByteBuffer) -> None:
        self.released += 1
        self.inner.release(buffer)

    def close(self) -> None:
        self.inner.close()


# D58: one buffer for every codec, where Java takes a second for lz4 and zstd.
@pytest.mark.parametrize("compression_type", [t for t in CompressionType if t is not CompressionType.NONE])
@pytest.mark.parametrize("value", [SMALL_VALUE, VALUE_512_KB], ids=["small", "large"])
def test_buffer_reuse_in_skip_key_value_iterator(compression_type, value) -> None:
    records = MemoryRecords.with_records(Compression.of(compression_type).build(),
                                         SimpleRecord(1000, b"a", b"0"), SimpleRecord(9999, b"b", value))
    supplier = CountingSupplier()
    for times in (1, 2):
        with DefaultRecordBatch(records.buffer()).skip_key_value_iterator(supplier) as iterator:
            assert len(list(iterator)) == 2
            iterator.close()
        assert supplier.got == supplier.released == times


@pytest.mark.parametrize("expected_calls, value", [(2, SMALL_VALUE), (4, VALUE_40_KB)],
                         ids=["small", "large"])
def test_zstd_jni_for_skip_key_value_iterator(expected_calls, value, monkeypatch) -> None:
    from kreactor.common.compress.zstd_input_stream import ZstdInputStream
    records = MemoryRecords.with_records(Compression.zstd().build(), SimpleRecord(9, b"hakuna-matata", value))
    calls = []

    class Spied(ZstdInputStream):
        def read_into(self, target: memoryview) -> int:
            calls.append("read")
            return super().read_into(target)

        def skip(self, count: int) -> int:
            calls.append("skip")
            return super().skip(count)

    buffer = records.buffer()
    buffer.set_position(DefaultRecordBatch.RECORDS_OFFSET)
    supplier = BufferSupplier.create()
    stream = ChunkedBytesStream(Spied(buffer), supplier, ZstdCompression(3).decompression_output_size(),
                                False)
    monkeypatch.setattr(DefaultRecordBatch, "record_input_stream", lambda self, buffer_supplier: stream)
    with DefaultRecordBatch(records.buffer()).skip_key_value_iterator(supplier) as iterator:
        assert len(list(iterator)) == 1
    assert calls == ["read"] * expected_calls


def test_increment_sequence() -> None:
    assert DefaultRecordBatch.increment_sequence(5, 5) == 10
    assert DefaultRecordBatch.increment_sequence(MAX_INT, 1) == 0
    assert DefaultRecordBatch.increment_sequence(MAX_INT - 5, 10) == 4


def test_decrement_sequence() -> None:
    assert DefaultRecordBatch.decrement_sequence(5, 5) == 0
    assert DefaultRecordBatch.decrement_sequence(0, 1) == MAX_INT


# -- ours ----------------------------------------------------------------------------------------------------


def test_accessors_agree_with_the_bytes_after_every_setter() -> None:
    records = abc()
    batch = DefaultRecordBatch(records.buffer())
    batch.set_last_offset(1 << 40)
    batch.set_partition_leader_epoch(7)
    batch.set_max_timestamp(TimestampType.LOG_APPEND_TIME, 99)
    again = DefaultRecordBatch(records.buffer())
    for name in DefaultRecordBatch.__slots__[1:]:
        assert getattr(batch, name) == getattr(again, name), name
    assert batch == again and hash(batch) == hash(again) and str(batch) == str(again)


@pytest.mark.parametrize("length", [17, 26, 35, 60])
def test_a_header_cut_short_gives_what_is_there(length) -> None:
    whole = DefaultRecordBatch(abc().buffer())
    cut = DefaultRecordBatch(ByteBuffer.wrap(abc().buffer().to_bytes()[:length]))
    assert cut.magic() == 2
    assert cut.size_in_bytes() == whole.size_in_bytes()
    assert cut.partition_leader_epoch() == -1
    with pytest.raises(IndexError):
        cut.count_or_null()
    if length < 27:
        with pytest.raises(IndexError):
            cut.last_offset()
    else:
        assert cut.last_offset() == whole.last_offset()
    with pytest.raises(AttributeError):
        cut.no_such_field


def test_a_batch_shorter_than_its_header_is_corrupt() -> None:
    data = bytearray(abc().buffer().to_bytes()[:40])
    data[8:12] = (40 - 12).to_bytes(4, "big")
    batch, = MemoryRecords.readable_records(ByteBuffer.wrap(data)).batches()
    assert not batch.is_valid()
    with pytest.raises(CorruptRecordException,
                       match="the size 40 is smaller than the minimum allowed overhead 61"):
        batch.ensure_valid()


def test_offset_of_max_timestamp() -> None:
    for magic, expected in ((0, None), (1, 2), (2, 2)):
        records = MemoryRecords.with_records(Compression.gzip().build(), SimpleRecord(1), SimpleRecord(2),
                                             SimpleRecord(9), SimpleRecord(9), magic=magic)
        batch, = records.batches()
        assert batch.offset_of_max_timestamp() == expected


def test_iterator_has_next_and_next() -> None:
    batch = DefaultRecordBatch(abc().buffer())
    iterator = batch.streaming_iterator(BufferSupplier.NO_CACHING)
    offsets = []
    while iterator.has_next():
        offsets.append(iterator.next().offset())
    assert offsets == [0, 1, 2]
    with pytest.raises(NoSuchElementException):
        iterator.next()


def test_write_header_wants_room() -> None:
    with pytest.raises(IndexError):
        DefaultRecordBatch.write_empty_header(ByteBuffer.allocate(60), 2, -1, -1, -1, 0, 0, 0,
                                              TimestampType.CREATE_TIME, 0, False, False)
    with pytest.raises(IllegalArgumentException, match="Invalid magic value 1"):
        DefaultRecordBatch.write_empty_header(ByteBuffer.allocate(61), 1, -1, -1, -1, 0, 0, 0,
                                              TimestampType.CREATE_TIME, 0, False, False)


def test_unknown_codec() -> None:
    buffer = abc().buffer()
    buffer.put_short_at(DefaultRecordBatch.ATTRIBUTES_OFFSET, 5)
    with pytest.raises(IllegalArgumentException, match="Unknown compression type id: 5"):
        DefaultRecordBatch(buffer).compression_type()
