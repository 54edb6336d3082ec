# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.KafkaMetricReporterClusterIdTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A reporter of metrics gets the broker's id and learns the cluster's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kreactor.common.uuid import Uuid
from tests.core.server.brokers import new_broker
from tests.core.server.test_kafka_metrics_reporter import MockMetricsReporter


class MockBrokerMetricsReporter(MockMetricsReporter):
    broker_id: object = None

    def configure(self, configs: Mapping[str, object]) -> None:
        type(self).broker_id = configs.get("broker.id")


def test_cluster_id_present(tmp_path: Path) -> None:
    """Kafka's own is for ZooKeeper and has a reporter of Yammer's metrics, too; none has one here."""
    MockBrokerMetricsReporter.broker_id = None
    MockBrokerMetricsReporter.labels = {}
    props = {"metric.reporters": f"{__name__}.MockBrokerMetricsReporter", "broker.id": "-1"}
    with new_broker(tmp_path, props) as broker:
        broker_id = MockBrokerMetricsReporter.broker_id
        assert isinstance(broker_id, str), "no broker id, or not a string"
        assert int(broker_id) == broker.config().broker_id()
        cluster_id = MockBrokerMetricsReporter.labels["kafka.cluster.id"]
        assert len(cluster_id) == 22 and str(Uuid.from_string(cluster_id)) == cluster_id
        assert cluster_id == broker.cluster_id()
