# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Tells which tests reach which functions: tools/checks/mutants puts a call of ``hit`` first in a function.

A process that a test starts inherits the names of the file and of the test, so its calls count, too.
"""

from __future__ import annotations

import json
import os

FILE = "KREACTOR_MUTANT_REACH"
_told: set[tuple[str, str]] = set()


def hit(place: str) -> None:
    """Write down once that the current test has reached a place. Called by any thread."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
    if (place, test) not in _told:
        _told.add((place, test))
        if path := os.environ.get(FILE):
            tell(path, "hit", place, test)


def tell(path: str, *row: str | float) -> None:
    """Append a row to a file, whole, whatever other processes append."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, json.dumps(row).encode() + b"\n")
    finally:
        os.close(descriptor)
