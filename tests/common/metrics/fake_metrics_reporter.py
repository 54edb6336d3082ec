# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A reporter that remembers what it was told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kreactor.common.metric_name import MetricName
from kreactor.common.metrics.kafka_metric import KafkaMetric
from kreactor.common.metrics.metrics_context import MetricsContext
from kreactor.common.metrics.metrics_reporter import MetricsReporter


class FakeMetricsReporter(MetricsReporter):
    """Keeps the metrics there are, and the order of the other calls."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.active: dict[MetricName, KafkaMetric] = {}
        self.context: MetricsContext | None = None

    def configure(self, configs: Mapping[str, object]) -> None:
        """Do nothing."""

    def init(self, metrics: Sequence[KafkaMetric]) -> None:
        """Take the metrics that are there."""
        self.calls.append("init")
        self.active.update((metric.metric_name(), metric) for metric in metrics)

    def metric_change(self, metric: KafkaMetric) -> None:
        """Add a metric."""
        self.active[metric.metric_name()] = metric

    def metric_removal(self, metric: KafkaMetric) -> None:
        """Take a metric out."""
        del self.active[metric.metric_name()]

    def close(self) -> None:
        """Note the call."""
        self.calls.append("close")

    def context_change(self, metrics_context: MetricsContext) -> None:
        """Note the call."""
        self.calls.append("context_change")
        self.context = metrics_context
