# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.network.RequestChannelTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Requests as they are logged, enveloped, queued and measured."""

from __future__ import annotations

import json
import logging
from base64 import b64encode
from typing import Iterator, Mapping

import pytest

from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.config.types.password import Password
from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.memory.simple_memory_pool import SimpleMemoryPool
from kreactor.common.message.add_partitions_to_txn_request_data import AddPartitionsToTxnRequestData
from kreactor.common.message.alter_user_scram_credentials_request_data import (
    AlterUserScramCredentialsRequestData,
)
from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.message.api_versions_response_data import ApiVersionsResponseData
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.create_topics_response_data import CreateTopicsResponseData
from kreactor.common.message.describe_quorum_request_data import DescribeQuorumRequestData
from kreactor.common.message.describe_quorum_response_data import DescribeQuorumResponseData
from kreactor.common.message.incremental_alter_configs_request_data import IncrementalAlterConfigsRequestData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.message.sasl_authenticate_request_data import SaslAuthenticateRequestData
from kreactor.common.network.byte_buffer_send import ByteBufferSend
from kreactor.common.network.client_information import ClientInformation
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.add_partitions_to_txn_request import AddPartitionsToTxnRequest
from kreactor.common.requests.alter_configs_request import AlterConfigsRequest
from kreactor.common.requests.alter_user_scram_credentials_request import (
    AlterUserScramCredentialsRequest,
)
from kreactor.common.requests.api_versions_request import ApiVersionsRequest
from kreactor.common.requests.api_versions_response import ApiVersionsResponse
from kreactor.common.requests.create_topics_request import CreateTopicsRequest
from kreactor.common.requests.create_topics_response import CreateTopicsResponse
from kreactor.common.requests.describe_quorum_request import DescribeQuorumRequest
from kreactor.common.requests.describe_quorum_response import DescribeQuorumResponse
from kreactor.common.requests.envelope_request import EnvelopeRequest
from kreactor.common.requests.envelope_response import EnvelopeResponse
from kreactor.common.requests.fetch_request import FetchRequest
from kreactor.common.requests.incremental_alter_configs_request import IncrementalAlterConfigsRequest
from kreactor.common.requests.metadata_request import MetadataRequest
from kreactor.common.requests.produce_request import ProduceRequest
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.requests.sasl_authenticate_request import SaslAuthenticateRequest
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.utils.log_context import TRACE
from kreactor.common.utils.time import Time
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.network.request_convert_to_json import RequestConvertToJson
from kreactor.core.network.request_metrics import RequestMetrics
from kreactor.jdk.net import InetAddress
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.server.metrics.kafka_yammer_metrics import KafkaYammerMetrics
from kreactor.server.metrics.yammer import ExponentiallyDecayingSample, Histogram, Meter
from kreactor.testing.mock_time import MockTime
from tests.core.network.servers import clear_yammer_metrics
from tests.stepping import Background, wait_until

SECRET = "secret"
BROKER = ConfigResource(ConfigResource.Type.BROKER, "1")
TOPIC = ConfigResource(ConfigResource.Type.TOPIC, "testTopic")

# Of the configuration: name, value, and the value as it is logged.
CONFIGS = [
    (BROKER, "ssl.keystore.password", SECRET, Password.HIDDEN),
    (BROKER, "ssl.keystore.location", "/path/to/keystore", "/path/to/keystore"),
    (BROKER, "listener.name.internal.ssl.key.password", SECRET, Password.HIDDEN),
    (BROKER, "listener.name.internal.ssl.keystore.location", "/path/to/keystore", "/path/to/keystore"),
    (BROKER, "listener.name.internal.plain.sasl.jaas.config", SECRET, Password.HIDDEN),
    (BROKER, "listener.name.internal.plain.sasl.login.callback.handler.class", "test.LoginClass",
     "test.LoginClass"),
    (BROKER, "custom.config", SECRET, Password.HIDDEN),
    (TOPIC, "compression.type", "lz4", "lz4"),
    (TOPIC, "custom.config", SECRET, Password.HIDDEN),
]

SET, DELETE, APPEND, SUBTRACT = range(4)


@pytest.fixture(autouse=True)
def _request_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "kafka.request.logger")


@pytest.fixture
def metrics() -> Iterator[RequestChannel.Metrics]:
    clear_yammer_metrics()
    made = RequestChannel.Metrics([ApiKeys.PRODUCE, ApiKeys.API_VERSIONS, ApiKeys.SASL_AUTHENTICATE])
    yield made
    made.close()
    clear_yammer_metrics()


def request(
    body: AbstractRequest,
    metrics: RequestChannel.Metrics | None = None,
    memory_pool: MemoryPool = MemoryPool.NONE,
    start_time_nanos: int = 0,
    processor: int = 1,
) -> RequestChannel.Request:
    serialized = body.serialize_with_header(RequestHeader.of(body.api_key(), body.version(), "client-id", 1))
    buffer: ByteBuffer | None = serialized
    if memory_pool is not MemoryPool.NONE:
        buffer = memory_pool.try_allocate(serialized.remaining())
        assert buffer is not None
        buffer.put(serialized.to_bytes()).flip()
    assert buffer is not None
    return RequestChannel.Request(
        processor, new_request_context(buffer), start_time_nanos, memory_pool, buffer,
        metrics or RequestChannel.Metrics([]))


def new_request_context(buffer: ByteBuffer) -> RequestContext:
    return RequestContext(
        RequestHeader.parse(buffer), "connection-id", InetAddress.get_by_name("127.0.0.1"),
        KafkaPrincipal(KafkaPrincipal.USER_TYPE, "user"),
        ListenerName.for_security_protocol(SecurityProtocol.PLAINTEXT), SecurityProtocol.PLAINTEXT,
        ClientInformation("name", "version"), False)


def alter_configs(configs: Mapping[ConfigResource, Mapping[str, str]]) -> RequestChannel.Request:
    return request(AlterConfigsRequest.Builder({
        resource: AlterConfigsRequest.Config(
            [AlterConfigsRequest.ConfigEntry(name, value) for name, value in entries.items()])
        for resource, entries in configs.items()}, True).build())


def assert_not_logged(logged: RequestChannel.Request) -> None:
    assert logged.request_log is not None
    text = str(RequestConvertToJson.request_desc(logged.header(), logged.request_log, logged.is_forwarded()))
    assert SECRET not in text


@pytest.mark.parametrize("resource, name, value, expected", CONFIGS)
def test_alter_requests(resource: ConfigResource, name: str, value: str, expected: str) -> None:
    altering = alter_configs({resource: {name: value}})
    loggable = altering.loggable_request()
    assert isinstance(loggable, AlterConfigsRequest)
    [entry] = loggable.configs()[resource].entries()
    assert (entry.name(), entry.value()) == (name, expected)
    assert_not_logged(altering)
    # The request that is handled has the value.
    [entry] = altering.body(AlterConfigsRequest).configs()[resource].entries()
    assert entry.value() == value


def test_alter_requests_of_several_and_of_none() -> None:
    altering = alter_configs({BROKER: {"ssl.keystore.location": "/path", "ssl.keystore.password": SECRET}})
    loggable = altering.loggable_request()
    assert isinstance(loggable, AlterConfigsRequest)
    assert {entry.name(): entry.value() for entry in loggable.configs()[BROKER].entries()} == {
        "ssl.keystore.location": "/path", "ssl.keystore.password": Password.HIDDEN}
    assert_not_logged(altering)

    empty = alter_configs({}).loggable_request()
    assert isinstance(empty, AlterConfigsRequest)
    assert empty.configs() == {}


@pytest.mark.parametrize("resource, operation, name, value, expected", [
    *((resource, SET, name, value, expected) for resource, name, value, expected in CONFIGS),
    (BROKER, APPEND, "ssl.enabled.protocols", "TLSv1.1", "TLSv1.1"),
    (BROKER, SUBTRACT, "ssl.enabled.protocols", "TLSv1.1", "TLSv1.1"),
    (BROKER, DELETE, "ssl.cipher.suites", None, None),
])
def test_incremental_alter_requests(
    resource: ConfigResource, operation: int, name: str, value: str | None, expected: str | None,
) -> None:
    data = IncrementalAlterConfigsRequestData
    altering = request(IncrementalAlterConfigsRequest.Builder(data(resources=[data.AlterConfigsResource(
        resource_type=resource.type().id(), resource_name=resource.name(), configs=[data.AlterableConfig(
            name=name, value=value, config_operation=operation)])])).build())
    loggable = altering.loggable_request()
    assert isinstance(loggable, IncrementalAlterConfigsRequest)
    [config] = loggable.data().resources[0].configs
    assert (config.name, config.value, config.config_operation) == (name, expected, operation)
    assert_not_logged(altering)


def test_non_alter_requests_not_transformed() -> None:
    metadata = request(MetadataRequest.Builder.for_topics(["topic"], True).build())
    assert metadata.body(MetadataRequest) is metadata.loggable_request()


def test_json_requests() -> None:
    altering = alter_configs({BROKER: {"ssl.keystore.password": SECRET}})
    [resource] = json.loads(str(RequestConvertToJson.request(altering.loggable_request())))["resources"]
    assert resource["configs"] == [{"name": "ssl.keystore.password", "value": Password.HIDDEN}]


@pytest.mark.parametrize(
    "error", [Errors.NONE, Errors.CLUSTER_AUTHORIZATION_FAILED, Errors.NOT_CONTROLLER])
def test_build_envelope_response(error: Errors) -> None:
    data = CreateTopicsRequestData
    inner = CreateTopicsRequest.Builder(data(topics=[
        data.CreatableTopic(name="foo", replication_factor=-1, num_partitions=-1)])).build()
    unwrapped = in_envelope(inner)
    create_topics_response = CreateTopicsResponse(CreateTopicsResponseData(topics=[
        CreateTopicsResponseData.CreatableTopicResult(name="foo", error_code=error.code)]))

    envelope_response = build_envelope_response(unwrapped, create_topics_response)
    if error is Errors.NOT_CONTROLLER:
        assert envelope_response.error() is Errors.NOT_CONTROLLER
        assert envelope_response.response_data() is None
    else:
        assert envelope_response.error() is Errors.NONE
        response_data = envelope_response.response_data()
        assert response_data is not None
        unwrapped_response = AbstractResponse.parse_response(response_data, unwrapped.header())
        assert unwrapped_response.data() == create_topics_response.data()


@pytest.mark.parametrize(("error", "told"), [
    (Errors.NOT_LEADER_OR_FOLLOWER, Errors.NOT_CONTROLLER), (Errors.NOT_CONTROLLER, Errors.NONE),
    (Errors.NONE, Errors.NONE)])
def test_who_does_not_lead_the_quorum_is_not_the_controller(error: Errors, told: Errors) -> None:
    unwrapped = in_envelope(DescribeQuorumRequest.Builder(DescribeQuorumRequestData()).build())
    response = DescribeQuorumResponse(DescribeQuorumResponseData(error_code=error.code))
    envelope_response = build_envelope_response(unwrapped, response)
    assert envelope_response.error() is told
    assert (envelope_response.response_data() is None) == (told is Errors.NOT_CONTROLLER)


def in_envelope(inner: AbstractRequest) -> RequestChannel.Request:
    """Return a forwarded request, unwrapped, with the envelope that it came in."""
    header = RequestHeader.of(inner.api_key(), inner.version(), "client-id", 2)
    envelope = request(EnvelopeRequest.Builder(
        inner.serialize_with_header(header), b"", InetAddress.get_by_name("127.0.0.1").get_address()).build())
    buffer = envelope.body(EnvelopeRequest).request_data()
    return RequestChannel.Request(
        1, new_request_context(buffer), 0, MemoryPool.NONE, buffer, RequestChannel.Metrics([]), envelope)


def build_envelope_response(
    unwrapped: RequestChannel.Request, response: AbstractResponse,
) -> EnvelopeResponse:
    assert unwrapped.envelope is not None
    send = unwrapped.build_response_send(response)
    assert isinstance(send, ByteBufferSend)
    send_bytes = ByteBuffer.wrap(b"".join(buffer.to_bytes() for buffer in send._buffers))
    assert send_bytes.get_int() == send_bytes.remaining()
    envelope_response = AbstractResponse.parse_response(send_bytes, unwrapped.envelope.header())
    assert isinstance(envelope_response, EnvelopeResponse)
    return envelope_response


# Not in the origin: what follows.


class FakeProcessor:
    """Keeps the responses that it gets."""

    def __init__(self, id: int) -> None:
        self.id = id
        self.responses: list[RequestChannel.Response] = []

    def enqueue_response(self, response: RequestChannel.Response) -> None:
        self.responses.append(response)

    def response_queue_size(self) -> int:
        return len(self.responses)


def new_channel(metrics: RequestChannel.Metrics, time: Time | None = None, queue_size: int = 3,
                prefix: str = "") -> RequestChannel:
    return RequestChannel(queue_size, prefix, time or MockTime(), metrics)


def api_versions() -> AbstractRequest:
    return ApiVersionsRequest(ApiVersionsRequestData(), 0)


def gauge(name: str) -> object:
    for metric_name, metric in KafkaYammerMetrics.default_registry().all_metrics().items():
        if metric_name.get_mbean_name() == name:
            return metric.value()  # type: ignore[attr-defined]
    return None


def test_callbacks_come_before_requests_that_wait(metrics: RequestChannel.Metrics) -> None:
    channel = new_channel(metrics)
    waiting = request(api_versions(), metrics)
    callback = RequestChannel.CallbackRequest(lambda request_local: None, waiting)
    channel.send_request(waiting)
    channel.send_callback_request(callback)
    assert channel.receive_request_timeout(0) is callback
    assert channel.receive_request_timeout(0) is waiting
    # The wakeup that is left finds its callback gone.
    assert channel.receive_request_timeout(0) is None
    assert channel._request_queue.is_empty()


def test_a_callback_wakes_who_waits(metrics: RequestChannel.Metrics) -> None:
    channel = new_channel(metrics)
    callback = RequestChannel.CallbackRequest(lambda request_local: None, request(api_versions(), metrics))
    receiving = Background(lambda: channel.receive_request_timeout(20_000))
    channel.send_callback_request(callback)
    assert receiving.result() is callback


def test_a_callback_does_not_wait_for_room_among_requests(metrics: RequestChannel.Metrics) -> None:
    channel = new_channel(metrics, queue_size=1)
    waiting = request(api_versions(), metrics)
    channel.send_request(waiting)
    callback = RequestChannel.CallbackRequest(lambda request_local: None, waiting)
    channel.send_callback_request(callback)
    assert channel.receive_request_timeout(0) is callback
    assert channel.receive_request_timeout(0) is waiting
    assert channel.receive_request_timeout(0) is None


def test_who_sends_a_request_waits_for_room(metrics: RequestChannel.Metrics) -> None:
    channel = new_channel(metrics, queue_size=1)
    first, second = request(api_versions(), metrics), request(api_versions(), metrics)
    channel.send_request(first)
    sending = Background(lambda: channel.send_request(second))
    assert channel.receive_request() is first
    sending.result()
    assert channel.receive_request() is second


def test_clear_gives_memory_back_and_lets_senders_go(metrics: RequestChannel.Metrics) -> None:
    pool = SimpleMemoryPool(1000, 1000, False, None)
    channel = new_channel(metrics, queue_size=2)
    body = SaslAuthenticateRequest(SaslAuthenticateRequestData(auth_bytes=b"x" * 100), 0)
    queued = [request(body, metrics, pool) for _ in range(3)]
    assert pool.available_memory() < 700
    channel.send_request(queued[0])
    channel.send_request(queued[1])
    channel.send_callback_request(RequestChannel.CallbackRequest(lambda request_local: None, queued[0]))
    sending = Background(lambda: channel.send_request(queued[2]))
    channel.clear()
    sending.result()
    channel.clear()
    assert pool.available_memory() == pool.size()
    assert channel._request_queue.is_empty() and channel._callback_queue.is_empty()
    # A dropped request does not release its memory a second time.
    for dropped in queued:
        dropped.release_buffer()
    assert pool.available_memory() == pool.size()


def test_a_body_that_keeps_no_view_gives_its_memory_back_at_once(metrics: RequestChannel.Metrics) -> None:
    pool = SimpleMemoryPool(1000, 1000, False, None)
    assert request(api_versions(), metrics, pool).buffer is None
    assert pool.available_memory() == pool.size()
    produce = ProduceRequest.for_current_magic(ProduceRequestData(acks=1)).build()
    kept = request(produce, metrics, pool)
    assert pool.available_memory() < pool.size()
    kept.release_buffer()
    assert pool.available_memory() == pool.size()


def test_an_unwrapped_request_gives_back_the_memory_of_its_envelope() -> None:
    unwrapped = in_envelope(CreateTopicsRequest.Builder(CreateTopicsRequestData()).build())
    assert unwrapped.envelope is not None and unwrapped.envelope.buffer is not None
    assert unwrapped.is_forwarded()
    assert unwrapped.header_for_logging_or_throttling() is unwrapped.envelope.header()
    unwrapped.release_buffer()
    assert unwrapped.envelope.buffer is None


def test_responses_go_to_the_processor_of_the_request(metrics: RequestChannel.Metrics) -> None:
    channel = new_channel(metrics)
    processors = [FakeProcessor(1), FakeProcessor(2)]
    for processor in processors:
        channel.add_processor(processor)
    to_second = request(api_versions(), metrics, processor=2)
    channel.send_no_op_response(to_second)
    channel.close_connection(to_second, {Errors.INVALID_REQUEST: 2})
    assert [len(processor.responses) for processor in processors] == [0, 2]
    assert gauge("kafka.network:type=RequestChannel,name=ResponseQueueSize") == 2
    assert gauge("kafka.network:type=RequestChannel,name=ResponseQueueSize,processor=2") == 2
    errors = KafkaYammerMetrics.default_registry().all_metrics()
    [meter] = [metric for name, metric in errors.items() if name.get_name() == "ErrorsPerSec"]
    assert meter.count() == 2  # type: ignore[attr-defined]

    # Once it is gone they are dropped.
    channel.remove_processor(2)
    channel.remove_processor(2)
    channel.send_no_op_response(to_second)
    assert len(processors[1].responses) == 2
    assert gauge("kafka.network:type=RequestChannel,name=ResponseQueueSize,processor=2") is None


def test_an_answer_is_built_logged_and_its_errors_are_counted(metrics: RequestChannel.Metrics) -> None:
    channel = new_channel(metrics)
    processor = FakeProcessor(1)
    channel.add_processor(processor)
    asked, written = request(api_versions(), metrics), []
    channel.send_response(asked, ApiVersionsResponse(ApiVersionsResponseData(
        error_code=Errors.UNSUPPORTED_VERSION.code)), written.append)
    [response] = processor.responses
    assert isinstance(response, RequestChannel.SendResponse) and response.request is asked
    # Size, correlation id, error, no APIs.
    assert response.response_send.size() == 4 + 4 + 2 + 4
    assert response.on_complete() == written.append
    log = response.response_log()
    assert isinstance(log, dict) and log["errorCode"] == Errors.UNSUPPORTED_VERSION.code
    counted = {
        name.get_mbean_name(): metric.count()  # type: ignore[attr-defined]
        for name, metric in KafkaYammerMetrics.default_registry().all_metrics().items()
        if name.get_name() == "ErrorsPerSec"}
    assert counted == {"kafka.network:type=RequestMetrics,name=ErrorsPerSec,request=ApiVersions,"
                       "error=UNSUPPORTED_VERSION": 1}


def test_what_becomes_of_a_request_is_traced(
    metrics: RequestChannel.Metrics, caplog: pytest.LogCaptureFixture,
) -> None:
    channel = new_channel(metrics)
    channel.add_processor(FakeProcessor(1))
    answered = request(api_versions(), metrics)
    caplog.set_level(TRACE, "kreactor.core.network.request_channel")
    channel.start_throttling(answered)
    channel.end_throttling(answered)
    channel.send_no_op_response(answered)
    channel.close_connection(answered, {})
    channel.send_response_response(RequestChannel.SendResponse(
        answered, ByteBufferSend(ByteBuffer.allocate(5)), None, None))
    assert caplog.messages == [
        "throttling of client client-id begins for API_VERSIONS",
        "throttling of client client-id ends for API_VERSIONS",
        "no API_VERSIONS response to client client-id, which wants none",
        "closing the connection of client client-id for an error of API_VERSIONS",
        "API_VERSIONS response of 5 bytes to client client-id",
    ]


def test_a_second_processor_of_a_number_changes_nothing(
    metrics: RequestChannel.Metrics, caplog: pytest.LogCaptureFixture,
) -> None:
    channel = new_channel(metrics)
    first, second = FakeProcessor(1), FakeProcessor(1)
    channel.add_processor(first)
    assert caplog.records == []
    channel.add_processor(second)
    channel.add_processor(first)
    assert [record.getMessage() for record in caplog.records] == ["there is a processor 1 already"] * 2
    channel.send_no_op_response(request(api_versions(), metrics))
    assert (len(first.responses), len(second.responses)) == (1, 0)


def test_the_gauges_of_a_control_plane_have_a_prefix(metrics: RequestChannel.Metrics) -> None:
    channel = new_channel(metrics, prefix="ControlPlane")
    channel.send_request(request(api_versions(), metrics))
    assert gauge("kafka.network:type=RequestChannel,name=ControlPlaneRequestQueueSize") == 1
    assert gauge("kafka.network:type=RequestChannel,name=ControlPlaneResponseQueueSize") == 0


def test_a_response_completes_the_times_of_its_request(metrics: RequestChannel.Metrics) -> None:
    time = MockTime()
    channel = new_channel(metrics, time)
    timed = request(api_versions(), metrics)
    assert (timed.request_dequeue_time_nanos, timed.api_local_complete_time_nanos,
            timed.response_complete_time_nanos, timed.response_dequeue_time_nanos) == (-1, -1, -1, -1)
    # Throttling comes besides.
    channel.start_throttling(timed)
    channel.end_throttling(timed)
    assert timed.response_complete_time_nanos == timed.api_local_complete_time_nanos == -1

    time.sleep(1)
    local = time.nanoseconds()
    timed.api_local_complete_time_nanos = local
    timed.callback_request_dequeue_time_nanos = local
    time.sleep(1)
    channel.send_no_op_response(timed)
    assert timed.api_local_complete_time_nanos == local
    assert timed.response_complete_time_nanos == time.nanoseconds()
    assert timed.callback_request_complete_time_nanos == time.nanoseconds()

    untimed = request(api_versions(), metrics)
    channel.send_no_op_response(untimed)
    assert untimed.api_local_complete_time_nanos == time.nanoseconds()
    assert untimed.callback_request_complete_time_nanos is None


def test_where_the_time_of_a_request_went(
    metrics: RequestChannel.Metrics, caplog: pytest.LogCaptureFixture,
) -> None:
    ms = 1_000_000
    end = Time.SYSTEM.nanoseconds()
    start = end - 100 * ms
    measured = request(api_versions(), metrics, start_time_nanos=start)
    measured.request_dequeue_time_nanos = start + 10 * ms
    measured.api_local_complete_time_nanos = start + 12 * ms
    measured.callback_request_dequeue_time_nanos = start + 30 * ms
    measured.callback_request_complete_time_nanos = start + 33 * ms
    measured.response_complete_time_nanos = start + 33 * ms
    measured.response_dequeue_time_nanos = start + 40 * ms
    measured.api_throttle_time_ms = 7
    recorded: list[int] = []
    measured.record_network_thread_time_callback = recorded.append
    measured.update_request_metrics(1234, RequestChannel.NoOpResponse(measured))

    m = metrics.apply("ApiVersions")
    assert m.request_queue_time_hist.max() == 10
    assert m.local_time_hist.max() == 2 + 3
    assert m.remote_time_hist.max() == 33 - 12 - 3
    assert m.response_queue_time_hist.max() == 7
    assert 60 <= m.response_send_time_hist.max() < 10_000
    assert m.total_time_hist.max() == m.response_send_time_hist.max() + 40
    assert m.throttle_time_hist.max() == 7
    assert m.request_bytes_hist.max() == 0  # a body of nothing
    histograms = [histogram for name, histogram in vars(m).items() if name.endswith("_hist")]
    assert [histogram.count() for histogram in histograms if histogram is not None] == [1] * 8
    assert m.request_rate(0).count() == 1
    assert m.message_conversions_time_hist is None
    assert recorded == [1234]
    [line] = [record.message for record in caplog.records if record.name == "kafka.request.logger"]
    logged = json.loads(line.removeprefix("Completed request:"))
    assert (logged["requestQueueTimeMs"], logged["localTimeMs"], logged["remoteTimeMs"]) == (10.0, 5.0, 18.0)


def test_what_a_request_took_besides_time(metrics: RequestChannel.Metrics) -> None:
    body = SaslAuthenticateRequest(SaslAuthenticateRequestData(auth_bytes=bytes(50)), 0)
    channel = new_channel(metrics)
    measured = request(body, metrics)
    channel.send_no_op_response(measured)
    measured.update_request_metrics(0, RequestChannel.NoOpResponse(measured))
    assert metrics.apply("SaslAuthenticate").request_bytes_hist.max() == 4 + 50

    produce = request(ProduceRequest.for_current_magic(ProduceRequestData(acks=1)).build(), metrics)
    produce.message_conversions_time_nanos, produce.temporary_memory_bytes = 3_000_000, 77
    channel.send_no_op_response(produce)
    produce.update_request_metrics(0, RequestChannel.NoOpResponse(produce))
    m = metrics.apply("Produce")
    assert m.message_conversions_time_hist is not None and m.message_conversions_time_hist.max() == 3
    assert m.temp_memory_bytes_hist is not None and m.temp_memory_bytes_hist.max() == 77


def test_times_that_are_not_known_count_as_none(metrics: RequestChannel.Metrics) -> None:
    """Of a request whose connection was closed in between, some stamps are missing."""
    produce = ProduceRequest.for_current_magic(ProduceRequestData(acks=1)).build()
    dropped = request(produce, metrics, start_time_nanos=Time.SYSTEM.nanoseconds())
    dropped.update_request_metrics(0, RequestChannel.NoOpResponse(dropped))
    m = metrics.apply("Produce")
    assert m.request_queue_time_hist.max() == m.local_time_hist.max() == m.remote_time_hist.max() == 0
    assert m.response_queue_time_hist.max() == 0
    assert m.message_conversions_time_hist is not None and m.message_conversions_time_hist.count() == 1
    assert m.temp_memory_bytes_hist is not None and m.temp_memory_bytes_hist.count() == 1


@pytest.mark.parametrize("nanos, expected_ms", [
    (499_999, 0), (500_000, 1), (1_499_999, 1), (1_500_000, 2), (2_500_000, 3), (-5_000_000, 0)])
def test_times_are_rounded_half_up(
    metrics: RequestChannel.Metrics, nanos: int, expected_ms: int,
) -> None:
    start = Time.SYSTEM.nanoseconds()
    measured = request(api_versions(), metrics, start_time_nanos=start)
    measured.request_dequeue_time_nanos = start + nanos
    measured.update_request_metrics(0, RequestChannel.NoOpResponse(measured))
    assert metrics.apply("ApiVersions").request_queue_time_hist.max() == expected_ms


def test_the_thread_time_of_a_handler_is_taken_once(metrics: RequestChannel.Metrics) -> None:
    measured = request(api_versions(), metrics)
    measured.request_dequeue_time_nanos = Time.SYSTEM.nanoseconds() - 1_000_000
    taken = measured.request_thread_time_nanos()
    assert taken >= 1_000_000
    wait_until(lambda: Time.SYSTEM.nanoseconds() > measured.api_local_complete_time_nanos)
    assert measured.request_thread_time_nanos() == taken


def test_a_time_below_zero_is_none(metrics: RequestChannel.Metrics) -> None:
    measured = request(api_versions(), metrics)
    for dequeued, complete, taken in ((5, 12, 7), (12, 12, 0), (12, 5, 0)):
        measured.request_dequeue_time_nanos, measured.api_local_complete_time_nanos = dequeued, complete
        assert measured.request_thread_time_nanos() == taken
        assert measured.api_local_complete_time_nanos == complete


def test_metrics_of_requests_go_with_their_channel(metrics: RequestChannel.Metrics) -> None:
    m = metrics.apply("Produce")
    m.request_rate(3).mark()
    m.mark_error_meter(Errors.UNKNOWN_SERVER_ERROR, 1)
    assert m.deprecated_request_rate(ApiKeys.PRODUCE, 3, ClientInformation("a", "b")) is not None
    assert m.deprecated_request_rate(ApiKeys.PRODUCE, 11, ClientInformation("a", "b")) is None
    new_channel(metrics).shutdown()
    left = [str(name) for name in KafkaYammerMetrics.default_registry().all_metrics()
            if name.get_type() == "RequestMetrics"]
    assert left == []


@pytest.mark.deviation("D131")
def test_what_clients_call_themselves_does_not_fill_the_memory(metrics: RequestChannel.Metrics) -> None:
    """Deviation D131."""
    m = metrics.apply("Produce")

    def mark(name: str, version: int = 3) -> None:
        meter = m.deprecated_request_rate(ApiKeys.PRODUCE, version, ClientInformation(name, "1"))
        assert meter is not None
        meter.mark()

    for number in range(RequestMetrics.MAX_CLIENTS + 50):
        mark(f"client{number}")
    mark("client0")
    mark("client0", 4)
    counts = {
        str(name.get_scope()): metric.count()
        for name, metric in KafkaYammerMetrics.default_registry().all_metrics().items()
        if name.get_name() == RequestMetrics.DEPRECATED_REQUESTS_PER_SEC and isinstance(metric, Meter)}
    assert len(counts) == RequestMetrics.MAX_CLIENTS + 2  # the unknown ones of two versions
    assert sum(counts.values()) == RequestMetrics.MAX_CLIENTS + 52
    assert counts["clientSoftwareName.client0.clientSoftwareVersion.1.request.Produce.version.3"] == 2
    assert counts["clientSoftwareName.unknown.clientSoftwareVersion.unknown.request.Produce.version.3"] == 50


def test_the_three_parts_that_are_told_apart_have_metrics(metrics: RequestChannel.Metrics) -> None:
    for name in (RequestMetrics.CONSUMER_FETCH_METRIC_NAME, RequestMetrics.FOLLOW_FETCH_METRIC_NAME,
                 RequestMetrics.VERIFY_PARTITIONS_IN_TXN_METRIC_NAME):
        assert metrics.apply(name).tags == {"request": name}
    with pytest.raises(KeyError):
        metrics.apply("Fetch")


def test_the_body_is_of_the_type_that_is_asked_for(metrics: RequestChannel.Metrics) -> None:
    asked = request(api_versions(), metrics)
    assert asked.body(ApiVersionsRequest) is asked.body(AbstractRequest)
    with pytest.raises(TypeError):
        asked.body(ProduceRequest)
    assert asked.size_in_bytes() == asked.header().size()


def test_times_and_sizes_are_of_the_last_minutes(metrics: RequestChannel.Metrics) -> None:
    histograms = {name.get_name(): metric
                  for name, metric in KafkaYammerMetrics.default_registry().all_metrics().items()
                  if isinstance(metric, Histogram) and name.get_scope() == "request.Produce"}
    assert sorted(histograms) == sorted((
        "RequestQueueTimeMs", "LocalTimeMs", "RemoteTimeMs", "ThrottleTimeMs", "ResponseQueueTimeMs",
        "ResponseSendTimeMs", "TotalTimeMs", "RequestBytes", "MessageConversionsTimeMs",
        "TemporaryMemoryBytes"))
    assert all(isinstance(each._sample, ExponentiallyDecayingSample) for each in histograms.values())


def test_passwords_of_scram_users_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    """Deviation D189: neither a salted password nor its salt."""
    data = AlterUserScramCredentialsRequestData
    caplog.set_level(TRACE, "kreactor.core.network.request_channel")
    upsertion = data.ScramCredentialUpsertion(
        name="alice", mechanism=1, iterations=4096, salt=b"the salt", salted_password=SECRET.encode())
    altering = request(AlterUserScramCredentialsRequest.Builder(data(upsertions=[upsertion])).build())
    assert altering.request_log is not None
    for logged in (altering.request_log, altering.request_desc(True), *caplog.messages):
        text = str(logged)
        assert "alice" in text and "4096" in text
        for hidden in (SECRET.encode(), b"the salt"):
            assert hidden.decode() not in text and b64encode(hidden).decode() not in text
    # The request that is handled has it.
    [upsertion] = altering.body(AlterUserScramCredentialsRequest).data().upsertions
    assert upsertion.salted_password == SECRET.encode()


def verifying(*verify_only: bool) -> AbstractRequest:
    data = AddPartitionsToTxnRequestData
    return AddPartitionsToTxnRequest.Builder.for_broker([
        data.AddPartitionsToTxnTransaction(transactional_id=str(number), verify_only=only)
        for number, only in enumerate(verify_only)]).build()


@pytest.mark.parametrize(("body", "counted"), [
    (FetchRequest.Builder.for_consumer(11, 0, 0, {}).build(), {"Fetch", "FetchConsumer"}),
    (FetchRequest.Builder.for_replica(11, 1, 2, 0, 0, {}).build(), {"Fetch", "FetchFollower"}),
    (verifying(True, True), {"AddPartitionsToTxnVerification"}),
    (verifying(True, False), {"AddPartitionsToTxn"}),
    (api_versions(), {"ApiVersions"}),
], ids=["a consumer's fetch", "a follower's fetch", "verification", "addition", "any other"])
def test_requests_of_one_api_are_measured_apart(body: AbstractRequest, counted: set[str]) -> None:
    """A fetch counts for its API and for its kind of client; what only verifies counts apart."""
    clear_yammer_metrics()
    metrics = RequestChannel.Metrics([ApiKeys.FETCH, ApiKeys.ADD_PARTITIONS_TO_TXN, ApiKeys.API_VERSIONS])
    measured = request(body, metrics)
    for field in ("request_dequeue_time_nanos", "api_local_complete_time_nanos",
                  "response_complete_time_nanos", "response_dequeue_time_nanos"):
        setattr(measured, field, 0)
    measured.update_request_metrics(0, RequestChannel.NoOpResponse(measured))
    histograms = {
        name.get_mbean_name().rpartition("=")[2]: metric.count()
        for name, metric in KafkaYammerMetrics.default_registry().all_metrics().items()
        if name.get_name() == RequestMetrics.TOTAL_TIME_MS and isinstance(metric, Histogram)}
    metrics.close()
    assert {name for name, count in histograms.items() if count} == counted
    assert set(histograms.values()) == {0, 1}


def test_an_error_that_comes_again_after_its_metrics_were_removed(metrics: RequestChannel.Metrics) -> None:
    m = metrics.apply("Produce")
    m.mark_error_meter(Errors.INVALID_REQUEST, 3)
    meter = m._error_meters[Errors.INVALID_REQUEST]
    for _ in range(2):
        meter.remove_meter()
        assert not [name for name in KafkaYammerMetrics.default_registry().all_metrics()
                    if name.get_name() == RequestMetrics.ERRORS_PER_SEC]
    m.mark_error_meter(Errors.INVALID_REQUEST, 2)
    assert meter.get_or_create_meter().count() == 2
