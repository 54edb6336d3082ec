# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The examples run as a reader would run them, with no package of the tests, and say what they promise."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from tests import bare_environment

ROOT = Path(__file__).parents[2]


def run(example: str, folder: Path, *extras: str) -> str:
    """Run an example with warnings as errors, in an environment with these extras; return what it printed."""
    python = bare_environment.make(folder / "environment", *extras) / "python"
    done = subprocess.run(
        # Deprecation warnings, which some clients cause, are for their authors.
        [python, "-W", "error", "-W", "ignore::DeprecationWarning", ROOT / "examples" / example],
        cwd=folder, timeout=60, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout


def test_echo(tmp_path: Path) -> None:
    assert run("echo.py", tmp_path) == "echoed: hello\nechoed: selector\n"


def test_echo_is_short() -> None:
    assert len((ROOT / "examples" / "echo.py").read_text().splitlines()) <= 60


def test_in_process(tmp_path: Path) -> None:
    assert re.fullmatch(r"bootstrap\.servers=127\.0\.0\.1:\d+\n", run("in_process.py", tmp_path))


def test_faults(tmp_path: Path) -> None:
    """The client is kafka-python, which comes with the extra."""
    assert run("faults.py", tmp_path, "demo") == "3 requests, 2 without an answer\n1 record\n"


def test_each_program_has_a_test() -> None:
    assert {path.name for path in (ROOT / "examples").glob("*.py")} == {
        "echo.py", "faults.py", "in_process.py", "own_protocol.py"}
