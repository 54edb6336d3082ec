# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Numbers in texts, as Java reads them."""

from __future__ import annotations

import math

import pytest

from kreactor.jdk.numbers import NumberFormatException, parse_double, parse_integer


@pytest.mark.parametrize(("text", "bits", "value"), [
    ("0", 32, 0), ("+7", 32, 7), ("-0", 32, 0), ("2147483647", 32, 2**31 - 1), ("-2147483648", 32, -2**31),
    ("-9223372036854775808", 64, -2**63), ("0" * 5000 + "12", 16, 12), ("\u0663", 16, 3),
])
def test_integers(text: str, bits: int, value: int) -> None:
    assert parse_integer(text, bits) == value


@pytest.mark.parametrize(("text", "bits"), [
    ("", 32), ("+", 32), ("1.0", 32), (" 1", 32), ("1_0", 32), ("2147483648", 32), ("-32769", 16),
    ("9223372036854775808", 64), ("9" * 5000, 64), ("+-1", 32), ("0x1", 32), ("1\n", 32),
])
def test_texts_that_are_no_integers(text: str, bits: int) -> None:
    with pytest.raises(NumberFormatException) as e:
        parse_integer(text, bits)
    assert str(e.value) == f'For input string: "{text}"'


@pytest.mark.parametrize(("text", "value"), [
    ("1", 1.0), ("-.5e1f", -5.0), ("1.d", 1.0), ("Infinity", math.inf), ("-Infinity", -math.inf),
    ("1e400", math.inf), ("0x1.8p1", 3.0), ("-0x1p99999", -math.inf),
])
def test_doubles(text: str, value: float) -> None:
    assert parse_double(text) == value


def test_a_double_that_is_not_a_number() -> None:
    assert math.isnan(parse_double("NaN"))


@pytest.mark.parametrize("text", ["", ".", "1_0", "inf", "nan", "0x1", "1e", "e1", "1 "])
def test_texts_that_are_no_doubles(text: str) -> None:
    with pytest.raises(NumberFormatException):
        parse_double(text)
