# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Reports of a run as text, JSON, JUnit XML and one HTML page, all bounded in size."""

from __future__ import annotations

import html
import struct
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any
from xml.etree import ElementTree

from kreactor.conformance.codec import Malformed, decode, response_body
from kreactor.conformance.connection import Transcript
from kreactor.conformance.runner import Status, Verdict
from kreactor.conformance.schemas import Api, apis_by_key

# Further verdicts are reported without their bytes; further bytes are only counted.
MAX_DETAILED = 400
MAX_SHOWN_BYTES = 256
MAX_DECODED = 600
_BAD = (Status.FAILED, Status.FLAKY, Status.UNEXPECTED)
_FORMAT = 1


def is_as_expected(verdicts: Iterable[Verdict]) -> bool:
    """Return whether no case failed, was flaky, or passed against the expectation file."""
    return not any(verdict.status in _BAD for verdict in verdicts)


def repeat_command(target: str, case_id: str, options: Sequence[str] = ()) -> str:
    """Return the command that runs one case alone."""
    return " ".join(["kreactor conformance", target, *options, f"'{case_id}'" if "*" in case_id else case_id])


def counts(verdicts: Iterable[Verdict]) -> dict[str, Counter[str]]:
    """Return the numbers of each status, by area."""
    found: dict[str, Counter[str]] = {}
    for verdict in verdicts:
        found.setdefault(verdict.case.area, Counter())[verdict.status.value] += 1
    return found


def hex_of(data: bytes) -> str:
    shown = data[:MAX_SHOWN_BYTES].hex(" ")
    left = len(data) - MAX_SHOWN_BYTES
    return f"{shown} and {left} more" if left > 0 else shown


def decoded(transcript: Transcript) -> list[str]:
    """Return a transcript as text, one line for each message, as far as it can be decoded."""
    lines: list[str] = []
    asked: dict[int, tuple[Api, int]] = {}
    for sent in (True, False):
        data = b"".join(part for from_us, part in transcript.parts if from_us is sent)
        while len(data) >= 4:
            (size,) = struct.unpack_from(">i", data)
            if not 0 <= size <= len(data) - 4:
                break
            frame, data = data[4:4 + size], data[4 + size:]
            line = _request_line(frame, asked) if sent else _response_line(frame, asked)
            lines.append(line if len(line) <= MAX_DECODED else line[:MAX_DECODED] + " ...")
    return lines


def _request_line(frame: bytes, asked: dict[int, tuple[Api, int]]) -> str:
    if len(frame) < 8:
        return f"sent {len(frame)} bytes, no header"
    key, version, correlation_id = struct.unpack_from(">hhi", frame)
    api = apis_by_key().get(key)
    if api is None:
        return f"sent key {key} version {version}, correlation id {correlation_id}"
    asked[correlation_id] = api, version if version in api.versions else 0
    start = f"sent {api} version {version}, correlation id {correlation_id}"
    try:
        at = 8
        if api.request_header_version(version) >= 1:
            (length,) = struct.unpack_from(">h", frame, at)
            at += 2 + max(length, 0)
        if api.request_header_version(version) >= 2:
            at += 1
        message, _ = decode(api.request, version, frame, at)
        return f"{start}: {message}"
    except (Malformed, struct.error) as e:
        return f"{start}, not readable: {e}"


def _response_line(frame: bytes, asked: Mapping[int, tuple[Api, int]]) -> str:
    if len(frame) < 4:
        return f"received {len(frame)} bytes, no header"
    (correlation_id,) = struct.unpack_from(">i", frame)
    if correlation_id not in asked:
        return f"received a response to {correlation_id}"
    api, version = asked[correlation_id]
    try:
        return f"received {api} version {version}, correlation id {correlation_id}: " + str(
            response_body(api, version, frame))
    except Malformed as e:
        return f"received correlation id {correlation_id}, no {api} version {version}: {e}"


def as_json(target: str, verdicts: Sequence[Verdict], options: Sequence[str] = ()) -> dict[str, Any]:
    """Return a run as JSON values: a summary, and a row for each case.

    The first failures have more details.
    """
    rows = []
    detailed = 0
    for verdict in verdicts:
        row: dict[str, Any] = {"id": verdict.case.id, "status": verdict.status.value,
                               "ms": round(verdict.duration_s * 1000, 1)}
        if verdict.reason:
            row["reason"] = verdict.reason
        if verdict.status in (*_BAD, Status.KNOWN) and detailed < MAX_DETAILED:
            detailed += 1
            row |= {key: value for key, value in (
                ("level", verdict.case.level.value), ("sentence", verdict.case.sentence),
                ("decided_by", verdict.case.decided_by), ("departs", verdict.case.departs),
                ("expected", verdict.expected), ("actual", verdict.actual)) if value}
            row["repeat"] = repeat_command(target, verdict.case.id, options)
            row["connections"] = [
                {"bytes": [("> " if sent else "< ") + hex_of(data) for sent, data in transcript.parts],
                 "decoded": decoded(transcript), "ending": transcript.ending.value}
                for transcript in verdict.transcripts]
        rows.append(row)
    made = datetime.now(timezone.utc).date().isoformat()
    return {"format": _FORMAT, "target": target, "made": made,
            "summary": Counter(row["status"] for row in rows), "areas": counts(verdicts), "cases": rows}


def as_text(target: str, verdicts: Sequence[Verdict], options: Sequence[str] = ()) -> list[str]:
    """Return a run as lines: each case that is not as expected, then the numbers by area."""
    lines = []
    bad = [verdict for verdict in verdicts if verdict.status in _BAD]
    for verdict in bad[:MAX_DETAILED]:
        case = verdict.case
        took = f"{verdict.duration_s * 1000:.0f} ms"
        lines += [f"{verdict.status.value}: {case.id} ({case.level.value}), {took}", f"    {case.sentence}",
                  f"    decided by {case.decided_by}"]
        if case.departs:
            lines.append(f"    Kafka departs here: {case.departs}")
        if verdict.status is Status.UNEXPECTED:
            lines.append(f"    the expectation file says: {verdict.reason}")
        else:
            lines += [f"    expected: {verdict.expected}", f"    came:     {verdict.actual}"]
        for transcript in verdict.transcripts:
            lines += [f"    {'>' if sent else '<'} {hex_of(data)}" for sent, data in transcript.parts]
            lines += [f"    {line}" for line in decoded(transcript)]
        lines += [f"    alone: {repeat_command(target, case.id, options)}", ""]
    if len(bad) > MAX_DETAILED:
        lines += [f"{len(bad) - MAX_DETAILED} more failed", ""]
    by_area = counts(verdicts)
    present = [status for status in Status if any(numbers[status.value] for numbers in by_area.values())]
    lines.append("area".ljust(12) + "".join(status.value.rjust(len(status.value) + 3) for status in present))
    for area, numbers in [*by_area.items(), ("all", sum(by_area.values(), Counter[str]()))]:
        lines.append(area.ljust(12) + "".join(
            str(numbers[status.value]).rjust(len(status.value) + 3) for status in present))
    return lines


def as_junit(target: str, verdicts: Sequence[Verdict]) -> str:
    """Return a run as JUnit XML: one suite for each area, one test for each case."""
    root = ElementTree.Element("testsuites", name=f"kreactor conformance {target}")
    suites: dict[str, ElementTree.Element] = {}
    for number, verdict in enumerate(verdicts):
        area = verdict.case.area
        suite = suites.get(area)
        if suite is None:
            suite = suites[area] = ElementTree.SubElement(root, "testsuite", name=area)
        test = ElementTree.SubElement(suite, "testcase", classname=area, name=verdict.case.id,
                                      time=f"{verdict.duration_s:.4f}")
        if verdict.status in _BAD:
            message = _xml(f"expected {verdict.expected}, came {verdict.actual}" if verdict.expected else
                           f"{verdict.status.value}: {verdict.reason}")
            ElementTree.SubElement(test, "failure", type=verdict.status.value, message=message)
        elif verdict.status is not Status.PASSED:
            ElementTree.SubElement(test, "skipped", message=_xml(f"{verdict.status.value}: {verdict.reason}"))
    for area, suite in suites.items():
        suite.set("tests", str(len(suite)))
        suite.set("failures", str(len(suite.findall("testcase/failure"))))
        suite.set("skipped", str(len(suite.findall("testcase/skipped"))))
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)


def _xml(text: str) -> str:
    """Return text without the characters that XML forbids."""
    return "".join(c if c in "\t\n" or " " <= c < "\ufffe" and not "\ud800" <= c <= "\udfff" else "?"
                   for c in text)


_STYLE = """body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:70em;padding:0 1em;color:#222}
table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:right;border-bottom:1px solid #ddd}
td:first-child,th:first-child{text-align:left}pre{background:#f5f5f5;padding:.6em;overflow-x:auto;
white-space:pre-wrap;overflow-wrap:anywhere;font-size:12px}summary{cursor:pointer;padding:.2em 0}
.bad{color:#b00020}.quiet{color:#777}"""


def as_html(report: Mapping[str, Any]) -> str:
    """Return the HTML page of a run in the form of ``as_json``."""
    text = html.escape
    statuses = [status.value for status in Status if report["summary"].get(status.value)]
    rows = "".join(
        f"<tr><td>{text(area)}</td>" + "".join(f"<td>{numbers.get(status, 0)}</td>" for status in statuses)
        + "</tr>" for area, numbers in [*report["areas"].items(), ("all", report["summary"])])
    bad = [status.value for status in _BAD]
    details = "".join(_html_case(row) for row in report["cases"] if "repeat" in row)
    left = sum(row["status"] in bad and "repeat" not in row for row in report["cases"])
    if left:
        details += f"<p>{left} more failed.</p>"
    title = f"Conformance of {text(report['target'])}"
    return (f"<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title><style>{_STYLE}</style>"
            f"<h1>{title}</h1><table><tr><th>area</th>"
            + "".join(f"<th>{text(status)}</th>" for status in statuses) + f"</tr>{rows}</table>"
            f"<h2>Cases that did not pass</h2>{details or '<p>None.</p>'}</html>\n")


def _html_case(row: Mapping[str, Any]) -> str:
    text = html.escape
    lines = [f"{word}: {row[key]}" for key, word in (
        ("expected", "expected"), ("actual", "came"), ("reason", "reason"), ("decided_by", "decided by"),
        ("departs", "Kafka departs here"), ("repeat", "alone")) if key in row]
    for connection in row.get("connections", ()):
        lines += ["", *connection["bytes"], *connection["decoded"], f"ending: {connection['ending']}"]
    kind = "bad" if row["status"] in [status.value for status in _BAD] else "quiet"
    return (f"<details><summary><span class={kind}>{text(row['status'])}</span> <b>{text(row['id'])}</b> "
            f"({text(row['level'])}, {row['ms']} ms): {text(row['sentence'])}</summary>"
            f"<pre>{text(chr(10).join(lines))}</pre>"
            "</details>")


def matrix(reports: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return several runs side by side, as lines: the numbers by area, then the cases that differ."""
    names = [str(report["target"]) for report in reports]
    width = max(12, *(len(name) + 2 for name in names))
    areas = list(dict.fromkeys(area for report in reports for area in report["areas"]))
    lines = ["passed of those offered".ljust(26) + "".join(name.rjust(width) for name in names),
             "on".ljust(26) + "".join(str(report.get("made", "-")).rjust(width) for report in reports)]
    for area in areas:
        cells = []
        for report in reports:
            numbers = report["areas"].get(area, {})
            offered = sum(numbers.values()) - numbers.get(Status.NOT_OFFERED.value, 0) - numbers.get(
                Status.NOT_TESTABLE.value, 0)
            cells.append(f"{numbers.get(Status.PASSED.value, 0)}/{offered}" if offered else "-")
        if any(cell != "-" for cell in cells):
            lines.append(area.ljust(26) + "".join(cell.rjust(width) for cell in cells))
    statuses = [{row["id"]: row["status"] for row in report["cases"]} for report in reports]
    ids = dict.fromkeys(id_ for each in statuses for id_ in each)
    differing = [id_ for id_ in ids if len({each.get(id_, "not run") for each in statuses}) > 1]
    if differing:
        lines += ["", f"{len(differing)} cases differ:"]
    for id_ in differing[:MAX_DETAILED]:
        lines.append(f"{id_}: " + ", ".join(
            f"{name} {each.get(id_, 'not run')}" for name, each in zip(names, statuses)))
    if len(differing) > MAX_DETAILED:
        lines.append(f"... and {len(differing) - MAX_DETAILED} more")
    return lines
