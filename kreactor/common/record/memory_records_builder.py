# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.MemoryRecordsBuilder of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Writes records into a buffer, compressing them on the way. The batch header is written last.

States, in order:

===============  ==================================  =======================================================
state            entered by                          what is possible
===============  ==================================  =======================================================
open             the constructor                     append; the producer's state may be set
closed for       ``close_for_record_appends``: the   the producer's state may be set; the codec's buffers
appends          codec has written its end           are given back
built            ``close``, ``build``: the header    read; ``reopen_and_rewrite_producer_state`` leads back
                 is written                          to closed for appends
aborted          ``abort``                           nothing; the buffer is at its initial position
===============  ==================================  =======================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from kreactor.common.kafka_exception import KafkaException
from kreactor.common.record import memory_records
from kreactor.common.record.abstract_legacy_record_batch import AbstractLegacyRecordBatch
from kreactor.common.record.abstract_records import AbstractRecords
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.default_record import DefaultRecord
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.legacy_record import LegacyRecord
from kreactor.common.record.record import Record
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.records import Records
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.utils.byte_buffer_output_stream import ByteBufferOutputStream
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.io_streams import OutputStream
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike

if TYPE_CHECKING:
    from kreactor.common.compress.compression import Compression
    from kreactor.common.header.header import Header
    from kreactor.common.record.end_transaction_marker import EndTransactionMarker
    from kreactor.common.record.memory_records import MemoryRecords
    from kreactor.common.record.simple_record import SimpleRecord

_MAX_INT = 2**31 - 1
_LOG_OVERHEAD = Records.LOG_OVERHEAD
_NO_TIMESTAMP = RecordBatch.NO_TIMESTAMP
_MAGIC_VALUE_V0 = RecordBatch.MAGIC_VALUE_V0
_MAGIC_VALUE_V1 = RecordBatch.MAGIC_VALUE_V1
_MAGIC_VALUE_V2 = RecordBatch.MAGIC_VALUE_V2

# The margin for a batch that compresses slightly worse than the previous ones.
_COMPRESSION_RATE_ESTIMATION_FACTOR = 1.05

# Timestamp, key, value and headers of a record to append.
KeyAndValue = tuple[int, "BytesLike | None", "BytesLike | None", Sequence["Header"]]


class _ClosedStream(OutputStream):
    """Replaces the append stream after the builder is closed for appends."""

    __slots__ = ()

    def write(self, data: BytesLike) -> None:
        raise IllegalStateException("MemoryRecordsBuilder is closed for record appends")


_CLOSED_STREAM = _ClosedStream()


class MemoryRecordsBuilder:
    """Builds one batch.

    Below magic 2 without compression, each record is a batch. Used by one thread at a time.

    :origin: common.record.MemoryRecordsBuilder
    """

    __slots__ = ("_timestamp_type", "_compression", "_buffer_stream", "_magic", "_initial_position",
                 "_base_offset", "_log_append_time", "_is_control_batch", "_partition_leader_epoch",
                 "_write_limit", "_batch_header_size_in_bytes", "_delete_horizon_ms",
                 "_estimated_compression_ratio", "_append_stream", "_is_transactional", "_producer_id",
                 "_producer_epoch", "_base_sequence", "_uncompressed_records_size_in_bytes",
                 "_is_uncompressed", "_estimated_bytes", "_num_records",
                 "_actual_compression_ratio", "_max_timestamp", "_offset_of_max_timestamp", "_last_offset",
                 "_base_timestamp", "_built_records", "_aborted")

    def __init__(self, buffer_stream: ByteBufferOutputStream | ByteBuffer, magic: int,
                 compression: Compression, timestamp_type: TimestampType, base_offset: int,
                 log_append_time: int, producer_id: int, producer_epoch: int, base_sequence: int,
                 is_transactional: bool, is_control_batch: bool, partition_leader_epoch: int,
                 write_limit: int, delete_horizon_ms: int = _NO_TIMESTAMP) -> None:
        """Write from the position of ``buffer_stream`` on. A buffer that becomes too small is replaced.

        ``write_limit`` is the size in bytes at which the batch is full. The first record may exceed it, and
        so may records that compress worse than estimated. Raises IllegalArgumentException for a feature that
        the format does not support.

        :origin: common.record.MemoryRecordsBuilder#MemoryRecordsBuilder(ByteBufferOutputStream, byte, Compression, TimestampType, long, long, long, short, int, boolean, boolean, int, int, long)
        :origin: common.record.MemoryRecordsBuilder#MemoryRecordsBuilder(ByteBufferOutputStream, byte, Compression, TimestampType, long, long, long, short, int, boolean, boolean, int, int)
        :origin: common.record.MemoryRecordsBuilder#MemoryRecordsBuilder(ByteBuffer, byte, Compression, TimestampType, long, long, long, short, int, boolean, boolean, int, int)
        """  # noqa: E501
        if magic > _MAGIC_VALUE_V0 and timestamp_type is TimestampType.NO_TIMESTAMP_TYPE:
            raise IllegalArgumentException("TimestampType must be set for magic >= 0")
        if magic < _MAGIC_VALUE_V2:
            if is_transactional:
                raise IllegalArgumentException(f"Transactional records are not supported for magic {magic}")
            if is_control_batch:
                raise IllegalArgumentException(f"Control records are not supported for magic {magic}")
            if compression.type() is CompressionType.ZSTD:
                raise IllegalArgumentException(f"ZStandard compression is not supported for magic {magic}")
            if delete_horizon_ms != _NO_TIMESTAMP:
                raise IllegalArgumentException(f"Delete horizon timestamp is not supported for magic {magic}")
        if isinstance(buffer_stream, ByteBuffer):
            buffer_stream = ByteBufferOutputStream(buffer_stream)

        self._magic = magic
        self._timestamp_type = timestamp_type
        self._compression = compression
        self._base_offset = base_offset
        self._log_append_time = log_append_time
        self._num_records = 0
        # The size before compression, without the header.
        self._uncompressed_records_size_in_bytes = 0
        self._actual_compression_ratio = 1.0
        self._max_timestamp = _NO_TIMESTAMP
        self._offset_of_max_timestamp = -1
        self._last_offset: int | None = None
        self._base_timestamp: int | None = None
        self._producer_id = producer_id
        self._producer_epoch = producer_epoch
        self._base_sequence = base_sequence
        self._is_transactional = is_transactional
        self._is_control_batch = is_control_batch
        self._delete_horizon_ms = delete_horizon_ms
        self._partition_leader_epoch = partition_leader_epoch
        self._write_limit = write_limit
        self._initial_position = buffer_stream.position()
        self._batch_header_size_in_bytes = AbstractRecords.record_batch_header_size_in_bytes(
            magic, compression.type())
        # The initial value, until the producer sets its estimate.
        self._estimated_compression_ratio = 1.0
        # Cached, because the producer reads the estimated size several times per record.
        self._is_uncompressed = compression.type() is CompressionType.NONE
        self._estimated_bytes = self._estimated_bytes_of(0)
        self._built_records: MemoryRecords | None = None
        self._aborted = False

        buffer_stream.set_position(self._initial_position + self._batch_header_size_in_bytes)
        self._buffer_stream = buffer_stream
        self._append_stream = compression.wrap_for_output(buffer_stream, magic)

        if self.has_delete_horizon_ms():
            self._base_timestamp = delete_horizon_ms

    def buffer(self) -> ByteBuffer:
        """Return the current output buffer.

        :origin: common.record.MemoryRecordsBuilder#buffer()
        """
        return self._buffer_stream.buffer()

    def initial_capacity(self) -> int:
        """Return the capacity of the first buffer.

        :origin: common.record.MemoryRecordsBuilder#initialCapacity()
        """
        return self._buffer_stream.initial_capacity()

    def compression_ratio(self) -> float:
        """Return the ratio of compressed to uncompressed size of the built batch; 1 without compression.

        :origin: common.record.MemoryRecordsBuilder#compressionRatio()
        """
        return self._actual_compression_ratio

    def compression(self) -> Compression:
        """Return the codec.

        :origin: common.record.MemoryRecordsBuilder#compression()
        """
        return self._compression

    def is_control_batch(self) -> bool:
        """Return whether this is a control batch, which accepts only control records.

        :origin: common.record.MemoryRecordsBuilder#isControlBatch()
        """
        return self._is_control_batch

    def is_transactional(self) -> bool:
        """Return whether the batch is part of a transaction.

        :origin: common.record.MemoryRecordsBuilder#isTransactional()
        """
        return self._is_transactional

    def has_delete_horizon_ms(self) -> bool:
        """Return whether the batch has a delete horizon.

        :origin: common.record.MemoryRecordsBuilder#hasDeleteHorizonMs()
        """
        return self._magic >= _MAGIC_VALUE_V2 and self._delete_horizon_ms >= 0

    def build(self) -> MemoryRecords:
        """Close the builder and return the records. Raises IllegalStateException after ``abort``.

        :origin: common.record.MemoryRecordsBuilder#build()
        """
        if self._aborted:
            raise IllegalStateException("Attempting to build an aborted record batch")
        self.close()
        assert self._built_records is not None
        return self._built_records

    def info(self) -> RecordsInfo:
        """Return the latest timestamp, and the last offset of the first batch that has it.

        The result has the batch's last offset, not the offset of the record with the timestamp. A broker
        would have to read the records for that offset, which it does not do for all batches, and its time
        index must not depend on how a batch arrived. Returns -1 and -1 for magic 0 or without timestamps.
        With LOG_APPEND_TIME the timestamp is the append time. The builder has at least one record.

        :origin: common.record.MemoryRecordsBuilder#info()
        """
        one_batch = self._compression.type() is not CompressionType.NONE or self._magic >= _MAGIC_VALUE_V2
        if self._timestamp_type is TimestampType.LOG_APPEND_TIME:
            if one_batch:
                return self.RecordsInfo(self._log_append_time, self._the_last_offset())
            else:
                return self.RecordsInfo(self._log_append_time, self._base_offset)
        elif self._max_timestamp == _NO_TIMESTAMP:
            return self.RecordsInfo(_NO_TIMESTAMP, -1)
        else:
            if one_batch:
                return self.RecordsInfo(self._max_timestamp, self._the_last_offset())
            else:
                return self.RecordsInfo(self._max_timestamp, self._offset_of_max_timestamp)

    def num_records(self) -> int:
        """Return the number of records so far.

        :origin: common.record.MemoryRecordsBuilder#numRecords()
        """
        return self._num_records

    def uncompressed_bytes_written(self) -> int:
        """Return the size of header and records before compression, in bytes.

        :origin: common.record.MemoryRecordsBuilder#uncompressedBytesWritten()
        """
        return self._uncompressed_records_size_in_bytes + self._batch_header_size_in_bytes

    def set_producer_state(self, producer_id: int, producer_epoch: int, base_sequence: int,
                           is_transactional: bool) -> None:
        """Set the batch's producer. Raises IllegalStateException after the batch is built.

        A retried batch keeps its producer state, because a broker recognizes a duplicate by its sequence
        number.

        :origin: common.record.MemoryRecordsBuilder#setProducerState(long, short, int, boolean)
        """
        if self.is_closed():
            raise IllegalStateException("Trying to set producer state of an already closed batch. "
                                        "This indicates a bug on the client.")
        self._producer_id = producer_id
        self._producer_epoch = producer_epoch
        self._base_sequence = base_sequence
        self._is_transactional = is_transactional

    def override_last_offset(self, last_offset: int) -> None:
        """Set the last offset independent of the appended records.

        Raises IllegalStateException after ``build``.

        :origin: common.record.MemoryRecordsBuilder#overrideLastOffset(long)
        """
        if self._built_records is not None:
            raise IllegalStateException("Cannot override the last offset after the records have been built")
        self._last_offset = last_offset

    def close_for_record_appends(self) -> None:
        """Accept no more records, and release the codec. Raises KafkaException.

        :origin: common.record.MemoryRecordsBuilder#closeForRecordAppends()
        """
        if self._append_stream is not _CLOSED_STREAM:
            try:
                self._append_stream.close()
            except OSError as e:
                raise KafkaException(cause=e) from e
            finally:
                self._append_stream = _CLOSED_STREAM

    def abort(self) -> None:
        """Discard the batch, and set the buffer back to its initial position.

        :origin: common.record.MemoryRecordsBuilder#abort()
        """
        self.close_for_record_appends()
        self.buffer().set_position(self._initial_position)
        self._aborted = True

    def reopen_and_rewrite_producer_state(self, producer_id: int, producer_epoch: int, base_sequence: int,
                                          is_transactional: bool) -> None:
        """Set a new producer state of a built batch, so that the header is written again.

        :origin: common.record.MemoryRecordsBuilder#reopenAndRewriteProducerState(long, short, int, boolean)
        """
        if self._aborted:
            raise IllegalStateException("Should not reopen a batch which is already aborted.")
        self._built_records = None
        self._producer_id = producer_id
        self._producer_epoch = producer_epoch
        self._base_sequence = base_sequence
        self._is_transactional = is_transactional

    def close(self) -> None:
        """Write the header. A second call does nothing.

        Raises IllegalStateException after ``abort``, IllegalArgumentException for an inconsistent producer
        state.

        :origin: common.record.MemoryRecordsBuilder#close()
        """
        if self._aborted:
            raise IllegalStateException("Cannot close MemoryRecordsBuilder as it has already been aborted")

        if self._built_records is not None:
            return

        self._validate_producer_state()

        self.close_for_record_appends()

        if self._num_records == 0:
            self.buffer().set_position(self._initial_position)
            self._built_records = memory_records.MemoryRecords.EMPTY
        else:
            if self._magic > _MAGIC_VALUE_V1:
                self._actual_compression_ratio = (
                    self._write_default_batch_header() / self._uncompressed_records_size_in_bytes)
            elif self._compression.type() is not CompressionType.NONE:
                self._actual_compression_ratio = (
                    self._write_legacy_compressed_wrapper_header() / self._uncompressed_records_size_in_bytes)

            buffer = self.buffer().duplicate()
            buffer.flip()
            buffer.set_position(self._initial_position)
            self._built_records = memory_records.MemoryRecords.readable_records(buffer.slice())

    def __enter__(self) -> MemoryRecordsBuilder:
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 traceback: TracebackType | None) -> None:
        self.close()

    def _validate_producer_state(self) -> None:
        """Raises IllegalArgumentException for an inconsistent producer state.

        :origin: common.record.MemoryRecordsBuilder#validateProducerState()
        """
        if self._is_transactional and self._producer_id == RecordBatch.NO_PRODUCER_ID:
            raise IllegalArgumentException("Cannot write transactional messages without a valid producer ID")

        if self._producer_id != RecordBatch.NO_PRODUCER_ID:
            if self._producer_epoch == RecordBatch.NO_PRODUCER_EPOCH:
                raise IllegalArgumentException("Invalid negative producer epoch")

            if self._base_sequence < 0 and not self._is_control_batch:
                raise IllegalArgumentException("Invalid negative sequence number used")

            if self._magic < _MAGIC_VALUE_V2:
                raise IllegalArgumentException(
                    f"Idempotent messages are not supported for magic {self._magic}")

    def _write_default_batch_header(self) -> int:
        """Write the header of magic 2; return the compressed size of the records.

        :origin: common.record.MemoryRecordsBuilder#writeDefaultBatchHeader()
        """
        self._ensure_open_for_record_batch_write()
        buffer = self._buffer_stream.buffer()
        pos = buffer.position()
        buffer.set_position(self._initial_position)
        size = pos - self._initial_position
        written_compressed = size - DefaultRecordBatch.RECORD_BATCH_OVERHEAD
        offset_delta = self._the_last_offset() - self._base_offset

        if self._timestamp_type is TimestampType.LOG_APPEND_TIME:
            max_timestamp = self._log_append_time
        else:
            max_timestamp = self._max_timestamp

        base_timestamp = self._base_timestamp
        assert base_timestamp is not None
        DefaultRecordBatch.write_header(
            buffer, self._base_offset, offset_delta, size, self._magic, self._compression.type(),
            self._timestamp_type, base_timestamp, max_timestamp, self._producer_id, self._producer_epoch,
            self._base_sequence, self._is_transactional, self._is_control_batch, self.has_delete_horizon_ms(),
            self._partition_leader_epoch, self._num_records)

        buffer.set_position(pos)
        return written_compressed

    def _write_legacy_compressed_wrapper_header(self) -> int:
        """Write the header of a wrapper of magic 0 or 1; return the size of its value.

        :origin: common.record.MemoryRecordsBuilder#writeLegacyCompressedWrapperHeader()
        """
        self._ensure_open_for_record_batch_write()
        buffer = self._buffer_stream.buffer()
        pos = buffer.position()
        buffer.set_position(self._initial_position)

        wrapper_size = pos - self._initial_position - _LOG_OVERHEAD
        written_compressed = wrapper_size - LegacyRecord.record_overhead(self._magic)
        AbstractLegacyRecordBatch.write_header(buffer, self._the_last_offset(), wrapper_size)

        timestamp = (self._log_append_time if self._timestamp_type is TimestampType.LOG_APPEND_TIME
                     else self._max_timestamp)
        LegacyRecord.write_compressed_record_header(buffer, self._magic, wrapper_size, timestamp,
                                                    self._compression.type(), self._timestamp_type)

        buffer.set_position(pos)
        return written_compressed

    def _append_with_offset(self, offset: int, is_control_record: bool, timestamp: int,
                            key: ByteBuffer | BytesLike | None, value: ByteBuffer | BytesLike | None,
                            headers: Sequence[Header]) -> None:
        """Check the record and append it.

        :origin: common.record.MemoryRecordsBuilder#appendWithOffset(long, boolean, long, ByteBuffer, ByteBuffer, Header[])
        """  # noqa: E501
        try:
            if is_control_record is not self._is_control_batch:
                raise IllegalArgumentException("Control records can only be appended to control batches")

            if self._last_offset is not None and offset <= self._last_offset:
                raise IllegalArgumentException(f"Illegal offset {offset} following previous offset "
                                               f"{self._last_offset} (Offsets must increase monotonically).")

            if timestamp < 0 and timestamp != _NO_TIMESTAMP:
                raise IllegalArgumentException(f"Invalid negative timestamp {timestamp}")

            if self._magic < _MAGIC_VALUE_V2 and headers:
                raise IllegalArgumentException(f"Magic v{self._magic} does not support record headers")

            if self._base_timestamp is None:
                self._base_timestamp = timestamp

            if self._magic > _MAGIC_VALUE_V1:
                self._append_default_record(offset, timestamp, key, value, headers)
            else:
                self._append_legacy_record(offset, timestamp, key, value, self._magic)
        except OSError as e:
            raise KafkaException("I/O exception when writing to the append stream, closing", e) from e

    def append_with_offset(self, offset: int, timestamp: int, key: ByteBuffer | BytesLike | None,
                           value: ByteBuffer | BytesLike | None,
                           headers: Sequence[Header] = Record.EMPTY_HEADERS) -> None:
        """Append a record at an offset greater than the last.

        Raises IllegalArgumentException, IllegalStateException after the builder is closed for appends, or
        KafkaException. All append methods raise these.

        :origin: common.record.MemoryRecordsBuilder#appendWithOffset(long, long, byte[], byte[], Header[])
        :origin: common.record.MemoryRecordsBuilder#appendWithOffset(long, long, ByteBuffer, ByteBuffer, Header[])
        :origin: common.record.MemoryRecordsBuilder#appendWithOffset(long, long, byte[], byte[])
        :origin: common.record.MemoryRecordsBuilder#appendWithOffset(long, long, ByteBuffer, ByteBuffer)
        """  # noqa: E501
        self._append_with_offset(offset, False, timestamp, key, value, headers)

    def append_with_offset_simple_record(self, offset: int, record: SimpleRecord) -> None:
        """Append ``record`` at an offset greater than the last.

        :origin: common.record.MemoryRecordsBuilder#appendWithOffset(long, SimpleRecord)
        """
        self.append_with_offset(offset, record.timestamp(), record.key(), record.value(), record.headers())

    def append_control_record_with_offset(self, offset: int, record: SimpleRecord) -> None:
        """Append a control record of a known type at an offset greater than the last.

        :origin: common.record.MemoryRecordsBuilder#appendControlRecordWithOffset(long, SimpleRecord)
        """
        key = record.key()
        if key is None:
            raise TypeError("a control record must have a key")
        type_id = ControlRecordType.parse_type_id(key)
        type_ = ControlRecordType.from_type_id(type_id)
        if type_ is ControlRecordType.UNKNOWN:
            raise IllegalArgumentException(f"Cannot append record with unknown control record type {type_id}")

        self._append_with_offset(offset, True, record.timestamp(), key, record.value(), record.headers())

    def append(self, timestamp: int, key: ByteBuffer | BytesLike | None, value: ByteBuffer | BytesLike | None,
               headers: Sequence[Header] = Record.EMPTY_HEADERS) -> None:
        """Append a record at the next offset.

        :origin: common.record.MemoryRecordsBuilder#append(long, ByteBuffer, ByteBuffer)
        :origin: common.record.MemoryRecordsBuilder#append(long, ByteBuffer, ByteBuffer, Header[])
        :origin: common.record.MemoryRecordsBuilder#append(long, byte[], byte[])
        :origin: common.record.MemoryRecordsBuilder#append(long, byte[], byte[], Header[])
        """
        self._append_with_offset(self._next_sequential_offset(), False, timestamp, key, value, headers)

    def try_append(self, timestamp: int, key: BytesLike | None, value: BytesLike | None,
                   headers: Sequence[Header]) -> bool:
        """Append a record at the next offset if there is room for it; return whether there was.

        Equals ``has_room_for`` followed by ``append``, but encodes the record once.
        """
        if self._magic < _MAGIC_VALUE_V2 or not self._num_records or timestamp < 0 or self._is_control_batch:
            if not self.has_room_for(timestamp, key, value, headers):
                return False
            self.append(timestamp, key, value, headers)
            return True
        if self._append_stream is _CLOSED_STREAM or self._write_limit <= self._estimated_bytes:
            return False
        base_timestamp, last_offset = self._base_timestamp, self._last_offset
        assert base_timestamp is not None and last_offset is not None
        offset = last_offset + 1
        record = DefaultRecord.encoded(offset - self._base_offset, timestamp - base_timestamp, key, value,
                                       headers)
        if self._estimated_bytes + len(record) > self._write_limit:
            return False
        num_records = self._num_records
        size_in_bytes = 0
        try:
            self._append_stream.write(record)
            size_in_bytes = len(record)
            self._record_written(offset, timestamp, size_in_bytes)
            return True
        except BaseException as e:
            # DEVIATION D323: as in _append_default_record.
            if self._num_records == num_records:
                self._count_or_drop(offset, timestamp, size_in_bytes)
            if isinstance(e, OSError):
                raise KafkaException("I/O exception when writing to the append stream, closing", e) from e
            raise

    def append_all(self, records: Sequence[KeyAndValue], start: int, end: int, stop_at: int) -> int:
        """Append the records ``start`` to ``end`` while there is room; return their number.

        This method is ours; the module append_all of the producer uses it. The batch already has a record,
        and no record has a negative timestamp. The last record appended is the first one with which the
        estimated size reaches ``stop_at`` bytes. The bytes equal those of ``has_room_for`` and ``append`` for
        each record. After an exception the batch has all or none of the records, except for the partial
        record in a codec of D323.
        """
        if self._magic < _MAGIC_VALUE_V2 or self._num_records == 0 or self.is_full():
            return 0
        base_timestamp, last_offset = self._base_timestamp, self._last_offset
        assert base_timestamp is not None and last_offset is not None
        encoded = DefaultRecord.encoded
        offset_delta = last_offset - self._base_offset
        max_timestamp, offset_of_max_timestamp = self._max_timestamp, self._offset_of_max_timestamp
        uncompressed = self._is_uncompressed
        header_size, size = self._batch_header_size_in_bytes, self._uncompressed_records_size_in_bytes
        estimated_size = self._estimated_bytes
        write_limit = self._write_limit
        stop_at = min(stop_at, write_limit)
        pieces: list[bytes] = []
        for timestamp, key, value, headers in records[start:end]:
            piece = encoded(offset_delta + 1, timestamp - base_timestamp, key, value, headers)
            if estimated_size + len(piece) > write_limit:
                break
            pieces.append(piece)
            offset_delta += 1
            size += len(piece)
            if timestamp > max_timestamp:
                max_timestamp, offset_of_max_timestamp = timestamp, self._base_offset + offset_delta
            estimated_size = header_size + size if uncompressed else self._estimated_bytes_of(size)
            if estimated_size >= stop_at:
                break
        if not pieces:
            return 0

        count = len(pieces)
        num_records, last_offset = self._num_records + count, self._base_offset + offset_delta
        try:
            try:
                self._append_stream.write(b"".join(pieces))
                # No call between these assignments, so a signal handler runs before all of them or after.
                self._num_records = num_records
                self._uncompressed_records_size_in_bytes = size
                self._estimated_bytes = estimated_size
                self._last_offset = last_offset
                self._max_timestamp = max_timestamp
                self._offset_of_max_timestamp = offset_of_max_timestamp
            except BaseException:
                # DEVIATION D323: as in _append_default_record.
                if self._num_records != num_records:
                    self._count_or_drop(last_offset, max_timestamp, 0)
                raise
        except OSError as e:
            raise KafkaException("I/O exception when writing to the append stream, closing", e) from e
        return count

    def append_encoded(self, records: bytes, count: int, max_timestamp: int) -> None:
        """Append encoded records of magic 2 at the next offsets.

        This method is ours; a broker uses it for the records of a batch in another codec. The batch already
        has a record. ``max_timestamp`` is the latest time of the ``count`` records in milliseconds, or that
        of an earlier one. Raises KafkaException.
        """
        assert self._last_offset is not None, "the first record sets the base of the times"
        self._ensure_open_for_record_append()
        try:
            self._append_stream.write(records)
        except OSError as e:
            raise KafkaException("I/O exception when writing to the append stream, closing", e) from e
        self._num_records += count - 1
        self._record_written(self._last_offset + count, max_timestamp, len(records))

    def first_timestamp(self) -> int:
        """Return the time of the first record, the base of the others, in milliseconds."""
        assert self._base_timestamp is not None, "the batch has a record"
        return self._base_timestamp

    def bytes_written(self) -> int:
        """Return the size in bytes of what is written, without what a codec still holds."""
        return self._buffer_stream.position() - self._initial_position

    def append_simple_record(self, record: SimpleRecord) -> None:
        """Append ``record`` at the next offset.

        :origin: common.record.MemoryRecordsBuilder#append(SimpleRecord)
        """
        self.append_with_offset_simple_record(self._next_sequential_offset(), record)

    def append_control_record(self, timestamp: int, type_: ControlRecordType, value: ByteBuffer) -> None:
        """Append a control record of a known type at the next offset.

        :origin: common.record.MemoryRecordsBuilder#appendControlRecord(long, ControlRecordType, ByteBuffer)
        """
        self._append_with_offset(self._next_sequential_offset(), True, timestamp, type_.record_key(), value,
                                 Record.EMPTY_HEADERS)

    def append_end_txn_marker(self, timestamp: int, marker: EndTransactionMarker) -> None:
        """Append the end of a transaction.

        :origin: common.record.MemoryRecordsBuilder#appendEndTxnMarker(long, EndTransactionMarker)
        """
        if self._producer_id == RecordBatch.NO_PRODUCER_ID:
            raise IllegalArgumentException("End transaction marker requires a valid producerId")
        if not self._is_transactional:
            raise IllegalArgumentException("End transaction marker depends on batch transactional flag being "
                                           "enabled")
        value = marker.serialize_value()
        self.append_control_record(timestamp, marker.control_type(), value)

    def append_unchecked_with_offset(self, offset: int, record: LegacyRecord) -> None:
        """Append a message with any offset and magic. Only tests call this.

        :origin: common.record.MemoryRecordsBuilder#appendUncheckedWithOffset(long, LegacyRecord)
        """
        self._ensure_open_for_record_append()
        try:
            size = record.size_in_bytes()
            AbstractLegacyRecordBatch.write_header_out(self._append_stream, self._to_inner_offset(offset),
                                                       size)
            self._append_stream.write(record.buffer()._memory[:record.buffer().limit()])
            self._record_written(offset, record.timestamp(), size + _LOG_OVERHEAD)
        except OSError as e:
            raise KafkaException("I/O exception when writing to the append stream, closing", e) from e

    def append_unchecked_with_offset_simple_record(self, offset: int, record: SimpleRecord) -> None:
        """Append a record with any offset. Only tests call this.

        :origin: common.record.MemoryRecordsBuilder#appendUncheckedWithOffset(long, SimpleRecord)
        """
        if self._magic >= _MAGIC_VALUE_V2:
            offset_delta = offset - self._base_offset
            timestamp = record.timestamp()
            if self._base_timestamp is None:
                self._base_timestamp = timestamp

            size_in_bytes = DefaultRecord.write_to(self._append_stream, offset_delta,
                                                   timestamp - self._base_timestamp, record.key(),
                                                   record.value(), record.headers())
            self._record_written(offset, timestamp, size_in_bytes)
        else:
            key, value = record.key(), record.value()
            legacy_record = LegacyRecord.create(self._magic, record.timestamp(),
                                                None if key is None else key.view(),
                                                None if value is None else value.view())
            self.append_unchecked_with_offset(offset, legacy_record)

    def append_record(self, record: Record) -> None:
        """Append ``record`` at its own offset, which must be greater than the last.

        :origin: common.record.MemoryRecordsBuilder#append(Record)
        """
        self._append_with_offset(record.offset(), self._is_control_batch, record.timestamp(), record.key(),
                                 record.value(), record.headers())

    def append_with_offset_record(self, offset: int, record: Record) -> None:
        """Append ``record`` at ``offset``, which must be greater than the last.

        :origin: common.record.MemoryRecordsBuilder#appendWithOffset(long, Record)
        """
        self.append_with_offset(offset, record.timestamp(), record.key(), record.value(), record.headers())

    def append_with_offset_legacy_record(self, offset: int, record: LegacyRecord) -> None:
        """Append a message at an offset greater than the last.

        :origin: common.record.MemoryRecordsBuilder#appendWithOffset(long, LegacyRecord)
        """
        self.append_with_offset(offset, record.timestamp(), record.key(), record.value())

    def append_legacy_record(self, record: LegacyRecord) -> None:
        """Append a message at the next offset.

        :origin: common.record.MemoryRecordsBuilder#append(LegacyRecord)
        """
        self.append_with_offset_legacy_record(self._next_sequential_offset(), record)

    def _append_default_record(self, offset: int, timestamp: int, key: ByteBuffer | BytesLike | None,
                               value: ByteBuffer | BytesLike | None, headers: Sequence[Header]) -> None:
        """Append a record of magic 2.

        :origin: common.record.MemoryRecordsBuilder#appendDefaultRecord(long, long, ByteBuffer, ByteBuffer, Header[])
        """  # noqa: E501
        self._ensure_open_for_record_append()
        offset_delta = offset - self._base_offset
        base_timestamp = self._base_timestamp
        assert base_timestamp is not None
        timestamp_delta = timestamp - base_timestamp
        num_records = self._num_records
        size_in_bytes = 0
        try:
            size_in_bytes = DefaultRecord.write_to(self._append_stream, offset_delta, timestamp_delta, key,
                                                   value, headers)
            self._record_written(offset, timestamp, size_in_bytes)
        except BaseException:
            # DEVIATION D323: Ctrl-C can interrupt the write, or come between the two calls. The next record
            # overwrites a partial record. A partial record in a codec stays, and the broker refuses that
            # batch.
            if self._num_records == num_records:
                self._count_or_drop(offset, timestamp, size_in_bytes)
            raise

    def _count_or_drop(self, offset: int, timestamp: int, size_in_bytes: int) -> None:
        """Count a written record. With 0 bytes the write was partial: without a codec, drop the part."""
        if size_in_bytes:
            self._record_written(offset, timestamp, size_in_bytes)
        elif self._is_uncompressed:
            self._buffer_stream.set_position(self._initial_position + self._batch_header_size_in_bytes
                                             + self._uncompressed_records_size_in_bytes)

    def _append_legacy_record(self, offset: int, timestamp: int, key: ByteBuffer | BytesLike | None,
                              value: ByteBuffer | BytesLike | None, magic: int) -> int:
        """Append a record of magic 0 or 1; return its checksum.

        :origin: common.record.MemoryRecordsBuilder#appendLegacyRecord(long, long, ByteBuffer, ByteBuffer, byte)
        """  # noqa: E501
        self._ensure_open_for_record_append()

        size = LegacyRecord.record_size(magic, key, value)
        AbstractLegacyRecordBatch.write_header_out(self._append_stream, self._to_inner_offset(offset), size)

        if self._timestamp_type is TimestampType.LOG_APPEND_TIME:
            timestamp = self._log_append_time
        crc = LegacyRecord.write(self._append_stream, magic, timestamp, key, value, CompressionType.NONE,
                                 self._timestamp_type)
        self._record_written(offset, timestamp, size + _LOG_OVERHEAD)
        return crc

    def _to_inner_offset(self, offset: int) -> int:
        """Return the offset to write in a message: relative to the base offset in a wrapper of magic 1.

        :origin: common.record.MemoryRecordsBuilder#toInnerOffset(long)
        """
        if self._magic > 0 and self._compression.type() is not CompressionType.NONE:
            return offset - self._base_offset
        return offset

    def _record_written(self, offset: int, timestamp: int, size: int) -> None:
        """Count a record of ``size`` bytes.

        Raises IllegalArgumentException if the format cannot represent it.

        :origin: common.record.MemoryRecordsBuilder#recordWritten(long, long, int)
        """
        if self._num_records == _MAX_INT:
            raise IllegalArgumentException("Maximum number of records per batch exceeded, max records: "
                                           f"{_MAX_INT}")
        if offset - self._base_offset > _MAX_INT:
            raise IllegalArgumentException("Maximum offset delta exceeded, base offset: "
                                           f"{self._base_offset}, last offset: {offset}")

        uncompressed_size = self._uncompressed_records_size_in_bytes + size
        estimated_size = (self._estimated_bytes + size if self._is_uncompressed
                          else self._estimated_bytes_of(uncompressed_size))
        self._num_records += 1
        self._uncompressed_records_size_in_bytes = uncompressed_size
        self._estimated_bytes = estimated_size
        self._last_offset = offset

        if self._magic > _MAGIC_VALUE_V0 and timestamp > self._max_timestamp:
            self._max_timestamp = timestamp
            self._offset_of_max_timestamp = offset

    def _ensure_open_for_record_append(self) -> None:
        """Raises IllegalStateException if the builder is closed for appends.

        :origin: common.record.MemoryRecordsBuilder#ensureOpenForRecordAppend()
        """
        if self._append_stream is _CLOSED_STREAM:
            raise IllegalStateException("Tried to append a record, but MemoryRecordsBuilder is closed for "
                                        "record appends")

    def _ensure_open_for_record_batch_write(self) -> None:
        """Raises IllegalStateException if the batch is built or aborted.

        :origin: common.record.MemoryRecordsBuilder#ensureOpenForRecordBatchWrite()
        """
        if self.is_closed():
            raise IllegalStateException("Tried to write record batch header, but MemoryRecordsBuilder is "
                                        "closed")
        if self._aborted:
            raise IllegalStateException("Tried to write record batch header, but MemoryRecordsBuilder is "
                                        "aborted")

    def _estimated_bytes_written(self) -> int:
        """Return the current size of the batch in bytes, estimated with compression.

        :origin: common.record.MemoryRecordsBuilder#estimatedBytesWritten()
        """
        return self._estimated_bytes

    def _estimated_bytes_of(self, uncompressed_size: int) -> int:
        """Return the size of a batch with ``uncompressed_size`` bytes of records.

        Estimated with compression.
        """
        if self._is_uncompressed:
            return self._batch_header_size_in_bytes + uncompressed_size
        return self._batch_header_size_in_bytes + int(
            uncompressed_size * self._estimated_compression_ratio * _COMPRESSION_RATE_ESTIMATION_FACTOR)

    def set_estimated_compression_ratio(self, estimated_compression_ratio: float) -> None:
        """Set the estimated ratio of compressed to uncompressed size.

        :origin: common.record.MemoryRecordsBuilder#setEstimatedCompressionRatio(float)
        """
        self._estimated_compression_ratio = estimated_compression_ratio
        self._estimated_bytes = self._estimated_bytes_of(self._uncompressed_records_size_in_bytes)

    def has_room_for(self, timestamp: int, key: ByteBuffer | BytesLike | None,
                     value: ByteBuffer | BytesLike | None, headers: Sequence[Header]) -> bool:
        """Return whether a record fits within the limit. The first record always fits.

        The record counts with its uncompressed size, the previous records with their estimated compressed
        size. The estimate may be too low, so the buffer may still have to grow.

        :origin: common.record.MemoryRecordsBuilder#hasRoomFor(long, byte[], byte[], Header[])
        :origin: common.record.MemoryRecordsBuilder#hasRoomFor(long, ByteBuffer, ByteBuffer, Header[])
        """
        if self.is_full():
            return False

        if self._num_records == 0:
            return True

        if self._magic < _MAGIC_VALUE_V2:
            record_size = _LOG_OVERHEAD + LegacyRecord.record_size(self._magic, key, value)
        else:
            next_offset_delta = 0 if self._last_offset is None else self._last_offset - self._base_offset + 1
            timestamp_delta = 0 if self._base_timestamp is None else timestamp - self._base_timestamp
            record_size = DefaultRecord.size_in_bytes_of(next_offset_delta, timestamp_delta, key, value,
                                                         headers)

        return self._write_limit >= self._estimated_bytes_written() + record_size

    def has_room_for_size(self, estimated_records_size: int) -> bool:
        """Return whether ``estimated_record_size`` bytes fit within the limit.

        :origin: common.record.MemoryRecordsBuilder#hasRoomFor(int)
        """
        if self.is_full():
            return False
        return self._write_limit >= self._estimated_bytes_written() + estimated_records_size

    def max_allowed_bytes(self) -> int:
        """Return the maximum size of the records within the limit, in bytes.

        :origin: common.record.MemoryRecordsBuilder#maxAllowedBytes()
        """
        return self._write_limit - self._batch_header_size_in_bytes

    def is_closed(self) -> bool:
        """Return whether the batch is built.

        :origin: common.record.MemoryRecordsBuilder#isClosed()
        """
        return self._built_records is not None

    def is_full(self) -> bool:
        """Return whether the batch is full. It accepts one record even with a lower limit.

        :origin: common.record.MemoryRecordsBuilder#isFull()
        """
        return self._append_stream is _CLOSED_STREAM or (
            self._num_records > 0 and self._write_limit <= self._estimated_bytes)

    def estimated_size_in_bytes(self) -> int:
        """Return the size in bytes, estimated for a compressed batch until it is built.

        :origin: common.record.MemoryRecordsBuilder#estimatedSizeInBytes()
        """
        return (self._built_records.size_in_bytes() if self._built_records is not None
                else self._estimated_bytes)

    def magic(self) -> int:
        """Return the version of the format.

        :origin: common.record.MemoryRecordsBuilder#magic()
        """
        return self._magic

    def _next_sequential_offset(self) -> int:
        """Return the offset after the last.

        :origin: common.record.MemoryRecordsBuilder#nextSequentialOffset()
        """
        return self._base_offset if self._last_offset is None else self._last_offset + 1

    def _the_last_offset(self) -> int:
        if self._last_offset is None:
            raise TypeError("the batch has no records")
        return self._last_offset

    class RecordsInfo:
        """A timestamp and an offset.

        :origin: common.record.MemoryRecordsBuilder.RecordsInfo
        """

        __slots__ = ("_max_timestamp", "_shallow_offset_of_max_timestamp")

        def __init__(self, max_timestamp: int, shallow_offset_of_max_timestamp: int) -> None:
            """:origin: common.record.MemoryRecordsBuilder.RecordsInfo#RecordsInfo(long, long)"""
            self._max_timestamp = max_timestamp
            self._shallow_offset_of_max_timestamp = shallow_offset_of_max_timestamp

    def producer_id(self) -> int:
        """Return the producer's id.

        :origin: common.record.MemoryRecordsBuilder#producerId()
        """
        return self._producer_id

    def producer_epoch(self) -> int:
        """Return the producer's epoch.

        :origin: common.record.MemoryRecordsBuilder#producerEpoch()
        """
        return self._producer_epoch

    def base_sequence(self) -> int:
        """Return the sequence number of the first record.

        :origin: common.record.MemoryRecordsBuilder#baseSequence()
        """
        return self._base_sequence
