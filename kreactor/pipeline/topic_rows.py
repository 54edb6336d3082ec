# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Turns batches of records into rows of Arrow, many records at once.

Python only finds where each record of a batch begins. numpy decodes the numbers of all records together, and
Arrow copies their keys and values. Small batches and old formats are decoded record by record, as is a batch
that has anything unusual: then that decoder tells what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kreactor.clients.topic_reader import Fetched, decoded
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.jdk.extras import needs

try:
    import numpy as np
    import pyarrow as pa
except ImportError as e:
    raise ImportError(needs(__name__, "spark")) from e

if TYPE_CHECKING:
    from numpy.typing import NDArray

HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
SCHEMA = pa.schema([
    ("key", pa.binary()), ("value", pa.binary()), ("topic", pa.string()), ("partition", pa.int32()),
    ("offset", pa.int64()), ("timestamp", pa.timestamp("us", tz="UTC")), ("timestampType", pa.int32()),
    ("headers", HEADERS)])

# A batch of fewer records is decoded record by record.
_FEW = 64
# Zeros after the records, so that the numbers of a record that is cut short end.
_PADDING = bytes(16)
# The most bytes of the records of a batch.
_MOST_BYTES = (1 << 31) - 1
# The most bits of a number before its last byte.
_MOST_BITS = 63


@dataclass(frozen=True, slots=True)
class Wanted:
    """The records of a partition that are wanted: from ``begin`` and ``from_us`` to before ``end`` and
    ``to_us``, with times in microseconds; None for no bound of the time."""

    topic: str
    partition: int
    begin: int
    end: int
    from_us: int | None = None
    to_us: int | None = None
    with_headers: bool = False

    def may_have(self, batch: RecordBatch) -> bool:
        """Return whether a batch may have wanted records, by its header."""
        last_us = 1000 * batch.max_timestamp()
        if self.from_us is not None and last_us < self.from_us:
            return False
        # All records have the time of the append.
        return not (self.to_us is not None and last_us >= self.to_us
                    and batch.timestamp_type() is TimestampType.LOG_APPEND_TIME)

    def has(self, record: Fetched) -> bool:
        """Return whether a record is wanted."""
        time_us = 1000 * record.timestamp
        return (self.begin <= record.offset < self.end and (self.from_us is None or time_us >= self.from_us)
                and (self.to_us is None or time_us < self.to_us))


def rows_of(batches: Iterable[RecordBatch], wanted: Wanted) -> Iterator[pa.RecordBatch]:
    """Yield the rows of the wanted records, in order."""
    waiting: list[Fetched] = []
    for batch in batches:
        if not wanted.may_have(batch):
            continue
        rows = _decoded_at_once(batch, wanted)
        if rows is None:
            waiting += filter(wanted.has, decoded(batch, wanted.begin))
            continue
        if waiting:
            yield _rows(waiting, wanted)
            waiting = []
        if rows.num_rows:
            yield rows
    if waiting:
        yield _rows(waiting, wanted)


def _rows(records: Sequence[Fetched], wanted: Wanted) -> pa.RecordBatch:
    """Return the rows of records that were decoded one by one."""
    offsets, times, types, keys, values, headers = zip(*records, strict=True)
    return _batch(
        wanted, pa.array(keys, pa.binary()), pa.array(values, pa.binary()), pa.array(offsets, pa.int64()),
        pa.array(times, pa.int64()), pa.array([type_.value[0] for type_ in types], pa.int32()), headers)


def _batch(wanted: Wanted, keys: pa.Array, values: pa.Array, offsets: pa.Array, times_ms: pa.Array,
           types: pa.Array, headers: Iterable[Iterable[tuple[str, bytes | None]]]) -> pa.RecordBatch:
    import pyarrow.compute as pc

    columns = [
        keys, values, pa.repeat(pa.scalar(wanted.topic), len(keys)),
        pa.repeat(pa.scalar(wanted.partition, pa.int32()), len(keys)), offsets,
        pc.multiply(times_ms, 1000).cast(pa.timestamp("us", tz="UTC")), types]
    if wanted.with_headers:
        columns.append(pa.array(
            [[{"key": key, "value": value} for key, value in each] for each in headers], HEADERS))
    return pa.RecordBatch.from_arrays(columns, schema=pa.schema([*SCHEMA][:len(columns)]))


def _decoded_at_once(batch: RecordBatch, wanted: Wanted) -> pa.RecordBatch | None:
    """Return the rows of the wanted records; None if the batch has to be decoded record by record."""
    if not isinstance(batch, DefaultRecordBatch) or batch.count() < _FEW:
        return None
    with batch.record_input_stream(BufferSupplier.NO_CACHING) as stream:
        data = stream.read_n_bytes(_MOST_BYTES)
    try:
        begins, ends = _bodies(data, batch.count())
        octets = np.frombuffer(data + _PADDING, np.uint8)
        # The first byte has attributes, which no record uses.
        times, at = _varints(octets, begins + 1)
        offsets, at = _varints(octets, at)
        key_sizes, key_begins = _varints(octets, at)
        key_ends = key_begins + np.maximum(key_sizes, 0)
        value_sizes, value_begins = _varints(octets, key_ends)
        value_ends = value_begins + np.maximum(value_sizes, 0)
        headers, at = _varints(octets, value_ends)
    except (IndexError, ValueError):
        return None
    if (min(key_sizes.min(), value_sizes.min()) < -1 or headers.min() < 0 or (at > ends).any()
            or (at != ends)[headers == 0].any() or wanted.with_headers and headers.any()):
        return None
    offsets += batch.base_offset()
    is_append_time = batch.timestamp_type() is TimestampType.LOG_APPEND_TIME
    times = np.full(len(times), batch.max_timestamp()) if is_append_time else times + batch.base_timestamp()
    mask = (offsets >= wanted.begin) & (offsets < wanted.end)
    if wanted.from_us is not None:
        mask &= 1000 * times >= wanted.from_us
    if wanted.to_us is not None:
        mask &= 1000 * times < wanted.to_us
    rows = np.flatnonzero(mask)
    # Keys, values and what is between them are the elements of one array.
    bounds = np.column_stack((key_begins, key_ends, value_begins, value_ends)).ravel().astype(np.int32)
    pieces = pa.Array.from_buffers(
        pa.binary(), len(bounds) - 1, [None, pa.py_buffer(bounds), pa.py_buffer(data)])
    keys, values = (pieces.take(pa.array(4 * rows + at, mask=sizes[rows] < 0))
                    for at, sizes in ((0, key_sizes), (2, value_sizes)))
    types = pa.repeat(pa.scalar(batch.timestamp_type().value[0], pa.int32()), len(rows))
    return _batch(wanted, keys, values, pa.array(offsets[rows]), pa.array(times[rows]), types,
                  [()] * len(rows) if wanted.with_headers else ())


def _bodies(data: bytes, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the bodies of ``count`` records begin and end. Raises ValueError and IndexError."""
    begins, ends, at = [], [], 0
    for _ in range(count):
        size = data[at]
        at += 1
        if size > 127:
            size &= 127
            shift = 7
            while (octet := data[at]) > 127:
                size |= (octet & 127) << shift
                shift += 7
                at += 1
            size |= octet << shift
            at += 1
        # A number is doubled, or it is negative.
        if size & 1:
            raise ValueError
        begins.append(at)
        at += size >> 1
        ends.append(at)
    if at != len(data):
        raise ValueError
    return np.array(begins, np.int64), np.array(ends, np.int64)


def _varints(octets: NDArray[np.uint8], at: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the numbers at positions, and where each one ends. Raises ValueError and IndexError."""
    octet = octets[at]
    found = (octet & 127).astype(np.uint64)
    at = at + 1
    rows, shift = np.flatnonzero(octet > 127), 7
    while len(rows):
        if shift > _MOST_BITS:
            raise ValueError
        octet = octets[at[rows]]
        found[rows] |= (octet & 127).astype(np.uint64) << np.uint64(shift)
        at[rows] += 1
        rows = rows[octet > 127]
        shift += 7
    return (found >> np.uint64(1)).astype(np.int64) ^ -(found & np.uint64(1)).astype(np.int64), at
