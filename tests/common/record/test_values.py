# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The small types: enums, records to be written, figures."""

from __future__ import annotations

import pytest

from kreactor.common.header.internals.record_header import RecordHeader
from kreactor.common.record.abstract_records import AbstractRecords
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record_validation_stats import RecordValidationStats
from kreactor.common.record.record_version import RecordVersion
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.compress.compression import Compression
from kreactor.jdk.exceptions import IllegalArgumentException, NoSuchElementException
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.common.record.batches import CODECS


def test_compression_type() -> None:
    assert [(t._id, t._name) for t in CompressionType] == [
        (0, "none"), (1, "gzip"), (2, "snappy"), (3, "lz4"), (4, "zstd")]
    for type_ in CompressionType:
        assert CompressionType.for_id(type_._id) is CompressionType.for_name(type_._name) is type_
        assert str(type_) == type_._name
        assert Compression.of_name(type_._name).build().type() is type_
    for id_ in (-1, 5):
        with pytest.raises(IllegalArgumentException, match=f"Unknown compression type id: {id_}"):
            CompressionType.for_id(id_)
    with pytest.raises(IllegalArgumentException, match="Unknown compression name: GZIP"):
        CompressionType.for_name("GZIP")


def test_timestamp_type() -> None:
    for type_, name, id_ in ((TimestampType.NO_TIMESTAMP_TYPE, "NoTimestampType", -1),
                             (TimestampType.CREATE_TIME, "CreateTime", 0),
                             (TimestampType.LOG_APPEND_TIME, "LogAppendTime", 1)):
        assert TimestampType.for_name(name) is type_ and str(type_) == name and type_._id == id_
    with pytest.raises(NoSuchElementException, match="Invalid timestamp type Time"):
        TimestampType.for_name("Time")


def test_record_version() -> None:
    assert [RecordVersion.lookup(value) for value in (0, 1, 2)] == list(RecordVersion)
    for value in (-1, 3):
        with pytest.raises(IllegalArgumentException, match=f"Unknown record version: {value}"):
            RecordVersion.lookup(value)
    assert RecordVersion.current() is RecordVersion.V2
    assert RecordVersion.V0.precedes(RecordVersion.V1) and not RecordVersion.V1.precedes(RecordVersion.V1)


def test_simple_record() -> None:
    record = SimpleRecord(5, b"k", b"v", (RecordHeader("h", b"x"),))
    same = SimpleRecord(5, ByteBuffer.wrap(b"k"), ByteBuffer.wrap(b"v"), [RecordHeader("h", b"x")])
    assert record == same and hash(record) == hash(same) and record != "a record"
    for other in (SimpleRecord(6, b"k", b"v"), SimpleRecord(5, None, b"v"), SimpleRecord(5, b"k", b"w"),
                  SimpleRecord(5, b"k", b"v")):
        assert record != other
    assert str(record) == "SimpleRecord(timestamp=5, key=1 bytes, value=1 bytes)"
    assert SimpleRecord(value=b"v").timestamp() == -1
    with pytest.raises(TypeError):
        SimpleRecord(headers=None)


def test_record_validation_stats() -> None:
    stats = RecordValidationStats(1, 2, 3)
    stats.add(RecordValidationStats(10, 20, 30))
    assert (stats.temporary_memory_bytes(), stats.num_records_converted(), stats.conversion_time_nanos()) == (
        11, 22, 33)
    assert str(stats) == ("RecordValidationStats(temporaryMemoryBytes=11, numRecordsConverted=22, "
                          "conversionTimeNanos=33)")


@pytest.mark.parametrize("type_, magic", CODECS)
def test_sizes_are_bounded(type_, magic) -> None:
    record = SimpleRecord(5, b"key", b"value" * 100, (RecordHeader("h", b"x"),) if magic == 2 else ())
    size = MemoryRecords.with_records(Compression.of(type_).build(), record, magic=magic).size_in_bytes()
    bound = AbstractRecords.estimate_size_in_bytes_upper_bound(
        magic, type_, record.key(), record.value(), record.headers())
    assert size <= bound
    if type_ is CompressionType.NONE:
        assert AbstractRecords.estimate_size_in_bytes(magic, type_, [record]) == size
    else:
        assert AbstractRecords.estimate_size_in_bytes(magic, type_, [record]) == 1024
