# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Compaction: of a log whose records have keys, the batches stay that still say something.

Only the topics in which coordinators keep their state are compacted. A replay of what stays gives the same
state as a replay of all: for each key the last value, where values of a transaction count from its COMMIT
marker on and stand where they were written, and those of an aborted one never count.

Sealed segments below the last stable offset are looked at, from the beginning of the log, each time that
there is a new one. A batch stays as it is, or goes as a whole: it stays for a value that is the last of its
key, for a transaction that is not ended by a marker among these segments, and for a tombstone as long as an
older value of its key stays in any batch. A marker stays with the batches that it commits.

DEVIATION D121: Kafka's cleaner takes single records out of batches, merges segments, keeps tombstones for a
day, and waits until half of the log is stale. What grows without bound is gone in either case: what stays is
a batch for each key at the most, the active segment and what was sealed since the last look. An active
segment is sealed for that when it is larger than ``MAX_ACTIVE_BYTES``, and not only when it is full: a
coordinator reads it at each start, some 40 us a commit, and is not there for its groups meanwhile.

One thread of the scheduler at a time. Readers go on meanwhile: they keep the file that they have.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from typing import NamedTuple

from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.log_context import LogContext
from kreactor.embedded import batch_scan
from kreactor.embedded.batch_scan import CONTROL_MASK, TRANSACTIONAL_MASK
from kreactor.embedded.log_segment import LogSegment
from kreactor.embedded.partition_log import PartitionLog
from kreactor.jdk.nio_buffer import ByteBuffer

MAX_ACTIVE_BYTES = 8 * 1024 * 1024

log = LogContext().logger(__name__)


class _Batch(NamedTuple):
    """A batch, and which of all records are its own."""

    segment: int
    position: int
    size: int
    base_offset: int
    # None outside of transactions.
    producer_id: int | None
    is_marker: bool
    first_record: int
    last_record: int


class _Marker(NamedTuple):
    offset: int
    is_commit: bool


class _Contents:
    """What some segments hold. Keys are numbered as they come."""

    def __init__(self) -> None:
        self.batches: list[_Batch] = []
        self.markers: dict[int, list[_Marker]] = {}
        # Of each record: key, offset, whether it has a value.
        self.keys = array("l")
        self.offsets = array("q")
        self.has_value = bytearray()
        self._key_numbers: dict[bytes, int] = {}

    def read(self, number: int, segment: LogSegment) -> bool:
        """Add a segment; return whether all of it can be compacted. Raises OSError."""
        for found in batch_scan.scan(segment.channel(), 0, segment.size(), verify=False):
            if found.magic != RecordBatch.MAGIC_VALUE_V2:
                return False
            is_marker = found.attributes & CONTROL_MASK != 0
            producer_id = found.producer_id if found.attributes & TRANSACTIONAL_MASK else None
            first_record = len(self.keys)
            batch = DefaultRecordBatch(
                ByteBuffer.wrap(segment.channel().read_at(found.size, found.position)))
            # One at a time: a batch may be much larger when decompressed.
            with batch.streaming_iterator(BufferSupplier.NO_CACHING) as records:
                for record in records:
                    key = record.key()
                    if key is None:
                        # Refused today, and taken once. Kafka's cleaner drops it too.
                        continue
                    if is_marker:
                        self.markers.setdefault(found.producer_id, []).append(_Marker(
                            found.base_offset, ControlRecordType.parse(key) is ControlRecordType.COMMIT))
                        break
                    self.keys.append(self._key_numbers.setdefault(key.to_bytes(), len(self._key_numbers)))
                    self.offsets.append(record.offset())
                    self.has_value.append(record.has_value())
            self.batches.append(_Batch(number, found.position, found.size, found.base_offset, producer_id,
                                       is_marker, first_record, len(self.keys)))
        return True

    def marker_of(self, batch: _Batch) -> _Marker | None:
        """Return the marker that ends the transaction of a batch, or None."""
        assert batch.producer_id is not None
        markers = self.markers.get(batch.producer_id, [])
        at = bisect_left(markers, batch.base_offset, key=lambda marker: marker.offset)
        return markers[at] if at < len(markers) else None

    def batches_to_keep(self) -> list[_Batch]:
        """Return the batches that stay, in order."""
        undecided = set()
        counts = []
        for number, batch in enumerate(self.batches):
            if batch.is_marker:
                continue
            if batch.producer_id is not None:
                marker = self.marker_of(batch)
                if marker is None:
                    undecided.add(number)
                    continue
                if not marker.is_commit:
                    continue
            counts.append(number)

        latest: dict[int, int] = {}
        for number in counts:
            for record in self._records(number):
                latest[self.keys[record]] = self.offsets[record]

        keep = set(undecided)
        with_tombstones = []
        for number in counts:
            of_last = [record for record in self._records(number)
                       if latest[self.keys[record]] == self.offsets[record]]
            if any(self.has_value[record] for record in of_last):
                keep.add(number)
            elif of_last:
                with_tombstones.append(number)

        older_values = {
            self.keys[record] for number in (*keep, *with_tombstones) for record in self._records(number)
            if self.has_value[record] and latest.get(self.keys[record]) != self.offsets[record]}
        keep.update(number for number in with_tombstones if any(
            self.keys[record] in older_values for record in self._records(number)))

        committed = {(batch.producer_id, marker.offset) for number in keep
                     for batch in (self.batches[number],) if batch.producer_id is not None
                     for marker in (self.marker_of(batch),) if marker is not None}
        return [batch for number, batch in enumerate(self.batches)
                if number in keep or batch.is_marker and (batch.producer_id, batch.base_offset) in committed]

    def _records(self, number: int) -> range:
        batch = self.batches[number]
        return range(batch.first_record, batch.last_record)


def clean(partition_log: PartitionLog) -> int:
    """Compact what was sealed; return the bytes that this gave back.

    Raises KafkaStorageException, CorruptRecordException or OSError.
    """
    if partition_log.segments()[-1].size() > MAX_ACTIVE_BYTES:
        partition_log.roll()
    segments = partition_log.segments()
    last_stable_offset = partition_log.last_stable_offset()
    sealed = [segment for segment, following in zip(segments, segments[1:])
              if following.base_offset() <= last_stable_offset]
    if not sealed or sealed[-1].base_offset() == partition_log.last_cleaned_segment():
        return 0
    # What makes an older value stale has to be on the disk before that goes.
    partition_log.flush_up_to(segments[len(sealed)].base_offset())
    contents = _Contents()
    for number, segment in enumerate(sealed):
        if not contents.read(number, segment):
            log.warn("%s is not compacted: it has records of an old format", partition_log)
            return 0
    kept: list[list[tuple[int, int]]] = [[] for _ in sealed]
    for batch in contents.batches_to_keep():
        kept[batch.segment].append((batch.position, batch.size))
    saved = 0
    # From the first on: what makes an older value stale is there until that has gone.
    for segment, ranges in zip(sealed, kept):
        size = sum(size for _, size in ranges)
        if size < segment.size():
            partition_log.rewrite_segment(segment, ranges)
            saved += segment.size() - size
    partition_log.set_last_cleaned_segment(sealed[-1].base_offset())
    log.info("%s is compacted up to %d: %d bytes less", partition_log, segments[len(sealed)].base_offset(),
             saved)
    return saved
