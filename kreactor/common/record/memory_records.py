# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.MemoryRecords of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Batches in a buffer, as a producer sends them. A broker validates them and sets offsets in place."""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from kreactor.common.compress.compression import Compression
from kreactor.common.record import memory_records_builder, records_util
from kreactor.common.record.abstract_records import AbstractRecords
from kreactor.common.record.byte_buffer_log_input_stream import ByteBufferLogInputStream
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.end_transaction_marker import EndTransactionMarker
from kreactor.common.record.mutable_record_batch import MutableRecordBatch
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.record import Record
from kreactor.common.record.record_batch_iterator import RecordBatchIterator
from kreactor.common.record.records import Records
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.utils.abstract_iterator import AbstractIterator
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.byte_buffer_output_stream import ByteBufferOutputStream
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.nio_buffer import ByteBuffer

if TYPE_CHECKING:
    from kreactor.common.network.transferable_channel import TransferableChannel
    from kreactor.common.record.converted_records import ConvertedRecords
    from kreactor.common.record.memory_records_builder import MemoryRecordsBuilder
    from kreactor.jdk.nio_channels import GatheringByteChannel

log = LogContext().logger(f"{__name__}.MemoryRecords")

_MAX_INT = 2**31 - 1
_INT = struct.Struct(">i")
_LOG_OVERHEAD = Records.LOG_OVERHEAD
_MAGIC_OFFSET = Records.MAGIC_OFFSET
_SIZE_OFFSET = Records.SIZE_OFFSET
_RECORD_BATCH_OVERHEAD = DefaultRecordBatch.RECORD_BATCH_OVERHEAD
_MAGIC_VALUE_V2 = RecordBatch.MAGIC_VALUE_V2
_NO_TIMESTAMP = RecordBatch.NO_TIMESTAMP


class MemoryRecords(AbstractRecords):
    """The records between position and limit of a buffer. No code may change these two afterwards.

    Threads: any thread may read. One thread at a time may change batches.

    :origin: common.record.MemoryRecords
    """

    __slots__ = ("_buffer", "_valid_bytes", "_is_one_batch", "_one_batch", "_may_be_written")

    EMPTY: ClassVar[MemoryRecords]

    def __init__(self, buffer: ByteBuffer) -> None:
        """Callers use ``readable_records``.

        :origin: common.record.MemoryRecords#MemoryRecords(ByteBuffer)
        """
        if buffer is None:
            raise TypeError("buffer should not be null")
        self._buffer = buffer
        self._valid_bytes = -1
        # True after ``batches`` has found exactly one complete batch, as a producer sends it.
        self._is_one_batch = False
        # That batch, cached until another object may write to the buffer.
        self._one_batch: tuple[DefaultRecordBatch] | None = None
        self._may_be_written = False

    def size_in_bytes(self) -> int:
        """:origin: common.record.MemoryRecords#sizeInBytes()"""
        return self._buffer._limit

    def write_to(self, channel: TransferableChannel, position: int, length: int) -> int:
        """Write a range to ``channel``. Raises IllegalArgumentException for a range past the buffer's end.

        :origin: common.record.MemoryRecords#writeTo(TransferableChannel, int, int)
        """
        if position + length > self._buffer.limit():
            raise IllegalArgumentException(
                "position+length should not be greater than buffer.limit(), position: "
                f"{position}, length: {length}, buffer.limit(): {self._buffer.limit()}")
        return Utils.try_write_to(channel, position, length, self._buffer)

    def write_fully_to(self, channel: GatheringByteChannel) -> int:
        """Write all bytes, with a partial batch at the end, and return their number. Raises OSError.

        :origin: common.record.MemoryRecords#writeFullyTo(GatheringByteChannel)
        """
        buffer = self._buffer.duplicate()
        written = 0
        while written < self.size_in_bytes():
            written += channel.write(buffer)
        return written

    def valid_bytes(self) -> int:
        """Return the size of the complete batches in bytes. Raises CorruptRecordException.

        :origin: common.record.MemoryRecords#validBytes()
        """
        if self._valid_bytes >= 0:
            return self._valid_bytes

        bytes_ = 0
        for batch in self.batches():
            bytes_ += batch.size_in_bytes()

        self._valid_bytes = bytes_
        return bytes_

    def down_convert(self, to_magic: int, first_offset: int, time: Time) -> ConvertedRecords[MemoryRecords]:
        """:origin: common.record.MemoryRecords#downConvert(byte, long, Time)"""
        return records_util.RecordsUtil.down_convert(self.batches(), to_magic, first_offset, time)

    def batch_iterator(self) -> AbstractIterator[MutableRecordBatch]:
        """:origin: common.record.MemoryRecords#batchIterator()"""
        return RecordBatchIterator(ByteBufferLogInputStream(self._buffer.duplicate(), _MAX_INT))

    def first_batch_size(self) -> int | None:
        """Return the size of the first batch, which may be partial, or None without its magic.

        Raises CorruptRecordException for an invalid size or magic.

        :origin: common.record.MemoryRecords#firstBatchSize()
        """
        if self._buffer.remaining() < self.HEADER_SIZE_UP_TO_MAGIC:
            return None
        return ByteBufferLogInputStream(self._buffer, _MAX_INT).next_batch_size()

    def filter_to(self, partition: TopicPartition, filter: RecordFilter, destination_buffer: ByteBuffer,
                  max_record_batch_size: int, decompression_buffer_supplier: BufferSupplier) -> FilterResult:
        """Write the batches and records that ``filter`` retains to ``destination_buffer``; return the counts.

        A batch larger than ``max_record_batch_size`` bytes is logged and still written. If a batch does not
        fit, a larger buffer replaces ``destination_buffer``. It gets the previous batches and this one, the
        result has it, and no further batch is read. ``partition`` is used in the log.

        :origin: common.record.MemoryRecords#filterTo(TopicPartition, RecordFilter, ByteBuffer, int, BufferSupplier)
        """  # noqa: E501
        return MemoryRecords._filter_batches_to(partition, self.batches(), filter, destination_buffer,
                                                max_record_batch_size, decompression_buffer_supplier)

    @staticmethod
    def _filter_batches_to(partition: TopicPartition, batches: Iterable[MutableRecordBatch],
                           filter: RecordFilter, destination_buffer: ByteBuffer, max_record_batch_size: int,
                           decompression_buffer_supplier: BufferSupplier) -> FilterResult:
        """Filter ``batches``.

        A batch with tombstones, or with the marker of a transaction without records, gets a delete horizon at
        its first filtering. The delete horizon replaces the batch's base timestamp.

        :origin: common.record.MemoryRecords#filterTo(TopicPartition, Iterable<MutableRecordBatch>, RecordFilter, ByteBuffer, int, BufferSupplier)
        """  # noqa: E501
        filter_result = MemoryRecords.FilterResult(destination_buffer)
        buffer_output_stream = ByteBufferOutputStream(destination_buffer)
        for batch in batches:
            batch_retention, contains_marker_for_empty_txn = filter.check_batch_retention(batch)

            filter_result._bytes_read += batch.size_in_bytes()

            if batch_retention is _DELETE:
                continue

            # Old cleaners wrote batches whose magic differed from that of their records. Such a batch is
            # written again as a new batch.
            batch_magic = batch.magic()
            retained_records: list[Record] = []

            write_original_batch, contains_tombstones, max_offset = MemoryRecords._filter_batch(
                batch, decompression_buffer_supplier, filter_result, filter, batch_magic, True,
                retained_records)

            if retained_records:
                need_to_set_delete_horizon = (
                    batch_magic >= _MAGIC_VALUE_V2 and (contains_tombstones or contains_marker_for_empty_txn)
                    and batch.delete_horizon_ms() is None)
                if write_original_batch and not need_to_set_delete_horizon:
                    batch.write_to_output_stream(buffer_output_stream)
                    filter_result._update_retained_batch_metadata(batch, len(retained_records), False)
                else:
                    if need_to_set_delete_horizon:
                        delete_horizon_ms = filter.current_time + filter.delete_retention_ms
                    else:
                        horizon = batch.delete_horizon_ms()
                        delete_horizon_ms = _NO_TIMESTAMP if horizon is None else horizon
                    with MemoryRecords._build_retained_records_into(
                            batch, retained_records, buffer_output_stream, delete_horizon_ms) as builder:
                        records = builder.build()
                        filtered_batch_size = records.size_in_bytes()
                        if batch.size_in_bytes() < filtered_batch_size > max_record_batch_size:
                            log.warn(
                                "Record batch from %s with last offset %d exceeded max record batch size %d "
                                "after cleaning (new size is %d). Consumers with version earlier than "
                                "0.10.1.0 may need to increase their fetch sizes.", partition,
                                batch.last_offset(), max_record_batch_size, filtered_batch_size)

                        info = builder.info()
                        filter_result._update_retained_metadata(
                            info._max_timestamp, info._shallow_offset_of_max_timestamp, max_offset,
                            len(retained_records), filtered_batch_size)
            elif batch_retention is _RETAIN_EMPTY:
                if batch_magic < _MAGIC_VALUE_V2:
                    raise IllegalStateException("Empty batches are only supported for magic v2 and above")

                buffer_output_stream.ensure_remaining(DefaultRecordBatch.RECORD_BATCH_OVERHEAD)
                DefaultRecordBatch.write_empty_header(
                    buffer_output_stream.buffer(), batch_magic, batch.producer_id(), batch.producer_epoch(),
                    batch.base_sequence(), batch.base_offset(), batch.last_offset(),
                    batch.partition_leader_epoch(), batch.timestamp_type(), batch.max_timestamp(),
                    batch.is_transactional(), batch.is_control_batch())
                filter_result._update_retained_batch_metadata(batch, 0, True)

            # The filtering ends at the first enlarged buffer.
            output_buffer = buffer_output_stream.buffer()
            if output_buffer is not destination_buffer:
                filter_result._output_buffer = output_buffer
                return filter_result

        return filter_result

    @staticmethod
    def _filter_batch(batch: RecordBatch, decompression_buffer_supplier: BufferSupplier,
                      filter_result: FilterResult, filter: RecordFilter, batch_magic: int,
                      write_original_batch: bool, retained_records: list[Record]) -> BatchFilterResult:
        """Append the records of a batch that ``filter`` retains to ``retained_records``.

        :origin: common.record.MemoryRecords#filterBatch(RecordBatch, BufferSupplier, FilterResult, RecordFilter, byte, boolean, List<Record>)
        """  # noqa: E501
        max_offset = -1
        contains_tombstones = False
        with batch.streaming_iterator(decompression_buffer_supplier) as iterator:
            for record in iterator:
                filter_result._messages_read += 1

                if filter.should_retain_record(batch, record):
                    if not record.has_magic(batch_magic):
                        write_original_batch = False

                    if record.offset() > max_offset:
                        max_offset = record.offset()

                    retained_records.append(record)

                    if not record.has_value():
                        contains_tombstones = True
                else:
                    write_original_batch = False
            return MemoryRecords.BatchFilterResult(write_original_batch, contains_tombstones, max_offset)

    class BatchFilterResult(NamedTuple):
        """The properties of the records that a filter retains of one batch.

        :origin: common.record.MemoryRecords.BatchFilterResult
        :origin: common.record.MemoryRecords.BatchFilterResult#BatchFilterResult(boolean, boolean, long)
        """

        write_original_batch: bool
        contains_tombstones: bool
        max_offset: int

    @staticmethod
    def _build_retained_records_into(original_batch: RecordBatch, retained_records: list[Record],
                                     buffer_output_stream: ByteBufferOutputStream, delete_horizon_ms: int
                                     ) -> MemoryRecordsBuilder:
        """:origin: common.record.MemoryRecords#buildRetainedRecordsInto(RecordBatch, List<Record>, ByteBufferOutputStream, long)"""  # noqa: E501
        magic = original_batch.magic()
        compression = Compression.of(original_batch.compression_type()).build()
        timestamp_type = original_batch.timestamp_type()
        log_append_time = (original_batch.max_timestamp() if timestamp_type is TimestampType.LOG_APPEND_TIME
                           else _NO_TIMESTAMP)
        base_offset = (original_batch.base_offset() if magic >= _MAGIC_VALUE_V2
                       else retained_records[0].offset())

        builder = memory_records_builder.MemoryRecordsBuilder(
            buffer_output_stream, magic, compression, timestamp_type, base_offset, log_append_time,
            original_batch.producer_id(), original_batch.producer_epoch(), original_batch.base_sequence(),
            original_batch.is_transactional(), original_batch.is_control_batch(),
            original_batch.partition_leader_epoch(), buffer_output_stream.limit(), delete_horizon_ms)

        for record in retained_records:
            builder.append_record(record)

        if magic >= _MAGIC_VALUE_V2:
            # The last sequence number derives from the last offset. Without this, the producer's next batch
            # would be out of sequence.
            builder.override_last_offset(original_batch.last_offset())

        return builder

    def buffer(self) -> ByteBuffer:
        """Return a duplicate of the buffer: shared bytes, own position.

        :origin: common.record.MemoryRecords#buffer()
        """
        self._may_be_written = True
        self._one_batch = None
        return self._buffer.duplicate()

    def writable_memory(self) -> memoryview:
        """Return the buffer's memory for writing."""
        self._may_be_written = True
        self._one_batch = None
        return self._buffer.view()

    def batches(self) -> Iterable[MutableRecordBatch]:
        """Return the batches; iterating raises CorruptRecordException.

        :origin: common.record.MemoryRecords#batches()
        """
        # DEVIATION D109: the one batch is cached, because a produce request iterates over its batches four
        # times.
        if self._one_batch is not None:
            return self._one_batch
        buffer = self._buffer
        if not self._is_one_batch:
            memory, position = buffer._memory, buffer._position
            size = buffer._limit - position
            if not (size >= _RECORD_BATCH_OVERHEAD
                    and memory[position + _MAGIC_OFFSET] == _MAGIC_VALUE_V2
                    and _INT.unpack_from(memory, position + _SIZE_OFFSET)[0] == size - _LOG_OVERHEAD):
                return _Batches(self)
            self._is_one_batch = True
        # A buffer that holds only the batch, as in a request, needs no slice: its position never changes.
        whole = buffer._position == 0 and buffer._limit == buffer._capacity
        one_batch = (DefaultRecordBatch(buffer if whole else buffer.slice()),)
        if not self._may_be_written:
            self._one_batch = one_batch
        return one_batch

    def __str__(self) -> str:
        """:origin: common.record.MemoryRecords#toString()"""
        return f"MemoryRecords(size={self.size_in_bytes()}, buffer={self._buffer})"

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        """:origin: common.record.MemoryRecords#equals(Object)"""
        if self is other:
            return True
        if not isinstance(other, MemoryRecords):
            return False
        return self._buffer.view() == other._buffer.view()

    def __hash__(self) -> int:
        """:origin: common.record.MemoryRecords#hashCode()"""
        return hash(self._buffer.to_bytes())

    class RecordFilter(ABC):
        """Decides which records ``filter_to`` retains.

        :origin: common.record.MemoryRecords.RecordFilter
        """

        def __init__(self, current_time: int, delete_retention_ms: int) -> None:
            """Both arguments are in milliseconds. Their sum is the delete horizon of newly found tombstones.

            :origin: common.record.MemoryRecords.RecordFilter#RecordFilter(long, long)
            """
            self.current_time = current_time
            self.delete_retention_ms = delete_retention_ms

        class BatchRetentionResult(NamedTuple):
            """A filter's decision on a batch.

            :origin: common.record.MemoryRecords.RecordFilter.BatchRetentionResult
            :origin: common.record.MemoryRecords.RecordFilter.BatchRetentionResult#BatchRetentionResult(BatchRetention, boolean)
            """  # noqa: E501

            batch_retention: MemoryRecords.RecordFilter.BatchRetention
            contains_marker_for_empty_txn: bool

        class BatchRetention(Enum):
            """The ways to treat a batch: delete it, retain it empty, or delete it once it is empty.

            :origin: common.record.MemoryRecords.RecordFilter.BatchRetention
            """

            DELETE = "DELETE"
            RETAIN_EMPTY = "RETAIN_EMPTY"
            DELETE_EMPTY = "DELETE_EMPTY"

        @abstractmethod
        def check_batch_retention(self, batch: RecordBatch) -> BatchRetentionResult:
            """Return the decision on a whole batch.

            :origin: common.record.MemoryRecords.RecordFilter#checkBatchRetention(RecordBatch)
            """

        @abstractmethod
        def should_retain_record(self, record_batch: RecordBatch, record: Record) -> bool:
            """Return whether a record is retained. Not called for batches that are deleted as a whole.

            :origin: common.record.MemoryRecords.RecordFilter#shouldRetainRecord(RecordBatch, Record)
            """

    class FilterResult:
        """The counts of read and retained batches, records and bytes of ``filter_to``.

        ``bytes_read`` includes deleted batches.

        :origin: common.record.MemoryRecords.FilterResult
        """

        __slots__ = ("_output_buffer", "_messages_read", "_bytes_read", "_messages_retained",
                     "_bytes_retained", "_max_offset", "_max_timestamp", "_shallow_offset_of_max_timestamp")

        def __init__(self, output_buffer: ByteBuffer) -> None:
            """:origin: common.record.MemoryRecords.FilterResult#FilterResult(ByteBuffer)"""
            self._output_buffer = output_buffer
            self._messages_read = 0
            self._bytes_read = 0
            self._messages_retained = 0
            self._bytes_retained = 0
            self._max_offset = -1
            self._max_timestamp = _NO_TIMESTAMP
            self._shallow_offset_of_max_timestamp = -1

        def _update_retained_batch_metadata(self, retained_batch: MutableRecordBatch,
                                            num_messages_in_batch: int, header_only: bool) -> None:
            """:origin: common.record.MemoryRecords.FilterResult#updateRetainedBatchMetadata(MutableRecordBatch, int, boolean)"""  # noqa: E501
            bytes_retained = _RECORD_BATCH_OVERHEAD if header_only else retained_batch.size_in_bytes()
            self._update_retained_metadata(
                retained_batch.max_timestamp(), retained_batch.last_offset(), retained_batch.last_offset(),
                num_messages_in_batch, bytes_retained)

        def _update_retained_metadata(self, max_timestamp: int, shallow_offset_of_max_timestamp: int,
                                      max_offset: int, messages_retained: int, bytes_retained: int) -> None:
            """:origin: common.record.MemoryRecords.FilterResult#updateRetainedBatchMetadata(long, long, long, int, int)"""  # noqa: E501
            self._validate_batch_metadata(max_timestamp, shallow_offset_of_max_timestamp, max_offset)
            if max_timestamp > self._max_timestamp:
                self._max_timestamp = max_timestamp
                self._shallow_offset_of_max_timestamp = shallow_offset_of_max_timestamp
            self._max_offset = max(max_offset, self._max_offset)
            self._messages_retained += messages_retained
            self._bytes_retained += bytes_retained

        def _validate_batch_metadata(self, max_timestamp: int, shallow_offset_of_max_timestamp: int,
                                     max_offset: int) -> None:
            """Raises IllegalArgumentException for a missing offset.

            :origin: common.record.MemoryRecords.FilterResult#validateBatchMetadata(long, long, long)
            """
            if max_timestamp != _NO_TIMESTAMP and shallow_offset_of_max_timestamp < 0:
                raise IllegalArgumentException(
                    f"shallowOffset undefined for maximum timestamp {max_timestamp}")
            if max_offset < 0:
                raise IllegalArgumentException("maxOffset undefined")

        def output_buffer(self) -> ByteBuffer:
            """Return the output: the given buffer, or a larger one.

            :origin: common.record.MemoryRecords.FilterResult#outputBuffer()
            """
            return self._output_buffer

        def messages_read(self) -> int:
            """Return the number of records read.

            :origin: common.record.MemoryRecords.FilterResult#messagesRead()
            """
            return self._messages_read

        def bytes_read(self) -> int:
            """Return the size of the batches read, in bytes.

            :origin: common.record.MemoryRecords.FilterResult#bytesRead()
            """
            return self._bytes_read

        def messages_retained(self) -> int:
            """Return the number of records written.

            :origin: common.record.MemoryRecords.FilterResult#messagesRetained()
            """
            return self._messages_retained

        def bytes_retained(self) -> int:
            """Return the number of bytes written.

            :origin: common.record.MemoryRecords.FilterResult#bytesRetained()
            """
            return self._bytes_retained

        def max_offset(self) -> int:
            """Return the largest retained offset, -1 for none.

            :origin: common.record.MemoryRecords.FilterResult#maxOffset()
            """
            return self._max_offset

        def max_timestamp(self) -> int:
            """Return the latest retained timestamp, -1 for none.

            :origin: common.record.MemoryRecords.FilterResult#maxTimestamp()
            """
            return self._max_timestamp

        def shallow_offset_of_max_timestamp(self) -> int:
            """Return the last offset of the batch with the latest timestamp, -1 for none.

            :origin: common.record.MemoryRecords.FilterResult#shallowOffsetOfMaxTimestamp()
            """
            return self._shallow_offset_of_max_timestamp

    @staticmethod
    def readable_records(buffer: ByteBuffer) -> MemoryRecords:
        """Return the records in ``buffer``. The records own ``buffer`` afterwards.

        :origin: common.record.MemoryRecords#readableRecords(ByteBuffer)
        """
        return MemoryRecords(buffer)

    @staticmethod
    def builder(buffer: ByteBuffer, compression: Compression, timestamp_type: TimestampType,
                base_offset: int, *, magic: int = RecordBatch.CURRENT_MAGIC_VALUE,
                log_append_time: int | None = None, producer_id: int = RecordBatch.NO_PRODUCER_ID,
                producer_epoch: int = RecordBatch.NO_PRODUCER_EPOCH,
                base_sequence: int = RecordBatch.NO_SEQUENCE, is_transactional: bool = False,
                is_control_batch: bool = False,
                partition_leader_epoch: int = RecordBatch.NO_PARTITION_LEADER_EPOCH,
                max_size: int | None = None
                ) -> MemoryRecordsBuilder:
        """Return a builder that writes from the position of ``buffer`` on.

        ``log_append_time`` is in milliseconds; its default for LOG_APPEND_TIME is now. The default of
        ``max_size`` is the rest of the buffer.

        :origin: common.record.MemoryRecords#builder(ByteBuffer, Compression, TimestampType, long)
        :origin: common.record.MemoryRecords#builder(ByteBuffer, Compression, TimestampType, long, int)
        :origin: common.record.MemoryRecords#builder(ByteBuffer, byte, Compression, TimestampType, long, long)
        :origin: common.record.MemoryRecords#builder(ByteBuffer, byte, Compression, TimestampType, long)
        :origin: common.record.MemoryRecords#builder(ByteBuffer, byte, Compression, TimestampType, long, long, int)
        :origin: common.record.MemoryRecords#builder(ByteBuffer, Compression, long, long, short, int, boolean)
        :origin: common.record.MemoryRecords#builder(ByteBuffer, byte, Compression, TimestampType, long, long, long, short, int)
        :origin: common.record.MemoryRecords#builder(ByteBuffer, byte, Compression, TimestampType, long, long, long, short, int, boolean, int)
        :origin: common.record.MemoryRecords#builder(ByteBuffer, byte, Compression, TimestampType, long, long, long, short, int, boolean, boolean, int)
        """  # noqa: E501
        if log_append_time is None:
            log_append_time = RecordBatch.NO_TIMESTAMP
            if timestamp_type is TimestampType.LOG_APPEND_TIME:
                log_append_time = Time.SYSTEM.milliseconds()
        return memory_records_builder.MemoryRecordsBuilder(
            buffer, magic, compression, timestamp_type, base_offset, log_append_time, producer_id,
            producer_epoch, base_sequence, is_transactional, is_control_batch, partition_leader_epoch,
            buffer.remaining() if max_size is None else max_size)

    @staticmethod
    def idempotent_builder(buffer: ByteBuffer, compression: Compression, base_offset: int, producer_id: int,
                           producer_epoch: int, base_sequence: int) -> MemoryRecordsBuilder:
        """Return a builder of an idempotent producer's batch.

        :origin: common.record.MemoryRecords#idempotentBuilder(ByteBuffer, Compression, long, long, short, int)
        """  # noqa: E501
        return MemoryRecords.builder(
            buffer, compression, TimestampType.CREATE_TIME, base_offset,
            log_append_time=Time.SYSTEM.milliseconds(), producer_id=producer_id,
            producer_epoch=producer_epoch, base_sequence=base_sequence)

    @staticmethod
    def with_records(compression: Compression, *records: SimpleRecord,
                     magic: int = RecordBatch.CURRENT_MAGIC_VALUE, initial_offset: int = 0,
                     timestamp_type: TimestampType = TimestampType.CREATE_TIME,
                     producer_id: int = RecordBatch.NO_PRODUCER_ID,
                     producer_epoch: int = RecordBatch.NO_PRODUCER_EPOCH,
                     base_sequence: int = RecordBatch.NO_SEQUENCE,
                     partition_leader_epoch: int = RecordBatch.NO_PARTITION_LEADER_EPOCH,
                     is_transactional: bool = False) -> MemoryRecords:
        """Return one batch of ``records``. Below magic 2 without compression, each record is a batch.

        :origin: common.record.MemoryRecords#withRecords(Compression, SimpleRecord...)
        :origin: common.record.MemoryRecords#withRecords(Compression, int, SimpleRecord...)
        :origin: common.record.MemoryRecords#withRecords(byte, Compression, SimpleRecord...)
        :origin: common.record.MemoryRecords#withRecords(long, Compression, SimpleRecord...)
        :origin: common.record.MemoryRecords#withRecords(byte, long, Compression, SimpleRecord...)
        :origin: common.record.MemoryRecords#withRecords(long, Compression, Integer, SimpleRecord...)
        :origin: common.record.MemoryRecords#withRecords(byte, long, Compression, TimestampType, SimpleRecord...)
        :origin: common.record.MemoryRecords#withRecords(byte, long, Compression, TimestampType, long, short, int, int, boolean, SimpleRecord...)
        """  # noqa: E501
        if not records:
            return MemoryRecords.EMPTY
        size_estimate = AbstractRecords.estimate_size_in_bytes(magic, compression.type(), records)
        buffer_stream = ByteBufferOutputStream(size_estimate)
        log_append_time = RecordBatch.NO_TIMESTAMP
        if timestamp_type is TimestampType.LOG_APPEND_TIME:
            log_append_time = Time.SYSTEM.milliseconds()
        with memory_records_builder.MemoryRecordsBuilder(
                buffer_stream, magic, compression, timestamp_type, initial_offset, log_append_time,
                producer_id, producer_epoch, base_sequence, is_transactional, False, partition_leader_epoch,
                size_estimate) as builder:
            for record in records:
                builder.append_simple_record(record)
            return builder.build()

    @staticmethod
    def with_idempotent_records(compression: Compression, producer_id: int, producer_epoch: int,
                                base_sequence: int, *records: SimpleRecord,
                                magic: int = RecordBatch.CURRENT_MAGIC_VALUE, initial_offset: int = 0,
                                partition_leader_epoch: int = RecordBatch.NO_PARTITION_LEADER_EPOCH
                                ) -> MemoryRecords:
        """Return a batch of an idempotent producer.

        :origin: common.record.MemoryRecords#withIdempotentRecords(Compression, long, short, int, SimpleRecord...)
        :origin: common.record.MemoryRecords#withIdempotentRecords(byte, long, Compression, long, short, int, int, SimpleRecord...)
        :origin: common.record.MemoryRecords#withIdempotentRecords(long, Compression, long, short, int, int, SimpleRecord...)
        """  # noqa: E501
        return MemoryRecords.with_records(
            compression, *records, magic=magic, initial_offset=initial_offset, producer_id=producer_id,
            producer_epoch=producer_epoch, base_sequence=base_sequence,
            partition_leader_epoch=partition_leader_epoch)

    @staticmethod
    def with_transactional_records(compression: Compression, producer_id: int, producer_epoch: int,
                                   base_sequence: int, *records: SimpleRecord,
                                   magic: int = RecordBatch.CURRENT_MAGIC_VALUE, initial_offset: int = 0,
                                   partition_leader_epoch: int = RecordBatch.NO_PARTITION_LEADER_EPOCH
                                   ) -> MemoryRecords:
        """Return a batch within a transaction.

        :origin: common.record.MemoryRecords#withTransactionalRecords(Compression, long, short, int, SimpleRecord...)
        :origin: common.record.MemoryRecords#withTransactionalRecords(byte, long, Compression, long, short, int, int, SimpleRecord...)
        :origin: common.record.MemoryRecords#withTransactionalRecords(long, Compression, long, short, int, int, SimpleRecord...)
        """  # noqa: E501
        return MemoryRecords.with_records(
            compression, *records, magic=magic, initial_offset=initial_offset, producer_id=producer_id,
            producer_epoch=producer_epoch, base_sequence=base_sequence,
            partition_leader_epoch=partition_leader_epoch, is_transactional=True)

    @staticmethod
    def with_end_transaction_marker(producer_id: int, producer_epoch: int, marker: EndTransactionMarker, *,
                                    initial_offset: int = 0, timestamp: int | None = None,
                                    partition_leader_epoch: int = RecordBatch.NO_PARTITION_LEADER_EPOCH
                                    ) -> MemoryRecords:
        """Return the batch that ends a transaction. ``timestamp`` is in milliseconds; the default is now.

        :origin: common.record.MemoryRecords#withEndTransactionMarker(long, short, EndTransactionMarker)
        :origin: common.record.MemoryRecords#withEndTransactionMarker(long, long, short, EndTransactionMarker)
        :origin: common.record.MemoryRecords#withEndTransactionMarker(long, long, int, long, short, EndTransactionMarker)
        """  # noqa: E501
        if timestamp is None:
            timestamp = Time.SYSTEM.milliseconds()
        end_txn_marker_batch_size = (DefaultRecordBatch.RECORD_BATCH_OVERHEAD
                                     + EndTransactionMarker.CURRENT_END_TXN_SCHEMA_RECORD_SIZE)
        buffer = ByteBuffer.allocate(end_txn_marker_batch_size)
        MemoryRecords.write_end_transactional_marker(buffer, initial_offset, timestamp,
                                                     partition_leader_epoch, producer_id, producer_epoch,
                                                     marker)
        buffer.flip()
        return MemoryRecords.readable_records(buffer)

    @staticmethod
    def write_end_transactional_marker(buffer: ByteBuffer, initial_offset: int, timestamp: int,
                                       partition_leader_epoch: int, producer_id: int, producer_epoch: int,
                                       marker: EndTransactionMarker) -> None:
        """Write the batch that ends a transaction to ``buffer``, which must be large enough.

        :origin: common.record.MemoryRecords#writeEndTransactionalMarker(ByteBuffer, long, long, int, long, short, EndTransactionMarker)
        """  # noqa: E501
        is_transactional = True
        with memory_records_builder.MemoryRecordsBuilder(
                buffer, RecordBatch.CURRENT_MAGIC_VALUE, Compression.NONE, TimestampType.CREATE_TIME,
                initial_offset, timestamp, producer_id, producer_epoch, RecordBatch.NO_SEQUENCE,
                is_transactional, True, partition_leader_epoch, buffer.capacity()) as builder:
            builder.append_end_txn_marker(timestamp, marker)


class _Batches:
    """An iterable over the batches, which can be iterated more than once."""

    __slots__ = ("_records",)

    def __init__(self, records: MemoryRecords) -> None:
        self._records = records

    def __iter__(self) -> Iterator[MutableRecordBatch]:
        return self._records.batch_iterator()


# Module constants, because CPython 3.11 takes 90 ns to look up an attribute of an enum.
_DELETE = MemoryRecords.RecordFilter.BatchRetention.DELETE
_RETAIN_EMPTY = MemoryRecords.RecordFilter.BatchRetention.RETAIN_EMPTY

MemoryRecords.EMPTY = MemoryRecords.readable_records(ByteBuffer.allocate(0))
