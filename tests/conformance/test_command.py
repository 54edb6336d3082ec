# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``kreactor conformance``: its options, reports and statuses, and bad targets."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from kreactor.conformance.areas import all_cases
from kreactor.conformance.command import conformance
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
    assert result.output.splitlines()[0] == (
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
    assert result.output.splitlines()[0].split() == ["area", "passed"]
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
        assert result.output.startswith("flaky: headers.correlation-id.zero (must)")
        assert "headers.correlation-id.zero: a response to 77" in known.read_text()
        seen.clear()
        assert run(*args, "--expect", str(known)).exit_code == 0


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
    assert result.output.splitlines()[0].split() == ["passed", "of", "those", "offered", broker, "another"]
    assert "framing" in result.output
