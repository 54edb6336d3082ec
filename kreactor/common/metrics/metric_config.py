# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.MetricConfig of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The configuration of a metric: windows, quota, recording level."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kreactor.common.metrics.sensor import Sensor
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.time_unit import TimeUnit

if TYPE_CHECKING:
    from kreactor.common.metrics.quota import Quota

_LONG_MAX_VALUE = 2**63 - 1


class MetricConfig:
    """Settings with defaults. Each setter returns the object, so that calls can be chained.

    One thread sets it up before it is shared. Recording reads the fields without a lock. To change several
    fields, pass a new object to ``KafkaMetric.config_to``.

    :origin: common.metrics.MetricConfig
    """

    __slots__ = ("_quota", "_samples", "_event_window", "_time_window_ms", "_tags", "_recording_level")

    DEFAULT_NUM_SAMPLES = 2

    def __init__(self) -> None:
        """The defaults: two samples of 30 seconds, unlimited events, no quota, no tags, level INFO.

        :origin: common.metrics.MetricConfig#MetricConfig()
        """
        self._quota: Quota | None = None
        self._samples = self.DEFAULT_NUM_SAMPLES
        self._event_window = _LONG_MAX_VALUE
        self._time_window_ms = TimeUnit.MILLISECONDS.convert(30, TimeUnit.SECONDS)
        self._tags: Mapping[str, str] = {}
        self._recording_level = Sensor.RecordingLevel.INFO

    def quota(self) -> Quota | None:
        """:origin: common.metrics.MetricConfig#quota()"""
        return self._quota

    def quota_to(self, quota: Quota | None) -> MetricConfig:
        """:origin: common.metrics.MetricConfig#quota(Quota)"""
        self._quota = quota
        return self

    def event_window(self) -> int:
        """Return the number of events that completes a sample.

        :origin: common.metrics.MetricConfig#eventWindow()
        """
        return self._event_window

    def event_window_to(self, window: int) -> MetricConfig:
        """:origin: common.metrics.MetricConfig#eventWindow(long)"""
        self._event_window = window
        return self

    def time_window_ms(self) -> int:
        """Return the duration that completes a sample, in milliseconds.

        :origin: common.metrics.MetricConfig#timeWindowMs()
        """
        return self._time_window_ms

    def time_window_to(self, window: int, unit: TimeUnit) -> MetricConfig:
        """:origin: common.metrics.MetricConfig#timeWindow(long, TimeUnit)"""
        self._time_window_ms = TimeUnit.MILLISECONDS.convert(window, unit)
        return self

    def tags(self) -> Mapping[str, str]:
        """Return the tags of every metric of a registry.

        :origin: common.metrics.MetricConfig#tags()
        """
        return self._tags

    def tags_to(self, tags: Mapping[str, str]) -> MetricConfig:
        """:origin: common.metrics.MetricConfig#tags(Map<String,String>)"""
        self._tags = tags
        return self

    def samples(self) -> int:
        """Return the number of complete samples in a measurement.

        :origin: common.metrics.MetricConfig#samples()
        """
        return self._samples

    def samples_to(self, samples: int) -> MetricConfig:
        """Set the number of samples. Raises IllegalArgumentException for a number below 1.

        :origin: common.metrics.MetricConfig#samples(int)
        """
        if samples < 1:
            raise IllegalArgumentException("The number of samples must be at least 1.")
        self._samples = samples
        return self

    def record_level(self) -> Sensor.RecordingLevel:
        """Return the most detailed level that is recorded.

        :origin: common.metrics.MetricConfig#recordLevel()
        """
        return self._recording_level

    def record_level_to(self, recording_level: Sensor.RecordingLevel) -> MetricConfig:
        """:origin: common.metrics.MetricConfig#recordLevel(RecordingLevel)"""
        self._recording_level = recording_level
        return self
