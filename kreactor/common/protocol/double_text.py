# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A ``double`` as Java prints it, in request logs and in the texts of messages."""

from __future__ import annotations

import math
from decimal import Decimal


def double_text(value: float) -> str:
    """Return ``Double.toString(value)`` of Java 19 and later: the fewest digits that give ``value`` back.

    Older ones print a digit too many now and then, which reads back as the same number.
    """
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    text = repr(float(value))
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return text
    exact = Decimal(text)
    digits = "".join(map(str, exact.as_tuple().digits)).rstrip("0")
    if len(digits) == 1:
        # Two digits are the least, and then the nearest two, which the smallest numbers have a choice of.
        exact = Decimal(f"{value:.1e}")
        digits = "".join(map(str, exact.as_tuple().digits))
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[0]}.{digits[1:]}E{exact.adjusted()}"
