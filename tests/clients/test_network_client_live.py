# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A NetworkClient over the Selector, against brokers: kreactor in this process, and a live Kafka 3.8.0.

ApiVersions, Metadata, Produce and Fetch, over each security protocol. The live Kafka is one of the test's
own, started by the script that KREACTOR_ORACLE_SH names; without it those cases are skipped.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest

from kreactor.clients.api_versions import ApiVersions
from kreactor.clients.client_response import ClientResponse
from kreactor.clients.client_utils import ClientUtils
from kreactor.clients.fetch_session_handler import FetchSessionHandler
from kreactor.clients.metadata import Metadata
from kreactor.clients.network_client import NetworkClient
from kreactor.clients.network_client_utils import NetworkClientUtils
from kreactor.clients.request_completion_handler import RequestCompletionHandler
from kreactor.common.compress.compression import Compression
from kreactor.common.errors import (
    SaslAuthenticationException,
    SslAuthenticationException,
    UnsupportedVersionException,
)
from kreactor.common.internals.cluster_resource_listeners import ClusterResourceListeners
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.node import Node
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.requests.fetch_request import FetchRequest
from kreactor.common.requests.fetch_response import FetchResponse
from kreactor.common.requests.metadata_request import MetadataRequest
from kreactor.common.requests.produce_request import ProduceRequest
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.common.uuid import Uuid
from kreactor.testing import Broker
from tests.clients.test_client_utils import client_config
from tests.core.network.live_kafka import HOST, live_kafka

USER, PASSWORD = "alice", "alice-secret"
WAIT_MS = 60_000
PACKAGE = "org.apache.kafka.common.security"
SECURED = [("PLAINTEXT", ""), ("SSL", ""), ("SASL_PLAINTEXT", "PLAIN"), ("SASL_PLAINTEXT", "SCRAM-SHA-256"),
           ("SASL_PLAINTEXT", "SCRAM-SHA-512"), ("SASL_SSL", "PLAIN"), ("SASL_SSL", "SCRAM-SHA-256")]
AGAIN = ["PLAIN", "SCRAM-SHA-256", "OAUTHBEARER"]
TOKENS = [("SASL_PLAINTEXT", "OAUTHBEARER"), ("SASL_SSL", "OAUTHBEARER")]
LISTENERS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
LATEST_FETCH = ApiKeys.FETCH.latest_version()


class Place(NamedTuple):
    """Where a broker listens, and the authority that signed its certificate."""

    address: str
    ca: str


def settings(place: Place, protocol: str, mechanism: str, password: str = PASSWORD) -> dict[str, object]:
    """Return the settings of a client, with ``_`` for ``.``."""
    found: dict[str, object] = {
        "bootstrap_servers": place.address, "security_protocol": protocol, "client_id": "live",
        "request_timeout_ms": WAIT_MS, "socket_connection_setup_timeout_ms": WAIT_MS,
        "socket_connection_setup_timeout_max_ms": WAIT_MS, "connections_max_idle_ms": WAIT_MS,
        "reconnect_backoff_ms": 10, "reconnect_backoff_max_ms": 100,
    }
    if protocol.endswith("SSL"):
        found |= {"ssl_truststore_type": "PEM", "ssl_truststore_location": place.ca}
    if mechanism == "OAUTHBEARER":
        found |= {"sasl_mechanism": mechanism, "sasl_jaas_config":
                  f"{PACKAGE}.oauthbearer.OAuthBearerLoginModule required "
                  f'unsecuredLoginStringClaim_sub="{USER}";'}
    elif mechanism:
        module = "plain.PlainLoginModule" if mechanism == "PLAIN" else "scram.ScramLoginModule"
        found |= {"sasl_mechanism": mechanism, "sasl_jaas_config":
                  f'{PACKAGE}.{module} required username="{USER}" password="{password}";'}
    return found


class Client(NamedTuple):
    """A NetworkClient and what it was made of."""

    client: NetworkClient
    metadata: Metadata
    api_versions: ApiVersions
    metrics: Metrics

    def poll_until(self, done: Callable[[], object]) -> None:
        deadline = time.monotonic() + WAIT_MS / 1000
        while not done():
            assert time.monotonic() < deadline, "what was waited for has not happened"
            self.client.poll(100, Time.SYSTEM.milliseconds())

    def connected_node(self) -> Node:
        """Return the one broker, once it has told of itself and is ready."""
        self.poll_until(lambda: not self.metadata.fetch().is_bootstrap_configured()
                        and self.metadata.fetch().nodes())
        [node] = self.metadata.fetch().nodes()
        assert NetworkClientUtils.await_ready(self.client, node, Time.SYSTEM, WAIT_MS)
        return node

    def ask(self, node: Node, builder: object, timeout_ms: int = WAIT_MS) -> ClientResponse:
        """Send a request; return its response."""
        assert NetworkClientUtils.await_ready(self.client, node, Time.SYSTEM, WAIT_MS)
        request = self.client.new_client_request(
            node.id_string(), builder, Time.SYSTEM.milliseconds(), True, timeout_ms, None)
        return NetworkClientUtils.send_and_receive(self.client, request, Time.SYSTEM)

    def new_topic(self, node: Node) -> tuple[str, Uuid]:
        """Create a topic as a producer does, by asking for it; return its name and id."""
        topic = f"topic-{uuid.uuid4()}"
        deadline = time.monotonic() + WAIT_MS / 1000
        while time.monotonic() < deadline:
            body = self.ask(node, MetadataRequest.Builder.for_topics([topic], True)).response_body()
            [found] = body.topic_metadata()
            if found.error() is Errors.NONE and found.partition_metadata()[0].error is Errors.NONE:
                return topic, found.topic_id()
            self.client.poll(50, Time.SYSTEM.milliseconds())
        pytest.fail("there is no such topic")


@contextmanager
def new_client(**configured: object) -> Iterator[Client]:
    config = client_config(**configured)
    metadata = Metadata(10, 100, 300_000, LogContext(), ClusterResourceListeners())
    metadata.bootstrap(ClientUtils.parse_and_validate_addresses(config))
    metrics, api_versions = Metrics(), ApiVersions()
    client = ClientUtils.create_network_client(
        config, metrics, "producer", LogContext("[live] "), api_versions, Time.SYSTEM, 5, metadata, None,
        None)
    try:
        yield Client(client, metadata, api_versions, metrics)
    finally:
        client.close()
        metrics.close()


def produce(topic: str, acks: int, *values: str) -> ProduceRequest.Builder:
    records = MemoryRecords.with_records(
        Compression.NONE, *(SimpleRecord(1, None, value.encode(), []) for value in values))
    return ProduceRequest.for_current_magic(ProduceRequestData(
        acks=acks, timeout_ms=WAIT_MS, topic_data=[ProduceRequestData.TopicProduceData(
            name=topic, partition_data=[ProduceRequestData.PartitionProduceData(
                index=0, records=records)])]))


def values(response: FetchResponse) -> list[str]:
    return [record.value().to_bytes().decode() for topic in response.data().responses
            for partition in topic.partitions if FetchResponse.records_size(partition)
            for record in FetchResponse.records_or_fail(partition).records()]


def assert_a_client_writes_and_reads(client: Client) -> None:
    """It learns versions and nodes, writes with all acks, and reads it back in a session."""
    node = client.connected_node()
    versions = client.api_versions.get(node.id_string())
    for api_key in (ApiKeys.API_VERSIONS, ApiKeys.METADATA, ApiKeys.PRODUCE, ApiKeys.FETCH):
        assert versions.latest_usable_version(api_key) == api_key.latest_version()
    assert client.metadata.fetch().cluster_resource().cluster_id()

    topic, topic_id = client.new_topic(node)
    for offset, acks in enumerate((1, -1)):
        body = client.ask(node, produce(topic, acks, f"acks {acks}")).response_body()
        [partition] = body.data().responses[0].partition_responses
        assert (Errors.for_code(partition.error_code), partition.base_offset) == (Errors.NONE, offset)

    # Nobody answers this one; it is over once it is written.
    done: list[ClientResponse] = []
    assert NetworkClientUtils.await_ready(client.client, node, Time.SYSTEM, WAIT_MS)
    now = Time.SYSTEM.milliseconds()
    client.client.send(client.client.new_client_request(
        node.id_string(), produce(topic, 0, "acks 0"), now, False, WAIT_MS,
        RequestCompletionHandler.of(done.append)), now)
    client.poll_until(lambda: done)
    assert not done[0].has_response() and not done[0].was_disconnected()

    handler = FetchSessionHandler(LogContext(), node.id())
    partition_of_topic = TopicPartition(topic, 0)
    read: list[str] = []
    epochs = []
    deadline = time.monotonic() + WAIT_MS / 1000
    while len(read) < 3:
        assert time.monotonic() < deadline, f"only {read} is read"
        builder = handler.new_builder()
        builder.add(partition_of_topic, FetchRequest.PartitionData(topic_id, len(read), 0, 1 << 20, None))
        data = builder.build()
        epochs.append(data.metadata().epoch())
        request = FetchRequest.Builder.for_consumer(LATEST_FETCH, 100, 1, data.to_send())
        request.metadata_set(data.metadata()).removed_set(data.to_forget()).replaced_set(data.to_replace())
        body = client.ask(node, request).response_body()
        assert handler.handle_response(body, LATEST_FETCH)
        read += values(body)
    assert read == ["acks 1", "acks -1", "acks 0"]

    # The session goes on without the partition, which has not changed.
    builder = handler.new_builder()
    builder.add(partition_of_topic, FetchRequest.PartitionData(topic_id, 3, 0, 1 << 20, None))
    builder.build()
    assert epochs[0] == 0 and handler.session_id() != 0


def assert_a_connection_outlives_its_sessions(place: Place, mechanism: str) -> None:
    """The client authenticates again, between two requests, before the broker ends the connection.

    A broker lets it once a second; the client waits for 85 to 95 % of a session. On a machine that is busy
    for longer than the rest, the broker ends the connection, and the next one gets its chance.
    """
    with new_client(**settings(place, "SASL_PLAINTEXT", mechanism)) as client:
        node = client.connected_node()
        topic, _ = client.new_topic(node)

        def total(name: str) -> float:
            return sum(metric.metric_value() for metric_name, metric in client.metrics.metrics().items()
                       if metric_name.name() == name and "node-id" not in metric_name.tags())

        def connections_and_sessions() -> tuple[float, float]:
            return total("connection-creation-total"), total("successful-reauthentication-total")

        deadline = time.monotonic() + WAIT_MS / 1000
        connections, sessions = connections_and_sessions()
        while connections_and_sessions() != (connections, sessions + 1):
            assert time.monotonic() < deadline, "no connection outlives its session"
            try:
                body = client.ask(node, produce(topic, 1, "a record")).response_body()
                [partition] = body.data().responses[0].partition_responses
                assert Errors.for_code(partition.error_code) is Errors.NONE
            except OSError:
                client.poll_until(lambda: client.client.ready(node, Time.SYSTEM.milliseconds()))
                connections, sessions = connections_and_sessions()
        assert total("failed-reauthentication-total") == 0
        assert client.ask(node, produce(topic, 1, "the last")).has_response()


def assert_a_wrong_password_is_refused(place: Place, protocol: str, mechanism: str) -> None:
    with new_client(**settings(place, protocol, mechanism, "wrong")) as client:
        [node] = client.metadata.fetch().nodes()
        with pytest.raises(SaslAuthenticationException):
            NetworkClientUtils.await_ready(client.client, node, Time.SYSTEM, WAIT_MS)
        assert isinstance(client.client.authentication_exception(node), SaslAuthenticationException)
        with pytest.raises(SaslAuthenticationException):
            client.metadata.maybe_throw_any_exception()


@contextmanager
def ours(protocol: str, **properties: str) -> Iterator[Place]:
    """A broker of kreactor, with properties whose names have ``_`` for ``.``."""
    sasl = "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER" if protocol.startswith("SASL") else None
    with Broker(tls=protocol.endswith("SSL"), sasl=sasl, users={USER: PASSWORD} if sasl else None,
                properties={name.replace("_", "."): value for name, value in properties.items()}) as broker:
        yield Place(broker.bootstrap_servers, broker.tls.ca if protocol.endswith("SSL") else "")


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Place]]:
    """A live Kafka with all four listeners."""
    folder = tmp_path_factory.mktemp("live")
    with live_kafka(folder, LISTENERS, lambda ports: {
        "listeners": ",".join(f"{name}://{HOST}:{ports[name]}" for name in LISTENERS),
        "listener.security.protocol.map": ",".join(f"{name}:{name}" for name in LISTENERS),
        "connections.max.reauth.ms": "5000",
    }) as port_of:
        yield lambda protocol: Place(f"{HOST}:{port_of(protocol)}", str(folder / "ca.pem"))


@pytest.mark.parametrize(("protocol", "mechanism"), SECURED + TOKENS)
def test_a_client_writes_and_reads(protocol, mechanism):
    with ours(protocol) as place, new_client(**settings(place, protocol, mechanism)) as client:
        assert_a_client_writes_and_reads(client)


@pytest.mark.parametrize(("protocol", "mechanism"), SECURED + TOKENS)
def test_a_client_writes_to_a_live_kafka_and_reads(live, protocol, mechanism):
    with new_client(**settings(live(protocol), protocol, mechanism)) as client:
        assert_a_client_writes_and_reads(client)


@pytest.mark.parametrize(("protocol", "mechanism"), SECURED[2:])
def test_a_wrong_password_is_refused(protocol, mechanism):
    with ours(protocol) as place:
        assert_a_wrong_password_is_refused(place, protocol, mechanism)


@pytest.mark.parametrize(("protocol", "mechanism"), SECURED[2:])
def test_a_wrong_password_is_refused_by_a_live_kafka(live, protocol, mechanism):
    assert_a_wrong_password_is_refused(live(protocol), protocol, mechanism)


@pytest.mark.parametrize("mechanism", AGAIN)
def test_a_connection_outlives_its_sessions(mechanism):
    with ours("SASL_PLAINTEXT", connections_max_reauth_ms="1300") as place:
        assert_a_connection_outlives_its_sessions(place, mechanism)


@pytest.mark.parametrize("mechanism", AGAIN)
def test_a_connection_to_a_live_kafka_outlives_its_sessions(live, mechanism):
    assert_a_connection_outlives_its_sessions(live("SASL_PLAINTEXT"), mechanism)


def test_a_certificate_of_another_authority_is_refused():
    with ours("SSL") as place, ours("SSL") as other, new_client(
            **settings(Place(place.address, other.ca), "SSL", "")) as client:
        [node] = client.metadata.fetch().nodes()
        with pytest.raises(SslAuthenticationException):
            NetworkClientUtils.await_ready(client.client, node, Time.SYSTEM, WAIT_MS)


def test_a_lost_connection_ends_its_requests_and_is_made_anew():
    with Broker() as broker, new_client(**settings(
            Place(broker.bootstrap_servers, ""), "PLAINTEXT", "")) as client:
        node = client.connected_node()
        topic, topic_id = client.new_topic(node)
        done: list[ClientResponse] = []
        # Nothing is written: the broker would answer only after a minute.
        waits = FetchRequest.Builder.for_consumer(LATEST_FETCH, WAIT_MS, 1, {
            TopicPartition(topic, 0): FetchRequest.PartitionData(topic_id, 0, 0, 1 << 20, None)})
        now = Time.SYSTEM.milliseconds()
        client.client.send(client.client.new_client_request(
            node.id_string(), waits, now, True, WAIT_MS, RequestCompletionHandler.of(done.append)), now)
        client.poll_until(lambda: broker.requests(api=ApiKeys.FETCH))
        broker.disconnect()
        client.poll_until(lambda: done)
        assert done[0].was_disconnected() and not done[0].was_timed_out()
        client.poll_until(lambda: client.client.ready(node, Time.SYSTEM.milliseconds()))
        assert client.ask(node, produce(topic, 1, "again")).has_response()


def test_a_late_response_ends_the_connection():
    with Broker() as broker, new_client(**settings(
            Place(broker.bootstrap_servers, ""), "PLAINTEXT", "")) as client:
        node = client.connected_node()
        topic, topic_id = client.new_topic(node)
        late: list[ClientResponse] = []
        waits = FetchRequest.Builder.for_consumer(LATEST_FETCH, WAIT_MS, 1, {
            TopicPartition(topic, 0): FetchRequest.PartitionData(topic_id, 0, 0, 1 << 20, None)})
        now = Time.SYSTEM.milliseconds()
        client.client.send(client.client.new_client_request(
            node.id_string(), waits, now, True, 100, RequestCompletionHandler.of(late.append)), now)
        client.poll_until(lambda: late)
        assert late[0].was_timed_out() and late[0].request_latency_ms() > 100
        client.poll_until(lambda: client.client.ready(node, Time.SYSTEM.milliseconds()))
        assert client.ask(node, produce(topic, 1, "again")).has_response()


def test_a_version_that_the_broker_does_not_have_is_not_sent():
    with ours("PLAINTEXT") as place, new_client(**settings(place, "PLAINTEXT", "")) as client:
        node = client.connected_node()
        with pytest.raises(UnsupportedVersionException):
            client.ask(node, MetadataRequest.Builder.for_topics(["there"], False, 3))
        assert client.client.is_ready(node, Time.SYSTEM.milliseconds())


def test_a_wakeup_ends_a_poll_that_waits():
    with ours("PLAINTEXT") as place, new_client(**settings(place, "PLAINTEXT", "")) as client:
        client.connected_node()
        start = time.monotonic()
        client.client.wakeup()
        client.client.poll(WAIT_MS, Time.SYSTEM.milliseconds())
        assert time.monotonic() - start < WAIT_MS / 1000 / 2
