# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The pytest plugin of tools/checks/mutants: it ends a run at the first assertion that fails.

A test that ends in another exception says only that Python itself has noticed the change, so the run goes on,
until ``MOST_ERRORS`` of them. ``$KREACTOR_MUTANT_RESULT`` names the file that gets the first of each kind: a
line with "assertion" or "error", and the test. ``$KREACTOR_MUTANT_TESTS`` names a file with the tests to run,
in JSON; without it all run. On unchanged code ``$KREACTOR_MUTANT_REACH`` names the file that gets the seconds
of each test that passes.
"""

from __future__ import annotations

import json
import os
import unittest
from collections.abc import Generator
from pathlib import Path

import pytest

from tools.checks import mutants_reach

MOST_ERRORS = 10
# pytest.fail and pytest.raises tell a failed assertion by an exception of their own.
ASSERTIONS = (AssertionError, pytest.fail.Exception, unittest.TestCase.failureException)


def is_assertion(error: BaseException) -> bool:
    """Return whether an assertion failed. Hypothesis groups several failures of a test."""
    if isinstance(error, BaseExceptionGroup):
        return any(is_assertion(each) for each in error.exceptions)
    return isinstance(error, ASSERTIONS)


class Judge:
    def __init__(self, path: str) -> None:
        self._path = path
        self._errors = 0

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(
            self, item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, None, None]:
        yield
        if call.excinfo is None or isinstance(call.excinfo.value, pytest.skip.Exception):
            return
        if is_assertion(call.excinfo.value):
            self._write("assertion", item.nodeid)
            item.session.shouldstop = "an assertion failed"
            return
        self._errors += 1
        if self._errors == 1:
            self._write("error", item.nodeid)
        if self._errors == MOST_ERRORS:
            item.session.shouldstop = "many errors"

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._write("error", report.nodeid)

    def _write(self, kind: str, test: str) -> None:
        with open(self._path, "a", encoding="utf-8") as file:
            file.write(f"{kind}\t{test}\n")


class Stopwatch:
    """Tells the seconds of each test that passes, with its setup and teardown."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._seconds = 0.0
        self._passed = True

    def pytest_runtest_logstart(self) -> None:
        self._seconds, self._passed = 0.0, True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds += report.duration
        self._passed = self._passed and report.passed

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        if self._passed:
            mutants_reach.tell(self._path, "passed", nodeid, self._seconds)


class Chosen:
    """Keeps some of the tests."""

    def __init__(self, path: str) -> None:
        self._tests = set(json.loads(Path(path).read_text()))

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid in self._tests]


def pytest_configure(config: pytest.Config) -> None:
    if chosen := os.environ.get("KREACTOR_MUTANT_TESTS"):
        config.pluginmanager.register(Chosen(chosen))
    if reach := os.environ.get(mutants_reach.FILE):
        config.pluginmanager.register(Stopwatch(reach))
    else:
        config.pluginmanager.register(Judge(os.environ["KREACTOR_MUTANT_RESULT"]))
