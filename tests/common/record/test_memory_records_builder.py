# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's MemoryRecordsBuilderTest."""

from __future__ import annotations

import gzip
import random
import time

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.errors import CorruptRecordException, UnsupportedCompressionTypeException
from kreactor.common.header.internals.record_header import RecordHeader
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.end_transaction_marker import EndTransactionMarker
from kreactor.common.record.legacy_record import LegacyRecord
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.memory_records_builder import MemoryRecordsBuilder
from kreactor.common.record.record import Record
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.records import Records
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.byte_buffer_output_stream import ByteBufferOutputStream
from kreactor.common.utils.time import Time
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.common.record.batches import CODECS, content
from tests.memory import PYPY, counted, held

ARGS = pytest.mark.parametrize("type_, magic", CODECS)
BUFFER_OFFSETS = pytest.mark.parametrize("buffer_offset", [0, 15])
TYPES = pytest.mark.parametrize("type_", CompressionType)
ABORT = EndTransactionMarker(ControlRecordType.ABORT, 0)


def now() -> int:
    return time.time_ns() // 1_000_000


def allocate_buffer(size: int, buffer_offset: int) -> ByteBuffer:
    return ByteBuffer.allocate(size).set_position(buffer_offset)


def builder_of(buffer, magic, type_, *, timestamp_type=TimestampType.CREATE_TIME, log_append_time=0,
               producer_id=-1, epoch=-1, sequence=-1, is_transactional=False, is_control=False, limit=None):
    return MemoryRecordsBuilder(buffer, magic, Compression.of(type_).build(), timestamp_type, 0,
                                log_append_time, producer_id, epoch, sequence, is_transactional, is_control,
                                RecordBatch.NO_PARTITION_LEADER_EPOCH, buffer.capacity() if limit is None
                                else limit)


def test_unsupported_compress() -> None:
    for magic in (0, 1):
        with pytest.raises(IllegalArgumentException,
                           match=f"^ZStandard compression is not supported for magic {magic}$"):
            builder_of(ByteBuffer.allocate(128), magic, CompressionType.ZSTD)


@ARGS
@BUFFER_OFFSETS
def test_write_empty_record_set(type_, magic, buffer_offset) -> None:
    buffer = allocate_buffer(128, buffer_offset)
    records = builder_of(buffer, magic, type_).build()
    assert records.size_in_bytes() == 0
    assert buffer.position() == buffer_offset


@ARGS
@BUFFER_OFFSETS
def test_write_transactional_record_set(type_, magic, buffer_offset) -> None:
    def builder():
        return builder_of(allocate_buffer(128, buffer_offset), magic, type_, producer_id=9809, epoch=15,
                          sequence=2342, is_transactional=True)
    if magic < 2:
        with pytest.raises(IllegalArgumentException):
            builder()
    else:
        built = builder()
        built.append(now(), b"foo", b"bar")
        batch, = built.build().batches()
        assert batch.is_transactional()


def assert_close_fails(type_, magic, buffer_offset, producer_id, epoch, sequence) -> None:
    def builder():
        return builder_of(allocate_buffer(128, buffer_offset), magic, type_, producer_id=producer_id,
                          epoch=epoch, sequence=sequence, is_transactional=True)
    if magic < 2:
        with pytest.raises(IllegalArgumentException):
            builder()
    else:
        built = builder()
        with pytest.raises(IllegalArgumentException):
            built.close()


@ARGS
@BUFFER_OFFSETS
def test_write_transactional_with_invalid_pid(type_, magic, buffer_offset) -> None:
    assert_close_fails(type_, magic, buffer_offset, -1, 15, 2342)


@ARGS
@BUFFER_OFFSETS
def test_write_idempotent_with_invalid_epoch(type_, magic, buffer_offset) -> None:
    assert_close_fails(type_, magic, buffer_offset, 9809, -1, 2342)


@ARGS
@BUFFER_OFFSETS
def test_write_idempotent_with_invalid_base_sequence(type_, magic, buffer_offset) -> None:
    assert_close_fails(type_, magic, buffer_offset, 9809, 15, -1)


def assert_marker_is_refused(type_, magic, buffer_offset, *, is_transactional, is_control) -> None:
    def builder():
        return builder_of(allocate_buffer(128, buffer_offset), magic, type_, producer_id=9809, epoch=15,
                          is_transactional=is_transactional, is_control=is_control)
    if magic < 2:
        with pytest.raises(IllegalArgumentException):
            builder()
    else:
        built = builder()
        with pytest.raises(IllegalArgumentException):
            built.append_end_txn_marker(RecordBatch.NO_TIMESTAMP, ABORT)


@ARGS
@BUFFER_OFFSETS
def test_write_end_txn_marker_non_transactional_batch(type_, magic, buffer_offset) -> None:
    assert_marker_is_refused(type_, magic, buffer_offset, is_transactional=False, is_control=True)


@ARGS
@BUFFER_OFFSETS
def test_write_end_txn_marker_non_control_batch(type_, magic, buffer_offset) -> None:
    assert_marker_is_refused(type_, magic, buffer_offset, is_transactional=True, is_control=False)


@ARGS
@BUFFER_OFFSETS
def test_legacy_compression_rate(type_, magic, buffer_offset) -> None:
    def messages():
        return [LegacyRecord.create(magic, i, key, value)
                for i, (key, value) in enumerate(((b"a", b"1"), (b"b", b"2"), (b"c", b"3")))]
    if magic >= 2:
        with pytest.raises(IllegalArgumentException):
            messages()
        return
    builder = builder_of(allocate_buffer(1024, buffer_offset), magic, type_)
    uncompressed_size = 0
    for record in messages():
        uncompressed_size += record.size_in_bytes() + Records.LOG_OVERHEAD
        builder.append_legacy_record(record)
    built = builder.build()
    if type_ is CompressionType.NONE:
        assert builder.compression_ratio() == 1.0
    else:
        compressed_size = built.size_in_bytes() - Records.LOG_OVERHEAD - LegacyRecord.record_overhead(magic)
        assert builder.compression_ratio() == pytest.approx(compressed_size / uncompressed_size, abs=0.00001)


@ARGS
@BUFFER_OFFSETS
def test_estimated_size_in_bytes(type_, magic, buffer_offset) -> None:
    builder = builder_of(allocate_buffer(1024, buffer_offset), magic, type_)
    previous_estimate = 0
    for i in range(10):
        builder.append_simple_record(SimpleRecord(i, value=str(i).encode()))
        current_estimate = builder.estimated_size_in_bytes()
        assert current_estimate > previous_estimate
        previous_estimate = current_estimate

    bytes_written_before_close = builder.estimated_size_in_bytes()
    records = builder.build()
    assert builder.estimated_size_in_bytes() == records.size_in_bytes()
    if type_ is CompressionType.NONE:
        assert bytes_written_before_close == records.size_in_bytes()


@ARGS
@BUFFER_OFFSETS
def test_build_using_log_append_time(type_, magic, buffer_offset) -> None:
    log_append_time = now()
    builder = builder_of(allocate_buffer(1024, buffer_offset), magic, type_,
                         timestamp_type=TimestampType.LOG_APPEND_TIME, log_append_time=log_append_time)
    for key, value in ((b"a", b"1"), (b"b", b"2"), (b"c", b"3")):
        builder.append(0, key, value)
    records = builder.build()

    info = builder.info()
    assert info._max_timestamp == log_append_time
    assert info._shallow_offset_of_max_timestamp == (0 if type_ is CompressionType.NONE and magic <= 1 else 2)
    for batch in records.batches():
        if magic == 0:
            assert batch.timestamp_type() is TimestampType.NO_TIMESTAMP_TYPE
        else:
            assert batch.timestamp_type() is TimestampType.LOG_APPEND_TIME
            assert {record.timestamp() for record in batch} == {log_append_time}


@ARGS
@BUFFER_OFFSETS
def test_build_using_create_time(type_, magic, buffer_offset) -> None:
    builder = builder_of(allocate_buffer(1024, buffer_offset), magic, type_, log_append_time=now())
    for timestamp, key, value in ((0, b"a", b"1"), (2, b"b", b"2"), (1, b"c", b"3")):
        builder.append(timestamp, key, value)
    records = builder.build()

    info = builder.info()
    assert info._max_timestamp == (-1 if magic == 0 else 2)
    assert info._shallow_offset_of_max_timestamp == (
        -1 if magic == 0 else 1 if type_ is CompressionType.NONE and magic == 1 else 2)
    timestamps = []
    for batch in records.batches():
        if magic == 0:
            assert batch.timestamp_type() is TimestampType.NO_TIMESTAMP_TYPE
        else:
            assert batch.timestamp_type() is TimestampType.CREATE_TIME
        timestamps += [record.timestamp() for record in batch]
    assert timestamps == ([-1, -1, -1] if magic == 0 else [0, 2, 1])


@ARGS
def test_appended_checksum_consistency(type_, magic) -> None:
    builder = builder_of(ByteBuffer.allocate(512), magic, type_, log_append_time=LegacyRecord.NO_TIMESTAMP)
    builder.append(1, b"key", b"value")
    records = builder.build()
    record, = records.records()
    record.ensure_valid()
    assert (content(record.key()), content(record.value())) == (b"key", b"value")
    if magic < 2 and type_ is CompressionType.NONE:
        # The last byte is the value's, which the checksum covers.
        records.buffer().put_at(records.size_in_bytes() - 1, ord("E"))
        with pytest.raises(CorruptRecordException):
            record.ensure_valid()


@ARGS
def test_small_write_limit(type_, magic) -> None:
    builder = builder_of(ByteBuffer.allocate(512), magic, type_, log_append_time=LegacyRecord.NO_TIMESTAMP,
                         limit=0)
    assert not builder.is_full()
    assert builder.has_room_for(0, b"foo", b"bar", Record.EMPTY_HEADERS)
    builder.append(0, b"foo", b"bar")
    assert builder.is_full()
    assert not builder.has_room_for(0, b"foo", b"bar", Record.EMPTY_HEADERS)
    assert not builder.has_room_for_size(0)
    record, = builder.build().records()
    assert (content(record.key()), content(record.value())) == (b"foo", b"bar")


@ARGS
@BUFFER_OFFSETS
def test_write_past_limit(type_, magic, buffer_offset) -> None:
    builder = builder_of(allocate_buffer(64, buffer_offset), magic, type_, log_append_time=now())
    builder.set_estimated_compression_ratio(0.5)
    builder.append(0, b"a", b"1")
    builder.append(1, b"b", b"2")
    assert not builder.has_room_for(2, b"c", b"3", Record.EMPTY_HEADERS)
    builder.append(2, b"c", b"3")
    records = builder.build()

    info = builder.info()
    assert (info._max_timestamp, info._shallow_offset_of_max_timestamp) == ((-1, -1) if magic == 0
                                                                            else (2, 2))
    assert [record.timestamp() for record in records.records()] == ([-1] * 3 if magic == 0 else [0, 1, 2])
    assert builder.initial_capacity() == 64


@ARGS
@BUFFER_OFFSETS
def test_append_at_invalid_offset(type_, magic, buffer_offset) -> None:
    builder = builder_of(allocate_buffer(1024, buffer_offset), magic, type_, log_append_time=now())
    builder.append_with_offset(0, now(), b"a", None)
    with pytest.raises(IllegalArgumentException, match="Illegal offset 0 following previous offset 0"):
        builder.append_with_offset(0, now(), b"b", None)


def verify_records_processing_stats(type_, stats, num_records, num_records_converted, final_bytes,
                                    pre_converted_bytes) -> None:
    assert stats.num_records_converted() == num_records_converted
    assert stats.conversion_time_nanos() >= 0
    temp_bytes = stats.temporary_memory_bytes()
    if type_ is CompressionType.NONE:
        if num_records_converted == 0:
            assert temp_bytes == final_bytes
        elif num_records_converted == num_records:
            assert temp_bytes == pre_converted_bytes + final_bytes
        else:
            assert final_bytes < temp_bytes < final_bytes + pre_converted_bytes
    else:
        assert temp_bytes > final_bytes - Records.LOG_OVERHEAD - LegacyRecord.RECORD_OVERHEAD_V0


@TYPES
def test_convert_v2_to_v1_using_mixed_create_and_log_append_time(type_) -> None:
    buffer = ByteBuffer.allocate(512)
    compression = Compression.of(type_).build()
    builder = MemoryRecords.builder(buffer, compression, TimestampType.LOG_APPEND_TIME, 0)
    builder.append(10, b"1", b"a")
    builder.close()
    size_excluding_txn_markers = buffer.position()
    MemoryRecords.write_end_transactional_marker(buffer, 1, now(), 0, 15, 0, ABORT)
    position = buffer.position()
    builder = MemoryRecords.builder(buffer, compression, TimestampType.CREATE_TIME, 1)
    builder.append(12, b"2", b"b")
    builder.append(13, b"3", b"c")
    builder.close()
    size_excluding_txn_markers += buffer.position() - position
    MemoryRecords.write_end_transactional_marker(buffer, 14, now(), 0, 1, 0,
                                                 EndTransactionMarker(ControlRecordType.COMMIT, 0))
    buffer.flip()

    def convert():
        return MemoryRecords.readable_records(buffer).down_convert(1, 0, Time.SYSTEM)
    if type_ is CompressionType.ZSTD:
        with pytest.raises(UnsupportedCompressionTypeException,
                           match="^Down-conversion of zstandard-compressed batches is not supported$"):
            convert()
        return
    converted_records = convert()
    records = converted_records.records()
    verify_records_processing_stats(type_, converted_records.record_conversion_stats(), 3, 3,
                                    records.size_in_bytes(), size_excluding_txn_markers)
    expected = [TimestampType.LOG_APPEND_TIME, TimestampType.CREATE_TIME]
    if type_ is CompressionType.NONE:
        expected.append(TimestampType.CREATE_TIME)
    assert [batch.timestamp_type() for batch in records.batches()] == expected
    assert [content(record.key()) for record in records.records()] == [b"1", b"2", b"3"]


@TYPES
def test_convert_to_v1_with_mixed_v0_and_v2_data(type_) -> None:
    buffer = ByteBuffer.allocate(512)
    compression = Compression.of(type_).build()

    def v0():
        return MemoryRecords.builder(buffer, compression, TimestampType.NO_TIMESTAMP_TYPE, 0, magic=0)
    if type_ is CompressionType.ZSTD:
        with pytest.raises(IllegalArgumentException):
            v0()
        return
    builder = v0()
    builder.append(RecordBatch.NO_TIMESTAMP, b"1", b"a")
    builder.close()
    builder = MemoryRecords.builder(buffer, compression, TimestampType.CREATE_TIME, 1)
    builder.append(11, b"2", b"b")
    builder.append(12, b"3", b"c")
    builder.close()
    buffer.flip()

    converted_records = MemoryRecords.readable_records(buffer).down_convert(1, 0, Time.SYSTEM)
    records = converted_records.records()
    verify_records_processing_stats(type_, converted_records.record_conversion_stats(), 3, 2,
                                    records.size_in_bytes(), buffer.limit())
    expected = [(0, 0), (1, 1)] + ([(1, 2)] if type_ is CompressionType.NONE else [])
    assert [(batch.magic(), batch.base_offset()) for batch in records.batches()] == expected
    assert [content(record.key()) for record in records.records()] == [b"1", b"2", b"3"]

    converted_records = MemoryRecords.readable_records(buffer).down_convert(1, 2, Time.SYSTEM)
    records = converted_records.records()
    batches = [(batch.magic(), batch.base_offset()) for batch in records.batches()]
    keys = [content(record.key()) for record in records.records()]
    if type_ is CompressionType.NONE:
        assert batches == [(0, 0), (1, 2)]
        assert keys == [b"1", b"3"]
        num_records_converted = 1
    else:
        assert batches == [(0, 0), (1, 1)]
        assert keys == [b"1", b"2", b"3"]
        num_records_converted = 2
    verify_records_processing_stats(type_, converted_records.record_conversion_stats(), 3,
                                    num_records_converted, records.size_in_bytes(), buffer.limit())


@ARGS
@BUFFER_OFFSETS
def test_should_throw_illegal_state_exception_on_build_when_aborted(type_, magic, buffer_offset) -> None:
    builder = builder_of(allocate_buffer(128, buffer_offset), magic, type_)
    builder.abort()
    with pytest.raises(IllegalStateException):
        builder.build()


@ARGS
@BUFFER_OFFSETS
def test_should_reset_buffer_to_initial_position_on_abort(type_, magic, buffer_offset) -> None:
    builder = builder_of(allocate_buffer(128, buffer_offset), magic, type_)
    builder.append(0, b"a", b"1")
    builder.abort()
    assert builder.buffer().position() == buffer_offset


@ARGS
@BUFFER_OFFSETS
def test_should_throw_illegal_state_exception_on_close_when_aborted(type_, magic, buffer_offset) -> None:
    builder = builder_of(allocate_buffer(128, buffer_offset), magic, type_)
    builder.abort()
    with pytest.raises(IllegalStateException):
        builder.close()
    with pytest.raises(IllegalStateException):
        builder.reopen_and_rewrite_producer_state(1, 2, 3, False)


@ARGS
@BUFFER_OFFSETS
def test_should_throw_illegal_state_exception_on_append_when_aborted(type_, magic, buffer_offset) -> None:
    builder = builder_of(allocate_buffer(128, buffer_offset), magic, type_)
    builder.abort()
    with pytest.raises(IllegalStateException):
        builder.append(0, b"a", b"1")


@ARGS
def test_buffers_dereferenced_on_close(type_, magic) -> None:
    payload_length = 256 * 1024
    buffer = ByteBuffer.allocate(payload_length * 2)
    value = random.Random(1).randbytes(payload_length)
    builders = []
    with counted():
        for iteration in range(5):
            buffer.rewind()
            builder = builder_of(buffer, magic, type_, limit=0)
            builder.append(1, b"", value)
            builder.build()
            builders.append(builder)
            if iteration == 1:
                start = held()
        # PyPy's compiler keeps what it has made, in between.
        assert held() - start < (payload_length if PYPY else 3 * 8 * 1024)


@TYPES
def test_record_timestamps_with_delete_horizon(type_) -> None:
    builder = MemoryRecordsBuilder(ByteBufferOutputStream(1024), 2, Compression.of(type_).build(),
                                   TimestampType.CREATE_TIME, 0, 0, -1, -1, -1, False, False, -1, 0, 100)
    builder.append(50, b"0", b"0")
    builder.append(100, b"1", None)
    builder.append(150, b"2", b"2")
    batch, = builder.build().batches()
    assert batch.delete_horizon_ms() == 100
    with batch.streaming_iterator(BufferSupplier.create()) as iterator:
        assert [record.timestamp() for record in iterator] == [50, 100, 150]


# -- ours ----------------------------------------------------------------------------------------------------


def test_what_the_formats_do_not_know() -> None:
    for magic in (0, 1):
        for message, arguments in (
                ("Control records are not supported for magic", dict(is_control=True)),
                ("Transactional records are not supported for magic", dict(is_transactional=True))):
            with pytest.raises(IllegalArgumentException, match=f"{message} {magic}"):
                builder_of(ByteBuffer.allocate(128), magic, CompressionType.NONE, **arguments)
        builder = builder_of(ByteBuffer.allocate(128), magic, CompressionType.NONE)
        with pytest.raises(IllegalArgumentException, match=f"Magic v{magic} does not support record headers"):
            builder.append(0, None, None, (RecordHeader("h", b""),))
        builder = builder_of(ByteBuffer.allocate(128), magic, CompressionType.NONE, producer_id=5, epoch=1,
                             sequence=0)
        with pytest.raises(IllegalArgumentException,
                           match=f"Idempotent messages are not supported for magic {magic}"):
            builder.build()
    with pytest.raises(IllegalArgumentException, match="TimestampType must be set for magic >= 0"):
        builder_of(ByteBuffer.allocate(128), 1, CompressionType.NONE,
                   timestamp_type=TimestampType.NO_TIMESTAMP_TYPE)
    with pytest.raises(IllegalArgumentException,
                       match="Delete horizon timestamp is not supported for magic 1"):
        MemoryRecordsBuilder(ByteBuffer.allocate(9), 1, Compression.NONE, TimestampType.CREATE_TIME, 0, 0,
                             -1, -1, -1, False, False, -1, 0, 100)


def test_what_cannot_be_appended() -> None:
    builder = builder_of(ByteBuffer.allocate(128), 2, CompressionType.NONE)
    with pytest.raises(IllegalArgumentException, match="Invalid negative timestamp -2"):
        builder.append(-2, None, None)
    with pytest.raises(IllegalArgumentException,
                       match="Control records can only be appended to control batches"):
        builder.append_control_record(0, ControlRecordType.COMMIT, ByteBuffer.allocate(0))
    builder.append(0, None, None)
    with pytest.raises(IllegalArgumentException,
                       match="Maximum offset delta exceeded, base offset: 0, last offset"):
        builder.append_with_offset(2**31, 0, None, None)


def test_control_records_with_an_offset() -> None:
    builder = builder_of(ByteBuffer.allocate(128), 2, CompressionType.NONE, is_control=True)
    commit = SimpleRecord(5, ControlRecordType.COMMIT.record_key(), b"")
    builder.append_control_record_with_offset(3, commit)
    with pytest.raises(IllegalArgumentException,
                       match="Cannot append record with unknown control record type 99"):
        builder.append_control_record_with_offset(4, SimpleRecord(5, b"\0\0\0\x63", b""))
    record, = builder.build().records()
    assert record.offset() == 3 and ControlRecordType.parse(record.key()) is ControlRecordType.COMMIT


def test_the_producer_can_be_set_until_the_batch_is_built_and_rewritten_then() -> None:
    builder = builder_of(ByteBuffer.allocate(256), 2, CompressionType.LZ4)
    builder.append(5, b"k", b"v")
    builder.close_for_record_appends()
    assert builder.is_full() and not builder.is_closed()
    with pytest.raises(IllegalStateException, match="closed for record appends"):
        builder.append(5, b"k", b"v")
    builder.set_producer_state(7, 8, 9, True)
    first, = builder.build().batches()
    assert (first.producer_id(), first.producer_epoch(), first.base_sequence()) == (7, 8, 9)
    with pytest.raises(IllegalStateException, match="already closed batch"):
        builder.set_producer_state(1, 2, 3, False)
    with pytest.raises(IllegalStateException, match="after the records have been built"):
        builder.override_last_offset(1)
    builder.reopen_and_rewrite_producer_state(1, 2, 3, False)
    again, = builder.build().batches()
    assert (again.producer_id(), again.producer_epoch(), again.base_sequence()) == (1, 2, 3)
    assert again.is_valid() and not again.is_transactional() and len(list(again)) == 1
    assert (builder.producer_id(), builder.producer_epoch(), builder.base_sequence()) == (1, 2, 3)


@ARGS
def test_every_way_to_append(type_, magic) -> None:
    builder = builder_of(ByteBuffer.allocate(64), magic, type_)
    source, = MemoryRecords.with_records(Compression.NONE, SimpleRecord(4, b"d", b"4"),
                                         initial_offset=3).records()
    builder.append(1, b"a", b"1")
    builder.append(2, ByteBuffer.wrap(b"b"), ByteBuffer.wrap(b"2"))
    builder.append_simple_record(SimpleRecord(3, b"c", b"3"))
    builder.append_record(source)
    builder.append_with_offset_record(10, source)
    builder.append_with_offset_simple_record(11, SimpleRecord(3, b"c", b"3"))
    builder.append_unchecked_with_offset_simple_record(12, SimpleRecord(9, b"e", None))
    if magic < 2:
        builder.append_legacy_record(LegacyRecord.create(magic, 5, b"f", b"5"))
        builder.append_unchecked_with_offset(14, LegacyRecord.create(magic, 5, b"f", b"5"))
    records = list(builder.build().records())
    expected = [(0, b"a"), (1, b"b"), (2, b"c"), (3, b"d"), (10, b"d"), (11, b"c"), (12, b"e")]
    if magic < 2:
        expected += [(13, b"f"), (14, b"f")]
    assert [(record.offset(), content(record.key())) for record in records] == expected
    assert builder.num_records() == len(expected)
    assert builder.magic() == magic and builder.compression().type() is type_


def test_override_last_offset() -> None:
    builder = builder_of(ByteBuffer.allocate(128), 2, CompressionType.NONE)
    builder.append(1, None, b"v")
    builder.override_last_offset(9)
    batch, = builder.build().batches()
    assert (batch.base_offset(), batch.last_offset(), batch.count_or_null()) == (0, 9, 1)


@pytest.mark.parametrize("magic, expected", [(0, [57, 58, 59]), (1, [0, 1, 2])])
def test_offsets_within_a_wrapper(magic, expected) -> None:
    records = MemoryRecords.with_records(Compression.gzip().build(), *(SimpleRecord(i) for i in range(3)),
                                         magic=magic, initial_offset=57)
    wrapper, = records.batches()
    inner = MemoryRecords.readable_records(ByteBuffer.wrap(gzip.decompress(content(wrapper.value()))))
    assert [message.offset() for message in inner.batches()] == expected
    assert (wrapper.base_offset(), wrapper.last_offset()) == (57, 59)
