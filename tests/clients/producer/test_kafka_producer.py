# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.KafkaProducerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The producer over a client without a network, or with nobody who answers."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from unittest.mock import ANY, Mock, call

import pytest

from kreactor.clients.consumer.consumer_group_metadata import ConsumerGroupMetadata
from kreactor.clients.consumer.offset_and_metadata import OffsetAndMetadata
from kreactor.clients.kafka_client import KafkaClient
from kreactor.clients.least_loaded_node import LeastLoadedNode
from kreactor.clients.node_api_versions import NodeApiVersions
from kreactor.clients.producer.internals.future_record_metadata import FutureRecordMetadata
from kreactor.clients.producer.internals.produce_request_result import ProduceRequestResult
from kreactor.clients.producer.internals.producer_interceptors import ProducerInterceptors
from kreactor.clients.producer.internals.producer_metadata import ProducerMetadata
from kreactor.clients.producer.internals.record_accumulator import RecordAccumulator
from kreactor.clients.producer.internals.sender import Sender
from kreactor.clients.producer.internals.transaction_manager import TransactionManager
from kreactor.clients.producer.kafka_producer import KafkaProducer
from kreactor.clients.producer.partitioner import Partitioner
from kreactor.clients.producer.producer import RecordFuture
from kreactor.clients.producer.producer_config import ProducerConfig
from kreactor.clients.producer.producer_interceptor import ProducerInterceptor
from kreactor.clients.producer.producer_record import ProducerRecord
from kreactor.clients.producer.record_metadata import RecordMetadata
from kreactor.common.cluster import Cluster
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.errors import (
    ClusterAuthorizationException,
    InterruptException,
    InvalidTopicException,
    RecordTooLargeException,
    SerializationException,
    TimeoutException,
)
from kreactor.common.header.internals.record_header import RecordHeader
from kreactor.common.internals.cluster_resource_listeners import ClusterResourceListeners
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.message.add_offsets_to_txn_response_data import AddOffsetsToTxnResponseData
from kreactor.common.message.end_txn_response_data import EndTxnResponseData
from kreactor.common.message.init_producer_id_response_data import InitProducerIdResponseData
from kreactor.common.metrics.kafka_metric import KafkaMetric
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.metrics_context import MetricsContext
from kreactor.common.metrics.metrics_reporter import MetricsReporter
from kreactor.common.metrics.sensor import Sensor
from kreactor.common.node import Node
from kreactor.common.partition_info import PartitionInfo
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.record import Record
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.add_offsets_to_txn_response import AddOffsetsToTxnResponse
from kreactor.common.requests.end_txn_response import EndTxnResponse
from kreactor.common.requests.find_coordinator_request import FindCoordinatorRequest
from kreactor.common.requests.find_coordinator_response import FindCoordinatorResponse
from kreactor.common.requests.init_producer_id_response import InitProducerIdResponse
from kreactor.common.requests.join_group_request import JoinGroupRequest
from kreactor.common.requests.metadata_response import MetadataResponse
from kreactor.common.requests.txn_offset_commit_request import TxnOffsetCommitRequest
from kreactor.common.requests.txn_offset_commit_response import TxnOffsetCommitResponse
from kreactor.common.serialization.byte_array_serializer import ByteArraySerializer
from kreactor.common.serialization.serializer import Serializer
from kreactor.common.serialization.string_serializer import StringSerializer
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.kafka_thread import KafkaThread
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.nio_buffer import BytesLike
from kreactor.jdk.threads import Thread
from kreactor.testing.mock_time import MockTime
from tests.clients.mock_client import MockClient
from tests.common.requests.request_test_utils import RequestTestUtils
from tests.stepping import PATIENCE_S, interrupt_main_thread

TOPIC = "topic"
NODE = Node(0, "host1", 1000)
LONG_MAX_VALUE = 2**63 - 1
DEFAULT_METADATA_IDLE_MS = 5 * 60 * 1000
BOOTSTRAP = {"bootstrap.servers": "localhost:9999"}
SERIALIZERS = {"key.serializer": StringSerializer, "value.serializer": StringSerializer}
StringProducer = KafkaProducer[str, str]


def cluster_of(partitions: int, topic: str = TOPIC) -> Cluster:
    return Cluster("dummy", [NODE], [PartitionInfo(topic, i, NODE, [], []) for i in range(partitions)], set(),
                   set())


EMPTY_CLUSTER = cluster_of(0)
ONE_PARTITION_CLUSTER = cluster_of(1)
THREE_PARTITION_CLUSTER = cluster_of(3)


def wait_until(condition: Callable[[], object]) -> None:
    """Look again and again until ``condition`` holds; what it is about happens on another thread."""
    tick = threading.Event()
    for _ in range(int(PATIENCE_S * 1000)):
        if condition():
            return
        tick.wait(0.001)
    pytest.fail("what was waited for has not happened")


def kafka_producer(configs: Mapping[str, Any], metadata: ProducerMetadata | None, client: KafkaClient | None,
                   time: Time, interceptors: ProducerInterceptors[str, str] | None = None,
                   key_serializer: Serializer[str] | None = None,
                   value_serializer: Serializer[str] | None = None) -> StringProducer:
    key_serializer = key_serializer or StringSerializer()
    value_serializer = value_serializer or StringSerializer()
    config = ProducerConfig(ProducerConfig.append_serializer_to_config(
        BOOTSTRAP | dict(configs), key_serializer, value_serializer))
    return KafkaProducer.of_config(
        config, key_serializer, value_serializer, metadata, client, interceptors, time)


def bytes_producer(**configs: object) -> KafkaProducer[bytes, bytes]:
    """A producer that nobody answers; ``_`` means ``.`` in names."""
    return KafkaProducer(BOOTSTRAP | {name.replace("_", "."): value for name, value in configs.items()},
                         ByteArraySerializer(), ByteArraySerializer())


def string_producer(configs: Mapping[Any, Any]) -> StringProducer:
    return KafkaProducer(BOOTSTRAP | dict(configs), StringSerializer(), StringSerializer())


def new_metadata(refresh_backoff_ms: int = 0, refresh_backoff_max_ms: int = 0,
                 expiration_ms: int = LONG_MAX_VALUE) -> ProducerMetadata:
    return ProducerMetadata(
        refresh_backoff_ms, refresh_backoff_max_ms, expiration_ms, DEFAULT_METADATA_IDLE_MS, LogContext(),
        ClusterResourceListeners(), Time.SYSTEM)


def mock_metadata(*clusters: Cluster) -> Mock:
    """Metadata whose clusters follow each other; the last one stays."""
    metadata = Mock(ProducerMetadata)
    metadata.is_closed.return_value = False
    metadata.update_requested.return_value = False
    left = list(clusters)
    metadata.fetch.side_effect = lambda: left.pop(0) if len(left) > 1 else left[0]
    return metadata


@contextmanager
def producing(configs: Mapping[str, Any], *, time: Time | None = None,
              topics: Mapping[str, int] | None = None) -> Iterator[tuple[StringProducer, MockClient]]:
    """A producer and its client, which knows of one node and of ``topics``."""
    time = MockTime(1) if time is None else time
    metadata = new_metadata()
    client = MockClient(time, metadata)
    client.update_metadata(RequestTestUtils.metadata_update_with(1, {TOPIC: 1} if topics is None else topics))
    producer = kafka_producer(configs, metadata, client, time)
    try:
        yield producer, client
    finally:
        producer.close(0)


def metric_value(producer: KafkaProducer[Any, Any], name: str) -> float:
    metric = producer._metrics.metric(producer._metrics.metric_name(name, "producer-metrics"))
    assert metric is not None
    value = metric.metric_value()
    assert isinstance(value, float)
    return value


def assert_future_error(future: RecordFuture, error: type[Exception]) -> None:
    with pytest.raises(error):
        future.get(int(PATIENCE_S * 1000))


def find_coordinator_response(txn_id: str = "some.id") -> FindCoordinatorResponse:
    return FindCoordinatorResponse.prepare_response(Errors.NONE, txn_id, NODE)


def init_producer_id_response(error: Errors = Errors.NONE) -> InitProducerIdResponse:
    return InitProducerIdResponse(InitProducerIdResponseData(
        error_code=error.code, producer_epoch=5, producer_id=1, throttle_time_ms=0))


def add_offsets_to_txn_response() -> AddOffsetsToTxnResponse:
    return AddOffsetsToTxnResponse(AddOffsetsToTxnResponseData(error_code=0, throttle_time_ms=10))


def txn_offsets_commit_response() -> TxnOffsetCommitResponse:
    return TxnOffsetCommitResponse.Builder().add_partition(TOPIC, 0, Errors.NONE).build()


def end_txn_response() -> EndTxnResponse:
    return EndTxnResponse(EndTxnResponseData(error_code=0, throttle_time_ms=0))


def is_find_transaction_coordinator(request: AbstractRequest) -> bool:
    return (isinstance(request, FindCoordinatorRequest)
            and request.data().key_type == FindCoordinatorRequest.CoordinatorType.TRANSACTION.id())


class MockMetricsReporter(MetricsReporter):
    """Counts."""

    init_count = close_count = 0
    client_id: object = None

    def init(self, metrics: list[KafkaMetric]) -> None:
        type(self).init_count += 1

    def metric_change(self, metric: KafkaMetric) -> None:
        pass

    def metric_removal(self, metric: KafkaMetric) -> None:
        pass

    def context_change(self, metrics_context: MetricsContext) -> None:
        pass

    def close(self) -> None:
        type(self).close_count += 1

    def configure(self, configs: Mapping[str, object]) -> None:
        self.client_id = configs["client.id"]


class MockSerializer(Serializer[bytes]):
    """Counts."""

    init_count = close_count = 0

    def __init__(self) -> None:
        MockSerializer.init_count += 1

    def serialize(self, topic: str | None, data: bytes | None) -> bytes | None:
        return data

    def close(self) -> None:
        MockSerializer.close_count += 1


class MockProducerInterceptor(ProducerInterceptor[str, str]):
    """Counts, and raises when the last one of so many is configured."""

    init_count = close_count = config_count = on_acknowledgement_count = 0
    throw_at: int | None = None

    @classmethod
    def reset_counters(cls) -> None:
        cls.init_count = cls.close_count = cls.config_count = cls.on_acknowledgement_count = 0
        cls.throw_at = None

    def __init__(self) -> None:
        MockProducerInterceptor.init_count += 1

    def configure(self, configs: Mapping[str, object]) -> None:
        MockProducerInterceptor.config_count += 1
        if MockProducerInterceptor.config_count == MockProducerInterceptor.throw_at:
            raise ConfigException("the exception of the test")
        assert configs["client.id"]

    def on_send(self, record: ProducerRecord[str, str]) -> ProducerRecord[str, str]:
        return record

    def on_acknowledgement(self, metadata: RecordMetadata | None, exception: Exception | None) -> None:
        MockProducerInterceptor.on_acknowledgement_count += 1

    def close(self) -> None:
        MockProducerInterceptor.close_count += 1


class MockPartitioner(Partitioner):
    """Counts."""

    init_count = close_count = 0

    def __init__(self) -> None:
        MockPartitioner.init_count += 1

    def configure(self, configs: Mapping[str, object]) -> None:
        pass

    def partition(self, topic: str, key: object, key_bytes: BytesLike | None, value: object,
                  value_bytes: BytesLike | None, cluster: Cluster) -> int:
        return 0

    def close(self) -> None:
        MockPartitioner.close_count += 1


class BuggyPartitioner(MockPartitioner):
    """Chooses a partition that cannot be."""

    def partition(self, topic: str, key: object, key_bytes: BytesLike | None, value: object,
                  value_bytes: BytesLike | None, cluster: Cluster) -> int:
        return -1


@pytest.fixture(autouse=True)
def counters() -> None:
    MockProducerInterceptor.reset_counters()
    for counting in (MockMetricsReporter, MockSerializer, MockPartitioner):
        counting.init_count = counting.close_count = 0


def config_of(**others: object) -> ProducerConfig:
    return ProducerConfig(BOOTSTRAP | SERIALIZERS | {
        name.replace("_", "."): value for name, value in others.items()})


def test_overwrite_acks_and_retries_for_idempotent_producers() -> None:
    config = config_of(transactional_id="transactionalId")
    assert config.get_boolean("enable.idempotence")
    assert config.get_string("acks") == "-1"
    assert config.get_int("retries") == 2**31 - 1
    assert config.get_string("client.id") == "producer-transactionalId"


def test_acks_and_idempotence_for_idempotent_producers() -> None:
    for given, idempotence, acks in (
            ({"acks": "0", "enable_idempotence": "false"}, False, "0"),
            ({"transactional_id": "transactionalId"}, True, "-1"),
            ({"acks": "all", "enable_idempotence": "false"}, False, "-1"),
            ({"acks": "0"}, False, "0"),
            ({"acks": "1"}, False, "1")):
        config = config_of(**given)
        assert config.get_boolean("enable.idempotence") is idempotence
        assert config.get_string("acks") == acks
    with pytest.raises(ConfigException, match="Cannot set a transactional.id"):
        config_of(acks="0", enable_idempotence="false", transactional_id="transactionalId")
    with pytest.raises(ConfigException, match="Must set acks to all"):
        config_of(acks="1", enable_idempotence="true")
    with pytest.raises(ConfigException, match="Cannot set a transactional.id"):
        config_of(acks="0", transactional_id="transactionalId")


def test_retries_and_idempotence_for_idempotent_producers() -> None:
    for given in ({"retries": "0", "enable_idempotence": "false"}, {"retries": "0"}):
        config = config_of(**given)
        assert not config.get_boolean("enable.idempotence")
        assert config.get_int("retries") == 0
    with pytest.raises(ConfigException, match="Cannot set a transactional.id"):
        config_of(retries="0", enable_idempotence="false", transactional_id="transactionalId")
    with pytest.raises(ConfigException, match="Must set retries to non-zero"):
        config_of(retries="0", enable_idempotence="true")
    with pytest.raises(ConfigException, match="Cannot set a transactional.id"):
        config_of(retries="0", transactional_id="transactionalId")


def test_inflight_requests_and_idempotence_for_idempotent_producers() -> None:
    name = "max_in_flight_requests_per_connection"
    for given in ({name: "6", "enable_idempotence": "false"}, {name: "6"}):
        config = config_of(**given)
        assert not config.get_boolean("enable.idempotence")
        assert config.get_int(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION) == 6
    with pytest.raises(ConfigException, match="Cannot set a transactional.id"):
        config_of(**{name: "5", "enable_idempotence": "false", "transactional_id": "transactionalId"})
    with pytest.raises(ConfigException, match="at most 5"):
        config_of(**{name: "6", "enable_idempotence": "true"})
    with pytest.raises(ConfigException, match="Cannot set a transactional.id"):
        config_of(**{name: "6", "transactional_id": "transactionalId"})


def test_metrics_reporter_auto_generated_client_id() -> None:
    producer = string_producer({"metric.reporters": [MockMetricsReporter]})
    # Kafka's has two more, for JMX and for telemetry.
    [reporter] = producer._metrics.reporters()
    assert isinstance(reporter, MockMetricsReporter)
    assert reporter.client_id == producer.get_client_id()
    producer.close()


def test_disable_jmx_and_client_telemetry_reporter() -> None:
    producer = string_producer({"auto.include.jmx.reporter": "false", "enable.metrics.push": "false"})
    assert producer._metrics.reporters() == []
    producer.close()


def test_constructor_with_serializers() -> None:
    producer = bytes_producer()
    assert producer._sender.is_running()
    producer.close()


def test_no_serializer_provided() -> None:
    with pytest.raises(ConfigException, match="key.serializer: must be non-null"):
        KafkaProducer(BOOTSTRAP)


def test_constructor_failure_close_resource() -> None:
    with pytest.raises(KafkaException) as caught:
        bytes_producer(client_id="testConstructorClose", metric_reporters=[MockMetricsReporter],
                       bootstrap_servers="some.invalid.hostname.foo.bar.local:9999")
    assert str(caught.value) == "Failed to construct kafka producer"
    assert MockMetricsReporter.init_count == 1
    assert MockMetricsReporter.close_count == 1


def test_constructor_with_not_string_key() -> None:
    with pytest.raises(ConfigException, match="not string key"):
        string_producer({1: "not string key"})


def test_serializer_close() -> None:
    producer = KafkaProducer(
        BOOTSTRAP | {"client.id": "testConstructorClose", "metric.reporters": [MockMetricsReporter],
                     "security.protocol": "PLAINTEXT"}, MockSerializer(), MockSerializer())
    assert (MockSerializer.init_count, MockSerializer.close_count) == (2, 0)
    producer.close()
    assert (MockSerializer.init_count, MockSerializer.close_count) == (2, 2)


def test_interceptor_construct_close() -> None:
    producer = string_producer({"interceptor.classes": [MockProducerInterceptor]})
    assert (MockProducerInterceptor.init_count, MockProducerInterceptor.close_count) == (1, 0)
    producer.close()
    assert (MockProducerInterceptor.init_count, MockProducerInterceptor.close_count) == (1, 1)


def test_interceptor_constructor_configuration_with_exception_should_close_remaining_instances() -> None:
    MockProducerInterceptor.throw_at = 3
    with pytest.raises(KafkaException):
        string_producer({"interceptor.classes": [MockProducerInterceptor] * 3})
    assert MockProducerInterceptor.config_count == 3
    assert MockProducerInterceptor.close_count == 3


def test_partitioner_close() -> None:
    producer = string_producer({"partitioner.class": MockPartitioner})
    assert (MockPartitioner.init_count, MockPartitioner.close_count) == (1, 0)
    producer.close()
    assert (MockPartitioner.init_count, MockPartitioner.close_count) == (1, 1)


def test_should_close_properly_and_throw_if_interrupted() -> None:
    with producing({"partitioner.class": MockPartitioner, "batch.size": "1"},
                   time=MockTime()) as (producer, client):
        future = producer.send(ProducerRecord(TOPIC, "value", key="key"))
        join, joining, has_left = producer._join_io_thread, threading.Event(), threading.Event()

        def join_io_thread(timeout_ms: int) -> None:
            try:
                joining.set()
                join(timeout_ms)
            finally:
                has_left.set()

        def interrupt() -> None:
            client.wait_for_requests(1, int(PATIENCE_S * 1000))
            assert joining.wait(PATIENCE_S)
            interrupt_main_thread(lambda: not has_left.is_set())

        producer._join_io_thread = join_io_thread  # type: ignore[method-assign]  # to know when it waits
        interrupter = threading.Thread(target=interrupt)
        interrupter.start()
        # A shell may have told the process to ignore Ctrl-C.
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            # The send is never answered: only Ctrl-C ends the wait.
            with pytest.raises(KeyboardInterrupt):
                producer.close()
        finally:
            signal.signal(signal.SIGINT, handler)
        interrupter.join()
        # It is closed all the same.
        assert not producer._io_thread.is_alive()
        assert future.is_done()
        assert MockPartitioner.close_count == 1
        producer._join_io_thread = join  # type: ignore[method-assign]


@pytest.mark.parametrize("call", ["close", "flush", "partitions_for", "send"])
def test_an_interrupted_thread_gets_an_interrupt_exception(call: str) -> None:
    """Only a thread of the jdk floor can be interrupted (D20)."""
    with producing({"batch.size": "1"}, time=MockTime()) as (producer, client):
        producer.send(ProducerRecord(TOPIC, "value", key="key"))
        client.wait_for_requests(1, int(PATIENCE_S * 1000))
        work: dict[str, Callable[[], object]] = {
            "close": producer.close, "flush": producer.flush,
            "partitions_for": lambda: producer.partitions_for("unknown"),
            "send": lambda: producer.send(ProducerRecord("unknown", "value"))}
        raised: list[BaseException] = []

        def wait() -> None:
            try:
                work[call]()
            except InterruptException as e:
                # The flag is set again.
                raised.extend([e] if Thread.current_is_interrupted() else [])

        thread = Thread(target=wait)
        thread.start()
        # Nothing is answered, and the time stands still.
        thread.interrupt()
        thread.join(PATIENCE_S)
        assert not thread.is_alive() and len(raised) == 1
        producer.close(0)


def test_os_default_socket_buffer_sizes() -> None:
    producer = bytes_producer(send_buffer_bytes=-1, receive_buffer_bytes=-1)
    assert producer._sender.is_running()
    producer.close()


def test_invalid_socket_send_buffer_size() -> None:
    with pytest.raises(ConfigException, match="send.buffer.bytes"):
        bytes_producer(send_buffer_bytes=-2)


def test_invalid_socket_receive_buffer_size() -> None:
    with pytest.raises(ConfigException, match="receive.buffer.bytes"):
        bytes_producer(receive_buffer_bytes=-2)


class AlwaysNodeClient(MockClient):
    """Has a node without asking the metadata."""

    def least_loaded_node(self, now: int) -> LeastLoadedNode:
        return LeastLoadedNode(NODE, True)


class OwnMetadataProducer(KafkaProducer[str, str]):
    """Its sender has metadata of its own, so that a test sees the calls of the producer alone."""

    def _new_sender(self, log_context: LogContext, kafka_client: KafkaClient | None,
                    metadata: ProducerMetadata) -> Sender:
        return super()._new_sender(log_context, kafka_client, new_metadata(0, 0, 100_000))


def producer_with_override_new_sender(is_idempotence_enabled: bool, metadata: Mock,
                                      time: Time = Time.SYSTEM) -> StringProducer:
    serializer = StringSerializer()
    config = ProducerConfig(ProducerConfig.append_serializer_to_config(
        BOOTSTRAP | {"enable.idempotence": is_idempotence_enabled, "max.block.ms": 60000}, serializer,
        serializer))
    return OwnMetadataProducer.of_config(
        config, serializer, serializer, metadata, AlwaysNodeClient(Time.SYSTEM, metadata), None, time)


def verify_metadata(metadata: Mock, updates: int, fetches: int) -> None:
    assert metadata.request_update_for_topic.mock_calls == [call(TOPIC)] * updates
    assert metadata.await_update.call_count == updates
    assert metadata.fetch.call_count == fetches


idempotent_or_not = pytest.mark.parametrize("is_idempotence_enabled", [True, False])


@idempotent_or_not
def test_metadata_fetch(is_idempotence_enabled: bool) -> None:
    metadata = mock_metadata(*[EMPTY_CLUSTER] * 4, ONE_PARTITION_CLUSTER)
    producer = producer_with_override_new_sender(is_idempotence_enabled, metadata)
    record = ProducerRecord[str, str](TOPIC, "value")
    producer.send(record)
    verify_metadata(metadata, 4, 5)
    # It is known now.
    producer.send(record, None)
    verify_metadata(metadata, 4, 6)
    producer.partitions_for(TOPIC)
    verify_metadata(metadata, 4, 7)
    producer.close(0)


@idempotent_or_not
def test_metadata_expiry(is_idempotence_enabled: bool) -> None:
    metadata = mock_metadata(ONE_PARTITION_CLUSTER, EMPTY_CLUSTER, ONE_PARTITION_CLUSTER)
    producer = producer_with_override_new_sender(is_idempotence_enabled, metadata)
    record = ProducerRecord[str, str](TOPIC, "value")
    producer.send(record)
    verify_metadata(metadata, 0, 1)
    # It is forgotten.
    producer.send(record, None)
    verify_metadata(metadata, 1, 3)
    producer.close(0)


def metadata_of_long_waits(cluster: Cluster, time: MockTime, at: Callable[[int], bool]) -> Mock:
    """Metadata that never change; 70 s pass when a fetch, by its number, is one of ``at``."""
    metadata = mock_metadata(cluster)

    def fetch() -> Cluster:
        if at(metadata.fetch.call_count):
            time.sleep(70000)
        return cluster

    metadata.fetch.side_effect = fetch
    return metadata


@idempotent_or_not
def test_metadata_timeout_with_missing_topic(is_idempotence_enabled: bool) -> None:
    check_metadata_timeout(is_idempotence_enabled, EMPTY_CLUSTER,
                           "Topic topic not present in metadata after 60000 ms.")


@idempotent_or_not
def test_metadata_with_partition_out_of_range(is_idempotence_enabled: bool) -> None:
    metadata = mock_metadata(ONE_PARTITION_CLUSTER, ONE_PARTITION_CLUSTER, THREE_PARTITION_CLUSTER)
    producer = producer_with_override_new_sender(is_idempotence_enabled, metadata, MockTime())
    producer.send(ProducerRecord(TOPIC, "value", partition=2))
    verify_metadata(metadata, 2, 3)
    producer.close(0)


@idempotent_or_not
def test_metadata_timeout_with_partition_out_of_range(is_idempotence_enabled: bool) -> None:
    check_metadata_timeout(is_idempotence_enabled, ONE_PARTITION_CLUSTER,
                           "Partition 2 of topic topic with partition count 1 is not present in metadata "
                           "after 60000 ms.")


def check_metadata_timeout(is_idempotence_enabled: bool, cluster: Cluster, message: str) -> None:
    """The time is over at the fifth look."""
    time = MockTime()
    metadata = metadata_of_long_waits(cluster, time, lambda number: number == 5)
    producer = producer_with_override_new_sender(is_idempotence_enabled, metadata, time)
    future = producer.send(ProducerRecord(TOPIC, "value", partition=2))
    verify_metadata(metadata, 4, 5)
    with pytest.raises(TimeoutException) as caught:
        future.get()
    assert str(caught.value) == message
    producer.close(0)


def test_topic_refresh_in_metadata() -> None:
    time = MockTime()
    metadata = ProducerMetadata(500, 5000, 60000, 60000, LogContext(), ClusterResourceListeners(), time)
    running = threading.Event()
    running.set()

    def refresh() -> None:
        response = RequestTestUtils.metadata_update_with(
            1, {}, topic_errors={TOPIC: Errors.UNKNOWN_TOPIC_OR_PARTITION})
        while running.is_set():
            if metadata.update_requested():
                metadata.update_with_current_request_version(response, False, time.milliseconds())
                time.sleep(60 * 1000)

    with kafka_producer({"max.block.ms": "600000", "enable.idempotence": False}, metadata,
                        MockClient(time, metadata), time) as producer:
        thread = threading.Thread(target=refresh)
        thread.start()
        with pytest.raises(TimeoutException):
            producer.partitions_for(TOPIC)
        running.clear()
        thread.join()


def test_topic_expiry_in_metadata() -> None:
    time = MockTime()
    metadata = ProducerMetadata(500, 5000, 60000, 60000, LogContext(), ClusterResourceListeners(), time)
    response = RequestTestUtils.metadata_update_with(1, {TOPIC: 1})

    @contextmanager
    def at_each_request(action: Callable[[], None]) -> Iterator[None]:
        """Repeat: partitions_for may ask again between an update and its wait, and read the clock late."""
        ended = threading.Event()

        def answer() -> None:
            while not ended.is_set():
                if metadata.update_requested():
                    action()

        thread = threading.Thread(target=answer)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def update() -> None:
        metadata.update_with_current_request_version(response, False, time.milliseconds())

    with kafka_producer({"max.block.ms": "30000", "enable.idempotence": False}, metadata,
                        MockClient(time, metadata), time) as producer:
        with at_each_request(update):
            assert producer.partitions_for(TOPIC)
        # The topic is idle for too long: the next update leaves it out.
        time.sleep(120 * 1000)
        update()
        with at_each_request(lambda: time.sleep(30 * 1000)), pytest.raises(TimeoutException):
            producer.partitions_for(TOPIC)


def test_headers() -> None:
    now_ms = Time.SYSTEM.milliseconds()
    metadata = new_metadata(0, 0, 90000)
    metadata.add(TOPIC, now_ms)
    metadata.update_with_current_request_version(
        RequestTestUtils.metadata_update_with(1, {TOPIC: 1}), False, now_ms)
    key_serializer, value_serializer = Mock(Serializer), Mock(Serializer)
    for serializer in (key_serializer, value_serializer):
        serializer.serialize_headers.side_effect = lambda topic, headers, data: data.encode()
    producer = kafka_producer({}, metadata, None, Time.SYSTEM, None, key_serializer, value_serializer)

    record = ProducerRecord(TOPIC, "value", key="key")
    # Before it is sent they can be changed.
    record.headers().add(RecordHeader("test", b"header2"))
    producer.send(record, None)
    with pytest.raises(IllegalStateException):
        record.headers().add(RecordHeader("test", b"test"))
    header = record.headers().last_header("test")
    assert header is not None and header.value() == b"header2"
    value_serializer.serialize_headers.assert_called_once_with(TOPIC, record.headers(), "value")
    key_serializer.serialize_headers.assert_called_once_with(TOPIC, record.headers(), "key")
    producer.close(0)


def test_close_should_be_idempotent() -> None:
    producer = bytes_producer()
    for _ in range(2):
        producer.close()
        assert not producer._sender.is_running()
        assert not producer._io_thread.is_alive()


def test_close_with_negative_timestamp_should_throw() -> None:
    with bytes_producer() as producer:
        with pytest.raises(IllegalArgumentException, match="The timeout cannot be negative"):
            producer.close(-100)


def test_flush_complete_send_of_inflight_batches() -> None:
    with producing({"enable.idempotence": False}) as (producer, client):
        futures = [producer.send(ProducerRecord(TOPIC, f"value{i}")) for i in range(50)]
        # Without a response the batches fail with their delivery timeout.
        assert not any(future.is_done() for future in futures)
        producer.flush()
        assert all(future.is_done() for future in futures)


def test_flush_measure_latency() -> None:
    with producing({}) as (producer, client):
        producer.flush()
        first = metric_value(producer, "flush-time-ns-total")
        assert first > 0
        producer.flush()
        assert metric_value(producer, "flush-time-ns-total") > first


def test_metric_config_recording_level() -> None:
    with bytes_producer() as producer:
        assert producer._metrics.config().record_level() is Sensor.RecordingLevel.INFO
    with bytes_producer(metrics_recording_level="DEBUG") as producer:
        assert producer._metrics.config().record_level() is Sensor.RecordingLevel.DEBUG


def test_interceptor_partition_set_on_too_large_record() -> None:
    now_ms = Time.SYSTEM.milliseconds()
    metadata = new_metadata(0, 0, 90000)
    metadata.add(TOPIC, now_ms)
    metadata.update_with_current_request_version(
        RequestTestUtils.metadata_update_with(1, {TOPIC: 1}), False, now_ms)
    interceptors = Mock(ProducerInterceptors)
    interceptors.on_send.side_effect = lambda record: record
    producer = kafka_producer({"max.request.size": "1"}, metadata, None, Time.SYSTEM, interceptors)
    record = ProducerRecord[str, str](TOPIC, "value")
    future = producer.send(record)
    interceptors.on_send.assert_called_once_with(record)
    interceptors.on_send_error.assert_called_once_with(record, TopicPartition(TOPIC, -1), ANY)
    assert_future_error(future, RecordTooLargeException)
    producer.close(0)


def test_partitions_for_with_null_topic() -> None:
    with bytes_producer() as producer:
        with pytest.raises(TypeError):
            producer.partitions_for(None)  # type: ignore[arg-type]  # as meant


def test_init_transactions_response_after_timeout() -> None:
    with producing({"transactional.id": "bad-transaction", "max.block.ms": 500},
                   time=MockTime()) as (producer, client):
        client.prepare_response_matcher(is_find_transaction_coordinator,
                                        find_coordinator_response("bad-transaction"))
        with ThreadPoolExecutor(1) as executor:
            future = executor.submit(producer.init_transactions)
            wait_until(lambda: client.has_in_flight_requests()
                       and client.requests()[0].api_key() is ApiKeys.INIT_PRODUCER_ID)
            with pytest.raises(TimeoutException):
                future.result(PATIENCE_S)
        client.respond(init_producer_id_response())
        wait_until(lambda: not client.has_in_flight_requests())
        producer.init_transactions()


def test_init_transaction_timeout() -> None:
    with producing({"transactional.id": "bad-transaction", "max.block.ms": 500}) as (producer, client):
        client.prepare_response_matcher(is_find_transaction_coordinator,
                                        find_coordinator_response("bad-transaction"))
        with pytest.raises(TimeoutException):
            producer.init_transactions()
        wait_until(client.has_in_flight_requests)
        client.prepare_response_matcher(is_find_transaction_coordinator,
                                        find_coordinator_response("bad-transaction"))
        client.prepare_response(init_producer_id_response())
        # It can be tried again.
        producer._max_block_time_ms = int(PATIENCE_S * 1000)
        producer.init_transactions()


def test_init_transaction_while_throttled() -> None:
    time = MockTime(1)
    metadata = new_metadata()
    client = MockClient(time, metadata)
    client.update_metadata(RequestTestUtils.metadata_update_with(1, {TOPIC: 1}))
    client.throttle(metadata.fetch().nodes()[0], 5000)
    client.prepare_response(find_coordinator_response())
    client.prepare_response(init_producer_id_response())
    with kafka_producer({"transactional.id": "some.id", "max.block.ms": 10000}, metadata, client,
                        time) as producer:
        producer.init_transactions()


def test_cluster_authorization_failure() -> None:
    with producing({"enable.idempotence": True, "transactional.id": "some-txn"}) as (producer, client):
        client.prepare_response(find_coordinator_response("some-txn"))
        client.prepare_response(init_producer_id_response(Errors.CLUSTER_AUTHORIZATION_FAILED))
        with pytest.raises(ClusterAuthorizationException):
            producer.init_transactions()

        # It can be tried again, once the sender has gone back to the beginning.
        client.prepare_response(init_producer_id_response())

        def initialized() -> bool:
            try:
                producer.init_transactions()
                return True
            except (KafkaException, IllegalStateException):
                return False

        wait_until(initialized)


@contextmanager
def transactional(configs: Mapping[str, Any] | None = None,
                  time: Time | None = None) -> Iterator[tuple[StringProducer, MockClient]]:
    """A producer whose next ``init_transactions`` succeeds."""
    with producing({"transactional.id": "some.id"} | dict(configs or {}), time=time) as (producer, client):
        client.prepare_response(find_coordinator_response())
        client.prepare_response(init_producer_id_response())
        yield producer, client


def test_abort_transaction() -> None:
    with transactional() as (producer, client):
        client.prepare_response(end_txn_response())
        producer.init_transactions()
        producer.begin_transaction()
        producer.abort_transaction()


def test_measure_abort_transaction_duration() -> None:
    with transactional() as (producer, client):
        producer.init_transactions()
        client.prepare_response(end_txn_response())
        producer.begin_transaction()
        producer.abort_transaction()
        first = metric_value(producer, "txn-abort-time-ns-total")
        assert first > 0
        client.prepare_response(end_txn_response())
        producer.begin_transaction()
        producer.abort_transaction()
        assert metric_value(producer, "txn-abort-time-ns-total") > first


def check_commit_fails_after_send(producer: StringProducer, record: ProducerRecord[str, str],
                                  error: type[Exception]) -> None:
    producer.init_transactions()
    producer.begin_transaction()
    assert_future_error(producer.send(record), error)
    with pytest.raises(KafkaException):
        producer.commit_transaction()


def test_commit_transaction_with_record_too_large_exception() -> None:
    with transactional({"max.request.size": 1000}) as (producer, client):
        check_commit_fails_after_send(
            producer, ProducerRecord(TOPIC, "*" * 1000, key="large string"), RecordTooLargeException)


@contextmanager
def transactional_of(metadata: Mock, time: MockTime) -> Iterator[StringProducer]:
    client = MockClient(time, metadata)
    client.prepare_response(find_coordinator_response())
    client.prepare_response(init_producer_id_response())
    with kafka_producer({"transactional.id": "some.id", "max.block.ms": 60000}, metadata, client,
                        time) as producer:
        yield producer


def test_commit_transaction_with_metadata_timeout_for_missing_topic() -> None:
    time = MockTime()
    metadata = metadata_of_long_waits(EMPTY_CLUSTER, time, lambda number: number > 5)
    with transactional_of(metadata, time) as producer:
        check_commit_fails_after_send(producer, ProducerRecord(TOPIC, "value"), TimeoutException)


def test_commit_transaction_with_metadata_timeout_for_partition_out_of_range() -> None:
    time = MockTime()
    metadata = metadata_of_long_waits(ONE_PARTITION_CLUSTER, time, lambda number: number > 5)
    with transactional_of(metadata, time) as producer:
        check_commit_fails_after_send(
            producer, ProducerRecord(TOPIC, "value", partition=2), TimeoutException)


def invalid_topic_response(name: str) -> MetadataResponse:
    known = RequestTestUtils.metadata_update_with(1, {})
    controller = known.controller()
    assert controller is not None
    return RequestTestUtils.metadata_response(
        known.brokers(), known.cluster_id(), controller.id(),
        [MetadataResponse.TopicMetadata(Errors.INVALID_TOPIC_EXCEPTION, name, False, [])])


def test_commit_transaction_with_send_to_invalid_topic() -> None:
    with transactional({"max.block.ms": "15000"}, MockTime()) as (producer, client):
        client.prepare_metadata_update(invalid_topic_response("topic abc"))
        check_commit_fails_after_send(
            producer, ProducerRecord("topic abc", "HelloKafka"), InvalidTopicException)


def check_send_txn_offsets(group: ConsumerGroupMetadata | str,
                           matcher: Callable[[AbstractRequest], bool]) -> None:
    seen: list[bool] = []
    with transactional({"max.block.ms": 10000}) as (producer, client):
        client.set_node_api_versions(NodeApiVersions.create_api_key(ApiKeys.TXN_OFFSET_COMMIT.id, 0, 3))
        client.throttle(producer._metadata.fetch().nodes()[0], 5000)
        client.prepare_response(add_offsets_to_txn_response())
        client.prepare_response(find_coordinator_response())

        def match(request: AbstractRequest) -> bool:
            seen.append(matcher(request))
            return seen[-1]

        client.prepare_response_matcher(match, txn_offsets_commit_response())
        client.prepare_response(end_txn_response())
        producer.init_transactions()
        producer.begin_transaction()
        producer.send_offsets_to_transaction({TopicPartition(TOPIC, 0): OffsetAndMetadata(5)}, group)
        producer.commit_transaction()
    assert seen == [True]


def test_send_txn_offsets_with_group_id() -> None:
    check_send_txn_offsets("group", lambda request: isinstance(request, TxnOffsetCommitRequest)
                           and request.data().group_id == "group")


def test_measure_transaction_durations() -> None:
    tick_ns = 1_000_000_000
    with transactional({"max.block.ms": 10000}, MockTime(1000)) as (producer, client):
        def duration(name: str, floor: float) -> float:
            value = metric_value(producer, f"txn-{name}-time-ns-total")
            assert value >= floor
            return value

        producer.init_transactions()
        duration("init", tick_ns)

        floors = dict.fromkeys(("begin", "send-offsets", "commit"), 0.0)
        for round_ in range(2):
            client.prepare_response(add_offsets_to_txn_response())
            if not round_:
                client.prepare_response(find_coordinator_response())
            client.prepare_response(txn_offsets_commit_response())
            client.prepare_response(end_txn_response())
            producer.begin_transaction()
            floors["begin"] = duration("begin", floors["begin"] + tick_ns)
            producer.send_offsets_to_transaction(
                {TopicPartition(TOPIC, 0): OffsetAndMetadata(5)}, ConsumerGroupMetadata("group"))
            floors["send-offsets"] = duration("send-offsets", floors["send-offsets"] + tick_ns)
            producer.commit_transaction()
            floors["commit"] = duration("commit", floors["commit"] + tick_ns)


def test_send_txn_offsets_with_group_metadata() -> None:
    def matcher(request: AbstractRequest) -> bool:
        assert isinstance(request, TxnOffsetCommitRequest)
        data = request.data()
        return ((data.group_id, data.member_id, data.generation_id, data.group_instance_id)
                == ("group", "member", 5, "instance"))

    check_send_txn_offsets(ConsumerGroupMetadata("group", 5, "member", "instance"), matcher)


def verify_invalid_group_metadata(group_metadata: ConsumerGroupMetadata | None) -> None:
    with transactional({"max.block.ms": 10000}) as (producer, client):
        producer.init_transactions()
        producer.begin_transaction()
        with pytest.raises(IllegalArgumentException):
            producer.send_offsets_to_transaction({}, group_metadata)  # type: ignore[arg-type]  # None too


def test_null_group_metadata_in_send_offsets() -> None:
    verify_invalid_group_metadata(None)


def test_invalid_generation_id_and_member_id_combined_in_send_offsets() -> None:
    verify_invalid_group_metadata(ConsumerGroupMetadata("group", 2, JoinGroupRequest.UNKNOWN_MEMBER_ID, None))


def test_client_instance_id_no_telemetry_reporter_registered() -> None:
    producer = string_producer({"enable.metrics.push": "false"})
    with pytest.raises(IllegalStateException) as caught:
        producer.client_instance_id(0)
    assert str(caught.value) == "Telemetry is not enabled. Set config `enable.metrics.push` to `true`."
    producer.close()


def test_only_can_execute_close_after_init_transactions_timeout() -> None:
    with producing({"transactional.id": "bad-transaction", "max.block.ms": 5},
                   time=MockTime()) as (producer, client):
        with pytest.raises(TimeoutException):
            producer.init_transactions()
        with pytest.raises(IllegalStateException):
            producer.begin_transaction()


def test_send_to_invalid_topic() -> None:
    with producing({"max.block.ms": "15000"}, time=MockTime(), topics={}) as (producer, client):
        client.prepare_metadata_update(invalid_topic_response("topic abc"))
        future = producer.send(ProducerRecord("topic abc", "HelloKafka"))
        assert producer._metadata.fetch().invalid_topics() == {"topic abc"}
        assert_future_error(future, InvalidTopicException)


def test_close_when_waiting_for_metadata_update() -> None:
    metadata = ProducerMetadata(0, 0, LONG_MAX_VALUE, LONG_MAX_VALUE, LogContext(),
                                ClusterResourceListeners(), Time.SYSTEM)
    metadata.update_with_current_request_version(
        RequestTestUtils.metadata_update_with(1, {}), False, Time.SYSTEM.milliseconds())
    producer = kafka_producer({"max.block.ms": LONG_MAX_VALUE}, metadata, MockClient(Time.SYSTEM, metadata),
                              Time.SYSTEM)
    with ThreadPoolExecutor(1) as executor:
        # The topic never comes: the send waits until the producer is closed.
        future = executor.submit(producer.send, ProducerRecord("test", "value", key="key"))
        wait_until(lambda: metadata.contains_topic("test"))
        producer.close(0)
        exception = future.exception(PATIENCE_S)
    assert type(exception) is KafkaException


def test_transactional_method_throws_when_sender_closed() -> None:
    with producing({"transactional.id": "this-is-a-transactional-id"}, time=MockTime(),
                   topics={}) as (producer, client):
        producer.close()
        with pytest.raises(IllegalStateException):
            producer.init_transactions()


def check_close_is_forced(api_key: ApiKeys, *prepared: FindCoordinatorResponse) -> None:
    """A request of ``init_transactions`` waits for its response when the producer is closed."""
    with producing({"transactional.id": "this-is-a-transactional-id"}, time=MockTime(),
                   topics={"testTopic": 1}) as (producer, client):
        for response in prepared:
            client.prepare_response(response)
        with ThreadPoolExecutor(1) as executor:
            future = executor.submit(producer.init_transactions)
            client.wait_for_requests(1, int(PATIENCE_S * 1000))
            assert client.requests()[0].api_key() is api_key
            producer.close(1000)
            assert isinstance(future.exception(PATIENCE_S), KafkaException)


def test_close_is_forced_on_pending_find_coordinator() -> None:
    check_close_is_forced(ApiKeys.FIND_COORDINATOR)


def test_close_is_forced_on_pending_init_producer_id() -> None:
    check_close_is_forced(ApiKeys.INIT_PRODUCER_ID, find_coordinator_response("this-is-a-transactional-id"))


def test_close_is_forced_on_pending_add_offset_request() -> None:
    # In the origin, too, it is InitProducerId that waits.
    check_close_is_forced(ApiKeys.INIT_PRODUCER_ID, find_coordinator_response("this-is-a-transactional-id"))


CLIENT_IDS: list[object] = []


class SerializerForClientId(ByteArraySerializer):
    def configure(self, configs: Mapping[str, object], is_key: bool) -> None:
        CLIENT_IDS.append(configs["client.id"])


class PartitionerForClientId(MockPartitioner):
    def configure(self, configs: Mapping[str, object]) -> None:
        CLIENT_IDS.append(configs["client.id"])


class ProducerInterceptorForClientId(MockProducerInterceptor):
    def configure(self, configs: Mapping[str, object]) -> None:
        CLIENT_IDS.append(configs["client.id"])


def test_configurable_objects_should_see_generated_client_id() -> None:
    CLIENT_IDS.clear()
    producer: KafkaProducer[bytes, bytes] = KafkaProducer(BOOTSTRAP | {
        "key.serializer": SerializerForClientId, "value.serializer": SerializerForClientId,
        "partitioner.class": PartitionerForClientId, "interceptor.classes": [ProducerInterceptorForClientId]})
    assert producer.get_client_id()
    assert CLIENT_IDS == [producer.get_client_id()] * 4
    producer.close()


def test_unused_configs() -> None:
    config = ProducerConfig(ProducerConfig.append_serializer_to_config(
        BOOTSTRAP | {"ssl.protocol": "TLS"}, StringSerializer(), StringSerializer()))
    assert "ssl.protocol" in config.unused()
    with KafkaProducer.of_config(config, None, None, None, None, None, Time.SYSTEM):
        assert "ssl.protocol" in config.unused()


def test_null_topic_name() -> None:
    with pytest.raises(IllegalArgumentException):
        ProducerRecord(None, b"value", key=b"key", partition=1)  # type: ignore[arg-type]  # as meant


def test_callback_and_interceptor_handle_error() -> None:
    time = MockTime()
    metadata = new_metadata()
    seen: list[tuple[RecordMetadata | None, Exception | None]] = []
    # Nobody is there to be asked: the time passes when the producer waits for metadata.
    with kafka_producer({"max.block.ms": "1000"}, metadata, MockClient(time, metadata), Time.SYSTEM,
                        ProducerInterceptors([MockProducerInterceptor()])) as producer:
        producer.send(ProducerRecord("topic abc", "HelloKafka"), lambda md, error: seen.append((md, error)))
        [(found, exception)] = seen
        assert isinstance(exception, TimeoutException)
        assert found is not None
        assert found.topic() == "topic abc"
        assert not found.has_offset()
        assert found.offset() == -1
        assert not found.has_timestamp()
        assert found.timestamp() == RecordBatch.NO_TIMESTAMP
        assert found.serialized_key_size() == -1
        assert found.serialized_value_size() == -1
        assert found.partition() == -1
        assert MockProducerInterceptor.on_acknowledgement_count == 1


def test_negative_partition_should_throw() -> None:
    with producing({"partitioner.class": BuggyPartitioner}) as (producer, client):
        with pytest.raises(IllegalArgumentException, match="invalid partition number: -1"):
            producer.send(ProducerRecord(TOPIC, "value", key="key"))


class KafkaProducerTestContext:
    """A producer of mocks."""

    def __init__(self) -> None:
        self.serializer = StringSerializer()
        self.partitioner = Mock(Partitioner)
        self.io_thread = Mock(KafkaThread)
        self.io_thread.is_alive.return_value = False
        self.metadata = Mock(ProducerMetadata)
        self.accumulator = Mock(RecordAccumulator)
        self.sender = Mock(Sender)
        self.sender.is_running.return_value = True
        self.transaction_manager = Mock(TransactionManager)
        self.time = MockTime()
        self.metrics = Metrics(time=self.time)

    def new_kafka_producer(self) -> StringProducer:
        config = ProducerConfig(ProducerConfig.append_serializer_to_config(
            BOOTSTRAP, self.serializer, self.serializer))
        return KafkaProducer.of_parts(
            config, LogContext("[Producer test] "), self.metrics, self.serializer, self.serializer,
            self.metadata, self.accumulator, self.transaction_manager, self.sender, ProducerInterceptors([]),
            self.partitioner, self.time, self.io_thread)

    def expect_appends(self, topic: str,
                       *partitions: int) -> tuple[ProducerRecord[str, str], FutureRecordMetadata]:
        """All but the last append find their batch full; return a record, and the future that it gets."""
        cluster = cluster_of(len(partitions), topic)
        self.metadata.fetch.return_value = cluster
        self.partitioner.partition.side_effect = list(partitions)
        timestamp = self.time.milliseconds()
        result = ProduceRequestResult(TopicPartition(topic, partitions[-1]))
        future = FutureRecordMetadata(result, 5, timestamp, 3, 5, self.time)
        left = list(partitions)

        def append(*args: Any) -> RecordAccumulator.RecordAppendResult:
            partition = left.pop(0)
            abort_on_new_batch = bool(left) or len(partitions) == 1
            assert args[:6] == (topic, partition, timestamp, b"key", b"value", Record.EMPTY_HEADERS)
            assert args[8:] == (abort_on_new_batch, timestamp, cluster)
            args[6].set_partition(partition)
            if left:
                return RecordAccumulator.RecordAppendResult(None, False, False, True, 0)
            return RecordAccumulator.RecordAppendResult(future, False, len(partitions) > 1, False, 0)

        self.accumulator.append.side_effect = append
        return ProducerRecord(topic, "value", key="key", timestamp=timestamp), future


def test_partition_added_to_transaction() -> None:
    ctx = KafkaProducerTestContext()
    record, future = ctx.expect_appends("foo", 0)
    with ctx.new_kafka_producer() as producer:
        assert producer.send(record) is future
        assert not future.is_done()
        ctx.transaction_manager.maybe_add_partition.assert_called_once_with(TopicPartition("foo", 0))


def test_partition_added_to_transaction_after_full_batch_retry() -> None:
    ctx = KafkaProducerTestContext()
    record, future = ctx.expect_appends("foo", 0, 1)
    with ctx.new_kafka_producer() as producer:
        assert producer.send(record) is future
        assert not future.is_done()
        ctx.partitioner.on_new_batch.assert_called_once_with("foo", ctx.metadata.fetch(), 0)
        ctx.transaction_manager.maybe_add_partition.assert_called_once_with(TopicPartition("foo", 1))


def test_delivery_timeout_and_linger_ms_config() -> None:
    configs = {"client.id": "testDeliveryTimeoutAndLingerMsConfig", "delivery.timeout.ms": 1000,
               "request.timeout.ms": 1}
    with pytest.raises(KafkaException) as caught:
        string_producer(configs | {"linger.ms": 1000})
    assert str(caught.value.__cause__) == (
        "delivery.timeout.ms should be equal to or larger than linger.ms + request.timeout.ms")
    string_producer(configs | {"linger.ms": 999}).close()


def test_value_of_the_wrong_type() -> None:
    with producing({}) as (producer, client):
        with pytest.raises(SerializationException) as caught:
            producer.send(ProducerRecord(TOPIC, 1))  # type: ignore[arg-type]  # as meant
        assert str(caught.value).startswith("Can't convert value of class ")
        with pytest.raises(SerializationException, match="specified in key.serializer"):
            producer.send(ProducerRecord(TOPIC, "value", key=2))  # type: ignore[arg-type]  # as meant


def test_close_from_a_callback_does_not_wait_for_itself() -> None:
    closed = threading.Event()
    with producing({"enable.idempotence": False}) as (producer, client):
        def callback(metadata: RecordMetadata | None, exception: Exception | None) -> None:
            producer.close()
            closed.set()

        # Nobody answers: the record fails with its delivery timeout, on the sender's thread.
        future = producer.send(ProducerRecord(TOPIC, "value"), callback)
        assert closed.wait(PATIENCE_S)
        wait_until(future.is_done)
        producer._io_thread.join(PATIENCE_S)
        assert not producer._io_thread.is_alive()


@pytest.mark.parametrize(("linger_ms", "linger", "delivery_timeout"), [
    (119_999, 119_999, 120_000), (120_000, 120_000, 120_001),
    (2**31 - 3, 2**31 - 3, 2**31 - 2), (2**31 - 2, 2**31 - 2, 2**31 - 1),
    (2**31 - 1, 2**31 - 1, 2**31 - 1), (2**31, 2**31 - 1, 2**31 - 1), (2**63 - 1, 2**31 - 1, 2**31 - 1)])
def test_a_long_linger_is_cut_to_an_int(linger_ms: int, linger: int, delivery_timeout: int) -> None:
    config = ProducerConfig({
        "bootstrap.servers": "localhost:9999", "linger.ms": linger_ms, "request.timeout.ms": 1,
        "key.serializer": StringSerializer, "value.serializer": StringSerializer})
    assert KafkaProducer._linger_ms(config) == linger
    assert KafkaProducer._configure_delivery_timeout(config, Mock()) == delivery_timeout
