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

from contextlib import nullcontext
from types import TracebackType
from typing import NamedTuple

from kreactor.common.compress.compression import Compression
from kreactor.common.errors import (
    ApiException,
    CorruptRecordException,
    InvalidTimestampException,
    RecordTooLargeException,
    UnsupportedCompressionTypeException,
    UnsupportedForMessageFormatException,
)
from kreactor.common.invalid_record_exception import InvalidRecordException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.abstract_records import AbstractRecords
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.memory_records_builder import MemoryRecordsBuilder
from kreactor.common.record.mutable_record_batch import MutableRecordBatch
from kreactor.common.record.record import Record
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.record_validation_stats import RecordValidationStats
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.closeable_iterator import CloseableIterator
from kreactor.common.utils.primitive_ref import PrimitiveRef
from kreactor.common.utils.time import Time
from kreactor.jdk.exceptions import IllegalArgumentException, UnsupportedOperationException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.server.common.metadata_version import MetadataVersion
from kreactor.storage.internals.log import record_walk
from kreactor.storage.internals.log.append_origin import AppendOrigin
from kreactor.storage.internals.log.record_validation_exception import RecordValidationException

_NO_TIMESTAMP = RecordBatch.NO_TIMESTAMP
_MAGIC_V0 = RecordBatch.MAGIC_VALUE_V0
_MAGIC_V1 = RecordBatch.MAGIC_VALUE_V1
_MAGIC_V2 = RecordBatch.MAGIC_VALUE_V2
_NONE = CompressionType.NONE
_MIN_LONG, _MAX_LONG = -2**63, 2**63 - 1
_SHOWN_ERRORS = 3
# The maximum of invalid records that a response lists.
MAX_RECORD_ERRORS = 10_000
# The first size of the buffer of a rewritten batch, in bytes.
_REWRITTEN_SIZE = 64 * 1024

RecordError = ProduceResponse.RecordError


class LogValidator:
    """One append: whole batches with right checksums, and what the log asks of them. Used by one thread.

    :origin: storage.internals.log.LogValidator
    """

    __slots__ = ("_records", "_topic_partition", "_time", "_source_compression_type", "_target_compression",
                 "_compacted_topic", "_to_magic", "_timestamp_type", "_timestamp_before_max_ms",
                 "_timestamp_after_max_ms", "_partition_leader_epoch", "_origin",
                 "_inter_broker_protocol_version", "_max_message_size", "_fidelity_strict")

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
                 origin: AppendOrigin, inter_broker_protocol_version: MetadataVersion,
                 max_message_size: int = 2**31 - 1, fidelity_strict: bool = False) -> None:
        """``max_message_size`` is the size in bytes at which a batch that is rewritten is given up.

        ``fidelity_strict`` is ours: whether ``kreactor.fidelity`` is strict.

        :origin: storage.internals.log.LogValidator#LogValidator(MemoryRecords, TopicPartition, Time, CompressionType, Compression, boolean, byte, TimestampType, long, long, int, AppendOrigin, MetadataVersion)
        """  # noqa: E501
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
        self._max_message_size = max_message_size
        self._fidelity_strict = fidelity_strict

    def validate_messages_and_assign_offsets(
            self, offset_counter: PrimitiveRef.LongRef, metrics_recorder: MetricsRecorder,
            buffer_supplier: BufferSupplier) -> ValidationResult:
        """Check all records, and assign offsets from ``offset_counter`` on, which is advanced.

        Raises InvalidRecordException, CorruptRecordException, RecordTooLargeException,
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
                    self._add_record_error(record_errors, record_error)
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
                    self._add_record_error(record_errors, record_error)

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
        start_nanos = self._time.nanoseconds()

        max_timestamp = _NO_TIMESTAMP
        expected_inner_offset = 0

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

        # DEVIATION D394: no record is kept. Each record is written to the new batch once it is checked. If an
        # old format's offsets turn out to be wrong, all records are read again to rewrite them. Kafka keeps
        # the records of all batches, 500,000 in 74 MB here, and rewrites them at the end.
        rewriter = None if in_place_assignment else LogValidator._Rewriter(
            self, offset_counter.value, now, first_batch, metrics_recorder)
        with rewriter or nullcontext():
            for batch in self._records.batches():
                self._validate_batch(self._topic_partition, first_batch, batch, self._origin, to_magic,
                                     metrics_recorder)
                uncompressed_size_in_bytes += AbstractRecords.record_batch_header_size_in_bytes(
                    to_magic, batch.compression_type())
                has_timestamp = batch.magic() > _MAGIC_V0 and to_magic > _MAGIC_V0

                # An unchanged batch is checked without reading its keys, values and headers.
                skips_keys_and_values = rewriter is None and first_batch.magic() >= _MAGIC_V2
                walk = self._walk(batch, now, skips_keys_and_values, buffer_supplier)
                records_iterator: CloseableIterator[Record]
                if walk is not None:
                    assert isinstance(batch, DefaultRecordBatch), "only such a batch has a walk"
                    records_iterator = batch.iterator_of(walk, skips_keys_and_values)
                elif skips_keys_and_values:
                    records_iterator = batch.skip_key_value_iterator(buffer_supplier)
                else:
                    records_iterator = batch.streaming_iterator(buffer_supplier)
                with records_iterator:
                    record_errors: list[LogValidator.ApiRecordError] = []
                    record_index = 0
                    while True:
                        # The first record of a new batch sets the base of the others' times.
                        if walk is not None and (rewriter is None or record_errors or rewriter.has_begun()):
                            # DEVIATION D480: the records before the next unusual one have no objects.
                            assert isinstance(records_iterator, DefaultRecordBatch.RecordIterator)
                            builder = None if rewriter is None or record_errors else rewriter.builder()
                            earliest, latest = self._valid_timestamps(now, builder is not None)
                            next_index, taken = walk.take(
                                record_index, record_index + records_iterator.remaining() - 1, earliest,
                                latest, builder)
                            records_iterator.count_read(next_index - record_index)
                            record_index = expected_inner_offset = next_index
                            uncompressed_size_in_bytes += taken
                            max_timestamp = max(max_timestamp, walk.max_timestamp)
                            in_place_assignment = in_place_assignment and walk.in_order
                            if rewriter is not None:
                                rewriter.check_size()
                        record = next(records_iterator, None)
                        if record is None:
                            break
                        expected_offset = expected_inner_offset
                        expected_inner_offset += 1

                        record_error = self._validate_record_compression(
                            source_compression_type, record_index, record)
                        if record_error is None:
                            record_error = self._validate_record(
                                batch, self._topic_partition, record, record_index, now,
                                self._timestamp_type, self._timestamp_before_max_ms,
                                self._timestamp_after_max_ms, self._compacted_topic, metrics_recorder)

                        if record_error is None and has_timestamp:
                            if record.timestamp() > max_timestamp:
                                max_timestamp = record.timestamp()

                            # Some old clients number the inner messages wrongly. Such a batch is rewritten. A
                            # batch of magic 2 cannot be rewritten, because its keys were skipped: it is
                            # refused with UnsupportedOperationException.
                            if record.offset() != expected_offset:
                                in_place_assignment = False

                        if record_error is not None:
                            self._add_record_error(record_errors, record_error)
                        else:
                            uncompressed_size_in_bytes += record.size_in_bytes()
                            if rewriter is not None and not record_errors:
                                rewriter.append(record)

                        record_index += 1

                    self._process_record_errors(record_errors)

            if rewriter is None and not in_place_assignment:
                if first_batch.magic() >= _MAGIC_V2:
                    raise UnsupportedOperationException("key is skipped in PartialDefaultRecord")
                rewriter = LogValidator._Rewriter(self, offset_counter.value, now, first_batch,
                                                  metrics_recorder)
                with rewriter, first_batch.streaming_iterator(buffer_supplier) as again:
                    for record in again:
                        rewriter.append(record)

        if rewriter is not None:
            return self._build_records_and_assign_offsets(
                offset_counter, now, rewriter, uncompressed_size_in_bytes, start_nanos)
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

    def _walk(self, batch: MutableRecordBatch, now: int, skips_keys_and_values: bool,
              buffer_supplier: BufferSupplier) -> record_walk.RecordWalk | None:
        """Return the walk over a batch's records, None if the batch must be read record by record.

        Raises RecordTooLargeException if an old format's wrapper contains too much.
        """
        if not batch.is_compressed():
            return None
        if not isinstance(batch, DefaultRecordBatch):
            if self._origin is AppendOrigin.CLIENT:
                record_walk.check_wrapper(self._topic_partition, batch, buffer_supplier)
            return None
        if batch.base_offset() != 0 or self._to_magic < _MAGIC_V2 or batch.count() <= 0:
            return None
        log_append_time = None
        if batch.timestamp_type() is TimestampType.LOG_APPEND_TIME:
            log_append_time = batch.max_timestamp()
            if self._timestamp_type is not TimestampType.CREATE_TIME or log_append_time == _NO_TIMESTAMP:
                return None  # each record is an error
        return record_walk.RecordWalk(batch, self._topic_partition, self._compacted_topic, log_append_time,
                                      skips_keys_and_values, buffer_supplier)

    def _valid_timestamps(self, now: int, is_rewritten: bool) -> tuple[int, int]:
        """Return the earliest and the latest time that every way accepts, in milliseconds."""
        if self._timestamp_type is TimestampType.CREATE_TIME:
            earliest = now - self._timestamp_before_max_ms
            latest = min(now + self._timestamp_after_max_ms, _MAX_LONG)
        else:
            earliest, latest = _MIN_LONG, _MAX_LONG
        # A builder refuses negative times.
        return max(earliest, 0) if is_rewritten else earliest, latest

    class _Rewriter:
        """The new batch for records that are being checked. A context that releases the codec.

        An exception of the builder is raised by ``build``, because it is less important than a record's
        error.
        """

        __slots__ = ("_validator", "_metrics_recorder", "_now", "_first_batch", "_builder", "_offset",
                     "_failure")

        def __init__(self, validator: LogValidator, offset: int, now: int, first_batch: RecordBatch,
                     metrics_recorder: MetricsRecorder) -> None:
            self._validator = validator
            self._metrics_recorder = metrics_recorder
            self._now = now
            self._first_batch = first_batch
            self._offset = offset
            self._builder: MemoryRecordsBuilder | None = None
            self._failure: Exception | None = None

        def _new_builder(self) -> MemoryRecordsBuilder:
            validator, first_batch = self._validator, self._first_batch
            return MemoryRecords.builder(
                ByteBuffer.allocate(_REWRITTEN_SIZE), validator._target_compression,
                validator._timestamp_type, self._offset, magic=validator._to_magic,
                log_append_time=self._now, producer_id=first_batch.producer_id(),
                producer_epoch=first_batch.producer_epoch(), base_sequence=first_batch.base_sequence(),
                is_transactional=first_batch.is_transactional(),
                partition_leader_epoch=validator._partition_leader_epoch)

        def append(self, record: Record) -> None:
            """Append ``record`` at the next offset."""
            if self._failure is None:
                try:
                    if self._builder is None:
                        self._builder = self._new_builder()
                    self._builder.append_with_offset_record(self._offset + self._builder.num_records(),
                                                            record)
                except (IllegalArgumentException, KafkaException) as e:
                    self._failure = e
            self.check_size()

        def has_begun(self) -> bool:
            """Return whether there was a first record."""
            return self._builder is not None or self._failure is not None

        def builder(self) -> MemoryRecordsBuilder | None:
            """Return the builder, None before the first record and after a failure."""
            return self._builder if self._failure is None else None

        def check_size(self) -> None:
            """Raise RecordTooLargeException if the topic cannot have the new batch."""
            # DEVIATION D482: Kafka compares the size once the batch is built, 100 MB from 10 KB.
            validator = self._validator
            limit = validator._max_message_size + _REWRITTEN_SIZE
            if self._builder is not None and self._builder.bytes_written() > limit:
                self._metrics_recorder.record_bytes_rejected(
                    validator._topic_partition.topic(), validator._records.size_in_bytes())
                raise RecordTooLargeException(
                    f"Message batch size is more than {validator._max_message_size} bytes in append to "
                    f"{validator._topic_partition}, the maximum configured size, when it is rewritten")

        def build(self) -> MemoryRecordsBuilder:
            """Return the builder with a built batch. Raises the builder's exception."""
            if self._failure is not None:
                if self._builder is not None:
                    self._builder.close_for_record_appends()
                raise self._failure
            if self._builder is None:
                self._builder = self._new_builder()
            self._builder.build()
            return self._builder

        def __enter__(self) -> LogValidator._Rewriter:
            return self

        def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                     traceback: TracebackType | None) -> None:
            if exc is not None and self._builder is not None:
                self._builder.close_for_record_appends()

    def _build_records_and_assign_offsets(
            self, offset_counter: PrimitiveRef.LongRef, log_append_time: int, rewriter: _Rewriter,
            uncompressed_size_in_bytes: int, start_nanos: int) -> ValidationResult:
        """Close the new batch, in which all records are.

        :origin: storage.internals.log.LogValidator#buildRecordsAndAssignOffsets(LongRef, long, RecordBatch, List<Record>, int)
        """  # noqa: E501
        builder = rewriter.build()
        records = builder.build()
        offset_counter.value += builder.num_records()

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
            record_walk.check_count(topic_partition, batch, count)

        if batch.is_transactional() and to_magic < _MAGIC_V2:
            raise UnsupportedForMessageFormatException(
                f"Transactional records cannot be used with magic version {to_magic}")

        if batch.has_producer_id() and to_magic < _MAGIC_V2:
            raise UnsupportedForMessageFormatException(
                f"Idempotent records cannot be used with magic version {to_magic}")

    def is_strict(self) -> bool:
        """Return whether the faults of ``STRICT_DEVIATIONS`` are there."""
        return self._fidelity_strict

    def _validate_record(self, batch: RecordBatch, topic_partition: TopicPartition, record: Record,
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
                # DEVIATION D390: Kafka, and kreactor.fidelity=strict, catch only InvalidRecordException. A
                # checksum never raises it.
                if self.is_strict() and isinstance(e, CorruptRecordException):
                    raise
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
    def _add_record_error(record_errors: list[ApiRecordError], record_error: ApiRecordError) -> None:
        """Add an error to the list. Raises RecordValidationException if the list is full."""
        record_errors.append(record_error)
        if len(record_errors) >= MAX_RECORD_ERRORS:
            # DEVIATION D483: Kafka lists every invalid record of a batch, a response of 90 MB for 700 bytes.
            LogValidator._process_record_errors(record_errors)

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
