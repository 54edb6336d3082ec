# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.common.protocol.double_text import double_text


# What Double.toString gave.
@pytest.mark.parametrize("value, text", [
    (0.0, "0.0"), (-0.0, "-0.0"), (0.001, "0.001"), (0.00099, "9.9E-4"), (1e-5, "1.0E-5"), (12.0, "12.0"),
    (26.368, "26.368"), (9999999.0, "9999999.0"), (1e7, "1.0E7"), (12345678.9, "1.23456789E7"),
    (-1.234e-4, "-1.234E-4"), (1e22, "1.0E22"), (5e-324, "4.9E-324"),
    (1.7976931348623157e308, "1.7976931348623157E308"), (float("nan"), "NaN"), (float("inf"), "Infinity"),
    (float("-inf"), "-Infinity")])
def test_as_java_prints_them(value: float, text: str) -> None:
    assert double_text(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_text_gives_the_number_back(value: float) -> None:
    text = double_text(value)
    assert float(text) == value
    mantissa, _, exponent = text.partition("E")
    assert "." in mantissa
    assert bool(exponent) == (value != 0 and not 1e-3 <= abs(value) < 1e7)
