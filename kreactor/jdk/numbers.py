# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Parses numbers as Java does: ``Integer.parseInt``, ``Long.parseLong``, ``Double.valueOf``."""

from __future__ import annotations

import re

# Java's forms of a decimal and a hexadecimal floating-point number; Python's float() accepts other forms,
# too. Only one way of matching is possible, so a match takes linear time.
_DECIMAL = re.compile(r"[+-]?(?:NaN|Infinity|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[fFdD]?)")
_HEXADECIMAL = re.compile(
    r"[+-]?0[xX](?:[0-9A-Fa-f]+(?:\.[0-9A-Fa-f]*)?|\.[0-9A-Fa-f]+)[pP][+-]?[0-9]+[fFdD]?")
_INTEGER = re.compile(r"[+-]?\d+")


class NumberFormatException(Exception):
    """A text is not a number of the type. This is not a ValueError, because many other errors are."""

    def __init__(self, text: str) -> None:
        super().__init__(f'For input string: "{text}"')


def parse_integer(text: str, bits: int) -> int:
    """Return a signed integer of ``bits`` bits. Raises NumberFormatException."""
    digits = text.lstrip("+-").lstrip("0") or "0"
    # Python refuses to parse thousands of digits; a long has 19 digits.
    if not _INTEGER.fullmatch(text) or len(digits) > 19:
        raise NumberFormatException(text)
    value = -int(digits) if text[0] == "-" else int(digits)
    if not fits(value, bits):
        raise NumberFormatException(text)
    return value


def parse_double(text: str) -> float:
    """Return the number; a number that is too large is infinite. Raises NumberFormatException."""
    if _DECIMAL.fullmatch(text):
        return float(text.rstrip("fFdD"))
    if _HEXADECIMAL.fullmatch(text):
        try:
            return float.fromhex(re.sub(r"[fFdD]$", "", text))
        except OverflowError:
            return float("-inf" if text.startswith("-") else "inf")
    raise NumberFormatException(text)


def fits(value: int, bits: int) -> bool:
    """Return whether ``value`` fits into a signed integer of ``bits`` bits."""
    return -1 << bits - 1 <= value < 1 << bits - 1


def big_endian(value: int, size: int) -> bytes:
    """Return the ``size`` bytes of a short, an int or a long, in big-endian order.

    Raises TypeError for a value of another type, and for an int out of range, which is another type in Java.
    """
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{value!r} is not an integer")
    try:
        return value.to_bytes(size, "big", signed=True)
    except OverflowError:
        raise TypeError(f"{value} does not fit into {size} bytes") from None
