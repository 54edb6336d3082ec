# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.tools.scripts import load
from tools.bench import producer_loads

ROOT = Path(__file__).parents[3]
producer = load("bench/producer")

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="measures on Linux only")
needs_compiler = pytest.mark.skipif(shutil.which(os.environ.get("CC", "cc")) is None, reason="no C compiler")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, ROOT / "tools" / "bench" / "producer", *arguments], cwd=ROOT,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)


def measured(*arguments: str) -> dict[str, dict[str, dict[str, object]]]:
    done = run("--rounds", "1", "--seconds", "0.3", "--warm-up", "0.3", "--json", *arguments)
    assert done.returncode == 0, done.stderr
    found: dict[str, dict[str, dict[str, object]]] = json.loads(done.stdout)
    return found


def test_a_run() -> None:
    found = measured("--loads", "100-key,transactions", "--clients", "send,send_all,kafka-python",
                     "--brokers", "kreactor")
    assert list(found) == ["kreactor"] and set(found["kreactor"]) == {"100-key", "transactions"}
    for result in found["kreactor"].values():
        rounds = result["rounds"]
        assert isinstance(rounds, dict) and set(rounds) == {"send", "send_all", "kafka-python"}
        for [figures] in rounds.values():
            assert figures["records_per_s"] > 0 and figures["cpu_us"] > 0


@needs_compiler
def test_every_producer_writes_to_the_sink() -> None:
    found = measured("--brokers", "sink", "--loads",
                     "100-threads,100-0,pings,idle,transactions")
    figures = {"pings": {"p99_ms", "median_ms"}, "idle": {"cpu_percent"}}
    assert set(found["sink"]) == {"100-threads", "100-0", "pings", "idle", "transactions"}
    for name, result in found["sink"].items():
        rounds = result["rounds"]
        assert isinstance(rounds, dict)
        if name == "transactions":
            assert not rounds and result["absent"]
            continue
        # confluent-kafka has no wheels for PyPy.
        absent = set() if find_spec("confluent_kafka") else {producer_loads.CONFLUENT}
        assert set(rounds) == set(producer_loads.CLIENTS) - absent
        assert isinstance(result["absent"], dict) and set(result["absent"]) == absent
        for [found_figures] in rounds.values():
            assert set(found_figures) == figures.get(name, {"records_per_s", "cpu_us"})


@needs_compiler
def test_the_sink_closes_a_connection_of_bad_requests() -> None:
    import socket

    with producer.running("sink", None) as server:
        for request in (b"\x00\x00\x00\x00", b"\x7f\xff\xff\xff", b"\x00\x00\x00\x0a\x00\x63" + bytes(8),
                        b"\x00\x00\x00\x0a\x00\x00\x00\x07" + bytes(6),
                        b"\x00\x00\x00\x0e\x00\x03\x00\x01" + bytes(6) + b"\x7f\xff\xff\xff"):
            with socket.create_connection((server.host, server.port)) as connection:
                connection.sendall(request)
                assert connection.recv(1) == b""


def test_a_producer_that_cannot_write_fails_the_run() -> None:
    done = run("--client", "send", "--address", "nowhere", "--loads", "100")
    assert done.returncode == 1 and "nowhere" in done.stderr
    with pytest.raises(producer.Failed, match="send fails: .*KafkaException"):
        producer.measure("send", sys.executable, "nowhere", "100",
                         producer.argparse.Namespace(seconds=1.0, warm_up=1.0))


@pytest.mark.parametrize(("arguments", "told"), [
    (["--loads", "none"], "none is none of 100, "), (["--clients", "none"], "none is none of send, "),
    (["--clients", "java"], "java needs --jvm"), (["--brokers", "jvm"], "jvm needs --jvm")])
def test_usage(arguments: list[str], told: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "") and told in done.stderr


def test_what_is_sent_before_the_measurement_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(producer_loads.time, "monotonic", lambda: now)
    monkeypatch.setattr(producer_loads.time, "process_time", lambda: now / 2)
    clock = producer_loads.Clock(1.0, 2.0)
    assert clock.goes_on(0)
    now = 101.0
    assert clock.goes_on(1000)
    now = 102.0
    assert clock.goes_on(40)
    now = 103.0
    assert not clock.goes_on(60)
    # To flush takes time as well.
    now = 105.0
    assert clock.result() == {"records_per_s": 25.0, "cpu_us": 20_000.0}


def test_acknowledgements_of_the_warm_up_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(producer_loads.time, "monotonic", lambda: now)
    pings = producer_loads.Pings(producer_loads.Clock(1.0, 2.0))
    for since, took in [(100.0, 3.9), (103.5, 0.25)]:
        assert pings.goes_on()
        now = since + took
        pings.took(since)
    assert not pings.goes_on() and pings.result() == {"p99_ms": 250.0, "median_ms": 250.0}


def test_percentiles_of_acknowledgements(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(producer_loads.time, "monotonic", lambda: now)
    pings = producer_loads.Pings(producer_loads.Clock(1.0, 2.0))
    for since, took in [(101.0, 0.25), (101.5, 0.125), (102.0, 0.5)]:
        assert pings.goes_on()
        now = since + took
        pings.took(since)
    now = 103.0
    assert not pings.goes_on()
    assert pings.result() == {"p99_ms": 500.0, "median_ms": 250.0}


def test_each_round_has_every_producer() -> None:
    speeds = {"a": iter([10.0, 30.0, 20.0]), "b": iter([5.0, 10.0, 40.0])}
    producers = {name: lambda name=name: {"records_per_s": next(speeds[name])} for name in speeds}
    result = producer.Result("", producer.rounds("100", producers, 3))
    assert [each["records_per_s"] for each in result.rounds["a"]] == [10.0, 30.0, 20.0]
    assert str(producer.ratio(result, "a", "records_per_s", "b")) == "2.00 (0.50 .. 3.00)"


def test_the_goals_hold_for_every_interpreter(capsys: pytest.CaptureFixture[str]) -> None:
    rounds = {"send": [{"records_per_s": 9.0, "cpu_us": 1.0}], "send on pypy3": [{"records_per_s": 11.0}],
              "kafka-python": [{"records_per_s": 4.0}], "aiokafka": [{"records_per_s": 10.0}]}
    result = producer.Result("a load", rounds, {"java": "not here"})
    producer.show(result)
    shown = capsys.readouterr().out
    assert "a load" in shown and "2.25 (2.25 .. 2.25)" in shown and "java: not here" in shown
    goals = producer.goals(["/bin/pypy3"])
    met = {goal.what: goal.is_met(goal.reached({"100": result}, {})) for goal in goals
           if goal.load == "100" and goal.than == "aiokafka"}
    assert met == {"send": False, "send on pypy3": True}


def test_all_producers_write_the_same() -> None:
    wanted = producer_loads.LOADS["100-key"]
    records = wanted.records()
    assert records == wanted.records() and len(set(records)) == len(records)
    assert {(len(key), len(value)) for key, value in records} == {(16, 100)}
    assert [record for piece in wanted.pieces() for record in piece] == records
