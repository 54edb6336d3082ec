# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The work of a run with --all alone: whole tests, more parameters, and more examples of a property.

A test that is left out without --all has the mark ``longer``, and the mark says why. tests/conftest.py tells
this module about --all before pytest imports a test file.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

_all = False


def run_all(wanted: bool) -> None:
    """Set whether this run was given --all."""
    global _all
    _all = wanted


def only_with_all(reason: str) -> pytest.MarkDecorator:
    """Return the mark of a test that runs with --all alone."""
    return pytest.mark.longer(reason)


def examples(few: int, many: int) -> int:
    """Return the number of examples or records of a test: ``many`` with --all, else ``few``."""
    return many if _all else few


def params(always: Iterable[Any], with_all: Iterable[Any], reason: str) -> list[Any]:
    """Return the parameters of a test: some always, the others with --all alone.

    A parameter that is a tuple has one value for each argument name.
    """
    mark = only_with_all(reason)
    return [*always, *(pytest.param(*(each if isinstance(each, tuple) else (each,)), marks=mark)
                       for each in with_all)]
