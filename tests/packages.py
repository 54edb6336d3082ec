# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Packages that some environments of the tests lack, and what becomes of the tests there that need one.

PyPy has no build of some packages. The light environment of tools/test lacks Spark and what comes with it. A
test file that imports a package which is missing for one of these reasons is skipped, and the skip names the
reason. Elsewhere a package that is missing fails the file.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any
from types import ModuleType

import pytest

# Neither has wheels for PyPy 7.3.19, nor does its source build there.
WITHOUT_BUILD_FOR_PYPY = ("confluent_kafka", "kio", "mypy", "pandas", "pyarrow", "pyspark", "time_machine")
# The packages that setup.cfg's extra "test" adds to "test-light".
NOT_IN_LIGHT = ("markupsafe", "pandas", "pyarrow", "pyspark")
# The file in which tools/environment writes the extras of an environment.
STAMP = "kreactor-installed"
WITHOUT_SPARK = "Spark is not installed; tools/test --all has it"


def is_light() -> bool:
    """Return whether this environment is of tools/test --light, and nothing has added Spark to it."""
    try:
        extras = (Path(sys.prefix) / STAMP).read_text().split()[1:]
    except OSError:
        return False
    return "test-light" in extras and not {"test", "spark"} & set(extras)


def is_without_build(package: str) -> bool:
    """Return whether the tests go on without this package here."""
    return (_has_no_build(package) or package in NOT_IN_LIGHT and is_light()) and (
        importlib.util.find_spec(package) is None)


def _has_no_build(package: str) -> bool:
    return sys.implementation.name == "pypy" and package in WITHOUT_BUILD_FOR_PYPY


def reason(package: str) -> str:
    """Return why tests are skipped that need this package."""
    return f"{package} has no build for PyPy" if _has_no_build(package) else WITHOUT_SPARK


def tell_what_did_not_run(reporter: Any) -> None:
    """Say in the terminal's summary how many tests the light environment has left out."""
    names = [report.nodeid for report in reporter.stats.get("skipped", ())
             if WITHOUT_SPARK in str(report.longrepr)]
    # A file that cannot be imported is one report.
    files = sum("::" not in name for name in names)
    if names:
        reporter.write_line(f"{len(names) - files} tests and {files} whole files of the pipeline did not run:"
                            f" {WITHOUT_SPARK}", yellow=True)


def needs(package: str) -> pytest.MarkDecorator:
    """Return the mark of a test that needs this package and whose file does not import it."""
    return pytest.mark.skipif(is_without_build(package), reason=reason(package))


class Module(pytest.Module):
    """A test file, which is skipped if it imports, itself or through others, what may be missing here."""

    def _getobj(self) -> ModuleType:
        try:
            return super()._getobj()
        except self.CollectError as e:
            # The pipeline's modules raise an ImportError of their own because of pyspark's.
            cause = e.__cause__
            while cause is not None:
                package = (getattr(cause, "name", None) or "").partition(".")[0]
                if isinstance(cause, ModuleNotFoundError) and is_without_build(package):
                    pytest.skip(reason(package), allow_module_level=True)
                cause = cause.__cause__
            raise
