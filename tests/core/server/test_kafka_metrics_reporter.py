# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.KafkaMetricsReporterTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A reporter of metrics is told whose they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from kreactor.common.metrics.kafka_metric import KafkaMetric
from kreactor.common.metrics.metrics_context import MetricsContext
from kreactor.common.metrics.metrics_reporter import MetricsReporter
from tests.core.server.brokers import new_broker


class MockMetricsReporter(MetricsReporter):
    labels: Mapping[str, str] = {}

    def init(self, metrics: Sequence[KafkaMetric]) -> None:
        pass

    def metric_change(self, metric: KafkaMetric) -> None:
        pass

    def metric_removal(self, metric: KafkaMetric) -> None:
        pass

    def close(self) -> None:
        pass

    def context_change(self, metrics_context: MetricsContext) -> None:
        type(self).labels = metrics_context.context_labels()

    def configure(self, configs: Mapping[str, object]) -> None:
        pass


@pytest.mark.parametrize(("roles", "broker_id", "node_id"), [
    ({}, "1", None),
    ({"node.id": "1", "process.roles": "broker", "controller.listener.names": "CONTROLLER",
      "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
      "controller.quorum.voters": "1000@localhost:0"}, None, "1")], ids=["zk", "kraft"])
def test_metrics_context_namespace_present(tmp_path: Path, roles: Mapping[str, str], broker_id: str | None,
                                           node_id: str | None) -> None:
    """The settings decide: those of a broker on ZooKeeper, or of a KRaft one."""
    MockMetricsReporter.labels = {}
    props = {"metric.reporters": f"{__name__}.MockMetricsReporter", **roles}
    with new_broker(tmp_path, props) as broker:
        labels = MockMetricsReporter.labels
        assert labels.get("kafka.cluster.id") == broker.cluster_id()
        assert labels.get("kafka.broker.id") == broker_id
        assert labels.get("kafka.node.id") == node_id
        assert labels.get("_namespace") == "kafka.server"
