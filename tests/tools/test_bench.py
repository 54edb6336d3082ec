# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.tools.scripts import TOOLS, load

bench = load("bench")
measuring = sys.modules["measuring"]

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="measures on Linux only")

needs_compiler = pytest.mark.skipif(shutil.which(os.environ.get("CC", "cc")) is None, reason="no C compiler")


def measured(requests_per_s: float, p50_us: float = 1.0, p99_us: float = 1.0, cpu_us: float | None = 1.0):
    return bench.Measurement(requests_per_s, p50_us, p99_us, cpu_us, 86.0)


def test_a_row_has_the_medians_of_the_rounds():
    row = bench.summary(64, "peer", [measured(100, 5, 9, 3), measured(400, 1, 8, 1), measured(200, 4, 2, 2)],
                        None)
    assert (row.connections, row.server) == (64, "peer")
    assert (row.requests_per_s, row.p50_us, row.p99_us, row.cpu_us, row.answer_size) == (200, 4, 8, 2, 86)
    assert row.spread == (400 - 100) / 200
    assert (row.kreactor_ratio, row.kreactor_ratio_lowest, row.kreactor_ratio_highest) == (None, None, None)


def test_ratios_are_taken_round_by_round():
    ours = [measured(100), measured(300), measured(200)]
    theirs = [measured(200), measured(100), measured(200)]
    row = bench.summary(1, "peer", theirs, ours)
    assert (row.kreactor_ratio, row.kreactor_ratio_lowest, row.kreactor_ratio_highest) == (1.0, 0.5, 3.0)
    with pytest.raises(ValueError, match="longer"):
        bench.summary(1, "peer", theirs, ours[:2])


def test_cpu_time_of_a_server_that_is_not_ours_is_unknown():
    assert bench.summary(1, "peer", [measured(1, cpu_us=None)], None).cpu_us is None


def test_each_server_is_the_first_in_turn():
    assert [bench.turns(["a", "b", "c"], number) for number in range(4)] == [
        ["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"], ["a", "b", "c"]]


def test_arguments():
    arguments = bench.parser().parse_args([])
    assert arguments.servers == ["kreactor", "asyncio+pool"] and arguments.connections == [1, 64]
    assert (arguments.network_threads, arguments.handlers, arguments.against) == (1, 8, [])
    arguments = bench.parser().parse_args(
        ["--against", "localhost:9092", "--connections", "64,1,64", "--servers", "kreactor"])
    assert [(server.name, server.host, server.port) for server in arguments.against] == [
        ("localhost:9092", "127.0.0.1", 9092)]
    assert (arguments.connections, arguments.servers) == ([1, 64], ["kreactor"])


@pytest.mark.parametrize("parse, text", [
    (bench.address, "localhost"), (bench.address, ":9092"), (bench.address, "localhost:http"),
    (bench.address, "localhost:99999999999999999999"), (bench.names, "kreactor,nobody"), (bench.names, ""),
    (bench.numbers, "1,,2"), (bench.numbers, "0"), (measuring.positive, "-1"), (measuring.positive, "x"),
    (measuring.seconds, "0"), (measuring.seconds, "nan"), (measuring.seconds, "long"),
])
def test_bad_arguments(parse, text):
    with pytest.raises(argparse.ArgumentTypeError):
        parse(text)


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, TOOLS / "bench", *arguments], capture_output=True, text=True,
                          env={**os.environ, **environment})


def test_without_a_compiler_it_says_so_in_one_line():
    result = run(CC="no-such-compiler")
    assert result.returncode == 1 and not result.stdout
    assert result.stderr.count("\n") == 1 and "no C compiler" in result.stderr


@needs_compiler
def test_a_run():
    result = run("--rounds", "1", "--seconds", "0.2", "--connections", "1,3", "--json")
    assert result.returncode == 0, result.stderr
    rows = json.loads(result.stdout)
    assert [(row["connections"], row["server"]) for row in rows] == [
        (1, "kreactor"), (1, "asyncio+pool"), (3, "kreactor"), (3, "asyncio+pool")]
    for row in rows:
        assert row["requests_per_s"] > 0 and 0 < row["p50_us"] <= row["p99_us"] and row["kreactor_ratio"] > 0
    # The peer answers as much as kreactor does.
    assert len({row["answer_size"] for row in rows}) == 1


@needs_compiler
def test_a_server_that_is_not_there():
    with measuring.compiled_client() as client:
        with pytest.raises(measuring.Failed, match="broke off"):
            bench.measure(client, measuring.Server("nobody", "127.0.0.1", 1), 1, 0.1)
