# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.MetricsReporter of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of a plug-in that exports metrics."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from kreactor.common.reconfigurable import Reconfigurable

if TYPE_CHECKING:
    from kreactor.common.metrics.kafka_metric import KafkaMetric
    from kreactor.common.metrics.metrics_context import MetricsContext


class MetricsReporter(Reconfigurable):
    """Is called for every added and removed metric. The reporter reads values at any time.

    The caller holds the lock of ``Metrics``, and often the lock of a sensor. Therefore the methods must not
    wait for a thread that records. Exceptions are logged, except those of ``init``.

    :origin: common.metrics.MetricsReporter
    """

    __slots__ = ()

    @abstractmethod
    def init(self, metrics: Sequence[KafkaMetric]) -> None:
        """Start with the metrics that exist when the reporter is added.

        :origin: common.metrics.MetricsReporter#init(List<KafkaMetric>)
        """

    @abstractmethod
    def metric_change(self, metric: KafkaMetric) -> None:
        """Called for an added metric.

        :origin: common.metrics.MetricsReporter#metricChange(KafkaMetric)
        """

    @abstractmethod
    def metric_removal(self, metric: KafkaMetric) -> None:
        """Called for a removed metric.

        :origin: common.metrics.MetricsReporter#metricRemoval(KafkaMetric)
        """

    @abstractmethod
    def close(self) -> None:
        """Close the reporter. Called when the registry closes or removes the reporter.

        :origin: common.metrics.MetricsReporter#close()
        """

    def reconfigurable_configs(self) -> AbstractSet[str]:
        """Return the names of reconfigurable settings; empty by default.

        :origin: common.metrics.MetricsReporter#reconfigurableConfigs()
        """
        return frozenset()

    def validate_reconfiguration(self, configs: Mapping[str, object]) -> None:
        """Raises ConfigException for invalid settings; accepts all by default.

        :origin: common.metrics.MetricsReporter#validateReconfiguration(Map<String,?>)
        """

    def reconfigure(self, configs: Mapping[str, object]) -> None:
        """Apply the settings; ignores them by default.

        :origin: common.metrics.MetricsReporter#reconfigure(Map<String,?>)
        """

    def context_change(self, metrics_context: MetricsContext) -> None:
        """Set the labels of the component. Called before ``init`` and after every change.

        :origin: common.metrics.MetricsReporter#contextChange(MetricsContext)
        """
