# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Batches that others made, read here, and batches made here, read by others."""

from __future__ import annotations

import datetime
import io

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.header.internals.record_header import RecordHeader
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.end_transaction_marker import EndTransactionMarker
from kreactor.common.record.file_records import FileRecords
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.memory_records_builder import MemoryRecordsBuilder
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.common.record.batches import (
    BROKER_RECORDS,
    CLIENT_RECORDS,
    CODECS,
    LARGE_VALUE,
    batches_of_kafka,
    content,
    records_of,
)

MAX_INT = 2**31 - 1
NAMES = pytest.mark.parametrize("name", sorted(batches_of_kafka()))


def told(records, magic: int, headers: bool = True) -> list[tuple]:
    """Return what a format can tell of records."""
    return [(record.timestamp() if magic > 0 else -1, content(record.key()), content(record.value()),
             tuple(record.headers()) if magic > 1 and headers else ()) for record in records]


# -- Apache Kafka 3.8.0 --------------------------------------------------------------------------------------


@NAMES
def test_every_batch_of_kafka_is_valid(name, tmp_path) -> None:
    records = records_of(batches_of_kafka()[name])
    batches = list(records.batches())
    assert batches
    for batch in batches:
        assert batch.is_valid()
        batch.ensure_valid()
        with batch.streaming_iterator(BufferSupplier.create()) as streamed:
            assert list(streamed) == list(batch)
        with batch.skip_key_value_iterator(BufferSupplier.create()) as skipped:
            assert [(r.offset(), r.timestamp(), r.key_size(), r.value_size(), r.size_in_bytes())
                    for r in skipped] == [
                (r.offset(), r.timestamp(), r.key_size(), r.value_size(), r.size_in_bytes()) for r in batch]
    file_records = FileRecords.open(str(tmp_path / "kafka.log"))
    file_records.append(records)
    for in_file, in_memory in zip(file_records.batches(), batches, strict=True):
        assert in_file.last_offset() == in_memory.last_offset()
        assert list(in_file) == list(in_memory)
    file_records.close()


@NAMES
def test_one_changed_bit_is_noticed(name) -> None:
    data = batches_of_kafka()[name]
    first = next(iter(records_of(data).batches()))
    start = 21 if first.magic() == 2 else 16
    for position in range(start, first.size_in_bytes(), 7):
        if position == 16:
            continue  # the magic: another format's rules would apply
        changed = bytearray(data)
        changed[position] ^= 0x10
        assert not next(iter(records_of(bytes(changed)).batches())).is_valid()


@pytest.mark.parametrize("type_, magic", CODECS)
def test_create_time_of_clients(type_, magic) -> None:
    data = batches_of_kafka()[f"clients/create-time/magic-{magic}/{type_}"]
    records = records_of(data)
    assert told(records.records(), magic) == told(CLIENT_RECORDS, magic)
    assert [record.offset() for record in records.records()] == [1234, 1235, 1236, 1237, 1238]
    assert {batch.compression_type() for batch in records.batches()} == {type_}
    assert {batch.magic() for batch in records.batches()} == {magic}
    ours = made_here(type_, magic, 1234)
    if type_ is CompressionType.NONE:
        assert ours == data
    else:
        assert list(records_of(ours).records()) == list(records.records())


def made_here(type_: CompressionType, magic: int, initial_offset: int) -> bytes:
    records = CLIENT_RECORDS
    if magic < 2:
        records = [SimpleRecord(r.timestamp(), r.key(), r.value()) for r in records]
    return MemoryRecords.with_records(Compression.of(type_).build(), *records, magic=magic,
                                      initial_offset=initial_offset).buffer().to_bytes()


@pytest.mark.parametrize("type_", [CompressionType.NONE, CompressionType.LZ4])
@pytest.mark.parametrize("magic", [1, 2])
def test_log_append_time_of_clients(type_, magic) -> None:
    data = batches_of_kafka()[f"clients/log-append-time/magic-{magic}/{type_}"]
    records = records_of(data)
    assert {record.timestamp() for record in records.records()} == {1700000555555}
    assert {batch.timestamp_type() for batch in records.batches()} == {TimestampType.LOG_APPEND_TIME}
    if type_ is CompressionType.NONE:
        builder = MemoryRecords.builder(ByteBuffer.allocate(64), Compression.NONE,
                                        TimestampType.LOG_APPEND_TIME, 77, magic=magic,
                                        log_append_time=1700000555555)
        for record in CLIENT_RECORDS:
            headers = record.headers() if magic == 2 else ()
            builder.append(record.timestamp(), record.key(), record.value(), headers)
        assert builder.build().buffer().to_bytes() == data


def test_producers_of_clients() -> None:
    data = batches_of_kafka()["clients/idempotent"]
    batch, = records_of(data).batches()
    assert (batch.producer_id(), batch.producer_epoch(), batch.base_sequence(), batch.last_sequence(),
            batch.partition_leader_epoch(), batch.is_transactional()) == (4711, 3, MAX_INT - 1, 2, 12, False)
    assert [record.sequence() for record in batch] == [MAX_INT - 1, MAX_INT, 0, 1, 2]
    assert MemoryRecords.with_idempotent_records(
        Compression.NONE, 4711, 3, MAX_INT - 1, *CLIENT_RECORDS, initial_offset=99,
        partition_leader_epoch=12).buffer().to_bytes() == data
    batch, = records_of(batches_of_kafka()["clients/transactional"]).batches()
    assert batch.is_transactional() and batch.compression_type() is CompressionType.SNAPPY


@pytest.mark.parametrize("name, type_, offset, timestamp, epoch, coordinator_epoch", [
    ("commit", ControlRecordType.COMMIT, 500, 1700000000777, 3, 31),
    ("abort", ControlRecordType.ABORT, 501, 1700000000888, 4, 32)])
def test_markers_of_clients(name, type_, offset, timestamp, epoch, coordinator_epoch) -> None:
    data = batches_of_kafka()[f"clients/{name}"]
    batch, = records_of(data).batches()
    assert batch.is_control_batch() and batch.is_transactional()
    record, = batch
    marker = EndTransactionMarker(type_, coordinator_epoch)
    assert EndTransactionMarker.deserialize(record) == marker
    assert MemoryRecords.with_end_transaction_marker(
        4711, epoch, marker, initial_offset=offset, timestamp=timestamp,
        partition_leader_epoch=9).buffer().to_bytes() == data


def test_empty_batch_and_delete_horizon_of_clients() -> None:
    data = batches_of_kafka()["clients/empty"]
    buffer = ByteBuffer.allocate(61)
    DefaultRecordBatch.write_empty_header(buffer, 2, 23423, 145, 983, 15, 37, 15, TimestampType.CREATE_TIME,
                                          1700000000000, True, False)
    assert buffer.flip().to_bytes() == data

    data = batches_of_kafka()["clients/delete-horizon"]
    batch, = records_of(data).batches()
    assert batch.delete_horizon_ms() == 1700000200000
    assert told(batch, 2) == told(CLIENT_RECORDS, 2)
    builder = MemoryRecordsBuilder(ByteBuffer.allocate(61), 2, Compression.NONE, TimestampType.CREATE_TIME,
                                   10, -1, -1, -1, -1, False, False, 4, 512, 1700000200000)
    for record in CLIENT_RECORDS:
        builder.append_simple_record(record)
    assert builder.build().buffer().to_bytes() == data


@pytest.mark.parametrize("type_", [t for t in CompressionType if t is not CompressionType.NONE])
def test_large_record_of_clients(type_) -> None:
    record, = records_of(batches_of_kafka()[f"clients/large/{type_}"]).records()
    assert (content(record.key()), content(record.value())) == (b"k", LARGE_VALUE)


@pytest.mark.parametrize("topic, versions", [
    ("none", (0, 2, 11)), ("gzip", (0, 2, 11)), ("snappy", (0, 2, 11)), ("lz4", (0, 2, 11)), ("zstd", (11,)),
    ("lat", (0, 2, 11)), ("txn", (0, 2, 11))])
def test_what_a_broker_answered(topic, versions) -> None:
    for version in versions:
        magic = {0: 0, 2: 1, 11: 2}[version]
        records = records_of(batches_of_kafka()[f"broker/{topic}/fetch-v{version}"])
        batches = list(records.batches())
        assert {batch.magic() for batch in batches} == {magic}
        user_records = [record for batch in batches if not batch.is_control_batch() for record in batch]
        assert [record.offset() for record in user_records] == [0, 1, 2]
        if topic == "lat":
            assert [t[1:] for t in told(user_records, magic)] == [t[1:] for t in told(BROKER_RECORDS, magic)]
            assert len({record.timestamp() for record in user_records}) == 1
            assert batches[0].timestamp_type() is (
                TimestampType.NO_TIMESTAMP_TYPE if magic == 0 else TimestampType.LOG_APPEND_TIME)
        else:
            assert told(user_records, magic) == told(BROKER_RECORDS, magic)
        if topic == "txn" and magic == 2:
            data_batch, marker_batch = batches
            marker_record, = marker_batch
            assert data_batch.is_transactional() and marker_batch.is_control_batch()
            assert data_batch.producer_id() == marker_batch.producer_id() > RecordBatch.NO_PRODUCER_ID
            assert EndTransactionMarker.deserialize(marker_record).control_type() is ControlRecordType.COMMIT


# -- other clients -------------------------------------------------------------------------------------------

# Neither knows the old checksum of an lz4 frame, which magic 0 has.
OTHERS_CODECS = [codec for codec in CODECS if codec != (CompressionType.LZ4, 0)]
RECORDS = [(1700000000000, b"key", b"value", [("h", b"x"), ("n", None)]),
           (1700000000500, None, b"v" * 500, []), (1700000000100, b"key", None, [("h", b"")]),
           (1700000000200, b"", b"", [])]


def built_by(module: str, magic: int, codec: int) -> bytes:
    """Return RECORDS in a batch, made by a package that has builders like kafka-python's."""
    default_records = pytest.importorskip(f"{module}.record.default_records")
    legacy_records = pytest.importorskip(f"{module}.record.legacy_records")
    if magic == 2:
        builder = default_records.DefaultRecordBatchBuilder(
            magic=2, compression_type=codec, is_transactional=0, producer_id=77, producer_epoch=1,
            base_sequence=5, batch_size=1 << 20)
        for offset, (timestamp, key, value, headers) in enumerate(RECORDS):
            builder.append(offset, timestamp=timestamp, key=key, value=value, headers=headers)
    else:
        builder = legacy_records.LegacyRecordBatchBuilder(magic=magic, compression_type=codec,
                                                          batch_size=1 << 20)
        for offset, (timestamp, key, value, _) in enumerate(RECORDS):
            builder.append(offset, timestamp=timestamp, key=key, value=value)
    return bytes(builder.build())


def expected(magic: int) -> list[tuple]:
    return [(timestamp if magic > 0 else -1, key, value,
             tuple(RecordHeader(*header) for header in headers) if magic == 2 else ())
            for timestamp, key, value, headers in RECORDS]


@pytest.mark.parametrize("module", ["kafka", "aiokafka"])
@pytest.mark.parametrize("type_, magic", OTHERS_CODECS)
def test_batches_of_other_clients(module, type_, magic) -> None:
    data = built_by(module, magic, type_._id)
    records = records_of(data)
    assert records.valid_bytes() == len(data)
    assert all(batch.is_valid() for batch in records.batches())
    assert {batch.compression_type() for batch in records.batches()} == {type_}
    assert told(records.records(), magic) == expected(magic)
    assert [record.offset() for record in records.records()] == [0, 1, 2, 3]
    if magic == 2:
        batch, = records.batches()
        assert (batch.producer_id(), batch.base_sequence(), batch.last_sequence()) == (77, 5, 8)
        if type_ is CompressionType.NONE:
            assert MemoryRecords.with_idempotent_records(
                Compression.NONE, 77, 1, 5, *simple_records(2),
                partition_leader_epoch=batch.partition_leader_epoch()).buffer().to_bytes() == data


def simple_records(magic: int) -> list[SimpleRecord]:
    return [SimpleRecord(timestamp, key, value, [RecordHeader(*h) for h in headers] if magic == 2 else ())
            for timestamp, key, value, headers in RECORDS]


@pytest.mark.parametrize("module", ["kafka", "aiokafka"])
@pytest.mark.parametrize("type_, magic", OTHERS_CODECS)
def test_other_clients_read_ours(module, type_, magic) -> None:
    memory_records = pytest.importorskip(f"{module}.record.memory_records")
    ours = MemoryRecords.with_records(Compression.of(type_).build(), *simple_records(magic), magic=magic,
                                      initial_offset=10).buffer().to_bytes()
    theirs = memory_records.MemoryRecords(ours)
    found = []
    while theirs.has_next():
        batch = theirs.next_batch()
        assert batch.validate_crc()
        found += [(record.offset, -1 if record.timestamp is None else record.timestamp, record.key,
                   record.value, tuple(RecordHeader(*header) for header in record.headers))
                  for record in batch]
    assert found == [(10 + i, *fields) for i, fields in enumerate(expected(magic))]


def test_batches_of_kio() -> None:
    schema = pytest.importorskip("kio.records.schema")
    writers = pytest.importorskip("kio.records.writers")
    readers = pytest.importorskip("kio.records.readers")
    primitive = pytest.importorskip("kio.static.primitive")

    def moment(timestamp: int) -> object:
        return primitive.TZAwareMicros.parse(
            datetime.datetime.fromtimestamp(timestamp // 1000, datetime.UTC))
    records = [schema.Record(
        attributes=primitive.i8(0), timestamp=moment(timestamp), offset=primitive.i64(40 + i), key=key,
        value=value, headers=tuple(schema.RecordHeader(key=k.encode(), value=v) for k, v in headers))
        for i, (timestamp, key, value, headers) in enumerate(RECORDS)]
    buffer = io.BytesIO()
    writers.write_new_batch(buffer, schema.NewRecordBatch(
        producer_id=primitive.i64(9), producer_epoch=primitive.i16(2),
        partition_leader_epoch=primitive.i32(3), base_sequence=primitive.i32(4), attributes=primitive.i16(0),
        records=tuple(records)))
    batch, = records_of(buffer.getvalue()).batches()
    assert batch.is_valid()
    assert (batch.producer_id(), batch.producer_epoch(), batch.partition_leader_epoch(),
            batch.base_sequence(), batch.base_offset()) == (9, 2, 3, 4, 40)
    assert [t[1:] for t in told(batch, 2)] == [t[1:] for t in expected(2)]

    ours = MemoryRecords.with_records(Compression.NONE, *simple_records(2)).buffer().to_bytes()
    theirs, size = readers.read_batch(ours, 0)
    assert size == len(ours)
    assert [(r.key, r.value, tuple((h.key.decode(), h.value) for h in r.headers))
            for r in theirs.records] == [
        (key, value, tuple(headers)) for _, key, value, headers in RECORDS]
