# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's DefaultRecordTest, and what a hostile length must not do."""

from __future__ import annotations


import pytest

from kreactor.common.header.header import Header
from kreactor.common.header.internals.record_header import RecordHeader
from kreactor.common.invalid_record_exception import InvalidRecordException
from kreactor.common.record.default_record import DefaultRecord, PartialDefaultRecord
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.utils.byte_buffer_input_stream import ByteBufferInputStream
from kreactor.common.utils.byte_buffer_output_stream import ByteBufferOutputStream
from kreactor.common.utils.byte_utils import ByteUtils
from kreactor.jdk.exceptions import (
    BufferUnderflowException,
    IllegalArgumentException,
    UnsupportedOperationException,
)
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.common.record.batches import content
from tests.memory import at_most

HEADERS = (RecordHeader("foo", b"value"), RecordHeader("bar", None),
           RecordHeader('"A\\u00ea\\u00f1\\u00fcC"', b"value"))
NO_SEQUENCE = RecordBatch.NO_SEQUENCE


def written(offset_delta: int, timestamp_delta: int, record: SimpleRecord) -> ByteBuffer:
    out = ByteBufferOutputStream(1024)
    size = DefaultRecord.write_to(out, offset_delta, timestamp_delta, record.key(), record.value(),
                                  record.headers())
    assert size == out.position()
    return out.buffer().flip()


@pytest.mark.parametrize("record", [
    SimpleRecord(key=b"hi", value=b"there"), SimpleRecord(value=b"there"), SimpleRecord(key=b"hi"),
    SimpleRecord(), SimpleRecord(15, b"hi", b"there", HEADERS)])
def test_basic_serde(record) -> None:
    base_timestamp = 1_700_000_000_000
    buffer = written(10, 323, record)
    log_record = DefaultRecord.read_from(buffer, 37, base_timestamp, 723, None)
    assert log_record.offset() == 47
    assert log_record.sequence() == 733
    assert log_record.timestamp() == base_timestamp + 323
    assert content(log_record.key()) == content(record.key())
    assert content(log_record.value()) == content(record.value())
    assert tuple(log_record.headers()) == tuple(record.headers())
    assert log_record.size_in_bytes() == DefaultRecord.size_in_bytes_of(
        10, 323, record.key(), record.value(), record.headers())
    assert not buffer.has_remaining()
    assert log_record.attributes() == 0
    log_record.ensure_valid()


def test_basic_serde_invalid_header_count_too_high() -> None:
    buffer = written(10, 323, SimpleRecord(15, b"hi", b"there", HEADERS))
    buffer.put_at(14, 8)
    with pytest.raises(InvalidRecordException):
        DefaultRecord.read_from_stream(ByteBufferInputStream(buffer.duplicate()), 37, 0, 723, None)
    with pytest.raises(InvalidRecordException):
        DefaultRecord.read_from(buffer, 37, 0, 723, None)


def test_basic_serde_invalid_header_count_too_low() -> None:
    buffer = written(10, 323, SimpleRecord(15, b"hi", b"there", HEADERS))
    buffer.put_at(14, 4)
    with pytest.raises(InvalidRecordException):
        DefaultRecord.read_from(buffer, 37, 0, 723, None)


def body(*varints: int, size_of_body_in_bytes: int = 100, after: bytes = b"",
         more: tuple[int, ...] = ()) -> ByteBuffer:
    """Return a record of so many bytes that begins with attributes, timestamp 2, offset 1 and the numbers."""
    buffer = ByteBuffer.allocate(size_of_body_in_bytes + ByteUtils.size_of_varint(size_of_body_in_bytes))
    ByteUtils.write_varint(size_of_body_in_bytes, buffer)
    buffer.put_byte(0)
    ByteUtils.write_varlong(2, buffer)
    for number in (1, *varints):
        ByteUtils.write_varint(number, buffer)
    buffer.put(after)
    for number in more:
        ByteUtils.write_varint(number, buffer)
    buffer.set_position(buffer.limit())
    return buffer.flip()


def assert_decoding_record_from_buffer_throws_invalid_record_exception(buffer: ByteBuffer) -> None:
    with pytest.raises(InvalidRecordException):
        DefaultRecord.read_from_stream(ByteBufferInputStream(buffer.duplicate()), 0, 0, NO_SEQUENCE, None)
    with pytest.raises(InvalidRecordException):
        DefaultRecord.read_from(buffer, 0, 0, NO_SEQUENCE, None)


def assert_partially_decoding_records_from_buffer_throws_invalid_record_exception(buffer: ByteBuffer) -> None:
    with pytest.raises(InvalidRecordException):
        DefaultRecord.read_partially_from(ByteBufferInputStream(buffer), 0, 0, NO_SEQUENCE, None)


def test_invalid_key_size() -> None:
    assert_decoding_record_from_buffer_throws_invalid_record_exception(body(105))


def test_invalid_key_size_partial() -> None:
    assert_partially_decoding_records_from_buffer_throws_invalid_record_exception(body(105))


def test_invalid_value_size() -> None:
    assert_decoding_record_from_buffer_throws_invalid_record_exception(body(-1, 105))


def test_invalid_value_size_partial() -> None:
    assert_partially_decoding_records_from_buffer_throws_invalid_record_exception(body(-1, 105))


def test_invalid_num_headers() -> None:
    assert_decoding_record_from_buffer_throws_invalid_record_exception(body(-1, -1, -1))
    assert_decoding_record_from_buffer_throws_invalid_record_exception(body(-1, -1, 100))


def test_invalid_num_headers_partial() -> None:
    assert_partially_decoding_records_from_buffer_throws_invalid_record_exception(body(-1, -1, -1))


def test_invalid_header_key() -> None:
    assert_decoding_record_from_buffer_throws_invalid_record_exception(body(-1, -1, 1, 105))


def test_invalid_header_key_partial() -> None:
    assert_partially_decoding_records_from_buffer_throws_invalid_record_exception(body(-1, -1, 1, 105))


def test_null_header_key() -> None:
    assert_decoding_record_from_buffer_throws_invalid_record_exception(body(-1, -1, 1, -1))


def test_null_header_key_partial() -> None:
    assert_partially_decoding_records_from_buffer_throws_invalid_record_exception(body(-1, -1, 1, -1))


def test_invalid_header_value() -> None:
    assert_decoding_record_from_buffer_throws_invalid_record_exception(body(-1, -1, 1, 1, after=b"\1",
                                                                            more=(105,)))


def test_invalid_header_value_partial() -> None:
    assert_partially_decoding_records_from_buffer_throws_invalid_record_exception(
        body(-1, -1, 1, 1, after=b"\1", more=(105,)))


def test_underflow_reading_timestamp() -> None:
    assert_decoding_record_from_buffer_throws_invalid_record_exception(ByteBuffer.wrap(bytes((1 << 1, 0))))


def test_underflow_reading_varlong() -> None:
    # A time of two bytes, of which there is one.
    buffer = ByteBuffer.allocate(5)
    ByteUtils.write_varint(2, buffer)
    buffer.put_byte(0)
    ByteUtils.write_varlong(156, buffer)
    buffer.set_position(buffer.limit() - 2)
    assert_decoding_record_from_buffer_throws_invalid_record_exception(buffer.flip())


def test_invalid_varlong() -> None:
    buffer = ByteBuffer.allocate(13)
    ByteUtils.write_varint(11, buffer)
    record_start = buffer.position()
    buffer.put_byte(0)
    ByteUtils.write_varlong(2**63 - 1, buffer)
    buffer.put_at(record_start + 10, -128)
    assert_decoding_record_from_buffer_throws_invalid_record_exception(buffer.flip())


def test_serde_no_sequence() -> None:
    buffer = written(10, 323, SimpleRecord(key=b"hi", value=b"there"))
    record = DefaultRecord.read_from_stream(ByteBufferInputStream(buffer.duplicate()), 37, 0, NO_SEQUENCE,
                                            None)
    assert record.sequence() == NO_SEQUENCE
    record = DefaultRecord.read_from(buffer, 37, 0, NO_SEQUENCE, None)
    assert record.sequence() == NO_SEQUENCE


def test_invalid_size_of_body_in_bytes() -> None:
    assert_decoding_record_from_buffer_throws_invalid_record_exception(ByteBuffer.wrap(bytes((10 << 1,))))


# -- ours ----------------------------------------------------------------------------------------------------


def test_partial_record() -> None:
    buffer = written(10, 323, SimpleRecord(key=b"hi", value=b"there", headers=HEADERS))
    size = buffer.remaining()
    record = DefaultRecord.read_partially_from(ByteBufferInputStream(buffer), 37, 1000, 723, None)
    assert record == PartialDefaultRecord(size, 0, 47, 1323, 733, 2, 5)
    assert record != PartialDefaultRecord(size, 0, 47, 1323, 733, 2, 4)
    assert hash(record) == hash(PartialDefaultRecord(size, 0, 47, 1323, 733, 2, 5))
    assert record.has_key() and record.has_value() and (record.key_size(), record.value_size()) == (2, 5)
    for skipped in (record.key, record.value, record.headers):
        with pytest.raises(UnsupportedOperationException, match="is skipped in PartialDefaultRecord"):
            skipped()


def test_log_append_time_replaces_the_time() -> None:
    buffer = written(10, 323, SimpleRecord(value=b"there"))
    assert DefaultRecord.read_from(buffer.duplicate(), 0, 1000, -1, 5).timestamp() == 5
    stream = ByteBufferInputStream(buffer)
    assert DefaultRecord.read_partially_from(stream, 0, 1000, -1, 5).timestamp() == 5


def test_sums_wrap_as_longs_do() -> None:
    buffer = written(2**31 - 1, 2**63 - 1, SimpleRecord())
    record = DefaultRecord.read_from(buffer.duplicate(), 2**63 - 1, 1, -1, None)
    assert (record.offset(), record.timestamp()) == (-2**63 + 2**31 - 2, -2**63)
    partial = DefaultRecord.read_partially_from(ByteBufferInputStream(buffer), 2**63 - 1, 1, -1, None)
    assert (partial.offset(), partial.timestamp()) == (record.offset(), record.timestamp())


def test_no_record_at_all() -> None:
    for data in (b"", b"\x80"):
        with pytest.raises(BufferUnderflowException):
            DefaultRecord.read_from(ByteBuffer.wrap(data), 0, 0, -1, None)
        with pytest.raises(IllegalArgumentException):
            DefaultRecord.read_from_stream(ByteBufferInputStream(ByteBuffer.wrap(data)), 0, 0, -1, None)


def test_negative_size() -> None:
    with pytest.raises(InvalidRecordException):
        DefaultRecord.read_from(ByteBuffer.wrap(b"\1" + bytes(20)), 0, 0, -1, None)
    with pytest.raises(IllegalArgumentException):
        DefaultRecord.read_from_stream(ByteBufferInputStream(ByteBuffer.wrap(b"\1" + bytes(20))), 0, 0, -1,
                                       None)


@pytest.mark.deviation("D53")
def test_a_claimed_size_takes_no_memory() -> None:
    buffer = ByteBuffer.allocate(64)
    ByteUtils.write_varint(2**31 - 1, buffer)
    buffer.set_position(0)
    with at_most(1 << 20), pytest.raises(InvalidRecordException, match="the record payload reached EOF"):
        DefaultRecord.read_from_stream(ByteBufferInputStream(buffer), 0, 0, -1, None)


def test_headers_must_be_there_and_have_keys() -> None:
    class NoKey(Header):
        def key(self):
            return None

        def value(self):
            return b""

    out = ByteBufferOutputStream(64)
    with pytest.raises(IllegalArgumentException, match="Headers cannot be null"):
        DefaultRecord.write_to(out, 0, 0, b"", b"", None)
    with pytest.raises(IllegalArgumentException, match="Headers cannot be null"):
        DefaultRecord.size_in_bytes_of(0, 0, b"", b"", None)
    with pytest.raises(IllegalArgumentException, match="Invalid null header key found in headers"):
        DefaultRecord.write_to(out, 0, 0, b"", b"", (NoKey(),))
    assert out.position() == 0


def test_equality() -> None:
    def record(**changes) -> DefaultRecord:
        fields = dict(size_in_bytes=9, attributes=0, offset=1, timestamp=2, sequence=3, key=memoryview(b"k"),
                      value=memoryview(b"v"), headers=(RecordHeader("h", b""),))
        return DefaultRecord(**fields | changes)

    assert record() == record() and hash(record()) == hash(record())
    for change in (dict(size_in_bytes=8), dict(attributes=1), dict(offset=0), dict(timestamp=0),
                   dict(sequence=0), dict(key=None), dict(value=memoryview(b"w")), dict(headers=())):
        assert record() != record(**change)
    assert str(record()) == "DefaultRecord(offset=1, timestamp=2, key=1 bytes, value=1 bytes)"


@pytest.mark.parametrize("key, value", [(None, None), (b"", None), (None, b""), (b"", b"")])
def test_an_empty_key_is_a_key(key: bytes | None, value: bytes | None) -> None:
    partial = DefaultRecord.read_partially_from(
        ByteBufferInputStream(written(0, 0, SimpleRecord(key=key, value=value))), 0, 0, 0, None)
    assert (partial.has_key(), partial.has_value()) == (key is not None, value is not None)


@pytest.mark.parametrize("size", [0, 63, 64, 8191, 8192, 2**20 - 1, 2**20])
def test_the_computed_size_is_the_written_size(size: int) -> None:
    for key, value in ((bytes(size), None), (None, bytes(size))):
        buffer = written(0, 0, SimpleRecord(key=key, value=value))
        body = DefaultRecord.size_of_body_in_bytes(
            0, 0, -1 if key is None else size, -1 if value is None else size, ())
        assert buffer.remaining() == body + ByteUtils.size_of_varint(body)
