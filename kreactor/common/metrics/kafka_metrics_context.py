# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.KafkaMetricsContext of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The labels of a Kafka service or client."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from kreactor.common.metrics.metrics_context import MetricsContext
from kreactor.jdk.text import java_text


class KafkaMetricsContext(MetricsContext):
    """A namespace and further labels. Immutable.

    :origin: common.metrics.KafkaMetricsContext
    """

    __slots__ = ("_context_labels",)

    def __init__(self, namespace: str | None, context_labels: Mapping[str, object] | None = None) -> None:
        """Convert the values of ``context_labels`` to str. None stays None.

        :origin: common.metrics.KafkaMetricsContext#KafkaMetricsContext(String)
        :origin: common.metrics.KafkaMetricsContext#KafkaMetricsContext(String, Map<String,?>)
        """
        self._context_labels: dict[str, str | None] = {MetricsContext.NAMESPACE: namespace}
        for key, value in (context_labels or {}).items():
            self._context_labels[key] = None if value is None else java_text(value)

    def context_labels(self) -> Mapping[str, str | None]:
        """Return a read-only view of the labels.

        :origin: common.metrics.KafkaMetricsContext#contextLabels()
        """
        return MappingProxyType(self._context_labels)
