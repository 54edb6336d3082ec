# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.DefaultRecord of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A record of magic 2 and later.

=================  ===================================================================================
length             varint: the bytes that follow it
attributes         1 byte, unused
timestamp delta    varlong, to the batch's base timestamp
offset delta       varint, to the batch's base offset
key, value         varint length, -1 for none, then the bytes
headers            varint count, then for each: varint length and UTF-8 name; varint length or -1, bytes
=================  ===================================================================================

Varints are zigzag encoded, the low seven bits first.

Varints dominate the cost of decoding and encoding a record, and nearly all of them have one byte. Therefore
this module reads and writes one-byte varints inline, without ByteUtils.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kreactor.common.header.internals.record_header import RecordHeader
from kreactor.common.invalid_record_exception import InvalidRecordException
from kreactor.common.record.record import Record
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.utils.byte_utils import ByteUtils
from kreactor.jdk.exceptions import (
    BufferUnderflowException,
    IllegalArgumentException,
    UnsupportedOperationException,
)
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike

if TYPE_CHECKING:
    from kreactor.common.header.header import Header
    from kreactor.common.record.timestamp_type import TimestampType
    from kreactor.jdk.io_streams import InputStream, OutputStream

_MAX_INT = 2**31 - 1
_MIN_LONG = -2**63
_MAX_LONG = 2**63 - 1
_NO_SEQUENCE = RecordBatch.NO_SEQUENCE
_EMPTY_HEADERS = Record.EMPTY_HEADERS

_read_varint_at = ByteUtils.read_varint_at
_read_varlong_at = ByteUtils.read_varlong_at
_size_of_varint = ByteUtils.size_of_varint


class _Varints(dict[int, bytes]):
    """A cache of encoded varints and varlongs. It keeps those of one or two bytes after their first use."""

    def __missing__(self, value: int) -> bytes:
        unsigned = (value << 1) ^ (value >> 63)
        encoded = bytearray()
        while unsigned > 0x7F:
            encoded.append(unsigned & 0x7F | 0x80)
            unsigned >>= 7
        encoded.append(unsigned)
        found = bytes(encoded)
        if len(found) <= 2:
            self[value] = found
        return found


_VARINTS = _Varints()
_NULL_VARINT = _VARINTS[-1]


class DefaultRecord(Record):
    """A record that was read. Key and value are views of the batch, or of a copy if it was compressed.

    :origin: common.record.DefaultRecord
    """

    __slots__ = ("_size_in_bytes", "_attributes", "_offset", "_timestamp", "_sequence", "_key", "_value",
                 "_headers")

    # Without key, value and headers: 5 bytes of length, 10 of timestamp, 5 of offset, 1 of attributes.
    MAX_RECORD_OVERHEAD = 21

    def __init__(self, size_in_bytes: int, attributes: int, offset: int, timestamp: int, sequence: int,
                 key: memoryview | None, value: memoryview | None, headers: Sequence[Header]) -> None:
        """:origin: common.record.DefaultRecord#DefaultRecord(int, byte, long, long, int, ByteBuffer, ByteBuffer, Header[])"""  # noqa: E501
        self._size_in_bytes = size_in_bytes
        self._attributes = attributes
        self._offset = offset
        self._timestamp = timestamp
        self._sequence = sequence
        self._key = key
        self._value = value
        self._headers = headers

    def offset(self) -> int:
        """:origin: common.record.DefaultRecord#offset()"""
        return self._offset

    def sequence(self) -> int:
        """:origin: common.record.DefaultRecord#sequence()"""
        return self._sequence

    def size_in_bytes(self) -> int:
        """:origin: common.record.DefaultRecord#sizeInBytes()"""
        return self._size_in_bytes

    def timestamp(self) -> int:
        """:origin: common.record.DefaultRecord#timestamp()"""
        return self._timestamp

    def attributes(self) -> int:
        """Return the attributes as a signed byte.

        :origin: common.record.DefaultRecord#attributes()
        """
        return self._attributes

    def ensure_valid(self) -> None:
        """Do nothing, because only the batch has a checksum.

        :origin: common.record.DefaultRecord#ensureValid()
        """

    def key_size(self) -> int:
        """:origin: common.record.DefaultRecord#keySize()"""
        return -1 if self._key is None else len(self._key)

    def value_size(self) -> int:
        """:origin: common.record.DefaultRecord#valueSize()"""
        return -1 if self._value is None else len(self._value)

    def has_key(self) -> bool:
        """:origin: common.record.DefaultRecord#hasKey()"""
        return self._key is not None

    def key(self) -> ByteBuffer | None:
        """:origin: common.record.DefaultRecord#key()"""
        key = self._key
        return None if key is None else ByteBuffer(key, 0, len(key))

    def has_value(self) -> bool:
        """:origin: common.record.DefaultRecord#hasValue()"""
        return self._value is not None

    def value(self) -> ByteBuffer | None:
        """:origin: common.record.DefaultRecord#value()"""
        value = self._value
        return None if value is None else ByteBuffer(value, 0, len(value))

    def headers(self) -> Sequence[Header]:
        """:origin: common.record.DefaultRecord#headers()"""
        return self._headers

    @staticmethod
    def write_to(out: OutputStream, offset_delta: int, timestamp_delta: int,
                 key: ByteBuffer | BytesLike | None, value: ByteBuffer | BytesLike | None,
                 headers: Sequence[Header]) -> int:
        """Write a record to ``out`` with one call and return its size. Raises OSError.

        :origin: common.record.DefaultRecord#writeTo(DataOutputStream, int, long, ByteBuffer, ByteBuffer, Header[])
        """  # noqa: E501
        # The write comes last, so no exception can follow it.
        record = DefaultRecord.encoded(offset_delta, timestamp_delta, key, value, headers)
        out.write(record)
        return len(record)

    @staticmethod
    def encoded(offset_delta: int, timestamp_delta: int, key: ByteBuffer | BytesLike | None,
                value: ByteBuffer | BytesLike | None, headers: Sequence[Header]) -> bytes:
        """Return the bytes of a record. Raises IllegalArgumentException for headers without a name."""
        if key is None:
            key_size, key = _NULL_VARINT, b""
        else:
            if isinstance(key, ByteBuffer):
                key = key.view()
            key_size = _VARINTS[len(key)]
        if value is None:
            value_size, value = _NULL_VARINT, b""
        else:
            if isinstance(value, ByteBuffer):
                value = value.view()
            value_size = _VARINTS[len(value)]

        if headers is None:
            raise IllegalArgumentException("Headers cannot be null")

        timestamp, offset = _VARINTS[timestamp_delta], _VARINTS[offset_delta]
        header_bytes = b"".join(_headers_parts(headers)) if headers else b"\0"
        # One byte of attributes precedes the timestamp.
        size = _VARINTS[1 + len(timestamp) + len(offset) + len(key_size) + len(key) + len(value_size)
                        + len(value) + len(header_bytes)]
        return b"".join((size, b"\0", timestamp, offset, key_size, key, value_size, value, header_bytes))

    def has_magic(self, magic: int) -> bool:
        """:origin: common.record.DefaultRecord#hasMagic(byte)"""
        return magic >= RecordBatch.MAGIC_VALUE_V2

    def is_compressed(self) -> bool:
        """:origin: common.record.DefaultRecord#isCompressed()"""
        return False

    def has_timestamp_type(self, timestamp_type: TimestampType) -> bool:
        """:origin: common.record.DefaultRecord#hasTimestampType(TimestampType)"""
        return False

    def __str__(self) -> str:
        """:origin: common.record.DefaultRecord#toString()"""
        return (f"DefaultRecord(offset={self._offset}, timestamp={self._timestamp}, "
                f"key={0 if self._key is None else len(self._key)} bytes, "
                f"value={0 if self._value is None else len(self._value)} bytes)")

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        """:origin: common.record.DefaultRecord#equals(Object)"""
        if self is other:
            return True
        if not isinstance(other, DefaultRecord) or type(self) is not type(other):
            return False
        return (self._size_in_bytes == other._size_in_bytes and self._attributes == other._attributes
                and self._offset == other._offset and self._timestamp == other._timestamp
                and self._sequence == other._sequence and self._key == other._key
                and self._value == other._value and tuple(self._headers) == tuple(other._headers))

    def __hash__(self) -> int:
        """:origin: common.record.DefaultRecord#hashCode()"""
        return hash((self._size_in_bytes, self._attributes, self._offset, self._timestamp, self._sequence,
                     None if self._key is None else bytes(self._key),
                     None if self._value is None else bytes(self._value), tuple(self._headers)))

    @staticmethod
    def read_from_stream(input_: InputStream, base_offset: int, base_timestamp: int, base_sequence: int,
                         log_append_time: int | None) -> DefaultRecord:
        """Read the next record of ``input_`` into new memory.

        Raises InvalidRecordException, IllegalArgumentException for a missing length, or OSError.

        :origin: common.record.DefaultRecord#readFrom(InputStream, long, long, int, Long)
        """
        size_of_body_in_bytes = ByteUtils.read_varint_in(input_)
        if size_of_body_in_bytes < 0:
            raise IllegalArgumentException(f"capacity < 0: ({size_of_body_in_bytes} < 0)")
        # DEVIATION D53: Java allocates memory for the stated length, which may be false and up to 2 GB.
        body = input_.read_n_bytes(size_of_body_in_bytes)
        if len(body) != size_of_body_in_bytes:
            raise InvalidRecordException(f"Invalid record size: expected {size_of_body_in_bytes} bytes in "
                                         "record payload, but the record payload reached EOF.")
        return DefaultRecord._read_body_from(memoryview(body), 0, size_of_body_in_bytes, base_offset,
                                             base_timestamp, base_sequence, log_append_time)

    @staticmethod
    def read_from(buffer: ByteBuffer, base_offset: int, base_timestamp: int, base_sequence: int,
                  log_append_time: int | None) -> DefaultRecord:
        """Read the record at the position of ``buffer`` and move the position past it.

        The record shares the memory.

        Raises InvalidRecordException. For a missing length, raises IllegalArgumentException or
        BufferUnderflowException.

        :origin: common.record.DefaultRecord#readFrom(ByteBuffer, long, long, int, Long)
        """
        memory = buffer._memory
        limit = buffer._limit
        position = buffer._position
        if limit != len(memory):
            memory = memory[:limit]
        try:
            size, position = _read_varint_at(memory, position)
        except IndexError:
            raise BufferUnderflowException("the buffer ends before the next record") from None
        record = DefaultRecord._read_body_from(memory, position, size, base_offset, base_timestamp,
                                               base_sequence, log_append_time)
        buffer._position = position + size
        return record

    @staticmethod
    def _read_body_from(memory: memoryview, position: int, size_of_body_in_bytes: int, base_offset: int,
                        base_timestamp: int, base_sequence: int,
                        log_append_time: int | None) -> DefaultRecord:
        """Read the body, which must have the stated length. Raises InvalidRecordException.

        :origin: common.record.DefaultRecord#readFrom(ByteBuffer, int, long, long, int, Long)
        """
        limit = len(memory)
        if limit - position < size_of_body_in_bytes:
            raise InvalidRecordException(f"Invalid record size: expected {size_of_body_in_bytes} bytes in "
                                         "record payload, but instead the buffer has only "
                                         f"{limit - position} remaining bytes.")
        record_start = position
        try:
            attributes = memory[position]
            if attributes > 127:
                attributes -= 256
            number = memory[position + 1]
            if number < 128:
                timestamp = base_timestamp + ((number >> 1) ^ -(number & 1))
                position += 2
            else:
                number, position = _read_varlong_at(memory, position + 1)
                timestamp = base_timestamp + number
            if log_append_time is not None:
                timestamp = log_append_time
            elif not _MIN_LONG <= timestamp <= _MAX_LONG:
                timestamp = _wrap_long(timestamp)

            number = memory[position]
            if number < 128:
                offset_delta = (number >> 1) ^ -(number & 1)
                position += 1
            else:
                offset_delta, position = _read_varint_at(memory, position)
            offset = base_offset + offset_delta
            if not _MIN_LONG <= offset <= _MAX_LONG:
                offset = _wrap_long(offset)
            sequence = (_increment_sequence(base_sequence, offset_delta) if base_sequence >= 0
                        else _NO_SEQUENCE)

            number = memory[position]
            if number < 128:
                size = (number >> 1) ^ -(number & 1)
                position += 1
            else:
                size, position = _read_varint_at(memory, position)
            if size < 0:
                key = None
            else:
                end = position + size
                if end > limit:
                    raise IndexError
                key = memory[position:end]
                position = end

            number = memory[position]
            if number < 128:
                size = (number >> 1) ^ -(number & 1)
                position += 1
            else:
                size, position = _read_varint_at(memory, position)
            if size < 0:
                value = None
            else:
                end = position + size
                if end > limit:
                    raise IndexError
                value = memory[position:end]
                position = end

            if memory[position] == 0:
                headers = _EMPTY_HEADERS
                position += 1
            else:
                num_headers, position = _read_varint_at(memory, position)
                if num_headers < 0:
                    raise InvalidRecordException(f"Found invalid number of record headers {num_headers}")
                if num_headers > limit - position:
                    raise InvalidRecordException(f"Found invalid number of record headers. {num_headers} is "
                                                 "larger than the remaining size of the buffer")
                headers, position = DefaultRecord._read_headers(memory, position, num_headers)
        except (IndexError, IllegalArgumentException) as e:
            raise InvalidRecordException("Found invalid record structure", e) from e

        if position - record_start != size_of_body_in_bytes:
            raise InvalidRecordException(f"Invalid record size: expected to read {size_of_body_in_bytes} "
                                         "bytes in record payload, but instead read "
                                         f"{position - record_start}")
        total_size_in_bytes = size_of_body_in_bytes + (
            1 if size_of_body_in_bytes < 64 else _size_of_varint(size_of_body_in_bytes))
        return DefaultRecord(total_size_in_bytes, attributes, offset, timestamp, sequence, key, value,
                             headers)

    @staticmethod
    def read_partially_from(input_: InputStream, base_offset: int, base_timestamp: int, base_sequence: int,
                            log_append_time: int | None) -> PartialDefaultRecord:
        """Read the next record of ``input_`` without its key, value and headers.

        Raises InvalidRecordException, IllegalArgumentException for a missing length, or OSError.

        :origin: common.record.DefaultRecord#readPartiallyFrom(InputStream, long, long, int, Long)
        """
        size_of_body_in_bytes = ByteUtils.read_varint_in(input_)
        total_size_in_bytes = _size_of_varint(size_of_body_in_bytes) + size_of_body_in_bytes
        return DefaultRecord._read_body_partially_from(input_, total_size_in_bytes, base_offset,
                                                       base_timestamp, base_sequence, log_append_time)

    @staticmethod
    def _read_body_partially_from(input_: InputStream, size_in_bytes: int, base_offset: int,
                                  base_timestamp: int, base_sequence: int,
                                  log_append_time: int | None) -> PartialDefaultRecord:
        """Read the body. Raises InvalidRecordException or OSError.

        :origin: common.record.DefaultRecord#readPartiallyFrom(InputStream, int, long, long, int, Long)
        """
        try:
            attributes = input_.read()
            if attributes > 127:
                attributes -= 256
            timestamp = _wrap_long(base_timestamp + ByteUtils.read_varlong_in(input_))
            if log_append_time is not None:
                timestamp = log_append_time

            offset_delta = ByteUtils.read_varint_in(input_)
            offset = _wrap_long(base_offset + offset_delta)
            sequence = (_increment_sequence(base_sequence, offset_delta) if base_sequence >= 0
                        else _NO_SEQUENCE)

            key_size = ByteUtils.read_varint_in(input_)
            DefaultRecord._skip_bytes(input_, key_size)

            value_size = ByteUtils.read_varint_in(input_)
            DefaultRecord._skip_bytes(input_, value_size)

            num_headers = ByteUtils.read_varint_in(input_)
            if num_headers < 0:
                raise InvalidRecordException(f"Found invalid number of record headers {num_headers}")
            for _ in range(num_headers):
                header_key_size = ByteUtils.read_varint_in(input_)
                if header_key_size < 0:
                    raise InvalidRecordException(f"Invalid negative header key size {header_key_size}")
                DefaultRecord._skip_bytes(input_, header_key_size)
                header_value_size = ByteUtils.read_varint_in(input_)
                DefaultRecord._skip_bytes(input_, header_value_size)
        except IllegalArgumentException as e:
            raise InvalidRecordException("Found invalid record structure", e) from e
        return PartialDefaultRecord(size_in_bytes, attributes, offset, timestamp, sequence, key_size,
                                    value_size)

    @staticmethod
    def _skip_bytes(in_: InputStream, bytes_to_skip: int) -> None:
        """Skip ``bytes_to_skip`` bytes, none for a negative number. Raises InvalidRecordException, OSError.

        :origin: common.record.DefaultRecord#skipBytes(InputStream, int)
        """
        while bytes_to_skip > 0:
            ns = in_.skip(bytes_to_skip)
            if 0 < ns <= bytes_to_skip:
                bytes_to_skip -= ns
            elif ns == 0:
                # A skip of 0 bytes may not be the end of the stream. A read decides.
                if in_.read() == -1:
                    raise InvalidRecordException("Reached end of input stream before skipping all bytes. "
                                                 f"Remaining bytes:{bytes_to_skip}")
                bytes_to_skip -= 1
            else:
                raise OSError("Unable to skip exactly")

    @staticmethod
    def _read_headers(memory: memoryview, position: int, num_headers: int) -> tuple[Sequence[Header], int]:
        """Return ``num_headers`` headers and the position after them.

        Raises IndexError, InvalidRecordException.

        :origin: common.record.DefaultRecord#readHeaders(ByteBuffer, int)
        """
        limit = len(memory)
        headers = []
        for _ in range(num_headers):
            header_key_size, position = _read_varint_at(memory, position)
            if header_key_size < 0:
                raise InvalidRecordException(f"Invalid negative header key size {header_key_size}")
            end = position + header_key_size
            if end > limit:
                raise IndexError
            header_key = memory[position:end]
            position = end

            header_value_size, position = _read_varint_at(memory, position)
            if header_value_size < 0:
                header_value = None
            else:
                end = position + header_value_size
                if end > limit:
                    raise IndexError
                header_value = memory[position:end]
                position = end
            headers.append(RecordHeader(header_key, header_value))
        return headers, position

    @staticmethod
    def size_in_bytes_of(offset_delta: int, timestamp_delta: int, key: ByteBuffer | BytesLike | None,
                         value: ByteBuffer | BytesLike | None, headers: Sequence[Header]) -> int:
        """Return the size in bytes of a record with these fields in a batch.

        :origin: common.record.DefaultRecord#sizeInBytes(int, long, ByteBuffer, ByteBuffer, Header[])
        """
        body_size = DefaultRecord._size_of_body_in_bytes(offset_delta, timestamp_delta, key, value, headers)
        return body_size + _size_of_varint(body_size)

    @staticmethod
    def size_in_bytes_of_sizes(offset_delta: int, timestamp_delta: int, key_size: int, value_size: int,
                               headers: Sequence[Header]) -> int:
        """Return the size in bytes of a record in a batch. A size of -1 means no key or no value.

        :origin: common.record.DefaultRecord#sizeInBytes(int, long, int, int, Header[])
        """
        body_size = DefaultRecord.size_of_body_in_bytes(offset_delta, timestamp_delta, key_size, value_size,
                                                        headers)
        return body_size + _size_of_varint(body_size)

    @staticmethod
    def _size_of_body_in_bytes(offset_delta: int, timestamp_delta: int, key: ByteBuffer | BytesLike | None,
                               value: ByteBuffer | BytesLike | None, headers: Sequence[Header]) -> int:
        """:origin: common.record.DefaultRecord#sizeOfBodyInBytes(int, long, ByteBuffer, ByteBuffer, Header[])"""  # noqa: E501
        return DefaultRecord.size_of_body_in_bytes(offset_delta, timestamp_delta, _size(key), _size(value),
                                                   headers)

    @staticmethod
    def size_of_body_in_bytes(offset_delta: int, timestamp_delta: int, key_size: int, value_size: int,
                              headers: Sequence[Header]) -> int:
        """Return the value of the length field in bytes. A size of -1 means no key or no value.

        :origin: common.record.DefaultRecord#sizeOfBodyInBytes(int, long, int, int, Header[])
        """
        size = 1
        size += _size_of_varint(offset_delta)
        size += ByteUtils.size_of_varlong(timestamp_delta)
        size += DefaultRecord._size_of(key_size, value_size, headers)
        return size

    @staticmethod
    def _size_of(key_size: int, value_size: int, headers: Sequence[Header]) -> int:
        """Return the size of key, value and headers. Raises IllegalArgumentException.

        :origin: common.record.DefaultRecord#sizeOf(int, int, Header[])
        """
        # Inline for most sizes, because the producer computes this twice for each record.
        size = 1 if key_size < 0 else key_size + (
            1 if key_size < 64 else 2 if key_size < 8192 else _size_of_varint(key_size))
        size += 1 if value_size < 0 else value_size + (
            1 if value_size < 64 else 2 if value_size < 8192 else _size_of_varint(value_size))
        if headers is None:
            raise IllegalArgumentException("Headers cannot be null")
        if not headers:
            return size + 1
        for part in _headers_parts(headers):
            size += len(part)
        return size

    @staticmethod
    def record_size_upper_bound(key: ByteBuffer | BytesLike | None, value: ByteBuffer | BytesLike | None,
                                headers: Sequence[Header]) -> int:
        """Return the maximum size in bytes of a record with these fields at any place in a batch.

        :origin: common.record.DefaultRecord#recordSizeUpperBound(ByteBuffer, ByteBuffer, Header[])
        """
        return DefaultRecord.MAX_RECORD_OVERHEAD + DefaultRecord._size_of(
            len(key) if isinstance(key, bytes) else _size(key),
            len(value) if isinstance(value, bytes) else _size(value), headers)


class PartialDefaultRecord(DefaultRecord):
    """A record read without its key, value and headers. It has the sizes of key and value.

    It is in DefaultRecord's module because the two classes need each other.

    :origin: common.record.PartialDefaultRecord
    """

    __slots__ = ("_key_size", "_value_size")

    def __init__(self, size_in_bytes: int, attributes: int, offset: int, timestamp: int, sequence: int,
                 key_size: int, value_size: int) -> None:
        """:origin: common.record.PartialDefaultRecord#PartialDefaultRecord(int, byte, long, long, int, int, int)"""  # noqa: E501
        super().__init__(size_in_bytes, attributes, offset, timestamp, sequence, None, None, _EMPTY_HEADERS)
        self._key_size = key_size
        self._value_size = value_size

    def __eq__(self, other: object) -> bool:
        """:origin: common.record.PartialDefaultRecord#equals(Object)"""
        return (super().__eq__(other) and isinstance(other, PartialDefaultRecord)
                and self._key_size == other._key_size and self._value_size == other._value_size)

    def __hash__(self) -> int:
        """:origin: common.record.PartialDefaultRecord#hashCode()"""
        return hash((super().__hash__(), self._key_size, self._value_size))

    def __str__(self) -> str:
        """:origin: common.record.PartialDefaultRecord#toString()"""
        return (f"PartialDefaultRecord(offset={self.offset()}, timestamp={self.timestamp()}, "
                f"key={self._key_size} bytes, value={self._value_size} bytes)")

    __repr__ = __str__

    def key_size(self) -> int:
        """:origin: common.record.PartialDefaultRecord#keySize()"""
        return self._key_size

    def has_key(self) -> bool:
        """:origin: common.record.PartialDefaultRecord#hasKey()"""
        return self._key_size >= 0

    def key(self) -> ByteBuffer | None:
        """Raises UnsupportedOperationException, because the key was skipped.

        :origin: common.record.PartialDefaultRecord#key()
        """
        raise UnsupportedOperationException("key is skipped in PartialDefaultRecord")

    def value_size(self) -> int:
        """:origin: common.record.PartialDefaultRecord#valueSize()"""
        return self._value_size

    def has_value(self) -> bool:
        """:origin: common.record.PartialDefaultRecord#hasValue()"""
        return self._value_size >= 0

    def value(self) -> ByteBuffer | None:
        """Raises UnsupportedOperationException, because the value was skipped.

        :origin: common.record.PartialDefaultRecord#value()
        """
        raise UnsupportedOperationException("value is skipped in PartialDefaultRecord")

    def headers(self) -> Sequence[Header]:
        """Raises UnsupportedOperationException, because the headers were skipped.

        :origin: common.record.PartialDefaultRecord#headers()
        """
        raise UnsupportedOperationException("headers is skipped in PartialDefaultRecord")


def _size(field: ByteBuffer | BytesLike | None) -> int:
    """Return the length of a key or value, -1 for None."""
    if field is None:
        return -1
    return field.remaining() if isinstance(field, ByteBuffer) else len(field)


def _wrap_long(value: int) -> int:
    """Return ``value`` wrapped to 64 bits as in Java, because a hostile delta can overflow them."""
    return (value - _MIN_LONG & 0xFFFFFFFFFFFFFFFF) + _MIN_LONG


def _increment_sequence(sequence: int, increment: int) -> int:
    """Return ``sequence`` plus ``increment``; 0 follows the largest int, as in DefaultRecordBatch."""
    if sequence > _MAX_INT - increment:
        return increment - (_MAX_INT - sequence) - 1
    return sequence + increment


def _headers_parts(headers: Sequence[Header]) -> list[bytes]:
    """Return the encoded parts of headers, first their count. Raises IllegalArgumentException."""
    parts = [_VARINTS[len(headers)]]
    for header in headers:
        header_key = header.key()
        if header_key is None:
            raise IllegalArgumentException("Invalid null header key found in headers")
        utf8_bytes = header_key.encode()
        parts.append(_VARINTS[len(utf8_bytes)])
        parts.append(utf8_bytes)
        header_value = header.value()
        if header_value is None:
            parts.append(_NULL_VARINT)
        else:
            parts.append(_VARINTS[len(header_value)])
            parts.append(header_value)
    return parts
