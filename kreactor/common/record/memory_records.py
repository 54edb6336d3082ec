# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.MemoryRecords of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Batches in a buffer: what a producer sends and a broker checks and stamps in place."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, ClassVar

from kreactor.common.compress.compression import Compression
from kreactor.common.record import memory_records_builder, records_util
from kreactor.common.record.abstract_records import AbstractRecords
from kreactor.common.record.byte_buffer_log_input_stream import ByteBufferLogInputStream
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.end_transaction_marker import EndTransactionMarker
from kreactor.common.record.mutable_record_batch import MutableRecordBatch
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.record_batch_iterator import RecordBatchIterator
from kreactor.common.record.records import Records
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.utils.abstract_iterator import AbstractIterator
from kreactor.common.utils.byte_buffer_output_stream import ByteBufferOutputStream
from kreactor.common.utils.time import Time
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer

if TYPE_CHECKING:
    from kreactor.common.network.transferable_channel import TransferableChannel
    from kreactor.common.record.converted_records import ConvertedRecords
    from kreactor.common.record.memory_records_builder import MemoryRecordsBuilder
    from kreactor.jdk.nio_channels import GatheringByteChannel

_COMPACTION = "the cleaner keeps or drops whole batches (D121), and takes no record out of one"
_KRAFT = "a quorum's, and no broker here takes part in one"

OMITTED = {
    "common.record.MemoryRecords#filterTo(TopicPartition, RecordFilter, ByteBuffer, int, BufferSupplier)": _COMPACTION,  # noqa: E501
    "common.record.MemoryRecords#filterTo(TopicPartition, Iterable<MutableRecordBatch>, RecordFilter, ByteBuffer, int, BufferSupplier)": _COMPACTION,  # noqa: E501
    "common.record.MemoryRecords#filterBatch(RecordBatch, BufferSupplier, FilterResult, RecordFilter, byte, boolean, List<Record>)": _COMPACTION,  # noqa: E501
    "common.record.MemoryRecords#buildRetainedRecordsInto(RecordBatch, List<Record>, ByteBufferOutputStream, long)": _COMPACTION,  # noqa: E501
    "common.record.MemoryRecords.BatchFilterResult": _COMPACTION,
    "common.record.MemoryRecords.RecordFilter": _COMPACTION,
    "common.record.MemoryRecords.FilterResult": _COMPACTION,
    "common.record.MemoryRecords#withLeaderChangeMessage(long, long, int, ByteBuffer, LeaderChangeMessage)": _KRAFT,  # noqa: E501
    "common.record.MemoryRecords#withSnapshotHeaderRecord(long, long, int, ByteBuffer, SnapshotHeaderRecord)": _KRAFT,  # noqa: E501
    "common.record.MemoryRecords#withSnapshotFooterRecord(long, long, int, ByteBuffer, SnapshotFooterRecord)": _KRAFT,  # noqa: E501
    "common.record.MemoryRecords#withKRaftVersionRecord(long, long, int, ByteBuffer, KRaftVersionRecord)": _KRAFT,  # noqa: E501
    "common.record.MemoryRecords#withVotersRecord(long, long, int, ByteBuffer, VotersRecord)": _KRAFT,
    "common.record.MemoryRecords#createKraftControlRecordBuilder(long, long, int, ByteBuffer)": _KRAFT,
    "common.record.MemoryRecords#batches": "batches() makes the iterable when it is asked for",
    "common.record.MemoryRecords#log": "nothing left logs",
}

_MAX_INT = 2**31 - 1
_INT = struct.Struct(">i")
_LOG_OVERHEAD = Records.LOG_OVERHEAD
_MAGIC_OFFSET = Records.MAGIC_OFFSET
_SIZE_OFFSET = Records.SIZE_OFFSET
_RECORD_BATCH_OVERHEAD = DefaultRecordBatch.RECORD_BATCH_OVERHEAD
_MAGIC_VALUE_V2 = RecordBatch.MAGIC_VALUE_V2


class MemoryRecords(AbstractRecords):
    """The records between position and limit of a buffer; nobody may move these any more.

    Any thread may read; one thread changes batches while no other does.

    :origin: common.record.MemoryRecords
    """

    __slots__ = ("_buffer", "_valid_bytes", "_is_one_batch", "_one_batch", "_is_given_out")

    EMPTY: ClassVar[MemoryRecords]

    def __init__(self, buffer: ByteBuffer) -> None:
        """Prefer ``readable_records``.

        :origin: common.record.MemoryRecords#MemoryRecords(ByteBuffer)
        """
        if buffer is None:
            raise TypeError("buffer should not be null")
        self._buffer = buffer
        self._valid_bytes = -1
        # Known once somebody has looked: that there is one batch, and nothing else, as a producer sends it.
        self._is_one_batch = False
        # That batch, until somebody else may write to the memory under it.
        self._one_batch: tuple[DefaultRecordBatch] | None = None
        self._is_given_out = False

    def size_in_bytes(self) -> int:
        """:origin: common.record.MemoryRecords#sizeInBytes()"""
        return self._buffer._limit

    def write_to(self, channel: TransferableChannel, position: int, length: int) -> int:
        """Raises IllegalArgumentException if the range reaches past the buffer.

        :origin: common.record.MemoryRecords#writeTo(TransferableChannel, int, int)
        """
        if position + length > self._buffer.limit():
            raise IllegalArgumentException(
                "position+length should not be greater than buffer.limit(), position: "
                f"{position}, length: {length}, buffer.limit(): {self._buffer.limit()}")
        return Utils.try_write_to(channel, position, length, self._buffer)

    def write_fully_to(self, channel: GatheringByteChannel) -> int:
        """Write all, part of a batch at the end included; return its size. Raises OSError.

        :origin: common.record.MemoryRecords#writeFullyTo(GatheringByteChannel)
        """
        buffer = self._buffer.duplicate()
        written = 0
        while written < self.size_in_bytes():
            written += channel.write(buffer)
        return written

    def valid_bytes(self) -> int:
        """Return the size of the whole batches in bytes. Raises CorruptRecordException.

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
        """Return the size of the first batch, whole or not; None if not even its magic is there.

        Raises CorruptRecordException if size or magic cannot be.

        :origin: common.record.MemoryRecords#firstBatchSize()
        """
        if self._buffer.remaining() < self.HEADER_SIZE_UP_TO_MAGIC:
            return None
        return ByteBufferLogInputStream(self._buffer, _MAX_INT).next_batch_size()

    def buffer(self) -> ByteBuffer:
        """Return the bytes, shared, with a position of their own.

        :origin: common.record.MemoryRecords#buffer()
        """
        self._is_given_out = True
        self._one_batch = None
        return self._buffer.duplicate()

    def give_out(self) -> memoryview:
        """Return the memory itself, for who writes to it."""
        self._is_given_out = True
        self._one_batch = None
        return self._buffer.view()

    def batches(self) -> Iterable[MutableRecordBatch]:
        """Return the batches; iterating raises CorruptRecordException.

        :origin: common.record.MemoryRecords#batches()
        """
        # DEVIATION D109: a produce request goes through its batches four times.
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
        # A buffer that is all the batch, as a message has it, need not be sliced: nobody moves it.
        whole = buffer._position == 0 and buffer._limit == buffer._capacity
        one_batch = (DefaultRecordBatch(buffer if whole else buffer.slice()),)
        if not self._is_given_out:
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

    @staticmethod
    def readable_records(buffer: ByteBuffer) -> MemoryRecords:
        """Return the records in ``buffer``, which they own from now on.

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

        ``log_append_time`` in milliseconds is now where the type wants one and none is given; ``max_size`` is
        what remains of the buffer.

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
        """Return a builder of what an idempotent producer sends.

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
        """Return a batch of these, or as many as there are records below magic 2 without compression.

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
        """Return the batch that ends a transaction; ``timestamp`` in milliseconds is now if none is given.

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
        """Write the batch that ends a transaction to ``buffer``, which has room for it.

        :origin: common.record.MemoryRecords#writeEndTransactionalMarker(ByteBuffer, long, long, int, long, short, EndTransactionMarker)
        """  # noqa: E501
        is_transactional = True
        with memory_records_builder.MemoryRecordsBuilder(
                buffer, RecordBatch.CURRENT_MAGIC_VALUE, Compression.NONE, TimestampType.CREATE_TIME,
                initial_offset, timestamp, producer_id, producer_epoch, RecordBatch.NO_SEQUENCE,
                is_transactional, True, partition_leader_epoch, buffer.capacity()) as builder:
            builder.append_end_txn_marker(timestamp, marker)


class _Batches:
    """An iterable, so that the batches can be gone through more than once."""

    __slots__ = ("_records",)

    def __init__(self, records: MemoryRecords) -> None:
        self._records = records

    def __iter__(self) -> Iterator[MutableRecordBatch]:
        return self._records.batch_iterator()


MemoryRecords.EMPTY = MemoryRecords.readable_records(ByteBuffer.allocate(0))
