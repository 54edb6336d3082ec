# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.stats.Histogram of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Counts of values by bin.

The counts, their sums and the compared quantiles are 32-bit floats as in Java, because at a border the
rounding decides the bin. An ``array`` of floats stores the counts with 32 bits.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from array import array

from kreactor.jdk.doubles import divide, to_float, to_int
from kreactor.jdk.exceptions import IllegalArgumentException


class Histogram:
    """One count for each bin of a scheme. Not thread-safe.

    :origin: common.metrics.stats.Histogram
    """

    __slots__ = ("_bin_scheme", "_hist", "_count")

    def __init__(self, bin_scheme: BinScheme) -> None:
        """:origin: common.metrics.stats.Histogram#Histogram(BinScheme)"""
        self._hist = array("f", bytes(4 * bin_scheme.bins()))
        self._count = 0.0
        self._bin_scheme = bin_scheme

    def record(self, value: float) -> None:
        """Count ``value``.

        :origin: common.metrics.stats.Histogram#record(double)
        """
        self._hist[self._bin_scheme.to_bin(value)] += 1.0
        self._count += 1.0

    def value(self, quantile: float) -> float:
        """Return the value at ``quantile``, 0 to 1; NaN without values.

        :origin: common.metrics.stats.Histogram#value(double)
        """
        if self._count == 0.0:
            return math.nan
        if quantile > 1.00:
            return math.inf
        if quantile < 0.00:
            return -math.inf
        total = 0.0
        quant = to_float(quantile)
        for i in range(len(self._hist) - 1):
            total = to_float(total + self._hist[i])
            if total / self._count > quant:
                return self._bin_scheme.from_bin(i)
        return self._bin_scheme.from_bin(len(self._hist) - 1)

    def counts(self) -> array[float]:
        """Return the counts themselves, not a copy.

        :origin: common.metrics.stats.Histogram#counts()
        """
        return self._hist

    def clear(self) -> None:
        """Set all counts to 0.

        :origin: common.metrics.stats.Histogram#clear()
        """
        self._hist = array("f", bytes(4 * len(self._hist)))
        self._count = 0.0

    def __str__(self) -> str:
        """:origin: common.metrics.stats.Histogram#toString()"""
        last = len(self._hist) - 1
        bins = "".join(f"{self._bin_scheme.from_bin(i):.10f}:{self._hist[i]:.0f}," for i in range(last))
        return f"{{{bins}Infinity:{self._hist[last]:.0f}}}"

    class BinScheme(ABC):
        """Maps values to bins, and bins to their lower ends.

        :origin: common.metrics.stats.Histogram.BinScheme
        """

        __slots__ = ()

        @abstractmethod
        def bins(self) -> int:
            """Return the number of bins.

            :origin: common.metrics.stats.Histogram.BinScheme#bins()
            """

        @abstractmethod
        def to_bin(self, value: float) -> int:
            """Return the bin of ``value``, from 0.

            A value outside the range belongs to the first or last bin.

            :origin: common.metrics.stats.Histogram.BinScheme#toBin(double)
            """

        @abstractmethod
        def from_bin(self, bin: int) -> float:
            """Return the lower end of bin ``bin``, infinite for a bin outside the range.

            :origin: common.metrics.stats.Histogram.BinScheme#fromBin(int)
            """

    class ConstantBinScheme(BinScheme):
        """Bins of equal width.

        :origin: common.metrics.stats.Histogram.ConstantBinScheme
        """

        __slots__ = ("_min", "_bins", "_bucket_width", "_max_bin_number")

        _MIN_BIN_NUMBER = 0

        def __init__(self, bins: int, min: float, max: float) -> None:
            """Raises IllegalArgumentException for fewer than 2 bins.

            :origin: common.metrics.stats.Histogram.ConstantBinScheme#ConstantBinScheme(int, double, double)
            """
            if bins < 2:
                raise IllegalArgumentException("Must have at least 2 bins.")
            self._min = float(min)
            self._bins = bins
            self._bucket_width = (max - min) / bins
            self._max_bin_number = bins - 1

        def bins(self) -> int:
            """:origin: common.metrics.stats.Histogram.ConstantBinScheme#bins()"""
            return self._bins

        def from_bin(self, b: int) -> float:
            """:origin: common.metrics.stats.Histogram.ConstantBinScheme#fromBin(int)"""
            if b < self._MIN_BIN_NUMBER:
                return -math.inf
            if b > self._max_bin_number:
                return math.inf
            return self._min + b * self._bucket_width

        def to_bin(self, x: float) -> int:
            """:origin: common.metrics.stats.Histogram.ConstantBinScheme#toBin(double)"""
            bin_number = to_int(divide(x - self._min, self._bucket_width))
            if bin_number < self._MIN_BIN_NUMBER:
                return self._MIN_BIN_NUMBER
            return min(bin_number, self._max_bin_number)

    class LinearBinScheme(BinScheme):
        """Bins from 0 with linearly growing width: each is wider than the previous one by the first bin's
        width.

        :origin: common.metrics.stats.Histogram.LinearBinScheme
        """

        __slots__ = ("_bins", "_max", "_scale")

        def __init__(self, num_bins: int, max: float) -> None:
            """Raises IllegalArgumentException for fewer than 2 bins.

            :origin: common.metrics.stats.Histogram.LinearBinScheme#LinearBinScheme(int, double)
            """
            if num_bins < 2:
                raise IllegalArgumentException("Must have at least 2 bins.")
            self._bins = num_bins
            self._max = max
            denom = num_bins * (num_bins - 1.0) / 2.0
            self._scale = max / denom

        def bins(self) -> int:
            """:origin: common.metrics.stats.Histogram.LinearBinScheme#bins()"""
            return self._bins

        def from_bin(self, b: int) -> float:
            """:origin: common.metrics.stats.Histogram.LinearBinScheme#fromBin(int)"""
            if b > self._bins - 1:
                return math.inf
            elif b < 0:
                return -math.inf
            else:
                return self._scale * (b * (b + 1.0)) / 2.0

        def to_bin(self, x: float) -> int:
            """Return the bin of ``x``. Raises IllegalArgumentException for a value below 0.

            :origin: common.metrics.stats.Histogram.LinearBinScheme#toBin(double)
            """
            if x < 0.0:
                raise IllegalArgumentException("Values less than 0.0 not accepted.")
            elif x > self._max:
                return self._bins - 1
            else:
                return to_int(-0.5 + 0.5 * math.sqrt(1.0 + divide(8.0 * x, self._scale)))


# Assigned to plain names, as the origin imports the classes.
BinScheme = Histogram.BinScheme
ConstantBinScheme = Histogram.ConstantBinScheme
LinearBinScheme = Histogram.LinearBinScheme
