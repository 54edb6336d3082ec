# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ReplicaManagerTest and ReplicaManagerQuotasTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Appends and reads of partitions that this node leads: errors, limits, numbers, and who waits for what."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Callable

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.errors import (
    InvalidPidMappingException,
    KafkaStorageException,
    NotLeaderOrFollowerException,
    UnknownTopicOrPartitionException,
)
from kreactor.common.isolation_level import IsolationLevel
from kreactor.common.message.describe_log_dirs_request_data import DescribeLogDirsRequestData
from kreactor.common.message.describe_producers_response_data import DescribeProducersResponseData
from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.end_transaction_marker import EndTransactionMarker
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.replica.client_metadata import ClientMetadata
from kreactor.common.requests.fetch_request import FetchRequest
from kreactor.common.requests.list_offsets_request import ListOffsetsRequest
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.topic_id_partition import TopicIdPartition
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid
from kreactor.core.cluster.partition import Partition
from kreactor.core.server.action_queue import DelayedActionQueue
from kreactor.core.server.add_partitions_to_txn_manager import TransactionSupportedOperation
from kreactor.core.server.delayed_operation import DelayedOperationPurgatory
from kreactor.core.server.delayed_operation_key import TopicPartitionOperationKey
from kreactor.core.server.dynamic_broker_config import DynamicProducerStateManagerConfig
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.kafka_request_handler import KafkaRequestHandler
from kreactor.core.server.replica_manager import ReplicaManager
from kreactor.image.cluster_image import ClusterImage, PartitionState
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.storage.internals.log.append_origin import AppendOrigin
from kreactor.storage.internals.log.fetch_isolation import FetchIsolation
from kreactor.storage.internals.log.fetch_params import FetchParams
from kreactor.storage.internals.log.fetch_partition_data import FetchPartitionData
from kreactor.storage.internals.log.producer_state_manager import LATE_TRANSACTION_BUFFER_MS
from kreactor.storage.internals.log.verification_guard import VerificationGuard
from tests.core.server.brokers import broker_config
from tests.core.server.node import Node, records

FOO = TopicPartition("foo", 0)
FOO_1 = TopicPartition("foo", 1)

Answer = dict[TopicPartition, ProduceResponse.PartitionResponse]


class Coordinator:
    """Is asked whether partitions belong to a transaction, and answers when a test does."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self._callbacks: list[Callable[[Mapping[TopicPartition, Errors]], None]] = []
        self.is_running = False

    def start(self) -> None:
        self.is_running = True

    def verify_transaction(
            self, transactional_id: str, producer_id: int, producer_epoch: int,
            topic_partitions: Sequence[TopicPartition],
            callback: Callable[[Mapping[TopicPartition, Errors]], None],
            transaction_supported_operation: TransactionSupportedOperation) -> None:
        self.asked.append((transactional_id, producer_id, producer_epoch, *topic_partitions))
        self._callbacks.append(callback)

    def answers(self, **errors: Errors) -> None:
        """Answer what was asked first: an error for each partition of the topic that has one."""
        self._callbacks.pop(0)({TopicPartition(name, 0): error for name, error in errors.items()})

    def shutdown(self) -> None:
        self.is_running = False


@pytest.fixture(autouse=True)
def any_thread_handles() -> Iterator[None]:
    KafkaRequestHandler.set_bypass_thread_check(True)
    yield
    KafkaRequestHandler.set_bypass_thread_check(False)


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node(tmp_path) as node:
        yield node


@pytest.fixture
def coordinator() -> Coordinator:
    return Coordinator()


@pytest.fixture
def verifying(tmp_path: Path, coordinator: Coordinator) -> Iterator[Node]:
    """A node with a coordinator, and partition 0 of topic foo."""
    made = Node(tmp_path)
    made.transaction_verifier = coordinator
    with made as node:
        node.create_topic("foo", 2)
        yield node


@pytest.fixture
def trusting(tmp_path: Path) -> Iterator[Node]:
    """A node that verifies no transactions."""
    with Node(tmp_path, {"transaction.partition.verification.enable": "false"}) as node:
        node.create_topic("foo", 2)
        yield node


def append(node: Node, *entries: tuple[TopicPartition, MemoryRecords], acks: int = 1,
           transactional_id: str | None = None) -> Answer:
    """Append what a producer would; return what it is told."""
    answer, = start_append(node, *entries, acks=acks, transactional_id=transactional_id)
    return answer


def start_append(node: Node, *entries: tuple[TopicPartition, MemoryRecords], acks: int = 1,
                 transactional_id: str | None = "txn") -> list[Answer]:
    """Append what a producer would; return where the answer comes."""
    told: list[Answer] = []
    node.replica_manager.handle_produce_append(
        1000, acks, False, transactional_id, dict(entries), told.append,
        transaction_supported_operation=TransactionSupportedOperation.generic_error)
    node.replica_manager.try_complete_actions()
    return told


def append_marker(node: Node, producer_id: int, type_: ControlRecordType, epoch: int = 0,
                  coordinator_epoch: int = 0, tp: TopicPartition = FOO) -> ProduceResponse.PartitionResponse:
    """End a transaction as its coordinator would."""
    told: list[Answer] = []
    node.replica_manager.append_records(
        1000, -1, True, AppendOrigin.COORDINATOR,
        {tp: MemoryRecords.with_end_transaction_marker(
            producer_id, epoch, EndTransactionMarker(type_, coordinator_epoch),
            timestamp=1_700_000_000_000)}, told.append)
    node.replica_manager.try_complete_actions()
    answer, = told
    return answer[tp]


def idempotent(producer_id: int, sequence: int, epoch: int = 0, value: bytes = b"x") -> MemoryRecords:
    return MemoryRecords.with_idempotent_records(
        Compression.NONE, producer_id, epoch, sequence, SimpleRecord(1_700_000_000_000, None, value))


def transactional(producer_id: int, sequence: int, epoch: int = 0) -> MemoryRecords:
    return MemoryRecords.with_transactional_records(
        Compression.NONE, producer_id, epoch, sequence, SimpleRecord(1_700_000_000_000, None, b"x"))


class Fetch:
    """A fetch, and what it is told once it is."""

    def __init__(self, node: Node, *partitions: tuple[TopicIdPartition, FetchRequest.PartitionData],
                 max_wait_ms: int = 0, min_bytes: int = 1, max_bytes: int = 1 << 20, version: int = 12,
                 isolation: FetchIsolation = FetchIsolation.HIGH_WATERMARK, replica_id: int = -1) -> None:
        self.answers: list[list[tuple[TopicIdPartition, FetchPartitionData]]] = []
        self.params = FetchParams(version, replica_id, 1, max_wait_ms, min_bytes, max_bytes, isolation)
        self.infos = partitions
        node.replica_manager.fetch_messages(
            self.params, partitions, lambda data: self.answers.append([*data]))

    def waits(self) -> bool:
        return not self.answers

    def all(self) -> list[FetchPartitionData]:
        answer, = self.answers
        assert [tp for tp, _ in answer] == [tp for tp, _ in self.infos]
        return [data for _, data in answer]

    def one(self) -> FetchPartitionData:
        data, = self.all()
        return data


def at(offset: int, tp: TopicPartition = FOO, max_bytes: int = 100_000, topic_id: Uuid = Uuid.ZERO_UUID,
       epoch: int | None = None, last_epoch: int | None = None,
       ) -> tuple[TopicIdPartition, FetchRequest.PartitionData]:
    return (TopicIdPartition(topic_id, tp),
            FetchRequest.PartitionData(topic_id, offset, 0, max_bytes, epoch, last_epoch))


def values(data: FetchPartitionData) -> list[bytes]:
    found = []
    for record in data.records.records():
        value = record.value()
        assert value is not None
        found.append(value.to_bytes())
    return found


def full_disk(node: Node, monkeypatch: pytest.MonkeyPatch, tp: TopicPartition = FOO) -> None:
    """Let every write to a partition's file fail."""
    def write(*args: Any) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    partition_log = node.storage.partition_log(tp)
    assert partition_log is not None
    monkeypatch.setattr(type(partition_log.segments()[-1]), "append", write)


# -- appends ---------------------------------------------------------------------------------------


def test_illegal_required_acks(node: Node) -> None:
    node.create_topic("foo")
    told: list[Any] = []
    node.replica_manager.append_records(
        1000, 3, False, AppendOrigin.CLIENT, {FOO: records(b"first message")}, told.append)
    answer, = told
    assert answer.keys() == {FOO}
    response = answer[FOO]
    assert (response.error, response.base_offset, response.log_append_time, response.log_start_offset) == (
        Errors.INVALID_REQUIRED_ACKS, -1, -1, -1)
    assert node.replica_manager.get_log_end_offset(FOO) == 0


@pytest.mark.parametrize("acks", [-1, 0, 1])
def test_an_append_is_told_at_once(node: Node, acks: int) -> None:
    """With any acks: the one replica has the batch."""
    node.create_topic("foo", 2)
    answer = append(node, (FOO, records(b"a", b"b")), (FOO_1, records(b"c")), acks=acks)
    assert {tp: (response.error, response.base_offset, response.last_offset, response.log_append_time,
                 response.log_start_offset, response.record_errors, response.error_message)
            for tp, response in answer.items()} == {
        FOO: (Errors.NONE, 0, 1, -1, 0, [], None), FOO_1: (Errors.NONE, 0, 0, -1, 0, [], None)}
    assert append(node, (FOO, records(b"d")), acks=acks)[FOO].base_offset == 2


def test_receive_out_of_order_sequence_exception_with_log_start_offset(node: Node) -> None:
    node.create_topic("foo")
    for sequence in range(3):
        assert append(node, (FOO, idempotent(234, sequence, 5)))[FOO].error is Errors.NONE
    log = node.replica_manager.local_log_or_exception(FOO)
    log.maybe_increment_log_start_offset(2)
    response = append(node, (FOO, idempotent(234, 13, 5)))[FOO]
    assert (response.error, response.log_start_offset, response.base_offset) == (
        Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, 2, -1)
    assert response.error_message is None


def test_a_duplicate_is_told_where_the_first_is(node: Node) -> None:
    node.create_topic("foo")
    append(node, (FOO, idempotent(234, 0)))
    append(node, (FOO, idempotent(234, 1)))
    response = append(node, (FOO, idempotent(234, 0)))[FOO]
    assert (response.error, response.base_offset) == (Errors.NONE, 0)
    assert node.replica_manager.get_log_end_offset(FOO) == 2


def test_producer_id_count_metrics(node: Node) -> None:
    node.create_topic("foo", 2)

    def count() -> int:
        value: int = node.metric_value("kafka.server:type=ReplicaManager,name=ProducerIdCount")
        assert value == node.replica_manager.producer_id_count()
        return value

    assert count() == 0
    for producer_id, sequence, tp, expected in (
            (123, 0, FOO, 1), (123, 1, FOO, 1), (456, 1, FOO, 2), (123, 0, FOO_1, 3)):
        assert append(node, (tp, idempotent(producer_id, sequence, 42)))[tp].error is Errors.NONE
        assert count() == expected
    node.replica_manager.local_log_or_exception(FOO).remove_expired_producers(2**62)
    assert count() == 1


def test_records_that_are_refused_one_by_one(node: Node) -> None:
    """The producer is told which, and why; the number of failures goes up."""
    node.create_topic("foo", configs={"message.timestamp.before.max.ms": "1000"})
    response = append(node, (FOO, records(b"a", b"b")))[FOO]
    assert response.error is Errors.INVALID_TIMESTAMP
    assert response.error_message is not None and response.record_errors is not None
    assert [error.batch_index for error in response.record_errors] == [0, 1]
    assert (response.base_offset, response.log_start_offset) == (-1, 0)
    for stats in (node.stats.topic_stats("foo"), node.stats.all_topics_stats):
        assert stats.failed_produce_request_rate().count() == 1


def test_what_producers_can_do_something_about_is_no_failure_of_ours(node: Node) -> None:
    node.create_topic("foo", configs={"max.message.bytes": "200"})
    assert append(node, (FOO, records(b"x" * 300)))[FOO].error is Errors.MESSAGE_TOO_LARGE
    corrupt = bytearray(records(b"x").buffer().to_bytes())
    corrupt[-1] ^= 1
    response = append(node, (FOO, MemoryRecords.readable_records(ByteBuffer.wrap(corrupt))))[FOO]
    assert (response.error, response.log_start_offset, response.error_message) == (
        Errors.CORRUPT_MESSAGE, -1, None)
    none = TopicPartition("none", 0)
    assert append(node, (none, records(b"x")))[none].error is Errors.UNKNOWN_TOPIC_OR_PARTITION
    stats = node.stats.all_topics_stats
    assert stats.failed_produce_request_rate().count() == 0
    assert stats.total_produce_request_rate().count() == 3
    assert stats.bytes_in_rate().count() == stats.messages_in_rate().count() == 0


def test_a_full_disk(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """The partition is answered, others are not disturbed, and it goes on when there is room again."""
    node.create_topic("foo")
    bar = TopicPartition("bar", 0)
    node.create_topic("bar")
    append(node, (FOO, records(b"before")))
    with monkeypatch.context() as patch:
        full_disk(node, patch)
        response = append(node, (FOO, idempotent(1, 0)))[FOO]
        assert response.error is Errors.KAFKA_STORAGE_ERROR
        assert (response.base_offset, response.log_start_offset) == (-1, -1)
    assert append(node, (bar, records(b"x")))[bar].error is Errors.NONE
    assert append(node, (FOO, idempotent(1, 0)))[FOO].base_offset == 1
    assert values(Fetch(node, at(0)).one()) == [b"before", b"x"]
    assert node.stats.all_topics_stats.failed_produce_request_rate().count() == 0


def test_an_append_fails_in_an_unexpected_way(node: Node, monkeypatch: pytest.MonkeyPatch,
                                              caplog: pytest.LogCaptureFixture) -> None:
    partition = node.create_topic("foo", 2)

    def append_records_to_leader(self: Any, records: MemoryRecords, *args: Any) -> Any:
        if self is partition:
            raise ValueError("no")
        return self._log.append_as_leader(records, 0)

    monkeypatch.setattr(type(partition), "append_records_to_leader", append_records_to_leader)
    answer = append(node, (FOO, records(b"a")), (FOO_1, records(b"b")))
    assert answer[FOO].error is Errors.UNKNOWN_SERVER_ERROR
    assert (answer[FOO].log_start_offset, answer[FOO_1].error) == (0, Errors.NONE)
    assert node.stats.topic_stats("foo").failed_produce_request_rate().count() == 1
    assert [record.message for record in caplog.records] == [
        "[ReplicaManager broker=1] error processing append operation on partition foo-0"]


def test_the_rates_of_appends(node: Node) -> None:
    node.create_topic("foo")
    node.create_topic("bar")
    data = records(b"a", b"b", b"c")
    size = data.size_in_bytes()
    append(node, (FOO, data))
    append(node, (TopicPartition("bar", 0), records(b"a")))
    foo, bar, both = node.stats.topic_stats("foo"), node.stats.topic_stats("bar"), node.stats.all_topics_stats
    assert (foo.messages_in_rate().count(), foo.bytes_in_rate().count()) == (3, size)
    assert (bar.messages_in_rate().count(), both.messages_in_rate().count()) == (1, 4)
    assert both.bytes_in_rate().count() == size + bar.bytes_in_rate().count()
    assert (foo.total_produce_request_rate().count(), both.total_produce_request_rate().count()) == (1, 2)


def test_internal_topics(node: Node) -> None:
    node.create_topic("__consumer_offsets")
    tp = TopicPartition("__consumer_offsets", 0)
    told: list[Any] = []
    for allowed in (False, True):
        node.replica_manager.append_records(
            1000, 1, allowed, AppendOrigin.CLIENT, {tp: records(b"a")}, told.append)
    assert [answer[tp].error for answer in told] == [Errors.INVALID_TOPIC_EXCEPTION, Errors.NONE]
    assert node.stats.all_topics_stats.failed_produce_request_rate().count() == 0


def test_who_waits_is_tried_by_the_action_queue(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not by the append itself, which may hold locks; and not for a partition that failed."""
    node.create_topic("foo", configs={"max.message.bytes": "200"})
    fetch = Fetch(node, at(0), max_wait_ms=1000)
    queue = DelayedActionQueue()
    tried: list[TopicPartitionOperationKey] = []
    check_and_complete = node.purgatory.check_and_complete

    def noting(key: TopicPartitionOperationKey) -> int:
        tried.append(key)
        return check_and_complete(key)

    monkeypatch.setattr(node.purgatory, "check_and_complete", noting)
    node.replica_manager.append_records(
        1000, 1, False, AppendOrigin.CLIENT, {FOO: records(b"x" * 300)}, lambda answer: None,
        action_queue=queue)
    queue.try_complete_actions()
    assert fetch.waits() and tried == []
    node.replica_manager.append_records(
        1000, 1, False, AppendOrigin.CLIENT, {FOO: records(b"x")}, lambda answer: None, action_queue=queue)
    assert fetch.waits()
    node.replica_manager.try_complete_actions()
    assert fetch.waits(), "the action is in the queue that was given"
    queue.try_complete_actions()
    assert values(fetch.one()) == [b"x"] and tried == [TopicPartitionOperationKey.of(FOO)]


# -- transactions ----------------------------------------------------------------------------------


def guard(node: Node, producer_id: int = 24) -> VerificationGuard:
    partition_log = node.replica_manager.local_log(FOO)
    assert partition_log is not None
    return partition_log.verification_guard(producer_id)


def is_ongoing(node: Node, producer_id: int = 24) -> bool:
    partition_log = node.replica_manager.local_log(FOO)
    assert partition_log is not None
    return partition_log.has_ongoing_transaction(producer_id)


def test_transaction_verification_flow(verifying: Node, coordinator: Coordinator) -> None:
    assert coordinator.is_running
    result = start_append(verifying, (FOO, transactional(24, 6)))
    assert coordinator.asked == [("txn", 24, 0, FOO)] and result == []
    first = guard(verifying)
    assert first is not VerificationGuard.SENTINEL

    coordinator.answers(foo=Errors.INVALID_TXN_STATE)
    assert result[0][FOO].error is Errors.INVALID_TXN_STATE
    assert result[0][FOO].error_message == "Partition was not added to the transaction"
    assert guard(verifying) == first and verifying.replica_manager.get_log_end_offset(FOO) == 0

    result = start_append(verifying, (FOO, transactional(24, 6)))
    assert len(coordinator.asked) == 2 and guard(verifying) == first
    coordinator.answers()
    assert result[0][FOO].error is Errors.NONE
    assert guard(verifying) is VerificationGuard.SENTINEL and is_ongoing(verifying)
    # Nobody is asked while the transaction is open.
    assert append(verifying, (FOO, transactional(24, 7)), transactional_id="txn")[FOO].error is Errors.NONE
    assert len(coordinator.asked) == 2


def test_a_marker_comes_before_the_answer(verifying: Node, coordinator: Coordinator) -> None:
    """The verified transaction has ended by then, and must not be opened again."""
    result = start_append(verifying, (FOO, transactional(24, 0)))
    assert append_marker(verifying, 24, ControlRecordType.ABORT).error is Errors.NONE
    coordinator.answers()
    assert result[0][FOO].error is Errors.INVALID_TXN_STATE
    assert not is_ongoing(verifying)
    # Nor by a guard that is given after it.
    late = start_append(verifying, (FOO, transactional(24, 0)))
    append_marker(verifying, 24, ControlRecordType.ABORT)
    assert len(coordinator.asked) == 2
    start_append(verifying, (FOO, transactional(24, 0)))
    coordinator.answers()
    assert late[0][FOO].error is Errors.INVALID_TXN_STATE


def test_transaction_verification_blocks_out_of_order_sequence(verifying: Node,
                                                               coordinator: Coordinator) -> None:
    result = start_append(verifying, (FOO, transactional(24, 6)))
    first = guard(verifying)
    coordinator.answers(foo=Errors.INVALID_PRODUCER_ID_MAPPING)
    assert result[0][FOO].error is Errors.INVALID_PRODUCER_ID_MAPPING
    result = start_append(verifying, (FOO, transactional(24, 7)))
    assert len(coordinator.asked) == 2
    coordinator.answers()
    assert result[0][FOO].error is Errors.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert guard(verifying) == first


def test_transaction_verification_guard_on_multiple_partitions(verifying: Node,
                                                               coordinator: Coordinator) -> None:
    result = start_append(verifying, (FOO, transactional(24, 0)), (FOO_1, transactional(24, 0)))
    coordinator.answers()
    assert {tp: response.error for tp, response in result[0].items()} == {
        FOO: Errors.NONE, FOO_1: Errors.NONE}


def test_transaction_verification_when_not_leader(verifying: Node, coordinator: Coordinator) -> None:
    """A partition that is not here is not asked about; the others are."""
    bar = TopicPartition("bar", 0)
    result = start_append(verifying, (bar, transactional(24, 0)))
    assert result[0][bar].error is Errors.UNKNOWN_TOPIC_OR_PARTITION and coordinator.asked == []
    result = start_append(verifying, (bar, transactional(24, 0)), (FOO, transactional(24, 0)))
    assert coordinator.asked == [("txn", 24, 0, FOO)]
    coordinator.answers()
    assert {tp: response.error for tp, response in result[0].items()} == {
        bar: Errors.UNKNOWN_TOPIC_OR_PARTITION, FOO: Errors.NONE}


def test_pre_verification_error(verifying: Node, coordinator: Coordinator) -> None:
    told: list[Any] = []
    start = verifying.replica_manager.maybe_start_transaction_verification_for_partition
    start(TopicPartition("bar", 0), "txn", 24, 0, 0, told.append, TransactionSupportedOperation.generic_error)
    assert told == [(Errors.UNKNOWN_TOPIC_OR_PARTITION, VerificationGuard.SENTINEL)]
    assert coordinator.asked == []
    start(FOO, "txn", 24, 0, 0, told.append, TransactionSupportedOperation.generic_error)
    coordinator.answers()
    assert told[1] == (Errors.NONE, guard(verifying))


def test_an_unexpected_error_of_a_verification_is_logged_with_its_cause(
        verifying: Node, coordinator: Coordinator, monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture) -> None:
    def fail(*args: object) -> None:
        raise ZeroDivisionError("of a partition")

    told: list[Any] = []
    monkeypatch.setattr(Partition, "maybe_start_transaction_verification", fail)
    verifying.replica_manager.maybe_start_transaction_verification_for_partition(
        FOO, "txn", 24, 0, 0, told.append, TransactionSupportedOperation.generic_error)
    assert told == [(Errors.UNKNOWN_SERVER_ERROR, VerificationGuard.SENTINEL)] and coordinator.asked == []
    record, = (record for record in caplog.records if record.levelname == "ERROR")
    assert record.exc_info is not None and record.exc_info[0] is ZeroDivisionError


def test_verification_for_transactional_partitions_only(verifying: Node, coordinator: Coordinator) -> None:
    assert append(verifying, (FOO, idempotent(24, 0)))[FOO].error is Errors.NONE
    assert coordinator.asked == []
    result = start_append(verifying, (FOO, transactional(24, 1)), (FOO_1, idempotent(24, 0)))
    assert coordinator.asked == [("txn", 24, 0, FOO)]
    coordinator.answers(foo=Errors.NOT_COORDINATOR)
    assert {tp: response.error for tp, response in result[0].items()} == {
        FOO: Errors.NOT_ENOUGH_REPLICAS, FOO_1: Errors.NONE}
    assert verifying.replica_manager.get_log_end_offset(FOO) == 1


def test_exception_when_unverified_transaction_has_multiple_producer_ids(
        verifying: Node, coordinator: Coordinator) -> None:
    for other in (transactional(25, 0), transactional(24, 0, epoch=1)):
        with pytest.raises(InvalidPidMappingException):
            append(verifying, (FOO, transactional(24, 0)), (FOO_1, other), transactional_id="txn")
    assert coordinator.asked == []
    assert verifying.replica_manager.get_log_end_offset(FOO) == 0


def test_transactional_records_without_a_transactional_id(verifying: Node) -> None:
    """Nobody can be asked about them, and the log takes none that was not verified."""
    response = append(verifying, (FOO, transactional(24, 0)))[FOO]
    assert (response.error, response.log_start_offset) == (Errors.INVALID_TXN_STATE, 0)


def test_disabled_transaction_verification(trusting: Node) -> None:
    response = append(trusting, (FOO, transactional(24, 0)), transactional_id="txn")[FOO]
    assert (response.error, response.base_offset) == (Errors.NONE, 0)
    assert guard(trusting) is VerificationGuard.SENTINEL
    assert is_ongoing(trusting)


def test_transaction_verification_dynamic_disablement(verifying: Node, coordinator: Coordinator) -> None:
    dynamic_config = verifying.config.dynamic_config()
    dynamic_config.add_broker_reconfigurable(DynamicProducerStateManagerConfig(
        verifying.storage.log_manager().producer_state_manager_config()))
    start_append(verifying, (FOO, transactional(24, 6)))
    first = guard(verifying)
    assert first is not VerificationGuard.SENTINEL

    dynamic_config.update_broker_config(1, {"transaction.partition.verification.enable": "false"})
    response = append(verifying, (FOO, transactional(24, 6)), transactional_id="txn")[FOO]
    assert response.error is Errors.NONE
    assert guard(verifying) is VerificationGuard.SENTINEL and is_ongoing(verifying)

    dynamic_config.update_broker_config(1, {"transaction.partition.verification.enable": "true"})
    append_marker(verifying, 24, ControlRecordType.COMMIT)
    start_append(verifying, (FOO, transactional(24, 7)))
    assert len(coordinator.asked) == 2
    with pytest.raises(ConfigException, match="producer.id.expiration.ms"):
        DynamicProducerStateManagerConfig(
            verifying.storage.log_manager().producer_state_manager_config()).validate_reconfiguration(
                KafkaConfig.from_props({"producer.id.expiration.ms": "-1", "listeners": "PLAINTEXT://:0"}))


@pytest.mark.parametrize("error", [
    Errors.CONCURRENT_TRANSACTIONS, Errors.NETWORK_EXCEPTION, Errors.COORDINATOR_LOAD_IN_PROGRESS,
    Errors.COORDINATOR_NOT_AVAILABLE, Errors.NOT_COORDINATOR, Errors.INVALID_TXN_STATE,
    Errors.INVALID_PRODUCER_ID_MAPPING])
def test_verification_error_conversions(verifying: Node, coordinator: Coordinator, error: Errors) -> None:
    result = start_append(verifying, (FOO, transactional(24, 0)))
    coordinator.answers(foo=error)
    response = result[0][FOO]
    if error is Errors.INVALID_TXN_STATE:
        expected: tuple[Errors, str | None] = (error, "Partition was not added to the transaction")
    elif error is Errors.INVALID_PRODUCER_ID_MAPPING:
        expected = (error, None)
    else:
        expected = (Errors.NOT_ENOUGH_REPLICAS, "Unable to verify the partition has been added to the "
                    f"transaction. Underlying error: {error.name}")
    assert (response.error, response.error_message) == expected
    assert verifying.replica_manager.get_log_end_offset(FOO) == 0


def test_partitions_with_late_transactions_count(trusting: Node) -> None:
    def count() -> Any:
        return trusting.metric_value(
            "kafka.server:type=ReplicaManager,name=PartitionsWithLateTransactionsCount")

    assert count() == 0
    records = MemoryRecords.with_transactional_records(
        Compression.NONE, 234, 5, 9, SimpleRecord(trusting.time.milliseconds(), None, b"message"))
    append(trusting, (FOO, records), transactional_id="txn")
    assert count() == 0
    timeout_ms = trusting.config.transaction_max_timeout_ms() + LATE_TRANSACTION_BUFFER_MS
    trusting.time.sleep(timeout_ms)
    assert count() == 0
    trusting.time.sleep(1)
    assert count() == 1
    append_marker(trusting, 234, ControlRecordType.COMMIT, epoch=5)
    assert count() == 0


def test_read_committed_fetch_limited_at_lso(trusting: Node) -> None:
    """Readers of committed records stop where a transaction began that is not decided."""
    node = trusting
    append(node, (FOO, records(b"before")))
    for sequence in range(3):
        answer = append(node, (FOO, transactional(234, sequence, 5)), transactional_id="txn")
        assert answer[FOO].error is Errors.NONE
    committed = FetchIsolation.TXN_COMMITTED
    for offset, expected in ((0, [b"before"]), (1, []), (3, [])):
        data = Fetch(node, at(offset), isolation=committed).one()
        assert (data.error, values(data), data.last_stable_offset, data.high_watermark,
                data.aborted_transactions) == (Errors.NONE, expected, 1, 4, [])
    assert len(values(Fetch(node, at(0)).one())) == 4

    fetch = Fetch(node, at(1), isolation=committed, min_bytes=1000, max_wait_ms=1000)
    append(node, (FOO, transactional(234, 3, 5)), transactional_id="txn")
    assert fetch.waits()
    node.timer.advance_clock(1001)
    data = fetch.one()
    assert (data.error, values(data), data.last_stable_offset, data.aborted_transactions) == (
        Errors.NONE, [], 1, [])

    def latest(isolation: IsolationLevel) -> Any:
        return node.replica_manager.fetch_offset_for_timestamp(FOO, -1, isolation, None)

    assert latest(IsolationLevel.READ_COMMITTED) == (-1, 1, 0)
    assert latest(IsolationLevel.READ_UNCOMMITTED) == (-1, 5, 0)

    # The marker moves the last stable offset, and who waits for that is told.
    fetch = Fetch(node, at(1), isolation=committed, max_wait_ms=1000)
    append(node, (FOO, records(b"behind")))
    assert fetch.waits()
    assert append_marker(node, 234, ControlRecordType.COMMIT, epoch=5).error is Errors.NONE
    data = fetch.one()
    assert (len(list(data.records.records())), data.last_stable_offset) == (6, 7)
    assert data.aborted_transactions == []
    assert latest(IsolationLevel.READ_COMMITTED) == (-1, 7, 0)


def test_offsets_by_time_end_at_the_last_stable_offset(trusting: Node) -> None:
    append(trusting, (FOO, records(b"before")))
    late = MemoryRecords.with_transactional_records(
        Compression.NONE, 234, 0, 0, SimpleRecord(1_700_000_001_000, None, b"x"))
    append(trusting, (FOO, late), transactional_id="txn")

    def offset(timestamp: int, isolation: IsolationLevel) -> int | None:
        found = trusting.replica_manager.fetch_offset_for_timestamp(FOO, timestamp, isolation, None)
        return None if found is None else found.offset

    for timestamp in (1_700_000_001_000, ListOffsetsRequest.MAX_TIMESTAMP):
        assert offset(timestamp, IsolationLevel.READ_COMMITTED) is None
        assert offset(timestamp, IsolationLevel.READ_UNCOMMITTED) == 1
    assert offset(1_700_000_000_000, IsolationLevel.READ_COMMITTED) == 0
    append_marker(trusting, 234, ControlRecordType.ABORT)
    assert offset(1_700_000_001_000, IsolationLevel.READ_COMMITTED) == 1


def test_delayed_fetch_includes_aborted_transactions(trusting: Node) -> None:
    node = trusting
    for sequence in range(3):
        append(node, (FOO, transactional(234, sequence, 5)), transactional_id="txn")
    append_marker(node, 234, ControlRecordType.ABORT, epoch=5)
    fetch = Fetch(node, at(0), isolation=FetchIsolation.TXN_COMMITTED, min_bytes=10000, max_wait_ms=1000)
    assert fetch.waits()
    node.timer.advance_clock(1001)
    data = fetch.one()
    assert (data.error, data.last_stable_offset, len(list(data.records.records()))) == (Errors.NONE, 4, 4)
    assert data.aborted_transactions == [
        FetchResponseData.AbortedTransaction(producer_id=234, first_offset=0)]


@pytest.mark.parametrize("epoch, coordinator_epoch, expected", [
    (5, 3, Errors.NONE), (6, 4, Errors.NONE), (4, 3, Errors.INVALID_PRODUCER_EPOCH),
    (5, 2, Errors.TRANSACTION_COORDINATOR_FENCED)])
def test_which_markers_are_taken(trusting: Node, epoch: int, coordinator_epoch: int,
                                 expected: Errors) -> None:
    append(trusting, (FOO, transactional(234, 0, 5)), transactional_id="txn")
    assert append_marker(trusting, 234, ControlRecordType.COMMIT, 5, 3).error is Errors.NONE
    append(trusting, (FOO, transactional(234, 1, 5)), transactional_id="txn")
    response = append_marker(trusting, 234, ControlRecordType.ABORT, epoch, coordinator_epoch)
    assert response.error is expected
    assert is_ongoing(trusting, 234) is (expected is not Errors.NONE)
    assert trusting.replica_manager.get_log_end_offset(FOO) == (4 if expected is Errors.NONE else 3)


def test_markers_to_partitions_that_are_not_here(trusting: Node) -> None:
    tp = TopicPartition("bar", 0)
    assert append_marker(trusting, 1, ControlRecordType.COMMIT, tp=tp).error is (
        Errors.UNKNOWN_TOPIC_OR_PARTITION)


def test_clients_write_no_markers(trusting: Node) -> None:
    marker = MemoryRecords.with_end_transaction_marker(
        234, 5, EndTransactionMarker(ControlRecordType.COMMIT, 0), timestamp=1_700_000_000_000)
    assert append(trusting, (FOO, marker), transactional_id="txn")[FOO].error is Errors.INVALID_RECORD


def test_active_producer_state(trusting: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    state = trusting.replica_manager.active_producer_state
    assert state(TopicPartition("bar", 0)).error_code == Errors.UNKNOWN_TOPIC_OR_PARTITION.code
    monkeypatch.setattr(trusting.metadata_cache, "contains_partition", lambda tp: True)
    assert state(TopicPartition("bar", 0)).error_code == Errors.NOT_LEADER_OR_FOLLOWER.code
    answer = state(FOO)
    assert (answer.partition_index, answer.error_code, answer.active_producers) == (0, 0, [])
    append(trusting, (FOO, transactional(234, 9, 5)), transactional_id="txn")
    producer, = state(FOO).active_producers
    assert producer == DescribeProducersResponseData.ProducerState(
        producer_id=234, producer_epoch=5, last_sequence=9, last_timestamp=1_700_000_000_000,
        coordinator_epoch=-1, current_txn_start_offset=0)
    append_marker(trusting, 234, ControlRecordType.COMMIT, 5, 7)
    producer, = state(FOO).active_producers
    assert (producer.coordinator_epoch, producer.current_txn_start_offset) == (7, -1)
    assert producer.last_sequence == 9


# -- fetches ---------------------------------------------------------------------------------------


def test_fetch_messages_with_inconsistent_topic_id(node: Node) -> None:
    topic_id = node.create_topic("foo").topic_id()
    assert topic_id is not None
    fetch = Fetch(node, at(0, topic_id=Uuid.random_uuid()), max_wait_ms=1000)
    assert fetch.one().error is Errors.INCONSISTENT_TOPIC_ID
    assert Fetch(node, at(0, topic_id=topic_id)).one().error is Errors.NONE
    # Without an id nobody can be wrong about it.
    assert Fetch(node, at(0)).one().error is Errors.NONE
    assert node.stats.all_topics_stats.failed_fetch_request_rate().count() == 0


def test_fetch_messages_when_not_follower_for_one_partition(node: Node) -> None:
    """We know no followers: whoever claims to be one is told to look again, with what it has of the epoch."""
    node.create_topic("foo", 2)
    for value in (b"1", b"2"):
        append(node, (FOO, records(value)), (FOO_1, records(value)))
    fetch = Fetch(node, at(1, epoch=0), at(1, FOO_1), replica_id=1, max_wait_ms=1000, min_bytes=0,
                  isolation=FetchIsolation.LOG_END)
    assert [data.error for data in fetch.all()] == [
        Errors.UNKNOWN_LEADER_EPOCH, Errors.NOT_LEADER_OR_FOLLOWER]


def test_replica_selector(node: Node) -> None:
    """Without a selector, and with no other replica to select, the client is to read here."""
    selecting = replica_manager_with_selector(
        node, "org.apache.kafka.common.replica.RackAwareReplicaSelector")
    node.create_topic("foo")
    client = ClientMetadata("rack-a", "client-id", "127.0.0.1", KafkaPrincipal.ANONYMOUS, "PLAINTEXT")
    for replica_manager in (node.replica_manager, selecting):
        assert replica_manager._find_preferred_read_replica(
            node.replica_manager.get_partition_or_exception(FOO), client, -1, 0, 0) is None


def test_unknown_replica_selector(node: Node) -> None:
    with pytest.raises(ConfigException, match="there is no class non-a-class"):
        replica_manager_with_selector(node, "non-a-class")


def test_default_replica_selector(node: Node) -> None:
    assert node.replica_manager._replica_selector_opt is None


def replica_manager_with_selector(node: Node, name: str) -> ReplicaManager:
    return ReplicaManager(
        broker_config(node.storage.log_manager().directory(), {"replica.selector.class": name}), node.time,
        node.storage.log_manager(), node.metadata_cache, node.stats,
        DelayedOperationPurgatory("Other", node.timer, reaper_enabled=False), MetricsRegistry())


def test_fetch_request_rate_metrics(node: Node) -> None:
    node.create_topic("foo")

    def assert_metric_count(expected: int) -> None:
        for stats in (node.stats.all_topics_stats, node.stats.topic_stats("foo")):
            assert stats.total_fetch_request_rate().count() == expected

    assert Fetch(node, at(0)).one().error is Errors.NONE
    assert_metric_count(1)
    fetch = Fetch(node, at(0), max_wait_ms=10)
    assert fetch.waits()
    node.timer.advance_clock(11)
    assert fetch.one().error is Errors.NONE
    assert_metric_count(2)


def test_clear_fetch_purgatory_on_stop_replica(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fetch that waits is told when its partition goes, not when its time is up."""
    node.create_topic("foo", 2)
    fetch = Fetch(node, at(0), at(0, FOO_1), max_wait_ms=10_000)
    other = Fetch(node, at(0, FOO_1), max_wait_ms=10_000)
    # Gone from here, while clients may still be told of it.
    node.storage.log_manager().delete_logs([FOO])
    node.replica_manager.apply_delta(deleted=[FOO])
    assert [data.error for data in fetch.all()] == [Errors.NOT_LEADER_OR_FOLLOWER, Errors.NONE]
    assert other.waits()
    node.storage.delete_topic("foo")
    node.replica_manager.apply_delta(deleted=[FOO_1])
    assert other.one().error is Errors.UNKNOWN_TOPIC_OR_PARTITION
    assert node.purgatory.watched() == 0


def test_old_leader_loses_metrics_when_reassign_partitions(node: Node) -> None:
    node.create_topic("foo", 2)

    def lead(foo: int, foo_1: int, epoch: int) -> None:
        node.replica_manager.apply_delta(changed=[FOO, FOO_1], image=ClusterImage(partitions={
            partition: PartitionState((1, 2), (1, 2), leader, epoch)
            for partition, leader in ((FOO, foo), (FOO_1, foo_1))}))

    lead(1, 1, 0)
    append(node, (FOO, records(b"a")))
    topic_stats = node.stats.topic_stats("foo")
    assert topic_stats.messages_in_rate().count() == 1
    # The broker leads a partition of the topic yet.
    lead(1, 2, 1)
    assert topic_stats.messages_in_rate().count() == 1
    lead(2, 2, 2)
    assert topic_stats.messages_in_rate().count() == 0, "the meter is another one"


def test_offset_out_of_range_exception_when_read_from_log(node: Node) -> None:
    node.create_topic("foo")
    append(node, (FOO, records(b"a", b"b")))
    for offset in (-1, 3, 1000):
        fetch = Fetch(node, at(offset), max_wait_ms=1000)
        data = fetch.one()
        assert (data.error, data.high_watermark, data.log_start_offset, data.last_stable_offset) == (
            Errors.OFFSET_OUT_OF_RANGE, -1, -1, None)
    assert node.stats.all_topics_stats.failed_fetch_request_rate().count() == 0


def test_a_read_fails_in_an_unexpected_way(node: Node, caplog: pytest.LogCaptureFixture) -> None:
    node.create_topic("foo")
    append(node, (FOO, records(b"a")))
    data = Fetch(node, at(0, max_bytes=-1), max_wait_ms=1000).one()
    assert (data.error, data.high_watermark, data.log_start_offset, data.last_stable_offset) == (
        Errors.UNKNOWN_SERVER_ERROR, -1, -1, None)
    for stats in (node.stats.topic_stats("foo"), node.stats.all_topics_stats):
        assert stats.failed_fetch_request_rate().count() == 1
    record, = caplog.records
    assert "error processing fetch with max size -1 from consumer on partition" in record.message


def test_a_fetch_waits_for_enough(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    node.create_topic("foo", 2)
    append(node, (FOO, records(b"x")))
    size = Fetch(node, at(0)).one().records.size_in_bytes()
    fetch = Fetch(node, at(0), at(0, FOO_1), max_wait_ms=1000, min_bytes=2 * size + 1)
    append(node, (FOO_1, records(b"y")))
    assert fetch.waits(), "one byte is missing"
    append(node, (FOO_1, records(b"z")))
    assert [values(data) for data in fetch.all()] == [[b"x"], [b"y", b"z"]]
    no_purgatory(node, monkeypatch)
    assert not Fetch(node, at(0), max_wait_ms=1000, min_bytes=size).waits()


def no_purgatory(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let none come into the purgatory from now on, not even one that it lets go at once."""
    def enter(*args: Any) -> bool:
        raise AssertionError("it waits")

    monkeypatch.setattr(node.purgatory, "try_complete_else_watch", enter)


@pytest.mark.parametrize("max_wait_ms", [0, -1])
def test_a_fetch_that_does_not_want_to_wait(node: Node, monkeypatch: pytest.MonkeyPatch,
                                            max_wait_ms: int) -> None:
    node.create_topic("foo")
    no_purgatory(node, monkeypatch)
    assert Fetch(node, at(0), max_wait_ms=max_wait_ms, min_bytes=1000).one().error is Errors.NONE
    assert not Fetch(node, max_wait_ms=1000).waits(), "it wants nothing"
    assert not Fetch(node, at(0), max_wait_ms=1000, min_bytes=0).waits()


def test_an_error_or_a_diverging_epoch_is_told_at_once(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    node.create_topic("foo")
    append(node, (FOO, records(b"a")))
    no_purgatory(node, monkeypatch)
    fetch = Fetch(node, at(1), at(0, TopicPartition("none", 0)), max_wait_ms=1000)
    assert [data.error for data in fetch.all()] == [Errors.NONE, Errors.UNKNOWN_TOPIC_OR_PARTITION]
    data = Fetch(node, at(9, last_epoch=0), max_wait_ms=1000, min_bytes=100).one()
    assert data.error is Errors.NONE and data.diverging_epoch is not None
    assert (data.diverging_epoch.epoch, data.diverging_epoch.end_offset) == (0, 1)


def test_the_limit_is_of_all_partitions_together(node: Node) -> None:
    """The first that has anything gives a whole batch, the others what is left (KIP-74)."""
    node.create_topic("foo", 4)
    partitions = [TopicPartition("foo", number) for number in range(4)]
    for tp in partitions[1:]:
        append(node, (tp, records(b"x" * 100)))
        append(node, (tp, records(b"y" * 100)))
    size = Fetch(node, at(0, FOO_1)).one().records.size_in_bytes() // 2

    def sizes(max_bytes: int, version: int = 12, partition_bytes: int = 100_000) -> list[int]:
        fetch = Fetch(node, *(at(0, tp, partition_bytes) for tp in partitions), max_bytes=max_bytes,
                      version=version)
        return [data.records.size_in_bytes() for data in fetch.all()]

    assert sizes(1 << 20) == [0, 2 * size, 2 * size, 2 * size]
    assert sizes(1) == [0, size, 0, 0]
    # A batch that does not fit whole is cut off, unless not even the first fits.
    assert sizes(size + 10) == [0, size + 10, 0, 0]
    assert sizes(3 * size) == [0, 2 * size, size, 0]
    assert sizes(3 * size + 10) == [0, 2 * size, size + 10, 0]
    assert sizes(2 * size + 10) == [0, 2 * size, 0, 0]
    assert sizes(1 << 20, partition_bytes=1) == [0, size, 0, 0]
    assert sizes(1 << 20, partition_bytes=size) == [0, size, size, size]
    # The oldest clients get as many bytes as they ask for, and no more.
    assert sizes(1, version=2) == [0, 1, 0, 0]
    assert sizes(3 * size + 10, version=2) == [0, 2 * size, size + 10, 0]
    assert sizes(1 << 20, version=2, partition_bytes=5) == [0, 5, 5, 5]


def test_aborted_transactions_are_there_where_records_are_looked_for(node: Node) -> None:
    """As an empty list: the log has none. In the other cases it is null."""
    node.create_topic("foo", 3)
    for number in range(3):
        append(node, (TopicPartition("foo", number), records(b"x" * 100)))
    committed = FetchIsolation.TXN_COMMITTED
    size = Fetch(node, at(0)).one().records.size_in_bytes()
    partitions = [at(0, TopicPartition("foo", number)) for number in range(3)]
    fetch = Fetch(node, *partitions, max_bytes=size + 10, isolation=committed)
    assert [data.aborted_transactions for data in fetch.all()] == [[], None, None]
    fetch = Fetch(node, *partitions, max_bytes=size, isolation=committed)
    assert [data.aborted_transactions for data in fetch.all()] == [[], [], []]
    assert Fetch(node, at(1), isolation=committed).one().aborted_transactions == []
    assert Fetch(node, at(9, last_epoch=0), isolation=committed).one().aborted_transactions is None
    assert Fetch(node, at(9), isolation=committed).one().aborted_transactions is None
    assert Fetch(node, at(0)).one().aborted_transactions is None


# -- partitions ------------------------------------------------------------------------------------


def test_partitions_that_are_not_there(node: Node) -> None:
    """There is a moment between the creation of a topic and that of its partitions."""
    node.storage.create_topic("foo", 1, {})
    manager = node.replica_manager
    assert manager.get_partition(FOO) is None and manager.local_log(FOO) is None
    assert manager.get_partition_or_error(FOO) is Errors.NOT_LEADER_OR_FOLLOWER
    with pytest.raises(NotLeaderOrFollowerException):
        manager.get_partition_or_exception(FOO)
    manager.apply_delta(changed=[FOO])
    partition = manager.get_partition_or_exception(FOO)
    assert manager.get_partition_or_error(FOO) is partition is manager.online_partition(FOO)
    with pytest.raises(UnknownTopicOrPartitionException):
        manager.get_partition_or_exception(FOO_1)
    with pytest.raises(UnknownTopicOrPartitionException):
        manager.create_partition(FOO_1)
    assert (manager.get_log_end_offset(FOO), manager.get_log_end_offset(FOO_1)) == (0, None)
    assert manager.get_log_config(FOO) is not None and manager.get_log_config(FOO_1) is None


def test_a_partition_whose_log_is_broken(node: Node) -> None:
    node.create_topic("foo", 2)
    fetch = Fetch(node, at(0), max_wait_ms=1000)
    log = node.replica_manager.local_log_or_exception(FOO)
    log.go_offline("for a test")
    manager = node.replica_manager
    assert manager.get_partition(FOO) is not None and manager.online_partition(FOO) is None
    assert manager.get_partition_or_error(FOO) is Errors.KAFKA_STORAGE_ERROR
    with pytest.raises(KafkaStorageException, match="Partition foo-0 is in an offline log directory"):
        manager.get_partition_or_exception(FOO)
    answer = append(node, (FOO, records(b"a")), (FOO_1, records(b"a")))
    assert (answer[FOO].error, answer[FOO_1].error) == (Errors.KAFKA_STORAGE_ERROR, Errors.NONE)
    assert Fetch(node, at(0), max_wait_ms=1000).one().error is Errors.KAFKA_STORAGE_ERROR
    with pytest.raises(KafkaStorageException):
        manager.fetch_offset_for_timestamp(FOO, -1, None, None)
    with pytest.raises(KafkaStorageException):
        manager.legacy_fetch_offsets_for_timestamp(FOO, -1, 1, True)

    def gauge(name: str) -> int:
        value: int = node.metric_value(f"kafka.server:type=ReplicaManager,name={name}")
        return value

    assert [gauge(name) for name in ("PartitionCount", "LeaderCount", "OfflineReplicaCount",
                                     "AtMinIsrPartitionCount")] == [2, 1, 1, 1]
    assert manager.producer_id_count() == 0
    # A waiting request is answered at the next check, at the latest when its time is up.
    node.timer.advance_clock(1001)
    assert fetch.one().error is Errors.KAFKA_STORAGE_ERROR


def test_delta_leader_to_removed_topic(node: Node) -> None:
    node.create_topic("foo", 2)
    append(node, (FOO, records(b"a")))
    assert node.stats.is_topic_stats_existed("foo")
    deleted = node.storage.delete_topic("foo")
    node.replica_manager.apply_delta(deleted=deleted.partitions())
    assert node.replica_manager.get_partition(FOO) is None
    assert node.storage.log_manager().get_log(FOO) is None
    assert not node.stats.is_topic_stats_existed("foo")
    assert not any("topic=foo" in name for name in node.metric_names())


def test_startup_takes_over_what_the_storage_has(tmp_path: Path) -> None:
    with Node(tmp_path) as node:
        node.create_topic("foo", 2)
        append(node, (FOO_1, records(b"a", b"b")))
    with Node(tmp_path) as node:
        assert node.replica_manager.get_log_end_offset(FOO) == 0
        assert node.replica_manager.get_log_end_offset(FOO_1) == 2
        assert values(Fetch(node, at(1, FOO_1)).one()) == [b"a", b"b"], "the batch is whole"


def test_check_remove_metrics_count_match_register_count(node: Node) -> None:
    registered = {name for name in node.metric_names()
                  if "type=ReplicaManager" in name or "type=DelayedFetchMetrics" in name
                  or "type=DelayedOperationPurgatory" in name and "delayedOperation=Fetch" in name}
    assert {f"kafka.server:type=ReplicaManager,name={name}" for name in ReplicaManager.METRIC_NAMES} == {
        name for name in registered if "type=ReplicaManager" in name}
    assert len(registered) == len(ReplicaManager.METRIC_NAMES) + 4
    node.create_topic("foo")
    append(node, (FOO, records(b"a")))
    node.replica_manager.shutdown()
    assert not registered & node.metric_names()
    assert not any("topic=foo" in name for name in node.metric_names())


def test_nothing_marks_the_meters_of_replicas(node: Node) -> None:
    manager = node.replica_manager
    names = ("IsrExpandsPerSec", "IsrShrinksPerSec", "FailedIsrUpdatesPerSec")
    assert ReplicaManager.METER_METRIC_NAMES == set(names)
    node.create_topic("foo")
    append(node, (FOO, records(b"a")))
    assert [node.metric_value(f"kafka.server:type=ReplicaManager,name={name}") for name in names] == [0] * 3
    assert (manager.isr_expand_rate.event_type(), manager.isr_shrink_rate.event_type(),
            manager.failed_isr_updates_rate.event_type()) == ("expands", "shrinks", "failedUpdates")


def test_a_disk_that_is_larger_than_a_number_is_as_large_as_one(node: Node,
                                                                monkeypatch: pytest.MonkeyPatch) -> None:
    before = os.statvfs(node.replica_manager.log_manager.directory())
    monkeypatch.setattr(os, "statvfs", lambda path: os.statvfs_result(
        [4096, 4096, 2**61, before.f_bfree, 2**60, *list(before)[5:]]))
    answer = node.ask(ApiKeys.DESCRIBE_LOG_DIRS, 4, DescribeLogDirsRequestData(topics=None))
    result, = answer.results
    assert (result.total_bytes, result.usable_bytes) == (2**63 - 1, 2**63 - 1)


def test_complete_delayed_fetches(node: Node) -> None:
    """When the node stops, who waits gets what there is; the answers go out as long as the sockets live."""
    node.create_topic("foo", 2)
    append(node, (FOO, records(b"a")))
    fetches = [Fetch(node, at(0), at(0, FOO_1), max_wait_ms=10_000, min_bytes=10_000) for _ in range(3)]
    fetches.append(Fetch(node, at(0, FOO_1), max_wait_ms=10_000))
    assert all(fetch.waits() for fetch in fetches)
    node.replica_manager.complete_delayed_fetches()
    for fetch in fetches[:3]:
        assert [values(data) for data in fetch.all()] == [[b"a"], []]
    assert values(fetches[3].one()) == []
    assert node.purgatory.watched() == 0
    assert all(entry.cancelled() for entry in node.timer.task_queue())
