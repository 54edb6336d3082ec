# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.scripts import load

ROOT = Path(__file__).parents[2]
bench_producer = load("bench_producer")
Result = bench_producer.Result


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, ROOT / "tools" / "bench_producer", *arguments], cwd=ROOT,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("name", ["100-key", "transactions"])
def test_a_run(name: str) -> None:
    done = run("--loads", name, "--clients", "send,send_all,kafka-python", "--rounds", "1",
               "--seconds", "0.3", "--warm-up", "0.3", "--json")
    assert done.returncode == 0, done.stderr
    [(told, table)] = json.loads(done.stdout).items()
    assert told == name and set(table) == {"send", "send_all", "kafka-python"}
    for [result] in table.values():
        assert result["records_per_s"] > 0 and result["cpu_us"] > 0


def test_a_producer_that_cannot_write_fails_the_run() -> None:
    done = run("--client", "send", "--address", "nowhere", "--loads", "100")
    assert done.returncode == 1 and "nowhere" in done.stderr
    with pytest.raises(bench_producer.Failed, match="send fails: .*KafkaException"):
        bench_producer.measure("send", sys.executable, "nowhere", "100",
                               bench_producer.argparse.Namespace(seconds=1.0, warm_up=1.0))


@pytest.mark.parametrize(("arguments", "told"), [
    (["--loads", "none"], "no load none; there are 100,"), (["--clients", "none"], "no client none"),
    (["--clients", "java"], "java needs --jvm")])
def test_usage(arguments: list[str], told: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "") and told in done.stderr


def test_what_is_sent_before_the_measurement_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(bench_producer.time, "monotonic", lambda: now)
    monkeypatch.setattr(bench_producer.time, "process_time", lambda: now / 2)
    clock = bench_producer.Clock(1.0, 2.0)
    assert clock.goes_on(0)
    now = 101.0
    assert clock.goes_on(1000)
    now = 102.0
    assert clock.goes_on(40)
    now = 103.0
    assert not clock.goes_on(60)
    # To flush takes time as well.
    now = 105.0
    assert clock.result() == Result(25.0, 20_000.0)


def test_each_round_has_every_producer_and_its_ratio() -> None:
    speeds = {"a": iter([10.0, 30.0, 20.0]), "b": iter([5.0, 10.0, 40.0])}
    servers = [(name, lambda name=name: Result(next(speeds[name]), 1.0)) for name in speeds]
    table = bench_producer.rounds("100", servers, 3)
    assert [each.records_per_s for each in table["a"]] == [10.0, 30.0, 20.0]
    assert bench_producer.ratios(table["a"], table["b"]) == (2.0, 0.5, 3.0)


def test_all_producers_write_the_same() -> None:
    load = bench_producer.LOADS["100-key"]
    records = bench_producer.payloads(load)
    assert records == bench_producer.payloads(load) and len(set(records)) == len(records)
    assert {(len(key), len(value)) for key, value in records} == {(16, 100)}
