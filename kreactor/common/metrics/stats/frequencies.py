# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.stats.Frequencies of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The relative frequencies of recent values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from kreactor.common.metrics.compound_stat import CompoundStat, NamedMeasurable
from kreactor.common.metrics.measurable import Measurable
from kreactor.common.metrics.stats.frequency import Frequency
from kreactor.common.metrics.stats.histogram import BinScheme, ConstantBinScheme, Histogram
from kreactor.common.metrics.stats.sampled_stat import SampledStat
from kreactor.jdk.doubles import divide, to_float
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.text import double_text

if TYPE_CHECKING:
    from kreactor.common.metric_name import MetricName
    from kreactor.common.metrics.metric_config import MetricConfig


class Frequencies(SampledStat, CompoundStat):
    """Buckets around equidistant values, with one metric for the frequency of each chosen value.

    :origin: common.metrics.stats.Frequencies
    """

    __slots__ = ("_frequencies", "_bin_scheme")

    @staticmethod
    def for_boolean_values(false_metric_name: MetricName | None,
                           true_metric_name: MetricName | None) -> Frequencies:
        """Return the frequencies of 0.0 for False and of 1.0 for True.

        Either metric name may be None, but not both.

        :origin: common.metrics.stats.Frequencies#forBooleanValues(MetricName, MetricName)
        """
        frequencies = []
        if false_metric_name is not None:
            frequencies.append(Frequency(false_metric_name, 0.0))
        if true_metric_name is not None:
            frequencies.append(Frequency(true_metric_name, 1.0))
        if not frequencies:
            raise IllegalArgumentException("Must specify at least one metric name")
        return Frequencies(2, 0.0, 1.0, *frequencies)

    def __init__(self, buckets: int, min: float, max: float, *frequencies: Frequency) -> None:
        """``min`` is the center of the first bucket, ``max`` of the last. A bucket may have no metric.

        Raises IllegalArgumentException for fewer than 2 buckets, for more frequencies than buckets, or for a
        frequency's value outside the range.

        :origin: common.metrics.stats.Frequencies#Frequencies(int, double, double, Frequency...)
        """
        super().__init__(0.0)
        min, max = float(min), float(max)
        if max < min:
            raise IllegalArgumentException(
                f"The maximum value {double_text(max)} must be greater than the minimum value "
                f"{double_text(min)}")
        if buckets < 1:
            raise IllegalArgumentException("Must be at least 1 bucket")
        if buckets < len(frequencies):
            raise IllegalArgumentException("More frequencies than buckets")
        self._frequencies = frequencies
        for freq in frequencies:
            if min > freq.center_value() or max < freq.center_value():
                raise IllegalArgumentException(
                    f"The frequency centered at '{double_text(freq.center_value())}' is not within the range "
                    f"[{double_text(min)},{double_text(max)}]")
        half_bucket_width = divide(max - min, buckets - 1) / 2.0
        self._bin_scheme: BinScheme = ConstantBinScheme(
            buckets, min - half_bucket_width, max + half_bucket_width)

    def stats(self) -> list[NamedMeasurable]:
        """:origin: common.metrics.stats.Frequencies#stats()"""
        def measure(center: float) -> Measurable:
            return Measurable.of(lambda config, now: self.frequency(config, now, center))

        return [NamedMeasurable(frequency.name(), measure(frequency.center_value()))
                for frequency in self._frequencies]

    def frequency(self, config: MetricConfig, now: int, center_value: float) -> float:
        """Return the fraction, 0 to 1, of the values in the bucket of ``center_value``.

        :origin: common.metrics.stats.Frequencies#frequency(MetricConfig, long, double)
        """
        self._purge_obsolete_samples(config, now)
        total_count = 0
        for sample in self._samples:
            total_count += sample._event_count
        if total_count == 0:
            return 0.0
        count = 0.0
        bin_num = self._bin_scheme.to_bin(center_value)
        for s in self._samples:
            sample = cast(Frequencies.HistogramSample, s)
            hist = sample._histogram.counts()
            count = to_float(count + hist[bin_num])
        return count / total_count

    def total_count(self) -> float:
        """:origin: common.metrics.stats.Frequencies#totalCount()"""
        count = 0
        for sample in self._samples:
            count += sample._event_count
        return float(count)

    def combine(self, samples: Sequence[SampledStat.Sample], config: MetricConfig, now: int) -> float:
        """:origin: common.metrics.stats.Frequencies#combine(List<Sample>, MetricConfig, long)"""
        return self.total_count()

    def _new_sample(self, time_ms: int) -> HistogramSample:
        """:origin: common.metrics.stats.Frequencies#newSample(long)"""
        return Frequencies.HistogramSample(self._bin_scheme, time_ms)

    def _update(self, sample: SampledStat.Sample, config: MetricConfig, value: float, time_ms: int) -> None:
        """:origin: common.metrics.stats.Frequencies#update(Sample, MetricConfig, double, long)"""
        hist = cast(Frequencies.HistogramSample, sample)
        hist._histogram.record(value)

    class HistogramSample(SampledStat.Sample):
        """A sample that counts its values by bucket.

        :origin: common.metrics.stats.Frequencies.HistogramSample
        """

        __slots__ = ("_histogram",)

        def __init__(self, scheme: BinScheme, now: int) -> None:
            """:origin: common.metrics.stats.Frequencies.HistogramSample#HistogramSample(BinScheme, long)"""
            super().__init__(0.0, now)
            self._histogram = Histogram(scheme)

        def reset(self, now: int) -> None:
            """:origin: common.metrics.stats.Frequencies.HistogramSample#reset(long)"""
            super().reset(now)
            self._histogram.clear()
