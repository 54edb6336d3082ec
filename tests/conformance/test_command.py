# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``kreactor conformance``: its options, reports and statuses, and bad targets."""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from kreactor.conformance.areas import all_cases
from kreactor.conformance.cases import Case
from kreactor.conformance.command import conformance
from kreactor.conformance.runner import Runner, Verdict
from kreactor.conformance.schemas import API_VERSIONS
from kreactor.testing import Broker
from tests.conformance.servers import answer_api_versions, read_request, serving


def run(*args: str) -> Result:
    result = CliRunner().invoke(conformance, args)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result


def failed(*args: str) -> tuple[int, str]:
    """Return the status, and the one line that says why."""
    result = run(*args)
    (line,) = result.output.splitlines()
    return result.exit_code, line.removeprefix("Error: ")


@pytest.fixture(scope="module")
def broker() -> Iterator[str]:
    with Broker() as broker:
        yield broker.bootstrap_servers


def test_list_needs_no_target() -> None:
    result = run("--list", "framing.size", "--level", "should")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == (
        "framing.size.zero  should  A request of no bytes closes the connection.  [RequestHeader#parse]")
    assert all(line.startswith("framing.size.") for line in result.output.splitlines())


def test_the_list_is_the_whole_selection() -> None:
    ids = [line.split()[0] for line in run("--list", "--all").output.splitlines()]
    assert ids == [case.id for case in all_cases()]
    assert len(ids) >= 25_000
    default = [line.split()[0] for line in run("--list").output.splitlines()]
    assert 1000 <= len(default) < len(ids)


def test_a_run_as_expected(broker: str, tmp_path: Path) -> None:
    files = {name: tmp_path / name for name in ("report.json", "report.xml", "report.html")}
    result = run(broker, "framing", "ordering", "--json", str(files["report.json"]),
                 "--junit", str(files["report.xml"]), "--html", str(files["report.html"]))
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[0].split() == ["area", "passed"]
    report = json.loads(files["report.json"].read_text())
    assert report["summary"] == {"passed": len(report["cases"])}
    assert set(report["areas"]) == {"framing", "ordering"}
    tests = ElementTree.fromstring(files["report.xml"].read_text()).findall("testsuite/testcase")
    assert [test.get("name") for test in tests] == [row["id"] for row in report["cases"]]
    assert "<p>None.</p>" in files["report.html"].read_text()


@pytest.mark.parametrize("args", [
    ("nowhere", "framing"), ("localhost:99999",), ("127.0.0.1:1", "nothing.of.this"), (),
    ("127.0.0.1:1", "--sasl", "PLAIN:alice"), ("127.0.0.1:1", "--sasl", "GSSAPI:a:b"),
    ("127.0.0.1:1", "--tls-ca", "/nowhere/ca.pem"), ("127.0.0.1:1", "--expect", "/nowhere/known.txt"),
    ("127.0.0.1:1", "@/nowhere/selectors"), ("compare", "/nowhere/report.json"), ("compare", __file__)])
def test_usage(args: tuple[str, ...]) -> None:
    status, line = failed(*args)
    assert status == 2
    assert "Traceback" not in line


def test_the_password_is_not_shown() -> None:
    assert "secret" not in failed("127.0.0.1:1", "--sasl", "GSSAPI:alice:secret")[1]


# Targets that are no good.


def silent(connection: socket.socket) -> None:
    while connection.recv(100):
        pass


def http(connection: socket.socket) -> None:
    connection.recv(100)
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def flood(connection: socket.socket) -> None:
    while True:
        connection.sendall(bytes(range(256)) * 100)


def closing(connection: socket.socket) -> None:
    connection.recv(100)


@pytest.mark.parametrize(("speak", "reason"), [
    (silent, "no answer to ApiVersions version 3: nothing came"),
    (http, "does not speak Kafka's protocol: a response of 1213486160 bytes: 48 54 54 50"),
    (flood, "does not speak Kafka's protocol: a response of 66051 bytes"),
    (closing, "no answer to ApiVersions version 3: "),
])
def test_a_target_that_is_no_broker(speak: Callable[[socket.socket], None], reason: str) -> None:
    with serving(speak) as target:
        status, line = failed(target, "--timeout", "0.5")
    assert status == 3
    assert line.startswith(target)
    if speak is not flood:
        assert reason in line


def test_a_closed_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert failed(f"127.0.0.1:{port}") == (3, f"127.0.0.1:{port}: Connection refused")


def test_tls_asked_in_plain_text_and_the_reverse(broker: str) -> None:
    with Broker(tls=True) as secured:
        status, line = failed(secured.bootstrap_servers, "--timeout", "5")
    assert (status, "TLS" in line or "not speak" in line or "no answer" in line) == (3, True)
    status, line = failed(broker, "--tls", "--timeout", "5")
    assert status == 3


def broken(connection: socket.socket) -> None:
    """Answer whatever comes as ApiVersions, and close behind any other API."""
    while (request := read_request(connection)) is not None:
        answer_api_versions(connection, request[1], request[2])
        if request[0] != API_VERSIONS:
            return


def test_failures_are_told_and_known(tmp_path: Path) -> None:
    """A run fails; its expectation file makes the next one succeed; one that passes is an error."""
    known = tmp_path / "known.txt"
    with serving(broken) as target:
        args = (target, "keys.unknown", "headers.correlation-id", "--timeout", "120", "--jobs", "1")
        first = run(*args, "--write-expect", str(known))
        assert first.exit_code == 1
        assert "failed: keys.unknown.highest (should)" in first.output
        assert f"alone: kreactor conformance {target} keys.unknown.highest" in first.output
        assert "> 00 00 00 " in first.output
        assert run(*args, "--expect", str(known)).exit_code == 0
        known.write_text(known.read_text() + "headers.correlation-id.one: it is said to fail\n")
        again = run(*args, "--expect", str(known))
        assert again.exit_code == 1
        assert "passed against expectation: headers.correlation-id.one" in again.output
    known.write_text("framing.nobody: gone\n")
    assert failed("127.0.0.1:1", "--expect", str(known)) == (
        2, f"{known}: no case has the id framing.nobody")


def test_a_target_that_ends(tmp_path: Path) -> None:
    """The case that ends the target is named, and the run ends."""
    ended: list[int] = []

    def speak(connection: socket.socket) -> None:
        while not ended and (request := read_request(connection)) is not None:
            if request[2] == 2**31:
                ended.append(1)
                return
            answer_api_versions(connection, request[1], request[2])

    with serving(speak) as target:
        result = run(target, "headers.correlation-id", "--timeout", "0.5", "--jobs", "1")
    assert result.exit_code == 3
    assert "the target does not answer any more; it ended in headers.correlation-id.lowest" in result.output


def test_a_flaky_case(tmp_path: Path) -> None:
    """A failure that does not come again is told as flaky, and is no success."""
    seen: list[int] = []

    def speak(connection: socket.socket) -> None:
        while (request := read_request(connection)) is not None:
            seen.append(request[2])
            wrong = request[2] == 0 and seen.count(0) == 1
            answer_api_versions(connection, request[1], 77 if wrong else request[2])

    known = tmp_path / "known.txt"
    with serving(speak) as target:
        args = target, "headers.correlation-id.zero", "--timeout", "120"
        result = run(*args, "--write-expect", str(known))
        assert result.exit_code == 1
        assert result.stdout.startswith("flaky: headers.correlation-id.zero (must)")
        assert "headers.correlation-id.zero: a response to 77" in known.read_text()
        seen.clear()
        assert run(*args, "--expect", str(known)).exit_code == 0


def test_a_run_that_tests_nothing(broker: str) -> None:
    """Cases that are all not testable are no success, and their reasons are shown with their numbers."""
    result = run(broker, "tls", "sasl")
    assert result.exit_code == 1
    assert "not testable: 28\n" in result.stdout
    assert "   15  needs a user of a listener with SASL; use --sasl\n" in result.stdout
    assert "   13  needs a listener with TLS; use --tls or --tls-ca\n" in result.stdout
    assert result.stderr.splitlines()[-1] == "Error: no case could be tested"


def test_a_selection_of_no_case() -> None:
    assert failed("127.0.0.1:1", "contents", "--level", "must") == (
        2, "no case of this level is selected; --list shows them all")


def test_the_reasons_of_cases_that_are_not_offered() -> None:
    with serving(broken) as target:
        result = run(target, "answers.Metadata", "keys.unknown.highest", "--timeout", "120")
    assert "not offered: 13\n       13  Metadata versions 0, 1, 2, 3," in result.stdout


def test_an_offer_that_cannot_be_read() -> None:
    """The suite takes version 0 without a wait for more, and the malformed answer is a failure."""
    def speak(connection: socket.socket) -> None:
        while (request := read_request(connection)) is not None:
            if request[1] == 3:
                connection.sendall(b"\0\0\0\x08" + request[2].to_bytes(4, "big") + b"\0\x23\1\2")
            else:
                answer_api_versions(connection, request[1], request[2])

    began = time.monotonic()
    with serving(speak) as target:
        result = run(target, "headers.correlation-id.one", "--timeout", "120")
    assert time.monotonic() - began < 100
    assert result.exit_code == 1
    assert result.stdout.startswith("failed: answers.offer.well-formed (must), ")


def test_limit(broker: str, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    assert run(broker, "framing", "--limit", "3", "--json", str(report)).exit_code == 0
    ids = [row["id"] for row in json.loads(report.read_text())["cases"]]
    assert ids == [case.id for case in all_cases()][:3]
    assert "partial" not in json.loads(report.read_text())


def test_fail_fast(tmp_path: Path) -> None:
    """The first failure ends the run, and one that is known does not."""
    report, known = tmp_path / "report.json", tmp_path / "known.txt"
    with serving(broken) as target:
        args = (target, "headers.correlation-id", "keys.unknown", "ordering.pipelined", "--timeout", "120",
                "--jobs", "1", "--fail-fast", "--json", str(report))
        first = run(*args)
        assert first.exit_code == 1
        assert first.stdout.splitlines()[-1] == "partial: 1 of 14 cases ran: stopped at the first failure"
        found = json.loads(report.read_text())
        assert [row["status"] for row in found["cases"]] == ["failed"]
        assert found["selected"] == 14
        assert found["partial"] == "1 of 14 cases ran: stopped at the first failure"
        known.write_text(f"{found['cases'][0]['id']}: it is known\n")
        run(*args, "--expect", str(known))
        statuses = [row["status"] for row in json.loads(report.read_text())["cases"]]
        assert statuses == ["known failure", "failed"]


def test_a_line_for_each_area(broker: str) -> None:
    lines = run(broker, "framing.size", "keys.unknown").stderr.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["framing", "keys"]
    assert lines[1].startswith("keys: 5 cases, ")
    assert lines[1].endswith(" s: 5 passed")


def test_a_failure_begins_with_what_was_expected_and_came() -> None:
    with serving(broken) as target:
        lines = run(target, "keys.unknown.highest", "--timeout", "120").stdout.splitlines()
    assert lines[0].startswith("failed: keys.unknown.highest (should), ")
    assert lines[1] == "    expected: closed"
    assert lines[2].startswith("    came:     a response to 7, which no request has: ")
    shown = [number for number, line in enumerate(lines) if line.startswith(("    > ", "    < "))]
    assert min(shown) > 2
    assert "    sent key 32767 version 0, correlation id 7" in lines


# Runs that are stopped, and reports that cannot be written.


_MUCH = 4096


class Stalling:
    """Answers ApiVersions until a request with the correlation id 2**31 - 1, which it never answers."""

    def __init__(self) -> None:
        self.stalled = threading.Event()

    def __call__(self, connection: socket.socket) -> None:
        while (request := read_request(connection)) is not None:
            if request[2] == 2**31 - 1:
                self.stalled.set()
                # The suite's next request comes before the signal. A close would be an ending of the case.
                while connection.recv(_MUCH):
                    pass
                return
            answer_api_versions(connection, request[1], request[2])


def answering(connection: socket.socket) -> None:
    while (request := read_request(connection)) is not None:
        answer_api_versions(connection, request[1], request[2])


def started(*args: str, **more: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "kreactor", "conformance", *args, "--timeout", "120", "--jobs", "1"]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, **more)


STOPPED_CASES = ("framing.pieces.bytes", "headers.correlation-id")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_run_that_is_stopped(number: signal.Signals, tmp_path: Path) -> None:
    """Every report has the cases before the signal, and says that it is partial."""
    files = {name: tmp_path / f"report.{name}" for name in ("json", "junit", "html")}
    options = [word for name, file in files.items() for word in (f"--{name}", str(file))]
    speak = Stalling()
    with serving(speak) as target:
        with started(target, *STOPPED_CASES, *options, stdout=subprocess.PIPE) as process:
            assert speak.stalled.wait(120)
            process.send_signal(number)
            stdout, stderr = process.communicate(timeout=120)
    note = f"4 of 6 cases ran: stopped by {number.name}"
    assert process.returncode == 128 + number
    assert stdout.splitlines()[-1] == f"partial: {note}"
    assert "Traceback" not in stderr
    assert [line.partition(",")[0] for line in stderr.splitlines()] == [
        "framing: 1 case", "headers: 3 of 5 cases"]
    report = json.loads(files["json"].read_text())
    assert (report["partial"], report["selected"], len(report["cases"])) == (note, 6, 4)
    root = ElementTree.fromstring(files["junit"].read_text())
    assert [error.get("message") for error in root.findall("testsuite/testcase/error")] == [note]
    assert f"Partial: {note}." in files["html"].read_text()
    assert sorted(tmp_path.iterdir()) == sorted(files.values())


def test_a_signal_after_the_last_case_leaves_the_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run is whole, so that the signal changes nothing."""
    run_cases, verdicts = Runner.run, Runner.verdicts
    ended: list[Runner] = []

    def run_and_note(runner: Runner, cases: Iterable[Case]) -> list[Verdict]:
        found = run_cases(runner, cases)
        ended.append(runner)
        return found

    def verdicts_and_signal(runner: Runner) -> list[Verdict]:
        if ended == [runner]:
            ended.append(runner)
            signal.raise_signal(signal.SIGTERM)
        return verdicts(runner)

    monkeypatch.setattr(Runner, "run", run_and_note)
    monkeypatch.setattr(Runner, "verdicts", verdicts_and_signal)
    with serving(answering) as target:
        result = run(target, "headers.correlation-id", "--timeout", "120", "--jobs", "1")
    assert len(ended) == 2
    assert result.stdout.splitlines()[-1].split() == ["all", "5"]
    assert result.exit_code == 0


def test_a_run_that_is_killed(tmp_path: Path) -> None:
    """The report files have the areas before."""
    report = tmp_path / "report.json"
    speak = Stalling()
    with serving(speak) as target:
        with started(target, *STOPPED_CASES, "--json", str(report), stdout=subprocess.DEVNULL) as process:
            assert speak.stalled.wait(120)
            process.kill()
    found = json.loads(report.read_text())
    assert [row["id"] for row in found["cases"]] == ["framing.pieces.bytes"]
    assert found["partial"] == "the run has not ended"


def test_a_target_that_ends_leaves_a_report(tmp_path: Path) -> None:
    ended: list[int] = []

    def speak(connection: socket.socket) -> None:
        while not ended and (request := read_request(connection)) is not None:
            if request[2] == 2**31 - 1:
                ended.append(1)
                return
            answer_api_versions(connection, request[1], request[2])

    report = tmp_path / "report.json"
    with serving(speak) as target:
        result = run(target, *STOPPED_CASES, "--timeout", "120", "--jobs", "1", "--json", str(report))
    assert result.exit_code == 3
    assert result.stdout.splitlines()[-1].startswith("partial: 5 of 6 cases ran: the target does not answer")
    assert json.loads(report.read_text())["partial"].startswith("5 of 6 cases ran: ")


@pytest.mark.parametrize("output", ["closed pipe", "/dev/full"])
def test_a_standard_output_that_takes_nothing(broker: str, output: str, tmp_path: Path) -> None:
    """The report files are written, and the status is 4."""
    report = tmp_path / "report.json"
    if output == "closed pipe":
        reader, writer = os.pipe()
        os.close(reader)
    else:
        writer = os.open(output, os.O_WRONLY)
    with started(broker, "framing.size.zero", "--json", str(report), stdout=writer) as process:
        os.close(writer)
        _, stderr = process.communicate(timeout=120)
    assert process.returncode == 4
    assert len(json.loads(report.read_text())["cases"]) == 1
    reason = "Broken pipe" if output == "closed pipe" else "No space left on device"
    assert stderr.splitlines()[1:] == [f"Error: standard output: {reason}"]


def test_a_standard_error_that_is_closed(broker: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "kreactor", "conformance", broker, "framing.size.zero"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=writer, text=True, timeout=120)
    os.close(writer)
    assert (done.returncode, done.stdout.split()[-2:]) == (0, ["all", "1"])


def test_a_full_disk(broker: str, tmp_path: Path) -> None:
    """The other reports are written, and the status is 4."""
    report = tmp_path / "report.xml"
    result = run(broker, "framing.size.zero", "--json", "/dev/full", "--junit", str(report))
    assert result.exit_code == 4
    assert result.stderr.splitlines()[-1] == "Error: /dev/full: No space left on device"
    assert "framing" in result.stdout
    assert "framing.size.zero" in report.read_text()


def test_a_report_that_cannot_be_written_leaves_the_one_before(
        broker: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = tmp_path / "report.json"
    report.write_text("before")

    def full(path: Path, *_: object, **__: object) -> None:
        path.touch()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_text", full)
    result = run(broker, "framing.size.zero", "--json", str(report))
    assert result.exit_code == 4
    assert result.stderr.splitlines()[-1] == f"Error: {report}: No space left on device"
    assert report.read_text() == "before"
    assert list(tmp_path.iterdir()) == [report]


@pytest.mark.parametrize("option", ["--json", "--junit", "--html", "--write-expect"])
def test_a_report_in_a_folder_that_does_not_exist(option: str, tmp_path: Path) -> None:
    """The mistake is told before the run."""
    file = str(tmp_path / "nowhere" / "report")
    assert failed("127.0.0.1:1", option, file) == (2, f"{file}: the folder does not exist")
    assert failed("127.0.0.1:1", option, str(tmp_path)) == (2, f"{tmp_path}: a folder")


def test_against_another(broker: str) -> None:
    with serving(broken) as other:
        result = run(broker, "keys.unknown", "--against", other, "--timeout", "120")
    assert result.exit_code == 1
    assert f"keys.unknown.highest: {broker} passed, {other} failed" in result.output
    assert run(broker, "framing.size", "--against", broker).exit_code == 0


def test_compare(broker: str, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    run(broker, "framing.size", "--json", str(report))
    result = run("compare", str(report), f"another={report}")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0].split() == ["passed", "of", "those", "offered", broker, "another"]
    assert "framing" in result.output
