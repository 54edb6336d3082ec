# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The parts of tools/test inside pytest: errors of use in one line, early failures, and progress in files.

A plugin of pytest. In one process pytest itself shows the files. With workers of pytest-xdist, lines with the
numbers of files and tests replace its dots: a terminal has one live line, anything else a line each 10 s.
"""

from __future__ import annotations

import collections
import shutil
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

LINE_EACH_S = 10.0
LIVE_EACH_S = 0.5
# A test that runs for so long is named in the lines.
LONG_S = 5.0
# The step of a test whose worker has ended, in place of setup, call or teardown.
CRASHED = "???"


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config, parser: pytest.Parser) -> Iterator[None]:
    """Refuse options and paths that do not exist, in one line; all options are known then."""
    yield
    known, unknown = parser.parse_known_and_unknown_args(
        [str(arg) for arg in early_config.invocation_params.args])
    options = [arg for arg in unknown if arg.startswith("-")]
    if options:
        raise pytest.UsageError(f"there is no option {options[0].partition('=')[0]}")
    for arg in known.file_or_dir:
        path = str(arg).partition("::")[0]
        if not known.pyargs and not (early_config.invocation_params.dir / path).exists():
            raise pytest.UsageError(f"{path}: no such file or folder")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """After the terminal's reporter, and before the session of pytest-xdist."""
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(config, "workerinput") or config.get_verbosity() > 0:
        return
    config.pluginmanager.register(Failures(reporter), "kreactor-failures")
    if config.getvalue("dist") != "no":
        config.pluginmanager.register(Progress(config, reporter), "kreactor-progress")


class Failures:
    """Names each failure as it comes."""

    def __init__(self, reporter: Any) -> None:
        self.reporter = reporter

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._tell("FAILED" if report.when == "call" else "ERROR", report)

    @pytest.hookimpl(trylast=True)
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._tell("ERROR", report)

    def _tell(self, word: str, report: pytest.TestReport | pytest.CollectReport) -> None:
        crash = getattr(report.longrepr, "reprcrash", None)
        lines = (crash.message if crash is not None else str(report.longrepr)).strip().splitlines()
        where = f" in {report.when}" if word == "ERROR" and isinstance(report, pytest.TestReport) else ""
        self.reporter.ensure_newline()
        why = (lines[0] if crash is not None else lines[-1]) if lines else ""
        self.reporter.write_line(f"{word} {report.nodeid}{where} - {why[:300]}", red=True)


class Progress:
    """Shows how many files and tests are done, while workers of pytest-xdist run them."""

    def __init__(self, config: pytest.Config, reporter: Any) -> None:
        self.reporter = reporter
        self.workers = len(config.getvalue("tx"))
        self.live = bool(reporter.isatty)
        self.start = self.written = time.monotonic()
        self.lock = threading.Lock()
        # Guarded by the lock.
        self.left: collections.Counter[str] | None = None
        self.files = self.tests = self.tests_done = self.failures = 0
        self.running: dict[str, float] = {}
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True, name="progress")

    def pytest_sessionstart(self) -> None:
        if not self.live:
            self.reporter.write_line(self.line())
        self.thread.start()

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        self._stop()

    def pytest_keyboard_interrupt(self) -> None:
        self._stop()

    def _stop(self) -> None:
        self.ended.set()
        if self.thread.is_alive():
            self.thread.join()
            self.clear()
            self.reporter.write_line(self.line())

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: object, ids: Sequence[str]) -> None:
        """Called for each worker; all have the same tests."""
        with self.lock:
            if self.left is None:
                self.left = collections.Counter(nodeid.split("::")[0] for nodeid in ids)
                self.files, self.tests = len(self.left), len(ids)

    @pytest.hookimpl(tryfirst=True, optionalhook=True)
    def pytest_testnodedown(self) -> None:
        self.clear()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        with self.lock:
            self.running[nodeid] = time.monotonic()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        with self.lock:
            if self.running.pop(nodeid, None) is not None and self.left is not None:
                self.left[nodeid.split("::")[0]] -= 1
                self.tests_done += 1

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failures += 1
            self.clear()
        if report.when == CRASHED:
            self.pytest_runtest_logfinish(report.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(self) -> Iterator[Any]:
        """Have the reporter count a test without writing a letter; its summary at the end has the words."""
        category, letter, word = yield
        return (category, letter, word) if self.ended.is_set() else (category, "", "")

    def line(self) -> str:
        now = time.monotonic()
        with self.lock:
            time_s = f"[{now - self.start:4.0f} s] "
            if self.left is None:
                return f"{time_s}{self.workers} workers collect the tests"
            files = self.files - sum(count > 0 for count in self.left.values())
            parts = [f"{files} of {self.files} files, {self.tests_done} of {self.tests} tests"]
            if self.failures:
                parts.append(f"{self.failures} failed")
            long = sorted((start, nodeid) for nodeid, start in self.running.items() if now - start > LONG_S)
            if long:
                start, nodeid = long[0]
                parts.append(f"{now - start:.0f} s so far in {Path(nodeid.split('::')[0])}::"
                             f"{nodeid.split('::')[-1][:60]}")
            return time_s + "; ".join(parts)

    def clear(self) -> None:
        if self.live:
            self.reporter.write("\r\x1b[K", flush=True)

    def _run(self) -> None:
        while not self.ended.wait(LIVE_EACH_S):
            if self.live:
                width = shutil.get_terminal_size().columns - 1
                self.reporter.write(f"\r\x1b[K{self.line()[:width]}", flush=True)
            elif time.monotonic() - self.written >= LINE_EACH_S:
                self.written = time.monotonic()
                self.reporter.ensure_newline()
                self.reporter.write_line(self.line())
