# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.MetricsReporter of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The face of a plug-in that tells the world about metrics."""

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
    """Hears of every metric that comes and goes, and reads the values when it likes.

    Its methods are called with the locks of ``Metrics``, and most with those of a sensor, held: they must
    not wait for a thread that records. Their exceptions are logged, except those of ``init``.

    :origin: common.metrics.MetricsReporter
    """

    __slots__ = ()

    @abstractmethod
    def init(self, metrics: Sequence[KafkaMetric]) -> None:
        """Take the metrics that are there when the reporter is added.

        :origin: common.metrics.MetricsReporter#init(List<KafkaMetric>)
        """

    @abstractmethod
    def metric_change(self, metric: KafkaMetric) -> None:
        """Hear of a metric that is new.

        :origin: common.metrics.MetricsReporter#metricChange(KafkaMetric)
        """

    @abstractmethod
    def metric_removal(self, metric: KafkaMetric) -> None:
        """Hear of a metric that is gone.

        :origin: common.metrics.MetricsReporter#metricRemoval(KafkaMetric)
        """

    @abstractmethod
    def close(self) -> None:
        """End, with the registry or with the removal from it.

        :origin: common.metrics.MetricsReporter#close()
        """

    def reconfigurable_configs(self) -> AbstractSet[str]:
        """Return nothing, unless overridden.

        :origin: common.metrics.MetricsReporter#reconfigurableConfigs()
        """
        return frozenset()

    def validate_reconfiguration(self, configs: Mapping[str, object]) -> None:
        """Refuse nothing, unless overridden.

        :origin: common.metrics.MetricsReporter#validateReconfiguration(Map<String,?>)
        """

    def reconfigure(self, configs: Mapping[str, object]) -> None:
        """Take nothing, unless overridden.

        :origin: common.metrics.MetricsReporter#reconfigure(Map<String,?>)
        """

    def context_change(self, metrics_context: MetricsContext) -> None:
        """Take the labels of the component, first before ``init``, then whenever they change.

        :origin: common.metrics.MetricsReporter#contextChange(MetricsContext)
        """
