# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.LogValidator of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The check of every record of an append, and the rewriting of batches that cannot stay as they are.

This is the slow way of an append. The fast way, in ``UnifiedLog.append_as_leader``, takes a batch of magic 2
with regular records. A batch comes here if its records are not regular, if its format is old, if the topic
has another codec, or if the topic limits timestamps.

Batches stay where they lie, and get their offsets there, if source and target agree on codec and format. All
records go into one new batch otherwise. A log of this broker has the format of magic 2; ``to_magic`` has the
older ones, too, because a reader finds the four ways of the origin here.
"""

from __future__ import annotations

from typing import NamedTuple

from kreactor.common.compress.compression import Compression
from kreactor.common.errors import (
    ApiException,
    CorruptRecordException,
    InvalidTimestampException,
    RecordBatchTooLargeException,
    UnsupportedCompressionTypeException,
    UnsupportedForMessageFormatException,
)
from kreactor.common.invalid_record_exception import InvalidRecordException
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.abstract_records import AbstractRecords
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.mutable_record_batch import MutableRecordBatch
from kreactor.common.record.record import Record
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.record_validation_stats import RecordValidationStats
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.primitive_ref import PrimitiveRef
from kreactor.common.utils.time import Time
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.server.common.metadata_version import MetadataVersion
from kreactor.storage.internals.log.append_origin import AppendOrigin
from kreactor.storage.internals.log.record_validation_exception import RecordValidationException

_NO_TIMESTAMP = RecordBatch.NO_TIMESTAMP
_MAGIC_V0 = RecordBatch.MAGIC_VALUE_V0
_MAGIC_V1 = RecordBatch.MAGIC_VALUE_V1
_MAGIC_V2 = RecordBatch.MAGIC_VALUE_V2
_NONE = CompressionType.NONE
_MIN_LONG, _MAX_LONG = -2**63, 2**63 - 1
_SHOWN_ERRORS = 3
MAX_COMPRESSED_RECORDS = 2**20

RecordError = ProduceResponse.RecordError


class LogValidator:
    """One append: whole batches with right checksums, and what the log asks of them. Used by one thread.

    :origin: storage.internals.log.LogValidator
    """

    __slots__ = ("_records", "_topic_partition", "_time", "_source_compression_type", "_target_compression",
                 "_compacted_topic", "_to_magic", "_timestamp_type", "_timestamp_before_max_ms",
                 "_timestamp_after_max_ms", "_partition_leader_epoch", "_origin",
                 "_inter_broker_protocol_version")

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

    class ValidationResult(NamedTuple):
        """The batches for the log. Times are in milliseconds.

        ``shallow_offset_of_max_timestamp`` is the last offset of the batch that has the latest time.

        :origin: storage.internals.log.LogValidator.ValidationResult
        :origin: storage.internals.log.LogValidator.ValidationResult#ValidationResult(long, MemoryRecords, long, long, boolean, RecordValidationStats)
        """  # noqa: E501

        log_append_time_ms: int
        validated_records: MemoryRecords
        max_timestamp_ms: int
        shallow_offset_of_max_timestamp: int
        message_size_maybe_changed: bool
        record_validation_stats: RecordValidationStats

    class ApiRecordError(NamedTuple):
        """A record's error, and the error of the response that it leads to.

        :origin: storage.internals.log.LogValidator.ApiRecordError
        :origin: storage.internals.log.LogValidator.ApiRecordError#ApiRecordError(Errors, RecordError)
        """

        api_error: Errors
        record_error: RecordError

    def __init__(self, records: MemoryRecords, topic_partition: TopicPartition, time: Time,
                 source_compression_type: CompressionType, target_compression: Compression,
                 compacted_topic: bool, to_magic: int, timestamp_type: TimestampType,
                 timestamp_before_max_ms: int, timestamp_after_max_ms: int, partition_leader_epoch: int,
                 origin: AppendOrigin, inter_broker_protocol_version: MetadataVersion) -> None:
        """:origin: storage.internals.log.LogValidator#LogValidator(MemoryRecords, TopicPartition, Time, CompressionType, Compression, boolean, byte, TimestampType, long, long, int, AppendOrigin, MetadataVersion)"""  # noqa: E501
        self._records = records
        self._topic_partition = topic_partition
        self._time = time
        self._source_compression_type = source_compression_type
        self._target_compression = target_compression
        self._compacted_topic = compacted_topic
        self._to_magic = to_magic
        self._timestamp_type = timestamp_type
        self._timestamp_before_max_ms = timestamp_before_max_ms
        self._timestamp_after_max_ms = timestamp_after_max_ms
        self._partition_leader_epoch = partition_leader_epoch
        self._origin = origin
        self._inter_broker_protocol_version = inter_broker_protocol_version

    def validate_messages_and_assign_offsets(
            self, offset_counter: PrimitiveRef.LongRef, metrics_recorder: MetricsRecorder,
            buffer_supplier: BufferSupplier) -> ValidationResult:
        """Check all records, and assign offsets from ``offset_counter`` on, which is advanced.

        Raises InvalidRecordException, CorruptRecordException, RecordBatchTooLargeException,
        UnsupportedCompressionTypeException, UnsupportedForMessageFormatException, or
        RecordValidationException, which lists the invalid records.

        :origin: storage.internals.log.LogValidator#validateMessagesAndAssignOffsets(PrimitiveRef.LongRef, MetricsRecorder, BufferSupplier)
        """  # noqa: E501
        if self._source_compression_type is _NONE and self._target_compression.type() is _NONE:
            if not self._records.has_matching_magic(self._to_magic):
                return self._convert_and_assign_offsets_non_compressed(offset_counter, metrics_recorder)
            else:
                return self.assign_offsets_non_compressed(offset_counter, metrics_recorder)
        else:
            return self.validate_messages_and_assign_offsets_compressed(
                offset_counter, metrics_recorder, buffer_supplier)

    @staticmethod
    def _get_first_batch_and_maybe_validate_no_more_batches(
            records: MemoryRecords, source_compression: CompressionType) -> MutableRecordBatch:
        """Return the first batch. Raises InvalidRecordException if there is none, or if more follow where
        only one is allowed.

        :origin: storage.internals.log.LogValidator#getFirstBatchAndMaybeValidateNoMoreBatches(MemoryRecords, CompressionType)
        """  # noqa: E501
        batch_iterator = iter(records.batches())

        batch = next(batch_iterator, None)
        if batch is None:
            raise InvalidRecordException("Record batch has no batches at all")

        if batch.magic() >= _MAGIC_V2 or source_compression is not _NONE:
            if next(batch_iterator, None) is not None:
                raise InvalidRecordException("Compressed outer record has more than one batch")

        return batch

    def _convert_and_assign_offsets_non_compressed(
            self, offset_counter: PrimitiveRef.LongRef,
            metrics_recorder: MetricsRecorder) -> ValidationResult:
        """Write records of another format into batches of the log's.

        :origin: storage.internals.log.LogValidator#convertAndAssignOffsetsNonCompressed(LongRef, MetricsRecorder)
        """  # noqa: E501
        now = self._time.milliseconds()
        start_nanos = self._time.nanoseconds()
        size_in_bytes_after_conversion = AbstractRecords.estimate_size_in_bytes_from(
            self._to_magic, offset_counter.value, _NONE, self._records.records())

        first_batch = self._get_first_batch_and_maybe_validate_no_more_batches(self._records, _NONE)

        # An uncompressed builder holds no resources, so it needs no closing after an invalid record.
        builder = MemoryRecords.builder(
            ByteBuffer.allocate(size_in_bytes_after_conversion), Compression.NONE, self._timestamp_type,
            offset_counter.value, magic=self._to_magic, log_append_time=now,
            producer_id=first_batch.producer_id(), producer_epoch=first_batch.producer_epoch(),
            base_sequence=first_batch.base_sequence(), is_transactional=first_batch.is_transactional(),
            partition_leader_epoch=self._partition_leader_epoch)

        for batch in self._records.batches():
            self._validate_batch(self._topic_partition, first_batch, batch, self._origin, self._to_magic,
                                 metrics_recorder)

            record_errors: list[LogValidator.ApiRecordError] = []
            for record_index, record in enumerate(batch):
                record_error = self._validate_record(
                    batch, self._topic_partition, record, record_index, now, self._timestamp_type,
                    self._timestamp_before_max_ms, self._timestamp_after_max_ms, self._compacted_topic,
                    metrics_recorder)
                if record_error is not None:
                    record_errors.append(record_error)
                # One invalid record refuses the append, so no further records are needed.
                if not record_errors:
                    builder.append_with_offset_record(offset_counter.value, record)
                    offset_counter.value += 1

            self._process_record_errors(record_errors)

        converted_records = builder.build()

        info = builder.info()
        record_validation_stats = RecordValidationStats(
            builder.uncompressed_bytes_written(), builder.num_records(),
            self._time.nanoseconds() - start_nanos)
        return LogValidator.ValidationResult(
            now, converted_records, info._max_timestamp, info._shallow_offset_of_max_timestamp, True,
            record_validation_stats)

    def assign_offsets_non_compressed(self, offset_counter: PrimitiveRef.LongRef,
                                      metrics_recorder: MetricsRecorder) -> ValidationResult:
        """Assign offsets to batches that stay unchanged.

        :origin: storage.internals.log.LogValidator#assignOffsetsNonCompressed(LongRef, MetricsRecorder)
        """
        now = self._time.milliseconds()
        max_timestamp = _NO_TIMESTAMP
        shallow_offset_of_max_timestamp = -1
        initial_offset = offset_counter.value

        first_batch = self._get_first_batch_and_maybe_validate_no_more_batches(self._records, _NONE)

        for batch in self._records.batches():
            self._validate_batch(self._topic_partition, first_batch, batch, self._origin, self._to_magic,
                                 metrics_recorder)

            max_batch_timestamp = _NO_TIMESTAMP
            magic = batch.magic()

            record_errors: list[LogValidator.ApiRecordError] = []
            record_index = 0
            for record in batch:
                record_error = self._validate_record(
                    batch, self._topic_partition, record, record_index, now, self._timestamp_type,
                    self._timestamp_before_max_ms, self._timestamp_after_max_ms, self._compacted_topic,
                    metrics_recorder)
                if record_error is not None:
                    record_errors.append(record_error)

                if magic > _MAGIC_V0 and record.timestamp() > max_batch_timestamp:
                    max_batch_timestamp = record.timestamp()
                record_index += 1
            offset_counter.value += record_index

            self._process_record_errors(record_errors)

            if magic > _MAGIC_V0 and max_batch_timestamp > max_timestamp:
                max_timestamp = max_batch_timestamp
                shallow_offset_of_max_timestamp = offset_counter.value - 1

            batch.set_last_offset(offset_counter.value - 1)

            if magic >= _MAGIC_V2:
                batch.set_partition_leader_epoch(self._partition_leader_epoch)

            if magic > _MAGIC_V0:
                if self._timestamp_type is TimestampType.LOG_APPEND_TIME:
                    batch.set_max_timestamp(TimestampType.LOG_APPEND_TIME, now)
                else:
                    batch.set_max_timestamp(self._timestamp_type, max_batch_timestamp)

        if self._timestamp_type is TimestampType.LOG_APPEND_TIME:
            max_timestamp = now
            # As MemoryRecordsBuilder.info returns it.
            if self._to_magic == _MAGIC_V0:
                max_timestamp = _NO_TIMESTAMP
                shallow_offset_of_max_timestamp = -1
            elif self._to_magic == _MAGIC_V1:
                # A batch is one record, and all have the same timestamp, so the first one counts.
                shallow_offset_of_max_timestamp = initial_offset
            else:
                shallow_offset_of_max_timestamp = offset_counter.value - 1

        return LogValidator.ValidationResult(
            now, self._records, max_timestamp, shallow_offset_of_max_timestamp, False,
            RecordValidationStats.EMPTY)

    def validate_messages_and_assign_offsets_compressed(
            self, offset_counter: PrimitiveRef.LongRef, metrics_recorder: MetricsRecorder,
            buffer_supplier: BufferSupplier) -> ValidationResult:
        """Check records whose source or target is compressed.

        A batch stays unchanged unless the codec or the format changes. A batch of magic 0 is always
        rewritten, because its inner messages have absolute offsets.

        :origin: storage.internals.log.LogValidator#validateMessagesAndAssignOffsetsCompressed(LongRef, MetricsRecorder, BufferSupplier)
        """  # noqa: E501
        target_compression_type = self._target_compression.type()
        is_before_2_1 = self._inter_broker_protocol_version.is_less_than(MetadataVersion.IBP_2_1_IV0)
        if target_compression_type is CompressionType.ZSTD and is_before_2_1:
            raise UnsupportedCompressionTypeException(
                "Produce requests to inter.broker.protocol.version < 2.1 broker are not allowed to use "
                "ZStandard compression")

        source_compression_type = self._source_compression_type
        to_magic = self._to_magic
        in_place_assignment = source_compression_type is target_compression_type
        now = self._time.milliseconds()

        max_timestamp = _NO_TIMESTAMP
        expected_inner_offset = 0
        validated_records: list[Record] = []

        uncompressed_size_in_bytes = 0

        # Each uncompressed message of an old format is a batch, and all go into one. In all other cases there
        # is one batch.
        first_batch = self._get_first_batch_and_maybe_validate_no_more_batches(
            self._records, source_compression_type)

        if first_batch.magic() != to_magic or to_magic == _MAGIC_V0:
            in_place_assignment = False

        # A coordinator's marker stays uncompressed.
        if source_compression_type is _NONE and first_batch.is_control_batch():
            in_place_assignment = True

        for batch in self._records.batches():
            self._validate_batch(self._topic_partition, first_batch, batch, self._origin, to_magic,
                                 metrics_recorder)
            uncompressed_size_in_bytes += AbstractRecords.record_batch_header_size_in_bytes(
                to_magic, batch.compression_type())
            has_timestamp = batch.magic() > _MAGIC_V0 and to_magic > _MAGIC_V0

            # An unchanged batch is checked without reading its keys, values and headers.
            skips_keys_and_values = in_place_assignment and first_batch.magic() >= _MAGIC_V2
            records_iterator = (
                batch.skip_key_value_iterator(buffer_supplier) if skips_keys_and_values
                else batch.streaming_iterator(buffer_supplier))
            with records_iterator:
                record_errors: list[LogValidator.ApiRecordError] = []
                for record_index, record in enumerate(records_iterator):
                    expected_offset = expected_inner_offset
                    expected_inner_offset += 1

                    record_error = self._validate_record_compression(
                        source_compression_type, record_index, record)
                    if record_error is None:
                        record_error = self._validate_record(
                            batch, self._topic_partition, record, record_index, now, self._timestamp_type,
                            self._timestamp_before_max_ms, self._timestamp_after_max_ms,
                            self._compacted_topic, metrics_recorder)

                    if record_error is None and has_timestamp:
                        if record.timestamp() > max_timestamp:
                            max_timestamp = record.timestamp()

                        # Some old clients number the inner messages wrongly. Such a batch is rewritten. A
                        # batch of magic 2 cannot be rewritten, because its keys were skipped: it is refused
                        # with UnsupportedOperationException.
                        if record.offset() != expected_offset:
                            in_place_assignment = False

                    if record_error is not None:
                        record_errors.append(record_error)
                    else:
                        uncompressed_size_in_bytes += record.size_in_bytes()
                        # DEVIATION D394: an unchanged batch's records are only counted, not kept:
                        # 500,000 of them take 74 MB. Kafka keeps them.
                        if not (skips_keys_and_values and in_place_assignment):
                            validated_records.append(record)

                self._process_record_errors(record_errors)

        if not in_place_assignment:
            return self._build_records_and_assign_offsets(
                offset_counter, now, first_batch, validated_records, uncompressed_size_in_bytes)
        else:
            # With a single batch, its last offset is that of the latest timestamp.
            offset_counter.value += expected_inner_offset
            last_offset = offset_counter.value - 1
            first_batch.set_last_offset(last_offset)

            if self._timestamp_type is TimestampType.LOG_APPEND_TIME:
                max_timestamp = now

            if to_magic >= _MAGIC_V1:
                first_batch.set_max_timestamp(self._timestamp_type, max_timestamp)

            if to_magic >= _MAGIC_V2:
                first_batch.set_partition_leader_epoch(self._partition_leader_epoch)

            return LogValidator.ValidationResult(
                now, self._records, max_timestamp, last_offset, False,
                RecordValidationStats(uncompressed_size_in_bytes, 0, 0))

    def _build_records_and_assign_offsets(
            self, offset_counter: PrimitiveRef.LongRef, log_append_time: int, first_batch: RecordBatch,
            validated_records: list[Record], uncompressed_size_in_bytes: int) -> ValidationResult:
        """Write all records into one new batch.

        :origin: storage.internals.log.LogValidator#buildRecordsAndAssignOffsets(LongRef, long, RecordBatch, List<Record>, int)
        """  # noqa: E501
        start_nanos = self._time.nanoseconds()
        estimated_size = AbstractRecords.estimate_size_in_bytes_from(
            self._to_magic, offset_counter.value, self._target_compression.type(), validated_records)
        with MemoryRecords.builder(
                ByteBuffer.allocate(estimated_size), self._target_compression, self._timestamp_type,
                offset_counter.value, magic=self._to_magic, log_append_time=log_append_time,
                producer_id=first_batch.producer_id(), producer_epoch=first_batch.producer_epoch(),
                base_sequence=first_batch.base_sequence(), is_transactional=first_batch.is_transactional(),
                partition_leader_epoch=self._partition_leader_epoch) as builder:
            for record in validated_records:
                builder.append_with_offset_record(offset_counter.value, record)
                offset_counter.value += 1

            records = builder.build()

        info = builder.info()

        # Counts records that only get another offset or codec too, because all are rewritten.
        conversion_count = builder.num_records()
        record_validation_stats = RecordValidationStats(
            uncompressed_size_in_bytes + builder.uncompressed_bytes_written(), conversion_count,
            self._time.nanoseconds() - start_nanos)

        return LogValidator.ValidationResult(
            log_append_time, records, info._max_timestamp, info._shallow_offset_of_max_timestamp, True,
            record_validation_stats)

    @staticmethod
    def _validate_batch(topic_partition: TopicPartition, first_batch: RecordBatch, batch: RecordBatch,
                        origin: AppendOrigin, to_magic: int, metrics_recorder: MetricsRecorder) -> None:
        """Raise InvalidRecordException or UnsupportedForMessageFormatException for an invalid header.

        :origin: storage.internals.log.LogValidator#validateBatch(TopicPartition, RecordBatch, RecordBatch, AppendOrigin, byte, MetricsRecorder)
        """  # noqa: E501
        if first_batch.magic() != batch.magic():
            metrics_recorder.record_invalid_magic()
            raise InvalidRecordException(
                f"Batch magic {batch.magic()} is not the same as the first batch's magic byte "
                f"{first_batch.magic()} in topic partition {topic_partition}")

        # A batch of an older magic is never a control batch, and has no producer id.
        if origin is AppendOrigin.CLIENT and batch.magic() >= _MAGIC_V2:
            count = batch.count_or_null() or 0
            check_batch_of_client(topic_partition, batch.base_offset(), batch.last_offset(), count,
                                  batch.is_control_batch(), batch.producer_id(), batch.base_sequence(),
                                  metrics_recorder)
            if count > MAX_COMPRESSED_RECORDS and batch.is_compressed():
                # DEVIATION D242: checking a record takes 5 us, and 10 KB can contain 80 million records.
                raise RecordBatchTooLargeException(
                    f"The compressed batch in the append to {topic_partition} has {count} records, more "
                    f"than {MAX_COMPRESSED_RECORDS}")

        if batch.is_transactional() and to_magic < _MAGIC_V2:
            raise UnsupportedForMessageFormatException(
                f"Transactional records cannot be used with magic version {to_magic}")

        if batch.has_producer_id() and to_magic < _MAGIC_V2:
            raise UnsupportedForMessageFormatException(
                f"Idempotent records cannot be used with magic version {to_magic}")

    @staticmethod
    def _validate_record(batch: RecordBatch, topic_partition: TopicPartition, record: Record,
                         record_index: int, now: int, timestamp_type: TimestampType,
                         timestamp_before_max_ms: int, timestamp_after_max_ms: int, compacted_topic: bool,
                         metrics_recorder: MetricsRecorder) -> ApiRecordError | None:
        """Return the error of a record, or None. Raises CorruptRecordException.

        :origin: storage.internals.log.LogValidator#validateRecord(RecordBatch, TopicPartition, Record, int, long, TimestampType, long, long, boolean, MetricsRecorder)
        """  # noqa: E501
        magic = batch.magic()
        if not record.has_magic(magic):
            metrics_recorder.record_invalid_magic()
            return LogValidator.ApiRecordError(Errors.INVALID_RECORD, RecordError(
                record_index, f"Record {record}'s magic does not match outer magic {magic} in topic "
                              f"partition {topic_partition}"))

        # Only an inner message has a checksum of its own.
        if magic <= _MAGIC_V1 and batch.is_compressed():
            try:
                record.ensure_valid()
            except (CorruptRecordException, InvalidRecordException) as e:
                # DEVIATION D390: Kafka catches only InvalidRecordException, which a checksum never raises.
                metrics_recorder.record_invalid_checksums()
                raise CorruptRecordException(f"{e} in topic partition {topic_partition}") from e

        key_error = LogValidator._validate_key(record, record_index, topic_partition, compacted_topic,
                                               metrics_recorder)
        if key_error is not None:
            return key_error
        else:
            return LogValidator._validate_timestamp(batch, record, record_index, now, timestamp_type,
                                                    timestamp_before_max_ms, timestamp_after_max_ms)

    @staticmethod
    def _validate_key(record: Record, record_index: int, topic_partition: TopicPartition,
                      compacted_topic: bool, metrics_recorder: MetricsRecorder) -> ApiRecordError | None:
        """:origin: storage.internals.log.LogValidator#validateKey(Record, int, TopicPartition, boolean, MetricsRecorder)"""  # noqa: E501
        if compacted_topic and not record.has_key():
            metrics_recorder.record_no_key_compacted_topic()
            return LogValidator.ApiRecordError(Errors.INVALID_RECORD, RecordError(
                record_index, "Compacted topic cannot accept message without key in topic partition "
                              f"{topic_partition}"))
        else:
            return None

    @staticmethod
    def _validate_timestamp(batch: RecordBatch, record: Record, record_index: int, now: int,
                            timestamp_type: TimestampType, timestamp_before_max_ms: int,
                            timestamp_after_max_ms: int) -> ApiRecordError | None:
        """:origin: storage.internals.log.LogValidator#validateTimestamp(RecordBatch, Record, int, long, TimestampType, long, long)"""  # noqa: E501
        if timestamp_type is TimestampType.CREATE_TIME and record.timestamp() != _NO_TIMESTAMP:
            if LogValidator._record_has_invalid_timestamp(record, now, timestamp_before_max_ms,
                                                          timestamp_after_max_ms):
                return LogValidator.ApiRecordError(Errors.INVALID_TIMESTAMP, RecordError(
                    record_index, f"Timestamp {record.timestamp()} of message with offset {record.offset()} "
                                  "is out of range. The timestamp should be within "
                                  f"[{now - timestamp_before_max_ms}, {now + timestamp_after_max_ms}]"))
        elif batch.timestamp_type() is TimestampType.LOG_APPEND_TIME:
            return LogValidator.ApiRecordError(Errors.INVALID_TIMESTAMP, RecordError(
                record_index, f"Invalid timestamp type in message {record}. Producer should not set "
                              "timestamp type to LogAppendTime."))
        return None

    @staticmethod
    def _record_has_invalid_timestamp(record: Record, now: int, timestamp_before_max_ms: int,
                                      timestamp_after_max_ms: int) -> bool:
        """:origin: storage.internals.log.LogValidator#recordHasInvalidTimestamp(Record, long, long, long)"""
        timestamp_diff = now - record.timestamp()
        # As Java's long: the difference to a time long before 1970 wraps, and the smallest long has no
        # positive counterpart.
        if timestamp_diff > _MAX_LONG:
            timestamp_diff -= 2**64
        return (timestamp_diff > timestamp_before_max_ms
                or -timestamp_diff > timestamp_after_max_ms and timestamp_diff != _MIN_LONG)

    @staticmethod
    def _validate_record_compression(source_compression: CompressionType, record_index: int,
                                     record: Record) -> ApiRecordError | None:
        """:origin: storage.internals.log.LogValidator#validateRecordCompression(CompressionType, int, Record)"""  # noqa: E501
        if source_compression is not _NONE and record.is_compressed():
            return LogValidator.ApiRecordError(Errors.INVALID_RECORD, RecordError(
                record_index, "Compressed outer record should not have an inner record with a compression "
                              f"attribute set: {record}"))
        else:
            return None

    @staticmethod
    def _process_record_errors(record_errors: list[ApiRecordError]) -> None:
        """Raise RecordValidationException if there is an error.

        :origin: storage.internals.log.LogValidator#processRecordErrors(List<ApiRecordError>)
        """
        if record_errors:
            errors = [e.record_error for e in record_errors]
            cause: ApiException
            if any(e.api_error is Errors.INVALID_TIMESTAMP for e in record_errors):
                cause = InvalidTimestampException(
                    "One or more records have been rejected due to invalid timestamp")
            else:
                shown = ", ".join(map(str, errors[:_SHOWN_ERRORS]))
                cause = InvalidRecordException(
                    f"One or more records have been rejected due to {len(errors)} record errors in total, "
                    f"and only showing the first three errors at most: [{shown}]")
            raise RecordValidationException(cause, errors)


MetricsRecorder = LogValidator.MetricsRecorder
NO_APPEND_METRICS = MetricsRecorder()


def check_batch_of_client(topic_partition: TopicPartition, base_offset: int, last_offset: int, count: int,
                          is_control_batch: bool, producer_id: int, base_sequence: int,
                          metrics: MetricsRecorder) -> None:
    """Check the header of a magic 2 batch for contradictions. Raises InvalidRecordException.

    The fast path of an append shares this part of ``validateBatch``, because it has no batch object.
    """
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
