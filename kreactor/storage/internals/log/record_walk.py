# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The fast check of the records of a magic 2 batch: whether they match the batch's header.

Fact: Kafka's LogValidator makes an object per record, to find a wrong count, length or timestamp.
Consequence: its port takes 2.6 us per record, five times the rest of an append of many records. Choice: one
loop over the bytes that knows only the regular case. It returns yes or no, without a reason. After a no, the
validator checks the batch itself, and responds as Kafka does. Cost: the layout of a record is known here and
in ``DefaultRecord``; a test compares the two.
"""

from __future__ import annotations

from kreactor.common.errors import UnsupportedCompressionTypeException
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike

# The maximum of one batch's bytes that are in memory at once.
MAX_BYTES_INSIDE = 4 * 1024 * 1024


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
