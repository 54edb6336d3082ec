# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.CompoundStat of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of a statistic with several numbers."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from kreactor.common.metrics.stat import Stat

if TYPE_CHECKING:
    from kreactor.common.metric_name import MetricName
    from kreactor.common.metrics.measurable import Measurable


class CompoundStat(Stat):
    """A statistic that feeds several metrics, as a histogram feeds its percentiles.

    :origin: common.metrics.CompoundStat
    """

    __slots__ = ()

    @abstractmethod
    def stats(self) -> list[NamedMeasurable]:
        """Return the metrics of the statistic.

        :origin: common.metrics.CompoundStat#stats()
        """

    class NamedMeasurable:
        """A measurable and its metric name.

        :origin: common.metrics.CompoundStat.NamedMeasurable
        """

        __slots__ = ("_name", "_stat")

        def __init__(self, name: MetricName, stat: Measurable) -> None:
            """:origin: common.metrics.CompoundStat.NamedMeasurable#NamedMeasurable(MetricName, Measurable)"""
            self._name = name
            self._stat = stat

        def name(self) -> MetricName:
            """:origin: common.metrics.CompoundStat.NamedMeasurable#name()"""
            return self._name

        def stat(self) -> Measurable:
            """:origin: common.metrics.CompoundStat.NamedMeasurable#stat()"""
            return self._stat


# Assigned to a plain name, as the origin imports the class.
NamedMeasurable = CompoundStat.NamedMeasurable
