# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Reports stay small and readable, whatever a target answers."""

from __future__ import annotations

import json
import socket
import threading
from types import SimpleNamespace
from xml.etree import ElementTree

from kreactor.conformance.areas import all_cases
from kreactor.conformance.cases import Case, Difference, Level, Trial, good
from kreactor.conformance.connection import Ending, Target, Transcript
from kreactor.conformance.report import as_html, as_json, as_junit, as_text, decoded, hex_of, matrix
from kreactor.conformance.runner import Runner, Status, Verdict, ask_offer
from kreactor.conformance.selection import apply_expectations
from tests.conformance.servers import answer_api_versions, read_request, serving

MAX_REPORT_BYTES = 5_000_000


def transcript(*parts: tuple[bool, bytes]) -> Transcript:
    found = Transcript(ending=Ending.FIN)
    for sent, data in parts:
        found.add(sent, data)
    return found


def failure(number: int = 0, data: bytes = b"") -> Verdict:
    return Verdict(all_cases()[number], Status.FAILED, 0.1, "closed", "open", "",
                   [transcript((True, good(1)), (False, data))])


def test_every_case_failed_with_long_answers() -> None:
    verdicts = [failure(number, b"\0\0\0\7" + b"\x01" * 70_000) for number in range(len(all_cases()))]
    report = as_json("localhost:9092", verdicts)
    assert len(json.dumps(report, separators=(",", ":"))) <= MAX_REPORT_BYTES
    assert len(as_html(report)) <= MAX_REPORT_BYTES
    passed = [Verdict(case, Status.PASSED) for case in all_cases()]
    assert len(json.dumps(as_json("localhost:9092", passed), separators=(",", ":"))) <= MAX_REPORT_BYTES


def test_a_run_keeps_the_bytes_of_its_first_failures() -> None:
    def differ(trial: Trial) -> None:
        trial.transcripts.append(transcript((True, b"x")))
        raise Difference("closed", "open")

    def answer(connection: socket.socket) -> None:
        while (request := read_request(connection)) is not None:
            answer_api_versions(connection, request[1], request[2])

    cases = [Case(f"framing.{i}", "It differs.", Level.MUST, "nobody", differ) for i in range(502)]
    with serving(answer) as address:
        target = Target("127.0.0.1", int(address.rpartition(":")[2]), 120.0)
        verdicts = Runner(target, ask_offer(target)).run(cases)
    assert [len(verdict.transcripts) for verdict in verdicts] == [1] * 500 + [0, 0]


def test_a_transcript_keeps_its_first_bytes() -> None:
    found = transcript((False, b"x" * 60_000), (False, b"y" * 60_000))
    ((sent, data),) = found.parts
    assert (sent, len(data), found.size) == (False, 1 << 16, 120_000)
    assert hex_of(data).endswith("and 65280 more")


def test_what_cannot_be_read_is_told_so() -> None:
    answer = (1).to_bytes(4, "big") + b"\0\x23"
    lines = decoded(transcript((True, good(1) + b"\0\0\0\3abc" + b"\0\0\0\x08\x03\xe8" + bytes(6)),
                               (False, len(answer).to_bytes(4, "big") + answer)))
    assert lines[0] == "sent ApiVersions version 0, correlation id 1, client id 'conformance': {}"
    assert lines[1] == "sent 3 bytes, no header"
    assert lines[2] == "sent key 1000 version 0, correlation id 0"
    assert lines[3].startswith("received correlation id 1, no ApiVersions version 0: ")


def test_what_xml_cannot_hold() -> None:
    verdict = failure()
    verdict.actual = "a\0b\x1b[31m\ud800<&>"
    root = ElementTree.fromstring(as_junit("localhost:9092", [verdict]))
    (found,) = root.findall("testsuite/testcase/failure")
    assert found.get("message") == "expected closed, came a?b?[31m?<&>"


def test_html_escapes() -> None:
    verdict = failure()
    verdict.actual = "<script>alert(1)</script>"
    assert "<script>" not in as_html(as_json("<b>", [verdict]))


def test_known_failures() -> None:
    verdicts = [failure(0), Verdict(all_cases()[1], Status.PASSED), failure(2)]
    ids = [verdict.case.id for verdict in verdicts]
    apply_expectations(verdicts, {ids[0]: "it closes late", ids[1]: "it does not close"})
    assert [verdict.status for verdict in verdicts] == [Status.KNOWN, Status.UNEXPECTED, Status.FAILED]
    text = "\n".join(as_text("localhost:9092", verdicts))
    assert "the expectation file says: it does not close" in text
    assert f"failed: {ids[2]}" in text
    assert f"failed: {ids[0]}" not in text


def test_the_matrix_shows_differences() -> None:
    one = as_json("one:1", [failure(0), Verdict(all_cases()[1], Status.PASSED)])
    other = as_json("other:2", [Verdict(case, Status.PASSED) for case in all_cases()[:2]])
    lines = matrix([one, other])
    assert lines[1].split() == ["on", one["made"], other["made"]]
    assert lines[2].split() == ["framing", "1/2", "2/2"]
    assert lines[-1] == f"{all_cases()[0].id}: one:1 failed, other:2 passed"


def test_a_text_shows_the_bytes_of_a_failure_in_their_order() -> None:
    lines = as_text("localhost:9092", [failure(data=b"\0\0\0\1\7")])
    assert [line for line in lines if line.startswith(("    > ", "    < "))] == [
        f"    > {hex_of(good(1))}", "    < " + hex_of(b"\0\0\0\1\7")]


def test_the_bytes_of_the_first_500_failures_are_kept() -> None:
    runner = SimpleNamespace(_lock=threading.Lock(), _failures=0)
    verdicts = [failure() for _ in range(502)]
    for verdict in verdicts:
        Runner._bound(runner, verdict)  # type: ignore[arg-type]
    assert [bool(verdict.transcripts) for verdict in verdicts] == [True] * 500 + [False] * 2
