# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from kreactor.editions.registry import CURRENT, EDITIONS
from tests.tools.processes import children, wait_until_ended
from tests.tools.scripts import TOOLS, load
from tools import servers
from tools.bench import results

bench = load("bench/broker")

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="measures on Linux only")

# One of each kind.
SOME = ["api-versions-1", "opaque-1m", "selector", "produce-1k", "fetch-64k", "connect", "idle",
        "request-log", "start"]

needs_compiler = pytest.mark.skipif(shutil.which(os.environ.get("CC", "cc")) is None, reason="no C compiler")


def test_arguments():
    arguments = bench.parser().parse_args([])
    assert arguments.loads == list(bench.LOADS) and arguments.peers == list(bench.PEERS)
    assert (arguments.network_threads, arguments.handlers, arguments.against) == (1, 8, [])
    assert (arguments.rounds, arguments.seconds, arguments.idle, arguments.jvm) == (5, 2.0, 10_000, None)
    arguments = bench.parser().parse_args(
        ["--against", "localhost:9092", "--loads", "idle,connect,idle", "--peers", "uvloop+pool", "--jvm",
         sys.executable])
    assert [(server.name, server.host, server.port) for server in arguments.against] == [
        ("localhost:9092", "127.0.0.1", 9092)]
    # In the order in which they are run.
    assert (arguments.loads, arguments.peers) == (["connect", "idle"], ["uvloop+pool"])
    assert arguments.jvm == Path(sys.executable).resolve()


@pytest.mark.parametrize("parse, text", [
    (bench.address, "localhost"), (bench.address, ":9092"), (bench.address, "localhost:http"),
    (bench.address, "localhost:99999999999999999999"), (servers.names(["a", "b"]), "a,c"),
    (servers.names(["a"]), ""), (bench.program, "/"), (bench.program, "/no/such/program"),
    (bench.checkout, "/"), (bench.interpreter, "/no/such/program"),
    (servers.positive, "0"), (servers.positive, "-1"), (servers.positive, "x"),
    (servers.seconds, "0"), (servers.seconds, "nan"), (servers.seconds, "long"),
])
def test_bad_arguments(parse, text):
    with pytest.raises(argparse.ArgumentTypeError):
        parse(text)


def command(*arguments: str) -> list[str]:
    return [sys.executable, str(TOOLS / "bench" / "broker"), "--rounds", "1", "--seconds", "0.6",
            "--warm-up", "0.5", *arguments]


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*arguments), capture_output=True, text=True,
                          env={**os.environ, **environment})


def test_without_a_compiler_it_says_so_in_one_line():
    result = run(CC="no-such-compiler")
    assert result.returncode == 1 and not result.stdout
    assert result.stderr.count("\n") == 1 and "no C compiler" in result.stderr


@needs_compiler
def test_a_run():
    result = run("--json", "--idle", "50", "--loads", ",".join(SOME))
    assert result.returncode == 0, result.stderr
    assert result.stderr.split() == SOME
    printed = json.loads(result.stdout)
    assert printed["failures"] == {} and list(printed["loads"]) == SOME
    for name, done in printed["loads"].items():
        if name.startswith(("produce-", "fetch-")):
            assert done["rounds"] == {} and done["absent"] == {results.JVM: "not run without --jvm"}
            continue
        assert list(done["rounds"])[0] == "kreactor"
        for rounds in done["rounds"].values():
            assert len(rounds) == 1 and all(figure >= 0 for figure in rounds[0].values())
        if done["headroom"] is not None:
            assert done["headroom"] > 0
            # The peers answer as much as kreactor does.
            assert len({rounds[0]["answer_bytes"] for rounds in done["rounds"].values()}) == 1
    assert set(printed["loads"]["connect"]["rounds"]) >= {"kreactor", "asyncio+pool"}
    assert {"kreactor", "asyncio inline"} == set(printed["loads"]["idle"]["rounds"])
    # Every goal has a word.
    assert all((goal["reached"] is None) == (goal["why"] is not None) for goal in printed["goals"])
    known = {goal["load"] for goal in printed["goals"] if goal["reached"] is not None}
    assert known == {"request-log", "start"}


@needs_compiler
def test_the_editions():
    """Editions with staged receives take all that a client sends; 3.8.0 stops at what it cannot answer."""
    result = run("--editions", "--json", "--loads", "editions-pipelined,editions-unread")
    assert result.returncode == 0, result.stderr
    printed = json.loads(result.stdout)
    pipelined, unread = printed["loads"].values()
    servers = ["kreactor", *(f"kreactor, edition {edition.tag}" for name, edition in EDITIONS.items()
                             if name != CURRENT)]
    assert list(pipelined["rounds"]) == list(unread["rounds"]) == servers
    for server, [figures] in unread["rounds"].items():
        assert figures["requests"] == 10_000
        if server == "kreactor":
            assert 0 < figures["taken"] < 5_000
        else:
            assert figures["taken"] > 5_000
            # 28 times as much on CPython; PyPy's memory has garbage in it.
            assert figures["held_kib"] > 2 * unread["rounds"]["kreactor"][0]["held_kib"]
    assert [(goal["server"], goal["than"], goal["wanted"]) for goal in printed["goals"]] == [
        (server, "kreactor", 0.5) for server in servers[1:]]
    assert all(goal["reached"] is not None for goal in printed["goals"])


@needs_compiler
def test_tables():
    # No script that brings up a broker, so one load cannot be measured; the other is all the same.
    result = run("--loads", "selector,start,fetch-64k", "--jvm", shutil.which("false") or "/bin/false")
    assert result.returncode == 1
    assert "tools/bench/broker: fetch-64k: Kafka on the JVM does not start" in result.stderr
    lines = result.stdout.splitlines()
    assert any(line.startswith("Selector alone") and "x the fastest" in line for line in lines)
    assert any(line.startswith("asyncio inline ") and " .. " in line for line in lines)
    [goal] = [line for line in lines if line.startswith("start to first answer")]
    assert goal.split()[-1] in ("met", "missed")
    [goal] = [line for line in lines if line.startswith("fetch-64k on PyPy")]
    assert goal.rstrip().endswith("Kafka on the JVM does not start: false")


@needs_compiler
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_end_that_is_asked_for_stops_everything(number):
    # Tests in the background may ignore Ctrl-C.
    with subprocess.Popen(command("--loads", "selector", "--seconds", "60"), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as process:
        try:
            processes: list[psutil.Process] = []
            # The client has come when kreactor and the bare server are there.
            while not any(name == "bench_client" for name in map(name_of, processes)):
                assert process.poll() is None
                processes = children(process.pid)
            process.send_signal(number)
            output, errors = process.communicate(timeout=120)
        finally:
            process.kill()
    assert (process.returncode, output) == (130, "")
    assert errors.splitlines() == ["selector", "tools/bench/broker: interrupted"]
    assert len(processes) == 3
    wait_until_ended(processes)


def name_of(process: psutil.Process) -> str:
    try:
        name: str = process.name()
    except psutil.NoSuchProcess:
        return ""
    return name
