# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's ByteBufferLogInputStreamTest."""

from __future__ import annotations

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.errors import CorruptRecordException
from kreactor.common.record.byte_buffer_log_input_stream import ByteBufferLogInputStream
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.jdk.nio_buffer import ByteBuffer

MAX_INT = 2**31 - 1


def two_batches(first=((15, b"a", b"1"), (20, b"b", b"2"))) -> tuple[ByteBuffer, int]:
    """Return two batches, and the position of the second."""
    buffer = ByteBuffer.allocate(1024)
    position = 0
    for offset, records in ((0, first), (2, ((30, b"c", b"3"), (40, b"d", b"4")))):
        position = buffer.position()
        builder = MemoryRecords.builder(buffer, Compression.NONE, TimestampType.CREATE_TIME, offset)
        for timestamp, key, value in records:
            builder.append(timestamp, key, value)
        builder.close()
    return buffer.flip(), position


def test_iterator_ignores_incomplete_entries() -> None:
    buffer, _ = two_batches()
    buffer.set_limit(buffer.limit() - 5)
    assert [batch.last_offset() for batch in MemoryRecords.readable_records(buffer).batches()] == [1]


def test_iterator_raises_on_too_small_records() -> None:
    buffer, position = two_batches()
    buffer.put_int_at(position + DefaultRecordBatch.LENGTH_OFFSET, 9)
    log_input_stream = ByteBufferLogInputStream(buffer, MAX_INT)
    assert log_input_stream.next_batch() is not None
    with pytest.raises(CorruptRecordException,
                       match=r"Record size 9 is less than the minimum record overhead \(14\)"):
        log_input_stream.next_batch()


@pytest.mark.parametrize("magic", [37, 3, -1])
def test_iterator_raises_on_invalid_magic(magic) -> None:
    buffer, position = two_batches()
    buffer.put_at(position + DefaultRecordBatch.MAGIC_OFFSET, magic)
    log_input_stream = ByteBufferLogInputStream(buffer, MAX_INT)
    assert log_input_stream.next_batch() is not None
    with pytest.raises(CorruptRecordException, match=f"Invalid magic found in record: {magic}$"):
        log_input_stream.next_batch()


def test_iterator_raises_on_too_large_records() -> None:
    buffer, _ = two_batches(first=((15, b"a", b"1"),))
    log_input_stream = ByteBufferLogInputStream(buffer, 60)
    assert log_input_stream.next_batch() is not None
    with pytest.raises(CorruptRecordException, match=r"exceeds the largest allowable message size \(60\)\."):
        log_input_stream.next_batch()


# -- ours ----------------------------------------------------------------------------------------------------


def test_every_length_of_a_buffer() -> None:
    buffer, position = two_batches()
    whole = buffer.limit()
    for limit in range(whole + 1):
        buffer.set_limit(whole)
        stream = ByteBufferLogInputStream(buffer.duplicate().set_limit(limit), MAX_INT)
        batches = 0
        while stream.next_batch() is not None:
            batches += 1
        assert batches == (0 if limit < position else 1 if limit < whole else 2)


def test_the_largest_batch_has_the_maximum_size() -> None:
    """The limit is on the size that the batch states, and includes its own value."""
    buffer, _ = two_batches()
    stated = buffer.get_int_at(DefaultRecordBatch.LENGTH_OFFSET)
    assert ByteBufferLogInputStream(buffer.duplicate(), stated).next_batch() is not None
    with pytest.raises(CorruptRecordException, match="exceeds the largest allowable message size"):
        ByteBufferLogInputStream(buffer.duplicate(), stated - 1).next_batch()
