# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.ProducerMetrics of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""All metric names of the producer in one place."""

from __future__ import annotations

from kreactor.clients.producer.internals.sender_metrics_registry import SenderMetricsRegistry
from kreactor.common.metrics.metrics import Metrics


class ProducerMetrics:
    """Holds the sender's metric names.

    :origin: clients.producer.internals.ProducerMetrics
    """

    def __init__(self, metrics: Metrics) -> None:
        """:origin: clients.producer.internals.ProducerMetrics#ProducerMetrics(Metrics)"""
        self.sender_metrics = SenderMetricsRegistry(metrics)
