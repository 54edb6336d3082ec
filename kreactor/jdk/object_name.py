# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``javax.management.ObjectName``: its rule for quoting a value in a metric name."""

from __future__ import annotations

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "*": "\\*", "?": "\\?", "\n": "\\n"})


def quote(value: str) -> str:
    """Return ``value`` in quotes, with the special characters of a name escaped."""
    return f'"{value.translate(_ESCAPES)}"'
