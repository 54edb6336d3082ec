# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Helpers of the log's tests: records that have keys, a map without hashes, those of Kafka's LogTestUtils."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO

from kreactor.common.compress.compression import Compression
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.end_transaction_marker import EndTransactionMarker
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record import Record
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.log import log_loader
from kreactor.core.log.cleaner import Cleaner
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.storage.internals.log.aborted_txn import AbortedTxn
from kreactor.storage.internals.log.append_origin import AppendOrigin
from kreactor.storage.internals.log.batch_scan import ATTRIBUTES_OFFSET
from kreactor.storage.internals.log.fetch_data_info import FetchDataInfo
from kreactor.storage.internals.log.fetch_isolation import FetchIsolation
from kreactor.storage.internals.log.log_append_info import LogAppendInfo
from kreactor.storage.internals.log.log_config import LogConfig
from kreactor.storage.internals.log.log_file_utils import LOG_SUFFIX, SNAPSHOT_SUFFIX, file_name
from kreactor.storage.internals.log.log_offset_metadata import LogOffsetMetadata
from kreactor.storage.internals.log.log_segment import LogSegment
from kreactor.storage.internals.log.offset_map import OffsetMap
from kreactor.storage.internals.log.producer_state_manager_config import ProducerStateManagerConfig
from kreactor.storage.internals.log.verification_guard import VerificationGuard
from kreactor.storage.internals.utils.throttler import Throttler
from kreactor.testing.mock_time import MockTime
from tests.storage.internals.log.support import NOW, LogHarness, MockScheduler, TrackedFiles, log_config, wrap

MAX_INT, MAX_LONG = 2**31 - 1, 2**63 - 1
TP = TopicPartition("log", 0)
TOMBSTONE_RETENTION_MS = 86_400_000
LARGE_TIMESTAMP = MAX_LONG - TOMBSTONE_RETENTION_MS - 1


class FakeOffsetMap(OffsetMap):
    """Of Kafka's tests: keys as they are."""

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self.map: dict[bytes, int] = {}
        self.last_offset = -1

    def slots(self) -> int:
        return self._slots

    def put(self, key: ByteBuffer, offset: int) -> None:
        self.last_offset = offset
        self.map[key.to_bytes()] = offset

    def get(self, key: ByteBuffer) -> int:
        return self.map.get(key.to_bytes(), -1)

    def update_latest_offset(self, offset: int) -> None:
        self.last_offset = offset

    def clear(self) -> None:
        self.map.clear()

    def size(self) -> int:
        return len(self.map)

    def latest_offset(self) -> int:
        return self.last_offset


class Logs:
    """Logs in a folder, which are closed in the end."""

    def __init__(self, directory: Path, time: MockTime | None = None) -> None:
        self.directory = str(directory)
        self.time = MockTime(current_time_ms=NOW) if time is None else time
        self.scheduler = MockScheduler(self.time)
        self.files = TrackedFiles()
        self.made: list[UnifiedLog] = []
        self.registry = MetricsRegistry()
        self.throttler = Throttler(float("inf"), MAX_LONG, "throttler", "entries", self.time, self.registry)

    def make(self, tp: TopicPartition = TP, *, clean: bool = True, recovery_point: int = 0,
             was_cleaned: bool = False, config: LogConfig | None = None,
             klass: type[UnifiedLog] | None = None,
             **settings: object) -> UnifiedLog:
        """Open a log, a compacted one if nothing else is said."""
        if config is None:
            config = log_config(**{
                "compact": True, "delete": False, "segment_bytes": 1024, "segment_index_bytes": 1024,
                "retention_ms": -1, **settings})
        directory = os.path.join(self.directory, f"{tp.topic()}-{tp.partition()}")
        os.makedirs(directory, exist_ok=True)
        log = log_loader.load(
            tp, None, directory, config, self.files, self.scheduler, self.time, clean=clean,
            recovery_point=recovery_point, was_cleaned=was_cleaned,
            producer_state_config=ProducerStateManagerConfig(24 * 60 * 60 * 1000, False))
        if klass is not None:
            log.__class__ = klass
        self.made.append(log)
        return log

    def cleaner(self, capacity: int = MAX_INT, check_done: Callable[[TopicPartition], None] | None = None,
                max_message_size: int = 64 * 1024, offset_map: OffsetMap | None = None) -> Cleaner:
        return Cleaner(0, FakeOffsetMap(capacity) if offset_map is None else offset_map, max_message_size,
                       max_message_size, 0.75, self.throttler, self.time,
                       (lambda _: None) if check_done is None else check_done)

    def dispose(self) -> None:
        for log in self.made:
            log.abandon()
        self.files.close_all()


def key(id: int) -> ByteBuffer:
    return ByteBuffer.wrap(str(id).encode())


def record(key: int, value: int | bytes | None, producer_id: int = -1, producer_epoch: int = -1,
           sequence: int = -1, timestamp: int = NOW) -> MemoryRecords:
    data = str(value).encode() if isinstance(value, int) else value
    return wrap(MemoryRecords.with_records(
        Compression.NONE, SimpleRecord(timestamp, str(key).encode(), data), producer_id=producer_id,
        producer_epoch=producer_epoch, base_sequence=sequence).buffer().to_bytes())


def singleton_records(value: bytes | None, key: bytes | None = None, timestamp: int = NOW,
                      codec: Compression = Compression.NONE, magic: int = 2) -> MemoryRecords:
    return wrap(MemoryRecords.with_records(
        codec, SimpleRecord(timestamp, key, value), magic=magic).buffer().to_bytes())


def append(log: UnifiedLog, *args: int | bytes | None, **kwargs: int) -> LogAppendInfo:
    """Append one record with a key and a value."""
    return log.append_as_leader(record(*args, **kwargs), 0)  # type: ignore[arg-type]


def append_at(log: UnifiedLog, offset: int, data: bytes) -> None:
    """Append a batch that has its offset already, as a follower does."""
    batch, = wrap(data).batches()
    _append_batch_at(log, offset, data, batch, 0, -1)


def append_as_follower(log: UnifiedLog, records: MemoryRecords, leader_epoch: int = 0) -> None:
    """Append batches that have their offsets, which may leave gaps, and take up their producers' state."""
    for batch in records.batches():
        batch.set_partition_leader_epoch(leader_epoch)
        buffer = ByteBuffer.allocate(batch.size_in_bytes())
        batch.write_to(buffer)
        data = buffer.flip().to_bytes()
        attributes, = struct.unpack_from(">h", data, ATTRIBUTES_OFFSET)
        _append_batch_at(log, batch.base_offset(), data, batch, attributes, batch.producer_id(), leader_epoch)


def _append_batch_at(log: UnifiedLog, offset: int, data: bytes, batch: RecordBatch, attributes: int,
                     producer_id: int, leader_epoch: int = 0) -> None:
    with log._lock:
        log._local_log.update_log_end_offset(offset)
        log._append_batch(memoryview(data), offset, batch.last_offset(), batch.max_timestamp(), leader_epoch,
                          attributes, producer_id, batch.producer_epoch(), batch.base_sequence(), -1, NOW,
                          AppendOrigin.COORDINATOR, VerificationGuard.SENTINEL)


def message_with_offset(key: bytes, value: bytes, offset: int) -> bytes:
    return MemoryRecords.with_records(Compression.NONE, SimpleRecord(NOW, key, value), initial_offset=offset,
                                      partition_leader_epoch=0).buffer().to_bytes()


class Producer:
    """Appends batches of records whose keys are their values, too."""

    def __init__(self, logs: Logs, log: UnifiedLog, producer_id: int, is_transactional: bool = True,
                 origin: AppendOrigin = AppendOrigin.CLIENT, leader_epoch: int = 0) -> None:
        self._logs = logs
        self.log = log
        self._producer_id = producer_id
        self._is_transactional = is_transactional
        self._origin = origin
        self._leader_epoch = leader_epoch
        self._sequence = 0

    def __call__(self, *keys: int) -> LogAppendInfo:
        records = [SimpleRecord(self._logs.time.milliseconds(), str(key).encode(), str(key).encode())
                   for key in keys]
        made = MemoryRecords.with_records(
            Compression.NONE, *records, producer_id=self._producer_id, producer_epoch=0,
            base_sequence=self._sequence, is_transactional=self._is_transactional)
        self._sequence += len(keys)
        return self.log.append_as_leader(wrap(made.buffer().to_bytes()), self._leader_epoch, self._origin)

    def end(self, type_: ControlRecordType) -> None:
        end_txn(self._logs, self.log, self._producer_id, type_, self._leader_epoch)

    def commit(self) -> None:
        self.end(ControlRecordType.COMMIT)

    def abort(self) -> None:
        self.end(ControlRecordType.ABORT)


def end_txn(logs: Logs, log: UnifiedLog, producer_id: int, type_: ControlRecordType,
            leader_epoch: int = 0) -> None:
    made = MemoryRecords.with_end_transaction_marker(
        producer_id, 0, EndTransactionMarker(type_, 0), timestamp=logs.time.milliseconds())
    log.append_as_leader(wrap(made.buffer().to_bytes()), leader_epoch, AppendOrigin.COORDINATOR)


def segment_batches(segment: LogSegment) -> list[RecordBatch]:
    data = segment.channel().read_at(segment.size(), 0)
    return list(wrap(data).batches()) if data else []


def batches(log: UnifiedLog) -> list[RecordBatch]:
    return [batch for segment in log.segments() for batch in segment_batches(segment)]


def records(log: UnifiedLog) -> Iterator[Record]:
    return (record for batch in batches(log) for record in batch)


def text(buffer: ByteBuffer | None) -> str:
    assert buffer is not None
    return buffer.to_bytes().decode()


def keys_in_log(log: UnifiedLog) -> list[int]:
    return [int(text(record.key())) for batch in batches(log) if not batch.is_control_batch()
            for record in batch if record.has_key() and record.has_value()]


def offsets_in_log(log: UnifiedLog) -> list[int]:
    return [record.offset() for record in records(log) if record.has_key() and record.has_value()]


def last_offsets_per_batch(log: UnifiedLog) -> list[int]:
    return [batch.last_offset() for batch in batches(log)]


def last_sequences(log: UnifiedLog) -> dict[int, int]:
    return {batch.producer_id(): batch.last_sequence() for batch in batches(log)
            if not batch.is_control_batch() and batch.has_producer_id()}


def check_segment_order(groups: Sequence[Sequence[LogSegment]]) -> None:
    offsets = [segment.base_offset() for group in groups for segment in group]
    assert offsets == sorted(offsets)


# -- Kafka's LogTestUtils ----------------------------------------------------------------------------


def append_end_txn_marker_as_leader(log: UnifiedLog, producer_id: int, producer_epoch: int,
                                    control_type: ControlRecordType, timestamp: int,
                                    coordinator_epoch: int = 0, leader_epoch: int = 0) -> LogAppendInfo:
    made = MemoryRecords.with_end_transaction_marker(
        producer_id, producer_epoch, EndTransactionMarker(control_type, coordinator_epoch),
        timestamp=timestamp)
    return log.append_as_leader(wrap(made.buffer().to_bytes()), leader_epoch, AppendOrigin.COORDINATOR)


def append_non_transactional_as_leader(log: UnifiedLog, num_records: int) -> None:
    made = MemoryRecords.with_records(
        Compression.NONE, *(SimpleRecord(NOW, None, b"%d" % number) for number in range(num_records)))
    log.append_as_leader(wrap(made.buffer().to_bytes()), 0)


def append_transactional_as_leader(log: UnifiedLog, producer_id: int, producer_epoch: int,
                                   time: MockTime) -> Callable[[int], None]:
    """Return what appends a batch of so many records to a transaction."""
    return append_idempotent_as_leader(log, producer_id, producer_epoch, time, is_transactional=True)


def append_idempotent_as_leader(log: UnifiedLog, producer_id: int, producer_epoch: int, time: MockTime,
                                is_transactional: bool = False) -> Callable[[int], None]:
    """Return what appends a batch of so many records of a producer."""
    sequence = 0

    def append(num_records: int) -> None:
        nonlocal sequence
        made = MemoryRecords.with_records(
            Compression.NONE, *(SimpleRecord(time.milliseconds(), None, b"%d" % number)
                                for number in range(sequence, sequence + num_records)),
            producer_id=producer_id, producer_epoch=producer_epoch, base_sequence=sequence,
            is_transactional=is_transactional)
        log.append_as_leader(wrap(made.buffer().to_bytes()), 0)
        sequence += num_records

    return append


def all_aborted_transactions(log: UnifiedLog) -> list[AbortedTxn]:
    return [aborted_txn for segment in log.segments() if (txn_index := segment.txn_index()) is not None
            for aborted_txn in txn_index.all_aborted_txns()]


def list_producer_snapshot_offsets(directory: str) -> list[int]:
    return sorted(int(name[:-len(SNAPSHOT_SUFFIX)]) for name in os.listdir(directory)
                  if name.endswith(SNAPSHOT_SUFFIX))


def delete_producer_snapshot_files(directory: str) -> None:
    for name in os.listdir(directory):
        if name.endswith(SNAPSHOT_SUFFIX):
            os.remove(os.path.join(directory, name))


def read_log(log: UnifiedLog, start_offset: int, max_length: int,
             isolation: FetchIsolation = FetchIsolation.LOG_END, min_one_message: bool = True
             ) -> FetchDataInfo:
    return log.read(start_offset, max_length, isolation, min_one_message)


def batch_of(*records: SimpleRecord, base_offset: int = 0, producer_id: int = -1, producer_epoch: int = -1,
             sequence: int = -1, is_transactional: bool = False, codec: Compression = Compression.NONE
             ) -> MemoryRecords:
    """Return one batch of these, in memory that may be written to."""
    return wrap(MemoryRecords.with_records(
        codec, *records, initial_offset=base_offset, producer_id=producer_id, producer_epoch=producer_epoch,
        base_sequence=sequence, is_transactional=is_transactional).buffer().to_bytes())


def truncate_to(harness: LogHarness, offset: int) -> UnifiedLog:
    """Cut the log off and open it anew, as LogManager does; its offsets may have gaps."""
    old = harness.log
    recovery_point = old.truncate_files(offset)
    return harness.open(clean=False, recovery_point=recovery_point, log_start_offset=old.log_start_offset(),
                        was_cleaned=True)


def assert_valid_log_offset_metadata(log: UnifiedLog, offset_metadata: LogOffsetMetadata) -> None:
    """The place is known, and is that of the offset's batch, or the end of a segment."""
    base_offset, position = offset_metadata.segment_base_offset, offset_metadata.relative_position_in_segment
    assert base_offset >= 0 and position >= 0
    segment, = log.log_segments(base_offset, base_offset + 1)
    assert segment.base_offset() == base_offset
    assert position <= segment.size()
    found = segment.locate(offset_metadata.message_offset, segment.size())
    if position < segment.size():
        assert found is not None and found[0] == position
    else:
        assert found is None


def initialize_log_dir_with_overflowed_segment(directory: str) -> None:
    """Write three segments, the second with offsets too far from its base."""
    def write_sample_batches(base_offset: int, file: IO[bytes]) -> int:
        def record(offset: int) -> SimpleRecord:
            data = b"%d" % offset
            return SimpleRecord(NOW, data, data)

        for offsets in ((base_offset,), (base_offset + 1, base_offset + 2), (base_offset + MAX_INT - 1,)):
            file.write(MemoryRecords.with_records(
                Compression.NONE, *map(record, offsets), initial_offset=offsets[0], partition_leader_epoch=0
            ).buffer().to_bytes())
        return base_offset + MAX_INT

    next_offset = 0
    for samples in (1, 2, 1):
        with open(os.path.join(directory, file_name(next_offset, LOG_SUFFIX)), "wb") as file:
            for _ in range(samples):
                next_offset = write_sample_batches(next_offset, file)
