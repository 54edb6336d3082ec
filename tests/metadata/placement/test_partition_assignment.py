# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.metadata.placement.PartitionAssignmentTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The replicas of a partition."""

from __future__ import annotations

from kreactor.common.uuid import Uuid
from kreactor.metadata.placement.partition_assignment import PartitionAssignment
from tests.metadata.placement.brokers import Cluster, partition_assignment


def test_partition_assignment_replicas() -> None:
    assert list(partition_assignment(0, 1, 2).replicas()) == [0, 1, 2]


def test_consistent_equals_and_hash_code() -> None:
    first, second = partition_assignment(0, 1, 2), partition_assignment(1, 2, 0)
    for each in (first, second):
        assert each == partition_assignment(*each.replicas())
        assert hash(each) == hash(partition_assignment(*each.replicas()))
    assert first != second
    assert hash(first) != hash(second)


def test_to_string() -> None:
    directories = ["65WMNfybQpCDVulYOxMCTw", "VkZ5AkuESPGkMc2OxpKUjw", "wFtTi4FxTlOhhHytfxv7fQ"]
    cluster = Cluster(directories=[Uuid.from_string(each) for each in directories])
    assert str(PartitionAssignment([0, 1, 2], cluster)) == (
        "PartitionAssignment(replicas=[0, 1, 2], "
        "directories=[65WMNfybQpCDVulYOxMCTw, VkZ5AkuESPGkMc2OxpKUjw, wFtTi4FxTlOhhHytfxv7fQ])")
