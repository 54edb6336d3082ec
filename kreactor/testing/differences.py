# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The differences between a topic's records and those that a test expects, as readable lines."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import unified_diff

from kreactor.testing.record import Record, as_bytes

_MAX_LINES = 200


def differences(found: Sequence[Record], expected: Sequence[object], ordered: bool) -> str:
    """Return the differences as a unified diff, or an empty string if there are none.

    Each of ``expected`` is a value, a pair of key and value, or a Record. For a pair the keys are compared,
    too; for a Record all fields are compared. Raises TypeError.
    """
    wanted = [_Expected(each) for each in expected]
    if ordered:
        rest = list(wanted)
        have = [rest.pop(0).line_of(record) if rest else _value_line(record) for record in found]
        want = [each.line for each in wanted]
    else:
        left = list(wanted)
        have = []
        for record in found:
            match = next((each for each in left if each.line_of(record) == each.line), None)
            if match is None:
                have.append(_value_line(record))
            else:
                left.remove(match)
                have.append(match.line)
        want = sorted(each.line for each in wanted)
        have.sort()
    if have == want:
        return ""
    lines = list(unified_diff(want, have, "expected", "found", lineterm="", n=2))
    if len(lines) > _MAX_LINES:
        lines[_MAX_LINES:] = [f"… and {len(lines) - _MAX_LINES} more lines"]
    return "\n".join(lines)


class _Expected:
    """An expected record: its line, and the fields by which an actual record is written."""

    def __init__(self, expected: object) -> None:
        self._fields = "value"
        if isinstance(expected, Record):
            self._fields = "all"
            self.line = repr(expected)
        elif isinstance(expected, tuple):
            if len(expected) != 2:
                raise TypeError(f"{expected!r}: must be a value, a pair of key and value, or a Record")
            self._fields = "key"
            self.line = _pair_line(as_bytes(expected[0], "key"), as_bytes(expected[1], "value"))
        else:
            self.line = repr(as_bytes(expected, "value"))  # type: ignore[arg-type]

    def line_of(self, record: Record) -> str:
        if self._fields == "all":
            return repr(record)
        return _pair_line(record.key, record.value) if self._fields == "key" else _value_line(record)


def _pair_line(key: bytes | None, value: bytes | None) -> str:
    return f"{key!r}: {value!r}"


def _value_line(record: Record) -> str:
    return repr(record.value)
