# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.group.GroupMetadataManagerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Groups are written, read and expired. The log is in a file that is read once, appends are only noted."""

from __future__ import annotations

import logging
import struct
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.errors import KafkaStorageException
from kreactor.common.message.consumer_protocol_assignment import ConsumerProtocolAssignment
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.protocol.types.raw_tagged_field import RawTaggedField
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.end_transaction_marker import EndTransactionMarker
from kreactor.common.record.file_records import FileRecords
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.records import Records
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.requests.offset_fetch_response import OffsetFetchResponse
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.topic_id_partition import TopicIdPartition
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.generated.group_metadata_key import GroupMetadataKey as GroupMetadataKeyData
from kreactor.coordinator.group.generated.group_metadata_value import GroupMetadataValue
from kreactor.coordinator.group.generated.offset_commit_value import OffsetCommitValue
from kreactor.coordinator.group.offset_config import OffsetConfig
from kreactor.core.common.offset_and_metadata import OffsetAndMetadata
from kreactor.core.coordinator.group.group_metadata import (
    CompletingRebalance,
    Dead,
    Empty,
    GroupMetadata,
    PreparingRebalance,
    Stable,
)
from kreactor.core.coordinator.group.group_metadata_manager import (
    GroupMetadataKey,
    GroupMetadataManager,
    OffsetKey,
    UnknownKey,
)
from kreactor.core.coordinator.group.member_metadata import MemberMetadata
from kreactor.core.server.replica_manager import ReplicaManager
from kreactor.core.server.request_local import RequestLocal
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.server.common.metadata_version import VERSIONS, MetadataVersion
from kreactor.server.metrics.yammer import Gauge, MetricsRegistry
from kreactor.storage.internals.log.append_origin import AppendOrigin
from kreactor.storage.internals.log.fetch_data_info import FetchDataInfo
from kreactor.storage.internals.log.fetch_isolation import FetchIsolation
from kreactor.storage.internals.log.log_offset_metadata import LogOffsetMetadata
from kreactor.storage.internals.log.verification_guard import VerificationGuard
from kreactor.testing.mock_time import MockTime
from tests.core.coordinator.group.test_group_metadata import subscription

GROUP_ID = "foo"
GROUP_INSTANCE_ID = "bar"
GROUP_PARTITION_ID = 0
GROUP_TOPIC_PARTITION = TopicPartition("__consumer_offsets", GROUP_PARTITION_ID)
REBALANCE_TIMEOUT = 60_000
SESSION_TIMEOUT = 10_000
OFFSET_RETENTION_MS = 7 * 24 * 60 * 60 * 1000
MAX_METADATA_SIZE = 4096
LOAD_BUFFER_SIZE = 5 * 1024 * 1024
PRODUCER_ID, PRODUCER_EPOCH = 1000, 2
GROUP_EPOCH = 2
START_OFFSET = 15

FOO_0, FOO_1, FOO_2, FOO_3, FOO_4 = (TopicPartition("foo", partition) for partition in range(5))
BAR_0, BAR_1, BAR_2 = (TopicPartition("bar", partition) for partition in range(3))
COMMITTED_OFFSETS = {FOO_0: 23, FOO_1: 455, BAR_0: 8992}
ABORTED_OFFSETS = {FOO_2: 231, FOO_3: 4551, BAR_1: 89921}

FOO_ID, BAR_ID = Uuid.random_uuid(), Uuid.random_uuid()
FOO_ID_0, FOO_ID_1, FOO_ID_2 = (TopicIdPartition(FOO_ID, tp) for tp in (FOO_0, FOO_1, FOO_2))
BAR_ID_0, BAR_ID_1 = (TopicIdPartition(BAR_ID, tp) for tp in (BAR_0, BAR_1))

OFFSET_CONFIG = OffsetConfig(
    max_metadata_size=MAX_METADATA_SIZE, load_buffer_size=LOAD_BUFFER_SIZE,
    offsets_retention_ms=OFFSET_RETENTION_MS, offsets_retention_check_interval_ms=600_000,
    offsets_topic_num_partitions=50, offsets_topic_segment_bytes=100 * 1024 * 1024,
    offsets_topic_replication_factor=1, offsets_topic_compression_type=CompressionType.NONE,
    offset_commit_timeout_ms=5000, offset_commit_required_acks=-1)


class Log:
    """A log that is read from its start to its end, as often as it has records."""

    def __init__(self, start_offset: int, *records: Records) -> None:
        self.start_offset = start_offset
        self.records = list(records)
        self.reads: list[tuple[int, FetchIsolation, bool]] = []

    def log_start_offset(self) -> int:
        return self.start_offset

    def read(self, start_offset: int, max_length: int, isolation: FetchIsolation,
             min_one_message: bool) -> FetchDataInfo:
        self.reads.append((start_offset, isolation, min_one_message))
        return FetchDataInfo(LogOffsetMetadata(start_offset, -1, -1), self.records.pop(0), False, 0, 0, 0)


class Leader:
    """The partition of the group, which notes what is appended."""

    def __init__(self) -> None:
        self.appended: list[MemoryRecords] = []

    def append_records_to_leader(self, records: MemoryRecords, *, required_acks: int, origin: AppendOrigin,
                                 **other: Any) -> None:
        assert (required_acks, origin) == (0, AppendOrigin.COORDINATOR)
        self.appended.append(records)


class Replicas:
    """The part of ReplicaManager that the manager uses."""

    def __init__(self) -> None:
        self.magic: int | None = RecordBatch.CURRENT_MAGIC_VALUE
        self.log: Log | None = None
        self.log_end_offset: int | None = None
        self.leader: Leader | None = None
        # The result of appends; None while it is open.
        self.error: Errors | None = None
        self.appends: list[dict[str, Any]] = []
        self.asked_for_partition = 0
        self.asked_for_end = 0

    def append_records(self, **arguments: Any) -> None:
        assert arguments["internal_topics_allowed"]
        assert arguments["origin"] is AppendOrigin.COORDINATOR
        assert arguments["required_acks"] == -1
        self.appends.append(arguments)
        if self.error is not None:
            self.answer(self.error)

    def answer(self, error: Errors) -> None:
        """Let the last append come to its end."""
        self.appends[-1]["response_callback"]({
            GROUP_TOPIC_PARTITION: ProduceResponse.PartitionResponse(
                error, len(self.appends) - 1, RecordBatch.NO_TIMESTAMP, 0)})

    def appended_record(self) -> Any:
        (topic_partition, records), = self.appends[-1]["entries_per_partition"].items()
        assert topic_partition == GROUP_TOPIC_PARTITION
        record, = records.records()
        return record

    def get_magic(self, topic_partition: TopicPartition) -> int | None:
        return self.magic

    def get_log(self, topic_partition: TopicPartition) -> Log | None:
        return self.log

    def get_log_end_offset(self, topic_partition: TopicPartition) -> int | None:
        self.asked_for_end += 1
        return self.log_end_offset

    def online_partition(self, topic_partition: TopicPartition) -> Leader | None:
        assert topic_partition == GROUP_TOPIC_PARTITION
        self.asked_for_partition += 1
        return self.leader


class Coordinator:
    """A manager, its replicas and its time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.time = MockTime()
        self.metrics = Metrics(time=self.time)
        self.registry = MetricsRegistry()
        self.replicas = Replicas()
        self.manager = GroupMetadataManager(
            0, MetadataVersion.latest_testing(), OFFSET_CONFIG, cast(ReplicaManager, self.replicas),
            self.time, self.metrics, self.registry)
        self.files: list[FileRecords] = []
        self.errors: dict[TopicIdPartition, Errors] | None = None

    # -- the log -----------------------------------------------------------------------------------

    def file_records(self, records: MemoryRecords) -> FileRecords:
        path = self.folder / f"{len(self.files)}.log"
        path.write_bytes(records.buffer().to_bytes())
        self.files.append(FileRecords.open(str(path), mutable=False))
        return self.files[-1]

    def expect_load(self, start_offset: int, *records: MemoryRecords) -> Log:
        self.replicas.log = Log(start_offset, *map(self.file_records, records))
        self.replicas.log_end_offset = start_offset + sum(
            len(list(some.records())) for some in records)
        return self.replicas.log

    def load(self, start_offset: int, *records: MemoryRecords, epoch: int = GROUP_EPOCH) -> None:
        self.expect_load(start_offset, *records)
        self.manager.load_groups_and_offsets(GROUP_TOPIC_PARTITION, epoch, lambda group: None, 0)

    def load_records(self, *records: SimpleRecord, epoch: int = GROUP_EPOCH) -> None:
        self.load(START_OFFSET, batch(*records), epoch=epoch)

    def commits(self, offsets: Mapping[TopicPartition, int] = COMMITTED_OFFSETS,
                version: MetadataVersion = MetadataVersion.latest_testing(),
                retention_ms: int | None = None) -> list[SimpleRecord]:
        now = self.time.milliseconds()
        return [SimpleRecord(
            key=GroupMetadataManager.offset_commit_key(GROUP_ID, topic_partition),
            value=GroupMetadataManager.offset_commit_value(
                OffsetAndMetadata.of(offset, "", now, None if retention_ms is None else now + retention_ms),
                version)) for topic_partition, offset in offsets.items()]

    def stable_group(self, generation: int, protocol_type: str = "consumer", protocol: str = "range",
                     member_id: str = "98098230493", assignment: bytes = b"",
                     version: MetadataVersion = MetadataVersion.latest_testing()) -> SimpleRecord:
        member = MemberMetadata(member_id, GROUP_INSTANCE_ID, "clientId", "clientHost", 30000, 10000,
                                protocol_type, [(protocol, b"")])
        group = GroupMetadata.load_group(
            GROUP_ID, Stable, generation, protocol_type, protocol, member_id,
            self.time.milliseconds() if version.is_at_least(MetadataVersion.IBP_2_1_IV0) else None, [member],
            self.time)
        return SimpleRecord(
            key=GroupMetadataManager.group_metadata_key(GROUP_ID),
            value=GroupMetadataManager.group_metadata_value(group, {member_id: assignment}, version))

    def empty_group(self, generation: int, protocol_type: str) -> SimpleRecord:
        group = GroupMetadata.load_group(
            GROUP_ID, Empty, generation, protocol_type, None, None, None, [], self.time)
        return SimpleRecord(
            key=GroupMetadataManager.group_metadata_key(GROUP_ID),
            value=GroupMetadataManager.group_metadata_value(group, {}, MetadataVersion.latest_testing()))

    # -- groups ------------------------------------------------------------------------------------

    def group(self) -> GroupMetadata:
        group = self.manager.get_group(GROUP_ID)
        assert group is not None
        return group

    def new_group(self) -> GroupMetadata:
        self.manager.add_owned_partition(GROUP_PARTITION_ID)
        group = GroupMetadata(GROUP_ID, Empty, self.time)
        return self.manager.add_group(group)

    def store(self, group: GroupMetadata, offsets: Mapping[TopicIdPartition, OffsetAndMetadata],
              **more: Any) -> None:
        self.errors = None

        def callback(errors: dict[TopicIdPartition, Errors]) -> None:
            self.errors = errors

        self.manager.store_offsets(
            group, "", TopicPartition("__consumer_offsets", self.manager.partition_for(group.group_id)),
            offsets, callback, **more)

    def store_txn(self, group: GroupMetadata, offsets: Mapping[TopicIdPartition, OffsetAndMetadata]) -> None:
        guard = VerificationGuard()
        self.store(group, offsets, producer_id=232, producer_epoch=0, verification_guard=guard)
        assert self.replicas.appends[-1]["verification_guards"] == {GROUP_TOPIC_PARTITION: guard}

    def commit(self, offset: int = 37, metadata: str = "", expires_in_ms: int | None = None
               ) -> OffsetAndMetadata:
        now = self.time.milliseconds()
        return OffsetAndMetadata.of(
            offset, metadata, now, None if expires_in_ms is None else now + expires_in_ms)

    def fetched(self, *partitions: TopicPartition) -> list[int]:
        offsets = self.manager.get_offsets(GROUP_ID, False, partitions)
        assert all(offsets[partition].error is Errors.NONE for partition in partitions)
        return [offsets[partition].offset for partition in partitions]

    def cleanup(self) -> list[MemoryRecords]:
        """Look for what has expired; return what was appended."""
        self.replicas.leader = Leader()
        self.manager.cleanup_expired_group_metadata()
        return self.replicas.leader.appended

    def await_tasks(self) -> None:
        """Return when the one thread of the scheduler has done what it was given."""
        done = threading.Event()
        self.manager._scheduler.schedule_once("done", done.set)
        assert done.wait(120)

    def committed_count(self) -> float:
        metric = self.metrics.metric(
            self.metrics.metric_name("offset-commit-count", "group-coordinator-metrics"))
        assert metric is not None
        return cast(float, metric.metric_value())

    def load_time(self, name: str) -> float:
        metric = self.metrics.metric(self.metrics.metric_name(name, "group-coordinator-metrics"))
        assert metric is not None
        return cast(float, metric.metric_value())

    def gauge(self, name: str) -> int:
        metric = self.registry.all_metrics()[self.manager.metrics_group.metric_name(name, {})]
        assert isinstance(metric, Gauge)
        return cast(int, metric.value())


@pytest.fixture
def coordinator(tmp_path: Path) -> Iterator[Coordinator]:
    coordinator = Coordinator(tmp_path)
    coordinator.manager.startup(lambda: 2, False)
    yield coordinator
    coordinator.manager.shutdown()
    coordinator.metrics.close()
    for file in coordinator.files:
        file.close()


def batch(*records: SimpleRecord, offset: int = START_OFFSET) -> MemoryRecords:
    return MemoryRecords.with_records(Compression.NONE, *records, initial_offset=offset)


class Batches:
    """Batches one after the other in one buffer."""

    def __init__(self, coordinator: Coordinator) -> None:
        self.coordinator = coordinator
        self.buffer = ByteBuffer.allocate(4096)
        self.next_offset = 0

    def consumer(self, offsets: Mapping[TopicPartition, int]) -> int:
        with MemoryRecords.builder(self.buffer, Compression.NONE, TimestampType.LOG_APPEND_TIME,
                                   self.next_offset) as builder:
            return self._append(builder, offsets)

    def transactional(self, offsets: Mapping[TopicPartition, int], producer_id: int = PRODUCER_ID,
                      producer_epoch: int = PRODUCER_EPOCH) -> int:
        with MemoryRecords.builder(self.buffer, Compression.NONE, TimestampType.CREATE_TIME, self.next_offset,
                                   producer_id=producer_id, producer_epoch=producer_epoch, base_sequence=0,
                                   is_transactional=True) as builder:
            return self._append(builder, offsets)

    def _append(self, builder: Any, offsets: Mapping[TopicPartition, int]) -> int:
        base_offset = self.next_offset
        for record in self.coordinator.commits(offsets):
            builder.append_simple_record(record)
        builder.build()
        self.next_offset += len(offsets)
        return base_offset

    def complete(self, control_type: ControlRecordType, producer_id: int = PRODUCER_ID,
                 producer_epoch: int = PRODUCER_EPOCH) -> None:
        MemoryRecords.write_end_transactional_marker(
            self.buffer, self.next_offset, self.coordinator.time.milliseconds(), -1, producer_id,
            producer_epoch, EndTransactionMarker(control_type, 0))
        self.next_offset += 1

    def load(self) -> None:
        self.buffer.flip()
        self.coordinator.load(0, MemoryRecords.readable_records(self.buffer))


def check_offsets(group: GroupMetadata, offsets: Mapping[TopicPartition, int],
                  appended_at: int | None = None) -> None:
    for topic_partition, offset in offsets.items():
        commit = group.offset_with_record_metadata(topic_partition)
        assert commit is not None
        assert commit.offset_and_metadata.offset == offset
        if appended_at is not None:
            assert commit.appended_batch_offset == appended_at


def check_empty_group(group: GroupMetadata, offsets: Mapping[TopicPartition, int]) -> None:
    assert group.group_id == GROUP_ID
    assert group.current_state() is Empty
    assert len(group.all_offsets()) == len(offsets)
    check_offsets(group, offsets)


def check_stable_group(group: GroupMetadata, generation: int, offsets: Mapping[TopicPartition, int],
                       expires: bool = False) -> None:
    assert group.group_id == GROUP_ID
    assert group.current_state() is Stable
    assert group.leader_or_null() == "98098230493"
    assert group.generation_id == generation
    assert (group.protocol_type, group.protocol_name) == ("consumer", "range")
    assert group.all_members() == {"98098230493"}
    assert len(group.all_offsets()) == len(offsets)
    check_offsets(group, offsets)
    assert all((offset.expire_timestamp is not None) is expires for offset in group.all_offsets().values())


def test_log_info_from_cleanup_group_metadata(coordinator: Coordinator,
                                              monkeypatch: pytest.MonkeyPatch) -> None:
    infos: list[str] = []
    expired_offsets = 0
    monkeypatch.setattr(coordinator.manager, "info", lambda message, *arguments: infos.append(message))
    monkeypatch.setattr(coordinator.manager, "cleanup_group_metadata", lambda *arguments: expired_offsets)
    coordinator.manager.cleanup_expired_group_metadata()
    assert infos == []
    expired_offsets = 100
    coordinator.manager.cleanup_expired_group_metadata()
    assert len(infos) == 1


# -- loading -------------------------------------------------------------------------------------------


def test_load_offsets_without_group(coordinator: Coordinator) -> None:
    coordinator.load_records(*coordinator.commits())
    check_empty_group(coordinator.group(), COMMITTED_OFFSETS)


def test_load_empty_group_with_offsets(coordinator: Coordinator) -> None:
    coordinator.load_records(*coordinator.commits(), coordinator.empty_group(15, "consumer"))
    group = coordinator.group()
    check_empty_group(group, COMMITTED_OFFSETS)
    assert (group.generation_id, group.protocol_type) == (15, "consumer")
    assert group.leader_or_null() is None
    assert group.protocol_name is None


def test_load_transactional_offsets_without_group(coordinator: Coordinator) -> None:
    batches = Batches(coordinator)
    batches.transactional(COMMITTED_OFFSETS)
    batches.complete(ControlRecordType.COMMIT)
    batches.load()
    check_empty_group(coordinator.group(), COMMITTED_OFFSETS)


def test_do_not_load_aborted_transactional_offset_commits(coordinator: Coordinator) -> None:
    batches = Batches(coordinator)
    batches.transactional(COMMITTED_OFFSETS)
    batches.complete(ControlRecordType.ABORT)
    batches.load()
    # Nothing else speaks of the group.
    assert coordinator.manager.get_group(GROUP_ID) is None


def test_group_loaded_with_pending_commits(coordinator: Coordinator) -> None:
    batches = Batches(coordinator)
    batches.transactional(COMMITTED_OFFSETS)
    batches.load()
    group = coordinator.group()
    check_empty_group(group, {})
    assert group.has_offsets()
    assert group.has_pending_offset_commits_from_producer(PRODUCER_ID)
    for topic_partition in COMMITTED_OFFSETS:
        assert group.has_pending_offset_commits_for_topic_partition(topic_partition)


def test_load_with_committed_and_aborted_transactional_offset_commits(coordinator: Coordinator) -> None:
    batches = Batches(coordinator)
    batches.transactional(ABORTED_OFFSETS)
    batches.complete(ControlRecordType.ABORT)
    batches.transactional(COMMITTED_OFFSETS)
    batches.complete(ControlRecordType.COMMIT)
    batches.load()
    group = coordinator.group()
    check_empty_group(group, COMMITTED_OFFSETS)
    assert not group.has_pending_offset_commits_from_producer(PRODUCER_ID)


def test_load_with_committed_and_aborted_and_pending_transactional_offset_commits(
        coordinator: Coordinator) -> None:
    pending_offsets = {FOO_3: 2312, FOO_4: 45512, BAR_2: 899212}
    batches = Batches(coordinator)
    position = batches.transactional(COMMITTED_OFFSETS)
    batches.complete(ControlRecordType.COMMIT)
    batches.transactional(ABORTED_OFFSETS)
    batches.complete(ControlRecordType.ABORT)
    batches.transactional(pending_offsets)
    batches.load()

    group = coordinator.group()
    check_empty_group(group, COMMITTED_OFFSETS)
    check_offsets(group, COMMITTED_OFFSETS, position)
    assert group.has_pending_offset_commits_from_producer(PRODUCER_ID)
    assert group.has_pending_offset_commits_for_topic_partition(FOO_3)

    coordinator.manager.handle_txn_completion(PRODUCER_ID, {GROUP_PARTITION_ID}, is_commit=True)
    assert not group.has_pending_offset_commits_from_producer(PRODUCER_ID)
    check_offsets(group, pending_offsets)


def test_load_transactional_offset_commits_from_multiple_producers(coordinator: Coordinator) -> None:
    batches = Batches(coordinator)
    first = batches.transactional(COMMITTED_OFFSETS)
    batches.complete(ControlRecordType.COMMIT)
    second = batches.transactional(ABORTED_OFFSETS, 1001, 3)
    batches.complete(ControlRecordType.COMMIT, 1001, 3)
    batches.load()

    group = coordinator.group()
    check_empty_group(group, {**COMMITTED_OFFSETS, **ABORTED_OFFSETS})
    check_offsets(group, COMMITTED_OFFSETS, first)
    check_offsets(group, ABORTED_OFFSETS, second)


def test_group_load_with_consumer_and_transactional_offset_commits_consumer_wins(
        coordinator: Coordinator) -> None:
    batches = Batches(coordinator)
    batches.transactional({FOO_0: 23})
    consumer_record_offset = batches.consumer({FOO_0: 24})
    batches.complete(ControlRecordType.COMMIT)
    batches.load()

    group = coordinator.group()
    check_empty_group(group, {FOO_0: 24})
    check_offsets(group, {FOO_0: 24}, consumer_record_offset)
    assert not group.has_pending_offset_commits_from_producer(PRODUCER_ID)


def test_group_load_with_consumer_and_transactional_offset_commits_transaction_wins(
        coordinator: Coordinator) -> None:
    batches = Batches(coordinator)
    batches.consumer({FOO_0: 24})
    batches.transactional({FOO_0: 23})
    batches.complete(ControlRecordType.COMMIT)
    batches.load()

    group = coordinator.group()
    check_empty_group(group, {FOO_0: 23})
    assert not group.has_pending_offset_commits_from_producer(PRODUCER_ID)


def test_group_not_exists(coordinator: Coordinator) -> None:
    manager = coordinator.manager
    assert not manager.group_not_exists(GROUP_ID)

    manager.add_owned_partition(GROUP_PARTITION_ID)
    assert manager.group_not_exists(GROUP_ID)

    group = GroupMetadata(GROUP_ID, Empty, coordinator.time)
    manager.add_group(group)
    assert not manager.group_not_exists(GROUP_ID)

    group.transition_to(Dead)
    assert manager.group_not_exists(GROUP_ID)


def test_load_offsets_with_tombstones(coordinator: Coordinator) -> None:
    tombstone = SimpleRecord(key=GroupMetadataManager.offset_commit_key(GROUP_ID, FOO_1))
    coordinator.load_records(*coordinator.commits(), tombstone)
    check_empty_group(coordinator.group(), {FOO_0: 23, BAR_0: 8992})
    assert coordinator.group().offset(FOO_1) is None


def load_offsets_and_group(coordinator: Coordinator, epoch: int = GROUP_EPOCH) -> GroupMetadata:
    coordinator.load_records(*coordinator.commits(), coordinator.stable_group(935), epoch=epoch)
    check_stable_group(coordinator.group(), 935, COMMITTED_OFFSETS)
    return coordinator.group()


def current_epoch(coordinator: Coordinator) -> int:
    return coordinator.manager.epoch_for_partition_id[GROUP_PARTITION_ID]


def test_load_offsets_and_group(coordinator: Coordinator) -> None:
    load_offsets_and_group(coordinator)


def test_load_offsets_and_group_ignored(coordinator: Coordinator) -> None:
    load_offsets_and_group(coordinator)
    assert current_epoch(coordinator) == GROUP_EPOCH

    coordinator.manager.remove_groups_and_offsets(GROUP_TOPIC_PARTITION, GROUP_EPOCH, lambda group: None)
    assert coordinator.manager.get_group(GROUP_ID) is None
    assert current_epoch(coordinator) == GROUP_EPOCH

    coordinator.load_records(*coordinator.commits(), epoch=GROUP_EPOCH - 1)
    assert coordinator.manager.get_group(GROUP_ID) is None
    assert current_epoch(coordinator) == GROUP_EPOCH


def test_unload_offsets_and_group(coordinator: Coordinator) -> None:
    load_offsets_and_group(coordinator)
    coordinator.manager.remove_groups_and_offsets(GROUP_TOPIC_PARTITION, GROUP_EPOCH, lambda group: None)
    assert current_epoch(coordinator) == GROUP_EPOCH
    assert coordinator.manager.get_group(GROUP_ID) is None


def test_unload_offsets_and_group_ignored(coordinator: Coordinator) -> None:
    initially_loaded = load_offsets_and_group(coordinator)
    coordinator.manager.remove_groups_and_offsets(GROUP_TOPIC_PARTITION, GROUP_EPOCH - 1, lambda group: None)
    assert current_epoch(coordinator) == GROUP_EPOCH
    assert coordinator.group() is initially_loaded
    check_stable_group(initially_loaded, 935, COMMITTED_OFFSETS)


def test_unload_offsets_and_group_ignored_after_stop_replica(coordinator: Coordinator) -> None:
    load_offsets_and_group(coordinator)
    coordinator.manager.remove_groups_and_offsets(GROUP_TOPIC_PARTITION, None, lambda group: None)
    assert coordinator.manager.get_group(GROUP_ID) is None
    assert current_epoch(coordinator) == GROUP_EPOCH

    load_offsets_and_group(coordinator, GROUP_EPOCH + 1)


def test_load_group_with_tombstone(coordinator: Coordinator) -> None:
    coordinator.load_records(
        coordinator.stable_group(15), SimpleRecord(key=GroupMetadataManager.group_metadata_key(GROUP_ID)))
    assert coordinator.manager.get_group(GROUP_ID) is None


def test_load_group_with_large_group_metadata_record(coordinator: Coordinator,
                                                     caplog: pytest.LogCaptureFixture) -> None:
    coordinator.load_records(
        *coordinator.commits(), coordinator.stable_group(15, assignment=bytes(LOAD_BUFFER_SIZE + 16)))
    check_offsets(coordinator.group(), COMMITTED_OFFSETS)
    assert "offsets.load.buffer.size of 5242880 bytes" in caplog.text


def test_load_group_and_offsets_with_corrupted_log(coordinator: Coordinator) -> None:
    log = coordinator.expect_load(0, MemoryRecords.EMPTY)
    coordinator.replicas.log_end_offset = 10
    coordinator.manager.load_groups_and_offsets(GROUP_TOPIC_PARTITION, GROUP_EPOCH, lambda group: None, 0)

    assert log.reads == [(0, FetchIsolation.LOG_END, True)]
    assert coordinator.replicas.asked_for_end == 2
    assert not coordinator.manager.is_partition_loading(GROUP_PARTITION_ID)


@pytest.mark.deviation("D252")
@pytest.mark.parametrize("gone", ["given up", "a later epoch"])
def test_a_partition_that_cannot_be_read_is_let_go(coordinator: Coordinator, monkeypatch: pytest.MonkeyPatch,
                                                   caplog: pytest.LogCaptureFixture, gone: str) -> None:
    """Nobody reads it again for a coordinator that has resigned, or was elected anew."""
    manager = coordinator.manager
    tasks: list[tuple[Callable[[], object], int]] = []

    def schedule_once(name: str, task: Callable[[], object], delay_ms: int = 0) -> None:
        tasks.append((task, delay_ms))

    def fail(*_: Any) -> FetchDataInfo:
        raise KafkaStorageException("no")

    log = coordinator.expect_load(START_OFFSET, batch(*coordinator.commits()))
    with monkeypatch.context() as patch:
        patch.setattr(manager._scheduler, "schedule_once", schedule_once)
        patch.setattr(log, "read", fail)
        manager.load_groups_and_offsets(GROUP_TOPIC_PARTITION, GROUP_EPOCH, lambda group: None, 0)
        assert manager.is_partition_loading(GROUP_PARTITION_ID)
        assert not manager.is_partition_owned(GROUP_PARTITION_ID)
        (again, delay_ms), = tasks
        assert delay_ms == 1000
        if gone == "given up":
            manager.remove_groups_and_offsets(GROUP_TOPIC_PARTITION, None, lambda group: None)
            assert not manager.is_partition_loading(GROUP_PARTITION_ID)
        else:
            manager.epoch_for_partition_id[GROUP_PARTITION_ID] = GROUP_EPOCH + 1
        again()
        assert len(tasks) == 1
    again()
    assert not log.reads and manager.get_group(GROUP_ID) is None
    caplog.clear()


def test_offset_write_after_group_removed(coordinator: Coordinator) -> None:
    # A group that all members have left, then a consumer on its own, which takes the same name.
    coordinator.load_records(
        coordinator.stable_group(293), SimpleRecord(key=GroupMetadataManager.group_metadata_key(GROUP_ID)),
        *coordinator.commits())
    check_empty_group(coordinator.group(), COMMITTED_OFFSETS)


def test_load_group_and_offsets_from_different_segments(coordinator: Coordinator) -> None:
    xxx = TopicPartition("xxx", 0)
    first_offsets = {FOO_0: 23, FOO_1: 455, xxx: 42}
    first = batch(*coordinator.commits(first_offsets), coordinator.stable_group(293, member_id="a"))
    second_offsets = {FOO_0: 33, BAR_0: 8992, xxx: 10}
    second = batch(*coordinator.commits(second_offsets), coordinator.stable_group(293, member_id="b"),
                   offset=START_OFFSET + 4)
    coordinator.load(START_OFFSET, first, second)

    group = coordinator.group()
    assert group.current_state() is Stable
    assert group.leader_or_null() == "b"
    assert group.all_members() == {"b"}
    assert len(group.all_offsets()) == 4
    check_offsets(group, {**first_offsets, **second_offsets})


def test_add_group(coordinator: Coordinator) -> None:
    group = GroupMetadata("foo", Empty, coordinator.time)
    assert coordinator.manager.add_group(group) is group
    assert coordinator.manager.add_group(GroupMetadata("foo", Empty, coordinator.time)) is group


def member_of(protocol: str, metadata: bytes, member_id: str = "member1",
              group_instance_id: str | None = GROUP_INSTANCE_ID,
              protocol_type: str = "consumer") -> MemberMetadata:
    return MemberMetadata(member_id, group_instance_id, "", "", REBALANCE_TIMEOUT, SESSION_TIMEOUT,
                          protocol_type, [(protocol, metadata)])


def test_load_group_with_static_member(coordinator: Coordinator) -> None:
    members = [member_of("protocol", b"", "staticMemberId"),
               member_of("protocol", b"", "dynamicMemberId", None)]
    group = GroupMetadata.load_group(
        GROUP_ID, Empty, 27, "consumer", None, None, None, members, coordinator.time)
    assert group.is_(Empty)
    assert (group.generation_id, group.protocol_type) == (27, "consumer")
    assert group.all_members() == {"staticMemberId", "dynamicMemberId"}
    assert group.has_static_member(GROUP_INSTANCE_ID)
    assert group.current_static_member_id(GROUP_INSTANCE_ID) == "staticMemberId"


def test_load_consumer_group(coordinator: Coordinator) -> None:
    group = GroupMetadata.load_group(
        GROUP_ID, Stable, 27, "consumer", "protocol", None, None,
        [member_of("protocol", subscription("foo"))], coordinator.time)
    assert group.is_(Stable)
    assert (group.generation_id, group.protocol_type, group.protocol_name) == (27, "consumer", "protocol")
    assert group.get_subscribed_topics() == {"foo"}
    assert group.has("member1")


def test_load_empty_consumer_group(coordinator: Coordinator) -> None:
    group = GroupMetadata.load_group(
        GROUP_ID, Empty, 27, "consumer", None, None, None, [], coordinator.time)
    assert group.is_(Empty)
    assert (group.generation_id, group.protocol_type, group.protocol_name) == (27, "consumer", None)
    assert group.get_subscribed_topics() == set()


def test_load_consumer_group_with_faulty_consumer_protocol(coordinator: Coordinator) -> None:
    group = GroupMetadata.load_group(
        GROUP_ID, Stable, 27, "consumer", "protocol", None, None, [member_of("protocol", b"")],
        coordinator.time)
    assert group.is_(Stable)
    assert (group.generation_id, group.protocol_type, group.protocol_name) == (27, "consumer", "protocol")
    assert group.get_subscribed_topics() is None
    assert group.has("member1")


def test_should_throw_exception_for_unsupported_group_metadata_version(coordinator: Coordinator) -> None:
    value = coordinator.stable_group(1).value()
    assert value is not None
    unsupported = ByteBuffer.wrap(struct.pack(">h", -0x8000) + value.to_bytes()[2:])
    with pytest.raises(IllegalStateException, match="Unknown group metadata message version: -32768"):
        GroupMetadataManager.read_group_message_value(GROUP_ID, unsupported, coordinator.time)


def read_group(coordinator: Coordinator, value: ByteBuffer | None) -> GroupMetadata:
    group = GroupMetadataManager.read_group_message_value(GROUP_ID, value, coordinator.time)
    assert group is not None
    return group


@pytest.mark.parametrize("version", VERSIONS)
def test_current_state_timestamp_for_all_group_metadata_versions(coordinator: Coordinator,
                                                                 version: MetadataVersion) -> None:
    group = read_group(coordinator, coordinator.stable_group(1, version=version).value())
    assert group.current_state_timestamp == (
        coordinator.time.milliseconds() if version.is_at_least(MetadataVersion.IBP_2_1_IV0) else None)


@pytest.mark.parametrize("version", [
    MetadataVersion.IBP_0_9_0, MetadataVersion.IBP_0_10_1_IV0, MetadataVersion.IBP_2_1_IV0])
def test_read_from_old_group_metadata(coordinator: Coordinator, version: MetadataVersion) -> None:
    group = read_group(coordinator, coordinator.stable_group(1, "protocolType", version=version).value())
    assert group.group_id == GROUP_ID
    assert (group.generation_id, group.protocol_type, group.protocol_name) == (1, "protocolType", "range")
    assert group.all_members() == {"98098230493"} == group.all_dynamic_members()
    assert not group.all_static_members()


# -- storing groups ------------------------------------------------------------------------------------


def store_group(coordinator: Coordinator, group: GroupMetadata,
                assignment: Mapping[str, bytes] = {}) -> Errors:
    errors: list[Errors] = []
    coordinator.manager.store_group(group, assignment, errors.append)
    error, = errors
    return error


def test_store_empty_group(coordinator: Coordinator) -> None:
    group = GroupMetadata.load_group(
        GROUP_ID, Empty, 27, "consumer", None, None, None, [], coordinator.time)
    coordinator.manager.add_group(group)
    coordinator.replicas.error = Errors.NONE
    assert store_group(coordinator, group) is Errors.NONE

    stored = read_group(coordinator, coordinator.replicas.appended_record().value())
    assert stored.is_(Empty)
    assert (stored.generation_id, stored.protocol_type) == (27, "consumer")


def test_store_empty_simple_group(coordinator: Coordinator) -> None:
    group = GroupMetadata(GROUP_ID, Empty, coordinator.time)
    coordinator.manager.add_group(group)
    coordinator.replicas.error = Errors.NONE
    assert store_group(coordinator, group) is Errors.NONE

    stored = read_group(coordinator, coordinator.replicas.appended_record().value())
    assert stored.is_(Empty)
    assert (stored.generation_id, stored.protocol_type) == (0, None)


@pytest.mark.parametrize(("append_error", "expected_error"), [
    (Errors.NONE, Errors.NONE),
    (Errors.UNKNOWN_TOPIC_OR_PARTITION, Errors.COORDINATOR_NOT_AVAILABLE),
    (Errors.NOT_ENOUGH_REPLICAS, Errors.COORDINATOR_NOT_AVAILABLE),
    (Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND, Errors.COORDINATOR_NOT_AVAILABLE),
    (Errors.NOT_LEADER_OR_FOLLOWER, Errors.NOT_COORDINATOR),
    (Errors.MESSAGE_TOO_LARGE, Errors.UNKNOWN_SERVER_ERROR),
    (Errors.RECORD_LIST_TOO_LARGE, Errors.UNKNOWN_SERVER_ERROR),
    (Errors.INVALID_FETCH_SIZE, Errors.UNKNOWN_SERVER_ERROR),
    (Errors.CORRUPT_MESSAGE, Errors.CORRUPT_MESSAGE),
    (Errors.REQUEST_TIMED_OUT, Errors.REBALANCE_IN_PROGRESS),
    (Errors.KAFKA_STORAGE_ERROR, Errors.NOT_COORDINATOR),
])
def test_store_group_error_mapping(coordinator: Coordinator, append_error: Errors,
                                   expected_error: Errors) -> None:
    group = coordinator.new_group()
    coordinator.replicas.error = append_error
    assert store_group(coordinator, group) is expected_error
    assert len(coordinator.replicas.appends) == 1


def completing_group(coordinator: Coordinator) -> GroupMetadata:
    group = GroupMetadata(GROUP_ID, Empty, coordinator.time)
    group.add(MemberMetadata("memberId", GROUP_INSTANCE_ID, "clientId", "localhost", REBALANCE_TIMEOUT,
                             SESSION_TIMEOUT, "protocolType", [("protocol", b"")]), lambda result: None)
    group.transition_to(PreparingRebalance)
    group.init_next_generation()
    return group


def test_store_non_empty_group(coordinator: Coordinator) -> None:
    group = coordinator.manager.add_group(completing_group(coordinator))
    coordinator.replicas.error = Errors.NONE
    assert store_group(coordinator, group, {"memberId": b""}) is Errors.NONE
    assert len(coordinator.replicas.appends) == 1


def test_store_non_empty_group_when_coordinator_has_moved(coordinator: Coordinator) -> None:
    coordinator.replicas.magic = None
    group = completing_group(coordinator)
    assert store_group(coordinator, group, {"memberId": b""}) is Errors.NOT_COORDINATOR
    assert not coordinator.replicas.appends


# -- storing offsets -----------------------------------------------------------------------------------


def test_commit_offset(coordinator: Coordinator) -> None:
    group = coordinator.new_group()
    coordinator.replicas.error = Errors.NONE
    assert coordinator.committed_count() == 0
    coordinator.store(group, {FOO_ID_0: coordinator.commit()})
    assert coordinator.errors == {FOO_ID_0: Errors.NONE}
    assert group.has_offsets()
    assert coordinator.fetched(FOO_0) == [37]
    assert len(coordinator.replicas.appends) == 1
    assert coordinator.committed_count() == 1


def test_transactional_commit_offset_committed(coordinator: Coordinator) -> None:
    group = coordinator.new_group()
    offset = coordinator.commit()
    coordinator.store_txn(group, {FOO_ID_0: offset})
    assert group.has_offsets()
    assert not group.all_offsets()
    assert coordinator.manager.is_group_open_for_producer(232, GROUP_ID)

    coordinator.replicas.answer(Errors.NONE)
    assert group.has_offsets()
    assert not group.all_offsets()

    group.complete_pending_txn_offset_commit(232, is_commit=True)
    assert group.has_offsets()
    assert group.offset(FOO_0) == offset


def test_transactional_commit_offset_append_failure(coordinator: Coordinator) -> None:
    group = coordinator.new_group()
    coordinator.store_txn(group, {FOO_ID_0: coordinator.commit()})
    assert group.has_offsets()
    assert not group.all_offsets()

    coordinator.replicas.answer(Errors.NOT_ENOUGH_REPLICAS)
    assert not group.has_offsets()
    assert not group.all_offsets()

    group.complete_pending_txn_offset_commit(232, is_commit=False)
    assert not group.has_offsets()
    assert not group.all_offsets()


def test_transactional_commit_offset_aborted(coordinator: Coordinator) -> None:
    group = coordinator.new_group()
    coordinator.store_txn(group, {FOO_ID_0: coordinator.commit()})
    coordinator.replicas.answer(Errors.NONE)
    assert group.has_offsets()
    assert not group.all_offsets()

    group.complete_pending_txn_offset_commit(232, is_commit=False)
    assert not group.has_offsets()
    assert not group.all_offsets()


def test_commit_offset_when_coordinator_has_moved(coordinator: Coordinator) -> None:
    coordinator.replicas.magic = None
    coordinator.store(coordinator.new_group(), {FOO_ID_0: coordinator.commit()})
    assert coordinator.errors == {FOO_ID_0: Errors.NOT_COORDINATOR}


@pytest.mark.parametrize(("append_error", "expected_error"), [
    (Errors.UNKNOWN_TOPIC_OR_PARTITION, Errors.COORDINATOR_NOT_AVAILABLE),
    (Errors.NOT_ENOUGH_REPLICAS, Errors.COORDINATOR_NOT_AVAILABLE),
    (Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND, Errors.COORDINATOR_NOT_AVAILABLE),
    (Errors.NOT_LEADER_OR_FOLLOWER, Errors.NOT_COORDINATOR),
    (Errors.MESSAGE_TOO_LARGE, Errors.INVALID_COMMIT_OFFSET_SIZE),
    (Errors.RECORD_LIST_TOO_LARGE, Errors.INVALID_COMMIT_OFFSET_SIZE),
    (Errors.INVALID_FETCH_SIZE, Errors.INVALID_COMMIT_OFFSET_SIZE),
    (Errors.CORRUPT_MESSAGE, Errors.CORRUPT_MESSAGE),
    (Errors.NETWORK_EXCEPTION, Errors.COORDINATOR_LOAD_IN_PROGRESS),
])
def test_commit_offset_failure(coordinator: Coordinator, append_error: Errors,
                               expected_error: Errors) -> None:
    group = coordinator.new_group()
    coordinator.store(group, {FOO_ID_0: coordinator.commit()})
    assert group.has_offsets()
    coordinator.replicas.answer(append_error)
    assert coordinator.errors == {FOO_ID_0: expected_error}
    assert not group.has_offsets()
    assert coordinator.fetched(FOO_0) == [OffsetFetchResponse.INVALID_OFFSET]
    assert coordinator.committed_count() == 0


TOO_LONG = "s" * (MAX_METADATA_SIZE + 1)


def test_commit_offset_partial_failure(coordinator: Coordinator) -> None:
    group = coordinator.new_group()
    coordinator.store(
        group, {FOO_ID_0: coordinator.commit(), FOO_ID_1: coordinator.commit(metadata=TOO_LONG)})
    assert group.has_offsets()
    coordinator.replicas.answer(Errors.NONE)
    assert coordinator.errors == {FOO_ID_0: Errors.NONE, FOO_ID_1: Errors.OFFSET_METADATA_TOO_LARGE}
    assert coordinator.fetched(FOO_0, FOO_1) == [37, OffsetFetchResponse.INVALID_OFFSET]
    assert len(coordinator.replicas.appends) == 1
    assert coordinator.committed_count() == 1


def test_offset_metadata_too_large(coordinator: Coordinator) -> None:
    group = coordinator.new_group()
    coordinator.store(group, {FOO_ID_0: coordinator.commit(metadata=TOO_LONG)})
    assert coordinator.errors == {FOO_ID_0: Errors.OFFSET_METADATA_TOO_LARGE}
    assert not group.has_offsets()
    assert coordinator.fetched(FOO_0) == [OffsetFetchResponse.INVALID_OFFSET]
    assert coordinator.committed_count() == 0


def test_offset_metadata_too_large_partial_failure(coordinator: Coordinator) -> None:
    group = coordinator.new_group()
    coordinator.replicas.error = Errors.NONE
    coordinator.store(
        group, {FOO_ID_0: coordinator.commit(metadata=TOO_LONG), FOO_ID_1: coordinator.commit()})
    assert coordinator.errors == {FOO_ID_0: Errors.OFFSET_METADATA_TOO_LARGE, FOO_ID_1: Errors.NONE}
    offsets = coordinator.manager.get_offsets(GROUP_ID, True, [FOO_0, FOO_1])
    assert [(data.offset, data.error) for data in offsets.values()] == [(-1, Errors.NONE), (37, Errors.NONE)]
    assert coordinator.committed_count() == 1


def test_transactional_commit_offset_with_offset_metadata_too_large_partial_failure(
        coordinator: Coordinator) -> None:
    group = coordinator.new_group()
    offset = coordinator.commit()
    coordinator.store_txn(group, {FOO_ID_0: offset, FOO_ID_1: coordinator.commit(metadata=TOO_LONG)})
    assert group.has_offsets()
    assert not group.all_offsets()
    coordinator.replicas.answer(Errors.NONE)
    assert coordinator.errors == {FOO_ID_0: Errors.NONE, FOO_ID_1: Errors.OFFSET_METADATA_TOO_LARGE}
    assert not group.all_offsets()

    group.complete_pending_txn_offset_commit(232, is_commit=True)
    assert group.all_offsets() == {FOO_0: offset}


# -- expiration ----------------------------------------------------------------------------------------


def test_expire_offset(coordinator: Coordinator) -> None:
    group = coordinator.new_group()
    coordinator.replicas.error = Errors.NONE
    coordinator.store(group, {FOO_ID_0: coordinator.commit(expires_in_ms=1),
                              FOO_ID_1: coordinator.commit(expires_in_ms=3)})
    assert coordinator.errors == {FOO_ID_0: Errors.NONE, FOO_ID_1: Errors.NONE}

    coordinator.time.sleep(2)
    coordinator.cleanup()
    assert coordinator.group() is group
    assert coordinator.fetched(FOO_0, FOO_1) == [-1, 37]
    assert len(coordinator.replicas.appends) == 1


def check_tombstone_of_group(appended: Iterable[MemoryRecords]) -> None:
    records, = appended
    a_batch, = records.batches()
    assert (a_batch.magic(), a_batch.timestamp_type()) == (2, TimestampType.CREATE_TIME)
    tombstone, = records.records()
    assert not tombstone.has_value()
    assert tombstone.timestamp() > 0
    key = tombstone.key()
    assert key is not None
    assert GroupMetadataManager.read_message_key(key) == GroupMetadataKey(2, GROUP_ID)


def check_group_metadata_removal(coordinator: Coordinator) -> None:
    group = coordinator.new_group()
    group.generation_id = 5
    check_tombstone_of_group(coordinator.cleanup())
    assert coordinator.manager.get_group(GROUP_ID) is None
    assert coordinator.fetched(FOO_0, FOO_1) == [-1, -1]


def test_group_metadata_removal(coordinator: Coordinator) -> None:
    check_group_metadata_removal(coordinator)


def test_group_metadata_removal_with_log_append_time(coordinator: Coordinator) -> None:
    """The tombstone has the time of its making here too: where the topic has the log's, the log writes it."""
    check_group_metadata_removal(coordinator)


def test_expire_group_with_offsets_only(coordinator: Coordinator) -> None:
    group = coordinator.new_group()
    coordinator.replicas.error = Errors.NONE
    coordinator.store(group, {FOO_ID_0: coordinator.commit(expires_in_ms=1),
                              FOO_ID_1: coordinator.commit(expires_in_ms=3)})

    coordinator.time.sleep(4)
    records, = coordinator.cleanup()
    keys = []
    for record in records.records():
        key = record.key()
        assert key is not None
        assert not record.has_value()
        keys.append(GroupMetadataManager.read_message_key(key))
    assert [key.key.topic_partition for key in keys if isinstance(key, OffsetKey)] == [FOO_0, FOO_1]
    # Of a group without members there is no record, and so no tombstone.
    assert len(keys) == 2
    assert coordinator.manager.get_group(GROUP_ID) is None
    assert coordinator.fetched(FOO_0, FOO_1) == [-1, -1]
    assert coordinator.replicas.asked_for_partition == 1


def test_offset_expiration_semantics(coordinator: Coordinator) -> None:
    group = coordinator.new_group()
    group.add(member_of("protocol", subscription("foo"), protocol_type="protocolType"), lambda result: None)
    group.transition_to(PreparingRebalance)
    group.init_next_generation()

    coordinator.replicas.error = Errors.NONE
    first, second = coordinator.commit(expires_in_ms=1), coordinator.commit(expires_in_ms=3)
    third = coordinator.commit()
    coordinator.store(group, {FOO_ID_0: first, FOO_ID_1: second, FOO_ID_2: third})

    def check(*offsets: OffsetAndMetadata | None) -> None:
        assert [group.offset(tp) for tp in (FOO_0, FOO_1, FOO_2)] == list(offsets)
        assert coordinator.fetched(FOO_0, FOO_1, FOO_2) == [
            -1 if offset is None else 37 for offset in offsets]

    # As long as there are members nothing expires.
    coordinator.time.sleep(2)
    assert coordinator.cleanup() == []
    assert coordinator.group() is group
    check(first, second, third)

    group.transition_to(PreparingRebalance)
    group.transition_to(Empty)
    coordinator.cleanup()
    assert coordinator.group() is group
    check(None, second, third)

    coordinator.time.sleep(2)
    coordinator.cleanup()
    assert coordinator.group() is group
    check(None, None, third)

    # Up to the last moment.
    assert group.current_state_timestamp is not None
    coordinator.time.sleep(
        group.current_state_timestamp + OFFSET_RETENTION_MS - coordinator.time.milliseconds() - 1)
    coordinator.cleanup()
    assert coordinator.group() is group
    check(None, None, third)

    coordinator.time.sleep(2)
    coordinator.cleanup()
    assert coordinator.manager.get_group(GROUP_ID) is None
    check(None, None, None)
    assert coordinator.replicas.asked_for_partition == 5
    assert group.is_(Dead)


def test_offset_expiration_of_simple_consumer(coordinator: Coordinator) -> None:
    group = coordinator.new_group()
    coordinator.replicas.error = Errors.NONE
    offset = coordinator.commit()
    coordinator.store(group, {FOO_ID_0: offset})

    coordinator.time.sleep(
        offset.commit_timestamp + OFFSET_RETENTION_MS - coordinator.time.milliseconds() - 1)
    coordinator.cleanup()
    assert coordinator.group() is group
    assert group.offset(FOO_0) == offset
    assert coordinator.fetched(FOO_0) == [37]

    coordinator.time.sleep(2)
    coordinator.cleanup()
    assert coordinator.manager.get_group(GROUP_ID) is None
    assert group.offset(FOO_0) is None
    assert coordinator.fetched(FOO_0) == [-1]
    assert group.is_(Dead)


def test_offset_expiration_of_active_group_semantics(coordinator: Coordinator) -> None:
    group = coordinator.new_group()
    member = member_of("protocol", subscription("foo", "bar"))
    group.add(member, lambda result: None)
    group.transition_to(PreparingRebalance)
    group.init_next_generation()
    group.transition_to(Stable)

    coordinator.replicas.error = Errors.NONE
    offset = coordinator.commit()
    coordinator.store(group, dict.fromkeys((FOO_ID_0, FOO_ID_1, BAR_ID_0, BAR_ID_1), offset))
    partitions = (FOO_0, FOO_1, BAR_0, BAR_1)

    coordinator.time.sleep(OFFSET_RETENTION_MS + 2)
    assert coordinator.cleanup() == []
    assert coordinator.group() is group
    assert [group.offset(tp) for tp in partitions] == [offset] * 4
    assert coordinator.fetched(*partitions) == [37] * 4

    group.transition_to(PreparingRebalance)
    group.update_member(member, [("protocol", subscription("foo"))], member.rebalance_timeout_ms,
                        member.session_timeout_ms, None)
    group.init_next_generation()
    group.transition_to(Stable)

    assert len(coordinator.cleanup()) == 1
    assert coordinator.group() is group
    assert group.is_(Stable)
    assert [group.offset(tp) for tp in partitions] == [offset, offset, None, None]
    assert coordinator.fetched(*partitions) == [37, 37, -1, -1]


# -- records -------------------------------------------------------------------------------------------


def test_load_offset_from_old_commit(coordinator: Coordinator) -> None:
    version = MetadataVersion.IBP_1_1_IV0
    coordinator.load_records(*coordinator.commits(version=version, retention_ms=100),
                             coordinator.stable_group(935, version=version))
    check_stable_group(coordinator.group(), 935, COMMITTED_OFFSETS, expires=True)


def test_load_offset_with_explicit_retention(coordinator: Coordinator) -> None:
    coordinator.load_records(*coordinator.commits(retention_ms=100), coordinator.stable_group(935))
    check_stable_group(coordinator.group(), 935, COMMITTED_OFFSETS, expires=True)


def expected_schema(version: MetadataVersion) -> int:
    if version.is_less_than(MetadataVersion.IBP_2_1_IV0):
        return 1
    return 2 if version.is_less_than(MetadataVersion.IBP_2_1_IV1) else 3


def serde(offset: OffsetAndMetadata, version: MetadataVersion) -> tuple[int, OffsetAndMetadata]:
    buffer = ByteBuffer.wrap(GroupMetadataManager.offset_commit_value(offset, version))
    schema = buffer.duplicate().get_short()
    read = GroupMetadataManager.read_offset_message_value(buffer)
    assert read is not None
    return schema, read


@pytest.mark.parametrize("version", VERSIONS)
def test_serde_offset_commit_value(version: MetadataVersion) -> None:
    schema, read = serde(OffsetAndMetadata(537, 15, "metadata", 1234, None), version)
    assert schema == expected_schema(version)
    # Brokers of those days know no leader epoch.
    assert read == OffsetAndMetadata(537, 15 if schema >= 3 else None, "metadata", 1234, None)


@pytest.mark.parametrize("version", VERSIONS)
def test_serde_offset_commit_value_with_expire_timestamp(version: MetadataVersion) -> None:
    offset = OffsetAndMetadata(537, None, "metadata", 1234, 2234)
    assert serde(offset, version) == (1, offset)


@pytest.mark.parametrize("version", VERSIONS)
def test_serde_offset_commit_value_with_none_expire_timestamp(version: MetadataVersion) -> None:
    offset = OffsetAndMetadata(537, None, "metadata", 1234, None)
    assert serde(offset, version) == (expected_schema(version), offset)


def first_short(value: ByteBuffer | None) -> int:
    assert value is not None
    return value.get_short()


def test_serialize_group_metadata_value_to_highest_non_flexible_version(coordinator: Coordinator) -> None:
    assignment = MessageUtil.to_version_prefixed_bytes(3, ConsumerProtocolAssignment(
        assigned_partitions=[ConsumerProtocolAssignment.TopicPartition(topic="topic", partitions=[0])]))
    assert first_short(coordinator.stable_group(935, assignment=assignment).value()) == 3


def test_serialize_offset_commit_value_to_highest_non_flexible_version(coordinator: Coordinator) -> None:
    assert [first_short(record.value()) for record in coordinator.commits()] == [3, 3, 3]


def test_deserialize_highest_supported_group_metadata_value_version(coordinator: Coordinator) -> None:
    value = GroupMetadataValue(
        protocol_type="consumer", generation=935, protocol="range", leader="leader", members=[
            GroupMetadataValue.MemberMetadata(member_id="member", client_id="client", client_host="host")])
    group = read_group(coordinator, MessageUtil.to_version_prefixed_byte_buffer(4, value))
    assert (group.generation_id, group.protocol_type, group.protocol_name, group.leader_or_null()) == (
        935, "consumer", "range", "leader")
    member, = group.all_member_metadata()
    assert (member.member_id, member.client_id, member.client_host) == ("member", "client", "host")


def test_deserialize_highest_supported_offset_commit_value_version() -> None:
    buffer = MessageUtil.to_version_prefixed_byte_buffer(4, OffsetCommitValue(
        offset=1000, metadata="metadata", commit_timestamp=1500, leader_epoch=1))
    assert GroupMetadataManager.read_offset_message_value(buffer) == OffsetAndMetadata(
        1000, 1, "metadata", 1500, None)


FUTURE_FIELDS = [RawTaggedField(0, b"foo"), RawTaggedField(1, b"\0\0\x0f\xa0")]


def test_deserialize_future_offset_commit_value() -> None:
    value = OffsetCommitValue(offset=1000, leader_epoch=100, metadata="metadata", commit_timestamp=2000)
    value.unknown_tagged_fields().extend(FUTURE_FIELDS)
    buffer = MessageUtil.to_version_prefixed_byte_buffer(4, value)

    start = buffer.duplicate()
    start.get_short()
    assert OffsetCommitValue.read(start, 4).unknown_tagged_fields() == FUTURE_FIELDS

    assert GroupMetadataManager.read_offset_message_value(buffer) == OffsetAndMetadata(
        1000, 100, "metadata", 2000, None)


def test_deserialize_future_group_metadata_value(coordinator: Coordinator) -> None:
    member = GroupMetadataValue.MemberMetadata(
        member_id="member_id", group_instance_id="group_instance_id", client_id="client_id",
        client_host="client_host", rebalance_timeout=1, session_timeout=2)
    member.unknown_tagged_fields().extend(FUTURE_FIELDS)
    value = GroupMetadataValue(protocol_type="consumer", generation=10, protocol="range", leader="leader",
                               current_state_timestamp=1000, members=[member])
    value.unknown_tagged_fields().extend(FUTURE_FIELDS)
    buffer = MessageUtil.to_version_prefixed_byte_buffer(4, value)

    start = buffer.duplicate()
    start.get_short()
    read = GroupMetadataValue.read(start, 4)
    assert read.unknown_tagged_fields() == FUTURE_FIELDS
    assert read.members[0].unknown_tagged_fields() == FUTURE_FIELDS

    group = read_group(coordinator, buffer)
    assert (group.generation_id, group.protocol_type, group.leader_or_null()) == (10, "consumer", "leader")
    assert group.current_state_timestamp == 1000
    assert group.all_members() == {"member_id"}


class WithEmptyControlBatch(MemoryRecords):
    """Records after a control batch of which compaction has left nothing but the header."""

    def batches(self) -> Any:
        empty = bytearray(MemoryRecords.with_records(
            Compression.NONE, SimpleRecord(value=b""), initial_offset=START_OFFSET, producer_id=PRODUCER_ID,
            producer_epoch=0, base_sequence=0, is_transactional=True).buffer().to_bytes()[:61])
        struct.pack_into(">i", empty, 8, 61 - 12)
        empty[22] |= 0x20
        struct.pack_into(">i", empty, 57, 0)
        yield from MemoryRecords.readable_records(ByteBuffer.wrap(empty)).batches()
        yield from super().batches()


def test_load_offsets_with_empty_control_batch(coordinator: Coordinator) -> None:
    records = batch(*coordinator.commits(), coordinator.empty_group(15, "protocolType"),
                    offset=START_OFFSET + 1)
    coordinator.replicas.log = Log(START_OFFSET, WithEmptyControlBatch(records.buffer()))
    coordinator.replicas.log_end_offset = START_OFFSET + 5
    coordinator.manager.load_groups_and_offsets(GROUP_TOPIC_PARTITION, GROUP_EPOCH, lambda group: None, 0)
    group = coordinator.group()
    check_empty_group(group, COMMITTED_OFFSETS)
    assert (group.generation_id, group.protocol_type) == (15, "protocolType")
    assert (group.leader_or_null(), group.protocol_name) == (None, None)


def test_metrics(coordinator: Coordinator) -> None:
    def check(groups: int, preparing: int, completing: int) -> None:
        assert coordinator.gauge("NumGroups") == groups
        assert coordinator.gauge("NumGroupsPreparingRebalance") == preparing
        assert coordinator.gauge("NumGroupsCompletingRebalance") == completing

    coordinator.manager.cleanup_expired_group_metadata()
    check(0, 0, 0)
    group = GroupMetadata("foo2", Stable, coordinator.time)
    coordinator.manager.add_group(group)
    check(1, 0, 0)
    group.transition_to(PreparingRebalance)
    check(1, 1, 0)
    group.transition_to(CompletingRebalance)
    check(1, 0, 1)


def test_partition_load_metric(coordinator: Coordinator, caplog: pytest.LogCaptureFixture) -> None:
    for name in ("partition-load-time-max", "partition-load-time-avg"):
        assert coordinator.load_time(name) != coordinator.load_time(name), "not a number"
    coordinator.expect_load(START_OFFSET, batch(*coordinator.commits(), coordinator.stable_group(15)))
    caplog.set_level(logging.INFO)
    coordinator.manager.load_groups_and_offsets(
        GROUP_TOPIC_PARTITION, GROUP_EPOCH, lambda group: coordinator.time.sleep(234),
        coordinator.time.milliseconds() - 1000)
    # Here the clock stands still, but for the loading of the one group.
    for name in ("partition-load-time-max", "partition-load-time-avg"):
        assert coordinator.load_time(name) == 1234
    assert "are loaded, in 1234 ms, for epoch 2; 1000 ms of these went before it began" in caplog.text


def test_read_message_key_can_read_unknown_message() -> None:
    unknown = MessageUtil.to_version_prefixed_bytes(2, GroupMetadataKeyData())
    key = GroupMetadataManager.read_message_key(ByteBuffer.wrap(b"\x7f\xff" + unknown[2:]))
    assert key == UnknownKey(0x7FFF)


def test_load_groups_and_offsets_will_ignore_unknown_message(coordinator: Coordinator) -> None:
    key = MessageUtil.to_version_prefixed_bytes(2, GroupMetadataKeyData())[2:]
    unknown = [SimpleRecord(key=version + key, value=version + key) for version in (b"\x7f\xff", b"\0\3")]
    coordinator.load_records(*coordinator.commits(), *unknown, coordinator.stable_group(935), epoch=1)
    check_stable_group(coordinator.group(), 935, COMMITTED_OFFSETS)


# -- not in Kafka's suite ------------------------------------------------------------------------------


def test_the_partition_of_a_group(coordinator: Coordinator) -> None:
    # As Java counts: of a group whose hash is negative, and of one with a character of two units.
    coordinator.manager._group_metadata_topic_partition_count = 50
    assert [coordinator.manager.partition_for(group) for group in ("foo", "my-group", "\U0001f600")] == [
        24, 12, 49]


def test_a_partition_is_loaded_by_the_thread_of_the_manager(coordinator: Coordinator) -> None:
    coordinator.expect_load(START_OFFSET, batch(*coordinator.commits()))
    loaded: list[GroupMetadata] = []
    coordinator.manager.schedule_load_group_and_offsets(GROUP_PARTITION_ID, 1, loaded.append)
    coordinator.await_tasks()
    assert loaded == [coordinator.group()]
    assert coordinator.manager.is_group_local(GROUP_ID)
    assert not coordinator.manager.is_loading()


def test_a_partition_that_cannot_be_read_is_owned(coordinator: Coordinator,
                                                  caplog: pytest.LogCaptureFixture) -> None:
    coordinator.load_records(SimpleRecord(value=b"no key"))
    assert coordinator.manager.is_partition_owned(GROUP_PARTITION_ID)
    assert not coordinator.manager.is_group_loading(GROUP_ID)
    assert "should not be null" in str(caplog.records[-1].exc_info)


def test_a_partition_without_a_log(coordinator: Coordinator) -> None:
    coordinator.manager.load_groups_and_offsets(GROUP_TOPIC_PARTITION, 1, lambda group: None, 0)
    assert coordinator.manager.is_partition_owned(GROUP_PARTITION_ID)
    # A loaded partition is not loaded again.
    coordinator.expect_load(START_OFFSET, batch(*coordinator.commits()))
    coordinator.manager.load_groups_and_offsets(GROUP_TOPIC_PARTITION, 2, lambda group: None, 0)
    assert coordinator.manager.get_group(GROUP_ID) is None


def test_an_unstable_offset(coordinator: Coordinator) -> None:
    group = coordinator.new_group()
    coordinator.replicas.error = Errors.NONE
    coordinator.store(group, {FOO_ID_0: coordinator.commit(), FOO_ID_1: coordinator.commit()})
    coordinator.store_txn(group, {FOO_ID_0: coordinator.commit(38)})
    assert coordinator.manager.is_group_open_for_producer(232, GROUP_ID)
    offsets = coordinator.manager.get_offsets(GROUP_ID, True, None)
    assert [(data.offset, data.error) for data in offsets.values()] == [
        (-1, Errors.UNSTABLE_OFFSET_COMMIT), (37, Errors.NONE)]
    assert coordinator.fetched(FOO_0) == [37]
    coordinator.manager.schedule_handle_txn_completion(232, {GROUP_PARTITION_ID}, True)
    coordinator.await_tasks()
    assert coordinator.fetched(FOO_0) == [38]
    assert not coordinator.manager.is_group_open_for_producer(232, GROUP_ID)


@pytest.mark.deviation("D155")
def test_an_end_of_a_transaction_that_is_handled_late(coordinator: Coordinator) -> None:
    """A commit, handled when the producer has gone on, leaves alone what its next transaction has written."""
    group = coordinator.new_group()
    coordinator.replicas.error = Errors.NONE
    coordinator.store_txn(group, {FOO_ID_0: coordinator.commit()})
    busy = threading.Event()
    coordinator.manager._scheduler.schedule_once("busy", lambda: None if busy.wait(120) else None)
    coordinator.replicas.log_end_offset = len(coordinator.replicas.appends)
    coordinator.manager.schedule_handle_txn_completion(232, {GROUP_PARTITION_ID}, True)
    coordinator.store_txn(group, {FOO_ID_1: coordinator.commit(38)})
    busy.set()
    coordinator.await_tasks()
    assert coordinator.fetched(FOO_0, FOO_1) == [37, -1]
    assert coordinator.manager.is_group_open_for_producer(232, GROUP_ID)

    coordinator.replicas.log_end_offset = len(coordinator.replicas.appends)
    coordinator.manager.schedule_handle_txn_completion(232, {GROUP_PARTITION_ID}, False)
    coordinator.await_tasks()
    assert coordinator.fetched(FOO_0, FOO_1) == [37, -1]
    assert not coordinator.manager.is_group_open_for_producer(232, GROUP_ID)


@pytest.mark.deviation("D155")
def test_an_end_of_a_transaction_that_is_handled_late_with_strict_fidelity(coordinator: Coordinator) -> None:
    """As in Kafka it also commits what the producer's next transaction has written."""
    coordinator.manager._config = OFFSET_CONFIG._replace(fidelity_strict=True)
    group = coordinator.new_group()
    coordinator.replicas.error = Errors.NONE
    coordinator.store_txn(group, {FOO_ID_0: coordinator.commit()})
    busy = threading.Event()
    coordinator.manager._scheduler.schedule_once("busy", lambda: None if busy.wait(120) else None)
    coordinator.replicas.log_end_offset = len(coordinator.replicas.appends)
    coordinator.manager.schedule_handle_txn_completion(232, {GROUP_PARTITION_ID}, True)
    coordinator.store_txn(group, {FOO_ID_1: coordinator.commit(38)})
    busy.set()
    coordinator.await_tasks()
    assert coordinator.fetched(FOO_0, FOO_1) == [37, 38]
    assert not coordinator.manager.is_group_open_for_producer(232, GROUP_ID)


def test_a_dead_group_has_no_offsets(coordinator: Coordinator) -> None:
    group = coordinator.new_group()
    group.transition_to(Dead)
    assert coordinator.fetched(FOO_0) == [-1]
    assert coordinator.manager.get_offsets(GROUP_ID, False, None) == {}
    # A late callback changes nothing in a dead group.
    coordinator.store(group, {FOO_ID_0: coordinator.commit()})
    coordinator.replicas.answer(Errors.NONE)
    assert group.num_offsets() == 0


def test_tombstones_that_cannot_be_written(coordinator: Coordinator,
                                           caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Leader):
        def append_records_to_leader(self, records: MemoryRecords, **arguments: Any) -> None:
            raise OSError("no")

    group = coordinator.new_group()
    coordinator.replicas.error = Errors.NONE
    coordinator.store(group, {FOO_ID_0: coordinator.commit()})
    coordinator.replicas.leader = Broken()
    assert coordinator.manager.cleanup_group_metadata(
        [group], RequestLocal.NoCaching, lambda a_group: a_group.remove_all_offsets()) == 0
    assert "failed to append 1 tombstones of group foo to" in caplog.text


def test_the_numbers_of_groups_and_offsets(coordinator: Coordinator) -> None:
    group = coordinator.new_group()
    coordinator.replicas.error = Errors.NONE
    coordinator.store(group, {FOO_ID_0: coordinator.commit(), FOO_ID_1: coordinator.commit()})
    assert coordinator.gauge("NumOffsets") == 2
    assert [coordinator.gauge(f"NumGroups{state}") for state in ("Stable", "Dead", "Empty")] == [0, 0, 1]


def test_the_offsets_of_a_group_are_counted_under_its_lock(coordinator: Coordinator) -> None:
    group = coordinator.new_group()
    coordinator.replicas.error = Errors.NONE

    class ContendedLock:
        """A lock that another thread has had immediately before: that thread has committed an offset."""

        def __enter__(self) -> None:
            group.lock = lock
            coordinator.store(group, {FOO_ID_0: coordinator.commit()})

        def __exit__(self, *_: object) -> None:
            pass

    lock = group.lock
    group.lock = ContendedLock()  # type: ignore[assignment]
    assert coordinator.gauge("NumOffsets") == 1


def test_a_group_that_commits_in_two_ways_is_warned_of(coordinator: Coordinator,
                                                       caplog: pytest.LogCaptureFixture) -> None:
    group = coordinator.new_group()
    coordinator.replicas.error = Errors.NONE
    coordinator.store(group, {FOO_ID_0: coordinator.commit()})
    assert "by its consumers and by transactions" not in caplog.text
    coordinator.store_txn(group, {FOO_ID_0: coordinator.commit()})
    coordinator.store(group, {FOO_ID_0: coordinator.commit()})
    assert "by its consumers and by transactions" in caplog.text
