# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The fast check of the records of a magic 2 batch: whether they match the batch's header.

Fact: Kafka's LogValidator makes an object per record, to find a wrong count, length or timestamp.
Consequence: its port takes 2.6 us per record, five times the rest of an append of many records. Choice: one
loop over the bytes that knows only the regular case. It returns yes or no, without a reason. After a no, the
validator checks the batch itself, and responds as Kafka does. Cost: the layout of a record is known here and
in ``DefaultRecord``; a test compares the two.

``RecordWalk`` does the same for the validator. It takes the records that need no object from a decompressor,
and leaves the first other record to the code of the port. It has a loop of its own, because it also moves
records: a record takes 0.95 us there and 0.71 us in the first loop, on which each append waits. The module
also limits what a batch may expand to.
"""

from __future__ import annotations

from kreactor.common.compress.compression import Compression
from kreactor.common.errors import RecordTooLargeException, UnsupportedCompressionTypeException
from kreactor.common.record.abstract_legacy_record_batch import AbstractLegacyRecordBatch
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.memory_records_builder import MemoryRecordsBuilder
from kreactor.common.record.mutable_record_batch import MutableRecordBatch
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.records import Records
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.jdk.io_streams import InputStream
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike

# The maximum of one batch's bytes that are in memory at once.
MAX_BYTES_INSIDE = 4 * 1024 * 1024

# The limits of what a client's compressed batch may contain. A batch that a client's library writes has
# different offsets in its records, so no codec writes more than 1.9 of its records into a byte, measured with
# records that are otherwise equal and empty. A Java producer of default settings sends no record larger than
# its buffer.memory (32 MB). A broker of default settings reads no request larger than 100 MB. The error of
# all limits is MESSAGE_TOO_LARGE, after which a Java producer splits the batch and sends its parts.
MAX_COMPRESSED_RECORDS = 2**20
MAX_RECORDS_PER_BYTE = 16
MAX_RECORD_BYTES = 32 * 1024 * 1024
MAX_EXPANDED_BYTES = 100 * 1024 * 1024
# The limits grow with the batch, because a broker may accept larger ones.
_MAX_EXPANSION = 100
# A message of an old format takes 15 us, and all messages of a wrapper are in memory.
MAX_WRAPPED_MESSAGES = 2**17
_CHUNK = 64 * 1024
_LOG_OVERHEAD = Records.LOG_OVERHEAD


def is_regular(data: BytesLike, at: int, count: int, latest_delta: int | None, needs_keys: bool) -> bool:
    """Return whether ``data``, from ``at`` to its end, is ``count`` records in the form that producers write.

    Their offsets count from 0. The latest timestamp is ``latest_delta`` ms after the batch's first, unless
    that is None. With ``needs_keys`` all records have a key. A result of False is not an error: an irregular
    batch may be valid.
    """
    latest = -1
    try:
        for index in range(count):
            number = data[at]
            at += 1
            if number > 127:
                more = data[at]
                if more < 128:
                    number += (more - 1) << 7
                    at += 1
                else:
                    number, at = _varint(data, at, number)
            stop = at + (number >> 1)
            if number & 1:
                return False

            # The attributes are unused. An odd number is a timestamp before the first one.
            number = data[at + 1]
            at += 2
            if number > 127:
                more = data[at]
                if more < 128:
                    number += (more - 1) << 7
                    at += 1
                else:
                    number, at = _varint(data, at, number)
            if number > latest and not number & 1:
                latest = number

            number = data[at]
            at += 1
            if number > 127:
                more = data[at]
                if more < 128:
                    number += (more - 1) << 7
                    at += 1
                else:
                    number, at = _varint(data, at, number)
            if number != index << 1:
                return False

            number = data[at]
            at += 1
            if number > 127:
                more = data[at]
                if more < 128:
                    number += (more - 1) << 7
                    at += 1
                else:
                    number, at = _varint(data, at, number)
            if not number & 1:
                at += number >> 1
            elif needs_keys:
                return False

            number = data[at]
            at += 1
            if number > 127:
                more = data[at]
                if more < 128:
                    number += (more - 1) << 7
                    at += 1
                else:
                    number, at = _varint(data, at, number)
            if not number & 1:
                at += number >> 1

            number = data[at]
            at += 1
            if number:
                at = _skip_headers(data, at, number)
            if at != stop:
                return False
    except (IndexError, ValueError):
        return False
    return at == len(data) and (latest_delta is None or latest == latest_delta << 1)


def is_regular_inside(batch: memoryview, count: int, latest_delta: int | None, needs_keys: bool) -> bool:
    """Apply ``is_regular`` to the records that a whole batch has compressed; False if they are very large.

    DEVIATION D241: if a codec's package is not installed (D57), the batch's header is trusted.
    """
    try:
        with DefaultRecordBatch(ByteBuffer.wrap(batch)).record_input_stream(
                BufferSupplier.NO_CACHING) as stream:
            data = stream.read_n_bytes(MAX_BYTES_INSIDE + 1)
    except UnsupportedCompressionTypeException:
        return True
    except Exception:
        return False  # the validator finds and reports the same error
    return len(data) <= MAX_BYTES_INSIDE and is_regular(data, 0, count, latest_delta, needs_keys)


def check_count(topic_partition: TopicPartition, batch: RecordBatch, count: int) -> None:
    """Raise RecordTooLargeException if the header of a client's batch states too many records."""
    # DEVIATION D242: checking a record takes 1 to 2 us, and 10 KB can contain 80 million records.
    limit = min(MAX_COMPRESSED_RECORDS, MAX_RECORDS_PER_BYTE * batch.size_in_bytes())
    if count > limit and batch.is_compressed():
        raise RecordTooLargeException(
            f"The compressed batch in the append to {topic_partition} has {count} records in "
            f"{batch.size_in_bytes()} bytes, more than {limit}")


def check_wrapper(topic_partition: TopicPartition, batch: MutableRecordBatch,
                  buffer_supplier: BufferSupplier) -> None:
    """Raise RecordTooLargeException if a compressed message of an old format contains too much.

    Other faults are left to the iterator of the batch, which finds and reports them.
    """
    # DEVIATION D481: the origin makes two objects per message before it checks the first.
    assert isinstance(batch, AbstractLegacyRecordBatch), "only these have an old magic"
    wrapper = batch.outer_record()
    value = wrapper.value()
    if value is None:
        return
    count = 0
    limit = max(MAX_RECORD_BYTES, _MAX_EXPANSION * batch.size_in_bytes())
    try:
        with Compression.of(wrapper.compression_type()).build().wrap_for_input(
                value, wrapper.magic(), buffer_supplier) as stream:
            while len(head := stream.read_n_bytes(_LOG_OVERHEAD)) == _LOG_OVERHEAD:
                size = int.from_bytes(head[8:], "big", signed=True)
                limit -= size
                count += 1
                if size <= 0 or count > MAX_WRAPPED_MESSAGES or limit < 0 or stream.skip(size) < size:
                    break
    except Exception:
        return
    if count > MAX_WRAPPED_MESSAGES or limit < 0:
        raise RecordTooLargeException(
            f"The compressed message in the append to {topic_partition} contains more than "
            f"{MAX_WRAPPED_MESSAGES} messages, or more than {MAX_RECORD_BYTES} bytes")


class RecordWalk(InputStream):
    """The decompressed records of a batch of magic 2, and a fast way over the records that need no object.

    DEVIATION D480: ``take`` moves over records without an object for each, and the validator reads the
    others from this stream as the origin does. Used by one thread.
    """

    __slots__ = ("_source", "_topic_partition", "_data", "_at", "_left", "_max_record", "_failure",
                 "_base_timestamp", "_log_append_time", "_needs_keys", "_skips_keys_and_values",
                 "max_timestamp", "in_order")

    def __init__(self, batch: DefaultRecordBatch, topic_partition: TopicPartition, needs_keys: bool,
                 log_append_time: int | None, skips_keys_and_values: bool,
                 buffer_supplier: BufferSupplier) -> None:
        """``log_append_time`` is the time of all records, or None if each has its own.

        With ``skips_keys_and_values`` the stated length of a record is not checked, as in the origin.
        """
        self._source = batch.record_input_stream(buffer_supplier)
        self._topic_partition = topic_partition
        self._data = b""
        self._at = 0
        size = _MAX_EXPANSION * batch.size_in_bytes()
        self._left = max(MAX_EXPANDED_BYTES, size)
        self._max_record = max(MAX_RECORD_BYTES, size)
        self._failure: Exception | None = None
        self._base_timestamp = batch.base_timestamp()
        self._log_append_time = log_append_time
        self._needs_keys = needs_keys
        self._skips_keys_and_values = skips_keys_and_values
        # The latest time of the records that take() took, and whether their offsets count from 0.
        self.max_timestamp = RecordBatch.NO_TIMESTAMP
        self.in_order = True

    def _fill(self) -> bool:
        """Decompress the next chunk behind the unread bytes; return whether there was one.

        Raises RecordTooLargeException beyond the limit, or the decompressor's exception.
        """
        if self._failure is not None:
            raise self._failure
        chunk = memoryview(bytearray(_CHUNK))
        try:
            count = self._source.read_into(chunk)
        except Exception as e:
            self._failure = e
            raise
        if count <= 0:
            return False
        self._left -= count
        if self._left < 0:
            raise RecordTooLargeException(
                f"The compressed batch in the append to {self._topic_partition} expands to more than "
                f"{MAX_EXPANDED_BYTES} bytes, and to more than {_MAX_EXPANSION} times its size")
        self._data = b"".join((self._data[self._at:], chunk[:count]))
        self._at = 0
        return True

    def read(self) -> int:
        """Return the next byte, or -1 at the end. Raises as ``_fill``."""
        at = self._at
        if at >= len(self._data):
            if not self._fill():
                return -1
            at = 0
        self._at = at + 1
        return self._data[at]

    def read_into(self, target: memoryview) -> int:
        """Read the bytes of one chunk. Raises as ``_fill``."""
        if self._at >= len(self._data) and not self._fill():
            return -1
        part = self._data[self._at:self._at + len(target)]
        target[:len(part)] = part
        self._at += len(part)
        return len(part)

    def read_n_bytes(self, count: int) -> bytes:
        """Raises RecordTooLargeException for a record beyond the limit, or as ``_fill``."""
        if count > self._max_record:
            raise RecordTooLargeException(
                f"A record of the compressed batch in the append to {self._topic_partition} has {count} "
                f"bytes, more than {self._max_record}")
        return super().read_n_bytes(count)

    def skip(self, count: int) -> int:
        """Skip up to ``count`` bytes, fewer at the end. Raises as ``_fill``."""
        left = count
        while left > 0 and (self._at < len(self._data) or self._fill()):
            step = min(left, len(self._data) - self._at)
            self._at += step
            left -= step
        return count - left

    def close(self) -> None:
        """Close the decompressor."""
        self._source.close()

    def take(self, index: int, end: int, earliest: int, latest: int,
             builder: MemoryRecordsBuilder | None) -> tuple[int, int]:
        """Move over the records from ``index`` on, before record ``end``, and append them to ``builder``.

        Stop before the first record that is invalid or unusual: cut off, without a necessary key, longer
        than a chunk, or with a time outside ``earliest`` to ``latest`` in milliseconds. The builder already
        has a record. Return the index of the next record, and the number of bytes taken.

        Raises RecordTooLargeException for too much data.
        """
        size = 0
        while index < end:
            start = self._at
            index = self._take(index, end, earliest, latest, builder)
            size += self._at - start
            # A record that does not fit into what is there is cut off by the chunk, or too long.
            if index < end and (len(self._data) - self._at >= _CHUNK or not self._fill_for_take()):
                break
        return index, size

    def _fill_for_take(self) -> bool:
        """Return whether there is another chunk. A fault of the data is for the reader of the next record."""
        try:
            return self._fill()
        except RecordTooLargeException:
            raise
        except Exception:
            return False

    def _take(self, index: int, end: int, earliest: int, latest: int,
              builder: MemoryRecordsBuilder | None) -> int:
        """Move over records of the chunk; return the index of the first one that is not taken."""
        data, at = self._data, self._at
        limit = len(data)
        base_timestamp, log_append_time = self._base_timestamp, self._log_append_time
        skips_keys_and_values, needs_keys = self._skips_keys_and_values, self._needs_keys
        max_timestamp = self.max_timestamp
        start = index
        expected = index << 1
        # The records from here on go to the builder as they are.
        same_from = at
        pieces: list[bytes] = []
        new_base = 0 if builder is None else builder.first_timestamp()
        same_times = base_timestamp == new_base and log_append_time is None
        # No record has this number.
        last_number, timestamp = -1, 0
        try:
            while index < end:
                number = data[at]
                position = at + 1
                if number > 127:
                    more = data[position]
                    if more < 128:
                        number += (more - 1) << 7
                        position += 1
                    else:
                        number, position = _varint(data, position, number)
                stop = position + (number >> 1)
                if number & 1:
                    break

                attributes = data[position]
                number = data[position + 1]
                position += 2
                if number > 127:
                    more = data[position]
                    if more < 128:
                        number += (more - 1) << 7
                        position += 1
                    else:
                        number, position = _varlong(data, position, number)
                if number != last_number:
                    timestamp = (base_timestamp + (number >> 1 ^ -(number & 1)) if log_append_time is None
                                 else log_append_time)
                    if not earliest <= timestamp <= latest and timestamp != -1:
                        break
                    last_number = number
                    if timestamp > max_timestamp:
                        max_timestamp = timestamp

                number = data[position]
                position += 1
                if number > 127:
                    more = data[position]
                    if more < 128:
                        number += (more - 1) << 7
                        position += 1
                    else:
                        number, position = _varint(data, position, number)
                tail = position
                same = number == expected

                number = data[position]
                position += 1
                if number > 127:
                    more = data[position]
                    if more < 128:
                        number += (more - 1) << 7
                        position += 1
                    else:
                        number, position = _varint(data, position, number)
                if not number & 1:
                    position += number >> 1
                elif needs_keys:
                    break

                number = data[position]
                position += 1
                if number > 127:
                    more = data[position]
                    if more < 128:
                        number += (more - 1) << 7
                        position += 1
                    else:
                        number, position = _varint(data, position, number)
                if not number & 1:
                    position += number >> 1

                number = data[position]
                position += 1
                if number:
                    position = _skip_headers(data, position, number)
                if position != stop and not skips_keys_and_values or position > limit:
                    break

                if builder is None:
                    if not same:
                        self.in_order = False
                elif not (same and same_times) or attributes:
                    if at > same_from:
                        pieces.append(data[same_from:at])
                    pieces.append(_moved(index, timestamp - new_base, data[tail:position]))
                    same_from = position
                index += 1
                expected += 2
                at = position
        except (IndexError, ValueError):
            pass  # the record is cut off by the chunk, or invalid
        self._at = at
        self.max_timestamp = max_timestamp
        if builder is not None and index > start:
            if at > same_from:
                pieces.append(data[same_from:at])
            builder.append_encoded(b"".join(pieces), index - start, max_timestamp)
        return index


def _moved(offset_delta: int, timestamp_delta: int, tail: bytes) -> bytes:
    """Return a record with another offset and time. ``tail`` is what follows its offset."""
    head = b"\0" + _encoded(timestamp_delta << 1 if timestamp_delta >= 0 else ~timestamp_delta << 1 | 1)
    number = offset_delta << 1
    if number < 1 << 7:
        head += bytes((number,))
    elif number < 1 << 14:
        head += bytes((number & 127 | 128, number >> 7))
    else:
        head += _encoded(number)
    size = len(head) + len(tail) << 1
    return b"".join((bytes((size,)) if size < 128 else _encoded(size), head, tail))


def _encoded(number: int) -> bytes:
    """Return the bytes of an unsigned varint."""
    if number < 128:
        return bytes((number,))
    encoded = bytearray()
    while number > 127:
        encoded.append(number & 127 | 128)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def _varlong(data: BytesLike, at: int, number: int) -> tuple[int, int]:
    """Return a number of several bytes, of which the first was read, and the position of its end.

    Raises ValueError if it exceeds Java's long; IndexError if it is cut off.
    """
    number &= 0x7F
    for shift in range(7, 64, 7):
        more = data[at]
        at += 1
        number |= (more & 0x7F) << shift
        if more < 128:
            if number > 0xFFFF_FFFF_FFFF_FFFF:
                break
            return number, at
    raise ValueError("a number of more than 64 bits")


def _varint(data: BytesLike, at: int, number: int) -> tuple[int, int]:
    """Return a number of several bytes, of which the first was read, and the position of its end.

    Raises ValueError if it exceeds Java's int; IndexError if it is cut off.
    """
    number &= 0x7F
    for shift in (7, 14, 21, 28):
        more = data[at]
        at += 1
        number |= (more & 0x7F) << shift
        if more < 128:
            if number > 0xFFFF_FFFF:
                break
            return number, at
    raise ValueError("a number of more than 32 bits")


def _skip_headers(data: BytesLike, at: int, number: int) -> int:
    """Return the position where a record's headers end; the first byte of their number was read.

    Raises ValueError if they are invalid, IndexError if they are cut off.
    """
    if number > 127:
        number, at = _varint(data, at, number)
    if number & 1:
        raise ValueError("a negative number of headers")
    for _ in range(number >> 1):
        number = data[at]
        at += 1
        if number > 127:
            number, at = _varint(data, at, number)
        if number & 1:
            raise ValueError("a header without a key")
        at += number >> 1
        number = data[at]
        at += 1
        if number > 127:
            number, at = _varint(data, at, number)
        if not number & 1:
            at += number >> 1
    return at
