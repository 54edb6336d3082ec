# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ServerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The labels by which reporters of metrics know a broker."""

from __future__ import annotations

from kreactor.common.metrics.metrics_context import MetricsContext
from kreactor.common.uuid import Uuid
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.server import Server


def labels(props: dict[str, str], cluster_id: str) -> dict[str, object]:
    config = KafkaConfig.from_props(props)
    return dict(Server.create_kafka_metrics_context(config, cluster_id).context_labels())


def test_create_self_managed_kafka_metrics_context() -> None:
    cluster_id = str(Uuid.random_uuid())
    assert labels({
        "process.roles": "broker", "node.id": "0", "controller.quorum.voters": "1@localhost:9093",
        "controller.listener.names": "SSL"}, cluster_id) == {
        MetricsContext.NAMESPACE: "kafka.server", "kafka.cluster.id": cluster_id, "kafka.node.id": "0"}


def test_create_zk_kafka_metrics_context() -> None:
    cluster_id = str(Uuid.random_uuid())
    assert labels({"broker.id": "0", "zookeeper.connect": "127.0.0.1:0"}, cluster_id) == {
        MetricsContext.NAMESPACE: "kafka.server", "kafka.cluster.id": cluster_id, "kafka.broker.id": "0"}
