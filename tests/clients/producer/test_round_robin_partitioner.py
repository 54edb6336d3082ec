# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.RoundRobinPartitionerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The partitions in turn."""

from __future__ import annotations

from collections import Counter

from kreactor.clients.producer.round_robin_partitioner import RoundRobinPartitioner
from kreactor.common.cluster import Cluster
from kreactor.common.node import Node
from kreactor.common.partition_info import PartitionInfo

NODES = (Node(0, "localhost", 99), Node(1, "localhost", 100), Node(2, "localhost", 101))
TOPIC_A = "topicA"
TOPIC_B = "topicB"


def test_round_robin_with_unavailable_partitions() -> None:
    # Not in the order of their numbers.
    partitions = [PartitionInfo("test", 1, None, NODES, NODES),
                  PartitionInfo("test", 2, NODES[1], NODES, NODES),
                  PartitionInfo("test", 0, NODES[0], NODES, NODES)]
    cluster = Cluster("clusterId", NODES, partitions, set(), set())
    partitioner = RoundRobinPartitioner()
    counts = Counter(partitioner.partition("test", None, None, None, None, cluster) for _ in range(100))
    assert counts == {0: 50, 2: 50}


def test_round_robin_with_key_bytes() -> None:
    check_round_robin(b"key")


def test_round_robin_with_null_key_bytes() -> None:
    check_round_robin(None)


def check_round_robin(key_bytes: bytes | None) -> None:
    """Another topic has turns of its own."""
    all_partitions = [PartitionInfo(TOPIC_A, 0, NODES[0], NODES, NODES),
                      PartitionInfo(TOPIC_A, 1, NODES[1], NODES, NODES),
                      PartitionInfo(TOPIC_A, 2, NODES[2], NODES, NODES),
                      PartitionInfo(TOPIC_B, 0, NODES[0], NODES, NODES)]
    cluster = Cluster("clusterId", NODES, all_partitions, set(), set())
    partitioner = RoundRobinPartitioner()
    counts: Counter[int] = Counter()
    for i in range(30):
        counts[partitioner.partition(TOPIC_A, None, key_bytes, None, None, cluster)] += 1
        if i % 5 == 0:
            partitioner.partition(TOPIC_B, None, key_bytes, None, None, cluster)
    assert counts == {0: 10, 1: 10, 2: 10}


def test_next_partition_when_none_has_a_leader() -> None:
    partitions = [PartitionInfo("test", number, None, NODES, NODES) for number in range(3)]
    cluster = Cluster("clusterId", NODES, partitions, set(), set())
    partitioner = RoundRobinPartitioner()
    assert [partitioner.partition("test", None, None, None, None, cluster) for _ in range(4)] == [0, 1, 2, 0]
