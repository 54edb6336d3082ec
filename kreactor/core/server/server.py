# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.Server of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The configuration and the labels of a broker's metrics. Any thread may call these functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.metrics.kafka_metrics_context import KafkaMetricsContext
from kreactor.common.metrics.metric_config import MetricConfig
from kreactor.common.metrics.sensor import Sensor
from kreactor.jdk.time_unit import TimeUnit

if TYPE_CHECKING:
    from kreactor.core.server.kafka_config import KafkaConfig


class Server:
    """
    :origin: kafka.server.Server
    :origin: kafka.server.Server
    """

    METRICS_PREFIX = "kafka.server"
    CLUSTER_ID_LABEL = "kafka.cluster.id"
    BROKER_ID_LABEL = "kafka.broker.id"
    NODE_ID_LABEL = "kafka.node.id"

    @staticmethod
    def build_metrics_config(kafka_config: KafkaConfig) -> MetricConfig:
        """Return the configuration. Raises IllegalArgumentException for an unknown recording level.

        :origin: kafka.server.Server#buildMetricsConfig
        """
        return (MetricConfig()
                .samples_to(kafka_config.metric_num_samples())
                .record_level_to(Sensor.RecordingLevel.for_name(kafka_config.metric_recording_level()))
                .time_window_to(kafka_config.metric_sample_window_ms(), TimeUnit.MILLISECONDS))

    @staticmethod
    def create_kafka_metrics_context(config: KafkaConfig, cluster_id: str) -> KafkaMetricsContext:
        """Return the labels by which metrics reporters identify the broker.

        :origin: kafka.server.Server#createKafkaMetricsContext
        """
        context_labels: dict[str, object] = {Server.CLUSTER_ID_LABEL: cluster_id}
        if config.uses_self_managed_quorum():
            context_labels[Server.NODE_ID_LABEL] = str(config.node_id())
        else:
            context_labels[Server.BROKER_ID_LABEL] = str(config.broker_id())
        context_labels.update(config.originals_with_prefix("metrics.context."))
        return KafkaMetricsContext(Server.METRICS_PREFIX, context_labels)
