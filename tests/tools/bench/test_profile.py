# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time

import pytest

from tests.tools.scripts import TOOLS, load
from tools.bench import producer_stages

profile = load("bench/profile")

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="measures on Linux only")


class Work:
    """Functions that call each other and take a known time of a clock of their own."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.ns = 0

    def outer(self) -> str:
        self.calls.append("outer")
        self.ns += 20_000_000
        return self.inner(1)

    def inner(self, depth: int) -> str:
        self.calls.append("inner")
        self.ns += 50_000_000
        if not depth:
            raise ValueError("the end")
        return "done"


@pytest.fixture
def work():
    return Work()


@pytest.fixture
def clocks(work):
    clocks = profile.Clocks(lambda: [("outer", Work, "outer"), ("inner", Work, "inner")], lambda: work.ns)
    # The cost of the clocks is a real time.
    clocks._inside_ns = clocks._outside_ns = 0.0
    return clocks


def test_a_stage_is_timed_without_those_that_it_calls(clocks, work):
    functions = Work.outer, Work.inner
    with clocks:
        assert work.outer() == "done"
    assert (Work.outer, Work.inner) == functions
    assert work.calls == ["outer", "inner"]
    assert clocks.own_ns == {"outer": 20e6, "inner": 50e6}


def test_a_stage_that_fails_is_timed_and_fails(clocks, work):
    with clocks:
        with pytest.raises(ValueError, match="the end"):
            work.inner(0)
    assert clocks.own_ns == {"outer": 0, "inner": 50e6} and clocks._inner_ns == 50e6


@pytest.mark.parametrize("stages", [profile.stages, producer_stages.stages])
def test_every_stage_is_there(stages):
    rows = [row for row, _, _ in stages()]
    assert len(set(rows)) == len(rows)
    for _, clazz, name in stages():
        assert callable(getattr(clazz, name)), (clazz, name)


def test_static_methods_and_keywords_are_timed():
    class Static:
        @staticmethod
        def double(number, *, times=2):
            return number * times

    clocks = profile.Clocks(lambda: [("double", Static, "double")], time.thread_time_ns)
    with clocks:
        assert Static.double(3) == Static().double(2, times=3) == 6
    assert isinstance(vars(Static)["double"], staticmethod)


def test_a_run():
    ran = subprocess.run([sys.executable, TOOLS / "bench" / "profile", "--connections", "3", "--turns", "10",
                          "--json", "--load", "0.5"], capture_output=True, text=True, timeout=100)
    assert ran.returncode == 0, ran.stderr
    rows = json.loads(ran.stdout)
    for row, _, _ in profile.stages():
        assert row in rows
    assert rows[profile.SUM] == pytest.approx(sum(rows[row] for row, _, _ in profile.stages()))
    assert rows[profile.MEASURED_SUM] > 0
    if "no last row" not in ran.stderr:
        assert rows[profile.THREADS] > 0


@pytest.mark.skipif(shutil.which(os.environ.get("CC", "cc")) is None, reason="no C compiler")
@pytest.mark.parametrize("of", ["send", "send-key"])
def test_a_run_of_a_producer(of):
    ran = subprocess.run([sys.executable, TOOLS / "bench" / "profile", "--of", of, "--turns", "5", "--json"],
                         capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    rows = json.loads(ran.stdout)
    stages = [row for row, _, _ in producer_stages.stages()]
    assert list(rows) == [*stages, profile.SUM, profile.MEASURED_SUM]
    assert rows[profile.MEASURED_SUM] > 0


def test_arguments():
    arguments = profile.parser().parse_args([])
    assert (arguments.connections, arguments.turns, arguments.load) == (64, 300, 4.0)
    for wrong in (["--turns", "0"], ["--connections", "-1"], ["--load", "0"]):
        with pytest.raises(SystemExit):
            profile.parser().parse_args(wrong)
