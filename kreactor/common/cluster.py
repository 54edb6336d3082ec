# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.Cluster of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A client's view of a cluster: the nodes, and the partitions of the topics in the client's metadata.

A Cluster is immutable. A client creates a new one for new metadata. Therefore any thread may read a Cluster
without a lock.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, KeysView, Mapping, Set, ValuesView
from types import MappingProxyType

from kreactor.common.cluster_resource import ClusterResource
from kreactor.common.node import Node
from kreactor.common.partition_info import PartitionInfo
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid
from kreactor.jdk.net import InetSocketAddress
from kreactor.jdk.random_numbers import RANDOM
from kreactor.jdk.text import java_text

_NO_TOPICS: frozenset[str] = frozenset()


class Cluster:
    """Nodes and partitions with indexes for producers. Immutable.

    :origin: common.Cluster
    """

    __slots__ = (
        "_is_bootstrap_configured", "_nodes", "_unauthorized_topics", "_invalid_topics", "_internal_topics",
        "_controller", "_partitions_by_topic_partition", "_partitions_by_topic",
        "_available_partitions_by_topic", "_partitions_by_node", "_nodes_by_id", "_cluster_resource",
        "_topic_ids", "_topic_names")

    def __init__(self, cluster_id: str | None, nodes: Collection[Node], partitions: Iterable[PartitionInfo],
                 unauthorized_topics: Set[str] = _NO_TOPICS, internal_topics: Set[str] = _NO_TOPICS,
                 controller: Node | None = None, *, invalid_topics: Set[str] = _NO_TOPICS,
                 topic_ids: Mapping[str, Uuid] = MappingProxyType({}),
                 is_bootstrap_configured: bool = False) -> None:
        """Index the partitions. Shuffles the nodes, so that not all clients connect to the same node first.

        Raises KeyError for a partition whose leader is not one of the nodes.

        :origin: common.Cluster#Cluster(String, Collection<Node>, Collection<PartitionInfo>, Set<String>,
            Set<String>)
        :origin: common.Cluster#Cluster(String, Collection<Node>, Collection<PartitionInfo>, Set<String>,
            Set<String>, Node)
        :origin: common.Cluster#Cluster(String, Collection<Node>, Collection<PartitionInfo>, Set<String>,
            Set<String>, Set<String>, Node)
        :origin: common.Cluster#Cluster(String, Collection<Node>, Collection<PartitionInfo>, Set<String>,
            Set<String>, Set<String>, Node, Map<String,Uuid>)
        :origin: common.Cluster#Cluster(String, boolean, Collection<Node>, Collection<PartitionInfo>,
            Set<String>, Set<String>, Set<String>, Node, Map<String,Uuid>)
        """
        self._is_bootstrap_configured = is_bootstrap_configured
        self._cluster_resource = ClusterResource(cluster_id)
        copy = list(nodes)
        RANDOM.shuffle(copy)
        self._nodes = tuple(copy)

        self._nodes_by_id: Mapping[int, Node] = {node.id(): node for node in nodes}
        tmp_partitions_by_node: dict[int, list[PartitionInfo]] = {node.id(): [] for node in nodes}

        tmp_partitions_by_topic_partition: dict[TopicPartition, PartitionInfo] = {}
        tmp_partitions_by_topic: dict[str, list[PartitionInfo]] = {}
        for p in partitions:
            tmp_partitions_by_topic_partition[TopicPartition(p.topic(), p.partition())] = p
            tmp_partitions_by_topic.setdefault(p.topic(), []).append(p)

            leader = p.leader()
            if leader is None or leader.is_empty():
                continue

            tmp_partitions_by_node[leader.id()].append(p)

        self._partitions_by_node: Mapping[int, tuple[PartitionInfo, ...]] = {
            node_id: tuple(of_node) for node_id, of_node in tmp_partitions_by_node.items()}

        self._partitions_by_topic: Mapping[str, tuple[PartitionInfo, ...]] = {
            topic: tuple(of_topic) for topic, of_topic in tmp_partitions_by_topic.items()}
        tmp_available_partitions_by_topic: dict[str, tuple[PartitionInfo, ...]] = {}
        for topic, partitions_for_topic in self._partitions_by_topic.items():
            # If all partitions of a topic have leaders, as usual, both indexes share one tuple.
            if any(p.leader() is None for p in partitions_for_topic):
                tmp_available_partitions_by_topic[topic] = tuple(
                    p for p in partitions_for_topic if p.leader() is not None)
            else:
                tmp_available_partitions_by_topic[topic] = partitions_for_topic

        self._partitions_by_topic_partition: Mapping[TopicPartition, PartitionInfo] = (
            tmp_partitions_by_topic_partition)
        self._available_partitions_by_topic: Mapping[str, tuple[PartitionInfo, ...]] = (
            tmp_available_partitions_by_topic)
        self._topic_ids: Mapping[str, Uuid] = dict(topic_ids)
        self._topic_names: Mapping[Uuid, str] = {value: key for key, value in topic_ids.items()}

        self._unauthorized_topics = frozenset(unauthorized_topics)
        self._invalid_topics = frozenset(invalid_topics)
        self._internal_topics = frozenset(internal_topics)
        self._controller = controller

    @staticmethod
    def empty() -> Cluster:
        """Return a cluster without nodes and partitions.

        :origin: common.Cluster#empty()
        """
        return Cluster(None, (), (), _NO_TOPICS, _NO_TOPICS, None)

    @staticmethod
    def bootstrap(addresses: Iterable[InetSocketAddress]) -> Cluster:
        """Return a client's initial cluster: nodes with these addresses and the ids -1, -2 and so on.

        :origin: common.Cluster#bootstrap(List<InetSocketAddress>)
        """
        nodes: list[Node] = []
        node_id = -1
        for address in addresses:
            nodes.append(Node(node_id, address.get_host_string(), address.get_port()))
            node_id -= 1
        return Cluster(None, nodes, (), is_bootstrap_configured=True)

    def with_partitions(self, partitions: Mapping[TopicPartition, PartitionInfo]) -> Cluster:
        """Return a copy with added or replaced partitions, without topic ids.

        :origin: common.Cluster#withPartitions(Map<TopicPartition,PartitionInfo>)
        """
        combined_partitions = {**self._partitions_by_topic_partition, **partitions}
        return Cluster(self._cluster_resource.cluster_id(), self._nodes, combined_partitions.values(),
                       self._unauthorized_topics, self._internal_topics, self._controller,
                       invalid_topics=self._invalid_topics)

    def nodes(self) -> tuple[Node, ...]:
        """Return the nodes in a random order that never changes.

        :origin: common.Cluster#nodes()
        """
        return self._nodes

    def node_by_id(self, id_: int) -> Node | None:
        """Return a node by its id, or None for an unknown or offline node.

        :origin: common.Cluster#nodeById(int)
        """
        return self._nodes_by_id.get(id_)

    def node_if_online(self, partition: TopicPartition, id_: int) -> Node | None:
        """Return a node by its id if it has an online replica of the partition, or None.

        :origin: common.Cluster#nodeIfOnline(TopicPartition, int)
        """
        node = self.node_by_id(id_)
        partition_info = self.partition(partition)

        if (node is not None and partition_info is not None
                and node not in partition_info.offline_replicas() and node in partition_info.replicas()):
            return node
        return None

    def leader_for(self, topic_partition: TopicPartition) -> Node | None:
        """Return the node that leads a partition, or None.

        :origin: common.Cluster#leaderFor(TopicPartition)
        """
        info = self._partitions_by_topic_partition.get(topic_partition)
        return None if info is None else info.leader()

    def partition(self, topic_partition: TopicPartition) -> PartitionInfo | None:
        """Return the PartitionInfo of a partition, or None.

        :origin: common.Cluster#partition(TopicPartition)
        """
        return self._partitions_by_topic_partition.get(topic_partition)

    def partitions_for_topic(self, topic: str) -> tuple[PartitionInfo, ...]:
        """Return the partitions of a topic, empty for an unknown topic.

        :origin: common.Cluster#partitionsForTopic(String)
        """
        return self._partitions_by_topic.get(topic, ())

    def partition_count_for_topic(self, topic: str) -> int | None:
        """Return the number of a topic's partitions, or None for an unknown topic.

        :origin: common.Cluster#partitionCountForTopic(String)
        """
        partitions = self._partitions_by_topic.get(topic)
        return None if partitions is None else len(partitions)

    def available_partitions_for_topic(self, topic: str) -> tuple[PartitionInfo, ...]:
        """Return the partitions of a topic that have a leader.

        :origin: common.Cluster#availablePartitionsForTopic(String)
        """
        return self._available_partitions_by_topic.get(topic, ())

    def partitions_for_node(self, node_id: int) -> tuple[PartitionInfo, ...]:
        """Return the partitions that a node leads.

        :origin: common.Cluster#partitionsForNode(int)
        """
        return self._partitions_by_node.get(node_id, ())

    def topics(self) -> KeysView[str]:
        """Return the topics with partitions.

        :origin: common.Cluster#topics()
        """
        return self._partitions_by_topic.keys()

    def unauthorized_topics(self) -> frozenset[str]:
        """Return the topics for which the client is not authorized.

        :origin: common.Cluster#unauthorizedTopics()
        """
        return self._unauthorized_topics

    def invalid_topics(self) -> frozenset[str]:
        """Return the requested topics with invalid names.

        :origin: common.Cluster#invalidTopics()
        """
        return self._invalid_topics

    def internal_topics(self) -> frozenset[str]:
        """Return Kafka's internal topics.

        :origin: common.Cluster#internalTopics()
        """
        return self._internal_topics

    def is_bootstrap_configured(self) -> bool:
        """Return whether the nodes are the bootstrap addresses of the settings.

        :origin: common.Cluster#isBootstrapConfigured()
        """
        return self._is_bootstrap_configured

    def cluster_resource(self) -> ClusterResource:
        """Return the cluster's id for listeners.

        :origin: common.Cluster#clusterResource()
        """
        return self._cluster_resource

    def controller(self) -> Node | None:
        """Return the controller, or None.

        :origin: common.Cluster#controller()
        """
        return self._controller

    def topic_ids(self) -> ValuesView[Uuid]:
        """Return the ids of the topics that have an id.

        :origin: common.Cluster#topicIds()
        """
        return self._topic_ids.values()

    def topic_id(self, topic: str) -> Uuid:
        """Return the id of a topic, ``Uuid.ZERO_UUID`` for an unknown topic.

        :origin: common.Cluster#topicId(String)
        """
        return self._topic_ids.get(topic, Uuid.ZERO_UUID)

    def topic_name(self, topic_id: Uuid) -> str | None:
        """Return the name of a topic by its id, or None.

        :origin: common.Cluster#topicName(Uuid)
        """
        return self._topic_names.get(topic_id)

    def __str__(self) -> str:
        """Return the id, the nodes, the partitions and the controller.

        :origin: common.Cluster#toString()
        """
        return (f"Cluster(id = {java_text(self._cluster_resource.cluster_id())}, "
                f"nodes = {java_text(list(self._nodes))}, "
                f"partitions = {java_text(list(self._partitions_by_topic_partition.values()))}, "
                f"controller = {java_text(self._controller)})")

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        """Compare all fields, also the order of the nodes.

        :origin: common.Cluster#equals(Object)
        """
        if self is other:
            return True
        if type(other) is not type(self):
            return False
        return (self._is_bootstrap_configured == other._is_bootstrap_configured
                and self._nodes == other._nodes
                and self._unauthorized_topics == other._unauthorized_topics
                and self._invalid_topics == other._invalid_topics
                and self._internal_topics == other._internal_topics
                and self._controller == other._controller
                and self._partitions_by_topic_partition == other._partitions_by_topic_partition
                and self._cluster_resource == other._cluster_resource
                and self._topic_ids == other._topic_ids)

    def __hash__(self) -> int:
        """Hash the compared fields.

        :origin: common.Cluster#hashCode()
        """
        return hash((self._is_bootstrap_configured, self._nodes, self._unauthorized_topics,
                     self._invalid_topics, self._internal_topics, self._controller,
                     frozenset(self._partitions_by_topic_partition.items()), self._cluster_resource,
                     frozenset(self._topic_ids.items())))
