# Licensed under the Apache License, Version 2.0; see LICENSE.
"""JSON from others, and values from others in messages.

Python's parser accepts more than JSON, and some of it fails far from the parser: NaN, numbers beyond a
double, numbers of thousands of digits, and names that occur twice. ``parse_json`` refuses a name that occurs
twice. A number that Python cannot hold becomes an ``Unreadable``, so the check of its field refuses it by the
field's name.
"""

from __future__ import annotations

import json
import math
from typing import Any

_SHOWN_CHARACTERS = 60
# A longer number is no value of any field, and Python refuses those of 4301 digits.
_MAX_DIGITS = 100


class Unreadable:
    """A number of a JSON text that is not finite, or has too many digits. No field accepts it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        if len(self._text) <= _SHOWN_CHARACTERS:
            return self._text
        return f"a number of {len(self._text)} characters"


def parse_json(data: bytes | bytearray | str, place: str) -> object:
    """Return the value of a JSON text in UTF-8. ``place`` starts the message of each ValueError."""
    def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"{shown(twice)} is there twice in one object")
        return made

    try:
        text = data if isinstance(data, str) else data.decode()
        return json.loads(text, object_pairs_hook=object_of, parse_int=_integer, parse_float=_float,
                          parse_constant=Unreadable)
    except RecursionError:
        raise ValueError(f"{place} is not JSON: arrays and objects are nested too deeply") from None
    except UnicodeDecodeError as e:
        raise ValueError(f"{place} is not valid UTF-8 at byte {e.start}") from None
    except ValueError as e:
        raise ValueError(f"{place} is not JSON: {e}") from None


def _integer(text: str) -> int | Unreadable:
    return int(text) if len(text) <= _MAX_DIGITS else Unreadable(text)


def _float(text: str) -> float | Unreadable:
    number = float(text)
    return number if math.isfinite(number) else Unreadable(text)


def json_of(value: object, name: str) -> str:
    """Return a value as JSON. Raises ValueError, which names the field, for one that JSON cannot hold."""
    try:
        return json.dumps(value, allow_nan=False)
    except RecursionError:
        raise ValueError(f"{name}: nested too deeply for JSON") from None
    except (TypeError, ValueError) as e:
        raise ValueError(f"{name}: not JSON: {e}") from None


def shown(value: object) -> str:
    """Return a value for a message, shortened."""
    try:
        text = repr(value)
    # An int of thousands of digits, which YAML reads in base 16.
    except ValueError:
        text = "a number of thousands of digits"
    except RecursionError:
        text = "a deeply nested value"
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}..."


def utf8_of(text: str, name: str) -> str:
    """Return ``text``. Raises ValueError, which names the field, if UTF-8 cannot encode it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name}: half of a surrogate pair is not valid Unicode") from None
    return text
