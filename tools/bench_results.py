# Licensed under the Apache License, Version 2.0; see LICENSE.
"""What tools/bench has measured, what it comes to, and what it should come to."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

KREACTOR = "kreactor"
LOGGED = "kreactor, request log"
ASYNCIO_POOL = "asyncio+pool"
UVLOOP_POOL = "uvloop+pool"
ASYNCIO = "asyncio inline"
THREADS = "thread per connection"
JVM = "Kafka on the JVM"

# One server in one round, by the name of the figure; the one that ratios are taken of comes first.
Figures = Mapping[str, float]


@dataclass(frozen=True)
class Result:
    """One load: the rounds of each server, why others were not run, and what the client could do."""

    title: str
    rounds: Mapping[str, Sequence[Figures]]
    absent: Mapping[str, str] = field(default_factory=dict)
    ceiling: Figures | None = None

    def figures(self) -> list[str]:
        """Return the names of the figures that this load has."""
        return list(dict.fromkeys(name for rounds in self.rounds.values() for name in rounds[0]))

    def median(self, server: str, figure: str) -> float:
        return statistics.median(done[figure] for done in self.rounds[server])

    def spread(self, server: str, figure: str) -> float:
        """Return what lies between the lowest and the highest round, as a share of the median."""
        values = [done[figure] for done in self.rounds[server]]
        return (max(values) - min(values)) / statistics.median(values)

    def headroom(self) -> float | None:
        """Return how many times the fastest server's requests the client could make."""
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
    """Return a figure of a server to that of another in the same round; itself if there is no other."""
    values = [done[figure] for done in result.rounds[server]]
    if than is not None:
        values = [ours / theirs[figure] for ours, theirs in zip(values, result.rounds[than], strict=True)]
    return Range(statistics.median(values), min(values), max(values))


@dataclass(frozen=True)
class Goal:
    """A figure that is to be so many times a peer's, or so many if ``than`` is None."""

    what: str
    load: str
    wanted: float
    than: str | None = None
    figure: str = "requests_per_s"
    server: str = KREACTOR
    at_most: bool = False

    def text(self) -> str:
        """Return what is wanted."""
        times = f" x {self.than}" if self.than is not None else ""
        return f"at {'most' if self.at_most else 'least'} {self.wanted:g}{times}"

    def reached(self, results: Mapping[str, Result], failures: Mapping[str, str]) -> Range | str:
        """Return what was reached, or why that is not known."""
        result = results.get(self.load)
        if result is None:
            return failures.get(self.load, f"{self.load} was not run")
        if self.than is not None and self.than in result.absent:
            return f"{self.than}: {result.absent[self.than]}"
        return ratio(result, self.server, self.figure, self.than)

    def is_met(self, reached: Range) -> bool:
        return reached.median <= self.wanted if self.at_most else reached.median >= self.wanted


GOALS = (
    *(Goal("ApiVersions, 64 connections", "api-versions-64", wanted, than)
      for than, wanted in ((ASYNCIO_POOL, 1.5), (UVLOOP_POOL, 1.0), (JVM, 0.8))),
    Goal("its 99th percentile", "api-versions-64", 1.0, UVLOOP_POOL, "p99_us", at_most=True),
    Goal("ApiVersions, 1 connection, median latency", "api-versions-1", 1.0, ASYNCIO_POOL, "p50_us",
         at_most=True),
    Goal("opaque 64 KiB, MB/s", "opaque-64k", 1.5, ASYNCIO_POOL, "mb_per_s"),
    Goal("opaque 1 MiB, MB/s", "opaque-1m", 1.5, ASYNCIO_POOL, "mb_per_s"),
    Goal("Selector alone, echo, one thread", "selector", 0.7, ASYNCIO),
    Goal("Produce 1 KB", "produce-1k", 0.4, JVM),
    Goal("Produce 60 KB", "produce-60k", 1.0, JVM),
    Goal("Produce 60 KB over TLS", "produce-60k-tls", 0.5, JVM),
    Goal("ApiVersions over TLS, 64 connections", "api-versions-tls", 1.0, ASYNCIO_POOL),
    Goal("Produce 900 KB", "produce-900k", 1.0, JVM),
    Goal("Fetch 64 KB", "fetch-64k", 0.4, JVM),
    Goal("Fetch 1 MB", "fetch-1m", 0.8, JVM),
    Goal("idle connections: share that the active ones keep", "idle", 0.85, figure="kept"),
    Goal("memory per idle connection", "idle", 0.7, ASYNCIO, "idle_kib", at_most=True),
    Goal("request logger on: share of the throughput", "request-log", 0.6, KREACTOR, server=LOGGED),
    Goal("process start to first answer, s", "start", 0.5, figure="start_s", at_most=True),
)
