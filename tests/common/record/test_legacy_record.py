# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's LegacyRecordTest."""

from __future__ import annotations

import itertools

import pytest

from kreactor.common.errors import CorruptRecordException
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.legacy_record import LegacyRecord
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.common.record.batches import content

PAYLOAD = b"\1" * 1000
FIELDS = (None, b"", b"key", PAYLOAD)
MAGICS = pytest.mark.parametrize("magic", [0, 1])
TIMESTAMPS = pytest.mark.parametrize("timestamp", [RecordBatch.NO_TIMESTAMP, 0, 1])
COMPRESSIONS = pytest.mark.parametrize("compression", CompressionType)


def records(magic: int, timestamp: int, compression: CompressionType):
    for key, value in itertools.product(FIELDS, FIELDS):
        yield key, value, LegacyRecord.create(magic, timestamp, key, value, compression,
                                              TimestampType.CREATE_TIME)


@MAGICS
@TIMESTAMPS
@COMPRESSIONS
def test_fields(magic, timestamp, compression) -> None:
    for key, value, record in records(magic, timestamp, compression):
        assert record.compression_type() is compression
        assert record.has_key() == (key is not None)
        assert content(record.key()) == key
        assert record.key_size() == (-1 if key is None else len(key))
        assert record.magic() == magic
        assert content(record.value()) == value
        assert record.has_null_value() == (value is None)
        assert record.value_size() == (-1 if value is None else len(value))
        if magic > 0:
            assert record.timestamp() == timestamp
            assert record.timestamp_type() is TimestampType.CREATE_TIME
        else:
            assert record.timestamp() == RecordBatch.NO_TIMESTAMP
            assert record.timestamp_type() is TimestampType.NO_TIMESTAMP_TYPE


def copy_of(record: LegacyRecord) -> LegacyRecord:
    return LegacyRecord(ByteBuffer.wrap(bytearray(record.buffer().to_bytes())))


@MAGICS
@TIMESTAMPS
@COMPRESSIONS
def test_checksum(magic, timestamp, compression) -> None:
    for key, value, record in records(magic, timestamp, compression):
        assert record.checksum() == record.compute_checksum()
        attributes = LegacyRecord.compute_attributes(magic, compression, TimestampType.CREATE_TIME)
        assert record.checksum() == LegacyRecord.compute_checksum_of(magic, attributes, timestamp, key, value)
        assert record.is_valid()
        size = record.size_in_bytes()
        for i in range(LegacyRecord.CRC_LENGTH, size, 1 if size < 50 else 97):
            copy = copy_of(record)
            copy.buffer().put_at(i, 69)
            assert not copy.is_valid()
            with pytest.raises(CorruptRecordException):
                copy.ensure_valid()


@MAGICS
@TIMESTAMPS
@COMPRESSIONS
def test_equality(magic, timestamp, compression) -> None:
    for _, _, record in records(magic, timestamp, compression):
        assert record == copy_of(record)
        assert hash(record) == hash(copy_of(record))


# -- ours ----------------------------------------------------------------------------------------------------


def test_what_the_format_does_not_know() -> None:
    with pytest.raises(IllegalArgumentException, match="Invalid magic used in LegacyRecord: 2"):
        LegacyRecord.create(2, 0, b"", b"")
    with pytest.raises(IllegalArgumentException, match="Invalid message timestamp -2"):
        LegacyRecord.create(1, -2, b"", b"")
    with pytest.raises(IllegalArgumentException, match="Timestamp type must be provided"):
        LegacyRecord.create(1, 0, b"", b"", CompressionType.NONE, TimestampType.NO_TIMESTAMP_TYPE)


def test_the_wrapper_decides_the_time() -> None:
    buffer = LegacyRecord.create(1, 5, b"k", b"v").buffer()
    wrapped = LegacyRecord(buffer, 9, TimestampType.LOG_APPEND_TIME)
    assert wrapped.timestamp() == 9
    assert wrapped.timestamp_type() is TimestampType.LOG_APPEND_TIME
    assert LegacyRecord(buffer, 9, TimestampType.CREATE_TIME).timestamp() == 5
    assert str(LegacyRecord(buffer)).startswith("Record(magic=1, attributes=0, compression=none, crc=")
