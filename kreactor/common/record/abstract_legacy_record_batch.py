# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.AbstractLegacyRecordBatch of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A batch of magic 0 or 1. It is one message: a record itself, or a compressed wrapper of records.

The fields of a wrapper in each format:

==============  ====================================  =================================================
field           magic 0                               magic 1
==============  ====================================  =================================================
offset          the last message's                    the last message's
inner offsets   log offsets                           counted from 0; aligning the last one with the
                                                      wrapper's offset gives the log offsets
timestamp       none                                  the latest of the messages', or the append time,
                                                      which replaces the messages' own timestamps
==============  ====================================  =================================================

Some producers send offset 0 in a wrapper of magic 1. The inner offsets then count as log offsets.
"""

from __future__ import annotations

import struct
from abc import abstractmethod
from collections import deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kreactor.common.compress.compression import Compression
from kreactor.common.errors import CorruptRecordException
from kreactor.common.invalid_record_exception import InvalidRecordException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.record.abstract_record_batch import AbstractRecordBatch
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.file_channel_record_batch import FileChannelRecordBatch
from kreactor.common.record.legacy_record import LegacyRecord
from kreactor.common.record.log_input_stream import LogInputStream
from kreactor.common.record.mutable_record_batch import MutableRecordBatch
from kreactor.common.record.record import Record
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.records import Records
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.utils.abstract_iterator import AbstractIterator
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.byte_utils import ByteUtils
from kreactor.common.utils.closeable_iterator import CloseableIterator
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import UnsupportedOperationException
from kreactor.jdk.io_streams import InputStream, OutputStream
from kreactor.jdk.nio_buffer import ByteBuffer

if TYPE_CHECKING:
    from kreactor.common.header.header import Header
    from kreactor.common.utils.byte_buffer_output_stream import ByteBufferOutputStream

_MAX_INT = 2**31 - 1
_LOG_OVERHEAD = Records.LOG_OVERHEAD
_OFFSET_OFFSET = Records.OFFSET_OFFSET

_OFFSET_AND_SIZE = struct.Struct(">qi")


class AbstractLegacyRecordBatch(AbstractRecordBatch, Record):
    """A batch and a record in one.

    :origin: common.record.AbstractLegacyRecordBatch
    """

    __slots__ = ()

    @abstractmethod
    def outer_record(self) -> LegacyRecord:
        """Return the message of this batch.

        :origin: common.record.AbstractLegacyRecordBatch#outerRecord()
        """

    def last_offset(self) -> int:
        """:origin: common.record.AbstractLegacyRecordBatch#lastOffset()"""
        return self.offset()

    def is_valid(self) -> bool:
        """:origin: common.record.AbstractLegacyRecordBatch#isValid()"""
        return self.outer_record().is_valid()

    def ensure_valid(self) -> None:
        """:origin: common.record.AbstractLegacyRecordBatch#ensureValid()"""
        self.outer_record().ensure_valid()

    def key_size(self) -> int:
        """:origin: common.record.AbstractLegacyRecordBatch#keySize()"""
        return self.outer_record().key_size()

    def has_key(self) -> bool:
        """:origin: common.record.AbstractLegacyRecordBatch#hasKey()"""
        return self.outer_record().has_key()

    def key(self) -> ByteBuffer | None:
        """:origin: common.record.AbstractLegacyRecordBatch#key()"""
        return self.outer_record().key()

    def value_size(self) -> int:
        """:origin: common.record.AbstractLegacyRecordBatch#valueSize()"""
        return self.outer_record().value_size()

    def has_value(self) -> bool:
        """:origin: common.record.AbstractLegacyRecordBatch#hasValue()"""
        return not self.outer_record().has_null_value()

    def value(self) -> ByteBuffer | None:
        """:origin: common.record.AbstractLegacyRecordBatch#value()"""
        return self.outer_record().value()

    def headers(self) -> Sequence[Header]:
        """:origin: common.record.AbstractLegacyRecordBatch#headers()"""
        return Record.EMPTY_HEADERS

    def has_magic(self, magic: int) -> bool:
        """:origin: common.record.AbstractLegacyRecordBatch#hasMagic(byte)"""
        return magic == self.outer_record().magic()

    def has_timestamp_type(self, timestamp_type: TimestampType) -> bool:
        """:origin: common.record.AbstractLegacyRecordBatch#hasTimestampType(TimestampType)"""
        return self.outer_record().timestamp_type() is timestamp_type

    def checksum(self) -> int:
        """:origin: common.record.AbstractLegacyRecordBatch#checksum()"""
        return self.outer_record().checksum()

    def max_timestamp(self) -> int:
        """:origin: common.record.AbstractLegacyRecordBatch#maxTimestamp()"""
        return self.timestamp()

    def timestamp(self) -> int:
        """:origin: common.record.AbstractLegacyRecordBatch#timestamp()"""
        return self.outer_record().timestamp()

    def timestamp_type(self) -> TimestampType:
        """:origin: common.record.AbstractLegacyRecordBatch#timestampType()"""
        return self.outer_record().timestamp_type()

    def base_offset(self) -> int:
        """:origin: common.record.AbstractLegacyRecordBatch#baseOffset()"""
        return next(iter(self)).offset()

    def magic(self) -> int:
        """:origin: common.record.AbstractLegacyRecordBatch#magic()"""
        return self.outer_record().magic()

    def compression_type(self) -> CompressionType:
        """:origin: common.record.AbstractLegacyRecordBatch#compressionType()"""
        return self.outer_record().compression_type()

    def size_in_bytes(self) -> int:
        """:origin: common.record.AbstractLegacyRecordBatch#sizeInBytes()"""
        return self.outer_record().size_in_bytes() + _LOG_OVERHEAD

    def count_or_null(self) -> int | None:
        """:origin: common.record.AbstractLegacyRecordBatch#countOrNull()"""
        return None

    def __str__(self) -> str:
        """:origin: common.record.AbstractLegacyRecordBatch#toString()"""
        return f"LegacyRecordBatch(offset={self.offset()}, {self.outer_record()})"

    __repr__ = __str__

    def write_to(self, buffer: ByteBuffer) -> None:
        """:origin: common.record.AbstractLegacyRecordBatch#writeTo(ByteBuffer)"""
        self.write_header(buffer, self.offset(), self.outer_record().size_in_bytes())
        buffer.put(self.outer_record().buffer().view())

    def producer_id(self) -> int:
        """:origin: common.record.AbstractLegacyRecordBatch#producerId()"""
        return RecordBatch.NO_PRODUCER_ID

    def producer_epoch(self) -> int:
        """:origin: common.record.AbstractLegacyRecordBatch#producerEpoch()"""
        return RecordBatch.NO_PRODUCER_EPOCH

    def has_producer_id(self) -> bool:
        """:origin: common.record.AbstractLegacyRecordBatch#hasProducerId()"""
        return False

    def sequence(self) -> int:
        """:origin: common.record.AbstractLegacyRecordBatch#sequence()"""
        return RecordBatch.NO_SEQUENCE

    def base_sequence(self) -> int:
        """:origin: common.record.AbstractLegacyRecordBatch#baseSequence()"""
        return RecordBatch.NO_SEQUENCE

    def last_sequence(self) -> int:
        """:origin: common.record.AbstractLegacyRecordBatch#lastSequence()"""
        return RecordBatch.NO_SEQUENCE

    def is_transactional(self) -> bool:
        """:origin: common.record.AbstractLegacyRecordBatch#isTransactional()"""
        return False

    def partition_leader_epoch(self) -> int:
        """:origin: common.record.AbstractLegacyRecordBatch#partitionLeaderEpoch()"""
        return RecordBatch.NO_PARTITION_LEADER_EPOCH

    def is_control_batch(self) -> bool:
        """:origin: common.record.AbstractLegacyRecordBatch#isControlBatch()"""
        return False

    def delete_horizon_ms(self) -> int | None:
        """:origin: common.record.AbstractLegacyRecordBatch#deleteHorizonMs()"""
        return None

    def __iter__(self) -> Iterator[Record]:
        """:origin: common.record.AbstractLegacyRecordBatch#iterator()"""
        return self.iterator(BufferSupplier.NO_CACHING)

    def iterator(self, buffer_supplier: BufferSupplier) -> CloseableIterator[Record]:
        """Return a wrapper's records, all decompressed now, or this record if it is not compressed.

        Raises InvalidRecordException, CorruptRecordException or KafkaException.

        :origin: common.record.AbstractLegacyRecordBatch#iterator(BufferSupplier)
        """
        if self.is_compressed():
            return _DeepRecordsIterator(self, False, _MAX_INT, buffer_supplier)
        return CloseableIterator.wrap(iter((self,)))

    def streaming_iterator(self, decompression_buffer_supplier: BufferSupplier) -> CloseableIterator[Record]:
        """:origin: common.record.AbstractLegacyRecordBatch#streamingIterator(BufferSupplier)"""
        return self.iterator(decompression_buffer_supplier)

    @staticmethod
    def write_header(buffer: ByteBuffer, offset: int, size: int) -> None:
        """Write the offset and size that precede a message.

        :origin: common.record.AbstractLegacyRecordBatch#writeHeader(ByteBuffer, long, int)
        """
        buffer.put_long(offset)
        buffer.put_int(size)

    @staticmethod
    def write_header_out(out: OutputStream, offset: int, size: int) -> None:
        """Write the offset and size that precede a message. Raises OSError.

        :origin: common.record.AbstractLegacyRecordBatch#writeHeader(DataOutputStream, long, int)
        """
        out.write(_OFFSET_AND_SIZE.pack(offset, size))

    # The nested classes derive from this class, so they are defined below it and assigned there.
    ByteBufferLegacyRecordBatch: type[_ByteBufferLegacyRecordBatch]
    LegacyFileChannelRecordBatch: type[_LegacyFileChannelRecordBatch]


class _DataLogInputStream(LogInputStream[AbstractLegacyRecordBatch]):
    """Reads messages from a decompressor. Used by one thread.

    :origin: common.record.AbstractLegacyRecordBatch.DataLogInputStream
    """

    __slots__ = ("_stream", "_max_message_size")

    def __init__(self, stream: InputStream, max_message_size: int) -> None:
        """:origin: common.record.AbstractLegacyRecordBatch.DataLogInputStream#DataLogInputStream(InputStream, int)"""  # noqa: E501
        self._stream = stream
        self._max_message_size = max_message_size

    def next_batch(self) -> AbstractLegacyRecordBatch | None:
        """Return the next message, or None at the end. Raises CorruptRecordException or OSError.

        :origin: common.record.AbstractLegacyRecordBatch.DataLogInputStream#nextBatch()
        """
        offset_and_size = self._stream.read_n_bytes(_LOG_OVERHEAD)
        if len(offset_and_size) < _LOG_OVERHEAD:
            return None

        offset, size = _OFFSET_AND_SIZE.unpack(offset_and_size)
        if size < LegacyRecord.RECORD_OVERHEAD_V0:
            raise CorruptRecordException(
                f"Record size is less than the minimum record overhead ({LegacyRecord.RECORD_OVERHEAD_V0})")
        if size > self._max_message_size:
            raise CorruptRecordException(
                f"Record size exceeds the largest allowable message size ({self._max_message_size}).")

        # DEVIATION D53: as for a record of magic 2, memory is allocated only for received bytes, not for the
        # stated length.
        batch = self._stream.read_n_bytes(size)
        if len(batch) < size:
            return None
        return _BasicLegacyRecordBatch(offset, LegacyRecord(ByteBuffer.wrap(batch)))


class _DeepRecordsIterator(AbstractIterator[Record], CloseableIterator[Record]):
    """The messages within a wrapper. Used by one thread.

    The constructor decompresses all messages, because their offsets depend on the last one.

    :origin: common.record.AbstractLegacyRecordBatch.DeepRecordsIterator
    """

    __slots__ = ("_inner_entries", "_absolute_base_offset", "_wrapper_magic")

    def __init__(self, wrapper_entry: AbstractLegacyRecordBatch, ensure_matching_magic: bool,
                 max_message_size: int, buffer_supplier: BufferSupplier) -> None:
        """Decompress the messages. Raises InvalidRecordException, CorruptRecordException or KafkaException.

        :origin: common.record.AbstractLegacyRecordBatch.DeepRecordsIterator#DeepRecordsIterator(AbstractLegacyRecordBatch, boolean, int, BufferSupplier)
        """  # noqa: E501
        super().__init__()
        wrapper_record = wrapper_entry.outer_record()
        self._wrapper_magic = wrapper_record.magic()
        if self._wrapper_magic not in (RecordBatch.MAGIC_VALUE_V0, RecordBatch.MAGIC_VALUE_V1):
            raise InvalidRecordException(
                f"Invalid wrapper magic found in legacy deep record iterator {self._wrapper_magic}")

        compression_type = wrapper_record.compression_type()
        if compression_type is CompressionType.ZSTD:
            raise InvalidRecordException(
                f"Invalid wrapper compressionType found in legacy deep record iterator {self._wrapper_magic}")
        wrapper_value = wrapper_record.value()
        if wrapper_value is None:
            raise InvalidRecordException("Found invalid compressed record set with null value (magic = "
                                         f"{self._wrapper_magic})")

        stream = Compression.of(compression_type).build().wrap_for_input(
            wrapper_value, wrapper_record.magic(), buffer_supplier)
        log_stream = _DataLogInputStream(stream, max_message_size)

        last_offset_from_wrapper = wrapper_entry.last_offset()
        timestamp_from_wrapper = wrapper_record.timestamp()
        self._inner_entries: deque[AbstractLegacyRecordBatch] = deque()

        try:
            while True:
                inner_entry = log_stream.next_batch()
                if inner_entry is None:
                    break

                record = inner_entry.outer_record()
                magic = record.magic()

                if ensure_matching_magic and magic != self._wrapper_magic:
                    raise InvalidRecordException(f"Compressed message magic {magic} does not match wrapper "
                                                 f"magic {self._wrapper_magic}")

                if magic == RecordBatch.MAGIC_VALUE_V1:
                    record_with_timestamp = LegacyRecord(record.buffer(), timestamp_from_wrapper,
                                                         wrapper_record.timestamp_type())
                    inner_entry = _BasicLegacyRecordBatch(inner_entry.last_offset(), record_with_timestamp)

                self._inner_entries.append(inner_entry)

            if not self._inner_entries:
                raise InvalidRecordException("Found invalid compressed record set with no inner records")

            if self._wrapper_magic == RecordBatch.MAGIC_VALUE_V1:
                if last_offset_from_wrapper == 0:
                    self._absolute_base_offset = 0
                else:
                    last_inner_offset = self._inner_entries[-1].offset()
                    if last_offset_from_wrapper < last_inner_offset:
                        raise InvalidRecordException(
                            "Found invalid wrapper offset in compressed v1 message set, wrapper offset "
                            f"'{last_offset_from_wrapper}' is less than the last inner message offset "
                            f"'{last_inner_offset}' and it is not zero.")
                    self._absolute_base_offset = last_offset_from_wrapper - last_inner_offset
            else:
                self._absolute_base_offset = -1
        except OSError as e:
            raise KafkaException(cause=e) from e
        finally:
            Utils.close_quietly(stream, "records iterator stream")

    def make_next(self) -> Record | None:
        """:origin: common.record.AbstractLegacyRecordBatch.DeepRecordsIterator#makeNext()"""
        if not self._inner_entries:
            self.all_done()
            return None

        entry = self._inner_entries.popleft()

        if self._wrapper_magic == RecordBatch.MAGIC_VALUE_V1:
            absolute_offset = self._absolute_base_offset + entry.offset()
            entry = _BasicLegacyRecordBatch(absolute_offset, entry.outer_record())

        if entry.is_compressed():
            raise InvalidRecordException("Inner messages must not be compressed")

        return entry

    def close(self) -> None:
        """:origin: common.record.AbstractLegacyRecordBatch.DeepRecordsIterator#close()"""


class _BasicLegacyRecordBatch(AbstractLegacyRecordBatch):
    """A message and its offset, stored separately.

    :origin: common.record.AbstractLegacyRecordBatch.BasicLegacyRecordBatch
    """

    __slots__ = ("_record", "_offset")

    def __init__(self, offset: int, record: LegacyRecord) -> None:
        """:origin: common.record.AbstractLegacyRecordBatch.BasicLegacyRecordBatch#BasicLegacyRecordBatch(long, LegacyRecord)"""  # noqa: E501
        self._offset = offset
        self._record = record

    def offset(self) -> int:
        """:origin: common.record.AbstractLegacyRecordBatch.BasicLegacyRecordBatch#offset()"""
        return self._offset

    def outer_record(self) -> LegacyRecord:
        """:origin: common.record.AbstractLegacyRecordBatch.BasicLegacyRecordBatch#outerRecord()"""
        return self._record

    def __eq__(self, other: object) -> bool:
        """:origin: common.record.AbstractLegacyRecordBatch.BasicLegacyRecordBatch#equals(Object)"""
        if self is other:
            return True
        if not isinstance(other, _BasicLegacyRecordBatch):
            return False
        return self._offset == other._offset and self._record == other._record

    def __hash__(self) -> int:
        """:origin: common.record.AbstractLegacyRecordBatch.BasicLegacyRecordBatch#hashCode()"""
        return hash((self._record, self._offset))


class _ByteBufferLegacyRecordBatch(AbstractLegacyRecordBatch, MutableRecordBatch):
    """A message in a buffer, preceded by offset and size. While one thread changes it, no other uses it.

    :origin: common.record.AbstractLegacyRecordBatch.ByteBufferLegacyRecordBatch
    """

    __slots__ = ("_buffer", "_record")

    def __init__(self, buffer: ByteBuffer) -> None:
        """:origin: common.record.AbstractLegacyRecordBatch.ByteBufferLegacyRecordBatch#ByteBufferLegacyRecordBatch(ByteBuffer)"""  # noqa: E501
        self._buffer = buffer
        buffer.set_position(_LOG_OVERHEAD)
        self._record = LegacyRecord(buffer.slice())
        buffer.set_position(_OFFSET_OFFSET)

    def offset(self) -> int:
        """:origin: common.record.AbstractLegacyRecordBatch.ByteBufferLegacyRecordBatch#offset()"""
        return self._buffer.get_long_at(_OFFSET_OFFSET)

    def outer_record(self) -> LegacyRecord:
        """:origin: common.record.AbstractLegacyRecordBatch.ByteBufferLegacyRecordBatch#outerRecord()"""
        return self._record

    def set_last_offset(self, offset: int) -> None:
        """:origin: common.record.AbstractLegacyRecordBatch.ByteBufferLegacyRecordBatch#setLastOffset(long)"""
        self._buffer.put_long_at(_OFFSET_OFFSET, offset)

    def set_max_timestamp(self, timestamp_type: TimestampType, max_timestamp: int) -> None:
        """Set the timestamp. Raises UnsupportedOperationException for magic 0.

        :origin: common.record.AbstractLegacyRecordBatch.ByteBufferLegacyRecordBatch#setMaxTimestamp(TimestampType, long)
        """  # noqa: E501
        if self._record.magic() == RecordBatch.MAGIC_VALUE_V0:
            raise UnsupportedOperationException("Cannot set timestamp for a record with magic = 0")

        current_timestamp = self._record.timestamp()
        if self._record.timestamp_type() is timestamp_type and current_timestamp == max_timestamp:
            return

        self._set_timestamp_and_update_crc(timestamp_type, max_timestamp)

    def set_partition_leader_epoch(self, epoch: int) -> None:
        """Raises UnsupportedOperationException, because magic 0 and 1 have no leader epoch.

        :origin: common.record.AbstractLegacyRecordBatch.ByteBufferLegacyRecordBatch#setPartitionLeaderEpoch(int)
        """  # noqa: E501
        raise UnsupportedOperationException("Magic versions prior to 2 do not support partition leader epoch")

    def _set_timestamp_and_update_crc(self, timestamp_type: TimestampType, timestamp: int) -> None:
        """:origin: common.record.AbstractLegacyRecordBatch.ByteBufferLegacyRecordBatch#setTimestampAndUpdateCrc(TimestampType, long)"""  # noqa: E501
        attributes = LegacyRecord.compute_attributes(self.magic(), self.compression_type(), timestamp_type)
        self._buffer.put_at(_LOG_OVERHEAD + LegacyRecord.ATTRIBUTES_OFFSET, attributes)
        self._buffer.put_long_at(_LOG_OVERHEAD + LegacyRecord.TIMESTAMP_OFFSET, timestamp)
        crc = self._record.compute_checksum()
        ByteUtils.write_unsigned_int_index(self._buffer, _LOG_OVERHEAD + LegacyRecord.CRC_OFFSET, crc)

    def skip_key_value_iterator(self, buffer_supplier: BufferSupplier) -> CloseableIterator[Record]:
        """Return the records with keys and values, because all of them are in memory anyway.

        :origin: common.record.AbstractLegacyRecordBatch.ByteBufferLegacyRecordBatch#skipKeyValueIterator(BufferSupplier)
        """  # noqa: E501
        return CloseableIterator.wrap(self.iterator(buffer_supplier))

    def write_to_output_stream(self, output_stream: ByteBufferOutputStream) -> None:
        """:origin: common.record.AbstractLegacyRecordBatch.ByteBufferLegacyRecordBatch#writeTo(ByteBufferOutputStream)"""  # noqa: E501
        output_stream.write(self._buffer.view())

    def __eq__(self, other: object) -> bool:
        """:origin: common.record.AbstractLegacyRecordBatch.ByteBufferLegacyRecordBatch#equals(Object)"""
        if self is other:
            return True
        if not isinstance(other, _ByteBufferLegacyRecordBatch):
            return False
        return self._buffer.view() == other._buffer.view()

    def __hash__(self) -> int:
        """:origin: common.record.AbstractLegacyRecordBatch.ByteBufferLegacyRecordBatch#hashCode()"""
        return hash(self._buffer.to_bytes())


class _LegacyFileChannelRecordBatch(FileChannelRecordBatch):
    """A message in a file.

    :origin: common.record.AbstractLegacyRecordBatch.LegacyFileChannelRecordBatch
    :origin: common.record.AbstractLegacyRecordBatch.LegacyFileChannelRecordBatch#LegacyFileChannelRecordBatch(long, byte, FileRecords, int, int)
    """  # noqa: E501

    __slots__ = ()

    def to_memory_record_batch(self, buffer: ByteBuffer) -> RecordBatch:
        """:origin: common.record.AbstractLegacyRecordBatch.LegacyFileChannelRecordBatch#toMemoryRecordBatch(ByteBuffer)"""  # noqa: E501
        return _ByteBufferLegacyRecordBatch(buffer)

    def base_offset(self) -> int:
        """:origin: common.record.AbstractLegacyRecordBatch.LegacyFileChannelRecordBatch#baseOffset()"""
        return self.load_full_batch().base_offset()

    def delete_horizon_ms(self) -> int | None:
        """:origin: common.record.AbstractLegacyRecordBatch.LegacyFileChannelRecordBatch#deleteHorizonMs()"""
        return None

    def last_offset(self) -> int:
        """:origin: common.record.AbstractLegacyRecordBatch.LegacyFileChannelRecordBatch#lastOffset()"""
        return self._offset

    def producer_id(self) -> int:
        """:origin: common.record.AbstractLegacyRecordBatch.LegacyFileChannelRecordBatch#producerId()"""
        return RecordBatch.NO_PRODUCER_ID

    def producer_epoch(self) -> int:
        """:origin: common.record.AbstractLegacyRecordBatch.LegacyFileChannelRecordBatch#producerEpoch()"""
        return RecordBatch.NO_PRODUCER_EPOCH

    def base_sequence(self) -> int:
        """:origin: common.record.AbstractLegacyRecordBatch.LegacyFileChannelRecordBatch#baseSequence()"""
        return RecordBatch.NO_SEQUENCE

    def last_sequence(self) -> int:
        """:origin: common.record.AbstractLegacyRecordBatch.LegacyFileChannelRecordBatch#lastSequence()"""
        return RecordBatch.NO_SEQUENCE

    def count_or_null(self) -> int | None:
        """:origin: common.record.AbstractLegacyRecordBatch.LegacyFileChannelRecordBatch#countOrNull()"""
        return None

    def is_transactional(self) -> bool:
        """:origin: common.record.AbstractLegacyRecordBatch.LegacyFileChannelRecordBatch#isTransactional()"""
        return False

    def is_control_batch(self) -> bool:
        """:origin: common.record.AbstractLegacyRecordBatch.LegacyFileChannelRecordBatch#isControlBatch()"""
        return False

    def partition_leader_epoch(self) -> int:
        """:origin: common.record.AbstractLegacyRecordBatch.LegacyFileChannelRecordBatch#partitionLeaderEpoch()"""  # noqa: E501
        return RecordBatch.NO_PARTITION_LEADER_EPOCH

    def header_size(self) -> int:
        """:origin: common.record.AbstractLegacyRecordBatch.LegacyFileChannelRecordBatch#headerSize()"""
        return _LOG_OVERHEAD + LegacyRecord.header_size(self._magic)


AbstractLegacyRecordBatch.ByteBufferLegacyRecordBatch = _ByteBufferLegacyRecordBatch
AbstractLegacyRecordBatch.LegacyFileChannelRecordBatch = _LegacyFileChannelRecordBatch
