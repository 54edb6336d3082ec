# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.DelayedFetchTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A fetch that waits: what ends the wait, and what does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.errors import (
    FencedLeaderEpochException,
    KafkaStorageException,
    NotLeaderOrFollowerException,
    UnknownTopicOrPartitionException,
)
from kreactor.common.message.offset_for_leader_epoch_response_data import OffsetForLeaderEpochResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.fetch_request import FetchRequest
from kreactor.common.topic_id_partition import TopicIdPartition
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid
from kreactor.core.server.delayed_fetch import DelayedFetch, DelayedFetchMetrics, FetchPartitionStatus
from kreactor.core.server.delayed_operation_key import TopicPartitionOperationKey
from kreactor.core.server.replica_manager import LogReadResult, ReplicaManager
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.storage.internals.log.fetch_isolation import FetchIsolation
from kreactor.storage.internals.log.fetch_params import FetchParams
from kreactor.storage.internals.log.fetch_partition_data import FetchPartitionData
from kreactor.storage.internals.log.log_offset_metadata import UNKNOWN_OFFSET_METADATA, LogOffsetMetadata
from kreactor.storage.internals.log.log_offset_snapshot import LogOffsetSnapshot
from tests.core.server.node import Node

FOO = TopicIdPartition(Uuid.ZERO_UUID, TopicPartition("foo", 0))
BAR = TopicIdPartition(Uuid.ZERO_UUID, TopicPartition("bar", 0))


class StubPartition:
    """Says what it is told to."""

    def __init__(self, end: LogOffsetMetadata, last_epoch: tuple[int, int] = (-1, -1),
                 error: Errors = Errors.NONE) -> None:
        self.end = end
        self.last_epoch = last_epoch
        self.error = error
        self.raises: Exception | None = None

    def fetch_offset_snapshot(self, current_leader_epoch: int | None,
                              fetch_only_from_leader: bool = True) -> LogOffsetSnapshot:
        if self.raises is not None:
            raise self.raises
        return LogOffsetSnapshot(0, self.end, self.end, self.end)

    def last_offset_for_leader_epoch(
        self, current_leader_epoch: int | None, leader_epoch: int, fetch_only_from_leader: bool = True,
    ) -> OffsetForLeaderEpochResponseData.EpochEndOffset:
        return OffsetForLeaderEpochResponseData.EpochEndOffset(
            error_code=self.error.code, leader_epoch=self.last_epoch[0], end_offset=self.last_epoch[1])


class StubReplicaManager:
    """Has these partitions; a read says ``error`` for each."""

    def __init__(self, error: Errors = Errors.NONE, **partitions: StubPartition | Exception) -> None:
        self.partitions = partitions
        self.error = error
        self.delayed_fetch_metrics = DelayedFetchMetrics(MetricsRegistry())
        self.reads = 0

    def get_partition_or_exception(self, tp: TopicPartition) -> StubPartition:
        partition = self.partitions[tp.topic()]
        if isinstance(partition, Exception):
            raise partition
        return partition

    def read_from_log(self, params: FetchParams, infos: Any) -> list[tuple[TopicIdPartition, LogReadResult]]:
        self.reads += 1
        exception = self.error.exception() or ValueError()
        result = ReplicaManager.create_log_read_result(exception)
        if self.error is Errors.NONE:
            result.exception = None
        return [(tp, result) for tp, _ in infos]


def info(offset: int, max_bytes: int = 1024, epoch: int | None = 10,
         last_epoch: int | None = None) -> FetchRequest.PartitionData:
    return FetchRequest.PartitionData(Uuid.ZERO_UUID, offset, 0, max_bytes, epoch, last_epoch)


class Delayed:
    """A delayed fetch, and its answer."""

    def __init__(self, manager: Any, *partitions: tuple[TopicIdPartition, LogOffsetMetadata,
                                                        FetchRequest.PartitionData],
                 min_bytes: int = 1, replica_id: int = 1, isolation: FetchIsolation = FetchIsolation.LOG_END,
                 max_wait_ms: int = 500) -> None:
        self.answers: list[list[tuple[TopicIdPartition, FetchPartitionData]]] = []
        self.fetch = DelayedFetch(
            FetchParams(16, replica_id, 1, max_wait_ms, min_bytes, 1024, isolation),
            [(tp, FetchPartitionStatus(where, fetch_info)) for tp, where, fetch_info in partitions],
            manager, lambda data: self.answers.append([*data]))

    def errors(self) -> list[Errors]:
        answer, = self.answers
        return [data.error for _, data in answer]


def message_only(offset: int) -> LogOffsetMetadata:
    return LogOffsetMetadata(offset)


# -- Kafka's own cases ---------------------------------------------------------------------------


def test_fetch_with_fenced_epoch() -> None:
    partition = StubPartition(message_only(0))
    partition.raises = FencedLeaderEpochException("Requested epoch has been fenced")
    delayed = Delayed(StubReplicaManager(Errors.FENCED_LEADER_EPOCH, foo=partition),
                      (FOO, message_only(500), info(500)))
    assert delayed.fetch.try_complete()
    assert delayed.fetch.is_completed()
    assert delayed.errors() == [Errors.FENCED_LEADER_EPOCH]


def test_not_leader_or_follower() -> None:
    manager = StubReplicaManager(Errors.NOT_LEADER_OR_FOLLOWER,
                                 foo=NotLeaderOrFollowerException("Replica not available"))
    delayed = Delayed(manager, (FOO, message_only(500), info(500)))
    assert delayed.fetch.try_complete()
    assert delayed.errors() == [Errors.NOT_LEADER_OR_FOLLOWER]


def test_diverging_epoch() -> None:
    partition = StubPartition(LogOffsetMetadata(500, 0, 500), last_epoch=(9, 499))
    delayed = Delayed(StubReplicaManager(foo=partition), (FOO, message_only(500), info(500, last_epoch=9)))
    assert delayed.fetch.try_complete()
    assert delayed.errors() == [Errors.NONE]


@pytest.mark.parametrize("end_offset", [0, 500])
def test_delayed_fetch_with_message_only_high_watermark(end_offset: int) -> None:
    """The log became shorter; or it became longer, by nobody knows how many bytes."""
    partition = StubPartition(message_only(end_offset))
    delayed = Delayed(StubReplicaManager(foo=partition), (FOO, message_only(450), info(450)))
    expected = end_offset == 0
    assert delayed.fetch.try_complete() is expected
    assert delayed.fetch.is_completed() is expected
    assert bool(delayed.answers) is expected


# -- the cases of the origin's list, one by one ----------------------------------------------------


@pytest.mark.parametrize("exception", [
    UnknownTopicOrPartitionException("gone"), KafkaStorageException("offline"),
    NotLeaderOrFollowerException("elsewhere"), FencedLeaderEpochException("old")])
def test_a_partition_that_is_gone_ends_the_wait_of_all(exception: Exception) -> None:
    end = LogOffsetMetadata(5, 0, 50)
    manager = StubReplicaManager(Errors.NONE, foo=StubPartition(end), bar=exception)
    delayed = Delayed(manager, (FOO, end, info(5)), (BAR, end, info(5)))
    assert delayed.fetch.try_complete()
    assert delayed.errors() == [Errors.NONE, Errors.NONE]
    assert manager.reads == 1


def test_an_unexpected_error_is_the_callers() -> None:
    delayed = Delayed(StubReplicaManager(foo=ValueError("no")), (FOO, LogOffsetMetadata(5, 0, 50), info(5)))
    with pytest.raises(ValueError, match="no"):
        delayed.fetch.try_complete()
    assert not delayed.fetch.is_completed()


def test_what_could_not_be_read_is_not_asked_again() -> None:
    """It has no place in the log; the others decide."""
    partition = StubPartition(LogOffsetMetadata(5, 0, 50))
    manager = StubReplicaManager(foo=partition, bar=ValueError("was asked"))
    delayed = Delayed(manager, (BAR, UNKNOWN_OFFSET_METADATA, info(-1)), (FOO, partition.end, info(5)))
    assert not delayed.fetch.try_complete()
    partition.end = LogOffsetMetadata(6, 0, 60)
    assert delayed.fetch.try_complete()


@pytest.mark.parametrize(("where", "end", "completes"), [
    ((5, 0, 50), (5, 0, 50), False),
    ((5, 0, 50), (6, 0, 60), True),
    # The log is shorter than it was.
    ((5, 0, 50), (4, 0, 40), True),
    # A new segment with something in it; with nothing in it yet.
    ((5, 0, 50), (6, 5, 10), True),
    ((5, 0, 50), (5, 5, 0), False),
    # The log was cut off, and grows again in a segment that begins before.
    ((5, 5, 0), (6, 0, 60), False),
])
def test_where_the_end_of_the_log_is(where: tuple[int, int, int], end: tuple[int, int, int],
                                     completes: bool) -> None:
    manager = StubReplicaManager(foo=StubPartition(LogOffsetMetadata(*end)))
    delayed = Delayed(manager, (FOO, LogOffsetMetadata(*where), info(5)))
    assert delayed.fetch.try_complete() is completes


@pytest.mark.parametrize("is_fetch_from_older_segment", [False, True])
def test_complete_in_delayed_fetch_consumer_fetch(is_fetch_from_older_segment: bool) -> None:
    end = LogOffsetMetadata(100, 0, 500) if is_fetch_from_older_segment else LogOffsetMetadata(150, 50, 500)
    delayed = Delayed(StubReplicaManager(foo=StubPartition(end)),
                      (FOO, LogOffsetMetadata(50, 0, 250), info(50, 1, None)),
                      replica_id=-1, max_wait_ms=600, isolation=FetchIsolation.HIGH_WATERMARK)
    assert delayed.fetch.try_complete()


def test_which_end_counts() -> None:
    log_end, high_watermark, stable = (LogOffsetMetadata(offset, 0, 10 * offset) for offset in (9, 8, 7))
    partition = StubPartition(log_end)
    partition.fetch_offset_snapshot = (  # type: ignore[method-assign]
        lambda *_args: LogOffsetSnapshot(0, log_end, high_watermark, stable))
    for isolation, seen in ((FetchIsolation.LOG_END, 9), (FetchIsolation.HIGH_WATERMARK, 8),
                            (FetchIsolation.TXN_COMMITTED, 7)):
        for offset in (6, 7, 8, 9):
            delayed = Delayed(StubReplicaManager(foo=partition),
                              (FOO, LogOffsetMetadata(offset, 0, 10 * offset), info(offset)),
                              isolation=isolation)
            assert delayed.fetch.try_complete() is (offset != seen), (isolation, offset)


def test_bytes_of_all_partitions_count_up_to_what_each_may_have() -> None:
    manager = StubReplicaManager(foo=StubPartition(LogOffsetMetadata(9, 0, 150)),
                                 bar=StubPartition(LogOffsetMetadata(9, 0, 130)))
    start = LogOffsetMetadata(5, 0, 50)

    def completes(min_bytes: int, max_bytes: int) -> bool:
        delayed = Delayed(manager, (FOO, start, info(5, max_bytes)), (BAR, start, info(5, max_bytes)),
                          min_bytes=min_bytes)
        return delayed.fetch.try_complete()

    assert completes(180, 1000) and not completes(181, 1000)
    assert completes(170, 90) and not completes(171, 90)


@pytest.mark.parametrize(("last_epoch", "error", "completes"), [
    ((9, 500), Errors.NONE, False),
    ((9, 499), Errors.NONE, True),
    ((8, 600), Errors.NONE, True),
    ((-1, 500), Errors.NONE, True),
    ((9, -1), Errors.NONE, True),
    ((9, 500), Errors.FENCED_LEADER_EPOCH, True),
])
def test_what_the_log_has_of_the_epoch(last_epoch: tuple[int, int], error: Errors, completes: bool) -> None:
    end = LogOffsetMetadata(500, 0, 500)
    manager = StubReplicaManager(foo=StubPartition(end, last_epoch, error))
    delayed = Delayed(manager, (FOO, end, info(500, last_epoch=9)))
    assert delayed.fetch.try_complete() is completes
    # A fetch without an epoch is not checked for divergence.
    assert not Delayed(manager, (FOO, end, info(500))).fetch.try_complete()


def test_expired_fetches_are_counted() -> None:
    manager = StubReplicaManager(foo=StubPartition(LogOffsetMetadata(5, 0, 50)))
    metrics = manager.delayed_fetch_metrics
    for replica_id, expected in ((-1, (0, 1)), (3, (1, 1)), (-2, (1, 2))):
        delayed = Delayed(manager, (FOO, LogOffsetMetadata(5, 0, 50), info(5)), replica_id=replica_id)
        delayed.fetch.run()
        assert delayed.fetch.is_completed() and delayed.errors() == [Errors.NONE]
        assert (metrics.follower_expired_request_meter.count(),
                metrics.consumer_expired_request_meter.count()) == expected
    # One that was completed before its time has not expired.
    delayed = Delayed(manager, (FOO, LogOffsetMetadata(5, 0, 50), info(5)))
    delayed.fetch.force_complete()
    delayed.fetch.run()
    assert metrics.follower_expired_request_meter.count() == 1
    assert len(delayed.answers) == 1


def test_the_metrics_have_kafkas_names() -> None:
    registry = MetricsRegistry()
    metrics = DelayedFetchMetrics(registry)
    assert {name.get_mbean_name() for name in registry.all_metrics()} == {
        f"kafka.server:type=DelayedFetchMetrics,name=ExpiresPerSec,fetcherType={type_}"
        for type_ in ("follower", "consumer")}
    metrics.close()
    assert not registry.all_metrics()


def test_text() -> None:
    delayed = Delayed(StubReplicaManager(), (FOO, LogOffsetMetadata(5, 0, 50), info(5)), replica_id=-1)
    assert str(delayed.fetch) == (
        "DelayedFetch(params=FetchParams(requestVersion=16, replicaId=-1, replicaEpoch=1, maxWaitMs=500, "
        "minBytes=1, maxBytes=1024, isolation=LOG_END, clientMetadata=None), "
        "numPartitions=1)")


# -- on a real log -------------------------------------------------------------------------------


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node(tmp_path) as node:
        yield node


def fetch(node: Node, offset: int, min_bytes: int = 1) -> Callable[[], list[bytes] | None]:
    """Begin a fetch; return what tells the values that it got, None as long as it waits."""
    answers: list[list[bytes]] = []

    def callback(data: Any) -> None:
        (_, partition), = data
        answers.append([record.value().to_bytes() for record in partition.records.records()])

    node.replica_manager.fetch_messages(
        FetchParams(12, -1, -1, 500, min_bytes, 1 << 20, FetchIsolation.HIGH_WATERMARK),
        [(FOO, info(offset, 1 << 20, None))], callback)
    return lambda: answers[0] if answers else None


def test_a_new_segment_ends_the_wait_for_a_large_answer(node: Node) -> None:
    """The bytes of two segments cannot be counted together: what is in the old one is answered."""
    node.create_topic("foo", configs={"segment.bytes": "1000"})
    node.append("foo", b"x" * 600)
    answer = fetch(node, 0, min_bytes=100_000)
    assert answer() is None
    node.append("foo", b"y" * 200)
    assert answer() is None
    node.append("foo", b"z" * 600)
    assert answer() == [b"x" * 600, b"y" * 200]


def test_an_empty_new_segment_ends_no_wait(node: Node) -> None:
    partition = node.create_topic("foo")
    node.append("foo", b"x")
    answer = fetch(node, 1)
    partition.log().roll()
    assert node.purgatory.check_and_complete(TopicPartitionOperationKey.of(FOO.topic_partition())) == 0
    assert answer() is None
    node.append("foo", b"y")
    assert answer() == [b"y"]


def test_an_append_between_the_read_and_the_wait_is_not_missed(node: Node,
                                                               monkeypatch: pytest.MonkeyPatch) -> None:
    node.create_topic("foo")
    read_from_log = node.replica_manager.read_from_log

    def reading_then_appending(params: Any, infos: Any) -> Any:
        result = read_from_log(params, infos)
        monkeypatch.setattr(node.replica_manager, "read_from_log", read_from_log)
        node.append("foo", b"x")
        return result

    monkeypatch.setattr(node.replica_manager, "read_from_log", reading_then_appending)
    assert fetch(node, 0)() == [b"x"]


def test_the_answer_is_read_anew(node: Node) -> None:
    node.create_topic("foo")
    answer = fetch(node, 0, min_bytes=10_000)
    node.append("foo", b"a")
    node.append("foo", b"b")
    assert answer() is None
    node.timer.advance_clock(501)
    assert answer() == [b"a", b"b"]
