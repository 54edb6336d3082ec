# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The texts of Java's ``toString``, for values in Kafka's messages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from decimal import Decimal
from enum import Enum


# The characters that Java's \s matches.
_SPACES = " \t\n\v\f\r"


def java_text(value: object) -> str:
    """Return ``value`` as Java would print it: ``null``, ``true``, ``[a, b]``, ``{k=v}``."""
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return double_text(value)
    if isinstance(value, type):
        return f"class {class_name(value)}"
    if isinstance(value, Enum) and type(value).__str__ is Enum.__str__:
        return value.name
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{java_text(key)}={java_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, Iterable) and type(value).__str__ is object.__str__:
        return "[" + ", ".join(map(java_text, value)) + "]"
    return str(value)


def shown_text(value: object, limit: int = 120) -> str:
    """Return ``str(value)`` in one line: control characters are escaped, and a long text is cut at ``limit``.

    For texts that a peer chooses, such as a client id.
    """
    text = str(value)
    is_long = len(text) > limit
    escaped = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text[:limit])
    return f"{escaped}...({len(text)} characters)" if is_long else escaped


def double_text(value: float) -> str:
    """Return ``Double.toString(value)`` of Java 19 and later: the fewest digits that give ``value`` back.

    Older releases sometimes print one digit more, which gives the same number.
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
        # There are at least two digits. For the smallest numbers several pairs of digits fit, and the nearest
        # one counts.
        exact = Decimal(f"{value:.1e}")
        digits = "".join(map(str, exact.as_tuple().digits))
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[0]}.{digits[1:]}E{exact.adjusted()}"


def class_name(cls: type) -> str:
    """Return the full name of ``cls``, ``package.module.Class``."""
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"


def throwable_text(exception: BaseException) -> str:
    """Return ``exception`` as ``Throwable.toString`` would: the class, and the message if it has one."""
    message = str(exception)
    name = class_name(type(exception))
    return f"{name}: {message}" if message else name


_UP_TO_BLANK = "".join(map(chr, range(0x21)))


def trim(text: str) -> str:
    """Return ``text`` without blanks and control characters at its ends, but with all other white space."""
    return text.strip(_UP_TO_BLANK)


def hash_code(text: str) -> int:
    """Return ``String.hashCode`` of ``text``, an int32. Kafka chooses partitions by this hash."""
    result = 0
    units = text.encode("utf-16-be", "surrogatepass")
    for high, low in zip(units[::2], units[1::2]):
        result = result * 31 + (high << 8 | low) & 0xFFFFFFFF
    return result - (1 << 32) if result >= 1 << 31 else result


def split_at_commas(text: str) -> list[str]:
    """Split a text at its commas, without the spaces around each comma: Java's ``split("\\s*,\\s*", -1)``.

    It takes linear time. A regular expression looks for a comma from each of many spaces.
    """
    first, *others = text.split(",")
    if not others:
        return [text]
    *between, last = others
    return [first.rstrip(_SPACES), *(piece.strip(_SPACES) for piece in between), last.lstrip(_SPACES)]
