# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import sys
from pathlib import Path
from typing import Any, Iterator

import pytest

from tests.tools.scripts import load
from tools import environments, servers
from tools.bench import broker_loads as loads, messages, results


pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="measures on Linux only"),
    pytest.mark.skipif(shutil.which(os.environ.get("CC", "cc")) is None, reason="no C compiler")]

# As broker.sh is called, but what it starts is kreactor.
BROKER_SH = f"""#!/bin/sh
case $1 in
start)
    cd {environments.ROOT}; dir=$2; shift 2
    for property; do set -- "$@" --override "$property"; shift; done
    set -- "$@" --data $dir/data --override listeners=PLAINTEXT://127.0.0.1:$PORT0
    {sys.executable} -m kreactor serve "$@" > $dir/out 2>&1 &
    echo $! > $dir/pid
    until grep -q Listening $dir/out; do sleep 0.05; done;;
stop)
    pid=$(cat $2/pid); kill $pid
    # As the true script: back only when the broker has ended, and writes no more into its folder.
    while grep -q '^State:.[^Z]' /proc/$pid/status 2> /dev/null; do sleep 0.02; done
    echo $2 > {{stopped}};;
esac
"""


@pytest.fixture(scope="module")
def client() -> Iterator[Path]:
    with servers.compiled_client() as compiled:
        yield compiled


@pytest.fixture
def setting(client: Path) -> Iterator[Any]:
    arguments = argparse.Namespace(
        peers=list(loads.PEERS), jvm=None, against=[], rounds=1, seconds=0.2, warm_up=0.3,
        network_threads=1, handlers=8)
    with servers.compiled("bench_server") as bare_server:
        yield loads.Setting(arguments, client, bare_server)


def test_each_server_is_the_first_in_turn():
    assert [loads.turns(["a", "b", "c"], number) for number in range(4)] == [
        ["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"], ["a", "b", "c"]]


def test_why_a_peer_is_absent(setting, monkeypatch):
    assert setting.why_absent(results.ASYNCIO) is None and setting.why_absent(results.LOGGED) is None
    assert setting.why_absent(results.JVM) == "not run without --jvm"
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert setting.why_absent(results.UVLOOP_POOL) == "uvloop is not installed"
    setting.arguments.peers.remove(results.ASYNCIO)
    assert setting.why_absent(results.ASYNCIO) == "not asked for"


def test_requests_that_are_pipelined(client):
    """Each request of a block counts, and the next block comes when all are answered."""
    with servers.broker({}) as server:
        size = loads.answer_size(server)
        for options in ((), ("-p", "4")):
            done = loads.measure(client, server, 2, 0.5, options=options)
            assert done["answer_bytes"] == size and done["request_bytes"] == len(servers.API_VERSIONS)
            assert done["requests_per_s"] > 0
        # A limit within a block ends the client within the block or at its end.
        with servers.start_client(client, server, 1, 60, 0, options=("-p", "4", "-n", "6")) as process:
            report = servers.next_report(process, server)
        assert 6 <= report["requests"] <= 8


def test_a_server_that_is_not_there(client):
    with pytest.raises(servers.Failed, match="the load on nobody broke off: bench_client: connect"):
        loads.measure(client, servers.Server("nobody", "127.0.0.1", 1), 1, 0.1)


def test_a_server_that_dies(client):
    script = ("import socket, sys; s = socket.create_server(('127.0.0.1', 0)); "
              "print(s.getsockname()[1], flush=True); s.accept()[0].recv(1); sys.exit(3)")
    with servers.started("poor thing", [sys.executable, "-c", script]) as server:
        with pytest.raises(servers.Failed, match="^poor thing ended with status 3 under load$"):
            loads.measure(client, server, 1, 10)


def test_servers_that_run_anyway_are_measured_too(setting):
    setting.arguments.peers = []
    with servers.peer(results.ASYNCIO, 86) as server:
        setting.arguments.against = [servers.Server("other", server.host, server.port)]
        result = loads.LOADS["api-versions-1"].run(setting)
    assert list(result.rounds) == ["kreactor", "other"]
    assert "cpu_us" in result.rounds["kreactor"][0] and "cpu_us" not in result.rounds["other"][0]


def test_what_a_disk_has_to_take_is_limited():
    produce = loads.LOADS["produce-60k"]
    assert produce._options(bytes(60_000), 60_000_000) == ("-n", "1000")
    assert produce._options(bytes(60_000), 1) == ("-n", str(16 * loads.REQUESTS_EACH))
    assert loads.LOADS["fetch-64k"]._options(bytes(90), 1) == ()
    assert loads.LOADS["connect"]._options(bytes(18), 1) == ("-o",)


def test_the_client_ends_after_so_many_requests(client):
    with servers.peer(results.ASYNCIO, 86) as server:
        with servers.start_client(client, server, 2, 60, 60, options=["-n", "1000"]) as process:
            warm_up, report = (servers.next_report(process, server) for _ in range(2))
            assert process.wait() == 0
    assert 200 <= warm_up["requests"] <= 202 and 1000 <= warm_up["requests"] + report["requests"] <= 1002


def test_a_connection_for_each_request(client):
    with servers.broker({"num.network.threads": "1"}) as server:
        measured = loads.measure(client, server, 3, 0.3, options=["-o"])
        assert measured["requests_per_s"] > 0 and measured["answer_bytes"] == loads.answer_size(server)


@pytest.mark.parametrize("name", ["api-versions-1", "produce-1k", "produce-900k", "fetch-64k", "fetch-1m"])
def test_beside_a_broker_that_a_script_starts(setting, name, tmp_path):
    broker_sh, stopped = tmp_path / "broker.sh", tmp_path / "stopped"
    broker_sh.write_text(BROKER_SH.replace("{stopped}", str(stopped)))
    broker_sh.chmod(0o755)
    setting.arguments.jvm, setting.arguments.peers = broker_sh, [results.JVM]
    result = loads.LOADS[name].run(setting)
    assert list(result.rounds) == ["kreactor", results.JVM]
    assert not Path(stopped.read_text().strip()).exists()
    for [figures] in result.rounds.values():
        assert figures["requests_per_s"] > 0 and "cpu_us" in figures
        if name.startswith("fetch"):
            assert figures["answer_bytes"] > (1 << 20 if name == "fetch-1m" else 1 << 16)
        if name == "produce-900k":
            assert 900_000 < figures["request_bytes"] < 910_000


def test_answers_that_are_errors_are_not_measured(monkeypatch):
    monkeypatch.setattr(messages, "READY_S", 0.0)
    with servers.broker({"num.network.threads": "1", "auto.create.topics.enable": "false"}) as server:
        with pytest.raises(servers.Failed, match="answers Produce with UNKNOWN_TOPIC_OR_PARTITION"):
            loads.check_produce(1000, server)


def test_an_echo_that_is_none():
    with servers.peer(results.ASYNCIO, 65_544, "answer") as server:
        with pytest.raises(servers.Failed, match="does not give back"):
            loads.check_echo(65_536, server)


@pytest.mark.parametrize("rates, at_most_s, steady, windows", [
    ([100, 200, 300, 300, 310, 305, 999], 20, True, 6), ([1, 2, 3, 4, 5], 5, False, 5),
    ([9, 9, 9, 9], 0.5, False, 1),
    ([100, 100, 100, 95.1, 1], 20, True, 4),
])
def test_a_server_is_warm_when_its_rate_is_steady(rates, at_most_s, steady, windows):
    measured = []

    def load(server, seconds, options):
        measured.append((server, seconds, options))
        return {"requests_per_s": rates[len(measured) - 1]}

    assert loads.warm_up(load, "server", at_most_s, ("-o",)) is steady
    assert measured == [("server", min(1, at_most_s), ("-o",))] * windows


def test_only_a_served_broker_is_fast(setting):
    """The name of a server that is not would promise it."""
    setting.arguments.peers = [results.LOGGED]
    fast = servers.Ours(results.FAST, fast="all")
    setting = loads.replace(setting, others=(fast,))
    assert setting.all_ours() == [setting.ours] and setting.all_ours(with_fast=True) == [setting.ours, fast]
    for name, names in (("opaque-64k", [results.KREACTOR]), ("start", [results.KREACTOR]),
                        ("request-log", [results.KREACTOR, results.FAST, results.KREACTOR + results.LOG])):
        assert list(loads.LOADS[name].run(setting).rounds) == names


def test_other_interpreters_and_checkouts_of_ours(setting, tmp_path):
    bench = load("bench/broker")
    (tmp_path / "kreactor").symlink_to(environments.ROOT / "kreactor")
    arguments = bench.parser().parse_args(["--python", sys.executable, "--beside", str(tmp_path)])
    other, beside = bench.other_kreactors(arguments)
    interpreter = {"cpython": "CPython", "pypy": "PyPy"}[sys.implementation.name]
    assert (other.name, other.python) == (f"kreactor on {interpreter}", sys.executable)
    assert (beside.name, beside.tree) == (results.BESIDE, tmp_path)
    setting.arguments.peers = []
    result = loads.LOADS["api-versions-64"].run(
        loads.replace(setting, others=(other, beside)))
    names = ["kreactor", other.name, "kreactor beside"]
    assert list(result.rounds) == names + [f"{name}, 3 network threads" for name in names]
    assert all(rounds[0]["rss_mib"] > 5 for rounds in result.rounds.values())
    # A warm-up of one window does not show a steady rate.
    assert result.unsteady == list(result.rounds)
    result = loads.LOADS["start"].run(loads.replace(setting, others=(other,)))
    assert list(result.rounds) == names[:2]
