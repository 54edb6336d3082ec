# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import re
from enum import Enum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.jdk.text import (
    class_name, double_text, hash_code, java_text, split_at_commas, throwable_text, trim)


class Colour(Enum):
    RED = 1


class Told(Enum):
    RED = 1

    def __str__(self) -> str:
        return "told"


@pytest.mark.parametrize(("value", "text"), [
    (None, "null"), (True, "true"), (False, "false"), (1, "1"), (1.5, "1.5"), ("a", "a"), ([], "[]"),
    (["a", None, 1], "[a, null, 1]"), (("a", ("b",)), "[a, [b]]"), ({"a"}, "[a]"), ({"a": 1}.keys(), "[a]"),
    ({"a": None, "b": [True]}, "{a=null, b=[true]}"), (Colour.RED, "RED"), (Told.RED, "told"),
    (1e7, "1.0E7"), (9999999.5, "9999999.5"), (-1.25e-6, "-1.25E-6"), (0.001, "0.001"), (-0.0, "-0.0"),
    (float("nan"), "NaN"), (float("-inf"), "-Infinity"), (1.7976931348623157e308, "1.7976931348623157E308"),
    (str, "class str"), (Colour, f"class {__name__}.Colour"),
])
def test_java_text(value: object, text: str) -> None:
    assert java_text(value) == text


# The results of Double.toString.
@pytest.mark.parametrize("value, text", [
    (0.0, "0.0"), (-0.0, "-0.0"), (0.001, "0.001"), (0.00099, "9.9E-4"), (1e-5, "1.0E-5"), (12.0, "12.0"),
    (26.368, "26.368"), (9999999.0, "9999999.0"), (1e7, "1.0E7"), (12345678.9, "1.23456789E7"),
    (-1.234e-4, "-1.234E-4"), (1e22, "1.0E22"), (5e-324, "4.9E-324"), (1e-323, "9.9E-324"),
    (1.7976931348623157e308, "1.7976931348623157E308"), (float("nan"), "NaN"), (float("inf"), "Infinity"),
    (float("-inf"), "-Infinity")])
def test_double_text(value: float, text: str) -> None:
    assert double_text(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_text_of_a_double_gives_it_back(value: float) -> None:
    text = double_text(value)
    assert float(text) == value
    mantissa, _, exponent = text.partition("E")
    assert "." in mantissa
    assert bool(exponent) == (value != 0 and not 1e-3 <= abs(value) < 1e7)


def test_class_name() -> None:
    assert class_name(int) == "int"
    assert class_name(Colour) == f"{__name__}.Colour"


def test_throwable_text() -> None:
    assert throwable_text(ValueError("bad")) == "ValueError: bad"
    assert throwable_text(ValueError()) == "ValueError"


def test_trim() -> None:
    assert trim("\0\t a b \n") == "a b"
    assert trim("\u00a0a\u2003") == "\u00a0a\u2003"


def test_hash_code() -> None:
    """As Java has them; what is beyond 16 bits counts as two."""
    texts = ("", "a", "hello", "groupId", "polygenelubricants", "\U0001F600")
    assert [hash_code(text) for text in texts] == [0, 97, 99162322, 293428218, -2147483648, 1772899]


@given(st.text(st.sampled_from("ab,, \t\n\v\f\r\xa0"), max_size=12))
def test_split_at_commas(text: str) -> None:
    assert split_at_commas(text) == re.split(r"\s*,\s*", text, flags=re.ASCII)
