# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.MetricsContext of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The labels of the component whose metrics a reporter reports."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping


class MetricsContext(ABC):
    """The labels of all metrics of a component.

    A broker has the labels ``kafka.broker.id``, ``kafka.cluster.id`` and those set by ``metrics.context.*``.

    :origin: common.metrics.MetricsContext
    """

    __slots__ = ()

    # The label with the name of the component, such as "kafka.server" or "kafka.producer".
    NAMESPACE = "_namespace"

    @abstractmethod
    def context_labels(self) -> Mapping[str, str | None]:
        """Return the read-only labels.

        :origin: common.metrics.MetricsContext#contextLabels()
        """
