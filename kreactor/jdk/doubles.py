# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Java's arithmetic on ``double`` and ``float`` where Python's raises, or keeps more digits."""

from __future__ import annotations

import math
import struct

_INT_MAX_VALUE = 2**31 - 1
_INT_MIN_VALUE = -2**31
_LONG_MAX_VALUE = 2**63 - 1
_LONG_MIN_VALUE = -2**63

_FLOAT = struct.Struct("f")


def divide(dividend: float, divisor: float) -> float:
    """Return the quotient; by zero it is infinite, and not a number for zero itself."""
    if divisor != 0:
        return dividend / divisor
    if dividend == 0 or math.isnan(dividend):
        return math.nan
    return math.copysign(math.inf, dividend) * math.copysign(1.0, divisor)


def to_int(value: float) -> int:
    """Return ``(int) value``: cut off towards zero, stopped at the ends of an int, 0 if not a number."""
    if math.isnan(value):
        return 0
    return int(max(_INT_MIN_VALUE, min(_INT_MAX_VALUE, value)))


def to_float(value: float) -> float:
    """Return ``(float) value``: the nearest of those that have 24 bits; infinite if it is too large."""
    try:
        rounded: float = _FLOAT.unpack(_FLOAT.pack(value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return rounded


def round_to_long(value: float) -> int:
    """Return ``Math.round(value)``: halves go up, it stops at the ends of a long, 0 if not a number."""
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return _LONG_MAX_VALUE if value > 0 else _LONG_MIN_VALUE
    floor = math.floor(value)
    # Not floor(value + 0.5): that sum rounds, and takes the largest double below a half to 1.
    nearest = floor + 1 if value - floor >= 0.5 else floor
    return max(_LONG_MIN_VALUE, min(_LONG_MAX_VALUE, nearest))
