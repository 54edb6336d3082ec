# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.MetadataSnapshot of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The metadata at one moment: a Cluster, and the leader epochs, which a Cluster lacks.

A snapshot never changes, so any thread may read it without a lock.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Set
from types import MappingProxyType
from typing import Callable

from kreactor.common.cluster import Cluster
from kreactor.common.cluster_resource import ClusterResource
from kreactor.common.node import Node
from kreactor.common.requests.metadata_response import MetadataResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.net import InetSocketAddress
from kreactor.jdk.text import java_text

_NO_TOPICS: frozenset[str] = frozenset()


class MetadataSnapshot:
    """Nodes, partitions and topics. Immutable.

    :origin: clients.MetadataSnapshot
    """

    __slots__ = ("_cluster_id", "_nodes", "_unauthorized_topics", "_invalid_topics", "_internal_topics",
                 "_controller", "_metadata_by_partition", "_topic_ids", "_topic_names", "_cluster_instance")

    def __init__(self, cluster_id: str | None, nodes: Mapping[int, Node],
                 partitions: Iterable[MetadataResponse.PartitionMetadata], unauthorized_topics: Set[str],
                 invalid_topics: Set[str], internal_topics: Set[str], controller: Node | None,
                 topic_ids: Mapping[str, Uuid], cluster_instance: Cluster | None = None) -> None:
        """Store all arguments; the Cluster is computed from them unless it is given.

        Raises IllegalStateException if two topics have the same id.

        :origin: clients.MetadataSnapshot#MetadataSnapshot(String, Map<Integer,Node>,
            Collection<PartitionMetadata>, Set<String>, Set<String>, Set<String>, Node, Map<String,Uuid>)
        :origin: clients.MetadataSnapshot#MetadataSnapshot(String, Map<Integer,Node>,
            Collection<PartitionMetadata>, Set<String>, Set<String>, Set<String>, Node, Map<String,Uuid>,
            Cluster)
        """
        self._cluster_id = cluster_id
        self._nodes = MappingProxyType(nodes)
        self._unauthorized_topics = frozenset(unauthorized_topics)
        self._invalid_topics = frozenset(invalid_topics)
        self._internal_topics = frozenset(internal_topics)
        self._controller = controller
        self._topic_ids = MappingProxyType(topic_ids)
        topic_names: dict[Uuid, str] = {}
        for name, topic_id in topic_ids.items():
            if (other := topic_names.setdefault(topic_id, name)) != name:
                raise IllegalStateException(
                    f"Duplicate key {topic_id} (attempted merging values {other} and {name})")
        self._topic_names = MappingProxyType(topic_names)

        self._metadata_by_partition = MappingProxyType({p.topic_partition: p for p in partitions})

        self._cluster_instance = (
            self._compute_cluster_view() if cluster_instance is None else cluster_instance)

    def partition_metadata(
            self, topic_partition: TopicPartition) -> MetadataResponse.PartitionMetadata | None:
        """Return the metadata of a partition, or None.

        :origin: clients.MetadataSnapshot#partitionMetadata(TopicPartition)
        """
        return self._metadata_by_partition.get(topic_partition)

    def topic_ids(self) -> Mapping[str, Uuid]:
        """Return the ids of topics by name.

        :origin: clients.MetadataSnapshot#topicIds()
        """
        return self._topic_ids

    def topic_names(self) -> Mapping[Uuid, str]:
        """Return the names of topics by id.

        :origin: clients.MetadataSnapshot#topicNames()
        """
        return self._topic_names

    def node_by_id(self, id_: int) -> Node | None:
        """Return a node by its id, or None.

        :origin: clients.MetadataSnapshot#nodeById(int)
        """
        return self._nodes.get(id_)

    def cluster(self) -> Cluster:
        """Return the snapshot as a Cluster.

        :origin: clients.MetadataSnapshot#cluster()
        """
        return self._cluster_instance

    def leader_epoch_for(self, tp: TopicPartition) -> int | None:
        """Return the epoch of a partition's leader, or None if it is unknown.

        :origin: clients.MetadataSnapshot#leaderEpochFor(TopicPartition)
        """
        partition_metadata = self._metadata_by_partition.get(tp)
        return None if partition_metadata is None else partition_metadata.leader_epoch

    def cluster_resource(self) -> ClusterResource:
        """Return the cluster's id for listeners.

        :origin: clients.MetadataSnapshot#clusterResource()
        """
        return ClusterResource(self._cluster_id)

    def merge_with(self, new_cluster_id: str | None, new_nodes: Mapping[int, Node],
                   add_partitions: Collection[MetadataResponse.PartitionMetadata],
                   add_unauthorized_topics: Set[str], add_invalid_topics: Set[str],
                   add_internal_topics: Set[str], new_controller: Node | None,
                   add_topic_ids: Mapping[str, Uuid],
                   retain_topic: Callable[[str, bool], bool]) -> MetadataSnapshot:
        """Return a snapshot of newer metadata, with this snapshot's metadata where the newer ones are silent.

        ``add_topic_ids`` has the ids of topics in ``add_partitions``; a topic there without an id loses its
        former id. ``retain_topic`` gets the name of an older topic and whether it is internal, and returns
        whether to keep the topic.

        :origin: clients.MetadataSnapshot#mergeWith(String, Map<Integer,Node>, Collection<PartitionMetadata>,
            Set<String>, Set<String>, Set<String>, Node, Map<String,Uuid>, BiPredicate<String,Boolean>)
        """
        def should_retain_topic(topic: str) -> bool:
            return retain_topic(topic, topic in self._internal_topics)

        new_metadata_by_partition: dict[TopicPartition, MetadataResponse.PartitionMetadata] = {}

        new_topic_ids = {
            topic: topic_id for topic, topic_id in self._topic_ids.items() if should_retain_topic(topic)}

        for partition in add_partitions:
            new_metadata_by_partition[partition.topic_partition] = partition
            id_ = add_topic_ids.get(partition.topic())
            if id_ is not None:
                new_topic_ids[partition.topic()] = id_
            else:
                new_topic_ids.pop(partition.topic(), None)
        for topic_partition, metadata in self._metadata_by_partition.items():
            if should_retain_topic(topic_partition.topic()):
                new_metadata_by_partition.setdefault(topic_partition, metadata)

        new_unauthorized_topics = self._fill_set(
            add_unauthorized_topics, self._unauthorized_topics, should_retain_topic)
        new_invalid_topics = self._fill_set(add_invalid_topics, self._invalid_topics, should_retain_topic)
        new_internal_topics = self._fill_set(add_internal_topics, self._internal_topics, should_retain_topic)

        return MetadataSnapshot(
            new_cluster_id, new_nodes, new_metadata_by_partition.values(), new_unauthorized_topics,
            new_invalid_topics, new_internal_topics, new_controller, new_topic_ids)

    @staticmethod
    def _fill_set(base_set: Set[str], fill_set: Set[str], predicate: Callable[[str], bool]) -> set[str]:
        """Return ``base_set`` with those of ``fill_set`` for which ``predicate`` is true.

        :origin: clients.MetadataSnapshot#fillSet(Set<T>, Set<T>, Predicate<T>)
        """
        result = set(base_set)
        for element in fill_set:
            if predicate(element):
                result.add(element)
        return result

    def _compute_cluster_view(self) -> Cluster:
        """Return the Cluster of this snapshot.

        :origin: clients.MetadataSnapshot#computeClusterView()
        """
        partition_infos = [MetadataResponse.to_partition_info(metadata, self._nodes)
                           for metadata in self._metadata_by_partition.values()]
        return Cluster(self._cluster_id, self._nodes.values(), partition_infos, self._unauthorized_topics,
                       self._internal_topics, self._controller, invalid_topics=self._invalid_topics,
                       topic_ids=self._topic_ids)

    @staticmethod
    def bootstrap(addresses: Collection[InetSocketAddress]) -> MetadataSnapshot:
        """Return a client's initial snapshot: nodes at these addresses, with ids -1, -2 and so on.

        :origin: clients.MetadataSnapshot#bootstrap(List<InetSocketAddress>)
        """
        nodes: dict[int, Node] = {}
        node_id = -1
        for address in addresses:
            nodes[node_id] = Node(node_id, address.get_host_string(), address.get_port())
            node_id -= 1
        return MetadataSnapshot(None, nodes, (), _NO_TOPICS, _NO_TOPICS, _NO_TOPICS, None, {},
                                Cluster.bootstrap(addresses))

    @staticmethod
    def empty() -> MetadataSnapshot:
        """Return a snapshot without nodes and topics.

        :origin: clients.MetadataSnapshot#empty()
        """
        return MetadataSnapshot(None, {}, (), _NO_TOPICS, _NO_TOPICS, _NO_TOPICS, None, {}, Cluster.empty())

    def __str__(self) -> str:
        """Return the id, the nodes, the partitions and the controller.

        :origin: clients.MetadataSnapshot#toString()
        """
        return (f"MetadataSnapshot{{clusterId='{java_text(self._cluster_id)}', "
                f"nodes={java_text(self._nodes)}, "
                f"partitions={java_text(list(self._metadata_by_partition.values()))}, "
                f"controller={java_text(self._controller)}}}")
