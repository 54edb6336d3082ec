# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Packages of the tests that have no build for PyPy, and what becomes of the tests there that need one.

A test file that imports such a package is skipped on PyPy, where the package is missing, and the reason names
it. Elsewhere a package that is missing fails the file.
"""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

import pytest

# Neither has wheels for PyPy 7.3.19, nor does its source build there.
WITHOUT_BUILD_FOR_PYPY = ("bokeh", "confluent_kafka", "kio", "mypy", "pandas", "pyarrow", "pyspark",
                          "time_machine")


def is_without_build(package: str) -> bool:
    """Return whether the tests go on without this package here."""
    return (sys.implementation.name == "pypy" and package in WITHOUT_BUILD_FOR_PYPY
            and importlib.util.find_spec(package) is None)


def reason(package: str) -> str:
    """Return why tests are skipped that need this package."""
    return f"{package} has no build for PyPy"


def needs(package: str) -> pytest.MarkDecorator:
    """Return the mark of a test that needs this package and whose file does not import it."""
    return pytest.mark.skipif(is_without_build(package), reason=reason(package))


class Module(pytest.Module):
    """A test file, which is skipped if it imports a package that has no build here."""

    def _getobj(self) -> ModuleType:
        try:
            return super()._getobj()
        except self.CollectError as e:
            package = (getattr(e.__cause__, "name", None) or "").partition(".")[0]
            if isinstance(e.__cause__, ModuleNotFoundError) and is_without_build(package):
                pytest.skip(reason(package), allow_module_level=True)
            raise
