# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's AbstractLegacyRecordBatchTest."""

from __future__ import annotations

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.errors import CorruptRecordException
from kreactor.common.invalid_record_exception import InvalidRecordException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.record.abstract_legacy_record_batch import AbstractLegacyRecordBatch
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.legacy_record import LegacyRecord
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.byte_buffer_output_stream import ByteBufferOutputStream
from kreactor.jdk.exceptions import IllegalArgumentException, UnsupportedOperationException
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.memory import at_most

ByteBufferLegacyRecordBatch = AbstractLegacyRecordBatch.ByteBufferLegacyRecordBatch
SIMPLE_RECORDS = (SimpleRecord(1, b"a", b"1"), SimpleRecord(2, b"b", b"2"), SimpleRecord(3, b"c", b"3"))


def gzipped(magic: int) -> MemoryRecords:
    return MemoryRecords.with_records(Compression.gzip().build(), *SIMPLE_RECORDS, magic=magic)


def test_set_last_offset_compressed() -> None:
    records = gzipped(1)
    batch = ByteBufferLegacyRecordBatch(records.buffer())
    batch.set_last_offset(500)
    assert batch.last_offset() == 500
    assert batch.base_offset() == 498
    assert batch.is_valid()
    assert [b.last_offset() for b in records.batches()] == [500]
    assert [record.offset() for record in records.records()] == [498, 499, 500]


def test_iterate_compressed_record_with_wrapper_offset_zero() -> None:
    for magic in (0, 1):
        batch = ByteBufferLegacyRecordBatch(gzipped(magic).buffer())
        batch.set_last_offset(0)
        assert [record.offset() for record in batch] == [0, 1, 2]


def test_invalid_wrapper_offset_v1() -> None:
    batch = ByteBufferLegacyRecordBatch(gzipped(1).buffer())
    batch.set_last_offset(1)
    with pytest.raises(InvalidRecordException,
                       match="wrapper offset '1' is less than the last inner message offset"):
        iter(batch)


def test_set_no_timestamp_type_not_allowed() -> None:
    batch = ByteBufferLegacyRecordBatch(gzipped(1).buffer())
    with pytest.raises(IllegalArgumentException):
        batch.set_max_timestamp(TimestampType.NO_TIMESTAMP_TYPE, RecordBatch.NO_TIMESTAMP)


def test_set_log_append_time_not_allowed_v0() -> None:
    batch = ByteBufferLegacyRecordBatch(gzipped(0).buffer())
    with pytest.raises(UnsupportedOperationException):
        batch.set_max_timestamp(TimestampType.LOG_APPEND_TIME, 15)


def test_set_create_time_not_allowed_v0() -> None:
    batch = ByteBufferLegacyRecordBatch(gzipped(0).buffer())
    with pytest.raises(UnsupportedOperationException):
        batch.set_max_timestamp(TimestampType.CREATE_TIME, 15)


def test_set_partition_leader_epoch_not_allowed_v0() -> None:
    batch = ByteBufferLegacyRecordBatch(gzipped(0).buffer())
    with pytest.raises(UnsupportedOperationException):
        batch.set_partition_leader_epoch(15)


def test_set_partition_leader_epoch_not_allowed_v1() -> None:
    batch = ByteBufferLegacyRecordBatch(gzipped(1).buffer())
    with pytest.raises(UnsupportedOperationException):
        batch.set_partition_leader_epoch(15)


def test_set_log_append_time_v1() -> None:
    records = gzipped(1)
    batch = ByteBufferLegacyRecordBatch(records.buffer())
    batch.set_max_timestamp(TimestampType.LOG_APPEND_TIME, 15)
    assert batch.timestamp_type() is TimestampType.LOG_APPEND_TIME
    assert batch.max_timestamp() == 15
    assert batch.is_valid()
    again, = records.batches()
    assert again.timestamp_type() is TimestampType.LOG_APPEND_TIME
    assert again.max_timestamp() == 15
    assert [record.timestamp() for record in records.records()] == [15, 15, 15]


def test_set_create_time_v1() -> None:
    records = gzipped(1)
    batch = ByteBufferLegacyRecordBatch(records.buffer())
    batch.set_max_timestamp(TimestampType.CREATE_TIME, 15)
    assert batch.timestamp_type() is TimestampType.CREATE_TIME
    assert batch.max_timestamp() == 15
    assert batch.is_valid()
    again, = records.batches()
    assert again.timestamp_type() is TimestampType.CREATE_TIME
    assert again.max_timestamp() == 15
    assert [record.timestamp() for record in records.records()] == [1, 2, 3]


def test_z_std_compression_type_with_v0_or_v1() -> None:
    for magic in (0, 1):
        with pytest.raises(IllegalArgumentException,
                           match=f"^ZStandard compression is not supported for magic {magic}$"):
            MemoryRecords.with_records(Compression.zstd().build(), *SIMPLE_RECORDS, magic=magic)


# -- ours ----------------------------------------------------------------------------------------------------


def wrapper(inner: bytes, codec: CompressionType = CompressionType.GZIP, magic: int = 1,
            offset: int = 0) -> ByteBufferLegacyRecordBatch:
    """Return a message whose value is ``inner``, compressed."""
    compressed = ByteBufferOutputStream(64)
    with Compression.of(codec).build().wrap_for_output(compressed, magic) as out:
        out.write(inner)
    value = compressed.buffer().flip().view()
    record = LegacyRecord.create(magic, 7, None, value, codec)
    buffer = ByteBuffer.allocate(12 + record.size_in_bytes())
    AbstractLegacyRecordBatch.write_header(buffer, offset, record.size_in_bytes())
    buffer.put(record.buffer().view())
    return ByteBufferLegacyRecordBatch(buffer.flip())


def message(offset: int, record: LegacyRecord) -> bytes:
    return offset.to_bytes(8, "big") + record.size_in_bytes().to_bytes(4, "big") + record.buffer().to_bytes()


PLAIN = LegacyRecord.create(1, 3, b"k", b"v")


def test_a_message_cut_short_within_a_wrapper_is_left_out() -> None:
    whole = message(0, PLAIN) + message(1, PLAIN)
    assert [record.offset() for record in wrapper(whole, offset=1)] == [0, 1]
    for cut in (len(whole) - 1, len(whole) // 2 + 11):
        assert [record.offset() for record in wrapper(whole[:cut])] == [0]


def test_sizes_that_cannot_be_within_a_wrapper() -> None:
    with pytest.raises(CorruptRecordException,
                       match=r"Record size is less than the minimum record overhead \(14\)"):
        iter(wrapper(bytes(8) + (13).to_bytes(4, "big") + bytes(13)))


@pytest.mark.deviation("D53")
def test_a_claimed_size_within_a_wrapper_takes_no_memory() -> None:
    # More than there is: a message cut short, and so none at all.
    batch = wrapper(bytes(8) + (2**31 - 1).to_bytes(4, "big") + bytes(13))
    with at_most(1 << 20), pytest.raises(InvalidRecordException, match="no inner records"):
        iter(batch)


def test_compressed_messages_within_a_wrapper() -> None:
    inner = LegacyRecord.create(1, 3, b"k", b"v", CompressionType.GZIP)
    with pytest.raises(InvalidRecordException, match="Inner messages must not be compressed"):
        list(wrapper(message(0, inner)))


def test_a_wrapper_of_zstd() -> None:
    record = LegacyRecord.create(1, 7, None, b"x", CompressionType.ZSTD)
    batch = ByteBufferLegacyRecordBatch(ByteBuffer.wrap(bytearray(message(0, record))))
    with pytest.raises(InvalidRecordException, match="Invalid wrapper compressionType"):
        iter(batch)


@pytest.mark.parametrize("codec", [CompressionType.GZIP, CompressionType.SNAPPY, CompressionType.LZ4])
@pytest.mark.parametrize("value", [b"", b"no codec made this, however long it is"])
def test_a_wrapper_of_what_no_codec_made(codec, value) -> None:
    batch = ByteBufferLegacyRecordBatch(
        ByteBuffer.wrap(bytearray(message(0, LegacyRecord.create(1, 7, None, value, codec)))))
    with pytest.raises(KafkaException):
        iter(batch)


def test_batch_and_record_in_one() -> None:
    records = MemoryRecords.with_records(Compression.NONE, SimpleRecord(5, b"k", None), magic=1,
                                         initial_offset=9)
    batch, = records.batches()
    record, = batch
    assert record is batch
    assert batch == ByteBufferLegacyRecordBatch(records.buffer()) and hash(batch) == hash(
        ByteBufferLegacyRecordBatch(records.buffer()))
    assert (record.offset(), record.timestamp(), record.key_size(), record.value_size()) == (9, 5, 1, -1)
    assert record.has_key() and not record.has_value() and record.headers() == ()
    assert record.sequence() == batch.base_sequence() == batch.last_sequence() == RecordBatch.NO_SEQUENCE
    assert not (batch.is_transactional() or batch.is_control_batch() or batch.has_producer_id())
    assert batch.delete_horizon_ms() is None and batch.count_or_null() is None
    with batch.skip_key_value_iterator(BufferSupplier.NO_CACHING) as iterator:
        assert list(iterator) == [batch]
    copy = ByteBufferOutputStream(8)
    batch.write_to_output_stream(copy)
    assert copy.buffer().flip().to_bytes() == records.buffer().to_bytes()
    into = ByteBuffer.allocate(64)
    batch.write_to(into)
    assert into.flip().to_bytes() == records.buffer().to_bytes()
