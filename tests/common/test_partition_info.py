# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka's PartitionInfoTest, and how partitions compare."""

from __future__ import annotations

from kreactor.common.node import Node
from kreactor.common.partition_info import PartitionInfo

LEADER = Node(0, "localhost", 9092)
R1 = Node(1, "localhost", 9093)
R2 = Node(2, "localhost", 9094)


def test_to_string() -> None:
    partition_info = PartitionInfo("sample", 0, LEADER, [LEADER, R1, R2], [LEADER, R1], [R2])
    assert str(partition_info) == (
        "Partition(topic = sample, partition = 0, leader = 0, replicas = [0,1,2], isr = [0,1], "
        "offlineReplicas = [2])")
    assert str(PartitionInfo("sample", 3, None, [], [])) == (
        "Partition(topic = sample, partition = 3, leader = none, replicas = [], isr = [], "
        "offlineReplicas = [])")


def test_equal_by_all() -> None:
    parts = ("sample", 0, LEADER, [LEADER, R1], [LEADER], [R1])
    info = PartitionInfo(*parts)
    assert info == PartitionInfo(*parts) and hash(info) == hash(PartitionInfo(*parts))
    others = ("other", 1, None, [LEADER], [], [])
    for i in range(len(parts)):
        assert info != PartitionInfo(*(*parts[:i], others[i], *parts[i + 1:]))
    assert info != "sample-0"
