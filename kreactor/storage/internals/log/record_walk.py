# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The short way through the records of a batch of magic 2: whether they are what its header says.

Fact: Kafka's LogValidator makes an object of each record, to find a count, a length or a time that is wrong.
Consequence: the port of that takes 2.6 us a record, and five times the rest of an append of many records.
Choice: one loop over the bytes, which knows the regular case alone. It says yes or no, and nothing of why:
for a no, the validator looks itself, and answers as Kafka does.
Cost: the layout of a record is known here too, beside ``DefaultRecord``; a test holds the two together.
"""

from __future__ import annotations

from kreactor.common.errors import UnsupportedCompressionTypeException
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike

# More than this of one batch is never in memory at once.
MAX_BYTES_INSIDE = 4 * 1024 * 1024


def is_regular(data: BytesLike, at: int, count: int, latest_delta: int | None, needs_keys: bool) -> bool:
    """Return whether ``data`` is, from ``at`` to its end, ``count`` records as producers write them.

    Their offsets count from 0; the latest of their times is ``latest_delta`` after the batch's first, in
    milliseconds, unless that is None; with ``needs_keys`` all have one. No is no judgement: what is not
    regular may be valid.
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

            # The attributes have no meaning. A time before the first is an odd number.
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
    """As ``is_regular`` of the records that a whole batch has compressed; no if they are very large.

    DEVIATION D241: a batch of a codec whose package is not installed (D57) is believed its header.
    """
    try:
        with DefaultRecordBatch(ByteBuffer.wrap(batch)).record_input_stream(
                BufferSupplier.NO_CACHING) as stream:
            data = stream.read_n_bytes(MAX_BYTES_INSIDE + 1)
    except UnsupportedCompressionTypeException:
        return True
    except Exception:
        return False  # the validator meets the same, and says so
    return len(data) <= MAX_BYTES_INSIDE and is_regular(data, 0, count, latest_delta, needs_keys)


def _varint(data: BytesLike, at: int, number: int) -> tuple[int, int]:
    """Return a number of several bytes, of which the first was read, and where it ends.

    Raises ValueError if it is longer than an int of Java; IndexError if it is cut off.
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
    """Return where a record's headers end; the first byte of their number was read.

    Raises ValueError if they cannot be, IndexError if they are cut off.
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
