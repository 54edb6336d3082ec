# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.MetricsContext of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The labels of the component whose metrics a reporter reports."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping


class MetricsContext(ABC):
    """Labels that hold for all metrics of a component.

    A broker's are ``kafka.broker.id``, ``kafka.cluster.id`` and whatever ``metrics.context.*`` sets.

    :origin: common.metrics.MetricsContext
    """

    __slots__ = ()

    # The label that says which component this is: "kafka.server", "kafka.producer".
    NAMESPACE = "_namespace"

    @abstractmethod
    def context_labels(self) -> Mapping[str, str | None]:
        """Return the labels, which may not be changed.

        :origin: common.metrics.MetricsContext#contextLabels()
        """
