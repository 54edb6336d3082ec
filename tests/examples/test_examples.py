# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The examples run as a reader would run them, and say what they promise."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(example: str) -> str:
    """Run an example with warnings as errors; return what it printed."""
    done = subprocess.run(
        # Deprecation warnings, which some clients cause, are for their authors.
        [sys.executable, "-W", "error", "-W", "ignore::DeprecationWarning", ROOT / "examples" / example],
        cwd=ROOT, timeout=60, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout


def test_echo() -> None:
    assert run("echo.py") == "echoed: hello\nechoed: selector\n"


def test_echo_is_short() -> None:
    assert len((ROOT / "examples" / "echo.py").read_text().splitlines()) < 60


def test_in_process() -> None:
    assert re.fullmatch(r"bootstrap\.servers=127\.0\.0\.1:\d+\n", run("in_process.py"))


def test_faults() -> None:
    assert run("faults.py") == "3 requests, 2 without an answer\n1 record\n"
