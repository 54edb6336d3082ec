# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Properties of any records: round trips, sizes, and that no bytes can do harm."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kreactor.common.compress.compression import Compression
from kreactor.common.errors import CorruptRecordException
from kreactor.common.header.internals.record_header import RecordHeader
from kreactor.common.invalid_record_exception import InvalidRecordException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.default_record import DefaultRecord
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.memory_records_builder import MemoryRecordsBuilder
from kreactor.common.record.records_util import RecordsUtil
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.byte_buffer_input_stream import ByteBufferInputStream
from kreactor.common.utils.byte_buffer_output_stream import ByteBufferOutputStream
from kreactor.common.utils.time import Time
from kreactor.jdk.exceptions import BufferUnderflowException, IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer
from tests import longer
from tests.common.record.batches import CODECS, batches_of_kafka, content, records_of

SETTINGS = settings(max_examples=longer.examples(20, 60),
                    suppress_health_check=[HealthCheck.function_scoped_fixture])

fields = st.none() | st.binary(max_size=200) | st.binary(min_size=60, max_size=70) | st.just(b"x" * 9000)
headers = st.lists(st.builds(RecordHeader, st.text(st.characters(exclude_categories=["Cs"]), max_size=70),
                             st.none() | st.binary(max_size=70)), max_size=4)
timestamps = st.just(-1) | st.integers(0, 2**62)
simple_records = st.lists(st.builds(SimpleRecord, timestamps, fields, fields, headers), min_size=1,
                          max_size=6)
longs = st.integers(-2**63, 2**63 - 1)
ints = st.integers(-2**31, 2**31 - 1)

# The exceptions that reading a record or batch may raise. Nothing of a codec's own is among them.
REFUSALS = (InvalidRecordException, CorruptRecordException, KafkaException)


@SETTINGS
@given(ints, longs, fields, fields, headers)
@example(2**31 - 1, 2**63 - 1, None, None, [])
@example(-2**31, -2**63, b"", b"", [])
def test_a_record_is_read_as_it_was_written(offset_delta, timestamp_delta, key, value, headers) -> None:
    out = ByteBufferOutputStream(1)
    size = DefaultRecord.write_to(out, offset_delta, timestamp_delta, key, value, headers)
    assert size == out.position()
    assert size == DefaultRecord.size_in_bytes_of(offset_delta, timestamp_delta, key, value, headers)
    assert size == DefaultRecord.size_in_bytes_of_sizes(
        offset_delta, timestamp_delta, -1 if key is None else len(key), -1 if value is None else len(value),
        headers)
    assert size <= DefaultRecord.record_size_upper_bound(key, value, headers)
    buffer = out.buffer().flip()
    from_stream = DefaultRecord.read_from_stream(ByteBufferInputStream(buffer.duplicate()), 0, 0, -1, None)
    partial = DefaultRecord.read_partially_from(ByteBufferInputStream(buffer.duplicate()), 0, 0, -1, None)
    record = DefaultRecord.read_from(buffer, 0, 0, -1, None)
    assert record == from_stream and not buffer.has_remaining()
    assert (record.offset(), record.timestamp(), content(record.key()), content(record.value()),
            list(record.headers()), record.size_in_bytes()) == (
        offset_delta, timestamp_delta, key, value, headers, size)
    assert (partial.offset(), partial.timestamp(), partial.key_size(), partial.value_size(),
            partial.size_in_bytes()) == (
        record.offset(), record.timestamp(), record.key_size(), record.value_size(), size)


@pytest.mark.parametrize("type_, magic", CODECS)
@SETTINGS
@given(simple_records, st.integers(0, 2**62))
def test_records_are_read_as_they_were_written(type_, magic, records, initial_offset) -> None:
    if magic < 2:
        records = [SimpleRecord(r.timestamp(), r.key(), r.value()) for r in records]
    memory_records = MemoryRecords.with_records(Compression.of(type_).build(), *records, magic=magic,
                                                initial_offset=initial_offset)
    found = list(memory_records.records())
    assert all(batch.is_valid() for batch in memory_records.batches())
    assert [record.offset() for record in found] == [initial_offset + i for i in range(len(records))]
    if magic == 0:
        records = [SimpleRecord(-1, r.key(), r.value()) for r in records]
    assert [SimpleRecord.of_record(record) for record in found] == records
    if magic == 2 and type_ is CompressionType.NONE:
        assert DefaultRecordBatch.size_in_bytes_of(records) == memory_records.size_in_bytes()
    for batch in memory_records.batches():
        with batch.streaming_iterator(BufferSupplier.create()) as streamed:
            assert list(streamed) == list(batch)
        with batch.skip_key_value_iterator(BufferSupplier.create()) as skipped:
            assert [r.offset() for r in skipped] == [r.offset() for r in batch]


@pytest.mark.parametrize("type_", [t for t in CompressionType if t is not CompressionType.ZSTD])
@pytest.mark.parametrize("to_magic", [0, 1])
@SETTINGS
@given(simple_records)
def test_down_conversion_keeps_what_the_format_can_hold(type_, to_magic, records) -> None:
    memory_records = MemoryRecords.with_records(Compression.of(type_).build(), *records, initial_offset=3)
    converted = RecordsUtil.down_convert(memory_records.batches(), to_magic, 0, Time.SYSTEM)
    assert converted.record_conversion_stats().num_records_converted() == len(records)
    found = list(converted.records().records())
    assert {batch.magic() for batch in converted.records().batches()} == {to_magic}
    assert [(r.offset(), r.timestamp(), content(r.key()), content(r.value())) for r in found] == [
        (3 + i, r.timestamp() if to_magic else -1, content(r.key()), content(r.value()))
        for i, r in enumerate(records)]


@pytest.mark.parametrize("type_, magic", CODECS)
@SETTINGS
@given(simple_records, st.integers(100, 20_000), st.floats(0.1, 1.0))
def test_an_append_that_looks_for_room_is_both_steps_in_one(type_, magic, records, limit, ratio) -> None:
    def builder() -> MemoryRecordsBuilder:
        made = MemoryRecords.builder(ByteBuffer.allocate(limit), Compression.of(type_).build(),
                                     TimestampType.CREATE_TIME, 7, magic=magic)
        made.set_estimated_compression_ratio(ratio)
        return made

    one, two = builder(), builder()
    for record in records * 3:
        key, value = content(record.key()), content(record.value())
        found = record.headers() if magic == 2 else ()
        has_room = two.has_room_for(record.timestamp(), key, value, found)
        if has_room:
            two.append(record.timestamp(), key, value, found)
        assert one.try_append(record.timestamp(), key, value, found) == has_room
        assert one.num_records() == two.num_records() and one.is_full() == two.is_full()
        assert one.estimated_size_in_bytes() == two.estimated_size_in_bytes()
    assert content(one.build().buffer()) == content(two.build().buffer())


def go_through(data: bytes) -> None:
    """Read all of ``data`` in every way that there is."""
    records = records_of(data)
    for batch in records.batches():
        batch.is_valid()
        list(batch)
        for iterator in (batch.streaming_iterator, batch.skip_key_value_iterator):
            with iterator(BufferSupplier.NO_CACHING) as each:
                for record in each:
                    record.key_size(), record.value_size(), record.timestamp(), record.offset()


@pytest.mark.parametrize("name", sorted(batches_of_kafka()))
@SETTINGS
@given(st.data())
def test_damaged_batches_are_refused_or_read(name, data) -> None:
    """Bytes that a checksum would have told apart. A codec's own exceptions must not come through.

    Below magic 2 a broken length leads out of the buffer, as it does in Java.
    """
    damaged = bytearray(batches_of_kafka()[name])
    for _ in range(data.draw(st.integers(1, 3))):
        position = data.draw(st.integers(12, len(damaged) - 1))
        damaged[position] = data.draw(st.integers(0, 255))
    if data.draw(st.booleans()):
        # All of one batch, as its length says, but the end of the records is gone.
        first = next(iter(records_of(batches_of_kafka()[name]).batches()))
        length = data.draw(st.integers(min(70, first.size_in_bytes()), first.size_in_bytes()))
        damaged = damaged[:length]
        damaged[8:12] = (length - 12).to_bytes(4, "big")
    magics = {batch.magic() for batch in go_on(damaged)}
    try:
        go_through(bytes(damaged))
    except REFUSALS + (IllegalArgumentException,) + (() if magics == {2} else (IndexError,)):
        pass


def go_on(data: bytes):
    """Yield the batches until one cannot be."""
    batches = iter(records_of(data).batches())
    while True:
        try:
            yield next(batches)
        except (StopIteration, CorruptRecordException):
            return


@SETTINGS
@given(st.binary(max_size=60), ints)
def test_no_bytes_of_a_record_do_harm(data, base_sequence) -> None:
    for read in (lambda: DefaultRecord.read_from(ByteBuffer.wrap(data), 0, 0, base_sequence, None),
                 lambda: DefaultRecord.read_from_stream(ByteBufferInputStream(ByteBuffer.wrap(data)), 0, 0,
                                                        base_sequence, None),
                 lambda: DefaultRecord.read_partially_from(ByteBufferInputStream(ByteBuffer.wrap(data)), 0, 0,
                                                           base_sequence, None)):
        try:
            read()
        except (InvalidRecordException, IllegalArgumentException, BufferUnderflowException):
            pass
