# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.TransactionManagerTest of Apache Kafka
# 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Transactions and idempotence, through a Sender whose network is a MockClient."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import count
from unittest.mock import Mock

import pytest

from kreactor.clients.api_versions import ApiVersions
from kreactor.clients.consumer.commit_failed_exception import CommitFailedException
from kreactor.clients.consumer.consumer_group_metadata import ConsumerGroupMetadata
from kreactor.clients.consumer.offset_and_metadata import OffsetAndMetadata
from kreactor.clients.metadata_snapshot import MetadataSnapshot
from kreactor.clients.node_api_versions import NodeApiVersions
from kreactor.clients.producer.internals.buffer_pool import BufferPool
from kreactor.clients.producer.internals.future_record_metadata import FutureRecordMetadata
from kreactor.clients.producer.internals.producer_batch import ProducerBatch
from kreactor.clients.producer.internals.producer_metadata import ProducerMetadata
from kreactor.clients.producer.internals.record_accumulator import RecordAccumulator
from kreactor.clients.producer.internals.sender import Sender
from kreactor.clients.producer.internals.sender_metrics_registry import SenderMetricsRegistry
from kreactor.clients.producer.internals.transaction_manager import TransactionManager
from kreactor.clients.producer.internals.transactional_request_result import TransactionalRequestResult
from kreactor.common.cluster import Cluster
from kreactor.common.compress.compression import Compression
from kreactor.common.errors import (
    FencedInstanceIdException,
    GroupAuthorizationException,
    InvalidTxnStateException,
    OutOfOrderSequenceException,
    ProducerFencedException,
    SaslAuthenticationException,
    TimeoutException,
    TopicAuthorizationException,
    TransactionAbortableException,
    TransactionalIdAuthorizationException,
    UnsupportedForMessageFormatException,
    UnsupportedVersionException,
)
from kreactor.common.internals.cluster_resource_listeners import ClusterResourceListeners
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.message.add_offsets_to_txn_response_data import AddOffsetsToTxnResponseData
from kreactor.common.message.add_partitions_to_txn_response_data import AddPartitionsToTxnResponseData
from kreactor.common.message.api_versions_response_data import ApiVersionsResponseData
from kreactor.common.message.end_txn_response_data import EndTxnResponseData
from kreactor.common.message.init_producer_id_response_data import InitProducerIdResponseData
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.node import Node
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record import Record
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.add_offsets_to_txn_request import AddOffsetsToTxnRequest
from kreactor.common.requests.add_offsets_to_txn_response import AddOffsetsToTxnResponse
from kreactor.common.requests.add_partitions_to_txn_request import AddPartitionsToTxnRequest
from kreactor.common.requests.add_partitions_to_txn_response import AddPartitionsToTxnResponse
from kreactor.common.requests.end_txn_request import EndTxnRequest
from kreactor.common.requests.end_txn_response import EndTxnResponse
from kreactor.common.requests.find_coordinator_request import FindCoordinatorRequest
from kreactor.common.requests.find_coordinator_response import FindCoordinatorResponse
from kreactor.common.requests.init_producer_id_request import InitProducerIdRequest
from kreactor.common.requests.init_producer_id_response import InitProducerIdResponse
from kreactor.common.requests.join_group_request import JoinGroupRequest
from kreactor.common.requests.metadata_response import MetadataResponse
from kreactor.common.requests.produce_request import ProduceRequest
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.requests.transaction_result import TransactionResult
from kreactor.common.requests.txn_offset_commit_request import TxnOffsetCommitRequest
from kreactor.common.requests.txn_offset_commit_response import TxnOffsetCommitResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.producer_id_and_epoch import ProducerIdAndEpoch
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.time_unit import TimeUnit
from kreactor.testing.mock_time import MockTime
from tests.clients.mock_client import MockClient
from tests.clients.producer.internals.producer_test_utils import run_until
from tests.common.requests.request_test_utils import RequestTestUtils

ApiVersion = ApiVersionsResponseData.ApiVersion
CoordinatorType = FindCoordinatorRequest.CoordinatorType
PartitionMetadata = MetadataResponse.PartitionMetadata
PartitionResponse = ProduceResponse.PartitionResponse
V3_AND_BELOW_TXN_ID = AddPartitionsToTxnResponse.V3_AND_BELOW_TXN_ID

INT_MAX_VALUE = 2**31 - 1
LONG_MAX_VALUE = 2**63 - 1
SHORT_MAX_VALUE = 2**15 - 1

MAX_REQUEST_SIZE = 1024 * 1024
ACKS_ALL = -1
MAX_RETRIES = INT_MAX_VALUE
MAX_BLOCK_TIMEOUT = 1000
REQUEST_TIMEOUT = 1000
DEFAULT_RETRY_BACKOFF_MS = 100

TRANSACTIONAL_ID = "foobar"
TRANSACTION_TIMEOUT_MS = 1121

TOPIC = "test"
TP0 = TopicPartition(TOPIC, 0)
TP1 = TopicPartition(TOPIC, 1)
TP_FOO = TopicPartition("foo", 0)
PRODUCER_ID = 13131
EPOCH = 1
CONSUMER_GROUP_ID = "myConsumerGroup"
MEMBER_ID = "member"
GENERATION_ID = 5
GROUP_INSTANCE_ID = "instance"

SINGLETON_CLUSTER = Cluster("kafka-cluster", [Node(0, "localhost", 1969)], [])

Matcher = Callable[[AbstractRequest], bool]


class Rig:
    """A transaction manager with its sender, one broker, and what the broker is about to answer."""

    manager_type: type[TransactionManager] = TransactionManager

    def __init__(self) -> None:
        self.log_context = LogContext()
        self.time = MockTime()
        self.metadata = ProducerMetadata(0, 0, LONG_MAX_VALUE, LONG_MAX_VALUE, self.log_context,
                                         ClusterResourceListeners(), self.time)
        self.client = MockClient(self.time, self.metadata)
        self.api_versions = ApiVersions()
        self.metadata.add("test", self.time.milliseconds())
        self.client.update_metadata(RequestTestUtils.metadata_update_with(1, {"test": 2}))
        self.broker_node = Node(0, "localhost", 2211)
        self.initialize_transaction_manager(TRANSACTIONAL_ID)

    def initialize_transaction_manager(self, transactional_id: str | None) -> None:
        self.limit_init_producer_id(3)
        self.manager = self.manager_type(self.log_context, transactional_id, TRANSACTION_TIMEOUT_MS,
                                         DEFAULT_RETRY_BACKOFF_MS, self.api_versions)
        metrics = Metrics(time=self.time)
        self.accumulator = self.new_accumulator(metrics, 3000)
        self.sender = self.new_sender(metrics, self.accumulator, True, REQUEST_TIMEOUT, 50)

    def limit_init_producer_id(self, max_version: int) -> None:
        """Let the broker have this version of InitProducerId at most; from 3 on it bumps epochs."""
        self.api_versions.update("0", NodeApiVersions.create([
            ApiVersion(api_key=ApiKeys.INIT_PRODUCER_ID.id, min_version=0, max_version=max_version),
            ApiVersion(api_key=ApiKeys.PRODUCE.id, min_version=0, max_version=7)]))

    def new_accumulator(self, metrics: Metrics, delivery_timeout_ms: int,
                        batch_size: int = 16 * 1024) -> RecordAccumulator:
        group = "producer-metrics"
        return RecordAccumulator(
            self.log_context, batch_size, Compression.NONE, 0, 0, 0, delivery_timeout_ms, metrics, group,
            self.time, self.api_versions, self.manager,
            BufferPool(1024 * 1024, batch_size, metrics, self.time, group))

    def new_sender(self, metrics: Metrics, accumulator: RecordAccumulator, guarantee_message_order: bool,
                   request_timeout_ms: int, retry_backoff_ms: int) -> Sender:
        return Sender(
            self.log_context, self.client, self.metadata, accumulator, guarantee_message_order,
            MAX_REQUEST_SIZE, ACKS_ALL, MAX_RETRIES, SenderMetricsRegistry(metrics), self.time,
            request_timeout_ms, retry_backoff_ms, self.manager, self.api_versions)

    def write_idempotent_batch_with_value(self, tp: TopicPartition, value: str) -> ProducerBatch:
        manager = self.manager
        manager.maybe_update_producer_id_and_epoch(tp)
        seq = manager.sequence_number(tp)
        manager.increment_sequence_number(tp, 1)
        batch = self.batch_with_value(tp, value)
        batch.set_producer_state(manager.producer_id_and_epoch(), seq, False)
        manager.add_in_flight_batch(batch)
        batch.close()
        return batch

    def batch_with_value(self, tp: TopicPartition, value: str) -> ProducerBatch:
        builder = MemoryRecords.builder(ByteBuffer.allocate(64), Compression.NONE, TimestampType.CREATE_TIME,
                                        0)
        current_time_ms = self.time.milliseconds()
        batch = ProducerBatch(tp, builder, current_time_ms)
        batch.try_append(current_time_ms, b"", value.encode(), [], None, current_time_ms)
        return batch

    def append_to_accumulator(self, tp: TopicPartition) -> FutureRecordMetadata:
        return self.append_to(self.accumulator, tp, b"key", b"value")

    def append_to(self, accumulator: RecordAccumulator, tp: TopicPartition, key: bytes,
                  value: bytes) -> FutureRecordMetadata:
        now_ms = self.time.milliseconds()
        return accumulator.append(tp.topic(), tp.partition(), now_ms, key, value, Record.EMPTY_HEADERS, None,
                                  MAX_BLOCK_TIMEOUT, False, now_ms, SINGLETON_CLUSTER).future

    def prepare(self, matcher: Matcher, response: AbstractResponse, disconnected: bool = False) -> None:
        """Let the next request be one that matches, and get this response."""
        self.client.prepare_response_matcher(matcher, response, disconnected)

    def respond(self, matcher: Matcher, response: AbstractResponse) -> None:
        """Let the request in flight be one that matches, and get this response."""
        self.client.respond_matcher(matcher, response)

    def prepare_add_partitions_to_txn(self, errors: Mapping[TopicPartition, Errors]) -> None:
        def matcher(request: AbstractRequest) -> bool:
            assert isinstance(request, AddPartitionsToTxnRequest)
            assert set(self.get_partitions_from_v3_request(request)) == set(errors)
            return True

        self.prepare(matcher, add_partitions_to_txn_response(errors))

    def prepare_find_coordinator_response(self, error: Errors, should_disconnect: bool,
                                          coordinator_type: CoordinatorType, coordinator_key: str) -> None:
        def matcher(request: AbstractRequest) -> bool:
            assert isinstance(request, FindCoordinatorRequest)
            data = request.data()
            assert CoordinatorType.for_id(data.key_type) is coordinator_type
            assert (data.coordinator_keys[0] if data.coordinator_keys else data.key) == coordinator_key
            return True

        self.prepare(matcher,
                     FindCoordinatorResponse.prepare_response(error, coordinator_key, self.broker_node),
                     should_disconnect)

    def prepare_init_pid_response(self, error: Errors, should_disconnect: bool, producer_id: int,
                                  producer_epoch: int) -> None:
        def matcher(request: AbstractRequest) -> bool:
            assert isinstance(request, InitProducerIdRequest)
            assert request.data().transactional_id == TRANSACTIONAL_ID
            assert request.data().transaction_timeout_ms == TRANSACTION_TIMEOUT_MS
            return True

        response_data = InitProducerIdResponseData(
            error_code=error.code, producer_epoch=producer_epoch, producer_id=producer_id, throttle_time_ms=0)
        self.prepare(matcher, InitProducerIdResponse(response_data), should_disconnect)

    def send_produce_response(self, error: Errors, producer_id: int, producer_epoch: int,
                              tp: TopicPartition = TP0) -> None:
        self.respond(self.produce_request_matcher(producer_id, producer_epoch, tp),
                     self.produce_response(tp, 0, error, 0))

    def prepare_produce_response(self, error: Errors, producer_id: int, producer_epoch: int,
                                 tp: TopicPartition = TP0) -> None:
        self.prepare(self.produce_request_matcher(producer_id, producer_epoch, tp),
                     self.produce_response(tp, 0, error, 0))

    def produce_request_matcher(self, producer_id: int, epoch: int, tp: TopicPartition) -> Matcher:
        def matcher(request: AbstractRequest) -> bool:
            assert isinstance(request, ProduceRequest)
            [records] = [partition.records for topic in request.data().topic_data if topic.name == tp.topic()
                         for partition in topic.partition_data if partition.index == tp.partition()]
            assert isinstance(records, MemoryRecords)
            [batch] = records.batches()
            assert batch.is_transactional()
            assert batch.producer_id() == producer_id
            assert batch.producer_epoch() == epoch
            assert request.transactional_id() == TRANSACTIONAL_ID
            return True

        return matcher

    def prepare_add_partitions_to_txn_response(self, error: Errors, topic_partition: TopicPartition,
                                               epoch: int,
                                               producer_id: int) -> None:
        self.prepare(self.add_partitions_request_matcher(topic_partition, epoch, producer_id),
                     add_partitions_to_txn_response({topic_partition: error}))

    def send_add_partitions_to_txn_response(self, error: Errors, topic_partition: TopicPartition, epoch: int,
                                            producer_id: int) -> None:
        self.respond(self.add_partitions_request_matcher(topic_partition, epoch, producer_id),
                     add_partitions_to_txn_response({topic_partition: error}))

    def add_partitions_request_matcher(self, topic_partition: TopicPartition, epoch: int,
                                       producer_id: int) -> Matcher:
        def matcher(request: AbstractRequest) -> bool:
            assert isinstance(request, AddPartitionsToTxnRequest)
            assert request.data().v3_and_below_producer_id == producer_id
            assert request.data().v3_and_below_producer_epoch == epoch
            assert self.get_partitions_from_v3_request(request) == [topic_partition]
            assert request.data().v3_and_below_transactional_id == TRANSACTIONAL_ID
            return True

        return matcher

    @staticmethod
    def get_partitions_from_v3_request(request: AddPartitionsToTxnRequest) -> list[TopicPartition]:
        return AddPartitionsToTxnRequest.get_partitions(request.data().v3_and_below_topics)

    def prepare_end_txn_response(self, error: Errors, result: TransactionResult, producer_id: int, epoch: int,
                                 should_disconnect: bool = False) -> None:
        self.prepare(self.end_txn_matcher(result, producer_id, epoch),
                     EndTxnResponse(EndTxnResponseData(error_code=error.code, throttle_time_ms=0)),
                     should_disconnect)

    def send_end_txn_response(self, error: Errors, result: TransactionResult, producer_id: int,
                              epoch: int) -> None:
        self.respond(self.end_txn_matcher(result, producer_id, epoch),
                     EndTxnResponse(EndTxnResponseData(error_code=error.code, throttle_time_ms=0)))

    def end_txn_matcher(self, result: TransactionResult, producer_id: int, epoch: int) -> Matcher:
        def matcher(request: AbstractRequest) -> bool:
            assert isinstance(request, EndTxnRequest)
            assert request.data().transactional_id == TRANSACTIONAL_ID
            assert request.data().producer_id == producer_id
            assert request.data().producer_epoch == epoch
            assert request.result() is result
            return True

        return matcher

    def prepare_add_offsets_to_txn_response(self, error: Errors, consumer_group_id: str, producer_id: int,
                                            producer_epoch: int) -> None:
        def matcher(request: AbstractRequest) -> bool:
            assert isinstance(request, AddOffsetsToTxnRequest)
            assert request.data().group_id == consumer_group_id
            assert request.data().transactional_id == TRANSACTIONAL_ID
            assert request.data().producer_id == producer_id
            assert request.data().producer_epoch == producer_epoch
            return True

        self.prepare(matcher, AddOffsetsToTxnResponse(AddOffsetsToTxnResponseData(error_code=error.code)))

    def prepare_txn_offset_commit_response(self, consumer_group_id: str, producer_id: int,
                                           producer_epoch: int,
                                           errors: Mapping[TopicPartition, Errors]) -> None:
        def matcher(request: AbstractRequest) -> bool:
            assert isinstance(request, TxnOffsetCommitRequest)
            assert request.data().group_id == consumer_group_id
            assert request.data().producer_id == producer_id
            assert request.data().producer_epoch == producer_epoch
            return True

        self.prepare(matcher, TxnOffsetCommitResponse.of(0, errors))

    def prepare_txn_offset_commit_response_member(
            self, consumer_group_id: str, producer_id: int, producer_epoch: int, group_instance_id: str,
            member_id: str, generation_id: int, errors: Mapping[TopicPartition, Errors]) -> None:
        def matcher(request: AbstractRequest) -> bool:
            assert isinstance(request, TxnOffsetCommitRequest)
            assert request.data().group_id == consumer_group_id
            assert request.data().producer_id == producer_id
            assert request.data().producer_epoch == producer_epoch
            assert request.data().group_instance_id == group_instance_id
            assert request.data().member_id == member_id
            assert request.data().generation_id == generation_id
            return True

        self.prepare(matcher, TxnOffsetCommitResponse.of(0, errors))

    @staticmethod
    def produce_response(tp: TopicPartition, offset: int, error: Errors, throttle_time_ms: int,
                         log_start_offset: int = 10) -> ProduceResponse:
        resp = PartitionResponse(error, offset, RecordBatch.NO_TIMESTAMP, log_start_offset)
        return ProduceResponse.of({tp: resp}, throttle_time_ms)

    def initialize_idempotent_producer_id(self, producer_id: int, epoch: int) -> None:
        def matcher(request: AbstractRequest) -> bool:
            assert isinstance(request, InitProducerIdRequest)
            assert request.data().transactional_id is None
            return True

        self.prepare(matcher, InitProducerIdResponse(InitProducerIdResponseData(
            error_code=Errors.NONE.code, producer_epoch=epoch, producer_id=producer_id, throttle_time_ms=0)))
        self.run_until(self.manager.has_producer_id)

    def do_init_transactions(self, producer_id: int = PRODUCER_ID, epoch: int = EPOCH) -> None:
        result = self.manager.initialize_transactions()
        self.find_transaction_coordinator()

        self.prepare_init_pid_response(Errors.NONE, False, producer_id, epoch)
        self.run_until(self.manager.has_producer_id)

        result.await_()
        assert result.is_successful()
        assert result.is_acked()

    def find_transaction_coordinator(self) -> None:
        self.prepare_find_coordinator_response(
            Errors.NONE, False, CoordinatorType.TRANSACTION, TRANSACTIONAL_ID)
        self.run_until(lambda: self.manager.coordinator(CoordinatorType.TRANSACTION) is not None)
        assert self.manager.coordinator(CoordinatorType.TRANSACTION) == self.broker_node

    def disconnect_broker(self, backoff: bool = True) -> None:
        """Let all time-outs pass, and the connection go."""
        self.time.sleep(10000)
        [node, *_] = self.metadata.fetch().nodes()
        self.client.disconnect(node.id_string())
        if backoff:
            self.client.backoff(node, 100)

    def assert_abortable_error(self, cause: type[Exception]) -> None:
        with pytest.raises(KafkaException) as raised:
            self.manager.begin_commit()
        assert isinstance(raised.value.__cause__, cause)
        assert self.manager.has_error()
        self.manager.begin_abort()
        assert not self.manager.has_error()

    def assert_fatal_error(self, cause: type[Exception]) -> None:
        assert self.manager.has_error()
        # Aborting does not mend it.
        for _ in range(2):
            with pytest.raises(KafkaException) as raised:
                self.manager.begin_abort()
            assert isinstance(raised.value.__cause__, cause)
            assert self.manager.has_error()

    def run_until(self, condition: Callable[[], bool]) -> None:
        run_until(self.sender, condition)


def add_partitions_to_txn_response(errors: Mapping[TopicPartition, Errors]) -> AddPartitionsToTxnResponse:
    result = AddPartitionsToTxnResponse.result_for_transaction(V3_AND_BELOW_TXN_ID, errors)
    return AddPartitionsToTxnResponse(AddPartitionsToTxnResponseData(
        throttle_time_ms=0, results_by_topic_v3_and_below=result.topic_results))


def assert_future_throws(future: FutureRecordMetadata, exception: type[Exception]) -> None:
    with pytest.raises(exception):
        future.get()


def metadata_snapshot(leaders: Mapping[TopicPartition, Node]) -> MetadataSnapshot:
    """Return metadata of a cluster whose partitions have these leaders."""
    return MetadataSnapshot(
        None, {node.id(): node for node in leaders.values()},
        [PartitionMetadata(Errors.NONE, tp, node.id(), None, [], [], [])
         for tp, node in leaders.items()],
        set(), set(), set(), None, {})


@pytest.fixture
def rig() -> Rig:
    return Rig()


def test_sender_shutdown_with_pending_transactions(rig):
    rig.do_init_transactions()
    rig.manager.begin_transaction()

    rig.manager.maybe_add_partition(TP0)
    send_future = rig.append_to_accumulator(TP0)

    rig.prepare_add_partitions_to_txn({TP0: Errors.NONE})
    rig.prepare_produce_response(Errors.NONE, PRODUCER_ID, EPOCH)
    rig.run_until(lambda: not rig.client.has_pending_responses())

    rig.sender.initiate_close()
    rig.sender.run_once()

    result = rig.manager.begin_commit()
    rig.prepare_end_txn_response(Errors.NONE, TransactionResult.COMMIT, PRODUCER_ID, EPOCH)
    rig.run_until(result.is_completed)
    rig.run_until(send_future.is_done)


def test_end_txn_not_sent_if_incomplete_batches(rig):
    rig.do_init_transactions()
    rig.manager.begin_transaction()

    rig.manager.maybe_add_partition(TP0)
    rig.prepare_add_partitions_to_txn({TP0: Errors.NONE})
    rig.run_until(lambda: rig.manager.is_partition_added(TP0))

    rig.manager.begin_commit()
    assert rig.manager.next_request(True) is None
    assert rig.manager.next_request(False).is_end_txn()


def test_fail_if_not_ready_for_send_no_producer_id(rig):
    with pytest.raises(IllegalStateException):
        rig.manager.maybe_add_partition(TP0)


def test_fail_if_not_ready_for_send_idempotent_producer(rig):
    rig.initialize_transaction_manager(None)
    rig.manager.maybe_add_partition(TP0)


def test_fail_if_not_ready_for_send_idempotent_producer_fatal_error(rig):
    rig.initialize_transaction_manager(None)
    rig.manager.transition_to_fatal_error(KafkaException())
    with pytest.raises(KafkaException):
        rig.manager.maybe_add_partition(TP0)


def test_fail_if_not_ready_for_send_no_ongoing_transaction(rig):
    rig.do_init_transactions()
    with pytest.raises(IllegalStateException):
        rig.manager.maybe_add_partition(TP0)


def test_fail_if_not_ready_for_send_after_abortable_error(rig):
    rig.do_init_transactions()
    rig.manager.begin_transaction()
    rig.manager.transition_to_abortable_error(KafkaException())
    with pytest.raises(KafkaException):
        rig.manager.maybe_add_partition(TP0)


def test_fail_if_not_ready_for_send_after_fatal_error(rig):
    rig.do_init_transactions()
    rig.manager.transition_to_fatal_error(KafkaException())
    with pytest.raises(KafkaException):
        rig.manager.maybe_add_partition(TP0)


def test_has_ongoing_transaction_successful_abort(rig):
    partition = TopicPartition("foo", 0)

    assert not rig.manager.has_ongoing_transaction()
    rig.do_init_transactions()
    assert not rig.manager.has_ongoing_transaction()

    rig.manager.begin_transaction()
    assert rig.manager.has_ongoing_transaction()

    rig.manager.maybe_add_partition(partition)
    rig.run_until(rig.manager.has_ongoing_transaction)

    rig.prepare_add_partitions_to_txn({partition: Errors.NONE})
    rig.run_until(lambda: rig.manager.is_partition_added(partition))

    rig.manager.begin_abort()
    assert rig.manager.has_ongoing_transaction()

    rig.prepare_end_txn_response(Errors.NONE, TransactionResult.ABORT, PRODUCER_ID, EPOCH)
    rig.run_until(lambda: not rig.manager.has_ongoing_transaction())


def test_has_ongoing_transaction_successful_commit(rig):
    partition = TopicPartition("foo", 0)

    assert not rig.manager.has_ongoing_transaction()
    rig.do_init_transactions()
    assert not rig.manager.has_ongoing_transaction()

    rig.manager.begin_transaction()
    assert rig.manager.has_ongoing_transaction()

    rig.manager.maybe_add_partition(partition)
    assert rig.manager.has_ongoing_transaction()

    rig.prepare_add_partitions_to_txn({partition: Errors.NONE})
    rig.run_until(lambda: rig.manager.is_partition_added(partition))

    rig.manager.begin_commit()
    assert rig.manager.has_ongoing_transaction()

    rig.prepare_end_txn_response(Errors.NONE, TransactionResult.COMMIT, PRODUCER_ID, EPOCH)
    rig.run_until(lambda: not rig.manager.has_ongoing_transaction())


def test_has_ongoing_transaction_abortable_error(rig):
    partition = TopicPartition("foo", 0)

    assert not rig.manager.has_ongoing_transaction()
    rig.do_init_transactions()
    assert not rig.manager.has_ongoing_transaction()

    rig.manager.begin_transaction()
    assert rig.manager.has_ongoing_transaction()

    rig.manager.maybe_add_partition(partition)
    assert rig.manager.has_ongoing_transaction()

    rig.prepare_add_partitions_to_txn({partition: Errors.NONE})
    rig.run_until(lambda: rig.manager.is_partition_added(partition))

    rig.manager.transition_to_abortable_error(KafkaException())
    assert rig.manager.has_ongoing_transaction()

    rig.manager.begin_abort()
    assert rig.manager.has_ongoing_transaction()

    rig.prepare_end_txn_response(Errors.NONE, TransactionResult.ABORT, PRODUCER_ID, EPOCH)
    rig.run_until(lambda: not rig.manager.has_ongoing_transaction())


def test_has_ongoing_transaction_fatal_error(rig):
    partition = TopicPartition("foo", 0)

    assert not rig.manager.has_ongoing_transaction()
    rig.do_init_transactions()
    assert not rig.manager.has_ongoing_transaction()

    rig.manager.begin_transaction()
    assert rig.manager.has_ongoing_transaction()

    rig.manager.maybe_add_partition(partition)
    assert rig.manager.has_ongoing_transaction()

    rig.prepare_add_partitions_to_txn({partition: Errors.NONE})
    rig.run_until(lambda: rig.manager.is_partition_added(partition))

    rig.manager.transition_to_fatal_error(KafkaException())
    assert not rig.manager.has_ongoing_transaction()


def test_maybe_add_partition_to_transaction(rig):
    partition = TopicPartition("foo", 0)
    rig.do_init_transactions()
    rig.manager.begin_transaction()

    rig.manager.maybe_add_partition(partition)
    assert rig.manager.has_partitions_to_add()
    assert not rig.manager.is_partition_added(partition)
    assert rig.manager.is_partition_pending_add(partition)

    rig.prepare_add_partitions_to_txn({partition: Errors.NONE})
    assert rig.manager.has_partitions_to_add()

    rig.run_until(lambda: rig.manager.is_partition_added(partition))
    assert not rig.manager.has_partitions_to_add()
    assert not rig.manager.is_partition_pending_add(partition)

    rig.manager.maybe_add_partition(partition)
    assert not rig.manager.has_partitions_to_add()
    assert rig.manager.is_partition_added(partition)
    assert not rig.manager.is_partition_pending_add(partition)


def test_add_partition_to_transaction_overrides_retry_backoff_for_concurrent_transactions(rig):
    partition = TopicPartition("foo", 0)
    rig.do_init_transactions()
    rig.manager.begin_transaction()

    rig.manager.maybe_add_partition(partition)
    assert rig.manager.has_partitions_to_add()
    assert not rig.manager.is_partition_added(partition)
    assert rig.manager.is_partition_pending_add(partition)

    rig.prepare_add_partitions_to_txn({partition: Errors.CONCURRENT_TRANSACTIONS})
    rig.run_until(lambda: not rig.client.has_pending_responses())

    handler = rig.manager.next_request(False)
    assert handler is not None
    assert handler.retry_backoff_ms() == 20


def test_add_partition_to_transaction_retains_retry_backoff_for_regular_retriable_error(rig):
    partition = TopicPartition("foo", 0)
    rig.do_init_transactions()
    rig.manager.begin_transaction()

    rig.manager.maybe_add_partition(partition)
    assert rig.manager.has_partitions_to_add()
    assert not rig.manager.is_partition_added(partition)
    assert rig.manager.is_partition_pending_add(partition)

    rig.prepare_add_partitions_to_txn({partition: Errors.COORDINATOR_NOT_AVAILABLE})
    rig.run_until(lambda: not rig.client.has_pending_responses())

    handler = rig.manager.next_request(False)
    assert handler is not None
    assert handler.retry_backoff_ms() == DEFAULT_RETRY_BACKOFF_MS


def test_add_partition_to_transaction_retains_retry_backoff_when_partitions_already_added(rig):
    partition = TopicPartition("foo", 0)
    rig.do_init_transactions()
    rig.manager.begin_transaction()

    rig.manager.maybe_add_partition(partition)
    assert rig.manager.has_partitions_to_add()
    assert not rig.manager.is_partition_added(partition)
    assert rig.manager.is_partition_pending_add(partition)

    rig.prepare_add_partitions_to_txn({partition: Errors.NONE})
    rig.run_until(lambda: rig.manager.is_partition_added(partition))

    other_partition = TopicPartition("foo", 1)
    rig.manager.maybe_add_partition(other_partition)

    rig.prepare_add_partitions_to_txn({other_partition: Errors.CONCURRENT_TRANSACTIONS})
    handler = rig.manager.next_request(False)
    assert handler is not None
    assert handler.retry_backoff_ms() == DEFAULT_RETRY_BACKOFF_MS


def test_not_ready_for_send_before_init_transactions(rig):
    with pytest.raises(IllegalStateException):
        rig.manager.maybe_add_partition(TP0)


def test_not_ready_for_send_before_begin_transaction(rig):
    rig.do_init_transactions()
    with pytest.raises(IllegalStateException):
        rig.manager.maybe_add_partition(TP0)


def test_not_ready_for_send_after_abortable_error(rig):
    rig.do_init_transactions()
    rig.manager.begin_transaction()
    rig.manager.transition_to_abortable_error(KafkaException())
    with pytest.raises(KafkaException):
        rig.manager.maybe_add_partition(TP0)


def test_not_ready_for_send_after_fatal_error(rig):
    rig.do_init_transactions()
    rig.manager.transition_to_fatal_error(KafkaException())
    with pytest.raises(KafkaException):
        rig.manager.maybe_add_partition(TP0)


def test_is_send_to_partition_allowed_with_pending_partition_after_abortable_error(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)
    rig.manager.transition_to_abortable_error(KafkaException())

    assert not rig.manager.is_send_to_partition_allowed(TP0)
    assert rig.manager.has_abortable_error()


def test_is_send_to_partition_allowed_with_in_flight_partition_add_after_abortable_error(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    rig.run_until(rig.manager.has_in_flight_request)
    rig.manager.transition_to_abortable_error(KafkaException())

    assert not rig.manager.is_send_to_partition_allowed(TP0)
    assert rig.manager.has_abortable_error()


def test_is_send_to_partition_allowed_with_pending_partition_after_fatal_error(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)
    rig.manager.transition_to_fatal_error(KafkaException())

    assert not rig.manager.is_send_to_partition_allowed(TP0)
    assert rig.manager.has_fatal_error()


def test_is_send_to_partition_allowed_with_in_flight_partition_add_after_fatal_error(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    rig.run_until(rig.manager.has_in_flight_request)
    rig.manager.transition_to_fatal_error(KafkaException())

    assert not rig.manager.is_send_to_partition_allowed(TP0)
    assert rig.manager.has_fatal_error()


def test_is_send_to_partition_allowed_with_added_partition_after_abortable_error(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()

    rig.manager.maybe_add_partition(TP0)
    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, EPOCH, PRODUCER_ID)

    rig.run_until(lambda: not rig.manager.has_partitions_to_add())
    rig.manager.transition_to_abortable_error(KafkaException())

    assert rig.manager.is_send_to_partition_allowed(TP0)
    assert rig.manager.has_abortable_error()


def test_is_send_to_partition_allowed_with_added_partition_after_fatal_error(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)
    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, EPOCH, PRODUCER_ID)

    rig.run_until(lambda: not rig.manager.has_partitions_to_add())
    rig.manager.transition_to_fatal_error(KafkaException())

    assert not rig.manager.is_send_to_partition_allowed(TP0)
    assert rig.manager.has_fatal_error()


def test_is_send_to_partition_allowed_with_partition_not_added(rig):
    rig.do_init_transactions()
    rig.manager.begin_transaction()
    assert not rig.manager.is_send_to_partition_allowed(TP0)


def test_default_sequence_number(rig):
    rig.initialize_transaction_manager(None)
    assert rig.manager.sequence_number(TP0) == 0
    rig.manager.increment_sequence_number(TP0, 3)
    assert rig.manager.sequence_number(TP0) == 3


def test_bump_epoch_and_reset_sequence_numbers_after_unknown_producer_id(rig):
    rig.initialize_transaction_manager(None)
    rig.initialize_idempotent_producer_id(PRODUCER_ID, EPOCH)

    b1 = rig.write_idempotent_batch_with_value(TP0, "1")
    b2 = rig.write_idempotent_batch_with_value(TP0, "2")
    b3 = rig.write_idempotent_batch_with_value(TP0, "3")
    b4 = rig.write_idempotent_batch_with_value(TP0, "4")
    b5 = rig.write_idempotent_batch_with_value(TP0, "5")
    assert rig.manager.sequence_number(TP0) == 5

    b1_append_time = rig.time.milliseconds()
    b1_response = PartitionResponse(Errors.NONE, 500, b1_append_time, 0)
    b1.complete(500, b1_append_time)
    rig.manager.handle_completed_batch(b1, b1_response)

    b2_response = PartitionResponse(Errors.UNKNOWN_PRODUCER_ID, -1, -1, 500)
    assert rig.manager.can_retry(b2_response, b2)

    rig.run_until(lambda: rig.manager.producer_id_and_epoch().epoch == 2)
    assert b2.producer_epoch() == 2
    assert b2.base_sequence() == 0
    assert b3.base_sequence() == 1
    assert b4.base_sequence() == 2
    assert b5.base_sequence() == 3


def test_batch_failure_after_producer_reset(rig):
    epoch = SHORT_MAX_VALUE

    rig.initialize_transaction_manager(None)
    rig.initialize_idempotent_producer_id(PRODUCER_ID, epoch)

    tp0b1 = rig.write_idempotent_batch_with_value(TP0, "1")
    tp1b1 = rig.write_idempotent_batch_with_value(TP1, "1")

    tp0b1_response = PartitionResponse(Errors.NONE, -1, -1, 400)
    rig.manager.handle_completed_batch(tp0b1, tp0b1_response)

    tp1b1_response = PartitionResponse(Errors.NONE, -1, -1, 400)
    rig.manager.handle_completed_batch(tp1b1, tp1b1_response)

    tp0b2 = rig.write_idempotent_batch_with_value(TP0, "2")
    tp1b2 = rig.write_idempotent_batch_with_value(TP1, "2")
    assert rig.manager.sequence_number(TP0) == 2
    assert rig.manager.sequence_number(TP1) == 2

    b1_response = PartitionResponse(Errors.UNKNOWN_PRODUCER_ID, -1, -1, 400)
    assert rig.manager.can_retry(b1_response, tp0b1)

    b2_response = PartitionResponse(Errors.NONE, -1, -1, 400)
    rig.manager.handle_completed_batch(tp1b1, b2_response)

    rig.manager.bump_idempotent_epoch_and_reset_id_if_needed()

    assert rig.manager.sequence_number(TP0) == 1
    assert rig.manager.next_batch_by_sequence(TP0) is tp0b2
    assert rig.manager.sequence_number(TP1) == 2
    assert rig.manager.next_batch_by_sequence(TP1) is tp1b2


def test_batch_completed_after_producer_reset(rig):
    epoch = SHORT_MAX_VALUE

    rig.initialize_transaction_manager(None)
    rig.initialize_idempotent_producer_id(PRODUCER_ID, epoch)

    b1 = rig.write_idempotent_batch_with_value(TP0, "1")
    rig.write_idempotent_batch_with_value(TP1, "1")

    b2 = rig.write_idempotent_batch_with_value(TP0, "2")
    assert rig.manager.sequence_number(TP0) == 2

    rig.manager.request_epoch_bump_for_partition(TP1)
    rig.manager.bump_idempotent_epoch_and_reset_id_if_needed()
    rig.initialize_idempotent_producer_id(PRODUCER_ID + 1, 0)

    b1_response = PartitionResponse(Errors.NONE, 500, rig.time.milliseconds(), 0)
    rig.manager.handle_completed_batch(b1, b1_response)

    assert rig.manager.sequence_number(TP0) == 2
    assert rig.manager.last_acked_sequence(TP0) == 0
    assert rig.manager.next_batch_by_sequence(TP0) is b2
    assert rig.manager.next_batch_by_sequence(TP0).producer_epoch() == epoch

    b2_response = PartitionResponse(Errors.NONE, 500, rig.time.milliseconds(), 0)
    rig.manager.handle_completed_batch(b2, b2_response)

    rig.manager.maybe_update_producer_id_and_epoch(TP0)
    assert rig.manager.sequence_number(TP0) == 0
    assert rig.manager.last_acked_sequence(TP0) is None
    assert rig.manager.next_batch_by_sequence(TP0) is None


def test_duplicate_sequence_after_producer_reset(rig):
    rig.initialize_transaction_manager(None)
    rig.initialize_idempotent_producer_id(PRODUCER_ID, EPOCH)

    metrics = Metrics(time=rig.time)
    request_timeout = 10000
    delivery_timeout = 15000

    accumulator = rig.new_accumulator(metrics, delivery_timeout)
    sender = rig.new_sender(metrics, accumulator, False, request_timeout, 0)

    assert rig.manager.sequence_number(TP0) == 0

    response_future1 = rig.append_to(accumulator, TP0, b"1", b"1")
    sender.run_once()
    assert rig.manager.sequence_number(TP0) == 1

    rig.time.sleep(request_timeout)
    sender.run_once()
    assert rig.client.in_flight_request_count() == 0
    assert rig.manager.has_inflight_batches(TP0)
    assert rig.manager.sequence_number(TP0) == 1
    sender.run_once()
    assert rig.client.in_flight_request_count() == 1
    assert rig.manager.has_inflight_batches(TP0)
    assert rig.manager.sequence_number(TP0) == 1

    rig.time.sleep(5000)
    sender.run_once()

    assert response_future1.is_done()
    assert_future_throws(response_future1, TimeoutException)
    assert not rig.manager.has_in_flight_request()
    assert rig.client.in_flight_request_count() == 1

    sender.run_once()
    assert rig.manager.producer_id_and_epoch().epoch == EPOCH + 1
    assert rig.manager.sequence_number(TP0) == 0

    response_future2 = rig.append_to(accumulator, TP0, b"2", b"2")
    sender.run_once()
    sender.run_once()
    assert rig.manager.first_in_flight_sequence(TP0) == 0
    assert rig.manager.sequence_number(TP0) == 1

    rig.time.sleep(5000)
    sender.run_once()
    assert rig.manager.has_inflight_batches(TP0)
    assert not response_future2.is_done()


def test_sequence_number_overflow(rig):
    rig.initialize_transaction_manager(None)
    assert rig.manager.sequence_number(TP0) == 0
    rig.manager.increment_sequence_number(TP0, INT_MAX_VALUE)
    assert rig.manager.sequence_number(TP0) == INT_MAX_VALUE
    rig.manager.increment_sequence_number(TP0, 100)
    assert rig.manager.sequence_number(TP0) == 99
    rig.manager.increment_sequence_number(TP0, INT_MAX_VALUE)
    assert rig.manager.sequence_number(TP0) == 98


def test_producer_id_reset(rig):
    rig.initialize_transaction_manager(None)
    rig.initialize_idempotent_producer_id(15, SHORT_MAX_VALUE)
    assert rig.manager.sequence_number(TP0) == 0
    assert rig.manager.sequence_number(TP1) == 0
    rig.manager.increment_sequence_number(TP0, 3)
    assert rig.manager.sequence_number(TP0) == 3
    rig.manager.increment_sequence_number(TP1, 3)
    assert rig.manager.sequence_number(TP1) == 3

    rig.manager.request_epoch_bump_for_partition(TP0)
    rig.manager.bump_idempotent_epoch_and_reset_id_if_needed()
    assert rig.manager.sequence_number(TP0) == 0
    assert rig.manager.sequence_number(TP1) == 3


def test_basic_transaction(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    response_future = rig.append_to_accumulator(TP0)

    assert not response_future.is_done()
    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, EPOCH, PRODUCER_ID)

    rig.prepare_produce_response(Errors.NONE, PRODUCER_ID, EPOCH)
    assert not rig.manager.transaction_contains_partition(TP0)
    assert not rig.manager.is_send_to_partition_allowed(TP0)
    rig.run_until(lambda: rig.manager.transaction_contains_partition(TP0))
    assert rig.manager.is_send_to_partition_allowed(TP0)
    assert not response_future.is_done()
    rig.run_until(response_future.is_done)

    offsets = {TP1: OffsetAndMetadata(1)}

    add_offsets_result = rig.manager.send_offsets_to_transaction(
        offsets, ConsumerGroupMetadata(CONSUMER_GROUP_ID))

    assert not rig.manager.has_pending_offset_commits()

    rig.prepare_add_offsets_to_txn_response(Errors.NONE, CONSUMER_GROUP_ID, PRODUCER_ID, EPOCH)

    rig.run_until(rig.manager.has_pending_offset_commits)
    assert not add_offsets_result.is_completed()

    txn_offset_commit_response = {TP1: Errors.NONE}

    rig.prepare_find_coordinator_response(Errors.NONE, False, CoordinatorType.GROUP, CONSUMER_GROUP_ID)
    rig.prepare_txn_offset_commit_response(CONSUMER_GROUP_ID, PRODUCER_ID, EPOCH, txn_offset_commit_response)

    assert rig.manager.coordinator(CoordinatorType.GROUP) is None
    rig.run_until(lambda: rig.manager.coordinator(CoordinatorType.GROUP) is not None)
    assert rig.manager.has_pending_offset_commits()

    rig.run_until(lambda: not rig.manager.has_pending_offset_commits())
    assert add_offsets_result.is_completed()

    rig.manager.begin_commit()
    rig.prepare_end_txn_response(Errors.NONE, TransactionResult.COMMIT, PRODUCER_ID, EPOCH)
    rig.run_until(lambda: not rig.manager.has_ongoing_transaction())
    assert not rig.manager.is_completing()
    assert not rig.manager.transaction_contains_partition(TP0)


def test_disconnect_and_retry(rig):
    rig.manager.initialize_transactions()
    rig.prepare_find_coordinator_response(Errors.NONE, True, CoordinatorType.TRANSACTION, TRANSACTIONAL_ID)
    rig.run_until(lambda: rig.manager.coordinator(CoordinatorType.TRANSACTION) is None)

    rig.find_transaction_coordinator()


def test_initialize_transactions_twice_raises_error(rig):
    rig.do_init_transactions(PRODUCER_ID, EPOCH)
    assert rig.manager.has_producer_id()
    with pytest.raises(IllegalStateException):
        rig.manager.initialize_transactions()


def test_unsupported_find_coordinator(rig):
    rig.manager.initialize_transactions()

    def matcher(request):
        assert CoordinatorType.for_id(request.data().key_type) == CoordinatorType.TRANSACTION
        assert request.data().key == TRANSACTIONAL_ID
        return True

    rig.client.prepare_unsupported_version_response(matcher)

    rig.run_until(rig.manager.has_fatal_error)
    assert rig.manager.has_fatal_error()
    assert isinstance(rig.manager.last_error(), UnsupportedVersionException)


def test_unsupported_init_transactions(rig):
    rig.manager.initialize_transactions()
    rig.find_transaction_coordinator()
    assert not rig.manager.has_error()

    def matcher(request):
        assert request.data().transactional_id == TRANSACTIONAL_ID
        assert request.data().transaction_timeout_ms == TRANSACTION_TIMEOUT_MS
        return True

    rig.client.prepare_unsupported_version_response(matcher)

    rig.run_until(rig.manager.has_fatal_error)
    assert rig.manager.has_fatal_error()
    assert isinstance(rig.manager.last_error(), UnsupportedVersionException)


def test_unsupported_for_message_format_in_txn_offset_commit(rig):
    tp = TopicPartition("foo", 0)

    rig.do_init_transactions()

    rig.manager.begin_transaction()
    send_offsets_result = rig.manager.send_offsets_to_transaction(
        {tp: OffsetAndMetadata(39)}, ConsumerGroupMetadata(CONSUMER_GROUP_ID))

    rig.prepare_add_offsets_to_txn_response(Errors.NONE, CONSUMER_GROUP_ID, PRODUCER_ID, EPOCH)
    rig.prepare_find_coordinator_response(Errors.NONE, False, CoordinatorType.GROUP, CONSUMER_GROUP_ID)
    rig.prepare_txn_offset_commit_response(CONSUMER_GROUP_ID, PRODUCER_ID, EPOCH,
                                           {tp: Errors.UNSUPPORTED_FOR_MESSAGE_FORMAT})
    rig.run_until(rig.manager.has_error)

    assert isinstance(rig.manager.last_error(), UnsupportedForMessageFormatException)
    assert send_offsets_result.is_completed()
    assert not send_offsets_result.is_successful()
    assert isinstance(send_offsets_result.error(), UnsupportedForMessageFormatException)
    rig.assert_fatal_error(UnsupportedForMessageFormatException)


def test_fenced_instance_id_in_txn_offset_commit_by_group_metadata(rig):
    tp = TopicPartition("foo", 0)
    fenced_member_id = "fenced_member"

    rig.do_init_transactions()

    rig.manager.begin_transaction()

    send_offsets_result = rig.manager.send_offsets_to_transaction(
        {tp: OffsetAndMetadata(39)}, ConsumerGroupMetadata(CONSUMER_GROUP_ID, 5, fenced_member_id,
                                                           GROUP_INSTANCE_ID))

    rig.prepare_add_offsets_to_txn_response(Errors.NONE, CONSUMER_GROUP_ID, PRODUCER_ID, EPOCH)
    rig.prepare_find_coordinator_response(Errors.NONE, False, CoordinatorType.GROUP, CONSUMER_GROUP_ID)
    rig.run_until(lambda: rig.manager.coordinator(CoordinatorType.GROUP) is not None)

    def matcher(request):
        assert request.data().group_id == CONSUMER_GROUP_ID
        assert request.data().producer_id == PRODUCER_ID
        assert request.data().producer_epoch == EPOCH
        return request.data().group_instance_id == GROUP_INSTANCE_ID and request.data().member_id != MEMBER_ID

    rig.prepare(matcher, TxnOffsetCommitResponse.of(0, {tp: Errors.FENCED_INSTANCE_ID}))

    rig.run_until(rig.manager.has_error)
    assert isinstance(rig.manager.last_error(), FencedInstanceIdException)
    assert send_offsets_result.is_completed()
    assert not send_offsets_result.is_successful()
    assert isinstance(send_offsets_result.error(), FencedInstanceIdException)
    rig.assert_abortable_error(FencedInstanceIdException)


def test_unknown_member_id_in_txn_offset_commit_by_group_metadata(rig):
    tp = TopicPartition("foo", 0)
    unknown_member_id = "unknownMember"

    rig.do_init_transactions()

    rig.manager.begin_transaction()

    send_offsets_result = rig.manager.send_offsets_to_transaction(
        {tp: OffsetAndMetadata(39)}, ConsumerGroupMetadata(CONSUMER_GROUP_ID, 5, unknown_member_id, None))

    rig.prepare_add_offsets_to_txn_response(Errors.NONE, CONSUMER_GROUP_ID, PRODUCER_ID, EPOCH)
    rig.prepare_find_coordinator_response(Errors.NONE, False, CoordinatorType.GROUP, CONSUMER_GROUP_ID)
    rig.run_until(lambda: rig.manager.coordinator(CoordinatorType.GROUP) is not None)

    def matcher(request):
        assert request.data().group_id == CONSUMER_GROUP_ID
        assert request.data().producer_id == PRODUCER_ID
        assert request.data().producer_epoch == EPOCH
        return request.data().member_id != MEMBER_ID

    rig.prepare(matcher, TxnOffsetCommitResponse.of(0, {tp: Errors.UNKNOWN_MEMBER_ID}))

    rig.run_until(rig.manager.has_error)
    assert isinstance(rig.manager.last_error(), CommitFailedException)
    assert send_offsets_result.is_completed()
    assert not send_offsets_result.is_successful()
    assert isinstance(send_offsets_result.error(), CommitFailedException)
    rig.assert_abortable_error(CommitFailedException)


def test_illegal_generation_in_txn_offset_commit_by_group_metadata(rig):
    tp = TopicPartition("foo", 0)
    illegal_generation_id = 1

    rig.do_init_transactions()

    rig.manager.begin_transaction()

    send_offsets_result = rig.manager.send_offsets_to_transaction(
        {tp: OffsetAndMetadata(39)}, ConsumerGroupMetadata(CONSUMER_GROUP_ID, illegal_generation_id,
                                                           JoinGroupRequest.UNKNOWN_MEMBER_ID, None))

    rig.prepare_add_offsets_to_txn_response(Errors.NONE, CONSUMER_GROUP_ID, PRODUCER_ID, EPOCH)
    rig.prepare_find_coordinator_response(Errors.NONE, False, CoordinatorType.GROUP, CONSUMER_GROUP_ID)
    rig.run_until(lambda: rig.manager.coordinator(CoordinatorType.GROUP) is not None)

    rig.prepare_txn_offset_commit_response(CONSUMER_GROUP_ID, PRODUCER_ID, EPOCH,
                                           {tp: Errors.ILLEGAL_GENERATION})

    def matcher(request):
        assert request.data().group_id == CONSUMER_GROUP_ID
        assert request.data().producer_id == PRODUCER_ID
        assert request.data().producer_epoch == EPOCH
        return request.data().generation_id != GENERATION_ID

    rig.prepare(matcher, TxnOffsetCommitResponse.of(0, {tp: Errors.ILLEGAL_GENERATION}))

    rig.run_until(rig.manager.has_error)
    assert isinstance(rig.manager.last_error(), CommitFailedException)
    assert send_offsets_result.is_completed()
    assert not send_offsets_result.is_successful()
    assert isinstance(send_offsets_result.error(), CommitFailedException)
    rig.assert_abortable_error(CommitFailedException)


def test_lookup_coordinator_on_disconnect_after_send(rig):
    init_pid_result = rig.manager.initialize_transactions()
    rig.find_transaction_coordinator()

    rig.prepare_init_pid_response(Errors.NONE, True, PRODUCER_ID, EPOCH)

    rig.run_until(lambda: rig.manager.coordinator(CoordinatorType.TRANSACTION) is None)

    assert rig.manager.coordinator(CoordinatorType.TRANSACTION) is None
    assert not init_pid_result.is_completed()
    assert not rig.manager.has_producer_id()

    rig.find_transaction_coordinator()
    assert not init_pid_result.is_completed()
    rig.prepare_init_pid_response(Errors.NONE, False, PRODUCER_ID, EPOCH)
    rig.run_until(init_pid_result.is_completed)

    assert init_pid_result.is_completed()
    assert rig.manager.has_producer_id()
    assert rig.manager.producer_id_and_epoch().producer_id == PRODUCER_ID
    assert rig.manager.producer_id_and_epoch().epoch == EPOCH


def test_lookup_coordinator_on_disconnect_before_send(rig):
    init_pid_result = rig.manager.initialize_transactions()
    rig.find_transaction_coordinator()

    rig.client.disconnect(rig.broker_node.id_string())
    rig.client.backoff(rig.broker_node, 100)

    rig.run_until(lambda: rig.manager.coordinator(CoordinatorType.TRANSACTION) is None)
    rig.time.sleep(110)

    assert not init_pid_result.is_completed()
    assert not rig.manager.has_producer_id()

    rig.find_transaction_coordinator()
    assert not init_pid_result.is_completed()
    rig.prepare_init_pid_response(Errors.NONE, False, PRODUCER_ID, EPOCH)

    rig.run_until(init_pid_result.is_completed)
    assert rig.manager.has_producer_id()
    assert rig.manager.producer_id_and_epoch().producer_id == PRODUCER_ID
    assert rig.manager.producer_id_and_epoch().epoch == EPOCH


def test_lookup_coordinator_on_not_coordinator_error(rig):
    init_pid_result = rig.manager.initialize_transactions()
    rig.find_transaction_coordinator()

    rig.prepare_init_pid_response(Errors.NOT_COORDINATOR, False, PRODUCER_ID, EPOCH)
    rig.run_until(lambda: rig.manager.coordinator(CoordinatorType.TRANSACTION) is None)

    assert not init_pid_result.is_completed()
    assert not rig.manager.has_producer_id()

    rig.find_transaction_coordinator()
    assert not init_pid_result.is_completed()
    rig.prepare_init_pid_response(Errors.NONE, False, PRODUCER_ID, EPOCH)

    rig.run_until(init_pid_result.is_completed)
    assert rig.manager.has_producer_id()
    assert rig.manager.producer_id_and_epoch().producer_id == PRODUCER_ID
    assert rig.manager.producer_id_and_epoch().epoch == EPOCH


def test_transactional_id_authorization_failure_in_find_coordinator(rig):
    init_pid_result = rig.manager.initialize_transactions()
    rig.prepare_find_coordinator_response(Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, False,
                                          CoordinatorType.TRANSACTION, TRANSACTIONAL_ID)

    rig.run_until(rig.manager.has_error)

    assert rig.manager.has_fatal_error()
    assert isinstance(rig.manager.last_error(), TransactionalIdAuthorizationException)
    assert not init_pid_result.is_successful()
    with pytest.raises(TransactionalIdAuthorizationException):
        init_pid_result.await_()
    rig.assert_fatal_error(TransactionalIdAuthorizationException)


def test_transactional_id_authorization_failure_in_init_producer_id(rig):
    init_pid_result = rig.manager.initialize_transactions()
    rig.find_transaction_coordinator()

    rig.prepare_init_pid_response(Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, False, PRODUCER_ID,
                                  RecordBatch.NO_PRODUCER_EPOCH)
    rig.run_until(rig.manager.has_error)
    assert init_pid_result.is_completed()
    assert not init_pid_result.is_successful()
    with pytest.raises(TransactionalIdAuthorizationException):
        init_pid_result.await_()
    rig.assert_abortable_error(TransactionalIdAuthorizationException)


def test_group_authorization_failure_in_find_coordinator(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    send_offsets_result = rig.manager.send_offsets_to_transaction(
        {TP_FOO: OffsetAndMetadata(39)}, ConsumerGroupMetadata(CONSUMER_GROUP_ID))

    rig.prepare_add_offsets_to_txn_response(Errors.NONE, CONSUMER_GROUP_ID, PRODUCER_ID, EPOCH)
    rig.run_until(lambda: not rig.manager.has_partitions_to_add())

    rig.prepare_find_coordinator_response(Errors.GROUP_AUTHORIZATION_FAILED, False, CoordinatorType.GROUP,
                                          CONSUMER_GROUP_ID)
    rig.run_until(rig.manager.has_error)
    assert isinstance(rig.manager.last_error(), GroupAuthorizationException)

    rig.run_until(send_offsets_result.is_completed)
    assert not send_offsets_result.is_successful()
    assert isinstance(send_offsets_result.error(), GroupAuthorizationException)

    assert send_offsets_result.error().group_id() == CONSUMER_GROUP_ID

    rig.assert_abortable_error(GroupAuthorizationException)


def test_group_authorization_failure_in_txn_offset_commit(rig):
    tp1 = TopicPartition("foo", 0)

    rig.do_init_transactions()

    rig.manager.begin_transaction()
    send_offsets_result = rig.manager.send_offsets_to_transaction(
        {tp1: OffsetAndMetadata(39)}, ConsumerGroupMetadata(CONSUMER_GROUP_ID))

    rig.prepare_add_offsets_to_txn_response(Errors.NONE, CONSUMER_GROUP_ID, PRODUCER_ID, EPOCH)
    rig.run_until(lambda: not rig.manager.has_partitions_to_add())

    rig.prepare_find_coordinator_response(Errors.NONE, False, CoordinatorType.GROUP, CONSUMER_GROUP_ID)
    rig.prepare_txn_offset_commit_response(CONSUMER_GROUP_ID, PRODUCER_ID, EPOCH,
                                           {tp1: Errors.GROUP_AUTHORIZATION_FAILED})

    rig.run_until(rig.manager.has_error)
    assert isinstance(rig.manager.last_error(), GroupAuthorizationException)
    assert send_offsets_result.is_completed()
    assert not send_offsets_result.is_successful()
    assert isinstance(send_offsets_result.error(), GroupAuthorizationException)
    assert not rig.manager.has_pending_offset_commits()

    assert send_offsets_result.error().group_id() == CONSUMER_GROUP_ID

    rig.assert_abortable_error(GroupAuthorizationException)


def test_transactional_id_authorization_failure_in_add_offsets_to_txn(rig):
    tp = TopicPartition("foo", 0)

    rig.do_init_transactions()

    rig.manager.begin_transaction()
    send_offsets_result = rig.manager.send_offsets_to_transaction(
        {tp: OffsetAndMetadata(39)}, ConsumerGroupMetadata(CONSUMER_GROUP_ID))

    rig.prepare_add_offsets_to_txn_response(Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, CONSUMER_GROUP_ID,
                                            PRODUCER_ID, EPOCH)
    rig.run_until(rig.manager.has_error)
    assert isinstance(rig.manager.last_error(), TransactionalIdAuthorizationException)
    assert send_offsets_result.is_completed()
    assert not send_offsets_result.is_successful()
    assert isinstance(send_offsets_result.error(), TransactionalIdAuthorizationException)

    rig.assert_fatal_error(TransactionalIdAuthorizationException)


def test_invalid_txn_state_failure_in_add_offsets_to_txn(rig):
    tp = TopicPartition("foo", 0)

    rig.do_init_transactions()

    rig.manager.begin_transaction()
    send_offsets_result = rig.manager.send_offsets_to_transaction(
        {tp: OffsetAndMetadata(39)}, ConsumerGroupMetadata(CONSUMER_GROUP_ID))

    rig.prepare_add_offsets_to_txn_response(Errors.INVALID_TXN_STATE, CONSUMER_GROUP_ID, PRODUCER_ID, EPOCH)
    rig.run_until(rig.manager.has_error)
    assert isinstance(rig.manager.last_error(), InvalidTxnStateException)
    assert send_offsets_result.is_completed()
    assert not send_offsets_result.is_successful()
    assert isinstance(send_offsets_result.error(), InvalidTxnStateException)

    rig.assert_fatal_error(InvalidTxnStateException)


def test_transactional_id_authorization_failure_in_txn_offset_commit(rig):
    tp = TopicPartition("foo", 0)

    rig.do_init_transactions()

    rig.manager.begin_transaction()
    send_offsets_result = rig.manager.send_offsets_to_transaction(
        {tp: OffsetAndMetadata(39)}, ConsumerGroupMetadata(CONSUMER_GROUP_ID))

    rig.prepare_add_offsets_to_txn_response(Errors.NONE, CONSUMER_GROUP_ID, PRODUCER_ID, EPOCH)
    rig.run_until(lambda: not rig.manager.has_partitions_to_add())

    rig.prepare_find_coordinator_response(Errors.NONE, False, CoordinatorType.GROUP, CONSUMER_GROUP_ID)
    rig.prepare_txn_offset_commit_response(CONSUMER_GROUP_ID, PRODUCER_ID, EPOCH,
                                           {tp: Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED})
    rig.run_until(rig.manager.has_error)

    assert isinstance(rig.manager.last_error(), TransactionalIdAuthorizationException)
    assert send_offsets_result.is_completed()
    assert not send_offsets_result.is_successful()
    assert isinstance(send_offsets_result.error(), TransactionalIdAuthorizationException)

    rig.assert_fatal_error(TransactionalIdAuthorizationException)


def test_topic_authorization_failure_in_add_partitions(rig):
    tp0 = TopicPartition("foo", 0)
    tp1 = TopicPartition("bar", 0)

    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(tp0)
    rig.manager.maybe_add_partition(tp1)

    first_partition_append = rig.append_to_accumulator(tp0)
    second_partition_append = rig.append_to_accumulator(tp1)

    errors = {tp0: Errors.TOPIC_AUTHORIZATION_FAILED, tp1: Errors.OPERATION_NOT_ATTEMPTED}

    rig.prepare_add_partitions_to_txn(errors)
    rig.run_until(rig.manager.has_error)

    assert isinstance(rig.manager.last_error(), TopicAuthorizationException)
    assert not rig.manager.is_partition_pending_add(tp0)
    assert not rig.manager.is_partition_pending_add(tp1)
    assert not rig.manager.is_partition_added(tp0)
    assert not rig.manager.is_partition_added(tp1)
    assert not rig.manager.has_partitions_to_add()

    assert rig.manager.last_error().unauthorized_topics() == {tp0.topic()}
    rig.assert_abortable_error(TopicAuthorizationException)
    rig.sender.run_once()

    assert_future_throws(first_partition_append, KafkaException)
    assert_future_throws(second_partition_append, KafkaException)


def test_commit_with_topic_authorization_failure_in_add_partitions_in_flight(rig):
    tp0 = TopicPartition("foo", 0)
    tp1 = TopicPartition("bar", 0)

    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(tp0)
    rig.manager.maybe_add_partition(tp1)
    first_partition_append = rig.append_to_accumulator(tp0)
    second_partition_append = rig.append_to_accumulator(tp1)
    commit_result = rig.manager.begin_commit()

    rig.sender.run_once()
    assert not rig.manager.has_error()
    assert not commit_result.is_completed()
    assert not first_partition_append.is_done()

    errors = {tp0: Errors.TOPIC_AUTHORIZATION_FAILED, tp1: Errors.OPERATION_NOT_ATTEMPTED}

    def matcher(request):
        assert set(rig.get_partitions_from_v3_request(request)) == set(errors)
        return True

    rig.respond(matcher, add_partitions_to_txn_response(errors))

    rig.sender.run_once()
    assert rig.manager.has_error()
    assert not commit_result.is_completed()
    assert not first_partition_append.is_done()
    assert not second_partition_append.is_done()

    rig.sender.run_once()
    assert commit_result.is_completed()
    assert_future_throws(first_partition_append, KafkaException)
    assert_future_throws(second_partition_append, KafkaException)
    assert isinstance(commit_result.error(), TopicAuthorizationException)


def test_recovery_from_abortable_error_transaction_not_started(rig):
    unauthorized_partition = TopicPartition("foo", 0)

    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(unauthorized_partition)

    response_future = rig.append_to_accumulator(unauthorized_partition)

    rig.prepare_add_partitions_to_txn({unauthorized_partition: Errors.TOPIC_AUTHORIZATION_FAILED})
    rig.run_until(lambda: not rig.client.has_pending_responses())

    assert rig.manager.has_abortable_error()
    abort_result = rig.manager.begin_abort()
    rig.run_until(response_future.is_done)
    assert_produce_failed(response_future)

    rig.run_until(rig.manager.is_ready)
    assert not rig.manager.has_partitions_to_add()
    assert not rig.accumulator.has_incomplete()
    assert abort_result.is_successful()
    abort_result.await_()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    response_future = rig.append_to_accumulator(TP0)

    rig.prepare_add_partitions_to_txn({TP0: Errors.NONE})
    rig.run_until(lambda: rig.manager.is_partition_added(TP0))
    assert not rig.manager.has_partitions_to_add()

    rig.manager.begin_commit()
    rig.prepare_produce_response(Errors.NONE, PRODUCER_ID, EPOCH)
    rig.run_until(response_future.is_done)
    assert response_future.get() is not None

    rig.prepare_end_txn_response(Errors.NONE, TransactionResult.COMMIT, PRODUCER_ID, EPOCH)
    rig.run_until(rig.manager.is_ready)


def test_retry_abort_transaction_after_timeout(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    rig.prepare_add_partitions_to_txn({TP0: Errors.NONE})
    rig.append_to_accumulator(TP0)
    rig.run_until(lambda: rig.manager.is_partition_added(TP0))

    result = rig.manager.begin_abort()
    with pytest.raises(TimeoutException):
        result.await_timeout(0, TimeUnit.MILLISECONDS)

    rig.prepare_end_txn_response(Errors.NONE, TransactionResult.ABORT, PRODUCER_ID, EPOCH)
    rig.run_until(rig.manager.is_ready)
    assert result.is_successful()
    assert not result.is_acked()
    assert not rig.manager.has_ongoing_transaction()

    with pytest.raises(IllegalStateException):
        rig.manager.initialize_transactions()
    with pytest.raises(IllegalStateException):
        rig.manager.begin_transaction()
    with pytest.raises(IllegalStateException):
        rig.manager.begin_commit()
    with pytest.raises(IllegalStateException):
        rig.manager.maybe_add_partition(TP0)

    assert rig.manager.begin_abort() is result
    result.await_()

    rig.manager.begin_transaction()
    assert rig.manager.has_ongoing_transaction()


def test_retry_commit_transaction_after_timeout(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    rig.prepare_add_partitions_to_txn({TP0: Errors.NONE})
    rig.prepare_produce_response(Errors.NONE, PRODUCER_ID, EPOCH)

    rig.append_to_accumulator(TP0)
    rig.run_until(lambda: rig.manager.is_partition_added(TP0))

    result = rig.manager.begin_commit()
    with pytest.raises(TimeoutException):
        result.await_timeout(0, TimeUnit.MILLISECONDS)

    rig.prepare_end_txn_response(Errors.NONE, TransactionResult.COMMIT, PRODUCER_ID, EPOCH)
    rig.run_until(rig.manager.is_ready)
    assert result.is_successful()
    assert not result.is_acked()
    assert not rig.manager.has_ongoing_transaction()

    with pytest.raises(IllegalStateException):
        rig.manager.initialize_transactions()
    with pytest.raises(IllegalStateException):
        rig.manager.begin_transaction()
    with pytest.raises(IllegalStateException):
        rig.manager.begin_abort()
    with pytest.raises(IllegalStateException):
        rig.manager.maybe_add_partition(TP0)

    assert rig.manager.begin_commit() is result
    result.await_()

    rig.manager.begin_transaction()
    assert rig.manager.has_ongoing_transaction()


def test_retry_init_transactions_after_timeout(rig):
    result = rig.manager.initialize_transactions()
    rig.find_transaction_coordinator()

    with pytest.raises(TimeoutException):
        result.await_timeout(0, TimeUnit.MILLISECONDS)

    rig.prepare_init_pid_response(Errors.NONE, False, PRODUCER_ID, EPOCH)
    rig.run_until(rig.manager.has_producer_id)
    assert result.is_successful()
    assert not result.is_acked()

    with pytest.raises(IllegalStateException):
        rig.manager.begin_transaction()
    with pytest.raises(IllegalStateException):
        rig.manager.begin_abort()
    with pytest.raises(IllegalStateException):
        rig.manager.begin_commit()
    with pytest.raises(IllegalStateException):
        rig.manager.maybe_add_partition(TP0)

    assert rig.manager.initialize_transactions() is result
    result.await_()
    assert result.is_acked()
    with pytest.raises(IllegalStateException):
        rig.manager.initialize_transactions()

    rig.manager.begin_transaction()
    assert rig.manager.has_ongoing_transaction()


def test_recovery_from_abortable_error_transaction_started(rig):
    unauthorized_partition = TopicPartition("foo", 0)

    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)
    rig.prepare_add_partitions_to_txn({TP0: Errors.NONE})

    authorized_topic_produce_future = rig.append_to_accumulator(unauthorized_partition)
    rig.run_until(lambda: rig.manager.is_partition_added(TP0))

    rig.manager.maybe_add_partition(unauthorized_partition)
    unauthorized_topic_produce_future = rig.append_to_accumulator(unauthorized_partition)
    rig.prepare_add_partitions_to_txn({unauthorized_partition: Errors.TOPIC_AUTHORIZATION_FAILED})
    rig.run_until(rig.manager.has_abortable_error)
    assert rig.manager.is_partition_added(TP0)
    assert not rig.manager.is_partition_added(unauthorized_partition)
    assert not authorized_topic_produce_future.is_done()
    assert not unauthorized_topic_produce_future.is_done()

    rig.prepare_end_txn_response(Errors.NONE, TransactionResult.ABORT, PRODUCER_ID, EPOCH)
    result = rig.manager.begin_abort()
    rig.run_until(rig.manager.is_ready)

    assert_produce_failed(authorized_topic_produce_future)
    assert_produce_failed(unauthorized_topic_produce_future)
    assert not rig.manager.has_partitions_to_add()
    assert not rig.accumulator.has_incomplete()
    assert result.is_successful()
    result.await_()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    next_transaction_future = rig.append_to_accumulator(TP0)

    rig.prepare_add_partitions_to_txn({TP0: Errors.NONE})
    rig.run_until(lambda: rig.manager.is_partition_added(TP0))
    assert not rig.manager.has_partitions_to_add()

    rig.manager.begin_commit()
    rig.prepare_produce_response(Errors.NONE, PRODUCER_ID, EPOCH)
    rig.run_until(next_transaction_future.is_done)
    assert next_transaction_future.get() is not None

    rig.prepare_end_txn_response(Errors.NONE, TransactionResult.COMMIT, PRODUCER_ID, EPOCH)
    rig.run_until(rig.manager.is_ready)


def test_recovery_from_abortable_error_produce_request_in_retry(rig):
    unauthorized_partition = TopicPartition("foo", 0)

    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)
    rig.prepare_add_partitions_to_txn({TP0: Errors.NONE})

    authorized_topic_produce_future = rig.append_to_accumulator(TP0)
    rig.run_until(lambda: rig.manager.is_partition_added(TP0))

    rig.accumulator.begin_flush()
    rig.prepare_produce_response(Errors.REQUEST_TIMED_OUT, PRODUCER_ID, EPOCH)
    rig.run_until(lambda: not rig.client.has_pending_responses())
    assert not authorized_topic_produce_future.is_done()
    assert rig.accumulator.has_incomplete()

    rig.manager.maybe_add_partition(unauthorized_partition)
    unauthorized_topic_produce_future = rig.append_to_accumulator(unauthorized_partition)
    rig.prepare_add_partitions_to_txn({unauthorized_partition: Errors.TOPIC_AUTHORIZATION_FAILED})
    rig.run_until(rig.manager.has_abortable_error)
    assert rig.manager.is_partition_added(TP0)
    assert not rig.manager.is_partition_added(unauthorized_partition)
    assert not authorized_topic_produce_future.is_done()

    rig.prepare_produce_response(Errors.NONE, PRODUCER_ID, EPOCH)
    rig.run_until(authorized_topic_produce_future.is_done)

    assert_produce_failed(unauthorized_topic_produce_future)
    assert authorized_topic_produce_future.get() is not None
    assert authorized_topic_produce_future.is_done()

    rig.prepare_end_txn_response(Errors.NONE, TransactionResult.ABORT, PRODUCER_ID, EPOCH)
    abort_result = rig.manager.begin_abort()
    rig.run_until(rig.manager.is_ready)

    assert rig.manager.is_ready()
    assert not rig.manager.has_partitions_to_add()
    assert not rig.accumulator.has_incomplete()
    assert abort_result.is_successful()
    abort_result.await_()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    next_transaction_future = rig.append_to_accumulator(TP0)

    rig.prepare_add_partitions_to_txn({TP0: Errors.NONE})
    rig.run_until(lambda: rig.manager.is_partition_added(TP0))
    assert not rig.manager.has_partitions_to_add()

    rig.manager.begin_commit()
    rig.prepare_produce_response(Errors.NONE, PRODUCER_ID, EPOCH)
    rig.run_until(next_transaction_future.is_done)
    assert next_transaction_future.get() is not None

    rig.prepare_end_txn_response(Errors.NONE, TransactionResult.COMMIT, PRODUCER_ID, EPOCH)
    rig.run_until(rig.manager.is_ready)


def test_transactional_id_authorization_failure_in_add_partitions(rig):
    tp = TopicPartition("foo", 0)

    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(tp)

    rig.prepare_add_partitions_to_txn({tp: Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED})
    rig.run_until(rig.manager.has_error)
    assert isinstance(rig.manager.last_error(), TransactionalIdAuthorizationException)

    rig.assert_fatal_error(TransactionalIdAuthorizationException)


def test_invalid_txn_state_in_add_partitions(rig):
    tp = TopicPartition("foo", 0)

    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(tp)

    rig.prepare_add_partitions_to_txn({tp: Errors.INVALID_TXN_STATE})
    rig.run_until(rig.manager.has_error)
    assert isinstance(rig.manager.last_error(), InvalidTxnStateException)

    rig.assert_fatal_error(InvalidTxnStateException)


def test_flush_pending_partitions_on_commit(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    response_future = rig.append_to_accumulator(TP0)

    assert not response_future.is_done()

    commit_result = rig.manager.begin_commit()

    assert not rig.manager.transaction_contains_partition(TP0)
    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, EPOCH, PRODUCER_ID)

    rig.run_until(lambda: rig.manager.transaction_contains_partition(TP0))
    assert not response_future.is_done()
    assert not commit_result.is_completed()

    rig.prepare_produce_response(Errors.NONE, PRODUCER_ID, EPOCH)
    rig.run_until(response_future.is_done)

    rig.prepare_end_txn_response(Errors.NONE, TransactionResult.COMMIT, PRODUCER_ID, EPOCH)
    assert not commit_result.is_completed()
    assert rig.manager.has_ongoing_transaction()
    assert rig.manager.is_completing()

    rig.run_until(commit_result.is_completed)
    assert not rig.manager.has_ongoing_transaction()


def test_multiple_add_partitions_per_for_one_produce(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()

    rig.manager.maybe_add_partition(TP0)

    response_future = rig.append_to_accumulator(TP0)

    assert not response_future.is_done()
    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, EPOCH, PRODUCER_ID)

    assert not rig.manager.transaction_contains_partition(TP0)

    rig.run_until(lambda: rig.manager.transaction_contains_partition(TP0))

    rig.manager.maybe_add_partition(TP1)
    second_response_future = rig.append_to_accumulator(TP0)

    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP1, EPOCH, PRODUCER_ID)
    rig.prepare_produce_response(Errors.NONE, PRODUCER_ID, EPOCH)

    assert not rig.manager.transaction_contains_partition(TP1)

    assert not response_future.is_done()
    assert not second_response_future.is_done()

    rig.run_until(lambda: rig.manager.transaction_contains_partition(TP1))

    assert not response_future.is_done()
    assert not second_response_future.is_done()

    rig.run_until(response_future.is_done)
    assert second_response_future.is_done()


@pytest.mark.parametrize("error",
                         [Errors.UNKNOWN_TOPIC_OR_PARTITION, Errors.REQUEST_TIMED_OUT,
                          Errors.COORDINATOR_LOAD_IN_PROGRESS, Errors.CONCURRENT_TRANSACTIONS])
def test_retriable_errors(rig, error):
    result = rig.manager.initialize_transactions()
    rig.prepare_find_coordinator_response(error, False, CoordinatorType.TRANSACTION, TRANSACTIONAL_ID)
    rig.find_transaction_coordinator()

    rig.prepare_init_pid_response(error, False, PRODUCER_ID, EPOCH)
    rig.prepare_init_pid_response(Errors.NONE, False, PRODUCER_ID, EPOCH)
    rig.run_until(rig.manager.has_producer_id)

    result.await_()
    rig.manager.begin_transaction()

    add_partitions_to_txn_error = (
        Errors.COORDINATOR_LOAD_IN_PROGRESS if error is Errors.CONCURRENT_TRANSACTIONS else error)
    rig.manager.maybe_add_partition(TP0)
    rig.prepare_add_partitions_to_txn_response(add_partitions_to_txn_error, TP0, EPOCH, PRODUCER_ID)
    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, EPOCH, PRODUCER_ID)
    rig.run_until(lambda: rig.manager.transaction_contains_partition(TP0))

    abort_result = rig.manager.begin_commit()
    rig.prepare_end_txn_response(error, TransactionResult.COMMIT, PRODUCER_ID, EPOCH)
    rig.prepare_end_txn_response(Errors.NONE, TransactionResult.COMMIT, PRODUCER_ID, EPOCH)
    rig.run_until(abort_result.is_completed)
    assert abort_result.is_successful()


def test_coordinator_not_available(rig):
    result = rig.manager.initialize_transactions()
    rig.prepare_find_coordinator_response(Errors.COORDINATOR_NOT_AVAILABLE, False,
                                          CoordinatorType.TRANSACTION, TRANSACTIONAL_ID)
    rig.find_transaction_coordinator()

    rig.prepare_init_pid_response(Errors.NONE, False, PRODUCER_ID, EPOCH)
    rig.run_until(rig.manager.has_producer_id)

    result.await_()


def test_producer_fenced_exception_in_init_producer_id(rig):
    verify_producer_fenced_for_init_producer_id(rig, Errors.PRODUCER_FENCED)


def test_invalid_producer_epoch_convert_to_producer_fenced_in_init_producer_id(rig):
    verify_producer_fenced_for_init_producer_id(rig, Errors.INVALID_PRODUCER_EPOCH)


def test_producer_fenced_in_add_partition_to_txn(rig):
    verify_producer_fenced_for_add_partitions_to_txn(rig, Errors.PRODUCER_FENCED)


def test_invalid_producer_epoch_convert_to_producer_fenced_in_add_partition_to_txn(rig):
    verify_producer_fenced_for_add_partitions_to_txn(rig, Errors.INVALID_PRODUCER_EPOCH)


def test_producer_fenced_in_add_off_sets_to_txn(rig):
    verify_producer_fenced_for_add_offsets_to_txn(rig, Errors.PRODUCER_FENCED)


def test_invalid_producer_epoch_convert_to_producer_fenced_in_add_off_sets_to_txn(rig):
    verify_producer_fenced_for_add_offsets_to_txn(rig, Errors.INVALID_PRODUCER_EPOCH)


def test_invalid_producer_epoch_convert_to_producer_fenced_in_end_txn(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)
    commit_result = rig.manager.begin_commit()

    response_future = rig.append_to_accumulator(TP0)

    assert not response_future.is_done()
    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, EPOCH, PRODUCER_ID)
    rig.prepare_produce_response(Errors.NONE, PRODUCER_ID, EPOCH)
    rig.prepare_end_txn_response(Errors.INVALID_PRODUCER_EPOCH, TransactionResult.COMMIT, PRODUCER_ID, EPOCH)

    rig.run_until(commit_result.is_completed)
    rig.run_until(response_future.is_done)

    with pytest.raises(KafkaException):
        commit_result.await_()
    assert not commit_result.is_successful()
    assert commit_result.is_acked()

    with pytest.raises(KafkaException):
        rig.manager.begin_transaction()
    with pytest.raises(KafkaException):
        rig.manager.begin_commit()
    with pytest.raises(KafkaException):
        rig.manager.begin_abort()
    with pytest.raises(KafkaException):
        rig.manager.send_offsets_to_transaction({}, ConsumerGroupMetadata("dummyId"))


def test_invalid_producer_epoch_from_produce(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    response_future = rig.append_to_accumulator(TP0)

    assert not response_future.is_done()
    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, EPOCH, PRODUCER_ID)
    rig.prepare_produce_response(Errors.INVALID_PRODUCER_EPOCH, PRODUCER_ID, EPOCH)
    rig.prepare_produce_response(Errors.NONE, PRODUCER_ID, EPOCH)

    rig.sender.run_once()

    rig.run_until(response_future.is_done)
    assert rig.manager.has_error()

    rig.manager.begin_abort()

    handler = rig.manager.next_request(False)

    assert handler is not None
    assert isinstance(handler.request_builder(), EndTxnRequest.Builder)

    handler = rig.manager.next_request(False)

    assert handler is not None
    assert isinstance(handler.request_builder(), InitProducerIdRequest.Builder)


def test_disallow_commit_on_produce_failure(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    response_future = rig.append_to_accumulator(TP0)

    commit_result = rig.manager.begin_commit()
    assert not response_future.is_done()
    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, EPOCH, PRODUCER_ID)
    rig.prepare_produce_response(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, PRODUCER_ID, EPOCH)

    rig.run_until(commit_result.is_completed)

    with pytest.raises(KafkaException):
        commit_result.await_()
    assert_future_throws(response_future, OutOfOrderSequenceException)

    abort_result = rig.manager.begin_abort()
    rig.prepare_end_txn_response(Errors.NONE, TransactionResult.ABORT, PRODUCER_ID, EPOCH)
    rig.prepare_init_pid_response(Errors.NONE, False, PRODUCER_ID, EPOCH + 1)
    rig.run_until(abort_result.is_completed)
    assert abort_result.is_successful()
    assert rig.manager.is_ready()


def test_allow_abort_on_produce_failure(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    response_future = rig.append_to_accumulator(TP0)

    assert not response_future.is_done()
    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, EPOCH, PRODUCER_ID)
    rig.prepare_produce_response(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, PRODUCER_ID, EPOCH)

    rig.run_until(rig.manager.has_abortable_error)
    abort_result = rig.manager.begin_abort()
    rig.prepare_end_txn_response(Errors.NONE, TransactionResult.ABORT, PRODUCER_ID, EPOCH)
    rig.prepare_init_pid_response(Errors.NONE, False, PRODUCER_ID, EPOCH + 1)
    rig.run_until(abort_result.is_completed)
    assert abort_result.is_successful()
    assert rig.manager.is_ready()


def test_abortable_error_while_abort_in_progress(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    response_future = rig.append_to_accumulator(TP0)

    assert not response_future.is_done()
    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, EPOCH, PRODUCER_ID)
    rig.run_until(lambda: not rig.accumulator.has_undrained())

    abort_result = rig.manager.begin_abort()
    assert rig.manager.is_aborting()
    assert not rig.manager.has_error()

    rig.send_produce_response(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, PRODUCER_ID, EPOCH)
    rig.prepare_end_txn_response(Errors.NONE, TransactionResult.ABORT, PRODUCER_ID, EPOCH)
    rig.run_until(response_future.is_done)

    assert rig.manager.is_aborting()
    assert not rig.manager.has_error()

    rig.run_until(abort_result.is_completed)
    assert abort_result.is_successful()
    assert rig.manager.is_ready()


def test_commit_transaction_with_unsent_produce_request(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    response_future = rig.append_to_accumulator(TP0)

    rig.prepare_add_partitions_to_txn({TP0: Errors.NONE})
    rig.run_until(lambda: not rig.client.has_pending_responses())
    assert rig.accumulator.has_undrained()

    rig.manager.begin_commit()
    rig.run_until(lambda: not rig.accumulator.has_undrained())
    assert rig.accumulator.has_incomplete()
    assert not rig.manager.has_in_flight_request()
    assert not response_future.is_done()

    runs = count(1)
    rig.run_until(lambda: next(runs) >= 4)
    assert not rig.accumulator.has_undrained()
    assert rig.accumulator.has_incomplete()
    assert not rig.manager.has_in_flight_request()
    assert not response_future.is_done()

    rig.send_produce_response(Errors.NONE, PRODUCER_ID, EPOCH)
    rig.run_until(response_future.is_done)
    assert not rig.accumulator.has_undrained()
    assert not rig.accumulator.has_incomplete()
    assert not rig.manager.has_in_flight_request()

    rig.run_until(rig.manager.has_in_flight_request)
    rig.send_end_txn_response(Errors.NONE, TransactionResult.COMMIT, PRODUCER_ID, EPOCH)

    rig.run_until(rig.manager.is_ready)
    assert not rig.manager.has_in_flight_request()


def test_commit_transaction_with_in_flight_produce_request(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    response_future = rig.append_to_accumulator(TP0)

    rig.prepare_add_partitions_to_txn({TP0: Errors.NONE})
    rig.run_until(lambda: not rig.manager.has_partitions_to_add())
    assert rig.accumulator.has_undrained()

    rig.accumulator.begin_flush()
    rig.run_until(lambda: not rig.accumulator.has_undrained())
    assert not rig.accumulator.has_undrained()
    assert rig.accumulator.has_incomplete()
    assert not rig.manager.has_in_flight_request()

    rig.manager.begin_commit()
    runs = count(1)
    rig.run_until(lambda: next(runs) >= 4)
    assert not rig.accumulator.has_undrained()
    assert rig.accumulator.has_incomplete()
    assert not rig.manager.has_in_flight_request()
    assert not response_future.is_done()

    rig.send_produce_response(Errors.NONE, PRODUCER_ID, EPOCH)
    rig.run_until(response_future.is_done)
    assert not rig.accumulator.has_undrained()
    assert not rig.accumulator.has_incomplete()
    assert not rig.manager.has_in_flight_request()

    rig.run_until(rig.manager.has_in_flight_request)
    rig.send_end_txn_response(Errors.NONE, TransactionResult.COMMIT, PRODUCER_ID, EPOCH)
    rig.run_until(rig.manager.is_ready)
    assert not rig.manager.has_in_flight_request()


def test_find_coordinator_allowed_in_abortable_error_state(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    response_future = rig.append_to_accumulator(TP0)

    assert not response_future.is_done()
    rig.run_until(rig.manager.has_in_flight_request)

    rig.manager.transition_to_abortable_error(KafkaException())
    rig.send_add_partitions_to_txn_response(Errors.NOT_COORDINATOR, TP0, EPOCH, PRODUCER_ID)
    rig.run_until(lambda: rig.manager.coordinator(CoordinatorType.TRANSACTION) is None)

    rig.find_transaction_coordinator()
    assert rig.manager.has_abortable_error()


def test_cancel_unsent_add_partitions_and_produce_on_abort(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    response_future = rig.append_to_accumulator(TP0)

    assert not response_future.is_done()

    abort_result = rig.manager.begin_abort()

    rig.run_until(abort_result.is_completed)
    assert abort_result.is_successful()
    assert rig.manager.is_ready()

    assert_future_throws(response_future, KafkaException)


def test_abort_resends_add_partition_error_if_retried(rig):
    rig.do_init_transactions(PRODUCER_ID, EPOCH)

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)
    rig.prepare_add_partitions_to_txn_response(Errors.UNKNOWN_TOPIC_OR_PARTITION, TP0, EPOCH, PRODUCER_ID)

    response_future = rig.append_to_accumulator(TP0)

    rig.run_until(lambda: not rig.client.has_pending_responses())
    assert not response_future.is_done()

    abort_result = rig.manager.begin_abort()

    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, EPOCH, PRODUCER_ID)
    rig.prepare_end_txn_response(Errors.NONE, TransactionResult.ABORT, PRODUCER_ID, EPOCH)

    rig.run_until(abort_result.is_completed)
    assert abort_result.is_successful()
    assert rig.manager.is_ready()

    assert_future_throws(response_future, KafkaException)


def test_abort_resends_produce_request_if_retried(rig):
    rig.do_init_transactions(PRODUCER_ID, EPOCH)

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)
    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, EPOCH, PRODUCER_ID)
    rig.prepare_produce_response(Errors.REQUEST_TIMED_OUT, PRODUCER_ID, EPOCH)

    response_future = rig.append_to_accumulator(TP0)

    rig.run_until(lambda: not rig.client.has_pending_responses())
    assert not response_future.is_done()

    abort_result = rig.manager.begin_abort()

    rig.prepare_produce_response(Errors.NONE, PRODUCER_ID, EPOCH)
    rig.prepare_end_txn_response(Errors.NONE, TransactionResult.ABORT, PRODUCER_ID, EPOCH)

    rig.run_until(abort_result.is_completed)
    assert abort_result.is_successful()
    assert rig.manager.is_ready()

    record_metadata = response_future.get()
    assert record_metadata.topic() == TP0.topic()


def test_handling_of_unknown_topic_partition_error_on_add_partitions(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    response_future = rig.append_to_accumulator(TP0)

    assert not response_future.is_done()
    rig.prepare_add_partitions_to_txn_response(Errors.UNKNOWN_TOPIC_OR_PARTITION, TP0, EPOCH, PRODUCER_ID)

    rig.run_until(lambda: not rig.client.has_pending_responses())
    assert not rig.manager.transaction_contains_partition(TP0)

    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, EPOCH, PRODUCER_ID)
    rig.prepare_produce_response(Errors.NONE, PRODUCER_ID, EPOCH)
    rig.run_until(lambda: rig.manager.transaction_contains_partition(TP0))
    rig.run_until(response_future.is_done)


def test_handling_of_unknown_topic_partition_error_on_txn_offset_commit(rig):
    verify_retriable_error_in_txn_offset_commit(rig, Errors.UNKNOWN_TOPIC_OR_PARTITION)


def test_handling_of_coordinator_loading_error_on_txn_offset_commit(rig):
    verify_retriable_error_in_txn_offset_commit(rig, Errors.COORDINATOR_LOAD_IN_PROGRESS)


def test_handling_of_network_exception_on_txn_offset_commit(rig):
    verify_retriable_error_in_txn_offset_commit(rig, Errors.NETWORK_EXCEPTION)


def test_handling_of_producer_fenced_error_on_txn_offset_commit(rig):
    verify_fatal_error_in_txn_offset_commit(rig, Errors.PRODUCER_FENCED, Errors.PRODUCER_FENCED)


def test_handling_of_transactional_id_authorization_failed_error_on_txn_offset_commit(rig):
    verify_fatal_error_in_txn_offset_commit(rig, Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
                                            Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)


def test_handling_of_invalid_producer_epoch_error_on_txn_offset_commit(rig):
    verify_fatal_error_in_txn_offset_commit(rig, Errors.INVALID_PRODUCER_EPOCH, Errors.PRODUCER_FENCED)


def test_handling_of_unsupported_for_message_format_error_on_txn_offset_commit(rig):
    verify_fatal_error_in_txn_offset_commit(rig, Errors.UNSUPPORTED_FOR_MESSAGE_FORMAT,
                                            Errors.UNSUPPORTED_FOR_MESSAGE_FORMAT)


def test_should_not_add_partitions_to_transaction_when_topic_authorization_failed(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    response_future = rig.append_to_accumulator(TP0)
    assert not response_future.is_done()
    rig.prepare_add_partitions_to_txn({TP0: Errors.TOPIC_AUTHORIZATION_FAILED})
    rig.run_until(rig.manager.has_error)
    assert not rig.manager.transaction_contains_partition(TP0)


def test_should_not_send_abort_txn_request_when_only_add_partitions_request_failed(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    rig.prepare_add_partitions_to_txn_response(Errors.TOPIC_AUTHORIZATION_FAILED, TP0, EPOCH, PRODUCER_ID)
    rig.run_until(lambda: not rig.client.has_pending_responses())

    abort_result = rig.manager.begin_abort()
    assert not abort_result.is_completed()

    rig.run_until(abort_result.is_completed)
    assert abort_result.is_successful()


def test_should_not_send_abort_txn_request_when_only_add_offsets_request_failed(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    offsets = {TP1: OffsetAndMetadata(1)}

    rig.manager.send_offsets_to_transaction(offsets, ConsumerGroupMetadata(CONSUMER_GROUP_ID))

    abort_result = rig.manager.begin_abort()

    rig.prepare_add_offsets_to_txn_response(Errors.GROUP_AUTHORIZATION_FAILED, CONSUMER_GROUP_ID, PRODUCER_ID,
                                            EPOCH)
    rig.run_until(abort_result.is_completed)
    assert rig.manager.is_ready()
    assert abort_result.is_completed()
    assert abort_result.is_successful()


def test_should_fail_abort_if_add_offsets_fails_with_fatal_error(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    offsets = {TP1: OffsetAndMetadata(1)}

    rig.manager.send_offsets_to_transaction(offsets, ConsumerGroupMetadata(CONSUMER_GROUP_ID))

    abort_result = rig.manager.begin_abort()

    rig.prepare_add_offsets_to_txn_response(Errors.UNKNOWN_SERVER_ERROR, CONSUMER_GROUP_ID, PRODUCER_ID,
                                            EPOCH)

    rig.run_until(abort_result.is_completed)
    assert not abort_result.is_successful()
    assert rig.manager.has_fatal_error()


def test_send_offsets_with_group_metadata(rig):
    txn_offset_commit_response = {TP0: Errors.NONE, TP1: Errors.COORDINATOR_LOAD_IN_PROGRESS}

    add_offsets_result = prepare_group_metadata_commit(
        rig, lambda: rig.prepare_txn_offset_commit_response_member(
            CONSUMER_GROUP_ID, PRODUCER_ID, EPOCH, GROUP_INSTANCE_ID, MEMBER_ID, GENERATION_ID,
            txn_offset_commit_response))

    rig.sender.run_once()

    assert rig.manager.has_pending_offset_commits()
    assert not add_offsets_result.is_completed()

    txn_offset_commit_response[TP1] = Errors.NONE
    rig.prepare_txn_offset_commit_response_member(CONSUMER_GROUP_ID, PRODUCER_ID, EPOCH, GROUP_INSTANCE_ID,
                                                  MEMBER_ID, GENERATION_ID, txn_offset_commit_response)
    rig.sender.run_once()

    assert add_offsets_result.is_completed()
    assert add_offsets_result.is_successful()


def test_send_offset_with_group_metadata_fail_as_auto_downgrade_txn_commit_not_enabled(rig):
    rig.client.set_node_api_versions(NodeApiVersions.create_api_key(ApiKeys.TXN_OFFSET_COMMIT.id, 0, 2))

    txn_offset_commit_response = {TP0: Errors.NONE, TP1: Errors.COORDINATOR_LOAD_IN_PROGRESS}

    add_offsets_result = prepare_group_metadata_commit(
        rig, lambda: rig.prepare_txn_offset_commit_response(
            CONSUMER_GROUP_ID, PRODUCER_ID, EPOCH, txn_offset_commit_response))

    rig.sender.run_once()

    assert add_offsets_result.is_completed()
    assert not add_offsets_result.is_successful()
    assert isinstance(add_offsets_result.error(), UnsupportedVersionException)
    rig.assert_fatal_error(UnsupportedVersionException)


def test_no_drain_when_partitions_pending(rig):
    rig.do_init_transactions()
    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)
    rig.append_to_accumulator(TP0)
    rig.manager.maybe_add_partition(TP1)
    rig.append_to_accumulator(TP1)

    assert not rig.manager.is_send_to_partition_allowed(TP0)
    assert not rig.manager.is_send_to_partition_allowed(TP1)

    node1 = Node(0, "localhost", 1111)
    node2 = Node(1, "localhost", 1112)
    metadata_cache = metadata_snapshot({TP0: node1, TP1: node2})
    nodes = {node1, node2}
    drained_batches = rig.accumulator.drain(metadata_cache, nodes, INT_MAX_VALUE, rig.time.milliseconds())

    assert drained_batches[node1.id()] == []
    assert drained_batches[node2.id()] == []
    assert not rig.manager.has_error()


def test_allow_drain_in_abortable_error_state(rig):
    rig.do_init_transactions()
    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP1)
    rig.prepare_add_partitions_to_txn({TP1: Errors.NONE})
    rig.run_until(lambda: rig.manager.transaction_contains_partition(TP1))

    rig.manager.maybe_add_partition(TP0)
    rig.prepare_add_partitions_to_txn({TP0: Errors.TOPIC_AUTHORIZATION_FAILED})
    rig.run_until(rig.manager.has_abortable_error)
    assert rig.manager.is_send_to_partition_allowed(TP1)

    node1 = Node(1, "localhost", 1112)
    metadata_cache = metadata_snapshot({TP1: node1})
    rig.append_to_accumulator(TP1)
    drained_batches = rig.accumulator.drain(metadata_cache, {node1}, INT_MAX_VALUE, rig.time.milliseconds())

    assert len(drained_batches[node1.id()]) == 1
    assert rig.manager.has_abortable_error()


def test_raise_error_when_no_partitions_pending_on_drain(rig):
    rig.do_init_transactions()
    rig.manager.begin_transaction()

    rig.append_to_accumulator(TP0)
    node1 = Node(0, "localhost", 1111)
    metadata_cache = metadata_snapshot({TP0: node1})

    nodes = {node1}
    drained_batches = rig.accumulator.drain(metadata_cache, nodes, INT_MAX_VALUE, rig.time.milliseconds())

    assert drained_batches[node1.id()] == []

    rig.manager.maybe_add_partition(TP0)
    rig.accumulator.begin_flush()

    drained_batches = rig.accumulator.drain(metadata_cache, nodes, INT_MAX_VALUE, rig.time.milliseconds())

    assert drained_batches[node1.id()] == []
    assert rig.accumulator.has_undrained()

    rig.prepare_add_partitions_to_txn({TP0: Errors.NONE})
    rig.run_until(lambda: not rig.accumulator.has_undrained())


def test_resend_failed_produce_request_after_abortable_error(rig):
    rig.do_init_transactions()
    rig.manager.begin_transaction()

    rig.manager.maybe_add_partition(TP0)

    response_future = rig.append_to_accumulator(TP0)

    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, EPOCH, PRODUCER_ID)
    rig.prepare_produce_response(Errors.NOT_LEADER_OR_FOLLOWER, PRODUCER_ID, EPOCH)
    rig.run_until(lambda: not rig.client.has_pending_responses())

    assert not response_future.is_done()

    rig.manager.transition_to_abortable_error(KafkaException())
    rig.prepare_produce_response(Errors.NONE, PRODUCER_ID, EPOCH)
    rig.run_until(response_future.is_done)
    assert response_future.get() is not None


def test_transition_to_abortable_error_on_batch_expiry(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    response_future = rig.append_to_accumulator(TP0)

    assert not response_future.is_done()

    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, EPOCH, PRODUCER_ID)

    assert not rig.manager.transaction_contains_partition(TP0)
    assert not rig.manager.is_send_to_partition_allowed(TP0)

    rig.run_until(lambda: rig.manager.transaction_contains_partition(TP0))
    assert rig.manager.is_send_to_partition_allowed(TP0)
    assert not response_future.is_done()

    rig.disconnect_broker()

    rig.run_until(response_future.is_done)

    assert_future_throws(response_future, TimeoutException)
    assert rig.manager.has_abortable_error()


def test_transition_to_abortable_error_on_multiple_batch_expiry(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)
    rig.manager.maybe_add_partition(TP1)

    first_batch_response = rig.append_to_accumulator(TP0)
    second_batch_response = rig.append_to_accumulator(TP1)

    assert not first_batch_response.is_done()
    assert not second_batch_response.is_done()

    partition_errors = {TP0: Errors.NONE, TP1: Errors.NONE}
    rig.prepare_add_partitions_to_txn(partition_errors)

    assert not rig.manager.transaction_contains_partition(TP0)
    assert not rig.manager.is_send_to_partition_allowed(TP0)

    rig.run_until(lambda: rig.manager.transaction_contains_partition(TP0))
    assert rig.manager.transaction_contains_partition(TP1)
    assert rig.manager.is_send_to_partition_allowed(TP1)
    assert rig.manager.is_send_to_partition_allowed(TP1)
    assert not first_batch_response.is_done()
    assert not second_batch_response.is_done()

    rig.disconnect_broker()

    rig.run_until(first_batch_response.is_done)
    rig.run_until(second_batch_response.is_done)

    assert_future_throws(first_batch_response, TimeoutException)

    assert_future_throws(second_batch_response, TimeoutException)

    assert rig.manager.has_abortable_error()


def test_drop_commit_on_batch_expiry(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    response_future = rig.append_to_accumulator(TP0)

    assert not response_future.is_done()

    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, EPOCH, PRODUCER_ID)

    assert not rig.manager.transaction_contains_partition(TP0)
    assert not rig.manager.is_send_to_partition_allowed(TP0)

    rig.run_until(lambda: rig.manager.transaction_contains_partition(TP0))
    assert rig.manager.is_send_to_partition_allowed(TP0)
    assert not response_future.is_done()

    commit_result = rig.manager.begin_commit()

    rig.disconnect_broker(backoff=False)

    rig.run_until(response_future.is_done)

    assert_future_throws(response_future, TimeoutException)
    rig.run_until(commit_result.is_completed)
    assert not commit_result.is_successful()
    with pytest.raises(TimeoutException):
        commit_result.await_()

    assert rig.manager.has_abortable_error()
    assert rig.manager.has_ongoing_transaction()
    assert not rig.manager.is_completing()
    assert rig.manager.transaction_contains_partition(TP0)

    abort_result = rig.manager.begin_abort()

    rig.prepare_end_txn_response(Errors.NONE, TransactionResult.ABORT, PRODUCER_ID, EPOCH)
    rig.prepare_init_pid_response(Errors.NONE, False, PRODUCER_ID, EPOCH + 1)
    rig.run_until(abort_result.is_completed)
    assert abort_result.is_successful()
    assert not rig.manager.has_ongoing_transaction()
    assert not rig.manager.transaction_contains_partition(TP0)


def test_transition_to_fatal_error_when_retried_batch_is_expired(rig):
    rig.limit_init_producer_id(1)

    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    response_future = rig.append_to_accumulator(TP0)

    assert not response_future.is_done()

    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, EPOCH, PRODUCER_ID)

    assert not rig.manager.transaction_contains_partition(TP0)
    assert not rig.manager.is_send_to_partition_allowed(TP0)

    rig.run_until(lambda: rig.manager.transaction_contains_partition(TP0))
    assert rig.manager.is_send_to_partition_allowed(TP0)

    rig.prepare_produce_response(Errors.NOT_LEADER_OR_FOLLOWER, PRODUCER_ID, EPOCH)
    rig.run_until(lambda: not rig.client.has_pending_responses())
    assert not response_future.is_done()

    commit_result = rig.manager.begin_commit()

    rig.disconnect_broker()

    rig.run_until(response_future.is_done)

    assert_future_throws(response_future, TimeoutException)
    rig.run_until(commit_result.is_completed)
    assert not commit_result.is_successful()

    assert rig.manager.has_fatal_error()
    assert not rig.manager.has_ongoing_transaction()


@pytest.mark.parametrize(("unresolved", "refused", "bumped"), [
    # The first batch is acknowledged. A gap needs a new epoch; a batch that is late does not.
    (None, 1, True), (None, 2, False), (1, 2, True), (1, 3, False), (2, 3, True)])
def test_a_gap_in_the_sequences_is_closed_by_a_new_epoch(rig, unresolved, refused, bumped):
    rig.initialize_transaction_manager(None)
    rig.initialize_idempotent_producer_id(15, 5)
    batches = [rig.write_idempotent_batch_with_value(TP0, str(number)) for number in range(4)]
    rig.manager.handle_completed_batch(batches[0], PartitionResponse(Errors.NONE, 500, 0, 0))
    if unresolved is not None:
        rig.manager.mark_sequence_unresolved(batches[unresolved])
    response = PartitionResponse(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, -1, -1, 0)
    assert rig.manager.can_retry(response, batches[refused])
    rig.manager.bump_idempotent_epoch_and_reset_id_if_needed()
    assert rig.manager.producer_id_and_epoch() == ProducerIdAndEpoch(15, 6 if bumped else 5)


def test_bump_epoch_after_timeout_without_pending_inflight_requests(rig):
    rig.initialize_transaction_manager(None)
    producer_id = 15
    epoch = 5
    producer_id_and_epoch = ProducerIdAndEpoch(producer_id, epoch)
    rig.initialize_idempotent_producer_id(producer_id, epoch)

    rig.manager.bump_idempotent_epoch_and_reset_id_if_needed()
    assert rig.manager.producer_id_and_epoch() == producer_id_and_epoch

    tp0 = TopicPartition("foo", 0)
    assert rig.manager.sequence_number(tp0) == 0

    b1 = rig.write_idempotent_batch_with_value(tp0, "1")
    assert rig.manager.sequence_number(tp0) == 1
    rig.manager.handle_completed_batch(b1, PartitionResponse(Errors.NONE, 500, rig.time.milliseconds(), 0))
    assert rig.manager.last_acked_sequence(tp0) == 0

    rig.manager.mark_sequence_unresolved(b1)
    rig.manager.maybe_resolve_sequences()
    assert rig.manager.producer_id_and_epoch() == producer_id_and_epoch
    assert not rig.manager.has_unresolved_sequences()

    b2 = rig.write_idempotent_batch_with_value(tp0, "2")
    assert rig.manager.sequence_number(tp0) == 2
    rig.manager.mark_sequence_unresolved(b2)
    rig.manager.handle_failed_batch(b2, TimeoutException(), False)
    assert rig.manager.has_unresolved_sequences()

    rig.manager.maybe_resolve_sequences()
    assert not rig.manager.has_unresolved_sequences()

    rig.run_until(lambda: rig.manager.producer_id_and_epoch().epoch == 6)


def test_no_producer_id_reset_after_last_in_flight_batch_succeeds(rig):
    rig.initialize_transaction_manager(None)
    producer_id = 15
    epoch = 5
    producer_id_and_epoch = ProducerIdAndEpoch(producer_id, epoch)
    rig.initialize_idempotent_producer_id(producer_id, epoch)

    tp0 = TopicPartition("foo", 0)
    b1 = rig.write_idempotent_batch_with_value(tp0, "1")
    b2 = rig.write_idempotent_batch_with_value(tp0, "2")
    b3 = rig.write_idempotent_batch_with_value(tp0, "3")
    assert rig.manager.sequence_number(tp0) == 3

    rig.manager.mark_sequence_unresolved(b1)
    rig.manager.handle_failed_batch(b1, TimeoutException(), False)
    assert rig.manager.has_unresolved_sequences()

    rig.manager.bump_idempotent_epoch_and_reset_id_if_needed()
    assert rig.manager.producer_id_and_epoch() == producer_id_and_epoch
    assert rig.manager.has_unresolved_sequences()

    rig.manager.handle_failed_batch(b2, TimeoutException(), False)
    rig.manager.bump_idempotent_epoch_and_reset_id_if_needed()
    assert rig.manager.producer_id_and_epoch() == producer_id_and_epoch
    assert rig.manager.has_unresolved_sequences()

    rig.manager.handle_completed_batch(b3, PartitionResponse(Errors.NONE, 500, rig.time.milliseconds(), 0))
    rig.manager.maybe_resolve_sequences()
    assert rig.manager.producer_id_and_epoch() == producer_id_and_epoch
    assert not rig.manager.has_unresolved_sequences()
    assert rig.manager.sequence_number(tp0) == 3


def test_epoch_bump_after_last_inflight_batch_fails(rig):
    rig.initialize_transaction_manager(None)
    producer_id_and_epoch = ProducerIdAndEpoch(PRODUCER_ID, EPOCH)
    rig.initialize_idempotent_producer_id(PRODUCER_ID, EPOCH)

    tp0 = TopicPartition("foo", 0)
    b1 = rig.write_idempotent_batch_with_value(tp0, "1")
    b2 = rig.write_idempotent_batch_with_value(tp0, "2")
    b3 = rig.write_idempotent_batch_with_value(tp0, "3")
    assert rig.manager.sequence_number(tp0) == 3

    rig.manager.mark_sequence_unresolved(b1)
    rig.manager.handle_failed_batch(b1, TimeoutException(), False)
    assert rig.manager.has_unresolved_sequences()

    rig.manager.handle_completed_batch(b2, PartitionResponse(Errors.NONE, 500, rig.time.milliseconds(), 0))
    rig.manager.bump_idempotent_epoch_and_reset_id_if_needed()
    assert rig.manager.producer_id_and_epoch() == producer_id_and_epoch
    assert rig.manager.has_unresolved_sequences()

    rig.manager.handle_failed_batch(b3, TimeoutException(), False)

    rig.run_until(lambda: rig.manager.producer_id_and_epoch().epoch == 2)
    assert not rig.manager.has_unresolved_sequences()
    assert rig.manager.sequence_number(tp0) == 0


def test_no_failed_batch_handling_when_txn_manager_is_in_fatal_error(rig):
    rig.initialize_transaction_manager(None)
    producer_id = 15
    epoch = 5
    rig.initialize_idempotent_producer_id(producer_id, epoch)

    tp0 = TopicPartition("foo", 0)
    b1 = rig.write_idempotent_batch_with_value(tp0, "1")

    rig.manager.handle_failed_batch(b1, OutOfOrderSequenceException("out of sequence"), False)
    rig.manager.bump_idempotent_epoch_and_reset_id_if_needed()
    id_and_epoch_after_first_batch = ProducerIdAndEpoch(producer_id, epoch + 1)
    assert rig.manager.producer_id_and_epoch() == id_and_epoch_after_first_batch

    rig.manager.transition_to_fatal_error(KafkaException())

    b2 = rig.write_idempotent_batch_with_value(tp0, "2")
    rig.manager.handle_failed_batch(b2, TimeoutException(), True)
    rig.manager.bump_idempotent_epoch_and_reset_id_if_needed()
    assert rig.manager.producer_id_and_epoch() == id_and_epoch_after_first_batch


def test_abort_transaction_and_reuse_sequence_number_on_error(rig):
    rig.limit_init_producer_id(1)

    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    response_future0 = rig.append_to_accumulator(TP0)
    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, EPOCH, PRODUCER_ID)
    rig.prepare_produce_response(Errors.NONE, PRODUCER_ID, EPOCH)
    rig.run_until(lambda: rig.manager.is_partition_added(TP0))
    rig.run_until(response_future0.is_done)

    response_future1 = rig.append_to_accumulator(TP0)
    rig.prepare_produce_response(Errors.NONE, PRODUCER_ID, EPOCH)
    rig.run_until(response_future1.is_done)

    response_future2 = rig.append_to_accumulator(TP0)
    rig.prepare_produce_response(Errors.TOPIC_AUTHORIZATION_FAILED, PRODUCER_ID, EPOCH)
    rig.run_until(response_future2.is_done)

    assert rig.manager.has_abortable_error()

    abort_result = rig.manager.begin_abort()
    rig.prepare_end_txn_response(Errors.NONE, TransactionResult.ABORT, PRODUCER_ID, EPOCH)
    rig.run_until(abort_result.is_completed)
    assert abort_result.is_successful()
    abort_result.await_()
    assert rig.manager.is_ready()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, EPOCH, PRODUCER_ID)
    rig.run_until(lambda: rig.manager.is_partition_added(TP0))

    assert rig.manager.sequence_number(TP0) == 2


def test_abort_transaction_and_reset_sequence_number_on_unknown_producer_id(rig):
    rig.limit_init_producer_id(1)

    rig.do_init_transactions()

    rig.manager.begin_transaction()

    rig.manager.maybe_add_partition(TP1)
    success_partition_response_future = rig.append_to_accumulator(TP1)
    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP1, EPOCH, PRODUCER_ID)
    rig.prepare_produce_response(Errors.NONE, PRODUCER_ID, EPOCH, TP1)
    rig.run_until(success_partition_response_future.is_done)
    assert rig.manager.is_partition_added(TP1)

    rig.manager.maybe_add_partition(TP0)
    response_future0 = rig.append_to_accumulator(TP0)
    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, EPOCH, PRODUCER_ID)
    rig.prepare_produce_response(Errors.NONE, PRODUCER_ID, EPOCH)
    rig.run_until(response_future0.is_done)
    assert rig.manager.is_partition_added(TP0)

    response_future1 = rig.append_to_accumulator(TP0)
    rig.prepare_produce_response(Errors.NONE, PRODUCER_ID, EPOCH)
    rig.run_until(response_future1.is_done)

    response_future2 = rig.append_to_accumulator(TP0)
    rig.prepare(rig.produce_request_matcher(PRODUCER_ID, EPOCH, TP0),
                rig.produce_response(TP0, 0, Errors.UNKNOWN_PRODUCER_ID, 0, 0))
    rig.run_until(response_future2.is_done)

    assert rig.manager.has_abortable_error()

    abort_result = rig.manager.begin_abort()
    rig.prepare_end_txn_response(Errors.NONE, TransactionResult.ABORT, PRODUCER_ID, EPOCH)
    rig.run_until(abort_result.is_completed)
    assert abort_result.is_successful()
    abort_result.await_()
    assert rig.manager.is_ready()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, EPOCH, PRODUCER_ID)
    rig.run_until(lambda: rig.manager.is_partition_added(TP0))

    assert rig.manager.sequence_number(TP0) == 0
    assert rig.manager.sequence_number(TP1) == 1


def test_bump_transactional_epoch_on_abortable_error(rig):
    initial_epoch = 1
    bumped_epoch = initial_epoch + 1

    rig.do_init_transactions(PRODUCER_ID, initial_epoch)

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, initial_epoch, PRODUCER_ID)
    rig.run_until(lambda: rig.manager.is_partition_added(TP0))

    response_future0 = rig.append_to_accumulator(TP0)
    rig.prepare_produce_response(Errors.NONE, PRODUCER_ID, initial_epoch)
    rig.run_until(response_future0.is_done)

    response_future1 = rig.append_to_accumulator(TP0)
    rig.prepare_produce_response(Errors.NONE, PRODUCER_ID, initial_epoch)
    rig.run_until(response_future1.is_done)

    response_future2 = rig.append_to_accumulator(TP0)
    rig.prepare_produce_response(Errors.TOPIC_AUTHORIZATION_FAILED, PRODUCER_ID, initial_epoch)
    rig.run_until(response_future2.is_done)

    assert rig.manager.has_abortable_error()
    abort_result = rig.manager.begin_abort()

    rig.prepare_end_txn_response(Errors.NONE, TransactionResult.ABORT, PRODUCER_ID, initial_epoch)
    rig.prepare_init_pid_response(Errors.NONE, False, PRODUCER_ID, bumped_epoch)
    rig.run_until(lambda: rig.manager.producer_id_and_epoch().epoch == bumped_epoch)

    assert abort_result.is_completed()
    assert abort_result.is_successful()
    abort_result.await_()
    assert rig.manager.is_ready()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, bumped_epoch, PRODUCER_ID)
    rig.run_until(lambda: rig.manager.is_partition_added(TP0))

    assert rig.manager.sequence_number(TP0) == 0


def test_bump_transactional_epoch_on_unknown_producer_id_error(rig):
    initial_epoch = 1
    bumped_epoch = 2

    rig.do_init_transactions(PRODUCER_ID, initial_epoch)

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, initial_epoch, PRODUCER_ID)
    rig.run_until(lambda: rig.manager.is_partition_added(TP0))

    response_future0 = rig.append_to_accumulator(TP0)
    rig.prepare_produce_response(Errors.NONE, PRODUCER_ID, initial_epoch)
    rig.run_until(response_future0.is_done)

    response_future1 = rig.append_to_accumulator(TP0)
    rig.prepare_produce_response(Errors.NONE, PRODUCER_ID, initial_epoch)
    rig.run_until(response_future1.is_done)

    response_future2 = rig.append_to_accumulator(TP0)
    rig.prepare(rig.produce_request_matcher(PRODUCER_ID, initial_epoch, TP0),
                rig.produce_response(TP0, 0, Errors.UNKNOWN_PRODUCER_ID, 0, 0))
    rig.run_until(response_future2.is_done)

    assert rig.manager.has_abortable_error()
    abort_result = rig.manager.begin_abort()

    rig.prepare_end_txn_response(Errors.NONE, TransactionResult.ABORT, PRODUCER_ID, initial_epoch)
    rig.prepare_init_pid_response(Errors.NONE, False, PRODUCER_ID, bumped_epoch)
    rig.run_until(lambda: rig.manager.producer_id_and_epoch().epoch == bumped_epoch)

    assert abort_result.is_completed()
    assert abort_result.is_successful()
    abort_result.await_()
    assert rig.manager.is_ready()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, bumped_epoch, PRODUCER_ID)
    rig.run_until(lambda: rig.manager.is_partition_added(TP0))

    assert rig.manager.sequence_number(TP0) == 0


def test_bump_transactional_epoch_on_timeout(rig):
    initial_epoch = 1
    bumped_epoch = 2

    rig.do_init_transactions(PRODUCER_ID, initial_epoch)

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, initial_epoch, PRODUCER_ID)
    rig.run_until(lambda: rig.manager.is_partition_added(TP0))

    response_future0 = rig.append_to_accumulator(TP0)
    rig.prepare_produce_response(Errors.NONE, PRODUCER_ID, initial_epoch)
    rig.run_until(response_future0.is_done)

    response_future1 = rig.append_to_accumulator(TP0)
    rig.prepare_produce_response(Errors.NONE, PRODUCER_ID, initial_epoch)
    rig.run_until(response_future1.is_done)

    response_future2 = rig.append_to_accumulator(TP0)
    rig.run_until(rig.client.has_in_flight_requests)

    rig.disconnect_broker()

    rig.run_until(response_future2.is_done)

    assert rig.manager.has_abortable_error()
    abort_result = rig.manager.begin_abort()

    rig.sender.run_once()
    rig.time.sleep(110)

    rig.prepare_find_coordinator_response(Errors.NONE, False, CoordinatorType.TRANSACTION, TRANSACTIONAL_ID)
    rig.prepare_end_txn_response(Errors.NONE, TransactionResult.ABORT, PRODUCER_ID, initial_epoch)
    rig.prepare_init_pid_response(Errors.NONE, False, PRODUCER_ID, bumped_epoch)
    rig.run_until(lambda: rig.manager.producer_id_and_epoch().epoch == bumped_epoch)

    assert abort_result.is_completed()
    assert abort_result.is_successful()
    abort_result.await_()
    assert rig.manager.is_ready()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, bumped_epoch, PRODUCER_ID)
    rig.run_until(lambda: rig.manager.is_partition_added(TP0))

    assert rig.manager.sequence_number(TP0) == 0


def test_bump_transactional_epoch_on_recoverable_add_partition_request_error(rig):
    initial_epoch = 1
    bumped_epoch = 2

    rig.do_init_transactions(PRODUCER_ID, initial_epoch)

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)
    rig.prepare_add_partitions_to_txn_response(Errors.INVALID_PRODUCER_ID_MAPPING, TP0, initial_epoch,
                                               PRODUCER_ID)
    rig.run_until(rig.manager.has_abortable_error)
    abort_result = rig.manager.begin_abort()

    rig.prepare_init_pid_response(Errors.NONE, False, PRODUCER_ID, bumped_epoch)
    rig.run_until(abort_result.is_completed)
    assert rig.manager.producer_id_and_epoch().epoch == bumped_epoch
    assert abort_result.is_successful()
    assert rig.manager.is_ready()


def test_bump_transactional_epoch_on_recoverable_add_offsets_request_error(rig):
    initial_epoch = 1
    bumped_epoch = 2

    rig.do_init_transactions(PRODUCER_ID, initial_epoch)

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    response_future = rig.append_to_accumulator(TP0)

    assert not response_future.is_done()
    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, initial_epoch, PRODUCER_ID)
    rig.prepare_produce_response(Errors.NONE, PRODUCER_ID, initial_epoch)
    rig.run_until(response_future.is_done)

    offsets = {TP0: OffsetAndMetadata(1)}
    rig.manager.send_offsets_to_transaction(offsets, ConsumerGroupMetadata(CONSUMER_GROUP_ID))
    assert not rig.manager.has_pending_offset_commits()
    rig.prepare_add_offsets_to_txn_response(Errors.INVALID_PRODUCER_ID_MAPPING, CONSUMER_GROUP_ID,
                                            PRODUCER_ID, initial_epoch)
    rig.run_until(rig.manager.has_abortable_error)
    abort_result = rig.manager.begin_abort()

    rig.prepare_end_txn_response(Errors.NONE, TransactionResult.ABORT, PRODUCER_ID, initial_epoch)
    rig.prepare_init_pid_response(Errors.NONE, False, PRODUCER_ID, bumped_epoch)
    rig.run_until(abort_result.is_completed)
    assert rig.manager.producer_id_and_epoch().epoch == bumped_epoch
    assert abort_result.is_successful()
    assert rig.manager.is_ready()


def test_healthy_partition_retries_during_epoch_bump(rig):
    rig.initialize_transaction_manager(None)
    sender = rig.new_sender(Metrics(time=rig.time), rig.accumulator, False, REQUEST_TIMEOUT, 50)
    rig.initialize_idempotent_producer_id(PRODUCER_ID, EPOCH)

    tp0b1 = rig.write_idempotent_batch_with_value(TP0, "1")
    tp0b2 = rig.write_idempotent_batch_with_value(TP0, "2")
    rig.write_idempotent_batch_with_value(TP0, "3")
    tp1b1 = rig.write_idempotent_batch_with_value(TP1, "4")
    tp1b2 = rig.write_idempotent_batch_with_value(TP1, "5")
    assert rig.manager.sequence_number(TP0) == 3
    assert rig.manager.sequence_number(TP1) == 2

    b1_append_time = rig.time.milliseconds()
    t0b1_response = PartitionResponse(Errors.NONE, 500, b1_append_time, 0)
    tp0b1.complete(500, b1_append_time)
    rig.manager.handle_completed_batch(tp0b1, t0b1_response)

    t1b1_response = PartitionResponse(Errors.NONE, 500, b1_append_time, 0)
    tp1b1.complete(500, b1_append_time)
    rig.manager.handle_completed_batch(tp1b1, t1b1_response)

    t0b2_response = PartitionResponse(Errors.UNKNOWN_PRODUCER_ID, -1, -1, 500)
    assert rig.manager.can_retry(t0b2_response, tp0b2)

    rig.run_until(lambda: rig.manager.producer_id_and_epoch().epoch == 2)

    assert rig.manager.next_batch_by_sequence(TP0) is tp0b2
    assert rig.manager.first_in_flight_sequence(TP0) == 0
    assert tp0b2.base_sequence() == 0
    assert tp0b2.sequence_has_been_reset()
    assert tp0b2.producer_epoch() == 2

    assert rig.manager.next_batch_by_sequence(TP1) is tp1b2
    assert rig.manager.first_in_flight_sequence(TP1) == 1
    assert tp1b2.base_sequence() == 1
    assert not tp1b2.sequence_has_been_reset()
    assert tp1b2.producer_epoch() == 1

    rig.append_to_accumulator(TP1)
    sender.run_once()
    assert len(rig.accumulator.get_deque(TP1)) == 1

    t1b2_response = PartitionResponse(Errors.NOT_LEADER_OR_FOLLOWER, -1, -1, 600)
    assert rig.manager.can_retry(t1b2_response, tp1b2)
    rig.accumulator.reenqueue(tp1b2, rig.time.milliseconds())

    sender.run_once()
    assert len(rig.accumulator.get_deque(TP1)) == 1
    assert rig.accumulator.get_deque(TP1)[0] is not tp1b2
    assert tp1b2.producer_epoch() == EPOCH

    t1b2_response = PartitionResponse(Errors.NONE, 500, b1_append_time, 0)
    tp1b2.complete(500, b1_append_time)
    rig.manager.handle_completed_batch(tp1b2, t1b2_response)

    rig.manager.maybe_update_producer_id_and_epoch(TP1)
    assert not rig.manager.has_inflight_batches(TP1)
    assert rig.manager.sequence_number(TP1) == 0

    rig.run_until(lambda: rig.manager.has_inflight_batches(TP1))
    assert not rig.accumulator.get_deque(TP1)
    tp1b3 = rig.manager.next_batch_by_sequence(TP1)
    assert tp1b3.producer_epoch() == EPOCH + 1

    t1b3_response = PartitionResponse(Errors.NONE, 500, b1_append_time, 0)
    tp1b3.complete(500, b1_append_time)
    rig.manager.handle_completed_batch(tp1b3, t1b3_response)

    rig.manager.maybe_update_producer_id_and_epoch(TP1)
    assert not rig.manager.has_inflight_batches(TP1)
    assert rig.manager.sequence_number(TP1) == 1


def test_retry_abort_transaction(rig):
    verify_commit_or_abort_transaction_retriable(rig, TransactionResult.ABORT, TransactionResult.ABORT)


def test_retry_commit_transaction(rig):
    verify_commit_or_abort_transaction_retriable(rig, TransactionResult.COMMIT, TransactionResult.COMMIT)


def test_retry_abort_transaction_after_commit_timeout(rig):
    with pytest.raises(IllegalStateException):
        verify_commit_or_abort_transaction_retriable(rig, TransactionResult.COMMIT, TransactionResult.ABORT)


def test_retry_commit_transaction_after_abort_timeout(rig):
    with pytest.raises(IllegalStateException):
        verify_commit_or_abort_transaction_retriable(rig, TransactionResult.ABORT, TransactionResult.COMMIT)


def test_can_bump_epoch_during_coordinator_disconnect(rig):
    rig.do_init_transactions(0, 0)
    rig.run_until(lambda: rig.manager.coordinator(CoordinatorType.TRANSACTION) is not None)
    assert rig.manager.can_bump_epoch()

    rig.api_versions.remove(rig.manager.coordinator(CoordinatorType.TRANSACTION).id_string())
    assert rig.manager.can_bump_epoch()


def test_failed_inflight_batch_after_epoch_bump(rig):
    rig.initialize_transaction_manager(None)
    sender = rig.new_sender(Metrics(time=rig.time), rig.accumulator, False, REQUEST_TIMEOUT, 50)
    rig.initialize_idempotent_producer_id(PRODUCER_ID, EPOCH)

    tp0b1 = rig.write_idempotent_batch_with_value(TP0, "1")
    tp0b2 = rig.write_idempotent_batch_with_value(TP0, "2")
    rig.write_idempotent_batch_with_value(TP0, "3")
    tp1b1 = rig.write_idempotent_batch_with_value(TP1, "4")
    tp1b2 = rig.write_idempotent_batch_with_value(TP1, "5")
    assert rig.manager.sequence_number(TP0) == 3
    assert rig.manager.sequence_number(TP1) == 2

    b1_append_time = rig.time.milliseconds()
    t0b1_response = PartitionResponse(Errors.NONE, 500, b1_append_time, 0)
    tp0b1.complete(500, b1_append_time)
    rig.manager.handle_completed_batch(tp0b1, t0b1_response)

    t1b1_response = PartitionResponse(Errors.NONE, 500, b1_append_time, 0)
    tp1b1.complete(500, b1_append_time)
    rig.manager.handle_completed_batch(tp1b1, t1b1_response)

    t0b2_response = PartitionResponse(Errors.UNKNOWN_PRODUCER_ID, -1, -1, 500)
    assert rig.manager.can_retry(t0b2_response, tp0b2)

    rig.run_until(lambda: rig.manager.producer_id_and_epoch().epoch == 2)

    assert rig.manager.next_batch_by_sequence(TP0) is tp0b2
    assert rig.manager.first_in_flight_sequence(TP0) == 0
    assert tp0b2.base_sequence() == 0
    assert tp0b2.sequence_has_been_reset()
    assert tp0b2.producer_epoch() == 2

    assert rig.manager.next_batch_by_sequence(TP1) is tp1b2
    assert rig.manager.first_in_flight_sequence(TP1) == 1
    assert tp1b2.base_sequence() == 1
    assert not tp1b2.sequence_has_been_reset()
    assert tp1b2.producer_epoch() == 1

    rig.append_to_accumulator(TP1)
    sender.run_once()
    assert len(rig.accumulator.get_deque(TP1)) == 1

    t1b2_response = PartitionResponse(Errors.NOT_LEADER_OR_FOLLOWER, -1, -1, 600)
    assert rig.manager.can_retry(t1b2_response, tp1b2)
    rig.accumulator.reenqueue(tp1b2, rig.time.milliseconds())

    sender.run_once()
    assert len(rig.accumulator.get_deque(TP1)) == 1
    assert rig.accumulator.get_deque(TP1)[0] is not tp1b2
    assert tp1b2.producer_epoch() == EPOCH

    t1b2_response = PartitionResponse(Errors.NONE, 500, b1_append_time, 0)
    tp1b2.complete(500, b1_append_time)
    rig.manager.handle_completed_batch(tp1b2, t1b2_response)

    rig.manager.maybe_update_producer_id_and_epoch(TP1)
    assert not rig.manager.has_inflight_batches(TP1)
    assert rig.manager.sequence_number(TP1) == 0

    rig.run_until(lambda: rig.manager.has_inflight_batches(TP1))
    assert not rig.accumulator.get_deque(TP1)
    tp1b3 = rig.manager.next_batch_by_sequence(TP1)
    assert tp1b3.producer_epoch() == EPOCH + 1

    t1b3_response = PartitionResponse(Errors.NONE, 500, b1_append_time, 0)
    tp1b3.complete(500, b1_append_time)
    rig.manager.handle_completed_batch(tp1b3, t1b3_response)

    assert not rig.manager.has_inflight_batches(TP1)
    assert rig.manager.sequence_number(TP1) == 1


def test_background_invalid_state_transition_is_fatal(rig):
    rig.do_init_transactions()
    assert rig.manager.is_transactional()

    rig.manager.set_poison_state_on_invalid_transition(True)

    with pytest.raises(IllegalStateException):
        rig.manager.handle_failed_batch(rig.batch_with_value(TP0, "test"), KafkaException(), False)
    assert rig.manager.has_fatal_error()

    with pytest.raises(IllegalStateException):
        rig.manager.begin_transaction()
    with pytest.raises(IllegalStateException):
        rig.manager.begin_abort()
    with pytest.raises(IllegalStateException):
        rig.manager.begin_commit()
    with pytest.raises(IllegalStateException):
        rig.manager.maybe_add_partition(TP0)
    with pytest.raises(IllegalStateException):
        rig.manager.initialize_transactions()
    with pytest.raises(IllegalStateException):
        rig.manager.send_offsets_to_transaction({}, ConsumerGroupMetadata("fake-group-id"))


def test_foreground_invalid_state_transition_is_recoverable(rig):
    with pytest.raises(IllegalStateException):
        rig.manager.begin_abort()
    assert not rig.manager.has_fatal_error()

    rig.do_init_transactions()
    assert rig.manager.is_transactional()

    rig.manager.begin_transaction()
    assert not rig.manager.has_fatal_error()

    rig.manager.maybe_add_partition(TP1)
    assert rig.manager.has_ongoing_transaction()

    rig.prepare_add_partitions_to_txn({TP1: Errors.NONE})
    rig.run_until(lambda: rig.manager.is_partition_added(TP1))

    retry_result = rig.manager.begin_commit()
    assert rig.manager.has_ongoing_transaction()

    rig.prepare_end_txn_response(Errors.NONE, TransactionResult.COMMIT, PRODUCER_ID, EPOCH)
    rig.run_until(lambda: not rig.manager.has_ongoing_transaction())
    rig.run_until(retry_result.is_completed)
    retry_result.await_()
    rig.run_until(retry_result.is_acked)
    assert not rig.manager.has_ongoing_transaction()


def test_transaction_abortable_exception_in_init_producer_id(rig):
    init_pid_result = rig.manager.initialize_transactions()
    rig.find_transaction_coordinator()

    rig.prepare_init_pid_response(Errors.TRANSACTION_ABORTABLE, False, PRODUCER_ID,
                                  RecordBatch.NO_PRODUCER_EPOCH)
    rig.run_until(rig.manager.has_error)
    assert init_pid_result.is_completed()
    assert not init_pid_result.is_successful()
    with pytest.raises(TransactionAbortableException):
        init_pid_result.await_()
    rig.assert_abortable_error(TransactionAbortableException)


def test_transaction_abortable_exception_in_add_partitions(rig):
    tp = TopicPartition("foo", 0)

    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(tp)

    rig.prepare_add_partitions_to_txn({tp: Errors.TRANSACTION_ABORTABLE})
    rig.run_until(rig.manager.has_error)
    assert isinstance(rig.manager.last_error(), TransactionAbortableException)

    rig.assert_abortable_error(TransactionAbortableException)


def test_transaction_abortable_exception_in_find_coordinator(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    send_offsets_result = rig.manager.send_offsets_to_transaction(
        {TP_FOO: OffsetAndMetadata(39)}, ConsumerGroupMetadata(CONSUMER_GROUP_ID))

    rig.prepare_add_offsets_to_txn_response(Errors.NONE, CONSUMER_GROUP_ID, PRODUCER_ID, EPOCH)
    rig.run_until(lambda: not rig.manager.has_partitions_to_add())

    rig.prepare_find_coordinator_response(Errors.TRANSACTION_ABORTABLE, False, CoordinatorType.GROUP,
                                          CONSUMER_GROUP_ID)
    rig.run_until(rig.manager.has_error)
    assert isinstance(rig.manager.last_error(), TransactionAbortableException)

    rig.run_until(send_offsets_result.is_completed)
    assert not send_offsets_result.is_successful()
    assert isinstance(send_offsets_result.error(), TransactionAbortableException)

    rig.assert_abortable_error(TransactionAbortableException)


def test_transaction_abortable_exception_in_end_txn(rig):
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)
    commit_result = rig.manager.begin_commit()

    response_future = rig.append_to_accumulator(TP0)

    assert not response_future.is_done()
    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, EPOCH, PRODUCER_ID)
    rig.prepare_produce_response(Errors.NONE, PRODUCER_ID, EPOCH)
    rig.prepare_end_txn_response(Errors.TRANSACTION_ABORTABLE, TransactionResult.COMMIT, PRODUCER_ID, EPOCH)

    rig.run_until(commit_result.is_completed)
    rig.run_until(response_future.is_done)

    with pytest.raises(KafkaException):
        commit_result.await_()
    assert not commit_result.is_successful()
    assert commit_result.is_acked()

    rig.assert_abortable_error(TransactionAbortableException)


def test_transaction_abortable_exception_in_add_offsets_to_txn(rig):
    tp = TopicPartition("foo", 0)

    rig.do_init_transactions()

    rig.manager.begin_transaction()
    send_offsets_result = rig.manager.send_offsets_to_transaction(
        {tp: OffsetAndMetadata(39)}, ConsumerGroupMetadata(CONSUMER_GROUP_ID))

    rig.prepare_add_offsets_to_txn_response(Errors.TRANSACTION_ABORTABLE, CONSUMER_GROUP_ID, PRODUCER_ID,
                                            EPOCH)
    rig.run_until(rig.manager.has_error)
    assert isinstance(rig.manager.last_error(), TransactionAbortableException)
    assert send_offsets_result.is_completed()
    assert not send_offsets_result.is_successful()
    assert isinstance(send_offsets_result.error(), TransactionAbortableException)

    rig.assert_abortable_error(TransactionAbortableException)


def test_transaction_abortable_exception_in_txn_offset_commit(rig):
    tp = TopicPartition("foo", 0)

    rig.do_init_transactions()

    rig.manager.begin_transaction()
    send_offsets_result = rig.manager.send_offsets_to_transaction(
        {tp: OffsetAndMetadata(39)}, ConsumerGroupMetadata(CONSUMER_GROUP_ID))

    rig.prepare_add_offsets_to_txn_response(Errors.NONE, CONSUMER_GROUP_ID, PRODUCER_ID, EPOCH)
    rig.prepare_find_coordinator_response(Errors.NONE, False, CoordinatorType.GROUP, CONSUMER_GROUP_ID)
    rig.prepare_txn_offset_commit_response(CONSUMER_GROUP_ID, PRODUCER_ID, EPOCH,
                                           {tp: Errors.TRANSACTION_ABORTABLE})
    rig.run_until(rig.manager.has_error)

    assert isinstance(rig.manager.last_error(), TransactionAbortableException)
    assert send_offsets_result.is_completed()
    assert not send_offsets_result.is_successful()
    assert isinstance(send_offsets_result.error(), TransactionAbortableException)
    rig.assert_abortable_error(TransactionAbortableException)


class LockedManager(TransactionManager):
    """Notes which fields a thread reads or sets without the lock, from ``guard`` on."""

    READ_LOCKED = frozenset({
        "_new_partitions_in_transaction", "_pending_partitions_in_transaction", "_partitions_in_transaction",
        "_pending_requests", "_pending_txn_offset_commits", "_partitions_with_unresolved_sequences",
        "_partitions_to_rewrite_sequences", "_txn_partition_map", "_pending_transition"})
    WRITE_LOCKED = READ_LOCKED | {
        "_current_state", "_last_error", "_producer_id_and_epoch", "_transaction_started",
        "_epoch_bump_required"}

    def guard(self) -> None:
        self.lock = RecordingLock()
        self.unlocked: list[str] = []
        self._lock = self.lock  # type: ignore[assignment]

    def __getattribute__(self, name: str) -> object:
        if name in LockedManager.READ_LOCKED:
            self._note(name)
        return super().__getattribute__(name)

    def __setattr__(self, name: str, value: object) -> None:
        if name in LockedManager.WRITE_LOCKED:
            self._note(name)
        super().__setattr__(name, value)

    def _note(self, name: str) -> None:
        guarded = vars(self)
        if "unlocked" in guarded and not guarded["lock"].depth:
            guarded["unlocked"].append(name)


class RecordingLock:
    """A reentrant lock for one thread."""

    def __init__(self) -> None:
        self.depth = 0
        self.taken = 0

    def __enter__(self) -> None:
        self.depth += 1
        self.taken += 1

    def __exit__(self, *_: object) -> None:
        self.depth -= 1


@pytest.mark.parametrize("call", [
    lambda manager, batch: manager.initialize_transactions(),
    lambda manager, batch: manager.initialize_transactions_producer_id_and_epoch(ProducerIdAndEpoch.NONE),
    lambda manager, batch: manager.begin_transaction(),
    lambda manager, batch: manager.begin_commit(),
    lambda manager, batch: manager.begin_abort(),
    lambda manager, batch: manager.send_offsets_to_transaction(
        {TP0: OffsetAndMetadata(1)}, ConsumerGroupMetadata(CONSUMER_GROUP_ID)),
    lambda manager, batch: manager.maybe_add_partition(TP1),
    lambda manager, batch: manager.is_send_to_partition_allowed(TP0),
    lambda manager, batch: manager.has_partitions_to_add(),
    lambda manager, batch: manager.is_completing(),
    lambda manager, batch: manager.has_error(),
    lambda manager, batch: manager.is_aborting(),
    lambda manager, batch: manager.transition_to_abortable_error(KafkaException()),
    lambda manager, batch: manager.transition_to_fatal_error(KafkaException()),
    lambda manager, batch: manager.is_partition_added(TP0),
    lambda manager, batch: manager.is_partition_pending_add(TP0),
    lambda manager, batch: manager.maybe_update_producer_id_and_epoch(TP1),
    lambda manager, batch: manager.request_epoch_bump_for_partition(TP0),
    lambda manager, batch: manager.bump_idempotent_epoch_and_reset_id_if_needed(),
    lambda manager, batch: manager.sequence_number(TP0),
    lambda manager, batch: manager.producer_id_and_epoch_topic_partition(TP0),
    lambda manager, batch: manager.increment_sequence_number(TP0, 1),
    lambda manager, batch: manager.add_in_flight_batch(batch),
    lambda manager, batch: manager.first_in_flight_sequence(TP0),
    lambda manager, batch: manager.next_batch_by_sequence(TP0),
    lambda manager, batch: manager.remove_in_flight_batch(batch),
    lambda manager, batch: manager.last_acked_sequence(TP0),
    lambda manager, batch: manager.last_acked_offset(TP0),
    lambda manager, batch: manager.handle_completed_batch(batch, PartitionResponse(Errors.NONE, 0, 0, 0)),
    lambda manager, batch: manager.transition_to_uninitialized(KafkaException()),
    lambda manager, batch: manager.maybe_transition_to_error_state(KafkaException()),
    lambda manager, batch: manager.handle_failed_batch(batch, KafkaException(), False),
    lambda manager, batch: manager.has_inflight_batches(TP0),
    lambda manager, batch: manager.has_stale_producer_id_and_epoch(TP0),
    lambda manager, batch: manager.has_unresolved_sequences(),
    lambda manager, batch: manager.has_unresolved_sequence(TP0),
    lambda manager, batch: manager.mark_sequence_unresolved(batch),
    lambda manager, batch: manager.maybe_resolve_sequences(),
    lambda manager, batch: manager.next_request(False),
    lambda manager, batch: manager.retry(Mock(TransactionManager.TxnRequestHandler)),
    lambda manager, batch: manager.authentication_failed(SaslAuthenticationException("")),
    lambda manager, batch: manager.fail_pending_requests(KafkaException()),
    lambda manager, batch: manager.close(),
    lambda manager, batch: manager.transaction_contains_partition(TP0),
    lambda manager, batch: manager.has_pending_offset_commits(),
    lambda manager, batch: manager.has_pending_requests(),
    lambda manager, batch: manager.has_ongoing_transaction(),
    lambda manager, batch: manager.can_retry(PartitionResponse(Errors.NONE, 0, 0, 0), batch),
    lambda manager, batch: manager.is_ready(),
    lambda manager, batch: manager.is_initializing(),
], ids=lambda call: call.__code__.co_names[0])
@pytest.mark.parametrize("transactional_id", [TRANSACTIONAL_ID, None])
def test_what_is_synchronized_in_the_origin_holds_the_lock(rig, call, transactional_id):
    """The sender's thread and the application's call these methods at the same time."""
    rig.manager_type = LockedManager
    rig.initialize_transaction_manager(transactional_id)
    if transactional_id is not None:
        rig.do_init_transactions()
        rig.manager.begin_transaction()
        rig.manager.maybe_add_partition(TP0)
    else:
        rig.initialize_idempotent_producer_id(PRODUCER_ID, EPOCH)
    batch = rig.write_idempotent_batch_with_value(TP0, "1")
    manager = rig.manager
    manager.guard()
    with suppress(KafkaException, IllegalStateException):
        call(manager, batch)
    assert manager.lock.taken > 0 and manager.lock.depth == 0
    assert manager.unlocked == []


def verify_producer_fenced_for_init_producer_id(rig: Rig, error: Errors) -> None:
    result = rig.manager.initialize_transactions()
    rig.find_transaction_coordinator()

    rig.prepare_init_pid_response(error, False, PRODUCER_ID, EPOCH)

    rig.run_until(rig.manager.has_error)

    with pytest.raises(ProducerFencedException):
        result.await_()

    verify_fenced_calls(rig)


def verify_producer_fenced_for_add_partitions_to_txn(rig: Rig, error: Errors) -> None:
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    response_future = rig.append_to_accumulator(TP0)

    assert not response_future.is_done()
    rig.prepare_add_partitions_to_txn_response(error, TP0, EPOCH, PRODUCER_ID)

    verify_producer_fenced(rig, response_future)


def verify_producer_fenced_for_add_offsets_to_txn(rig: Rig, error: Errors) -> None:
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.send_offsets_to_transaction({}, ConsumerGroupMetadata(CONSUMER_GROUP_ID))

    response_future = rig.append_to_accumulator(TP0)

    assert not response_future.is_done()
    rig.prepare_add_offsets_to_txn_response(error, CONSUMER_GROUP_ID, PRODUCER_ID, EPOCH)

    verify_producer_fenced(rig, response_future)


def verify_producer_fenced(rig: Rig, response_future: FutureRecordMetadata) -> None:
    rig.run_until(response_future.is_done)
    assert rig.manager.has_error()
    assert_future_throws(response_future, ProducerFencedException)
    verify_fenced_calls(rig)


def verify_fenced_calls(rig: Rig) -> None:
    for call in (rig.manager.begin_transaction, rig.manager.begin_commit, rig.manager.begin_abort,
                 lambda: rig.manager.send_offsets_to_transaction({}, ConsumerGroupMetadata("dummyId"))):
        with pytest.raises(ProducerFencedException):
            call()


def add_two_offsets(rig: Rig, group_metadata: ConsumerGroupMetadata) -> TransactionalRequestResult:
    """Begin a transaction with offsets of two partitions that the coordinator is about to add."""
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    offsets = {TP0: OffsetAndMetadata(1), TP1: OffsetAndMetadata(1)}
    add_offsets_result = rig.manager.send_offsets_to_transaction(offsets, group_metadata)
    rig.prepare_add_offsets_to_txn_response(Errors.NONE, CONSUMER_GROUP_ID, PRODUCER_ID, EPOCH)
    return add_offsets_result


def verify_retriable_error_in_txn_offset_commit(rig: Rig, error: Errors) -> None:
    add_offsets_result = add_two_offsets(rig, ConsumerGroupMetadata(CONSUMER_GROUP_ID))
    rig.run_until(lambda: not rig.client.has_pending_responses())
    assert not add_offsets_result.is_completed()

    rig.prepare_find_coordinator_response(Errors.NONE, False, CoordinatorType.GROUP, CONSUMER_GROUP_ID)
    rig.prepare_txn_offset_commit_response(CONSUMER_GROUP_ID, PRODUCER_ID, EPOCH,
                                           {TP0: Errors.NONE, TP1: error})

    assert rig.manager.coordinator(CoordinatorType.GROUP) is None
    rig.run_until(lambda: rig.manager.coordinator(CoordinatorType.GROUP) is not None)
    assert rig.manager.has_pending_offset_commits()

    rig.run_until(rig.manager.has_pending_offset_commits)
    assert not add_offsets_result.is_completed()

    rig.prepare_txn_offset_commit_response(
        CONSUMER_GROUP_ID, PRODUCER_ID, EPOCH, {TP0: Errors.NONE, TP1: Errors.NONE})
    rig.run_until(add_offsets_result.is_completed)
    assert add_offsets_result.is_successful()


def verify_fatal_error_in_txn_offset_commit(rig: Rig, triggered_error: Errors,
                                            resulting_error: Errors) -> None:
    add_offsets_result = add_two_offsets(rig, ConsumerGroupMetadata(CONSUMER_GROUP_ID))
    rig.run_until(lambda: not rig.client.has_pending_responses())
    assert not add_offsets_result.is_completed()

    rig.prepare_find_coordinator_response(Errors.NONE, False, CoordinatorType.GROUP, CONSUMER_GROUP_ID)
    rig.prepare_txn_offset_commit_response(
        CONSUMER_GROUP_ID, PRODUCER_ID, EPOCH, {TP0: Errors.NONE, TP1: triggered_error})

    rig.run_until(add_offsets_result.is_completed)
    assert not add_offsets_result.is_successful()
    assert type(add_offsets_result.error()) is type(resulting_error.exception())


def prepare_group_metadata_commit(
        rig: Rig, prepare_txn_commit_response: Callable[[], None]) -> TransactionalRequestResult:
    add_offsets_result = add_two_offsets(
        rig, ConsumerGroupMetadata(CONSUMER_GROUP_ID, GENERATION_ID, MEMBER_ID, GROUP_INSTANCE_ID))

    rig.sender.run_once()

    assert not add_offsets_result.is_completed()

    rig.prepare_find_coordinator_response(Errors.NONE, False, CoordinatorType.GROUP, CONSUMER_GROUP_ID)
    prepare_txn_commit_response()

    assert rig.manager.coordinator(CoordinatorType.GROUP) is None
    rig.sender.run_once()
    rig.sender.run_once()
    assert rig.manager.coordinator(CoordinatorType.GROUP) is not None
    assert rig.manager.has_pending_offset_commits()
    return add_offsets_result


def verify_commit_or_abort_transaction_retriable(rig: Rig, first_transaction_result: TransactionResult,
                                                 retry_transaction_result: TransactionResult) -> None:
    begin = {TransactionResult.COMMIT: rig.manager.begin_commit,
             TransactionResult.ABORT: rig.manager.begin_abort}
    rig.do_init_transactions()

    rig.manager.begin_transaction()
    rig.manager.maybe_add_partition(TP0)

    rig.append_to_accumulator(TP0)

    rig.prepare_add_partitions_to_txn_response(Errors.NONE, TP0, EPOCH, PRODUCER_ID)
    rig.prepare_produce_response(Errors.NONE, PRODUCER_ID, EPOCH)
    rig.run_until(lambda: not rig.client.has_pending_responses())

    result = begin[first_transaction_result]()
    rig.prepare_end_txn_response(Errors.NONE, first_transaction_result, PRODUCER_ID, EPOCH, True)
    rig.run_until(lambda: not rig.client.has_pending_responses())
    assert not result.is_completed()
    with pytest.raises(TimeoutException):
        result.await_timeout(1, TimeUnit.MILLISECONDS)

    rig.prepare_find_coordinator_response(Errors.NONE, False, CoordinatorType.TRANSACTION, TRANSACTIONAL_ID)
    rig.run_until(lambda: not rig.client.has_pending_responses())
    retry_result = begin[retry_transaction_result]()
    assert retry_result is result

    rig.prepare_end_txn_response(Errors.NONE, retry_transaction_result, PRODUCER_ID, EPOCH, False)
    rig.run_until(retry_result.is_completed)
    assert not rig.manager.has_ongoing_transaction()


def assert_produce_failed(future: FutureRecordMetadata) -> None:
    assert future.is_done()
    assert_future_throws(future, Exception)
