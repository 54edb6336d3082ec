# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Java's arithmetic on doubles. The expected values are Java's."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.jdk.doubles import (
    divide,
    double_to_long_bits,
    float_to_raw_int_bits,
    round_to_long,
    to_float,
    to_int,
)


def test_divide() -> None:
    assert divide(1, 4) == 0.25
    assert divide(1, 0) == math.inf
    assert divide(-1, 0) == -math.inf
    assert divide(1, -0.0) == -math.inf
    assert math.isnan(divide(0, 0))
    assert math.isnan(divide(math.nan, 0))


@pytest.mark.parametrize("value, expected", [
    (1.9, 1), (-1.9, -1), (math.nan, 0), (math.inf, 2**31 - 1), (-math.inf, -2**31), (1e10, 2**31 - 1)])
def test_to_int(value: float, expected: int) -> None:
    assert to_int(value) == expected


@pytest.mark.parametrize("value, expected", [
    (0.9, 0.8999999761581421), (0.1, 0.10000000149011612), (16777217.0, 16777216.0), (1e39, math.inf),
    (-1e39, -math.inf), (math.inf, math.inf), (3, 3.0)])
def test_to_float(value: float, expected: float) -> None:
    assert to_float(value) == expected
    assert math.isnan(to_float(math.nan))


@pytest.mark.parametrize("value, expected", [
    (2.5, 3), (-2.5, -2), (-0.5, 0), (0.49999999999999994, 0), (4503599627370497.0, 4503599627370497),
    (math.nan, 0), (math.inf, 2**63 - 1), (-math.inf, -2**63), (1e30, 2**63 - 1)])
def test_round_to_long(value: float, expected: int) -> None:
    assert round_to_long(value) == expected


@given(st.floats(-1e18, 1e18))
def test_round_to_long_is_exact(value: float) -> None:
    assert round_to_long(value) == math.floor(Fraction(value) + Fraction(1, 2))


@pytest.mark.parametrize("bits", [float_to_raw_int_bits, double_to_long_bits])
@pytest.mark.parametrize("value", [True, False, "1", None, b"1"])
def test_only_numbers_have_bits(bits: Callable[[Any], int], value: object) -> None:
    with pytest.raises(TypeError, match="is not a number"):
        bits(value)


@pytest.mark.parametrize("double_bits, expected", [
    (0x7FF80000_00000000, 0x7FC00000), (0xFFF80000_00000000, 0xFFC00000),
    # A signalling NaN stays one.
    (0x7FF00000_20000000, 0x7F800001), (0xFFF12345_60000000, 0xFF891A2B),
    # The bits that a float lacks are dropped. The result is still not a number.
    (0x7FF00000_00000001, 0x7FC00000)])
def test_a_float_keeps_the_bits_of_a_nan(double_bits: int, expected: int) -> None:
    value, = struct.unpack(">d", double_bits.to_bytes(8, "big"))
    assert float_to_raw_int_bits(value) == expected
