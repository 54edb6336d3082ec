# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Groups on a real log: what was committed is there after a crash, and the log does not grow for ever."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.topic_id_partition import TopicIdPartition
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.offset_config import OffsetConfig
from kreactor.core.common.offset_and_metadata import OffsetAndMetadata
from kreactor.core.coordinator.group.group_metadata import (
    CompletingRebalance,
    Empty,
    GroupMetadata,
    PreparingRebalance,
    Stable,
)
from kreactor.core.coordinator.group.group_metadata_manager import GroupMetadataManager
from kreactor.core.coordinator.group.member_metadata import MemberMetadata
from kreactor.core.log.log_cleaner import LogCleaner
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.core.server.metadata_cache import MetadataCache
from kreactor.core.server.replica_manager import ReplicaManager
from kreactor.embedded.storage import Storage, StorageConfig
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.server.common.metadata_version import MetadataVersion
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.storage.internals.log.append_origin import AppendOrigin
from kreactor.storage.internals.log.cleaner_config import CleanerConfig
from kreactor.testing.mock_time import MockTime
from tests.core.server.brokers import broker_config
from tests.storage.internals.log.support import MockScheduler, TrackedFiles

TOPIC = "__consumer_offsets"
PARTITION = TopicPartition(TOPIC, 0)
RETENTION_MS = 7 * 24 * 60 * 60 * 1000
FOO = [TopicIdPartition.of(Uuid.random_uuid(), partition, "foo") for partition in range(3)]


class Broker:
    """Storage, partitions and groups of a broker. A context manager that starts and stops them."""

    def __init__(self, folder: Path, codec: CompressionType = CompressionType.NONE) -> None:
        self.folder = folder
        self.time = MockTime()
        self.scheduler = MockScheduler(self.time)
        self.files = TrackedFiles()
        self.storage = Storage(StorageConfig(str(folder), 1), self.scheduler, self.time, self.files)
        self.metrics = Metrics(time=self.time)
        self.codec = codec

    def __enter__(self) -> Broker:
        self.storage.startup()
        registry = MetricsRegistry()
        config = broker_config(self.folder)
        logs = self.storage.log_manager()
        self.replica_manager = ReplicaManager(
            config, self.time, logs, MetadataCache(1, self.storage.topics(), logs.get_log),
            metrics_registry=registry)
        self.replica_manager.startup()
        self.manager = GroupMetadataManager(
            1, MetadataVersion.latest_production(),
            OffsetConfig(4096, 1000, RETENTION_MS, 600_000, 1, 1000, 1, self.codec, 5000, -1),
            self.replica_manager, self.time, self.metrics, registry)
        self.manager.startup(lambda: 1, False)
        if self.storage.topics().topic(TOPIC) is None:
            topic = self.storage.create_topic(
                TOPIC, 1, {"cleanup.policy": "compact", "segment.bytes": "1000"})
            self.replica_manager.apply_delta(changed=topic.partitions())
        self.manager.load_groups_and_offsets(PARTITION, 0, lambda group: None, self.time.milliseconds())
        assert self.manager.is_partition_owned(0)
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 tb: TracebackType | None) -> None:
        self.manager.shutdown()
        self.replica_manager.shutdown()
        self.replica_manager.broker_topic_stats.close()
        self.storage.shutdown()
        self.metrics.close()
        # A log record about a damaged file may hold it.
        self.files.close_all()

    def compact(self) -> None:
        logs = self.storage.log_manager()
        LogCleaner(CleanerConfig(), [logs.directory()], logs.logs(), self.time, MetricsRegistry()).clean_now(
            PARTITION)

    def log(self) -> UnifiedLog:
        log = self.storage.partition_log(PARTITION)
        assert log is not None
        return log

    def group(self, group_id: str) -> GroupMetadata:
        group = self.manager.get_or_maybe_create_group(group_id, True)
        assert group is not None
        return group

    def commit(self, group_id: str, offsets: Mapping[TopicIdPartition, int]) -> None:
        group = self.group(group_id)
        answers: list[dict[TopicIdPartition, Errors]] = []
        with group.lock:
            self.manager.store_offsets(
                group, "", PARTITION,
                {partition: OffsetAndMetadata(offset, 0, "meta", self.time.milliseconds(), None)
                 for partition, offset in offsets.items()}, answers.append)
        assert answers == [dict.fromkeys(offsets, Errors.NONE)]

    def rebalance(self, group_id: str, *member_ids: str) -> None:
        """Let a group become stable with these members, or empty."""
        group = self.group(group_id)
        with group.lock:
            group.transition_to(PreparingRebalance)
            for member_id in list(group.all_members()):
                group.remove(member_id)
            for member_id in member_ids:
                group.add(MemberMetadata(member_id, f"{member_id}-instance", "client", "/127.0.0.1", 60_000,
                                         10_000, "consumer", [("range", b"\0\0\0\0\0\0\xff\xff\xff\xff")]))
            group.init_next_generation()
            answers: list[Errors] = []
            assignment = {member_id: member_id.encode() for member_id in member_ids}
            self.manager.store_group(group, assignment, answers.append)
            assert answers == [Errors.NONE]
            if group.is_(CompletingRebalance):
                for member_id in member_ids:
                    group.get(member_id).assignment = assignment[member_id]
                group.transition_to(Stable)

    def state(self) -> dict[str, object]:
        """Return all that is known of the groups."""
        found: dict[str, object] = {}
        for group in self.manager.current_groups():
            found[group.group_id] = (
                group.generation_id, group.protocol_type, group.protocol_name, group.current_state(),
                group.current_state_timestamp if group.generation_id else None,
                sorted(map(repr, group.summary().members)), group.all_offsets(), group.leader_or_null())
        return found

    def crash(self, to: Path) -> Broker:
        """Return a broker on the files as they are now, which the end of the process would leave so."""
        shutil.copytree(self.folder, to)
        return Broker(to)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    with Broker(tmp_path / "data") as broker:
        yield broker


def fill(broker: Broker) -> None:
    broker.rebalance("members", "a", "b")
    broker.commit("members", {FOO[0]: 5, FOO[1]: 6})
    broker.commit("simple", {FOO[2]: 7})
    broker.rebalance("left", "a")
    broker.rebalance("left")
    broker.commit("members", {FOO[0]: 8})


def test_what_was_committed_survives_a_crash(broker: Broker, tmp_path: Path) -> None:
    fill(broker)
    with broker.crash(tmp_path / "crashed") as after:
        assert after.state() == broker.state()
        assert after.group("left").current_state() is Empty
        offset = after.group("members").offset(TopicPartition("foo", 0))
        assert offset is not None
        assert (offset.offset, offset.leader_epoch, offset.metadata) == (8, 0, "meta")
        fill(after)
        with after.crash(tmp_path / "again") as last:
            assert last.state() == after.state()


def test_what_was_committed_survives_a_stop(tmp_path: Path) -> None:
    with Broker(tmp_path / "data") as broker:
        fill(broker)
        before = broker.state()
    with Broker(tmp_path / "data") as broker:
        assert broker.state() == before


@pytest.mark.parametrize("cut", [1, 30, 61])
def test_an_append_that_a_crash_interrupts(broker: Broker, tmp_path: Path, cut: int) -> None:
    fill(broker)
    before = broker.state()
    broker.commit("simple", {FOO[2]: 1000})
    crashed = broker.crash(tmp_path / "crashed")
    path = os.path.join(crashed.folder, f"{TOPIC}-0", os.path.basename(broker.log().segments()[-1].path()))
    os.truncate(path, os.stat(path).st_size - cut)
    with crashed as after:
        assert after.state() == before


def test_what_follows_the_last_append_after_a_crash(broker: Broker, tmp_path: Path) -> None:
    fill(broker)
    crashed = broker.crash(tmp_path / "crashed")
    path = os.path.join(crashed.folder, f"{TOPIC}-0", os.path.basename(broker.log().segments()[-1].path()))
    with open(path, "ab") as file:
        file.write(bytes(200))
    with crashed as after:
        assert after.state() == broker.state()


def test_what_expired_stays_away(broker: Broker, tmp_path: Path) -> None:
    fill(broker)
    broker.time.sleep(RETENTION_MS)
    broker.manager.cleanup_expired_group_metadata()
    assert list(broker.state()) == ["members"]
    with broker.crash(tmp_path / "crashed") as after:
        assert after.state() == broker.state()


def test_the_log_stays_small(broker: Broker, tmp_path: Path) -> None:
    fill(broker)
    for round_ in range(20):
        for i in range(20):
            broker.commit("members", {FOO[0]: i, FOO[1]: round_})
        broker.rebalance("left", "a")
        broker.rebalance("left")
        broker.compact()
        assert broker.log().size() < 6000
    assert broker.log().log_end_offset() > 800
    with broker.crash(tmp_path / "crashed") as after:
        assert after.state() == broker.state()
        # And nothing but compaction takes anything away.
        after.time.sleep(100 * RETENTION_MS)
        after.storage.log_manager().cleanup_logs()
        after.compact()
        with after.crash(tmp_path / "again") as last:
            assert last.state() == broker.state()


def test_compressed_records(tmp_path: Path) -> None:
    with Broker(tmp_path / "data", CompressionType.GZIP) as broker:
        fill(broker)
        path = broker.log().segments()[0].path()
        records = MemoryRecords.readable_records(ByteBuffer.wrap(Path(path).read_bytes()))
        assert {batch.compression_type() for batch in records.batches()} == {CompressionType.GZIP}
        with broker.crash(tmp_path / "crashed") as after:
            assert after.state() == broker.state()


def test_clients_write_nothing_into_the_topic(broker: Broker) -> None:
    answers: list[Errors] = []
    broker.replica_manager.append_records(
        timeout=1000, required_acks=1, internal_topics_allowed=False, origin=AppendOrigin.CLIENT,
        entries_per_partition={
            PARTITION: MemoryRecords.with_records(Compression.NONE, SimpleRecord(key=b"a"))},
        response_callback=lambda status: answers.append(status[PARTITION].error))
    assert answers == [Errors.INVALID_TOPIC_EXCEPTION]
