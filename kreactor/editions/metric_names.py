# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The metrics of an edition's classes, under Kafka's names."""

from __future__ import annotations

from collections.abc import Mapping

from kreactor.server.metrics.kafka_metrics_group import KafkaMetricsGroup
from kreactor.server.metrics.yammer import MetricName


class EditionMetricsGroup(KafkaMetricsGroup):
    """Uses Kafka's package names for the metrics of any edition. Called by any thread."""

    __slots__ = ()

    def metric_name(self, name: str, tags: Mapping[str, str]) -> MetricName:
        """Return a name in the group of Kafka's package: ``kafka.network`` for ``….v2_2.core.network.…``."""
        package = self._klass.__module__.rpartition(".core.")[2].rpartition(".")[0]
        return self.explicit_metric_name(f"kafka.{package}", self._klass.__name__, name, tags)
