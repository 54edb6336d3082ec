# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.stats.HistogramTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Counts by bin."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.common.metrics.stats.histogram import (
    BinScheme,
    ConstantBinScheme,
    Histogram,
    LinearBinScheme,
)
from kreactor.jdk.exceptions import IllegalArgumentException

EPS = 0.0000001


def test_histogram() -> None:
    scheme = ConstantBinScheme(10, -5, 5)
    hist = Histogram(scheme)
    for i in range(-5, 5):
        hist.record(i)
    for i in range(10):
        assert hist.value(i / 10.0 + EPS) == pytest.approx(scheme.from_bin(i), abs=EPS)


def test_constant_bin_scheme() -> None:
    scheme = ConstantBinScheme(5, -5, 5)
    for value, bin in ((-5.01, 0), (5.01, 4), (-5.0001, 0), (-5.0, 0), (-4.99999, 0), (-3.00001, 0), (-3, 1),
                       (-1.00001, 1), (-1, 2), (0.99999, 2), (1, 3), (2.99999, 3), (3, 4), (4.9999, 4),
                       (5.0, 4), (5.001, 4)):
        assert scheme.to_bin(value) == bin, value
    assert [scheme.from_bin(bin) for bin in range(-1, 6)] == pytest.approx(
        [-math.inf, -5.0, -3.0, -1.0, 1.0, 3.0, math.inf], abs=0.001)
    check_binning_consistency(scheme)


def test_constant_bin_scheme_with_positive_range() -> None:
    scheme = ConstantBinScheme(5, 0, 5)
    for value, bin in ((-1.0, 0), (5.01, 4), (-0.0001, 0), (0.0, 0), (0.0001, 0), (0.9999, 0), (1.0, 1),
                       (1.0001, 1), (1.9999, 1), (2.0, 2), (2.0001, 2), (2.9999, 2), (3.0, 3), (3.0001, 3),
                       (3.9999, 3), (4.0, 4), (4.9999, 4), (5.0, 4), (5.0001, 4)):
        assert scheme.to_bin(value) == bin, value
    assert [scheme.from_bin(bin) for bin in range(-1, 6)] == pytest.approx(
        [-math.inf, 0.0, 1.0, 2.0, 3.0, 4.0, math.inf], abs=0.001)
    check_binning_consistency(scheme)


def test_linear_bin_scheme() -> None:
    scheme = LinearBinScheme(10, 10)
    assert scheme.from_bin(11) == math.inf
    assert [scheme.from_bin(bin) for bin in range(-1, 11)] == pytest.approx(
        [-math.inf, 0.0, 0.2222, 0.6666, 1.3333, 2.2222, 3.3333, 4.6667, 6.2222, 8.0, 10.0, math.inf],
        abs=0.001)
    for value, bin in ((0.0, 0), (0.2221, 0), (0.2223, 1), (0.6667, 2), (1.3334, 3), (2.2223, 4), (3.3334, 5),
                       (4.6667, 6), (6.2223, 7), (8.0, 8), (10.0, 9), (10.001, 9)):
        assert scheme.to_bin(value) == bin, value
    check_binning_consistency(scheme)


def check_binning_consistency(scheme: BinScheme) -> None:
    for bin in range(scheme.bins()):
        assert scheme.to_bin(scheme.from_bin(bin) + EPS) == bin


# Kafka has no cases for what follows.


def test_quantiles_outside() -> None:
    hist = Histogram(ConstantBinScheme(2, 0, 2))
    assert math.isnan(hist.value(0.5))
    hist.record(1)
    assert hist.value(1.01) == math.inf
    assert hist.value(-0.01) == -math.inf
    hist.clear()
    assert math.isnan(hist.value(0.5))


def test_quantiles_are_held_against_floats_of_24_bits() -> None:
    """As a float, 0.9 is a little less: the first nine of ten values are more than that share."""
    hist = Histogram(ConstantBinScheme(10, 0, 10))
    for i in range(10):
        hist.record(i)
    assert hist.value(0.9) == 8.0
    assert hist.value(0.5) == 5.0


def test_counts_stop_where_a_float_does() -> None:
    hist = Histogram(ConstantBinScheme(2, 0, 2))
    hist.counts()[0] = 2.0**24
    hist.record(0)
    assert hist.counts()[0] == 2.0**24


def test_texts() -> None:
    hist = Histogram(ConstantBinScheme(3, 0, 3))
    for value in (0, 1, 1, 9):
        hist.record(value)
    assert str(hist) == "{0.0000000000:1,1.0000000000:2,Infinity:1}"


def test_schemes_refuse_what_they_cannot_bin() -> None:
    for make in (lambda: ConstantBinScheme(1, 0, 1), lambda: LinearBinScheme(1, 1)):
        with pytest.raises(IllegalArgumentException, match="^Must have at least 2 bins.$"):
            make()
    with pytest.raises(IllegalArgumentException, match="^Values less than 0.0 not accepted.$"):
        LinearBinScheme(2, 1).to_bin(-0.1)


def test_values_that_are_no_numbers_go_where_java_puts_them() -> None:
    assert ConstantBinScheme(3, 0, 3).to_bin(math.nan) == 0
    assert ConstantBinScheme(3, 0, 3).to_bin(math.inf) == 2
    assert ConstantBinScheme(3, 0, 3).to_bin(-math.inf) == 0
    assert ConstantBinScheme(3, 1, 1).to_bin(1) == 0
    assert ConstantBinScheme(3, 1, 1).to_bin(2) == 2
    assert LinearBinScheme(3, 3).to_bin(math.nan) == 0
    assert LinearBinScheme(3, 0).to_bin(0) == 0


@given(st.integers(2, 50), st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.floats(-1e7, 1e7))
def test_constant_bins_cover_the_range(bins: int, low: float, width: float, value: float) -> None:
    scheme = ConstantBinScheme(bins, low, low + width)
    bin = scheme.to_bin(value)
    assert 0 <= bin < bins
    slack = 1e-6 * (abs(low) + width + abs(value))
    if bin > 0:
        assert value >= scheme.from_bin(bin) - slack
    if bin < bins - 1:
        assert value <= scheme.from_bin(bin + 1) + slack
