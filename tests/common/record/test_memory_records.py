# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's MemoryRecordsTest."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.errors import CorruptRecordException
from kreactor.common.header.internals.record_headers import RecordHeaders
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.end_transaction_marker import EndTransactionMarker
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.memory_records_builder import MemoryRecordsBuilder
from kreactor.common.record.record import Record
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.records import Records
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.common.record.batches import CODECS, ByteBufferChannel, content

Retention = MemoryRecords.RecordFilter.BatchRetention
LOG_APPEND_TIME = 1_700_000_000_000
ARGS = pytest.mark.parametrize("type_, magic", CODECS)
FIRST_OFFSETS = pytest.mark.parametrize("first_offset", [0, 57])


def producer_of(magic: int) -> tuple[int, int, int]:
    return (134234, 28, 777) if magic >= 2 else (-1, -1, -1)


@ARGS
@FIRST_OFFSETS
def test_iterator(type_, magic, first_offset) -> None:
    producer_id, epoch, first_sequence = producer_of(magic)
    buffer = ByteBuffer.allocate(1024)
    builder = MemoryRecordsBuilder(buffer, magic, Compression.of(type_).build(), TimestampType.CREATE_TIME,
                                   first_offset, LOG_APPEND_TIME, producer_id, epoch, first_sequence, False,
                                   False, 998, buffer.limit())
    records = [SimpleRecord(1, b"a", b"1"), SimpleRecord(2, b"b", b"2"), SimpleRecord(3, b"c", b"3"),
               SimpleRecord(4, None, b"4"), SimpleRecord(5, b"d", None), SimpleRecord(6, None, None)]
    for record in records:
        builder.append_simple_record(record)

    memory_records = builder.build()
    for _ in range(2):
        total = 0
        for batch in memory_records.batches():
            assert batch.is_valid()
            assert batch.compression_type() is type_
            assert batch.base_offset() == first_offset + total
            if magic >= 2:
                assert batch.producer_id() == producer_id
                assert batch.producer_epoch() == epoch
                assert batch.base_sequence() == first_sequence + total
                assert batch.partition_leader_epoch() == 998
                assert batch.count_or_null() == len(records)
                assert batch.timestamp_type() is TimestampType.CREATE_TIME
                assert batch.max_timestamp() == records[-1].timestamp()
            else:
                assert batch.producer_id() == RecordBatch.NO_PRODUCER_ID
                assert batch.producer_epoch() == RecordBatch.NO_PRODUCER_EPOCH
                assert batch.base_sequence() == RecordBatch.NO_SEQUENCE
                assert batch.partition_leader_epoch() == RecordBatch.NO_PARTITION_LEADER_EPOCH
                assert batch.count_or_null() is None
                assert batch.timestamp_type() is (
                    TimestampType.NO_TIMESTAMP_TYPE if magic == 0 else TimestampType.CREATE_TIME)

            record_count = 0
            for record in batch:
                record.ensure_valid()
                assert record.has_magic(batch.magic())
                assert not record.is_compressed()
                assert record.offset() == first_offset + total
                assert content(record.key()) == content(records[total].key())
                assert content(record.value()) == content(records[total].value())
                if magic >= 2:
                    assert record.sequence() == first_sequence + total
                assert not record.has_timestamp_type(TimestampType.LOG_APPEND_TIME)
                if magic == 0:
                    assert record.timestamp() == RecordBatch.NO_TIMESTAMP
                    assert not record.has_timestamp_type(TimestampType.CREATE_TIME)
                    assert record.has_timestamp_type(TimestampType.NO_TIMESTAMP_TYPE)
                else:
                    assert record.timestamp() == records[total].timestamp()
                    assert not record.has_timestamp_type(TimestampType.NO_TIMESTAMP_TYPE)
                    assert record.has_timestamp_type(TimestampType.CREATE_TIME) == (magic < 2)
                total += 1
                record_count += 1
            assert batch.last_offset() == batch.base_offset() + record_count - 1
        assert total == len(records)


@ARGS
def test_has_room_for_method(type_, magic) -> None:
    builder = MemoryRecords.builder(ByteBuffer.allocate(1024), Compression.of(type_).build(),
                                    TimestampType.CREATE_TIME, 0, magic=magic)
    builder.append(0, b"a", b"1")
    assert builder.has_room_for(1, b"b", b"2", Record.EMPTY_HEADERS)
    builder.close()
    assert not builder.has_room_for(1, b"b", b"2", Record.EMPTY_HEADERS)


@ARGS
def test_has_room_for_method_with_headers(type_, magic) -> None:
    builder = MemoryRecords.builder(ByteBuffer.allocate(120), Compression.of(type_).build(),
                                    TimestampType.CREATE_TIME, 0, magic=magic)
    builder.append(LOG_APPEND_TIME, b"key", b"value")
    headers = RecordHeaders()
    for _ in range(10):
        headers.add_key("hello", b"world.world")
    assert builder.has_room_for(LOG_APPEND_TIME, b"key", b"value", Record.EMPTY_HEADERS)
    assert builder.has_room_for(LOG_APPEND_TIME, b"key", b"value", headers.to_array()) == (magic < 2)


# Kafka has values for lz4 with magic 0 and 1 too: 66944826 and 1407303399 of the bytes that lz4 1.9.3 makes,
# which later versions do not. With magic 2 these records do not get any smaller.
@pytest.mark.parametrize("magic, type_, expected_checksum", [
    (0, CompressionType.NONE, 1978725405), (1, CompressionType.NONE, 109425508),
    (2, CompressionType.NONE, 3851219455), (2, CompressionType.LZ4, 2745969314)])
def test_checksum(magic, type_, expected_checksum) -> None:
    batch, *_ = MemoryRecords.with_records(
        Compression.of(type_).build(), SimpleRecord(283843, b"key1", b"value1"),
        SimpleRecord(1234, b"key2", b"value2"), magic=magic).batches()
    assert batch.checksum() == expected_checksum


def test_build_end_txn_marker() -> None:
    marker = EndTransactionMarker(ControlRecordType.COMMIT, 347)
    records = MemoryRecords.with_end_transaction_marker(73, 13, marker, initial_offset=983,
                                                        partition_leader_epoch=29)
    assert records.buffer().capacity() == records.buffer().remaining()
    batch, = records.batches()
    assert batch.is_control_batch()
    assert batch.producer_id() == 73
    assert batch.producer_epoch() == 13
    assert batch.base_offset() == 983
    assert batch.partition_leader_epoch() == 29
    assert batch.is_valid()
    record, = batch
    record.ensure_valid()
    deserialized_marker = EndTransactionMarker.deserialize(record)
    assert deserialized_marker.control_type() is ControlRecordType.COMMIT
    assert deserialized_marker.coordinator_epoch() == 347


@ARGS
def test_next_batch_size(type_, magic) -> None:
    producer_id, epoch, first_sequence = producer_of(magic)
    buffer = ByteBuffer.allocate(2048)
    builder = MemoryRecords.builder(buffer, Compression.of(type_).build(), TimestampType.LOG_APPEND_TIME, 0,
                                    magic=magic, log_append_time=LOG_APPEND_TIME, producer_id=producer_id,
                                    producer_epoch=epoch, base_sequence=first_sequence)
    builder.append(10, None, b"abc")
    builder.close()

    buffer.flip()
    size = buffer.remaining()
    records = MemoryRecords.readable_records(buffer)
    assert records.first_batch_size() == size
    assert buffer.position() == 0

    buffer.set_limit(1)
    assert records.first_batch_size() is None
    buffer.set_limit(Records.LOG_OVERHEAD)
    assert records.first_batch_size() is None
    buffer.set_limit(Records.HEADER_SIZE_UP_TO_MAGIC)
    assert records.first_batch_size() == size

    buffer.set_limit(size)
    stored_magic = buffer.get_at(Records.MAGIC_OFFSET)
    buffer.put_at(Records.MAGIC_OFFSET, 10)
    with pytest.raises(CorruptRecordException):
        records.first_batch_size()

    buffer.put_at(Records.MAGIC_OFFSET, stored_magic)
    buffer.put_at(Records.SIZE_OFFSET + 3, 0)
    with pytest.raises(CorruptRecordException):
        records.first_batch_size()


@ARGS
def test_with_records(type_, magic) -> None:
    records = MemoryRecords.with_records(Compression.of(type_).build(), SimpleRecord(10, b"key1", b"value1"),
                                         magic=magic)
    assert [content(record.key()) for record in records.records()] == [b"key1"]


def test_unsupported_compress() -> None:
    for magic in (0, 1):
        with pytest.raises(IllegalArgumentException,
                           match=f"^ZStandard compression is not supported for magic {magic}$"):
            MemoryRecords.with_records(Compression.zstd().build(), SimpleRecord(10, b"key1", b"value1"),
                                       magic=magic)


# -- ours ----------------------------------------------------------------------------------------------------


def two_batches() -> MemoryRecords:
    buffer = ByteBuffer.allocate(512)
    for offset in (0, 1):
        builder = MemoryRecords.builder(buffer, Compression.NONE, TimestampType.CREATE_TIME, offset)
        builder.append(5, b"k", b"v")
        builder.close()
    return MemoryRecords.readable_records(buffer.flip())


def test_what_follows_from_the_batches() -> None:
    records = two_batches()
    size = records.size_in_bytes()
    assert records.valid_bytes() == size
    assert records.first_batch().base_offset() == 0
    assert records.last_batch().base_offset() == 1
    assert records.has_matching_magic(2) and not records.has_matching_magic(1)
    iterator = records.batch_iterator()
    assert iterator.peek().base_offset() == 0 and iterator.next().base_offset() == 0
    assert [batch.base_offset() for batch in iterator] == [1]
    assert MemoryRecords.EMPTY.first_batch() is None and MemoryRecords.EMPTY.last_batch() is None
    assert MemoryRecords.EMPTY.has_matching_magic(7)
    assert MemoryRecords.with_records(Compression.NONE) is MemoryRecords.EMPTY


def test_valid_bytes_leave_out_part_of_a_batch() -> None:
    whole = two_batches()
    part = MemoryRecords.readable_records(ByteBuffer.wrap(whole.buffer().to_bytes()[:-1]))
    assert part.valid_bytes() == part.valid_bytes() == whole.size_in_bytes() // 2
    assert part.size_in_bytes() == whole.size_in_bytes() - 1
    assert len(list(part.records())) == 1


def test_write_to_and_equality() -> None:
    records = two_batches()
    channel = ByteBufferChannel(1000)
    assert records.write_to(channel, 3, 10) == 10
    assert channel.content() == records.buffer().to_bytes()[3:13]
    with pytest.raises(IllegalArgumentException,
                       match=r"position\+length should not be greater than buffer.limit"):
        records.write_to(channel, 3, records.size_in_bytes())
    channel = ByteBufferChannel(1000)
    assert records.write_fully_to(channel) == records.size_in_bytes()
    assert channel.content() == records.buffer().to_bytes()
    assert records == two_batches() and hash(records) == hash(two_batches())
    assert records != MemoryRecords.EMPTY


def test_to_send() -> None:
    records = two_batches()
    send = records.to_send()
    data = b""
    while not send.completed():
        channel = ByteBufferChannel(50)
        send.write_to(channel)
        data += channel.content()
    assert send.size() == records.size_in_bytes()
    assert data == records.buffer().to_bytes()


def test_a_builder_with_a_limit() -> None:
    builder = MemoryRecords.builder(ByteBuffer.allocate(512), Compression.NONE,
                                    TimestampType.LOG_APPEND_TIME, 0, max_size=100)
    assert builder.max_allowed_bytes() == 39
    builder.append(1, None, b"v")
    assert builder.info()._max_timestamp > LOG_APPEND_TIME
    builder = MemoryRecords.idempotent_builder(ByteBuffer.allocate(512), Compression.NONE, 0, 5, 6, 7)
    assert builder.base_sequence() == 7
    batch, = MemoryRecords.with_transactional_records(
        Compression.NONE, 5, 6, 7, SimpleRecord(1), initial_offset=3, partition_leader_epoch=9).batches()
    assert batch.is_transactional()
    assert (batch.producer_id(), batch.producer_epoch(), batch.base_sequence(), batch.base_offset(),
            batch.partition_leader_epoch()) == (5, 6, 7, 3, 9)


class Filter(MemoryRecords.RecordFilter):
    """Retains what a test says: all batches, and records that have a key if nothing else is said."""

    def __init__(self, retention: Retention = Retention.DELETE_EMPTY,
                 retains: Callable[[Record], bool] = lambda record: record.has_key(), current_time: int = 0,
                 delete_retention_ms: int = 0) -> None:
        super().__init__(current_time, delete_retention_ms)
        self._retention = retention
        self._retains = retains

    def check_batch_retention(self, batch: RecordBatch) -> MemoryRecords.RecordFilter.BatchRetentionResult:
        return MemoryRecords.RecordFilter.BatchRetentionResult(self._retention, False)

    def should_retain_record(self, record_batch: RecordBatch, record: Record) -> bool:
        return self._retains(record)


def filter_to(records: MemoryRecords, filter_: MemoryRecords.RecordFilter
              ) -> tuple[MemoryRecords.FilterResult, MemoryRecords]:
    filtered = ByteBuffer.allocate(2048)
    result = records.filter_to(TopicPartition("foo", 0), filter_, filtered, 2**31 - 1,
                               BufferSupplier.NO_CACHING)
    assert result.output_buffer() is filtered
    return result, MemoryRecords.readable_records(filtered.flip())


def build(buffer: ByteBuffer, type_, magic: int, base_offset: int,
          *records: tuple[int, bytes | None, bytes | None], **kwargs: object) -> None:
    builder = MemoryRecords.builder(buffer, Compression.of(type_).build(),
                                    kwargs.pop("timestamp_type", TimestampType.CREATE_TIME), base_offset,
                                    magic=magic, **kwargs)
    for record in records:
        builder.append(*record)
    builder.close()


def key_and_value(record: Record) -> tuple[bytes | None, bytes | None]:
    return content(record.key()), content(record.value())


@ARGS
def test_filter_to_preserves_partition_leader_epoch(type_, magic) -> None:
    buffer = ByteBuffer.allocate(2048)
    build(buffer, type_, magic, 0, (10, None, b"a"), (11, b"1", b"b"), (12, None, b"c"),
          partition_leader_epoch=67)
    _, filtered = filter_to(MemoryRecords.readable_records(buffer.flip()), Filter())
    batch, = filtered.batches()
    assert batch.partition_leader_epoch() == (67 if magic >= 2 else RecordBatch.NO_PARTITION_LEADER_EPOCH)


@ARGS
@pytest.mark.parametrize("is_transactional", [True, False])
def test_filter_to_empty_batch_retention(type_, magic, is_transactional) -> None:
    buffer = ByteBuffer.allocate(2048)

    def write() -> None:
        build(buffer, type_, magic, 3, (11, b"2", b"b"), (12, b"3", b"c"), producer_id=23, producer_epoch=5,
              base_sequence=10, is_transactional=is_transactional, partition_leader_epoch=293)

    if magic < 2:
        with pytest.raises(IllegalArgumentException):
            write()
        return
    write()
    records = MemoryRecords.readable_records(buffer.flip())
    result, filtered = filter_to(records, Filter(Retention.RETAIN_EMPTY, lambda record: False))
    assert result.messages_read() == 2
    assert result.bytes_read() == records.size_in_bytes()
    assert result.max_offset() == 4
    assert result.messages_retained() == 0
    assert result.bytes_retained() == DefaultRecordBatch.RECORD_BATCH_OVERHEAD
    assert result.max_timestamp() == 12
    assert result.shallow_offset_of_max_timestamp() == 4

    batch, = filtered.batches()
    assert batch.count_or_null() == 0
    assert batch.max_timestamp() == 12
    assert batch.timestamp_type() is TimestampType.CREATE_TIME
    assert (batch.base_offset(), batch.last_offset()) == (3, 4)
    assert (batch.base_sequence(), batch.last_sequence()) == (10, 11)
    assert batch.is_transactional() == is_transactional


def empty_batch() -> MemoryRecords:
    buffer = ByteBuffer.allocate(DefaultRecordBatch.RECORD_BATCH_OVERHEAD)
    DefaultRecordBatch.write_empty_header(buffer, 2, 23, 5, 10, 3, 3, 293, TimestampType.CREATE_TIME,
                                          LOG_APPEND_TIME, False, False)
    return MemoryRecords.readable_records(buffer.flip())


def test_empty_batch_retention() -> None:
    records = empty_batch()
    result, filtered = filter_to(records, Filter(Retention.RETAIN_EMPTY))
    assert result.messages_read() == 0
    assert result.bytes_read() == records.size_in_bytes()
    assert result.max_offset() == 3
    assert result.messages_retained() == 0
    assert result.bytes_retained() == DefaultRecordBatch.RECORD_BATCH_OVERHEAD
    assert result.max_timestamp() == LOG_APPEND_TIME
    assert result.shallow_offset_of_max_timestamp() == 3
    assert filtered.size_in_bytes() == DefaultRecordBatch.RECORD_BATCH_OVERHEAD


@pytest.mark.parametrize("retention", [Retention.DELETE, Retention.DELETE_EMPTY])
def test_empty_batch_deletion(retention) -> None:
    _, filtered = filter_to(empty_batch(), Filter(retention))
    assert filtered.size_in_bytes() == 0


@pytest.mark.parametrize("type_", list(CompressionType))
def test_base_timestamp_to_delete_horizon_conversion(type_) -> None:
    buffer = ByteBuffer.allocate(2048)
    build(buffer, type_, 2, 0, (5, b"0", b"0"), (10, b"1", None), (15, b"2", b"2"),
          partition_leader_epoch=998)
    delete_horizon = (2**31 - 1) // 2
    _, filtered = filter_to(MemoryRecords.readable_records(buffer.flip()),
                            Filter(Retention.RETAIN_EMPTY, lambda record: True, delete_horizon - 1, 1))
    batch, = filtered.batches()
    assert batch.delete_horizon_ms() == delete_horizon
    with batch.streaming_iterator(BufferSupplier.create()) as records:
        assert [record.timestamp() for record in records] == [5, 10, 15]


@ARGS
def test_filter_to_batch_discard(type_, magic) -> None:
    class Discard(Filter):
        def check_batch_retention(self, batch: RecordBatch
                                  ) -> MemoryRecords.RecordFilter.BatchRetentionResult:
            discard = batch.last_offset() in (2, 6)
            return MemoryRecords.RecordFilter.BatchRetentionResult(
                Retention.DELETE if discard else Retention.DELETE_EMPTY, False)

    buffer = ByteBuffer.allocate(2048)
    build(buffer, type_, magic, 0, (10, b"1", b"a"))
    build(buffer, type_, magic, 1, (11, b"2", b"b"), (12, b"3", b"c"))
    build(buffer, type_, magic, 3, (13, b"4", b"d"), (20, b"5", b"e"), (15, b"6", b"f"))
    build(buffer, type_, magic, 6, (16, b"7", b"g"))
    _, filtered = filter_to(MemoryRecords.readable_records(buffer.flip()), Discard())
    last_offsets = [batch.last_offset() for batch in filtered.batches()]
    if type_ is not CompressionType.NONE or magic >= 2:
        assert last_offsets == [0, 5]
    else:
        assert last_offsets == [0, 1, 3, 4, 5]


@ARGS
def test_filter_to_already_compacted_log(type_, magic) -> None:
    buffer = ByteBuffer.allocate(2048)
    builder = MemoryRecords.builder(buffer, Compression.of(type_).build(), TimestampType.CREATE_TIME, 0,
                                    magic=magic)
    builder.append_with_offset(5, 10, None, b"a")
    builder.append_with_offset(8, 11, b"1", b"b")
    builder.append_with_offset(10, 12, None, b"c")
    builder.close()
    _, filtered = filter_to(MemoryRecords.readable_records(buffer.flip()), Filter())

    batch, = filtered.batches()
    record, = batch
    assert record.offset() == 8
    assert record.timestamp() == (11 if magic >= 1 else RecordBatch.NO_TIMESTAMP)
    assert key_and_value(record) == (b"1", b"b")
    # From magic 2 on a batch keeps the offsets that it had.
    assert (batch.base_offset(), batch.last_offset()) == ((0, 10) if magic >= 2 else (8, 8))


@ARGS
def test_filter_to_preserves_producer_info(type_, magic) -> None:
    buffer = ByteBuffer.allocate(2048)
    build(buffer, type_, magic, 0, (10, None, b"a"), (11, b"1", b"b"), (12, None, b"c"))

    def idempotent() -> None:
        build(buffer, type_, magic, 3, (13, None, b"d"), (14, b"4", b"e"), (15, b"5", b"f"), producer_id=23,
              producer_epoch=5, base_sequence=10)

    def transactional() -> None:
        build(buffer, type_, magic, 3, (16, b"6", b"g"), (17, b"7", b"h"), (18, None, b"i"),
              producer_id=99384, producer_epoch=234, base_sequence=15, is_transactional=True)

    if magic < 2:
        for write in (idempotent, transactional):
            with pytest.raises(IllegalArgumentException):
                write()
        return
    idempotent()
    transactional()
    _, filtered = filter_to(MemoryRecords.readable_records(buffer.flip()), Filter())
    facts = [(batch.count_or_null(), batch.base_offset(), batch.last_offset(), batch.producer_id(),
              batch.producer_epoch(), batch.base_sequence(), batch.last_sequence(), batch.is_transactional(),
              [(record.sequence(), record.timestamp(), *key_and_value(record)) for record in batch])
             for batch in filtered.batches()]
    assert facts == [
        (1, 0, 2, -1, -1, -1, -1, False, [(-1, 11, b"1", b"b")]),
        (2, 3, 5, 23, 5, 10, 12, False, [(11, 14, b"4", b"e"), (12, 15, b"5", b"f")]),
        (2, 3, 5, 99384, 234, 15, 17, True, [(15, 16, b"6", b"g"), (16, 17, b"7", b"h")])]


@ARGS
def test_filter_to_with_undersized_buffer(type_, magic) -> None:
    buffer = ByteBuffer.allocate(1024)
    build(buffer, type_, magic, 0, (10, None, b"a"))
    build(buffer, type_, magic, 1, (11, b"1", bytes(128)), (12, b"2", b"c"), (13, None, b"d"))
    build(buffer, type_, magic, 4, (14, None, b"e"), (15, b"5", b"f"), (16, b"6", b"g"))
    build(buffer, type_, magic, 7, (17, b"7", bytes(128)))
    buffer.flip()

    output = ByteBuffer.allocate(64)
    records: list[Record] = []
    while buffer.has_remaining():
        output.rewind()
        result = MemoryRecords.readable_records(buffer.slice()).filter_to(
            TopicPartition("foo", 0), Filter(), output, 2**31 - 1, BufferSupplier.NO_CACHING)
        buffer.set_position(buffer.position() + result.bytes_read())
        result.output_buffer().flip()
        if output is not result.output_buffer():
            assert output.position() == 0
        filtered = MemoryRecords.readable_records(result.output_buffer())
        records += [record for batch in filtered.batches() for record in batch]
    assert len(records) == 5
    assert all(record.has_key() for record in records)


@ARGS
def test_filter_to(type_, magic) -> None:
    buffer = ByteBuffer.allocate(2048)
    build(buffer, type_, magic, 0, (10, None, b"a"))
    build(buffer, type_, magic, 1, (11, b"1", b"b"), (12, None, b"c"))
    build(buffer, type_, magic, 3, (13, None, b"d"), (20, b"4", b"e"), (15, b"5", b"f"))
    build(buffer, type_, magic, 6, (16, b"6", b"g"))
    records = MemoryRecords.readable_records(buffer.flip())
    result, filtered = filter_to(records, Filter())
    one_by_one = magic < 2 and type_ is CompressionType.NONE
    assert result.messages_read() == 7
    assert result.messages_retained() == 4
    assert result.bytes_read() == records.size_in_bytes()
    assert result.bytes_retained() == filtered.size_in_bytes()
    if magic > 0:
        assert result.max_timestamp() == 20
        assert result.shallow_offset_of_max_timestamp() == (4 if one_by_one else 5)

    if one_by_one:
        expected = [(1, 1, 11), (4, 4, 20), (5, 5, 15), (6, 6, 16)]
    elif magic < 2:
        expected = [(1, 1, 11), (4, 5, 20), (6, 6, 16)]
    else:
        expected = [(1, 2, 11), (3, 5, 20), (6, 6, 16)]
    batches = list(filtered.batches())
    assert [(batch.base_offset(), batch.last_offset()) for batch in batches] == [
        (first, last) for first, last, _ in expected]
    for batch, (_, _, max_timestamp) in zip(batches, expected):
        assert (batch.magic(), batch.compression_type()) == (magic, type_)
        assert (batch.max_timestamp(), batch.timestamp_type()) == (
            (max_timestamp, TimestampType.CREATE_TIME) if magic >= 1
            else (RecordBatch.NO_TIMESTAMP, TimestampType.NO_TIMESTAMP_TYPE))
    assert [(record.offset(), record.timestamp() if magic > 0 else None, *key_and_value(record))
            for batch in batches for record in batch] == [
        (offset, timestamp if magic > 0 else None, key, value) for offset, timestamp, key, value in (
            (1, 11, b"1", b"b"), (4, 20, b"4", b"e"), (5, 15, b"5", b"f"), (6, 16, b"6", b"g"))]


@ARGS
def test_filter_to_preserves_log_append_time(type_, magic) -> None:
    producer_id, epoch, first_sequence = producer_of(magic)
    buffer = ByteBuffer.allocate(2048)
    for base_offset, records in ((0, [(10, None, b"a")]), (1, [(11, b"1", b"b"), (12, None, b"c")]),
                                 (3, [(13, None, b"d"), (14, b"4", b"e"), (15, b"5", b"f")])):
        if magic == 0:
            # The format has no times, and its builder takes none.
            build(buffer, type_, magic, base_offset, *records)
        else:
            build(buffer, type_, magic, base_offset, *records, timestamp_type=TimestampType.LOG_APPEND_TIME,
                  log_append_time=LOG_APPEND_TIME, producer_id=producer_id, producer_epoch=epoch,
                  base_sequence=first_sequence)
    _, filtered = filter_to(MemoryRecords.readable_records(buffer.flip()), Filter())
    batches = list(filtered.batches())
    assert len(batches) == (3 if magic < 2 and type_ is CompressionType.NONE else 2)
    for batch in batches:
        assert batch.compression_type() is type_
        if magic > 0:
            assert batch.timestamp_type() is TimestampType.LOG_APPEND_TIME
            assert batch.max_timestamp() == LOG_APPEND_TIME
