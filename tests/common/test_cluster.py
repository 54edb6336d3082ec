# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.ClusterTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Clusters: what they are made of, and that nobody changes them."""

from __future__ import annotations

import pytest

from kreactor.common.cluster import Cluster
from kreactor.common.node import Node
from kreactor.common.partition_info import PartitionInfo
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid
from kreactor.jdk.net import InetSocketAddress

NODES = [Node(0, "localhost", 99), Node(1, "localhost", 100), Node(2, "localhost", 101),
         Node(11, "localhost", 102)]


def all_partitions() -> list[PartitionInfo]:
    return [PartitionInfo(topic, partition, leader, NODES, NODES) for topic, partition, leader in (
        ("topicA", 0, NODES[0]), ("topicA", 1, None), ("topicA", 2, NODES[2]), ("topicB", 0, None),
        ("topicB", 1, NODES[0]), ("topicC", 0, None), ("topicD", 0, NODES[1]), ("topicE", 0, NODES[0]))]


def test_bootstrap() -> None:
    cluster = Cluster.bootstrap([InetSocketAddress.create_unresolved("140.211.11.105", 9002),
                                 InetSocketAddress.create_unresolved("www.example.com", 9002)])
    assert {node.host() for node in cluster.nodes()} == {"140.211.11.105", "www.example.com"}
    assert {node.id() for node in cluster.nodes()} == {-1, -2}
    assert cluster.is_bootstrap_configured()
    assert not Cluster.empty().is_bootstrap_configured()


def test_return_unmodifiable_collections() -> None:
    cluster = Cluster("clusterId", NODES, all_partitions(), {"topicC"}, {"topicE"}, NODES[1],
                      invalid_topics={"topicD"})
    for collection in (cluster.invalid_topics(), cluster.internal_topics(), cluster.unauthorized_topics(),
                       cluster.topics(), cluster.nodes(), cluster.partitions_for_topic("topicA"),
                       cluster.available_partitions_for_topic("topicB"),
                       cluster.partitions_for_node(NODES[1].id())):
        assert len(collection) > 0
        for change in ("add", "append", "remove", "clear", "pop", "__setitem__", "__delitem__"):
            assert not hasattr(collection, change)


def test_not_equals() -> None:
    node0, node1 = Node(0, "host0", 100), Node(1, "host1", 100)
    controller1, controller2 = Node(2, "host2", 100), Node(3, "host3", 100)
    partitions1 = [PartitionInfo("topic1", 0, node0, [node0, node1], [node0])]
    partitions2 = [PartitionInfo("topic2", 0, node0, [node1, node0], [node1])]
    topic_ids1, topic_ids2 = {"topic1": Uuid.random_uuid()}, {"topic1": Uuid.random_uuid()}

    def cluster(cluster_id="clusterId1", nodes=(node0,), partitions=partitions1, unauthorized="topic1",
                invalid="topic1", internal="topic3", controller=controller1, topic_ids=topic_ids1):
        return Cluster(cluster_id, nodes, partitions, {unauthorized}, {internal}, controller,
                       invalid_topics={invalid}, topic_ids=topic_ids)

    cluster1 = cluster()
    assert cluster1 == cluster()
    for different in (cluster(topic_ids=topic_ids2), cluster(controller=controller2),
                      cluster(internal="topic4"), cluster(invalid="topic2"), cluster(unauthorized="topic2"),
                      cluster(partitions=partitions2), cluster(nodes=(node0, node1)),
                      cluster(cluster_id="clusterId2"), "clusterId1"):
        assert cluster1 != different


def test_equals() -> None:
    topic_id = Uuid.random_uuid()

    def cluster() -> Cluster:
        node = Node(1, "host0", 100)
        return Cluster("clusterId1", [node], [PartitionInfo("topic1", 0, node, [node], [node])], {"topic1"},
                       {"topic3"}, Node(2, "host0", 100), invalid_topics={"topic1"},
                       topic_ids={"topic1": topic_id})

    assert cluster() == cluster()
    assert hash(cluster()) == hash(cluster())


def test_indexes() -> None:
    topic_id = Uuid.random_uuid()
    cluster = Cluster("id", NODES, all_partitions(), topic_ids={"topicA": topic_id})
    assert sorted(node.id() for node in cluster.nodes()) == [0, 1, 2, 11]
    assert cluster.node_by_id(11) is NODES[3] and cluster.node_by_id(12) is None
    assert cluster.leader_for(TopicPartition("topicA", 2)) is NODES[2]
    assert cluster.leader_for(TopicPartition("topicA", 1)) is None
    assert cluster.leader_for(TopicPartition("other", 1)) is None
    assert cluster.partition_count_for_topic("topicA") == 3
    assert cluster.partition_count_for_topic("other") is None
    assert cluster.partitions_for_topic("other") == () == cluster.available_partitions_for_topic("other")
    assert [info.partition() for info in cluster.partitions_for_topic("topicA")] == [0, 1, 2]
    assert [info.partition() for info in cluster.available_partitions_for_topic("topicA")] == [0, 2]
    assert cluster.available_partitions_for_topic("topicD") is cluster.partitions_for_topic("topicD")
    assert [(info.topic(), info.partition()) for info in cluster.partitions_for_node(0)] == [
        ("topicA", 0), ("topicB", 1), ("topicE", 0)]
    assert cluster.partitions_for_node(11) == () == cluster.partitions_for_node(12)
    assert cluster.topic_id("topicA") == topic_id and cluster.topic_id("topicB") == Uuid.ZERO_UUID
    assert cluster.topic_name(topic_id) == "topicA" and cluster.topic_name(Uuid.ZERO_UUID) is None
    assert list(cluster.topic_ids()) == [topic_id]
    with pytest.raises(KeyError):
        Cluster("id", NODES[1:], all_partitions())


def test_a_node_without_address_leads_nothing() -> None:
    info = PartitionInfo("topic", 0, Node.no_node(), NODES, NODES)
    cluster = Cluster("id", NODES, [info])
    assert cluster.leader_for(TopicPartition("topic", 0)) == Node.no_node()
    assert all(cluster.partitions_for_node(node.id()) == () for node in NODES)


def test_node_if_online() -> None:
    info = PartitionInfo("topic", 0, NODES[0], NODES[:2], NODES[:1], [NODES[1]])
    cluster = Cluster("id", NODES, [info])
    partition = TopicPartition("topic", 0)
    assert [cluster.node_if_online(partition, id_) for id_ in (0, 1, 2, 5)] == [NODES[0], None, None, None]
    assert cluster.node_if_online(TopicPartition("topic", 1), 0) is None


def test_with_partitions() -> None:
    cluster = Cluster("id", NODES, all_partitions(), {"topicC"}, {"topicE"}, NODES[1],
                      invalid_topics={"topicD"}, topic_ids={"topicA": Uuid.random_uuid()})
    partition = TopicPartition("topicF", 0)
    info = PartitionInfo("topicF", 0, NODES[3], NODES, NODES)
    changed = cluster.with_partitions({partition: info})
    assert changed.partition(partition) is info and cluster.partition(partition) is None
    assert changed.topics() == cluster.topics() | {"topicF"}
    assert changed.cluster_resource() == cluster.cluster_resource()
    assert (changed.unauthorized_topics(), changed.invalid_topics(), changed.internal_topics(),
            changed.controller()) == ({"topicC"}, {"topicD"}, {"topicE"}, NODES[1])
    assert not changed.topic_ids()


def test_text() -> None:
    assert str(Cluster.empty()) == "Cluster(id = null, nodes = [], partitions = [], controller = null)"
    node = NODES[0]
    info = PartitionInfo("t", 0, node, [node], [node])
    assert str(Cluster("id", [node], [info], controller=node)) == (
        f"Cluster(id = id, nodes = [{node}], partitions = [{info}], controller = {node})")
