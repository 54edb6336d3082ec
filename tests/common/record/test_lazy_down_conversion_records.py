# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's LazyDownConversionRecordsTest, and of what a real broker sends for the same."""

from __future__ import annotations

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.errors import UnsupportedCompressionTypeException
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.end_transaction_marker import EndTransactionMarker
from kreactor.common.record.file_records import FileRecords
from kreactor.common.record.lazy_down_conversion_records import LazyDownConversionRecords
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.common.record.batches import ByteBufferChannel, batches_of_kafka, content, records_of
from tests.common.record.test_file_records import CONVERTED, OFFSETS, verify_converted_records

TP = TopicPartition("test", 1)


def convert_records(tmp_path, records_to_convert: MemoryRecords, to_magic: int,
                    bytes_to_convert: int) -> MemoryRecords:
    input_records = FileRecords.open(str(tmp_path / "input.log"))
    try:
        input_records.append(records_to_convert)
        input_records.flush()
        lazy_send = LazyDownConversionRecords(TP, input_records, to_magic, 0, Time.SYSTEM).to_send()
        channel = ByteBufferChannel(bytes_to_convert)
        written = 0
        while written < bytes_to_convert:
            written += lazy_send.write_to_position(channel, written, bytes_to_convert - written)
        return records_of(channel.content())
    finally:
        input_records.close()


def test_conversion_of_commit_marker(tmp_path) -> None:
    records_to_convert = MemoryRecords.with_end_transaction_marker(
        1, 1, EndTransactionMarker(ControlRecordType.COMMIT, 0))
    converted_records = convert_records(tmp_path, records_to_convert, 1, records_to_convert.size_in_bytes())
    buffer = converted_records.buffer()
    buffer.get_long()
    size_of_converted_records = buffer.get_int()
    assert size_of_converted_records > buffer.limit()
    assert not converted_records.batch_iterator().has_next()


@pytest.mark.parametrize("compression_type", [CompressionType.NONE, CompressionType.GZIP])
@pytest.mark.parametrize("to_magic", [0, 1, 2])
@pytest.mark.parametrize("overflow", [True, False])
def test_conversion(tmp_path, compression_type, to_magic, overflow) -> None:
    buffer = ByteBuffer.allocate(1024)
    for numbers in (range(3), range(3, 6), range(6, 10)):
        builder = MemoryRecords.builder(buffer, Compression.of(compression_type).build(),
                                        TimestampType.CREATE_TIME, 0)
        for i in numbers:
            builder.append_with_offset_simple_record(OFFSETS[i], CONVERTED[i])
        builder.close()
    records_to_convert = MemoryRecords.readable_records(buffer.flip())
    num_bytes_to_convert = records_to_convert.size_in_bytes() * (2 if overflow else 1)
    converted_records = convert_records(tmp_path, records_to_convert, to_magic, num_bytes_to_convert)
    verify_converted_records(CONVERTED, OFFSETS, [converted_records], compression_type, to_magic)


# -- ours ----------------------------------------------------------------------------------------------------


def sent(records: MemoryRecords, to_magic: int) -> bytes:
    lazy = LazyDownConversionRecords(TP, records, to_magic, 0, Time.SYSTEM)
    send = lazy.to_send()
    data = b""
    while not send.completed():
        channel = ByteBufferChannel(50)
        send.write_to(channel)
        data += channel.content()
    assert send.size() == lazy.size_in_bytes() == len(data)
    return data


@pytest.mark.parametrize("version, to_magic", [(0, 0), (2, 1)])
@pytest.mark.parametrize("topic", ["none", "gzip", "snappy", "lz4", "lat", "txn"])
def test_what_a_broker_sent(topic, version, to_magic) -> None:
    """For what is not compressed, byte for byte, the batch that fills it up included."""
    batches = batches_of_kafka()
    ours = sent(records_of(batches[f"broker/{topic}/fetch-v11"]), to_magic)
    theirs = batches[f"broker/{topic}/fetch-v{version}"]
    if topic in ("none", "txn"):
        assert ours == theirs

    def told(data: bytes):
        return [(record.offset(), record.timestamp(), content(record.key()), content(record.value()))
                for record in records_of(data).records()]
    assert told(ours) == told(theirs) and len(told(ours)) == 3


def test_zstd_first_is_refused_and_later_ends_the_response() -> None:
    zstd = MemoryRecords.with_records(Compression.zstd().build(), SimpleRecord(value=b"z" * 50),
                                      initial_offset=1)
    with pytest.raises(UnsupportedCompressionTypeException):
        LazyDownConversionRecords(TP, zstd, 1, 0, Time.SYSTEM)
    gzip = MemoryRecords.with_records(Compression.gzip().build(), SimpleRecord(value=b"g"))
    both = records_of(gzip.buffer().to_bytes() + zstd.buffer().to_bytes())
    data = records_of(sent(both, 1))
    assert data.size_in_bytes() == both.size_in_bytes()
    assert [content(record.value()) for record in data.records()] == [b"g"]


def test_an_iterator_that_failed_stays_failed() -> None:
    gzip = MemoryRecords.with_records(Compression.gzip().build(), SimpleRecord(value=b"g"))
    zstd = MemoryRecords.with_records(Compression.zstd().build(), SimpleRecord(value=b"z"), initial_offset=1)
    both = records_of(gzip.buffer().to_bytes() + zstd.buffer().to_bytes())
    iterator = LazyDownConversionRecords(TP, both, 1, 0, Time.SYSTEM).iterator(0)
    next(iterator)
    with pytest.raises(UnsupportedCompressionTypeException):
        next(iterator)
    with pytest.raises(IllegalStateException):
        next(iterator)


def test_identity() -> None:
    records = MemoryRecords.with_records(Compression.NONE, SimpleRecord(value=b"v"))
    lazy = LazyDownConversionRecords(TP, records, 1, 0, Time.SYSTEM)
    same = LazyDownConversionRecords(TopicPartition("test", 1), records, 1, 0, Time.SYSTEM)
    assert lazy == same and hash(lazy) == hash(same) and lazy != 5
    for other in (LazyDownConversionRecords(TP, records, 0, 0, Time.SYSTEM),
                  LazyDownConversionRecords(TP, records, 1, 1, Time.SYSTEM),
                  LazyDownConversionRecords(TP, MemoryRecords.EMPTY, 1, 0, Time.SYSTEM),
                  LazyDownConversionRecords(TopicPartition("test", 2), records, 1, 0, Time.SYSTEM)):
        assert lazy != other
    assert str(lazy).startswith("LazyDownConversionRecords(size=")
