# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kreactor.testing import Broker
from tests.tools.scripts import load

frameworks = load("peers/frameworks")
Record = frameworks.Record

COUNTS_WORDS = """
import os
from collections import Counter
from kafka import KafkaConsumer, KafkaProducer

counts = Counter()
servers = os.environ["BOOTSTRAP_SERVERS"]
producer = KafkaProducer(bootstrap_servers=servers)
consumer = KafkaConsumer(os.environ["LINES"], bootstrap_servers=servers, auto_offset_reset="earliest")
for line in consumer:
    for word in line.value.split():
        counts[word] += 1
        producer.send(os.environ["COUNTS"], key=word, value=b"%d" % counts[word])
"""
FAILS = "import sys; sys.exit(3)"
LATE_RECORD = COUNTS_WORDS.replace("counts = Counter()", """
import signal, sys

def stop(*_):
    producer.send(os.environ["COUNTS"], key=b"late", value=b"1")
    producer.close()
    os._exit(0)

signal.signal(signal.SIGTERM, stop)
counts = Counter()
""")


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker() as broker:
        yield broker


def framework(program: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    """Return a framework whose program has this text, and whose Python is the one of the tests."""
    (folder / "program.py").write_text(program)
    python = folder / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    monkeypatch.setattr(frameworks, "PROGRAMS", folder)
    monkeypatch.setattr(frameworks, "installed", lambda name, framework: folder)
    # A link to the interpreter of an environment does not have what the environment has.
    return frameworks.Framework(
        "mine", "program.py", ("mine==1.5",), {"PYTHONPATH": ":".join(filter(None, sys.path))})


def judge(
    program: str, folder: Path, monkeypatch: pytest.MonkeyPatch, broker: Broker, seconds: float = 60,
) -> None:
    mine = framework(program, folder, monkeypatch)
    frameworks.judge("mine", mine, broker.bootstrap_servers, seconds, folder / "log")


def test_a_program_passes_if_its_counts_are_exact(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broker: Broker) -> None:
    judge(COUNTS_WORDS, tmp_path, monkeypatch, broker)
    assert broker.end_offsets("counts") == {0: 5000}


def test_a_program_that_ends_by_itself_fails(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broker: Broker) -> None:
    with pytest.raises(frameworks.Wrong, match="ended with status 3; 50 of 50 counts are wrong, such as"):
        judge(FAILS, tmp_path, monkeypatch, broker)


def test_a_program_that_counts_nothing_fails_in_time(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broker: Broker) -> None:
    with pytest.raises(frameworks.Wrong, match="after 0 s 50 of 50 counts are wrong"):
        judge("import time; time.sleep(600)", tmp_path, monkeypatch, broker, 0)


def test_a_record_that_comes_while_the_program_ends_counts(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broker: Broker) -> None:
    with pytest.raises(frameworks.Wrong, match="at the end 1 of 50 counts are wrong, such as late: no such"):
        judge(LATE_RECORD, tmp_path, monkeypatch, broker)


def test_topics_of_an_earlier_run_are_made_anew(broker: Broker) -> None:
    for lines in (["a b"], ["c"]):
        frameworks.prepare(broker.bootstrap_servers, lines)
        assert [record.value.decode() for record in broker.records("lines")] == lines


def test_how_counts_differ() -> None:
    records = [Record("a", "1"), Record("b", "1"), Record("a", "2")]
    assert frameworks.difference_of_counts(["a b", "a"], records) is None
    assert frameworks.difference_of_counts(["a b a", "a"], records) == (
        "1 of 2 counts are wrong, such as a: 2 instead of 3")


def test_how_lines_differ() -> None:
    records = [Record(None, "x"), Record(None, "y")]
    assert frameworks.difference_of_lines(["x", "y"], records) is None
    assert frameworks.difference_of_lines(["x", "z", "y"], records) == (
        "2 lines instead of 3, of which the first 1 are the same")


def test_a_missing_toolchain_is_named(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert frameworks.main(["kafkajs"]) == 0
    assert "not run: npm is not installed" in capsys.readouterr().out
    assert not list(frameworks.cache().iterdir())


@pytest.mark.parametrize(("address", "why"), [
    ("127.0.0.1:{port}", "Connection refused"),
    ("127.0.0.1", "invalid literal"),
])
def test_an_unreachable_broker_is_one_line(
        address: str, why: str, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(SystemExit):
        frameworks.main(["kafkajs", "--broker", address.format(port=port)])
    assert why in capsys.readouterr().err.splitlines()[-1]


def test_an_unknown_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        frameworks.main(["kafkaesque"])
    assert "kafkaesque is none of faststream-aiokafka," in capsys.readouterr().err


def test_each_program_is_of_a_framework() -> None:
    assert {path.name for path in frameworks.PROGRAMS.iterdir() if path.is_file()} == {
        framework.program for framework in frameworks.FRAMEWORKS.values()
        if not isinstance(framework, frameworks.Suite)}


def test_the_version_is_that_of_what_comes_first() -> None:
    assert {name: framework.version() for name, framework in frameworks.FRAMEWORKS.items()
            if name in ("kombu", "kafkajs", "streams", "apicurio", "kafka-go")} == {
        "kombu": "5.7.0", "kafkajs": "2.2.4", "streams": "3.8.0", "apicurio": "3.3.3", "kafka-go": "0.4.51"}


SUITE = frameworks.Suite("mine", "mine", "v1.5.0", "./inside", "TestMine", {"SEEDS": "{servers}"})


@pytest.mark.parametrize(("body", "why"), [
    ('[ "$SEEDS" = host:1 ] && [ "$*" = "-test.v -test.run=TestMine" ] || exit 9\n'
     'echo "--- PASS: TestMine (0.1s)"; echo "--- SKIP: TestMineToo (0.0s)"', None),
    ('echo "--- PASS: TestMine (0.1s)"; echo "--- FAIL: TestMineToo (0.2s)"; exit 1',
     "1 of 2 tests fail, such as TestMineToo"),
    # A panic ends them without a word about the test.
    ('echo "--- PASS: TestMine (0.1s)"; echo "panic: no"; exit 2', "ended with status 2"),
    ('echo "testing: warning: no tests to run"', "no test ran"),
    ("exec sleep 600", "does not end in 1 s"),
], ids=["pass", "fail", "panic", "none", "hang"])
def test_the_tests_of_a_client_in_go(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, why: str | None) -> None:
    (tmp_path / "source" / "inside").mkdir(parents=True)
    (tmp_path / "tests").write_text(f"#!/bin/sh\n{body}\n")
    (tmp_path / "tests").chmod(0o755)
    monkeypatch.setattr(frameworks, "installed", lambda name, suite: tmp_path)

    def judge_it() -> None:
        frameworks.judge_suite("mine", SUITE, "host:1", 1 if why == "does not end in 1 s" else 60,
                               tmp_path / "log")

    if why is None:
        judge_it()
    else:
        with pytest.raises(frameworks.Wrong, match=why):
            judge_it()


def test_the_table_has_the_version_that_is_installed(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(frameworks, "judge", lambda *_: None)
    monkeypatch.setattr(frameworks, "judge_suite", lambda *_: None)
    assert frameworks.main(["--rst", "streams", "kafkajs", "faststream-aiokafka", "connect", "franz-go"]) == 0
    table = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [row[-2:] for row in table[3:-1]] == [
        ["3.8.0", "passed"], ["2.2.4", "passed"], ["0.7.8", "passed"], ["3.8.0", "passed"],
        ["1.22.2", "passed"]]


def test_a_suite_that_knows_its_broker_runs_against_that_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        taken = f"127.0.0.1:{listener.getsockname()[1]}"
        monkeypatch.setitem(frameworks.FRAMEWORKS, "mine", replace(SUITE, address=taken))
        log = Path(os.devnull)
        assert frameworks.run("mine", None, 1, log) == (
            f"not run: {taken}, to which its tests connect, is taken")
        assert frameworks.run("mine", "host:1", 1, log) == f"not run: its tests connect to {taken} alone"
