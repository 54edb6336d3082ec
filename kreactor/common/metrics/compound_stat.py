# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.CompoundStat of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A statistic that is several numbers."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from kreactor.common.metrics.stat import Stat

if TYPE_CHECKING:
    from kreactor.common.metric_name import MetricName
    from kreactor.common.metrics.measurable import Measurable


class CompoundStat(Stat):
    """One structure that takes the values and feeds many metrics, as a histogram its percentiles.

    :origin: common.metrics.CompoundStat
    """

    __slots__ = ()

    @abstractmethod
    def stats(self) -> list[NamedMeasurable]:
        """Return the metrics it feeds.

        :origin: common.metrics.CompoundStat#stats()
        """

    class NamedMeasurable:
        """A quantity and the name to register it by.

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


# By its plain name, as the origin imports it.
NamedMeasurable = CompoundStat.NamedMeasurable
