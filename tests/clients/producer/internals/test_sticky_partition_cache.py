# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.StickyPartitionCacheTest
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The sticky partition of each topic."""

from __future__ import annotations

from kreactor.clients.producer.internals.sticky_partition_cache import StickyPartitionCache
from kreactor.common.cluster import Cluster
from kreactor.common.node import Node
from kreactor.common.partition_info import PartitionInfo

NODES = (Node(0, "localhost", 99), Node(1, "localhost", 100), Node(11, "localhost", 102))
TOPIC_A = "topicA"
TOPIC_B = "topicB"
TOPIC_C = "topicC"


def test_sticky_partition_cache() -> None:
    all_partitions = [PartitionInfo(TOPIC_A, 0, NODES[0], NODES, NODES),
                      PartitionInfo(TOPIC_A, 1, NODES[1], NODES, NODES),
                      PartitionInfo(TOPIC_A, 2, NODES[2], NODES, NODES),
                      PartitionInfo(TOPIC_B, 0, NODES[0], NODES, NODES)]
    cluster = Cluster("clusterId", NODES, all_partitions, set(), set())
    cache = StickyPartitionCache()

    part_a = cache.partition(TOPIC_A, cluster)
    assert cache.partition(TOPIC_A, cluster) == part_a

    part_b = cache.partition(TOPIC_B, cluster)
    assert cache.partition(TOPIC_B, cluster) == part_b

    changed_part_a = cache.next_partition(TOPIC_A, cluster, part_a)
    assert cache.partition(TOPIC_A, cluster) == changed_part_a
    assert changed_part_a != part_a

    # The batch that is full was not of the sticky partition.
    assert cache.next_partition(TOPIC_A, cluster, part_a) == changed_part_a

    # The only partition stays.
    changed_part_b = cache.next_partition(TOPIC_B, cluster, part_b)
    assert cache.partition(TOPIC_B, cluster) == changed_part_b == part_b


def test_unavailable_partitions_test() -> None:
    all_partitions = [PartitionInfo(TOPIC_A, 0, NODES[0], NODES, NODES),
                      PartitionInfo(TOPIC_A, 1, None, NODES, NODES),
                      PartitionInfo(TOPIC_A, 2, NODES[2], NODES, NODES),
                      PartitionInfo(TOPIC_B, 0, None, NODES, NODES),
                      PartitionInfo(TOPIC_B, 1, NODES[0], NODES, NODES),
                      PartitionInfo(TOPIC_C, 0, None, NODES, NODES)]
    cluster = Cluster("clusterId", NODES, all_partitions, set(), set())
    cache = StickyPartitionCache()

    part_a = cache.partition(TOPIC_A, cluster)
    assert part_a != 1
    for _ in range(100):
        part_a = cache.next_partition(TOPIC_A, cluster, part_a)
        assert cache.partition(TOPIC_A, cluster) != 1

    part_b = cache.partition(TOPIC_B, cluster)
    assert part_b == 1
    for _ in range(100):
        part_b = cache.next_partition(TOPIC_B, cluster, part_b)
        assert cache.partition(TOPIC_B, cluster) == 1

    # No partition has a leader.
    part_c = cache.partition(TOPIC_C, cluster)
    assert part_c == 0
    assert cache.next_partition(TOPIC_C, cluster, part_c) == 0
