# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.PartitionInfo of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A client's view of a partition: its replicas and its leader."""

from __future__ import annotations

from collections.abc import Sequence

from kreactor.common.node import Node


class PartitionInfo:
    """The leader and the replicas of a partition. Immutable.

    :origin: common.PartitionInfo
    """

    __slots__ = ("_topic", "_partition", "_leader", "_replicas", "_in_sync_replicas", "_offline_replicas")

    def __init__(self, topic: str, partition: int, leader: Node | None, replicas: Sequence[Node],
                 in_sync_replicas: Sequence[Node], offline_replicas: Sequence[Node] = ()) -> None:
        """Keep the fields. ``leader`` is None for a partition without leader.

        :origin: common.PartitionInfo#PartitionInfo(String, int, Node, Node[], Node[])
        :origin: common.PartitionInfo#PartitionInfo(String, int, Node, Node[], Node[], Node[])
        """
        self._topic = topic
        self._partition = partition
        self._leader = leader
        self._replicas = tuple(replicas)
        self._in_sync_replicas = tuple(in_sync_replicas)
        self._offline_replicas = tuple(offline_replicas)

    def topic(self) -> str:
        """Return the topic's name.

        :origin: common.PartitionInfo#topic()
        """
        return self._topic

    def partition(self) -> int:
        """Return the partition's number.

        :origin: common.PartitionInfo#partition()
        """
        return self._partition

    def leader(self) -> Node | None:
        """Return the node that leads the partition, or None.

        :origin: common.PartitionInfo#leader()
        """
        return self._leader

    def replicas(self) -> tuple[Node, ...]:
        """Return all replicas, online or not.

        :origin: common.PartitionInfo#replicas()
        """
        return self._replicas

    def in_sync_replicas(self) -> tuple[Node, ...]:
        """Return the in-sync replicas.

        :origin: common.PartitionInfo#inSyncReplicas()
        """
        return self._in_sync_replicas

    def offline_replicas(self) -> tuple[Node, ...]:
        """Return the offline replicas.

        :origin: common.PartitionInfo#offlineReplicas()
        """
        return self._offline_replicas

    def __hash__(self) -> int:
        """Hash the compared fields.

        :origin: common.PartitionInfo#hashCode()
        """
        return hash((self._topic, self._partition, self._leader, self._replicas, self._in_sync_replicas,
                     self._offline_replicas))

    def __eq__(self, other: object) -> bool:
        """Compare all fields.

        :origin: common.PartitionInfo#equals(Object)
        """
        if self is other:
            return True
        if type(other) is not type(self):
            return False
        return (self._topic == other._topic and self._partition == other._partition
                and self._leader == other._leader and self._replicas == other._replicas
                and self._in_sync_replicas == other._in_sync_replicas
                and self._offline_replicas == other._offline_replicas)

    def __str__(self) -> str:
        """Return all fields, with nodes as ids.

        :origin: common.PartitionInfo#toString()
        """
        leader = "none" if self._leader is None else self._leader.id_string()
        return (f"Partition(topic = {self._topic}, partition = {self._partition}, leader = {leader}, "
                f"replicas = {self._format_node_ids(self._replicas)}, "
                f"isr = {self._format_node_ids(self._in_sync_replicas)}, "
                f"offlineReplicas = {self._format_node_ids(self._offline_replicas)})")

    __repr__ = __str__

    @staticmethod
    def _format_node_ids(nodes: Sequence[Node]) -> str:
        """Return the ids of nodes as text.

        :origin: common.PartitionInfo#formatNodeIds(Node[])
        """
        return f"[{','.join(node.id_string() for node in nodes)}]"
