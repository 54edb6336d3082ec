# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's SimpleLegacyRecordTest."""

from __future__ import annotations

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.errors import CorruptRecordException
from kreactor.common.invalid_record_exception import InvalidRecordException
from kreactor.common.record.abstract_legacy_record_batch import AbstractLegacyRecordBatch
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.legacy_record import LegacyRecord
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.utils.byte_buffer_output_stream import ByteBufferOutputStream
from kreactor.jdk.nio_buffer import ByteBuffer


def gzip_message(value: bytes | None) -> MemoryRecords:
    buffer = ByteBuffer.allocate(128)
    out = ByteBufferOutputStream(buffer)
    AbstractLegacyRecordBatch.write_header_out(out, 0, LegacyRecord.RECORD_OVERHEAD_V1 + len(value or b""))
    LegacyRecord.write(out, 1, 1, None, value, CompressionType.GZIP, TimestampType.CREATE_TIME)
    return MemoryRecords.readable_records(buffer.flip())


def test_compressed_iteration_with_null_value() -> None:
    with pytest.raises(InvalidRecordException, match=r"compressed record set with null value \(magic = 1\)"):
        next(iter(gzip_message(None).records()))


def test_compressed_iteration_with_empty_records() -> None:
    out = ByteBufferOutputStream(64)
    Compression.gzip().build().wrap_for_output(out, 1).close()
    with pytest.raises(InvalidRecordException, match="compressed record set with no inner records"):
        next(iter(gzip_message(out.buffer().flip().to_bytes()).records()))


def test_is_valid_with_too_small_buffer() -> None:
    record = LegacyRecord(ByteBuffer.allocate(2))
    assert not record.is_valid()
    with pytest.raises(CorruptRecordException):
        record.ensure_valid()


def test_is_valid_with_checksum_mismatch() -> None:
    record = LegacyRecord(ByteBuffer.allocate(4).put_int(2))
    assert not record.is_valid()
    with pytest.raises(CorruptRecordException):
        record.ensure_valid()
