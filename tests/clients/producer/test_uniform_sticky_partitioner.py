# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.UniformStickyPartitionerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""One partition until a batch is full, whatever the keys."""

from __future__ import annotations

from collections import Counter

from kreactor.clients.producer.uniform_sticky_partitioner import UniformStickyPartitioner
from kreactor.common.cluster import Cluster
from kreactor.common.node import Node
from kreactor.common.partition_info import PartitionInfo

NODES = (Node(0, "localhost", 99), Node(1, "localhost", 100), Node(2, "localhost", 101))
TOPIC_A = "TOPIC_A"
TOPIC_B = "TOPIC_B"


def test_round_robin_with_unavailable_partitions() -> None:
    # Not in the order of their numbers.
    partitions = [PartitionInfo("test", 1, None, NODES, NODES),
                  PartitionInfo("test", 2, NODES[1], NODES, NODES),
                  PartitionInfo("test", 0, NODES[0], NODES, NODES)]
    cluster = Cluster("clusterId", NODES, partitions, set(), set())
    partitioner = UniformStickyPartitioner()
    counts: Counter[int] = Counter()
    part = 0
    for _ in range(50):
        part = partitioner.partition("test", None, None, None, None, cluster)
        counts[part] += 1
    # A batch is full.
    partitioner.on_new_batch("test", cluster, part)
    for _ in range(50):
        counts[partitioner.partition("test", None, None, None, None, cluster)] += 1
    assert counts == {0: 50, 2: 50}


def test_round_robin_with_key_bytes() -> None:
    check_sticky(b"key")


def test_round_robin_with_null_key_bytes() -> None:
    check_sticky(None)


def check_sticky(key_bytes: bytes | None) -> None:
    """A new batch moves the topic on, unless the topic has moved on before."""
    all_partitions = [PartitionInfo(TOPIC_A, 0, NODES[0], NODES, NODES),
                      PartitionInfo(TOPIC_A, 1, NODES[1], NODES, NODES),
                      PartitionInfo(TOPIC_A, 2, NODES[1], NODES, NODES),
                      PartitionInfo(TOPIC_B, 0, NODES[0], NODES, NODES)]
    cluster = Cluster("clusterId", NODES, all_partitions, set(), set())
    partitioner = UniformStickyPartitioner()
    counts: Counter[int] = Counter()

    def send_30() -> int:
        partition = 0
        for i in range(30):
            partition = partitioner.partition(TOPIC_A, None, key_bytes, None, None, cluster)
            counts[partition] += 1
            if i % 5 == 0:
                partitioner.partition(TOPIC_B, None, key_bytes, None, None, cluster)
        return partition

    old_part = send_30()
    partitioner.on_new_batch(TOPIC_A, cluster, old_part)
    partitioner.on_new_batch(TOPIC_B, cluster, 0)
    new_part = send_30()
    # Another thread has filled the same batch.
    partitioner.on_new_batch(TOPIC_A, cluster, old_part)
    send_30()
    assert counts == {old_part: 30, new_part: 60}
