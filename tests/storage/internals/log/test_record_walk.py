# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The fast ways through records find what the port of Kafka's record format finds.

They accept nothing that the port refuses, and write what the port writes.
"""

from __future__ import annotations

import tracemalloc
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.common.compress.compression import Compression
from kreactor.common.errors import RecordTooLargeException
from kreactor.common.header.internals.record_header import RecordHeader
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.default_record import DefaultRecord
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.byte_buffer_output_stream import ByteBufferOutputStream
from kreactor.common.utils.primitive_ref import PrimitiveRef
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.server.common.metadata_version import MetadataVersion
from kreactor.storage.internals.log import record_walk
from kreactor.storage.internals.log.append_origin import AppendOrigin
from kreactor.storage.internals.log.batch_scan import HEADER, HEADER_SIZE
from kreactor.storage.internals.log.log_validator import NO_APPEND_METRICS, LogValidator
from kreactor.storage.internals.log.record_validation_exception import RecordValidationException
from kreactor.testing.mock_time import MockTime
from tests.core.server.bad_records import sealed
from tests.storage.internals.log.support import NOW

_BYTES = st.none() | st.binary(max_size=80) | st.integers(127, 9000).map(bytes)
_HEADERS = st.lists(st.builds(RecordHeader, st.text(max_size=3), st.none() | st.binary(max_size=200)),
                    max_size=3)
_RECORDS = st.lists(st.builds(
    lambda delta, key, value, headers: SimpleRecord(NOW + delta, key, value, headers),
    st.integers(0, 2**30), _BYTES, _BYTES, _HEADERS), min_size=1, max_size=80)
_CODECS = [Compression.NONE, Compression.gzip().build(), Compression.snappy().build(),
           Compression.lz4().build(), Compression.zstd().build()]


def batch_of(made: list[SimpleRecord], codec: Compression = Compression.NONE) -> bytes:
    return MemoryRecords.with_records(codec, *made).buffer().to_bytes()


def walk(batch: bytes, needs_keys: bool = False, any_time: bool = False) -> bool:
    """Ask of a batch what a log asks."""
    (_, _, _, _, _, attributes, _, base_timestamp, max_timestamp, _, _, _, count) = HEADER.unpack_from(batch)
    latest_delta = None if any_time else max_timestamp - base_timestamp
    if attributes & 7:
        return record_walk.is_regular_inside(memoryview(batch), count, latest_delta, needs_keys)
    return record_walk.is_regular(memoryview(batch), HEADER_SIZE, count, latest_delta, needs_keys)


@given(_RECORDS, st.sampled_from(_CODECS))
def test_what_a_producer_writes_is_regular(made: list[SimpleRecord], codec: Compression) -> None:
    # Relative to the first time, which the builder takes as the batch's.
    made.sort(key=SimpleRecord.timestamp)
    batch = batch_of(made, codec)
    assert walk(batch)
    assert walk(batch, needs_keys=True) == all(record.key() is not None for record in made)


@given(_RECORDS, st.data())
def test_what_is_regular_the_port_reads(made: list[SimpleRecord], data: st.DataObject) -> None:
    batch = bytearray(batch_of(made))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(HEADER_SIZE, len(batch) - 1))
        batch[at] = data.draw(st.sampled_from([0, 1, 2, 127, 128, 255]) | st.integers(0, 255))
    if data.draw(st.booleans()):
        del batch[data.draw(st.integers(HEADER_SIZE, len(batch) - 1)):]
    changed = sealed(bytes(batch))
    if walk(changed):
        found = list(DefaultRecordBatch(ByteBuffer.wrap(changed)))
        assert [record.offset() for record in found] == list(range(len(made)))
        assert max(record.timestamp() for record in found) == max(record.timestamp() for record in made)


def test_what_is_not_regular() -> None:
    one = [SimpleRecord(NOW, b"key", b"value")]
    batch = batch_of(one)
    assert walk(batch)
    assert not walk(batch + b"\0")
    assert not walk(batch[:-1])
    later = bytearray(batch)
    later[35:43] = (NOW + 1).to_bytes(8, "big")
    assert not walk(bytes(later))
    assert walk(bytes(later), any_time=True)
    # A number that more bytes say than it needs is valid, and one of more bits than an int has is not.
    assert not record_walk.is_regular(b"\x80" * 5 + b"\0", 0, 1, None, False)
    assert not record_walk.is_regular(b"\xff\xff\xff\xff\x7f", 0, 1, None, False)


def test_what_is_too_much_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = batch_of([SimpleRecord(NOW, None, bytes(1000))], Compression.gzip().build())
    assert walk(batch)
    monkeypatch.setattr(record_walk, "MAX_BYTES_INSIDE", 1000)
    assert not walk(batch)


@pytest.mark.parametrize("codec", _CODECS[2:])
def test_a_codec_that_is_not_installed(monkeypatch: pytest.MonkeyPatch, codec: Compression) -> None:
    """D241."""
    batch = bytearray(batch_of([SimpleRecord(NOW, None, b"a")], codec))
    batch[57:61] = (2).to_bytes(4, "big")
    assert not walk(bytes(batch))

    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr("kreactor.common.compress.codecs._MODULES", {})
    monkeypatch.setattr("importlib.import_module", missing)
    assert codec.type() is not CompressionType.GZIP
    assert walk(bytes(batch))


# -- the walk of the validator -----------------------------------------------------------------------

_CREATE_TIME, _LOG_APPEND_TIME = TimestampType.CREATE_TIME, TimestampType.LOG_APPEND_TIME
_TP = TopicPartition("topic", 0)
_HOUR_MS = 60 * 60 * 1000
_MAX_LONG = 2**63 - 1


def compressed(records: bytes, count: int, codec: Compression, base_timestamp: int = NOW,
               max_timestamp: int = NOW, log_append_time: bool = False) -> bytes:
    """Return a batch of encoded records, whatever they are, with a header that fits ``count`` records."""
    out = ByteBufferOutputStream(1024)
    with codec.wrap_for_output(out, RecordBatch.CURRENT_MAGIC_VALUE) as stream:
        stream.write(records)
    attributes = codec.type()._id | (8 if log_append_time else 0)
    inside = bytes(out.buffer()._memory[:out.buffer().position()])
    return sealed(HEADER.pack(0, HEADER_SIZE - 12 + len(inside), -1, 2, 0, attributes, count - 1,
                              base_timestamp, max_timestamp, -1, -1, -1, count) + inside)


def validator(batch: bytes, source: Compression, target: Compression, *, compacted: bool = False,
              timestamp_type: TimestampType = _CREATE_TIME, before_max_ms: int = _MAX_LONG,
              max_message_size: int = 2**31 - 1) -> LogValidator:
    return LogValidator(
        MemoryRecords.readable_records(ByteBuffer.wrap(bytearray(batch))), _TP,
        MockTime(current_time_ms=NOW), source.type(), target, compacted, 2, timestamp_type, before_max_ms,
        _HOUR_MS, 3, AppendOrigin.CLIENT, MetadataVersion.latest_testing(), max_message_size)


def outcome(validator: LogValidator) -> object:
    """Return what an append finds, or its exception."""
    offset = PrimitiveRef.of_long(1000)
    try:
        result = validator.validate_messages_and_assign_offsets(offset, NO_APPEND_METRICS,
                                                                BufferSupplier.NO_CACHING)
    except RecordValidationException as e:
        return str(e.invalid_exception), [(error.batch_index, error.message) for error in e.record_errors]
    except Exception as e:
        return type(e), str(e)
    batch, = result.validated_records.batches()
    try:
        found = str([(record.offset(), record.timestamp(), taken(record.key()), taken(record.value()),
                      [(header.key(), header.value()) for header in record.headers()])
                     for record in batch])
    except Exception as e:
        found = repr(e)
    return (offset.value, str(batch).partition("crc=")[0], batch.max_timestamp(), found,
            result.max_timestamp_ms, result.shallow_offset_of_max_timestamp)


def taken(buffer: ByteBuffer | None) -> bytes | None:
    return None if buffer is None else buffer.to_bytes()


def both_ways(made: LogValidator, again: LogValidator) -> tuple[object, object]:
    with patch.object(record_walk, "_CHUNK", 100):
        fast = outcome(made)
    with patch.object(LogValidator, "_walk", lambda *_: None):
        return fast, outcome(again)


def varint(number: int, size: int = 1) -> bytes:
    """Return the bytes of a signed number, more than necessary for a ``size`` that is too large."""
    number = number << 1 if number >= 0 else ~number << 1 | 1
    encoded = bytearray()
    while number > 127 or len(encoded) < size - 1:
        encoded.append(number & 127 | 128)
        number >>= 7
    return bytes(encoded) + bytes((number,))


_NUMBER_SIZES = st.integers(1, 3)
_TIMES = st.sampled_from([0, 1, 5]) | st.integers(-2**62, 2**62) | st.sampled_from(
    [-NOW - 1, -NOW - 2, -NOW, -2**63, 2**63 - 1, _HOUR_MS, _HOUR_MS + 1])
_ENCODED = st.lists(st.tuples(_TIMES, st.none() | st.integers(-2, 2**31 - 1), _BYTES, _BYTES, _HEADERS,
                              st.sampled_from([0, 0, 0, 1, 255]), _NUMBER_SIZES), min_size=1, max_size=30)


@given(_ENCODED, st.sampled_from(_CODECS[1:]), st.sampled_from(_CODECS), st.booleans(),
       st.sampled_from([_CREATE_TIME, _LOG_APPEND_TIME]), st.sampled_from([_MAX_LONG, _HOUR_MS]),
       st.booleans(), st.data())
def test_the_walk_finds_what_the_port_finds(
        parts: list[tuple[int, int | None, bytes | None, bytes | None, list[RecordHeader], int, int]],
        source: Compression, target: Compression, compacted: bool, timestamp_type: TimestampType,
        before_max_ms: int, log_append_time: bool, data: st.DataObject) -> None:
    pieces = []
    for index, (time, offset, key, value, headers, attributes, size) in enumerate(parts):
        tail = DefaultRecord.encoded(0, 0, key, value, headers)
        # The length has up to three bytes, then come the attributes, a time and an offset of one byte each.
        tail = tail[next(at for at, byte in enumerate(tail) if byte < 128) + 4:]
        body = bytes((attributes,)) + varint(time, size) + varint(index if offset is None else offset,
                                                                  size) + tail
        pieces.append(varint(len(body), size) + body)
    records = bytearray(b"".join(pieces))
    for _ in range(data.draw(st.sampled_from([0, 0, 0, 1, 2]))):
        at = data.draw(st.integers(0, len(records) - 1))
        records[at] = data.draw(st.sampled_from([0, 1, 2, 127, 128, 255]) | st.integers(0, 255))
    if data.draw(st.sampled_from([False, False, True])):
        del records[data.draw(st.integers(0, len(records) - 1)):]
    batch = compressed(bytes(records), len(parts), source, log_append_time=log_append_time)
    fast, slow = both_ways(*(
        validator(batch, source, target, compacted=compacted, timestamp_type=timestamp_type,
                  before_max_ms=before_max_ms) for _ in range(2)))
    assert fast == slow


@given(_RECORDS, st.sampled_from(_CODECS[1:]), st.sampled_from(_CODECS))
def test_the_walk_writes_the_bytes_that_the_port_writes(made: list[SimpleRecord], source: Compression,
                                                        target: Compression) -> None:
    # A record's number of bytes depends on the time of the first.
    made = [SimpleRecord(NOW - record.timestamp() % 1000, record.key(), record.value(), record.headers())
            for record in made]
    with patch.object(record_walk, "_CHUNK", 100):
        fast = rewritten(batch_of(made, source), source, target)
    with patch.object(LogValidator, "_walk", lambda *_: None):
        slow = rewritten(batch_of(made, source), source, target)
    assert fast == slow


def rewritten(batch: bytes, source: Compression, target: Compression) -> tuple[bytes, str]:
    """Return the bytes of the records of the batch in the log, and the numbers about their validation."""
    result = validator(batch, source, target).validate_messages_and_assign_offsets(
        PrimitiveRef.of_long(0), NO_APPEND_METRICS, BufferSupplier.NO_CACHING)
    written, = result.validated_records.batches()
    assert isinstance(written, DefaultRecordBatch)
    with written.record_input_stream(BufferSupplier.NO_CACHING) as stream:
        return stream.read_n_bytes(2**31), str(result.record_validation_stats)


def equal_records(count: int, codec: Compression, value: bytes = b"") -> bytes:
    """Return a batch of ``count`` records whose bytes are equal, so that all have the offset 0."""
    return compressed(DefaultRecord.encoded(0, 0, b"", value, []) * count, count, codec)


@pytest.mark.deviation("D242")
@pytest.mark.parametrize("codec", [_CODECS[1], _CODECS[4]], ids=["gzip", "zstd"])
def test_a_batch_of_more_records_than_its_bytes_can_hold(codec: Compression) -> None:
    """D242: the validator refuses the batch, and decompresses nothing."""
    batch = equal_records(1_000_000, codec)
    assert len(batch) < 30_000
    for target in (codec, Compression.lz4().build()):
        tracemalloc.start()
        try:
            with patch.object(DefaultRecordBatch, "record_input_stream", side_effect=AssertionError), \
                    pytest.raises(RecordTooLargeException, match="has 1000000 records in"):
                validator(batch, codec, target).validate_messages_and_assign_offsets(
                    PrimitiveRef.of_long(0), NO_APPEND_METRICS, BufferSupplier.NO_CACHING)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 1_000_000


@pytest.mark.parametrize("target", _CODECS, ids=lambda codec: codec.type()._name)
def test_a_legitimate_batch_compresses_far_below_the_limit(target: Compression) -> None:
    """No codec writes more than 2 of the smallest records that differ in their offsets into a byte."""
    records = b"".join(DefaultRecord.encoded(offset, 0, None, None, []) for offset in range(65_536))
    sizes = [len(compressed(records, 65_536, codec)) for codec in _CODECS[1:]]
    assert 65_536 / min(sizes) < 2 < record_walk.MAX_RECORDS_PER_BYTE / 5
    batch = compressed(records, 65_536, _CODECS[4])
    with patch.object(DefaultRecord, "read_from_stream", wraps=DefaultRecord.read_from_stream) as read, \
            patch.object(DefaultRecord, "read_partially_from",
                         wraps=DefaultRecord.read_partially_from) as skip:
        result = validator(batch, _CODECS[4], target).validate_messages_and_assign_offsets(
            PrimitiveRef.of_long(0), NO_APPEND_METRICS, BufferSupplier.NO_CACHING)
    written, = result.validated_records.batches()
    assert written.count_or_null() == 65_536
    # The first and the last record, and no more than one for each chunk.
    assert read.call_count + skip.call_count < 20


@pytest.mark.deviation("D394")
def test_rewriting_keeps_no_record() -> None:
    batch = compressed(b"".join(DefaultRecord.encoded(offset, 0, None, None, []) for offset in range(20_000)),
                       20_000, _CODECS[1])
    made = validator(batch, _CODECS[1], _CODECS[2])
    tracemalloc.start()
    try:
        made.validate_messages_and_assign_offsets(PrimitiveRef.of_long(0), NO_APPEND_METRICS,
                                                  BufferSupplier.NO_CACHING)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # 3.6 MB if the records were kept.
    assert peak < 1_500_000


@pytest.mark.parametrize("target", [_CODECS[1], _CODECS[3]], ids=["as it is", "rewritten"])
def test_a_batch_that_expands_to_too_much(monkeypatch: pytest.MonkeyPatch, target: Compression) -> None:
    """D480. Records of any size together, and a record alone if its bytes must be in memory."""
    monkeypatch.setattr(record_walk, "MAX_EXPANDED_BYTES", 1_000_000)
    monkeypatch.setattr(record_walk, "MAX_RECORD_BYTES", 500_000)
    monkeypatch.setattr(record_walk, "_MAX_EXPANSION", 1)
    large = compressed(b"".join(DefaultRecord.encoded(offset, 0, None, bytes(90_000), [])
                                for offset in range(12)), 12, _CODECS[1])
    with pytest.raises(RecordTooLargeException, match="expands to more than 1000000 bytes"):
        validator(large, _CODECS[1], target).validate_messages_and_assign_offsets(
            PrimitiveRef.of_long(0), NO_APPEND_METRICS, BufferSupplier.NO_CACHING)
    one = compressed(DefaultRecord.encoded(0, 0, None, bytes(600_000), []), 1, _CODECS[1])
    made = validator(one, _CODECS[1], target)
    if target is _CODECS[1]:
        made.validate_messages_and_assign_offsets(PrimitiveRef.of_long(0), NO_APPEND_METRICS,
                                                  BufferSupplier.NO_CACHING)
    else:
        with pytest.raises(RecordTooLargeException, match="has 600008 bytes, more than 500000"):
            made.validate_messages_and_assign_offsets(PrimitiveRef.of_long(0), NO_APPEND_METRICS,
                                                      BufferSupplier.NO_CACHING)


@pytest.mark.deviation("D482")
def test_a_new_batch_that_the_topic_cannot_have_is_given_up() -> None:
    """D482."""
    batch = compressed(b"".join(DefaultRecord.encoded(offset, 0, None, bytes(90_000), [])
                                for offset in range(100)), 100, _CODECS[1])
    made = validator(batch, _CODECS[1], Compression.NONE, max_message_size=100_000)
    tracemalloc.start()
    try:
        with pytest.raises(RecordTooLargeException, match="more than 100000 bytes in append to topic-0"):
            made.validate_messages_and_assign_offsets(PrimitiveRef.of_long(0), NO_APPEND_METRICS,
                                                      BufferSupplier.NO_CACHING)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 3_000_000


@pytest.mark.deviation("D483")
@pytest.mark.parametrize("source", _CODECS[:2], ids=["none", "gzip"])
def test_a_response_lists_a_limited_number_of_invalid_records(monkeypatch: pytest.MonkeyPatch,
                                                              source: Compression) -> None:
    """D483."""
    monkeypatch.setattr("kreactor.storage.internals.log.log_validator.MAX_RECORD_ERRORS", 10)
    batch = batch_of([SimpleRecord(NOW, None, b"") for _ in range(20)], source)
    made = validator(batch, source, source, compacted=True)
    with pytest.raises(RecordValidationException) as raised:
        made.validate_messages_and_assign_offsets(PrimitiveRef.of_long(0), NO_APPEND_METRICS,
                                                  BufferSupplier.NO_CACHING)
    assert [error.batch_index for error in raised.value.record_errors] == list(range(10))


@pytest.mark.deviation("D481")
@pytest.mark.parametrize("limit", ["MAX_WRAPPED_MESSAGES", "MAX_RECORD_BYTES"])
@pytest.mark.parametrize("magic", [0, 1])
def test_an_old_message_that_contains_too_much(monkeypatch: pytest.MonkeyPatch, limit: str,
                                               magic: int) -> None:
    """D481."""
    codec = Compression.gzip().build()
    values = [b"a" * 100] * 50
    batch = MemoryRecords.with_records(codec, *[SimpleRecord(NOW, None, value) for value in values],
                                       magic=magic).buffer().to_bytes()
    made = validator(batch, codec, codec)
    assert isinstance(outcome(made), tuple)
    monkeypatch.setattr(record_walk, "_MAX_EXPANSION", 1)
    monkeypatch.setattr(record_walk, limit, 49 if limit == "MAX_WRAPPED_MESSAGES" else 5000)
    inside = "kreactor.common.record.abstract_legacy_record_batch._DeepRecordsIterator"
    with patch(inside, side_effect=AssertionError), \
            pytest.raises(RecordTooLargeException, match="contains more than"):
        validator(batch, codec, codec).validate_messages_and_assign_offsets(
            PrimitiveRef.of_long(0), NO_APPEND_METRICS, BufferSupplier.NO_CACHING)
