# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.stats.SampledStat of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A statistic over the recent past, kept as a ring of samples.

A sample takes values for a time window or up to a number of events, whichever is over first; then the
oldest is cleared and used again. Nothing moves while nothing is recorded, so samples may lie apart; what is
too old is cleared when the statistic is measured.

There is one sample more than the configuration asks for: while the newest fills, the oldest still overlaps
the time that is measured. Owner: whoever holds the metric lock of the sensor.
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
    """The ring; how a value goes into a sample, and how samples make a measurement, is the subclasses'.

    :origin: common.metrics.stats.SampledStat
    """

    __slots__ = ("_initial_value", "_current", "_samples")

    def __init__(self, initial_value: float) -> None:
        """``initial_value`` is that of a cleared sample.

        :origin: common.metrics.stats.SampledStat#SampledStat(double)
        """
        self._initial_value = initial_value
        self._current = 0
        self._samples: list[SampledStat.Sample] = []

    def record(self, config: MetricConfig, value: float, time_ms: int) -> None:
        """Put ``value`` into the current sample, or into the next if that is complete.

        :origin: common.metrics.stats.SampledStat#record(MetricConfig, double, long)
        """
        sample = self.current(time_ms)
        if sample.is_complete(time_ms, config):
            sample = self._advance(config, time_ms)
        self._update(sample, config, value, time_ms)
        sample._event_count += 1
        sample._last_event_ms = time_ms

    def record_all(self, config: MetricConfig, values: Sequence[float], time_ms: int) -> None:
        """Put all ``values`` into one sample, unless they are too many for it."""
        sample = self.current(time_ms)
        if time_ms - sample._start_time_ms >= config.time_window_ms():
            sample = self._advance(config, time_ms)
        if sample._event_count + len(values) > config._event_window:
            super().record_all(config, values, time_ms)
            return
        self._update_all(sample, config, values, time_ms)
        sample._event_count += len(values)
        sample._last_event_ms = time_ms

    def _update_all(self, sample: Sample, config: MetricConfig, values: Sequence[float],
                    time_ms: int) -> None:
        """Put ``values`` into ``sample``; subclasses do it at once."""
        for value in values:
            self._update(sample, config, value, time_ms)

    def _advance(self, config: MetricConfig, time_ms: int) -> Sample:
        """Return the next sample, new or cleared. After the number of samples was lowered, some stay behind.

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
        """Clear what is too old, and combine the rest.

        :origin: common.metrics.stats.SampledStat#measure(MetricConfig, long)
        """
        self._purge_obsolete_samples(config, now)
        return self.combine(self._samples, config, now)

    def current(self, time_ms: int) -> Sample:
        """Return the sample that values go into; the first begins at ``time_ms``.

        :origin: common.metrics.stats.SampledStat#current(long)
        """
        if not self._samples:
            self._samples.append(self._new_sample(time_ms))
        return self._samples[self._current]

    def oldest(self, now: int) -> Sample:
        """Return the sample that began first; if there is none, one that begins ``now``.

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
        """Put ``value`` into ``sample``, whose count and times are seen to elsewhere.

        :origin: common.metrics.stats.SampledStat#update(Sample, MetricConfig, double, long)
        """

    @abstractmethod
    def combine(self, samples: Sequence[Sample], config: MetricConfig, now: int) -> float:
        """Return the measurement that ``samples`` make.

        :origin: common.metrics.stats.SampledStat#combine(List<Sample>, MetricConfig, long)
        """

    def _purge_obsolete_samples(self, config: MetricConfig, now: int) -> None:
        """Clear the samples whose last event is too old. One that only began before that is kept whole.

        :origin: common.metrics.stats.SampledStat#purgeObsoleteSamples(MetricConfig, long)
        """
        expire_age = config.samples() * config.time_window_ms()
        for sample in self._samples:
            if now - sample._last_event_ms >= expire_age:
                sample.reset(now)

    class Sample:
        """The values of one window. Times are of the day, in milliseconds.

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
            """Begin again.

            :origin: common.metrics.stats.SampledStat.Sample#reset(long)
            """
            self._event_count = 0
            self._start_time_ms = now
            self._last_event_ms = now
            self._value = self._initial_value

        def is_complete(self, time_ms: int, config: MetricConfig) -> bool:
            """Return whether a value of ``time_ms`` belongs into another sample.

            :origin: common.metrics.stats.SampledStat.Sample#isComplete(long, MetricConfig)
            """
            return (time_ms - self._start_time_ms >= config.time_window_ms()
                    or self._event_count >= config.event_window())

        def __str__(self) -> str:
            """:origin: common.metrics.stats.SampledStat.Sample#toString()"""
            return (f"Sample(value={double_text(self._value)}, eventCount={self._event_count}, "
                    f"startTimeMs={self._start_time_ms}, lastEventMs={self._last_event_ms}, "
                    f"initialValue={double_text(self._initial_value)})")
