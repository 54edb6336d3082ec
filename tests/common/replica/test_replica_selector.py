# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.replica.ReplicaSelectorTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The choice of the replica that a consumer reads."""

from __future__ import annotations

from kreactor.common.node import Node
from kreactor.common.replica.client_metadata import ClientMetadata
from kreactor.common.replica.partition_view import PartitionView
from kreactor.common.replica.rack_aware_replica_selector import RackAwareReplicaSelector
from kreactor.common.replica.replica_view import ReplicaView
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.topic_partition import TopicPartition

TP = TopicPartition("test", 0)
REPLICAS = [ReplicaView(Node(0, "host0", 1234, "rack-a"), 4, 0),
            ReplicaView(Node(1, "host1", 1234, "rack-a"), 2, 5),
            ReplicaView(Node(2, "host2", 1234, "rack-b"), 3, 3),
            ReplicaView(Node(3, "host3", 1234, "rack-b"), 4, 2)]


def metadata(rack: str) -> ClientMetadata:
    return ClientMetadata(rack, "test-client", "127.0.0.1", KafkaPrincipal.ANONYMOUS, "TEST")


def test_same_rack_selector() -> None:
    leader = REPLICAS[0]
    partition_view = PartitionView(frozenset(REPLICAS), leader)

    selector = RackAwareReplicaSelector()
    selected = selector.select(TP, metadata("rack-b"), partition_view)
    assert selected is not None
    assert selected.endpoint.rack() == "rack-b"
    assert selected.endpoint.id() == 3

    selected = selector.select(TP, metadata("not-a-rack"), partition_view)
    assert selected == leader

    selected = selector.select(TP, metadata("rack-a"), partition_view)
    assert selected is not None
    assert selected.endpoint.rack() == "rack-a"
    assert selected == leader


def test_without_a_rack_the_leader_is_read() -> None:
    assert RackAwareReplicaSelector().select(
        TP, metadata(""), PartitionView(frozenset(REPLICAS), REPLICAS[0])) == REPLICAS[0]
