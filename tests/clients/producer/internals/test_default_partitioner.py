# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.DefaultPartitionerTest
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The partition of a key."""

from __future__ import annotations

from kreactor.clients.producer.internals.default_partitioner import DefaultPartitioner
from kreactor.common.cluster import Cluster
from kreactor.common.node import Node
from kreactor.common.partition_info import PartitionInfo

KEY_BYTES = b"key"
NODES = (Node(0, "localhost", 99), Node(1, "localhost", 100), Node(12, "localhost", 101))
TOPIC = "test"
# Not in the order of their numbers.
PARTITIONS = (PartitionInfo(TOPIC, 1, None, NODES, NODES), PartitionInfo(TOPIC, 2, NODES[1], NODES, NODES),
              PartitionInfo(TOPIC, 0, NODES[0], NODES, NODES))


def test_key_partition_is_stable() -> None:
    partitioner = DefaultPartitioner()
    cluster = Cluster("clusterId", NODES, PARTITIONS, set(), set())
    partition = partitioner.partition(TOPIC, None, KEY_BYTES, None, None, cluster)
    assert partitioner.partition(TOPIC, None, KEY_BYTES, None, None, cluster) == partition
