# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.LegacyRecord of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A message of magic 0 or 1, whose value may be a compressed set of messages.

======  =====  =============================================================================
offset  bytes  field
======  =====  =============================================================================
0       4      CRC-32 of all that follows it
4       1      magic
5       1      attributes: codec (bits 0-2), timestamp type (3, magic 1 only)
6       8      timestamp, magic 1 only
6, 14   4      length of the key, -1 for none, and the key
        4      length of the value, -1 for none, and the value
======  =====  =============================================================================

In a log, an offset and a size precede the message.
"""

from __future__ import annotations

import struct
import zlib

from kreactor.common.errors import CorruptRecordException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.utils.byte_buffer_output_stream import ByteBufferOutputStream
from kreactor.common.utils.byte_utils import ByteUtils
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.io_streams import OutputStream
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike

_COMPRESSION_CODEC_MASK = 0x07
_TIMESTAMP_TYPE_MASK = 0x08

_UNSIGNED_INT = struct.Struct(">I")
_INT = struct.Struct(">i")
_HEADER_V0 = struct.Struct(">bb")
_HEADER_V1 = struct.Struct(">bbq")


class LegacyRecord:
    """A message in a buffer, from index 0 to the limit.

    A message of a compressed set may have the wrapper's timestamp.

    :origin: common.record.LegacyRecord
    """

    __slots__ = ("_buffer", "_wrapper_record_timestamp", "_wrapper_record_timestamp_type")

    CRC_OFFSET = 0
    CRC_LENGTH = 4
    MAGIC_OFFSET = CRC_OFFSET + CRC_LENGTH
    MAGIC_LENGTH = 1
    ATTRIBUTES_OFFSET = MAGIC_OFFSET + MAGIC_LENGTH
    ATTRIBUTES_LENGTH = 1
    TIMESTAMP_OFFSET = ATTRIBUTES_OFFSET + ATTRIBUTES_LENGTH
    TIMESTAMP_LENGTH = 8
    KEY_SIZE_OFFSET_V0 = ATTRIBUTES_OFFSET + ATTRIBUTES_LENGTH
    KEY_SIZE_OFFSET_V1 = TIMESTAMP_OFFSET + TIMESTAMP_LENGTH
    KEY_SIZE_LENGTH = 4
    KEY_OFFSET_V0 = KEY_SIZE_OFFSET_V0 + KEY_SIZE_LENGTH
    KEY_OFFSET_V1 = KEY_SIZE_OFFSET_V1 + KEY_SIZE_LENGTH
    VALUE_SIZE_LENGTH = 4

    HEADER_SIZE_V0 = CRC_LENGTH + MAGIC_LENGTH + ATTRIBUTES_LENGTH
    HEADER_SIZE_V1 = CRC_LENGTH + MAGIC_LENGTH + ATTRIBUTES_LENGTH + TIMESTAMP_LENGTH

    # The size without the bytes of key and value.
    RECORD_OVERHEAD_V0 = HEADER_SIZE_V0 + KEY_SIZE_LENGTH + VALUE_SIZE_LENGTH
    RECORD_OVERHEAD_V1 = HEADER_SIZE_V1 + KEY_SIZE_LENGTH + VALUE_SIZE_LENGTH

    NO_TIMESTAMP = -1

    def __init__(self, buffer: ByteBuffer, wrapper_record_timestamp: int | None = None,
                 wrapper_record_timestamp_type: TimestampType | None = None) -> None:
        """Keep the buffer and the wrapper's timestamp and timestamp type.

        :origin: common.record.LegacyRecord#LegacyRecord(ByteBuffer)
        :origin: common.record.LegacyRecord#LegacyRecord(ByteBuffer, Long, TimestampType)
        """
        self._buffer = buffer
        self._wrapper_record_timestamp = wrapper_record_timestamp
        self._wrapper_record_timestamp_type = wrapper_record_timestamp_type

    def compute_checksum(self) -> int:
        """Compute the message's checksum.

        :origin: common.record.LegacyRecord#computeChecksum()
        """
        return self._crc32(self._buffer, self.MAGIC_OFFSET, self._buffer.limit() - self.MAGIC_OFFSET)

    def checksum(self) -> int:
        """Return the checksum stored in the message.

        :origin: common.record.LegacyRecord#checksum()
        """
        return ByteUtils.read_unsigned_int_index(self._buffer, self.CRC_OFFSET)

    def is_valid(self) -> bool:
        """Return whether the checksum is correct.

        :origin: common.record.LegacyRecord#isValid()
        """
        return self.size_in_bytes() >= self.RECORD_OVERHEAD_V0 and self.checksum() == self.compute_checksum()

    def wrapper_record_timestamp(self) -> int | None:
        """Return the wrapper's timestamp, None outside a compressed set of magic 1.

        :origin: common.record.LegacyRecord#wrapperRecordTimestamp()
        """
        return self._wrapper_record_timestamp

    def wrapper_record_timestamp_type(self) -> TimestampType | None:
        """Return the type of the wrapper's timestamp, None outside a compressed set of magic 1.

        :origin: common.record.LegacyRecord#wrapperRecordTimestampType()
        """
        return self._wrapper_record_timestamp_type

    def ensure_valid(self) -> None:
        """Raises CorruptRecordException for a wrong checksum.

        :origin: common.record.LegacyRecord#ensureValid()
        """
        if self.size_in_bytes() < self.RECORD_OVERHEAD_V0:
            raise CorruptRecordException("Record is corrupt (crc could not be retrieved as the record is too "
                                         f"small, size = {self.size_in_bytes()})")
        if not self.is_valid():
            raise CorruptRecordException(f"Record is corrupt (stored crc = {self.checksum()}, computed crc = "
                                         f"{self.compute_checksum()})")

    def size_in_bytes(self) -> int:
        """Return the size in bytes, without offset and size.

        :origin: common.record.LegacyRecord#sizeInBytes()
        """
        return self._buffer.limit()

    def key_size(self) -> int:
        """Return the length of the key, -1 for none.

        :origin: common.record.LegacyRecord#keySize()
        """
        if self.magic() == RecordBatch.MAGIC_VALUE_V0:
            return self._buffer.get_int_at(self.KEY_SIZE_OFFSET_V0)
        else:
            return self._buffer.get_int_at(self.KEY_SIZE_OFFSET_V1)

    def has_key(self) -> bool:
        """Return whether the message has a key.

        :origin: common.record.LegacyRecord#hasKey()
        """
        return self.key_size() >= 0

    def _value_size_offset(self) -> int:
        """Return the position of the value's length.

        :origin: common.record.LegacyRecord#valueSizeOffset()
        """
        if self.magic() == RecordBatch.MAGIC_VALUE_V0:
            return self.KEY_OFFSET_V0 + max(0, self.key_size())
        else:
            return self.KEY_OFFSET_V1 + max(0, self.key_size())

    def value_size(self) -> int:
        """Return the length of the value, -1 for none.

        :origin: common.record.LegacyRecord#valueSize()
        """
        return self._buffer.get_int_at(self._value_size_offset())

    def has_null_value(self) -> bool:
        """Return whether the message has no value.

        :origin: common.record.LegacyRecord#hasNullValue()
        """
        return self.value_size() < 0

    def magic(self) -> int:
        """Return the version of the format.

        :origin: common.record.LegacyRecord#magic()
        """
        return self._buffer.get_at(self.MAGIC_OFFSET)

    def attributes(self) -> int:
        """Return the attributes as a signed byte.

        :origin: common.record.LegacyRecord#attributes()
        """
        return self._buffer.get_at(self.ATTRIBUTES_OFFSET)

    def timestamp(self) -> int:
        """Return the timestamp in milliseconds: the wrapper's if a broker set it, else the message's; -1 for
        magic 0.

        :origin: common.record.LegacyRecord#timestamp()
        """
        if self.magic() == RecordBatch.MAGIC_VALUE_V0:
            return RecordBatch.NO_TIMESTAMP
        elif (self._wrapper_record_timestamp_type is TimestampType.LOG_APPEND_TIME
              and self._wrapper_record_timestamp is not None):
            return self._wrapper_record_timestamp
        else:
            return self._buffer.get_long_at(self.TIMESTAMP_OFFSET)

    def timestamp_type(self) -> TimestampType:
        """Return the type of the timestamp, NO_TIMESTAMP_TYPE for magic 0.

        :origin: common.record.LegacyRecord#timestampType()
        """
        return self.timestamp_type_of(self.magic(), self._wrapper_record_timestamp_type, self.attributes())

    def compression_type(self) -> CompressionType:
        """Return the codec of the value. Raises IllegalArgumentException for an unknown id.

        :origin: common.record.LegacyRecord#compressionType()
        """
        return CompressionType.for_id(self._buffer.get_at(self.ATTRIBUTES_OFFSET) & _COMPRESSION_CODEC_MASK)

    def value(self) -> ByteBuffer | None:
        """Return the value as a view, or None.

        :origin: common.record.LegacyRecord#value()
        """
        return Utils.size_delimited(self._buffer, self._value_size_offset())

    def key(self) -> ByteBuffer | None:
        """Return the key as a view, or None.

        :origin: common.record.LegacyRecord#key()
        """
        if self.magic() == RecordBatch.MAGIC_VALUE_V0:
            return Utils.size_delimited(self._buffer, self.KEY_SIZE_OFFSET_V0)
        else:
            return Utils.size_delimited(self._buffer, self.KEY_SIZE_OFFSET_V1)

    def buffer(self) -> ByteBuffer:
        """Return the buffer itself.

        :origin: common.record.LegacyRecord#buffer()
        """
        return self._buffer

    def __str__(self) -> str:
        """:origin: common.record.LegacyRecord#toString()"""
        time = f"{self.timestamp_type()}={self.timestamp()}, " if self.magic() > 0 else ""
        return (f"Record(magic={self.magic()}, attributes={self.attributes()}, "
                f"compression={self.compression_type()}, crc={self.checksum()}, {time}"
                f"key={max(0, self.key_size())} bytes, value={max(0, self.value_size())} bytes)")

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        """:origin: common.record.LegacyRecord#equals(Object)"""
        if self is other:
            return True
        if not isinstance(other, LegacyRecord):
            return False
        return self._buffer.view() == other._buffer.view()

    def __hash__(self) -> int:
        """:origin: common.record.LegacyRecord#hashCode()"""
        return hash(self._buffer.to_bytes())

    @staticmethod
    def create(magic: int, timestamp: int, key: BytesLike | None, value: BytesLike | None,
               compression_type: CompressionType = CompressionType.NONE,
               timestamp_type: TimestampType = TimestampType.CREATE_TIME) -> LegacyRecord:
        """Return a message. With a codec, ``value`` is an already compressed set of messages.

        :origin: common.record.LegacyRecord#create(byte, long, byte[], byte[], CompressionType, TimestampType)
        :origin: common.record.LegacyRecord#create(byte, long, byte[], byte[])
        """
        key_size = 0 if key is None else len(key)
        value_size = 0 if value is None else len(value)
        buffer = ByteBuffer.allocate(LegacyRecord.record_size_of_sizes(magic, key_size, value_size))
        LegacyRecord._write_buffer(buffer, magic, timestamp, key, value, compression_type, timestamp_type)
        buffer.rewind()
        return LegacyRecord(buffer)

    @staticmethod
    def write_compressed_record_header(buffer: ByteBuffer, magic: int, record_size: int, timestamp: int,
                                       compression_type: CompressionType,
                                       timestamp_type: TimestampType) -> None:
        """Write a wrapper's fields around a value that is already in place.

        ``record_size`` is the size of the message in bytes. The position does not change.

        :origin: common.record.LegacyRecord#writeCompressedRecordHeader(ByteBuffer, byte, int, long, CompressionType, TimestampType)
        """  # noqa: E501
        record_position = buffer.position()
        value_size = record_size - LegacyRecord.record_overhead(magic)

        # Written without a value first; then the value's length and the checksum are set.
        LegacyRecord._write_buffer(buffer, magic, timestamp, None, None, compression_type, timestamp_type)
        buffer.set_position(record_position)
        buffer.put_int_at(record_position + LegacyRecord._key_offset(magic), value_size)
        crc = LegacyRecord._crc32(buffer, LegacyRecord.MAGIC_OFFSET, record_size - LegacyRecord.MAGIC_OFFSET)
        ByteUtils.write_unsigned_int_index(buffer, record_position + LegacyRecord.CRC_OFFSET, crc)

    @staticmethod
    def _write_buffer(buffer: ByteBuffer, magic: int, timestamp: int, key: BytesLike | None,
                      value: BytesLike | None, compression_type: CompressionType,
                      timestamp_type: TimestampType) -> None:
        """:origin: common.record.LegacyRecord#write(ByteBuffer, byte, long, ByteBuffer, ByteBuffer, CompressionType, TimestampType)"""  # noqa: E501
        try:
            LegacyRecord.write(ByteBufferOutputStream(buffer), magic, timestamp, key, value, compression_type,
                               timestamp_type)
        except OSError as e:
            raise KafkaException(cause=e) from e

    @staticmethod
    def write(out: OutputStream, magic: int, timestamp: int, key: ByteBuffer | BytesLike | None,
              value: ByteBuffer | BytesLike | None, compression_type: CompressionType,
              timestamp_type: TimestampType) -> int:
        """Write a message; return its checksum. Raises IllegalArgumentException or OSError.

        :origin: common.record.LegacyRecord#write(DataOutputStream, byte, long, byte[], byte[], CompressionType, TimestampType)
        :origin: common.record.LegacyRecord#write(DataOutputStream, byte, long, ByteBuffer, ByteBuffer, CompressionType, TimestampType)
        """  # noqa: E501
        attributes = LegacyRecord.compute_attributes(magic, compression_type, timestamp_type)
        crc = LegacyRecord.compute_checksum_of(magic, attributes, timestamp, key, value)
        LegacyRecord.write_crc(out, magic, crc, attributes, timestamp, key, value)
        return crc

    @staticmethod
    def write_crc(out: OutputStream, magic: int, crc: int, attributes: int, timestamp: int,
                  key: ByteBuffer | BytesLike | None, value: ByteBuffer | BytesLike | None) -> None:
        """Write a message with the given checksum, without a check.

        Raises IllegalArgumentException or OSError.

        :origin: common.record.LegacyRecord#write(DataOutputStream, byte, long, byte, long, byte[], byte[])
        :origin: common.record.LegacyRecord#write(DataOutputStream, byte, long, byte, long, ByteBuffer, ByteBuffer)
        """  # noqa: E501
        if magic not in (RecordBatch.MAGIC_VALUE_V0, RecordBatch.MAGIC_VALUE_V1):
            raise IllegalArgumentException(f"Invalid magic value {magic}")
        if timestamp < 0 and timestamp != RecordBatch.NO_TIMESTAMP:
            raise IllegalArgumentException(f"Invalid message timestamp {timestamp}")
        out.write(b"".join((_UNSIGNED_INT.pack(crc & 0xFFFFFFFF),
                            *_parts(magic, attributes, timestamp, key, value))))

    @staticmethod
    def record_size(magic: int, key: ByteBuffer | BytesLike | None,
                    value: ByteBuffer | BytesLike | None) -> int:
        """Return the size of a message with this key and value, in bytes. Raises IllegalArgumentException.

        :origin: common.record.LegacyRecord#recordSize(byte, ByteBuffer, ByteBuffer)
        """
        return LegacyRecord.record_size_of_sizes(magic, len(_bytes(key)), len(_bytes(value)))

    @staticmethod
    def record_size_of_sizes(magic: int, key_size: int, value_size: int) -> int:
        """Return the size of a message in bytes.

        A size of 0 means no key or no value. Raises IllegalArgumentException.

        :origin: common.record.LegacyRecord#recordSize(byte, int, int)
        """
        return LegacyRecord.record_overhead(magic) + key_size + value_size

    @staticmethod
    def compute_attributes(magic: int, type_: CompressionType, timestamp_type: TimestampType) -> int:
        """Return the attributes of a message. Raises IllegalArgumentException.

        :origin: common.record.LegacyRecord#computeAttributes(byte, CompressionType, TimestampType)
        """
        attributes = 0
        if type_._id > 0:
            attributes |= _COMPRESSION_CODEC_MASK & type_._id
        if magic > RecordBatch.MAGIC_VALUE_V0:
            if timestamp_type is TimestampType.NO_TIMESTAMP_TYPE:
                raise IllegalArgumentException("Timestamp type must be provided to compute attributes for "
                                               "message format v1")
            if timestamp_type is TimestampType.LOG_APPEND_TIME:
                attributes |= _TIMESTAMP_TYPE_MASK
        return attributes

    @staticmethod
    def _crc32(buffer: ByteBuffer, offset: int, size: int) -> int:
        """Return the checksum of ``size`` bytes from ``offset``, relative to the position.

        :origin: common.record.LegacyRecord#crc32(ByteBuffer, int, int)
        """
        return zlib.crc32(buffer.view()[offset:offset + size])

    @staticmethod
    def compute_checksum_of(magic: int, attributes: int, timestamp: int, key: ByteBuffer | BytesLike | None,
                            value: ByteBuffer | BytesLike | None) -> int:
        """Compute the checksum of a message with these fields.

        :origin: common.record.LegacyRecord#computeChecksum(byte, byte, long, byte[], byte[])
        :origin: common.record.LegacyRecord#computeChecksum(byte, byte, long, ByteBuffer, ByteBuffer)
        """
        crc = 0
        for part in _parts(magic, attributes, timestamp, key, value):
            crc = zlib.crc32(part, crc)
        return crc

    @staticmethod
    def record_overhead(magic: int) -> int:
        """Return the size without the bytes of key and value. Raises IllegalArgumentException.

        :origin: common.record.LegacyRecord#recordOverhead(byte)
        """
        if magic == 0:
            return LegacyRecord.RECORD_OVERHEAD_V0
        elif magic == 1:
            return LegacyRecord.RECORD_OVERHEAD_V1
        raise IllegalArgumentException(f"Invalid magic used in LegacyRecord: {magic}")

    @staticmethod
    def header_size(magic: int) -> int:
        """Return the size of the fields before the key's length. Raises IllegalArgumentException.

        :origin: common.record.LegacyRecord#headerSize(byte)
        """
        if magic == 0:
            return LegacyRecord.HEADER_SIZE_V0
        elif magic == 1:
            return LegacyRecord.HEADER_SIZE_V1
        raise IllegalArgumentException(f"Invalid magic used in LegacyRecord: {magic}")

    @staticmethod
    def _key_offset(magic: int) -> int:
        """Return the position of the key's bytes. Raises IllegalArgumentException.

        :origin: common.record.LegacyRecord#keyOffset(byte)
        """
        if magic == 0:
            return LegacyRecord.KEY_OFFSET_V0
        elif magic == 1:
            return LegacyRecord.KEY_OFFSET_V1
        raise IllegalArgumentException(f"Invalid magic used in LegacyRecord: {magic}")

    @staticmethod
    def timestamp_type_of(magic: int, wrapper_record_timestamp_type: TimestampType | None, attributes: int
                          ) -> TimestampType:
        """Return the timestamp type in the attributes.

        :origin: common.record.LegacyRecord#timestampType(byte, TimestampType, byte)
        """
        if magic == 0:
            return TimestampType.NO_TIMESTAMP_TYPE
        elif wrapper_record_timestamp_type is not None:
            return wrapper_record_timestamp_type
        else:
            return (TimestampType.CREATE_TIME if attributes & _TIMESTAMP_TYPE_MASK == 0
                    else TimestampType.LOG_APPEND_TIME)


def _bytes(field: ByteBuffer | BytesLike | None) -> BytesLike:
    """Return the bytes of a key or value, empty for None."""
    if field is None:
        return b""
    return field.view() if isinstance(field, ByteBuffer) else field


def _parts(magic: int, attributes: int, timestamp: int, key: ByteBuffer | BytesLike | None,
           value: ByteBuffer | BytesLike | None) -> tuple[BytesLike, ...]:
    """Return the parts covered by the checksum, in order."""
    if magic > RecordBatch.MAGIC_VALUE_V0:
        header = _HEADER_V1.pack(magic, attributes, timestamp)
    else:
        header = _HEADER_V0.pack(magic, attributes)
    key_bytes = _bytes(key)
    value_bytes = _bytes(value)
    return (header, _INT.pack(-1 if key is None else len(key_bytes)), key_bytes,
            _INT.pack(-1 if value is None else len(value_bytes)), value_bytes)
