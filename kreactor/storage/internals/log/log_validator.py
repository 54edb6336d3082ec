# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.LogValidator of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Looking at every record of what a client sent, and writing the batch anew where it cannot stay as it is.

The slow way of an append. The fast one, in ``partition_log``, takes a batch of magic 2 whose records are
regular; here come those that are not, and those which must change: old formats, another codec than the
topic's, times that may be out of range. The rules, their order and their messages are those of Kafka's
LogValidator.

DEVIATION D452: one function goes through the records. Kafka has an object, and four methods, by codec and by
whether the batch is converted.
"""

from __future__ import annotations

from typing import NamedTuple

from kreactor.common.compress.compression import Compression
from kreactor.common.errors import (
    ApiException,
    CorruptRecordException,
    InvalidTimestampException,
    RecordBatchTooLargeException,
)
from kreactor.common.invalid_record_exception import InvalidRecordException
from kreactor.common.record.abstract_records import AbstractRecords
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.mutable_record_batch import MutableRecordBatch
from kreactor.common.record.record import Record
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.record_validation_stats import RecordValidationStats
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.time import Time
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.server.record.broker_compression_type import BrokerCompressionType
from kreactor.storage.internals.log.append_origin import AppendOrigin
from kreactor.storage.internals.log.log_config import LogConfig
from kreactor.storage.internals.log.record_validation_exception import RecordValidationException

OMITTED = {
    "storage.internals.log.LogValidator":
        "D452: one function goes through the records where the origin has an object and four ways",
}

_NO_TIMESTAMP = RecordBatch.NO_TIMESTAMP
_MAGIC_V2 = RecordBatch.MAGIC_VALUE_V2
_NONE = CompressionType.NONE
_SHOWN_ERRORS = 3
MAX_COMPRESSED_RECORDS = 2**20

RecordError = ProduceResponse.RecordError


class MetricsRecorder:
    """Counts nothing. Methods are called by the thread that appends, before it raises.

    :origin: storage.internals.log.LogValidator.MetricsRecorder
    """

    __slots__ = ()

    def record_bytes_rejected(self, topic: str, size: int) -> None:
        """Count the bytes of records whose batch is too large."""

    def record_invalid_magic(self) -> None:
        """Count a batch or a record of a format that the first batch does not have.

        :origin: storage.internals.log.LogValidator.MetricsRecorder#recordInvalidMagic()
        """

    def record_invalid_offset(self) -> None:
        """Count a batch whose offsets, count or kind a client may not send.

        :origin: storage.internals.log.LogValidator.MetricsRecorder#recordInvalidOffset()
        """

    def record_invalid_sequence(self) -> None:
        """Count a batch of an idempotent producer without a sequence.

        :origin: storage.internals.log.LogValidator.MetricsRecorder#recordInvalidSequence()
        """

    def record_invalid_checksums(self) -> None:
        """Count a batch or a record with a wrong checksum.

        :origin: storage.internals.log.LogValidator.MetricsRecorder#recordInvalidChecksums()
        """

    def record_no_key_compacted_topic(self) -> None:
        """Count a record without a key for a compacted topic.

        :origin: storage.internals.log.LogValidator.MetricsRecorder#recordNoKeyCompactedTopic()
        """


NO_APPEND_METRICS = MetricsRecorder()


class ValidationResult(NamedTuple):
    """One batch of magic 2, ready for the log; ``log_append_time`` is when it was looked at.

    :origin: storage.internals.log.LogValidator.ValidationResult
    """

    records: MemoryRecords
    last_offset: int
    max_timestamp: int
    log_append_time: int
    message_size_maybe_changed: bool
    record_validation_stats: RecordValidationStats


def validate_and_assign_offsets(records: MemoryRecords, topic_partition: TopicPartition, time: Time,
                                config: LogConfig, first_offset: int, leader_epoch: int,
                                origin: AppendOrigin, metrics: MetricsRecorder) -> ValidationResult:
    """Check all records of whole batches whose checksums are right, and number them from ``first_offset``.

    Batches that can stay are changed where they lie. Raises InvalidRecordException, CorruptRecordException,
    or RecordValidationException, which says which records are wrong.

    :origin: storage.internals.log.LogValidator#validateMessagesAndAssignOffsets(PrimitiveRef.LongRef, MetricsRecorder, BufferSupplier)
    """  # noqa: E501
    now = time.milliseconds()
    batches = list(records.batches())
    source = _NONE
    for batch in batches:
        if batch.compression_type() is not _NONE:
            source = batch.compression_type()
    target = BrokerCompressionType.target_compression(config.compression, source)
    first_batch = batches[0]
    if len(batches) > 1 and (first_batch.magic() >= _MAGIC_V2 or source is not _NONE):
        raise InvalidRecordException("Compressed outer record has more than one batch")

    # A coordinator's marker stays as it is.
    in_place = first_batch.magic() == _MAGIC_V2 and (
        source is target.type() or source is _NONE and first_batch.is_control_batch())
    validated: list[Record] = []
    misnumbered: Record | None = None
    count = uncompressed_size = 0
    max_timestamp = _NO_TIMESTAMP
    for batch in batches:
        _check_batch(batch, first_batch, topic_partition, origin, metrics)
        uncompressed_size += DefaultRecordBatch.RECORD_BATCH_OVERHEAD
        errors: list[tuple[bool, RecordError]] = []
        iterator = (batch.skip_key_value_iterator(BufferSupplier.NO_CACHING) if in_place
                    else batch.streaming_iterator(BufferSupplier.NO_CACHING))
        with iterator:
            for index, record in enumerate(iterator):
                error = _check_record(batch, record, index, source, topic_partition, now, config, metrics)
                if error is not None:
                    errors.append(error)
                else:
                    uncompressed_size += record.size_in_bytes()
                    if not in_place:
                        validated.append(record)
                    if record.timestamp() > max_timestamp and batch.magic() > RecordBatch.MAGIC_VALUE_V0:
                        max_timestamp = record.timestamp()
                    if in_place and source is not _NONE and record.offset() != count:
                        misnumbered = record
                count += 1
        _raise_errors(errors)
    if misnumbered is not None:
        # Kafka writes such a batch anew, of records whose keys it has skipped: UnsupportedOperationException.
        misnumbered.key()

    if not in_place:
        return _build(validated, first_batch, target, config.message_timestamp_type, first_offset, now,
                      leader_epoch, uncompressed_size, time)
    last_offset = first_offset + count - 1
    first_batch.set_last_offset(last_offset)
    if config.message_timestamp_type is TimestampType.LOG_APPEND_TIME:
        max_timestamp = now
    first_batch.set_max_timestamp(config.message_timestamp_type, max_timestamp)
    first_batch.set_partition_leader_epoch(leader_epoch)
    return ValidationResult(records, last_offset, max_timestamp, now, False,
                            RecordValidationStats(0 if source is _NONE else uncompressed_size, 0, 0))


def _check_batch(batch: MutableRecordBatch, first_batch: MutableRecordBatch, topic_partition: TopicPartition,
                 origin: AppendOrigin, metrics: MetricsRecorder) -> None:
    if batch.magic() != first_batch.magic():
        metrics.record_invalid_magic()
        raise InvalidRecordException(
            f"Batch magic {batch.magic()} is not the same as the first batch's magic byte "
            f"{first_batch.magic()} in topic partition {topic_partition}")
    if batch.magic() >= _MAGIC_V2 and origin is AppendOrigin.CLIENT:
        count = batch.count_or_null()
        check_batch_of_client(topic_partition, batch.base_offset(), batch.last_offset(), count or 0,
                              batch.is_control_batch(), batch.producer_id(), batch.base_sequence(), metrics)
        if count is not None and count > MAX_COMPRESSED_RECORDS and batch.is_compressed():
            # DEVIATION D242: to look at a record takes 5 us, and 10 KB can hold 80 million of them.
            raise RecordBatchTooLargeException(
                f"The compressed batch in the append to {topic_partition} has {count} records, more than "
                f"{MAX_COMPRESSED_RECORDS}")


def _build(records: list[Record], first_batch: MutableRecordBatch, target: Compression,
           timestamp_type: TimestampType, first_offset: int, now: int, leader_epoch: int,
           uncompressed_size: int, time: Time) -> ValidationResult:
    """Write all records into one new batch.

    :origin: storage.internals.log.LogValidator#buildRecordsAndAssignOffsets(LongRef, long, RecordBatch, List<Record>, int)
    """  # noqa: E501
    start_nanos = time.nanoseconds()
    size = AbstractRecords.estimate_size_in_bytes_from(_MAGIC_V2, first_offset, target.type(), records)
    with MemoryRecords.builder(
            ByteBuffer.allocate(size), target, timestamp_type, first_offset, log_append_time=now,
            producer_id=first_batch.producer_id(), producer_epoch=first_batch.producer_epoch(),
            base_sequence=first_batch.base_sequence(), is_transactional=first_batch.is_transactional(),
            partition_leader_epoch=leader_epoch) as builder:
        for offset, record in enumerate(records, first_offset):
            builder.append_with_offset_record(offset, record)
        built = builder.build()
    stats = RecordValidationStats(uncompressed_size + builder.uncompressed_bytes_written(),
                                  builder.num_records(), time.nanoseconds() - start_nanos)
    return ValidationResult(built, first_offset + len(records) - 1, builder.info()._max_timestamp, now, True,
                            stats)


def check_batch_of_client(topic_partition: TopicPartition, base_offset: int, last_offset: int, count: int,
                          is_control_batch: bool, producer_id: int, base_sequence: int,
                          metrics: MetricsRecorder) -> None:
    """Check what the header of a batch of magic 2 says of itself. Raises InvalidRecordException.

    :origin: storage.internals.log.LogValidator#validateBatch(TopicPartition, RecordBatch, RecordBatch, AppendOrigin, byte, MetricsRecorder)
    """  # noqa: E501
    count_from_offsets = last_offset - base_offset + 1
    if count_from_offsets <= 0:
        metrics.record_invalid_offset()
        raise InvalidRecordException(f"Batch has an invalid offset range: [{base_offset}, {last_offset}] in "
                                     f"topic partition {topic_partition}")
    if count <= 0:
        metrics.record_invalid_offset()
        raise InvalidRecordException(
            f"Invalid reported count for record batch: {count} in topic partition {topic_partition}")
    if count_from_offsets != count:
        metrics.record_invalid_offset()
        raise InvalidRecordException(
            f"Inconsistent batch offset range [{base_offset}, {last_offset}] and count of records {count} in "
            f"topic partition {topic_partition}")
    if is_control_batch:
        metrics.record_invalid_offset()
        raise InvalidRecordException(
            f"Clients are not allowed to write control records in topic partition {topic_partition}")
    if producer_id > RecordBatch.NO_PRODUCER_ID and base_sequence < 0:
        metrics.record_invalid_sequence()
        raise InvalidRecordException(f"Invalid sequence number {base_sequence} in record batch with "
                                     f"producerId {producer_id} in topic partition {topic_partition}")


def _check_record(batch: MutableRecordBatch, record: Record, index: int, source: CompressionType,
                  topic_partition: TopicPartition, now: int,
                  config: LogConfig, metrics: MetricsRecorder) -> tuple[bool, RecordError] | None:
    """Return whether a time is the trouble, and what it is; None if there is none.

    :origin: storage.internals.log.LogValidator#validateRecord(RecordBatch, TopicPartition, Record, int, long, TimestampType, long, long, boolean, MetricsRecorder)
    """  # noqa: E501
    if source is not _NONE and record.is_compressed():
        return False, RecordError(index, "Compressed outer record should not have an inner record with a "
                                         f"compression attribute set: {record}")
    if not record.has_magic(batch.magic()):
        metrics.record_invalid_magic()
        return False, RecordError(index, f"Record {record}'s magic does not match outer magic "
                                         f"{batch.magic()} in topic partition {topic_partition}")
    # Only a record within a compressed one of an old format has a checksum of its own left to check.
    if batch.magic() < _MAGIC_V2 and batch.is_compressed():
        try:
            record.ensure_valid()
        except (CorruptRecordException, InvalidRecordException) as e:
            metrics.record_invalid_checksums()
            raise CorruptRecordException(f"{e} in topic partition {topic_partition}") from e
    if config.compact and not record.has_key():
        metrics.record_no_key_compacted_topic()
        return False, RecordError(index, "Compacted topic cannot accept message without key in topic "
                                         f"partition {topic_partition}")
    timestamp = record.timestamp()
    if config.message_timestamp_type is TimestampType.CREATE_TIME and timestamp != _NO_TIMESTAMP:
        before_ms, after_ms = config.message_timestamp_before_max_ms, config.message_timestamp_after_max_ms
        difference = _wrap_long(now - timestamp)
        if difference > before_ms or _wrap_long(-difference) > after_ms:
            return True, RecordError(
                index, f"Timestamp {timestamp} of message with offset {record.offset()} is out of range. The "
                       f"timestamp should be within [{now - before_ms}, {now + after_ms}]")
    elif batch.timestamp_type() is TimestampType.LOG_APPEND_TIME:
        return True, RecordError(index, f"Invalid timestamp type in message {record}. Producer should not "
                                        "set timestamp type to LogAppendTime.")
    return None


def _wrap_long(value: int) -> int:
    """Return what Java's arithmetic makes of a number that a long may be too small for."""
    return (value + 2**63) % 2**64 - 2**63


def _raise_errors(errors: list[tuple[bool, RecordError]]) -> None:
    """:origin: storage.internals.log.LogValidator#processRecordErrors(List<ApiRecordError>)"""
    if not errors:
        return
    record_errors = [error for _, error in errors]
    cause: ApiException
    if any(is_timestamp for is_timestamp, _ in errors):
        cause = InvalidTimestampException("One or more records have been rejected due to invalid timestamp")
    else:
        shown = ", ".join(map(str, record_errors[:_SHOWN_ERRORS]))
        cause = InvalidRecordException(
            f"One or more records have been rejected due to {len(errors)} record errors in total, and only "
            f"showing the first three errors at most: [{shown}]")
    raise RecordValidationException(cause, record_errors)
