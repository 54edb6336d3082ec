# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.SenderTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The sender's thread, step by step, over a client without a network."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from unittest.mock import Mock

import pytest

from kreactor.clients.api_versions import ApiVersions
from kreactor.clients.client_request import ClientRequest
from kreactor.clients.client_response import ClientResponse
from kreactor.clients.least_loaded_node import LeastLoadedNode
from kreactor.clients.metadata_recovery_strategy import MetadataRecoveryStrategy
from kreactor.clients.network_client import NetworkClient
from kreactor.clients.node_api_versions import NodeApiVersions
from kreactor.clients.producer.internals.buffer_pool import BufferPool
from kreactor.clients.producer.internals.future_record_metadata import FutureRecordMetadata
from kreactor.clients.producer.internals.producer_metadata import ProducerMetadata
from kreactor.clients.producer.internals.record_accumulator import RecordAccumulator
from kreactor.clients.producer.internals.sender import Sender
from kreactor.clients.producer.internals.sender_metrics_registry import SenderMetricsRegistry
from kreactor.clients.producer.internals.transaction_manager import TransactionManager
from kreactor.clients.producer.record_metadata import RecordMetadata
from kreactor.common.cluster import Cluster
from kreactor.common.compress.compression import Compression
from kreactor.common.errors import (
    ClusterAuthorizationException,
    InvalidRequestException,
    InvalidTxnStateException,
    NetworkException,
    RecordTooLargeException,
    TimeoutException,
    TopicAuthorizationException,
    TransactionAbortableException,
    TransactionAbortedException,
    UnsupportedForMessageFormatException,
    UnsupportedVersionException,
)
from kreactor.common.internals.cluster_resource_listeners import ClusterResourceListeners
from kreactor.common.invalid_record_exception import InvalidRecordException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.message.add_partitions_to_txn_response_data import AddPartitionsToTxnResponseData
from kreactor.common.message.api_message_type import ListenerType
from kreactor.common.message.end_txn_response_data import EndTxnResponseData
from kreactor.common.message.init_producer_id_response_data import InitProducerIdResponseData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.message.produce_response_data import ProduceResponseData
from kreactor.common.metric_name_template import MetricNameTemplate
from kreactor.common.metrics.metric_config import MetricConfig
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.network_receive import NetworkReceive
from kreactor.common.node import Node
from kreactor.common.partition_info import PartitionInfo
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.compression_ratio_estimator import CompressionRatioEstimator
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record import Record
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.record_version import RecordVersion
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.add_partitions_to_txn_response import AddPartitionsToTxnResponse
from kreactor.common.requests.api_versions_response import ApiVersionsResponse
from kreactor.common.requests.end_txn_request import EndTxnRequest
from kreactor.common.requests.end_txn_response import EndTxnResponse
from kreactor.common.requests.find_coordinator_request import FindCoordinatorRequest
from kreactor.common.requests.find_coordinator_response import FindCoordinatorResponse
from kreactor.common.requests.init_producer_id_request import InitProducerIdRequest
from kreactor.common.requests.init_producer_id_response import InitProducerIdResponse
from kreactor.common.requests.metadata_request import MetadataRequest
from kreactor.common.requests.produce_request import ProduceRequest
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.requests.transaction_result import TransactionResult
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.producer_id_and_epoch import ProducerIdAndEpoch
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.testing.mock_time import MockTime
from tests.clients.mock_client import MockClient
from tests.clients.mock_selector import DelayedReceive, MockSelector
from tests.clients.producer.internals.producer_test_utils import run_until
from tests.common.requests.request_test_utils import RequestTestUtils

BatchIndexAndErrorMessage = ProduceResponseData.BatchIndexAndErrorMessage
CoordinatorType = FindCoordinatorRequest.CoordinatorType
PartitionResponse = ProduceResponse.PartitionResponse

MAX_REQUEST_SIZE = 1024 * 1024
ACKS_ALL = -1
CLIENT_ID = "clientId"
MAX_BLOCK_TIMEOUT = 1000
REQUEST_TIMEOUT = 5000
RETRY_BACKOFF_MS = 50
DELIVERY_TIMEOUT_MS = 1500
TOPIC_IDLE_MS = 60 * 1000
BATCH_SIZE = 16 * 1024
TOTAL_SIZE = 1024 * 1024
TP0 = TopicPartition("test", 0)
TP1 = TopicPartition("test", 1)
TP2 = TopicPartition("test", 2)
INT_MAX_VALUE = 2**31 - 1
LONG_MAX_VALUE = 2**63 - 1


def singleton_cluster(topic: str = "topic1", partitions: int = 1) -> Cluster:
    node = Node(0, "localhost", 1969)
    return Cluster("kafka-cluster", [node],
                   [PartitionInfo(topic, i, node, [], []) for i in range(partitions)], set(), set())


class OffsetAndError:
    """The response for one partition."""

    def __init__(self, offset: int, error: Errors,
                 record_errors: list[BatchIndexAndErrorMessage] | None = None) -> None:
        self.offset = offset
        self.error = error
        self.record_errors = record_errors or []


class AssertEndTxnRequestMatcher:
    """Takes the end of a transaction, which must be the one that is expected."""

    def __init__(self, required_result: TransactionResult) -> None:
        self.required_result = required_result
        self.matched = False

    def __call__(self, body: AbstractRequest) -> bool:
        if isinstance(body, EndTxnRequest):
            assert body.result() is self.required_result
            self.matched = True
            return True
        return False


class MatchingBufferPool(BufferPool):
    """Raises when a buffer comes back that is not out."""

    def __init__(self, total_size: int, batch_size: int, metrics: Metrics, time: MockTime,
                 metric_grp_name: str) -> None:
        super().__init__(total_size, batch_size, metrics, time, metric_grp_name)
        self.allocated_buffers: dict[int, ByteBuffer] = {}

    def allocate(self, size: int, max_time_to_block_ms: int) -> ByteBuffer:
        buffer = super().allocate(size, max_time_to_block_ms)
        self.allocated_buffers[id(buffer)] = buffer
        return buffer

    def deallocate_size(self, buffer: ByteBuffer, size: int) -> None:
        if id(buffer) not in self.allocated_buffers:
            raise IllegalStateException("Deallocating a buffer that is not allocated")
        del self.allocated_buffers[id(buffer)]
        super().deallocate_size(buffer, size)

    def all_match(self) -> bool:
        return not self.allocated_buffers


class RecordingClient(MockClient):
    """Keeps the names of the methods that were called, and for how long each poll might wait."""

    def __init__(self, time: MockTime, metadata: ProducerMetadata) -> None:
        super().__init__(time, metadata)
        self.calls: list[str] = []
        self.polls: list[int] = []

    def ready(self, node: Node, now: int) -> bool:
        self.calls.append("ready")
        return super().ready(node, now)

    def send(self, request: ClientRequest, now: int) -> None:
        self.calls.append("send")
        super().send(request, now)

    def poll(self, timeout: int, now: int) -> list[ClientResponse]:
        self.calls.append("poll")
        self.polls.append(timeout)
        return super().poll(timeout, now)


class OneInFlightClient(MockClient):
    """Has no node for another request while one is in flight; a poll looks how many there are."""

    def __init__(self, time: MockTime, metadata: ProducerMetadata) -> None:
        super().__init__(time, metadata)
        self.metadata = metadata
        self.can_send_more = True

    def least_loaded_node(self, now: int) -> LeastLoadedNode:
        for node in self.metadata.fetch().nodes():
            if self.is_ready(node, now) and self.can_send_more:
                return LeastLoadedNode(node, True)
        return LeastLoadedNode(None, False)

    def poll(self, timeout: int, now: int) -> list[ClientResponse]:
        self.can_send_more = self.in_flight_request_count() < 1
        return super().poll(timeout, now)


def has_idempotent_records(body: AbstractRequest) -> bool:
    """Match a Produce request whose batches have a producer id."""
    return isinstance(body, ProduceRequest) and all(
        batch.has_producer_id()
        for records in partition_records(body).values() for batch in records.batches())


def partition_records(request: ProduceRequest) -> dict[TopicPartition, MemoryRecords]:
    found = {}
    for topic in request.data().topic_data:
        for partition in topic.partition_data:
            assert isinstance(partition.records, MemoryRecords)
            found[TopicPartition(topic.name, partition.index)] = partition.records
    return found


def produce_request_matcher(tp: TopicPartition, producer_id_and_epoch: ProducerIdAndEpoch, sequence: int,
                            is_transactional: bool) -> Callable[[AbstractRequest], bool]:
    def matcher(body: AbstractRequest) -> bool:
        if not isinstance(body, ProduceRequest):
            return False
        records = partition_records(body).get(tp)
        if records is None:
            return False
        [batch] = records.batches()
        return bool(batch.base_offset() == 0 and batch.base_sequence() == sequence
                    and batch.producer_id() == producer_id_and_epoch.producer_id
                    and batch.producer_epoch() == producer_id_and_epoch.epoch
                    and batch.is_transactional() == is_transactional)

    return matcher


class Rig:
    """A sender over a MockClient, and what it works with."""

    def __init__(self) -> None:
        self.time = MockTime()
        self.log_context = LogContext()
        self.metadata = ProducerMetadata(0, 0, LONG_MAX_VALUE, TOPIC_IDLE_MS, self.log_context,
                                         ClusterResourceListeners(), self.time)
        self.api_versions = ApiVersions()
        self.client: MockClient = MockClient(self.time, self.metadata)
        self.all_metrics: list[Metrics] = []
        self.setup_with_transaction_state(None)

    def close(self) -> None:
        for metrics in self.all_metrics:
            metrics.close()

    def new_metrics(self, client_id: str | None = None) -> Metrics:
        config = MetricConfig() if client_id is None else MetricConfig().tags_to({"client-id": client_id})
        metrics = Metrics(config, time=self.time)
        self.all_metrics.append(metrics)
        return metrics

    def setup_with_transaction_state(
            self, transaction_manager: TransactionManager | None, guarantee_order: bool = False,
            custom_pool: BufferPool | None = None, update_metadata: bool = True,
            retries: int = INT_MAX_VALUE, linger_ms: int = 0) -> None:
        self.metrics = self.new_metrics(CLIENT_ID)
        pool = (BufferPool(TOTAL_SIZE, BATCH_SIZE, self.metrics, self.time, "producer-metrics")
                if custom_pool is None else custom_pool)
        self.accumulator = self.new_accumulator(transaction_manager, pool, linger_ms=linger_ms)
        self.sender_metrics_registry = SenderMetricsRegistry(self.metrics)
        self.sender = self.new_sender(self.sender_metrics_registry, transaction_manager,
                                      guarantee_order=guarantee_order, retries=retries)
        self.metadata.add("test", self.time.milliseconds())
        if update_metadata:
            self.client.update_metadata(RequestTestUtils.metadata_update_with(1, {"test": 2}))

    def new_accumulator(
            self, transaction_manager: TransactionManager | None, pool: BufferPool, *, linger_ms: int = 0,
            retry_backoff_ms: int = 0, retry_backoff_max_ms: int = 0,
            delivery_timeout_ms: int = DELIVERY_TIMEOUT_MS, compression: Compression = Compression.NONE,
            partitioner_config: RecordAccumulator.PartitionerConfig | None = None) -> RecordAccumulator:
        return RecordAccumulator(
            self.log_context, BATCH_SIZE, compression, linger_ms, retry_backoff_ms, retry_backoff_max_ms,
            delivery_timeout_ms, self.new_metrics(), "producer-metrics", self.time, self.api_versions,
            transaction_manager, pool, partitioner_config)

    def new_sender(
            self, sender_metrics: SenderMetricsRegistry, transaction_manager: TransactionManager | None,
            *, guarantee_order: bool, retries: int, retry_backoff_ms: int = RETRY_BACKOFF_MS) -> Sender:
        return Sender(
            self.log_context, self.client, self.metadata, self.accumulator, guarantee_order, MAX_REQUEST_SIZE,
            ACKS_ALL, retries, sender_metrics, self.time, REQUEST_TIMEOUT, retry_backoff_ms,
            transaction_manager, self.api_versions)

    def create_transaction_manager(self) -> TransactionManager:
        """Without a transactional id."""
        return TransactionManager(LogContext(), None, 0, RETRY_BACKOFF_MS, ApiVersions())

    def append_to_accumulator(self, tp: TopicPartition, timestamp: int | None = None, key: str = "key",
                              value: str = "value") -> FutureRecordMetadata:
        now = self.time.milliseconds()
        future = self.accumulator.append(
            tp.topic(), tp.partition(), now if timestamp is None else timestamp, key.encode(), value.encode(),
            Record.EMPTY_HEADERS, None, MAX_BLOCK_TIMEOUT, False, now, singleton_cluster()).future
        assert future is not None
        return future

    def produce_response(
            self, responses: TopicPartition | Mapping[TopicPartition, OffsetAndError], *args: object,
    ) -> ProduceResponse:
        """Of one partition, or of many, then with the leaders that moved and their nodes (KIP-951)."""
        if isinstance(responses, TopicPartition):
            return self.produce_response_of_one(responses, *args)  # type: ignore[arg-type]  # as they come
        return self.produce_response_of(responses, *args)  # type: ignore[arg-type]  # as they come

    def produce_response_of_one(self, tp: TopicPartition, offset: int, error: Errors, throttle_time_ms: int,
                                log_start_offset: int = -1,
                                error_message: str | None = None) -> ProduceResponse:
        return ProduceResponse.of(
            {tp: PartitionResponse(error, offset, RecordBatch.NO_TIMESTAMP, log_start_offset, [],
                                   error_message)}, throttle_time_ms)

    def produce_response_of(
            self, responses: Mapping[TopicPartition, OffsetAndError],
            leaders: Mapping[TopicPartition, ProduceResponseData.LeaderIdAndEpoch] | None = None,
            nodes: list[Node] | None = None) -> ProduceResponse:
        data = ProduceResponseData()
        topics: dict[str, ProduceResponseData.TopicProduceResponse] = {}
        for tp, said in responses.items():
            if tp.topic() not in topics:
                topics[tp.topic()] = ProduceResponseData.TopicProduceResponse(name=tp.topic())
                data.responses.append(topics[tp.topic()])
            partition = ProduceResponseData.PartitionProduceResponse(
                index=tp.partition(), base_offset=said.offset, error_code=said.error.code,
                record_errors=said.record_errors)
            if leaders is not None and tp in leaders:
                partition.current_leader = leaders[tp]
            topics[tp.topic()].partition_responses.append(partition)
        for node in nodes or ():
            data.node_endpoints.append(ProduceResponseData.NodeEndpoint(
                node_id=node.id(), host=node.host() or "", port=node.port(), rack=node.rack()))
        return ProduceResponse(data)

    def send_idempotent_producer_response(
            self, expected_sequence: int, tp: TopicPartition, response_error: Errors, response_offset: int,
            log_start_offset: int = -1, *, expected_epoch: int = -1) -> None:
        def matcher(body: AbstractRequest) -> bool:
            assert isinstance(body, ProduceRequest)
            assert has_idempotent_records(body)
            [batch] = partition_records(body)[tp].batches()
            if expected_epoch > -1:
                assert batch.producer_epoch() == expected_epoch
            assert batch.base_sequence() == expected_sequence
            return True

        self.client.respond_matcher(matcher, self.produce_response_of_one(
            tp, response_offset, response_error, 0, log_start_offset, None))

    def assert_partition_state(
            self, transaction_manager: TransactionManager, tp: TopicPartition, expected_producer_id: int,
            expected_producer_epoch: int, expected_sequence_value: int,
            expected_last_acked_sequence: int | None) -> None:
        producer_id_and_epoch = transaction_manager.producer_id_and_epoch_topic_partition(tp)
        assert producer_id_and_epoch.producer_id == expected_producer_id
        assert producer_id_and_epoch.epoch == expected_producer_epoch
        assert transaction_manager.sequence_number(tp) == expected_sequence_value
        assert transaction_manager.last_acked_sequence(tp) == expected_last_acked_sequence

    def assert_successful_send(self) -> None:
        future = self.append_to_accumulator(TP0)
        self.sender.run_once()
        assert self.client.in_flight_request_count() == 1
        assert len(self.sender.in_flight_batches(TP0)) == 1
        assert self.client.has_in_flight_requests()
        self.client.respond(self.produce_response_of_one(TP0, 0, Errors.NONE, 0))
        self.sender.run_once()
        assert future.is_done()
        future.get()

    def assert_send_failure(self, expected_error: type[Exception]) -> None:
        future = self.append_to_accumulator(TP0)
        self.sender.run_once()
        self.assert_future_failure(future, expected_error)

    def assert_future_failure(self, future: FutureRecordMetadata, expected: type[Exception]) -> Exception:
        assert future.is_done()
        with pytest.raises(expected) as caught:
            future.get()
        return caught.value

    def prepare_and_receive_init_producer_id(self, producer_id: int, *epoch_and_error: int | Errors) -> None:
        """The epoch is 0 if it is not given."""
        *epochs, error = epoch_and_error
        assert isinstance(error, Errors)
        epoch = epochs[0] if epochs else 0
        assert isinstance(epoch, int)
        if error is not Errors.NONE:
            epoch = RecordBatch.NO_PRODUCER_EPOCH
        self.client.prepare_response_matcher(
            lambda body: isinstance(body, InitProducerIdRequest) and body.data().transactional_id is None,
            self.init_producer_id_response(producer_id, epoch, error))
        self.sender.run_once()

    def init_producer_id_response(self, producer_id: int, producer_epoch: int,
                                  error: Errors) -> InitProducerIdResponse:
        return InitProducerIdResponse(InitProducerIdResponseData(
            error_code=error.code, producer_epoch=producer_epoch, producer_id=producer_id,
            throttle_time_ms=0))

    def do_init_transactions(self, transaction_manager: TransactionManager,
                             producer_id_and_epoch: ProducerIdAndEpoch) -> None:
        result = transaction_manager.initialize_transactions()
        self.prepare_find_coordinator_response(Errors.NONE, str(transaction_manager.transactional_id()))
        self.sender.run_once()
        self.sender.run_once()

        self.prepare_init_producer_response(Errors.NONE, producer_id_and_epoch.producer_id,
                                            producer_id_and_epoch.epoch)
        self.sender.run_once()
        assert transaction_manager.has_producer_id()
        result.await_()

    def prepare_find_coordinator_response(self, error: Errors, txn_id: str) -> None:
        node = self.metadata.fetch().nodes()[0]
        self.client.prepare_response(FindCoordinatorResponse.prepare_response(error, txn_id, node))

    def prepare_init_producer_response(self, error: Errors, producer_id: int, producer_epoch: int) -> None:
        self.client.prepare_response(self.init_producer_id_response(producer_id, producer_epoch, error))

    def create_mock_client_with_max_flight_one_metadata_pending(self) -> None:
        """Have a request for metadata in flight, and no node for another one until it is answered."""
        client = self.client = OneInFlightClient(self.time, self.metadata)
        builder = MetadataRequest.Builder([], False)
        node = self.metadata.fetch().nodes()[0]
        request = client.new_client_request(node.id_string(), builder, self.time.milliseconds(), True)
        while not client.ready(node, self.time.milliseconds()):
            client.poll(0, self.time.milliseconds())
        client.send(request, self.time.milliseconds())
        while client.least_loaded_node(self.time.milliseconds()).node() is not None:
            client.poll(0, self.time.milliseconds())

    def wait_for_producer_id(self, transaction_manager: TransactionManager,
                             producer_id_and_epoch: ProducerIdAndEpoch) -> None:
        for _ in range(5):
            if transaction_manager.has_producer_id():
                break
            self.sender.run_once()
        assert transaction_manager.has_producer_id()
        assert transaction_manager.producer_id_and_epoch() == producer_id_and_epoch

    def build_add_partitions_to_txn_response_data(
            self, throttle_ms: int, errors: Mapping[TopicPartition, Errors]) -> AddPartitionsToTxnResponse:
        result = AddPartitionsToTxnResponse.result_for_transaction(
            AddPartitionsToTxnResponse.V3_AND_BELOW_TXN_ID, errors)
        return AddPartitionsToTxnResponse(AddPartitionsToTxnResponseData(
            results_by_topic_v3_and_below=result.topic_results, throttle_time_ms=throttle_ms))

    def add_partition_to_txn(
            self, sender: Sender, txn_manager: TransactionManager, tp: TopicPartition) -> None:
        txn_manager.maybe_add_partition(tp)
        self.client.prepare_response(self.build_add_partitions_to_txn_response_data(0, {tp: Errors.NONE}))
        run_until(sender, lambda: txn_manager.is_partition_added(tp))
        assert not txn_manager.has_in_flight_request()

    def respond_to_produce(self, tp: TopicPartition, error: Errors, offset: int) -> None:
        self.client.respond_matcher(lambda request: isinstance(request, ProduceRequest),
                                    self.produce_response_of_one(tp, offset, error, 0))

    def respond_to_end_txn(self, error: Errors) -> None:
        self.client.respond_matcher(
            lambda request: isinstance(request, EndTxnRequest),
            EndTxnResponse(EndTxnResponseData(error_code=error.code, throttle_time_ms=0)))

    def verify_error_message(self, response: ProduceResponse, expected_message: str) -> None:
        future = self.append_to_accumulator(TP0, 0, "key", "value")
        self.sender.run_once()
        self.sender.run_once()
        self.client.respond(response)
        self.sender.run_once()
        self.sender.run_once()
        with pytest.raises(InvalidRequestException) as caught:
            future.get(5000)
        assert str(caught.value) == expected_message

    def check_split_batch_and_send(self, txn_manager: TransactionManager,
                                   producer_id_and_epoch: ProducerIdAndEpoch, tp: TopicPartition) -> None:
        topic = tp.topic()
        # Batches seem to compress well, and so get too many records.
        CompressionRatioEstimator.set_estimation(topic, CompressionType.GZIP, 0.2)
        metrics = self.new_metrics()
        pool = BufferPool(TOTAL_SIZE, BATCH_SIZE, self.metrics, self.time, "producer-internal-metrics")
        self.accumulator = self.new_accumulator(
            txn_manager, pool, delivery_timeout_ms=3000, compression=Compression.gzip().build())
        sender_metrics = SenderMetricsRegistry(metrics)
        sender = self.new_sender(sender_metrics, txn_manager, guarantee_order=True, retries=1,
                                 retry_backoff_ms=1000)
        self.client.prepare_metadata_update(RequestTestUtils.metadata_update_with(2, {topic: 2}))

        now_ms = self.time.milliseconds()
        cluster = singleton_cluster()
        f1, f2 = (self.accumulator.append(
            topic, tp.partition(), 0, key, bytes(BATCH_SIZE // 2), None, None, MAX_BLOCK_TIMEOUT, False,
            now_ms, cluster).future for key in (b"key1", b"key2"))
        assert f1 is not None and f2 is not None

        def check_one_produce_request() -> None:
            request = self.client.requests()[0]
            assert request.request_builder().api_key() is ApiKeys.PRODUCE
            node = Node(int(request.destination()), "localhost", 0)
            assert self.client.in_flight_request_count() == 1
            assert self.client.is_ready(node, self.time.milliseconds())

        sender.run_once()
        sender.run_once()
        assert txn_manager.sequence_number(tp) == 2
        check_one_produce_request()

        self.client.respond(ProduceResponse.of({tp: PartitionResponse(Errors.MESSAGE_TOO_LARGE)}))
        # The batch is split.
        sender.run_once()
        assert txn_manager.sequence_number(tp) == 2
        assert CompressionRatioEstimator.estimation(topic, CompressionType.GZIP) == pytest.approx(
            CompressionType.GZIP._rate - CompressionRatioEstimator.COMPRESSION_RATIO_IMPROVING_STEP, abs=0.01)
        # The first part goes.
        sender.run_once()
        assert txn_manager.sequence_number(tp) == 2
        assert not f1.is_done()
        assert not f2.is_done()
        check_one_produce_request()

        self.client.respond_matcher(
            produce_request_matcher(tp, producer_id_and_epoch, 0, txn_manager.is_transactional()),
            ProduceResponse.of({tp: PartitionResponse(Errors.NONE, 0, 0, 0)}))
        sender.run_once()
        assert f1.is_done()
        assert txn_manager.sequence_number(tp) == 2
        assert txn_manager.last_acked_sequence(tp) == 0
        assert not f2.is_done()
        assert f1.get().offset() == 0
        # The second part goes.
        sender.run_once()
        check_one_produce_request()

        self.client.respond_matcher(
            produce_request_matcher(tp, producer_id_and_epoch, 1, txn_manager.is_transactional()),
            ProduceResponse.of({tp: PartitionResponse(Errors.NONE, 1, 0, 0)}))
        sender.run_once()
        assert f2.is_done()
        assert txn_manager.sequence_number(tp) == 2
        assert txn_manager.last_acked_sequence(tp) == 1
        assert f2.get().offset() == 1
        assert not self.accumulator.get_deque(tp)
        assert metrics.metrics()[sender_metrics.batch_split_rate].metric_value() > 0  # type: ignore[operator]


@pytest.fixture
def rig() -> Iterator[Rig]:
    rig = Rig()
    yield rig
    rig.close()


def test_simple(rig: Rig) -> None:
    offset = 0
    future = rig.append_to_accumulator(TP0, 0, "key", "value")
    rig.sender.run_once()
    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 1
    assert len(rig.sender.in_flight_batches(TP0)) == 1
    assert rig.client.has_in_flight_requests()
    rig.client.respond(rig.produce_response(TP0, offset, Errors.NONE, 0))
    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 0
    assert len(rig.sender.in_flight_batches(TP0)) == 0
    assert not rig.client.has_in_flight_requests()
    rig.sender.run_once()
    assert future.is_done()
    assert future.get().offset() == offset


def test_message_format_down_conversion(rig: Rig) -> None:
    offset = 0
    rig.api_versions.update("0", NodeApiVersions.create())
    future = rig.append_to_accumulator(TP0, 0, "key", "value")

    # The leader turns out to be older.
    rig.api_versions.update("0", NodeApiVersions.create_api_key(ApiKeys.PRODUCE.id, 0, 2))

    def matcher(body: AbstractRequest) -> bool:
        assert isinstance(body, ProduceRequest)
        records = partition_records(body)[TP0]
        return (body.version() == 2 and records.size_in_bytes() > 0
                and records.has_matching_magic(RecordBatch.MAGIC_VALUE_V1))

    rig.client.prepare_response_matcher(matcher, rig.produce_response(TP0, offset, Errors.NONE, 0))

    rig.sender.run_once()
    rig.sender.run_once()

    assert future.is_done()
    assert future.get().offset() == offset


def test_down_conversion_for_mismatched_magic_values(rig: Rig) -> None:
    rig.api_versions.update("0", NodeApiVersions.create())
    future1 = rig.append_to_accumulator(TP0, 0, "key", "value")
    rig.api_versions.update("0", NodeApiVersions.create_api_key(ApiKeys.PRODUCE.id, 0, 2))
    future2 = rig.append_to_accumulator(TP1, 0, "key", "value")
    rig.api_versions.update("0", NodeApiVersions.create())

    response = PartitionResponse(Errors.NONE, 0, RecordBatch.NO_TIMESTAMP, 100)

    def matcher(body: AbstractRequest) -> bool:
        assert isinstance(body, ProduceRequest)
        records_map = partition_records(body)
        return (body.version() == 2 and len(records_map) == 2
                and all(records.size_in_bytes() > 0 and records.has_matching_magic(RecordBatch.MAGIC_VALUE_V1)
                        for records in records_map.values()))

    rig.client.prepare_response_matcher(matcher, ProduceResponse.of({TP0: response, TP1: response}))

    rig.sender.run_once()
    rig.sender.run_once()

    assert future1.is_done()
    assert future2.is_done()


def test_quota_metrics(rig: Rig) -> None:
    selector = MockSelector(rig.time)
    throttle_time_sensor = Sender.throttle_time_sensor(rig.sender_metrics_registry)
    node = singleton_cluster("test", 1).nodes()[0]
    client = NetworkClient(
        selector, rig.metadata, "mock", INT_MAX_VALUE, 1000, 1000, 64 * 1024, 64 * 1024, 1000, 10 * 1000,
        127 * 1000, rig.time, True, ApiVersions(), rig.log_context, MetadataRecoveryStrategy.NONE,
        throttle_time_sensor=throttle_time_sensor)

    api_versions_response = ApiVersionsResponse.create_api_versions_response_api_versions(
        400, ApiVersionsResponse.filter_apis(
            RecordVersion.current(), ListenerType.ZK_BROKER, True, True), {}, {},
        ApiVersionsResponse.UNKNOWN_FINALIZED_FEATURES_EPOCH, False)
    buffer = RequestTestUtils.serialize_response_with_header(
        api_versions_response, ApiKeys.API_VERSIONS.latest_version(), 0)
    selector.delayed_receive(
        DelayedReceive(node.id_string(), NetworkReceive(buffer=buffer, source=node.id_string())))
    while not client.ready(node, rig.time.milliseconds()):
        client.poll(1, rig.time.milliseconds())
        rig.time.sleep(client.throttle_delay_ms(node, rig.time.milliseconds()))
    selector.clear()
    for i in range(1, 4):
        throttle_time_ms = 100 * i
        builder = ProduceRequest.for_current_magic(ProduceRequestData(acks=1, timeout_ms=1000))
        request = client.new_client_request(node.id_string(), builder, rig.time.milliseconds(), True)
        client.send(request, rig.time.milliseconds())
        client.poll(1, rig.time.milliseconds())
        response = rig.produce_response(TP0, i, Errors.NONE, throttle_time_ms)
        buffer = RequestTestUtils.serialize_response_with_header(
            response, ApiKeys.PRODUCE.latest_version(), request.correlation_id())
        selector.complete_receive(NetworkReceive(buffer=buffer, source=node.id_string()))
        client.poll(1, rig.time.milliseconds())
        rig.time.sleep(client.throttle_delay_ms(node, rig.time.milliseconds()))
        selector.clear()
    # ApiVersions was throttled for 400 ms, the rest for 100, 200 and 300.
    all_metrics = rig.metrics.metrics()
    assert all_metrics[rig.sender_metrics_registry.produce_throttle_time_avg].metric_value() == 250
    assert all_metrics[rig.sender_metrics_registry.produce_throttle_time_max].metric_value() == 400
    client.close()


def test_sender_metrics_templates(rig: Rig) -> None:
    metrics = rig.new_metrics("clientA")
    metrics_registry = SenderMetricsRegistry(metrics)
    sender = rig.new_sender(metrics_registry, None, guarantee_order=False, retries=1)

    # The metrics of the topic come with a record.
    rig.append_to_accumulator(TP0, 0, "key", "value")
    sender.run_once()
    sender.run_once()
    rig.client.respond(rig.produce_response(TP0, 0, Errors.NONE, 0))
    sender.run_once()
    Sender.throttle_time_sensor(metrics_registry)

    all_metrics = {MetricNameTemplate(name.name(), name.group(), "", name.tags())
                   for name in metrics.metrics() if name.group() != "kafka-metrics-count"}
    assert all_metrics == set(metrics_registry.all_templates())


def test_retries(rig: Rig) -> None:
    sender_metrics = SenderMetricsRegistry(rig.new_metrics())
    sender = rig.new_sender(sender_metrics, None, guarantee_order=False, retries=1)

    future = rig.append_to_accumulator(TP0, 0, "key", "value")
    sender.run_once()
    sender.run_once()
    id_ = rig.client.requests()[0].destination()
    node = Node(int(id_), "localhost", 0)
    assert rig.client.in_flight_request_count() == 1
    assert rig.client.has_in_flight_requests()
    assert len(sender.in_flight_batches(TP0)) == 1
    assert rig.client.is_ready(node, rig.time.milliseconds())
    rig.client.disconnect(id_)
    assert rig.client.in_flight_request_count() == 0
    assert not rig.client.has_in_flight_requests()
    assert not rig.client.is_ready(node, rig.time.milliseconds())

    assert len(sender.in_flight_batches(TP0)) == 1
    sender.run_once()
    sender.run_once()
    sender.run_once()
    assert rig.client.in_flight_request_count() == 1
    assert rig.client.has_in_flight_requests()
    assert len(sender.in_flight_batches(TP0)) == 1
    offset = 0
    rig.client.respond(rig.produce_response(TP0, offset, Errors.NONE, 0))
    sender.run_once()
    assert future.is_done()
    assert future.get().offset() == offset
    assert len(sender.in_flight_batches(TP0)) == 0

    future = rig.append_to_accumulator(TP0, 0, "key", "value")
    sender.run_once()
    assert len(sender.in_flight_batches(TP0)) == 1
    for i in range(2):
        rig.client.disconnect(rig.client.requests()[0].destination())
        sender.run_once()
        assert len(sender.in_flight_batches(TP0)) == 0
        sender.run_once()
        sender.run_once()
        assert len(sender.in_flight_batches(TP0)) == (0 if i > 0 else 1)
    sender.run_once()
    rig.assert_future_failure(future, NetworkException)
    assert len(sender.in_flight_batches(TP0)) == 0


def test_send_in_order(rig: Rig) -> None:
    sender_metrics = SenderMetricsRegistry(rig.new_metrics())
    sender = rig.new_sender(sender_metrics, None, guarantee_order=True, retries=1)

    metadata_update1 = RequestTestUtils.metadata_update_with(2, {"test": 2})
    rig.client.prepare_metadata_update(metadata_update1)

    tp2 = TopicPartition("test", 1)
    rig.append_to_accumulator(tp2, 0, "key1", "value1")
    sender.run_once()
    sender.run_once()
    id_ = rig.client.requests()[0].destination()
    assert rig.client.requests()[0].request_builder().api_key() == ApiKeys.PRODUCE
    node = Node(int(id_), "localhost", 0)
    assert rig.client.in_flight_request_count() == 1
    assert rig.client.has_in_flight_requests()
    assert rig.client.is_ready(node, rig.time.milliseconds())
    assert len(sender.in_flight_batches(tp2)) == 1

    rig.time.sleep(900)

    rig.append_to_accumulator(tp2, 0, "key2", "value2")

    metadata_update2 = RequestTestUtils.metadata_update_with(1, {"test": 2})
    rig.client.prepare_metadata_update(metadata_update2)

    assert len(sender.in_flight_batches(tp2)) == 1
    sender.run_once()
    assert rig.client.in_flight_request_count() == 1
    assert rig.client.has_in_flight_requests()
    assert len(sender.in_flight_batches(tp2)) == 1


def test_append_in_expiry_callback(rig: Rig) -> None:
    messages_per_batch = 10
    expired: list[Exception] = []
    unexpected: list[Exception] = []
    node = rig.metadata.fetch().nodes()[0]
    metadata_cache = rig.metadata.fetch_metadata_snapshot()

    class Callbacks(RecordAccumulator.AppendCallbacks):
        def set_partition(self, partition: int) -> None:
            pass

        def __call__(self, metadata: RecordMetadata | None, exception: Exception | None) -> None:
            if isinstance(exception, TimeoutException):
                expired.append(exception)
                rig.accumulator.append(
                    TP1.topic(), TP1.partition(), 0, b"key", b"value", Record.EMPTY_HEADERS, None, 1000,
                    False, rig.time.milliseconds(), metadata_cache.cluster())
            elif exception is not None:
                unexpected.append(exception)

    now_ms = rig.time.milliseconds()
    for _ in range(messages_per_batch):
        rig.accumulator.append(
            TP1.topic(), TP1.partition(), 0, b"key", b"value", None, Callbacks(), 1000, False, now_ms,
            metadata_cache.cluster())

    # The first batch expires.
    rig.time.sleep(10000)
    drained_batches = rig.accumulator.drain(metadata_cache, {node}, INT_MAX_VALUE, rig.time.milliseconds())
    rig.sender.add_to_inflight_batches(drained_batches)

    rig.client.disconnect(node.id_string())
    rig.client.backoff(node, 100)

    rig.sender.run_once()
    assert len(expired) == messages_per_batch
    assert unexpected == []

    # The records of the callbacks are there.
    queued_batches = rig.accumulator.get_deque(TP1)
    assert queued_batches is not None
    assert [batch.record_count for batch in queued_batches] == [messages_per_batch]


def test_metadata_topic_expiry(rig: Rig) -> None:
    offset = 0
    rig.client.update_metadata(RequestTestUtils.metadata_update_with(1, {"test": 2}))

    future = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    assert rig.metadata.contains_topic(TP0.topic())
    rig.client.update_metadata(RequestTestUtils.metadata_update_with(1, {"test": 2}))
    rig.sender.run_once()
    rig.client.respond(rig.produce_response(TP0, offset, Errors.NONE, 0))
    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 0
    assert not rig.client.has_in_flight_requests()
    assert len(rig.sender.in_flight_batches(TP0)) == 0
    rig.sender.run_once()
    assert future.is_done()

    assert rig.metadata.contains_topic(TP0.topic())
    rig.time.sleep(TOPIC_IDLE_MS)
    rig.client.update_metadata(RequestTestUtils.metadata_update_with(1, {"test": 2}))
    assert not rig.metadata.contains_topic(TP0.topic())
    future = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    assert rig.metadata.contains_topic(TP0.topic())
    rig.client.update_metadata(RequestTestUtils.metadata_update_with(1, {"test": 2}))
    rig.sender.run_once()
    rig.client.respond(rig.produce_response(TP0, offset + 1, Errors.NONE, 0))
    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 0
    assert not rig.client.has_in_flight_requests()
    assert len(rig.sender.in_flight_batches(TP0)) == 0
    rig.sender.run_once()
    assert future.is_done()


def test_node_latency_stats(rig: Rig) -> None:
    # Without a timeout the times are not kept.
    config = RecordAccumulator.PartitionerConfig(False, 42)
    metrics = rig.new_metrics()
    rig.accumulator = rig.new_accumulator(
        None, BufferPool(TOTAL_SIZE, BATCH_SIZE, metrics, rig.time, "producer-internal-metrics"),
        partitioner_config=config)
    sender = rig.new_sender(SenderMetricsRegistry(metrics), None, guarantee_order=False, retries=1,
                            retry_backoff_ms=1000)

    time1 = rig.time.milliseconds()
    rig.append_to_accumulator(TP0, 0, "key", "value")
    sender.run_once()
    assert rig.client.in_flight_request_count() == 1

    # The batch is gone: both times are those of the drain.
    stats = rig.accumulator.get_node_latency_stats(0)
    assert stats is not None
    assert (stats.drain_time_ms, stats.ready_time_ms) == (time1, time1)

    node = rig.metadata.fetch().node_by_id(0)
    assert node is not None
    rig.client.throttle(node, 100)

    # Nothing is there to be sent.
    rig.time.sleep(10)
    sender.run_once()
    assert rig.client.in_flight_request_count() == 1
    assert (stats.drain_time_ms, stats.ready_time_ms) == (time1, time1)

    # A batch waits for the node.
    time2 = rig.time.milliseconds()
    rig.append_to_accumulator(TP0, 0, "key", "value")
    sender.run_once()
    assert rig.client.in_flight_request_count() == 1
    assert (stats.drain_time_ms, stats.ready_time_ms) == (time1, time2)

    rig.time.sleep(10)
    time2 = rig.time.milliseconds()
    sender.run_once()
    assert rig.client.in_flight_request_count() == 1
    assert (stats.drain_time_ms, stats.ready_time_ms) == (time1, time2)

    # The node is ready again.
    rig.time.sleep(100)
    time2 = rig.time.milliseconds()
    sender.run_once()
    assert rig.client.in_flight_request_count() == 2
    assert (stats.drain_time_ms, stats.ready_time_ms) == (time2, time2)


def test_init_producer_id_request(rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)
    rig.prepare_and_receive_init_producer_id(producer_id, Errors.NONE)
    assert transaction_manager.has_producer_id()
    assert transaction_manager.producer_id_and_epoch().producer_id == producer_id
    assert transaction_manager.producer_id_and_epoch().epoch == 0


def test_init_producer_id_with_max_in_flight_one(rig: Rig) -> None:
    producer_id = 123456
    rig.create_mock_client_with_max_flight_one_metadata_pending()

    transaction_manager = TransactionManager(
        LogContext(), "testInitProducerIdWithPendingMetadataRequest", 60000, 100, ApiVersions())
    rig.setup_with_transaction_state(transaction_manager, False, None, False)
    producer_id_and_epoch = ProducerIdAndEpoch(producer_id, 0)
    transaction_manager.initialize_transactions()
    rig.sender.run_once()

    metadata_update = RequestTestUtils.metadata_update_with(1, {})
    rig.client.respond(metadata_update)
    rig.prepare_find_coordinator_response(Errors.NONE, "testInitProducerIdWithPendingMetadataRequest")
    rig.prepare_init_producer_response(
        Errors.NONE, producer_id_and_epoch.producer_id, producer_id_and_epoch.epoch)
    rig.wait_for_producer_id(transaction_manager, producer_id_and_epoch)


def test_idempotent_init_producer_id_with_max_in_flight_one(rig: Rig) -> None:
    producer_id = 123456
    rig.create_mock_client_with_max_flight_one_metadata_pending()

    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager, False, None, False)
    producer_id_and_epoch = ProducerIdAndEpoch(producer_id, 0)

    metadata_update = RequestTestUtils.metadata_update_with(1, {})
    rig.client.respond(metadata_update)
    rig.sender.run_once()
    rig.sender.run_once()
    rig.client.respond(
        rig.init_producer_id_response(
            producer_id_and_epoch.producer_id, producer_id_and_epoch.epoch, Errors.NONE))
    rig.wait_for_producer_id(transaction_manager, producer_id_and_epoch)


def test_node_not_ready(rig: Rig) -> None:
    producer_id = 123456
    rig.time = MockTime(10)
    rig.client = MockClient(rig.time, rig.metadata)

    transaction_manager = TransactionManager(LogContext(), "testNodeNotReady", 60000, 100, ApiVersions())
    rig.setup_with_transaction_state(transaction_manager, False, None, True)
    producer_id_and_epoch = ProducerIdAndEpoch(producer_id, 0)
    transaction_manager.initialize_transactions()
    rig.sender.run_once()

    node = rig.metadata.fetch().nodes()[0]
    rig.client.delay_ready(node, REQUEST_TIMEOUT + 20)
    rig.prepare_find_coordinator_response(Errors.NONE, "testNodeNotReady")
    rig.sender.run_once()
    rig.sender.run_once()
    assert transaction_manager.coordinator(CoordinatorType.TRANSACTION) is not None

    rig.client.throttle(node, REQUEST_TIMEOUT + 20)
    rig.prepare_find_coordinator_response(Errors.NONE, "Coordinator not found")
    rig.prepare_init_producer_response(
        Errors.NONE, producer_id_and_epoch.producer_id, producer_id_and_epoch.epoch)
    rig.wait_for_producer_id(transaction_manager, producer_id_and_epoch)


def test_cluster_authorization_exception_in_init_producer_id_request(rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)

    rig.prepare_and_receive_init_producer_id(producer_id, Errors.CLUSTER_AUTHORIZATION_FAILED)
    assert not transaction_manager.has_producer_id()
    assert transaction_manager.has_error()
    assert isinstance(transaction_manager.last_error(), ClusterAuthorizationException)
    assert transaction_manager.producer_id_and_epoch().epoch == -1

    rig.assert_send_failure(ClusterAuthorizationException)
    rig.prepare_and_receive_init_producer_id(producer_id, Errors.NONE)

    rig.sender.run_once()
    assert not transaction_manager.has_fatal_error()
    assert transaction_manager.has_producer_id()
    assert transaction_manager.producer_id_and_epoch().epoch == 0

    rig.assert_successful_send()


def test_can_retry_without_idempotence(rig: Rig) -> None:
    future = rig.append_to_accumulator(TP0, 0, "key", "value")
    rig.sender.run_once()
    rig.sender.run_once()
    node = Node(int(rig.client.requests()[0].destination()), "localhost", 0)
    assert rig.client.in_flight_request_count() == 1
    assert rig.client.has_in_flight_requests()
    assert len(rig.sender.in_flight_batches(TP0)) == 1
    assert rig.client.is_ready(node, rig.time.milliseconds())
    assert not future.is_done()

    def matcher(body: AbstractRequest) -> bool:
        assert not has_idempotent_records(body)
        return True

    rig.client.respond_matcher(matcher, rig.produce_response(TP0, -1, Errors.TOPIC_AUTHORIZATION_FAILED, 0))
    rig.sender.run_once()
    rig.assert_future_failure(future, TopicAuthorizationException)


def test_idempotence_with_multiple_inflights(rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)
    rig.prepare_and_receive_init_producer_id(producer_id, Errors.NONE)
    assert transaction_manager.has_producer_id()

    assert transaction_manager.sequence_number(TP0) == 0

    request1 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    node_id = rig.client.requests()[0].destination()
    node = Node(int(node_id), "localhost", 0)
    assert rig.client.in_flight_request_count() == 1
    assert transaction_manager.sequence_number(TP0) == 1
    assert transaction_manager.last_acked_sequence(TP0) is None

    request2 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 2
    assert transaction_manager.sequence_number(TP0) == 2
    assert transaction_manager.last_acked_sequence(TP0) is None
    assert not request1.is_done()
    assert not request2.is_done()
    assert rig.client.is_ready(node, rig.time.milliseconds())

    rig.send_idempotent_producer_response(0, TP0, Errors.NONE, 0)

    rig.sender.run_once()

    assert rig.client.in_flight_request_count() == 1
    assert transaction_manager.last_acked_sequence(TP0) == 0
    assert request1.is_done()
    assert request1.get().offset() == 0
    assert not request2.is_done()

    rig.send_idempotent_producer_response(1, TP0, Errors.NONE, 1)
    rig.sender.run_once()
    assert transaction_manager.last_acked_sequence(TP0) == 1
    assert not rig.client.has_in_flight_requests()
    assert len(rig.sender.in_flight_batches(TP0)) == 0
    assert request2.is_done()
    assert request2.get().offset() == 1


def test_idempotence_with_multiple_inflights_retried_in_order(rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)
    rig.prepare_and_receive_init_producer_id(producer_id, Errors.NONE)
    assert transaction_manager.has_producer_id()

    assert transaction_manager.sequence_number(TP0) == 0

    request1 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    node_id = rig.client.requests()[0].destination()
    node = Node(int(node_id), "localhost", 0)
    assert rig.client.in_flight_request_count() == 1
    assert transaction_manager.sequence_number(TP0) == 1
    assert transaction_manager.last_acked_sequence(TP0) is None

    request2 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()

    request3 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()

    assert rig.client.in_flight_request_count() == 3
    assert transaction_manager.sequence_number(TP0) == 3
    assert transaction_manager.last_acked_sequence(TP0) is None
    assert not request1.is_done()
    assert not request2.is_done()
    assert not request3.is_done()
    assert rig.client.is_ready(node, rig.time.milliseconds())

    rig.send_idempotent_producer_response(0, TP0, Errors.LEADER_NOT_AVAILABLE, -1)
    rig.sender.run_once()

    request4 = rig.append_to_accumulator(TP0)

    assert rig.client.in_flight_request_count() == 2
    assert transaction_manager.last_acked_sequence(TP0) is None

    rig.send_idempotent_producer_response(1, TP0, Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, -1)
    rig.sender.run_once()

    rig.send_idempotent_producer_response(2, TP0, Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, -1)
    rig.sender.run_once()

    assert transaction_manager.last_acked_sequence(TP0) is None
    assert rig.client.in_flight_request_count() == 1

    rig.sender.run_once()

    assert transaction_manager.sequence_number(TP0) == 3
    assert rig.client.in_flight_request_count() == 1

    assert transaction_manager.last_acked_sequence(TP0) is None

    rig.send_idempotent_producer_response(0, TP0, Errors.NONE, 0)
    rig.sender.run_once()
    assert transaction_manager.last_acked_sequence(TP0) == 0
    assert request1.is_done()
    assert request1.get().offset() == 0
    assert not rig.client.has_in_flight_requests()
    assert len(rig.sender.in_flight_batches(TP0)) == 0

    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 1
    assert len(rig.sender.in_flight_batches(TP0)) == 1

    rig.send_idempotent_producer_response(1, TP0, Errors.NONE, 1)
    rig.sender.run_once()
    assert transaction_manager.last_acked_sequence(TP0) == 1
    assert request2.is_done()
    assert request2.get().offset() == 1

    assert not rig.client.has_in_flight_requests()
    assert len(rig.sender.in_flight_batches(TP0)) == 0

    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 1
    assert len(rig.sender.in_flight_batches(TP0)) == 1

    rig.send_idempotent_producer_response(2, TP0, Errors.NONE, 2)
    rig.sender.run_once()
    assert transaction_manager.last_acked_sequence(TP0) == 2
    assert request3.is_done()
    assert request3.get().offset() == 2
    assert rig.client.in_flight_request_count() == 1
    assert len(rig.sender.in_flight_batches(TP0)) == 1

    rig.send_idempotent_producer_response(3, TP0, Errors.NONE, 3)
    rig.sender.run_once()
    assert transaction_manager.last_acked_sequence(TP0) == 3
    assert request4.is_done()
    assert request4.get().offset() == 3


def test_idempotence_with_multiple_inflights_where_first_fails_fatally_and_sequence_of_future_batches_is_adjusted(  # noqa: E501
        rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)
    rig.prepare_and_receive_init_producer_id(producer_id, Errors.NONE)
    assert transaction_manager.has_producer_id()

    assert transaction_manager.sequence_number(TP0) == 0

    request1 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    node_id = rig.client.requests()[0].destination()
    node = Node(int(node_id), "localhost", 0)
    assert rig.client.in_flight_request_count() == 1
    assert transaction_manager.sequence_number(TP0) == 1
    assert transaction_manager.last_acked_sequence(TP0) is None

    request2 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 2
    assert transaction_manager.sequence_number(TP0) == 2
    assert transaction_manager.last_acked_sequence(TP0) is None
    assert not request1.is_done()
    assert not request2.is_done()
    assert rig.client.is_ready(node, rig.time.milliseconds())

    rig.send_idempotent_producer_response(0, TP0, Errors.MESSAGE_TOO_LARGE, -1)

    rig.sender.run_once()
    rig.assert_future_failure(request1, RecordTooLargeException)

    assert rig.client.in_flight_request_count() == 1
    assert transaction_manager.last_acked_sequence(TP0) is None

    rig.send_idempotent_producer_response(1, TP0, Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, -1)

    rig.sender.run_once()

    assert transaction_manager.last_acked_sequence(TP0) is None
    assert rig.client.in_flight_request_count() == 0

    rig.sender.run_once()

    assert rig.client.in_flight_request_count() == 1

    assert transaction_manager.last_acked_sequence(TP0) is None

    rig.send_idempotent_producer_response(0, TP0, Errors.NONE, 0)
    rig.sender.run_once()
    assert transaction_manager.last_acked_sequence(TP0) == 0
    assert rig.client.in_flight_request_count() == 0

    assert request1.is_done()
    assert request2.get().offset() == 0


def test_epoch_bump_on_out_of_order_sequence_for_next_batch(rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)
    rig.prepare_and_receive_init_producer_id(producer_id, Errors.NONE)
    assert transaction_manager.has_producer_id()

    assert transaction_manager.sequence_number(TP0) == 0

    request1 = rig.append_to_accumulator(TP0)
    rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    node_id = rig.client.requests()[0].destination()
    node = Node(int(node_id), "localhost", 0)
    assert rig.client.in_flight_request_count() == 1

    assert transaction_manager.sequence_number(TP0) == 2
    assert transaction_manager.last_acked_sequence(TP0) is None
    rig.send_idempotent_producer_response(0, TP0, Errors.NONE, 0)

    rig.sender.run_once()

    request2 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 1
    assert transaction_manager.sequence_number(TP0) == 3
    assert transaction_manager.last_acked_sequence(TP0) == 1
    assert request1.is_done()
    assert request1.get().offset() == 0
    assert not request2.is_done()
    assert rig.client.is_ready(node, rig.time.milliseconds())

    rig.send_idempotent_producer_response(2, TP0, Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, -1)

    rig.sender.run_once()
    rig.sender.run_once()

    assert transaction_manager.producer_id_and_epoch().epoch == 1
    assert transaction_manager.sequence_number(TP0) == 1
    assert transaction_manager.first_in_flight_sequence(TP0) == 0


def test_epoch_bump_on_out_of_order_sequence_for_next_batch_when_there_is_no_batch_in_flight(
        rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)

    rig.prepare_and_receive_init_producer_id(producer_id, Errors.NONE)
    assert transaction_manager.producer_id_and_epoch().producer_id == producer_id
    assert transaction_manager.producer_id_and_epoch().epoch == 0

    rig.append_to_accumulator(TP0)
    rig.sender.run_once()

    rig.assert_partition_state(transaction_manager, TP0, producer_id, 0, 1, None)

    rig.send_idempotent_producer_response(0, TP0, Errors.NONE, 0, -1, expected_epoch=0)
    rig.sender.run_once()

    rig.assert_partition_state(transaction_manager, TP0, producer_id, 0, 1, 0)

    rig.append_to_accumulator(TP1)
    rig.sender.run_once()

    rig.assert_partition_state(transaction_manager, TP1, producer_id, 0, 1, None)

    rig.send_idempotent_producer_response(0, TP1, Errors.NONE, 0, -1, expected_epoch=0)
    rig.sender.run_once()

    rig.assert_partition_state(transaction_manager, TP1, producer_id, 0, 1, 0)

    rig.append_to_accumulator(TP0)
    rig.sender.run_once()

    rig.assert_partition_state(transaction_manager, TP0, producer_id, 0, 2, 0)

    rig.send_idempotent_producer_response(
        1, TP0, Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, -1, -1, expected_epoch=0)
    rig.sender.run_once()
    rig.sender.run_once()

    assert transaction_manager.producer_id_and_epoch().epoch == 1

    rig.assert_partition_state(transaction_manager, TP0, producer_id, 1, 1, None)

    rig.assert_partition_state(transaction_manager, TP1, producer_id, 0, 1, 0)
    assert transaction_manager.has_stale_producer_id_and_epoch(TP1)

    rig.send_idempotent_producer_response(0, TP0, Errors.NONE, 1, -1, expected_epoch=1)
    rig.sender.run_once()

    rig.assert_partition_state(transaction_manager, TP0, producer_id, 1, 1, 0)

    rig.append_to_accumulator(TP1)
    rig.sender.run_once()

    rig.assert_partition_state(transaction_manager, TP1, producer_id, 1, 1, None)
    assert not transaction_manager.has_stale_producer_id_and_epoch(TP1)

    rig.send_idempotent_producer_response(0, TP1, Errors.NONE, 1, -1, expected_epoch=1)
    rig.sender.run_once()

    rig.assert_partition_state(transaction_manager, TP1, producer_id, 1, 1, 0)


def test_epoch_bump_on_out_of_order_sequence_for_next_batch_when_batch_in_flight_fails(rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()

    rig.setup_with_transaction_state(transaction_manager, False, None, True, 1, 0)

    rig.prepare_and_receive_init_producer_id(producer_id, Errors.NONE)
    assert transaction_manager.producer_id_and_epoch().producer_id == producer_id
    assert transaction_manager.producer_id_and_epoch().epoch == 0

    rig.append_to_accumulator(TP0)
    rig.sender.run_once()

    rig.assert_partition_state(transaction_manager, TP0, producer_id, 0, 1, None)

    rig.send_idempotent_producer_response(0, TP0, Errors.NONE, 0, -1, expected_epoch=0)
    rig.sender.run_once()

    rig.assert_partition_state(transaction_manager, TP0, producer_id, 0, 1, 0)

    rig.append_to_accumulator(TP1)
    rig.sender.run_once()

    rig.assert_partition_state(transaction_manager, TP1, producer_id, 0, 1, None)

    rig.send_idempotent_producer_response(0, TP1, Errors.NONE, 0, -1, expected_epoch=0)
    rig.sender.run_once()

    rig.assert_partition_state(transaction_manager, TP1, producer_id, 0, 1, 0)

    rig.append_to_accumulator(TP0)
    rig.sender.run_once()

    rig.assert_partition_state(transaction_manager, TP0, producer_id, 0, 2, 0)

    rig.append_to_accumulator(TP1)
    rig.sender.run_once()

    rig.assert_partition_state(transaction_manager, TP1, producer_id, 0, 2, 0)

    rig.send_idempotent_producer_response(
        1, TP0, Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, -1, -1, expected_epoch=0)
    rig.sender.run_once()
    rig.sender.run_once()

    assert transaction_manager.producer_id_and_epoch().epoch == 1

    rig.assert_partition_state(transaction_manager, TP0, producer_id, 1, 1, None)

    rig.assert_partition_state(transaction_manager, TP1, producer_id, 0, 2, 0)
    assert transaction_manager.has_stale_producer_id_and_epoch(TP1)

    rig.send_idempotent_producer_response(1, TP1, Errors.NOT_LEADER_OR_FOLLOWER, -1, -1, expected_epoch=0)
    rig.sender.run_once()

    rig.assert_partition_state(transaction_manager, TP1, producer_id, 0, 2, 0)
    assert transaction_manager.has_stale_producer_id_and_epoch(TP1)

    rig.send_idempotent_producer_response(0, TP0, Errors.NONE, 1, -1, expected_epoch=1)
    rig.sender.run_once()

    rig.assert_partition_state(transaction_manager, TP0, producer_id, 1, 1, 0)

    rig.send_idempotent_producer_response(1, TP1, Errors.NOT_LEADER_OR_FOLLOWER, -1, -1, expected_epoch=0)
    rig.sender.run_once()

    rig.assert_partition_state(transaction_manager, TP1, producer_id, 0, 2, 0)
    assert transaction_manager.has_stale_producer_id_and_epoch(TP1)

    rig.append_to_accumulator(TP1)
    rig.sender.run_once()

    rig.assert_partition_state(transaction_manager, TP1, producer_id, 1, 1, None)
    assert not transaction_manager.has_stale_producer_id_and_epoch(TP1)

    rig.send_idempotent_producer_response(0, TP1, Errors.NONE, 0, -1, expected_epoch=1)
    rig.sender.run_once()

    rig.assert_partition_state(transaction_manager, TP1, producer_id, 1, 1, 0)

    rig.append_to_accumulator(TP0)
    rig.sender.run_once()

    rig.assert_partition_state(transaction_manager, TP0, producer_id, 1, 2, 0)

    rig.send_idempotent_producer_response(1, TP0, Errors.NONE, 0, -1, expected_epoch=1)
    rig.sender.run_once()

    rig.assert_partition_state(transaction_manager, TP0, producer_id, 1, 2, 1)


def test_correct_handling_of_out_of_order_responses(rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)
    rig.prepare_and_receive_init_producer_id(producer_id, Errors.NONE)
    assert transaction_manager.has_producer_id()
    assert transaction_manager.sequence_number(TP0) == 0

    request1 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    node_id = rig.client.requests()[0].destination()
    node = Node(int(node_id), "localhost", 0)
    assert rig.client.in_flight_request_count() == 1
    assert transaction_manager.sequence_number(TP0) == 1
    assert transaction_manager.last_acked_sequence(TP0) is None

    request2 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 2
    assert transaction_manager.sequence_number(TP0) == 2
    assert transaction_manager.last_acked_sequence(TP0) is None
    assert not request1.is_done()
    assert not request2.is_done()
    assert rig.client.is_ready(node, rig.time.milliseconds())

    first_client_request = rig.client.requests()[0]
    second_client_request = rig.client.requests()[1]

    rig.client.respond_to_request(
        second_client_request, rig.produce_response(TP0, -1, Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, -1))

    rig.sender.run_once()
    queued_batches = rig.accumulator.get_deque(TP0)

    assert len(queued_batches) == 1
    assert queued_batches[0].base_sequence() == 1
    assert rig.client.in_flight_request_count() == 1
    assert transaction_manager.last_acked_sequence(TP0) is None

    rig.client.respond_to_request(
        first_client_request, rig.produce_response(TP0, -1, Errors.NOT_LEADER_OR_FOLLOWER, -1))

    rig.sender.run_once()

    assert len(queued_batches) == 2
    assert queued_batches[0].base_sequence() == 0
    assert queued_batches[-1].base_sequence() == 1
    assert transaction_manager.last_acked_sequence(TP0) is None
    assert rig.client.in_flight_request_count() == 0
    assert not request1.is_done()
    assert not request2.is_done()

    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 1
    rig.sender.run_once()

    assert rig.client.in_flight_request_count() == 1
    assert transaction_manager.last_acked_sequence(TP0) is None

    rig.send_idempotent_producer_response(0, TP0, Errors.NONE, 0)
    rig.sender.run_once()
    assert transaction_manager.last_acked_sequence(TP0) == 0
    assert rig.client.in_flight_request_count() == 0
    assert request1.is_done()
    assert request1.get().offset() == 0

    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 1
    rig.send_idempotent_producer_response(1, TP0, Errors.NONE, 1)
    rig.sender.run_once()

    assert not rig.client.has_in_flight_requests()
    assert transaction_manager.last_acked_sequence(TP0) == 1
    assert request2.is_done()
    assert request2.get().offset() == 1


def test_correct_handling_of_out_of_order_responses_when_second_succeeds(rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)
    rig.prepare_and_receive_init_producer_id(producer_id, Errors.NONE)
    assert transaction_manager.has_producer_id()

    assert transaction_manager.sequence_number(TP0) == 0

    request1 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    node_id = rig.client.requests()[0].destination()
    node = Node(int(node_id), "localhost", 0)
    assert rig.client.in_flight_request_count() == 1

    request2 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 2
    assert not request1.is_done()
    assert not request2.is_done()
    assert rig.client.is_ready(node, rig.time.milliseconds())

    first_client_request = rig.client.requests()[0]
    second_client_request = rig.client.requests()[1]

    rig.client.respond_to_request(second_client_request, rig.produce_response(TP0, 1, Errors.NONE, 1))

    rig.sender.run_once()
    assert request2.is_done()
    assert request2.get().offset() == 1
    assert not request1.is_done()
    queued_batches = rig.accumulator.get_deque(TP0)

    assert len(queued_batches) == 0
    assert rig.client.in_flight_request_count() == 1
    assert transaction_manager.last_acked_sequence(TP0) == 1

    rig.client.respond_to_request(
        first_client_request, rig.produce_response(TP0, -1, Errors.REQUEST_TIMED_OUT, -1))

    rig.sender.run_once()

    assert len(queued_batches) == 1
    assert queued_batches[0].base_sequence() == 0
    assert transaction_manager.last_acked_sequence(TP0) == 1
    assert rig.client.in_flight_request_count() == 0

    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 1

    assert rig.client.in_flight_request_count() == 1
    assert transaction_manager.last_acked_sequence(TP0) == 1

    rig.send_idempotent_producer_response(0, TP0, Errors.NONE, 0)
    rig.sender.run_once()
    assert len(queued_batches) == 0
    assert transaction_manager.last_acked_sequence(TP0) == 1
    assert rig.client.in_flight_request_count() == 0

    assert not rig.client.has_in_flight_requests()
    assert request1.is_done()
    assert request1.get().offset() == 0


def test_expiry_of_unsent_batches_should_not_cause_unresolved_sequences(rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)
    rig.prepare_and_receive_init_producer_id(producer_id, Errors.NONE)
    assert transaction_manager.has_producer_id()

    assert transaction_manager.sequence_number(TP0) == 0

    request1 = rig.append_to_accumulator(TP0, 0, "key", "value")
    node = rig.metadata.fetch().nodes()[0]
    rig.time.sleep(10000)
    rig.client.disconnect(node.id_string())
    rig.client.backoff(node, 10)

    rig.sender.run_once()

    rig.assert_future_failure(request1, TimeoutException)
    assert not transaction_manager.has_unresolved_sequence(TP0)


def test_expiry_of_first_batch_should_not_cause_unresolved_sequences_if_future_batches_succeed(
        rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager, False, None)
    rig.prepare_and_receive_init_producer_id(producer_id, Errors.NONE)
    assert transaction_manager.has_producer_id()
    assert transaction_manager.sequence_number(TP0) == 0

    request1 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()

    rig.time.sleep(1000)

    request2 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 2
    assert len(rig.sender.in_flight_batches(TP0)) == 2

    rig.send_idempotent_producer_response(0, TP0, Errors.REQUEST_TIMED_OUT, -1)
    rig.sender.run_once()
    assert len(rig.sender.in_flight_batches(TP0)) == 1

    node = rig.metadata.fetch().nodes()[0]

    rig.time.sleep(600)
    rig.client.disconnect(node.id_string())
    rig.client.backoff(node, 10)

    rig.sender.run_once()
    rig.assert_future_failure(request1, TimeoutException)
    assert transaction_manager.has_unresolved_sequence(TP0)
    assert len(rig.sender.in_flight_batches(TP0)) == 0

    request3 = rig.append_to_accumulator(TP0)
    rig.time.sleep(20)
    assert not request2.is_done()

    rig.sender.run_once()
    rig.send_idempotent_producer_response(1, TP0, Errors.NONE, 1)
    assert len(rig.sender.in_flight_batches(TP0)) == 1

    rig.sender.run_once()
    assert request2.is_done()
    assert request2.get().offset() == 1
    assert len(rig.sender.in_flight_batches(TP0)) == 0

    batches = rig.accumulator.get_deque(TP0)
    assert len(batches) == 1
    assert not batches[0].has_sequence()
    assert not rig.client.has_in_flight_requests()
    assert transaction_manager.sequence_number(TP0) == 2
    assert transaction_manager.has_unresolved_sequence(TP0)

    rig.sender.run_once()
    assert not transaction_manager.has_unresolved_sequence(TP0)
    assert transaction_manager.has_producer_id()
    assert len(batches) == 0
    assert rig.client.in_flight_request_count() == 1
    assert not request3.is_done()
    assert len(rig.sender.in_flight_batches(TP0)) == 1


def test_expiry_of_first_batch_should_cause_epoch_bump_if_future_batches_fail(rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)
    rig.prepare_and_receive_init_producer_id(producer_id, Errors.NONE)
    assert transaction_manager.has_producer_id()
    assert transaction_manager.sequence_number(TP0) == 0

    request1 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()

    rig.time.sleep(1000)
    request2 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()

    assert rig.client.in_flight_request_count() == 2

    rig.send_idempotent_producer_response(0, TP0, Errors.NOT_LEADER_OR_FOLLOWER, -1)
    rig.sender.run_once()

    node = rig.metadata.fetch().nodes()[0]
    rig.time.sleep(1000)
    rig.client.disconnect(node.id_string())
    rig.client.backoff(node, 10)

    rig.sender.run_once()
    rig.assert_future_failure(request1, TimeoutException)
    assert transaction_manager.has_unresolved_sequence(TP0)

    rig.append_to_accumulator(TP0)

    rig.time.sleep(20)
    assert not request2.is_done()
    rig.sender.run_once()
    rig.send_idempotent_producer_response(1, TP0, Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, 1)
    rig.sender.run_once()

    batches = rig.accumulator.get_deque(TP0)

    assert len(batches) == 2

    rig.sender.run_once()
    assert transaction_manager.producer_id_and_epoch().epoch == 1
    assert transaction_manager.sequence_number(TP0) == 1
    assert not transaction_manager.has_unresolved_sequence(TP0)


def test_unresolved_sequences_are_not_fatal(rig: Rig) -> None:
    producer_id_and_epoch = ProducerIdAndEpoch(123456, 0)
    rig.api_versions.update("0", NodeApiVersions.create_api_key(ApiKeys.INIT_PRODUCER_ID.id, 0, 3))
    txn_manager = TransactionManager(rig.log_context, "testUnresolvedSeq", 60000, 100, rig.api_versions)

    rig.setup_with_transaction_state(txn_manager)
    rig.do_init_transactions(txn_manager, producer_id_and_epoch)

    txn_manager.begin_transaction()
    txn_manager.maybe_add_partition(TP0)
    rig.client.prepare_response(rig.build_add_partitions_to_txn_response_data(0, {TP0: Errors.NONE}))
    rig.sender.run_once()

    request1 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()

    rig.time.sleep(1000)
    rig.append_to_accumulator(TP0)
    rig.sender.run_once()

    assert rig.client.in_flight_request_count() == 2

    rig.send_idempotent_producer_response(0, TP0, Errors.NOT_LEADER_OR_FOLLOWER, -1)
    rig.sender.run_once()

    node = rig.metadata.fetch().nodes()[0]
    rig.time.sleep(1000)
    rig.client.disconnect(node.id_string())
    rig.client.backoff(node, 10)

    rig.sender.run_once()
    rig.assert_future_failure(request1, TimeoutException)
    assert txn_manager.has_unresolved_sequence(TP0)

    rig.sender.run_once()
    assert txn_manager.has_abortable_error()


def test_expiry_of_all_sent_batches_should_cause_unresolved_sequences(rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)
    rig.prepare_and_receive_init_producer_id(producer_id, Errors.NONE)
    assert transaction_manager.has_producer_id()

    assert transaction_manager.sequence_number(TP0) == 0

    request1 = rig.append_to_accumulator(TP0, 0, "key", "value")
    rig.sender.run_once()
    rig.send_idempotent_producer_response(0, TP0, Errors.NOT_LEADER_OR_FOLLOWER, -1)

    rig.sender.run_once()
    assert transaction_manager.sequence_number(TP0) == 1

    node = rig.metadata.fetch().nodes()[0]
    rig.time.sleep(15000)
    rig.client.disconnect(node.id_string())
    rig.client.backoff(node, 10)

    rig.sender.run_once()

    rig.assert_future_failure(request1, TimeoutException)
    assert transaction_manager.has_unresolved_sequence(TP0)
    assert not rig.client.has_in_flight_requests()
    batches = rig.accumulator.get_deque(TP0)
    assert len(batches) == 0
    assert transaction_manager.producer_id_and_epoch().producer_id == producer_id

    rig.sender.run_once()
    assert transaction_manager.producer_id_and_epoch().epoch == 1
    assert not transaction_manager.has_unresolved_sequence(TP0)


def test_reset_of_producer_state_should_allow_queued_batches_to_drain(rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)
    rig.prepare_and_receive_init_producer_id(producer_id, 2**15 - 1, Errors.NONE)
    assert transaction_manager.has_producer_id()

    sender_metrics = SenderMetricsRegistry(rig.new_metrics())

    sender = rig.new_sender(sender_metrics, transaction_manager, guarantee_order=True, retries=10)

    rig.append_to_accumulator(TP0)
    successful_response = rig.append_to_accumulator(TP1)
    sender.run_once()

    assert rig.client.in_flight_request_count() == 1

    responses = {}
    responses[TP1] = OffsetAndError(-1, Errors.NOT_LEADER_OR_FOLLOWER)
    responses[TP0] = OffsetAndError(-1, Errors.OUT_OF_ORDER_SEQUENCE_NUMBER)
    rig.client.respond(rig.produce_response(responses))

    sender.run_once()
    rig.prepare_and_receive_init_producer_id(producer_id + 1, Errors.NONE)
    sender.run_once()
    assert transaction_manager.producer_id_and_epoch().producer_id == producer_id + 1

    assert not successful_response.is_done()
    rig.client.respond(rig.produce_response(TP1, 10, Errors.NONE, -1))
    sender.run_once()

    assert successful_response.is_done()
    assert successful_response.get().offset() == 10

    assert transaction_manager.sequence_number(TP1) == 1


def test_close_with_producer_id_reset(rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)
    rig.prepare_and_receive_init_producer_id(producer_id, 2**15 - 1, Errors.NONE)
    assert transaction_manager.has_producer_id()

    sender = rig.new_sender(
        SenderMetricsRegistry(rig.new_metrics()), transaction_manager, guarantee_order=True,
        retries=10)

    rig.append_to_accumulator(TP0)
    rig.append_to_accumulator(TP1)
    sender.run_once()
    assert rig.client.in_flight_request_count() == 1

    rig.client.respond(rig.produce_response({
        TP1: OffsetAndError(-1, Errors.NOT_LEADER_OR_FOLLOWER),
        TP0: OffsetAndError(-1, Errors.OUT_OF_ORDER_SEQUENCE_NUMBER)}))
    sender.initiate_close()
    # The epoch is the last one: a new producer id is needed.
    sender.run_once()

    rig.prepare_init_producer_response(Errors.NONE, producer_id + 1, 1)
    run_until(sender, lambda: not rig.accumulator.has_undrained())
    assert transaction_manager.producer_id_and_epoch().producer_id == producer_id + 1


def test_force_close_with_producer_id_reset(rig: Rig) -> None:
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)
    rig.prepare_and_receive_init_producer_id(1, 2**15 - 1, Errors.NONE)
    assert transaction_manager.has_producer_id()

    sender_metrics = SenderMetricsRegistry(rig.new_metrics())

    sender = rig.new_sender(sender_metrics, transaction_manager, guarantee_order=True, retries=10)

    rig.append_to_accumulator(TP0)
    successful_response = rig.append_to_accumulator(TP1)
    sender.run_once()

    assert rig.client.in_flight_request_count() == 1

    responses = {}
    responses[TP1] = OffsetAndError(-1, Errors.NOT_LEADER_OR_FOLLOWER)
    responses[TP0] = OffsetAndError(-1, Errors.OUT_OF_ORDER_SEQUENCE_NUMBER)
    rig.client.respond(rig.produce_response(responses))
    sender.run_once()
    sender.force_close()
    sender.run_once()
    sender.run()
    assert not rig.accumulator.has_undrained()
    assert successful_response.is_done()


def test_batches_drained_with_old_producer_id_should_succeed_on_subsequent_retry(rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)
    rig.prepare_and_receive_init_producer_id(producer_id, Errors.NONE)
    assert transaction_manager.has_producer_id()

    sender_metrics = SenderMetricsRegistry(rig.new_metrics())

    sender = rig.new_sender(sender_metrics, transaction_manager, guarantee_order=True, retries=10)

    out_of_order_response = rig.append_to_accumulator(TP0)
    successful_response = rig.append_to_accumulator(TP1)
    sender.run_once()
    sender.run_once()

    assert rig.client.in_flight_request_count() == 1

    responses = {}
    responses[TP1] = OffsetAndError(-1, Errors.NOT_LEADER_OR_FOLLOWER)
    responses[TP0] = OffsetAndError(-1, Errors.OUT_OF_ORDER_SEQUENCE_NUMBER)
    rig.client.respond(rig.produce_response(responses))
    sender.run_once()
    assert not out_of_order_response.is_done()

    sender.run_once()
    assert transaction_manager.producer_id_and_epoch().epoch == 1

    assert not successful_response.is_done()

    rig.client.respond(rig.produce_response(TP1, 0, Errors.NOT_LEADER_OR_FOLLOWER, -1))
    sender.run_once()

    assert not successful_response.is_done()
    sender.run_once()
    rig.client.respond(rig.produce_response(TP1, 0, Errors.NONE, -1))
    sender.run_once()
    assert successful_response.is_done()

    assert transaction_manager.sequence_number(TP1) == 1


def test_correct_handling_of_duplicate_sequence_error(rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)
    rig.prepare_and_receive_init_producer_id(producer_id, Errors.NONE)
    assert transaction_manager.has_producer_id()

    assert transaction_manager.sequence_number(TP0) == 0

    request1 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    node_id = rig.client.requests()[0].destination()
    node = Node(int(node_id), "localhost", 0)
    assert rig.client.in_flight_request_count() == 1
    assert transaction_manager.sequence_number(TP0) == 1
    assert transaction_manager.last_acked_sequence(TP0) is None

    request2 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 2
    assert transaction_manager.sequence_number(TP0) == 2
    assert transaction_manager.last_acked_sequence(TP0) is None
    assert not request1.is_done()
    assert not request2.is_done()
    assert rig.client.is_ready(node, rig.time.milliseconds())

    first_client_request = rig.client.requests()[0]
    second_client_request = rig.client.requests()[1]

    rig.client.respond_to_request(second_client_request, rig.produce_response(TP0, 1000, Errors.NONE, 0))

    rig.sender.run_once()

    assert transaction_manager.last_acked_offset(TP0) == 1000
    assert transaction_manager.last_acked_sequence(TP0) == 1

    rig.client.respond_to_request(
        first_client_request,
        rig.produce_response(TP0, ProduceResponse.INVALID_OFFSET, Errors.DUPLICATE_SEQUENCE_NUMBER, 0))

    rig.sender.run_once()

    assert transaction_manager.last_acked_sequence(TP0) == 1
    assert transaction_manager.last_acked_offset(TP0) == 1000
    assert not rig.client.has_in_flight_requests()

    unknown_metadata = request1.get()
    assert not unknown_metadata.has_offset()
    assert unknown_metadata.offset() == -1


def test_transactional_unknown_producer_handling_when_retention_limit_reached(rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = TransactionManager(
        rig.log_context, "testUnresolvedSeq", 60000, 100, rig.api_versions)

    rig.setup_with_transaction_state(transaction_manager)
    rig.do_init_transactions(transaction_manager, ProducerIdAndEpoch(producer_id, 0))
    assert transaction_manager.has_producer_id()

    transaction_manager.begin_transaction()
    transaction_manager.maybe_add_partition(TP0)
    rig.client.prepare_response(rig.build_add_partitions_to_txn_response_data(0, {TP0: Errors.NONE}))
    rig.sender.run_once()

    assert transaction_manager.sequence_number(TP0) == 0

    request1 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()

    assert rig.client.in_flight_request_count() == 1
    assert transaction_manager.sequence_number(TP0) == 1
    assert transaction_manager.last_acked_sequence(TP0) is None

    rig.send_idempotent_producer_response(0, TP0, Errors.NONE, 1000, 10)

    rig.sender.run_once()

    assert request1.is_done()
    assert request1.get().offset() == 1000
    assert transaction_manager.last_acked_sequence(TP0) == 0
    assert transaction_manager.last_acked_offset(TP0) == 1000

    rig.append_to_accumulator(TP0)
    request2 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    assert transaction_manager.sequence_number(TP0) == 3
    assert transaction_manager.last_acked_sequence(TP0) == 0

    assert not request2.is_done()

    rig.send_idempotent_producer_response(1, TP0, Errors.UNKNOWN_PRODUCER_ID, -1, 1010)
    rig.sender.run_once()

    assert transaction_manager.last_acked_sequence(TP0) is None
    assert transaction_manager.sequence_number(TP0) == 2
    assert not request2.is_done()
    assert not rig.client.has_in_flight_requests()

    rig.sender.run_once()

    rig.send_idempotent_producer_response(0, TP0, Errors.NONE, 1011, 1010)
    rig.sender.run_once()
    assert transaction_manager.last_acked_sequence(TP0) == 1
    assert transaction_manager.sequence_number(TP0) == 2
    assert not rig.client.has_in_flight_requests()
    assert request2.is_done()
    assert request2.get().offset() == 1012
    assert transaction_manager.last_acked_offset(TP0) == 1012


def test_idempotent_unknown_producer_handling_when_retention_limit_reached(rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)
    rig.prepare_and_receive_init_producer_id(producer_id, Errors.NONE)
    assert transaction_manager.has_producer_id()

    assert transaction_manager.sequence_number(TP0) == 0

    request1 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()

    assert rig.client.in_flight_request_count() == 1
    assert transaction_manager.sequence_number(TP0) == 1
    assert transaction_manager.last_acked_sequence(TP0) is None

    rig.send_idempotent_producer_response(0, TP0, Errors.NONE, 1000, 10)

    rig.sender.run_once()

    assert request1.is_done()
    assert request1.get().offset() == 1000
    assert transaction_manager.last_acked_sequence(TP0) == 0
    assert transaction_manager.last_acked_offset(TP0) == 1000

    rig.append_to_accumulator(TP0)
    request2 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    assert transaction_manager.sequence_number(TP0) == 3
    assert transaction_manager.last_acked_sequence(TP0) == 0

    assert not request2.is_done()

    rig.send_idempotent_producer_response(1, TP0, Errors.UNKNOWN_PRODUCER_ID, -1, 1010)
    rig.sender.run_once()
    rig.sender.run_once()

    assert transaction_manager.last_acked_sequence(TP0) is None
    assert transaction_manager.sequence_number(TP0) == 2
    assert not request2.is_done()
    assert rig.client.has_in_flight_requests()
    assert transaction_manager.producer_id_and_epoch().epoch == 1

    rig.send_idempotent_producer_response(0, TP0, Errors.NONE, 1011, 1010)
    rig.sender.run_once()
    assert transaction_manager.last_acked_sequence(TP0) == 1
    assert transaction_manager.sequence_number(TP0) == 2
    assert not rig.client.has_in_flight_requests()
    assert request2.is_done()
    assert request2.get().offset() == 1012
    assert transaction_manager.last_acked_offset(TP0) == 1012


def test_unknown_producer_error_should_be_retried_when_log_start_offset_is_unknown(rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)
    rig.prepare_and_receive_init_producer_id(producer_id, Errors.NONE)
    assert transaction_manager.has_producer_id()

    assert transaction_manager.sequence_number(TP0) == 0

    request1 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()

    assert rig.client.in_flight_request_count() == 1
    assert transaction_manager.sequence_number(TP0) == 1
    assert transaction_manager.last_acked_sequence(TP0) is None

    rig.send_idempotent_producer_response(0, TP0, Errors.NONE, 1000, 10)

    rig.sender.run_once()

    assert request1.is_done()
    assert request1.get().offset() == 1000
    assert transaction_manager.last_acked_sequence(TP0) == 0
    assert transaction_manager.last_acked_offset(TP0) == 1000

    request2 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    assert transaction_manager.sequence_number(TP0) == 2
    assert transaction_manager.last_acked_sequence(TP0) == 0

    assert not request2.is_done()

    rig.send_idempotent_producer_response(1, TP0, Errors.UNKNOWN_PRODUCER_ID, -1, -1)
    rig.sender.run_once()

    assert transaction_manager.last_acked_sequence(TP0) == 0
    assert transaction_manager.sequence_number(TP0) == 2
    assert not request2.is_done()
    assert not rig.client.has_in_flight_requests()

    rig.sender.run_once()

    rig.send_idempotent_producer_response(1, TP0, Errors.NONE, 1011, 1010)
    rig.sender.run_once()
    assert transaction_manager.last_acked_sequence(TP0) == 1
    assert transaction_manager.sequence_number(TP0) == 2
    assert not rig.client.has_in_flight_requests()
    assert request2.is_done()
    assert request2.get().offset() == 1011
    assert transaction_manager.last_acked_offset(TP0) == 1011


def test_unknown_producer_error_should_be_retried_for_future_batches_when_first_fails(rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)
    rig.prepare_and_receive_init_producer_id(producer_id, Errors.NONE)
    assert transaction_manager.has_producer_id()

    assert transaction_manager.sequence_number(TP0) == 0

    request1 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()

    assert rig.client.in_flight_request_count() == 1
    assert transaction_manager.sequence_number(TP0) == 1
    assert transaction_manager.last_acked_sequence(TP0) is None

    rig.send_idempotent_producer_response(0, TP0, Errors.NONE, 1000, 10)

    rig.sender.run_once()

    assert request1.is_done()
    assert request1.get().offset() == 1000
    assert transaction_manager.last_acked_sequence(TP0) == 0
    assert transaction_manager.last_acked_offset(TP0) == 1000

    request2 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    assert transaction_manager.sequence_number(TP0) == 2
    assert transaction_manager.last_acked_sequence(TP0) == 0

    request3 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    assert transaction_manager.sequence_number(TP0) == 3
    assert transaction_manager.last_acked_sequence(TP0) == 0

    assert not request2.is_done()
    assert not request3.is_done()
    assert rig.client.in_flight_request_count() == 2

    rig.send_idempotent_producer_response(1, TP0, Errors.UNKNOWN_PRODUCER_ID, -1, 1010)
    rig.sender.run_once()
    rig.sender.run_once()

    assert transaction_manager.last_acked_sequence(TP0) is None
    assert transaction_manager.sequence_number(TP0) == 2
    assert not request2.is_done()
    assert not request3.is_done()
    assert rig.client.in_flight_request_count() == 2
    assert transaction_manager.producer_id_and_epoch().epoch == 1

    rig.send_idempotent_producer_response(2, TP0, Errors.UNKNOWN_PRODUCER_ID, -1, 1010)
    rig.sender.run_once()

    assert rig.client.in_flight_request_count() == 1
    assert transaction_manager.last_acked_sequence(TP0) is None
    assert transaction_manager.sequence_number(TP0) == 2

    rig.send_idempotent_producer_response(0, TP0, Errors.NONE, 1011, 1010)
    rig.sender.run_once()

    assert request2.is_done()
    assert not request3.is_done()
    assert not rig.client.has_in_flight_requests()
    assert transaction_manager.last_acked_sequence(TP0) == 0
    assert request2.get().offset() == 1011
    assert transaction_manager.last_acked_offset(TP0) == 1011

    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 1

    rig.send_idempotent_producer_response(1, TP0, Errors.NONE, 1012, 1010)
    rig.sender.run_once()

    assert not rig.client.has_in_flight_requests()
    assert request3.is_done()
    assert request3.get().offset() == 1012
    assert transaction_manager.last_acked_offset(TP0) == 1012


def test_should_raise_out_of_order_sequence_exception_to_user_if_log_was_not_truncated(rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)
    rig.prepare_and_receive_init_producer_id(producer_id, Errors.NONE)
    assert transaction_manager.has_producer_id()

    assert transaction_manager.sequence_number(TP0) == 0

    request1 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()

    assert rig.client.in_flight_request_count() == 1
    assert transaction_manager.sequence_number(TP0) == 1
    assert transaction_manager.last_acked_sequence(TP0) is None

    rig.send_idempotent_producer_response(0, TP0, Errors.NONE, 1000, 10)

    rig.sender.run_once()

    assert request1.is_done()
    assert request1.get().offset() == 1000
    assert transaction_manager.last_acked_sequence(TP0) == 0
    assert transaction_manager.last_acked_offset(TP0) == 1000

    request2 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    assert transaction_manager.sequence_number(TP0) == 2
    assert transaction_manager.last_acked_sequence(TP0) == 0

    assert not request2.is_done()

    rig.send_idempotent_producer_response(1, TP0, Errors.UNKNOWN_PRODUCER_ID, -1, 10)
    rig.sender.run_once()
    rig.sender.run_once()
    assert transaction_manager.producer_id_and_epoch().epoch == 1
    assert transaction_manager.last_acked_sequence(TP0) is None
    assert not request2.is_done()


def test_cluster_authorization_exception_in_produce_request(rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)

    rig.prepare_and_receive_init_producer_id(producer_id, Errors.NONE)
    assert transaction_manager.has_producer_id()

    future = rig.append_to_accumulator(TP0)
    rig.client.prepare_response_matcher(
        has_idempotent_records, rig.produce_response(TP0, -1, Errors.CLUSTER_AUTHORIZATION_FAILED, 0))

    rig.sender.run_once()
    rig.assert_future_failure(future, ClusterAuthorizationException)

    assert transaction_manager.has_fatal_error()
    rig.assert_send_failure(ClusterAuthorizationException)


def test_cancel_in_flight_request_after_fatal_error(rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)

    rig.prepare_and_receive_init_producer_id(producer_id, Errors.NONE)
    assert transaction_manager.has_producer_id()

    future1 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()

    future2 = rig.append_to_accumulator(TP1)
    rig.sender.run_once()

    rig.client.respond_matcher(
        has_idempotent_records, rig.produce_response(TP0, -1, Errors.CLUSTER_AUTHORIZATION_FAILED, 0))

    rig.sender.run_once()
    assert transaction_manager.has_fatal_error()
    rig.assert_future_failure(future1, ClusterAuthorizationException)

    rig.sender.run_once()
    rig.assert_future_failure(future2, ClusterAuthorizationException)

    rig.client.respond_matcher(has_idempotent_records, rig.produce_response(TP1, 0, Errors.NONE, 0))
    rig.sender.run_once()


def test_unsupported_for_message_format_in_produce_request(rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)

    rig.prepare_and_receive_init_producer_id(producer_id, Errors.NONE)
    assert transaction_manager.has_producer_id()

    future = rig.append_to_accumulator(TP0)
    rig.client.prepare_response_matcher(
        has_idempotent_records, rig.produce_response(TP0, -1, Errors.UNSUPPORTED_FOR_MESSAGE_FORMAT, 0))

    rig.sender.run_once()
    rig.assert_future_failure(future, UnsupportedForMessageFormatException)

    assert not transaction_manager.has_error()


def test_unsupported_version_in_produce_request(rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)

    rig.prepare_and_receive_init_producer_id(producer_id, Errors.NONE)
    assert transaction_manager.has_producer_id()

    future = rig.append_to_accumulator(TP0)
    rig.client.prepare_unsupported_version_response(has_idempotent_records)

    rig.sender.run_once()
    rig.assert_future_failure(future, UnsupportedVersionException)

    assert transaction_manager.has_fatal_error()
    rig.assert_send_failure(UnsupportedVersionException)


def test_sequence_number_increment(rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)
    rig.prepare_and_receive_init_producer_id(producer_id, Errors.NONE)
    assert transaction_manager.has_producer_id()

    sender = rig.new_sender(
        SenderMetricsRegistry(rig.new_metrics()), transaction_manager, guarantee_order=True,
        retries=10)

    response_future = rig.append_to_accumulator(TP0)

    def matcher(body: AbstractRequest) -> bool:
        if isinstance(body, ProduceRequest):
            [batch] = partition_records(body)[TP0].batches()
            assert batch.base_sequence() == 0
            assert batch.producer_id() == producer_id
            assert batch.producer_epoch() == 0
            return True
        return False

    rig.client.prepare_response_matcher(matcher, rig.produce_response(TP0, 0, Errors.NONE, 0))

    sender.run_once()
    sender.run_once()
    sender.run_once()
    assert response_future.is_done()
    assert transaction_manager.last_acked_sequence(TP0) == 0
    assert transaction_manager.sequence_number(TP0) == 1


def test_retry_when_producer_id_changes(rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)
    rig.prepare_and_receive_init_producer_id(producer_id, 2**15 - 1, Errors.NONE)
    assert transaction_manager.has_producer_id()

    sender_metrics = SenderMetricsRegistry(rig.new_metrics())
    sender = rig.new_sender(sender_metrics, transaction_manager, guarantee_order=True, retries=10)

    response_future = rig.append_to_accumulator(TP0)
    sender.run_once()
    sender.run_once()
    id_ = rig.client.requests()[0].destination()
    node = Node(int(id_), "localhost", 0)
    assert rig.client.in_flight_request_count() == 1
    assert rig.client.is_ready(node, rig.time.milliseconds())
    rig.client.disconnect(id_)
    assert rig.client.in_flight_request_count() == 0
    assert not rig.client.is_ready(node, rig.time.milliseconds())
    sender.run_once()
    sender.run_once()

    rig.prepare_and_receive_init_producer_id(producer_id + 1, Errors.NONE)
    sender.run_once()
    assert rig.client.in_flight_request_count() == 1

    assert not response_future.is_done()
    assert transaction_manager.sequence_number(TP0) == 1


def test_bump_epoch_when_out_of_order_sequence_received(rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)
    rig.prepare_and_receive_init_producer_id(producer_id, Errors.NONE)
    assert transaction_manager.has_producer_id()

    sender_metrics = SenderMetricsRegistry(rig.new_metrics())

    sender = rig.new_sender(sender_metrics, transaction_manager, guarantee_order=True, retries=10)

    response_future = rig.append_to_accumulator(TP0)
    sender.run_once()
    sender.run_once()

    assert rig.client.in_flight_request_count() == 1
    assert len(sender.in_flight_batches(TP0)) == 1

    rig.client.respond(rig.produce_response(TP0, 0, Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, 0))

    sender.run_once()
    sender.run_once()
    assert not response_future.is_done()
    assert len(sender.in_flight_batches(TP0)) == 1
    assert transaction_manager.producer_id_and_epoch().epoch == 1


def test_idempotent_split_batch_and_send(rig: Rig) -> None:
    tp = TopicPartition("testSplitBatchAndSend", 1)
    txn_manager = rig.create_transaction_manager()
    producer_id_and_epoch = ProducerIdAndEpoch(123456, 0)
    rig.setup_with_transaction_state(txn_manager)
    rig.prepare_and_receive_init_producer_id(123456, Errors.NONE)
    assert txn_manager.has_producer_id()
    rig.check_split_batch_and_send(txn_manager, producer_id_and_epoch, tp)


def test_transactional_split_batch_and_send(rig: Rig) -> None:
    producer_id_and_epoch = ProducerIdAndEpoch(123456, 0)
    tp = TopicPartition("testSplitBatchAndSend", 1)
    txn_manager = TransactionManager(rig.log_context, "testSplitBatchAndSend", 60000, 100, rig.api_versions)

    rig.setup_with_transaction_state(txn_manager)
    rig.do_init_transactions(txn_manager, producer_id_and_epoch)

    txn_manager.begin_transaction()
    txn_manager.maybe_add_partition(tp)
    rig.client.prepare_response(rig.build_add_partitions_to_txn_response_data(0, {tp: Errors.NONE}))
    rig.sender.run_once()

    rig.check_split_batch_and_send(txn_manager, producer_id_and_epoch, tp)


def test_no_double_deallocation(rig: Rig) -> None:
    total_size = 1024 * 1024
    metric_grp_name = "producer-custom-metrics"
    pool = MatchingBufferPool(total_size, BATCH_SIZE, rig.metrics, rig.time, metric_grp_name)
    rig.setup_with_transaction_state(None, False, pool)

    request1 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 1
    assert len(rig.sender.in_flight_batches(TP0)) == 1

    rig.time.sleep(REQUEST_TIMEOUT)
    assert not pool.all_match()

    rig.sender.run_once()
    assert request1.is_done()
    assert pool.all_match()
    assert pool.all_match()

    rig.sender.run_once()
    assert pool.all_match()
    assert rig.client.in_flight_request_count() == 0
    assert len(rig.sender.in_flight_batches(TP0)) == 0


def test_inflight_batches_expire_on_delivery_timeout(rig: Rig) -> None:
    delivery_timeout_ms = 1500
    rig.setup_with_transaction_state(None, True, None)

    request = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 1
    assert len(rig.sender.in_flight_batches(TP0)) == 1

    response_map = {}
    response_map[TP0] = PartitionResponse(Errors.NONE, 0, 0, 0)
    rig.client.respond(ProduceResponse.of(response_map))

    rig.time.sleep(delivery_timeout_ms)
    rig.sender.run_once()
    assert len(rig.sender.in_flight_batches(TP0)) == 0
    rig.assert_future_failure(request, TimeoutException)


def test_record_error_propagated_to_application(rig: Rig) -> None:
    futures = [rig.append_to_accumulator(TP0) for _ in range(5)]

    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 1
    assert len(rig.sender.in_flight_batches(TP0)) == 1

    rig.client.respond(rig.produce_response({TP0: OffsetAndError(-1, Errors.INVALID_RECORD, [
        BatchIndexAndErrorMessage(batch_index=0, batch_index_error_message="0"),
        BatchIndexAndErrorMessage(batch_index=2, batch_index_error_message="2"),
        BatchIndexAndErrorMessage(batch_index=3)])}))
    rig.sender.run_once()

    for index, future in enumerate(futures):
        exception = rig.assert_future_failure(future, KafkaException)
        if index in (0, 2):
            assert isinstance(exception, InvalidRecordException)
            assert str(exception) == str(index)
        elif index == 3:
            assert isinstance(exception, InvalidRecordException)
            assert str(exception) == Errors.INVALID_RECORD.message()
        else:
            assert type(exception) is KafkaException


def test_when_first_batch_expire_no_send_second_batch_if_guarantee_order(rig: Rig) -> None:
    delivery_timeout_ms = 1500
    rig.setup_with_transaction_state(None, True, None)

    rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 1
    assert len(rig.sender.in_flight_batches(TP0)) == 1

    rig.time.sleep(delivery_timeout_ms // 2)

    rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 1
    assert len(rig.sender.in_flight_batches(TP0)) == 1

    rig.time.sleep(delivery_timeout_ms // 2)

    rig.client.respond(rig.produce_response(TP0, 0, Errors.NONE, 0, 0, None))
    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 0
    assert len(rig.sender.in_flight_batches(TP0)) == 0

    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 1
    assert len(rig.sender.in_flight_batches(TP0)) == 1


def test_expired_batch_does_not_retry(rig: Rig) -> None:
    deliver_timeout_ms = 1500
    rig.setup_with_transaction_state(None, False, None)

    request1 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 1
    rig.time.sleep(deliver_timeout_ms)

    rig.client.respond(rig.produce_response(TP0, -1, Errors.NOT_LEADER_OR_FOLLOWER, -1))

    rig.sender.run_once()
    assert request1.is_done()
    assert rig.client.in_flight_request_count() == 0
    assert len(rig.sender.in_flight_batches(TP0)) == 0

    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 0
    assert len(rig.sender.in_flight_batches(TP0)) == 0

    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 0
    assert len(rig.sender.in_flight_batches(TP0)) == 0


def test_expired_batch_does_not_split_on_message_too_large_error(rig: Rig) -> None:
    deliver_timeout_ms = 1500

    request1 = rig.append_to_accumulator(TP0)
    request2 = rig.append_to_accumulator(TP0)

    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 1

    rig.client.respond(rig.produce_response(TP0, -1, Errors.MESSAGE_TOO_LARGE, -1))

    rig.time.sleep(deliver_timeout_ms)

    rig.sender.run_once()
    assert request1.is_done()
    assert request2.is_done()
    assert rig.client.in_flight_request_count() == 0
    assert len(rig.sender.in_flight_batches(TP0)) == 0

    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 0
    assert len(rig.sender.in_flight_batches(TP0)) == 0


def test_reset_next_batch_expiry(rig: Rig) -> None:
    client = rig.client = RecordingClient(rig.time, rig.metadata)
    rig.setup_with_transaction_state(None)

    rig.append_to_accumulator(TP0, 0, "key", "value")

    rig.sender.run_once()
    rig.sender.run_once()
    rig.time.sleep(rig.accumulator.get_delivery_timeout_ms() + 1)
    rig.sender.run_once()

    assert [call for call in client.calls if call != "poll"] == ["ready", "send"]
    first, second, third = client.polls
    assert first == 0
    assert second == rig.accumulator.get_delivery_timeout_ms()
    # Nothing in the accumulator expires any more.
    assert third >= 1


def test_expired_batches_in_multiple_partitions(rig: Rig) -> None:
    delivery_timeout_ms = 1500
    rig.setup_with_transaction_state(None, True, None)

    request1 = rig.append_to_accumulator(TP0, rig.time.milliseconds(), "k1", "v1")
    request2 = rig.append_to_accumulator(TP1, rig.time.milliseconds(), "k2", "v2")

    rig.sender.run_once()
    assert rig.client.in_flight_request_count() == 1
    assert len(rig.sender.in_flight_batches(TP0)) == 1

    response_map = {}
    response_map[TP0] = PartitionResponse(Errors.NONE, 0, 0, 0)
    rig.client.respond(ProduceResponse.of(response_map))

    rig.time.sleep(delivery_timeout_ms)
    rig.sender.run_once()
    assert len(rig.sender.in_flight_batches(TP0)) == 0

    rig.assert_future_failure(request1, TimeoutException)

    rig.assert_future_failure(request2, TimeoutException)


def test_transactional_requests_sent_on_shutdown(rig: Rig) -> None:
    sender_metrics = SenderMetricsRegistry(rig.new_metrics())
    txn_manager = TransactionManager(
        rig.log_context, "testTransactionalRequestsSentOnShutdown", 6000, 100, rig.api_versions)
    sender = rig.new_sender(sender_metrics, txn_manager, guarantee_order=False, retries=1)

    producer_id_and_epoch = ProducerIdAndEpoch(123456, 0)
    tp = TopicPartition("testTransactionalRequestsSentOnShutdown", 1)

    rig.setup_with_transaction_state(txn_manager)
    rig.do_init_transactions(txn_manager, producer_id_and_epoch)

    txn_manager.begin_transaction()
    txn_manager.maybe_add_partition(tp)
    rig.client.prepare_response(rig.build_add_partitions_to_txn_response_data(0, {tp: Errors.NONE}))
    sender.run_once()
    sender.initiate_close()
    txn_manager.begin_commit()
    end_txn_matcher = AssertEndTxnRequestMatcher(TransactionResult.COMMIT)
    rig.client.prepare_response_matcher(
        end_txn_matcher, EndTxnResponse(EndTxnResponseData(error_code=Errors.NONE.code, throttle_time_ms=0)))
    sender.run()
    assert end_txn_matcher.matched


def test_records_flushed_immediately_on_transaction_completion(rig: Rig) -> None:
    linger_ms = 50
    sender_metrics = SenderMetricsRegistry(rig.new_metrics())

    txn_manager = TransactionManager(rig.log_context, "txnId", 6000, 100, rig.api_versions)
    rig.setup_with_transaction_state(txn_manager, linger_ms=linger_ms)

    sender = rig.new_sender(sender_metrics, txn_manager, guarantee_order=False, retries=1)

    producer_id_and_epoch = ProducerIdAndEpoch(123456, 0)
    rig.do_init_transactions(txn_manager, producer_id_and_epoch)
    txn_manager.begin_transaction()
    rig.add_partition_to_txn(sender, txn_manager, TP0)

    rig.append_to_accumulator(TP0)
    rig.append_to_accumulator(TP0)
    sender.run_once()
    assert not rig.client.has_in_flight_requests()

    commit_result = txn_manager.begin_commit()
    run_until(sender, rig.client.has_in_flight_requests)

    rig.respond_to_produce(TP0, Errors.NONE, 1)
    run_until(sender, txn_manager.has_in_flight_request)

    rig.respond_to_end_txn(Errors.NONE)
    run_until(sender, txn_manager.is_ready)

    assert commit_result.is_successful()
    commit_result.await_()

    txn_manager.begin_transaction()
    rig.add_partition_to_txn(sender, txn_manager, TP0)

    rig.append_to_accumulator(TP0)
    rig.append_to_accumulator(TP0)
    rig.time.sleep(linger_ms - 1)
    sender.run_once()
    assert not rig.client.has_in_flight_requests()
    assert rig.accumulator.has_undrained()

    rig.time.sleep(1)
    run_until(sender, rig.client.has_in_flight_requests)
    assert not rig.accumulator.has_undrained()


def test_await_pending_records_before_committing_transaction(rig: Rig) -> None:
    sender_metrics = SenderMetricsRegistry(rig.new_metrics())

    txn_manager = TransactionManager(rig.log_context, "txnId", 6000, 100, rig.api_versions)
    rig.setup_with_transaction_state(txn_manager)

    sender = rig.new_sender(sender_metrics, txn_manager, guarantee_order=False, retries=1)

    producer_id_and_epoch = ProducerIdAndEpoch(123456, 0)
    rig.do_init_transactions(txn_manager, producer_id_and_epoch)
    txn_manager.begin_transaction()
    rig.add_partition_to_txn(sender, txn_manager, TP0)

    rig.append_to_accumulator(TP0)
    run_until(sender, lambda: len(rig.client.requests()) == 1)
    assert not rig.accumulator.has_undrained()
    assert rig.client.has_in_flight_requests()
    assert txn_manager.has_inflight_batches(TP0)

    rig.append_to_accumulator(TP0)
    txn_manager.begin_commit()
    run_until(sender, lambda: len(rig.client.requests()) == 2)

    assert txn_manager.is_completing()
    assert not txn_manager.has_in_flight_request()
    assert txn_manager.has_inflight_batches(TP0)

    rig.respond_to_produce(TP0, Errors.NONE, 0)
    rig.respond_to_produce(TP0, Errors.NONE, 1)
    run_until(sender, txn_manager.has_in_flight_request)

    rig.respond_to_end_txn(Errors.NONE)
    run_until(sender, txn_manager.is_ready)


def test_incomplete_transaction_abort_on_shutdown(rig: Rig) -> None:
    sender_metrics = SenderMetricsRegistry(rig.new_metrics())
    txn_manager = TransactionManager(
        rig.log_context, "testIncompleteTransactionAbortOnShutdown", 6000, 100, rig.api_versions)
    sender = rig.new_sender(sender_metrics, txn_manager, guarantee_order=False, retries=1)

    producer_id_and_epoch = ProducerIdAndEpoch(123456, 0)
    tp = TopicPartition("testIncompleteTransactionAbortOnShutdown", 1)

    rig.setup_with_transaction_state(txn_manager)
    rig.do_init_transactions(txn_manager, producer_id_and_epoch)

    txn_manager.begin_transaction()
    txn_manager.maybe_add_partition(tp)
    rig.client.prepare_response(rig.build_add_partitions_to_txn_response_data(0, {tp: Errors.NONE}))
    sender.run_once()
    sender.initiate_close()
    end_txn_matcher = AssertEndTxnRequestMatcher(TransactionResult.ABORT)
    rig.client.prepare_response_matcher(
        end_txn_matcher, EndTxnResponse(EndTxnResponseData(error_code=Errors.NONE.code, throttle_time_ms=0)))
    sender.run()
    assert end_txn_matcher.matched


def test_force_shutdown_with_incomplete_transaction(rig: Rig) -> None:
    sender_metrics = SenderMetricsRegistry(rig.new_metrics())
    txn_manager = TransactionManager(
        rig.log_context, "testForceShutdownWithIncompleteTransaction", 6000, 100, rig.api_versions)
    sender = rig.new_sender(sender_metrics, txn_manager, guarantee_order=False, retries=1)

    producer_id_and_epoch = ProducerIdAndEpoch(123456, 0)
    tp = TopicPartition("testForceShutdownWithIncompleteTransaction", 1)

    rig.setup_with_transaction_state(txn_manager)
    rig.do_init_transactions(txn_manager, producer_id_and_epoch)

    txn_manager.begin_transaction()
    txn_manager.maybe_add_partition(tp)
    rig.client.prepare_response(rig.build_add_partitions_to_txn_response_data(0, {tp: Errors.NONE}))
    sender.run_once()

    commit_result = txn_manager.begin_commit()

    sender.force_close()
    sender.run()
    with pytest.raises(KafkaException):
        commit_result.await_()


def test_transaction_aborted_exception_on_abort_without_error(rig: Rig) -> None:
    producer_id_and_epoch = ProducerIdAndEpoch(123456, 0)
    txn_manager = TransactionManager(
        rig.log_context, "testTransactionAbortedExceptionOnAbortWithoutError", 60000, 100, rig.api_versions)

    rig.setup_with_transaction_state(txn_manager, False, None)
    rig.do_init_transactions(txn_manager, producer_id_and_epoch)

    txn_manager.begin_transaction()
    txn_manager.maybe_add_partition(TP0)
    rig.client.prepare_response(rig.build_add_partitions_to_txn_response_data(0, {TP0: Errors.NONE}))

    rig.sender.run_once()

    metadata = rig.append_to_accumulator(TP0, rig.time.milliseconds(), "key", "value")

    txn_manager.begin_abort()

    rig.sender.run_once()

    rig.assert_future_failure(metadata, TransactionAbortedException)


def test_do_not_poll_when_no_request_sent(rig: Rig) -> None:
    client = rig.client = RecordingClient(rig.time, rig.metadata)

    txn_manager = TransactionManager(
        rig.log_context, "testDoNotPollWhenNoRequestSent", 6000, 100, rig.api_versions)
    rig.setup_with_transaction_state(txn_manager)
    rig.do_init_transactions(txn_manager, ProducerIdAndEpoch(123456, 0))

    # A poll for each of FindCoordinator and InitProducerId.
    assert client.polls.count(RETRY_BACKOFF_MS) == 2


def test_too_large_batches_are_safely_removed(rig: Rig) -> None:
    producer_id_and_epoch = ProducerIdAndEpoch(123456, 0)
    txn_manager = TransactionManager(rig.log_context, "testSplitBatchAndSend", 60000, 100, rig.api_versions)

    rig.setup_with_transaction_state(txn_manager, False, None)
    rig.do_init_transactions(txn_manager, producer_id_and_epoch)

    txn_manager.begin_transaction()
    txn_manager.maybe_add_partition(TP0)
    rig.client.prepare_response(rig.build_add_partitions_to_txn_response_data(0, {TP0: Errors.NONE}))
    rig.sender.run_once()

    rig.append_to_accumulator(TP0, rig.time.milliseconds(), "key1", "value1")
    rig.append_to_accumulator(TP0, rig.time.milliseconds(), "key2", "value2")

    rig.sender.run_once()
    assert len(rig.sender.in_flight_batches(TP0)) == 1

    rig.client.respond(rig.produce_response(TP0, -1, Errors.MESSAGE_TOO_LARGE, -1))
    rig.sender.run_once()

    rig.sender.run_once()
    rig.client.respond(rig.produce_response(TP0, 0, Errors.NONE, 0))
    rig.sender.run_once()

    assert len(rig.sender.in_flight_batches(TP0)) == 0
    rig.time.sleep(2000)
    rig.sender.run_once()


def test_default_error_message(rig: Rig) -> None:
    rig.verify_error_message(
        rig.produce_response(TP0, 0, Errors.INVALID_REQUEST, 0), Errors.INVALID_REQUEST.message())


def test_custom_error_message(rig: Rig) -> None:
    error_message = "testCustomErrorMessage"
    rig.verify_error_message(
        rig.produce_response(TP0, 0, Errors.INVALID_REQUEST, 0, -1, error_message), error_message)


def test_sender_should_retry_with_backoff_on_retriable_error(rig: Rig) -> None:
    producer_id = 343434
    transaction_manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(transaction_manager)
    start = rig.time.milliseconds()

    rig.prepare_and_receive_init_producer_id(producer_id, -1, Errors.COORDINATOR_LOAD_IN_PROGRESS)
    request1 = rig.time.milliseconds()
    assert request1 == start

    rig.prepare_and_receive_init_producer_id(producer_id, -1, Errors.COORDINATOR_LOAD_IN_PROGRESS)
    request2 = rig.time.milliseconds()
    assert request2 - request1 == RETRY_BACKOFF_MS

    rig.prepare_and_receive_init_producer_id(producer_id, Errors.NONE)
    assert rig.time.milliseconds() - request2 == RETRY_BACKOFF_MS


def test_receive_failed_batch_twice_with_transactions(rig: Rig) -> None:
    producer_id_and_epoch = ProducerIdAndEpoch(123456, 0)
    rig.api_versions.update("0", NodeApiVersions.create_api_key(ApiKeys.INIT_PRODUCER_ID.id, 0, 3))
    txn_manager = TransactionManager(rig.log_context, "testFailTwice", 60000, 100, rig.api_versions)

    rig.setup_with_transaction_state(txn_manager)
    rig.do_init_transactions(txn_manager, producer_id_and_epoch)

    txn_manager.begin_transaction()
    txn_manager.maybe_add_partition(TP0)
    rig.client.prepare_response(rig.build_add_partitions_to_txn_response_data(0, {TP0: Errors.NONE}))
    rig.sender.run_once()

    request1 = rig.append_to_accumulator(TP0)
    rig.sender.run_once()

    node = rig.metadata.fetch().nodes()[0]
    rig.time.sleep(2000)
    rig.client.disconnect(node.id_string(), True)
    rig.client.backoff(node, 10)

    rig.sender.run_once()
    rig.assert_future_failure(request1, TimeoutException)

    rig.time.sleep(20)

    rig.send_idempotent_producer_response(0, TP0, Errors.INVALID_TXN_STATE, -1)
    rig.sender.run_once()

    rig.sender.run_once()
    assert txn_manager.has_abortable_error()
    result = txn_manager.begin_abort()
    rig.sender.run_once()

    rig.respond_to_end_txn(Errors.NONE)
    rig.sender.run_once()
    assert txn_manager.is_initializing()
    rig.prepare_init_producer_response(
        Errors.NONE, producer_id_and_epoch.producer_id, producer_id_and_epoch.epoch)
    rig.sender.run_once()
    assert txn_manager.is_ready()

    assert result.is_successful()
    result.await_()

    txn_manager.begin_transaction()


def test_invalid_txn_state_is_an_abortable_error(rig: Rig) -> None:
    producer_id_and_epoch = ProducerIdAndEpoch(123456, 0)
    rig.api_versions.update("0", NodeApiVersions.create_api_key(ApiKeys.INIT_PRODUCER_ID.id, 0, 3))
    txn_manager = TransactionManager(rig.log_context, "testInvalidTxnState", 60000, 100, rig.api_versions)

    rig.setup_with_transaction_state(txn_manager)
    rig.do_init_transactions(txn_manager, producer_id_and_epoch)

    txn_manager.begin_transaction()
    txn_manager.maybe_add_partition(TP0)
    rig.client.prepare_response(rig.build_add_partitions_to_txn_response_data(0, {TP0: Errors.NONE}))
    rig.sender.run_once()

    request = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    rig.send_idempotent_producer_response(0, TP0, Errors.INVALID_TXN_STATE, -1)

    rig.sender.run_once()
    rig.assert_future_failure(request, InvalidTxnStateException)
    assert txn_manager.has_abortable_error()
    result = txn_manager.begin_abort()
    rig.sender.run_once()

    rig.respond_to_end_txn(Errors.NONE)
    rig.sender.run_once()
    assert txn_manager.is_initializing()
    rig.prepare_init_producer_response(
        Errors.NONE, producer_id_and_epoch.producer_id, producer_id_and_epoch.epoch)
    rig.sender.run_once()
    assert txn_manager.is_ready()

    assert result.is_successful()
    result.await_()

    txn_manager.begin_transaction()


def test_transaction_abortable_exception_is_an_abortable_error(rig: Rig) -> None:
    producer_id_and_epoch = ProducerIdAndEpoch(123456, 0)
    rig.api_versions.update("0", NodeApiVersions.create_api_key(ApiKeys.INIT_PRODUCER_ID.id, 0, 3))
    txn_manager = TransactionManager(
        rig.log_context, "textTransactionAbortableException", 60000, 100, rig.api_versions)

    rig.setup_with_transaction_state(txn_manager)
    rig.do_init_transactions(txn_manager, producer_id_and_epoch)

    txn_manager.begin_transaction()
    txn_manager.maybe_add_partition(TP0)
    rig.client.prepare_response(rig.build_add_partitions_to_txn_response_data(0, {TP0: Errors.NONE}))
    rig.sender.run_once()

    request = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    rig.send_idempotent_producer_response(0, TP0, Errors.TRANSACTION_ABORTABLE, -1)

    rig.sender.run_once()
    rig.assert_future_failure(request, TransactionAbortableException)
    assert txn_manager.has_abortable_error()
    result = txn_manager.begin_abort()
    rig.sender.run_once()

    rig.respond_to_end_txn(Errors.NONE)
    rig.sender.run_once()
    assert txn_manager.is_initializing()
    rig.prepare_init_producer_response(
        Errors.NONE, producer_id_and_epoch.producer_id, producer_id_and_epoch.epoch)
    rig.sender.run_once()
    assert txn_manager.is_ready()

    assert result.is_successful()
    result.await_()

    txn_manager.begin_transaction()


def test_producer_batch_retries_when_partition_leader_changes(rig: Rig) -> None:
    sender_metrics = SenderMetricsRegistry(rig.new_metrics())
    pool = BufferPool(TOTAL_SIZE, BATCH_SIZE, rig.metrics, rig.time, "producer-metrics-test-stats-1")
    retry_backoff_max_ms = 100

    rig.accumulator = rig.new_accumulator(
        None, pool, retry_backoff_ms=10, retry_backoff_max_ms=retry_backoff_max_ms)
    sender = rig.new_sender(sender_metrics, None, guarantee_order=False, retries=10)

    tp0_leader_epoch = 100
    epoch = tp0_leader_epoch
    matcher = {TP0: epoch, TP1: 0}.__getitem__
    rig.client.update_metadata(RequestTestUtils.metadata_update_with(1, {"test": 2}, matcher))

    future_is_produced = rig.append_to_accumulator(TP0, 0, "key", "value")
    sender.run_once()
    sender.run_once()
    assert rig.client.in_flight_request_count() == 1
    assert len(sender.in_flight_batches(TP0)) == 1
    assert rig.client.has_in_flight_requests()
    rig.client.respond(rig.produce_response(TP0, -1, Errors.NOT_LEADER_OR_FOLLOWER, 0))
    sender.run_once()
    assert not future_is_produced.is_done()

    new_epoch = tp0_leader_epoch + 1
    matcher_2 = {TP0: new_epoch, TP1: 0}.__getitem__
    rig.client.update_metadata(RequestTestUtils.metadata_update_with(1, {"test": 2}, matcher_2))
    sender.run_once()
    assert len(sender.in_flight_batches(TP0)) == 1
    assert rig.client.has_in_flight_requests()
    rig.client.respond(rig.produce_response(TP0, -1, Errors.NOT_LEADER_OR_FOLLOWER, 0))
    sender.run_once()
    assert not future_is_produced.is_done()

    sender.run_once()

    assert len(sender.in_flight_batches(TP0)) == 0
    assert not rig.client.has_in_flight_requests()

    rig.time.sleep(2 * retry_backoff_max_ms)
    sender.run_once()
    assert len(sender.in_flight_batches(TP0)) == 1
    assert rig.client.has_in_flight_requests()
    offset = 999
    rig.client.respond(rig.produce_response(TP0, offset, Errors.NONE, 0))
    sender.run_once()
    assert future_is_produced.is_done()
    assert future_is_produced.get().offset() == offset


def test_sender_should_close_when_transaction_manager_in_error_state(rig: Rig) -> None:
    transaction_manager = Mock(TransactionManager)
    sender = rig.new_sender(SenderMetricsRegistry(rig.new_metrics("clientA")), transaction_manager,
                            guarantee_order=False, retries=1)
    transaction_manager.has_ongoing_transaction.return_value = True
    transaction_manager.has_pending_requests.return_value = False
    transaction_manager.is_completing.return_value = False
    transaction_manager.begin_abort.side_effect = IllegalStateException()
    # The mock's run_once has nothing to do.
    transaction_manager.has_fatal_error.return_value = False
    transaction_manager.has_abortable_error.return_value = False
    transaction_manager.is_aborting.return_value = False
    transaction_manager.has_in_flight_request.return_value = False
    transaction_manager.next_request.return_value = None
    sender.initiate_close()

    # It ends.
    sender.run()
    transaction_manager.close.assert_called_once_with()


def test_when_produce_response_returns_with_a_leader_ship_change_error_but_no_new_leader_information(
        rig: Rig) -> None:
    sender_metrics = SenderMetricsRegistry(rig.new_metrics())
    pool = BufferPool(TOTAL_SIZE, BATCH_SIZE, rig.metrics, rig.time, "producer-metrics-test-stats-1")
    retry_backoff_max_ms = 100

    rig.accumulator = rig.new_accumulator(
        None, pool, retry_backoff_ms=10, retry_backoff_max_ms=retry_backoff_max_ms)
    sender = rig.new_sender(sender_metrics, None, guarantee_order=False, retries=10)

    tp0_leader_epoch = 100
    tp1_leader_epoch = 200
    tp2_leader_epoch = 300
    matcher = {TP0: tp0_leader_epoch, TP1: tp1_leader_epoch, TP2: tp2_leader_epoch}.__getitem__
    rig.client.update_metadata(RequestTestUtils.metadata_update_with(1, {"test": 3}, matcher))
    starting_metadata_cluster = rig.metadata.fetch()

    future_is_produced_tp0 = rig.append_to_accumulator(TP0, 0, "key", "value")
    future_is_produced_tp1 = rig.append_to_accumulator(TP1, 0, "key", "value")
    future_is_produced_tp2 = rig.append_to_accumulator(TP2, 0, "key", "value")
    sender.run_once()
    sender.run_once()
    assert len(sender.in_flight_batches(TP0)) == 1
    assert len(sender.in_flight_batches(TP1)) == 1
    assert len(sender.in_flight_batches(TP2)) == 1
    assert rig.client.has_in_flight_requests()
    responses = {}
    responses[TP0] = OffsetAndError(-1, Errors.NOT_LEADER_OR_FOLLOWER)
    responses[TP1] = OffsetAndError(-1, Errors.NOT_LEADER_OR_FOLLOWER)
    responses[TP2] = OffsetAndError(100, Errors.NONE)
    rig.client.respond(rig.produce_response(responses))
    sender.run_once()
    assert not future_is_produced_tp0.is_done()
    assert not future_is_produced_tp1.is_done()
    assert future_is_produced_tp2.is_done()

    assert rig.metadata.fetch() == starting_metadata_cluster

    assert rig.metadata.update_requested()

    sender.run_once()
    assert len(sender.in_flight_batches(TP0)) == 0
    assert len(sender.in_flight_batches(TP1)) == 0
    assert not rig.client.has_in_flight_requests()


def test_when_produce_response_returns_with_a_leader_ship_change_error_and_new_leader_information(
        rig: Rig) -> None:
    sender_metrics = SenderMetricsRegistry(rig.new_metrics())
    pool = BufferPool(TOTAL_SIZE, BATCH_SIZE, rig.metrics, rig.time, "producer-metrics-test-stats-1")
    retry_backoff_max_ms = 100

    rig.accumulator = rig.new_accumulator(
        None, pool, retry_backoff_ms=10, retry_backoff_max_ms=retry_backoff_max_ms)
    sender = rig.new_sender(sender_metrics, None, guarantee_order=False, retries=10)

    tp0_leader_epoch = 100
    tp1_leader_epoch = 200
    tp2_leader_epoch = 300
    matcher = {TP0: tp0_leader_epoch, TP1: tp1_leader_epoch, TP2: tp2_leader_epoch}.__getitem__
    rig.client.update_metadata(RequestTestUtils.metadata_update_with(1, {"test": 3}, matcher))
    starting_metadata_cluster = rig.metadata.fetch()

    future_is_produced_tp0 = rig.append_to_accumulator(TP0, 0, "key", "value")
    future_is_produced_tp1 = rig.append_to_accumulator(TP1, 0, "key", "value")
    future_is_produced_tp2 = rig.append_to_accumulator(TP2, 0, "key", "value")
    sender.run_once()
    sender.run_once()
    assert len(sender.in_flight_batches(TP0)) == 1
    assert len(sender.in_flight_batches(TP1)) == 1
    assert len(sender.in_flight_batches(TP2)) == 1
    assert rig.client.has_in_flight_requests()

    new_node_for_tp0 = Node(9990, "newhost9990", 9990, "newrack9990")
    new_node_for_tp1 = Node(9991, "newhost9991", 9991, "newrack9991")
    new_nodes = [new_node_for_tp0, new_node_for_tp1]

    responses = {}
    responses[TP0] = OffsetAndError(-1, Errors.NOT_LEADER_OR_FOLLOWER)
    responses[TP1] = OffsetAndError(-1, Errors.NOT_LEADER_OR_FOLLOWER)
    responses[TP2] = OffsetAndError(100, Errors.NONE)

    partition_leader_info = {}
    tp0_leader_info = ProduceResponseData.LeaderIdAndEpoch(
        leader_id=new_node_for_tp0.id(), leader_epoch=tp0_leader_epoch + 1)
    partition_leader_info[TP0] = tp0_leader_info
    tp1_leader_info = ProduceResponseData.LeaderIdAndEpoch(
        leader_id=new_node_for_tp1.id(), leader_epoch=tp1_leader_epoch + 1)
    partition_leader_info[TP1] = tp1_leader_info

    rig.client.respond(rig.produce_response(responses, partition_leader_info, new_nodes))
    sender.run_once()
    assert not future_is_produced_tp0.is_done()
    assert not future_is_produced_tp1.is_done()
    assert future_is_produced_tp2.is_done()

    assert rig.metadata.fetch() != starting_metadata_cluster

    tp0_new_leader_info = rig.metadata.current_leader(TP0)
    assert tp0_new_leader_info.leader == new_node_for_tp0
    assert tp0_new_leader_info.epoch == tp0_leader_epoch + 1
    tp1_new_leader_info = rig.metadata.current_leader(TP1)
    assert tp1_new_leader_info.leader == new_node_for_tp1
    assert tp1_new_leader_info.epoch == tp1_leader_epoch + 1

    assert rig.metadata.update_requested()

    sender.run_once()
    assert len(sender.in_flight_batches(TP0)) == 1
    assert len(sender.in_flight_batches(TP1)) == 1
    assert rig.client.has_in_flight_requests()
