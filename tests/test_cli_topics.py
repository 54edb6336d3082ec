# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``kreactor produce`` and ``kreactor consume``, as their user runs them, beside kcat."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kreactor.testing import Broker, Error
from tests.clients.kcat_client import KCAT, needs_kcat

ROOT = Path(__file__).parents[1]
WAIT_S = 120


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(topics={"t": 2}) as broker:
        yield broker


def start(command: str, address: str, *options: str, topic: str = "t") -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "kreactor", command, "-b", address, "-t", topic, *options],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        # Ctrl-C is of the tests that send it.
        start_new_session=True)


def run(command: str, address: str, *options: str, given: bytes = b"",
        topic: str = "t") -> tuple[int, bytes, str]:
    """Return the status, the output and the complaints of a command that ends."""
    process = start(command, address, *options, topic=topic)
    try:
        out, err = process.communicate(given, WAIT_S)
    finally:
        process.kill()
        process.communicate()
    return process.returncode, out, err.decode()


def written(broker: Broker) -> list[tuple[int, bytes | None, bytes | None]]:
    return [(record.partition, record.key, record.value) for record in broker.records("t")]


def test_standard_input_is_written_by_lines(broker: Broker) -> None:
    address = broker.bootstrap_servers
    assert run("produce", address, "-p", "1", "-K", ":", "-H", "a=1", "-H", "b=", "-T",
               given=b"k:1\n\nk:2:3\nlast") == (0, b"k:1\nk:2:3\nlast\n", "")
    assert written(broker) == [(1, b"k", b"1"), (1, b"k", b"2:3"), (1, None, b"last")]
    assert broker.records("t")[0].headers == (("a", b"1"), ("b", b""))


def test_a_delimiter_may_be_long_and_split_by_reads(broker: Broker) -> None:
    process = start("produce", broker.bootstrap_servers, "-p", "0", "-D", r"\r\x0a--")
    assert process.stdin is not None
    process.stdin.write(b"one\r\n-")
    process.stdin.flush()
    out, err = process.communicate(b"-two\r\n--\r\n--three", WAIT_S)
    assert (process.returncode, out, err) == (0, b"", b"")
    assert [value for _, _, value in written(broker)] == [b"one", b"two", b"three"]


def test_a_record_is_written_before_the_input_ends(broker: Broker) -> None:
    process = start("produce", broker.bootstrap_servers, "-p", "0")
    assert process.stdin is not None
    process.stdin.write(b"first\n")
    process.stdin.flush()
    broker.wait_for(lambda: len(broker.records("t")) == 1)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=WAIT_S)
    assert (process.returncode, out, err) == (130, b"", b"")


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_files_are_records_or_lines(broker: Broker, tmp_path: Path, codec: str) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_bytes(b"a\nb\n")
    second.write_bytes(b"\0" * 5000)
    address = broker.bootstrap_servers
    assert run("produce", address, "-p", "0", "-z", codec, str(first), str(second)) == (0, b"", "")
    assert run("produce", address, "-p", "1", "-z", codec, "-l", str(first)) == (0, b"", "")
    assert [(at, value) for at, _, value in written(broker)] == [
        (0, b"a\nb\n"), (0, b"\0" * 5000), (1, b"a"), (1, b"b")]
    assert run("consume", address, "-p", "1", "-e") == (0, b"a\nb\n", "")


def test_a_transaction_is_committed_or_aborted(broker: Broker, tmp_path: Path) -> None:
    address = broker.bootstrap_servers
    settings = tmp_path / "settings"
    settings.write_text("transactional.id: w\nacks = all\n")
    assert run("produce", address, "-F", str(settings), "-p", "0", given=b"good\n") == (0, b"", "")
    process = start("produce", address, "-X", "transactional.id=w", "-p", "0")
    assert process.stdin is not None
    process.stdin.write(b"aborted\n")
    process.stdin.flush()
    broker.wait_for(lambda: len(broker.records("t")) == 2)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=WAIT_S) == (b"", b"")
    assert process.returncode == 130
    assert run("consume", address, "-p", "0", "-e") == (0, b"good\naborted\n", "")
    committed = ("-X", "isolation.level=read_committed")
    assert run("consume", address, "-p", "0", "-e", *committed) == (0, b"good\n", "")


@needs_kcat
@pytest.mark.parametrize("options", [
    [], ["-o", "beginning"], ["-o", "end"], ["-o", "1"], ["-o", "-1"], ["-o", "s@2000"], ["-p", "1"],
    ["-p", "1", "-c", "2"], ["-J"], ["-K", "|"], ["-Z", "-K", r"\t"], ["-D", r"\x01"],
    ["-f", r"%t[%p]@%o %k=%s %S %K %T %h %% \\ \x41\n"], ["-f", "%R%s"]], ids=" ".join)
def test_the_output_is_that_of_kcat(broker: Broker, options: list[str]) -> None:
    assert KCAT is not None
    address = broker.bootstrap_servers
    for partition, more, given in (
            ("0", ["-K", ":", "-H", "a=1", "-H", "b=x=y"], "k:1\nk:ä\n3\n"), ("1", ["-Z"], "\nx\ny\n"),
            ("1", [], '"quoted" \\ \t\n')):
        subprocess.run([KCAT, "-P", "-b", address, "-t", "t", "-p", partition, *more], check=True,
                       input=given.encode(), capture_output=True, timeout=WAIT_S)
    theirs = subprocess.run([KCAT, "-C", "-q", "-e", "-b", address, "-t", "t", *options], check=True,
                            stdin=subprocess.DEVNULL, capture_output=True, timeout=WAIT_S).stdout
    status, ours, complaints = run("consume", address, "-e", *options)
    assert (status, complaints) == (0, "")
    # Partitions come in any order, unless there is one.
    end = b"\1" if "-D" in options else b"\n"
    assert ours == theirs or sorted(ours.split(end)) == sorted(theirs.split(end))
    assert ours or options == ["-o", "end"]


def test_bytes_that_are_no_text_are_escaped_in_json(broker: Broker, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"\xff\0")
    assert run("produce", broker.bootstrap_servers, str(file)) == (0, b"", "")
    status, out, _ = run("consume", broker.bootstrap_servers, "-e", "-J")
    assert (status, json.loads(out)["payload"]) == (0, "\\xff\0")


def test_it_ends_before_a_time(broker: Broker) -> None:
    address = broker.bootstrap_servers
    assert run("produce", address, "-p", "0", given=b"a\nb\n") == (0, b"", "")
    [first, _] = broker.records("t")
    assert run("consume", address, "-e", "-o", f"e@{first.timestamp_ms}") == (0, b"", "")
    assert run("consume", address, "-e", "-o", f"e@{first.timestamp_ms + 1_000_000}") == (0, b"a\nb\n", "")


def test_it_goes_on_until_it_is_interrupted(broker: Broker) -> None:
    process = start("consume", broker.bootstrap_servers, "-u")
    assert process.stdout is not None
    for value in (b"1\n", b"2\n"):
        assert run("produce", broker.bootstrap_servers, given=value) == (0, b"", "")
        assert process.stdout.readline() == value
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=WAIT_S) == (b"", b"")
    assert process.returncode == 130


def test_a_reader_that_leaves_ends_it(broker: Broker) -> None:
    assert run("produce", broker.bootstrap_servers, given=b"x" * 1000 + b"\n") == (0, b"", "")
    process = start("consume", broker.bootstrap_servers)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.read(1)
    process.stdout.close()
    while process.poll() is None:
        assert run("produce", broker.bootstrap_servers, given=b"more\n") == (0, b"", "")
    assert (process.stderr.read(), process.returncode) == (b"", 128 + signal.SIGPIPE)
    process.communicate()


def test_the_broker_refuses(broker: Broker) -> None:
    address = broker.bootstrap_servers
    with broker.faults.add(Error("TOPIC_AUTHORIZATION_FAILED"), api="Produce"):
        status, out, complaint = run("produce", address, "-p", "0", given=b"a\n")
    assert (status, out) == (1, b"")
    assert "1 of 1 records were not written" in complaint and "t" in complaint
    status, out, complaint = run("consume", address, "-e", topic="none")
    assert (status, out) == (1, b"") and "none" in complaint
    assert run("produce", address, "-X", "max.block.ms=100", "-p", "7", given=b"a\n")[::2] == (
        1, "Error: 1 of 1 records were not written: Topic t not present in metadata after 100 ms.\n")
    assert run("produce", address, "-X", "max.request.size=10", given=b"x" * 11)[::2] == (
        1, "Error: a record is longer than max.request.size, 10 bytes\n")
    status, _, complaint = run("consume", "127.0.0.1:1", "-e", "-X", "request.timeout.ms=300")
    assert status == 1 and "127.0.0.1:1" in complaint and "Traceback" not in complaint


@pytest.mark.parametrize(("options", "complaint"), [
    (["produce", "-D", ""], "-D: must not be empty"),
    (["produce", "-K", ""], "-K: must not be empty"),
    (["produce", "-D", r"\q"], r"\q: no escape; there are \n, \r, \t, \0, \\ and \xNN"),
    (["produce", "-H", "a"], "-H a: not NAME=VALUE"),
    (["produce", "-X", "acks"], "-X acks: not KEY=VALUE"),
    (["produce", "-X", "acks=2"], "Invalid value 2 for configuration acks: "
                                  "String must be one of: all, -1, 0, 1"),
    (["produce", "-X", "max.request.size=x"], "max.request.size=x: not a number"),
    (["produce", "-F", "/nowhere"], "/nowhere: No such file or directory"),
    (["produce", "/nowhere"], "/nowhere: No such file or directory"),
    (["produce", "-l"], "-l: takes one file"),
    (["consume", "-o", "middle"], "-o middle: is beginning, end, an offset, -N, s@MS or e@MS"),
    (["consume", "-f", "%q"], "-f %q: no token of a format"),
    (["consume", "-f", "%"], "-f %: no token of a format"),
    (["consume", "-p", "7"], "t has no partition 7"),
])
def test_mistakes(broker: Broker, options: list[str], complaint: str) -> None:
    assert run(options[0], broker.bootstrap_servers, *options[1:]) == (2, b"", f"Error: {complaint}\n")


def test_a_new_topic_is_no_warning(broker: Broker) -> None:
    assert run("produce", broker.bootstrap_servers, given=b"a\n", topic="new") == (0, b"", "")
    assert [record.value for record in broker.records("new")] == [b"a"]


def test_a_topic_that_is_never_made_is_told_at_the_end() -> None:
    with Broker(properties={"auto.create.topics.enable": "false"}) as broker:
        status, _, complaint = run("produce", broker.bootstrap_servers, "-X", "max.block.ms=300",
                                   given=b"a\n", topic="new")
    assert (status, complaint.splitlines()) == (1, [
        "Warning: the broker answers for its topics: {new=UNKNOWN_TOPIC_OR_PARTITION}",
        "Error: 1 of 1 records were not written: Topic new not present in metadata after 300 ms."])


@pytest.mark.parametrize("command", ["produce", "consume"])
def test_a_dead_port_is_one_warning(command: str) -> None:
    status, _, complaint = run(command, "127.0.0.1:1", "-X",
                               "max.block.ms=700" if command == "produce" else "request.timeout.ms=700",
                               given=b"a\n")
    warning, error = complaint.splitlines()
    assert warning == "Warning: there is no connection to node -1 (/127.0.0.1:1): the broker may be down"
    assert status == 1 and error.startswith("Error: ")


def test_a_missing_package_is_named_below_the_errors_that_it_causes(tmp_path: Path) -> None:
    """As in every error that has causes."""
    store = tmp_path / "store"
    store.write_bytes(b"no store")
    status, _, complaint = run(
        "produce", "127.0.0.1:1", "-X", "security.protocol=SSL", "-X", "ssl.truststore.type=PKCS12",
        "-X", f"ssl.truststore.location={store}", given=b"a\n")
    assert status == 1 and complaint.count("\n") == 1
    assert complaint.endswith(": keystore password was incorrect, or the store is not PKCS12\n")
