# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Java's arithmetic on ``double`` and ``float`` where Python raises or keeps more digits."""

from __future__ import annotations

import math
import struct

_INT_MAX_VALUE = 2**31 - 1
_INT_MIN_VALUE = -2**31
_LONG_MAX_VALUE = 2**63 - 1
_LONG_MIN_VALUE = -2**63

_FLOAT = struct.Struct("f")
# Unlike the native format, the big-endian format raises OverflowError.
_SINGLE = struct.Struct(">f")
_DOUBLE = struct.Struct(">d")


def divide(dividend: float, divisor: float) -> float:
    """Return the quotient. Division by zero gives an infinity, and NaN for zero by zero."""
    if divisor != 0:
        return dividend / divisor
    if dividend == 0 or math.isnan(dividend):
        return math.nan
    return math.copysign(math.inf, dividend) * math.copysign(1.0, divisor)


def to_int(value: float) -> int:
    """Return ``(int) value``: rounded towards zero, clamped to the range of an int, 0 for NaN."""
    if math.isnan(value):
        return 0
    return int(max(_INT_MIN_VALUE, min(_INT_MAX_VALUE, value)))


def to_float(value: float) -> float:
    """Return ``(float) value``: the nearest number with 24 bits; infinite if ``value`` is too large."""
    # The native format makes a number that is too large infinite; the others raise OverflowError.
    rounded: float = _FLOAT.unpack(_FLOAT.pack(value))[0]
    return rounded


def round_to_long(value: float) -> int:
    """Return ``Math.round(value)``: halves are rounded up, clamped to the range of a long, 0 for NaN."""
    try:
        floor = math.floor(value)
    except ValueError:
        return 0
    except OverflowError:
        return _LONG_MAX_VALUE if value > 0 else _LONG_MIN_VALUE
    # Not floor(value + 0.5): the sum is rounded, and the largest double below 0.5 would become 1.
    nearest = floor + 1 if value - floor >= 0.5 else floor
    if nearest < _LONG_MIN_VALUE:
        return _LONG_MIN_VALUE
    return _LONG_MAX_VALUE if nearest > _LONG_MAX_VALUE else nearest


def float_to_raw_int_bits(value: float) -> int:
    """Return ``Float.floatToRawIntBits((float) value)``, unsigned; NaN keeps its bits.

    Raises TypeError for a value of another type, and for an int that is too large for a float.
    """
    if not isinstance(value, (float, int)) or isinstance(value, bool):
        raise TypeError(f"{value!r} is not a number")
    if value != value:
        # The conversion to 32 bits would turn a signalling NaN into a quiet one.
        bits = _raw_bits(value)
        mantissa = bits >> 29 & 0x7FFFFF or 0x400000
        return bits >> 32 & 0x80000000 | 0x7F800000 | mantissa
    try:
        return int.from_bytes(_SINGLE.pack(value), "big")
    except (OverflowError, struct.error):
        raise TypeError(f"{value} does not fit into a float") from None


def int_bits_to_float(bits: int) -> float:
    """Return ``Float.intBitsToFloat(bits)`` of unsigned bits; NaN keeps its bits."""
    if bits & 0x7F800000 == 0x7F800000 and bits & 0x7FFFFF:
        wide = (bits & 0x80000000) << 32 | 0x7FF << 52 | (bits & 0x7FFFFF) << 29
        not_a_number: float = _DOUBLE.unpack(wide.to_bytes(8, "big"))[0]
        return not_a_number
    value: float = _SINGLE.unpack(bits.to_bytes(4, "big"))[0]
    return value


def double_to_long_bits(value: float) -> int:
    """Return ``Double.doubleToLongBits(value)``, unsigned; every NaN gives the same bits.

    Raises TypeError for a value of another type, and for an int that is too large for a double.
    """
    if not isinstance(value, (float, int)) or isinstance(value, bool):
        raise TypeError(f"{value!r} is not a number")
    if value != value:
        return 0x7FF8 << 48
    try:
        return _raw_bits(value)
    except (OverflowError, struct.error):
        raise TypeError(f"{value} does not fit into a double") from None


def _raw_bits(value: float) -> int:
    return int.from_bytes(_DOUBLE.pack(value), "big")
