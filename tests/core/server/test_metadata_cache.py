# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.MetadataCacheTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The metadata for clients: one node, and the topics of its storage."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.message.describe_topic_partitions_response_data import (
    DescribeTopicPartitionsResponseData,
)
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.node import Node as Endpoint
from kreactor.common.protocol.errors import Errors
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid
from kreactor.image.cluster_image import ClusterBroker, ClusterImage, PartitionState
from tests.core.server.node import PLAINTEXT, Node

SSL = ListenerName("SSL")
FOO_0 = TopicPartition("foo", 0)


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node(tmp_path) as node:
        yield node


def test_get_topic_metadata_non_existing_topics(node: Node) -> None:
    assert node.metadata_cache.get_topic_metadata(["topic"], PLAINTEXT) == []


def test_get_topic_metadata(node: Node) -> None:
    ids = {name: node.create_topic(name, count).topic_id() for name, count in (("foo", 2), ("bar", 1))}
    node.create_topic("__consumer_offsets")
    for listener in (PLAINTEXT, SSL):
        node.metadata_cache.set_endpoints({listener.value(): Endpoint(1, "foo", 9092)})
        found = node.metadata_cache.get_topic_metadata(["bar", "none", "foo", "__consumer_offsets"], listener)
        assert [(topic.name, topic.error_code, topic.is_internal) for topic in found] == [
            ("bar", 0, False), ("foo", 0, False), ("__consumer_offsets", 0, True)]
        assert [topic.topic_id for topic in found[:2]] == [ids["bar"], ids["foo"]]
        assert [len(topic.partitions) for topic in found] == [1, 2, 1]
        for topic in found:
            for index, partition in enumerate(topic.partitions):
                assert (partition.error_code, partition.partition_index, partition.leader_id,
                        partition.leader_epoch, partition.replica_nodes, partition.isr_nodes,
                        partition.offline_replicas) == (0, index, 1, 0, [1], [1], [])


def test_get_topic_metadata_partition_leader_not_available(node: Node) -> None:
    """The log is broken: nobody leads, while the others of the topic go on."""
    node.create_topic("foo", 2).log().go_offline("for a test")
    for version_6 in (False, True):
        topic, = node.metadata_cache.get_topic_metadata(
            ["foo"], PLAINTEXT, error_unavailable_listeners=version_6)
        broken, whole = topic.partitions
        assert Errors.for_code(broken.error_code) is Errors.LEADER_NOT_AVAILABLE
        assert (broken.leader_id, broken.leader_epoch, broken.replica_nodes, broken.isr_nodes,
                broken.offline_replicas) == (-1, 0, [1], [1], [1])
        assert (whole.error_code, whole.leader_id, whole.offline_replicas) == (0, 1, [])


@pytest.mark.parametrize(("error_unavailable_listeners", "error"), [
    (True, Errors.LISTENER_NOT_FOUND), (False, Errors.LEADER_NOT_AVAILABLE)])
def test_get_topic_metadata_partition_listener_not_available_on_leader(
        node: Node, error_unavailable_listeners: bool, error: Errors) -> None:
    node.create_topic("foo")
    topic, = node.metadata_cache.get_topic_metadata(
        ["foo"], SSL, error_unavailable_listeners=error_unavailable_listeners)
    partition, = topic.partitions
    assert (topic.error_code, Errors.for_code(partition.error_code)) == (0, error)
    assert (partition.leader_id, partition.replica_nodes, partition.isr_nodes,
            partition.offline_replicas) == (
        -1, [1], [1], [1])


def test_get_topic_metadata_with_non_supported_security_protocol(node: Node) -> None:
    """In version 0 nodes that cannot be reached are left out."""
    node.create_topic("foo")
    topic, = node.metadata_cache.get_topic_metadata(["foo"], SSL, error_unavailable_endpoints=True)
    partition, = topic.partitions
    assert (partition.leader_id, partition.replica_nodes, partition.isr_nodes) == (-1, [], [])
    topic, = node.metadata_cache.get_topic_metadata(["foo"], PLAINTEXT, error_unavailable_endpoints=True)
    assert (topic.partitions[0].leader_id, topic.partitions[0].replica_nodes) == (1, [1])


def test_get_alive_brokers_should_not_be_mutated_by_update_cache(node: Node) -> None:
    cache = node.metadata_cache
    before = cache.get_alive_broker_nodes(PLAINTEXT)
    endpoints = {"PLAINTEXT": Endpoint(1, "elsewhere", 9093), "SSL": Endpoint(1, "elsewhere", 9094)}
    cache.set_endpoints(endpoints)
    endpoints.clear()
    assert [(node.host(), node.port()) for node in before] == [("here", 9092)]
    assert [(node.host(), node.port()) for node in cache.get_alive_broker_nodes(PLAINTEXT)] == [
        ("elsewhere", 9093)]
    assert cache.get_alive_brokers() == [1]
    assert cache.get_controller_id() == cache.get_random_alive_broker_id() == 1
    assert cache.has_alive_broker(1) and not cache.has_alive_broker(2)
    ssl = cache.get_alive_broker_node(1, SSL)
    assert ssl is not None and ssl.port() == 9094
    assert cache.get_alive_broker_node(2, SSL) is None
    assert cache.get_alive_broker_node(1, ListenerName("OTHER")) is None
    assert cache.get_alive_broker_nodes(ListenerName("OTHER")) == []


def test_get_topic_metadata_for_describe_topic_partitions_response(node: Node) -> None:
    """The controller keeps no eligible leader replicas (KIP-966), so both of their lists are empty."""
    cache = node.metadata_cache
    topic_0, topic_1 = "test0", "test1"
    topic_ids = {name: node.create_topic(name, count).topic_id() for name, count in (
        (topic_0, 3), (topic_1, 1))}
    states = {
        TopicPartition(topic_0, 0): PartitionState((0, 1, 2), (0,), 0, 0, 1),
        TopicPartition(topic_0, 2): PartitionState((0, 2, 3), (3,), 3, 1, 2),
        TopicPartition(topic_0, 1): PartitionState((0, 1, 3), (0,), 0, 0, 2),
        TopicPartition(topic_1, 0): PartitionState((0, 1, 2), (2,), 2, 10, 11),
    }
    cache.set_image(ClusterImage({
        broker_id: ClusterBroker(broker_id, None, {
            PLAINTEXT.value(): Endpoint(broker_id, f"foo{broker_id}", 9092 + broker_id)})
        for broker_id in range(4)}, states))

    def describe(topics: list[str], maximum: int, start: dict[str, int] | None = None,
                 ) -> DescribeTopicPartitionsResponseData:
        starts = start or {}
        return cache.get_topic_metadata_for_describe_topic_response(
            topics, PLAINTEXT, lambda topic: starts.get(topic, 0), maximum, False)

    def check(result: DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponseTopic, name: str,
              indexes: list[int]) -> None:
        assert (result.name, result.error_code, result.topic_id) == (name, 0, topic_ids[name])
        assert [partition.partition_index for partition in result.partitions] == indexes
        for partition in result.partitions:
            expected = states[TopicPartition(name, partition.partition_index)]
            assert partition.error_code == 0
            assert partition.leader_id == expected.leader
            assert partition.leader_epoch == expected.leader_epoch
            assert partition.replica_nodes == list(expected.replicas)
            assert partition.isr_nodes == list(expected.isr)
            assert partition.offline_replicas == []
            assert partition.eligible_leader_replicas == []
            assert partition.last_known_elr == []

    def cursor(response: DescribeTopicPartitionsResponseData) -> tuple[str, int] | None:
        next_cursor = response.next_cursor
        return None if next_cursor is None else (next_cursor.topic_name, next_cursor.partition_index)

    response = describe([topic_0, topic_1], 10)
    first, second = response.topics
    check(first, topic_0, [0, 1, 2])
    check(second, topic_1, [0])
    assert cursor(response) is None

    # The limit is reached within a topic.
    response = describe([topic_0, topic_1], 2)
    first, = response.topics
    check(first, topic_0, [0, 1])
    assert cursor(response) == (topic_0, 2)

    # The first partition is not the topic's first.
    response = describe([topic_0], 10, {topic_0: 1})
    first, = response.topics
    check(first, topic_0, [1, 2])
    assert cursor(response) is None

    # The limit is reached at the end of a topic.
    response = describe([topic_0, topic_1], 1, {topic_0: 2})
    first, = response.topics
    check(first, topic_0, [2])
    assert cursor(response) == (topic_1, 0)

    # The first topic does not exist.
    response = describe(["Non-exist", topic_0], 1, {"Non-exist": 1})
    first, second = response.topics
    assert (first.name, Errors.for_code(first.error_code)) == ("Non-exist", Errors.UNKNOWN_TOPIC_OR_PARTITION)
    check(second, topic_0, [0])
    assert cursor(response) == (topic_0, 1)


def test_get_partition_info(node: Node) -> None:
    log = node.create_topic("foo").log()
    cache = node.metadata_cache
    info = cache.get_partition_info("foo", 0)
    assert info is not None
    assert (info.topic_name, info.partition_index, info.controller_epoch, info.leader, info.leader_epoch,
            info.isr, info.zk_version, info.replicas) == ("foo", 0, -1, 1, 0, [1], 0, [1])
    for topic, partition in (("foo", 1), ("foo", -1), ("bar", 0)):
        assert cache.get_partition_info(topic, partition) is None
        assert cache.get_partition_leader_endpoint(topic, partition, PLAINTEXT) is None
    leader = cache.get_partition_leader_endpoint("foo", 0, PLAINTEXT)
    assert leader is not None and leader.host() == "here"
    assert cache.get_partition_leader_endpoint("foo", 0, SSL) == Endpoint.no_node()
    log.go_offline("for a test")
    info = cache.get_partition_info("foo", 0)
    assert info is not None and (info.leader, info.isr) == (-1, [1])
    assert cache.get_partition_leader_endpoint("foo", 0, PLAINTEXT) == Endpoint.no_node()


def test_get_offline_replicas_considers_dir_assignment(node: Node) -> None:
    """There is one folder; a replica in it is offline when its log is broken, or not there at all."""
    log = node.create_topic("foo").log()

    def offline() -> list[int]:
        topic, = node.metadata_cache.get_topic_metadata(["foo"], PLAINTEXT)
        partition, = topic.partitions
        replicas: list[int] = partition.offline_replicas
        return replicas

    assert offline() == []
    log.go_offline("for a test")
    assert offline() == [1]
    node.storage.log_manager().delete_logs([FOO_0])
    assert offline() == [1]


def test_the_epoch_is_the_logs(node: Node) -> None:
    log = node.create_topic("foo").log()
    with log._lock:
        log._leader_epochs.assign(7, 0)
    topic, = node.metadata_cache.get_topic_metadata(["foo"], PLAINTEXT)
    info = node.metadata_cache.get_partition_info("foo", 0)
    assert info is not None
    assert topic.partitions[0].leader_epoch == info.leader_epoch == 7


def test_topics_are_those_of_the_moment(node: Node) -> None:
    cache = node.metadata_cache
    names = cache.topic_ids_to_names()
    unknown = Uuid.random_uuid()
    assert not cache.get_all_topics() and not names and list(names) == []
    foo_id = node.create_topic("foo", 2).topic_id()
    assert foo_id is not None
    assert list(cache.get_all_topics()) == ["foo"]
    assert (dict(names), len(names), names.get(unknown)) == ({foo_id: "foo"}, 1, None)
    with pytest.raises(KeyError):
        names[unknown]
    assert (cache.get_topic_id("foo"), cache.get_topic_id("bar")) == (foo_id, Uuid.ZERO_UUID)
    assert (cache.get_topic_name(foo_id), cache.get_topic_name(unknown)) == ("foo", None)
    assert (cache.num_partitions("foo"), cache.num_partitions("bar")) == (2, None)
    assert cache.get_topic_partitions("foo") == {FOO_0, TopicPartition("foo", 1)}
    assert cache.get_topic_partitions("bar") == set()
    assert cache.contains("foo") and not cache.contains("bar")
    assert [cache.contains_partition(TopicPartition(*partition)) for partition in (
        ("foo", 0), ("foo", 1), ("foo", 2), ("foo", -1), ("bar", 0))] == [True, True, False, False, False]
    node.storage.delete_topic("foo")
    assert not cache.get_all_topics() and not names and not cache.contains_partition(FOO_0)


def test_settings(node: Node) -> None:
    node.create_topic("foo", configs={"retention.ms": "5"})
    cache = node.metadata_cache
    found = cache.topic_config("foo")
    assert found == {"retention.ms": "5"}
    found.clear()
    assert cache.topic_config("foo") == {"retention.ms": "5"}, "it was a copy"
    assert cache.topic_config("bar") == {} == cache.broker_config(1)
    assert cache.config(ConfigResource(ConfigResource.Type.CLIENT_METRICS, "foo")) == {}
