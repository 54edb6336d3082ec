# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.stats.Percentiles of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Percentiles of recent values, from a histogram in each sample."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING, cast

from kreactor.common.metrics.compound_stat import CompoundStat, NamedMeasurable
from kreactor.common.metrics.measurable import Measurable
from kreactor.common.metrics.stats.histogram import (
    BinScheme,
    ConstantBinScheme,
    Histogram,
    LinearBinScheme,
)
from kreactor.common.metrics.stats.sampled_stat import SampledStat
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.doubles import to_float
from kreactor.jdk.exceptions import IllegalArgumentException

if TYPE_CHECKING:
    from kreactor.common.metrics.metric_config import MetricConfig
    from kreactor.common.metrics.stats.percentile import Percentile

log = LogContext().logger(f"{__name__}.Percentiles")


class Percentiles(SampledStat, CompoundStat):
    """Percentiles of values between a minimum and a maximum. Values outside count as the nearest bound.

    :origin: common.metrics.stats.Percentiles
    """

    __slots__ = ("_buckets", "_percentiles", "_bin_scheme", "_min", "_max")

    class BucketSizing(Enum):
        """The widths of the buckets: constant or linearly growing.

        :origin: common.metrics.stats.Percentiles.BucketSizing
        """

        CONSTANT = 0
        LINEAR = 1

    def __init__(self, size_in_bytes: int, max: float, bucketing: BucketSizing,
                 *percentiles: Percentile, min: float = 0.0) -> None:
        """``size_in_bytes`` is the size of one sample with 4 bytes per bucket.

        Raises IllegalArgumentException for linear buckets that do not start at 0, or for fewer than 2
        buckets.

        :origin: common.metrics.stats.Percentiles#Percentiles(int, double, BucketSizing, Percentile...)
        :origin: common.metrics.stats.Percentiles#Percentiles(int, double, double, BucketSizing, Percentile...)
        """  # noqa: E501
        super().__init__(0.0)
        self._percentiles = percentiles
        self._buckets = size_in_bytes // 4
        self._min = min
        self._max = max
        self._bin_scheme: BinScheme
        if bucketing == Percentiles.BucketSizing.CONSTANT:
            self._bin_scheme = ConstantBinScheme(self._buckets, min, max)
        elif bucketing == Percentiles.BucketSizing.LINEAR:
            if min != 0.0:
                raise IllegalArgumentException("Linear bucket sizing requires min to be 0.0.")
            self._bin_scheme = LinearBinScheme(self._buckets, max)
        else:
            raise IllegalArgumentException(f"Unknown bucket type: {bucketing}")

    def stats(self) -> list[NamedMeasurable]:
        """:origin: common.metrics.stats.Percentiles#stats()"""
        def measure(pct: float) -> Measurable:
            return Measurable.of(lambda config, now: self.value(config, now, pct / 100.0))

        return [NamedMeasurable(percentile.name(), measure(percentile.percentile()))
                for percentile in self._percentiles]

    def value(self, config: MetricConfig, now: int, quantile: float) -> float:
        """Return the value at ``quantile``, 0 to 1; NaN without values.

        :origin: common.metrics.stats.Percentiles#value(MetricConfig, long, double)
        """
        self._purge_obsolete_samples(config, now)
        count = 0.0
        for sample in self._samples:
            count = to_float(count + sample._event_count)
        if count == 0.0:
            return math.nan
        total = 0.0
        quant = to_float(quantile)
        hists = [cast(Percentiles.HistogramSample, sample)._histogram.counts() for sample in self._samples]
        for b in range(self._buckets):
            for hist in hists:
                total = to_float(total + hist[b])
                if to_float(total / count) > quant:
                    return self._bin_scheme.from_bin(b)
        return math.inf

    def combine(self, samples: Sequence[SampledStat.Sample], config: MetricConfig, now: int) -> float:
        """Return the median of this statistic's own samples. ``samples`` is ignored, as in the origin.

        :origin: common.metrics.stats.Percentiles#combine(List<Sample>, MetricConfig, long)
        """
        return self.value(config, now, 0.5)

    def _new_sample(self, time_ms: int) -> HistogramSample:
        """:origin: common.metrics.stats.Percentiles#newSample(long)"""
        return Percentiles.HistogramSample(self._bin_scheme, time_ms)

    def _update(self, sample: SampledStat.Sample, config: MetricConfig, value: float, time_ms: int) -> None:
        """:origin: common.metrics.stats.Percentiles#update(Sample, MetricConfig, double, long)"""
        if value > self._max:
            log.debug("%s is above the maximum, so %s is recorded",
                      value, self._max)
            bounded_value = self._max
        elif value < self._min:
            log.debug("%s is below the minimum, so %s is recorded",
                      value, self._min)
            bounded_value = self._min
        else:
            bounded_value = value

        hist = cast(Percentiles.HistogramSample, sample)
        hist._histogram.record(bounded_value)

    class HistogramSample(SampledStat.Sample):
        """A sample that counts its values by bucket.

        :origin: common.metrics.stats.Percentiles.HistogramSample
        """

        __slots__ = ("_histogram",)

        def __init__(self, scheme: BinScheme, now: int) -> None:
            """:origin: common.metrics.stats.Percentiles.HistogramSample#HistogramSample(BinScheme, long)"""
            super().__init__(0.0, now)
            self._histogram = Histogram(scheme)

        def reset(self, now: int) -> None:
            """:origin: common.metrics.stats.Percentiles.HistogramSample#reset(long)"""
            super().reset(now)
            self._histogram.clear()
