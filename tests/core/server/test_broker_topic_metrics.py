# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.metrics.MetricsTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The metrics of brokers and of topics: the names, and the times of registration and removal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kreactor.common.message.delete_topics_request_data import DeleteTopicsRequestData
from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.core.server.broker_topic_metrics import BrokerTopicMetrics
from kreactor.core.server.broker_topic_stats import BrokerTopicStats
from kreactor.embedded.broker_server import BrokerServer
from kreactor.metadata.broker_state import BrokerState
from kreactor.server.metrics.kafka_metrics_group import KafkaMetricsGroup
from kreactor.server.metrics.yammer import Gauge, Meter, MetricsRegistry
from tests.core.server.brokers import new_broker
from tests.core.server.node import Node
from tests.storage.internals.log.support import run_threads

OF_A_TOPIC = {
    "MessagesInPerSec": "messages", "BytesInPerSec": "bytes", "BytesOutPerSec": "bytes",
    "BytesRejectedPerSec": "bytes", "FailedProduceRequestsPerSec": "requests",
    "FailedFetchRequestsPerSec": "requests", "TotalProduceRequestsPerSec": "requests",
    "TotalFetchRequestsPerSec": "requests", "FetchMessageConversionsPerSec": "requests",
    "ProduceMessageConversionsPerSec": "requests", "NoKeyCompactedTopicRecordsPerSec": "requests",
    "InvalidMagicNumberRecordsPerSec": "requests", "InvalidMessageCrcRecordsPerSec": "requests",
    "InvalidOffsetOrSequenceRecordsPerSec": "requests",
}
OF_ALL = {**OF_A_TOPIC, "ReplicationBytesInPerSec": "bytes", "ReplicationBytesOutPerSec": "bytes",
          "ReassignmentBytesInPerSec": "bytes", "ReassignmentBytesOutPerSec": "bytes"}


def names(registry: MetricsRegistry, topic: str | None = None) -> set[str]:
    """Return the names of the rates of a topic, or of those of all."""
    found = set()
    for name in registry.all_metrics():
        mbean = name.get_mbean_name()
        if "type=BrokerTopicMetrics" in mbean:
            _, _, end = mbean.partition(",name=")
            metric, _, tag = end.partition(",topic=")
            if tag == (topic or ""):
                found.add(metric)
    return found


@pytest.fixture
def registry() -> MetricsRegistry:
    return MetricsRegistry()


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node(tmp_path) as node:
        yield node


@pytest.fixture(scope="module")
def brokers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[BrokerServer]]:
    """Two running brokers. Each has a registry of its own, where Kafka has one registry for the process."""
    overrides = {"num.partitions": "2"}
    with (new_broker(tmp_path_factory.mktemp("0"), {**overrides, "broker.id": "0"}) as broker_0,
          new_broker(tmp_path_factory.mktemp("1"), {**overrides, "broker.id": "1"}) as broker_1):
        yield [broker_0, broker_1]


def server_gauge(broker: BrokerServer, name: str) -> object:
    """Return the value of the only metric of KafkaServer with a name."""
    metric, = (metric for metric_name, metric in broker.metrics_registry().all_metrics().items()
               if metric_name.get_mbean_name() == f"kafka.server:type=KafkaServer,name={name}")
    assert isinstance(metric, Gauge)
    return metric.value()


def test_cluster_id_metric(brokers: list[BrokerServer]) -> None:
    for broker in brokers:
        assert server_gauge(broker, "ClusterId") == broker.cluster_id() != ""


def test_broker_state_metric(brokers: list[BrokerServer]) -> None:
    for broker in brokers:
        assert server_gauge(broker, "BrokerState") == BrokerState.RUNNING.value == 3


def test_yammer_metrics_count_metric(brokers: list[BrokerServer]) -> None:
    for broker in brokers:
        assert server_gauge(broker, "yammer-metrics-count") == len(broker.metrics_registry().all_metrics())


def test_windows_style_tag_names() -> None:
    path = "C:\\windows-path\\kafka-logs"
    name = KafkaMetricsGroup(BrokerTopicStats).metric_name("test-metric", {"dir": path})
    assert name.get_mbean_name().endswith(',dir="C:\\\\windows-path\\\\kafka-logs"')


def test_general_broker_topic_metrics_are_greedily_registered(node: Node) -> None:
    node.create_topic("foo", 2)
    assert names(node.registry) == set(node.stats.all_topics_stats.metric_map()) == set(OF_ALL)
    assert names(node.registry, "foo") == set()
    node.append("foo", b"a")
    assert names(node.registry, "foo") == {"MessagesInPerSec", "BytesInPerSec", "TotalProduceRequestsPerSec"}


def test_broker_topic_metrics_unregistered_after_deleting_topic(node: Node) -> None:
    node.create_topic("foo", 2)
    node.append("foo", b"a")
    assert node.stats.is_topic_stats_existed("foo") and names(node.registry, "foo")
    node.ask(ApiKeys.DELETE_TOPICS, 5, DeleteTopicsRequestData(timeout_ms=1000, topic_names=["foo"]))
    assert not node.stats.is_topic_stats_existed("foo") and not names(node.registry, "foo")
    assert names(node.registry) == set(OF_ALL)


def test_metrics_reporter_after_deleting_topic(node: Node) -> None:
    node.create_topic("foo")
    node.ask(ApiKeys.DELETE_TOPICS, 5, DeleteTopicsRequestData(timeout_ms=1000, topic_names=["foo"]))
    assert not names(node.registry, "foo")


def test_broker_topic_metrics_bytes_in_out(node: Node) -> None:
    node.create_topic("foo")

    def counts() -> list[int]:
        stats = node.stats.topic_stats("foo")
        all_stats = node.stats.all_topics_stats
        in_, out = all_stats.replication_bytes_in_rate(), all_stats.replication_bytes_out_rate()
        assert in_ is not None and out is not None
        found = [stats.bytes_in_rate().count(), stats.bytes_out_rate().count()]
        assert found == [all_stats.bytes_in_rate().count(), all_stats.bytes_out_rate().count()]
        return [*found, in_.count(), out.count()]

    assert counts() == [0, 0, 0, 0]
    node.append("foo", b"a")
    partition = node.storage.topics().topics()["foo"].partitions()[0]
    size = node.replica_manager.local_log_or_exception(partition).size()
    assert counts() == [size, 0, 0, 0]
    node.ask(ApiKeys.FETCH, 12, FetchRequestData(topics=[FetchRequestData.FetchTopic(topic="foo", partitions=[
        FetchRequestData.FetchPartition(partition=0, partition_max_bytes=1000)])]))
    assert counts() == [size, size, 0, 0]


def test_the_meters_have_kafkas_names_and_units(registry: MetricsRegistry) -> None:
    metrics = BrokerTopicMetrics(None, registry)
    assert names(registry) == set(OF_ALL)
    for name, metric in registry.all_metrics().items():
        assert isinstance(metric, Meter)
        assert metric.event_type() == OF_ALL[name.get_mbean_name().rpartition("name=")[2]]
    meters = {
        "MessagesInPerSec": metrics.messages_in_rate, "BytesInPerSec": metrics.bytes_in_rate,
        "BytesOutPerSec": metrics.bytes_out_rate, "BytesRejectedPerSec": metrics.bytes_rejected_rate,
        "FailedProduceRequestsPerSec": metrics.failed_produce_request_rate,
        "FailedFetchRequestsPerSec": metrics.failed_fetch_request_rate,
        "TotalProduceRequestsPerSec": metrics.total_produce_request_rate,
        "TotalFetchRequestsPerSec": metrics.total_fetch_request_rate,
        "FetchMessageConversionsPerSec": metrics.fetch_message_conversions_rate,
        "ProduceMessageConversionsPerSec": metrics.produce_message_conversions_rate,
        "NoKeyCompactedTopicRecordsPerSec": metrics.no_key_compacted_topic_records_per_sec,
        "InvalidMagicNumberRecordsPerSec": metrics.invalid_magic_number_records_per_sec,
        "InvalidMessageCrcRecordsPerSec": metrics.invalid_message_crc_records_per_sec,
        "InvalidOffsetOrSequenceRecordsPerSec": metrics.invalid_offset_or_sequence_records_per_sec,
        "ReplicationBytesInPerSec": metrics.replication_bytes_in_rate,
        "ReplicationBytesOutPerSec": metrics.replication_bytes_out_rate,
        "ReassignmentBytesInPerSec": metrics.reassignment_bytes_in_per_sec,
        "ReassignmentBytesOutPerSec": metrics.reassignment_bytes_out_per_sec,
    }
    assert meters.keys() == OF_ALL.keys()
    for meter_name, meter in meters.items():
        assert meter() is metrics.metric_map()[meter_name].meter()


def test_a_topic_does_not_replicate(registry: MetricsRegistry) -> None:
    metrics = BrokerTopicMetrics("foo", registry)
    assert set(metrics.metric_map()) == set(OF_A_TOPIC)
    assert (metrics.replication_bytes_in_rate(), metrics.replication_bytes_out_rate(),
            metrics.reassignment_bytes_in_per_sec(), metrics.reassignment_bytes_out_per_sec()) == (None,) * 4
    assert not registry.all_metrics()


def test_a_meter_is_made_once(registry: MetricsRegistry) -> None:
    metrics = BrokerTopicMetrics("foo", registry)
    meters: list[Meter] = []
    run_threads(*[lambda: meters.append(metrics.bytes_in_rate())] * 8)
    assert len(set(map(id, meters))) == 1
    assert names(registry, "foo") == {"BytesInPerSec"}


def test_close_metric(registry: MetricsRegistry) -> None:
    metrics = BrokerTopicMetrics("foo", registry)
    metrics.bytes_in_rate().mark(5)
    metrics.bytes_out_rate()
    metrics.close_metric("BytesInPerSec")
    metrics.close_metric("BytesRejectedPerSec")
    metrics.close_metric("there is none")
    assert names(registry, "foo") == {"BytesOutPerSec"}
    assert metrics.bytes_in_rate().count() == 0, "a new one"
    metrics.close()
    assert not registry.all_metrics()


def test_what_only_a_leader_measures(registry: MetricsRegistry) -> None:
    stats = BrokerTopicStats(registry)
    for wrapper in stats.topic_stats("foo").metric_map().values():
        wrapper.meter()
    stats.remove_old_leader_metrics("foo")
    assert names(registry, "foo") == set(OF_A_TOPIC) - {
        "MessagesInPerSec", "BytesInPerSec", "BytesRejectedPerSec", "FailedProduceRequestsPerSec",
        "TotalProduceRequestsPerSec", "ProduceMessageConversionsPerSec"}


@pytest.mark.parametrize(("is_follower", "is_reassignment", "expected"), [
    (False, False, (9, 9, 0, 0)), (False, True, (9, 9, 0, 0)), (True, False, (0, 0, 9, 0)),
    (True, True, (0, 0, 9, 9))])
def test_update_bytes_out(registry: MetricsRegistry, is_follower: bool, is_reassignment: bool,
                          expected: tuple[int, ...]) -> None:
    stats = BrokerTopicStats(registry)
    stats.update_bytes_out("foo", is_follower, is_reassignment, 9)
    all_stats = stats.all_topics_stats
    replication = all_stats.replication_bytes_out_rate()
    reassignment = all_stats.reassignment_bytes_out_per_sec()
    assert replication is not None and reassignment is not None
    assert (stats.topic_stats("foo").bytes_out_rate().count(), all_stats.bytes_out_rate().count(),
            replication.count(), reassignment.count()) == expected


def test_the_stats_of_a_topic_are_made_when_it_is_heard_of(registry: MetricsRegistry) -> None:
    stats = BrokerTopicStats(registry)
    assert not stats.is_topic_stats_existed("foo")
    foo = stats.topic_stats("foo")
    assert stats.topic_stats("foo") is foo and stats.is_topic_stats_existed("foo")
    foo.bytes_in_rate()
    stats.topic_stats("bar").bytes_in_rate()
    stats.remove_metrics("foo")
    stats.remove_metrics("none")
    assert not stats.is_topic_stats_existed("foo") and not names(registry, "foo")
    assert names(registry, "bar") == {"BytesInPerSec"}
    stats.close()
    assert not registry.all_metrics()
