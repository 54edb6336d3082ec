# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.BrokerMetricNamesTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The meters of replicas have Kafka's names."""

from __future__ import annotations

from pathlib import Path

from tests.core.server.brokers import new_broker


def test_metrics(tmp_path: Path) -> None:
    with new_broker(tmp_path) as broker:
        names = [name.get_mbean_name() for name in broker.metrics_registry().all_metrics()]
        for expected in ("LeaderCount", "PartitionCount", "OfflineReplicaCount", "UnderReplicatedPartitions",
                         "UnderMinIsrPartitionCount", "AtMinIsrPartitionCount", "ReassigningPartitions",
                         "IsrExpandsPerSec", "IsrShrinksPerSec", "FailedIsrUpdatesPerSec", "ProducerIdCount"):
            assert names.count(f"kafka.server:type=ReplicaManager,name={expected}") == 1, expected
