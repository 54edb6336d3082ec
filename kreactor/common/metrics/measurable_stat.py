# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.MeasurableStat of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of a statistic with one number."""

from __future__ import annotations

from kreactor.common.metrics.measurable import Measurable
from kreactor.common.metrics.stat import Stat


class MeasurableStat(Stat, Measurable):
    """A statistic that records values and can be measured.

    :origin: common.metrics.MeasurableStat
    """

    __slots__ = ()
