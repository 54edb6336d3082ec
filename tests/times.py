# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The CPU seconds of the tests: measured with --write-times, kept in tests/times.tsv.

The time of a test is what its process and all processes below it use meanwhile. A fixture of a module or a
class counts for its file, and one of the session for itself: the test that happens to come first would have
it otherwise. A row of the table is one of

    test     a test that takes more than SLOW_S
    file     all other tests of a file together, with the fixtures of its module and classes; their number
    fixture  a fixture of the session, by the folder of its conftest.py, that takes more than SLOW_S
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil

TABLE = Path(__file__).with_name("times.tsv")
SLOW_S = 0.3
HEADER = "kind\tname\tseconds\ttests"
# A file below this has no row.
SMALL_FILE_S = 0.1
# A test that no row knows.
UNKNOWN_S = 0.02


def file_of(test: str) -> str:
    return test.partition("::")[0]


@dataclass
class Times:
    """The table: seconds by the name of a test and of a fixture; seconds and tests by the name of a file."""

    tests: dict[str, float] = field(default_factory=dict)
    files: dict[str, tuple[float, int]] = field(default_factory=dict)
    fixtures: dict[str, float] = field(default_factory=dict)

    def of(self, test: str) -> float:
        """Return the seconds of a test; one without a row takes its part of its file."""
        if test in self.tests:
            return self.tests[test]
        seconds, number = self.files.get(file_of(test), (0.0, 0))
        return seconds / number if number else UNKNOWN_S

    def quick(self, limit_s: float) -> float:
        """Return the longest time of a test so that all tests up to it take ``limit_s`` together."""
        groups = [(seconds, 1) for seconds in self.tests.values()]
        groups += [(seconds / number, number) for seconds, number in self.files.values()]
        longest = total = 0.0
        for seconds, number in sorted(groups):
            total += seconds * number
            if total > limit_s:
                break
            longest = seconds
        return longest


def read(path: Path = TABLE) -> Times:
    """Return the table, which is empty if the file is missing."""
    times = Times()
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines()[1:]:
            kind, name, seconds, number = line.split("\t")
            if kind == "file":
                times.files[name] = float(seconds), int(number)
            else:
                (times.tests if kind == "test" else times.fixtures)[name] = float(seconds)
    return times


def write(measured: Iterable[tuple[str, float, dict[str, float]]], path: Path = TABLE) -> None:
    """Write the table of what was measured: each test, its seconds, and those of the fixtures that it set up.

    The name of a fixture ends in ``::`` and the fixture's own name; before it comes its file or folder.
    """
    times = Times()
    for test, seconds, fixtures in measured:
        own = 0.0
        for fixture, taken in fixtures.items():
            if ".py::" in fixture:
                own += taken
            else:
                times.fixtures[fixture] = max(taken, times.fixtures.get(fixture, 0.0))
        if seconds > SLOW_S:
            times.tests[test] = seconds
            seconds, number = 0.0, 0
        else:
            number = 1
        before, tests = times.files.get(file_of(test), (0.0, 0))
        times.files[file_of(test)] = before + seconds + own, tests + number
    rows = [("test", name, seconds, 1) for name, seconds in times.tests.items()]
    # Without other tests the row has the fixtures alone.
    rows += [("file", name, seconds, max(number, 1)) for name, (seconds, number) in times.files.items()
             if seconds > SMALL_FILE_S]
    rows += [("fixture", name, seconds, 1) for name, seconds in times.fixtures.items() if seconds > SLOW_S]
    rows.sort(key=lambda row: (-row[2], row[1]))
    lines = (f"{kind}\t{name}\t{seconds:.2f}\t{number}\n" for kind, name, seconds, number in rows)
    path.write_text("".join([f"{HEADER}\n", *lines]), encoding="utf-8")


class Meter:
    """Measures CPU seconds of this process and of all below it. Used by the main thread."""

    def __init__(self) -> None:
        self._process = psutil.Process()
        # The CPU seconds that the measurement itself took.
        self._own_s = 0.0

    def seconds(self) -> float:
        """Return the seconds so far, of ended processes as well."""
        begin = time.thread_time()
        total = 0.0
        try:
            below = self._process.children(recursive=True)
        except psutil.Error:
            below = []
        for process in below:
            try:
                total += sum(process.cpu_times()[:4])
            except psutil.Error:
                pass  # it has ended meanwhile, and counts once this process has waited for it
        self._own_s += time.thread_time() - begin
        return total + sum(os.times()[:4]) - self._own_s


@dataclass
class Stopwatch:
    """Measures a test without the fixtures that others share with it."""

    meter: Meter = field(default_factory=Meter)
    _begin: float = 0.0
    _shared: dict[str, float] = field(default_factory=dict)

    def begin(self) -> None:
        self._begin = self.meter.seconds()
        self._shared = {}

    def end(self) -> tuple[float, dict[str, float]]:
        """Return the test's own seconds, and those of each shared fixture that it set up or ended."""
        taken = self.meter.seconds() - self._begin - sum(self._shared.values())
        return max(taken, 0.0), self._shared

    def shared(self, name: str) -> Iterator[None]:
        """Measure the step of a fixture, without those that it needs."""
        begin, before = self.meter.seconds(), sum(self._shared.values())
        try:
            yield
        finally:
            inner = sum(self._shared.values()) - before
            taken = self.meter.seconds() - begin - inner
            self._shared[name] = self._shared.get(name, 0.0) + max(taken, 0.0)
