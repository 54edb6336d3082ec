# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests that the light environment of tools/test leaves out are skipped with the reason, and counted."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import packages

ROOT = Path(__file__).parents[1]
CONFTEST = """
import sys
import pytest
from tests import packages

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pyspark", "psycopg"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
packages.importlib.util.find_spec = lambda name: None
sys.prefix = PREFIX

def pytest_pycollect_makemodule(module_path, parent):
    return packages.Module.from_parent(parent, path=module_path)

def pytest_terminal_summary(terminalreporter):
    packages.tell_what_did_not_run(terminalreporter)
"""
FILES = {
    "test_lazy.py": "from tests import packages\n@packages.needs('pyspark')\ndef test_a(): assert 0\n"
                    "test_b = test_a\ndef test_c(): pass\n",
    "test_direct.py": "import pyspark.sql\ndef test_a(): assert 0\n",
    "behind.py": "try:\n    import pyspark\nexcept ImportError as e:\n    raise ImportError('why') from e\n",
    "test_indirect.py": "import behind\ndef test_a(): assert 0\n",
}


def run(folder: Path, extras: str, files: dict[str, str]) -> tuple[int, str]:
    """Run test files in an environment with these extras, and without pyspark; return status and output."""
    (folder / packages.STAMP).write_text(f"0123 {extras}\n")
    (folder / "conftest.py").write_text(CONFTEST.replace("PREFIX", repr(str(folder))))
    for name, text in files.items():
        (folder / name).write_text(text)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "."], cwd=folder,
                          stdout=subprocess.PIPE, text=True, env={**inherited, "PYTHONPATH": str(ROOT)})
    return done.returncode, done.stdout


@pytest.mark.skipif(sys.implementation.name == "pypy", reason="PyPy has reasons of its own")
def test_what_needs_spark_is_skipped_and_counted(tmp_path):
    status, output = run(tmp_path, "demo test-light", FILES)
    assert status == 0 and "1 passed, 4 skipped" in output, output
    assert ("2 tests and 2 whole files of the pipeline did not run: Spark is not installed; "
            "tools/test --all has it") in output.splitlines()


@pytest.mark.skipif(sys.implementation.name == "pypy", reason="PyPy has reasons of its own")
@pytest.mark.parametrize("extras, missing", [
    ("demo test-light", "psycopg"), ("demo test", "pyspark"), ("spark test-light", "pyspark")])
def test_another_missing_package_fails(tmp_path, extras, missing):
    status, output = run(tmp_path, extras, {"test_it.py": f"import {missing}\ndef test_a(): pass\n"})
    assert status == 2 and "1 error" in output and "did not run" not in output, output
