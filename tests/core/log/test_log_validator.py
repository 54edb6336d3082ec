# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.log.LogValidatorTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The tests of Kafka's LogValidatorTest.

A mock clock stands still, where Kafka's takes the system's and hopes that a second is long enough.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.compress.gzip_compression import GzipCompression
from kreactor.common.compress.lz4_compression import Lz4Compression
from kreactor.common.errors import (
    CorruptRecordException,
    InvalidTimestampException,
    UnsupportedCompressionTypeException,
    UnsupportedForMessageFormatException,
)
from kreactor.common.invalid_record_exception import InvalidRecordException
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.end_transaction_marker import EndTransactionMarker
from kreactor.common.record.legacy_record import LegacyRecord
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.record_validation_stats import RecordValidationStats
from kreactor.common.record.record_version import RecordVersion
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.primitive_ref import PrimitiveRef
from kreactor.core.server.broker_append_metrics import BrokerAppendMetrics
from kreactor.core.server.broker_topic_stats import BrokerTopicStats
from kreactor.core.server.request_local import RequestLocal
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.server.common.metadata_version import MetadataVersion
from kreactor.server.metrics.yammer import Meter, MetricsRegistry
from kreactor.storage.internals.log.append_origin import AppendOrigin
from kreactor.storage.internals.log.log_validator import LogValidator
from kreactor.storage.internals.log.record_validation_exception import RecordValidationException
from kreactor.testing.mock_time import MockTime
from tests.storage.internals.log.support import NOW

TP = TopicPartition("topic", 0)
V0, V1, V2 = RecordBatch.MAGIC_VALUE_V0, RecordBatch.MAGIC_VALUE_V1, RecordBatch.MAGIC_VALUE_V2
CURRENT = RecordBatch.CURRENT_MAGIC_VALUE
CREATE_TIME, LOG_APPEND_TIME = TimestampType.CREATE_TIME, TimestampType.LOG_APPEND_TIME
NO_TIMESTAMP = RecordBatch.NO_TIMESTAMP
NONE = Compression.NONE
GZIP = Compression.gzip().build()
OFFSET = 1234567
HOUR_MS = 60 * 60 * 1000
MAX_LONG = 2**63 - 1


class Meters:
    """The meters of refused records, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = MetricsRegistry()
        self.recorder = BrokerAppendMetrics(BrokerTopicStats(self.registry))

    def assert_marked_once_by_name(self, name: str) -> None:
        found = [metric for metric_name, metric in self.registry.all_metrics().items()
                 if metric_name.get_mbean_name().endswith(name)]
        assert len(found) == 1
        assert isinstance(found[0], Meter)
        assert found[0].count() > 0


@pytest.fixture
def meters() -> Meters:
    return Meters()


def validate(records: MemoryRecords, source: CompressionType, target: Compression, to_magic: int,
             timestamp_type: TimestampType = CREATE_TIME, max_ms: int = 1000, *,
             after_max_ms: int | None = None,
             partition_leader_epoch: int = RecordBatch.NO_PARTITION_LEADER_EPOCH,
             origin: AppendOrigin = AppendOrigin.CLIENT,
             version: MetadataVersion = MetadataVersion.latest_testing(),
             offset: int | PrimitiveRef.LongRef = 0, now: int = NOW, compacted: bool = False,
             meters: Meters | None = None,
             fidelity_strict: bool = False) -> LogValidator.ValidationResult:
    """Validate an append."""
    return LogValidator(
        records, TP, MockTime(current_time_ms=now), source, target, compacted, to_magic, timestamp_type,
        max_ms, max_ms if after_max_ms is None else after_max_ms, partition_leader_epoch, origin, version,
        fidelity_strict=fidelity_strict,
    ).validate_messages_and_assign_offsets(
        PrimitiveRef.of_long(offset) if isinstance(offset, int) else offset,
        (meters or Meters()).recorder, RequestLocal.with_thread_confined_caching().buffer_supplier())


def validate_messages(records: MemoryRecords, magic: int, source: CompressionType, target: Compression,
                      meters: Meters | None = None) -> LogValidator.ValidationResult:
    return validate(records, source, target, magic, now=0, version=MetadataVersion.IBP_2_3_IV1,
                    partition_leader_epoch=RecordBatch.NO_PRODUCER_EPOCH, meters=meters)


def create_records(magic: int, codec: Compression, timestamp: int = NO_TIMESTAMP,
                   values: Sequence[bytes] = (b"hello", b"there", b"beautiful")) -> MemoryRecords:
    builder = MemoryRecords.builder(ByteBuffer.allocate(512), codec, CREATE_TIME, 0, magic=magic)
    for offset, value in enumerate(values):
        builder.append_with_offset(offset, timestamp, None, value)
    return builder.build()


def create_non_increasing_offset_records(magic: int) -> MemoryRecords:
    builder = MemoryRecords.builder(ByteBuffer.allocate(512), NONE, CREATE_TIME, 0, magic=magic)
    for offset, value in ((0, b"hello"), (2, b"there"), (3, b"beautiful")):
        builder.append_with_offset(offset, NO_TIMESTAMP, None, value)
    return builder.build()


def create_two_batched_records(magic: int, codec: Compression) -> MemoryRecords:
    buffer = ByteBuffer.allocate(2048)
    builder = MemoryRecords.builder(buffer, codec, CREATE_TIME, 0, magic=magic)
    builder.append(10, b"1", b"a")
    builder.close()
    builder = MemoryRecords.builder(buffer, codec, CREATE_TIME, 1, magic=magic)
    builder.append(11, b"2", b"b")
    builder.append(12, b"3", b"c")
    builder.close()
    buffer.flip()
    return MemoryRecords.readable_records(buffer.slice())


def records_with_non_sequential_inner_offsets(magic: int, codec: Compression, count: int) -> MemoryRecords:
    builder = MemoryRecords.builder(ByteBuffer.allocate(1024), codec, CREATE_TIME, 0, magic=magic)
    for number in range(count):
        builder.append_unchecked_with_offset_simple_record(0, SimpleRecord(value=str(number).encode()))
    return builder.build()


def records_with_invalid_inner_magic(batch_magic: int, record_magic: int,
                                     codec: Compression) -> MemoryRecords:
    legacy = [LegacyRecord.create(record_magic, NO_TIMESTAMP, str(number).encode(), str(number).encode())
              for number in range(20)]
    size = min(max(sum(record.size_in_bytes() for record in legacy) // 2, 1024), 1 << 16)
    builder = MemoryRecords.builder(ByteBuffer.allocate(size), codec, CREATE_TIME, 0, magic=batch_magic)
    for offset, record in enumerate(legacy, OFFSET):
        builder.append_unchecked_with_offset(offset, record)
    return builder.build()


def producer_records(magic: int, codec: Compression) -> tuple[MemoryRecords, tuple[int, int, int, bool, int]]:
    """Return three records of ``TIMESTAMPS``, and their sender, which has a transaction from magic 2 on."""
    sender = (1324, 10, 984, True, 40) if magic >= V2 else (
        RecordBatch.NO_PRODUCER_ID, RecordBatch.NO_PRODUCER_EPOCH, RecordBatch.NO_SEQUENCE, False,
        RecordBatch.NO_PARTITION_LEADER_EPOCH)
    producer_id, producer_epoch, base_sequence, is_transactional, partition_leader_epoch = sender
    return MemoryRecords.with_records(
        codec, *(SimpleRecord(timestamp, None, value) for timestamp, value in zip(
            TIMESTAMPS, (b"hello", b"there", b"beautiful"))),
        magic=magic, initial_offset=0, timestamp_type=CREATE_TIME, producer_id=producer_id,
        producer_epoch=producer_epoch, base_sequence=base_sequence, is_transactional=is_transactional,
        partition_leader_epoch=partition_leader_epoch), sender


# The second one is the latest.
TIMESTAMPS = (NOW - 1, NOW + 1, NOW)


def assert_offsets(records: MemoryRecords, base_offset: int) -> None:
    """The offsets are consecutive from a base on."""
    offsets = [record.offset() for record in records.records()]
    assert offsets, "no records"
    assert offsets == list(range(base_offset, base_offset + len(offsets)))


def assert_base_timestamp(expected: int, batch: RecordBatch) -> None:
    if isinstance(batch, DefaultRecordBatch):
        assert batch.base_timestamp() == expected


def assert_log_append_time(expected: int, base_timestamp: int, batch: RecordBatch) -> None:
    assert batch.is_valid()
    assert batch.timestamp_type() is LOG_APPEND_TIME
    assert batch.max_timestamp() == expected
    assert_base_timestamp(base_timestamp, batch)
    for record in batch:
        record.ensure_valid()
        assert record.timestamp() == expected


def assert_stats(stats: RecordValidationStats, converted: int, records: MemoryRecords,
                 compressed: bool) -> None:
    assert stats.num_records_converted() == converted
    if converted > 0:
        assert 0 <= stats.conversion_time_nanos() <= 60 * 10**9
    if converted > 0 and compressed:
        assert stats.temporary_memory_bytes() > records.size_in_bytes()
    elif converted > 0 or compressed:
        assert stats.temporary_memory_bytes() > 0
    else:
        assert stats.temporary_memory_bytes() == 0


def count(records: MemoryRecords) -> int:
    return len(list(records.records()))


def test_only_one_batch() -> None:
    for magic, source, target in ((V0, GZIP, GZIP), (V1, GZIP, GZIP), (V2, GZIP, GZIP), (V0, GZIP, NONE),
                                  (V1, GZIP, NONE), (V2, GZIP, NONE), (V2, NONE, NONE), (V2, NONE, GZIP)):
        with pytest.raises(InvalidRecordException):
            validate_messages(create_two_batched_records(magic, source), magic, source.type(), target)


def test_allow_multi_batch() -> None:
    for magic, source, target in ((V0, NONE, NONE), (V1, NONE, NONE), (V0, NONE, GZIP), (V1, NONE, GZIP)):
        result = validate_messages(create_two_batched_records(magic, source), magic, source.type(), target)
        assert_offsets(result.validated_records, 0)
        assert count(result.validated_records) == 3


def test_validation_of_batches_with_non_sequential_inner_offsets() -> None:
    for version in RecordVersion:
        magic = version.value
        invalid = records_with_non_sequential_inner_offsets(magic, GZIP, 20)
        # Of magic 2 such a batch is refused. Of an older one it is written anew.
        if magic >= V2:
            with pytest.raises(InvalidRecordException):
                validate_messages(invalid, magic, CompressionType.GZIP, GZIP)
        else:
            result = validate_messages(invalid, magic, CompressionType.GZIP, GZIP)
            assert [record.offset() for record in result.validated_records.records()] == list(range(20))


def test_mis_match_magic(meters: Meters) -> None:
    for batch_magic, record_magic in ((V0, V1), (V1, V0)):
        with pytest.raises(RecordValidationException):
            validate_messages(records_with_invalid_inner_magic(batch_magic, record_magic, GZIP), batch_magic,
                              CompressionType.GZIP, GZIP, meters)
        meters.assert_marked_once_by_name(BrokerTopicStats.InvalidMagicNumberRecordsPerSec)


def test_batches_of_several_magics_are_refused_and_counted(meters: Meters) -> None:
    batches = [create_records(magic, NONE, NOW).buffer().to_bytes() for magic in (V1, V0)]
    records = MemoryRecords.readable_records(ByteBuffer.wrap(b"".join(batches)))
    with pytest.raises(InvalidRecordException, match="magic 0 is not the same as .* magic byte 1"):
        validate(records, CompressionType.NONE, NONE, V1, meters=meters)
    meters.assert_marked_once_by_name(BrokerTopicStats.InvalidMagicNumberRecordsPerSec)


def assert_log_append_time_non_compressed(magic: int) -> None:
    records = create_records(magic, NONE, 1234)
    offset_counter = PrimitiveRef.of_long(0)
    result = validate(records, CompressionType.NONE, NONE, magic, LOG_APPEND_TIME, offset=offset_counter)
    assert offset_counter.value == count(records)
    assert count(result.validated_records) == count(records)
    if magic >= V1:
        for batch in result.validated_records.batches():
            assert_log_append_time(NOW, 1234, batch)
    assert result.max_timestamp_ms == (NO_TIMESTAMP if magic == V0 else NOW)
    assert not result.message_size_maybe_changed
    # Each batch has the time of the append, so that the first one counts.
    assert result.shallow_offset_of_max_timestamp == {V0: -1, V1: 0, V2: 2}[magic]
    assert_stats(result.record_validation_stats, 0, records, False)


def test_log_append_time_non_compressed_v0() -> None:
    assert_log_append_time_non_compressed(V0)


def test_log_append_time_non_compressed_v1() -> None:
    assert_log_append_time_non_compressed(V1)


def test_log_append_time_non_compressed_v2() -> None:
    assert_log_append_time_non_compressed(V2)


def assert_log_append_time_with_recompression(target_magic: int) -> None:
    records = create_records(V0, GZIP)
    result = validate(records, CompressionType.GZIP, GZIP, target_magic, LOG_APPEND_TIME)
    assert count(result.validated_records) == count(records)
    for batch in result.validated_records.batches():
        assert_log_append_time(NOW, -1, batch)
    assert next(iter(result.validated_records.batches())).is_valid()
    assert result.max_timestamp_ms == NOW
    assert result.shallow_offset_of_max_timestamp == 2
    assert result.message_size_maybe_changed
    assert_stats(result.record_validation_stats, 3, records, True)


def test_log_append_time_with_recompression_v1() -> None:
    assert_log_append_time_with_recompression(V1)


def test_log_append_time_with_recompression_v2() -> None:
    assert_log_append_time_with_recompression(V2)


def assert_log_append_time_without_recompression(magic: int) -> None:
    records = create_records(magic, GZIP, 1234)
    result = validate(records, CompressionType.GZIP, GZIP, magic, LOG_APPEND_TIME)
    assert count(result.validated_records) == count(records)
    for batch in result.validated_records.batches():
        assert_log_append_time(NOW, 1234, batch)
    assert next(iter(result.validated_records.batches())).is_valid()
    assert result.max_timestamp_ms == NOW
    assert result.shallow_offset_of_max_timestamp == 2
    assert not result.message_size_maybe_changed
    assert_stats(result.record_validation_stats, 0, records, True)


def test_log_append_time_without_recompression_v1() -> None:
    assert_log_append_time_without_recompression(V1)


def test_log_append_time_without_recompression_v2() -> None:
    assert_log_append_time_without_recompression(V2)


def validate_record_batch_with_count_overrides(last_offset_delta: int,
                                               number: int) -> LogValidator.ValidationResult:
    records = create_records(V2, NONE, 1234)
    buffer = records.buffer()
    buffer.put_int_at(DefaultRecordBatch.RECORDS_COUNT_OFFSET, number)
    buffer.put_int_at(DefaultRecordBatch.LAST_OFFSET_DELTA_OFFSET, last_offset_delta)
    return validate(records, CompressionType.GZIP, GZIP, V2, LOG_APPEND_TIME)


def test_invalid_offset_range_and_record_count() -> None:
    # The batch has 3 records.
    result = validate_record_batch_with_count_overrides(2, 3)
    assert (result.max_timestamp_ms, result.shallow_offset_of_max_timestamp) == (NOW, 2)

    # Count and offsets do not agree, or cannot be. The last two agree, but not with the records.
    for last_offset_delta, number in ((0, 3), (15, 3), (-3, 3), (2, -3), (2, 6), (2, 0), (-3, -2), (5, 6),
                                      (1, 2)):
        with pytest.raises(InvalidRecordException):
            validate_record_batch_with_count_overrides(last_offset_delta, number)


def assert_records_of(result: LogValidator.ValidationResult, sender: tuple[int, int, int, bool, int]) -> int:
    """All batches say who sent them, and have the three timestamps; return the number of records."""
    producer_id, producer_epoch, base_sequence, is_transactional, partition_leader_epoch = sender
    number = 0
    for batch in result.validated_records.batches():
        assert batch.is_valid()
        assert batch.timestamp_type() is CREATE_TIME
        assert_base_timestamp(TIMESTAMPS[0], batch)
        assert batch.max_timestamp() == max(record.timestamp() for record in batch)
        assert batch.producer_epoch() == producer_epoch
        assert batch.producer_id() == producer_id
        assert batch.base_sequence() == base_sequence
        assert batch.is_transactional() == is_transactional
        assert batch.partition_leader_epoch() == partition_leader_epoch
        for record in batch:
            record.ensure_valid()
            assert record.timestamp() == TIMESTAMPS[number]
            number += 1
    return number


def assert_non_compressed(magic: int) -> None:
    records, sender = producer_records(magic, NONE)
    offset_counter = PrimitiveRef.of_long(0)
    result = validate(records, CompressionType.NONE, NONE, magic, partition_leader_epoch=sender[-1],
                      offset=offset_counter)
    assert assert_records_of(result, sender) == offset_counter.value
    assert result.max_timestamp_ms == NOW + 1
    # One batch ends at 2; of three the second has the latest time.
    assert len(list(records.batches())) == (1 if magic >= V2 else 3)
    assert result.shallow_offset_of_max_timestamp == (2 if magic >= V2 else 1)
    assert not result.message_size_maybe_changed
    assert_stats(result.record_validation_stats, 0, records, False)


def test_non_compressed_v1() -> None:
    assert_non_compressed(V1)


def test_non_compressed_v2() -> None:
    assert_non_compressed(V2)


def assert_recompression(magic: int) -> None:
    records, sender = producer_records(magic, NONE)
    assert len(list(records.batches())) == (1 if magic >= V2 else 3)
    result = validate(records, CompressionType.NONE, GZIP, magic, partition_leader_epoch=sender[-1])
    assert assert_records_of(result, sender) == 3
    assert result.max_timestamp_ms == NOW + 1
    assert len(list(result.validated_records.batches())) == 1
    assert result.shallow_offset_of_max_timestamp == 2
    assert result.message_size_maybe_changed
    assert_stats(result.record_validation_stats, 3, records, True)


def test_recompression_v1() -> None:
    assert_recompression(V1)


def test_recompression_v2() -> None:
    assert_recompression(V2)


def assert_up_converted(result: LogValidator.ValidationResult, timestamp: int) -> None:
    """All batches have this time, and no producer."""
    for batch in result.validated_records.batches():
        assert batch.is_valid()
        assert_base_timestamp(timestamp, batch)
        assert batch.max_timestamp() == timestamp
        assert batch.timestamp_type() is CREATE_TIME
        assert batch.producer_epoch() == RecordBatch.NO_PRODUCER_EPOCH
        assert batch.producer_id() == RecordBatch.NO_PRODUCER_ID
        assert batch.base_sequence() == RecordBatch.NO_SEQUENCE
    assert result.max_timestamp_ms == timestamp
    assert result.message_size_maybe_changed


def assert_create_time_up_conversion_from_v0(to_magic: int) -> None:
    records = create_records(V0, GZIP)
    result = validate(records, CompressionType.GZIP, GZIP, to_magic)
    assert_up_converted(result, NO_TIMESTAMP)
    assert result.shallow_offset_of_max_timestamp == -1
    assert_stats(result.record_validation_stats, 3, records, True)


def test_create_time_up_conversion_v0_to_v1() -> None:
    assert_create_time_up_conversion_from_v0(V1)


def test_create_time_up_conversion_v0_to_v2() -> None:
    assert_create_time_up_conversion_from_v0(V2)


def test_create_time_up_conversion_v1_to_v2() -> None:
    records = create_records(V1, GZIP, NOW)
    result = validate(records, CompressionType.GZIP, GZIP, V2)
    assert_up_converted(result, NOW)
    assert result.shallow_offset_of_max_timestamp == 2
    assert_stats(result.record_validation_stats, 3, records, True)


def assert_compressed(magic: int) -> None:
    records, sender = producer_records(magic, GZIP)
    result = validate(records, CompressionType.GZIP, GZIP, magic, partition_leader_epoch=sender[-1])
    assert assert_records_of(result, sender) == 3
    assert result.max_timestamp_ms == NOW + 1
    assert result.shallow_offset_of_max_timestamp == 2
    assert not result.message_size_maybe_changed
    assert_stats(result.record_validation_stats, 0, records, True)


def test_compressed_v1() -> None:
    assert_compressed(V1)


def test_compressed_v2() -> None:
    assert_compressed(V2)


def test_invalid_create_time_non_compressed_v1() -> None:
    with pytest.raises(RecordValidationException):
        validate(create_records(V1, NONE, NOW - 1001), CompressionType.NONE, NONE, V1)


def test_invalid_create_time_non_compressed_v2() -> None:
    with pytest.raises(RecordValidationException):
        validate(create_records(V2, NONE, NOW - 1001), CompressionType.NONE, NONE, V2)


def test_invalid_create_time_compressed_v1() -> None:
    with pytest.raises(RecordValidationException):
        validate(create_records(V1, GZIP, NOW - 1001), CompressionType.GZIP, GZIP, V1)


def test_invalid_create_time_compressed_v2() -> None:
    with pytest.raises(RecordValidationException):
        validate(create_records(V2, GZIP, NOW - 1001), CompressionType.GZIP, GZIP, V1)


def assert_offset_assignment(magic: int, codec: Compression, timestamp: int, to_magic: int,
                             timestamp_type: TimestampType = CREATE_TIME,
                             max_ms: int = 1000) -> tuple[LogValidator.ValidationResult, MemoryRecords]:
    """Three records that begin at 0 begin at ``OFFSET`` once they are validated."""
    records = create_records(magic, codec, timestamp)
    assert_offsets(records, 0)
    result = validate(records, codec.type(), codec, to_magic, timestamp_type, max_ms, offset=OFFSET)
    assert_offsets(result.validated_records, OFFSET)
    assert count(result.validated_records) == 3
    assert all(batch.magic() == to_magic for batch in result.validated_records.batches())
    return result, records


def test_absolute_offset_assignment_non_compressed() -> None:
    assert_offset_assignment(V0, NONE, NO_TIMESTAMP, V0)


def test_absolute_offset_assignment_compressed() -> None:
    assert_offset_assignment(V0, GZIP, NO_TIMESTAMP, V0)


def test_relative_offset_assignment_non_compressed_v1() -> None:
    assert_offset_assignment(V1, NONE, NOW, V1, max_ms=5000)


def test_relative_offset_assignment_non_compressed_v2() -> None:
    assert_offset_assignment(V2, NONE, NOW, V2, max_ms=5000)


def test_relative_offset_assignment_compressed_v1() -> None:
    assert_offset_assignment(V1, GZIP, NOW, V1, max_ms=5000)


def test_relative_offset_assignment_compressed_v2() -> None:
    assert_offset_assignment(V2, GZIP, NOW, V2, max_ms=5000)


def test_offset_assignment_after_up_conversion_v0_to_v1_non_compressed() -> None:
    result, records = assert_offset_assignment(V0, NONE, NO_TIMESTAMP, V1, LOG_APPEND_TIME)
    assert_stats(result.record_validation_stats, 3, records, False)


def test_offset_assignment_after_up_conversion_v0_to_v2_non_compressed() -> None:
    result, records = assert_offset_assignment(V0, NONE, NO_TIMESTAMP, V2, LOG_APPEND_TIME)
    assert_stats(result.record_validation_stats, 3, records, False)


def test_offset_assignment_after_up_conversion_v0_to_v1_compressed() -> None:
    result, records = assert_offset_assignment(V0, GZIP, NO_TIMESTAMP, V1, LOG_APPEND_TIME)
    assert_stats(result.record_validation_stats, 3, records, True)


def test_offset_assignment_after_up_conversion_v0_to_v2_compressed() -> None:
    result, records = assert_offset_assignment(V0, GZIP, NO_TIMESTAMP, V2, LOG_APPEND_TIME)
    assert_stats(result.record_validation_stats, 3, records, True)


def end_txn_records() -> MemoryRecords:
    return MemoryRecords.with_end_transaction_marker(
        23423, 5, EndTransactionMarker(ControlRecordType.COMMIT, 0), timestamp=NOW)


def test_control_records_not_allowed_from_clients() -> None:
    with pytest.raises(InvalidRecordException):
        validate(end_txn_records(), CompressionType.NONE, NONE, CURRENT, max_ms=5000, offset=OFFSET)


def test_control_records_not_compressed() -> None:
    result = validate(end_txn_records(), CompressionType.NONE, Compression.snappy().build(), CURRENT,
                      max_ms=5000, origin=AppendOrigin.COORDINATOR, offset=OFFSET)
    batch, = result.validated_records.batches()
    assert not batch.is_compressed()


def test_offset_assignment_after_down_conversion_v1_to_v0_non_compressed() -> None:
    assert_offset_assignment(V1, NONE, NOW, V0, max_ms=5000)


def test_offset_assignment_after_down_conversion_v1_to_v0_compressed() -> None:
    assert_offset_assignment(V1, GZIP, NOW, V0, max_ms=5000)


def test_offset_assignment_after_up_conversion_v1_to_v2_non_compressed() -> None:
    assert_offset_assignment(V1, NONE, NO_TIMESTAMP, V2, LOG_APPEND_TIME)


def test_offset_assignment_after_up_conversion_v1_to_v2_compressed() -> None:
    assert_offset_assignment(V1, GZIP, NO_TIMESTAMP, V2, LOG_APPEND_TIME)


def test_offset_assignment_after_down_conversion_v2_to_v1_non_compressed() -> None:
    assert_offset_assignment(V2, NONE, NOW, V1, max_ms=5000)


def test_offset_assignment_after_down_conversion_v2_to_v1_compressed() -> None:
    assert_offset_assignment(V2, GZIP, NOW, V1, max_ms=5000)


def test_down_conversion_of_transactional_records_not_permitted() -> None:
    records = MemoryRecords.with_transactional_records(
        NONE, 1344, 16, 0, *(SimpleRecord(value=value) for value in (b"hello", b"there", b"beautiful")))
    with pytest.raises(UnsupportedForMessageFormatException, match="Transactional"):
        validate(records, CompressionType.GZIP, GZIP, V1, max_ms=5000, offset=OFFSET)


def test_down_conversion_of_idempotent_records_not_permitted() -> None:
    records = MemoryRecords.with_idempotent_records(
        NONE, 1344, 16, 0, *(SimpleRecord(value=value) for value in (b"hello", b"there", b"beautiful")))
    with pytest.raises(UnsupportedForMessageFormatException, match="Idempotent"):
        validate(records, CompressionType.GZIP, GZIP, V1, max_ms=5000, offset=OFFSET)


def test_offset_assignment_after_down_conversion_v2_to_v0_non_compressed() -> None:
    assert_offset_assignment(V2, NONE, NOW, V0, max_ms=5000)


def test_offset_assignment_after_down_conversion_v2_to_v0_compressed() -> None:
    assert_offset_assignment(V2, GZIP, NOW, V0, max_ms=5000)


def test_non_increasing_offset_record_batch_has_metrics_logged(meters: Meters) -> None:
    records = create_non_increasing_offset_records(V2)
    next(iter(records.batches())).set_last_offset(2)
    with pytest.raises(InvalidRecordException):
        validate(records, CompressionType.GZIP, GZIP, V0, max_ms=5000, meters=meters)
    meters.assert_marked_once_by_name(BrokerTopicStats.InvalidOffsetOrSequenceRecordsPerSec)


def assert_batch_without_records_not_allowed(source: CompressionType, target: Compression) -> None:
    buffer = ByteBuffer.allocate(DefaultRecordBatch.RECORD_BATCH_OVERHEAD)
    DefaultRecordBatch.write_empty_header(buffer, CURRENT, 1324, 10, 984, 0, 5, 40, CREATE_TIME, NOW, True,
                                          False)
    buffer.flip()
    with pytest.raises(InvalidRecordException):
        validate(MemoryRecords.readable_records(buffer), source, target, CURRENT, max_ms=5000, offset=OFFSET)


def test_compressed_batch_without_records_not_allowed() -> None:
    assert_batch_without_records_not_allowed(CompressionType.GZIP, GZIP)


def test_z_std_compressed_with_unavailable_ibp_version() -> None:
    with pytest.raises(UnsupportedCompressionTypeException):
        validate(create_records(V2, NONE, 1234), CompressionType.NONE, Compression.zstd().build(), V2,
                 LOG_APPEND_TIME, version=MetadataVersion.IBP_2_0_IV1)


def test_uncompressed_batch_without_records_not_allowed() -> None:
    assert_batch_without_records_not_allowed(CompressionType.NONE, NONE)


def test_recompressed_batch_without_records_not_allowed() -> None:
    assert_batch_without_records_not_allowed(CompressionType.NONE, GZIP)


def test_invalid_timestamp_exception_has_batch_index() -> None:
    with pytest.raises(RecordValidationException) as raised:
        validate(create_records(V2, GZIP, NOW - 1001), CompressionType.GZIP, GZIP, V1)
    assert isinstance(raised.value.invalid_exception, InvalidTimestampException)
    assert [error.batch_index for error in raised.value.record_errors] == [0, 1, 2]
    # The log shows the cause.
    assert raised.value.__cause__ is raised.value.invalid_exception
    assert "InvalidTimestampException" in str(raised.value)


def test_invalid_record_exception_has_batch_index() -> None:
    with pytest.raises(RecordValidationException) as raised:
        validate_messages(records_with_invalid_inner_magic(V0, V1, GZIP), V0, CompressionType.GZIP, GZIP)
    assert isinstance(raised.value.invalid_exception, InvalidRecordException)
    assert [error.batch_index for error in raised.value.record_errors] == list(range(20))


def test_batch_with_invalid_records_and_invalid_timestamp() -> None:
    """The time is what the client is told of, where there is another error, too."""
    builder = MemoryRecords.builder(ByteBuffer.allocate(1024), GZIP, CREATE_TIME, 0, magic=V1)
    builder.append_unchecked_with_offset(0, LegacyRecord.create(V1, 1200, None, b"timestamp"))
    for number in range(5):
        builder.append_unchecked_with_offset(
            30 * (number + 1), LegacyRecord.create(V0, 0, None, str(number).encode()))
    with pytest.raises(RecordValidationException) as raised:
        validate_messages(builder.build(), V0, CompressionType.GZIP, GZIP)
    assert isinstance(raised.value.invalid_exception, InvalidTimestampException)
    assert len(raised.value.record_errors) == 6


def assert_timestamp_rejected(timestamp: int) -> None:
    """A day ago and in an hour are the limits."""
    with pytest.raises(RecordValidationException) as raised:
        validate(create_records(V2, GZIP, timestamp), CompressionType.GZIP, GZIP, V2, max_ms=24 * HOUR_MS,
                 after_max_ms=HOUR_MS)
    assert isinstance(raised.value.invalid_exception, InvalidTimestampException)
    assert len(raised.value.record_errors) == 3


def test_record_with_past_timestamp_is_rejected() -> None:
    assert_timestamp_rejected(NOW - 24 * HOUR_MS - 5 * 60 * 1000)


def test_record_with_future_timestamp_is_rejected() -> None:
    assert_timestamp_rejected(NOW + HOUR_MS + 5 * 60 * 1000)


LONG_VALUES = (b"some" * 256, b"data" * 256)


def test_different_level_does_not_cause_recompression() -> None:
    gzip_max = Compression.gzip().level(GzipCompression.MAX_LEVEL).build()
    gzip_min = Compression.gzip().level(GzipCompression.MIN_LEVEL).build()
    records_gzip_max = create_records(V2, gzip_max, values=LONG_VALUES)
    records_gzip_min = create_records(V2, gzip_min, values=LONG_VALUES)
    assert records_gzip_max != records_gzip_min
    sent = records_gzip_max.buffer().to_bytes()
    result = validate(records_gzip_max, gzip_max.type(), gzip_min, V2, max_ms=5000)
    assert result.validated_records == records_gzip_max
    assert result.validated_records.buffer().to_bytes() == sent
    assert result.validated_records != records_gzip_min


def test_different_codec_causes_recompression() -> None:
    gzip_max = Compression.gzip().level(GzipCompression.MAX_LEVEL).build()
    lz4_min = Compression.lz4().level(Lz4Compression.MIN_LEVEL).build()
    records_gzip_max = create_records(V2, gzip_max, values=LONG_VALUES)
    records_lz4_min = create_records(V2, lz4_min, values=LONG_VALUES)
    result = validate(records_gzip_max, gzip_max.type(), lz4_min, V2, max_ms=5000)
    assert result.validated_records == records_lz4_min


# The difference between now and a time before 1970 may be too large for a long of Java's, and wraps.
@pytest.mark.parametrize(("timestamp", "before_max_ms", "after_max_ms", "is_rejected"), [
    (NOW - 1000, 1000, 0, False), (NOW - 1001, 1000, 0, True),
    (NOW + 1000, 0, 1000, False), (NOW + 1001, 0, 1000, True),
    (NOW - MAX_LONG, 1000, 1000, True),
    (NOW - MAX_LONG - 1, 1000, 1000, False),
    (NOW - MAX_LONG - 2, 1000, 1000, True),
    (-MAX_LONG - 1, 1000, MAX_LONG, False), (-MAX_LONG - 1, MAX_LONG, 1000, True)])
def test_differences_of_time_are_javas(timestamp: int, before_max_ms: int, after_max_ms: int,
                                       is_rejected: bool) -> None:
    # A builder refuses such a time, and a client may send it.
    records = create_records(V2, NONE, NOW)
    records.buffer().put_long_at(DefaultRecordBatch.BASE_TIMESTAMP_OFFSET, timestamp)
    if is_rejected:
        with pytest.raises(RecordValidationException) as raised:
            validate(records, CompressionType.NONE, NONE, V2, max_ms=before_max_ms, after_max_ms=after_max_ms)
        assert isinstance(raised.value.invalid_exception, InvalidTimestampException)
    else:
        result = validate(records, CompressionType.NONE, NONE, V2, max_ms=before_max_ms,
                          after_max_ms=after_max_ms)
        assert [record.timestamp() for record in result.validated_records.records()] == [timestamp] * 3


@pytest.mark.deviation("D390")
@pytest.mark.parametrize("fidelity_strict", [False, True], ids=["fixed", "strict"])
def test_a_wrong_checksum_within_a_compressed_message(meters: Meters, fidelity_strict: bool) -> None:
    """It is counted, and the error names the partition. In Kafka neither is so."""
    record = LegacyRecord.create(V1, NOW, b"key", b"value")
    buffer = record.buffer()
    buffer.put_at(buffer.limit() - 1, buffer.get_at(buffer.limit() - 1) ^ 1)
    builder = MemoryRecords.builder(ByteBuffer.allocate(1024), GZIP, CREATE_TIME, 0, magic=V1)
    builder.append_unchecked_with_offset(0, record)
    with pytest.raises(CorruptRecordException) as raised:
        validate(builder.build(), CompressionType.GZIP, GZIP, V2, meters=meters,
                 fidelity_strict=fidelity_strict)
    assert ("in topic partition topic-0" in str(raised.value)) is not fidelity_strict
    if fidelity_strict:
        with pytest.raises(AssertionError):
            meters.assert_marked_once_by_name(BrokerTopicStats.InvalidMessageCrcRecordsPerSec)
    else:
        meters.assert_marked_once_by_name(BrokerTopicStats.InvalidMessageCrcRecordsPerSec)


ALL_WAYS = [(V2, NONE, NONE), (V2, GZIP, GZIP), (V2, NONE, GZIP), (V1, NONE, NONE), (V1, GZIP, NONE)]


@pytest.mark.parametrize(("magic", "source", "target"), ALL_WAYS)
def test_each_way_refuses_a_record_without_a_key(magic: int, source: Compression, target: Compression,
                                                 meters: Meters) -> None:
    """Only of a topic that is compacted. Of uncompressed messages of magic 1, each is a batch."""
    result = validate(create_records(magic, source, NOW), source.type(), target, V2)
    assert count(result.validated_records) == 3
    wrong = 1 if magic == V1 and source is NONE else 3
    with pytest.raises(RecordValidationException) as raised:
        validate(create_records(magic, source, NOW), source.type(), target, V2, compacted=True, meters=meters)
    assert isinstance(raised.value.invalid_exception, InvalidRecordException)
    assert [(error.batch_index, error.message) for error in raised.value.record_errors] == [
        (index, "Compacted topic cannot accept message without key in topic partition topic-0")
        for index in range(wrong)]
    assert f"due to {wrong} record errors in total" in str(raised.value.invalid_exception)
    meters.assert_marked_once_by_name(BrokerTopicStats.NoKeyCompactedTopicRecordsPerSec)


@pytest.mark.parametrize(("magic", "source", "target"), ALL_WAYS)
def test_each_way_refuses_a_time_that_only_the_broker_sets(magic: int, source: Compression,
                                                           target: Compression) -> None:
    builder = MemoryRecords.builder(ByteBuffer.allocate(512), source, LOG_APPEND_TIME, 0, magic=magic,
                                    log_append_time=NOW)
    builder.append_with_offset(0, NOW, None, b"hello")
    data = builder.build()
    # Where the topic's own time is that of the append, the batch's is another one's.
    with pytest.raises(RecordValidationException) as raised:
        validate(data, source.type(), target, V2, LOG_APPEND_TIME)
    assert isinstance(raised.value.invalid_exception, InvalidTimestampException)
    error, = raised.value.record_errors
    assert error.batch_index == 0
    assert error.message is not None
    assert "Producer should not set timestamp type to LogAppendTime" in error.message


def test_a_compressed_message_within_a_compressed_one() -> None:
    inner = LegacyRecord.create(V1, NOW, None, create_records(V1, NONE, NOW).buffer().to_bytes(),
                                CompressionType.GZIP)
    builder = MemoryRecords.builder(ByteBuffer.allocate(512), GZIP, CREATE_TIME, 0, magic=V1)
    builder.append_unchecked_with_offset(0, inner)
    with pytest.raises(InvalidRecordException, match="Inner messages must not be compressed"):
        validate(builder.build(), CompressionType.GZIP, GZIP, V2)


@pytest.mark.parametrize(("last_offset_delta", "number", "message"), [
    (-1, 3, "Batch has an invalid offset range: [0, -1]"),
    (-3, 3, "Batch has an invalid offset range: [0, -3]"),
    (2, 0, "Invalid reported count for record batch: 0"), (2, 4, "Inconsistent batch offset range [0, 2]")])
def test_a_wrong_header_is_counted(last_offset_delta: int, number: int, message: str,
                                   meters: Meters) -> None:
    records = create_records(V2, NONE, NOW)
    buffer = records.buffer()
    buffer.put_int_at(DefaultRecordBatch.RECORDS_COUNT_OFFSET, number)
    buffer.put_int_at(DefaultRecordBatch.LAST_OFFSET_DELTA_OFFSET, last_offset_delta)
    with pytest.raises(InvalidRecordException) as raised:
        validate(records, CompressionType.NONE, NONE, V2, meters=meters)
    assert str(raised.value).startswith(message)
    meters.assert_marked_once_by_name(BrokerTopicStats.InvalidOffsetOrSequenceRecordsPerSec)


def test_a_producer_without_a_sequence_is_counted(meters: Meters) -> None:
    records = MemoryRecords.with_idempotent_records(NONE, 1344, 16, 0, SimpleRecord(NOW, None, b"hello"))
    assert count(validate(records, CompressionType.NONE, NONE, V2, meters=meters).validated_records) == 1
    records.buffer().put_int_at(DefaultRecordBatch.BASE_SEQUENCE_OFFSET, -1)
    with pytest.raises(InvalidRecordException, match="Invalid sequence number -1"):
        validate(records, CompressionType.NONE, NONE, V2, meters=meters)
    meters.assert_marked_once_by_name(BrokerTopicStats.InvalidOffsetOrSequenceRecordsPerSec)


def test_no_record_is_kept_of_a_batch_that_stays_as_it_is() -> None:
    tracemalloc = pytest.importorskip("tracemalloc")
    codec, number = Compression.gzip().build(), 20_000
    records = create_records(RecordBatch.CURRENT_MAGIC_VALUE, codec, values=[b""] * number)
    tracemalloc.start()
    try:
        result = validate_messages(records, RecordBatch.CURRENT_MAGIC_VALUE, CompressionType.GZIP, codec)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert result.validated_records is records and count(records) == number
    # 3 MB if the records were kept.
    assert peak < 1_000_000
