# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``javax.management.ObjectName``: the one rule of it that outlives JMX, how a value is quoted in a name."""

from __future__ import annotations

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "*": "\\*", "?": "\\?", "\n": "\\n"})


def quote(value: str) -> str:
    """Return ``value`` in quotes, with what would mean something else in a name escaped."""
    return f'"{value.translate(_ESCAPES)}"'
