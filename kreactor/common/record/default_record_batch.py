# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.DefaultRecordBatch of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A batch of magic 2: one header, then the records, compressed together or not compressed.

======  =====  ==========================================================================================
offset  bytes  field
======  =====  ==========================================================================================
0       8      base offset
8       4      length of what follows it
12      4      partition leader epoch
16      1      magic
17      4      CRC-32C of all that follows it
21      2      attributes: codec (bits 0-2), timestamp type (3), transactional (4), control (5), delete
               horizon (6)
23      4      last offset delta, which is the last sequence number's too
27      8      base timestamp; the delete horizon if that bit is set
35      8      max timestamp
43      8      producer id
51      2      producer epoch
53      4      base sequence
57      4      number of records
======  =====  ==========================================================================================

A broker sets offset and leader epoch without a new checksum, because the checksum does not cover them.
Compaction keeps a batch's offsets and sequence numbers, even if no record is left. The broker derives a
producer's next sequence number from them.

DEVIATION D51: the constructor reads the header once with one unpack; in Java every accessor reads the buffer.
The unpack of all 13 fields takes 0.36 us, and an accessor takes 0.1 instead of 0.25 us. A setter writes to
the buffer and to the object. A batch does not see later writes to its buffer by other code. Every iteration
over MemoryRecords creates new batches.
"""

from __future__ import annotations

import struct
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from kreactor.common.compress.compression import Compression
from kreactor.common.errors import CorruptRecordException
from kreactor.common.invalid_record_exception import InvalidRecordException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.record.abstract_record_batch import AbstractRecordBatch
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.default_record import DefaultRecord
from kreactor.common.record.file_channel_record_batch import FileChannelRecordBatch
from kreactor.common.record.mutable_record_batch import MutableRecordBatch
from kreactor.common.record.record import Record
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.records import Records
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.byte_utils import ByteUtils
from kreactor.common.utils.closeable_iterator import CloseableIterator
from kreactor.common.utils.crc32c import Crc32C
from kreactor.jdk.exceptions import (
    BufferUnderflowException,
    IllegalArgumentException,
    NoSuchElementException,
)
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kreactor.common.header.header import Header
    from kreactor.common.record.simple_record import SimpleRecord
    from kreactor.common.utils.byte_buffer_output_stream import ByteBufferOutputStream
    from kreactor.jdk.io_streams import InputStream

_MAX_INT = 2**31 - 1
_LOG_OVERHEAD = Records.LOG_OVERHEAD
_NO_TIMESTAMP = RecordBatch.NO_TIMESTAMP
_NO_SEQUENCE = RecordBatch.NO_SEQUENCE

_COMPRESSION_CODEC_MASK = 0x07
_TRANSACTIONAL_FLAG_MASK = 0x10
_CONTROL_FLAG_MASK = 0x20
_DELETE_HORIZON_FLAG_MASK = 0x40
_TIMESTAMP_TYPE_MASK = 0x08

_HEADER = struct.Struct(">qiibIhiqqqhii")
# The offset and format of each field, to read single fields of a truncated header.
_FIELDS = {
    "_base_offset": (0, ">q"), "_length": (8, ">i"), "_partition_leader_epoch": (12, ">i"),
    "_magic": (16, ">b"), "_crc": (17, ">I"), "_attributes": (21, ">h"), "_last_offset_delta": (23, ">i"),
    "_base_timestamp": (27, ">q"), "_max_timestamp": (35, ">q"), "_producer_id": (43, ">q"),
    "_producer_epoch": (51, ">h"), "_base_sequence": (53, ">i"), "_count": (57, ">i"),
}


class DefaultRecordBatch(AbstractRecordBatch, MutableRecordBatch):
    """A batch in a buffer, from index 0 to the limit.

    While one thread changes the batch, no other uses it. An accessor raises IndexError if the buffer ends
    before the field.

    :origin: common.record.DefaultRecordBatch
    """

    __slots__ = ("_buffer", "_base_offset", "_length", "_partition_leader_epoch", "_magic", "_crc",
                 "_attributes", "_last_offset_delta", "_base_timestamp", "_max_timestamp", "_producer_id",
                 "_producer_epoch", "_base_sequence", "_count")

    _base_offset: int
    _length: int
    _partition_leader_epoch: int
    _magic: int
    _crc: int
    _attributes: int
    _last_offset_delta: int
    _base_timestamp: int
    _max_timestamp: int
    _producer_id: int
    _producer_epoch: int
    _base_sequence: int
    _count: int

    BASE_OFFSET_OFFSET = 0
    BASE_OFFSET_LENGTH = 8
    LENGTH_OFFSET = BASE_OFFSET_OFFSET + BASE_OFFSET_LENGTH
    LENGTH_LENGTH = 4
    PARTITION_LEADER_EPOCH_OFFSET = LENGTH_OFFSET + LENGTH_LENGTH
    PARTITION_LEADER_EPOCH_LENGTH = 4
    MAGIC_OFFSET = PARTITION_LEADER_EPOCH_OFFSET + PARTITION_LEADER_EPOCH_LENGTH
    MAGIC_LENGTH = 1
    CRC_OFFSET = MAGIC_OFFSET + MAGIC_LENGTH
    CRC_LENGTH = 4
    ATTRIBUTES_OFFSET = CRC_OFFSET + CRC_LENGTH
    ATTRIBUTE_LENGTH = 2
    LAST_OFFSET_DELTA_OFFSET = ATTRIBUTES_OFFSET + ATTRIBUTE_LENGTH
    LAST_OFFSET_DELTA_LENGTH = 4
    BASE_TIMESTAMP_OFFSET = LAST_OFFSET_DELTA_OFFSET + LAST_OFFSET_DELTA_LENGTH
    BASE_TIMESTAMP_LENGTH = 8
    MAX_TIMESTAMP_OFFSET = BASE_TIMESTAMP_OFFSET + BASE_TIMESTAMP_LENGTH
    MAX_TIMESTAMP_LENGTH = 8
    PRODUCER_ID_OFFSET = MAX_TIMESTAMP_OFFSET + MAX_TIMESTAMP_LENGTH
    PRODUCER_ID_LENGTH = 8
    PRODUCER_EPOCH_OFFSET = PRODUCER_ID_OFFSET + PRODUCER_ID_LENGTH
    PRODUCER_EPOCH_LENGTH = 2
    BASE_SEQUENCE_OFFSET = PRODUCER_EPOCH_OFFSET + PRODUCER_EPOCH_LENGTH
    BASE_SEQUENCE_LENGTH = 4
    RECORDS_COUNT_OFFSET = BASE_SEQUENCE_OFFSET + BASE_SEQUENCE_LENGTH
    RECORDS_COUNT_LENGTH = 4
    RECORDS_OFFSET = RECORDS_COUNT_OFFSET + RECORDS_COUNT_LENGTH
    RECORD_BATCH_OVERHEAD = RECORDS_OFFSET

    def __init__(self, buffer: ByteBuffer) -> None:
        """Read the header of the batch. The batch keeps ``buffer``.

        :origin: common.record.DefaultRecordBatch#DefaultRecordBatch(ByteBuffer)
        """
        self._buffer = buffer
        if buffer._limit >= 61:
            (self._base_offset, self._length, self._partition_leader_epoch, self._magic, self._crc,
             self._attributes, self._last_offset_delta, self._base_timestamp, self._max_timestamp,
             self._producer_id, self._producer_epoch, self._base_sequence,
             self._count) = _HEADER.unpack_from(buffer._memory)
        else:
            self.__class__ = _TruncatedRecordBatch

    def magic(self) -> int:
        """:origin: common.record.DefaultRecordBatch#magic()"""
        return self._magic

    def ensure_valid(self) -> None:
        """:origin: common.record.DefaultRecordBatch#ensureValid()"""
        if self.size_in_bytes() < self.RECORD_BATCH_OVERHEAD:
            raise CorruptRecordException(
                f"Record batch is corrupt (the size {self.size_in_bytes()} is smaller than the minimum "
                f"allowed overhead {self.RECORD_BATCH_OVERHEAD})")
        if not self.is_valid():
            raise CorruptRecordException(f"Record is corrupt (stored crc = {self.checksum()}, computed crc = "
                                         f"{self._compute_checksum()})")

    def base_timestamp(self) -> int:
        """Return the base of the records' timestamp deltas, in milliseconds.

        :origin: common.record.DefaultRecordBatch#baseTimestamp()
        """
        return self._base_timestamp

    def max_timestamp(self) -> int:
        """:origin: common.record.DefaultRecordBatch#maxTimestamp()"""
        return self._max_timestamp

    def timestamp_type(self) -> TimestampType:
        """:origin: common.record.DefaultRecordBatch#timestampType()"""
        return (TimestampType.LOG_APPEND_TIME if self._attributes & _TIMESTAMP_TYPE_MASK
                else TimestampType.CREATE_TIME)

    def base_offset(self) -> int:
        """:origin: common.record.DefaultRecordBatch#baseOffset()"""
        return self._base_offset

    def last_offset(self) -> int:
        """:origin: common.record.DefaultRecordBatch#lastOffset()"""
        return self._base_offset + self._last_offset_delta

    def producer_id(self) -> int:
        """:origin: common.record.DefaultRecordBatch#producerId()"""
        return self._producer_id

    def producer_epoch(self) -> int:
        """:origin: common.record.DefaultRecordBatch#producerEpoch()"""
        return self._producer_epoch

    def base_sequence(self) -> int:
        """:origin: common.record.DefaultRecordBatch#baseSequence()"""
        return self._base_sequence

    def last_offset_delta(self) -> int:
        """Return the last offset minus the base offset.

        :origin: common.record.DefaultRecordBatch#lastOffsetDelta()
        """
        return self._last_offset_delta

    def last_sequence(self) -> int:
        """:origin: common.record.DefaultRecordBatch#lastSequence()"""
        base_sequence = self._base_sequence
        if base_sequence == _NO_SEQUENCE:
            return _NO_SEQUENCE
        return self.increment_sequence(base_sequence, self._last_offset_delta)

    def compression_type(self) -> CompressionType:
        """:origin: common.record.DefaultRecordBatch#compressionType()"""
        return CompressionType.for_id(self._attributes & _COMPRESSION_CODEC_MASK)

    def size_in_bytes(self) -> int:
        """:origin: common.record.DefaultRecordBatch#sizeInBytes()"""
        return _LOG_OVERHEAD + self._length

    def count(self) -> int:
        """Return the number of records.

        :origin: common.record.DefaultRecordBatch#count()
        """
        return self._count

    def count_or_null(self) -> int | None:
        """:origin: common.record.DefaultRecordBatch#countOrNull()"""
        return self._count

    def write_to(self, buffer: ByteBuffer) -> None:
        """:origin: common.record.DefaultRecordBatch#writeTo(ByteBuffer)"""
        buffer.put(self._buffer.view())

    def write_to_output_stream(self, output_stream: ByteBufferOutputStream) -> None:
        """:origin: common.record.DefaultRecordBatch#writeTo(ByteBufferOutputStream)"""
        output_stream.write(self._buffer.view())

    def is_transactional(self) -> bool:
        """:origin: common.record.DefaultRecordBatch#isTransactional()"""
        return self._attributes & _TRANSACTIONAL_FLAG_MASK != 0

    def _has_delete_horizon_ms(self) -> bool:
        """:origin: common.record.DefaultRecordBatch#hasDeleteHorizonMs()"""
        return self._attributes & _DELETE_HORIZON_FLAG_MASK != 0

    def delete_horizon_ms(self) -> int | None:
        """:origin: common.record.DefaultRecordBatch#deleteHorizonMs()"""
        if self._has_delete_horizon_ms():
            return self._base_timestamp
        else:
            return None

    def is_control_batch(self) -> bool:
        """:origin: common.record.DefaultRecordBatch#isControlBatch()"""
        return self._attributes & _CONTROL_FLAG_MASK != 0

    def partition_leader_epoch(self) -> int:
        """:origin: common.record.DefaultRecordBatch#partitionLeaderEpoch()"""
        return self._partition_leader_epoch

    def record_input_stream(self, buffer_supplier: BufferSupplier) -> InputStream:
        """Return a stream of the records' bytes, which decompresses on read. The caller closes the stream.

        :origin: common.record.DefaultRecordBatch#recordInputStream(BufferSupplier)
        """
        buffer = self._buffer.duplicate()
        buffer.set_position(self.RECORDS_OFFSET)
        compression = Compression.of(self.compression_type()).build()
        return compression.wrap_for_input(buffer, self.magic(), buffer_supplier)

    def _compressed_iterator(self, buffer_supplier: BufferSupplier, skip_key_value: bool
                             ) -> CloseableIterator[Record]:
        """:origin: common.record.DefaultRecordBatch#compressedIterator(BufferSupplier, boolean)"""
        return self.iterator_of(self.record_input_stream(buffer_supplier), skip_key_value)

    def iterator_of(self, input_stream: InputStream, skip_key_value: bool) -> StreamRecordIterator:
        """Return an iterator over the records in ``input_stream``, which it closes.

        With ``skip_key_value`` the records have no keys, values and headers.
        """
        if skip_key_value:
            return DefaultRecordBatch._PartialStreamRecordIterator(self, input_stream)
        else:
            return DefaultRecordBatch._FullStreamRecordIterator(self, input_stream)

    def _uncompressed_iterator(self) -> CloseableIterator[Record]:
        """:origin: common.record.DefaultRecordBatch#uncompressedIterator()"""
        buffer = self._buffer.duplicate()
        buffer.set_position(self.RECORDS_OFFSET)
        return DefaultRecordBatch._BufferRecordIterator(self, buffer)

    def __iter__(self) -> Iterator[Record]:
        """Decompress all records now, because a plain loop does not close its iterator.

        :origin: common.record.DefaultRecordBatch#iterator()
        """
        if self._count == 0:
            return iter(())

        if not self.is_compressed():
            return self._uncompressed_iterator()

        with self._compressed_iterator(BufferSupplier.NO_CACHING, False) as iterator:
            return iter(list(iterator))

    def skip_key_value_iterator(self, buffer_supplier: BufferSupplier) -> CloseableIterator[Record]:
        """:origin: common.record.DefaultRecordBatch#skipKeyValueIterator(BufferSupplier)"""
        if self._count == 0:
            return CloseableIterator.wrap(iter(()))

        # Skipping keys and values saves a copy of decompressed data. Uncompressed records have no copy.
        if not self.is_compressed():
            return self._uncompressed_iterator()

        return self._compressed_iterator(buffer_supplier, True)

    def streaming_iterator(self, decompression_buffer_supplier: BufferSupplier) -> CloseableIterator[Record]:
        """:origin: common.record.DefaultRecordBatch#streamingIterator(BufferSupplier)"""
        if self.is_compressed():
            return self._compressed_iterator(decompression_buffer_supplier, False)
        else:
            return self._uncompressed_iterator()

    def set_last_offset(self, offset: int) -> None:
        """:origin: common.record.DefaultRecordBatch#setLastOffset(long)"""
        base_offset = offset - self._last_offset_delta
        self._buffer.put_long_at(self.BASE_OFFSET_OFFSET, base_offset)
        self._base_offset = base_offset

    def set_max_timestamp(self, timestamp_type: TimestampType, max_timestamp: int) -> None:
        """:origin: common.record.DefaultRecordBatch#setMaxTimestamp(TimestampType, long)"""
        current_max_timestamp = self._max_timestamp
        if self.timestamp_type() is timestamp_type and current_max_timestamp == max_timestamp:
            return

        attributes = self._compute_attributes(self.compression_type(), timestamp_type,
                                              self.is_transactional(), self.is_control_batch(),
                                              self._has_delete_horizon_ms())
        self._buffer.put_short_at(self.ATTRIBUTES_OFFSET, attributes)
        self._attributes = attributes
        self._buffer.put_long_at(self.MAX_TIMESTAMP_OFFSET, max_timestamp)
        self._max_timestamp = max_timestamp
        crc = self._compute_checksum()
        ByteUtils.write_unsigned_int_index(self._buffer, self.CRC_OFFSET, crc)
        self._crc = crc

    def set_partition_leader_epoch(self, epoch: int) -> None:
        """:origin: common.record.DefaultRecordBatch#setPartitionLeaderEpoch(int)"""
        self._buffer.put_int_at(self.PARTITION_LEADER_EPOCH_OFFSET, epoch)
        self._partition_leader_epoch = epoch

    def checksum(self) -> int:
        """:origin: common.record.DefaultRecordBatch#checksum()"""
        return self._crc

    def is_valid(self) -> bool:
        """:origin: common.record.DefaultRecordBatch#isValid()"""
        return (self.size_in_bytes() >= self.RECORD_BATCH_OVERHEAD
                and self.checksum() == self._compute_checksum())

    def _compute_checksum(self) -> int:
        """Compute the checksum of the buffer from the attributes to the limit.

        :origin: common.record.DefaultRecordBatch#computeChecksum()
        """
        return Crc32C.compute(self._buffer, self.ATTRIBUTES_OFFSET,
                              self._buffer.limit() - self.ATTRIBUTES_OFFSET)

    def attributes(self) -> int:
        """Return the used byte of the attributes as a signed byte.

        :origin: common.record.DefaultRecordBatch#attributes()
        """
        return ((self._attributes & 0xFF) ^ 0x80) - 0x80

    def __eq__(self, other: object) -> bool:
        """:origin: common.record.DefaultRecordBatch#equals(Object)"""
        if self is other:
            return True
        if not isinstance(other, DefaultRecordBatch) or type(self) is not type(other):
            return False
        return self._buffer.view() == other._buffer.view()

    def __hash__(self) -> int:
        """:origin: common.record.DefaultRecordBatch#hashCode()"""
        return hash(self._buffer.to_bytes())

    @staticmethod
    def _compute_attributes(type_: CompressionType, timestamp_type: TimestampType, is_transactional: bool,
                            is_control: bool, is_delete_horizon_set: bool) -> int:
        """Return the attributes of a batch. Raises IllegalArgumentException.

        :origin: common.record.DefaultRecordBatch#computeAttributes(CompressionType, TimestampType, boolean, boolean, boolean)
        """  # noqa: E501
        if timestamp_type is TimestampType.NO_TIMESTAMP_TYPE:
            raise IllegalArgumentException("Timestamp type must be provided to compute attributes for "
                                           "message format v2 and above")

        attributes = _TRANSACTIONAL_FLAG_MASK if is_transactional else 0
        if is_control:
            attributes |= _CONTROL_FLAG_MASK
        if type_._id > 0:
            attributes |= _COMPRESSION_CODEC_MASK & type_._id
        if timestamp_type is TimestampType.LOG_APPEND_TIME:
            attributes |= _TIMESTAMP_TYPE_MASK
        if is_delete_horizon_set:
            attributes |= _DELETE_HORIZON_FLAG_MASK
        return attributes

    @staticmethod
    def write_empty_header(buffer: ByteBuffer, magic: int, producer_id: int, producer_epoch: int,
                           base_sequence: int, base_offset: int, last_offset: int,
                           partition_leader_epoch: int, timestamp_type: TimestampType, timestamp: int,
                           is_transactional: bool, is_control_record: bool) -> None:
        """Write a batch without records.

        :origin: common.record.DefaultRecordBatch#writeEmptyHeader(ByteBuffer, byte, long, short, int, long, long, int, TimestampType, long, boolean, boolean)
        """  # noqa: E501
        offset_delta = last_offset - base_offset
        DefaultRecordBatch.write_header(
            buffer, base_offset, offset_delta, DefaultRecordBatch.RECORD_BATCH_OVERHEAD, magic,
            CompressionType.NONE, timestamp_type, _NO_TIMESTAMP, timestamp, producer_id, producer_epoch,
            base_sequence, is_transactional, is_control_record, False, partition_leader_epoch, 0)

    @staticmethod
    def write_header(buffer: ByteBuffer, base_offset: int, last_offset_delta: int, size_in_bytes: int,
                     magic: int, compression_type: CompressionType, timestamp_type: TimestampType,
                     base_timestamp: int, max_timestamp: int, producer_id: int, epoch: int, sequence: int,
                     is_transactional: bool, is_control_batch: bool, is_delete_horizon_set: bool,
                     partition_leader_epoch: int, num_records: int) -> None:
        """Write the header before records that are already in the buffer, and move the position past it.

        ``size_in_bytes`` is the size of the whole batch. Raises IllegalArgumentException, or IndexError if
        the buffer is too short.

        :origin: common.record.DefaultRecordBatch#writeHeader(ByteBuffer, long, int, int, byte, CompressionType, TimestampType, long, long, long, short, int, boolean, boolean, boolean, int, int)
        """  # noqa: E501
        if magic < RecordBatch.CURRENT_MAGIC_VALUE:
            raise IllegalArgumentException(f"Invalid magic value {magic}")
        if base_timestamp < 0 and base_timestamp != _NO_TIMESTAMP:
            raise IllegalArgumentException(f"Invalid message timestamp {base_timestamp}")

        attributes = DefaultRecordBatch._compute_attributes(compression_type, timestamp_type,
                                                            is_transactional, is_control_batch,
                                                            is_delete_horizon_set)

        position = buffer.position()
        if position + DefaultRecordBatch.RECORD_BATCH_OVERHEAD > buffer.limit():
            raise IndexError(f"a header at {position} reaches past {buffer.limit()}")
        _HEADER.pack_into(buffer._memory, position, base_offset, size_in_bytes - _LOG_OVERHEAD,
                          partition_leader_epoch, magic, 0, attributes, last_offset_delta, base_timestamp,
                          max_timestamp, producer_id, epoch, sequence, num_records)
        crc = Crc32C.compute(buffer, DefaultRecordBatch.ATTRIBUTES_OFFSET,
                             size_in_bytes - DefaultRecordBatch.ATTRIBUTES_OFFSET)
        ByteUtils.write_unsigned_int_index(buffer, position + DefaultRecordBatch.CRC_OFFSET, crc)
        buffer.set_position(position + DefaultRecordBatch.RECORD_BATCH_OVERHEAD)

    def __str__(self) -> str:
        """:origin: common.record.DefaultRecordBatch#toString()"""
        return (f"RecordBatch(magic={self.magic()}, offsets=[{self.base_offset()}, {self.last_offset()}], "
                f"sequence=[{self.base_sequence()}, {self.last_sequence()}], "
                f"isTransactional={'true' if self.is_transactional() else 'false'}, "
                f"isControlBatch={'true' if self.is_control_batch() else 'false'}, "
                f"compression={self.compression_type()}, timestampType={self.timestamp_type()}, "
                f"crc={self.checksum()})")

    __repr__ = __str__

    @staticmethod
    def size_in_bytes_from(base_offset: int, records: Iterable[Record]) -> int:
        """Return the uncompressed size of a batch of ``records`` with ``base_offset``, 0 without records.

        :origin: common.record.DefaultRecordBatch#sizeInBytes(long, Iterable<Record>)
        """
        size = 0
        base_timestamp = None
        for record in records:
            offset_delta = record.offset() - base_offset
            if base_timestamp is None:
                size = DefaultRecordBatch.RECORD_BATCH_OVERHEAD
                base_timestamp = record.timestamp()
            timestamp_delta = record.timestamp() - base_timestamp
            size += DefaultRecord.size_in_bytes_of(offset_delta, timestamp_delta, record.key(),
                                                   record.value(), record.headers())
        return size

    @staticmethod
    def size_in_bytes_of(records: Iterable[SimpleRecord]) -> int:
        """Return the uncompressed size of a batch of ``records``, 0 without records.

        :origin: common.record.DefaultRecordBatch#sizeInBytes(Iterable<SimpleRecord>)
        """
        size = 0
        base_timestamp = None
        for offset_delta, record in enumerate(records):
            if base_timestamp is None:
                size = DefaultRecordBatch.RECORD_BATCH_OVERHEAD
                base_timestamp = record.timestamp()
            timestamp_delta = record.timestamp() - base_timestamp
            size += DefaultRecord.size_in_bytes_of(offset_delta, timestamp_delta, record.key(),
                                                   record.value(), record.headers())
        return size

    @staticmethod
    def estimate_batch_size_upper_bound(key: ByteBuffer | BytesLike | None,
                                        value: ByteBuffer | BytesLike | None,
                                        headers: Sequence[Header]) -> int:
        """Return the maximum size of a batch with this one record, without a codec's overhead.

        :origin: common.record.DefaultRecordBatch#estimateBatchSizeUpperBound(ByteBuffer, ByteBuffer, Header[])
        """  # noqa: E501
        return (DefaultRecordBatch.RECORD_BATCH_OVERHEAD
                + DefaultRecord.record_size_upper_bound(key, value, headers))

    @staticmethod
    def increment_sequence(sequence: int, increment: int) -> int:
        """Return ``sequence`` plus ``increment``; 0 follows the largest int.

        :origin: common.record.DefaultRecordBatch#incrementSequence(int, int)
        """
        if sequence > _MAX_INT - increment:
            return increment - (_MAX_INT - sequence) - 1
        return sequence + increment

    @staticmethod
    def decrement_sequence(sequence: int, decrement: int) -> int:
        """Return ``sequence`` minus ``decrement``; the largest int precedes 0.

        :origin: common.record.DefaultRecordBatch#decrementSequence(int, int)
        """
        if sequence < decrement:
            return _MAX_INT - (decrement - sequence) + 1
        return sequence - decrement

    class RecordIterator(CloseableIterator[Record]):
        """Yields the number of records that the header states, and then requires the end of the batch.

        :origin: common.record.DefaultRecordBatch.RecordIterator
        """

        __slots__ = ("_log_append_time", "_base_offset", "_base_timestamp", "_base_sequence", "_num_records",
                     "_read_records")

        def __init__(self, batch: DefaultRecordBatch) -> None:
            """Raises InvalidRecordException for a negative number of records.

            :origin: common.record.DefaultRecordBatch.RecordIterator#RecordIterator()
            """
            self._log_append_time = (batch.max_timestamp()
                                     if batch.timestamp_type() is TimestampType.LOG_APPEND_TIME else None)
            self._base_offset = batch.base_offset()
            self._base_timestamp = batch.base_timestamp()
            self._base_sequence = batch.base_sequence()
            num_records = batch.count()
            if num_records < 0:
                raise InvalidRecordException(
                    f"Found invalid record count {num_records} in magic v{batch.magic()} batch")
            self._num_records = num_records
            self._read_records = 0

        def has_next(self) -> bool:
            """:origin: common.record.DefaultRecordBatch.RecordIterator#hasNext()"""
            return self._read_records < self._num_records

        def remaining(self) -> int:
            """Return the number of records that are still to be read."""
            return self._num_records - self._read_records

        def count_read(self, count: int) -> None:
            """Count records that the owner of the stream has taken from it. At least one must remain."""
            self._read_records += count

        def next(self) -> Record:
            """:origin: common.record.DefaultRecordBatch.RecordIterator#next()"""
            if self._read_records >= self._num_records:
                raise NoSuchElementException()
            return self.__next__()

        def __next__(self) -> Record:
            read_records = self._read_records
            if read_records >= self._num_records:
                raise StopIteration
            self._read_records = read_records = read_records + 1
            rec = self.read_next(self._base_offset, self._base_timestamp, self._base_sequence,
                                 self._log_append_time)
            # A batch with too few records has already raised at its end. This check finds too many.
            if read_records == self._num_records and not self.ensure_none_remaining():
                raise InvalidRecordException("Incorrect declared batch size, records still remaining in file")
            return rec

        @abstractmethod
        def read_next(self, base_offset: int, base_timestamp: int, base_sequence: int,
                      log_append_time: int | None) -> Record:
            """Return the next record. Raises InvalidRecordException or KafkaException.

            :origin: common.record.DefaultRecordBatch.RecordIterator#readNext(long, long, int, Long)
            """

        @abstractmethod
        def ensure_none_remaining(self) -> bool:
            """Return whether the batch ends here.

            :origin: common.record.DefaultRecordBatch.RecordIterator#ensureNoneRemaining()
            """

    class StreamRecordIterator(RecordIterator):
        """Reads from a decompressor.

        :origin: common.record.DefaultRecordBatch.StreamRecordIterator
        """

        __slots__ = ("_input_stream",)

        def __init__(self, batch: DefaultRecordBatch, input_stream: InputStream) -> None:
            """Own ``input_stream``.

            :origin: common.record.DefaultRecordBatch.StreamRecordIterator#StreamRecordIterator(InputStream)
            """
            super().__init__(batch)
            self._input_stream = input_stream

        @abstractmethod
        def do_read_record(self, base_offset: int, base_timestamp: int, base_sequence: int,
                           log_append_time: int | None) -> Record:
            """Return the next record. Raises InvalidRecordException, IllegalArgumentException or OSError.

            :origin: common.record.DefaultRecordBatch.StreamRecordIterator#doReadRecord(long, long, int, Long)
            """

        def read_next(self, base_offset: int, base_timestamp: int, base_sequence: int,
                      log_append_time: int | None) -> Record:
            """:origin: common.record.DefaultRecordBatch.StreamRecordIterator#readNext(long, long, int, Long)"""  # noqa: E501
            try:
                return self.do_read_record(base_offset, base_timestamp, base_sequence, log_append_time)
            except IllegalArgumentException as e:
                raise InvalidRecordException("Incorrect declared batch size, premature EOF reached", e) from e
            except OSError as e:
                raise KafkaException("Failed to decompress record stream", e) from e

        def ensure_none_remaining(self) -> bool:
            """:origin: common.record.DefaultRecordBatch.StreamRecordIterator#ensureNoneRemaining()"""
            try:
                return self._input_stream.read() == -1
            except OSError as e:
                raise KafkaException("Error checking for remaining bytes after reading batch", e) from e

        def close(self) -> None:
            """:origin: common.record.DefaultRecordBatch.StreamRecordIterator#close()"""
            try:
                self._input_stream.close()
            except OSError as e:
                raise KafkaException("Failed to close record stream", e) from e

    class _PartialStreamRecordIterator(StreamRecordIterator):
        """Reads records without keys, values and headers from a decompressor."""

        __slots__ = ()

        def do_read_record(self, base_offset: int, base_timestamp: int, base_sequence: int,
                           log_append_time: int | None) -> Record:
            return DefaultRecord.read_partially_from(self._input_stream, base_offset, base_timestamp,
                                                     base_sequence, log_append_time)

    class _FullStreamRecordIterator(StreamRecordIterator):
        """Reads complete records from a decompressor."""

        __slots__ = ()

        def do_read_record(self, base_offset: int, base_timestamp: int, base_sequence: int,
                           log_append_time: int | None) -> Record:
            return DefaultRecord.read_from_stream(self._input_stream, base_offset, base_timestamp,
                                                  base_sequence, log_append_time)

    class _BufferRecordIterator(RecordIterator):
        """Reads uncompressed records in place."""

        __slots__ = ("_buffer",)

        def __init__(self, batch: DefaultRecordBatch, buffer: ByteBuffer) -> None:
            super().__init__(batch)
            self._buffer = buffer

        def read_next(self, base_offset: int, base_timestamp: int, base_sequence: int,
                      log_append_time: int | None) -> Record:
            try:
                return DefaultRecord.read_from(self._buffer, base_offset, base_timestamp, base_sequence,
                                               log_append_time)
            except BufferUnderflowException:
                raise InvalidRecordException("Incorrect declared batch size, premature EOF reached") from None

        def ensure_none_remaining(self) -> bool:
            return not self._buffer.has_remaining()

        def close(self) -> None:
            pass

    class DefaultFileChannelRecordBatch(FileChannelRecordBatch):
        """A batch of magic 2 in a file.

        :origin: common.record.DefaultRecordBatch.DefaultFileChannelRecordBatch
        :origin: common.record.DefaultRecordBatch.DefaultFileChannelRecordBatch#DefaultFileChannelRecordBatch(long, byte, FileRecords, int, int)
        """  # noqa: E501

        __slots__ = ()

        def to_memory_record_batch(self, buffer: ByteBuffer) -> RecordBatch:
            """:origin: common.record.DefaultRecordBatch.DefaultFileChannelRecordBatch#toMemoryRecordBatch(ByteBuffer)"""  # noqa: E501
            return DefaultRecordBatch(buffer)

        def base_offset(self) -> int:
            """:origin: common.record.DefaultRecordBatch.DefaultFileChannelRecordBatch#baseOffset()"""
            return self._offset

        def last_offset(self) -> int:
            """:origin: common.record.DefaultRecordBatch.DefaultFileChannelRecordBatch#lastOffset()"""
            return self.load_batch_header().last_offset()

        def producer_id(self) -> int:
            """:origin: common.record.DefaultRecordBatch.DefaultFileChannelRecordBatch#producerId()"""
            return self.load_batch_header().producer_id()

        def producer_epoch(self) -> int:
            """:origin: common.record.DefaultRecordBatch.DefaultFileChannelRecordBatch#producerEpoch()"""
            return self.load_batch_header().producer_epoch()

        def base_sequence(self) -> int:
            """:origin: common.record.DefaultRecordBatch.DefaultFileChannelRecordBatch#baseSequence()"""
            return self.load_batch_header().base_sequence()

        def last_sequence(self) -> int:
            """:origin: common.record.DefaultRecordBatch.DefaultFileChannelRecordBatch#lastSequence()"""
            return self.load_batch_header().last_sequence()

        def count_or_null(self) -> int | None:
            """:origin: common.record.DefaultRecordBatch.DefaultFileChannelRecordBatch#countOrNull()"""
            return self.load_batch_header().count_or_null()

        def is_transactional(self) -> bool:
            """:origin: common.record.DefaultRecordBatch.DefaultFileChannelRecordBatch#isTransactional()"""
            return self.load_batch_header().is_transactional()

        def delete_horizon_ms(self) -> int | None:
            """:origin: common.record.DefaultRecordBatch.DefaultFileChannelRecordBatch#deleteHorizonMs()"""
            return self.load_batch_header().delete_horizon_ms()

        def is_control_batch(self) -> bool:
            """:origin: common.record.DefaultRecordBatch.DefaultFileChannelRecordBatch#isControlBatch()"""
            return self.load_batch_header().is_control_batch()

        def partition_leader_epoch(self) -> int:
            """:origin: common.record.DefaultRecordBatch.DefaultFileChannelRecordBatch#partitionLeaderEpoch()"""  # noqa: E501
            return self.load_batch_header().partition_leader_epoch()

        def header_size(self) -> int:
            """:origin: common.record.DefaultRecordBatch.DefaultFileChannelRecordBatch#headerSize()"""
            return DefaultRecordBatch.RECORD_BATCH_OVERHEAD


class _TruncatedRecordBatch(DefaultRecordBatch):
    """A batch whose header is truncated. An accessor reads its field from the buffer.

    A separate class, because Python takes longer for every attribute of a class with ``__getattr__``.
    """

    __slots__ = ()

    if not TYPE_CHECKING:
        def __getattr__(self, name: str) -> int:
            """Return a field. Raises IndexError for a missing one."""
            if name not in _FIELDS:
                raise AttributeError(f"'DefaultRecordBatch' object has no attribute '{name}'")
            offset, format_ = _FIELDS[name]
            buffer = self._buffer
            if offset + struct.calcsize(format_) > buffer._limit:
                raise IndexError(f"the batch ends at {buffer._limit}, before {name}")
            return struct.unpack_from(format_, buffer._memory, offset)[0]
