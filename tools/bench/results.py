# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The results of tools/bench/broker, their ratios and the goals."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tools.servers import print_wide

KREACTOR = "kreactor"
LOGGED = "kreactor, request log"
PYPY = "kreactor on PyPy"
BESIDE = "kreactor beside"
# The kreactor of a name with the parts of kreactor.fast.
WITH_FAST = " --fast"
FAST = KREACTOR + WITH_FAST
PYPY_FAST = PYPY + WITH_FAST
# The prefix of an older network layer's name, before the release.
EDITION = "kreactor, edition "
DEFAULT_THREADS = ", 3 network threads"
LOG = ", request log"
ASYNCIO_POOL = "asyncio+pool"
UVLOOP_POOL = "uvloop+pool"
ASYNCIO = "asyncio inline"
THREADS = "thread per connection"
JVM = "Kafka on the JVM"

# The figures of one server in one round, by name; the first one is used for the ratios.
Figures = Mapping[str, float]


@dataclass(frozen=True)
class Result:
    """The result of one load: the rounds of each server, the reasons of missing servers, and the client's own
    rate."""

    title: str
    rounds: Mapping[str, Sequence[Figures]]
    absent: Mapping[str, str] = field(default_factory=dict)
    ceiling: Figures | None = None
    # The servers whose rate was not steady at the end of their warm-up.
    unsteady: Sequence[str] = ()

    def figures(self) -> list[str]:
        """Return the names of this load's figures."""
        return list(dict.fromkeys(name for rounds in self.rounds.values() for name in rounds[0]))

    def median(self, server: str, figure: str) -> float:
        return statistics.median(done[figure] for done in self.rounds[server])

    def spread(self, server: str, figure: str) -> float:
        """Return the difference between the lowest and the highest round, as a share of the median."""
        values = [done[figure] for done in self.rounds[server]]
        return (max(values) - min(values)) / statistics.median(values)

    def headroom(self) -> float | None:
        """Return the ratio of the client's own rate to the fastest server's rate."""
        if self.ceiling is None:
            return None
        return self.ceiling["requests_per_s"] / max(
            self.median(server, "requests_per_s") for server in self.rounds)


@dataclass(frozen=True)
class Range:
    """The median of the rounds, between the lowest and the highest."""

    median: float
    lowest: float
    highest: float

    def __str__(self) -> str:
        return f"{self.median:.2f} ({self.lowest:.2f} .. {self.highest:.2f})"


def ratio(result: Result, server: str, figure: str, than: str | None) -> Range:
    """Return a figure of a server to that of another in the same round; the figure itself if there is no
    other server."""
    values = [done[figure] for done in result.rounds[server]]
    if than is not None:
        values = [ours / theirs[figure] for ours, theirs in zip(values, result.rounds[than], strict=True)]
    return Range(statistics.median(values), min(values), max(values))


@dataclass(frozen=True)
class Goal:
    """A goal: a figure as a multiple of a peer's, or an absolute number if ``than`` is None."""

    what: str
    load: str
    wanted: float
    than: str | None = None
    figure: str = "requests_per_s"
    server: str = KREACTOR
    at_most: bool = False

    def text(self) -> str:
        """Return the goal as text."""
        times = f" x {self.than}" if self.than is not None else ""
        return f"at {'most' if self.at_most else 'least'} {self.wanted:g}{times}"

    def reached(self, results: Mapping[str, Result], failures: Mapping[str, str]) -> Range | str:
        """Return the reached value, or the reason why it is unknown."""
        result = results.get(self.load)
        if result is None:
            return failures.get(self.load, f"{self.load} was not run")
        if self.than is not None and self.than in result.absent:
            return f"{self.than}: {result.absent[self.than]}"
        for server in (self.server, self.than):
            if server is not None and server not in result.rounds:
                return f"{server} was not measured"
        return ratio(result, self.server, self.figure, self.than)

    def is_met(self, reached: Range) -> bool:
        return reached.median <= self.wanted if self.at_most else reached.median >= self.wanted


def _of_pypy(wanted: Mapping[str, float]) -> tuple[Goal, ...]:
    return tuple(Goal(f"{load} on PyPy", load, times, JVM, server=PYPY_FAST)
                 for load, times in wanted.items())


def _of_today(wanted: Mapping[str, float]) -> tuple[Goal, ...]:
    return tuple(Goal(load, load, times, BESIDE, server=FAST) for load, times in wanted.items())


def edition_goals(servers: Sequence[str], loads: Sequence[str]) -> tuple[Goal, ...]:
    """Return the goals of the older editions, which have no deviations for speed."""
    return tuple(Goal(f"{server}: {load}", load, 0.5, KREACTOR, server=server)
                 for load in loads for server in servers)


# BESIDE is commit b01c1d93, the last one with its fast paths in the port.
GOALS = (
    *_of_today(dict.fromkeys(["api-versions-64", "produce-1k", "produce-60k", "produce-900k", "fetch-64k",
                              "fetch-1m", "api-versions-tls"], 1.0)),
    Goal("api-versions-64", "api-versions-64", 1.4, ASYNCIO_POOL),
    Goal("its 99th percentile", "api-versions-64", 1.0, UVLOOP_POOL, "p99_us", at_most=True),
    *_of_pypy({"api-versions-64": 1.2, "produce-1k": 0.6, "produce-60k": 1.0, "produce-900k": 1.0,
               "fetch-64k": 0.8, "fetch-1m": 0.8, "api-versions-tls": 1.0}),
    Goal("api-versions-64 on PyPy", "api-versions-64", 2.5, UVLOOP_POOL, server=PYPY),
    Goal("its 99th percentile", "api-versions-64", 1.0, JVM, "p99_us", PYPY, at_most=True),
    *(Goal(f"{name}, 3 network threads to 1", "api-versions-64", 0.95, name, server=name + DEFAULT_THREADS)
      for name in (KREACTOR, PYPY)),
    *(Goal(f"{name}, request log on to off", "request-log", 0.6, name, server=name + LOG)
      for name in (KREACTOR, PYPY)),
    Goal("start to first answer, s", "start", 0.3, figure="start_s", at_most=True),
    Goal("the same on PyPy", "start", 1.5, figure="start_s", server=PYPY, at_most=True),
    # "As today", with what a measurement of memory varies by.
    *(Goal(f"MiB after {load}", load, 1.1, BESIDE, "rss_mib", at_most=True)
      for load in ("api-versions-64", "produce-900k", "fetch-1m")),
    *(Goal(f"MiB after {load} on PyPy", load, 400, None, "rss_mib", PYPY, at_most=True)
      for load in ("api-versions-64", "produce-900k", "fetch-1m")),
)


def print_goals(goals: Sequence[Goal], results: Mapping[str, Result], failures: Mapping[str, str]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="")
    for heading in ("goal", "", "reached", ""):
        table.add_column(heading, no_wrap=True)
    for goal in goals:
        reached = goal.reached(results, failures)
        if isinstance(reached, str):
            table.add_row(goal.what, goal.text(), "-", reached)
        else:
            table.add_row(goal.what, goal.text(), str(reached), "met" if goal.is_met(reached) else "missed")
    print_wide(table)
