# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Tables in docstrings, read so that what they say can be tested."""

from __future__ import annotations

import inspect
import re


def table(docstring: str | None, first_column: str) -> list[tuple[str, ...]]:
    """Return the rows of the table whose heading begins with ``first_column``."""
    assert docstring is not None
    lines = inspect.cleandoc(docstring).splitlines()
    [heading] = [number for number, line in enumerate(lines)
                 if line.startswith(f"{first_column} ") and lines[number - 1].startswith("===")]
    rule = lines[heading - 1]
    spans = [column.span() for column in re.finditer("=+", rule)]
    end = lines.index(rule, heading + 2)
    rows = []
    for line in lines[heading + 2:end]:
        assert all(line[:start].endswith("  ") for start, _ in spans[1:]), f"a cell is too wide: {line}"
        rows.append(tuple(line[start:end].rstrip() for start, end in spans))
    return rows
