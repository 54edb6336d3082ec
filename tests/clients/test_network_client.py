# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.NetworkClientTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""How a client connects, learns versions, sends, throttles, times out and gives up."""

from __future__ import annotations

import logging
import math
from unittest.mock import Mock

import pytest

from kreactor.clients.api_versions import ApiVersions
from kreactor.clients.client_response import ClientResponse
from kreactor.clients.cluster_connection_states import ClusterConnectionStates
from kreactor.clients.manual_metadata_updater import ManualMetadataUpdater
from kreactor.clients.metadata import Metadata
from kreactor.clients.metadata_recovery_strategy import MetadataRecoveryStrategy
from kreactor.clients.network_client import NetworkClient
from kreactor.clients.network_client_utils import NetworkClientUtils
from kreactor.clients.request_completion_handler import RequestCompletionHandler
from kreactor.common.errors import (
    DisconnectException,
    SaslAuthenticationException,
    UnsupportedVersionException,
)
from kreactor.common.internals.cluster_resource_listeners import ClusterResourceListeners
from kreactor.common.message.api_message_type import ListenerType
from kreactor.common.message.api_versions_response_data import ApiVersionsResponseData
from kreactor.common.message.get_telemetry_subscriptions_request_data import (
    GetTelemetrySubscriptionsRequestData,
)
from kreactor.common.message.get_telemetry_subscriptions_response_data import (
    GetTelemetrySubscriptionsResponseData,
)
from kreactor.common.message.metadata_response_data import MetadataResponseData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.message.produce_response_data import ProduceResponseData
from kreactor.common.message.push_telemetry_request_data import PushTelemetryRequestData
from kreactor.common.message.push_telemetry_response_data import PushTelemetryResponseData
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.stats.max import Max
from kreactor.common.network.channel_state import ChannelState
from kreactor.common.network.network_receive import NetworkReceive
from kreactor.common.node import Node
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.types.schema_exception import SchemaException
from kreactor.common.requests.api_versions_response import ApiVersion, ApiVersionsResponse
from kreactor.common.requests.get_telemetry_subscriptions_request import GetTelemetrySubscriptionsRequest
from kreactor.common.requests.get_telemetry_subscriptions_response import GetTelemetrySubscriptionsResponse
from kreactor.common.requests.metadata_request import MetadataRequest
from kreactor.common.requests.metadata_response import MetadataResponse
from kreactor.common.requests.produce_request import ProduceRequest
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.requests.push_telemetry_request import PushTelemetryRequest
from kreactor.common.requests.push_telemetry_response import PushTelemetryResponse
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.security.authenticator.sasl_client_authenticator import SaslClientAuthenticator
from kreactor.common.telemetry.internals.client_telemetry_sender import ClientTelemetrySender
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.net import InetAddress
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.testing.mock_time import MockTime
from tests.clients.address_change_host_resolver import AddressChangeHostResolver
from tests.clients.mock_selector import DelayedReceive, MockSelector
from tests.clients.test_node_api_versions import default_api_versions_response
from tests.common.requests.request_test_utils import RequestTestUtils

DEFAULT_REQUEST_TIMEOUT_MS = 1000
RECONNECT_BACKOFF_MS = 10 * 1000
RECONNECT_BACKOFF_MAX_MS = 10 * 10000
CONNECTION_SETUP_TIMEOUT_MS = 5 * 1000
CONNECTION_SETUP_TIMEOUT_MAX_MS = 127 * 1000
RECONNECT_BACKOFF_EXP_BASE = ClusterConnectionStates.RECONNECT_BACKOFF_EXP_BASE
RECONNECT_BACKOFF_JITTER = ClusterConnectionStates.RECONNECT_BACKOFF_JITTER
INT_MAX_VALUE = (1 << 31) - 1
LONG_MAX_VALUE = (1 << 63) - 1
INITIAL_ADDRESSES = [InetAddress.get_by_name(f"10.200.20.{last}") for last in (100, 101, 102)]
NEW_ADDRESSES = [InetAddress.get_by_name(f"10.200.20.{last}") for last in (103, 104, 105)]
PRODUCE = ApiKeys.PRODUCE


def nodes(number: int) -> list[Node]:
    """Return the nodes of TestUtils.clusterWith."""
    return [Node(i, "localhost", 1969) for i in range(number)]


NODE = nodes(1)[0]
NODE_ID = NODE.id_string()


class CallbackHandler(RequestCompletionHandler):
    def __init__(self) -> None:
        self.executed = False
        self.response: ClientResponse | None = None

    def on_complete(self, response: ClientResponse) -> None:
        self.executed = True
        self.response = response


class MetadataUpdater(ManualMetadataUpdater):
    """A port of TestMetadataUpdater: keeps the last failure."""

    def __init__(self, nodes) -> None:
        super().__init__(nodes)
        self.failure = None

    def handle_server_disconnect(self, now, node_id, maybe_auth_exception) -> None:
        if maybe_auth_exception is not None:
            self.failure = maybe_auth_exception
        super().handle_server_disconnect(now, node_id, maybe_auth_exception)

    def handle_failed_request(self, now, maybe_fatal_exception) -> None:
        if maybe_fatal_exception is not None:
            self.failure = maybe_fatal_exception

    def get_and_clear_failure(self):
        failure, self.failure = self.failure, None
        return failure


class Rig:
    """The fields and helpers of NetworkClientTest."""

    def __init__(self) -> None:
        self.time = MockTime()
        self.selector = MockSelector(self.time)
        self.metadata_updater = MetadataUpdater([NODE])
        self.client = self.create_network_client()
        self.client_with_no_exponential_backoff = self.create_network_client(
            reconnect_backoff_max=RECONNECT_BACKOFF_MS)
        self.client_with_static_nodes = self.create_network_client(
            client_id="mock-static", reconnect_backoff_ms=0, reconnect_backoff_max=0)
        self.client_with_no_version_discovery = self.create_network_client(discover_broker_versions=False)

    def create_network_client(
            self, metadata=None, *, selector=None, client_id="mock",
            max_in_flight_requests_per_connection=INT_MAX_VALUE, reconnect_backoff_ms=RECONNECT_BACKOFF_MS,
            reconnect_backoff_max=RECONNECT_BACKOFF_MAX_MS, discover_broker_versions=True,
            metadata_recovery_strategy=MetadataRecoveryStrategy.NONE, **more) -> NetworkClient:
        return NetworkClient(
            selector or self.selector, metadata or self.metadata_updater, client_id,
            max_in_flight_requests_per_connection, reconnect_backoff_ms, reconnect_backoff_max, 64 * 1024,
            64 * 1024, DEFAULT_REQUEST_TIMEOUT_MS, CONNECTION_SETUP_TIMEOUT_MS,
            CONNECTION_SETUP_TIMEOUT_MAX_MS, self.time, discover_broker_versions, ApiVersions(),
            LogContext(), metadata_recovery_strategy, **more)

    def create_network_client_with_no_version_discovery(self, metadata: Metadata) -> NetworkClient:
        return self.create_network_client(metadata, reconnect_backoff_max=0, discover_broker_versions=False)

    def now(self) -> int:
        return self.time.milliseconds()

    def poll(self, timeout: int = 0, client: NetworkClient | None = None) -> list[ClientResponse]:
        return (client or self.client).poll(timeout, self.now())

    def check_simple_request_response(self, network_client: NetworkClient) -> None:
        # Before any request of the test: ApiVersions has correlation id 0.
        self.await_ready(network_client, NODE)
        request_version = PRODUCE.latest_version()
        builder = ProduceRequest.Builder(
            request_version, request_version, ProduceRequestData(acks=1, timeout_ms=1000))
        handler = CallbackHandler()
        request = network_client.new_client_request(
            NODE_ID, builder, self.now(), True, DEFAULT_REQUEST_TIMEOUT_MS, handler)
        network_client.send(request, self.now())
        self.poll(1, network_client)
        assert network_client.in_flight_request_count() == 1
        self.send_response(ProduceResponse(ProduceResponseData()), request_version, request.correlation_id())
        responses = self.poll(1, network_client)
        assert len(responses) == 1
        assert handler.executed
        assert handler.response.has_response()
        assert handler.response.request_header().correlation_id() == request.correlation_id()

    def delayed_api_versions_response(self, correlation_id, version, response, node=NODE) -> None:
        buffer = RequestTestUtils.serialize_response_with_header(response, version, correlation_id)
        self.selector.delayed_receive(
            DelayedReceive(node.id_string(), NetworkReceive(source=node.id_string(), buffer=buffer)))

    def set_expected_api_versions_response(self, response: ApiVersionsResponse) -> None:
        version = response.api_version(ApiKeys.API_VERSIONS.id).max_version
        self.delayed_api_versions_response(0, version, response)

    def await_ready(self, client: NetworkClient, node: Node) -> None:
        if client.discover_broker_versions():
            self.set_expected_api_versions_response(default_api_versions_response(ListenerType.ZK_BROKER))
        for _ in range(1000):
            if client.ready(node, self.now()):
                break
            self.poll(1, client)
        else:
            pytest.fail("the client does not become ready")
        self.selector.clear()

    def produce_builder(self) -> ProduceRequest.Builder:
        return ProduceRequest.for_current_magic(ProduceRequestData(acks=1, timeout_ms=1000))

    def send_empty_produce_request(self, client: NetworkClient | None = None) -> int:
        client = client or self.client
        request = client.new_client_request(NODE_ID, self.produce_builder(), self.now(), True,
                                            DEFAULT_REQUEST_TIMEOUT_MS, CallbackHandler())
        client.send(request, self.now())
        return request.correlation_id()

    def send_response(self, response, version: int, correlation_id: int) -> None:
        buffer = RequestTestUtils.serialize_response_with_header(response, version, correlation_id)
        self.selector.complete_receive(NetworkReceive(source=NODE_ID, buffer=buffer))

    def send_throttled_produce_response(self, correlation_id, throttle_ms, version) -> None:
        self.send_response(ProduceResponse(ProduceResponseData(throttle_time_ms=throttle_ms)), version,
                           correlation_id)

    def await_in_flight_api_version_request(self) -> None:
        self.client.ready(NODE, self.now())
        for _ in range(100):
            self.poll()
            if self.client.has_in_flight_requests_node_id(NODE_ID):
                break
        assert self.client.has_in_flight_requests_node_id(NODE_ID)
        assert not self.client.is_ready(NODE, self.now())

    def updated_metadata(self) -> tuple[Metadata, MetadataResponse]:
        metadata = Metadata(50, 50, 5000, LogContext(), ClusterResourceListeners())
        metadata_response = RequestTestUtils.metadata_update_with(2, {})
        metadata.update_with_current_request_version(metadata_response, False, self.now())
        return metadata, metadata_response


@pytest.fixture
def rig():
    return Rig()


def parse_header(buffer: ByteBuffer) -> RequestHeader:
    buffer.get_int()
    return RequestHeader.parse(buffer.slice())


def test_send_to_unready_node(rig):
    builder = MetadataRequest.Builder.for_topics(["test"], True)
    now = rig.now()
    request = rig.client.new_client_request("5", builder, now, False)
    with pytest.raises(IllegalStateException, match="Attempt to send a request to node 5 which is not ready"):
        rig.client.send(request, now)


def test_simple_request_response(rig):
    rig.check_simple_request_response(rig.client)


def test_simple_request_response_with_static_nodes(rig):
    rig.check_simple_request_response(rig.client_with_static_nodes)


def test_simple_request_response_with_no_broker_discovery(rig):
    rig.check_simple_request_response(rig.client_with_no_version_discovery)


def test_dns_lookup_failure(rig):
    assert not rig.client.ready(Node(1234, "badhost..example", 1234), rig.now())
    assert rig.client.connection_failed(Node(1234, "badhost..example", 1234))


def test_close(rig):
    client = rig.client
    client.ready(NODE, rig.now())
    rig.await_ready(client, NODE)
    rig.poll(1)
    assert client.is_ready(NODE, rig.now())

    rig.send_empty_produce_request()
    assert client.in_flight_request_count_node_id(NODE_ID) == 1
    assert client.has_in_flight_requests_node_id(NODE_ID)
    assert client.has_in_flight_requests()

    client.close_node_id(NODE_ID)
    assert client.in_flight_request_count_node_id(NODE_ID) == 0
    assert not client.has_in_flight_requests_node_id(NODE_ID)
    assert not client.has_in_flight_requests()
    assert not client.is_ready(NODE, 0)
    assert rig.poll() == []


def test_unsupported_version_during_internal_metadata_request(rig):
    # No version below 4 can say that no topic is to be created.
    builder = MetadataRequest.Builder.for_topics(["topic_1"], False, 3)
    rig.client.send_internal_metadata_request(builder, NODE_ID, rig.now())
    assert type(rig.metadata_updater.get_and_clear_failure()) is UnsupportedVersionException


def test_invalid_api_versions_request(rig):
    rig.client.ready(NODE, rig.now())
    rig.poll()
    assert rig.client.has_in_flight_requests_node_id(NODE_ID)

    rig.delayed_api_versions_response(
        0, ApiKeys.API_VERSIONS.latest_version(),
        ApiVersionsResponse(ApiVersionsResponseData(error_code=Errors.INVALID_REQUEST.code)))
    rig.poll()

    assert not rig.client.has_in_flight_requests_node_id(NODE_ID)
    assert not rig.client.is_ready(NODE, rig.now())
    assert rig.client.connection_failed(NODE)


def test_api_versions_request(rig):
    rig.client.ready(NODE, rig.now())
    rig.poll()
    assert rig.client.has_in_flight_requests_node_id(NODE_ID)

    rig.delayed_api_versions_response(
        0, ApiKeys.API_VERSIONS.latest_version(), default_api_versions_response(ListenerType.ZK_BROKER))
    rig.poll()

    assert not rig.client.has_in_flight_requests_node_id(NODE_ID)
    assert rig.client.is_ready(NODE, rig.now())


def assert_api_versions_is_asked_again(rig, api_keys, version):
    """The first request is refused; the second one is in ``version``, and makes the client ready."""
    client, selector = rig.client, rig.selector
    client.ready(NODE, rig.now())
    rig.poll()
    assert client.has_in_flight_requests_node_id(NODE_ID)

    rig.poll()
    assert len(selector.completed_sends()) == 1
    header = parse_header(selector.completed_send_buffers()[0])
    assert (header.api_key(), header.api_version()) == (ApiKeys.API_VERSIONS, 3)

    rig.delayed_api_versions_response(0, 0, ApiVersionsResponse(ApiVersionsResponseData(
        error_code=Errors.UNSUPPORTED_VERSION.code, api_keys=api_keys)))
    rig.poll()
    assert client.has_in_flight_requests_node_id(NODE_ID)
    assert len(selector.completed_receives()) == 1

    selector.completed_sends().clear()
    selector.clear_completed_send_buffers()
    selector.completed_receives().clear()

    rig.poll()
    assert len(selector.completed_sends()) == 1
    header = parse_header(selector.completed_send_buffers()[0])
    assert (header.api_key(), header.api_version()) == (ApiKeys.API_VERSIONS, version)

    rig.delayed_api_versions_response(1, 0, default_api_versions_response(ListenerType.ZK_BROKER))
    rig.poll()

    assert not client.has_in_flight_requests_node_id(NODE_ID)
    assert len(selector.completed_receives()) == 1
    assert client.is_ready(NODE, rig.now())


def test_unsupported_api_versions_request_with_version_provided_by_the_broker(rig):
    assert_api_versions_is_asked_again(
        rig, [ApiVersion(api_key=ApiKeys.API_VERSIONS.id, min_version=0, max_version=2)], 2)


def test_unsupported_api_versions_request_without_version_provided_by_the_broker(rig):
    assert_api_versions_is_asked_again(rig, [], 0)


def test_request_timeout(rig):
    assert_request_timeout(rig, DEFAULT_REQUEST_TIMEOUT_MS + 5000)


def test_default_request_timeout(rig):
    assert_request_timeout(rig, DEFAULT_REQUEST_TIMEOUT_MS)


def assert_request_timeout(rig, request_timeout_ms):
    """A late response ends its request with its connection, and makes the client ask for metadata."""
    metadata, _ = rig.updated_metadata()
    client = rig.create_network_client_with_no_version_discovery(metadata)

    client_response = produce(rig, client, request_timeout_ms, False)
    assert client_response.destination() == NODE_ID
    assert not client_response.was_disconnected()
    assert not client_response.was_timed_out()
    assert not metadata.update_requested()

    client_response = produce(rig, client, request_timeout_ms, True)
    assert client_response.destination() == NODE_ID
    assert client_response.was_disconnected()
    assert client_response.was_timed_out()
    assert metadata.update_requested()


def produce(rig, client, request_timeout_ms, should_emulate_timeout):
    rig.await_ready(client, NODE)
    request = client.new_client_request(NODE_ID, rig.produce_builder(), rig.now(), True, request_timeout_ms,
                                        CallbackHandler())
    client.send(request, rig.now())

    if should_emulate_timeout:
        rig.time.sleep(request_timeout_ms + 1)
    else:
        rig.send_response(ProduceResponse(ProduceResponseData()), PRODUCE.latest_version(),
                          request.correlation_id())

    [response] = rig.poll(0, client)
    return response


def test_connection_setup_timeout(rig):
    # Two: the set of them changes while it is gone through.
    node_0, node_1 = nodes(2)
    rig.client.ready(node_0, rig.now())
    rig.selector.server_connection_blocked(node_0.id_string())

    rig.client.ready(node_1, rig.now())
    rig.selector.server_connection_blocked(node_1.id_string())

    rig.poll()
    assert not rig.client.connection_failed(node_0)

    rig.time.sleep(int(CONNECTION_SETUP_TIMEOUT_MS * 1.2) + 1)
    rig.poll()
    assert rig.client.connection_failed(node_0)
    assert rig.client.connection_failed(node_1)


def test_connection_timeout_after_throttling(rig):
    client = rig.client
    rig.await_ready(client, NODE)
    request_version, timeout_ms = PRODUCE.latest_version(), 1000
    builder = ProduceRequest.Builder(
        request_version, request_version, ProduceRequestData(acks=1, timeout_ms=timeout_ms))
    r1 = client.new_client_request(NODE_ID, builder, rig.now(), True, DEFAULT_REQUEST_TIMEOUT_MS,
                                   CallbackHandler())
    client.send(r1, rig.now())
    rig.poll()

    # For as long as the other request may take.
    response = ProduceResponse(ProduceResponseData(throttle_time_ms=timeout_ms))
    rig.delayed_api_versions_response(r1.correlation_id(), request_version, response)
    r2 = client.new_client_request(NODE_ID, builder, rig.now(), True, DEFAULT_REQUEST_TIMEOUT_MS,
                                   CallbackHandler())
    client.send(r2, rig.now())
    rig.time.sleep(timeout_ms)
    rig.poll()

    assert client.in_flight_request_count_node_id(NODE_ID) == 1
    assert not client.connection_failed(NODE)


def test_connection_throttling(rig):
    client = rig.client
    rig.await_ready(client, NODE)
    correlation_id = rig.send_empty_produce_request()
    rig.poll(1)
    rig.send_throttled_produce_response(correlation_id, 100, PRODUCE.latest_version())
    rig.poll(1)

    assert not client.ready(NODE, rig.now())
    assert client.throttle_delay_ms(NODE, rig.now()) == 100
    assert client.poll_delay_ms(NODE, rig.now()) == 100

    rig.time.sleep(50)
    assert not client.ready(NODE, rig.now())
    assert client.throttle_delay_ms(NODE, rig.now()) == 50

    rig.time.sleep(50)
    assert client.ready(NODE, rig.now())
    assert client.throttle_delay_ms(NODE, rig.now()) == 0


def test_throttling_not_enabled_for_connection_to_older_broker(rig):
    # Up to version 5 of Produce a broker throttles before it answers.
    versions = [ApiVersion(api_key=api_key.id, min_version=0, max_version=5) if api_key is PRODUCE
                else ApiVersionsResponse.to_api_version(api_key) for api_key in ApiKeys.values()]
    rig.set_expected_api_versions_response(ApiVersionsResponse(ApiVersionsResponseData(api_keys=versions)))
    while not rig.client.ready(NODE, rig.now()):
        rig.poll(1)
    rig.selector.clear()

    correlation_id = rig.send_empty_produce_request()
    rig.poll(1)

    rig.send_throttled_produce_response(correlation_id, 100, 5)
    assert len(rig.poll(1)) == 1

    assert rig.client.ready(NODE, rig.now())
    assert rig.client.throttle_delay_ms(NODE, rig.now()) == 0


def test_least_loaded_node(rig):
    client = rig.client
    client.ready(NODE, rig.now())
    assert not client.is_ready(NODE, rig.now())
    least_loaded_node = client.least_loaded_node(rig.now())
    assert least_loaded_node.node() == NODE
    assert least_loaded_node.has_node_available_or_connection_ready()

    rig.await_ready(client, NODE)
    rig.poll(1)
    assert client.is_ready(NODE, rig.now())

    least_loaded_node = client.least_loaded_node(rig.now())
    assert least_loaded_node.has_node_available_or_connection_ready()
    assert least_loaded_node.node().id() == NODE.id()

    rig.time.sleep(RECONNECT_BACKOFF_MS)

    rig.selector.server_disconnect(NODE_ID)

    rig.poll(1)
    assert not client.ready(NODE, rig.now())
    least_loaded_node = client.least_loaded_node(rig.now())
    assert not least_loaded_node.has_node_available_or_connection_ready()
    assert least_loaded_node.node() is None


def test_has_node_available_or_connection_ready(rig):
    client = rig.create_network_client(max_in_flight_requests_per_connection=1)
    rig.await_ready(client, NODE)

    now = rig.now()
    least_loaded_node = client.least_loaded_node(now)
    assert least_loaded_node.node() == NODE
    assert least_loaded_node.has_node_available_or_connection_ready()

    builder = MetadataRequest.Builder.for_topics([], True)
    client.send(client.new_client_request(NODE_ID, builder, now, True), now)
    client.poll(DEFAULT_REQUEST_TIMEOUT_MS, now)

    least_loaded_node = client.least_loaded_node(now)
    assert least_loaded_node.node() is None
    assert least_loaded_node.has_node_available_or_connection_ready()


def test_least_loaded_node_provide_disconnected_nodes_prioritized_by_last_connection_timestamp(rig):
    node_number = 3
    client = rig.create_network_client(MetadataUpdater(nodes(node_number)), reconnect_backoff_max=0)

    provided_node_ids = set()
    for i in range(node_number * 10):
        node = client.least_loaded_node(rig.now()).node()
        assert node is not None
        provided_node_ids.add(node)
        client.ready(node, rig.now())
        client.disconnect(node.id_string())
        rig.time.sleep(CONNECTION_SETUP_TIMEOUT_MS + 1)
        rig.poll(0, client)
        # Each node comes once a round.
        if (i + 1) % node_number == 0:
            assert len(provided_node_ids) == node_number
            provided_node_ids.clear()


def test_authentication_failure_with_in_flight_metadata_request(rig):
    metadata, metadata_response = rig.updated_metadata()
    cluster = metadata.fetch()
    node_1, node_2 = cluster.nodes()

    client = rig.create_network_client_with_no_version_discovery(metadata)

    rig.await_ready(client, node_1)

    metadata.request_update(True)
    rig.time.sleep(50)

    rig.poll(0, client)

    assert [node for node in cluster.nodes()
            if client.has_in_flight_requests_node_id(node.id_string())] == [node_1]

    assert not client.ready(node_2, rig.now())
    rig.selector.server_authentication_failed(node_2.id_string())
    rig.poll(0, client)
    assert client.authentication_exception(node_2) is not None

    header = parse_header(rig.selector.completed_send_buffers()[0])
    assert header.api_key() is ApiKeys.METADATA

    rig.delayed_api_versions_response(
        header.correlation_id(), header.api_version(), metadata_response, node_1)

    initial_update_version = metadata.update_version()
    rig.poll(0, client)
    assert metadata.update_version() == initial_update_version + 1


def test_least_loaded_node_considers_throttled_connections(rig):
    client = rig.client
    client.ready(NODE, rig.now())
    rig.await_ready(client, NODE)
    rig.poll(1)
    assert client.is_ready(NODE, rig.now())

    correlation_id = rig.send_empty_produce_request()
    rig.poll(1)

    rig.send_throttled_produce_response(correlation_id, 100, PRODUCE.latest_version())
    rig.poll(1)

    assert client.least_loaded_node(rig.now()).node() is None


def test_connection_delay_with_no_exponential_backoff(rig):
    assert rig.client_with_no_exponential_backoff.connection_delay(NODE, rig.now()) == 0


def test_connection_delay_connected_with_no_exponential_backoff(rig):
    rig.await_ready(rig.client_with_no_exponential_backoff, NODE)
    assert rig.client_with_no_exponential_backoff.connection_delay(NODE, rig.now()) == LONG_MAX_VALUE


def test_connection_delay_disconnected_with_no_exponential_backoff(rig):
    client = rig.client_with_no_exponential_backoff
    rig.await_ready(client, NODE)

    rig.selector.server_disconnect(NODE_ID)
    rig.poll(DEFAULT_REQUEST_TIMEOUT_MS, client)
    assert client.connection_delay(NODE, rig.now()) == RECONNECT_BACKOFF_MS

    rig.time.sleep(RECONNECT_BACKOFF_MS)
    assert client.connection_delay(NODE, rig.now()) == 0

    # The second failure waits no longer. The origin asks another client here, and compares an old value.
    client.ready(NODE, rig.now())
    rig.selector.server_disconnect(NODE_ID)
    rig.poll(DEFAULT_REQUEST_TIMEOUT_MS, client)
    assert client.connection_delay(NODE, rig.now()) == RECONNECT_BACKOFF_MS


def test_connection_delay(rig):
    assert rig.client.connection_delay(NODE, rig.now()) == 0


def test_connection_delay_connected(rig):
    rig.await_ready(rig.client, NODE)
    assert rig.client.connection_delay(NODE, rig.now()) == LONG_MAX_VALUE


def test_connection_delay_disconnected(rig):
    client = rig.client
    rig.await_ready(client, NODE)

    rig.selector.server_disconnect(NODE_ID)
    rig.poll(DEFAULT_REQUEST_TIMEOUT_MS)
    delay = client.connection_delay(NODE, rig.now())
    assert delay == pytest.approx(RECONNECT_BACKOFF_MS, abs=RECONNECT_BACKOFF_MS * 0.3)

    rig.time.sleep(delay)
    assert client.connection_delay(NODE, rig.now()) == 0

    # It fails before it is there, and the wait doubles.
    client.ready(NODE, rig.now())
    rig.selector.server_disconnect(NODE_ID)
    rig.poll(DEFAULT_REQUEST_TIMEOUT_MS)
    expected_delay = delay * 2
    assert client.connection_delay(NODE, rig.now()) == pytest.approx(expected_delay, abs=expected_delay * 0.6)


def test_disconnect_during_user_metadata_request(rig):
    # The request is the caller's, and so is its end: the metadata updater does not get it.
    client = rig.client
    rig.await_ready(client, NODE)

    builder = MetadataRequest.Builder.for_topics([], True)
    now = rig.now()
    client.send(client.new_client_request(NODE_ID, builder, now, True), now)
    client.poll(DEFAULT_REQUEST_TIMEOUT_MS, now)
    assert client.in_flight_request_count_node_id(NODE_ID) == 1
    assert client.has_in_flight_requests_node_id(NODE_ID)
    assert client.has_in_flight_requests()

    rig.selector.close_id(NODE_ID)
    [response] = rig.poll(DEFAULT_REQUEST_TIMEOUT_MS)
    assert response.was_disconnected()


def test_server_disconnect_after_internal_api_version_request(rig):
    num_iterations = 5
    reconnect_backoff_max_exp = (math.log(RECONNECT_BACKOFF_MAX_MS / max(RECONNECT_BACKOFF_MS, 1))
                                 / math.log(RECONNECT_BACKOFF_EXP_BASE))
    for i in range(num_iterations):
        rig.selector.clear()
        rig.await_in_flight_api_version_request()
        rig.selector.server_disconnect(NODE_ID)

        # The request was the client's own.
        responses = rig.poll()
        assert not rig.client.has_in_flight_requests_node_id(NODE_ID)
        assert responses == []

        expected_backoff = round(
            RECONNECT_BACKOFF_EXP_BASE ** min(i, reconnect_backoff_max_exp) * RECONNECT_BACKOFF_MS)
        delay = rig.client.connection_delay(NODE, rig.now())
        assert delay == pytest.approx(expected_backoff, abs=RECONNECT_BACKOFF_JITTER * expected_backoff)
        rig.time.sleep(delay + 1)


def test_client_disconnect_after_internal_api_version_request(rig):
    rig.await_in_flight_api_version_request()
    rig.client.disconnect(NODE_ID)
    assert not rig.client.has_in_flight_requests_node_id(NODE_ID)

    # The request was the client's own.
    assert rig.poll() == []


def test_disconnect_with_multiple_in_flights(rig):
    client = rig.client_with_no_version_discovery
    rig.await_ready(client, NODE)
    assert client.is_ready(NODE, rig.now())

    builder = MetadataRequest.Builder.for_topics([], True)
    now = rig.now()

    callback_responses: list[ClientResponse] = []
    callback = RequestCompletionHandler.of(callback_responses.append)

    request_1 = client.new_client_request(NODE_ID, builder, now, True, DEFAULT_REQUEST_TIMEOUT_MS, callback)
    client.send(request_1, now)
    client.poll(0, now)

    request_2 = client.new_client_request(NODE_ID, builder, now, True, DEFAULT_REQUEST_TIMEOUT_MS, callback)
    client.send(request_2, now)
    client.poll(0, now)

    assert request_1.correlation_id() != request_2.correlation_id()

    assert client.in_flight_request_count() == 2
    assert client.in_flight_request_count_node_id(NODE_ID) == 2

    client.disconnect(NODE_ID)

    responses = rig.poll(0, client)
    assert len(responses) == 2
    assert callback_responses == responses
    assert client.in_flight_request_count() == 0
    assert client.in_flight_request_count_node_id(NODE_ID) == 0

    # In the order in which they were sent.
    assert all(response.was_disconnected() and not response.was_timed_out() for response in responses)
    assert [response.request_header().correlation_id() for response in responses] == [
        request_1.correlation_id(), request_2.correlation_id()]


def test_call_disconnect(rig):
    client = rig.client
    rig.await_ready(client, NODE)
    assert client.is_ready(NODE, rig.now())
    assert not client.connection_failed(NODE)
    client.disconnect(NODE_ID)
    assert not client.is_ready(NODE, rig.now())
    assert client.connection_failed(NODE)
    assert not client.can_connect(NODE, rig.now())

    # A second call does not begin the backoff anew.
    rig.time.sleep(RECONNECT_BACKOFF_MAX_MS)
    assert client.can_connect(NODE, rig.now())
    client.disconnect(NODE_ID)
    assert client.can_connect(NODE, rig.now())


def test_correlation_id(rig):
    count = 100
    ids = {rig.client._next_correlation_id() for _ in range(count)}
    assert len(ids) == count
    assert all(id_ < SaslClientAuthenticator.MIN_RESERVED_CORRELATION_ID for id_ in ids)


class Connections:
    """Counts attempts to connect to old and new addresses, and says which succeed."""

    def __init__(self, rig, accepts):
        self.initial = self.new = 0
        self._accepts = accepts
        self.host_resolver = AddressChangeHostResolver(INITIAL_ADDRESSES, NEW_ADDRESSES)
        self.rig = rig
        self.selector = MockSelector(rig.time, self.can_connect)
        self.sender = Mock(ClientTelemetrySender)
        self.sender.time_to_next_update.return_value = 0
        self.client = rig.create_network_client(
            selector=self.selector, discover_broker_versions=False, host_resolver=self.host_resolver,
            client_telemetry_sender=self.sender)

    def can_connect(self, address):
        if address.get_address() in INITIAL_ADDRESSES:
            self.initial += 1
        elif address.get_address() in NEW_ADDRESSES:
            self.new += 1
        return self._accepts(self, address.get_address())

    def connect(self, ready):
        self.client.ready(NODE, self.rig.now())
        self.rig.time.sleep(CONNECTION_SETUP_TIMEOUT_MAX_MS)
        self.rig.poll(0, self.client)
        assert self.client.is_ready(NODE, self.rig.now()) is ready
        # Telemetry comes before new connections in a poll.
        assert self.client.telemetry_connected_node() is None

    def poll_with_telemetry(self):
        self.sender.create_request.return_value = None
        self.rig.poll(0, self.client)
        assert self.client.telemetry_connected_node() == NODE

    def disconnect(self):
        self.host_resolver.change_addresses()
        self.selector.server_disconnect(NODE_ID)
        self.rig.poll(0, self.client)
        assert not self.client.is_ready(NODE, self.rig.now())
        assert self.client.telemetry_connected_node() is None


def test_reconnect_after_address_change(rig):
    connections = Connections(rig, lambda self, address: (
        address in NEW_ADDRESSES if self.host_resolver.use_new_addresses() else address in INITIAL_ADDRESSES))

    connections.connect(True)
    connections.poll_with_telemetry()
    connections.disconnect()

    rig.time.sleep(RECONNECT_BACKOFF_MAX_MS)
    connections.connect(True)
    connections.poll_with_telemetry()

    assert (connections.initial, connections.new) == (1, 1)
    assert connections.host_resolver.resolution_count() == 2
    assert connections.sender.time_to_next_update.call_count == 5


def test_failed_connection_to_first_address(rig):
    connections = Connections(rig, lambda self, address: self.initial > 1)

    connections.connect(False)

    rig.time.sleep(RECONNECT_BACKOFF_MAX_MS)
    connections.connect(True)
    connections.poll_with_telemetry()

    # Two of the addresses of one look-up.
    assert (connections.initial, connections.new) == (2, 0)
    assert connections.host_resolver.resolution_count() == 1
    assert connections.sender.time_to_next_update.call_count == 3


def test_failed_connection_to_first_address_after_reconnect(rig):
    connections = Connections(rig, lambda self, address: address in INITIAL_ADDRESSES or self.new > 1)

    connections.connect(True)
    connections.poll_with_telemetry()
    connections.disconnect()

    rig.time.sleep(RECONNECT_BACKOFF_MAX_MS)
    connections.connect(False)

    rig.time.sleep(RECONNECT_BACKOFF_MAX_MS)
    connections.connect(True)
    connections.poll_with_telemetry()

    assert (connections.initial, connections.new) == (1, 2)
    assert connections.host_resolver.resolution_count() == 2
    assert connections.sender.time_to_next_update.call_count == 6


def test_close_connecting_node(rig):
    client = rig.client
    node_0, node_1 = nodes(2)
    client.ready(node_0, rig.now())
    rig.selector.server_connection_blocked(node_0.id_string())
    rig.poll(1)
    client.close_node_id(node_0.id_string())

    rig.poll()
    assert not NetworkClientUtils.is_ready(client, node_0, rig.now())
    assert not NetworkClientUtils.is_ready(client, node_1, rig.now())

    # Another node, then the one that was closed.
    for correlation_id, node in enumerate((node_1, node_0)):
        client.ready(node, rig.now())
        rig.delayed_api_versions_response(
            correlation_id, ApiKeys.API_VERSIONS.latest_version(),
            default_api_versions_response(ListenerType.ZK_BROKER), node)
        while not client.ready(node, rig.now()):
            rig.poll(1)
        assert client.is_ready(node, rig.now())
        rig.selector.clear()


def test_connection_does_not_remain_stuck_in_checking_api_versions_state_if_channel_never_becomes_ready(rig):
    client = rig.client
    client.ready(NODE, rig.now())
    rig.selector.channel_not_ready(NODE_ID)

    rig.poll()
    assert not NetworkClientUtils.is_ready(client, NODE, rig.now())

    rig.time.sleep(int(CONNECTION_SETUP_TIMEOUT_MS * 1.2) + 1)
    rig.poll()
    assert client.connection_failed(NODE)


def test_telemetry_request(rig):
    sender = Mock(ClientTelemetrySender)
    sender.time_to_next_update.return_value = 0

    client = rig.create_network_client(client_telemetry_sender=sender)

    client.ready(NODE, rig.now())
    rig.poll(0, client)
    assert client.telemetry_connected_node() is None
    assert client.has_in_flight_requests_node_id(NODE_ID)
    rig.delayed_api_versions_response(
        0, ApiKeys.API_VERSIONS.latest_version(), default_api_versions_response(ListenerType.BROKER))
    rig.poll(0, client)
    assert not client.has_in_flight_requests_node_id(NODE_ID)
    rig.selector.clear()

    sender.create_request.return_value = GetTelemetrySubscriptionsRequest.Builder(
        GetTelemetrySubscriptionsRequestData(), True)
    rig.send_response(GetTelemetrySubscriptionsResponse(GetTelemetrySubscriptionsResponseData()),
                      ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS.latest_version(), 1)

    rig.poll(0, client)
    assert client.is_ready(NODE, rig.now())
    assert client.telemetry_connected_node() == NODE
    [call] = sender.handle_response.call_args_list
    assert isinstance(call.args[0], GetTelemetrySubscriptionsResponse)
    rig.selector.clear()

    sender.create_request.return_value = PushTelemetryRequest.Builder(PushTelemetryRequestData(), True)
    rig.send_response(PushTelemetryResponse(PushTelemetryResponseData()),
                      ApiKeys.PUSH_TELEMETRY.latest_version(), 2)

    rig.poll(0, client)
    assert client.is_ready(NODE, rig.now())
    assert client.telemetry_connected_node() == NODE
    [call] = sender.handle_response_push.call_args_list
    assert isinstance(call.args[0], PushTelemetryResponse)
    assert sender.time_to_next_update.call_count == 4
    assert sender.create_request.call_count == 2


# Not in the origin's suite.

@pytest.mark.parametrize(("api_key", "builder", "failed"), [
    (ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS,
     GetTelemetrySubscriptionsRequest.Builder(GetTelemetrySubscriptionsRequestData(), True),
     "handle_failed_get_telemetry_subscriptions_request"),
    (ApiKeys.PUSH_TELEMETRY, PushTelemetryRequest.Builder(PushTelemetryRequestData(), True),
     "handle_failed_push_telemetry_request"),
])
def test_telemetry_fails_with_its_connection_or_for_want_of_a_version(rig, api_key, builder, failed):
    sender = Mock(ClientTelemetrySender)
    sender.time_to_next_update.return_value = DEFAULT_REQUEST_TIMEOUT_MS
    client = rig.create_network_client(client_telemetry_sender=sender)
    rig.await_ready(client, NODE)
    sender.time_to_next_update.return_value = 0
    sender.create_request.return_value = builder
    # The versions of a ZooKeeper broker have no telemetry.
    rig.poll(0, client)
    [call] = getattr(sender, failed).call_args_list
    assert isinstance(call.args[0], UnsupportedVersionException)

    client = rig.create_network_client(client_telemetry_sender=sender, discover_broker_versions=False)
    sender.time_to_next_update.return_value = DEFAULT_REQUEST_TIMEOUT_MS
    rig.await_ready(client, NODE)
    sender.time_to_next_update.return_value = 0
    rig.poll(0, client)
    assert client.has_in_flight_requests()
    client.disconnect(NODE_ID)
    assert getattr(sender, failed).call_args.args == (None,)
    sender.close.side_effect = OSError("no way")
    client.close()
    assert sender.close.call_count == 1


def test_correlation_ids_leave_out_those_of_sasl(rig):
    rig.client._correlation = SaslClientAuthenticator.MIN_RESERVED_CORRELATION_ID - 1
    assert rig.client._next_correlation_id() == SaslClientAuthenticator.MIN_RESERVED_CORRELATION_ID - 1
    assert rig.client._next_correlation_id() == -(1 << 31)
    assert rig.client._next_correlation_id() == -(1 << 31) + 1


def test_a_client_needs_metadata(rig):
    with pytest.raises(IllegalArgumentException, match="`metadata` must not be null"):
        NetworkClient(rig.selector, None, "mock", 1, 1, 1, 1, 1, 1, 1, 1, rig.time, True, ApiVersions(),
                      LogContext(), MetadataRecoveryStrategy.NONE)


def test_a_node_without_an_address_is_refused(rig):
    with pytest.raises(IllegalArgumentException, match="Cannot connect to empty node"):
        rig.client.ready(Node.no_node(), rig.now())
    with pytest.raises(IllegalStateException, match="There are no nodes in the Kafka cluster"):
        rig.create_network_client(MetadataUpdater([])).least_loaded_node(rig.now())


def test_a_closing_client_does_no_more(rig):
    rig.client.initiate_close()
    rig.client.initiate_close()
    assert rig.selector.woken == 1
    assert not rig.client.active()
    with pytest.raises(DisconnectException) as raised:
        rig.poll()
    assert str(raised.value) == "NetworkClient is no longer active, state is CLOSING"
    rig.client.close()
    rig.client.close()
    assert rig.selector.closed == 1
    with pytest.raises(DisconnectException, match="state is CLOSED"):
        rig.send_empty_produce_request()


def test_a_callback_that_raises_does_not_stop_the_others(rig, caplog):
    client = rig.client_with_no_version_discovery
    rig.await_ready(client, NODE)
    handler = CallbackHandler()

    def fail(response):
        raise ValueError("a callback")

    for callback in (RequestCompletionHandler.of(fail), handler):
        request = client.new_client_request(NODE_ID, rig.produce_builder(), rig.now(), True,
                                            DEFAULT_REQUEST_TIMEOUT_MS, callback)
        client.send(request, rig.now())
        rig.poll(0, client)
    client.disconnect(NODE_ID)
    assert len(rig.poll(0, client)) == 2
    assert handler.executed
    assert [record for record in caplog.records if record.levelno == logging.ERROR]


def test_a_selector_that_fails_does_not_stop_the_client(rig, caplog):
    rig.selector.failure = OSError("no descriptors")
    assert rig.poll() == []
    assert [record for record in caplog.records if record.levelno == logging.ERROR]


def test_a_request_without_a_response_is_complete_when_it_is_written(rig):
    rig.await_ready(rig.client, NODE)
    handler = CallbackHandler()
    builder = ProduceRequest.for_current_magic(ProduceRequestData(acks=0, timeout_ms=1000))
    request = rig.client.new_client_request(NODE_ID, builder, rig.now(), False, 1000, handler)
    rig.client.send(request, rig.now())
    assert rig.client.has_in_flight_requests()
    assert not rig.client.ready(NODE, rig.now())
    rig.poll()
    assert handler.executed and not handler.response.has_response()
    assert not handler.response.was_disconnected()
    assert not rig.client.has_in_flight_requests()


def test_a_request_that_no_version_can_say_is_not_sent(rig):
    rig.await_ready(rig.client, NODE)
    builder = MetadataRequest.Builder.for_topics(["topic_1"], False, 3)
    rig.client.send(rig.client.new_client_request(NODE_ID, builder, rig.now(), True), rig.now())
    assert not rig.client.has_in_flight_requests()
    [response] = rig.poll()
    assert isinstance(response.version_mismatch(), UnsupportedVersionException)
    assert not response.was_disconnected()


def assert_the_connection_is_closed(rig, client, sent, caplog):
    """All requests in flight end as disconnected, in their order; the next connection is a new one."""
    responses = rig.poll(0, client)
    assert [response.request_header().correlation_id() for response in responses] == sent
    assert all(response.was_disconnected() for response in responses)
    assert client.connection_failed(NODE) and not client.has_in_flight_requests()
    assert client.in_flight_request_count() == 0
    assert not rig.selector.is_channel_ready(NODE_ID)
    assert [record for record in caplog.records if record.levelno == logging.ERROR]


@pytest.mark.parametrize("fault", ["another's", "cut short", "garbage"])
def test_what_is_no_response_to_the_oldest_request_closes_the_connection(rig, caplog, fault):
    client = rig.client_with_no_version_discovery
    rig.await_ready(client, NODE)
    sent = []
    for _ in range(2):
        sent.append(rig.send_empty_produce_request(client))
        rig.poll(0, client)
    whole = RequestTestUtils.serialize_response_with_header(
        ProduceResponse(ProduceResponseData()), PRODUCE.latest_version(), sent[0]).to_bytes()
    buffer = {"another's": b"\0\0\0\x7f" + whole[4:], "cut short": whole[:-1],
              "garbage": whole[:4] + b"\xff" * 40}[fault]
    rig.selector.complete_receive(NetworkReceive(source=NODE_ID, buffer=ByteBuffer.wrap(buffer)))
    assert_the_connection_is_closed(rig, client, sent, caplog)


@pytest.mark.deviation("D311")
def test_a_response_that_nobody_waits_for_closes_the_connection(rig, caplog):
    client = rig.client_with_no_version_discovery
    rig.await_ready(client, NODE)
    rig.send_throttled_produce_response(0, 0, PRODUCE.latest_version())
    assert_the_connection_is_closed(rig, client, [], caplog)


@pytest.mark.deviation("D311")
def test_metadata_that_cannot_be_read_are_asked_for_again(rig):
    metadata, metadata_response = rig.updated_metadata()
    client = rig.create_network_client_with_no_version_discovery(metadata)
    rig.await_ready(client, NODE)
    metadata.request_update(True)
    rig.time.sleep(50)
    header = sent_metadata_request(rig, client)
    rig.selector.complete_receive(NetworkReceive(
        source=NODE_ID, buffer=ByteBuffer.wrap(header.correlation_id().to_bytes(4, "big") + b"\xff" * 40)))
    assert rig.poll(0, client) == []
    rig.selector.clear()
    rig.time.sleep(RECONNECT_BACKOFF_MS)
    for _ in range(10):
        rig.poll(0, client)
        if rig.selector.completed_sends():
            break
    [buffer] = rig.selector.completed_send_buffers()
    again = parse_header(buffer)
    assert again.api_key() is ApiKeys.METADATA
    version = metadata.update_version()
    rig.selector.complete_receive(NetworkReceive(
        source=rig.selector.completed_sends()[0].destination_id(),
        buffer=RequestTestUtils.serialize_response_with_header(
            metadata_response, again.api_version(), again.correlation_id())))
    rig.poll(0, client)
    assert metadata.update_version() == version + 1


def test_a_response_that_is_cut_short_or_none_of_sasl_does_not_fit_its_schema(rig):
    header = RequestHeader.of(PRODUCE, 3, "mock", 5)
    whole = RequestTestUtils.serialize_response_with_header(
        ProduceResponse(ProduceResponseData(throttle_time_ms=1)), 3, 5)
    assert NetworkClient.parse_response(whole.duplicate(), header).throttle_time_ms() == 1
    with pytest.raises(SchemaException, match="Buffer underflow"):
        NetworkClient.parse_response(ByteBuffer.wrap(whole.to_bytes()[:-1]), header)
    with pytest.raises(SchemaException, match="The response is unrelated to Sasl request"):
        NetworkClient.parse_response(whole.duplicate(), RequestHeader.of(PRODUCE, 3, "mock", INT_MAX_VALUE))


def test_the_sensor_gets_each_throttle_time(rig):
    metrics = Metrics()
    sensor = metrics.sensor("throttle")
    name = metrics.metric_name("max", "group")
    sensor.add(name, Max())
    client = rig.create_network_client(discover_broker_versions=False, throttle_time_sensor=sensor)
    rig.await_ready(client, NODE)
    correlation_id = rig.send_empty_produce_request(client)
    rig.poll(1, client)
    rig.send_throttled_produce_response(correlation_id, 17, PRODUCE.latest_version())
    rig.poll(1, client)
    assert metrics.metric(name).metric_value() == 17
    metrics.close()


@pytest.mark.parametrize(("state", "level"), [
    (ChannelState.NOT_CONNECTED, logging.WARNING),
    (ChannelState.AUTHENTICATE, logging.WARNING),
    (ChannelState(ChannelState.State.AUTHENTICATION_FAILED, SaslAuthenticationException("no"), "there"),
     logging.ERROR),
    (ChannelState.READY, logging.INFO),
])
def test_a_lost_connection_is_logged_by_its_state(rig, caplog, state, level):
    caplog.set_level(logging.INFO)
    rig.client.ready(NODE, rig.now())
    rig.selector.disconnected()[NODE_ID] = state
    rig.poll()
    assert max(record.levelno for record in caplog.records) == level
    assert rig.client.authentication_exception(NODE) is state.exception()
    assert rig.metadata_updater.get_and_clear_failure() is state.exception()


def sent_metadata_request(rig, client) -> RequestHeader:
    """Have the client send what is due; return the header of its metadata request."""
    rig.selector.clear()
    rig.poll(0, client)
    rig.poll(0, client)
    header = parse_header(rig.selector.completed_send_buffers()[-1])
    assert header.api_key() is ApiKeys.METADATA
    return header


def test_metadata_that_no_version_can_ask_for_are_a_fatal_error(rig):
    metadata, _ = rig.updated_metadata()
    client = rig.create_network_client_with_no_version_discovery(metadata)
    builder = MetadataRequest.Builder.for_topics(["topic_1"], False, 3)
    client.send_internal_metadata_request(builder, NODE_ID, rig.now())
    with pytest.raises(UnsupportedVersionException):
        metadata.maybe_throw_any_exception()
    # A disconnection is none.
    rig.await_ready(client, NODE)
    metadata.request_update(True)
    rig.time.sleep(100)
    sent_metadata_request(rig, client)
    client.disconnect(NODE_ID)
    metadata.maybe_throw_any_exception()
    assert metadata.update_requested()


@pytest.mark.deviation("D298")
def test_metadata_that_cannot_be_asked_for_are_asked_for_again(rig):
    metadata, _ = rig.updated_metadata()
    client = rig.create_network_client_with_no_version_discovery(metadata)
    rig.await_ready(client, NODE)
    metadata.new_metadata_request_builder = lambda: MetadataRequest.Builder.for_topics(["topic_1"], False, 3)
    metadata.request_update(True)
    rig.time.sleep(100)
    rig.selector.clear()
    rig.poll(0, client)
    assert not rig.selector.completed_sends()
    with pytest.raises(UnsupportedVersionException):
        metadata.maybe_throw_any_exception()
    del metadata.new_metadata_request_builder
    rig.time.sleep(1000)
    sent_metadata_request(rig, client)


def test_the_errors_of_topics_are_logged_as_java_prints_them(rig, caplog):
    metadata, _ = rig.updated_metadata()
    client = rig.create_network_client(metadata)
    rig.await_ready(client, NODE)
    metadata.request_update(True)
    rig.time.sleep(100)
    header = sent_metadata_request(rig, client)
    rig.selector.clear()
    rig.send_response(RequestTestUtils.metadata_update_with(
        1, {}, topic_errors={"bad": Errors.TOPIC_AUTHORIZATION_FAILED}), header.api_version(),
        header.correlation_id())
    rig.poll(0, client)
    assert any(message.endswith("is answered with errors: {bad=TOPIC_AUTHORIZATION_FAILED}")
               for message in caplog.messages)


@pytest.mark.parametrize("level", [5, logging.DEBUG, logging.INFO])
def test_what_a_client_logs_can_be_printed(rig, caplog, level):
    """A line whose arguments do not fit its text fails the test."""
    caplog.set_level(level)
    metadata, _ = rig.updated_metadata()
    client = rig.create_network_client(metadata, max_in_flight_requests_per_connection=1)
    client.least_loaded_node(rig.now())
    rig.await_ready(client, NODE)
    metadata.request_update(True)
    rig.time.sleep(100)
    header = sent_metadata_request(rig, client)
    client.least_loaded_node(rig.now())
    rig.selector.clear()
    rig.send_response(RequestTestUtils.metadata_update_with(2, {}), header.api_version(),
                      header.correlation_id())
    rig.poll(0, client)
    rig.selector.clear()
    correlation_id = rig.send_empty_produce_request(client)
    rig.poll(0, client)
    rig.selector.clear()
    rig.send_throttled_produce_response(correlation_id, 10, PRODUCE.latest_version())
    assert len(rig.poll(0, client)) == 1
    client.least_loaded_node(rig.now())
    rig.time.sleep(10)
    rig.selector.clear()
    rig.send_empty_produce_request(client)
    rig.time.sleep(DEFAULT_REQUEST_TIMEOUT_MS + 1)
    [response] = rig.poll(0, client)
    assert response.was_timed_out()
    client.disconnect(NODE_ID)
    client.ready(Node(1234, "badhost..example", 1234), rig.now())
    client.least_loaded_node(rig.now())
    client.close_node_id(NODE_ID)
    client.close()
    assert caplog.records and {record.levelno for record in caplog.records} >= {
        at for at in (5, logging.DEBUG, logging.INFO) if at >= level}
    assert all(record.getMessage() for record in caplog.records)


def test_metadata_without_a_broker_are_asked_for_again(rig):
    metadata, _ = rig.updated_metadata()
    client = rig.create_network_client_with_no_version_discovery(metadata)
    rig.await_ready(client, NODE)
    metadata.request_update(True)
    rig.time.sleep(50)
    assert not client.is_ready(NODE, rig.now())
    header = sent_metadata_request(rig, client)
    version = metadata.update_version()
    rig.send_response(MetadataResponse(MetadataResponseData(), header.api_version()), header.api_version(),
                      header.correlation_id())
    assert rig.poll(0, client) == []
    assert metadata.update_version() == version
    assert metadata.update_requested()


def test_partitions_whose_leader_has_no_listener_are_logged(rig, caplog):
    def without_listener(error, *rest):
        return MetadataResponse.PartitionMetadata(Errors.LISTENER_NOT_FOUND, *rest)

    metadata, _ = rig.updated_metadata()
    client = rig.create_network_client_with_no_version_discovery(metadata)
    rig.await_ready(client, NODE)
    metadata.request_update(True)
    rig.time.sleep(50)
    header = sent_metadata_request(rig, client)
    response = RequestTestUtils.metadata_update_with(
        2, {"topic": 12}, partition_supplier=without_listener,
        topic_errors={"other": Errors.UNKNOWN_TOPIC_OR_PARTITION})
    rig.send_response(response, header.api_version(), header.correlation_id())
    rig.poll(0, client)
    assert str(TopicPartition("topic", 9)) in caplog.text
    assert str(TopicPartition("topic", 10)) not in caplog.text
    assert "UNKNOWN_TOPIC_OR_PARTITION" in caplog.text


@pytest.mark.parametrize("strategy", list(MetadataRecoveryStrategy))
def test_a_client_without_nodes_begins_again_if_it_shall(rig, strategy):
    metadata, _ = rig.updated_metadata()
    metadata.rebootstrap = Mock()
    client = rig.create_network_client(metadata, metadata_recovery_strategy=strategy)
    for node in metadata.fetch().nodes():
        client.ready(node, rig.now())
        client.disconnect(node.id_string())
    metadata.request_update(True)
    rig.time.sleep(100)
    rig.poll(0, client)
    assert metadata.rebootstrap.called is (strategy is MetadataRecoveryStrategy.REBOOTSTRAP)


class Answers(NetworkClient):
    """The client for NetworkClientUtils, without a network."""

    def __init__(self, responses=(), ready=False, failed=False, exception=None):
        self.responses, self._ready, self.failed, self.exception = list(responses), ready, failed, exception
        self.is_active = True

    def send(self, request, now):
        pass

    def poll(self, timeout, now):
        if not self.responses:
            self.is_active = False
            return []
        response = self.responses.pop(0)
        if isinstance(response, Exception):
            raise response
        return [response]

    def active(self):
        return self.is_active

    def is_ready(self, node, now):
        return self._ready

    def ready(self, node, now):
        return self._ready

    def connection_failed(self, node):
        return self.failed

    def connection_delay(self, node, now):
        return 1

    def authentication_exception(self, node):
        return self.exception


def test_await_ready_waits_until_its_timeout(rig):
    client = rig.create_network_client(discover_broker_versions=False)
    assert NetworkClientUtils.await_ready(client, NODE, rig.time, 1000)
    assert NetworkClientUtils.await_ready(client, NODE, rig.time, 0)
    other = Node(7, "localhost", 1)
    start = rig.now()
    client.ready(other, start)
    rig.selector.channel_not_ready("7")
    assert not NetworkClientUtils.await_ready(client, other, rig.time, 3000)
    assert rig.now() == start + 3000
    with pytest.raises(IllegalArgumentException):
        NetworkClientUtils.await_ready(client, NODE, rig.time, -1)


def test_await_ready_raises_what_ends_the_connection(rig):
    with pytest.raises(OSError, match=r"Connection to localhost:1969 \(id: 0 rack: null\) failed."):
        NetworkClientUtils.await_ready(Answers(failed=True), NODE, rig.time, 10)
    refused = Answers(exception=SaslAuthenticationException("no"))
    with pytest.raises(SaslAuthenticationException):
        NetworkClientUtils.await_ready(refused, NODE, rig.time, 10)
    assert NetworkClientUtils.is_unavailable(Answers(failed=True), NODE, rig.time)
    assert not NetworkClientUtils.is_unavailable(Answers(), NODE, rig.time)
    NetworkClientUtils.maybe_throw_auth_failure(Answers(), NODE)
    with pytest.raises(SaslAuthenticationException):
        NetworkClientUtils.maybe_throw_auth_failure(refused, NODE)


def test_send_and_receive_returns_the_response_to_its_request(rig):
    request = rig.client.new_client_request(NODE_ID, rig.produce_builder(), rig.now(), True)

    def response(correlation_id, disconnected=False, mismatch=None):
        return ClientResponse(RequestHeader.of(PRODUCE, 3, "mock", correlation_id), None, NODE_ID, 0, 0,
                              disconnected, mismatch, None, None)

    mine = request.correlation_id()
    expected = response(mine)
    assert NetworkClientUtils.send_and_receive(
        Answers([response(mine + 1), expected]), request, rig.time) is expected
    with pytest.raises(OSError, match="Connection to 0 was disconnected before the response was read"):
        NetworkClientUtils.send_and_receive(Answers([response(mine, True)]), request, rig.time)
    with pytest.raises(UnsupportedVersionException):
        NetworkClientUtils.send_and_receive(
            Answers([response(mine, mismatch=UnsupportedVersionException("no"))]), request, rig.time)
    with pytest.raises(OSError, match="Client was shutdown before response was read"):
        NetworkClientUtils.send_and_receive(Answers(), request, rig.time)
    with pytest.raises(DisconnectException):
        NetworkClientUtils.send_and_receive(Answers([DisconnectException()]), request, rig.time)
    closed = Answers([DisconnectException()])
    closed.active = Mock(side_effect=[True, False])
    with pytest.raises(OSError, match="Client was shutdown before response was read"):
        NetworkClientUtils.send_and_receive(closed, request, rig.time)
