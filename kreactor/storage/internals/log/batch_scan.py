# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Iterates over the batches of a segment's file: by headers alone, or with the checksum of every byte.

The file is read in large pieces, independent of the batches' sizes. Batches of magic 0 and 1, which only a
log of an old Kafka has, are read through the port of their format.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from kreactor.common.errors import CorruptRecordException
from kreactor.common.record.abstract_legacy_record_batch import AbstractLegacyRecordBatch
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.legacy_record import LegacyRecord
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.records import Records
from kreactor.jdk.checksums import crc32c
from kreactor.jdk.nio_buffer import ByteBuffer

# Base offset, length of the rest, leader epoch, magic, checksum, attributes, last offset delta, base and max
# timestamp, producer id, epoch and base sequence, number of records.
HEADER = struct.Struct(">qiibIhiqqqhii")
HEADER_SIZE = HEADER.size
LOG_OVERHEAD = Records.LOG_OVERHEAD
# The first position that the checksum covers.
ATTRIBUTES_OFFSET = DefaultRecordBatch.ATTRIBUTES_OFFSET

COMPRESSION_MASK = 0x07
TIMESTAMP_TYPE_MASK = 0x08
TRANSACTIONAL_MASK = 0x10
CONTROL_MASK = 0x20

_NO_PRODUCER_ID = RecordBatch.NO_PRODUCER_ID
_MAGIC_V2 = RecordBatch.MAGIC_VALUE_V2
_LEGACY_OVERHEAD = LegacyRecord.RECORD_OVERHEAD_V0
_HEADER_UP_TO_MAGIC = struct.Struct(">qi4xb")
_LAST_OFFSET = struct.Struct(">qi4xb6xi")
_HEADER_SIZE_UP_TO_MAGIC = Records.HEADER_SIZE_UP_TO_MAGIC

_HEADERS_STEP = 1 << 16
_BODIES_STEP = 1 << 20
# A walk from an index entry seldom exceeds the interval between two entries.
_WALK_STEP = 4096 + HEADER_SIZE


class ReadAt(Protocol):
    """A file that can be read at any position."""

    def read_at(self, count: int, position: int) -> bytes:
        """Return ``count`` bytes from ``position``; fewer only at the end of the file. Raises OSError."""


class Batch(NamedTuple):
    """The header of a batch, and the position of the batch in its file."""

    position: int
    size: int
    magic: int
    base_offset: int
    last_offset: int
    leader_epoch: int
    attributes: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    base_sequence: int

    def last_sequence(self) -> int:
        """Return the sequence number of the last record; -1 if the batch has none."""
        if self.base_sequence < 0:
            return RecordBatch.NO_SEQUENCE
        return DefaultRecordBatch.increment_sequence(self.base_sequence, self.last_offset - self.base_offset)


def scan(file: ReadAt, position: int, end: int, verify: bool) -> Iterator[Batch]:
    """Yield the batches from ``position``, where a batch begins, to ``end``.

    With ``verify``, all bytes are read and checked. Raises CorruptRecordException at the first invalid or
    incomplete batch, and OSError.
    """
    step = _BODIES_STEP if verify else _HEADERS_STEP
    chunk = memoryview(b"")
    chunk_start = position
    while position < end:
        at = position - chunk_start
        if at + HEADER_SIZE > len(chunk) and chunk_start + len(chunk) < end:
            chunk = memoryview(file.read_at(min(step, end - position), position))
            chunk_start, at = position, 0
        left = len(chunk) - at
        if left <= _HEADER_SIZE_UP_TO_MAGIC:
            raise CorruptRecordException(f"a header is cut off at {left} bytes")
        offset, length, magic = _HEADER_UP_TO_MAGIC.unpack_from(chunk, at)
        size = LOG_OVERHEAD + length
        if length < _LEGACY_OVERHEAD:
            raise CorruptRecordException(f"a batch header declares {size} bytes")
        if position + size > end:
            raise CorruptRecordException(f"a batch of {size} bytes is cut off at {end - position}")
        if (verify or magic != _MAGIC_V2) and size > left:
            chunk = memoryview(file.read_at(min(max(step, size), end - position), position))
            chunk_start, at = position, 0
            if size > len(chunk):
                raise CorruptRecordException(f"the file ends within a batch of {size} bytes")
        if magic == _MAGIC_V2:
            if size < HEADER_SIZE or len(chunk) - at < HEADER_SIZE:
                raise CorruptRecordException(f"a batch of {size} bytes is shorter than its header")
            (offset, _, epoch, _, crc, attributes, delta, _, max_timestamp, producer_id, producer_epoch,
             base_sequence, _) = HEADER.unpack_from(chunk, at)
            if verify and crc32c(chunk[at + ATTRIBUTES_OFFSET:at + size]) != crc:
                raise CorruptRecordException(f"the checksum of the batch at offset {offset} is wrong")
            yield Batch(position, size, magic, offset, offset + delta, epoch, attributes, max_timestamp,
                        producer_id, producer_epoch, base_sequence)
        elif 0 <= magic < _MAGIC_V2:
            yield _legacy_batch(chunk[at:at + size], position, verify)
        else:
            raise CorruptRecordException(f"unknown magic {magic}")
        position += size


def _legacy_batch(data: memoryview, position: int, verify: bool) -> Batch:
    batch = AbstractLegacyRecordBatch.ByteBufferLegacyRecordBatch(ByteBuffer.wrap(data))
    if verify:
        batch.ensure_valid()
    # The first offset of a compressed batch is inside it. No caller needs it, because these batches are never
    # written here.
    return Batch(position, len(data), batch.magic(), batch.last_offset(), batch.last_offset(),
                 RecordBatch.NO_PARTITION_LEADER_EPOCH, 0, batch.max_timestamp(), _NO_PRODUCER_ID,
                 RecordBatch.NO_PRODUCER_EPOCH, RecordBatch.NO_SEQUENCE)


def find(file: ReadAt, target_offset: int, position: int, end: int) -> tuple[int, int] | None:
    """Return position and size of the first batch that ends at ``target_offset`` or later, or None.

    Walks from ``position``, where a batch begins, to ``end``, where one ends. Raises OSError, and
    CorruptRecordException at invalid bytes.
    """
    unpack = _LAST_OFFSET.unpack_from
    while position < end:
        left = end - position
        chunk = file.read_at(_WALK_STEP if _WALK_STEP < left else left, position)
        last, at = len(chunk) - HEADER_SIZE, 0
        if last < 0:
            # Only a legacy batch is shorter than a header of magic 2.
            if len(chunk) <= _HEADER_SIZE_UP_TO_MAGIC:
                raise CorruptRecordException(f"the file ends within a header at {position}")
            chunk += bytes(HEADER_SIZE)
            last = 0
        while at <= last:
            offset, length, magic, delta = unpack(chunk, at)
            if length < _LEGACY_OVERHEAD:
                raise CorruptRecordException(f"a batch at {position} says that it has {length} bytes")
            if magic >= _MAGIC_V2:
                offset += delta
            if offset >= target_offset:
                return position, length + LOG_OVERHEAD
            length += LOG_OVERHEAD
            at += length
            position += length
    return None
