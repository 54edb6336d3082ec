# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.stats.SampledStat of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A statistic of recent values in a ring of samples.

A sample is complete after a time window or a number of events, whichever comes first. The oldest sample is
then cleared and reused. Without records the ring does not advance, so two samples may be far apart in time. A
measurement first clears samples that are too old.

The ring has one sample more than configured, because the oldest sample still overlaps the measured time while
the newest fills. Owner: the thread that holds the metric lock of the sensor.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kreactor.common.metrics.measurable_stat import MeasurableStat
from kreactor.jdk.text import double_text

if TYPE_CHECKING:
    from kreactor.common.metrics.metric_config import MetricConfig


class SampledStat(MeasurableStat):
    """The ring of samples. A subclass updates a sample with a value and combines samples to a measurement.

    :origin: common.metrics.stats.SampledStat
    """

    __slots__ = ("_initial_value", "_current", "_samples")

    def __init__(self, initial_value: float) -> None:
        """``initial_value`` is the value of a cleared sample.

        :origin: common.metrics.stats.SampledStat#SampledStat(double)
        """
        self._initial_value = initial_value
        self._current = 0
        self._samples: list[SampledStat.Sample] = []

    def record(self, config: MetricConfig, value: float, time_ms: int) -> None:
        """Record ``value`` in the current sample, or in the next one if the current is complete.

        :origin: common.metrics.stats.SampledStat#record(MetricConfig, double, long)
        """
        sample = self.current(time_ms)
        if sample.is_complete(time_ms, config):
            sample = self._advance(config, time_ms)
        self._update(sample, config, value, time_ms)
        sample._event_count += 1
        sample._last_event_ms = time_ms

    def _advance(self, config: MetricConfig, time_ms: int) -> Sample:
        """Return the next sample, new or cleared. Samples above a lowered number stay unused in the list.

        :origin: common.metrics.stats.SampledStat#advance(MetricConfig, long)
        """
        max_samples = config.samples() + 1
        self._current = (self._current + 1) % max_samples
        if self._current >= len(self._samples):
            sample = self._new_sample(time_ms)
            self._samples.append(sample)
            return sample
        else:
            sample = self.current(time_ms)
            sample.reset(time_ms)
            return sample

    def _new_sample(self, time_ms: int) -> Sample:
        """:origin: common.metrics.stats.SampledStat#newSample(long)"""
        return SampledStat.Sample(self._initial_value, time_ms)

    def measure(self, config: MetricConfig, now: int) -> float:
        """Clear the samples that are too old, and combine the rest.

        :origin: common.metrics.stats.SampledStat#measure(MetricConfig, long)
        """
        self._purge_obsolete_samples(config, now)
        return self.combine(self._samples, config, now)

    def current(self, time_ms: int) -> Sample:
        """Return the current sample. Creates the first one with start ``time_ms``.

        :origin: common.metrics.stats.SampledStat#current(long)
        """
        if not self._samples:
            self._samples.append(self._new_sample(time_ms))
        return self._samples[self._current]

    def oldest(self, now: int) -> Sample:
        """Return the sample with the earliest start. Creates the first one with start ``now``.

        :origin: common.metrics.stats.SampledStat#oldest(long)
        """
        if not self._samples:
            self._samples.append(self._new_sample(now))
        oldest = self._samples[0]
        for curr in self._samples:
            if curr._start_time_ms < oldest._start_time_ms:
                oldest = curr
        return oldest

    def __str__(self) -> str:
        """:origin: common.metrics.stats.SampledStat#toString()"""
        return (f"SampledStat(initialValue={double_text(self._initial_value)}, current={self._current}, "
                f"samples=[{', '.join(map(str, self._samples))}])")

    @abstractmethod
    def _update(self, sample: Sample, config: MetricConfig, value: float, time_ms: int) -> None:
        """Record ``value`` in ``sample``. The caller updates the sample's count and times.

        :origin: common.metrics.stats.SampledStat#update(Sample, MetricConfig, double, long)
        """

    @abstractmethod
    def combine(self, samples: Sequence[Sample], config: MetricConfig, now: int) -> float:
        """Return the measurement of ``samples``.

        :origin: common.metrics.stats.SampledStat#combine(List<Sample>, MetricConfig, long)
        """

    def _purge_obsolete_samples(self, config: MetricConfig, now: int) -> None:
        """Clear the samples whose last event is too old. A sample that only started too early is kept.

        :origin: common.metrics.stats.SampledStat#purgeObsoleteSamples(MetricConfig, long)
        """
        expire_age = config.samples() * config.time_window_ms()
        for sample in self._samples:
            if now - sample._last_event_ms >= expire_age:
                sample.reset(now)

    class Sample:
        """The values of one window. Times are in milliseconds since 1970.

        :origin: common.metrics.stats.SampledStat.Sample
        """

        __slots__ = ("_initial_value", "_event_count", "_start_time_ms", "_last_event_ms", "_value")

        def __init__(self, initial_value: float, now: int) -> None:
            """:origin: common.metrics.stats.SampledStat.Sample#Sample(double, long)"""
            self._initial_value = initial_value
            self._event_count = 0
            self._start_time_ms = now
            self._last_event_ms = now
            self._value = initial_value

        def reset(self, now: int) -> None:
            """Clear the sample, and start it at ``now``.

            :origin: common.metrics.stats.SampledStat.Sample#reset(long)
            """
            self._event_count = 0
            self._start_time_ms = now
            self._last_event_ms = now
            self._value = self._initial_value

        def is_complete(self, time_ms: int, config: MetricConfig) -> bool:
            """Return whether the sample is complete at ``time_ms``.

            :origin: common.metrics.stats.SampledStat.Sample#isComplete(long, MetricConfig)
            """
            return (time_ms - self._start_time_ms >= config.time_window_ms()
                    or self._event_count >= config.event_window())

        def __str__(self) -> str:
            """:origin: common.metrics.stats.SampledStat.Sample#toString()"""
            return (f"Sample(value={double_text(self._value)}, eventCount={self._event_count}, "
                    f"startTimeMs={self._start_time_ms}, lastEventMs={self._last_event_ms}, "
                    f"initialValue={double_text(self._initial_value)})")
