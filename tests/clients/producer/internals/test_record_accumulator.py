# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.RecordAccumulatorTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Batches from the first record to the drain, and back."""

from __future__ import annotations

import random
import time as system_time
from collections.abc import Iterator
from itertools import count
from unittest.mock import Mock

import pytest

from kreactor.clients.api_versions import ApiVersions
from kreactor.clients.common_client_configs import CommonClientConfigs
from kreactor.clients.metadata_snapshot import MetadataSnapshot
from kreactor.clients.node_api_versions import NodeApiVersions
from kreactor.clients.producer.internals.buffer_pool import BufferPool
from kreactor.clients.producer.internals.built_in_partitioner import BuiltInPartitioner
from kreactor.clients.producer.internals.default_partitioner import DefaultPartitioner
from kreactor.clients.producer.internals.producer_batch import ProducerBatch
from kreactor.clients.producer.internals.record_accumulator import RecordAccumulator
from kreactor.clients.producer.internals.transaction_manager import TransactionManager
from kreactor.clients.producer.record_metadata import RecordMetadata
from kreactor.common.cluster import Cluster
from kreactor.common.compress.compression import Compression
from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.node import Node
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.compression_ratio_estimator import CompressionRatioEstimator
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.default_record import DefaultRecord
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record import Record
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.requests.metadata_response import MetadataResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.producer_id_and_epoch import ProducerIdAndEpoch
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.testing.mock_time import MockTime
from tests.stepping import Background, interrupt_main_thread, wait_until

TOPIC = "test"
PARTITION1, PARTITION2, PARTITION3 = 0, 1, 2
NODE1 = Node(0, "localhost", 1111)
NODE2 = Node(1, "localhost", 1112)
TP1, TP2, TP3 = (TopicPartition(TOPIC, partition) for partition in (PARTITION1, PARTITION2, PARTITION3))
NODES = {NODE1.id(): NODE1, NODE2.id(): NODE2}
KEY = b"key"
VALUE = b"value"
MSG_SIZE = DefaultRecord.size_in_bytes_of(0, 0, KEY, VALUE, Record.EMPTY_HEADERS)
MAX_BLOCK_TIME_MS = 1000
INT_MAX = 2**31 - 1
LONG_MAX_VALUE = 2**63 - 1
OVERHEAD = DefaultRecordBatch.RECORD_BATCH_OVERHEAD
GRP = "producer-metrics"


def part_metadata(tp: TopicPartition, node: Node,
                  epoch: int | None = None) -> MetadataResponse.PartitionMetadata:
    return MetadataResponse.PartitionMetadata(Errors.NONE, tp, node.id(), epoch, [], [], [])


PART_METADATA1 = part_metadata(TP1, NODE1)
PART_METADATA2 = part_metadata(TP2, NODE1)
PART_METADATA3 = part_metadata(TP3, NODE2)


def snapshot_of(*partitions: MetadataResponse.PartitionMetadata,
                cluster: Cluster | None = None) -> MetadataSnapshot:
    return MetadataSnapshot(None, NODES, partitions, set(), set(), set(), None, {}, cluster)


def ordered_cluster(*partitions: MetadataResponse.PartitionMetadata) -> Cluster:
    return Cluster(None, [NODE1, NODE2], [MetadataResponse.to_partition_info(partition, NODES)
                                          for partition in partitions], set(), set())


METADATA_CACHE = snapshot_of(PART_METADATA1, PART_METADATA2, PART_METADATA3)


class Rig:
    """A clock, metrics, and accumulators on both."""

    def __init__(self, metrics: Metrics, time: MockTime) -> None:
        self.metrics = metrics
        self.time = time

    def accumulator(self, batch_size: int, total_size: int, compression: Compression = Compression.NONE,
                    linger_ms: int = 10, *, delivery_timeout_ms: int = 3200, retry_backoff_ms: int = 100,
                    retry_backoff_max_ms: int = 1000, api_versions: ApiVersions | None = None,
                    transaction_manager: TransactionManager | None = None,
                    partitioner_config: RecordAccumulator.PartitionerConfig | None = None
                    ) -> RecordAccumulator:
        return RecordAccumulator(
            LogContext(), batch_size, compression, linger_ms, retry_backoff_ms, retry_backoff_max_ms,
            delivery_timeout_ms, self.metrics, GRP, self.time, api_versions or ApiVersions(),
            transaction_manager, BufferPool(total_size, batch_size, self.metrics, self.time, GRP),
            partitioner_config)

    def append(self, accum: RecordAccumulator, partition: int, key: bytes | None = KEY, value: bytes = VALUE,
               callbacks: RecordAccumulator.AppendCallbacks | None = None,
               max_block_time_ms: int = MAX_BLOCK_TIME_MS, abort_on_new_batch: bool = False,
               cluster: Cluster | None = None) -> RecordAccumulator.RecordAppendResult:
        return accum.append(TOPIC, partition, 0, key, value, Record.EMPTY_HEADERS, callbacks,
                            max_block_time_ms, abort_on_new_batch, self.time.milliseconds(),
                            cluster or METADATA_CACHE.cluster())

    def ready_nodes(self, accum: RecordAccumulator, now: int | None = None) -> set[Node]:
        return accum.ready(METADATA_CACHE, self.time.milliseconds() if now is None else now).ready_nodes

    def drain(self, accum: RecordAccumulator, nodes: set[Node], max_size: int = INT_MAX,
              now: int | None = None) -> dict[int, list[ProducerBatch]]:
        return accum.drain(METADATA_CACHE, nodes, max_size, self.time.milliseconds() if now is None else now)


@pytest.fixture
def time() -> MockTime:
    return MockTime()


@pytest.fixture
def rig(time: MockTime) -> Iterator[Rig]:
    with Metrics(time=time) as metrics:
        yield Rig(metrics, time)


@pytest.fixture(autouse=True)
def nothing_is_remembered() -> Iterator[None]:
    yield
    BuiltInPartitioner.mock_random = None
    CompressionRatioEstimator.remove_estimation(TOPIC)


class PartitionCallbacks(RecordAccumulator.AppendCallbacks):
    """One that remembers the partition."""

    def __init__(self) -> None:
        self.partition = RecordMetadata.UNKNOWN_PARTITION

    def set_partition(self, partition: int) -> None:
        self.partition = partition

    def __call__(self, metadata: RecordMetadata | None, exception: Exception | None) -> None:
        pass


class FailureCallbacks(PartitionCallbacks):
    """One that remembers the exceptions."""

    def __init__(self, exceptions: list[Exception | None]) -> None:
        super().__init__()
        self.exceptions = exceptions

    def __call__(self, metadata: RecordMetadata | None, exception: Exception | None) -> None:
        self.exceptions.append(exception)


def expected_num_appends(batch_size: int, key: bytes | None = KEY) -> int:
    """Return how many records such a batch takes."""
    size = 0
    for offset_delta in count():
        size += DefaultRecord.size_in_bytes_of(offset_delta, 0, key, VALUE, Record.EMPTY_HEADERS)
        if size > batch_size:
            return offset_delta
    raise AssertionError


def partitions_of(batches: dict[int, list[ProducerBatch]]) -> list[TopicPartition]:
    return [batch.topic_partition for of_node in batches.values() for batch in of_node]


def assert_is(record: Record, key: bytes | None = KEY, value: bytes = VALUE) -> None:
    record_key, record_value = record.key(), record.value()
    assert (None if record_key is None else record_key.to_bytes()) == key
    assert record_value is not None
    assert record_value.to_bytes() == value


def test_drain_batches(rig: Rig) -> None:
    # NODE1 has TP1 and TP2, NODE2 has TP3 and TP4, in this order.
    tp4 = TopicPartition(TOPIC, 3)
    metadata = (PART_METADATA1, PART_METADATA2, PART_METADATA3, part_metadata(tp4, NODE2))
    cluster = ordered_cluster(*metadata)
    metadata_cache = snapshot_of(*metadata, cluster=cluster)
    batch_size = len(VALUE) + OVERHEAD
    accum = rig.accumulator(batch_size, INT_MAX)

    def append(*partitions: int) -> None:
        for partition in partitions:
            rig.append(accum, partition, cluster=cluster)

    def drain(max_size: int) -> list[TopicPartition]:
        return partitions_of(accum.drain(metadata_cache, [NODE1, NODE2], max_size, 0))

    append(0, 1, 2, 3)
    # A request has room for one batch.
    assert drain(batch_size) == [TP1, TP3]
    append(0, 2)
    # Each node goes on with its next partition.
    assert drain(batch_size) == [TP2, tp4]
    assert drain(batch_size) == [TP1, TP3]

    append(1, 2, 3)
    accum.mute_partition(tp4)
    assert drain(batch_size) == [TP2, TP3]

    append(0, 1, 2)
    accum.unmute_partition(tp4)
    assert sorted(map(str, drain(INT_MAX))) == [f"{TOPIC}-{number}" for number in range(4)]


def test_full(rig: Rig) -> None:
    now = rig.time.milliseconds()
    batch_size = 1025
    accum = rig.accumulator(batch_size + OVERHEAD, 10 * batch_size)
    appends = expected_num_appends(batch_size)
    for _ in range(appends):
        rig.append(accum, PARTITION1)
        partition_batches = accum.get_deque(TP1)
        assert partition_batches is not None
        assert len(partition_batches) == 1
        assert partition_batches[0].is_writable()
        assert not rig.ready_nodes(accum, now)

    # This record does not fit in the first batch, and closes it.
    rig.append(accum, PARTITION1)
    partition_batches = accum.get_deque(TP1)
    assert partition_batches is not None
    assert len(partition_batches) == 2
    assert partition_batches[0].is_writable()
    assert rig.ready_nodes(accum) == {NODE1}

    batches = rig.drain(accum, {NODE1}, now=0)[NODE1.id()]
    assert len(batches) == 1
    records = list(batches[0].records().records())
    assert len(records) == appends
    for record in records:
        assert_is(record)


def check_append_large(rig: Rig, compression: Compression, api_versions: ApiVersions | None = None) -> None:
    batch_size = 512
    value = bytes(2 * batch_size)
    accum = rig.accumulator(batch_size + OVERHEAD, 10 * 1024, compression, 0, api_versions=api_versions)
    rig.append(accum, PARTITION1, value=value)
    assert rig.ready_nodes(accum) == {NODE1}

    batches = accum.get_deque(TP1)
    assert batches is not None
    assert len(batches) == 1
    assert batches[0].magic() == (2 if api_versions is None else 1)
    record_batches = list(batches[0].records().batches())
    assert len(record_batches) == 1
    assert record_batches[0].base_offset() == 0
    records = list(record_batches[0])
    assert len(records) == 1
    assert records[0].offset() == 0
    assert_is(records[0], value=value)
    assert records[0].timestamp() == 0


def old_versions() -> ApiVersions:
    api_versions = ApiVersions()
    api_versions.update(NODE1.id_string(), NodeApiVersions.create_api_key(ApiKeys.PRODUCE.id, 0, 2))
    return api_versions


def test_append_large_compressed(rig: Rig) -> None:
    check_append_large(rig, Compression.gzip().build())


def test_append_large_non_compressed(rig: Rig) -> None:
    check_append_large(rig, Compression.NONE)


def test_append_large_old_message_format_compressed(rig: Rig) -> None:
    check_append_large(rig, Compression.gzip().build(), old_versions())


def test_append_large_old_message_format_non_compressed(rig: Rig) -> None:
    check_append_large(rig, Compression.NONE, old_versions())


def test_linger(rig: Rig) -> None:
    accum = rig.accumulator(1024 + OVERHEAD, 10 * 1024, linger_ms=10)
    rig.append(accum, PARTITION1)
    assert not rig.ready_nodes(accum)
    rig.time.sleep(10)
    assert rig.ready_nodes(accum) == {NODE1}
    batches = rig.drain(accum, {NODE1}, now=0)[NODE1.id()]
    assert len(batches) == 1
    records = list(batches[0].records().records())
    assert len(records) == 1
    assert_is(records[0])


def test_partial_drain(rig: Rig) -> None:
    accum = rig.accumulator(1024 + OVERHEAD, 10 * 1024)
    for partition in (PARTITION1, PARTITION2):
        for _ in range(1024 // MSG_SIZE + 1):
            rig.append(accum, partition)
    assert rig.ready_nodes(accum) == {NODE1}

    # A request of this size has room for one of the two.
    assert len(rig.drain(accum, {NODE1}, 1024, 0)[NODE1.id()]) == 1


def test_stressful_situation(rig: Rig) -> None:
    num_threads, msgs, num_parts = 5, 1000, 2
    accum = rig.accumulator(1024 + OVERHEAD, 10 * 1024, linger_ms=0)

    def send() -> None:
        for j in range(msgs):
            rig.append(accum, j % num_parts, max_block_time_ms=120_000)

    threads = [Background(send) for _ in range(num_threads)]
    read = 0
    now = rig.time.milliseconds()
    deadline = system_time.monotonic() + 120
    while read < num_threads * msgs:
        assert system_time.monotonic() < deadline
        for batch in rig.drain(accum, rig.ready_nodes(accum, now), 5 * 1024, 0).get(NODE1.id(), ()):
            read += len(list(batch.records().records()))
            accum.deallocate(batch)

    for thread in threads:
        thread.result()
    assert read == num_threads * msgs
    assert accum.buffer_pool_available_memory() == 10 * 1024


def test_next_ready_check_delay(rig: Rig) -> None:
    linger_ms = 10
    batch_size = 1025
    accum = rig.accumulator(batch_size + OVERHEAD, 10 * batch_size, linger_ms=linger_ms)
    # Not enough to be sent before the linger time.
    appends = expected_num_appends(batch_size)

    for _ in range(appends):
        rig.append(accum, PARTITION1)
    result = accum.ready(METADATA_CACHE, rig.time.milliseconds())
    assert not result.ready_nodes
    assert result.next_ready_check_delay_ms == linger_ms

    rig.time.sleep(linger_ms // 2)

    for _ in range(appends):
        rig.append(accum, PARTITION3)
    result = accum.ready(METADATA_CACHE, rig.time.milliseconds())
    assert not result.ready_nodes
    assert result.next_ready_check_delay_ms == linger_ms // 2

    # Another partition of NODE1 has enough to be sent now.
    for _ in range(appends + 1):
        rig.append(accum, PARTITION2)
    result = accum.ready(METADATA_CACHE, rig.time.milliseconds())
    assert result.ready_nodes == {NODE1}
    assert result.next_ready_check_delay_ms <= linger_ms


def test_retry_backoff(rig: Rig) -> None:
    linger_ms = INT_MAX // 16
    retry_backoff_ms = INT_MAX // 8
    accum = rig.accumulator(1024 + OVERHEAD, 10 * 1024, linger_ms=linger_ms, delivery_timeout_ms=INT_MAX,
                            retry_backoff_ms=retry_backoff_ms, retry_backoff_max_ms=retry_backoff_ms * 10)

    now = rig.time.milliseconds()
    rig.append(accum, PARTITION1)
    ready = rig.ready_nodes(accum, now + linger_ms + 1)
    assert ready == {NODE1}
    batches = rig.drain(accum, ready, now=now + linger_ms + 1)
    assert partitions_of(batches) == [TP1]

    now = rig.time.milliseconds()
    accum.reenqueue(batches[0][0], now)

    rig.append(accum, PARTITION2)
    ready = rig.ready_nodes(accum, now + linger_ms + 1)
    assert ready == {NODE1}

    # TP1 backs off, TP2 does not.
    assert partitions_of(rig.drain(accum, ready, now=now + linger_ms + 1)) == [TP2]

    upper_bound_backoff_ms = int(retry_backoff_ms * (1 + CommonClientConfigs.RETRY_BACKOFF_JITTER))
    ready = rig.ready_nodes(accum, now + upper_bound_backoff_ms + 1)
    assert ready == {NODE1}
    assert partitions_of(rig.drain(accum, ready, now=now + upper_bound_backoff_ms + 1)) == [TP1]


def drain_and_check_batch_amount(metadata_cache: MetadataSnapshot, leader: Node, accum: RecordAccumulator,
                                 now: int, expected: int) -> dict[int, list[ProducerBatch]]:
    ready = accum.ready(metadata_cache, now).ready_nodes
    batches = accum.drain(metadata_cache, ready, INT_MAX, now)
    if expected > 0:
        assert ready == {leader}
        assert list(batches) == [leader.id()]
        assert len(batches[leader.id()]) == expected
    else:
        assert not ready
        assert not batches
    return batches


def test_exponential_retry_backoff(rig: Rig) -> None:
    linger_ms = INT_MAX // 16
    accum = rig.accumulator(1024 + OVERHEAD, 10 * 1024, linger_ms=linger_ms, delivery_timeout_ms=INT_MAX)
    jitter = CommonClientConfigs.RETRY_BACKOFF_JITTER

    initial = rig.time.milliseconds()
    rig.append(accum, PARTITION1)

    # The first attempt does not back off.
    batches = drain_and_check_batch_amount(METADATA_CACHE, NODE1, accum, initial + linger_ms + 1, 1)
    batch = batches[0][0]
    current_retry_backoff_ms = 0
    rounds = 0
    while current_retry_backoff_ms < 1000 * (1 - jitter):
        accum.reenqueue(batch, rig.time.milliseconds())
        backoff_ms = 100 * CommonClientConfigs.RETRY_BACKOFF_EXP_BASE**rounds
        lower_bound_backoff_ms = int(backoff_ms * (1 - jitter))
        current_retry_backoff_ms = int(backoff_ms * (1 + jitter))
        drain_and_check_batch_amount(METADATA_CACHE, NODE1, accum, initial + lower_bound_backoff_ms - 1, 0)
        drain_and_check_batch_amount(METADATA_CACHE, NODE1, accum, initial + current_retry_backoff_ms + 1, 1)
        rounds += 1
    assert rounds == 4


def test_exponential_retry_backoff_leader_change(rig: Rig) -> None:
    linger_ms = INT_MAX // 16
    jitter = CommonClientConfigs.RETRY_BACKOFF_JITTER
    metadata_cache_change = snapshot_of(part_metadata(TP1, NODE2), PART_METADATA2, PART_METADATA3)
    accum = rig.accumulator(1024 + OVERHEAD, 10 * 1024, linger_ms=linger_ms, delivery_timeout_ms=INT_MAX)

    initial = rig.time.milliseconds()
    rig.append(accum, PARTITION1)

    batches = drain_and_check_batch_amount(METADATA_CACHE, NODE1, accum, initial + linger_ms + 1, 1)
    batch = batches[0][0]

    # The leader changes before the third retry, without an epoch, and the backoff stays.
    before, after = (METADATA_CACHE, NODE1), (metadata_cache_change, NODE2)
    for retry, (metadata_cache, leader) in enumerate((before, before, after, after)):
        accum.reenqueue(batch, rig.time.milliseconds())
        backoff_ms = 100 * CommonClientConfigs.RETRY_BACKOFF_EXP_BASE**retry
        lower_bound_backoff_ms = int(backoff_ms * (1 - jitter))
        upper_bound_backoff_ms = min(int(backoff_ms * (1 + jitter)), 1000)
        drain_and_check_batch_amount(metadata_cache, leader, accum, initial + lower_bound_backoff_ms - 1, 0)
        drain_and_check_batch_amount(metadata_cache, leader, accum, initial + upper_bound_backoff_ms + 1, 1)


def test_flush(rig: Rig) -> None:
    accum = rig.accumulator(4 * 1024 + OVERHEAD, 64 * 1024, linger_ms=INT_MAX)
    for i in range(100):
        rig.append(accum, i % 3)
        assert accum.has_incomplete()
    assert not rig.ready_nodes(accum)

    accum.begin_flush()
    results = rig.drain(accum, rig.ready_nodes(accum))
    assert accum.has_incomplete()

    for batches in results.values():
        for batch in batches:
            accum.deallocate(batch)

    # Nothing is left to wait for.
    accum.await_flush_completion()
    assert not accum.has_undrained()
    assert not accum.has_incomplete()


def test_await_flush_complete(rig: Rig) -> None:
    accum = rig.accumulator(4 * 1024 + OVERHEAD, 64 * 1024, linger_ms=INT_MAX)
    rig.append(accum, 0)

    accum.begin_flush()
    assert accum._flush_in_progress()
    result, = accum._incomplete.request_results()

    def interrupt() -> None:
        def waits() -> bool:
            return bool(result._latch._condition._waiters)  # type: ignore[attr-defined]  # the main thread

        wait_until(waits)
        interrupt_main_thread(waits)

    interrupting = Background(interrupt)
    with pytest.raises(KeyboardInterrupt):
        accum.await_flush_completion()
    interrupting.result()
    assert not accum._flush_in_progress()


def test_abort_incomplete_batches(rig: Rig) -> None:
    num_records = 100
    exceptions: list[Exception | None] = []
    accum = rig.accumulator(128 + OVERHEAD, 64 * 1024, linger_ms=INT_MAX)
    for i in range(num_records):
        rig.append(accum, i % 3, callbacks=FailureCallbacks(exceptions))
    ready = rig.ready_nodes(accum)
    assert ready
    drained = rig.drain(accum, ready)
    assert accum.has_undrained()
    assert accum.has_incomplete()

    num_drained_records = 0
    for batches in drained.values():
        for batch in batches:
            assert batch.is_closed()
            assert not batch.produce_future.completed()
            num_drained_records += batch.record_count
    assert 0 < num_drained_records < num_records

    accum.abort_incomplete_batches()
    assert [str(exception) for exception in exceptions] == ["Producer is closed forcefully."] * num_records
    assert not accum.has_undrained()
    assert not accum.has_incomplete()
    assert accum.buffer_pool_available_memory() == 64 * 1024


def test_abort_unsent_batches(rig: Rig) -> None:
    num_records = 100
    exceptions: list[Exception | None] = []
    accum = rig.accumulator(128 + OVERHEAD, 64 * 1024, linger_ms=INT_MAX)
    cause = KafkaException()
    for i in range(num_records):
        rig.append(accum, i % 3, callbacks=FailureCallbacks(exceptions))
    ready = rig.ready_nodes(accum)
    assert ready
    drained = rig.drain(accum, ready)
    assert accum.has_undrained()
    assert accum.has_incomplete()

    accum.abort_undrained_batches(cause)
    num_drained_records = 0
    for batches in drained.values():
        for batch in batches:
            assert batch.is_closed()
            assert not batch.produce_future.completed()
            num_drained_records += batch.record_count

    assert num_drained_records > 0
    assert exceptions
    assert all(exception is cause for exception in exceptions)
    assert len(exceptions) + num_drained_records == num_records
    assert not accum.has_undrained()
    assert accum.has_incomplete()


def expire_batch_single(rig: Rig, delivery_timeout_ms: int) -> None:
    linger_ms = 300
    batch_size = 1025
    accum = rig.accumulator(batch_size + OVERHEAD, 10 * batch_size, linger_ms=linger_ms,
                            delivery_timeout_ms=delivery_timeout_ms)

    for mute in (False, True):
        rig.append(accum, PARTITION1)
        assert not rig.ready_nodes(accum)

        rig.time.sleep(linger_ms)
        assert rig.ready_nodes(accum) == {NODE1}

        assert not accum.expired_batches(rig.time.milliseconds())

        if mute:
            accum.mute_partition(TP1)
        else:
            accum.unmute_partition(TP1)

        rig.time.sleep(delivery_timeout_ms - linger_ms)
        assert len(accum.expired_batches(rig.time.milliseconds())) == 1
        assert not rig.ready_nodes(accum)


def test_expired_batch_single(rig: Rig) -> None:
    expire_batch_single(rig, 3200)


def test_expired_batch_single_max_value(rig: Rig) -> None:
    expire_batch_single(rig, INT_MAX)


def test_expired_batches(rig: Rig) -> None:
    retry_backoff_ms = 100
    linger_ms = 30
    request_timeout = 60
    delivery_timeout_ms = 3200
    batch_size = 1025
    time = rig.time
    accum = rig.accumulator(batch_size + OVERHEAD, 10 * batch_size, linger_ms=linger_ms,
                            delivery_timeout_ms=delivery_timeout_ms)

    def num_expired() -> int:
        return len(accum.expired_batches(time.milliseconds()))

    for _ in range(expected_num_appends(batch_size)):
        rig.append(accum, PARTITION1)
        assert not rig.ready_nodes(accum)
    # The first batch is full.
    rig.append(accum, PARTITION1, max_block_time_ms=0)
    assert rig.ready_nodes(accum) == {NODE1}
    time.sleep(delivery_timeout_ms + 1)
    accum.mute_partition(TP1)
    # Both expire, although the partition is muted.
    assert num_expired() == 2

    accum.unmute_partition(TP1)
    assert num_expired() == 0
    assert not rig.ready_nodes(accum)

    time.sleep(linger_ms + request_timeout + 1)
    accum.mute_partition(TP1)
    assert num_expired() == 0
    accum.unmute_partition(TP1)
    assert num_expired() == 0
    assert not rig.ready_nodes(accum)

    # A batch that is sent again.
    rig.append(accum, PARTITION1, max_block_time_ms=0)
    time.sleep(linger_ms)
    ready = rig.ready_nodes(accum)
    assert ready == {NODE1}
    drained = rig.drain(accum, ready)
    assert len(drained[NODE1.id()]) == 1
    time.sleep(1000)
    accum.reenqueue(drained[NODE1.id()][0], time.milliseconds())

    time.sleep(request_timeout + retry_backoff_ms)
    assert num_expired() == 0
    time.sleep(1)

    accum.mute_partition(TP1)
    assert num_expired() == 0
    accum.unmute_partition(TP1)
    assert num_expired() == 0

    # While the client is throttled.
    rig.append(accum, PARTITION1, max_block_time_ms=0)
    time.sleep(linger_ms)
    assert rig.ready_nodes(accum) == {NODE1}
    time.sleep(request_timeout + 1)
    accum.mute_partition(TP1)
    assert num_expired() == 0

    accum.unmute_partition(TP1)
    assert num_expired() == 0

    time.sleep(100)
    assert num_expired() == 0
    assert rig.ready_nodes(accum) == {NODE1}
    accum.reset_next_batch_expiry_time()
    assert accum.next_expiry_time_ms() == LONG_MAX_VALUE
    assert num_expired() == 0
    batch = accum.get_deque(TP1)
    assert batch is not None
    assert accum.next_expiry_time_ms() == batch[0].created_ms + delivery_timeout_ms


def test_muted_partitions(rig: Rig) -> None:
    now = rig.time.milliseconds()
    batch_size = 1025
    accum = rig.accumulator(batch_size + OVERHEAD, 10 * batch_size)
    for _ in range(expected_num_appends(batch_size)):
        rig.append(accum, PARTITION1)
        assert not rig.ready_nodes(accum, now)
    rig.time.sleep(2000)

    accum.mute_partition(TP1)
    assert not rig.ready_nodes(accum)

    accum.unmute_partition(TP1)
    ready = rig.ready_nodes(accum)
    assert ready

    accum.mute_partition(TP1)
    assert not rig.drain(accum, ready)[NODE1.id()]

    accum.unmute_partition(TP1)
    assert rig.drain(accum, ready)[NODE1.id()]


def test_idempotence_with_old_magic(rig: Rig) -> None:
    api_versions = old_versions()
    batch_size = 1025
    transaction_manager = TransactionManager(LogContext(), None, 0, 100, api_versions)
    accum = rig.accumulator(batch_size + OVERHEAD, 10 * batch_size, api_versions=api_versions,
                            transaction_manager=transaction_manager)
    with pytest.raises(UnsupportedVersionException, match="use idempotence with a broker which does not"):
        rig.append(accum, PARTITION1, max_block_time_ms=0)
    # Nor is memory lost.
    assert accum.buffer_pool_available_memory() == 10 * batch_size


def test_records_drained_when_transaction_completing(rig: Rig) -> None:
    batch_size = 1025
    transaction_manager = Mock(spec=TransactionManager, **{
        "producer_id_and_epoch.return_value": ProducerIdAndEpoch(12345, 5),
        "is_send_to_partition_allowed.return_value": True,
        "is_partition_added.return_value": True,
        "first_in_flight_sequence.return_value": 0,
        "has_inflight_batches.return_value": False,
        "has_unresolved_sequence.return_value": False,
        "is_transactional.return_value": False,
        "sequence_number.return_value": 0,
        # The transaction goes on, and batches linger.
        "is_completing.return_value": False})
    accumulator = rig.accumulator(batch_size, 10 * batch_size, transaction_manager=transaction_manager)

    rig.append(accumulator, PARTITION1)
    rig.append(accumulator, PARTITION1)
    assert accumulator.has_undrained()

    ready = rig.ready_nodes(accumulator)
    assert not ready
    assert not rig.drain(accumulator, ready)

    transaction_manager.is_completing.return_value = True

    ready = rig.ready_nodes(accumulator)
    assert ready == {NODE1}
    drained = rig.drain(accumulator, ready)
    assert list(drained) == [NODE1.id()]
    batches = drained[NODE1.id()]
    assert len(batches) == 1
    transaction_manager.add_in_flight_batch.assert_called_once_with(batches[0])
    transaction_manager.increment_sequence_number.assert_called_once_with(TP1, 2)


def test_split_and_reenqueue(rig: Rig) -> None:
    now = rig.time.milliseconds()
    accum = rig.accumulator(1024, 10 * 1024, Compression.gzip().build())

    # Two records that make a batch too large.
    builder = MemoryRecords.builder(ByteBuffer.allocate(4096), Compression.NONE, TimestampType.CREATE_TIME, 0)
    batch = ProducerBatch(TP1, builder, now, True)
    acked: list[RecordMetadata | None] = []

    def callback(metadata: RecordMetadata | None, exception: Exception | None) -> None:
        acked.append(metadata)

    futures = [batch.try_append(now, None, bytes(1024), Record.EMPTY_HEADERS, callback, now)
               for _ in range(2)]
    batch.close()
    # As if the accumulator had made it.
    accum.reenqueue(batch, now)
    # It was tried once now: the delay is 100 ms and a fifth.
    rig.time.sleep(121)
    ready = rig.ready_nodes(accum)
    assert ready
    drained = rig.drain(accum, ready)
    assert list(drained) == [NODE1.id()]
    assert drained[NODE1.id()] == [batch]
    assert accum.split_and_reenqueue(batch) == 2
    rig.time.sleep(101)

    for number, future in enumerate(futures):
        drained = rig.drain(accum, ready)
        assert drained[NODE1.id()]
        drained[NODE1.id()][0].complete(len(acked), 100)
        assert len(acked) == number + 1
        assert future is not None
        assert future.is_done()
        assert future.get().offset() == number


def poor_compression(size: int) -> bytes:
    """Return bytes that compress to about 0.9."""
    return random.randbytes(size)


def good_compression() -> bytes:
    """Return bytes that compress to about 0.6."""
    return b"".join(random.randrange(1000).to_bytes(4, "big") for _ in range(25))


def prepare_split_batches(rig: Rig, accum: RecordAccumulator, record_size: int, num_records: int) -> int:
    # Records that compress badly are thought to compress well.
    CompressionRatioEstimator.set_estimation(TOPIC, CompressionType.GZIP, 0.1)
    for _ in range(num_records):
        rig.append(accum, PARTITION1, None, poor_compression(record_size), max_block_time_ms=0)

    ready = rig.ready_nodes(accum)
    assert ready
    batch, = rig.drain(accum, ready)[NODE1.id()]
    num_split_batches = accum.split_and_reenqueue(batch)
    accum.deallocate(batch)
    return num_split_batches


def test_split_batch_off_accumulator(rig: Rig) -> None:
    batch_size = 1024
    buffer_capacity = 3 * 1024
    accum = rig.accumulator(batch_size, buffer_capacity, Compression.gzip().build(), 0)
    num_split_batches = prepare_split_batches(rig, accum, 100, 20)
    assert num_split_batches > 1
    ready = rig.ready_nodes(accum)
    for _ in range(num_split_batches):
        assert rig.drain(accum, ready)[NODE1.id()]
    assert not rig.ready_nodes(accum)
    # The memory of the parts is not the pool's.
    assert accum.buffer_pool_available_memory() == buffer_capacity


def complete_or_split_batches(rig: Rig, accum: RecordAccumulator, batch_size: int) -> tuple[int, int]:
    """Return how many batches were split, and how many there were."""
    num_split = num_batches = 0
    batch_drained = True
    while batch_drained:
        batch_drained = False
        for batches in rig.drain(accum, rig.ready_nodes(accum)).values():
            for batch in batches:
                batch_drained = True
                num_batches += 1
                if batch.estimated_size_in_bytes() > batch_size + OVERHEAD:
                    accum.split_and_reenqueue(batch)
                    num_split += 1
                else:
                    batch.complete(0, 0)
                accum.deallocate(batch)
    return num_split, num_batches


@pytest.mark.parametrize("good_comp_ratio_percentage", range(1, 100, 14))
def test_split_frequency(rig: Rig, good_comp_ratio_percentage: int) -> None:
    batch_size = 1024
    accum = rig.accumulator(batch_size, 3 * 1024, Compression.gzip().build())
    num_split = num_batches = 0
    CompressionRatioEstimator.reset_estimation(TOPIC)
    for i in range(1001):
        if i < 1000:
            good = random.randrange(100) < good_comp_ratio_percentage
            rig.append(accum, PARTITION1, None, good_compression() if good else poor_compression(100),
                       max_block_time_ms=0)
        else:
            rig.time.sleep(10)
        more_split, more_batches = complete_or_split_batches(rig, accum, batch_size)
        num_split += more_split
        num_batches += more_batches
    assert num_batches > 50
    assert num_split / num_batches < 0.1


def test_soon_to_expire_batches_are_picked_up_for_expiry(rig: Rig) -> None:
    linger_ms = 500
    batch_size = 1025
    accum = rig.accumulator(batch_size + OVERHEAD, 10 * batch_size, linger_ms=linger_ms)

    rig.append(accum, PARTITION1)
    assert not rig.drain(accum, rig.ready_nodes(accum))

    rig.time.sleep(linger_ms + 1)
    assert partitions_of(rig.drain(accum, rig.ready_nodes(accum))) == [TP1]

    rig.append(accum, PARTITION2)
    rig.time.sleep(linger_ms * 4)

    assert partitions_of(rig.drain(accum, rig.ready_nodes(accum))) == [TP2]


def test_expired_batches_retry(rig: Rig) -> None:
    linger_ms = 3000
    rtt = 1000
    delivery_timeout_ms = 3200
    batch_size = 1025
    accum = rig.accumulator(batch_size + OVERHEAD, 10 * batch_size, linger_ms=linger_ms)

    for mute in (False, True):
        rig.append(accum, PARTITION1, max_block_time_ms=0)
        rig.time.sleep(linger_ms)
        ready = rig.ready_nodes(accum)
        assert ready == {NODE1}
        drained = rig.drain(accum, ready)
        assert len(drained[NODE1.id()]) == 1
        rig.time.sleep(rtt)
        accum.reenqueue(drained[NODE1.id()][0], rig.time.milliseconds())

        if mute:
            accum.mute_partition(TP1)
        else:
            accum.unmute_partition(TP1)

        rig.time.sleep(delivery_timeout_ms - rtt)
        rig.drain(accum, {NODE1})
        # One that is not muted has been drained.
        assert len(accum.expired_batches(rig.time.milliseconds())) == (1 if mute else 0)


def test_sticky_batches(rig: Rig) -> None:
    now = rig.time.milliseconds()
    batch_size = 1025
    partitioner = DefaultPartitioner()
    cluster = METADATA_CACHE.cluster()
    accum = rig.accumulator(batch_size + OVERHEAD, 10 * batch_size)
    expected_appends = expected_num_appends(batch_size, None)

    def partition() -> int:
        return partitioner.partition(TOPIC, None, None, "value", VALUE, cluster)

    def num_batches() -> int:
        return sum(len(accum.get_deque(tp) or ()) for tp in (TP1, TP2, TP3))

    appends = 0
    for number in (1, 2):
        rig.append(accum, partition(), None)
        appends += 1
        # All these go to the batch that the first has made, since the partition is sticky.
        while not rig.append(accum, partition(), None, abort_on_new_batch=True).abort_for_new_batch:
            appends += 1
            assert num_batches() == number
            if number == 1:
                assert not rig.ready_nodes(accum, now)
        assert num_batches() == number
        if number == 1:
            assert len(rig.ready_nodes(accum)) == 1
            assert appends == expected_appends
            # As KafkaProducer does.
            partitioner.on_new_batch(TOPIC, cluster, partition())

    assert appends == 2 * expected_appends


def use_sequential_numbers() -> list[int]:
    """Have the partitioner draw 0, 1, 2 and so on; return what it has drawn, which grows."""
    drawn: list[int] = []

    def draw() -> int:
        drawn.append(len(drawn))
        return drawn[-1]

    BuiltInPartitioner.mock_random = draw
    return drawn


def test_uniform_built_in_partitioner(rig: Rig) -> None:
    drawn = use_sequential_numbers()
    # Which is also how much goes to a partition before the next.
    batch_size = 1024
    accum = rig.accumulator(batch_size, 1024 * 1024, linger_ms=0)
    cluster = ordered_cluster(PART_METADATA1, PART_METADATA2, PART_METADATA3)
    callbacks = PartitionCallbacks()
    large_value = bytes(batch_size)

    # The second record goes beyond the limit, but the switch waits for the end of its batch.
    for value, partition, number in ((VALUE, PARTITION1, 1), (large_value, PARTITION1, 1),
                                     (large_value, PARTITION2, 2), (large_value, PARTITION3, 3),
                                     (large_value, PARTITION1, 4)):
        rig.append(accum, RecordMetadata.UNKNOWN_PARTITION, None, value, callbacks, cluster=cluster)
        assert callbacks.partition == partition
        assert len(drawn) == number


@pytest.mark.parametrize("moment", ["before the deque is locked", "while memory is allocated"])
def test_an_append_follows_another_that_switches_the_partition(rig: Rig, moment: str) -> None:
    use_sequential_numbers()
    batch_size = 1024
    accum = rig.accumulator(batch_size, 1024 * 1024, linger_ms=0)
    cluster = ordered_cluster(PART_METADATA1, PART_METADATA2, PART_METADATA3)
    switches = []

    def switch() -> None:
        if not switches:
            switches.append(moment)
            for _ in range(2):
                rig.append(accum, RecordMetadata.UNKNOWN_PARTITION, None, bytes(batch_size), cluster=cluster)

    class Callbacks(PartitionCallbacks):
        def set_partition(self, partition: int) -> None:
            super().set_partition(partition)
            if moment == "before the deque is locked":
                switch()

    allocate = accum._free.allocate

    def allocate_after_the_switch(size: int, max_time_to_block_ms: int) -> ByteBuffer:
        if moment == "while memory is allocated":
            switch()
        return allocate(size, max_time_to_block_ms)

    accum._free.allocate = allocate_after_the_switch  # type: ignore[method-assign]
    callbacks = Callbacks()
    rig.append(accum, RecordMetadata.UNKNOWN_PARTITION, None, VALUE, callbacks, cluster=cluster)
    assert switches and callbacks.partition == PARTITION2
    counts = [[batch.record_count for batch in accum.get_deque(tp) or ()] for tp in (TP1, TP2, TP3)]
    assert counts == [[1], [2], []]
    accum.close()
    accum.abort_incomplete_batches()
    assert accum._free.available_memory() == accum._free.total_memory()


@pytest.mark.parametrize(("silent_ms", "available"), [
    (0, [0, 1, 2]), (99, [0, 1, 2]), (100, [0, 1, 2]), (101, [2])])
def test_a_node_that_takes_no_data_for_longer_than_the_timeout_is_not_available(
        rig: Rig, silent_ms: int, available: list[int]) -> None:
    accum = rig.accumulator(128, 1024 * 1024, linger_ms=0,
                            partitioner_config=RecordAccumulator.PartitionerConfig(True, 100))
    for partition, batches in ((PARTITION1, 1), (PARTITION2, 2), (PARTITION3, 3)):
        for _ in range(batches):
            rig.append(accum, partition, None, bytes(128))
    accum.update_node_latency_stats(NODE1.id(), rig.time.milliseconds(), True)
    rig.time.sleep(silent_ms)
    accum.update_node_latency_stats(NODE1.id(), rig.time.milliseconds(), False)
    accum.update_node_latency_stats(NODE2.id(), rig.time.milliseconds(), True)
    rig.ready_nodes(accum)
    topic_info = accum._topic_info_map.get(TOPIC)
    assert topic_info is not None
    stats = topic_info.built_in_partitioner._partition_load_stats
    assert stats is not None
    assert sorted(stats.partition_ids[:stats.length]) == available


def test_the_memory_is_told_by_metrics(rig: Rig) -> None:
    accum = rig.accumulator(1024, 4096)
    rig.append(accum, PARTITION1)
    values = {}
    for name in ("waiting-threads", "buffer-total-bytes", "buffer-available-bytes"):
        metric = rig.metrics.metric(rig.metrics.metric_name(name, GRP))
        assert metric is not None and metric.metric_name().description()
        values[name] = metric.metric_value()
    assert values == {"waiting-threads": 0, "buffer-total-bytes": 4096, "buffer-available-bytes": 3072}


def test_adaptive_built_in_partitioner(rig: Rig) -> None:
    use_sequential_numbers()
    batch_size = 128
    accum = rig.accumulator(batch_size, 1024 * 1024, linger_ms=0, retry_backoff_ms=0, retry_backoff_max_ms=0,
                            partitioner_config=RecordAccumulator.PartitionerConfig(True, 100))

    large_value = bytes(batch_size)
    queue_sizes = [1, 7, 2]
    # 8 is the largest size and 1.
    expected_frequencies = [8 - size for size in queue_sizes]
    for i, size in enumerate(queue_sizes):
        for _ in range(size):
            rig.append(accum, i, None, large_value)
        assert len(accum.get_deque(TopicPartition(TOPIC, i)) or ()) == size

    accum.ready(METADATA_CACHE, rig.time.milliseconds())

    callbacks = PartitionCallbacks()

    def append() -> int:
        rig.append(accum, RecordMetadata.UNKNOWN_PARTITION, None, large_value, callbacks)
        return callbacks.partition

    # From the second on each record switches.
    append()

    number_of_cycles = 2
    frequencies = [0] * len(queue_sizes)
    for _ in range(accum.get_built_in_partitioner(TOPIC).load_stats_range_end() * number_of_cycles):
        frequencies[append()] += 1
    assert frequencies == [frequency * number_of_cycles for frequency in expected_frequencies]

    # The node of the first two partitions takes nothing.
    accum.update_node_latency_stats(0, rig.time.milliseconds() - 200, True)
    accum.update_node_latency_stats(0, rig.time.milliseconds(), False)
    stats = accum.get_node_latency_stats(0)
    assert stats is not None
    assert stats.ready_time_ms - stats.drain_time_ms == 200
    accum.ready(METADATA_CACHE, rig.time.milliseconds())

    # The switch comes after an append.
    append()
    assert [append() for _ in range(10)] == [PARTITION3] * 10


def test_built_in_partitioner_fractional_batches(rig: Rig) -> None:
    batch_size = 512
    val_size = 32
    accum = rig.accumulator(batch_size, 1024 * 1024)
    for _ in range(10):
        # Two thirds of a batch, then its linger time ends.
        for _ in range(batch_size * 2 // 3 // val_size):
            rig.append(accum, RecordMetadata.UNKNOWN_PARTITION, None, bytes(val_size))
        rig.time.sleep(10)

        nodes = rig.ready_nodes(accum)
        assert len(nodes) == 1
        batches, = rig.drain(accum, nodes, now=0).values()
        assert len(batches) == 1
        assert batch_size // 2 < batches[0].records().size_in_bytes() < batch_size


def test_ready_and_drain_when_a_batch_is_being_retried(rig: Rig) -> None:
    linger_ms = 10
    retry_backoff_max_ms = 1000
    accum = rig.accumulator(10, 10 * 1024, linger_ms=linger_ms, retry_backoff_max_ms=retry_backoff_max_ms,
                            delivery_timeout_ms=INT_MAX)
    now = rig.time.milliseconds()
    rig.append(accum, PARTITION1)

    def attempt(epoch: int, attempts_when_leader_last_changed: int | None) -> None:
        metadata_cache = snapshot_of(part_metadata(TP1, NODE1, epoch))
        ready = accum.ready(metadata_cache, now).ready_nodes
        is_ready = attempts_when_leader_last_changed is not None
        assert ready == ({NODE1} if is_ready else set())
        batches = accum.drain(metadata_cache, {NODE1}, 999999, now)[NODE1.id()]
        assert len(batches) == is_ready
        for batch in batches:
            assert batch.current_leader_epoch() == epoch
            assert batch.attempts_when_leader_last_changed() == attempts_when_leader_last_changed
            accum.reenqueue(batch, now)

    now += linger_ms + 1
    attempt(100, 0)
    # Too early, and with the same leader.
    now += 1
    attempt(100, None)
    # Too early, but with another leader.
    now += 1
    attempt(101, 1)
    # Late enough, with the same leader.
    now += 2 * retry_backoff_max_ms
    attempt(101, 1)
    # Late enough, with another leader.
    now += 2 * retry_backoff_max_ms
    attempt(102, 3)


def test_drain_with_a_node_that_doesnt_host_any_partitions(rig: Rig) -> None:
    accum = rig.accumulator(10, 10 * 1024)
    metadata_cache = snapshot_of(PART_METADATA1)
    batches = accum.drain(metadata_cache, {NODE2}, 999999, rig.time.milliseconds())
    assert batches == {NODE2.id(): []}
